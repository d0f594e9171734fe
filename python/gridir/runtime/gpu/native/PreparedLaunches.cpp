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
// tensor maps, which are encoded for an address. The facts are read by DLPack's
// functions for callers in C if the type of an array has them, otherwise by
// `__dlpack__` or `__cuda_array_interface__`, in the order and with the streams
// of arrays.py. Python checks the facts of a new key and adds the launch; new
// addresses are checked here. This
// library has no dependency but Python's stable interface; without it, Python
// launches by ctypes.
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
#include <vector>

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

/// DLManagedTensorVersioned of DLPack.
struct VersionedTensor {
  uint32_t major;
  uint32_t minor;
  void *manager;
  void *deleter;
  uint64_t flags;
  Tensor tensor;
};
/// The version that is read, as in dlpack.py.
constexpr uint32_t kMajor = 1, kMinor = 3;
/// The flag of an array that the producer has copied.
constexpr uint64_t kCopied = 2;

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
using GetAttribute = int (*)(void *data, int attribute, uint64_t pointer);
constexpr int kDeviceOrdinal = 9;

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
  GetAttribute getAttribute;
  Names names;
  std::unordered_map<PyTypeObject *, ArrayType> types;
  std::unordered_map<std::string, std::shared_ptr<Prepared>> prepared;
  std::unordered_map<std::string, std::shared_ptr<Pattern>> patterns;
};

/// The facts of the arrays of a call.
struct Call {
  std::vector<uint64_t> addresses;
  /// All facts but the addresses.
  std::string key;
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
bool appendInterface(Call &call, const Launches &launches, PyObject *array,
                     void *stream) {
  const Names &names = launches.names;
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
      launches.getAttribute(&device, kDeviceOrdinal, pointer))
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

const ArrayType *findType(const Launches &launches, PyObject *array) {
  auto known = launches.types.find(Py_TYPE(array));
  return known == launches.types.end() ? nullptr : &known->second;
}

/// Reads the stream that the producer of an array uses it on. `isKnown` is
/// false afterwards if the array does not say it. Returns false on an error.
bool readStream(const Launches &launches, const ArrayType &type,
                PyObject *array, void *&stream, bool &isKnown) {
  isKnown = false;
  if (type.protocol == Protocol::DLPack)
    return true;
  if (type.protocol == Protocol::View) {
    Object viewed(PyObject_GetAttr(array, launches.names.array));
    const ArrayType *inner =
        viewed ? findType(launches, viewed.object) : nullptr;
    return inner &&
           readStream(launches, *inner, viewed.object, stream, isKnown);
  }
  if (type.protocol == Protocol::Exchange) {
    Tensor tensor;
    if (type.readTensor(array, &tensor))
      return false;
    isKnown = tensor.deviceType == kCuda || tensor.deviceType == kCudaManaged;
    return !isKnown || !type.readStream(kCuda, tensor.device, &stream);
  }
  Object interface(PyObject_GetAttr(array, launches.names.interface));
  if (!interface || !PyDict_Check(interface.object))
    return false;
  PyObject *number =
      PyDict_GetItemWithError(interface.object, launches.names.stream);
  if (!number || number == Py_None)
    return !PyErr_Occurred();
  isKnown = true;
  stream = PyLong_AsVoidPtr(number);
  return stream || !PyErr_Occurred();
}

/// Appends the facts of an array. `ordered` is a type whose arrays are used on
/// the stream already.
bool appendArray(Call &call, const Launches &launches, const ArrayType &type,
                 PyObject *array, void *stream, PyObject *ordered) {
  if (type.protocol == Protocol::View) {
    Object viewed(PyObject_GetAttr(array, launches.names.array)),
        key(PyObject_GetAttr(array, launches.names.key));
    const ArrayType *inner =
        viewed ? findType(launches, viewed.object) : nullptr;
    char *bytes = nullptr;
    Py_ssize_t size = 0;
    if (!inner || inner->protocol == Protocol::View || !key ||
        PyBytes_AsStringAndSize(key.object, &bytes, &size))
      return false;
    call.key.append(bytes, size);
    return appendArray(call, launches, *inner, viewed.object, stream, ordered);
  }
  append(call.key, type.protocol == Protocol::Interface);
  if (type.protocol == Protocol::Interface)
    return appendInterface(call, launches, array, stream);
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
  return appendDLPack(call, launches.names, array, type.takesVersion, stream);
}

/// Reads the facts of a call and the stream of its launch. `stream` is that of
/// the caller; without `hasStream` it is the stream of the first array that
/// says one, otherwise the default stream. Returns false if an array needs
/// Python.
bool readCall(const Launches &launches, PyObject *arrays, bool hasStream,
              void *&stream, Call &call) {
  const Py_ssize_t count = PyTuple_Size(arrays);
  auto getType = [&](Py_ssize_t i) {
    return findType(launches, PyTuple_GetItem(arrays, i));
  };
  PyObject *ordered = nullptr;
  for (Py_ssize_t i = 0; i < count && !hasStream; ++i) {
    const ArrayType *type = getType(i);
    if (!type || !readStream(launches, *type, PyTuple_GetItem(arrays, i),
                             stream, hasStream))
      return false;
    if (hasStream)
      ordered = type->type;
  }
  for (Py_ssize_t i = 0; i < count; ++i) {
    const ArrayType *type = getType(i);
    if (!type || !appendArray(call, launches, *type, PyTuple_GetItem(arrays, i),
                              stream, ordered))
      return false;
  }
  return true;
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
  if (!readCall(*launches, args[0], hasStream, stream, call)) {
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
      new Launches{launchKernel, getCurrent, getAttribute, {}, {}, {}, {}};
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
  if (getLaunches(table)->types.try_emplace(key, added).second)
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
