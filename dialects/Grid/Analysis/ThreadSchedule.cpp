//===- ThreadSchedule.cpp - How far threads get without a write -----------===//
//
// Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dialects/Grid/Analysis/ThreadSchedule.h"

#include "llvm/ADT/STLExtras.h"

using namespace llvm;

namespace gridir::grid {

struct ThreadSchedule::Progress {
  std::optional<Place> never;
  SmallVector<unsigned> completed;
  /// True if no further step in order of this thread completes.
  SmallVector<char> isStalled;
  /// The arrivals at each barrier.
  SmallVector<int64_t> arrived;
};

int64_t ThreadSchedule::getNumSteps() const {
  int64_t steps = 0;
  for (const Thread &thread : threads)
    steps += thread.size();
  return steps;
}

void ThreadSchedule::open(unsigned barrier) {
  if (barrier >= isOpened.size())
    isOpened.resize(barrier + 1);
  isOpened[barrier] = true;
}

bool ThreadSchedule::isOpen(const ThreadStep &step,
                            const Progress &progress) const {
  unsigned barrier = *step.barrier;
  if (barrier < isOpened.size() && isOpened[barrier])
    return true;
  return barrier < progress.arrived.size() &&
         progress.arrived[barrier] >= step.arrivals;
}

/// Continues a thread as far as possible. Returns true if it has completed a
/// step.
bool ThreadSchedule::advance(unsigned index, Progress &progress) const {
  const Thread &thread = threads[index];
  unsigned &next = progress.completed[index];
  unsigned first = next;
  for (; next < thread.size(); ++next) {
    const ThreadStep &step = thread[next];
    if (step.kind == ThreadStep::Await && !isOpen(step, progress))
      break;
    bool isNever = progress.never == Place(index, next);
    if (isNever && !step.isLate)
      break;
    if (isNever && step.isInOrder)
      progress.isStalled[index] = true;
    bool isLost = isNever || (step.isInOrder && progress.isStalled[index]);
    if (step.kind != ThreadStep::Arrive || !step.barrier || isLost)
      continue;
    if (*step.barrier >= progress.arrived.size())
      progress.arrived.resize(*step.barrier + 1);
    ++progress.arrived[*step.barrier];
  }
  return next != first;
}

SmallVector<unsigned> ThreadSchedule::run(std::optional<Place> never) const {
  Progress progress;
  progress.never = never;
  progress.completed.assign(threads.size(), 0);
  progress.isStalled.assign(threads.size(), false);
  bool isChanged = true;
  while (isChanged) {
    isChanged = false;
    for (unsigned thread = 0; thread < threads.size(); ++thread)
      isChanged |= advance(thread, progress);
  }
  return std::move(progress.completed);
}

bool ThreadSchedule::isComplete() const {
  SmallVector<unsigned> completed = run(std::nullopt);
  return llvm::all_of(llvm::enumerate(completed), [&](auto entry) {
    return entry.value() == getNumSteps(entry.index());
  });
}

} // namespace gridir::grid
