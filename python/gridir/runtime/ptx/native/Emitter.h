//===- Emitter.h - One instruction on its way to LLVM IR ------------------===//
//
// Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef GRIDIR_PYTHON_GRIDIR_RUNTIME_PTX_NATIVE_EMITTER_H
#define GRIDIR_PYTHON_GRIDIR_RUNTIME_PTX_NATIVE_EMITTER_H

#include "Frame.h"
#include "Scopes.h"
#include "Translation.h"

#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/IR/IRBuilder.h"

namespace gridir::ptx {

/// The state that the instructions of a function share.
struct FunctionContext {
  llvm::IRBuilder<> builder;
  llvm::Function *function;
  llvm::Value *frame;
  Scopes scopes;
  Problems &problems;
  /// Blocks that a branch to them leads back to.
  llvm::SmallPtrSet<llvm::BasicBlock *, 16> passed;
  /// Where collectives have their arguments and results.
  llvm::AllocaInst *arguments;
  unsigned numArguments = 1;
  /// Where the function whose code this is goes on when it returns; null for
  /// the kernel itself.
  llvm::BasicBlock *returnTarget = nullptr;
  /// The flag of `.cc`; null before it is used.
  llvm::AllocaInst *carry = nullptr;
  Instrumentation instrumentation = {};
  /// Names of registers of asynchronous products, where those are checked, and
  /// the numbers of such registers.
  llvm::StringSet<> productNames{};
  llvm::DenseMap<llvm::AllocaInst *, unsigned> productNumbers{};
  bool meetsClusters = false;
};

/// Emits LLVM IR for an instruction. An instruction takes its modifiers one by
/// one; a modifier that is not taken is an error. After an error, emission
/// continues with meaningless values.
class Emitter {
public:
  Emitter(FunctionContext &context, const Instruction &instruction,
          unsigned site);

  const Instruction &instruction;
  llvm::IRBuilder<> &builder;

  // Modifiers.
  bool take(llvm::StringRef modifier);
  /// The first of these that is there; "" where none is.
  llvm::StringRef takeOneOf(llvm::ArrayRef<llvm::StringRef> modifiers);
  /// The last modifier that is left, which must be a type.
  ScalarType takeType();
  llvm::ArrayRef<llvm::StringRef> getModifiers() const { return modifiers; }
  /// Rejects modifiers that were not taken.
  void finish();

  // Operands.
  unsigned getNumOperands() const { return instruction.operands.size(); }
  const Operand &getOperand(unsigned index);
  void expectOperands(unsigned least, unsigned most);
  /// The elements of a vector, or the operand itself.
  llvm::ArrayRef<Operand> getElements(const Operand &operand) const;
  /// Bits of an operand as iN. A register may be wider.
  llvm::Value *read(const Operand &operand, ScalarType type);
  llvm::Value *read(unsigned index, ScalarType type) {
    return read(getOperand(index), type);
  }
  llvm::Value *readInteger(unsigned index, unsigned bits);
  /// An operand as i64, zero-extended.
  llvm::Value *readWide(const Operand &operand, unsigned bits);
  /// An integer that is known from the text.
  std::optional<uint64_t> findConstant(const Operand &operand) const;
  /// Writes iN; a wider register is filled as the type says.
  void write(const Operand &operand, llvm::Value *value, bool isSigned = false);
  void write(unsigned index, llvm::Value *value, bool isSigned = false) {
    write(getOperand(index), value, isSigned);
  }

  // Values.
  llvm::IntegerType *getBits(unsigned bits) { return builder.getIntNTy(bits); }
  /// The bits of one element as a float or, for f64, a double.
  llvm::Value *toFloat(llvm::Value *bits, ScalarType element);
  llvm::Value *fromFloat(llvm::Value *value, ScalarType element);
  llvm::Value *flushDenormal(llvm::Value *value);
  llvm::Value *clampToUnit(llvm::Value *value);
  /// Puts elements into one integer, the first lowest; and the opposite.
  llvm::Value *pack(llvm::ArrayRef<llvm::Value *> elements, unsigned bits);
  llvm::SmallVector<llvm::Value *> unpack(llvm::Value *value, unsigned count);
  llvm::Value *callIntrinsic(llvm::Intrinsic::ID id,
                             llvm::ArrayRef<llvm::Value *> arguments) {
    return builder.CreateIntrinsic(id, {arguments.front()->getType()},
                                   arguments);
  }
  llvm::Value *callRuntime(llvm::StringRef name, llvm::Type *result,
                           llvm::ArrayRef<llvm::Value *> arguments);

