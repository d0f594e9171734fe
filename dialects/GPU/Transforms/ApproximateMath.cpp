//===- ApproximateMath.cpp - math functions that PTX can compute ----------===//
//
// Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dialects/GPU/Transforms/MappedKernel.h"
#include "dialects/GPU/Transforms/Passes.h"
#include "dialects/Loops/Math/MathExpansions.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"

namespace gridir::gpu {
#define GEN_PASS_DEF_GPUAPPROXIMATEMATHPASS
#include "dialects/GPU/Transforms/Passes.h.inc"
} // namespace gridir::gpu

using namespace mlir;
using namespace gridir::gpu;
using namespace gridir::loops;

namespace {

constexpr double kLog2E = 1.4426950408889634;

/// Calls an intrinsic of LLVM by its name: `convert-gpu-to-nvvm` turns ops of
/// the llvm dialect into calls of libdevice.
void replaceByIntrinsic(Operation *op, StringRef name,
                        PatternRewriter &rewriter) {
  auto call = LLVM::CallIntrinsicOp::create(
      rewriter, op->getLoc(), op->getResult(0).getType(),
      rewriter.getStringAttr(name), op->getOperands());
  rewriter.replaceOp(op, call->getResults());
}

/// A function that is an instruction, or a few of them.
template <typename OpT> struct MathToIntrinsic : OpRewritePattern<OpT> {
  MathToIntrinsic(MLIRContext *context, StringRef stem)
      : OpRewritePattern<OpT>(context), stem(stem) {}

  LogicalResult matchAndRewrite(OpT op,
                                PatternRewriter &rewriter) const override {
    Type type = op.getType();
    if (!type.isF32() && !type.isF64())
      return rewriter.notifyMatchFailure(op, "expected f32 or f64");
    replaceByIntrinsic(
        op, ("llvm." + stem + (type.isF32() ? ".f32" : ".f64")).str(),
        rewriter);
    return success();
  }

  StringRef stem;
};

/// A function of the bits of an integer: libdevice knows those of some widths.
template <typename OpT> struct BitsToIntrinsic : OpRewritePattern<OpT> {
  BitsToIntrinsic(MLIRContext *context, StringRef stem, bool takesFlag)
      : OpRewritePattern<OpT>(context), stem(stem), takesFlag(takesFlag) {}

  LogicalResult matchAndRewrite(OpT op,
                                PatternRewriter &rewriter) const override {
    auto type = dyn_cast<IntegerType>(op.getType());
    if (!type)
      return rewriter.notifyMatchFailure(op, "expected an integer");
    SmallVector<Value> operands(op->getOperands());
    // True leaves the result for 0 undefined (for an absolute value: for the
    // least number).
    if (takesFlag)
      operands.push_back(
          arith::ConstantIntOp::create(rewriter, op.getLoc(), 0, 1));
    std::string name = ("llvm." + stem + ".i" + Twine(type.getWidth())).str();
    auto call = LLVM::CallIntrinsicOp::create(
        rewriter, op.getLoc(), type, rewriter.getStringAttr(name), operands);
    rewriter.replaceOp(op, call->getResults());
    return success();
  }

  StringRef stem;
  bool takesFlag;
};

/// 1 / sqrt(x), with each part rounded according to IEEE 754.
struct RsqrtToSqrt : OpRewritePattern<math::RsqrtOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(math::RsqrtOp op,
                                PatternRewriter &rewriter) const override {
    if (!isa<FloatType>(op.getType()))
      return rewriter.notifyMatchFailure(op, "the root is of a scalar");
    MathBuilder b(op.getLoc(), rewriter);
    Real x{&b, op.getOperand()};
    rewriter.replaceOp(op, (1.0 / sqrt(x)).value);
    return success();
  }
};

/// 2^x by the instruction ex2.approx; with `flushes` by its form that takes
/// denormals for zeros, without which they cost a comparison and two products.
struct Exp2ToInstruction : OpRewritePattern<math::Exp2Op> {
  Exp2ToInstruction(MLIRContext *context, bool flushes)
      : OpRewritePattern(context), flushes(flushes) {}

