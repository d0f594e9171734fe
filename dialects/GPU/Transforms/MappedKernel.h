//===- MappedKernel.h - a kernel as loops over CTAs and threads --*- C++ -*--===//
//
// Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef GRIDIR_DIALECTS_GPU_TRANSFORMS_MAPPEDKERNEL_H
#define GRIDIR_DIALECTS_GPU_TRANSFORMS_MAPPEDKERNEL_H

#include "dialects/Kernel/IR/Kernel.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/BuiltinOps.h"

namespace gridir::gpu {

/// The mapping parameters of the kernel; null if the module has none.
kernel::MappingAttr getMapping(mlir::ModuleOp module);

/// Functions of the host by which a kernel prints: the start of a print, each
/// value, and the end.
constexpr llvm::StringLiteral kPrintFunctions[] = {
    "gridirPrintBegin", "gridirPrintValue", "gridirPrintEnd"};

/// True if the kernel of a module is the code of a thread already, as that of a
/// warpgroup program is: there is nothing to map.
bool isOutlined(mlir::ModuleOp module);

/// True if `op` calls one of them.
bool isPrint(mlir::Operation *op);

/// The function that the ABI names as its entry; a failure is reported.
mlir::FailureOr<mlir::func::FuncOp> getKernelFunction(mlir::ModuleOp module);

/// The error report: the argument before the range of work items.
mlir::Value getStatus(mlir::func::FuncOp kernel);

/// True if a kernel has neither loops nor effects: it needs no loop over CTAs,
/// which the canonicalizer removes from a kernel that writes nothing.
bool doesNothing(mlir::func::FuncOp kernel);

/// The loop over the CTAs of a kernel, or a reported failure.
mlir::FailureOr<mlir::scf::ForallOp> getBlockLoop(mlir::func::FuncOp kernel);

/// A kernel in the form that every pass which maps kernels to a GPU promises,
/// and which the passes from there to PTX rely on: see `gpu-check-contract`.
struct MappedKernel {
  mlir::func::FuncOp function;
  /// The loop over CTAs; null for a kernel that does nothing.
  mlir::scf::ForallOp ctas;
  kernel::ABIOp abi;
  /// The threads of a CTA.
  int64_t numThreads;
};

/// Returns the mapped kernel of a module, or reports a violation of the
/// contract of `gpu-check-contract`.
mlir::FailureOr<MappedKernel> getMappedKernel(mlir::ModuleOp module);

/// True if `op` is a one-dimensional loop over CTAs, or over threads, without
/// results, which are tensors.
bool isBlockLoop(mlir::Operation *op);
bool isThreadLoop(mlir::Operation *op);

/// The number of work items of the grid, if `@k.range` is constant.
std::optional<int64_t> getStaticRange(kernel::ABIOp abi);

} // namespace gridir::gpu

#endif // GRIDIR_DIALECTS_GPU_TRANSFORMS_MAPPEDKERNEL_H
