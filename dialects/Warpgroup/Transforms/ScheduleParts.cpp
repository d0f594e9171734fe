//===- ScheduleParts.cpp - Parts of the blocks of a kernel ----------------===//
//
// Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dialects/Warpgroup/Transforms/ScheduleParts.h"

#include "dialects/Warpgroup/Transforms/BlockProgram.h"

using namespace mlir;
using namespace gridir;
using namespace gridir::grid;
using namespace gridir::warpgroup;

/// Shared memory that is left for barriers and relayouts.
constexpr int64_t kReservedBytes = 32 * 1024;

ScheduleParts::ScheduleParts(KernelOp kernel, const gpu::Chip &chip)
    : kernel(kernel), chip(chip), axes(kernel),
      output(getDividedRef(kernel.getOutputRefs().front())),
      part(getShape(output)) {}

ArrayRef<int64_t> ScheduleParts::getShape(Value value) {
  return cast<ShapedType>(value.getType()).getShape();
}

int64_t ScheduleParts::countElements(Value value,
                                     ArrayRef<int64_t> sizes) const {
  int64_t count = cast<ShapedType>(value.getType()).getNumElements();
  for (auto [dim, size] : llvm::enumerate(sizes))
    if (std::optional<unsigned> axis = axes.getAxis(output, dim))
      if (axes.findDim(value, *axis))
        count = count / getShape(output)[dim] * size;
  return count;
}

int64_t ScheduleParts::countScratchBytes(ArrayRef<int64_t> sizes) {
  int64_t bytes = 0;
  for (BlockArgument ref : kernel.getScratchRefs())
    if (isAccessedInParts(ref))
      bytes += countElements(ref, sizes) *
               llvm::divideCeil(
                   cast<MemRefType>(ref.getType()).getElementTypeBitWidth(), 8);
  return bytes;
}

int64_t ScheduleParts::getSharedLimit() const {
  return chip.ctaSharedBytes - kReservedBytes;
}
