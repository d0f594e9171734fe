//===- ScheduleChoice.cpp - Parts of blocks that registers hold -----------===//
//
// Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dialects/Warpgroup/Transforms/ScheduleChoice.h"

#include "dialects/Warpgroup/Transforms/BlockProgram.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;
using namespace gridir;
using namespace gridir::grid;
using namespace gridir::warpgroup;

namespace {

/// Parts of arrays, and arrays that are put together from parts, of a body.
/// Code for more of them is too long.
constexpr int64_t kMaxSlices = 128;
/// Elements of an array that a thread reduces.
constexpr int64_t kMaxReducedElements = 256;
/// Elements of a part below which accesses of a warpgroup are too short.
constexpr int64_t kMinElements = 1024;
/// CTAs for which parts are made smaller than registers require: a few for
/// each multiprocessor.
constexpr int64_t kEnoughCtas = 1024;
class ScheduleChoice : ScheduleParts {
public:
  ScheduleChoice(KernelOp kernel, const gpu::Chip &chip, int64_t numWarps)
      : ScheduleParts(kernel, chip), numWarps(numWarps) {}

  ChosenSchedule choose() {
    SmallVector<DotOp> dots;
    kernel.getBodyRegion().walk([&](DotOp dot) { dots.push_back(dot); });
    int64_t numSlices = 0;
    kernel.getBodyRegion().walk([&](Operation *op) {
      numSlices += isa<tensor::ExtractSliceOp, tensor::InsertSliceOp>(op);
    });
    if (numSlices > kMaxSlices)
      return "it puts arrays together from " + std::to_string(numSlices) +
             " parts";
    // Arrays that are put together and their parts are held at once.
    return dots.empty() ? chooseForRegisters(numSlices ? kArrayRegisters
                                                       : kMaxArrayRegisters)
                        : chooseForProducts(*this, dots);
  }

private:
  /// The registers of a thread for the largest array, and its elements.
  std::pair<int64_t, int64_t> getLargestArray() {
    int64_t registers = 0, elements = 0;
    kernel.getBodyRegion().walk([&](Operation *op) {
      for (Value result : op->getResults()) {
        auto type = dyn_cast<RankedTensorType>(result.getType());
        if (!type)
          continue;
        int64_t count = countElements(result, part);
        int64_t words = llvm::divideCeil(type.getElementTypeBitWidth(), 32);
        registers = std::max(
            registers,
            static_cast<int64_t>(llvm::divideCeil(count, kNumThreads)) * words);
        elements = std::max(elements, count);
      }
    });
    return {registers, elements};
  }

  int64_t countCtas() {
    int64_t ctas = 1;
    for (unsigned dim = 0; dim < kernel.getRank(); ++dim)
      if (!isSequential(kernel, dim))
        ctas *= kernel.getDim(dim).getSize();
    for (auto [size, whole] : llvm::zip_equal(part, getShape(output)))
      ctas *= whole / size;
    return ctas;
  }

  /// Divides the first dimension that can be divided by its least factor.
  /// Consecutive elements stay together unless `dividesLast` is true.
  bool divide(bool dividesLast) {
    for (auto [dim, size] : llvm::enumerate(part)) {
      if (size == 1 || !axes.getAxis(output, dim))
        continue;
      int64_t factor = 2;
      while (size % factor != 0)
        ++factor;
      if (!dividesLast && dim + 1 == part.size() && size / factor < kNumThreads)
        continue;
      size /= factor;
      return true;
    }
    return false;
  }

  /// Returns the number of elements of a part that is reduced and is too large
  /// for the threads among which a power of two divides it.
  std::optional<int64_t> findUnevenReduction() {
    std::optional<int64_t> found;
    kernel.getBodyRegion().walk([&](linalg::ReduceOp reduce) {
      int64_t count = countElements(reduce.getInputs().front(), part),
              threads = std::min<int64_t>(count & -count, kNumThreads);
      if (count / threads > kMaxReducedElements)
        found = count;
    });
    return found;
  }

  ChosenSchedule chooseForRegisters(int64_t maxRegisters) {
    for (;;) {
      auto [registers, elements] = getLargestArray();
      int64_t bytes = countScratchBytes(part);
      bool holdsScratch = bytes <= getSharedLimit();
      bool fits = registers <= kArrayRegisters && holdsScratch;
      if (fits && (elements <= kMinElements || countCtas() >= kEnoughCtas))
        break;
      if (!divide(/*dividesLast=*/false)) {
        if (registers <= maxRegisters && holdsScratch)
          break;
        if (divide(/*dividesLast=*/true))
          continue;
        if (!holdsScratch)
          return "shared memory of a CTA does not hold " +
                 std::to_string(bytes) + " bytes of scratch";
        return "registers of a warpgroup do not hold " +
               std::to_string(elements) + " elements";
      }
    }
    if (std::optional<int64_t> elements = findUnevenReduction())
      return "threads do not divide the " + std::to_string(*elements) +
             " elements of a reduction evenly";
    // A scalar is one element.
    bool isScalar = part.empty();
    return ScheduleAttr::get(
        kernel.getContext(),
        isScalar ? SmallVector<int64_t>{1} : getPartOfCta(),
        isScalar ? SmallVector<int64_t>{1} : part, /*shared=*/{}, /*stages=*/1,
        /*producers=*/1);
  }

  /// The parts of as many warpgroups as the author requests, side by side, if
  /// shared memory holds the scratch of all.
  SmallVector<int64_t> getPartOfCta() {
    SmallVector<int64_t> cta = part;
    int64_t warpgroups = llvm::divideCeil(numWarps, kWarps);
    if (warpgroups * countScratchBytes(part) > getSharedLimit())
      return cta;
    for (auto [dim, size] : llvm::enumerate(cta))
      if (warpgroups > 1 && getShape(output)[dim] % (size * warpgroups) == 0) {
        size *= warpgroups;
        break;
      }
    return cta;
  }

  int64_t numWarps;
};

} // namespace

ChosenSchedule gridir::warpgroup::chooseSchedule(KernelOp kernel,
                                                 const gpu::Chip &chip,
                                                 int64_t numWarps) {
  return ScheduleChoice(kernel, chip, numWarps).choose();
}
