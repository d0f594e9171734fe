//===- SplitReductions.cpp - Loops over rows that registers do not hold ---===//
//
// Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dialects/Warpgroup/Transforms/Passes.h"

#include "dialects/GPU/Target/GPUTarget.h"
#include "dialects/Grid/Analysis/BlockAxes.h"
#include "dialects/Support/Builders.h"
#include "dialects/Support/NeutralElement.h"
#include "dialects/Warpgroup/IR/Warpgroup.h"
#include "dialects/Warpgroup/Transforms/BlockProgram.h"
#include "dialects/Warpgroup/Transforms/DataWindows.h"
#include "dialects/Warpgroup/Transforms/RestrictReduction.h"
#include "dialects/Warpgroup/Transforms/ValueSlices.h"
#include "mlir/IR/PatternMatch.h"
#include "mlir/Transforms/RegionUtils.h"

namespace gridir::warpgroup {
#define GEN_PASS_DEF_WARPGROUPSPLITREDUCTIONSPASS
#include "dialects/Warpgroup/Transforms/Passes.h.inc"
} // namespace gridir::warpgroup

using namespace mlir;
using namespace gridir;
using namespace gridir::grid;
using namespace gridir::warpgroup;

namespace {

/// An op that reads a whole value, and the dimension of the value along which a
/// loop reads it instead.
struct Reader {
  Operation *op;
  Value value;
  int64_t dim, part;
};

class ReaderSearch {
public:
  explicit ReaderSearch(KernelOp kernel) : kernel(kernel), axes(kernel) {
    kernel.getBodyRegion().walk([&](DotOp dot) {
      for (unsigned dim :
           llvm::seq(cast<RankedTensorType>(dot.getType()).getRank()))
        if (std::optional<unsigned> axis = axes.getAxis(dot.getResult(), dim))
          unitAxes.insert(*axis);
    });
  }

  /// Returns the readers of all values that registers do not hold even if the
  /// programs are split; none if some op reads such a value in another way.
  SmallVector<Reader> find() {
    SmallVector<Reader> readers;
    bool isSupported = true;
    kernel.getBodyRegion().walk([&](Operation *op) {
      for (Value operand : op->getOperands()) {
        if (!isLarge(operand) || isIntermediate(op))
          continue;
        if (std::optional<Reader> reader = match(op, operand))
          readers.push_back(*reader);
        else
          isSupported = false;
      }
    });
    return isSupported ? readers : SmallVector<Reader>();
  }

private:
  /// The number of elements of a value in the smallest part of a program,
  /// without its dimension `except`.
  int64_t countElements(Value value, std::optional<int64_t> except = {}) {
    // A matrix unit computes a number of rows at once.
    constexpr int64_t unitRows = 64;
    int64_t count = 1;
    for (auto [dim, size] :
         llvm::enumerate(cast<RankedTensorType>(value.getType()).getShape())) {
      std::optional<unsigned> axis = axes.getAxis(value, dim);
      if (static_cast<int64_t>(dim) == except)
        continue;
      if (!axis)
        count *= size;
      else if (unitAxes.contains(*axis))
        count *= std::min(size, unitRows);
    }
    return count;
  }

  /// True if a program can be split along a dimension of a value.
  bool canSplit(Value value, unsigned dim) {
    return axes.getAxis(value, dim).has_value();
  }

  bool isLarge(Value value) {
    auto type = dyn_cast<RankedTensorType>(value.getType());
    return type && type.hasStaticShape() &&
           countElements(value) *
                   llvm::divideCeil(type.getElementTypeBitWidth(), 32) >
               kMaxArrayRegisters * kNumThreads;
  }

  /// True for an op that computes an array from arrays: parts of its result are
  /// computed from parts of these.
  static bool isIntermediate(Operation *op) {
    return !isa<linalg::ReduceOp, StoreOp>(op) && isMemoryEffectFree(op);
  }

  std::optional<Reader> match(Operation *op, Value value) {
    if (op->getBlock() != kernel.getBodyBlock())
      return std::nullopt;
    SmallVector<int64_t> dims;
    if (auto reduce = dyn_cast<linalg::ReduceOp>(op)) {
      if (reduce.getInputs().size() != 1 || value != reduce.getInputs()[0])
        return std::nullopt;
      dims.assign(reduce.getDimensions().begin(), reduce.getDimensions().end());
    } else {
      auto store = dyn_cast<StoreOp>(op);
      if (!store || store.getMask() || store.getValue() != value ||
          !llvm::is_contained(kernel.getOutputRefs(), store.getRef()) ||
          !getOverhangingDims(
               kernel, cast<BlockArgument>(store.getRef()).getArgNumber())
               .empty())
        return std::nullopt;
      dims = llvm::to_vector(
          llvm::seq(cast<RankedTensorType>(value.getType()).getRank()));
    }
    auto type = cast<RankedTensorType>(value.getType());
    std::optional<Reader> found;
    for (int64_t dim : dims) {
      if (canSplit(value, dim) || !canSlice(value, dim))
        continue;
      std::optional<int64_t> part =
          getSlicedContractions(value, dim).empty()
              ? getPart(type.getDimSize(dim), countElements(value, dim),
                        dim + 1 == type.getRank(), canOverlap(op))
              : getProductPart(type.getDimSize(dim), countElements(value, dim));
      if (part &&
          (!found || type.getDimSize(dim) > type.getDimSize(found->dim)))
        found = Reader{op, value, dim, *part};
    }
    return found;
  }

