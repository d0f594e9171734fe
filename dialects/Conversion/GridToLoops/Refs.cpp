//===- Refs.cpp - Loads and stores ----------------------------------------===//
//
// Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dialects/Conversion/GridToLoops/Blocks.h"
#include "dialects/Conversion/GridToLoops/LoopNests.h"
#include "dialects/Conversion/GridToLoops/Views.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Bufferization/IR/Bufferization.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/Remarks.h"

using namespace mlir;
using namespace gridir::grid;

namespace gridir {
namespace {

Value createSelect(OpBuilder &builder, Location loc, Value mask, Value chosen,
                   Value other) {
  return createElementwise(
      builder, loc, chosen.getType(), {mask, chosen, other},
      [](OpBuilder &builder, Location loc, ValueRange args) -> Value {
        return arith::SelectOp::create(builder, loc, args[0], args[1], args[2]);
      });
}

/// The memref of a Ref of rank 0, which is loaded and stored as a scalar.
Value getScalarMemRef(Value ref) {
  return cast<MemRefType>(ref.getType()).getRank() == 0 ? getMemRef(ref)
                                                        : Value();
}

/// The memref of a window in the global memory of a GPU. Elements that a mask
/// excludes may be outside of the array, and other programs may write them, so
/// they are neither read nor written. Null for other Refs.
Value getGlobalMemRef(Value ref) {
  auto type = cast<MemRefType>(ref.getType());
  return type.getRank() != 0 &&
                 getSpace(type).getSharing() == SpaceSharing::Kernel
             ? getMemRef(ref)
             : Value();
}

/// Loads the elements of global memory that a mask selects; the others are
/// `other`, or zero.
Value createMaskedLoad(OpBuilder &builder, KernelLowering &lowering,
                       LoadOp load, Value memref) {
  Location loc = load.getLoc();
  auto type = cast<RankedTensorType>(load.getType());
  Value mask = toTensor(builder, loc, load.getMask()),
        buffer = lowering.allocate(loc, type.getShape(), type.getElementType());
  createLoopNest(
      builder, loc, type.getShape(),
      [&](OpBuilder &builder, Location loc, ValueRange position) {
        auto createLoad = [&](OpBuilder &builder, Location loc) {
          scf::YieldOp::create(
              builder, loc,
              memref::LoadOp::create(builder, loc, memref, position)
                  .getResult());
        };
        auto createOther = [&](OpBuilder &builder, Location loc) {
          scf::YieldOp::create(
              builder, loc,
              load.getOther()
                  ? extractAt(builder, loc,
                              toTensor(builder, loc, load.getOther()), position)
                  : createZero(builder, loc, type.getElementType()));
        };
        auto chosen = scf::IfOp::create(builder, loc,
                                        extractAt(builder, loc, mask, position),
                                        createLoad, createOther);
        memref::StoreOp::create(builder, loc, chosen.getResult(0), buffer,
                                position);
      });
  return bufferization::ToTensorOp::create(builder, loc, type, buffer,
                                           /*restrict=*/true,
                                           /*writable=*/true);
}

/// Stores the elements that a mask selects to global memory.
void createMaskedStore(OpBuilder &builder, Location loc, Value value,
                       Value mask, Value memref) {
  value = toTensor(builder, loc, value);
  mask = toTensor(builder, loc, mask);
  createLoopNest(builder, loc, cast<MemRefType>(memref.getType()).getShape(),
                 [&](OpBuilder &builder, Location loc, ValueRange position) {
                   scf::IfOp::create(
                       builder, loc, extractAt(builder, loc, mask, position),
                       [&](OpBuilder &builder, Location loc) {
                         memref::StoreOp::create(
                             builder, loc,
                             extractAt(builder, loc, value, position), memref,
                             position);
                         scf::YieldOp::create(builder, loc);
                       });
                 });
}

class LoadPattern : public LoweringPattern<LoadOp> {
public:
  using LoweringPattern::LoweringPattern;

