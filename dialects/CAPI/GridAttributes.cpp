//===- GridAttributes.cpp - C API of the grid dialect ---------------------===//
//
// Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dialects/CAPI/GridAttributes.h"

#include "dialects/Grid/IR/Grid.h"
#include "mlir/CAPI/IR.h"
#include "mlir/CAPI/Support.h"
#include "mlir/IR/Builders.h"

using namespace mlir;
using namespace gridir::grid;

namespace {

/// Reports that `name` is not an enumerator of `what`.
MlirAttribute unknownName(MLIRContext *context, StringRef what,
                          MlirStringRef name) {
  emitError(UnknownLoc::get(context))
      << "expected a " << what << ", got '" << unwrap(name) << "'";
  return {nullptr};
}

/// Diagnostics of attributes that are made here have no location.
auto emitter(MLIRContext *context) {
  return [context] { return emitError(UnknownLoc::get(context)); };
}

StringAttr optionalString(MLIRContext *context, MlirStringRef string) {
  return string.length == 0 ? StringAttr()
                            : StringAttr::get(context, unwrap(string));
}

MlirStringRef wrapOptional(StringAttr attr) {
  return attr ? wrap(attr.getValue()) : MlirStringRef{nullptr, 0};
}

/// Attributes of one kind. A caller may hand over any; the first of another
/// kind is reported as not a `what`.
template <typename AttrTy>
FailureOr<SmallVector<AttrTy>> unwrapAll(MLIRContext *context, StringRef what,
                                         ArrayRef<MlirAttribute> attrs) {
  SmallVector<AttrTy> result;
  for (MlirAttribute attr : attrs) {
    auto known = dyn_cast_if_present<AttrTy>(unwrap(attr));
    if (!known)
      return emitter(context)()
             << "expected a " << what << ", got " << unwrap(attr);
    result.push_back(known);
  }
  return result;
}

} // namespace

//===----------------------------------------------------------------------===//
// MemorySpaceAttr, DimSemanticsAttr and SemaphoreType
//===----------------------------------------------------------------------===//

bool gridirAttributeIsASpace(MlirAttribute attr) {
  return isa<MemorySpaceAttrInterface>(unwrap(attr));
}

MlirTypeID gridirSpaceAttrGetTypeID() {
  return wrap(MemorySpaceAttr::getTypeID());
}

MlirAttribute gridirSpaceAttrGet(MlirContext context, MlirStringRef space) {
  MemorySpaceAttrInterface value = findSpace(unwrap(context), unwrap(space));
  if (!value)
    return unknownName(unwrap(context), "memory space", space);
  return wrap(Attribute(value));
}

MlirStringRef gridirSpaceAttrGetValue(MlirAttribute attr) {
  return wrap(cast<MemorySpaceAttrInterface>(unwrap(attr)).getSpaceName());
}

bool gridirAttributeIsADimSemantics(MlirAttribute attr) {
  return isa<DimSemanticsAttr>(unwrap(attr));
}

MlirTypeID gridirDimSemanticsAttrGetTypeID() {
  return wrap(DimSemanticsAttr::getTypeID());
}

MlirAttribute gridirDimSemanticsAttrGet(MlirContext context,
                                        MlirStringRef semantics) {
  std::optional<DimSemantics> value = symbolizeDimSemantics(unwrap(semantics));
  if (!value)
    return unknownName(unwrap(context), "dimension semantics", semantics);
  return wrap(DimSemanticsAttr::get(unwrap(context), *value));
}

MlirStringRef gridirDimSemanticsAttrGetValue(MlirAttribute attr) {
  return wrap(
      stringifyDimSemantics(cast<DimSemanticsAttr>(unwrap(attr)).getValue()));
}

bool gridirTypeIsASemaphore(MlirType type) {
  return isa<SemaphoreType>(unwrap(type));
}

MlirTypeID gridirSemaphoreTypeGetTypeID() {
  return wrap(SemaphoreType::getTypeID());
}

