//===- CopyLoops.cpp - Copies whose size is computed ----------------------===//
//
// Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dialects/Conversion/GridToTPU/Lowering.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/IR/Matchers.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "llvm/ADT/DenseSet.h"
#include "llvm/Support/MathExtras.h"

#include <limits>

using namespace mlir;

namespace gridir::grid_to_tpu {
namespace {

/// The nested loops over the elements of a copy, and the copy.
struct CopyLoops {
  SmallVector<scf::ForOp> loops;
  Operation *copy = nullptr;
};

/// Returns the known divisor of a value.
int64_t getMultiple(Value value) {
  while (auto cast = value.getDefiningOp<arith::IndexCastOp>())
    value = cast.getIn();
  if (std::optional<int64_t> constant = getConstantIntValue(value))
    return *constant;
  auto assume = value.getDefiningOp<grid::AssumeMultipleOp>();
  return assume ? static_cast<int64_t>(assume.getMultiple()) : 1;
}

/// True if loops around a copy need only numbers and views that can be computed
/// before them.
bool needsOnlyPureOps(scf::ForOp loop, Operation *op) {
  return llvm::all_of(op->getOperands(), [&](Value operand) {
    Operation *def = operand.getDefiningOp();
    return !def || !loop->isProperAncestor(def) ||
           (def->getNumRegions() == 0 && isPure(def) &&
            needsOnlyPureOps(loop, def));
  });
}

/// The copy that is the last op of the loops; another one may stand in for
/// padding in the first region of a condition.
std::optional<CopyLoops> match(scf::ForOp loop) {
  // A nest of copy loops is matched at its outermost loop, as a whole or not at
  // all.
  auto outer = loop->getParentOfType<scf::ForOp>();
  if (outer && outer->hasAttr(grid::kCopiedDimsAttrName))
    return std::nullopt;
  CopyLoops result;
  Operation *last = loop;
  while (last) {
    if (auto inner = dyn_cast<scf::ForOp>(last)) {
      auto dims =
          inner->getAttrOfType<DenseI64ArrayAttr>(grid::kCopiedDimsAttrName);
      if (!dims || dims.size() != 2 || inner.getNumResults() != 0 ||
          getConstantIntValue(inner.getLowerBound()) != 0 ||
          getConstantIntValue(inner.getStep()) != 1 ||
          !inner.getUpperBound().getParentRegion()->isProperAncestor(
              &loop.getRegion()))
        return std::nullopt;
      result.loops.push_back(inner);
      last = inner.getBody()->getTerminator()->getPrevNode();
    } else if (auto choice = dyn_cast<scf::IfOp>(last)) {
      if (!choice.elseBlock() || choice.getNumResults() != 0)
        return std::nullopt;
      last = choice.elseBlock()->getTerminator()->getPrevNode();
    } else {
      if (!isa<grid::CopyStartOp, grid::CopyWaitOp>(last) ||
          !needsOnlyPureOps(loop, last))
        return std::nullopt;
      result.copy = last;
      return result;
    }
  }
  return std::nullopt;
}

/// The dimension of a view's base for dimension `dim` of the source of a Ref's
/// last window.
std::optional<int64_t> getBaseDim(Lowering &lowering, Value ref, int64_t dim) {
  auto slice = ref.getDefiningOp<grid::SliceRefOp>();
  const View &view = lowering.getView(slice ? slice.getSource() : ref);
  if (view.reshaped || dim < 0 ||
      dim >= static_cast<int64_t>(view.dims.size()) ||
      view.base != lowering.getView(ref).base)
    return std::nullopt;
  return view.dims[dim];
}

/// Returns the elements of a tile along a dimension of a memref: the smallest
/// unit of a copy.
int64_t getTile(MemRefType type, int64_t dim) {
  int64_t width =
      type.getElementType().isIntOrFloat() ? type.getElementTypeBitWidth() : 32;
  int64_t packing = width > 0 && width < 32 ? 32 / width : 1;
  int64_t rank = type.getRank();
  if (rank == 1)
    return 128 * packing;
  if (dim == rank - 1)
    return 128;
  if (dim != rank - 2)
    return 1;
  int64_t extent = std::min<int64_t>(type.getDimSize(dim), 8);
  return std::max<int64_t>(packing, llvm::PowerOf2Ceil(extent));
}

/// Makes a Ref the window of as many elements as a loop has steps, along a
/// dimension of its base.
void widen(Lowering &lowering, Value ref, int64_t dim, Value size) {
  View view = lowering.getView(ref);
  view.sizes[llvm::find(view.dims, dim) - view.dims.begin()] =
      ShapedType::kDynamic;
  view.dynamicSizes.resize(view.offsets.size());
  view.dynamicSizes[dim] =
      toI32(lowering.builder, ref.getLoc(), lowering.get(size));
  lowering.setView(ref, std::move(view));
}

/// Makes both ends of a copy windows of as many elements as a loop has steps.
/// The size must be of whole tiles of that end which has the smaller ones.
LogicalResult widenEnds(Lowering &lowering, Operation *copy, scf::ForOp loop) {
  auto dims = loop->getAttrOfType<DenseI64ArrayAttr>(grid::kCopiedDimsAttrName);
  Value size = loop.getUpperBound();
  int64_t tile = std::numeric_limits<int64_t>::max();
  SmallVector<std::pair<Value, int64_t>> ends;
  for (auto [ref, dim] :
       llvm::zip_equal(copy->getOperands().take_front(2), dims.asArrayRef())) {
    std::optional<int64_t> base = getBaseDim(lowering, ref, dim);
    if (!base)
      return failure();
    const View &view = lowering.getView(ref);
    if (!llvm::is_contained(view.dims, *base) || view.strides[*base] != 1)
      return failure();
    tile = std::min(tile, getTile(view.getBaseType(), *base));
    ends.emplace_back(ref, *base);
  }
  if (getMultiple(size) % tile != 0)
    return failure();
  for (auto [ref, dim] : ends)
    widen(lowering, ref, dim, size);
  return success();
}

/// Lowers the operands of a copy that ops in its loops define, at their first
/// iteration.
class FirstStep {
public:
  FirstStep(Lowering &lowering, const CopyLoops &nest) : lowering(lowering) {
    for (scf::ForOp loop : nest.loops) {
      Value step = loop.getInductionVar();
      auto zero = IntegerAttr::get(step.getType(), 0);
      known[step] = zero;
      lowering.set(step, arith::ConstantOp::create(lowering.builder,
                                                   loop.getLoc(), zero));
    }
    scf::ForOp outermost = nest.loops.front();
    isInside = [outermost](Operation *op) mutable {
      return outermost->isProperAncestor(op);
    };
  }

