//===- InputSharing.cpp - Inputs that share memory with an output ----------===//
//
// Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dialects/Grid/Analysis/InputSharing.h"

#include "llvm/ADT/SmallBitVector.h"

using namespace mlir;

namespace gridir::grid {
namespace {

bool seesEachBlockOnce(KernelOp kernel, unsigned operandNumber) {
  OperandAttr spec = kernel.getOperandSpec(operandNumber);
  auto map =
      kernel.getAffineIndexMap(operandNumber - kernel.getNumIndexOperands());
  if (!map)
    return false;
  SmallVector<BlockDimAttr> dims = spec.getBlockDims();
  llvm::SmallBitVector told(kernel.getRank());
  for (unsigned d = 0; d < dims.size(); ++d) {
    if (dims[d].getKind() != BlockKind::Blocked && !dims[d].isSqueezed())
      return false;
    if (auto dim = dyn_cast<AffineDimExpr>(map->getResult(d)))
      told.set(dim.getPosition());
  }
  for (unsigned d = 0; d < kernel.getRank(); ++d)
    if (!told.test(d) && kernel.getDim(d).getSize() != 1)
      return false;
  return true;
}

bool mayTestRevisits(KernelOp kernel, unsigned operandNumber) {
  // An affine map that could be proved injective would have been.
  if (kernel.getAffineIndexMap(operandNumber - kernel.getNumIndexOperands()))
    return false;
  return llvm::all_of(kernel.getOperandSpec(operandNumber).getBlockDims(),
                      [](BlockDimAttr dim) {
                        return dim.isSqueezed() ||
                               dim.getKind() == BlockKind::Blocked;
                      });
}

} // namespace

Sharing getSharing(KernelOp kernel, const RefHazards &hazards,
                   unsigned operandNumber) {
  unsigned firstOutput = kernel.getNumIndexOperands() + kernel.getNumInputs();
  if (operandNumber >= firstOutput)
    return {};
  Value ref = kernel.getBodyBlock()->getArgument(operandNumber);
  if (hazards.isWritten(ref))
    return {Sharing::CopiedWhole};
  Sharing sharing;
  for (auto [operand, output] : kernel.getAliasPairs()) {
    Value outputRef = kernel.getBodyBlock()->getArgument(firstOutput + output);
    if (operand != operandNumber || !hazards.isWritten(outputRef))
      continue;
    // Index maps read a prefetched scalar before every program.
    if (operandNumber < kernel.getNumIndexOperands())
      return {Sharing::CopiedWhole};
    if (!hazards.isRead(ref))
      continue;
    bool once = seesEachBlockOnce(kernel, operandNumber);
    if (!hazards.haveSameBlocks(ref, outputRef) ||
        (!once && !mayTestRevisits(kernel, operandNumber)))
      return {Sharing::CopiedWhole};
    if (hazards.mayReadAfterWrite(ref, outputRef))
      sharing.copiesBlocks = true;
    if (!once)
      sharing.kind = Sharing::CopiedIfRevisited;
  }
  return sharing;
}

Sharing::Kind getSharingOfInputs(KernelOp kernel, const RefHazards &hazards) {
  Sharing::Kind most = Sharing::InPlace;
  for (auto [operand, output] : kernel.getAliasPairs())
    most = std::max(most, getSharing(kernel, hazards, operand).kind);
  return most;
}

} // namespace gridir::grid
