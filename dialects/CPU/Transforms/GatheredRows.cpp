//===- GatheredRows.cpp - loads of rows at indices that are data ----------===//
//
// Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dialects/CPU/Transforms/GatheredRows.h"
#include "dialects/CPU/Transforms/MirroredReads.h"
#include "dialects/CPU/Transforms/VectorTarget.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "mlir/Interfaces/TilingInterface.h"

using namespace mlir;

namespace {

/// The indices of loads that an op computes from data.
class DataIndices {
public:
  explicit DataIndices(linalg::GenericOp op)
      : loops(op.getNumLoops()), op(op) {}

  /// Adds the indices of `load` if it reads a row: its last index is a loop
  /// that the others do not depend on. False if it does not, and then the other
  /// members are those of some of its indices.
  bool add(memref::LoadOp load) {
    bool hasData = false;
    for (Value index : load.getIndices()) {
      if (isOutside(index) || index.getDefiningOp<linalg::IndexOp>())
        continue;
      hasData = true;
      if (!addValue(index))
        return false;
    }
    arrays.push_back(load.getMemref());
    auto last = load.getIndices().back().getDefiningOp<linalg::IndexOp>();
    return hasData && last && !loops.test(last.getDim());
  }

  void merge(const DataIndices &other) {
    loops |= other.loops;
    ops.insert_range(other.ops);
    arguments.insert_range(other.arguments);
    llvm::append_range(arrays, other.arrays);
  }

  /// The loops that the indices depend on.
  llvm::SmallBitVector loops;
  /// The ops of the body that compute them.
  SetVector<Operation *> ops;
  /// The arguments of the body that they are computed from.
  SetVector<BlockArgument> arguments;
  /// The arrays that the loads, and loads of the indices, read.
  SmallVector<Value> arrays;

private:
  bool isOutside(Value value) {
    return value.getParentRegion() != &op.getRegion();
  }

  /// Adds what a value is computed from. False if it has another effect than a
  /// read, or depends on a result.
  bool addValue(Value root) {
    SmallVector<Value> values{root};
    while (!values.empty()) {
      Value value = values.pop_back_val();
      if (isOutside(value))
        continue;
      if (auto argument = dyn_cast<BlockArgument>(value)) {
        if (!addArgument(argument))
          return false;
        continue;
      }
      Operation *inner = value.getDefiningOp();
      if (auto load = dyn_cast<memref::LoadOp>(inner))
        arrays.push_back(load.getMemref());
      else if (!isPure(inner) || inner->getNumRegions() != 0)
        return false;
      if (auto position = dyn_cast<linalg::IndexOp>(inner))
        loops.set(position.getDim());
      if (ops.insert(inner))
        llvm::append_range(values, inner->getOperands());
    }
    return true;
  }

  bool addArgument(BlockArgument argument) {
    OpOperand *operand = op.getMatchingOpOperand(argument);
    if (op.isDpsInit(operand))
      return false;
    AffineMap map = op.getMatchingIndexingMap(operand);
    for (unsigned loop = 0; loop < loops.size(); ++loop)
      if (map.isFunctionOfDim(loop))
        loops.set(loop);
    arguments.insert(argument);
    if (isa<MemRefType>(operand->get().getType()))
      arrays.push_back(operand->get());
    return true;
  }

