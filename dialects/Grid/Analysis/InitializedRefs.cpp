//===- InitializedRefs.cpp - Whether what is read was written -------------===//
//
// Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dialects/Grid/Analysis/AccessRuns.h"
#include "dialects/Grid/Analysis/CarriedState.h"
#include "dialects/Grid/Analysis/InitializedRuns.h"
#include "dialects/Grid/Analysis/InputSharing.h"
#include "dialects/Grid/Analysis/KernelChecks.h"
#include "dialects/Grid/Analysis/LoadedUses.h"
#include "dialects/Grid/Analysis/RefNames.h"
#include "dialects/Grid/Analysis/SharedRuns.h"
#include "dialects/Grid/Analysis/TaskPrograms.h"
#include "dialects/Grid/IR/GridAsyncInterface.h"
#include "dialects/Support/MemoryAccesses.h"
#include "llvm/Support/FormatVariadic.h"

using namespace mlir;

namespace gridir::grid {

namespace {

/// A Ref that is initially uninitialized.
struct FreshRef {
  BlockArgument ref;
  /// The dimensions along which it persists: stores of the program at 0 along
  /// all of them are visible afterwards.
  SmallVector<unsigned> dims;
  /// True if concurrent programs write to it, too.
  bool isShared;
  /// True if it is uninitialized only on a TPU: the block of an output that
  /// shares memory with an input.
  bool isAliased = false;
};

} // namespace

/// Collects the Refs that are initially uninitialized, each with the dimensions
/// along which its contents persist: an output along those that do not select
/// its block, scratch along all, and a Ref of a scope along none.
static SmallVector<FreshRef> getFreshRefs(BlockAccess &access) {
  KernelOp kernel = access.getKernel();
  SmallVector<FreshRef> refs;
  auto add = [&](BlockArgument ref, auto staysAlong,
                 ArrayAttr collective = {}) {
    auto type = cast<MemRefType>(ref.getType());
    if (isa<SyncTypeInterface>(type.getElementType()))
      return;
    SmallVector<unsigned> dims;
    for (unsigned dim = 0; dim < kernel.getRank(); ++dim)
      if (staysAlong(dim))
        dims.push_back(dim);
    refs.push_back(
        {ref, std::move(dims), isSharedByPrograms(kernel, type, collective)});
  };
  for (BlockArgument ref : kernel.getOutputRefs()) {
    unsigned operand = ref.getArgNumber();
    bool isAliased = access.getAliasSet(operand).size() > 1;
    if (isAliased && !hasWindows(kernel, operand))
      continue;
    size_t before = refs.size();
    add(ref, [&](unsigned dim) { return !access.isIndexedBy(operand, dim); });
    if (refs.size() > before)
      refs.back().isAliased = isAliased;
  }
  for (BlockArgument ref : kernel.getScratchRefs())
    add(ref, [](unsigned) { return true; });
  kernel.getBodyRegion().walk([&](ScopedOp scoped) {
    for (BlockArgument ref : scoped.getBody().getArguments())
      add(
          ref, [](unsigned) { return false; },
          scoped.getCollective().value_or(ArrayAttr()));
  });
  return refs;
}

/// True if programs of a CTA share memory.
static bool hasThreads(KernelOp kernel) {
  return llvm::any_of(llvm::seq(kernel.getRank()), [&](unsigned dim) {
    return kernel.getDim(dim).getKind() == DimKind::Thread;
  });
}

static bool isCopy(Operation *op) {
  auto access = dyn_cast<RefAccessOpInterface>(op);
  return access && access.isCopy();
}

/// The result for one Ref, as far as expressions of the ids decide it.
static CheckResult checkFreshRef(BlockAccess &access, const FreshRef &fresh) {
  KernelOp kernel = access.getKernel();
  BlockArgument ref = fresh.ref;
  CheckResult result("initialized", getRefName(ref), ref.getLoc());
  auto findReads = [&](ArrayRef<unsigned> firstDims) {
    SmallVector<CarriedRead> reads = findReadsBeforeWrites(
        kernel, Value(ref), firstDims, CopiesWrite::Never);
    llvm::erase_if(reads, [&](const CarriedRead &read) {
      return read.ref != ref || dependsOnNoElement(read.op);
    });
    return reads;
  };
  SmallVector<CarriedRead> reads = findReads({});
  if (reads.empty())
    return result;
  auto all = llvm::to_vector(llvm::seq<unsigned>(0, kernel.getRank()));
  SmallVector<int64_t> first(kernel.getRank(), 0);
  ProgramValues values(kernel);
  for (unsigned dim : all)
    values.restrictId(dim, Interval::constant(0));
  // A Ref that another program may have written before is not refuted. A copy
  // of uninitialized memory is not a fault until something depends on it.
  for (const CarriedRead &read : findReads(all))
    if (!fresh.isShared && read.certain && !isCopy(read.op) &&
        isCertainlyUsed(read.op, values))
      result.lower(CheckResult::refuted,
                   llvm::formatv("program {0} reads it before it is written",
                                 formatProgram(first))
                       .str(),
                   read.op->getLoc(), first);
  if (result.verdict == CheckResult::proved &&
      !(!fresh.dims.empty() &&
        beginsAnew(kernel, ref, fresh.dims, CopiesWrite::Never)))
    result.lower(CheckResult::unknown, "it may be read before it is written",
                 reads.front().op->getLoc());
  return result;
}

/// The first load of each Ref from the memory of another program: the order of
/// ops in this program does not show that it is written. Asynchronous ops read
/// operands of their own program.
static llvm::DenseMap<Value, Operation *> findReadsElsewhere(KernelOp kernel) {
  llvm::DenseMap<Value, Operation *> reads;
  kernel.getBodyRegion().walk([&](ProgramOpInterface op) {
    auto access = dyn_cast<RefAccessOpInterface>(op.getOperation());
    if (!access || !op.meetsOtherPrograms() || !op.isSchedulingPoint() ||
        isa<AsyncOpInterface>(op.getOperation()) || access.isCopy())
      return;
    for (const MemoryAccess &part : getAccesses(op))
      if (part.reads && part.memref &&
          (!part.writes || access.isAtomicAccess()))
        reads.try_emplace(getViewRoot(part.memref), op);
  });
  return reads;
}

/// True if no other program can wait for a copy in place of the one that starts
/// it.
static bool hasSeparatePrograms(KernelOp kernel) {
  bool meetsOthers = false;
  // Barriers are of one CTA, unlike semaphores.
  kernel.getBodyRegion().walk([&](ProgramOpInterface op) {
    meetsOthers |= op.meetsOtherPrograms() &&
                   llvm::any_of(op->getOperandTypes(), [](Type type) {
                     auto ref = dyn_cast<MemRefType>(type);
                     return ref && isa<SemaphoreType>(ref.getElementType());
                   });
  });
  return !meetsOthers &&
         llvm::none_of(llvm::seq(kernel.getRank()),
                       [&](unsigned dim) { return isMeshDim(kernel, dim); });
}

/// Adds the location of an early read to a result that is unknown. A read that
/// a copy may follow is refuted, since a copy may take any time.
static void judgeEarlyRead(KernelOp kernel, const EarlyRead &read,
                           CheckResult &result) {
  if (!read.op)
    return;
  result.loc = read.op->getLoc();
  if (!read.unawaited || isCopy(read.op) || !hasSeparatePrograms(kernel))
    return;
  ProgramValues values(kernel);
  for (auto [dim, id] : llvm::enumerate(*read.unawaited))
    values.restrictId(dim, Interval::constant(id));
  if (isCertainlyUsed(read.op, values))
    result.lower(CheckResult::refuted,
                 llvm::formatv("program {0} reads it before it waits for the "
                               "asynchronous write of its elements",
                               formatProgram(*read.unawaited))
                     .str(),
                 read.op->getLoc(), *read.unawaited);
}

SmallVector<CheckResult> checkInitialized(BlockAccess &access) {
  KernelOp kernel = access.getKernel();
  SmallVector<FreshRef> freshRefs = getFreshRefs(access);
  SmallVector<CheckResult> results;
  SmallVector<Value> open;
  for (const FreshRef &fresh : freshRefs) {
    results.push_back(checkFreshRef(access, fresh));
    // A Ref of a scope is uninitialized in each program, so that writes of
    // other programs prove nothing, and disprove nothing.
    bool isOfScope = isa<ScopedOp>(fresh.ref.getOwner()->getParentOp());
    if (results.back().verdict == CheckResult::unknown &&
        (!fresh.isShared || isOfScope))
      open.push_back(fresh.ref);
  }
  llvm::DenseMap<Value, EarlyRead> early;
  if (!open.empty())
    early = findRefsReadEarly(access, open);
  // Each simulation proves what it does not return.
  if (!early.empty() && hasThreads(kernel)) {
    llvm::DenseSet<Value> sharedEarly = findSharedRefsReadEarly(kernel, open);
    for (Value ref : open)
      if (!sharedEarly.contains(ref))
        early.erase(ref);
  }
  llvm::DenseMap<Value, Operation *> elsewhere = findReadsElsewhere(kernel);
  for (auto [fresh, result] : llvm::zip_equal(freshRefs, results)) {
    if (llvm::is_contained(open, fresh.ref)) {
      auto found = early.find(fresh.ref);
      if (found == early.end())
        result = CheckResult("initialized", getRefName(fresh.ref),
                             fresh.ref.getLoc());
      else
        judgeEarlyRead(kernel, found->second, result);
    }
    if (Operation *read = elsewhere.lookup(fresh.ref))
      result.lower(CheckResult::unknown,
                   "another program may read it before it is written",
                   read->getLoc());
    if (fresh.isAliased)
      result = judgeAliasedOutput(kernel, std::move(result),
                                  "its initial value is the aliased input");
  }
  return results;
}

} // namespace gridir::grid
