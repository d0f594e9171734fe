//===- Reductions.cpp - What asynchronous units add to memory -------------===//
//
// Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Reductions.h"

#include "Order.h"

#include "llvm/ADT/APFloat.h"

#include <cmath>

using namespace llvm;

namespace gridir::ptx {

namespace {

constexpr std::pair<StringLiteral, ReductionOp> kNames[] = {
    {"add", ReductionOp::Add}, {"min", ReductionOp::Min},
    {"max", ReductionOp::Max}, {"inc", ReductionOp::Inc},
    {"dec", ReductionOp::Dec}, {"and", ReductionOp::And},
    {"or", ReductionOp::Or},   {"xor", ReductionOp::Xor}};

const fltSemantics &getSemantics(ScalarType element) {
  if (element.kind == TypeKind::BFloat)
    return APFloat::BFloat();
  return element.bits == 16   ? APFloat::IEEEhalf()
         : element.bits == 32 ? APFloat::IEEEsingle()
                              : APFloat::IEEEdouble();
}

uint64_t reduceFloat(ReductionOp op, ScalarType element, uint64_t old,
                     uint64_t value) {
  auto decode = [&](uint64_t bits) {
    return APFloat(getSemantics(element), APInt(element.bits, bits));
  };
  APFloat x = decode(old);
  const APFloat y = decode(value);
  if (op == ReductionOp::Add)
    x.add(y, APFloat::rmNearestTiesToEven);
  else
    x = op == ReductionOp::Min ? minimumnum(x, y) : maximumnum(x, y);
  return x.bitcastToAPInt().getZExtValue();
}

uint64_t reduceInteger(ReductionOp op, ScalarType element, uint64_t old,
                       uint64_t value) {
  const APInt x(element.bits, old), y(element.bits, value);
  auto choose = [&](const APInt &less, const APInt &more) {
    return (op == ReductionOp::Min ? less : more).getZExtValue();
  };
  switch (op) {
  case ReductionOp::Replace:
    return value;
  case ReductionOp::Add:
    return (x + y).getZExtValue();
  case ReductionOp::Min:
  case ReductionOp::Max:
    return element.isSigned() ? choose(x.slt(y) ? x : y, x.slt(y) ? y : x)
                              : choose(x.ult(y) ? x : y, x.ult(y) ? y : x);
  case ReductionOp::Inc:
    return x.uge(y) ? 0 : old + 1;
  case ReductionOp::Dec:
    return x.isZero() || x.ugt(y) ? value : old - 1;
  case ReductionOp::And:
    return old & value;
  case ReductionOp::Or:
    return old | value;
  case ReductionOp::Xor:
    return old ^ value;
  }
  llvm_unreachable("operation of a reduction");
}

} // namespace

uint64_t Reduction::pack() const {
  return uint64_t(op) | uint64_t(element.kind) << 8 |
         uint64_t(element.bits) << 16;
}

Reduction Reduction::unpack(uint64_t word) {
  return {static_cast<ReductionOp>(word & 0xff),
          {static_cast<TypeKind>(word >> 8 & 0xff), unsigned(word >> 16), 1}};
}

bool Reduction::isKnown() const {
  switch (op) {
  case ReductionOp::Replace:
    return true;
  case ReductionOp::Add:
  case ReductionOp::Min:
  case ReductionOp::Max:
    return element.lanes == 1 && element.bits >= 16 && element.bits <= 64 &&
           (element.isInteger() || element.isFloat());
  case ReductionOp::Inc:
  case ReductionOp::Dec:
    return element.kind == TypeKind::Unsigned && element.bits == 32;
  case ReductionOp::And:
  case ReductionOp::Or:
  case ReductionOp::Xor:
    return !element.isFloat() && element.lanes == 1 && element.bits <= 64;
  }
  llvm_unreachable("operation of a reduction");
}

uint32_t Reduction::getAccess(const char *to, const char *from,
                              uint64_t bytes) const {
  if (!isReplacing())
    return Reads | Writes | Strong;
  return std::memcmp(to, from, bytes) == 0 ? Writes | Silent : Writes;
}

void Reduction::run(char *to, const char *from, uint64_t bytes) const {
  if (isReplacing()) {
    std::memcpy(to, from, bytes);
    return;
  }
  const unsigned size = element.getBytes();
  for (uint64_t offset = 0; offset + size <= bytes; offset += size) {
    uint64_t old = 0, value = 0;
    std::memcpy(&old, to + offset, size);
    std::memcpy(&value, from + offset, size);
    const uint64_t result = element.isFloat()
                                ? reduceFloat(op, element, old, value)
                                : reduceInteger(op, element, old, value);
    std::memcpy(to + offset, &result, size);
  }
}

ReductionOp takeReductionOp(Emitter &emitter) {
  for (const auto &[name, op] : kNames)
    if (emitter.take(name))
      return op;
  return ReductionOp::Replace;
}

} // namespace gridir::ptx
