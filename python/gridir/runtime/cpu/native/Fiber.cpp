//===- Fiber.cpp - A stackful coroutine -----------------------------------===//
//
// Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Fiber.h"

#include <array>
#include <cstddef>
#include <cstring>
#include <new>
#include <sys/mman.h>
#include <unistd.h>

// Switches from one stack to another, saving the callee-saved state of the
// System V ABI: six registers and the control words of floating point. The C
// library's swapcontext also sets the signal mask, which is a system call each
// time.
extern "C" void gridirSwitchStack(void **from, void *to)
    __attribute__((visibility("hidden")));

asm(R"(
  .pushsection .text
  .p2align 4
  .globl gridirSwitchStack
  .hidden gridirSwitchStack
  .type gridirSwitchStack, @function
gridirSwitchStack:
  pushq %rbp
  pushq %rbx
  pushq %r12
  pushq %r13
  pushq %r14
  pushq %r15
  subq $8, %rsp
  stmxcsr (%rsp)
  fnstcw 4(%rsp)
  movq %rsp, (%rdi)
  movq %rsi, %rsp
  ldmxcsr (%rsp)
  fldcw 4(%rsp)
  addq $8, %rsp
  popq %r15
  popq %r14
  popq %r13
  popq %r12
  popq %rbx
  popq %rbp
  ret
  .size gridirSwitchStack, .-gridirSwitchStack
  .popsection
)");

namespace gridir::cpu {

/// The registers that `gridirSwitchStack` pops from a stack that it resumes,
/// lowest first.
struct SavedRegisters {
  uint32_t vectorControl;
  uint16_t floatControl, unused = 0;
  /// The callee-saved registers; a new function does not need their values.
  std::array<uint64_t, 6> kept = {};
  void (*next)();
  /// A function begins as if it were called, at a multiple of 16 less 8. It has
  /// no caller that a debugger could show.
  uint64_t caller = 0;
};
static_assert(sizeof(SavedRegisters) % 16 == 8 &&
              offsetof(SavedRegisters, next) == 56);

/// The fiber that is being entered: its function takes no argument.
static thread_local Fiber *entering = nullptr;

std::unique_ptr<Fiber> Fiber::create(int64_t stackBytes) {
  const int64_t page = sysconf(_SC_PAGESIZE);
  int64_t size;
  if (stackBytes < 0 || __builtin_add_overflow(stackBytes, 2 * page - 1, &size))
    return nullptr;
  size = size / page * page;
  // Untouched pages take no memory.
  void *stack = mmap(nullptr, size, PROT_READ | PROT_WRITE,
                     MAP_PRIVATE | MAP_ANONYMOUS | MAP_STACK, -1, 0);
  if (stack == MAP_FAILED)
    return nullptr;
  if (mprotect(stack, page, PROT_NONE) == 0)
    if (auto *fiber = new (std::nothrow) Fiber(stack, size))
      return std::unique_ptr<Fiber>(fiber);
  munmap(stack, size);
  return nullptr;
}

Fiber::~Fiber() {
  // The next mapping at this address begins without the marks of old frames.
  ownFrames.clear(stack, size);
  munmap(stack, size);
}

void Fiber::start(std::function<void()> function) {
  body = std::move(function);
  done = false;
  SavedRegisters first = {};
  asm volatile("stmxcsr %0" : "=m"(first.vectorControl));
  asm volatile("fnstcw %0" : "=m"(first.floatControl));
  first.next = &Fiber::enter;
  own = static_cast<char *>(stack) + size - sizeof(first);
  std::memcpy(own, &first, sizeof(first));
  ownFrames.clear(stack, size);
}

void Fiber::resume() {
  entering = this;
  resumerFrames.leaveFor(ownFrames);
  gridirSwitchStack(&resumer, own);
  resumerFrames.arriveFrom(ownFrames);
}

// If frames are restored several times, this returns more often than it is
// called.
[[gnu::no_sanitize("thread")]] void Fiber::suspend() {
  ownFrames.leaveFor(resumerFrames);
  gridirSwitchStack(&own, resumer);
  ownFrames.arriveFrom(resumerFrames);
}

Fiber::Frames Fiber::save() const {
  const char *top = static_cast<const char *>(own);
  return {own, {top, static_cast<const char *>(stack) + size}};
}

void Fiber::restore(const Frames &frames) {
  ownFrames.replace();
  own = frames.top;
  std::memcpy(own, frames.bytes.data(), frames.bytes.size());
}

// It is called on the fiber's stack and returns to another one.
[[gnu::no_sanitize("thread")]] void Fiber::enter() {
  Fiber *fiber = entering;
  fiber->ownFrames.arriveFrom(fiber->resumerFrames);
  fiber->body();
  fiber->done = true;
  fiber->ownFrames.leaveFor(fiber->resumerFrames, /*forever=*/true);
  gridirSwitchStack(&fiber->own, fiber->resumer);
  __builtin_unreachable();
}

} // namespace gridir::cpu
