//===- PlanMemory.cpp - Count the bytes of every memory space -------------===//
//
// Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dialects/Grid/Transforms/Passes.h"

#include "dialects/Grid/Analysis/BlockAccess.h"
#include "dialects/Grid/Target/Target.h"
#include "mlir/IR/Remarks.h"
#include "llvm/Support/MathExtras.h"

namespace gridir::grid {
#define GEN_PASS_DEF_GRIDPLANMEMORYPASS
#include "dialects/Grid/Transforms/Passes.h.inc"
} // namespace gridir::grid

using namespace mlir;
using namespace gridir::grid;

namespace {

class MemoryPlanner {
public:
  MemoryPlanner(BlockAccess &access, const Target &target)
      : kernel(access.getKernel()), target(target), access(access) {}

  void plan() {
    for (unsigned i = 0, e = kernel.getNumOperandSpecs(); i < e; ++i) {
      operands.push_back(planOperand(i));
      if (operands.back().getBuffers())
        spaces[operands.back().getSpace().str()] += operands.back().getBytes();
    }
    for (BlockArgument ref : kernel.getScratchRefs())
      addRef(ref, spaces);
    for (auto [space, bytes] : getScopedPeak(kernel.getBodyRegion()))
      spaces[space] += bytes;
  }

  ArrayRef<OperandMemoryAttr> getOperands() const { return operands; }
  const SpaceBytes &getSpaces() const { return spaces; }
  std::optional<int64_t> getNumSteps() { return getNumSteps(kernel.getRank()); }

private:
  OperandMemoryAttr planOperand(unsigned operand) {
    OperandAttr spec = kernel.getOperandSpec(operand);
    bool isIndex = operand < kernel.getNumIndexOperands();
    StringRef space = getName(spec.getSpace(), isIndex);
    int64_t blockBytes =
        target.getHeldBytes(spec.getBlockShape(), spec.getArrayShape(),
                            spec.getElementType(), space);
    MLIRContext *context = kernel.getContext();
    return OperandMemoryAttr::get(
        context, StringAttr::get(context, kernel.getOperandName(operand)),
        StringAttr::get(context, space), blockBytes, getNumBuffers(operand),
        getNumFetches(operand));
  }

  /// The name of a space; the target's own for a Ref without a space.
  StringRef getName(MemorySpaceAttrInterface space, bool isIndexOperand) {
    return isDefaultSpace(space) ? target.getDefaultSpace(isIndexOperand)
                                 : space.getSpaceName();
  }

  int64_t getNumBuffers(unsigned operand) {
    OperandAttr spec = kernel.getOperandSpec(operand);
    if (target.usesBlocksInPlace()) {
      bool isIndex = operand < kernel.getNumIndexOperands();
      for (unsigned dim = 0; !isIndex && dim < spec.getRank(); ++dim)
        if (access.overhangs(operand, dim).kind != QueryResult::no)
          return 1;
      return 0;
    }
    if (spec.getSpace().isOutsideOfCores())
      return 0;
    if (spec.getPipeline())
      return spec.getPipeline().getNumBlocks();
    return getInnermostIndexedDim(operand) ? 2 : 1;
  }

  bool isTrivial(unsigned dim) {
    int64_t size = kernel.getGridShape()[dim];
    return !ShapedType::isDynamic(size) && size <= 1;
  }

  std::optional<unsigned> getInnermostIndexedDim(unsigned operand) {
    for (unsigned dim = kernel.getRank(); dim-- > 0;)
      if (!isTrivial(dim) && access.isIndexedBy(operand, dim))
        return dim;
    return std::nullopt;
  }

  /// The number of steps of the outermost `rank` grid dimensions.
  std::optional<int64_t> getNumSteps(unsigned rank) {
    uint64_t steps = 1;
    for (int64_t size : kernel.getGridShape()) {
      if (rank-- == 0)
        break;
      if (ShapedType::isDynamic(size))
        return std::nullopt;
      steps = llvm::SaturatingMultiply<uint64_t>(steps, size);
    }
    return std::min<uint64_t>(steps, std::numeric_limits<int64_t>::max());
  }

  /// In row-major order a block changes no more often than the innermost
  /// program id that its index map reads.
  std::optional<int64_t> getNumFetches(unsigned operand) {
    std::optional<unsigned> innermost = getInnermostIndexedDim(operand);
    return innermost ? getNumSteps(*innermost + 1) : std::optional<int64_t>(1);
  }

  void addRef(Value ref, SpaceBytes &bytes) {
    auto type = cast<MemRefType>(ref.getType());
    StringRef space = getName(getSpace(type), /*isIndexOperand=*/false);
    bytes[space.str()] += target.getHeldBytes(type.getShape(), type.getShape(),
                                              type.getElementType(), space);
  }

