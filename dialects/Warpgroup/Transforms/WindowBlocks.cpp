//===- WindowBlocks.cpp - Blocks at positions that are data ---------------===//
//
// Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dialects/Warpgroup/Transforms/Passes.h"

#include "dialects/GPU/Target/GPUTarget.h"
#include "dialects/Grid/Analysis/InputSharing.h"
#include "dialects/Grid/IR/IndexMaps.h"
#include "dialects/Support/Builders.h"
#include "dialects/Warpgroup/IR/Warpgroup.h"
#include "dialects/Warpgroup/Transforms/BlockProgram.h"
#include "dialects/Warpgroup/Transforms/DataWindows.h"
#include "dialects/Warpgroup/Transforms/GridLoops.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/Remarks.h"

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

/// A kernel with a static grid whose index maps are affine, with the body of
/// another one. It takes sizes of the grid and index operands as inputs.
class WindowedKernel {
public:
  explicit WindowedKernel(KernelOp old)
      : old(old), builder(old.getContext()), loc(old.getLoc()), loops(old),
        numFirst(loops.getNumSizes() + old.getNumIndexOperands()) {
    for (unsigned i = 0; i < old.getNumInputs() + old.getNumOutputs(); ++i)
      maps.push_back(old.getAffineIndexMap(i));
  }

  /// True if an index map is not affine, or if there are index operands or a
  /// dynamic grid, and all blocks at such positions can be windows.
  bool isNeeded() {
    if (numFirst == 0 && !llvm::is_contained(maps, std::nullopt))
      return false;
    if (maps.empty())
      return false;
    for (auto [i, map] : llvm::enumerate(maps))
      if (needsWindow(map) &&
          !hasRegularBlocks(old.getOperandSpec(old.getNumIndexOperands() + i)))
        return false;
    return loops.getNumSizes() == 0 || (hasLoops() && readsInPlace());
  }

  KernelOp create() {
    OperationState state(loc, old->getName());
    state.addAttributes(old->getAttrs());
    for (unsigned i = 0; i < old->getNumRegions() + numFirst; ++i)
      state.addRegion();
    kernel = cast<KernelOp>(Operation::create(state));
    SmallVector<Attribute> inputs = getSizes();
    llvm::append_range(inputs, old.getIndexOperands());
    llvm::append_range(inputs, old.getInputs());
    kernel.setIndexOperandsAttr(builder.getArrayAttr({}));
    kernel.setInputsAttr(builder.getArrayAttr(inputs));
    // It describes the author's operands and blocks.
    kernel.removeJaxAttr();
    IRMapping mapping;
    old.getBodyRegion().cloneInto(&kernel.getBodyRegion(), mapping);
    builder.setInsertionPointToStart(kernel.getBodyBlock());
    if (loops.getNumSizes() != 0)
      createLoops();
    Type indexType = warpgroup::getIndexType(old);
    ProgramValues values(old);
    for (unsigned i = 0; i < kernel.getNumOperandSpecs(); ++i) {
      AffineMap map = getZeros(kernel.getOperandSpec(i).getRank());
      if (i >= numFirst) {
        if (needsWindow(maps[i - numFirst]))
          createWindow(i, values);
        else
          map = loops.getRemaining(*maps[i - numFirst]);
      }
      OpBuilder::InsertionGuard guard(builder);
      buildAffineIndexMap(builder, loc, kernel.getIndexMap(i), map,
                          kernel.getRank(), /*indexRefs=*/{}, indexType);
    }
    return kernel;
  }

private:
  bool needsWindow(std::optional<AffineMap> map) const {
    return !map || loops.dependsOnLoops(*map);
  }

  /// True if loops can replace dimensions of the grid.
  bool hasLoops() {
    return llvm::all_of(old.getDims().getAsRange<DimAttr>(), [](DimAttr dim) {
      return dim.getKind() == DimKind::Grid;
    });
  }

  /// True if each program reads inputs that share memory with outputs before it
  /// writes these: a loop over programs then reads the elements that programs
  /// read.
  bool readsInPlace() {
    RefHazards hazards(old);
    return llvm::all_of(old.getAliasPairs(), [&](auto pair) {
      Sharing sharing = getSharing(old, hazards, pair.first);
      return sharing.kind == Sharing::InPlace && !sharing.copiesBlocks;
    });
  }

