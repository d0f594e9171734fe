//===- BlockOverlap.cpp - Whether programs see the same block -------------===//
//
// Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dialects/Conversion/GridToLoops/Blocks.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/IRMapping.h"
#include "llvm/ADT/ScopeExit.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace gridir::grid;

namespace gridir {

SmallVector<Value> createBlockIndices(OpBuilder &builder,
                                      KernelLowering &lowering,
                                      unsigned operandNumber) {
  KernelOp kernel = lowering.kernel;
  Location loc = kernel.getLoc();
  unsigned rank = kernel.getRank();
  Block &source =
      kernel.getIndexMap(operandNumber - kernel.getNumIndexOperands()).front();
  IRMapping mapping;
  for (unsigned d = 0; d < rank; ++d) {
    Value arg = source.getArgument(d);
    Value id = lowering.programIds[d];
    mapping.map(arg, arith::IndexCastOp::create(builder, loc, arg.getType(), id)
                         .getResult());
  }
  for (auto [i, ref] : llvm::enumerate(lowering.indexRefs))
    mapping.map(source.getArgument(rank + i), ref);
  for (Operation &op : source.without_terminator())
    builder.clone(op, mapping);
  SmallVector<Value> indices;
  for (Value index : source.getTerminator()->getOperands())
    indices.push_back(mapping.lookupOrDefault(index));
  return indices;
}

namespace {

/// The number of blocks of an array along each dimension; 1 if they have no
/// elements.
SmallVector<int64_t> countBlocks(OperandAttr spec) {
  SmallVector<int64_t> counts;
  for (auto [extent, dim] :
       llvm::zip_equal(spec.getArrayShape(), spec.getBlockDims())) {
    int64_t size = dim.isSqueezed() ? 1 : dim.getSize();
    counts.push_back(
        size == 0 ? 1 : std::max<int64_t>(llvm::divideCeil(extent, size), 1));
  }
  return counts;
}

/// Returns the linear number of a block. A block outside of the array is
/// clamped to the nearest one; its use reports the error.
Value createBlockNumber(OpBuilder &builder, Location loc, ValueRange indices,
                        ArrayRef<int64_t> counts) {
  Value zero = createIndex(builder, loc, 0), block = zero;
  for (auto [index, count] : llvm::zip_equal(indices, counts)) {
    Value last = createIndex(builder, loc, count - 1);
    Value inside = arith::MinSIOp::create(
        builder, loc,
        arith::MaxSIOp::create(builder, loc, toIndex(builder, loc, index),
                               zero),
        last);
    Value whole = arith::MulIOp::create(builder, loc, block,
                                        createIndex(builder, loc, count));
    block = arith::AddIOp::create(builder, loc, whole, inside);
  }
  return block;
}

/// True if an index map reads the program id along a dimension.
bool isRead(KernelOp kernel, unsigned operandNumber, unsigned dim) {
  Region &map =
      kernel.getIndexMap(operandNumber - kernel.getNumIndexOperands());
  return !map.getArgument(dim).use_empty();
}

} // namespace

Value createOverlapTest(OpBuilder &builder, KernelLowering &lowering,
                        ArrayRef<unsigned> operandNumbers,
                        ArrayRef<unsigned> dims) {
  KernelOp kernel = lowering.kernel;
  Location loc = kernel.getLoc();
  SmallVector<int64_t> counts =
      countBlocks(kernel.getOperandSpec(operandNumbers.front()));
  // For each block, the last program that has seen it: its linear index along
  // the dimensions, counted from 1; 0 for none.
  Value seen = lowering.allocate(loc, {llvm::product_of(counts)},
                                 builder.getIndexType());
  Value zero = createIndex(builder, loc, 0), one = createIndex(builder, loc, 1);
  linalg::FillOp::create(builder, loc, zero, seen);

  OpBuilder::InsertionGuard guard(builder);
  SmallVector<Value> programIds(kernel.getRank(), zero);
  std::swap(programIds, lowering.programIds);
  auto restore = llvm::make_scope_exit(
      [&] { std::swap(programIds, lowering.programIds); });
  Value overlaps = arith::ConstantIntOp::create(builder, loc, 0, 1);
  Value self = zero;
  SmallVector<scf::ForOp> loops;
  for (unsigned d = 0; d < kernel.getRank(); ++d) {
    bool counts = llvm::is_contained(dims, d);
    // Along the others, all programs see the same blocks.
    if (!counts && llvm::none_of(operandNumbers, [&](unsigned operandNumber) {
          return isRead(kernel, operandNumber, d);
        }))
      continue;
    Value size = lowering.gridSizes[d];
    loops.push_back(scf::ForOp::create(builder, loc, zero, size, one,
                                       ValueRange(overlaps)));
    builder.setInsertionPointToStart(loops.back().getBody());
    Value id = loops.back().getInductionVar();
    lowering.programIds[d] = id;
    overlaps = loops.back().getRegionIterArg(0);
    if (counts)
      self = arith::AddIOp::create(
          builder, loc, arith::MulIOp::create(builder, loc, self, size), id);
  }
  self = arith::AddIOp::create(builder, loc, self, one);
  for (unsigned operandNumber : operandNumbers) {
    SmallVector<Value> indices =
        createBlockIndices(builder, lowering, operandNumber);
    Value block = createBlockNumber(builder, loc, indices, counts);
    Value other = memref::LoadOp::create(builder, loc, seen, block);
    memref::StoreOp::create(builder, loc, self, seen, block);
    auto compare = [&](Value with) {
      return arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::ne,
                                   other, with);
    };
    Value again =
        arith::AndIOp::create(builder, loc, compare(zero), compare(self));
    overlaps = arith::OrIOp::create(builder, loc, overlaps, again);
  }
  for (scf::ForOp loop : llvm::reverse(loops)) {
    builder.setInsertionPointToEnd(loop.getBody());
    scf::YieldOp::create(builder, loc, overlaps);
    overlaps = loop.getResult(0);
  }
  return overlaps;
}

} // namespace gridir
