//===- Copies.cpp - Copies between global and shared memory ---------------===//
//
// Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dialects/Conversion/WarpgroupToNVVM/TmaCopy.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;

namespace gridir::warpgroup_to_nvvm {
namespace {

/// A team: blocks along some axes of a cluster that share multicast copies.
class Team {
public:
  Team(Lowering &lowering, std::optional<ArrayAttr> axes)
      : lowering(lowering), builder(lowering.builder) {
    if (axes)
      llvm::append_range(this->axes, axes->getAsRange<StringAttr>());
    for (StringAttr axis : this->axes)
      size *= lowering.getRanks().getSize(axis);
  }

  int64_t getSize() const { return size; }

  /// The number of the block in the team, and a bit for the rank of each
  /// member.
  Value createMember(Location loc) {
    Value member = createI32(builder, loc, 0);
    for (StringAttr axis : axes) {
      member = arith::MulIOp::create(
          builder, loc, member,
          createI32(builder, loc, lowering.getRanks().getSize(axis)));
      member = arith::AddIOp::create(
          builder, loc, member, lowering.getRanks().createCoord(loc, axis));
    }
    return member;
  }

  Value createMask(Location loc) {
    SmallVector<int64_t> ranks = {0};
    Value first = lowering.getClusterRank();
    for (StringAttr axis : axes) {
      SmallVector<int64_t> more;
      int64_t stride = lowering.getRanks().getStride(axis);
      for (int64_t rank : ranks)
        for (int64_t i = 0; i < lowering.getRanks().getSize(axis); ++i)
          more.push_back(rank + i * stride);
      ranks = more;
      Value own = arith::MulIOp::create(
          builder, loc, lowering.getRanks().createCoord(loc, axis),
          createI32(builder, loc, stride));
      first = arith::SubIOp::create(builder, loc, first, own);
    }
    int64_t mask = 0;
    for (int64_t rank : ranks)
      mask |= int64_t(1) << rank;
    Value bits = arith::ShLIOp::create(builder, loc,
                                       createI32(builder, loc, mask), first);
    return arith::TruncIOp::create(builder, loc, builder.getI16Type(), bits);
  }

private:
  Lowering &lowering;
  OpBuilder &builder;
  SmallVector<StringAttr> axes;
  int64_t size = 1;
};

/// Only two blocks whose ranks are neighbours share a barrier.
LogicalResult checkPair(Lowering &lowering, warpgroup::TmaLoadOp op,
                        StringAttr axis) {
  if (!lowering.chip.hasTensorMemory)
    return op.emitError("expected a chip whose copies can arrive at barriers "
                        "of other blocks, got ")
           << lowering.chip.name;
  if (lowering.getRanks().getSize(axis) != 2 ||
      lowering.getRanks().getStride(axis) != 1)
    return op.emitError(
               "expected the innermost axis of a cluster, of size 2, got ")
           << axis.getValue() << " of " << lowering.getRanks().getSize(axis);
  return success();
}

LogicalResult lowerTmaLoad(warpgroup::TmaLoadOp op, Lowering &lowering) {
  OpBuilder &builder = lowering.builder;
  Location loc = op.getLoc();
  StringAttr pair;
  if (op.getCollective() &&
      failed(lowering.getRanks().checkAxes(
          op, llvm::to_vector(op.getCollective()->getAsRange<StringAttr>()))))
    return failure();
  if (op.getLeaderTracked()) {
    pair = cast<StringAttr>((*op.getCollective())[0]);
    if (failed(checkPair(lowering, op, pair)))
      return failure();
  }
  Team team(lowering, pair ? std::nullopt : op.getCollective());
  const View &tile = lowering.getView(op.getDest());
  Copy copy(lowering, op, lowering.getView(op.getSource()), tile);
  if (failed(copy.analyze(op, team.getSize())))
    return failure();
  Value barrier =
      lowering.createAddress(loc, lowering.getView(op.getBarrier()), {});
  lowering.createForLeader(loc, Value(), [&] {
    auto expect = [&](int64_t bytes) {
      NVVM::MBarrierArriveExpectTxOp::create(
          builder, loc, Type(), barrier, createI32(builder, loc, bytes),
          NVVM::MemScopeKind::CTA, /*relaxed=*/false, Value());
    };
    NVVM::CTAGroupKindAttr group;
    Value end = barrier;
    if (pair) {
      // The first block expects the windows of both, which end at its barrier.
      Value zero = createI32(builder, loc, 0);
      Value isFirst = arith::CmpIOp::create(
          builder, loc, arith::CmpIPredicate::eq,
          lowering.getRanks().createCoord(loc, pair), zero);
      auto expects = scf::IfOp::create(builder, loc, isFirst);
      {
        OpBuilder::InsertionGuard guard(builder);
        builder.setInsertionPointToStart(expects.thenBlock());
        expect(2 * copy.getBytes());
      }
      group = NVVM::CTAGroupKindAttr::get(builder.getContext(),
                                          NVVM::CTAGroupKind::CTA_2);
      end = createPeerAddress(lowering.builder, loc, barrier,
                              lowering.getRanks().createPeer(
                                  loc, lowering.getClusterRank(), pair, zero));
      end = LLVM::PtrToIntOp::create(builder, loc, builder.getI32Type(), end);
      end = LLVM::IntToPtrOp::create(builder, loc, barrier.getType(), end);
    } else {
      // Every block of a team expects the whole window, and multicasts its part
      // to all blocks.
      expect(copy.getBytes());
    }
    Value member, mask;
    if (team.getSize() > 1) {
      member = team.createMember(loc);
      mask = team.createMask(loc);
    }
    copy.create(
        [&](Value map, Value address, ValueRange coords, int64_t number) {
          OpBuilder::InsertionGuard guard(builder);
          if (member) {
            Value own = createI32(builder, loc, number % team.getSize());
            Value isOwn = arith::CmpIOp::create(
                builder, loc, arith::CmpIPredicate::eq, member, own);
            auto issues = scf::IfOp::create(builder, loc, isOwn);
            builder.setInsertionPointToStart(issues.thenBlock());
          }
          NVVM::CpAsyncBulkTensorGlobalToSharedClusterOp::create(
              builder, loc, toCluster(builder, loc, address), map, coords, end,
              /*im2colOffsets=*/ValueRange(), mask, /*l2CacheHint=*/Value(),
              NVVM::TMALoadMode::TILE, /*isCTAOnly=*/false, group,
              /*predicate=*/Value());
        });
  });
  return success();
}

/// Returns the reduction of a copy, or none if TMA does not support it.
std::optional<NVVM::TMAReduxKind> getUpdate(grid::AtomicKind kind, Type type) {
  bool isWord = type.isInteger(32) || type.isInteger(64);
  bool isHalf = type.isF16() || type.isBF16();
  switch (kind) {
  case grid::AtomicKind::Add:
    if (isWord || isHalf || type.isF32())
      return NVVM::TMAReduxKind::ADD;
    return std::nullopt;
  case grid::AtomicKind::MaxF:
    return isHalf ? std::optional(NVVM::TMAReduxKind::MAX) : std::nullopt;
  case grid::AtomicKind::MinF:
    return isHalf ? std::optional(NVVM::TMAReduxKind::MIN) : std::nullopt;
  default:
    break;
  }
  if (!isWord)
    return std::nullopt;
  switch (kind) {
  case grid::AtomicKind::MaxS:
  case grid::AtomicKind::MaxU:
    return NVVM::TMAReduxKind::MAX;
  case grid::AtomicKind::MinS:
  case grid::AtomicKind::MinU:
    return NVVM::TMAReduxKind::MIN;
  case grid::AtomicKind::And:
    return NVVM::TMAReduxKind::AND;
  case grid::AtomicKind::Or:
    return NVVM::TMAReduxKind::OR;
  case grid::AtomicKind::Xor:
    return NVVM::TMAReduxKind::XOR;
  default:
    return std::nullopt;
  }
}

LogicalResult lowerTmaStore(warpgroup::TmaStoreOp op, Lowering &lowering) {
  OpBuilder &builder = lowering.builder;
  Location loc = op.getLoc();
  const View &tile = lowering.getView(op.getSource());
  std::optional<NVVM::TMAReduxKind> update;
  if (op.getReduction()) {
    update = getUpdate(*op.getReduction(), tile.getElementType());
    if (!update)
      return op.emitError("expected a reduction that TMA supports, got ")
             << grid::stringifyAtomicKind(*op.getReduction()) << " of "
             << tile.getElementType();
  }
  Copy copy(lowering, op, lowering.getView(op.getDest()), tile);
  if (failed(copy.analyze(op)))
    return failure();
  Value predicate =
      op.getPredicate() ? lowering.getScalar(op.getPredicate()) : Value();
  bool isSigned = op.getReduction() == grid::AtomicKind::MaxS ||
                  op.getReduction() == grid::AtomicKind::MinS;
  lowering.createForLeader(loc, predicate, [&] {
    copy.create(
        [&](Value map, Value address, ValueRange coords, int64_t) {
          if (update)
            NVVM::CpAsyncBulkTensorReduceOp::create(
                builder, loc, map, address, *update, NVVM::TMAStoreMode::TILE,
                coords, /*l2CacheHint=*/Value());
          else
            NVVM::CpAsyncBulkTensorSharedCTAToGlobalOp::create(
                builder, loc, map, address, coords, /*l2CacheHint=*/Value(),
                NVVM::TMAStoreMode::TILE, /*predicate=*/Value());
        },
        isSigned);
  });
  return success();
}

/// Bulk groups belong to threads; threads that started no copies have empty
/// groups.
LogicalResult lowerCommitGroup(warpgroup::CommitGroupOp op,
                               Lowering &lowering) {
  NVVM::CpAsyncBulkCommitGroupOp::create(lowering.builder, op.getLoc());
  return success();
}

LogicalResult lowerWaitGroup(warpgroup::WaitGroupOp op, Lowering &lowering) {
  NVVM::CpAsyncBulkWaitGroupOp::create(
      lowering.builder, op.getLoc(),
      lowering.builder.getI32IntegerAttr(op.getPending()), op.getReadAttr());
  return success();
}

} // namespace

void addCopyLowerings(Handlers &handlers) {
  handlers.add(lowerTmaLoad);
  handlers.add(lowerTmaStore);
  handlers.add(lowerCommitGroup);
  handlers.add(lowerWaitGroup);
}

} // namespace gridir::warpgroup_to_nvvm
