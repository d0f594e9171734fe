//===- DeferredSums.cpp - Sums over threads behind loops ------------------===//
//
// Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dialects/Conversion/WarpgroupToNVVM/DeferredSums.h"

#include "dialects/Conversion/WarpgroupToNVVM/Structured.h"
#include "dialects/Grid/IR/KernelParams.h"
#include "dialects/Support/Builders.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;

namespace gridir::warpgroup_to_nvvm {

static bool allowsOtherOrder(Lowering &lowering, Type type) {
  return !isa<FloatType>(type) || grid::allowsApproximations(lowering.kernel);
}

/// True if a reduction is a sum that begins with 0.
static bool isSum(linalg::LinalgOp op) {
  if (op.getNumDpsInits() != 1)
    return false;
  Block &body = op->getRegion(0).front();
  Operation *combiner = body.getTerminator()->getOperand(0).getDefiningOp();
  if (!isa_and_nonnull<arith::AddFOp, arith::AddIOp>(combiner) ||
      !llvm::hasNItems(body, 2))
    return false;
  Value init = op.getDpsInits().front();
  if (auto fill = init.getDefiningOp<linalg::FillOp>())
    init = fill.value();
  return matchPattern(init, m_AnyZeroFloat()) || matchPattern(init, m_Zero());
}

SmallVector<DeferredSum> findDeferredSums(scf::ForOp loop, Lowering &lowering) {
  SmallVector<DeferredSum> result;
  for (unsigned i = 0; i < loop.getNumRegionIterArgs(); ++i) {
    DeferredSum sum(loop, i, lowering);
    if (sum.match())
      result.push_back(std::move(sum));
  }
  return result;
}

bool DeferredSum::match() {
  auto type =
      dyn_cast<RankedTensorType>(loop.getRegionIterArg(number).getType());
  if (!type || !allowsOtherOrder(*lowering, type.getElementType()) ||
      !isLinear())
    return false;
  for (linalg::LinalgOp reduction : reductions)
    lowering->deferredReductions.insert(reduction);
  return true;
}

/// Follows the single use of the carried value through the loop body. Additions
/// of reductions and multiplications by uniform factors are linear, so they
/// commute with the sum over threads. Any other use would observe a partial
/// sum.
bool DeferredSum::isLinear() {
  Value value = loop.getRegionIterArg(number);
  while (value.hasOneUse()) {
    OpOperand &use = *value.use_begin();
    Operation *user = use.getOwner();
    if (user->getBlock() != loop.getBody())
      return false;
    if (isa<scf::YieldOp>(user))
      return use.getOperandNumber() == number && !reductions.empty();
    bool isFirst = use.getOperandNumber() == 0;
    if (isa<arith::AddFOp, arith::AddIOp>(user)) {
      if (!addReduction(user->getOperand(isFirst ? 1 : 0)))
        return false;
    } else if (!isa<arith::MulFOp, arith::MulIOp>(user) &&
               !(isa<arith::DivFOp>(user) && isFirst)) {
      return false;
    }
    value = user->getResult(0);
  }
  return false;
}

bool DeferredSum::addReduction(Value value) {
  auto reduction = value.getDefiningOp<linalg::LinalgOp>();
  if (!reduction || reduction->getBlock() != loop.getBody() ||
      !value.hasOneUse() || !isSum(reduction))
    return false;
  int64_t bits = getReducedThreadBits(reduction, *lowering);
  if (!bits || (threadBits && threadBits != bits))
    return false;
  threadBits = bits;
  reductions.push_back(reduction);
  return true;
}

void DeferredSum::splitInit(MutableArrayRef<Value> registers) {
  OpBuilder &builder = lowering->builder;
  Location loc = loop.getLoc();
  Value bits = arith::AndIOp::create(builder, loc, lowering->getThread(),
                                     createI32(builder, loc, threadBits));
  Value isOwner = arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::eq,
                                        bits, createI32(builder, loc, 0));
  for (Value &value : registers)
    if (!matchPattern(value, m_AnyZeroFloat()) &&
        !matchPattern(value, m_Zero()))
      value =
          arith::SelectOp::create(builder, loc, isOwner, value,
                                  createZero(builder, loc, value.getType()));
}

void DeferredSum::complete() {
  Value result = loop.getResult(number);
  lowering->set(result, completeReduction(reductions.front(), *lowering,
                                          lowering->get(result)));
}

} // namespace gridir::warpgroup_to_nvvm
