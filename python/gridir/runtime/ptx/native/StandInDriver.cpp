//===- StandInDriver.cpp - libcuda.so.1 where there is no GPU -------------===//
//
// Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A library with the functions of CUDA's driver that the host code of kernels
// calls: modules, whose images are texts of PTX, their functions, attributes
// and launches. The process that loaded the library implements modules and
// launches (driver.py). Contexts, streams, memory and tensor maps have sources
// of their own.
//
//===----------------------------------------------------------------------===//

#include "StandInDriver.h"

#include <algorithm>
#include <condition_variable>
#include <cstring>
#include <map>

namespace gridir::stand_in {

GridirDriver driver;
std::mutex mutex;

namespace {

constexpr int kLaunchAttributeCluster = 4;
constexpr int kFunctionAttributeMaxThreads = 0,
              kFunctionAttributeDynamicShared = 8,
              kFunctionAttributeNonPortableCluster = 14;
constexpr int kJitErrorLog = 5, kJitErrorLogBytes = 6;
constexpr uint32_t kMaxThreads = 1024, kMaxParameters = 4096;
constexpr uint32_t kUsualClusterBlocks = 8, kMaxClusterBlocks = 16;

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

/// The dynamic shared memory that was last allowed for the function.
int dynamicSharedBytes = 0;
std::map<const Module *, std::unique_ptr<Module>> modules;
std::condition_variable kernelEnded;

/// Runs a kernel; its module and context know that it does.
int runKernel(Function *function, const uint32_t *sizes, void **parameters) {
  std::unique_lock<std::mutex> lock(mutex);
  if (!isFunction(function))
    return kInvalidHandle;
  Module *module = function->module;
  Context *context = module->context;
  ++module->running;
  ++context->running;
  lock.unlock();
  int result = driver.launch(module->text.c_str(), function->name.c_str(),
                             sizes, parameters);
  lock.lock();
  --module->running;
  --context->running;
  kernelEnded.notify_all();
  return result;
}

/// Checks a launch before it is added to a stream. The caller holds the mutex.
int checkLaunch(const Function *function, const uint32_t *sizes) {
  if (!isFunction(function) || function->module->context != getCurrent())
    return kInvalidHandle;
  const uint32_t *grid = sizes, *block = sizes + 3, *cluster = sizes + 6;
  uint64_t threads = 1, blocks = 1;
  for (int i = 0; i < 3; ++i) {
    if (!grid[i] || !block[i] || (cluster[i] && grid[i] % cluster[i]))
      return kInvalidValue;
    threads *= block[i];
    blocks *= std::max(cluster[i], 1u);
  }
  if (threads > kMaxThreads ||
      sizes[9] > static_cast<uint32_t>(function->sharedBytes))
    return kInvalidValue;
  if (blocks >
      (function->allowsLargeClusters ? kMaxClusterBlocks : kUsualClusterBlocks))
    return kInvalidClusterSize;
  return kSuccess;
}

/// The values of a launch, which host code may change when the call returns.
struct KeptParameters {
  KeptParameters(const Function &function, void **parameters) {
    for (std::size_t i = 0; i < function.parameterBytes.size(); ++i) {
      // A tensor map has an alignment.
      auto &block = blocks.emplace_back(
          new (std::align_val_t(64)) char[function.parameterBytes[i] + 64],
          [](char *data) { ::operator delete[](data, std::align_val_t(64)); });
      std::memcpy(block.get(), parameters[i], function.parameterBytes[i]);
      values.push_back(block.get());
    }
  }

  std::vector<std::shared_ptr<char>> blocks;
  std::vector<void *> values;
};

} // namespace

bool isModule(const Module *module) { return modules.count(module); }

bool isFunction(const Function *function) {
  for (auto &[module, owned] : modules)
    for (const Function &known : owned->functions)
      if (&known == function)
        return true;
  return false;
}

} // namespace gridir::stand_in

using namespace gridir::stand_in;