  LogicalResult matchAndRewrite(LoadOp load,
                                PatternRewriter &rewriter) const override {
    Location loc = load.getLoc();
    Value value, global = getGlobalMemRef(load.getRef());
    if (load.getMask() && global) {
      rewriter.replaceOp(load,
                         createMaskedLoad(rewriter, lowering, load, global));
      return success();
    }
    if (Value memref = getScalarMemRef(load.getRef())) {
      value = memref::LoadOp::create(rewriter, loc, memref);
    } else {
      value = readRef(rewriter, loc, load.getRef(),
                      lowering.hazards.mayOverwrite(load));
      if (lowering.hazards.needsCopy(load)) {
        ++lowering.counts.loadsCopied;
        remark::missed(loc, remark::RemarkOpts::name("load").category(
                                "convert-grid-to-loops"))
            << "the value of " + lowering.getName(load.getRef()) +
                   " is copied, since a later store may change it";
        value = bufferization::AllocTensorOp::create(
            rewriter, loc, cast<RankedTensorType>(value.getType()),
            ValueRange(), value);
      }
      value = toScalar(rewriter, loc, value);
    }
    if (load.getOther())
      value =
          createSelect(rewriter, loc, load.getMask(), value, load.getOther());
    rewriter.replaceOp(load, value);
    return success();
  }
};

/// Replaces the contents of a Ref where the mask is true.
void createStore(OpBuilder &builder, Location loc, Value value, Value ref,
                 Value mask) {
  if (Value memref = getScalarMemRef(ref)) {
    if (mask)
      value = createSelect(builder, loc, mask, value,
                           memref::LoadOp::create(builder, loc, memref));
    memref::StoreOp::create(builder, loc, value, memref);
    return;
  }
  if (Value memref = mask ? getGlobalMemRef(ref) : Value())
    return createMaskedStore(builder, loc, value, mask, memref);
  value = toTensor(builder, loc, value);
  // Masked elements are unchanged; the others are accessed in place, one by
  // one.
  if (mask) {
    Value old = readRef(builder, loc, ref, /*mayOverwrite=*/true);
    value =
        createSelect(builder, loc, toTensor(builder, loc, mask), value, old);
  }
  writeRef(builder, loc, value, ref);
}

class StorePattern : public LoweringPattern<StoreOp> {
public:
  using LoweringPattern::LoweringPattern;

  LogicalResult matchAndRewrite(StoreOp store,
                                PatternRewriter &rewriter) const override {
    createStore(rewriter, store.getLoc(), store.getValue(), store.getRef(),
                store.getMask());
    rewriter.eraseOp(store);
    return success();
  }
};

class AccumulatePattern : public LoweringPattern<AccumulateOp> {
public:
  using LoweringPattern::LoweringPattern;

  LogicalResult matchAndRewrite(AccumulateOp op,
                                PatternRewriter &rewriter) const override {
    Location loc = op.getLoc();
    Value old;
    if (Value memref = getScalarMemRef(op.getRef()))
      old = memref::LoadOp::create(rewriter, loc, memref);
    else
      old =
          toScalar(rewriter, loc,
                   readRef(rewriter, loc, op.getRef(), /*mayOverwrite=*/true));
    Value sum = createElementwise(
        rewriter, loc, old.getType(), {old, op.getValue()},
        [](OpBuilder &builder, Location loc, ValueRange args) {
          return createAdd(builder, loc, args[0], args[1]);
        });
    if (op.getMask())
      sum = createSelect(rewriter, loc, op.getMask(), sum, old);
    createStore(rewriter, loc, sum, op.getRef(), /*mask=*/{});
    rewriter.eraseOp(op);
    return success();
  }
};

/// An index map may read a prefetched scalar by an upstream load.
class MemRefLoadPattern : public LoweringPattern<memref::LoadOp> {
public:
  using LoweringPattern::LoweringPattern;

  LogicalResult matchAndRewrite(memref::LoadOp load,
                                PatternRewriter &rewriter) const override {
    Location loc = load.getLoc();
    Value memref = getMemRef(load.getMemRef());
    if (!memref)
      return rewriter.notifyMatchFailure(load, "the memory is not a Ref");
    std::string name = lowering.getName(load.getMemRef());
    SmallVector<Value> indices;
    for (auto [d, index] : llvm::enumerate(load.getIndices()))
      indices.push_back(createCheckedOffset(
          rewriter, loc, lowering, index, /*size=*/1, /*span=*/1,
          load.getMemRefType().getDimSize(d), d, name));
    rewriter.replaceOpWithNewOp<memref::LoadOp>(load, memref, indices);
    return success();
  }
};

} // namespace

void populateRefPatterns(RewritePatternSet &patterns,
                         KernelLowering &lowering) {
  patterns.add<LoadPattern, StorePattern, AccumulatePattern, MemRefLoadPattern>(
      patterns.getContext(), lowering);
}

} // namespace gridir
