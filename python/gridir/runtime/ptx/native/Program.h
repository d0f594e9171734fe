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
  /// Whether to look for unordered accesses, and for
  /// reads of shared memory that nobody has written.
  bool findsRaces = false, findsUnwritten = false;
  /// How many blocks run at a time, if so many clusters are left; one cluster
  /// does, and more where threads wait for others.
  uint64_t blocksAtOnce = 0;
  /// Chooses the order of threads and puts off what goes on beside them.
  std::optional<uint64_t> scheduleSeed;
  /// Asked now and then; true ends the launch.
  std::function<bool()> isInterrupted;
};

/// Why a launch ended early.
struct Fault {
  /// The instruction; empty where there is none.
  std::string instruction;
  Problem problem;
  std::vector<std::string> notes = {};
  /// The instruction that the one above is in conflict with, with what it did.
  std::optional<Problem> other = {};
  std::string otherInstruction = {};
};

/// What a launch has counted.
struct LaunchReport {
  std::optional<Fault> fault;
  uint64_t switches = 0;
};

/// The functions of one text.
class Program {
public:
  /// Reads a text. What is no PTX is a problem.
  static std::variant<std::unique_ptr<Program>, Problems>
  load(const std::string &text);
  ~Program();

  const std::vector<FunctionInfo> &getFunctions() const { return functions; }

  /// Makes code of a function, which tells of its accesses where they are
  /// checked. Instructions that are not known are problems.
  Problems prepare(const std::string &name, bool isChecked);

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
