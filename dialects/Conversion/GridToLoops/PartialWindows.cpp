//===- PartialWindows.cpp - Windows of which a part may be outside -------===//
//
// Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dialects/Conversion/GridToLoops/PartialWindows.h"

#include "dialects/Conversion/GridToLoops/Async.h"
#include "dialects/Conversion/GridToLoops/Views.h"
#include "dialects/Grid/Analysis/BlockAccess.h"
#include "dialects/Grid/Analysis/LoadedUses.h"
#include "dialects/Grid/IR/KernelParams.h"
#include "dialects/Support/Builders.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Arith/Utils/Utils.h"
#include "mlir/Dialect/Bufferization/IR/Bufferization.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;
using namespace gridir::grid;

namespace gridir {
namespace {

/// One element of a window: its indices there and in the array, its mask if
/// there is one, and whether it is accessed in the array.
struct Element {
  SmallVector<Value> inWindow, inArray;
  Value chosen, exists;
};

class PartialWindow {
public:
  PartialWindow(OpBuilder &builder, Location loc, KernelLowering &lowering,
                SliceRefOp slice, ArrayRef<OpFoldResult> offsets, Value array,
                Value mask, bool reports)
      : builder(builder), loc(loc), lowering(lowering), slice(slice),
        offsets(offsets), array(array),
        arrayType(cast<MemRefType>(array.getType())),
        mask(mask ? toTensor(builder, loc, mask) : Value()), reports(reports),
        name(lowering.getName(slice.getSource())) {
    for (OpFoldResult offset : offsets)
      starts.push_back(getValueOrCreateConstantIndexOp(builder, loc, offset));
  }

  /// The memref that an access sees instead of the slice.
  Value createView();
  /// Copies stores to a private buffer to the array.
  void createCopyOut();
  /// The index of each element in a dimension of the array, by its indices in
  /// the window.
  SmallVector<Value> createIndexTensors();

private:
  ArrayRef<int64_t> getShape() {
    return cast<MemRefType>(slice.getType()).getShape();
  }
  bool isDropped(unsigned d) {
    return llvm::is_contained(slice.getDropped(), int64_t(d));
  }
  /// The greatest start at which all of the window is inside.
  int64_t getLastStart(unsigned d) {
    int64_t last = std::max<int64_t>(slice.getSizes()[d] - 1, 0);
    return arrayType.getDimSize(d) - 1 - last * slice.getStrides()[d];
  }
  bool isProved(unsigned d);
  Value createInsideTest();
  Value createIndexOf(OpBuilder &builder, unsigned d, Value start,
                      Value inWindow);
  void forEachElement(function_ref<void(const Element &)> use);
  void createIf(Value condition, function_ref<void()> body);

