//===- ElementwiseGroups.cpp - elementwise ops of one loop ----------------===//
//
// Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dialects/Loops/Transforms/ElementwiseGroups.h"

#include "dialects/Loops/Analysis/MemoryHazards.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/Matchers.h"
#include "mlir/IR/PatternMatch.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/SetVector.h"

using namespace mlir;
using namespace gridir::loops;

namespace {

/// Arithmetic on tensors of one static shape.
bool isElementwise(Operation *op) {
  if (!OpTrait::hasElementwiseMappableTraits(op) || op->getNumResults() != 1 ||
      op->getNumRegions() != 0 || !isMemoryEffectFree(op))
    return false;
  auto type = dyn_cast<RankedTensorType>(op->getResult(0).getType());
  return type && type.hasStaticShape() &&
         llvm::all_of(op->getOperandTypes(), [&](Type operand) {
           auto tensor = dyn_cast<RankedTensorType>(operand);
           return tensor && tensor.getShape() == type.getShape();
         });
}

/// The number that all elements of a constant are; null for anything else, as
/// for a complex number, which is no attribute of one type, or a string.
TypedAttr getSplat(Value value) {
  SplatElementsAttr splat;
  if (!matchPattern(value, m_Constant(&splat)))
    return {};
  auto number = dyn_cast<TypedAttr>(splat.getSplatValue<Attribute>());
  return number && number.getType() == splat.getElementType() ? number
                                                              : TypedAttr();
}

/// Ops of one block that are computed where the last of them is.
struct Group {
  /// The last op first.
  SmallVector<Operation *> ops;
  /// The last op, and those that others use, in the same order.
  SmallVector<Operation *> used;
  /// The tensors that the group reads, but does not produce.
  DenseSet<Value> inputs;
  DenseSet<Operation *> members;

  Operation *getLast() const { return ops.front(); }

  /// Adds an op that precedes all others.
  void add(Operation *op) {
    if (ops.empty() || llvm::any_of(op->getUsers(), [&](Operation *user) {
          return !members.contains(user);
        }))
      used.push_back(op);
    ops.push_back(op);
    members.insert(op);
    inputs.erase(op->getResult(0));
    for (Value operand : op->getOperands())
      if (!getSplat(operand))
        inputs.insert(operand);
  }

  bool isWithin(const ElementwiseLimits &limits) const {
    return limits.allow(ops.size(), inputs.size() + used.size());
  }
};

/// Collects the groups of elementwise ops of one block. The walk is upwards
/// from the last op, so all users of an op are known when it is visited.
class Grouping {
public:
  Grouping(Block &block, const ElementwiseLimits &limits)
      : limits(limits), writes(block) {
    SmallVector<Operation *> ops;
    for (Operation &op : llvm::reverse(block))
      if (isElementwise(&op))
        ops.push_back(&op);
    // Values that are used again count as operands only if a group is cut
    // between their uses.
    for (Group &group : collect(ops))
      if (group.isWithin(limits))
        groups.push_back(std::move(group));
      else
        cut(group.ops);
  }

  ArrayRef<Group> getGroups() const { return groups; }

private:
  /// Groups of ops whose results are used only inside of the group, except the
  /// last one.
  SmallVector<Group> collect(ArrayRef<Operation *> ops) {
    SmallVector<Group> found;
    DenseMap<Operation *, unsigned> groupOf;
    for (Operation *op : ops) {
      std::optional<unsigned> group = findGroupOfUsers(op, groupOf);
      if (group && !mayJoin(op, found[*group]))
        group.reset();
      if (!group) {
        group = found.size();
        found.emplace_back();
      }
      found[*group].add(op);
      groupOf[op] = *group;
    }
    return found;
  }

  /// Cuts the ops of a group, the last one first, into as few as the limits
  /// allow. A later one may use whatever an earlier one makes.
  void cut(ArrayRef<Operation *> ops) {
    while (!ops.empty()) {
      Group tried;
      size_t numAllowed = 1;
      for (Operation *op : ops.take_front(limits.maxOps)) {
        tried.add(op);
        if (tried.isWithin(limits))
          numAllowed = tried.ops.size();
      }
      Group &group = groups.emplace_back();
      for (Operation *op : ops.take_front(numAllowed))
        group.add(op);
      ops = ops.drop_front(numAllowed);
    }
  }

