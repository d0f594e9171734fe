//===- SharedArrays.h - Arrays in shared memory ----------------*- C++ -*--===//
//
// Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef GRIDIR_DIALECTS_CONVERSION_WARPGROUPTONVVM_SHAREDARRAYS_H
#define GRIDIR_DIALECTS_CONVERSION_WARPGROUPTONVVM_SHAREDARRAYS_H

#include "dialects/Conversion/WarpgroupToNVVM/Lowering.h"

namespace gridir::warpgroup_to_nvvm {

/// Returns the array of a Ref at an offset in shared memory, in panels if
/// `warpgroup.shared_layouts` specifies these. If the dimension of the rows is
/// not next to the columns, the storage's dimensions between both count panels.
View createSharedArray(Lowering &lowering, mlir::Location loc, mlir::Value ref,
                       int64_t offset);

} // namespace gridir::warpgroup_to_nvvm

#endif // GRIDIR_DIALECTS_CONVERSION_WARPGROUPTONVVM_SHAREDARRAYS_H
