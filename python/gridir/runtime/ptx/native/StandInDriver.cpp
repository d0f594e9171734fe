//===- StandInDriver.cpp - libcuda.so.1 where there is no GPU -------------===//
//
// Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A library of its own with the functions of CUDA's driver that the host code
// of kernels calls: modules, whose images are texts of PTX, their functions,
// attributes, tensor maps and launches. What a module is and what a launch does
// is asked of who has the library loaded (driver.py).
//
//===----------------------------------------------------------------------===//

#include "TensorMap.h"

#include <cstring>
#include <list>
#include <memory>
#include <string>

using gridir::ptx::TensorMap;

namespace {

/// Numbers of the interface that is stood in for.
enum Result : int {
  kSuccess = 0,
  kInvalidValue = 1,
  kInvalidImage = 200,
  kNotFound = 500,
  kNotSupported = 801,
};
constexpr int kAttributeWarpSize = 10, kAttributeMultiprocessors = 16,
              kAttributeMajor = 75, kAttributeMinor = 76,
              kAttributeSharedOptin = 97;
constexpr int kLaunchAttributeCluster = 4;
constexpr int kFunctionAttributeMaxThreads = 0,
              kFunctionAttributeDynamicShared = 8;
constexpr int kPointerAttributeDevicePointer = 3;
constexpr int kMaxThreads = 1024;

struct Module;

struct Function {
  const Module *module;
  std::string name;
};

struct Module {
  std::string text;
  std::list<Function> functions;
};

struct LaunchAttribute {
  int id;
  char padding[4];
  union {
    char bytes[64];
    uint32_t sizes[3];
  } value;
};
static_assert(sizeof(LaunchAttribute) == 72);

struct LaunchConfig {
  uint32_t grid[3], block[3], sharedBytes;
  void *stream;
  const LaunchAttribute *attributes;
  uint32_t numAttributes;
};

struct ElementType {
  uint32_t bytes, kind;
};

/// Of each of the types that tensor maps may have, in the order of their
/// numbers: its size, and what reductions take it for.
constexpr ElementType kElementTypes[] = {{1, 2}, {2, 2}, {4, 2}, {4, 3}, {8, 2},
                                         {8, 3}, {2, 4}, {4, 4}, {8, 4}, {2, 5},
                                         {4, 4}, {4, 4}, {4, 4}};

} // namespace

