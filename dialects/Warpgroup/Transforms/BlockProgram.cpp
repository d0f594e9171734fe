//===- BlockProgram.cpp - Kernels of blocks as warpgroup programs ---------===//
//
// Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dialects/Warpgroup/Transforms/BlockProgram.h"

#include "dialects/GPU/Target/GPUTarget.h"
#include "dialects/Grid/Analysis/InputSharing.h"
#include "dialects/Grid/Analysis/LoadedUses.h"
#include "dialects/Grid/Analysis/ProgramValues.h"
#include "dialects/Grid/Analysis/TaskPrograms.h"
#include "dialects/Grid/Analysis/WindowPositions.h"
#include "dialects/Grid/IR/IndexMaps.h"
#include "dialects/Support/Divisors.h"
#include "dialects/Warpgroup/IR/Warpgroup.h"
#include "dialects/Warpgroup/Transforms/ContractionPadding.h"
#include "dialects/Warpgroup/Transforms/DataWindows.h"
#include "dialects/Warpgroup/Transforms/MatrixUnits.h"
#include "dialects/Warpgroup/Transforms/RepeatOperands.h"
#include "dialects/Warpgroup/Transforms/ValueSlices.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"

using namespace mlir;
using namespace gridir;
using namespace gridir::warpgroup;

bool gridir::warpgroup::isSequential(grid::KernelOp kernel, unsigned dim) {
  return kernel.getDim(dim).getKind() == grid::DimKind::Grid &&
         kernel.getDim(dim).getSize() != 1 &&
         kernel.getDimSemantics(dim) != grid::DimSemantics::Parallel;
}

SmallVector<int64_t>
gridir::warpgroup::getOverhangingDims(grid::KernelOp kernel, unsigned operand) {
  grid::OperandAttr spec = kernel.getOperandSpec(operand);
  SmallVector<Interval> ids = grid::getIdRanges(kernel.getGridShape());
  SmallVector<int64_t> dims;
  for (auto [dim, extent, part, index] :
       llvm::enumerate(spec.getArrayShape(), spec.getBlockDims(),
                       kernel.getAffineIndexMap(operand)->getResults()))
    if (part.getKind() == grid::BlockKind::Blocked &&
        (inferRange(index, ids, /*symbols=*/{}).high + 1) * part.getSize() >
            extent)
      dims.push_back(dim);
  return dims;
}

SmallVector<unsigned>
gridir::warpgroup::findCarriedOutputs(grid::KernelOp kernel) {
  auto loopDims =
      llvm::filter_to_vector(llvm::seq(kernel.getRank()), [&](unsigned dim) {
        return isSequential(kernel, dim);
      });
  auto isWhole = [](Operation *user) {
    auto load = dyn_cast<grid::LoadOp>(user);
    auto store = dyn_cast<grid::StoreOp>(user);
    return (load && !load.getMask()) || (store && !store.getMask());
  };
  SmallVector<unsigned> carried;
  unsigned first = kernel.getNumOperandSpecs() - kernel.getNumOutputs();
  for (auto [i, ref] : llvm::enumerate(kernel.getOutputRefs())) {
    bool isAliased = llvm::any_of(kernel.getAliasPairs(), [&](auto pair) {
      return static_cast<size_t>(pair.second) == i;
    });
    std::optional<AffineMap> map = kernel.getAffineIndexMap(first + i);
    bool isMoved = !map || llvm::any_of(loopDims, [&](unsigned dim) {
      return map->isFunctionOfDim(dim);
    });
    if (!loopDims.empty() && !isAliased && !isMoved &&
        llvm::all_of(ref.getUsers(), isWhole) &&
        llvm::any_of(ref.getUsers(), llvm::IsaPred<grid::LoadOp>))
      carried.push_back(first + i);
  }
  return carried;
}

bool gridir::warpgroup::isAccessedInParts(BlockArgument scratch) {
  return llvm::any_of(scratch.getUsers(), [&](Operation *user) {
    auto load = dyn_cast<grid::LoadOp>(user);
    auto store = dyn_cast<grid::StoreOp>(user);
    return !(load && !load.getMask()) && !(store && !store.getMask());
  });
}

//===----------------------------------------------------------------------===//
// Obstacles
//===----------------------------------------------------------------------===//

namespace {

/// Element types of arrays in memory that threads load and store. A bool or an
/// integer of less than a byte has a byte.
bool isSupportedElement(Type type) {
  if (auto integer = dyn_cast<IntegerType>(type))
    return llvm::is_contained({1, 2, 4, 8, 16, 32, 64}, integer.getWidth());
  return isa<FloatType>(type) &&
         llvm::is_contained({8, 16, 32, 64}, type.getIntOrFloatBitWidth());
}

class ObstacleSearch {
public:
  ObstacleSearch(grid::KernelOp kernel, const gpu::Chip &chip, BlockForm form)
      : kernel(kernel), chip(chip), form(form), values(kernel) {}

