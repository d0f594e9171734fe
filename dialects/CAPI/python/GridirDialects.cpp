//===- GridirDialects.cpp - Python extension of gridir's dialects ---------===//
//
// Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dialects/CAPI/Gridir.h"
#include "mlir/Bindings/Python/NanobindAdaptors.h"

#include <string>
#include <vector>

namespace nb = nanobind;

namespace {

/// Calls a `main` of the C API with a copy of `arguments`, which it may
/// reorder.
int callMain(int (*function)(int, char **),
             std::vector<std::string> arguments) {
  std::vector<char *> argv;
  for (std::string &argument : arguments)
    argv.push_back(argument.data());
  argv.push_back(nullptr);
  return function(static_cast<int>(arguments.size()), argv.data());
}

} // namespace

NB_MODULE(_gridirDialects, m) {
  m.doc() = "gridir's dialects, passes and tools";
  gridirRegisterAllPasses();

  m.def(
      "register_dialects",
      [](MlirDialectRegistry registry) { gridirRegisterAllDialects(registry); },
      nb::arg("registry"), "Adds every dialect of gridir to a registry.");
  m.def(
      "opt_main",
      [](std::vector<std::string> arguments) {
        return callMain(gridirOptMain, std::move(arguments));
      },
      nb::arg("arguments"),
      "Runs gridir-opt in this process, once; returns its exit status.");
}
