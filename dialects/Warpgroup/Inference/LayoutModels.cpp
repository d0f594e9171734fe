//===- LayoutModels.cpp - What ops demand of layouts ----------------------===//
//
// Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dialects/Warpgroup/Inference/LayoutModels.h"

#include "dialects/Grid/IR/Grid.h"
#include "dialects/Warpgroup/IR/RegisterCoordinates.h"
#include "dialects/Warpgroup/Layout/MmaLayouts.h"
#include "dialects/Warpgroup/Layout/NamedLayouts.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;
using namespace gridir;
using namespace gridir::warpgroup;

unsigned gridir::warpgroup::getMemoryBits(RankedTensorType type) {
  Type element = type.getElementType();
  if (!element.isIntOrFloat())
    return 64;
  return std::max<unsigned>(llvm::PowerOf2Ceil(element.getIntOrFloatBitWidth()),
                            8);
}

namespace {

/// Ops that use shared memory.
template <typename OpT>
struct MovedModel : LayoutOpInterface::ExternalModel<MovedModel<OpT>, OpT> {
  LogicalResult getLayoutFrames(Operation *op,
                                SmallVectorImpl<LayoutFrame> &frames) const {
    for (OpOperand &operand : op->getOpOperands())
      if (isa<RankedTensorType>(operand.get().getType()))
        addMoved(op, operand, frames);
    return success();
  }
};

//===----------------------------------------------------------------------===//
// Ops of warpgroup
//===----------------------------------------------------------------------===//

/// Operands in registers have the fragment layout of their width.
struct MmaModel : LayoutOpInterface::ExternalModel<MmaModel, MmaOp> {
  LogicalResult getLayoutFrames(Operation *op,
                                SmallVectorImpl<LayoutFrame> &frames) const {
    auto mma = cast<MmaOp>(op);
    auto type = dyn_cast<RankedTensorType>(mma.getLhs().getType());
    if (!type)
      return success();
    LayoutFrame &frame = frames.emplace_back(op, type.getShape());
    frame.addEqual(mma.getLhsMutable());
    StringRef name = getMemoryBits(type) == 8 ? "wgmma_8bit" : "wgmma";
    // One instruction takes 32 bytes of each row.
    bool isWhole = type.getShape().back() * getMemoryBits(type) % 256 == 0;
    if (isWhole)
      frame.allowed =
          keepFitting({*getNamedLayout(name, std::nullopt)}, type.getShape());
    if (frame.allowed.empty())
      return op->emitError(
                 "expected a left operand in registers with a multiple of 64 "
                 "rows and rows of a multiple of 32 bytes, got ")
             << type;
    return success();
  }
};

/// All three arrays have the layouts of the warp-level instruction. If a layout
/// cast selects a distribution of rows and columns to warps, that one is used.
/// Otherwise warps have rows of their own, unless both operands are in shared
/// memory: then each distribution costs the loads of the operands.
struct MmaSyncModel
    : LayoutOpInterface::ExternalModel<MmaSyncModel, MmaSyncOp> {
  LogicalResult getLayoutFrames(Operation *op,
                                SmallVectorImpl<LayoutFrame> &frames) const {
    auto mma = cast<MmaSyncOp>(op);
    auto lhs = cast<ShapedType>(mma.getLhs().getType());
    ArrayRef<int64_t> shape = mma.getType().getShape();
    Type element = lhs.getElementType();
    const unsigned bits =
        element.isIntOrFloat() ? element.getIntOrFloatBitWidth() : 64;
    auto fitting =
        MmaLayouts::getFitting(bits, shape[0], shape[1], lhs.getDimSize(1));
    if (fitting.empty())
      return op->emitError("expected an mma.sync of multiples of 16 x ")
             << 8 * std::max(32 / bits, 1u)
             << " x 8 elements, one for each of four warps, got " << shape[0]
             << " x " << lhs.getDimSize(1) << " x " << shape[1];
    const MmaLayouts *chosen =
        llvm::find_if(fitting, [&](const MmaLayouts &of) {
          return isCast(mma.getAcc(), of.acc) || isCast(mma.getLhs(), of.lhs) ||
                 isCast(mma.getRhs(), of.rhs);
        });
    const bool isCastTo = chosen != fitting.end();
    if (!isCastTo)
      chosen = fitting.begin();
    auto add = [&](OpOperand &operand, const Layout &layout) -> LayoutFrame & {
      auto type = cast<RankedTensorType>(operand.get().getType());
      LayoutFrame &frame = frames.emplace_back(op, type.getShape());
      frame.addEqual(operand);
      frame.allowed = {layout};
      return frame;
    };
    if (isa<RankedTensorType>(mma.getLhs().getType()))
      add(mma.getLhsMutable(), chosen->lhs);
    if (isa<RankedTensorType>(mma.getRhs().getType()))
      add(mma.getRhsMutable(), chosen->rhs);
    LayoutFrame &sums = add(mma.getAccMutable(), chosen->acc);
    sums.addEqual(mma.getResult());
    if (isCastTo || !isa<MemRefType>(mma.getLhs().getType()) ||
        !isa<MemRefType>(mma.getRhs().getType()))
      return success();
    sums.allowed.clear();
    for (const MmaLayouts &layouts : fitting)
      sums.allowed.push_back(layouts.acc);
    sums.cost = [fitting, bits, m = shape[0], n = shape[1],
                 k = lhs.getDimSize(1)](const Layout &acc) {
      const auto *layouts = llvm::find_if(fitting, [&](const MmaLayouts &of) {
        return Layout::isSame(of.acc, acc, {m, n});
      });
      // An instruction loads four registers of 16-bit elements.
      int64_t ofLoad = bits == 16 ? 8 : std::max<int64_t>(32 / bits, 1);
      return 4 * llvm::divideCeil(layouts->lhs.getNumRegisters({m, k}) +
                                      layouts->rhs.getNumRegisters({k, n}),
                                  ofLoad);
    };
    return success();
  }

private:
  static bool isCast(Value value, const Layout &layout) {
    auto cast = value.getDefiningOp<LayoutCastOp>();
    return cast && cast.getSpreadAttr() &&
           isSameLayout(cast.getSpreadAttr().getLayout(), layout,
                        mlir::cast<RankedTensorType>(value.getType()));
  }

  static bool isSameLayout(const Layout &a, const Layout &b,
                           RankedTensorType type) {
    return a.fits(type.getShape()) && Layout::isSame(a, b, type.getShape());
  }
};

/// Existing relayouts.
struct RelayoutModel
    : LayoutOpInterface::ExternalModel<RelayoutModel, RelayoutOp> {
  LogicalResult getLayoutFrames(Operation *op,
                                SmallVectorImpl<LayoutFrame> &frames) const {
    auto relayout = cast<RelayoutOp>(op);
    addMoved(op, relayout.getValueMutable(), frames);
    LayoutFrame &frame = frames.emplace_back(op, relayout.getType().getShape());
    frame.addEqual(relayout.getResult());
    if (std::optional<Layout> layout = getLayout(relayout.getType()))
      frame.allowed = {*layout};
    return success();
  }
};

/// The requested layout, if it is a layout of the array; a splat satisfies
/// every request.
struct LayoutCastModel
    : LayoutOpInterface::ExternalModel<LayoutCastModel, LayoutCastOp> {
  LogicalResult getLayoutFrames(Operation *op,
                                SmallVectorImpl<LayoutFrame> &frames) const {
    auto cast = mlir::cast<LayoutCastOp>(op);
    auto type = dyn_cast<RankedTensorType>(cast.getType());
    if (!type)
      return success();
    LayoutFrame &frame = frames.emplace_back(op, type.getShape());
    frame.addEqual(cast.getValueMutable());
    frame.addEqual(cast.getResult());
    LayoutAttr spread = cast.getSpreadAttr();
    if (!spread) {
      op->emitWarning("expected a layout that is linear in the bits of "
                      "register, lane and warp; another one is used for ")
          << cast.getLayout();
      return success();
    }
    Layout layout = spread.getLayout();
    if (!layout.fits(type.getShape())) {
      op->emitWarning("expected a layout whose tile divides the shape; another "
                      "one is used for ")
          << spread << " of " << type;
      return success();
    }
    // Do not enforce a requested layout that is a splat or replicates more than
    // a thread's registers can hold.
    constexpr int64_t registerBits = 256 * 32;
    bool isDemanded =
        !layout.isSplat() &&
        (layout.getReplication() == 1 ||
         layout.getNumRegisters(type.getShape()) * getMemoryBits(type) <=
             registerBits);
    (isDemanded ? frame.allowed : frame.preferred).push_back(layout);
    return success();
  }
};

//===----------------------------------------------------------------------===//
// Ops of upstream dialects
//===----------------------------------------------------------------------===//

/// Ops whose result every thread can create in any layout.
template <typename OpT>
struct RepeatableModel
    : LayoutOpInterface::ExternalModel<RepeatableModel<OpT>, OpT> {
  LogicalResult getLayoutFrames(Operation *op,
                                SmallVectorImpl<LayoutFrame> &frames) const {
    auto type = dyn_cast<RankedTensorType>(op->getResult(0).getType());
    if (!type)
      return success();
    LayoutFrame &frame = frames.emplace_back(op, type.getShape());
    frame.addEqual(op->getResult(0));
    frame.isRepeatable = true;
    return success();
  }
};

template <typename OpT>
struct ReshapeModel : LayoutOpInterface::ExternalModel<ReshapeModel<OpT>, OpT> {
  LogicalResult getLayoutFrames(Operation *op,
                                SmallVectorImpl<LayoutFrame> &frames) const {
    auto reshape = cast<OpT>(op);
    RankedTensorType type = reshape.getSrcType();
    LayoutFrame &frame = frames.emplace_back(op, type.getShape());
    frame.addEqual(reshape.getSrcMutable());
    frame.reshape(frame.addEqual(reshape.getResult()));
    // A layout in row-major order is invariant under reshape.
    for (int64_t vector : {4, 1}) {
      frame.preferred.push_back(Layout::blocked(type.getShape(), vector));
      frame.preferred.push_back(
          Layout::blocked({type.getNumElements()}, vector));
    }
    return success();
  }
};

/// A single element, which may be anywhere.
struct ExtractModel
    : LayoutOpInterface::ExternalModel<ExtractModel, tensor::ExtractOp> {
  LogicalResult getLayoutFrames(Operation *op,
                                SmallVectorImpl<LayoutFrame> &frames) const {
    auto extract = cast<tensor::ExtractOp>(op);
    LayoutFrame &frame =
        frames.emplace_back(op, extract.getTensor().getType().getShape());
    frame.addEqual(extract.getTensorMutable());
    return success();
  }
};

} // namespace

