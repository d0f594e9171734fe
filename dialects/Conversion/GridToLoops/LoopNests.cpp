//===- LoopNests.cpp - Loops over the elements of an array ----------------===//
//
// Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dialects/Conversion/GridToLoops/LoopNests.h"

#include "dialects/Support/Builders.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;

void gridir::createLoopNest(
    OpBuilder &builder, Location loc, ArrayRef<int64_t> shape,
    function_ref<void(OpBuilder &, Location, ValueRange)> body) {
  Value zero = createIndex(builder, loc, 0), one = createIndex(builder, loc, 1);
  SmallVector<Value> lower(shape.size(), zero), step(shape.size(), one), upper;
  for (int64_t extent : shape)
    upper.push_back(createIndex(builder, loc, extent));
  scf::buildLoopNest(builder, loc, lower, upper, step, body);
}

Value gridir::extractAt(OpBuilder &builder, Location loc, Value tensor,
                        ValueRange indices) {
  return tensor::ExtractOp::create(builder, loc, tensor, indices);
}
