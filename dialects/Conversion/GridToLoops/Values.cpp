//===- Values.cpp - Program ids, assumptions, prints and checks -----------===//
//
// Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dialects/Conversion/GridToLoops/Views.h"

#include "dialects/Support/SourceLines.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Bufferization/IR/Bufferization.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"

using namespace mlir;
using namespace gridir::grid;

namespace gridir {
namespace {

/// `grid.program_id` and `grid.num_programs`: a value of the loops around.
template <typename OpT> class AxisPattern : public LoweringPattern<OpT> {
public:
  using LoweringPattern<OpT>::LoweringPattern;

  LogicalResult matchAndRewrite(OpT op,
                                PatternRewriter &rewriter) const override {
    KernelLowering &lowering = this->lowering;
    unsigned dim = *lowering.kernel.findDim(op.getAxis());
    Value index = std::is_same_v<OpT, ProgramIdOp> ? lowering.programIds[dim]
                                                   : lowering.gridSizes[dim];
    rewriter.replaceOpWithNewOp<arith::IndexCastOp>(op, op.getType(), index);
    return success();
  }
};

class AssumeMultiplePattern : public LoweringPattern<AssumeMultipleOp> {
public:
  using LoweringPattern::LoweringPattern;

  LogicalResult matchAndRewrite(AssumeMultipleOp op,
                                PatternRewriter &rewriter) const override {
    rewriter.replaceOp(op, op.getValue());
    return success();
  }
};

class AssertPattern : public LoweringPattern<AssertOp> {
public:
  using LoweringPattern::LoweringPattern;

  LogicalResult matchAndRewrite(AssertOp op,
                                PatternRewriter &rewriter) const override {
    Value truth = arith::ConstantIntOp::create(rewriter, op.getLoc(), 1, 1);
    Value fails =
        arith::XOrIOp::create(rewriter, op.getLoc(), op.getCondition(), truth);
    auto getValue = [&](unsigned i) {
      return i < op.getValues().size() ? op.getValues()[i] : Value();
    };
    lowering.reportIf(rewriter, op.getLoc(), fails, op.getMessage(),
                      getValue(0), getValue(1));
    rewriter.eraseOp(op);
    return success();
  }
};

/// Returns the attribute of a runtime site: the format of a print, or the
/// function of a callback.
Attribute getSite(PrintOp op, ArrayRef<Type> types) {
  return kernel::PrintAttr::get(op.getContext(), op.getFormatAttr(), types);
}

Attribute getSite(CallbackOp op, ArrayRef<Type> types) {
  StringAttr what =
      getLocatedText(op.getLoc(), "the Python function of a callback");
  return kernel::CallbackAttr::get(op.getContext(), op.getIdentityAttr(), what,
                                   types);
}

/// Calls into the runtime: begin, each value as contiguous memory, end.
template <typename OpTy> class OutputPattern : public LoweringPattern<OpTy> {
public:
  using LoweringPattern<OpTy>::LoweringPattern;

  LogicalResult matchAndRewrite(OpTy op,
                                PatternRewriter &rewriter) const override {
    KernelLowering &lowering = this->lowering;
    MLIRContext *context = op.getContext();
    Location loc = op.getLoc();
    Type pointer = LLVM::LLVMPointerType::get(context);
    SmallVector<Type> types;
    for (auto [i, value] : llvm::enumerate(op.getValues())) {
      Type type = value.getType(), element = getElementTypeOrSelf(type);
      if (!isa<IntegerType, FloatType, IndexType>(element))
        return lowering.fail(op,
                             "expected integers and floats as operands of a "
                             "print or callback, got a value of another type");
      if (isa<IntegerType>(element) && i < op.getIsUnsigned().size() &&
          op.getIsUnsigned()[i])
        type = withElementType(
            type, IntegerType::get(context, element.getIntOrFloatBitWidth(),
                                   IntegerType::Unsigned));
      types.push_back(type);
    }
    createRuntimeCall(
        rewriter, loc, lowering, "gridirPrintBegin",
        {createI64(rewriter, loc, lowering.addSite(getSite(op, types)))});
    for (Value value : op.getValues()) {
      Value tensor = toTensor(rewriter, loc, value);
      auto type = cast<RankedTensorType>(tensor.getType());
      Value memory =
          lowering.allocate(loc, type.getShape(), type.getElementType());
      bufferization::MaterializeInDestinationOp::create(
          rewriter, loc, TypeRange(), tensor, memory,
          /*restrict=*/true, /*writable=*/true);
      Value address =
          memref::ExtractAlignedPointerAsIndexOp::create(rewriter, loc, memory);
      Value data = LLVM::IntToPtrOp::create(rewriter, loc, pointer,
                                            toI64(rewriter, loc, address));
      createRuntimeCall(
          rewriter, loc, lowering, "gridirPrintValue",
          {data, createI64(rewriter, loc, type.getNumElements())});
    }
    createRuntimeCall(rewriter, loc, lowering, "gridirPrintEnd", {});
    rewriter.eraseOp(op);
    return success();
  }
};

} // namespace

void populateValuePatterns(RewritePatternSet &patterns,
                           KernelLowering &lowering) {
  patterns.add<AxisPattern<ProgramIdOp>, AxisPattern<NumProgramsOp>,
               AssumeMultiplePattern, AssertPattern, OutputPattern<PrintOp>,
               OutputPattern<CallbackOp>>(patterns.getContext(), lowering);
}

} // namespace gridir
