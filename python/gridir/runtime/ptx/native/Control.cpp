//===- Control.cpp - Branches, and what has no effect on values -----------===//
//
// Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Emitter.h"
#include "Order.h"

using namespace llvm;

namespace gridir::ptx {

namespace {

/// Code after a terminator is reachable only by labels.
void startUnreached(Emitter &emitter) {
  emitter.builder.SetInsertPoint(emitter.createBlock("unreached"));
}

void emitBranch(Emitter &emitter) {
  emitter.take("uni");
  emitter.expectOperands(1, 1);
  BasicBlock *target = emitter.findTarget(emitter.getOperand(0));
  emitter.burnFuel(target);
  emitter.builder.CreateBr(target);
  startUnreached(emitter);
}

/// An index that is too large has no meaning; here it takes the last way.
void emitIndexedBranch(Emitter &emitter) {
  emitter.take("idx");
  emitter.take("uni");
  emitter.expectOperands(2, 2);
  const std::vector<BasicBlock *> *targets =
      emitter.context.scopes.findTargets(emitter.getOperand(1).name);
  if (!targets || targets->empty()) {
    emitter.fail("expected a list of labels, got '" +
                 emitter.getOperand(1).name + "'");
    return;
  }
  for (BasicBlock *target : *targets)
    emitter.burnFuel(target);
  SwitchInst *branch = emitter.builder.CreateSwitch(
      emitter.readInteger(0, 32), targets->back(), targets->size());
  for (auto [index, target] : llvm::enumerate(*targets))
    branch->addCase(emitter.builder.getInt32(index), target);
  startUnreached(emitter);
}

void emitReturn(Emitter &emitter) {
  emitter.take("uni");
  emitter.expectOperands(0, 0);
  if (emitter.context.returnTarget)
    emitter.builder.CreateBr(emitter.context.returnTarget);
  else
    emitter.builder.CreateRetVoid();
  startUnreached(emitter);
}

void emitExit(Emitter &emitter) {
  emitter.expectOperands(0, 0);
  emitter.builder.CreateRetVoid();
  startUnreached(emitter);
}

void emitTrap(Emitter &emitter) {
  emitter.callRuntime("ptx.trap", emitter.builder.getVoidTy(),
                      {emitter.getFrame(), emitter.getSite()});
}

void emitPause(Emitter &emitter) {
  emitter.takeType();
  emitter.expectOperands(1, 1);
  emitter.pause();
}

/// These instructions have no effect: threads run one at a time and see each
/// other's writes immediately, the compiler chooses the number of registers,
/// and there are no caches.
void emitNothing(Emitter &emitter) {
  while (!emitter.getModifiers().empty())
    emitter.take(emitter.getModifiers().front());
}

/// Orders the thread's events before and after it; a fence between proxies
/// makes stores of threads visible to asynchronous copies and MMAs.
void emitFence(Emitter &emitter) {
  const bool isNarrow = emitter.take("cta");
  const bool isOfProxies = emitter.take("proxy");
  bool isAsync = false;
  uint32_t memories = 0;
  for (StringRef modifier : emitter.getModifiers()) {
    isAsync |= isOfProxies && modifier.starts_with("async");
    if (modifier == "global")
      memories |= GlobalMemory;
    else if (modifier == "shared::cta" || modifier == "shared::cluster")
      memories |= SharedMemory;
  }
  emitNothing(emitter);
  if (!emitter.context.instrumentation.isChecked)
    return;
  IRBuilder<> &b = emitter.builder;
  if (isAsync)
    emitter.callRuntime(
        "ptx.fence_proxy", b.getVoidTy(),
        {emitter.getFrame(),
         b.getInt32(memories ? memories : SharedMemory | GlobalMemory)});
  else if (!isOfProxies)
    emitter.callRuntime("ptx.fence", b.getVoidTy(),
                        {emitter.getFrame(), b.getInt32(isNarrow)});
}

constexpr OpcodeRow kRows[] = {{"bra", emitBranch},
                               {"brx", emitIndexedBranch},
                               {"ret", emitReturn},
                               {"exit", emitExit},
                               {"trap", emitTrap},
                               {"nanosleep", emitPause},
                               {"fence", emitFence},
                               {"membar", emitFence},
                               {"setmaxnreg", emitNothing},
                               {"griddepcontrol", emitNothing},
                               {"prefetch", emitNothing},
                               {"prefetchu", emitNothing},
                               {"applypriority", emitNothing},
                               {"discard", emitNothing},
                               {"pmevent", emitNothing}};

} // namespace

ArrayRef<OpcodeRow> getControlRows() { return kRows; }

} // namespace gridir::ptx
