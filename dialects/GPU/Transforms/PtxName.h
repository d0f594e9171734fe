//===- PtxName.h - Names of kernels in PTX ---------------------*- C++ -*--===//
//
// Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef GRIDIR_DIALECTS_GPU_TRANSFORMS_PTXNAME_H
#define GRIDIR_DIALECTS_GPU_TRANSFORMS_PTXNAME_H

#include "llvm/ADT/StringRef.h"

#include <string>

namespace gridir::gpu {

/// A name that PTX takes: letters, digits and underscores, not one alone.
std::string toPtxName(llvm::StringRef name);

} // namespace gridir::gpu

#endif // GRIDIR_DIALECTS_GPU_TRANSFORMS_PTXNAME_H