extern "C" {

void gridirSetDriver(const GridirDriver *other) {
  std::lock_guard<std::mutex> lock(mutex);
  driver = *other;
}
int gridirGetDynamicSharedBytes() { return dynamicSharedBytes; }
int gridirGetNumModules() {
  std::lock_guard<std::mutex> lock(mutex);
  return modules.size();
}

int cuInit(unsigned) { return kSuccess; }
int cuDriverGetVersion(int *version) { return *version = 13000, kSuccess; }

static const std::map<int, std::pair<const char *, const char *>> &getErrors() {
  static const std::map<int, std::pair<const char *, const char *>> errors = {
      {kSuccess, {"CUDA_SUCCESS", "no error"}},
      {kInvalidValue, {"CUDA_ERROR_INVALID_VALUE", "invalid argument"}},
      {kOutOfMemory, {"CUDA_ERROR_OUT_OF_MEMORY", "out of memory"}},
      {kInvalidDevice, {"CUDA_ERROR_INVALID_DEVICE", "invalid device ordinal"}},
      {kInvalidImage,
       {"CUDA_ERROR_INVALID_IMAGE", "device kernel image is invalid"}},
      {kInvalidContext,
       {"CUDA_ERROR_INVALID_CONTEXT", "invalid device context"}},
      {kInvalidHandle,
       {"CUDA_ERROR_INVALID_HANDLE", "invalid resource handle"}},
      {kNotFound, {"CUDA_ERROR_NOT_FOUND", "named symbol not found"}},
      {kLaunchFailed,
       {"CUDA_ERROR_LAUNCH_FAILED", "unspecified launch failure"}},
      {kNotSupported, {"CUDA_ERROR_NOT_SUPPORTED", "operation not supported"}},
      {kCaptureUnsupported,
       {"CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED",
        "operation not permitted when stream is capturing"}},
      {kCaptureInvalidated,
       {"CUDA_ERROR_STREAM_CAPTURE_INVALIDATED",
        "operation failed due to a previous error during capture"}},
      {kCaptureImplicit,
       {"CUDA_ERROR_STREAM_CAPTURE_IMPLICIT",
        "operation would make the legacy stream depend on a capturing "
        "blocking stream"}},
      {kInvalidClusterSize,
       {"CUDA_ERROR_INVALID_CLUSTER_SIZE",
        "a kernel launch was requested with an invalid cluster size"}}};
  return errors;
}
int cuGetErrorString(int error, const char **text) {
  auto it = getErrors().find(error);
  *text = it == getErrors().end() ? nullptr : it->second.second;
  return *text ? kSuccess : kInvalidValue;
}
int cuGetErrorName(int error, const char **name) {
  auto it = getErrors().find(error);
  *name = it == getErrors().end() ? nullptr : it->second.first;
  return *name ? kSuccess : kInvalidValue;
}

int cuModuleLoadData(Module **module, const void *image) {
  Context *context;
  {
    std::unique_lock<std::mutex> lock(mutex);
    context = getCurrent();
    if (!context)
      return kInvalidContext;
    if (int error = checkUnsafe())
      return error;
    // Space for code is given when nothing runs: a kernel that waits for the
    // host to go on would wait for ever.
    kernelEnded.wait(lock, [&] { return !context->running; });
  }
  auto loaded = std::make_unique<Module>();
  loaded->context = context;
  loaded->text = static_cast<const char *>(image);
  if (int error = driver.load(loaded->text.c_str(), context->device))
    return error;
  std::lock_guard<std::mutex> lock(mutex);
  *module = loaded.get();
  modules.emplace(loaded.get(), std::move(loaded));
  return kSuccess;
}
int cuModuleLoadDataEx(Module **module, const void *image, unsigned count,
                       int *options, void **values) {
  int result = cuModuleLoadData(module, image);
  char *log = nullptr;
  std::size_t bytes = 0;
  for (unsigned i = 0; i < count; ++i) {
    if (options[i] == kJitErrorLog)
      log = static_cast<char *>(values[i]);
    if (options[i] == kJitErrorLogBytes)
      bytes = reinterpret_cast<std::size_t>(values[i]);
  }
  constexpr char kText[] = "ptxas fatal   : Ptx assembly aborted due to errors";
  if (result == kInvalidImage && log && bytes >= sizeof(kText))
    std::memcpy(log, kText, sizeof(kText));
  return result;
}
int cuModuleUnload(Module *module) {
  std::unique_lock<std::mutex> lock(mutex);
  if (!isModule(module) || module->context != getCurrent())
    return kInvalidHandle;
  if (int error = checkUnsafe())
    return error;
  if (module->running) {
    lock.unlock();
    driver.fail("expected no kernel of a module to run when it is unloaded");
    return kLaunchFailed;
  }
  modules.erase(module);
  return kSuccess;
}
int cuModuleGetFunction(Function **function, Module *module, const char *name) {
  {
    std::lock_guard<std::mutex> lock(mutex);
    if (!isModule(module))
      return kInvalidHandle;
    for (Function &known : module->functions)
      if (known.name == name)
        return *function = &known, kSuccess;
  }
  std::vector<uint32_t> bytes(kMaxParameters);
  uint32_t count = kMaxParameters;
  if (int error = driver.find(module->text.c_str(), name, bytes.data(), &count))
    return error;
  bytes.resize(count);
  std::lock_guard<std::mutex> lock(mutex);
  *function =
      &module->functions.emplace_back(Function{module, name, std::move(bytes)});
  return kSuccess;
}
/// Variables of a text are its own.
int cuModuleGetGlobal_v2(void **, size_t *, Module *, const char *) {
  return kNotFound;
}
int cuFuncSetAttribute(Function *function, int attribute, int value) {
  std::lock_guard<std::mutex> lock(mutex);
  if (!isFunction(function))
    return kInvalidHandle;
  if (attribute == kFunctionAttributeDynamicShared) {
    // The system takes a KiB of each block's.
    if (value < 0 || value > driver.sharedBytes - 1024)
      return kInvalidValue;
    function->sharedBytes = dynamicSharedBytes = value;
  }
  if (attribute == kFunctionAttributeNonPortableCluster)
    function->allowsLargeClusters = value;
  return kSuccess;
}
int cuFuncGetAttribute(int *value, int attribute, Function *function) {
  std::lock_guard<std::mutex> lock(mutex);
  if (!isFunction(function))
    return kInvalidHandle;
  *value = attribute == kFunctionAttributeMaxThreads ? int(kMaxThreads)
           : attribute == kFunctionAttributeDynamicShared
               ? function->sharedBytes
               : 0;
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
  std::vector<uint32_t> sizes(11);
  std::memcpy(sizes.data(), config->grid, 6 * sizeof(uint32_t));
  sizes[9] = config->sharedBytes;
  for (uint32_t i = 0; i < config->numAttributes; ++i)
    if (config->attributes[i].id == kLaunchAttributeCluster)
      std::memcpy(sizes.data() + 6, config->attributes[i].value.sizes,
                  3 * sizeof(uint32_t));
  std::unique_lock<std::mutex> lock(mutex);
  if (!getCurrent())
    return kInvalidContext;
  if (int error = checkLaunch(function, sizes.data()))
    return error;
  sizes[10] = function->module->context->device;
  auto kept = std::make_shared<KeptParameters>(*function, parameters);
  lock.unlock();
  return enqueue(config->stream, [function, sizes, kept] {
    return runKernel(function, sizes.data(), kept->values.data());
  });
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

} // extern "C"
