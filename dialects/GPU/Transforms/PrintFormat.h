//===- PrintFormat.h - Python's formats as those of printf ----*- C++ -*--===//
//
// Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef GRIDIR_DIALECTS_GPU_TRANSFORMS_PRINTFORMAT_H
#define GRIDIR_DIALECTS_GPU_TRANSFORMS_PRINTFORMAT_H

#include "mlir/IR/Builders.h"

namespace gridir::gpu {

/// A Python format string as the texts around its placeholders, which `printf`
/// takes as they are, and the format specification of each.
struct PrintFormat {
  llvm::SmallVector<std::string> texts{""};
  llvm::SmallVector<llvm::StringRef> specs;

  explicit PrintFormat(llvm::StringRef format);
};

/// A number in a type that `printf` takes, and the directive that prints it as
/// the specification says.
std::pair<std::string, mlir::Value>
createPrintedNumber(mlir::OpBuilder &builder, mlir::Location loc,
                    mlir::Value number, bool isUnsigned, llvm::StringRef spec);

} // namespace gridir::gpu

#endif // GRIDIR_DIALECTS_GPU_TRANSFORMS_PRINTFORMAT_H
