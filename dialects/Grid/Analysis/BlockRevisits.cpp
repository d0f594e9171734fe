//===- BlockRevisits.cpp - Blocks of outputs that come back ---------------===//
//
// Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dialects/Grid/Analysis/GridSystem.h"
#include "dialects/Grid/Analysis/KernelChecks.h"

#include "llvm/Support/FormatVariadic.h"

using namespace mlir;

namespace gridir::grid {

/// The maximum number of variables of a system.
static constexpr unsigned kMaxRank = 8;

/// True if some array dimension distinguishes all programs that differ only
/// along a grid dimension: its low is a multiple of that id.
static bool tellsApart(const ElementBox &block, unsigned dim) {
  return llvm::any_of(block.lows, [&](AffineExpr low) {
    bool others = false;
    low.walk([&](AffineExpr e) {
      auto id = dyn_cast<AffineDimExpr>(e);
      others |= (id && id.getPosition() != dim) || isa<AffineSymbolExpr>(e);
      // Adjacent programs may have the same quotient or remainder.
      auto binary = dyn_cast<AffineBinaryOpExpr>(e);
      others |= binary && binary.getKind() != AffineExprKind::Add &&
                binary.getKind() != AffineExprKind::Mul;
    });
    return !others && low.isFunctionOfDim(dim);
  });
}

namespace {

class RevisitFinder {
public:
  RevisitFinder(BlockAccess &access, unsigned operand)
      : kernel(access.getKernel()), values(access.getValues()),
        block(access.getBlock(operand)) {
    for (unsigned dim = 0; dim < kernel.getRank(); ++dim) {
      int64_t size = kernel.getGridShape()[dim];
      if (ShapedType::isDynamic(size) || size > 1)
        dims.push_back(dim);
      isDynamic |= ShapedType::isDynamic(size);
    }
  }

  /// If all dimensions up to the innermost one that the block depends on
  /// distinguish blocks, the programs of each block are consecutive.
  bool isObviouslyVisitedOnce() const {
    const unsigned *last = dims.end();
    while (last != dims.begin() &&
           llvm::none_of(block.lows, [&](AffineExpr low) {
             return low.isFunctionOfDim(*std::prev(last));
           }))
      --last;
    return std::all_of(dims.begin(), last,
                       [&](unsigned dim) { return tellsApart(block, dim); });
  }

  bool dependsOnCall() const { return isDynamic; }

  /// Two programs with one block, with another block right before the second.
  std::optional<ProgramWitness> find() {
    for (unsigned carry : dims)
      for (unsigned first : dims)
        for (unsigned i = 0; i < block.getRank(); ++i)
          for (int sign : {1, -1})
            if (auto witness = ask(carry, first, i, sign))
              return witness;
    return std::nullopt;
  }

  bool isComplete() const { return complete; }

private:
  /// The program before the second one differs from it along `carry`, where the
  /// second one is not at 0, while all inner ids are. The first program differs
  /// from the second along `first`, and not along the dimensions outside.
  std::optional<ProgramWitness> ask(unsigned carry, unsigned first, unsigned i,
                                    int sign) {
    MLIRContext *context = kernel.getContext();
    GridSystem system(values, block.lows, 2, 0);
    SmallVector<AffineExpr> before;
    for (unsigned dim = 0; dim < kernel.getRank(); ++dim) {
      AffineExpr id = getAffineDimExpr(dim, context);
      AffineExpr second = system.in(1, id);
      if (dim == carry) {
        system.require(second - 1);
        before.push_back(id - 1);
      } else if (dim > carry) {
        system.require(second, /*equal=*/true);
        before.push_back(
            getAffineConstantExpr(kernel.getGridShape()[dim] - 1, context));
      } else {
        before.push_back(id);
      }
      if (dim < first)
        system.require(second - system.in(0, id), /*equal=*/true);
      else if (dim == first)
        system.require(second - system.in(0, id) - 1);
    }
    for (AffineExpr low : block.lows)
      system.require(system.in(0, low) - system.in(1, low), /*equal=*/true);
    AffineExpr there = block.lows[i].replaceDims(before);
    system.require((system.in(1, there) - system.in(1, block.lows[i])) * sign -
                   1);
    complete &= system.isComplete();
    if (!system.isComplete() || system.isEmpty())
      return std::nullopt;
    SmallVector<llvm::DynamicAPInt> point = system.getPoint();
    return ProgramWitness{system.getProgram(point, 0),
                          system.getProgram(point, 1)};
  }

  KernelOp kernel;
  ProgramValues &values;
  const ElementBox &block;
  SmallVector<unsigned> dims;
  bool isDynamic = false, complete = true;
};

} // namespace

/// Searches for a program whose block was visited before, but not by the
/// program directly before it. The common case, in which grid dimensions
/// distinguish blocks from the outside in, needs no solver.
CheckResult checkNoRevisit(BlockAccess &access, unsigned output) {
  KernelOp kernel = access.getKernel();
  Location loc = kernel.getBodyBlock()->getArgument(output).getLoc();
  CheckResult result("no-revisit", kernel.getOperandName(output), loc);
  OperandAttr spec = kernel.getOperandSpec(output);
  bool symbolic = !getUsedSymbols(access.getBlock(output).lows).empty() ||
                  llvm::any_of(spec.getBlock(), [](BlockDimAttr dim) {
                    return dim.getKind() == BlockKind::Indirect;
                  });
  if (spec.getBlock().empty())
    return result;
  auto giveUp = [&](StringRef reason) {
    result.lower(CheckResult::unknown, reason.str(), loc);
    return result;
  };
  constexpr StringLiteral unknownBlocks =
      "its blocks are known only at run time";
  if (symbolic)
    return giveUp(unknownBlocks);
  RevisitFinder finder(access, output);
  if (finder.isObviouslyVisitedOnce())
    return result;
  if (finder.dependsOnCall())
    return giveUp("the sizes of the grid are known only at run time");
  if (kernel.getRank() > kMaxRank)
    return giveUp("the grid has more dimensions than the check supports");
  if (std::optional<ProgramWitness> witness = finder.find())
    result.lower(CheckResult::refuted,
                 llvm::formatv("program {0} revisits the block of program "
                               "{1}",
                               formatProgram(witness->second),
                               formatProgram(witness->first))
                     .str(),
                 loc, witness->second);
  else if (!finder.isComplete())
    return giveUp(unknownBlocks);
  return result;
}

} // namespace gridir::grid
