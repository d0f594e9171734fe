//===- GridAttributes.cpp - Python classes of the grid dialect ------------===//
//
// Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dialects/CAPI/GridAttributes.h"
#include "dialects/CAPI/KernelEffects.h"
#include "mlir-c/BuiltinAttributes.h"
#include "mlir-c/BuiltinTypes.h"
#include "mlir/Bindings/Python/Diagnostics.h"
#include "mlir/Bindings/Python/NanobindAdaptors.h"

#include <optional>
#include <string>
#include <variant>
#include <vector>

namespace nb = nanobind;
using namespace mlir::python;
using mlir::python::nanobind_adaptors::mlir_attribute_subclass;
using mlir::python::nanobind_adaptors::mlir_type_subclass;

namespace {

MlirStringRef toRef(const std::string &string) {
  return mlirStringRefCreate(string.data(), string.size());
}

MlirStringRef toRef(const std::optional<std::string> &string) {
  return string ? toRef(*string) : MlirStringRef{nullptr, 0};
}

std::string toString(MlirStringRef ref) {
  return std::string(ref.data, ref.length);
}

/// An absent string of the C API is empty.
std::optional<std::string> toOptional(MlirStringRef ref) {
  return ref.length == 0 ? std::nullopt : std::optional(toString(ref));
}

/// Makes an attribute or a type and turns the diagnostic of a failure into a
/// ValueError.
template <typename Make> auto make(MlirContext context, Make &&makeIt) {
  CollectDiagnosticsToStringScope diagnostics(context);
  auto made = makeIt();
  std::string message = diagnostics.takeMessage();
  if (!made.ptr) {
    // Ops that a pass creates have no location.
    static const std::string noLocation = "at loc(unknown): ";
    if (message.compare(0, noLocation.size(), noLocation) == 0)
      message.erase(0, noLocation.size());
    while (!message.empty() && message.back() == '\n')
      message.pop_back();
    throw nb::value_error(message.c_str());
  }
  return made;
}

using Dims = std::vector<std::variant<int64_t, std::string>>;

MlirAttribute shapeToAttribute(MlirContext context, const Dims &shape) {
  MlirType i64 = mlirIntegerTypeGet(context, 64);
  std::vector<MlirAttribute> dims;
  for (const auto &dim : shape) {
    if (const auto *size = std::get_if<int64_t>(&dim))
      dims.push_back(mlirIntegerAttrGet(i64, *size));
    else
      dims.push_back(
          mlirStringAttrGet(context, toRef(std::get<std::string>(dim))));
  }
  return mlirArrayAttrGet(context, dims.size(), dims.data());
}

Dims shapeFromAttribute(MlirAttribute shape) {
  Dims dims;
  for (intptr_t i = 0, e = mlirArrayAttrGetNumElements(shape); i < e; ++i) {
    MlirAttribute dim = mlirArrayAttrGetElement(shape, i);
    if (mlirAttributeIsAInteger(dim))
      dims.emplace_back(mlirIntegerAttrGetValueInt(dim));
    else
      dims.emplace_back(toString(mlirStringAttrGetValue(dim)));
  }
  return dims;
}

/// The parts of an attribute, by the functions that count and get them.
template <typename Part>
std::vector<Part> collect(MlirAttribute attr, intptr_t (*count)(MlirAttribute),
                          Part (*get)(MlirAttribute, intptr_t)) {
  std::vector<Part> parts;
  for (intptr_t i = 0, e = count(attr); i < e; ++i)
    parts.push_back(get(attr, i));
  return parts;
}

void populateNames(nb::module_ &m) {
  mlir_attribute_subclass(m, "MemorySpaceAttr", gridirAttributeIsASpace,
                          gridirSpaceAttrGetTypeID)
      .def_classmethod(
          "get",
          [](const nb::object &cls, const std::string &space,
             MlirContext context) {
            return cls(make(context, [&] {
              return gridirSpaceAttrGet(context, toRef(space));
            }));
          },
          nb::arg("cls"), nb::arg("space"), nb::arg("context") = nb::none(),
          "The memory space of a Ref, for example \"tpu.vmem\".")
      .def_property_readonly("value", [](MlirAttribute self) {
        return toString(gridirSpaceAttrGetValue(self));
      });

  mlir_attribute_subclass(m, "DimSemanticsAttr", gridirAttributeIsADimSemantics,
                          gridirDimSemanticsAttrGetTypeID)
      .def_classmethod(
          "get",
          [](const nb::object &cls, const std::string &semantics,
             MlirContext context) {
            return cls(make(context, [&] {
              return gridirDimSemanticsAttrGet(context, toRef(semantics));
            }));
          },
          nb::arg("cls"), nb::arg("semantics"), nb::arg("context") = nb::none(),
          "The semantics of a grid dimension, for example \"parallel\".")
      .def_property_readonly("value", [](MlirAttribute self) {
        return toString(gridirDimSemanticsAttrGetValue(self));
      });

  mlir_type_subclass(m, "SemaphoreType", gridirTypeIsASemaphore,
                     gridirSemaphoreTypeGetTypeID)
      .def_classmethod(
          "get",
          [](const nb::object &cls, const std::string &kind,
             MlirContext context) {
            return cls(make(context, [&] {
              return gridirSemaphoreTypeGet(context, toRef(kind));
            }));
          },
          nb::arg("cls"), nb::arg("kind"), nb::arg("context") = nb::none(),
          "A semaphore: \"regular\", \"dma\" or \"barrier\".")
      .def_property_readonly("kind", [](MlirType self) {
        return toString(gridirSemaphoreTypeGetKind(self));
      });
}

void populateGrid(nb::module_ &m) {
  mlir_attribute_subclass(m, "DimAttr", gridirAttributeIsADim,
                          gridirDimAttrGetTypeID)
      .def_classmethod(
          "get",
          [](const nb::object &cls, std::optional<int64_t> size,
             std::optional<std::string> name, bool vmapped,
             const std::string &kind, MlirContext context) {
            return cls(make(context, [&] {
              return gridirDimAttrGet(context, size.value_or(-1), toRef(name),
                                      vmapped, toRef(kind));
            }));
          },
          nb::arg("cls"), nb::arg("size").none(), nb::arg("name") = nb::none(),
          nb::arg("vmapped") = false, nb::arg("kind") = "grid",
          nb::arg("context") = nb::none(),
          "A dimension of a grid; a size of None is given at the call.")
      .def_property_readonly("size",
                             [](MlirAttribute self) -> std::optional<int64_t> {
                               int64_t size = gridirDimAttrGetSize(self);
                               return size < 0 ? std::nullopt
                                               : std::optional(size);
                             })
      .def_property_readonly("name",
                             [](MlirAttribute self) {
                               return toOptional(gridirDimAttrGetName(self));
                             })
      .def_property_readonly(
          "vmapped",
          [](MlirAttribute self) { return gridirDimAttrGetVmapped(self); })
      .def_property_readonly("kind", [](MlirAttribute self) {
        return toString(gridirDimAttrGetKind(self));
      });

  mlir_attribute_subclass(m, "CostAttr", gridirAttributeIsACost,
                          gridirCostAttrGetTypeID)
      .def_classmethod(
          "get",
          [](const nb::object &cls, int64_t flops, int64_t transcendentals,
             int64_t bytesAccessed, int64_t remoteBytesTransferred,
             MlirContext context) {
            return cls(gridirCostAttrGet(context, flops, transcendentals,
                                         bytesAccessed,
                                         remoteBytesTransferred));
          },
          nb::arg("cls"), nb::arg("flops"), nb::arg("transcendentals"),
          nb::arg("bytes_accessed"), nb::arg("remote_bytes_transferred") = 0,
          nb::arg("context") = nb::none(),
          "The author's estimate of the cost of one call.")
      .def_property_readonly(
          "flops",
          [](MlirAttribute self) { return gridirCostAttrGetFlops(self); })
      .def_property_readonly("transcendentals",
                             [](MlirAttribute self) {
                               return gridirCostAttrGetTranscendentals(self);
                             })
      .def_property_readonly("bytes_accessed",
                             [](MlirAttribute self) {
                               return gridirCostAttrGetBytesAccessed(self);
                             })
      .def_property_readonly(
          "remote_bytes_transferred", [](MlirAttribute self) {
            return gridirCostAttrGetRemoteBytesTransferred(self);
          });
}

void populateBlockDim(nb::module_ &m) {
  mlir_attribute_subclass(m, "BlockDimAttr", gridirAttributeIsABlockDim,
                          gridirBlockDimAttrGetTypeID)
      .def_classmethod(
          "get",
          [](const nb::object &cls, int64_t size, const std::string &kind,
             std::pair<int64_t, int64_t> padding, MlirContext context) {
            return cls(make(context, [&] {
              return gridirBlockDimAttrGet(context, toRef(kind), size,
                                           padding.first, padding.second);
            }));
          },
          nb::arg("cls"), nb::arg("size"), nb::arg("kind") = "blocked",
          nb::arg("padding") = std::pair<int64_t, int64_t>(0, 0),
          nb::arg("context") = nb::none(),
          "How a dimension is divided: \"blocked\", \"squeezed\" (of size 1), "
          "\"element\", "
          "\"bounded_slice\" or \"indirect\".")
      .def_property_readonly("kind",
                             [](MlirAttribute self) {
                               return toString(gridirBlockDimAttrGetKind(self));
                             })
      .def_property_readonly(
          "size",
          [](MlirAttribute self) { return gridirBlockDimAttrGetSize(self); })
      .def_property_readonly("padding", [](MlirAttribute self) {
        return std::pair(gridirBlockDimAttrGetPadLow(self),
                         gridirBlockDimAttrGetPadHigh(self));
      });
}

void populatePipelineMode(nb::module_ &m) {
  mlir_attribute_subclass(m, "PipelineModeAttr", gridirAttributeIsAPipelineMode,
                          gridirPipelineModeAttrGetTypeID)
      .def_classmethod(
          "get",
          [](const nb::object &cls, int64_t buffers, bool lookahead,
             std::optional<std::string> revisit,
             std::optional<int64_t> writeBuffers, int64_t prefetched,
             MlirContext context) {
            // The C API has 0 for an absent number.
            if (writeBuffers == 0)
              writeBuffers = -1;
            return cls(make(context, [&] {
              return gridirPipelineModeAttrGet(
                  context, buffers, lookahead, toRef(revisit),
                  writeBuffers.value_or(0), prefetched);
            }));
          },
          nb::arg("cls"), nb::arg("buffers"), nb::arg("lookahead") = false,
          nb::arg("revisit") = nb::none(),
          nb::arg("write_buffers") = nb::none(), nb::arg("prefetched") = 0,
          nb::arg("context") = nb::none(),
          "How blocks are buffered; `revisit` is \"immediate\", \"any\" or "
          "None.")
      .def_property_readonly("buffers",
                             [](MlirAttribute self) {
                               return gridirPipelineModeAttrGetBuffers(self);
                             })
      .def_property_readonly("lookahead",
                             [](MlirAttribute self) {
                               return gridirPipelineModeAttrGetLookahead(self);
                             })
      .def_property_readonly("revisit",
                             [](MlirAttribute self) {
                               return toOptional(
                                   gridirPipelineModeAttrGetRevisit(self));
                             })
      .def_property_readonly(
          "write_buffers",
          [](MlirAttribute self) -> std::optional<int64_t> {
            int64_t count = gridirPipelineModeAttrGetWriteBuffers(self);
            return count == 0 ? std::nullopt : std::optional(count);
          })
      .def_property_readonly("prefetched", [](MlirAttribute self) {
        return gridirPipelineModeAttrGetPrefetched(self);
      });
}

void populateTransform(nb::module_ &m) {
  mlir_attribute_subclass(m, "TransformAttr", gridirAttributeIsATransform,
                          gridirTransformAttrGetTypeID)
      .def_classmethod(
          "get",
          [](const nb::object &cls, const std::string &kind,
             std::vector<int64_t> values, MlirContext context) {
            return cls(make(context, [&] {
              return gridirTransformAttrGet(context, toRef(kind), values.size(),
                                            values.data());
            }));
          },
          nb::arg("cls"), nb::arg("kind"), nb::arg("values"),
          nb::arg("context") = nb::none(),
          "A step from a block to its Ref: \"tiling\", \"untiling\", "
          "\"swizzle\", \"unswizzle\" "
          "or \"transpose\".")
      .def_property_readonly("kind",
                             [](MlirAttribute self) {
                               return toString(
                                   gridirTransformAttrGetKind(self));
                             })
      .def_property_readonly("values", [](MlirAttribute self) {
        return collect(self, gridirTransformAttrGetNumValues,
                       gridirTransformAttrGetValue);
      });
}

void populateOperand(nb::module_ &m) {
  mlir_attribute_subclass(m, "OperandAttr", gridirAttributeIsAOperand,
                          gridirOperandAttrGetTypeID)
      .def_classmethod(
          "get",
          [](const nb::object &cls, MlirType elementType, const Dims &shape,
             std::vector<MlirAttribute> block, const std::string &space,
             std::optional<MlirAttribute> pipeline,
             std::vector<MlirAttribute> transforms,
             std::optional<std::string> origin,
             std::optional<std::string> indexTree, MlirContext context) {
            return cls(make(context, [&] {
              return gridirOperandAttrGet(
                  context, elementType, shapeToAttribute(context, shape),
                  block.size(), block.data(), toRef(space),
                  pipeline.value_or(MlirAttribute{nullptr}), transforms.size(),
                  transforms.data(), toRef(origin), toRef(indexTree));
            }));
          },
          nb::arg("cls"), nb::arg("element_type"), nb::arg("shape"),
          nb::arg("block") = std::vector<MlirAttribute>(),
          nb::arg("space") = "default", nb::arg("pipeline") = nb::none(),
          nb::arg("transforms") = std::vector<MlirAttribute>(),
          nb::arg("origin") = nb::none(), nb::arg("index_tree") = nb::none(),
          nb::arg("context") = nb::none(),
          "An array operand of a kernel. A dimension of `shape` is a number or "
          "the name of a "
          "symbol; without `block` the whole array is the block.")
      .def_property_readonly("element_type",
                             [](MlirAttribute self) {
                               return gridirOperandAttrGetElementType(self);
                             })
      .def_property_readonly("shape",
                             [](MlirAttribute self) {
                               return shapeFromAttribute(
                                   gridirOperandAttrGetShape(self));
                             })
      .def_property_readonly("block",
                             [](MlirAttribute self) {
                               return collect(self,
                                              gridirOperandAttrGetNumBlockDims,
                                              gridirOperandAttrGetBlockDim);
                             })
      .def_property_readonly("space",
                             [](MlirAttribute self) {
                               return toString(gridirOperandAttrGetSpace(self));
                             })
      .def_property_readonly(
          "pipeline",
          [](MlirAttribute self) -> std::optional<MlirAttribute> {
            MlirAttribute pipeline = gridirOperandAttrGetPipeline(self);
            return pipeline.ptr ? std::optional(pipeline) : std::nullopt;
          })
      .def_property_readonly("transforms",
                             [](MlirAttribute self) {
                               return collect(self,
                                              gridirOperandAttrGetNumTransforms,
                                              gridirOperandAttrGetTransform);
                             })
      .def_property_readonly("origin",
                             [](MlirAttribute self) {
                               return toOptional(
                                   gridirOperandAttrGetOrigin(self));
                             })
      .def_property_readonly("index_tree",
                             [](MlirAttribute self) {
                               return toOptional(
                                   gridirOperandAttrGetIndexTree(self));
                             })
      .def_property_readonly(
          "ref_type",
          [](MlirAttribute self) { return gridirOperandAttrGetRefType(self); })
      .def_property_readonly("array_type", [](MlirAttribute self) {
        return gridirOperandAttrGetArrayType(self);
      });
}

void populateMemoryPlan(nb::module_ &m) {
  mlir_attribute_subclass(m, "OperandMemoryAttr",
                          gridirAttributeIsAOperandMemory,
                          gridirOperandMemoryAttrGetTypeID)
      .def_property_readonly("name",
                             [](MlirAttribute self) {
                               return toString(
                                   gridirOperandMemoryAttrGetName(self));
                             })
      .def_property_readonly("space",
                             [](MlirAttribute self) {
                               return toString(
                                   gridirOperandMemoryAttrGetSpace(self));
                             })
      .def_property_readonly("block_bytes",
                             [](MlirAttribute self) {
                               return gridirOperandMemoryAttrGetBlockBytes(
                                   self);
                             })
      .def_property_readonly("buffers",
                             [](MlirAttribute self) {
                               return gridirOperandMemoryAttrGetBuffers(self);
                             })
      .def_property_readonly(
          "fetches", [](MlirAttribute self) -> std::optional<int64_t> {
            int64_t count = gridirOperandMemoryAttrGetFetches(self);
            return count < 0 ? std::nullopt : std::optional(count);
          });

  mlir_attribute_subclass(m, "MemoryPlanAttr", gridirAttributeIsAMemoryPlan,
                          gridirMemoryPlanAttrGetTypeID)
      .def_property_readonly("target",
                             [](MlirAttribute self) {
                               return toString(
                                   gridirMemoryPlanAttrGetTarget(self));
                             })
      .def_property_readonly("operands",
                             [](MlirAttribute self) {
                               return collect(
                                   self, gridirMemoryPlanAttrGetNumOperands,
                                   gridirMemoryPlanAttrGetOperand);
                             })
      .def_property_readonly("spaces", [](MlirAttribute self) {
        nb::dict bytes;
        for (intptr_t i = 0, e = gridirMemoryPlanAttrGetNumSpaces(self); i < e;
             ++i)
          bytes[nb::str(
              toString(gridirMemoryPlanAttrGetSpace(self, i)).c_str())] =
              gridirMemoryPlanAttrGetSpaceBytes(self, i);
        return bytes;
      });
}

void populateEffects(nb::module_ &m) {
  m.def("knows_devices", &gridirKernelKnowsDevices);
  m.def("accesses_devices", &gridirKernelAccessesDevices);
  m.def("has_output", &gridirKernelHasOutput);
}

} // namespace

NB_MODULE(_gridirGrid, m) {
  m.doc() = "The attributes and types of the grid dialect, and the effects of "
            "its kernels outside of their operands.";
  populateNames(m);
  populateGrid(m);
  populateBlockDim(m);
  populatePipelineMode(m);
  populateTransform(m);
  populateOperand(m);
  populateMemoryPlan(m);
  populateEffects(m);
}
