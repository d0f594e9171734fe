//===- LaunchData.h - How a kernel is launched ----------------------------===//
//
// Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The same JSON describes a launch in a bundle and in XLA's custom call;
// runtime/gpu/launch.py writes it.
//
//===----------------------------------------------------------------------===//

#ifndef GRIDIR_PYTHON_GRIDIR_RUNTIME_GPU_NATIVE_LAUNCHDATA_H
#define GRIDIR_PYTHON_GRIDIR_RUNTIME_GPU_NATIVE_LAUNCHDATA_H

#include <cstdint>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace gridir::cuda {

/// A tensor map as the driver encodes it, but for the address: sizes begin with
/// the innermost dimension, which has no stride.
struct TensorMapData {
  int type = 0, swizzle = 0;
  std::vector<uint64_t> sizes, strides;
  std::vector<uint32_t> box;
};

/// A parameter of the kernel's entry.
struct Parameter {
  enum class Kind {
    Operand,
    Report,
    Scalar,
    /// The number of CTAs.
    NumItems,
    Workspace,
    Zeroed,
    TensorMap
  };

  Kind kind = Kind::Operand;
  /// The number of the operand: inputs, then outputs.
  int64_t operand = 0;
  int64_t value = 0;
  /// Where the memory of a workspace, a zeroed parameter or a report that no
  /// check writes begins in the memory that a call brings for all of them.
  int64_t offset = 0;
  TensorMapData map;
};

struct LaunchData {
  std::string entry;
  int64_t threads = 0, ctas = 0, clusterCtas = 1, sharedBytes = 0;
  /// Operands that hold the sizes of a dynamic grid, 32-bit integers. The
  /// number of CTAs is `ctas` times their product.
  std::vector<int64_t> sizes;
  /// The messages of the kernel's checks, with {0} and {1} for two values.
  std::vector<std::string> diagnostics;
  std::vector<Parameter> parameters;

  /// One more than the largest number of an operand.
  int64_t numOperands = 0;
  /// Memory that a call brings; the first bytes are zero when a launch begins.
  int64_t scratchBytes = 0, zeroedBytes = 0;
  /// The words of the report that checks write; 0 without checks.
  int64_t reportWords = 0;
};

/// Reads a launch, or returns the error of the text.
std::variant<LaunchData, std::string> parseLaunch(std::string_view json);

} // namespace gridir::cuda

#endif // GRIDIR_PYTHON_GRIDIR_RUNTIME_GPU_NATIVE_LAUNCHDATA_H
