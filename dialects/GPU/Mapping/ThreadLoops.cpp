//===- ThreadLoops.cpp - linalg ops as loops over the threads of a CTA ----===//
//
// Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dialects/GPU/Mapping/ThreadLoops.h"

#include "dialects/Support/CountableTypes.h"
#include "dialects/Support/NeutralElement.h"

#include "mlir/Analysis/SliceAnalysis.h"
#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Arith/Utils/Utils.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/Linalg/Utils/Utils.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/IRMapping.h"
#include "llvm/ADT/bit.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;

namespace gridir::gpu {
namespace {

/// The iteration space of a linalg op, with parallel and reduction dimensions
/// separated.
struct Space {
  SmallVector<unsigned> parallel, reduction;
  SmallVector<OpFoldResult> sizes;

  Space(OpBuilder &builder, linalg::LinalgOp op) {
    for (Range range : op.createLoopRanges(builder, op.getLoc()))
      sizes.push_back(range.size);
    for (auto [d, type] : llvm::enumerate(op.getIteratorTypesArray()))
      (linalg::isParallelIterator(type) ? parallel : reduction).push_back(d);
  }

  SmallVector<OpFoldResult> getSizes(ArrayRef<unsigned> dims) const {
    return llvm::map_to_vector(dims, [&](unsigned d) { return sizes[d]; });
  }
};

OpFoldResult createProduct(OpBuilder &builder, Location loc,
                           ArrayRef<OpFoldResult> sizes) {
  SmallVector<int64_t> constants;
  Value rest;
  for (OpFoldResult size : sizes) {
    if (std::optional<int64_t> value = getConstantIntValue(size))
      constants.push_back(*value);
    else
      rest = rest ? arith::MulIOp::create(builder, loc, rest, cast<Value>(size))
                        .getResult()
                  : cast<Value>(size);
  }
  int64_t known = gridir::countPoints(constants).value_or(0);
  if (!rest)
    return builder.getIndexAttr(known);
  Value factor = arith::ConstantIndexOp::create(builder, loc, known);
  return arith::MulIOp::create(builder, loc, rest, factor).getResult();
}

/// Writes to `coordinates` those of element `linear` of a row-major box of the
/// dimensions `dims`.
void delinearize(OpBuilder &builder, Location loc, Value linear,
                 const Space &space, ArrayRef<unsigned> dims,
                 MutableArrayRef<Value> coordinates) {
  for (unsigned d : llvm::reverse(dims)) {
    if (d == dims.front()) {
      coordinates[d] = linear;
      return;
    }
    Value size = getValueOrCreateConstantIndexOp(builder, loc, space.sizes[d]);
    coordinates[d] = arith::RemUIOp::create(builder, loc, linear, size);
    linear = arith::DivUIOp::create(builder, loc, linear, size);
  }
}

/// The indices that a map gives for a point of the iteration space.
SmallVector<Value> createIndices(OpBuilder &builder, Location loc,
                                 AffineMap map, ValueRange coordinates) {
  SmallVector<OpFoldResult> dims(coordinates.begin(), coordinates.end());
  SmallVector<Value> indices;
  for (AffineExpr expr : map.getResults()) {
    AffineMap single = AffineMap::get(map.getNumDims(), 0, expr);
    indices.push_back(getValueOrCreateConstantIndexOp(
        builder, loc,
        affine::makeComposedFoldedAffineApply(builder, loc, single, dims)));
  }
  return indices;
}

Value createLoad(OpBuilder &builder, linalg::LinalgOp op, OpOperand *operand,
                 ValueRange coordinates) {
  if (!isa<MemRefType>(operand->get().getType()))
    return operand->get();
  AffineMap map = op.getMatchingIndexingMap(operand);
  return memref::LoadOp::create(
      builder, op.getLoc(), operand->get(),
      createIndices(builder, op.getLoc(), map, coordinates));
}

void createStore(OpBuilder &builder, linalg::LinalgOp op, OpOperand *operand,
                 Value value, ValueRange coordinates) {
  AffineMap map = op.getMatchingIndexingMap(operand);
  memref::StoreOp::create(
      builder, op.getLoc(), value, operand->get(),
      createIndices(builder, op.getLoc(), map, coordinates));
}

/// The body of `op` at one point, with the results so far; gives the next ones.
SmallVector<Value> inlineBody(OpBuilder &builder, linalg::LinalgOp op,
                              ValueRange coordinates, ValueRange results) {
  IRMapping mapping;
  for (OpOperand *input : op.getDpsInputOperands()) {
    BlockArgument arg = op.getMatchingBlockArgument(input);
    if (!arg.use_empty())
      mapping.map(arg, createLoad(builder, op, input, coordinates));
  }
  for (auto [arg, result] : llvm::zip_equal(op.getRegionOutputArgs(), results))
    if (result)
      mapping.map(arg, result);

  // A multiplication whose result is added directly becomes an FMA.
  bool fuses = linalg::isaContractionOpInterface(op);
  for (Operation &inner : op.getBlock()->without_terminator()) {
    if (auto index = dyn_cast<linalg::IndexOp>(inner)) {
      mapping.map(index.getResult(), coordinates[index.getDim()]);
      continue;
    }
    Operation *copy = builder.clone(inner, mapping);
    copy->walk([&](linalg::IndexOp index) {
      index.replaceAllUsesWith(coordinates[index.getDim()]);
      index.erase();
    });
    if (!fuses)
      continue;
    if (auto multiply = dyn_cast<arith::MulFOp>(copy))
      multiply.setFastmath(arith::FastMathFlags::contract);
    if (auto add = dyn_cast<arith::AddFOp>(copy))
      add.setFastmath(arith::FastMathFlags::contract);
  }
  return llvm::map_to_vector(
      op.getBlock()->getTerminator()->getOperands(),
      [&](Value value) { return mapping.lookupOrDefault(value); });
}

/// True if the location of a result depends on a reduction dimension, so that
/// it cannot stay in a register.
bool moves(linalg::LinalgOp op, OpOperand &init, const Space &space) {
  AffineMap map = op.getMatchingIndexingMap(&init);
  return llvm::any_of(space.reduction,
                      [&](unsigned d) { return map.isFunctionOfDim(d); });
}

} // namespace

void createThreadLoop(OpBuilder &builder, Location loc, int64_t numThreads,
                      OpFoldResult count, ThreadBody body) {
  std::optional<int64_t> known = getConstantIntValue(count);
  bool once = known && *known <= numThreads;
  OpFoldResult threads = builder.getIndexAttr(once ? *known : numThreads);
  auto mapping = builder.getArrayAttr(mlir::gpu::GPUThreadMappingAttr::get(
      builder.getContext(), mlir::gpu::MappingId::DimX));
  auto loop = scf::ForallOp::create(builder, loc, ArrayRef(threads),
                                    ValueRange(), mapping);
  OpBuilder inner(loop.getTerminator());
  Value thread = loop.getInductionVar(0);
  if (once)
    return body(inner, loc, thread);
  Value bound = getValueOrCreateConstantIndexOp(inner, loc, count);
  Value step = arith::ConstantIndexOp::create(inner, loc, numThreads);
  scf::ForOp::create(
      inner, loc, thread, bound, step, ValueRange(),
      [&](OpBuilder &builder, Location loc, Value number, ValueRange) {
        body(builder, loc, number);
        scf::YieldOp::create(builder, loc);
      });
}

void createElementLoops(OpBuilder &builder, linalg::LinalgOp op,
                        int64_t numThreads) {
  Space space(builder, op);
  Location loc = op.getLoc();
  OpFoldResult count =
      createProduct(builder, loc, space.getSizes(space.parallel));
  createThreadLoop(
      builder, loc, numThreads, count,
      [&](OpBuilder &builder, Location loc, Value number) {
        SmallVector<Value> coordinates(space.sizes.size());
        delinearize(builder, loc, number, space, space.parallel, coordinates);
        // Results with a fixed location are kept in registers.
        SmallVector<OpOperand *> fixed;
        SmallVector<Value> initial;
        MutableArrayRef<OpOperand> inits = op.getDpsInitsMutable();
        auto isUsed = [&](OpOperand &init) {
          return !op.getMatchingBlockArgument(&init).use_empty();
        };
        bool reduces = !space.reduction.empty();
        for (OpOperand &init : inits)
          if (reduces && !moves(op, init, space)) {
            fixed.push_back(&init);
            initial.push_back(createLoad(builder, op, &init, coordinates));
          }
        auto step = [&](OpBuilder &builder, ValueRange carried) {
          SmallVector<Value> results, kept;
          for (OpOperand &init : inits) {
            auto found = llvm::find(fixed, &init);
            if (found != fixed.end())
              results.push_back(carried[found - fixed.begin()]);
            else if (isUsed(init))
              results.push_back(createLoad(builder, op, &init, coordinates));
            else
              results.push_back(Value());
          }
          SmallVector<Value> next =
              inlineBody(builder, op, coordinates, results);
          for (auto [init, value] : llvm::zip_equal(inits, next)) {
            if (llvm::is_contained(fixed, &init))
              kept.push_back(value);
            else
              createStore(builder, op, &init, value, coordinates);
          }
          return kept;
        };
        if (!reduces) {
          (void)step(builder, {});
          return;
        }
        SmallVector<Value> lower, upper, steps;
        for (unsigned d : space.reduction) {
          lower.push_back(arith::ConstantIndexOp::create(builder, loc, 0));
          steps.push_back(arith::ConstantIndexOp::create(builder, loc, 1));
          upper.push_back(
              getValueOrCreateConstantIndexOp(builder, loc, space.sizes[d]));
        }
        scf::LoopNest nest = scf::buildLoopNest(
            builder, loc, lower, upper, steps, initial,
            [&](OpBuilder &builder, Location, ValueRange ivs,
                ValueRange carried) -> scf::ValueVector {
              for (auto [d, iv] : llvm::zip_equal(space.reduction, ivs))
                coordinates[d] = iv;
              SmallVector<Value> kept = step(builder, carried);
              return scf::ValueVector(kept.begin(), kept.end());
            });
        for (unsigned d : space.reduction)
          coordinates[d] =
              lower.front(); // Not read: these results do not depend on it.
        for (auto [init, value] : llvm::zip_equal(fixed, nest.results))
          createStore(builder, op, init, value, coordinates);
      });
}

std::optional<SplitReduction> matchSplitReduction(linalg::LinalgOp op,
                                                  int64_t numThreads) {
  SmallVector<int64_t> sizes = op.getStaticLoopRanges();
  if (llvm::any_of(sizes, ShapedType::isDynamic) ||
      op.getNumReductionLoops() == 0 ||
      !gridir::areArraysOfNumbers(op->getOperandTypes()))
    return std::nullopt;
  SmallVector<int64_t> parallel, reduced;
  for (auto [size, type] : llvm::zip_equal(sizes, op.getIteratorTypesArray()))
    (linalg::isParallelIterator(type) ? parallel : reduced).push_back(size);
  SplitReduction split{gridir::countPoints(parallel).value(),
                       gridir::countPoints(reduced).value(),
                       0,
                       {},
                       {},
                       0};
  if (split.points == 0 || split.elements == 0)
    return std::nullopt;
  split.lanes = llvm::bit_floor(static_cast<uint64_t>(
      std::min(numThreads / split.points, split.elements)));
  if (split.lanes < 2)
    return std::nullopt;
  OpBuilder builder(op);
  Space space(builder, op);
  for (auto [i, init] : llvm::enumerate(op.getDpsInitsMutable())) {
    SmallVector<Operation *> combiners;
    if (moves(op, init, space) ||
        !matchReduction(op.getRegionOutputArgs(), i, combiners) ||
        combiners.size() != 1)
      return std::nullopt;
    std::optional<TypedAttr> neutral = gridir::getNeutralElement(combiners[0]);
    if (!neutral)
      return std::nullopt;
    split.combiners.push_back(combiners[0]);
    split.neutrals.push_back(*neutral);
    Type type = neutral->getType();
    split.bytes +=
        split.points * split.lanes *
        (type.isIndex() ? sizeof(int64_t)
                        : llvm::divideCeil(type.getIntOrFloatBitWidth(), 8));
  }
  return split;
}

/// Combines each carried value with the partial result at a place.
static SmallVector<Value>
createCombined(OpBuilder &builder, Location loc, linalg::LinalgOp op,
               const SplitReduction &split, ValueRange partials,
               ArrayRef<Value> place, ValueRange carried) {
  SmallVector<Value> next;
  for (auto [i, combiner] : llvm::enumerate(split.combiners)) {
    Value value = memref::LoadOp::create(builder, loc, partials[i], place);
    if (value.getType() != combiner->getResult(0).getType())
      value = arith::TruncIOp::create(builder, loc,
                                      combiner->getResult(0).getType(), value);
    Value sum = op.getRegionOutputArgs()[i];
    IRMapping mapping;
    for (Value operand : combiner->getOperands())
      mapping.map(operand, operand == sum ? carried[i] : value);
    next.push_back(builder.clone(*combiner, mapping)->getResult(0));
  }
  return next;
}

void createSplitReduction(OpBuilder &builder, linalg::LinalgOp op,
                          const SplitReduction &split, int64_t numThreads) {
  Space space(builder, op);
  Location loc = op.getLoc();
  MutableArrayRef<OpOperand> inits = op.getDpsInitsMutable();
  SmallVector<Value> partials;
  for (TypedAttr neutral : split.neutrals) {
    // A bool is a byte in memory.
    Type type = neutral.getType();
    if (type.isInteger(1))
      type = builder.getI8Type();
    partials.push_back(memref::AllocOp::create(
        builder, loc, MemRefType::get({split.points, split.lanes}, type)));
  }
  auto toMemory = [](OpBuilder &builder, Location loc, Value value) -> Value {
    if (!value.getType().isInteger(1))
      return value;
    return arith::ExtUIOp::create(builder, loc, builder.getI8Type(), value);
  };

  createThreadLoop(
      builder, loc, numThreads,
      builder.getIndexAttr(split.points * split.lanes),
      [&](OpBuilder &builder, Location loc, Value number) {
        SmallVector<Value> coordinates(space.sizes.size());
        Value lanes = arith::ConstantIndexOp::create(builder, loc, split.lanes);
        Value point = arith::DivUIOp::create(builder, loc, number, lanes);
        Value lane = arith::RemUIOp::create(builder, loc, number, lanes);
        delinearize(builder, loc, point, space, space.parallel, coordinates);
        SmallVector<Value> neutrals;
        for (TypedAttr neutral : split.neutrals)
          neutrals.push_back(arith::ConstantOp::create(builder, loc, neutral));
        Value bound =
            arith::ConstantIndexOp::create(builder, loc, split.elements);
        auto loop = scf::ForOp::create(
            builder, loc, lane, bound, lanes, neutrals,
            [&](OpBuilder &builder, Location loc, Value element,
                ValueRange carried) {
              delinearize(builder, loc, element, space, space.reduction,
                          coordinates);
              scf::YieldOp::create(
                  builder, loc, inlineBody(builder, op, coordinates, carried));
            });
        for (auto [partial, value] :
             llvm::zip_equal(partials, loop.getResults()))
          memref::StoreOp::create(builder, loc, toMemory(builder, loc, value),
                                  partial, ValueRange{point, lane});
      });

  createThreadLoop(
      builder, loc, numThreads, builder.getIndexAttr(split.points),
      [&](OpBuilder &builder, Location loc, Value point) {
        Value zero = arith::ConstantIndexOp::create(builder, loc, 0);
        Value one = arith::ConstantIndexOp::create(builder, loc, 1);
        Value lanes = arith::ConstantIndexOp::create(builder, loc, split.lanes);
        SmallVector<Value> coordinates(space.sizes.size(), zero), initial;
        delinearize(builder, loc, point, space, space.parallel, coordinates);
        for (OpOperand &init : inits)
          initial.push_back(createLoad(builder, op, &init, coordinates));
        auto loop = scf::ForOp::create(
            builder, loc, zero, lanes, one, initial,
            [&](OpBuilder &builder, Location loc, Value lane,
                ValueRange carried) {
              scf::YieldOp::create(builder, loc,
                                   createCombined(builder, loc, op, split,
                                                  partials, {point, lane},
                                                  carried));
            });
        for (auto [init, value] : llvm::zip_equal(inits, loop.getResults()))
          createStore(builder, op, &init, value, coordinates);
      });
}

} // namespace gridir::gpu
