//===- LoopsTarget.cpp - targets of kernels as loops ----------------------===//
//
// Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dialects/Grid/Target/LoopsTarget.h"

using namespace mlir;

namespace gridir::grid {

bool LoopsTarget::isElementType(Type type) const {
  if (auto complex = dyn_cast<ComplexType>(type))
    return complex.getElementType().isF32() || complex.getElementType().isF64();
  if (auto integer = dyn_cast<IntegerType>(type))
    return llvm::is_contained({1u, 2u, 4u, 8u, 16u, 32u, 64u},
                              integer.getWidth());
  if (isa<FloatType>(type))
    return type.getIntOrFloatBitWidth() <= 64;
  return isa<SemaphoreType>(type);
}

LogicalResult LoopsTarget::checkBlocks(KernelOp kernel,
                                       unsigned operand) const {
  OperandAttr spec = kernel.getOperandSpec(operand);
  Location loc = kernel.getBodyBlock()->getArgument(operand).getLoc();
  std::string name = kernel.getOperandName(operand);
  if (!spec.getTransforms().empty())
    return emitError(loc) << "expected " << name
                          << " without block transforms, which " << getNoun()
                          << " does not apply, got "
                          << spec.getTransforms().front();
  for (auto [dim, block] : llvm::enumerate(spec.getBlockDims()))
    if (block.getKind() == BlockKind::Indirect)
      return emitError(loc) << "expected dimension " << dim << " of " << name
                            << " to be divided into consecutive elements, got "
                               "a gathered block";
  return success();
}

} // namespace gridir::grid
