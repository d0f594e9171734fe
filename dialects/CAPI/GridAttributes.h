/*===- GridAttributes.h - C API of the grid dialect ---------------*- C -*-===*\
|*                                                                            *|
|* Part of the gridir project, under the Apache License v2.0 with LLVM        *|
|* Exceptions. See LICENSE for license information.                           *|
|* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception                    *|
|*                                                                            *|
\*===----------------------------------------------------------------------===*/

#ifndef GRIDIR_DIALECTS_CAPI_GRIDATTRIBUTES_H
#define GRIDIR_DIALECTS_CAPI_GRIDATTRIBUTES_H

#include "mlir-c/IR.h"

#ifdef __cplusplus
extern "C" {
#endif

// Enumerators are passed by the names that the assembly has for them. A
// function that creates an attribute emits a diagnostic and returns null for an
// invalid name or number. An absent string is empty.

//===----------------------------------------------------------------------===//
// #grid.space, #grid.semantics and !grid.semaphore
//===----------------------------------------------------------------------===//

MLIR_CAPI_EXPORTED bool gridirAttributeIsASpace(MlirAttribute attr);
MLIR_CAPI_EXPORTED MlirTypeID gridirSpaceAttrGetTypeID(void);
MLIR_CAPI_EXPORTED MlirAttribute gridirSpaceAttrGet(MlirContext context,
                                                    MlirStringRef space);
MLIR_CAPI_EXPORTED MlirStringRef gridirSpaceAttrGetValue(MlirAttribute attr);

MLIR_CAPI_EXPORTED bool gridirAttributeIsADimSemantics(MlirAttribute attr);
MLIR_CAPI_EXPORTED MlirTypeID gridirDimSemanticsAttrGetTypeID(void);
MLIR_CAPI_EXPORTED MlirAttribute
gridirDimSemanticsAttrGet(MlirContext context, MlirStringRef semantics);
MLIR_CAPI_EXPORTED MlirStringRef
gridirDimSemanticsAttrGetValue(MlirAttribute attr);

MLIR_CAPI_EXPORTED bool gridirTypeIsASemaphore(MlirType type);
MLIR_CAPI_EXPORTED MlirTypeID gridirSemaphoreTypeGetTypeID(void);
MLIR_CAPI_EXPORTED MlirType gridirSemaphoreTypeGet(MlirContext context,
                                                   MlirStringRef kind);
MLIR_CAPI_EXPORTED MlirStringRef gridirSemaphoreTypeGetKind(MlirType type);

//===----------------------------------------------------------------------===//
// #grid.dim
//===----------------------------------------------------------------------===//

MLIR_CAPI_EXPORTED bool gridirAttributeIsADim(MlirAttribute attr);
MLIR_CAPI_EXPORTED MlirTypeID gridirDimAttrGetTypeID(void);
/// A negative size is a dynamic one.
MLIR_CAPI_EXPORTED MlirAttribute gridirDimAttrGet(MlirContext context,
                                                  int64_t size,
                                                  MlirStringRef name,
                                                  bool vmapped,
                                                  MlirStringRef kind);
MLIR_CAPI_EXPORTED int64_t gridirDimAttrGetSize(MlirAttribute attr);
MLIR_CAPI_EXPORTED MlirStringRef gridirDimAttrGetName(MlirAttribute attr);
MLIR_CAPI_EXPORTED bool gridirDimAttrGetVmapped(MlirAttribute attr);
MLIR_CAPI_EXPORTED MlirStringRef gridirDimAttrGetKind(MlirAttribute attr);

//===----------------------------------------------------------------------===//
// #grid.block_dim
//===----------------------------------------------------------------------===//

MLIR_CAPI_EXPORTED bool gridirAttributeIsABlockDim(MlirAttribute attr);
MLIR_CAPI_EXPORTED MlirTypeID gridirBlockDimAttrGetTypeID(void);
MLIR_CAPI_EXPORTED MlirAttribute gridirBlockDimAttrGet(MlirContext context,
                                                       MlirStringRef kind,
                                                       int64_t size,
                                                       int64_t padLow,
                                                       int64_t padHigh);
MLIR_CAPI_EXPORTED MlirStringRef gridirBlockDimAttrGetKind(MlirAttribute attr);
MLIR_CAPI_EXPORTED int64_t gridirBlockDimAttrGetSize(MlirAttribute attr);
MLIR_CAPI_EXPORTED int64_t gridirBlockDimAttrGetPadLow(MlirAttribute attr);
MLIR_CAPI_EXPORTED int64_t gridirBlockDimAttrGetPadHigh(MlirAttribute attr);

//===----------------------------------------------------------------------===//
// #grid.pipeline and #grid.transform
//===----------------------------------------------------------------------===//

MLIR_CAPI_EXPORTED bool gridirAttributeIsAPipelineMode(MlirAttribute attr);
MLIR_CAPI_EXPORTED MlirTypeID gridirPipelineModeAttrGetTypeID(void);
MLIR_CAPI_EXPORTED MlirAttribute gridirPipelineModeAttrGet(
    MlirContext context, int64_t buffers, bool lookahead, MlirStringRef revisit,
    int64_t writeBuffers, int64_t prefetched);
MLIR_CAPI_EXPORTED int64_t gridirPipelineModeAttrGetBuffers(MlirAttribute attr);
MLIR_CAPI_EXPORTED bool gridirPipelineModeAttrGetLookahead(MlirAttribute attr);
MLIR_CAPI_EXPORTED MlirStringRef
gridirPipelineModeAttrGetRevisit(MlirAttribute attr);
/// The number of buffers that are written; 0 where the attribute has none.
MLIR_CAPI_EXPORTED int64_t
gridirPipelineModeAttrGetWriteBuffers(MlirAttribute attr);
MLIR_CAPI_EXPORTED int64_t
gridirPipelineModeAttrGetPrefetched(MlirAttribute attr);

MLIR_CAPI_EXPORTED bool gridirAttributeIsATransform(MlirAttribute attr);
MLIR_CAPI_EXPORTED MlirTypeID gridirTransformAttrGetTypeID(void);
MLIR_CAPI_EXPORTED MlirAttribute gridirTransformAttrGet(MlirContext context,
                                                        MlirStringRef kind,
                                                        intptr_t numValues,
                                                        const int64_t *values);
MLIR_CAPI_EXPORTED MlirStringRef gridirTransformAttrGetKind(MlirAttribute attr);
MLIR_CAPI_EXPORTED intptr_t gridirTransformAttrGetNumValues(MlirAttribute attr);
MLIR_CAPI_EXPORTED int64_t gridirTransformAttrGetValue(MlirAttribute attr,
                                                       intptr_t i);

//===----------------------------------------------------------------------===//
// #grid.operand
//===----------------------------------------------------------------------===//

MLIR_CAPI_EXPORTED bool gridirAttributeIsAOperand(MlirAttribute attr);
MLIR_CAPI_EXPORTED MlirTypeID gridirOperandAttrGetTypeID(void);
/// `shape` is an array attribute of integers and of strings that name symbols;
/// `pipeline` may be null.
MLIR_CAPI_EXPORTED MlirAttribute gridirOperandAttrGet(
    MlirContext context, MlirType elementType, MlirAttribute shape,
    intptr_t numBlockDims, const MlirAttribute *block, MlirStringRef space,
    MlirAttribute pipeline, intptr_t numTransforms,
    const MlirAttribute *transforms, MlirStringRef origin,
    MlirStringRef indexTree);
MLIR_CAPI_EXPORTED MlirType gridirOperandAttrGetElementType(MlirAttribute attr);
MLIR_CAPI_EXPORTED MlirAttribute gridirOperandAttrGetShape(MlirAttribute attr);
MLIR_CAPI_EXPORTED intptr_t
gridirOperandAttrGetNumBlockDims(MlirAttribute attr);
MLIR_CAPI_EXPORTED MlirAttribute
gridirOperandAttrGetBlockDim(MlirAttribute attr, intptr_t i);
MLIR_CAPI_EXPORTED MlirStringRef gridirOperandAttrGetSpace(MlirAttribute attr);
MLIR_CAPI_EXPORTED MlirAttribute
gridirOperandAttrGetPipeline(MlirAttribute attr);
MLIR_CAPI_EXPORTED intptr_t
gridirOperandAttrGetNumTransforms(MlirAttribute attr);
MLIR_CAPI_EXPORTED MlirAttribute
gridirOperandAttrGetTransform(MlirAttribute attr, intptr_t i);
MLIR_CAPI_EXPORTED MlirStringRef gridirOperandAttrGetOrigin(MlirAttribute attr);
MLIR_CAPI_EXPORTED MlirStringRef
gridirOperandAttrGetIndexTree(MlirAttribute attr);
/// The Ref that the body sees.
MLIR_CAPI_EXPORTED MlirType gridirOperandAttrGetRefType(MlirAttribute attr);
/// The array as a tensor without sign.
MLIR_CAPI_EXPORTED MlirType gridirOperandAttrGetArrayType(MlirAttribute attr);

//===----------------------------------------------------------------------===//
// #grid.cost
//===----------------------------------------------------------------------===//

MLIR_CAPI_EXPORTED bool gridirAttributeIsACost(MlirAttribute attr);
MLIR_CAPI_EXPORTED MlirTypeID gridirCostAttrGetTypeID(void);
MLIR_CAPI_EXPORTED MlirAttribute
gridirCostAttrGet(MlirContext context, int64_t flops, int64_t transcendentals,
                  int64_t bytesAccessed, int64_t remoteBytesTransferred);
MLIR_CAPI_EXPORTED int64_t gridirCostAttrGetFlops(MlirAttribute attr);
MLIR_CAPI_EXPORTED int64_t gridirCostAttrGetTranscendentals(MlirAttribute attr);
MLIR_CAPI_EXPORTED int64_t gridirCostAttrGetBytesAccessed(MlirAttribute attr);
MLIR_CAPI_EXPORTED int64_t
gridirCostAttrGetRemoteBytesTransferred(MlirAttribute attr);

//===----------------------------------------------------------------------===//
// #grid.memory_plan, which `grid-plan-memory` makes
//===----------------------------------------------------------------------===//

MLIR_CAPI_EXPORTED bool gridirAttributeIsAOperandMemory(MlirAttribute attr);
MLIR_CAPI_EXPORTED MlirTypeID gridirOperandMemoryAttrGetTypeID(void);
MLIR_CAPI_EXPORTED MlirStringRef
gridirOperandMemoryAttrGetName(MlirAttribute attr);
MLIR_CAPI_EXPORTED MlirStringRef
gridirOperandMemoryAttrGetSpace(MlirAttribute attr);
MLIR_CAPI_EXPORTED int64_t
gridirOperandMemoryAttrGetBlockBytes(MlirAttribute attr);
MLIR_CAPI_EXPORTED int64_t
gridirOperandMemoryAttrGetBuffers(MlirAttribute attr);
/// The number of grid steps at which the block changes; -1 if it is dynamic.
MLIR_CAPI_EXPORTED int64_t
gridirOperandMemoryAttrGetFetches(MlirAttribute attr);

MLIR_CAPI_EXPORTED bool gridirAttributeIsAMemoryPlan(MlirAttribute attr);
MLIR_CAPI_EXPORTED MlirTypeID gridirMemoryPlanAttrGetTypeID(void);
MLIR_CAPI_EXPORTED MlirStringRef
gridirMemoryPlanAttrGetTarget(MlirAttribute attr);
MLIR_CAPI_EXPORTED intptr_t
gridirMemoryPlanAttrGetNumOperands(MlirAttribute attr);
MLIR_CAPI_EXPORTED MlirAttribute
gridirMemoryPlanAttrGetOperand(MlirAttribute attr, intptr_t i);
MLIR_CAPI_EXPORTED intptr_t
gridirMemoryPlanAttrGetNumSpaces(MlirAttribute attr);
MLIR_CAPI_EXPORTED MlirStringRef
gridirMemoryPlanAttrGetSpace(MlirAttribute attr, intptr_t i);
MLIR_CAPI_EXPORTED int64_t gridirMemoryPlanAttrGetSpaceBytes(MlirAttribute attr,
                                                             intptr_t i);

#ifdef __cplusplus
}
#endif

#endif /* GRIDIR_DIALECTS_CAPI_GRIDATTRIBUTES_H */
