//===- EliminateRedundantReads.cpp - read once between two writes ---------===//
//
// Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dialects/Loops/Transforms/Passes.h"

#include "mlir/IR/OperationSupport.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "llvm/ADT/DenseSet.h"

namespace gridir::loops {
#define GEN_PASS_DEF_LOOPSELIMINATEREDUNDANTREADSPASS
#include "dialects/Loops/Transforms/Passes.h.inc"
} // namespace gridir::loops

using namespace mlir;

namespace {

/// Two ops are equal if they apply the same operation to the same operands.
struct SameOperation : DenseMapInfo<Operation *> {
  static unsigned getHashValue(const Operation *op) {
    return OperationEquivalence::computeHash(
        const_cast<Operation *>(op), OperationEquivalence::directHashValue,
        OperationEquivalence::ignoreHashValue,
        OperationEquivalence::IgnoreLocations);
  }

  static bool isEqual(const Operation *lhs, const Operation *rhs) {
    if (lhs == rhs)
      return true;
    if (llvm::is_contained({getEmptyKey(), getTombstoneKey()}, lhs) ||
        llvm::is_contained({getEmptyKey(), getTombstoneKey()}, rhs))
      return false;
    return OperationEquivalence::isEquivalentTo(
        const_cast<Operation *>(lhs), const_cast<Operation *>(rhs),
        OperationEquivalence::IgnoreLocations);
  }
};

class LoopsEliminateRedundantReadsPass
    : public gridir::loops::impl::LoopsEliminateRedundantReadsPassBase<
          LoopsEliminateRedundantReadsPass> {
public:
  void runOnOperation() override {
    for (Region &region : getOperation()->getRegions())
      eliminateIn(region);
  }

private:
  /// Returns true if an op in `region` may write memory.
  bool eliminateIn(Region &region) {
    bool writes = false;
    for (Block &block : region) {
      // Reads are equal where their indices are, which ops without effects
      // compute.
      DenseSet<Operation *, SameOperation> reads, pure;
      for (Operation &op : llvm::make_early_inc_range(block)) {
        if (eliminateAround(op)) {
          writes = true;
          reads.clear();
          continue;
        }
        if (op.getNumRegions() != 0 || op.hasTrait<OpTrait::IsTerminator>())
          continue;
        bool isPure = isMemoryEffectFree(&op);
        if (!isPure && !hasSingleEffect<MemoryEffects::Read>(&op))
          continue;
        auto [known, isNew] = (isPure ? pure : reads).insert(&op);
        if (isNew)
          continue;
        op.replaceAllUsesWith(*known);
        op.erase();
        if (!isPure)
          ++numEliminated;
      }
    }
    return writes;
  }

  /// Eliminates reads in the regions of `op`, and returns true if `op` or a
  /// nested op may write memory.
  bool eliminateAround(Operation &op) {
    bool writesInside = false;
    for (Region &region : op.getRegions())
      writesInside |= eliminateIn(region);
    bool isRecursive = op.hasTrait<OpTrait::HasRecursiveMemoryEffects>();
    auto interface = dyn_cast<MemoryEffectOpInterface>(op);
    if (!interface && !isRecursive)
      return true;
    SmallVector<MemoryEffects::EffectInstance> effects;
    if (interface)
      interface.getEffects(effects);
    // A new allocation has not been read before.
    bool writesItself =
        !llvm::all_of(effects, [](const MemoryEffects::EffectInstance &effect) {
          return isa<MemoryEffects::Read, MemoryEffects::Allocate>(
              effect.getEffect());
        });
    return writesItself || (isRecursive && writesInside);
  }
};

} // namespace
