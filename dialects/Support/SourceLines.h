//===- SourceLines.h - Lines of the author ---------------------*- C++ -*-===//
//
// Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef GRIDIR_DIALECTS_SUPPORT_SOURCELINES_H
#define GRIDIR_DIALECTS_SUPPORT_SOURCELINES_H

#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/Location.h"

namespace gridir {

/// The source line of a location as `file.py:12:3`, or nothing.
std::string getSourceLine(mlir::Location loc);

/// A text, with the author's line where it is known.
mlir::StringAttr getLocatedText(mlir::Location loc, const llvm::Twine &message);

} // namespace gridir

#endif // GRIDIR_DIALECTS_SUPPORT_SOURCELINES_H