  // Undefined values. Where they are not tracked, these give the value itself.
  /// A value that is undefined if a bit of an operand is: the memory sanitizer
  /// does not see what the runtime computes, and takes bits of floats apart.
  llvm::Value *dependOn(llvm::Value *value,
                        llvm::ArrayRef<llvm::Value *> operands);
  /// A value all of whose bits are undefined if one is.
  llvm::Value *spread(llvm::Value *value) { return dependOn(value, value); }
  /// The result of integer arithmetic that carries: the bits above an undefined
  /// one are undefined, too, which the memory sanitizer ignores.
  llvm::Value *carry(llvm::Value *value);
  /// A value that counts as defined.
  llvm::Value *freeze(llvm::Value *value);

  // The thread.
  llvm::Value *getFrame() { return context.frame; }
  llvm::Value *loadFrame(size_t offset, llvm::Type *type);
  /// Loads what the runtime keeps, which is always defined.
  llvm::Value *loadDefined(llvm::Type *type, llvm::Value *pointer);
  /// Tells which instruction the thread executes, for undefined branches.
  void tellSite();
  llvm::Value *loadSpecial(unsigned index);
  llvm::ConstantInt *getSite() { return builder.getInt32(site); }

  /// The instruction depends on when those of other clusters are executed.
  void meetClusters() { context.meetsClusters = true; }

  // Memory.
  /// The address that an operand in brackets names.
  llvm::Value *readAddress(const Operand &operand);
  /// True for a 32-bit register, which suffices for addresses in small spaces.
  bool isNarrowAddress(const Operand &operand) const;
  /// An address in the space that begins where the frame says; only its low 32
  /// bits may be known.
  llvm::Value *widenAddress(llvm::Value *address, unsigned frameOffset);
  /// The address in this process of an access of this many bytes. Does not
  /// return if the access is not allowed.
  llvm::Value *locate(const Operand &operand, Space space, unsigned bytes,
                      unsigned alignment, bool isParameter = false);
  /// Counts that a thread executes the instruction.
  void countExecution();
  /// True if generated code reports its accesses.
  bool tellsOfAccesses() const;
  /// Reports an access of this many bytes; `flags` are `AccessFlag`.
  void note(llvm::Value *pointer, unsigned bytes, unsigned flags);
  /// The same for a read that may be of global memory.
  void noteRead(llvm::Value *pointer, unsigned bytes);
  /// Checks that values are defined, before they are written.
  void checkOutput(llvm::Value *pointer, llvm::ArrayRef<llvm::Value *> values);
  /// Tells of a plain write of these values, before they are written.
  void noteStore(llvm::Value *pointer, llvm::ArrayRef<llvm::Value *> values);
  /// The number of a register that products use; none of others.
  std::optional<unsigned> findProductRegister(const Operand &operand);
  /// Tells that a product takes a register.
  void useInProduct(const Operand &operand, bool isResult);
  /// An address in parameters of the function, where it is one.
  const Symbol *findParameter(const Operand &operand) const;
  llvm::Value *readShared(const Operand &operand);

  // Control.
  llvm::BasicBlock *createBlock(const llvm::Twine &name = "");
  llvm::BasicBlock *findTarget(const Operand &operand);
  /// Before a branch that leads back.
  void burnFuel(llvm::BasicBlock *target);
  /// Lets other threads run.
  void pause();

  void fail(const llvm::Twine &message) { fail(instruction.where, message); }
  void fail(Position where, const llvm::Twine &message);

  FunctionContext &context;

private:
  llvm::Value *readName(const Operand &operand, ScalarType type);
  llvm::Value *readSpecial(llvm::StringRef name);
  void touch(const Operand &operand, bool writes);
  /// Stores values where collectives have their arguments; gives the bytes.
  unsigned storeArguments(llvm::ArrayRef<llvm::Value *> values);
  llvm::Value *fit(llvm::Value *value, unsigned bits, bool isSigned);

  unsigned site;
  llvm::SmallVector<llvm::StringRef> modifiers;
};

/// How instructions of one opcode are translated.
struct OpcodeRow {
  llvm::StringLiteral opcode;
  void (*emit)(Emitter &);
};

// The rows of each family.
llvm::ArrayRef<OpcodeRow> getControlRows();
llvm::ArrayRef<OpcodeRow> getMemoryRows();
llvm::ArrayRef<OpcodeRow> getBitRows();
llvm::ArrayRef<OpcodeRow> getConversionRows();
llvm::ArrayRef<OpcodeRow> getComparisonRows();
llvm::ArrayRef<OpcodeRow> getClusterLaunchOpcodes();
llvm::ArrayRef<OpcodeRow> getCarryRows();
llvm::ArrayRef<OpcodeRow> getCallRows();
/// The first of several words, which tells whether it carries; false where the
/// instruction is none.
bool emitFirstOfCarry(Emitter &emitter);
/// Arithmetic of whatever types; false where the opcode is none.
bool emitArithmetic(Emitter &emitter);
/// Emits an instruction in which several threads or asynchronous units take
/// part.
bool emitCollective(Emitter &emitter);

} // namespace gridir::ptx

#endif // GRIDIR_PYTHON_GRIDIR_RUNTIME_PTX_NATIVE_EMITTER_H
