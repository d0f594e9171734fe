//===- PadBlocks.cpp - Rows that threads divide evenly --------------------===//
//
// Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dialects/Warpgroup/Transforms/Passes.h"

#include "dialects/GPU/Target/GPUTarget.h"
#include "dialects/Warpgroup/IR/Warpgroup.h"
#include "dialects/Warpgroup/Transforms/BlockProgram.h"
#include "dialects/Warpgroup/Transforms/BlockResize.h"
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

/// An axis that is extended.
struct Padding {
  unsigned axis;
  int64_t size, padded;
};

class PaddingSearch {
public:
  explicit PaddingSearch(KernelOp kernel)
      : kernel(kernel), extendable(kernel, AxisUse::Extend), parts(kernel) {}

  const BlockAxes &getAxes() const { return extendable; }

  /// Returns the axes of reductions whose elements no 128 threads divide.
  SmallVector<Padding> find() {
    SmallVector<Padding> found;
    kernel.getBodyRegion().walk([&](linalg::ReduceOp reduce) {
      Value input = reduce.getInputs().front();
      for (int64_t dim : reduce.getDimensions()) {
        std::optional<unsigned> axis = extendable.getAxis(input, dim);
        if (axis && llvm::none_of(found, [&](const Padding &padding) {
              return padding.axis == *axis;
            }))
          if (std::optional<Padding> padding = match(input, dim, *axis))
            found.push_back(*padding);
      }
    });
    return found;
  }

private:
  std::optional<Padding> match(Value input, int64_t dim, unsigned axis) const {
    auto type = cast<RankedTensorType>(input.getType());
    if (type.getNumElements() % kNumThreads == 0 &&
        type.getDimSize(dim) < kNumThreads)
      return std::nullopt;
    int64_t size = type.getDimSize(dim), padded = getPaddedSize(size, type);
    // Other dimensions that programs do not divide.
    int64_t elements = padded;
    for (int64_t other = 0; other < type.getRank(); ++other)
      if (other != dim && !parts.getAxis(input, other))
        elements *= type.getDimSize(other);
    int64_t words = llvm::divideCeil(type.getElementTypeBitWidth(), 32);
    if (padded == size || elements * words > kMaxArrayRegisters * kNumThreads)
      return std::nullopt;
    return Padding{axis, size, padded};
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
    PaddingSearch search(kernel);
    SmallVector<Padding> paddings = search.find();
    if (paddings.empty())
      return markAllAnalysesPreserved();
    SmallVector<Restriction> restrictions;
    for (const Padding &padding : paddings)
      extend(kernel, search.getAxes(), padding, restrictions);
    for (const Restriction &restriction : restrictions)
      restrictReduction(restriction.reduce, restriction.dim, /*first=*/0,
                        restriction.size);
    numPadded += paddings.size();
    // These describe the author's blocks.
    kernel.removeParamsAttr();
    kernel.removeJaxAttr();
  }

private:
  /// A reduction that combines the first `size` elements along a dimension.
  struct Restriction {
    linalg::ReduceOp reduce;
    unsigned dim;
    int64_t size;
  };

  /// Extends all values along an axis, and adds its reductions.
  static void extend(KernelOp kernel, const BlockAxes &axes,
                     const Padding &padding,
                     SmallVectorImpl<Restriction> &restrictions) {
    kernel.getBodyRegion().walk([&](linalg::ReduceOp reduce) {
      Value input = reduce.getInputs().front();
      std::optional<unsigned> dim = axes.findDim(input, padding.axis);
      if (dim && llvm::is_contained(reduce.getDimensions(), *dim))
        restrictions.push_back({reduce, *dim, padding.size});
    });
    for (unsigned i = kernel.getNumIndexOperands();
         i < kernel.getNumOperandSpecs(); ++i) {
      Value ref = kernel.getBodyBlock()->getArgument(i);
      if (std::optional<unsigned> dim = axes.findDim(ref, padding.axis))
        resizeBlock(kernel, i,
                    findBlockDim(kernel.getOperandSpec(i), *dim).arrayDim,
                    padding.padded);
    }
    resizeValues(axes, padding.axis, padding.padded);
  }
};

} // namespace
