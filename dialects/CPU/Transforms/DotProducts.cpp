//===- DotProducts.cpp - instructions that add several products -----------===//
//
// Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dialects/CPU/Transforms/DotProducts.h"

#include "mlir/Dialect/AMX/AMXDialect.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"

using namespace mlir;
using gridir::cpu::DotForm;
using gridir::cpu::DotOperand;
using gridir::cpu::DotProduct;
using Elements = DotProduct::Elements;

// Intel's CPUs with tiles take vdpbf16ps apart: on a Sapphire Rapids it starts
// every second cycle and an FMA twice in a cycle, which is half the products.
// tdpbssd has the name for bytes with a sign, and represents those without,
// too.
static constexpr DotProduct kDotProducts[] = {
    {"tdpbf16ps", "amx-bf16", "", Elements::BF16, 64, "", true,
     /*hasTiles=*/true},
    {"tdpbssd", "amx-int8", "", Elements::Bytes, 64, "", true,
     /*hasTiles=*/true},
    {"vdpbf16ps", "avx512bf16", "amx-bf16", Elements::BF16, 64,
     "llvm.x86.avx512bf16.dpbf16ps.512", true},
    {"vpdpbusd", "avx512vnni", "", Elements::U8AndI8, 64,
     "llvm.x86.avx512.vpdpbusd.512", true},
    {"vpdpbusd", "avxvnni", "", Elements::U8AndI8, 32,
     "llvm.x86.avx512.vpdpbusd.256", true},
    {"vpdpwssd", "avx512vnni", "", Elements::I16, 64,
     "llvm.x86.avx512.vpdpwssd.512", true},
    {"vpdpwssd", "avxvnni", "", Elements::I16, 32,
     "llvm.x86.avx512.vpdpwssd.256", true},
    {"pmaddwd", "avx512bw", "", Elements::I16, 64,
     "llvm.x86.avx512.pmaddw.d.512", false},
    {"pmaddwd", "avx2", "", Elements::I16, 32, "llvm.x86.avx2.pmadd.wd", false},
    {"pmaddwd", "sse2", "", Elements::I16, 16, "llvm.x86.sse2.pmadd.wd", false},
};

ArrayRef<DotProduct> gridir::cpu::getDotProducts() { return kDotProducts; }

Type DotProduct::getElementType(MLIRContext *context) const {
  if (elements == Elements::BF16)
    return BFloat16Type::get(context);
  return IntegerType::get(context, 32 / getNumElements());
}

Value DotProduct::create(OpBuilder &builder, Location loc, Value accumulator,
                         Value first, Value second) const {
  SmallVector<Value> operands = {first, second};
  if (accumulates)
    operands.insert(operands.begin(), accumulator);
  Value sum =
      LLVM::CallIntrinsicOp::create(builder, loc, accumulator.getType(),
                                    builder.getStringAttr(intrinsic), operands)
          .getResult(0);
  if (accumulates)
    return sum;
  return arith::AddIOp::create(builder, loc, accumulator, sum);
}

Value DotForm::createTile(OpBuilder &builder, Location loc, Value accumulator,
                          Value left, Value right) const {
  Type type = accumulator.getType();
  if (product->elements == Elements::BF16)
    return amx::TileMulFOp::create(builder, loc, type, left, right,
                                   accumulator);
  return amx::TileMulIOp::create(builder, loc, type, left, right, accumulator,
                                 isUnsignedLeft, isUnsignedRight);
}

/// True if a signed integer of `bits` bits represents all values of an operand.
static bool fitsSigned(DotOperand operand, unsigned bits) {
  unsigned width = operand.type.getIntOrFloatBitWidth();
  return operand.type.isInteger() &&
         (width < bits || (width == bits && !operand.isUnsigned));
}

static bool fitsUnsigned(DotOperand operand, unsigned bits) {
  return operand.type.isInteger() && operand.isUnsigned &&
         operand.type.getIntOrFloatBitWidth() <= bits;
}

/// Returns the use of an instruction for these elements, if it supports them.
static std::optional<DotForm> getForm(const DotProduct &product, DotOperand lhs,
                                      DotOperand rhs, Type sum) {
  switch (product.elements) {
  case Elements::BF16:
    if (lhs.type.isBF16() && rhs.type.isBF16() && sum.isF32())
      return DotForm{&product};
    return std::nullopt;
  case Elements::I16:
    // The sum of two products of the minimum value wraps, like 32-bit
    // arithmetic.
    if (sum.isInteger(32) && fitsSigned(lhs, 16) && fitsSigned(rhs, 16))
      return DotForm{&product};
    return std::nullopt;
  case Elements::U8AndI8:
    if (!sum.isInteger(32))
      return std::nullopt;
    if (fitsUnsigned(lhs, 8) && fitsSigned(rhs, 8))
      return DotForm{&product};
    if (fitsSigned(lhs, 8) && fitsUnsigned(rhs, 8))
      return DotForm{&product, /*isSwapped=*/true};
    if (fitsSigned(lhs, 8) && fitsSigned(rhs, 8))
      return DotForm{&product, /*isSwapped=*/false, /*isBiased=*/true};
    return std::nullopt;
  case Elements::Bytes:
    auto fits = [](DotOperand operand) {
      return fitsSigned(operand, 8) || fitsUnsigned(operand, 8);
    };
    if (sum.isInteger(32) && fits(lhs) && fits(rhs))
      return DotForm{&product, /*isSwapped=*/false, /*isBiased=*/false,
                     lhs.isUnsigned, rhs.isUnsigned};
    return std::nullopt;
  }
  llvm_unreachable("a kind of elements without a form");
}

std::optional<DotForm> gridir::cpu::findDotForm(DotOperand lhs, DotOperand rhs,
                                                Type sum, int64_t steps,
                                                ArrayRef<std::string> names,
                                                int64_t bytes) {
  for (const DotProduct &product : kDotProducts)
    if (product.bytes == bytes &&
        (product.hasTiles || steps % product.getNumElements() == 0) &&
        llvm::is_contained(names, product.name))
      if (std::optional<DotForm> form = getForm(product, lhs, rhs, sum))
        return form;
  return std::nullopt;
}
