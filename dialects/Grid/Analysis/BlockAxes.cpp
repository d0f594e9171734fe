//===- BlockAxes.cpp - Axes along which a program can be split -----------===//
//
// Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dialects/Grid/Analysis/BlockAxes.h"

#include "dialects/Support/NeutralElement.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace gridir::grid;

ArrayRef<int64_t> BlockAxes::getShape(Value value) {
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
