//===- ThreadBuilders.h - Code of one thread -------------------*- C++ -*--===//
//
// Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef GRIDIR_DIALECTS_CONVERSION_WARPGROUPTONVVM_THREADBUILDERS_H
#define GRIDIR_DIALECTS_CONVERSION_WARPGROUPTONVVM_THREADBUILDERS_H

#include "dialects/Support/Builders.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"

namespace gridir::warpgroup_to_nvvm {

/// The values that registers of a thread hold.
using Registers = llvm::SmallVector<mlir::Value>;

/// Converts an address of the CTA's own shared memory to an address of the
/// cluster's shared memory. The numbers are equal, since one window contains
/// the other; LLVM would convert through generic addresses.
mlir::Value toCluster(mlir::OpBuilder &builder, mlir::Location loc,
                      mlir::Value address);

/// Emits inline PTX without a corresponding op.
mlir::LLVM::InlineAsmOp
createAssembly(mlir::OpBuilder &builder, mlir::Location loc,
               mlir::TypeRange results, mlir::ValueRange operands,
               llvm::StringRef text, llvm::StringRef constraints,
               bool hasSideEffects = true);

/// The address this many bytes after another one.
mlir::Value createBytesBehind(mlir::OpBuilder &builder, mlir::Location loc,
                              mlir::Value pointer, int64_t bytes);

/// Splits a constant byte offset off an address, which the instruction adds.
mlir::Value splitAddress(mlir::OpBuilder &builder, mlir::Location loc,
                         mlir::Value address, int64_t &bytes);

/// The type in which memory holds an element.
mlir::Type getStorageType(mlir::Type elementType);

/// The same 32-bit values, passed through opaque code. The results of an MMA
/// must not be read before the wait for it, and its operands must not be
/// written after its start, although LLVM sees them as ordinary values.
Registers createOpaque(mlir::OpBuilder &builder, mlir::Location loc,
                       llvm::ArrayRef<mlir::Value> values);

/// The same 64-bit value, opaque to LLVM. Code that depends on it, even if it
/// is otherwise constant, stays where it is.
mlir::Value createHidden(mlir::OpBuilder &builder, mlir::Location loc,
                         mlir::Value value, bool isFixed = false);

/// Packs values narrower than 32 bits into words, and the reverse.
Registers packWords(mlir::OpBuilder &builder, mlir::Location loc,
                    llvm::ArrayRef<mlir::Value> values);
Registers unpackWords(mlir::OpBuilder &builder, mlir::Location loc,
                      llvm::ArrayRef<mlir::Value> words, mlir::Type type);

/// A value in the type in which memory holds it, and the reverse.
mlir::Value toStorage(mlir::OpBuilder &builder, mlir::Location loc,
                      mlir::Value value);
mlir::Value fromStorage(mlir::OpBuilder &builder, mlir::Location loc,
                        mlir::Value value, mlir::Type elementType);

} // namespace gridir::warpgroup_to_nvvm

#endif // GRIDIR_DIALECTS_CONVERSION_WARPGROUPTONVVM_THREADBUILDERS_H
