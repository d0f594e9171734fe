//===- Bindings.cpp - Python module of the CPU runtime --------------------===//
//
// Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Compiler.h"
#include "FfiHandler.h"
#include "KernelTable.h"
#include "Prints.h"
#include "RaceReports.h"
#include "Races.h"
#include "dialects/CAPI/python/FailureDict.h"

#include <nanobind/nanobind.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

namespace nb = nanobind;

using namespace gridir::cpu;

namespace {

/// The Python function that writes prints. Kept for the life of the process, as
/// a kernel may print while it ends.
PyObject *printHandler = nullptr;

/// Passes the prints of one call to Python, on the thread that ran the call.
void sendPrints(const PrintBuffer &buffer) {
  // A thread that acquires the interpreter during its shutdown never returns.
  if (!Py_IsInitialized())
    return;
  nb::gil_scoped_acquire lock;
  if (!printHandler)
    return;
  nb::list records;
  for (const PrintRecord &record : buffer.records) {
    const PrintSite &site = buffer.kernel->info.prints[record.site];
    nb::list values;
    for (std::size_t i = 0; i < record.values.size(); ++i)
      values.append(nb::make_tuple(
          site.types[i].element, site.types[i].shape,
          nb::bytes(record.values[i].data(), record.values[i].size())));
    records.append(
        nb::make_tuple(site.format, site.callback, record.time, values));
  }
  nb::object result = nb::steal(PyObject_CallFunctionObjArgs(
      printHandler, records.ptr(), static_cast<void *>(nullptr)));
  // Report the exception like one of a destructor, since no Python frame can
  // receive it.
  if (!result.is_valid())
    PyErr_WriteUnraisable(printHandler);
}

/// Gives {"pipeline"} or a failure.
nb::dict completePipeline(const std::string &pipeline, int64_t codegenLevel,
                          const std::string &cpu, const std::string &features) {
  CompileOptions options;
  options.pipeline = pipeline;
  options.codegenLevel = codegenLevel;
  options.cpu = cpu;
  options.features = features;
  std::variant<std::string, CompileFailure> result = getPipeline(options);
  if (auto *failure = std::get_if<CompileFailure>(&result))
    return gridir::toDict(*failure);
  nb::dict reply;
  reply["pipeline"] = std::get<std::string>(result);
  return reply;
}

/// Gives {"missing"} or a failure.
nb::dict missingFeatures(const std::string &cpu, const std::string &features) {
  CompileOptions options;
  options.cpu = cpu;
  options.features = features;
  std::variant<std::vector<std::string>, CompileFailure> result =
      getMissingFeatures(options);
  if (auto *failure = std::get_if<CompileFailure>(&result))
    return gridir::toDict(*failure);
  nb::dict reply;
  reply["missing"] = std::get<std::vector<std::string>>(result);
  return reply;
}

/// Gives {"origin", "name", "prints", "arena_bytes", "warning"} or a failure.
nb::dict compileKernel(const std::string &key, nb::bytes module,
                       const std::string &pipeline, int64_t optLevel,
                       int64_t codegenLevel, const std::string &cpu,
                       const std::string &features, bool reportsRaces) {
  CompileOptions options{pipeline, optLevel, codegenLevel,
                         cpu,      features, reportsRaces};
  std::string_view source(module.c_str(), module.size());
  std::variant<ReadyKernel, CompileFailure> result = [&] {
    nb::gil_scoped_release release;
    return getKernel(key, source, options);
  }();
  if (auto *failure = std::get_if<CompileFailure>(&result))
    return gridir::toDict(*failure);
  nb::dict reply;
  const ReadyKernel &ready = std::get<ReadyKernel>(result);
  const KernelInfo &info = ready.kernel->info;
  reply["origin"] = toText(ready.origin);
  reply["name"] = info.name;
  reply["prints"] = info.prints.size();
  reply["arena_bytes"] = info.arenaBytes;
  reply["warning"] = ready.warning;
  return reply;
}

/// Gives None or two of (site, task, kind).
nb::object describeRace(const RaceDetector &detector) {
  if (!detector.getRace())
    return nb::none();
  auto describe = [](const RaceDetector::Access &access) {
    return nb::make_tuple(access.site, access.program.number,
                          static_cast<int64_t>(access.kind));
  };
  return nb::make_tuple(describe(detector.getRace()->first),
                        describe(detector.getRace()->second));
}

void bindRaceDetector(nb::module_ &m) {
  auto toPointer = [](uintptr_t address) {
    return reinterpret_cast<const void *>(address);
  };
  nb::class_<RaceDetector>(m, "RaceDetector",
                           "Finds unordered accesses; see Races.h.")
      .def(nb::init<>())
      .def(
          "fork",
          [](RaceDetector &self, std::optional<RaceDetector::Thread> parent,
             int64_t task) { return self.fork(parent, Program{0, task}); },
          nb::arg("parent").none(), nb::arg("task"))
      .def("join", &RaceDetector::join, nb::arg("thread"))
      .def("release",
           [=](RaceDetector &self, RaceDetector::Thread thread,
               uintptr_t semaphore) {
             self.release(thread, toPointer(semaphore));
           })
      .def("acquire",
           [=](RaceDetector &self, RaceDetector::Thread thread,
               uintptr_t semaphore) {
             self.acquire(thread, toPointer(semaphore));
           })
      .def("signal",
           [=](RaceDetector &self, RaceDetector::Thread thread,
               uintptr_t semaphore, int64_t amount) {
             self.signal(thread, toPointer(semaphore), amount, std::nullopt);
           })
      .def("start_copy",
           [=](RaceDetector &self, RaceDetector::Thread copy,
               RaceDetector::Thread parent, uintptr_t semaphore,
               int64_t amount) {
             self.startCopy(copy, parent, toPointer(semaphore), amount,
                            std::nullopt);
           })
      .def("end_copy",
           [=](RaceDetector &self, RaceDetector::Thread copy,
               uintptr_t semaphore) {
             self.endCopy(copy, toPointer(semaphore), std::nullopt);
           })
      .def("wait",
           [=](RaceDetector &self, RaceDetector::Thread thread,
               uintptr_t semaphore, int64_t amount) {
             self.wait(thread, toPointer(semaphore), amount, /*keeps=*/false,
                       std::nullopt);
           })
      .def(
          "access",
          [=](RaceDetector &self, RaceDetector::Thread thread, uintptr_t begin,
              int64_t bytes, int64_t kind, int64_t site) {
            self.access(thread, toPointer(begin), bytes,
                        static_cast<AccessKind>(kind), site);
          },
          nb::arg("thread"), nb::arg("begin"), nb::arg("bytes"),
          nb::arg("kind"), nb::arg("site"))
      .def("forget",
           [=](RaceDetector &self, uintptr_t begin, int64_t bytes) {
             self.forget(toPointer(begin), bytes);
           })
      .def_prop_ro("race", &describeRace);
}

} // namespace

