//===- KernelAttributes.cpp - Python classes of the kernel dialect --------===//
//
// Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dialects/CAPI/KernelAttributes.h"
#include "mlir/Bindings/Python/NanobindAdaptors.h"

#include <vector>

namespace nb = nanobind;
using mlir::python::nanobind_adaptors::mlir_attribute_subclass;

NB_MODULE(_gridirKernel, m) {
  m.doc() = "Attributes of lowered kernels";
  mlir_attribute_subclass(m, "TensorMapAttr", gridirAttributeIsATensorMap,
                          gridirTensorMapAttrGetTypeID)
      .def_property_readonly("operand",
                             [](MlirAttribute self) {
                               return gridirTensorMapAttrGetOperand(self);
                             })
      .def_property_readonly(
          "tensor",
          [](MlirAttribute self) { return gridirTensorMapAttrGetTensor(self); })
      .def_property_readonly(
          "box",
          [](MlirAttribute self) {
            std::vector<int64_t> box;
            for (intptr_t i = 0, e = gridirTensorMapAttrGetRank(self); i < e;
                 ++i)
              box.push_back(gridirTensorMapAttrGetBoxSize(self, i));
            return box;
          })
      .def_property_readonly("swizzle", [](MlirAttribute self) {
        return gridirTensorMapAttrGetSwizzle(self);
      });
}
