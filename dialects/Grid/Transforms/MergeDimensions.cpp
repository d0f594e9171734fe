//===- MergeDimensions.cpp - Blocks as the body reshapes them -------------===//
//
// Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dialects/Grid/Transforms/Passes.h"

#include "dialects/Grid/IR/Grid.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/SetVector.h"

namespace gridir::grid {
#define GEN_PASS_DEF_GRIDMERGEDIMENSIONSPASS
#include "dialects/Grid/Transforms/Passes.h.inc"
} // namespace gridir::grid

using namespace mlir;
using namespace gridir::grid;

namespace {

ArrayRef<int64_t> getShape(Value value) {
  return cast<ShapedType>(value.getType()).getShape();
}

SmallVector<int64_t> mergeShape(ArrayRef<int64_t> shape, int64_t dim) {
  SmallVector<int64_t> merged(shape);
  merged[dim] *= merged[dim + 1];
  merged.erase(merged.begin() + dim + 1);
  return merged;
}

/// The dimension of the array that a dimension of a block is.
unsigned findArrayDim(OperandAttr spec, unsigned refDim) {
  unsigned arrayDim = 0;
  for (BlockDimAttr dim : spec.getBlockDims()) {
    if (!dim.isSqueezed() && refDim-- == 0)
      break;
    ++arrayDim;
  }
  return arrayDim;
}

/// True for a value with one number on all elements, or with none.
bool isUniform(Value value) {
  Operation *op = value.getDefiningOp();
  if (auto constant = dyn_cast_if_present<arith::ConstantOp>(op))
    return isa<SplatElementsAttr>(constant.getValue());
  return isa_and_present<linalg::FillOp, tensor::EmptyOp, tensor::SplatOp>(op);
}

/// Such a value in another shape.
Value createUniform(OpBuilder &builder, Operation *op, RankedTensorType type) {
  Location loc = op->getLoc();
  if (auto constant = dyn_cast<arith::ConstantOp>(op))
    return arith::ConstantOp::create(
        builder, loc,
        cast<SplatElementsAttr>(constant.getValue()).resizeSplat(type));
  if (auto splat = dyn_cast<tensor::SplatOp>(op))
    return tensor::SplatOp::create(builder, loc, type, splat.getInput());
  Value empty = tensor::EmptyOp::create(builder, loc, type.getShape(),
                                        type.getElementType());
  auto fill = dyn_cast<linalg::FillOp>(op);
  return fill ? linalg::FillOp::create(builder, loc, fill.getInputs()[0], empty)
                    .getResult(0)
              : empty;
}

/// Groups of dimensions without the one after `dim`.
SmallVector<ReassociationIndices>
mergeGroups(ArrayRef<ReassociationIndices> groups, int64_t dim) {
  SmallVector<ReassociationIndices> merged;
  for (const ReassociationIndices &group : groups) {
    ReassociationIndices kept;
    for (int64_t part : group)
      if (part != dim + 1)
        kept.push_back(part > dim ? part - 1 : part);
    if (!kept.empty())
      merged.push_back(kept);
  }
  return merged;
}

/// Refs and values whose two adjacent dimensions become one.
class Merge {
public:
  explicit Merge(KernelOp kernel) : kernel(kernel) {}

  /// Collects what is merged with a Ref. Returns false if an op prevents it, or
  /// if nothing reshapes the dimensions to one.
  bool collect(BlockArgument ref, int64_t dim) {
    add(ref, dim);
    for (size_t i = 0; isPossible && i < dims.size(); ++i) {
      Value value = dims.begin()[i].first;
      if (auto argument = dyn_cast<BlockArgument>(value))
        visitRef(argument);
      else
        visit(value.getDefiningOp());
      for (Operation *user : value.getUsers())
        visit(user);
    }
    for (Operation *op : ops)
      if (isa<tensor::ExpandShapeOp, tensor::CollapseShapeOp>(op))
        checkReshape(op);
    return isPossible && isReshaped;
  }

