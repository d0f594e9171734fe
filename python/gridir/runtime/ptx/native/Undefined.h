//===- Undefined.h - Bits of memory that have no defined value ------------===//
//
// Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// LLVM's memory sanitizer, in the form that kernels use, adds shadows to the
// code of a thread: a bit of a shadow is set if the bit of the value is
// undefined. Values in registers have shadows in registers. The sanitizer asks
// this runtime for the shadow of each access to memory, and reports branches
// and addresses that depend on undefined bits. An origin names the memory that
// an undefined value comes from.
//
//===----------------------------------------------------------------------===//

#ifndef GRIDIR_PYTHON_GRIDIR_RUNTIME_PTX_NATIVE_UNDEFINED_H
#define GRIDIR_PYTHON_GRIDIR_RUNTIME_PTX_NATIVE_UNDEFINED_H

#include "Frame.h"

#include <cstdint>
#include <utility>
#include <vector>

namespace gridir::ptx {

/// The memory that an undefined value comes from, for messages. 0 is a
/// register.
using Origin = uint32_t;

/// The kinds of origins, in the upper bits; the rest is the number of a word.
enum OriginKind : Origin {
  FromRegister = 0,
  FromShared = Origin(1) << 30,
  FromLocal = Origin(2) << 30,
  FromTemporary = Origin(3) << 30
};

/// The undefined bits of a value, and the origin of one of them.
struct Undefined {
  uint64_t bits = 0;
  Origin origin = 0;

  explicit operator bool() const { return bits; }
  /// A value that depends on another one, too.
  void join(const Undefined &other) {
    if (!bits)
      origin = other.origin;
    bits |= other.bits;
  }
  /// All bits of a value that depends on this.
  Undefined spread(uint64_t mask) const {
    return {bits ? mask : uint64_t(0), origin};
  }
};

/// Where the sanitizer finds the shadow of an access; the origin is that of the
/// word. It returns this in two registers.
struct ShadowPlace {
  char *shadow;
  Origin *origin;
};

/// The shadow of memory that is undefined at first.
class ShadowedMemory {
public:
  ShadowedMemory() = default;
  ShadowedMemory(uint64_t begin, uint64_t bytes, OriginKind kind);

  bool contains(uint64_t address) const { return address - begin < bytes; }
  ShadowPlace find(uint64_t address) {
    return {shadow.data() + (address - begin),
            origins.data() + (address - begin) / sizeof(Origin)};
  }
  /// Makes all of it defined.
  void define();

private:
  uint64_t begin = 0, bytes = 0;
  std::vector<char> shadow;
  std::vector<Origin> origins;
};

/// The shadow of the window of a cluster follows it, and the origins follow the
/// shadow.
constexpr uint64_t kShadowedWindow = 3 * kClusterWindow;

inline ShadowPlace findInWindow(char *window, uint64_t offset) {
  return {window + kClusterWindow + offset,
          reinterpret_cast<Origin *>(window + 2 * kClusterWindow +
                                     offset / sizeof(Origin) * sizeof(Origin))};
}

/// Makes bytes of a window undefined.
void undefineInWindow(char *window, uint64_t offset, uint64_t bytes);

/// Reads and writes the shadow of at most eight bytes.
Undefined readShadow(const ShadowPlace &place, unsigned bytes);
void writeShadow(const ShadowPlace &place, unsigned bytes,
                 const Undefined &value);

/// The shadows that the sanitizer passes to calls.
struct SanitizerState {
  uint64_t parameters[100];
  uint64_t result[100];
  uint64_t variadic[100];
  uint64_t variadicOrigins[100];
  uint64_t variadicBytes;
  Origin parameterOrigins[200];
  Origin resultOrigin;
};

/// Functions that code with shadows calls.
std::vector<std::pair<const char *, void *>> getSanitizerSymbols();

} // namespace gridir::ptx

#endif // GRIDIR_PYTHON_GRIDIR_RUNTIME_PTX_NATIVE_UNDEFINED_H