MlirType gridirSemaphoreTypeGet(MlirContext context, MlirStringRef kind) {
  std::optional<SemaphoreKind> value = symbolizeSemaphoreKind(unwrap(kind));
  if (!value) {
    unknownName(unwrap(context), "semaphore kind", kind);
    return {nullptr};
  }
  return wrap(SemaphoreType::get(unwrap(context), *value));
}

MlirStringRef gridirSemaphoreTypeGetKind(MlirType type) {
  return wrap(
      stringifySemaphoreKind(cast<SemaphoreType>(unwrap(type)).getKind()));
}

//===----------------------------------------------------------------------===//
// DimAttr
//===----------------------------------------------------------------------===//

bool gridirAttributeIsADim(MlirAttribute attr) {
  return isa<DimAttr>(unwrap(attr));
}

MlirTypeID gridirDimAttrGetTypeID() { return wrap(DimAttr::getTypeID()); }

MlirAttribute gridirDimAttrGet(MlirContext context, int64_t size,
                               MlirStringRef name, bool vmapped,
                               MlirStringRef kind) {
  std::optional<DimKind> value = symbolizeDimKind(unwrap(kind));
  if (!value)
    return unknownName(unwrap(context), "kind of grid dimension", kind);
  return wrap(
      DimAttr::get(unwrap(context), size < 0 ? ShapedType::kDynamic : size,
                   optionalString(unwrap(context), name), vmapped, *value));
}

int64_t gridirDimAttrGetSize(MlirAttribute attr) {
  auto dim = cast<DimAttr>(unwrap(attr));
  return dim.isDynamic() ? -1 : dim.getSize();
}

MlirStringRef gridirDimAttrGetName(MlirAttribute attr) {
  return wrapOptional(cast<DimAttr>(unwrap(attr)).getName());
}

bool gridirDimAttrGetVmapped(MlirAttribute attr) {
  return cast<DimAttr>(unwrap(attr)).getVmapped();
}

MlirStringRef gridirDimAttrGetKind(MlirAttribute attr) {
  return wrap(stringifyDimKind(cast<DimAttr>(unwrap(attr)).getKind()));
}

//===----------------------------------------------------------------------===//
// BlockDimAttr
//===----------------------------------------------------------------------===//

bool gridirAttributeIsABlockDim(MlirAttribute attr) {
  return isa<BlockDimAttr>(unwrap(attr));
}

MlirTypeID gridirBlockDimAttrGetTypeID() {
  return wrap(BlockDimAttr::getTypeID());
}

MlirAttribute gridirBlockDimAttrGet(MlirContext context, MlirStringRef kind,
                                    int64_t size, int64_t padLow,
                                    int64_t padHigh) {
  std::optional<BlockKind> value = symbolizeBlockKind(unwrap(kind));
  if (!value)
    return unknownName(unwrap(context), "kind of block dimension", kind);
  return wrap(Attribute(BlockDimAttr::getChecked(emitter(unwrap(context)),
                                                 unwrap(context), *value, size,
                                                 padLow, padHigh)));
}

MlirStringRef gridirBlockDimAttrGetKind(MlirAttribute attr) {
  return wrap(stringifyBlockKind(cast<BlockDimAttr>(unwrap(attr)).getKind()));
}

int64_t gridirBlockDimAttrGetSize(MlirAttribute attr) {
  return cast<BlockDimAttr>(unwrap(attr)).getSize();
}

int64_t gridirBlockDimAttrGetPadLow(MlirAttribute attr) {
  return cast<BlockDimAttr>(unwrap(attr)).getPadLow();
}

int64_t gridirBlockDimAttrGetPadHigh(MlirAttribute attr) {
  return cast<BlockDimAttr>(unwrap(attr)).getPadHigh();
}

//===----------------------------------------------------------------------===//
// PipelineModeAttr and TransformAttr
//===----------------------------------------------------------------------===//

