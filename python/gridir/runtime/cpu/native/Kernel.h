//===- Kernel.h - What a compiled kernel is made of -----------------------===//
//
// Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Plain C++ types, free of MLIR, LLVM, XLA and Python, that the parts of the
// native runtime pass to each other.
//
//===----------------------------------------------------------------------===//

#ifndef GRIDIR_PYTHON_GRIDIR_RUNTIME_CPU_NATIVE_KERNEL_H
#define GRIDIR_PYTHON_GRIDIR_RUNTIME_CPU_NATIVE_KERNEL_H

#include "dialects/Driver/Failure.h"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace gridir::cpu {

using driver::CompileFailure;
using driver::makeError;

/// The options for compiling a module to native code and executing it. Every
/// field that the code depends on is part of the cache key.
struct CompileOptions {
  /// The textual pass pipeline that takes the module to the LLVM dialect; empty
  /// if it already is in that dialect.
  std::string pipeline = "grid-to-cpu";
  /// LLVM's middle end, 0 to 3. MLIR has vectorised already, so 0 costs no
  /// speed and saves most of the compile time.
  int64_t optLevel = 0;
  /// LLVM's code generator, 0 to 3. Level 0 is its fast and poor selector.
  int64_t codegenLevel = 2;
  /// The CPU to generate for; empty for the host and its features.
  std::string cpu;
  /// Comma-separated features (+x,-y), added to those of the CPU.
  std::string features;
  /// True if a race is recorded and is not an error of the call.
  bool reportsRaces = false;
};

/// The type of one value that a kernel prints.
struct PrintType {
  /// The element type as MLIR writes it.
  std::string element;
  std::vector<int64_t> shape;
  int64_t bytesPerElement = 0;
};

/// One `grid.print` or `grid.callback` of a kernel.
struct PrintSite {
  /// The format of a print; empty for a call of a function.
  std::string format;
  /// The identity of the function that is called; empty for a print.
  std::string callback;
  /// The author's description of the function, with the line.
  std::string what;
  std::vector<PrintType> types;
};

/// An output that is in the memory of no input.
struct UnwrittenOperand {
  int64_t operand = 0;
  /// The name with the source line of its block, for example "o_ref
  /// (k.py:3:5)".
  std::string name;
  std::vector<int64_t> shape;
  int64_t bytesPerElement = 0;
};

/// Memory that work items share: every `members` consecutive ones, or all if
/// `members` is 0.
struct SharedBytes {
  int64_t members = 0;
  int64_t bytes = 0;
};

/// The execution of work items that may wait for each other.
struct TaskInfo {
  /// The seed of the order in which they run; none for program order.
  std::optional<int64_t> seed;
  /// The memory that work items share, one entry for each number of members.
  std::vector<SharedBytes> shared;
  /// The operands that are to be zero at first: semaphores that a call makes.
  std::vector<int64_t> zeroedOperands;
  /// True to check for races, for reads of uninitialized memory, and for the
  /// final state of semaphores and barriers.
  bool races = false, uninitialized = false, semaphores = false;
  /// The number of consecutive work items that may name each other's memory.
  int64_t clusterItems = 1;
  /// The programs along each dimension of the grid, for messages; negative for
  /// the next of the first operands, an i32.
  std::vector<int64_t> grid;
  /// The operands that are initially uninitialized, with their names and types.
  std::vector<UnwrittenOperand> unwritten;
};

/// The properties of a kernel that the runtime needs besides its code.
struct KernelInfo {
  std::string name;
  /// Buffers of the call: dynamic grid sizes, index, inputs, outputs.
  int64_t numOperands = 0;
  int64_t arenaBytes = 0;
  /// True if a call can request fine-grained work items, which follow those of
  /// `range`.
  bool hasShares = false;
  /// The stack size of the frames of all its functions.
  int64_t stackBytes = 0;
  /// Messages of the run-time checks, with {0} and {1} for the two values that
  /// a failing check reports.
  std::vector<std::string> diagnostics;
  std::vector<PrintSite> prints;
  /// The operands that must begin at a multiple of `kOperandAlignment`.
  std::vector<int64_t> alignedOperands;
  /// The accesses that race detection reports, as "write of o_ref (k.py:3:5)".
  std::vector<std::string> accesses;
  /// None for work items that run from beginning to end, in any order.
  std::optional<TaskInfo> tasks;
};

/// A cache line, which a kernel may write completely.
inline constexpr std::size_t kOperandAlignment = 64;

/// Words of a kernel's status: 1 + index into `diagnostics` (0 when all is
/// well), the two values of the failing check, and one word of padding.
inline constexpr int64_t kStatusWords = 4;

/// Runs the work items lo to hi-1 of a kernel on the calling thread.
using InvokeFn = void (*)(void *const *operands, int64_t *status, int64_t lo,
                          int64_t hi, void *arena);
/// The number of work items of a call with these operands.
using RangeFn = int64_t (*)(void *const *operands);

/// A kernel ready to run. It is never freed: an executable that XLA holds may
/// ask for its key again.
struct Kernel {
  KernelInfo info;
  InvokeFn invoke = nullptr;
  RangeFn range = nullptr;
  /// As `CompileOptions` says.
  bool reportsRaces = false;
};

} // namespace gridir::cpu

#endif // GRIDIR_PYTHON_GRIDIR_RUNTIME_CPU_NATIVE_KERNEL_H
