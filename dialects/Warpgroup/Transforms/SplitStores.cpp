//===- SplitStores.cpp - Parts of arrays that registers hold --------------===//
//
// Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dialects/Grid/IR/Grid.h"
#include "dialects/Warpgroup/IR/TensorMemory.h"
#include "dialects/Warpgroup/IR/Warpgroup.h"
#include "dialects/Warpgroup/Layout/Layout.h"
#include "dialects/Warpgroup/Transforms/MatrixUnits.h"
#include "dialects/Warpgroup/Transforms/Passes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/Matchers.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"

namespace gridir::warpgroup {
#define GEN_PASS_DEF_WARPGROUPSPLITSTORESPASS
#include "dialects/Warpgroup/Transforms/Passes.h.inc"
} // namespace gridir::warpgroup

using namespace mlir;
using namespace gridir;
using namespace gridir::warpgroup;

namespace {

/// The loaded words that a thread holds without spills, beside addresses and
/// computed values, and those of each part.
constexpr int64_t kMaxWords = 192, kMaxPartWords = 128;

/// Words that each thread loads.
int64_t countWords(grid::LoadOp load) {
  auto type = cast<RankedTensorType>(load.getResult().getType());
  Layout layout = cast<LayoutAttr>(type.getEncoding()).getLayout();
  return layout.getNumRegisters(type.getShape()) *
         type.getElementTypeBitWidth() / 32;
}

/// The Ref whose memory a view names; the view itself where there are several.
Value getWhole(Value ref) {
  while (auto view = ref.getDefiningOp<grid::RefViewOpInterface>()) {
    if (view.getViewSources().size() != 1)
      break;
    ref = view.getViewSources().front();
  }
  return ref;
}

/// The computation of a stored value: loads without other uses, and elementwise
/// ops on their results.
class Computation {
public:
  explicit Computation(grid::StoreOp store) : store(store) {}

  /// Collects the ops. Fails with the op that the computation must not contain.
  LogicalResult find(PatternRewriter &rewriter) {
    type = dyn_cast<RankedTensorType>(store.getValue().getType());
    if (store.getMask() || !type || type.getRank() != 2)
      return rewriter.notifyMatchFailure(store, "expected a whole matrix");
    stored = store.getValue();
    add(stored);
    llvm::sort(
        ops, [](Operation *a, Operation *b) { return a->isBeforeInBlock(b); });
    int64_t words = 0;
    bool hasTensorMemory = false;
    for (Operation *op : ops)
      if (auto load = dyn_cast<grid::LoadOp>(op)) {
        words += countWords(load);
        hasTensorMemory |= isInSpace(load.getRef().getType(), Space::Tmem);
      }
    if (!hasTensorMemory || words <= kMaxWords)
      return rewriter.notifyMatchFailure(
          store, "expected more of tensor memory than registers hold");
    for (int64_t count = 2; words > count * kMaxPartWords || numParts == 0;
         count *= 2) {
      if (type.getDimSize(1) % count != 0)
        return rewriter.notifyMatchFailure(store, "expected columns of parts");
      if (words <= count * kMaxPartWords)
        numParts = count;
    }
    shape = {type.getDimSize(0), type.getDimSize(1) / numParts};
    // The whole value would be held in other memory.
    auto relayout = stored.getDefiningOp<RelayoutOp>();
    if (relayout && isPartial(relayout) && !hasParts(relayout.getType())) {
      stored = relayout.getOperand();
      llvm::erase(ops, relayout.getOperation());
      dropped = relayout;
    }
    for (Operation *op : ops)
      for (Value value :
           llvm::concat<Value>(op->getOperands(), op->getResults()))
        if (!hasParts(value.getType()))
          return rewriter.notifyMatchFailure(op, "expected tiles of a part");
    return checkOrder(rewriter);
  }

