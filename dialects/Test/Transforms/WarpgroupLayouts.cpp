//===- WarpgroupLayouts.cpp - What is known of layouts --------------------===//
//
// Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dialects/Test/Transforms/Passes.h"

#include "dialects/Warpgroup/IR/RegisterCoordinates.h"
#include "dialects/Warpgroup/IR/Warpgroup.h"
#include "dialects/Warpgroup/Layout/Conversion.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/Builders.h"

namespace gridir::test {
#define GEN_PASS_DEF_TESTWARPGROUPLAYOUTSPASS
#include "dialects/Test/Transforms/Passes.h.inc"
} // namespace gridir::test

using namespace mlir;
using namespace gridir::warpgroup;

namespace {

/// Runs straight code that computes constants of its argument.
class Evaluator {
public:
  explicit Evaluator(Block &block) : block(block) {}

  void run(int64_t argument) {
    Builder builder(block.getParentOp()->getContext());
    known[block.getArgument(0)] = builder.getIndexAttr(argument);
    for (Operation &op : block) {
      SmallVector<Attribute> operands;
      for (Value operand : op.getOperands())
        operands.push_back(known.at(operand));
      SmallVector<OpFoldResult> results;
      if (failed(op.fold(operands, results)))
        continue;
      for (auto [result, folded] : llvm::zip(op.getResults(), results)) {
        auto attr = dyn_cast<Attribute>(folded);
        // A copy: the map may grow, and move its elements.
        Attribute value = attr ? attr : known.at(cast<Value>(folded));
        known[result] = value;
      }
    }
  }

  int64_t get(OpFoldResult value) const {
    auto attr = dyn_cast<Attribute>(value);
    return cast<IntegerAttr>(attr ? attr : known.at(cast<Value>(value)))
        .getInt();
  }

private:
  Block &block;
  DenseMap<Value, Attribute> known;
};

DenseElementsAttr tabulate(RankedTensorType type,
                           function_ref<int64_t(int64_t, unsigned)> get) {
  Builder builder(type.getContext());
  SmallVector<int64_t> numbers;
  int64_t numRegisters = getNumRegisters(type);
  for (unsigned thread = 0; thread < kNumThreads; ++thread)
    for (int64_t reg = 0; reg < numRegisters; ++reg)
      numbers.push_back(get(reg, thread));
  return DenseElementsAttr::get(
      RankedTensorType::get({kNumThreads, numRegisters}, builder.getI64Type()),
      ArrayRef(numbers));
}

/// The same table by the IR that computes coordinates.
DenseElementsAttr tabulateCoordinates(RankedTensorType type) {
  Location loc = UnknownLoc::get(type.getContext());
  OwningOpRef<ModuleOp> scratch = ModuleOp::create(loc);
  auto builder = OpBuilder::atBlockBegin(scratch->getBody());
  auto function =
      func::FuncOp::create(builder, loc, "coordinates",
                           builder.getFunctionType(builder.getIndexType(), {}));
  Block *block = function.addEntryBlock();
  builder.setInsertionPointToStart(block);
  RegisterCoordinates elements(builder, loc, type, block->getArgument(0));
  SmallVector<SmallVector<OpFoldResult>> coordinates;
  for (int64_t reg = 0, e = getNumRegisters(type); reg < e; ++reg)
    coordinates.push_back(elements.getCoordinates(builder, loc, reg));
  std::optional<unsigned> ran;
  Evaluator evaluator(*block);
  return tabulate(type, [&](int64_t reg, unsigned thread) {
    if (ran != thread)
      evaluator.run(thread);
    ran = thread;
    Coordinates at;
    for (OpFoldResult coordinate : coordinates[reg])
      at.push_back(evaluator.get(coordinate));
    return linearize(at, type.getShape());
  });
}

/// Reports the properties of one layout of a function.
class Report {
public:
  explicit Report(func::FuncOp function)
      : function(function), builder(function.getContext()) {}

  void set(const Twine &name, Attribute attr) {
    function->setAttr(("test." + name).str(), attr);
  }
  void set(const Twine &name, int64_t number) {
    set(name, builder.getI64IntegerAttr(number));
  }
  void set(const Twine &name, ArrayRef<int64_t> numbers) {
    set(name, builder.getDenseI64ArrayAttr(numbers));
  }
  void set(const Twine &name, ArrayRef<uint64_t> bits) {
    SmallVector<int64_t> numbers(bits.begin(), bits.end());
    set(name, ArrayRef<int64_t>(numbers));
  }

  void describe(const Twine &prefix, RankedTensorType type) {
    Layout layout = *getLayout(type);
    ArrayRef<int64_t> shape = type.getShape();
    set(prefix + "elements", tabulate(type, [&](int64_t reg, unsigned thread) {
          return layout.getElement(shape, reg, thread);
        }));
    set(prefix + "computed_elements", tabulateCoordinates(type));
    set(prefix + "padded", int64_t(layout.isPadded(shape)));
    set(prefix + "vector", layout.getVectorLength(shape));
    set(prefix + "replication", layout.getReplication());
    set(prefix + "replicated_bits",
        static_cast<int64_t>(layout.getReplicatedBits()));
    SmallVector<int64_t> holders;
    for (int64_t element = 0, e = getNumElements(shape); element < e;
         ++element) {
      Layout::Holder holder = layout.getHolder(shape, element);
      holders.push_back(holder.reg * kNumThreads + holder.thread);
    }
    set(prefix + "holders", ArrayRef<int64_t>(holders));
  }

