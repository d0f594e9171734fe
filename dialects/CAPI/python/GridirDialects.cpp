//===- GridirDialects.cpp - Python extension of gridir's dialects ---------===//
//
// Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dialects/CAPI/Gridir.h"
#include "dialects/CAPI/KernelLaunch.h"
#include "dialects/CAPI/Pipelines.h"
#include "dialects/CAPI/Targets.h"
#include "dialects/CAPI/python/FailureDict.h"
#include "dialects/CAPI/python/PythonPass.h"
#include "dialects/Driver/Recovery.h"
#include "mlir/Bindings/Python/NanobindAdaptors.h"

#include <nanobind/stl/vector.h>
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

/// Gives a module or a failure.
nb::object parseModule(MlirContext context, nb::bytes source,
                       const std::string &name) {
  MlirModule module = {nullptr};
  std::optional<gridir::driver::CompileFailure> failure = [&] {
    std::string_view text(source.c_str(), source.size());
    nb::gil_scoped_release release;
    return gridir::parseModule(context, text, name, module);
  }();
  return failure ? nb::object(gridir::toDict(*failure)) : nb::cast(module);
}

/// Gives None or a failure.
nb::object verifyModule(MlirModule module, nb::bytes source) {
  std::optional<gridir::driver::CompileFailure> failure = [&] {
    std::string_view text(source.c_str(), source.size());
    nb::gil_scoped_release release;
    return gridir::verifyModule(module, text);
  }();
  return failure ? nb::object(gridir::toDict(*failure)) : nb::none();
}

/// The pipelines of a context, which lives as long as they do.
struct Pipelines {
  std::shared_ptr<gridir::driver::Pipelines> known = gridir::makePipelines();
};

/// Gives None or a failure.
nb::object runPipeline(MlirModule module, nb::bytes source,
                       const std::string &pipeline, bool printAfterAll,
                       bool timing, bool statistics, Pipelines *pipelines) {
  std::optional<gridir::driver::CompileFailure> failure = [&] {
    std::string_view text(source.c_str(), source.size());
    nb::gil_scoped_release release;
    return gridir::runModulePipeline(
        module, text, pipeline, {printAfterAll, timing, statistics},
        pipelines ? pipelines->known.get() : nullptr);
  }();
  return failure ? nb::object(gridir::toDict(*failure)) : nb::none();
}

/// Collects MLIR's output piece by piece: a call of Python for each piece would
/// take most of the time.
void append(MlirStringRef piece, void *text) {
  static_cast<std::string *>(text)->append(piece.data, piece.length);
}

nb::bytes writeBytecode(MlirModule module) {
  std::string bytecode;
  mlirOperationWriteBytecode(mlirModuleGetOperation(module), append, &bytecode);
  return nb::bytes(bytecode.data(), bytecode.size());
}

nb::bytes printGeneric(MlirModule module) {
  MlirOpPrintingFlags flags = mlirOpPrintingFlagsCreate();
  mlirOpPrintingFlagsPrintGenericOpForm(flags);
  mlirOpPrintingFlagsEnableDebugInfo(flags, /*enable=*/true,
                                     /*prettyForm=*/false);
  std::string text;
  mlirOperationPrintWithFlags(mlirModuleGetOperation(module), flags, append,
                              &text);
  mlirOpPrintingFlagsDestroy(flags);
  return nb::bytes(text.data(), text.size());
}

/// Gives the text, or None.
nb::object describeLaunch(MlirModule module) {
  std::string text;
  if (!gridirDescribeLaunch(module, append, &text))
    return nb::none();
  return nb::str(text.data(), text.size());
}

nb::str describeTargets() {
  std::string text;
  gridirDescribeTargets(append, &text);
  return nb::str(text.data(), text.size());
}

} // namespace

NB_MODULE(_gridirDialects, m) {
  m.doc() = "The dialects, passes and tools of gridir.";
  gridirRegisterAllPasses();

  m.def(
      "register_dialects",
      [](MlirDialectRegistry registry) { gridirRegisterAllDialects(registry); },
      nb::arg("registry"), "Adds every dialect of gridir to a registry.");
  m.def(
      "parse_module", &parseModule, nb::arg("context"), nb::arg("source"),
      nb::arg("name"),
      "Parses and verifies a module of MLIR text or bytecode, whose locations "
      "are in the file of that name; returns the module, or the text of the "
      "error.");
  m.def("find_similar_passes", &gridir::findSimilarPasses, nb::arg("pipeline"),
        "Returns for each unknown name in a textual pipeline the most similar "
        "pass or pipeline, if there is one.");
  m.def("verify_module", &verifyModule, nb::arg("module"), nb::arg("source"),
        "Verifies a module, whose text or bytecode is for the reproducer of a "
        "crash; returns None, or the text of the error.");
  m.def("write_bytecode", &writeBytecode, nb::arg("module"),
        "Returns a module as MLIR bytecode.");
  m.def("print_generic", &printGeneric, nb::arg("module"),
        "Returns a module as text: each op in its generic form, with its "
        "location.");
  m.def("describe_launch", &describeLaunch, nb::arg("module"),
        "Returns how the kernel of a module is launched on a GPU, as JSON; "
        "None if its kernel.abi lacks a field for it.");
  m.def("describe_targets", &describeTargets,
        "Returns all targets as JSON: objects with the name and, for a chip "
        "such as \"gpu:sm_90a\", its properties.");
  nb::class_<Pipelines>(
      m, "Pipelines",
      "Pipelines that were run on modules of a context, ready to run again on "
      "other modules of it; for one thread.")
      .def(
          "__init__",
          [](Pipelines *self, nb::handle) { new (self) Pipelines(); },
          nb::keep_alive<1, 2>(), nb::arg("context"));
  m.def("run_pipeline", &runPipeline, nb::arg("module"), nb::arg("source"),
        nb::arg("pipeline"), nb::arg("print_after_all"), nb::arg("timing"),
        nb::arg("statistics"), nb::arg("pipelines") = nb::none(),
        "Runs a textual pass pipeline on a module, in place; returns None, or "
        "the text of the error. The source is the module as text or bytecode, "
        "for "
        "the reproducer of a crash. If pipelines of the module's context are "
        "given and nothing is printed, one of them runs.");
  m.def(
      "leak", [](nb::object object) { (void)object.release(); },
      nb::arg("object"),
      "Keeps an object for the life of the process, and through its end.");
  m.def(
      "opt_main",
      [](std::vector<std::string> arguments) {
        // Passes in Python take it on threads of their own.
        nb::gil_scoped_release release;
        return callMain(gridirOptMain, std::move(arguments));
      },
      nb::arg("arguments"),
      "Runs gridir-opt in this process, once; returns its exit status.");
  m.def(
      "reduce_main",
      [](std::vector<std::string> arguments) {
        return callMain(gridirReduceMain, std::move(arguments));
      },
      nb::arg("arguments"),
      "Runs gridir-reduce in this process, once; returns its exit status.");
  gridir::bindPythonPasses(m);
}
