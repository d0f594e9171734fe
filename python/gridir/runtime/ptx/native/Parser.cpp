//===- Parser.cpp - From the text of PTX to what it says ------------------===//
//
// Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Parser.h"

#include "OperandParser.h"

using namespace llvm;

namespace gridir::ptx {

namespace {

/// The maximum depth of nested blocks; deeper ones would overflow the parser's
/// stack.
constexpr unsigned kMaxDepth = 256;

class Parser {
public:
  Parser(StringRef text, Problems &problems)
      : text(text), tokens(tokenize(text, problems), problems) {}

  Module run() {
    while (!tokens.atEnd())
      parseTopLevel();
    return std::move(module);
  }

private:
  void parseTopLevel();
  void parseSection();
  void parseFile();
  void parseLocation();
  void parseFunction(bool isEntry, bool isExternal);
  std::vector<Variable> parseParameters();
  void parsePerformance(Function &function);
  /// Variables of one statement: `.space .type a, b[4] = {...};`.
  std::vector<Variable> parseVariables(bool isExternal);
  void parseQualifiers(Variable &variable, bool isParameter);
  void parseDeclarator(Variable &variable);
  std::unique_ptr<Block> parseBlock(unsigned depth);
  void parseStatement(Block &block, unsigned depth);
  void parseDirective(Block &block);
  Instruction parseInstruction();
  void skipTo(StringRef punctuation);
  Token takeDotted(StringRef what) {
    return tokens.expect(Token::Kind::Dotted, what);
  }

