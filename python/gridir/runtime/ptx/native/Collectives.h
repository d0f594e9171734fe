//===- Collectives.h - Instructions that several threads take part in -----===//
//
// Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef GRIDIR_PYTHON_GRIDIR_RUNTIME_PTX_NATIVE_COLLECTIVES_H
#define GRIDIR_PYTHON_GRIDIR_RUNTIME_PTX_NATIVE_COLLECTIVES_H

#include "Emitter.h"
#include "Execution.h"

namespace gridir::ptx {

/// Encodes the arguments of a thread for a collective, and the location of its
/// results. The arguments are 64-bit words; the results replace the first of
/// them.
class Encoder {
public:
  explicit Encoder(Emitter &emitter) : emitter(emitter) {}

  Emitter &emitter;

  void add(llvm::Value *value) {
    arguments.push_back(
        emitter.builder.CreateZExtOrTrunc(value, emitter.builder.getInt64Ty()));
  }
  void add(uint64_t constant) {
    arguments.push_back(emitter.builder.getInt64(constant));
  }
  /// A value of at most 64 bits.
  void add(const Operand &operand, unsigned bits) {
    arguments.push_back(emitter.readWide(operand, bits));
  }
  void addResult(const Operand &operand, unsigned bits) {
    results.push_back({&operand, bits});
  }
  /// A generic address as one of shared memory, or that as it is.
  void addShared(const Operand &operand, bool isGeneric);

  /// Calls the collective and writes its results.
  void finish(unsigned row);

private:
  struct Result {
    const Operand *operand;
    unsigned bits;
  };
  llvm::SmallVector<llvm::Value *> arguments;
  llvm::SmallVector<Result> results;
};

/// The threads that synchronize for a collective.
enum class Team {
  Thread,
  /// The lanes of a mask, which is the first argument.
  Mask,
  /// All lanes of a warp that are live.
  Warp,
  Warpgroup
};

/// Threads that have come to a collective, with their arguments. Those that
/// take no part are null.
struct Group {
  Execution &execution;
  /// The thread that has come last.
  Thread &thread;
  unsigned site;
  llvm::ArrayRef<Thread *> threads;
  llvm::ArrayRef<uint64_t *> arguments;

  void fail(const std::string &message) const {
    execution.fail(thread, site, message);
  }
  /// Undefined bits of an argument or result of a thread.
  Undefined getUndefined(unsigned thread, unsigned word) const {
    return execution.readUndefined(*threads[thread], arguments[thread] + word,
                                   sizeof(uint64_t));
  }
  void setUndefined(unsigned thread, unsigned word,
                    const Undefined &value) const {
    execution.writeUndefined(*threads[thread], arguments[thread] + word,
                             sizeof(uint64_t), value);
  }
  /// The thread, or a unit that it has started, touches memory.
  void note(const AsyncUnitRef &unit, const void *pointer, uint64_t bytes,
            uint32_t flags) const {
    execution.note(thread, unit, pointer, bytes, flags, site);
  }
};

struct CollectiveRow {
  /// The opcode and modifiers that must be there, as "shfl.sync".
  llvm::StringLiteral name;
  Team team;
  void (*encode)(Encoder &);
  void (*run)(const Group &);
  /// Of the PTX manual.
  llvm::StringLiteral section;
  /// True if lanes may reach it at different instructions.
  bool isAnywhere = false;
  /// True if it computes which of its results are undefined. Arguments of the
  /// others must be defined, and so are their results.
  bool isTracked = false;
};

/// The function that generated code calls for all of them.
std::pair<const char *, void *> getCollectiveSymbol();

// The rows of each family.
llvm::ArrayRef<CollectiveRow> getWarpRows();
llvm::ArrayRef<CollectiveRow> getBarrierRows();
llvm::ArrayRef<CollectiveRow> getMBarrierRows();
llvm::ArrayRef<CollectiveRow> getMatrixRows();
llvm::ArrayRef<CollectiveRow> getCopyRows();
llvm::ArrayRef<CollectiveRow> getTensorCopyRows();
llvm::ArrayRef<CollectiveRow> getAsyncStoreRows();
llvm::ArrayRef<CollectiveRow> getClusterLaunchRows();
llvm::ArrayRef<CollectiveRow> getWgmmaRows();
llvm::ArrayRef<CollectiveRow> getTensorMemoryRows();
llvm::ArrayRef<CollectiveRow> getTensorCoreCopyRows();
llvm::ArrayRef<CollectiveRow> getTensorCoreProductRows();

} // namespace gridir::ptx

#endif // GRIDIR_PYTHON_GRIDIR_RUNTIME_PTX_NATIVE_COLLECTIVES_H
