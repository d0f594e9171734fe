//===- Chip.h - the table of TPUs -------------------------------*- C++ -*-===//
//
// Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef GRIDIR_DIALECTS_TPU_TARGET_CHIP_H
#define GRIDIR_DIALECTS_TPU_TARGET_CHIP_H

#include "dialects/Grid/Target/Target.h"

namespace gridir::tpu {

/// The properties of a chip for the code generator, schedulers and reports. The
/// sizes of a TensorCore are those of `jax._src.tpu_info`.
struct Chip {
  /// The name in libtpu's topologies.
  llvm::StringLiteral name = "";
  /// The shape of the smallest topology that libtpu compiles for.
  llvm::StringLiteral topology = "";
  /// JAX's name of a device with this chip.
  llvm::StringLiteral deviceKind = "";

  /// TensorCores of the chip, and of one device of JAX.
  int64_t cores = 1, deviceCores = 1;
  /// Bytes of the vector and the scalar memory of a core.
  int64_t vmemBytes = 0, smemBytes = 1 << 20;
  /// Matrix units of a core, and the size of their square arrays.
  int64_t matrixUnits = 4, matrixUnitSize = 128;
  /// True if a core has an instruction for the logistic function, as libtpu's
  /// schedules show.
  bool hasLogisticUnit = false;
  /// True if libtpu shifts integers of 8 bits by any amounts, and compares
  /// unsigned ones of 16 bits, for vectors of this chip.
  bool hasNarrowIntegers = true;
  /// True if a core computes with vectors of bf16, and splits vectors of 8 and
  /// 16 bits into columns, as libtpu's schedules show.
  bool hasNarrowVectors = false;

  /// The figures of the whole chip, with all its cores.
  grid::Product product;
};

/// Returns all chips, the oldest first.
llvm::ArrayRef<Chip> getChips();

/// Returns the largest VMEM of all chips, in bytes.
int64_t getMaxVmemBytes();

} // namespace gridir::tpu

#endif // GRIDIR_DIALECTS_TPU_TARGET_CHIP_H
