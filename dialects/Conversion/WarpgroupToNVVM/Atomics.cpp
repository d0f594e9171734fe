//===- Atomics.cpp - Atomic updates of memory ---------------------------===//
//
// Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dialects/Conversion/GridToLoops/Async.h"
#include "dialects/Conversion/WarpgroupToNVVM/Lowering.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;

namespace gridir::warpgroup_to_nvvm {
namespace {

LLVM::AtomicBinOp getUpdate(grid::AtomicKind kind, bool isFloat) {
  switch (kind) {
  case grid::AtomicKind::Xchg:
    return LLVM::AtomicBinOp::xchg;
  case grid::AtomicKind::Add:
    return isFloat ? LLVM::AtomicBinOp::fadd : LLVM::AtomicBinOp::add;
  case grid::AtomicKind::MaxS:
    return LLVM::AtomicBinOp::max;
  case grid::AtomicKind::MaxU:
    return LLVM::AtomicBinOp::umax;
  case grid::AtomicKind::MaxF:
    return LLVM::AtomicBinOp::fmax;
  case grid::AtomicKind::MinS:
    return LLVM::AtomicBinOp::min;
  case grid::AtomicKind::MinU:
    return LLVM::AtomicBinOp::umin;
  case grid::AtomicKind::MinF:
    return LLVM::AtomicBinOp::fmin;
  case grid::AtomicKind::And:
    return LLVM::AtomicBinOp::_and;
  case grid::AtomicKind::Or:
    return LLVM::AtomicBinOp::_or;
  case grid::AtomicKind::Xor:
    return LLVM::AtomicBinOp::_xor;
  }
  llvm_unreachable("every kind of update has a name in LLVM");
}

constexpr StringLiteral kUpdateScope = "device";

/// True if PTX has an update of this width. For other widths LLVM emits a loop
/// that begins with a load that is not ordered with updates of other threads.
bool hasInstruction(grid::AtomicKind kind, unsigned bits, bool isFloat) {
  return isFloat ? kind == grid::AtomicKind::Add : bits >= 32;
}

/// Updates an element of at most 32 bits by a compare-and-swap loop on the word
/// that contains it. Returns the old element.
Value createLoop(Lowering &lowering, OpBuilder &builder, Location loc,
                 grid::AtomicKind kind, Value value, Value address) {
  Type element = value.getType(), i32 = builder.getI32Type();
  unsigned width = getStorageType(element).getIntOrFloatBitWidth();
  Type bits = builder.getIntegerType(width);
  Value shift = createI32(builder, loc, 0), rest;
  if (width < 32) {
    lowering.updatesPartsOfWords = true;
    Value number =
        LLVM::PtrToIntOp::create(builder, loc, builder.getI64Type(), address);
    Value byte = arith::AndIOp::create(
        builder, loc, toI32(builder, loc, number), createI32(builder, loc, 3));
    Value back = arith::SubIOp::create(builder, loc, shift, byte);
    address = LLVM::GEPOp::create(builder, loc, address.getType(),
                                  builder.getI8Type(), address,
                                  ArrayRef<LLVM::GEPArg>{back});
    shift =
        arith::ShLIOp::create(builder, loc, byte, createI32(builder, loc, 3));
    Value own = arith::ShLIOp::create(
        builder, loc, createI32(builder, loc, (1 << width) - 1), shift);
    rest =
        arith::XOrIOp::create(builder, loc, own, createI32(builder, loc, -1));
  }
  auto getElement = [&](OpBuilder &builder, Location loc, Value word) -> Value {
    if (width < 32) {
      word = arith::ShRUIOp::create(builder, loc, word, shift);
      word = arith::TruncIOp::create(builder, loc, bits, word);
    }
    return fromStorage(
        builder, loc,
        LLVM::BitcastOp::create(builder, loc, getStorageType(element), word),
        element);
  };
  auto exchange = [&](OpBuilder &builder, Location loc, ValueRange words) {
    Value updated = createCombination(
        builder, loc, kind, getElement(builder, loc, words[0]), value);
    Value word = LLVM::BitcastOp::create(builder, loc, bits,
                                         toStorage(builder, loc, updated));
    if (width < 32) {
      word = arith::ExtUIOp::create(builder, loc, i32, word);
      word = arith::ShLIOp::create(builder, loc, word, shift);
      Value others = arith::AndIOp::create(builder, loc, words[0], rest);
      word = arith::OrIOp::create(builder, loc, word, others);
    }
    Value result = LLVM::AtomicCmpXchgOp::create(
        builder, loc, address, words[0], word, LLVM::AtomicOrdering::monotonic,
        LLVM::AtomicOrdering::monotonic, kUpdateScope);
    Value old = LLVM::ExtractValueOp::create(builder, loc, result, 0);
    Value isDone = LLVM::ExtractValueOp::create(builder, loc, result, 1);
    Value again = arith::XOrIOp::create(
        builder, loc, isDone,
        arith::ConstantIntOp::create(builder, loc, 1, /*width=*/1));
    scf::ConditionOp::create(builder, loc, again, old);
  };
  Value first = LLVM::LoadOp::create(
      builder, loc, i32, address, /*alignment=*/4, /*isVolatile=*/false,
      /*isNonTemporal=*/false, /*isInvariant=*/false,
      /*isInvariantGroup=*/false, LLVM::AtomicOrdering::monotonic,
      kUpdateScope);
  auto loop = scf::WhileOp::create(
      builder, loc, TypeRange(i32), ValueRange(first), exchange,
      [](OpBuilder &builder, Location loc, ValueRange words) {
        scf::YieldOp::create(builder, loc, words);
      });
  return getElement(builder, loc, loop.getResult(0));
}

/// An update of memory by the threads that own elements. Each update is one
/// step, and orders nothing else.
class AtomicUpdate {
public:
  AtomicUpdate(grid::AtomicRmwOp op, Lowering &lowering)
      : op(op), lowering(lowering), builder(lowering.builder), loc(op.getLoc()),
        view(lowering.getView(op.getRef())), element(view.getElementType()),
        bits(getStorageType(element).getIntOrFloatBitWidth()),
        isFloat(isa<FloatType>(element)) {}

