//===- RefOrigins.cpp - Where the Refs of a kernel are from ---------------===//
//
// Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dialects/Grid/Analysis/RefOrigins.h"

using namespace mlir;

namespace gridir::grid {

bool isRef(Value memref) {
  if (auto argument = dyn_cast<BlockArgument>(memref))
    return isa_and_nonnull<KernelOp, ScopedOp>(
        argument.getOwner()->getParentOp());
  return isa<RefViewOpInterface, BarrierSemaphoreOp>(memref.getDefiningOp());
}

LogicalResult verifyRefs(KernelOp kernel) {
  WalkResult result = kernel->walk([](Operation *op) {
    if (!isa_and_nonnull<GridDialect>(op->getDialect()))
      return WalkResult::advance();
    for (Value value : op->getOperands()) {
      if (!isa<BaseMemRefType>(value.getType()) || isRef(value))
        continue;
      Operation *owner = value.getDefiningOp();
      if (!owner)
        owner = value.getParentBlock()->getParentOp();
      op->emitError("expected a Ref of the kernel or a view of one, got a "
                    "memref of '")
          << owner->getName() << "'";
      return WalkResult::interrupt();
    }
    return WalkResult::advance();
  });
  return failure(result.wasInterrupted());
}

} // namespace gridir::grid
