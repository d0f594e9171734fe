//===- CudaDriver.h - The functions of libcuda that launches use ----------===//
//
// Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// libcuda is opened at the first use, so that gridir builds and loads without
// CUDA. The types and numbers below are those of the driver's stable ABI.
//
//===----------------------------------------------------------------------===//

#ifndef GRIDIR_PYTHON_GRIDIR_RUNTIME_GPU_NATIVE_CUDADRIVER_H
#define GRIDIR_PYTHON_GRIDIR_RUNTIME_GPU_NATIVE_CUDADRIVER_H

#include <cstddef>
#include <cstdint>
#include <string>
#include <variant>

namespace gridir::cuda {

/// 0 for success, or the number of an error.
using Result = int;
using Context = void *;
using Module = void *;
using Function = void *;
using Stream = void *;
using DevicePointer = uint64_t;

constexpr Result kSuccess = 0;

constexpr int kDeviceCapabilityMajor = 75, kDeviceCapabilityMinor = 76;
constexpr int kFunctionDynamicShared = 8, kFunctionNonPortableCluster = 14;
constexpr int kLaunchClusterDimension = 4;
constexpr int kJitErrorLog = 5, kJitErrorLogBytes = 6;
/// Memory of the host for all contexts, at the same address in kernels.
constexpr unsigned kHostPortable = 1, kHostMapped = 2;

struct LaunchAttribute {
  int id = 0;
  int padding = 0;
  uint32_t value[16] = {};
};
static_assert(sizeof(LaunchAttribute) == 72);

struct LaunchConfig {
  uint32_t grid[3], block[3], sharedBytes;
  Stream stream;
  LaunchAttribute *attributes;
  uint32_t numAttributes;
};

struct alignas(64) TensorMap {
  char bytes[128];
};

/// The driver's functions, by their names in CUDA's headers.
struct Driver {
  Result (*cuGetErrorName)(Result, const char **);
  Result (*cuGetErrorString)(Result, const char **);
  Result (*cuDriverGetVersion)(int *);
  Result (*cuDeviceGetName)(char *, int, int);
  Result (*cuDeviceGetAttribute)(int *, int, int);
  Result (*cuCtxGetCurrent)(Context *);
  Result (*cuCtxGetDevice)(int *);
  Result (*cuCtxPushCurrent)(Context);
  Result (*cuCtxPopCurrent)(Context *);
  Result (*cuModuleLoadDataEx)(Module *, const void *, unsigned, int *,
                               void **);
  Result (*cuModuleUnload)(Module);
  Result (*cuModuleGetFunction)(Function *, Module, const char *);
  Result (*cuFuncSetAttribute)(Function, int, int);
  Result (*cuStreamIsCapturing)(Stream, int *);
  Result (*cuStreamSynchronize)(Stream);
  Result (*cuMemHostAlloc)(void **, std::size_t, unsigned);
  Result (*cuMemFreeHost)(void *);
  Result (*cuMemsetD8Async)(DevicePointer, unsigned char, std::size_t, Stream);
  Result (*cuMemcpyDtoHAsync)(void *, DevicePointer, std::size_t, Stream);
  Result (*cuTensorMapEncodeTiled)(TensorMap *, int, uint32_t, void *,
                                   const uint64_t *, const uint64_t *,
                                   const uint32_t *, const uint32_t *, int, int,
                                   int, int);
  Result (*cuLaunchKernelEx)(const LaunchConfig *, Function, void **, void **);

  /// The name and the text of an error: "CUDA_ERROR_INVALID_VALUE (invalid
  /// argument)".
  std::string describe(Result result) const;
};

/// Returns the driver of this process, or the reason why there is none.
std::variant<const Driver *, std::string> openDriver();

} // namespace gridir::cuda

#endif // GRIDIR_PYTHON_GRIDIR_RUNTIME_GPU_NATIVE_CUDADRIVER_H
