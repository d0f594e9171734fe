//===- CodeGen.cpp - From an LLVM module to an object file ----------------===//
//
// Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "CodeGen.h"

#include "Compiler.h"
#include "LargeFunctions.h"
#include "TargetCPU.h"

#include "llvm/IR/DiagnosticHandler.h"
#include "llvm/IR/DiagnosticInfo.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/LegacyPassManager.h"
#include "llvm/IR/Module.h"
#include "llvm/Passes/PassBuilder.h"
#include "llvm/Target/TargetMachine.h"

#include <cinttypes>

using namespace llvm;

namespace gridir::cpu {

namespace {

/// Operands of the kernel that the runtime adds to those of the call: status,
/// lo, hi and arena.
constexpr unsigned kNumRuntimeOperands = 4;

/// Loads operand `index` of the packed array.
Value *loadOperand(IRBuilder<> &builder, Value *operands, unsigned index) {
  Value *address =
      builder.CreateConstInBoundsGEP1_64(builder.getPtrTy(), operands, index);
  return builder.CreateLoad(builder.getPtrTy(), address);
}

Function *createEntry(Module &module, StringRef name, FunctionType *type) {
  auto *entry =
      Function::Create(type, GlobalValue::ExternalLinkage, name, module);
  BasicBlock::Create(module.getContext(), "entry", entry);
  return entry;
}

/// Adds `gridir.invoke` and `gridir.range`, which take the operands as an array
/// of pointers, so that the runtime can call a kernel with any number of them.
Error addPackedEntries(Module &module, KernelInfo &info) {
  Function *kernel = module.getFunction(info.name);
  Function *range = module.getFunction(info.name + ".range");
  if (!kernel || kernel->isDeclaration() || !range || range->isDeclaration())
    return createStringError("expected functions @%s and @%s.range",
                             info.name.c_str(), info.name.c_str());
  unsigned numOperands = range->arg_size();
  if (kernel->arg_size() != numOperands + kNumRuntimeOperands)
    return createStringError(
        "expected @%s to take the %u operands of @%s.range, status, lo, hi and "
        "arena; got %u operands",
        info.name.c_str(), numOperands, info.name.c_str(),
        static_cast<unsigned>(kernel->arg_size()));
  info.numOperands = numOperands;
  if (info.tasks)
    for (int64_t operand : info.tasks->zeroedOperands)
      if (operand < 0 || operand >= numOperands)
        return createStringError(
            "expected zeroed_operands to be below %u, got %" PRId64,
            numOperands, operand);

  IRBuilder<> builder(module.getContext());
  Type *pointer = builder.getPtrTy(), *i64 = builder.getInt64Ty();

  // Only the two entries are called from outside.
  for (Function &function : module)
    if (!function.isDeclaration())
      function.setLinkage(GlobalValue::InternalLinkage);

  Function *entry = createEntry(
      module, kInvokeSymbol,
      FunctionType::get(builder.getVoidTy(),
                        {pointer, pointer, i64, i64, pointer}, false));
  builder.SetInsertPoint(&entry->getEntryBlock());
  SmallVector<Value *> arguments;
  for (unsigned i = 0; i < numOperands; ++i)
    arguments.push_back(loadOperand(builder, entry->getArg(0), i));
  for (unsigned i = 0; i < kNumRuntimeOperands; ++i)
    arguments.push_back(entry->getArg(1 + i));
  builder.CreateCall(kernel, arguments);
  builder.CreateRetVoid();

  entry = createEntry(module, kRangeSymbol,
                      FunctionType::get(i64, {pointer}, false));
  builder.SetInsertPoint(&entry->getEntryBlock());
  arguments.clear();
  for (unsigned i = 0; i < numOperands; ++i)
    arguments.push_back(loadOperand(builder, entry->getArg(0), i));
  builder.CreateRet(builder.CreateCall(range, arguments));
  return Error::success();
}

/// Adds the frame sizes of all compiled functions. Kernels are not recursive,
/// so this bounds the stack.
class FrameSizes : public DiagnosticHandler {
public:
  explicit FrameSizes(int64_t &bytes) : bytes(bytes) {}

  bool handleDiagnostics(const DiagnosticInfo &info) override {
    auto *limit = dyn_cast<DiagnosticInfoResourceLimit>(&info);
    if (!limit || info.getKind() != DK_StackSize)
      return false;
    bytes += limit->getResourceSize();
    return true;
  }

private:
  int64_t &bytes;
};

} // namespace

void setTarget(Module &module, TargetMachine &machine) {
  module.setTargetTriple(machine.getTargetTriple());
  module.setDataLayout(machine.createDataLayout());
  for (Function &function : module) {
    if (function.isDeclaration())
      continue;
    function.addFnAttr("target-cpu", machine.getTargetCPU());
    function.addFnAttr("target-features", machine.getTargetFeatureString());
    // LLVM reports each frame that is larger than this.
    function.addFnAttr("warn-stack-size", "0");
  }
}

void runPasses(Module &module, TargetMachine &machine, StringRef pipeline) {
  PassBuilder passBuilder(&machine);
  LoopAnalysisManager loopAnalyses;
  FunctionAnalysisManager functionAnalyses;
  CGSCCAnalysisManager cgsccAnalyses;
  ModuleAnalysisManager moduleAnalyses;
  passBuilder.registerModuleAnalyses(moduleAnalyses);
  passBuilder.registerCGSCCAnalyses(cgsccAnalyses);
  passBuilder.registerFunctionAnalyses(functionAnalyses);
  passBuilder.registerLoopAnalyses(loopAnalyses);
  passBuilder.crossRegisterProxies(loopAnalyses, functionAnalyses,
                                   cgsccAnalyses, moduleAnalyses);
  ModulePassManager passes;
  cantFail(passBuilder.parsePassPipeline(passes, pipeline));
  passes.run(module, moduleAnalyses);
}

Expected<std::string> emitObject(Module &module, TargetMachine &machine,
                                 int64_t &stackBytes) {
  SmallVector<char, 0> object;
  raw_svector_ostream stream(object);
  legacy::PassManager passManager;
  if (machine.addPassesToEmitFile(passManager, stream, nullptr,
                                  CodeGenFileType::ObjectFile))
    return createStringError("the code generator cannot write object files");
  std::unique_ptr<DiagnosticHandler> outer =
      module.getContext().getDiagnosticHandler();
  module.getContext().setDiagnosticHandler(
      std::make_unique<FrameSizes>(stackBytes));
  passManager.run(module);
  module.getContext().setDiagnosticHandler(std::move(outer));
  return std::string(object.begin(), object.end());
}

Expected<std::string> generateObject(Module &module,
                                     const CompileOptions &options,
                                     KernelInfo &info) {
  if (options.optLevel < 0 || options.optLevel > 3)
    return createStringError("expected an optimization level from 0 to 3, got "
                             "%d",
                             static_cast<int>(options.optLevel));
  Expected<std::unique_ptr<TargetMachine>> machine =
      createTargetMachine(options);
  if (!machine)
    return machine.takeError();
  if (Error error = addPackedEntries(module, info))
    return error;
  splitLargeFunctions(module);
  setTarget(module, **machine);

  if (options.optLevel > 0)
    runPasses(module, **machine,
              "default<O" + std::to_string(options.optLevel) + ">");

  return emitObject(module, **machine, info.stackBytes);
}

} // namespace gridir::cpu