  OpBuilder &builder;
  Location loc;
  KernelLowering &lowering;
  SliceRefOp slice;
  ArrayRef<OpFoldResult> offsets;
  Value array;
  MemRefType arrayType;
  Value mask;
  bool reports;
  std::string name;
  SmallVector<Value> starts;
  Value buffer, inside;
};

bool PartialWindow::isProved(unsigned d) {
  return lowering.ranges.get(starts[d]).isIn(0, getLastStart(d));
}

void PartialWindow::createIf(Value condition, function_ref<void()> body) {
  auto branch = scf::IfOp::create(builder, loc, condition);
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointToStart(branch.thenBlock());
  body();
}

Value PartialWindow::createInsideTest() {
  Value all = arith::ConstantIntOp::create(builder, loc, 1, 1);
  for (auto [d, start] : llvm::enumerate(starts)) {
    if (isProved(d))
      continue;
    // A window that is larger than the array is never inside.
    int64_t count = std::max<int64_t>(getLastStart(d) + 1, 0);
    Value holds =
        arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::ult, start,
                              createIndex(builder, loc, count));
    all = arith::AndIOp::create(builder, loc, all, holds);
  }
  return all;
}

/// The index in the array of an index into the window.
Value PartialWindow::createIndexOf(OpBuilder &builder, unsigned d, Value start,
                                   Value inWindow) {
  Value far = arith::MulIOp::create(
      builder, loc, inWindow, createIndex(builder, loc, slice.getStrides()[d]));
  return arith::AddIOp::create(builder, loc, start, far);
}

void PartialWindow::forEachElement(function_ref<void(const Element &)> use) {
  Value zero = createIndex(builder, loc, 0), one = createIndex(builder, loc, 1);
  SmallVector<Value> upper;
  for (int64_t extent : getShape())
    upper.push_back(createIndex(builder, loc, extent));
  SmallVector<Value> lower(upper.size(), zero), step(upper.size(), one);
  scf::buildLoopNest(
      builder, loc, lower, upper, step,
      [&](OpBuilder &, Location, ValueRange indices) {
        Element element;
        element.inWindow.assign(indices.begin(), indices.end());
        if (mask)
          element.chosen =
              tensor::ExtractOp::create(builder, loc, mask, indices);
        element.exists =
            element.chosen
                ? element.chosen
                : Value(arith::ConstantIntOp::create(builder, loc, 1, 1));
        for (auto [d, start] : llvm::enumerate(starts)) {
          Value index = start;
          if (!isDropped(d)) {
            index = createIndexOf(builder, d, start, indices.front());
            indices = indices.drop_front();
          }
          element.inArray.push_back(index);
          if (isProved(d))
            continue;
          // As an unsigned number a negative index is too large.
          Value holds = arith::CmpIOp::create(
              builder, loc, arith::CmpIPredicate::ult, index,
              createIndex(builder, loc, arrayType.getDimSize(d)));
          element.exists =
              arith::AndIOp::create(builder, loc, element.exists, holds);
        }
        use(element);
      });
}

Value PartialWindow::createView() {
  Type elementType = arrayType.getElementType();
  buffer = lowering.allocate(loc, getShape(), elementType);
  inside = createInsideTest();
  // A window larger than the array, which is never inside, has no view of it.
  bool fits = llvm::all_of(llvm::seq<unsigned>(0, starts.size()),
                           [&](unsigned d) { return getLastStart(d) >= 0; });
  SmallVector<OpFoldResult> sizes =
      getAsIndexOpFoldResult(builder.getContext(), slice.getSizes());
  SmallVector<OpFoldResult> steps = getStrides(builder, slice);
  MemRefType partType = memref::SubViewOp::inferRankReducedResultType(
      getShape(), arrayType, offsets, sizes, steps);
  // One type shows both the part and the buffer, whose last stride is 1.
  SmallVector<int64_t> strides(getShape().size(), ShapedType::kDynamic);
  SmallVector<int64_t> partStrides;
  int64_t partOffset;
  if (!strides.empty() &&
      succeeded(partType.getStridesAndOffset(partStrides, partOffset)) &&
      partStrides.back() == 1)
    strides.back() = 1;
  auto type =
      MemRefType::get(getShape(), elementType,
                      StridedLayoutAttr::get(builder.getContext(),
                                             ShapedType::kDynamic, strides));
  auto branch = scf::IfOp::create(builder, loc, type, inside,
                                  /*withElseRegion=*/true);
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointToStart(branch.thenBlock());
  Value part = buffer;
  if (fits)
    part = createSlicedMemRef(builder, loc, slice, array, offsets);
  scf::YieldOp::create(
      builder, loc,
      memref::CastOp::create(builder, loc, type, part).getResult());

  builder.setInsertionPointToStart(branch.elseBlock());
  forEachElement([&](const Element &element) {
    for (auto [d, index] : llvm::enumerate(element.inArray)) {
      if (isProved(d) || !element.chosen || !reports)
        continue;
      Value extent = createIndex(builder, loc, arrayType.getDimSize(d));
      Value outside = arith::CmpIOp::create(
          builder, loc, arith::CmpIPredicate::uge, index, extent);
      lowering.reportIf(
          builder, loc,
          arith::AndIOp::create(builder, loc, outside, element.chosen),
          "index {0} is out of bounds [0, {1}) in dimension " + Twine(d) +
              " of " + name,
          index, extent);
    }
    // Masked elements do not change, but they are loaded if the result is
    // selected from two values.
    auto load = [&](OpBuilder &builder, Location loc) {
      scf::YieldOp::create(
          builder, loc,
          memref::LoadOp::create(builder, loc, array, element.inArray)
              .getResult());
    };
    auto skip = [&](OpBuilder &builder, Location loc) {
      scf::YieldOp::create(
          builder, loc, createZero(builder, loc, arrayType.getElementType()));
    };
    Value held = scf::IfOp::create(builder, loc, element.exists, load, skip)
                     .getResult(0);
    memref::StoreOp::create(builder, loc, held, buffer, element.inWindow);
  });
  scf::YieldOp::create(
      builder, loc,
      memref::CastOp::create(builder, loc, type, buffer).getResult());
  return branch.getResult(0);
}

void PartialWindow::createCopyOut() {
  Value outside = arith::XOrIOp::create(
      builder, loc, inside, arith::ConstantIntOp::create(builder, loc, 1, 1));
  createIf(outside, [&] {
    forEachElement([&](const Element &element) {
      createIf(element.exists, [&] {
        Value written =
            memref::LoadOp::create(builder, loc, buffer, element.inWindow);
        memref::StoreOp::create(builder, loc, written, array, element.inArray);
      });
    });
  });
}

SmallVector<Value> PartialWindow::createIndexTensors() {
  auto type = RankedTensorType::get(getShape(), builder.getIndexType());
  SmallVector<Value> tensors;
  unsigned kept = 0;
  for (auto [d, start] : llvm::enumerate(starts)) {
    std::optional<unsigned> dim;
    if (!isDropped(d))
      dim = kept++;
    auto index = [&, d = d, start = start](OpBuilder &builder, Location loc,
                                           ValueRange indices) {
      tensor::YieldOp::create(
          builder, loc,
          dim ? createIndexOf(builder, d, start, indices[*dim]) : start);
    };
    tensors.push_back(
        tensor::GenerateOp::create(builder, loc, type, ValueRange(), index));
  }
  return tensors;
}

} // namespace

