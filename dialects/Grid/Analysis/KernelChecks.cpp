//===- KernelChecks.cpp - Bounds of accesses, and parallel programs -------===//
//
// Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dialects/Grid/Analysis/KernelChecks.h"

#include "dialects/Grid/Analysis/FollowedAccesses.h"
#include "dialects/Grid/Analysis/GridParallelism.h"
#include "dialects/Grid/Analysis/LoadedUses.h"
#include "dialects/Grid/Analysis/MaskBounds.h"
#include "dialects/Grid/Analysis/ProgramGuards.h"
#include "dialects/Grid/Analysis/RefNames.h"
#include "dialects/Grid/IR/KernelParams.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
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

/// True if the author gave parameters of a backend that leaves blocks
/// undefined, or of one that does not.
static bool hasParams(KernelOp kernel, bool leavesUndefined) {
  return kernel.getParams() &&
         llvm::any_of(kernel.getParamsAttr(), [&](Attribute params) {
           return cast<ParamsAttrInterface>(params).leavesBlocksUndefined() ==
                  leavesUndefined;
         });
}

CheckResult judgeAliasedOutput(KernelOp kernel, CheckResult onTpu,
                               std::string reason) {
  if (onTpu.verdict == CheckResult::proved)
    return onTpu;
  if (hasParams(kernel, /*leavesUndefined=*/false)) {
    CheckResult result(onTpu.check, onTpu.subject, onTpu.loc);
    result.reason = std::move(reason);
    return result;
  }
  onTpu.reason =
      "on a tpu, where its block is initially undefined, " + onTpu.reason;
  onTpu.isProvedElsewhere = true;
  // A kernel without parameters may be for any target.
  if (!hasParams(kernel, /*leavesUndefined=*/true))
    onTpu.verdict = CheckResult::unknown;
  return onTpu;
}

namespace {

class BoundsChecker {
public:
  BoundsChecker(BlockAccess &access, SmallVectorImpl<OpenIndex> *open)
      : access(access), kernel(access.getKernel()), values(access.getValues()),
        ranges(values), positions(ranges), bounds(positions, ranges),
        open(open) {}

  SmallVector<CheckResult> check() {
    for (unsigned i = kernel.getNumIndexOperands(),
                  e = kernel.getNumOperandSpecs();
         i < e; ++i)
      checkBlocks(i);
    kernel.getBodyRegion().walk([&](Operation *op) {
      if (auto view = dyn_cast<RefViewOpInterface>(op))
        checkView(view);
      else if (auto access = dyn_cast<RefAccessOpInterface>(op);
               access && !access.getAccessIndices().empty())
        checkIndices(access);
    });
    followUndecided();
    SmallVector<CheckResult> all;
    for (auto &[ref, result] : results)
      all.push_back(std::move(result));
    return all;
  }

private:
  void addOpen(Operation *op, unsigned operand, unsigned dim) {
    if (open)
      open->push_back({op, operand, dim});
  }

  CheckResult &getResult(Value ref) {
    auto [it, inserted] = results.try_emplace(
        ref, CheckResult("in-bounds", getRefName(ref), ref.getLoc()));
    return it->second;
  }

  /// Checks that each block overlaps its array. An overhanging block is legal;
  /// its padding is noted with the proof.
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
      QueryResult outside = access.liesOutside(operand, dim);
      if (outside.kind != QueryResult::no)
        addOpen(nullptr, operand, dim);
      if (outside.kind == QueryResult::yes)
        result.lower(CheckResult::refuted,
                     llvm::formatv("the block of program {0} lies outside of "
                                   "dimension {1}, which has {2} elements",
                                   formatProgram(outside.witness.first), dim,
                                   extent)
                         .str(),
                     loc, outside.witness.first);
      else if (outside.kind == QueryResult::unknown)
        result.lower(
            CheckResult::unknown,
            llvm::formatv("blocks may lie outside of dimension {0}", dim).str(),
            loc);
      QueryResult over = access.overhangs(operand, dim);
      if (over.kind == QueryResult::yes && padded.empty())
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

  void checkView(RefViewOpInterface view) {
    std::optional<SmallVector<ViewDim>> dims = view.getViewDims();
    ValueRange sources = view.getViewSources();
    if (!dims || sources.size() != 1 || isWholeView(view, *dims))
      return;
    Value source = sources.front();
    // The Ref gets a result even if no access is found.
    lower(source, CheckResult::proved, "", view.getLoc());
    ArrayRef<int64_t> shape = cast<MemRefType>(source.getType()).getShape();
    for (auto [i, dim] : llvm::enumerate(*dims)) {
      int64_t size = getSize(view, dim);
      if (size == 0)
        continue;
      if (ShapedType::isDynamic(shape[i])) {
        lower(source, CheckResult::unknown,
              llvm::formatv("dimension {0} is known only at run time", i).str(),
              view.getLoc());
        addOpen(view, 0, i);
        continue;
      }
      std::optional<int64_t> constant = getConstantIntValue(dim.offset);
      AffineExpr low = constant
                           ? getAffineConstantExpr(*constant, view.getContext())
                           : values.getExpr(cast<Value>(dim.offset));
      checkOffset(view, source, i, low, (size - 1) * dim.stride, shape[i]);
    }
  }

  /// The elements of a view along a dimension of its source.
  static int64_t getSize(Operation *view, const ViewDim &dim) {
    auto type = cast<MemRefType>(view->getResult(0).getType());
    return dim.dim ? type.getDimSize(*dim.dim) : 1;
  }

