//===- AccessRuns.cpp - Accesses of programs followed one by one ----------===//
//
// Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dialects/Grid/Analysis/AccessRuns.h"

#include "dialects/Grid/Analysis/CarriedState.h"
#include "dialects/Grid/Analysis/LoadedUses.h"
#include "dialects/Grid/IR/GridAsyncInterface.h"

using namespace mlir;

namespace gridir::grid {

/// The maximum number of boxes recorded for a Ref that is written in parts.
static constexpr size_t kMaxBoxes = 64;

void AccessRuns::addAccesses() {
  kernel.getBodyRegion().walk([&](Operation *op) {
    bool accesses =
        !isa<RefViewOpInterface, ViewLikeOpInterface>(op) &&
        llvm::any_of(op->getOperandTypes(), llvm::IsaPred<MemRefType>);
    // The waits decide when copies have arrived. The Refs of a scope are
    // uninitialized at each entry.
    if (accesses || isa<SemaphoreOpInterface, AsyncOpInterface, ScopedOp>(op))
      addRelevant(op);
  });
}

bool dependsOnNoElement(Operation *op) {
  if (auto scatter = dyn_cast<ScatterOp>(op))
    return !scatter.getAdd();
  auto changes = dyn_cast<SemaphoreOpInterface>(op);
  return changes &&
         llvm::all_of(
             changes.getSemaphoreChanges(), [](const SemaphoreChange &change) {
               return change.kind == SemaphoreChange::Wait && change.isOfCopy();
             });
}

bool AccessRuns::isWritten(Operation *op, Value ref) {
  auto effects = dyn_cast<MemoryEffectOpInterface>(op);
  return isa<MemRefType>(ref.getType()) &&
         (!effects || effects.getEffectOnValue<MemoryEffects::Write>(ref));
}

bool AccessRuns::mayRead(Operation *op, Value ref) {
  auto type = dyn_cast<MemRefType>(ref.getType());
  if (!type || isa<SyncTypeInterface>(type.getElementType()))
    return false;
  auto effects = dyn_cast<MemoryEffectOpInterface>(op);
  if (effects && !effects.getEffectOnValue<MemoryEffects::Read>(ref))
    return false;
  if (dependsOnNoElement(op))
    return false;
  auto isFalse = [&](const std::pair<Value, bool> &condition) {
    Number number = read(condition.first);
    return number && (*number != 0) != condition.second;
  };
  if (llvm::all_of(findLoadedUses(op), [&](const LoadedUse &use) {
        return llvm::any_of(use.conditions, isFalse);
      }))
    return false;
  Value condition = getReadCondition(op, ref);
  return !condition || !isFalse({condition, true});
}

SmallVector<RefRegion> AccessRuns::getWrites(Operation *op, bool later) {
  SmallVector<RefRegion> writes;
  auto access = dyn_cast<RefAccessOpInterface>(op);
  for (Value operand : op->getOperands()) {
    if (!access || !isWritten(op, operand) || !access.replacesAll(operand) ||
        arrivesLater(op, operand) != later)
      continue;
    for (RefRegion &region : getAccessedRegions(op, operand, values)) {
      if (!region.root || !region.box.exact)
        continue;
      if (std::optional<ElementBox> box = readBox(region.box, values))
        writes.push_back({region.root, std::move(*box)});
    }
  }
  return writes;
}

std::optional<AccessedElements>
AccessRuns::getElements(const RefRegion &region) {
  // An index outside the Ref is an error of its own, so the Ref bounds it.
  auto shape = cast<MemRefType>(region.root.getType()).getShape();
  ElementBox whole = ElementBox::whole(shape, kernel.getContext());
  std::optional<ConstantBox> hull = getConstantBox(whole);
  if (!hull)
    return std::nullopt;
  std::optional<ElementBox> box = readBox(region.box, values);
  if (box)
    if (std::optional<ConstantBox> ends = getConstantBox(*box))
      for (auto [limit, end] : llvm::zip_equal(*hull, *ends))
        limit = {std::max(limit.first, end.first),
                 std::min(limit.second, end.second)};
  return AccessedElements{box ? std::move(*box) : std::move(whole),
                          std::move(*hull)};
}

void AccessRuns::add(SmallVectorImpl<ElementBox> &boxes, ElementBox box) {
  if (!box.exact || boxes.size() >= kMaxBoxes ||
      llvm::any_of(
          boxes, [&](const ElementBox &outer) { return isInside(box, outer); }))
    return;
  boxes.push_back(std::move(box));
}

} // namespace gridir::grid
