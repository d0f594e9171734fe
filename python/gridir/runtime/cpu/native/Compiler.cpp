//===- Compiler.cpp - From a module to an object file ---------------------===//
//
// Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Compiler.h"

#include "CodeGen.h"
#include "TargetCPU.h"
#include "dialects/Driver/Recovery.h"
#include "dialects/Kernel/IR/Kernel.h"
#include "dialects/Register/Register.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/MLIRContext.h"
#include "mlir/IR/TypeUtilities.h"
#include "mlir/Parser/Parser.h"
#include "mlir/Target/LLVMIR/Dialect/Builtin/BuiltinToLLVMIRTranslation.h"
#include "mlir/Target/LLVMIR/Dialect/LLVMIR/LLVMToLLVMIRTranslation.h"
#include "mlir/Target/LLVMIR/Export.h"
#include "llvm/IR/LLVMContext.h"
#include "llvm/IR/Module.h"

using namespace mlir;

namespace gridir::cpu {

namespace {

/// Registering costs milliseconds and is not thread-safe: once per process.
const DialectRegistry &getRegistry() {
  static const DialectRegistry *registry = [] {
    auto *result = new DialectRegistry;
    gridir::registerAllDialects(*result);
    gridir::registerAllPasses();
    registerBuiltinDialectTranslation(*result);
    registerLLVMDialectTranslation(*result);
    return result;
  }();
  return *registry;
}

int64_t getBytesInMemory(Type element) {
  if (auto complex = dyn_cast<ComplexType>(element))
    return 2 * getBytesInMemory(complex.getElementType());
  if (element.isIndex())
    return sizeof(int64_t);
  // Sub-byte elements take a byte each in memory.
  return llvm::divideCeil(element.getIntOrFloatBitWidth(), 8);
}

PrintType readPrintType(Type type) {
  PrintType result;
  if (auto shaped = dyn_cast<ShapedType>(type))
    result.shape = shaped.getShape().vec();
  Type element = getElementTypeOrSelf(type);
  llvm::raw_string_ostream(result.element) << element;
  result.bytesPerElement = getBytesInMemory(element);
  return result;
}

PrintSite readPrintSite(Attribute attribute) {
  PrintSite site;
  if (auto print = dyn_cast<kernel::PrintAttr>(attribute)) {
    site.format = print.getFormat().str();
  } else {
    auto callback = cast<kernel::CallbackAttr>(attribute);
    site.callback = callback.getFunction().str();
    site.what = callback.getWhat().str();
  }
  for (Type type : kernel::getTypes(attribute))
    site.types.push_back(readPrintType(type));
  return site;
}

std::vector<std::string> readTexts(ArrayAttr attributes) {
  std::vector<std::string> texts;
  for (StringAttr text : attributes.getAsRange<StringAttr>())
    texts.push_back(text.str());
  return texts;
}

TaskInfo readTasks(kernel::ABIOp abi) {
  TaskInfo info;
  kernel::TasksAttr tasks = *abi.getTasks();
  info.seed = tasks.getSeed();
  for (auto kind : abi.getSharedMemory().getAsRange<kernel::SharedAttr>())
    info.shared.push_back({kind.getMembers(), kind.getBytes()});
  info.zeroedOperands = abi.getZeroedOperands().vec();
  info.races = tasks.getRaces();
  info.uninitialized = tasks.getUninitialized();
  info.clusterItems = tasks.getCluster();
  info.semaphores = tasks.getSemaphores();
  info.grid = abi.getGrid().vec();
  for (auto operand :
       abi.getUnwrittenOperands().getAsRange<kernel::UnwrittenAttr>()) {
    RankedTensorType type = operand.getType();
    info.unwritten.push_back({operand.getOperand(), operand.getName().str(),
                              type.getShape().vec(),
                              getBytesInMemory(type.getElementType())});
  }
  return info;
}

/// Reads the ABI of the kernel. A missing size was never planned, and has no
/// default.
FailureOr<KernelInfo> readKernelInfo(kernel::ABIOp abi) {
  if (!abi.getArenaBytes())
    return abi.emitError("expected arena_bytes, the size of the kernel's "
                         "arena");
  KernelInfo info;
  info.name = abi.getEntry().str();
  info.arenaBytes = *abi.getArenaBytes();
  info.hasShares = abi.getShares();
  if (abi.getTasks())
    info.tasks = readTasks(abi);
  info.alignedOperands = abi.getAlignedOperands().vec();
  info.diagnostics = readTexts(abi.getDiagnostics());
  info.accesses = readTexts(abi.getAccesses());
  for (Attribute site : abi.getPrints())
    info.prints.push_back(readPrintSite(site));
  return info;
}

/// Parses, lowers and generates code. On failure, emits a diagnostic and
/// records the step in `progress`.
FailureOr<KernelObject> compile(MLIRContext &context, StringRef source,
                                const CompileOptions &options,
                                const std::string &pipeline,
                                driver::Progress &progress) {
  progress.stage = "parse";
  OwningOpRef<ModuleOp> module = parseSourceString<ModuleOp>(
      source, ParserConfig(&context), "<gridir kernel>");
  if (!module)
    return failure();
  if (failed(driver::runPasses(*module, pipeline, progress)))
    return failure();
  FailureOr<kernel::ABIOp> abi = kernel::getABI(*module);
  if (failed(abi))
    return failure();
  FailureOr<KernelInfo> info = readKernelInfo(*abi);
  if (failed(info))
    return failure();
  // LLVM does not support it.
  (*abi)->erase();

  progress.stage = "translate";
  llvm::LLVMContext llvmContext;
  std::unique_ptr<llvm::Module> llvmModule =
      translateModuleToLLVMIR(*module, llvmContext, info->name);
  if (!llvmModule)
    return failure();

  progress.stage = "codegen";
  llvm::Expected<std::string> object =
      generateObject(*llvmModule, options, *info);
  if (!object)
    return emitError(module->getLoc()) << llvm::toString(object.takeError());
  return KernelObject{std::move(*info), std::move(*object)};
}

/// The options beside the pipeline, for the reader of a reproducer.
std::string describeOptions(const CompileOptions &options) {
  return ("cpu=" + llvm::Twine(options.cpu) + " features=" + options.features +
          " opt-level=" + llvm::Twine(options.optLevel) +
          " codegen-level=" + llvm::Twine(options.codegenLevel))
      .str();
}

} // namespace

std::variant<KernelObject, CompileFailure>
compileModule(std::string_view module, const CompileOptions &options) {
  llvm::Expected<std::string> pipeline = completePipeline(options);
  if (!pipeline)
    return CompileFailure{"pipeline",
                          {makeError(llvm::toString(pipeline.takeError()))}};
  driver::Input input{StringRef(module), *pipeline, describeOptions(options)};
  // The kernels are small and many may compile at once, each on a thread of its
  // caller: threads of the context's own would only contend.
  auto context = std::make_unique<MLIRContext>(
      getRegistry(), MLIRContext::Threading::DISABLED);
  FailureOr<KernelObject> object = failure();
  std::optional<CompileFailure> failed = driver::compileRecoverably(
      *context, input, [&](driver::Progress &progress) {
        object =
            compile(*context, input.module, options, input.pipeline, progress);
        return success(succeeded(object));
      });
  if (!failed)
    return std::move(*object);
  // A crashed compiler may be in any state, so it is not destroyed.
  if (failed->crash)
    (void)context.release();
  return std::move(*failed);
}

CompileFailure recordCrash(const std::string &signal, const std::string &stage,
                           std::string_view module,
                           const CompileOptions &options) {
  llvm::Expected<std::string> pipeline = completePipeline(options);
  return driver::recordCrash(
      signal, {stage, ""},
      {StringRef(module),
       pipeline ? *pipeline : llvm::toString(pipeline.takeError()),
       describeOptions(options)});
}

} // namespace gridir::cpu
