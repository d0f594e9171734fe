//===- PackedArithmetic.cpp - Narrow elements, several at a time ----------===//
//
// Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dialects/Conversion/WarpgroupToNVVM/Lowering.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"

using namespace mlir;

namespace gridir::warpgroup_to_nvvm {
namespace {

/// The elements of 16 bits, and the integers or floats of 8, of a word.
constexpr int64_t kHalves = 2, kBytes = 4;

Value createWord(OpBuilder &builder, Location loc, uint32_t bits) {
  return createI32(builder, loc, static_cast<int32_t>(bits));
}

Type getElement(Value value) { return getElementTypeOrSelf(value.getType()); }

/// True if both operands are arrays with whole pairs in each thread.
bool hasPairs(Operation *op, Lowering &lowering) {
  Value operand = op->getOperand(0);
  return isa<RankedTensorType>(operand.getType()) &&
         lowering.get(operand).size() % kHalves == 0;
}

VectorType getPairType(Type element) {
  return VectorType::get(kHalves, element);
}

Value createVector(OpBuilder &builder, Location loc, ArrayRef<Value> values) {
  Value vector = LLVM::PoisonOp::create(
      builder, loc, VectorType::get(values.size(), values.front().getType()));
  for (auto [i, value] : llvm::enumerate(values))
    vector = LLVM::InsertElementOp::create(
        builder, loc, vector, value,
        createI32(builder, loc, static_cast<int32_t>(i)));
  return vector;
}

//===----------------------------------------------------------------------===//
// Arithmetic on 16 bits
//===----------------------------------------------------------------------===//

/// The instruction rounds once, like an addition or multiplication in f32
/// followed by rounding.
template <typename OpT, typename PackedT>
LogicalResult lowerPacked(OpT op, Lowering &lowering) {
  Type element = getElement(op.getResult());
  if (!(element.isF16() || element.isBF16()) || !hasPairs(op, lowering))
    return lowerElementwise(op, lowering);
  OpBuilder &builder = lowering.builder;
  Location loc = op.getLoc();
  Registers lhs = packWords(builder, loc, lowering.get(op.getLhs())),
            rhs = packWords(builder, loc, lowering.get(op.getRhs())), results;
  for (auto [a, b] : llvm::zip_equal(lhs, rhs)) {
    auto toPair = [&](Value word) {
      return LLVM::BitcastOp::create(builder, loc, getPairType(element), word);
    };
    Value pair = PackedT::create(builder, loc, toPair(a), toPair(b));
    results.push_back(
        LLVM::BitcastOp::create(builder, loc, builder.getI32Type(), pair));
  }
  lowering.set(op.getResult(), unpackWords(builder, loc, results, element));
  return success();
}

//===----------------------------------------------------------------------===//
// Integers to floats
//===----------------------------------------------------------------------===//

/// Integers of a byte or less as floats of 16 bits. In the lowest bits of a
/// float whose unit in the last place is one, an integer is added to it.
class IntegersToHalves {
public:
  IntegersToHalves(OpBuilder &builder, Location loc, FloatType target,
                   unsigned width, bool isSigned)
      : builder(builder), loc(loc), target(target), width(width),
        isSigned(isSigned) {
    unsigned mantissa = target.getFPMantissaWidth() - 1;
    unit = 1 << mantissa;
    unitBits = getBits(unit);
    isExact = width <= mantissa;
  }

  /// Unpacks pairs from a word of `count` integers, each in a byte whose other
  /// bits are zero.
  void convert(Value word, int64_t count, Registers &pairs) {
    if (isSigned && isExact)
      word = arith::XOrIOp::create(
          builder, loc, word,
          createWord(builder, loc, 0x01010101u << (width - 1)));
    // The lower byte of each half is the integer, the upper one the unit's.
    Value upper = createWord(builder, loc, (unitBits >> 8) * 0x01010101u);
    for (int64_t first = 0; first < count; first += kHalves) {
      Value halves = NVVM::PermuteOp::create(
          builder, loc, builder.getI32Type(), word, upper,
          createWord(builder, loc, 0x4140 + 0x0202 * (first / kHalves)),
          NVVM::PermuteMode::DEFAULT);
      pairs.push_back(LLVM::BitcastOp::create(
          builder, loc, builder.getI32Type(),
          isExact ? subtractUnit(halves) : combine(halves)));
    }
  }

private:
  uint32_t getBits(int64_t number) const {
    APFloat value(static_cast<double>(number));
    bool losesInfo;
    value.convert(target.getFloatSemantics(), APFloat::rmNearestTiesToEven,
                  &losesInfo);
    return value.bitcastToAPInt().getZExtValue();
  }

  Value toPair(Value word) {
    return LLVM::BitcastOp::create(builder, loc, getPairType(target), word);
  }

  Value createPair(uint32_t bits) {
    return toPair(createWord(builder, loc, bits * 0x00010001u));
  }

