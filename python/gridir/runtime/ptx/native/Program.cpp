//===- Program.cpp - PTX that is loaded, as a driver gives it -------------===//
//
// Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Program.h"

#include "Calls.h"
#include "Collectives.h"
#include "Launch.h"
#include "NarrowFloats.h"
#include "Parser.h"
#include "Rounding.h"
#include "Translation.h"

#include "dialects/Driver/CrashGuard.h"
#include "python/gridir/runtime/cpu/native/CodeGen.h"
#include "python/gridir/runtime/cpu/native/Linker.h"
#include "python/gridir/runtime/cpu/native/Memory.h"
#include "python/gridir/runtime/cpu/native/ObjectCache.h"
#include "python/gridir/runtime/cpu/native/SoftFloat.h"
#include "python/gridir/runtime/cpu/native/TargetCPU.h"

#include "llvm/IR/Module.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/MathExtras.h"
#include "llvm/Target/TargetMachine.h"

#include <map>
#include <mutex>

using namespace llvm;

namespace gridir::ptx {

namespace {

constexpr StringLiteral kEntry = "ptx.kernel";

/// The passes before LLVM's code generator. Registers of PTX are allocas, which
/// the first pass promotes.
constexpr StringLiteral kPasses =
    "function(sroa,instcombine<no-verify-fixpoint>,simplifycfg)";

/// The same with shadows of all values. Registers have shadows in registers
/// only if they are promoted before.
constexpr StringLiteral kTrackingPasses =
    "function(sroa),msan<kernel;track-origins=1>,"
    "function(instcombine<no-verify-fixpoint>,simplifycfg)";

/// Variables are part of the process, and zero at first.
constexpr uint64_t kMaxGlobalBytes = uint64_t(1) << 30;

std::vector<cpu::Linker::Symbol> getRuntimeSymbols() {
  std::vector<cpu::Linker::Symbol> symbols = getExecutionSymbols();
  llvm::append_range(symbols, getCheckSymbols());
  llvm::append_range(symbols, getSanitizerSymbols());
  symbols.push_back(getCollectiveSymbol());
  llvm::append_range(symbols, getMathSymbols());
  llvm::append_range(symbols, getNarrowSymbols());
  llvm::append_range(symbols, getCallSymbols());
  llvm::append_range(symbols, cpu::getSoftFloatSymbols());
  return symbols;
}

/// The memory of a variable in global or constant space.
struct Global {
  cpu::Array<char> memory;
  uint64_t address = 0;
};

Problems initialize(const Variable &variable, const GlobalAddresses &addresses,
                    Global &global) {
  Problems problems;
  const unsigned bytes = variable.type.getBytes();
  if (variable.initializer.size() * bytes > variable.getBytes()) {
    problems.push_back({variable.where, "expected at most " +
                                            std::to_string(variable.count) +
                                            " initial values"});
    return problems;
  }
  char *next = reinterpret_cast<char *>(global.address);
  for (const Operand &value : variable.initializer) {
    uint64_t bits = value.value;
    if (value.kind == Operand::Kind::Name) {
      auto found = addresses.find(value.name);
      if (found == addresses.end())
        problems.push_back({value.where, "expected a constant or a variable, "
                                         "got '" +
                                             value.name + "'"});
      else
        bits += found->second;
    } else if (value.kind != Operand::Kind::Integer &&
               (value.kind != Operand::Kind::Float ||
                value.floatBits != variable.type.bits)) {
      problems.push_back({value.where, "expected a constant of the type"});
    }
    std::memcpy(next, &bits, std::min<unsigned>(bytes, 8));
    next += bytes;
  }
  return problems;
}

FunctionInfo describe(const Function &function) {
  FunctionInfo info;
  info.name = function.name;
  for (const ParameterLayout &parameter : layOutParameters(function))
    info.parameters.push_back(
        {parameter.name, parameter.offset, parameter.bytes});
  auto read = [&](StringRef directive) {
    std::array<uint32_t, 3> sizes = {};
    auto found = function.directives.find(directive);
    if (found == function.directives.end())
      return sizes;
    sizes = {1, 1, 1};
    for (auto [size, value] : llvm::zip(sizes, found->second))
      size = value;
    return sizes;
  };
  info.requiredBlock = read("reqntid");
  info.requiredCluster = read("reqnctapercluster");
  const std::array<uint32_t, 3> most = read("maxntid");
  info.maxThreads = most[0] * most[1] * most[2];
  return info;
}

} // namespace

struct Program::Parts {
  std::string text;
  Module module;
  std::map<std::string, Global> globals;
  GlobalAddresses addresses;
  std::mutex mutex;
  /// By their names, and whether they are checked, profiled and tracked.
  std::map<std::tuple<std::string, bool, bool, bool>, PreparedFunction>
      prepared;

