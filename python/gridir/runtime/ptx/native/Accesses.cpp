//===- Accesses.cpp - Addresses of instructions, and what is told of accesses ---===//
//
// Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Emitter.h"
#include "Order.h"

#include "llvm/IR/MDBuilder.h"
#include "llvm/Support/MathExtras.h"

using namespace llvm;

namespace gridir::ptx {

const Symbol *Emitter::findParameter(const Operand &operand) const {
  if (operand.kind != Operand::Kind::Address || operand.elements.empty())
    return nullptr;
  const Symbol *symbol = context.scopes.find(operand.elements[0].name);
  return symbol && symbol->kind == Symbol::Kind::Parameter ? symbol : nullptr;
}

Value *Emitter::readAddress(const Operand &operand) {
  if (operand.kind != Operand::Kind::Address) {
    fail(operand.where, "expected an address in brackets");
    return builder.getInt64(0);
  }
  return readWide(operand.elements[0], isNarrowAddress(operand) ? 32 : 64);
}

bool Emitter::isNarrowAddress(const Operand &operand) const {
  if (operand.kind != Operand::Kind::Address || operand.elements.empty())
    return false;
  const Operand &base = operand.elements[0];
  const Symbol *symbol = base.kind == Operand::Kind::Name
                             ? context.scopes.find(base.name)
                             : nullptr;
  return symbol && symbol->kind == Symbol::Kind::Register &&
         symbol->type.bits == 32;
}

Value *Emitter::widenAddress(Value *address, unsigned frameOffset) {
  Value *begin = loadFrame(frameOffset, builder.getInt64Ty());
  return builder.CreateAdd(
      begin, builder.CreateAnd(builder.CreateSub(address, begin), 0xffffffff));
}

Value *Emitter::readShared(const Operand &operand) {
  return builder.CreateAnd(readAddress(operand), 0xffffffff);
}

Value *Emitter::locate(const Operand &operand, Space space, unsigned bytes,
                       unsigned alignment, bool isParameter) {
  Type *i64 = builder.getInt64Ty();
  Value *address =
      space == Space::Shared ? readShared(operand) : readAddress(operand);
  if ((space == Space::Local || isParameter) && isNarrowAddress(operand))
    address = widenAddress(address, isParameter ? offsetof(Frame, parameters)
                                                : offsetof(Frame, local));
  Value *begin, *starts;
  if (space == Space::Generic) {
    Value *range = builder.CreateConstInBoundsGEP1_64(
        builder.getInt8Ty(),
        loadFrame(offsetof(Frame, ranges), builder.getPtrTy()),
        site * sizeof(AllowedRange));
    begin = loadDefined(i64, range);
    starts = loadDefined(
        i64, builder.CreateConstInBoundsGEP1_64(
                 builder.getInt8Ty(), range, offsetof(AllowedRange, starts)));
  } else {
    const bool isShared = space == Space::Shared;
    begin = loadFrame(
        isShared ? offsetof(Frame, sharedBegin) : offsetof(Frame, local), i64);
    Value *size = loadFrame(isShared ? offsetof(Frame, sharedBytes)
                                     : offsetof(Frame, localBytes),
                            i64);
    starts =
        callIntrinsic(Intrinsic::usub_sat, {size, builder.getInt64(bytes - 1)});
  }
  Value *isAllowed =
      builder.CreateICmpULT(builder.CreateSub(address, begin), starts);
  if (alignment > 1)
    isAllowed = builder.CreateAnd(
        isAllowed,
        builder.CreateICmpEQ(builder.CreateAnd(address, alignment - 1),
                             builder.getInt64(0)));
  Value *pointer =
      space == Space::Shared
          ? builder.CreateGEP(
                builder.getInt8Ty(),
                loadFrame(offsetof(Frame, window), builder.getPtrTy()), address)
          : builder.CreateIntToPtr(address, builder.getPtrTy());
  BasicBlock *fast = builder.GetInsertBlock();
  BasicBlock *slow = createBlock("locate"), *done = createBlock("located");
  builder.CreateCondBr(
      isAllowed, done, slow,
      MDBuilder(builder.getContext()).createLikelyBranchWeights());
  builder.SetInsertPoint(slow);
  Value *found = callRuntime(
      "ptx.locate", builder.getPtrTy(),
      {getFrame(), address, builder.getInt32(unsigned(space)),
       builder.getInt32(bytes), builder.getInt32(alignment), getSite()});
  builder.CreateBr(done);
  builder.SetInsertPoint(done);
  PHINode *phi = builder.CreatePHI(builder.getPtrTy(), 2);
  phi->addIncoming(pointer, fast);
  phi->addIncoming(found, slow);
  return phi;
}

std::optional<unsigned> Emitter::findProductRegister(const Operand &operand) {
  if (operand.kind != Operand::Kind::Name ||
      !context.productNames.contains(operand.name))
    return std::nullopt;
  const Symbol *symbol = context.scopes.find(operand.name);
  if (!symbol || symbol->kind != Symbol::Kind::Register)
    return std::nullopt;
  return context.productNumbers
      .try_emplace(symbol->slot, context.productNumbers.size())
      .first->second;
}

void Emitter::touch(const Operand &operand, bool writes) {
  // Products and moves between their registers tell of them in other words.
  if (instruction.opcode == "wgmma")
    return;
  std::optional<unsigned> number = findProductRegister(operand);
  if (!number)
    return;
  if (instruction.opcode == "mov" && instruction.operands.size() == 2)
    if (auto from = findProductRegister(instruction.operands[1]),
        to = findProductRegister(instruction.operands[0]);
        from && to) {
      if (writes)
        callRuntime(
            "ptx.move_register", builder.getVoidTy(),
            {getFrame(), builder.getInt32(*from), builder.getInt32(*to)});
      return;
    }
  callRuntime("ptx.touch_register", builder.getVoidTy(),
              {getFrame(), builder.getInt32(*number), builder.getInt32(writes),
               getSite()});
}

void Emitter::useInProduct(const Operand &operand, bool isResult) {
  if (std::optional<unsigned> number = findProductRegister(operand))
    callRuntime("ptx.use_register", builder.getVoidTy(),
                {getFrame(), builder.getInt32(*number),
                 builder.getInt32(isResult), getSite()});
}

void Emitter::countExecution() {
  if (!context.instrumentation.isProfiled)
    return;
  Value *pointer = builder.CreateConstInBoundsGEP1_64(
      builder.getInt64Ty(),
      loadFrame(offsetof(Frame, executed), builder.getPtrTy()), site);
  builder.CreateStore(
      builder.CreateAdd(builder.CreateLoad(builder.getInt64Ty(), pointer),
                        builder.getInt64(1)),
      pointer);
}

bool Emitter::tellsOfAccesses() const {
  return context.instrumentation.isChecked ||
         context.instrumentation.isProfiled;
}

void Emitter::note(Value *pointer, unsigned bytes, unsigned flags) {
  if (tellsOfAccesses())
    callRuntime("ptx.note", builder.getVoidTy(),
                {getFrame(), pointer, builder.getInt32(bytes),
                 builder.getInt32(flags), getSite()});
}

void Emitter::noteRead(Value *pointer, unsigned bytes) {
  // Profiles count all accesses.
  if (!context.instrumentation.isChecked || context.instrumentation.isProfiled)
    return note(pointer, bytes, Reads);
  auto load = [&](size_t offset) {
    return loadDefined(
        builder.getInt64Ty(),
        builder.CreateConstInBoundsGEP1_64(
            builder.getInt8Ty(),
            loadFrame(offsetof(Frame, ranges), builder.getPtrTy()),
            site * sizeof(AllowedRange) + offset));
  };
  Value *offset =
      builder.CreateSub(builder.CreatePtrToInt(pointer, builder.getInt64Ty()),
                        load(offsetof(AllowedRange, begin)));
  BasicBlock *slow = createBlock("note"), *done = createBlock("noted");
  builder.CreateCondBr(
      builder.CreateICmpULT(offset, load(offsetof(AllowedRange, unnoted))),
      done, slow);
  builder.SetInsertPoint(slow);
  callRuntime("ptx.note_read", builder.getVoidTy(),
              {getFrame(), pointer, builder.getInt32(bytes), getSite()});
  builder.CreateBr(done);
  builder.SetInsertPoint(done);
}

unsigned Emitter::storeArguments(ArrayRef<Value *> values) {
  unsigned bytes = 0;
  for (Value *value : values) {
    builder.CreateAlignedStore(
        value,
        builder.CreateConstInBoundsGEP1_64(builder.getInt8Ty(),
                                           context.arguments, bytes),
        Align(1));
    bytes += value->getType()->getIntegerBitWidth() / 8;
  }
  context.numArguments =
      std::max<unsigned>(context.numArguments, divideCeil(bytes, 8));
  return bytes;
}

void Emitter::checkOutput(Value *pointer, ArrayRef<Value *> values) {
  if (!context.instrumentation.isTracked)
    return;
  const unsigned bytes = storeArguments(values);
  callRuntime("ptx.check_output", builder.getVoidTy(),
              {getFrame(), pointer, builder.getInt32(bytes), context.arguments,
               getSite()});
}

void Emitter::noteStore(Value *pointer, ArrayRef<Value *> values) {
  if (!tellsOfAccesses())
    return;
  const unsigned bytes = storeArguments(values);
  callRuntime("ptx.note_store", builder.getVoidTy(),
              {getFrame(), pointer, builder.getInt32(bytes), context.arguments,
               getSite()});
}

} // namespace gridir::ptx
