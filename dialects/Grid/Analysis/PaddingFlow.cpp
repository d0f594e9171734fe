//===- PaddingFlow.cpp - Whether padding reaches an output ----------------===//
//
// Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The elements of a block outside of its array are undefined. They are harmless
// if each one is processed elementwise and stored outside of an output again. A
// sum over the overhanging dimension spreads them to all elements. The analysis
// therefore tracks, for each value, the dimensions that end in padding, or that
// padding may be anywhere.
//
//===----------------------------------------------------------------------===//

#include "dialects/Grid/Analysis/KernelChecks.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/IR/Matchers.h"
#include "mlir/IR/TypeUtilities.h"
#include "llvm/ADT/SmallBitVector.h"
#include "llvm/ADT/TypeSwitch.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;

namespace gridir::grid {
namespace {

/// The location of padding in a value or a Ref.
struct Padding {
  /// The dimensions that end in padding.
  llvm::SmallBitVector dims;
  /// The op that has spread it to all elements.
  Operation *mixedBy = nullptr;

  bool any() const { return mixedBy || dims.any(); }
};

class PaddingFlow {
public:
  PaddingFlow(BlockAccess &access, unsigned operand)
      : access(access), kernel(access.getKernel()), operand(operand),
        result("padding", kernel.getOperandName(operand),
               kernel.getBodyBlock()->getArgument(operand).getLoc()) {}

  CheckResult check() {
    Padding source;
    BlockArgument ref = kernel.getBodyBlock()->getArgument(operand);
    source.dims.resize(cast<MemRefType>(ref.getType()).getRank());
    for (auto [dim, arrayDim] : llvm::enumerate(getArrayDims(operand)))
      if (dim < source.dims.size() &&
          access.overhangs(operand, arrayDim).kind != QueryResult::no)
        source.dims.set(dim);
    add(ref, source);
    // Loops and Refs carry padding back to ops that were visited before, so the
    // walk repeats until a fixed point.
    while (std::exchange(changed, false))
      kernel.getBodyRegion().walk([&](Operation *op) { visit(op); });
    return std::move(result);
  }

private:
  /// The dimensions of the array that those of an operand's Ref run along.
  SmallVector<unsigned> getArrayDims(unsigned number) {
    SmallVector<unsigned> dims;
    for (auto [dim, block] :
         llvm::enumerate(kernel.getOperandSpec(number).getBlockDims()))
      if (!block.isSqueezed())
        dims.push_back(dim);
    return dims;
  }

  static unsigned getRank(Value value) {
    auto type = dyn_cast<ShapedType>(value.getType());
    return type && type.hasRank() ? type.getRank() : 0;
  }

  Padding get(Value value) const { return known.lookup(value); }

  void add(Value value, const Padding &padding) {
    if (!padding.any())
      return;
    Padding &old = known[value];
    old.dims.resize(getRank(value));
    llvm::SmallBitVector dims = padding.dims;
    dims.resize(getRank(value));
    bool isNew = dims.test(old.dims) || (padding.mixedBy && !old.mixedBy);
    old.dims |= dims;
    if (!old.mixedBy)
      old.mixedBy = padding.mixedBy;
    changed |= isNew;
  }

  void addMixed(Value value, Operation *by) {
    Padding padding;
    padding.mixedBy = by;
    add(value, padding);
  }

  /// `padding` with its dimensions as those of another value; a dimension
  /// without one there is spread by `by`.
  static Padding map(const Padding &padding, unsigned rank, Operation *by,
                     function_ref<std::optional<unsigned>(unsigned)> getDim) {
    Padding mapped;
    mapped.dims.resize(rank);
    mapped.mixedBy = padding.mixedBy;
    for (unsigned dim : padding.dims.set_bits()) {
      std::optional<unsigned> to = getDim(dim);
      if (to && *to < rank)
        mapped.dims.set(*to);
      else if (!mapped.mixedBy)
        mapped.mixedBy = by;
    }
    return mapped;
  }