  /// Creates the computation for each part of the columns, at the store.
  void split(PatternRewriter &rewriter) {
    rewriter.setInsertionPoint(store);
    for (int64_t part : llvm::seq(numParts)) {
      first = part * shape[1];
      IRMapping parts;
      for (Operation *op : ops)
        parts.map(op->getResult(0), createPart(rewriter, op, parts));
      Location loc = store.getLoc();
      grid::StoreOp::create(
          rewriter, loc, getPart(rewriter, loc, stored, parts),
          createWindow(rewriter, loc, store.getRef()), Value());
    }
    rewriter.eraseOp(store);
    if (dropped)
      rewriter.eraseOp(dropped);
    for (Operation *op : llvm::reverse(ops))
      rewriter.eraseOp(op);
  }

private:
  /// Adds the op of a value, and those of its operands, where they are of the
  /// computation: all others are computed as a whole.
  void add(Value value) {
    Operation *op = value.getDefiningOp();
    if (!op || op->getBlock() != store->getBlock() || isPartial(op) ||
        !isPart(op))
      return;
    for (Operation *user : op->getUsers())
      if (user != store && !isPartial(user))
        return;
    ops.push_back(op);
    for (Value operand : op->getOperands())
      add(operand);
  }

  bool isPartial(Operation *op) const { return llvm::is_contained(ops, op); }

  bool isPart(Operation *op) {
    if (op->getNumResults() != 1)
      return false;
    auto result = dyn_cast<RankedTensorType>(op->getResult(0).getType());
    if (!result || result.getShape() != type.getShape() ||
        !isa_and_present<LayoutAttr>(result.getEncoding()))
      return false;
    if (auto load = dyn_cast<grid::LoadOp>(op))
      return !load.getMask() && result.getElementType().isIntOrFloat() &&
             canMove(load);
    return isa<LayoutCastOp, RelayoutOp>(op) ||
           (op->hasTrait<OpTrait::Elementwise>() && isPure(op));
  }

  /// True if the memory of a load is not the store's, and has windows of
  /// columns. A matrix in tensor memory may be rescaled in place.
  bool canMove(grid::LoadOp load) {
    auto refType = cast<MemRefType>(load.getRef().getType());
    if (isInSpace(load.getRef().getType(), Space::Tmem))
      return refType.getDimSize(0) == kTensorLanes &&
             (load.getRef() == store.getRef() ||
              !isInSpace(store.getRef().getType(), Space::Tmem));
    if (!isInSpace(load.getRef().getType(), Space::Gmem))
      return false;
    if (!isInSpace(store.getRef().getType(), Space::Gmem))
      return true;
    // Operands of the kernel do not alias, except for declared aliases.
    auto kernel = store->getParentOfType<grid::KernelOp>();
    auto isOperand = [&](Value ref) {
      auto argument = dyn_cast<BlockArgument>(ref);
      return argument && kernel && argument.getOwner() == kernel.getBodyBlock();
    };
    Value read = getWhole(load.getRef()), written = getWhole(store.getRef());
    return read != written && isOperand(read) && isOperand(written) &&
           !kernel.getAliases();
  }

  bool hasParts(Type value) const {
    auto tensor = dyn_cast<RankedTensorType>(value);
    if (!tensor)
      return true;
    auto encoding = dyn_cast_if_present<LayoutAttr>(tensor.getEncoding());
    if (!encoding)
      return false;
    Layout layout = encoding.getLayout();
    return layout.isSplat() ||
           (layout.getTile().size() == 2 && layout.fits(shape));
  }

  /// A load may move to the store, because the CTA only waits in between.
  /// Programs that wait until this one has loaded do so after the store.
  LogicalResult checkOrder(PatternRewriter &rewriter) {
    for (Operation *op = ops.front(); op != store.getOperation();
         op = op->getNextNode())
      if (!isPartial(op) && !isMemoryEffectFree(op) &&
          !isa<grid::LoadOp, BarrierWaitOp, WaitGroupOp, WaitTmemLoadOp>(op))
        return rewriter.notifyMatchFailure(
            op, "expected nothing but waits between the load and the store");
    return success();
  }

