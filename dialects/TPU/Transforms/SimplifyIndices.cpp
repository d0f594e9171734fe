//===- SimplifyIndices.cpp - Arithmetic on indices, with their ranges -----===//
//
// Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dialects/Support/Builders.h"
#include "dialects/Support/Comparisons.h"
#include "dialects/TPU/IR/TPU.h"
#include "dialects/TPU/Transforms/GridRanges.h"
#include "dialects/TPU/Transforms/Passes.h"

#include "mlir/Analysis/DataFlow/Utils.h"
#include "mlir/Analysis/DataFlowFramework.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Arith/Transforms/Passes.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/Matchers.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"
#include "llvm/Support/MathExtras.h"

#include <numeric>

namespace gridir::tpu {
#define GEN_PASS_DEF_TPUSIMPLIFYINDICESPASS
#include "dialects/TPU/Transforms/Passes.h.inc"
} // namespace gridir::tpu

using namespace mlir;
using arith::CmpIPredicate;
using namespace gridir;
using namespace gridir::tpu;

namespace {

/// Discards the facts about ops that the driver erases.
class ForgetErased : public RewriterBase::Listener {
public:
  explicit ForgetErased(DataFlowSolver &solver) : solver(solver) {}
  void notifyOperationErased(Operation *op) override {
    solver.eraseState(solver.getProgramPointAfter(op));
    for (Value result : op->getResults())
      solver.eraseState(result);
  }

private:
  DataFlowSolver &solver;
};

/// The range of an integer, or of the elements of a vector.
std::optional<ConstantIntRanges> getRange(DataFlowSolver &solver, Value value) {
  const auto *lattice =
      solver.lookupState<dataflow::IntegerValueRangeLattice>(value);
  if (!lattice || lattice->getValue().isUninitialized())
    return std::nullopt;
  return lattice->getValue().getValue();
}

/// `constant` plus each value times its factor, and the range of the sum.
struct LinearSum {
  llvm::SmallMapVector<Value, int64_t, 4> factors;
  int64_t constant = 0, low = 0, high = 0;
  /// The ops that compute it.
  llvm::SmallSetVector<Operation *, 8> ops;

  LinearSum scaled(int64_t factor) const {
    LinearSum result = *this;
    for (auto &[value, old] : result.factors)
      old *= factor;
    result.constant *= factor;
    std::tie(result.low, result.high) =
        std::minmax({low * factor, high * factor});
    return result;
  }
  LinearSum operator+(const LinearSum &other) const {
    LinearSum result = *this;
    for (auto [value, factor] : other.factors)
      result.factors[value] += factor;
    result.constant += other.constant;
    result.low += other.low;
    result.high += other.high;
    result.ops.insert_range(other.ops);
    return result;
  }
};

/// Products of two numbers of this size, and sums of a few, fit 64 bits.
constexpr int64_t kLargest = std::numeric_limits<int32_t>::max();

class CompareWithoutProducts : public OpRewritePattern<arith::CmpIOp> {
public:
  CompareWithoutProducts(MLIRContext *context, DataFlowSolver &solver,
                         Pass::Statistic &count)
      : OpRewritePattern(context), solver(solver), count(count) {}

  LogicalResult matchAndRewrite(arith::CmpIOp op,
                                PatternRewriter &rewriter) const override;

private:
  std::optional<LinearSum> getLeaf(Value value) const;
  std::optional<LinearSum> getSum(Value value) const;