  std::optional<Obstacle> find() {
    visitKernel();
    for (unsigned i = 0; !obstacle && i < kernel.getNumOperandSpecs(); ++i)
      visitOperand(i);
    for (BlockArgument ref : kernel.getScratchRefs())
      visitScratch(ref);
    if (!obstacle)
      visitSharing();
    kernel.getBodyRegion().walk([&](Operation *op) {
      visitOp(op);
      return obstacle ? WalkResult::interrupt() : WalkResult::advance();
    });
    return obstacle;
  }

private:
  void add(Location loc, const Twine &reason) {
    if (!obstacle)
      obstacle = Obstacle{loc, reason.str()};
  }

  void visitKernel() {
    Location loc = kernel.getLoc();
    if (kernel.getNumDynamicDims() != 0)
      return add(loc, "its grid is dynamic");
    if (kernel.getNumIndexOperands() != 0)
      return add(loc, "it has index operands");
    if (kernel.getNumOutputs() == 0)
      return add(loc, "it has no outputs");
    if (kernel->hasAttr(grid::kTasksAttrName))
      return add(loc, "its programs wait for one another");
    if (kernel.getFunctionalAliases())
      return add(loc, "it reads the old values of an aliased operand");
    for (int64_t size : kernel.getGridShape())
      if (size == 0)
        return add(loc, "its grid is empty");
    for (unsigned dim = 0; dim < kernel.getRank(); ++dim)
      if (kernel.getDim(dim).getKind() == grid::DimKind::Cluster)
        return add(loc, "its grid has clusters");
  }

  void visitOperand(unsigned operand) {
    grid::OperandAttr spec = kernel.getOperandSpec(operand);
    BlockArgument ref = kernel.getBodyBlock()->getArgument(operand);
    std::string name = kernel.getOperandName(operand);
    auto type = dyn_cast<MemRefType>(ref.getType());
    if (!type || !isSupportedElement(type.getElementType()))
      return add(ref.getLoc(), "threads do not load elements of " + name);
    if (!spec.getTransforms().empty())
      return add(ref.getLoc(), "the block of " + name + " has transforms");
    SmallVector<int64_t> shape = spec.getArrayShape();
    if (ShapedType::isDynamicShape(shape))
      return add(ref.getLoc(), "the shape of " + name + " is dynamic");
    if (llvm::is_contained(shape, 0) ||
        llvm::is_contained(spec.getBlockShape(), 0))
      return add(ref.getLoc(), name + " has no elements");
    // Threads count bytes with 32 bits.
    int64_t bytes = llvm::divideCeil(type.getElementTypeBitWidth(), 8);
    for (int64_t extent : shape)
      bytes *= extent;
    if (bytes > std::numeric_limits<int32_t>::max())
      return add(ref.getLoc(), name + " has 2 GiB or more");
    std::optional<AffineMap> map = kernel.getAffineIndexMap(operand);
    if (!map)
      return add(ref.getLoc(), "the index map of " + name + " is not affine");
    auto addIrregular = [&] {
      add(ref.getLoc(),
          "the blocks of " + name + " are neither regular nor windows");
    };
    // The map gives a bounded slice a start and a size.
    if (map->getNumResults() != shape.size())
      return addIrregular();
    SmallVector<Interval> ids = grid::getIdRanges(kernel.getGridShape());
    for (auto [extent, dim, expr] :
         llvm::zip_equal(shape, spec.getBlockDims(), map->getResults())) {
      Interval index = inferRange(expr, ids, /*symbols=*/{});
      int64_t size = dim.isSqueezed() ? 1 : dim.getSize();
      bool isElement =
          dim.isSqueezed() || dim.getKind() == grid::BlockKind::Element;
      if ((dim.getKind() != grid::BlockKind::Blocked && !isElement) ||
          dim.getPadLow() != 0 || dim.getPadHigh() != 0)
        return addIrregular();
      int64_t last = isElement ? extent - size
                     : form == BlockForm::Parts
                         ? std::numeric_limits<int32_t>::max()
                         : llvm::divideCeil(extent, size) - 1;
      if (!index.isIn(0, last))
        return add(ref.getLoc(), "blocks of " + name + " are outside of it");
    }
    visitOverhang(operand, name);
  }

