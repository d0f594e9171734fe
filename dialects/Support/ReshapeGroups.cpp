//===- ReshapeGroups.cpp - The dimensions that reshapes join --------------===//
//
// Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dialects/Support/ReshapeGroups.h"

#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;

LogicalResult gridir::verifyReshapeGroups(Operation *root) {
  WalkResult result = root->walk([](Operation *op) {
    if (!isa<memref::CollapseShapeOp, memref::ExpandShapeOp,
             tensor::CollapseShapeOp, tensor::ExpandShapeOp>(op))
      return WalkResult::advance();
    int64_t next = 0;
    auto groups = op->getAttrOfType<ArrayAttr>("reassociation");
    for (auto group : groups.getAsRange<ArrayAttr>())
      for (auto dim : group.getAsRange<IntegerAttr>())
        if (dim.getInt() != next++) {
          op->emitOpError("expected groups of all dimensions in order, got ")
              << groups;
          return WalkResult::interrupt();
        }
    return WalkResult::advance();
  });
  return failure(result.wasInterrupted());
}
