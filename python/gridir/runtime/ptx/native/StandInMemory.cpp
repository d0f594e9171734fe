//===- StandInMemory.cpp - Memory of devices ------------------------------===//
//
// Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Memory of a device is memory of this process. Host code may also pass arrays
// of its own as memory of the device, which it names to driver.py.
//
//===----------------------------------------------------------------------===//

#include "StandInDriver.h"

#include <cstdlib>
#include <cstring>
#include <map>

namespace gridir::stand_in {

namespace {

constexpr int kPointerAttributeContext = 1, kPointerAttributeMemoryType = 2,
              kPointerAttributeDevicePointer = 3,
              kPointerAttributeDeviceOrdinal = 9;
constexpr uint32_t kMemoryTypeDevice = 2;
constexpr std::size_t kAlignment = 256;
constexpr std::size_t kMaxBytes = std::size_t(1) << 40;

struct Allocation {
  std::size_t bytes;
  Context *context;
  /// True for memory of the host, which a fault of a kernel leaves accessible.
  bool isHost;
};

/// By address.
std::map<uint64_t, Allocation> allocations;

/// The allocation that has an address, or the end.
std::map<uint64_t, Allocation>::iterator findAllocation(uint64_t address) {
  auto it = allocations.upper_bound(address);
  if (it == allocations.begin())
    return allocations.end();
  --it;
  return address < it->first + it->second.bytes ? it : allocations.end();
}

void *toHost(uint64_t address) { return reinterpret_cast<void *>(address); }

/// A copy that ends before the call does.
int copyNow(void *to, const void *from, std::size_t bytes) {
  {
    std::lock_guard<std::mutex> lock(mutex);
    if (!getCurrent())
      return kInvalidContext;
    if (int error = checkUnsafe())
      return error;
  }
  if (bytes && (!to || !from))
    return kInvalidValue;
  if (int error = checkFault())
    return error;
  std::memcpy(to, from, bytes);
  return kSuccess;
}

int copyLater(void *to, const void *from, std::size_t bytes, void *stream) {
  if (bytes && (!to || !from))
    return kInvalidValue;
  return enqueue(stream, [=] {
    if (int error = checkFault())
      return error;
    std::memcpy(to, from, bytes);
    return int(kSuccess);
  });
}

int allocate(void *&data, std::size_t bytes, bool isHost) {
  std::lock_guard<std::mutex> lock(mutex);
  Context *context = getCurrent();
  if (!context)
    return kInvalidContext;
  if (int error = checkUnsafe())
    return error;
  if (!bytes)
    return kInvalidValue;
  data = bytes > kMaxBytes
             ? nullptr
             : std::aligned_alloc(kAlignment, (bytes + kAlignment - 1) /
                                                  kAlignment * kAlignment);
  if (!data)
    return kOutOfMemory;
  // Uninitialized memory is NaN.
  std::memset(data, 0xFF, bytes);
  allocations.emplace(reinterpret_cast<uint64_t>(data),
                      Allocation{bytes, context, isHost});
  return kSuccess;
}

int release(uint64_t address, bool isHost) {
  std::lock_guard<std::mutex> lock(mutex);
  if (!address)
    return kSuccess;
  if (int error = checkUnsafe())
    return error;
  auto it = allocations.find(address);
  if (it == allocations.end() || it->second.isHost != isHost)
    return kInvalidValue;
  allocations.erase(it);
  std::free(toHost(address));
  return kSuccess;
}

} // namespace

} // namespace gridir::stand_in

using namespace gridir::stand_in;

