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

/// Filled while the process registers passes, and only read afterwards.
static std::map<std::string, std::unique_ptr<Target>> &getTargets() {
  static std::map<std::string, std::unique_ptr<Target>> targets;
  return targets;
}

void registerTarget(std::unique_ptr<Target> target) {
  std::string name = target->getName().str();
  getTargets().try_emplace(std::move(name), std::move(target));
}

const Target *findTarget(StringRef name, KernelOp kernel, StringRef pass) {
  auto &targets = getTargets();
  if (auto target = targets.find(name.str()); target != targets.end())
    return target->second.get();
  kernel.emitError() << "expected a target of " << pass << ", one of "
                     << llvm::interleaved(llvm::make_first_range(targets))
                     << ", got " << name;
  return nullptr;
}

} // namespace gridir::grid
