//===- AssignTensorMemory.cpp - Accumulators in tensor memory -------------===//
//
// Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dialects/Warpgroup/Transforms/Passes.h"

#include "dialects/GPU/Target/GPUTarget.h"
#include "dialects/Support/Builders.h"
#include "dialects/Warpgroup/IR/Warpgroup.h"
#include "dialects/Warpgroup/Transforms/BlockProgram.h"
#include "dialects/Warpgroup/Transforms/MatrixUnits.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/Dominance.h"
#include "mlir/IR/Remarks.h"

namespace gridir::warpgroup {
#define GEN_PASS_DEF_WARPGROUPASSIGNTENSORMEMORYPASS
#include "dialects/Warpgroup/Transforms/Passes.h.inc"
} // namespace gridir::warpgroup

using namespace mlir;
using namespace gridir;
using namespace gridir::grid;
using namespace gridir::warpgroup;

namespace {

class WarpgroupAssignTensorMemoryPass
    : public warpgroup::impl::WarpgroupAssignTensorMemoryPassBase<
          WarpgroupAssignTensorMemoryPass> {
public:
  using WarpgroupAssignTensorMemoryPassBase::
      WarpgroupAssignTensorMemoryPassBase;

  void runOnOperation() override {
    KernelOp kernel = getOperation();
    if (!kernel->hasAttr(kScheduleAttr))
      return markAllAnalysesPreserved();
    FailureOr<gpu::Chip> known = gpu::getChip(chip, kernel.getLoc());
    if (failed(known))
      return signalPassFailure();
    SmallVector<DotOp> dots;
    kernel.getBodyRegion().walk([&](DotOp dot) { dots.push_back(dot); });
    if (dots.empty() || !known->hasTensorMemory)
      return markAllAnalysesPreserved();
    // Results of other units are in other threads.
    for (DotOp dot : dots)
      if (!fitsTensorMemory(dot, *known))
        return refuse(dot, "a matrix unit reads an operand of a contraction "
                           "in registers, or has other sizes");
    llvm::for_each(dots, reloadSum);
    int64_t columns = countColumns(dots);
    if (columns > gpu::kTensorColumns)
      return refuse(dots.front(),
                    "tensor memory has " + Twine(gpu::kTensorColumns) +
                        " columns, and the accumulators " + Twine(columns));
    for (DotOp dot : dots)
      place(dot);
  }

private:
  void refuse(DotOp dot, const Twine &reason) {
    remark::missed(
        dot.getLoc(),
        remark::RemarkOpts::name("accumulators").category(getArgument()))
        << "accumulators are in registers, since " << reason.str();
  }

  /// Lets the uses of a sum that follow a store of it load it from there, so
  /// that the store is its only use.
  static void reloadSum(DotOp dot) {
    std::optional<ContractionSum> match = matchSum(dot);
    Operation *sum = match ? match->op.getOperation() : dot.getOperation();
    Value addend = match ? match->addend : dot.getAcc();
    auto old = addend ? addend.getDefiningOp<LoadOp>() : LoadOp();
    if (!old)
      return;
    for (Operation *user : sum->getUsers()) {
      auto store = dyn_cast<StoreOp>(user);
      if (!store || store.getMask() || store.getRef() != old.getRef() ||
          store.getValue() != sum->getResult(0))
        continue;
      auto follows = [&](OpOperand &use) {
        return DominanceInfo().properlyDominates(store, use.getOwner());
      };
      if (llvm::none_of(sum->getUses(), follows))
        return;
      OpBuilder builder(store);
      builder.setInsertionPointAfter(store);
      Value loaded = createLoad(builder, sum, old.getRef());
      return sum->getResult(0).replaceUsesWithIf(loaded, follows);
    }
  }

  /// The columns of all accumulators of a CTA. Contractions that add to one
  /// Ref share it.
  int64_t countColumns(ArrayRef<DotOp> dots) {
    KernelOp kernel = getOperation();
    int64_t warpgroups = 1, columns = 0;
    for (unsigned dim : llvm::seq(kernel.getRank()))
      if (kernel.getDim(dim).getKind() == DimKind::Thread)
        warpgroups *= kernel.getDim(dim).getSize();
    llvm::SmallPtrSet<Value, 4> counted;
    for (DotOp dot : dots) {
      auto type = cast<RankedTensorType>(dot.getType());
      BlockArgument ref = findRef(dot);
      if (ref && !counted.insert(ref).second)
        continue;
      columns += type.getDimSize(1) * type.getDimSize(0) / kTensorRows;
    }
    return columns * warpgroups;
  }

  /// Moves the accumulator of a contraction to tensor memory.
  void place(DotOp dot) {
    ++numAccumulators;
    if (BlockArgument ref = findRef(dot))
      return move(ref);
    auto type = cast<RankedTensorType>(dot.getType());
    Value ref = getOperation().addScratchRef(getType(type), dot.getLoc(),
                                             /*origin=*/"accumulator");
    auto [sum, addend] = findReplacedSum(dot);
    if (!addend)
      return replace(dot, ref);
    if (carry(addend, sum, ref))
      return;
    OpBuilder builder(dot);
    StoreOp::create(builder, dot.getLoc(), addend, ref, /*mask=*/Value());
    sum->replaceUsesOfWith(addend, createLoad(builder, sum, ref));
    replace(sum, ref);
  }

  /// The scratch that is the accumulator of a contraction, or the output, if it
  /// is written after the last step; null if there is neither.
  BlockArgument findRef(DotOp dot) {
    KernelOp kernel = getOperation();
    std::optional<Accumulator> acc = matchAccumulator(dot);
    auto ref = acc ? dyn_cast<BlockArgument>(acc->ref) : BlockArgument();
    if (!ref || ref.getOwner() != kernel.getBodyBlock())
      return {};
    if (ref.getArgNumber() >= kernel.getNumOperandSpecs())
      return isAccessedInParts(ref) ? BlockArgument() : ref;
    return llvm::is_contained(findCarriedOutputs(kernel), ref.getArgNumber())
               ? ref
               : BlockArgument();
  }

  void move(BlockArgument ref) {
    KernelOp kernel = getOperation();
    MemRefType type = getType(cast<MemRefType>(ref.getType()));
    if (ref.getArgNumber() >= kernel.getNumOperandSpecs())
      return ref.setType(type);
    Value scratch =
        kernel.addScratchRef(type, ref.getLoc(), /*origin=*/"accumulator");
    ref.replaceAllUsesWith(scratch);
    OpBuilder builder(kernel.getBodyBlock()->getTerminator());
    auto branch = scf::IfOp::create(builder, ref.getLoc(),
                                    createIsLast(builder, ref.getLoc()),
                                    /*withElseRegion=*/false);
    builder.setInsertionPointToStart(branch.thenBlock());
    auto array = RankedTensorType::get(type.getShape(), type.getElementType());
    Value result = LoadOp::create(builder, ref.getLoc(), array, scratch,
                                  /*mask=*/Value(), /*other=*/Value());
    StoreOp::create(builder, ref.getLoc(), result, ref, /*mask=*/Value());
  }

  /// True in the last step of a program.
  Value createIsLast(OpBuilder &builder, Location loc) {
    KernelOp kernel = getOperation();
    Value all;
    for (unsigned dim : llvm::seq(kernel.getRank())) {
      if (!isSequential(kernel, dim))
        continue;
      Value id = ProgramIdOp::create(builder, loc, builder.getI32Type(),
                                     builder.getI64IntegerAttr(dim));
      Value last = createI32(builder, loc, kernel.getDim(dim).getSize() - 1);
      Value isLast = arith::CmpIOp::create(builder, loc,
                                           arith::CmpIPredicate::eq, id, last);
      all = all ? arith::AndIOp::create(builder, loc, all, isLast).getResult()
                : isLast;
    }
    return all;
  }

  /// A Ref type in tensor memory for the elements of an array.
  MemRefType getType(ShapedType type) {
    return MemRefType::get(
        type.getShape(), type.getElementType(), MemRefLayoutAttrInterface(),
        MemorySpaceAttr::get(&getContext(), MemorySpace::GpuTmem));
  }

  static Value createLoad(OpBuilder &builder, Operation *of, Value ref) {
    return LoadOp::create(builder, of->getLoc(), of->getResult(0).getType(),
                          ref, /*mask=*/Value(), /*other=*/Value());
  }

  /// Lets the uses of a result load it from the Ref.
  static void replace(Operation *op, Value ref) {
    Value result = op->getResult(0);
    OpBuilder builder(op);
    builder.setInsertionPointAfter(op);
    auto store = StoreOp::create(builder, op->getLoc(), result, ref,
                                 /*mask=*/Value());
    Value loaded = createLoad(builder, op, ref);
    result.replaceAllUsesExcept(loaded, store);
  }

  /// If a loop carries the sum, the Ref has it before, in and after the loop.
  static bool carry(Value addend, Operation *sum, Value ref) {
    auto carried = dyn_cast<BlockArgument>(addend);
    auto loop = carried
                    ? dyn_cast<scf::ForOp>(carried.getOwner()->getParentOp())
                    : scf::ForOp();
    if (!loop || !carried.hasOneUse() || sum->getBlock() != loop.getBody() ||
        !sum->hasOneUse() || carried == loop.getInductionVar())
      return false;
    unsigned number = carried.getArgNumber() - loop.getNumInductionVars();
    if (loop.getYieldedValues()[number] != sum->getResult(0))
      return false;
    OpBuilder builder(loop);
    StoreOp::create(builder, sum->getLoc(), loop.getInitArgs()[number], ref,
                    /*mask=*/Value());
    builder.setInsertionPoint(sum);
    Value old = createLoad(builder, sum, ref);
    sum->replaceUsesOfWith(addend, old);
    builder.setInsertionPointAfter(sum);
    loop.getBody()->getTerminator()->setOperand(number, carried);
    StoreOp::create(builder, sum->getLoc(), sum->getResult(0), ref,
                    /*mask=*/Value());
    builder.setInsertionPointAfter(loop);
    loop.getResult(number).replaceAllUsesWith(createLoad(builder, sum, ref));
    return true;
  }
};

} // namespace
