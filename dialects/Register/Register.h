//===- Register.h - The one list of dialects and passes --------*- C++ -*--===//
//
// Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Every tool and the Python bindings register through these functions, so that
// all accept the same input.
//
//===----------------------------------------------------------------------===//

#ifndef GRIDIR_DIALECTS_REGISTER_REGISTER_H
#define GRIDIR_DIALECTS_REGISTER_REGISTER_H

namespace mlir {
class DialectRegistry;
} // namespace mlir

namespace gridir {

/// Adds gridir's dialects, the upstream dialects that a person who lowers to a
/// CPU or a GPU expects, and the extensions and external models of both.
void registerAllDialects(mlir::DialectRegistry &registry);

/// Adds the external models and extensions of those dialects: bufferization,
/// tiling, inlining, conversion and translation to LLVM, transform operations.
/// Part of `registerAllDialects`.
void registerAllInterfaces(mlir::DialectRegistry &registry);

/// Registers the targets of the passes on `grid`. Part of `registerAllPasses`.
void registerAllTargets();

/// Registers gridir's passes and pipelines and the upstream ones. Only the
/// first call has an effect: the registry of passes belongs to the process.
void registerAllPasses();

} // namespace gridir

#endif // GRIDIR_DIALECTS_REGISTER_REGISTER_H
