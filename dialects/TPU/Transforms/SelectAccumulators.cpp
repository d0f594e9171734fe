//===- SelectAccumulators.cpp - Accumulators inside matmuls ---------------===//
//
// Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dialects/TPU/IR/TPU.h"
#include "dialects/TPU/Transforms/Passes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/Matchers.h"

namespace gridir::tpu {
#define GEN_PASS_DEF_TPUSELECTACCUMULATORSPASS
#include "dialects/TPU/Transforms/Passes.h.inc"
} // namespace gridir::tpu

using namespace mlir;
using namespace gridir::tpu;

namespace {

//===----------------------------------------------------------------------===//
// Sums into the accumulator operand
//===----------------------------------------------------------------------===//

bool isZero(Value value) {
  return matchPattern(value, m_AnyZeroFloat()) || matchPattern(value, m_Zero());
}

/// True if a loop carries a value to its next iteration.
bool isCarried(Value value) {
  return llvm::any_of(value.getUsers(), [](Operation *user) {
    return isa<scf::YieldOp>(user) &&
           isa<LoopLikeOpInterface>(user->getParentOp());
  });
}

/// `sum + matmul(a, b, 0)` is `matmul(a, b, sum)`.
bool foldSum(Operation *add) {
  // Mosaic overflows its stack on such a matmul where there are many registers.
  if (isCarried(add->getResult(0)))
    return false;
  for (unsigned side : {0, 1}) {
    auto matmul = add->getOperand(side).getDefiningOp<MatmulOp>();
    Value other = add->getOperand(1 - side);
    if (!matmul || !matmul->hasOneUse() || !isZero(matmul.getAcc()) ||
        matmul->getBlock() != add->getBlock())
      continue;
    // The addend must be available at the matmul.
    Operation *def = other.getDefiningOp();
    if (def && def->getBlock() == matmul->getBlock() &&
        !def->isBeforeInBlock(matmul))
      matmul->moveBefore(add);
    matmul.getAccMutable().assign(other);
    add->getResult(0).replaceAllUsesWith(matmul.getResult());
    add->erase();
    return true;
  }
  return false;
}

//===----------------------------------------------------------------------===//
// Accumulators that begin with a select
//===----------------------------------------------------------------------===//

/// The memory that an access touches: a memref, indices and a shape.
struct AccessedMemory {
  Value base;
  ValueRange indices;
  VectorType type;

  bool operator==(const AccessedMemory &other) const {
    if (base != other.base || type != other.type ||
        indices.size() != other.indices.size())
      return false;
    return llvm::all_of(llvm::zip_equal(indices, other.indices), [](auto pair) {
      auto [a, b] = pair;
      std::optional<int64_t> x = getConstantIntValue(a);
      return a == b || (x && x == getConstantIntValue(b));
    });
  }
};

std::optional<AccessedMemory> getStoredMemory(Operation &op) {
  auto store = dyn_cast<VectorStoreOp>(op);
  if (!store || store.getMask() || store.getAdd())
    return std::nullopt;
  return AccessedMemory{store.getBase(), store.getIndices(),
                        cast<VectorType>(store.getValueToStore().getType())};
}

std::optional<AccessedMemory> getLoadedMemory(Operation &op) {
  auto load = dyn_cast<vector::LoadOp>(op);
  if (!load)
    return std::nullopt;
  return AccessedMemory{load.getBase(), load.getIndices(),
                        load.getVectorType()};
}

/// True if an op, or a nested one, may access the memory of a memref. Arguments
/// of the kernel do not alias.
bool mayTouch(Operation &op, Value base) {
  return op
      .walk([&](Operation *inner) {
        bool uses = llvm::any_of(inner->getOperands(), [&](Value operand) {
          return isa<MemRefType>(operand.getType()) &&
                 (operand == base || !isa<BlockArgument>(operand));
        });
        return uses ? WalkResult::interrupt() : WalkResult::advance();
      })
      .wasInterrupted();
}

/// Removes the store of a constant from a region that runs in the first step,
/// if every step then loads and overwrites the memory. A select replaces the
/// loaded value by the constant in the first step.
bool selectStart(scf::IfOp start, VectorStoreOp store) {
  Attribute constant;
  if (!matchPattern(store.getValueToStore(), m_Constant(&constant)))
    return false;
  std::optional<AccessedMemory> memory = getStoredMemory(*store);
  auto argument = dyn_cast<BlockArgument>(store.getBase());
  // Windows and scratch of the kernel do not overlap, but views of them may.
  if (!memory || !argument ||
      !isa<func::FuncOp>(argument.getOwner()->getParentOp()))
    return false;
  vector::LoadOp load;
  for (Operation *op = start->getNextNode(); op; op = op->getNextNode()) {
    if (getLoadedMemory(*op) == memory) {
      if (load)
        return false;
      load = cast<vector::LoadOp>(op);
      continue;
    }
    if (getStoredMemory(*op) == memory) {
      if (!load)
        return false;
      OpBuilder builder(load->getContext());
      builder.setInsertionPointAfter(load);
      auto first = arith::ConstantOp::create(builder, store.getLoc(),
                                             cast<TypedAttr>(constant));
      auto select = arith::SelectOp::create(builder, store.getLoc(),
                                            start.getCondition(), first, load);
      load.getResult().replaceAllUsesExcept(select, select);
      store.erase();
      return true;
    }
    if (mayTouch(*op, memory->base))
      return false;
  }
  return false;
}

bool isOnlyUser(VectorStoreOp store, scf::IfOp start) {
  // Nothing else of the region may read the memory, nor write it again.
  for (Operation &op : *start.thenBlock())
    if (&op != store.getOperation() && mayTouch(op, store.getBase()))
      return false;
  return true;
}

class TPUSelectAccumulatorsPass
    : public gridir::tpu::impl::TPUSelectAccumulatorsPassBase<
          TPUSelectAccumulatorsPass> {
public:
  using TPUSelectAccumulatorsPassBase::TPUSelectAccumulatorsPassBase;

  void runOnOperation() override {
    SmallVector<Operation *> sums;
    SmallVector<scf::IfOp> starts;
    getOperation().walk([&](Operation *op) {
      if (isa<arith::AddFOp, arith::AddIOp>(op))
        sums.push_back(op);
      else if (auto start = dyn_cast<scf::IfOp>(op))
        starts.push_back(start);
    });
    for (Operation *add : sums)
      numSums += foldSum(add);
    for (scf::IfOp start : starts)
      selectStarts(start);
  }

private:
  void selectStarts(scf::IfOp start) {
    bool hasElse =
        start.elseBlock() && !start.elseBlock()->without_terminator().empty();
    if (start.getNumResults() != 0 || hasElse)
      return;
    bool changed = false;
    for (auto store :
         llvm::to_vector(start.thenBlock()->getOps<VectorStoreOp>()))
      if (isOnlyUser(store, start) && selectStart(start, store)) {
        ++numSelects;
        changed = true;
      }
    if (changed && llvm::all_of(start.thenBlock()->without_terminator(),
                                [](Operation &op) { return isPure(&op); }))
      start.erase();
  }
};

} // namespace
