//===- Translation.cpp - From the code of one thread to LLVM IR -----------===//
//
// Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Translation.h"

#include "Emitter.h"

#include "llvm/IR/Module.h"
#include "llvm/Support/MathExtras.h"

using namespace llvm;

namespace gridir::ptx {

namespace {

/// Rows of all families, by their opcodes.
const StringMap<void (*)(Emitter &)> &getRows() {
  static const auto *rows = [] {
    auto *result = new StringMap<void (*)(Emitter &)>;
    for (ArrayRef<OpcodeRow> family :
         {getControlRows(), getMemoryRows(), getBitRows(), getConversionRows(),
          getComparisonRows(), getClusterLaunchOpcodes(), getCarryRows(),
          getCallRows()})
      for (const OpcodeRow &row : family)
        (*result)[row.opcode] = row.emit;
    return result;
  }();
  return *rows;
}

/// A text in which functions call functions may have any number of copies.
constexpr size_t kMaxInstructions = 1'000'000, kMaxCalls = 256;

/// Memory that variables are laid out in one after another.
struct Layout {
  uint64_t bytes = 0;

  uint64_t add(const Variable &variable) {
    const uint64_t begin = alignTo(bytes, variable.alignment);
    bytes = begin + variable.getBytes();
    return begin;
  }
};

class FunctionTranslator {
public:
  FunctionTranslator(const Module &module, const Function &function,
                     const GlobalAddresses &globals, llvm::Function *result,
                     Instrumentation instrumentation, Problems &problems)
      : module(module), function(function), globals(globals),
        context{IRBuilder<>(result->getContext()),
                result,
                result->getArg(0),
                {},
                problems,
                {},
                nullptr,
                1,
                nullptr,
                nullptr,
                instrumentation} {}

  Translation run();

private:
  void declareParameters();
  void declare(const Variable &variable);
  void declareRegisters(const Variable &variable);
  void declareLabels(const Block &block);
  void add(const Variable &variable, StringRef name, Symbol symbol);
  void translateBlock(const Block &block);
  void declareTargets(const BranchTargets &targets);
  void translateLabel(const Label &label);
  void translateInstruction(const Instruction &instruction);
  void emit(Emitter &emitter);
  const Function *findCallee(const Instruction &call) const;
  void translateCall(Emitter &emitter, const Function &callee);
  void bind(Emitter &emitter, const Operand &actual, const Variable &formal,
            const Scopes &caller);

