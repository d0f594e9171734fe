//===- Tcgen05Copy.cpp - Copies to tensor memory, and ends of its units ----- -===//
//
// Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Copies.h"
#include "MBarriers.h"
#include "SharedMatrix.h"
#include "TensorMemory.h"

using namespace llvm;

namespace gridir::ptx {

namespace {

/// Lanes that hold a row: this many from each of the others on, where it is
/// copied several times.
struct CopyShape {
  StringLiteral name;
  /// "" where each row goes to one lane.
  StringLiteral multicast;
  unsigned rows, bytes;
  /// The lane of a row in its first copy.
  unsigned (*findLane)(unsigned row);
  /// How many copies there are, and the lanes between them.
  unsigned copies, distance;
};

constexpr auto kSameLane = [](unsigned row) { return row; };

constexpr CopyShape kShapes[] = {
    {"128x256b", "", 128, 32, kSameLane, 1, 0},
    {"128x128b", "", 128, 16, kSameLane, 1, 0},
    {"64x128b", "warpx2::02_13", 64, 16,
     [](unsigned row) { return row / 32 * 64 + row % 32; }, 2, 32},
    {"64x128b", "warpx2::01_23", 64, 16, kSameLane, 2, 64},
    {"32x128b", "warpx4", 32, 16, kSameLane, 4, 32}};

/// Arguments: address, descriptor, shape, whether for both blocks of a pair.
enum CopyArgument { Address, Descriptor, Shape, IsPair, NumArguments };

void encodeCopy(Encoder &e) {
  Emitter &emitter = e.emitter;
  const bool isPair = takePair(emitter);
  ArrayRef<StringRef> modifiers = emitter.getModifiers();
  const auto *shape = llvm::find_if(kShapes, [&](const CopyShape &row) {
    return llvm::is_contained(modifiers, row.name) &&
           (row.multicast.empty() ||
            llvm::is_contained(modifiers, row.multicast));
  });
  emitter.expectOperands(2, 2);
  if (shape == std::end(kShapes)) {
    emitter.fail("expected a shape of 128, 64 or 32 rows");
    return;
  }
  emitter.take(shape->name);
  emitter.take(shape->multicast);
  e.add(emitter.readAddress(emitter.getOperand(0)));
  e.add(emitter.getOperand(1), 64);
  e.add(uint64_t(shape - kShapes));
  e.add(uint64_t(isPair));
}

/// Calls `body(matrix, memory)` with each block.
template <typename Body> void forEachBlock(const Group &group, Body body) {
  const uint64_t *words = group.arguments[0];
  const MatrixDescriptor descriptor =
      MatrixDescriptor::readTcgen05(group, words[Descriptor]);
  for (uint64_t rank : getBlocks(group, words[IsPair]))
    body(SharedMatrix(group, rank, descriptor, getFormat(*findFormat("u8")),
                      /*isTransposed=*/false),
         TensorWindow(group, rank, words[Address]));
}

template <typename Body> void forEachLane(const CopyShape &shape, Body body) {
  for (unsigned row = 0; row < shape.rows; ++row)
    for (unsigned copy = 0; copy < shape.copies; ++copy)
      body(row, shape.findLane(row) + copy * shape.distance);
}

/// Copies 16 bytes, defined or not.
void copyPiece(const Group &group, uint32_t *to, const char *from) {
  std::memcpy(to, from, 16);
  if (group.execution.tracksUndefined())
    group.execution.copyUndefined(group.thread, reinterpret_cast<char *>(to),
                                  from, 16);
}

void runCopy(const Group &group) {
  const CopyShape &shape = kShapes[group.arguments[0][Shape]];
  TensorUnits &units = getTensorUnits(group);
  forEachBlock(group,
               [&](const SharedMatrix &matrix, const TensorWindow &window) {
                 matrix.note(units.shared, 0, shape.rows, shape.bytes,
                             Reads | Async | Tracked);
                 forEachLane(shape, [&](unsigned, unsigned lane) {
                   window.note(units.memory, lane, 1, 0, shape.bytes / 4,
                               Writes | Async | Tracked);
                 });
               });
  startInOrder(group, NumArguments, [&shape](const Group &group) {
    forEachBlock(group,
                 [&](const SharedMatrix &matrix, const TensorWindow &window) {
                   forEachLane(shape, [&](unsigned row, unsigned lane) {
                     for (unsigned byte = 0; byte < shape.bytes; byte += 16)
                       copyPiece(group, window.find(lane, byte / 4, 4),
                                 matrix.find(row, byte, 16));
                   });
                 });
  });
}

/// Arguments: the barrier, whether there is a mask of blocks, the mask.
void encodeCommit(Encoder &e) {
  Emitter &emitter = e.emitter;
  takePair(emitter);
  const bool isMulticast = emitter.take("multicast::cluster");
  const bool isShared =
      !emitter.takeOneOf({"shared::cluster", "shared::cta"}).empty();
  if (!emitter.take("mbarrier::arrive::one"))
    emitter.fail("expected '.mbarrier::arrive::one'");
  emitter.takeType();
  emitter.expectOperands(1 + isMulticast, 1 + isMulticast);
  e.addShared(emitter.getOperand(0), !isShared);
  e.add(uint64_t(isMulticast));
  if (isMulticast)
    e.add(emitter.getOperand(1), 16);
  else
    e.add(uint64_t(0));
}

/// The barrier learns when all is done that the thread has asked for.
void runCommit(const Group &group) {
  TensorUnits &units = getTensorUnits(group);
  AsyncUnitRef unit = group.execution.startUnit(group.thread);
  if (OrderChecker *order = group.execution.getOrder()) {
    order->acquire(unit->actor, units.memory->actor);
    order->acquire(unit->actor, units.shared->actor);
  }
  startInOrder(group, 3, [unit](const Group &group) {
    const uint64_t *words = group.arguments[0];
    forEachDestination(group, words[1], words[2], words[0], [&](uint64_t rank) {
      updateMBarrier(group, getSharedAddress(rank, words[0]), 1, 0,
                     Telling::All, unit);
    });
  });
}

constexpr CollectiveRow kRows[] = {
    {"tcgen05.cp", Team::Thread, encodeCopy, runCopy,
     "TensorCore 5th Generation Instructions: tcgen05.cp"},
    {"tcgen05.commit", Team::Thread, encodeCommit, runCommit,
     "TensorCore 5th Generation Instructions: tcgen05.commit"}};

} // namespace

ArrayRef<CollectiveRow> getTensorCoreCopyRows() { return kRows; }

} // namespace gridir::ptx
