//===- Kernel.cpp - The function of a kernel and its windows --------------===//
//
// Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dialects/Conversion/GridToTPU/Lowering.h"
#include "dialects/Grid/Analysis/RefOrigins.h"
#include "dialects/Grid/Analysis/TaskPrograms.h"
#include "dialects/Grid/IR/DiscardableAttrs.h"
#include "dialects/Grid/IR/KernelParams.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;

namespace gridir::grid_to_tpu {
namespace {

/// Mosaic's encoding of a bound that the call determines.
constexpr int64_t kDynamicBound = std::numeric_limits<int64_t>::min();

class FunctionBuilder {
public:
  explicit FunctionBuilder(grid::KernelOp kernel)
      : kernel(kernel), builder(kernel) {}

  LogicalResult build() {
    if (failed(readParams()) || failed(buildBody()))
      return failure();
    setGridAttributes();
    return kernel.getRank() == 0 ? verifyWholeBlocks() : buildWindows();
  }

private:
  LogicalResult readParams();
  FailureOr<SmallVector<Type>> getArgumentTypes();
  LogicalResult buildBody();
  void setGridAttributes();
  LogicalResult verifyWholeBlocks();
  LogicalResult buildWindows();
  FailureOr<DictionaryAttr> buildWindow(unsigned windowNumber);
  LogicalResult addPipelineMode(unsigned windowNumber, NamedAttrList &window);
  LogicalResult buildTransform(unsigned windowNumber, StringRef name);

  // A window number counts inputs and outputs, without the index operands.
  bool isWholeArray(unsigned windowNumber);
  bool isAtOrigin(unsigned windowNumber);
  bool isLeftInPlace(unsigned windowNumber);
  grid::OperandAttr getSpec(unsigned windowNumber) {
    return kernel.getOperandSpec(kernel.getNumIndexOperands() + windowNumber);
  }
  std::string getName(unsigned windowNumber) {
    return kernel.getOperandName(kernel.getNumIndexOperands() + windowNumber);
  }
  /// The views of the index operands are whole memrefs of SMEM.
  void setIndexViews(Lowering &lowering, ValueRange refs, ValueRange memrefs) {
    for (auto [ref, memref] : llvm::zip_equal(refs, memrefs))
      lowering.setView(
          ref, getWholeView(memref,
                            cast<MemRefType>(ref.getType()).getElementType()));
  }

