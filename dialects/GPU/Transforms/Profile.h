//===- Profile.h - What a GPU does not record ------------------*- C++ -*--===//
//
// Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef GRIDIR_DIALECTS_GPU_TRANSFORMS_PROFILE_H
#define GRIDIR_DIALECTS_GPU_TRANSFORMS_PROFILE_H

#include "dialects/Grid/IR/Grid.h"

namespace gridir::gpu {

/// Refuses a kernel whose author asks for a record of when scopes begin and
/// end: no code for a chip makes one.
mlir::LogicalResult checkNoProfile(grid::KernelOp kernel, llvm::StringRef chip);

} // namespace gridir::gpu

#endif // GRIDIR_DIALECTS_GPU_TRANSFORMS_PROFILE_H
