//===- AliasedReads.cpp - Reads of what another program wrote -------------===//
//
// Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dialects/Grid/Analysis/BoxCoverage.h"
#include "dialects/Grid/Analysis/GridSystem.h"
#include "dialects/Grid/Analysis/KernelChecks.h"
#include "dialects/Grid/Analysis/ProgramGuards.h"

#include "llvm/Support/FormatVariadic.h"

using namespace mlir;
using presburger::BoundType;

namespace gridir::grid {

/// Limit of accesses: every pair of a write and a read is a query.
static constexpr size_t kMaxAliasedAccesses = 24;

/// Limit of programs that are compared if expressions of the ids decide
/// nothing.
static constexpr int64_t kMaxComparedPrograms = 16;

namespace {

/// Finds a program that reads, through one name of an array, an element that an
/// earlier program wrote through the other name.
class AliasedReads {
public:
  AliasedReads(BlockAccess &access, unsigned input, unsigned output)
      : access(access), kernel(access.getKernel()), values(access.getValues()),
        input(input), output(output),
        result("aliases", kernel.getOperandName(input),
               kernel.getBodyBlock()->getArgument(input).getLoc()) {}

  CheckResult check() {
    for (auto [written, read] :
         {std::pair(output, input), std::pair(input, output)}) {
      SmallVector<const ArrayAccess *> writes = getAccesses(written, true),
                                       reads = getAccesses(read, false);
      if (writes.empty() || reads.empty())
        continue;
      if (writes.size() > kMaxAliasedAccesses ||
          reads.size() > kMaxAliasedAccesses) {
        lower(CheckResult::unknown, *writes.front(), *reads.front(), {});
        continue;
      }
      for (const ArrayAccess *write : writes)
        for (const ArrayAccess *next : reads) {
          examine(*write, *next);
          if (result.verdict == CheckResult::unknown)
            compare(*write, *next);
        }
    }
    return std::move(result);
  }

private:
  /// The accesses through one name, without duplicates.
  SmallVector<const ArrayAccess *> getAccesses(unsigned operand, bool writes) {
    SmallVector<const ArrayAccess *> found;
    for (const ArrayAccess &next : access.getAccesses())
      if (next.operand == operand && (writes ? next.writes : next.reads) &&
          llvm::none_of(found, [&](const ArrayAccess *other) {
            return other->box == next.box &&
                   other->op->getBlock() == next.op->getBlock();
          }))
        found.push_back(&next);
    return found;
  }

  void examine(const ArrayAccess &write, const ArrayAccess &read) {
    for (unsigned dim = 0; dim < kernel.getRank(); ++dim)
      if (result.verdict != CheckResult::refuted && !isTrivial(dim))
        examine(write, read, dim);
  }

  /// Searches the first programs of the grid for a counterexample.
  void compare(const ArrayAccess &write, const ArrayAccess &read) {
    SmallVector<int64_t> shape = kernel.getGridShape();
    if (llvm::any_of(shape, ShapedType::isDynamic) ||
        llvm::is_contained(shape, 0))
      return;
    SmallVector<int64_t> ids(shape.size(), 0);
    SmallVector<std::pair<SmallVector<int64_t>, ElementBox>> written;
    for (int64_t i = 0; i < kMaxComparedPrograms; ++i) {
      if (std::optional<ElementBox> box = getBox(read, ids))
        for (const auto &[writer, other] : written)
          if (certainlyMeet(*box, other))
            return lower(CheckResult::refuted, write, read, ids, writer);
      if (std::optional<ElementBox> box = getBox(write, ids))
        written.emplace_back(ids, std::move(*box));
      int dim = shape.size() - 1;
      for (; dim >= 0 && ++ids[dim] == shape[dim]; --dim)
        ids[dim] = 0;
      if (dim < 0)
        return;
    }
  }

  /// Returns the elements of an access that one program certainly makes, or
  /// none if they are unknown.
  std::optional<ElementBox> getBox(const ArrayAccess &made,
                                   ArrayRef<int64_t> program) {
    ProgramValues one(kernel);
    for (auto [dim, id] : llvm::enumerate(program))
      one.restrictId(dim, Interval::constant(id));
    MLIRContext *context = kernel.getContext();
    SmallVector<AffineExpr> ids = llvm::map_to_vector(program, [&](int64_t id) {
      return getAffineConstantExpr(id, context);
    });
    auto evaluate = [&](AffineExpr expr) {
      SmallVector<AffineExpr> symbols;
      for (auto [i, symbol] : llvm::enumerate(values.getSymbols())) {
        Interval range = expr.isFunctionOfSymbol(i) ? one.getRange(symbol.value)
                                                    : Interval::constant(0);
        symbols.push_back(range.isConstant()
                              ? getAffineConstantExpr(range.low, context)
                              : getAffineSymbolExpr(i, context));
      }
      return expr.replaceDimsAndSymbols(ids, symbols);
    };
    ProgramGuards guards = getGuards(made.op, values);
    if (!guards.exact || !made.box.exact)
      return std::nullopt;
    for (const Guard &guard : guards.conditions) {
      auto number = dyn_cast<AffineConstantExpr>(evaluate(guard.expr));
      if (!number ||
          (guard.equal ? number.getValue() != 0 : number.getValue() < 0))
        return std::nullopt;
    }
    ElementBox box = made.box;
    for (AffineExpr &low : box.lows) {
      low = evaluate(low);
      if (!isa<AffineConstantExpr>(low))
        return std::nullopt;
    }
    return box;
  }

