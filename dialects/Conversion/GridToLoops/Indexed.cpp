//===- Indexed.cpp - Gathers, scatters and atomic updates -----------------===//
//
// Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dialects/Conversion/GridToLoops/Async.h"
#include "dialects/Conversion/GridToLoops/LoopNests.h"
#include "dialects/Conversion/GridToLoops/Views.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Bufferization/IR/Bufferization.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;
using namespace gridir::grid;

namespace gridir {
Value createCombination(OpBuilder &builder, Location loc, AtomicKind kind,
                        Value old, Value value) {
  switch (kind) {
  case AtomicKind::Xchg:
    return value;
  case AtomicKind::Add:
    return createAdd(builder, loc, old, value);
  case AtomicKind::MaxS:
    return arith::MaxSIOp::create(builder, loc, old, value);
  case AtomicKind::MaxU:
    return arith::MaxUIOp::create(builder, loc, old, value);
  case AtomicKind::MaxF:
    return arith::MaximumFOp::create(builder, loc, old, value);
  case AtomicKind::MinS:
    return arith::MinSIOp::create(builder, loc, old, value);
  case AtomicKind::MinU:
    return arith::MinUIOp::create(builder, loc, old, value);
  case AtomicKind::MinF:
    return arith::MinimumFOp::create(builder, loc, old, value);
  case AtomicKind::And:
    return arith::AndIOp::create(builder, loc, old, value);
  case AtomicKind::Or:
    return arith::OrIOp::create(builder, loc, old, value);
  case AtomicKind::Xor:
    return arith::XOrIOp::create(builder, loc, old, value);
  }
  llvm_unreachable("all kinds are handled");
}

namespace {

ArrayRef<int64_t> getIndexShape(ValueRange indices) {
  return cast<RankedTensorType>(indices.front().getType()).getShape();
}

/// True if `index` lies in dimension `extent`.
Value createInBounds(OpBuilder &builder, Location loc, Value index,
                     int64_t extent) {
  // As an unsigned number a negative index is too large.
  return arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::ult, index,
                               createIndex(builder, loc, extent));
}

/// Reports an index of `access` that is outside of its Ref, at elements whose
/// mask is true, unless the access needs no check. Returns an i1 that is true
/// if all indices are inside.
Value createCheck(OpBuilder &builder, Location loc, KernelLowering &lowering,
                  RefAccessOpInterface access, ValueRange indices, Value mask) {
  Value ref = access.getAccessedRef();
  bool reports = !lowering.unchecked.contains(access);
  auto type = cast<MemRefType>(ref.getType());
  Value inside;
  for (auto [dim, index] : llvm::zip_equal(access.getAccessDims(), indices)) {
    int64_t extent = type.getDimSize(dim);
    Value holds = createInBounds(builder, loc, index, extent);
    Value fails = arith::XOrIOp::create(
        builder, loc, holds, arith::ConstantIntOp::create(builder, loc, 1, 1));
    if (mask)
      fails = arith::AndIOp::create(builder, loc, fails, mask);
    if (reports)
      lowering.reportIf(builder, loc, fails,
                        "index {0} is out of bounds [0, {1}) in dimension " +
                            Twine(dim) + " of " + lowering.getName(ref),
                        index, createIndex(builder, loc, extent));
    inside =
        inside ? arith::AndIOp::create(builder, loc, inside, holds).getResult()
               : holds;
  }
  return inside;
}

SmallVector<Value> extractIndices(OpBuilder &builder, Location loc,
                                  ValueRange indices, ValueRange position) {
  SmallVector<Value> result;
  for (Value index : indices)
    result.push_back(
        toIndex(builder, loc, extractAt(builder, loc, index, position)));
  return result;
}

class GatherPattern : public LoweringPattern<GatherOp> {
public:
  using LoweringPattern::LoweringPattern;

