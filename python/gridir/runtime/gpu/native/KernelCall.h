//===- KernelCall.h - A kernel as one call of XLA's has it ----------------===//
//
// Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef GRIDIR_PYTHON_GRIDIR_RUNTIME_GPU_NATIVE_KERNELCALL_H
#define GRIDIR_PYTHON_GRIDIR_RUNTIME_GPU_NATIVE_KERNELCALL_H

#include "HostReports.h"
#include "LoadedImage.h"

#include <optional>
#include <vector>

namespace gridir::cuda {

/// XLA's state of one custom call of an executable. Threads of all devices use
/// it at the same time.
class KernelCall {
public:
  KernelCall(std::string name, LaunchData launch,
             std::shared_ptr<LoadedImage> image)
      : name(std::move(name)), launch(std::move(launch)),
        image(std::move(image)) {}

  const LaunchData &getLaunch() const { return launch; }

  /// Loads the kernel in the current context, before calls run there. Returns
  /// the error, if any.
  std::optional<std::string> prepare();

  /// Launches the kernel on a stream of the current context.
  ///
  /// \param operands addresses of inputs and outputs.
  /// \param scratch memory of `scratchBytes`.
  /// \return the error, also a failed check of the kernel.
  std::optional<std::string>
  run(Stream stream, const std::vector<void *> &operands, void *scratch);

private:
  /// A tensor map of one parameter, which holds an address.
  struct EncodedMap {
    std::size_t parameter;
    void *address;
    TensorMap map;
  };

  std::string describe(const std::string &what) const;
  std::string describeReports(const Driver &driver, Result result) const;
  std::variant<Function, std::string> findFunction(const Driver &driver,
                                                   Stream stream);
  std::optional<std::string> encode(const Driver &driver, std::size_t index,
                                    void *address, TensorMap &map);
  /// Returns the number of CTAs of a launch. Waits for the stream if the grid
  /// is dynamic.
  std::variant<uint32_t, std::string>
  countCtas(const Driver &driver, Stream stream,
            const std::vector<void *> &operands) const;
  std::optional<std::string> launchOn(const Driver &driver, Stream stream,
                                      Function function, uint32_t ctas,
                                      void **values) const;
  std::optional<std::string> start(const Driver &driver, Stream stream,
                                   const std::vector<void *> &operands,
                                   char *memory, int64_t *report,
                                   Function function, uint32_t ctas);
  /// Waits for the kernel, and returns the check that has failed or the error
  /// of the driver.
  std::optional<std::string> readReport(const Driver &driver, Stream stream,
                                        const int64_t *report) const;

  const std::string name;
  const LaunchData launch;
  const std::shared_ptr<LoadedImage> image;
  std::mutex mutex;
  /// For each context; there are few.
  std::vector<std::pair<Context, Function>> functions;
  /// Maps that were encoded of late.
  std::vector<EncodedMap> maps;
  std::size_t nextMap = 0;
  HostReports reports;
};

} // namespace gridir::cuda

#endif // GRIDIR_PYTHON_GRIDIR_RUNTIME_GPU_NATIVE_KERNELCALL_H
