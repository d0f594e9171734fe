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
#include "dialects/Warpgroup/IR/SharedLayout.h"
#include "dialects/Warpgroup/IR/TensorMemory.h"
#include "dialects/Warpgroup/Layout/MmaLayouts.h"
#include "dialects/Warpgroup/Layout/NamedLayouts.h"
#include "dialects/Warpgroup/Layout/SharedAccess.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "llvm/ADT/DenseSet.h"

using namespace mlir;
using namespace gridir;
using namespace gridir::warpgroup;

/// Elements take a power of two of bits in memory, a byte at least.
static unsigned getBits(RankedTensorType type) {
  Type element = type.getElementType();
  if (!element.isIntOrFloat())
    return 64;
  return std::max<unsigned>(llvm::PowerOf2Ceil(element.getIntOrFloatBitWidth()),
                            8);
}

//===----------------------------------------------------------------------===//
// Accesses of memory
//===----------------------------------------------------------------------===//

/// The number of elements that one access of a thread can move.
static int64_t getLongestAccess(RankedTensorType type) {
  return std::max<int64_t>(128 / getBits(type), 1);
}

/// Returns the most consecutive elements that one access of a thread moves.
static int64_t getAccessVector(const Layout &layout, RankedTensorType type) {
  return std::min<int64_t>(layout.getVectorLength(type.getShape()),
                           getLongestAccess(type));
}

/// Returns the bytes of a row of a panel. An array without panels counts as if
/// it had the widest: a relayout, which also goes through shared memory, would
/// be the only way to avoid its bank conflicts.
static int64_t getPanelBytes(Value ref) {
  SharedLayoutAttr layout = getSharedLayout(ref);
  return layout ? layout.getPanelBytes() : kMaxPanelBytes;
}

/// The location of an element in shared memory: in panels if these divide the
/// rows of the window, otherwise in row-major order.
static int64_t getSharedOffset(int64_t element, ArrayRef<int64_t> shape,
                               int64_t bytes, int64_t panelBytes) {
  int64_t rowBytes = shape.back() * bytes;
  if (rowBytes % panelBytes != 0)
    return element * bytes;
  // The swizzle permutes pieces of 16 bytes by the number of the 128-byte row.
  constexpr unsigned piece = 4, banks = 7;
  Swizzle swizzle = {banks, piece, llvm::Log2_64(panelBytes) - piece};
  int64_t numRows = getNumElements(shape.drop_back());
  int64_t row = element / shape.back(), column = element % shape.back() * bytes;
  return swizzle.apply((column / panelBytes * numRows + row) * panelBytes +
                       column % panelBytes);
}

static int64_t countShared(const Layout &layout, RankedTensorType type,
                           int64_t panelBytes) {
  SharedAccess access =
      countSharedAccess(layout, type.getShape(), getAccessVector(layout, type),
                        getBits(type), [&](int64_t element) {
                          return getSharedOffset(element, type.getShape(),
                                                 getBits(type) / 8, panelBytes);
                        });
  return 4 * (access.instructions + access.conflicts);
}

/// An access of global memory: instructions, and sectors of 32 bytes beyond
/// those that the bytes fill.
static int64_t countGlobal(const Layout &layout, RankedTensorType type) {
  ArrayRef<int64_t> shape = type.getShape();
  int64_t bytes = getBits(type) / 8, vector = getAccessVector(layout, type);
  int64_t instructions = layout.getNumRegisters(shape) / vector;
  constexpr int64_t sectorBytes = 32, numLanes = 1 << kNumLaneBits;
  llvm::DenseSet<int64_t> sectors;
  for (unsigned lane = 0; lane < numLanes; ++lane)
    for (int64_t byte = 0; byte < vector * bytes; byte += sectorBytes)
      sectors.insert((layout.getElement(shape, 0, lane) * bytes + byte) /
                     sectorBytes);
  int64_t filled = llvm::divideCeil(vector * bytes * numLanes, sectorBytes);
  return instructions *
         (4 +
          std::max<int64_t>(0, static_cast<int64_t>(sectors.size()) - filled));
}

/// The layouts of a `wgmma` accumulator; all accesses use the same one.
static SmallVector<Layout> getAccumulatorLayouts(ArrayRef<int64_t> shape) {
  return keepFitting({*getNamedLayout("wgmma", std::nullopt)}, shape);
}