  linalg::GenericOp op;
};

DataIndices findDataIndices(linalg::GenericOp op) {
  DataIndices result(op);
  for (auto load : op.getBody()->getOps<memref::LoadOp>()) {
    DataIndices indices(op);
    if (indices.add(load))
      result.merge(indices);
  }
  return result;
}

/// True if loops over those that decide the indices may be outside of the
/// others.
bool canWalkRows(linalg::GenericOp op, const DataIndices &indices) {
  if (indices.loops.none() || indices.loops.all())
    return false;
  SmallVector<utils::IteratorType> kinds = op.getIteratorTypesArray();
  SmallVector<int64_t> ranges = op.getStaticLoopRanges();
  for (unsigned loop = 0; loop < kinds.size(); ++loop) {
    if (indices.loops.test(loop) &&
        kinds[loop] != utils::IteratorType::parallel)
      return false;
    // Without an element in a row no index is read.
    if (!indices.loops.test(loop) &&
        (ShapedType::isDynamic(ranges[loop]) || ranges[loop] == 0))
      return false;
  }
  return llvm::all_of(op.getIndexingMapsArray(),
                      [](AffineMap map) {
                        return map.isProjectedPermutation(
                            /*allowZeroInResults=*/true);
                      }) &&
         llvm::none_of(indices.arrays, [&](Value array) {
           return gridir::cpu::isWritten(op, array);
         });
}

/// Computes the indices of the loads of one row before `row`.
void hoistIndices(RewriterBase &rewriter, linalg::GenericOp row) {
  DataIndices indices = findDataIndices(row);
  rewriter.setInsertionPoint(row);
  Location loc = row.getLoc();
  Value zero = arith::ConstantIndexOp::create(rewriter, loc, 0);
  IRMapping mapping;
  for (BlockArgument argument : indices.arguments) {
    OpOperand *operand = row.getMatchingOpOperand(argument);
    Value value = operand->get();
    if (auto type = dyn_cast<MemRefType>(value.getType()))
      value = memref::LoadOp::create(rewriter, loc, value,
                                     SmallVector<Value>(type.getRank(), zero));
    mapping.map(argument, value);
  }
  for (Operation &inner : row.getBody()->without_terminator()) {
    if (!indices.ops.contains(&inner))
      continue;
    // The loops around the row have a position in the views of the operands.
    if (auto position = dyn_cast<linalg::IndexOp>(inner))
      mapping.map(position.getResult(), zero);
    else
      rewriter.clone(inner, mapping);
  }
  for (auto load : row.getBody()->getOps<memref::LoadOp>())
    for (OpOperand &index : load.getIndicesMutable())
      if (!index.get().getDefiningOp<linalg::IndexOp>())
        rewriter.modifyOpInPlace(
            load, [&] { index.set(mapping.lookupOrDefault(index.get())); });
}

/// Erases what only computed indices: the ops of the body, and the inputs of
/// one element. The widest element of an input decides the lanes.
linalg::GenericOp dropIndices(RewriterBase &rewriter, linalg::GenericOp op) {
  gridir::cpu::eraseDeadOps(rewriter, *op.getBody());
  SmallVector<Value> inputs;
  SmallVector<AffineMap> maps;
  llvm::BitVector unused(op->getNumOperands());
  for (OpOperand *input : op.getDpsInputOperands()) {
    auto type = dyn_cast<MemRefType>(input->get().getType());
    bool isElement =
        !type || (type.hasStaticShape() && type.getNumElements() == 1);
    if (isElement && op.getMatchingBlockArgument(input).use_empty()) {
      unused.set(input->getOperandNumber());
      continue;
    }
    inputs.push_back(input->get());
    maps.push_back(op.getMatchingIndexingMap(input));
  }
  for (OpOperand &init : op.getDpsInitsMutable())
    maps.push_back(op.getMatchingIndexingMap(&init));
  rewriter.setInsertionPoint(op);
  auto result =
      linalg::GenericOp::create(rewriter, op.getLoc(), inputs, op.getDpsInits(),
                                maps, op.getIteratorTypesArray());
  rewriter.inlineRegionBefore(op.getRegion(), result.getRegion(),
                              result.getRegion().begin());
  result.getBody()->eraseArguments(unused);
  rewriter.eraseOp(op);
  return result;
}

} // namespace

linalg::GenericOp gridir::cpu::walkGatheredRows(RewriterBase &rewriter,
                                                linalg::GenericOp op) {
  DataIndices indices = findDataIndices(op);
  if (!canWalkRows(op, indices))
    return op;
  rewriter.setInsertionPoint(op);
  Location loc = op.getLoc();
  SmallVector<Range> ranges =
      cast<linalg::LinalgOp>(op.getOperation()).createLoopRanges(rewriter, loc);
  SmallVector<OpFoldResult> offsets, sizes;
  for (const Range &range : ranges) {
    offsets.push_back(range.offset);
    sizes.push_back(range.size);
  }
  Value zero = arith::ConstantIndexOp::create(rewriter, loc, 0);
  Value one = arith::ConstantIndexOp::create(rewriter, loc, 1);
  for (unsigned dim : indices.loops.set_bits()) {
    Value end = getValueOrCreateConstantIndexOp(rewriter, loc, sizes[dim]);
    auto loop = scf::ForOp::create(rewriter, loc, zero, end, one);
    rewriter.setInsertionPointToStart(loop.getBody());
    offsets[dim] = loop.getInductionVar();
    sizes[dim] = rewriter.getIndexAttr(1);
  }
  FailureOr<TilingResult> tiled =
      cast<TilingInterface>(op.getOperation())
          .getTiledImplementation(rewriter, offsets, sizes);
  auto row = cast<linalg::GenericOp>(tiled->tiledOps.front());
  hoistIndices(rewriter, row);
  rewriter.eraseOp(op);
  row = dropUnitDims(rewriter, dropIndices(rewriter, row));
  rewriter.setInsertionPoint(row);
  return row;
}
