//===- Clusters.cpp - What blocks of a cluster do with one another ------===//
//
// Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dialects/Conversion/WarpgroupToNVVM/Lowering.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;

namespace gridir::warpgroup_to_nvvm {

/// True if a kernel reads global memory that it also writes, by threads or by
/// copies.
static bool readsWhatItWrites(grid::KernelOp kernel) {
  if (kernel.getAliases())
    return true;
  llvm::SmallPtrSet<Value, 8> read, written;
  kernel.getBodyRegion().walk([&](MemoryEffectOpInterface op) {
    SmallVector<MemoryEffects::EffectInstance> effects;
    op.getEffects(effects);
    for (const MemoryEffects::EffectInstance &effect : effects) {
      Value ref = effect.getValue();
      auto type = ref ? dyn_cast<MemRefType>(ref.getType()) : MemRefType();
      if (!type || !warpgroup::isInSpace(type, warpgroup::Space::Gmem))
        continue;
      bool isRead = isa<MemoryEffects::Read>(effect.getEffect());
      (isRead ? read : written).insert(grid::getViewRoot(ref));
    }
  });
  return llvm::any_of(read, [&](Value ref) { return written.contains(ref); });
}

void Lowering::examineCluster() {
  if (clusterSize == 1)
    return;
  kernel.getBodyRegion().walk([&](Operation *op) {
    storesToOthers |= isa<warpgroup::ClusterStoreOp>(op);
    readsOthersStores |= isa<warpgroup::ClusterLoadOp>(op);
  });
  // MMAs of two CTAs read the shared memory of both.
  readsOthersStores |= storesToOthers || hasPairs || readsWhatItWrites(kernel);
}

NVVM::MemScopeKind
Lowering::getBarrierScope(warpgroup::BarrierType type) const {
  bool isOfOthers = !type.getCluster().empty()   ? readsOthersStores
                    : type.getOrdersTensorCore() ? hasPairs || storesToOthers
                                                 : storesToOthers;
  return isOfOthers ? NVVM::MemScopeKind::CLUSTER : NVVM::MemScopeKind::CTA;
}

Value toCluster(OpBuilder &builder, Location loc, Value address) {
  auto type = LLVM::LLVMPointerType::get(
      builder.getContext(),
      static_cast<unsigned>(NVVM::NVVMMemorySpace::SharedCluster));
  address =
      LLVM::PtrToIntOp::create(builder, loc, builder.getI64Type(), address);
  return LLVM::IntToPtrOp::create(builder, loc, type, address);
}

namespace {

/// The rank of the block that an op names.
template <typename OpT> Value createRank(Lowering &lowering, OpT op) {
  Location loc = op.getLoc();
  Value rank = lowering.getClusterRank();
  for (auto [axis, value] : llvm::zip_equal(op.getAxes(), op.getCoordinates()))
    rank = lowering.getRanks().createPeer(
        loc, rank, cast<StringAttr>(axis),
        toI32(lowering.builder, loc, lowering.getIndex(value)));
  return rank;
}

template <typename OpT> LogicalResult checkPeer(Lowering &lowering, OpT op) {
  if (failed(lowering.getRanks().checkAxes(
          op, llvm::to_vector(op.getAxes().template getAsRange<StringAttr>()))))
    return failure();
  if (lowering.getView(op.getRef()).storage->kind == Storage::Kind::Shared)
    return success();
  return op.emitError("expected a Ref in shared memory, got ")
         << op.getRef().getType();
}

LogicalResult lowerClusterLoad(warpgroup::ClusterLoadOp op,
                               Lowering &lowering) {
  if (failed(lowering.convertType(op, op.getType())) ||
      failed(checkPeer(lowering, op)))
    return failure();
  Location loc = op.getLoc();
  const View &view = lowering.getView(op.getRef());
  View peer =
      createPeerView(lowering.builder, loc, view, createRank(lowering, op));
  lowering.set(
      op.getResult(),
      lowering.createLoad(loc, peer, lowering.getDistribution(op.getResult())));
  return success();
}

/// A store to another block, of words of 32 or 64 bits, which ends at one of
/// its barriers.
class AsyncStore {
public:
  AsyncStore(warpgroup::ClusterStoreOp op, Lowering &lowering)
      : op(op), lowering(lowering), builder(lowering.builder),
        loc(op.getLoc()) {}

