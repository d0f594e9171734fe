//===- OperandParser.cpp - Operands and constant expressions --------------===//
//
// Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "OperandParser.h"

#include "llvm/ADT/bit.h"

using namespace llvm;

namespace gridir::ptx {

Token TokenStream::take() {
  Token token = tokens[next];
  if (!atEnd())
    ++next;
  return token;
}

bool TokenStream::consume(StringRef punctuation) {
  if (!peek().is(punctuation))
    return false;
  take();
  return true;
}

bool TokenStream::expect(StringRef punctuation) {
  if (consume(punctuation))
    return true;
  failHere("'" + punctuation + "'");
  return false;
}

Token TokenStream::expect(Token::Kind kind, StringRef what) {
  if (peek().kind != kind) {
    failHere(what);
    return {};
  }
  return take();
}

void TokenStream::fail(Position where, const Twine &message) {
  if (problems.empty())
    problems.push_back({where, message.str()});
  next = tokens.size() - 1;
}

void TokenStream::failHere(const Twine &what) {
  const Token &token = peek();
  fail(token.where,
       "expected " + what + ", got " +
           (atEnd() ? "the end of the text" : "'" + token.text.str() + "'"));
}

namespace {

/// The two operands of an operator of constants, which bind as in C.
struct Operator {
  StringLiteral text;
  unsigned precedence;
  /// None for an undefined result.
  std::optional<uint64_t> (*apply)(uint64_t, uint64_t);
};

constexpr Operator kOperators[] = {
    {"|", 1, [](uint64_t x, uint64_t y) { return std::optional(x | y); }},
    {"^", 2, [](uint64_t x, uint64_t y) { return std::optional(x ^ y); }},
    {"&", 3, [](uint64_t x, uint64_t y) { return std::optional(x & y); }},
    {"<<", 4,
     [](uint64_t x, uint64_t y) {
       return std::optional(y < 64 ? x << y : uint64_t(0));
     }},
    {">>", 4,
     [](uint64_t x, uint64_t y) {
       return std::optional(y < 64 ? x >> y : uint64_t(0));
     }},
    {"+", 5, [](uint64_t x, uint64_t y) { return std::optional(x + y); }},
    {"-", 5, [](uint64_t x, uint64_t y) { return std::optional(x - y); }},
    {"*", 6, [](uint64_t x, uint64_t y) { return std::optional(x * y); }},
    {"/", 6,
     [](uint64_t x, uint64_t y) {
       return y ? std::optional(x / y) : std::nullopt;
     }},
    {"%", 6,
     [](uint64_t x, uint64_t y) {
       return y ? std::optional(x % y) : std::nullopt;
     }},
};

const Operator *findOperator(const Token &token) {
  for (const Operator &op : kOperators)
    if (token.is(op.text))
      return &op;
  return nullptr;
}

uint64_t parseExpression(TokenStream &tokens, unsigned precedence,
                         unsigned depth);

uint64_t parsePrimary(TokenStream &tokens, unsigned depth) {
  if (depth > 64) {
    tokens.fail(tokens.peek().where, "expected an expression of at most 64 "
                                     "levels");
    return 0;
  }
  if (tokens.consume("-"))
    return -parsePrimary(tokens, depth + 1);
  if (tokens.consume("+"))
    return parsePrimary(tokens, depth + 1);
  if (tokens.consume("~"))
    return ~parsePrimary(tokens, depth + 1);
  if (tokens.consume("!"))
    return !parsePrimary(tokens, depth + 1);
  if (tokens.consume("(")) {
    uint64_t value = parseExpression(tokens, 0, depth + 1);
    tokens.expect(")");
    return value;
  }
  return tokens.expect(Token::Kind::Integer, "an integer").value;
}

uint64_t parseExpression(TokenStream &tokens, unsigned precedence,
                         unsigned depth) {
  uint64_t value = parsePrimary(tokens, depth);
  while (const Operator *op = findOperator(tokens.peek())) {
    if (op->precedence <= precedence)
      break;
    Position where = tokens.take().where;
    std::optional<uint64_t> result =
        op->apply(value, parseExpression(tokens, op->precedence, depth));
    if (!result)
      tokens.fail(where, "expected a divisor other than 0");
    value = result.value_or(0);
  }
  return value;
}

/// The maximum depth of nested lists; no instruction has more.
constexpr unsigned kMaxNesting = 4;

Operand parseNested(TokenStream &tokens, bool isCall, unsigned depth);

std::vector<Operand> parseList(TokenStream &tokens, StringRef end, bool isCall,
                               unsigned depth) {
  std::vector<Operand> elements;
  if (tokens.consume(end))
    return elements;
  do
    elements.push_back(parseNested(tokens, isCall, depth + 1));
  while (tokens.consume(","));
  tokens.expect(end);
  return elements;
}

/// A float with an optional sign, if one stands there.
bool parseFloat(TokenStream &tokens, Operand &operand) {
  if (tokens.peek().kind != Token::Kind::Float)
    return false;
  Token token = tokens.take();
  operand.kind = Operand::Kind::Float;
  operand.value = token.value;
  operand.floatBits = token.floatBits;
  return true;
}

void parseName(TokenStream &tokens, Operand &operand) {
  operand.name = tokens.take().text.str();
  // The parts of special registers, as "%tid.x".
  if (operand.name[0] == '%' && tokens.peek().kind == Token::Kind::Dotted)
    operand.name += "." + tokens.take().text.str();
  if (tokens.peek().is("+") || tokens.peek().is("-")) {
    bool isNegative = tokens.take().is("-");
    operand.value = parseExpression(tokens, 5, 0);
    if (isNegative)
      operand.value = -operand.value;
  }
}

Operand parseNested(TokenStream &tokens, bool isCall, unsigned depth) {
  Operand operand;
  operand.where = tokens.peek().where;
  if (depth > kMaxNesting)
    tokens.fail(operand.where, "expected at most 4 nested lists");
  if (tokens.consume("{")) {
    operand.kind = Operand::Kind::Vector;
    operand.elements = parseList(tokens, "}", isCall, depth);
    if (operand.elements.empty())
      tokens.fail(operand.where, "expected operands in the braces");
    return operand;
  }
  if (tokens.consume("[")) {
    operand.kind = Operand::Kind::Address;
    operand.elements = parseList(tokens, "]", isCall, depth);
    if (operand.elements.empty())
      tokens.fail(operand.where, "expected an address in the brackets");
    return operand;
  }
  if (isCall && tokens.consume("(")) {
    operand.kind = Operand::Kind::Vector;
    operand.elements = parseList(tokens, ")", isCall, depth);
    return operand;
  }
  if (tokens.peek().is("!")) {
    tokens.take();
    operand.negated = true;
    operand.name = tokens.expect(Token::Kind::Name, "a predicate").text.str();
    return operand;
  }
  if (tokens.peek().kind == Token::Kind::Name) {
    parseName(tokens, operand);
    if (!tokens.peek().is("|"))
      return operand;
    tokens.take();
    Operand pair;
    pair.kind = Operand::Kind::Pair;
    pair.where = operand.where;
    pair.elements = {operand, parseNested(tokens, isCall, depth + 1)};
    return pair;
  }
  if (parseFloat(tokens, operand))
    return operand;
  if (tokens.peek().is("-") && tokens.peek(1).kind == Token::Kind::Float) {
    tokens.take();
    parseFloat(tokens, operand);
    operand.value ^= uint64_t(1) << (operand.floatBits - 1);
    return operand;
  }
  operand.kind = Operand::Kind::Integer;
  operand.value = parseConstant(tokens);
  return operand;
}

} // namespace

Operand parseOperand(TokenStream &tokens, bool isCall) {
  return parseNested(tokens, isCall, 0);
}

uint64_t parseConstant(TokenStream &tokens) {
  return parseExpression(tokens, 0, 0);
}

} // namespace gridir::ptx
