//===- StandInStreams.cpp - Streams, events and graphs --------------------===//
//
// Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// An operation runs when it is added to a stream, unless the stream is
// captured: then the graph keeps it, and each launch of the graph runs it.
//
//===----------------------------------------------------------------------===//

#include "StandInDriver.h"

#include <chrono>
#include <cstring>
#include <map>

namespace gridir::stand_in {

namespace {

std::map<const void *, std::unique_ptr<Stream>> streams;
thread_local CaptureMode threadMode = CaptureMode::Global;

/// The address identifies a thread.
const void *getThread() {
  static thread_local char thread;
  return &thread;
}

/// Handles that name a default stream of the current context.
bool isDefault(void *handle) {
  return reinterpret_cast<std::size_t>(handle) <= 2;
}

/// True if this thread must not perform unsafe operations while the stream is
/// captured.
bool forbidsUnsafe(const Stream &stream) {
  if (!stream.captured || threadMode == CaptureMode::Relaxed ||
      stream.mode == CaptureMode::Relaxed)
    return false;
  bool isOwn = stream.thread == getThread();
  return isOwn || (stream.mode == CaptureMode::Global &&
                   threadMode == CaptureMode::Global);
}

/// The error of waiting for a stream, or for all of a context. The caller holds
/// the mutex.
int checkWait(const Stream *waited) {
  int result = kSuccess;
  for (auto &[handle, stream] : streams)
    if (stream->captured &&
        (waited ? stream.get() == waited : stream->context == getCurrent())) {
      stream->isInvalidated = true;
      result = kCaptureUnsupported;
    }
  return result;
}

struct Event {
  Context *context;
  std::chrono::steady_clock::time_point time;
};

} // namespace

int findStream(void *handle, Stream *&stream) {
  stream = nullptr;
  Context *current = getCurrent();
  if (!current)
    return kInvalidContext;
  if (isDefault(handle))
    return kSuccess;
  auto it = streams.find(handle);
  if (it == streams.end() || it->second->context != current)
    return kInvalidHandle;
  stream = it->second.get();
  return kSuccess;
}

int checkUnsafe() {
  int result = kSuccess;
  for (auto &[handle, stream] : streams)
    if (forbidsUnsafe(*stream)) {
      stream->isInvalidated = true;
      result = kCaptureUnsupported;
    }
  return result;
}

int checkFault() {
  Context *context = getCurrent();
  return context ? driver.synchronize(context->device) : kInvalidContext;
}

int enqueue(void *handle, Operation operation) {
  {
    std::lock_guard<std::mutex> lock(mutex);
    Stream *stream;
    if (int error = findStream(handle, stream))
      return error;
    if (stream && stream->captured) {
      if (stream->isInvalidated)
        return kCaptureInvalidated;
      stream->captured->operations.push_back(std::move(operation));
      return kSuccess;
    }
    // The default stream waits for all others of the context.
    if (!stream)
      for (auto &[other, captured] : streams)
        if (captured->captured && captured->context == getCurrent()) {
          captured->isInvalidated = true;
          return kCaptureImplicit;
        }
  }
  return operation();
}

} // namespace gridir::stand_in

using namespace gridir::stand_in;

