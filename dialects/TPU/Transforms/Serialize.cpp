//===- Serialize.cpp - The versioned form of a module ---------------------===//
//
// Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dialects/Grid/IR/DiscardableAttrs.h"
#include "dialects/TPU/IR/StableMosaic.h"
#include "dialects/TPU/IR/TPU.h"
#include "dialects/TPU/Transforms/Passes.h"

#include "mlir/IR/BuiltinOps.h"

namespace gridir::tpu {
#define GEN_PASS_DEF_TPUSERIALIZEPASS
#include "dialects/TPU/Transforms/Passes.h.inc"
} // namespace gridir::tpu

using namespace mlir;
using namespace gridir::tpu;

namespace {

/// The versions that this writer knows, and the first in which copies and
/// signals name a subcore.
constexpr int64_t kOldestVersion = 11, kNewestVersion = 15;
constexpr int64_t kSubcoreVersion = 14;
constexpr int64_t kTransposeHintVersion = 13;

constexpr StringLiteral kSegmentsName = "operandSegmentSizes";

class TPUSerializePass
    : public gridir::tpu::impl::TPUSerializePassBase<TPUSerializePass> {
public:
  using TPUSerializePassBase::TPUSerializePassBase;

  void runOnOperation() override {
    ModuleOp module = getOperation();
    if (version < kOldestVersion || version > kNewestVersion) {
      module.emitError("expected a version from ")
          << kOldestVersion << " to " << kNewestVersion << ", got "
          << version.getValue();
      return signalPassFailure();
    }
    SmallVector<Operation *> ops;
    module.getBody()->walk<WalkOrder::PostOrder>(
        [&](Operation *op) { ops.push_back(op); });
    for (Operation *op : ops)
      if (failed(rename(op)))
        return signalPassFailure();
    // The creator of the call determines the required checks.
    for (NamedAttribute attr : llvm::to_vector(module->getDiscardableAttrs()))
      if (attr.getName() != gridir::grid::kRunTimeChecksAttrName)
        module->removeDiscardableAttr(attr.getName());
    module->setAttr(
        StableMosaicDialect::getVersionName(),
        IntegerAttr::get(IntegerType::get(&getContext(), 64), version));
  }

private:
  LogicalResult rename(Operation *op);
  LogicalResult downgrade(Operation *op, NamedAttrList &attributes);
};

/// Converts an op to an older version of the format.
LogicalResult TPUSerializePass::downgrade(Operation *op,
                                          NamedAttrList &attributes) {
  if (isa<EnqueueDMAOp, SemaphoreSignalOp>(op) && version < kSubcoreVersion) {
    auto segments =
        cast<DenseI32ArrayAttr>(attributes.get(kSegmentsName)).asArrayRef();
    if (segments.back() != 0)
      return op->emitError("expected no subcore in version ")
             << version.getValue() << " of Mosaic's form, got one";
    attributes.set(kSegmentsName,
                   DenseI32ArrayAttr::get(&getContext(), segments.drop_back()));
  }
  if (isa<MatmulOp>(op) && version < kTransposeHintVersion)
    attributes.erase("transpose_lhs_hint");
  return success();
}

LogicalResult TPUSerializePass::rename(Operation *op) {
  NamedAttrList attributes(op->getAttrDictionary());
  if (failed(downgrade(op, attributes)))
    return failure();
  OperationState state(op->getLoc(),
                       StableMosaicDialect::getDialectNamespace().str() + "." +
                           op->getName().getStringRef().str());
  state.addOperands(op->getOperands());
  state.addTypes(op->getResultTypes());
  state.addAttributes(attributes);
  for (Region &region : op->getRegions())
    state.addRegion()->takeBody(region);
  OpBuilder builder(op);
  op->replaceAllUsesWith(builder.create(state));
  op->erase();
  return success();
}

} // namespace
