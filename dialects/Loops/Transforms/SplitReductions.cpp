//===- SplitReductions.cpp - reductions of small windows ------------------===//
//
// Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dialects/Loops/Transforms/Passes.h"
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

/// True if windows are short parts of rows, with several rows in each.
bool reducesWindows(linalg::ReduceOp op) {
  auto type = dyn_cast<RankedTensorType>(op.getInputs().front().getType());
  ArrayRef<int64_t> dims = op.getDimensions();
  if (!type || !type.hasStaticShape() || type.getRank() < 3 || dims.size() < 2)
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
      if (hasOneCombiner(op) && reducesWindows(op))
        ops.push_back(op);
    });
    for (linalg::ReduceOp op : ops)
      if (std::optional<TypedAttr> neutral = gridir::getNeutralElement(op))
        split(op, *neutral);
  }

private:
  void split(linalg::ReduceOp op, TypedAttr neutral) {
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
  }
};

} // namespace
