//===- PrepareContractions.cpp - Contractions of parts of blocks ----------===//
//
// Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dialects/Warpgroup/Transforms/Passes.h"

#include "dialects/GPU/Target/GPUTarget.h"
#include "dialects/Grid/IR/Grid.h"
#include "dialects/Support/Builders.h"
#include "dialects/Warpgroup/IR/Warpgroup.h"
#include "dialects/Warpgroup/Transforms/BlockProgram.h"
#include "dialects/Warpgroup/Transforms/DataWindows.h"
#include "dialects/Warpgroup/Transforms/MatrixUnits.h"
#include "dialects/Warpgroup/Transforms/ValueSlices.h"
#include "mlir/Analysis/SliceAnalysis.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/PatternMatch.h"
#include "mlir/Transforms/RegionUtils.h"

namespace gridir::warpgroup {
#define GEN_PASS_DEF_WARPGROUPPREPARECONTRACTIONSPASS
#include "dialects/Warpgroup/Transforms/Passes.h.inc"
} // namespace gridir::warpgroup

using namespace mlir;
using namespace gridir;
using namespace gridir::grid;
using namespace gridir::warpgroup;

namespace {

/// Replaces a transposed block by the block, with the other dimension
/// contracted. Returns the number of replaced operands. Matrix units transpose
/// operands in shared memory, and none in registers.
unsigned foldTransposes(DotOp dot) {
  unsigned count = 0;
  if (!getContracted(dot))
    return count;
  auto fold = [&](OpOperand &operand, ArrayRef<int64_t> contracted) {
    auto transpose = operand.get().getDefiningOp<linalg::TransposeOp>();
    if (!transpose || transpose.getPermutation()[0] != 1 ||
        !transpose.getInput().getDefiningOp<LoadOp>())
      return contracted[0];
    operand.set(transpose.getInput());
    ++count;
    if (transpose->use_empty())
      transpose->erase();
    return 1 - contracted[0];
  };
  dot.setLhsContract({fold(dot.getLhsMutable(), dot.getLhsContract())});
  dot.setRhsContract({fold(dot.getRhsMutable(), dot.getRhsContract())});
  return count;
}

/// Exchanges the operands of a contraction, so that the columns of its result
/// become the rows of a matrix unit.
void swapOperands(DotOp dot) {
  OpBuilder builder(dot);
  Location loc = dot.getLoc();
  auto type = cast<RankedTensorType>(dot.getType());
  auto swapped = cast<DotOp>(builder.clone(*dot));
  swapped.getLhsMutable().assign(dot.getRhs());
  swapped.getRhsMutable().assign(dot.getLhs());
  swapped.setLhsContract(dot.getRhsContract());
  swapped.setRhsContract(dot.getLhsContract());
  swapped.setUnsignedLhs(dot.getUnsignedRhs());
  swapped.setUnsignedRhs(dot.getUnsignedLhs());
  if (ArrayAttr precision = dot.getPrecisionAttr())
    swapped.setPrecisionAttr(
        builder.getArrayAttr({precision[1], precision[0]}));
  if (dot.getAcc()) {
    builder.setInsertionPoint(swapped);
    swapped.getAccMutable().assign(
        createTransposed(builder, loc, dot.getAcc()));
    builder.setInsertionPoint(dot);
  }
  swapped.getResult().setType(RankedTensorType::get(
      {type.getDimSize(1), type.getDimSize(0)}, type.getElementType()));
  dot.replaceAllUsesWith(createTransposed(builder, loc, swapped));
  dot.erase();
}

/// A contraction of blocks of inputs, or of values that are computed from
/// blocks, as deep as the blocks are.
struct DeepContraction {
  DotOp dot;
  /// The op that adds the result to another value, which the loop does instead;
  /// null if there is none.
  arith::AddFOp sum;
  Value init;

  Value getResult() { return sum ? sum.getResult() : dot.getResult(); }
};

/// Contractions of one block that have the same depth, and the loop over parts
/// of that depth that replaces them.
class ContractionLoop {
public:
  ContractionLoop(SmallVector<DeepContraction> contractions, int64_t depth,
                  int64_t part)
      : contractions(std::move(contractions)), depth(depth), part(part) {}

