//===- Bindings.cpp - Python module of the launcher of GPU kernels --------===//
//
// Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "FfiHandler.h"
#include "LaunchData.h"

#include <nanobind/nanobind.h>
#include <nanobind/stl/string.h>

namespace nb = nanobind;

using namespace gridir::cuda;

NB_MODULE(_gridirGPU, m) {
  m.doc() = "Launches kernels on NVIDIA GPUs, called by XLA.";
  m.def(
      "ffi_target",
      [] {
        FfiTarget target = getFfiTarget();
        nb::dict result;
        result["instantiate"] = nb::capsule(target.instantiate);
        result["initialize"] = nb::capsule(target.initialize);
        result["execute"] = nb::capsule(target.execute);
        result["execute_recorded"] = nb::capsule(target.executeRecorded);
        result["type_id"] = nb::capsule(target.typeId);
        result["type_info"] = nb::capsule(target.typeInfo);
        return result;
      },
      "The addresses to register with XLA, as capsules.");
  m.def(
      "scratch_bytes",
      [](const std::string &launch) {
        auto data = parseLaunch(launch);
        if (auto *reason = std::get_if<std::string>(&data))
          throw nb::value_error(reason->c_str());
        return std::get<LaunchData>(data).scratchBytes;
      },
      nb::arg("launch"),
      "The bytes of the last result of a call with this launch; 0 for a call "
      "without one.");
}
