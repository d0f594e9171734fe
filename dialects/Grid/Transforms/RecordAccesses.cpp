//===- RecordAccesses.cpp - Tell the race detector of accesses ------------===//
//
// Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dialects/Grid/Transforms/Passes.h"

#include "dialects/Grid/Analysis/TaskPrograms.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "llvm/ADT/TypeSwitch.h"

namespace gridir::grid {
#define GEN_PASS_DEF_GRIDRECORDACCESSESPASS
#include "dialects/Grid/Transforms/Passes.h.inc"
} // namespace gridir::grid

using namespace mlir;
using namespace gridir::grid;

/// What an op does to the memory of an operand; nothing where it has none.
static std::optional<AccessKind> getAccessKind(MemoryEffectOpInterface op,
                                               OpOperand &operand) {
  auto ref = dyn_cast<MemRefType>(operand.get().getType());
  if (!ref || isa<SemaphoreType>(ref.getElementType()))
    return std::nullopt;
  SmallVector<MemoryEffects::EffectInstance> effects;
  op.getEffects(effects);
  std::optional<AccessKind> kind;
  for (const MemoryEffects::EffectInstance &effect : effects) {
    if (effect.getEffectValue<OpOperand *>() != &operand)
      continue;
    if (isa<MemoryEffects::Write>(effect.getEffect()))
      kind = isa<AtomicRmwOp, AtomicCasOp>(*op) ? AccessKind::Atomic
                                                : AccessKind::Write;
    else if (isa<MemoryEffects::Read>(effect.getEffect()) && !kind)
      kind = AccessKind::Read;
  }
  return kind;
}

namespace {

class GridRecordAccessesPass
    : public gridir::grid::impl::GridRecordAccessesPassBase<
          GridRecordAccessesPass> {
public:
  using GridRecordAccessesPassBase::GridRecordAccessesPassBase;

  void runOnOperation() override {
    getOperation().getBodyRegion().walk([&](MemoryEffectOpInterface op) {
      // The runtime knows of copies, and when they run.
      if (isSchedulingPoint(op))
        return;
      for (OpOperand &operand : op->getOpOperands())
        if (std::optional<AccessKind> kind = getAccessKind(op, operand))
          record(op, operand.get(), *kind);
    });
  }

private:
  void record(Operation *op, Value ref, AccessKind kind) {
    OpBuilder builder(op);
    ValueRange indices;
    ArrayRef<int64_t> dims;
    Value mask;
    llvm::TypeSwitch<Operation *>(op).Case<GatherOp, ScatterOp>(
        [&](auto indexed) {
          indices = indexed.getIndices();
          dims = indexed.getDims();
          mask = indexed.getMask();
        });
    RecordAccessOp::create(builder, op->getLoc(), kind, ref, indices, dims,
                           mask);
    ++numRecorded;
  }
};

} // namespace