NB_MODULE(_gridirCPU, m) {
  m.doc() = "Compiles kernels for the CPU and runs them from XLA.";
  m.def("compile_kernel", &compileKernel, nb::arg("key"), nb::arg("module"),
        nb::arg("pipeline"), nb::arg("opt_level"), nb::arg("codegen_level"),
        nb::arg("cpu"), nb::arg("features"), nb::arg("reports_races"),
        "Makes the kernel of a module ready to run under a key.");
  m.def("complete_pipeline", &completePipeline, nb::arg("pipeline"),
        nb::arg("codegen_level"), nb::arg("cpu"), nb::arg("features"),
        "The pipeline with the options that follow from the CPU's registers.");
  m.def("describe_host", &describeHost,
        "The CPU of this machine and its features.");
  m.def("missing_features", &missingFeatures, nb::arg("cpu"),
        nb::arg("features"),
        "The features that code for a CPU may use and this machine lacks.");
  bindRaceDetector(m);
  m.def("kept_race", &getKeptRace,
        "The race of the last call that only reports them, or None.");
  m.def(
      "set_print_handler",
      [](nb::callable handler) {
        Py_XSETREF(printHandler, handler.inc_ref().ptr());
        setPrintSink(&sendPrints);
      },
      nb::arg("handler"),
      "Sets the function that receives the prints of a call: a list of "
      "(format, identity of a function or '', nanoseconds of a clock, "
      "[(element type, shape, bytes)]).");
  m.def("add_callback", &addCallback, nb::arg("identity"),
        "Makes the function of that identity known, so that kernels may call "
        "it.");
  m.def(
      "ffi_target",
      [] {
        FfiTarget target = getFfiTarget();
        nb::dict result;
        result["instantiate"] = nb::capsule(target.instantiate);
        result["execute"] = nb::capsule(target.execute);
        result["instantiate_collective"] =
            nb::capsule(target.instantiateCollective);
        result["execute_collective"] = nb::capsule(target.executeCollective);
        result["type_id"] = nb::capsule(target.typeId);
        result["type_info"] = nb::capsule(target.typeInfo);
        return result;
      },
      "The addresses to register with XLA, as capsules.");
}
