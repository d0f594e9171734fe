//===- LayoutFrame.cpp - How the layouts of tensors depend ----------------===//
//
// Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dialects/Warpgroup/Inference/LayoutFrame.h"

#include "mlir/Interfaces/ControlFlowInterfaces.h"
#include "llvm/ADT/EquivalenceClasses.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/SetVector.h"

using namespace mlir;
using namespace gridir::warpgroup;

#include "dialects/Warpgroup/Inference/LayoutOpInterface.cpp.inc"

//===----------------------------------------------------------------------===//
// LayoutFrame
//===----------------------------------------------------------------------===//

RankedTensorType LayoutFrame::Part::getType() const {
  return cast<RankedTensorType>(operand ? operand->get().getType()
                                        : value.getType());
}

static std::optional<Layout> same(const Layout &layout) { return layout; }

LayoutFrame::Part &LayoutFrame::addEqual(OpOperand &operand) {
  Part &part = parts.emplace_back();
  part.operand = &operand;
  part.derive = part.lift = same;
  return part;
}

LayoutFrame::Part &LayoutFrame::addEqual(Value value) {
  Part &part = parts.emplace_back();
  part.value = value;
  part.derive = part.lift = same;
  return part;
}

void LayoutFrame::project(Part &part, ArrayRef<int64_t> dims) {
  if (llvm::equal(dims, llvm::seq<int64_t>(shape.size())))
    return;
  part.isEqual = false;
  SmallVector<int64_t> dropped, sorted(dims), order;
  llvm::sort(sorted);
  for (int64_t dim : llvm::seq<int64_t>(shape.size()))
    if (!llvm::is_contained(dims, dim))
      dropped.push_back(dim);
  for (int64_t dim : dims)
    order.push_back(llvm::find(sorted, dim) - sorted.begin());
  Coordinates space = shape, left;
  for (int64_t dim : sorted)
    left.push_back(shape[dim]);
  part.derive = [=](const Layout &layout) -> std::optional<Layout> {
    std::optional<Layout> kept =
        dropped.empty() ? layout : layout.dropDims(dropped, space);
    return kept ? kept->transpose(order, left) : std::nullopt;
  };
  part.lift = nullptr;
  if (dropped.empty()) {
    SmallVector<int64_t> back(order.size());
    for (auto [to, from] : llvm::enumerate(order))
      back[from] = to;
    Coordinates moved(part.getType().getShape());
    part.lift = [=](const Layout &layout) {
      return layout.transpose(back, moved);
    };
  }
}

void LayoutFrame::reshape(Part &part) {
  part.isEqual = false;
  Coordinates from = shape, to(part.getType().getShape());
  part.derive = [=](const Layout &layout) { return layout.reshape(from, to); };
  part.lift = [=](const Layout &layout) { return layout.reshape(to, from); };
}

void gridir::warpgroup::addMoved(Operation *op, OpOperand &operand,
                                 SmallVectorImpl<LayoutFrame> &frames) {
  auto type = cast<RankedTensorType>(operand.get().getType());
  frames.emplace_back(op, type.getShape()).addEqual(operand);
}

bool gridir::warpgroup::holdsEach(const Layout &layout, Shape shape) {
  return !layout.isSplat() || getNumElements(shape) == 1;
}

bool gridir::warpgroup::holdsOnce(const Layout &layout, Shape shape) {
  return holdsEach(layout, shape) && !layout.isPadded(shape);
}

SmallVector<Layout> gridir::warpgroup::keepFitting(ArrayRef<Layout> known,
                                                   Shape shape) {
  return SmallVector<Layout>(llvm::make_filter_range(
      known, [&](const Layout &layout) { return layout.fits(shape); }));
}

//===----------------------------------------------------------------------===//
// Ops described by upstream's traits and interfaces
//===----------------------------------------------------------------------===//

static bool isTensor(Value value) {
  return isa<RankedTensorType>(value.getType());
}

static int64_t countInstructions(const Layout &layout, Shape shape) {
  return layout.getNumRegisters(shape);
}

static LogicalResult refuse(Operation *op, const Twine &what) {
  return op->emitError("expected ") << what << ", got " << op->getName();
}

LogicalResult gridir::warpgroup::refuseTensors(Operation *op) {
  return refuse(op, "an op that a warpgroup supports on arrays in registers");
}

/// All tensors have the same layout.
static LogicalResult addElementwise(Operation *op,
                                    SmallVectorImpl<LayoutFrame> &frames) {
  auto tensor = llvm::find_if(op->getResults(), isTensor);
  LayoutFrame &frame = frames.emplace_back(
      op, cast<RankedTensorType>((*tensor).getType()).getShape());
  for (OpOperand &operand : op->getOpOperands())
    if (isTensor(operand.get()))
      frame.addEqual(operand);
  for (Value result : op->getResults())
    frame.addEqual(result);
  Coordinates shape = frame.shape;
  frame.cost = [=](const Layout &layout) {
    return countInstructions(layout, shape);
  };
  return success();
}