bool gridirAttributeIsAPipelineMode(MlirAttribute attr) {
  return isa<PipelineModeAttr>(unwrap(attr));
}

MlirTypeID gridirPipelineModeAttrGetTypeID() {
  return wrap(PipelineModeAttr::getTypeID());
}

MlirAttribute gridirPipelineModeAttrGet(MlirContext context, int64_t buffers,
                                        bool lookahead, MlirStringRef revisit,
                                        int64_t writeBuffers,
                                        int64_t prefetched) {
  std::optional<RevisitMode> value;
  if (revisit.length != 0) {
    value = symbolizeRevisitMode(unwrap(revisit));
    if (!value)
      return unknownName(unwrap(context), "revisit mode", revisit);
  }
  return wrap(Attribute(PipelineModeAttr::getChecked(
      emitter(unwrap(context)), unwrap(context), buffers, lookahead, value,
      writeBuffers == 0 ? std::nullopt : std::optional(writeBuffers),
      prefetched)));
}

int64_t gridirPipelineModeAttrGetBuffers(MlirAttribute attr) {
  return cast<PipelineModeAttr>(unwrap(attr)).getBuffers();
}

bool gridirPipelineModeAttrGetLookahead(MlirAttribute attr) {
  return cast<PipelineModeAttr>(unwrap(attr)).getLookahead();
}

MlirStringRef gridirPipelineModeAttrGetRevisit(MlirAttribute attr) {
  std::optional<RevisitMode> revisit =
      cast<PipelineModeAttr>(unwrap(attr)).getRevisit();
  return revisit ? wrap(stringifyRevisitMode(*revisit))
                 : MlirStringRef{nullptr, 0};
}

int64_t gridirPipelineModeAttrGetWriteBuffers(MlirAttribute attr) {
  return cast<PipelineModeAttr>(unwrap(attr)).getWriteBuffers().value_or(0);
}

int64_t gridirPipelineModeAttrGetPrefetched(MlirAttribute attr) {
  return cast<PipelineModeAttr>(unwrap(attr)).getPrefetched();
}

bool gridirAttributeIsATransform(MlirAttribute attr) {
  return isa<TransformAttr>(unwrap(attr));
}

MlirTypeID gridirTransformAttrGetTypeID() {
  return wrap(TransformAttr::getTypeID());
}

MlirAttribute gridirTransformAttrGet(MlirContext context, MlirStringRef kind,
                                     intptr_t numValues,
                                     const int64_t *values) {
  std::optional<TransformKind> value = symbolizeTransformKind(unwrap(kind));
  if (!value)
    return unknownName(unwrap(context), "kind of transform", kind);
  return wrap(Attribute(
      TransformAttr::getChecked(emitter(unwrap(context)), unwrap(context),
                                *value, ArrayRef(values, numValues))));
}

MlirStringRef gridirTransformAttrGetKind(MlirAttribute attr) {
  return wrap(
      stringifyTransformKind(cast<TransformAttr>(unwrap(attr)).getKind()));
}

intptr_t gridirTransformAttrGetNumValues(MlirAttribute attr) {
  return cast<TransformAttr>(unwrap(attr)).getValues().size();
}

int64_t gridirTransformAttrGetValue(MlirAttribute attr, intptr_t i) {
  return cast<TransformAttr>(unwrap(attr)).getValues()[i];
}

//===----------------------------------------------------------------------===//
// OperandAttr
//===----------------------------------------------------------------------===//

bool gridirAttributeIsAOperand(MlirAttribute attr) {
  return isa<OperandAttr>(unwrap(attr));
}

MlirTypeID gridirOperandAttrGetTypeID() {
  return wrap(OperandAttr::getTypeID());
}

