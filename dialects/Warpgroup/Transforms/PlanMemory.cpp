//===- PlanMemory.cpp - Where Refs are in shared memory -------------------===//
//
// Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dialects/GPU/Transforms/Chip.h"
#include "dialects/Grid/IR/SingleKernel.h"
#include "dialects/Warpgroup/IR/Warpgroup.h"
#include "dialects/Warpgroup/Transforms/Passes.h"

#include "llvm/ADT/MapVector.h"
#include "llvm/Support/MathExtras.h"

namespace gridir::warpgroup {
#define GEN_PASS_DEF_WARPGROUPPLANMEMORYPASS
#include "dialects/Warpgroup/Transforms/Passes.h.inc"
} // namespace gridir::warpgroup

using namespace mlir;
using namespace gridir;
using namespace gridir::warpgroup;

namespace {

/// In so many bytes every swizzle repeats.
constexpr int64_t kArrayAlignment = 1024;

/// A Ref that needs memory.
struct Allocation {
  std::string name;
  int64_t bytes;
};

class WarpgroupPlanMemoryPass
    : public warpgroup::impl::WarpgroupPlanMemoryPassBase<
          WarpgroupPlanMemoryPass> {
public:
  using WarpgroupPlanMemoryPassBase::WarpgroupPlanMemoryPassBase;

  void runOnOperation() override {
    FailureOr<grid::KernelOp> kernel = grid::getSingleKernel(getOperation());
    if (failed(kernel))
      return signalPassFailure();
    if (!*kernel)
      return;
    FailureOr<gpu::Chip> limits = gpu::getChip(chip, kernel->getLoc());
    if (failed(limits))
      return signalPassFailure();
    places.clear();
    arrays.clear();
    int64_t end = placeArrays(kernel->getBodyRegion(), 0);
    end = placeBarriers(*kernel, llvm::alignTo(end, 8));
    if (end > limits->sharedBytes) {
      refuse(*kernel, end, limits->sharedBytes);
      return signalPassFailure();
    }
    for (auto &[scope, offsets] : places)
      scope->setAttr(kOffsetsAttr,
                     DenseI64ArrayAttr::get(&getContext(), offsets));
    (*kernel)->setAttr(kSharedBytesAttr,
                       Builder(&getContext()).getI64IntegerAttr(end));
    sharedBytes += end;
  }

private:
  static bool isShared(MemRefType type) {
    auto space =
        llvm::dyn_cast_if_present<grid::MemorySpaceAttr>(type.getMemorySpace());
    return space && space.getValue() == grid::MemorySpace::GpuSmem;
  }

  static int64_t getBytes(MemRefType type) {
    Type element = type.getElementType();
    unsigned bits = isa<BarrierType>(element)
                        ? cast<BarrierType>(element).getNumBits()
                        : element.getIntOrFloatBitWidth();
    return type.getNumElements() * llvm::divideCeil(bits, 8);
  }

  /// Places the arrays of the scopes inside of a region from `begin` on, and
  /// returns where they end.
  int64_t placeArrays(Region &region, int64_t begin) {
    int64_t end = begin;
    for (Operation &op : region.getOps()) {
      auto scope = dyn_cast<grid::ScopedOp>(op);
      int64_t top = scope ? placeArrays(scope, begin) : begin;
      end = std::max(end, top);
      for (Region &inner : op.getRegions())
        end = std::max(end, placeArrays(inner, top));
    }
    return end;
  }

  int64_t placeArrays(grid::ScopedOp scope, int64_t begin) {
    SmallVector<int64_t> &offsets = places[scope];
    for (auto [i, argument] : llvm::enumerate(scope.getBody().getArguments())) {
      auto type = cast<MemRefType>(argument.getType());
      offsets.push_back(-1);
      if (!isShared(type) || isa<BarrierType>(type.getElementType()))
        continue;
      begin = llvm::alignTo(begin, kArrayAlignment);
      offsets.back() = begin;
      int64_t bytes = getBytes(type);
      arrays.push_back({scope.getRefName(i), bytes});
      begin += bytes;
    }
    return begin;
  }

  int64_t placeBarriers(grid::KernelOp kernel, int64_t begin) {
    for (auto &[scope, offsets] : places) {
      for (auto [argument, offset] : llvm::zip_equal(
               cast<grid::ScopedOp>(scope).getBody().getArguments(), offsets)) {
        auto type = cast<MemRefType>(argument.getType());
        if (!isa<BarrierType>(type.getElementType()))
          continue;
        offset = begin;
        begin += getBytes(type);
      }
    }
    return begin;
  }

  void refuse(grid::KernelOp kernel, int64_t bytes, int64_t limit) {
    llvm::stable_sort(arrays, [](const Allocation &a, const Allocation &b) {
      return a.bytes > b.bytes;
    });
    arrays.resize(std::min<size_t>(arrays.size(), 3));
    InFlightDiagnostic diag = kernel.emitError("expected at most ")
                              << limit << " bytes of shared memory on " << chip
                              << ", got " << bytes << ", most of them for ";
    llvm::interleaveComma(arrays, diag, [&](const Allocation &array) {
      diag << array.name << " (" << array.bytes << ")";
    });
  }

  llvm::MapVector<Operation *, SmallVector<int64_t>> places;
  SmallVector<Allocation> arrays;
};

} // namespace