  LogicalResult matchAndRewrite(math::Exp2Op op,
                                PatternRewriter &rewriter) const override {
    if (!op.getType().isF32())
      return rewriter.notifyMatchFailure(op, "the instruction is for f32");
    replaceByIntrinsic(
        op, flushes ? "llvm.nvvm.ex2.approx.ftz.f32" : "llvm.exp2.f32",
        rewriter);
    return success();
  }

  bool flushes;
};

/// The larger or smaller of two numbers, or NaN where one of them is: an
/// instruction from sm_80 on.
template <typename OpT, typename InstructionOpT>
struct ExtremumToInstruction : OpRewritePattern<OpT> {
  using OpRewritePattern<OpT>::OpRewritePattern;

  LogicalResult matchAndRewrite(OpT op,
                                PatternRewriter &rewriter) const override {
    if (!op.getType().isF32())
      return rewriter.notifyMatchFailure(op, "the instruction is for f32");
    rewriter.replaceOpWithNewOp<InstructionOpT>(op, op.getLhs(), op.getRhs());
    return success();
  }
};

/// Allows that a product and a sum of it are rounded once.
void allowContraction(Operation *root) {
  root->walk([](arith::ArithFastMathInterface op) {
    if (!isa<arith::MulFOp, arith::AddFOp, arith::SubFOp>(op) ||
        !op->getResult(0).getType().isF32())
      return;
    arith::FastMathFlags flags =
        op.getFastMathFlagsAttr().getValue() | arith::FastMathFlags::contract;
    op->setAttr(op.getFastMathAttrName(),
                arith::FastMathFlagsAttr::get(op.getContext(), flags));
  });
}

/// 1 / x by the instruction rcp.approx.
Value createReciprocal(OpBuilder &builder, Location loc, Value x) {
  Value one =
      arith::ConstantOp::create(builder, loc, builder.getF32FloatAttr(1));
  return arith::DivFOp::create(builder, loc, one, x, arith::FastMathFlags::afn);
}

/// Makes x / y x times the reciprocal of y, which many quotients may share.
void useReciprocals(Operation *root) {
  SmallVector<arith::DivFOp> quotients;
  root->walk([&](arith::DivFOp op) {
    if (op.getType().isF32())
      quotients.push_back(op);
  });
  for (arith::DivFOp op : quotients) {
    OpBuilder builder(op);
    Value reciprocal = createReciprocal(builder, op.getLoc(), op.getRhs());
    Value quotient =
        arith::MulFOp::create(builder, op.getLoc(), op.getLhs(), reciprocal);
    op.replaceAllUsesWith(quotient);
    op.erase();
  }
}

/// e^x as 2^(x log2 e): fast, and the error grows with |x|.
struct ExpToExp2 : OpRewritePattern<math::ExpOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(math::ExpOp op,
                                PatternRewriter &rewriter) const override {
    if (!op.getType().isF32())
      return rewriter.notifyMatchFailure(op, "the instruction is for f32");
    MathBuilder b(op.getLoc(), rewriter);
    Real x{&b, op.getOperand()};
    rewriter.replaceOp(op, (x * kLog2E).apply<math::Exp2Op>().value);
    return success();
  }
};

/// tanh x as 1 - 2 / (2^(2 x log2 e) + 1), which loses relative accuracy near 0
/// and none of the absolute.
struct TanhToExp2 : OpRewritePattern<math::TanhOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(math::TanhOp op,
                                PatternRewriter &rewriter) const override {
    if (!op.getType().isF32())
      return rewriter.notifyMatchFailure(op, "the instruction is for f32");
    MathBuilder b(op.getLoc(), rewriter);
    Real x{&b, op.getOperand()};
    Real power = (x * (2 * kLog2E)).apply<math::Exp2Op>();
    Real reciprocal{
        &b, createReciprocal(rewriter, op.getLoc(), (power + 1.0).value)};
    rewriter.replaceOp(op, (1.0 - 2.0 * reciprocal).value);
    return success();
  }
};

