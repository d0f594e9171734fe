//===- Conversion.h - From one layout to another ---------------*- C++ -*--===//
//
// Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// How the threads of a warpgroup move elements from one layout to another, and
// the cost. A plan contains everything that its code needs; its registers hold
// an element each, whatever their width.
//
//===----------------------------------------------------------------------===//

#ifndef GRIDIR_DIALECTS_WARPGROUP_LAYOUT_CONVERSION_H
#define GRIDIR_DIALECTS_WARPGROUP_LAYOUT_CONVERSION_H

#include "dialects/Warpgroup/Layout/SharedAccess.h"

namespace gridir::warpgroup {

/// Chooses among values by the bits of a thread: bit i of the choice is the
/// parity of the thread's bits in `masks[i]`.
struct ThreadChoice {
  llvm::SmallVector<uint64_t> masks;

  int64_t getNumChoices() const { return int64_t(1) << masks.size(); }
  int64_t choose(unsigned thread) const;
};

/// Every thread sends one of its registers, and receives the register of
/// another lane of its warp.
struct ShuffleRound {
  /// The register that a thread sends, for each choice of `Conversion::send`.
  llvm::SmallVector<int64_t> sources;
  /// The lane that a thread receives from is `Conversion::lanes` of the thread,
  /// exclusive or this.
  unsigned laneOffset;
};

/// Instructions of each thread.
struct ConversionCost {
  int64_t selects = 0, shuffles = 0, packs = 0, stores = 0, loads = 0,
          barriers = 0;
  /// Additional accesses of shared memory because of bank conflicts.
  int64_t conflicts = 0;

  int64_t getInstructions() const {
    return selects + shuffles + packs + stores + loads + barriers;
  }
  /// The cost for comparing plans, in ALU instructions. Instructions that move
  /// data between threads weigh more, since their port is narrower.
  int64_t getWeight() const {
    return selects + packs + 2 * shuffles + 4 * (stores + loads + conflicts) +
           16 * barriers;
  }
};

struct Conversion {
  enum class Kind {
    /// Each register is unchanged.
    Nothing,
    /// Each thread has its elements.
    Registers,
    /// Each warp has the elements of its threads.
    Shuffles,
    /// All other conversions: elements are stored to and loaded from shared
    /// memory.
    SharedMemory
  };
  Kind kind = Kind::Nothing;

  /// Registers: for each register of the result one of the source.
  llvm::SmallVector<int64_t> registers;

  /// Shuffles: the rounds, the sent registers and the lanes from which threads
  /// receive. If `lanes` is the identity and the offset zero a thread keeps its
  /// own value. Groups of `wordRegisters` registers that share a 32-bit word
  /// move together, in the round of the first.
  llvm::SmallVector<ShuffleRound> rounds;
  ThreadChoice send;
  BitMap lanes;
  int64_t wordRegisters = 1;
  /// For each register of the result, the round in which it is received, for
  /// each choice of `receive`.
  llvm::SmallVector<llvm::SmallVector<int64_t>> receivers;
  ThreadChoice receive;

  /// SharedMemory: in one round elements are in row-major order, swizzled by
  /// this, and threads store and load this many at once. `planSharedRounds`
  /// plans several rounds.
  Swizzle swizzle;
  int64_t storeVector = 1, loadVector = 1;

  ConversionCost cost;

  bool isLocal(const ShuffleRound &round) const;
};

/// The cheapest plan for an array of `elementBits` wide elements. None where
/// the result is a splat and the source is not.
std::optional<Conversion> planConversion(const Layout &source,
                                         const Layout &dest, Shape shape,
                                         unsigned elementBits);

llvm::StringRef stringify(Conversion::Kind kind);

} // namespace gridir::warpgroup

#endif // GRIDIR_DIALECTS_WARPGROUP_LAYOUT_CONVERSION_H