/// The layouts for loads and stores of matrices in tensor memory. A register
/// moves 32 bits, and has the elements that share them.
static SmallVector<Layout> getTensorMemoryLayouts(RankedTensorType type,
                                                  bool isPaired) {
  ArrayRef<int64_t> shape = type.getShape();
  int64_t ofWord = std::max<int64_t>(32 / getBits(type), 1);
  SmallVector<Layout> known;
  if (shape.size() < 2)
    return known;
  SmallVector<int64_t> leading =
      llvm::to_vector(llvm::seq<int64_t>(shape.size() - 2));
  auto add = [&](StringRef name, std::optional<int64_t> number) {
    std::optional<Layout> layout = getNamedLayout(name, number);
    if (layout && layout->getVectorLength(layout->getTile()) >= ofWord)
      known.push_back(*layout->insertDims(leading, layout->getTile()));
  };
  if (shape[leading.size()] % 128 == 0) {
    add("tcgen05", std::nullopt);
    for (int64_t vector : {4, 2, 1})
      add("tmem_native", vector);
  } else if (isPaired) {
    add("tcgen05_m64_collective", shape.back());
    add("tcgen05_m64_collective_native", shape.back());
  } else {
    add("wgmma", std::nullopt);
    add("tmem_half_lane", shape.back());
  }
  return keepFitting(known, shape);
}

static grid::MemorySpace getSpace(Value ref) {
  auto attr = dyn_cast_if_present<grid::MemorySpaceAttr>(
      cast<MemRefType>(ref.getType()).getMemorySpace());
  return attr ? attr.getValue() : grid::MemorySpace::Default;
}

/// A Ref of a scope without a memory space is a variable in registers.
static bool isVariable(Value ref) {
  return isa_and_present<grid::ScopedOp>(
             ref.getParentBlock() ? ref.getParentBlock()->getParentOp()
                                  : nullptr) &&
         isa<BlockArgument>(ref) && getSpace(ref) == grid::MemorySpace::Default;
}

/// All tensors of an op have the same layout.
static void addTensors(Operation *op, LayoutFrame &frame) {
  for (OpOperand &operand : op->getOpOperands())
    if (isa<RankedTensorType>(operand.get().getType()))
      frame.addEqual(operand);
  for (Value result : op->getResults())
    if (isa<RankedTensorType>(result.getType()))
      frame.addEqual(result);
}

/// A load or a store; the mask and the other value have the same layout.
static LogicalResult addAccess(Operation *op, Value ref, Type valueType,
                               SmallVectorImpl<LayoutFrame> &frames) {
  auto type = dyn_cast<RankedTensorType>(valueType);
  // The scope of a variable determines the layout for all accesses.
  if (!type || isVariable(ref))
    return success();
  LayoutFrame &frame = frames.emplace_back(op, type.getShape());
  addTensors(op, frame);
  Coordinates shape = frame.shape;
  frame.accepts = [=](const Layout &layout) {
    return holdsEach(layout, shape);
  };
  grid::MemorySpace space = getSpace(ref);
  if (space == grid::MemorySpace::GpuRegs)
    frame.allowed = getAccumulatorLayouts(type.getShape());
  else if (space == grid::MemorySpace::GpuTmem)
    frame.allowed = getTensorMemoryLayouts(
        type, hasPairedBlocks(op->getParentOfType<grid::KernelOp>()));
  else if (space == grid::MemorySpace::GpuSmem)
    frame.cost = [type, panelBytes = getPanelBytes(ref)](const Layout &layout) {
      return countShared(layout, type, panelBytes);
    };
  else
    frame.cost = [=](const Layout &layout) {
      return countGlobal(layout, type);
    };
  for (int64_t vector = getLongestAccess(type); vector >= 1; vector /= 2)
    frame.preferred.push_back(Layout::blocked(type.getShape(), vector));
  return success();
}

