//===- KernelOperands.cpp - The operands of a program in the grid ---------===//
//
// Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dialects/Conversion/GridToLoops/GridLoopBuilder.h"

#include "dialects/Conversion/GridToLoops/Async.h"
#include "dialects/Conversion/GridToLoops/Blocks.h"
#include "dialects/Conversion/GridToLoops/Counters.h"
#include "dialects/Conversion/GridToLoops/LocalRefs.h"
#include "dialects/Conversion/GridToLoops/Shares.h"
#include "dialects/Grid/Analysis/BlockAccess.h"
#include "dialects/Grid/Analysis/GridParallelism.h"
#include "dialects/Grid/Analysis/InputSharing.h"
#include "dialects/Grid/Analysis/RefNames.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "llvm/ADT/SmallBitVector.h"

using namespace mlir;
using namespace gridir::grid;

namespace gridir {

FailureOr<Value> GridLoopBuilder::createOperand(unsigned operandNumber) {
  Value array =
      lowering.function.getArgument(kernel.getNumDynamicDims() + operandNumber);
  if (isa<SemaphoreType>(kernel.getOperandSpec(operandNumber).getElementType()))
    return createOperandCounters(builder, lowering, operandNumber, arrays);
  if (isEmptyArray(kernel.getOperandSpec(operandNumber).getArrayType())) {
    BlockArgument ref = kernel.getBodyBlock()->getArgument(operandNumber);
    auto type = cast<MemRefType>(ref.getType());
    return lowering.allocate(getNamedLoc(ref), type.getShape(),
                             type.getElementType());
  }
  Sharing sharing = getSharing(kernel, lowering.hazards, operandNumber);
  if (sharing.copiesBlocks)
    privateBlocks.insert(operandNumber);
  switch (sharing.kind) {
  case Sharing::InPlace:
    return array;
  case Sharing::CopiedIfRevisited:
    return createCopyIfRevisited(array, operandNumber);
  case Sharing::CopiedWhole: {
    Location loc =
        getNamedLoc(kernel.getBodyBlock()->getArgument(operandNumber));
    if (operandNumber >= kernel.getNumIndexOperands() ||
        lowering.parallelDims.empty())
      return createPrivateCopy(array, loc);
    prefetchedCopies.push_back({array, createCopyMemory(array, loc)});
    return prefetchedCopies.back().second;
  }
  }
  llvm_unreachable("all ways to share are handled");
}

/// A block that no program sees twice is read before it is written. Whether
/// there is one depends on the operands of the index map.
Value GridLoopBuilder::createCopyIfRevisited(Value source,
                                             unsigned operandNumber) {
  Value twice = createRevisitTest(builder, lowering, operandNumber);
  auto copied = scf::IfOp::create(
      builder, loc, twice,
      [&](OpBuilder &inner, Location loc) {
        OpBuilder::InsertionGuard guard(builder);
        builder.restoreInsertionPoint(inner.saveInsertionPoint());
        Value copy = createPrivateCopy(
            source,
            getNamedLoc(kernel.getBodyBlock()->getArgument(operandNumber)));
        scf::YieldOp::create(builder, loc, copy);
      },
      [&](OpBuilder &inner, Location loc) {
        scf::YieldOp::create(inner, loc, source);
      });
  return copied.getResult(0);
}

Value GridLoopBuilder::createCopyMemory(Value source, Location loc) {
  auto type = cast<MemRefType>(source.getType());
  return lowering.allocate(loc, type.getShape(), type.getElementType());
}

Value GridLoopBuilder::createPrivateCopy(Value source, Location loc) {
  Value copy = createCopyMemory(source, loc);
  createPrivateCopy(source, copy);
  return copy;
}

/// A copy is uninitialized wherever its source is.
void GridLoopBuilder::createPrivateCopy(Value source, Value copy) {
  linalg::CopyOp::create(builder, loc, source, copy);
  if (lowering.recordsAccesses())
    createMemoryTransfer(builder, loc, lowering, source, copy);
}

/// An output that shares memory and blocks with an input uses the same SSA
/// values as block indices, so that later passes recognize the alias.
SmallVector<Value> GridLoopBuilder::createIndicesOnce(unsigned operandNumber) {
  unsigned numIndex = kernel.getNumIndexOperands();
  unsigned numInputs = kernel.getNumInputs();
  for (auto [operand, output] : kernel.getAliasPairs())
    if (operandNumber == numIndex + numInputs + output &&
        lowering.hazards.haveSameBlocks(
            kernel.getBodyBlock()->getArgument(operand),
            kernel.getBodyBlock()->getArgument(operandNumber)))
      return blockIndices[operand];
  return blockIndices[operandNumber] =
             createBlockIndices(builder, lowering, operandNumber);
}

} // namespace gridir
