//===- GPUParams.cpp - Compiler parameters of kernels for a GPU -----------===//
//
// Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dialects/GPU/Target/GPUTarget.h"

#include "dialects/Grid/IR/KernelParams.h"

using namespace mlir;
using namespace gridir::grid;

namespace {

struct MosaicGpuParamsModel
    : ParamsAttrInterface::ExternalModel<MosaicGpuParamsModel,
                                         MosaicGpuParamsAttr> {
  ArrayAttr getDimensionClaims(Attribute params) const {
    return cast<MosaicGpuParamsAttr>(params).getDimensionSemantics();
  }
};

struct TritonParamsModel
    : ParamsAttrInterface::ExternalModel<TritonParamsModel, TritonParamsAttr> {
};

} // namespace

bool gridir::gpu::allowsApproximations(KernelOp kernel) {
  auto params = getParams<MosaicGpuParamsAttr>(kernel);
  return params && params.getApproxMath() && params.getApproxMath().getValue();
}

void gridir::gpu::registerParamsModels(DialectRegistry &registry) {
  registry.addExtension(+[](MLIRContext *context, GridDialect *) {
    MosaicGpuParamsAttr::attachInterface<MosaicGpuParamsModel>(*context);
    TritonParamsAttr::attachInterface<TritonParamsModel>(*context);
  });
}