  /// True if a view has all elements of its source, and is therefore in bounds.
  static bool isWholeView(RefViewOpInterface view, ArrayRef<ViewDim> dims) {
    auto source = cast<MemRefType>(view.getViewSources().front().getType());
    return llvm::all_of(llvm::enumerate(dims), [&](auto pair) {
      auto [i, dim] = pair;
      return isConstantIntValue(dim.offset, 0) && dim.stride == 1 &&
             getSize(view, dim) == source.getDimSize(i);
    });
  }

  /// Tries the range of the offset first. Otherwise asks for a program that
  /// executes the view and whose offset is beyond the end, or before the
  /// beginning. A counterexample is reported only if the conditions around the
  /// view are exact and the elements outside are used.
  void checkOffset(Operation *view, Value source, unsigned dim, AffineExpr low,
                   int64_t last, int64_t extent) {
    Interval range = values.getRange(low);
    if (range.low >= 0 && range.high <= extent - 1 - last)
      return;
    ProgramGuards guards = getGuards(view, values);
    SmallVector<AffineExpr> reads = guards.getReads();
    reads.push_back(low);
    // Beyond the end, and before the beginning.
    for (AffineExpr beyond : {low + (last - extent), -low - 1}) {
      GridSystem system(values, reads, 1, 0);
      guards.require(system, 0);
      system.require(system.in(0, beyond));
      if (system.isComplete() && system.isEmpty())
        continue;
      addOpen(view, 0, dim);
      // A mask may exclude the elements outside, or their values may be unused.
      bool isHidden = llvm::any_of(view->getUsers(), [](Operation *user) {
        Value mask = getElementMask(user);
        return mask && !matchPattern(mask, m_One());
      });
      isHidden = isHidden || isLoadedToDiscard(view->getResult(0));
      if (isHidden || !system.isComplete() || !guards.exact ||
          !guards.decide({low}, values)) {
        Undecided slice{source, {view, dim}, extent};
        // A compiler that asks for open indices does not wait for a simulation.
        if (isHidden || open)
          lower(slice);
        else
          undecided.push_back(slice);
        continue;
      }
      SmallVector<int64_t> program = system.getProgram(system.getPoint(), 0);
      lower(source, CheckResult::refuted,
            llvm::formatv("program {0} slices beyond dimension {1}, which has "
                          "{2} elements",
                          formatProgram(program), dim, extent)
                .str(),
            view->getLoc(), program);
    }
  }

  /// A slice that may exceed a dimension of its source.
  struct Undecided {
    Value source;
    ViewOffset offset;
    int64_t extent;
  };

  void lower(const Undecided &slice) {
    lower(slice.source, CheckResult::unknown,
          llvm::formatv("a slice may exceed dimension {0}, which has {1} "
                        "elements",
                        slice.offset.second, slice.extent)
              .str(),
          slice.offset.first->getLoc());
  }

  /// Simulates the programs for the slices that sets of programs do not decide.
  void followUndecided() {
    if (undecided.empty())
      return;
    llvm::DenseSet<ViewOffset> inside = findOffsetsInBounds(
        access, llvm::map_to_vector(undecided, [](const Undecided &slice) {
          return slice.offset;
        }));
    for (const Undecided &slice : undecided)
      if (!inside.contains(slice.offset))
        lower(slice);
  }

  /// True if an array of indices is clamped to a dimension.
  static bool isClamped(Value index, int64_t extent) {
    auto isAtMost = [&](Value value) {
      APInt number;
      return matchPattern(value, m_ConstantInt(&number)) && number.slt(extent);
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

  /// True if an array of indices consists of positions; they are inside of a
  /// dimension wherever the mask of the access selects them, if `isInside`.
  bool arePositions(RefAccessOpInterface op, Value index, int64_t extent,
                    bool &isInside) {
    auto type = cast<RankedTensorType>(index.getType());
    std::optional<Positions> read;
    if (type.getElementType().isInteger(32))
      read = positions.read(index);
    isInside =
        read && !ShapedType::isDynamic(extent) &&
        bounds.areInside(op.getAccessMask(), *read, type.getShape(), extent);
    return read.has_value();
  }

  /// Indices that are elements of arrays are proved if they are clamped to the
  /// dimension, or are positions that a mask limits to it.
  void checkIndices(RefAccessOpInterface op) {
    Value ref = op.getAccessedRef();
    lower(ref, CheckResult::proved, "", op->getLoc());
    auto shape = cast<MemRefType>(ref.getType()).getShape();
    for (auto [index, dim] :
         llvm::zip_equal(op.getAccessIndices(), op.getAccessDims())) {
      if (!ShapedType::isDynamic(shape[dim]) && isClamped(index, shape[dim]))
        continue;
      addOpen(op, 0, dim);
      bool isInside = false;
      bool isKnown = arePositions(op, index, shape[dim], isInside);
      if (isInside)
        continue;
      lower(ref, CheckResult::unknown,
            isKnown
                ? llvm::formatv("an array of indices may exceed dimension {0}, "
                                "which has {1} elements",
                                dim, shape[dim])
                      .str()
                : llvm::formatv("an array of indices into dimension {0} is "
                                "known only at run time",
                                dim)
                      .str(),
            op->getLoc());
    }
  }

  BlockAccess &access;
  KernelOp kernel;
  ProgramValues &values;
  ElementRanges ranges;
  PositionReader positions;
  MaskBounds bounds;
  SmallVectorImpl<OpenIndex> *open;
  SmallVector<Undecided> undecided;
  llvm::MapVector<Value, CheckResult> results;
};

} // namespace

SmallVector<CheckResult> checkInBounds(BlockAccess &access,
                                       SmallVectorImpl<OpenIndex> *open) {
  return BoundsChecker(access, open).check();
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
