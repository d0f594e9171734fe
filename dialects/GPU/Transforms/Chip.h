//===- Chip.h - what an NVIDIA GPU has room for ----------------*- C++ -*--===//
//
// Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef GRIDIR_DIALECTS_GPU_TRANSFORMS_CHIP_H
#define GRIDIR_DIALECTS_GPU_TRANSFORMS_CHIP_H

#include "mlir/IR/Diagnostics.h"
#include "mlir/Support/LLVM.h"

namespace gridir::gpu {

/// What the code generator must know of a chip, from the tables of the CUDA
/// programming guide.
struct Chip {
  llvm::StringLiteral name;
  /// Bytes of shared memory that one CTA may ask for. `ptxas` does not check
  /// what a kernel asks for when it is launched.
  int64_t sharedBytes;
  /// The PTX version to emit, as a feature of LLVM's: the oldest that knows
  /// the chip, all products of its matrix unit and stores of blocks to one
  /// another, so that older drivers still load it.
  llvm::StringLiteral ptxFeature;
  /// Whether it converts to and from floats of a byte.
  bool hasSmallFloats;
  /// Whether it copies tiles by tensor maps, and waits for them at barriers in
  /// memory.
  bool hasBulkCopies;
  /// Whether a warpgroup computes products with `wgmma`.
  bool hasWgmma;
  /// Whether a warpgroup may change how many registers its threads have.
  bool hasSetMaxRegisters;
  /// Whether it has tensor memory, and products whose sums are there.
  bool hasTensorMemory;
};

/// The chip of that name, or null.
const Chip *lookupChip(llvm::StringRef name);

/// The chip with the most shared memory for a CTA, which has tensor memory if
/// asked for: the first of those.
const Chip &getLargestChip(bool hasTensorMemory);

/// The chip of that name; a failure says which there are.
mlir::FailureOr<Chip> getChip(llvm::StringRef name, mlir::Location loc);

} // namespace gridir::gpu

#endif // GRIDIR_DIALECTS_GPU_TRANSFORMS_CHIP_H
