//===- LegalizeKernel.cpp - check what a GPU can run ----------------------===//
//
// Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dialects/GPU/Mapping/Passes.h"
#include "dialects/GPU/Target/GPUTarget.h"
#include "dialects/GPU/Transforms/MappedKernel.h"
#include "dialects/Grid/Analysis/RefNames.h"
#include "dialects/Grid/IR/KernelParams.h"

namespace gridir::gpu {
#define GEN_PASS_DEF_GPULEGALIZEKERNELPASS
#include "dialects/GPU/Mapping/Passes.h.inc"
} // namespace gridir::gpu

using namespace mlir;
using namespace gridir::gpu;
namespace grid = gridir::grid;

namespace {

/// Types that the loops of this path load, compute with and store. An integer
/// of less than a byte is a byte in memory.
bool isSupported(Type type) {
  if (auto integer = dyn_cast<IntegerType>(type))
    return integer.getWidth() <= 64 && llvm::isPowerOf2_32(integer.getWidth());
  return isa<FloatType>(type) && type.getIntOrFloatBitWidth() <= 64;
}

/// Floats of a byte and less, which chips before sm_89 do not know.
bool isSmallFloat(Type type) {
  return isa<FloatType>(type) && type.getIntOrFloatBitWidth() <= 8;
}

class GPULegalizeKernelPass
    : public gridir::gpu::impl::GPULegalizeKernelPassBase<
          GPULegalizeKernelPass> {
public:
  using GPULegalizeKernelPassBase::GPULegalizeKernelPassBase;

  void runOnOperation() override {
    FailureOr<Chip> target = getChip(chip, getOperation().getLoc());
    if (failed(target))
      return signalPassFailure();
    hasSmallFloats = target->hasSmallFloats;
    for (grid::KernelOp kernel : getOperation().getOps<grid::KernelOp>()) {
      // A warpgroup program is checked where it is converted.
      if (isProgram(kernel))
        continue;
      if (failed(checkRefs(kernel)) || failed(checkBody(kernel)) ||
          failed(readParams(kernel)))
        return signalPassFailure();
      ++numKernels;
    }
  }

private:
  InFlightDiagnostic refuse(Location loc, const Twine &what) {
    return emitError(loc) << "expected " << what << " on gpu:" << chip
                          << ", got ";
  }

  /// Fails where the loops of this path cannot hold the elements of `name`.
  LogicalResult checkType(Location loc, Type element, const Twine &name) {
    if (!isSupported(element))
      return refuse(loc, "a type that this path supports for " + name)
             << element;
    if (isSmallFloat(element) && !hasSmallFloats)
      return refuse(loc, "floats of more than a byte for " + name)
             << element << ", which sm_89 and later chips have";
    return success();
  }

  LogicalResult checkRefs(grid::KernelOp kernel) {
    for (unsigned i = 0; i < kernel.getNumOperandSpecs(); ++i) {
      grid::OperandAttr spec = kernel.getOperandSpec(i);
      Type element = spec.getElementType();
      std::string name = kernel.getOperandName(i);
      Location loc = kernel.getBodyBlock()->getArgument(i).getLoc();
      if (isa<grid::SyncTypeInterface>(element))
        return refuse(loc, name + " without semaphores")
               << element << "; this path has no signals";
      if (failed(checkType(loc, element, name)))
        return failure();
      if (llvm::any_of(spec.getArrayShape(), ShapedType::isDynamic))
        return refuse(loc, "a static shape of " + name)
               << "named dimensions; set their sizes with grid-specialize";
      if (!spec.getTransforms().empty())
        return refuse(loc, "blocks of " + name + " without transforms")
               << "transforms";
    }
    for (BlockArgument ref : kernel.getScratchRefs())
      if (failed(checkScratch(ref)))
        return failure();
    WalkResult result = kernel.getBodyRegion().walk([&](grid::ScopedOp scope) {
      for (BlockArgument ref : scope.getBody().front().getArguments())
        if (failed(checkScratch(ref)))
          return WalkResult::interrupt();
      return WalkResult::advance();
    });
    return failure(result.wasInterrupted());
  }

  LogicalResult checkScratch(Value ref) {
    std::string name = grid::getRefName(ref);
    Type element = cast<MemRefType>(ref.getType()).getElementType();
    if (isa<grid::SyncTypeInterface>(element))
      return refuse(ref.getLoc(), name + " without semaphores")
             << element << "; this path has no signals";
    return checkType(ref.getLoc(), element, name);
  }

  LogicalResult checkBody(grid::KernelOp kernel) {
    WalkResult result = kernel.getBodyRegion().walk([&](Operation *op) {
      if (isa<grid::CallbackOp>(op)) {
        refuse(op->getLoc(), "a kernel without Python callbacks")
            << "a callback";
        return WalkResult::interrupt();
      }
      auto program = dyn_cast<grid::ProgramOpInterface>(op);
      if (program && program.needsTask()) {
        refuse(op->getLoc(), "a kernel without asynchronous copies")
            << op->getName();
        return WalkResult::interrupt();
      }
      for (Type type : op->getResultTypes()) {
        Type element = getElementTypeOrSelf(type);
        if (isa<FloatType, IntegerType, ComplexType>(element) &&
            failed(checkType(op->getLoc(), element, "a value")))
          return WalkResult::interrupt();
      }
      return WalkResult::advance();
    });
    return failure(result.wasInterrupted());
  }

  /// Keeps the author's parameters that later passes need.
  LogicalResult readParams(grid::KernelOp kernel) {
    std::optional<int64_t> numWarps, reductionBytes;
    bool approxMath = false;
    if (auto mosaic = grid::getParams<grid::MosaicGpuParamsAttr>(kernel)) {
      if (int64_t space = mosaic.getProfileSpace().value_or(0); space > 0)
        return emitError(kernel.getLoc())
               << "expected a profile_space of 0 on gpu:" << chip << ", got "
               << space << "; no events of warps are recorded";
      if (mosaic.getApproxMath())
        approxMath = mosaic.getApproxMath().getValue();
      reductionBytes = mosaic.getReductionScratchBytes();
    }
    if (auto triton = grid::getParams<grid::TritonParamsAttr>(kernel))
      numWarps = triton.getNumWarps();
    if (numWarps && (*numWarps < 1 || *numWarps > 32))
      return refuse(kernel.getLoc(), "num_warps from 1 to 32") << *numWarps;
    MLIRContext *context = &getContext();
    if (numWarps || approxMath || reductionBytes)
      gridir::kernel::KernelDialect::MappingAttrHelper(context).setAttr(
          getOperation(), gridir::kernel::MappingAttr::get(
                              context, numWarps, approxMath, reductionBytes));
    return success();
  }

  bool hasSmallFloats = false;
};

} // namespace
