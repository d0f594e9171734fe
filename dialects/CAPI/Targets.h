//===- Targets.h - the targets and their chips ------------------*- C++ -*-===//
//
// Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef GRIDIR_DIALECTS_CAPI_TARGETS_H
#define GRIDIR_DIALECTS_CAPI_TARGETS_H

#include "mlir-c/Support.h"

#ifdef __cplusplus
extern "C" {
#endif

/// Passes a JSON text of all registered targets to `callback`: an array of
/// objects with the field "name", such as "cpu" or "gpu:sm_90a". The objects of
/// chips also have the fields of the table of their target.
MLIR_CAPI_EXPORTED void gridirDescribeTargets(MlirStringCallback callback,
                                              void *userData);

#ifdef __cplusplus
}
#endif

#endif // GRIDIR_DIALECTS_CAPI_TARGETS_H
