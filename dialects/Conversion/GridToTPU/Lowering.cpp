//===- Lowering.cpp - What the lowerings of one kernel share --------------===//
//
// Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dialects/Conversion/GridToTPU/Lowering.h"

#include "dialects/Grid/Analysis/RefOrigins.h"
#include "dialects/TPU/Target/TPUTarget.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Arith/Utils/Utils.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/Matchers.h"
#include "mlir/Interfaces/DestinationStyleOpInterface.h"

using namespace mlir;

namespace gridir::grid_to_tpu {

//===----------------------------------------------------------------------===//
// Views
//===----------------------------------------------------------------------===//

SmallVector<int64_t> View::getPermutation() const {
  SmallVector<int64_t> kept(dims);
  llvm::sort(kept);
  return llvm::map_to_vector(dims, [&](int64_t dim) -> int64_t {
    return llvm::lower_bound(kept, dim) - kept.begin();
  });
}

SmallVector<int64_t> View::getKeptShape() const {
  SmallVector<int64_t> shape(sizes.size());
  for (auto [dim, size] : llvm::zip_equal(getPermutation(), sizes))
    shape[dim] = size;
  return shape;
}

View getWholeView(Value base, Type elementType) {
  auto type = cast<MemRefType>(base.getType());
  View view(type.getContext(), type.getShape());
  view.base = base;
  view.elementType = elementType;
  return view;
}

//===----------------------------------------------------------------------===//
// Types
//===----------------------------------------------------------------------===//

std::optional<tpu::MemorySpace>
getTPUSpace(grid::MemorySpaceAttrInterface space) {
  if (auto own = dyn_cast<tpu::MemorySpaceAttr>(space))
    return own.getValue();
  auto neutral = dyn_cast<grid::MemorySpaceAttr>(space);
  if (!neutral)
    return std::nullopt;
  switch (neutral.getValue()) {
  case grid::MemorySpace::Default:
    return tpu::MemorySpace::Vmem;
  case grid::MemorySpace::Any:
    return tpu::MemorySpace::Any;
  case grid::MemorySpace::Host:
    return tpu::MemorySpace::Host;
  case grid::MemorySpace::Index:
    return tpu::MemorySpace::Smem;
  case grid::MemorySpace::Error:
  case grid::MemorySpace::Key:
    return std::nullopt;
  }
  llvm_unreachable("all memory spaces of grid are handled");
}

Type getStorageType(Type elementType) {
  if (elementType.isInteger(1))
    return IntegerType::get(elementType.getContext(), 32);
  return elementType;
}

FailureOr<Type> Lowering::convertType(Operation *op, Type type) {
  if (isa<ComplexType>(getElementTypeOrSelf(type)) ||
      getElementTypeOrSelf(type).isF64())
    return op->emitError("expected a type that a TPU supports, got ") << type;
  auto tensor = dyn_cast<RankedTensorType>(type);
  if (!tensor)
    return type;
  Type element = tensor.getElementType();
  if (element.isIndex())
    element = builder.getI32Type();
  if (!element.isIntOrFloat())
    return op->emitError("expected a type that a TPU supports, got ") << type;
  if (llvm::any_of(tensor.getShape(), [](int64_t size) { return size <= 0; }))
    return op->emitError("expected non-empty values on the tpu target, got ")
           << type
           << "; Mosaic has no vectors without elements, which "
              "jax.lax.associative_scan slices";
  // A vector of rank 0 is a number.
  if (tensor.getRank() == 0)
    return element;
  // Larger values would take hours to compile, since they are split into
  // registers.
  int64_t bits = tensor.getNumElements() * element.getIntOrFloatBitWidth();
  if (bits / 8 > tpu::getMaxVmemBytes())
    return op->emitError("expected values of at most ")
           << tpu::getMaxVmemBytes() << " bytes, the VMEM of a TPU, got "
           << type;
  return Type(VectorType::get(tensor.getShape(), element));
}

FailureOr<SmallVector<Type>> Lowering::convertTypes(Operation *op,
                                                    TypeRange types) {
  SmallVector<Type> converted;
  for (Type type : types) {
    FailureOr<Type> result = convertType(op, type);
    if (failed(result))
      return failure();
    converted.push_back(*result);
  }
  return converted;
}

LogicalResult Lowering::verifyTypes(Region &region) {
  auto verify = [&](Operation *op, ValueRange values) {
    return llvm::all_of(values, [&](Value value) {
      if (!isa<BaseMemRefType>(value.getType()))
        return succeeded(convertType(op, value.getType()));
      if (!grid::isRef(value))
        op->emitError("expected only Refs as memrefs on the tpu target, got ")
            << value.getType();
      return grid::isRef(value);
    });
  };
  WalkResult result = region.walk([&](Operation *op) {
    if (!verify(op, op->getResults()))
      return WalkResult::interrupt();
    for (Region &inner : op->getRegions())
      for (Block &block : inner)
        if (!verify(op, block.getArguments()))
          return WalkResult::interrupt();
    return WalkResult::advance();
  });
  return failure(result.wasInterrupted());
}

FailureOr<MemRefType> Lowering::convertRef(Operation *op, MemRefType type) {
  std::optional<tpu::MemorySpace> tpuSpace = getTPUSpace(grid::getSpace(type));
  if (!tpuSpace)
    return op->emitError("expected a memory space of a TPU, got ") << type;
  Type element = type.getElementType();
  if (auto semaphore = dyn_cast<grid::SemaphoreType>(element)) {
    tpuSpace = tpu::MemorySpace::SemaphoreMem;
    element = semaphore.getKind() == grid::SemaphoreKind::Dma
                  ? Type(tpu::DMASemaphoreType::get(type.getContext()))
                  : Type(tpu::SemaphoreType::get(type.getContext()));
  } else if (failed(convertType(op, element))) {
    return failure();
  }
  return MemRefType::get(
      type.getShape(), getStorageType(element), MemRefLayoutAttrInterface(),
      tpu::MemorySpaceAttr::get(type.getContext(), *tpuSpace));
}

//===----------------------------------------------------------------------===//
// The walk
//===----------------------------------------------------------------------===//

const Handlers &getHandlers() {
  static const Handlers all = [] {
    Handlers handlers;
    addViewLowerings(handlers);
    addAccessLowerings(handlers);
    addShapeLowerings(handlers);
    addLinalgLowerings(handlers);
    addBodyLowerings(handlers);
    addReductionLowerings(handlers);
    addDotLowerings(handlers);
    addAsyncLowerings(handlers);
    addPrintLowerings(handlers);
    addProgramLowerings(handlers);
    return handlers;
  }();
  return all;
}

Value Lowering::get(Value value) {
  auto it = values.find(value);
  if (it != values.end())
    return it->second;
  auto empty = value.getDefiningOp<tensor::EmptyOp>();
  assert(empty && "an op without a lowering is refused before its uses");
  Type element = empty.getType().getElementType();
  if (element.isIndex())
    element = builder.getI32Type();
  return createZero(builder, value.getLoc(),
                    VectorType::get(empty.getType().getShape(), element));
}

SmallVector<Value> Lowering::get(ValueRange range) {
  return llvm::map_to_vector(range, [&](Value value) { return get(value); });
}

void Lowering::set(ValueRange from, ValueRange to) {
  for (auto [source, target] : llvm::zip_equal(from, to))
    set(source, target);
}

/// True if an op keeps its meaning on a TPU: ops on numbers, and elementwise
/// ops, which apply to vectors as they do to tensors.
static bool isClonable(Operation *op) {
  if (op->getNumRegions() != 0)
    return false;
  bool scalars = llvm::none_of(
      llvm::concat<const Type>(op->getOperandTypes(), op->getResultTypes()),
      [](Type type) { return isa<ShapedType>(type); });
  return scalars ? isMemoryEffectFree(op) &&
                       !isa_and_nonnull<grid::GridDialect>(op->getDialect())
                 : OpTrait::hasElementwiseMappableTraits(op);
}

/// Ops of the tpu dialect are emitted unchanged, on vectors and memrefs.
LogicalResult Lowering::lowerOwnOp(Operation *op) {
  SmallVector<Value> operands;
  for (Value operand : op->getOperands()) {
    if (!isa<MemRefType>(operand.getType())) {
      operands.push_back(get(operand));
      continue;
    }
    FailureOr<Value> memref = createMemRef(*this, op, getView(operand));
    if (failed(memref))
      return failure();
    operands.push_back(*memref);
  }
  FailureOr<SmallVector<Type>> types = convertTypes(op, op->getResultTypes());
  if (failed(types))
    return failure();
  set(op->getResults(),
      createLike(builder, op, operands, *types)->getResults());
  return success();
}

/// True if a number of less than 32 bits, which Mosaic does not have, is an
/// element of a vector of one element, or computed as one.
static bool isNarrowElement(Value value) {
  auto extract = value.getDefiningOp<vector::ExtractOp>();
  bool isElement = extract &&
                   extract.getSourceVectorType().getNumElements() == 1 &&
                   getWideElement(value.getType()) != value.getType();
  return isElement ||
         (value.getType().isFloat() && value.getDefiningOp<arith::TruncFOp>());
}

/// A number as a vector of one.
static Value createElement(OpBuilder &builder, Location loc, Value number) {
  auto type = VectorType::get({1, 1}, number.getType());
  Attribute constant;
  if (matchPattern(number, m_Constant(&constant)))
    return arith::ConstantOp::create(builder, loc,
                                     DenseElementsAttr::get(type, constant));
  if (auto truncate = number.getDefiningOp<arith::TruncFOp>())
    return arith::TruncFOp::create(
        builder, loc, type, createElement(builder, loc, truncate.getIn()));
  return createShapeCast(builder, loc, number, type);
}

/// Applies an op on such numbers to vectors of one element.
LogicalResult Lowering::lowerOnElements(Operation *op, TypeRange types) {
  Location loc = op->getLoc();
  if (isa<arith::IndexCastOp, arith::IndexCastUIOp>(op)) {
    // There are no vectors of indices.
    Value one = createElementCast(
        builder, loc, createElement(builder, loc, get(op->getOperand(0))),
        builder.getI32Type(), isa<arith::IndexCastUIOp>(op));
    Value number = createShapeCast(builder, loc, one, builder.getI32Type());
    set(op->getResults(), createLike(builder, op, number, types)->getResults());
    return success();
  }
  SmallVector<Value> operands;
  for (Value number : get(op->getOperands())) {
    // A scalar condition selects between vectors without a conversion.
    bool isCondition = isa<arith::SelectOp>(op) && operands.empty();
    operands.push_back(isCondition ? number
                                   : createElement(builder, loc, number));
  }
  SmallVector<Type> vectorTypes = llvm::map_to_vector(
      types, [](Type type) -> Type { return VectorType::get({1, 1}, type); });
  Operation *vectors = createLike(builder, op, operands, vectorTypes);
  for (auto [from, to, type] :
       llvm::zip_equal(op->getResults(), vectors->getResults(), types)) {
    Type held = type.isInteger(1) ? builder.getI32Type() : type;
    Value number = createShapeCast(
        builder, loc, createElementCast(builder, loc, to, held), held);
    set(from, createElementCast(builder, loc, number, type));
  }
  return success();
}

LogicalResult Lowering::lowerOp(Operation *op) {
  auto structured = dyn_cast<DestinationStyleOpInterface>(op);
  if (structured && !structured.hasPureTensorSemantics())
    return op->emitError("expected tensors on the tpu target, got memrefs; "
                         "load and store the Refs");
  if (const Handlers::Handler *handler = getHandlers().find(op))
    return (*handler)(op, *this);
  if (isa_and_nonnull<tpu::TPUDialect>(op->getDialect()))
    return lowerOwnOp(op);
  if (!isClonable(op))
    return op->emitError("'")
           << op->getName() << "' is not supported on the tpu target";
  FailureOr<SmallVector<Type>> types = convertTypes(op, op->getResultTypes());
  if (failed(types))
    return failure();
  SmallVector<Value> operands = get(op->getOperands());
  if (OpTrait::hasElementwiseMappableTraits(op) &&
      llvm::any_of(operands, isNarrowElement))
    return lowerOnElements(op, *types);
  set(op->getResults(),
      createLike(builder, op, operands, *types)->getResults());
  return success();
}

} // namespace gridir::grid_to_tpu
