//===- BlockAxes.cpp - Axes along which a program can be split -----------===//
//
// Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dialects/Grid/Analysis/BlockAxes.h"

#include "dialects/Support/Divisors.h"
#include "dialects/Support/NeutralElement.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace gridir::grid;

/// Returns the shape of a Ref or tensor; empty for a scalar.
static ArrayRef<int64_t> getShape(Value value) {
  auto type = dyn_cast<ShapedType>(value.getType());
  return type && type.hasRank() ? type.getShape() : ArrayRef<int64_t>();
}

BlockAxes::BlockAxes(KernelOp kernel, AxisUse use) : kernel(kernel), use(use) {
  Block *body = kernel.getBodyBlock();
  for (Value ref : body->getArguments())
    add(ref);
  body->walk([&](Operation *op) {
    for (Region &region : op->getRegions())
      for (Block &block : region)
        for (Value argument : block.getArguments())
          add(argument);
    for (Value result : op->getResults())
      add(result);
  });
  for (unsigned i = 0; i < kernel.getNumOperandSpecs(); ++i)
    visitOperand(i);
  visitAliases();
  body->walk([&](Operation *op) { visit(op); });
  finish();
}

std::optional<unsigned> BlockAxes::getAxis(Value value, unsigned dim) const {
  auto first = firstNodes.find(value);
  if (first == firstNodes.end() || getShape(value)[dim] == 1)
    return std::nullopt;
  unsigned axis = classes[first->second + dim];
  if (isBlocked[axis])
    return std::nullopt;
  return axis;
}

std::optional<unsigned> BlockAxes::findDim(Value value, unsigned axis) const {
  for (unsigned dim = 0; dim < getShape(value).size(); ++dim)
    if (getAxis(value, dim) == axis)
      return dim;
  return std::nullopt;
}

SmallVector<Value> BlockAxes::getValues(unsigned axis) const {
  SmallVector<Value> found;
  for (Value value : values)
    if (findDim(value, axis))
      found.push_back(value);
  return found;
}

void BlockAxes::add(Value value) {
  if (getShape(value).empty() || !firstNodes.insert({value, numNodes}).second)
    return;
  values.push_back(value);
  for (auto [dim, size] : llvm::enumerate(getShape(value)))
    if (ShapedType::isDynamic(size))
      blockedNodes.push_back(numNodes + dim);
  numNodes += getShape(value).size();
}

void BlockAxes::join(Value a, unsigned dimOfA, Value b, unsigned dimOfB) {
  if (!firstNodes.contains(a) || !firstNodes.contains(b)) {
    block(a, dimOfA);
    block(b, dimOfB);
    return;
  }
  if (getShape(a)[dimOfA] != getShape(b)[dimOfB]) {
    block(a, dimOfA);
    block(b, dimOfB);
  } else if (getShape(a)[dimOfA] != 1) {
    pairs.emplace_back(firstNodes[a] + dimOfA, firstNodes[b] + dimOfB);
  }
}

void BlockAxes::joinAll(Value a, Value b) {
  if (getShape(a).size() != getShape(b).size()) {
    block(a);
    block(b);
    return;
  }
  for (unsigned dim = 0; dim < getShape(a).size(); ++dim)
    join(a, dim, b, dim);
}

/// The positions of a dimension of `parts` are groups of those of `whole`.
void BlockAxes::joinGroups(Value whole, unsigned dim, Value parts,
                           unsigned first) {
  if (firstNodes.contains(whole) && firstNodes.contains(parts)) {
    pairs.emplace_back(firstNodes[whole] + dim, firstNodes[parts] + first);
  } else {
    block(whole, dim);
    block(parts, first);
  }
}

/// A group of dimensions of `parts` is one dimension of `whole`.
void BlockAxes::joinReshaped(Value whole, Value parts,
                             ArrayRef<SmallVector<int64_t, 2>> groups) {
  for (auto [dim, group] : llvm::enumerate(groups)) {
    SmallVector<int64_t> longer;
    for (int64_t part : group)
      if (getShape(parts)[part] != 1)
        longer.push_back(part);
    if (longer.size() == 1) {
      join(whole, dim, parts, longer.front());
      continue;
    }
    if (!longer.empty() && use == AxisUse::SplitGroups) {
      joinGroups(whole, dim, parts, longer.front());
      longer.erase(longer.begin());
    } else if (!longer.empty()) {
      block(whole, dim);
    }
    for (int64_t part : longer)
      block(parts, part);
  }
}