  static std::optional<unsigned>
  findGroupOfUsers(Operation *op,
                   const DenseMap<Operation *, unsigned> &groupOf) {
    std::optional<unsigned> group;
    for (Operation *user : op->getUsers()) {
      auto known = groupOf.find(user);
      if (known == groupOf.end() || (group && *group != known->second))
        return std::nullopt;
      group = known->second;
    }
    return group;
  }

  /// True if `op` may be computed at the position of the group's last op: it
  /// has the same shape, and its operands in memory are not overwritten before.
  bool mayJoin(Operation *op, const Group &group) {
    Operation *last = group.getLast();
    if (cast<RankedTensorType>(op->getResult(0).getType()).getShape() !=
        cast<RankedTensorType>(last->getResult(0).getType()).getShape())
      return false;
    return llvm::none_of(op->getOperands(), [&](Value operand) {
      return writes.mayWriteBetween(op, last, operand);
    });
  }

  const ElementwiseLimits &limits;
  BlockWrites writes;
  SmallVector<Group> groups;
};

/// Makes one `linalg.generic` of a group, where its last op is.
void createGeneric(IRRewriter &rewriter, const Group &group) {
  Operation *last = group.getLast();
  Location loc = last->getLoc();
  rewriter.setInsertionPoint(last);
  IRMapping mapping;
  SetVector<Value> inputs;
  DenseSet<Value> made;
  for (Operation *op : llvm::reverse(group.ops)) {
    for (Value operand : op->getOperands()) {
      TypedAttr number = getSplat(operand);
      if (!number && !made.contains(operand))
        inputs.insert(operand);
      else if (number && !mapping.contains(operand))
        mapping.map(operand, arith::ConstantOp::create(rewriter, loc, number));
    }
    made.insert(op->getResult(0));
  }
  SmallVector<Value> results, empties;
  for (Operation *op : group.used) {
    auto type = cast<RankedTensorType>(op->getResult(0).getType());
    results.push_back(op->getResult(0));
    empties.push_back(tensor::EmptyOp::create(rewriter, loc, type.getShape(),
                                              type.getElementType()));
  }
  int64_t rank = cast<RankedTensorType>(last->getResult(0).getType()).getRank();
  SmallVector<AffineMap> maps(inputs.size() + empties.size(),
                              rewriter.getMultiDimIdentityMap(rank));
  SmallVector<utils::IteratorType> iterators(rank,
                                             utils::IteratorType::parallel);
  auto generic = linalg::GenericOp::create(
      rewriter, loc, TypeRange(empties), inputs.getArrayRef(), empties, maps,
      iterators, [&](OpBuilder &builder, Location, ValueRange arguments) {
        mapping.map(inputs.getArrayRef(), arguments.take_front(inputs.size()));
        for (Operation *op : llvm::reverse(group.ops)) {
          SmallVector<Value> operands;
          for (Value operand : op->getOperands())
            operands.push_back(mapping.lookup(operand));
          Operation *scalar = builder.create(
              op->getLoc(), op->getName().getIdentifier(), operands,
              getElementTypeOrSelf(op->getResult(0)), op->getAttrs());
          mapping.map(op->getResult(0), scalar->getResult(0));
        }
        linalg::YieldOp::create(builder, loc,
                                llvm::map_to_vector(results, [&](Value result) {
                                  return mapping.lookup(result);
                                }));
      });
  rewriter.replaceAllUsesWith(results, generic.getResults());
  for (Operation *op : group.ops)
    rewriter.eraseOp(op);
}

} // namespace

void gridir::loops::groupElementwiseOps(Operation *root,
                                        const ElementwiseLimits &limits) {
  SmallVector<Block *> blocks;
  root->walk([&](Block *block) {
    // The body of a structured op is arithmetic on its elements.
    if (!isa<linalg::LinalgOp>(block->getParentOp()))
      blocks.push_back(block);
  });
  IRRewriter rewriter(root->getContext());
  for (Block *block : blocks) {
    Grouping grouping(*block, limits);
    for (const Group &group : grouping.getGroups())
      createGeneric(rewriter, group);
  }
}
