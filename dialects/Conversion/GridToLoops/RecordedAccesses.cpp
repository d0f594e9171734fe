//===- RecordedAccesses.cpp - Accesses that the race detector sees --------===//
//
// Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dialects/Conversion/GridToLoops/Async.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;
using namespace gridir::grid;

namespace gridir {

static StringRef describe(AccessKind kind) {
  switch (kind) {
  case AccessKind::Read:
  case AccessKind::Use:
    return "read";
  case AccessKind::Write:
    return "write";
  case AccessKind::Atomic:
    return "atomic update";
  }
  llvm_unreachable("all kinds are described");
}

/// Passes the dimensions of the operand of the next call to the runtime.
static void createDims(OpBuilder &builder, Location loc,
                       KernelLowering &lowering, Value memref) {
  auto layout = memref::ExtractStridedMetadataOp::create(builder, loc, memref);
  Value none = createI64(builder, loc, 0);
  for (auto [size, stride] :
       llvm::zip_equal(layout.getSizes(), layout.getStrides()))
    createRuntimeCall(
        builder, loc, lowering, "gridirTaskDim",
        {toI64(builder, loc, size), toI64(builder, loc, stride), none});
}

void createRecordedAccess(OpBuilder &builder, Location loc,
                          KernelLowering &lowering, Value memref,
                          AccessKind kind, StringRef name, Value root) {
  std::string what = (describe(kind) + " of ").str();
  if (root) {
    // The runtime stores the indices of the element there.
    what += "element {0} of ";
    createDims(builder, loc, lowering, root);
    createRuntimeCall(builder, loc, lowering, "gridirTaskRoot",
                      {createAddress(builder, loc, root)});
  }
  int64_t site = lowering.addAccess(loc, what + name);
  createDims(builder, loc, lowering, memref);
  createRuntimeCall(builder, loc, lowering, "gridirTaskAccess",
                    {createAddress(builder, loc, memref),
                     createI64(builder, loc, getBytesPerElement(memref)),
                     createI64(builder, loc, static_cast<int64_t>(kind)),
                     createI64(builder, loc, site)});
}

void createRecordedSemaphores(OpBuilder &builder, Location loc,
                              KernelLowering &lowering, Value counters,
                              StringRef name) {
  if (!lowering.recordsSemaphores())
    return;
  createDims(builder, loc, lowering, counters);
  createRuntimeCall(builder, loc, lowering, "gridirTaskSemaphores",
                    {createAddress(builder, loc, counters),
                     createI64(builder, loc, lowering.addAccess(loc, name))});
}

Value createContiguousBytes(OpBuilder &builder, Location loc, Value memref) {
  int64_t count = cast<MemRefType>(memref.getType()).getNumElements();
  return createI64(builder, loc, count * getBytesPerElement(memref));
}

void createMemoryState(OpBuilder &builder, Location loc,
                       KernelLowering &lowering, Value memref, bool defined) {
  createDims(builder, loc, lowering, memref);
  createRuntimeCall(builder, loc, lowering, "gridirTaskMemory",
                    {createAddress(builder, loc, memref),
                     createI64(builder, loc, getBytesPerElement(memref)),
                     createI64(builder, loc, defined)});
}

void createCopyDims(OpBuilder &builder, Location loc, KernelLowering &lowering,
                    Value source, Value dest) {
  auto from = memref::ExtractStridedMetadataOp::create(builder, loc, source);
  auto to = memref::ExtractStridedMetadataOp::create(builder, loc, dest);
  for (auto [size, strideFrom, strideTo] :
       llvm::zip_equal(to.getSizes(), from.getStrides(), to.getStrides()))
    createRuntimeCall(builder, loc, lowering, "gridirTaskDim",
                      {toI64(builder, loc, size),
                       toI64(builder, loc, strideFrom),
                       toI64(builder, loc, strideTo)});
}

void createMemoryTransfer(OpBuilder &builder, Location loc,
                          KernelLowering &lowering, Value source, Value dest) {
  createCopyDims(builder, loc, lowering, source, dest);
  createRuntimeCall(builder, loc, lowering, "gridirTaskTransfer",
                    {createAddress(builder, loc, source),
                     createAddress(builder, loc, dest),
                     createI64(builder, loc, getBytesPerElement(dest))});
}

namespace {

class RecordAccessPattern : public LoweringPattern<RecordAccessOp> {
public:
  using LoweringPattern::LoweringPattern;