  void apply() {
    for (auto [value, dim] : dims)
      if (auto ref = dyn_cast<BlockArgument>(value))
        mergeOperand(ref, dim);
    for (auto [value, dim] : dims) {
      auto type = cast<ShapedType>(value.getType());
      SmallVector<int64_t> shape = mergeShape(type.getShape(), dim);
      if (auto memref = dyn_cast<MemRefType>(type))
        value.setType(MemRefType::get(shape, type.getElementType(),
                                      MemRefLayoutAttrInterface(),
                                      memref.getMemorySpace()));
      else
        value.setType(type.clone(shape));
    }
    // Reshapes go last, since their results are replaced.
    for (bool isReshape : {false, true})
      for (Operation *op : ops)
        if (isa<tensor::ExpandShapeOp, tensor::CollapseShapeOp>(op) ==
            isReshape)
          update(op);
  }

private:
  void add(Value value, int64_t dim) {
    auto [known, isNew] = dims.insert({value, dim});
    isPossible &= isNew || known->second == dim;
  }

  /// Blocks have the whole second dimension, so that elements along both are
  /// contiguous in the array.
  void visitRef(BlockArgument ref) {
    if (ref.getOwner() != kernel.getBodyBlock() ||
        ref.getArgNumber() < kernel.getNumIndexOperands()) {
      isPossible = false;
      return;
    }
    if (ref.getArgNumber() >= kernel.getNumOperandSpecs())
      return;
    OperandAttr spec = kernel.getOperandSpec(ref.getArgNumber());
    // The shapes of a warpgroup program determine its layouts.
    isPossible &= spec.getSpace().getSharing() != SpaceSharing::Kernel;
    unsigned first = findArrayDim(spec, dims.lookup(ref));
    SmallVector<BlockDimAttr> block = spec.getBlockDims();
    SmallVector<int64_t> array = spec.getArrayShape();
    auto isRegular = [](BlockDimAttr dim) {
      return dim.getKind() == BlockKind::Blocked && dim.getPadLow() == 0 &&
             dim.getPadHigh() == 0;
    };
    isPossible &=
        spec.getTransforms().empty() && first + 1 < block.size() &&
        isRegular(block[first]) && isRegular(block[first + 1]) &&
        block[first + 1].getSize() == array[first + 1] &&
        !ShapedType::isDynamicShape(array) &&
        isFirstBlock(ref.getArgNumber(), first + 1) &&
        llvm::none_of(kernel.getAliasPairs(), [&](auto pair) {
          unsigned output = kernel.getNumIndexOperands() +
                            kernel.getNumInputs() + pair.second;
          return static_cast<unsigned>(pair.first) == ref.getArgNumber() ||
                 output == ref.getArgNumber();
        });
  }

  /// The number of the index of a dimension of an array.
  static unsigned getIndexNumber(OperandAttr spec, unsigned arrayDim) {
    unsigned number = 0;
    SmallVector<BlockDimAttr> block = spec.getBlockDims();
    for (BlockDimAttr dim : ArrayRef(block).take_front(arrayDim))
      number += dim.getNumIndices();
    return number;
  }

  bool isFirstBlock(unsigned operand, unsigned arrayDim) {
    std::optional<AffineMap> map =
        kernel.getAffineIndexMap(operand - kernel.getNumIndexOperands());
    unsigned number = getIndexNumber(kernel.getOperandSpec(operand), arrayDim);
    return map && map->getResult(number) ==
                      getAffineConstantExpr(0, kernel.getContext());
  }

  void visit(Operation *op) {
    if (!ops.insert(op))
      return;
    if (auto slice = dyn_cast<SliceRefOp>(op))
      return visitSlice(slice);
    if (auto expand = dyn_cast<tensor::ExpandShapeOp>(op))
      return visitReshape(expand.getSrc(), expand.getResult(),
                          expand.getReassociationIndices());
    if (auto collapse = dyn_cast<tensor::CollapseShapeOp>(op))
      return visitReshape(collapse.getResult(), collapse.getSrc(),
                          collapse.getReassociationIndices());
    if (!isa<LoadOp, StoreOp>(op) &&
        !OpTrait::hasElementwiseMappableTraits(op)) {
      isPossible = false;
      return;
    }
    SmallVector<Value> values(op->getOperands());
    llvm::append_range(values, op->getResults());
    int64_t dim = getDim(op);
    for (Value value : values)
      if (isa<ShapedType>(value.getType()) && !isUniform(value))
        add(value, dim);
  }

