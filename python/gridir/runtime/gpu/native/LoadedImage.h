//===- LoadedImage.h - Modules of an image, one for each context ----------===//
//
// Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef GRIDIR_PYTHON_GRIDIR_RUNTIME_GPU_NATIVE_LOADEDIMAGE_H
#define GRIDIR_PYTHON_GRIDIR_RUNTIME_GPU_NATIVE_LOADEDIMAGE_H

#include "CudaDriver.h"
#include "LaunchData.h"

#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <variant>

namespace gridir::cuda {

/// Compute capabilities, as 90 for 9.0, from the first to the last.
struct DeviceRange {
  int64_t least, last;
};

/// Machine code or PTX, loaded in each context that it has been needed in.
/// Calls of the same image share one of these; the last one unloads the
/// modules.
class LoadedImage {
public:
  /// Returns the image of these bytes, which other calls may have already.
  static std::shared_ptr<LoadedImage>
  get(std::string_view bytes, std::string_view chip, DeviceRange devices);

  ~LoadedImage();
  LoadedImage(const LoadedImage &) = delete;
  LoadedImage &operator=(const LoadedImage &) = delete;

  /// Returns the function of a launch in the current context, with the
  /// attributes that the launch needs, or the reason why there is none. Loads
  /// the module first where this context has none.
  std::variant<Function, std::string> prepare(const Driver &driver,
                                              const LaunchData &launch);

private:
  struct PreparedFunction {
    Function function = nullptr;
    /// The resources that its launches may use.
    int64_t sharedBytes = 0;
    bool allowsLargeClusters = false;
  };
  struct ContextModule {
    Module module = nullptr;
    std::map<std::string, PreparedFunction> functions;
  };

  LoadedImage(std::string bytes, std::string chip, DeviceRange devices)
      : bytes(std::move(bytes)), chip(std::move(chip)), devices(devices) {}

  std::string load(const Driver &driver, Module &module) const;

  const std::string bytes, chip;
  /// The devices that run the image.
  const DeviceRange devices;
  const Driver *driver = nullptr;
  /// Held while a module is loaded.
  std::mutex mutex;
  std::map<Context, ContextModule> modules;
};

} // namespace gridir::cuda

#endif // GRIDIR_PYTHON_GRIDIR_RUNTIME_GPU_NATIVE_LOADEDIMAGE_H
