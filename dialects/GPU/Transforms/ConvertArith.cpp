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
#include "mlir/Transforms/DialectConversion.h"

namespace gridir::gpu {
#define GEN_PASS_DEF_GPUCONVERTARITHPASS
#include "dialects/GPU/Transforms/Passes.h.inc"
} // namespace gridir::gpu

using namespace mlir;

namespace {

class GPUConvertArithPass
    : public gridir::gpu::impl::GPUConvertArithPassBase<GPUConvertArithPass> {
public:
  using GPUConvertArithPassBase::GPUConvertArithPassBase;

  void runOnOperation() override {
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
