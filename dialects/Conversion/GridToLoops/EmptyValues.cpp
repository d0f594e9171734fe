//===- EmptyValues.cpp - Arrays without elements --------------------------===//
//
// Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// An array may have no elements. All accesses to such an array are erased,
// since they do nothing and LLVM has no type for its strides.
//
//===----------------------------------------------------------------------===//

#include "dialects/Conversion/GridToLoops/Lowering.h"

#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace gridir::grid;

namespace gridir {

bool isEmptyArray(Type type) {
  auto shaped = dyn_cast<ShapedType>(type);
  return shaped && shaped.hasStaticShape() && shaped.getNumElements() == 0;
}

/// True if an op does nothing, because its output has no elements.
static bool writesNothing(Operation *op) {
  return llvm::TypeSwitch<Operation *, bool>(op)
      .Case<StoreOp, AccumulateOp, ScatterOp>(
          [](auto write) { return isEmptyArray(write.getValue().getType()); })
      // The copy has no bytes, so neither the copy nor its wait is needed.
      .Case<CopyStartOp, CopyWaitOp>(
          [](auto copy) { return isEmptyArray(copy.getDest().getType()); })
      .Default(false);
}

/// Returns the replacements of the results of an op without elements: the
/// initial values of an empty loop, and the destination for the insertion of an
/// empty slice.
static SmallVector<Value> getUnchanged(Operation *op) {
  if (auto loops = dyn_cast<linalg::LinalgOp>(op))
    if (loops.hasPureTensorSemantics() &&
        llvm::is_contained(loops.getStaticLoopRanges(), 0))
      return llvm::to_vector_of<Value>(loops.getDpsInits());
  if (auto insert = dyn_cast<tensor::InsertSliceOp>(op))
    if (isEmptyArray(insert.getSourceType()))
      return {insert.getDest()};
  return {};
}

static bool hasOnlyEmptyResults(Operation *op) {
  return op->getNumResults() != 0 && !isa<tensor::EmptyOp>(op) &&
         llvm::all_of(op->getResultTypes(),
                      [](Type type) {
                        return isa<RankedTensorType>(type) &&
                               isEmptyArray(type);
                      }) &&
         (getLoadedValue(op) || isMemoryEffectFree(op));
}

void eraseEmptyAccesses(Operation *root) {
  SmallVector<Operation *> ops;
  root->walk([&](Operation *op) {
    if (op != root)
      ops.push_back(op);
  });
  // Nested ops come before the op that contains them.
  for (Operation *op : ops) {
    if (writesNothing(op)) {
      op->erase();
      continue;
    }
    SmallVector<Value> unchanged = getUnchanged(op);
    if (unchanged.empty() && hasOnlyEmptyResults(op)) {
      OpBuilder builder(op);
      for (Type type : op->getResultTypes()) {
        auto tensor = cast<RankedTensorType>(type);
        unchanged.push_back(tensor::EmptyOp::create(
            builder, op->getLoc(), tensor.getShape(), tensor.getElementType()));
      }
    }
    if (unchanged.empty())
      continue;
    op->replaceAllUsesWith(unchanged);
    op->erase();
  }
}

} // namespace gridir
