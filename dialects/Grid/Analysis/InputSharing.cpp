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

bool hasWindows(KernelOp kernel, unsigned operandNumber) {
  if (llvm::is_contained(kernel.getOperandSpec(operandNumber).getArrayShape(),
                         0))
    return false;
  auto ref = cast<MemRefType>(
      kernel.getBodyBlock()->getArgument(operandNumber).getType());
  return !getSpace(ref).isOutsideOfCores();
}

/// The operand that shares memory with an operand of a kernel whose aliases are
/// in place.
static std::optional<unsigned> getPartner(KernelOp kernel,
                                          unsigned operandNumber) {
  if (kernel.getFunctionalAliases())
    return std::nullopt;
  unsigned firstOutput = kernel.getNumIndexOperands() + kernel.getNumInputs();
  for (auto [operand, output] : kernel.getAliasPairs()) {
    if (operand == operandNumber)
      return firstOutput + output;
    if (firstOutput + output == operandNumber)
      return operand;
  }
  return std::nullopt;
}

bool mayChangeByAlias(KernelOp kernel, const RefHazards &hazards,
                      unsigned operandNumber) {
  std::optional<unsigned> partner = getPartner(kernel, operandNumber);
  return partner &&
         hazards.isWritten(kernel.getBodyBlock()->getArgument(*partner));
}

Sharing getSharing(KernelOp kernel, const RefHazards &hazards,
                   unsigned operandNumber) {
  unsigned firstOutput = kernel.getNumIndexOperands() + kernel.getNumInputs();
  if (operandNumber >= firstOutput)
    return {};
  Value ref = kernel.getBodyBlock()->getArgument(operandNumber);
  std::optional<unsigned> partner = getPartner(kernel, operandNumber);
  // Index maps read a prefetched scalar before every program.
  if (operandNumber < kernel.getNumIndexOperands())
    partner = std::nullopt;
  bool changes = partner && mayChangeByAlias(kernel, hazards, operandNumber);
  // A store of the body to an input reaches the output in its memory, unless
  // the body also stores to that output.
  if (hazards.isWritten(ref))
    return {partner && !changes ? Sharing::InPlace : Sharing::CopiedWhole};
  if (partner) {
    // A window is filled before the program runs.
    Value outputRef = kernel.getBodyBlock()->getArgument(*partner);
    bool isFilledBefore = changes && hasWindows(kernel, operandNumber) &&
                          hazards.isRead(ref) &&
                          hazards.mayReadAfterWrite(ref, outputRef);
    return {Sharing::InPlace, isFilledBefore};
  }
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
