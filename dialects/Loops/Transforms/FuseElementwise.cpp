//===- FuseElementwise.cpp - one loop for a chain of elementwise ops ------===//
//
// Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dialects/Loops/Analysis/MemoryHazards.h"
#include "dialects/Loops/Transforms/BodyRewrites.h"
#include "dialects/Loops/Transforms/ElementwiseGroups.h"
#include "dialects/Loops/Transforms/Passes.h"
#include "dialects/Support/CountableTypes.h"
#include "dialects/Support/NeutralElement.h"

#include "mlir/Analysis/SliceAnalysis.h"
#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Bufferization/IR/Bufferization.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Linalg/Transforms/Transforms.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Tensor/Transforms/Transforms.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"

namespace gridir::loops {
#define GEN_PASS_DEF_LOOPSFUSEELEMENTWISEPASS
#include "dialects/Loops/Transforms/Passes.h.inc"
} // namespace gridir::loops

using namespace mlir;

namespace {

/// The maximum number of ops that are recomputed for each user instead of
/// stored: about the cost of a load and a store.
constexpr unsigned kCheapOps = 2;
/// A fused op reads at most this many operands, since each is a pointer in the
/// inner loop.
constexpr unsigned kMaxOperands = 12;
/// If a body has many ops per operand, one more operand does not matter.
constexpr unsigned kOpsPerOperand = 16;
/// Larger bodies cost more compile time than they save at run time.
constexpr unsigned kMaxOps = 1000;

bool isContraction(Operation *op) {
  auto linalgOp = dyn_cast<linalg::LinalgOp>(op);
  return linalgOp && linalg::isaContractionOpInterface(linalgOp);
}

/// True if `op` reduces with an op called `name`, starting from a tensor of
/// that op's neutral element.
bool reducesFromNeutral(linalg::LinalgOp op, OperationName name) {
  if (op.getNumDpsInits() != 1 || op.getNumReductionLoops() == 0 ||
      !gridir::areArraysOfNumbers(op->getOperandTypes()))
    return false;
  SmallVector<Operation *> combiners;
  if (!matchReduction(op.getRegionOutputArgs(), 0, combiners) ||
      combiners.size() != 1 || combiners.front()->getName() != name)
    return false;
  auto fill = op.getDpsInitOperand(0)->get().getDefiningOp<linalg::FillOp>();
  Attribute value;
  if (!fill || !matchPattern(fill.getInputs()[0], m_Constant(&value)))
    return false;
  std::optional<TypedAttr> neutral =
      gridir::getNeutralElement(combiners.front());
  if (!neutral)
    return false;
  // The neutral element of a sum is -0.0 to some and 0.0 to others.
  auto number = dyn_cast<FloatAttr>(value);
  auto expected = dyn_cast<FloatAttr>(*neutral);
  if (number && expected && number.getValue().isZero())
    return expected.getValue().isZero();
  return value == *neutral;
}

/// acc + reduce(0, x) becomes a reduction that starts from acc, and so does
/// acc + dot(a, b): the sum is reordered as any reduction's is, and a pass over
/// the block is saved.
template <typename CombineOp>
struct StartReductionFromOperand : OpRewritePattern<CombineOp> {
  using OpRewritePattern<CombineOp>::OpRewritePattern;

