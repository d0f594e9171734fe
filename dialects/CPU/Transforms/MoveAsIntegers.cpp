//===- MoveAsIntegers.cpp - bf16 that is only moved -----------------------===//
//
// Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dialects/CPU/Transforms/Passes.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/Interfaces/ControlFlowInterfaces.h"

namespace gridir::cpu {
#define GEN_PASS_DEF_CPUMOVEASINTEGERSPASS
#include "dialects/CPU/Transforms/Passes.h.inc"
} // namespace gridir::cpu

using namespace mlir;

/// The type with i16 for bf16; null where there is none.
static Type getInteger(Type type) {
  if (type.isBF16())
    return IntegerType::get(type.getContext(), 16);
  if (auto vector = dyn_cast<VectorType>(type)) {
    Type element = getInteger(vector.getElementType());
    return element ? Type(vector.clone(element)) : Type();
  }
  if (auto array = dyn_cast<LLVM::LLVMArrayType>(type)) {
    Type element = getInteger(array.getElementType());
    return element
               ? Type(LLVM::LLVMArrayType::get(element, array.getNumElements()))
               : Type();
  }
  return Type();
}

/// True if an op moves the bits of its operands without interpreting them.
static bool isMove(Operation *op) {
  // Of other constants the bits are not known here.
  if (auto constant = dyn_cast<LLVM::ConstantOp>(op)) {
    auto elements = dyn_cast<DenseElementsAttr>(constant.getValue());
    return isa<FloatAttr>(constant.getValue()) ||
           (elements && elements.getElementType().isBF16());
  }
  return isa<LLVM::LoadOp, LLVM::StoreOp, LLVM::InsertElementOp,
             LLVM::ExtractElementOp, LLVM::ShuffleVectorOp, LLVM::SelectOp,
             LLVM::InsertValueOp, LLVM::ExtractValueOp, LLVM::PoisonOp,
             LLVM::UndefOp, LLVM::ZeroOp, LLVM::BitcastOp, LLVM::FreezeOp,
             LLVM::MaskedLoadOp, LLVM::MaskedStoreOp, LLVM::masked_gather,
             LLVM::masked_scatter, BranchOpInterface>(op);
}

/// The bits of a constant as integers.
static Attribute getBits(Attribute value) {
  Builder builder(value.getContext());
  if (auto number = dyn_cast<FloatAttr>(value))
    return builder.getIntegerAttr(builder.getI16Type(),
                                  number.getValue().bitcastToAPInt());
  return cast<DenseElementsAttr>(value).bitcast(builder.getI16Type());
}

namespace {

class CPUMoveAsIntegersPass
    : public gridir::cpu::impl::CPUMoveAsIntegersPassBase<
          CPUMoveAsIntegersPass> {
public:
  using CPUMoveAsIntegersPassBase::CPUMoveAsIntegersPassBase;

  void runOnOperation() override {
    for (auto function : getOperation().getOps<LLVM::LLVMFuncOp>())
      convert(function);
  }

private:
  void convert(LLVM::LLVMFuncOp function) {
    // The callers of a function depend on the types of its arguments and
    // results.
    SmallVector<OpOperand *> read;
    SmallVector<OpResult> computed;
    SmallVector<Operation *> moves;
    function.walk([&](Operation *op) {
      if (isMove(op)) {
        moves.push_back(op);
        return;
      }
      for (OpOperand &operand : op->getOpOperands())
        if (getInteger(operand.get().getType()))
          read.push_back(&operand);
      for (OpResult result : op->getResults())
        if (getInteger(result.getType()))
          computed.push_back(result);
    });
    SmallVector<Type> types = llvm::map_to_vector(
        read, [](OpOperand *operand) { return operand->get().getType(); });
    SmallVector<BlockArgument> parameters;
    for (Block &block : function.getBody())
      for (BlockArgument arg : block.getArguments())
        if (Type integer = getInteger(arg.getType())) {
          if (block.isEntryBlock())
            parameters.push_back(arg);
          else
            arg.setType(integer);
        }

    OpBuilder builder(function.getContext());
    for (Operation *op : moves) {
      for (OpResult result : op->getResults()) {
        Type integer = getInteger(result.getType());
        if (!integer)
          continue;
        ++numMoves;
        if (auto constant = dyn_cast<LLVM::ConstantOp>(op))
          constant.setValueAttr(getBits(constant.getValue()));
        result.setType(integer);
      }
    }
    // Operands of arithmetic keep their type, between two casts without cost.
    auto castAfter = [&](Value value) {
      builder.setInsertionPointAfterValue(value);
      auto bits = LLVM::BitcastOp::create(builder, value.getLoc(),
                                          getInteger(value.getType()), value);
      value.replaceAllUsesExcept(bits, bits);
    };
    for (OpResult result : computed)
      castAfter(result);
    for (BlockArgument arg : parameters)
      castAfter(arg);
    for (auto [operand, type] : llvm::zip_equal(read, types)) {
      builder.setInsertionPoint(operand->getOwner());
      operand->set(LLVM::BitcastOp::create(
          builder, operand->getOwner()->getLoc(), type, operand->get()));
    }
    for (Operation *op : moves)
      if (auto cast = dyn_cast<LLVM::BitcastOp>(op);
          cast && cast.getArg().getType() == cast.getType()) {
        cast.replaceAllUsesWith(cast.getArg());
        cast.erase();
      }
  }
};

} // namespace
