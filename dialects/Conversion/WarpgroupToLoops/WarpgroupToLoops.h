//===- WarpgroupToLoops.h - Barriers and bulk copies as calls --*- C++ -*--===//
//
// Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef GRIDIR_DIALECTS_CONVERSION_WARPGROUPTOLOOPS_WARPGROUPTOLOOPS_H
#define GRIDIR_DIALECTS_CONVERSION_WARPGROUPTOLOOPS_WARPGROUPTOLOOPS_H

#include "mlir/IR/DialectRegistry.h"

namespace gridir {

/// Registers the lowerings of `warpgroup` ops with `convert-grid-to-loops`.
void registerWarpgroupToLoops(mlir::DialectRegistry &registry);

} // namespace gridir

#endif // GRIDIR_DIALECTS_CONVERSION_WARPGROUPTOLOOPS_WARPGROUPTOLOOPS_H
