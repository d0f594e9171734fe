//===- ClusterLaunch.cpp - Clusters that others take the work of ----------===//
//
// Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A running cluster can cancel one that has not started and do its work. The
// hardware's format of the answer is not documented; here it is the coordinates
// of the cluster's first block, then whether there is one.
//
//===----------------------------------------------------------------------===//

#include "Copies.h"
#include "MBarriers.h"

using namespace llvm;

namespace gridir::ptx {

namespace {

constexpr unsigned kAnswerBytes = 16;

/// Arguments: where the answer goes to, the barrier, whether all blocks of the
/// cluster get it.
void encodeCancel(Encoder &e) {
  Emitter &emitter = e.emitter;
  emitter.meetClusters();
  const bool isMulticast = emitter.take("multicast::cluster::all");
  const bool isShared = !emitter.takeOneOf({"shared::cta"}).empty();
  emitter.take("mbarrier::complete_tx::bytes");
  emitter.takeType();
  emitter.expectOperands(2, 2);
  e.addShared(emitter.getOperand(0), !isShared);
  e.addShared(emitter.getOperand(1), !isShared);
  e.add(uint64_t(isMulticast));
}

void runCancel(const Group &group) {
  const uint64_t *words = group.arguments[0];
  std::array<uint32_t, 4> answer = {};
  if (std::optional<std::array<uint32_t, 3>> block =
          group.execution.cancelCluster()) {
    llvm::copy(*block, answer.begin());
    answer[3] = 1;
  }
  const uint64_t all =
      maskTrailingOnes<uint64_t>(group.thread.frame.special[ClusterRanks]);
  AsyncUnitRef unit = group.execution.startUnit(group.thread);
  auto find = [](const Group &group, uint64_t rank) {
    return group.execution.locateShared(
        group.thread, getSharedAddress(rank, group.arguments[0][0]),
        kAnswerBytes, kAnswerBytes, group.site);
  };
  forEachDestination(group, words[2], all, words[0], [&](uint64_t rank) {
    group.note(unit, find(group, rank), kAnswerBytes, Writes | Async);
  });
  startCopy(group, 3, [=](const Group &group) {
    const uint64_t *words = group.arguments[0];
    forEachDestination(group, words[2], all, words[0], [&](uint64_t rank) {
      std::memcpy(find(group, rank), answer.data(), kAnswerBytes);
      updateMBarrier(group, getSharedAddress(rank, words[1]), 0, kAnswerBytes,
                     Telling::All, unit);
    });
  });
}

constexpr CollectiveRow kRows[] = {
    {"clusterlaunchcontrol.try_cancel.async", Team::Thread, encodeCancel,
     runCancel,
     "Parallel Synchronization and Communication Instructions: "
     "clusterlaunchcontrol.try_cancel"}};

/// Reads an answer.
void emitQuery(Emitter &emitter) {
  if (!emitter.take("query_cancel")) {
    if (!emitCollective(emitter))
      emitter.fail("expected '.try_cancel.async' or '.query_cancel'");
    return;
  }
  emitter.takeType();
  const ScalarType type = emitter.takeType();
  emitter.expectOperands(2, 2);
  IRBuilder<> &b = emitter.builder;
  Value *answer = emitter.readInteger(1, 8 * kAnswerBytes);
  SmallVector<Value *> parts = emitter.unpack(answer, 4);
  if (emitter.take("is_canceled") && type.kind == TypeKind::Predicate) {
    emitter.write(0u, b.CreateTrunc(parts[3], b.getInt1Ty()));
    return;
  }
  for (auto [index, name] : llvm::enumerate(std::array<StringRef, 3>{
           "get_first_ctaid::x", "get_first_ctaid::y", "get_first_ctaid::z"}))
    if (emitter.take(name)) {
      emitter.write(0u, parts[index]);
      return;
    }
  ArrayRef<Operand> results = emitter.getElements(emitter.getOperand(0));
  if (!emitter.take("get_first_ctaid") || !emitter.take("v4") ||
      results.size() != 4) {
    emitter.fail("expected '.is_canceled' or '.get_first_ctaid'");
    return;
  }
  for (auto [result, part] : llvm::zip(results, parts))
    emitter.write(result, part);
}

constexpr OpcodeRow kOpcodeRows[] = {{"clusterlaunchcontrol", emitQuery}};

} // namespace

ArrayRef<CollectiveRow> getClusterLaunchRows() { return kRows; }
ArrayRef<OpcodeRow> getClusterLaunchOpcodes() { return kOpcodeRows; }

} // namespace gridir::ptx
