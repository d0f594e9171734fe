//===- ExpandSelections.cpp - Branches for the Refs to choose from --------===//
//
// Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dialects/Grid/Transforms/Passes.h"

#include "dialects/Grid/IR/Grid.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/IRMapping.h"
#include "llvm/ADT/SetVector.h"

namespace gridir::grid {
#define GEN_PASS_DEF_GRIDEXPANDSELECTIONSPASS
#include "dialects/Grid/Transforms/Passes.h.inc"
} // namespace gridir::grid

using namespace mlir;
using namespace gridir::grid;

namespace {

/// One selection of a Ref, and the uses of the selected one.
class Selection {
public:
  explicit Selection(SelectRefOp select) : select(select) { collect(select); }

  /// Replaces the selection by branches, one for each Ref, around each op that
  /// is not a view.
  void expand() {
    for (Operation *op : users) {
      OpBuilder builder(op);
      op->replaceAllUsesWith(createBranches(builder, op, 0));
      op->erase();
    }
    for (Operation *view : llvm::reverse(views))
      view->erase();
  }

private:
  void collect(Operation *view) {
    views.insert(view);
    for (Operation *user : view->getUsers())
      if (isa<RefViewOpInterface>(user))
        collect(user);
      else
        users.insert(user);
  }

  /// Returns the results of an op if the selected Ref is not one of the first
  /// `i` ones. The last Ref handles all other indices.
  SmallVector<Value> createBranches(OpBuilder &builder, Operation *op,
                                    unsigned first) {
    ValueRange sources = select.getSources();
    Location loc = op->getLoc();
    if (first + 1 == sources.size())
      return clone(builder, op, sources[first]);
    auto number = arith::ConstantOp::create(builder, loc,
                                            builder.getI32IntegerAttr(first));
    Value isThis = arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::eq,
                                         select.getIndex(), number);
    return llvm::to_vector_of<Value>(
        scf::IfOp::create(
            builder, loc, isThis,
            [&](OpBuilder &inner, Location) {
              scf::YieldOp::create(inner, loc,
                                   clone(inner, op, sources[first]));
            },
            [&](OpBuilder &inner, Location) {
              scf::YieldOp::create(inner, loc,
                                   createBranches(inner, op, first + 1));
            })
            .getResults());
  }

  SmallVector<Value> clone(OpBuilder &builder, Operation *op, Value source) {
    IRMapping map;
    map.map(select.getResult(), source);
    for (Value operand : op->getOperands())
      cloneView(builder, operand, map);
    return llvm::to_vector_of<Value>(builder.clone(*op, map)->getResults());
  }

  void cloneView(OpBuilder &builder, Value value, IRMapping &map) {
    Operation *view = value.getDefiningOp();
    if (map.contains(value) || !view || !views.contains(view))
      return;
    for (Value operand : view->getOperands())
      cloneView(builder, operand, map);
    builder.clone(*view, map);
  }

  SelectRefOp select;
  /// The selection itself, and views of the selected Ref.
  llvm::SetVector<Operation *> views;
  /// The users of a selection.
  llvm::SetVector<Operation *> users;
};

class GridExpandSelectionsPass
    : public gridir::grid::impl::GridExpandSelectionsPassBase<
          GridExpandSelectionsPass> {
public:
  using GridExpandSelectionsPassBase::GridExpandSelectionsPassBase;

  void runOnOperation() override {
    SmallVector<SelectRefOp> selects;
    getOperation()->walk([&](SelectRefOp op) { selects.push_back(op); });
    // In reverse order, since no later selection uses an earlier result.
    for (SelectRefOp select : llvm::reverse(selects))
      Selection(select).expand();
    numExpanded += selects.size();
  }
};

} // namespace
