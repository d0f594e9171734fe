//===- RegisterRefs.h - Refs in registers -----------------------*- C++ -*-===//
//
// Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef GRIDIR_DIALECTS_WARPGROUP_INFERENCE_REGISTERREFS_H
#define GRIDIR_DIALECTS_WARPGROUP_INFERENCE_REGISTERREFS_H

#include "dialects/Warpgroup/IR/RegisterCoordinates.h"

namespace gridir::warpgroup {

/// Returns the distribution of a Ref in registers that a scope allocates: that
/// of the MMA for an accumulator, otherwise that of the first value that is
/// loaded or stored. None if the type of this value has none.
std::optional<Distribution> getRegisterDistribution(mlir::BlockArgument ref,
                                                    Distributions &known);

} // namespace gridir::warpgroup

#endif // GRIDIR_DIALECTS_WARPGROUP_INFERENCE_REGISTERREFS_H