  /// The memory space of an operand whose windows loops access. An input
  /// that shares memory with an output is read in place, as `readsInPlace`
  /// allows; otherwise its elements would be those at the begin of the body.
  MemorySpaceAttrInterface getSpace(unsigned operand) {
    unsigned number = operand - loops.getNumSizes();
    bool isShared = llvm::any_of(old.getAliasPairs(), [&](auto pair) {
      return static_cast<unsigned>(pair.first) == number;
    });
    return isShared && loops.getNumSizes() != 0
               ? grid::MemorySpaceAttr::get(old.getContext(),
                                            grid::MemorySpace::Any)
               : old.getOperandSpec(number).getSpace();
  }

  /// Describes the sizes of the grid that a call gives.
  SmallVector<Attribute> getSizes() {
    SmallVector<Attribute> specs;
    for (unsigned dim = 0; dim < old.getRank(); ++dim)
      if (old.getDim(dim).isDynamic())
        specs.push_back(OperandAttr::get(
            old.getContext(), builder.getI32Type(), builder.getArrayAttr({}),
            /*block=*/{}, getDefaultSpace(old.getContext()), PipelineModeAttr(),
            /*transforms=*/{},
            builder.getStringAttr("grid[" + Twine(dim) + "]"),
            /*indexTree=*/StringAttr()));
    return specs;
  }

  /// Loops replace dimensions of the grid, and inputs the sizes of them.
  void createLoops() {
    loops.changeDims(kernel);
    unsigned count = loops.getNumSizes();
    for (unsigned i = 0; i < count; ++i)
      kernel.getBodyBlock()->insertArgument(
          i, kernel.getOperandSpec(i).getRefType(), loc);
    SmallVector<Attribute> aliases;
    for (auto [operand, output] : old.getAliasPairs())
      aliases.push_back(
          builder.getDenseI64ArrayAttr({operand + count, output}));
    if (old.getAliases())
      kernel.setAliasesAttr(builder.getArrayAttr(aliases));
    ids = loops.createLoops(builder, kernel);
  }

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
      Value known;
      if (number >= old.getRank())
        known = body->getArgument(number - old.getRank() + loops.getNumSizes());
      else if (!ids.empty())
        known = ids[number];
      else
        known = ProgramIdOp::create(builder, loc, argument.getType(),
                                    builder.getI64IntegerAttr(number));
      mapping.map(argument, known);
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
    Block &map = old.getIndexMap(operand - numFirst).front();
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
                         spec.getShape(), /*block=*/{}, getSpace(operand),
                         spec.getPipeline(), /*transforms=*/{},
                         spec.getOrigin(), /*indexTree=*/StringAttr()));
    auto block = cast<MemRefType>(ref.getType());
    ref.setType(kernel.getOperandSpec(operand).getRefType());
    SliceRefOp window = warpgroup::createWindow(builder, loc, ref, offsets,
                                                spec.getBlockShape(), dropped);
    window.getResult().setType(MemRefType::get(
        block.getShape(), block.getElementType(), block.getLayout(),
        cast<MemRefType>(window.getType()).getMemorySpace()));
    ref.replaceAllUsesExcept(window.getResult(), window);
    warpgroup::changeSpaceOfViews(window);
  }

  /// The text is that of kernels that are mapped to threads.
  std::string getMessage(unsigned operand, unsigned dim, int64_t extent,
                         int64_t size) {
    std::string text;
    llvm::raw_string_ostream(text)
        << "block index {0} of dimension " << dim << " of "
        << old.getOperandName(operand - loops.getNumSizes())
        << " is outside the array, which has " << extent
        << " elements there and blocks of " << size;
    return text;
  }

  KernelOp old, kernel;
  OpBuilder builder;
  Location loc;
  warpgroup::GridLoops loops;
  /// Inputs for the sizes of the grid and for index operands.
  unsigned numFirst;
  /// The ids along the dimensions of a dynamic grid.
  SmallVector<Value> ids;
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
      if (std::optional<warpgroup::Obstacle> obstacle = warpgroup::findObstacle(
              changed, *known, warpgroup::BlockForm::Padded)) {
        remark::missed(
            obstacle->loc,
            remark::RemarkOpts::name("windows").category(getArgument()))
            << "the kernel keeps its blocks and grid, since "
            << obstacle->reason;
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
