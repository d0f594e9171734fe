//===- TransferHoisting.cpp - accumulators in registers -------------------===//
//
// Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dialects/CPU/Transforms/TransferHoisting.h"

#include "dialects/Support/MemoryAccesses.h"

#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "mlir/Interfaces/ViewLikeInterface.h"
#include "mlir/Transforms/LoopInvariantCodeMotionUtils.h"
#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/MapVector.h"

using namespace mlir;

namespace {

/// A read and a write of the same elements of an array; the next iteration
/// reads the value that this one writes.
struct Accumulator {
  vector::TransferReadOp read;
  vector::TransferWriteOp write;
};

/// The accesses of one array in a loop.
struct Accesses {
  SmallVector<VectorTransferOpInterface> transfers;
  bool hasOthers = false;
};

/// The array that a memref is, or is a view of.
Value getArray(Value memref) {
  while (auto view = memref.getDefiningOp<ViewLikeOpInterface>()) {
    if (view.getViewDest() != memref)
      break;
    memref = view.getViewSource();
  }
  return memref;
}

/// The arrays that may have a name that is not a view of them: the results of a
/// branch, a loop or a select.
DenseSet<Value> collectRenamed(Operation *root) {
  DenseSet<Value> renamed;
  root->walk([&](Operation *op) {
    bool renames =
        op->hasTrait<OpTrait::IsTerminator>() ||
        llvm::any_of(op->getResultTypes(), llvm::IsaPred<MemRefType>);
    if (!renames || isa<ViewLikeOpInterface>(op))
      return;
    for (Value operand : op->getOperands())
      if (isa<MemRefType>(operand.getType()))
        renamed.insert(getArray(operand));
  });
  return renamed;
}

bool isInvariant(Operation *op, scf::ForOp loop) {
  return llvm::all_of(op->getOperands(), [&](Value operand) {
    return loop.isDefinedOutsideOfLoop(operand);
  });
}

/// True if the write stores to the elements that the read loads.
bool accessSameElements(vector::TransferReadOp read,
                        vector::TransferWriteOp write) {
  return read.getIndices() == write.getIndices() &&
         read.getVectorType() == write.getVectorType() &&
         read.getPermutationMap() == write.getPermutationMap() &&
         !read.getMask() && !write.getMask();
}

/// Hoists from one loop; the loops inside it are done.
class LoopHoisting {
public:
  LoopHoisting(scf::ForOp loop, const DenseSet<Value> &renamed,
               unsigned registers)
      : loop(loop), renamed(renamed), registers(registers) {
    loop.getBody()->walk([&](Operation *op) { addAccesses(op); });
  }

  void run() {
    // A call may access all memory whose address escaped.
    if (hasUnknownAccesses)
      return;
    if (hoistReads())
      moveLoopInvariantCode(loop);
    SmallVector<Accumulator> accumulators;
    for (auto &[array, accesses] : accessesOf)
      findAccumulators(array, accesses, accumulators);
    if (!accumulators.empty())
      carry(accumulators);
  }

private:
  void addAccesses(Operation *op) {
    if (isa<ViewLikeOpInterface>(op))
      return;
    hasUnknownAccesses |= llvm::any_of(
        gridir::getAccesses(op),
        [](const gridir::MemoryAccess &access) { return !access.memref; });
    for (Value operand : op->getOperands()) {
      if (!isa<MemRefType>(operand.getType()))
        continue;
      Value array = getArray(operand);
      auto [known, isNew] = accessesOf.try_emplace(operand);
      if (isNew)
        ++numNames[array];
      Accesses &accesses = known->second;
      auto transfer = dyn_cast<VectorTransferOpInterface>(op);
      if (transfer)
        accesses.transfers.push_back(transfer);
      else
        accesses.hasOthers = true;
      if (!isa<vector::TransferReadOp>(op) && !isMemoryEffectFree(op))
        written.insert(array);
    }
  }

  /// Moves reads of arrays that the loop does not write.
  bool hoistReads() {
    bool changed = false;
    for (auto read : llvm::make_early_inc_range(
             loop.getBody()->getOps<vector::TransferReadOp>())) {
      if (!isa<MemRefType>(read.getShapedType()) ||
          written.contains(getArray(read.getBase())) ||
          !isInvariant(read, loop))
        continue;
      loop.moveOutOfLoop(read);
      changed = true;
    }
    return changed;
  }

