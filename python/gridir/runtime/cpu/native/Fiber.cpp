//===- Fiber.cpp - A function that can be left and gone on with -----------===//
//
// Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Fiber.h"

#include <new>
#include <sys/mman.h>
#include <unistd.h>

namespace gridir::cpu {

/// The fiber that is being entered: its function takes no argument.
static thread_local Fiber *entering = nullptr;

std::unique_ptr<Fiber> Fiber::create(int64_t stackBytes) {
  const int64_t page = sysconf(_SC_PAGESIZE);
  int64_t size;
  if (stackBytes < 0 || __builtin_add_overflow(stackBytes, 2 * page - 1, &size))
    return nullptr;
  size = size / page * page;
  // Pages that nothing touches take no memory.
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
  // What is mapped here next begins without the marks of old frames.
  ownFrames.clear(stack, size);
  munmap(stack, size);
}

void Fiber::start(std::function<void()> function) {
  body = std::move(function);
  done = false;
  getcontext(&own);
  own.uc_stack.ss_sp = stack;
  own.uc_stack.ss_size = size;
  own.uc_link = &resumer;
  makecontext(&own, &Fiber::enter, 0);
  ownFrames.clear(stack, size);
}

void Fiber::resume() {
  entering = this;
  resumerFrames.leaveFor(ownFrames);
  swapcontext(&resumer, &own);
  resumerFrames.arriveFrom(ownFrames);
}

void Fiber::suspend() {
  ownFrames.leaveFor(resumerFrames);
  swapcontext(&own, &resumer);
  ownFrames.arriveFrom(resumerFrames);
}

void Fiber::enter() {
  Fiber *fiber = entering;
  fiber->ownFrames.arriveFrom(fiber->resumerFrames);
  fiber->body();
  fiber->done = true;
  fiber->ownFrames.leaveFor(fiber->resumerFrames, /*forever=*/true);
}

} // namespace gridir::cpu
