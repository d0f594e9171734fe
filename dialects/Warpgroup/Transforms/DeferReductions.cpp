//===- DeferReductions.cpp - Sums across threads after loops --------------===//
//
// Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dialects/Warpgroup/Transforms/PartialReduction.h"
#include "dialects/Warpgroup/Transforms/Passes.h"

#include "dialects/GPU/Target/GPUTarget.h"
#include "dialects/Support/Builders.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/Matchers.h"

namespace gridir::warpgroup {
#define GEN_PASS_DEF_WARPGROUPDEFERREDUCTIONSPASS
#include "dialects/Warpgroup/Transforms/Passes.h.inc"
} // namespace gridir::warpgroup

using namespace mlir;
using namespace gridir;
using namespace gridir::warpgroup;

namespace {

/// A value that a loop carries, scales, and adds reductions across threads to,
/// as in `l = l * scale + sum(p)`.
class DeferredSum {
public:
  DeferredSum(scf::ForOp loop, unsigned number)
      : loop(loop), number(number), loc(loop.getLoc()) {}

  /// Follows the single use of the carried value through the loop body.
  /// Additions of reductions and multiplications by uniform factors are linear,
  /// so they commute with the sum across threads. Any other use would observe a
  /// partial sum.
  bool match() {
    Value value = loop.getRegionIterArg(number);
    while (value.hasOneUse()) {
      OpOperand &use = *value.use_begin();
      Operation *user = use.getOwner();
      if (user->getBlock() != loop.getBody())
        return false;
      if (isa<scf::YieldOp>(user))
        return use.getOperandNumber() == number && !parts.empty();
      bool isFirst = use.getOperandNumber() == 0;
      if (isa<arith::AddFOp, arith::AddIOp>(user)) {
        if (!addPart(user->getOpOperand(isFirst ? 1 : 0)))
          return false;
      } else if (isa<arith::MulFOp, arith::MulIOp>(user) ||
                 (isa<arith::DivFOp>(user) && isFirst)) {
        factors.push_back(&user->getOpOperand(isFirst ? 1 : 0));
      } else {
        return false;
      }
      results.push_back(user->getResult(0));
      value = results.back();
    }
    return false;
  }

  /// Lets the loop carry the sums of the threads, and adds these after it.
  void defer() {
    Value carried = loop.getRegionIterArg(number);
    Value sum = loop.getResult(number);
    results.append({carried, sum});
    auto whole = cast<RankedTensorType>(sum.getType());
    RankedTensorType partial = parts.front().second.getType();
    OpBuilder builder(loop);
    OpOperand &init = loop.getInitArgsMutable()[number];
    init.set(createInit(builder, init.get(), partial));
    for (OpOperand *factor : factors) {
      builder.setInsertionPoint(factor->getOwner());
      factor->set(createBroadcast(builder, factor->get(), partial));
    }
    for (auto &[summand, part] : parts) {
      InFlightDiagnostic remark = emitRemark(part.getOp().getLoc())
                                  << "sum across " << part.getNumThreads()
                                  << " threads deferred";
      remark.attachNote(loc) << "to after this loop";
      builder.setInsertionPoint(part.getOp());
      summand->set(part.create(builder));
    }
    for (Value value : results)
      value.setType(partial);
    builder.setInsertionPointAfter(loop);
    Value total = createTotal(builder, sum, whole);
    sum.replaceAllUsesExcept(total, total.getDefiningOp());
    for (auto &[summand, part] : parts)
      part.getOp()->erase();
  }

private:
  /// True if the operand is a sum whose parts in threads may be added up later.
  bool addPart(OpOperand &summand) {
    auto op = summand.get().getDefiningOp<linalg::LinalgOp>();
    if (!op || op->getBlock() != loop.getBody() || !summand.get().hasOneUse())
      return false;
    std::optional<PartialReduction> part = PartialReduction::get(op);
    if (!part ||
        (!parts.empty() && parts.front().second.getType() != part->getType()))
      return false;
    parts.emplace_back(&summand, *part);
    return true;
  }

  static Value createEmpty(OpBuilder &builder, Location loc,
                           RankedTensorType type) {
    return tensor::EmptyOp::create(builder, loc, type, ValueRange());
  }