  /// Accesses of a block that overhangs its array get a mask; bulk copies have
  /// one.
  void visitOverhang(unsigned operand, StringRef name) {
    BlockArgument ref = kernel.getBodyBlock()->getArgument(operand);
    if (getOverhangingDims(kernel, operand).empty())
      return;
    for (Operation *user : ref.getUsers())
      if (!isa<grid::LoadOp, grid::StoreOp>(user) && !isWindow(user))
        return add(user->getLoc(), "it accesses a view of a block of " + name +
                                       " that overhangs its array");
  }

  /// True for a window at consecutive positions that is loaded and stored as a
  /// whole.
  static bool isWindow(Operation *op) {
    auto slice = dyn_cast<grid::SliceRefOp>(op);
    return slice &&
           llvm::all_of(slice.getStrides(), [](int64_t n) { return n == 1; }) &&
           llvm::all_of(op->getUsers(),
                        llvm::IsaPred<grid::LoadOp, grid::StoreOp>);
  }

  void visitScratch(BlockArgument ref) {
    auto type = dyn_cast<MemRefType>(ref.getType());
    if (!type || !isSupportedElement(type.getElementType()) ||
        type.getRank() == 0 || type.getNumElements() == 0)
      add(ref.getLoc(),
          "registers do not hold " + kernel.getRefName(ref.getArgNumber()));
  }

  /// A program accesses arrays in place: it has no copy of a block that the
  /// kernel overwrites. Bulk copies must not pass stores to their memory.
  void visitSharing() {
    grid::RefHazards hazards(kernel);
    for (unsigned i = 0; i < kernel.getNumInputs(); ++i) {
      BlockArgument ref = kernel.getBodyBlock()->getArgument(i);
      grid::Sharing sharing = grid::getSharing(kernel, hazards, i);
      if (sharing.kind != grid::Sharing::InPlace || sharing.copiesBlocks)
        return add(ref.getLoc(), "it needs a copy of " +
                                     kernel.getOperandName(i) +
                                     ", which it overwrites");
      if (grid::mayChangeByAlias(kernel, hazards, i) && isCopiedAhead(i))
        return add(ref.getLoc(), "copies of " + kernel.getOperandName(i) +
                                     " would pass stores to its memory");
    }
  }

  /// True if the producer copies blocks or windows of an input for later steps.
  bool isCopiedAhead(unsigned input) {
    bool hasSteps = llvm::any_of(llvm::seq(kernel.getRank()), [&](unsigned i) {
      return isSequential(kernel, i);
    });
    return kernel.getBodyRegion()
        .walk([&](grid::LoadOp load) {
          std::optional<SharedLoad> shared = matchSharedLoad(load);
          bool isAhead =
              shared && shared->input == input && (shared->loop || hasSteps) &&
              llvm::any_of(load->getUsers(), llvm::IsaPred<grid::DotOp>);
          return isAhead ? WalkResult::interrupt() : WalkResult::advance();
        })
        .wasInterrupted();
  }

  /// Programs do not check accesses, so `warpgroup-check-windows` checks
  /// offsets. Accesses with a mask may exceed a Ref where the mask is false,
  /// and loads where the value may be discarded.
  void visitSlice(grid::SliceRefOp slice) {
    for (unsigned dim : getUnprovedDims(slice, values))
      if (form == BlockForm::Parts || getLastOffset(slice, dim) < 0 ||
          hasMaskedAccess(slice) || exceedsToDiscard(slice, dim))
        return add(slice.getLoc(), "a window may exceed its Ref");
  }

  /// True if the elements of a window inside of its Ref are used where others
  /// may be outside. Products of matrices need a program, whose calls then fail
  /// unless the position is known.
  bool exceedsToDiscard(grid::SliceRefOp slice, unsigned dim) {
    if (slice.getSizes()[dim] == 1 || slice.getResult().use_empty() ||
        !grid::isLoadedToDiscard(slice.getResult()))
      return false;
    unsigned number = llvm::count_if(slice.getStaticOffsets().take_front(dim),
                                     ShapedType::isDynamic);
    Interval range = values.getRange(slice.getOffsets()[number]);
    constexpr int64_t kMost = std::numeric_limits<int32_t>::max();
    bool isKnown = range.low > -kMost && range.high < kMost;
    return isKnown ||
           !kernel.getBodyRegion()
                .walk([](grid::DotOp) { return WalkResult::interrupt(); })
                .wasInterrupted();
  }

  static bool hasMaskedAccess(Value ref) {
    return llvm::any_of(ref.getUsers(), [](Operation *user) {
      if (auto slice = dyn_cast<grid::SliceRefOp>(user))
        return hasMaskedAccess(slice);
      auto access = dyn_cast<grid::RefAccessOpInterface>(user);
      return !access || access.getAccessMask();
    });
  }

