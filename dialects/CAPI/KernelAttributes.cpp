//===- KernelAttributes.cpp - C API of the kernel dialect -----------------===//
//
// Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dialects/CAPI/KernelAttributes.h"

#include "dialects/Kernel/IR/Kernel.h"
#include "mlir/CAPI/IR.h"
#include "mlir/CAPI/Support.h"

using namespace mlir;
using namespace gridir::kernel;

static TensorMapAttr toMap(MlirAttribute attr) {
  return cast<TensorMapAttr>(unwrap(attr));
}

bool gridirAttributeIsATensorMap(MlirAttribute attr) {
  return isa<TensorMapAttr>(unwrap(attr));
}

MlirTypeID gridirTensorMapAttrGetTypeID() {
  return wrap(TensorMapAttr::getTypeID());
}

int64_t gridirTensorMapAttrGetOperand(MlirAttribute attr) {
  return toMap(attr).getOperand();
}

MlirType gridirTensorMapAttrGetTensor(MlirAttribute attr) {
  return wrap(Type(toMap(attr).getTensor()));
}

intptr_t gridirTensorMapAttrGetRank(MlirAttribute attr) {
  return toMap(attr).getBox().size();
}

int64_t gridirTensorMapAttrGetBoxSize(MlirAttribute attr, intptr_t i) {
  return toMap(attr).getBox()[i];
}

int64_t gridirTensorMapAttrGetSwizzle(MlirAttribute attr) {
  return toMap(attr).getSwizzle();
}
