//===- Shares.cpp - Finer work items of some calls ------------------------===//
//
// Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dialects/Conversion/GridToLoops/Shares.h"

#include "dialects/Conversion/GridToLoops/Blocks.h"
#include "dialects/Grid/Analysis/InputSharing.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/Sequence.h"
#include "llvm/ADT/SetVector.h"

using namespace mlir;
using namespace gridir::grid;

namespace gridir {

Value createCount(OpBuilder &builder, Location loc, ValueRange gridSizes,
                  ArrayRef<unsigned> dims) {
  Value count = createIndex(builder, loc, 1);
  for (unsigned d : dims)
    count = arith::MulIOp::create(builder, loc, count, gridSizes[d]);
  return count;
}

Value createNonZero(OpBuilder &builder, Location loc, Value size) {
  return arith::MaxUIOp::create(builder, loc, size,
                                createIndex(builder, loc, 1));
}

static SmallVector<unsigned> getAllDims(KernelOp kernel) {
  return llvm::to_vector(llvm::seq<unsigned>(0, kernel.getRank()));
}

Value createRevisitTest(OpBuilder &builder, KernelLowering &lowering,
                        unsigned operandNumber) {
  Location loc = lowering.kernel.getLoc();
  SmallVector<unsigned> dims = getAllDims(lowering.kernel);
  if (lowering.testedDims.empty())
    return createOverlapTest(builder, lowering, operandNumber, dims);
  // A call requests fine-grained work items by a negative range. As an unsigned
  // number, a negative bound is larger than any other.
  Value count =
      createCount(builder, loc, lowering.gridSizes, lowering.parallelDims);
  Value isCoarse = arith::CmpIOp::create(
      builder, loc, arith::CmpIPredicate::ult, lowering.getFirstItem(), count);
  auto twice = scf::IfOp::create(builder, loc, builder.getI1Type(), isCoarse,
                                 /*withElseRegion=*/true);
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointToStart(twice.elseBlock());
  Value none = arith::ConstantIntOp::create(builder, loc, 0, 1);
  scf::YieldOp::create(builder, loc, none);
  builder.setInsertionPointToStart(twice.thenBlock());
  scf::YieldOp::create(
      builder, loc, createOverlapTest(builder, lowering, operandNumber, dims));
  return twice.getResult(0);
}

namespace {

/// Operands that share memory, and the dimensions along which programs differ
/// that may not see the same block.
struct TestedBlocks {
  llvm::SmallSetVector<unsigned, 2> operandNumbers;
  SmallVector<unsigned> dims;
};

SmallVector<TestedBlocks> collectTestedBlocks(const KernelLowering &lowering,
                                              const BlockTest &test) {
  KernelOp kernel = lowering.kernel;
  unsigned firstOutput = kernel.getNumIndexOperands() + kernel.getNumInputs();
  SmallVector<unsigned> dims(lowering.parallelDims);
  llvm::append_range(dims, lowering.testedDims);

  llvm::MapVector<unsigned, TestedBlocks> byMemory;
  for (auto [input, output] : kernel.getAliasPairs()) {
    // Read in place, a block must be read before any program writes it.
    unsigned operandNumber = input;
    if (getSharing(kernel, lowering.hazards, operandNumber).kind ==
            Sharing::InPlace &&
        !llvm::is_contained(test.operands, operandNumber))
      continue;
    TestedBlocks &blocks = byMemory[firstOutput + output];
    blocks.operandNumbers.insert(operandNumber);
    if (getSharing(kernel, lowering.hazards, operandNumber).kind !=
        Sharing::InPlace)
      blocks.dims = getAllDims(kernel);
  }
  auto isAliased = [&](unsigned operandNumber) {
    return llvm::any_of(kernel.getAliasPairs(),
                        [&](auto pair) { return pair.first == operandNumber; });
  };
  for (unsigned operandNumber : test.operands)
    if (!isAliased(operandNumber))
      byMemory[operandNumber].operandNumbers.insert(operandNumber);
  SmallVector<TestedBlocks> all;
  for (auto &[memory, blocks] : byMemory) {
    if (blocks.dims.empty())
      blocks.dims = dims;
    all.push_back(std::move(blocks));
  }
  return all;
}

} // namespace

void createShareCount(OpBuilder &builder, KernelLowering &lowering,
                      const BlockTest &test) {
  Location loc = lowering.kernel.getLoc();
  Value zero = createIndex(builder, loc, 0);
  Value isAsked = arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::slt,
                                        lowering.getFirstItem(), zero);
  auto branch = scf::IfOp::create(builder, loc, isAsked);
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointToStart(branch.thenBlock());
  Value overlaps = arith::ConstantIntOp::create(builder, loc, 0, 1);
  for (const TestedBlocks &blocks : collectTestedBlocks(lowering, test)) {
    Value next = createOverlapTest(
        builder, lowering, blocks.operandNumbers.getArrayRef(), blocks.dims);
    overlaps = arith::OrIOp::create(builder, loc, overlaps, next);
  }
  SmallVector<unsigned> dims(lowering.parallelDims);
  llvm::append_range(dims, lowering.testedDims);
  Value count = createCount(builder, loc, lowering.gridSizes, dims);
  Value shares = arith::SelectOp::create(builder, loc, overlaps, zero, count);
  memref::StoreOp::create(builder, loc, toI64(builder, loc, shares),
                          lowering.status, createIndex(builder, loc, 3));
  lowering.hasShares = true;
}

} // namespace gridir