/// Functions that are instructions of a GPU, or a few of them.
bool isNative(Operation *op) {
  return isa<math::AbsFOp, math::CeilOp, math::CopySignOp, math::FloorOp,
             math::FmaOp, math::IsFiniteOp, math::IsInfOp, math::IsNaNOp,
             math::IsNormalOp, math::RoundOp, math::RoundEvenOp, math::RsqrtOp,
             math::SqrtOp, math::TruncOp>(op);
}

class GPUApproximateMathPass
    : public gridir::gpu::impl::GPUApproximateMathPassBase<
          GPUApproximateMathPass> {
public:
  using GPUApproximateMathPassBase::GPUApproximateMathPassBase;

  void runOnOperation() override {
    Operation *root = getOperation();
    auto module = root->getParentOfType<ModuleOp>();
    gridir::kernel::MappingAttr mapping;
    if (module)
      mapping = getMapping(module);
    bool useApproximations = approx || (mapping && mapping.getApproxMath());
    auto count = [&] {
      unsigned result = 0;
      root->walk([&](Operation *op) {
        result += isa_and_nonnull<math::MathDialect>(op->getDialect());
      });
      return result;
    };
    unsigned before = count();
    // Before the polynomials, whose quotients are exact.
    if (useApproximations)
      useReciprocals(root);

    RewritePatternSet patterns(&getContext());
    populateExpansionsToFunctions(patterns);
    if (useApproximations)
      patterns.add<ExpToExp2, TanhToExp2>(&getContext(), /*benefit=*/2);
    if (useApproximations || !libdevice)
      patterns.add<Exp2ToInstruction>(&getContext(), useApproximations);
    patterns.add<ExtremumToInstruction<arith::MaximumFOp, LLVM::MaximumOp>,
                 ExtremumToInstruction<arith::MinimumFOp, LLVM::MinimumOp>>(
        &getContext());
    if (!libdevice)
      populateFloatPolynomials(patterns);
    patterns.add<BitsToIntrinsic<math::CtPopOp>>(&getContext(), "ctpop", false);
    patterns.add<BitsToIntrinsic<math::CountLeadingZerosOp>>(&getContext(),
                                                             "ctlz", true);
    patterns.add<BitsToIntrinsic<math::CountTrailingZerosOp>>(&getContext(),
                                                              "cttz", true);
    patterns.add<BitsToIntrinsic<math::AbsIOp>>(&getContext(), "abs", true);
    if (failed(applyPatternsGreedily(root, std::move(patterns))))
      return signalPassFailure();
    numReplaced += before - std::min(before, count());
    if (useApproximations)
      allowContraction(root);
    if (libdevice)
      return;

    WalkResult result = root->walk([&](Operation *op) {
      if (!isa_and_nonnull<math::MathDialect>(op->getDialect()) || isNative(op))
        return WalkResult::advance();
      op->emitError("expected libdevice for '")
          << op->getName() << "' of " << op->getResult(0).getType()
          << ", which has no expansion on a GPU; set a CUDA toolkit, or "
             "install gridir[gpu]";
      return WalkResult::interrupt();
    });
    if (result.wasInterrupted() || failed(useIntrinsics(root)))
      signalPassFailure();
  }

private:
  static LogicalResult useIntrinsics(Operation *root) {
    MLIRContext *context = root->getContext();
    RewritePatternSet patterns(context);
    patterns.add<RsqrtToSqrt>(context);
    patterns.add<MathToIntrinsic<math::AbsFOp>>(context, "fabs");
    patterns.add<MathToIntrinsic<math::CeilOp>>(context, "ceil");
    patterns.add<MathToIntrinsic<math::CopySignOp>>(context, "copysign");
    patterns.add<MathToIntrinsic<math::FloorOp>>(context, "floor");
    patterns.add<MathToIntrinsic<math::FmaOp>>(context, "fma");
    patterns.add<MathToIntrinsic<math::RoundOp>>(context, "round");
    patterns.add<MathToIntrinsic<math::RoundEvenOp>>(context, "roundeven");
    patterns.add<MathToIntrinsic<math::SqrtOp>>(context, "sqrt");
    patterns.add<MathToIntrinsic<math::TruncOp>>(context, "trunc");
    return applyPatternsGreedily(root, std::move(patterns));
  }
};

} // namespace
