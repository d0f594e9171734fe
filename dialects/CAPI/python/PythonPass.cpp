//===- PythonPass.cpp - Passes in Python ----------------------------------===//
//
// Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A pass in Python runs on a separate thread. If MLIR crashes below it, the
// frames of that thread are lost, and the interpreter must not continue on it;
// the compiling thread is unaffected.
//
//===----------------------------------------------------------------------===//

#include "dialects/CAPI/python/PythonPass.h"

#include "dialects/CAPI/Pipelines.h"
#include "dialects/Driver/CrashGuard.h"
#include "dialects/Driver/ExternalPass.h"
#include "mlir/Bindings/Python/NanobindAdaptors.h"

#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include <atomic>
#include <chrono>
#include <future>
#include <memory>
#include <string>
#include <thread>
#include <tuple>
#include <unistd.h>
#include <vector>

namespace nb = nanobind;
using gridir::driver::ExternalPass;

namespace {

using Texts = std::vector<std::string>;

/// The delay after which Ctrl-C ends a pass that does not return.
constexpr std::chrono::milliseconds kInterruptDelay(100);

/// A handle that lives as long as the process, as registered passes do.
nb::handle keep(nb::callable function) { return function.release(); }

/// The Python object of an op. Its context is wrapped, too, and the wrapper
/// would destroy objects that C++ owns.
nb::object wrap(mlir::Operation *op) {
  nb::object context = nb::module_::import_("gridir.mlir.ir").attr("Context");
  int before = nb::cast<int>(context.attr("_get_live_count")());
  nb::object wrapped = nb::cast(MlirOperation{op});
  if (nb::cast<int>(context.attr("_get_live_count")()) > before)
    (void)nb::object(wrapped.attr("context")).release();
  return wrapped;
}

ExternalPass::Result call(nb::handle run, mlir::Operation *op,
                          const Texts &options) {
  ExternalPass::Result result;
  try {
    auto [succeeded, counts] = nb::cast<std::pair<bool, std::vector<unsigned>>>(
        run(wrap(op), options));
    result = {succeeded, std::move(counts), std::nullopt};
  } catch (nb::python_error &error) {
    // Other exceptions of Python are reported by its `run`, above.
    error.discard_as_unraisable(run);
  }
  return result;
}

/// Forwards Ctrl-C from Python's main thread to another thread.
void forwardInterrupt(unsigned long thread) {
  nb::gil_scoped_acquire lock;
  if (PyErr_CheckSignals() == 0)
    return;
  PyErr_Clear();
  PyThreadState_SetAsyncExc(thread, PyExc_KeyboardInterrupt);
}

ExternalPass::Result runOnThread(nb::handle run, mlir::Operation *op,
                                 const Texts &options) {
  ExternalPass::Result result;
  std::atomic<unsigned long> identity = 0;
  auto done = std::make_shared<std::promise<void>>();
  std::future<void> future = done->get_future();
  std::thread thread([&, done] {
    std::optional<std::string> crash = gridir::driver::runGuarded([&] {
      nb::gil_scoped_acquire lock;
      identity = PyThread_get_thread_ident();
      result = call(run, op, options);
    });
    bool isOver = !crash;
    if (crash)
      PyEval_SaveThread(); // The lock was never given back.
    result.crash = std::move(crash);
    done->set_value();
    // The end of the thread would free Python objects, without the lock.
    while (!isOver)
      pause();
  });
  while (future.wait_for(kInterruptDelay) == std::future_status::timeout)
    if (identity)
      forwardInterrupt(identity);
  if (result.crash)
    thread.detach();
  else
    thread.join();
  return result;
}

void registerPass(
    const std::string &name, const std::string &argument,
    const std::string &summary, const std::string &anchor,
    const std::vector<std::tuple<std::string, std::string, std::string>>
        &options,
    const std::vector<std::pair<std::string, std::string>> &statistics,
    nb::callable check, nb::callable run) {
  ExternalPass pass{name, argument, summary, anchor, {}, {}, nullptr, nullptr};
  for (const auto &[option, description, value] : options)
    pass.options.push_back({option, description, value});
  for (const auto &[statistic, description] : statistics)
    pass.statistics.push_back({statistic, description});
  pass.check = [check = keep(check)](const Texts &values) -> std::string {
    nb::gil_scoped_acquire lock;
    try {
      return nb::cast<std::string>(check(values));
    } catch (nb::python_error &error) {
      return error.what();
    }
  };
  pass.run = [run = keep(run)](mlir::Operation *op, const Texts &values) {
    return runOnThread(run, op, values);
  };
  if (!gridir::driver::registerExternalPass(std::move(pass)))
    throw nb::value_error(
        ("expected a new name of a pass or pipeline, got '" + argument + "'")
            .c_str());
}

/// Emits, with the diagnostics of one severity by its name.
void emit(MlirLocation location, const std::string &severity,
          const std::string &message,
          const std::vector<std::pair<MlirLocation, std::string>> &notes) {
  gridir::emitDiagnostic(location,
                         severity == "error"     ? MlirDiagnosticError
                         : severity == "warning" ? MlirDiagnosticWarning
                                                 : MlirDiagnosticRemark,
                         message, notes);
}

} // namespace

void gridir::bindPythonPasses(nb::module_ &m) {
  m.def("register_pass", &registerPass, nb::arg("name"), nb::arg("argument"),
        nb::arg("summary"), nb::arg("anchor"), nb::arg("options"),
        nb::arg("statistics"), nb::arg("check"), nb::arg("run"),
        "Registers a pass. `check` gets the values of its options as text, and "
        "returns the text of an error or ''; `run` gets an op and the "
        "values, and returns the success and the increment of each statistic.");
  m.def("emit", &emit, nb::arg("location"), nb::arg("severity"),
        nb::arg("message"), nb::arg("notes"),
        "Reports an error, a warning or a remark, with notes at locations of "
        "their own.");
}
