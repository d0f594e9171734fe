//===- FitSparseCore.cpp - Kernels as the compiler for SparseCores wants them --===//
//
// Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dialects/Grid/IR/DiscardableAttrs.h"
#include "dialects/Support/CountAttributes.h"
#include "dialects/TPU/IR/TPU.h"
#include "dialects/TPU/Transforms/Passes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace gridir::tpu {
#define GEN_PASS_DEF_TPUFITSPARSECOREPASS
#include "dialects/TPU/Transforms/Passes.h.inc"
} // namespace gridir::tpu

using namespace mlir;
using namespace gridir::tpu;

namespace {

bool isForSparseCore(func::FuncOp kernel) {
  auto core = kernel->getAttrOfType<CoreTypeAttr>(kCoreTypeName);
  return core && core.getValue() != CoreType::Tc;
}

/// The type without the leading unit dimensions that another one has beside it.
bool isWithoutLeadingOnes(VectorType type, VectorType whole) {
  int64_t dropped = whole.getRank() - type.getRank();
  return dropped > 0 && type.getElementType() == whole.getElementType() &&
         whole.getShape().drop_front(dropped) == type.getShape() &&
         llvm::all_of(whole.getShape().take_front(dropped),
                      [](int64_t size) { return size == 1; });
}

/// The first block of an array that stays in place is all of it.
void addIndexMaps(func::FuncOp kernel) {
  auto windows = kernel->getAttrOfType<ArrayAttr>(kWindowParamsName);
  auto bounds = kernel->getAttrOfType<DenseI64ArrayAttr>(kIterationBoundsName);
  if (!windows || !bounds)
    return;
  Builder builder(kernel);
  int64_t first =
      bounds.size() + gridir::getCount(kernel, kScalarPrefetchName).value_or(0);
  SmallVector<Attribute> mapped;
  for (auto [number, window] : llvm::enumerate(windows)) {
    // Mosaic rejects counts that do not match the arguments.
    int64_t argument = first + static_cast<int64_t>(number);
    bool isArgument = argument >= 0 && argument < kernel.getNumArguments();
    auto operand =
        isArgument ? dyn_cast<MemRefType>(kernel.getArgumentTypes()[argument])
                   : MemRefType();
    if (!operand || !cast<DictionaryAttr>(window).empty()) {
      mapped.push_back(window);
      continue;
    }
    SmallVector<AffineExpr> zeros(operand.getRank(),
                                  builder.getAffineConstantExpr(0));
    auto map = AffineMap::get(bounds.size(), 0, zeros, kernel->getContext());
    mapped.push_back(builder.getDictionaryAttr(
        builder.getNamedAttr(kTransformIndicesName, AffineMapAttr::get(map))));
  }
  kernel->setAttr(kWindowParamsName, builder.getArrayAttr(mapped));
}

class TPUFitSparseCorePass
    : public gridir::tpu::impl::TPUFitSparseCorePassBase<TPUFitSparseCorePass> {
public:
  using TPUFitSparseCorePassBase::TPUFitSparseCorePassBase;

  void runOnOperation() override {
    func::FuncOp kernel = getOperation();
    if (!isForSparseCore(kernel))
      return;
    addIndexMaps(kernel);
    bool hasRegisters = kernel->hasAttr(gridir::grid::kWithoutLayoutAttrName);
    kernel->removeAttr(gridir::grid::kWithoutLayoutAttrName);
    kernel.walk([&](Operation *op) {
      if (auto constant = dyn_cast<arith::ConstantOp>(op))
        fitConstant(constant);
      else if (auto cast = dyn_cast<vector::ShapeCastOp>(op))
        fitCast(cast, hasRegisters);
      else if (auto store = dyn_cast<VectorStoreOp>(op); store && hasRegisters)
        fitStore(store);
    });
  }

private:
  void replace(Operation *op, Value value) {
    op->getResult(0).replaceAllUsesWith(value);
    op->erase();
    ++numRewritten;
  }

  /// Only integers are constants as vectors.
  void fitConstant(arith::ConstantOp constant) {
    auto type = dyn_cast<VectorType>(constant.getType());
    auto splat = dyn_cast<SplatElementsAttr>(constant.getValue());
    if (!type || !splat || !isa<FloatType>(type.getElementType()))
      return;
    OpBuilder builder(constant);
    Value number = arith::ConstantOp::create(builder, constant.getLoc(),
                                             splat.getSplatValue<TypedAttr>());
    replace(constant, vector::BroadcastOp::create(builder, constant.getLoc(),
                                                  type, number));
  }

  /// Converts a two-dimensional iota to one dimension. Returns true if it did.
  bool fitIota(vector::ShapeCastOp cast) {
    auto iota = cast.getSource().getDefiningOp<IotaOp>();
    VectorType type = cast.getResultVectorType();
    if (!iota || !isWithoutLeadingOnes(type, cast.getSourceVectorType()) ||
        type.getRank() != 1)
      return false;
    OpBuilder builder(cast);
    replace(cast,
            IotaOp::create(builder, cast.getLoc(), type, ArrayRef<int32_t>{0}));
    eraseUnused(iota);
    return true;
  }

  /// Creates the iota, or loads the register, directly.
  void fitCast(vector::ShapeCastOp cast, bool hasRegisters) {
    auto load = cast.getSource().getDefiningOp<vector::LoadOp>();
    if (fitIota(cast) || !hasRegisters || !load ||
        !isWithoutLeadingOnes(cast.getResultVectorType(),
                              cast.getSourceVectorType()))
      return;
    // The memory may be written before the cast.
    OpBuilder builder(load);
    replace(cast, VectorLoadOp::create(
                      builder, load.getLoc(), cast.getResultVectorType(),
                      load.getBase(), load.getIndices(),
                      /*strides=*/ArrayRef<int32_t>(), /*mask=*/Value()));
    eraseUnused(load);
  }

  /// Stores the register itself.
  void fitStore(VectorStoreOp store) {
    auto cast = store.getValueToStore().getDefiningOp<vector::ShapeCastOp>();
    if (!cast || store.getMask() ||
        !isWithoutLeadingOnes(cast.getSourceVectorType(),
                              cast.getResultVectorType()))
      return;
    store.getValueToStoreMutable().assign(cast.getSource());
    ++numRewritten;
    eraseUnused(cast);
  }

  static void eraseUnused(Operation *op) {
    if (op->use_empty())
      op->erase();
  }
};

} // namespace
