//===- ExtendBlocks.cpp - Blocks with all positions of masked accesses ----===//
//
// Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dialects/Warpgroup/Transforms/Passes.h"

#include "dialects/Grid/Analysis/MaskBounds.h"
#include "dialects/Grid/Transforms/BlockResize.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"

namespace gridir::warpgroup {
#define GEN_PASS_DEF_WARPGROUPEXTENDBLOCKSPASS
#include "dialects/Warpgroup/Transforms/Passes.h.inc"
} // namespace gridir::warpgroup

using namespace mlir;
using namespace gridir;
using namespace gridir::grid;

namespace {

/// A dimension has up to twice as many positions as its array, or as this.
constexpr int64_t kSmallSize = 512;

class ExtensionSearch {
public:
  explicit ExtensionSearch(KernelOp kernel)
      : kernel(kernel), values(kernel), ranges(values), reader(ranges),
        bounds(reader, ranges) {}

  /// Returns the shape of an operand's block that has all positions of its
  /// accesses, if it is larger and masks exclude the positions outside of the
  /// array.
  std::optional<SmallVector<int64_t>> find(unsigned operand) {
    Value ref = kernel.getBodyBlock()->getArgument(operand);
    auto type = dyn_cast<MemRefType>(ref.getType());
    if (!type || !type.hasStaticShape())
      return std::nullopt;
    SmallVector<int64_t> shape(type.getShape());
    for (Operation *user : ref.getUsers()) {
      auto window = dyn_cast<SliceRefOp>(user);
      if (window ? failed(visitWindow(window, operand, shape))
                 : !isa<GatherOp, ScatterOp>(user) ||
                       failed(visit(cast<RefAccessOpInterface>(user), operand,
                                    shape)))
        return std::nullopt;
    }
    if (ArrayRef(shape) == type.getShape())
      return std::nullopt;
    return shape;
  }

private:
  /// Extends the shape of a block for an access at indices.
  LogicalResult visit(RefAccessOpInterface access, unsigned operand,
                      MutableArrayRef<int64_t> shape) {
    for (auto [dim, index] :
         llvm::zip_equal(access.getAccessDims(), access.getAccessIndices())) {
      auto type = cast<RankedTensorType>(index.getType());
      std::optional<Positions> positions = reader.read(index);
      if (!positions || !type.getElementType().isInteger(32) ||
          failed(extend(*positions, type.getShape(), {access}, operand, dim,
                        shape)))
        return failure();
    }
    return success();
  }

  /// Extends the shape of a block for the accesses of a window of it.
  LogicalResult visitWindow(SliceRefOp window, unsigned operand,
                            MutableArrayRef<int64_t> shape) {
    SmallVector<RefAccessOpInterface> accesses;
    for (Operation *user : window->getUsers()) {
      if (!isa<LoadOp, StoreOp>(user))
        return failure();
      accesses.push_back(cast<RefAccessOpInterface>(user));
    }
    auto kept = cast<MemRefType>(window.getType()).getShape();
    SmallVector<OpFoldResult> offsets = getMixedValues(
        window.getStaticOffsets(), window.getOffsets(), window.getContext());
    unsigned next = 0;
    for (auto [dim, offset, stride] :
         llvm::enumerate(offsets, window.getStrides())) {
      Positions positions;
      positions.steps.assign(kept.size(), 0);
      if (std::optional<int64_t> known = getConstantIntValue(offset))
        positions.constant = *known;
      else
        positions.scalars.push_back(cast<Value>(offset));
      if (!llvm::is_contained(window.getDropped(), static_cast<int64_t>(dim)))
        positions.steps[next++] = stride;
      if (failed(extend(positions, kept, accesses, operand, dim, shape)))
        return failure();
    }
    return success();
  }

  /// Extends a dimension for accesses at positions that have a shape.
  LogicalResult extend(const Positions &positions, ArrayRef<int64_t> ofAccess,
                       ArrayRef<RefAccessOpInterface> accesses,
                       unsigned operand, unsigned dim,
                       MutableArrayRef<int64_t> shape) {
    Value ref = kernel.getBodyBlock()->getArgument(operand);
    int64_t size = cast<MemRefType>(ref.getType()).getDimSize(dim);
    Interval range = bounds.getRange(positions, ofAccess);
    if (range.isIn(0, size - 1))
      return success();
    auto isInside = [&](RefAccessOpInterface access) {
      return bounds.areInside(access.getAccessMask(), positions, ofAccess,
                              size);
    };
    if (!range.isIn(0, 2 * std::max(size, kSmallSize) - 1) ||
        !hasWholeDim(operand, dim) || !llvm::all_of(accesses, isInside))
      return failure();
    shape[dim] = std::max(shape[dim], range.high + 1);
    return success();
  }

  /// True if blocks have a dimension of their array as a whole.
  bool hasWholeDim(unsigned operand, unsigned dim) {
    OperandAttr spec = kernel.getOperandSpec(operand);
    unsigned arrayDim = grid::findBlockDim(spec, dim).arrayDim;
    BlockDimAttr block = spec.getBlockDims()[arrayDim];
    return spec.getTransforms().empty() &&
           block.getKind() == BlockKind::Blocked &&
           block.getSize() == spec.getArrayShape()[arrayDim];
  }

  KernelOp kernel;
  ProgramValues values;
  ElementRanges ranges;
  PositionReader reader;
  MaskBounds bounds;
};

class WarpgroupExtendBlocksPass
    : public warpgroup::impl::WarpgroupExtendBlocksPassBase<
          WarpgroupExtendBlocksPass> {
public:
  using WarpgroupExtendBlocksPassBase::WarpgroupExtendBlocksPassBase;

  void runOnOperation() override {
    KernelOp kernel = getOperation();
    SmallVector<std::pair<unsigned, SmallVector<int64_t>>> found;
    // Operands that share memory have the same blocks.
    if (kernel.getAliasPairs().empty()) {
      ExtensionSearch search(kernel);
      for (unsigned i = kernel.getNumIndexOperands();
           i < kernel.getNumOperandSpecs(); ++i)
        if (auto shape = search.find(i))
          found.emplace_back(i, *shape);
    }
    if (found.empty())
      return markAllAnalysesPreserved();
    for (auto &[operand, shape] : found)
      extend(kernel, operand, shape);
    numExtended += found.size();
    // These describe the author's blocks.
    kernel.removeParamsAttr();
    kernel.removeJaxAttr();
  }

private:
  static void extend(KernelOp kernel, unsigned operand,
                     ArrayRef<int64_t> shape) {
    BlockArgument ref = kernel.getBodyBlock()->getArgument(operand);
    auto type = cast<MemRefType>(ref.getType());
    for (auto [dim, size] : llvm::enumerate(shape))
      if (size != type.getDimSize(dim))
        grid::resizeBlock(
            kernel, operand,
            grid::findBlockDim(kernel.getOperandSpec(operand), dim).arrayDim,
            size);
    ref.setType(kernel.getOperandSpec(operand).getRefType());
  }
};

} // namespace
