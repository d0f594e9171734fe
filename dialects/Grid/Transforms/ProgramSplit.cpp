//===- ProgramSplit.cpp - Programs of fewer positions along an axis -------===//
//
// Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dialects/Grid/Transforms/ProgramSplit.h"

#include "dialects/Grid/Transforms/BlockResize.h"
#include "dialects/Support/Builders.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"

using namespace mlir;
using namespace gridir;
using namespace gridir::grid;

namespace {

/// Splits the programs of a kernel along one axis.
class ProgramSplit {
public:
  ProgramSplit(KernelOp kernel, const BlockAxes &axes, unsigned axis,
               int64_t parts, DimKind kind)
      : kernel(kernel), axes(axes), axis(axis), parts(parts), kind(kind),
        builder(kernel.getContext()) {}

  void apply() {
    insertDim();
    for (unsigned i = kernel.getNumIndexOperands();
         i < kernel.getNumOperandSpecs(); ++i)
      splitOperand(i);
    // Before the types that say which loops run along the axis change.
    shiftIndices();
    for (Value value : axes.getValues(axis))
      if (auto slice = value.getDefiningOp<SliceRefOp>())
        shiftWindow(slice);
    resizeValues(axes, axis, [&](int64_t whole) { return whole / parts; });
  }

private:
  /// The size of a part along a dimension of a value.
  int64_t getPartSize(Value value, unsigned dim) const {
    return cast<ShapedType>(value.getType()).getDimSize(dim) / parts;
  }

  /// Inserts the dimension before the first one that is not parallel, so that
  /// state is carried along that one for each part.
  void insertDim() {
    newDim = 0;
    while (newDim < kernel.getRank() &&
           (kernel.getDim(newDim).getSize() == 1 ||
            kernel.getDimSemantics(newDim) == DimSemantics::Parallel))
      ++newDim;
    SmallVector<Attribute> dims(kernel.getDims().getValue()), semantics;
    for (unsigned dim = 0; dim < kernel.getRank(); ++dim)
      semantics.push_back(DimSemanticsAttr::get(kernel.getContext(),
                                                kernel.getDimSemantics(dim)));
    dims.insert(dims.begin() + newDim,
                DimAttr::get(kernel.getContext(), parts, StringAttr(),
                             /*vmapped=*/false, kind));
    semantics.insert(
        semantics.begin() + newDim,
        DimSemanticsAttr::get(kernel.getContext(), DimSemantics::Parallel));
    kernel.getBodyRegion().walk([&](Operation *op) {
      if (!isa<ProgramIdOp, NumProgramsOp>(op))
        return;
      auto number = op->getAttrOfType<IntegerAttr>("axis");
      if (number && number.getInt() >= newDim)
        op->setAttr("axis", builder.getI64IntegerAttr(number.getInt() + 1));
    });
    kernel.setDimsAttr(builder.getArrayAttr(dims));
    kernel.setSemanticsAttr(builder.getArrayAttr(semantics));
    // These describe the author's dimensions and blocks.
    kernel.removeParamsAttr();
    kernel.removeJaxAttr();
    for (unsigned i = 0; i < kernel.getNumInputs() + kernel.getNumOutputs();
         ++i)
      kernel.getIndexMap(i).front().insertArgument(newDim, builder.getI32Type(),
                                                   kernel.getLoc());
  }

  void splitOperand(unsigned operand) {
    Value ref = kernel.getBodyBlock()->getArgument(operand);
    std::optional<unsigned> refDim = axes.findDim(ref, axis);
    if (!refDim)
      return;
    OperandAttr spec = kernel.getOperandSpec(operand);
    auto [arrayDim, index] = findBlockDim(spec, *refDim);
    BlockDimAttr old = spec.getBlockDims()[arrayDim];
    int64_t size = getPartSize(ref, *refDim);
    resizeBlock(kernel, operand, arrayDim, size);

    unsigned number = operand - kernel.getNumIndexOperands();
    Block &map = kernel.getIndexMap(number).front();
    Operation *end = map.getTerminator();
    builder.setInsertionPoint(end);
    Location loc = end->getLoc();
    Value first = end->getOperand(index);
    auto createNumber = [&](int64_t n) {
      return arith::ConstantOp::create(
          builder, loc, builder.getIntegerAttr(first.getType(), n));
    };
    Value part = map.getArgument(newDim);
    if (part.getType() != first.getType())
      part = arith::ExtSIOp::create(builder, loc, first.getType(), part);
    // An index counts blocks, or elements of the array.
    if (old.getKind() == BlockKind::Blocked)
      first = arith::MulIOp::create(builder, loc, first, createNumber(parts));
    else
      part = arith::MulIOp::create(builder, loc, part, createNumber(size));
    end->setOperand(index, arith::AddIOp::create(builder, loc, first, part));
  }

