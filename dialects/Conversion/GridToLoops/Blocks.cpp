//===- Blocks.cpp - Windows of arrays -------------------------------------===//
//
// Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dialects/Conversion/GridToLoops/Blocks.h"

#include "dialects/Conversion/GridToLoops/Async.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Complex/IR/Complex.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "llvm/ADT/APFloat.h"

using namespace mlir;
using namespace gridir::grid;

namespace gridir {
namespace {

/// The part of a window inside of its array: its start in the window and in the
/// array, and its number of elements.
struct ValidPart {
  SmallVector<OpFoldResult> inWindow, inArray, sizes;
};

Value createMax(OpBuilder &builder, Location loc, Value a, Value b) {
  return arith::MaxSIOp::create(builder, loc, a, b);
}
Value createMin(OpBuilder &builder, Location loc, Value a, Value b) {
  return arith::MinSIOp::create(builder, loc, a, b);
}

ValidPart computeValidPart(OpBuilder &builder, Location loc,
                           loops::IndexRanges &ranges, MemRefType array,
                           ArrayRef<WindowDim> dims) {
  ValidPart part;
  Value zero = createIndex(builder, loc, 0);
  for (auto [d, dim] : llvm::enumerate(dims)) {
    if (dim.overlap) {
      part.inWindow.push_back(dim.overlap);
      part.inArray.push_back(
          arith::AddIOp::create(builder, loc, dim.start, dim.overlap)
              .getResult());
      part.sizes.push_back(
          arith::SubIOp::create(
              builder, loc, createIndex(builder, loc, dim.size), dim.overlap)
              .getResult());
      continue;
    }
    if (dim.proved && !dim.limit) {
      part.inWindow.push_back(builder.getIndexAttr(0));
      part.inArray.push_back(dim.start);
      part.sizes.push_back(builder.getIndexAttr(dim.size));
      continue;
    }
    Value extent = createIndex(builder, loc, array.getDimSize(d));
    Value size = createIndex(builder, loc, dim.size);
    Value last =
        createMin(builder, loc, size,
                  arith::SubIOp::create(builder, loc, extent, dim.start));
    if (dim.limit)
      last = createMin(builder, loc, last, dim.limit);
    // A window that only overhangs the end starts in the array.
    if (ranges.get(dim.start).isIn(0, array.getDimSize(d))) {
      part.inWindow.push_back(builder.getIndexAttr(0));
      part.sizes.push_back(dim.limit ? createMax(builder, loc, last, zero)
                                     : last);
      part.inArray.push_back(dim.start);
      continue;
    }
    // Both starts are kept in range for a window that is wholly outside: the
    // copy of no elements must still have valid offsets.
    Value before = arith::SubIOp::create(builder, loc, zero, dim.start);
    Value first =
        createMin(builder, loc, createMax(builder, loc, before, zero), size);
    Value count = arith::SubIOp::create(builder, loc, last, first);
    part.inWindow.push_back(first);
    part.sizes.push_back(createMax(builder, loc, count, zero));
    part.inArray.push_back(createMin(
        builder, loc, createMax(builder, loc, dim.start, zero), extent));
  }
  return part;
}

SmallVector<OpFoldResult> getUnitStrides(OpBuilder &builder, unsigned rank) {
  return SmallVector<OpFoldResult>(rank, builder.getIndexAttr(1));
}

Value createSubview(OpBuilder &builder, Location loc, Value source,
                    ArrayRef<OpFoldResult> offsets,
                    ArrayRef<OpFoldResult> sizes) {
  return memref::SubViewOp::create(builder, loc, source, offsets, sizes,
                                   getUnitStrides(builder, sizes.size()));
}

/// A window of constant sizes, without the dropped dimensions. The whole source
/// is the source itself.
Value createReducedSubview(OpBuilder &builder, Location loc, Value source,
                           ArrayRef<OpFoldResult> offsets,
                           ArrayRef<WindowDim> dims) {
  SmallVector<OpFoldResult> sizes;
  SmallVector<int64_t> shape;
  for (const WindowDim &dim : dims) {
    sizes.push_back(builder.getIndexAttr(dim.size));
    if (!dim.dropped)
      shape.push_back(dim.size);
  }
  auto sourceType = cast<MemRefType>(source.getType());
  if (sourceType.getShape() == ArrayRef(shape) &&
      llvm::all_of(offsets, isZeroInteger))
    return source;
  SmallVector<OpFoldResult> strides = getUnitStrides(builder, dims.size());
  MemRefType whole =
      memref::SubViewOp::inferResultType(sourceType, offsets, sizes, strides);
  // The shape alone does not state which dimensions of one element remain.
  auto [allStrides, offset] = whole.getStridesAndOffset();
  SmallVector<int64_t> kept;
  for (auto [stride, dim] : llvm::zip_equal(allStrides, dims))
    if (!dim.dropped)
      kept.push_back(stride);
  auto type = MemRefType::get(
      shape, sourceType.getElementType(),
      StridedLayoutAttr::get(builder.getContext(), offset, kept),
      sourceType.getMemorySpace());
  return memref::SubViewOp::create(builder, loc, type, source, offsets, sizes,
                                   strides);
}

/// True if every element of the window lies in the array and therefore counts.
Value createInsideTest(OpBuilder &builder, Location loc, MemRefType array,
                       ArrayRef<WindowDim> dims, bool written) {
  Value inside;
  auto require = [&](arith::CmpIPredicate predicate, Value value,
                     int64_t bound) {
    Value holds = arith::CmpIOp::create(builder, loc, predicate, value,
                                        createIndex(builder, loc, bound));
    inside =
        inside ? arith::AndIOp::create(builder, loc, inside, holds).getResult()
               : holds;
  };
  for (auto [d, dim] : llvm::enumerate(dims)) {
    if (!dim.proved) {
      require(arith::CmpIPredicate::sge, dim.start, 0);
      require(arith::CmpIPredicate::sle, dim.start,
              array.getDimSize(d) - dim.size);
    }
    if (dim.limit && written)
      require(arith::CmpIPredicate::sge, dim.limit, dim.size);
    if (dim.overlap)
      require(arith::CmpIPredicate::eq, dim.overlap, 0);
  }
  return inside;
}

} // namespace

TypedAttr getPadding(Type elementType) {
  Builder builder(elementType.getContext());
  if (auto type = dyn_cast<FloatType>(elementType)) {
    const llvm::fltSemantics &semantics = type.getFloatSemantics();
    return builder.getFloatAttr(type, APFloat::semanticsHasNaN(semantics)
                                          ? APFloat::getNaN(semantics)
                                          : APFloat::getLargest(semantics));
  }
  if (auto type = dyn_cast<IntegerType>(elementType)) {
    unsigned width = type.getWidth();
    bool hasSign = !type.isUnsigned() && width > 1;
    auto signless = IntegerType::get(type.getContext(), width);
    return builder.getIntegerAttr(signless,
                                  hasSign ? APInt::getSignedMinValue(width)
                                          : APInt::getZero(width));
  }
  return builder.getZeroAttr(elementType);
}

static Value createPadding(OpBuilder &builder, Location loc, Type elementType,
                           TypedAttr padding) {
  if (auto type = dyn_cast<ComplexType>(elementType)) {
    auto part = getPadding(type.getElementType());
    return complex::ConstantOp::create(builder, loc, type,
                                       builder.getArrayAttr({part, part}));
  }
  return arith::ConstantOp::create(builder, loc, padding);
}

/// The type of a window in an array. For a private buffer it determines the
/// kept dimensions, for the array the contiguity of the last dimension.
static MemRefType getWindowType(MemRefType arrayType,
                                ArrayRef<WindowDim> dims) {
  SmallVector<int64_t> reduced;
  for (const WindowDim &dim : dims)
    if (!dim.dropped)
      reduced.push_back(dim.size);
  bool lastStays = dims.empty() || !dims.back().dropped;
  SmallVector<int64_t> strides(reduced.size(), ShapedType::kDynamic);
  auto [arrayStrides, arrayOffset] = arrayType.getStridesAndOffset();
  if (!reduced.empty() && lastStays && arrayStrides.back() == 1)
    strides.back() = 1;
  return MemRefType::get(reduced, arrayType.getElementType(),
                         StridedLayoutAttr::get(arrayType.getContext(),
                                                ShapedType::kDynamic, strides));
}

namespace {

/// A window that overhangs its array, with a private buffer for all of it.
struct PrivateWindow {
  KernelLowering &lowering;
  Value array, buffer;
  SmallVector<WindowDim> dims;
  std::string name;