void BlockAxes::block(Value value, unsigned dim) {
  auto first = firstNodes.find(value);
  if (first != firstNodes.end())
    blockedNodes.push_back(first->second + dim);
}

void BlockAxes::block(Value value) {
  for (unsigned dim = 0; dim < getShape(value).size(); ++dim)
    block(value, dim);
}

/// A dimension of a block can be split if its parts are blocks of the array.
/// Those of a block that overhangs the array may be outside of it.
void BlockAxes::visitOperand(unsigned operand) {
  OperandAttr spec = kernel.getOperandSpec(operand);
  Value ref = kernel.getBodyBlock()->getArgument(operand);
  bool isWritten =
      operand >= kernel.getNumIndexOperands() + kernel.getNumInputs();
  if (!spec.getTransforms().empty() || operand < kernel.getNumIndexOperands())
    return block(ref);
  SmallVector<int64_t> shape = spec.getArrayShape();
  unsigned dim = 0;
  for (auto [extent, part] : llvm::zip_equal(shape, spec.getBlockDims())) {
    if (part.isSqueezed())
      continue;
    bool isPart = part.getKind() == BlockKind::Blocked &&
                  !ShapedType::isDynamic(extent) && part.getSize() > 0;
    if (use == AxisUse::Extend)
      isPart &= part.getSize() == extent;
    bool isWindow = use != AxisUse::Extend &&
                    part.getKind() == BlockKind::Element && !isWritten &&
                    part.getPadLow() == 0 && part.getPadHigh() == 0;
    if (!isPart && !isWindow)
      block(ref, dim);
    ++dim;
  }
}

/// Programs that share memory through an alias must split it alike.
void BlockAxes::visitAliases() {
  for (auto [input, output] : kernel.getAliasPairs()) {
    unsigned first = input - kernel.getNumIndexOperands();
    unsigned second = kernel.getNumInputs() + output;
    Block *body = kernel.getBodyBlock();
    Value in = body->getArgument(input),
          out = body->getArgument(kernel.getNumIndexOperands() + second);
    OperandAttr inSpec = kernel.getOperandSpec(input),
                outSpec = kernel.getOperandSpec(kernel.getNumIndexOperands() +
                                                second);
    std::optional<AffineMap> inMap, outMap;
    if (static_cast<unsigned>(input) >= kernel.getNumIndexOperands()) {
      inMap = kernel.getAffineIndexMap(first);
      outMap = kernel.getAffineIndexMap(second);
    }
    if (inMap && outMap && *inMap == *outMap &&
        inSpec.getBlockDims() == outSpec.getBlockDims() &&
        inSpec.getArrayShape() == outSpec.getArrayShape()) {
      joinAll(in, out);
      continue;
    }
    block(in);
    block(out);
  }
}

/// True if all accesses of arrays are in a block of the body. Parts of a
/// program would otherwise repeat what is outside of it.
static bool containsAccesses(Block *block, KernelOp kernel) {
  return !kernel.getBodyRegion()
              .walk([&](RefAccessOpInterface access) {
                bool isOfArray =
                    llvm::any_of(llvm::concat<Type>(access->getOperandTypes(),
                                                    access->getResultTypes()),
                                 llvm::IsaPred<RankedTensorType>);
                return isOfArray && !block->findAncestorOpInBlock(*access)
                           ? WalkResult::interrupt()
                           : WalkResult::advance();
              })
              .wasInterrupted();
}

/// The windows through which alone the body accesses some Refs, if they have
/// one shape and belong to all that a program does.
static SmallVector<SliceRefOp> getWindows(ArrayRef<Value> refs) {
  SmallVector<SliceRefOp> windows;
  for (Value ref : refs)
    for (Operation *user : ref.getUsers()) {
      auto window = dyn_cast<SliceRefOp>(user);
      if (!window || (!windows.empty() &&
                      (window.getSizes() != windows.front().getSizes() ||
                       window.getDropped() != windows.front().getDropped() ||
                       window->getBlock() != windows.front()->getBlock())))
        return {};
      windows.push_back(window);
    }
  if (windows.empty() ||
      !containsAccesses(windows.front()->getBlock(),
                        windows.front()->getParentOfType<KernelOp>()))
    return {};
  return windows;
}

