//===- ConvertArith.cpp - arith and math to the llvm dialect --------------===//
//
// Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dialects/GPU/Transforms/Passes.h"

#include "mlir/Analysis/DataLayoutAnalysis.h"
#include "mlir/Conversion/ArithToLLVM/ArithToLLVM.h"
#include "mlir/Conversion/LLVMCommon/ConversionTarget.h"
#include "mlir/Conversion/LLVMCommon/TypeConverter.h"
#include "mlir/Conversion/MathToLLVM/MathToLLVM.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/Transforms/DialectConversion.h"
#include "llvm/ADT/TypeSwitch.h"

namespace gridir::gpu {
#define GEN_PASS_DEF_GPUCONVERTARITHPASS
#include "dialects/GPU/Transforms/Passes.h.inc"
} // namespace gridir::gpu

using namespace mlir;

namespace {

/// The data layouts of a module and of the ops around it may specify any number
/// as the width of an index. Upstream asserts that an integer can have it.
LogicalResult verifyIndexWidth(Operation *module) {
  for (Operation *op = module; op; op = op->getParentOp()) {
    auto spec = llvm::TypeSwitch<Operation *, DataLayoutSpecInterface>(op)
                    .Case<ModuleOp, DataLayoutOpInterface>(
                        [](auto layout) { return layout.getDataLayoutSpec(); })
                    .Default(DataLayoutSpecInterface());
    if (!spec)
      continue;
    for (DataLayoutEntryInterface entry : spec.getSpecForType<IndexType>()) {
      auto width = dyn_cast<IntegerAttr>(entry.getValue());
      if (!width || !width.getValue().sge(1) || !width.getValue().sle(64))
        return op->emitError("expected an index of 1 to 64 bits in the data "
                             "layout, got ")
               << entry.getValue();
    }
  }
  return success();
}

class GPUConvertArithPass
    : public gridir::gpu::impl::GPUConvertArithPassBase<GPUConvertArithPass> {
public:
  using GPUConvertArithPassBase::GPUConvertArithPassBase;

  void runOnOperation() override {
    if (failed(verifyIndexWidth(getOperation())))
      return signalPassFailure();
    MLIRContext *context = &getContext();
    LowerToLLVMOptions options(
        context,
        getAnalysis<DataLayoutAnalysis>().getAtOrAbove(getOperation()));
    LLVMTypeConverter converter(context, options);
    RewritePatternSet patterns(context);
    arith::populateArithToLLVMConversionPatterns(converter, patterns);
    populateMathToLLVMConversionPatterns(converter, patterns);
    if (failed(applyPartialConversion(getOperation(),
                                      LLVMConversionTarget(*context),
                                      std::move(patterns))))
      signalPassFailure();
  }
};

} // namespace
