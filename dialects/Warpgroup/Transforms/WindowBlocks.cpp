//===- WindowBlocks.cpp - Blocks at positions that are data ---------------===//
//
// Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dialects/Warpgroup/Transforms/Passes.h"

#include "dialects/GPU/Target/GPUTarget.h"
#include "dialects/Grid/IR/IndexMaps.h"
#include "dialects/Support/Builders.h"
#include "dialects/Warpgroup/IR/Warpgroup.h"
#include "dialects/Warpgroup/Transforms/BlockProgram.h"
#include "dialects/Warpgroup/Transforms/DataWindows.h"
#include "mlir/IR/IRMapping.h"

namespace gridir::warpgroup {
#define GEN_PASS_DEF_WARPGROUPWINDOWBLOCKSPASS
#include "dialects/Warpgroup/Transforms/Passes.h.inc"
} // namespace gridir::warpgroup

using namespace mlir;
using namespace gridir;
using namespace gridir::grid;

namespace {

/// True if each block of an operand is one of the blocks into which its array
/// is divided.
bool hasRegularBlocks(OperandAttr spec) {
  SmallVector<int64_t> shape = spec.getArrayShape();
  if (!spec.getTransforms().empty() || ShapedType::isDynamicShape(shape))
    return false;
  return llvm::all_of(
      llvm::zip_equal(shape, spec.getBlockDims()), [](const auto &dim) {
        auto [extent, part] = dim;
        int64_t size = part.isSqueezed() ? 1 : part.getSize();
        return (part.isSqueezed() || part.getKind() == BlockKind::Blocked) &&
               part.getPadLow() == 0 && part.getPadHigh() == 0 && size > 0 &&
               extent >= size && extent % size == 0;
      });
}

/// A kernel whose index maps are affine, with the body of another one. It takes
/// index operands as inputs.
class WindowedKernel {
public:
  explicit WindowedKernel(KernelOp old)
      : old(old), builder(old.getContext()), loc(old.getLoc()) {
    for (unsigned i = 0; i < old.getNumInputs() + old.getNumOutputs(); ++i)
      maps.push_back(old.getAffineIndexMap(i));
  }

  /// True if an index map is not affine or there are index operands, and all
  /// blocks at such positions can be windows.
  bool isNeeded() {
    if (old.getNumIndexOperands() == 0 &&
        !llvm::is_contained(maps, std::nullopt))
      return false;
    if (old.getNumDynamicDims() != 0 || maps.empty())
      return false;
    for (auto [i, map] : llvm::enumerate(maps))
      if (!map &&
          !hasRegularBlocks(old.getOperandSpec(old.getNumIndexOperands() + i)))
        return false;
    return true;
  }

  KernelOp create() {
    unsigned numIndex = old.getNumIndexOperands();
    OperationState state(loc, old->getName());
    state.addAttributes(old->getAttrs());
    for (unsigned i = 0; i < old->getNumRegions() + numIndex; ++i)
      state.addRegion();
    kernel = cast<KernelOp>(Operation::create(state));
    SmallVector<Attribute> inputs(old.getIndexOperands().getValue());
    llvm::append_range(inputs, old.getInputs());
    kernel.setIndexOperandsAttr(builder.getArrayAttr({}));
    kernel.setInputsAttr(builder.getArrayAttr(inputs));
    // It describes the author's operands and blocks.
    kernel.removeJaxAttr();
    IRMapping mapping;
    old.getBodyRegion().cloneInto(&kernel.getBodyRegion(), mapping);
    Type indexType = warpgroup::getIndexType(old);
    builder.setInsertionPointToStart(kernel.getBodyBlock());
    ProgramValues values(old);
    for (unsigned i = 0; i < kernel.getNumOperandSpecs(); ++i) {
      AffineMap map = getZeros(kernel.getOperandSpec(i).getRank());
      if (i >= numIndex) {
        if (maps[i - numIndex])
          map = *maps[i - numIndex];
        else
          createWindow(i, values);
      }
      OpBuilder::InsertionGuard guard(builder);
      buildAffineIndexMap(builder, loc, kernel.getIndexMap(i), map,
                          kernel.getRank(), /*indexRefs=*/{}, indexType);
    }
    return kernel;
  }

private:
  AffineMap getZeros(unsigned count) {
    SmallVector<AffineExpr> zeros(count, builder.getAffineConstantExpr(0));
    return AffineMap::get(kernel.getRank(), 0, zeros, kernel.getContext());
  }

