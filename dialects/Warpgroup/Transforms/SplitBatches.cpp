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
#include "dialects/Grid/Transforms/BlockResize.h"
#include "dialects/Grid/Transforms/ProgramSplit.h"
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

/// True if adjacent dimensions of `shape` make up those of `matrix`.
bool isCollapsible(ArrayRef<int64_t> shape, ArrayRef<int64_t> matrix) {
  return shape == matrix ||
         (shape.size() > matrix.size() &&
          getReassociationIndicesForCollapse(shape, matrix).has_value());
}

/// A tensor of the same elements with fewer dimensions, which `isCollapsible`
/// accepts.
Value collapse(OpBuilder &builder, Location loc, Value value,
               ArrayRef<int64_t> shape) {
  if (getShape(value) == shape)
    return value;
  auto groups = getReassociationIndicesForCollapse(getShape(value), shape);
  return tensor::CollapseShapeOp::create(
      builder, loc,
      RankedTensorType::get(shape, getElementTypeOrSelf(value.getType())),
      value, *groups);
}

/// An operand of a contraction.
struct Side {
  Value value;
  ArrayRef<int64_t> contract, batch;

  bool isFree(int64_t dim) const {
    return !llvm::is_contained(contract, dim) &&
           !llvm::is_contained(batch, dim);
  }

  /// The free dimensions but for the longest one.
  SmallVector<int64_t> getShorterFreeDims() const {
    SmallVector<int64_t> dims;
    std::optional<int64_t> longest;
    for (auto [dim, size] : llvm::enumerate(getShape(value))) {
      if (!isFree(dim) || size == 1)
        continue;
      dims.push_back(dim);
      if (!longest || size >= getShape(value)[*longest])
        longest = dim;
    }
    llvm::erase_if(dims, [&](int64_t dim) { return dim == longest; });
    return dims;
  }
};

/// The shape of a matrix, or of a vector if there is no free dimension, and its
/// dimension that is contracted.
struct MatrixShape {
  SmallVector<int64_t> shape;
  int64_t contract = 0;
};

/// Returns the matrix that has the elements of an operand in order; none if the
/// contracted dimensions are not adjacent, in order, and first or last.
/// Dimensions of one element may be anywhere.
std::optional<MatrixShape> getMatrixShape(const Side &side) {
  int64_t numFree = 1, depth = 1;
  bool isFirst = true, isLast = true, hasFree = false;
  SmallVector<int64_t> contract;
  for (int64_t dim : side.contract) {
    depth *= getShape(side.value)[dim];
    if (getShape(side.value)[dim] != 1)
      contract.push_back(dim);
  }
  if (!llvm::is_sorted(contract))
    return std::nullopt;
  for (auto [dim, size] : llvm::enumerate(getShape(side.value))) {
    if (!side.isFree(dim))
      continue;
    hasFree = true;
    numFree *= size;
    if (size == 1 || contract.empty())
      continue;
    isFirst &= static_cast<int64_t>(dim) > contract.back();
    isLast &= static_cast<int64_t>(dim) < contract.front();
  }
  // One element along a dimension lets both orders of a matrix be possible.
  SmallVector<MatrixShape, 2> candidates;
  if (!hasFree)
    candidates.push_back({{depth}, 0});
  if (hasFree && isLast)
    candidates.push_back({{numFree, depth}, 1});
  if (hasFree && isFirst)
    candidates.push_back({{depth, numFree}, 0});
  const auto *matrix =
      llvm::find_if(candidates, [&](const MatrixShape &candidate) {
        return isCollapsible(getShape(side.value), candidate.shape);
      });
  return matrix == candidates.end() ? std::nullopt : std::optional(*matrix);
}