  LogicalResult matchAndRewrite(CombineOp combine,
                                PatternRewriter &rewriter) const override {
    if (!isa<RankedTensorType>(combine.getType()))
      return rewriter.notifyMatchFailure(combine, "not an op on tensors");
    for (auto [reduced, other] :
         {std::pair(combine.getLhs(), combine.getRhs()),
          std::pair(combine.getRhs(), combine.getLhs())}) {
      auto reduction = reduced.template getDefiningOp<linalg::LinalgOp>();
      if (!reduction || !reduced.hasOneUse() ||
          reduction->getBlock() != combine->getBlock() ||
          !reducesFromNeutral(reduction, combine->getName()) ||
          !gridir::loops::mayReadLater(reduction, combine))
        continue;
      // The reduction moves down to where `other` is known.
      rewriter.moveOpBefore(reduction, combine);
      rewriter.modifyOpInPlace(
          reduction, [&] { reduction.getDpsInitOperand(0)->set(other); });
      rewriter.replaceOp(combine, reduction->getResult(0));
      return success();
    }
    return rewriter.notifyMatchFailure(
        combine, "no operand is a reduction that only this op uses");
  }
};

/// A contraction of a transposed tensor reads it in the other order.
struct FoldTransposeIntoContraction
    : OpInterfaceRewritePattern<linalg::LinalgOp> {
  using OpInterfaceRewritePattern::OpInterfaceRewritePattern;

  LogicalResult matchAndRewrite(linalg::LinalgOp op,
                                PatternRewriter &rewriter) const override {
    if (!isContraction(op) || isa<linalg::GenericOp>(op.getOperation()))
      return rewriter.notifyMatchFailure(op, "not a named contraction");
    SmallVector<AffineMap> maps = op.getIndexingMapsArray();
    SmallVector<Value> inputs = op.getDpsInputs();
    bool changed = false;
    for (auto [i, input] : llvm::enumerate(inputs)) {
      auto transpose = input.getDefiningOp<linalg::TransposeOp>();
      if (!transpose || transpose->getBlock() != op->getBlock() ||
          !gridir::loops::mayReadLater(transpose, op))
        continue;
      // Dimension d of the transposed tensor is perm[d] of the source.
      ArrayRef<int64_t> permutation = transpose.getPermutation();
      SmallVector<AffineExpr> results(permutation.size());
      for (auto [d, source] : llvm::enumerate(permutation))
        results[source] = maps[i].getResult(d);
      maps[i] =
          AffineMap::get(maps[i].getNumDims(), 0, results, op->getContext());
      inputs[i] = transpose.getInput();
      changed = true;
    }
    if (!changed)
      return rewriter.notifyMatchFailure(op, "no operand is a transpose");
    Value init = op.getDpsInitOperand(0)->get();
    SmallVector<Attribute> mapAttrs;
    for (AffineMap map : maps)
      mapAttrs.push_back(AffineMapAttr::get(map));
    // The body is built from the attribute, and does not follow it later.
    SmallVector<NamedAttribute> attributes;
    if (Attribute cast = op->getAttr("cast"))
      attributes.push_back(rewriter.getNamedAttr("cast", cast));
    auto contract = linalg::ContractOp::create(
        rewriter, op.getLoc(), init.getType(), inputs, ValueRange(init),
        rewriter.getArrayAttr(mapAttrs), attributes);
    rewriter.replaceOp(op, contract);
    return success();
  }
};

unsigned countOps(linalg::GenericOp op) {
  return llvm::range_size(op.getBody()->without_terminator());
}

/// True if the body has a function or a division: worth storing its result.
bool isExpensive(linalg::GenericOp op) {
  return llvm::any_of(op.getBody()->without_terminator(), [](Operation &inner) {
    return isa_and_nonnull<math::MathDialect>(inner.getDialect()) ||
           isa<arith::DivFOp, arith::RemFOp, arith::DivSIOp, arith::DivUIOp,
               arith::RemSIOp, arith::RemUIOp>(inner) ||
           inner.getNumRegions() > 0 || !isMemoryEffectFree(&inner);
  });
}

/// True for a reshape that only adds or drops dimensions of size 1. These are
/// moved to loads and stores by the folding of unit dimensions, and folding
/// them back into loops would undo that.
bool isUnitReshape(Operation *op) {
  if (!isa<tensor::ExpandShapeOp, tensor::CollapseShapeOp>(op))
    return false;
  auto withoutOnes = [](Value value) {
    SmallVector<int64_t> shape;
    for (int64_t size : cast<RankedTensorType>(value.getType()).getShape())
      if (size != 1)
        shape.push_back(size);
    return shape;
  };
  return withoutOnes(op->getOperand(0)) == withoutOnes(op->getResult(0));
}

/// Decides whether the op that makes `operand` pays off inside its user.
bool isProfitable(OpOperand *operand, bool mayCopy) {
  Operation *producer = operand->get().getDefiningOp();
  Operation *consumer = operand->getOwner();
  if (isContraction(consumer) || isContraction(producer) ||
      isUnitReshape(consumer) || isUnitReshape(producer))
    return false;
  bool onlyUser = llvm::all_of(
      producer->getUsers(), [&](Operation *user) { return user == consumer; });
  auto from = dyn_cast<linalg::GenericOp>(producer);
  auto to = dyn_cast<linalg::GenericOp>(consumer);
  if (!from || !to)
    return onlyUser; // a reshape
  if (from->getNumOperands() + to->getNumOperands() > kMaxOperands ||
      countOps(from) + countOps(to) > kMaxOps)
    return false;
  // The body of a producer is copied for each operand that it is fused into, so
  // that a ladder of such pairs would double it at each rung. Equal operands
  // become one before.
  for (OpOperand &other : to->getOpOperands())
    if (&other != operand && other.get() == operand->get() &&
        to.getMatchingIndexingMap(&other) == to.getMatchingIndexingMap(operand))
      return false;
  // A value that is broadcast would be computed again for every copy.
  if (countOps(from) > 0 && gridir::countPoints(from.getStaticLoopRanges()) !=
                                gridir::countPoints(to.getStaticLoopRanges()))
    return false;
  if (onlyUser || !mayCopy)
    return onlyUser;
  if (countOps(from) > kCheapOps || isExpensive(from))
    return false;
  // A value that is in memory anyway, for a user that reads it from there, is
  // read again sooner than computed from several others.
  bool inMemory = llvm::any_of(producer->getUsers(), [](Operation *user) {
    return !isa<linalg::GenericOp>(user);
  });
  unsigned numTensors = llvm::count_if(from.getInputs(), [](Value input) {
    return isa<RankedTensorType>(input.getType());
  });
  return !inMemory || numTensors <= 1;
}

/// Decides whether the op that makes `operand` is fused into its user: never in
/// a loop, and never past a store to its operands.
bool shouldFuse(OpOperand *operand, bool mayCopy) {
  Operation *producer = operand->get().getDefiningOp();
  Operation *consumer = operand->getOwner();
  // The ops between the two are tested last, because there may be many.
  return producer && producer->getBlock() == consumer->getBlock() &&
         isProfitable(operand, mayCopy) &&
         gridir::loops::mayReadLater(producer, consumer);
}

/// Turns gathers, concatenations and named ops into forms that bufferise, fuse
/// and vectorise like any other loop.
struct GatherToGeneric : OpRewritePattern<tensor::GatherOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(tensor::GatherOp op,
                                PatternRewriter &rewriter) const override {
    RankedTensorType resultType = op.getResultType();
    RankedTensorType indexType = op.getIndicesType();
    int64_t batchRank = indexType.getRank() - 1;
    int64_t sourceRank = op.getSourceType().getRank();
    if (!resultType.hasStaticShape() || op.getSourceType().getRank() == 0)
      return rewriter.notifyMatchFailure(op, "expected static shapes");
    bool dropsDims = resultType.getRank() != batchRank + sourceRank;
    Location loc = op.getLoc();
    int64_t rank = resultType.getRank();
    Value empty = tensor::EmptyOp::create(rewriter, loc, resultType.getShape(),
                                          resultType.getElementType());
    SmallVector<AffineMap> maps{rewriter.getMultiDimIdentityMap(rank)};
    SmallVector<utils::IteratorType> iterators(rank,
                                               utils::IteratorType::parallel);
    ArrayRef<int64_t> gathered = op.getGatherDims();
    auto generic = linalg::GenericOp::create(
        rewriter, loc, TypeRange(resultType), ValueRange(), ValueRange(empty),
        maps, iterators, [&](OpBuilder &b, Location l, ValueRange) {
          SmallVector<Value> at;
          for (int64_t d = 0; d < batchRank; ++d)
            at.push_back(linalg::IndexOp::create(b, l, d));
          SmallVector<Value> source;
          int64_t next = batchRank;
          for (int64_t d = 0; d < sourceRank; ++d) {
            auto position = llvm::find(gathered, d);
            if (position == gathered.end()) {
              source.push_back(linalg::IndexOp::create(b, l, next++));
              continue;
            }
            SmallVector<Value> which = at;
            which.push_back(arith::ConstantIndexOp::create(
                b, l, position - gathered.begin()));
            Value index =
                tensor::ExtractOp::create(b, l, op.getIndices(), which);
            if (!index.getType().isIndex())
              index = arith::IndexCastOp::create(b, l, b.getIndexType(), index);
            source.push_back(index);
            if (!dropsDims)
              ++next;
          }
          Value element =
              tensor::ExtractOp::create(b, l, op.getSource(), source);
          linalg::YieldOp::create(b, l, element);
        });
    rewriter.replaceOp(op, generic);
    return success();
  }
};

