//===- ComputeInPlace.cpp - compute a value where it is stored ------------===//
//
// Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dialects/Loops/Analysis/MemoryHazards.h"
#include "dialects/Loops/Transforms/Passes.h"

#include "mlir/Dialect/Bufferization/IR/Bufferization.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/Interfaces/DestinationStyleOpInterface.h"
#include "mlir/Transforms/RegionUtils.h"

namespace gridir::loops {
#define GEN_PASS_DEF_LOOPSCOMPUTEINPLACEPASS
#include "dialects/Loops/Transforms/Passes.h.inc"
} // namespace gridir::loops

using namespace mlir;
using bufferization::MaterializeInDestinationOp;

namespace {

/// True for an argument, or one of an argument and a buffer.
bool isWholeArray(Value memref) {
  if (auto choice = memref.getDefiningOp<scf::IfOp>()) {
    unsigned i = cast<OpResult>(memref).getResultNumber();
    return isWholeArray(choice.thenYield().getOperand(i)) &&
           isWholeArray(choice.elseYield().getOperand(i));
  }
  return isa<BlockArgument>(memref) ||
         memref.getDefiningOp<memref::AllocaOp>() ||
         memref.getDefiningOp<memref::AllocOp>();
}

/// True if two memrefs are the same elements or share none: the same view, or
/// equal views of two whole arrays, which are the same array or disjoint.
bool isSameMemory(Value a, Value b) {
  if (a == b)
    return true;
  if (a.getType() != b.getType())
    return false;
  if (isWholeArray(a) && isWholeArray(b))
    return true;
  auto viewOfA = a.getDefiningOp<memref::SubViewOp>();
  auto viewOfB = b.getDefiningOp<memref::SubViewOp>();
  return viewOfA && viewOfB &&
         viewOfA.getMixedOffsets() == viewOfB.getMixedOffsets() &&
         viewOfA.getMixedSizes() == viewOfB.getMixedSizes() &&
         viewOfA.getMixedStrides() == viewOfB.getMixedStrides() &&
         isSameMemory(viewOfA.getSource(), viewOfB.getSource());
}

/// True if `op` may write `memref` while it runs: whatever it reads of the same
/// memory, it reads at the element that it is about to write. It reads nothing
/// of it if it writes a view of another shape.
bool mayComputeInto(Operation *op, OpOperand &destination, Value memref,
                    bool isReshaped) {
  auto generic = dyn_cast<linalg::GenericOp>(op);
  bool elementwise = generic &&
                     generic.getNumParallelLoops() == generic.getNumLoops() &&
                     generic.getNumDpsInits() == 1;
  for (OpOperand &operand : op->getOpOperands()) {
    if (!isa<RankedTensorType>(operand.get().getType()))
      continue;
    auto load = operand.get().getDefiningOp<bufferization::ToTensorOp>();
    // It accumulates in the memory of its store.
    if (!isReshaped && &operand == &destination && load &&
        load.getBuffer() == memref)
      continue;
    SmallVector<Value> buffers;
    gridir::loops::collectBuffers(operand.get(), buffers);
    for (Value buffer : buffers) {
      if (!gridir::loops::mayAlias(buffer, memref))
        continue;
      if (isReshaped || !elementwise || !load ||
          !isSameMemory(load.getBuffer(), memref))
        return false;
      AffineMap map = generic.getMatchingIndexingMap(&operand);
      if (!map.isPermutation() ||
          map != generic.getMatchingIndexingMap(generic.getDpsInitOperand(0)))
        return false;
    }
  }
  // Ops inside the body or the loop are not followed operand by operand.
  for (Region &region : op->getRegions())
    for (Operation &inner : region.getOps())
      if (gridir::loops::mayAccess(&inner, memref))
        return false;
  return true;
}

class LoopsComputeInPlacePass
    : public gridir::loops::impl::LoopsComputeInPlacePassBase<
          LoopsComputeInPlacePass> {
public:
  using LoopsComputeInPlacePassBase::LoopsComputeInPlacePassBase;

  void runOnOperation() override {
    splitFills();
    limitSharing();
    SmallVector<MaterializeInDestinationOp> stores;
    getOperation()->walk([&](MaterializeInDestinationOp store) {
      if (isa<MemRefType>(store.getDest().getType()))
        stores.push_back(store);
    });
    IRRewriter rewriter(&getContext());
    for (MaterializeInDestinationOp store : stores) {
      if (succeeded(computeInPlace(rewriter, store)))
        ++numInPlace;
      else
        ++numCopied;
      // The upstream elimination of empty tensors does not inspect the ops
      // between a value and its store, and must not try again.
      store.setRestrict(false);
    }
  }

private:
  /// A fill that several ops write to would be made once and copied for each;
  /// writing the number again is cheaper than a copy.
  void splitFills() {
    SmallVector<linalg::FillOp> fills;
    getOperation()->walk([&](linalg::FillOp fill) {
      if (fill->getNumResults() == 1 && !fill->hasOneUse() &&
          fill.getDpsInitOperand(0)->get().getDefiningOp<tensor::EmptyOp>())
        fills.push_back(fill);
    });
    for (linalg::FillOp fill : fills) {
      for (OpOperand &use :
           llvm::make_early_inc_range(fill->getResult(0).getUses())) {
        auto user = dyn_cast<DestinationStyleOpInterface>(use.getOwner());
        if (!user || !user.isDpsInit(&use))
          continue;
        OpBuilder builder(user);
        Operation *empty =
            builder.clone(*fill.getDpsInitOperand(0)->get().getDefiningOp());
        IRMapping mapping;
        mapping.map(fill.getDpsInitOperand(0)->get(), empty->getResult(0));
        use.set(builder.clone(*fill, mapping)->getResult(0));
      }
      if (fill->use_empty())
        fill.erase();
    }
  }

  /// True for a tensor that costs nothing and that is not written through
  /// another one of its kind: an empty one, or a Ref that is only read.
  static bool isRepeatable(Operation *op) {
    if (auto load = dyn_cast<bufferization::ToTensorOp>(op))
      return load.getRestrict() && !load.getWritable();
    return isa<tensor::EmptyOp>(op);
  }

  /// CSE merges all such tensors of a type, or of a Ref. Bufferization compares
  /// all results in a tensor with all of its reads, in cubic time. Therefore
  /// only a few consecutive uses share one tensor: enough for one result to
  /// replace another.
  void limitSharing() {
    constexpr unsigned maxSharing = 16;
    struct Sharing {
      Operation *repeated;
      unsigned numUses;
    };
    llvm::DenseMap<Operation *, Sharing> sharing;
    getOperation()->walk<WalkOrder::PreOrder>([&](Operation *op) {
      for (OpOperand &operand : op->getOpOperands()) {
        Operation *tensor = operand.get().getDefiningOp();
        if (!tensor || !isRepeatable(tensor))
          continue;
        auto &[repeated, numUses] =
            sharing.try_emplace(tensor, Sharing{tensor, 0}).first->second;
        if (numUses++ == maxSharing) {
          // At a position that also dominates later uses.
          OpBuilder builder(tensor->getBlock()->findAncestorOpInBlock(*op));
          repeated = builder.clone(*tensor);
          numUses = 1;
          ++numRepeated;
        }
        operand.set(repeated->getResult(0));
      }
    });
  }

  /// The ops through which a stored value comes, from the store on: each
  /// computes it in the buffer of `destination` of the next.
  struct Chain {
    llvm::SmallPtrSet<Operation *, 4> ops;
    SmallVector<Operation *> reshapes;
    OpOperand *destination = nullptr;

    bool isReshaped() const { return !reshapes.empty(); }
  };

  /// True for a destination whose contents are not needed, are already those of
  /// `memref`, or would be copied.
  static bool isReplaceable(Value destination, Value memref,
                            const Chain &chain) {
    if (destination.getDefiningOp<tensor::EmptyOp>())
      return true;
    if (isLoadOf(destination, memref))
      return !chain.isReshaped();
    return chain.destination && isOnlyRead(destination);
  }

  static bool isLoadOf(Value tensor, Value memref) {
    auto load = tensor.getDefiningOp<bufferization::ToTensorOp>();
    return load && load.getBuffer() == memref;
  }

  /// True for the contents of a memref that may not be written: what is
  /// computed in such a tensor is computed in a copy.
  static bool isOnlyRead(Value value) {
    auto load = value.getDefiningOp<bufferization::ToTensorOp>();
    return load && !load.getWritable();
  }

  /// True if an op needs the contents of its destination.
  static bool readsDestination(OpOperand &destination) {
    auto op = dyn_cast<linalg::LinalgOp>(destination.getOwner());
    return !op || op.payloadUsesValueFromOperand(&destination);
  }

  /// Follows the destination of the stored value up to an empty tensor, or to
  /// the old contents of the same memory, and replaces it with that memory. If
  /// it ends at the contents of other memory, these are copied to it. A reshape
  /// on the way becomes one of the memory.
  static LogicalResult computeInPlace(IRRewriter &rewriter,
                                      MaterializeInDestinationOp store) {
    Value memref = store.getDest();
    Value value = store.getSource();
    Chain chain;
    while (!isReplaceable(value, memref, chain)) {
      // Other users of the value see it in its own buffer today; after the
      // store that buffer would be the Ref.
      Operation *op = value.getDefiningOp();
      if (!op || op->getBlock() != store->getBlock() || !value.hasOneUse())
        return failure();
      OpOperand *operand = getDestination(cast<OpResult>(value));
      if (!operand)
        return failure();
      if (isReshape(op))
        chain.reshapes.push_back(op);
      else if (!mayComputeInto(op, *operand, memref, chain.isReshaped()))
        return failure();
      chain.ops.insert(op);
      chain.destination = operand;
      value = operand->get();
    }
    if (!chain.destination || isReshape(chain.destination->getOwner()))
      return failure();
    // The write moves up from the store to the first op.
    Operation *first = chain.destination->getOwner();
    for (Operation *op = first->getNextNode(); op != store;
         op = op->getNextNode())
      if (!chain.ops.contains(op) && gridir::loops::mayAccess(op, memref))
        return failure();
    FailureOr<SmallVector<MemRefType>> types = getViews(memref, chain);
    if (failed(types) || failed(moveValueDefinitions(rewriter, memref, first)))
      return failure();
    rewriter.setInsertionPoint(first);
    Location loc = store.getLoc();
    Value view = memref;
    for (auto [reshape, type] : llvm::zip_equal(chain.reshapes, *types))
      view = createView(rewriter, reshape, type, view);
    Value inPlace = bufferization::ToTensorOp::create(
        rewriter, loc, value.getType(), view, /*restrict=*/true,
        /*writable=*/true);
    if (isOnlyRead(value) && !isLoadOf(value, memref) &&
        readsDestination(*chain.destination))
      inPlace =
          linalg::CopyOp::create(rewriter, loc, value, inPlace).getResult(0);
    rewriter.modifyOpInPlace(first, [&] { chain.destination->set(inPlace); });
    return success();
  }

  /// The operand whose buffer the result should reuse.
  static OpOperand *getDestination(OpResult result) {
    Operation *op = result.getOwner();
    if (isReshape(op))
      return &op->getOpOperand(0);
    if (auto loop = dyn_cast<scf::ForOp>(op))
      return &loop.getInitsMutable()[result.getResultNumber()];
    auto destinations = dyn_cast<DestinationStyleOpInterface>(op);
    return destinations ? destinations.getTiedOpOperand(result) : nullptr;
  }

  static bool isReshape(Operation *op) {
    return isa<tensor::CollapseShapeOp, tensor::ExpandShapeOp>(op);
  }

  /// The types of the memory of the store as it is before each reshape, from
  /// the last reshape to the first. Fails where no view has such a type.
  static FailureOr<SmallVector<MemRefType>> getViews(Value memref,
                                                     const Chain &chain) {
    SmallVector<MemRefType> types;
    auto type = cast<MemRefType>(memref.getType());
    for (Operation *op : chain.reshapes) {
      auto shape = cast<RankedTensorType>(op->getOperand(0).getType());
      if (auto expand = dyn_cast<tensor::ExpandShapeOp>(op)) {
        if (!memref::CollapseShapeOp::isGuaranteedCollapsible(
                type, expand.getReassociationIndices()))
          return failure();
        type = memref::CollapseShapeOp::computeCollapsedType(
            type, expand.getReassociationIndices());
      } else {
        FailureOr<MemRefType> expanded =
            memref::ExpandShapeOp::computeExpandedType(
                type, shape.getShape(),
                cast<tensor::CollapseShapeOp>(op).getReassociationIndices());
        if (failed(expanded) || !shape.hasStaticShape())
          return failure();
        type = *expanded;
      }
      types.push_back(type);
    }
    return types;
  }

  /// The part of getViews for one reshape.
  static Value createView(OpBuilder &builder, Operation *reshape,
                          MemRefType type, Value memref) {
    Location loc = reshape->getLoc();
    if (auto expand = dyn_cast<tensor::ExpandShapeOp>(reshape))
      return memref::CollapseShapeOp::create(builder, loc, type, memref,
                                             expand.getReassociationIndices());
    return memref::ExpandShapeOp::create(
        builder, loc, type, memref,
        cast<tensor::CollapseShapeOp>(reshape).getReassociationIndices());
  }
};

} // namespace