namespace {

template <typename OpT>
struct LoadModel : LayoutOpInterface::ExternalModel<LoadModel<OpT>, OpT> {
  LogicalResult getLayoutFrames(Operation *op,
                                SmallVectorImpl<LayoutFrame> &frames) const {
    auto load = cast<OpT>(op);
    return addAccess(op, load.getRef(), load.getType(), frames);
  }
};

template <typename OpT>
struct StoreModel : LayoutOpInterface::ExternalModel<StoreModel<OpT>, OpT> {
  LogicalResult getLayoutFrames(Operation *op,
                                SmallVectorImpl<LayoutFrame> &frames) const {
    auto store = cast<OpT>(op);
    return addAccess(op, store.getRef(), store.getValue().getType(), frames);
  }
};

/// An update whose result is used happens once for each element.
struct AtomicModel
    : LayoutOpInterface::ExternalModel<AtomicModel, grid::AtomicRmwOp> {
  LogicalResult getLayoutFrames(Operation *op,
                                SmallVectorImpl<LayoutFrame> &frames) const {
    auto update = cast<grid::AtomicRmwOp>(op);
    size_t before = frames.size();
    if (failed(addAccess(op, update.getRef(), update.getType(), frames)))
      return failure();
    if (frames.size() == before || update.getResult().use_empty())
      return success();
    Coordinates shape = frames.back().shape;
    if (getNumElements(shape) % kNumThreads == 0)
      frames.back().accepts = [=](const Layout &layout) {
        return holdsOnce(layout, shape) && layout.getReplication() == 1;
      };
    return success();
  }
};

/// Each thread needs the indices of its loads.
struct GatherModel
    : LayoutOpInterface::ExternalModel<GatherModel, grid::GatherOp> {
  LogicalResult getLayoutFrames(Operation *op,
                                SmallVectorImpl<LayoutFrame> &frames) const {
    auto gather = cast<grid::GatherOp>(op);
    auto type = dyn_cast<RankedTensorType>(gather.getType());
    if (!type)
      return success();
    LayoutFrame &frame = frames.emplace_back(op, type.getShape());
    for (OpOperand &operand : op->getOpOperands())
      if (auto array = dyn_cast<RankedTensorType>(operand.get().getType()))
        frame.project(frame.addEqual(operand),
                      llvm::to_vector(llvm::seq<int64_t>(array.getRank())));
    frame.addEqual(gather.getResult());
    Coordinates shape = frame.shape;
    frame.accepts = [=](const Layout &layout) {
      return holdsEach(layout, shape);
    };
    for (int64_t vector : {4, 1})
      frame.preferred.push_back(Layout::blocked(type.getShape(), vector));
    return success();
  }
};

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

/// The operands that a scope yields have the layouts of its results, and all
/// users of a variable have one layout.
struct ScopedModel
    : LayoutOpInterface::ExternalModel<ScopedModel, grid::ScopedOp> {
  LogicalResult getLayoutFrames(Operation *op,
                                SmallVectorImpl<LayoutFrame> &frames) const {
    Operation *end = cast<grid::ScopedOp>(op).getBody().front().getTerminator();
    for (auto [operand, result] :
         llvm::zip_equal(end->getOpOperands(), op->getResults()))
      if (auto type = dyn_cast<RankedTensorType>(result.getType())) {
        LayoutFrame &frame = frames.emplace_back(op, type.getShape());
        frame.addEqual(operand);
        frame.addEqual(result);
      }
    for (Value ref : end->getBlock()->getArguments()) {
      auto type = dyn_cast<MemRefType>(ref.getType());
      if (!type || type.getRank() == 0 || !isVariable(ref))
        continue;
      LayoutFrame &frame = frames.emplace_back(op, type.getShape());
      for (Operation *user : ref.getUsers())
        if (isa<grid::LoadOp, grid::StoreOp, grid::AccumulateOp>(user))
          addTensors(user, frame);
    }
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
    StringRef name = getBits(type) == 8 ? "wgmma_8bit" : "wgmma";
    // One instruction takes 32 bytes of each row.
    bool isWhole = type.getShape().back() * getBits(type) % 256 == 0;
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

/// A store that ends at a barrier moves words; each word belongs to one thread.
struct ClusterStoreModel
    : LayoutOpInterface::ExternalModel<ClusterStoreModel, ClusterStoreOp> {
  LogicalResult getLayoutFrames(Operation *op,
                                SmallVectorImpl<LayoutFrame> &frames) const {
    auto store = cast<ClusterStoreOp>(op);
    RankedTensorType type = store.getValue().getType();
    if (failed(addAccess(op, store.getRef(), type, frames)))
      return failure();
    int64_t ofWord = 32 / getBits(type);
    if (!store.getBarrier() || ofWord <= 1 ||
        Layout::blocked(type.getShape(), ofWord)
                .getVectorLength(type.getShape()) < ofWord)
      return success();
    Coordinates shape = frames.back().shape;
    frames.back().accepts = [=](const Layout &layout) {
      return holdsEach(layout, shape) &&
             layout.getVectorLength(shape) >= ofWord;
    };
    return success();
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
         layout.getNumRegisters(type.getShape()) * getBits(type) <=
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
    LayoutCastOp::attachInterface<LayoutCastModel>(*context);
    ClusterLoadOp::attachInterface<LoadModel<ClusterLoadOp>>(*context);
    ClusterStoreOp::attachInterface<ClusterStoreModel>(*context);
    MmaOp::attachInterface<MmaModel>(*context);
    MmaSyncOp::attachInterface<MmaSyncModel>(*context);
    RelayoutOp::attachInterface<RelayoutModel>(*context);
    TmaGatherOp::attachInterface<MovedModel<TmaGatherOp>>(*context);
    TmaScatterOp::attachInterface<MovedModel<TmaScatterOp>>(*context);
  });
  registry.addExtension(+[](MLIRContext *context, grid::GridDialect *) {
    grid::AccumulateOp::attachInterface<StoreModel<grid::AccumulateOp>>(
        *context);
    grid::AtomicRmwOp::attachInterface<AtomicModel>(*context);
    grid::GatherOp::attachInterface<GatherModel>(*context);
    grid::LoadOp::attachInterface<LoadModel<grid::LoadOp>>(*context);
    grid::PrintOp::attachInterface<MovedModel<grid::PrintOp>>(*context);
    grid::ScopedOp::attachInterface<ScopedModel>(*context);
    grid::StoreOp::attachInterface<StoreModel<grid::StoreOp>>(*context);
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
