//===- GridFolds.cpp - Folders of the grid dialect ---===//
//
// Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dialects/Grid/IR/Grid.h"

#include "mlir/IR/Builders.h"

using namespace mlir;
using namespace gridir::grid;

Operation *GridDialect::materializeConstant(OpBuilder &builder, Attribute value, Type type,
                                            Location loc) {
  return arith::ConstantOp::materialize(builder, value, type, loc);
}

OpFoldResult NumProgramsOp::fold(FoldAdaptor) {
  auto kernel = (*this)->getParentOfType<KernelOp>();
  std::optional<unsigned> dim = kernel ? kernel.findDim(getAxis()) : std::nullopt;
  if (!dim || kernel.getDim(*dim).isDynamic())
    return {};
  return IntegerAttr::get(getType(), kernel.getDim(*dim).getSize());
}

OpFoldResult SliceRefOp::fold(FoldAdaptor) {
  // Types are equal and the window is static, so it is the whole Ref.
  bool isWhole = getSource().getType() == getType() && getOffsets().empty() &&
                 llvm::all_of(getStrides(), [](int64_t stride) { return stride == 1; });
  return isWhole ? OpFoldResult(getSource()) : OpFoldResult();
}

OpFoldResult BitcastRefOp::fold(FoldAdaptor) {
  return getSource().getType() == getType() ? OpFoldResult(getSource()) : OpFoldResult();
}

OpFoldResult ReshapeRefOp::fold(FoldAdaptor) {
  return getSource().getType() == getType() ? OpFoldResult(getSource()) : OpFoldResult();
}

OpFoldResult TransposeRefOp::fold(FoldAdaptor) {
  for (auto [i, d] : llvm::enumerate(getPermutation()))
    if (static_cast<int64_t>(i) != d)
      return {};
  return getSource();
}
