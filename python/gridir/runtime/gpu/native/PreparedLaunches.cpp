//===- PreparedLaunches.cpp - Launches on arrays that were checked --------===//
//
// Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A call passes arrays whose types have DLPack's functions for callers in C.
// Their facts are the key of a launch: address, device, element type, sizes and
// strides of each array. Python checks the facts of a new key and adds the
// launch. This library has no dependency but Python's stable interface; without
// it, Python launches by ctypes.
//
//===----------------------------------------------------------------------===//

#define PY_SSIZE_T_CLEAN
#define Py_LIMITED_API 0x030B0000
#include <Python.h>

#include <cstdint>
#include <cstring>
#include <memory>
#include <string>
#include <unordered_map>

namespace {

/// DLTensor of DLPack.
struct Tensor {
  char *data;
  int32_t deviceType;
  int32_t device;
  int32_t rank;
  char dtype[4];
  int64_t *shape;
  int64_t *strides;
  uint64_t offset;
};
constexpr int32_t kCuda = 2, kCudaManaged = 13;

using ReadTensor = int (*)(void *array, Tensor *out);
using ReadStream = int (*)(int deviceType, int32_t device, void **out);

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

/// The functions of a type of arrays. The type is kept alive.
struct ArrayType {
  PyObject *type;
  ReadTensor readTensor;
  ReadStream readStream;
};

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

struct Launches {
  LaunchKernel launchKernel;
  GetCurrent getCurrent;
  std::unordered_map<PyTypeObject *, ArrayType> types;
  std::unordered_map<std::string, std::shared_ptr<Prepared>> prepared;
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
  for (auto &[pointer, type] : launches->types)
    Py_DecRef(type.type);
  delete launches;
}

template <typename T> void append(std::string &key, const T &value) {
  key.append(reinterpret_cast<const char *>(&value), sizeof value);
}

/// Appends the facts of an array as `key_of` in arrays.py has them. Returns
/// false for an array that is not on a GPU.
bool appendFacts(std::string &key, const Tensor &tensor) {
  if (tensor.deviceType != kCuda && tensor.deviceType != kCudaManaged)
    return false;
  append(key, tensor.data + tensor.offset);
  append(key, tensor.device);
  append(key, tensor.rank);
  key.append(tensor.dtype, sizeof tensor.dtype);
  int32_t hasStrides = tensor.strides && tensor.rank ? 1 : 0;
  append(key, hasStrides);
  size_t bytes = tensor.rank * sizeof(int64_t);
  key.append(reinterpret_cast<const char *>(tensor.shape), bytes);
  if (hasStrides)
    key.append(reinterpret_cast<const char *>(tensor.strides), bytes);
  return true;
}

/// Reads the key of a call and the stream of its launch. `stream` is that of
/// the caller, or that of the first array's producer if `hasStream` is false.
/// Returns false if an array needs Python: it has no functions in C, or its
/// producer uses another stream, which DLPack has to order.
bool readCall(Launches &launches, PyObject *arrays, bool hasStream,
              void *&stream, std::string &key) {
  PyTypeObject *ordered = nullptr;
  for (Py_ssize_t i = 0, end = PyTuple_Size(arrays); i < end; ++i) {
    PyObject *array = PyTuple_GetItem(arrays, i);
    auto known = launches.types.find(Py_TYPE(array));
    if (known == launches.types.end())
      return false;
    ArrayType type = known->second;
    Tensor tensor;
    if (type.readTensor(array, &tensor) || !appendFacts(key, tensor))
      return false;
    if (Py_TYPE(array) == ordered)
      continue;
    void *current = nullptr;
    if (type.readStream(kCuda, tensor.device, &current))
      return false;
    if (!hasStream)
      stream = current;
    else if (stream != current)
      return false;
    hasStream = true;
    ordered = Py_TYPE(array);
  }
  return hasStream;
}

/// launch(arrays: tuple, stream: int | None) -> int: 0, an error of the driver,
/// or `kUnknown`.
PyObject *launch(PyObject *self, PyObject *const *args, Py_ssize_t count) {
  Launches *launches = getLaunches(self);
  if (count != 2 || !PyTuple_Check(args[0])) {
    PyErr_SetString(PyExc_TypeError, "expected a tuple of arrays and a stream");
    return nullptr;
  }
  void *stream = nullptr, *context = nullptr;
  bool hasStream = args[1] != Py_None;
  if (hasStream) {
    stream = PyLong_AsVoidPtr(args[1]);
    if (!stream && PyErr_Occurred())
      return nullptr;
  }
  std::string key;
  key.reserve(256);
  if (!readCall(*launches, args[0], hasStream, stream, key)) {
    // Python reads the arrays again, and raises the error.
    PyErr_Clear();
    return PyLong_FromLong(kUnknown);
  }
  auto it = launches->prepared.find(key);
  if (it == launches->prepared.end())
    return PyLong_FromLong(kUnknown);
  std::shared_ptr<Prepared> prepared = it->second;
  if (launches->getCurrent(&context) || context != prepared->context)
    return PyLong_FromLong(kUnknown);
  LaunchConfig config = prepared->config;
  config.stream = stream;
  LaunchKernel launchKernel = launches->launchKernel;
  // A launch waits if the stream has too many, and work of a stream may need
  // the interpreter.
  PyThreadState *state = PyEval_SaveThread();
  int error =
      launchKernel(&config, prepared->function, prepared->arguments, nullptr);
  PyEval_RestoreThread(state);
  return PyLong_FromLong(error);
}

PyMethodDef launchMethod = {
    "launch",
    reinterpret_cast<PyCFunction>(reinterpret_cast<void (*)()>(launch)),
    METH_FASTCALL, "Launches a kernel on arrays that were checked."};

} // namespace

extern "C" {

/// Returns the function `launch` of a new table. Its `__self__` is the table.
PyObject *gridirNewLaunches(LaunchKernel launchKernel, GetCurrent getCurrent) {
  auto *launches = new Launches{launchKernel, getCurrent, {}, {}};
  PyObject *capsule = PyCapsule_New(launches, kName, destroy);
  if (!capsule) {
    delete launches;
    return nullptr;
  }
  PyObject *function = PyCFunction_NewEx(&launchMethod, capsule, nullptr);
  Py_DecRef(capsule);
  return function;
}

/// Adds a type of arrays with DLPack's functions.
void gridirAddArrayType(PyObject *table, PyObject *type, ReadTensor readTensor,
                        ReadStream readStream) {
  auto *key = reinterpret_cast<PyTypeObject *>(type);
  if (getLaunches(table)
          ->types.try_emplace(key, ArrayType{type, readTensor, readStream})
          .second)
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
}
