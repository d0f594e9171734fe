//===- KernelChecks.cpp - Bounds of accesses, and parallel programs -------===//
//
// Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dialects/Grid/Analysis/KernelChecks.h"

#include "dialects/Grid/Analysis/GridParallelism.h"
#include "dialects/Grid/Analysis/ProgramGuards.h"
#include "dialects/Grid/Analysis/RefNames.h"
#include "mlir/IR/Matchers.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/InterleavedRange.h"

using namespace mlir;

namespace gridir::grid {

llvm::StringRef stringifyVerdict(CheckResult::Verdict verdict) {
  switch (verdict) {
  case CheckResult::proved:
    return "proved";
  case CheckResult::unknown:
    return "unknown";
  case CheckResult::refuted:
    return "refuted";
  }
  llvm_unreachable("a verdict");
}

std::string formatProgram(ArrayRef<int64_t> ids) {
  return llvm::formatv("({0})", llvm::interleaved(ids)).str();
}

void CheckResult::lower(Verdict to, std::string why, Location where,
                        ArrayRef<int64_t> program) {
  if (verdict >= to)
    return;
  verdict = to;
  reason = std::move(why);
  loc = where;
  witness.assign(program.begin(), program.end());
}

namespace {

class BoundsChecker {
public:
  explicit BoundsChecker(BlockAccess &access)
      : access(access), kernel(access.getKernel()), values(access.getValues()) {
  }

  SmallVector<CheckResult> check() {
    for (unsigned i = kernel.getNumIndexOperands(),
                  e = kernel.getNumOperandSpecs();
         i < e; ++i)
      checkBlocks(i);
    kernel.getBodyRegion().walk([&](Operation *op) {
      if (auto slice = dyn_cast<SliceRefOp>(op))
        checkSlice(slice);
      else if (auto gather = dyn_cast<GatherOp>(op))
        checkIndices(op, gather.getRef(), gather.getIndices(),
                     gather.getDims());
      else if (auto scatter = dyn_cast<ScatterOp>(op))
        checkIndices(op, scatter.getRef(), scatter.getIndices(),
                     scatter.getDims());
    });
    SmallVector<CheckResult> all;
    for (auto &[ref, result] : results)
      all.push_back(std::move(result));
    return all;
  }

private:
  CheckResult &getResult(Value ref) {
    auto [place, inserted] = results.try_emplace(
        ref, CheckResult("in-bounds", getRefName(ref), ref.getLoc()));
    return place->second;
  }

  void checkBlocks(unsigned operand) {
    OperandAttr spec = kernel.getOperandSpec(operand);
    if (spec.getBlock().empty())
      return;
    CheckResult &result =
        getResult(kernel.getBodyBlock()->getArgument(operand));
    Location loc = result.loc;
    std::string padded;
    for (unsigned dim = 0; dim < spec.getRank(); ++dim) {
      int64_t extent = spec.getArrayShape()[dim];
      // An empty array has no elements, and nothing reads or writes it.
      if (extent == 0)
        continue;
      GridAnswer outside = access.liesOutside(operand, dim);
      if (outside.kind == GridAnswer::yes)
        result.lower(CheckResult::refuted,
                     llvm::formatv("the block of program {0} lies outside of "
                                   "dimension {1}, which has {2} elements",
                                   formatProgram(outside.witness.first), dim,
                                   extent)
                         .str(),
                     loc, outside.witness.first);
      else if (outside.kind == GridAnswer::unknown)
        result.lower(
            CheckResult::unknown,
            llvm::formatv("blocks may lie outside of dimension {0}", dim).str(),
            loc);
      GridAnswer over = access.overhangs(operand, dim);
      if (over.kind == GridAnswer::yes && padded.empty())
        padded = llvm::formatv("the block of program {0} overhangs dimension "
                               "{1} and is padded",
                               formatProgram(over.witness.first), dim)
                     .str();
    }
    if (result.verdict == CheckResult::proved)
      result.reason = padded;
  }

  /// Lowers the results of all Refs that `ref` may be a part of.
  void lower(Value ref, CheckResult::Verdict to, const std::string &why,
             Location loc, ArrayRef<int64_t> program = {}) {
    for (const RefRegion &region : getRefRegions(ref, values))
      if (region.root)
        getResult(region.root).lower(to, why, loc, program);
  }

  void checkSlice(SliceRefOp slice) {
    // The Ref is examined, even if nothing comes of it.
    lower(slice.getSource(), CheckResult::proved, "", slice.getLoc());
    auto shape = cast<MemRefType>(slice.getSource().getType()).getShape();
    ArrayRef<int64_t> sizes = slice.getSizes(), strides = slice.getStrides(),
                      statics = slice.getStaticOffsets();
    auto dynamics = slice.getOffsets().begin();
    for (unsigned dim = 0; dim < shape.size(); ++dim) {
      AffineExpr low =
          ShapedType::isDynamic(statics[dim])
              ? values.getExpr(*dynamics++)
              : getAffineConstantExpr(statics[dim], slice.getContext());
      if (sizes[dim] == 0)
        continue;
      if (ShapedType::isDynamic(shape[dim])) {
        lower(
            slice.getSource(), CheckResult::unknown,
            llvm::formatv("dimension {0} is known at the call only", dim).str(),
            slice.getLoc());
        continue;
      }
      checkOffset(slice, dim, low, (sizes[dim] - 1) * strides[dim], shape[dim]);
    }
  }

