//===- BlockProgram.h - Kernels of blocks as warpgroup programs -*- C++ -*-===//
//
// Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The kernels of blocks that `convert-grid-to-warpgroup` can convert.
//
//===----------------------------------------------------------------------===//

#ifndef GRIDIR_DIALECTS_WARPGROUP_TRANSFORMS_BLOCKPROGRAM_H
#define GRIDIR_DIALECTS_WARPGROUP_TRANSFORMS_BLOCKPROGRAM_H

#include "dialects/GPU/Target/Chip.h"
#include "dialects/Warpgroup/Transforms/SharedLoads.h"

namespace gridir::warpgroup {

/// 32-bit registers of a thread for the largest array of a part: as many as a
/// part is divided for, and at most. A body holds a few arrays at once, and a
/// thread has 255 registers.
constexpr int64_t kArrayRegisters = 32, kMaxArrayRegisters = 64;

/// The reason why a kernel cannot become a warpgroup program, and its place.
struct Obstacle {
  mlir::Location loc;
  std::string reason;
};

/// The blocks of a kernel: the author's; those that `warpgroup-pad-blocks`
/// leaves, and `warpgroup-prepare-contractions`; or parts of them. Matrix units
/// have the types of contractions of the author's blocks, and the sizes of
/// those of others. Parts of blocks that overhang their array may be outside of
/// it, where a program accesses nothing; blocks of an author may not.
enum class BlockForm { Authored, Padded, Prepared, Parts };

/// Returns the first obstacle of a kernel of blocks, if it has any.
std::optional<Obstacle> findObstacle(grid::KernelOp kernel,
                                     const gpu::Chip &chip, BlockForm form);

/// True if a kernel of blocks has no schedule yet and no obstacle.
bool canBecomeProgram(grid::KernelOp kernel, const gpu::Chip &chip,
                      BlockForm form);

/// Returns the dimensions of an operand's array along which some program's
/// block has elements outside of the array.
llvm::SmallVector<int64_t> getOverhangingDims(grid::KernelOp kernel,
                                              unsigned operand);

/// Returns the operands of a kernel that are outputs which the body reads back
/// and whose block is the same in every step of a program: registers or tensor
/// memory hold it until the last step.
llvm::SmallVector<unsigned> findCarriedOutputs(grid::KernelOp kernel);

/// True for scratch of a kernel of blocks whose parts the body accesses, or
/// elements for which a mask is true: shared memory holds it, while registers
/// hold what is accessed as a whole.
bool isAccessedInParts(mlir::BlockArgument scratch);

/// A dimension whose programs run in the author's order.
bool isSequential(grid::KernelOp kernel, unsigned dim);

} // namespace gridir::warpgroup

#endif // GRIDIR_DIALECTS_WARPGROUP_TRANSFORMS_BLOCKPROGRAM_H
