//===- GridLoops.cpp - Loops over the dimensions of a grid ----------------===//
//
// Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dialects/Warpgroup/Transforms/GridLoops.h"

#include "dialects/Support/Builders.h"
#include "dialects/Warpgroup/Transforms/BlockProgram.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;
using namespace gridir;
using namespace gridir::grid;

/// Programs among which those of parallel dimensions are distributed: a few for
/// each multiprocessor. Programs without work end at once.
static constexpr int64_t kPrograms = 1024;

warpgroup::GridLoops::GridLoops(KernelOp old)
    : old(old), numSizes(old.getNumDynamicDims()) {
  for (unsigned dim = 0; dim < old.getRank(); ++dim)
    if (numSizes != 0 && isSequential(old, dim))
      ordered.push_back(dim);
    else if (old.getDim(dim).isDynamic())
      distributed.push_back(dim);
    else
      kept.push_back(dim);
}

bool warpgroup::GridLoops::dependsOnLoops(AffineMap map) const {
  return llvm::any_of(llvm::concat<const unsigned>(distributed, ordered),
                      [&](unsigned dim) { return map.isFunctionOfDim(dim); });
}

AffineMap warpgroup::GridLoops::getRemaining(AffineMap map) {
  MLIRContext *context = map.getContext();
  SmallVector<AffineExpr> dims(old.getRank(),
                               getAffineConstantExpr(0, context));
  for (auto [number, dim] : llvm::enumerate(kept))
    dims[dim] = getAffineDimExpr(number, context);
  return map.replaceDimsAndSymbols(dims, {}, getRank(), 0);
}

unsigned warpgroup::GridLoops::getRank() const {
  return kept.size() + !distributed.empty();
}

void warpgroup::GridLoops::changeDims(KernelOp kernel) {
  if (numSizes == 0)
    return;
  MLIRContext *context = kernel.getContext();
  SmallVector<Attribute> dims, semantics;
  int64_t programs = 1;
  for (unsigned dim : kept) {
    dims.push_back(old.getDims()[dim]);
    semantics.push_back(
        DimSemanticsAttr::get(context, old.getDimSemantics(dim)));
    programs *= std::max<int64_t>(old.getDim(dim).getSize(), 1);
  }
  if (!distributed.empty()) {
    dims.push_back(DimAttr::get(
        context, std::max<int64_t>(kPrograms / programs, 1), StringAttr(),
        /*vmapped=*/false, DimKind::Grid));
    semantics.push_back(DimSemanticsAttr::get(context, DimSemantics::Parallel));
  }
  kernel.setDimsAttr(ArrayAttr::get(context, dims));
  kernel.setSemanticsAttr(ArrayAttr::get(context, semantics));
  // These describe the author's dimensions.
  kernel.removeParamsAttr();
  kernel->removeAttr(kMemoryPlanAttrName);
}

/// The product of the sizes along some dimensions. A negative size is an empty
/// grid.
Value warpgroup::GridLoops::createCount(OpBuilder &builder,
                                        ArrayRef<unsigned> dims) {
  if (dims.size() == 1)
    return sizes[dims.front()];
  Location loc = old.getLoc();
  Value count = createI64(builder, loc, 1), zero = createI32(builder, loc, 0);
  for (unsigned dim : dims) {
    Value size = arith::MaxSIOp::create(builder, loc, sizes[dim], zero);
    count =
        arith::MulIOp::create(builder, loc, count, toI64(builder, loc, size));
  }
  return count;
}

