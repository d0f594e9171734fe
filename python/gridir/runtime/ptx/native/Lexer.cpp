//===- Lexer.cpp - The tokens of a PTX text -------------------------------===//
//
// Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Lexer.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/bit.h"

using namespace llvm;

namespace gridir::ptx {

namespace {

bool isNameStart(char c) {
  return isAlpha(c) || c == '_' || c == '$' || c == '%';
}

bool isNamePart(char c) { return isAlnum(c) || c == '_' || c == '$'; }

class Lexer {
public:
  Lexer(StringRef text, Problems &problems)
      : text(text), rest(text), problems(problems) {}

  std::vector<Token> run() {
    std::vector<Token> tokens;
    while (skipBlanks() && problems.empty() && !rest.empty())
      tokens.push_back(next());
    Token end;
    end.where = where();
    tokens.push_back(end);
    return tokens;
  }

private:
  Position where() const {
    return {line, static_cast<unsigned>(rest.data() - lineStart) + 1};
  }

  void drop(size_t count) {
    for (; count && !rest.empty(); --count) {
      if (rest.front() == '\n') {
        ++line;
        lineStart = rest.data() + 1;
      }
      rest = rest.drop_front();
    }
  }

  void fail(const Twine &message) {
    problems.push_back({where(), message.str()});
  }

  /// False where a comment does not end.
  bool skipBlanks() {
    while (!rest.empty()) {
      // Some producers end the text with a null.
      if (isSpace(rest.front()) || rest.front() == '\0') {
        drop(1);
      } else if (rest.starts_with("//")) {
        drop(std::min(rest.find('\n'), rest.size()));
      } else if (rest.starts_with("/*")) {
        size_t end = rest.find("*/");
        if (end == StringRef::npos) {
          fail("expected '*/' after this '/*', got the end of the text");
          return false;
        }
        drop(end + 2);
      } else {
        return true;
      }
    }
    return true;
  }

  Token next() {
    Token token;
    token.where = where();
    char c = rest.front();
    if (isNameStart(c)) {
      take(token, Token::Kind::Name,
           1 + rest.drop_front().take_while(isNamePart).size());
    } else if (isDigit(c)) {
      readNumber(token);
    } else if (c == '.' && rest.size() > 1 && isNamePart(rest[1])) {
      size_t size = 1;
      // "shared::cta" is one modifier; a label ends with one colon.
      while (size < rest.size() &&
             (isNamePart(rest[size]) || rest.substr(size, 2) == "::"))
        size += rest[size] == ':' ? 2 : 1;
      take(token, Token::Kind::Dotted, size);
      token.text = token.text.drop_front();
    } else if (c == '"') {
      size_t end = rest.find('"', 1);
      if (end == StringRef::npos) {
        fail("expected '\"' after this one, got the end of the text");
        end = rest.size() - 1;
      }
      take(token, Token::Kind::String, end + 1);
      token.text = token.text.drop_front().drop_back();
    } else if (rest.starts_with("<<") || rest.starts_with(">>")) {
      take(token, Token::Kind::Punctuation, 2);
    } else if (StringRef("{}()[]<>,;:@!|+-*/%&^~=").contains(c)) {
      take(token, Token::Kind::Punctuation, 1);
    } else {
      fail("expected PTX, got '" + Twine(c) + "'");
    }
    return token;
  }

  void take(Token &token, Token::Kind kind, size_t size) {
    token.kind = kind;
    token.text = rest.take_front(size);
    drop(size);
  }

  void readNumber(Token &token) {
    // The bits of a float, as 0f3F800000.
    for (auto [prefix, digits] : {std::pair("0f", 8), std::pair("0d", 16)})
      if (rest.starts_with_insensitive(prefix) &&
          !rest.substr(2, digits).getAsInteger(16, token.value) &&
          rest.substr(2, digits).size() == static_cast<size_t>(digits)) {
        token.floatBits = digits * 4;
        take(token, Token::Kind::Float, 2 + digits);
        return;
      }
    StringRef digits = rest.take_while(isAlnum);
    StringRef after = rest.drop_front(digits.size());
    if (after.starts_with(".") && after.size() > 1 && isDigit(after[1])) {
      readDecimal(token);
      return;
    }
    StringRef number = digits;
    if (!number.consume_back("U"))
      number.consume_back("u");
    if (number.getAsInteger(0, token.value)) {
      fail("expected a number of at most 64 bits, got '" + digits + "'");
      token.value = 0;
    }
    take(token, Token::Kind::Integer, digits.size());
  }

  void readDecimal(Token &token) {
    size_t size = rest.find_if_not(
        [](char c) { return isAlnum(c) || c == '.' || c == '+' || c == '-'; });
    StringRef text = rest.take_front(size);
    // A sign belongs to an exponent only.
    for (size_t i = 1; i < text.size(); ++i)
      if ((text[i] == '+' || text[i] == '-') && toLower(text[i - 1]) != 'e')
        text = text.take_front(i);
    double value = 0;
    if (text.getAsDouble(value))
      fail("expected a number, got '" + text + "'");
    token.value = bit_cast<uint64_t>(value);
    token.floatBits = 64;
    take(token, Token::Kind::Float, text.size());
  }

  StringRef text, rest;
  Problems &problems;
  unsigned line = 1;
  const char *lineStart = text.data();
};

} // namespace

std::vector<Token> tokenize(StringRef text, Problems &problems) {
  return Lexer(text, problems).run();
}

} // namespace gridir::ptx
