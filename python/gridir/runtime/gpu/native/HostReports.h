//===- HostReports.h - Error reports in memory of the host ----------------===//
//
// Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef GRIDIR_PYTHON_GRIDIR_RUNTIME_GPU_NATIVE_HOSTREPORTS_H
#define GRIDIR_PYTHON_GRIDIR_RUNTIME_GPU_NATIVE_HOSTREPORTS_H

#include "CudaDriver.h"

#include <mutex>
#include <utility>
#include <vector>

namespace gridir::cuda {

/// The error reports of a kernel's launches, which all devices can write. A
/// fault of a kernel makes memory of its device inaccessible, but not these:
/// the check that failed before the fault can still be read.
class HostReports {
public:
  HostReports() = default;
  ~HostReports();
  HostReports(const HostReports &) = delete;
  HostReports &operator=(const HostReports &) = delete;

  /// Adds a report, as for a device that launches begin to use: these need not
  /// allocate one then, which may wait for all kernels of the device.
  Result add(const Driver &driver, int64_t words);
  /// Gives a report of zeros for one launch in the current context.
  Result take(const Driver &driver, int64_t words, int64_t *&report);
  /// Takes the report back once the kernel has ended.
  void giveBack(int64_t *report);

private:
  Result allocate(const Driver &driver, int64_t words, int64_t *&report);

  std::mutex mutex;
  const Driver *driver = nullptr;
  /// Each with the context in which it was allocated.
  std::vector<std::pair<Context, int64_t *>> allocated;
  std::vector<int64_t *> unused;
};

} // namespace gridir::cuda

#endif // GRIDIR_PYTHON_GRIDIR_RUNTIME_GPU_NATIVE_HOSTREPORTS_H
