//===- Kernel.h - The kernel dialect: the ABI of lowered kernels ----------===//
//
// Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Accessors for a kernel's ABI, for passes and runtimes. A pass sets the fields
// that it plans: `abi.setArenaBytes(64)`.
//
//===----------------------------------------------------------------------===//

#ifndef GRIDIR_DIALECTS_KERNEL_IR_KERNEL_H
#define GRIDIR_DIALECTS_KERNEL_IR_KERNEL_H

#include "mlir/Bytecode/BytecodeOpInterface.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/Dialect.h"
#include "mlir/IR/OpDefinition.h"
#include "mlir/IR/OpImplementation.h"
#include "mlir/IR/SymbolTable.h"
#include "llvm/Support/JSON.h"

#define GET_ATTRDEF_CLASSES
#include "dialects/Kernel/IR/KernelAttrs.h.inc"

#include "dialects/Kernel/IR/KernelDialect.h.inc"

#define GET_OP_CLASSES
#include "dialects/Kernel/IR/KernelOps.h.inc"

namespace gridir::kernel {

/// The version of the ABI in bytecode. It changes with every change of fields
/// or of their meaning.
inline constexpr uint64_t kABIVersion = 2;

/// The ABI of the module's kernel, or a reported failure where there is none,
/// or more than one.
mlir::FailureOr<ABIOp> getABI(mlir::ModuleOp module);

/// Describes how the kernel of a GPU is launched: the fields of
/// `gridir.runtime.gpu.launch.Launch`, with element types as MLIR writes them.
/// Returns none if a field that a launch needs is absent.
std::optional<llvm::json::Object> describeLaunch(ABIOp abi);

/// The types of the values that a site prints, or calls a function with.
llvm::ArrayRef<mlir::Type> getTypes(mlir::Attribute site);

} // namespace gridir::kernel

#endif // GRIDIR_DIALECTS_KERNEL_IR_KERNEL_H