MlirAttribute
gridirOperandAttrGet(MlirContext mlirContext, MlirType elementType,
                     MlirAttribute shape, intptr_t numBlockDims,
                     const MlirAttribute *block, MlirStringRef space,
                     MlirAttribute pipeline, intptr_t numTransforms,
                     const MlirAttribute *transforms, MlirStringRef origin,
                     MlirStringRef indexTree) {
  MLIRContext *context = unwrap(mlirContext);
  MemorySpaceAttrInterface value = findSpace(context, unwrap(space));
  if (!value)
    return unknownName(context, "memory space", space);
  auto dims = unwrapAll<BlockDimAttr>(context, "dimension of a block",
                                      ArrayRef(block, numBlockDims));
  auto steps = unwrapAll<TransformAttr>(context, "transform",
                                        ArrayRef(transforms, numTransforms));
  auto sizes = unwrapAll<ArrayAttr>(context, "shape", shape);
  if (failed(dims) || failed(steps) || failed(sizes))
    return {nullptr};
  PipelineModeAttr mode;
  if (!mlirAttributeIsNull(pipeline)) {
    auto modes =
        unwrapAll<PipelineModeAttr>(context, "pipeline mode", pipeline);
    if (failed(modes))
      return {nullptr};
    mode = modes->front();
  }
  return wrap(Attribute(OperandAttr::getChecked(
      emitter(context), context, unwrap(elementType), sizes->front(),
      ArrayRef(*dims), value, mode, ArrayRef(*steps),
      optionalString(context, origin), optionalString(context, indexTree))));
}

MlirType gridirOperandAttrGetElementType(MlirAttribute attr) {
  return wrap(cast<OperandAttr>(unwrap(attr)).getElementType());
}

MlirAttribute gridirOperandAttrGetShape(MlirAttribute attr) {
  return wrap(Attribute(cast<OperandAttr>(unwrap(attr)).getShape()));
}

intptr_t gridirOperandAttrGetNumBlockDims(MlirAttribute attr) {
  return cast<OperandAttr>(unwrap(attr)).getBlock().size();
}

MlirAttribute gridirOperandAttrGetBlockDim(MlirAttribute attr, intptr_t i) {
  return wrap(Attribute(cast<OperandAttr>(unwrap(attr)).getBlock()[i]));
}

MlirStringRef gridirOperandAttrGetSpace(MlirAttribute attr) {
  return wrap(cast<OperandAttr>(unwrap(attr)).getSpace().getSpaceName());
}

MlirAttribute gridirOperandAttrGetPipeline(MlirAttribute attr) {
  return wrap(Attribute(cast<OperandAttr>(unwrap(attr)).getPipeline()));
}

intptr_t gridirOperandAttrGetNumTransforms(MlirAttribute attr) {
  return cast<OperandAttr>(unwrap(attr)).getTransforms().size();
}

MlirAttribute gridirOperandAttrGetTransform(MlirAttribute attr, intptr_t i) {
  return wrap(Attribute(cast<OperandAttr>(unwrap(attr)).getTransforms()[i]));
}

MlirStringRef gridirOperandAttrGetOrigin(MlirAttribute attr) {
  return wrapOptional(cast<OperandAttr>(unwrap(attr)).getOrigin());
}

MlirStringRef gridirOperandAttrGetIndexTree(MlirAttribute attr) {
  return wrapOptional(cast<OperandAttr>(unwrap(attr)).getIndexTree());
}

MlirType gridirOperandAttrGetRefType(MlirAttribute attr) {
  return wrap(Type(cast<OperandAttr>(unwrap(attr)).getRefType()));
}

MlirType gridirOperandAttrGetArrayType(MlirAttribute attr) {
  return wrap(Type(cast<OperandAttr>(unwrap(attr)).getArrayType()));
}

//===----------------------------------------------------------------------===//
// CostAttr
//===----------------------------------------------------------------------===//

bool gridirAttributeIsACost(MlirAttribute attr) {
  return isa<CostAttr>(unwrap(attr));
}

MlirTypeID gridirCostAttrGetTypeID() { return wrap(CostAttr::getTypeID()); }

