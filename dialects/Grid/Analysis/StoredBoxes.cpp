//===- StoredBoxes.cpp - Boxes that masked stores fill --------------------===//
//
// Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dialects/Grid/Analysis/StoredBoxes.h"

#include "dialects/Grid/Analysis/ElementPositions.h"
#include "dialects/Grid/Analysis/RefOrigins.h"
#include "dialects/Grid/IR/GridWindowInterface.h"

#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;

namespace gridir::grid {

namespace {

/// For each dimension of a tensor, the dimension of the array along which it
/// runs with stride 1; none if its size is 1.
using DimMap = SmallVector<std::optional<unsigned>>;

/// Decides masks for the elements of a box that an array has.
class MaskCoverage {
public:
  MaskCoverage(BlockAccess &access, const ElementBox &box,
               ArrayRef<int64_t> array)
      : values(access.getValues()), ranges(values), reader(ranges), box(box),
        array(array) {}

  /// True if a mask is `expected` for all elements of the array.
  bool isAlways(Value mask, bool expected, const DimMap &dims);

private:
  bool compare(arith::CmpIOp op, bool expected, const DimMap &dims);
  /// The values of positions `a`, minus those of `b` if it is not null, for the
  /// elements of the array.
  Interval getRange(const Positions &a, const Positions *b, const DimMap &dims);

