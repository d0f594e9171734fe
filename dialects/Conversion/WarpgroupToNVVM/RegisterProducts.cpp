//===- RegisterProducts.cpp - Products that warps compute -----------------===//
//
// Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Each warp computes a tile of 16 rows and 8 columns with one `mma.sync`. A
// register has 32 bits of an operand, or one f64; two sums of f16 share one.
// Floats of a byte become ones of 16 bits, and integers of 4 bits ones of 8:
// that is exact, every chip multiplies them, and the PTX needs no newer driver.
// One step of the narrow elements along k is two of the wider ones. The
// assignment of elements to steps is arbitrary, as long as both operands use
// the same. Warps load operands in shared memory one step along k at a time, so
// that registers hold the elements of one step.
//
//===----------------------------------------------------------------------===//

#include "dialects/Conversion/WarpgroupToNVVM/Lowering.h"

#include "dialects/Warpgroup/Layout/MmaLayouts.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FormatVariadic.h"

using namespace mlir;

namespace gridir::warpgroup_to_nvvm {

namespace {

/// Registers that one instruction takes of each operand, and its sums in a
/// lane.
constexpr int64_t kLhsWords = 4, kRhsWords = 2, kSums = 4;

class RegisterProduct {
public:
  RegisterProduct(warpgroup::MmaSyncOp op, Lowering &lowering)
      : op(op), lowering(lowering), builder(lowering.builder),
        loc(op.getLoc()) {}

  LogicalResult lower() {
    auto lhsType = cast<ShapedType>(op.getLhs().getType());
    auto rhsType = cast<ShapedType>(op.getRhs().getType());
    RankedTensorType accType = op.getType();
    narrow = lhsType.getElementType();
    Type sum = accType.getElementType();
    isInteger = narrow.isInteger();
    if (rhsType.getElementType() != narrow || !isSumOf(sum))
      return op.emitError("expected an MMA that mma.sync supports, of f16, "
                          "bf16 or 8-bit floats in f32, of f16 or 8-bit floats "
                          "in f16, of f64 in f64, or of 4-bit or 8-bit "
                          "integers in i32, got one of ")
             << lhsType.getElementType() << " and " << rhsType.getElementType()
             << " in " << sum;
    // Such products came with the chips that have bulk copies.
    if (narrow.isF64() && !lowering.chip.hasBulkCopies)
      return op.emitError(
                 "expected a chip that has mma of 16 rows of f64, got ")
             << lowering.chip.name;
    if (failed(lowering.convertType(op, accType)))
      return failure();
    bits = narrow.getIntOrFloatBitWidth();
    const int64_t m = accType.getDimSize(0), n = accType.getDimSize(1),
                  k = lhsType.getDimSize(1);
    auto fitting = warpgroup::MmaLayouts::getFitting(bits, m, n, k);
    const auto *layouts =
        llvm::find_if(fitting, [&](const warpgroup::MmaLayouts &of) {
          return *Distribution::get(of.acc, {m, n}) ==
                 lowering.getDistribution(op.getResult());
        });
    if (layouts == fitting.end())
      return op.emitError(
                 "expected an accumulator in the layout of mma.sync, got ")
             << accType;
    const int64_t numRows = m / layouts->acc.getTile()[0],
                  numColumns = n / layouts->acc.getTile()[1],
                  depth = layouts->lhs.getTile()[1], numSteps = k / depth,
                  lhsSize = kLhsWords * getElementsOfRegister(),
                  rhsSize = kRhsWords * getElementsOfRegister();
    const Registers wholeLhs = getWhole(op.getLhs(), layouts->lhs),
                    wholeRhs = getWhole(op.getRhs(), layouts->rhs);
    Registers sums = lowering.get(op.getAcc());
    for (int64_t step = 0; step < numSteps; ++step) {
      Registers lhs, rhs;
      if (wholeLhs.empty())
        lhs = loadStep(op.getLhs(), layouts->lhs, /*dim=*/1, step * depth);
      else
        for (int64_t row = 0; row < numRows; ++row)
          llvm::append_range(
              lhs, ArrayRef(wholeLhs).slice((row * numSteps + step) * lhsSize,
                                            lhsSize));
      if (wholeRhs.empty())
        rhs = loadStep(op.getRhs(), layouts->rhs, /*dim=*/0, step * depth);
      else
        rhs = Registers(ArrayRef(wholeRhs).slice(step * numColumns * rhsSize,
                                                 numColumns * rhsSize));
      for (int64_t row = 0; row < numRows; ++row)
        for (int64_t column = 0; column < numColumns; ++column)
          createTile(ArrayRef(lhs).slice(row * lhsSize, lhsSize),
                     ArrayRef(rhs).slice(column * rhsSize, rhsSize),
                     MutableArrayRef(sums).slice(
                         (row * numColumns + column) * kSums, kSums));
    }
    lowering.set(op.getResult(), std::move(sums));
    return success();
  }

private:
  /// True if the instruction adds products to sums of that type.
  bool isSumOf(Type sum) const {
    if (isInteger)
      return sum.isInteger(32) && (narrow.isInteger(8) || narrow.isInteger(4));
    if (isa<Float8E4M3FNType, Float8E5M2Type>(narrow) || narrow.isF16())
      return sum.isF32() || sum.isF16();
    return narrow.isBF16() ? sum.isF32() : narrow.isF64() && sum.isF64();
  }

  int64_t getElementsOfRegister() const { return bits == 64 ? 1 : 32 / bits; }

  bool isWidened() const { return isInteger ? bits == 4 : bits == 8; }

  /// The elements of an array in the order of its layout, widened; none of a
  /// Ref.
  Registers getWhole(Value operand, const warpgroup::Layout &layout) {
    auto type = dyn_cast<RankedTensorType>(operand.getType());
    if (!type)
      return {};
    return widen(operand, lowering.redistribute(
                              loc, operand,
                              *Distribution::get(layout, type.getShape())));
  }

