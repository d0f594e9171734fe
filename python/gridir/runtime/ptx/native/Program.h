//===- Program.h - PTX that is loaded, as a driver gives it ---------------===//
//
// Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Plain C++ types, free of LLVM and Python.
//
//===----------------------------------------------------------------------===//

#ifndef GRIDIR_PYTHON_GRIDIR_RUNTIME_PTX_NATIVE_PROGRAM_H
#define GRIDIR_PYTHON_GRIDIR_RUNTIME_PTX_NATIVE_PROGRAM_H

#include "Buffers.h"
#include "Problem.h"

#include "python/gridir/runtime/cpu/native/KernelTable.h"

#include <array>
#include <functional>
#include <memory>
#include <optional>
#include <variant>

namespace gridir::ptx {

struct ParameterInfo {
  std::string name;
  uint64_t offset = 0, bytes = 0;
};

struct FunctionInfo {
  std::string name;
  std::vector<ParameterInfo> parameters;
  /// Threads of a block that the text asks for; 0 where it does not.
  std::array<uint32_t, 3> requiredBlock = {};
  /// The most threads of a block; 0 where the text does not say.
  uint32_t maxThreads = 0;
  /// Blocks of a cluster that the text asks for; 0 where it does not.
  std::array<uint32_t, 3> requiredCluster = {};
};

struct LaunchOptions {
  std::array<uint32_t, 3> grid = {1, 1, 1}, block = {1, 1, 1},
                          cluster = {1, 1, 1};
  /// Bytes of external shared arrays.
  uint64_t dynamicShared = 0;
  /// The parameters at their offsets.
  std::string parameters;
  std::vector<Buffer> buffers;
  /// Seconds until the launch is given up; 0 for never.
  double timeout = 0;
  /// True to check for races, and for uses of uninitialized memory.
  bool findsRaces = false, findsUnwritten = false;
  /// True to count the executions of each instruction.
  bool isProfiled = false;
  /// The number of CTAs that run at a time, if enough clusters are left; one
  /// cluster does, and more if threads wait for others.
  uint64_t blocksAtOnce = 0;
  /// How many threads of the process may run clusters, where those are
  /// independent.
  uint64_t cores = 1;
  /// Selects the order of threads, and delays asynchronous work.
  std::optional<uint64_t> scheduleSeed;
  /// Asked now and then; true ends the launch.
  std::function<bool()> isInterrupted;
};

/// The reason why a launch ended early.
struct Fault {
  /// The instruction; empty where there is none.
  std::string instruction;
  Problem problem;
  std::vector<std::string> notes = {};
  /// The number of the cluster that failed.
  uint64_t cluster = 0;
  /// The instruction that conflicts with the one above, with its access.
  std::optional<Problem> other = {};
  std::string otherInstruction = {};
  /// The locations of threads that cannot continue.
  std::vector<Problem> waiting = {};
};

/// The memory accesses of warps at an instruction.
struct MemoryCounts {
  /// The requests of the warp's lanes, and their bytes.
  uint64_t requests = 0, bytes = 0;
  /// Of shared memory how often its banks were gone through, of global memory
  /// the sectors; and the least number that would do.
  uint64_t pieces = 0, least = 0;
};

/// The counts of an instruction in a launch.
struct SiteCounts {
  /// How often warps have executed it, and threads.
  uint64_t warps = 0, threads = 0;
  MemoryCounts shared, global;
  /// Bytes that asynchronous copies of it have read and written.
  uint64_t copiedShared = 0, copiedGlobal = 0;
  /// How often threads waited at it, and how many instructions more others
  /// executed until then.
  uint64_t waits = 0, stalled = 0;
};

/// The counts of an instruction, with its location.
struct InstructionProfile {
  std::string text;
  Position where;
  /// The author's line, where the text knows it.
  std::string sourceFile;
  SourceLine source;
  SiteCounts counts;
};

/// The counts of a launch.
struct LaunchReport {
  std::optional<Fault> fault;
  uint64_t switches = 0;
  /// In the order of the text; none where it was not asked for.
  std::vector<InstructionProfile> profile;
};

/// The state of a function's code, and its origin.
struct Preparation {
  /// Instructions that are not known among them.
  Problems problems = {};
  cpu::KernelOrigin origin = cpu::KernelOrigin::Memory;
  /// A warning for the user, or empty.
  std::string warning = {};
};

/// The functions of one text.
class Program {
public:
  /// Reads a text. Invalid PTX is a problem.
  static std::variant<std::unique_ptr<Program>, Problems>
  load(const std::string &text);
  ~Program();

  const std::vector<FunctionInfo> &getFunctions() const { return functions; }

  /// Compiles a function; the code reports its accesses if they are checked,
  /// counts if it is profiled, and tracks undefined values. Or reads the code
  /// of an earlier process.
  Preparation prepare(const std::string &name, bool isChecked, bool isProfiled,
                      bool isTracked);

  /// Runs a function that is prepared.
  LaunchReport launch(const std::string &name, const LaunchOptions &options);

private:
  struct Parts;
  explicit Program(std::unique_ptr<Parts> parts);

  std::unique_ptr<Parts> parts;
  std::vector<FunctionInfo> functions;
};

} // namespace gridir::ptx

#endif // GRIDIR_PYTHON_GRIDIR_RUNTIME_PTX_NATIVE_PROGRAM_H