  LogicalResult matchAndRewrite(RecordAccessOp op,
                                PatternRewriter &rewriter) const override {
    // If no memref shows the view, all of its source counts as accessed.
    RefView view = resolveRef(op.getRef());
    bool isWhole = op.getIndices().empty() && !op.getMask();
    if (isWhole || !view.pending.empty())
      createRecordedAccess(rewriter, op.getLoc(), lowering, view.memref,
                           op.getKind(), lowering.getName(op.getRef()),
                           op.getRoot() ? getMemRef(op.getRoot()) : Value());
    else
      createElements(op, view.memref, rewriter);
    if (op->hasAttr(kCopiedAttrName))
      createMemoryState(rewriter, op.getLoc(), lowering, view.memref,
                        /*defined=*/true);
    rewriter.eraseOp(op);
    return success();
  }

private:
  void createElements(RecordAccessOp op, Value memref,
                      PatternRewriter &rewriter) const {
    Location loc = op.getLoc();
    ArrayRef<int64_t> shape =
        op.getIndices().empty()
            ? cast<MemRefType>(memref.getType()).getShape()
            : cast<RankedTensorType>(op.getIndices().front().getType())
                  .getShape();
    Value zero = createIndex(rewriter, loc, 0);
    Value one = createIndex(rewriter, loc, 1);
    SmallVector<Value> upper;
    for (int64_t extent : shape)
      upper.push_back(createIndex(rewriter, loc, extent));
    SmallVector<Value> lower(upper.size(), zero), step(upper.size(), one);
    Value mask = op.getMask() ? toTensor(rewriter, loc, op.getMask()) : Value();
    scf::buildLoopNest(
        rewriter, loc, lower, upper, step,
        [&](OpBuilder &builder, Location loc, ValueRange position) {
          createElement(op, memref, mask, position, builder, loc);
        });
  }

  /// The access at one position of the index tensors, or of a mask of the whole
  /// Ref. An index outside the Ref is another error, and no access.
  void createElement(RecordAccessOp op, Value memref, Value mask,
                     ValueRange position, OpBuilder &builder,
                     Location loc) const {
    auto type = cast<MemRefType>(memref.getType());
    SmallVector<OpFoldResult> offsets(type.getRank(), builder.getIndexAttr(0));
    SmallVector<OpFoldResult> strides(type.getRank(), builder.getIndexAttr(1));
    SmallVector<OpFoldResult> sizes;
    for (int64_t extent : type.getShape())
      sizes.push_back(builder.getIndexAttr(extent));
    Value happens;
    if (mask)
      happens = tensor::ExtractOp::create(builder, loc, mask, position);
    for (auto [dim, indices] : llvm::zip_equal(op.getDims(), op.getIndices())) {
      Value index =
          toIndex(builder, loc,
                  tensor::ExtractOp::create(builder, loc, indices, position)
                      .getResult());
      // As an unsigned number a negative index is too large.
      Value inside = arith::CmpIOp::create(
          builder, loc, arith::CmpIPredicate::ult, index,
          createIndex(builder, loc, type.getDimSize(dim)));
      happens =
          happens
              ? arith::AndIOp::create(builder, loc, happens, inside).getResult()
              : inside;
      offsets[dim] = index;
      sizes[dim] = builder.getIndexAttr(1);
    }
    if (op.getIndices().empty()) {
      offsets = getAsOpFoldResult(position);
      sizes.assign(type.getRank(), builder.getIndexAttr(1));
    }
    scf::IfOp::create(
        builder, loc, happens, [&](OpBuilder &builder, Location loc) {
          Value element = memref::SubViewOp::create(builder, loc, memref,
                                                    offsets, sizes, strides);
          createRecordedAccess(builder, loc, lowering, element, op.getKind(),
                               lowering.getName(op.getRef()));
          scf::YieldOp::create(builder, loc);
        });
  }
};

} // namespace

void populateRecordedAccessPatterns(RewritePatternSet &patterns,
                                    KernelLowering &lowering) {
  patterns.add<RecordAccessPattern>(patterns.getContext(), lowering);
}

} // namespace gridir
