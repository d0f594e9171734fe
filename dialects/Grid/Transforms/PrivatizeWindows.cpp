//===- PrivatizeWindows.cpp - Give programs private windows ---------------===//
//
// Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dialects/Grid/Transforms/Passes.h"

#include "dialects/Grid/Analysis/CarriedState.h"
#include "dialects/Grid/Analysis/GridParallelism.h"
#include "dialects/Grid/Analysis/InputSharing.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/Remarks.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/InterleavedRange.h"

namespace gridir::grid {
#define GEN_PASS_DEF_GRIDPRIVATIZEWINDOWSPASS
#include "dialects/Grid/Transforms/Passes.h.inc"
} // namespace gridir::grid

using namespace mlir;
using namespace gridir::grid;

/// True if the program signals another core about memory through `ref`.
static bool isSeenByOthers(Value ref) {
  return llvm::any_of(ref.getUsers(), [&](Operation *user) {
    if (auto program = dyn_cast<ProgramOpInterface>(user))
      return program.meetsOtherPrograms();
    // A view of any dialect.
    return llvm::any_of(user->getResults(), [](Value result) {
      return isa<MemRefType>(result.getType()) && isSeenByOthers(result);
    });
  });
}

namespace {

class GridPrivatizeWindowsPass
    : public gridir::grid::impl::GridPrivatizeWindowsPassBase<
          GridPrivatizeWindowsPass> {
public:
  using GridPrivatizeWindowsPassBase::GridPrivatizeWindowsPassBase;

  void runOnOperation() override {
    KernelOp kernel = getOperation();
    SmallVector<DimSemantics> claims = getClaimedSemantics(kernel);
    if (llvm::none_of(claims, isParallel))
      return markAllAnalysesPreserved();
    auto &access = getAnalysis<BlockAccess>();
    bool isChanged = false;
    unsigned firstOutput = kernel.getNumIndexOperands() + kernel.getNumInputs();
    for (unsigned operand = firstOutput, e = kernel.getNumOperandSpecs();
         operand < e; ++operand) {
      BlockArgument ref = kernel.getBodyBlock()->getArgument(operand);
      // A window that is never read serves only its array, and every program
      // writes a window that it copies in and out.
      bool isRead = false, isCopied = false;
      for (const ArrayAccess &next : access.getAccesses()) {
        isRead |= next.operand == operand && next.reads;
        isCopied |= next.operand == operand && next.isCopied;
      }
      if (!isRead || isCopied || !hasWindows(kernel, operand) ||
          isSeenByOthers(ref) || access.getAliasSet(operand).size() != 1)
        continue;
      isChanged |= privatize(access, ref, claims);
    }
    if (!isChanged)
      markAllAnalysesPreserved();
  }

private:
  /// True if the operand needed windows and has them now.
  bool privatize(BlockAccess &access, BlockArgument ref,
                 ArrayRef<DimSemantics> claims) {
    KernelOp kernel = getOperation();
    unsigned operand = ref.getArgNumber();
    auto isTrivial = [&](unsigned dim) {
      return kernel.getDim(dim).getSize() == 1;
    };
    SmallVector<unsigned> shared, run;
    for (unsigned dim = 0; dim < kernel.getRank(); ++dim)
      if (isParallel(claims[dim]) && !isTrivial(dim) &&
          !access.isIndexedBy(operand, dim))
        shared.push_back(dim);
    if (shared.empty())
      return false;
    // The window is the same while only ids along the innermost dimensions
    // change that neither its index map nor the dimension semantics tell apart.
    for (unsigned dim = kernel.getRank(); dim-- > 0;) {
      if (isTrivial(dim))
        continue;
      if (isParallel(claims[dim]) || access.isIndexedBy(operand, dim))
        break;
      run.push_back(dim);
    }
    if (!beginsAnew(kernel, ref, run))
      return false;

    remark::passed(ref.getLoc(),
                   remark::RemarkOpts::name("window").category(getArgument()))
        << llvm::formatv(
               "{0} has a window for each program along dimension {1}",
               kernel.getOperandName(operand), llvm::interleaved(shared))
               .str();
    BlockArgument window =
        kernel.addScratchRef(cast<MemRefType>(ref.getType()), ref.getLoc(),
                             kernel.getOperandName(operand));
    ref.replaceAllUsesWith(window);
    llvm::append_range(shared, run);
    createWriteBack(window, ref, shared);
    ++numPrivatized;
    return true;
  }

  /// Writes the window to its array in the programs that are the last ones
  /// along some dimensions.
  void createWriteBack(Value window, Value ref, ArrayRef<unsigned> dims) {
    KernelOp kernel = getOperation();
    Location loc = ref.getLoc();
    OpBuilder builder(kernel.getBodyBlock()->getTerminator());
    Value last;
    for (unsigned dim : dims) {
      auto axis = builder.getI64IntegerAttr(dim);
      Type i32 = builder.getI32Type();
      Value id = ProgramIdOp::create(builder, loc, i32, axis);
      Value count = NumProgramsOp::create(builder, loc, i32, axis);
      Value one =
          arith::ConstantOp::create(builder, loc, builder.getI32IntegerAttr(1));
      Value end = arith::SubIOp::create(builder, loc, count, one);
      Value is = arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::eq,
                                       id, end);
      last = last ? arith::AndIOp::create(builder, loc, last, is) : is;
    }
    auto branch = scf::IfOp::create(builder, loc, last);
    builder.setInsertionPointToStart(branch.thenBlock());
    auto type = cast<MemRefType>(ref.getType());
    Type value = type.getElementType();
    if (type.getRank() != 0)
      value = RankedTensorType::get(type.getShape(), value);
    Value all = LoadOp::create(builder, loc, value, window, /*mask=*/Value(),
                               /*other=*/Value());
    StoreOp::create(builder, loc, all, ref, /*mask=*/Value());
  }
};

} // namespace
