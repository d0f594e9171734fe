//===- BufferPlan.h - where the buffers of a kernel live -------*- C++ -*--===//
//
// Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef GRIDIR_DIALECTS_LOOPS_TRANSFORMS_BUFFERPLAN_H
#define GRIDIR_DIALECTS_LOOPS_TRANSFORMS_BUFFERPLAN_H

#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace gridir::loops {

/// Every buffer starts on a cache line, which is also best for the widest
/// vector load.
constexpr int64_t kBufferAlignment = 64;

/// One buffer: its size, its live range (as positions in a walk of the
/// function) and its offset.
struct PlannedBuffer {
  mlir::Operation *alloc;
  int64_t size;
  int64_t begin, end;
  int64_t offset = 0;
  /// The number of work items that share the buffer: 1 for a private one, 0 for
  /// all.
  int64_t members = 1;

  bool overlapsInTime(const PlannedBuffer &other) const {
    return begin <= other.end && other.begin <= end;
  }
};

/// The buffers that a function allocates, with their lifetimes. A buffer of
/// unknown size, or whose elements have no size, is an error.
mlir::FailureOr<llvm::SmallVector<PlannedBuffer>>
collectBuffers(mlir::func::FuncOp function);

/// Gives every buffer an offset, so that buffers that are alive at the same
/// time do not overlap. Returns how many bytes they take together.
int64_t placeBuffers(llvm::ArrayRef<PlannedBuffer *> buffers);

/// Replaces a buffer by a view, at its offset, of the bytes in which it was
/// placed; the view is made at the builder's insertion point.
void replaceByView(mlir::OpBuilder &builder, const PlannedBuffer &buffer,
                   mlir::Value bytes);

} // namespace gridir::loops

#endif // GRIDIR_DIALECTS_LOOPS_TRANSFORMS_BUFFERPLAN_H
