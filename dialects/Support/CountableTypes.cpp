//===- CountableTypes.cpp - Arrays that can be counted --------------------===//
//
// Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dialects/Support/CountableTypes.h"

#include "mlir/IR/BuiltinTypeInterfaces.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/Operation.h"

using namespace mlir;

bool gridir::isCountable(ArrayRef<int64_t> shape) {
  int64_t count = 1;
  for (int64_t extent : shape) {
    if (ShapedType::isDynamic(extent) || extent == 0)
      continue;
    if (extent > kMaxElements / count)
      return false;
    count *= extent;
  }
  return true;
}

bool gridir::areArraysOfNumbers(TypeRange types) {
  return llvm::all_of(types, [](Type type) {
    auto shaped = dyn_cast<ShapedType>(type);
    if (!shaped)
      return true;
    Type element = shaped.getElementType();
    return shaped.hasRank() && isCountable(shaped.getShape()) &&
           (element.isIntOrIndexOrFloat() || isa<ComplexType>(element));
  });
}

LogicalResult gridir::verifyCountableTypes(Operation *root) {
  // Few types have many values.
  llvm::SmallDenseSet<Type, 16> known;
  auto verify = [&](Operation *op, TypeRange types) -> LogicalResult {
    for (Type type : types) {
      auto shaped = dyn_cast<ShapedType>(type);
      if (!shaped || !shaped.hasRank() || !known.insert(type).second)
        continue;
      if (!isCountable(shaped.getShape()))
        return op->emitError("expected a type of at most ")
               << kMaxElements << " elements, got " << type;
    }
    return success();
  };
  WalkResult result = root->walk<WalkOrder::PreOrder>([&](Operation *op) {
    if (failed(verify(op, op->getResultTypes())))
      return WalkResult::interrupt();
    for (Region &region : op->getRegions())
      for (Block &block : region)
        if (failed(verify(op, block.getArgumentTypes())))
          return WalkResult::interrupt();
    return WalkResult::advance();
  });
  return failure(result.wasInterrupted());
}
