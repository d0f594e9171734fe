//===- Rearrange.h - Bits and elements that change places -------*- C++ -*-===//
//
// Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef GRIDIR_DIALECTS_GRID_TRANSFORMS_REARRANGE_H
#define GRIDIR_DIALECTS_GRID_TRANSFORMS_REARRANGE_H

#include "dialects/Grid/IR/Grid.h"

namespace gridir::grid {

/// The result of an op, computed by shifts of integers, slices and reads of
/// single elements.
mlir::Value createRearranged(mlir::OpBuilder &builder, BitcastOp op);
mlir::Value createRearranged(mlir::OpBuilder &builder, RotateOp op);

} // namespace gridir::grid

#endif // GRIDIR_DIALECTS_GRID_TRANSFORMS_REARRANGE_H