  RankedTensorType getPartType(Type value) const {
    auto tensor = cast<RankedTensorType>(value);
    return RankedTensorType::get(shape, tensor.getElementType(),
                                 tensor.getEncoding());
  }

  Value createWindow(OpBuilder &builder, Location loc, Value ref) const {
    auto refType = cast<MemRefType>(ref.getType());
    auto window =
        MemRefType::get(shape, refType.getElementType(),
                        MemRefLayoutAttrInterface(), refType.getMemorySpace());
    return grid::SliceRefOp::create(
        builder, loc, window, ref, ValueRange(), ArrayRef<int64_t>{0, first},
        shape, ArrayRef<int64_t>{1, 1}, ArrayRef<int64_t>());
  }

  Value createPart(OpBuilder &builder, Operation *op, IRMapping &parts) const {
    Location loc = op->getLoc();
    RankedTensorType result = getPartType(op->getResult(0).getType());
    if (auto load = dyn_cast<grid::LoadOp>(op))
      return grid::LoadOp::create(builder, loc, result,
                                  createWindow(builder, loc, load.getRef()),
                                  Value(), Value());
    IRMapping operands;
    for (Value operand : op->getOperands())
      operands.map(operand, getPart(builder, loc, operand, parts));
    Operation *clone = builder.clone(*op, operands);
    clone->getResult(0).setType(result);
    return clone->getResult(0);
  }

  /// The part of an operand; numbers have none.
  Value getPart(OpBuilder &builder, Location loc, Value value,
                IRMapping &parts) const {
    if (Value known = parts.lookupOrNull(value))
      return known;
    if (!isa<RankedTensorType>(value.getType()))
      return value;
    RankedTensorType partType = getPartType(value.getType());
    DenseElementsAttr splat;
    Value part;
    if (matchPattern(value, m_Constant(&splat)) && splat.isSplat())
      part =
          arith::ConstantOp::create(builder, loc, splat.resizeSplat(partType));
    else
      part = tensor::ExtractSliceOp::create(
          builder, loc, partType, value, ValueRange(), ValueRange(),
          ValueRange(), ArrayRef<int64_t>{0, first}, shape,
          ArrayRef<int64_t>{1, 1});
    parts.map(value, part);
    return part;
  }

  grid::StoreOp store;
  /// The stored value, and a relayout of it that is left out.
  Value stored;
  Operation *dropped = nullptr;
  RankedTensorType type;
  /// In their order.
  SmallVector<Operation *> ops;
  int64_t numParts = 0;
  /// The sizes of a part, and the first column of the one that is written.
  SmallVector<int64_t, 2> shape;
  int64_t first = 0;
};

struct SplitStore : OpRewritePattern<grid::StoreOp> {
  SplitStore(MLIRContext *context, Pass::Statistic &numSplit)
      : OpRewritePattern(context), numSplit(numSplit) {}

  LogicalResult matchAndRewrite(grid::StoreOp op,
                                PatternRewriter &rewriter) const override {
    Computation computation(op);
    if (failed(computation.find(rewriter)))
      return failure();
    computation.split(rewriter);
    ++numSplit;
    return success();
  }

  Pass::Statistic &numSplit;
};

class WarpgroupSplitStoresPass
    : public warpgroup::impl::WarpgroupSplitStoresPassBase<
          WarpgroupSplitStoresPass> {
public:
  using WarpgroupSplitStoresPassBase::WarpgroupSplitStoresPassBase;

  void runOnOperation() override {
    RewritePatternSet patterns(&getContext());
    patterns.add<SplitStore>(&getContext(), numSplit);
    GreedyRewriteConfig config;
    config.enableFolding(false).setRegionSimplificationLevel(
        GreedySimplifyRegionLevel::Disabled);
    if (failed(
            applyPatternsGreedily(getOperation(), std::move(patterns), config)))
      signalPassFailure();
  }
};

} // namespace
