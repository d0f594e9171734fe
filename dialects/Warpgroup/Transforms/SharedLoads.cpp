//===- SharedLoads.cpp - Loads that copies can precede --------------------===//
//
// Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dialects/Warpgroup/Transforms/SharedLoads.h"

#include "dialects/Grid/Analysis/InputSharing.h"
#include "dialects/Grid/IR/IndexMaps.h"
#include "dialects/Support/Divisors.h"
#include "dialects/Warpgroup/IR/Warpgroup.h"
#include "dialects/Warpgroup/Transforms/BlockProgram.h"
#include "dialects/Warpgroup/Transforms/MatrixUnits.h"
#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;
using namespace gridir;
using namespace gridir::warpgroup;

/// True for the induction variable of a loop or of one around it.
static bool isInductionVar(Value value, scf::ForOp loop) {
  for (; loop; loop = dyn_cast<scf::ForOp>(loop->getParentOp()))
    if (value == loop.getInductionVar())
      return true;
  return false;
}

/// True if nothing in a call changes an input.
static bool isConstantInput(BlockArgument ref, grid::KernelOp kernel) {
  // The kernel may have got a new body.
  unsigned number = ref.getArgNumber(), first = kernel.getNumIndexOperands();
  if (ref.getOwner()->getParentOp() != kernel || number < first ||
      number >= first + kernel.getNumInputs() ||
      llvm::any_of(
          kernel.getAliasPairs(),
          [&](auto pair) {
            return static_cast<unsigned>(pair.first) == number;
          }))
    return false;
  SmallVector<Value> views{ref};
  while (!views.empty())
    for (Operation *user : views.pop_back_val().getUsers())
      if (isa<grid::SliceRefOp>(user))
        views.push_back(user->getResult(0));
      else if (!isa<grid::LoadOp>(user))
        return false;
  return true;
}

/// Collects the chain of windows that leads to a Ref, and their offsets, if it
/// begins with an input that does not change.
static LogicalResult collectWindows(Value ref, scf::ForOp loop,
                                    llvm::SetVector<Operation *> &ops) {
  if (auto argument = dyn_cast<BlockArgument>(ref)) {
    auto kernel = dyn_cast<grid::KernelOp>(argument.getOwner()->getParentOp());
    return success(kernel && isConstantInput(argument, kernel));
  }
  auto slice = ref.getDefiningOp<grid::SliceRefOp>();
  if (!slice || failed(collectWindows(slice.getSource(), loop, ops)) ||
      failed(collectComputation(slice.getOffsets(), loop, ops)))
    return failure();
  ops.insert(slice);
  return success();
}

LogicalResult
gridir::warpgroup::collectComputation(ValueRange values, scf::ForOp loop,
                                      llvm::SetVector<Operation *> &ops) {
  for (Value value : values) {
    if (isInductionVar(value, loop))
      continue;
    Operation *op = value.getDefiningOp();
    if (op && ops.contains(op))
      continue;
    bool isScalarOp = op && op->getNumRegions() == 0 &&
                      llvm::all_of(op->getResultTypes(), [](Type type) {
                        return type.isIntOrIndex();
                      });
    if (auto load = dyn_cast_if_present<grid::LoadOp>(op);
        load && isScalarOp && !load.getMask()) {
      if (failed(collectWindows(load.getRef(), loop, ops)))
        return failure();
      ops.insert(load);
      continue;
    }
    if (!isScalarOp ||
        !(isa<grid::ProgramIdOp, grid::NumProgramsOp>(op) ||
          isa_and_nonnull<arith::ArithDialect>(op->getDialect())) ||
        failed(collectComputation(op->getOperands(), loop, ops)))
      return failure();
    ops.insert(op);
  }
  return success();
}