  Value subtractUnit(Value halves) {
    int64_t first = isSigned ? int64_t(1) << (width - 1) : 0;
    return LLVM::FSubOp::create(builder, loc, toPair(halves),
                                createPair(getBits(unit + first)));
  }

  /// The mantissa has a bit less than the integer, whose highest one doubles
  /// the unit: the other bits are in one float, and that one in another.
  Value combine(Value halves) {
    auto keep = [&](uint32_t bits) {
      return toPair(arith::AndIOp::create(
          builder, loc, halves, createWord(builder, loc, bits * 0x00010001u)));
    };
    Value rest = keep(0xffff & ~unit), power = keep(0xffff & ~(unit - 1));
    if (isSigned)
      return LLVM::FSubOp::create(builder, loc, rest, power);
    rest =
        LLVM::FSubOp::create(builder, loc, rest, createPair(getBits(2 * unit)));
    return LLVM::FAddOp::create(builder, loc, rest, power);
  }

  OpBuilder &builder;
  Location loc;
  FloatType target;
  unsigned width;
  bool isSigned, isExact;
  int64_t unit;
  uint32_t unitBits;
};

/// The lowest bytes of a word.
Value joinBytes(OpBuilder &builder, Location loc, ArrayRef<Value> bytes) {
  Value word = LLVM::BitcastOp::create(builder, loc,
                                       builder.getIntegerType(8 * bytes.size()),
                                       createVector(builder, loc, bytes));
  if (word.getType().isInteger(32))
    return word;
  return arith::ExtUIOp::create(builder, loc, builder.getI32Type(), word);
}

template <typename OpT>
LogicalResult lowerIntegers(OpT op, Lowering &lowering) {
  auto target = cast<FloatType>(getElement(op.getResult()));
  Type source = getElement(op.getIn());
  unsigned width = source.isInteger() ? source.getIntOrFloatBitWidth()
                                      : IndexType::kInternalStorageBitWidth;
  if (!(target.isF16() || target.isBF16()) || width < 2 || width > 8 ||
      !hasPairs(op, lowering))
    return lowerElementwise(op, lowering);
  OpBuilder &builder = lowering.builder;
  Location loc = op.getLoc();
  Registers values = lowering.get(op.getIn());
  if (width < 8)
    for (Value &value : values)
      value = arith::ExtUIOp::create(builder, loc, builder.getI8Type(), value);
  // Elements that are loaded together share a word.
  const Distribution &distribution = lowering.getDistribution(op.getIn());
  int64_t count =
      values.size() % kBytes == 0 && distribution.getRunLength(kBytes) == kBytes
          ? kBytes
          : kHalves;
  IntegersToHalves conversion(builder, loc, target, width,
                              std::is_same_v<OpT, arith::SIToFPOp>);
  Registers pairs;
  for (size_t i = 0; i < values.size(); i += count)
    conversion.convert(
        joinBytes(builder, loc, ArrayRef(values).slice(i, count)), count,
        pairs);
  lowering.set(op.getResult(), unpackWords(builder, loc, pairs, target));
  return success();
}

//===----------------------------------------------------------------------===//
// Floats of a byte
//===----------------------------------------------------------------------===//

bool isByteFloat(Type type) {
  return isa<Float8E4M3FNType, Float8E5M2Type>(type);
}

/// Two floats of a byte as ones of 16 bits.
std::array<Value, 2> extendPair(OpBuilder &builder, Location loc, Value first,
                                Value second) {
  Value bytes = createVector(
      builder, loc,
      {toStorage(builder, loc, first), toStorage(builder, loc, second)});
  Value pair = NVVM::ConvertF8x2ToF16x2Op::create(
      builder, loc, getPairType(builder.getF16Type()), bytes, /*relu=*/false,
      first.getType());
  std::array<Value, 2> result;
  for (auto [half, value] : llvm::enumerate(result))
    value = LLVM::ExtractElementOp::create(
        builder, loc, pair,
        createI32(builder, loc, static_cast<int64_t>(half)));
  return result;
}

LogicalResult lowerExtend(arith::ExtFOp op, Lowering &lowering) {
  Type source = getElement(op.getIn()), target = getElement(op.getOut());
  if (!isByteFloat(source) || !lowering.chip.hasSmallFloats ||
      !hasPairs(op, lowering))
    return lowerElementwise(op, lowering);
  OpBuilder &builder = lowering.builder;
  Location loc = op.getLoc();
  const Registers &values = lowering.get(op.getIn());
  Type f32 = builder.getF32Type();
  Registers results;
  for (size_t i = 0; i < values.size(); i += kHalves)
    for (Value value : extendPair(builder, loc, values[i], values[i + 1])) {
      // All of these floats are ones of the wider types.
      if (!target.isF16())
        value = arith::ExtFOp::create(builder, loc,
                                      target.isF64() ? target : f32, value);
      if (target.isBF16())
        value = arith::TruncFOp::create(builder, loc, target, value);
      results.push_back(value);
    }
  lowering.set(op.getOut(), std::move(results));
  return success();
}

/// Elements that are rounded to floats of a byte; the instruction saturates
/// those that are too large, where they are infinite, or not a number.
class FloatsToBytes {
public:
  FloatsToBytes(OpBuilder &builder, Location loc, FloatType target)
      : builder(builder), loc(loc), target(target) {
    // Above this threshold, numbers round to infinity; ties depend on the
    // parity of the largest number.
    const llvm::fltSemantics &semantics = target.getFloatSemantics();
    APFloat most = APFloat::getLargest(semantics), before = most;
    before.next(/*nextDown=*/true);
    double unit = most.convertToDouble() - before.convertToDouble();
    limit = most.convertToDouble() + unit / 2;
    isOdd = most.bitcastToAPInt()[0];
  }

