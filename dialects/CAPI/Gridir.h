/*===- Gridir.h - C API of gridir ---------------------------------*- C -*-===*\
|*                                                                            *|
|* Part of the gridir project, under the Apache License v2.0 with LLVM        *|
|* Exceptions. See LICENSE for license information.                           *|
|* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception                    *|
|*                                                                            *|
\*===----------------------------------------------------------------------===*/

#ifndef GRIDIR_DIALECTS_CAPI_GRIDIR_H
#define GRIDIR_DIALECTS_CAPI_GRIDIR_H

#include "mlir-c/IR.h"

#ifdef __cplusplus
extern "C" {
#endif

/// Adds every dialect that gridir knows, its own and upstream ones, to a
/// registry.
MLIR_CAPI_EXPORTED void gridirRegisterAllDialects(MlirDialectRegistry registry);

/// Registers every pass and pipeline that gridir knows with this process.
MLIR_CAPI_EXPORTED void gridirRegisterAllPasses(void);

/// The whole of `gridir-opt`; returns the exit status.
MLIR_CAPI_EXPORTED int gridirOptMain(int argc, char **argv);

/// The whole of `gridir-lsp-server`; returns the exit status.
MLIR_CAPI_EXPORTED int gridirLspServerMain(int argc, char **argv);

/// The whole of `gridir-reduce`; returns the exit status.
MLIR_CAPI_EXPORTED int gridirReduceMain(int argc, char **argv);

#ifdef __cplusplus
}
#endif

#endif /* GRIDIR_DIALECTS_CAPI_GRIDIR_H */