  /// An index of a loop along the axis counts from the begin of the block.
  void shiftIndices() {
    SmallVector<std::pair<linalg::IndexOp, int64_t>> indices;
    kernel.getBodyRegion().walk([&](linalg::IndexOp op) {
      auto parent = cast<linalg::LinalgOp>(op->getParentOp());
      for (auto [number, result] : llvm::enumerate(parent->getResults())) {
        AffineMap map =
            parent.getMatchingIndexingMap(parent.getDpsInitOperand(number));
        for (auto [dim, expr] : llvm::enumerate(map.getResults()))
          if (expr == getAffineDimExpr(op.getDim(), op.getContext()) &&
              axes.getAxis(result, dim) == axis) {
            indices.emplace_back(op, getPartSize(result, dim));
            return;
          }
      }
    });
    for (auto [op, size] : indices) {
      builder.setInsertionPoint(op->getParentOp());
      Location loc = op.getLoc();
      Value part = ProgramIdOp::create(builder, loc, builder.getI32Type(),
                                       builder.getI64IntegerAttr(newDim));
      part = arith::IndexCastOp::create(builder, loc, builder.getIndexType(),
                                        part);
      Value offset = arith::MulIOp::create(
          builder, loc, part,
          arith::ConstantIndexOp::create(builder, loc, size));
      builder.setInsertionPointAfter(op);
      auto shifted = arith::AddIOp::create(builder, loc, op, offset);
      op.getResult().replaceAllUsesExcept(shifted, shifted);
    }
  }

  /// A part of a window begins later in the Ref unless the Ref is split, too.
  void shiftWindow(SliceRefOp slice) {
    if (axes.findDim(slice.getSource(), axis))
      return;
    unsigned dim = 0, kept = 0, ofWindow = *axes.findDim(slice, axis);
    for (;; ++dim) {
      bool isKept = !llvm::is_contained(slice.getDropped(), dim);
      if (isKept && kept == ofWindow)
        break;
      kept += isKept;
    }
    builder.setInsertionPoint(slice);
    Location loc = slice.getLoc();
    Value part = ProgramIdOp::create(builder, loc, builder.getI32Type(),
                                     builder.getI64IntegerAttr(newDim));
    Value offset =
        arith::MulIOp::create(builder, loc, toIndex(builder, loc, part),
                              arith::ConstantIndexOp::create(
                                  builder, loc, getPartSize(slice, ofWindow)));
    SmallVector<OpFoldResult> offsets =
        getMixedValues(slice.getStaticOffsets(), slice.getOffsets(), builder);
    offsets[dim] = arith::AddIOp::create(builder, loc, offset,
                                         toIndex(builder, loc, offsets[dim]))
                       .getResult();
    SmallVector<int64_t> statics;
    SmallVector<Value> dynamics;
    dispatchIndexOpFoldResults(offsets, dynamics, statics);
    slice.getOffsetsMutable().assign(dynamics);
    slice.setStaticOffsets(statics);
  }

  KernelOp kernel;
  const BlockAxes &axes;
  unsigned axis;
  int64_t parts;
  DimKind kind;
  OpBuilder builder;
  unsigned newDim = 0;
};

} // namespace

void gridir::grid::splitProgram(KernelOp kernel, const BlockAxes &axes,
                                unsigned axis, int64_t parts, DimKind kind) {
  ProgramSplit(kernel, axes, axis, parts, kind).apply();
}
