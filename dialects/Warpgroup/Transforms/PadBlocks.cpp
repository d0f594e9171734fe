//===- PadBlocks.cpp - Blocks that threads and matrix units divide --------===//
//
// Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dialects/Warpgroup/Transforms/Passes.h"

#include "dialects/GPU/Target/GPUTarget.h"
#include "dialects/Grid/Transforms/BlockResize.h"
#include "dialects/Warpgroup/IR/Warpgroup.h"
#include "dialects/Warpgroup/Transforms/BlockProgram.h"
#include "dialects/Warpgroup/Transforms/ContractionPadding.h"
#include "dialects/Warpgroup/Transforms/RepeatOperands.h"
#include "dialects/Warpgroup/Transforms/RestrictReduction.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"

namespace gridir::warpgroup {
#define GEN_PASS_DEF_WARPGROUPPADBLOCKSPASS
#include "dialects/Warpgroup/Transforms/Passes.h.inc"
} // namespace gridir::warpgroup

using namespace mlir;
using namespace gridir;
using namespace gridir::grid;
using namespace gridir::warpgroup;

namespace {

class PaddingSearch {
public:
  explicit PaddingSearch(KernelOp kernel)
      : kernel(kernel), extendable(kernel, AxisUse::Extend), parts(kernel) {}

  const BlockAxes &getAxes() const { return extendable; }

  /// Returns the axes of reductions whose elements no 128 threads divide, and
  /// of contractions that matrix units compute only then.
  SmallVector<AxisPadding> find(const gpu::Chip &chip) {
    FailureOr<SmallVector<AxisPadding>> found =
        findContractionPadding(kernel, extendable, chip);
    if (failed(found))
      return {};
    llvm::SmallDenseSet<unsigned> seen = findAxesOfContractions();
    kernel.getBodyRegion().walk([&](linalg::ReduceOp reduce) {
      Value input = reduce.getInputs().front();
      for (int64_t dim : reduce.getDimensions()) {
        std::optional<unsigned> axis = extendable.getAxis(input, dim);
        if (axis && seen.insert(*axis).second)
          if (std::optional<AxisPadding> padding = match(input, dim, *axis))
            found->push_back(*padding);
      }
    });
    return *found;
  }

private:
  /// Matrix units determine the sizes of what they compute.
  llvm::SmallDenseSet<unsigned> findAxesOfContractions() {
    llvm::SmallDenseSet<unsigned> found;
    auto add = [&](Value value) {
      for (int64_t dim = 0, e = cast<ShapedType>(value.getType()).getRank();
           dim < e; ++dim)
        if (std::optional<unsigned> axis = extendable.getAxis(value, dim))
          found.insert(*axis);
    };
    kernel.getBodyRegion().walk([&](DotOp dot) {
      add(dot.getLhs());
      add(dot.getRhs());
      add(dot.getResult());
    });
    return found;
  }

  std::optional<AxisPadding> match(Value input, int64_t dim,
                                   unsigned axis) const {
    auto type = cast<RankedTensorType>(input.getType());
    if (type.getNumElements() % kNumThreads == 0 &&
        type.getDimSize(dim) < kNumThreads)
      return std::nullopt;
    int64_t size = type.getDimSize(dim);
    // Other dimensions that programs do not divide.
    int64_t elements = 1;
    for (int64_t other = 0; other < type.getRank(); ++other)
      if (other != dim && !parts.getAxis(input, other))
        elements *= type.getDimSize(other);
    int64_t words = llvm::divideCeil(type.getElementTypeBitWidth(), 32);
    int64_t best = getPaddedSize(size, type);
    if (best == size)
      return std::nullopt;
    // A multiple of 16 may be shorter.
    constexpr int64_t multiple = 16;
    for (int64_t padded : {best, int64_t(llvm::alignTo(size, multiple))})
      if (elements * padded * words <= kMaxArrayRegisters * kNumThreads)
        return AxisPadding{axis, size, padded};
    return std::nullopt;
  }

  /// The next size that threads divide. If that adds at most a quarter, each
  /// thread accesses 16 bytes, or 8.
  static int64_t getPaddedSize(int64_t size, RankedTensorType type) {
    if (size < kNumThreads)
      return llvm::PowerOf2Ceil(size);
    if (size % kNumThreads == 0)
      return size;
    int64_t bytes = llvm::divideCeil(type.getElementTypeBitWidth(), 8);
    for (int64_t ofThread = 16 / bytes; ofThread > 1; ofThread /= 2) {
      int64_t padded = llvm::alignTo(size, ofThread * kNumThreads);
      if (4 * padded <= 5 * size)
        return padded;
    }
    return llvm::alignTo(size, kNumThreads);
  }

