//===- WidenStorage.cpp - a byte for each bool and small integer ----------===//
//
// Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dialects/Loops/Transforms/Passes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Func/Transforms/FuncConversions.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Linalg/Transforms/Transforms.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/SCF/Transforms/Patterns.h"
#include "mlir/Transforms/DialectConversion.h"

namespace gridir::loops {
#define GEN_PASS_DEF_LOOPSWIDENSTORAGEPASS
#include "dialects/Loops/Transforms/Passes.h.inc"
} // namespace gridir::loops

using namespace mlir;

namespace {

/// True for types of less than a byte.
bool isNarrow(Type type) {
  return type.isIntOrFloat() && type.getIntOrFloatBitWidth() < 8;
}

bool storesNarrow(Type type) {
  auto shaped = dyn_cast<ShapedType>(type);
  return shaped && isNarrow(shaped.getElementType());
}

/// The byte of a value: a bool is 0 or 1, any other integer keeps its sign, a
/// float its bits.
Value widen(OpBuilder &builder, Location loc, Value value) {
  Type i8 = builder.getI8Type();
  if (auto type = dyn_cast<FloatType>(value.getType())) {
    Type bits = builder.getIntegerType(type.getWidth());
    value = arith::BitcastOp::create(builder, loc, bits, value);
  }
  if (value.getType().isInteger(1))
    return arith::ExtUIOp::create(builder, loc, i8, value);
  return arith::ExtSIOp::create(builder, loc, i8, value);
}

Value narrow(OpBuilder &builder, Location loc, Value value, Type type) {
  if (!isa<FloatType>(type))
    return arith::TruncIOp::create(builder, loc, type, value);
  Type bits = builder.getIntegerType(type.getIntOrFloatBitWidth());
  value = arith::TruncIOp::create(builder, loc, bits, value);
  return arith::BitcastOp::create(builder, loc, type, value);
}

/// Ops that only pass memrefs on: views, allocations, choices between two.
struct ConvertForwardingOp : ConversionPattern {
  ConvertForwardingOp(const TypeConverter &converter, MLIRContext *context)
      : ConversionPattern(converter, MatchAnyOpTypeTag(), /*benefit=*/0,
                          context) {}

  LogicalResult
  matchAndRewrite(Operation *op, ArrayRef<Value> operands,
                  ConversionPatternRewriter &rewriter) const override {
    if (op->getNumRegions() > 0 || op->getNumSuccessors() > 0)
      return rewriter.notifyMatchFailure(op, "expected an op without regions");
    SmallVector<Type> types;
    if (failed(getTypeConverter()->convertTypes(op->getResultTypes(), types)))
      return failure();
    OperationState state(op->getLoc(), op->getName(), operands, types,
                         op->getDiscardableAttrDictionary().getValue());
    state.propertiesAttr = op->getPropertiesAsAttribute();
    rewriter.replaceOp(op, rewriter.create(state)->getResults());
    return success();
  }
};

struct ConvertLoad : OpConversionPattern<memref::LoadOp> {
  using OpConversionPattern::OpConversionPattern;

  LogicalResult
  matchAndRewrite(memref::LoadOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    Value byte = memref::LoadOp::create(
        rewriter, op.getLoc(), adaptor.getMemref(), adaptor.getIndices());
    rewriter.replaceOp(op, narrow(rewriter, op.getLoc(), byte, op.getType()));
    return success();
  }
};

struct ConvertStore : OpConversionPattern<memref::StoreOp> {
  using OpConversionPattern::OpConversionPattern;

  LogicalResult
  matchAndRewrite(memref::StoreOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    Value byte = widen(rewriter, op.getLoc(), adaptor.getValue());
    rewriter.replaceOpWithNewOp<memref::StoreOp>(op, byte, adaptor.getMemref(),
                                                 adaptor.getIndices());
    return success();
  }
};

struct ConvertGlobal : OpConversionPattern<memref::GlobalOp> {
  using OpConversionPattern::OpConversionPattern;

  LogicalResult
  matchAndRewrite(memref::GlobalOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    auto type = cast<MemRefType>(getTypeConverter()->convertType(op.getType()));
    Attribute value = adaptor.getInitialValue().value_or(Attribute());
    if (auto elements = dyn_cast_or_null<DenseFPElementsAttr>(value))
      value = elements.mapValues(type.getElementType(), [](const APFloat &x) {
        return x.bitcastToAPInt().zext(8);
      });
    else if (auto elements = dyn_cast_or_null<DenseIntElementsAttr>(value))
      value = elements.mapValues(type.getElementType(), [](const APInt &bits) {
        return bits.getBitWidth() == 1 ? bits.zext(8) : bits.sext(8);
      });
    rewriter.modifyOpInPlace(op, [&] {
      op.setType(type);
      if (value)
        op.setInitialValueAttr(value);
    });
    return success();
  }
};

/// The body still computes with the narrow type.
struct ConvertGeneric : OpConversionPattern<linalg::GenericOp> {
  using OpConversionPattern::OpConversionPattern;

