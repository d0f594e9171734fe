//===- Prints.cpp - What a kernel prints, kept until its call ends --------===//
//
// Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Prints.h"

#include <atomic>
#include <chrono>
#include <mutex>
#include <set>

using namespace std::chrono_literals;

namespace gridir::cpu {

static thread_local PrintBuffer *current = nullptr;
static std::atomic<PrintSink> printSink = nullptr;

/// The functions that kernels may call. Never destroyed: an XLA thread may load
/// a kernel while the process ends.
static auto &callbacks = *new std::set<std::string, std::less<>>;
static std::mutex callbacksMutex;

void addCallback(const std::string &identity) {
  std::lock_guard<std::mutex> lock(callbacksMutex);
  callbacks.insert(identity);
}

const PrintSite *findUnknownCallback(const KernelInfo &info) {
  std::lock_guard<std::mutex> lock(callbacksMutex);
  for (const PrintSite &site : info.prints)
    if (!site.callback.empty() && !callbacks.count(site.callback))
      return &site;
  return nullptr;
}

PrintScope::PrintScope(PrintBuffer *buffer) : outer(current) {
  current = buffer;
}

PrintScope::~PrintScope() { current = outer; }

void setPrintSink(PrintSink sink) { printSink = sink; }

void deliverPrints(const PrintBuffer &buffer) {
  if (PrintSink sink = printSink)
    sink(buffer);
}

//===----------------------------------------------------------------------===//
// Called by kernels
//===----------------------------------------------------------------------===//

static void printBegin(int64_t site) {
  if (current)
    current->records.push_back(
        {site, std::chrono::steady_clock::now().time_since_epoch() / 1ns, {}});
}

static void printValue(const void *data, int64_t numElements) {
  if (!current)
    return;
  PrintRecord &record = current->records.back();
  const PrintSite &site = current->kernel->info.prints[record.site];
  int64_t size = numElements * site.types[record.values.size()].bytesPerElement;
  record.values.emplace_back(static_cast<const char *>(data), size);
}

static void printEnd() {}

std::array<std::pair<const char *, void *>, 3> getPrintSymbols() {
  return {{{"gridirPrintBegin", reinterpret_cast<void *>(&printBegin)},
           {"gridirPrintValue", reinterpret_cast<void *>(&printValue)},
           {"gridirPrintEnd", reinterpret_cast<void *>(&printEnd)}}};
}

} // namespace gridir::cpu