  grid::KernelOp kernel;
  OpBuilder builder;
  func::FuncOp function;
  bool transposeLhsHint = false;
  tpu::CoreType coreType = tpu::CoreType::Tc;
  bool hasLayoutPasses = true;
};

LogicalResult FunctionBuilder::readParams() {
  if (kernel->hasAttr(grid::kMeshesAttrName))
    return kernel.emitError("expected a kernel with one body on the tpu "
                            "target, got a body for each of several meshes");
  if (auto core = kernel->getAttrOfType<StringAttr>(grid::kCoreTypeAttrName)) {
    std::optional<tpu::CoreType> type = tpu::symbolizeCoreType(core.getValue());
    if (!type)
      return kernel.emitError("expected a core of a TPU, got ") << core;
    coreType = *type;
  }
  auto params = grid::getParams<grid::TpuParamsAttr>(kernel);
  if (!params)
    return success();
  if (BoolAttr hint = params.getFuseTransposedLhsInMatmul())
    transposeLhsHint = hint.getValue();
  if (BoolAttr needed = params.getNeedsLayoutPasses())
    hasLayoutPasses = needed.getValue();
  StringAttr type = params.getKernelType();
  if (type && !type.getValue().equals_insensitive("tc"))
    return kernel.emitError("expected a kernel for a TensorCore, got "
                            "kernel_type ")
           << type;
  return success();
}

bool FunctionBuilder::isLeftInPlace(unsigned windowNumber) {
  std::optional<tpu::MemorySpace> space =
      getTPUSpace(getSpec(windowNumber).getSpace());
  return space == tpu::MemorySpace::Any || space == tpu::MemorySpace::Hbm ||
         space == tpu::MemorySpace::SemaphoreMem;
}

bool FunctionBuilder::isWholeArray(unsigned windowNumber) {
  grid::OperandAttr spec = getSpec(windowNumber);
  return spec.getBlockShape() == spec.getArrayShape();
}

bool FunctionBuilder::isAtOrigin(unsigned windowNumber) {
  std::optional<AffineMap> map = kernel.getAffineIndexMap(windowNumber);
  return map && llvm::all_of(map->getResults(), [](AffineExpr expr) {
           auto constant = dyn_cast<AffineConstantExpr>(expr);
           return constant && constant.getValue() == 0;
         });
}

/// Grid indices, prefetched scalars, blocks, scratch. A block keeps the unit
/// dimensions that its Ref has dropped.
FailureOr<SmallVector<Type>> FunctionBuilder::getArgumentTypes() {
  Lowering types(kernel, builder);
  SmallVector<Type> arguments(kernel.getRank(), builder.getI32Type());
  auto add = [&](MemRefType ref, std::optional<ArrayRef<int64_t>> shape,
                 StringRef name) -> LogicalResult {
    FailureOr<MemRefType> type = types.convertRef(kernel, ref);
    if (failed(type))
      return failure();
    if (shape) {
      if (ShapedType::isDynamicShape(*shape))
        return kernel.emitError("expected a block of static shape for ")
               << name << ", got one with symbols";
      type =
          MemRefType::get(*shape, type->getElementType(),
                          MemRefLayoutAttrInterface(), type->getMemorySpace());
    }
    arguments.push_back(*type);
    return success();
  };
  for (auto [i, ref] : llvm::enumerate(kernel.getIndexRefs())) {
    auto type = cast<MemRefType>(ref.getType());
    auto smem =
        tpu::MemorySpaceAttr::get(kernel.getContext(), tpu::MemorySpace::Smem);
    if (failed(add(MemRefType::get(type.getShape(), type.getElementType(),
                                   MemRefLayoutAttrInterface(), smem),
                   std::nullopt, kernel.getOperandName(i))))
      return failure();
  }
  unsigned numBlocks = kernel.getNumInputs() + kernel.getNumOutputs();
  for (unsigned windowNumber = 0; windowNumber < numBlocks; ++windowNumber) {
    Value ref = kernel.getBodyBlock()->getArgument(
        kernel.getNumIndexOperands() + windowNumber);
    if (getSpec(windowNumber).getTransforms().size() != 0)
      return kernel.emitError("expected no transforms of the block of ")
             << getName(windowNumber) << " on a TPU";
    if (failed(add(cast<MemRefType>(ref.getType()),
                   ArrayRef<int64_t>(getSpec(windowNumber).getBlockShape()),
                   getName(windowNumber))))
      return failure();
  }
  for (Value ref : kernel.getScratchRefs())
    if (failed(add(cast<MemRefType>(ref.getType()), std::nullopt, "scratch")))
      return failure();
  return arguments;
}

LogicalResult FunctionBuilder::buildBody() {
  FailureOr<SmallVector<Type>> arguments = getArgumentTypes();
  if (failed(arguments))
    return failure();
  function = func::FuncOp::create(builder, kernel.getLoc(), kernel.getSymName(),
                                  builder.getFunctionType(*arguments, {}));
  OpBuilder::InsertionGuard guard(builder);
  Block *entry = function.addEntryBlock();
  builder.setInsertionPointToStart(entry);

  Lowering lowering(kernel, builder);
  if (failed(grid::verifyRefs(kernel)) ||
      failed(lowering.verifyTypes(kernel.getBodyRegion())))
    return failure();
  lowering.transposeLhsHint = transposeLhsHint;
  unsigned rank = kernel.getRank();
  lowering.programIds.append(entry->args_begin(), entry->args_begin() + rank);
  Block &body = *kernel.getBodyBlock();
  unsigned numIndex = kernel.getNumIndexOperands();
  for (auto [i, ref] : llvm::enumerate(body.getArguments())) {
    auto type = cast<MemRefType>(ref.getType());
    View view =
        getWholeView(entry->getArgument(rank + i), type.getElementType());
    if (i >= numIndex && i < kernel.getNumOperandSpecs()) {
      // The memref has the squeezed dimensions of the block.
      view.dims.clear();
      view.sizes.clear();
      for (auto [dim, attr] :
           llvm::enumerate(kernel.getOperandSpec(i).getBlockDims())) {
        if (attr.isSqueezed())
          continue;
        view.dims.push_back(dim);
        view.sizes.push_back(view.getBaseType().getDimSize(dim));
      }
    }
    lowering.setView(ref, std::move(view));
  }
  if (failed(lowerBlock(body, lowering)))
    return failure();
  func::ReturnOp::create(builder, body.getTerminator()->getLoc());
  return success();
}

void FunctionBuilder::setGridAttributes() {
  MLIRContext *context = kernel.getContext();
  function->setAttr(tpu::kCoreTypeName,
                    tpu::CoreTypeAttr::get(context, coreType));
  // Mosaic always runs its layout passes for a TensorCore kernel.
  if (!hasLayoutPasses && coreType != tpu::CoreType::Tc)
    function->setAttr(grid::kWithoutLayoutAttrName, builder.getUnitAttr());
  SmallVector<Attribute> semantics;
  SmallVector<int64_t> bounds;
  for (unsigned dim = 0; dim < kernel.getRank(); ++dim) {
    tpu::DimensionSemantics kind = tpu::DimensionSemantics::Arbitrary;
    switch (kernel.getDimSemantics(dim)) {
    case grid::DimSemantics::Parallel:
      kind = tpu::DimensionSemantics::Parallel;
      break;
    case grid::DimSemantics::CoreParallel:
      kind = tpu::DimensionSemantics::CoreParallel;
      break;
    case grid::DimSemantics::SubcoreParallel:
      kind = tpu::DimensionSemantics::SubcoreParallel;
      break;
    case grid::DimSemantics::Arbitrary:
    case grid::DimSemantics::Sequential:
      break;
    }
    semantics.push_back(tpu::DimensionSemanticsAttr::get(context, kind));
    grid::DimAttr attr = kernel.getDim(dim);
    bounds.push_back(attr.isDynamic() ? kDynamicBound : attr.getSize());
  }
  function->setAttr(tpu::kDimensionSemanticsName,
                    builder.getArrayAttr(semantics));
  function->setAttr(tpu::kScalarPrefetchName,
                    builder.getI64IntegerAttr(kernel.getNumIndexOperands()));
  function->setAttr(tpu::kScratchOperandsName,
                    builder.getI64IntegerAttr(kernel.getNumScratch()));
  if (!bounds.empty())
    function->setAttr(tpu::kIterationBoundsName,
                      builder.getDenseI64ArrayAttr(bounds));
}

/// Without a grid there are no windows: Mosaic hands over whole arrays.
LogicalResult FunctionBuilder::verifyWholeBlocks() {
  unsigned numBlocks = kernel.getNumInputs() + kernel.getNumOutputs();
  for (unsigned windowNumber = 0; windowNumber < numBlocks; ++windowNumber)
    if (!isWholeArray(windowNumber))
      return kernel.emitError("expected ")
             << getName(windowNumber)
             << " whole in a kernel without a grid, got a smaller block; add a "
                "grid of one program";
  return success();
}

LogicalResult FunctionBuilder::buildWindows() {
  SmallVector<Attribute> windows;
  unsigned numBlocks = kernel.getNumInputs() + kernel.getNumOutputs();
  for (unsigned windowNumber = 0; windowNumber < numBlocks; ++windowNumber) {
    if (isLeftInPlace(windowNumber)) {
      if (!isWholeArray(windowNumber))
        return kernel.emitError("expected the whole array for ")
               << getName(windowNumber) << " in "
               << getSpec(windowNumber).getSpace().getSpaceName()
               << ", got a block; place the block in VMEM";
      windows.push_back(builder.getDictionaryAttr({}));
      continue;
    }
    FailureOr<DictionaryAttr> window = buildWindow(windowNumber);
    if (failed(window))
      return failure();
    windows.push_back(*window);
  }
  function->setAttr(tpu::kWindowParamsName, builder.getArrayAttr(windows));
  return success();
}

FailureOr<DictionaryAttr> FunctionBuilder::buildWindow(unsigned windowNumber) {
  grid::OperandAttr spec = getSpec(windowNumber);
  NamedAttrList window;
  window.set(tpu::kWindowBoundsName,
             builder.getDenseI64ArrayAttr(spec.getBlockShape()));
  std::string name = "transform_" + std::to_string(windowNumber);
  window.set(tpu::kTransformIndicesName,
             FlatSymbolRefAttr::get(kernel.getContext(), name));
  SmallVector<int64_t> low, high;
  bool byElements = false;
  for (grid::BlockDimAttr dim : spec.getBlockDims()) {
    if (dim.getKind() == grid::BlockKind::BoundedSlice ||
        dim.getKind() == grid::BlockKind::Indirect)
      return kernel.emitError(
                 "expected blocked, squeezed or element dimensions "
                 "for ")
             << getName(windowNumber) << " on a TPU, got "
             << grid::stringifyBlockKind(dim.getKind())
             << "; pltpu.emit_pipeline supports it";
    byElements |= dim.getKind() == grid::BlockKind::Element;
    low.push_back(dim.getPadLow());
    high.push_back(dim.getPadHigh());
  }
  if (byElements)
    window.set(tpu::kWindowKindName,
               tpu::ElementWindowAttr::get(kernel.getContext(), low, high));
  if (failed(addPipelineMode(windowNumber, window)) ||
      failed(buildTransform(windowNumber, name)))
    return failure();
  return window.getDictionary(kernel.getContext());
}

LogicalResult FunctionBuilder::addPipelineMode(unsigned windowNumber,
                                               NamedAttrList &window) {
  grid::OperandAttr spec = getSpec(windowNumber);
  MLIRContext *context = kernel.getContext();
  grid::PipelineModeAttr mode = spec.getPipeline();
  // A block that never changes needs one buffer.
  bool constant = getTPUSpace(spec.getSpace()) == tpu::MemorySpace::Vmem &&
                  isWholeArray(windowNumber) && isAtOrigin(windowNumber);
  if (!mode && !constant)
    return success();
  int64_t buffers = constant ? 1 : mode.getBuffers();
  if (buffers > 2)
    return kernel.emitError("expected at most 2 buffers for ")
           << getName(windowNumber) << " on a TPU, got " << buffers
           << "; use pltpu.emit_pipeline for more";
  if (mode && mode.getLookahead())
    return kernel.emitError("expected no lookahead for ")
           << getName(windowNumber) << " on a TPU; use pltpu.emit_pipeline";
  if (mode && mode.getWriteBuffers())
    return kernel.emitError("expected one number of buffers for ")
           << getName(windowNumber) << " on a TPU, got " << mode.getBuffers()
           << " to read and " << *mode.getWriteBuffers()
           << " to write; use pltpu.emit_pipeline";
  if (mode && mode.getPrefetched() != 0)
    return kernel.emitError("expected no prefetched blocks for ")
           << getName(windowNumber) << " on a TPU, got " << mode.getPrefetched()
           << "; use pltpu.emit_pipeline";
  window.set(tpu::kPipelineModeName,
             tpu::PipelineModeAttr::get(
                 context, buffers == 1 ? tpu::PipelineMode::Synchronous
                                       : tpu::PipelineMode::DoubleBuffered));
  if (!mode || !mode.getRevisit())
    return success();
  bool any = *mode.getRevisit() == grid::RevisitMode::Any;
  if (any && buffers > 1)
    return kernel.emitError("expected one buffer for ")
           << getName(windowNumber)
           << ", whose blocks are revisited in any order, got " << buffers;
  window.set(
      tpu::kRevisitModeName,
      tpu::RevisitModeAttr::get(context, any ? tpu::RevisitMode::Any
                                             : tpu::RevisitMode::Immediate));
  return success();
}

/// The index map as a function of the grid indices and the prefetched scalars.
LogicalResult FunctionBuilder::buildTransform(unsigned windowNumber,
                                              StringRef name) {
  OpBuilder::InsertionGuard guard(builder);
  TypeRange inputs = function.getFunctionType().getInputs().take_front(
      kernel.getRank() + kernel.getNumIndexOperands());
  grid::OperandAttr spec = getSpec(windowNumber);
  SmallVector<grid::BlockDimAttr> dims = spec.getBlockDims();
  SmallVector<Type> results(dims.size(), builder.getI32Type());
  Region &map = kernel.getIndexMap(windowNumber);
  auto transform = func::FuncOp::create(
      builder, map.getLoc(), name, builder.getFunctionType(inputs, results));
  Block *entry = transform.addEntryBlock();
  builder.setInsertionPointToStart(entry);

  Lowering lowering(kernel, builder);
  unsigned rank = kernel.getRank();
  lowering.programIds.append(entry->args_begin(), entry->args_begin() + rank);
  Block &body = map.front();
  for (unsigned i = 0; i < rank; ++i)
    lowering.set(body.getArgument(i), entry->getArgument(i));
  setIndexViews(lowering, body.getArguments().drop_front(rank),
                entry->getArguments().drop_front(rank));
  if (failed(lowerBlock(body, lowering)))
    return failure();

  bool byElements = llvm::any_of(dims, [](grid::BlockDimAttr dim) {
    return dim.getKind() == grid::BlockKind::Element;
  });
  Operation *yield = body.getTerminator();
  SmallVector<Value> indices;
  for (auto [dim, index] : llvm::zip_equal(dims, yield->getOperands())) {
    Value value = toI32(builder, index.getLoc(), lowering.get(index));
    // One kind of window for all dimensions: blocks count as their elements.
    if (byElements && dim.getKind() == grid::BlockKind::Blocked)
      value = arith::MulIOp::create(
          builder, index.getLoc(), value,
          createI32(builder, index.getLoc(), dim.getSize()));
    indices.push_back(value);
  }
  func::ReturnOp::create(builder, yield->getLoc(), indices);
  return success();
}

} // namespace

LogicalResult buildFunctions(grid::KernelOp kernel) {
  return FunctionBuilder(kernel).build();
}

} // namespace gridir::grid_to_tpu