  Value convert(Value first, Value second) {
    bool hasInf = isa<Float8E5M2Type>(target);
    std::array<Value, 2> values = {first, second}, tooLarge;
    for (auto [value, is] : llvm::zip_equal(values, tooLarge)) {
      is = isTooLarge(value);
      if (!hasInf)
        value = arith::SelectOp::create(builder, loc, is, createNaN(), value);
    }
    VectorType type = getPairType(builder.getI8Type());
    // The instruction has its first operand in the upper byte.
    Value bytes = NVVM::ConvertF32x2ToF8x2Op::create(
        builder, loc, type, values[1], values[0], NVVM::FPRoundingMode::RN,
        NVVM::SaturationMode::SATFINITE, /*relu=*/false, target);
    if (!hasInf)
      return bytes;
    // Infinity follows the largest number.
    for (Value &is : tooLarge)
      is = arith::ExtUIOp::create(builder, loc, builder.getI8Type(), is);
    return LLVM::AddOp::create(builder, loc, bytes,
                               createVector(builder, loc, tooLarge));
  }

private:
  Value createF32(double value) {
    return arith::ConstantOp::create(builder, loc,
                                     builder.getF32FloatAttr(value));
  }

  Value createNaN() {
    return createF32(std::numeric_limits<double>::quiet_NaN());
  }

  Value isTooLarge(Value value) {
    Value magnitude = math::AbsFOp::create(builder, loc, value);
    return arith::CmpFOp::create(builder, loc,
                                 isOdd ? arith::CmpFPredicate::OGE
                                       : arith::CmpFPredicate::OGT,
                                 magnitude, createF32(limit));
  }

  OpBuilder &builder;
  Location loc;
  FloatType target;
  double limit;
  bool isOdd;
};

LogicalResult lowerTruncate(arith::TruncFOp op, Lowering &lowering) {
  Type source = getElement(op.getIn()), target = getElement(op.getOut());
  if (!isByteFloat(target) || source.isF64() || isByteFloat(source) ||
      !lowering.chip.hasSmallFloats || !hasPairs(op, lowering))
    return lowerElementwise(op, lowering);
  OpBuilder &builder = lowering.builder;
  Location loc = op.getLoc();
  Registers values = lowering.get(op.getIn());
  if (!source.isF32())
    for (Value &value : values)
      value = arith::ExtFOp::create(builder, loc, builder.getF32Type(), value);
  FloatsToBytes conversion(builder, loc, cast<FloatType>(target));
  Registers results;
  for (size_t i = 0; i < values.size(); i += kHalves) {
    Value bytes = conversion.convert(values[i], values[i + 1]);
    for (int64_t half = 0; half < kHalves; ++half)
      results.push_back(
          fromStorage(builder, loc,
                      LLVM::ExtractElementOp::create(
                          builder, loc, bytes, createI32(builder, loc, half)),
                      target));
  }
  lowering.set(op.getOut(), std::move(results));
  return success();
}

} // namespace

Registers extendBytes(Lowering &lowering, Location loc,
                      ArrayRef<Value> values) {
  OpBuilder &builder = lowering.builder;
  Registers results;
  if (lowering.chip.hasSmallFloats) {
    for (size_t i = 0; i < values.size(); i += kHalves)
      llvm::append_range(results,
                         extendPair(builder, loc, values[i], values[i + 1]));
    return results;
  }
  for (Value value : values)
    results.push_back(
        arith::ExtFOp::create(builder, loc, builder.getF16Type(), value));
  return results;
}

void addPackedLowerings(Handlers &handlers) {
  handlers.add(lowerPacked<arith::AddFOp, LLVM::FAddOp>);
  handlers.add(lowerPacked<arith::SubFOp, LLVM::FSubOp>);
  handlers.add(lowerPacked<arith::MulFOp, LLVM::FMulOp>);
  handlers.add(lowerIntegers<arith::SIToFPOp>);
  handlers.add(lowerIntegers<arith::UIToFPOp>);
  handlers.add(lowerExtend);
  handlers.add(lowerTruncate);
}

} // namespace gridir::warpgroup_to_nvvm