  void visit(Operation *op) {
    TypeSwitch<Operation *>(op)
        .Case([&](RefViewOpInterface view) { visitView(view); })
        .Case([&](RefAccessOpInterface ref) { visitAccess(ref); })
        .Case([&](DotOp dot) { visitDot(dot); })
        .Case<linalg::LinalgOp>([&](auto linalgOp) { visitLinalg(linalgOp); })
        .Case<tensor::ExpandShapeOp, tensor::CollapseShapeOp>(
            [&](auto reshape) { visitReshape(reshape); })
        .Case<tensor::ExtractSliceOp, tensor::InsertSliceOp, tensor::PadOp,
              tensor::ConcatOp, tensor::CastOp>([&](Operation *) {
          Value to = op->getResult(0);
          for (Value from : op->getOperands())
            if (get(from).any())
              add(to, map(get(from), getRank(to), op, [&](unsigned dim) {
                    return getRank(from) == getRank(to)
                               ? std::optional<unsigned>(dim)
                               : std::nullopt;
                  }));
        })
        .Case([&](tensor::ExtractOp extract) {
          // The first element of a block is in its array.
          Padding padding = get(extract.getTensor());
          for (unsigned dim : padding.dims.set_bits())
            if (!isConstantIntValue(extract.getIndices()[dim], 0))
              return addMixed(extract.getResult(), op);
          if (padding.mixedBy)
            addMixed(extract.getResult(), padding.mixedBy);
        })
        .Case([&](arith::SelectOp select) {
          // A mask excludes padding.
          if (isa<ShapedType>(select.getCondition().getType()))
            return;
          add(select.getResult(), get(select.getTrueValue()));
          add(select.getResult(), get(select.getFalseValue()));
        })
        .Case([&](scf::ForOp loop) {
          for (auto [init, arg, given] :
               llvm::zip_equal(loop.getInitArgs(), loop.getRegionIterArgs(),
                               loop.getResults())) {
            add(arg, get(init));
            add(given, get(init));
          }
        })
        .Case([&](scf::WhileOp loop) {
          for (auto [init, arg] :
               llvm::zip_equal(loop.getInits(), loop.getBeforeArguments()))
            add(arg, get(init));
        })
        .Case([&](scf::ConditionOp end) {
          auto loop = cast<scf::WhileOp>(end->getParentOp());
          for (auto [value, arg, given] :
               llvm::zip_equal(end.getArgs(), loop.getAfterArguments(),
                               loop.getResults())) {
            add(arg, get(value));
            add(given, get(value));
          }
        })
        .Case<scf::YieldOp, YieldOp>([&](Operation *) { visitYield(op); })
        .Default([&](Operation *) { visitOther(op); });
  }

  void visitYield(Operation *op) {
    Operation *parent = op->getParentOp();
    if (auto loop = dyn_cast<scf::WhileOp>(parent)) {
      for (auto [value, arg] :
           llvm::zip_equal(op->getOperands(), loop.getBeforeArguments()))
        add(arg, get(value));
      return;
    }
    for (auto [i, value] : llvm::enumerate(op->getOperands())) {
      if (i < parent->getNumResults())
        add(parent->getResult(i), get(value));
      if (auto loop = dyn_cast<scf::ForOp>(parent))
        add(loop.getRegionIterArgs()[i], get(value));
    }
  }

  void visitOther(Operation *op) {
    if (op->getNumRegions() != 0)
      return;
    bool isElementwise = OpTrait::hasElementwiseMappableTraits(op);
    for (Value from : op->getOperands()) {
      if (!get(from).any() || isa<MemRefType>(from.getType()))
        continue;
      for (Value to : op->getResults()) {
        if (isElementwise && getRank(from) == getRank(to))
          add(to, get(from));
        else
          addMixed(to, op);
      }
    }
  }

  void visitDot(DotOp dot) {
    Value to = dot.getResult();
    unsigned numBatch = dot.getLhsBatch().size();
    unsigned next = numBatch;
    for (auto [side, contract, batch] :
         {std::tuple(Value(dot.getLhs()), dot.getLhsContract(),
                     dot.getLhsBatch()),
          std::tuple(Value(dot.getRhs()), dot.getRhsContract(),
                     dot.getRhsBatch())}) {
      SmallVector<std::optional<unsigned>> dims(getRank(side));
      for (auto [dim, mapped] : llvm::enumerate(dims))
        if (const int64_t *it = llvm::find(batch, int64_t(dim));
            it != batch.end())
          mapped = it - batch.begin();
        else if (!llvm::is_contained(contract, int64_t(dim)))
          mapped = next++;
      add(to, map(get(side), getRank(to), dot,
                  [&](unsigned dim) { return dims[dim]; }));
    }
    if (dot.getAcc())
      add(to, get(dot.getAcc()));
  }

