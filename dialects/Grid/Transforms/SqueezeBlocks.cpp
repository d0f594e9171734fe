//===- SqueezeBlocks.cpp - Remove dimensions of one element ---------------===//
//
// Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dialects/Grid/Transforms/Passes.h"

#include "dialects/Grid/IR/Grid.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "llvm/ADT/SmallBitVector.h"

namespace gridir::grid {
#define GEN_PASS_DEF_GRIDSQUEEZEBLOCKSPASS
#include "dialects/Grid/Transforms/Passes.h.inc"
} // namespace gridir::grid

using namespace mlir;
using namespace gridir;
using namespace gridir::grid;

namespace {

/// Removes dimensions of one Ref that all of its users ignore.
class Squeezer {
public:
  explicit Squeezer(BlockArgument ref)
      : ref(ref), type(cast<MemRefType>(ref.getType())) {}

  /// Returns the dimensions of one element that no user needs.
  llvm::SmallBitVector findDims() {
    dims.resize(type.getRank());
    for (auto [dim, size] : llvm::enumerate(type.getShape()))
      dims[dim] = size == 1;
    // A Ref of one element is loaded as a scalar instead of a tensor.
    if (dims.all())
      return {};
    for (Operation *user : ref.getUsers())
      if (auto slice = dyn_cast<SliceRefOp>(user))
        dims &= getDropped(slice);
    for (auto [dim, size] : llvm::enumerate(type.getShape()))
      if (!dims[dim])
        shape.push_back(size);
    return llvm::all_of(ref.getUsers(),
                        [&](Operation *user) { return canSqueeze(user); })
               ? dims
               : llvm::SmallBitVector();
  }

  /// Changes the type of the Ref, and its users accordingly.
  void squeeze() {
    ref.setType(MemRefType::get(shape, type.getElementType(),
                                MemRefLayoutAttrInterface(),
                                type.getMemorySpace()));
    for (Operation *user : llvm::make_early_inc_range(ref.getUsers())) {
      OpBuilder builder(user);
      if (auto slice = dyn_cast<SliceRefOp>(user)) {
        squeezeSlice(builder, slice);
      } else if (auto load = dyn_cast<LoadOp>(user)) {
        Value value = LoadOp::create(
            builder, load.getLoc(),
            RankedTensorType::get(shape, type.getElementType()), ref,
            /*mask=*/Value(), /*other=*/Value());
        for (Operation *reshape :
             llvm::make_early_inc_range(load->getUsers())) {
          reshape->replaceAllUsesWith(ValueRange(value));
          reshape->erase();
        }
        load.erase();
      } else {
        auto store = cast<StoreOp>(user);
        auto reshape = store.getValue().getDefiningOp<tensor::ExpandShapeOp>();
        store.getValueMutable().set(reshape.getSrc());
        if (reshape->use_empty())
          reshape->erase();
      }
    }
  }

private:
  /// The dimensions that a window drops, at an offset that is in bounds.
  static llvm::SmallBitVector getDropped(SliceRefOp slice) {
    llvm::SmallBitVector dropped(slice.getStaticOffsets().size());
    for (int64_t dim : slice.getDropped())
      dropped[dim] = slice.getStaticOffsets()[dim] == 0;
    return dropped;
  }

  bool canSqueeze(Operation *user) const {
    auto isSqueezed = [&](Type other) {
      return cast<ShapedType>(other).getShape() == ArrayRef(shape);
    };
    if (isa<SliceRefOp>(user))
      return true;
    if (auto load = dyn_cast<LoadOp>(user))
      return !load.getMask() &&
             llvm::all_of(load->getUsers(), [&](Operation *reshape) {
               return isa<tensor::CollapseShapeOp>(reshape) &&
                      isSqueezed(reshape->getResult(0).getType());
             });
    auto store = dyn_cast<StoreOp>(user);
    if (!store || store.getMask() || store.getRef() != ref)
      return false;
    auto reshape = store.getValue().getDefiningOp<tensor::ExpandShapeOp>();
    return reshape && isSqueezed(reshape.getSrcType());
  }

  void squeezeSlice(OpBuilder &builder, SliceRefOp slice) const {
    auto keep = [&](ArrayRef<int64_t> values) {
      SmallVector<int64_t> kept;
      for (auto [dim, value] : llvm::enumerate(values))
        if (!dims[dim])
          kept.push_back(value);
      return kept;
    };
    SmallVector<int64_t> dropped;
    int64_t kept = 0;
    for (unsigned dim = 0; dim < dims.size(); ++dim) {
      if (dims[dim])
        continue;
      if (llvm::is_contained(slice.getDropped(), dim))
        dropped.push_back(kept);
      ++kept;
    }
    Value window = builder.createOrFold<SliceRefOp>(
        slice.getLoc(), slice.getType(), ref, slice.getOffsets(),
        keep(slice.getStaticOffsets()), keep(slice.getSizes()),
        keep(slice.getStrides()), dropped);
    slice.replaceAllUsesWith(window);
    slice.erase();
  }

  BlockArgument ref;
  /// The type before dimensions are removed, and the shape after it.
  MemRefType type;
  SmallVector<int64_t> shape;
  llvm::SmallBitVector dims;
};

class GridSqueezeBlocksPass
    : public gridir::grid::impl::GridSqueezeBlocksPassBase<
          GridSqueezeBlocksPass> {
public:
  using GridSqueezeBlocksPassBase::GridSqueezeBlocksPassBase;

  void runOnOperation() override {
    KernelOp kernel = getOperation();
    for (unsigned i = kernel.getNumIndexOperands();
         i < kernel.getNumOperandSpecs(); ++i)
      squeezeOperand(kernel, i);
    for (BlockArgument ref : kernel.getScratchRefs()) {
      if (!isa<MemRefType>(ref.getType()))
        continue;
      Squeezer squeezer(ref);
      if (squeezer.findDims().none())
        continue;
      squeezer.squeeze();
      ++numSqueezed;
    }
    if (numSqueezed == 0)
      markAllAnalysesPreserved();
  }

private:
  void squeezeOperand(KernelOp kernel, unsigned operand) {
    BlockArgument ref = kernel.getBodyBlock()->getArgument(operand);
    OperandAttr spec = kernel.getOperandSpec(operand);
    SmallVector<BlockDimAttr> block(spec.getBlock());
    if (block.empty() || !spec.getTransforms().empty() ||
        !isa<MemRefType>(ref.getType()))
      return;
    Squeezer squeezer(ref);
    llvm::SmallBitVector dims = squeezer.findDims();
    if (dims.none())
      return;
    unsigned refDim = 0;
    for (BlockDimAttr &dim : block) {
      if (dim.isSqueezed() || !dims[refDim++])
        continue;
      // The index of other kinds counts elements of a padded array.
      if (dim.getKind() != BlockKind::Blocked)
        return;
      dim = BlockDimAttr::get(&getContext(), BlockKind::Squeezed, 1, 0, 0);
    }
    squeezer.squeeze();
    setBlock(kernel, operand, block);
    ++numSqueezed;
  }

  void setBlock(KernelOp kernel, unsigned operand,
                ArrayRef<BlockDimAttr> block) {
    OperandAttr spec = kernel.getOperandSpec(operand);
    kernel.setOperandSpec(
        operand, OperandAttr::get(&getContext(), spec.getElementType(),
                                  spec.getShape(), block, spec.getSpace(),
                                  spec.getPipeline(), spec.getTransforms(),
                                  spec.getOrigin(), spec.getIndexTree()));
    // It describes the author's blocks.
    kernel.removeJaxAttr();
  }
};

} // namespace
