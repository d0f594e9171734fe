//===- Bits.cpp - Logic, shifts and bit fields ----------------------------===//
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

template <llvm::Instruction::BinaryOps op> void emitLogic(Emitter &emitter) {
  ScalarType type = emitter.takeType();
  emitter.expectOperands(3, 3);
  emitter.write(0u, emitter.builder.CreateBinOp(op, emitter.read(1, type),
                                                emitter.read(2, type)));
}

void emitNot(Emitter &emitter) {
  ScalarType type = emitter.takeType();
  emitter.expectOperands(2, 2);
  emitter.write(0u, emitter.builder.CreateNot(emitter.read(1, type)));
}

void emitLogicalNot(Emitter &emitter) {
  ScalarType type = emitter.takeType();
  emitter.expectOperands(2, 2);
  Value *value = emitter.read(1, type);
  emitter.write(0u, emitter.builder.CreateZExt(
                        emitter.builder.CreateIsNull(value), value->getType()));
}

/// Shifts by as much as the type has bits, or more, leave nothing but signs.
template <bool isLeft> void emitShift(Emitter &emitter) {
  ScalarType type = emitter.takeType();
  emitter.expectOperands(3, 3);
  IRBuilder<> &b = emitter.builder;
  Value *value = emitter.read(1, type);
  Value *amount = emitter.readInteger(2, 32);
  Value *most = b.getInt32(type.bits - 1);
  Value *isAll = b.CreateICmpUGT(amount, most);
  amount = b.CreateZExtOrTrunc(b.CreateSelect(isAll, most, amount),
                               value->getType());
  Value *result;
  if (!isLeft && type.isSigned()) {
    result = b.CreateAShr(value, amount);
  } else {
    result = isLeft ? b.CreateShl(value, amount) : b.CreateLShr(value, amount);
    result =
        b.CreateSelect(isAll, Constant::getNullValue(value->getType()), result);
  }
  emitter.write(0u, result, type.isSigned());
}

/// The upper or the lower half of two words that are shifted together.
void emitFunnelShift(Emitter &emitter) {
  const bool isLeft = emitter.take("l");
  if (!isLeft)
    emitter.take("r");
  const bool clamps = emitter.take("clamp");
  emitter.take("wrap");
  emitter.takeType();
  emitter.expectOperands(4, 4);
  IRBuilder<> &b = emitter.builder;
  Value *words = emitter.pack(
      {emitter.readInteger(1, 32), emitter.readInteger(2, 32)}, 64);
  Value *amount = emitter.readInteger(3, 32);
  amount =
      clamps ? emitter.callIntrinsic(Intrinsic::umin, {amount, b.getInt32(32)})
             : b.CreateAnd(amount, 31);
  amount = b.CreateZExt(amount, b.getInt64Ty());
  Value *result = isLeft ? b.CreateLShr(b.CreateShl(words, amount), 32)
                         : b.CreateLShr(words, amount);
  emitter.write(0u, b.CreateTrunc(result, b.getInt32Ty()));
}

/// A mask of the lowest `count` bits, possibly all.
Value *createMask(Emitter &emitter, Value *count, unsigned bits) {
  IRBuilder<> &b = emitter.builder;
  Value *all = ConstantInt::getAllOnesValue(emitter.getBits(bits));
  Value *isAll = b.CreateICmpUGE(count, ConstantInt::get(all->getType(), bits));
  Value *safe =
      b.CreateSelect(isAll, Constant::getNullValue(all->getType()), count);
  return b.CreateSelect(isAll, all, b.CreateNot(b.CreateShl(all, safe)));
}

/// The lowest byte of an operand: position or length of a field.
Value *readByte(Emitter &emitter, unsigned index, unsigned bits) {
  return emitter.builder.CreateZExtOrTrunc(
      emitter.builder.CreateAnd(emitter.readInteger(index, 32), 255),
      emitter.getBits(bits));
}

void emitExtractField(Emitter &emitter) {
  ScalarType type = emitter.takeType();
  emitter.expectOperands(4, 4);
  IRBuilder<> &b = emitter.builder;
  Type *ty = emitter.getBits(type.bits);
  Value *most = ConstantInt::get(ty, type.bits - 1);
  Value *value = emitter.read(1, type);
  Value *position = readByte(emitter, 2, type.bits);
  Value *length = readByte(emitter, 3, type.bits);
  // Beyond the top are zeros, or the sign.
  Value *isBeyond = b.CreateICmpUGT(position, most);
  Value *shift = emitter.callIntrinsic(Intrinsic::umin, {position, most});
  Value *zero = Constant::getNullValue(ty);
  Value *mask = createMask(emitter, length, type.bits);
  Value *result;
  if (type.isSigned()) {
    Value *shifted = b.CreateAShr(value, shift);
    // The top bit of the field fills the bits above it.
    Value *end = emitter.callIntrinsic(
        Intrinsic::umin,
        {b.CreateSub(b.CreateAdd(position, length), ConstantInt::get(ty, 1)),
         most});
    Value *sign =
        b.CreateAShr(b.CreateShl(value, b.CreateSub(most, end)), most);
    result = b.CreateOr(b.CreateAnd(shifted, mask),
                        b.CreateAnd(sign, b.CreateNot(mask)));
    result = b.CreateSelect(b.CreateIsNull(length), zero, result);
  } else {
    Value *shifted = b.CreateSelect(isBeyond, zero, b.CreateLShr(value, shift));
    result = b.CreateAnd(shifted, mask);
  }
  emitter.write(0u, result, type.isSigned());
}

