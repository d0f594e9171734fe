//===- AccessModels.cpp - Layouts of loads and stores of Refs -------------===//
//
// Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dialects/Warpgroup/Inference/LayoutModels.h"

#include "dialects/Grid/IR/Grid.h"
#include "dialects/Warpgroup/IR/SharedLayout.h"
#include "dialects/Warpgroup/IR/TensorMemory.h"
#include "dialects/Warpgroup/Layout/NamedLayouts.h"
#include "dialects/Warpgroup/Layout/SharedAccess.h"
#include "llvm/ADT/DenseSet.h"

using namespace mlir;
using namespace gridir;
using namespace gridir::warpgroup;

/// The number of elements that one access of a thread can move.
static int64_t getLongestAccess(RankedTensorType type) {
  return std::max<int64_t>(128 / getMemoryBits(type), 1);
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
  SharedAccess access = countSharedAccess(
      layout, type.getShape(), getAccessVector(layout, type),
      getMemoryBits(type), [&](int64_t element) {
        return getSharedOffset(element, type.getShape(),
                               getMemoryBits(type) / 8, panelBytes);
      });
  return 4 * (access.instructions + access.conflicts);
}

/// An access of global memory: instructions, and sectors of 32 bytes beyond
/// those that the bytes fill.
static int64_t countGlobal(const Layout &layout, RankedTensorType type) {
  ArrayRef<int64_t> shape = type.getShape();
  int64_t bytes = getMemoryBits(type) / 8,
          vector = getAccessVector(layout, type);
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
  int64_t ofWord = std::max<int64_t>(32 / getMemoryBits(type), 1);
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

/// A Ref of a scope without a memory space is a variable in registers.
static bool isVariable(Value ref) {
  return isa_and_present<grid::ScopedOp>(
             ref.getParentBlock() ? ref.getParentBlock()->getParentOp()
                                  : nullptr) &&
         isa<BlockArgument>(ref) &&
         grid::isDefaultSpace(grid::getSpace(cast<MemRefType>(ref.getType())));
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
  std::optional<Space> space = getMemorySpace(cast<MemRefType>(ref.getType()));
  if (space == Space::Regs)
    frame.allowed = getAccumulatorLayouts(type.getShape());
  else if (space == Space::Tmem)
    frame.allowed = getTensorMemoryLayouts(
        type, hasPairedBlocks(op->getParentOfType<grid::KernelOp>()));
  else if (space == Space::Smem)
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

/// A store that ends at a barrier moves words; each word belongs to one thread.
struct ClusterStoreModel
    : LayoutOpInterface::ExternalModel<ClusterStoreModel, ClusterStoreOp> {
  LogicalResult getLayoutFrames(Operation *op,
                                SmallVectorImpl<LayoutFrame> &frames) const {
    auto store = cast<ClusterStoreOp>(op);
    RankedTensorType type = store.getValue().getType();
    if (failed(addAccess(op, store.getRef(), type, frames)))
      return failure();
    int64_t ofWord = 32 / getMemoryBits(type);
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

} // namespace

void gridir::warpgroup::attachAccessModels(MLIRContext &context) {
  grid::AccumulateOp::attachInterface<StoreModel<grid::AccumulateOp>>(context);
  grid::AtomicRmwOp::attachInterface<AtomicModel>(context);
  grid::GatherOp::attachInterface<GatherModel>(context);
  grid::LoadOp::attachInterface<LoadModel<grid::LoadOp>>(context);
  grid::ScopedOp::attachInterface<ScopedModel>(context);
  grid::StoreOp::attachInterface<StoreModel<grid::StoreOp>>(context);
}

void gridir::warpgroup::attachClusterAccessModels(MLIRContext &context) {
  ClusterLoadOp::attachInterface<LoadModel<ClusterLoadOp>>(context);
  ClusterStoreOp::attachInterface<ClusterStoreModel>(context);
}
