//===- TargetCPU.cpp - The CPU that code is generated for -----------------===//
//
// Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "TargetCPU.h"

#include "Compiler.h"
#include "HostCPU.h"
#include "dialects/CPU/Transforms/DotProducts.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/MC/MCSubtargetInfo.h"
#include "llvm/MC/TargetRegistry.h"
#include "llvm/Support/TargetSelect.h"
#include "llvm/Target/TargetMachine.h"
#include "llvm/TargetParser/Host.h"
#include "llvm/TargetParser/SubtargetFeature.h"

using namespace llvm;

namespace gridir::cpu {

namespace {

struct CPUName {
  const Target *target;
  Triple triple;
  std::string cpu;
  std::string features;
};

std::string listHostFeatures() {
  SubtargetFeatures features;
  for (const auto &[name, enabled] : getHostFeatures())
    features.AddFeature(name, enabled);
  return features.getString();
}

Expected<CPUName> findCPU(const CompileOptions &options) {
  initializeNativeTarget();
  CPUName result;
  result.triple = Triple(sys::getProcessTriple());
  std::string message;
  result.target = TargetRegistry::lookupTarget(result.triple, message);
  if (!result.target)
    return createStringError(message);
  bool isHost = options.cpu.empty();
  result.cpu = isHost ? sys::getHostCPUName().str() : options.cpu;
  result.features = isHost ? listHostFeatures() : std::string();
  if (!options.features.empty())
    result.features += (result.features.empty() ? "" : ",") + options.features;
  // LLVM itself would only print a warning about an unknown name.
  std::unique_ptr<MCSubtargetInfo> known(
      result.target->createMCSubtargetInfo(result.triple, "", ""));
  if (!known->isCPUStringValid(result.cpu))
    return createStringError("expected a CPU that LLVM knows, got " +
                             result.cpu);
  return result;
}

std::unique_ptr<MCSubtargetInfo> createSubtarget(const CPUName &name) {
  return std::unique_ptr<MCSubtargetInfo>(
      name.target->createMCSubtargetInfo(name.triple, name.cpu, name.features));
}

/// The instructions for sums of products that the CPU has and is fast with, by
/// their names. LLVM's fast register allocator cannot carry tiles around loops.
std::string listDotProducts(const MCSubtargetInfo &subtarget, int64_t bytes,
                            bool allocatesTiles) {
  auto has = [&](StringRef feature) {
    return !feature.empty() && subtarget.checkFeatures("+" + feature.str());
  };
  SmallVector<StringRef> names;
  for (const DotProduct &product : getDotProducts())
    if (product.bytes == bytes && has(product.feature) &&
        !has(product.slowWith) && (allocatesTiles || !product.hasTiles))
      names.push_back(product.name);
  return llvm::join(names, ",");
}

/// The width of registers for overlapping windows, or 0 for that of all. Like
/// the size of the caches, it is that of this machine, which runs the code,
/// regardless of the selected CPU.
int getOverlapBytes(int vectorBytes) {
  return vectorBytes == 64 && sys::getHostCPUName() == "znver5" ? 32 : 0;
}

/// A pipeline by its name, and options of it.
struct NamedPipeline {
  StringRef name, options;
};

/// None for a list of passes, and if the options already have the values that
/// the CPU would imply.
std::optional<NamedPipeline> readNamedPipeline(StringRef text) {
  auto [name, options] = text.split('{');
  if (name.empty() || name.find_first_of(",()}") != StringRef::npos)
    return std::nullopt;
  if (name.size() == text.size())
    return NamedPipeline{name, ""};
  if (!options.consume_back("}") ||
      options.find_first_of("{}") != StringRef::npos ||
      options.contains("vector-") || options.contains("dot-products") ||
      options.contains("cache-bytes") || options.contains("overlap-bytes"))
    return std::nullopt;
  return NamedPipeline{name, options};
}

} // namespace

void initializeNativeTarget() {
  static const bool initialized = [] {
    InitializeNativeTarget();
    InitializeNativeTargetAsmPrinter();
    return true;
  }();
  (void)initialized;
}

std::string describeHost() {
  return sys::getHostCPUName().str() + ";" + listHostFeatures() + ";" +
         std::to_string(getHostCacheBytes());
}

Expected<std::unique_ptr<TargetMachine>>
createTargetMachine(const CompileOptions &options) {
  Expected<CPUName> name = findCPU(options);
  if (!name)
    return name.takeError();
  std::optional<CodeGenOptLevel> level =
      CodeGenOpt::getLevel(static_cast<int>(options.codegenLevel));
  if (!level)
    return createStringError("expected a codegen level from 0 to 3, got %d",
                             static_cast<int>(options.codegenLevel));
  std::unique_ptr<TargetMachine> machine(name->target->createTargetMachine(
      name->triple, name->cpu, name->features, TargetOptions(), Reloc::PIC_,
      std::nullopt, *level, /*JIT=*/true));
  if (!machine)
    return createStringError("no code generator for " + name->triple.str());
  return machine;
}

Expected<std::vector<std::string>>
findMissingFeatures(const CompileOptions &options) {
  Expected<CPUName> name = findCPU(options);
  if (!name)
    return name.takeError();
  std::unique_ptr<MCSubtargetInfo> subtarget = createSubtarget(*name);
  std::vector<std::string> missing;
  for (const auto &[feature, enabled] : getHostFeatures())
    if (!enabled && subtarget->checkFeatures("+" + feature))
      missing.push_back(feature);
  return missing;
}

Expected<std::string> completePipeline(const CompileOptions &options) {
  // An explicit list of passes is used unchanged.
  std::optional<NamedPipeline> pipeline = readNamedPipeline(options.pipeline);
  if (!pipeline)
    return options.pipeline;
  Expected<CPUName> name = findCPU(options);
  if (!name)
    return name.takeError();
  std::unique_ptr<MCSubtargetInfo> subtarget = createSubtarget(*name);
  int bytes = 16, registers = 16;
  if (subtarget->checkFeatures("+avx512f"))
    bytes = 64, registers = 32;
  else if (subtarget->checkFeatures("+avx"))
    bytes = 32;
  std::string text = pipeline->name.str() + "{" + pipeline->options.str();
  if (!pipeline->options.empty())
    text += " ";
  text += "vector-bytes=" + std::to_string(bytes) +
          " vector-registers=" + std::to_string(registers) +
          " cache-bytes=" + std::to_string(getHostCacheBytes()) +
          " overlap-bytes=" + std::to_string(getOverlapBytes(bytes));
  std::string dotProducts =
      listDotProducts(*subtarget, bytes, options.codegenLevel > 0);
  if (!dotProducts.empty())
    text += " dot-products=" + dotProducts;
  return text + "}";
}

std::variant<std::string, CompileFailure>
getPipeline(const CompileOptions &options) {
  Expected<std::string> text = completePipeline(options);
  if (text)
    return *text;
  return CompileFailure{"pipeline", {makeError(toString(text.takeError()))}};
}

std::variant<std::vector<std::string>, CompileFailure>
getMissingFeatures(const CompileOptions &options) {
  Expected<std::vector<std::string>> missing = findMissingFeatures(options);
  if (missing)
    return *missing;
  return CompileFailure{"codegen", {makeError(toString(missing.takeError()))}};
}

} // namespace gridir::cpu
