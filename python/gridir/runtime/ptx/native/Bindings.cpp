//===- Bindings.cpp - Python module of the executor of PTX ----------------===//
//
// Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Program.h"

#include <nanobind/nanobind.h>
#include <nanobind/stl/array.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/unique_ptr.h>
#include <nanobind/stl/vector.h>

namespace nb = nanobind;

using namespace gridir::ptx;

namespace {

nb::dict toDict(const Problem &problem) {
  nb::dict result;
  result["message"] = problem.message;
  result["line"] = problem.where.line;
  result["column"] = problem.where.column;
  result["source_file"] = problem.sourceFile;
  result["source_line"] = problem.source.line;
  result["source_column"] = problem.source.column;
  return result;
}

nb::list toList(const Problems &problems) {
  nb::list result;
  for (const Problem &problem : problems)
    result.append(toDict(problem));
  return result;
}

/// Gives the program or the problems.
nb::object load(const std::string &text) {
  std::variant<std::unique_ptr<Program>, Problems> result = Program::load(text);
  if (auto *problems = std::get_if<Problems>(&result))
    return toList(*problems);
  return nb::cast(std::move(std::get<std::unique_ptr<Program>>(result)));
}

/// Gives {"problems", "origin", "warning"}.
nb::dict prepare(Program &program, const std::string &name, bool isChecked,
                 bool isProfiled, bool isTracked) {
  Preparation preparation;
  {
    nb::gil_scoped_release release;
    preparation = program.prepare(name, isChecked, isProfiled, isTracked);
  }
  nb::dict result;
  result["problems"] = toList(preparation.problems);
  result["origin"] = gridir::cpu::toText(preparation.origin);
  result["warning"] = preparation.warning;
  return result;
}

nb::dict toDict(const MemoryCounts &counts) {
  nb::dict result;
  result["requests"] = counts.requests;
  result["bytes"] = counts.bytes;
  result["pieces"] = counts.pieces;
  result["least"] = counts.least;
  return result;
}

nb::dict toDict(const InstructionProfile &instruction) {
  const SiteCounts &counts = instruction.counts;
  nb::dict result;
  result["text"] = instruction.text;
  result["line"] = instruction.where.line;
  result["source_file"] = instruction.sourceFile;
  result["source_line"] = instruction.source.line;
  result["warps"] = counts.warps;
  result["threads"] = counts.threads;
  result["shared"] = toDict(counts.shared);
  result["global"] = toDict(counts.global);
  result["copied_shared"] = counts.copiedShared;
  result["copied_global"] = counts.copiedGlobal;
  result["waits"] = counts.waits;
  result["stalled"] = counts.stalled;
  return result;
}

/// Gives {"switches"}, "profile" where it was asked for, and "fault" where the
/// launch ended early.
nb::dict launch(Program &program, const std::string &name,
                std::array<uint32_t, 3> grid, std::array<uint32_t, 3> block,
                std::array<uint32_t, 3> cluster, uint64_t dynamicShared,
                nb::bytes parameters, nb::list buffers, double timeout,
                bool findsRaces, bool findsUnwritten,
                std::optional<uint64_t> scheduleSeed, uint64_t blocksAtOnce,
                bool isProfiled, uint64_t cores) {
  LaunchOptions options;
  options.grid = grid;
  options.block = block;
  options.cluster = cluster;
  options.dynamicShared = dynamicShared;
  options.parameters = std::string(parameters.c_str(), parameters.size());
  options.timeout = timeout;
  options.findsRaces = findsRaces;
  options.findsUnwritten = findsUnwritten;
  options.scheduleSeed = scheduleSeed;
  options.blocksAtOnce = blocksAtOnce;
  options.isProfiled = isProfiled;
  options.cores = cores;
  for (nb::handle handle : buffers) {
    nb::tuple buffer = nb::cast<nb::tuple>(handle);
    options.buffers.push_back(
        {nb::cast<uint64_t>(buffer[0]), nb::cast<uint64_t>(buffer[1]),
         nb::cast<std::string>(buffer[2]), nb::cast<bool>(buffer[3])});
  }
  bool isInterrupted = false;
  options.isInterrupted = [&] {
    nb::gil_scoped_acquire lock;
    isInterrupted = isInterrupted || PyErr_CheckSignals() != 0;
    return isInterrupted;
  };
  LaunchReport report;
  {
    nb::gil_scoped_release release;
    report = program.launch(name, options);
  }
  if (isInterrupted)
    throw nb::python_error();
  nb::dict result;
  result["switches"] = report.switches;
  if (isProfiled) {
    nb::list profile;
    for (const InstructionProfile &instruction : report.profile)
      profile.append(toDict(instruction));
    result["profile"] = profile;
  }
  if (report.fault) {
    nb::dict fault = toDict(report.fault->problem);
    fault["instruction"] = report.fault->instruction;
    fault["notes"] = report.fault->notes;
    if (report.fault->other) {
      nb::dict other = toDict(*report.fault->other);
      other["instruction"] = report.fault->otherInstruction;
      fault["other"] = other;
    }
    nb::list waiting;
    for (const Problem &place : report.fault->waiting)
      waiting.append(toDict(place));
    fault["waiting"] = waiting;
    result["fault"] = fault;
  }
  return result;
}

} // namespace

NB_MODULE(_gridirPTX, m) {
  m.doc() = "Executes PTX on the CPU.";
  nb::class_<ParameterInfo>(m, "ParameterInfo", "A parameter of an entry.")
      .def_ro("name", &ParameterInfo::name)
      .def_ro("offset", &ParameterInfo::offset)
      .def_ro("bytes", &ParameterInfo::bytes);
  nb::class_<FunctionInfo>(m, "FunctionInfo", "An entry of a program.")
      .def_ro("name", &FunctionInfo::name)
      .def_ro("parameters", &FunctionInfo::parameters)
      .def_ro("required_block", &FunctionInfo::requiredBlock)
      .def_ro("required_cluster", &FunctionInfo::requiredCluster)
      .def_ro("max_threads", &FunctionInfo::maxThreads);
  nb::class_<Program>(m, "Program", "A PTX text that is loaded.")
      .def_prop_ro("functions", &Program::getFunctions)
      .def("prepare", &prepare, nb::arg("name"), nb::arg("is_checked"),
           nb::arg("is_profiled"), nb::arg("is_tracked"),
           "Compiles an entry; returns its problems.")
      .def("launch", &launch, nb::arg("name"), nb::arg("grid"),
           nb::arg("block"), nb::arg("cluster"), nb::arg("dynamic_shared"),
           nb::arg("parameters"), nb::arg("buffers"), nb::arg("timeout"),
           nb::arg("finds_races"), nb::arg("finds_unwritten"),
           nb::arg("schedule_seed").none(), nb::arg("blocks_at_once"),
           nb::arg("is_profiled"), nb::arg("cores"), "Runs an entry.");
  m.def("load", &load, nb::arg("text"), "Returns a program or its problems.");
}