  const Module &module;
  const Function &function;
  const GlobalAddresses &globals;
  FunctionContext context;
  Layout shared, local;
  /// Offsets of variables in shared memory, which are the same in all calls of
  /// the function that declares them.
  llvm::DenseMap<const Variable *, uint64_t> sharedOffsets;
  /// The declarations of the text outside of functions.
  Scopes ofModule;
  /// The functions whose code is being translated, the innermost last.
  SmallVector<const Function *> callees;
  Translation translation;
};

void FunctionTranslator::add(const Variable &variable, StringRef name,
                             Symbol symbol) {
  symbol.type = variable.type;
  symbol.bytes = variable.getBytes();
  if (!context.scopes.declare(name, symbol))
    context.problems.push_back(
        {variable.where, "expected a name that is new in this block, "
                         "got '" +
                             name.str() + "'"});
}

void FunctionTranslator::declareRegisters(const Variable &variable) {
  auto declareOne = [&](StringRef name) {
    Symbol symbol;
    symbol.slot = context.builder.CreateAlloca(
        context.builder.getIntNTy(variable.type.bits));
    add(variable, name, symbol);
  };
  IRBuilder<>::InsertPointGuard guard(context.builder);
  BasicBlock &entry = context.function->getEntryBlock();
  context.builder.SetInsertPoint(&entry, entry.begin());
  if (!variable.numbered) {
    declareOne(variable.name);
    return;
  }
  for (uint64_t i = 0; i < *variable.numbered; ++i)
    declareOne(variable.name + std::to_string(i));
}

void FunctionTranslator::declare(const Variable &variable) {
  if (variable.space == "reg") {
    declareRegisters(variable);
    return;
  }
  Symbol symbol;
  if (variable.space == "shared" &&
      (variable.isExternal || variable.count == 0)) {
    symbol.kind = Symbol::Kind::DynamicShared;
  } else if (variable.space == "shared") {
    symbol.kind = Symbol::Kind::Shared;
    auto [offset, isNew] = sharedOffsets.try_emplace(&variable, 0);
    if (isNew)
      offset->second = shared.add(variable);
    symbol.address = offset->second;
  } else if (variable.space == "local" || variable.space == "param") {
    // Parameters of a call are memory of the caller.
    symbol.kind = Symbol::Kind::Local;
    symbol.address = local.add(variable);
  } else if (auto found = globals.find(variable.name); found != globals.end()) {
    symbol.kind = Symbol::Kind::Absolute;
    symbol.address = found->second;
  } else {
    context.problems.push_back(
        {variable.where, "a variable in '." + variable.space +
                             "' is not implemented here: '" + variable.name +
                             "'"});
    return;
  }
  add(variable, variable.name, symbol);
}

void FunctionTranslator::declareParameters() {
  for (auto [variable, layout] :
       llvm::zip(function.parameters, layOutParameters(function))) {
    Symbol symbol;
    symbol.kind = Symbol::Kind::Parameter;
    symbol.address = layout.offset;
    add(variable, variable.name, symbol);
  }
}

void FunctionTranslator::declareLabels(const Block &block) {
  for (const Statement &statement : block.statements) {
    const auto *label = std::get_if<Label>(&statement);
    if (!label)
      continue;
    BasicBlock *target = BasicBlock::Create(context.builder.getContext(),
                                            "label", context.function);
    if (!context.scopes.declareLabel(label->name, target))
      context.problems.push_back(
          {label->where, "expected a label that is new in this block, got '" +
                             label->name + "'"});
  }
}

/// The blocks that an indirect branch chooses from.
void FunctionTranslator::declareTargets(const BranchTargets &targets) {
  std::vector<BasicBlock *> blocks;
  for (const Operand &label : targets.labels) {
    BasicBlock *target = context.scopes.findLabel(label.name);
    if (target)
      blocks.push_back(target);
    else
      context.problems.push_back(
          {label.where, "expected a label, got '" + label.name + "'"});
  }
  context.scopes.declareTargets(targets.name, std::move(blocks));
}

void FunctionTranslator::translateLabel(const Label &label) {
  BasicBlock *target = context.scopes.findLabel(label.name);
  context.builder.CreateBr(target);
  context.builder.SetInsertPoint(target);
  context.passed.insert(target);
}

/// The list of results stands before the name.
static bool hasResults(const Instruction &call) {
  return call.operands.front().kind == Operand::Kind::Vector;
}

const Function *FunctionTranslator::findCallee(const Instruction &call) const {
  if (call.opcode != "call" || call.operands.size() <= hasResults(call))
    return nullptr;
  const std::string &name = call.operands[hasResults(call)].name;
  auto found = llvm::find_if(module.functions, [&](const Function &function) {
    return function.name == name && !function.isEntry && function.body;
  });
  return found == module.functions.end() ? nullptr : &*found;
}

/// Declares a parameter or a result of a function: a register, or the operand
/// of the call. A function may only write results.
void FunctionTranslator::bind(Emitter &emitter, const Operand &actual,
                              const Variable &formal, const Scopes &caller) {
  if (formal.space == "reg") {
    declareRegisters(formal);
    return;
  }
  const Symbol *symbol = caller.find(actual.name);
  if (symbol && symbol->kind == Symbol::Kind::Local &&
      symbol->bytes == formal.getBytes()) {
    add(formal, formal.name, *symbol);
    return;
  }
  emitter.fail(actual.where,
               "expected a variable of " + Twine(formal.getBytes()) +
                   " bytes in '.param', got '" + actual.name + "'");
  // So that its uses are no problems of their own.
  Variable variable = formal;
  variable.space = "local";
  declare(variable);
}

/// The code of the function, with names of its own, in the place of the call.
void FunctionTranslator::translateCall(Emitter &emitter,
                                       const Function &callee) {
  emitter.take("uni");
  const Instruction &call = emitter.instruction;
  const unsigned first = hasResults(call);
  ArrayRef<Operand> results, parameters;
  if (first)
    results = call.operands[0].elements;
  if (call.operands.size() > first + 1)
    parameters = emitter.getElements(call.operands[first + 1]);
  if (results.size() != callee.results.size() ||
      parameters.size() != callee.parameters.size()) {
    emitter.fail("expected " + Twine(callee.results.size()) + " results and " +
                 Twine(callee.parameters.size()) + " parameters of '" +
                 callee.name + "'");
    return;
  }
  if (llvm::is_contained(callees, &callee)) {
    emitter.fail("a call of '" + callee.name +
                 "', which calls itself, is not implemented");
    return;
  }
  if (callees.size() >= kMaxCalls ||
      translation.sites.size() > kMaxInstructions) {
    emitter.fail("expected at most " + Twine(kMaxCalls) + " nested calls and " +
                 Twine(kMaxInstructions) +
                 " instructions, where each call has a copy of its function");
    return;
  }
  IRBuilder<> &b = context.builder;
  SmallVector<Value *> values;
  for (auto [actual, formal] : llvm::zip(parameters, callee.parameters))
    values.push_back(formal.space == "reg" ? emitter.read(actual, formal.type)
                                           : nullptr);
  Scopes scopes = ofModule;
  std::swap(context.scopes, scopes);
  context.scopes.enter();
  for (auto [actual, formal] : llvm::zip(results, callee.results))
    bind(emitter, actual, formal, scopes);
  for (auto [actual, formal, value] :
       llvm::zip(parameters, callee.parameters, values)) {
    bind(emitter, actual, formal, scopes);
    if (value)
      b.CreateStore(value, context.scopes.find(formal.name)->slot);
  }
  BasicBlock *end = emitter.createBlock("returned");
  callees.push_back(&callee);
  std::swap(context.returnTarget, end);
  translateBlock(*callee.body);
  std::swap(context.returnTarget, end);
  callees.pop_back();
  b.CreateBr(end);
  b.SetInsertPoint(end);
  values.clear();
  for (const Variable &formal : callee.results)
    if (formal.space == "reg") {
      AllocaInst *slot = context.scopes.find(formal.name)->slot;
      values.push_back(b.CreateLoad(slot->getAllocatedType(), slot));
    } else {
      values.push_back(nullptr);
    }
  std::swap(context.scopes, scopes);
  for (auto [actual, formal, value] :
       llvm::zip(results, callee.results, values))
    if (value)
      emitter.write(actual, value, formal.type.isSigned());
}

void FunctionTranslator::emit(Emitter &emitter) {
  const std::string &opcode = emitter.instruction.opcode;
  if (const Function *callee = findCallee(emitter.instruction))
    translateCall(emitter, *callee);
  else if (auto found = getRows().find(opcode); found != getRows().end())
    found->second(emitter);
  else if (!emitCollective(emitter) && !emitArithmetic(emitter)) {
    std::string name = opcode;
    for (const std::string &modifier : emitter.instruction.modifiers)
      name += "." + modifier;
    emitter.fail("instruction '" + name + "' is not implemented");
    return;
  }
  emitter.finish();
}

void FunctionTranslator::translateInstruction(const Instruction &instruction) {
  const unsigned site = translation.sites.size();
  translation.sites.push_back(
      {instruction.where, instruction.source, instruction.text});
  Emitter emitter(context, instruction, site);
  emitter.tellSite();
  // A warp takes its time for lanes that a predicate leaves out, too.
  if (context.instrumentation.isProfiled) {
    IRBuilder<> &b = context.builder;
    Value *clock = b.CreateConstInBoundsGEP1_64(b.getInt8Ty(), context.frame,
                                                offsetof(Frame, clock));
    b.CreateStore(
        b.CreateAdd(b.CreateLoad(b.getInt64Ty(), clock), b.getInt64(1)), clock);
  }
  if (!instruction.guard) {
    emitter.countExecution();
    emit(emitter);
    return;
  }
  Value *guard =
      emitter.read(*instruction.guard, ScalarType{TypeKind::Predicate, 1, 1});
  BasicBlock *body = emitter.createBlock("guarded");
  BasicBlock *next = emitter.createBlock("next");
  context.builder.CreateCondBr(guard, body, next);
  context.builder.SetInsertPoint(body);
  emitter.countExecution();
  emit(emitter);
  context.builder.CreateBr(next);
  context.builder.SetInsertPoint(next);
}

/// Adds the names of registers that asynchronous products use.
static void collectProductNames(const Block &block, llvm::StringSet<> &names) {
  for (const Statement &statement : block.statements) {
    if (const auto *inner = std::get_if<std::unique_ptr<Block>>(&statement))
      collectProductNames(**inner, names);
    const auto *instruction = std::get_if<Instruction>(&statement);
    if (!instruction || instruction->opcode != "wgmma")
      continue;
    for (const Operand &operand : instruction->operands)
      if (operand.kind == Operand::Kind::Vector)
        for (const Operand &element : operand.elements)
          names.insert(element.name);
  }
}

void FunctionTranslator::translateBlock(const Block &block) {
  context.scopes.enter();
  declareLabels(block);
  for (const Statement &statement : block.statements) {
    if (const auto *variable = std::get_if<Variable>(&statement))
      declare(*variable);
    else if (const auto *label = std::get_if<Label>(&statement))
      translateLabel(*label);
    else if (const auto *targets = std::get_if<BranchTargets>(&statement))
      declareTargets(*targets);
    else if (const auto *instruction = std::get_if<Instruction>(&statement))
      translateInstruction(*instruction);
    else
      translateBlock(*std::get<std::unique_ptr<Block>>(statement));
  }
  context.scopes.leave();
}

Translation FunctionTranslator::run() {
  IRBuilder<> &b = context.builder;
  b.SetInsertPoint(
      BasicBlock::Create(b.getContext(), "entry", context.function));
  BasicBlock *start =
      BasicBlock::Create(b.getContext(), "start", context.function);
  context.arguments = b.CreateAlloca(b.getInt64Ty(), b.getInt32(1));
  b.CreateBr(start);
  b.SetInsertPoint(start);
  context.scopes.enter();
  for (const Variable &variable : module.variables)
    declare(variable);
  ofModule = context.scopes;
  context.scopes.enter();
  declareParameters();
  if (context.instrumentation.isChecked)
    for (const Function &each : module.functions)
      if (each.body)
        collectProductNames(*each.body, context.productNames);
  translateBlock(*function.body);
  b.CreateRetVoid();
  context.arguments->setOperand(0, b.getInt32(context.numArguments));
  translation.staticSharedBytes = shared.bytes;
  translation.localBytes = local.bytes;
  translation.meetsClusters = context.meetsClusters;
  return std::move(translation);
}

} // namespace

std::vector<ParameterLayout> layOutParameters(const Function &function) {
  std::vector<ParameterLayout> result;
  Layout layout;
  for (const Variable &parameter : function.parameters)
    result.push_back(
        {parameter.name, layout.add(parameter), parameter.getBytes()});
  return result;
}

Translation translate(const Module &module, const Function &function,
                      const GlobalAddresses &globals, llvm::Module &result,
                      StringRef name, Instrumentation instrumentation,
                      Problems &problems) {
  LLVMContext &context = result.getContext();
  auto *type = FunctionType::get(Type::getVoidTy(context),
                                 {PointerType::get(context, 0)}, false);
  auto *kernel =
      llvm::Function::Create(type, GlobalValue::ExternalLinkage, name, result);
  kernel->addFnAttr(Attribute::NoUnwind);
  if (instrumentation.isTracked)
    kernel->addFnAttr(Attribute::SanitizeMemory);
  Translation translation =
      FunctionTranslator(module, function, globals, kernel, instrumentation,
                         problems)
          .run();
  for (Problem &problem : problems)
    if (auto file = module.files.find(problem.source.file);
        file != module.files.end())
      problem.sourceFile = file->second;
  return translation;
}

} // namespace gridir::ptx
