//===- Chip.cpp - what an NVIDIA GPU has room for -------------------------===//
//
// Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dialects/GPU/Transforms/Chip.h"

#include "llvm/ADT/STLExtras.h"

using namespace mlir;

namespace gridir::gpu {

static constexpr Chip kChips[] = {
    {"sm_80", 166912, "+ptx70", false, false, false, false, false},
    {"sm_86", 101376, "+ptx71", false, false, false, false, false},
    {"sm_89", 101376, "+ptx78", true, false, false, false, false},
    {"sm_90", 232448, "+ptx81", true, true, false, false, false},
    {"sm_90a", 232448, "+ptx81", true, true, true, true, false},
    {"sm_100", 232448, "+ptx86", true, true, false, false, false},
    {"sm_100a", 232448, "+ptx88", true, true, false, true, true},
    {"sm_120", 101376, "+ptx87", true, true, false, false, false},
};

const Chip *lookupChip(StringRef name) {
  const Chip *chip = llvm::find_if(
      kChips, [&](const Chip &chip) { return chip.name == name; });
  return chip == std::end(kChips) ? nullptr : chip;
}

const Chip &getLargestChip(bool hasTensorMemory) {
  auto isBetter = [&](const Chip &chip, const Chip &than) {
    return std::pair(chip.hasTensorMemory || !hasTensorMemory,
                     chip.sharedBytes) >
           std::pair(than.hasTensorMemory || !hasTensorMemory,
                     than.sharedBytes);
  };
  return *std::min_element(std::begin(kChips), std::end(kChips), isBetter);
}

FailureOr<Chip> getChip(StringRef name, Location loc) {
  if (const Chip *chip = lookupChip(name))
    return *chip;
  std::string names;
  for (const Chip &chip : kChips)
    names += (names.empty() ? "" : ", ") + chip.name.str();
  return emitError(loc) << "expected a chip (" << names << "), got " << name;
}

} // namespace gridir::gpu
