//===- StableMosaic.cpp - The versioned form of Mosaic modules ------------===//
//
// Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dialects/TPU/IR/StableMosaic.h"

MLIR_DEFINE_EXPLICIT_TYPE_ID(gridir::tpu::StableMosaicDialect)

using namespace gridir::tpu;

StableMosaicDialect::StableMosaicDialect(mlir::MLIRContext *context)
    : Dialect(getDialectNamespace(), context,
              mlir::TypeID::get<StableMosaicDialect>()) {
  allowUnknownOperations();
}
