//===- CallOp.cpp - The call of a kernel ----------------------------------===//
//
// Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dialects/Grid/IR/Grid.h"

using namespace mlir;
using namespace gridir::grid;

LogicalResult CallOp::verifySymbolUses(SymbolTableCollection &symbols) {
  auto kernel =
      symbols.lookupNearestSymbolFrom<KernelOp>(*this, getKernelAttr());
  if (!kernel)
    return emitOpError("expected ")
           << getKernelAttr() << " to be a grid.kernel";
  if (getDynamicSizes().size() != kernel.getNumDynamicDims())
    return emitOpError("expected ")
           << kernel.getNumDynamicDims() << " dynamic grid sizes, got "
           << getDynamicSizes().size();
  if (getIndexOperands().size() != kernel.getNumIndexOperands())
    return emitOpError("expected ")
           << kernel.getNumIndexOperands() << " index operands, got "
           << getIndexOperands().size();
  SmallVector<Type> operandTypes = kernel.getCallOperandTypes();
  if (getNumOperands() != operandTypes.size())
    return emitOpError("expected ")
           << kernel.getNumInputs() << " inputs, got " << getInputs().size();
  unsigned numDynamic = kernel.getNumDynamicDims();
  for (auto [i, types] :
       llvm::enumerate(llvm::zip_equal(operandTypes, getOperandTypes())))
    if (failed(verifyCompatibleShape(std::get<0>(types), std::get<1>(types))) ||
        getElementTypeOrSelf(std::get<0>(types)) !=
            getElementTypeOrSelf(std::get<1>(types)))
      return emitOpError("expected ")
             << kernel.getOperandName(i - numDynamic) << " of "
             << std::get<0>(types) << ", got " << std::get<1>(types);
  SmallVector<Type> resultTypes = kernel.getCallResultTypes();
  if (getNumResults() != resultTypes.size())
    return emitOpError("expected ")
           << resultTypes.size() << " results, got " << getNumResults();
  for (auto [i, types] :
       llvm::enumerate(llvm::zip_equal(resultTypes, getResultTypes())))
    if (failed(verifyCompatibleShape(std::get<0>(types), std::get<1>(types))) ||
        getElementTypeOrSelf(std::get<0>(types)) !=
            getElementTypeOrSelf(std::get<1>(types)))
      return emitOpError("expected result ")
             << i << " of " << std::get<0>(types) << ", got "
             << std::get<1>(types);
  return success();
}
