//===- GathersToWindows.cpp - Windows instead of consecutive indices ------===//
//
// Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dialects/Grid/Transforms/Passes.h"

#include "dialects/Grid/Analysis/ElementRanges.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/PatternMatch.h"
#include "mlir/Transforms/RegionUtils.h"
#include "llvm/ADT/TypeSwitch.h"

namespace gridir::grid {
#define GEN_PASS_DEF_GRIDGATHERSTOWINDOWSPASS
#include "dialects/Grid/Transforms/Passes.h.inc"
} // namespace gridir::grid

using namespace mlir;
using namespace gridir;
using namespace gridir::grid;

namespace {

/// The elements of an integer tensor: a sum of scalars and a constant, plus
/// `steps[d]` times the position along each dimension `d`. It is equal modulo
/// 2^32 to the 32-bit element.
struct Positions {
  SmallVector<Value> scalars;
  int64_t constant = 0;
  SmallVector<int64_t> steps;

  bool isConstant() const {
    return scalars.empty() &&
           llvm::all_of(steps, [](int64_t step) { return step == 0; });
  }
};

class PositionReader {
public:
  explicit PositionReader(ElementRanges &ranges) : ranges(ranges) {}

  std::optional<Positions> read(Value value) {
    if (auto known = positions.find(value); known != positions.end())
      return known->second;
    std::optional<Positions> found = compute(value);
    positions[value] = found;
    return found;
  }

private:
  std::optional<Positions> compute(Value value) {
    auto type = dyn_cast<RankedTensorType>(value.getType());
    Operation *op = value.getDefiningOp();
    if (!type)
      return readScalar(value);
    if (!op || !type.hasStaticShape())
      return std::nullopt;
    unsigned rank = type.getRank();
    return llvm::TypeSwitch<Operation *, std::optional<Positions>>(op)
        .Case([&](arith::ConstantOp constant) -> std::optional<Positions> {
          auto splat = dyn_cast<SplatElementsAttr>(constant.getValue());
          if (!splat)
            return std::nullopt;
          return atRank({{}, splat.getSplatValue<APInt>().getSExtValue(), {}},
                        rank);
        })
        .Case([&](linalg::FillOp op) {
          return atRank(readScalar(op.value()), rank);
        })
        .Case([&](tensor::SplatOp op) {
          return atRank(readScalar(op.getInput()), rank);
        })
        .Case([&](linalg::BroadcastOp op) -> std::optional<Positions> {
          std::optional<Positions> input = read(op.getInput());
          if (!input)
            return std::nullopt;
          SmallVector<int64_t> steps;
          auto next = input->steps.begin();
          for (unsigned dim = 0; dim < rank; ++dim)
            steps.push_back(
                llvm::is_contained(op.getDimensions(), dim) ? 0 : *next++);
          input->steps = steps;
          return input;
        })
        .Case([&](tensor::ExpandShapeOp op) {
          return reshape(read(op.getSrc()), op.getSrcType(), type);
        })
        .Case([&](tensor::CollapseShapeOp op) {
          return reshape(read(op.getSrc()), op.getSrcType(), type);
        })
        .Case([&](linalg::GenericOp op) {
          return readBody(op, cast<OpResult>(value).getResultNumber());
        })
        .Case<arith::AddIOp, arith::SubIOp, arith::MulIOp>(
            [&](Operation *op) -> std::optional<Positions> {
              return combine(op, read(op->getOperand(0)),
                             read(op->getOperand(1)));
            })
        .Case([&](arith::MaxSIOp op) {
          return readClamped(op.getLhs(), op.getRhs(), /*isMax=*/true);
        })
        .Case([&](arith::MinSIOp op) {
          return readClamped(op.getLhs(), op.getRhs(), /*isMax=*/false);
        })
        .Case([&](arith::SelectOp op) -> std::optional<Positions> {
          Interval condition = ranges.get(op.getCondition());
          if (!condition.isConstant())
            return std::nullopt;
          return read(condition.low ? op.getTrueValue() : op.getFalseValue());
        })
        .Default([](Operation *) { return std::nullopt; });
  }

  /// The maximum or minimum of two tensors, as of positions that are clamped,
  /// if it is the same tensor for all elements.
  std::optional<Positions> readClamped(Value a, Value b, bool isMax) {
    Interval first = ranges.get(a), second = ranges.get(b);
    if (first.low >= second.high)
      return read(isMax ? a : b);
    if (first.high <= second.low)
      return read(isMax ? b : a);
    return std::nullopt;
  }

  static Positions readScalar(Value value) {
    APInt constant;
    if (matchPattern(value, m_ConstantInt(&constant)))
      return {{}, constant.getSExtValue(), {}};
    return {{value}, 0, {}};
  }

  static Positions atRank(Positions positions, unsigned rank) {
    positions.steps.assign(rank, 0);
    return positions;
  }

