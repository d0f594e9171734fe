//===- Registers.cpp - Registers of the threads of a warpgroup ------------===//
//
// Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dialects/Warpgroup/IR/Registers.h"

using namespace mlir;

namespace gridir::warpgroup {

int64_t getMaxRegisters(grid::KernelOp kernel, const gpu::Chip &chip) {
  constexpr int64_t ofThread = 255, multiple = 8;
  int64_t most = chip.registers / (getNumWarpgroups(kernel) * kNumThreads);
  most -= most % multiple;
  if (chip.hasSetMaxRegisters)
    kernel.getBodyRegion().walk([&](SetMaxRegistersOp op) {
      most = std::max<int64_t>(most, op.getCount());
    });
  return std::min(most, ofThread);
}

bool isAccumulator(Value ref) {
  return llvm::any_of(ref.getUsers(), [&](Operation *user) {
    if (auto window = dyn_cast<grid::SliceRefOp>(user))
      return isAccumulator(window.getResult());
    auto product = dyn_cast<MmaOp>(user);
    return product && product.getAcc() == ref;
  });
}

LogicalResult verifyHeldRegisters(Operation *op, Attribute value) {
  auto scope = dyn_cast<grid::ScopedOp>(op);
  auto counts = dyn_cast<DenseI64ArrayAttr>(value);
  if (!scope || !counts || counts.size() != scope.getBody().getNumArguments() ||
      llvm::any_of(counts.asArrayRef(), [](int64_t n) { return n < -1; }))
    return op->emitError("expected a number of registers, or -1, for each Ref "
                         "of a scope as ")
           << kHeldRegistersAttr << ", got " << value;
  return success();
}

} // namespace gridir::warpgroup
