//===- Prints.h - What a kernel prints, kept until its call ends ----------===//
//
// Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef GRIDIR_PYTHON_GRIDIR_RUNTIME_CPU_NATIVE_PRINTS_H
#define GRIDIR_PYTHON_GRIDIR_RUNTIME_CPU_NATIVE_PRINTS_H

#include "Kernel.h"

#include <array>
#include <utility>

namespace gridir::cpu {

/// One print that ran: the site, when in nanoseconds, and the bytes of its
/// values.
struct PrintRecord {
  int64_t site;
  int64_t time;
  std::vector<std::string> values;
};

/// The prints of one call of one kernel, in order.
struct PrintBuffer {
  const Kernel *kernel = nullptr;
  std::vector<PrintRecord> records;
};

/// Makes `buffer` (or none) receive the prints of this thread while it lives.
class PrintScope {
public:
  explicit PrintScope(PrintBuffer *buffer);
  ~PrintScope();
  PrintScope(const PrintScope &) = delete;
  PrintScope &operator=(const PrintScope &) = delete;

private:
  PrintBuffer *outer;
};

/// Makes the function of that identity known, so that kernels may call it.
void addCallback(const std::string &identity);

/// The first site of a kernel that calls a function which this process does not
/// have; null when it has all of them.
const PrintSite *findUnknownCallback(const KernelInfo &info);

/// Receives the prints of a call after it has ended, on the thread that ran it.
using PrintSink = void (*)(const PrintBuffer &buffer);
void setPrintSink(PrintSink sink);
void deliverPrints(const PrintBuffer &buffer);

/// The functions that a kernel calls to print, for the linker.
std::array<std::pair<const char *, void *>, 3> getPrintSymbols();

} // namespace gridir::cpu

#endif // GRIDIR_PYTHON_GRIDIR_RUNTIME_CPU_NATIVE_PRINTS_H
