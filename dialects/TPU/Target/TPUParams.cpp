//===- TPUParams.cpp - Compiler parameters of kernels for a TPU -----------===//
//
// Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dialects/TPU/Target/TPUTarget.h"

#include "dialects/Grid/IR/KernelParams.h"

using namespace mlir;
using namespace gridir::grid;

namespace {

struct TpuParamsModel
    : ParamsAttrInterface::ExternalModel<TpuParamsModel, TpuParamsAttr> {
  ArrayAttr getDimensionClaims(Attribute params) const {
    return cast<TpuParamsAttr>(params).getDimensionSemantics();
  }
  bool leavesBlocksUndefined(Attribute) const { return true; }
  bool disablesBoundsChecks(Attribute params) const {
    BoolAttr disabled = cast<TpuParamsAttr>(params).getDisableBoundsChecks();
    return disabled && disabled.getValue();
  }
};

} // namespace

void gridir::tpu::registerParamsModels(DialectRegistry &registry) {
  registry.addExtension(+[](MLIRContext *context, GridDialect *) {
    TpuParamsAttr::attachInterface<TpuParamsModel>(*context);
  });
}
