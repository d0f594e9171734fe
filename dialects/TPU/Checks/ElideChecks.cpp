//===- ElideChecks.cpp - Run-time checks that a proof makes needless ------===//
//
// Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dialects/Grid/IR/DiscardableAttrs.h"
#include "dialects/Grid/IR/Grid.h"
#include "dialects/TPU/Checks/ModuleProof.h"
#include "dialects/TPU/Checks/Passes.h"
#include "dialects/TPU/IR/IndexedAccess.h"
#include "dialects/TPU/Transforms/GridRanges.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlow.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/IR/Remarks.h"
#include "mlir/Interfaces/ViewLikeInterface.h"
#include "llvm/Support/FormatVariadic.h"

namespace gridir::tpu {
#define GEN_PASS_DEF_TPUELIDECHECKSPASS
#include "dialects/TPU/Checks/Passes.h.inc"
} // namespace gridir::tpu

using namespace mlir;
using namespace gridir;
using tpu::AddedChecks;
using tpu::ModuleProof;
using tpu::Reason;

namespace {

/// The function of a module that is a kernel for a TensorCore, which has these
/// checks; null for none.
func::FuncOp findKernel(ModuleOp module) {
  func::FuncOp kernel;
  for (auto function : module.getOps<func::FuncOp>()) {
    auto core = function->getAttrOfType<tpu::CoreTypeAttr>(tpu::kCoreTypeName);
    if (core && core.getValue() == tpu::CoreType::Tc)
      kernel = function;
  }
  return kernel;
}

/// True if a memref is a part of a slice with a dynamic offset.
bool isSlicedDynamically(Value memref) {
  while (Operation *op = memref.getDefiningOp()) {
    std::optional<tpu::IndexedAccess> access = tpu::getIndexedAccess(op);
    if (access && !llvm::all_of(access->indices, [](Value index) {
          return getConstantIntValue(index).has_value();
        }))
      return true;
    if (!isa<ViewLikeOpInterface>(op))
      return false;
    memref = cast<ViewLikeOpInterface>(op).getViewSource();
  }
  return false;
}

/// True if a memref is not in the core's own memories.
bool isOutsideOfCore(Value memref) {
  std::optional<tpu::MemorySpace> space =
      tpu::getMemorySpace(cast<MemRefType>(memref.getType()));
  return space == tpu::MemorySpace::Any || space == tpu::MemorySpace::Hbm;
}

/// About how many bundles checks take on a v5e, in halves; later chips take
/// about as many for ours and up to twice as many for Mosaic's.
enum Cost {
  AssertionCost = 5,
  JoinedCost = 1,
  ClampCost = 3,
  WindowCost = 16,
  CopyCost = 12
};

/// The cost of the checks that Mosaic adds to a kernel: of each copy of a block
/// or a slice that moves. It adds none to loads and stores, and none that take
/// bundles to copies within HBM.
unsigned estimateMosaicsChecks(func::FuncOp kernel) {
  unsigned cost = 0;
  for (func::FuncOp transform : tpu::getTransforms(kernel))
    if (transform &&
        !llvm::all_of(
            transform.getBody().front().getTerminator()->getOperands(),
            [](Value index) { return getConstantIntValue(index).has_value(); }))
      cost += WindowCost;
  kernel.walk([&](tpu::EnqueueDMAOp op) {
    if (isOutsideOfCore(op.getSource()) && isOutsideOfCore(op.getTarget()))
      return;
    if (isSlicedDynamically(op.getSource()) ||
        isSlicedDynamically(op.getTarget()))
      cost += CopyCost;
  });
  return cost;
}

unsigned estimate(const AddedChecks &added) {
  return added.numAssertions * AssertionCost + added.numJoined * JoinedCost +
         added.numClamps * ClampCost;
}

class TPUElideChecksPass
    : public tpu::impl::TPUElideChecksPassBase<TPUElideChecksPass> {
public:
  using TPUElideChecksPassBase::TPUElideChecksPassBase;

  LogicalResult initialize(MLIRContext *context) override {
    patterns = std::make_shared<tpu_to_grid::RaisingPatterns>(context);
    return success();
  }

  void runOnOperation() override {
    ModuleOp module = getOperation();
    func::FuncOp kernel = findKernel(module);
    if (!kernel)
      return;
    // Checks that the author disabled are not considered.
    NamedAttrList checks(
        module->getAttrOfType<DictionaryAttr>(grid::kRunTimeChecksAttrName));
    bool asksSemaphores = !checks.get("semaphore"),
         asksBounds = !checks.get("bounds");
    if (!asksSemaphores && !asksBounds)
      return;
    ModuleProof proof = tpu::proveModule(kernel, *patterns);
    if (asksSemaphores)
      checks.set("semaphore", describe(kernel, "semaphore", proof.semaphores));
    if (asksBounds)
      checks.set("bounds", proof.openIndices.empty()
                               ? describe(kernel, "bounds", proof.bounds)
                               : replaceChecks(kernel, proof));
    module->setAttr(grid::kRunTimeChecksAttrName,
                    checks.getDictionary(&getContext()));
  }

private:
  std::shared_ptr<const tpu_to_grid::RaisingPatterns> patterns;

  /// Adds assertions for unproved properties, and removes them if Mosaic's
  /// checks are cheaper.
  Attribute replaceChecks(func::FuncOp kernel, const ModuleProof &proof) {
    ModuleOp module = getOperation();
    unsigned mosaics = estimateMosaicsChecks(kernel);
    OwningOpRef<ModuleOp> before = module.clone();
    FailureOr<AddedChecks> added = tpu::addChecks(
        kernel, proof.openIndices, proof.memrefs, proof.windows,
        [&](const AddedChecks &checks) { return estimate(checks) < mosaics; });
    if (failed(added)) {
      Attribute kept = describe(kernel, "bounds", proof.bounds);
      module.getBodyRegion().takeBody(before->getBodyRegion());
      return kept;
    }
    ++numReplaced;
    auto opts = remark::RemarkOpts::name("bounds").category(getArgument());
    remark::passed(kernel.getLoc(), opts)
        << llvm::formatv("the bounds checks are disabled: the kernel asserts "
                         "the unproved conditions, at {0} places",
                         added->numAssertions)
               .str();
    return Builder(&getContext())
        .getStrArrayAttr(llvm::to_vector_of<StringRef>(added->messages));
  }

  Attribute describe(func::FuncOp kernel, StringRef check,
                     const Reason &reason) {
    auto opts = remark::RemarkOpts::name(check).category(getArgument());
    if (!reason) {
      ++numElided;
      remark::passed(kernel.getLoc(), opts)
          << ("the " + check + " checks are disabled: they cannot fail").str();
      return UnitAttr::get(&getContext());
    }
    ++numKept;
    remark::missed(reason->second, opts)
        << ("the " + check + " checks stay: " + reason->first).str();
    return StringAttr::get(&getContext(), reason->first);
  }
};

} // namespace
