//===- TensorMemory.h - The memory of tensor cores -------------------------- -===//
//
// Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef GRIDIR_PYTHON_GRIDIR_RUNTIME_PTX_NATIVE_TENSORMEMORY_H
#define GRIDIR_PYTHON_GRIDIR_RUNTIME_PTX_NATIVE_TENSORMEMORY_H

#include "Collectives.h"

namespace gridir::ptx {

/// Bits of an address of tensor memory that are the column; the lane is above.
constexpr unsigned kColumnBits = 16;

/// Tensor memory of a block from an address on, in words of 32 bits.
class TensorWindow {
public:
  TensorWindow(const Group &group, uint64_t rank, uint64_t address)
      : group(group), rank(rank), address(uint32_t(address)) {}

  /// Columns of a lane, both counted from the address. Who may not touch them
  /// does not come back.
  uint32_t *find(unsigned lane, unsigned column, unsigned columns) const;
  /// Notes that a unit touches columns of lanes.
  void note(const AsyncUnitRef &unit, unsigned firstLane, unsigned lanes,
            unsigned column, unsigned columns, uint32_t flags) const;

private:
  const Group &group;
  uint64_t rank;
  uint32_t address;
};

/// The blocks that an instruction of tensor cores works on, by their ranks: its
/// own, or both of a pair.
llvm::SmallVector<uint64_t, 2> getBlocks(const Group &group, bool isPair);

/// Takes `.cta_group::1` or `.cta_group::2`; true for the second.
bool takePair(Emitter &emitter);

/// The units of the thread, with its current knowledge.
TensorUnits &getTensorUnits(const Group &group);

/// Runs a body after all operations that the thread has issued to tensor cores;
/// with a seed, when no thread can continue without it.
void startInOrder(const Group &group, unsigned numArguments,
                  std::function<void(const Group &)> body);

} // namespace gridir::ptx

#endif // GRIDIR_PYTHON_GRIDIR_RUNTIME_PTX_NATIVE_TENSORMEMORY_H
