//===- CarryArithmetic.cpp - Integers of several words, and dot products ---- -===//
//
// Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Emitter.h"

using namespace llvm;

namespace gridir::ptx {

namespace {

/// The flag that carries from one word to the next, as i1.
AllocaInst *getCarry(Emitter &emitter) {
  FunctionContext &context = emitter.context;
  if (!context.carry) {
    IRBuilder<>::InsertPointGuard guard(emitter.builder);
    BasicBlock &entry = context.function->getEntryBlock();
    emitter.builder.SetInsertPoint(&entry, entry.begin());
    context.carry = emitter.builder.CreateAlloca(emitter.builder.getInt1Ty());
  }
  return context.carry;
}

/// The sum or difference of two words and the flag, if that takes part. A
/// borrow is an inverted carry.
void emitSum(Emitter &emitter, Value *x, Value *y, ScalarType type,
             bool subtracts, bool reads, bool writes) {
  IRBuilder<> &b = emitter.builder;
  Type *wide = emitter.getBits(type.bits + 1);
  Value *result =
      subtracts ? b.CreateSub(b.CreateZExt(x, wide), b.CreateZExt(y, wide))
                : b.CreateAdd(b.CreateZExt(x, wide), b.CreateZExt(y, wide));
  AllocaInst *carry = getCarry(emitter);
  if (reads) {
    Value *flag = b.CreateZExt(b.CreateLoad(b.getInt1Ty(), carry), wide);
    result = subtracts ? b.CreateSub(result, flag) : b.CreateAdd(result, flag);
  }
  result = emitter.carry(result);
  if (writes)
    b.CreateStore(b.CreateTrunc(b.CreateLShr(result, type.bits), b.getInt1Ty()),
                  carry);
  emitter.write(0u, b.CreateTrunc(result, emitter.getBits(type.bits)),
                type.isSigned());
}

/// `add.cc`, `addc`, `sub.cc`, `subc`.
template <bool subtracts, bool reads> void emitCarrySum(Emitter &emitter) {
  const ScalarType type = emitter.takeType();
  const bool writes = emitter.take("cc");
  emitter.expectOperands(3, 3);
  emitSum(emitter, emitter.read(1, type), emitter.read(2, type), type,
          subtracts, reads, writes);
}

/// `mad.cc`, `madc`: half of a product, and a sum.
template <bool reads> void emitCarryProduct(Emitter &emitter) {
  const ScalarType type = emitter.takeType();
  const bool writes = emitter.take("cc");
  const bool isHigh = emitter.takeOneOf({"hi", "lo"}) == "hi";
  emitter.expectOperands(4, 4);
  IRBuilder<> &b = emitter.builder;
  Type *wide = emitter.getBits(2 * type.bits);
  auto extend = [&](Value *value) {
    return type.isSigned() ? b.CreateSExt(value, wide)
                           : b.CreateZExt(value, wide);
  };
  Value *product = emitter.carry(b.CreateMul(extend(emitter.read(1, type)),
                                             extend(emitter.read(2, type))));
  if (isHigh)
    product = b.CreateLShr(product, type.bits);
  emitSum(emitter, b.CreateTrunc(product, emitter.getBits(type.bits)),
          emitter.read(3, type), type, /*subtracts=*/false, reads, writes);
}

/// Sums of products of bytes, and of halves and bytes.
void emitDotProduct(Emitter &emitter) {
  const bool isOfHalves = emitter.instruction.opcode == "dp2a";
  const ScalarType right = emitter.takeType(), left = emitter.takeType();
  const bool isUpper = isOfHalves && emitter.takeOneOf({"lo", "hi"}) == "hi";
  emitter.expectOperands(4, 4);
  IRBuilder<> &b = emitter.builder;
  Value *x = emitter.readInteger(1, 32), *y = emitter.readInteger(2, 32);
  Value *sum = emitter.readInteger(3, 32);
  auto extend = [&](Value *value, ScalarType type) {
    return type.isSigned() ? b.CreateSExt(value, b.getInt32Ty())
                           : b.CreateZExt(value, b.getInt32Ty());
  };
  if (isUpper)
    y = b.CreateLShr(y, 16);
  const unsigned count = isOfHalves ? 2 : 4;
  SmallVector<Value *> xs = emitter.unpack(x, count), ys = emitter.unpack(y, 4);
  for (unsigned i = 0; i < count; ++i)
    sum = b.CreateAdd(sum,
                      b.CreateMul(extend(xs[i], left), extend(ys[i], right)));
  emitter.write(0u, emitter.carry(sum));
}

constexpr OpcodeRow kRows[] = {{"addc", emitCarrySum<false, true>},
                               {"subc", emitCarrySum<true, true>},
                               {"madc", emitCarryProduct<true>},
                               {"dp4a", emitDotProduct},
                               {"dp2a", emitDotProduct}};

/// These are plain arithmetic without `.cc`.
constexpr OpcodeRow kFirstRows[] = {{"add", emitCarrySum<false, false>},
                                    {"sub", emitCarrySum<true, false>},
                                    {"mad", emitCarryProduct<false>}};

} // namespace

ArrayRef<OpcodeRow> getCarryRows() { return kRows; }

bool emitFirstOfCarry(Emitter &emitter) {
  if (!llvm::is_contained(emitter.getModifiers(), "cc"))
    return false;
  for (const OpcodeRow &row : kFirstRows)
    if (row.opcode == emitter.instruction.opcode) {
      row.emit(emitter);
      return true;
    }
  return false;
}

} // namespace gridir::ptx