extern "C" {

/// What the functions below ask for. Results are 0 or the number of an error.
struct GridirDriver {
  int multiprocessors, major, minor, sharedBytes;
  int (*load)(const char *text);
  int (*find)(const char *text, const char *name);
  /// Sizes: the grid, a block and a cluster, each of three, and the bytes of
  /// dynamic shared memory.
  int (*launch)(const char *text, const char *name, const uint32_t *sizes,
                void **parameters);
  int (*synchronize)();
};

static GridirDriver driver;
/// What a function was last allowed.
static int dynamicSharedBytes = 0;

void gridirSetDriver(const GridirDriver *other) { driver = *other; }
int gridirGetDynamicSharedBytes() { return dynamicSharedBytes; }

int cuInit(unsigned) { return kSuccess; }
int cuDriverGetVersion(int *version) { return *version = 13000, kSuccess; }
int cuGetErrorString(int error, const char **text) {
  *text = error == kSuccess        ? "no error"
          : error == kInvalidValue ? "invalid argument"
          : error == kInvalidImage ? "device kernel image is invalid"
          : error == kNotFound     ? "named symbol not found"
          : error == kNotSupported ? "operation not supported"
                                   : "unspecified launch failure";
  return kSuccess;
}
int cuGetErrorName(int error, const char **name) {
  return cuGetErrorString(error, name);
}

int cuDeviceGetCount(int *count) { return *count = 1, kSuccess; }
int cuDeviceGet(int *device, int) { return *device = 0, kSuccess; }
int cuDeviceGetAttribute(int *value, int attribute, int) {
  switch (attribute) {
  case kAttributeMajor:
    *value = driver.major;
    break;
  case kAttributeMinor:
    *value = driver.minor;
    break;
  case kAttributeMultiprocessors:
    *value = driver.multiprocessors;
    break;
  case kAttributeWarpSize:
    *value = 32;
    break;
  case kAttributeSharedOptin:
    *value = driver.sharedBytes;
    break;
  default:
    *value = 1;
  }
  return kSuccess;
}
int cuCtxGetCurrent(void **context) { return *context = &driver, kSuccess; }
int cuCtxSetCurrent(void *) { return kSuccess; }
int cuCtxGetDevice(int *device) { return *device = 0, kSuccess; }
int cuDevicePrimaryCtxRetain(void **context, int) {
  return *context = &driver, kSuccess;
}
/// What kernels print has no limit.
int cuCtxGetLimit(size_t *value, int) { return *value = ~size_t(0), kSuccess; }
int cuCtxSetLimit(int, size_t) { return kSuccess; }
int cuStreamIsCapturing(void *, int *status) { return *status = 0, kSuccess; }
/// Memory of the host is that of the device.
int cuPointerGetAttribute(void *value, int attribute, uint64_t pointer) {
  if (attribute != kPointerAttributeDevicePointer)
    return kNotSupported;
  std::memcpy(value, &pointer, sizeof(pointer));
  return kSuccess;
}
int cuCtxSynchronize() { return driver.synchronize(); }
int cuStreamSynchronize(void *) { return driver.synchronize(); }

int cuModuleLoadData(Module **module, const void *image) {
  auto loaded = std::make_unique<Module>();
  loaded->text = static_cast<const char *>(image);
  if (int error = driver.load(loaded->text.c_str()))
    return error;
  *module = loaded.release();
  return kSuccess;
}
int cuModuleUnload(Module *module) { return delete module, kSuccess; }
int cuModuleGetFunction(Function **function, Module *module, const char *name) {
  if (int error = driver.find(module->text.c_str(), name))
    return error;
  *function = &module->functions.emplace_back(Function{module, name});
  return kSuccess;
}
/// Variables of a text are its own.
int cuModuleGetGlobal_v2(void **, size_t *, Module *, const char *) {
  return kNotFound;
}
int cuFuncSetAttribute(Function *, int attribute, int value) {
  if (attribute == kFunctionAttributeDynamicShared)
    dynamicSharedBytes = value;
  return kSuccess;
}
int cuFuncGetAttribute(int *value, int attribute, Function *) {
  *value = attribute == kFunctionAttributeMaxThreads ? kMaxThreads : 0;
  return kSuccess;
}
int cuFuncSetCacheConfig(Function *, int) { return kSuccess; }
int cuOccupancyMaxPotentialClusterSize(int *blocks, Function *,
                                       const LaunchConfig *) {
  return *blocks = 16, kSuccess;
}
int cuOccupancyMaxActiveClusters(int *clusters, Function *,
                                 const LaunchConfig *) {
  return *clusters = driver.multiprocessors, kSuccess;
}

int cuLaunchKernelEx(const LaunchConfig *config, Function *function,
                     void **parameters, void **extra) {
  if (extra)
    return kNotSupported;
  uint32_t sizes[10] = {};
  std::memcpy(sizes, config->grid, 6 * sizeof(uint32_t));
  sizes[9] = config->sharedBytes;
  for (uint32_t i = 0; i < config->numAttributes; ++i)
    if (config->attributes[i].id == kLaunchAttributeCluster)
      std::memcpy(sizes + 6, config->attributes[i].value.sizes,
                  3 * sizeof(uint32_t));
  return driver.launch(function->module->text.c_str(), function->name.c_str(),
                       sizes, parameters);
}
int cuLaunchKernel(Function *function, unsigned gridX, unsigned gridY,
                   unsigned gridZ, unsigned blockX, unsigned blockY,
                   unsigned blockZ, unsigned sharedBytes, void *stream,
                   void **parameters, void **extra) {
  const LaunchConfig config = {{gridX, gridY, gridZ},
                               {blockX, blockY, blockZ},
                               sharedBytes,
                               stream,
                               nullptr,
                               0};
  return cuLaunchKernelEx(&config, function, parameters, extra);
}

/// Sizes, strides and boxes begin with the innermost dimension, which has no
/// stride. Elements between which there are others, interleaved layouts and
/// what is not 0 outside of the tensor are not supported.
int cuTensorMapEncodeTiled(void *map, int type, uint32_t rank, void *address,
                           const uint64_t *sizes, const uint64_t *strides,
                           const uint32_t *box, const uint32_t *elementStrides,
                           int interleave, int swizzle, int promotion,
                           int fill) {
  (void)promotion;
  constexpr int kNumTypes = sizeof(kElementTypes) / sizeof(kElementTypes[0]);
  if (type >= kNumTypes || interleave || fill)
    return kNotSupported;
  if (type < 0 || rank < 1 || rank > 5 || swizzle < 0 ||
      reinterpret_cast<uint64_t>(address) % 16 ||
      reinterpret_cast<uint64_t>(map) % 64)
    return kInvalidValue;
  if (swizzle > 3)
    return kNotSupported;
  TensorMap result = {};
  result.magic = TensorMap::kMagic;
  result.elementBytes = kElementTypes[type].bytes;
  result.elementKind = kElementTypes[type].kind;
  result.rank = rank;
  result.swizzle = swizzle ? 16 << swizzle : 0;
  result.base = reinterpret_cast<uint64_t>(address);
  if (swizzle && box[0] * result.elementBytes > result.swizzle)
    return kInvalidValue;
  for (uint32_t i = 0; i < rank; ++i) {
    if (elementStrides[i] != 1)
      return kNotSupported;
    if (!sizes[i] || sizes[i] >> 32 || !box[i] || box[i] > 256 ||
        (i && strides[i - 1] % 16))
      return kInvalidValue;
    result.sizes[i] = static_cast<uint32_t>(sizes[i]);
    result.box[i] = box[i];
    if (i)
      result.strides[i - 1] = strides[i - 1];
  }
  std::memcpy(map, &result, sizeof(result));
  return kSuccess;
}

} // extern "C"
