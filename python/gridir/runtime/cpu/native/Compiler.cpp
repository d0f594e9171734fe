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
#include "dialects/Register/Register.h"
#include "dialects/Support/CountAttributes.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/MLIRContext.h"
#include "mlir/IR/Verifier.h"
#include "mlir/Parser/Parser.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Pass/PassRegistry.h"
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

bool hasBytes(Type element) {
  return element.isIntOrIndexOrFloat() || isa<ComplexType>(element);
}

int64_t getBytesInMemory(Type element) {
  if (auto complex = dyn_cast<ComplexType>(element))
    return 2 * getBytesInMemory(complex.getElementType());
  if (element.isIndex())
    return sizeof(int64_t);
  // Sub-byte elements take a byte each in memory.
  return llvm::divideCeil(element.getIntOrFloatBitWidth(), 8);
}

FailureOr<PrintType> readPrintType(Attribute attribute) {
  auto typeAttr = dyn_cast<TypeAttr>(attribute);
  if (!typeAttr)
    return failure();
  Type type = typeAttr.getValue();
  PrintType result;
  if (auto shaped = dyn_cast<ShapedType>(type)) {
    if (!shaped.hasStaticShape())
      return failure();
    result.shape = shaped.getShape().vec();
    type = shaped.getElementType();
  }
  if (!hasBytes(type))
    return failure();
  llvm::raw_string_ostream(result.element) << type;
  result.bytesPerElement = getBytesInMemory(type);
  return result;
}

FailureOr<PrintSite> readPrintSite(Attribute attribute) {
  auto dictionary = dyn_cast<DictionaryAttr>(attribute);
  if (!dictionary)
    return failure();
  auto format = dictionary.getAs<StringAttr>("format");
  auto callback = dictionary.getAs<StringAttr>("callback");
  auto what = dictionary.getAs<StringAttr>("what");
  auto types = dictionary.getAs<ArrayAttr>("types");
  // A format, or a callback with the text that says what it is.
  if (!types || bool(format) == bool(callback) || bool(callback) != bool(what))
    return failure();
  PrintSite site;
  if (format) {
    site.format = format.str();
  } else {
    site.callback = callback.str();
    site.what = what.str();
  }
  for (Attribute type : types) {
    FailureOr<PrintType> printType = readPrintType(type);
    if (failed(printType))
      return failure();
    site.types.push_back(std::move(*printType));
  }
  return site;
}

FailureOr<UnwrittenOperand> readUnwrittenOperand(Attribute attribute) {
  auto dictionary = dyn_cast<DictionaryAttr>(attribute);
  if (!dictionary)
    return failure();
  auto operand = dictionary.getAs<IntegerAttr>("operand");
  auto name = dictionary.getAs<StringAttr>("name");
  auto type = dictionary.getAs<TypeAttr>("type");
  auto array = type ? dyn_cast<RankedTensorType>(type.getValue()) : nullptr;
  std::optional<int64_t> number =
      operand ? operand.getValue().trySExtValue() : std::nullopt;
  if (!number || !name || !array || !array.hasStaticShape() ||
      !hasBytes(array.getElementType()))
    return failure();
  return UnwrittenOperand{*number, name.str(), array.getShape().vec(),
                          getBytesInMemory(array.getElementType())};
}

LogicalResult readTexts(ModuleOp module, StringRef name,
                        std::vector<std::string> &texts) {
  if (auto attributes = module->getAttrOfType<ArrayAttr>(name))
    for (Attribute attribute : attributes) {
      auto text = dyn_cast<StringAttr>(attribute);
      if (!text)
        return module.emitError("expected ")
               << name << " to hold strings, got " << attribute;
      texts.push_back(text.str());
    }
  return success();
}

/// Reads what convert-grid-to-loops and the passes after it wrote on the
/// module.
FailureOr<KernelInfo> readKernelInfo(ModuleOp module) {
  KernelInfo info;
  auto name = module->getAttrOfType<StringAttr>("gridir.kernel");
  if (!name)
    return module.emitError(
        "expected the attribute gridir.kernel, the name of the kernel");
  info.name = name.str();
  info.arenaBytes = getCount(module, "gridir.arena_bytes").value_or(0);
  info.hasShares = module->hasAttr("gridir.shares");
  if (auto tasks = module->getAttrOfType<DictionaryAttr>("gridir.tasks")) {
    info.tasks.emplace();
    if (auto seed = tasks.getAs<IntegerAttr>("seed"))
      info.tasks->seed = seed.getValue().trySExtValue();
    info.tasks->sharedBytes =
        getCount(module, "gridir.shared_bytes").value_or(0);
    if (auto zeroed =
            module->getAttrOfType<DenseI64ArrayAttr>("gridir.zeroed_operands"))
      info.tasks->zeroedOperands = zeroed.asArrayRef().vec();
    info.tasks->races = tasks.contains("races");
    info.tasks->uninitialized = tasks.contains("uninitialized");
    if (auto grid = module->getAttrOfType<DenseI64ArrayAttr>("gridir.grid"))
      info.tasks->grid = grid.asArrayRef().vec();
    if (auto operands = module->getAttrOfType<ArrayAttr>("gridir.unwritten"))
      for (Attribute attribute : operands) {
        FailureOr<UnwrittenOperand> operand = readUnwrittenOperand(attribute);
        if (failed(operand))
          return module.emitError("expected gridir.unwritten to hold an "
                                  "operand, its name and its type, got ")
                 << attribute;
        info.tasks->unwritten.push_back(std::move(*operand));
      }
  }
  if (failed(readTexts(module, "gridir.diagnostics", info.diagnostics)) ||
      failed(readTexts(module, "gridir.accesses", info.accesses)))
    return failure();
  if (auto sites = module->getAttrOfType<ArrayAttr>("gridir.prints"))
    for (Attribute attribute : sites) {
      FailureOr<PrintSite> site = readPrintSite(attribute);
      if (failed(site))
        return module.emitError("expected gridir.prints to hold a format or a "
                                "callback, and static types, got ")
               << attribute;
      info.prints.push_back(std::move(*site));
    }
  if (info.arenaBytes < 0 || (info.tasks && info.tasks->sharedBytes < 0))
    return module.emitError("expected gridir.arena_bytes and "
                            "gridir.shared_bytes not to be negative");
  return info;
}

/// Parses, lowers and generates code; a diagnostic is emitted on failure and
/// `progress` says how far it came.
FailureOr<KernelObject> compile(MLIRContext &context, StringRef source,
                                const CompileOptions &options,
                                const std::string &pipeline,
                                driver::Progress &progress) {
  progress.stage = "parse";
  OwningOpRef<ModuleOp> module = parseSourceString<ModuleOp>(
      source, ParserConfig(&context), "<gridir kernel>");
  if (!module)
    return failure();
  Location loc = module->getLoc();

  progress.stage = "pipeline";
  PassManager passManager(&context, ModuleOp::getOperationName());
  driver::recordPasses(passManager, progress);
  std::string message;
  llvm::raw_string_ostream messageStream(message);
  if (!pipeline.empty() &&
      failed(parsePassPipeline(pipeline, passManager, messageStream)))
    return emitError(loc) << message;

  progress.stage = "passes";
  // Checked once at the end rather than after each pass: a tenth of the time.
  passManager.enableVerifier(false);
  if (failed(passManager.run(*module)) || failed(verify(*module)))
    return failure();
  FailureOr<KernelInfo> info = readKernelInfo(*module);
  if (failed(info))
    return failure();

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
    return emitError(loc) << llvm::toString(object.takeError());
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
  // What crashed may be in any state: it is left as it is.
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
