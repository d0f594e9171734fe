//===- Chip.cpp - the table of NVIDIA chips -------------------------------===//
//
// Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dialects/GPU/Target/Chip.h"

#include "llvm/ADT/STLExtras.h"

using namespace mlir;

namespace gridir::gpu {

// A chip has the properties of an older one, except for the fields that its
// function sets.

static constexpr Chip getSm80() {
  Chip chip;
  chip.name = "sm_80";
  chip.ptxFeature = "+ptx70";
  chip.ctaSharedBytes = 163 << 10;
  chip.multiprocessorSharedBytes = 164 << 10;
  chip.registers = 64 << 10;
  chip.threads = 2048;
  chip.ctas = 32;
  chip.vectorOps = 64;
  chip.functionOps = 16;
  chip.multiprocessors = 108;
  chip.product.name = "A100 SXM";
  chip.product.source = "NVIDIA A100 80 GB SXM data sheet and architecture; "
                        "CUDA programming guide, compute capability 8.0";
  chip.product.clockHz = 1.41e9;
  chip.product.flops = 312e12;
  chip.product.bandwidth = 2039e9;
  return chip;
}

static constexpr Chip getSm86() {
  Chip chip = getSm80();
  chip.name = "sm_86";
  chip.ptxFeature = "+ptx71";
  chip.ctaSharedBytes = 99 << 10;
  chip.multiprocessorSharedBytes = 100 << 10;
  chip.threads = 1536;
  chip.ctas = 16;
  chip.vectorOps = 128;
  chip.multiprocessors = 0;
  chip.product = {};
  return chip;
}

static constexpr Chip getSm89() {
  Chip chip = getSm86();
  chip.name = "sm_89";
  chip.ptxFeature = "+ptx81";
  chip.ctas = 24;
  chip.hasSmallFloats = true;
  return chip;
}

static constexpr Chip getSm90() {
  Chip chip = getSm89();
  chip.name = "sm_90";
  chip.ptxFeature = "+ptx81";
  chip.ctaSharedBytes = 227 << 10;
  chip.multiprocessorSharedBytes = 228 << 10;
  chip.threads = 2048;
  chip.ctas = 32;
  chip.hasBulkCopies = true;
  chip.multiprocessors = 132;
  chip.product.name = "H100 SXM";
  chip.product.source = "NVIDIA H100 SXM data sheet; CUDA programming guide, "
                        "compute capability 9.0";
  chip.product.clockHz = 1.83e9;
  chip.product.flops = 989e12;
  chip.product.bandwidth = 3350e9;
  return chip;
}

static constexpr Chip getSm90a() {
  Chip chip = getSm90();
  chip.name = "sm_90a";
  chip.ptxFeature = "+ptx81";
  chip.hasWgmma = true;
  chip.hasSetMaxRegisters = true;
  return chip;
}

static constexpr Chip getSm100() {
  Chip chip = getSm90();
  chip.name = "sm_100";
  chip.ptxFeature = "+ptx86";
  chip.multiprocessors = 148;
  chip.product.name = "B200";
  chip.product.source = "unverified reviews of B200; CUDA programming guide, "
                        "compute capability 10.0";
  chip.product.clockHz = 1.85e9;
  chip.product.flops = 2250e12;
  chip.product.bandwidth = 8000e9;
  return chip;
}

static constexpr Chip getSm100a() {
  Chip chip = getSm100();
  chip.name = "sm_100a";
  chip.ptxFeature = "+ptx88";
  chip.hasSetMaxRegisters = true;
  chip.hasTensorMemory = true;
  return chip;
}

static constexpr Chip getSm120() {
  Chip chip = getSm89();
  chip.name = "sm_120";
  chip.ptxFeature = "+ptx87";
  chip.hasBulkCopies = true;
  return chip;
}

static constexpr Chip kChips[] = {getSm80(),   getSm86(),  getSm89(),
                                  getSm90(),   getSm90a(), getSm100(),
                                  getSm100a(), getSm120()};

SmallVector<MatrixProduct> Chip::getMatrixProducts() const {
  SmallVector<MatrixProduct> products = {{"mma.sync", 16, 8, 8, 8}};
  if (hasWgmma)
    products.push_back({"wgmma", 64, 8, 256, 8});
  if (hasTensorMemory)
    products.append(
        {{"tcgen05.mma", 64, 8, 256, 8}, {"tcgen05.mma", 128, 16, 256, 16}});
  return products;
}

ArrayRef<Chip> getChips() { return kChips; }

const Chip *lookupChip(StringRef name) {
  const Chip *chip = llvm::find_if(
      kChips, [&](const Chip &chip) { return chip.name == name; });
  return chip == std::end(kChips) ? nullptr : chip;
}

const Chip &getLargestChip(bool hasTensorMemory) {
  auto isBetter = [&](const Chip &chip, const Chip &than) {
    return std::pair(chip.hasTensorMemory || !hasTensorMemory,
                     chip.ctaSharedBytes) >
           std::pair(than.hasTensorMemory || !hasTensorMemory,
                     than.ctaSharedBytes);
  };
  return *std::min_element(std::begin(kChips), std::end(kChips), isBetter);
}

FailureOr<Chip> getChip(StringRef name, Location loc) {
  if (const Chip *chip = lookupChip(name))
    return *chip;
  SmallVector<StringRef> names;
  for (const Chip &chip : kChips)
    names.push_back(chip.name);
  return grid::emitUnknownChip(loc, names, name);
}

} // namespace gridir::gpu