/// True if windows with the size of this one along a dimension are the same or
/// have no common elements.
static bool isAligned(SliceRefOp window, unsigned dim) {
  SmallVector<OpFoldResult> offsets = getMixedValues(
      window.getStaticOffsets(), window.getOffsets(), window.getContext());
  int64_t size = window.getSizes()[dim];
  return window.getStrides()[dim] == 1 && size > 0 &&
         gridir::getDivisor(offsets[dim]) % size == 0;
}

Value gridir::grid::getDividedRef(Value output) {
  SmallVector<SliceRefOp> windows = getWindows(output);
  return windows.empty() ? output : Value(windows.back().getResult());
}

/// The windows of an output, and of the input that shares its memory; none for
/// another Ref, and if the body accesses the memory in other ways.
SmallVector<SliceRefOp> BlockAxes::getWindowsOfOutput(Value ref) {
  unsigned firstOutput = kernel.getNumIndexOperands() + kernel.getNumInputs();
  SmallVector<Value> refs;
  if (llvm::is_contained(kernel.getOutputRefs(), ref))
    refs.push_back(ref);
  for (auto [operand, output] : kernel.getAliasPairs()) {
    Value in = kernel.getBodyBlock()->getArgument(operand),
          out = kernel.getBodyBlock()->getArgument(firstOutput + output);
    if (ref == in || ref == out)
      refs = {in, out};
  }
  return getWindows(refs);
}

/// A window keeps the axes of the dimensions that it has whole. Parts of
/// another window of an input are windows of the input. Parts of windows of an
/// output are windows of it if different parts never have common elements.
void BlockAxes::visitSlice(SliceRefOp slice) {
  Value source = slice.getSource(), result = slice.getResult();
  if (use == AxisUse::Extend) {
    block(source);
    block(result);
    return;
  }
  bool isOfInput = llvm::is_contained(kernel.getInputRefs(), source) &&
                   kernel.getAliasPairs().empty();
  SmallVector<SliceRefOp> ofOutput = getWindowsOfOutput(source);
  unsigned kept = 0;
  for (auto [dim, size] : llvm::enumerate(slice.getSizes())) {
    if (llvm::is_contained(slice.getDropped(), dim)) {
      block(source, dim);
      continue;
    }
    if (size == getShape(source)[dim] && slice.getStaticOffsets()[dim] == 0 &&
        slice.getStrides()[dim] == 1) {
      join(source, dim, result, kept);
    } else {
      block(source, dim);
      if (!ofOutput.empty() && isAligned(slice, dim))
        join(result, kept, ofOutput.front().getResult(), kept);
      else if (!isOfInput || slice.getStrides()[dim] != 1)
        block(result, kept);
    }
    ++kept;
  }
}

/// A part of a tensor keeps the axes of the dimensions that it has whole.
void BlockAxes::visitPart(OffsetSizeAndStrideOpInterface op, Value whole,
                          Value part) {
  if (getShape(whole).size() != getShape(part).size()) {
    block(whole);
    block(part);
    return;
  }
  for (auto [dim, size] : llvm::enumerate(getShape(whole)))
    if (size == getShape(part)[dim] && op.getStaticOffsets()[dim] == 0) {
      join(whole, dim, part, dim);
    } else {
      block(whole, dim);
      block(part, dim);
    }
}

/// The result has the dimensions of the indices, then those of the Ref that are
/// not indexed.
void BlockAxes::visitGather(GatherOp gather) {
  Value ref = gather.getRef(), result = gather.getResult();
  SmallVector<Value> indices(gather.getIndices());
  if (Value mask = gather.getMask())
    indices.push_back(mask);
  if (Value other = gather.getOther())
    joinAll(other, result);
  unsigned next = getShape(indices.front()).size();
  for (Value index : indices)
    for (unsigned dim = 0; dim < next; ++dim)
      join(index, dim, result, dim);
  for (unsigned dim = 0; dim < getShape(ref).size(); ++dim)
    if (llvm::is_contained(gather.getDims(), dim))
      block(ref, dim);
    else
      join(ref, dim, result, next++);
  // Positions that are added have no index.
  if (use == AxisUse::Extend)
    block(result);
}