  DataFlowSolver &solver;
  Pass::Statistic &count;
};

std::optional<LinearSum> CompareWithoutProducts::getLeaf(Value value) const {
  std::optional<ConstantIntRanges> known = getRange(solver, value);
  if (!known)
    return std::nullopt;
  ConstantIntRanges range = *known;
  std::optional<int64_t> low = range.smin().trySExtValue(),
                         high = range.smax().trySExtValue();
  if (!low || !high)
    return std::nullopt;
  LinearSum leaf;
  leaf.low = *low;
  leaf.high = *high;
  if (leaf.low < -kLargest || leaf.high > kLargest)
    return std::nullopt;
  leaf.factors[value] = 1;
  return leaf;
}

/// A value as a sum; none where a part of it may wrap around.
std::optional<LinearSum> CompareWithoutProducts::getSum(Value value) const {
  APInt number;
  if (matchPattern(value, m_ConstantInt(&number))) {
    std::optional<int64_t> constant = number.trySExtValue();
    if (!constant || *constant < -kLargest || *constant > kLargest)
      return std::nullopt;
    LinearSum sum;
    sum.constant = sum.low = sum.high = *constant;
    return sum;
  }
  Operation *op = value.getDefiningOp();
  if (!isa_and_nonnull<arith::AddIOp, arith::SubIOp, arith::MulIOp>(op))
    return getLeaf(value);
  std::optional<LinearSum> left = getSum(op->getOperand(0));
  std::optional<LinearSum> right = getSum(op->getOperand(1));
  if (!left || !right)
    return getLeaf(value);
  LinearSum sum;
  if (isa<arith::MulIOp>(op)) {
    if (!right->factors.empty())
      std::swap(left, right);
    if (!right->factors.empty())
      return getLeaf(value);
    sum = left->scaled(right->constant);
  } else {
    sum = *left + (isa<arith::SubIOp>(op) ? right->scaled(-1) : *right);
  }
  if (sum.low < -kLargest || sum.high > kLargest)
    return getLeaf(value);
  sum.ops.insert(op);
  return sum;
}

/// The predicate for a difference that is compared with 0.
std::optional<CmpIPredicate> getSigned(CmpIPredicate predicate,
                                       bool isNeverNegative) {
  switch (predicate) {
  case CmpIPredicate::ult:
    return isNeverNegative ? std::optional(CmpIPredicate::slt) : std::nullopt;
  case CmpIPredicate::ule:
    return isNeverNegative ? std::optional(CmpIPredicate::sle) : std::nullopt;
  case CmpIPredicate::ugt:
    return isNeverNegative ? std::optional(CmpIPredicate::sgt) : std::nullopt;
  case CmpIPredicate::uge:
    return isNeverNegative ? std::optional(CmpIPredicate::sge) : std::nullopt;
  default:
    return predicate;
  }
}

/// `a - b < 1` is `a <= b`, and so on: the form without a constant.
void avoidConstant(CmpIPredicate &predicate, int64_t &constant) {
  if (predicate == CmpIPredicate::slt && constant == 1)
    predicate = CmpIPredicate::sle;
  else if (predicate == CmpIPredicate::sgt && constant == -1)
    predicate = CmpIPredicate::sge;
  else if (predicate == CmpIPredicate::sle && constant == -1)
    predicate = CmpIPredicate::slt;
  else if (predicate == CmpIPredicate::sge && constant == 1)
    predicate = CmpIPredicate::sgt;
  else
    return;
  constant = 0;
}

/// Returns the number with which `value` compares if `value * divisor +
/// constant` compares with 0; none if it never equals it.
static std::optional<int64_t> getLimit(CmpIPredicate predicate,
                                       int64_t constant, int64_t divisor) {
  switch (predicate) {
  case CmpIPredicate::slt:
  case CmpIPredicate::sge:
    return llvm::divideCeilSigned(-constant, divisor);
  case CmpIPredicate::sle:
  case CmpIPredicate::sgt:
    return llvm::divideFloorSigned(-constant, divisor);
  default:
    if (constant % divisor != 0)
      return std::nullopt;
    return -constant / divisor;
  }
}

LogicalResult
CompareWithoutProducts::matchAndRewrite(arith::CmpIOp op,
                                        PatternRewriter &rewriter) const {
  if (isa<ShapedType>(op.getLhs().getType()))
    return failure();
  std::optional<LinearSum> lhs = getSum(op.getLhs());
  std::optional<LinearSum> rhs = getSum(op.getRhs());
  if (!lhs || !rhs)
    return failure();
  std::optional<CmpIPredicate> predicate =
      getSigned(op.getPredicate(), lhs->low >= 0 && rhs->low >= 0);
  if (!predicate)
    return failure();
  LinearSum difference = *lhs + rhs->scaled(-1);
  difference.factors.remove_if([](auto &entry) { return entry.second == 0; });
  int64_t divisor = 0;
  for (auto [value, factor] : difference.factors)
    divisor = std::gcd(divisor, factor);
  if (divisor == 0 || difference.ops.empty())
    return failure();

  std::optional<int64_t> limit =
      getLimit(*predicate, difference.constant, divisor);
  if (!limit)
    return failure();
  int64_t constant = *limit;
  SmallVector<Value> added, subtracted;
  for (auto [value, factor] : difference.factors) {
    if (std::abs(factor) != divisor)
      return failure();
    (factor > 0 ? added : subtracted).push_back(value);
  }
  if (added.empty()) {
    std::swap(added, subtracted);
    predicate = swapOperands(*predicate);
    constant = -constant;
  }
  if (!subtracted.empty())
    avoidConstant(*predicate, constant);

  // A constant may be one side of a comparison; added to other values it would
  // be another op.
  auto countOps = [](size_t values, bool withConstant) -> size_t {
    size_t parts = values + (withConstant ? 1 : 0);
    return parts > 1 ? parts - 1 : 0;
  };
  size_t numOps = countOps(added.size(), /*withConstant=*/false) +
                  countOps(subtracted.size(), constant != 0);
  // Ops that are needed outside of comparisons, which may be rewritten too,
  // stay.
  size_t numSaved = llvm::count_if(difference.ops, [&](Operation *part) {
    return llvm::all_of(part->getUsers(), [&](Operation *user) {
      return difference.ops.contains(user) || isa<arith::CmpIOp>(user) ||
             (!user->use_empty() &&
              llvm::all_of(user->getUsers(), llvm::IsaPred<arith::CmpIOp>));
    });
  });
  if (numOps >= numSaved)
    return failure();

  Location loc = op.getLoc();
  Type type = op.getLhs().getType();
  auto sum = [&](ArrayRef<Value> values, int64_t number) -> Value {
    Value result;
    if (number != 0 || values.empty())
      result = arith::ConstantOp::create(rewriter, loc,
                                         rewriter.getIntegerAttr(type, number));
    for (Value value : values)
      result =
          result
              ? arith::AddIOp::create(rewriter, loc, value, result).getResult()
              : value;
    return result;
  };
  Value left = sum(added, 0), right = sum(subtracted, constant);
  rewriter.replaceOpWithNewOp<arith::CmpIOp>(op, *predicate, left, right);
  ++count;
  return success();
}

/// A maximum or minimum is one of its operands if their ranges decide it.
template <typename OpT, bool isMax> struct FoldExtreme : OpRewritePattern<OpT> {
  FoldExtreme(MLIRContext *context, DataFlowSolver &solver)
      : OpRewritePattern<OpT>(context), solver(solver) {}

  LogicalResult matchAndRewrite(OpT op,
                                PatternRewriter &rewriter) const override {
    std::optional<ConstantIntRanges> lhs = getRange(solver, op.getLhs());
    std::optional<ConstantIntRanges> rhs = getRange(solver, op.getRhs());
    if (!lhs || !rhs)
      return failure();
    bool isLhsLess = lhs->smax().sle(rhs->smin());
    if (!isLhsLess && !rhs->smax().sle(lhs->smin()))
      return failure();
    rewriter.replaceOp(op, isLhsLess != isMax ? op.getLhs() : op.getRhs());
    return success();
  }

  DataFlowSolver &solver;
};

/// For non-negative vectors, a division by a power of two becomes a shift, and
/// a remainder becomes a mask, since a TPU divides bit by bit.
template <typename OpT, typename NewOpT>
struct FoldPowerOfTwo : OpRewritePattern<OpT> {
  FoldPowerOfTwo(MLIRContext *context, DataFlowSolver &solver)
      : OpRewritePattern<OpT>(context), solver(solver) {}

