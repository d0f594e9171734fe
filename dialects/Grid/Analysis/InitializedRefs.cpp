//===- InitializedRefs.cpp - Whether what is read was written -------------===//
//
// Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dialects/Grid/Analysis/CarriedState.h"
#include "dialects/Grid/Analysis/KernelChecks.h"
#include "dialects/Grid/Analysis/LoadedUses.h"
#include "dialects/Grid/Analysis/RefNames.h"
#include "dialects/Grid/Analysis/TaskPrograms.h"
#include "llvm/Support/FormatVariadic.h"

using namespace mlir;

namespace gridir::grid {

namespace {

/// A Ref that holds nothing at first.
struct FreshRef {
  BlockArgument ref;
  /// The dimensions along which it stays: what the program at 0 along all of
  /// them wrote is there afterwards.
  SmallVector<unsigned> dims;
  /// Whether concurrent programs write to it, too.
  bool isShared;
};

} // namespace

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
  for (BlockArgument ref : kernel.getOutputRefs())
    if (access.getAliasSet(ref.getArgNumber()).size() == 1)
      add(ref, [&](unsigned dim) {
        return !access.isIndexedBy(ref.getArgNumber(), dim);
      });
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

static bool isCopy(Operation *op) {
  auto access = dyn_cast<RefAccessOpInterface>(op);
  return access && access.isCopy();
}

SmallVector<CheckResult> checkInitialized(BlockAccess &access) {
  KernelOp kernel = access.getKernel();
  auto all = llvm::to_vector(llvm::seq<unsigned>(0, kernel.getRank()));
  SmallVector<int64_t> first(kernel.getRank(), 0);
  SmallVector<CheckResult> results;
  for (auto &[ref, dims, isShared] : getFreshRefs(access)) {
    CheckResult &result =
        results.emplace_back("initialized", getRefName(ref), ref.getLoc());
    auto findReads = [&, ref = Value(ref)](ArrayRef<unsigned> firstDims) {
      SmallVector<CarriedRead> reads =
          findReadsBeforeWrites(kernel, ref, firstDims);
      llvm::erase_if(reads,
                     [&](const CarriedRead &read) { return read.ref != ref; });
      return reads;
    };
    SmallVector<CarriedRead> reads = findReads({});
    if (reads.empty())
      continue;
    ProgramValues values(kernel);
    for (unsigned dim : all)
      values.restrictId(dim, Interval::constant(0));
    // What another program may have written before nobody refutes. To copy what
    // holds nothing is no fault before something depends on it.
    for (const CarriedRead &read : findReads(all))
      if (!isShared && read.certain && !isCopy(read.op) &&
          isCertainlyUsed(read.op, values))
        result.lower(CheckResult::refuted,
                     llvm::formatv("program {0} reads it before anything has "
                                   "written it",
                                   formatProgram(first))
                         .str(),
                     read.op->getLoc(), first);
    if (result.verdict == CheckResult::proved &&
        !(!dims.empty() && beginsAnew(kernel, ref, dims)))
      result.lower(CheckResult::unknown,
                   "it may be read before anything has written it",
                   reads.front().op->getLoc());
  }
  return results;
}

} // namespace gridir::grid
