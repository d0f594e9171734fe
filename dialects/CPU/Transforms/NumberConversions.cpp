//===- NumberConversions.cpp - Numbers of another type --------------------===//
//
// Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dialects/CPU/Transforms/NumberConversions.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/BuiltinTypes.h"

using namespace mlir;

Value gridir::cpu::convertNumber(OpBuilder &builder, Location loc, Value value,
                                 Type element, bool isUnsigned) {
  Type from = getElementTypeOrSelf(value);
  if (from == element)
    return value;
  Type type = element;
  if (auto vector = dyn_cast<VectorType>(value.getType()))
    type = vector.clone(element);
  bool isWider = from.getIntOrFloatBitWidth() > element.getIntOrFloatBitWidth();
  if (isa<FloatType>(element)) {
    if (isa<IntegerType>(from) && isUnsigned)
      return arith::UIToFPOp::create(builder, loc, type, value);
    if (isa<IntegerType>(from))
      return arith::SIToFPOp::create(builder, loc, type, value);
    if (isWider)
      return arith::TruncFOp::create(builder, loc, type, value);
    return arith::ExtFOp::create(builder, loc, type, value);
  }
  assert(isa<IntegerType>(from) && "a float cannot become an integer");
  if (isWider)
    return arith::TruncIOp::create(builder, loc, type, value);
  if (isUnsigned)
    return arith::ExtUIOp::create(builder, loc, type, value);
  return arith::ExtSIOp::create(builder, loc, type, value);
}
