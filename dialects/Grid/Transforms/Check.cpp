//===- Check.cpp - Prove that a kernel does nothing wrong -----------------===//
//
// Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dialects/Grid/Transforms/Passes.h"

#include "dialects/Grid/Analysis/KernelChecks.h"
#include "mlir/IR/Remarks.h"
#include "llvm/Support/InterleavedRange.h"

namespace gridir::grid {
#define GEN_PASS_DEF_GRIDCHECKPASS
#include "dialects/Grid/Transforms/Passes.h.inc"
} // namespace gridir::grid

using namespace mlir;
using namespace gridir::grid;

static constexpr llvm::StringLiteral kChecks[] = {
    "in-bounds",   "written",  "no-revisit", "disjoint", "aliases",
    "initialized", "balanced", "padding",    "overflow"};

/// Returns the subject of a result, as the beginning of a sentence.
static std::string describe(const CheckResult &result) {
  return (result.check + " of " + result.subject).str();
}

namespace {

class GridCheckPass
    : public gridir::grid::impl::GridCheckPassBase<GridCheckPass> {
public:
  using GridCheckPassBase::GridCheckPassBase;

  void runOnOperation() override {
    KernelOp kernel = getOperation();
    for (const std::string &name : checks)
      if (!llvm::is_contained(kChecks, name)) {
        kernel.emitError() << "expected a check of grid-check, "
                           << llvm::interleaved(kChecks) << ", got " << name;
        return signalPassFailure();
      }
    // Copies of a target are not part of the author's kernel.
    BlockAccess access(kernel, /*copiesOverhang=*/false);
    SmallVector<CheckResult> results;
    if (isWanted("in-bounds"))
      llvm::append_range(results, checkInBounds(access));
    for (unsigned i = kernel.getNumIndexOperands() + kernel.getNumInputs(),
                  e = kernel.getNumOperandSpecs();
         i < e; ++i) {
      if (isWanted("written"))
        results.push_back(checkWritten(access, i));
      if (isWanted("no-revisit"))
        results.push_back(checkNoRevisit(access, i));
    }
    if (isWanted("disjoint"))
      llvm::append_range(results, checkDisjoint(access));
    if (isWanted("aliases"))
      llvm::append_range(results, checkAliases(access));
    if (isWanted("initialized"))
      llvm::append_range(results, checkInitialized(access));
    if (isWanted("balanced"))
      llvm::append_range(results, checkBalanced(kernel));
    if (isWanted("padding"))
      llvm::append_range(results, checkPadding(access));
    if (isWanted("overflow"))
      llvm::append_range(results, checkOverflow(kernel));

    SmallVector<Attribute> verdicts;
    bool isRefuted = false;
    for (const CheckResult &result : results) {
      verdicts.push_back(getAttr(result));
      report(result);
      if (result.verdict != CheckResult::refuted || !failOnRefuted)
        continue;
      isRefuted = true;
      InFlightDiagnostic diagnostic = emitError(result.loc)
                                      << "expected " << describe(result)
                                      << " to hold, but " << result.reason;
      if (result.writtenAt)
        diagnostic.attachNote(*result.writtenAt) << "it is written here";
    }
    kernel->setAttr(kChecksAttrName, ArrayAttr::get(&getContext(), verdicts));
    if (isRefuted)
      signalPassFailure();
  }

private:
  bool isWanted(StringRef check) const {
    return checks.empty() || llvm::is_contained(checks, check);
  }

  Attribute getAttr(const CheckResult &result) {
    Builder builder(&getContext());
    NamedAttrList entry;
    entry.set("check", builder.getStringAttr(result.check));
    entry.set("subject", builder.getStringAttr(result.subject));
    entry.set("verdict",
              builder.getStringAttr(stringifyVerdict(result.verdict)));
    if (!result.reason.empty())
      entry.set("reason", builder.getStringAttr(result.reason));
    if (!result.witness.empty())
      entry.set("program", builder.getDenseI64ArrayAttr(result.witness));
    if (result.element)
      entry.set("element", builder.getDenseI64ArrayAttr(*result.element));
    if (result.isProvedElsewhere)
      entry.set("targets", builder.getStrArrayAttr({"cpu", "gpu"}));
    if (recordLocations)
      entry.set("loc", LocationAttr(result.loc));
    if (recordLocations && result.writtenAt)
      entry.set("written_at", LocationAttr(*result.writtenAt));
    return entry.getDictionary(&getContext());
  }

  void report(const CheckResult &result) {
    auto opts = remark::RemarkOpts::name("check").category(getArgument());
    std::string reason = result.reason.empty() ? "" : ", " + result.reason;
    std::string text =
        describe(result) + ": " + stringifyVerdict(result.verdict).str();
    switch (result.verdict) {
    case CheckResult::proved:
      ++numProved;
      remark::passed(result.loc, opts) << text + reason;
      return;
    case CheckResult::unknown:
      ++numUnknown;
      remark::missed(result.loc, opts) << text + reason;
      return;
    case CheckResult::refuted:
      ++numRefuted;
      remark::failed(result.loc, opts) << text + reason;
      return;
    }
  }
};

} // namespace
