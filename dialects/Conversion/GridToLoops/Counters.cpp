//===- Counters.cpp - Memory of semaphores --------------------------------===//
//
// Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A semaphore is a counter. The semaphore of a copy counts bytes, but XLA
// passes semaphores between kernels in 16 bits. The largest 16-bit value
// therefore stands for a sufficient count, so that no wait of a correct program
// blocks.
//
//===----------------------------------------------------------------------===//

#include "dialects/Conversion/GridToLoops/Counters.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"

using namespace mlir;
using namespace gridir::grid;

namespace gridir {
namespace {

constexpr unsigned kOperandBits = 16;
constexpr int64_t kLargest = (1 << (kOperandBits - 1)) - 1;
/// A count that no kernel reaches stands for the largest value that an operand
/// can hold.
constexpr int64_t kEnough = int64_t(1) << 62;

/// Stores `fn` of each element of `source` and `dest` to `dest`.
void createMap(OpBuilder &builder, Location loc, Value source, Value dest,
               function_ref<Value(OpBuilder &, Location, Value, Value)> fn) {
  unsigned rank = cast<MemRefType>(source.getType()).getRank();
  SmallVector<AffineMap> maps(2, builder.getMultiDimIdentityMap(rank));
  SmallVector<utils::IteratorType> iterators(rank,
                                             utils::IteratorType::parallel);
  linalg::GenericOp::create(
      builder, loc, source, dest, maps, iterators,
      [&](OpBuilder &builder, Location loc, ValueRange args) {
        linalg::YieldOp::create(builder, loc,
                                fn(builder, loc, args[0], args[1]));
      });
}

} // namespace

Type getOperandCounterType(MLIRContext *context) {
  return IntegerType::get(context, kOperandBits);
}

void createZeroCounters(OpBuilder &builder, Location loc, Value counters) {
  linalg::FillOp::create(builder, loc, createI64(builder, loc, 0), counters);
}

/// Adds the values of an operand to the 64-bit counters of a kernel.
static void addCountersFromOperand(OpBuilder &builder, Location loc,
                                   Value operand, Value counters) {
  createMap(
      builder, loc, operand, counters,
      [](OpBuilder &builder, Location loc, Value held, Value old) -> Value {
        Value count =
            arith::ExtSIOp::create(builder, loc, builder.getI64Type(), held);
        Value largest = createI64(builder, loc, kLargest);
        Value full = arith::CmpIOp::create(
            builder, loc, arith::CmpIPredicate::eq, count, largest);
        Value enough = createI64(builder, loc, kEnough);
        count = arith::SelectOp::create(builder, loc, full, enough, count);
        return arith::AddIOp::create(builder, loc, old, count);
      });
}

/// Others signal the counters of an output before and after
/// its own task runs, so that they stay in the array.
static Value createTaskCounters(OpBuilder &builder, KernelLowering &lowering,
                                unsigned operandNumber) {
  KernelOp kernel = lowering.kernel;
  unsigned firstOutput = kernel.getNumIndexOperands() + kernel.getNumInputs();
  Value array =
      lowering.function.getArgument(kernel.getNumDynamicDims() + operandNumber);
  bool isAliased = llvm::any_of(kernel.getAliasPairs(), [&](auto pair) {
    return operandNumber == pair.first ||
           operandNumber == firstOutput + pair.second;
  });
  if (operandNumber >= firstOutput && !isAliased)
    lowering.zeroedOperands.push_back(kernel.getNumDynamicDims() +
                                      operandNumber);
  if (operandNumber >= firstOutput || isAliased)
    return array;
  Value counters = lowering.allocateForTasks(
      kernel.getBodyBlock()->getArgument(operandNumber).getLoc(),
      cast<MemRefType>(array.getType()).getShape(), builder.getI64Type());
  // Another task may have signalled before.
  addCountersFromOperand(builder, kernel.getLoc(), array, counters);
  return counters;
}

Value createOperandCounters(OpBuilder &builder, KernelLowering &lowering,
                            unsigned operandNumber, ArrayRef<Value> arrays) {
  if (lowering.hasTasks())
    return createTaskCounters(builder, lowering, operandNumber);
  KernelOp kernel = lowering.kernel;
  Location loc = kernel.getLoc();
  unsigned firstOutput = kernel.getNumIndexOperands() + kernel.getNumInputs();
  Value array =
      lowering.function.getArgument(kernel.getNumDynamicDims() + operandNumber);
  Value counters;
  for (auto [operand, output] : kernel.getAliasPairs())
    if (operandNumber == firstOutput + output)
      counters = arrays[operand];
  if (!counters) {
    counters = lowering.allocate(
        kernel.getBodyBlock()->getArgument(operandNumber).getLoc(),
        cast<MemRefType>(array.getType()).getShape(), builder.getI64Type());
    createZeroCounters(builder, loc, counters);
    if (operandNumber < firstOutput)
      addCountersFromOperand(builder, loc, array, counters);
  }
  return counters;
}

void createOperandFromCounters(OpBuilder &builder, Location loc, Value counters,
                               Value operand) {
  createMap(builder, loc, counters, operand,
            [](OpBuilder &builder, Location loc, Value count, Value) -> Value {
              Value largest = createI64(builder, loc, kLargest);
              Value held = arith::MinSIOp::create(builder, loc, count, largest);
              return arith::TruncIOp::create(
                  builder, loc, getOperandCounterType(builder.getContext()),
                  held);
            });
}

} // namespace gridir