  /// The first of the two dimensions, of an op whose values all have them.
  int64_t getDim(Operation *op) const {
    SmallVector<Value> values(op->getOperands());
    llvm::append_range(values, op->getResults());
    return dims.lookup(*llvm::find_if(
        values, [&](Value value) { return dims.contains(value); }));
  }

  /// A window of both dimensions as a whole.
  void visitSlice(SliceRefOp slice) {
    SmallVector<int64_t> kept;
    for (int64_t dim = 0; dim < int64_t(slice.getSizes().size()); ++dim)
      if (!llvm::is_contained(slice.getDropped(), dim))
        kept.push_back(dim);
    int64_t dim;
    if (dims.contains(slice.getSource())) {
      dim = dims.lookup(slice.getSource());
    } else {
      int64_t ofWindow = dims.lookup(slice.getResult());
      dim = kept[ofWindow];
    }
    ArrayRef<int64_t> source = getShape(slice.getSource());
    for (int64_t d : {dim, dim + 1})
      isPossible &= d < int64_t(source.size()) && llvm::is_contained(kept, d) &&
                    slice.getStaticOffsets()[d] == 0 &&
                    slice.getSizes()[d] == source[d] &&
                    slice.getStrides()[d] == 1;
    if (!isPossible)
      return;
    add(slice.getSource(), dim);
    add(slice.getResult(), llvm::find(kept, dim) - kept.begin());
  }

  /// Groups of dimensions of `parts` are dimensions of `whole`. Both dimensions
  /// are in one group, or are dimensions of `whole`, too.
  void visitReshape(Value whole, Value parts,
                    ArrayRef<ReassociationIndices> groups) {
    for (auto [i, group] : llvm::enumerate(groups.drop_back())) {
      if (group.size() != 1 || groups[i + 1].size() != 1)
        continue;
      auto isAt = [&](Value value, int64_t dim) {
        const auto *known = dims.find(value);
        return known != dims.end() && known->second == dim;
      };
      if (isAt(whole, i) || isAt(parts, group.front())) {
        add(whole, i);
        add(parts, group.front());
        return;
      }
    }
  }

  void checkReshape(Operation *op) {
    bool isExpand = isa<tensor::ExpandShapeOp>(op);
    Value whole = isExpand ? op->getOperand(0) : op->getResult(0),
          parts = isExpand ? op->getResult(0) : op->getOperand(0);
    SmallVector<ReassociationIndices> groups = getGroups(op);
    if (!dims.contains(parts)) {
      isPossible = false;
      return;
    }
    int64_t dim = dims.lookup(parts);
    for (auto [i, group] : llvm::enumerate(groups)) {
      if (!llvm::is_contained(group, dim))
        continue;
      if (llvm::is_contained(group, dim + 1)) {
        isReshaped = true;
        isPossible &= !dims.contains(whole);
      } else {
        isPossible &= dims.contains(whole) &&
                      dims.lookup(whole) == static_cast<int64_t>(i) &&
                      group.size() == 1 && groups[i + 1].size() == 1;
      }
    }
  }

  static SmallVector<ReassociationIndices> getGroups(Operation *op) {
    if (auto expand = dyn_cast<tensor::ExpandShapeOp>(op))
      return expand.getReassociationIndices();
    return cast<tensor::CollapseShapeOp>(op).getReassociationIndices();
  }

