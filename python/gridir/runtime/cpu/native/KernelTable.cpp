//===- KernelTable.cpp - The kernels of the process by key ----------------===//
//
// Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "KernelTable.h"

#include "Jit.h"
#include "ObjectCache.h"
#include "Prints.h"
#include "TargetCPU.h"
#include "dialects/Driver/ExternalPass.h"

#include "llvm/ADT/StringExtras.h"

#include <map>
#include <memory>
#include <mutex>

namespace gridir::cpu {

namespace {

/// One key. The mutex is held while its kernel is being made.
struct Slot {
  std::mutex mutex;
  std::unique_ptr<Kernel> kernel;

  const Kernel *keep(std::unique_ptr<Kernel> made,
                     const CompileOptions &options) {
    kernel = std::move(made);
    kernel->reportsRaces = options.reportsRaces;
    return kernel.get();
  }
};

Slot &getSlot(std::string_view key) {
  static std::mutex mutex;
  // Never destroyed: an XLA thread may run a kernel while the process ends.
  static auto *slots =
      new std::map<std::string, std::unique_ptr<Slot>, std::less<>>;
  std::lock_guard<std::mutex> lock(mutex);
  auto it = slots->find(key);
  if (it == slots->end())
    it = slots->emplace(std::string(key), std::make_unique<Slot>()).first;
  return *it->second;
}

/// Makes an object ready to run, if this machine has the instructions that it
/// may be made of.
llvm::Expected<std::unique_ptr<Kernel>> link(const KernelObject &object,
                                             const CompileOptions &options) {
  llvm::Expected<std::vector<std::string>> missing =
      findMissingFeatures(options);
  if (!missing)
    return missing.takeError();
  if (!missing->empty())
    return llvm::createStringError(
        "expected code that this machine can run, got code for " +
        (options.cpu.empty() ? options.features : options.cpu) +
        ", which may use " + llvm::join(*missing, ", "));
  return linkObject(object);
}

} // namespace

static CompileFailure describeLinkFailure(llvm::Error error,
                                          std::string_view module,
                                          const CompileOptions &options) {
  bool isCrash = error.isA<LinkerCrash>();
  std::string message = llvm::toString(std::move(error));
  if (!isCrash)
    return CompileFailure{"link", {makeError(message)}};
  return recordCrash(message, "link", module, options);
}

/// The reason why a kernel may not run here; none if this process has its
/// callbacks.
static std::optional<CompileFailure> checkCallbacks(const Kernel &kernel) {
  const PrintSite *site = findUnknownCallback(kernel.info);
  if (!site)
    return std::nullopt;
  return CompileFailure{
      "link",
      {makeError("expected " + site->what +
                 " in this process, got a kernel that another one lowered")}};
}

const char *toText(KernelOrigin origin) {
  switch (origin) {
  case KernelOrigin::Memory:
    return "memory";
  case KernelOrigin::Disk:
    return "disk";
  case KernelOrigin::Compiled:
    return "compiled";
  }
  return "";
}

std::variant<ReadyKernel, CompileFailure>
getKernel(std::string_view key, std::string_view module,
          const CompileOptions &options) {
  Slot &slot = getSlot(key);
  std::lock_guard<std::mutex> lock(slot.mutex);
  if (slot.kernel)
    return ReadyKernel{slot.kernel.get(), KernelOrigin::Memory, {}};

  ObjectCache cache;
  std::string objectKey = getObjectKey(module, options);
  // The key does not distinguish versions of a pass in Python.
  bool isCached = !driver::namesExternalPass(options.pipeline);
  std::optional<KernelObject> object;
  if (isCached)
    object = cache.read(objectKey);
  if (object) {
    llvm::Expected<std::unique_ptr<Kernel>> kernel = link(*object, options);
    if (kernel) {
      if (std::optional<CompileFailure> failure = checkCallbacks(**kernel))
        return std::move(*failure);
      return ReadyKernel{
          slot.keep(std::move(*kernel), options), KernelOrigin::Disk, {}};
    }
    // Compile again if an entry does not link.
    llvm::consumeError(kernel.takeError());
  }

  std::variant<KernelObject, CompileFailure> result =
      compileModule(module, options);
  if (auto *failure = std::get_if<CompileFailure>(&result))
    return std::move(*failure);
  const KernelObject &compiled = std::get<KernelObject>(result);
  llvm::Expected<std::unique_ptr<Kernel>> kernel = link(compiled, options);
  if (!kernel)
    return describeLinkFailure(kernel.takeError(), module, options);
  if (std::optional<CompileFailure> failure = checkCallbacks(**kernel))
    return std::move(*failure);
  if (isCached)
    cache.write(objectKey, compiled);
  return ReadyKernel{slot.keep(std::move(*kernel), options),
                     KernelOrigin::Compiled, cache.getProblem()};
}

} // namespace gridir::cpu
