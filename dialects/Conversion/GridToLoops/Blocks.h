//===- Blocks.h - Windows of arrays ---------------------------------------===//
//
// Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef GRIDIR_DIALECTS_CONVERSION_GRIDTOLOOPS_BLOCKS_H
#define GRIDIR_DIALECTS_CONVERSION_GRIDTOLOOPS_BLOCKS_H

#include "dialects/Conversion/GridToLoops/Lowering.h"
#include "dialects/Grid/Analysis/MovableBlocks.h"

namespace gridir {

/// One dimension of a window: `size` elements of an array from `start`, which
/// may lie outside the array.
struct WindowDim {
  mlir::Value start;
  int64_t size;
  /// The number of elements that count, when fewer than `size` may.
  mlir::Value limit;
  /// The number of elements at the start that another thread writes as well.
  mlir::Value overlap;
  /// True if the memref of the window lacks this dimension.
  bool dropped = false;
  /// Known to lie inside the array.
  bool proved = false;
};

/// A window that a program sees as a memref of static shape.
struct Window {
  mlir::Value memref;
  /// Set where the window may be a private buffer: true when it is not.
  mlir::Value inPlace;
  /// Copies the valid part of a private buffer to the array.
  std::function<void(mlir::OpBuilder &, mlir::Location)> copyOut;

  /// Copies stores to the window to the array, if necessary.
  void createCopyOut(mlir::OpBuilder &builder, mlir::Location loc) const;
};

/// Creates a window of `array`: the array's own memory if the window lies
/// inside, else a private buffer that holds the valid part and, around it,
/// `padding`. Elements past a limit, or in an overlap, are not part of a
/// written window, so a `written` window with a smaller limit or an overlap is
/// private. A window that is not `isRead` is initially uninitialized. The copy
/// is recorded as an access to the Ref `name`. A private buffer is reused if
/// the i1 that `createReuse` makes, if any, is true.
Window createWindow(
    mlir::OpBuilder &builder, mlir::Location loc, KernelLowering &lowering,
    mlir::Value array, llvm::ArrayRef<WindowDim> dims, bool written,
    mlir::TypedAttr padding, llvm::StringRef name, bool isRead = true,
    llvm::function_ref<mlir::Value(mlir::OpBuilder &)> createReuse = nullptr);

/// Where `size` elements, which span `span` indices, start in dimension `dim`
/// of the Ref `name`: `offset` where they lie inside, proved or checked. A
/// start that is not is reported, and replaced by the nearest one that is.
mlir::Value createCheckedOffset(mlir::OpBuilder &builder, mlir::Location loc,
                                KernelLowering &lowering, mlir::Value offset,
                                int64_t size, int64_t span, int64_t extent,
                                unsigned dim, llvm::StringRef name);

/// Returns the value of an element outside of an array: NaN, or the least
/// integer.
mlir::TypedAttr getPadding(mlir::Type elementType);

/// The block of operand `operandNumber` that the running program sees. A block
/// wholly outside its array is reported if `mayAccessOutside` is true of that
/// dimension of the array.
mlir::FailureOr<Window>
createBlock(mlir::OpBuilder &builder, KernelLowering &lowering,
            const grid::MovableBlocks &movable, unsigned operandNumber,
            mlir::Value array, mlir::ValueRange indices, bool written,
            llvm::function_ref<bool(unsigned)> mayAccessOutside);

/// True if two consecutive programs of a work item may access the same block of
/// operand `operandNumber`.
bool mayReuseBlock(const KernelLowering &lowering, unsigned operandNumber);

/// Computes an i1 that is true if the previous program of the work item
/// accessed the block at the same indices. It runs once in each program.
mlir::Value createReuseTest(mlir::OpBuilder &builder, KernelLowering &lowering,
                            mlir::ValueRange indices);

/// The block indices of operand `operandNumber` for the program whose ids the
/// lowering holds.
llvm::SmallVector<mlir::Value> createBlockIndices(mlir::OpBuilder &builder,
                                                  KernelLowering &lowering,
                                                  unsigned operandNumber);

/// Walks the grid and computes an i1 that is true if two programs that differ
/// along `dims` access the same block of one of the operands `operandNumbers`,
/// which share memory. Blocks must be equal or disjoint.
mlir::Value createOverlapTest(mlir::OpBuilder &builder,
                              KernelLowering &lowering,
                              llvm::ArrayRef<unsigned> operandNumbers,
                              llvm::ArrayRef<unsigned> dims);

} // namespace gridir

#endif // GRIDIR_DIALECTS_CONVERSION_GRIDTOLOOPS_BLOCKS_H
