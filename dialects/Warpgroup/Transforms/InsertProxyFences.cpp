//===- InsertProxyFences.cpp - Order threads before copies and products ---===//
//
// Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dialects/Warpgroup/Transforms/MemoryAccesses.h"
#include "dialects/Warpgroup/Transforms/Passes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/IR/Matchers.h"
#include "mlir/IR/Remarks.h"
#include "mlir/Interfaces/LoopLikeInterface.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/SmallBitVector.h"

namespace gridir::warpgroup {
#define GEN_PASS_DEF_WARPGROUPINSERTPROXYFENCESPASS
#include "dialects/Warpgroup/Transforms/Passes.h.inc"
} // namespace gridir::warpgroup

using namespace mlir;
using namespace gridir;
using namespace gridir::warpgroup;

namespace {

/// The accesses of an op to one memory.
SmallVector<MemoryAccess> getAccesses(Operation *op, Space memory) {
  SmallVector<MemoryAccess> accesses = getMemoryAccesses(op);
  llvm::erase_if(accesses, [&](const MemoryAccess &access) {
    return access.memory != memory;
  });
  return accesses;
}

//===----------------------------------------------------------------------===//
// The threads that run an op
//===----------------------------------------------------------------------===//

/// Filters `numbers` by a condition that may be true, or false, for them.
void narrow(llvm::SmallBitVector &numbers, Value condition, bool isTrue,
            function_ref<bool(Value)> isNumber) {
  if (auto both = condition.getDefiningOp<arith::AndIOp>(); both && isTrue) {
    narrow(numbers, both.getLhs(), isTrue, isNumber);
    narrow(numbers, both.getRhs(), isTrue, isNumber);
  }
  auto compare = condition.getDefiningOp<arith::CmpIOp>();
  APInt bound;
  if (!compare || !isNumber(compare.getLhs()) ||
      !matchPattern(compare.getRhs(), m_ConstantInt(&bound)))
    return;
  for (unsigned i : numbers.set_bits())
    if (arith::applyCmpPredicate(compare.getPredicate(),
                                 APInt(bound.getBitWidth(), i),
                                 bound) != isTrue)
      numbers.reset(i);
}

/// Returns the only one of `count` warpgroups, or warps, that runs an op inside
/// of `scope`, derived from the branches around the op.
std::optional<unsigned> getOnly(Operation *op, Operation *scope, unsigned count,
                                function_ref<bool(Value)> isNumber) {
  llvm::SmallBitVector numbers(count, true);
  for (Region *region = op->getParentRegion(); region->getParentOp() != scope;
       region = region->getParentRegion())
    if (auto branch = dyn_cast<scf::IfOp>(region->getParentOp()))
      narrow(numbers, branch.getCondition(), region == &branch.getThenRegion(),
             isNumber);
  if (numbers.count() != 1)
    return std::nullopt;
  return numbers.find_first();
}

//===----------------------------------------------------------------------===//
// The analysis
//===----------------------------------------------------------------------===//

/// Accesses by threads without a later fence: for each Ref the last read and
/// the last write.
class Unfenced {
public:
  struct Entry {
    Operation *reader = nullptr, *writer = nullptr;
  };

  void add(const MemoryAccess &access) {
    Entry &entry = entries[access.root];
    if (access.reads && !entry.reader)
      entry.reader = access.op;
    if (access.writes && !entry.writer)
      entry.writer = access.op;
  }

  /// True if the state changes.
  bool join(const Unfenced &other) {
    bool changed = false;
    for (auto &[root, entry] : other.entries) {
      Entry &mine = entries[root];
      auto take = [&](Operation *&op, Operation *theirs) {
        changed |= !op && theirs;
        op = op ? op : theirs;
      };
      take(mine.reader, entry.reader);
      take(mine.writer, entry.writer);
    }
    return changed;
  }

