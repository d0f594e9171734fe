//===- Divisors.cpp - Known divisors of integers --------------------------===//
//
// Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dialects/Support/Divisors.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "llvm/Support/MathExtras.h"

#include <numeric>

using namespace mlir;

static int64_t getDivisor(OpFoldResult value, unsigned depth) {
  if (std::optional<int64_t> number = getConstantIntValue(value))
    return std::abs(*number);
  if (depth == 0)
    return 1;
  if (scf::ForOp loop = scf::getForInductionVarOwner(cast<Value>(value)))
    return std::gcd(getDivisor(loop.getLowerBound(), depth - 1),
                    getDivisor(loop.getStep(), depth - 1));
  Operation *op = cast<Value>(value).getDefiningOp();
  if (!op)
    return 1;
  auto ofOperand = [&](unsigned i) {
    return getDivisor(op->getOperand(i), depth - 1);
  };
  if (isa<arith::MulIOp>(op)) {
    // A product that is too large for its type keeps only powers of two.
    uint64_t product = uint64_t(ofOperand(0)) * ofOperand(1);
    return llvm::isUInt<31>(product) ? product : uint32_t(product & -product);
  }
  if (isa<arith::AddIOp, arith::SubIOp, arith::RemSIOp, arith::RemUIOp,
          arith::MinSIOp, arith::MaxSIOp, arith::MinUIOp, arith::MaxUIOp>(op))
    return std::gcd(ofOperand(0), ofOperand(1));
  if (isa<arith::SelectOp>(op))
    return std::gcd(ofOperand(1), ofOperand(2));
  if (isa<arith::IndexCastOp, arith::ExtSIOp, arith::ExtUIOp>(op))
    return ofOperand(0);
  return 1;
}

int64_t gridir::getDivisor(OpFoldResult value) {
  return ::getDivisor(value, /*depth=*/8);
}