  LogicalResult matchAndRewrite(GatherOp gather,
                                PatternRewriter &rewriter) const override {
    Location loc = gather.getLoc();
    auto refType = cast<MemRefType>(gather.getRef().getType());
    if (refType.getNumElements() == 0)
      return lowering.fail(gather,
                           "expected a Ref with elements to gather from");
    ArrayRef<int64_t> indexShape = getIndexShape(gather.getIndices());
    if (!lowering.unchecked.contains(gather))
      createLoopNest(
          rewriter, loc, indexShape,
          [&](OpBuilder &builder, Location loc, ValueRange position) {
            Value mask;
            if (gather.getMask())
              mask =
                  extractAt(builder, loc,
                            toTensor(builder, loc, gather.getMask()), position);
            createCheck(
                builder, loc, lowering, gather,
                extractIndices(builder, loc, gather.getIndices(), position),
                mask);
          });

    Value source = readRef(rewriter, loc, gather.getRef());
    if (lowering.hazards.needsCopy(gather)) {
      ++lowering.counts.loadsCopied;
      source = bufferization::AllocTensorOp::create(
          rewriter, loc, cast<RankedTensorType>(source.getType()), ValueRange(),
          source);
    }
    Value result = createGather(gather, source, rewriter);
    if (!isa<RankedTensorType>(gather.getResult().getType()))
      result = toScalar(rewriter, loc, result);
    rewriter.replaceOp(gather, result);
    return success();
  }

private:
  /// Creates one generic op over the result, with indices clamped to the Ref.
  Value createGather(GatherOp gather, Value source,
                     PatternRewriter &rewriter) const {
    Location loc = gather.getLoc();
    auto refType = cast<MemRefType>(gather.getRef().getType());
    unsigned indexRank = getIndexShape(gather.getIndices()).size();
    SmallVector<int64_t> shape(getIndexShape(gather.getIndices()));
    for (int64_t d = 0; d < refType.getRank(); ++d)
      if (!llvm::is_contained(gather.getDims(), d))
        shape.push_back(refType.getDimSize(d));
    unsigned rank = shape.size();
    AffineMap leading = AffineMap::getMultiDimIdentityMap(rank, getContext())
                            .getMajorSubMap(indexRank);
    if (indexRank == 0)
      leading = AffineMap::get(rank, 0, getContext());
    SmallVector<Value> inputs(gather.getIndices());
    SmallVector<AffineMap> maps(inputs.size(), leading);
    bool selects = gather.getMask() && gather.getOther();
    if (selects) {
      inputs.push_back(gather.getMask());
      maps.push_back(leading);
      inputs.push_back(gather.getOther());
      maps.push_back(isa<RankedTensorType>(gather.getOther().getType())
                         ? rewriter.getMultiDimIdentityMap(rank)
                         : AffineMap::get(rank, 0, getContext()));
    }
    maps.push_back(rewriter.getMultiDimIdentityMap(rank));
    Value empty =
        tensor::EmptyOp::create(rewriter, loc, shape, refType.getElementType());
    SmallVector<utils::IteratorType> iterators(rank,
                                               utils::IteratorType::parallel);
    auto generic = linalg::GenericOp::create(
        rewriter, loc, empty.getType(), inputs, empty, maps, iterators,
        [&](OpBuilder &builder, Location loc, ValueRange args) {
          SmallVector<Value> coordinates(refType.getRank());
          for (auto [dim, arg] : llvm::zip(gather.getDims(), args)) {
            Value index = toIndex(builder, loc, arg);
            index = arith::MaxSIOp::create(builder, loc, index,
                                           createIndex(builder, loc, 0));
            Value last = createIndex(builder, loc, refType.getDimSize(dim) - 1);
            coordinates[dim] =
                arith::MinSIOp::create(builder, loc, index, last);
          }
          unsigned next = indexRank;
          for (Value &coordinate : coordinates)
            if (!coordinate)
              coordinate = linalg::IndexOp::create(builder, loc, next++);
          Value element =
              tensor::ExtractOp::create(builder, loc, source, coordinates);
          if (selects) {
            unsigned mask = gather.getIndices().size();
            element = arith::SelectOp::create(builder, loc, args[mask], element,
                                              args[mask + 1]);
          }
          linalg::YieldOp::create(builder, loc, element);
        });
    return generic.getResult(0);
  }
};

class ScatterPattern : public LoweringPattern<ScatterOp> {
public:
  using LoweringPattern::LoweringPattern;