  StringRef text;
  TokenStream tokens;
  Module module;
  SourceLine source;
};

bool isVariableSpace(StringRef name) {
  return name == "reg" || name == "shared" || name == "global" ||
         name == "const" || name == "local" || name == "param";
}

void Parser::skipTo(StringRef punctuation) {
  while (!tokens.atEnd() && !tokens.peek().is(punctuation))
    tokens.take();
  tokens.expect(punctuation);
}

void Parser::parseTopLevel() {
  bool isExternal = false;
  const Token token = tokens.peek();
  if (token.kind != Token::Kind::Dotted) {
    tokens.failHere("a directive");
    return;
  }
  while (tokens.peek().text == "visible" || tokens.peek().text == "extern" ||
         tokens.peek().text == "weak" || tokens.peek().text == "common")
    isExternal |= tokens.take().text == "extern";
  StringRef name = tokens.peek().text;
  if (isVariableSpace(name)) {
    for (Variable &variable : parseVariables(isExternal))
      module.variables.push_back(std::move(variable));
    return;
  }
  tokens.take();
  if (name == "entry" || name == "func") {
    parseFunction(name == "entry", isExternal);
  } else if (name == "version") {
    tokens.take();
  } else if (name == "address_size") {
    Token bits = tokens.expect(Token::Kind::Integer, "64");
    if (bits.value != 64)
      tokens.fail(bits.where,
                  "expected addresses of 64 bits, got " + Twine(bits.value));
  } else if (name == "target") {
    module.target = tokens.expect(Token::Kind::Name, "a chip").text.str();
    while (tokens.consume(","))
      tokens.take();
  } else if (name == "file") {
    parseFile();
  } else if (name == "section") {
    parseSection();
  } else if (name == "pragma") {
    skipTo(";");
  } else {
    tokens.fail(token.where,
                "expected a directive of a module, got '." + name + "'");
  }
}

void Parser::parseSection() {
  while (!tokens.atEnd() && !tokens.peek().is("{"))
    tokens.take();
  tokens.expect("{");
  for (unsigned depth = 1; depth && !tokens.atEnd();) {
    Token token = tokens.take();
    depth += token.is("{");
    depth -= token.is("}");
  }
}

void Parser::parseFile() {
  Token number = tokens.expect(Token::Kind::Integer, "the number of a file");
  Token name = tokens.expect(Token::Kind::String, "the name of a file");
  module.files[number.value] = name.text.str();
  while (tokens.consume(","))
    tokens.expect(Token::Kind::Integer, "an integer");
}

void Parser::parseLocation() {
  unsigned values[3];
  for (unsigned &value : values)
    value = tokens.expect(Token::Kind::Integer, "an integer").value;
  source = {values[0], values[1], values[2]};
  // Where the code was inlined; the innermost location is the author's line.
  while (tokens.consume(",")) {
    Token what =
        tokens.expect(Token::Kind::Name, "function_name or inlined_at");
    if (what.text == "function_name") {
      tokens.expect(Token::Kind::Name, "the label of a name");
      if (tokens.consume("+"))
        tokens.expect(Token::Kind::Integer, "an integer");
      continue;
    }
    for (unsigned i = 0; i < 3; ++i)
      tokens.expect(Token::Kind::Integer, "an integer");
  }
}

void Parser::parseFunction(bool isEntry, bool isExternal) {
  Function function;
  function.isEntry = isEntry;
  if (tokens.peek().is("("))
    function.results = parseParameters();
  Token name = tokens.expect(Token::Kind::Name, "the name of a function");
  function.where = name.where;
  function.name = name.text.str();
  if (tokens.peek().is("("))
    function.parameters = parseParameters();
  parsePerformance(function);
  source = {};
  if (isExternal || !tokens.peek().is("{"))
    tokens.expect(";");
  else
    function.body = parseBlock(0);
  module.functions.push_back(std::move(function));
}

std::vector<Variable> Parser::parseParameters() {
  std::vector<Variable> parameters;
  tokens.expect("(");
  if (tokens.consume(")"))
    return parameters;
  do {
    Variable variable;
    parseQualifiers(variable, /*isParameter=*/true);
    parseDeclarator(variable);
    parameters.push_back(std::move(variable));
  } while (tokens.consume(","));
  tokens.expect(")");
  return parameters;
}

void Parser::parsePerformance(Function &function) {
  while (tokens.peek().kind == Token::Kind::Dotted) {
    StringRef name = tokens.take().text;
    std::vector<uint64_t> &values = function.directives[name];
    while (tokens.peek().kind == Token::Kind::Integer ||
           tokens.peek().kind == Token::Kind::String || tokens.peek().is(","))
      if (Token token = tokens.take(); token.kind == Token::Kind::Integer)
        values.push_back(token.value);
    // Each of the others ends where the next one or the function begins; a
    // semicolon there ends a declaration.
    if (name == "pragma")
      tokens.consume(";");
  }
}

std::vector<Variable> Parser::parseVariables(bool isExternal) {
  Variable common;
  common.isExternal = isExternal;
  parseQualifiers(common, /*isParameter=*/false);
  std::vector<Variable> variables;
  do {
    Variable variable = common;
    parseDeclarator(variable);
    variables.push_back(std::move(variable));
  } while (tokens.consume(","));
  tokens.expect(";");
  return variables;
}

void Parser::parseQualifiers(Variable &variable, bool isParameter) {
  variable.where = tokens.peek().where;
  variable.space = takeDotted("a state space").text.str();
  bool hasType = false;
  unsigned alignment = 0;
  while (tokens.peek().kind == Token::Kind::Dotted) {
    Token token = tokens.take();
    if (token.text == "align") {
      uint64_t value =
          tokens.expect(Token::Kind::Integer, "an alignment").value;
      // A pointer parameter declares the alignment of its target.
      if (!hasType || !isParameter)
        alignment = value;
    } else if (std::optional<ScalarType> type = findType(token.text)) {
      variable.type = *type;
      hasType = true;
    } else if (token.text == "v2" || token.text == "v4") {
      variable.count = token.text == "v2" ? 2 : 4;
    } else if (!isParameter ||
               (token.text != "ptr" && !isVariableSpace(token.text))) {
      tokens.fail(token.where, "expected a type, got '." + token.text + "'");
    }
  }
  if (!hasType)
    tokens.failHere("a type");
  variable.alignment =
      std::max(alignment, variable.type.getBytes() * unsigned(variable.count));
  if (!isPowerOf2_32(variable.alignment) || variable.alignment > 4096)
    tokens.fail(variable.where,
                "expected an alignment that is a power of two of at most 4096, "
                "got " +
                    Twine(variable.alignment));
}

void Parser::parseDeclarator(Variable &variable) {
  Token name = tokens.expect(Token::Kind::Name, "a name");
  variable.where = name.where;
  variable.name = name.text.str();
  if (tokens.consume("<")) {
    Token count = tokens.expect(Token::Kind::Integer, "a number of registers");
    if (count.value > 1'000'000)
      tokens.fail(count.where, "expected at most 1000000 registers, got " +
                                   Twine(count.value));
    variable.numbered = count.value;
    tokens.expect(">");
  }
  while (tokens.consume("[")) {
    uint64_t size = tokens.peek().is("]") ? 0 : parseConstant(tokens);
    if (__builtin_mul_overflow(variable.count, size, &variable.count) ||
        variable.count > (uint64_t(1) << 40))
      tokens.fail(name.where, "expected an array of less than 2^40 elements");
    tokens.expect("]");
  }
  if (!tokens.consume("="))
    return;
  Operand value = parseOperand(tokens);
  if (value.kind == Operand::Kind::Vector)
    variable.initializer = std::move(value.elements);
  else
    variable.initializer.push_back(std::move(value));
}

std::unique_ptr<Block> Parser::parseBlock(unsigned depth) {
  auto block = std::make_unique<Block>();
  const Position where = tokens.peek().where;
  tokens.expect("{");
  if (depth > kMaxDepth)
    tokens.fail(where,
                "expected at most " + Twine(kMaxDepth) + " nested blocks");
  while (!tokens.atEnd() && !tokens.peek().is("}"))
    parseStatement(*block, depth);
  tokens.expect("}");
  return block;
}

void Parser::parseStatement(Block &block, unsigned depth) {
  if (tokens.peek().is("{")) {
    block.statements.push_back(parseBlock(depth + 1));
  } else if (tokens.consume(";")) {
    // An empty statement, as inline assembly often has.
  } else if (tokens.peek().kind == Token::Kind::Dotted) {
    parseDirective(block);
  } else if (tokens.peek(1).is(":")) {
    Token name = tokens.expect(Token::Kind::Name, "a label");
    tokens.expect(":");
    if (tokens.peek().kind == Token::Kind::Dotted &&
        tokens.peek().text == "branchtargets") {
      tokens.take();
      BranchTargets targets{name.where, name.text.str(), {}};
      do
        targets.labels.push_back(parseOperand(tokens));
      while (tokens.consume(","));
      tokens.expect(";");
      block.statements.push_back(std::move(targets));
      return;
    }
    block.statements.push_back(Label{name.where, name.text.str()});
  } else {
    block.statements.push_back(parseInstruction());
  }
}

void Parser::parseDirective(Block &block) {
  Token token = tokens.peek();
  if (token.text == "loc") {
    tokens.take();
    parseLocation();
  } else if (token.text == "pragma") {
    skipTo(";");
  } else if (isVariableSpace(token.text)) {
    for (Variable &variable : parseVariables(/*isExternal=*/false))
      block.statements.push_back(std::move(variable));
  } else {
    tokens.fail(token.where, "expected an instruction or the declaration of a "
                             "variable, got '." +
                                 token.text + "'");
  }
}

Instruction Parser::parseInstruction() {
  Instruction instruction;
  instruction.where = tokens.peek().where;
  instruction.source = source;
  const char *begin = tokens.peek().text.data();
  if (tokens.consume("@")) {
    Operand guard;
    guard.negated = tokens.consume("!");
    Token name = tokens.expect(Token::Kind::Name, "a predicate");
    guard.where = name.where;
    guard.name = name.text.str();
    instruction.guard = std::move(guard);
  }
  instruction.opcode =
      tokens.expect(Token::Kind::Name, "an instruction").text.str();
  while (tokens.peek().kind == Token::Kind::Dotted)
    instruction.modifiers.push_back(tokens.take().text.str());
  if (!tokens.peek().is(";"))
    do
      instruction.operands.push_back(
          parseOperand(tokens, instruction.opcode == "call"));
    while (tokens.consume(","));
  const char *end = tokens.peek().text.data();
  if (tokens.expect(";") && begin && end)
    instruction.text = StringRef(begin, end - begin).trim().str();
  return instruction;
}

} // namespace

Module parse(StringRef text, Problems &problems) {
  return Parser(text, problems).run();
}

} // namespace gridir::ptx
