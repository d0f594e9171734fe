//===- SlicesToWindows.cpp - Windows of Refs instead of slices of values --===//
//
// Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dialects/Grid/Transforms/Passes.h"

#include "dialects/Grid/IR/Grid.h"
#include "dialects/Support/TensorParts.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/PatternMatch.h"
#include "mlir/Transforms/RegionUtils.h"
#include "llvm/ADT/SmallPtrSet.h"

#include <map>
#include <set>

namespace gridir::grid {
#define GEN_PASS_DEF_GRIDSLICESTOWINDOWSPASS
#include "dialects/Grid/Transforms/Passes.h.inc"
} // namespace gridir::grid

using namespace mlir;
using namespace gridir;
using namespace gridir::grid;

namespace {

/// A box of elements of a tensor.
struct Box {
  SmallVector<int64_t> offsets, sizes;

  bool isWhole(ArrayRef<int64_t> shape) const {
    return sizes == shape &&
           llvm::all_of(offsets, [](int64_t offset) { return offset == 0; });
  }
};

/// The box of a slice whose rank and strides are those of its source.
template <typename SliceOp>
std::optional<Box> getBox(SliceOp op, RankedTensorType slice,
                          RankedTensorType whole) {
  auto isStatic = [](ArrayRef<int64_t> values) {
    return llvm::none_of(values, ShapedType::isDynamic);
  };
  if (slice.getRank() != whole.getRank() || !isStatic(op.getStaticOffsets()) ||
      !isStatic(op.getStaticSizes()) ||
      llvm::any_of(op.getStaticStrides(), [](int64_t n) { return n != 1; }))
    return std::nullopt;
  return Box{SmallVector<int64_t>(op.getStaticOffsets()),
             SmallVector<int64_t>(op.getStaticSizes())};
}

std::optional<Box> getBox(tensor::ExtractSliceOp op) {
  return getBox(op, op.getResultType(), op.getSourceType());
}

std::optional<Box> getBox(tensor::InsertSliceOp op) {
  return getBox(op, op.getSourceType(), op.getDestType());
}

Value createWindow(OpBuilder &builder, Location loc, Value ref,
                   const Box &box) {
  auto type = cast<MemRefType>(ref.getType());
  return builder.createOrFold<SliceRefOp>(
      loc,
      MemRefType::get(box.sizes, type.getElementType(),
                      MemRefLayoutAttrInterface(), type.getMemorySpace()),
      ref, ValueRange(), box.offsets, box.sizes,
      SmallVector<int64_t>(box.sizes.size(), 1), ArrayRef<int64_t>());
}

/// Computes boxes of values from boxes of what they are computed from. Each op
/// is created where the op of the whole value is.
class BoxedValues {
public:
  /// Returns null if there is no such computation.
  Value get(Value value, const Box &box) {
    auto type = dyn_cast<RankedTensorType>(value.getType());
    if (!type || box.isWhole(type.getShape()))
      return value;
    // Values that are rotated again and again fall into single elements.
    if (boxes.size() > kMaxBoxes)
      return {};
    auto [known, isNew] = boxes.try_emplace(
        Key(value.getAsOpaquePointer(),
            std::vector<int64_t>(box.offsets.begin(), box.offsets.end()),
            std::vector<int64_t>(box.sizes.begin(), box.sizes.end())));
    if (isNew)
      known->second = create(value, box);
    return known->second;
  }

private:
  Value create(Value value, const Box &box) {
    Operation *op = value.getDefiningOp();
    if (!op)
      return {};
    OpBuilder builder(op->getContext());
    builder.setInsertionPointAfter(op);
    Location loc = op->getLoc();
    if (auto load = dyn_cast<LoadOp>(op)) {
      if (load.getMask())
        return {};
      auto type = RankedTensorType::get(box.sizes,
                                        getElementTypeOrSelf(value.getType()));
      return LoadOp::create(builder, loc, type,
                            createWindow(builder, loc, load.getRef(), box),
                            /*mask=*/Value(), /*other=*/Value());
    }
    if (auto slice = dyn_cast<tensor::ExtractSliceOp>(op)) {
      std::optional<Box> outer = getBox(slice);
      if (!outer)
        return {};
      for (auto [offset, inner] : llvm::zip_equal(outer->offsets, box.offsets))
        offset += inner;
      outer->sizes = box.sizes;
      return get(slice.getSource(), *outer);
    }
    if (auto insertion = dyn_cast<tensor::InsertSliceOp>(op))
      return createInserted(insertion, box);
    return createFromOperands(builder, op, box);
  }

  Value createFromOperands(OpBuilder &builder, Operation *op, const Box &box) {
    FailureOr<SmallVector<PartOperand>> operands = getPartOperands(op);
    if (failed(operands))
      return {};
    SmallVector<Value> parts;
    for (const PartOperand &operand : *operands) {
      Box ofOperand;
      for (int64_t dim : operand.dims) {
        ofOperand.offsets.push_back(dim < 0 ? 0 : box.offsets[dim]);
        ofOperand.sizes.push_back(dim < 0 ? 1 : box.sizes[dim]);
      }
      parts.push_back(get(operand.value, ofOperand));
      if (!parts.back())
        return {};
    }
    return createPart(builder, op,
                      getAsIndexOpFoldResult(op->getContext(), box.offsets),
                      box.sizes, parts);
  }

