//===- SharedLoops.cpp - loops that the threads of a CTA run together -----===//
//
// Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dialects/GPU/Mapping/SharedLoops.h"

#include "dialects/GPU/Mapping/ThreadLoops.h"
#include "dialects/Loops/Analysis/MemoryHazards.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

using namespace mlir;

namespace gridir::gpu {
namespace {

/// The accesses of a loop, except to the error report.
struct Accesses {
  SmallVector<memref::LoadOp> loads;
  SmallVector<memref::StoreOp> stores;
};

std::optional<Accesses> collectAccesses(scf::ForOp loop, Value status) {
  Accesses accesses;
  WalkResult result = loop.walk([&](Operation *op) {
    if (auto load = dyn_cast<memref::LoadOp>(op)) {
      if (load.getMemRef() != status)
        accesses.loads.push_back(load);
    } else if (auto store = dyn_cast<memref::StoreOp>(op)) {
      if (store.getMemRef() != status)
        accesses.stores.push_back(store);
    } else if (!isa<scf::ForOp, scf::IfOp, scf::YieldOp>(op) &&
               !isMemoryEffectFree(op)) {
      return WalkResult::interrupt();
    }
    return WalkResult::advance();
  });
  if (result.wasInterrupted())
    return std::nullopt;
  return accesses;
}

/// True if every element is read only where it is written, and written through
/// one memref: then only the thread that writes an element reads it.
bool isElementwise(const Accesses &accesses) {
  for (memref::StoreOp store : accesses.stores) {
    for (memref::StoreOp other : accesses.stores)
      if (store.getMemRef() != other.getMemRef() &&
          loops::mayAlias(store.getMemRef(), other.getMemRef()))
        return false;
    for (memref::LoadOp load : accesses.loads) {
      if (!loops::mayAlias(store.getMemRef(), load.getMemRef()))
        continue;
      if (load.getMemRef() != store.getMemRef() ||
          load.getIndices() != store.getIndices() ||
          load->getBlock() != store->getBlock())
        return false;
    }
  }
  return true;
}

/// The innermost loop around all stores whose counter is itself an index of
/// each of them, in one dimension of each memref: its iterations write
/// different elements.
scf::ForOp findSplitLoop(scf::ForOp outermost, const Accesses &accesses) {
  for (Operation *op = accesses.stores.front()->getParentOp();;
       op = op->getParentOp()) {
    if (auto loop = dyn_cast<scf::ForOp>(op)) {
      DenseMap<Value, unsigned> dims;
      bool splits = loop.getInitArgs().empty() &&
                    loop.getInductionVar().getType().isIndex();
      for (memref::StoreOp store : accesses.stores) {
        auto found = llvm::find(store.getIndices(), loop.getInductionVar());
        if (!loop->isProperAncestor(store) ||
            found == store.getIndices().end()) {
          splits = false;
          break;
        }
        unsigned dim = std::distance(store.getIndices().begin(), found);
        splits &= dims.try_emplace(store.getMemRef(), dim).first->second == dim;
      }
      if (splits)
        return loop;
    }
    if (op == outermost)
      return nullptr;
  }
}

/// Runs the iterations of `loop` on the threads in turn.
void splitLoop(OpBuilder &builder, scf::ForOp loop, Value thread,
               int64_t numThreads) {
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPoint(loop);
  Location loc = loop.getLoc();
  Value step = loop.getStep();
  Value first = arith::MulIOp::create(builder, loc, thread, step);
  first = arith::AddIOp::create(builder, loc, loop.getLowerBound(), first);
  Value count = arith::ConstantIndexOp::create(builder, loc, numThreads);
  loop.setLowerBound(first);
  loop.setStep(arith::MulIOp::create(builder, loc, step, count));
}

/// Selects the thread that stores an element of the memref, by the index of the
/// element.
void guardStore(OpBuilder &builder, memref::StoreOp store, Value thread,
                int64_t numThreads) {
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPoint(store);
  Location loc = store.getLoc();
  Value element = arith::ConstantIndexOp::create(builder, loc, 0);
  for (auto [index, extent] :
       llvm::zip_equal(store.getIndices(), store.getMemRefType().getShape())) {
    // Any well-distributed hash of the indices is sufficient.
    Value size = arith::ConstantIndexOp::create(
        builder, loc, ShapedType::isDynamic(extent) ? 1 : extent);
    element = arith::MulIOp::create(builder, loc, element, size);
    element = arith::AddIOp::create(builder, loc, element, index);
  }
  Value count = arith::ConstantIndexOp::create(builder, loc, numThreads);
  Value owner = arith::RemUIOp::create(builder, loc, element, count);
  Value owns = arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::eq,
                                     owner, thread);
  auto turn = scf::IfOp::create(builder, loc, owns, /*withElseRegion=*/false);
  store->moveBefore(turn.thenYield());
}

} // namespace

bool shareLoop(scf::ForOp loop, Value status, int64_t numThreads) {
  // Threads are counted by an index.
  if (loop.getNumResults() != 0 || !loop.getInductionVar().getType().isIndex())
    return false;
  std::optional<Accesses> accesses = collectAccesses(loop, status);
  if (!accesses || !isElementwise(*accesses))
    return false;
  bool writes = !accesses->stores.empty();
  scf::ForOp split = writes ? findSplitLoop(loop, *accesses) : loop;
  OpBuilder builder(loop);
  createThreadLoop(
      builder, loop.getLoc(), numThreads, builder.getIndexAttr(numThreads),
      [&](OpBuilder &inner, Location, Value thread) {
        loop->moveBefore(inner.getInsertionBlock(), inner.getInsertionPoint());
        if (split)
          splitLoop(inner, split, thread, numThreads);
        else
          for (memref::StoreOp store : accesses->stores)
            guardStore(inner, store, thread, numThreads);
      });
  return true;
}

} // namespace gridir::gpu
