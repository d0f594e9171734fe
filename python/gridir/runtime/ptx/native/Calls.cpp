//===- Calls.cpp - Functions that every program may call -------------------- -===//
//
// Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Calls.h"

#include "Emitter.h"
#include "Execution.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/MathExtras.h"

#include <cstdio>

using namespace llvm;

namespace gridir::ptx {

namespace {

// At run time.

constexpr size_t kMaxText = 4096;

/// Memory that a thread gives to a function, which it may read.
class Reader {
public:
  Reader(Frame *frame, uint32_t site)
      : thread(*reinterpret_cast<Thread *>(frame)), site(site) {}

  template <typename T> T read(uint64_t address) const {
    T value;
    std::memcpy(&value,
                Execution::getCurrent()->locate(thread, address, Space::Generic,
                                                sizeof(T), 1, site),
                sizeof(T));
    return value;
  }
  std::string readText(uint64_t address) const {
    std::string text;
    while (text.size() < kMaxText)
      if (char c = read<char>(address + text.size()))
        text.push_back(c);
      else
        break;
    return text;
  }
  void fail(const std::string &message) const {
    Execution::getCurrent()->fail(thread, site, message);
  }

private:
  Thread &thread;
  uint32_t site;
};

/// Arguments that lie one after another, each at a multiple of its size.
struct ArgumentList {
  const Reader &reader;
  uint64_t next;

