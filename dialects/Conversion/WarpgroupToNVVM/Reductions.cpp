//===- Reductions.cpp - Sums and extremes across threads ------------------===//
//
// Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dialects/Conversion/WarpgroupToNVVM/Structured.h"
#include "dialects/Warpgroup/Inference/RegisterReduction.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;

namespace gridir::warpgroup_to_nvvm {
namespace {

/// A value of at most 32 bits of the thread whose lane differs in one bit.
Value createShuffle(OpBuilder &builder, Location loc, Value value,
                    unsigned bit) {
  Type type = value.getType(), i32 = builder.getI32Type();
  unsigned width = type.getIntOrFloatBitWidth();
  Type bits = builder.getIntegerType(width);
  Value sent = value;
  if (isa<FloatType>(type))
    sent = arith::BitcastOp::create(builder, loc, bits, sent);
  if (width < 32)
    sent = arith::ExtUIOp::create(builder, loc, i32, sent);
  Value got = NVVM::ShflOp::create(
      builder, loc, i32, createI32(builder, loc, -1), sent,
      createI32(builder, loc, 1 << bit), createI32(builder, loc, 31),
      NVVM::ShflKind::bfly, UnitAttr());
  if (width < 32)
    got = arith::TruncIOp::create(builder, loc, bits, got);
  if (isa<FloatType>(type))
    got = arith::BitcastOp::create(builder, loc, type, got);
  return got;
}

class Reduction {
public:
  Reduction(linalg::LinalgOp op, Lowering &lowering)
      : op(op), lowering(lowering), builder(lowering.builder), loc(op.getLoc()),
        numValues(op.getNumDpsInits()), reduction(op, lowering.distributions) {}

  LogicalResult lower() {
    if (reduction.all.getNumRegisters() > warpgroup::kMaxElementsOfThread)
      return refuse("a reduction of an array that threads divide evenly");
    reduceRegisters();
    reduceThreads();
    finish();
    return success();
  }

private:
  void reduceThreads() {
    for (unsigned bit = 0; bit < kNumThreadBits; ++bit)
      if (reduction.isReduced(bit))
        bit < kNumLaneBits ? reduceLanes(bit) : reduceWarps(bit);
  }

  LogicalResult refuse(StringRef expected) {
    return op->emitError("expected ")
           << expected << " on a GPU, got " << op->getName() << " of "
           << op->getOperand(0).getType();
  }

  /// `sum` with `other` added to it, for each of the results.
  void combine(SmallVector<Value> &sum, ArrayRef<Value> other) {
    SmallVector<Value> elements(other);
    llvm::append_range(elements, sum);
    sum = inlineBody(lowering, op, elements, {}, SharedArrays(loc, lowering));
  }

  void reduceRegisters() {
    SmallVector<Registers> inputs;
    for (OpOperand *input : op.getDpsInputOperands())
      inputs.push_back(lowering.redistribute(
          loc, lowering.get(input->get()),
          lowering.getDistribution(input->get()), reduction.all,
          *getMapDims(op.getMatchingIndexingMap(input))));
    sums.resize(reduction.sums.size());
    for (unsigned r = 0; r < reduction.all.getNumRegisters(); ++r) {
      auto elements = llvm::map_to_vector(
          inputs, [&](const Registers &values) { return values[r]; });
      auto known = llvm::find(reduction.sums,
                              reduction.project(reduction.all.registers[r]));
      SmallVector<Value> &sum = sums[known - reduction.sums.begin()];
      if (sum.empty())
        sum = elements;
      else
        combine(sum, elements);
    }
  }

  void reduceLanes(unsigned bit) {
    for (SmallVector<Value> &sum : sums) {
      auto other = llvm::map_to_vector(sum, [&](Value value) {
        return createShuffle(builder, loc, value, bit);
      });
      combine(sum, other);
    }
  }

  /// Exchanges sums with the adjacent warp through shared memory.
  void reduceWarps(unsigned bit) {
    Value thread = lowering.getThread();
    Value other = arith::XOrIOp::create(builder, loc, thread,
                                        createI32(builder, loc, 1 << bit));
    for (size_t first = 0; first < sums.size();
         first += warpgroup::kExchangedSums) {
      size_t count =
          std::min<size_t>(warpgroup::kExchangedSums, sums.size() - first);
      for (unsigned i = 0; i < numValues; ++i) {
        Registers sent, got;
        for (size_t j = 0; j < count; ++j)
          sent.push_back(sums[first + j][i]);
        got = lowering.exchangeThreads(loc, sent, other);
        for (size_t j = 0; j < count; ++j)
          fetched[first + j].push_back(got[j]);
      }
    }
    for (auto [i, sum] : llvm::enumerate(sums))
      combine(sum, fetched[i]);
    fetched.clear();
  }

  /// True if an initial value does not change the sum, except for the sign of a
  /// sum that is 0.
  bool isNeutral(ArrayRef<Value> before) const {
    Operation *combiner = op->getRegion(0).front().getTerminator();
    combiner = combiner->getOperand(0).getDefiningOp();
    return before.size() == 1 && isa_and_nonnull<arith::AddFOp>(combiner) &&
           llvm::hasNItems(*combiner->getBlock(), 2) &&
           matchPattern(before.front(), m_AnyZeroFloat());
  }

  /// Adds the initial values, and distributes the results by their shape.
  void finish() {
    for (auto [i, result] : llvm::enumerate(op->getResults())) {
      int64_t rank = cast<RankedTensorType>(result.getType()).getRank();
      SmallVector<int64_t> same = llvm::to_vector(llvm::seq<int64_t>(0, rank));
      Distribution held = reduction.getHeld(
          cast<RankedTensorType>(result.getType()).getShape());
      if (i == 0) {
        SmallVector<Registers> inits;
        for (Value init : op.getDpsInits())
          inits.push_back(lowering.redistribute(loc, lowering.get(init),
                                                lowering.getDistribution(init),
                                                held, same));
        for (auto [r, sum] : llvm::enumerate(sums)) {
          SmallVector<Value> total;
          for (const Registers &init : inits)
            total.push_back(init[r]);
          if (isNeutral(total))
            continue;
          combine(total, sum);
          sum = total;
        }
      }
      Registers registers = llvm::map_to_vector(
          sums, [&](const SmallVector<Value> &sum) { return sum[i]; });
      lowering.set(result, lowering.redistribute(
                               loc, registers, held,
                               lowering.getDistribution(result), same));
    }
  }

  linalg::LinalgOp op;
  Lowering &lowering;
  OpBuilder &builder;
  Location loc;
  unsigned numValues;
  warpgroup::RegisterReduction reduction;
  /// Each sum of a thread, of each of the results.
  SmallVector<SmallVector<Value>> sums;
  llvm::DenseMap<size_t, SmallVector<Value>> fetched;
};

} // namespace

LogicalResult lowerReduction(linalg::LinalgOp op, Lowering &lowering) {
  if (warpgroup::isReducedInRegisters(op))
    return Reduction(op, lowering).lower();
  return lowerMovedReduction(op, lowering);
}

} // namespace gridir::warpgroup_to_nvvm