void gridir::warpgroup::registerLayoutModels(DialectRegistry &registry) {
  registry.addExtension(+[](MLIRContext *context, WarpgroupDialect *) {
    attachClusterAccessModels(*context);
    LayoutCastOp::attachInterface<LayoutCastModel>(*context);
    MmaOp::attachInterface<MmaModel>(*context);
    MmaSyncOp::attachInterface<MmaSyncModel>(*context);
    RelayoutOp::attachInterface<RelayoutModel>(*context);
    TmaGatherOp::attachInterface<MovedModel<TmaGatherOp>>(*context);
    TmaScatterOp::attachInterface<MovedModel<TmaScatterOp>>(*context);
  });
  registry.addExtension(+[](MLIRContext *context, grid::GridDialect *) {
    attachAccessModels(*context);
    grid::PrintOp::attachInterface<MovedModel<grid::PrintOp>>(*context);
  });
  registry.addExtension(+[](MLIRContext *context, arith::ArithDialect *) {
    arith::ConstantOp::attachInterface<RepeatableModel<arith::ConstantOp>>(
        *context);
  });
  registry.addExtension(+[](MLIRContext *context, tensor::TensorDialect *) {
    tensor::CollapseShapeOp::attachInterface<
        ReshapeModel<tensor::CollapseShapeOp>>(*context);
    tensor::EmptyOp::attachInterface<RepeatableModel<tensor::EmptyOp>>(
        *context);
    tensor::ExpandShapeOp::attachInterface<ReshapeModel<tensor::ExpandShapeOp>>(
        *context);
    tensor::ExtractOp::attachInterface<ExtractModel>(*context);
    tensor::SplatOp::attachInterface<RepeatableModel<tensor::SplatOp>>(
        *context);
    attachSliceModels(*context);
  });
}
