//===- TensorMemory.cpp - The memory of tensor cores ------------------------ -===//
//
// Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "TensorMemory.h"

#include "Copies.h"

using namespace llvm;

namespace gridir::ptx {

uint32_t *TensorWindow::find(unsigned lane, unsigned column,
                             unsigned columns) const {
  const uint64_t atLane = (address >> kColumnBits) + uint64_t(lane);
  const uint64_t atColumn =
      (address & ((1u << kColumnBits) - 1)) + uint64_t(column);
  Cluster &cluster = *group.thread.cta->cluster;
  const std::bitset<TensorMemory::kColumns> &allocated =
      cluster.ctas[rank]->tensorMemory.allocated;
  bool isAllowed = atLane < TensorMemory::kLanes &&
                   atColumn + columns <= TensorMemory::kColumns;
  for (unsigned i = 0; isAllowed && i < columns; ++i)
    isAllowed = allocated[atColumn + i];
  if (!isAllowed)
    group.fail("expected an access to columns of tensor memory that are "
               "allocated, got " +
               std::to_string(columns) + " from column " +
               std::to_string(atColumn) + " of lane " + std::to_string(atLane));
  return reinterpret_cast<uint32_t *>(cluster.window +
                                      (rank << kBlockWindowBits) +
                                      TensorMemory::kBegin) +
         atLane * TensorMemory::kColumns + atColumn;
}

void TensorWindow::note(const AsyncUnitRef &unit, unsigned firstLane,
                        unsigned lanes, unsigned column, unsigned columns,
                        uint32_t flags) const {
  if (unit)
    for (unsigned lane = firstLane; lane < firstLane + lanes; ++lane)
      group.note(unit, find(lane, column, columns), columns * sizeof(uint32_t),
                 flags | Tensor);
}

SmallVector<uint64_t, 2> getBlocks(const Group &group, bool isPair) {
  const uint64_t rank = group.thread.frame.special[ClusterRank];
  if (!isPair)
    return {rank};
  if (rank % 2 || rank + 1 >= group.thread.frame.special[ClusterRanks])
    group.fail("expected the even block of a pair of the cluster, got block " +
               std::to_string(rank));
  return {rank, rank + 1};
}

bool takePair(Emitter &emitter) {
  StringRef name = emitter.takeOneOf({"cta_group::1", "cta_group::2"});
  if (name.empty())
    emitter.fail("expected '.cta_group::1' or '.cta_group::2'");
  return name == "cta_group::2";
}

TensorUnits &getTensorUnits(const Group &group) {
  Thread &thread = group.thread;
  TensorUnits &units = thread.tensorUnits;
  OrderChecker *order = group.execution.getOrder();
  if (order && !units.memory) {
    units.memory = group.execution.startUnit(thread);
    units.shared = group.execution.startUnit(thread);
  }
  if (order) {
    order->continueTensorUnit(units.memory->actor, thread.actor);
    order->acquire(units.shared->actor, thread.actor);
  }
  return units;
}

void startInOrder(const Group &group, unsigned numArguments,
                  std::function<void(const Group &)> body) {
  using Queue = std::deque<std::function<void(const Group &)>>;
  std::shared_ptr<Queue> &queue = group.thread.tensorUnits.queue;
  if (!queue)
    queue = std::make_shared<Queue>();
  // Whichever is chosen to go on, the oldest does.
  std::vector<uint64_t> words(group.arguments[0],
                              group.arguments[0] + numArguments);
  queue->push_back([words = std::move(words), site = group.site,
                    body = std::move(body)](const Group &group) mutable {
    Thread *threads[] = {&group.thread};
    uint64_t *arguments[] = {words.data()};
    body({group.execution, group.thread, site, threads, arguments});
  });
  startCopy(group, 0, [queue](const Group &group) {
    auto next = std::move(queue->front());
    queue->pop_front();
    next(group);
  });
}

} // namespace gridir::ptx
