//===- Atomics.cpp - Atomic updates of memory ---------------------------===//
//
// Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

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

/// The thread that owns an element updates it. Each update is one step, and
/// orders nothing else.
LogicalResult lowerAtomicRmw(grid::AtomicRmwOp op, Lowering &lowering) {
  OpBuilder &builder = lowering.builder;
  Location loc = op.getLoc();
  const View &view = lowering.getView(op.getRef());
  Type element = view.getElementType();
  if (view.storage->kind == Storage::Kind::Registers)
    return op.emitError("expected an update of memory, got one of registers");
  unsigned bits = getStorageType(element).getIntOrFloatBitWidth();
  if (failed(checkAddresses(op, view)))
    return failure();
  bool isFloat = isa<FloatType>(element);
  if (isFloat ? bits != 16 && bits != 32 : element.getIntOrFloatBitWidth() < 16)
    return op.emitError(
               "expected an update of integers of 16 to 64 bits, or of "
               "floats of 16 or 32, got ")
           << element;
  auto update = [&](Value value, Value address) -> Value {
    Value old = LLVM::AtomicRMWOp::create(
        builder, loc, getUpdate(op.getKind(), isFloat), address,
        toStorage(builder, loc, value), LLVM::AtomicOrdering::monotonic,
        "device");
    return fromStorage(builder, loc, old, element);
  };
  bool isRead = !op.getResult().use_empty();
  Registers mask = op.getMask() ? lowering.get(op.getMask()) : Registers();
  const Registers &values = lowering.get(op.getValue());
  lowering.syncBeforeWrite(loc, view.storage.get());

  auto type = dyn_cast<RankedTensorType>(op.getType());
  if (!type) {
    Value address = lowering.createAddress(loc, view, {});
    Value condition = lowering.getIsLeader();
    if (!mask.empty())
      condition = arith::AndIOp::create(builder, loc, condition, mask.front());
    auto updates = scf::IfOp::create(
        builder, loc, condition,
        [&](OpBuilder &builder, Location loc) {
          scf::YieldOp::create(builder, loc, update(values.front(), address));
        },
        [&](OpBuilder &builder, Location loc) {
          scf::YieldOp::create(builder, loc, createZero(builder, loc, element));
        });
    Value old = updates.getResult(0);
    lowering.set(op.getResult(),
                 {isRead ? lowering.createUniform(loc, old) : old});
    return success();
  }

  Distribution distribution = lowering.distributions.get(type);
  if (isRead && (distribution.hasCopies() || distribution.exceeds()))
    return op.emitError("expected an update whose result is not read, of an "
                        "array that threads do not divide evenly, got ")
           << type;
  Registers results;
  lowering.forEachRun(
      loc, view, distribution, /*maxBytes=*/1,
      [&](unsigned r, int64_t, Value address) {
        Value condition = lowering.createOwns(distribution, r);
        if (!mask.empty())
          condition = condition ? arith::AndIOp::create(builder, loc, condition,
                                                        mask[r])
                                      .getResult()
                                : mask[r];
        if (!condition) {
          results.push_back(update(values[r], address));
          return;
        }
        auto updates = scf::IfOp::create(
            builder, loc, condition,
            [&](OpBuilder &builder, Location loc) {
              scf::YieldOp::create(builder, loc, update(values[r], address));
            },
            [&](OpBuilder &builder, Location loc) {
              scf::YieldOp::create(builder, loc,
                                   createZero(builder, loc, element));
            });
        results.push_back(updates.getResult(0));
      });
  lowering.set(op.getResult(), std::move(results));
  return success();
}

} // namespace

void addAtomicLowerings(Lowering &lowering) { lowering.add(lowerAtomicRmw); }

} // namespace gridir::warpgroup_to_nvvm
