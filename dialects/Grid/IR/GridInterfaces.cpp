//===- GridInterfaces.cpp - What an op says of its part in a kernel -------===//
//
// Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dialects/Grid/IR/GridInterfaces.h"

#include "mlir/IR/BuiltinTypes.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "mlir/Interfaces/ViewLikeInterface.h"

using namespace mlir;

#include "dialects/Grid/IR/GridInterfaces.cpp.inc"
#include "dialects/Grid/IR/GridTypeInterfaces.cpp.inc"

namespace gridir::grid {

bool SemaphoreChange::isOfCopy() const {
  return isa<MemRefType>(amount.getType());
}

ProgramOrder getProgramOrder(Operation *op) {
  if (auto program = dyn_cast<ProgramOpInterface>(op))
    return program.getProgramOrder();
  if (op->hasTrait<OpTrait::HasRecursiveMemoryEffects>() ||
      isMemoryEffectFree(op))
    return {};
  auto effects = dyn_cast<MemoryEffectOpInterface>(op);
  if (!effects)
    return {ProgramOrder::Unknown, "its effects are unknown"};
  SmallVector<MemoryEffects::EffectInstance> instances;
  effects.getEffects(instances);
  bool onlyValues =
      llvm::all_of(instances, [](const MemoryEffects::EffectInstance &effect) {
        return effect.getValue() != nullptr;
      });
  if (onlyValues)
    return {};
  return {ProgramOrder::Unknown, "it has effects on memory outside of Refs"};
}

bool isSchedulingPoint(Operation *op) {
  auto program = dyn_cast<ProgramOpInterface>(op);
  return program && program.isSchedulingPoint();
}

Value getElementMask(Operation *op) {
  auto access = dyn_cast<RefAccessOpInterface>(op);
  return access ? access.getElementMask() : Value();
}

Value getLoadedValue(Operation *op) {
  auto access = dyn_cast<RefAccessOpInterface>(op);
  return access ? access.getLoadedValue() : Value();
}

SmallVector<Value> getViewSources(Value ref) {
  if (auto view = ref.getDefiningOp<RefViewOpInterface>())
    return llvm::to_vector(view.getViewSources());
  if (auto view = ref.getDefiningOp<ViewLikeOpInterface>())
    return {view.getViewSource()};
  return {};
}

Value getViewRoot(Value ref) {
  for (SmallVector<Value> sources = getViewSources(ref); sources.size() == 1;
       sources = getViewSources(ref))
    ref = sources.front();
  return ref;
}

} // namespace gridir::grid