/// Returns the cost for a thread to reduce its part of `dims`: shuffles between
/// lanes, and an exchange through shared memory between warps.
static int64_t countReduction(const Layout &layout, Shape shape,
                              ArrayRef<int64_t> dims) {
  std::optional<Layout> result = layout.dropDims(dims, shape);
  if (!result || layout.isSplat())
    return 0;
  SmallVector<int64_t> kept;
  for (int64_t dim : llvm::seq<int64_t>(shape.size()))
    if (!llvm::is_contained(dims, dim))
      kept.push_back(shape[dim]);
  uint64_t shared = result->getReplicatedBits() & ~layout.getReplicatedBits();
  constexpr uint64_t lanes = (1 << kNumLaneBits) - 1;
  int64_t registers = result->getNumRegisters(kept);
  int64_t weight = 3 * llvm::popcount(shared & lanes) * registers;
  if (shared & ~lanes)
    weight += 8 * registers + 32;
  return weight;
}

bool gridir::warpgroup::isReducedInRegisters(linalg::LinalgOp op) {
  // The op that combines an element with an accumulator must also combine two
  // accumulators.
  if (op.getNumDpsInputs() != op.getNumDpsInits() || op.hasIndexSemantics())
    return false;
  for (auto [input, init] :
       llvm::zip_equal(op.getDpsInputs(), op.getDpsInits())) {
    // A shuffle moves 32 bits.
    Type type = getElementTypeOrSelf(init);
    if (!isTensor(input) || getElementTypeOrSelf(input) != type ||
        !type.isIntOrFloat() || type.getIntOrFloatBitWidth() > 32)
      return false;
  }
  auto maps = op.getIndexingMapsArray();
  return llvm::all_of(
             maps,
             [](AffineMap map) { return map.isProjectedPermutation(); }) &&
         llvm::any_of(ArrayRef(maps).take_front(op.getNumDpsInputs()),
                      [](AffineMap map) { return map.isPermutation(); });
}

/// Arrays whose elements the body reads at arbitrary indices.
static bool addCaptured(linalg::LinalgOp op,
                        SmallVectorImpl<LayoutFrame> &frames) {
  bool found = false;
  op->getRegion(0).walk([&](Operation *inner) {
    for (OpOperand &operand : inner->getOpOperands())
      if (isTensor(operand.get())) {
        addMoved(inner, operand, frames);
        found = true;
      }
  });
  return found;
}

/// Prefers layouts in which each thread holds all elements that it reduces:
/// they need no exchange.
static void preferWholeRows(LayoutFrame &frame, ArrayRef<int64_t> reduced) {
  Coordinates kept;
  for (int64_t dim : llvm::seq<int64_t>(frame.shape.size()))
    if (!llvm::is_contained(reduced, dim))
      kept.push_back(frame.shape[dim]);
  if (reduced.empty() || kept.empty())
    return;
  if (auto rows = Layout::blocked(kept, 1).insertDims(reduced, kept))
    frame.preferred.push_back(*rows);
}

static LogicalResult addStructured(linalg::LinalgOp op,
                                   SmallVectorImpl<LayoutFrame> &frames) {
  if (!op.hasPureTensorSemantics())
    return refuse(op, "a structured op on tensors");
  auto getDims = [](AffineMap map) {
    SmallVector<int64_t> dims;
    for (AffineExpr expr : map.getResults())
      if (auto dim = dyn_cast<AffineDimExpr>(expr))
        dims.push_back(dim.getPosition());
    return dims;
  };
  SmallVector<unsigned> reduced;
  op.getReductionDims(reduced);
  SmallVector<int64_t> dims(reduced.begin(), reduced.end());
  bool readsTensor = addCaptured(op, frames);
  // True if the value of a register depends on the coordinates of its element.
  bool isIndexed = op.hasIndexSemantics() || readsTensor;
  // The loops that are distributed to threads; each thread runs the other loops
  // completely.
  SmallVector<int64_t> shape = op.getStaticLoopRanges(), position(shape.size());
  bool isMoved = !dims.empty() && !isReducedInRegisters(op);
  SmallVector<int64_t> spaceShape;
  for (int64_t d : llvm::seq<int64_t>(shape.size())) {
    position[d] = spaceShape.size();
    if (!isMoved || !llvm::is_contained(dims, d))
      spaceShape.push_back(shape[d]);
  }
  if (isMoved)
    dims.clear();
  for (OpOperand *operand : op.getDpsInputOperands())
    if (isTensor(operand->get()) &&
        (isMoved ||
         !op.getMatchingIndexingMap(operand).isProjectedPermutation())) {
      addMoved(op, *operand, frames);
      readsTensor = isIndexed = true;
    }
  LayoutFrame &frame = frames.emplace_back(op, spaceShape);
  auto getPositions = [&](AffineMap map) {
    return llvm::map_to_vector(getDims(map),
                               [&](int64_t d) { return position[d]; });
  };
  for (OpOperand &operand : op->getOpOperands()) {
    AffineMap map = op.getMatchingIndexingMap(&operand);
    bool isInit = op.isDpsInit(&operand);
    if (!isTensor(operand.get()) ||
        (!isInit && (isMoved || !map.isProjectedPermutation())))
      continue;
    if (!map.isProjectedPermutation())
      return refuse(op, "results that are indexed by permuted loops");
    LayoutFrame::Part &part = frame.addEqual(operand);
    frame.project(part, getPositions(map));
    part.isUnread = isInit && !op.payloadUsesValueFromOperand(&operand);
    readsTensor |= !part.isUnread;
  }
  for (OpResult result : op->getResults())
    frame.project(frame.addEqual(result),
                  getPositions(op.getIndexingMapMatchingResult(result)));
  Coordinates space = frame.shape;
  if (!dims.empty())
    frame.accepts = [=](const Layout &layout) {
      return holdsOnce(layout, space);
    };
  else if (isIndexed)
    frame.accepts = [=](const Layout &layout) {
      return holdsEach(layout, space);
    };
  auto numOps = std::max<int64_t>(op.getBlock()->getOperations().size() - 1, 1);
  frame.cost = [=](const Layout &layout) {
    return numOps * countInstructions(layout, space) +
           (dims.empty() ? 0 : countReduction(layout, space, dims));
  };
  frame.isRepeatable = !readsTensor && dims.empty();
  preferWholeRows(frame, dims);
  return success();
}

