//===- Vectors.cpp - Ops on vectors as ops on tensors ---------------------===//
//
// Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dialects/Conversion/TPUToLoops/Raising.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;

namespace gridir::tpu_to_loops {
namespace {

RankedTensorType getTensorType(Type type) {
  auto vector = cast<VectorType>(type);
  return RankedTensorType::get(vector.getShape(), vector.getElementType());
}

LogicalResult raiseConstant(arith::ConstantOp op, Raising &raising) {
  TypedAttr value = op.getValue();
  auto dense = dyn_cast<DenseElementsAttr>(value);
  if (dense && isa<VectorType>(op.getType()))
    value = dense.reshape(getTensorType(op.getType()));
  raising.set(op.getResult(),
              arith::ConstantOp::create(raising.builder, op.getLoc(), value));
  return success();
}

/// One number that chooses between tensors chooses for every element.
LogicalResult raiseSelect(arith::SelectOp op, Raising &raising) {
  Value condition = raising.get(op.getCondition());
  Value first = raising.get(op.getTrueValue());
  auto type = dyn_cast<RankedTensorType>(first.getType());
  if (type && !isa<RankedTensorType>(condition.getType()))
    condition =
        createFill(raising, op.getLoc(), condition,
                   RankedTensorType::get(type.getShape(), condition.getType()));
  raising.set(op.getResult(),
              arith::SelectOp::create(raising.builder, op.getLoc(), condition,
                                      first, raising.get(op.getFalseValue())));
  return success();
}

//===----------------------------------------------------------------------===//
// Shapes
//===----------------------------------------------------------------------===//

LogicalResult raiseShapeCast(vector::ShapeCastOp op, Raising &raising) {
  raising.set(op.getResult(),
              createReshape(raising, op.getLoc(), raising.get(op.getSource()),
                            op.getResultVectorType().getShape()));
  return success();
}

LogicalResult raiseBroadcast(vector::BroadcastOp op, Raising &raising) {
  RankedTensorType type = getTensorType(op.getType());
  Value source = raising.get(op.getSource());
  auto from = dyn_cast<RankedTensorType>(source.getType());
  if (!from) {
    raising.set(op.getResult(), createFill(raising, op.getLoc(), source, type));
    return success();
  }
  int64_t lead = type.getRank() - from.getRank();
  SmallVector<int64_t> added, kept;
  for (int64_t dim = 0; dim < type.getRank(); ++dim) {
    bool isKept =
        dim >= lead && from.getDimSize(dim - lead) == type.getDimSize(dim);
    if (isKept)
      kept.push_back(type.getDimSize(dim));
    else
      added.push_back(dim);
  }
  OpBuilder &builder = raising.builder;
  Location loc = op.getLoc();
  if (kept.empty()) {
    Value zero = arith::ConstantIndexOp::create(builder, loc, 0);
    Value number = tensor::ExtractOp::create(
        builder, loc, source, SmallVector<Value>(from.getRank(), zero));
    raising.set(op.getResult(), createFill(raising, loc, number, type));
    return success();
  }
  source = createReshape(raising, loc, source, kept);
  raising.set(op.getResult(), added.empty()
                                  ? source
                                  : linalg::BroadcastOp::create(
                                        builder, loc, source,
                                        createEmpty(raising, loc, type), added)
                                        ->getResult(0));
  return success();
}

LogicalResult raiseExtract(vector::ExtractOp op, Raising &raising) {
  OpBuilder &builder = raising.builder;
  if (isa<VectorType>(op.getType()) || !op.getDynamicPosition().empty())
    return op.emitError("expected one element at a constant place in a module "
                        "to execute");
  SmallVector<Value> indices;
  for (int64_t place : op.getStaticPosition())
    indices.push_back(
        arith::ConstantIndexOp::create(builder, op.getLoc(), place));
  raising.set(op.getResult(),
              tensor::ExtractOp::create(builder, op.getLoc(),
                                        raising.get(op.getSource()), indices));
  return success();
}

SmallVector<OpFoldResult> toFoldResults(OpBuilder &builder, ArrayAttr values) {
  return llvm::map_to_vector(
      values.getAsValueRange<IntegerAttr>(), [&](const APInt &value) {
        return OpFoldResult(builder.getIndexAttr(value.getSExtValue()));
      });
}

LogicalResult raiseExtractSlice(vector::ExtractStridedSliceOp op,
                                Raising &raising) {
  OpBuilder &builder = raising.builder;
  auto source = cast<VectorType>(op.getSource().getType());
  SmallVector<OpFoldResult> offsets = toFoldResults(builder, op.getOffsets());
  SmallVector<OpFoldResult> sizes = toFoldResults(builder, op.getSizes());
  SmallVector<OpFoldResult> strides = toFoldResults(builder, op.getStrides());
  for (int64_t dim = offsets.size(); dim < source.getRank(); ++dim) {
    offsets.push_back(builder.getIndexAttr(0));
    sizes.push_back(builder.getIndexAttr(source.getDimSize(dim)));
    strides.push_back(builder.getIndexAttr(1));
  }
  raising.set(op.getResult(),
              tensor::ExtractSliceOp::create(
                  builder, op.getLoc(), getTensorType(op.getType()),
                  raising.get(op.getSource()), offsets, sizes, strides));
  return success();
}

LogicalResult raiseTranspose(tpu::TransposeOp op, Raising &raising) {
  RankedTensorType type = getTensorType(op.getType());
  raising.set(op.getResult(),
              linalg::TransposeOp::create(
                  raising.builder, op.getLoc(), raising.get(op.getVector()),
                  createEmpty(raising, op.getLoc(), type), op.getPermutation())
                  ->getResult(0));
  return success();
}

/// Tensors one after another in a dimension.
Value createConcatenation(Raising &raising, Location loc, ValueRange sources,
                          int64_t dim, RankedTensorType type) {
  OpBuilder &builder = raising.builder;
  Value result = createEmpty(raising, loc, type);
  int64_t place = 0;
  for (Value source : sources) {
    auto part = cast<RankedTensorType>(source.getType());
    SmallVector<OpFoldResult> offsets(type.getRank(), builder.getIndexAttr(0));
    SmallVector<OpFoldResult> strides(type.getRank(), builder.getIndexAttr(1));
    auto sizes = llvm::map_to_vector(part.getShape(), [&](int64_t size) {
      return OpFoldResult(builder.getIndexAttr(size));
    });
    offsets[dim] = builder.getIndexAttr(place);
    result = tensor::InsertSliceOp::create(builder, loc, source, result,
                                           offsets, sizes, strides);
    place += part.getDimSize(dim);
  }
  return result;
}

LogicalResult raiseConcatenate(tpu::ConcatenateOp op, Raising &raising) {
  raising.set(op.getResult(), createConcatenation(raising, op.getLoc(),
                                                  raising.get(op.getSources()),
                                                  op.getDimension(),
                                                  getTensorType(op.getType())));
  return success();
}

LogicalResult raiseRepeat(tpu::RepeatOp op, Raising &raising) {
  SmallVector<Value> sources(op.getTimes(), raising.get(op.getSource()));
  raising.set(op.getResult(), createConcatenation(raising, op.getLoc(), sources,
                                                  op.getDimension(),
                                                  getTensorType(op.getType())));
  return success();
}

LogicalResult raiseVectorBitcast(tpu::BitcastOp op, Raising &raising) {
  auto from = cast<VectorType>(op.getInput().getType());
  auto to = cast<VectorType>(op.getType());
  if (from.getElementTypeBitWidth() != to.getElementTypeBitWidth())
    return op.emitError("expected a bitcast between elements of one width in a "
                        "module to execute");
  raising.set(op.getResult(),
              arith::BitcastOp::create(raising.builder, op.getLoc(),
                                       getTensorType(to),
                                       raising.get(op.getInput())));
  return success();
}

//===----------------------------------------------------------------------===//
// Arithmetic
//===----------------------------------------------------------------------===//

Value combine(OpBuilder &builder, Location loc, vector::CombiningKind kind,
              Value a, Value b) {
  return vector::makeArithReduction(builder, loc, kind, a, b);
}

LogicalResult raiseReduction(vector::MultiDimReductionOp op, Raising &raising) {
  Location loc = op.getLoc();
  Value init = raising.get(op.getAcc());
  bool toNumber = !isa<VectorType>(op.getType());
  if (toNumber)
    init = tensor::FromElementsOp::create(
        raising.builder, loc, RankedTensorType::get({}, init.getType()), init);
  auto reduce = linalg::ReduceOp::create(
      raising.builder, loc, ValueRange{raising.get(op.getSource())},
      ValueRange{init}, op.getReductionDims(),
      [&](OpBuilder &builder, Location inner, ValueRange values) {
        linalg::YieldOp::create(
            builder, inner,
            combine(builder, inner, op.getKind(), values[0], values[1]));
      });
  Value result = reduce->getResult(0);
  if (toNumber)
    result =
        tensor::ExtractOp::create(raising.builder, loc, result, ValueRange());
  raising.set(op.getResult(), result);
  return success();
}

LogicalResult raiseIota(tpu::IotaOp op, Raising &raising) {
  RankedTensorType type = getTensorType(op.getType());
  Location loc = op.getLoc();
  auto map = AffineMap::getMultiDimIdentityMap(type.getRank(), op.getContext());
  SmallVector<utils::IteratorType> loops(type.getRank(),
                                         utils::IteratorType::parallel);
  auto generic = linalg::GenericOp::create(
      raising.builder, loc, TypeRange{type}, ValueRange{},
      ValueRange{createEmpty(raising, loc, type)}, ArrayRef{map}, loops,
      [&](OpBuilder &builder, Location inner, ValueRange) {
        Value count;
        for (int32_t dim : op.getDimensions()) {
          Value index = linalg::IndexOp::create(builder, inner, dim);
          if (count) {
            Value extent = arith::ConstantIndexOp::create(builder, inner,
                                                          type.getDimSize(dim));
            count = arith::MulIOp::create(builder, inner, count, extent);
            index = arith::AddIOp::create(builder, inner, count, index);
          }
          count = index;
        }
        linalg::YieldOp::create(
            builder, inner,
            arith::IndexCastOp::create(builder, inner, type.getElementType(),
                                       count)
                .getResult());
      });
  raising.set(op.getResult(), generic.getResult(0));
  return success();
}

LogicalResult raiseMatmul(tpu::MatmulOp op, Raising &raising) {
  SmallVector<int64_t> lhsContract{op.getTransposeLhs() ? 0 : 1};
  SmallVector<int64_t> rhsContract{op.getTransposeRhs() ? 1 : 0};
  SmallVector<int64_t> lhsBatch, rhsBatch;
  if (tpu::DotDimensionNumbersAttr numbers = op.getDimensionNumbersAttr()) {
    lhsContract.assign(numbers.getLhsContractingDims().begin(),
                       numbers.getLhsContractingDims().end());
    rhsContract.assign(numbers.getRhsContractingDims().begin(),
                       numbers.getRhsContractingDims().end());
    lhsBatch.assign(numbers.getLhsBatchDims().begin(),
                    numbers.getLhsBatchDims().end());
    rhsBatch.assign(numbers.getRhsBatchDims().begin(),
                    numbers.getRhsBatchDims().end());
  }
  raising.set(op.getResult(),
              grid::DotOp::create(
                  raising.builder, op.getLoc(), getTensorType(op.getType()),
                  raising.get(op.getLhs()), raising.get(op.getRhs()),
                  raising.get(op.getAcc()), lhsContract, rhsContract, lhsBatch,
                  rhsBatch, ArrayAttr(), StringAttr()));
  return success();
}

} // namespace

void addVectorRaisings(Raising &raising) {
  raising.add(raiseConstant);
  raising.add(raiseSelect);
  raising.add(raiseShapeCast);
  raising.add(raiseBroadcast);
  raising.add(raiseExtract);
  raising.add(raiseExtractSlice);
  raising.add(raiseTranspose);
  raising.add(raiseConcatenate);
  raising.add(raiseRepeat);
  raising.add(raiseVectorBitcast);
  raising.add(raiseReduction);
  raising.add(raiseIota);
  raising.add(raiseMatmul);
}

} // namespace gridir::tpu_to_loops