  void findAccumulators(Value array, const Accesses &accesses,
                        SmallVectorImpl<Accumulator> &found) {
    // Each transfer is compared with all others, and carried values beyond the
    // registers would be in memory again.
    Value root = getArray(array);
    if (accesses.hasOthers || numNames.lookup(root) > 1 ||
        renamed.contains(root) || accesses.transfers.size() > 2 * registers)
      return;
    for (VectorTransferOpInterface transfer : accesses.transfers) {
      auto read = dyn_cast<vector::TransferReadOp>(*transfer);
      if (!read || read->getBlock() != loop.getBody() ||
          !isInvariant(read, loop))
        continue;
      if (vector::TransferWriteOp write = findWrite(read, accesses))
        found.push_back({read, write});
    }
  }

  /// Returns the one write of the elements of `read`, if no other op accesses
  /// them.
  vector::TransferWriteOp findWrite(vector::TransferReadOp read,
                                    const Accesses &accesses) {
    auto isSameAccess = [&](VectorTransferOpInterface transfer) {
      auto write = dyn_cast<vector::TransferWriteOp>(*transfer);
      return write && write->getBlock() == loop.getBody() &&
             read->isBeforeInBlock(write) && accessSameElements(read, write);
    };
    auto known = llvm::find_if(accesses.transfers, isSameAccess);
    if (known == accesses.transfers.end())
      return {};
    for (VectorTransferOpInterface other : accesses.transfers)
      if (other != *known && other != read &&
          !vector::isDisjointTransferSet(*known, other,
                                         /*testDynamicValueUsingBounds=*/true))
        return {};
    return cast<vector::TransferWriteOp>(**known);
  }

  /// Carries the value of each accumulator through the loop.
  void carry(ArrayRef<Accumulator> accumulators) {
    SmallVector<Value> inits;
    for (Accumulator accumulator : accumulators) {
      loop.moveOutOfLoop(accumulator.read);
      inits.push_back(accumulator.read.getVector());
    }
    for (Accumulator accumulator : llvm::reverse(accumulators))
      accumulator.write->moveAfter(loop);
    IRRewriter rewriter(loop.getContext());
    auto yields = [&](OpBuilder &, Location, ArrayRef<BlockArgument>) {
      return llvm::map_to_vector<4>(accumulators, [](Accumulator accumulator) {
        return Value(accumulator.write.getValueToStore());
      });
    };
    FailureOr<LoopLikeOpInterface> carrying =
        cast<LoopLikeOpInterface>(*loop).replaceWithAdditionalYields(
            rewriter, inits, /*replaceInitOperandUsesInLoop=*/true, yields);
    assert(succeeded(carrying) && "an scf.for carries any value");
    auto results = (*carrying)->getResults().take_back(accumulators.size());
    for (auto [accumulator, result] : llvm::zip_equal(accumulators, results)) {
      vector::TransferWriteOp write = accumulator.write;
      write.getValueToStoreMutable().assign(result);
    }
  }

  scf::ForOp loop;
  const DenseSet<Value> &renamed;
  unsigned registers;
  llvm::MapVector<Value, Accesses> accessesOf;
  /// The arrays that the loop writes, also through views.
  DenseSet<Value> written;
  /// By how many names the loop accesses an array: its own, and those of views.
  DenseMap<Value, unsigned> numNames;
  bool hasUnknownAccesses = false;
};

} // namespace

void gridir::cpu::hoistTransfers(Operation *root, unsigned registers) {
  SmallVector<LoopLikeOpInterface> loops;
  root->walk([&](LoopLikeOpInterface loop) { loops.push_back(loop); });
  DenseSet<Value> renamed = collectRenamed(root);
  for (LoopLikeOpInterface loop : loops) {
    moveLoopInvariantCode(loop);
    if (auto forOp = dyn_cast<scf::ForOp>(*loop))
      LoopHoisting(forOp, renamed, registers).run();
  }
}