  /// Moves steps to the dimensions of a shape that differs by dimensions of
  /// size 1.
  static std::optional<Positions> reshape(std::optional<Positions> positions,
                                          RankedTensorType from,
                                          RankedTensorType to) {
    if (!positions)
      return std::nullopt;
    SmallVector<int64_t> sizes, steps;
    for (auto [size, step] : llvm::zip_equal(from.getShape(), positions->steps))
      if (size != 1) {
        sizes.push_back(size);
        steps.push_back(step);
      }
    auto size = sizes.begin(), step = steps.begin();
    positions->steps.clear();
    for (int64_t extent : to.getShape()) {
      if (extent == 1) {
        positions->steps.push_back(0);
        continue;
      }
      if (size == sizes.end() || *size++ != extent)
        return std::nullopt;
      positions->steps.push_back(*step++);
    }
    return positions;
  }

  static std::optional<Positions> combine(Operation *op,
                                          std::optional<Positions> a,
                                          std::optional<Positions> b) {
    if (!a || !b)
      return std::nullopt;
    if (isa<arith::MulIOp>(op)) {
      if (a->isConstant())
        std::swap(a, b);
      if (!b->isConstant() || !a->scalars.empty())
        return std::nullopt;
      int64_t factor = b->constant;
      a->constant *= factor;
      for (int64_t &step : a->steps)
        step *= factor;
    } else {
      bool subtracts = isa<arith::SubIOp>(op);
      if (subtracts && !b->scalars.empty())
        return std::nullopt;
      int64_t sign = subtracts ? -1 : 1;
      a->scalars.append(b->scalars);
      a->constant += sign * b->constant;
      for (auto [step, other] : llvm::zip_equal(a->steps, b->steps))
        step += sign * other;
    }
    // Far from overflow in the next product of 32-bit numbers.
    auto isSmall = [](int64_t n) { return llvm::isInt<32>(n); };
    constexpr size_t maxScalars = 8;
    if (!isSmall(a->constant) || !llvm::all_of(a->steps, isSmall) ||
        a->scalars.size() > maxScalars)
      return std::nullopt;
    return a;
  }

  /// A body without inputs that computes numbers from positions.
  std::optional<Positions> readBody(linalg::GenericOp op, unsigned result) {
    unsigned rank = op.getNumLoops();
    if (op.getNumDpsInputs() != 0 || op.getNumParallelLoops() != rank ||
        !op.getMatchingIndexingMap(op.getDpsInitOperand(result)).isIdentity())
      return std::nullopt;
    llvm::DenseMap<Value, Positions> inside;
    auto get = [&](Value value) -> std::optional<Positions> {
      if (auto known = inside.find(value); known != inside.end())
        return known->second;
      if (value.getParentRegion() == &op.getRegion() &&
          !matchPattern(value, m_Constant()))
        return std::nullopt;
      return atRank(readScalar(value), rank);
    };
    for (Operation &inner : op.getBody()->without_terminator()) {
      std::optional<Positions> positions;
      // A narrower number is not equal modulo 2^32 once it wraps around.
      if (llvm::any_of(inner.getResultTypes(), [](Type type) {
            return type.isIntOrFloat() && type.getIntOrFloatBitWidth() < 32;
          }))
        continue;
      if (auto index = dyn_cast<linalg::IndexOp>(inner)) {
        positions = atRank({}, rank);
        positions->steps[index.getDim()] = 1;
      } else if (isa<arith::IndexCastOp, arith::ExtSIOp, arith::TruncIOp>(
                     inner)) {
        positions = get(inner.getOperand(0));
      } else if (isa<arith::AddIOp, arith::SubIOp, arith::MulIOp>(inner)) {
        positions =
            combine(&inner, get(inner.getOperand(0)), get(inner.getOperand(1)));
      }
      if (positions)
        inside[inner.getResult(0)] = *positions;
    }
    return get(op.getBody()->getTerminator()->getOperand(result));
  }

