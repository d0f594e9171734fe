//===- Revisits.cpp - Does a grid see a block twice -----------------------===//
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
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace gridir::grid;

namespace gridir {

Value createRevisitTest(OpBuilder &builder, KernelLowering &lowering,
                        unsigned place, IndicesFn createIndices) {
  KernelOp kernel = lowering.kernel;
  Location loc = kernel.getLoc();
  OperandAttr spec = kernel.getOperandSpec(place);
  SmallVector<int64_t> counts;
  int64_t numBlocks = 1;
  for (auto [extent, dim] :
       llvm::zip_equal(spec.getArrayShape(), spec.getBlockDims())) {
    int64_t size = dim.isSqueezed() ? 1 : dim.getSize();
    counts.push_back(std::max<int64_t>(llvm::divideCeil(extent, size), 1));
    numBlocks *= counts.back();
  }

  // One byte for each block: whether a program has seen it.
  Value seen = lowering.allocate(loc, {numBlocks}, builder.getI8Type());
  Value unseen = arith::ConstantIntOp::create(builder, loc, 0, 8);
  linalg::FillOp::create(builder, loc, unseen, seen);

  OpBuilder::InsertionGuard guard(builder);
  SmallVector<Value> programIds = lowering.programIds;
  Value zero = createIndex(builder, loc, 0), one = createIndex(builder, loc, 1);
  Value twice = arith::ConstantIntOp::create(builder, loc, 0, 1);
  SmallVector<scf::ForOp> loops;
  for (unsigned d = 0; d < kernel.getRank(); ++d) {
    loops.push_back(scf::ForOp::create(
        builder, loc, zero, lowering.gridSizes[d], one, ValueRange(twice)));
    builder.setInsertionPointToStart(loops.back().getBody());
    lowering.programIds[d] = loops.back().getInductionVar();
    twice = loops.back().getRegionIterArg(0);
  }

  SmallVector<Value> indices = createIndices();
  lowering.programIds = programIds;
  // A block outside of the array is reported where it is used.
  Value block = zero;
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
  Value before = memref::LoadOp::create(builder, loc, seen, block);
  memref::StoreOp::create(builder, loc,
                          arith::ConstantIntOp::create(builder, loc, 1, 8),
                          seen, block);
  Value again = arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::ne,
                                      before, unseen);
  twice = arith::OrIOp::create(builder, loc, twice, again);
  for (scf::ForOp loop : llvm::reverse(loops)) {
    builder.setInsertionPointToEnd(loop.getBody());
    scf::YieldOp::create(builder, loc, twice);
    twice = loop.getResult(0);
  }
  return twice;
}

} // namespace gridir
