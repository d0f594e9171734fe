//===- OperandParser.h - Operands and constant expressions ----------------===//
//
// Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef GRIDIR_PYTHON_GRIDIR_RUNTIME_PTX_NATIVE_OPERANDPARSER_H
#define GRIDIR_PYTHON_GRIDIR_RUNTIME_PTX_NATIVE_OPERANDPARSER_H

#include "Lexer.h"
#include "Syntax.h"

#include "llvm/ADT/Twine.h"

namespace gridir::ptx {

/// The tokens of a text, with a current one. After the first problem it is at
/// the end, so that a reader stops.
class TokenStream {
public:
  TokenStream(std::vector<Token> tokens, Problems &problems)
      : tokens(std::move(tokens)), problems(problems) {}

  const Token &peek(size_t ahead = 0) const {
    return tokens[std::min(next + ahead, tokens.size() - 1)];
  }
  bool atEnd() const { return peek().kind == Token::Kind::End; }
  Token take();
  bool consume(llvm::StringRef punctuation);
  /// False, and a problem, where something else stands there.
  bool expect(llvm::StringRef punctuation);
  /// Takes a token of a kind; `what` names it for the problem.
  Token expect(Token::Kind kind, llvm::StringRef what);
  void fail(Position where, const llvm::Twine &message);
  /// "expected WHAT, got" and the token.
  void failHere(const llvm::Twine &what);

private:
  std::vector<Token> tokens;
  size_t next = 0;
  Problems &problems;
};

/// Reads one operand. In a call, parentheses hold a list.
Operand parseOperand(TokenStream &tokens, bool isCall = false);

/// Reads an integer that is known from the text.
uint64_t parseConstant(TokenStream &tokens);

} // namespace gridir::ptx

#endif // GRIDIR_PYTHON_GRIDIR_RUNTIME_PTX_NATIVE_OPERANDPARSER_H