  /// Copies the valid part of the array into the buffer, and padding around it.
  void createFill(OpBuilder &builder, Location loc, TypedAttr padding) const {
    auto type = cast<MemRefType>(array.getType());
    Value value = createPadding(builder, loc, type.getElementType(), padding);
    linalg::FillOp::create(builder, loc, value, buffer);
    ValidPart part =
        computeValidPart(builder, loc, lowering.ranges, type, dims);
    Value from = createSubview(builder, loc, array, part.inArray, part.sizes);
    Value to = createSubview(builder, loc, buffer, part.inWindow, part.sizes);
    record(builder, loc, from, AccessKind::Read);
    linalg::CopyOp::create(builder, loc, from, to);
    if (lowering.recordsAccesses()) {
      // Elements outside of the array are padding, which may be read.
      createMemoryState(builder, loc, lowering, buffer, /*defined=*/true);
      createMemoryTransfer(builder, loc, lowering, from, to);
    }
  }

  /// Copies the valid part of the buffer into the array.
  void createCopyOut(OpBuilder &builder, Location loc) const {
    ValidPart part = computeValidPart(builder, loc, lowering.ranges,
                                      cast<MemRefType>(array.getType()), dims);
    Value from = createSubview(builder, loc, buffer, part.inWindow, part.sizes);
    Value to = createSubview(builder, loc, array, part.inArray, part.sizes);
    record(builder, loc, to, AccessKind::Write);
    linalg::CopyOp::create(builder, loc, from, to);
    if (lowering.recordsAccesses())
      createMemoryTransfer(builder, loc, lowering, from, to);
  }

private:
  void record(OpBuilder &builder, Location loc, Value part,
              AccessKind kind) const {
    if (lowering.recordsAccesses())
      createRecordedAccess(builder, loc, lowering, part, kind, name);
  }
};

} // namespace

Window createWindow(OpBuilder &builder, Location loc, KernelLowering &lowering,
                    Value array, ArrayRef<WindowDim> dims, bool written,
                    TypedAttr padding, StringRef name, bool isRead,
                    function_ref<Value(OpBuilder &)> createReuse) {
  auto arrayType = cast<MemRefType>(array.getType());
  SmallVector<OpFoldResult> starts;
  SmallVector<int64_t> shape;
  for (auto [d, dim] : llvm::enumerate(dims)) {
    // A start with one value is a constant, which the type of a view can hold
    // if it is inside of the array.
    Interval range = lowering.ranges.get(dim.start);
    bool isInside =
        range.low >= 0 && range.low <= arrayType.getDimSize(d) - dim.size;
    starts.push_back(range.isConstant() && isInside
                         ? OpFoldResult(builder.getIndexAttr(range.low))
                         : dim.start);
    shape.push_back(dim.size);
  }
  bool fits = llvm::all_of(llvm::enumerate(dims), [&](auto dim) {
    return dim.value().size <= arrayType.getDimSize(dim.index());
  });
  Value inside = createInsideTest(builder, loc, arrayType, dims, written);
  if (!inside) {
    ++lowering.counts.blocksInPlace;
    return {
        createReducedSubview(builder, loc, array, starts, dims), {}, nullptr};
  }

  ++lowering.counts.blocksTested;
  Value isSame = createReuse ? createReuse(builder) : Value();
  Value buffer = lowering.allocate(loc, shape, arrayType.getElementType());
  SmallVector<OpFoldResult> origin(dims.size(), builder.getIndexAttr(0));
  MemRefType type = getWindowType(arrayType, dims);
  PrivateWindow window{lowering, array, buffer, SmallVector<WindowDim>(dims),
                       name.str()};
  auto fill = [&](OpBuilder &builder, Location loc) {
    OpBuilder::InsertionGuard guard(builder);
    if (isSame) {
      auto kept = scf::IfOp::create(builder, loc, isSame,
                                    /*withElseRegion=*/true);
      builder.setInsertionPointToStart(kept.elseBlock());
    }
    if (isRead)
      window.createFill(builder, loc, padding);
    else if (lowering.recordsAccesses())
      createMemoryState(builder, loc, lowering, buffer, /*defined=*/false);
  };
  // A window that is larger than its array is never inside, and has no view of
  // the array.
  if (!fits)
    inside = arith::ConstantIntOp::create(builder, loc, 0, 1);
  auto createShown = [&](OpBuilder &builder, Location loc, Value source,
                         ArrayRef<OpFoldResult> offsets) {
    Value view = createReducedSubview(builder, loc, source, offsets, dims);
    Value shown = memref::CastOp::create(builder, loc, type, view);
    scf::YieldOp::create(builder, loc, shown);
  };
  auto view = scf::IfOp::create(
      builder, loc, inside,
      [&](OpBuilder &builder, Location loc) {
        if (fits)
          createShown(builder, loc, array, starts);
        else
          createShown(builder, loc, buffer, origin);
      },
      [&](OpBuilder &builder, Location loc) {
        fill(builder, loc);
        createShown(builder, loc, buffer, origin);
      });
  return {view.getResult(0), inside,
          [window](OpBuilder &builder, Location loc) {
            window.createCopyOut(builder, loc);
          }};
}

void Window::createCopyOut(OpBuilder &builder, Location loc) const {
  if (!inPlace)
    return;
  scf::IfOp::create(
      builder, loc, inPlace,
      [](OpBuilder &builder, Location loc) {
        scf::YieldOp::create(builder, loc);
      },
      [&](OpBuilder &builder, Location loc) {
        copyOut(builder, loc);
        scf::YieldOp::create(builder, loc);
      });
}

Value createCheckedOffset(OpBuilder &builder, Location loc,
                          KernelLowering &lowering, Value offset, int64_t size,
                          int64_t span, int64_t extent, unsigned dim,
                          StringRef name) {
  int64_t last = extent - span;
  if (lowering.ranges.get(offset).isIn(0, last))
    return offset;
  Value zero = createIndex(builder, loc, 0);
  Value limit = createIndex(builder, loc, last);
  Value low = arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::slt,
                                    offset, zero);
  Value high = arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::sgt,
                                     offset, limit);
  std::string what = "index {0} is";
  if (size != 1)
    what = "a slice of " + std::to_string(size) + " elements from " + what;
  lowering.reportIf(builder, loc, arith::OrIOp::create(builder, loc, low, high),
                    what + " out of bounds [0, {1}) in dimension " +
                        Twine(dim) + " of " + name,
                    offset, createIndex(builder, loc, extent));
  return createMin(builder, loc, createMax(builder, loc, offset, zero), limit);
}

} // namespace gridir