  /// True if parts may have common elements: reductions skip these, and stores
  /// write them again.
  bool canOverlap(Operation *op) {
    auto reduce = dyn_cast<linalg::ReduceOp>(op);
    return reduce ? getNeutralElement(reduce).has_value()
                  : kernel.getAliasPairs().empty();
  }

  /// The largest part of a result of a contraction that registers hold: rows of
  /// shared memory have 64 elements, and matrix units have 8 columns.
  static std::optional<int64_t> getProductPart(int64_t size, int64_t others) {
    int64_t limit = kArrayRegisters * kNumThreads / others;
    for (int64_t unit : {64, 8})
      for (int64_t part = limit / unit * unit; part > 0; part -= unit)
        if (size % part == 0)
          return part;
    return std::nullopt;
  }

  /// The largest part that registers hold. If possible, it divides the size,
  /// and all threads access consecutive elements.
  static std::optional<int64_t> getPart(int64_t size, int64_t others,
                                        bool isLast, bool canOverlap) {
    int64_t limit = kArrayRegisters * kNumThreads / others,
            threads = isLast ? kNumThreads : 1;
    auto findDivisor = [&](int64_t unit) -> std::optional<int64_t> {
      for (int64_t part = limit / unit * unit;
           part >= std::max(unit, threads) && part > 1; part -= unit)
        if (size % part == 0)
          return part;
      return std::nullopt;
    };
    // Threads access up to four elements at once.
    for (int64_t unit : {4 * threads, threads})
      if (std::optional<int64_t> part = findDivisor(unit))
        return part;
    int64_t part = limit / threads * threads;
    if (canOverlap && part > 1 && part < size)
      return part;
    return findDivisor(1);
  }

  KernelOp kernel;
  BlockAxes axes;
  /// The axes of rows and columns of contractions.
  llvm::SmallDenseSet<unsigned> unitAxes;
};

class WarpgroupSplitReductionsPass
    : public warpgroup::impl::WarpgroupSplitReductionsPassBase<
          WarpgroupSplitReductionsPass> {
public:
  using WarpgroupSplitReductionsPassBase::WarpgroupSplitReductionsPassBase;

  void runOnOperation() override {
    KernelOp kernel = getOperation();
    FailureOr<gpu::Chip> known = gpu::getChip(chip, kernel.getLoc());
    if (failed(known))
      return signalPassFailure();
    if (!canBecomeProgram(kernel, *known, BlockForm::Prepared))
      return markAllAnalysesPreserved();
    SmallVector<Reader> readers = ReaderSearch(kernel).find();
    if (readers.empty())
      return markAllAnalysesPreserved();
    for (const Reader &reader : readers)
      split(reader);
    numSplit += readers.size();
    // The ops that computed whole values have no other use.
    IRRewriter rewriter(&getContext());
    (void)runRegionDCE(rewriter, kernel->getRegions());
  }

private:
  static void split(const Reader &reader) {
    OpBuilder builder(reader.op);
    Location loc = reader.op->getLoc();
    int64_t size =
        cast<RankedTensorType>(reader.value.getType()).getDimSize(reader.dim);
    auto reduce = dyn_cast<linalg::ReduceOp>(reader.op);
    auto loop = scf::ForOp::create(
        builder, loc, arith::ConstantIndexOp::create(builder, loc, 0),
        arith::ConstantIndexOp::create(builder, loc,
                                       size / reader.part * reader.part),
        arith::ConstantIndexOp::create(builder, loc, reader.part),
        reduce ? ValueRange(reduce.getInits()) : ValueRange(),
        [&](OpBuilder &inner, Location, Value offset, ValueRange carried) {
          scf::YieldOp::create(inner, loc,
                               createPart(inner, reader, offset, carried,
                                          /*numRepeated=*/0));
        });
    ValueRange results = loop.getResults();
    // The last part ends with the value.
    if (int64_t rest = size % reader.part)
      results = createPart(
          builder, reader,
          arith::ConstantIndexOp::create(builder, loc, size - reader.part),
          results, /*numRepeated=*/reader.part - rest);
    if (reduce)
      reduce->replaceAllUsesWith(results);
    reader.op->erase();
  }

  /// Reduces or stores a part of a value. Its first elements may be those of an
  /// earlier part.
  static ResultRange createPart(OpBuilder &builder, const Reader &reader,
                                Value offset, ValueRange carried,
                                int64_t numRepeated) {
    ValueSlicer slicer;
    slicer.setPosition(offset, reader.part);
    Value part = slicer.create(builder, reader.value, reader.dim);
    auto reduce = dyn_cast<linalg::ReduceOp>(reader.op);
    if (!reduce)
      return createStore(builder, cast<StoreOp>(reader.op), part, offset,
                         reader.dim)
          ->getResults();
    auto next = cast<linalg::ReduceOp>(builder.clone(*reduce));
    next.getInputsMutable().assign(part);
    next.getInitsMutable().assign(carried);
    restrictReduction(next, reader.dim, numRepeated, reader.part);
    return next->getResults();
  }

  static StoreOp createStore(OpBuilder &builder, StoreOp store, Value part,
                             Value offset, int64_t dim) {
    auto type = cast<RankedTensorType>(part.getType());
    SmallVector<OpFoldResult> offsets(type.getRank(), builder.getIndexAttr(0));
    offsets[dim] = offset;
    Value window =
        warpgroup::createWindow(builder, store.getLoc(), store.getRef(),
                                offsets, type.getShape(), /*dropped=*/{});
    return StoreOp::create(builder, store.getLoc(), part, window,
                           /*mask=*/Value());
  }
};

} // namespace
