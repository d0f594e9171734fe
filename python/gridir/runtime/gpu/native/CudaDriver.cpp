//===- CudaDriver.cpp - The functions of libcuda that launches use --------===//
//
// Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "CudaDriver.h"

#include <dlfcn.h>
#include <mutex>

namespace gridir::cuda {

namespace {

constexpr const char *kLibrary = "libcuda.so.1";

/// Finds the functions; returns the reason when one is missing.
std::string loadFunctions(Driver &driver) {
  void *library = dlopen(kLibrary, RTLD_NOW | RTLD_LOCAL);
  if (!library)
    return std::string("expected the NVIDIA driver's ") + kLibrary +
           ", got: " + dlerror();
  std::string missing;
  auto find = [&](auto &function, const char *name) {
    function = reinterpret_cast<std::remove_reference_t<decltype(function)>>(
        dlsym(library, name));
    if (!function && missing.empty())
      missing = name;
  };
  find(driver.cuGetErrorName, "cuGetErrorName");
  find(driver.cuGetErrorString, "cuGetErrorString");
  find(driver.cuDriverGetVersion, "cuDriverGetVersion");
  find(driver.cuDeviceGetName, "cuDeviceGetName");
  find(driver.cuDeviceGetAttribute, "cuDeviceGetAttribute");
  find(driver.cuCtxGetCurrent, "cuCtxGetCurrent");
  find(driver.cuCtxGetDevice, "cuCtxGetDevice");
  find(driver.cuCtxPushCurrent, "cuCtxPushCurrent_v2");
  find(driver.cuCtxPopCurrent, "cuCtxPopCurrent_v2");
  find(driver.cuModuleLoadDataEx, "cuModuleLoadDataEx");
  find(driver.cuModuleUnload, "cuModuleUnload");
  find(driver.cuModuleGetFunction, "cuModuleGetFunction");
  find(driver.cuFuncSetAttribute, "cuFuncSetAttribute");
  find(driver.cuStreamIsCapturing, "cuStreamIsCapturing");
  find(driver.cuStreamSynchronize, "cuStreamSynchronize");
  find(driver.cuMemHostAlloc, "cuMemHostAlloc");
  find(driver.cuMemFreeHost, "cuMemFreeHost");
  find(driver.cuMemsetD8Async, "cuMemsetD8Async");
  find(driver.cuMemcpyDtoHAsync, "cuMemcpyDtoHAsync_v2");
  find(driver.cuTensorMapEncodeTiled, "cuTensorMapEncodeTiled");
  find(driver.cuLaunchKernelEx, "cuLaunchKernelEx");
  if (missing.empty())
    return "";
  return std::string("expected a driver of CUDA 12 or newer, got ") + kLibrary +
         " without " + missing;
}

} // namespace

std::variant<const Driver *, std::string> openDriver() {
  static std::mutex mutex;
  static Driver driver;
  static bool isOpen = false;
  // A failure is not kept: the library may be installed, or loaded, later.
  std::lock_guard<std::mutex> lock(mutex);
  if (!isOpen) {
    if (std::string reason = loadFunctions(driver); !reason.empty())
      return reason;
    isOpen = true;
  }
  return &driver;
}

std::string Driver::describe(Result result) const {
  const char *name = nullptr, *text = nullptr;
  if (cuGetErrorName(result, &name) != kSuccess || !name)
    return "CUDA error " + std::to_string(result);
  if (cuGetErrorString(result, &text) != kSuccess || !text)
    return name;
  return std::string(name) + " (" + text + ")";
}

} // namespace gridir::cuda
