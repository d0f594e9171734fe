//===- Passes.h - simple kernels on the threads of a GPU -------*- C++ -*--===//
//
// Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef GRIDIR_DIALECTS_GPU_MAPPING_PASSES_H
#define GRIDIR_DIALECTS_GPU_MAPPING_PASSES_H

#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Pass/Pass.h"

namespace gridir::gpu {

#define GEN_PASS_DECL
#include "dialects/GPU/Mapping/Passes.h.inc"

#define GEN_PASS_REGISTRATION
#include "dialects/GPU/Mapping/Passes.h.inc"

} // namespace gridir::gpu

#endif // GRIDIR_DIALECTS_GPU_MAPPING_PASSES_H