  LogicalResult lowerOperands(Operation *op) {
    for (Value operand : op->getOperands()) {
      Operation *def = operand.getDefiningOp();
      if (def && isInside(def) && lowered.insert(def).second &&
          failed(lower(def)))
        return failure();
    }
    return success();
  }

private:
  LogicalResult lower(Operation *op) {
    if (failed(lowerOperands(op)))
      return failure();
    auto constants = llvm::map_to_vector(op->getOperands(), [&](Value operand) {
      Attribute constant = known.lookup(operand);
      if (!constant)
        matchPattern(operand, m_Constant(&constant));
      return constant;
    });
    // An op that folds in place would differ in other iterations.
    SmallVector<OpFoldResult> results;
    Operation *folded = op->clone();
    bool isFolded = op->getNumResults() == 1 &&
                    succeeded(folded->fold(constants, results)) &&
                    !results.empty();
    folded->destroy();
    if (!isFolded)
      return lowering.lowerOp(op);
    Value result = op->getResult(0);
    if (auto value = dyn_cast<Value>(results.front())) {
      lowering.set(result, lowering.get(value));
      return success();
    }
    auto constant = cast<TypedAttr>(cast<Attribute>(results.front()));
    known[result] = constant;
    lowering.set(result, arith::ConstantOp::create(lowering.builder,
                                                   op->getLoc(), constant));
    return success();
  }

  Lowering &lowering;
  llvm::DenseMap<Value, Attribute> known;
  llvm::DenseSet<Operation *> lowered;
  std::function<bool(Operation *)> isInside;
};

} // namespace

FailureOr<bool> lowerCopyLoops(scf::ForOp loop, Lowering &lowering) {
  std::optional<CopyLoops> nest = match(loop);
  if (!nest)
    return false;
  // Ops that are emitted for a copy that stays in loops have no effects.
  if (failed(FirstStep(lowering, *nest).lowerOperands(nest->copy)))
    return failure();
  for (scf::ForOp inner : nest->loops)
    if (failed(widenEnds(lowering, nest->copy, inner)))
      return false;
  if (failed(lowering.lowerOp(nest->copy)))
    return failure();
  return true;
}

} // namespace gridir::grid_to_tpu