  void checkOffset(SliceRefOp slice, unsigned dim, AffineExpr low, int64_t last,
                   int64_t extent) {
    Interval range = values.getRange(low);
    if (range.low >= 0 && range.high <= extent - 1 - last)
      return;
    ProgramGuards guards = getGuards(slice, values);
    SmallVector<AffineExpr> reads = guards.getReads();
    reads.push_back(low);
    // Beyond the end, and before the beginning.
    for (AffineExpr beyond : {low + (last - extent), -low - 1}) {
      GridSystem system(values, reads, 1, 0);
      guards.require(system, 0);
      system.require(system.in(0, beyond));
      if (system.isComplete() && system.isEmpty())
        continue;
      // A mask may hide what lies outside.
      bool isHidden = llvm::any_of(slice->getUsers(), [](Operation *user) {
        Value mask = getAccessMask(user);
        return mask && !matchPattern(mask, m_One());
      });
      if (isHidden || !system.isComplete() || !guards.exact ||
          !guards.decide({low}, values)) {
        lower(slice.getSource(), CheckResult::unknown,
              llvm::formatv("a slice may leave dimension {0}, which has {1} "
                            "elements",
                            dim, extent)
                  .str(),
              slice.getLoc());
        continue;
      }
      SmallVector<int64_t> program = system.getProgram(system.getPoint(), 0);
      lower(slice.getSource(), CheckResult::refuted,
            llvm::formatv("program {0} slices beyond dimension {1}, which has "
                          "{2} elements",
                          formatProgram(program), dim, extent)
                .str(),
            slice.getLoc(), program);
    }
  }

  /// Whether an array of indices is clamped into a dimension.
  static bool isClamped(Value index, int64_t extent) {
    auto isAtMost = [&](Value value) {
      APInt number;
      return matchPattern(value, m_ConstantInt(&number)) &&
             number.getSExtValue() < extent;
    };
    auto isPositive = [](Value value) {
      APInt number;
      return matchPattern(value, m_ConstantInt(&number)) &&
             !number.isNegative();
    };
    auto most = index.getDefiningOp<arith::MinSIOp>();
    if (!most || !(isAtMost(most.getRhs()) && isPositive(most.getRhs())))
      return false;
    auto least = most.getLhs().getDefiningOp<arith::MaxSIOp>();
    return least && isPositive(least.getRhs());
  }

  void checkIndices(Operation *op, Value ref, ValueRange indices,
                    ArrayRef<int64_t> dims) {
    lower(ref, CheckResult::proved, "", op->getLoc());
    auto shape = cast<MemRefType>(ref.getType()).getShape();
    for (auto [index, dim] : llvm::zip_equal(indices, dims)) {
      if (!ShapedType::isDynamic(shape[dim]) && isClamped(index, shape[dim]))
        continue;
      lower(ref, CheckResult::unknown,
            llvm::formatv("an array of indices into dimension {0} is known at "
                          "the call only",
                          dim)
                .str(),
            op->getLoc());
    }
  }

  BlockAccess &access;
  KernelOp kernel;
  ProgramValues &values;
  llvm::MapVector<Value, CheckResult> results;
};

} // namespace

SmallVector<CheckResult> checkInBounds(BlockAccess &access) {
  return BoundsChecker(access).check();
}

SmallVector<CheckResult> checkDisjoint(BlockAccess &access) {
  KernelOp kernel = access.getKernel();
  SmallVector<DimSemantics> claims = getClaimedSemantics(kernel);
  SmallVector<DimVerdict> verdicts = analyzeParallelism(access);
  SmallVector<CheckResult> results;
  for (unsigned dim = 0; dim < kernel.getRank(); ++dim) {
    if (!isParallel(claims[dim]))
      continue;
    std::string name = llvm::formatv("dimension {0}", dim).str();
    if (StringAttr given = kernel.getDim(dim).getName())
      name += " (" + given.str() + ")";
    CheckResult result("disjoint", std::move(name), kernel.getLoc());
    const DimVerdict &verdict = verdicts[dim];
    if (verdict.kind != DimVerdict::proved)
      result.lower(verdict.kind == DimVerdict::refuted ? CheckResult::refuted
                                                       : CheckResult::unknown,
                   verdict.reason, verdict.loc.value_or(kernel.getLoc()));
    result.writtenAt = verdict.writtenAt;
    results.push_back(std::move(result));
  }
  return results;
}

} // namespace gridir::grid