  template <typename T> T take() {
    next = alignTo(next, sizeof(T));
    next += sizeof(T);
    return reader.read<T>(next - sizeof(T));
  }
};

/// The size of a GPU's print buffer.
constexpr int kMaxFormatted = 1 << 20;

template <typename T> std::string formatAs(const std::string &spec, T value) {
  const int size = std::snprintf(nullptr, 0, spec.c_str(), value);
  std::string result(std::clamp(size, 0, kMaxFormatted) + 1, 0);
  std::snprintf(result.data(), result.size(), spec.c_str(), value);
  result.pop_back();
  return result;
}

/// One conversion of a format, as "%5ld" without its first character.
std::string formatOne(const Reader &reader, const std::string &spec,
                      ArgumentList &arguments) {
  const char kind = spec.back();
  const bool isWide = StringRef(spec).contains("l") ||
                      StringRef(spec).contains("j") ||
                      StringRef(spec).contains("z");
  // The length is that of the values taken here.
  std::string flags;
  for (char c : StringRef(spec).drop_back())
    if (!StringRef("hljzt").contains(c))
      flags.push_back(c);
  if (StringRef("di").contains(kind))
    return formatAs(flags + "lld", isWide
                                       ? arguments.take<int64_t>()
                                       : (long long)arguments.take<int32_t>());
  if (StringRef("uxXo").contains(kind))
    return formatAs(flags + "ll" + kind,
                    isWide ? arguments.take<uint64_t>()
                           : (unsigned long long)arguments.take<uint32_t>());
  if (StringRef("fFeEgGaA").contains(kind))
    return formatAs(flags + kind, arguments.take<double>());
  if (kind == 'c')
    return formatAs(flags + "c", arguments.take<int32_t>());
  if (kind == 's')
    return formatAs(flags + "s",
                    reader.readText(arguments.take<uint64_t>()).c_str());
  return "0x" + utohexstr(arguments.take<uint64_t>(), true);
}

/// Gives the number of arguments, as the hardware's function does.
uint32_t print(Frame *frame, uint64_t format, uint64_t list, uint32_t site) {
  const Reader reader(frame, site);
  const std::string text = reader.readText(format);
  ArgumentList arguments{reader, list};
  std::string result;
  uint32_t count = 0;
  for (size_t i = 0; i < text.size(); ++i) {
    if (text[i] != '%') {
      result.push_back(text[i]);
      continue;
    }
    const size_t end = text.find_first_not_of("-+ #0123456789.hljzt", i + 1);
    if (end == std::string::npos)
      break;
    if (text[end] == '%') {
      result.push_back('%');
    } else if (!StringRef("diuxXofFeEgGaAcsp").contains(text[end])) {
      // No conversion: the remainder that a message speaks of.
      result += text.substr(i, end - i + 1);
    } else {
      result += formatOne(reader, text.substr(i, end - i + 1), arguments);
      ++count;
    }
    i = end;
  }
  Execution::getCurrent()->commit();
  std::fputs(result.c_str(), stdout);
  std::fflush(stdout);
  return count;
}

void failAssertion(Frame *frame, uint64_t message, uint64_t file, uint32_t line,
                   uint64_t function, uint32_t site) {
  const Reader reader(frame, site);
  reader.fail("assertion '" + reader.readText(message) + "' failed in '" +
              reader.readText(function) + "' at " + reader.readText(file) +
              ":" + std::to_string(line));
}

// When code is made.

/// A value of a parameter of the call, which is memory of the thread.
Value *readArgument(Emitter &emitter, const Operand &list, unsigned index,
                    unsigned bits) {
  IRBuilder<> &b = emitter.builder;
  Value *address = emitter.readWide(list.elements[index], 64);
  return b.CreateAlignedLoad(emitter.getBits(bits),
                             b.CreateIntToPtr(address, b.getPtrTy()), Align(1));
}

Value *emitPrint(Emitter &emitter, const Operand &list) {
  emitter.meetClusters();
  return emitter.callRuntime(
      "ptx.print", emitter.getBits(32),
      {emitter.getFrame(), readArgument(emitter, list, 0, 64),
       readArgument(emitter, list, 1, 64), emitter.getSite()});
}

Value *emitFailure(Emitter &emitter, const Operand &list) {
  emitter.callRuntime("ptx.fail_assertion", emitter.builder.getVoidTy(),
                      {emitter.getFrame(), readArgument(emitter, list, 0, 64),
                       readArgument(emitter, list, 1, 64),
                       readArgument(emitter, list, 2, 32),
                       readArgument(emitter, list, 3, 64), emitter.getSite()});
  return nullptr;
}

struct CalleeRow {
  StringLiteral name;
  unsigned parameters;
  /// Gives the result, or null where there is none.
  Value *(*emit)(Emitter &, const Operand &);
};

constexpr CalleeRow kCallees[] = {{"vprintf", 2, emitPrint},
                                  {"__assertfail", 5, emitFailure}};

void emitCall(Emitter &emitter) {
  emitter.take("uni");
  emitter.expectOperands(1, 3);
  // A list of results stands before the name.
  const bool hasResult = emitter.getOperand(0).kind == Operand::Kind::Vector;
  const Operand &callee = emitter.getOperand(hasResult);
  const auto *row = llvm::find_if(
      kCallees, [&](const CalleeRow &row) { return row.name == callee.name; });
  if (row == std::end(kCallees)) {
    emitter.fail("a call of '" + callee.name + "' is not implemented");
    return;
  }
  const Operand &list = emitter.getOperand(hasResult + 1);
  if (list.kind != Operand::Kind::Vector ||
      list.elements.size() != row->parameters) {
    emitter.fail("expected " + Twine(row->parameters) + " parameters of '" +
                 row->name + "'");
    return;
  }
  Value *result = row->emit(emitter, list);
  if (!hasResult || !result)
    return;
  IRBuilder<> &b = emitter.builder;
  Value *address = emitter.readWide(emitter.getOperand(0).elements.front(), 64);
  b.CreateAlignedStore(result, b.CreateIntToPtr(address, b.getPtrTy()),
                       Align(1));
}

constexpr OpcodeRow kRows[] = {{"call", emitCall}};

} // namespace

ArrayRef<OpcodeRow> getCallRows() { return kRows; }

std::vector<std::pair<const char *, void *>> getCallSymbols() {
  return {{"ptx.print", reinterpret_cast<void *>(&print)},
          {"ptx.fail_assertion", reinterpret_cast<void *>(&failAssertion)}};
}

} // namespace gridir::ptx