/// Opens a loop over some dimensions, in row-major order.
void warpgroup::GridLoops::createLoop(OpBuilder &builder,
                                      ArrayRef<unsigned> dims, Value first,
                                      int64_t distance) {
  Location loc = old.getLoc();
  Value count = createCount(builder, dims);
  Type type = count.getType();
  if (type != first.getType())
    first = toI64(builder, loc, first);
  auto loop = scf::ForOp::create(builder, loc, first, count,
                                 createInteger(builder, loc, type, distance));
  builder.setInsertionPointToStart(loop.getBody());
  Value number = loop.getInductionVar();
  for (unsigned dim : llvm::reverse(dims.drop_front())) {
    Value size = toI64(builder, loc, sizes[dim]);
    ids[dim] =
        toI32(builder, loc,
              arith::RemUIOp::create(builder, loc, number, size).getResult());
    number = arith::DivUIOp::create(builder, loc, number, size);
  }
  ids[dims.front()] = toI32(builder, loc, number);
}

/// Lets an op of the body that asks about a dimension use what is known of it.
void warpgroup::GridLoops::replaceAxis(OpBuilder &builder, Operation *op) {
  unsigned dim = *old.findDim(op->getAttr("axis"));
  if (const unsigned *found = llvm::find(kept, dim); found != kept.end()) {
    if (op->getAttrOfType<IntegerAttr>("axis"))
      op->setAttr("axis", builder.getI64IntegerAttr(found - kept.begin()));
    return;
  }
  op->replaceAllUsesWith(
      ValueRange(isa<ProgramIdOp>(op) ? ids[dim] : sizes[dim]));
  op->erase();
}

SmallVector<Value> warpgroup::GridLoops::createLoops(OpBuilder &builder,
                                                     KernelOp kernel) {
  Location loc = old.getLoc();
  Block *body = kernel.getBodyBlock();
  SmallVector<Operation *> questions;
  body->walk([&](Operation *op) {
    if (isa<ProgramIdOp, NumProgramsOp>(op))
      questions.push_back(op);
  });
  builder.setInsertionPointToStart(body);
  ids.resize(old.getRank());
  sizes.resize(old.getRank());
  unsigned numKnown = 0;
  for (unsigned dim = 0; dim < old.getRank(); ++dim)
    if (old.getDim(dim).isDynamic())
      sizes[dim] = LoadOp::create(builder, loc, builder.getI32Type(),
                                  body->getArgument(numKnown++),
                                  /*mask=*/Value(), /*other=*/Value());
    else if (llvm::is_contained(ordered, dim))
      sizes[dim] = createI32(builder, loc, old.getDim(dim).getSize());
  for (auto [number, dim] : llvm::enumerate(kept))
    ids[dim] = ProgramIdOp::create(builder, loc, builder.getI32Type(),
                                   builder.getI64IntegerAttr(number));
  if (!distributed.empty()) {
    Value first = ProgramIdOp::create(builder, loc, builder.getI32Type(),
                                      builder.getI64IntegerAttr(kept.size()));
    createLoop(builder, distributed, first,
               kernel.getDim(kept.size()).getSize());
  }
  // Only the outermost loop has an unknown number of iterations, so that copies
  // to shared memory can precede those of all loops.
  unsigned numOuter = ordered.size();
  while (numOuter > 0 && !old.getDim(ordered[numOuter - 1]).isDynamic())
    --numOuter;
  Value zero = createI32(builder, loc, 0);
  if (numOuter > 0)
    createLoop(builder, ArrayRef(ordered).take_front(numOuter), zero,
               /*distance=*/1);
  for (unsigned dim : ArrayRef(ordered).drop_front(numOuter))
    createLoop(builder, dim, zero, /*distance=*/1);
  for (Operation *op : questions)
    replaceAxis(builder, op);
  // The outermost loop is the last op of the body before the old ones.
  Block *inner = builder.getInsertionBlock();
  Operation *outer = body->findAncestorOpInBlock(*inner->getParentOp());
  Operation *next = outer->getNextNode(), *end = inner->getTerminator();
  Operation *first = next == body->getTerminator() ? end : next;
  inner->getOperations().splice(end->getIterator(), body->getOperations(),
                                next->getIterator(), std::prev(body->end()));
  builder.setInsertionPoint(first);
  return ids;
}
