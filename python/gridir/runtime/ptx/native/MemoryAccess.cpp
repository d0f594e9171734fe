//===- MemoryAccess.cpp - Moves, loads, stores and atomic updates ---------===//
//
// Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Emitter.h"
#include "Order.h"

using namespace llvm;

namespace gridir::ptx {

namespace {

void emitMove(Emitter &emitter) {
  ScalarType type = emitter.takeType();
  emitter.expectOperands(2, 2);
  emitter.write(0u, emitter.read(1, type));
}

/// Modifiers that say how caches and other threads see an access. Threads run
/// one at a time, so that every access is seen by all at once; whether they are
/// in an order is checked.
struct Order {
  /// Other threads may be waited for.
  bool waits;
  /// `AccessFlag`.
  unsigned flags;
};

Order takeOrder(Emitter &emitter) {
  StringRef order = emitter.takeOneOf(
      {"acquire", "volatile", "relaxed", "mmio", "release", "acq_rel", "weak"});
  const bool acquires = order == "acquire" || order == "acq_rel";
  const bool releases = order == "release" || order == "acq_rel";
  const bool isNarrow =
      emitter.takeOneOf({"cta", "cluster", "gpu", "sys"}) == "cta";
  emitter.takeOneOf({"nc", "ca", "cg", "cs", "cv", "lu", "wb", "wt"});
  emitter.takeOneOf({"L1::evict_normal", "L1::evict_unchanged",
                     "L1::evict_first", "L1::evict_last", "L1::no_allocate"});
  emitter.takeOneOf({"L2::evict_normal", "L2::evict_first", "L2::evict_last"});
  emitter.takeOneOf({"L2::64B", "L2::128B", "L2::256B"});
  const bool isStrong = !order.empty() && order != "weak";
  return {isStrong && !releases,
          (isStrong ? Strong : 0u) | (acquires ? Acquires : 0u) |
              (releases ? Releases : 0u) | (isNarrow ? Narrow : 0u)};
}

struct SpaceName {
  StringLiteral name;
  Space space;
};

constexpr SpaceName kSpaces[] = {
    {"global", Space::Generic},         {"const", Space::Generic},
    {"param", Space::Generic},          {"param::func", Space::Generic},
    {"shared", Space::Shared},          {"shared::cta", Space::Shared},
    {"shared::cluster", Space::Shared}, {"local", Space::Local}};

Space takeSpace(Emitter &emitter) {
  for (const SpaceName &row : kSpaces)
    if (emitter.take(row.name))
      return row.space;
  return Space::Generic;
}

unsigned takeVector(Emitter &emitter) {
  StringRef vector = emitter.takeOneOf({"v2", "v4", "v8"});
  unsigned count = 1;
  vector.drop_front(!vector.empty()).getAsInteger(10, count);
  return vector.empty() ? 1 : count;
}

/// Where a load, store or update finds its operand, and the types it moves.
struct Access {
  Value *pointer;
  ScalarType type;
  unsigned count;
  bool isLocal = false;