  LogicalResult matchAndRewrite(ScatterOp scatter,
                                PatternRewriter &rewriter) const override {
    Location loc = scatter.getLoc();
    auto refType = cast<MemRefType>(scatter.getRef().getType());
    // If the Ref has no memref, the elements are written to a copy of it.
    Value memref = getMemRef(scatter.getRef());
    bool isCopy = !memref;
    if (isCopy) {
      memref =
          lowering.allocate(loc, refType.getShape(), refType.getElementType());
      Value old = readRef(rewriter, loc, scatter.getRef());
      bufferization::MaterializeInDestinationOp::create(
          rewriter, loc, TypeRange(), old, memref,
          /*restrict=*/true, /*writable=*/true);
    }
    Value value = toTensor(rewriter, loc, scatter.getValue());
    SmallVector<int64_t> rest;
    for (int64_t d = 0; d < refType.getRank(); ++d)
      if (!llvm::is_contained(scatter.getDims(), d))
        rest.push_back(refType.getDimSize(d));
    // In order, so that the last of equal indices wins.
    createLoopNest(
        rewriter, loc, getIndexShape(scatter.getIndices()),
        [&](OpBuilder &builder, Location loc, ValueRange position) {
          SmallVector<Value> indices =
              extractIndices(builder, loc, scatter.getIndices(), position);
          Value mask;
          if (scatter.getMask())
            mask =
                extractAt(builder, loc,
                          toTensor(builder, loc, scatter.getMask()), position);
          Value writes =
              createCheck(builder, loc, lowering, scatter, indices, mask);
          if (mask)
            writes = arith::AndIOp::create(builder, loc, writes, mask);
          scf::IfOp::create(
              builder, loc, writes, [&](OpBuilder &builder, Location loc) {
                createLoopNest(
                    builder, loc, rest,
                    [&](OpBuilder &builder, Location loc, ValueRange inner) {
                      createElement(builder, loc, scatter, memref, value,
                                    indices, position, inner);
                    });
                scf::YieldOp::create(builder, loc);
              });
        });
    if (isCopy) {
      Value tensor = bufferization::ToTensorOp::create(
          rewriter, loc,
          RankedTensorType::get(refType.getShape(), refType.getElementType()),
          memref, /*restrict=*/true, /*writable=*/false);
      writeRef(rewriter, loc, tensor, scatter.getRef());
    }
    rewriter.eraseOp(scatter);
    return success();
  }

private:
  static void createElement(OpBuilder &builder, Location loc, ScatterOp scatter,
                            Value memref, Value value, ArrayRef<Value> indices,
                            ValueRange outer, ValueRange inner) {
    SmallVector<Value> from(outer);
    llvm::append_range(from, inner);
    SmallVector<Value> to(cast<MemRefType>(memref.getType()).getRank());
    for (auto [dim, index] : llvm::zip_equal(scatter.getDims(), indices))
      to[dim] = index;
    unsigned next = 0;
    for (Value &coordinate : to)
      if (!coordinate)
        coordinate = inner[next++];
    Value element = extractAt(builder, loc, value, from);
    if (scatter.getAdd()) {
      Value old = memref::LoadOp::create(builder, loc, memref, to);
      element = createAdd(builder, loc, old, element);
    }
    memref::StoreOp::create(builder, loc, element, memref, to);
  }
};

//===----------------------------------------------------------------------===//
// Atomic updates: tasks are not preempted, so a load and a store are atomic
//===----------------------------------------------------------------------===//

/// Copies the previous contents of a Ref before the store that follows.
Value createOldValue(OpBuilder &builder, Location loc, Value ref) {
  Value memref = getMemRef(ref);
  if (memref && cast<MemRefType>(ref.getType()).getRank() == 0)
    return memref::LoadOp::create(builder, loc, memref);
  Value old = readRef(builder, loc, ref);
  old = bufferization::AllocTensorOp::create(
      builder, loc, cast<RankedTensorType>(old.getType()), ValueRange(), old);
  return toScalar(builder, loc, old);
}

void createNewValue(OpBuilder &builder, Location loc, Value value, Value ref) {
  Value memref = getMemRef(ref);
  if (memref && cast<MemRefType>(ref.getType()).getRank() == 0)
    memref::StoreOp::create(builder, loc, value, memref);
  else
    writeRef(builder, loc, toTensor(builder, loc, value), ref);
}

class AtomicRmwPattern : public LoweringPattern<AtomicRmwOp> {
public:
  using LoweringPattern::LoweringPattern;

  LogicalResult matchAndRewrite(AtomicRmwOp op,
                                PatternRewriter &rewriter) const override {
    Location loc = op.getLoc();
    Value old = createOldValue(rewriter, loc, op.getRef());
    SmallVector<Value> operands{old, op.getValue()};
    if (op.getMask())
      operands.push_back(op.getMask());
    Value next = createElementwise(
        rewriter, loc, old.getType(), operands,
        [&](OpBuilder &builder, Location loc, ValueRange args) -> Value {
          Value value =
              createCombination(builder, loc, op.getKind(), args[0], args[1]);
          if (args.size() == 3)
            value =
                arith::SelectOp::create(builder, loc, args[2], value, args[0]);
          return value;
        });
    createNewValue(rewriter, loc, next, op.getRef());
    rewriter.replaceOp(op, old);
    return success();
  }
};

class AtomicCasPattern : public LoweringPattern<AtomicCasOp> {
public:
  using LoweringPattern::LoweringPattern;

  LogicalResult matchAndRewrite(AtomicCasOp op,
                                PatternRewriter &rewriter) const override {
    Location loc = op.getLoc();
    if (isa<ComplexType>(getElementTypeOrSelf(op.getValue().getType())))
      return lowering.fail(
          op, "expected integers or floats to compare, got complex numbers");
    Value old = createOldValue(rewriter, loc, op.getRef());
    Value next = createElementwise(
        rewriter, loc, old.getType(), {old, op.getCompare(), op.getValue()},
        [&](OpBuilder &builder, Location loc, ValueRange args) -> Value {
          Value equal;
          if (isa<FloatType>(args[0].getType()))
            equal = arith::CmpFOp::create(
                builder, loc, arith::CmpFPredicate::OEQ, args[0], args[1]);
          else
            equal = arith::CmpIOp::create(
                builder, loc, arith::CmpIPredicate::eq, args[0], args[1]);
          return arith::SelectOp::create(builder, loc, equal, args[2], args[0]);
        });
    createNewValue(rewriter, loc, next, op.getRef());
    rewriter.replaceOp(op, old);
    return success();
  }
};

} // namespace

void populateIndexedPatterns(RewritePatternSet &patterns,
                             KernelLowering &lowering) {
  patterns
      .add<GatherPattern, ScatterPattern, AtomicRmwPattern, AtomicCasPattern>(
          patterns.getContext(), lowering);
}

} // namespace gridir
