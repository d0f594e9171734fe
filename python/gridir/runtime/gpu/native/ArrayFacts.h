//===- ArrayFacts.h - Facts of arrays of other packages --------*- C++ -*--===//
//
// Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The facts are read by DLPack's functions for callers in C if the type of an
// array has them, otherwise by `__dlpack__` or `__cuda_array_interface__`, in
// the order and with the streams of arrays.py.
//
//===----------------------------------------------------------------------===//

#ifndef GRIDIR_PYTHON_GRIDIR_RUNTIME_GPU_NATIVE_ARRAYFACTS_H
#define GRIDIR_PYTHON_GRIDIR_RUNTIME_GPU_NATIVE_ARRAYFACTS_H

#define PY_SSIZE_T_CLEAN
#define Py_LIMITED_API 0x030B0000
#include <Python.h>

#include <cstdint>
#include <string>
#include <unordered_map>
#include <vector>

namespace gridir::gpu {

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
/// The version of DLPack that is read, as in dlpack.py.
constexpr uint32_t kMajor = 1, kMinor = 3;

using ReadTensor = int (*)(void *array, Tensor *out);
using ReadStream = int (*)(int deviceType, int32_t device, void **out);
/// cuPointerGetAttribute of the driver.
using GetAttribute = int (*)(void *data, int attribute, uint64_t pointer);

/// How the memory of an array is described.
enum class Protocol { Exchange, DLPack, Interface, View };

/// A type of arrays, which is kept alive, with its functions for callers in C.
struct ArrayType {
  PyObject *type;
  Protocol protocol;
  /// `__dlpack__` has the parameter `max_version`.
  bool takesVersion;
  ReadTensor readTensor;
  ReadStream readStream;
};

/// A new reference, which is released at the end.
struct Object {
  explicit Object(PyObject *object) : object(object) {}
  Object(const Object &) = delete;
  Object &operator=(const Object &) = delete;
  ~Object() { Py_XDECREF(object); }
  explicit operator bool() const { return object; }

  PyObject *object;
};

/// Names and values that each call uses.
struct Names {
  PyObject *dlpack = PyUnicode_InternFromString("__dlpack__");
  PyObject *device = PyUnicode_InternFromString("__dlpack_device__");
  PyObject *interface = PyUnicode_InternFromString("__cuda_array_interface__");
  PyObject *data = PyUnicode_InternFromString("data");
  PyObject *kind = PyUnicode_InternFromString("typestr");
  PyObject *shape = PyUnicode_InternFromString("shape");
  PyObject *strides = PyUnicode_InternFromString("strides");
  PyObject *stream = PyUnicode_InternFromString("stream");
  PyObject *mask = PyUnicode_InternFromString("mask");
  PyObject *maxVersion = PyUnicode_InternFromString("max_version");
  PyObject *version = Py_BuildValue("(II)", kMajor, kMinor);
  PyObject *nothing = PyTuple_New(0);
  PyObject *array = PyUnicode_InternFromString("array");
  PyObject *key = PyUnicode_InternFromString("key");
};

/// The facts of the arrays of a call.
struct Call {
  std::vector<uint64_t> addresses;
  /// All facts but the addresses.
  std::string key;
};

/// Appends the bytes of a value to a key.
template <typename T> void append(std::string &key, const T &value) {
  key.append(reinterpret_cast<const char *>(&value), sizeof value);
}

/// Reads the arrays of calls. Their types are added when Python has checked the
/// first array of each.
struct ArrayReader {
  /// Reads the facts of a call and the stream of its launch. `stream` is that
  /// of the caller; without `hasStream` it is the stream of the first array
  /// that says one, otherwise the default stream. Returns false if an array
  /// needs Python.
  bool readCall(PyObject *arrays, bool hasStream, void *&stream,
                Call &call) const;

  GetAttribute getAttribute;
  Names names = {};
  std::unordered_map<PyTypeObject *, ArrayType> types = {};
};

} // namespace gridir::gpu

#endif // GRIDIR_PYTHON_GRIDIR_RUNTIME_GPU_NATIVE_ARRAYFACTS_H