/// All values that flow into one argument or result have one layout, on all
/// paths.
static LogicalResult addBranches(RegionBranchOpInterface op,
                                 SmallVectorImpl<LayoutFrame> &frames) {
  llvm::EquivalenceClasses<Value> classes;
  llvm::SetVector<Value> values;
  llvm::MapVector<OpOperand *, Value> inputs;
  auto connect = [&](RegionBranchPoint point, auto getOperands) {
    SmallVector<RegionSuccessor> successors;
    op.getSuccessorRegions(point, successors);
    for (RegionSuccessor &successor : successors)
      for (auto [operand, input] :
           llvm::zip(getOperands(successor), successor.getSuccessorInputs())) {
        if (!isTensor(input))
          continue;
        values.insert(input);
        auto [it, isNew] = inputs.try_emplace(&operand, input);
        classes.unionSets(it->second, input);
      }
  };
  connect(RegionBranchPoint::parent(), [&](RegionSuccessor &successor) {
    OperandRange range = op.getEntrySuccessorOperands(successor);
    return range.empty() ? MutableArrayRef<OpOperand>()
                         : op->getOpOperands().slice(
                               range.getBeginOperandIndex(), range.size());
  });
  for (Region &region : op->getRegions())
    for (Block &block : region)
      if (auto end = dyn_cast<RegionBranchTerminatorOpInterface>(
              block.getTerminator()))
        connect(RegionBranchPoint(end), [&](RegionSuccessor &successor) {
          MutableOperandRange range =
              end.getMutableSuccessorOperands(successor);
          return MutableArrayRef<OpOperand>(range);
        });
  for (Value result : op->getResults())
    if (isTensor(result) && !values.contains(result))
      return refuseTensors(op);
  llvm::MapVector<Value, unsigned> frameOf;
  auto getFrame = [&](Value value) -> LayoutFrame & {
    auto [it, isNew] =
        frameOf.try_emplace(classes.getLeaderValue(value), frames.size());
    if (isNew)
      frames.emplace_back(op,
                          cast<RankedTensorType>(value.getType()).getShape());
    return frames[it->second];
  };
  for (auto [operand, input] : inputs)
    getFrame(input).addEqual(*operand);
  for (Value value : values)
    getFrame(value).addEqual(value);
  return success();
}

LogicalResult
gridir::warpgroup::collectLayoutFrames(Operation *op,
                                       SmallVectorImpl<LayoutFrame> &frames) {
  if (auto demanding = dyn_cast<LayoutOpInterface>(op))
    return demanding.getLayoutFrames(frames);
  if (auto structured = dyn_cast<linalg::LinalgOp>(op))
    return addStructured(structured, frames);
  if (auto branch = dyn_cast<RegionBranchOpInterface>(op))
    return addBranches(branch, frames);
  // An operand of a terminator and the parent's result have the same layout.
  if (op->hasTrait<OpTrait::IsTerminator>() ||
      (llvm::none_of(op->getOperands(), isTensor) &&
       llvm::none_of(op->getResults(), isTensor)))
    return success();
  if (op->hasTrait<OpTrait::Elementwise>() &&
      llvm::any_of(op->getResults(), isTensor))
    return addElementwise(op, frames);
  return refuseTensors(op);
}