  scf::ForOp create() {
    Operation *position = findPosition();
    auto kernel = position->getParentOfType<KernelOp>();
    Location loc = contractions.front().dot.getLoc();
    OpBuilder builder(position);
    SmallVector<Value> inits;
    for (DeepContraction &contraction : contractions)
      inits.push_back(createInit(builder, contraction, position));
    auto loop = scf::ForOp::create(
        builder, loc, createIndex(builder, loc, 0),
        createIndex(builder, loc, depth), createIndex(builder, loc, part),
        inits,
        [&](OpBuilder &inner, Location, Value offset, ValueRange accumulators) {
          SmallVector<Value> results;
          for (auto [contraction, acc] :
               llvm::zip_equal(contractions, accumulators))
            results.push_back(createPart(inner, contraction, offset, acc));
          scf::YieldOp::create(inner, loc, results);
        });
    for (auto [contraction, result] :
         llvm::zip_equal(contractions, loop.getResults())) {
      contraction.getResult().replaceAllUsesWith(result);
      if (contraction.sum)
        contraction.sum.erase();
      contraction.dot.erase();
    }
    // The ops that computed whole operands may have no other use.
    IRRewriter rewriter(builder);
    (void)runRegionDCE(rewriter, kernel->getRegions());
    return loop;
  }

private:
  /// The first op that uses a result: everything that the loop needs precedes
  /// it.
  Operation *findPosition() {
    Block *block = contractions.front().dot->getBlock();
    Operation *first = block->getTerminator();
    for (DeepContraction &contraction : contractions) {
      auto visit = [&](Operation *user) {
        user = block->findAncestorOpInBlock(*user);
        if (user->isBeforeInBlock(first))
          first = user;
      };
      if (contraction.sum)
        visit(contraction.sum);
      else
        llvm::for_each(contraction.dot->getUsers(), visit);
    }
    return first;
  }

  /// The value to which the loop adds the products: zero unless it is known
  /// before the loop.
  Value createInit(OpBuilder &builder, DeepContraction &contraction,
                   Operation *position) {
    Value init = contraction.init;
    Operation *op = init ? init.getDefiningOp() : nullptr;
    bool isProduct = llvm::any_of(contractions, [&](DeepContraction &other) {
      return other.dot.getOperation() == op;
    });
    if (init && !isProduct &&
        (!op || op->getBlock() != position->getBlock() ||
         op->isBeforeInBlock(position)))
      return init;
    contraction.sum = {};
    return createZero(builder, contraction.dot.getLoc(),
                      contraction.dot.getType());
  }

  /// The part of the product at `offset` along the contracted dimensions.
  Value createPart(OpBuilder &builder, DeepContraction &contraction,
                   Value offset, Value acc) {
    DotOp dot = contraction.dot;
    auto [lhsDim, rhsDim] = *getContracted(dot);
    slicer.setPosition(offset, part);
    Value lhs = slicer.create(builder, dot.getLhs(), lhsDim),
          rhs = slicer.create(builder, dot.getRhs(), rhsDim);
    auto created = cast<DotOp>(builder.clone(*dot));
    created.getLhsMutable().assign(lhs);
    created.getRhsMutable().assign(rhs);
    created.getAccMutable().assign(acc);
    return created.getResult();
  }

