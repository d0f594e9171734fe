//===- MaskedWindows.cpp - Windows of which a mask hides a part -----------===//
//
// Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dialects/Conversion/GridToLoops/MaskedWindows.h"

#include "dialects/Conversion/GridToLoops/Async.h"
#include "dialects/Conversion/GridToLoops/Views.h"
#include "dialects/Grid/Analysis/BlockAccess.h"
#include "dialects/Support/Builders.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Arith/Utils/Utils.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;
using namespace gridir::grid;

namespace gridir {
namespace {

/// One element of a window: its indices there and in the array, whether its
/// mask is true, and whether it is then an element of the array.
struct Element {
  SmallVector<Value> inWindow, inArray;
  Value chosen, exists;
};

class MaskedWindow {
public:
  MaskedWindow(OpBuilder &builder, Location loc, KernelLowering &lowering,
               SliceRefOp slice, ArrayRef<OpFoldResult> offsets, Value array,
               Value mask)
      : builder(builder), loc(loc), lowering(lowering), slice(slice),
        offsets(offsets), array(array),
        arrayType(cast<MemRefType>(array.getType())),
        mask(toTensor(builder, loc, mask)),
        name(lowering.getName(slice.getSource())) {
    for (OpFoldResult offset : offsets)
      starts.push_back(getValueOrCreateConstantIndexOp(builder, loc, offset));
  }

  /// The memref that an access sees instead of the slice.
  Value createView();
  /// Copies what was written to a private buffer to the array.
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
  std::string name;
  SmallVector<Value> starts;
  Value buffer, inside;
};

bool MaskedWindow::isProved(unsigned d) {
  return lowering.ranges.get(starts[d]).isIn(0, getLastStart(d));
}

void MaskedWindow::createIf(Value condition, function_ref<void()> body) {
  auto branch = scf::IfOp::create(builder, loc, condition);
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointToStart(branch.thenBlock());
  body();
}

Value MaskedWindow::createInsideTest() {
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
Value MaskedWindow::createIndexOf(OpBuilder &builder, unsigned d, Value start,
                                  Value inWindow) {
  Value far = arith::MulIOp::create(
      builder, loc, inWindow, createIndex(builder, loc, slice.getStrides()[d]));
  return arith::AddIOp::create(builder, loc, start, far);
}

void MaskedWindow::forEachElement(function_ref<void(const Element &)> use) {
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
        element.chosen = tensor::ExtractOp::create(builder, loc, mask, indices);
        element.exists = element.chosen;
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

Value MaskedWindow::createView() {
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
    part = memref::SubViewOp::create(builder, loc, partType, array, offsets,
                                     sizes, steps);
  scf::YieldOp::create(
      builder, loc,
      memref::CastOp::create(builder, loc, type, part).getResult());

  builder.setInsertionPointToStart(branch.elseBlock());
  forEachElement([&](const Element &element) {
    for (auto [d, index] : llvm::enumerate(element.inArray)) {
      if (isProved(d))
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
    // What the mask hides changes nothing, but is loaded all the same where it
    // is chosen from two values.
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

void MaskedWindow::createCopyOut() {
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

SmallVector<Value> MaskedWindow::createIndexTensors() {
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

void separateMaskedSlices(KernelOp kernel) {
  SmallVector<SliceRefOp> slices;
  kernel.getBodyRegion().walk([&](SliceRefOp slice) {
    if (llvm::any_of(slice->getUsers(), hasMask))
      slices.push_back(slice);
  });
  for (SliceRefOp slice : slices)
    for (OpOperand &use : llvm::make_early_inc_range(slice->getUses()))
      if (!hasMask(use.getOwner()))
        use.set(OpBuilder(use.getOwner()).clone(*slice)->getResult(0));
}

bool createMaskedWindows(PatternRewriter &rewriter, KernelLowering &lowering,
                         SliceRefOp slice, ArrayRef<OpFoldResult> offsets,
                         Value array) {
  if (llvm::none_of(slice->getUsers(), hasMask))
    return false;
  std::string name = lowering.getName(slice.getSource());
  for (Operation *user : llvm::make_early_inc_range(slice->getUsers())) {
    Location loc = user->getLoc();
    rewriter.setInsertionPoint(user);
    MaskedWindow window(rewriter, loc, lowering, slice, offsets, array,
                        getElementMask(user));
    auto showTo = [&](Type type, Value memref) {
      auto ref =
          UnrealizedConversionCastOp::create(rewriter, loc, type, memref);
      lowering.setName(ref.getResult(0), name);
      user->replaceUsesOfWith(slice.getResult(), ref.getResult(0));
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
    if (!isa<LoadOp>(user))
      window.createCopyOut();
  }
  rewriter.eraseOp(slice);
  return true;
}

} // namespace gridir