void emitInsertField(Emitter &emitter) {
  ScalarType type = emitter.takeType();
  emitter.expectOperands(5, 5);
  IRBuilder<> &b = emitter.builder;
  Type *ty = emitter.getBits(type.bits);
  Value *field = emitter.read(1, type), *into = emitter.read(2, type);
  Value *position = readByte(emitter, 3, type.bits);
  Value *length = readByte(emitter, 4, type.bits);
  Value *isBeyond = b.CreateICmpUGE(position, ConstantInt::get(ty, type.bits));
  Value *shift = b.CreateSelect(isBeyond, Constant::getNullValue(ty), position);
  Value *mask = b.CreateShl(createMask(emitter, length, type.bits), shift);
  Value *result = b.CreateOr(b.CreateAnd(b.CreateShl(field, shift), mask),
                             b.CreateAnd(into, b.CreateNot(mask)));
  emitter.write(0u, b.CreateSelect(isBeyond, into, result));
}

template <Intrinsic::ID id, bool hasZeroFlag, bool countsBits>
void emitUnary(Emitter &emitter) {
  ScalarType type = emitter.takeType();
  emitter.expectOperands(2, 2);
  IRBuilder<> &b = emitter.builder;
  SmallVector<Value *> arguments{emitter.read(1, type)};
  if (hasZeroFlag)
    arguments.push_back(b.getFalse());
  Value *result = emitter.callIntrinsic(id, arguments);
  if (countsBits)
    result = b.CreateZExtOrTrunc(result, b.getInt32Ty());
  emitter.write(0u, result);
}

/// The position of the highest bit that differs from the sign; -1 where none
/// does.
void emitFindBit(Emitter &emitter) {
  const bool givesShift = emitter.take("shiftamt");
  ScalarType type = emitter.takeType();
  emitter.expectOperands(2, 2);
  IRBuilder<> &b = emitter.builder;
  Value *value = emitter.read(1, type);
  if (type.isSigned())
    value = b.CreateXor(
        value,
        b.CreateAShr(value, ConstantInt::get(value->getType(), type.bits - 1)));
  Value *zeros = b.CreateZExtOrTrunc(
      emitter.callIntrinsic(Intrinsic::ctlz, {value, b.getFalse()}),
      b.getInt32Ty());
  Value *position =
      givesShift ? zeros : b.CreateSub(b.getInt32(type.bits - 1), zeros);
  emitter.write(
      0u, b.CreateSelect(b.CreateIsNull(value), b.getInt32(-1), position));
}

/// Each byte of the result is one of eight, or its sign.
void emitPermute(Emitter &emitter) {
  StringRef mode =
      emitter.takeOneOf({"f4e", "b4e", "rc8", "ecl", "ecr", "rc16"});
  if (!mode.empty())
    emitter.fail("'prmt' with '." + mode + "' is not implemented");
  emitter.takeType();
  emitter.expectOperands(4, 4);
  IRBuilder<> &b = emitter.builder;
  Type *i64 = b.getInt64Ty();
  Value *bytes = emitter.pack(
      {emitter.readInteger(1, 32), emitter.readInteger(2, 32)}, 64);
  Value *selectors = b.CreateZExt(emitter.readInteger(3, 32), i64);
  SmallVector<Value *> results;
  for (unsigned i = 0; i < 4; ++i) {
    Value *selector = b.CreateLShr(selectors, 4 * i);
    Value *shift = b.CreateShl(b.CreateAnd(selector, 7), 3);
    Value *byte = b.CreateTrunc(b.CreateLShr(bytes, shift), b.getInt8Ty());
    Value *sign = b.CreateAShr(byte, 7);
    Value *isSign = b.CreateIsNotNull(b.CreateAnd(selector, 8));
    results.push_back(b.CreateSelect(isSign, sign, byte));
  }
  emitter.write(0u, emitter.pack(results, 32));
}

/// Any function of three bits, by its table.
void emitTable(Emitter &emitter) {
  emitter.takeType();
  emitter.expectOperands(5, 5);
  IRBuilder<> &b = emitter.builder;
  std::optional<uint64_t> table = emitter.findConstant(emitter.getOperand(4));
  if (!table) {
    emitter.fail("expected the table of 'lop3' as a constant");
    return;
  }
  Value *inputs[3];
  for (unsigned i = 0; i < 3; ++i)
    inputs[i] = emitter.readInteger(1 + i, 32);
  Value *result = b.getInt32(0);
  for (unsigned row = 0; row < 8; ++row) {
    if (!(*table >> row & 1))
      continue;
    Value *term = b.getInt32(-1);
    for (unsigned i = 0; i < 3; ++i)
      term = b.CreateAnd(term, row >> (2 - i) & 1 ? inputs[i]
                                                  : b.CreateNot(inputs[i]));
    result = b.CreateOr(result, term);
  }
  emitter.write(0u, result);
}

constexpr OpcodeRow kRows[] = {
    {"and", emitLogic<BinaryOperator::And>},
    {"or", emitLogic<BinaryOperator::Or>},
    {"xor", emitLogic<BinaryOperator::Xor>},
    {"not", emitNot},
    {"cnot", emitLogicalNot},
    {"shl", emitShift<true>},
    {"shr", emitShift<false>},
    {"shf", emitFunnelShift},
    {"bfe", emitExtractField},
    {"bfi", emitInsertField},
    {"brev", emitUnary<Intrinsic::bitreverse, false, false>},
    {"popc", emitUnary<Intrinsic::ctpop, false, true>},
    {"clz", emitUnary<Intrinsic::ctlz, true, true>},
    {"bfind", emitFindBit},
    {"prmt", emitPermute},
    {"lop3", emitTable}};

} // namespace

ArrayRef<OpcodeRow> getBitRows() { return kRows; }

} // namespace gridir::ptx
