//===- Arrays.cpp - Arithmetic on what threads hold -----------------------===//
//
// Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dialects/Conversion/WarpgroupToNVVM/Structured.h"

#include "mlir/Dialect/Affine/Utils.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/IRMapping.h"

using namespace mlir;

namespace gridir::warpgroup_to_nvvm {

LogicalResult lowerElementwise(Operation *op, Lowering &lowering) {
  OpBuilder &builder = lowering.builder;
  Value result = op->getResult(0);
  // Products of two words have no trait of elementwise ops.
  bool isElementwise = op->hasTrait<OpTrait::Elementwise>() ||
                       isa<arith::MulSIExtendedOp, arith::MulUIExtendedOp>(op);
  bool isArray = llvm::any_of(op->getOperandTypes(), llvm::IsaPred<TensorType>);
  if ((isArray && !isElementwise) ||
      (!isArray && isa<TensorType>(result.getType())))
    return op->emitError("expected an op that has a lowering for GPUs, got ")
           << op->getName();
  FailureOr<SmallVector<Type>> types =
      lowering.convertType(op, result.getType());
  if (failed(types))
    return failure();
  SmallVector<Registers> registers(op->getNumResults());
  for (auto [r, type] : llvm::enumerate(*types)) {
    SmallVector<Value> operands;
    for (Value operand : op->getOperands()) {
      const Registers &values = lowering.get(operand);
      operands.push_back(isa<TensorType>(operand.getType()) ? values[r]
                                                            : values.front());
    }
    // All results have one type.
    Operation *part = createLike(builder, op, operands,
                                 SmallVector<Type>(op->getNumResults(), type));
    for (auto [of, value] : llvm::zip_equal(registers, part->getResults()))
      of.push_back(value);
  }
  for (auto [value, of] : llvm::zip_equal(op->getResults(), registers))
    lowering.set(value, std::move(of));
  return success();
}

void SharedArrays::add(Value array) {
  if (contains(array))
    return;
  const Distribution &distribution = lowering.getDistribution(array);
  View view =
      lowering.createShared(loc, lowering.get(array), distribution, bytes);
  bytes += llvm::alignTo(
      distribution.getNumElements() * view.storage->getElementBytes(), 16);
  views.insert({array, std::move(view)});
}

Value SharedArrays::load(Value array, ArrayRef<Value> coords) const {
  OpBuilder &builder = lowering.builder;
  const View &view = views.find(array)->second;
  Type element = view.getElementType();
  Value value = LLVM::LoadOp::create(builder, loc, getStorageType(element),
                                     lowering.createAddress(loc, view, coords));
  return fromStorage(builder, loc, value, element);
}

SmallVector<Value> inlineBody(Lowering &lowering, linalg::LinalgOp op,
                              ValueRange elements, ArrayRef<Value> indices,
                              const SharedArrays &arrays) {
  OpBuilder &builder = lowering.builder;
  IRMapping mapping;
  Block *body = op.getBlock();
  mapping.map(body->getArguments(), elements);
  for (Operation &inner : body->without_terminator()) {
    if (auto index = dyn_cast<linalg::IndexOp>(inner)) {
      mapping.map(index.getResult(),
                  toIndex(builder, op.getLoc(), indices[index.getDim()]));
      continue;
    }
    for (Value operand : inner.getOperands())
      if (!mapping.contains(operand) && !isa<TensorType>(operand.getType()))
        mapping.map(operand, lowering.getScalar(operand));
    if (auto extract = dyn_cast<tensor::ExtractOp>(inner)) {
      auto coords = llvm::map_to_vector(extract.getIndices(), [&](Value index) {
        return toI32(builder, op.getLoc(), mapping.lookup(index));
      });
      mapping.map(extract.getResult(),
                  arrays.load(extract.getTensor(), coords));
      continue;
    }
    builder.clone(inner, mapping);
  }
  return llvm::map_to_vector(
      body->getTerminator()->getOperands(), [&](Value value) {
        return mapping.contains(value) ? mapping.lookup(value)
                                       : lowering.getScalar(value);
      });
}

std::optional<SmallVector<int64_t>> getMapDims(AffineMap map) {
  SmallVector<int64_t> dims;
  for (AffineExpr expr : map.getResults()) {
    auto dim = dyn_cast<AffineDimExpr>(expr);
    if (!dim)
      return std::nullopt;
    dims.push_back(dim.getPosition());
  }
  return dims;
}

SmallVector<Value> createMapped(OpBuilder &builder, Location loc, AffineMap map,
                                ArrayRef<Value> indices) {
  auto operands = llvm::map_to_vector(
      indices, [&](Value i) { return toIndex(builder, loc, i); });
  return llvm::map_to_vector(map.getResults(), [&](AffineExpr expr) -> Value {
    return toI32(builder, loc,
                 affine::expandAffineExpr(builder, loc, expr, operands, {}));
  });
}

LogicalResult refuseStructured(linalg::LinalgOp op, StringRef expected) {
  return op->emitError("expected ")
         << expected << " on a GPU, got " << op->getName();
}

LogicalResult addRead(linalg::LinalgOp op, SharedArrays &arrays) {
  WalkResult walked = op->getRegion(0).walk([&](Operation *inner) {
    for (Value operand : inner->getOperands()) {
      if (!isa<TensorType>(operand.getType()))
        continue;
      if (!isa<tensor::ExtractOp>(inner) || inner->getBlock() != op.getBlock())
        return WalkResult::interrupt();
      arrays.add(operand);
    }
    return WalkResult::advance();
  });
  return walked.wasInterrupted()
             ? refuseStructured(op,
                                "a body that reads single elements of arrays")
             : success();
}

namespace {

//===----------------------------------------------------------------------===//
// Values without operands
//===----------------------------------------------------------------------===//

LogicalResult lowerConstant(arith::ConstantOp op, Lowering &lowering) {
  OpBuilder &builder = lowering.builder;
  FailureOr<SmallVector<Type>> types = lowering.convertType(op, op.getType());
  if (failed(types))
    return failure();
  TypedAttr value = op.getValue();
  if (auto elements = dyn_cast<ElementsAttr>(value)) {
    if (!elements.isSplat())
      return op.emitError("expected a splat constant on a GPU, got ")
             << op.getType();
    value = elements.getSplatValue<TypedAttr>();
  }
  Value constant = arith::ConstantOp::create(builder, op.getLoc(), value);
  lowering.set(op.getResult(), Registers(types->size(), constant));
  return success();
}

LogicalResult lowerEmpty(tensor::EmptyOp op, Lowering &lowering) {
  FailureOr<SmallVector<Type>> types = lowering.convertType(op, op.getType());
  if (failed(types))
    return failure();
  Value zero = createZero(lowering.builder, op.getLoc(), types->front());
  lowering.set(op.getResult(), Registers(types->size(), zero));
  return success();
}

LogicalResult lowerSplat(tensor::SplatOp op, Lowering &lowering) {
  FailureOr<SmallVector<Type>> types = lowering.convertType(op, op.getType());
  if (failed(types))
    return failure();
  lowering.set(op.getResult(),
               Registers(types->size(), lowering.getScalar(op.getInput())));
  return success();
}

//===----------------------------------------------------------------------===//
// Structured ops
//===----------------------------------------------------------------------===//

/// Computes each element of the result from one element of each operand.
LogicalResult lowerParallel(linalg::LinalgOp op, Lowering &lowering) {
  OpBuilder &builder = lowering.builder;
  Location loc = op.getLoc();
  Value result = op->getResult(0);
  Distribution to = lowering.getDistribution(result);
  AffineMap resultMap = op.getIndexingMapsArray().back();
  if (!resultMap.isPermutation())
    return refuseStructured(op, "results that are indexed by permuted loops");
  SmallVector<int64_t> resultDims = *getMapDims(resultMap);
  // The dimension of the result that is dimension `d` of the loops.
  SmallVector<int64_t> ofLoop(resultDims.size());
  for (auto [i, d] : llvm::enumerate(resultDims))
    ofLoop[d] = i;
  SharedArrays arrays(loc, lowering);
  if (failed(addRead(op, arrays)))
    return failure();
  SmallVector<Registers> operands;
  bool readsIndices = op.hasIndexSemantics();
  for (OpOperand &use : op->getOpOperands()) {
    Value operand = use.get();
    AffineMap map = op.getMatchingIndexingMap(&use);
    // Nothing reads the values of an array that is only written, in any layout.
    if (!isa<TensorType>(operand.getType()) ||
        !op.payloadUsesValueFromOperand(&use)) {
      operands.emplace_back(to.getNumRegisters(),
                            lowering.get(operand).front());
      continue;
    }
    if (!map.isProjectedPermutation()) {
      arrays.add(operand);
      operands.emplace_back();
      readsIndices = true;
      continue;
    }
    SmallVector<int64_t> dims = *getMapDims(map);
    for (int64_t &d : dims)
      d = ofLoop[d];
    operands.push_back(lowering.redistribute(loc, lowering.get(operand),
                                             lowering.getDistribution(operand),
                                             to, dims));
  }
  Registers registers;
  for (unsigned r = 0; r < to.getNumRegisters(); ++r) {
    SmallVector<Value> indices;
    if (readsIndices) {
      SmallVector<Value> element = lowering.createElement(to, r);
      for (int64_t i : ofLoop)
        indices.push_back(element[i]);
    }
    SmallVector<Value> elements;
    for (auto [operand, values, map] : llvm::zip_equal(
             op->getOperands(), operands, op.getIndexingMapsArray()))
      elements.push_back(
          values.empty()
              ? arrays.load(operand, createMapped(builder, loc, map, indices))
              : values[r]);
    registers.push_back(
        inlineBody(lowering, op, elements, indices, arrays).front());
  }
  lowering.set(result, std::move(registers));
  return success();
}

LogicalResult lowerStructured(Operation *operation, Lowering &lowering) {
  auto op = cast<linalg::LinalgOp>(operation);
  if (!op.hasPureTensorSemantics())
    return refuseStructured(op, "tensors");
  for (Type type : op->getResultTypes())
    if (failed(lowering.convertType(op, type)))
      return failure();
  if (op->getNumResults() == 1 && op.getNumReductionLoops() == 0)
    return lowerParallel(op, lowering);
  return lowerReduction(op, lowering);
}

template <typename OpT>
LogicalResult lowerStructuredOp(OpT op, Lowering &lowering) {
  return lowerStructured(op, lowering);
}

//===----------------------------------------------------------------------===//
// Other shapes
//===----------------------------------------------------------------------===//

template <typename OpT> LogicalResult lowerReshape(OpT op, Lowering &lowering) {
  if (failed(lowering.convertType(op, op.getType())))
    return failure();
  Value source = op.getSrc();
  lowering.set(op.getResult(),
               lowering.reshape(op.getLoc(), lowering.get(source),
                                lowering.getDistribution(source),
                                lowering.getDistribution(op.getResult())));
  return success();
}

LogicalResult lowerExtract(tensor::ExtractOp op, Lowering &lowering) {
  OpBuilder &builder = lowering.builder;
  Location loc = op.getLoc();
  const Registers &registers = lowering.get(op.getTensor());
  Distribution distribution = lowering.getDistribution(op.getTensor());
  if (distribution.getNumElements() == 1) {
    lowering.set(op.getResult(), {registers.front()});
    return success();
  }
  SmallVector<Value> coords =
      llvm::map_to_vector(op.getIndices(), [&](Value i) {
        return toI32(builder, loc, lowering.getIndex(i));
      });
  lowering.set(op.getResult(),
               {lowering.fetch(loc, registers, distribution, coords)});
  return success();
}

LogicalResult lowerLayoutCast(warpgroup::LayoutCastOp op, Lowering &lowering) {
  auto type = dyn_cast<RankedTensorType>(op.getType());
  if (!type) {
    lowering.set(op.getResult(), lowering.get(op.getValue()));
    return success();
  }
  lowering.set(op.getResult(),
               lowering.redistribute(op.getLoc(), op.getValue(),
                                     lowering.getDistribution(op.getResult())));
  return success();
}

} // namespace

void addArrayLowerings(Handlers &handlers) {
  handlers.add(lowerConstant);
  handlers.add(lowerEmpty);
  handlers.add(lowerSplat);
  handlers.add(lowerStructuredOp<linalg::BroadcastOp>);
  handlers.add(lowerStructuredOp<linalg::FillOp>);
  handlers.add(lowerStructuredOp<linalg::GenericOp>);
  handlers.add(lowerStructuredOp<linalg::MapOp>);
  handlers.add(lowerStructuredOp<linalg::ReduceOp>);
  handlers.add(lowerStructuredOp<linalg::TransposeOp>);
  handlers.add(lowerReshape<tensor::CollapseShapeOp>);
  handlers.add(lowerReshape<tensor::ExpandShapeOp>);
  handlers.add(lowerExtract);
  handlers.add(lowerLayoutCast);
}

} // namespace gridir::warpgroup_to_nvvm
