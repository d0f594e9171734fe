//===- ExpandScatters.cpp - Scatters as loops over their indices ----------===//
//
// Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dialects/Grid/Transforms/Passes.h"

#include "dialects/Grid/IR/Grid.h"
#include "dialects/Support/Builders.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"

namespace gridir::grid {
#define GEN_PASS_DEF_GRIDEXPANDSCATTERSPASS
#include "dialects/Grid/Transforms/Passes.h.inc"
} // namespace gridir::grid

using namespace mlir;
using namespace gridir;
using namespace gridir::grid;

namespace {

/// The window of a Ref at these positions of some of its dimensions, without
/// those dimensions.
Value createWindow(OpBuilder &builder, Location loc, Value ref,
                   ArrayRef<int64_t> dims, ValueRange positions) {
  auto type = cast<MemRefType>(ref.getType());
  SmallVector<OpFoldResult> offsets(type.getRank(), builder.getIndexAttr(0));
  SmallVector<int64_t> sizes(type.getShape()), kept, dropped;
  for (auto [dim, position] : llvm::zip_equal(dims, positions)) {
    offsets[dim] = position;
    sizes[dim] = 1;
  }
  for (int64_t dim = 0; dim < type.getRank(); ++dim)
    if (llvm::is_contained(dims, dim))
      dropped.push_back(dim);
    else
      kept.push_back(sizes[dim]);
  SmallVector<int64_t> statics;
  SmallVector<Value> dynamics;
  dispatchIndexOpFoldResults(offsets, dynamics, statics);
  return SliceRefOp::create(builder, loc,
                            MemRefType::get(kept, type.getElementType(),
                                            MemRefLayoutAttrInterface(),
                                            type.getMemorySpace()),
                            ref, dynamics, statics, sizes,
                            SmallVector<int64_t>(type.getRank(), 1), dropped);
}

Value createLoad(OpBuilder &builder, Location loc, Value ref) {
  auto type = cast<MemRefType>(ref.getType());
  Type loaded = type.getElementType();
  if (type.getRank() != 0)
    loaded = RankedTensorType::get(type.getShape(), loaded);
  return LoadOp::create(builder, loc, loaded, ref, /*mask=*/Value(),
                        /*other=*/Value());
}

/// Replaces a scatter by accesses of one window after the other.
class Expansion {
public:
  Expansion(KernelOp kernel, ScatterOp scatter)
      : kernel(kernel), scatter(scatter), loc(scatter.getLoc()),
        shape(cast<RankedTensorType>(scatter.getIndices().front().getType())
                  .getShape()) {}

  void create() {
    OpBuilder builder(scatter);
    createLoops(builder);
    scatter.erase();
  }

private:
  /// One loop for each dimension of the indices, so that the last of equal
  /// ones wins.
  void createLoops(OpBuilder &builder) {
    if (position.size() == shape.size())
      return createMasked(builder);
    Value first = createIndex(builder, loc, 0),
          end = createIndex(builder, loc, shape[position.size()]),
          step = createIndex(builder, loc, 1);
    auto loop = scf::ForOp::create(builder, loc, first, end, step);
    OpBuilder inner = OpBuilder::atBlockBegin(loop.getBody());
    position.push_back(loop.getInductionVar());
    createLoops(inner);
    position.pop_back();
  }

  void createMasked(OpBuilder &builder) {
    if (!scatter.getMask())
      return createStore(builder);
    scf::IfOp::create(builder, loc, createPart(builder, scatter.getMask()),
                      [&](OpBuilder &inner, Location) {
                        createStore(inner);
                        scf::YieldOp::create(inner, loc);
                      });
  }

  void createStore(OpBuilder &builder) {
    SmallVector<Value> indices;
    for (Value index : scatter.getIndices())
      indices.push_back(toIndex(builder, loc, createPart(builder, index)));
    Value window = createWindow(builder, loc, scatter.getRef(),
                                scatter.getDims(), indices);
    Value value = createPart(builder, scatter.getValue());
    if (scatter.getAdd())
      value = createAdd(builder, loc, createLoad(builder, loc, window), value);
    StoreOp::create(builder, loc, value, window, /*mask=*/Value());
  }

  /// The elements of an array at a position of the indices.
  Value createPart(OpBuilder &builder, Value value) {
    auto type = dyn_cast<RankedTensorType>(value.getType());
    if (!type)
      return value;
    if (Value ref = getConstantRef(value))
      return createLoad(
          builder, loc,
          createWindow(builder, loc, ref,
                       llvm::to_vector(llvm::seq<int64_t>(position.size())),
                       position));
    ArrayRef<int64_t> rest = type.getShape().drop_front(position.size());
    if (rest.empty())
      return tensor::ExtractOp::create(builder, loc, value, position);
    if (position.empty())
      return value;
    SmallVector<OpFoldResult> offsets(position.begin(), position.end()),
        sizes(position.size(), builder.getIndexAttr(1)),
        strides(type.getRank(), builder.getIndexAttr(1));
    offsets.resize(type.getRank(), builder.getIndexAttr(0));
    llvm::append_range(sizes,
                       getAsIndexOpFoldResult(builder.getContext(), rest));
    return tensor::ExtractSliceOp::create(
        builder, loc, RankedTensorType::get(rest, type.getElementType()), value,
        offsets, sizes, strides);
  }

  /// The input that is loaded as a whole, if nothing changes it.
  Value getConstantRef(Value value) {
    auto load = value.getDefiningOp<LoadOp>();
    bool isInput = load && !load.getMask() &&
                   llvm::is_contained(kernel.getInputRefs(), load.getRef());
    return isInput && kernel.getAliasPairs().empty() ? load.getRef() : Value();
  }

  KernelOp kernel;
  ScatterOp scatter;
  Location loc;
  ArrayRef<int64_t> shape;
  /// The counters of the loops.
  SmallVector<Value> position;
};

class GridExpandScattersPass
    : public gridir::grid::impl::GridExpandScattersPassBase<
          GridExpandScattersPass> {
public:
  using GridExpandScattersPassBase::GridExpandScattersPassBase;

  void runOnOperation() override {
    SmallVector<ScatterOp> scatters;
    getOperation().getBodyRegion().walk(
        [&](ScatterOp scatter) { scatters.push_back(scatter); });
    for (ScatterOp scatter : scatters)
      Expansion(getOperation(), scatter).create();
    numExpanded += scatters.size();
    if (scatters.empty())
      markAllAnalysesPreserved();
  }
};

} // namespace
