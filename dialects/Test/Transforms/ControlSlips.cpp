//===- ControlSlips.cpp - Wrong loops, memory and order -------------------===//
//
// Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dialects/Test/Transforms/Slips.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;
using namespace gridir::test;

namespace {

bool isNamed(Operation *op, ArrayRef<StringLiteral> names) {
  return llvm::is_contained(names, op->getName().getStringRef());
}

//===----------------------------------------------------------------------===//
// Loops and branches
//===----------------------------------------------------------------------===//

/// Leaves out the last iteration.
bool plantOffByOneBound(Operation *op) {
  auto loop = dyn_cast<scf::ForOp>(op);
  if (!loop)
    return false;
  OpBuilder builder(op);
  loop.setUpperBound(arith::SubIOp::create(
      builder, op->getLoc(), loop.getUpperBound(), loop.getStep()));
  return true;
}

/// Leaves out the first iteration.
bool plantOffByOneStart(Operation *op) {
  auto loop = dyn_cast<scf::ForOp>(op);
  if (!loop)
    return false;
  OpBuilder builder(op);
  loop.setLowerBound(arith::AddIOp::create(
      builder, op->getLoc(), loop.getLowerBound(), loop.getStep()));
  return true;
}

/// The loop keeps its initial value instead of the carried one.
bool plantLostUpdate(Operation *op) {
  auto loop = dyn_cast<scf::ForOp>(op);
  if (!loop || loop.getRegionIterArgs().empty())
    return false;
  loop.getBody()->getTerminator()->setOperand(0, loop.getRegionIterArg(0));
  return true;
}

bool plantNegatedBranch(Operation *op) {
  auto branch = dyn_cast<scf::IfOp>(op);
  if (!branch)
    return false;
  OpBuilder builder(op);
  Value all = arith::ConstantIntOp::create(builder, op->getLoc(), 1, 1);
  branch.getConditionMutable().assign(
      arith::XOrIOp::create(builder, op->getLoc(), branch.getCondition(), all));
  return true;
}

bool plantLostCondition(Operation *op) {
  auto branch = dyn_cast<scf::IfOp>(op);
  if (!branch)
    return false;
  OpBuilder builder(op);
  branch.getConditionMutable().assign(
      arith::ConstantIntOp::create(builder, op->getLoc(), 1, 1));
  return true;
}

//===----------------------------------------------------------------------===//
// Memory
//===----------------------------------------------------------------------===//

/// Leaves out an op that only writes.
bool plantLostStore(Operation *op) {
  static constexpr StringLiteral kNames[] = {
      "grid.store",   "linalg.copy",     "llvm.store",
      "memref.copy",  "memref.store",    "tpu.store",
      "vector.store", "grid.accumulate", "vector.transfer_write"};
  if (!isNamed(op, kNames) || op->getNumResults() != 0)
    return false;
  op->erase();
  return true;
}

/// Reads the element 0 along a dimension, whatever it is asked for.
bool plantLostIndex(Operation *op) {
  auto isIndex = [](Value value) {
    return value.getType().isIndex() && !matchPattern(value, m_Constant());
  };
  if (!isa<memref::LoadOp, vector::LoadOp, vector::TransferReadOp>(op))
    return false;
  auto operand = llvm::find_if(op->getOpOperands(), [&](OpOperand &operand) {
    return isIndex(operand.get());
  });
  if (operand == op->getOpOperands().end())
    return false;
  OpBuilder builder(op);
  operand->set(arith::ConstantIndexOp::create(builder, op->getLoc(), 0));
  return true;
}

/// The window of a program is that of the first one.
bool plantLostOffset(Operation *op) {
  auto view = dyn_cast<memref::SubViewOp>(op);
  if (!view || view.getOffsets().empty())
    return false;
  OpBuilder builder(op);
  view.getOffsetsMutable()[0].set(
      arith::ConstantIndexOp::create(builder, op->getLoc(), 0));
  return true;
}

bool plantExchangedIndices(Operation *op) {
  auto exchange = [](MutableOperandRange indices) {
    if (indices.size() < 2 || indices[0].get() == indices[1].get())
      return false;
    Value first = indices[0].get();
    indices[0].set(indices[1].get());
    indices[1].set(first);
    return true;
  };
  if (auto load = dyn_cast<memref::LoadOp>(op))
    return exchange(load.getIndicesMutable());
  auto store = dyn_cast<memref::StoreOp>(op);
  return store && exchange(store.getIndicesMutable());
}

/// Loads masked elements.
bool plantLostMask(Operation *op) {
  Value mask;
  if (auto load = dyn_cast<vector::MaskedLoadOp>(op))
    mask = load.getMask();
  else if (auto store = dyn_cast<vector::MaskedStoreOp>(op))
    mask = store.getMask();
  else if (auto masked = dyn_cast<vector::MaskOp>(op))
    mask = masked.getMask();
  if (!mask)
    return false;
  OpBuilder builder(op);
  auto all = DenseElementsAttr::get(cast<VectorType>(mask.getType()), true);
  op->replaceUsesOfWith(mask,
                        arith::ConstantOp::create(builder, op->getLoc(), all));
  return true;
}

//===----------------------------------------------------------------------===//
// Threads
//===----------------------------------------------------------------------===//

/// The barrier does not wait for the other threads.
bool plantLostBarrier(Operation *op) {
  static constexpr StringLiteral kNames[] = {
      "gpu.barrier",         "nvvm.barrier",          "nvvm.barrier0",
      "grid.semaphore_wait", "warpgroup.commit_smem", "warpgroup.mma_wait"};
  if (!isNamed(op, kNames) || op->getNumResults() != 0)
    return false;
  op->erase();
  return true;
}

/// Every block, or thread, takes itself for the first.
bool plantLostNumber(Operation *op) {
  if (!isa<gpu::BlockIdOp, gpu::ThreadIdOp>(op) &&
      !op->getName().getStringRef().starts_with("nvvm.read.ptx.sreg.ctaid"))
    return false;
  OpBuilder builder(op);
  Type type = op->getResult(0).getType();
  Value zero = arith::ConstantOp::create(builder, op->getLoc(), type,
                                         builder.getIntegerAttr(type, 0));
  op->replaceAllUsesWith(ValueRange(zero));
  op->erase();
  return true;
}

bool plantWrongShuffle(Operation *op) {
  auto shuffle = dyn_cast<gpu::ShuffleOp>(op);
  if (!shuffle)
    return false;
  shuffle.setMode(shuffle.getMode() == gpu::ShuffleMode::XOR
                      ? gpu::ShuffleMode::UP
                      : gpu::ShuffleMode::XOR);
  return true;
}

constexpr Slip kControlSlips[] = {
    {"off-by-one-bound", plantOffByOneBound},
    {"off-by-one-start", plantOffByOneStart},
    {"lost-update", plantLostUpdate},
    {"negated-branch", plantNegatedBranch},
    {"lost-condition", plantLostCondition},
    {"lost-store", plantLostStore},
    {"lost-index", plantLostIndex},
    {"lost-offset", plantLostOffset},
    {"exchanged-indices", plantExchangedIndices},
    {"lost-mask", plantLostMask},
    {"lost-barrier", plantLostBarrier},
    {"lost-number", plantLostNumber},
    {"wrong-shuffle", plantWrongShuffle},
};

} // namespace

ArrayRef<Slip> gridir::test::getControlSlips() { return kControlSlips; }
