//===- ArrayFacts.cpp - Facts of arrays of other packages -----------------===//
//
// Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ArrayFacts.h"

using namespace gridir::gpu;

namespace {

constexpr int32_t kCuda = 2, kCudaManaged = 13;

/// DLManagedTensorVersioned of DLPack.
struct VersionedTensor {
  uint32_t major;
  uint32_t minor;
  void *manager;
  void *deleter;
  uint64_t flags;
  Tensor tensor;
};
/// The flag of an array that the producer has copied.
constexpr uint64_t kCopied = 2;

/// CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL of the driver.
constexpr int kDeviceOrdinal = 9;

/// Appends the facts of an array as `key_of` in arrays.py has them. Returns
/// false for an array that is not on a GPU.
bool appendFacts(Call &call, const Tensor &tensor, uint64_t flags = 0) {
  if (tensor.deviceType != kCuda && tensor.deviceType != kCudaManaged)
    return false;
  std::string &key = call.key;
  call.addresses.push_back(
      reinterpret_cast<uint64_t>(tensor.data + tensor.offset));
  append(key, tensor.device);
  append(key, tensor.rank);
  key.append(tensor.dtype, sizeof tensor.dtype);
  int32_t hasStrides = tensor.strides && tensor.rank ? 1 : 0;
  append(key, hasStrides);
  append(key, flags);
  size_t bytes = tensor.rank * sizeof(int64_t);
  key.append(reinterpret_cast<const char *>(tensor.shape), bytes);
  if (hasStrides)
    key.append(reinterpret_cast<const char *>(tensor.strides), bytes);
  return true;
}

/// Appends the facts of an array that `__dlpack__` describes, once its work is
/// ordered before that of the stream.
bool appendDLPack(Call &call, const Names &names, PyObject *array,
                  bool takesVersion, void *stream) {
  // Memory of a CPU takes no stream.
  Object getDevice(PyObject_GetAttr(array, names.device));
  Object device(getDevice ? PyObject_CallNoArgs(getDevice.object) : nullptr);
  if (!device || !PyTuple_Check(device.object) ||
      PyTuple_Size(device.object) != 2)
    return false;
  long kind = PyLong_AsLong(PyTuple_GetItem(device.object, 0));
  if (kind != kCuda && kind != kCudaManaged)
    return false;
  // The default stream has the number 0 in CUDA and 1 in DLPack.
  Object number(stream ? PyLong_FromVoidPtr(stream) : PyLong_FromLong(1));
  Object options(PyDict_New());
  Object getCapsule(PyObject_GetAttr(array, names.dlpack));
  if (!number || !options || !getCapsule ||
      PyDict_SetItem(options.object, names.stream, number.object) ||
      (takesVersion &&
       PyDict_SetItem(options.object, names.maxVersion, names.version)))
    return false;
  Object capsule(
      PyObject_Call(getCapsule.object, names.nothing, options.object));
  if (!capsule)
    return false;
  if (PyCapsule_IsValid(capsule.object, "dltensor_versioned")) {
    const auto &versioned = *static_cast<VersionedTensor *>(
        PyCapsule_GetPointer(capsule.object, "dltensor_versioned"));
    return versioned.major == kMajor && !(versioned.flags & kCopied) &&
           appendFacts(call, versioned.tensor, versioned.flags);
  }
  void *tensor = PyCapsule_GetPointer(capsule.object, "dltensor");
  return tensor && appendFacts(call, *static_cast<Tensor *>(tensor));
}

/// Appends a tuple of integers.
bool appendIntegers(std::string &key, PyObject *values) {
  if (!values || !PyTuple_Check(values))
    return false;
  for (Py_ssize_t i = 0, end = PyTuple_Size(values); i < end; ++i)
    append(key,
           static_cast<int64_t>(PyLong_AsLongLong(PyTuple_GetItem(values, i))));
  return !PyErr_Occurred();
}

/// True if two handles name the same stream: the default stream has two.
bool isSameStream(void *first, void *second) {
  auto number = [](void *stream) {
    return stream ? reinterpret_cast<std::size_t>(stream) : 1;
  };
  return number(first) == number(second);
}

/// Appends the facts of an array that `__cuda_array_interface__` describes.
/// Python orders the work of a producer on another stream.
bool appendInterface(Call &call, const ArrayReader &reader, PyObject *array,
                     void *stream) {
  const Names &names = reader.names;
  Object interface(PyObject_GetAttr(array, names.interface));
  if (!interface || !PyDict_Check(interface.object))
    return false;
  auto get = [&](PyObject *name) {
    return PyDict_GetItemWithError(interface.object, name);
  };
  PyObject *data = get(names.data), *kind = get(names.kind),
           *shape = get(names.shape), *strides = get(names.strides),
           *mask = get(names.mask), *own = get(names.stream);
  if ((mask && mask != Py_None) ||
      (own && own != Py_None && !isSameStream(PyLong_AsVoidPtr(own), stream)))
    return false;
  if (!data || !PyTuple_Check(data) || PyTuple_Size(data) != 2 || !kind ||
      !PyUnicode_Check(kind) || !shape || !PyTuple_Check(shape))
    return false;
  uint64_t pointer = PyLong_AsUnsignedLongLong(PyTuple_GetItem(data, 0));
  int isReadOnly = PyObject_IsTrue(PyTuple_GetItem(data, 1));
  Py_ssize_t size = 0;
  const char *text = PyUnicode_AsUTF8AndSize(kind, &size);
  int32_t device = -1;
  if (!text || !pointer || isReadOnly < 0 || PyErr_Occurred() ||
      reader.getAttribute(&device, kDeviceOrdinal, pointer))
    return false;
  std::string &key = call.key;
  call.addresses.push_back(pointer);
  append(key, device);
  append(key, static_cast<int32_t>(PyTuple_Size(shape)));
  append(key, isReadOnly);
  int32_t hasStrides = strides && strides != Py_None ? 1 : 0;
  append(key, hasStrides);
  append(key, static_cast<int32_t>(size));
  key.append(text, size);
  return appendIntegers(key, shape) &&
         (!hasStrides || appendIntegers(key, strides));
}

const ArrayType *findType(const ArrayReader &reader, PyObject *array) {
  auto known = reader.types.find(Py_TYPE(array));
  return known == reader.types.end() ? nullptr : &known->second;
}

/// Reads the stream that the producer of an array uses it on. `isKnown` is
/// false afterwards if the array does not say it. Returns false on an error.
bool readStream(const ArrayReader &reader, const ArrayType &type,
                PyObject *array, void *&stream, bool &isKnown) {
  isKnown = false;
  if (type.protocol == Protocol::DLPack)
    return true;
  if (type.protocol == Protocol::View) {
    Object viewed(PyObject_GetAttr(array, reader.names.array));
    const ArrayType *inner = viewed ? findType(reader, viewed.object) : nullptr;
    return inner && readStream(reader, *inner, viewed.object, stream, isKnown);
  }
  if (type.protocol == Protocol::Exchange) {
    Tensor tensor;
    if (type.readTensor(array, &tensor))
      return false;
    isKnown = tensor.deviceType == kCuda || tensor.deviceType == kCudaManaged;
    return !isKnown || !type.readStream(kCuda, tensor.device, &stream);
  }
  Object interface(PyObject_GetAttr(array, reader.names.interface));
  if (!interface || !PyDict_Check(interface.object))
    return false;
  PyObject *number =
      PyDict_GetItemWithError(interface.object, reader.names.stream);
  if (!number || number == Py_None)
    return !PyErr_Occurred();
  isKnown = true;
  stream = PyLong_AsVoidPtr(number);
  return stream || !PyErr_Occurred();
}

/// Appends the facts of an array. `ordered` is a type whose arrays are used on
/// the stream already.
bool appendArray(Call &call, const ArrayReader &reader, const ArrayType &type,
                 PyObject *array, void *stream, PyObject *ordered) {
  if (type.protocol == Protocol::View) {
    Object viewed(PyObject_GetAttr(array, reader.names.array)),
        key(PyObject_GetAttr(array, reader.names.key));
    const ArrayType *inner = viewed ? findType(reader, viewed.object) : nullptr;
    char *bytes = nullptr;
    Py_ssize_t size = 0;
    if (!inner || inner->protocol == Protocol::View || !key ||
        PyBytes_AsStringAndSize(key.object, &bytes, &size))
      return false;
    call.key.append(bytes, size);
    return appendArray(call, reader, *inner, viewed.object, stream, ordered);
  }
  append(call.key, type.protocol == Protocol::Interface);
  if (type.protocol == Protocol::Interface)
    return appendInterface(call, reader, array, stream);
  if (type.protocol == Protocol::Exchange) {
    Tensor tensor;
    void *current = nullptr;
    if (type.readTensor(array, &tensor))
      return false;
    if (type.type == ordered ||
        (!type.readStream(kCuda, tensor.device, &current) && current == stream))
      return appendFacts(call, tensor);
    // Another stream needs the order that __dlpack__ makes.
  }
  return appendDLPack(call, reader.names, array, type.takesVersion, stream);
}

} // namespace

bool ArrayReader::readCall(PyObject *arrays, bool hasStream, void *&stream,
                           Call &call) const {
  const Py_ssize_t count = PyTuple_Size(arrays);
  auto getType = [&](Py_ssize_t i) {
    return findType(*this, PyTuple_GetItem(arrays, i));
  };
  PyObject *ordered = nullptr;
  for (Py_ssize_t i = 0; i < count && !hasStream; ++i) {
    const ArrayType *type = getType(i);
    if (!type || !readStream(*this, *type, PyTuple_GetItem(arrays, i), stream,
                             hasStream))
      return false;
    if (hasStream)
      ordered = type->type;
  }
  for (Py_ssize_t i = 0; i < count; ++i) {
    const ArrayType *type = getType(i);
    if (!type || !appendArray(call, *this, *type, PyTuple_GetItem(arrays, i),
                              stream, ordered))
      return false;
  }
  return true;
}
