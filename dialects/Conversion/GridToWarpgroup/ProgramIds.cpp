//===- ProgramIds.cpp - The author's ids in a warpgroup program -----------===//
//
// Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dialects/Conversion/GridToWarpgroup/ProgramBody.h"

#include "dialects/Support/Builders.h"
#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;
using namespace gridir;
using namespace gridir::grid_to_warpgroup;

/// Sets the ids along `dims` to the coordinates of a number in row-major order.
void ProgramBody::delinearize(Value number, ArrayRef<unsigned> order,
                              Ids &ids) {
  for (unsigned dim : llvm::reverse(order)) {
    bool isFirst = dim == order.front();
    Value size = createIndex(dims[dim].getSize());
    ids[dim] =
        isFirst
            ? number
            : arith::RemUIOp::create(builder, loc, number, size).getResult();
    if (!isFirst)
      number = arith::DivUIOp::create(builder, loc, number, size);
  }
}

ProgramBody::Ids ProgramBody::createIds(Value warpgroup, Value step) {
  Ids ids(dims.size());
  for (auto [i, dim] : llvm::enumerate(ctaDims)) {
    Value id = grid::ProgramIdOp::create(builder, loc, builder.getI32Type(),
                                         builder.getI64IntegerAttr(i));
    ids[dim] = toIndex(builder, loc, id);
  }
  if (warpgroup && !threadDims.empty())
    delinearize(toIndex(builder, loc, warpgroup), threadDims, ids);
  if (!loopDims.empty())
    delinearize(step, loopDims, ids);
  return ids;
}

/// Replaces ops of a copy of the body that ask about the author's dimensions.
void ProgramBody::replaceAxes(ArrayRef<Operation *> copies, const Ids &ids) {
  SmallVector<Operation *> questions;
  for (Operation *copy : copies)
    copy->walk([&](Operation *op) {
      if (isa<grid::ProgramIdOp, grid::NumProgramsOp>(op))
        questions.push_back(op);
    });
  for (Operation *op : questions) {
    OpBuilder::InsertionGuard guard(builder);
    builder.setInsertionPoint(op);
    op->replaceAllUsesWith(ValueRange(createAxis(op, ids)));
    op->erase();
  }
}

/// The id of the program, or the number of programs, along an author's
/// dimension.
Value ProgramBody::createAxis(Operation *question, const Ids &ids) {
  unsigned dim = findDim(question->getAttr("axis"));
  return isa<grid::ProgramIdOp>(question)
             ? toI32(builder, loc, ids[dim])
             : createI32(builder, loc, dims[dim].getSize());
}

/// Returns the author's dimension of that number or name.
unsigned ProgramBody::findDim(Attribute axis) const {
  if (auto number = dyn_cast<IntegerAttr>(axis))
    return number.getInt();
  auto *named = llvm::find_if(
      dims, [&](grid::DimAttr dim) { return dim.getName() == axis; });
  return named - dims.begin();
}

/// True if the body does something in certain steps only, as `pl.when` of the
/// first or last one. The loop is shorter without that.
bool ProgramBody::dependsOnStep() const {
  auto isStep = [&](Value value) {
    auto id = value.getDefiningOp<grid::ProgramIdOp>();
    return id && llvm::is_contained(loopDims, findDim(id.getAxis()));
  };
  return llvm::any_of(oldBody->getOps<scf::IfOp>(), [&](scf::IfOp branch) {
    auto compare = branch.getCondition().getDefiningOp<arith::CmpIOp>();
    return compare && (isStep(compare.getLhs()) || isStep(compare.getRhs()));
  });
}
