//===- RecordAccesses.cpp - Record accesses for checks at run time --------===//
//
// Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dialects/Grid/Transforms/Passes.h"

#include "dialects/Grid/Analysis/BlockAccess.h"
#include "dialects/Grid/Analysis/LoadedUses.h"
#include "dialects/Grid/Analysis/TaskPrograms.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

namespace gridir::grid {
#define GEN_PASS_DEF_GRIDRECORDACCESSESPASS
#include "dialects/Grid/Transforms/Passes.h.inc"
} // namespace gridir::grid

using namespace mlir;
using namespace gridir::grid;

static bool isAtomic(Operation *op) {
  auto access = dyn_cast<RefAccessOpInterface>(op);
  return access && access.isAtomicAccess();
}

/// Returns the effect of an op on the memory of an operand; none if it has no
/// effect.
static std::optional<AccessKind> getAccessKind(MemoryEffectOpInterface op,
                                               OpOperand &operand) {
  auto ref = dyn_cast<MemRefType>(operand.get().getType());
  if (!ref || isa<SyncTypeInterface>(ref.getElementType()))
    return std::nullopt;
  SmallVector<MemoryEffects::EffectInstance> effects;
  op.getEffects(effects);
  std::optional<AccessKind> kind;
  for (const MemoryEffects::EffectInstance &effect : effects) {
    if (effect.getEffectValue<OpOperand *>() != &operand)
      continue;
    if (isa<MemoryEffects::Write>(effect.getEffect()))
      kind = isAtomic(op) ? AccessKind::Atomic : AccessKind::Write;
    else if (isa<MemoryEffects::Read>(effect.getEffect()) && !kind)
      kind = AccessKind::Read;
  }
  return kind;
}

/// Returns the Ref that contains a view, or null if it may be a part of several
/// Refs.
static BlockArgument getRoot(Value ref) {
  return dyn_cast<BlockArgument>(getViewRoot(ref));
}

/// True if a Ref is a part of one that is initially uninitialized: any except
/// those of arguments of the call.
static bool mayBeUnwritten(Value ref) {
  BlockArgument arg = getRoot(ref);
  if (!arg)
    return false;
  auto kernel = dyn_cast<KernelOp>(arg.getOwner()->getParentOp());
  return !kernel || arg.getArgNumber() >=
                        kernel.getNumIndexOperands() + kernel.getNumInputs();
}

namespace {

class GridRecordAccessesPass
    : public gridir::grid::impl::GridRecordAccessesPassBase<
          GridRecordAccessesPass> {
public:
  using GridRecordAccessesPassBase::GridRecordAccessesPassBase;

  void runOnOperation() override {
    getOperation().getBodyRegion().walk([&](MemoryEffectOpInterface op) {
      // The runtime itself records copies when they execute.
      if (isSchedulingPoint(op))
        return;
      for (OpOperand &operand : op->getOpOperands())
        if (std::optional<AccessKind> kind = getAccessKind(op, operand)) {
          if (op.getEffectOnValue<MemoryEffects::Read>(operand.get()) &&
              mayBeUnwritten(operand.get()))
            recordUses(op, operand.get());
          record(op, operand.get(), *kind);
        }
    });
  }

private:
  /// Records that something depends on the value that `op` reads, if it does:
  /// at the op itself, or after the conditions of selects.
  void recordUses(Operation *op, Value ref) {
    SmallVector<LoadedUse> uses = findLoadedUses(op);
    llvm::erase_if(uses, [](const LoadedUse &use) { return use.isPartial; });
    auto *always = llvm::find_if(
        uses, [](const LoadedUse &use) { return use.conditions.empty(); });
    if (always != uses.end()) {
      OpBuilder builder(op);
      createUse(builder, op->getLoc(), ref);
      return;
    }
    for (LoadedUse &use : uses) {
      OpBuilder builder(use.op);
      Value all;
      for (auto [condition, holds] : use.conditions) {
        Value term = condition;
        if (!holds)
          term = arith::XOrIOp::create(
              builder, op->getLoc(), condition,
              arith::ConstantIntOp::create(builder, op->getLoc(), 1, 1));
        all = all ? arith::AndIOp::create(builder, op->getLoc(), all, term)
                  : term;
      }
      scf::IfOp::create(builder, op->getLoc(), all,
                        [&](OpBuilder &builder, Location loc) {
                          createUse(builder, loc, ref);
                          scf::YieldOp::create(builder, loc);
                        });
    }
  }

  void createUse(OpBuilder &builder, Location loc, Value ref) {
    // Messages name no element of a Ref with only one.
    Value root = getRoot(ref);
    if (cast<MemRefType>(root.getType()).getRank() == 0)
      root = {};
    RecordAccessOp::create(builder, loc, AccessKind::Use, ref,
                           /*indices=*/ValueRange(), /*dims=*/{},
                           /*mask=*/Value(), root);
    ++numUses;
  }

  void record(Operation *op, Value ref, AccessKind kind) {
    OpBuilder builder(op);
    ValueRange indices;
    ArrayRef<int64_t> dims;
    Value mask;
    if (auto access = dyn_cast<RefAccessOpInterface>(op)) {
      indices = access.getAccessIndices();
      dims = access.getAccessDims();
      mask = access.getAccessMask();
    }
    auto record = RecordAccessOp::create(builder, op->getLoc(), kind, ref,
                                         indices, dims, mask, /*root=*/Value());
    if (Attribute copied = op->getDiscardableAttr(kCopiedAttrName))
      record->setDiscardableAttr(kCopiedAttrName, copied);
    ++numRecorded;
  }
};

} // namespace
