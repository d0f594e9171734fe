//===- Miscompile.cpp - A pass that is wrong on purpose -------------------===//
//
// Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dialects/Test/Transforms/Passes.h"

#include "dialects/Test/Transforms/Slips.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Pass/PassRegistry.h"

namespace gridir::test {
#define GEN_PASS_DEF_TESTMISCOMPILEPASS
#include "dialects/Test/Transforms/Passes.h.inc"
} // namespace gridir::test

using namespace mlir;
using namespace gridir::test;

static const Slip *findSlip(StringRef name) {
  for (ArrayRef<Slip> slips : {getValueSlips(), getControlSlips()})
    for (const Slip &slip : slips)
      if (slip.name == name)
        return &slip;
  return nullptr;
}

namespace {

class TestMiscompilePass
    : public gridir::test::impl::TestMiscompilePassBase<TestMiscompilePass> {
public:
  using TestMiscompilePassBase::TestMiscompilePassBase;

  void getDependentDialects(DialectRegistry &registry) const override {
    OpPassManager passes(ModuleOp::getOperationName());
    if (succeeded(parsePassPipeline(mutated, passes, llvm::nulls())))
      passes.getDependentDialects(registry);
  }

  void runOnOperation() override {
    ModuleOp module = getOperation();
    OpPassManager passes(ModuleOp::getOperationName());
    if (failed(parsePassPipeline(mutated, passes)) ||
        failed(runPipeline(passes, module)))
      return signalPassFailure();
    const Slip *planted = findSlip(slip);
    if (!planted) {
      module.emitError("expected a known fault, got '") << slip << "'";
      return signalPassFailure();
    }
    unsigned seen = 0;
    WalkResult result = module.walk<WalkOrder::PreOrder>([&](Operation *op) {
      bool isChosen = isCandidate(op) && seen++ >= skip && planted->plant(op);
      return isChosen ? WalkResult::interrupt() : WalkResult::advance();
    });
    if (!result.wasInterrupted()) {
      module.emitError("expected an op for the fault '")
          << slip << "', got none";
      signalPassFailure();
    }
  }

private:
  bool isCandidate(Operation *op) {
    return op != getOperation() &&
           (only.empty() || op->getName().getStringRef() == only);
  }
};

} // namespace
