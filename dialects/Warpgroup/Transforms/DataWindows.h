//===- DataWindows.h - Windows at positions that are data ------*- C++ -*--===//
//
// Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef GRIDIR_DIALECTS_WARPGROUP_TRANSFORMS_DATAWINDOWS_H
#define GRIDIR_DIALECTS_WARPGROUP_TRANSFORMS_DATAWINDOWS_H

#include "dialects/Grid/Analysis/ProgramValues.h"

namespace gridir::warpgroup {

/// The type of the indices that index maps yield.
mlir::Type getIndexType(grid::KernelOp kernel);

/// Returns the message for a position along a dimension of a Ref that is out of
/// bounds, as kernels that are mapped to threads have it. `subject` contains
/// the position as `{0}`, and the message the extent as `{1}`.
std::string getBoundsMessage(const llvm::Twine &subject, unsigned dim,
                             mlir::Value ref);

/// Returns an integer as an index in [0, last]. The call fails with `message`
/// if the integer is not in that range; the message may contain the integer and
/// `extent`.
mlir::Value createCheckedIndex(mlir::OpBuilder &builder, mlir::Location loc,
                               mlir::Value number, int64_t last, int64_t extent,
                               llvm::StringRef message);

/// Creates a window of a Ref, which may itself be a window with unit strides:
/// then the result is a window of the Ref that is no view.
grid::SliceRefOp createWindow(mlir::OpBuilder &builder, mlir::Location loc,
                              mlir::Value ref,
                              llvm::ArrayRef<mlir::OpFoldResult> offsets,
                              llvm::ArrayRef<int64_t> sizes,
                              llvm::ArrayRef<int64_t> dropped);

/// Changes the memory space of a Ref's views to that of the Ref.
void changeSpaceOfViews(mlir::Value ref);

/// The Ref whose elements a window has, or a window of a window and so on, as
/// long as strides are 1.
mlir::Value getWindowedRef(mlir::Value ref);

} // namespace gridir::warpgroup

#endif // GRIDIR_DIALECTS_WARPGROUP_TRANSFORMS_DATAWINDOWS_H
