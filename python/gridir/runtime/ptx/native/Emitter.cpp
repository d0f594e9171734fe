//===- Emitter.cpp - One instruction on its way to LLVM IR ----------------===//
//
// Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Emitter.h"

#include "llvm/ADT/APFloat.h"
#include "llvm/ADT/bit.h"
#include "llvm/IR/MDBuilder.h"
#include "llvm/IR/Module.h"

using namespace llvm;

namespace gridir::ptx {

namespace {

struct SpecialName {
  StringLiteral name;
  SpecialRegister index;
};

/// Three-dimensional ones have the suffix .x, .y or .z.
constexpr SpecialName kSpecialVectors[] = {{"tid", ThreadId},
                                           {"ntid", BlockSize},
                                           {"ctaid", BlockId},
                                           {"nctaid", GridSize},
                                           {"cluster_ctaid", ClusterBlockId},
                                           {"cluster_nctaid", ClusterSize},
                                           {"clusterid", ClusterId},
                                           {"nclusterid", NumClusters}};

constexpr SpecialName kSpecialScalars[] = {{"laneid", LaneId},
                                           {"warpid", WarpId},
                                           {"nwarpid", NumWarps},
                                           {"cluster_ctarank", ClusterRank},
                                           {"cluster_nctarank", ClusterRanks},
                                           {"lanemask_eq", LaneMaskEq},
                                           {"lanemask_le", LaneMaskLe},
                                           {"lanemask_lt", LaneMaskLt},
                                           {"lanemask_ge", LaneMaskGe},
                                           {"lanemask_gt", LaneMaskGt},
                                           {"dynamic_smem_size", DynamicShared},
                                           {"total_smem_size", TotalShared},
                                           {"smid", Zero},
                                           {"nsmid", One},
                                           {"gridid", Zero}};

/// A cycle takes a nanosecond here.
constexpr StringLiteral kClocks[] = {"clock",          "clock64",
                                     "clock_hi",       "globaltimer",
                                     "globaltimer_lo", "globaltimer_hi"};

std::string describe(const Operand &operand) {
  return operand.name.empty() ? "this" : "'" + operand.name + "'";
}

} // namespace

Emitter::Emitter(FunctionContext &context, const Instruction &instruction,
                 unsigned site)
    : instruction(instruction), builder(context.builder), context(context),
      site(site),
      modifiers(instruction.modifiers.begin(), instruction.modifiers.end()) {}

void Emitter::fail(Position where, const Twine &message) {
  context.problems.push_back({where, message.str(), "", instruction.source});
}

bool Emitter::take(StringRef modifier) {
  auto *found = llvm::find(modifiers, modifier);
  if (found == modifiers.end())
    return false;
  modifiers.erase(found);
  return true;
}

StringRef Emitter::takeOneOf(ArrayRef<StringRef> choices) {
  for (StringRef choice : choices)
    if (take(choice))
      return choice;
  return "";
}

ScalarType Emitter::takeType() {
  std::optional<ScalarType> type;
  if (!modifiers.empty())
    type = findType(modifiers.back());
  if (!type) {
    fail("expected a type at the end of '" + instruction.opcode + "', got " +
         (modifiers.empty() ? "none" : "'." + modifiers.back().str() + "'"));
    return {};
  }
  modifiers.pop_back();
  return *type;
}

void Emitter::finish() {
  for (StringRef modifier : modifiers)
    fail("'" + instruction.opcode + "' with '." + modifier +
         "' is not implemented");
}

const Operand &Emitter::getOperand(unsigned index) {
  static const Operand none = [] {
    Operand operand;
    operand.kind = Operand::Kind::Integer;
    return operand;
  }();
  if (index < getNumOperands())
    return instruction.operands[index];
  expectOperands(index + 1, ~0u);
  return none;
}

void Emitter::expectOperands(unsigned least, unsigned most) {
  if (getNumOperands() < least)
    fail("expected at least " + Twine(least) + " operands of '" +
         instruction.opcode + "', got " + Twine(getNumOperands()));
  if (getNumOperands() > most)
    fail("expected at most " + Twine(most) + " operands of '" +
         instruction.opcode + "', got " + Twine(getNumOperands()));
}

ArrayRef<Operand> Emitter::getElements(const Operand &operand) const {
  if (operand.kind == Operand::Kind::Vector ||
      operand.kind == Operand::Kind::Pair)
    return operand.elements;
  return operand;
}

Value *Emitter::fit(Value *value, unsigned bits, bool isSigned) {
  return isSigned ? builder.CreateSExtOrTrunc(value, getBits(bits))
                  : builder.CreateZExtOrTrunc(value, getBits(bits));
}

Value *Emitter::read(const Operand &operand, ScalarType type) {
  switch (operand.kind) {
  case Operand::Kind::Name:
    return readName(operand, type);
  case Operand::Kind::Integer:
    // A float may be written as an integer: 0 means 0.0.
    if (type.isFloat() && type.lanes == 1 && type.bits > 16)
      return ConstantInt::get(
          getBits(type.bits),
          type.bits == 64 ? bit_cast<uint64_t>(double(int64_t(operand.value)))
                          : bit_cast<uint32_t>(float(int64_t(operand.value))));
    return builder.getInt(APInt(64, operand.value).sextOrTrunc(type.bits));
  case Operand::Kind::Float: {
    if (operand.floatBits == type.bits)
      return builder.getInt(APInt(type.bits, operand.value));
    APFloat value = operand.floatBits == 64
                        ? APFloat(bit_cast<double>(operand.value))
                        : APFloat(bit_cast<float>(uint32_t(operand.value)));
    bool losesInfo;
    value.convert(type.bits == 64 ? APFloat::IEEEdouble()
                                  : APFloat::IEEEsingle(),
                  APFloat::rmNearestTiesToEven, &losesInfo);
    if (type.bits != 32 && type.bits != 64)
      fail(operand.where, "expected a value of " + Twine(type.bits) +
                              " bits, got a float of " +
                              Twine(operand.floatBits));
    return builder.getInt(value.bitcastToAPInt().zextOrTrunc(type.bits));
  }
  case Operand::Kind::Vector: {
    // The parts of a value, the first lowest.
    if (operand.elements.empty() || type.bits % operand.elements.size()) {
      fail(operand.where, "expected parts of a value of " + Twine(type.bits) +
                              " bits, got " + Twine(operand.elements.size()));
      return builder.getInt(APInt(type.bits, 0));
    }
    ScalarType part{TypeKind::Bits,
                    type.bits / unsigned(operand.elements.size()), 1};
    SmallVector<Value *> parts;
    for (const Operand &element : operand.elements)
      parts.push_back(read(element, part));
    return pack(parts, type.bits);
  }
  case Operand::Kind::Address:
  case Operand::Kind::Pair:
    fail(operand.where, "expected a value, got an address or two operands");
    return builder.getInt(APInt(type.bits, 0));
  }
  llvm_unreachable("kind of an operand");
}

Value *Emitter::readSpecial(StringRef name) {
  auto [base, part] = name.split('.');
  for (const SpecialName &row : kSpecialVectors)
    if (row.name == base && part.size() == 1 && part >= "x" && part <= "z")
      return loadSpecial(row.index + (part[0] - 'x'));
  for (const SpecialName &row : kSpecialScalars)
    if (row.name == name)
      return loadSpecial(row.index);
  if (llvm::is_contained(kClocks, name)) {
    Value *time = callRuntime("ptx.time", builder.getInt64Ty(), {});
    return name.ends_with("_hi") ? builder.CreateLShr(time, 32) : time;
  }
  return nullptr;
}

Value *Emitter::readName(const Operand &operand, ScalarType type) {
  const Symbol *symbol = context.scopes.find(operand.name);
  Value *value = nullptr;
  if (symbol) {
    switch (symbol->kind) {
    case Symbol::Kind::Register:
      touch(operand, /*writes=*/false);
      value =
          builder.CreateLoad(symbol->slot->getAllocatedType(), symbol->slot);
      if (symbol->type.bits < type.bits)
        fail(operand.where, "expected a register of " + Twine(type.bits) +
                                " bits, got " + describe(operand) + " of " +
                                Twine(symbol->type.bits));
      break;
    case Symbol::Kind::Absolute:
      value = builder.getInt64(symbol->address);
      break;
    case Symbol::Kind::Parameter:
      value = builder.CreateAdd(
          loadFrame(offsetof(Frame, parameters), builder.getInt64Ty()),
          builder.getInt64(symbol->address));
      break;
    case Symbol::Kind::Shared:
      value = builder.CreateAdd(
          loadFrame(offsetof(Frame, sharedBegin), builder.getInt64Ty()),
          builder.getInt64(symbol->address));
      break;
    case Symbol::Kind::DynamicShared:
      value = loadFrame(offsetof(Frame, dynamicBegin), builder.getInt64Ty());
      break;
    case Symbol::Kind::Local:
      value = builder.CreateAdd(
          loadFrame(offsetof(Frame, local), builder.getInt64Ty()),
          builder.getInt64(symbol->address));
      break;
    }
  } else if (StringRef(operand.name).starts_with("%")) {
    value = readSpecial(StringRef(operand.name).drop_front());
  } else if (operand.name == "WARP_SZ") {
    value = builder.getInt32(32);
  }
  if (!value) {
    fail(operand.where,
         "expected a name that is declared, got " + describe(operand));
    return builder.getInt(APInt(type.bits, 0));
  }
  if (operand.value)
    value = builder.CreateAdd(
        value, builder.getInt(
                   APInt(64, operand.value)
                       .sextOrTrunc(value->getType()->getIntegerBitWidth())));
  value = fit(value, type.bits, false);
  return operand.negated ? builder.CreateNot(value) : value;
}

Value *Emitter::readInteger(unsigned index, unsigned bits) {
  return read(index, ScalarType{TypeKind::Bits, bits, 1});
}

Value *Emitter::readWide(const Operand &operand, unsigned bits) {
  return fit(read(operand, ScalarType{TypeKind::Bits, bits, 1}), 64, false);
}

std::optional<uint64_t> Emitter::findConstant(const Operand &operand) const {
  if (operand.kind == Operand::Kind::Integer)
    return operand.value;
  return std::nullopt;
}

void Emitter::write(const Operand &operand, Value *value, bool isSigned) {
  const unsigned bits = value->getType()->getIntegerBitWidth();
  if (operand.kind == Operand::Kind::Vector) {
    if (operand.elements.empty() || bits % operand.elements.size()) {
      fail(operand.where, "expected registers for parts of a value of " +
                              Twine(bits) + " bits, got " +
                              Twine(operand.elements.size()));
      return;
    }
    SmallVector<Value *> parts = unpack(value, operand.elements.size());
    for (auto [element, part] : llvm::zip(operand.elements, parts))
      write(element, part, isSigned);
    return;
  }
  if (operand.kind == Operand::Kind::Name && operand.name == "_")
    return;
  const Symbol *symbol = operand.kind == Operand::Kind::Name
                             ? context.scopes.find(operand.name)
                             : nullptr;
  if (!symbol || symbol->kind != Symbol::Kind::Register) {
    fail(operand.where, "expected a register, got " + describe(operand));
    return;
  }
  if (symbol->type.bits < bits)
    fail(operand.where, "expected a register of " + Twine(bits) +
                            " bits, got " + describe(operand) + " of " +
                            Twine(symbol->type.bits));
  touch(operand, /*writes=*/true);
  builder.CreateStore(fit(value, symbol->type.bits, isSigned), symbol->slot);
}

Value *Emitter::pack(ArrayRef<Value *> elements, unsigned bits) {
  Value *result = nullptr;
  unsigned shift = 0;
  for (Value *element : elements) {
    Value *wide = builder.CreateZExt(element, getBits(bits));
    if (shift)
      wide = builder.CreateShl(wide, shift);
    result = result ? builder.CreateOr(result, wide) : wide;
    shift += element->getType()->getIntegerBitWidth();
  }
  return result;
}

SmallVector<Value *> Emitter::unpack(Value *value, unsigned count) {
  const unsigned bits = value->getType()->getIntegerBitWidth() / count;
  SmallVector<Value *> elements;
  for (unsigned i = 0; i < count; ++i)
    elements.push_back(builder.CreateTrunc(builder.CreateLShr(value, i * bits),
                                           getBits(bits)));
  return elements;
}

Value *Emitter::toFloat(Value *bits, ScalarType element) {
  bits = spread(bits);
  if (element.bits == 64)
    return builder.CreateBitCast(bits, builder.getDoubleTy());
  if (element.bits == 32)
    return builder.CreateBitCast(bits, builder.getFloatTy());
  if (element.kind == TypeKind::BFloat)
    return builder.CreateBitCast(
        builder.CreateShl(builder.CreateZExt(bits, getBits(32)), 16),
        builder.getFloatTy());
  return builder.CreateFPExt(builder.CreateBitCast(bits, builder.getHalfTy()),
                             builder.getFloatTy());
}

Value *Emitter::fromFloat(Value *value, ScalarType element) {
  value = spread(value);
  if (element.bits >= 32)
    return builder.CreateBitCast(value, getBits(element.bits));
  Value *rounded;
  if (element.kind == TypeKind::BFloat) {
    // In integers, as instructions for it flush denormals.
    if (value->getType()->isDoubleTy())
      value = dependOn(
          callRuntime("ptx.round_to_odd", builder.getFloatTy(), value), value);
    Value *bits = builder.CreateBitCast(value, getBits(32));
    Value *odd = builder.CreateAnd(builder.CreateLShr(bits, 16), 1);
    rounded = builder.CreateTrunc(
        builder.CreateLShr(builder.CreateAdd(builder.CreateAdd(bits, odd),
                                             builder.getInt32(0x7fff)),
                           16),
        getBits(16));
  } else {
    rounded = builder.CreateBitCast(
        builder.CreateFPTrunc(value, builder.getHalfTy()), getBits(16));
  }
  return builder.CreateSelect(builder.CreateFCmpUNO(value, value),
                              builder.getInt16(0x7fff), rounded);
}

Value *Emitter::flushDenormal(Value *value) {
  Type *type = value->getType();
  Value *isSmall = builder.CreateFCmpOLT(callIntrinsic(Intrinsic::fabs, value),
                                         ConstantFP::get(type, 0x1p-126));
  Value *zero =
      callIntrinsic(Intrinsic::copysign, {ConstantFP::get(type, 0.0), value});
  return builder.CreateSelect(isSmall, zero, value);
}

Value *Emitter::clampToUnit(Value *value) {
  Type *type = value->getType();
  // NaN becomes 0.
  value =
      callIntrinsic(Intrinsic::maximumnum, {value, ConstantFP::get(type, 0.0)});
  return callIntrinsic(Intrinsic::minimumnum,
                       {value, ConstantFP::get(type, 1.0)});
}

Value *Emitter::callRuntime(StringRef name, Type *result,
                            ArrayRef<Value *> arguments) {
  SmallVector<Type *> types;
  for (Value *argument : arguments)
    types.push_back(argument->getType());
  FunctionCallee callee = context.function->getParent()->getOrInsertFunction(
      name, FunctionType::get(result, types, false));
  return builder.CreateCall(callee, arguments);
}

Value *Emitter::loadFrame(size_t offset, Type *type) {
  return loadDefined(type, builder.CreateConstInBoundsGEP1_64(
                               builder.getInt8Ty(), context.frame, offset));
}

Value *Emitter::loadDefined(Type *type, Value *pointer) {
  LoadInst *load = builder.CreateLoad(type, pointer);
  if (context.instrumentation.isTracked)
    load->setNoSanitizeMetadata();
  return load;
}

void Emitter::tellSite() {
  if (!context.instrumentation.isTracked)
    return;
  Value *pointer = builder.CreateConstInBoundsGEP1_64(
      builder.getInt8Ty(), context.frame, offsetof(Frame, site));
  builder.CreateStore(getSite(), pointer)->setNoSanitizeMetadata();
}

Value *Emitter::dependOn(Value *value, ArrayRef<Value *> operands) {
  if (!context.instrumentation.isTracked)
    return value;
  auto toBits = [&](Value *x) {
    return builder.CreateBitCast(
        x, getBits(x->getType()->getPrimitiveSizeInBits()));
  };
  // An unequal comparison of a value with itself is false, and undefined if a
  // bit of the value is.
  Value *bits = toBits(value);
  for (Value *operand : operands)
    bits = builder.CreateXor(
        bits, builder.CreateSExt(
                  builder.CreateICmpNE(toBits(operand), toBits(operand)),
                  bits->getType()));
  return builder.CreateBitCast(bits, value->getType());
}

Value *Emitter::carry(Value *value) {
  if (!context.instrumentation.isTracked)
    return value;
  // Zero, with the undefined bits of the value.
  Value *bits = builder.CreateXor(value, value);
  for (unsigned shift = 1; shift < value->getType()->getIntegerBitWidth();
       shift *= 2)
    bits = builder.CreateOr(bits, builder.CreateShl(bits, shift));
  return builder.CreateXor(value, bits);
}

Value *Emitter::freeze(Value *value) {
  return context.instrumentation.isTracked ? builder.CreateFreeze(value)
                                           : value;
}

Value *Emitter::loadSpecial(unsigned index) {
  return loadFrame(offsetof(Frame, special) + 4 * index, getBits(32));
}

BasicBlock *Emitter::createBlock(const Twine &name) {
  return BasicBlock::Create(builder.getContext(), name, context.function);
}

BasicBlock *Emitter::findTarget(const Operand &operand) {
  if (BasicBlock *target = context.scopes.findLabel(operand.name))
    return target;
  fail(operand.where, "expected a label, got " + describe(operand));
  return createBlock("unknown");
}

void Emitter::burnFuel(BasicBlock *target) {
  if (!context.passed.contains(target))
    return;
  Value *pointer = builder.CreateConstInBoundsGEP1_64(
      builder.getInt8Ty(), context.frame, offsetof(Frame, fuel));
  Value *fuel = builder.CreateSub(
      builder.CreateLoad(builder.getInt64Ty(), pointer), builder.getInt64(1));
  builder.CreateStore(fuel, pointer);
  BasicBlock *empty = createBlock("empty"), *next = createBlock("fuelled");
  builder.CreateCondBr(
      builder.CreateICmpSLT(fuel, builder.getInt64(0)), empty, next,
      MDBuilder(builder.getContext()).createUnlikelyBranchWeights());
  builder.SetInsertPoint(empty);
  callRuntime("ptx.refuel", builder.getVoidTy(), {getFrame(), getSite()});
  builder.CreateBr(next);
  builder.SetInsertPoint(next);
}

void Emitter::pause() {
  callRuntime("ptx.pause", builder.getVoidTy(), {getFrame(), getSite()});
}

} // namespace gridir::ptx
