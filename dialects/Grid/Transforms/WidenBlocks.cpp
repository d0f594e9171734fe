//===- WidenBlocks.cpp - Make blocks of columns blocks of rows ------------===//
//
// Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dialects/Grid/Transforms/Passes.h"

#include "dialects/Grid/Analysis/BlockAxes.h"
#include "dialects/Grid/IR/RefTypes.h"
#include "dialects/Grid/Transforms/BlockResize.h"
#include "dialects/Grid/Transforms/ProgramSplit.h"
#include "dialects/Support/CountableTypes.h"
#include "mlir/IR/Remarks.h"
#include "mlir/Interfaces/ControlFlowInterfaces.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "llvm/Support/MathExtras.h"

namespace gridir::grid {
#define GEN_PASS_DEF_GRIDWIDENBLOCKSPASS
#include "dialects/Grid/Transforms/Passes.h.inc"
} // namespace gridir::grid

using namespace mlir;
using namespace gridir::grid;

namespace {

/// Blocks of another shape for a kernel.
struct Widening {
  /// The axes of the columns and of the rows of blocks.
  unsigned columns, rows;
  /// The grid dimension that numbers the blocks of columns.
  unsigned dim;
  /// The blocks of columns that one block becomes, and the parts of its rows.
  int64_t factor, parts;
};

/// The search for a divisor tries as many numbers as a block has rows.
constexpr int64_t kMostRows = 1 << 16;

/// The largest divisor of a number that is at most `limit`.
int64_t getLargestDivisor(int64_t number, int64_t limit) {
  for (int64_t divisor = std::min(number, limit); divisor > 1; --divisor)
    if (number % divisor == 0)
      return divisor;
  return 1;
}

/// The least divisor of a number that is at least `limit`, which is at most the
/// number.
int64_t getLeastDivisor(int64_t number, int64_t limit) {
  for (int64_t divisor = limit; divisor < number; ++divisor)
    if (number % divisor == 0)
      return divisor;
  return number;
}

class GridWidenBlocksPass
    : public gridir::grid::impl::GridWidenBlocksPassBase<GridWidenBlocksPass> {
public:
  using GridWidenBlocksPassBase::GridWidenBlocksPassBase;

  void runOnOperation() override {
    KernelOp kernel = getOperation();
    if (!hasPiecesOfRows(kernel))
      return markAllAnalysesPreserved();
    if (Operation *op = findOtherOp(kernel)) {
      remark::missed(op->getLoc(),
                     remark::RemarkOpts::name("widen").category(getArgument()))
          << "blocks are unchanged, since the effect of this op may depend on "
             "them";
      ++numKept;
      return markAllAnalysesPreserved();
    }
    BlockAxes axes(kernel);
    std::optional<Widening> widening = choose(kernel, axes);
    if (!widening) {
      ++numKept;
      return markAllAnalysesPreserved();
    }
    widen(kernel, axes, *widening);
    splitProgram(kernel, axes, widening->rows, widening->parts, DimKind::Grid);
    ++numWidened;
    remark::passed(kernel.getLoc(),
                   remark::RemarkOpts::name("widen").category(getArgument()))
        << "blocks have " << std::to_string(widening->factor)
        << " times as many columns, and their rows are divided by "
        << std::to_string(widening->parts);
  }

private:
  /// The Ref of the first output.
  static Value getResult(KernelOp kernel) {
    return kernel.getOutputRefs().front();
  }

  /// True if all programs may run in any order, and blocks of the first output
  /// have a part of a row in each of several rows.
  bool hasPiecesOfRows(KernelOp kernel) const {
    if (!hasOnlyBlocks(kernel))
      return false;
    for (unsigned i = 0; i < kernel.getNumOperandSpecs(); ++i) {
      OperandAttr spec = kernel.getOperandSpec(i);
      if (spec.getSpace().getSharing() == SpaceSharing::Kernel ||
          ShapedType::isDynamicShape(spec.getArrayShape()) ||
          !gridir::isCountable(spec.getArrayShape()) ||
          !kernel.getAffineIndexMap(i))
        return false;
    }
    OperandAttr spec = kernel.getOperandSpec(kernel.getNumInputs());
    auto ref = cast<MemRefType>(getResult(kernel).getType());
    return ref.getRank() > 1 && !spec.getBlockDims().back().isSqueezed() &&
           ref.getShape().back() < spec.getArrayShape().back() &&
           ref.getShape().back() * getNumBits(ref.getElementType()) <
               leastRowBytes * 8;
  }

  /// Returns an op of the body that does more than to compute elements of
  /// outputs from those of inputs.
  static Operation *findOtherOp(KernelOp kernel) {
    Operation *other = nullptr;
    kernel.getBodyRegion().walk([&](Operation *op) {
      // The shape of blocks decides how often operands of products are read.
      bool isOther = isa<DotOp, ProgramIdOp, NumProgramsOp>(op);
      isOther |= !isa<LoadOp, StoreOp, RegionBranchOpInterface>(op) &&
                 !op->hasTrait<OpTrait::IsTerminator>() &&
                 !isMemoryEffectFree(op);
      if (!isOther)
        return WalkResult::advance();
      other = op;
      return WalkResult::interrupt();
    });
    return other;
  }

  static std::optional<Widening> choose(KernelOp kernel,
                                        const BlockAxes &axes) {
    Value result = getResult(kernel);
    auto type = cast<MemRefType>(result.getType());
    Widening widening;
    std::optional<unsigned> columns = axes.getAxis(result, type.getRank() - 1);
    std::optional<unsigned> rows;
    unsigned rowDim = type.getRank() - 1;
    while (rowDim > 0 && !rows)
      if (type.getDimSize(--rowDim) != 1)
        rows = axes.getAxis(result, rowDim);
    AffineMap map = *kernel.getAffineIndexMap(kernel.getNumInputs());
    auto dim = dyn_cast<AffineDimExpr>(map.getResults().back());
    if (!columns || !rows || *rows == *columns || !dim ||
        findsPosition(kernel, axes, *columns))
      return std::nullopt;
    widening.columns = *columns;
    widening.rows = *rows;
    widening.dim = dim.getPosition();
    int64_t blocks = kernel.getDim(widening.dim).getSize();
    // All sizes along the axis are multiples of the least one.
    int64_t numRows = type.getDimSize(rowDim);
    for (Value value : axes.getValues(*rows))
      numRows = std::gcd(numRows, cast<ShapedType>(value.getType())
                                      .getDimSize(*axes.findDim(value, *rows)));
    if (numRows > kMostRows)
      return std::nullopt;
    widening.factor = getLargestDivisor(blocks, numRows);
    widening.parts = getLeastDivisor(numRows, widening.factor);
    if (widening.factor == 1)
      return std::nullopt;
    int64_t columnsOfArray =
        kernel.getOperandSpec(kernel.getNumInputs()).getArrayShape().back();
    int64_t read = 0;
    for (unsigned i = 0; i < kernel.getNumOperandSpecs(); ++i) {
      Value ref = kernel.getBodyBlock()->getArgument(i);
      if (!isWidened(kernel, axes, widening, i, columnsOfArray))
        return std::nullopt;
      if (!axes.findDim(ref, widening.rows))
        read += cast<MemRefType>(ref.getType()).getNumElements();
    }
    // Each part of the rows reads again the operands that have no rows.
    if (read > type.getNumElements() / widening.factor)
      return std::nullopt;
    return widening;
  }

  /// True if the body uses positions along the axis.
  static bool findsPosition(KernelOp kernel, const BlockAxes &axes,
                            unsigned axis) {
    return kernel.getBodyRegion()
        .walk([&](linalg::IndexOp op) {
          if (op->use_empty())
            return WalkResult::advance();
          auto parent = cast<linalg::LinalgOp>(op->getParentOp());
          for (auto [value, map] : llvm::zip_equal(
                   parent->getOperands(), parent.getIndexingMapsArray()))
            for (auto [dim, expr] : llvm::enumerate(map.getResults()))
              if (expr == getAffineDimExpr(op.getDim(), op.getContext()) &&
                  axes.getAxis(value, dim) == axis)
                return WalkResult::interrupt();
          return WalkResult::advance();
        })
        .wasInterrupted();
  }

  /// True if an operand has whole blocks of rows, and the columns last, whose
  /// blocks are all that the grid dimension numbers. A part of an overhanging
  /// block could be outside of the array.
  static bool isWidened(KernelOp kernel, const BlockAxes &axes,
                        const Widening &widening, unsigned operand,
                        int64_t columnsOfArray) {
    AffineMap map = *kernel.getAffineIndexMap(operand);
    AffineExpr number = getAffineDimExpr(widening.dim, kernel.getContext());
    Value ref = kernel.getBodyBlock()->getArgument(operand);
    OperandAttr spec = kernel.getOperandSpec(operand);
    if (std::optional<unsigned> row = axes.findDim(ref, widening.rows)) {
      unsigned dim = findBlockDim(spec, *row).arrayDim;
      if (spec.getArrayShape()[dim] % spec.getBlockDims()[dim].getSize() != 0)
        return false;
    }
    std::optional<unsigned> refDim = axes.findDim(ref, widening.columns);
    if (!refDim)
      return !map.isFunctionOfDim(widening.dim);
    unsigned arrayDim = findBlockDim(spec, *refDim).arrayDim;
    return arrayDim + 1 == spec.getArrayShape().size() &&
           spec.getBlockDims()[arrayDim].getKind() == BlockKind::Blocked &&
           spec.getArrayShape().back() == columnsOfArray &&
           map.getResults().back() == number &&
           !map.dropResult(map.getNumResults() - 1)
                .isFunctionOfDim(widening.dim);
  }

  /// Makes one block of `factor` blocks in a row.
  static void widen(KernelOp kernel, const BlockAxes &axes,
                    const Widening &widening) {
    MLIRContext *context = kernel.getContext();
    int64_t columns =
        kernel.getOperandSpec(kernel.getNumInputs()).getArrayShape().back();
    auto getSize = [&](int64_t size) {
      return std::min(size * widening.factor, columns);
    };
    for (unsigned i = 0; i < kernel.getNumOperandSpecs(); ++i) {
      Value ref = kernel.getBodyBlock()->getArgument(i);
      std::optional<unsigned> refDim = axes.findDim(ref, widening.columns);
      if (!refDim)
        continue;
      OperandAttr spec = kernel.getOperandSpec(i);
      unsigned arrayDim = findBlockDim(spec, *refDim).arrayDim;
      resizeBlock(kernel, i, arrayDim,
                  getSize(spec.getBlockDims()[arrayDim].getSize()));
    }
    resizeValues(axes, widening.columns, getSize);
    SmallVector<Attribute> dims(kernel.getDims().getValue());
    DimAttr dim = kernel.getDim(widening.dim);
    dims[widening.dim] =
        DimAttr::get(context, dim.getSize() / widening.factor, StringAttr(),
                     dim.getVmapped(), dim.getKind());
    kernel.setDimsAttr(ArrayAttr::get(context, dims));
  }
};

} // namespace
