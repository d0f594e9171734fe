//===- Syntax.h - What a PTX text says ------------------------------------===//
//
// Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef GRIDIR_PYTHON_GRIDIR_RUNTIME_PTX_NATIVE_SYNTAX_H
#define GRIDIR_PYTHON_GRIDIR_RUNTIME_PTX_NATIVE_SYNTAX_H

#include "Problem.h"
#include "ScalarType.h"

#include "llvm/ADT/StringMap.h"

#include <map>
#include <memory>

#include <variant>

namespace gridir::ptx {

struct Operand {
  enum class Kind {
    /// A register, a variable, a label, a function or `_`; with an added
    /// offset.
    Name,
    Integer,
    Float,
    /// Elements in braces, or in the parentheses of a call.
    Vector,
    /// In brackets: the address, and additional operands of some instructions.
    Address,
    /// Two destinations, as "%r1|%p1".
    Pair
  };
  Kind kind = Kind::Name;
  Position where;
  std::string name;
  /// True for a negated predicate.
  bool negated = false;
  /// An integer, the offset from a name, or the bits of a float.
  uint64_t value = 0;
  /// Of a float: 32 or 64, as it is written.
  unsigned floatBits = 0;
  std::vector<Operand> elements;
};

struct Instruction {
  Position where;
  SourceLine source;
  /// The text, for messages.
  std::string text;
  /// The predicate under which it is executed; none for always.
  std::optional<Operand> guard;
  std::string opcode;
  /// The modifiers after the opcode, without periods.
  std::vector<std::string> modifiers;
  std::vector<Operand> operands;
};

struct Variable {
  Position where;
  std::string name;
  /// reg, shared, global, const, local or param.
  std::string space;
  ScalarType type;
  unsigned alignment = 1;
  /// Elements; 0 for an array whose size the launch says.
  uint64_t count = 1;
  /// Of registers: how many there are, numbered; none for the name itself.
  std::optional<uint64_t> numbered;
  bool isExternal = false;
  std::vector<Operand> initializer;

  uint64_t getBytes() const { return count * type.getBytes(); }
};

struct Label {
  Position where;
  std::string name;
};

/// The labels that an indirect branch chooses from.
struct BranchTargets {
  Position where;
  std::string name;
  std::vector<Operand> labels;
};

struct Block;
using Statement = std::variant<Label, BranchTargets, Variable, Instruction,
                               std::unique_ptr<Block>>;

/// Statements whose registers, variables and labels are seen in them only.
struct Block {
  std::vector<Statement> statements;
};

struct Function {
  Position where;
  std::string name;
  bool isEntry = false;
  std::vector<Variable> results, parameters;
  /// Directives before the body with their numbers, as "maxntid".
  llvm::StringMap<std::vector<uint64_t>> directives;
  /// None for a function that is defined elsewhere.
  std::unique_ptr<Block> body;
};

struct Module {
  std::string target;
  std::vector<Variable> variables;
  std::vector<Function> functions;
  /// The names of `.file`, by their numbers.
  std::map<unsigned, std::string> files;
};

} // namespace gridir::ptx

#endif // GRIDIR_PYTHON_GRIDIR_RUNTIME_PTX_NATIVE_SYNTAX_H
