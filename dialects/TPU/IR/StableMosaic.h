//===- StableMosaic.h - The versioned form of Mosaic modules ---*- C++ -*--===//
//
// Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef GRIDIR_DIALECTS_TPU_IR_STABLEMOSAIC_H
#define GRIDIR_DIALECTS_TPU_IR_STABLEMOSAIC_H

#include "mlir/IR/Dialect.h"

namespace gridir::tpu {

/// The dialect of the form in which the Mosaic compiler reads a module: every
/// op `x` is `stable_mosaic.x`, in generic form, with all of its data as plain
/// attributes. Its ops are not registered: their meaning depends on the version
/// in the module.
class StableMosaicDialect : public mlir::Dialect {
public:
  explicit StableMosaicDialect(mlir::MLIRContext *context);

  static constexpr llvm::StringLiteral getDialectNamespace() {
    return llvm::StringLiteral("stable_mosaic");
  }
  /// The attribute of the module that holds the version.
  static constexpr llvm::StringLiteral getVersionName() {
    return llvm::StringLiteral("stable_mosaic.version");
  }
};

} // namespace gridir::tpu

MLIR_DECLARE_EXPLICIT_TYPE_ID(gridir::tpu::StableMosaicDialect)

#endif // GRIDIR_DIALECTS_TPU_IR_STABLEMOSAIC_H
