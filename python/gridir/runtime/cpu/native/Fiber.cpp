//===- Fiber.cpp - A function that can be left and gone on with -----------===//
//
// Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Fiber.h"

#include <sys/mman.h>
#include <unistd.h>

namespace gridir::cpu {

/// A kernel keeps its buffers in an arena, so that little is on its stack.
/// Pages that nothing touches take no memory.
static constexpr std::size_t kStackBytes = 512 << 10;

/// The fiber that is being entered: its function takes no argument.
static thread_local Fiber *entering = nullptr;

std::unique_ptr<Fiber> Fiber::create() {
  std::size_t guard = sysconf(_SC_PAGESIZE);
  void *stack = mmap(nullptr, kStackBytes, PROT_READ | PROT_WRITE,
                     MAP_PRIVATE | MAP_ANONYMOUS | MAP_STACK, -1, 0);
  if (stack == MAP_FAILED)
    return nullptr;
  // A stack that overflows faults rather than writes elsewhere.
  mprotect(stack, guard, PROT_NONE);
  return std::unique_ptr<Fiber>(new Fiber(stack));
}

Fiber::~Fiber() { munmap(stack, kStackBytes); }

void Fiber::start(std::function<void()> function) {
  body = std::move(function);
  done = false;
  getcontext(&own);
  own.uc_stack.ss_sp = stack;
  own.uc_stack.ss_size = kStackBytes;
  own.uc_link = &resumer;
  makecontext(&own, &Fiber::enter, 0);
}

void Fiber::resume() {
  entering = this;
  swapcontext(&resumer, &own);
}

void Fiber::suspend() { swapcontext(&own, &resumer); }

void Fiber::enter() {
  Fiber *fiber = entering;
  fiber->body();
  fiber->done = true;
}

} // namespace gridir::cpu