static bool hasMask(Operation *user) {
  return static_cast<bool>(getElementMask(user));
}

/// The views that lead to the Ref of an access, from the access on.
static SmallVector<Operation *> getViews(RefAccessOpInterface access) {
  SmallVector<Operation *> views;
  Value ref = access.getAccessedRef();
  while (auto view = ref ? ref.getDefiningOp<ViewLikeOpInterface>()
                         : ViewLikeOpInterface()) {
    views.push_back(view);
    ref = view.getViewSource();
  }
  return views;
}

static void cloneViews(RefAccessOpInterface access) {
  Operation *user = access;
  for (Operation *view : getViews(access)) {
    Operation *copy = OpBuilder(user).clone(*view);
    user->replaceUsesOfWith(view->getResult(0), copy->getResult(0));
    user = copy;
  }
}

AccessSet separatePartialSlices(KernelOp kernel, bool checksDiscarded) {
  bool isDisabled = disablesBoundsChecks(kernel);
  AccessSet unchecked;
  SmallVector<Operation *> used;
  kernel.getBodyRegion().walk([&](ViewLikeOpInterface view) {
    if (!view->use_empty())
      used.push_back(view);
  });
  SmallVector<RefAccessOpInterface> accesses;
  SmallVector<Operation *> unused;
  llvm::SmallDenseSet<Operation *> shared;
  kernel.getBodyRegion().walk([&](RefAccessOpInterface access) {
    if (isa<LoadOp, GatherOp>(access) && access->use_empty() &&
        !checksDiscarded) {
      unused.push_back(access);
      return;
    }
    accesses.push_back(access);
    bool isDirect = isa<LoadOp, GatherOp, StoreOp, AccumulateOp, ScatterOp>(
        access.getOperation());
    if (!checksDiscarded &&
        (mayBeDiscarded(access) || (isDisabled && isDirect)))
      unchecked.insert(access);
    if (unchecked.contains(access) || hasMask(access))
      shared.insert_range(getViews(access));
  });
  for (Operation *access : unused)
    access->erase();
  for (RefAccessOpInterface access : accesses)
    if (llvm::any_of(getViews(access),
                     [&](Operation *view) { return shared.contains(view); }))
      cloneViews(access);
  // Views that are not accesses take their slice where they are.
  for (Operation *view : shared)
    for (OpOperand &use : llvm::make_early_inc_range(view->getUses()))
      if (isa<SliceRefOp>(view) && !shared.contains(use.getOwner()))
        use.set(OpBuilder(use.getOwner()).clone(*view)->getResult(0));
  // Users first: an unused view need not lie inside.
  for (Operation *view : llvm::reverse(used))
    if (view->use_empty() && isMemoryEffectFree(view))
      view->erase();
  return unchecked;
}