  /// Computes the indices of a block in the body.
  SmallVector<Value> createIndices(Block &map) {
    IRMapping mapping;
    Block *body = kernel.getBodyBlock();
    for (BlockArgument argument : map.getArguments()) {
      unsigned number = argument.getArgNumber();
      mapping.map(argument,
                  number < kernel.getRank()
                      ? ProgramIdOp::create(builder, loc, argument.getType(),
                                            builder.getI64IntegerAttr(number))
                      : Value(body->getArgument(number - kernel.getRank())));
    }
    for (Operation &op : map.without_terminator())
      builder.clone(op, mapping);
    return llvm::map_to_vector(
        map.getTerminator()->getOperands(),
        [&](Value value) { return mapping.lookupOrDefault(value); });
  }

  /// Lets the body access the block of an operand as a window of its array.
  void createWindow(unsigned operand, ProgramValues &values) {
    OperandAttr spec = kernel.getOperandSpec(operand);
    BlockArgument ref = kernel.getBodyBlock()->getArgument(operand);
    Block &map = old.getIndexMap(operand - old.getNumIndexOperands()).front();
    SmallVector<Value> indices = createIndices(map);
    SmallVector<OpFoldResult> offsets;
    SmallVector<int64_t> dropped;
    for (auto [dim, extent, part, index, oldIndex] :
         llvm::enumerate(spec.getArrayShape(), spec.getBlockDims(), indices,
                         map.getTerminator()->getOperands())) {
      int64_t size = part.isSqueezed() ? 1 : part.getSize(),
              last = extent / size - 1;
      if (part.isSqueezed())
        dropped.push_back(dim);
      Interval range = values.getRange(oldIndex);
      bool isInside = range.isIn(0, last);
      if (isInside && range.isConstant()) {
        offsets.push_back(builder.getIndexAttr(range.low * size));
        continue;
      }
      Value position = toIndex(builder, loc, index);
      if (!isInside)
        position = warpgroup::createCheckedIndex(
            builder, loc, position, last, extent,
            getMessage(operand, dim, extent, size));
      Value length = arith::ConstantIndexOp::create(builder, loc, size);
      offsets.push_back(
          arith::MulIOp::create(builder, loc, position, length).getResult());
    }
    kernel.setOperandSpec(
        operand,
        OperandAttr::get(kernel.getContext(), spec.getElementType(),
                         spec.getShape(), /*block=*/{}, spec.getSpace(),
                         spec.getPipeline(), /*transforms=*/{},
                         spec.getOrigin(), /*indexTree=*/StringAttr()));
    Type blockType = ref.getType();
    ref.setType(kernel.getOperandSpec(operand).getRefType());
    SliceRefOp window = warpgroup::createWindow(builder, loc, ref, offsets,
                                                spec.getBlockShape(), dropped);
    window.getResult().setType(cast<MemRefType>(blockType));
    ref.replaceAllUsesExcept(window.getResult(), window);
  }

  /// The text is that of kernels that are mapped to threads.
  std::string getMessage(unsigned operand, unsigned dim, int64_t extent,
                         int64_t size) {
    std::string text;
    llvm::raw_string_ostream(text)
        << "block index {0} of dimension " << dim << " of "
        << kernel.getOperandName(operand) << " is outside the array, which has "
        << extent << " elements there and blocks of " << size;
    return text;
  }

  KernelOp old, kernel;
  OpBuilder builder;
  Location loc;
  /// Of inputs and outputs.
  SmallVector<std::optional<AffineMap>> maps;
};

class WarpgroupWindowBlocksPass
    : public warpgroup::impl::WarpgroupWindowBlocksPassBase<
          WarpgroupWindowBlocksPass> {
public:
  using WarpgroupWindowBlocksPassBase::WarpgroupWindowBlocksPassBase;

  void runOnOperation() override {
    ModuleOp module = getOperation();
    // A call passes index operands apart from inputs.
    if (!module.getOps<CallOp>().empty())
      return;
    for (auto kernel : llvm::make_early_inc_range(module.getOps<KernelOp>())) {
      WindowedKernel windowed(kernel);
      if (gpu::isProgram(kernel) || !windowed.isNeeded())
        continue;
      FailureOr<gpu::Chip> known = gpu::getChip(chip, kernel.getLoc());
      if (failed(known))
        return signalPassFailure();
      KernelOp changed = windowed.create();
      if (warpgroup::findObstacle(changed, *known,
                                  warpgroup::BlockForm::Padded)) {
        changed->erase();
        continue;
      }
      module.getBody()->getOperations().insert(kernel->getIterator(), changed);
      kernel.erase();
      ++numChanged;
    }
  }
};

} // namespace