  ElementRanges &ranges;
  llvm::DenseMap<Value, std::optional<Positions>> positions;
};

/// The window that an access at indices is of.
struct Window {
  /// For each dimension of the Ref: the first position, and the extent.
  SmallVector<Positions> offsets;
  SmallVector<int64_t> sizes;
  SmallVector<int64_t> dropped;
};

class GridGathersToWindowsPass
    : public gridir::grid::impl::GridGathersToWindowsPassBase<
          GridGathersToWindowsPass> {
public:
  using GridGathersToWindowsPassBase::GridGathersToWindowsPassBase;

  void runOnOperation() override {
    SmallVector<RefAccessOpInterface> accesses;
    getOperation().getBodyRegion().walk([&](RefAccessOpInterface access) {
      auto scatter = dyn_cast<ScatterOp>(*access);
      if (isa<GatherOp>(access) || (scatter && !scatter.getAdd()))
        accesses.push_back(access);
    });
    if (accesses.empty())
      return markAllAnalysesPreserved();
    ProgramValues values(getOperation());
    ElementRanges ranges(values);
    PositionReader reader(ranges);
    for (RefAccessOpInterface access : accesses)
      if (std::optional<Window> window = match(access, reader, ranges))
        replace(access, *window);
    // The computation of indices that nothing else uses.
    IRRewriter rewriter(&getContext());
    if (numWindows != 0)
      (void)runRegionDCE(rewriter, getOperation()->getRegions());
  }

private:
  static std::optional<Window> match(RefAccessOpInterface access,
                                     PositionReader &reader,
                                     ElementRanges &ranges) {
    auto ref = cast<MemRefType>(access.getAccessedRef().getType());
    ValueRange indices = access.getAccessIndices();
    ArrayRef<int64_t> dims = access.getAccessDims();
    // The dimensions of the indices come first in the value, and a mask has no
    // others.
    if (indices.empty() || !llvm::is_sorted(dims) ||
        dims.back() + 1 != static_cast<int64_t>(dims.size()) ||
        (access.getAccessMask() &&
         static_cast<int64_t>(dims.size()) != ref.getRank()))
      return std::nullopt;
    auto shape = cast<RankedTensorType>(indices.front().getType()).getShape();
    Window window;
    window.sizes.assign(ref.getShape().begin(), ref.getShape().end());
    window.offsets.resize(ref.getRank());
    // The dimensions of the value are those of the window, in order.
    unsigned next = 0;
    for (auto [dim, index] : llvm::zip_equal(dims, indices)) {
      std::optional<Positions> positions;
      if (getElementTypeOrSelf(index.getType()).isInteger(32))
        positions = reader.read(index);
      if (!positions)
        return std::nullopt;
      window.sizes[dim] = 1;
      bool isDropped = true;
      for (auto [d, step] : llvm::enumerate(positions->steps)) {
        if (shape[d] == 1 || step == 0)
          continue;
        if (step != 1 || d != next || !isDropped)
          return std::nullopt;
        window.sizes[dim] = shape[d];
        isDropped = false;
      }
      // A dimension of one element is one of the window, too.
      if (isDropped && next < shape.size() && shape[next] == 1)
        isDropped = false;
      if (isDropped)
        window.dropped.push_back(dim);
      else
        ++next;
      if (!isInBounds(*positions, ref.getDimSize(dim) - window.sizes[dim],
                      ranges))
        return std::nullopt;
      window.offsets[dim] = *positions;
    }
    if (next != shape.size())
      return std::nullopt;
    return window;
  }

  /// True if the first position is between 0 and `last`.
  static bool isInBounds(const Positions &positions, int64_t last,
                         ElementRanges &ranges) {
    Interval first = Interval::constant(positions.constant);
    for (Value scalar : positions.scalars) {
      Interval range = ranges.get(scalar);
      bool isNarrow =
          scalar.getType().isIndex() || scalar.getType().isInteger(32);
      if (!isNarrow || !range.isIn(std::numeric_limits<int32_t>::min(),
                                   std::numeric_limits<int32_t>::max()))
        return false;
      first = {first.low + range.low, first.high + range.high};
    }
    return first.isIn(0, last);
  }

  void replace(RefAccessOpInterface access, const Window &window) {
    OpBuilder builder(access);
    Location loc = access.getLoc();
    auto ref = cast<MemRefType>(access.getAccessedRef().getType());
    SmallVector<int64_t> statics, shape;
    SmallVector<Value> offsets;
    for (auto [dim, offset] : llvm::enumerate(window.offsets)) {
      bool isStatic = offset.scalars.empty();
      statics.push_back(isStatic ? offset.constant : ShapedType::kDynamic);
      if (!isStatic)
        offsets.push_back(createSum(builder, loc, offset));
      if (!llvm::is_contained(window.dropped, static_cast<int64_t>(dim)))
        shape.push_back(window.sizes[dim]);
    }
    auto type =
        MemRefType::get(shape, ref.getElementType(),
                        MemRefLayoutAttrInterface(), ref.getMemorySpace());
    Value view = builder.createOrFold<SliceRefOp>(
        loc, type, access.getAccessedRef(), offsets, statics, window.sizes,
        SmallVector<int64_t>(ref.getRank(), 1), window.dropped);
    if (auto gather = dyn_cast<GatherOp>(*access)) {
      gather.replaceAllUsesWith(
          LoadOp::create(builder, loc, gather.getResult().getType(), view,
                         gather.getMask(), gather.getOther())
              .getResult());
    } else {
      auto scatter = cast<ScatterOp>(*access);
      StoreOp::create(builder, loc, scatter.getValue(), view,
                      scatter.getMask());
    }
    access->erase();
    ++numWindows;
  }

  static Value createSum(OpBuilder &builder, Location loc,
                         const Positions &offset) {
    Type type = builder.getI32Type();
    Value sum;
    for (Value scalar : offset.scalars) {
      if (scalar.getType().isIndex())
        scalar = arith::IndexCastOp::create(builder, loc, type, scalar);
      sum = sum ? arith::AddIOp::create(builder, loc, sum, scalar) : scalar;
    }
    if (offset.constant == 0)
      return sum;
    Value constant = arith::ConstantOp::create(
        builder, loc, builder.getI32IntegerAttr(offset.constant));
    return arith::AddIOp::create(builder, loc, sum, constant);
  }
};

} // namespace
