//===- RegisterProducts.cpp - Products that warps compute -----------------===//
//
// Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Each warp computes a tile of 16 rows and 8 columns with one `mma.sync`.
// Floats of a byte become ones of 16 bits, and integers of 4 bits ones of 8:
// that is exact, every chip multiplies them, and the PTX needs no newer driver.
// One step of the narrow elements along k is two of the wider ones. Which of
// its elements go to which is free, since both operands are taken alike.
//
//===----------------------------------------------------------------------===//

#include "dialects/Conversion/WarpgroupToNVVM/Lowering.h"

#include "dialects/Warpgroup/Layout/MmaLayouts.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "llvm/Support/FormatVariadic.h"

using namespace mlir;

namespace gridir::warpgroup_to_nvvm {

namespace {

/// Registers of 32 bits that one instruction takes of each array.
constexpr int64_t kLhsWords = 4, kRhsWords = 2, kSums = 4;

class RegisterProduct {
public:
  RegisterProduct(warpgroup::MmaSyncOp op, Lowering &lowering)
      : op(op), lowering(lowering), builder(lowering.builder),
        loc(op.getLoc()) {}

  LogicalResult lower() {
    auto lhsType = cast<RankedTensorType>(op.getLhs().getType());
    auto rhsType = cast<RankedTensorType>(op.getRhs().getType());
    RankedTensorType accType = op.getType();
    narrow = lhsType.getElementType();
    Type sum = accType.getElementType();
    isInteger = narrow.isInteger();
    const bool isKnown = narrow.isF16() || narrow.isBF16() ||
                         isa<Float8E4M3FNType, Float8E5M2Type>(narrow) ||
                         narrow.isInteger(8) || narrow.isInteger(4);
    if (!isKnown || rhsType.getElementType() != narrow ||
        !(isInteger ? sum.isInteger(32) : sum.isF32()))
      return op.emitError("expected a product that mma computes, of f16, bf16, "
                          "floats of a byte in f32, or of integers of 4 or 8 "
                          "bits in i32, got one of ")
             << lhsType.getElementType() << " and " << rhsType.getElementType()
             << " in " << sum;
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
      return op.emitError("expected an accumulator that lies as mma computes "
                          "it, got ")
             << accType;
    const Registers lhs = getElements(op.getLhs(), layouts->lhs);
    const Registers rhs = getElements(op.getRhs(), layouts->rhs);
    Registers sums = lowering.get(op.getAcc());
    const int64_t numRows = m / layouts->acc.getTile()[0],
                  numColumns = n / layouts->acc.getTile()[1],
                  numSteps = k / layouts->lhs.getTile()[1];
    for (int64_t step = 0; step < numSteps; ++step)
      for (int64_t row = 0; row < numRows; ++row)
        for (int64_t column = 0; column < numColumns; ++column)
          createTile(
              ArrayRef(lhs).slice((row * numSteps + step) * kLhsWords *
                                      getElementsOfRegister(),
                                  kLhsWords * getElementsOfRegister()),
              ArrayRef(rhs).slice((step * numColumns + column) * kRhsWords *
                                      getElementsOfRegister(),
                                  kRhsWords * getElementsOfRegister()),
              MutableArrayRef(sums).slice((row * numColumns + column) * kSums,
                                          kSums));
    lowering.set(op.getResult(), std::move(sums));
    return success();
  }

private:
  int64_t getElementsOfRegister() const { return 32 / bits; }

  bool isWidened() const { return isInteger ? bits == 4 : bits == 8; }

  /// The elements of an operand in the order of its layout, widened.
  Registers getElements(Value operand, const warpgroup::Layout &layout) {
    ArrayRef<int64_t> shape =
        cast<RankedTensorType>(operand.getType()).getShape();
    Registers values =
        lowering.redistribute(loc, operand, *Distribution::get(layout, shape));
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
    return narrow.isBF16() ? "bf16" : "f16";
  }

  void createInstruction(ArrayRef<Value> lhs, ArrayRef<Value> rhs,
                         MutableArrayRef<Value> sums) {
    const StringRef sum = isInteger ? "s32" : "f32";
    const std::string text = llvm::formatv(
        "mma.sync.aligned.m16n8k{0}.row.col.{1}.{2}.{3}.{1} {{$0, $1, $2, $3}, "
        "{{$4, $5, $6, $7}, {{$8, $9}, {{$10, $11, $12, $13};",
        isInteger ? 32 : 16, sum, getName(op.getUnsignedLhs()),
        getName(op.getUnsignedRhs()));
    const std::string constraints =
        llvm::formatv("={0},={0},={0},={0},r,r,r,r,r,r,{0},{0},{0},{0}",
                      isInteger ? "r" : "f");
    SmallVector<Value> operands(lhs);
    llvm::append_range(operands, rhs);
    llvm::append_range(operands, sums);
    Type type = LLVM::LLVMStructType::getLiteral(
        builder.getContext(), SmallVector<Type>(kSums, sums.front().getType()));
    Value result = createAssembly(builder, loc, type, operands, text,
                                  constraints, /*hasSideEffects=*/false)
                       .getResult(0);
    for (auto [i, value] : llvm::enumerate(sums))
      value = LLVM::ExtractValueOp::create(builder, loc, result,
                                           static_cast<int64_t>(i));
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

void addRegisterProductLowerings(Lowering &lowering) {
  lowering.add(lowerMmaSync);
}

} // namespace gridir::warpgroup_to_nvvm
