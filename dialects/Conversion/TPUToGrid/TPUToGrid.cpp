//===- TPUToGrid.cpp - From a Mosaic module to a grid kernel --------------===//
//
//
// Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dialects/Conversion/Passes.h"
#include "dialects/Conversion/TPUToGrid/Raising.h"
#include "dialects/Grid/IR/DiscardableAttrs.h"
#include "dialects/TPU/Transforms/Contract.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/SCF/Transforms/Patterns.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

namespace gridir {
#define GEN_PASS_DEF_CONVERTTPUTOGRIDPASS
#include "dialects/Conversion/Passes.h.inc"
} // namespace gridir

using namespace mlir;
using namespace gridir;

namespace {

/// True if an op is legal in a grid kernel.
bool isRaised(Operation *op) {
  auto isOfKernel = [](Type type) {
    auto memref = dyn_cast<BaseMemRefType>(type);
    if (memref)
      return tpu_to_grid::isRefType(memref);
    return !isa<VectorType>(type);
  };
  if (!llvm::all_of(op->getOperandTypes(), isOfKernel) ||
      !llvm::all_of(op->getResultTypes(), isOfKernel))
    return false;
  if (isa_and_present<grid::GridDialect, linalg::LinalgDialect,
                      tensor::TensorDialect>(op->getDialect()) ||
      isa<scf::ForOp, scf::IfOp, scf::WhileOp, scf::IndexSwitchOp, scf::YieldOp,
          scf::ConditionOp>(op))
    return true;
  return op->getNumRegions() == 0 && isMemoryEffectFree(op) &&
         !isa_and_present<tpu::TPUDialect, memref::MemRefDialect>(
             op->getDialect());
}

FrozenRewritePatternSet makePatterns(const TypeConverter &types,
                                     MLIRContext *context) {
  ConversionPatterns patterns(types, context);
  tpu_to_grid::populateAccessPatterns(patterns);
  tpu_to_grid::populateArithmeticPatterns(patterns);
  tpu_to_grid::populateVectorPatterns(patterns);
  tpu_to_grid::populateLookupPatterns(patterns);
  tpu_to_grid::populateProgramPatterns(patterns);
  patterns.addElementwise();
  scf::populateSCFStructuralTypeConversions(types, patterns.set);
  return std::move(patterns.set);
}

} // namespace

tpu_to_grid::RaisingPatterns::RaisingPatterns(MLIRContext *context)
    : patterns(makePatterns(types, context)) {}

LogicalResult tpu_to_grid::RaisingPatterns::apply(grid::KernelOp kernel) const {
  readInstructions(kernel);
  ConversionTarget target(*kernel.getContext());
  scf::populateSCFStructuralTypeConversionTarget(types, target);
  return applyConversion(kernel, target, isRaised, patterns,
                         "in an executable module");
}

FailureOr<grid::KernelOp>
tpu_to_grid::readBack(ModuleOp module, const RaisingPatterns &patterns) {
  SmallVector<func::FuncOp> functions(module.getOps<func::FuncOp>());
  auto kernels = llvm::make_filter_range(functions, [](func::FuncOp op) {
    return op->hasAttr(tpu::kCoreTypeName);
  });
  if (kernels.empty())
    return grid::KernelOp();
  func::FuncOp kernel = *kernels.begin();
  auto operands =
      module->getAttrOfType<DictionaryAttr>(grid::kOperandsAttrName);
  if (!llvm::hasSingleElement(kernels) || !operands)
    return kernel.emitError("expected one kernel in a module with "
                            "grid.operands, the arrays of the call");
  // The grid, the windows and their transforms are read as the contract has
  // them. The name of the function is the kernel's.
  if (failed(tpu::checkContract(module)))
    return failure();
  FailureOr<grid::KernelOp> raised =
      tpu_to_grid::createKernel(kernel, operands);
  if (failed(raised) || failed(patterns.apply(*raised)))
    return failure();
  for (func::FuncOp function : functions)
    function.erase();
  module->removeAttr(grid::kOperandsAttrName);
  module->removeAttr(grid::kRunTimeChecksAttrName);
  return raised;
}

namespace {

class ConvertTPUToGridPass
    : public gridir::impl::ConvertTPUToGridPassBase<ConvertTPUToGridPass> {
public:
  using ConvertTPUToGridPassBase::ConvertTPUToGridPassBase;

  void runOnOperation() override {
    tpu_to_grid::RaisingPatterns patterns(&getContext());
    if (failed(tpu_to_grid::readBack(getOperation(), patterns)))
      signalPassFailure();
  }
};

} // namespace
