//===- SimilarPasses.cpp - Names that a person may have meant -------------===//
//
// Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dialects/Driver/SimilarPasses.h"

#include "mlir/Pass/PassRegistry.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/CommandLine.h"

#include <mutex>

using namespace mlir;
using namespace gridir;

static bool isPass(StringRef name) {
  return PassInfo::lookup(name) || PassPipelineInfo::lookup(name);
}

static std::vector<std::string> getPassOptions() {
  std::vector<std::string> names;
  for (auto &entry : llvm::cl::getRegisteredOptions())
    if (isPass(entry.first))
      names.push_back(entry.first.str());
  return names;
}

/// Returns the names of all passes and pipelines. MLIR lists its registry only
/// as options of a command line, which gridir-opt has and a library has not.
static std::vector<std::string> listPasses() {
  // Registering options is not safe in several threads.
  static std::mutex mutex;
  std::lock_guard<std::mutex> lock(mutex);
  std::vector<std::string> names = getPassOptions();
  if (!names.empty())
    return names;
  PassPipelineCLParser options("", "passes");
  names = getPassOptions();
  // Another command line of this process may register the same names.
  for (StringRef name : {names.empty() ? StringRef() : StringRef(names.front()),
                         StringRef("pass-pipeline")})
    if (llvm::cl::Option *option =
            llvm::cl::getRegisteredOptions().lookup(name))
      option->removeArgument();
  return names;
}

/// Returns the name that is most like `name`; "" if none is like it.
static std::string findSimilar(StringRef name,
                               const std::vector<std::string> &names) {
  std::string best;
  unsigned least = std::max<size_t>(2, name.size() / 3) + 1;
  for (const std::string &other : names) {
    unsigned distance = name.edit_distance(other, true, least);
    if (distance < least || (distance == least && other < best)) {
      least = distance;
      best = other;
    }
  }
  return best;
}

std::vector<std::string> driver::findSimilarPasses(StringRef pipeline) {
  std::vector<std::string> names = listPasses(), similar;
  auto isInName = [](char c) {
    return llvm::isAlnum(c) || c == '-' || c == '_' || c == '.';
  };
  int depth = 0;
  while (!pipeline.empty()) {
    if (!isInName(pipeline.front())) {
      depth += (pipeline.front() == '{') - (pipeline.front() == '}');
      pipeline = pipeline.drop_front();
      continue;
    }
    StringRef name = pipeline.take_while(isInName);
    pipeline = pipeline.drop_front(name.size());
    // A name followed by a list of passes is an op.
    if (depth > 0 || pipeline.starts_with("(") || isPass(name))
      continue;
    if (std::string found = findSimilar(name, names); !found.empty())
      similar.push_back(std::move(found));
  }
  return similar;
}