class WarpgroupSplitBatchesPass
    : public warpgroup::impl::WarpgroupSplitBatchesPassBase<
          WarpgroupSplitBatchesPass> {
public:
  using WarpgroupSplitBatchesPassBase::WarpgroupSplitBatchesPassBase;

  void runOnOperation() override {
    KernelOp kernel = getOperation();
    SmallVector<DotOp> dots, others;
    kernel.getBodyRegion().walk(
        [&](DotOp dot) { (isOfMatrices(dot) ? others : dots).push_back(dot); });
    if ((dots.empty() && others.empty()) || gpu::isProgram(kernel) ||
        kernel.getNumDynamicDims() != 0 || kernel->hasAttr(kTasksAttrName))
      return markAllAnalysesPreserved();
    if (!dots.empty())
      split(kernel, dots);
    for (DotOp dot : dots)
      makeMatrices(dot);
    if (!others.empty())
      splitGroups(kernel, others);
    if (numSplit == 0 && numMatrices == 0)
      markAllAnalysesPreserved();
  }

private:
  static Side getLeft(DotOp dot) {
    return {dot.getLhs(), dot.getLhsContract(), dot.getLhsBatch()};
  }
  static Side getRight(DotOp dot) {
    return {dot.getRhs(), dot.getRhsContract(), dot.getRhsBatch()};
  }

  /// True for a contraction of matrices or vectors along one dimension.
  static bool isOfMatrices(DotOp dot) {
    return dot.getLhsBatch().empty() && dot.getLhsContract().size() == 1 &&
           getShape(dot.getLhs()).size() <= 2 &&
           getShape(dot.getRhs()).size() <= 2;
  }

  /// Gives each program one position of the batches, and of all free dimensions
  /// but the longest one of each operand, if programs of several are
  /// independent.
  void split(KernelOp kernel, ArrayRef<DotOp> dots) {
    BlockAxes axes(kernel, AxisUse::SplitGroups);
    // The positions of one group remain of an axis.
    llvm::SmallDenseSet<unsigned> seen;
    auto splitDim = [&](Value value, int64_t dim) {
      std::optional<unsigned> axis = axes.getAxis(value, dim);
      if (axis && seen.insert(*axis).second)
        splitAxis(kernel, axes, *axis, getShape(value)[dim]);
    };
    for (DotOp dot : dots) {
      for (int64_t dim : dot.getLhsBatch())
        splitDim(dot.getLhs(), dim);
      for (const Side &side : {getLeft(dot), getRight(dot)})
        for (int64_t dim : side.getShorterFreeDims())
          splitDim(side.value, dim);
    }
  }

  /// Gives each program one group of the rows or columns of a contraction of
  /// matrices, where dimensions of the first output, as those of heads and of
  /// positions, are reshaped to the rows.
  void splitGroups(KernelOp kernel, ArrayRef<DotOp> dots) {
    if (kernel.getNumOutputs() == 0)
      return;
    Value output = kernel.getOutputRefs().front();
    ArrayRef<int64_t> shape = cast<MemRefType>(output.getType()).getShape();
    if (llvm::count_if(shape, [](int64_t size) { return size != 1; }) <= 2)
      return;
    BlockAxes axes(kernel, AxisUse::SplitGroups);
    for (DotOp dot : dots) {
      auto type = dyn_cast<RankedTensorType>(dot.getType());
      for (int64_t dim = 0; type && dim < type.getRank(); ++dim) {
        std::optional<unsigned> axis = axes.getAxis(dot.getResult(), dim);
        std::optional<unsigned> groups =
            axis ? axes.findDim(output, *axis) : std::nullopt;
        if (groups && shape[*groups] < getShape(dot.getResult())[dim])
          splitAxis(kernel, axes, *axis, shape[*groups]);
      }
    }
  }

  /// Splits programs along an axis unless parts would differ.
  void splitAxis(KernelOp kernel, const BlockAxes &axes, unsigned axis,
                 int64_t parts) {
    bool isEven = llvm::all_of(axes.getValues(axis), [&](Value value) {
      return cast<ShapedType>(value.getType())
                     .getDimSize(*axes.findDim(value, axis)) %
                 parts ==
             0;
    });
    if (!isEven || mayOverhang(kernel, axes, axis))
      return;
    grid::splitProgram(kernel, axes, axis, parts, DimKind::Grid);
    ++numSplit;
  }

  /// True if positions of a block along an axis may be outside of the array,
  /// where they would be blocks of their own.
  static bool mayOverhang(KernelOp kernel, const BlockAxes &axes,
                          unsigned axis) {
    for (unsigned i = kernel.getNumIndexOperands();
         i < kernel.getNumOperandSpecs(); ++i) {
      Value ref = kernel.getBodyBlock()->getArgument(i);
      std::optional<unsigned> dim = axes.findDim(ref, axis);
      if (!dim)
        continue;
      OperandAttr spec = kernel.getOperandSpec(i);
      unsigned arrayDim = grid::findBlockDim(spec, *dim).arrayDim;
      BlockDimAttr block = spec.getBlockDims()[arrayDim];
      if (block.getKind() == BlockKind::Blocked &&
          spec.getArrayShape()[arrayDim] % block.getSize() != 0)
        return true;
    }
    return false;
  }

  /// Replaces a contraction whose batches have one element by one of matrices
  /// with the same elements.
  void makeMatrices(DotOp dot) {
    bool hasBatch = llvm::any_of(dot.getLhsBatch(), [&](int64_t dim) {
      return getShape(dot.getLhs())[dim] != 1;
    });
    std::optional<MatrixShape> lhs = getMatrixShape(getLeft(dot)),
                               rhs = getMatrixShape(getRight(dot));
    if (hasBatch || !lhs || !rhs)
      return;
    SmallVector<int64_t> shape;
    for (const MatrixShape &matrix : {*lhs, *rhs})
      if (matrix.shape.size() == 2)
        shape.push_back(matrix.shape[1 - matrix.contract]);
    // A product of all elements of both operands is a scalar.
    auto type = dyn_cast<RankedTensorType>(dot.getType());
    if (!type || shape.empty() || !isCollapsible(type.getShape(), shape))
      return;
    OpBuilder builder(dot);
    Location loc = dot.getLoc();
    auto product = cast<DotOp>(builder.clone(*dot));
    builder.setInsertionPoint(product);
    product.getLhsMutable().assign(
        collapse(builder, loc, dot.getLhs(), lhs->shape));
    product.getRhsMutable().assign(
        collapse(builder, loc, dot.getRhs(), rhs->shape));
    if (dot.getAcc())
      product.getAccMutable().assign(
          collapse(builder, loc, dot.getAcc(), shape));
    product.setLhsContract({lhs->contract});
    product.setRhsContract({rhs->contract});
    product.setLhsBatch({});
    product.setRhsBatch({});
    product.getResult().setType(
        RankedTensorType::get(shape, type.getElementType()));
    builder.setInsertionPoint(dot);
    Value result = product.getResult();
    if (type.getShape() != ArrayRef(shape))
      result = tensor::ExpandShapeOp::create(
          builder, loc, type, result,
          *getReassociationIndicesForCollapse(type.getShape(), shape));
    dot.replaceAllUsesWith(result);
    dot.erase();
    ++numMatrices;
  }
};

} // namespace
