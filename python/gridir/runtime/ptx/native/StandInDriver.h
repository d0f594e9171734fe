//===- StandInDriver.h - What the parts of the stand-in share -------------===//
//
// Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The replacement checks the preconditions of a driver: a current context,
// handles of that context, attributes of functions, and operations that the
// capture of a graph forbids. Kernels run in the thread that launches them.
//
//===----------------------------------------------------------------------===//

#ifndef GRIDIR_PYTHON_GRIDIR_RUNTIME_PTX_NATIVE_STANDINDRIVER_H
#define GRIDIR_PYTHON_GRIDIR_RUNTIME_PTX_NATIVE_STANDINDRIVER_H

#include <cstdint>
#include <functional>
#include <list>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

extern "C" {

/// The entry points of the driver. Results are 0 or the number of an error.
struct GridirDriver {
  int multiprocessors, major, minor, sharedBytes, devices;
  /// True if a thread begins with the context of the first device, like the
  /// threads on which XLA calls; otherwise with none.
  int isBound;
  int (*load)(const char *text, int device);
  /// Gives the bytes of each parameter; the count is that of the room, and then
  /// that of the parameters.
  int (*find)(const char *text, const char *name, uint32_t *parameterBytes,
              uint32_t *count);
  /// Sizes: the grid, a block and a cluster, each of three, the bytes of
  /// dynamic shared memory, and the device.
  int (*launch)(const char *text, const char *name, const uint32_t *sizes,
                void **parameters);
  /// Gives the error of a kernel that has failed on the device.
  int (*synchronize)(int device);
  /// Records invalid uses by host code that a GPU would not report.
  void (*fail)(const char *message);
};

} // extern "C"

namespace gridir::stand_in {

/// Numbers of CUDA's interface.
enum Result : int {
  kSuccess = 0,
  kInvalidValue = 1,
  kOutOfMemory = 2,
  kInvalidDevice = 101,
  kInvalidImage = 200,
  kInvalidContext = 201,
  kInvalidHandle = 400,
  kNotFound = 500,
  kLaunchFailed = 719,
  kNotSupported = 801,
  kCaptureUnsupported = 900,
  kCaptureInvalidated = 901,
  kCaptureImplicit = 906,
  kInvalidClusterSize = 912,
};

enum class CaptureMode : int { Global = 0, ThreadLocal = 1, Relaxed = 2 };

struct Context {
  int device;
  /// Kernels that run.
  int running = 0;
};

struct Module;

struct Function {
  Module *module;
  std::string name;
  std::vector<uint32_t> parameterBytes;
  int sharedBytes = 48 << 10;
  bool allowsLargeClusters = false;
};

struct Module {
  Context *context;
  std::string text;
  std::list<Function> functions;
  int running = 0;
};

using Operation = std::function<int()>;

struct Graph {
  std::vector<Operation> operations;
};

struct Stream {
  Context *context;
  std::unique_ptr<Graph> captured;
  CaptureMode mode = CaptureMode::Global;
  /// Identifies the thread that captures.
  const void *thread = nullptr;
  bool isInvalidated = false;
};

/// The driver as the host program has set it.
extern GridirDriver driver;
/// Guards everything below and the members of all handles.
extern std::mutex mutex;

/// The context that is current in this thread, or null.
Context *getCurrent();

/// Checks that a handle is of an object that exists.
bool isModule(const Module *module);
bool isFunction(const Function *function);

/// Gives the stream of a handle, which may name a default stream of the current
/// context: the result is null then. Locks nothing: the caller holds the mutex.
int findStream(void *handle, Stream *&stream);

/// Gives the error of an operation that no capture of a graph allows, whatever
/// stream it is on, and invalidates the captures. The caller holds the mutex.
int checkUnsafe();

/// Gives the error of a kernel that has failed in the current context: memory
/// of the device is inaccessible from then on.
int checkFault();

/// Runs an operation of a stream, or records it where the stream is captured.
int enqueue(void *stream, Operation operation);

} // namespace gridir::stand_in

#endif // GRIDIR_PYTHON_GRIDIR_RUNTIME_PTX_NATIVE_STANDINDRIVER_H
