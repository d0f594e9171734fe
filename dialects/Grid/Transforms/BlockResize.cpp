//===- BlockResize.cpp - Blocks of another size ---------------------------===//
//
// Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dialects/Grid/Transforms/BlockResize.h"

#include "dialects/Grid/Analysis/TaskPrograms.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "llvm/ADT/MapVector.h"

using namespace mlir;
using namespace gridir::grid;

bool gridir::grid::hasOnlyBlocks(KernelOp kernel) {
  if (kernel.getNumIndexOperands() != 0 || kernel.getNumOutputs() == 0 ||
      !kernel.getScratchRefs().empty() || kernel.getNumDynamicDims() != 0 ||
      kernel->hasAttr(kTasksAttrName))
    return false;
  return llvm::all_of(llvm::seq(kernel.getRank()), [&](unsigned dim) {
    return kernel.getDim(dim).getSize() == 1 ||
           kernel.getDimSemantics(dim) == DimSemantics::Parallel;
  });
}

/// Changes attributes of an op that repeat the shape of its result. `dims` has
/// the dimension of each array that changed.
static void
changeAttributes(Operation *op, Value result,
                 const llvm::SmallMapVector<Value, unsigned, 16> &dims) {
  ArrayRef<int64_t> shape = cast<ShapedType>(result.getType()).getShape();
  // A part has all positions along the axis, and may lack other dimensions.
  auto resizePart = [&](ArrayRef<int64_t> old, Value whole) {
    SmallVector<int64_t> sizes(old);
    sizes[dims.lookup(whole)] = shape[dims.lookup(result)];
    return sizes;
  };
  if (auto constant = dyn_cast<arith::ConstantOp>(op)) {
    auto splat = cast<SplatElementsAttr>(constant.getValue());
    constant.setValueAttr(
        splat.resizeSplat(cast<ShapedType>(result.getType())));
  } else if (auto expand = dyn_cast<tensor::ExpandShapeOp>(op)) {
    expand.setStaticOutputShape(shape);
  } else if (auto part = dyn_cast<tensor::ExtractSliceOp>(op)) {
    part.setStaticSizes(resizePart(part.getStaticSizes(), part.getSource()));
  } else if (auto insertion = dyn_cast<tensor::InsertSliceOp>(op)) {
    insertion.setStaticSizes(
        resizePart(insertion.getStaticSizes(), insertion.getResult()));
  } else if (auto slice = dyn_cast<SliceRefOp>(op)) {
    SmallVector<int64_t> sizes(slice.getSizes());
    unsigned kept = 0;
    for (auto [dim, length] : llvm::enumerate(sizes))
      if (!llvm::is_contained(slice.getDropped(), dim))
        length = shape[kept++];
    slice.setSizes(sizes);
  }
}

void gridir::grid::resizeValues(const BlockAxes &axes, unsigned axis,
                                function_ref<int64_t(int64_t)> getSize) {
  // A dimension that has one position is not found.
  llvm::SmallMapVector<Value, unsigned, 16> dims;
  for (Value value : axes.getValues(axis))
    dims.insert({value, *axes.findDim(value, axis)});
  for (auto [value, dim] : dims) {
    auto type = cast<ShapedType>(value.getType());
    SmallVector<int64_t> shape(type.getShape());
    shape[dim] = getSize(shape[dim]);
    value.setType(type.clone(shape));
  }
  for (auto [value, dim] : dims)
    if (Operation *op = value.getDefiningOp())
      changeAttributes(op, value, dims);
}

gridir::grid::BlockDimPlace gridir::grid::findBlockDim(OperandAttr spec,
                                                       unsigned refDim) {
  BlockDimPlace place;
  unsigned kept = 0;
  for (BlockDimAttr dim : spec.getBlockDims()) {
    if (!dim.isSqueezed() && kept++ == refDim)
      break;
    ++place.arrayDim;
    place.index += dim.getNumIndices();
  }
  return place;
}

void gridir::grid::resizeBlock(KernelOp kernel, unsigned operand,
                               unsigned arrayDim, int64_t size) {
  OperandAttr spec = kernel.getOperandSpec(operand);
  SmallVector<BlockDimAttr> block = spec.getBlockDims();
  block[arrayDim] = BlockDimAttr::get(kernel.getContext(),
                                      block[arrayDim].getKind(), size, 0, 0);
  kernel.setOperandSpec(
      operand, OperandAttr::get(kernel.getContext(), spec.getElementType(),
                                spec.getShape(), block, spec.getSpace(),
                                spec.getPipeline(), spec.getTransforms(),
                                spec.getOrigin(), /*indexTree=*/StringAttr()));
}
