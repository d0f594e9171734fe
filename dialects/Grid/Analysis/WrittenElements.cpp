//===- WrittenElements.cpp - Whether every element is written -------------===//
//
// Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dialects/Grid/Analysis/CarriedState.h"
#include "dialects/Grid/Analysis/FollowedAccesses.h"
#include "dialects/Grid/Analysis/InputSharing.h"
#include "dialects/Grid/Analysis/KernelChecks.h"
#include "dialects/Grid/Analysis/ProgramGuards.h"
#include "dialects/Grid/Analysis/SetDifference.h"
#include "dialects/Grid/Analysis/StoredBoxes.h"

#include "llvm/Support/FormatVariadic.h"

using namespace mlir;
using namespace mlir::presburger;

namespace gridir::grid {

/// Limits of variables and stores, because the cost of projections grows
/// quickly.
static constexpr unsigned kMaxVariables = 10;
static constexpr size_t kMaxStores = 16;

namespace {

class WrittenElements {
public:
  WrittenElements(BlockAccess &access, unsigned output)
      : access(access), kernel(access.getKernel()), values(access.getValues()),
        output(output), shape(kernel.getOperandSpec(output).getArrayShape()) {}

  CheckResult check() {
    CheckResult result = checkStores();
    if (access.getAliasSet(output).size() == 1 ||
        result.verdict == CheckResult::proved)
      return result;
    constexpr const char *kInput =
        "the other elements are those of the aliased input";
    if (!hasWindows(kernel, output) || writesItsBlocks()) {
      CheckResult proved("written", result.subject,
                         kernel.getBodyBlock()->getArgument(output).getLoc());
      proved.reason = kInput;
      return proved;
    }
    // A block that a program sees is always written back.
    result.verdict = CheckResult::unknown;
    result.element.reset();
    result.reason = "a program may write only a part of it";
    return judgeAliasedOutput(kernel, std::move(result), kInput);
  }

private:
  /// True if each block that a program sees is written completely.
  bool writesItsBlocks() {
    SmallVector<unsigned> firstDims;
    for (unsigned dim = 0; dim < kernel.getRank(); ++dim)
      if (!access.isIndexedBy(output, dim))
        firstDims.push_back(dim);
    return writesAll(kernel, kernel.getBodyBlock()->getArgument(output),
                     firstDims);
  }

  /// Returns quickly if one store covers the array in the obvious way: each
  /// array dimension by the blocks of a separate program id. Otherwise
  /// subtracts exact sets of elements.
  CheckResult checkStores() {
    Location loc = kernel.getBodyBlock()->getArgument(output).getLoc();
    CheckResult result("written", kernel.getOperandName(output), loc);
    if (llvm::is_contained(shape, 0))
      return result;
    if (llvm::any_of(shape, ShapedType::isDynamic) ||
        llvm::any_of(kernel.getGridShape(), ShapedType::isDynamic)) {
      result.lower(
          CheckResult::unknown,
          "the sizes of the array or the grid are known only at run time", loc);
      return result;
    }
    if (llvm::is_contained(kernel.getGridShape(), 0)) {
      result.lower(CheckResult::refuted, "the grid has no program", loc);
      return result;
    }
    SmallVector<ArrayAccess> stores;
    for (const ArrayAccess &next : access.getAccesses()) {
      if (next.operand != output || !next.writes)
        continue;
      stores.push_back(next);
      if (std::optional<StoredBox> stored = findStoredBox(next, access))
        if (!stored->predicate)
          stores.back().box = std::move(stored->box);
    }
    if (stores.empty()) {
      result.lower(CheckResult::refuted, "no program writes it", loc);
      return result;
    }
    if (llvm::any_of(stores, [&](const ArrayAccess &store) {
          return isObviouslyEverything(store);
        }))
      return result;
    decide(stores, result);
    return result;
  }

  /// Each array dimension is covered by an id of its own, or by every block,
  /// and the conditions of the store leave these ids alone.
  bool isObviouslyEverything(const ArrayAccess &store) {
    ProgramGuards guards = getGuards(store.op, values);
    if (!store.box.exact || !guards.exact)
      return false;
    llvm::SmallDenseSet<unsigned> used;
    for (auto [low, size, extent] :
         llvm::zip_equal(store.box.lows, store.box.sizes, shape))
      if (!isCovered(low, size, extent, used))
        return false;
    if (guards.conditions.empty())
      return true;
    for (AffineExpr read : guards.getReads())
      for (unsigned dim : used)
        if (read.isFunctionOfDim(dim))
          return false;
    GridSystem system(values, guards.getReads(), 1, 0);
    guards.require(system, 0);
    return system.isComplete() && !system.isEmpty();
  }

