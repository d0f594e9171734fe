//===- ElementPositions.cpp - Tensors of positions ------------------------===//
//
// Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dialects/Grid/Analysis/ElementPositions.h"

#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace gridir;
using namespace gridir::grid;

static Positions readScalar(Value value) {
  APInt constant;
  if (matchPattern(value, m_ConstantInt(&constant)))
    return {{}, constant.getSExtValue(), {}};
  return {{value}, 0, {}};
}

static Positions atRank(Positions positions, unsigned rank) {
  positions.steps.assign(rank, 0);
  return positions;
}

Positions gridir::grid::broadcastPositions(const Positions &positions,
                                           ArrayRef<int64_t> newDims,
                                           unsigned rank) {
  Positions result = positions;
  result.steps.clear();
  auto next = positions.steps.begin();
  for (unsigned dim = 0; dim < rank; ++dim)
    result.steps.push_back(llvm::is_contained(newDims, dim) ? 0 : *next++);
  return result;
}

std::optional<Positions> gridir::grid::reshapePositions(Positions positions,
                                                        ArrayRef<int64_t> from,
                                                        ArrayRef<int64_t> to) {
  SmallVector<int64_t> sizes, steps;
  for (auto [size, step] : llvm::zip_equal(from, positions.steps))
    if (size != 1) {
      sizes.push_back(size);
      steps.push_back(step);
    }
  auto size = sizes.begin(), step = steps.begin();
  positions.steps.clear();
  for (int64_t extent : to) {
    if (extent == 1) {
      positions.steps.push_back(0);
      continue;
    }
    if (size == sizes.end() || *size++ != extent)
      return std::nullopt;
    positions.steps.push_back(*step++);
  }
  return positions;
}

static std::optional<Positions>
combine(Operation *op, std::optional<Positions> a, std::optional<Positions> b) {
  if (!a || !b)
    return std::nullopt;
  if (isa<arith::MulIOp>(op)) {
    if (a->isConstant())
      std::swap(a, b);
    if (!b->isConstant() || !a->scalars.empty())
      return std::nullopt;
    int64_t factor = b->constant;
    a->constant *= factor;
    for (int64_t &step : a->steps)
      step *= factor;
  } else {
    bool subtracts = isa<arith::SubIOp>(op);
    if (subtracts && !b->scalars.empty())
      return std::nullopt;
    int64_t sign = subtracts ? -1 : 1;
    a->scalars.append(b->scalars);
    a->constant += sign * b->constant;
    for (auto [step, other] : llvm::zip_equal(a->steps, b->steps))
      step += sign * other;
  }
  // Far from overflow in the next product of 32-bit numbers.
  auto isSmall = [](int64_t n) { return llvm::isInt<32>(n); };
  constexpr size_t maxScalars = 8;
  if (!isSmall(a->constant) || !llvm::all_of(a->steps, isSmall) ||
      a->scalars.size() > maxScalars)
    return std::nullopt;
  return a;
}

std::optional<Positions> PositionReader::read(Value value) {
  if (auto known = positions.find(value); known != positions.end())
    return known->second;
  std::optional<Positions> found = compute(value);
  positions[value] = found;
  return found;
}

