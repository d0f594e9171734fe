//===- LegalizeBlocks.cpp - Check what the target can hold ----------------===//
//
// Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dialects/Grid/Transforms/Passes.h"

#include "dialects/Grid/Analysis/BlockAccess.h"
#include "dialects/Grid/Target/Target.h"
#include "mlir/IR/Remarks.h"
#include "llvm/Support/InterleavedRange.h"

namespace gridir::grid {
#define GEN_PASS_DEF_GRIDLEGALIZEBLOCKSPASS
#include "dialects/Grid/Transforms/Passes.h.inc"
} // namespace gridir::grid

using namespace mlir;
using namespace gridir::grid;

/// Checks that a target has the element type of an operand, the dimensions of
/// its array, and its blocks.
static LogicalResult checkOperand(const Target &target, KernelOp kernel,
                                  unsigned operand) {
  OperandAttr spec = kernel.getOperandSpec(operand);
  Location loc = kernel.getBodyBlock()->getArgument(operand).getLoc();
  std::string name = kernel.getOperandName(operand);
  if (!target.isElementType(spec.getElementType()))
    return emitError(loc) << "expected " << name
                          << " to have an element type of " << target.getNoun()
                          << ", got " << spec.getElementType();
  for (auto [dim, size] : llvm::enumerate(spec.getShape()))
    if (auto symbol = dyn_cast<StringAttr>(size))
      return emitError(loc)
             << "expected dimension " << dim << " of " << name
             << " to have a static size, got " << symbol.getValue();
  return target.checkBlocks(kernel, operand);
}

static LogicalResult checkScratch(const Target &target, KernelOp kernel) {
  for (auto [i, ref] : llvm::enumerate(kernel.getScratchRefs())) {
    Type element = cast<MemRefType>(ref.getType()).getElementType();
    if (!target.isElementType(element))
      return emitError(ref.getLoc())
             << "expected scratch[" << i << "] to have an element type of "
             << target.getNoun() << ", got " << element;
  }
  return success();
}

/// Fails if a block of an operand is completely outside of its array, since
/// JAX's backends do not agree on the meaning of such a block. A target that
/// uses blocks in place never accesses a block that no program accesses, or
/// that programs access only with a mask.
static LogicalResult checkBlocksMeetArray(const Target &target,
                                          BlockAccess &access,
                                          unsigned operand) {
  KernelOp kernel = access.getKernel();
  OperandAttr spec = kernel.getOperandSpec(operand);
  for (unsigned dim = 0; dim < spec.getRank(); ++dim) {
    QueryResult outside = target.usesBlocksInPlace()
                              ? access.accessesOutside(operand, dim)
                              : access.liesOutside(operand, dim);
    // An empty array has no elements, and nothing reads or writes it.
    if (outside.kind != QueryResult::yes || spec.getArrayShape()[dim] == 0)
      continue;
    InFlightDiagnostic diagnostic =
        emitError(kernel.getBodyBlock()->getArgument(operand).getLoc())
        << "expected every block of " << kernel.getOperandName(operand)
        << " to overlap its array, got one outside of dimension " << dim
        << " of size " << spec.getArrayShape()[dim];
    diagnostic.attachNote(kernel.getLoc())
        << "it is the block of program ("
        << llvm::interleaved(outside.witness.first) << ")";
    return diagnostic;
  }
  return success();
}

namespace {

class GridLegalizeBlocksPass
    : public gridir::grid::impl::GridLegalizeBlocksPassBase<
          GridLegalizeBlocksPass> {
public:
  using GridLegalizeBlocksPassBase::GridLegalizeBlocksPassBase;

  void runOnOperation() override {
    KernelOp kernel = getOperation();
    const Target *chosen = findTarget(target, kernel, getArgument());
    if (!chosen)
      return signalPassFailure();
    for (unsigned i = 0, e = kernel.getNumOperandSpecs(); i < e; ++i)
      if (failed(checkOperand(*chosen, kernel, i)))
        return signalPassFailure();
    if (failed(checkScratch(*chosen, kernel)))
      return signalPassFailure();

    auto &access = getAnalysis<BlockAccess>();
    for (unsigned i = kernel.getNumIndexOperands(),
                  e = kernel.getNumOperandSpecs();
         i < e; ++i) {
      if (failed(checkBlocksMeetArray(*chosen, access, i)))
        return signalPassFailure();
      bool mayOverhang = llvm::any_of(
          llvm::seq<unsigned>(0, kernel.getOperandSpec(i).getRank()),
          [&](unsigned dim) {
            return access.overhangs(i, dim).kind != QueryResult::no;
          });
      if (!mayOverhang)
        continue;
      ++numOverhanging;
      remark::analysis(
          kernel.getBodyBlock()->getArgument(i).getLoc(),
          remark::RemarkOpts::name("overhang").category(getArgument()))
          << "blocks of " + kernel.getOperandName(i) +
                 " may overhang the array";
    }
    markAllAnalysesPreserved();
  }
};

} // namespace