  /// True if `low`, a multiple of one unused program id or a constant, and the
  /// elements after it cover a dimension.
  bool isCovered(AffineExpr low, int64_t size, int64_t extent,
                 llvm::SmallDenseSet<unsigned> &used) {
    int64_t offset = 0, stride = 1, last = 0;
    auto peel = [&](AffineExprKind kind, int64_t &constant) {
      auto binary = dyn_cast<AffineBinaryOpExpr>(low);
      if (!binary || binary.getKind() != kind)
        return;
      if (auto right = dyn_cast<AffineConstantExpr>(binary.getRHS())) {
        constant = right.getValue();
        low = binary.getLHS();
      }
    };
    peel(AffineExprKind::Add, offset);
    peel(AffineExprKind::Mul, stride);
    if (auto constant = dyn_cast<AffineConstantExpr>(low)) {
      offset += constant.getValue() * stride;
    } else if (auto id = dyn_cast<AffineDimExpr>(low)) {
      if (stride < 1 || stride > size || !used.insert(id.getPosition()).second)
        return false;
      last = (kernel.getGridShape()[id.getPosition()] - 1) * stride;
    } else {
      return false;
    }
    return offset <= 0 && last + offset + size >= extent;
  }

  /// Returns the elements that a store writes, or with `most` those that it may
  /// write.
  std::optional<PresburgerSet> getElements(const ArrayAccess &store,
                                           bool most) {
    const ElementBox &box = store.box;
    ProgramGuards guards = getGuards(store.op, values);
    SmallVector<AffineExpr> reads = guards.getReads();
    llvm::append_range(reads, box.lows);
    bool exact = box.exact && guards.exact && guards.decide(box.lows, values);
    if (!exact && !most)
      return PresburgerSet::getEmpty(
          PresburgerSpace::getSetSpace(shape.size()));
    GridSystem system(values, reads, 1, shape.size());
    if (kernel.getRank() + getUsedSymbols(reads).size() + shape.size() +
            reads.size() >
        kMaxVariables)
      return std::nullopt;
    for (unsigned i = 0; i < shape.size(); ++i) {
      AffineExpr low = system.in(0, box.lows[i]);
      system.add(BoundType::LB, system.getExtra(i), low);
      system.add(BoundType::UB, system.getExtra(i), low + box.sizes[i] - 1);
    }
    guards.require(system, 0);
    if (!system.isComplete())
      return std::nullopt;
    // A scalar is the one point of the space without dimensions.
    if (shape.empty()) {
      auto space = PresburgerSpace::getSetSpace(0);
      return system.isEmpty() ? PresburgerSet::getEmpty(space)
                              : PresburgerSet::getUniverse(space);
    }
    return PresburgerSet(
        system.getExtras(shape.size()).computeReprWithOnlyDivLocals());
  }

  PresburgerSet getArray() const {
    IntegerPolyhedron all(PresburgerSpace::getSetSpace(shape.size()));
    for (unsigned i = 0; i < shape.size(); ++i) {
      all.addBound(BoundType::LB, i, 0);
      all.addBound(BoundType::UB, i, shape[i] - 1);
    }
    return PresburgerSet(all);
  }

  /// The first element of a set, in row-major order.
  std::optional<SmallVector<int64_t>> getFirst(const PresburgerSet &set) const {
    std::optional<SmallVector<int64_t>> first;
    for (const IntegerRelation &part : set.getAllDisjuncts()) {
      auto point = part.findIntegerLexMin();
      if (!point.isBounded())
        continue;
      // The coordinates are followed by the variables that the projection
      // added.
      SmallVector<int64_t> element = llvm::map_to_vector(
          ArrayRef(*point).take_front(shape.size()),
          [](const llvm::DynamicAPInt &x) { return int64_t(x); });
      if (!first || element < *first)
        first = std::move(element);
    }
    return first;
  }

  /// Subtracts the elements of each store from the array, once as an
  /// under-approximation and once as an over-approximation. The output is
  /// proved if nothing remains of the first difference, and refuted by an
  /// element of the second one.
  void decide(ArrayRef<ArrayAccess> stores, CheckResult &result) {
    Location loc = stores.front().op->getLoc();
    auto giveUp = [&] {
      result.lower(CheckResult::unknown,
                   "it has too many stores, or their indices do not follow "
                   "from the program ids",
                   loc);
    };
    if (stores.size() > kMaxStores)
      return giveUp();
    std::optional<PresburgerSet> missing = getArray(), never = getArray();
    for (const ArrayAccess &store : stores) {
      std::optional<PresburgerSet> least = getElements(store, false),
                                   most = getElements(store, true);
      if (!least || !most)
        return giveUp();
      missing = subtract(*missing, *least);
      never = subtract(*never, *most);
      if (!missing || !never)
        return giveUp();
    }
    if (missing->isIntegerEmpty())
      return;
    std::optional<SmallVector<int64_t>> element = getFirst(*never);
    // The simulation is slower, and knows values that loops carry.
    if (!element && writesEverything(access, output))
      return;
    if (!element) {
      result.lower(
          CheckResult::unknown,
          "the condition or the indices of a store are known only at run time",
          loc);
      return;
    }
    result.lower(
        CheckResult::refuted,
        llvm::formatv("no program writes element {0}", formatProgram(*element))
            .str(),
        loc);
    result.element = std::move(element);
  }

  BlockAccess &access;
  KernelOp kernel;
  ProgramValues &values;
  unsigned output;
  SmallVector<int64_t> shape;
};

} // namespace

CheckResult checkWritten(BlockAccess &access, unsigned output) {
  return WrittenElements(access, output).check();
}

} // namespace gridir::grid