  void mergeOperand(BlockArgument ref, int64_t dim) {
    unsigned operand = ref.getArgNumber();
    if (operand >= kernel.getNumOperandSpecs())
      return;
    OperandAttr spec = kernel.getOperandSpec(operand);
    unsigned first = findArrayDim(spec, dim),
             number = getIndexNumber(spec, first + 1);
    SmallVector<BlockDimAttr> block = spec.getBlockDims();
    block[first] = BlockDimAttr::get(
        kernel.getContext(), BlockKind::Blocked,
        block[first].getSize() * block[first + 1].getSize(), 0, 0);
    block.erase(block.begin() + first + 1);
    SmallVector<int64_t> shape = mergeShape(spec.getArrayShape(), first);
    kernel.setOperandSpec(
        operand,
        OperandAttr::get(kernel.getContext(), spec.getElementType(),
                         Builder(kernel.getContext()).getI64ArrayAttr(shape),
                         block, spec.getSpace(), spec.getPipeline(),
                         spec.getTransforms(), spec.getOrigin(),
                         /*indexTree=*/StringAttr()));
    // The block has the only index of the second dimension.
    kernel.getIndexMap(operand - kernel.getNumIndexOperands())
        .front()
        .getTerminator()
        ->eraseOperand(number);
    // It describes the author's blocks.
    kernel.removeJaxAttr();
  }

  /// Changes what an op repeats of the shapes of its values.
  void update(Operation *op) {
    OpBuilder builder(op);
    if (auto slice = dyn_cast<SliceRefOp>(op)) {
      int64_t dim = dims.lookup(slice.getSource());
      auto erase = [&](ArrayRef<int64_t> values) {
        SmallVector<int64_t> kept(values);
        kept.erase(kept.begin() + dim + 1);
        return kept;
      };
      SmallVector<int64_t> dropped(slice.getDropped());
      for (int64_t &d : dropped)
        d -= d > dim;
      slice.setStaticOffsets(erase(slice.getStaticOffsets()));
      slice.setSizes(mergeShape(slice.getSizes(), dim));
      slice.setStrides(erase(slice.getStrides()));
      slice.setDropped(dropped);
      return;
    }
    if (isa<tensor::ExpandShapeOp, tensor::CollapseShapeOp>(op))
      return updateReshape(builder, op);
    int64_t dim = getDim(op);
    for (OpOperand &operand : op->getOpOperands())
      if (auto type = dyn_cast<RankedTensorType>(operand.get().getType());
          type && !dims.contains(operand.get()))
        operand.set(
            createUniform(builder, operand.get().getDefiningOp(),
                          type.clone(mergeShape(type.getShape(), dim))));
  }

  void updateReshape(OpBuilder &builder, Operation *op) {
    Value from = op->getOperand(0), to = op->getResult(0);
    bool isExpand = isa<tensor::ExpandShapeOp>(op);
    SmallVector<ReassociationIndices> groups =
        mergeGroups(getGroups(op), dims.lookup(isExpand ? to : from));
    Value reshaped = from;
    auto type = cast<RankedTensorType>(to.getType());
    if (getShape(from) != type.getShape())
      reshaped = isExpand ? tensor::ExpandShapeOp::create(builder, op->getLoc(),
                                                          type, from, groups)
                                .getResult()
                          : tensor::CollapseShapeOp::create(
                                builder, op->getLoc(), type, from, groups);
    to.replaceAllUsesWith(reshaped);
    op->erase();
  }

  KernelOp kernel;
  /// The first of the two dimensions of each Ref and value.
  llvm::MapVector<Value, int64_t> dims;
  llvm::SetVector<Operation *> ops;
  bool isPossible = true, isReshaped = false;
};

class GridMergeDimensionsPass
    : public gridir::grid::impl::GridMergeDimensionsPassBase<
          GridMergeDimensionsPass> {
public:
  using GridMergeDimensionsPassBase::GridMergeDimensionsPassBase;

  void runOnOperation() override {
    KernelOp kernel = getOperation();
    for (unsigned i = kernel.getNumIndexOperands();
         i < kernel.getNumOperandSpecs(); ++i)
      while (mergeOnce(kernel, kernel.getBodyBlock()->getArgument(i)))
        ++numMerged;
    if (numMerged == 0)
      markAllAnalysesPreserved();
  }

private:
  static bool mergeOnce(KernelOp kernel, BlockArgument ref) {
    auto type = dyn_cast<MemRefType>(ref.getType());
    for (int64_t dim = 0; type && dim + 1 < type.getRank(); ++dim) {
      Merge merge(kernel);
      if (!merge.collect(ref, dim))
        continue;
      merge.apply();
      return true;
    }
    return false;
  }
};

} // namespace
