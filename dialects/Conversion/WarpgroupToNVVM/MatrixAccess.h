//===- MatrixAccess.h - Small matrices in shared memory --------*- C++ -*--===//
//
// Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef GRIDIR_DIALECTS_CONVERSION_WARPGROUPTONVVM_MATRIXACCESS_H
#define GRIDIR_DIALECTS_CONVERSION_WARPGROUPTONVVM_MATRIXACCESS_H

#include "dialects/Conversion/WarpgroupToNVVM/Lowering.h"

namespace gridir::warpgroup_to_nvvm {

/// An access by matrices of eight rows of 16 bytes, which a warp moves together
/// between registers and shared memory: each lane holds four bytes of a
/// row, or two 16-bit elements of a column, and has the address of another row.
class MatrixAccess {
public:
  /// Returns none if the layout of the elements or the shared memory
  /// does not match such matrices.
  static std::optional<MatrixAccess> get(Lowering &lowering, mlir::Location loc,
                                         const View &view,
                                         const Distribution &distribution);

  Registers load();
  void store(const Registers &values);

private:
  MatrixAccess(Lowering &lowering, mlir::Location loc, const View &view)
      : lowering(lowering), builder(lowering.builder), loc(loc), view(view) {}

  void forEachInstruction(llvm::function_ref<void(mlir::Value address)> body);

  Lowering &lowering;
  mlir::OpBuilder &builder;
  mlir::Location loc;
  const View &view;
  /// The first element of the row whose address a lane has; a register for each
  /// instruction.
  Distribution rows;
  /// Of an instruction.
  int64_t numMatrices = 0;
  /// True if lanes hold the elements of a row in the order of those of a
  /// column.
  bool isTransposed = false;
};

} // namespace gridir::warpgroup_to_nvvm

#endif // GRIDIR_DIALECTS_CONVERSION_WARPGROUPTONVVM_MATRIXACCESS_H