  /// Loads the elements of a Ref from `begin` on that are one step of the depth
  /// `dim`, in the order of the layout, widened.
  Registers loadStep(Value ref, const warpgroup::Layout &layout, int64_t dim,
                     int64_t begin) {
    View part = lowering.getView(ref);
    part.sizes[dim] = layout.getTile()[dim];
    if (int64_t d = part.dims[dim]; d >= 0)
      part.offsets[d] =
          createOffset(builder, loc, part.offsets[d],
                       builder.getI32IntegerAttr(begin), part.strides[d]);
    return widen(ref, lowering.createLoad(
                          loc, part, *Distribution::get(layout, part.sizes)));
  }

  Registers widen(Value operand, Registers values) {
    if (!isWidened())
      return values;
    if (!isInteger)
      return extendBytes(lowering, loc, values);
    const bool isUnsigned =
        operand == op.getLhs() ? op.getUnsignedLhs() : op.getUnsignedRhs();
    for (Value &value : values) {
      Type wide = builder.getI8Type();
      value =
          isUnsigned
              ? arith::ExtUIOp::create(builder, loc, wide, value).getResult()
              : arith::ExtSIOp::create(builder, loc, wide, value);
    }
    return values;
  }

  /// The words of an instruction, of the elements of `numWords` registers. An
  /// instruction on wide elements takes those of every register of half the
  /// depth: first the first half of each register, then the second one.
  Registers getWords(ArrayRef<Value> elements, int64_t numWords, int64_t part) {
    if (narrow.isF64())
      return Registers(elements);
    if (!isWidened())
      return packWords(builder, loc, elements);
    const int64_t ofRegister = getElementsOfRegister(), half = ofRegister / 2;
    SmallVector<Value> ordered;
    for (int64_t halves = 0; halves < 2; ++halves)
      for (int64_t word = 0; word < numWords / 2; ++word)
        llvm::append_range(
            ordered, elements.slice((part * numWords / 2 + word) * ofRegister +
                                        halves * half,
                                    half));
    return packWords(builder, loc, ordered);
  }

  /// Adds the product of one tile of each operand to the sums.
  void createTile(ArrayRef<Value> lhs, ArrayRef<Value> rhs,
                  MutableArrayRef<Value> sums) {
    for (int64_t part = 0, parts = isWidened() ? 2 : 1; part < parts; ++part)
      createInstruction(getWords(lhs, kLhsWords, part),
                        getWords(rhs, kRhsWords, part), sums);
  }

  StringRef getName(bool isUnsigned) const {
    if (isInteger)
      return isUnsigned ? "u8" : "s8";
    if (narrow.isF64())
      return "f64";
    return narrow.isBF16() ? "bf16" : "f16";
  }

  void createInstruction(ArrayRef<Value> lhs, ArrayRef<Value> rhs,
                         MutableArrayRef<Value> sums) {
    Type sumType = sums.front().getType();
    const bool isPacked = sumType.isF16();
    const Registers added =
        isPacked ? packWords(builder, loc, sums) : Registers(sums);
    StringRef sum = "f32", ofSum = "f", ofOperand = "r";
    unsigned depth = 16;
    if (isInteger) {
      sum = "s32";
      ofSum = "r";
      depth = 32;
    } else if (narrow.isF64()) {
      sum = "f64";
      ofSum = ofOperand = "d";
      depth = 8;
    } else if (isPacked) {
      sum = "f16";
      ofSum = "r";
    }
    SmallVector<Value> operands(lhs);
    llvm::append_range(operands, rhs);
    llvm::append_range(operands, added);
    SmallVector<std::string> constraints(added.size(), ("=" + ofSum).str());
    constraints.append(lhs.size() + rhs.size(), ofOperand.str());
    constraints.append(added.size(), ofSum.str());
    unsigned next = 0;
    auto take = [&](size_t count) {
      SmallVector<std::string> names;
      for (size_t i = 0; i < count; ++i)
        names.push_back("$" + std::to_string(next++));
      return "{" + llvm::join(names, ", ") + "}";
    };
    std::string text = llvm::formatv(
        "mma.sync.aligned.m16n8k{0}.row.col.{1}.{2}.{3}.{1} ", depth, sum,
        getName(op.getUnsignedLhs()), getName(op.getUnsignedRhs()));
    text += take(added.size()) + ", ";
    text += take(lhs.size()) + ", ";
    text += take(rhs.size()) + ", ";
    text += take(added.size()) + ";";
    Type type = LLVM::LLVMStructType::getLiteral(
        builder.getContext(),
        SmallVector<Type>(added.size(), added.front().getType()));
    Value result =
        createAssembly(builder, loc, type, operands, text,
                       llvm::join(constraints, ","), /*hasSideEffects=*/false)
            .getResult(0);
    Registers values;
    for (int64_t i = 0, e = added.size(); i < e; ++i)
      values.push_back(LLVM::ExtractValueOp::create(builder, loc, result, i));
    llvm::copy(isPacked ? unpackWords(builder, loc, values, sumType) : values,
               sums.begin());
  }

  warpgroup::MmaSyncOp op;
  Lowering &lowering;
  OpBuilder &builder;
  Location loc;
  Type narrow;
  unsigned bits = 0;
  bool isInteger = false;
};

LogicalResult lowerMmaSync(warpgroup::MmaSyncOp op, Lowering &lowering) {
  return RegisterProduct(op, lowering).lower();
}

} // namespace

void addRegisterProductLowerings(Handlers &handlers) {
  handlers.add(lowerMmaSync);
}

} // namespace gridir::warpgroup_to_nvvm
