//===- LoadedImage.cpp - Modules of an image, one for each context --------===//
//
// Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "LoadedImage.h"

#include <cctype>
#include <optional>
#include <utility>

namespace gridir::cuda {

namespace {

/// Dynamic shared memory and CTAs of a cluster that need no permission.
constexpr int64_t kUsualSharedBytes = 48 << 10, kUsualClusterCtas = 8;
constexpr std::size_t kLogBytes = 4096;

using Key = std::pair<std::string_view, std::string_view>;

struct Images {
  std::mutex mutex;
  /// The keys are texts of the images themselves.
  std::map<Key, std::weak_ptr<LoadedImage>> known;
};

/// Never destroyed: executables may be, while the process ends.
Images &getImages() {
  static auto *images = new Images;
  return *images;
}

/// The compute capability of the current device, as 90 of 9.0, or nothing.
std::optional<int> getCapability(const Driver &driver) {
  int device = 0, major = 0, minor = 0;
  if (driver.cuCtxGetDevice(&device) ||
      driver.cuDeviceGetAttribute(&major, kDeviceCapabilityMajor, device) ||
      driver.cuDeviceGetAttribute(&minor, kDeviceCapabilityMinor, device))
    return std::nullopt;
  return 10 * major + minor;
}

std::string describeDevice(const Driver &driver) {
  int device = 0;
  char name[256] = "a GPU";
  if (driver.cuCtxGetDevice(&device) == kSuccess)
    driver.cuDeviceGetName(name, sizeof(name), device);
  std::string text = name;
  if (std::optional<int> capability = getCapability(driver))
    text += " (compute capability " + std::to_string(*capability / 10) + "." +
            std::to_string(*capability % 10) + ")";
  return text;
}

} // namespace

std::shared_ptr<LoadedImage> LoadedImage::get(std::string_view bytes,
                                              std::string_view chip,
                                              DeviceRange devices) {
  Images &images = getImages();
  std::lock_guard<std::mutex> lock(images.mutex);
  auto it = images.known.find({bytes, chip});
  if (it != images.known.end())
    if (std::shared_ptr<LoadedImage> image = it->second.lock())
      return image;
  // One that is being destroyed takes its own entry away, if it is its own yet.
  if (it != images.known.end())
    images.known.erase(it);
  std::shared_ptr<LoadedImage> image(
      new LoadedImage(std::string(bytes), std::string(chip), devices));
  images.known.emplace(Key(image->bytes, image->chip), image);
  return image;
}

LoadedImage::~LoadedImage() {
  {
    Images &images = getImages();
    std::lock_guard<std::mutex> lock(images.mutex);
    auto it = images.known.find({bytes, chip});
    if (it != images.known.end() && it->first.first.data() == bytes.data())
      images.known.erase(it);
  }
  // This may be any thread. A context that is gone has taken its modules along,
  // as has a driver that the end of the process has closed.
  for (auto &[context, entry] : modules) {
    if (driver->cuCtxPushCurrent(context) != kSuccess)
      continue;
    driver->cuModuleUnload(entry.module);
    Context popped = nullptr;
    driver->cuCtxPopCurrent(&popped);
  }
}

std::string LoadedImage::load(const Driver &driver, Module &module) const {
  std::optional<int> capability = getCapability(driver);
  if (capability && (*capability < devices.least || *capability > devices.last))
    return "is compiled for " + chip + ", got " + describeDevice(driver);
  char log[kLogBytes] = "";
  int options[] = {kJitErrorLog, kJitErrorLogBytes};
  void *values[] = {log, reinterpret_cast<void *>(sizeof(log) - 1)};
  Result result =
      driver.cuModuleLoadDataEx(&module, bytes.c_str(), 2, options, values);
  if (result == kSuccess)
    return "";
  int version = 0;
  driver.cuDriverGetVersion(&version);
  std::string text = "cannot be loaded on " + describeDevice(driver) +
                     " by a driver of CUDA " + std::to_string(version / 1000) +
                     "." + std::to_string(version % 1000 / 10) + ": " +
                     driver.describe(result);
  std::string details(log);
  while (!details.empty() &&
         (std::isspace(static_cast<unsigned char>(details.back()))))
    details.pop_back();
  return details.empty() ? text : text + ": " + details;
}

std::variant<Function, std::string>
LoadedImage::prepare(const Driver &opened, const LaunchData &launch) {
  Context context = nullptr;
  if (Result result = opened.cuCtxGetCurrent(&context))
    return "expected a current CUDA context, got " + opened.describe(result);
  if (!context)
    return std::string("expected a current CUDA context, got none");
  std::lock_guard<std::mutex> lock(mutex);
  driver = &opened;
  auto it = modules.find(context);
  if (it == modules.end()) {
    Module module = nullptr;
    if (std::string reason = load(opened, module); !reason.empty())
      return reason;
    it = modules.emplace(context, ContextModule{module, {}}).first;
  }
  PreparedFunction &prepared = it->second.functions[launch.entry];
  if (!prepared.function)
    if (Result result = opened.cuModuleGetFunction(
            &prepared.function, it->second.module, launch.entry.c_str()))
      return "has no entry '" + launch.entry + "': " + opened.describe(result);
  // Only ever more is allowed: other launches of the function may need it.
  if (launch.sharedBytes > kUsualSharedBytes &&
      launch.sharedBytes > prepared.sharedBytes) {
    if (Result result = opened.cuFuncSetAttribute(
            prepared.function, kFunctionDynamicShared, launch.sharedBytes))
      return "needs " + std::to_string(launch.sharedBytes) +
             " bytes of shared memory, which " + describeDevice(opened) +
             " does not have: " + opened.describe(result);
    prepared.sharedBytes = launch.sharedBytes;
  }
  if (launch.clusterCtas > kUsualClusterCtas && !prepared.allowsLargeClusters) {
    if (Result result = opened.cuFuncSetAttribute(
            prepared.function, kFunctionNonPortableCluster, 1))
      return "needs clusters of " + std::to_string(launch.clusterCtas) +
             " CTAs, which " + describeDevice(opened) +
             " does not have: " + opened.describe(result);
    prepared.allowsLargeClusters = true;
  }
  return prepared.function;
}

} // namespace gridir::cuda
