//===- BlockReuse.cpp - Whether the next program sees the same block ------===//
//
// Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dialects/Conversion/GridToLoops/Blocks.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"

using namespace mlir;
using namespace gridir::grid;

namespace gridir {

bool mayReuseBlock(const KernelLowering &lowering, unsigned operandNumber) {
  KernelOp kernel = lowering.kernel;
  auto map =
      kernel.getAffineIndexMap(operandNumber - kernel.getNumIndexOperands());
  for (unsigned dim = kernel.getRank(); dim-- > 0;) {
    DimAttr size = kernel.getDim(dim);
    if (size.getSize() == 1 || llvm::is_contained(lowering.parallelDims, dim))
      continue;
    bool indexes =
        map && llvm::is_contained(map->getResults(),
                                  getAffineDimExpr(dim, kernel.getContext()));
    // In a fine-grained work item the id along such a dimension is constant.
    if (indexes && llvm::is_contained(lowering.testedDims, dim))
      continue;
    // The id along the innermost loop changes in each program, unless the loop
    // has only one program.
    return size.isDynamic() || !indexes;
  }
  return false;
}

Value createReuseTest(OpBuilder &builder, KernelLowering &lowering,
                      ValueRange indices) {
  Location loc = lowering.kernel.getLoc();
  // A word that is 0 in the first program, then the block indices of the
  // previous one.
  int64_t numWords = indices.size() + 1;
  Value last = lowering.allocate(loc, {numWords}, builder.getI64Type());
  OpBuilder atStart = OpBuilder::atBlockBegin(lowering.workItem);
  memref::StoreOp::create(atStart, loc, createI64(atStart, loc, 0), last,
                          createIndex(atStart, loc, 0));

  SmallVector<Value> words{createI64(builder, loc, 1)};
  for (Value index : indices)
    words.push_back(toI64(builder, loc, index));
  Value isSame;
  for (auto [i, word] : llvm::enumerate(words)) {
    Value position = createIndex(builder, loc, i);
    Value previous = memref::LoadOp::create(builder, loc, last, position);
    Value same = arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::eq,
                                       previous, word);
    isSame = isSame ? arith::AndIOp::create(builder, loc, isSame, same) : same;
    memref::StoreOp::create(builder, loc, word, last, position);
  }
  return isSame;
}

} // namespace gridir