  LogicalResult matchAndRewrite(OpT op,
                                PatternRewriter &rewriter) const override {
    std::optional<ConstantIntRanges> lhs = getRange(solver, op.getLhs());
    APInt divisor;
    if (!isa<VectorType>(op.getType()) || !lhs || lhs->smin().isNegative() ||
        !matchPattern(op.getRhs(), m_ConstantInt(&divisor)) ||
        divisor.isNegative() || !divisor.isPowerOf2())
      return failure();
    int64_t number = std::is_same_v<NewOpT, arith::AndIOp>
                         ? divisor.getSExtValue() - 1
                         : divisor.logBase2();
    rewriter.replaceOpWithNewOp<NewOpT>(
        op, op.getLhs(),
        createInteger(rewriter, op.getLoc(), op.getType(), number));
    return success();
  }

  DataFlowSolver &solver;
};

/// True if a function has selections that a range may decide: on scalars, or on
/// vectors with a single value.
bool hasChoices(func::FuncOp function) {
  bool hasScalars = false, hasVectors = false, hasIota = false;
  function.walk([&](Operation *op) {
    hasIota |= isa<IotaOp>(op);
    if (isa<arith::CmpIOp, arith::MaxSIOp, arith::MaxUIOp, arith::MinSIOp,
            arith::MinUIOp, arith::DivSIOp, arith::DivUIOp, arith::RemSIOp,
            arith::RemUIOp>(op))
      (isa<ShapedType>(op->getOperand(0).getType()) ? hasVectors : hasScalars) =
          true;
  });
  return hasScalars || (hasVectors && hasIota);
}

class TPUSimplifyIndicesPass
    : public gridir::tpu::impl::TPUSimplifyIndicesPassBase<
          TPUSimplifyIndicesPass> {
public:
  using TPUSimplifyIndicesPassBase::TPUSimplifyIndicesPassBase;

  void runOnOperation() override {
    ModuleOp module = getOperation();
    for (auto kernel : module.getOps<func::FuncOp>()) {
      auto bounds =
          kernel->getAttrOfType<DenseI64ArrayAttr>(kIterationBoundsName);
      if (!bounds && !kernel->hasAttr(kCoreTypeName))
        continue;
      for (func::FuncOp function : getFunctions(kernel))
        if (failed(simplify(function, bounds ? bounds.asArrayRef()
                                             : ArrayRef<int64_t>())))
          return signalPassFailure();
    }
  }

private:
  LogicalResult simplify(func::FuncOp function, ArrayRef<int64_t> bounds) {
    if (function.isExternal() || !hasChoices(function))
      return success();
    DataFlowSolver solver;
    dataflow::loadBaselineAnalyses(solver);
    solver.load<GridRangeAnalysis>(function, bounds);
    if (failed(solver.initializeAndRun(function)))
      return failure();
    RewritePatternSet patterns(&getContext());
    arith::populateIntRangeOptimizationsPatterns(patterns, solver);
    patterns.add<CompareWithoutProducts>(&getContext(), solver, numComparisons);
    patterns.add<FoldExtreme<arith::MaxSIOp, true>,
                 FoldExtreme<arith::MinSIOp, false>,
                 FoldPowerOfTwo<arith::RemSIOp, arith::AndIOp>,
                 FoldPowerOfTwo<arith::RemUIOp, arith::AndIOp>,
                 FoldPowerOfTwo<arith::DivSIOp, arith::ShRUIOp>,
                 FoldPowerOfTwo<arith::DivUIOp, arith::ShRUIOp>>(&getContext(),
                                                                 solver);
    ForgetErased listener(solver);
    return applyPatternsGreedily(
        function, std::move(patterns),
        GreedyRewriteConfig()
            .setRegionSimplificationLevel(GreedySimplifyRegionLevel::Disabled)
            .setListener(&listener));
  }
};

} // namespace