  Value *getElement(Emitter &emitter, unsigned index) const {
    return emitter.builder.CreateConstInBoundsGEP1_64(
        emitter.builder.getInt8Ty(), pointer, index * type.getBytes());
  }
};

/// Without flags, the caller reports the access.
Access locateAccess(Emitter &emitter, unsigned addressOperand, unsigned flags) {
  Access access;
  access.type = emitter.takeType();
  access.count = takeVector(emitter);
  Space space = takeSpace(emitter);
  const unsigned bytes = access.count * access.type.getBytes();
  access.pointer =
      emitter.locate(emitter.getOperand(addressOperand), space, bytes, bytes);
  access.isLocal = space == Space::Local;
  if (space == Space::Generic && (flags & (Strong | Narrow)) == Strong)
    emitter.meetClusters();
  if (space == Space::Generic && flags == Reads)
    emitter.noteRead(access.pointer, bytes);
  else if (!access.isLocal && flags)
    emitter.note(access.pointer, bytes, flags);
  return access;
}

ArrayRef<Operand> getVector(Emitter &emitter, unsigned operand,
                            const Access &access) {
  ArrayRef<Operand> elements = emitter.getElements(emitter.getOperand(operand));
  if (elements.size() != access.count) {
    emitter.fail("expected " + Twine(access.count) + " registers, got " +
                 Twine(elements.size()));
    return elements.take_front(std::min<size_t>(elements.size(), 1));
  }
  return elements;
}

/// Parameters are where the launch has put them, at offsets that are known.
void emitLoadParameter(Emitter &emitter) {
  emitter.takeOneOf({"param", "param::entry", "param::func"});
  ScalarType type = emitter.takeType();
  const unsigned count = takeVector(emitter);
  const Operand &address = emitter.getOperand(1);
  IRBuilder<> &b = emitter.builder;
  const Symbol *parameter = emitter.findParameter(address);
  const uint64_t offset = parameter ? address.elements[0].value : 0;
  const uint64_t bytes = count * type.getBytes();
  if (parameter &&
      (offset > parameter->bytes || bytes > parameter->bytes - offset))
    emitter.fail(address.where, "expected an offset in the " +
                                    Twine(parameter->bytes) +
                                    " bytes of the parameter");
  Value *pointer =
      parameter ? b.CreateIntToPtr(emitter.readAddress(address), b.getPtrTy())
                : emitter.locate(address, Space::Generic, bytes, bytes,
                                 /*isParameter=*/true);
  Access access{pointer, type, count};
  for (auto [index, element] : llvm::enumerate(getVector(emitter, 0, access)))
    emitter.write(element,
                  b.CreateAlignedLoad(emitter.getBits(type.bits),
                                      access.getElement(emitter, index),
                                      Align(1)),
                  type.isSigned());
}

void emitLoad(Emitter &emitter) {
  const Order order = takeOrder(emitter);
  emitter.expectOperands(2, 3);
  if (llvm::any_of(emitter.getModifiers(), [](StringRef modifier) {
        return modifier.starts_with("param");
      })) {
    emitLoadParameter(emitter);
    return;
  }
  // A thread that polls a value must let other threads write it.
  if (order.waits)
    emitter.pause();
  Access access = locateAccess(emitter, 1, order.flags | Reads);
  IRBuilder<> &b = emitter.builder;
  SmallVector<Value *> values;
  for (unsigned i = 0; i < access.count; ++i)
    values.push_back(b.CreateAlignedLoad(emitter.getBits(access.type.bits),
                                         access.getElement(emitter, i),
                                         Align(1), /*isVolatile=*/order.waits));
  for (auto [element, value] : llvm::zip(getVector(emitter, 0, access), values))
    emitter.write(element, value, access.type.isSigned());
}

void emitStore(Emitter &emitter) {
  if (llvm::is_contained(emitter.getModifiers(), "async")) {
    if (!emitCollective(emitter))
      emitter.fail("this form of 'st.async' is not implemented");
    return;
  }
  const Order order = takeOrder(emitter);
  emitter.expectOperands(2, 3);
  Access access =
      locateAccess(emitter, 0, order.flags ? order.flags | Writes : 0u);
  SmallVector<Value *> values;
  for (const Operand &element : getVector(emitter, 1, access))
    values.push_back(emitter.read(element, access.type));
  if (!access.isLocal && !order.flags)
    emitter.noteStore(access.pointer, values);
  else if (!access.isLocal)
    emitter.checkOutput(access.pointer, values);
  for (auto [index, value] : llvm::enumerate(values))
    emitter.builder.CreateAlignedStore(value, access.getElement(emitter, index),
                                       Align(1), /*isVolatile=*/order.waits);
}

// Combines the old value and the operands of an atomic update.
using Update = Value *(*)(Emitter &, ScalarType, Value *old, Value *value);

Value *select(Emitter &emitter, Value *condition, Value *x, Value *y) {
  return emitter.builder.CreateSelect(condition, x, y);
}

template <Intrinsic::ID floating, CmpInst::Predicate isSigned,
          CmpInst::Predicate isUnsigned>
Value *chooseExtreme(Emitter &emitter, ScalarType type, Value *old,
                     Value *value) {
  if (type.isFloat())
    return emitter.fromFloat(
        emitter.callIntrinsic(floating, {emitter.toFloat(old, type),
                                         emitter.toFloat(value, type)}),
        type);
  return select(emitter,
                emitter.builder.CreateICmp(
                    type.isSigned() ? isSigned : isUnsigned, old, value),
                old, value);
}

struct UpdateRow {
  StringLiteral name;
  Update update;
};

constexpr UpdateRow kUpdates[] = {
    {"exch",
     [](Emitter &, ScalarType, Value *, Value *value) { return value; }},
    {"and", [](Emitter &e, ScalarType, Value *old,
               Value *value) { return e.builder.CreateAnd(old, value); }},
    {"or", [](Emitter &e, ScalarType, Value *old,
              Value *value) { return e.builder.CreateOr(old, value); }},
    {"xor", [](Emitter &e, ScalarType, Value *old,
               Value *value) { return e.builder.CreateXor(old, value); }},
    {"add",
     [](Emitter &e, ScalarType type, Value *old, Value *value) -> Value * {
       if (!type.isFloat())
         return e.builder.CreateAdd(old, value);
       return e.fromFloat(
           e.builder.CreateFAdd(e.toFloat(old, type), e.toFloat(value, type)),
           type);
     }},
    {"min", chooseExtreme<Intrinsic::minimumnum, CmpInst::ICMP_SLT,
                          CmpInst::ICMP_ULT>},
    {"max", chooseExtreme<Intrinsic::maximumnum, CmpInst::ICMP_SGT,
                          CmpInst::ICMP_UGT>},
    {"inc",
     [](Emitter &e, ScalarType, Value *old, Value *value) {
       return select(
           e, e.builder.CreateICmpUGE(old, value),
           Constant::getNullValue(old->getType()),
           e.builder.CreateAdd(old, ConstantInt::get(old->getType(), 1)));
     }},
    {"dec",
     [](Emitter &e, ScalarType, Value *old, Value *value) {
       Value *one = ConstantInt::get(old->getType(), 1);
       Value *below = e.builder.CreateSub(old, one);
       // 0 wraps to more than any value.
       return select(e, e.builder.CreateICmpUGE(below, value), value, below);
     }},
};

/// Updates memory; `first` is the operand of the address.
void emitUpdate(Emitter &emitter, unsigned first, bool hasResult) {
  const unsigned flags = takeOrder(emitter).flags;
  emitter.take("noftz");
  const bool isExchange = emitter.take("cas");
  Update update = nullptr;
  for (const UpdateRow &row : kUpdates)
    if (!isExchange && !update && emitter.take(row.name))
      update = row.update;
  if (!update && !isExchange) {
    emitter.fail("expected an atomic operation");
    return;
  }
  Access access = locateAccess(emitter, first, flags | Reads | Writes | Strong);
  IRBuilder<> &b = emitter.builder;
  ArrayRef<Operand> values = getVector(emitter, first + 1, access);
  for (auto [index, operand] : llvm::enumerate(values)) {
    Value *pointer = access.getElement(emitter, index);
    Value *old = b.CreateAlignedLoad(emitter.getBits(access.type.bits), pointer,
                                     Align(1), /*isVolatile=*/true);
    Value *value = emitter.read(operand, access.type);
    Value *result;
    if (isExchange) {
      result = b.CreateSelect(b.CreateICmpEQ(old, value),
                              emitter.read(first + 2, access.type), old);
    } else {
      SmallVector<Value *> results;
      for (auto [x, y] : llvm::zip(emitter.unpack(old, access.type.lanes),
                                   emitter.unpack(value, access.type.lanes)))
        results.push_back(update(emitter, access.type.getElement(), x, y));
      result = emitter.pack(results, access.type.bits);
    }
    emitter.checkOutput(pointer, result);
    b.CreateAlignedStore(result, pointer, Align(1), /*isVolatile=*/true);
    if (hasResult)
      emitter.write(emitter.getElements(emitter.getOperand(0))[index], old,
                    access.type.isSigned());
  }
}

void emitAtomic(Emitter &emitter) {
  emitter.expectOperands(3, 4);
  const Operand &result = emitter.getOperand(0);
  if (result.name != "_" &&
      emitter.getElements(result).size() !=
          emitter.getElements(emitter.getOperand(2)).size()) {
    emitter.fail("expected as many results as operands");
    return;
  }
  // A thread that spins on a result must let other threads change it.
  emitter.pause();
  emitUpdate(emitter, 1,
             result.kind == Operand::Kind::Vector || result.name != "_");
}

void emitReduction(Emitter &emitter) {
  if (llvm::is_contained(emitter.getModifiers(), "async")) {
    if (!emitCollective(emitter))
      emitter.fail("this form of 'red.async' is not implemented");
    return;
  }
  emitter.expectOperands(2, 3);
  emitUpdate(emitter, 0, /*hasResult=*/false);
}

// Addresses.

bool takeShared(Emitter &emitter) {
  return !emitter.takeOneOf({"shared", "shared::cta", "shared::cluster"})
              .empty();
}

Value *readWindow(Emitter &emitter) {
  return emitter.loadFrame(offsetof(Frame, window),
                           emitter.builder.getInt64Ty());
}

/// Generic addresses are those of this process; of all spaces only shared
/// memory has others.
void emitConvertAddress(Emitter &emitter) {
  const bool toSpace = emitter.take("to");
  const bool isShared = takeShared(emitter);
  const bool isLocal = emitter.take("local");
  const bool isParameter =
      emitter.take("param") || emitter.take("param::entry");
  emitter.takeOneOf({"global", "const"});
  ScalarType type = emitter.takeType();
  emitter.expectOperands(2, 2);
  Value *address = emitter.read(1, type);
  // Some compilers keep addresses in small spaces in 32 bits.
  if (!toSpace && (isLocal || isParameter))
    address =
        emitter.widenAddress(address, isLocal ? offsetof(Frame, local)
                                              : offsetof(Frame, parameters));
  if (isShared && type.bits == 64)
    address = toSpace ? emitter.builder.CreateSub(address, readWindow(emitter))
                      : emitter.builder.CreateAdd(address, readWindow(emitter));
  emitter.write(0u, address);
}

/// Says of a generic address whether it is in a space.
void emitIsInSpace(Emitter &emitter) {
  const bool isShared = takeShared(emitter);
  const bool isLocal = !isShared && emitter.take("local");
  emitter.take("global");
  emitter.expectOperands(2, 2);
  IRBuilder<> &b = emitter.builder;
  Value *address = emitter.readInteger(1, 64);
  Type *i64 = b.getInt64Ty();
  auto isIn = [&](Value *begin, Value *size) {
    return b.CreateICmpULT(b.CreateSub(address, begin), size);
  };
  Value *inShared =
      isIn(readWindow(emitter),
           b.CreateShl(b.CreateZExt(emitter.loadSpecial(ClusterRanks), i64),
                       kBlockWindowBits));
  Value *inLocal = isIn(emitter.loadFrame(offsetof(Frame, local), i64),
                        emitter.loadFrame(offsetof(Frame, localBytes), i64));
  emitter.write(0u, isShared  ? inShared
                    : isLocal ? inLocal
                              : b.CreateNot(b.CreateOr(inShared, inLocal)));
}

/// Splits an address in shared memory of a cluster into the bits above the rank
/// of the CTA, the offset in the CTA, and the rank.
struct ClusterAddress {
  Value *base, *offset, *rank;
};

ClusterAddress splitAddress(Emitter &emitter, Value *address, bool isShared) {
  IRBuilder<> &b = emitter.builder;
  Value *base = isShared ? b.getInt64(0) : readWindow(emitter);
  Value *offset = b.CreateSub(address, base);
  return {base, b.CreateAnd(offset, (uint64_t(1) << kBlockWindowBits) - 1),
          b.CreateLShr(offset, kBlockWindowBits)};
}

void emitMapToRank(Emitter &emitter) {
  const bool isShared = takeShared(emitter);
  ScalarType type = emitter.takeType();
  emitter.expectOperands(3, 3);
  IRBuilder<> &b = emitter.builder;
  ClusterAddress address = splitAddress(
      emitter, emitter.readWide(emitter.getOperand(1), type.bits), isShared);
  Value *rank = b.CreateShl(emitter.readWide(emitter.getOperand(2), 32),
                            kBlockWindowBits);
  Value *result = b.CreateAdd(address.base, b.CreateOr(address.offset, rank));
  emitter.write(0u, b.CreateTrunc(result, emitter.getBits(type.bits)));
}

void emitGetRank(Emitter &emitter) {
  const bool isShared = takeShared(emitter);
  ScalarType type = emitter.takeType();
  emitter.expectOperands(2, 2);
  ClusterAddress address = splitAddress(
      emitter, emitter.readWide(emitter.getOperand(1), type.bits), isShared);
  emitter.write(0u,
                emitter.builder.CreateTrunc(address.rank, emitter.getBits(32)));
}

constexpr OpcodeRow kRows[] = {{"mov", emitMove},
                               {"ld", emitLoad},
                               {"ldu", emitLoad},
                               {"st", emitStore},
                               {"atom", emitAtomic},
                               {"red", emitReduction},
                               {"cvta", emitConvertAddress},
                               {"isspacep", emitIsInSpace},
                               {"mapa", emitMapToRank},
                               {"getctarank", emitGetRank}};

} // namespace

ArrayRef<OpcodeRow> getMemoryRows() { return kRows; }

} // namespace gridir::ptx
