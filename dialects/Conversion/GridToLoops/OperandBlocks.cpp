//===- OperandBlocks.cpp - Blocks of operands -----------------------------===//
//
// Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dialects/Conversion/GridToLoops/Blocks.h"

#include "dialects/Grid/Analysis/InputSharing.h"
#include "dialects/Grid/Analysis/RefNames.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;
using namespace gridir::grid;

namespace gridir {

/// True if a program may read the previous contents of the block: false if it
/// first stores to all of it.
static bool isReadFirst(KernelOp kernel, Value ref) {
  for (Operation &op : *kernel.getBodyBlock()) {
    if (isa<RecordAccessOp>(op))
      continue;
    bool uses = op.walk([&](Operation *inner) {
                    return llvm::is_contained(inner->getOperands(), ref)
                               ? WalkResult::interrupt()
                               : WalkResult::advance();
                  }).wasInterrupted();
    if (!uses)
      continue;
    auto store = dyn_cast<RefAccessOpInterface>(op);
    return !store || !store.getStoredOperand() ||
           store.getAccessedRef() != ref || !store.replacesAll(ref);
  }
  return false;
}

/// The elements of a block along one dimension, as its index says.
static WindowDim createWindowDim(OpBuilder &builder, Location loc,
                                 BlockDimAttr dim, Value index,
                                 ValueRange indices) {
  WindowDim window;
  window.size = dim.isSqueezed() ? 1 : dim.getSize();
  window.dropped = dim.isSqueezed();
  window.start = index;
  if (dim.getKind() == BlockKind::Blocked)
    window.start = arith::MulIOp::create(
        builder, loc, index, createIndex(builder, loc, window.size));
  if (dim.getPadLow() != 0)
    window.start = arith::SubIOp::create(
        builder, loc, window.start, createIndex(builder, loc, dim.getPadLow()));
  if (dim.getKind() == BlockKind::BoundedSlice)
    window.limit = toIndex(builder, loc, indices[1]);
  return window;
}

/// Reports a block that misses its array in dimension `d`.
static void createMissTest(OpBuilder &builder, KernelLowering &lowering,
                           BlockDimAttr dim, int64_t extent, unsigned d,
                           StringRef name, Value index, WindowDim &window) {
  Location loc = lowering.kernel.getLoc();
  auto compare = [&](arith::CmpIPredicate predicate, int64_t bound) -> Value {
    return arith::CmpIOp::create(builder, loc, predicate, window.start,
                                 createIndex(builder, loc, bound));
  };
  Value misses = arith::OrIOp::create(
      builder, loc,
      compare(arith::CmpIPredicate::sle, -dim.getPadLow() - window.size),
      compare(arith::CmpIPredicate::sge, extent + dim.getPadHigh()));
  lowering.reportIf(builder, loc, misses,
                    "block index {0} of dimension " + Twine(d) + " of " + name +
                        " is outside the array, which has " + Twine(extent) +
                        " elements there and blocks of " + Twine(window.size),
                    index);
  // Blocks that tile the array are inside or outside of it. A block outside was
  // reported above, and the program continues with the nearest one.
  bool tiles = window.size == 1 || (dim.getKind() == BlockKind::Blocked &&
                                    extent % window.size == 0);
  if (!tiles || window.limit || dim.getPadLow() != 0 || dim.getPadHigh() != 0)
    return;
  window.start = arith::MinSIOp::create(
      builder, loc,
      arith::MaxSIOp::create(builder, loc, window.start,
                             createIndex(builder, loc, 0)),
      createIndex(builder, loc, extent - window.size));
  window.proved = true;
}

FailureOr<Window> createBlock(OpBuilder &builder, KernelLowering &lowering,
                              const MovableBlocks &movable,
                              unsigned operandNumber, Value array,
                              ValueRange indices, bool written,
                              function_ref<bool(unsigned)> mayAccessOutside) {
  const ValueRange all = indices;
  KernelOp kernel = lowering.kernel;
  OperandAttr spec = kernel.getOperandSpec(operandNumber);
  std::string name = kernel.getOperandName(operandNumber);
  Location loc = kernel.getLoc();
  SmallVector<int64_t> extents = spec.getArrayShape();
  SmallVector<WindowDim> dims;
  for (auto [d, dim] : llvm::enumerate(spec.getBlockDims())) {
    if (dim.getKind() == BlockKind::Indirect)
      return lowering.fail(
          kernel, "expected blocks of consecutive elements, got an indirect "
                  "dimension " +
                      Twine(d) + " of " + name);
    Value index = toIndex(builder, loc, indices.front());
    WindowDim window = createWindowDim(builder, loc, dim, index, indices);
    indices = indices.drop_front(dim.getNumIndices());

    int64_t extent = extents[d];
    if (movable.isMovable(operandNumber, d)) {
      Value start = window.start;
      window.start = arith::MinSIOp::create(
          builder, loc, start, createIndex(builder, loc, extent - window.size));
      // If a value is computed in its block, in several steps, another program
      // must not read intermediate values.
      if (written &&
          !(lowering.parallelDims.empty() && lowering.testedDims.empty()))
        window.overlap =
            arith::SubIOp::create(builder, loc, start, window.start);
    }
    Interval range = lowering.ranges.get(window.start);
    window.proved = window.size == 0 || range.isIn(0, extent - window.size);
    // A block may overhang its array, but must overlap it unless no program
    // accesses it then. JAX's compilers leave this error to the hardware.
    bool mayMiss = range.low + window.size <= -dim.getPadLow() ||
                   range.high >= extent + dim.getPadHigh();
    if (!window.proved && mayMiss && extent > 0 && mayAccessOutside(d))
      createMissTest(builder, lowering, dim, extent, d, name, index, window);
    dims.push_back(window);
  }
  BlockArgument ref = kernel.getBodyBlock()->getArgument(operandNumber);
  bool isRead =
      operandNumber < kernel.getNumIndexOperands() + kernel.getNumInputs() ||
      isReadFirst(kernel, ref);
  // As in the memory of a TPU's core, the next program with the same block sees
  // the contents that a program left, padding included.
  auto createReuse = [&](OpBuilder &builder) -> Value {
    if (!isRead || !mayReuseBlock(lowering, operandNumber) ||
        mayChangeByAlias(kernel, lowering.hazards, operandNumber))
      return {};
    return createReuseTest(builder, lowering, all);
  };
  // The memory of a block is known by the operand's name.
  return createWindow(builder, getNamedLoc(ref), lowering, array, dims, written,
                      getPadding(spec.getElementType()), name, isRead,
                      createReuse);
}

} // namespace gridir
