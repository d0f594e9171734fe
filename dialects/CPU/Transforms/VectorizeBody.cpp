//===- VectorizeBody.cpp - register tiles to vectors ----------------------===//
//
// Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dialects/CPU/Transforms/GatheredElements.h"
#include "dialects/CPU/Transforms/InterleavedReads.h"
#include "dialects/CPU/Transforms/MirroredReads.h"
#include "dialects/CPU/Transforms/Passes.h"
#include "dialects/CPU/Transforms/TransferHoisting.h"
#include "dialects/CPU/Transforms/VectorTarget.h"
#include "dialects/Loops/Transforms/BodyRewrites.h"
#include "dialects/Support/CountableTypes.h"

#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Linalg/Transforms/Transforms.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/MemRef/Transforms/Transforms.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/UB/IR/UBOps.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/Dialect/Vector/Transforms/LoweringPatterns.h"
#include "mlir/Dialect/Vector/Transforms/VectorRewritePatterns.h"
#include "mlir/IR/Dominance.h"
#include "mlir/Transforms/CSE.h"

namespace gridir::cpu {
#define GEN_PASS_DEF_CPUVECTORIZEBODYPASS
#include "dialects/CPU/Transforms/Passes.h.inc"
} // namespace gridir::cpu

using namespace mlir;
using gridir::cpu::MirroredLoops;
using gridir::cpu::VectorTarget;

namespace {

/// Adds the upper half of a vector to the lower one until one element is left.
/// LLVM would choose an order of the sum for each CPU.
struct ReduceByHalves : OpRewritePattern<vector::ReductionOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(vector::ReductionOp op,
                                PatternRewriter &rewriter) const override {
    VectorType type = op.getSourceVectorType();
    if (!isa<FloatType>(type.getElementType()) ||
        !llvm::is_contained(
            {vector::CombiningKind::ADD, vector::CombiningKind::MUL},
            op.getKind()))
      return rewriter.notifyMatchFailure(op, "the order makes no difference");
    if (type.getRank() != 1 || type.isScalable() ||
        !llvm::isPowerOf2_64(type.getNumElements()))
      return rewriter.notifyMatchFailure(op, "there is no half");
    Location loc = op.getLoc();
    auto combine = [&](Value lhs, Value rhs) {
      return vector::makeArithReduction(rewriter, loc, op.getKind(), lhs, rhs);
    };
    Value lanes = op.getVector();
    for (int64_t half = type.getNumElements() / 2; half > 0; half /= 2) {
      auto part = [&](int64_t from) -> Value {
        return vector::ExtractStridedSliceOp::create(
            rewriter, loc, lanes, ArrayRef<int64_t>{from},
            ArrayRef<int64_t>{half}, ArrayRef<int64_t>{1});
      };
      Value low = part(0);
      lanes = combine(low, part(half));
    }
    Value result = vector::ExtractOp::create(rewriter, loc, lanes, 0);
    if (Value accumulator = op.getAcc())
      result = combine(accumulator, result);
    rewriter.replaceOp(op, result);
    return success();
  }
};

/// Upstream folds an expand_shape into a read of a vector as if the last
/// dimensions of the vector were the last of the source. That holds where each
/// is the innermost of its group; the read then takes the same elements.
bool readsOtherElements(vector::TransferReadOp read) {
  auto expand = read.getBase().getDefiningOp<memref::ExpandShapeOp>();
  if (!expand)
    return false;
  SmallVector<ReassociationIndices> groups = expand.getReassociationIndices();
  VectorType type = read.getVectorType();
  int64_t rank = type.getRank(), shownRank = read.getShapedType().getRank();
  for (int64_t back = 1; back <= rank; ++back) {
    bool isInside = read.isDimInBounds(rank - back);
    if (type.getDimSize(rank - back) == 1 && isInside)
      continue;
    if (back > int64_t(groups.size()))
      return true;
    const ReassociationIndices &group = groups[groups.size() - back];
    if (group.back() != shownRank - back)
      return true;
    // Past the end of the dimension is padding, not the next row.
    if (!isInside && group.size() != 1)
      return true;
  }
  return false;
}

/// An upstream pattern of reads that leaves those alone whose elements it would
/// change.
struct GuardedRead : RewritePattern {
  explicit GuardedRead(std::unique_ptr<RewritePattern> pattern)
      : RewritePattern(vector::TransferReadOp::getOperationName(),
                       pattern->getBenefit(), pattern->getContext()),
        pattern(std::move(pattern)) {}

  LogicalResult matchAndRewrite(Operation *op,
                                PatternRewriter &rewriter) const override {
    if (readsOtherElements(cast<vector::TransferReadOp>(op)))
      return rewriter.notifyMatchFailure(
          op, "the vector spans dimensions of one group");
    return pattern->matchAndRewrite(op, rewriter);
  }

  std::unique_ptr<RewritePattern> pattern;
};

