//===- StandInContexts.cpp - Devices and current contexts -----------------===//
//
// Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "StandInDriver.h"

#include <cstdio>
#include <cstring>

namespace gridir::stand_in {

namespace {

constexpr int kAttributeWarpSize = 10, kAttributeMultiprocessors = 16,
              kAttributeMajor = 75, kAttributeMinor = 76,
              kAttributeSharedOptin = 97;
constexpr int kMaxDevices = 64;

/// The primary contexts; each device has one.
Context *getPrimary(int device) {
  static Context *contexts = [] {
    auto *made = new Context[kMaxDevices];
    for (int i = 0; i < kMaxDevices; ++i)
      made[i].device = i;
    return made;
  }();
  return &contexts[device];
}

bool isDevice(int device) { return device >= 0 && device < driver.devices; }

bool isContext(const Context *context) {
  for (int i = 0; i < driver.devices; ++i)
    if (context == getPrimary(i))
      return true;
  return false;
}

/// The contexts that this thread has pushed; the last one is current.
struct Contexts {
  std::vector<Context *> stack;
  /// True if the thread has set a current context.
  bool isSet = false;
};
thread_local Contexts contexts;

} // namespace

Context *getCurrent() {
  if (!contexts.stack.empty())
    return contexts.stack.back();
  return contexts.isSet || !driver.isBound ? nullptr : getPrimary(0);
}

} // namespace gridir::stand_in

using namespace gridir::stand_in;

extern "C" {

int cuDeviceGetCount(int *count) { return *count = driver.devices, kSuccess; }
int cuDeviceGet(int *device, int ordinal) {
  if (!isDevice(ordinal))
    return kInvalidDevice;
  return *device = ordinal, kSuccess;
}
int cuDeviceGetName(char *name, int bytes, int device) {
  if (!isDevice(device))
    return kInvalidDevice;
  std::snprintf(name, bytes, "gridir's stand-in for a GPU");
  return kSuccess;
}
int cuDeviceTotalMem_v2(size_t *bytes, int device) {
  if (!isDevice(device))
    return kInvalidDevice;
  return *bytes = size_t(80) << 30, kSuccess;
}
int cuDeviceGetAttribute(int *value, int attribute, int device) {
  if (!isDevice(device))
    return kInvalidDevice;
  switch (attribute) {
  case kAttributeMajor:
    *value = driver.major;
    break;
  case kAttributeMinor:
    *value = driver.minor;
    break;
  case kAttributeMultiprocessors:
    *value = driver.multiprocessors;
    break;
  case kAttributeWarpSize:
    *value = 32;
    break;
  case kAttributeSharedOptin:
    // The system takes a KiB of each block's.
    *value = driver.sharedBytes - 1024;
    break;
  default:
    *value = 1;
  }
  return kSuccess;
}

int cuDevicePrimaryCtxRetain(Context **context, int device) {
  if (!isDevice(device))
    return kInvalidDevice;
  return *context = getPrimary(device), kSuccess;
}
int cuDevicePrimaryCtxRelease_v2(int device) {
  return isDevice(device) ? kSuccess : kInvalidDevice;
}
int cuCtxGetCurrent(Context **context) {
  return *context = getCurrent(), kSuccess;
}
int cuCtxSetCurrent(Context *context) {
  if (context && !isContext(context))
    return kInvalidContext;
  contexts.isSet = true;
  if (!contexts.stack.empty())
    contexts.stack.pop_back();
  if (context)
    contexts.stack.push_back(context);
  return kSuccess;
}
int cuCtxPushCurrent_v2(Context *context) {
  if (!isContext(context))
    return kInvalidContext;
  contexts.stack.push_back(context);
  return kSuccess;
}
int cuCtxPopCurrent_v2(Context **context) {
  if (contexts.stack.empty())
    return kInvalidContext;
  if (context)
    *context = contexts.stack.back();
  contexts.stack.pop_back();
  return kSuccess;
}
int cuCtxGetDevice(int *device) {
  Context *context = getCurrent();
  if (!context)
    return kInvalidContext;
  return *device = context->device, kSuccess;
}
/// Prints of kernels have no limit.
int cuCtxGetLimit(size_t *value, int) { return *value = ~size_t(0), kSuccess; }
int cuCtxSetLimit(int, size_t) { return kSuccess; }

} // extern "C"