  /// The access by threads that must come before an asynchronous one, and the
  /// Ref that it is of; null where there is none. A load is one only where
  /// `countsLoads`.
  std::pair<Operation *, Value> findBefore(const MemoryAccess &access,
                                           bool countsLoads) const {
    for (auto &[root, entry] : entries) {
      if (!mayOverlap(root, access.root))
        continue;
      if (entry.writer)
        return {entry.writer, root};
      if (entry.reader && access.writes && countsLoads)
        return {entry.reader, root};
    }
    return {};
  }

  void clear() { entries.clear(); }
  bool empty() const { return entries.empty(); }

private:
  llvm::MapVector<Value, Entry> entries;
};

/// The reason why an op needs a fence before it.
struct Hazard {
  Operation *access = nullptr;
  Value root;
  Operation *async = nullptr;
};

/// The fences that a kernel needs for one memory.
class FenceAnalysis {
public:
  FenceAnalysis(grid::KernelOp kernel, Space memory)
      : kernel(kernel), memory(memory),
        numWarpgroups(getNumWarpgroups(kernel)) {
    kernel.getBodyRegion().walk([&](AsyncProxyOpInterface op) {
      llvm::append_range(asyncAccesses, getAccesses(op, memory));
    });
  }

  /// Finds the ops that need a fence before them, without those that another
  /// fence covers.
  void run() {
    if (asyncAccesses.empty())
      return;
    Unfenced unfenced;
    (void)visit(kernel.getBodyRegion(), unfenced, /*inserts=*/true);
    auto found = llvm::to_vector(fences);
    for (auto &[op, hazard] : llvm::reverse(found)) {
      fences.erase(op);
      Unfenced without;
      if (failed(visit(kernel.getBodyRegion(), without, /*inserts=*/false)))
        fences[op] = hazard;
    }
  }

  const llvm::MapVector<Operation *, Hazard> &getFences() const {
    return fences;
  }

private:
  /// Computes the unfenced accesses after a region from those before it.
  /// Inserts fences and succeeds, or fails if a fence is missing.
  LogicalResult visit(Region &region, Unfenced &unfenced, bool inserts) {
    for (Block &block : region)
      for (Operation &op : block)
        if (failed(visit(&op, unfenced, inserts)))
          return failure();
    return success();
  }

  /// Forward data-flow over one op. A fence clears the state, an access of
  /// threads is added to it, and an access of the async proxy to memory in the
  /// state requires a fence before it.
  LogicalResult visit(Operation *op, Unfenced &unfenced, bool inserts) {
    if (isFence(op) || fences.contains(op))
      unfenced.clear();
    Hazard hazard = findHazard(op, unfenced);
    if (hazard.access) {
      if (!inserts)
        return failure();
      fences[op] = hazard;
      unfenced.clear();
    }
    if (!isa<AsyncProxyOpInterface>(op))
      for (const MemoryAccess &access : getAccesses(op, memory))
        unfenced.add(access);
    if (op->getNumRegions() == 0)
      return success();
    if (isa<LoopLikeOpInterface, WarpsOp>(op))
      return visitRepeated(op, unfenced, inserts);
    // One of several regions runs; an empty region has no effect.
    Unfenced behind;
    for (Region &region : op->getRegions()) {
      Unfenced inside = unfenced;
      if (failed(visit(region, inside, inserts)))
        return failure();
      behind.join(inside);
    }
    unfenced = behind;
    return success();
  }

  /// A loop, or the code of warps. The fence for unfenced accesses before it
  /// precedes all of it: inside of a loop each iteration would execute it, and
  /// inside of a warp it would cover only accesses of that warp.
  LogicalResult visitRepeated(Operation *op, Unfenced &unfenced, bool inserts) {
    Unfenced inside;
    if (inserts)
      (void)visitBody(op, inside, /*inserts=*/true);
    inside = unfenced;
    if (failed(visitBody(op, inside, /*inserts=*/false))) {
      if (!inserts)
        return failure();
      fences[op] = missing;
      inside.clear();
      (void)visitBody(op, inside, /*inserts=*/false);
    }
    unfenced = inside;
    return success();
  }