  Problems allocateGlobals();
  const Function *find(const std::string &name) const;
  Expected<PreparedFunction> compile(const Function &function,
                                     Instrumentation instrumentation,
                                     Preparation &preparation) const;
};

Problems Program::Parts::allocateGlobals() {
  Problems problems;
  std::vector<const Variable *> variables;
  for (const Variable &variable : module.variables) {
    if (variable.space != "global" && variable.space != "const")
      continue;
    if (variable.getBytes() > kMaxGlobalBytes) {
      problems.push_back(
          {variable.where, "expected a variable of at most 1073741824 bytes, "
                           "got " +
                               std::to_string(variable.getBytes())});
      continue;
    }
    auto [entry, isNew] = globals.try_emplace(variable.name);
    if (!isNew) {
      problems.push_back({variable.where, "expected a name that is new in this "
                                          "module, got '" +
                                              variable.name + "'"});
      continue;
    }
    Global &global = entry->second;
    global.memory =
        cpu::allocateArray<char>(variable.getBytes() + variable.alignment);
    if (!global.memory) {
      problems.push_back(
          {variable.where, "the system has no memory left for the " +
                               std::to_string(variable.getBytes()) +
                               " bytes of '" + variable.name + "'"});
      continue;
    }
    global.address = alignTo(reinterpret_cast<uint64_t>(global.memory.get()),
                             variable.alignment);
    addresses[variable.name] = global.address;
    variables.push_back(&variable);
  }
  for (const Variable *variable : variables)
    llvm::append_range(
        problems, initialize(*variable, addresses, globals[variable->name]));
  return problems;
}

const Function *Program::Parts::find(const std::string &name) const {
  for (const Function &function : module.functions)
    if (function.name == name && function.isEntry && function.body)
      return &function;
  return nullptr;
}

Program::Program(std::unique_ptr<Parts> parts) : parts(std::move(parts)) {
  for (const Function &function : this->parts->module.functions)
    if (function.isEntry && function.body)
      functions.push_back(describe(function));
}

Program::~Program() = default;

std::variant<std::unique_ptr<Program>, Problems>
Program::load(const std::string &text) {
  Problems problems;
  auto parts = std::make_unique<Parts>();
  parts->text = text;
  parts->module = parse(text, problems);
  if (problems.empty())
    problems = parts->allocateGlobals();
  if (!problems.empty())
    return problems;
  return std::unique_ptr<Program>(new Program(std::move(parts)));
}

static Expected<cpu::KernelObject>
generateObject(llvm::Module &result, const cpu::CompileOptions &options) {
  Expected<std::unique_ptr<TargetMachine>> machine =
      cpu::createTargetMachine(options);
  if (!machine)
    return machine.takeError();
  cpu::setTarget(result, **machine);
  cpu::runPasses(result, **machine, options.pipeline);
  cpu::KernelObject object;
  if (Error error = cpu::emitObject(result, **machine, object.info.stackBytes)
                        .moveInto(object.object))
    return error;
  return object;
}

static Expected<KernelFn> link(const cpu::KernelObject &object) {
  static cpu::Linker &linker = *new cpu::Linker(getRuntimeSymbols());
  Expected<std::vector<void *>> addresses =
      linker.link(object.object, {kEntry});
  if (!addresses)
    return addresses.takeError();
  return reinterpret_cast<KernelFn>(addresses->front());
}

/// Compiles a function whose translation succeeded.
Expected<PreparedFunction>
Program::Parts::compile(const Function &function,
                        Instrumentation instrumentation,
                        Preparation &preparation) const {
  LLVMContext context;
  llvm::Module result(function.name, context);
  PreparedFunction prepared;
  prepared.translation = translate(module, function, addresses, result, kEntry,
                                   instrumentation, preparation.problems);
  if (!preparation.problems.empty())
    return prepared;
  cpu::CompileOptions options;
  options.pipeline = instrumentation.isTracked ? kTrackingPasses : kPasses;
  // Shadows make functions large, and allocating registers well takes longer
  // than it saves: the calls of checks dominate the execution.
  options.codegenLevel = instrumentation.isTracked ? 0 : 1;

  cpu::ObjectCache cache;
  const std::string key = cpu::getObjectKey(
      formatv("{0} {1} {2} {3}\n{4}", function.name, instrumentation.isChecked,
              instrumentation.isProfiled, instrumentation.isTracked, text)
          .str(),
      options);
  // Code has the addresses of variables, which are of this process.
  const bool isCached = addresses.empty();
  if (std::optional<cpu::KernelObject> object =
          isCached ? cache.read(key) : std::nullopt) {
    if (Error error = link(*object).moveInto(prepared.entry)) {
      // An entry that does not link is ignored.
      consumeError(std::move(error));
    } else {
      prepared.stackBytes = object->info.stackBytes;
      preparation.origin = cpu::KernelOrigin::Disk;
      return prepared;
    }
  }
  preparation.origin = cpu::KernelOrigin::Compiled;
  preparation.warning = cache.getProblem();
  Expected<cpu::KernelObject> object = generateObject(result, options);
  if (!object)
    return object.takeError();
  if (Error error = link(*object).moveInto(prepared.entry))
    return error;
  prepared.stackBytes = object->info.stackBytes;
  if (isCached)
    cache.write(key, *object);
  return prepared;
}

Preparation Program::prepare(const std::string &name, bool isChecked,
                             bool isProfiled, bool isTracked) {
  std::lock_guard<std::mutex> lock(parts->mutex);
  Preparation preparation;
  const auto key = std::make_tuple(name, isChecked, isProfiled, isTracked);
  if (parts->prepared.count(key))
    return preparation;
  Problems &problems = preparation.problems;
  const Function *function = parts->find(name);
  if (!function) {
    problems.push_back(
        {{}, "expected the name of an entry, got '" + name + "'"});
    return preparation;
  }
  std::optional<std::string> crash = driver::runGuarded([&] {
    Expected<PreparedFunction> prepared = parts->compile(
        *function, Instrumentation{isChecked, isProfiled, isTracked},
        preparation);
    if (!prepared) {
      Error error = prepared.takeError();
      const char *prefix =
          error.isA<cpu::LinkerCrash>() ? "the linker crashed: " : "";
      problems.push_back(
          {function->where, prefix + toString(std::move(error))});
    } else if (problems.empty()) {
      parts->prepared.emplace(key, std::move(*prepared));
    }
  });
  if (crash)
    problems = {{function->where, "the compiler crashed: " + *crash}};
  return preparation;
}

LaunchReport Program::launch(const std::string &name,
                             const LaunchOptions &options) {
  const PreparedFunction *function;
  {
    std::lock_guard<std::mutex> lock(parts->mutex);
    auto found = parts->prepared.find(
        {name, options.findsRaces || options.findsUnwritten, options.isProfiled,
         options.findsUnwritten});
    if (found == parts->prepared.end()) {
      LaunchReport report;
      report.fault = Fault{
          "", {{}, "expected an entry that is prepared, got '" + name + "'"}};
      return report;
    }
    function = &found->second;
  }
  BufferTable buffers;
  for (const Buffer &buffer : options.buffers)
    buffers.add(buffer);
  for (const Variable &variable : parts->module.variables)
    if (auto found = parts->globals.find(variable.name);
        found != parts->globals.end())
      buffers.add({found->second.address, variable.getBytes(), variable.name});
  LaunchReport report = ptx::launch(*function, options, buffers);
  // Of a problem, or of an instruction.
  auto nameFile = [&](auto &placed) {
    if (auto file = parts->module.files.find(placed.source.file);
        file != parts->module.files.end())
      placed.sourceFile = file->second;
  };
  if (report.fault) {
    nameFile(report.fault->problem);
    if (report.fault->other)
      nameFile(*report.fault->other);
    llvm::for_each(report.fault->waiting, nameFile);
  }
  llvm::for_each(report.profile, nameFile);
  return report;
}

} // namespace gridir::ptx