  SmallVector<DeepContraction> contractions;
  int64_t depth, part;
  ValueSlicer slicer;
};

class WarpgroupPrepareContractionsPass
    : public warpgroup::impl::WarpgroupPrepareContractionsPassBase<
          WarpgroupPrepareContractionsPass> {
public:
  using WarpgroupPrepareContractionsPassBase::
      WarpgroupPrepareContractionsPassBase;

  void runOnOperation() override {
    KernelOp kernel = getOperation();
    FailureOr<gpu::Chip> known = gpu::getChip(chip, kernel.getLoc());
    if (failed(known))
      return signalPassFailure();
    SmallVector<DotOp> dots;
    kernel.getBodyRegion().walk([&](DotOp dot) { dots.push_back(dot); });
    if (dots.empty())
      return markAllAnalysesPreserved();
    for (DotOp dot : dots)
      numTransposes += foldTransposes(dot);
    if (!canBecomeProgram(kernel, *known, BlockForm::Padded))
      return;
    for (DotOp dot : dots)
      if (findPreparedUnit(dot, *known, /*isSwapped=*/true) >
          findPreparedUnit(dot, *known)) {
        swapOperands(dot);
        ++numSwapped;
      }
    // A loop whose results nothing uses would be erased with their uses.
    IRRewriter rewriter(&getContext());
    (void)runRegionDCE(rewriter, kernel->getRegions());
    SmallVector<Block *> inner;
    kernel.getBodyRegion().walk([&](Block *block) {
      if (block != kernel.getBodyBlock() && !block->getOps<DotOp>().empty())
        inner.push_back(block);
    });
    // Loops of the author read windows, which are copied as they are.
    for (Block *block : inner)
      split(block, isTooDeep);
    split(kernel.getBodyBlock(), [](DotOp) { return true; });
  }

private:
  /// True if registers hold an operand of a contraction, and not in its depth.
  static bool isTooDeep(DotOp dot) {
    return getParts(dot).first > kMaxHeldDepth &&
           (getPlace(dot.getLhsMutable()) != OperandPlace::Copied ||
            getPlace(dot.getRhsMutable()) != OperandPlace::Copied);
  }

  /// Splits contractions of a block that a predicate selects, and those of the
  /// loops that replace them.
  void split(Block *block, function_ref<bool(DotOp)> selects) {
    SmallVector<DeepContraction> deep;
    llvm::SmallPtrSet<Operation *, 4> sliced;
    for (DotOp dot : block->getOps<DotOp>()) {
      if (dot->use_empty() || !getContracted(dot) || !selects(dot))
        continue;
      if (std::optional<DeepContraction> found = match(dot)) {
        deep.push_back(*found);
        for (auto [operand, dim] : getContractedOperands(dot))
          for (DotOp inner : getSlicedContractions(operand, dim))
            sliced.insert(inner);
      }
    }
    // One loop has all contractions of the same parts that do not depend on one
    // another. One whose parts another loop computes stays as it is, so that it
    // has parts.
    SmallVector<SmallVector<DeepContraction>> groups;
    for (const DeepContraction &contraction : deep) {
      DotOp dot = contraction.dot;
      if (sliced.contains(dot))
        continue;
      auto *group = llvm::find_if(groups, [&](const auto &others) {
        return getParts(others.front().dot) == getParts(dot) &&
               llvm::none_of(others, [&](const DeepContraction &other) {
                 return dependsOn(dot, other.dot);
               });
      });
      if (group == groups.end())
        groups.push_back({contraction});
      else
        group->push_back(contraction);
    }
    SmallVector<scf::ForOp> loops;
    for (SmallVector<DeepContraction> &group : groups) {
      auto [depth, part] = getParts(group.front().dot);
      numSplit += group.size();
      loops.push_back(ContractionLoop(std::move(group), depth, part).create());
    }
    for (scf::ForOp loop : loops)
      split(loop.getBody(), selects);
  }

  /// True if an operand of a contraction is computed from the result of an
  /// earlier one.
  static bool dependsOn(DotOp dot, DotOp earlier) {
    BackwardSliceOptions options;
    options.omitBlockArguments = true;
    options.filter = [&](Operation *op) {
      return op->getBlock() == dot->getBlock();
    };
    llvm::SetVector<Operation *> ops;
    for (Value operand : {dot.getLhs(), dot.getRhs()})
      (void)getBackwardSlice(operand, &ops, options);
    return ops.contains(earlier);
  }

  /// The depth of a contraction, and that of its parts: rows of 128 bytes are
  /// the unit of shared memory.
  using Parts = std::pair<int64_t, int64_t>;

  static Parts getParts(DotOp dot) {
    // Products of f32 become those of parts in bf16.
    constexpr int64_t maxBits = 16;
    auto type = cast<RankedTensorType>(dot.getLhs().getType());
    return {type.getDimSize(getContracted(dot)->first),
            kRowBits /
                std::min<int64_t>(type.getElementTypeBitWidth(), maxBits)};
  }

  /// The operands of a contraction, with the contracted dimension of each.
  static std::array<std::pair<Value, int64_t>, 2>
  getContractedOperands(DotOp dot) {
    auto [lhsDim, rhsDim] = *getContracted(dot);
    return {std::pair<Value, int64_t>(dot.getLhs(), lhsDim),
            std::pair<Value, int64_t>(dot.getRhs(), rhsDim)};
  }

  /// Returns a contraction of whole blocks that only contractions read and
  /// which are deeper than two parts, or of values that are deeper than one.
  /// Registers hold the results of other contractions up to a larger depth:
  /// parts of them may be computed several times.
  static std::optional<DeepContraction> match(DotOp dot) {
    auto [depth, part] = getParts(dot);
    if (depth <= part || depth % part != 0)
      return std::nullopt;
    bool isCopied = true;
    for (auto [operand, dim] : getContractedOperands(dot)) {
      auto load = operand.getDefiningOp<LoadOp>();
      bool isBlock =
          load && matchSharedLoad(load) &&
          getElementTypeOrSelf(load.getType()).getIntOrFloatBitWidth() <= 16;
      if (isBlock ? !isReadByContractions(load, dot) : !canSlice(operand, dim))
        return std::nullopt;
      if (!isBlock && depth <= kMaxHeldDepth &&
          !getSlicedContractions(operand, dim).empty())
        return std::nullopt;
      isCopied &= isBlock;
    }
    if (isCopied && depth <= 2 * part)
      return std::nullopt;
    DeepContraction found{dot, {}, dot.getAcc()};
    if (auto sum = warpgroup::matchSum(dot);
        sum && sum->op->getBlock() == dot->getBlock()) {
      found.sum = sum->op;
      found.init = sum->addend;
    }
    return found;
  }

  /// True if a load is one of a whole block, or of a window in the loop of a
  /// contraction, and only contractions beside that one read it, over all of
  /// their depth.
  static bool isReadByContractions(LoadOp load, DotOp of) {
    auto kernel = load->getParentOfType<KernelOp>();
    auto ref = dyn_cast<BlockArgument>(getWindowedRef(load.getRef()));
    if (load.getMask() || !ref ||
        (load->getBlock() != kernel.getBodyBlock() &&
         load->getBlock() != of->getBlock()) ||
        !llvm::is_contained(kernel.getInputRefs(), ref) ||
        !kernel.getAliasPairs().empty())
      return false;
    return llvm::all_of(load->getUsers(), [&](Operation *user) {
      auto dot = dyn_cast<DotOp>(user);
      return dot && dot->getBlock() == of->getBlock() &&
             getParts(dot).first == getParts(of).first;
    });
  }
};

} // namespace