/// True if the producer can repeat a loop and those around it. Of a nest, only
/// the number of iterations of the outermost loop may depend on the program or
/// on data, and only if a program has one step: stages are counted.
static bool canIssueAhead(scf::ForOp loop, grid::KernelOp kernel) {
  auto around = dyn_cast<scf::ForOp>(loop->getParentOp());
  llvm::SetVector<Operation *> ops;
  if (failed(collectComputation(
          {loop.getLowerBound(), loop.getUpperBound(), loop.getStep()}, around,
          ops)))
    return false;
  if (around)
    return loop.getStaticTripCount() && canIssueAhead(around, kernel);
  return loop->getBlock() == kernel.getBodyBlock() &&
         (loop.getStaticTripCount() ||
          llvm::none_of(llvm::seq(kernel.getRank()), [&](unsigned dim) {
            return isSequential(kernel, dim);
          }));
}

std::optional<SharedLoad>
gridir::warpgroup::matchSharedLoad(grid::LoadOp load) {
  // Strides of a tensor map are multiples of 16 bytes, and it has 5 dimensions.
  constexpr int64_t strideBits = 16 * 8, maxRank = 5;
  auto kernel = load->getParentOfType<grid::KernelOp>();
  auto window = load.getRef().getDefiningOp<grid::SliceRefOp>();
  auto ref =
      dyn_cast<BlockArgument>(window ? window.getSource() : load.getRef());
  if (!kernel || load.getMask() || !ref ||
      !llvm::is_contained(kernel.getInputRefs(), ref))
    return std::nullopt;
  grid::OperandAttr spec = kernel.getOperandSpec(ref.getArgNumber());
  SmallVector<int64_t> array = spec.getArrayShape();
  auto type = cast<MemRefType>(load.getRef().getType());
  if (type.getRank() != 2 || !type.getElementType().isIntOrFloat() ||
      static_cast<int64_t>(array.size()) > maxRank ||
      spec.getBlockDims().back().isSqueezed() ||
      (window &&
       llvm::is_contained(window.getDropped(), window.getSizes().size() - 1)))
    return std::nullopt;
  int64_t bits = type.getElementTypeBitWidth();
  if (bits < 8 || !fitsRows(type.getDimSize(0), type.getDimSize(1), bits) ||
      array.back() * bits % strideBits != 0)
    return std::nullopt;
  SharedLoad found{ref.getArgNumber() - kernel.getNumIndexOperands(), window,
                   /*loop=*/{}};
  if (!window)
    return found;
  if (llvm::any_of(window.getStrides(), [](int64_t n) { return n != 1; }))
    return std::nullopt;
  if (window->getBlock() != kernel.getBodyBlock()) {
    found.loop = dyn_cast<scf::ForOp>(window->getParentOp());
    if (!found.loop || !canIssueAhead(found.loop, kernel))
      return std::nullopt;
  }
  llvm::SetVector<Operation *> ops;
  if (failed(collectComputation(window.getOffsets(), found.loop, ops)))
    return std::nullopt;
  return found;
}

bool gridir::warpgroup::hasAlignedRows(const SharedLoad &load,
                                       grid::KernelOp kernel) {
  unsigned operand = kernel.getNumIndexOperands() + load.input;
  grid::BlockDimAttr dim = kernel.getOperandSpec(operand).getBlockDims().back();
  int64_t unit =
      16 * 8 /
      kernel.getOperandSpec(operand).getElementType().getIntOrFloatBitWidth();
  AffineExpr index = kernel.getAffineIndexMap(operand)->getResults().back();
  if (dim.getKind() == grid::BlockKind::Blocked)
    index = index * dim.getSize();
  if (!index.isMultipleOf(unit))
    return false;
  grid::SliceRefOp window = load.window;
  return !window ||
         getDivisor(getMixedValues(window.getStaticOffsets(),
                                   window.getOffsets(), window.getContext())
                        .back()) %
                 unit ==
             0;
}

bool gridir::warpgroup::isSharable(grid::KernelOp kernel, unsigned input) {
  auto isShared = [](Operation *user) {
    auto load = dyn_cast<grid::LoadOp>(user);
    return load && matchSharedLoad(load);
  };
  return llvm::all_of(kernel.getInputRefs()[input].getUsers(),
                      [&](Operation *user) {
                        if (isa<grid::SliceRefOp>(user))
                          return llvm::all_of(user->getUsers(), isShared);
                        return isShared(user);
                      });
}
