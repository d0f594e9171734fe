//===- SplitBatches.cpp - One contraction of matrices for each program ----===//
//
// Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dialects/Warpgroup/Transforms/Passes.h"

#include "dialects/GPU/Target/GPUTarget.h"
#include "dialects/Grid/Analysis/TaskPrograms.h"
#include "dialects/Warpgroup/Transforms/ProgramSplit.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Utils/ReshapeOpsUtils.h"

namespace gridir::warpgroup {
#define GEN_PASS_DEF_WARPGROUPSPLITBATCHESPASS
#include "dialects/Warpgroup/Transforms/Passes.h.inc"
} // namespace gridir::warpgroup

using namespace mlir;
using namespace gridir;
using namespace gridir::grid;

namespace {

ArrayRef<int64_t> getShape(Value value) {
  return cast<RankedTensorType>(value.getType()).getShape();
}

/// A tensor without dimensions of one element.
Value dropDims(OpBuilder &builder, Location loc, Value value,
               ArrayRef<int64_t> dropped) {
  SmallVector<int64_t> shape;
  for (auto [dim, size] : llvm::enumerate(getShape(value)))
    if (!llvm::is_contained(dropped, dim))
      shape.push_back(size);
  auto groups = getReassociationIndicesForCollapse(getShape(value), shape);
  return tensor::CollapseShapeOp::create(
      builder, loc,
      RankedTensorType::get(shape, getElementTypeOrSelf(value.getType())),
      value, *groups);
}

/// The numbers of dimensions once others are dropped.
SmallVector<int64_t> renumber(ArrayRef<int64_t> dims,
                              ArrayRef<int64_t> dropped) {
  return llvm::map_to_vector(dims, [&](int64_t dim) {
    return dim -
           llvm::count_if(dropped, [&](int64_t other) { return other < dim; });
  });
}

class WarpgroupSplitBatchesPass
    : public warpgroup::impl::WarpgroupSplitBatchesPassBase<
          WarpgroupSplitBatchesPass> {
public:
  using WarpgroupSplitBatchesPassBase::WarpgroupSplitBatchesPassBase;

  void runOnOperation() override {
    KernelOp kernel = getOperation();
    SmallVector<DotOp> dots;
    kernel.getBodyRegion().walk([&](DotOp dot) {
      if (!dot.getLhsBatch().empty())
        dots.push_back(dot);
    });
    if (dots.empty() || gpu::isProgram(kernel) ||
        kernel.getNumDynamicDims() != 0 || kernel->hasAttr(kTasksAttrName))
      return markAllAnalysesPreserved();
    split(kernel, dots);
    for (DotOp dot : dots)
      dropBatch(dot);
  }

private:
  /// Gives each program one position of a batch, if programs of several are
  /// independent.
  void split(KernelOp kernel, ArrayRef<DotOp> dots) {
    BlockAxes axes(kernel);
    for (DotOp dot : dots)
      for (int64_t dim : dot.getLhsBatch()) {
        // None for a batch that is split.
        std::optional<unsigned> axis = axes.getAxis(dot.getLhs(), dim);
        if (!axis)
          continue;
        warpgroup::splitProgram(kernel, axes, *axis, /*size=*/1,
                                getShape(dot.getLhs())[dim], DimKind::Grid);
        ++numSplit;
      }
  }

  /// Replaces a contraction whose batches have one element by one of matrices.
  void dropBatch(DotOp dot) {
    ArrayRef<int64_t> lhsBatch = dot.getLhsBatch(),
                      rhsBatch = dot.getRhsBatch();
    if (llvm::any_of(lhsBatch, [&](int64_t dim) {
          return getShape(dot.getLhs())[dim] != 1;
        }))
      return;
    OpBuilder builder(dot);
    Location loc = dot.getLoc();
    Value lhs = dropDims(builder, loc, dot.getLhs(), lhsBatch),
          rhs = dropDims(builder, loc, dot.getRhs(), rhsBatch);
    auto type = cast<RankedTensorType>(dot.getType());
    ArrayRef<int64_t> shape = type.getShape().drop_front(lhsBatch.size());
    auto groups = getReassociationIndicesForCollapse(type.getShape(), shape);
    auto ofBatch = llvm::to_vector(llvm::seq<int64_t>(lhsBatch.size()));
    Value acc;
    if (dot.getAcc())
      acc = dropDims(builder, loc, dot.getAcc(), ofBatch);
    auto product = cast<DotOp>(builder.clone(*dot));
    product.getLhsMutable().assign(lhs);
    product.getRhsMutable().assign(rhs);
    if (acc)
      product.getAccMutable().assign(acc);
    product.setLhsContract(renumber(dot.getLhsContract(), lhsBatch));
    product.setRhsContract(renumber(dot.getRhsContract(), rhsBatch));
    product.setLhsBatch({});
    product.setRhsBatch({});
    product.getResult().setType(
        RankedTensorType::get(shape, type.getElementType()));
    dot.replaceAllUsesWith(tensor::ExpandShapeOp::create(
                               builder, loc, type, product.getResult(), *groups)
                               .getResult());
    dot.erase();
    ++numMatrices;
  }
};

} // namespace
