//===- KernelAttributes.h - C API of the kernel dialect --------*- C++ -*--===//
//
// Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef GRIDIR_DIALECTS_CAPI_KERNELATTRIBUTES_H
#define GRIDIR_DIALECTS_CAPI_KERNELATTRIBUTES_H

#include "mlir-c/IR.h"

#ifdef __cplusplus
extern "C" {
#endif

MLIR_CAPI_EXPORTED bool gridirAttributeIsATensorMap(MlirAttribute attr);
MLIR_CAPI_EXPORTED MlirTypeID gridirTensorMapAttrGetTypeID(void);
MLIR_CAPI_EXPORTED int64_t gridirTensorMapAttrGetOperand(MlirAttribute attr);
MLIR_CAPI_EXPORTED MlirType gridirTensorMapAttrGetTensor(MlirAttribute attr);
MLIR_CAPI_EXPORTED intptr_t gridirTensorMapAttrGetRank(MlirAttribute attr);
MLIR_CAPI_EXPORTED int64_t gridirTensorMapAttrGetBoxSize(MlirAttribute attr,
                                                         intptr_t i);
MLIR_CAPI_EXPORTED int64_t gridirTensorMapAttrGetSwizzle(MlirAttribute attr);

#ifdef __cplusplus
}
#endif

#endif // GRIDIR_DIALECTS_CAPI_KERNELATTRIBUTES_H