/// The result has the batch dimensions, then the free ones of both operands.
void BlockAxes::visitDot(DotOp dot) {
  // Both operands have zeros at positions that are added along a contracted
  // axis.
  if (use == AxisUse::Extend)
    for (auto [lhs, rhs] :
         llvm::zip_equal(dot.getLhsContract(), dot.getRhsContract()))
      join(dot.getLhs(), lhs, dot.getRhs(), rhs);
  unsigned next = 0;
  for (auto [lhs, rhs] :
       llvm::zip_equal(dot.getLhsBatch(), dot.getRhsBatch())) {
    join(dot.getLhs(), lhs, dot.getResult(), next);
    join(dot.getRhs(), rhs, dot.getResult(), next++);
  }
  auto joinFree = [&](Value operand, ArrayRef<int64_t> contracted,
                      ArrayRef<int64_t> batch) {
    for (unsigned dim = 0; dim < getShape(operand).size(); ++dim)
      if (llvm::is_contained(contracted, dim)) {
        if (use != AxisUse::Extend)
          block(operand, dim);
      } else if (!llvm::is_contained(batch, dim)) {
        join(operand, dim, dot.getResult(), next++);
      }
  };
  joinFree(dot.getLhs(), dot.getLhsContract(), dot.getLhsBatch());
  joinFree(dot.getRhs(), dot.getRhsContract(), dot.getRhsBatch());
  if (dot.getAcc())
    joinAll(dot.getAcc(), dot.getResult());
}

/// Dimensions that the same parallel loop indexes belong to the same axis.
void BlockAxes::visitStructured(linalg::LinalgOp op) {
  if (!op.hasPureTensorSemantics()) {
    llvm::for_each(op->getOperands(), [&](Value operand) { block(operand); });
    return;
  }
  // A dimension that each loop indexes, once one is known.
  SmallVector<std::pair<Value, unsigned>> ofLoop(op.getNumLoops());
  SmallVector<utils::IteratorType> kinds = op.getIteratorTypesArray();
  auto reduce = dyn_cast<linalg::ReduceOp>(*op);
  bool isExtendable =
      use == AxisUse::Extend && reduce && gridir::getNeutralElement(reduce);
  auto visitValue = [&](Value value, AffineMap map) {
    for (auto [dim, expr] : llvm::enumerate(map.getResults())) {
      auto loop = dyn_cast<AffineDimExpr>(expr);
      if (!loop) {
        block(value, dim);
        expr.walk([&](AffineExpr part) {
          if (auto used = dyn_cast<AffineDimExpr>(part))
            if (auto [other, otherDim] = ofLoop[used.getPosition()]; other)
              block(other, otherDim);
        });
        continue;
      }
      auto &[other, otherDim] = ofLoop[loop.getPosition()];
      if (other)
        join(value, dim, other, otherDim);
      else
        std::tie(other, otherDim) = std::pair<Value, unsigned>(value, dim);
      if (kinds[loop.getPosition()] != utils::IteratorType::parallel &&
          !isExtendable)
        block(value, dim);
    }
  };
  // Results first: they have a dimension for each parallel loop.
  for (auto [result, init] :
       llvm::zip_equal(op->getResults(), op.getDpsInitsMutable()))
    visitValue(result, op.getMatchingIndexingMap(&init));
  for (auto [operand, map] :
       llvm::zip_equal(op->getOperands(), op.getIndexingMapsArray()))
    if (!getShape(operand).empty())
      visitValue(operand, map);
}

/// All arrays of an elementwise op or an access have the same axes; those of
/// another op have none.
void BlockAxes::visitOther(Operation *op) {
  auto isArray = [](Value value) { return !getShape(value).empty(); };
  SmallVector<Value> arrays =
      llvm::filter_to_vector(op->getOperands(), isArray);
  llvm::append_range(arrays,
                     llvm::make_filter_range(op->getResults(), isArray));
  bool isAccess = isa<LoadOp, StoreOp, AccumulateOp>(op);
  for (Value array : arrays)
    if (isAccess || OpTrait::hasElementwiseMappableTraits(op))
      joinAll(array, arrays.front());
    else
      block(array);
  // Each part would have the effect.
  if (!isAccess && !isMemoryEffectFree(op))
    for (Value ref : kernel.getBodyBlock()->getArguments())
      block(ref);
}