  bool isTrivial(unsigned dim) {
    int64_t size = kernel.getGridShape()[dim];
    return !ShapedType::isDynamic(size) && size <= 1;
  }

  /// Two programs that first differ along `dim`, in the order of the grid.
  void examine(const ArrayAccess &write, const ArrayAccess &read,
               unsigned dim) {
    SmallVector<int64_t> shape =
        kernel.getOperandSpec(write.operand).getArrayShape();
    ProgramGuards ofWrite = getGuards(write.op, values),
                  ofRead = getGuards(read.op, values);
    SmallVector<AffineExpr> reads = ofWrite.getReads();
    llvm::append_range(reads, ofRead.getReads());
    llvm::append_range(reads, write.box.lows);
    llvm::append_range(reads, read.box.lows);
    GridSystem system(values, reads, 2, shape.size());
    for (unsigned outer = 0; outer < dim; ++outer)
      system.add(BoundType::EQ, system.getId(1, outer),
                 system.dim(system.getId(0, outer)));
    system.add(BoundType::LB, system.getId(1, dim),
               system.dim(system.getId(0, dim)) + 1);
    ofWrite.require(system, 0);
    ofRead.require(system, 1);
    MLIRContext *context = kernel.getContext();
    for (unsigned i = 0; i < shape.size(); ++i) {
      unsigned element = system.getExtra(i);
      system.add(BoundType::LB, element, getAffineConstantExpr(0, context));
      if (!ShapedType::isDynamic(shape[i]))
        system.add(BoundType::UB, element,
                   getAffineConstantExpr(shape[i] - 1, context));
      for (auto [program, box] :
           {std::pair(0u, &write.box), std::pair(1u, &read.box)}) {
        AffineExpr low = system.in(program, box->lows[i]);
        system.add(BoundType::LB, element, low);
        system.add(BoundType::UB, element, low + box->sizes[i] - 1);
      }
    }
    if (!system.isComplete())
      return lower(CheckResult::unknown, write, read, {});
    if (system.isEmpty())
      return;
    bool isDynamic = llvm::any_of(kernel.getGridShape(), ShapedType::isDynamic);
    bool certain = !isDynamic && write.box.exact && read.box.exact &&
                   ofWrite.exact && ofRead.exact &&
                   ofWrite.decide(write.box.lows, values) &&
                   ofRead.decide(read.box.lows, values);
    if (!certain)
      return lower(CheckResult::unknown, write, read, {});
    SmallVector<llvm::DynamicAPInt> point = system.getPoint();
    lower(CheckResult::refuted, write, read, system.getProgram(point, 1),
          system.getProgram(point, 0));
  }

  void lower(CheckResult::Verdict verdict, const ArrayAccess &write,
             const ArrayAccess &read, ArrayRef<int64_t> reader,
             ArrayRef<int64_t> writer = {}) {
    if (result.verdict >= verdict)
      return;
    std::string by = kernel.getOperandName(read.operand),
                to = kernel.getOperandName(write.operand);
    std::string reason =
        verdict == CheckResult::refuted
            ? llvm::formatv(
                  "program {0} reads through {1} elements that program {2} "
                  "has written to {3}",
                  formatProgram(reader), by, formatProgram(writer), to)
                  .str()
            : llvm::formatv("a program may read through {0} elements that an "
                            "earlier one has written to {1}",
                            by, to)
                  .str();
    result.lower(verdict, std::move(reason), read.op->getLoc(), reader);
    result.writtenAt = write.op->getLoc();
  }

  BlockAccess &access;
  KernelOp kernel;
  ProgramValues &values;
  unsigned input, output;
  CheckResult result;
};

} // namespace

SmallVector<CheckResult> checkAliases(BlockAccess &access) {
  KernelOp kernel = access.getKernel();
  unsigned firstOutput = kernel.getNumIndexOperands() + kernel.getNumInputs();
  SmallVector<CheckResult> results;
  for (auto [operand, output] : kernel.getAliasPairs())
    if (!isa<SemaphoreType>(kernel.getOperandSpec(operand).getElementType()))
      results.push_back(
          AliasedReads(access, operand, firstOutput + output).check());
  return results;
}

} // namespace gridir::grid