  KernelOp kernel;
  BlockAxes extendable, parts;
};

class WarpgroupPadBlocksPass
    : public warpgroup::impl::WarpgroupPadBlocksPassBase<
          WarpgroupPadBlocksPass> {
public:
  using WarpgroupPadBlocksPassBase::WarpgroupPadBlocksPassBase;

  void runOnOperation() override {
    KernelOp kernel = getOperation();
    FailureOr<gpu::Chip> known = gpu::getChip(chip, kernel.getLoc());
    if (failed(known))
      return signalPassFailure();
    if (!canBecomeProgram(kernel, *known, BlockForm::Authored))
      return markAllAnalysesPreserved();
    unsigned repeated =
        repeatVectors(kernel, *known) + repeatMatrices(kernel, *known);
    PaddingSearch search(kernel);
    SmallVector<AxisPadding> paddings = search.find(*known);
    numRepeated += repeated;
    if (paddings.empty()) {
      if (repeated == 0)
        markAllAnalysesPreserved();
      return;
    }
    SmallVector<Restriction> restrictions;
    for (const AxisPadding &padding : paddings)
      extend(kernel, search.getAxes(), padding, restrictions);
    for (const Restriction &restriction : restrictions)
      restrict(restriction);
    numPadded += paddings.size();
    // These describe the author's blocks.
    kernel.removeParamsAttr();
    kernel.removeJaxAttr();
  }

private:
  /// Returns the number of contractions whose vector is repeated.
  static unsigned repeatVectors(KernelOp kernel, const gpu::Chip &chip) {
    SmallVector<DotOp> dots;
    kernel.getBodyRegion().walk([&](DotOp dot) {
      if (isOfVector(dot, chip))
        dots.push_back(dot);
    });
    if (dots.empty())
      return 0;
    BlockAxes axes(kernel, AxisUse::Extend);
    return llvm::count_if(dots,
                          [&](DotOp dot) { return repeatVector(dot, axes); });
  }

  /// Returns the number of contractions whose operands are repeated, since
  /// blocks that are extended would not suffice. Repeated values are not
  /// extended, so other contractions may then have to be repeated as well.
  static unsigned repeatMatrices(KernelOp kernel, const gpu::Chip &chip) {
    SmallVector<DotOp> dots;
    kernel.getBodyRegion().walk([&](DotOp dot) { dots.push_back(dot); });
    unsigned total = dots.size();
    while (!dots.empty()) {
      BlockAxes axes(kernel, AxisUse::Extend);
      auto *repeated = llvm::partition(dots, [&](DotOp dot) {
        return canPad(dot, axes, chip) || !canRepeatOperands(dot, chip);
      });
      if (repeated == dots.end())
        break;
      for (DotOp dot : llvm::make_range(repeated, dots.end()))
        repeatOperands(dot, chip);
      dots.erase(repeated, dots.end());
    }
    return total - dots.size();
  }

  /// An operand of a reduction or contraction that combines the first `size`
  /// elements along a dimension.
  struct Restriction {
    OpOperand *operand;
    unsigned dim;
    int64_t size;
  };

  static void restrict(const Restriction &restriction) {
    if (auto reduce =
            dyn_cast<linalg::ReduceOp>(restriction.operand->getOwner()))
      restrictReduction(reduce, restriction.dim, /*first=*/0, restriction.size);
    else
      restrictOperand(*restriction.operand, restriction.dim, restriction.size);
  }

  /// Extends all values along an axis, and adds the operands that are combined
  /// along it.
  static void extend(KernelOp kernel, const BlockAxes &axes,
                     const AxisPadding &padding,
                     SmallVectorImpl<Restriction> &restrictions) {
    auto add = [&](OpOperand &operand, ArrayRef<int64_t> combined) {
      std::optional<unsigned> dim = axes.findDim(operand.get(), padding.axis);
      if (dim && llvm::is_contained(combined, *dim))
        restrictions.push_back({&operand, *dim, padding.size});
    };
    kernel.getBodyRegion().walk([&](Operation *op) {
      if (auto reduce = dyn_cast<linalg::ReduceOp>(op))
        add(reduce->getOpOperand(0), reduce.getDimensions());
      if (auto dot = dyn_cast<DotOp>(op)) {
        add(dot.getLhsMutable(), dot.getLhsContract());
        add(dot.getRhsMutable(), dot.getRhsContract());
      }
    });
    for (unsigned i = kernel.getNumIndexOperands();
         i < kernel.getNumOperandSpecs(); ++i) {
      Value ref = kernel.getBodyBlock()->getArgument(i);
      if (std::optional<unsigned> dim = axes.findDim(ref, padding.axis))
        resizeBlock(kernel, i,
                    findBlockDim(kernel.getOperandSpec(i), *dim).arrayDim,
                    padding.padded);
    }
    resizeValues(axes, padding.axis, [&](int64_t) { return padding.padded; });
  }
};

} // namespace