void BlockAxes::visit(Operation *op) {
  auto joinValues = [&](ValueRange from, ValueRange to) {
    for (auto [a, b] : llvm::zip_equal(from, to))
      if (!getShape(a).empty())
        joinAll(a, b);
  };
  llvm::TypeSwitch<Operation *>(op)
      .Case([&](SliceRefOp slice) { visitSlice(slice); })
      .Case([&](TransposeRefOp transpose) {
        if (use == AxisUse::Extend)
          return block(transpose.getSource());
        for (auto [dim, source] : llvm::enumerate(transpose.getPermutation()))
          join(transpose.getResult(), dim, transpose.getSource(), source);
      })
      .Case([&](DotOp dot) { visitDot(dot); })
      .Case([&](GatherOp gather) { visitGather(gather); })
      .Case([&](linalg::LinalgOp structured) { visitStructured(structured); })
      .Case([&](tensor::ExtractSliceOp slice) {
        visitPart(slice, slice.getSource(), slice.getResult());
      })
      .Case([&](tensor::InsertSliceOp slice) {
        joinAll(slice.getDest(), slice.getResult());
        visitPart(slice, slice.getResult(), slice.getSource());
      })
      .Case([&](tensor::ExpandShapeOp expand) {
        joinReshaped(expand.getSrc(), expand.getResult(),
                     expand.getReassociationIndices());
      })
      .Case([&](tensor::CollapseShapeOp collapse) {
        joinReshaped(collapse.getResult(), collapse.getSrc(),
                     collapse.getReassociationIndices());
      })
      .Case([&](tensor::ExtractOp extract) {
        block(extract.getTensor());
        // Positions that are added would read elements that do not exist.
        if (auto loop = extract->getParentOfType<linalg::LinalgOp>();
            loop && use == AxisUse::Extend)
          llvm::for_each(loop->getResults(), [&](Value v) { block(v); });
      })
      .Case([&](scf::IfOp branch) {
        for (Region &region : branch->getRegions())
          if (!region.empty())
            joinValues(branch.getResults(),
                       region.front().getTerminator()->getOperands());
      })
      .Case([&](scf::ForOp loop) {
        joinValues(loop.getResults(), loop.getInitArgs());
        joinValues(loop.getResults(), loop.getRegionIterArgs());
        joinValues(loop.getResults(), loop.getYieldedValues());
      })
      .Case([&](scf::WhileOp loop) {
        joinValues(loop.getBeforeArguments(), loop.getInits());
        joinValues(loop.getBeforeArguments(), loop.getYieldOp().getResults());
        joinValues(loop.getResults(), loop.getConditionOp().getArgs());
        joinValues(loop.getResults(), loop.getAfterArguments());
      })
      .Case([&](ScopedOp scope) {
        joinValues(scope.getResults(),
                   scope.getBody().front().getTerminator()->getOperands());
      })
      .Case([&](arith::ConstantOp constant) {
        if (!isa<SplatElementsAttr>(constant.getValue()))
          block(constant.getResult());
      })
      .Case<scf::ConditionOp, scf::YieldOp, YieldOp, linalg::YieldOp,
            tensor::EmptyOp, tensor::SplatOp, AssertOp>([](Operation *) {})
      .Default([&](Operation *) { visitOther(op); });
}

void BlockAxes::finish() {
  classes.grow(numNodes);
  for (auto [a, b] : pairs)
    classes.join(a, b);
  classes.compress();
  isBlocked.assign(classes.getNumClasses(), false);
  for (unsigned node : blockedNodes)
    isBlocked[classes[node]] = true;
  // No array has two dimensions along one axis.
  for (Value value : values) {
    llvm::SmallDenseSet<unsigned> seen;
    for (auto [dim, size] : llvm::enumerate(getShape(value)))
      if (size != 1 && !seen.insert(classes[firstNodes[value] + dim]).second)
        isBlocked[classes[firstNodes[value] + dim]] = true;
  }
  // Parts of a program that write the same elements of an array are not
  // independent.
  if (use == AxisUse::Extend)
    return;
  for (unsigned axis = 0; axis < classes.getNumClasses(); ++axis)
    for (Value ref : kernel.getOutputRefs())
      if (!isBlocked[axis] && !findDim(ref, axis) &&
          !findDim(getDividedRef(ref), axis))
        isBlocked[axis] = true;
}
