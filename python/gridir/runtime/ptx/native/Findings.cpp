//===- Findings.cpp - Accesses that are checked, and what is found --------===//
//
// Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Execution.h"

#include "llvm/ADT/StringExtras.h"

using namespace llvm;

namespace gridir::ptx {

void Execution::note(Thread &thread, const AsyncUnitRef &unit,
                     const void *pointer, uint64_t bytes, uint32_t flags,
                     unsigned site) {
  // Local memory is visible only to its thread.
  if (!bytes || reinterpret_cast<uint64_t>(pointer) -
                        reinterpret_cast<uint64_t>(thread.frame.local) <
                    thread.frame.localBytes)
    return;
  if (profile)
    countAccess(thread, pointer, bytes, flags, site);
  checkOrder(thread, unit, pointer, bytes, flags & ~Tracked, site);
  if (tracksUndefined() && !(flags & Tracked))
    trackAccess(thread, pointer, bytes, flags, site);
}

void Execution::checkOrder(Thread &thread, const AsyncUnitRef &unit,
                           const void *pointer, uint64_t bytes, uint32_t flags,
                           unsigned site) {
  if (!order)
    return;
  const uint64_t address = reinterpret_cast<uint64_t>(pointer);
  const uint64_t window = reinterpret_cast<uint64_t>(thread.frame.window);
  const bool isOfBlock = address - window < kClusterWindow;
  if ((flags & Writes) && !isOfBlock && written && !written->write(address))
    repeat();
  const OrderChecker::Actor actor = unit ? unit->actor : thread.actor;
  if (std::optional<OrderChecker::Finding> finding =
          order->access(actor, address, bytes, flags, site, isOfBlock))
    reportFinding(thread, *finding, flags, site);
}

void Execution::noteRead(Thread &thread, const void *pointer, uint64_t bytes,
                         unsigned site) {
  const uint64_t address = reinterpret_cast<uint64_t>(pointer);
  AllowedRange &range = ranges[site];
  if (written && address - range.begin < range.starts)
    if (BufferUse *use = written->find(address); use && !use->isWritten) {
      use->isRead = true;
      range.unnoted = range.starts;
      return;
    }
  note(thread, pointer, bytes, Reads | Tracked, site);
}

void Execution::commit() {
  if (written && !written->writeAll())
    repeat();
}

void Execution::repeat() {
  // The fault ends the loop of this execution, and is not reported.
  report.fault.emplace();
  for (;;)
    running->suspend();
}

void Execution::touchRegister(Thread &thread, unsigned number, bool writes,
                              unsigned site) {
  if (!order->isAskedForRaces())
    return;
  if (std::optional<unsigned> product =
          thread.registers.touch(number, writes, site))
    fail(thread, site,
         "expected a wait for the MMA at line " + getLine(*product) +
             ", whose register this accesses");
}

void Execution::useRegister(Thread &thread, unsigned number, bool isResult,
                            unsigned site) {
  if (!order->isAskedForRaces())
    return;
  if (std::optional<unsigned> write =
          thread.registers.use(number, isResult, site))
    fail(thread, site,
         "expected 'wgmma.fence' between the write of a register at line " +
             getLine(*write) + " and the MMA");
}

AsyncUnitRef Execution::startUnit(Thread &thread) {
  return order ? std::make_shared<AsyncUnit>(*order,
                                             order->startUnit(thread.actor))
               : nullptr;
}

void Execution::acquire(Thread &thread, const AsyncUnitRef &unit) {
  if (unit)
    order->acquire(thread.actor, unit->actor);
}

/// The operations that a thread has started outlive it in its CTA's shared
/// memory.
void Execution::checkEnd(Thread &thread) {
  if (order && order->isAskedForRaces())
    thread.bulkReads.forEach([&](const AsyncGroups::Operation &operation) {
      fail(thread, operation.site,
           "expected a wait for the copy, which reads shared memory of the "
           "block, before its thread ends");
    });
}

/// Returns the noun for an access.
static std::string describeAccess(uint32_t flags) {
  const char *what = !(flags & Writes)  ? "read"
                     : !(flags & Reads) ? "write"
                                        : "update";
  return (flags & Async ? "asynchronous " : "") + std::string(what);
}

void Execution::reportFinding(Thread &thread,
                              const OrderChecker::Finding &finding,
                              uint32_t flags, unsigned site) {
  using Kind = OrderChecker::Finding::Kind;
  const std::string where = describeAddress(thread, finding.address);
  const OrderChecker::Event &other = finding.other;
  const std::string first = describeAccess(other.flags),
                    second = describeAccess(flags);
  const Site &code = function.translation.sites[other.site];
  const std::string lines = "the " + first + " at line " + getLine(other.site) +
                            " and the " + second + " at line " + getLine(site) +
                            " of " + where;
  std::string message =
      "race between " + lines + ": the accesses are unordered";
  // Only a thread that waits for an asynchronous unit sees its accesses; others
  // see them after a barrier.
  if (other.flags & Async) {
    std::optional<uint32_t> waiter = order->findObserver(other);
    message += waiter ? ", since no barrier follows the wait of " +
                            describeThread(*waiter)
                      : ", since no thread has waited for the " + first;
  }
  if (finding.kind == Kind::Unfenced)
    message = "expected 'fence.proxy.async' between " + lines;
  else if (finding.kind == Kind::UnfencedTensor)
    message = "expected 'tcgen05.fence::after_thread_sync' between " + lines;
  setFault(message, site, &thread);
  report.fault->otherInstruction = code.text;
  report.fault->other =
      Problem{code.where,
              "the " + first + " is in " + describeThread(other.owner),
              {},
              code.source};
  for (;;)
    running->suspend();
}

/// An address, as messages name it.
std::string Execution::describeAddress(const Thread &thread,
                                       uint64_t address) const {
  const uint64_t offset =
      address - reinterpret_cast<uint64_t>(thread.frame.window);
  if (offset < kClusterWindow) {
    const uint64_t rank = offset >> kBlockWindowBits;
    const uint64_t byte =
        (offset & ((uint64_t(1) << kBlockWindowBits) - 1)) - kReservedShared;
    const std::string block =
        ranks > 1 ? " of block " + std::to_string(rank) + " of the cluster"
                  : "";
    const uint64_t word =
        (byte + kReservedShared - TensorMemory::kBegin) / sizeof(uint32_t);
    if (word < TensorMemory::kBytes / sizeof(uint32_t))
      return "lane " + std::to_string(word / TensorMemory::kColumns) +
             ", column " + std::to_string(word % TensorMemory::kColumns) +
             " of tensor memory" + block;
    return "byte " + std::to_string(byte) + " of shared memory" + block;
  }
  if (const Buffer *buffer = buffers.find(address, 1))
    return "byte " + std::to_string(address - buffer->begin) + " of '" +
           buffer->name + "'";
  return "the byte at 0x" + utohexstr(address, true);
}

// Functions that checked code calls.

namespace {

Thread &getThread(Frame *frame) { return *reinterpret_cast<Thread *>(frame); }

void noteAccess(Frame *frame, void *pointer, uint32_t bytes, uint32_t flags,
                uint32_t site) {
  Thread &thread = getThread(frame);
  Execution &execution = *Execution::getCurrent();
  execution.keepTogether(thread);
  if (OrderChecker *order = execution.getOrder(); order && (flags & Strong))
    order->exchange(thread.actor, reinterpret_cast<uint64_t>(pointer), flags);
  execution.note(thread, pointer, bytes, flags | Tracked, site);
}

void noteRead(Frame *frame, void *pointer, uint32_t bytes, uint32_t site) {
  Execution::getCurrent()->noteRead(getThread(frame), pointer, bytes, site);
}

void noteStore(Frame *frame, void *pointer, uint32_t bytes, const void *values,
               uint32_t site) {
  Thread &thread = getThread(frame);
  Execution &execution = *Execution::getCurrent();
  execution.keepTogether(thread);
  const bool isSame = std::memcmp(pointer, values, bytes) == 0;
  execution.note(thread, pointer, bytes,
                 (isSame ? Writes | Silent : Writes) | Tracked, site);
  if (execution.tracksUndefined())
    execution.expectDefinedOutput(thread, pointer, values, bytes, site);
}

void checkOutput(Frame *frame, void *pointer, uint32_t bytes,
                 const void *values, uint32_t site) {
  Execution::getCurrent()->expectDefinedOutput(getThread(frame), pointer,
                                               values, bytes, site);
}

void touchRegister(Frame *frame, uint32_t number, uint32_t writes,
                   uint32_t site) {
  Execution::getCurrent()->touchRegister(getThread(frame), number, writes,
                                         site);
}

void moveRegister(Frame *frame, uint32_t from, uint32_t to) {
  getThread(frame).registers.move(from, to);
}

void useRegister(Frame *frame, uint32_t number, uint32_t isResult,
                 uint32_t site) {
  Execution::getCurrent()->useRegister(getThread(frame), number, isResult,
                                       site);
}

void fenceThread(Frame *frame, uint32_t isNarrow) {
  Execution::getCurrent()->getOrder()->fence(getThread(frame).actor, isNarrow);
}

void fenceProxy(Frame *frame, uint32_t memories) {
  Execution::getCurrent()->getOrder()->fenceProxy(getThread(frame).actor,
                                                  memories);
}

} // namespace

std::vector<std::pair<const char *, void *>> getCheckSymbols() {
  return {{"ptx.note", reinterpret_cast<void *>(&noteAccess)},
          {"ptx.note_read", reinterpret_cast<void *>(&noteRead)},
          {"ptx.note_store", reinterpret_cast<void *>(&noteStore)},
          {"ptx.check_output", reinterpret_cast<void *>(&checkOutput)},
          {"ptx.touch_register", reinterpret_cast<void *>(&touchRegister)},
          {"ptx.move_register", reinterpret_cast<void *>(&moveRegister)},
          {"ptx.use_register", reinterpret_cast<void *>(&useRegister)},
          {"ptx.fence", reinterpret_cast<void *>(&fenceThread)},
          {"ptx.fence_proxy", reinterpret_cast<void *>(&fenceProxy)}};
}

} // namespace gridir::ptx
