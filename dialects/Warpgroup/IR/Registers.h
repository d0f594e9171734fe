//===- Registers.h - Registers of the threads of a warpgroup ---*- C++ -*--===//
//
// Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef GRIDIR_DIALECTS_WARPGROUP_IR_REGISTERS_H
#define GRIDIR_DIALECTS_WARPGROUP_IR_REGISTERS_H

#include "dialects/GPU/Target/Chip.h"
#include "dialects/Warpgroup/IR/Warpgroup.h"

namespace gridir::warpgroup {

/// For each Ref of a `grid.scoped` the number of 32-bit registers that hold it,
/// or -1 for all. A scope without the attribute has only Refs that registers
/// hold completely.
constexpr llvm::StringLiteral kHeldRegistersAttr = "warpgroup.held_registers";

/// The maximum number of registers of an accumulator in local memory that one
/// MMA updates at a time.
constexpr int64_t kMovedRegisters = 32;

/// Returns the maximum number of 32-bit registers of a thread of a kernel.
int64_t getMaxRegisters(grid::KernelOp kernel, const gpu::Chip &chip);

/// True if a Ref in registers, or a window of it, is the accumulator of an MMA.
bool isAccumulator(mlir::Value ref);

/// Verifies the value of `kHeldRegistersAttr`.
llvm::LogicalResult verifyHeldRegisters(mlir::Operation *op,
                                        mlir::Attribute value);

} // namespace gridir::warpgroup

#endif // GRIDIR_DIALECTS_WARPGROUP_IR_REGISTERS_H