  LogicalResult lower() {
    if (failed(verify()))
      return failure();
    if (op.getMask())
      mask = lowering.get(op.getMask());
    if (auto type = dyn_cast<RankedTensorType>(op.getType()))
      return lowerArray(lowering.distributions.get(type));
    lowerElement();
    return success();
  }

private:
  LogicalResult verify() {
    if (view.storage->kind == Storage::Kind::Registers)
      return op.emitError("expected an update of memory, got one of registers");
    if (failed(checkAddresses(op, view)))
      return failure();
    bool isKnown = !isFloat     ? element.getIntOrFloatBitWidth() >= 8
                   : bits == 64 ? hasInstruction(op.getKind(), bits, isFloat)
                                : bits >= 16;
    if (!isKnown)
      return op.emitError("expected an update of 8-bit to 64-bit integers or "
                          "16-bit or 32-bit floats, or an f64 addition, got ")
             << element;
    return success();
  }

  /// Returns the value before the update.
  Value update(Value value, Value address) {
    if (!hasInstruction(op.getKind(), bits, isFloat))
      return createLoop(lowering, builder, loc, op.getKind(), value, address);
    Value old = LLVM::AtomicRMWOp::create(
        builder, loc, getUpdate(op.getKind(), isFloat), address,
        toStorage(builder, loc, value), LLVM::AtomicOrdering::monotonic,
        kUpdateScope);
    return fromStorage(builder, loc, old, element);
  }

  /// The same under a condition, which may be null.
  Value update(Value value, Value address, Value condition) {
    if (!condition)
      return update(value, address);
    auto updates = scf::IfOp::create(
        builder, loc, condition,
        [&](OpBuilder &builder, Location loc) {
          scf::YieldOp::create(builder, loc, update(value, address));
        },
        [&](OpBuilder &builder, Location loc) {
          scf::YieldOp::create(builder, loc, createZero(builder, loc, element));
        });
    return updates.getResult(0);
  }

  /// `condition`, which may be null, and the mask of a register.
  Value createMasked(Value condition, unsigned r) {
    if (mask.empty() || !condition)
      return mask.empty() ? condition : mask[r];
    return arith::AndIOp::create(builder, loc, condition, mask[r]);
  }

  void lowerElement() {
    Value address = lowering.createAddress(loc, view, {});
    Value old = update(lowering.get(op.getValue()).front(), address,
                       createMasked(lowering.getIsLeader(), 0));
    lowering.set(op.getResult(),
                 {isRead() ? lowering.createUniform(loc, old) : old});
  }

  LogicalResult lowerArray(const Distribution &distribution) {
    const Registers &values = lowering.get(op.getValue());
    Registers results;
    lowering.forEachRun(
        loc, view, distribution, /*maxBytes=*/1,
        [&](unsigned r, int64_t, Value address) {
          Value owns = lowering.createOwns(distribution, r);
          results.push_back(update(values[r], address, createMasked(owns, r)));
        });
    // Other threads with the same elements read what their owners got.
    if (isRead() && (distribution.hasCopies() || distribution.exceeds()))
      results = lowering.createLoad(
          loc, lowering.createShared(loc, results, distribution), distribution);
    lowering.set(op.getResult(), std::move(results));
    return success();
  }

  bool isRead() { return !op.getResult().use_empty(); }

  grid::AtomicRmwOp op;
  Lowering &lowering;
  OpBuilder &builder;
  Location loc;
  const View &view;
  Type element;
  unsigned bits;
  bool isFloat;
  Registers mask;
};

LogicalResult lowerAtomicRmw(grid::AtomicRmwOp op, Lowering &lowering) {
  return AtomicUpdate(op, lowering).lower();
}

} // namespace

void addAtomicLowerings(Handlers &handlers) { handlers.add(lowerAtomicRmw); }

} // namespace gridir::warpgroup_to_nvvm