  /// A layout of an array of another shape, and where its registers are.
  void describeResult(RankedTensorType source, ArrayRef<int64_t> shape,
                      std::optional<Layout> layout,
                      function_ref<int64_t(int64_t)> toSource) {
    if (!layout) {
      set("result", builder.getUnitAttr());
      return;
    }
    auto type = withLayout(
        RankedTensorType::get(shape, source.getElementType()), *layout);
    set("result", TypeAttr::get(type));
    describe("result_", type);
    if (auto registers =
            toSource ? findRegisters(*getLayout(source), source.getShape(),
                                     *layout, shape, toSource)
                     : std::nullopt)
      set("registers", ArrayRef<int64_t>(*registers));
  }

  void describe(const Conversion &plan) {
    set("kind", builder.getStringAttr(stringify(plan.kind)));
    set("registers", ArrayRef<int64_t>(plan.registers));
    set("send", ArrayRef<uint64_t>(plan.send.masks));
    set("receive", ArrayRef<uint64_t>(plan.receive.masks));
    set("lanes", plan.lanes.getColumns());
    SmallVector<int64_t> offsets, sources, receivers;
    for (const ShuffleRound &round : plan.rounds) {
      offsets.push_back(round.laneOffset);
      llvm::append_range(sources, round.sources);
    }
    for (ArrayRef<int64_t> rounds : plan.receivers)
      llvm::append_range(receivers, rounds);
    set("offsets", ArrayRef<int64_t>(offsets));
    set("sources", ArrayRef<int64_t>(sources));
    set("receivers", ArrayRef<int64_t>(receivers));
    set("swizzle", ArrayRef<int64_t>({plan.swizzle.from, plan.swizzle.to,
                                      plan.swizzle.numBits}));
    set("vectors", ArrayRef<int64_t>({plan.storeVector, plan.loadVector}));
    const ConversionCost &cost = plan.cost;
    set("cost",
        ArrayRef<int64_t>({cost.selects, cost.shuffles, cost.packs, cost.stores,
                           cost.loads, cost.barriers, cost.conflicts}));
  }

private:
  func::FuncOp function;
  Builder builder;
};

std::optional<ArrayRef<int64_t>> getNumbers(func::FuncOp function,
                                            StringRef name) {
  auto attr = function->getAttrOfType<DenseI64ArrayAttr>(name);
  return attr ? std::optional(attr.asArrayRef()) : std::nullopt;
}

class TestWarpgroupLayoutsPass
    : public gridir::test::impl::TestWarpgroupLayoutsPassBase<
          TestWarpgroupLayoutsPass> {
public:
  using TestWarpgroupLayoutsPassBase::TestWarpgroupLayoutsPassBase;

  void getDependentDialects(DialectRegistry &registry) const override {
    registry.insert<arith::ArithDialect>();
  }

  void runOnOperation() override {
    for (auto function : getOperation().getOps<func::FuncOp>())
      describe(function);
  }

private:
  void describe(func::FuncOp function) {
    ArrayRef<Type> types = function.getArgumentTypes();
    if (types.empty() || !llvm::all_of(types, getLayout))
      return;
    Report report(function);
    auto type = cast<RankedTensorType>(types.front());
    Layout layout = *getLayout(type);
    ArrayRef<int64_t> shape = type.getShape();
    report.describe("", type);
    auto same = [](int64_t element) { return element; };
    if (auto permutation = getNumbers(function, "test.transpose")) {
      SmallVector<int64_t> to;
      for (int64_t dim : *permutation)
        to.push_back(shape[dim]);
      report.describeResult(
          type, to, layout.transpose(*permutation, shape),
          [&](int64_t element) {
            Coordinates at = delinearize(element, to), moved(to.size());
            for (auto [index, dim] : llvm::zip_equal(at, *permutation))
              moved[dim] = index;
            return linearize(moved, shape);
          });
    }
    if (auto dims = getNumbers(function, "test.drop")) {
      SmallVector<int64_t> to;
      for (auto [dim, size] : llvm::enumerate(shape))
        if (!llvm::is_contained(*dims, static_cast<int64_t>(dim)))
          to.push_back(size);
      report.describeResult(type, to, layout.dropDims(*dims, shape), nullptr);
    }
    if (auto dims = getNumbers(function, "test.insert")) {
      SmallVector<int64_t> to(shape);
      for (int64_t dim : *dims)
        to.insert(to.begin() + dim, 1);
      report.describeResult(type, to, layout.insertDims(*dims, shape), same);
    }
    if (auto to = getNumbers(function, "test.reshape"))
      report.describeResult(type, *to, layout.reshape(shape, *to), same);
    if (types.size() != 2)
      return;
    Layout second = *getLayout(types.back());
    if (auto to = getNumbers(function, "test.multiply"))
      report.describeResult(type, *to, layout.multiply(second), nullptr);
    if (function->hasAttr("test.convert")) {
      std::optional<Conversion> plan =
          planConversion(layout, second, shape, type.getElementTypeBitWidth());
      if (plan)
        report.describe(*plan);
    }
  }
};

} // namespace
