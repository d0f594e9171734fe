//===- TPUElideChecks.cpp - Run-time checks that a proof makes needless ---===//
//
// Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dialects/Conversion/Passes.h"
#include "dialects/Conversion/TPUToGrid/Raising.h"
#include "dialects/Grid/Analysis/KernelChecks.h"
#include "dialects/TPU/IR/TPU.h"
#include "dialects/TPU/Transforms/GridRanges.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/Diagnostics.h"
#include "mlir/IR/Remarks.h"

namespace gridir {
#define GEN_PASS_DEF_TPUELIDECHECKSPASS
#include "dialects/Conversion/Passes.h.inc"
} // namespace gridir

using namespace mlir;
using namespace gridir;
using grid::CheckResult;

namespace {

/// Why a check stays, and where; none where it is needless.
using Reason = std::optional<std::pair<std::string, Location>>;

/// The first result that is not proved.
Reason findUnproved(ArrayRef<CheckResult> results) {
  for (const CheckResult &result : results)
    if (result.verdict != CheckResult::proved)
      return std::pair(result.subject + ": " + result.reason, result.loc);
  return std::nullopt;
}

bool isSemaphore(Value ref) {
  auto type = dyn_cast<MemRefType>(ref.getType());
  return type && isa<grid::SemaphoreType>(type.getElementType());
}

Reason findUnbalanced(grid::KernelOp kernel) {
  // A semaphore that the kernel is given, somebody else signals or waits for.
  ArrayRef<BlockArgument> refs = kernel.getBodyBlock()->getArguments();
  for (BlockArgument ref : refs.drop_back(kernel.getNumScratch()))
    if (isSemaphore(ref))
      return std::pair(std::string("the kernel is given a semaphore"),
                       ref.getLoc());
  return findUnproved(grid::checkBalanced(kernel));
}

class TPUElideChecksPass
    : public gridir::impl::TPUElideChecksPassBase<TPUElideChecksPass> {
public:
  using TPUElideChecksPassBase::TPUElideChecksPassBase;

  void runOnOperation() override {
    ModuleOp module = getOperation();
    func::FuncOp kernel;
    for (auto function : module.getOps<func::FuncOp>())
      if (function->hasAttr(tpu::kCoreTypeName))
        kernel = function;
    if (!kernel)
      return;
    Reason bounds, semaphores;
    prove(kernel, bounds, semaphores);
    NamedAttrList checks;
    checks.set("bounds", describe(kernel, "bounds", bounds));
    checks.set("semaphore", describe(kernel, "semaphore", semaphores));
    module->setAttr(tpu::kRunTimeChecksName,
                    checks.getDictionary(&getContext()));
  }

private:
  /// What is asked is the module that Mosaic is given, and no kernel that it
  /// was made of.
  void prove(func::FuncOp kernel, Reason &bounds, Reason &semaphores) {
    auto module = kernel->getParentOfType<ModuleOp>();
    OwningOpRef<ModuleOp> copy = module.clone();
    Reason refusal;
    FailureOr<grid::KernelOp> raised;
    {
      ScopedDiagnosticHandler handler(
          &getContext(), [&](Diagnostic &diagnostic) {
            if (!refusal &&
                diagnostic.getSeverity() == DiagnosticSeverity::Error)
              refusal.emplace(diagnostic.str(), diagnostic.getLocation());
            return success();
          });
      raised = tpu_to_grid::readBack(*copy);
    }
    if (failed(raised)) {
      assert(refusal && "what fails says why");
      bounds = semaphores = refusal;
      return;
    }
    semaphores = findUnbalanced(*raised);
    // A TPU computes addresses in 32 bits, and the proof in as many as it
    // needs.
    if (Operation *op = tpu::findWrapping(kernel)) {
      bounds.emplace("arithmetic on indices may wrap around", op->getLoc());
      return;
    }
    // Of an index map the checks know what it gives, and not what it reads.
    if (Operation *op = tpu::findReadBeyond(kernel)) {
      bounds.emplace("an index map may read beyond a Ref", op->getLoc());
      return;
    }
    grid::BlockAccess access(*raised, /*copiesOverhang=*/false);
    bounds = findUnproved(grid::checkInBounds(access));
  }

  Attribute describe(func::FuncOp kernel, StringRef check,
                     const Reason &reason) {
    auto opts = remark::RemarkOpts::name(check).category(getArgument());
    if (!reason) {
      ++numElided;
      remark::passed(kernel.getLoc(), opts)
          << ("the " + check +
              " checks are switched off: nothing can fail them")
                 .str();
      return UnitAttr::get(&getContext());
    }
    ++numKept;
    remark::missed(reason->second, opts)
        << ("the " + check + " checks stay: " + reason->first).str();
    return StringAttr::get(&getContext(), reason->first);
  }
};

} // namespace