extern "C" {

/// Returns the addresses and sizes of allocations, as far as there is room, and
/// their number.
int gridirGetAllocations(uint64_t *addresses, uint64_t *bytes, int room) {
  std::lock_guard<std::mutex> lock(mutex);
  int count = 0;
  for (auto &[address, allocation] : allocations) {
    if (count < room) {
      addresses[count] = address;
      bytes[count] = allocation.bytes;
    }
    ++count;
  }
  return count;
}

int cuMemAlloc_v2(uint64_t *address, size_t bytes) {
  if (int error = checkFault())
    return error;
  void *data = nullptr;
  int result = allocate(data, bytes, /*isHost=*/false);
  *address = reinterpret_cast<uint64_t>(data);
  return result;
}
int cuMemFree_v2(uint64_t address) {
  if (int error = checkFault())
    return error;
  return release(address, /*isHost=*/false);
}
/// Memory of the host that kernels of all devices may access.
int cuMemHostAlloc(void **data, size_t bytes, unsigned) {
  return allocate(*data, bytes, /*isHost=*/true);
}
int cuMemFreeHost(void *data) {
  return release(reinterpret_cast<uint64_t>(data), /*isHost=*/true);
}
int cuMemAllocAsync(uint64_t *address, size_t bytes, void *handle) {
  {
    std::lock_guard<std::mutex> lock(mutex);
    Stream *stream;
    if (int error = findStream(handle, stream))
      return error;
    // The graph would have the allocation.
    if (stream && stream->captured)
      return kNotSupported;
  }
  return cuMemAlloc_v2(address, bytes);
}
int cuMemFreeAsync(uint64_t address, void *) { return cuMemFree_v2(address); }
int cuMemGetInfo_v2(size_t *free, size_t *total) {
  return *free = *total = size_t(80) << 30, kSuccess;
}

int cuMemcpyHtoD_v2(uint64_t to, const void *from, size_t bytes) {
  return copyNow(toHost(to), from, bytes);
}
int cuMemcpyDtoH_v2(void *to, uint64_t from, size_t bytes) {
  return copyNow(to, toHost(from), bytes);
}
int cuMemcpyDtoD_v2(uint64_t to, uint64_t from, size_t bytes) {
  return copyNow(toHost(to), toHost(from), bytes);
}
int cuMemcpyHtoDAsync_v2(uint64_t to, const void *from, size_t bytes,
                         void *stream) {
  return copyLater(toHost(to), from, bytes, stream);
}
int cuMemcpyDtoHAsync_v2(void *to, uint64_t from, size_t bytes, void *stream) {
  return copyLater(to, toHost(from), bytes, stream);
}
int cuMemcpyDtoDAsync_v2(uint64_t to, uint64_t from, size_t bytes,
                         void *stream) {
  return copyLater(toHost(to), toHost(from), bytes, stream);
}
int cuMemsetD8Async(uint64_t to, unsigned char value, size_t bytes,
                    void *stream) {
  if (bytes && !to)
    return kInvalidValue;
  return enqueue(stream, [=] {
    if (int error = checkFault())
      return error;
    std::memset(toHost(to), value, bytes);
    return int(kSuccess);
  });
}
int cuMemsetD8_v2(uint64_t to, unsigned char value, size_t bytes) {
  {
    std::lock_guard<std::mutex> lock(mutex);
    if (int error = checkUnsafe())
      return error;
  }
  return cuMemsetD8Async(to, value, bytes, nullptr);
}

/// An address that is not allocated is of the host code's own memory, which is
/// that of the device, too.
int cuPointerGetAttribute(void *value, int attribute, uint64_t pointer) {
  std::lock_guard<std::mutex> lock(mutex);
  if (attribute == kPointerAttributeDevicePointer) {
    std::memcpy(value, &pointer, sizeof(pointer));
    return kSuccess;
  }
  auto it = findAllocation(pointer);
  if (it == allocations.end())
    return kNotSupported;
  Context *context = it->second.context;
  switch (attribute) {
  case kPointerAttributeContext:
    std::memcpy(value, &context, sizeof(context));
    return kSuccess;
  case kPointerAttributeMemoryType:
    std::memcpy(value, &kMemoryTypeDevice, sizeof(kMemoryTypeDevice));
    return kSuccess;
  case kPointerAttributeDeviceOrdinal:
    std::memcpy(value, &context->device, sizeof(context->device));
    return kSuccess;
  default:
    return kNotSupported;
  }
}

} // extern "C"