  /// Iterates over the body of a loop until the accesses at its entry reach a
  /// fixed point, because an access at the end of an iteration may need a fence
  /// in the next one.
  LogicalResult visitBody(Operation *op, Unfenced &unfenced, bool inserts) {
    if (!isa<LoopLikeOpInterface>(op))
      return visit(op->getRegion(0), unfenced, inserts);
    // A `while` ends after its first region, other loops after the body, or
    // before it if there may be no iteration.
    bool isWhile = isa<scf::WhileOp>(op);
    Unfenced exit, entry = unfenced;
    if (!isWhile && !runsOnce(op))
      exit = entry;
    do {
      unfenced = entry;
      for (auto [i, region] : llvm::enumerate(op->getRegions())) {
        if (failed(visit(region, unfenced, inserts)))
          return failure();
        if (!isWhile || i == 0)
          exit.join(unfenced);
      }
    } while (entry.join(unfenced));
    unfenced = exit;
    return success();
  }

  /// True if a loop has at least one iteration.
  static bool runsOnce(Operation *op) {
    auto loop = dyn_cast<scf::ForOp>(op);
    std::optional<int64_t> begin, end;
    if (loop) {
      begin = getConstantIntValue(loop.getLowerBound());
      end = getConstantIntValue(loop.getUpperBound());
    }
    return begin && end && *begin < *end;
  }

  /// The access by threads after which an op needs a fence.
  Hazard findHazard(Operation *op, const Unfenced &unfenced) {
    if (unfenced.empty())
      return {};
    auto find = [&](const MemoryAccess &access, bool countsLoads) -> Hazard {
      auto [before, root] = unfenced.findBefore(access, countsLoads);
      Hazard hazard{before, root, access.op};
      if (before)
        missing = hazard;
      return hazard;
    };
    if (isa<AsyncProxyOpInterface>(op))
      for (const MemoryAccess &access : getAccesses(op, memory))
        if (Hazard hazard = find(access, /*countsLoads=*/true); hazard.access)
          return hazard;
    if (!signals(op))
      return {};
    // The threads that stored must execute the fence: threads that wait for
    // them do not know its effect. Loaded values are in registers when they
    // arrive.
    for (const MemoryAccess &access : asyncAccesses)
      if (mayRunElsewhere(access.op, op))
        if (Hazard hazard = find(access, /*countsLoads=*/false); hazard.access)
          return hazard;
    return {};
  }

  /// True if an op orders earlier accesses to the memory before copies.
  bool isFence(Operation *op) const {
    return memory == Space::Gmem ? isa<CommitGmemOp>(op)
                                 : isa<CommitSmemOp>(op);
  }

  /// True if others that wait for this program may continue after an op.
  bool signals(Operation *op) const {
    if (auto scope = dyn_cast<grid::ScopedOp>(op))
      return llvm::any_of(
          scope.getBody().getArguments(), [&](BlockArgument ref) {
            return memory == Space::Smem && getMemory(ref) == memory;
          });
    if (changesSemaphore(op, grid::SemaphoreChange::Signal))
      return true;
    // Another program may wait for the value.
    auto access = dyn_cast<grid::RefAccessOpInterface>(op);
    if (access && access.isAtomicAccess() && !isa<AsyncProxyOpInterface>(op))
      return true;
    auto program = dyn_cast<grid::ProgramOpInterface>(op);
    return program && program.meetsOtherPrograms() &&
           !isa<BarrierWaitOp, BarrierTestOp>(op);
  }

