//===- StageOperands.cpp - Values that matrix units read in shared memory -===//
//
// Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dialects/Warpgroup/Transforms/Passes.h"

#include "dialects/Warpgroup/IR/Warpgroup.h"
#include "dialects/Warpgroup/Transforms/BlockProgram.h"
#include "dialects/Warpgroup/Transforms/MatrixUnits.h"

namespace gridir::warpgroup {
#define GEN_PASS_DEF_WARPGROUPSTAGEOPERANDSPASS
#include "dialects/Warpgroup/Transforms/Passes.h.inc"
} // namespace gridir::warpgroup

using namespace mlir;
using namespace gridir;
using namespace gridir::grid;
using namespace gridir::warpgroup;

namespace {

class WarpgroupStageOperandsPass
    : public warpgroup::impl::WarpgroupStageOperandsPassBase<
          WarpgroupStageOperandsPass> {
public:
  using WarpgroupStageOperandsPassBase::WarpgroupStageOperandsPassBase;

  void runOnOperation() override {
    KernelOp kernel = getOperation();
    if (!kernel->hasAttr(kScheduleAttr))
      return markAllAnalysesPreserved();
    SmallVector<OpOperand *> staged;
    kernel.getBodyRegion().walk([&](DotOp dot) {
      if (!getContracted(dot))
        return;
      for (OpOperand *operand : {&dot.getLhsMutable(), &dot.getRhsMutable()}) {
        auto load = operand->get().getDefiningOp<LoadOp>();
        if (getPlace(*operand) == OperandPlace::Staged &&
            !(load && isStaged(load)))
          staged.push_back(operand);
      }
    });
    // Values of an earlier kernel are gone.
    loads.clear();
    for (OpOperand *operand : staged)
      stage(*operand);
  }

private:
  /// Lets a contraction read its operand in scratch. Each value is stored once,
  /// where it is computed.
  void stage(OpOperand &operand) {
    Value value = operand.get();
    Value &staged = loads[value];
    if (!staged) {
      KernelOp kernel = getOperation();
      Location loc = value.getLoc();
      auto type = cast<RankedTensorType>(value.getType());
      Value ref = kernel.addScratchRef(
          MemRefType::get(
              type.getShape(), type.getElementType(),
              MemRefLayoutAttrInterface(),
              warpgroup::SpaceAttr::get(&getContext(), warpgroup::Space::Smem)),
          loc, /*origin=*/"staged");
      OpBuilder builder(&getContext());
      builder.setInsertionPointAfterValue(value);
      StoreOp::create(builder, loc, value, ref, /*mask=*/Value());
      staged = LoadOp::create(builder, loc, type, ref, /*mask=*/Value(),
                              /*other=*/Value());
      ++numStaged;
    }
    operand.set(staged);
  }

  llvm::DenseMap<Value, Value> loads;
};

} // namespace
