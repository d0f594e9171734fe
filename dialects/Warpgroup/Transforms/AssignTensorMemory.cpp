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
    for (DotOp dot : dots) {
      storeAddend(dot);
      reloadSum(dot);
    }
    int64_t columns = countColumns(dots);
    if (columns > gpu::kTensorColumns)
      return refuse(dots.front(), "tensor memory has " +
                                      Twine(gpu::kTensorColumns) +
                                      " columns, and the accumulators and "
                                      "left operands " +
                                      Twine(columns));
    // Values of an earlier kernel are gone.
    operands.clear();
    for (DotOp dot : dots) {
      placeOperand(dot);
      place(dot);
    }
    remark::passed(
        dots.front().getLoc(),
        remark::RemarkOpts::name("accumulators").category(getArgument()))
        << "accumulators and left operands in registers are in " +
               std::to_string(columns) + " columns of tensor memory";
  }

private:
  void refuse(DotOp dot, const Twine &reason) {
    remark::missed(
        dot.getLoc(),
        remark::RemarkOpts::name("accumulators").category(getArgument()))
        << "accumulators are in registers, since " << reason.str();
  }

  /// Collects the ops that change an old value before a contraction adds to it,
  /// such as a rescaling: elementwise ops, whose results only the sum and other
  /// such ops use. Fails if other ops use the value, or if the ops cannot
  /// precede the contraction.
  static LogicalResult collectUpdate(Value old, Operation *sum, DotOp dot,
                                     SmallVectorImpl<Operation *> &ops) {
    DominanceInfo dominance;
    llvm::SetVector<Operation *> found;
    SmallVector<Value> values{old};
    while (!values.empty())
      for (Operation *user : values.pop_back_val().getUsers()) {
        if (user == sum || found.contains(user))
          continue;
        if (user->getBlock() != dot->getBlock() || !isPure(user) ||
            !user->hasTrait<OpTrait::Elementwise>() ||
            user->getNumResults() != 1)
          return failure();
        found.insert(user);
        values.push_back(user->getResult(0));
      }
    for (Operation *op : found)
      for (Value operand : op->getOperands())
        if (operand != old && !found.contains(operand.getDefiningOp()) &&
            !dominance.properlyDominates(operand, dot))
          return failure();
    ops.assign(found.begin(), found.end());
    llvm::sort(
        ops, [](Operation *a, Operation *b) { return a->isBeforeInBlock(b); });
    return success();
  }

  /// Lets the sum of a contraction and an updated value add to the Ref, which
  /// has the updated value before. The update is the last before the
  /// contraction, when fewer other values are live.
  static void storeUpdate(ArrayRef<Operation *> update, DotOp dot,
                          Operation *sum, Value addend, Value ref) {
    for (Operation *op : update)
      op->moveBefore(dot);
    OpBuilder builder(dot);
    StoreOp::create(builder, sum->getLoc(), addend, ref, /*mask=*/Value());
    sum->replaceUsesOfWith(addend, createLoad(builder, sum, ref));
  }

  /// The op that adds to the result of a contraction, or that is it, and the
  /// value to which it adds; null for none.
  static ReplacedSum getSum(DotOp dot) {
    if (std::optional<ContractionSum> match = matchSum(dot))
      return {match->op, match->addend};
    return {dot, dot.getAcc()};
  }

  /// If the body stores a sum to the Ref whose old value it updates and adds
  /// to, it stores the updated value there before the contraction.
  void storeAddend(DotOp dot) {
    auto [sum, addend] = getSum(dot);
    if (!addend)
      return;
    for (Operation *user : sum->getUsers()) {
      auto store = dyn_cast<StoreOp>(user);
      if (!store || store.getMask() || store.getValue() != sum->getResult(0) ||
          !isAccumulator(store.getRef()))
        continue;
      for (Operation *other : store.getRef().getUsers()) {
        auto load = dyn_cast<LoadOp>(other);
        SmallVector<Operation *> update;
        if (!load || load.getMask() || load->getBlock() != dot->getBlock() ||
            !isUntouched(store.getRef(), load, store) ||
            failed(collectUpdate(load, sum, dot, update)) || update.empty())
          continue;
        if (dot->isBeforeInBlock(load))
          continue;
        load->moveBefore(dot);
        return storeUpdate(update, dot, sum, addend, store.getRef());
      }
    }
  }

  /// Lets the uses of a sum that follow a store of it load it from there, so
  /// that the store is its only use.
  static void reloadSum(DotOp dot) {
    auto [sum, addend] = getSum(dot);
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

  /// The columns of all accumulators and left operands of a CTA. Contractions
  /// that add to one Ref share it, and so do those that read one value.
  int64_t countColumns(ArrayRef<DotOp> dots) {
    KernelOp kernel = getOperation();
    int64_t warpgroups = 1, columns = 0;
    for (unsigned dim : llvm::seq(kernel.getRank()))
      if (kernel.getDim(dim).getKind() == DimKind::Thread)
        warpgroups *= kernel.getDim(dim).getSize();
    llvm::SmallPtrSet<Value, 4> counted;
    for (DotOp dot : dots) {
      if (isInRegisters(dot) && counted.insert(dot.getLhs()).second) {
        auto lhs = cast<RankedTensorType>(dot.getLhs().getType());
        columns += lhs.getDimSize(1) * lhs.getElementTypeBitWidth() / 32;
      }
      auto type = cast<RankedTensorType>(dot.getType());
      BlockArgument ref = findRef(dot);
      if (ref && !counted.insert(ref).second)
        continue;
      columns += type.getDimSize(1) * type.getDimSize(0) / kTensorRows;
    }
    return columns * warpgroups;
  }

  /// True if a contraction has a left operand that is not in shared memory.
  bool isInRegisters(DotOp dot) {
    return !getSharedLoad(dot.getLhs(), getOperation());
  }

  /// Lets a contraction read its left operand in tensor memory, where the body
  /// stores it once it is computed.
  void placeOperand(DotOp dot) {
    if (!isInRegisters(dot))
      return;
    Value value = dot.getLhs();
    Value &loaded = operands[value];
    if (!loaded) {
      ++numOperands;
      Location loc = value.getLoc();
      auto type = cast<RankedTensorType>(value.getType());
      Value ref = getOperation().addScratchRef(getType(type), loc,
                                               /*origin=*/"operand");
      OpBuilder builder(&getContext());
      builder.setInsertionPointAfterValue(value);
      StoreOp::create(builder, loc, value, ref, /*mask=*/Value());
      loaded = LoadOp::create(builder, loc, type, ref, /*mask=*/Value(),
                              /*other=*/Value());
    }
    dot.getLhsMutable().assign(loaded);
  }

  /// Moves the accumulator of a contraction to tensor memory.
  void place(DotOp dot) {
    ++numAccumulators;
    if (BlockArgument ref = findRef(dot))
      return move(ref);
    auto type = cast<RankedTensorType>(dot.getType());
    Value ref = getOperation().addScratchRef(getType(type), dot.getLoc(),
                                             /*origin=*/"accumulator");
    if (carry(dot, ref))
      return;
    auto [sum, addend] = findReplacedSum(dot);
    if (!addend)
      return replace(dot, ref);
    OpBuilder builder(dot);
    StoreOp::create(builder, dot.getLoc(), addend, ref, /*mask=*/Value());
    sum->replaceUsesOfWith(addend, createLoad(builder, sum, ref));
    replace(sum, ref);
  }

  /// The Ref that is the accumulator of a contraction; null if there is none.
  BlockArgument findRef(DotOp dot) {
    std::optional<Accumulator> acc = matchAccumulator(dot);
    return acc && isAccumulator(acc->ref) ? cast<BlockArgument>(acc->ref)
                                          : BlockArgument();
  }

  /// True for scratch that can be in tensor memory, and for an output that is
  /// written after the last step.
  bool isAccumulator(Value value) {
    KernelOp kernel = getOperation();
    auto ref = dyn_cast<BlockArgument>(value);
    if (!ref || ref.getOwner() != kernel.getBodyBlock())
      return false;
    if (ref.getArgNumber() >= kernel.getNumOperandSpecs())
      return !isAccessedInParts(ref);
    return llvm::is_contained(findCarriedOutputs(kernel), ref.getArgNumber());
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
        warpgroup::SpaceAttr::get(&getContext(), warpgroup::Space::Tmem));
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
  static bool carry(DotOp dot, Value ref) {
    auto [sum, addend] = getSum(dot);
    auto loop = dyn_cast<scf::ForOp>(sum->getParentOp());
    if (!addend || !loop || !sum->hasOneUse() ||
        *sum->user_begin() != loop.getBody()->getTerminator())
      return false;
    unsigned number = sum->use_begin()->getOperandNumber();
    BlockArgument carried = loop.getRegionIterArg(number);
    SmallVector<Operation *> update;
    if (carried.use_empty() || failed(collectUpdate(carried, sum, dot, update)))
      return false;
    OpBuilder builder(loop);
    StoreOp::create(builder, sum->getLoc(), loop.getInitArgs()[number], ref,
                    /*mask=*/Value());
    // A contraction before the loop has no update in it.
    builder.setInsertionPoint(update.empty() ? sum : dot.getOperation());
    Value old = createLoad(builder, sum, ref);
    carried.replaceAllUsesWith(old);
    if (!update.empty())
      storeUpdate(update, dot, sum, addend, ref);
    builder.setInsertionPointAfter(sum);
    loop.getBody()->getTerminator()->setOperand(number, carried);
    StoreOp::create(builder, sum->getLoc(), sum->getResult(0), ref,
                    /*mask=*/Value());
    builder.setInsertionPointAfter(loop);
    loop.getResult(number).replaceAllUsesWith(createLoad(builder, sum, ref));
    return true;
  }

  /// Left operands that are stored in tensor memory, as loads.
  llvm::DenseMap<Value, Value> operands;
};

} // namespace
