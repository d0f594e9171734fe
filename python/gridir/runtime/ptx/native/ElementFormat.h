//===- ElementFormat.h - Numbers that matrices are made of ----------------===//
//
// Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef GRIDIR_PYTHON_GRIDIR_RUNTIME_PTX_NATIVE_ELEMENTFORMAT_H
#define GRIDIR_PYTHON_GRIDIR_RUNTIME_PTX_NATIVE_ELEMENTFORMAT_H

#include "llvm/ADT/StringRef.h"

#include <cstdint>
#include <optional>

namespace gridir::ptx {

/// An element type of a tensor core instruction.
struct ElementFormat {
  llvm::StringLiteral name;
  unsigned bits;
  bool isInteger;
  /// An element in the lowest bits of a word, and the opposite.
  double (*decode)(uint32_t);
  uint32_t (*encode)(double);
};

/// The number of a format in the table; none for a name that is none.
std::optional<unsigned> findFormat(llvm::StringRef name);
const ElementFormat &getFormat(unsigned number);

} // namespace gridir::ptx

#endif // GRIDIR_PYTHON_GRIDIR_RUNTIME_PTX_NATIVE_ELEMENTFORMAT_H