  void visitGather(grid::GatherOp gather) {
    for (Value index : gather.getIndices()) {
      auto type = cast<RankedTensorType>(index.getType());
      Type element = type.getElementType();
      if (type.getRank() == 0 ||
          !(element.isInteger(32) || element.isInteger(64)))
        return add(gather.getLoc(), "it gathers at indices of another type "
                                    "than i32 and i64");
    }
  }

  /// Atomic updates, as far as a GPU has them.
  void visitUpdate(grid::AtomicRmwOp update) {
    Type element = getElementTypeOrSelf(update.getType());
    unsigned bits = element.getIntOrFloatBitWidth();
    bool isKnown =
        isa<FloatType>(element)
            ? bits == 16 || bits == 32 ||
                  (bits == 64 && update.getKind() == grid::AtomicKind::Add)
            : bits >= 8;
    if (!isKnown)
      add(update.getLoc(), "it updates memory atomically");
  }

  void visitOp(Operation *op) {
    for (Type type : op->getResultTypes())
      if (auto shaped = dyn_cast<ShapedType>(type);
          shaped && shaped.hasRank() &&
          llvm::is_contained(shaped.getShape(), 0))
        return add(op->getLoc(), "an array has no elements");
    if (auto update = dyn_cast<grid::AtomicRmwOp>(op))
      return visitUpdate(update);
    if (auto slice = dyn_cast<grid::SliceRefOp>(op))
      return visitSlice(slice);
    if (auto constant = dyn_cast<arith::ConstantOp>(op)) {
      if (isa<ElementsAttr>(constant.getValue()) &&
          !isa<SplatElementsAttr>(constant.getValue()))
        add(op->getLoc(), "a constant has several values");
      return;
    }
    if (auto dot = dyn_cast<grid::DotOp>(op)) {
      if (form == BlockForm::Authored &&
          (getUnitSizes(dot, chip) || isOfVector(dot, chip)))
        return;
      MatrixUnit unit = form == BlockForm::Parts ? findUnit(dot, chip)
                                                 : findPreparedUnit(dot, chip);
      if (form == BlockForm::Padded)
        unit = std::max(unit, findPreparedUnit(dot, chip, /*isSwapped=*/true));
      if (unit == MatrixUnit::None &&
          !(form == BlockForm::Padded && canRepeatOperands(dot, chip)))
        add(op->getLoc(), "matrix units do not compute a contraction");
      return;
    }
    if (auto gather = dyn_cast<grid::GatherOp>(op))
      return visitGather(gather);
    for (Type type : op->getResultTypes())
      if (isa<ComplexType>(getElementTypeOrSelf(type)))
        return add(op->getLoc(), "it computes with complex numbers");
    bool isElementwise =
        OpTrait::hasElementwiseMappableTraits(op) &&
        isa_and_nonnull<arith::ArithDialect, math::MathDialect>(
            op->getDialect());
    bool isScalar =
        isa_and_nonnull<arith::ArithDialect, math::MathDialect>(
            op->getDialect()) &&
        llvm::none_of(op->getResultTypes(), llvm::IsaPred<RankedTensorType>);
    if (!isElementwise && !isScalar &&
        !isa<grid::AssertOp, grid::LoadOp, grid::PrintOp, grid::StoreOp,
             grid::ProgramIdOp, grid::NumProgramsOp, grid::YieldOp,
             linalg::BroadcastOp, linalg::FillOp, linalg::GenericOp,
             linalg::IndexOp, linalg::MapOp, linalg::ReduceOp,
             linalg::TransposeOp, linalg::YieldOp, scf::ForOp, scf::IfOp,
             scf::ConditionOp, scf::WhileOp, scf::YieldOp,
             tensor::CollapseShapeOp, tensor::EmptyOp, tensor::ExpandShapeOp,
             tensor::ExtractOp, tensor::ExtractSliceOp, tensor::InsertSliceOp,
             tensor::SplatOp>(op))
      add(op->getLoc(),
          "warpgroups do not compute " + op->getName().getStringRef());
  }

  grid::KernelOp kernel;
  const gpu::Chip &chip;
  BlockForm form;
  grid::ProgramValues values;
  std::optional<Obstacle> obstacle;
};

} // namespace

std::optional<Obstacle> gridir::warpgroup::findObstacle(grid::KernelOp kernel,
                                                        const gpu::Chip &chip,
                                                        BlockForm form) {
  return ObstacleSearch(kernel, chip, form).find();
}

bool gridir::warpgroup::canBecomeProgram(grid::KernelOp kernel,
                                         const gpu::Chip &chip,
                                         BlockForm form) {
  return !kernel->hasAttr(kScheduleAttr) && !gpu::isProgram(kernel) &&
         !findObstacle(kernel, chip, form);
}