class LoopsFuseElementwisePass
    : public gridir::loops::impl::LoopsFuseElementwisePassBase<
          LoopsFuseElementwisePass> {
public:
  using LoopsFuseElementwisePassBase::LoopsFuseElementwisePassBase;

  void runOnOperation() override {
    unsigned before = countBodies();
    foldIntoContractions();
    gridir::loops::groupElementwiseOps(getOperation(),
                                       {kMaxOperands, kOpsPerOperand, kMaxOps});
    makeGeneric();
    dropUnitDims();
    // A producer whose users were fused into one op needs no copies of its
    // body. The users are known only after the first fusion.
    fuse(/*mayCopy=*/false);
    fuse(/*mayCopy=*/true);
    fillSplats();
    unsigned after = countBodies();
    numFused += before > after ? before - after : 0;
  }

private:
  unsigned countBodies() {
    unsigned count = 0;
    getOperation()->walk([&](Operation *op) {
      bool elementwise =
          OpTrait::hasElementwiseMappableTraits(op) &&
          llvm::any_of(op->getResultTypes(), llvm::IsaPred<RankedTensorType>);
      count += elementwise || isa<linalg::LinalgOp>(op);
    });
    return count;
  }

  /// If the driver does not converge, the IR is valid nevertheless.
  void simplify(RewritePatternSet owned) {
    FrozenRewritePatternSet patterns(std::move(owned));
    gridir::loops::applyPatternsInLargeLoops(getOperation(), patterns);
    (void)gridir::loops::applyPatternsInBlocks(getOperation(), patterns);
  }

  void foldIntoContractions() {
    RewritePatternSet patterns(&getContext());
    patterns.add<StartReductionFromOperand<arith::AddFOp>,
                 StartReductionFromOperand<arith::AddIOp>,
                 StartReductionFromOperand<arith::MaximumFOp>,
                 StartReductionFromOperand<arith::MinimumFOp>,
                 StartReductionFromOperand<arith::MaxSIOp>,
                 StartReductionFromOperand<arith::MinSIOp>,
                 FoldTransposeIntoContraction, GatherToGeneric>(&getContext());
    tensor::populateDecomposeTensorConcatPatterns(patterns);
    simplify(std::move(patterns));
  }

  /// Everything but contractions and fills becomes linalg.generic.
  void makeGeneric() {
    RewritePatternSet patterns(&getContext());
    linalg::populateElementwiseToLinalgConversionPatterns(patterns);
    simplify(std::move(patterns));
    IRRewriter rewriter(&getContext());
    getOperation()->walk([&](linalg::LinalgOp op) {
      if (isa<linalg::GenericOp, linalg::FillOp>(op.getOperation()) ||
          !op.hasPureTensorSemantics() || isContraction(op))
        return;
      rewriter.setInsertionPoint(op);
      [[maybe_unused]] FailureOr<linalg::GenericOp> generic =
          linalg::generalizeNamedOp(rewriter, op);
      assert(succeeded(generic) && "every named op has a body");
    });
  }

  /// A splat constant would be stored in full in the object code and copied
  /// from there; filling the memory is cheaper.
  void fillSplats() {
    SmallVector<arith::ConstantOp> constants;
    getOperation()->walk([&](arith::ConstantOp constant) {
      if (isa<RankedTensorType>(constant.getType()) &&
          isa<SplatElementsAttr>(constant.getValue()))
        constants.push_back(constant);
    });
    for (arith::ConstantOp constant : constants) {
      auto type = cast<RankedTensorType>(constant.getType());
      auto splat = cast<SplatElementsAttr>(constant.getValue());
      auto element = dyn_cast<TypedAttr>(splat.getSplatValue<Attribute>());
      // A complex number is no attribute, a string one of another type.
      if (!element || element.getType() != type.getElementType())
        continue;
      for (OpOperand &use : llvm::make_early_inc_range(constant->getUses())) {
        // A body that extracts elements is run for each element.
        if (use.getOwner()->getParentOfType<linalg::LinalgOp>())
          continue;
        OpBuilder builder(use.getOwner());
        Location loc = constant.getLoc();
        Value number = arith::ConstantOp::create(builder, loc, element);
        Value empty = tensor::EmptyOp::create(builder, loc, type.getShape(),
                                              type.getElementType());
        use.set(
            linalg::FillOp::create(builder, loc, number, empty).getResult(0));
      }
      if (constant->use_empty())
        constant.erase();
    }
  }

  void dropUnitDims() {
    RewritePatternSet patterns(&getContext());
    linalg::ControlDropUnitDims unitDims;
    linalg::populateFoldUnitExtentDimsPatterns(patterns, unitDims);
    linalg::populateFoldUnitExtentDimsCanonicalizationPatterns(patterns,
                                                               unitDims);
    simplify(std::move(patterns));
  }

  void fuse(bool mayCopy) {
    RewritePatternSet patterns(&getContext());
    auto control = [=](OpOperand *operand) {
      return shouldFuse(operand, mayCopy);
    };
    linalg::populateElementwiseOpsFusionPatterns(patterns, control);
    linalg::populateFoldReshapeOpsByExpansionPatterns(patterns, control);
    linalg::populateEraseUnusedOperandsAndResultsPatterns(patterns);
    linalg::GenericOp::getCanonicalizationPatterns(patterns, &getContext());
    tensor::ExpandShapeOp::getCanonicalizationPatterns(patterns, &getContext());
    tensor::CollapseShapeOp::getCanonicalizationPatterns(patterns,
                                                         &getContext());
    tensor::EmptyOp::getCanonicalizationPatterns(patterns, &getContext());
    simplify(std::move(patterns));
  }
};

} // namespace
