//===- KernelLaunch.h - How a kernel is launched on a GPU ------*- C++ -*--===//
//
// Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef GRIDIR_DIALECTS_CAPI_KERNELLAUNCH_H
#define GRIDIR_DIALECTS_CAPI_KERNELLAUNCH_H

#include "mlir-c/IR.h"

#ifdef __cplusplus
extern "C" {
#endif

/// Gives `callback` the JSON text of how the kernel of a module is launched.
/// Returns false if the `kernel.abi` of the module lacks a field for it.
MLIR_CAPI_EXPORTED bool gridirDescribeLaunch(MlirModule module,
                                             MlirStringCallback callback,
                                             void *userData);

#ifdef __cplusplus
}
#endif

#endif // GRIDIR_DIALECTS_CAPI_KERNELLAUNCH_H
