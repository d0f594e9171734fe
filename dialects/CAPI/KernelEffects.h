/*===- KernelEffects.h - C API of what a kernel does outside ------*- C -*-===*\
|*                                                                            *|
|* Part of the gridir project, under the Apache License v2.0 with LLVM        *|
|* Exceptions. See LICENSE for license information.                           *|
|* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception                    *|
|*                                                                            *|
\*===----------------------------------------------------------------------===*/

#ifndef GRIDIR_DIALECTS_CAPI_KERNELEFFECTS_H
#define GRIDIR_DIALECTS_CAPI_KERNELEFFECTS_H

#include "mlir-c/IR.h"

#ifdef __cplusplus
extern "C" {
#endif

// The functions take a `grid.kernel`, and ask the interfaces of the ops in it.

/// True if a program reads its device number.
MLIR_CAPI_EXPORTED bool gridirKernelKnowsDevices(MlirOperation kernel);

/// True if a program accesses memory or semaphores of another device.
MLIR_CAPI_EXPORTED bool gridirKernelAccessesDevices(MlirOperation kernel);

/// True if a program prints, calls Python, or has other effects besides its
/// results.
MLIR_CAPI_EXPORTED bool gridirKernelHasOutput(MlirOperation kernel);

#ifdef __cplusplus
}
#endif

#endif // GRIDIR_DIALECTS_CAPI_KERNELEFFECTS_H
