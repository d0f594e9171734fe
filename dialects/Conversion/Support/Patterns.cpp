//===- Patterns.cpp - The form that conversions of kernels share ----------===//
//
// Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dialects/Conversion/Support/Patterns.h"

#include "dialects/Support/Builders.h"

using namespace mlir;

namespace gridir {
namespace {

class ElementwisePattern : public ConversionPattern {
public:
  ElementwisePattern(const TypeConverter &types, MLIRContext *context)
      : ConversionPattern(types, MatchAnyOpTypeTag(), /*benefit=*/0, context) {}

  LogicalResult
  matchAndRewrite(Operation *op, ArrayRef<Value> operands,
                  ConversionPatternRewriter &rewriter) const override {
    SmallVector<Type> types;
    if (!OpTrait::hasElementwiseMappableTraits(op) || !isMemoryEffectFree(op) ||
        failed(typeConverter->convertTypes(op->getResultTypes(), types)))
      return failure();
    rewriter.replaceOp(op, createLike(rewriter, op, operands, types));
    return success();
  }
};

} // namespace

void ConversionPatterns::addElementwise() {
  set.add<ElementwisePattern>(types, set.getContext());
}

Value createStandIn(OpBuilder &builder, Value value, Type type) {
  if (value.getType() == type)
    return value;
  return UnrealizedConversionCastOp::create(builder, value.getLoc(), type,
                                            value)
      .getResult(0);
}

void replaceByStandIn(RewriterBase &rewriter, Operation *op, Value value) {
  rewriter.replaceOp(
      op, createStandIn(rewriter, value, op->getResultTypes().front()));
}

Value lookThroughStandIn(Value value) {
  auto cast = value.getDefiningOp<UnrealizedConversionCastOp>();
  return cast && cast.getNumOperands() == 1 ? cast.getOperand(0) : Value();
}

LogicalResult applyConversion(Operation *root, ConversionTarget &target,
                              llvm::function_ref<bool(Operation *)> isConverted,
                              const FrozenRewritePatternSet &patterns,
                              StringRef where) {
  auto isStandIn = [](Operation *op) {
    return isa<UnrealizedConversionCastOp>(op);
  };
  // An op that is not converted is not illegal: the reason is reported by its
  // pattern, and the driver has nothing to add.
  target.markUnknownOpDynamicallyLegal(
      [&](Operation *op) -> std::optional<bool> {
        if (op == root || isStandIn(op) || isConverted(op))
          return true;
        return std::nullopt;
      });
  ConversionConfig config;
  config.buildMaterializations = false;
  config.foldingMode = DialectConversionFoldingMode::Never;
  bool isReported = false;
  {
    ScopedDiagnosticHandler handler(
        root->getContext(), [&](Diagnostic &diagnostic) {
          isReported |= diagnostic.getSeverity() == DiagnosticSeverity::Error;
          return failure();
        });
    if (failed(applyPartialConversion(root, target, patterns, config)) ||
        isReported)
      return failure();
  }
  SmallVector<Operation *> standIns;
  WalkResult result = root->walk<WalkOrder::PreOrder>([&](Operation *op) {
    if (isStandIn(op)) {
      standIns.push_back(op);
      return WalkResult::advance();
    }
    if (op == root || isConverted(op))
      return WalkResult::advance();
    op->emitError("'") << op->getName() << "' is not supported " << where;
    return WalkResult::interrupt();
  });
  if (result.wasInterrupted())
    return failure();
  for (Operation *op : llvm::reverse(standIns))
    if (op->use_empty())
      op->erase();
  return success();
}

} // namespace gridir