MlirAttribute gridirCostAttrGet(MlirContext context, int64_t flops,
                                int64_t transcendentals, int64_t bytesAccessed,
                                int64_t remoteBytesTransferred) {
  return wrap(Attribute(CostAttr::get(unwrap(context), flops, transcendentals,
                                      bytesAccessed, remoteBytesTransferred)));
}

int64_t gridirCostAttrGetFlops(MlirAttribute attr) {
  return cast<CostAttr>(unwrap(attr)).getFlops();
}

int64_t gridirCostAttrGetTranscendentals(MlirAttribute attr) {
  return cast<CostAttr>(unwrap(attr)).getTranscendentals();
}

int64_t gridirCostAttrGetBytesAccessed(MlirAttribute attr) {
  return cast<CostAttr>(unwrap(attr)).getBytesAccessed();
}

int64_t gridirCostAttrGetRemoteBytesTransferred(MlirAttribute attr) {
  return cast<CostAttr>(unwrap(attr)).getRemoteBytesTransferred();
}

//===----------------------------------------------------------------------===//
// OperandMemoryAttr and MemoryPlanAttr
//===----------------------------------------------------------------------===//

bool gridirAttributeIsAOperandMemory(MlirAttribute attr) {
  return isa<OperandMemoryAttr>(unwrap(attr));
}

MlirTypeID gridirOperandMemoryAttrGetTypeID() {
  return wrap(OperandMemoryAttr::getTypeID());
}

MlirStringRef gridirOperandMemoryAttrGetName(MlirAttribute attr) {
  return wrap(cast<OperandMemoryAttr>(unwrap(attr)).getName().getValue());
}

MlirStringRef gridirOperandMemoryAttrGetSpace(MlirAttribute attr) {
  return wrap(cast<OperandMemoryAttr>(unwrap(attr)).getSpace().getValue());
}

int64_t gridirOperandMemoryAttrGetBlockBytes(MlirAttribute attr) {
  return cast<OperandMemoryAttr>(unwrap(attr)).getBlockBytes();
}

int64_t gridirOperandMemoryAttrGetBuffers(MlirAttribute attr) {
  return cast<OperandMemoryAttr>(unwrap(attr)).getBuffers();
}

int64_t gridirOperandMemoryAttrGetFetches(MlirAttribute attr) {
  return cast<OperandMemoryAttr>(unwrap(attr)).getFetches().value_or(-1);
}

bool gridirAttributeIsAMemoryPlan(MlirAttribute attr) {
  return isa<MemoryPlanAttr>(unwrap(attr));
}

MlirTypeID gridirMemoryPlanAttrGetTypeID() {
  return wrap(MemoryPlanAttr::getTypeID());
}

MlirStringRef gridirMemoryPlanAttrGetTarget(MlirAttribute attr) {
  return wrap(cast<MemoryPlanAttr>(unwrap(attr)).getTarget().getValue());
}

intptr_t gridirMemoryPlanAttrGetNumOperands(MlirAttribute attr) {
  return cast<MemoryPlanAttr>(unwrap(attr)).getOperands().size();
}

MlirAttribute gridirMemoryPlanAttrGetOperand(MlirAttribute attr, intptr_t i) {
  return wrap(Attribute(cast<MemoryPlanAttr>(unwrap(attr)).getOperands()[i]));
}

intptr_t gridirMemoryPlanAttrGetNumSpaces(MlirAttribute attr) {
  return cast<MemoryPlanAttr>(unwrap(attr)).getSpaces().size();
}

MlirStringRef gridirMemoryPlanAttrGetSpace(MlirAttribute attr, intptr_t i) {
  return wrap(
      cast<MemoryPlanAttr>(unwrap(attr)).getSpaces()[i].getSpace().getValue());
}

int64_t gridirMemoryPlanAttrGetSpaceBytes(MlirAttribute attr, intptr_t i) {
  return cast<MemoryPlanAttr>(unwrap(attr)).getSpaces()[i].getBytes();
}
