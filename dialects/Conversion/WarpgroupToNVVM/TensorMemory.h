//===- TensorMemory.h - Windows of tensor memory ---------------*- C++ -*--===//
//
// Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef GRIDIR_DIALECTS_CONVERSION_WARPGROUPTONVVM_TENSORMEMORY_H
#define GRIDIR_DIALECTS_CONVERSION_WARPGROUPTONVVM_TENSORMEMORY_H

#include "dialects/Conversion/WarpgroupToNVVM/Lowering.h"

namespace gridir::warpgroup_to_nvvm {

/// An address of tensor memory has the column in the bits below the lane's.
constexpr unsigned kTensorLaneShift = 16;

/// The part of tensor memory that a view selects: all rows of matrices, and
/// consecutive columns.
class TensorWindow {
public:
  TensorWindow(mlir::OpBuilder &builder, const View &view)
      : builder(builder), view(view) {}

  /// Reports a view that is not such a part.
  llvm::LogicalResult analyze(mlir::Operation *op);

  /// The address of the first column, or of a later one.
  mlir::Value createAddress(mlir::Location loc);
  mlir::Value createColumnAddress(mlir::Location loc, mlir::Value address,
                                  mlir::OpFoldResult column);

private:
  mlir::OpBuilder &builder;
  const View &view;
};

mlir::NVVM::CTAGroupKind getCtaGroup(bool isPaired);

/// Converts an address to the operand type of the ops.
mlir::Value createTensorPointer(mlir::OpBuilder &builder, mlir::Location loc,
                                mlir::Value address);

/// Orders the thread's accesses to tensor memory before a barrier, and those
/// after a barrier.
void createFenceBeforeSync(mlir::OpBuilder &builder, mlir::Location loc);
void createFenceAfterSync(mlir::OpBuilder &builder, mlir::Location loc);

/// Loads a Ref in tensor memory as an array of a type; reports a Ref that
/// threads cannot access.
llvm::FailureOr<Registers> loadTensorMemory(mlir::Operation *op,
                                            mlir::Value ref, mlir::Type type,
                                            Lowering &lowering);
/// Stores the registers of an array of a type there.
llvm::LogicalResult storeTensorMemory(mlir::Operation *op, mlir::Value ref,
                                      mlir::Type type, const Registers &values,
                                      Lowering &lowering);

} // namespace gridir::warpgroup_to_nvvm

#endif // GRIDIR_DIALECTS_CONVERSION_WARPGROUPTONVVM_TENSORMEMORY_H
