//===- ReductionPatterns.cpp - Smaller forms of any op --------------------===//
//
// Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// MLIR's reducer erases ranges of ops, with all uses of their results, so most
// of its candidates are invalid. These patterns keep the module valid and test
// one op at a time.
//
//===----------------------------------------------------------------------===//

#include "dialects/Driver/ReductionPatterns.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/BuiltinDialect.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/Diagnostics.h"
#include "mlir/IR/DialectRegistry.h"
#include "mlir/IR/PatternMatch.h"
#include "mlir/IR/TypeUtilities.h"
#include "mlir/IR/Verifier.h"
#include "mlir/Reducer/ReductionPatternInterface.h"
#include "mlir/Reducer/Tester.h"

using namespace mlir;

namespace {

/// A smaller form of an op: returns the replacements of its results, or none.
using Form =
    function_ref<std::optional<SmallVector<Value>>(OpBuilder &, Operation *)>;

std::optional<SmallVector<Value>> createNothing(OpBuilder &, Operation *op) {
  if (!op->use_empty())
    return std::nullopt;
  return SmallVector<Value>(op->getNumResults());
}

std::optional<SmallVector<Value>> findOperands(OpBuilder &, Operation *op) {
  SmallVector<Value> values;
  for (Type type : op->getResultTypes()) {
    auto *found = llvm::find_if(op->getOpOperands(), [&](OpOperand &operand) {
      return operand.get().getType() == type;
    });
    if (found == op->getOpOperands().end())
      return std::nullopt;
    values.push_back(found->get());
  }
  if (values.empty())
    return std::nullopt;
  return values;
}

std::optional<SmallVector<Value>> createZeros(OpBuilder &builder,
                                              Operation *op) {
  SmallVector<TypedAttr> zeros;
  for (Type type : op->getResultTypes()) {
    auto shaped = dyn_cast<ShapedType>(type);
    if (shaped &&
        (!isa<VectorType, RankedTensorType>(type) || !shaped.hasStaticShape()))
      return std::nullopt;
    if (!getElementTypeOrSelf(type).isIntOrIndexOrFloat())
      return std::nullopt;
    TypedAttr zero = builder.getZeroAttr(type);
    if (!zero)
      return std::nullopt;
    zeros.push_back(zero);
  }
  if (zeros.empty())
    return std::nullopt;
  SmallVector<Value> values;
  for (TypedAttr zero : zeros)
    values.push_back(arith::ConstantOp::create(builder, op->getLoc(), zero));
  return values;
}

class SmallerForm : public RewritePattern {
public:
  SmallerForm(MLIRContext *context, Tester &tester)
      : RewritePattern(MatchAnyOpTypeTag(), /*benefit=*/1, context),
        tester(tester) {}

  LogicalResult matchAndRewrite(Operation *op,
                                PatternRewriter &rewriter) const override {
    if (op->hasTrait<OpTrait::IsTerminator>() ||
        op->hasTrait<OpTrait::ConstantLike>() ||
        !op->getParentOfType<ModuleOp>())
      return failure();
    for (Form form :
         {Form(createNothing), Form(createZeros), Form(findOperands)}) {
      if (!isInteresting(op, form))
        continue;
      rewriter.setInsertionPoint(op);
      replace(rewriter, op, *form(rewriter, op));
      return success();
    }
    return failure();
  }

private:
  static void replace(RewriterBase &rewriter, Operation *op,
                      ArrayRef<Value> values) {
    if (op->use_empty())
      rewriter.eraseOp(op);
    else
      rewriter.replaceOp(op, values);
  }

  /// Tries a form of an op in a copy of its module.
  bool isInteresting(Operation *op, Form form) const {
    auto module = op->getParentOfType<ModuleOp>();
    int64_t number = -1, next = 0;
    module->walk<WalkOrder::PreOrder>([&](Operation *other) {
      if (other == op)
        number = next;
      ++next;
    });
    OwningOpRef<ModuleOp> copy = cast<ModuleOp>(module->clone());
    Operation *counterpart = nullptr;
    next = 0;
    (*copy)->walk<WalkOrder::PreOrder>([&](Operation *other) {
      if (next++ == number)
        counterpart = other;
    });
    IRRewriter rewriter(counterpart);
    std::optional<SmallVector<Value>> values = form(rewriter, counterpart);
    if (!values)
      return false;
    replace(rewriter, counterpart, *values);
    ScopedDiagnosticHandler silence(op->getContext(),
                                    [](Diagnostic &) { return success(); });
    return succeeded(verify(*copy)) &&
           tester.isInteresting(*copy).first == Tester::Interestingness::True;
  }

  Tester &tester;
};

class ReductionPatterns : public DialectReductionPatternInterface {
public:
  explicit ReductionPatterns(Dialect *dialect)
      : DialectReductionPatternInterface(dialect) {}

  void populateReductionPatterns(RewritePatternSet &) const override {}
  void populateReductionPatternsWithTester(RewritePatternSet &patterns,
                                           Tester &tester) const override {
    patterns.add<SmallerForm>(patterns.getContext(), tester);
  }
};

} // namespace

void gridir::driver::registerReductionPatterns(DialectRegistry &registry) {
  registry.addExtension(+[](MLIRContext *context, BuiltinDialect *dialect) {
    context->loadDialect<arith::ArithDialect>();
    dialect->addInterfaces<ReductionPatterns>();
  });
}