  LogicalResult lower() {
    if (failed(lowering.convertType(op, op.getValue().getType())) ||
        failed(checkPeer(lowering, op)))
      return failure();
    const View &view = lowering.getView(op.getRef());
    Distribution distribution = lowering.getDistribution(op.getValue());
    Value rank = createRank(lowering, op);
    View peer = createPeerView(lowering.builder, loc, view, rank);
    if (!op.getBarrier() && !op.getReduction()) {
      lowering.createStore(loc, peer, distribution,
                           lowering.get(op.getValue()));
      return success();
    }
    if (!op.getBarrier())
      return op.emitError(
          "expected a barrier for the completion of the update");
    Value barrier = createPeerAddress(
        lowering.builder, loc,
        lowering.createAddress(loc, lowering.getView(op.getBarrier()), {}),
        rank);
    barrier = toRegister(barrier);
    std::string suffix;
    int64_t maxBytes = 8;
    if (op.getReduction()) {
      suffix = getUpdate();
      if (suffix.empty())
        return op.emitError("expected a 32-bit integer update, or a 64-bit "
                            "addition, in another block, got ")
               << grid::stringifyAtomicKind(*op.getReduction()) << " of "
               << view.getElementType();
      maxBytes = view.storage->getElementBytes();
    }
    bool isWhole = true;
    lowering.forEachRun(
        loc, peer, distribution, maxBytes,
        [&](unsigned r, int64_t run, Value address) {
          Value word =
              createWord(ArrayRef(lowering.get(op.getValue())).slice(r, run));
          if (!word) {
            isWhole = false;
            return;
          }
          OpBuilder::InsertionGuard guard(builder);
          if (Value owns = lowering.createOwns(distribution, r)) {
            auto stores = scf::IfOp::create(builder, loc, owns);
            builder.setInsertionPointToStart(stores.thenBlock());
          }
          createStore(toRegister(address), word, barrier, suffix);
        });
    if (!isWhole)
      return op.emitError(
                 "expected threads that hold 32 or more contiguous bits, got ")
             << op.getValue().getType();
    int64_t bytes =
        distribution.getNumElements() * view.storage->getElementBytes();
    lowering.createForLeader(loc, Value(), [&] {
      NVVM::MBarrierArriveExpectTxOp::create(
          builder, loc, Type(), toPointer(barrier),
          createI32(builder, loc, bytes), NVVM::MemScopeKind::CLUSTER,
          /*relaxed=*/false, Value());
    });
    return success();
  }

private:
  LLVM::LLVMPointerType getPointerType() {
    return LLVM::LLVMPointerType::get(
        builder.getContext(),
        static_cast<unsigned>(NVVM::NVVMMemorySpace::SharedCluster));
  }
  Value toRegister(Value pointer) {
    return LLVM::PtrToIntOp::create(builder, loc, builder.getI32Type(),
                                    pointer);
  }
  Value toPointer(Value address) {
    return LLVM::IntToPtrOp::create(builder, loc, getPointerType(), address);
  }

  /// The name of an update with its type; empty if PTX has none.
  std::string getUpdate() {
    Type type = op.getValue().getType().getElementType();
    if (type.isInteger(64))
      return *op.getReduction() == grid::AtomicKind::Add ? "add.u64" : "";
    if (!type.isInteger(32))
      return "";
    switch (*op.getReduction()) {
    case grid::AtomicKind::Add:
      return "add.u32";
    case grid::AtomicKind::MaxS:
      return "max.s32";
    case grid::AtomicKind::MaxU:
      return "max.u32";
    case grid::AtomicKind::MinS:
      return "min.s32";
    case grid::AtomicKind::MinU:
      return "min.u32";
    case grid::AtomicKind::And:
      return "and.b32";
    case grid::AtomicKind::Or:
      return "or.b32";
    case grid::AtomicKind::Xor:
      return "xor.b32";
    default:
      return "";
    }
  }

  /// The bits of some registers as one of 32 or 64 bits; null for fewer.
  Value createWord(ArrayRef<Value> values) {
    Value first = toStorage(builder, loc, values.front());
    unsigned bits =
        first.getType().getIntOrFloatBitWidth() * unsigned(values.size());
    if (bits < 32)
      return Value();
    Value vector = LLVM::PoisonOp::create(
        builder, loc, VectorType::get(values.size(), first.getType()));
    for (auto [i, value] : llvm::enumerate(values))
      vector = LLVM::InsertElementOp::create(builder, loc, vector,
                                             toStorage(builder, loc, value),
                                             createI32(builder, loc, i));
    return LLVM::BitcastOp::create(builder, loc, builder.getIntegerType(bits),
                                   vector);
  }

  void createStore(Value address, Value word, Value barrier, StringRef update) {
    bool isWide = word.getType().isInteger(64);
    std::string code =
        update.empty()
            ? "st.async.weak.shared::cluster.mbarrier::complete_tx::bytes.b" +
                  Twine(isWide ? 64 : 32).str()
            : "red.async.relaxed.cluster.shared::cluster.mbarrier::complete_tx"
              "::bytes." +
                  update.str();
    code += " [$0], $1, [$2];";
    createAssembly(builder, loc, {}, {address, word, barrier}, code,
                   isWide ? "r,l,r" : "r,r,r");
  }

  warpgroup::ClusterStoreOp op;
  Lowering &lowering;
  OpBuilder &builder;
  Location loc;
};

LogicalResult lowerClusterStore(warpgroup::ClusterStoreOp op,
                                Lowering &lowering) {
  return AsyncStore(op, lowering).lower();
}

} // namespace

void addClusterLowerings(Handlers &handlers) {
  handlers.add(lowerClusterLoad);
  handlers.add(lowerClusterStore);
}

} // namespace gridir::warpgroup_to_nvvm
