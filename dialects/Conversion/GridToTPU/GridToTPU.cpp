//===- GridToTPU.cpp - From a grid kernel to a Mosaic module --------------===//
//
// Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dialects/Conversion/GridToTPU/Lowering.h"
#include "dialects/Conversion/Passes.h"
#include "dialects/Grid/IR/DiscardableAttrs.h"
#include "dialects/Grid/IR/SingleKernel.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlow.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

namespace gridir {
#define GEN_PASS_DEF_CONVERTGRIDTOTPUPASS
#include "dialects/Conversion/Passes.h.inc"
} // namespace gridir

using namespace mlir;
using namespace gridir;

namespace {

class ConvertGridToTPUPass
    : public gridir::impl::ConvertGridToTPUPassBase<ConvertGridToTPUPass> {
public:
  using ConvertGridToTPUPassBase::ConvertGridToTPUPassBase;

  void getDependentDialects(DialectRegistry &registry) const override {
    ConvertGridToTPUPassBase::getDependentDialects(registry);
    // Checks become assertions.
    registry.insert<cf::ControlFlowDialect>();
  }

  void runOnOperation() override {
    FailureOr<grid::KernelOp> kernel = grid::getSingleKernel(getOperation());
    if (failed(kernel))
      return signalPassFailure();
    if (!*kernel)
      return;
    if (failed(grid_to_tpu::buildFunctions(*kernel)))
      return signalPassFailure();
    keepOperands(*kernel);
    keepDisabledChecks(*kernel);
    kernel->erase();
  }

private:
  /// The arrays of the call are left on the module for the caller.
  void keepOperands(grid::KernelOp kernel) {
    NamedAttrList operands;
    operands.set("index", kernel.getIndexOperandsAttr());
    operands.set("inputs", kernel.getInputsAttr());
    operands.set("outputs", kernel.getOutputsAttr());
    if (std::optional<ArrayAttr> aliases = kernel.getAliases())
      operands.set("aliases", *aliases);
    if (ArrayAttr origins = kernel.getScratchOriginsAttr())
      operands.set("scratch_origins", origins);
    getOperation()->setAttr(grid::kOperandsAttrName,
                            operands.getDictionary(&getContext()));
  }

  /// The same applies to the run-time checks that the kernel disables.
  void keepDisabledChecks(grid::KernelOp kernel) {
    NamedAttrList checks;
    auto off = BoolAttr::get(&getContext(), false);
    ArrayAttr params = kernel.getParamsAttr();
    for (Attribute attr : params ? params.getValue() : ArrayRef<Attribute>()) {
      auto tpuParams = dyn_cast<grid::TpuParamsAttr>(attr);
      if (!tpuParams)
        continue;
      for (auto [name, disabled] :
           {std::pair("bounds", tpuParams.getDisableBoundsChecks()),
            std::pair("semaphore", tpuParams.getDisableSemaphoreChecks())})
        if (disabled && disabled.getValue())
          checks.set(name, off);
    }
    if (!checks.empty())
      getOperation()->setAttr(grid::kRunTimeChecksAttrName,
                              checks.getDictionary(&getContext()));
  }
};

} // namespace
