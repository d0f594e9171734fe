//===- FlattenBlocks.cpp - Make rows of blocks of an elementwise kernel ---===//
//
// Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dialects/Grid/Transforms/Passes.h"

#include "dialects/Grid/IR/IndexMaps.h"
#include "dialects/Grid/Transforms/BlockResize.h"
#include "dialects/Support/CountableTypes.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/Remarks.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "llvm/Support/MathExtras.h"

namespace gridir::grid {
#define GEN_PASS_DEF_GRIDFLATTENBLOCKSPASS
#include "dialects/Grid/Transforms/Passes.h.inc"
} // namespace gridir::grid

using namespace mlir;
using namespace gridir::grid;

namespace {

/// The division of all arrays of a kernel into blocks.
struct Cut {
  SmallVector<int64_t> shape;
  SmallVector<int64_t> block;
  /// Of a block without the squeezed dimensions.
  SmallVector<int64_t> refShape;
  AffineMap map;
};

/// True if the elements of each block are contiguous in the array, and all
/// blocks are whole.
bool isContiguous(const Cut &cut) {
  bool isCut = false;
  for (auto [extent, size] :
       llvm::reverse(llvm::zip_equal(cut.shape, cut.block))) {
    if (extent % size != 0 || (isCut && size != 1))
      return false;
    isCut |= size != extent;
  }
  return true;
}

class GridFlattenBlocksPass
    : public gridir::grid::impl::GridFlattenBlocksPassBase<
          GridFlattenBlocksPass> {
public:
  using GridFlattenBlocksPassBase::GridFlattenBlocksPassBase;

  void runOnOperation() override {
    KernelOp kernel = getOperation();
    std::optional<Cut> cut = getCut(kernel);
    if (!cut || isContiguous(*cut))
      return markAllAnalysesPreserved();
    if (Operation *op = findOtherOp(kernel, *cut)) {
      remark::missed(op->getLoc(), remark::RemarkOpts::name("flatten").category(
                                       getArgument()))
          << "blocks are unchanged, since this op does not compute each "
             "element from the same element of the inputs";
      ++numKept;
      return markAllAnalysesPreserved();
    }
    flatten(kernel, *cut);
    ++numFlattened;
  }

private:
  /// Returns none unless the blocks of all arrays are equal and cover each
  /// array once.
  static std::optional<Cut> getCut(KernelOp kernel) {
    if (!hasOnlyBlocks(kernel) || !kernel.getAliasPairs().empty())
      return std::nullopt;
    std::optional<Cut> cut;
    for (unsigned i = 0; i < kernel.getNumOperandSpecs(); ++i) {
      std::optional<Cut> next = getCut(kernel, i);
      if (!next ||
          (cut && (cut->shape != next->shape || cut->block != next->block ||
                   cut->refShape != next->refShape || cut->map != next->map)))
        return std::nullopt;
      cut = next;
    }
    return coversOnce(kernel, *cut) ? cut : std::nullopt;
  }

  static std::optional<Cut> getCut(KernelOp kernel, unsigned operand) {
    OperandAttr spec = kernel.getOperandSpec(operand);
    std::optional<AffineMap> map = kernel.getAffineIndexMap(operand);
    Cut cut;
    cut.shape = spec.getArrayShape();
    // The shapes of a warpgroup program determine its layouts.
    if (spec.getSpace().getSharing() == SpaceSharing::Kernel)
      return std::nullopt;
    if (!map || !spec.getTransforms().empty() ||
        ShapedType::isDynamicShape(cut.shape) ||
        llvm::is_contained(cut.shape, 0) || !gridir::isCountable(cut.shape))
      return std::nullopt;
    for (BlockDimAttr dim : spec.getBlockDims()) {
      if ((dim.getKind() != BlockKind::Blocked && !dim.isSqueezed()) ||
          dim.getPadLow() != 0 || dim.getPadHigh() != 0)
        return std::nullopt;
      cut.block.push_back(dim.isSqueezed() ? 1 : dim.getSize());
      if (!dim.isSqueezed())
        cut.refShape.push_back(dim.getSize());
    }
    // A Ref of one element is loaded as a scalar instead of a tensor.
    if (cut.refShape.empty() || llvm::is_contained(cut.block, 0))
      return std::nullopt;
    cut.map = *map;
    return cut;
  }

  /// True if each grid dimension enumerates the blocks along one array
  /// dimension, and no other dimension has several blocks or programs.
  static bool coversOnce(KernelOp kernel, const Cut &cut) {
    llvm::SmallBitVector used(kernel.getRank());
    for (auto [d, expr] : llvm::enumerate(cut.map.getResults())) {
      int64_t blocks = llvm::divideCeil(cut.shape[d], cut.block[d]);
      if (auto dim = dyn_cast<AffineDimExpr>(expr)) {
        if (used.test(dim.getPosition()) ||
            kernel.getDim(dim.getPosition()).getSize() != blocks)
          return false;
        used.set(dim.getPosition());
      } else if (blocks != 1 ||
                 expr != getAffineConstantExpr(0, kernel.getContext())) {
        return false;
      }
    }
    for (unsigned dim = 0; dim < kernel.getRank(); ++dim)
      if (!used.test(dim) && kernel.getDim(dim).getSize() != 1)
        return false;
    return true;
  }

  /// Returns the first op of the body that is not elementwise.
  static Operation *findOtherOp(KernelOp kernel, const Cut &cut) {
    for (Operation &op : kernel.getBodyBlock()->without_terminator())
      if (!isElementwise(kernel, cut, &op))
        return &op;
    return nullptr;
  }

  /// True if each element of the results depends only on the elements at the
  /// same position of blocks, so that the op is independent of the division
  /// into blocks.
  static bool isElementwise(KernelOp kernel, const Cut &cut, Operation *op) {
    auto isWhole = [&](Value value) {
      auto type = dyn_cast<RankedTensorType>(value.getType());
      return type ? type.getShape() == ArrayRef(cut.refShape) &&
                        !type.getEncoding()
                  : value.getType().isIntOrIndexOrFloat();
    };
    if (auto load = dyn_cast<LoadOp>(op)) {
      auto ref = dyn_cast<BlockArgument>(load.getRef());
      return ref && !load.getMask() && isWhole(load.getResult()) &&
             ref.getArgNumber() < kernel.getNumInputs();
    }
    if (auto store = dyn_cast<StoreOp>(op)) {
      auto ref = dyn_cast<BlockArgument>(store.getRef());
      return ref && !store.getMask() && isWhole(store.getValue()) &&
             ref.getArgNumber() >= kernel.getNumInputs();
    }
    if (op->getNumRegions() != 0 || isa<ProgramIdOp>(op) ||
        !isMemoryEffectFree(op) || !llvm::all_of(op->getOperands(), isWhole) ||
        !llvm::all_of(op->getResults(), isWhole))
      return false;
    if (auto constant = dyn_cast<arith::ConstantOp>(op))
      return !isa<RankedTensorType>(constant.getType()) ||
             isa<SplatElementsAttr>(constant.getValue());
    auto isTensor = llvm::IsaPred<RankedTensorType>;
    return isa<tensor::SplatOp>(op) ||
           OpTrait::hasElementwiseMappableTraits(op) ||
           (llvm::none_of(op->getOperandTypes(), isTensor) &&
            llvm::none_of(op->getResultTypes(), isTensor));
  }

  /// Replaces the grid by one dimension over one-dimensional blocks of the
  /// arrays in row-major order, and the types of the body accordingly.
  void flatten(KernelOp kernel, const Cut &cut) {
    MLIRContext *context = kernel.getContext();
    OpBuilder builder(context);
    int64_t elements = *gridir::countPoints(cut.shape);
    int64_t size = std::min<int64_t>(elements, blockElements);
    auto changeShape = [&](Value value) {
      if (auto type = dyn_cast<RankedTensorType>(value.getType()))
        value.setType(RankedTensorType::get({size}, type.getElementType()));
    };
    auto changeSpecs = [&](ArrayAttr specs) {
      SmallVector<Attribute> changed;
      for (OperandAttr spec : specs.getAsRange<OperandAttr>())
        changed.push_back(OperandAttr::get(
            context, spec.getElementType(),
            builder.getArrayAttr(builder.getI64IntegerAttr(elements)),
            BlockDimAttr::get(context, BlockKind::Blocked, size, 0, 0),
            spec.getSpace(), spec.getPipeline(), spec.getTransforms(),
            spec.getOrigin(), /*indexTree=*/StringAttr()));
      return builder.getArrayAttr(changed);
    };

    Type indexType =
        kernel.getIndexMap(0).front().getTerminator()->getOperand(0).getType();
    kernel.setInputsAttr(changeSpecs(kernel.getInputs()));
    kernel.setOutputsAttr(changeSpecs(kernel.getOutputs()));
    int64_t programs = llvm::divideCeil(elements, size);
    kernel.setDimsAttr(builder.getArrayAttr(DimAttr::get(
        context, programs, StringAttr(), /*vmapped=*/false, DimKind::Grid)));
    kernel.setSemanticsAttr(builder.getArrayAttr(
        DimSemanticsAttr::get(context, DimSemantics::Parallel)));
    // Attributes about the author's dimensions and arrays are no longer valid.
    kernel.removeParamsAttr();
    kernel.removeJaxAttr();

    for (unsigned i = 0; i < kernel.getNumOperandSpecs(); ++i) {
      Region &map = kernel.getIndexMap(i);
      Location loc = map.front().getTerminator()->getLoc();
      map.front().erase();
      buildAffineIndexMap(builder, loc, map,
                          AffineMap::getMultiDimIdentityMap(1, context),
                          /*rank=*/1, /*indexRefs=*/{}, indexType);
      kernel.getBodyBlock()->getArgument(i).setType(
          kernel.getOperandSpec(i).getRefType());
    }
    for (Operation &op : kernel.getBodyBlock()->without_terminator()) {
      for (Value result : op.getResults())
        changeShape(result);
      if (auto constant = dyn_cast<arith::ConstantOp>(op))
        if (auto splat = dyn_cast<SplatElementsAttr>(constant.getValue()))
          constant.setValueAttr(
              splat.resizeSplat(cast<ShapedType>(constant.getType())));
    }
    remark::passed(kernel.getLoc(),
                   remark::RemarkOpts::name("flatten").category(getArgument()))
        << "blocks are " << std::to_string(size) << " consecutive elements";
  }
};

} // namespace
