//===- Chip.cpp - the table of TPUs ---------------------------------------===//
//
// Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dialects/TPU/Target/Chip.h"

using namespace mlir;

namespace gridir::tpu {

// The clock of a chip is its stated rate of products divided by the products of
// its matrix units in a cycle.

static constexpr Chip getV4() {
  Chip chip;
  chip.name = "v4";
  chip.topology = "2x2x1";
  chip.deviceKind = "TPU v4";
  chip.cores = chip.deviceCores = 2;
  chip.vmemBytes = 16 << 20;
  chip.hasNarrowIntegers = false;
  chip.product.name = "TPU v4";
  chip.product.source = "docs.cloud.google.com/tpu/docs/v4";
  chip.product.clockHz = 1.05e9;
  chip.product.flops = 275e12;
  chip.product.bandwidth = 1228e9;
  return chip;
}

static constexpr Chip getV5e() {
  Chip chip;
  chip.name = "v5e";
  chip.topology = "2x2";
  chip.deviceKind = "TPU v5 lite";
  chip.vmemBytes = 128 << 20;
  chip.product.name = "TPU v5e";
  chip.product.source = "docs.cloud.google.com/tpu/docs/v5e";
  chip.product.clockHz = 1.5e9;
  chip.product.flops = 197e12;
  chip.product.bandwidth = 819e9;
  return chip;
}

static constexpr Chip getV5p() {
  Chip chip;
  chip.name = "v5p";
  chip.topology = "2x2x1";
  chip.deviceKind = "TPU v5";
  chip.cores = chip.deviceCores = 2;
  chip.vmemBytes = 64 << 20;
  chip.product.name = "TPU v5p";
  chip.product.source = "docs.cloud.google.com/tpu/docs/v5p";
  chip.product.clockHz = 1.75e9;
  chip.product.flops = 459e12;
  chip.product.bandwidth = 2765e9;
  return chip;
}

static constexpr Chip getV6e() {
  Chip chip;
  chip.name = "v6e";
  chip.topology = "2x2";
  chip.deviceKind = "TPU v6 lite";
  chip.vmemBytes = 128 << 20;
  chip.matrixUnits = 2;
  chip.matrixUnitSize = 256;
  chip.hasLogisticUnit = chip.hasNarrowVectors = true;
  chip.product.name = "TPU v6e";
  chip.product.source = "docs.cloud.google.com/tpu/docs/v6e";
  chip.product.clockHz = 1.75e9;
  chip.product.flops = 918e12;
  chip.product.bandwidth = 1640e9;
  return chip;
}

static constexpr Chip getTpu7x() {
  Chip chip;
  chip.name = "tpu7x";
  chip.topology = "2x2x1";
  chip.deviceKind = "TPU7x";
  chip.cores = 2;
  chip.vmemBytes = 64 << 20;
  chip.matrixUnits = 2;
  chip.matrixUnitSize = 256;
  chip.hasLogisticUnit = chip.hasNarrowVectors = true;
  chip.product.name = "TPU7x";
  chip.product.source = "docs.cloud.google.com/tpu/docs/tpu7x";
  chip.product.clockHz = 2.2e9;
  chip.product.flops = 2307e12;
  chip.product.bandwidth = 7380e9;
  return chip;
}

static constexpr Chip kChips[] = {getV4(), getV5e(), getV5p(), getV6e(),
                                  getTpu7x()};

ArrayRef<Chip> getChips() { return kChips; }

int64_t getMaxVmemBytes() {
  return llvm::max_element(kChips,
                           [](const Chip &a, const Chip &b) {
                             return a.vmemBytes < b.vmemBytes;
                           })
      ->vmemBytes;
}

} // namespace gridir::tpu
