//===- LocalRefs.h - Memory of scratch and of scopes ----------------------===//
//
// Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef GRIDIR_DIALECTS_CONVERSION_GRIDTOLOOPS_LOCALREFS_H
#define GRIDIR_DIALECTS_CONVERSION_GRIDTOLOOPS_LOCALREFS_H

#include "dialects/Conversion/GridToLoops/Lowering.h"

namespace gridir {

/// A Ref of the kernel that lives in `memref`.
mlir::Value createRef(mlir::OpBuilder &builder, mlir::Location loc,
                      mlir::Value memref, mlir::Type type);

/// Checks the shapes of the meshes if several share a kernel: they have at
/// least one dimension, and their cores are the programs of the grid. Cores
/// whose programs share memory are parallel.
mlir::LogicalResult checkMeshes(KernelLowering &lowering);

/// Memory for a Ref of scratch or of a scope with these collective dimensions,
/// which is known by the location of the Ref.
mlir::Value createLocalRef(mlir::OpBuilder &builder, KernelLowering &lowering,
                           mlir::BlockArgument scratch,
                           mlir::ArrayAttr collective = {});

/// Allocates memory for the Refs of all scopes, and inlines their bodies.
mlir::LogicalResult inlineScopes(KernelLowering &lowering);

} // namespace gridir

#endif // GRIDIR_DIALECTS_CONVERSION_GRIDTOLOOPS_LOCALREFS_H
