//===- PreparedLaunches.cpp - Launches on arrays that were checked --------===//
//
// Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The facts of the arrays of a call are the key of a launch: device, element
// type, sizes and strides of each array, and the addresses if the launch has
// tensor maps, which are encoded for an address. Python checks the facts of a
// new key and adds the launch; new addresses are checked here. This library has
// no dependency but Python's stable interface; without it, Python launches by
// ctypes.
//
//===----------------------------------------------------------------------===//

#include "ArrayFacts.h"

#include <memory>

using namespace gridir::gpu;

namespace {

/// CUlaunchConfig of the driver.
struct LaunchConfig {
  unsigned grid[3];
  unsigned block[3];
  unsigned sharedBytes;
  void *stream;
  void *attributes;
  unsigned numAttributes;
};

using LaunchKernel = int (*)(const LaunchConfig *, void *function,
                             void **arguments, void **extra);
using GetCurrent = int (*)(void **context);

/// A launch whose arguments are in memory that `owner` keeps alive.
struct Prepared {
  Prepared(PyObject *owner, void *context, void *function,
           const LaunchConfig &config, void **arguments)
      : owner(owner), context(context), function(function), config(config),
        arguments(arguments) {
    Py_IncRef(owner);
  }
  Prepared(const Prepared &) = delete;
  Prepared &operator=(const Prepared &) = delete;
  ~Prepared() { Py_DecRef(owner); }

  PyObject *owner;
  void *context;
  void *function;
  LaunchConfig config;
  void **arguments;
};

/// The rules for the address of an operand.
struct OperandRule {
  uint64_t bytes;
  uint64_t alignment;
  /// The input in whose memory an output is, or -1.
  int64_t alias;
  int64_t isOutput;
};

/// The argument of a parameter: the address of an operand, or a constant if
/// `operand` is -1.
struct Source {
  int64_t operand;
  uint64_t constant;
};

/// A launch for all addresses that are valid.
struct Pattern {
  std::shared_ptr<Prepared> prepared;
  std::vector<OperandRule> rules;
  std::vector<Source> sources;
};

struct Launches {
  LaunchKernel launchKernel;
  GetCurrent getCurrent;
  ArrayReader reader;
  std::unordered_map<std::string, std::shared_ptr<Prepared>> prepared;
  std::unordered_map<std::string, std::shared_ptr<Pattern>> patterns;
};

constexpr char kName[] = "gridir.launches";
constexpr size_t kMostPrepared = 1024;
/// The result of a call that Python has to check and to launch.
constexpr long kUnknown = -1;

Launches *getLaunches(PyObject *capsule) {
  return static_cast<Launches *>(PyCapsule_GetPointer(capsule, kName));
}

void destroy(PyObject *capsule) {
  Launches *launches = getLaunches(capsule);
  for (auto &[pointer, type] : launches->reader.types)
    Py_DecRef(type.type);
  delete launches;
}

/// Returns true for addresses that Python would accept: aligned, an output in
/// the memory of its input, and in no other operand's memory.
bool isValid(const std::vector<OperandRule> &rules,
             const std::vector<uint64_t> &addresses) {
  const std::size_t count = rules.size();
  if (addresses.size() != count)
    return false;
  for (std::size_t i = 0; i < count; ++i) {
    const OperandRule &rule = rules[i];
    if (!rule.bytes)
      continue;
    if (!addresses[i] || addresses[i] % rule.alignment)
      return false;
    if (!rule.isOutput)
      continue;
    if (rule.alias >= 0 && addresses[i] != addresses[rule.alias])
      return false;
    for (std::size_t j = 0; j < count; ++j)
      if (j != i && static_cast<int64_t>(j) != rule.alias &&
          addresses[i] < addresses[j] + rules[j].bytes &&
          addresses[j] < addresses[i] + rule.bytes)
        return false;
  }
  return true;
}

/// Launches a kernel on a stream without the interpreter: a launch waits if the
/// stream has too many, and work of a stream may need the interpreter.
PyObject *launchOn(const Launches &launches, const Prepared &prepared,
                   void **arguments, void *stream) {
  LaunchConfig config = prepared.config;
  config.stream = stream;
  LaunchKernel launchKernel = launches.launchKernel;
  PyThreadState *state = PyEval_SaveThread();
  int error = launchKernel(&config, prepared.function, arguments, nullptr);
  PyEval_RestoreThread(state);
  return PyLong_FromLong(error);
}

/// launch(arrays: tuple, stream: int | None) -> int: 0, an error of the driver,
/// or `kUnknown`.
PyObject *launch(PyObject *self, PyObject *const *args, Py_ssize_t count) {
  Launches *launches = getLaunches(self);
  if (count != 2 || !PyTuple_Check(args[0])) {
    PyErr_SetString(PyExc_TypeError, "expected a tuple of arrays and a stream");
    return nullptr;
  }
  void *stream = nullptr;
  bool hasStream = args[1] != Py_None;
  if (hasStream) {
    stream = PyLong_AsVoidPtr(args[1]);
    if (!stream && PyErr_Occurred())
      return nullptr;
  }
  // Python makes a context current; arrays are then read there alone.
  void *context = nullptr;
  if (launches->getCurrent(&context) || !context)
    return PyLong_FromLong(kUnknown);
  Call call;
  call.key.reserve(256);
  if (!launches->reader.readCall(args[0], hasStream, stream, call)) {
    // Python reads the arrays again, and raises the error.
    PyErr_Clear();
    return PyLong_FromLong(kUnknown);
  }
  if (auto it = launches->patterns.find(call.key);
      it != launches->patterns.end()) {
    std::shared_ptr<Pattern> pattern = it->second;
    if (!isValid(pattern->rules, call.addresses) ||
        context != pattern->prepared->context)
      return PyLong_FromLong(kUnknown);
    std::vector<void *> arguments;
    for (Source &source : pattern->sources)
      arguments.push_back(source.operand < 0
                              ? static_cast<void *>(&source.constant)
                              : &call.addresses[source.operand]);
    return launchOn(*launches, *pattern->prepared, arguments.data(), stream);
  }
  for (uint64_t address : call.addresses)
    append(call.key, address);
  auto it = launches->prepared.find(call.key);
  if (it == launches->prepared.end())
    return PyLong_FromLong(kUnknown);
  std::shared_ptr<Prepared> prepared = it->second;
  if (context != prepared->context)
    return PyLong_FromLong(kUnknown);
  return launchOn(*launches, *prepared, prepared->arguments, stream);
}

PyMethodDef launchMethod = {
    "launch",
    reinterpret_cast<PyCFunction>(reinterpret_cast<void (*)()>(launch)),
    METH_FASTCALL, "Launches a kernel on arrays that were checked."};

} // namespace