  /// Returns the maximum memory of the `grid.scoped` ops of a region.
  /// Consecutive scopes share memory; nested scopes do not.
  SpaceBytes getScopedPeak(Region &region) {
    SpaceBytes peak;
    for (Operation &op : region.getOps()) {
      for (Region &inner : op.getRegions()) {
        SpaceBytes bytes = getScopedPeak(inner);
        if (isa<ScopedOp>(op))
          for (BlockArgument ref : inner.getArguments())
            addRef(ref, bytes);
        for (auto [space, size] : bytes)
          peak[space] = std::max(peak[space], size);
      }
    }
    return peak;
  }

  KernelOp kernel;
  const Target &target;
  BlockAccess &access;
  SmallVector<OperandMemoryAttr> operands;
  SpaceBytes spaces;
};

class GridPlanMemoryPass
    : public gridir::grid::impl::GridPlanMemoryPassBase<GridPlanMemoryPass> {
public:
  using GridPlanMemoryPassBase::GridPlanMemoryPassBase;

  void runOnOperation() override {
    KernelOp kernel = getOperation();
    const Target *chosen = findTarget(target, kernel, getArgument());
    SpaceBytes capacities;
    if (!chosen || failed(readCapacities(*chosen, kernel, capacities)))
      return signalPassFailure();

    MemoryPlanner planner(getAnalysis<BlockAccess>(), *chosen);
    planner.plan();
    for (const auto &[space, bytes] : planner.getSpaces()) {
      numBytes += bytes;
      remark::analysis(
          kernel.getLoc(),
          remark::RemarkOpts::name("memory").category(getArgument()))
          << (kernel.getSymName() + " holds " + Twine(bytes) + " bytes of " +
              space)
                 .str();
      auto capacity = capacities.find(space);
      if (capacity != capacities.end() && bytes > capacity->second) {
        reportOverflow(kernel, planner, space, bytes, capacity->second);
        return signalPassFailure();
      }
    }
    attachPlan(kernel, planner);
    markAnalysesPreserved<BlockAccess>();
  }

private:
  /// Reads the option, or the target's value.
  LogicalResult readCapacities(const Target &chosen, KernelOp kernel,
                               SpaceBytes &capacities) {
    capacities = chosen.getCapacities(kernel);
    for (StringRef entry : capacity) {
      auto [name, number] = entry.split(':');
      // The dialect that has the space need not be loaded.
      bool isSpace = symbolizeMemorySpace(name) || name.contains('.');
      int64_t bytes = 0;
      if (!isSpace || number.getAsInteger(10, bytes) || bytes < 0)
        return kernel.emitError()
               << "expected a capacity like tpu.vmem:16777216, got " << entry;
      capacities[name.str()] = bytes;
    }
    return success();
  }

  void reportOverflow(KernelOp kernel, MemoryPlanner &planner, StringRef space,
                      int64_t bytes, int64_t capacity) {
    InFlightDiagnostic diagnostic =
        kernel.emitError() << "expected " << kernel.getSymName()
                           << " to hold at most " << capacity << " bytes of "
                           << space << ", got " << bytes << ", "
                           << bytes - capacity << " too many";
    unsigned heaviest = 0;
    ArrayRef<OperandMemoryAttr> operands = planner.getOperands();
    auto weigh = [&](unsigned i) {
      return operands[i].getSpace() == space ? operands[i].getBytes() : 0;
    };
    for (unsigned i = 0; i < operands.size(); ++i)
      if (weigh(i) > weigh(heaviest))
        heaviest = i;
    if (operands.empty() || weigh(heaviest) == 0)
      return;
    diagnostic.attachNote(kernel.getBodyBlock()->getArgument(heaviest).getLoc())
        << operands[heaviest].getName().getValue()
        << " weighs most: " << operands[heaviest].getBuffers() << " buffers of "
        << operands[heaviest].getBlockBytes() << " bytes";
  }

  void attachPlan(KernelOp kernel, MemoryPlanner &planner) {
    SmallVector<SpaceMemoryAttr> spaces;
    for (const auto &[space, bytes] : planner.getSpaces())
      spaces.push_back(SpaceMemoryAttr::get(
          &getContext(), StringAttr::get(&getContext(), space), bytes));
    std::optional<int64_t> steps = planner.getNumSteps();
    for (OperandMemoryAttr operand : planner.getOperands()) {
      numBuffers += operand.getBuffers();
      if (operand.getFetches() && steps)
        numRevisits += *steps - *operand.getFetches();
    }
    kernel->setAttr(kMemoryPlanAttrName,
                    MemoryPlanAttr::get(&getContext(),
                                        StringAttr::get(&getContext(), target),
                                        planner.getOperands(), spaces));
  }
};

} // namespace
