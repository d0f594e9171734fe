//===- Kernels.cpp - The grid, the windows and the transforms of a Mosaic kernel --===//
//
// Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dialects/Conversion/TPUToGrid/Raising.h"

using namespace mlir;

namespace gridir::tpu_to_grid {
namespace {

class KernelBuilder {
public:
  KernelBuilder(func::FuncOp function, DictionaryAttr operands)
      : function(function), operands(operands), builder(function) {}

  FailureOr<grid::KernelOp> build();

private:
  void readGrid();
  FailureOr<grid::OperandAttr> getOperand(grid::OperandAttr array,
                                          unsigned windowNumber);
  LogicalResult createBody(grid::KernelOp kernel);
  LogicalResult createIndexMap(grid::KernelOp kernel, unsigned windowNumber);
  void createZeroIndexMap(Region &region, TypeRange types, int64_t rank);
  SmallVector<grid::OperandAttr> getArrays(StringRef name);
  DictionaryAttr getWindow(unsigned windowNumber) {
    auto windows = function->getAttrOfType<ArrayAttr>(tpu::kWindowParamsName);
    if (!windows || windowNumber >= windows.size())
      return {};
    auto window = dyn_cast<DictionaryAttr>(windows[windowNumber]);
    return window && !window.empty() ? window : DictionaryAttr();
  }

