//===- Chip.h - the table of NVIDIA chips -----------------------*- C++ -*-===//
//
// Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef GRIDIR_DIALECTS_GPU_TARGET_CHIP_H
#define GRIDIR_DIALECTS_GPU_TARGET_CHIP_H

#include "dialects/Grid/Target/Target.h"

namespace gridir::gpu {

/// The lanes of tensor memory, and the 32-bit columns of each.
constexpr int64_t kTensorLanes = 128, kTensorColumns = 512;

/// The shapes of a dense matrix instruction of one CTA on floats: (m, k) times
/// (k, n), where k elements have `depthBits` bits.
struct MatrixProduct {
  llvm::StringLiteral instruction;
  /// The size m.
  int64_t rows;
  /// The least and the greatest n, and the step between values of n.
  int64_t leastColumns, mostColumns, columnStep;
  int64_t depthBits = 256;
};

/// The properties of a chip for the code generator, schedulers and reports.
/// Limits and throughputs are those of the CUDA programming guide for the
/// chip's compute capability.
struct Chip {
  /// The name as LLVM has it.
  llvm::StringLiteral name = "";
  /// The PTX version to emit, as a feature of LLVM's: the oldest that knows
  /// the chip, its products and conversions of floats of a byte, and stores of
  /// blocks to one another, so that older drivers still load it.
  llvm::StringLiteral ptxFeature = "";

  /// Bytes of shared memory that one CTA may request. `ptxas` does not check
  /// the size of a launch.
  int64_t ctaSharedBytes = 0;
  /// Bytes of shared memory that the CTAs of a multiprocessor share; the system
  /// reserves a KiB for each CTA.
  int64_t multiprocessorSharedBytes = 0;
  /// 32-bit registers, threads and CTAs that a multiprocessor holds.
  int64_t registers = 0, threads = 0, ctas = 0;
  /// Elements per cycle of a multiprocessor: arithmetic of f32, and functions
  /// such as `ex2`.
  int64_t vectorOps = 0, functionOps = 0;

  /// True if the chip converts to and from floats of a byte.
  bool hasSmallFloats = false;
  /// True if the chip copies tiles by tensor maps, and waits for them at
  /// mbarriers.
  bool hasBulkCopies = false;
  /// True if a warpgroup computes MMAs with `wgmma`.
  bool hasWgmma = false;
  /// True if a warpgroup may change the number of registers of its threads.
  bool hasSetMaxRegisters = false;
  /// True if the chip has tensor memory, and MMAs that accumulate in it.
  bool hasTensorMemory = false;

  /// A product with this chip, and the number of its multiprocessors; 0 if no
  /// product is known.
  grid::Product product;
  int64_t multiprocessors = 0;

  /// Returns the matrix instructions; that of a warp is first.
  llvm::SmallVector<MatrixProduct> getMatrixProducts() const;
};

/// Returns all chips, the oldest first.
llvm::ArrayRef<Chip> getChips();

/// The chip of that name, or null.
const Chip *lookupChip(llvm::StringRef name);

/// The chip with the most shared memory for a CTA, which has tensor memory if
/// asked for: the first of those.
const Chip &getLargestChip(bool hasTensorMemory);

/// Returns the chip of that name, or a failure that lists all names.
mlir::FailureOr<Chip> getChip(llvm::StringRef name, mlir::Location loc);

} // namespace gridir::gpu

#endif // GRIDIR_DIALECTS_GPU_TARGET_CHIP_H
