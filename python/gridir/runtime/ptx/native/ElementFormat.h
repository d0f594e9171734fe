//===- ElementFormat.h - Numbers that matrices are made of ----------------===//
//
// Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef GRIDIR_PYTHON_GRIDIR_RUNTIME_PTX_NATIVE_ELEMENTFORMAT_H
#define GRIDIR_PYTHON_GRIDIR_RUNTIME_PTX_NATIVE_ELEMENTFORMAT_H

#include "Emitter.h"

#include "llvm/ADT/ArrayRef.h"
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
  /// Products in registers have no such elements.
  bool isOfMemory = false;
};

/// The number of a format in the table; none for a name that is none.
std::optional<unsigned> findFormat(llvm::StringRef name);

/// The format of that number in the table.
const ElementFormat &getFormat(unsigned number);

/// Takes the formats among the modifiers of an instruction, by their numbers;
/// false where there are not as many as asked for.
bool takeFormats(Emitter &emitter, llvm::MutableArrayRef<unsigned> formats);

} // namespace gridir::ptx

#endif // GRIDIR_PYTHON_GRIDIR_RUNTIME_PTX_NATIVE_ELEMENTFORMAT_H
