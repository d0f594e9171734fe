//===- SplitReductions.cpp - reductions of small windows ------------------===//
//
// Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dialects/Loops/Transforms/Passes.h"
#include "dialects/Support/Builders.h"
#include "dialects/Support/NeutralElement.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

namespace gridir::loops {
#define GEN_PASS_DEF_LOOPSSPLITREDUCTIONSPASS
#include "dialects/Loops/Transforms/Passes.h.inc"
} // namespace gridir::loops

using namespace mlir;

namespace {

/// The most elements of a window along the rows, and the fewest windows side by
/// side. The order of a sum depends on them, so they are no property of a CPU.
constexpr int64_t kMostElements = 4, kFewestWindows = 16;

/// True if the body combines an element with a result by one op, so that
/// results can be combined by it, too.
bool hasOneCombiner(linalg::ReduceOp op) {
  Block &body = *op.getBody();
  return body.getOperations().size() == 2 &&
         llvm::all_of(body.getArguments(), [](BlockArgument argument) {
           return argument.hasOneUse();
         });
}

/// True if windows are short parts of rows, in one row or in several.
bool reducesWindows(linalg::ReduceOp op) {
  auto type = dyn_cast<RankedTensorType>(op.getInputs().front().getType());
  ArrayRef<int64_t> dims = op.getDimensions();
  if (!type || !type.hasStaticShape() || type.getRank() < 2)
    return false;
  int64_t columns = type.getRank() - 2, elements = type.getRank() - 1;
  return llvm::is_contained(dims, elements) &&
         !llvm::is_contained(dims, columns) &&
         type.getDimSize(elements) <= kMostElements &&
         type.getDimSize(columns) >= kFewestWindows;
}

linalg::ReduceOp createReduction(OpBuilder &b, linalg::ReduceOp like,
                                 Value input, Value init,
                                 ArrayRef<int64_t> dims) {
  auto result = linalg::ReduceOp::create(
      b, like.getLoc(), TypeRange(init.getType()), ValueRange(input),
      ValueRange(init), b.getDenseI64ArrayAttr(dims));
  IRMapping mapping;
  like.getCombiner().cloneInto(&result.getCombiner(), mapping);
  return result;
}

class LoopsSplitReductionsPass
    : public gridir::loops::impl::LoopsSplitReductionsPassBase<
          LoopsSplitReductionsPass> {
public:
  using LoopsSplitReductionsPassBase::LoopsSplitReductionsPassBase;

  void runOnOperation() override {
    SmallVector<linalg::ReduceOp> ops;
    getOperation()->walk([&](linalg::ReduceOp op) {
      if (reducesWindows(op))
        ops.push_back(op);
    });
    for (linalg::ReduceOp op : ops) {
      if (op.getDimensions().size() > 1) {
        std::optional<TypedAttr> neutral = gridir::getNeutralElement(op);
        if (op.getInputs().size() > 1 || !neutral || !hasOneCombiner(op))
          continue;
        op = split(op, *neutral);
      }
      unroll(op);
    }
  }

private:
  /// Returns the reduction of the elements of each window in one row.
  linalg::ReduceOp split(linalg::ReduceOp op, TypedAttr neutral) {
    OpBuilder b(op);
    Location loc = op.getLoc();
    auto type = cast<RankedTensorType>(op.getInputs().front().getType());
    ArrayRef<int64_t> rows = op.getDimensions().drop_back();
    SmallVector<int64_t> shape;
    for (auto [dim, size] : llvm::enumerate(type.getShape()))
      if (!llvm::is_contained(rows, static_cast<int64_t>(dim)))
        shape.push_back(size);
    Value zero = arith::ConstantOp::create(b, loc, neutral);
    Value empty = tensor::EmptyOp::create(b, loc, shape, type.getElementType());
    Value init =
        linalg::FillOp::create(b, loc, ValueRange(zero), ValueRange(empty))
            .getResult(0);
    auto ofRows = createReduction(b, op, op.getInputs().front(), init, rows);
    int64_t last = shape.size() - 1;
    auto ofElements = createReduction(b, op, ofRows.getResult(0),
                                      op.getInits().front(), {last});
    op.replaceAllUsesWith(ofElements.getResults());
    op.erase();
    ++numSplit;
    return ofElements;
  }

  /// Combines the first elements of all windows with the second ones, and so
  /// on.
  void unroll(linalg::ReduceOp op) {
    OpBuilder b(op);
    Location loc = op.getLoc();
    auto type = cast<RankedTensorType>(op.getInputs().front().getType());
    unsigned numValues = op.getInputs().size();
    int64_t rank = type.getRank() - 1, numElements = type.getDimSize(rank);
    SmallVector<Value> operands, empties;
    for (int64_t element = 0; element < numElements; ++element)
      for (Value input : op.getInputs())
        operands.push_back(takeElement(b, loc, input, element));
    for (Value init : op.getInits()) {
      auto result = cast<RankedTensorType>(init.getType());
      operands.push_back(init);
      empties.push_back(tensor::EmptyOp::create(b, loc, result.getShape(),
                                                result.getElementType()));
    }
    SmallVector<AffineMap> maps(operands.size() + numValues,
                                b.getMultiDimIdentityMap(rank));
    SmallVector<utils::IteratorType> kinds(rank, utils::IteratorType::parallel);
    auto combine = [&](OpBuilder &nested, Location, ValueRange arguments) {
      SmallVector<Value> combined(
          arguments.slice(numElements * numValues, numValues));
      for (int64_t element = 0; element < numElements; ++element) {
        IRMapping mapping;
        mapping.map(op.getBody()->getArguments().take_front(numValues),
                    arguments.slice(element * numValues, numValues));
        mapping.map(op.getBody()->getArguments().drop_front(numValues),
                    combined);
        for (Operation &part : op.getBody()->without_terminator())
          nested.clone(part, mapping);
        for (auto [value, yielded] : llvm::zip_equal(
                 combined, op.getBody()->getTerminator()->getOperands()))
          value = mapping.lookupOrDefault(yielded);
      }
      linalg::YieldOp::create(nested, loc, combined);
    };
    auto combined = linalg::GenericOp::create(
        b, loc, op->getResultTypes(), operands, empties, maps, kinds, combine);
    op.replaceAllUsesWith(combined.getResults());
    op.erase();
    ++numUnrolled;
  }

  /// The elements at one place of the last dimension.
  static Value takeElement(OpBuilder &b, Location loc, Value value,
                           int64_t place) {
    auto type = cast<RankedTensorType>(value.getType());
    int64_t size = type.getShape().back();
    auto expand = value.getDefiningOp<tensor::ExpandShapeOp>();
    if (expand && expand->hasOneUse() &&
        expand.getReassociationIndices().back().size() == 2)
      return takeEach(b, loc, expand.getSrc(), place, size);
    Value part = takeEach(b, loc, value, place, size);
    SmallVector<ReassociationIndices> groups;
    for (int64_t dim = 0; dim + 1 < type.getRank(); ++dim)
      groups.push_back({dim});
    groups.back().push_back(type.getRank() - 1);
    return tensor::CollapseShapeOp::create(b, loc, part, groups);
  }

  /// Each element of the last dimension whose number divided by `size` has a
  /// remainder. A value that is computed from others, and has no other use, is
  /// computed from their elements: all of it would need memory.
  static Value takeEach(OpBuilder &b, Location loc, Value value,
                        int64_t remainder, int64_t size) {
    auto type = cast<RankedTensorType>(value.getType());
    SmallVector<int64_t> shape(type.getShape());
    shape.back() /= size;
    Operation *op = value.getDefiningOp();
    auto constant = dyn_cast_if_present<arith::ConstantOp>(op);
    if (auto splat = constant ? dyn_cast<SplatElementsAttr>(constant.getValue())
                              : SplatElementsAttr())
      return arith::ConstantOp::create(b, loc,
                                       splat.resizeSplat(type.clone(shape)));
    bool isComputed = op && op->hasOneUse() && op->getNumResults() == 1 &&
                      OpTrait::hasElementwiseMappableTraits(op) &&
                      llvm::all_of(op->getOperands(), [&](Value operand) {
                        auto other =
                            dyn_cast<RankedTensorType>(operand.getType());
                        return other && other.getShape() == type.getShape();
                      });
    if (!isComputed) {
      SmallVector<OpFoldResult> offsets(type.getRank(), b.getIndexAttr(0)),
          strides(type.getRank(), b.getIndexAttr(1));
      offsets.back() = b.getIndexAttr(remainder);
      strides.back() = b.getIndexAttr(size);
      return tensor::ExtractSliceOp::create(
          b, loc, value, offsets, getAsIndexOpFoldResult(b.getContext(), shape),
          strides);
    }
    SmallVector<Value> operands;
    for (Value operand : op->getOperands())
      operands.push_back(takeEach(b, loc, operand, remainder, size));
    return gridir::createLike(b, op, operands, type.clone(shape))->getResult(0);
  }
};

} // namespace
