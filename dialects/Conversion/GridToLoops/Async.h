//===- Async.h - What copies and semaphores are in memory -----------------===//
//
// Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef GRIDIR_DIALECTS_CONVERSION_GRIDTOLOOPS_ASYNC_H
#define GRIDIR_DIALECTS_CONVERSION_GRIDTOLOOPS_ASYNC_H

#include "dialects/Conversion/GridToLoops/Views.h"

namespace gridir {

/// The counter of a single semaphore.
mlir::FailureOr<mlir::Value> getCounter(KernelLowering &lowering,
                                        mlir::Operation *op,
                                        mlir::Value semaphore);

/// The bytes of a Ref's contents, as a semaphore counts them, as an i64.
mlir::Value createNumBytes(mlir::OpBuilder &builder, mlir::Location loc,
                           mlir::Value ref);

/// The number of the device that an op names, as an i64; -1 for the own one.
mlir::FailureOr<mlir::Value>
createDeviceNumber(mlir::OpBuilder &builder, KernelLowering &lowering,
                   mlir::Operation *op, mlir::ValueRange device,
                   std::optional<grid::DeviceIdType> kind);

/// Returns the bytes of an element of a memref in its memory.
int64_t getBytesPerElement(mlir::Value memref);

/// The address of the first element of a memref, as an i64.
mlir::Value createAddress(mlir::OpBuilder &builder, mlir::Location loc,
                          mlir::Value memref);

/// Marks memory as initialized, or as uninitialized, for the runtime.
void createMemoryState(mlir::OpBuilder &builder, mlir::Location loc,
                       KernelLowering &lowering, mlir::Value memref,
                       bool defined);

/// Marks `dest` as initialized where `source` is, for the runtime.
void createMemoryTransfer(mlir::OpBuilder &builder, mlir::Location loc,
                          KernelLowering &lowering, mlir::Value source,
                          mlir::Value dest);

/// The bytes of a memref that is contiguous, as an i64.
mlir::Value createContiguousBytes(mlir::OpBuilder &builder, mlir::Location loc,
                                  mlir::Value memref);

/// Passes the shape of the next copy or transfer: the sizes of two memrefs of
/// one shape, and their strides.
void createCopyDims(mlir::OpBuilder &builder, mlir::Location loc,
                    KernelLowering &lowering, mlir::Value source,
                    mlir::Value dest);

/// Records an access to all of `memref`.
void createRecordedAccess(mlir::OpBuilder &builder, mlir::Location loc,
                          KernelLowering &lowering, mlir::Value memref,
                          grid::AccessKind kind, llvm::StringRef name,
                          mlir::Value root = {});

/// Records semaphores that must be zero at the end, if this check is enabled.
void createRecordedSemaphores(mlir::OpBuilder &builder, mlir::Location loc,
                              KernelLowering &lowering, mlir::Value counters,
                              llvm::StringRef name);

/// Copies the source of `op` to its destination, or adds it, immediately.
void createCopy(mlir::OpBuilder &builder, grid::CopyStartOp op);

/// Combines an element and a value by an atomic update.
mlir::Value createCombination(mlir::OpBuilder &builder, mlir::Location loc,
                              grid::AtomicKind kind, mlir::Value old,
                              mlir::Value value);

/// The number of the work item at these coordinates along all dimensions.
mlir::Value createWorkItem(mlir::OpBuilder &builder, mlir::Location loc,
                           KernelLowering &lowering, mlir::ValueRange ids);

/// The patterns of copies and semaphores in programs that wait for one
/// another.
void populateTaskPatterns(mlir::RewritePatternSet &patterns,
                          KernelLowering &lowering);

} // namespace gridir

#endif // GRIDIR_DIALECTS_CONVERSION_GRIDTOLOOPS_ASYNC_H
