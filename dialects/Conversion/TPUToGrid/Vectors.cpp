//===- Vectors.cpp - Ops on vectors as ops on tensors ---------------------===//
//
// Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dialects/Conversion/TPUToGrid/Raising.h"
#include "dialects/Support/Builders.h"
#include "dialects/Support/Elements.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;

namespace gridir::tpu_to_grid {
namespace {

LogicalResult raiseConstant(arith::ConstantOp op,
                            arith::ConstantOp::Adaptor adaptor,
                            Rewriter &rewriter) {
  auto dense = dyn_cast<DenseElementsAttr>(op.getValue());
  if (!dense)
    return failure();
  rewriter.replaceOpWithNewOp<arith::ConstantOp>(
      op, dense.reshape(getTensorType(op.getType())));
  return success();
}

/// A scalar condition selects all elements.
LogicalResult raiseSelect(arith::SelectOp op, arith::SelectOp::Adaptor adaptor,
                          Rewriter &rewriter) {
  Value condition = adaptor.getCondition();
  Value first = adaptor.getTrueValue();
  auto type = dyn_cast<RankedTensorType>(first.getType());
  if (type && !isa<RankedTensorType>(condition.getType()))
    condition =
        createFill(rewriter, op.getLoc(), condition,
                   RankedTensorType::get(type.getShape(), condition.getType()));
  rewriter.replaceOp(op,
                     arith::SelectOp::create(rewriter, op.getLoc(), condition,
                                             first, adaptor.getFalseValue()));
  return success();
}

//===----------------------------------------------------------------------===//
// Shapes
//===----------------------------------------------------------------------===//

LogicalResult raiseShapeCast(vector::ShapeCastOp op,
                             vector::ShapeCastOp::Adaptor adaptor,
                             Rewriter &rewriter) {
  rewriter.replaceOp(op,
                     createReshape(rewriter, op.getLoc(), adaptor.getSource(),
                                   op.getResultVectorType().getShape()));
  return success();
}

LogicalResult raiseBroadcast(vector::BroadcastOp op,
                             vector::BroadcastOp::Adaptor adaptor,
                             Rewriter &rewriter) {
  RankedTensorType type = getTensorType(op.getType());
  Value source = adaptor.getSource();
  auto from = dyn_cast<RankedTensorType>(source.getType());
  if (!from) {
    rewriter.replaceOp(op, createFill(rewriter, op.getLoc(), source, type));
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
  Location loc = op.getLoc();
  if (kept.empty()) {
    Value zero = createIndex(rewriter, loc, 0);
    Value number = tensor::ExtractOp::create(
        rewriter, loc, source, SmallVector<Value>(from.getRank(), zero));
    rewriter.replaceOp(op, createFill(rewriter, loc, number, type));
    return success();
  }
  source = createReshape(rewriter, loc, source, kept);
  rewriter.replaceOp(op, added.empty()
                             ? source
                             : linalg::BroadcastOp::create(
                                   rewriter, loc, source,
                                   createEmpty(rewriter, loc, type), added)
                                   ->getResult(0));
  return success();
}

LogicalResult raiseExtract(vector::ExtractOp op,
                           vector::ExtractOp::Adaptor adaptor,
                           Rewriter &rewriter) {
  if (isa<VectorType>(op.getType()) || !op.getDynamicPosition().empty())
    return op.emitError(
        "expected one element at constant indices in an executable module");
  SmallVector<Value> indices;
  for (int64_t index : op.getStaticPosition())
    indices.push_back(createIndex(rewriter, op.getLoc(), index));
  rewriter.replaceOp(op,
                     tensor::ExtractOp::create(rewriter, op.getLoc(),
                                               adaptor.getSource(), indices));
  return success();
}

SmallVector<OpFoldResult> toFoldResults(OpBuilder &builder, ArrayAttr values) {
  return llvm::map_to_vector(
      values.getAsValueRange<IntegerAttr>(), [&](const APInt &value) {
        return OpFoldResult(builder.getIndexAttr(value.getSExtValue()));
      });
}

LogicalResult raiseExtractSlice(vector::ExtractStridedSliceOp op,
                                vector::ExtractStridedSliceOp::Adaptor adaptor,
                                Rewriter &rewriter) {
  auto source = cast<VectorType>(op.getSource().getType());
  SmallVector<OpFoldResult> offsets = toFoldResults(rewriter, op.getOffsets());
  SmallVector<OpFoldResult> sizes = toFoldResults(rewriter, op.getSizes());
  SmallVector<OpFoldResult> strides = toFoldResults(rewriter, op.getStrides());
  for (int64_t dim = offsets.size(); dim < source.getRank(); ++dim) {
    offsets.push_back(rewriter.getIndexAttr(0));
    sizes.push_back(rewriter.getIndexAttr(source.getDimSize(dim)));
    strides.push_back(rewriter.getIndexAttr(1));
  }
  rewriter.replaceOp(op, tensor::ExtractSliceOp::create(
                             rewriter, op.getLoc(), getTensorType(op.getType()),
                             adaptor.getSource(), offsets, sizes, strides));
  return success();
}

LogicalResult raiseTranspose(tpu::TransposeOp op,
                             tpu::TransposeOp::Adaptor adaptor,
                             Rewriter &rewriter) {
  RankedTensorType type = getTensorType(op.getType());
  rewriter.replaceOp(op, linalg::TransposeOp::create(
                             rewriter, op.getLoc(), adaptor.getVector(),
                             createEmpty(rewriter, op.getLoc(), type),
                             op.getPermutation())
                             ->getResult(0));
  return success();
}

/// Tensors concatenated along a dimension.
Value createConcatenation(OpBuilder &builder, Location loc, ValueRange sources,
                          int64_t dim, RankedTensorType type) {
  Value result = createEmpty(builder, loc, type);
  int64_t offset = 0;
  for (Value source : sources) {
    auto part = cast<RankedTensorType>(source.getType());
    SmallVector<OpFoldResult> offsets(type.getRank(), builder.getIndexAttr(0));
    SmallVector<OpFoldResult> strides(type.getRank(), builder.getIndexAttr(1));
    auto sizes = llvm::map_to_vector(part.getShape(), [&](int64_t size) {
      return OpFoldResult(builder.getIndexAttr(size));
    });
    offsets[dim] = builder.getIndexAttr(offset);
    result = tensor::InsertSliceOp::create(builder, loc, source, result,
                                           offsets, sizes, strides);
    offset += part.getDimSize(dim);
  }
  return result;
}

LogicalResult raiseConcatenate(tpu::ConcatenateOp op,
                               tpu::ConcatenateOp::Adaptor adaptor,
                               Rewriter &rewriter) {
  rewriter.replaceOp(
      op, createConcatenation(rewriter, op.getLoc(), adaptor.getSources(),
                              op.getDimension(), getTensorType(op.getType())));
  return success();
}

LogicalResult raiseRepeat(tpu::RepeatOp op, tpu::RepeatOp::Adaptor adaptor,
                          Rewriter &rewriter) {
  SmallVector<Value> sources(op.getTimes(), adaptor.getSource());
  rewriter.replaceOp(op, createConcatenation(rewriter, op.getLoc(), sources,
                                             op.getDimension(),
                                             getTensorType(op.getType())));
  return success();
}

LogicalResult raiseVectorBitcast(tpu::BitcastOp op,
                                 tpu::BitcastOp::Adaptor adaptor,
                                 Rewriter &rewriter) {
  auto from = cast<VectorType>(op.getInput().getType());
  auto to = cast<VectorType>(op.getType());
  if (from.getElementTypeBitWidth() == to.getElementTypeBitWidth())
    rewriter.replaceOp(op, arith::BitcastOp::create(rewriter, op.getLoc(),
                                                    getTensorType(to),
                                                    adaptor.getInput()));
  else
    rewriter.replaceOp(op, grid::BitcastOp::create(rewriter, op.getLoc(),
                                                   getTensorType(to),
                                                   adaptor.getInput()));
  return success();
}

//===----------------------------------------------------------------------===//
// Arithmetic
//===----------------------------------------------------------------------===//

LogicalResult raiseReduction(vector::MultiDimReductionOp op,
                             vector::MultiDimReductionOp::Adaptor adaptor,
                             Rewriter &rewriter) {
  Location loc = op.getLoc();
  Value init = adaptor.getAcc();
  bool toNumber = !isa<VectorType>(op.getType());
  if (toNumber)
    init = tensor::FromElementsOp::create(
        rewriter, loc, RankedTensorType::get({}, init.getType()), init);
  auto reduce = linalg::ReduceOp::create(
      rewriter, loc, ValueRange{adaptor.getSource()}, ValueRange{init},
      op.getReductionDims(),
      [&](OpBuilder &builder, Location inner, ValueRange values) {
        linalg::YieldOp::create(
            builder, inner,
            vector::makeArithReduction(builder, inner, op.getKind(), values[0],
                                       values[1]));
      });
  Value result = reduce->getResult(0);
  if (toNumber)
    result = tensor::ExtractOp::create(rewriter, loc, result, ValueRange());
  rewriter.replaceOp(op, result);
  return success();
}

LogicalResult raiseIota(tpu::IotaOp op, tpu::IotaOp::Adaptor adaptor,
                        Rewriter &rewriter) {
  RankedTensorType type = getTensorType(op.getType());
  Location loc = op.getLoc();
  auto map = AffineMap::getMultiDimIdentityMap(type.getRank(), op.getContext());
  SmallVector<utils::IteratorType> loops(type.getRank(),
                                         utils::IteratorType::parallel);
  auto generic = linalg::GenericOp::create(
      rewriter, loc, TypeRange{type}, ValueRange{},
      ValueRange{createEmpty(rewriter, loc, type)}, ArrayRef{map}, loops,
      [&](OpBuilder &builder, Location inner, ValueRange) {
        Value count;
        for (int32_t dim : op.getDimensions()) {
          Value index = linalg::IndexOp::create(builder, inner, dim);
          if (count) {
            Value extent = createIndex(builder, inner, type.getDimSize(dim));
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
  rewriter.replaceOp(op, generic.getResult(0));
  return success();
}

LogicalResult raiseMatmul(tpu::MatmulOp op, tpu::MatmulOp::Adaptor adaptor,
                          Rewriter &rewriter) {
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
  rewriter.replaceOp(op, grid::DotOp::create(
                             rewriter, op.getLoc(), getTensorType(op.getType()),
                             adaptor.getLhs(), adaptor.getRhs(),
                             adaptor.getAcc(), lhsContract, rhsContract,
                             lhsBatch, rhsBatch, ArrayAttr(), StringAttr()));
  return success();
}

} // namespace

void populateVectorPatterns(ConversionPatterns &patterns) {
  patterns.add(raiseConstant);
  patterns.add(raiseSelect);
  patterns.add(raiseShapeCast);
  patterns.add(raiseBroadcast);
  patterns.add(raiseExtract);
  patterns.add(raiseExtractSlice);
  patterns.add(raiseTranspose);
  patterns.add(raiseConcatenate);
  patterns.add(raiseRepeat);
  patterns.add(raiseVectorBitcast);
  patterns.add(raiseReduction);
  patterns.add(raiseIota);
  patterns.add(raiseMatmul);
}

} // namespace gridir::tpu_to_grid
