//===- TPUTarget.h - What a TPU can hold ------------------------*- C++ -*-===//
//
// Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef GRIDIR_DIALECTS_TPU_TARGET_TPUTARGET_H
#define GRIDIR_DIALECTS_TPU_TARGET_TPUTARGET_H

#include "dialects/Grid/Target/Target.h"

namespace gridir::tpu {

/// The VMEM of the chips that have most of it, from v5e on.
inline constexpr int64_t kMaxVmemBytes = int64_t(128) << 20;

/// A TPU: blocks are copied into VMEM, which holds whole tiles.
class TPUTarget : public grid::Target {
public:
  llvm::StringRef getName() const override { return "tpu"; }
  llvm::StringRef getNoun() const override { return "a TPU"; }
  /// The types of elements that Mosaic loads and stores.
  bool isElementType(mlir::Type type) const override;
  llvm::LogicalResult checkBlocks(grid::KernelOp kernel,
                                  unsigned operand) const override;
  bool usesBlocksInPlace() const override { return false; }
  grid::MemorySpace getDefaultSpace(bool isIndexOperand) const override;
  int64_t getHeldBytes(llvm::ArrayRef<int64_t> block,
                       llvm::ArrayRef<int64_t> array, mlir::Type elementType,
                       grid::MemorySpace space) const override;
  /// The author's limit for a kernel, or the capacity of a chip.
  grid::SpaceBytes getCapacities(grid::KernelOp kernel) const override;
};

} // namespace gridir::tpu

#endif // GRIDIR_DIALECTS_TPU_TARGET_TPUTARGET_H
