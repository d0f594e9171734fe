//===- TPUTarget.h - What a TPU can hold ------------------------*- C++ -*-===//
//
// Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef GRIDIR_DIALECTS_TPU_TARGET_TPUTARGET_H
#define GRIDIR_DIALECTS_TPU_TARGET_TPUTARGET_H

#include "dialects/TPU/Target/Chip.h"

namespace gridir::tpu {

/// A TPU: blocks are copied into VMEM, which holds whole tiles.
class TPUTarget : public grid::Target {
public:
  /// Creates the target of a chip, or of all chips if `chip` is null.
  explicit TPUTarget(const Chip *chip = nullptr) : chip(chip) {}

  llvm::StringRef getName() const override { return "tpu"; }
  llvm::StringRef getNoun() const override { return "a TPU"; }
  llvm::StringRef getChip() const override {
    return chip ? llvm::StringRef(chip->name) : "";
  }
  /// The types of elements that Mosaic loads and stores.
  bool isElementType(mlir::Type type) const override;
  llvm::LogicalResult checkBlocks(grid::KernelOp kernel,
                                  unsigned operand) const override;
  bool usesBlocksInPlace() const override { return false; }
  llvm::StringRef getDefaultSpace(bool isIndexOperand) const override;
  int64_t getHeldBytes(llvm::ArrayRef<int64_t> block,
                       llvm::ArrayRef<int64_t> array, mlir::Type elementType,
                       llvm::StringRef space) const override;
  /// The author's limit for a kernel, or the memory of the chip. Without a chip
  /// it is the largest of all chips.
  grid::SpaceBytes getCapacities(grid::KernelOp kernel) const override;
  llvm::json::Object describeChip() const override;

private:
  const Chip *chip;
};

/// Attaches `ParamsAttrInterface` to the parameters of backends for a TPU.
void registerParamsModels(mlir::DialectRegistry &registry);

} // namespace gridir::tpu

#endif // GRIDIR_DIALECTS_TPU_TARGET_TPUTARGET_H
