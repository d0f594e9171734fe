//===- Scopes.h - What the names in a function mean -----------------------===//
//
// Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef GRIDIR_PYTHON_GRIDIR_RUNTIME_PTX_NATIVE_SCOPES_H
#define GRIDIR_PYTHON_GRIDIR_RUNTIME_PTX_NATIVE_SCOPES_H

#include "Syntax.h"

#include "llvm/ADT/STLExtras.h"

namespace llvm {
class AllocaInst;
class BasicBlock;
} // namespace llvm

namespace gridir::ptx {

/// A name that is no label.
struct Symbol {
  enum class Kind {
    Register,
    /// An address that is known: of a global, or an offset in the parameters.
    Absolute,
    Parameter,
    /// An offset in the block's static shared memory.
    Shared,
    /// Shared memory whose size the launch says.
    DynamicShared,
    /// An offset in the thread's own memory.
    Local
  };
  Kind kind = Kind::Register;
  ScalarType type;
  llvm::AllocaInst *slot = nullptr;
  uint64_t address = 0;
  /// Of a parameter.
  uint64_t bytes = 0;
};

/// Names of a block and of those around it.
class Scopes {
public:
  void enter() { scopes.emplace_back(); }
  void leave() { scopes.pop_back(); }
  /// False where the innermost block has the name already.
  bool declare(llvm::StringRef name, Symbol symbol) {
    return scopes.back().symbols.try_emplace(name, symbol).second;
  }
  bool declareLabel(llvm::StringRef name, llvm::BasicBlock *block) {
    return scopes.back().labels.try_emplace(name, block).second;
  }
  const Symbol *find(llvm::StringRef name) const {
    for (const Scope &scope : llvm::reverse(scopes))
      if (auto found = scope.symbols.find(name); found != scope.symbols.end())
        return &found->second;
    return nullptr;
  }
  void declareTargets(llvm::StringRef name,
                      std::vector<llvm::BasicBlock *> targets) {
    scopes.back().targets[name] = std::move(targets);
  }
  /// Null where there is no list of that name.
  const std::vector<llvm::BasicBlock *> *
  findTargets(llvm::StringRef name) const {
    for (const Scope &scope : llvm::reverse(scopes))
      if (auto found = scope.targets.find(name); found != scope.targets.end())
        return &found->second;
    return nullptr;
  }
  llvm::BasicBlock *findLabel(llvm::StringRef name) const {
    for (const Scope &scope : llvm::reverse(scopes))
      if (auto found = scope.labels.find(name); found != scope.labels.end())
        return found->second;
    return nullptr;
  }

private:
  struct Scope {
    llvm::StringMap<Symbol> symbols;
    llvm::StringMap<llvm::BasicBlock *> labels;
    /// Lists of labels that an indirect branch chooses from.
    llvm::StringMap<std::vector<llvm::BasicBlock *>> targets;
  };
  std::vector<Scope> scopes;
};

} // namespace gridir::ptx

#endif // GRIDIR_PYTHON_GRIDIR_RUNTIME_PTX_NATIVE_SCOPES_H