  ProgramValues &values;
  ElementRanges ranges;
  PositionReader reader;
  const ElementBox &box;
  ArrayRef<int64_t> array;
};

} // namespace

/// The dimensions of a tensor in a shape that differs by dimensions of size 1;
/// none for another one.
static std::optional<DimMap>
reshapeDims(const DimMap &dims, ArrayRef<int64_t> from, ArrayRef<int64_t> to) {
  SmallVector<std::pair<int64_t, std::optional<unsigned>>> longDims;
  for (auto [size, dim] : llvm::zip_equal(from, dims))
    if (size != 1)
      longDims.push_back({size, dim});
  DimMap result;
  auto next = longDims.begin();
  for (int64_t size : to) {
    if (size == 1) {
      result.push_back(std::nullopt);
      continue;
    }
    if (next == longDims.end() || next->first != size)
      return std::nullopt;
    result.push_back((next++)->second);
  }
  return next == longDims.end() ? std::optional(result) : std::nullopt;
}

bool MaskCoverage::isAlways(Value mask, bool expected, const DimMap &dims) {
  Operation *op = mask.getDefiningOp();
  if (!op)
    return false;
  if (matchPattern(mask, expected ? m_One() : m_Zero()))
    return true;
  if (isa<arith::AndIOp, arith::OrIOp>(op)) {
    bool first = isAlways(op->getOperand(0), expected, dims),
         second = isAlways(op->getOperand(1), expected, dims);
    return isa<arith::AndIOp>(op) == expected ? first && second
                                              : first || second;
  }
  if (auto exclusive = dyn_cast<arith::XOrIOp>(op))
    return matchPattern(exclusive.getRhs(), m_One()) &&
           isAlways(exclusive.getLhs(), !expected, dims);
  if (auto comparison = dyn_cast<arith::CmpIOp>(op))
    return compare(comparison, expected, dims);
  if (auto broadcast = dyn_cast<linalg::BroadcastOp>(op)) {
    DimMap kept;
    for (auto [dim, along] : llvm::enumerate(dims))
      if (!llvm::is_contained(broadcast.getDimensions(), int64_t(dim)))
        kept.push_back(along);
    return isAlways(broadcast.getInput(), expected, kept);
  }
  if (isa<tensor::ExpandShapeOp, tensor::CollapseShapeOp>(op)) {
    auto source = cast<RankedTensorType>(op->getOperand(0).getType());
    std::optional<DimMap> before =
        reshapeDims(dims, cast<RankedTensorType>(mask.getType()).getShape(),
                    source.getShape());
    return before && isAlways(op->getOperand(0), expected, *before);
  }
  return false;
}

/// True if positions do not wrap around for any element of a tensor.
static bool isExact(const Positions &positions, ArrayRef<int64_t> shape,
                    ElementRanges &ranges) {
  Interval range = Interval::constant(positions.constant);
  for (Value scalar : positions.scalars) {
    Interval part = ranges.get(scalar);
    range = {range.low + part.low, range.high + part.high};
    if (!llvm::isInt<32>(range.low) || !llvm::isInt<32>(range.high))
      return false;
  }
  for (auto [step, size] : llvm::zip_equal(positions.steps, shape)) {
    int64_t last = step * (size - 1);
    range = {range.low + std::min<int64_t>(last, 0),
             range.high + std::max<int64_t>(last, 0)};
  }
  return llvm::isInt<32>(range.low) && llvm::isInt<32>(range.high);
}

Interval MaskCoverage::getRange(const Positions &a, const Positions *b,
                                const DimMap &dims) {
  MLIRContext *context = values.getKernel().getContext();
  // Along dimension d, position `low[d] + i` of the array has index i.
  AffineExpr rest = getAffineConstantExpr(0, context);
  SmallVector<int64_t> factors(array.size(), 0);
  auto add = [&](const Positions &positions, int64_t sign) {
    rest = rest + positions.constant * sign;
    for (Value scalar : positions.scalars)
      rest = rest + values.getExpr(scalar) * sign;
    for (auto [step, dim] : llvm::zip_equal(positions.steps, dims)) {
      if (!dim)
        continue;
      rest = rest - box.lows[*dim] * (step * sign);
      factors[*dim] += step * sign;
    }
  };
  add(a, 1);
  if (b)
    add(*b, -1);
  rest = simplifyAffineExpr(rest, values.getKernel().getRank(),
                            values.getSymbols().size());
  Interval range = values.getRange(rest);
  for (auto [factor, extent] : llvm::zip_equal(factors, array)) {
    if (factor == 0)
      continue;
    if (!llvm::isInt<32>(range.low) || !llvm::isInt<32>(range.high))
      return {};
    int64_t last = factor * (extent - 1);
    range = {range.low + std::min<int64_t>(last, 0),
             range.high + std::max<int64_t>(last, 0)};
  }
  return range;
}

bool MaskCoverage::compare(arith::CmpIOp op, bool expected,
                           const DimMap &dims) {
  auto type = dyn_cast<RankedTensorType>(op.getLhs().getType());
  if (!type || !type.getElementType().isInteger(32))
    return false;
  std::optional<Positions> lhs = reader.read(op.getLhs()),
                           rhs = reader.read(op.getRhs());
  if (!lhs || !rhs || !isExact(*lhs, type.getShape(), ranges) ||
      !isExact(*rhs, type.getShape(), ranges))
    return false;
  Interval difference = getRange(*lhs, &*rhs, dims);
  auto areNatural = [&] {
    return getRange(*lhs, nullptr, dims).low >= 0 &&
           getRange(*rhs, nullptr, dims).low >= 0;
  };
  using Predicate = arith::CmpIPredicate;
  switch (expected ? op.getPredicate()
                   : arith::invertPredicate(op.getPredicate())) {
  case Predicate::slt:
    return difference.high < 0;
  case Predicate::sle:
    return difference.high <= 0;
  case Predicate::sgt:
    return difference.low > 0;
  case Predicate::sge:
    return difference.low >= 0;
  case Predicate::ult:
    return difference.high < 0 && areNatural();
  case Predicate::ule:
    return difference.high <= 0 && areNatural();
  case Predicate::ugt:
    return difference.low > 0 && areNatural();
  case Predicate::uge:
    return difference.low >= 0 && areNatural();
  case Predicate::eq:
    return difference.low == 0 && difference.high == 0;
  case Predicate::ne:
    return difference.low > 0 || difference.high < 0;
  }
  return false;
}

/// Follows the views of a Ref to its root. `dims` maps dimensions of a tensor
/// to those of the Ref, and then to those of the root.
static bool mapDims(Value ref, DimMap &dims) {
  while (auto view = ref.getDefiningOp<RefViewOpInterface>()) {
    std::optional<SmallVector<ViewDim>> viewDims = view.getViewDims();
    if (view.getViewSources().size() != 1 || !viewDims)
      return false;
    for (std::optional<unsigned> &dim : dims) {
      if (!dim)
        continue;
      auto *found = llvm::find_if(*viewDims, [&](const ViewDim &along) {
        return along.dim && *along.dim == *dim;
      });
      if (found == viewDims->end() || found->stride != 1)
        return false;
      dim = found - viewDims->begin();
    }
    ref = view.getViewSources().front();
  }
  return isa<BlockArgument>(ref);
}

/// The box of a Ref that a store to indices fills, if they count up along one
/// dimension of their tensors each.
static std::optional<ElementBox>
getIndexedBox(RefAccessOpInterface op, PositionReader &reader,
              ElementRanges &ranges, ProgramValues &values, DimMap &dims) {
  auto type = cast<MemRefType>(op.getAccessedRef().getType());
  ElementBox box = ElementBox::whole(type.getShape(), op.getContext());
  auto shape = cast<RankedTensorType>(op.getAccessIndices().front().getType())
                   .getShape();
  dims.assign(shape.size(), std::nullopt);
  for (auto [indices, dim] :
       llvm::zip_equal(op.getAccessIndices(), op.getAccessDims())) {
    if (!getElementTypeOrSelf(indices.getType()).isInteger(32))
      return std::nullopt;
    std::optional<Positions> positions = reader.read(indices);
    if (!positions || !isExact(*positions, shape, ranges))
      return std::nullopt;
    AffineExpr low =
        getAffineConstantExpr(positions->constant, op.getContext());
    for (Value scalar : positions->scalars)
      low = low + values.getExpr(scalar);
    box.lows[dim] = low;
    box.sizes[dim] = 1;
    for (auto [tensorDim, step] : llvm::enumerate(positions->steps)) {
      if (step == 0 || shape[tensorDim] == 1)
        continue;
      if (step != 1 || dims[tensorDim] || box.sizes[dim] != 1)
        return std::nullopt;
      dims[tensorDim] = dim;
      box.sizes[dim] = shape[tensorDim];
    }
  }
  // Along another dimension the mask chooses who stores to one element.
  for (auto [size, dim] : llvm::zip_equal(shape, dims))
    if (size != 1 && !dim)
      return std::nullopt;
  return box;
}

std::optional<StoredBox> findStoredBox(const ArrayAccess &store,
                                       BlockAccess &access) {
  if (store.box.exact)
    return StoredBox{store.box, Value()};
  if (store.isCopied)
    return std::nullopt;
  ProgramValues &values = access.getValues();
  auto getArrayBox = [&](Value ref, ElementBox box) {
    SmallVector<RefRegion> regions = getRefRegions(ref, std::move(box), values);
    if (regions.size() != 1 || !regions.front().root)
      return store.box;
    return access.getArrayBox(store.operand, regions.front().box);
  };
  if (auto window = dyn_cast<WindowOpInterface>(store.op);
      window && window.getWindowPredicate()) {
    ElementBox region = getWindowBox(window, values);
    ElementBox box = getArrayBox(window.getWindowRef(), std::move(region));
    if (!box.exact)
      return std::nullopt;
    return StoredBox{std::move(box), window.getWindowPredicate()};
  }
  auto op = dyn_cast<RefAccessOpInterface>(store.op);
  if (!op || !op.getAccessedRef() || op.isWholeAccess())
    return std::nullopt;
  Value ref = op.getAccessedRef();
  SmallVector<int64_t> array =
      access.getKernel().getOperandSpec(store.operand).getArrayShape();
  ElementRanges ranges(values);
  PositionReader reader(ranges);
  DimMap dims;
  ElementBox ofRef = ElementBox::whole(
      cast<MemRefType>(ref.getType()).getShape(), op.getContext());
  if (op.getAccessIndices().empty()) {
    for (auto [dim, size] : llvm::enumerate(ofRef.sizes))
      dims.push_back(size == 1 ? std::nullopt : std::optional<unsigned>(dim));
  } else {
    std::optional<ElementBox> indexed =
        getIndexedBox(op, reader, ranges, values, dims);
    if (!indexed)
      return std::nullopt;
    ofRef = std::move(*indexed);
  }
  ElementBox box = getArrayBox(ref, std::move(ofRef));
  if (!box.exact || !mapDims(ref, dims))
    return std::nullopt;
  // From dimensions of the block's Ref to those of the array.
  SmallVector<unsigned> kept;
  for (auto [dim, attr] : llvm::enumerate(
           access.getKernel().getOperandSpec(store.operand).getBlockDims()))
    if (!attr.isSqueezed())
      kept.push_back(dim);
  for (std::optional<unsigned> &dim : dims)
    if (dim)
      dim = kept[*dim];
  MaskCoverage coverage(access, box, array);
  if (Value mask = op.getAccessMask();
      mask && !coverage.isAlways(mask, /*expected=*/true, dims))
    return std::nullopt;
  return StoredBox{std::move(box), Value()};
}

} // namespace gridir::grid