  /// Padding moves along the loops of the op: from the operand dimensions that
  /// a parallel loop indexes to the result dimensions of the same loop. A
  /// reduction loop, or an index that is not a loop, spreads it to all
  /// elements.
  void visitLinalg(linalg::LinalgOp op) {
    if (!op.hasPureTensorSemantics())
      return;
    auto iterators = op.getIteratorTypesArray();
    Padding loops;
    loops.dims.resize(op.getNumLoops());
    for (OpOperand &from : op->getOpOperands()) {
      AffineMap indexing = op.getMatchingIndexingMap(&from);
      Padding mapped =
          map(get(from.get()), op.getNumLoops(), op,
              [&](unsigned dim) -> std::optional<unsigned> {
                auto loop = dyn_cast<AffineDimExpr>(indexing.getResult(dim));
                if (!loop || iterators[loop.getPosition()] !=
                                 utils::IteratorType::parallel)
                  return std::nullopt;
                return loop.getPosition();
              });
      loops.dims |= mapped.dims;
      if (!loops.mixedBy)
        loops.mixedBy = mapped.mixedBy;
    }
    for (auto [init, to] :
         llvm::zip_equal(op.getDpsInitsMutable(), op->getResults())) {
      AffineMap indexing = op.getMatchingIndexingMap(&init);
      Padding padding;
      padding.dims.resize(getRank(to));
      padding.mixedBy = loops.mixedBy;
      for (auto [dim, expr] : llvm::enumerate(indexing.getResults()))
        if (auto loop = dyn_cast<AffineDimExpr>(expr);
            loop && loops.dims.test(loop.getPosition()))
          padding.dims.set(dim);
      add(to, padding);
    }
  }

  /// A dimension keeps its elements where the others of its group are 1.
  template <typename ReshapeOpTy> void visitReshape(ReshapeOpTy op) {
    Value from = op.getSrc(), to = op.getResult();
    constexpr bool expands = std::is_same_v<ReshapeOpTy, tensor::ExpandShapeOp>;
    auto type = cast<ShapedType>((expands ? to : from).getType());
    add(to, map(get(from), getRank(to), op,
                [&](unsigned dim) -> std::optional<unsigned> {
                  for (auto [one, group] :
                       llvm::enumerate(op.getReassociationIndices())) {
                    if (expands ? one != dim
                                : !llvm::is_contained(group, int64_t(dim)))
                      continue;
                    SmallVector<int64_t> wide;
                    for (int64_t i : group)
                      if (type.getDimSize(i) != 1)
                        wide.push_back(i);
                    if (wide.size() > 1)
                      return std::nullopt;
                    if (!expands)
                      return unsigned(one);
                    return unsigned(wide.empty() ? group.back() : wide.front());
                  }
                  return std::nullopt;
                }));
  }

  /// The dimension of a view's source that one of the view runs along.
  static std::optional<unsigned> getSourceDim(ArrayRef<ViewDim> dims,
                                              unsigned dim) {
    for (auto [from, view] : llvm::enumerate(dims))
      if (view.dim == dim)
        return from;
    return std::nullopt;
  }

  void visitView(RefViewOpInterface view) {
    std::optional<SmallVector<ViewDim>> dims = view.getViewDims();
    Value to = view->getResult(0);
    for (Value from : view.getViewSources()) {
      add(to, map(get(from), getRank(to), view,
                  [&](unsigned dim) -> std::optional<unsigned> {
                    return dims ? (*dims)[dim].dim : std::nullopt;
                  }));
      // Values that are stored through the view belong to the source.
      add(from, map(get(to), getRank(from), view, [&](unsigned dim) {
            return dims ? getSourceDim(*dims, dim) : std::nullopt;
          }));
    }
  }

  void visitAccess(RefAccessOpInterface op) {
    // Elements that a mask or indices exclude are the author's responsibility.
    if (!op.isWholeAccess())
      return;
    if (Value loaded = op.getLoadedValue()) {
      for (Value from : op->getOperands())
        if (isa<MemRefType>(from.getType()))
          add(loaded, get(from));
      return;
    }
    Padding stored;
    if (OpOperand *value = op.getStoredOperand())
      stored = get(value->get());
    auto effects = dyn_cast<MemoryEffectOpInterface>(op.getOperation());
    if (op.isCopy() && effects)
      for (Value from : op->getOperands())
        if (isa<MemRefType>(from.getType()) && get(from).any() &&
            effects.getEffectOnValue<MemoryEffects::Read>(from) &&
            !effects.getEffectOnValue<MemoryEffects::Write>(from))
          stored = get(from);
    if (!stored.any())
      return;
    for (Value to : op->getOperands()) {
      if (!isa<MemRefType>(to.getType()) ||
          (effects && !effects.getEffectOnValue<MemoryEffects::Write>(to)))
        continue;
      add(to, stored);
      checkStore(op, getViewRoot(to));
    }
  }