  func::FuncOp function;
  DictionaryAttr operands;
  OpBuilder builder;
  SmallVector<Attribute> dims, semantics;
  SmallVector<Type> indexTypes;
};

void KernelBuilder::readGrid() {
  MLIRContext *context = function.getContext();
  auto bounds =
      function->getAttrOfType<DenseI64ArrayAttr>(tpu::kIterationBoundsName);
  auto kinds = function->getAttrOfType<ArrayAttr>(tpu::kDimensionSemanticsName);
  if (!bounds)
    return;
  for (auto [bound, kind] : llvm::zip_equal(bounds.asArrayRef(), kinds)) {
    int64_t size = bound == std::numeric_limits<int64_t>::min()
                       ? ShapedType::kDynamic
                       : bound;
    dims.push_back(grid::DimAttr::get(context, size, StringAttr(), false,
                                      grid::DimKind::Grid));
    auto attr = dyn_cast<tpu::DimensionSemanticsAttr>(kind);
    bool isParallel =
        attr && attr.getValue() != tpu::DimensionSemantics::Arbitrary;
    semantics.push_back(grid::DimSemanticsAttr::get(
        context, isParallel ? grid::DimSemantics::Parallel
                            : grid::DimSemantics::Arbitrary));
  }
}

/// The arrays of the call in one of its lists.
SmallVector<grid::OperandAttr> KernelBuilder::getArrays(StringRef name) {
  if (auto list = operands.getAs<ArrayAttr>(name))
    return llvm::to_vector(list.getAsRange<grid::OperandAttr>());
  return {};
}

/// The array of an operand, cut as its window says.
FailureOr<grid::OperandAttr> KernelBuilder::getOperand(grid::OperandAttr array,
                                                       unsigned windowNumber) {
  MLIRContext *context = function.getContext();
  SmallVector<grid::BlockDimAttr> block;
  if (DictionaryAttr window = getWindow(windowNumber)) {
    auto bounds = window.getAs<DenseI64ArrayAttr>(tpu::kWindowBoundsName);
    auto kind = window.getAs<tpu::ElementWindowAttr>(tpu::kWindowKindName);
    if (!bounds ||
        static_cast<int64_t>(bounds.asArrayRef().size()) != array.getRank())
      return function.emitError("expected bounds for each dimension of window ")
             << windowNumber;
    for (auto [dim, size] : llvm::enumerate(bounds.asArrayRef()))
      block.push_back(grid::BlockDimAttr::get(
          context, kind ? grid::BlockKind::Element : grid::BlockKind::Blocked,
          size, kind ? kind.getPadLow()[dim] : 0,
          kind ? kind.getPadHigh()[dim] : 0));
  }
  return grid::OperandAttr::get(context, array.getElementType(),
                                array.getShape(), block, array.getSpace(),
                                grid::PipelineModeAttr(), {}, array.getOrigin(),
                                StringAttr());
}

void KernelBuilder::createZeroIndexMap(Region &region, TypeRange types,
                                       int64_t rank) {
  OpBuilder::InsertionGuard guard(builder);
  SmallVector<Location> locs(types.size(), function.getLoc());
  builder.createBlock(&region, {}, types, locs);
  Value zero = arith::ConstantIntOp::create(builder, function.getLoc(), 0, 32);
  grid::YieldOp::create(builder, function.getLoc(),
                        SmallVector<Value>(rank, zero));
}

/// Copies the body of a function to a region whose arguments stand for the
/// function's: `arguments`, or casts of them.
static LogicalResult copyBody(OpBuilder &builder, func::FuncOp function,
                              ValueRange arguments) {
  if (!function.getBody().hasOneBlock())
    return function.emitError(
               "expected a body of one block in an executable module, got ")
           << function.getBody().getBlocks().size();
  Block &body = function.getBody().front();
  IRMapping mapping;
  for (auto [from, to] : llvm::zip_equal(body.getArguments(), arguments))
    mapping.map(from, createStandIn(builder, to, from.getType()));
  for (Operation &op : body.without_terminator())
    builder.clone(op, mapping);
  Operation *end = body.getTerminator();
  SmallVector<Value> results;
  for (Value result : end->getOperands())
    results.push_back(mapping.lookup(result));
  grid::YieldOp::create(builder, end->getLoc(), results);
  return success();
}

LogicalResult KernelBuilder::createIndexMap(grid::KernelOp kernel,
                                            unsigned windowNumber) {
  Region &region = kernel.getIndexMap(windowNumber);
  SmallVector<Type> types(dims.size(), builder.getI32Type());
  llvm::append_range(types, indexTypes);
  DictionaryAttr window = getWindow(windowNumber);
  if (!window) {
    createZeroIndexMap(
        region, types,
        kernel.getOperandSpec(kernel.getNumIndexOperands() + windowNumber)
            .getRank());
    return success();
  }
  auto name = window.getAs<FlatSymbolRefAttr>(tpu::kTransformIndicesName);
  auto transform =
      name ? SymbolTable::lookupNearestSymbolFrom<func::FuncOp>(function, name)
           : func::FuncOp();
  if (!transform || transform.isDeclaration() ||
      transform.getNumArguments() != types.size())
    return function.emitError("expected a transform of the grid indices and "
                              "prefetched scalars for window ")
           << windowNumber;
  OpBuilder::InsertionGuard guard(builder);
  SmallVector<Location> locs(types.size(), transform.getLoc());
  Block *block = builder.createBlock(&region, {}, types, locs);
  return copyBody(builder, transform, block->getArguments());
}

LogicalResult KernelBuilder::createBody(grid::KernelOp kernel) {
  OpBuilder::InsertionGuard guard(builder);
  SmallVector<Type> types;
  for (unsigned i = 0; i < kernel.getNumOperandSpecs(); ++i)
    types.push_back(kernel.getOperandSpec(i).getRefType());
  auto memrefs = function.getArguments().drop_front(dims.size());
  for (BlockArgument scratch : memrefs.drop_front(types.size()))
    types.push_back(convertRef(cast<MemRefType>(scratch.getType())));
  SmallVector<Location> locs(types.size(), function.getLoc());
  Block *block = builder.createBlock(&kernel.getBodyRegion(), {}, types, locs);
  for (auto [from, to] : llvm::zip_equal(memrefs, block->getArguments()))
    if (cast<MemRefType>(from.getType()).getShape() !=
        cast<MemRefType>(to.getType()).getShape())
      return function.emitError("expected a block of the shape of its window, "
                                "got ")
             << from.getType() << " and " << to.getType();
  SmallVector<Value> arguments;
  for (unsigned dim = 0; dim < dims.size(); ++dim)
    arguments.push_back(grid::ProgramIdOp::create(
        builder, function.getLoc(), builder.getI32Type(),
        builder.getI64IntegerAttr(dim)));
  llvm::append_range(arguments, block->getArguments());
  return copyBody(builder, function, arguments);
}

FailureOr<grid::KernelOp> KernelBuilder::build() {
  readGrid();
  SmallVector<Attribute> index, inputs, outputs;
  for (grid::OperandAttr array : getArrays("index")) {
    index.push_back(array);
    indexTypes.push_back(array.getRefType());
  }
  unsigned numWindows = 0;
  for (auto [name, list] :
       {std::pair("inputs", &inputs), std::pair("outputs", &outputs)}) {
    for (grid::OperandAttr array : getArrays(name)) {
      FailureOr<grid::OperandAttr> operand = getOperand(array, numWindows++);
      if (failed(operand))
        return failure();
      list->push_back(*operand);
    }
  }
  if (function.getNumArguments() < dims.size() + index.size() + numWindows)
    return function.emitError("expected an argument for each grid index and "
                              "operand, got ")
           << function.getNumArguments();
  if (auto windows = function->getAttrOfType<ArrayAttr>(tpu::kWindowParamsName);
      windows && windows.size() != numWindows)
    return function.emitError("expected an array of the call for each window, "
                              "got ")
           << numWindows << " for " << windows.size();
  auto kernel = grid::KernelOp::create(
      builder, function.getLoc(), function.getSymNameAttr(), StringAttr(),
      builder.getArrayAttr(dims), builder.getArrayAttr(index),
      builder.getArrayAttr(inputs), builder.getArrayAttr(outputs),
      builder.getArrayAttr(semantics), operands.getAs<ArrayAttr>("aliases"),
      UnitAttr(), ArrayAttr(), operands.getAs<ArrayAttr>("scratch_origins"),
      grid::CostAttr(), DictionaryAttr(), StringAttr(), StringAttr(),
      DictionaryAttr(), UnitAttr(), 1 + numWindows);
  if (failed(createBody(kernel)))
    return failure();
  for (unsigned i = 0; i < numWindows; ++i)
    if (failed(createIndexMap(kernel, i)))
      return failure();
  return kernel;
}

} // namespace

FailureOr<grid::KernelOp> createKernel(func::FuncOp function,
                                       DictionaryAttr operands) {
  return KernelBuilder(function, operands).build();
}

} // namespace gridir::tpu_to_grid
