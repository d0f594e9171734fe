//===- Undefined.cpp - Bits of memory that have no defined value ----------===//
//
// Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Undefined.h"

#include "Execution.h"

#include "llvm/ADT/STLExtras.h"

#include <cstring>

using namespace llvm;

namespace gridir::ptx {

ShadowedMemory::ShadowedMemory(uint64_t begin, uint64_t bytes, OriginKind kind)
    : begin(begin), bytes(bytes), shadow(bytes, char(0xff)),
      origins(bytes / sizeof(Origin) + 1) {
  for (auto [word, origin] : llvm::enumerate(origins))
    origin = kind | Origin(word);
}

void ShadowedMemory::define() { llvm::fill(shadow, 0); }

void undefineInWindow(char *window, uint64_t offset, uint64_t bytes) {
  const ShadowPlace place = findInWindow(window, offset);
  std::memset(place.shadow, 0xff, bytes);
  for (uint64_t i = 0; i <= bytes / sizeof(Origin); ++i)
    place.origin[i] = FromShared | Origin(offset / sizeof(Origin) + i);
}

Undefined readShadow(const ShadowPlace &place, unsigned bytes) {
  Undefined result;
  std::memcpy(&result.bits, place.shadow, bytes);
  if (!result)
    return result;
  const bool isSecond = bytes > sizeof(Origin) && !uint32_t(result.bits);
  result.origin = place.origin[isSecond];
  return result;
}

void writeShadow(const ShadowPlace &place, unsigned bytes,
                 const Undefined &value) {
  std::memcpy(place.shadow, &value.bits, bytes);
  if (value)
    std::fill_n(place.origin, (bytes + sizeof(Origin) - 1) / sizeof(Origin),
                value.origin);
}

//===----------------------------------------------------------------------===//
// Shadows of a launch
//===----------------------------------------------------------------------===//

std::optional<ShadowPlace> Execution::findShadow(Thread &thread,
                                                 const void *pointer) {
  const uint64_t address = reinterpret_cast<uint64_t>(pointer);
  const uint64_t offset =
      address - reinterpret_cast<uint64_t>(thread.frame.window);
  if (offset < kClusterWindow)
    return findInWindow(thread.frame.window, offset);
  if (thread.argumentShadow.contains(address))
    return thread.argumentShadow.find(address);
  if (thread.cta->localShadow.contains(address))
    return thread.cta->localShadow.find(address);
  for (ShadowedMemory &memory : temporaries)
    if (memory.contains(address))
      return memory.find(address);
  return std::nullopt;
}

Undefined Execution::readUndefined(Thread &thread, const void *pointer,
                                   unsigned bytes) {
  const std::optional<ShadowPlace> place = findShadow(thread, pointer);
  return place ? readShadow(*place, bytes) : Undefined();
}

Undefined Execution::findUndefined(Thread &thread, const void *pointer,
                                   uint64_t bytes) {
  const std::optional<ShadowPlace> place = findShadow(thread, pointer);
  for (uint64_t i = 0; place && i < bytes; ++i)
    if (const auto bits = static_cast<unsigned char>(place->shadow[i])) {
      const uint64_t inWord =
          reinterpret_cast<uint64_t>(pointer) % sizeof(Origin);
      return {bits, place->origin[(inWord + i) / sizeof(Origin)]};
    }
  return {};
}

void Execution::writeUndefined(Thread &thread, void *pointer, unsigned bytes,
                               const Undefined &value) {
  if (const std::optional<ShadowPlace> place = findShadow(thread, pointer))
    writeShadow(*place, bytes, value);
}

void Execution::copyUndefined(Thread &thread, char *to, const char *from,
                              uint64_t bytes) {
  for (uint64_t i = 0; i < bytes; i += sizeof(Origin)) {
    const unsigned count = std::min<uint64_t>(sizeof(Origin), bytes - i);
    writeUndefined(thread, to + i, count,
                   readUndefined(thread, from + i, count));
  }
}

void Execution::trackAccess(Thread &thread, const void *pointer, uint64_t bytes,
                            uint32_t flags, unsigned site) {
  if (flags & Reads)
    expectDefined(thread, pointer, bytes, site);
  if (!(flags & Writes))
    return;
  if (const std::optional<ShadowPlace> place = findShadow(thread, pointer))
    std::memset(place->shadow, 0, bytes);
}

void Execution::expectDefined(Thread &thread, const void *pointer,
                              uint64_t bytes, unsigned site) {
  if (const Undefined found = findUndefined(thread, pointer, bytes))
    fail(thread, site,
         "expected a read of initialized values, got one that depends on " +
             describeOrigin(thread, found.origin));
}

void Execution::expectDefinedArguments(Thread &thread,
                                       const uint64_t *arguments,
                                       unsigned count, unsigned site) {
  if (const Undefined found =
          findUndefined(thread, arguments, count * sizeof(uint64_t)))
    fail(thread, site,
         "expected operands that are initialized, got one that depends on " +
             describeOrigin(thread, found.origin));
}

void Execution::expectDefinedOutput(Thread &thread, const void *pointer,
                                    const void *values, uint64_t bytes,
                                    unsigned site) {
  if (findShadow(thread, pointer))
    return;
  if (const Undefined found = findUndefined(thread, values, bytes))
    fail(thread, site,
         "expected an initialized value for " +
             describeAddress(thread, reinterpret_cast<uint64_t>(pointer)) +
             ", got one that depends on " +
             describeOrigin(thread, found.origin));
}

void Execution::failUndefined(Origin origin) {
  Thread &thread = *runningThread;
  fail(thread, thread.frame.site,
       "expected a condition or an address that is initialized, got one that "
       "depends on " +
           describeOrigin(thread, origin));
}

void Execution::setArguments(const void *pointer, uint64_t bytes) {
  runningThread->argumentShadow =
      ShadowedMemory(reinterpret_cast<uint64_t>(pointer), bytes, FromRegister);
  runningThread->argumentShadow.define();
}

std::string Execution::describeOrigin(const Thread &thread,
                                      Origin origin) const {
  const uint64_t offset = uint64_t(origin & ~FromTemporary) * sizeof(Origin);
  switch (origin & FromTemporary) {
  case FromShared:
    return describeAddress(thread,
                           reinterpret_cast<uint64_t>(thread.frame.window) +
                               offset) +
           ", which is uninitialized";
  case FromLocal:
    return "local memory, which is uninitialized";
  case FromTemporary:
    return "a temporary in global memory, which is uninitialized";
  default:
    return "a register, which is uninitialized";
  }
}

//===----------------------------------------------------------------------===//
// Functions that code with shadows calls
//===----------------------------------------------------------------------===//

namespace {

/// The largest access of generated code.
constexpr unsigned kMostBytes = 64;

ShadowPlace findForLoad(const void *pointer) {
  static char none[kMostBytes] = {};
  static Origin noOrigins[kMostBytes / sizeof(Origin)] = {};
  Execution &execution = *Execution::getCurrent();
  return execution.findShadow(execution.getRunningThread(), pointer)
      .value_or(ShadowPlace{none, noOrigins});
}

/// The shadows of other memory are not read.
ShadowPlace findForStore(const void *pointer) {
  static thread_local char ignored[kMostBytes];
  static thread_local Origin ignoredOrigins[kMostBytes / sizeof(Origin)];
  Execution &execution = *Execution::getCurrent();
  return execution.findShadow(execution.getRunningThread(), pointer)
      .value_or(ShadowPlace{ignored, ignoredOrigins});
}

ShadowPlace findManyForLoad(const void *pointer, uint64_t) {
  return findForLoad(pointer);
}

ShadowPlace findManyForStore(const void *pointer, uint64_t) {
  return findForStore(pointer);
}

SanitizerState *getState() {
  static thread_local SanitizerState state = {};
  // The parameter of an entry, its frame, is defined.
  state.parameters[0] = 0;
  return &state;
}

void warn(Origin origin) { Execution::getCurrent()->failUndefined(origin); }

void startArguments(const void *pointer, uint64_t bytes, const char *) {
  Execution::getCurrent()->setArguments(pointer, bytes);
}

} // namespace

std::vector<std::pair<const char *, void *>> getSanitizerSymbols() {
  std::vector<std::pair<const char *, void *>> symbols = {
      {"__msan_get_context_state", reinterpret_cast<void *>(&getState)},
      {"__msan_warning", reinterpret_cast<void *>(&warn)},
      {"__msan_poison_alloca", reinterpret_cast<void *>(&startArguments)},
      {"__msan_metadata_ptr_for_load_n",
       reinterpret_cast<void *>(&findManyForLoad)},
      {"__msan_metadata_ptr_for_store_n",
       reinterpret_cast<void *>(&findManyForStore)}};
  for (const char *name :
       {"__msan_metadata_ptr_for_load_1", "__msan_metadata_ptr_for_load_2",
        "__msan_metadata_ptr_for_load_4", "__msan_metadata_ptr_for_load_8"})
    symbols.push_back({name, reinterpret_cast<void *>(&findForLoad)});
  for (const char *name :
       {"__msan_metadata_ptr_for_store_1", "__msan_metadata_ptr_for_store_2",
        "__msan_metadata_ptr_for_store_4", "__msan_metadata_ptr_for_store_8"})
    symbols.push_back({name, reinterpret_cast<void *>(&findForStore)});
  return symbols;
}

} // namespace gridir::ptx
