//===- Support.cpp - What dialects/Support knows of ops -------------------===//
//
// Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dialects/Test/Transforms/Passes.h"

#include "dialects/Support/CarriedRanges.h"
#include "dialects/Support/Divisors.h"
#include "dialects/Support/MemoryAccesses.h"
#include "dialects/Support/NeutralElement.h"
#include "dialects/Support/StepDistance.h"
#include "dialects/Support/TensorParts.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/IR/Builders.h"

namespace gridir::test {
#define GEN_PASS_DEF_TESTSUPPORTPASS
#include "dialects/Test/Transforms/Passes.h.inc"
} // namespace gridir::test

using namespace mlir;
using namespace gridir;

namespace {

/// The range of an integer, from the ops that compute it.
Interval getRange(Value value) {
  if (std::optional<int64_t> constant = getConstantIntValue(value))
    return Interval::constant(*constant);
  if (std::optional<Interval> step = inferInductionRange(value, getRange))
    return *step;
  if (auto loop = dyn_cast<scf::ForOp>(value.getParentBlock()->getParentOp());
      loop && isa<BlockArgument>(value) && value != loop.getInductionVar())
    return inferCarriedRanges(
        loop, getRange)[cast<BlockArgument>(value).getArgNumber() - 1];
  Operation *op = value.getDefiningOp();
  if (!op)
    return getTypeRange(value.getType());
  return inferRange(op, llvm::map_to_vector(op->getOperands(), getRange),
                    Overflow::Wraps);
}

/// An access as "read of operand 0"; no operand is memory without a name.
std::string describe(const MemoryAccess &access) {
  std::string text = access.reads ? "read" : "";
  if (access.writes)
    text += access.reads ? " and write" : "write";
  for (OpOperand &operand : access.op->getOpOperands())
    if (operand.get() == access.memref)
      return text + " of operand " + std::to_string(operand.getOperandNumber());
  return text + " of any memory";
}

class TestSupportPass
    : public test::impl::TestSupportPassBase<TestSupportPass> {
public:
  using TestSupportPassBase::TestSupportPassBase;

  void runOnOperation() override {
    // An attribute must not change the facts about a later op.
    SmallVector<std::pair<Operation *, NamedAttrList>> facts;
    getOperation().walk([&](Operation *op) {
      if (!op->hasTrait<OpTrait::IsIsolatedFromAbove>())
        facts.emplace_back(op, collect(op));
    });
    for (auto &[op, attributes] : facts)
      for (NamedAttribute attribute : attributes)
        op->setAttr(attribute.getName(), attribute.getValue());
  }

private:
  NamedAttrList collect(Operation *op) {
    Builder builder(&getContext());
    NamedAttrList facts;
    if (op->getNumResults() == 1 && op->getResult(0).getType().isIntOrIndex()) {
      Interval range = getRange(op->getResult(0));
      facts.set("test.range",
                builder.getDenseI64ArrayAttr({range.low, range.high}));
      if (!op->getResult(0).getType().isInteger(1))
        facts.set("test.divisor",
                  builder.getI64IntegerAttr(getDivisor(op->getResult(0))));
      auto loop = op->getParentOfType<scf::ForOp>();
      std::optional<int64_t> distance =
          loop ? getStepDistance(op->getResult(0), loop) : std::nullopt;
      if (distance)
        facts.set("test.step_distance", builder.getI64IntegerAttr(*distance));
    }
    if (std::optional<TypedAttr> neutral = getNeutralElement(op))
      facts.set("test.neutral", *neutral);
    if (FailureOr<SmallVector<PartOperand>> parts = getPartOperands(op);
        succeeded(parts))
      facts.set("test.parts",
                builder.getArrayAttr(llvm::map_to_vector(
                    *parts, [&](const PartOperand &part) -> Attribute {
                      return builder.getDenseI64ArrayAttr(part.dims);
                    })));
    if (SmallVector<MemoryAccess> accesses = getAccesses(op); !accesses.empty())
      facts.set("test.accesses",
                builder.getArrayAttr(llvm::map_to_vector(
                    accesses, [&](const MemoryAccess &access) -> Attribute {
                      return builder.getStringAttr(describe(access));
                    })));
    return facts;
  }
};

} // namespace
