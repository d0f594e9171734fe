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

/// The properties of a chip for the code generator, from the tables of the CUDA
/// programming guide.
struct Chip {
  llvm::StringLiteral name;
  /// Bytes of shared memory that one CTA may request. `ptxas` does not check
  /// the size of a launch.
  int64_t sharedBytes;
  /// The PTX version to emit, as a feature of LLVM's: the oldest that knows
  /// the chip, all products of its matrix unit and stores of blocks to one
  /// another, so that older drivers still load it.
  llvm::StringLiteral ptxFeature;
  /// True if the chip converts to and from floats of a byte.
  bool hasSmallFloats;
  /// True if the chip copies tiles by tensor maps, and waits for them at
  /// mbarriers.
  bool hasBulkCopies;
  /// True if a warpgroup computes MMAs with `wgmma`.
  bool hasWgmma;
  /// True if a warpgroup may change the number of registers of its threads.
  bool hasSetMaxRegisters;
  /// True if the chip has tensor memory, and MMAs that accumulate in it.
  bool hasTensorMemory;
};

/// The chip of that name, or null.
const Chip *lookupChip(llvm::StringRef name);

/// The chip with the most shared memory for a CTA, which has tensor memory if
/// asked for: the first of those.
const Chip &getLargestChip(bool hasTensorMemory);

/// Returns the chip of that name, or a failure that lists all names.
mlir::FailureOr<Chip> getChip(llvm::StringRef name, mlir::Location loc);

} // namespace gridir::gpu

#endif // GRIDIR_DIALECTS_GPU_TRANSFORMS_CHIP_H
