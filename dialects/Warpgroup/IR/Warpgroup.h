//===- Warpgroup.h - The warpgroup dialect -------------------*- C++ -*--===//
//
// Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef GRIDIR_DIALECTS_WARPGROUP_IR_WARPGROUP_H
#define GRIDIR_DIALECTS_WARPGROUP_IR_WARPGROUP_H

#include "dialects/Grid/IR/Grid.h"
#include "dialects/Grid/IR/GridAsyncInterface.h"
#include "dialects/Grid/IR/GridWindowInterface.h"
#include "dialects/Warpgroup/Layout/Layout.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/IR/TensorEncoding.h"

namespace gridir::warpgroup {

/// The maximum number of CTAs of a cluster, on any chip.
constexpr int64_t kMaxClusterBlocks = 16;

/// The attributes of `warpgroup-plan-memory`: the offsets of the Refs of a
/// `grid.scoped` in shared or tensor memory, the bytes and columns that a
/// kernel needs, and the bytes of each warpgroup for relayouts.
constexpr llvm::StringLiteral kOffsetsAttr = "warpgroup.offsets";
constexpr llvm::StringLiteral kSharedBytesAttr = "warpgroup.shared_bytes";
constexpr llvm::StringLiteral kTensorColumnsAttr = "warpgroup.tensor_columns";
constexpr llvm::StringLiteral kScratchBytesAttr = "warpgroup.scratch_bytes";

/// The Refs of a `grid.scoped` that are members of a union, and therefore share
/// bytes of shared memory or columns of tensor memory: for each Ref the number
/// of its union, its offset there, and its size; -1, 0, 0 for other Refs.
constexpr llvm::StringLiteral kUnionsAttr = "warpgroup.unions";

/// The `ScheduleAttr` of a kernel of blocks, and the unit attribute of one that
/// has none and is mapped to threads.
constexpr llvm::StringLiteral kScheduleAttr = "warpgroup.schedule";
constexpr llvm::StringLiteral kMappedAttr = "warpgroup.mapped";

/// Marks a load from memory of another program, and the store to it, as one
/// atomic update. Atomic updates do not race.
constexpr llvm::StringLiteral kUpdateAttr = "warpgroup.update";

/// Returns the kernel of a module if it is a warpgroup program, or null. Fails
/// if there are several kernels.
mlir::FailureOr<grid::KernelOp> getSingleProgram(mlir::ModuleOp module);

/// A member of a union, see `kUnionsAttr`.
struct UnionMember {
  int64_t number, offset, size;

  bool overlaps(const UnionMember &other) const {
    return number == other.number && offset < other.offset + other.size &&
           other.offset < offset + size;
  }
  bool contains(const UnionMember &other) const {
    return number == other.number && offset <= other.offset &&
           other.offset + other.size <= offset + size;
  }
};

/// For each Ref of a scope, its union, offset and size, if it is a member of a
/// union.
llvm::SmallVector<std::optional<UnionMember>>
getUnionMembers(grid::ScopedOp scope);

/// The warpgroups of a block: the product of the known sizes of the grid along
/// the dimensions of threads.
int64_t getNumWarpgroups(grid::KernelOp kernel);

/// The Ref whose elements a slice has, or a slice of a slice and so on.
mlir::Value getSlicedRef(mlir::Value ref);

/// True if only warpgroups of this CTA arrive at the barriers that a scope
/// allocates. Each warp can then arrive separately, without a barrier of the
/// warpgroup: a late warp holds the phase open.
bool arriveByWarps(mlir::Value barriers);

/// The operations that a warpgroup has started and not waited for: groups of
/// copies to global memory, and MMAs.
struct PendingResource : mlir::SideEffects::Resource::Base<PendingResource> {
  llvm::StringRef getName() final { return "warpgroup.pending"; }
};

} // namespace gridir::warpgroup

#include "dialects/Warpgroup/IR/WarpgroupDialect.h.inc"
#include "dialects/Warpgroup/IR/WarpgroupEnums.h.inc"
#include "dialects/Warpgroup/IR/WarpgroupInterfaces.h.inc"

#define GET_ATTRDEF_CLASSES
#include "dialects/Warpgroup/IR/WarpgroupAttrs.h.inc"

#define GET_TYPEDEF_CLASSES
#include "dialects/Warpgroup/IR/WarpgroupTypes.h.inc"

#define GET_OP_CLASSES
#include "dialects/Warpgroup/IR/WarpgroupOps.h.inc"

namespace gridir::warpgroup {

/// The memory of a GPU that a Ref names, if its space is one.
std::optional<Space> getMemorySpace(mlir::MemRefType ref);

/// True for a Ref in a memory of a GPU.
bool isInSpace(mlir::Type ref, Space space);

} // namespace gridir::warpgroup

#endif // GRIDIR_DIALECTS_WARPGROUP_IR_WARPGROUP_H
