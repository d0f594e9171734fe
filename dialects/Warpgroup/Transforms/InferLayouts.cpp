//===- InferLayouts.cpp - Layouts of the tensors of a kernel --------------===//
//
// Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dialects/Warpgroup/Transforms/Passes.h"
#include "dialects/Warpgroup/Transforms/Windows.h"

#include "dialects/Grid/IR/Grid.h"
#include "dialects/Warpgroup/IR/RegisterCoordinates.h"
#include "dialects/Warpgroup/Inference/LayoutAssignment.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/Interfaces/DestinationStyleOpInterface.h"

namespace gridir::warpgroup {
#define GEN_PASS_DEF_WARPGROUPINFERLAYOUTSPASS
#include "dialects/Warpgroup/Transforms/Passes.h.inc"
} // namespace gridir::warpgroup

using namespace mlir;
using namespace gridir;
using namespace gridir::warpgroup;

namespace {

/// Writes the layouts to the types, and converts each operand to the layout of
/// its user.
class Relayouts {
public:
  Relayouts(const LayoutAssignment &assignment, bool sharedMemory)
      : assignment(assignment), sharedMemory(sharedMemory) {}

  LogicalResult run() {
    ArrayRef<LayoutFrame> frames = assignment.getFrames();
    for (auto [index, frame] : llvm::enumerate(frames))
      for (const LayoutFrame::Part &part : frame.parts)
        if (part.value && !frame.isRepeatable) {
          if (failed(setLayout(part.value, assignment.getLayout(index, part))))
            return failure();
          ++numTensors;
        }
    for (auto [index, frame] : llvm::enumerate(frames))
      for (const LayoutFrame::Part &part : frame.parts)
        if (part.operand && !frame.isRepeatable &&
            failed(setOperand(part, assignment.getLayout(index, part))))
          return failure();
    // Erase ops that were recomputed for all of their users.
    for (const LayoutFrame &frame : llvm::reverse(frames))
      if (frame.isRepeatable && frame.op->use_empty())
        frame.op->erase();
    return success();
  }

  int64_t numTensors = 0, numRelayouts = 0, numInstructions = 0;

private:
  /// Fails if no thread can hold its elements.
  static FailureOr<RankedTensorType>
  getType(Location loc, RankedTensorType type, LayoutAttr layout) {
    if (failed(layout.verifyEncoding(type.getShape(), type.getElementType(),
                                     [&] { return emitError(loc); })))
      return failure();
    return type.cloneWithEncoding(layout);
  }

  static LogicalResult setLayout(Value value, LayoutAttr layout) {
    FailureOr<RankedTensorType> type = getType(
        value.getLoc(), cast<RankedTensorType>(value.getType()), layout);
    if (failed(type))
      return failure();
    value.setType(*type);
    return success();
  }

  /// The op once more, in another layout.
  Value repeat(Value value, RankedTensorType type) {
    Value &result = made[{value, type}];
    if (result)
      return result;
    Operation *op = value.getDefiningOp();
    OpBuilder builder(op);
    IRMapping mapping;
    if (auto inits = dyn_cast<DestinationStyleOpInterface>(op))
      for (Value init : inits.getDpsInits())
        mapping.map(init, makeEmpty(builder, op->getLoc(), type));
    Operation *copy = builder.clone(*op, mapping);
    if (auto constant = dyn_cast<arith::ConstantOp>(copy))
      if (auto elements = dyn_cast<DenseElementsAttr>(constant.getValue()))
        constant.setValueAttr(elements.reshape(type));
    result = copy->getResult(cast<OpResult>(value).getResultNumber());
    result.setType(type);
    return result;
  }

  static Value makeEmpty(OpBuilder &builder, Location loc,
                         RankedTensorType type) {
    return tensor::EmptyOp::create(builder, loc, type, ValueRange());
  }

  LogicalResult setOperand(const LayoutFrame::Part &part, LayoutAttr layout) {
    Value value = part.operand->get();
    FailureOr<RankedTensorType> known =
        getType(value.getLoc(), part.getType(), layout);
    if (failed(known))
      return failure();
    RankedTensorType type = *known;
    OpBuilder builder(part.operand->getOwner());
    if (part.isUnread) {
      part.operand->set(makeEmpty(builder, value.getLoc(), type));
      return success();
    }
    if (assignment.getFrames()[assignment.getDefiningFrame(value)]
            .isRepeatable) {
      part.operand->set(repeat(value, type));
      return success();
    }
    if (value.getType() == type)
      return success();
    FailureOr<Value> relaid = relayout(value, type, part.operand->getOwner());
    if (failed(relaid))
      return failure();
    part.operand->set(*relaid);
    return success();
  }

  /// Insert at the definition of the value, so that a loop does not repeat the
  /// conversion.
  FailureOr<Value> relayout(Value value, RankedTensorType type,
                            Operation *user) {
    Value &result = made[{value, type}];
    if (result)
      return result;
    auto from = cast<RankedTensorType>(value.getType());
    unsigned bits = type.getElementType().isIntOrFloat()
                        ? type.getElementTypeBitWidth()
                        : 64;
    std::optional<Conversion> plan = planConversion(
        *getLayout(from), *getLayout(type), type.getShape(), bits);
    bool isShared =
        plan && plan->kind == Conversion::Kind::SharedMemory && !sharedMemory;
    if (!plan || isShared) {
      // Ops must not be printed while their types are incomplete.
      InFlightDiagnostic error =
          emitError(user->getLoc(),
                    "expected an operand that can be converted to the layout ")
          << type.getEncoding() << (isShared ? " without shared memory" : "")
          << ", got " << from;
      error.attachNote(value.getLoc()) << "which is made here";
      return failure();
    }
    OpBuilder builder(value.getContext());
    builder.setInsertionPointAfterValue(value);
    auto op = RelayoutOp::create(builder, value.getLoc(), type, value);
    const ConversionCost &cost = plan->cost;
    InFlightDiagnostic remark = emitRemark(op.getLoc(), "relayout by ")
                                << stringify(plan->kind) << " of " << from
                                << " to " << type.getEncoding() << " for "
                                << user->getName() << ", "
                                << cost.getInstructions() << " instructions";
    if (cost.conflicts)
      remark << " and " << cost.conflicts << " bank conflicts";
    ++numRelayouts;
    numInstructions += cost.getInstructions();
    return result = op.getResult();
  }

  const LayoutAssignment &assignment;
  bool sharedMemory;
  DenseMap<std::pair<Value, Type>, Value> made;
};

class WarpgroupInferLayoutsPass
    : public gridir::warpgroup::impl::WarpgroupInferLayoutsPassBase<
          WarpgroupInferLayoutsPass> {
public:
  using WarpgroupInferLayoutsPassBase::WarpgroupInferLayoutsPassBase;

  void runOnOperation() override {
    LogicalResult result = success();
    getOperation().walk([&](grid::KernelOp kernel) {
      if (succeeded(result) && !kernel->hasAttr(kMappedAttr))
        result = inferLayouts(kernel);
    });
    if (failed(result))
      signalPassFailure();
  }

private:
  LogicalResult inferLayouts(grid::KernelOp kernel) {
    rewriteWindows(kernel.getBodyRegion());
    LayoutAssignment assignment;
    if (failed(assignment.collect(kernel.getBodyRegion())))
      return failure();
    assignment.solve();
    Relayouts relayouts(assignment, sharedMemory);
    LogicalResult result = relayouts.run();
    numTensors += relayouts.numTensors;
    numRelayouts += relayouts.numRelayouts;
    numInstructions += relayouts.numInstructions;
    return result;
  }
};

} // namespace
