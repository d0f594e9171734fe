//===- Assertions.cpp - Assertions that numbers are in ranges -------------===//
//
// Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dialects/TPU/Checks/Assertions.h"

#include "dialects/Support/Builders.h"

#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

using namespace mlir;

namespace gridir::tpu {

Value lookThroughCasts(Value index) {
  while (auto cast = index.getDefiningOp<arith::IndexCastOp>()) {
    if (!cast.getIn().getType().isInteger(32))
      break;
    index = cast.getIn();
  }
  return index;
}

/// True if an op computes with vectors.
static bool isOnVectors(Operation &op) {
  auto isVector = llvm::IsaPred<VectorType>;
  return llvm::any_of(op.getOperandTypes(), isVector) ||
         llvm::any_of(op.getResultTypes(), isVector);
}

/// True if a memref that is an argument of the kernel is only loaded from.
bool Assertions::isNeverWritten(Value memref) {
  auto [it, inserted] = neverWritten.try_emplace(memref, false);
  if (inserted)
    it->second = llvm::is_contained(kernel.getArguments(), memref) &&
                 llvm::all_of(memref.getUsers(), llvm::IsaPred<memref::LoadOp>);
  return it->second;
}

/// Returns one value for all loads of the same element of memory that is never
/// written.
Value Assertions::getFirstOfEqual(Value number) {
  auto load = number.getDefiningOp<memref::LoadOp>();
  if (!load || !isNeverWritten(load.getMemref()))
    return number;
  SmallVector<const void *> key{load.getMemref().getAsOpaquePointer()};
  for (Value index : load.getIndices()) {
    std::optional<int64_t> constant = getConstantIntValue(index);
    key.push_back(
        constant
            ? builder.getI64IntegerAttr(*constant).getAsOpaquePointer()
            : getFirstOfEqual(lookThroughCasts(index)).getAsOpaquePointer());
  }
  return loads.try_emplace(std::move(key), number).first->second;
}

/// How far a number is from the lowest that is allowed: too low a number is far
/// away, as the distance has no sign.
Value Assertions::createDistance(Value number, Interval allowed, Location loc) {
  number = toI32(builder, loc, number);
  if (allowed.low == 0)
    return number;
  return arith::AddIOp::create(builder, loc, number,
                               createI32(builder, loc, -allowed.low));
}

arith::CmpIOp Assertions::compare(Value number, Interval allowed,
                                  Location loc) {
  Value distance = createDistance(number, allowed, loc);
  return arith::CmpIOp::create(
      builder, loc, arith::CmpIPredicate::ule, distance,
      createI32(builder, loc, allowed.high - allowed.low));
}

/// Extends an existing assertion of a block to one more number, if the number
/// can be computed before the assertion.
bool Assertions::join(Value number, Interval allowed, Operation *access,
                      Location loc, ArrayRef<StringAttr> messages) {
  for (Joined &other : joined[builder.getInsertionBlock()]) {
    if (!moveBefore(number, other.op))
      continue;
    OpBuilder::InsertionGuard guard(builder);
    int64_t furthest = allowed.high - allowed.low;
    auto same = llvm::find_if(other.comparisons, [&](const auto &comparison) {
      return comparison.first == furthest;
    });
    if (same != other.comparisons.end()) {
      // One comparison for the largest distance.
      arith::CmpIOp comparison = same->second;
      builder.setInsertionPoint(comparison);
      if (!moveBefore(number, comparison))
        continue;
      Value distance = createDistance(number, allowed, loc);
      comparison.getLhsMutable().assign(
          arith::MaxUIOp::create(builder, loc, comparison.getLhs(), distance));
    } else {
      builder.setInsertionPoint(other.op);
      arith::CmpIOp isInside = compare(number, allowed, loc);
      other.comparisons.emplace_back(furthest, isInside);
      other.op.getArgMutable().assign(
          arith::AndIOp::create(builder, loc, other.op.getArg(), isInside));
    }
    other.messages.insert(messages.begin(), messages.end());
    other.locs.push_back(loc);
    ++added.numJoined;
    asserted[getFirstOfEqual(number)].push_back({allowed, other.op});
    guards[access].push_back(other.op);
    return true;
  }
  return false;
}

void Assertions::assertWithin(Value number, Interval allowed, Operation *access,
                              Location loc, ArrayRef<StringAttr> messages) {
  SmallVector<Assertion> &others = asserted[getFirstOfEqual(number)];
  Operation *next = &*builder.getInsertionPoint();
  auto known = llvm::find_if(others, [&](const Assertion &other) {
    return other.allowed.isIn(allowed.low, allowed.high) &&
           dominance.properlyDominates(other.op, next);
  });
  if (known != others.end()) {
    guards[access].push_back(known->op);
    return;
  }
  if (join(number, allowed, access, loc, messages))
    return;
  arith::CmpIOp isInside = compare(number, allowed, loc);
  auto op = cf::AssertOp::create(builder, loc, isInside, StringRef());
  joined[op->getBlock()].push_back({op,
                                    {{allowed.high - allowed.low, isInside}},
                                    {messages.begin(), messages.end()},
                                    {loc}});
  others.push_back({allowed, op});
  guards[access].push_back(op);
  ++added.numAssertions;
}

/// Moves the ops that compute a value before an op of its block, if possible.
bool Assertions::moveBefore(Value value, Operation *place) {
  llvm::SetVector<Operation *> moved;
  auto canMove = [&](auto &canMove, Value value) -> bool {
    Operation *def = value.getDefiningOp();
    if (!def || def->getBlock() != place->getBlock() ||
        def->isBeforeInBlock(place) || moved.contains(def))
      return true;
    auto load = dyn_cast<memref::LoadOp>(def);
    if (isOnVectors(*def) || def->getNumRegions() != 0 ||
        !(isPure(def) || (load && isNeverWritten(load.getMemref()))) ||
        !llvm::all_of(guards.lookup(def),
                      [&](Operation *guard) {
                        return dominance.properlyDominates(guard, place);
                      }) ||
        !llvm::all_of(def->getOperands(),
                      [&](Value operand) { return canMove(canMove, operand); }))
      return false;
    moved.insert(def);
    return true;
  };
  if (!canMove(canMove, value))
    return false;
  for (Operation *def : moved)
    def->moveBefore(place);
  return true;
}

void Assertions::setInsertionPoint(Operation *op, Value index) {
  builder.setInsertionPoint(op);
  Block *block = op->getBlock();
  auto [it, inserted] = firstOnVectors.try_emplace(block, nullptr);
  if (auto found = block->end();
      inserted && (found = llvm::find_if(*block, isOnVectors)) != block->end())
    it->second = &*found;
  Operation *first = it->second;
  if (first && first->isBeforeInBlock(op) && moveBefore(index, first))
    builder.setInsertionPoint(first);
}

AddedChecks Assertions::finish() {
  for (auto &[block, assertions] : joined)
    for (Joined &assertion : assertions) {
      added.messages.push_back(llvm::join(
          llvm::map_range(assertion.messages,
                          [](StringAttr message) { return message.strref(); }),
          ", or "));
      assertion.op.setMsg(added.messages.back());
      assertion.op->setLoc(FusedLoc::get(kernel.getContext(), assertion.locs));
    }
  return added;
}

} // namespace gridir::tpu