  /// A box of the inserted tensor, or of the elements around it.
  Value createInserted(tensor::InsertSliceOp op, const Box &box) {
    std::optional<Box> inserted = getBox(op);
    if (!inserted)
      return {};
    bool isInside = true, isOutside = false;
    Box inner = box;
    for (auto [offset, size, first, extent] : llvm::zip_equal(
             inner.offsets, box.sizes, inserted->offsets, inserted->sizes)) {
      isInside &= offset >= first && offset + size <= first + extent;
      isOutside |= offset >= first + extent || offset + size <= first;
      offset -= first;
    }
    if (isInside)
      return get(op.getSource(), inner);
    return isOutside ? get(op.getDest(), box) : Value();
  }

  static constexpr size_t kMaxBoxes = 512;

  /// A value, and the offsets and sizes of a box.
  using Key = std::tuple<void *, std::vector<int64_t>, std::vector<int64_t>>;

  std::map<Key, Value> boxes;
};

class GridSlicesToWindowsPass
    : public gridir::grid::impl::GridSlicesToWindowsPassBase<
          GridSlicesToWindowsPass> {
public:
  using GridSlicesToWindowsPassBase::GridSlicesToWindowsPassBase;

  void runOnOperation() override {
    SmallVector<StoreOp> stores;
    SmallVector<tensor::ExtractSliceOp> slices;
    getOperation().getBodyRegion().walk([&](Operation *op) {
      if (auto store = dyn_cast<StoreOp>(op))
        stores.push_back(store);
      if (auto slice = dyn_cast<tensor::ExtractSliceOp>(op))
        slices.push_back(slice);
    });
    BoxedValues values;
    for (StoreOp store : stores)
      splitStore(store, values);
    for (tensor::ExtractSliceOp slice : slices)
      if (std::optional<Box> box = getBox(slice); box && !slice->use_empty())
        if (Value value = values.get(slice.getSource(), *box)) {
          slice.replaceAllUsesWith(value);
          ++numSlices;
        }
    if (stores.empty() && slices.empty())
      return markAllAnalysesPreserved();
    // The ops that computed whole values may have no other use.
    IRRewriter rewriter(&getContext());
    (void)runRegionDCE(rewriter, getOperation()->getRegions());
  }

private:
  /// Positions along each dimension at which the elements of a value begin to
  /// be those of another tensor.
  using Boundaries = SmallVector<std::set<int64_t>>;

  static void findBoundaries(Value value, Boundaries &found,
                             llvm::SmallPtrSetImpl<Operation *> &seen) {
    Operation *op = value.getDefiningOp();
    if (!op || !seen.insert(op).second)
      return;
    if (auto insertion = dyn_cast<tensor::InsertSliceOp>(op)) {
      if (std::optional<Box> box = getBox(insertion))
        for (auto [places, offset, size] :
             llvm::zip_equal(found, box->offsets, box->sizes)) {
          places.insert(offset);
          places.insert(offset + size);
        }
      return findBoundaries(insertion.getDest(), found, seen);
    }
    if (!OpTrait::hasElementwiseMappableTraits(op))
      return;
    for (Value operand : op->getOperands())
      if (isa<RankedTensorType>(operand.getType()))
        findBoundaries(operand, found, seen);
  }

  /// Replaces a store of concatenated tensors by one of each.
  void splitStore(StoreOp store, BoxedValues &values) {
    auto type = dyn_cast<RankedTensorType>(store.getValue().getType());
    if (!type || store.getMask() || !type.hasStaticShape())
      return;
    Boundaries boundaries;
    for (int64_t size : type.getShape())
      boundaries.push_back({0, size});
    llvm::SmallPtrSet<Operation *, 16> seen;
    findBoundaries(store.getValue(), boundaries, seen);
    SmallVector<Box> boxes{Box()};
    for (const std::set<int64_t> &places : boundaries) {
      SmallVector<Box> next;
      for (const Box &box : boxes)
        for (auto place = places.begin(); std::next(place) != places.end();
             ++place) {
          next.push_back(box);
          next.back().offsets.push_back(*place);
          next.back().sizes.push_back(*std::next(place) - *place);
        }
      boxes = std::move(next);
      if (boxes.size() > kMaxParts)
        return;
    }
    if (boxes.size() < 2)
      return;
    SmallVector<Value> parts;
    for (const Box &box : boxes) {
      parts.push_back(values.get(store.getValue(), box));
      if (!parts.back())
        return;
    }
    OpBuilder builder(store);
    for (auto [box, part] : llvm::zip_equal(boxes, parts))
      StoreOp::create(
          builder, store.getLoc(), part,
          createWindow(builder, store.getLoc(), store.getRef(), box),
          /*mask=*/Value());
    store.erase();
    ++numStores;
  }

  /// Parts of a store: more are likely those of a scan.
  static constexpr size_t kMaxParts = 8;
};

} // namespace
