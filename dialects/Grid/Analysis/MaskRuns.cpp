//===- MaskRuns.cpp - Consecutive elements with one condition -------------===//
//
// Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dialects/Grid/Analysis/MaskRuns.h"

#include "dialects/Support/Divisors.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "llvm/ADT/TypeSwitch.h"

#include <numeric>

using namespace mlir;
using namespace gridir;
using namespace gridir::grid;

/// More than one access moves.
static constexpr int64_t kMaxRun = 64;

/// The largest power of two that divides a number, at most `kMaxRun`.
static int64_t getPowerOfTwo(int64_t number) {
  return number == 0 ? kMaxRun : std::min(number & -number, kMaxRun);
}

/// A known divisor of positions, without the last dimension.
static int64_t getDivisor(const Positions &positions, int64_t added) {
  int64_t divisor = std::abs(positions.constant + added);
  for (Value scalar : positions.scalars)
    divisor = std::gcd(divisor, gridir::getDivisor(scalar));
  for (int64_t step : ArrayRef(positions.steps).drop_back())
    divisor = std::gcd(divisor, std::abs(step));
  return divisor;
}

/// The run of a comparison of two tensors of positions. Aligned positions wrap
/// around between runs.
static int64_t getRun(arith::CmpIPredicate predicate,
                      std::optional<Positions> a, std::optional<Positions> b) {
  if (!a || !b || a->steps.empty() || b->steps.empty())
    return 1;
  if (a->steps.back() == 0 && b->steps.back() == 0)
    return kMaxRun;
  bool isSwapped = a->steps.back() == 0;
  if (isSwapped)
    std::swap(a, b);
  if (a->steps.back() != 1 || b->steps.back() != 0)
    return 1;
  // The condition changes at the limit or after it.
  bool isAfter = isSwapped;
  switch (predicate) {
  case arith::CmpIPredicate::slt:
  case arith::CmpIPredicate::sge:
  case arith::CmpIPredicate::ult:
  case arith::CmpIPredicate::uge:
    break;
  case arith::CmpIPredicate::sle:
  case arith::CmpIPredicate::sgt:
  case arith::CmpIPredicate::ule:
  case arith::CmpIPredicate::ugt:
    isAfter = !isSwapped;
    break;
  case arith::CmpIPredicate::eq:
  case arith::CmpIPredicate::ne:
    return 1;
  }
  return getPowerOfTwo(
      std::gcd(getDivisor(*a, /*added=*/0), getDivisor(*b, isAfter)));
}

int64_t MaskRuns::get(Value mask) {
  if (auto known = runs.find(mask); known != runs.end())
    return known->second;
  int64_t run = compute(mask);
  runs[mask] = run;
  return run;
}

int64_t MaskRuns::compute(Value mask) {
  Operation *op = mask.getDefiningOp();
  if (!op)
    return 1;
  auto isLast = [&](ArrayRef<int64_t> dims) {
    return llvm::is_contained(
        dims, cast<RankedTensorType>(mask.getType()).getRank() - 1);
  };
  return llvm::TypeSwitch<Operation *, int64_t>(op)
      .Case<linalg::FillOp, tensor::SplatOp>(
          [](Operation *) { return kMaxRun; })
      .Case([](arith::ConstantOp constant) {
        return isa<SplatElementsAttr>(constant.getValue()) ? kMaxRun : 1;
      })
      .Case([&](linalg::BroadcastOp op) {
        return isLast(op.getDimensions()) ? kMaxRun : get(op.getInput());
      })
      .Case<arith::AndIOp, arith::OrIOp, arith::XOrIOp, arith::SelectOp>(
          [&](Operation *op) {
            int64_t run = kMaxRun;
            for (Value operand : op->getOperands())
              if (isa<RankedTensorType>(operand.getType()))
                run = std::min(run, get(operand));
            return run;
          })
      .Case([&](arith::CmpIOp op) {
        return getRun(op.getPredicate(), reader.read(op.getLhs()),
                      reader.read(op.getRhs()));
      })
      .Case([&](linalg::GenericOp op) -> int64_t {
        unsigned result = cast<OpResult>(mask).getResultNumber();
        if (op.getNumDpsInputs() != 0 ||
            op.getNumParallelLoops() != op.getNumLoops() ||
            !op.getMatchingIndexingMap(op.getDpsInitOperand(result))
                 .isIdentity())
          return 1;
        return computeInside(op,
                             op.getBody()->getTerminator()->getOperand(result));
      })
      .Default([](Operation *) { return 1; });
}

/// The run of a condition in a body without inputs.
int64_t MaskRuns::computeInside(linalg::GenericOp op, Value condition) {
  if (condition.getParentRegion() != &op.getRegion())
    return kMaxRun;
  Operation *inner = condition.getDefiningOp();
  if (auto compare = dyn_cast_if_present<arith::CmpIOp>(inner))
    return getRun(compare.getPredicate(),
                  reader.readInside(op, compare.getLhs()),
                  reader.readInside(op, compare.getRhs()));
  if (!isa_and_present<arith::AndIOp, arith::OrIOp, arith::XOrIOp>(inner))
    return 1;
  return std::min(computeInside(op, inner->getOperand(0)),
                  computeInside(op, inner->getOperand(1)));
}