extern "C" {

int cuStreamCreate(Stream **stream, unsigned) {
  std::lock_guard<std::mutex> lock(mutex);
  Context *context = getCurrent();
  if (!context)
    return kInvalidContext;
  auto made = std::make_unique<Stream>();
  made->context = context;
  *stream = made.get();
  streams.emplace(*stream, std::move(made));
  return kSuccess;
}
int cuStreamCreateWithPriority(Stream **stream, unsigned flags, int) {
  return cuStreamCreate(stream, flags);
}
int cuStreamDestroy_v2(void *handle) {
  std::lock_guard<std::mutex> lock(mutex);
  return streams.erase(handle) ? kSuccess : kInvalidHandle;
}
int cuStreamGetCtx(void *handle, Context **context) {
  std::lock_guard<std::mutex> lock(mutex);
  auto it = streams.find(handle);
  *context = it == streams.end() ? getCurrent() : it->second->context;
  return *context ? kSuccess : kInvalidContext;
}
int cuStreamSynchronize(void *handle) {
  {
    std::lock_guard<std::mutex> lock(mutex);
    Stream *stream;
    if (int error = findStream(handle, stream))
      return error;
    if (int error = checkWait(stream))
      return error;
  }
  return checkFault();
}
int cuStreamQuery(void *handle) { return cuStreamSynchronize(handle); }
int cuCtxSynchronize() {
  {
    std::lock_guard<std::mutex> lock(mutex);
    if (!getCurrent())
      return kInvalidContext;
    if (int error = checkWait(nullptr))
      return error;
  }
  return checkFault();
}

int cuStreamBeginCapture_v2(void *handle, int mode) {
  std::lock_guard<std::mutex> lock(mutex);
  Stream *stream;
  if (int error = findStream(handle, stream))
    return error;
  // The default stream cannot be captured.
  if (!stream)
    return kCaptureUnsupported;
  if (stream->captured || mode < 0 || mode > 2)
    return kInvalidValue;
  stream->captured = std::make_unique<Graph>();
  stream->mode = static_cast<CaptureMode>(mode);
  stream->thread = getThread();
  stream->isInvalidated = false;
  return kSuccess;
}
int cuStreamEndCapture(void *handle, Graph **graph) {
  std::lock_guard<std::mutex> lock(mutex);
  *graph = nullptr;
  Stream *stream;
  if (int error = findStream(handle, stream))
    return error;
  if (!stream || !stream->captured)
    return kInvalidValue;
  std::unique_ptr<Graph> captured = std::move(stream->captured);
  if (stream->isInvalidated)
    return kCaptureInvalidated;
  return *graph = captured.release(), kSuccess;
}
/// The status: 0 for none, 1 for active, 2 for invalidated.
int cuStreamIsCapturing(void *handle, int *status) {
  std::lock_guard<std::mutex> lock(mutex);
  Stream *stream;
  if (int error = findStream(handle, stream))
    return error;
  *status = !stream || !stream->captured ? 0 : stream->isInvalidated ? 2 : 1;
  return kSuccess;
}
int cuThreadExchangeStreamCaptureMode(int *mode) {
  int before = static_cast<int>(threadMode);
  if (*mode < 0 || *mode > 2)
    return kInvalidValue;
  threadMode = static_cast<CaptureMode>(*mode);
  return *mode = before, kSuccess;
}

int cuGraphGetNodes(Graph *graph, void *, size_t *count) {
  return *count = graph->operations.size(), kSuccess;
}
int cuGraphInstantiateWithFlags(Graph **executable, Graph *graph, uint64_t) {
  return *executable = new Graph(*graph), kSuccess;
}
int cuGraphLaunch(Graph *executable, void *stream) {
  for (const Operation &operation : executable->operations)
    if (int error = enqueue(stream, operation))
      return error;
  return kSuccess;
}
int cuGraphExecDestroy(Graph *executable) {
  return delete executable, kSuccess;
}
int cuGraphDestroy(Graph *graph) { return delete graph, kSuccess; }

int cuEventCreate(Event **event, unsigned) {
  Context *context = getCurrent();
  if (!context)
    return kInvalidContext;
  return *event = new Event{context, {}}, kSuccess;
}
int cuEventDestroy_v2(Event *event) { return delete event, kSuccess; }
int cuEventRecord(Event *event, void *stream) {
  if (event->context != getCurrent())
    return kInvalidHandle;
  return enqueue(stream, [event] {
    event->time = std::chrono::steady_clock::now();
    return 0;
  });
}
int cuEventSynchronize(Event *) {
  {
    std::lock_guard<std::mutex> lock(mutex);
    if (int error = checkUnsafe())
      return error;
  }
  return checkFault();
}
int cuEventQuery(Event *event) { return cuEventSynchronize(event); }
int cuEventElapsedTime(float *milliseconds, Event *begin, Event *end) {
  *milliseconds =
      std::chrono::duration<float, std::milli>(end->time - begin->time).count();
  return kSuccess;
}
/// Operations have run when they are added, so that there is nothing to wait
/// for.
int cuStreamWaitEvent(void *handle, Event *, unsigned) {
  std::lock_guard<std::mutex> lock(mutex);
  Stream *stream;
  return findStream(handle, stream);
}

} // extern "C"
