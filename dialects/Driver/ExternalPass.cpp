//===- ExternalPass.cpp - Passes of other languages -----------------------===//
//
// Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dialects/Driver/ExternalPass.h"

#include "mlir/Pass/Pass.h"
#include "mlir/Pass/PassRegistry.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringMap.h"

#include <deque>
#include <mutex>

using namespace mlir;
using namespace gridir;

namespace {

/// The external passes of this process. A pass manager keeps the pass that it
/// has if a new one is registered.
class ExternalPasses {
public:
  struct Entry {
    TypeID id;
    std::shared_ptr<const driver::ExternalPass> pass;
  };

  static ExternalPasses &get() {
    static ExternalPasses passes;
    return passes;
  }

  std::optional<Entry> lookup(StringRef argument) {
    std::lock_guard<std::mutex> lock(mutex);
    auto found = entries.find(argument);
    if (found == entries.end())
      return std::nullopt;
    return found->second;
  }

  void set(std::shared_ptr<const driver::ExternalPass> pass) {
    std::lock_guard<std::mutex> lock(mutex);
    StringRef argument = pass->argument;
    auto found = entries.find(argument);
    if (found == entries.end())
      entries.try_emplace(argument, Entry{ids.allocate(), std::move(pass)});
    else
      found->second.pass = std::move(pass);
  }

private:
  std::mutex mutex;
  TypeIDAllocator ids;
  llvm::StringMap<Entry> entries;
};

class CallingPass final : public Pass {
public:
  explicit CallingPass(ExternalPasses::Entry entry)
      : Pass(entry.id, entry.pass->anchor.empty()
                           ? std::nullopt
                           : std::optional<StringRef>(entry.pass->anchor)),
        entry(entry), pass(*this->entry.pass) {
    for (const driver::ExternalPass::Option &option : pass.options)
      options.emplace_back(*this, option.name,
                           llvm::cl::desc(option.description),
                           llvm::cl::init(option.defaultValue));
    for (const driver::ExternalPass::Statistic &statistic : pass.statistics)
      statistics.emplace_back(this, statistic.name.c_str(),
                              statistic.description.c_str());
  }

  StringRef getName() const override { return pass.name; }
  StringRef getArgument() const override { return pass.argument; }
  StringRef getDescription() const override { return pass.summary; }

  bool canScheduleOn(RegisteredOperationName name) const override {
    return pass.anchor.empty() || name.getStringRef() == pass.anchor;
  }

  std::unique_ptr<Pass> clonePass() const override {
    return std::make_unique<CallingPass>(entry);
  }

  LogicalResult initializeOptions(
      StringRef text,
      function_ref<LogicalResult(const Twine &)> errorHandler) override {
    if (failed(Pass::initializeOptions(text, errorHandler)))
      return failure();
    std::string problem = pass.check(getValues());
    return problem.empty() ? success() : errorHandler(problem);
  }

  void runOnOperation() override {
    driver::ExternalPass::Result result = pass.run(getOperation(), getValues());
    // An outer guard recovers from the crash and discards the IR.
    if (result.crash)
      llvm::report_fatal_error(StringRef(*result.crash),
                               /*gen_crash_diag=*/false);
    for (auto [statistic, count] : llvm::zip(statistics, result.counts))
      statistic += count;
    if (!result.succeeded)
      signalPassFailure();
  }

private:
  std::vector<std::string> getValues() const {
    std::vector<std::string> values;
    for (const Option<std::string> &option : options)
      values.push_back(option.getValue());
    return values;
  }

  ExternalPasses::Entry entry;
  const driver::ExternalPass &pass;
  std::deque<Option<std::string>> options;
  std::deque<Statistic> statistics;
};

} // namespace

bool driver::registerExternalPass(ExternalPass pass) {
  ExternalPasses &passes = ExternalPasses::get();
  std::string argument = pass.argument;
  bool isNew = !isExternalPass(argument);
  if (isNew &&
      (PassInfo::lookup(argument) || PassPipelineInfo::lookup(argument)))
    return false;
  passes.set(std::make_shared<const ExternalPass>(std::move(pass)));
  if (isNew)
    registerPass([argument, &passes] {
      return std::make_unique<CallingPass>(*passes.lookup(argument));
    });
  return true;
}

bool driver::isExternalPass(StringRef argument) {
  return ExternalPasses::get().lookup(argument).has_value();
}

bool driver::namesExternalPass(StringRef pipeline) {
  auto isInName = [](char c) { return llvm::isAlnum(c) || c == '-'; };
  while (!pipeline.empty()) {
    pipeline = pipeline.drop_until(isInName);
    StringRef name = pipeline.take_while(isInName);
    if (isExternalPass(name))
      return true;
    pipeline = pipeline.drop_front(name.size());
  }
  return false;
}
