//===- Target.cpp - What kernels are compiled for -------------------------===//
//
// Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dialects/Grid/Target/Target.h"

#include "llvm/Support/InterleavedRange.h"

using namespace mlir;

namespace gridir::grid {

Target::~Target() = default;

llvm::json::Object Product::toJSON() const {
  if (name.empty())
    return {};
  return llvm::json::Object{{"product", name},
                            {"source", source},
                            {"clock_hz", clockHz},
                            {"flops", flops},
                            {"bandwidth", bandwidth}};
}

std::string Target::getFullName() const {
  StringRef chip = getChip();
  return (getName() + (chip.empty() ? "" : ":") + chip).str();
}

/// Filled while the process registers passes, and read from then on. Targets
/// live as long as the process.
static SmallVector<const Target *> &getRegistry() {
  static SmallVector<const Target *> registry;
  return registry;
}

void registerTarget(std::unique_ptr<Target> target) {
  if (!lookupTarget(target->getFullName()))
    getRegistry().push_back(target.release());
}

ArrayRef<const Target *> getTargets() { return getRegistry(); }

const Target *lookupTarget(StringRef name) {
  const Target *const *target =
      llvm::find_if(getRegistry(), [&](const Target *target) {
        return target->getFullName() == name;
      });
  return target == getRegistry().end() ? nullptr : *target;
}

InFlightDiagnostic emitUnknownChip(Location loc, ArrayRef<StringRef> known,
                                   StringRef chip) {
  return emitError(loc) << "expected a chip (" << llvm::interleaved(known)
                        << "), got " << chip;
}

const Target *findTarget(StringRef name, KernelOp kernel, StringRef pass) {
  if (const Target *target = lookupTarget(name))
    return target;
  auto [base, chip] = name.split(':');
  SmallVector<StringRef> names, chips;
  for (const Target *target : getTargets()) {
    if (target->getChip().empty())
      names.push_back(target->getName());
    else if (target->getName() == base)
      chips.push_back(target->getChip());
  }
  if (!chip.empty() && !chips.empty())
    emitUnknownChip(kernel.getLoc(), chips, chip);
  else
    kernel.emitError() << "expected a target of " << pass << ", one of "
                       << llvm::interleaved(names) << ", got " << name;
  return nullptr;
}

} // namespace gridir::grid
