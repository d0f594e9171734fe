//===- TPUToLoops.cpp - From a Mosaic module to a function with loops -----===//
//
// Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dialects/Conversion/Passes.h"
#include "dialects/Conversion/TPUToLoops/Raising.h"
#include "dialects/Grid/Transforms/Passes.h"
#include "dialects/TPU/Transforms/Passes.h"

#include "mlir/Dialect/Bufferization/IR/Bufferization.h"
#include "mlir/Dialect/Complex/IR/Complex.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Pass/PassManager.h"

namespace gridir {
#define GEN_PASS_DEF_CONVERTTPUTOLOOPSPASS
#include "dialects/Conversion/Passes.h.inc"
} // namespace gridir

using namespace mlir;
using namespace gridir;

namespace {

class ConvertTPUToLoopsPass
    : public gridir::impl::ConvertTPUToLoopsPassBase<ConvertTPUToLoopsPass> {
public:
  using ConvertTPUToLoopsPassBase::ConvertTPUToLoopsPassBase;

  void runOnOperation() override {
    ModuleOp module = getOperation();
    SmallVector<func::FuncOp> functions, kernels;
    for (auto function : module.getOps<func::FuncOp>()) {
      functions.push_back(function);
      if (function->hasAttr(tpu::kCoreTypeName))
        kernels.push_back(function);
    }
    if (kernels.empty())
      return;
    auto operands = module->getAttrOfType<DictionaryAttr>("gridir.operands");
    if (kernels.size() > 1 || !operands) {
      kernels.back().emitError("expected one kernel in a module with "
                               "gridir.operands, the arrays of the call");
      return signalPassFailure();
    }
    // What follows reads the grid, the windows and their transforms as the
    // contract has them.
    OpPassManager contract(ModuleOp::getOperationName());
    contract.addPass(tpu::createTPUCheckContractPass());
    if (failed(runPipeline(contract, module)))
      return signalPassFailure();
    // The name of the function is the kernel's.
    if (failed(tpu_to_loops::raiseKernel(kernels.front(), operands)))
      return signalPassFailure();
    for (func::FuncOp function : functions)
      function.erase();
    module->removeAttr("gridir.operands");
    OpPassManager pm(ModuleOp::getOperationName());
    OpPassManager &nested = pm.nest<grid::KernelOp>();
    nested.addPass(grid::createGridCanonicalizeIndexMapsPass());
    nested.addPass(grid::createGridInferDimensionSemanticsPass());
    pm.addPass(createConvertGridToLoopsPass());
    if (failed(runPipeline(pm, module)))
      return signalPassFailure();
  }
};

} // namespace