std::optional<Positions> PositionReader::compute(Value value) {
  auto type = dyn_cast<RankedTensorType>(value.getType());
  Operation *op = value.getDefiningOp();
  if (!type)
    return readScalar(value);
  if (!op || !type.hasStaticShape())
    return std::nullopt;
  unsigned rank = type.getRank();
  auto reshape = [&](Value source) -> std::optional<Positions> {
    std::optional<Positions> positions = read(source);
    if (!positions)
      return std::nullopt;
    return reshapePositions(*positions,
                            cast<RankedTensorType>(source.getType()).getShape(),
                            type.getShape());
  };
  return llvm::TypeSwitch<Operation *, std::optional<Positions>>(op)
      .Case([&](arith::ConstantOp constant) -> std::optional<Positions> {
        auto splat = dyn_cast<SplatElementsAttr>(constant.getValue());
        if (!splat)
          return std::nullopt;
        return atRank({{}, splat.getSplatValue<APInt>().getSExtValue(), {}},
                      rank);
      })
      .Case([&](linalg::FillOp op) {
        return atRank(readScalar(op.value()), rank);
      })
      .Case([&](tensor::SplatOp op) {
        return atRank(readScalar(op.getInput()), rank);
      })
      .Case([&](linalg::BroadcastOp op) -> std::optional<Positions> {
        std::optional<Positions> input = read(op.getInput());
        if (!input)
          return std::nullopt;
        return broadcastPositions(*input, op.getDimensions(), rank);
      })
      .Case([&](tensor::ExpandShapeOp op) { return reshape(op.getSrc()); })
      .Case([&](tensor::CollapseShapeOp op) { return reshape(op.getSrc()); })
      .Case([&](linalg::GenericOp op) {
        return readBody(op, cast<OpResult>(value).getResultNumber());
      })
      .Case<arith::AddIOp, arith::SubIOp, arith::MulIOp>(
          [&](Operation *op) -> std::optional<Positions> {
            return combine(op, read(op->getOperand(0)),
                           read(op->getOperand(1)));
          })
      .Case([&](arith::MaxSIOp op) {
        return readClamped(op.getLhs(), op.getRhs(), /*isMax=*/true);
      })
      .Case([&](arith::MinSIOp op) {
        return readClamped(op.getLhs(), op.getRhs(), /*isMax=*/false);
      })
      .Case([&](arith::SelectOp op) -> std::optional<Positions> {
        Interval condition = ranges.get(op.getCondition());
        if (!condition.isConstant())
          return std::nullopt;
        return read(condition.low ? op.getTrueValue() : op.getFalseValue());
      })
      .Default([](Operation *) { return std::nullopt; });
}

/// The maximum or minimum of two tensors, as of positions that are clamped,
/// if it is the same tensor for all elements.
std::optional<Positions> PositionReader::readClamped(Value a, Value b,
                                                     bool isMax) {
  Interval first = ranges.get(a), second = ranges.get(b);
  if (first.low >= second.high)
    return read(isMax ? a : b);
  if (first.high <= second.low)
    return read(isMax ? b : a);
  return std::nullopt;
}

/// A body without inputs that computes numbers from positions.
std::optional<Positions> PositionReader::readBody(linalg::GenericOp op,
                                                  unsigned result) {
  if (op.getNumDpsInputs() != 0 ||
      op.getNumParallelLoops() != op.getNumLoops() ||
      !op.getMatchingIndexingMap(op.getDpsInitOperand(result)).isIdentity())
    return std::nullopt;
  return readInside(op, op.getBody()->getTerminator()->getOperand(result));
}

std::optional<Positions> PositionReader::readInside(linalg::GenericOp op,
                                                    Value value) {
  unsigned rank = op.getNumLoops();
  if (value.getParentRegion() != &op.getRegion() ||
      matchPattern(value, m_Constant()))
    return atRank(readScalar(value), rank);
  Operation *inner = value.getDefiningOp();
  // A narrower number is not equal modulo 2^32 once it wraps around.
  if (!inner || (value.getType().isIntOrFloat() &&
                 value.getType().getIntOrFloatBitWidth() < 32))
    return std::nullopt;
  if (auto known = positions.find(value); known != positions.end())
    return known->second;
  std::optional<Positions> found;
  if (auto index = dyn_cast<linalg::IndexOp>(inner)) {
    found = atRank({}, rank);
    found->steps[index.getDim()] = 1;
  } else if (isa<arith::IndexCastOp, arith::ExtSIOp, arith::TruncIOp>(inner)) {
    found = readInside(op, inner->getOperand(0));
  } else if (isa<arith::AddIOp, arith::SubIOp, arith::MulIOp>(inner)) {
    found = combine(inner, readInside(op, inner->getOperand(0)),
                    readInside(op, inner->getOperand(1)));
  }
  positions[value] = found;
  return found;
}
