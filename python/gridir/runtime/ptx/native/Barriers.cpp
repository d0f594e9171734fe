//===- Barriers.cpp - Barriers of blocks and clusters ---------------------===//
//
// Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Collectives.h"

using namespace llvm;

namespace gridir::ptx {

namespace {

/// The combination of threads' predicates at a barrier.
enum class Vote : uint64_t { None, Count, All, Any };

/// Arguments: barrier, threads or 0 for all, vote, predicate.
void encodeBarrier(Encoder &e, unsigned first, Vote vote, unsigned last) {
  Emitter &emitter = e.emitter;
  e.add(emitter.getOperand(first), 32);
  if (first + 1 < last)
    e.add(emitter.getOperand(first + 1), 32);
  else
    e.add(uint64_t(0));
  e.add(uint64_t(vote));
}

void encodeSync(Encoder &e) {
  e.emitter.expectOperands(1, 2);
  encodeBarrier(e, 0, Vote::None, e.emitter.getNumOperands());
  e.add(uint64_t(0));
}

void encodeReduction(Encoder &e) {
  Emitter &emitter = e.emitter;
  StringRef op = emitter.takeOneOf({"popc", "and", "or"});
  emitter.takeType();
  emitter.expectOperands(3, 4);
  encodeBarrier(e, 1,
                op == "popc"  ? Vote::Count
                : op == "and" ? Vote::All
                              : Vote::Any,
                emitter.getNumOperands() - 1);
  e.add(emitter.getOperand(emitter.getNumOperands() - 1), 1);
  e.addResult(emitter.getOperand(0), op == "popc" ? 32 : 1);
}

void complete(Execution &execution, Barrier &barrier) {
  barrier.result = barrier.reduced;
  barrier.arrived = 0;
  ++barrier.generation;
  barrier.lastClock = barrier.clock;
  OrderChecker *order = execution.getOrder();
  if (order)
    barrier.known = std::exchange(barrier.told, {});
  for (Thread *thread : std::exchange(barrier.waiting, {})) {
    if (order)
      order->acquire(thread->actor, barrier.known);
    execution.countWait(*thread, barrier.clock);
  }
}

/// Adds a thread to a barrier, and returns true if it was the last one. Earlier
/// events of all happen before later events of those that `wait`.
bool arrive(const Group &group, Barrier &barrier, bool waits) {
  const uint64_t *words = group.arguments[0];
  std::optional<uint32_t> expected;
  if (words[1])
    expected = words[1];
  if (expected && *expected % 32)
    group.fail("expected a number of threads that is a multiple of 32, got " +
               std::to_string(*expected));
  if (barrier.arrived && barrier.expected != expected)
    group.fail("expected all threads to name the same number of threads of a "
               "barrier, got " +
               std::to_string(barrier.expected.value_or(0)) + " and " +
               std::to_string(expected.value_or(0)));
  const Vote vote = static_cast<Vote>(words[2]);
  const uint32_t predicate = words[3] & 1;
  if (!barrier.arrived)
    barrier.reduced = vote == Vote::All;
  if (vote == Vote::Count)
    barrier.reduced += predicate;
  else if (vote == Vote::All)
    barrier.reduced &= predicate;
  else
    barrier.reduced |= predicate;
  barrier.expected = expected;
  ++barrier.arrived;
  OrderChecker *order = group.execution.getOrder();
  if (order)
    order->release(group.thread.actor, barrier.told);
  barrier.clock = std::max(barrier.clock, group.thread.frame.clock);
  if (waits && (order || group.execution.getProfile()))
    barrier.waiting.push_back(&group.thread);
  if (barrier.arrived < expected.value_or(group.thread.cta->live))
    return false;
  complete(group.execution, barrier);
  return true;
}

Barrier &findBarrier(const Group &group) {
  const uint64_t number = group.arguments[0][0];
  if (number > 15)
    group.fail("expected a barrier from 0 to 15, got " +
               std::to_string(number));
  return group.thread.cta->barriers[number];
}

void runSync(const Group &group) {
  Barrier &barrier = findBarrier(group);
  const uint64_t generation = barrier.generation;
  if (!arrive(group, barrier, /*waits=*/true))
    group.execution.wait(group.thread, group.site,
                         {&barrier.generation, ~uint64_t(0), generation});
  group.arguments[0][0] = barrier.result;
}

void runArrive(const Group &group) {
  arrive(group, findBarrier(group), /*waits=*/false);
}

/// Arguments: whether it tells and learns nothing by itself.
void encodeCluster(Encoder &e) {
  e.add(uint64_t(e.emitter.takeOneOf({"release", "acquire", "relaxed"}) ==
                 "relaxed"));
  e.emitter.expectOperands(0, 0);
}

void runClusterArrive(const Group &group) {
  Cluster &cluster = *group.thread.cta->cluster;
  group.thread.clusterGeneration = cluster.barrier.generation;
  if (OrderChecker *order = group.execution.getOrder()) {
    if (group.arguments[0][0])
      order->releaseFenced(group.thread.actor, cluster.barrier.told,
                           /*isNarrow=*/false);
    else
      order->release(group.thread.actor, cluster.barrier.told);
  }
  cluster.barrier.clock =
      std::max(cluster.barrier.clock, group.thread.frame.clock);
  if (++cluster.barrier.arrived >= cluster.live)
    complete(group.execution, cluster.barrier);
}

void runClusterWait(const Group &group) {
  group.execution.wait(group.thread, group.site,
                       {&group.thread.cta->cluster->barrier.generation,
                        ~uint64_t(0), group.thread.clusterGeneration});
  // No thread can arrive again before this one does.
  const Barrier &barrier = group.thread.cta->cluster->barrier;
  if (OrderChecker *order = group.execution.getOrder())
    order->acquire(group.thread.actor, barrier.known);
  group.execution.countWait(group.thread, barrier.lastClock);
}

constexpr StringLiteral kBar =
    "Parallel Synchronization and Communication Instructions: bar, barrier";
constexpr StringLiteral kCluster =
    "Parallel Synchronization and Communication Instructions: "
    "barrier.cluster";

constexpr CollectiveRow kRows[] = {
    {"bar.sync", Team::Thread, encodeSync, runSync, kBar},
    {"bar.cta.sync", Team::Thread, encodeSync, runSync, kBar},
    {"barrier.sync", Team::Thread, encodeSync, runSync, kBar},
    {"barrier.cta.sync", Team::Thread, encodeSync, runSync, kBar},
    {"bar.arrive", Team::Thread, encodeSync, runArrive, kBar},
    {"bar.cta.arrive", Team::Thread, encodeSync, runArrive, kBar},
    {"barrier.arrive", Team::Thread, encodeSync, runArrive, kBar},
    {"barrier.cta.arrive", Team::Thread, encodeSync, runArrive, kBar},
    {"bar.red", Team::Thread, encodeReduction, runSync, kBar},
    {"bar.cta.red", Team::Thread, encodeReduction, runSync, kBar},
    {"barrier.red", Team::Thread, encodeReduction, runSync, kBar},
    {"barrier.cta.red", Team::Thread, encodeReduction, runSync, kBar},
    {"barrier.cluster.arrive", Team::Thread, encodeCluster, runClusterArrive,
     kCluster},
    {"barrier.cluster.wait", Team::Thread, encodeCluster, runClusterWait,
     kCluster}};

} // namespace

ArrayRef<CollectiveRow> getBarrierRows() { return kRows; }

void leaveBarriers(Execution &execution, Thread &thread) {
  Cta &cta = *thread.cta;
  for (Barrier &barrier : cta.barriers)
    if (barrier.arrived && !barrier.expected && barrier.arrived >= cta.live)
      complete(execution, barrier);
  Cluster &cluster = *cta.cluster;
  if (cluster.barrier.arrived && cluster.barrier.arrived >= cluster.live)
    complete(execution, cluster.barrier);
}

} // namespace gridir::ptx
