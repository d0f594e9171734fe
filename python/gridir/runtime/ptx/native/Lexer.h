//===- Lexer.h - The tokens of a PTX text ---------------------------------===//
//
// Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef GRIDIR_PYTHON_GRIDIR_RUNTIME_PTX_NATIVE_LEXER_H
#define GRIDIR_PYTHON_GRIDIR_RUNTIME_PTX_NATIVE_LEXER_H

#include "Problem.h"

#include "llvm/ADT/StringRef.h"

#include <optional>

namespace gridir::ptx {

struct Token {
  enum class Kind {
    /// A name, without periods.
    Name,
    /// A name or a shape after a period, which is left out.
    Dotted,
    Integer,
    Float,
    String,
    Punctuation,
    End
  };
  Kind kind = Kind::End;
  /// The text between the quotes of a string.
  llvm::StringRef text;
  Position where;
  /// Of an integer, or the bits of a float.
  uint64_t value = 0;
  unsigned floatBits = 0;

  bool is(llvm::StringRef punctuation) const {
    return kind == Kind::Punctuation && text == punctuation;
  }
};

/// Splits a text into tokens, with an End as the last. The tokens refer to the
/// text. Stops at an invalid token and adds it to `problems`.
std::vector<Token> tokenize(llvm::StringRef text, Problems &problems);

} // namespace gridir::ptx

#endif // GRIDIR_PYTHON_GRIDIR_RUNTIME_PTX_NATIVE_LEXER_H