  LogicalResult
  matchAndRewrite(linalg::GenericOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    Location loc = op.getLoc();
    auto converted = linalg::GenericOp::create(
        rewriter, loc, adaptor.getInputs(), adaptor.getOutputs(),
        op.getIndexingMapsArray(), op.getIteratorTypesArray());
    SmallVector<Type> types;
    SmallVector<Location> locs;
    for (Value operand : converted->getOperands()) {
      types.push_back(getElementTypeOrSelf(operand.getType()));
      locs.push_back(loc);
    }
    Block *body = rewriter.createBlock(&converted.getRegion(), {}, types, locs);
    SmallVector<Value> args;
    for (auto [arg, old] :
         llvm::zip_equal(body->getArguments(), op.getBody()->getArguments()))
      args.push_back(arg.getType() == old.getType()
                         ? Value(arg)
                         : narrow(rewriter, loc, arg, old.getType()));
    rewriter.inlineBlockBefore(op.getBody(), body, body->end(), args);
    auto yield = cast<linalg::YieldOp>(body->getTerminator());
    rewriter.setInsertionPoint(yield);
    SmallVector<Value> yielded(yield.getOperands());
    for (auto [value, type] : llvm::zip_equal(
             yielded, ArrayRef(types).drop_front(op.getNumDpsInputs())))
      if (value.getType() != type)
        value = widen(rewriter, loc, value);
    rewriter.replaceOpWithNewOp<linalg::YieldOp>(yield, yielded);
    rewriter.eraseOp(op);
    return success();
  }
};

/// Lets a body that combines a bool with its accumulator combine bytes: it is
/// then a reduction that other passes know.
void combineBytes(OpBuilder &builder, linalg::GenericOp op) {
  auto yield = cast<linalg::YieldOp>(op.getBody()->getTerminator());
  for (auto [accumulator, yielded] :
       llvm::zip_equal(op.getRegionOutputArgs(), yield->getOpOperands())) {
    auto byte = yielded.get().getDefiningOp<arith::ExtUIOp>();
    Operation *combiner = byte ? byte.getIn().getDefiningOp() : nullptr;
    if (!isa_and_nonnull<arith::AndIOp, arith::OrIOp, arith::XOrIOp>(
            combiner) ||
        !byte.getIn().getType().isInteger(1) || !accumulator.hasOneUse())
      continue;
    for (auto [operand, other] : {std::pair(0, 1), std::pair(1, 0)}) {
      auto old = combiner->getOperand(operand).getDefiningOp<arith::TruncIOp>();
      if (!old || old.getIn() != accumulator || !old->hasOneUse())
        continue;
      builder.setInsertionPoint(yield);
      Value value = arith::ExtUIOp::create(
          builder, byte.getLoc(), byte.getType(), combiner->getOperand(other));
      OperationState state(combiner->getLoc(), combiner->getName(),
                           {value, accumulator}, {byte.getType()});
      yielded.set(builder.create(state)->getResult(0));
      for (Operation *dead :
           {byte.getOperation(), combiner, old.getOperation()})
        if (isOpTriviallyDead(dead))
          dead->erase();
      break;
    }
  }
}

class LoopsWidenStoragePass
    : public gridir::loops::impl::LoopsWidenStoragePassBase<
          LoopsWidenStoragePass> {
public:
  using LoopsWidenStoragePassBase::LoopsWidenStoragePassBase;

  void runOnOperation() override {
    generalizeNamedOps();
    MLIRContext *context = &getContext();
    TypeConverter converter;
    converter.addConversion([](Type type) { return type; });
    converter.addConversion([](MemRefType type) -> Type {
      if (!storesNarrow(type))
        return type;
      return MemRefType::Builder(type).setElementType(
          IntegerType::get(type.getContext(), 8));
    });

    ConversionTarget target(*context);
    RewritePatternSet patterns(context);
    target.markUnknownOpDynamicallyLegal([&](Operation *op) {
      if (auto function = dyn_cast<func::FuncOp>(op))
        return converter.isSignatureLegal(function.getFunctionType());
      if (auto global = dyn_cast<memref::GlobalOp>(op))
        return !storesNarrow(global.getType());
      return converter.isLegal(op);
    });
    scf::populateSCFStructuralTypeConversions(converter, patterns);
    populateFunctionOpInterfaceTypeConversionPattern<func::FuncOp>(patterns,
                                                                   converter);
    populateCallOpTypeConversionPattern(patterns, converter);
    patterns.add<ConvertForwardingOp, ConvertGeneric, ConvertGlobal,
                 ConvertLoad, ConvertStore>(converter, context);
    ConversionConfig config;
    config.allowPatternRollback = false;
    if (failed(applyPartialConversion(getOperation(), target,
                                      std::move(patterns), config)))
      return signalPassFailure();
    OpBuilder builder(context);
    getOperation().walk(
        [&](linalg::GenericOp op) { combineBytes(builder, op); });
  }

private:
  /// Named ops have bodies that are computed from their operands' types, so
  /// that a body with casts must be written out.
  void generalizeNamedOps() {
    IRRewriter rewriter(&getContext());
    getOperation().walk([&](linalg::LinalgOp op) {
      if (llvm::none_of(op->getOperandTypes(), storesNarrow))
        return;
      ++numWidened;
      if (isa<linalg::GenericOp>(op.getOperation()))
        return;
      rewriter.setInsertionPoint(op);
      [[maybe_unused]] FailureOr<linalg::GenericOp> generic =
          linalg::generalizeNamedOp(rewriter, op);
      assert(succeeded(generic) && "every named op has a body");
    });
  }
};

} // namespace