  /// The dimensions of the partial sums that distinguish threads.
  static SmallVector<int64_t> getThreadDims(RankedTensorType whole,
                                            RankedTensorType partial) {
    return llvm::to_vector(
        llvm::seq<int64_t>(whole.getRank(), partial.getRank()));
  }

  /// The initial value in the first of the threads whose sums are added, and 0
  /// in the others.
  Value createInit(OpBuilder &builder, Value init, RankedTensorType partial) {
    if (matchPattern(init, m_AnyZeroFloat()) || matchPattern(init, m_Zero()))
      return createZero(builder, loc, partial);
    auto whole = cast<RankedTensorType>(init.getType());
    AffineMap all = builder.getMultiDimIdentityMap(partial.getRank());
    SmallVector<utils::IteratorType> kinds(partial.getRank(),
                                           utils::IteratorType::parallel);
    auto select = [&](OpBuilder &builder, Location loc, ValueRange elements) {
      Value zero = createZero(builder, loc, partial.getElementType());
      Value first = arith::ConstantIndexOp::create(builder, loc, 0);
      Value result = elements.front();
      for (int64_t dim : getThreadDims(whole, partial)) {
        Value index = linalg::IndexOp::create(builder, loc, dim);
        Value isFirst = arith::CmpIOp::create(
            builder, loc, arith::CmpIPredicate::eq, index, first);
        result = arith::SelectOp::create(builder, loc, isFirst, result, zero);
      }
      linalg::YieldOp::create(builder, loc, result);
    };
    return linalg::GenericOp::create(
               builder, loc, partial, init, createEmpty(builder, loc, partial),
               ArrayRef({all.getMajorSubMap(whole.getRank()), all}), kinds,
               select)
        .getResult(0);
  }

  /// The factor of each thread's sum.
  Value createBroadcast(OpBuilder &builder, Value factor,
                        RankedTensorType partial) {
    auto whole = cast<RankedTensorType>(factor.getType());
    return linalg::BroadcastOp::create(builder, factor.getLoc(), factor,
                                       createEmpty(builder, loc, partial),
                                       getThreadDims(whole, partial))
        ->getResult(0);
  }

  /// The total of the sums of threads.
  Value createTotal(OpBuilder &builder, Value sum, RankedTensorType whole) {
    auto partial = cast<RankedTensorType>(sum.getType());
    linalg::LinalgOp op = parts.front().second.getOp();
    Location ofSum = op.getLoc();
    Value zero = createZero(builder, ofSum, whole);
    auto combine = [&](OpBuilder &builder, Location loc, ValueRange elements) {
      IRMapping mapping;
      mapping.map(op.getBlock()->getArguments(), elements);
      for (Operation &inner : *op.getBlock())
        builder.clone(inner, mapping);
    };
    return linalg::ReduceOp::create(builder, ofSum, sum, zero,
                                    getThreadDims(whole, partial), combine)
        .getResult(0);
  }

  scf::ForOp loop;
  unsigned number;
  Location loc;
  SmallVector<std::pair<OpOperand *, PartialReduction>, 1> parts;
  SmallVector<OpOperand *> factors;
  /// The values that become sums of threads.
  SmallVector<Value> results;
};

class WarpgroupDeferReductionsPass
    : public warpgroup::impl::WarpgroupDeferReductionsPassBase<
          WarpgroupDeferReductionsPass> {
public:
  using WarpgroupDeferReductionsPassBase::WarpgroupDeferReductionsPassBase;

  void runOnOperation() override {
    bool anyOrder = gridir::gpu::allowsApproximations(getOperation());
    // Outer loops first: a sum that is deferred to after an inner loop stays
    // there.
    SmallVector<scf::ForOp> loops;
    getOperation().getBodyRegion().walk<WalkOrder::PreOrder>(
        [&](scf::ForOp loop) { loops.push_back(loop); });
    for (scf::ForOp loop : loops)
      for (unsigned i : llvm::seq(loop.getNumRegionIterArgs())) {
        auto type =
            dyn_cast<RankedTensorType>(loop.getRegionIterArg(i).getType());
        if (!type || (isa<FloatType>(type.getElementType()) && !anyOrder))
          continue;
        DeferredSum sum(loop, i);
        if (!sum.match())
          continue;
        sum.defer();
        ++numDeferred;
      }
  }
};

} // namespace