/// Collects the accesses to a Ref, also through views of it.
static void collectAccesses(Value ref, SmallVectorImpl<Operation *> &accesses) {
  for (Operation *user : ref.getUsers()) {
    if (isa<ViewLikeOpInterface>(user))
      collectAccesses(user->getResult(0), accesses);
    else
      accesses.push_back(user);
  }
}

/// Returns a memref with the elements of the source of a slice, for reading: a
/// copy if the source has no memref.
static Value createReadableSource(PatternRewriter &rewriter,
                                  KernelLowering &lowering, SliceRefOp slice) {
  Value source = slice.getSource();
  if (Value memref = getMemRef(source))
    return memref;
  auto type = cast<MemRefType>(source.getType());
  Value copy =
      lowering.allocate(slice.getLoc(), type.getShape(), type.getElementType());
  bufferization::MaterializeInDestinationOp::create(
      rewriter, slice.getLoc(), TypeRange(),
      readRef(rewriter, slice.getLoc(), source), copy,
      /*restrict=*/true, /*writable=*/true);
  return copy;
}

bool createPartialWindows(PatternRewriter &rewriter, KernelLowering &lowering,
                          SliceRefOp slice, ArrayRef<OpFoldResult> offsets) {
  SmallVector<Operation *> accesses;
  collectAccesses(slice, accesses);
  auto isUnchecked = [&](Operation *access) {
    return isa<RecordAccessOp>(access) || lowering.unchecked.contains(access);
  };
  bool isDirect = llvm::all_of(slice->getUsers(), [](Operation *user) {
    return isa<RefAccessOpInterface>(user);
  });
  bool isRead = llvm::all_of(accesses, [](Operation *access) {
    return isa<LoadOp, GatherOp, RecordAccessOp>(access);
  });
  Value array = getMemRef(slice.getSource());
  if (accesses.empty() || (!array && !isRead) ||
      !llvm::all_of(accesses, [&](Operation *access) {
        return isUnchecked(access) || (isDirect && hasMask(access));
      }))
    return false;
  // If the source of a record has no memref, all of it counts as accessed.
  if (!array && llvm::any_of(accesses, llvm::IsaPred<RecordAccessOp>)) {
    if (!llvm::all_of(accesses, llvm::IsaPred<RecordAccessOp>))
      return false;
    rewriter.replaceAllUsesWith(slice.getResult(), slice.getSource());
    return false;
  }
  std::string name = lowering.getName(slice.getSource());
  auto createRef = [&](Location loc, Type type, Value memref) {
    auto ref = UnrealizedConversionCastOp::create(rewriter, loc, type, memref);
    lowering.setName(ref.getResult(0), name);
    return ref.getResult(0);
  };
  if (!isDirect) {
    if (!isRead)
      return false;
    array = createReadableSource(rewriter, lowering, slice);
    PartialWindow window(rewriter, slice.getLoc(), lowering, slice, offsets,
                         array, /*mask=*/{}, /*reports=*/false);
    rewriter.replaceOp(
        slice, createRef(slice.getLoc(), slice.getType(), window.createView()));
    return true;
  }
  for (Operation *user : llvm::make_early_inc_range(slice->getUsers())) {
    Location loc = user->getLoc();
    rewriter.setInsertionPoint(user);
    if (!getMemRef(slice.getSource()))
      array = createReadableSource(rewriter, lowering, slice);
    PartialWindow window(rewriter, loc, lowering, slice, offsets, array,
                         getElementMask(user), !isUnchecked(user));
    auto showTo = [&](Type type, Value memref) {
      user->replaceUsesOfWith(slice.getResult(), createRef(loc, type, memref));
    };
    if (auto record = dyn_cast<RecordAccessOp>(user)) {
      SmallVector<Value> indices = window.createIndexTensors();
      rewriter.modifyOpInPlace(record, [&] {
        showTo(slice.getSource().getType(), array);
        record.getIndicesMutable().assign(indices);
        record.setDims(llvm::to_vector(llvm::seq<int64_t>(0, indices.size())));
      });
      continue;
    }
    Value view = window.createView();
    rewriter.modifyOpInPlace(user, [&] { showTo(slice.getType(), view); });
    rewriter.setInsertionPointAfter(user);
    if (!isa<LoadOp, GatherOp>(user))
      window.createCopyOut();
  }
  rewriter.eraseOp(slice);
  return true;
}

} // namespace gridir