class CPUVectorizeBodyPass
    : public gridir::cpu::impl::CPUVectorizeBodyPassBase<CPUVectorizeBodyPass> {
public:
  using CPUVectorizeBodyPassBase::CPUVectorizeBodyPassBase;

  void runOnOperation() override {
    VectorTarget target{vectorBytes, vectorRegisters};
    IRRewriter rewriter(&getContext());
    // Subviews must be gone before transfers can be hoisted: two views of one
    // buffer might overlap.
    simplify();
    SmallVector<linalg::LinalgOp> ops;
    getOperation()->walk([&](linalg::LinalgOp op) {
      if (op.hasPureBufferSemantics())
        ops.push_back(op);
    });
    for (linalg::LinalgOp op : ops)
      vectorize(rewriter, op, target);
    simplify();
    getOperation()->walk([&](vector::TransferReadOp read) {
      gridir::cpu::readWholeGroups(rewriter, read);
    });
    // Folding views computes the same index for each access.
    DominanceInfo dominance(getOperation());
    eliminateCommonSubExpressions(rewriter, dominance, getOperation());
    // Accumulators stay in registers over a reduction loop.
    gridir::cpu::hoistTransfers(getOperation(), vectorRegisters);
    lowerVectors();
  }

private:
  void vectorize(RewriterBase &rewriter, linalg::LinalgOp op,
                 const VectorTarget &target) {
    std::optional<int64_t> points =
        gridir::countPoints(op.getStaticLoopRanges());
    // Vectorizing a whole block would take LLVM seconds and spill every value.
    int64_t most = target.registers * target.getLanes(op);
    if (!points || *points == 0 || *points > most || op.getNumLoops() == 0) {
      ++numLeft;
      return;
    }
    rewriter.setInsertionPoint(op);
    auto generic = dyn_cast<linalg::GenericOp>(op.getOperation());
    ArrayAttr maps = op.getIndexingMaps();
    MirroredReads reads;
    std::optional<gridir::cpu::Gathers> gathers;
    if (generic) {
      reads = readForwards(rewriter, generic);
      gathers.emplace(rewriter, generic);
    }
    // The vectors of a named contraction have the dimensions of operands.
    bool isContraction = reads.empty() && linalg::isaContractionOpInterface(op);
    FailureOr<linalg::VectorizationResult> result = linalg::vectorize(
        rewriter, op, /*inputVectorSizes=*/{}, /*inputScalableVecDims=*/{},
        /*vectorizeNDExtract=*/true, /*flatten1DDepthwiseConv=*/false,
        /*assumeDynamicDimsMatchVecSizes=*/false,
        /*createNamedContraction=*/isContraction);
    if (gathers)
      gathers->finish(rewriter);
    if (failed(result)) {
      if (!reads.empty())
        generic.setIndexingMapsAttr(maps);
      ++numLeft;
      return;
    }
    rewriter.eraseOp(op);
    for (auto &[view, loops] : reads)
      reverseReads(rewriter, view, loops);
    ++numVectorized;
  }

  /// Operands that are read backwards along some loops.
  using MirroredReads = SmallVector<std::pair<Value, SmallVector<unsigned>>>;

  /// Lets `op` read each operand forwards. What it reads backwards becomes a
  /// view that no other op has, so that its reads are known later.
  static MirroredReads readForwards(RewriterBase &rewriter,
                                    linalg::GenericOp op) {
    MirroredReads reads;
    std::optional<MirroredLoops> mirrored =
        gridir::cpu::walkForwards(rewriter, op);
    if (!mirrored)
      return reads;
    for (auto [operand, loops] :
         llvm::zip_equal(op->getOpOperands(), *mirrored)) {
      if (loops.empty())
        continue;
      auto type = cast<MemRefType>(operand.get().getType());
      SmallVector<OpFoldResult> zeros(type.getRank(), rewriter.getIndexAttr(0));
      SmallVector<OpFoldResult> ones(type.getRank(), rewriter.getIndexAttr(1));
      Value view = memref::SubViewOp::create(
          rewriter, op.getLoc(), operand.get(), zeros,
          memref::getMixedSizes(rewriter, op.getLoc(), operand.get()), ones);
      operand.set(view);
      reads.emplace_back(view, loops);
    }
    return reads;
  }

  static void reverseReads(RewriterBase &rewriter, Value view,
                           ArrayRef<unsigned> loops) {
    for (Operation *user : view.getUsers()) {
      auto read = dyn_cast<vector::TransferReadOp>(user);
      if (!read)
        continue;
      SmallVector<OpOperand *> uses = llvm::map_to_vector(
          read->getUses(), [](OpOperand &use) { return &use; });
      rewriter.setInsertionPointAfter(read);
      Value elements = read;
      // A vector has a dimension for each loop.
      for (unsigned loop : loops)
        elements =
            gridir::cpu::reverse(rewriter, read.getLoc(), elements, loop);
      for (OpOperand *use : uses)
        use->set(elements);
    }
  }

  /// Upstream's folders of views create ops before they know whether they
  /// match, so the driver may not converge. The IR is valid and nearly
  /// simplified when it gives up.
  void simplify() {
    RewritePatternSet patterns(&getContext());
    memref::populateFoldMemRefAliasOpPatterns(patterns);
    for (std::unique_ptr<RewritePattern> &pattern :
         patterns.getNativePatterns())
      if (pattern->getRootKind() ==
          OperationName(vector::TransferReadOp::getOperationName(),
                        &getContext()))
        pattern = std::make_unique<GuardedRead>(std::move(pattern));
    for (StringRef dialect : {"affine", "arith", "memref", "scf", "vector"})
      for (RegisteredOperationName op :
           getContext().getRegisteredOperationsByDialect(dialect))
        op.getCanonicalizationPatterns(patterns, &getContext());
    (void)gridir::loops::applyPatternsInBlocks(getOperation(),
                                               std::move(patterns));
  }

  void lowerVectors() {
    RewritePatternSet patterns(&getContext());
    vector::populateVectorTransferPermutationMapLoweringPatterns(patterns);
    vector::populateVectorMultiReductionLoweringPatterns(
        patterns, vector::VectorMultiReductionLowering::InnerReduction);
    vector::populateVectorGatherLoweringPatterns(patterns);
    patterns.add<ReduceByHalves>(&getContext());
    (void)gridir::loops::applyPatternsInBlocks(getOperation(),
                                               std::move(patterns));
  }
};

} // namespace