  /// True if an asynchronous access may belong to another warpgroup, warp or
  /// CTA than the one that executes `op`.
  bool mayRunElsewhere(Operation *async, Operation *op) {
    // All CTAs share global memory.
    if (cast<AsyncProxyOpInterface>(async).reachesOtherBlocks() ||
        (memory == Space::Gmem && hasOtherBlocks()))
      return true;
    if (numWarpgroups > 1) {
      auto isNumber = [&](Value value) {
        auto id = value.getDefiningOp<grid::ProgramIdOp>();
        std::optional<unsigned> dim =
            id ? kernel.findDim(id.getAxis()) : std::nullopt;
        return dim && kernel.getDim(*dim).getKind() == grid::DimKind::Thread &&
               kernel.getDim(*dim).getSize() == numWarpgroups;
      };
      auto only = getOnly(op, kernel, numWarpgroups, isNumber);
      if (!only || only != getOnly(async, kernel, numWarpgroups, isNumber))
        return true;
    }
    auto warps = op->getParentOfType<WarpsOp>();
    if (!warps || !warps->isProperAncestor(async))
      return false;
    auto isNumber = [&](Value value) {
      return value == warps.getBody().getArgument(0);
    };
    auto only = getOnly(op, warps, 4, isNumber);
    return !only || only != getOnly(async, warps, 4, isNumber);
  }

  bool hasOtherBlocks() {
    return llvm::any_of(
        kernel.getDims().getAsRange<grid::DimAttr>(), [](grid::DimAttr dim) {
          return dim.getKind() != grid::DimKind::Thread && dim.getSize() != 1;
        });
  }

  grid::KernelOp kernel;
  Space memory;
  int64_t numWarpgroups;
  SmallVector<MemoryAccess> asyncAccesses;
  llvm::MapVector<Operation *, Hazard> fences;
  /// The last access that was found.
  Hazard missing;
};

//===----------------------------------------------------------------------===//
// The pass
//===----------------------------------------------------------------------===//

class WarpgroupInsertProxyFencesPass
    : public warpgroup::impl::WarpgroupInsertProxyFencesPassBase<
          WarpgroupInsertProxyFencesPass> {
public:
  using WarpgroupInsertProxyFencesPassBase::WarpgroupInsertProxyFencesPassBase;

  void runOnOperation() override {
    FailureOr<grid::KernelOp> kernel =
        warpgroup::getSingleProgram(getOperation());
    if (failed(kernel))
      return signalPassFailure();
    if (!*kernel)
      return;
    for (Space memory : {Space::Smem, Space::Gmem}) {
      FenceAnalysis analysis(*kernel, memory);
      analysis.run();
      for (auto &[op, hazard] : analysis.getFences()) {
        OpBuilder builder(op);
        Location loc = hazard.async->getLoc();
        if (memory == Space::Gmem)
          CommitGmemOp::create(builder, loc);
        else
          CommitSmemOp::create(builder, loc);
        report(hazard, describe(hazard, *kernel, memory));
        ++numFences;
      }
    }
  }

private:
  static std::string describe(const Hazard &hazard, grid::KernelOp kernel,
                              Space memory) {
    auto argument = dyn_cast<BlockArgument>(hazard.root);
    Operation *owner = argument ? argument.getOwner()->getParentOp() : nullptr;
    if (memory == Space::Gmem)
      return (owner == kernel ? kernel.getRefName(argument.getArgNumber())
                              : "an array") +
             " in global memory, which this copies";
    auto scope = dyn_cast_if_present<grid::ScopedOp>(owner);
    return (scope ? scope.getRefName(argument.getArgNumber())
                  : "shared memory") +
           ", and no commit_smem comes before this";
  }

  void report(const Hazard &hazard, const std::string &reason) {
    std::string text = "proxy fence inserted: threads access " + reason;
    Location loc = hazard.async->getLoc();
    emitRemark(loc, text).attachNote(hazard.access->getLoc()) << "this access";
    remark::passed(loc,
                   remark::RemarkOpts::name("fence").category(getArgument()))
        << text;
  }
};

} // namespace