  /// Padding that is stored outside of the output is harmless: the output
  /// dimension must overhang, and end no later than that of the input.
  void checkStore(Operation *op, Value root) {
    auto ref = dyn_cast<BlockArgument>(root);
    if (!ref || !llvm::is_contained(kernel.getOutputRefs(), ref))
      return;
    // The views in between are visited again in the next iteration.
    Padding padding = get(ref);
    unsigned output = ref.getArgNumber();
    SmallVector<unsigned> arrayDims = getArrayDims(output),
                          sourceDims = getArrayDims(operand);
    auto from = kernel.getOperandSpec(operand).getArrayShape(),
         to = kernel.getOperandSpec(output).getArrayShape();
    for (unsigned dim : padding.dims.set_bits()) {
      bool isOutside =
          dim < arrayDims.size() &&
          access.overhangs(output, arrayDims[dim]).kind != QueryResult::no &&
          llvm::any_of(
              sourceDims,
              [&](unsigned sourceDim) {
                return to[arrayDims[dim]] <= from[sourceDim];
              });
      if (!isOutside && !padding.mixedBy)
        padding.mixedBy = op;
    }
    if (padding.mixedBy)
      result.lower(CheckResult::unknown,
                   llvm::formatv("padding of its blocks may reach {0}",
                                 kernel.getOperandName(output))
                       .str(),
                   padding.mixedBy->getLoc());
  }

  BlockAccess &access;
  KernelOp kernel;
  unsigned operand;
  CheckResult result;
  llvm::DenseMap<Value, Padding> known;
  bool changed = false;
};

/// The bits of the numbers in a value, which an op may have extended.
unsigned getNumberBits(Value value) {
  DenseElementsAttr constant;
  if (matchPattern(value, m_Constant(&constant)) && constant.isSplat())
    return constant.getSplatValue<APInt>().getSignificantBits();
  if (Operation *op = value.getDefiningOp();
      isa_and_present<arith::ExtSIOp, arith::ExtUIOp>(op))
    value = op->getOperand(0);
  return getElementTypeOrSelf(value.getType()).getIntOrFloatBitWidth();
}

/// Returns the bits of a product of integers, or of a sum of `count` products.
unsigned getProductBits(Value a, Value b, int64_t count) {
  return getNumberBits(a) + getNumberBits(b) + llvm::Log2_64_Ceil(count);
}

} // namespace

SmallVector<CheckResult> checkPadding(BlockAccess &access) {
  KernelOp kernel = access.getKernel();
  SmallVector<CheckResult> results;
  for (unsigned i = kernel.getNumIndexOperands(), e = i + kernel.getNumInputs();
       i < e; ++i) {
    OperandAttr spec = kernel.getOperandSpec(i);
    if (llvm::is_contained(spec.getArrayShape(), 0))
      continue;
    if (llvm::any_of(llvm::seq<unsigned>(0, spec.getRank()), [&](unsigned dim) {
          return access.overhangs(i, dim).kind != QueryResult::no;
        }))
      results.push_back(PaddingFlow(access, i).check());
  }
  return results;
}

/// Compares the width of each narrow integer product with the number of bits
/// that its operands may need. The widths are upper bounds, so a result is
/// never refuted.
SmallVector<CheckResult> checkOverflow(KernelOp kernel) {
  SmallVector<CheckResult> results;
  auto warn = [&](Operation *op, Type type, const std::string &what,
                  unsigned bits) {
    CheckResult &result = results.emplace_back(
        "overflow", llvm::formatv("{0}", type).str(), op->getLoc());
    unsigned width = type.getIntOrFloatBitWidth();
    if (bits > width)
      result.lower(CheckResult::unknown,
                   llvm::formatv("{0} may need {1} bits, but is stored in {2}",
                                 what, bits, width)
                       .str(),
                   op->getLoc());
  };
  auto isNarrow = [](Type type) {
    return isa<IntegerType>(type) && type.getIntOrFloatBitWidth() > 1 &&
           type.getIntOrFloatBitWidth() < 32;
  };
  kernel.getBodyRegion().walk([&](Operation *op) {
    if (op->getNumResults() != 1)
      return;
    Type type = getElementTypeOrSelf(op->getResult(0).getType());
    if (!isNarrow(type))
      return;
    if (auto dot = dyn_cast<DotOp>(op)) {
      int64_t count = 1;
      auto lhs = cast<ShapedType>(dot.getLhs().getType());
      for (int64_t dim : dot.getLhsContract())
        count *= std::max<int64_t>(lhs.getDimSize(dim), 1);
      warn(op, type, llvm::formatv("a sum of {0} products", count).str(),
           getProductBits(dot.getLhs(), dot.getRhs(), count));
    } else if (auto product = dyn_cast<arith::MulIOp>(op);
               product && isa<ShapedType>(product.getType())) {
      warn(op, type, "a product",
           getProductBits(product.getLhs(), product.getRhs(), 1));
    }
  });
  return results;
}

} // namespace gridir::grid