extern "C" {

/// Returns the function `launch` of a new table. Its `__self__` is the table.
PyObject *gridirNewLaunches(LaunchKernel launchKernel, GetCurrent getCurrent,
                            GetAttribute getAttribute) {
  auto *launches =
      new Launches{launchKernel, getCurrent, {getAttribute}, {}, {}};
  PyObject *capsule = PyCapsule_New(launches, kName, destroy);
  if (!capsule) {
    delete launches;
    return nullptr;
  }
  PyObject *function = PyCFunction_NewEx(&launchMethod, capsule, nullptr);
  Py_DecRef(capsule);
  return function;
}

/// Adds a type of arrays. One without DLPack's functions for callers in C is
/// read by the protocol of this number.
void gridirAddArrayType(PyObject *table, PyObject *type, int protocol,
                        int takesVersion, ReadTensor readTensor,
                        ReadStream readStream) {
  auto *key = reinterpret_cast<PyTypeObject *>(type);
  ArrayType added{
      type, readTensor ? Protocol::Exchange : static_cast<Protocol>(protocol),
      takesVersion != 0, readTensor, readStream};
  if (getLaunches(table)->reader.types.try_emplace(key, added).second)
    Py_IncRef(type);
}

/// Adds the launch of arrays whose facts were checked.
void gridirAddLaunch(PyObject *table, const char *key, size_t bytes,
                     PyObject *owner, void *context, void *function,
                     const LaunchConfig *config, void **arguments) {
  auto &prepared = getLaunches(table)->prepared;
  if (prepared.size() >= kMostPrepared)
    prepared.clear();
  prepared[std::string(key, bytes)] =
      std::make_shared<Prepared>(owner, context, function, *config, arguments);
}

/// Adds the launch of arrays whose facts were checked, for all addresses that
/// follow the rules. The key has no addresses.
void gridirAddPattern(PyObject *table, const char *key, size_t bytes,
                      PyObject *owner, void *context, void *function,
                      const LaunchConfig *config, const OperandRule *rules,
                      size_t numRules, const Source *sources,
                      size_t numSources) {
  auto &patterns = getLaunches(table)->patterns;
  if (patterns.size() >= kMostPrepared)
    patterns.clear();
  auto prepared = std::make_shared<Prepared>(owner, context, function, *config,
                                             /*arguments=*/nullptr);
  patterns[std::string(key, bytes)] = std::make_shared<Pattern>(Pattern{
      prepared, {rules, rules + numRules}, {sources, sources + numSources}});
}
}
