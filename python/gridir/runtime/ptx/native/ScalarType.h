//===- ScalarType.h - The fundamental types of PTX ------------------------===//
//
// Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef GRIDIR_PYTHON_GRIDIR_RUNTIME_PTX_NATIVE_SCALARTYPE_H
#define GRIDIR_PYTHON_GRIDIR_RUNTIME_PTX_NATIVE_SCALARTYPE_H

#include "llvm/ADT/StringRef.h"

#include <optional>

namespace gridir::ptx {

/// How the bits of a value are read.
enum class TypeKind { Predicate, Bits, Unsigned, Signed, Float, BFloat };

/// A fundamental type, or a packed one of two elements.
struct ScalarType {
  TypeKind kind = TypeKind::Bits;
  unsigned bits = 32;
  unsigned lanes = 1;

  unsigned getElementBits() const { return bits / lanes; }
  unsigned getBytes() const { return (bits + 7) / 8; }
  bool isFloat() const {
    return kind == TypeKind::Float || kind == TypeKind::BFloat;
  }
  bool isSigned() const { return kind == TypeKind::Signed; }
  bool isInteger() const {
    return kind == TypeKind::Signed || kind == TypeKind::Unsigned;
  }
  ScalarType getElement() const { return {kind, bits / lanes, 1}; }
};

/// The type of that name, as "f16x2"; none where there is no such type.
std::optional<ScalarType> findType(llvm::StringRef name);

} // namespace gridir::ptx

#endif // GRIDIR_PYTHON_GRIDIR_RUNTIME_PTX_NATIVE_SCALARTYPE_H
