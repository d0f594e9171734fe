//===- InferDimensionSemantics.cpp - Find the parallel dimensions ---------===//
//
// Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dialects/Grid/Transforms/Passes.h"

#include "dialects/Grid/Analysis/BlockTest.h"
#include "dialects/Grid/Analysis/GridParallelism.h"
#include "dialects/Grid/Analysis/TaskPrograms.h"
#include "mlir/IR/Remarks.h"

namespace gridir::grid {
#define GEN_PASS_DEF_GRIDINFERDIMENSIONSEMANTICSPASS
#include "dialects/Grid/Transforms/Passes.h.inc"
} // namespace gridir::grid

using namespace mlir;
using namespace gridir::grid;

/// The dimension as the kernel author specified it.
static std::string describeDim(KernelOp kernel, unsigned dim) {
  std::string text = "dimension " + std::to_string(dim);
  if (StringAttr name = kernel.getDim(dim).getName())
    text += " (" + name.str() + ")";
  return text;
}

namespace {

class GridInferDimensionSemanticsPass
    : public gridir::grid::impl::GridInferDimensionSemanticsPassBase<
          GridInferDimensionSemanticsPass> {
public:
  using GridInferDimensionSemanticsPassBase::
      GridInferDimensionSemanticsPassBase;

  void runOnOperation() override {
    KernelOp kernel = getOperation();
    // Kernels that run as tasks keep their dimension semantics.
    if (kernel.getRank() == 0 || getTasks(kernel))
      return markAllAnalysesPreserved();
    SmallVector<DimSemantics> claims = getClaimedSemantics(kernel);
    auto &access = getAnalysis<BlockAccess>();
    SmallVector<DimVerdict> verdicts = analyzeParallelism(access);
    if (access.writesPrefetched()) {
      SmallVector<DimVerdict> own =
          analyzeParallelism(access, /*ownState=*/true);
      for (unsigned dim = 0; dim < kernel.getRank(); ++dim)
        if (isParallel(claims[dim]) &&
            verdicts[dim].kind != DimVerdict::proved &&
            own[dim].kind == DimVerdict::proved) {
          verdicts[dim] = own[dim];
          kernel->setAttr(kOwnStateAttrName, UnitAttr::get(&getContext()));
        }
    }
    if (testBlocks)
      leaveToCalls(kernel, claims, verdicts);
    SmallVector<Attribute> semantics;
    for (unsigned dim = 0; dim < kernel.getRank(); ++dim)
      semantics.push_back(DimSemanticsAttr::get(
          &getContext(), decide(kernel, dim, claims[dim], verdicts[dim])));
    kernel.setSemanticsAttr(ArrayAttr::get(&getContext(), semantics));
    markAnalysesPreserved<BlockAccess>();
  }

private:
  /// A claim about blocks that only a call knows is tested by each call.
  void leaveToCalls(KernelOp kernel, ArrayRef<DimSemantics> claims,
                    ArrayRef<DimVerdict> verdicts) {
    BlockTest test;
    llvm::SmallSetVector<unsigned, 4> operands;
    for (unsigned dim = 0; dim < kernel.getRank(); ++dim)
      if (isParallel(claims[dim]) &&
          verdicts[dim].kind == DimVerdict::testable) {
        test.dims.push_back(dim);
        operands.insert_range(verdicts[dim].tested);
      }
    test.operands = operands.takeVector();
    if (!test.dims.empty())
      setBlockTest(kernel, test);
  }

  DimSemantics decide(KernelOp kernel, unsigned dim, DimSemantics claim,
                      const DimVerdict &verdict) {
    auto opts = remark::RemarkOpts::name("dimension").category(getArgument());
    std::string name = describeDim(kernel, dim);
    if (verdict.kind == DimVerdict::proved) {
      ++numProved;
      remark::passed(kernel.getLoc(), opts) << name + " is parallel";
      return isParallel(claim) ? claim : DimSemantics::Parallel;
    }
    bool isRefuted = verdict.kind == DimVerdict::refuted;
    remark::missed(kernel.getLoc(), opts)
        << name +
               (isRefuted ? " is not parallel: "
                          : " is not proved parallel: ") +
               verdict.reason;
    if (!isParallel(claim))
      return claim;
    if (testBlocks && verdict.kind == DimVerdict::testable) {
      ++numTested;
      return DimSemantics::Arbitrary;
    }
    ++(isRefuted ? numRefuted : numDropped);
    InFlightDiagnostic diagnostic =
        kernel.emitRemark()
        << name << " is declared " << stringifyDimSemantics(claim)
        << ", but its programs " << (isRefuted ? "depend" : "may depend")
        << " on their order";
    diagnostic.attachNote(verdict.loc.value_or(kernel.getLoc()))
        << verdict.reason;
    if (verdict.writtenAt)
      diagnostic.attachNote(*verdict.writtenAt) << "it is written here";
    return DimSemantics::Arbitrary;
  }
};

} // namespace
