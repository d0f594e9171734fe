//===- SharedLayout.h - How arrays lie in shared memory --------*- C++ -*--===//
//
// Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef GRIDIR_DIALECTS_CONVERSION_WARPGROUPTONVVM_SHAREDLAYOUT_H
#define GRIDIR_DIALECTS_CONVERSION_WARPGROUPTONVVM_SHAREDLAYOUT_H

#include "dialects/Conversion/WarpgroupToNVVM/Lowering.h"

namespace gridir::warpgroup_to_nvvm {

/// Chooses the panels and the swizzle of an array in shared memory: as the
/// transforms specify, which may be null, or else as the MMAs require that read
/// the array. The placement of elements is internal to the compiler. Returns
/// the storage dimension of each array dimension: if tiles have unit dimensions
/// between rows and columns, these count panels.
llvm::SmallVector<int64_t> setSharedLayout(Storage &storage, mlir::Value ref,
                                           mlir::ArrayAttr transforms);

} // namespace gridir::warpgroup_to_nvvm

#endif // GRIDIR_DIALECTS_CONVERSION_WARPGROUPTONVVM_SHAREDLAYOUT_H
