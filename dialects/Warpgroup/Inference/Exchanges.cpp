//===- Exchanges.cpp - Elements that threads exchange ---------------------===//
//
// Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dialects/Warpgroup/Inference/Exchanges.h"

#include "dialects/Grid/IR/Grid.h"
#include "dialects/Warpgroup/IR/Warpgroup.h"
#include "dialects/Warpgroup/Inference/RegisterReduction.h"
#include "dialects/Warpgroup/Inference/RegisterRefs.h"
#include "dialects/Warpgroup/Layout/Conversion.h"
#include "dialects/Warpgroup/Layout/SharedRounds.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "llvm/ADT/SetVector.h"

using namespace mlir;
using namespace gridir;
using namespace gridir::warpgroup;

#include "dialects/Warpgroup/Inference/ExchangeOpInterface.cpp.inc"

namespace {

/// The alignment of each array.
constexpr int64_t kAlignment = 16;

/// The bytes of this many elements of a type.
int64_t getBytes(Type element, int64_t count) {
  int64_t bits = element.isIntOrFloat() ? element.getIntOrFloatBitWidth() : 64;
  return llvm::alignTo(count * llvm::divideCeil(bits, 8), kAlignment);
}

int64_t getBytes(RankedTensorType array) {
  return getBytes(array.getElementType(), array.getNumElements());
}

/// True if each thread holds, in registers of `from`, all elements that it
/// holds of `to`. Element `c` of `to` is element `c[dims[0]] + offsets[0], ...`
/// of `from`.
bool holds(const Distribution &from, const Distribution &to,
           ArrayRef<int64_t> dims, ArrayRef<int64_t> offsets) {
  auto find = [&](const Coordinates &coords) {
    Coordinates element;
    for (auto [d, offset] : llvm::zip_equal(dims, offsets))
      element.push_back(coords[d] + offset);
    return element;
  };
  if (from.isFlat() || to.isFlat())
    return findRegisters(from, to, find).has_value();
  // Elements are sums of a register's and a thread's part, which agree each.
  for (auto [ofFrom, ofTo] : llvm::zip_equal(from.threadBits, to.threadBits))
    for (auto [i, d] : llvm::enumerate(dims))
      if (ofFrom[i] != ofTo[d])
        return false;
  llvm::DenseMap<int64_t, const Coordinates *> known;
  for (const Coordinates &element : from.registers)
    known.try_emplace(linearize(element, from.shape), &element);
  return llvm::all_of(to.registers, [&](const Coordinates &coords) {
    Coordinates element = find(coords);
    auto it = known.find(linearize(element, from.shape));
    return it != known.end() && *it->second == element;
  });
}

/// The bytes of all elements, where some thread lacks an element of `to` that
/// is element `c[dims[0]], c[dims[1]], ...` of `from`.
int64_t getMovedBytes(const Distribution &from, const Distribution &to,
                      ArrayRef<int64_t> dims, Type element) {
  bool isSame =
      from == to && llvm::equal(dims, llvm::seq<int64_t>(dims.size()));
  Coordinates zeros(dims.size(), 0);
  if (from.isSplat || isSame || holds(from, to, dims, zeros))
    return 0;
  return getBytes(element, from.getNumElements());
}

SmallVector<int64_t> getAllDims(int64_t rank) {
  return llvm::to_vector(llvm::seq<int64_t>(0, rank));
}

/// A relayout works in rounds: it requires the memory of the smallest one.
Exchange getOfRelayout(RelayoutOp op) {
  auto from = cast<RankedTensorType>(op.getValue().getType());
  std::optional<Layout> source = getLayout(from),
                        dest = getLayout(op.getType());
  if (!source || !dest)
    return {};
  Type element = from.getElementType();
  unsigned bits = element.isIntOrFloat() ? element.getIntOrFloatBitWidth() : 64;
  auto plan = planConversion(*source, *dest, from.getShape(), bits);
  if (source->isSplat() ||
      (plan && plan->kind != Conversion::Kind::SharedMemory))
    return {};
  auto count = [&](int64_t maxBytes) -> int64_t {
    auto rounds =
        plan ? planSharedRounds(*source, *dest, from.getShape(), bits, maxBytes)
             : std::nullopt;
    return rounds ? llvm::alignTo(rounds->bytes, kAlignment) : getBytes(from);
  };
  return {count(0), count(kRoundBytes)};
}

/// The inputs of a structured op from which threads read elements of others:
/// arrays that its body reads, then those with other indexing maps than
/// projections, or all inputs of a reduction that is not one of registers.
SmallVector<RankedTensorType> getReadArrays(linalg::LinalgOp op,
                                            bool isReduction) {
  llvm::SetVector<Value> arrays;
  op->getRegion(0).walk([&](Operation *inner) {
    for (Value operand : inner->getOperands())
      if (isa<RankedTensorType>(operand.getType()))
        arrays.insert(operand);
  });
  for (OpOperand &operand : op->getOpOperands())
    if (isa<RankedTensorType>(operand.get().getType()) &&
        (isReduction
             ? op.isDpsInput(&operand)
             : !op.getMatchingIndexingMap(&operand).isProjectedPermutation()))
      arrays.insert(operand.get());
  return llvm::map_to_vector(arrays, [](Value array) {
    return cast<RankedTensorType>(array.getType());
  });
}

int64_t getOfRegisterReduction(linalg::LinalgOp op,
                               Distributions &distributions) {
  auto isHeld = [&](Type type) {
    return distributions.find(cast<RankedTensorType>(type)) != nullptr;
  };
  if (!llvm::all_of(op->getOperandTypes(), isHeld))
    return 0;
  RegisterReduction reduction(op, distributions);
  // Larger ones have no lowering.
  if (reduction.all.getNumRegisters() > kMaxElementsOfThread)
    return 0;
  int64_t bytes = 0;
  for (OpOperand *input : op.getDpsInputOperands()) {
    auto type = cast<RankedTensorType>(input->get().getType());
    SmallVector<int64_t> dims;
    for (AffineExpr expr : op.getMatchingIndexingMap(input).getResults())
      dims.push_back(cast<AffineDimExpr>(expr).getPosition());
    bytes =
        std::max(bytes, getMovedBytes(distributions.get(type), reduction.all,
                                      dims, type.getElementType()));
  }
  auto warpBits = llvm::seq(kNumLaneBits, kNumThreadBits);
  bool areWarpsReduced = llvm::any_of(
      warpBits, [&](unsigned bit) { return reduction.isReduced(bit); });
  int64_t numSums = std::min<int64_t>(kExchangedSums, reduction.sums.size());
  for (OpOperand &init : op.getDpsInitsMutable()) {
    auto type = cast<RankedTensorType>(init.get().getType());
    auto result = cast<RankedTensorType>(op.getTiedOpResult(&init).getType());
    Type element = type.getElementType();
    Distribution held = reduction.getHeld(type.getShape());
    SmallVector<int64_t> dims = getAllDims(type.getRank());
    if (areWarpsReduced)
      bytes = std::max(bytes, getBytes(element, numSums * kNumThreads));
    bytes = std::max(
        {bytes, getMovedBytes(distributions.get(type), held, dims, element),
         getMovedBytes(held, distributions.get(result), dims, element)});
  }
  return bytes;
}

int64_t getOfStructured(linalg::LinalgOp op, Distributions &distributions) {
  bool isParallel = op->getNumResults() == 1 && op.getNumReductionLoops() == 0;
  if (!isParallel && isReducedInRegisters(op))
    return getOfRegisterReduction(op, distributions);
  int64_t bytes = 0;
  for (RankedTensorType array : getReadArrays(op, !isParallel))
    bytes += getBytes(array);
  return bytes;
}

/// The static offsets of a window in the Ref that it is a window of; none if
/// other views are between them, or dimensions are absent.
std::optional<Coordinates> getOffsets(Value window) {
  Coordinates sums(cast<MemRefType>(window.getType()).getRank(), 0);
  while (auto slice = window.getDefiningOp<grid::SliceRefOp>()) {
    if (slice.getStaticOffsets().size() != sums.size())
      return std::nullopt;
    auto offsets = getMixedValues(slice.getStaticOffsets(), slice.getOffsets(),
                                  slice.getContext());
    for (auto [sum, offset] : llvm::zip_equal(sums, offsets)) {
      std::optional<int64_t> number = getConstantIntValue(offset);
      if (!number)
        return std::nullopt;
      sum += *number;
    }
    window = slice.getSource();
  }
  return isa<BlockArgument>(window) ? std::optional(sums) : std::nullopt;
}

/// A value that is loaded from or stored to a Ref in registers, whose threads
/// hold other elements.
int64_t getOfRegisters(Value ref, Type value, Distributions &distributions) {
  auto root = dyn_cast<BlockArgument>(getSlicedRef(ref));
  auto array = dyn_cast<RankedTensorType>(value);
  if (!root || !array || !isa<grid::ScopedOp>(root.getOwner()->getParentOp()))
    return 0;
  auto type = cast<MemRefType>(root.getType());
  if (!isInSpace(type, Space::Regs) &&
      !grid::isDefaultSpace(grid::getSpace(type)))
    return 0;
  std::optional<Coordinates> offsets = getOffsets(ref);
  std::optional<Distribution> held =
      getRegisterDistribution(root, distributions);
  const Distribution *window = distributions.find(array);
  if (!offsets || !held || !window)
    return 0;
  if (window->isSplat ||
      (findWindow(*window, *held, *offsets) &&
       holds(*held, *window, getAllDims(offsets->size()), *offsets)))
    return 0;
  return getBytes(type.getElementType(), held->getNumElements());
}

/// An op that requires the bytes of an exchange at once.
Exchange getWhole(int64_t bytes) { return {bytes, bytes}; }

template <typename ModelT, typename OpT>
using ExchangeModel = ExchangeOpInterface::ExternalModel<ModelT, OpT>;

struct RelayoutExchange : ExchangeModel<RelayoutExchange, RelayoutOp> {
  Exchange getExchange(Operation *op, Distributions &) const {
    return getOfRelayout(cast<RelayoutOp>(op));
  }
};

/// The threads with the same elements read what their owner has got.
struct AtomicExchange : ExchangeModel<AtomicExchange, grid::AtomicRmwOp> {
  Exchange getExchange(Operation *op, Distributions &distributions) const {
    if (op->getResult(0).use_empty())
      return {};
    auto type = dyn_cast<RankedTensorType>(op->getResult(0).getType());
    if (!type)
      return getWhole(getBytes(op->getResult(0).getType(), 1));
    const Distribution *held = distributions.find(type);
    bool isExchanged = held && (held->hasCopies() || held->exceeds());
    return getWhole(isExchanged ? getBytes(type) : 0);
  }
};

struct ExtractExchange : ExchangeModel<ExtractExchange, tensor::ExtractOp> {
  Exchange getExchange(Operation *op, Distributions &) const {
    auto type = cast<RankedTensorType>(
        cast<tensor::ExtractOp>(op).getTensor().getType());
    bool isHeld =
        type.getNumElements() == 1 || isa<linalg::LinalgOp>(op->getParentOp());
    return getWhole(isHeld ? 0 : getBytes(type));
  }
};

struct LoadExchange : ExchangeModel<LoadExchange, grid::LoadOp> {
  Exchange getExchange(Operation *op, Distributions &distributions) const {
    auto load = cast<grid::LoadOp>(op);
    return getWhole(
        getOfRegisters(load.getRef(), load.getType(), distributions));
  }
};

/// An op that stores or adds a value to a Ref.
template <typename OpT>
struct StoreExchange : ExchangeModel<StoreExchange<OpT>, OpT> {
  Exchange getExchange(Operation *op, Distributions &distributions) const {
    auto store = cast<OpT>(op);
    return getWhole(getOfRegisters(store.getRef(), store.getValue().getType(),
                                   distributions));
  }
};

/// An op that needs arrays whole, one after the other.
template <typename OpT>
struct LargestExchange : ExchangeModel<LargestExchange<OpT>, OpT> {
  Exchange getExchange(Operation *op, Distributions &) const {
    int64_t bytes = 0;
    for (Type type : op->getOperandTypes())
      if (auto array = dyn_cast<RankedTensorType>(type))
        bytes = std::max(bytes, getBytes(array));
    return getWhole(bytes);
  }
};

/// A number that one thread reads for all; lanes of a warp shuffle it.
template <typename OpT>
struct NumberExchange : ExchangeModel<NumberExchange<OpT>, OpT> {
  Exchange getExchange(Operation *op, Distributions &) const {
    return getWhole(op->getParentOfType<WarpsOp>()
                        ? 0
                        : getBytes(op->getResult(0).getType(), 1));
  }
};

} // namespace

void gridir::warpgroup::registerExchangeModels(DialectRegistry &registry) {
  registry.addExtension(+[](MLIRContext *context, WarpgroupDialect *) {
    BarrierTestOp::attachInterface<NumberExchange<BarrierTestOp>>(*context);
    RelayoutOp::attachInterface<RelayoutExchange>(*context);
    TmaGatherOp::attachInterface<LargestExchange<TmaGatherOp>>(*context);
    TmaScatterOp::attachInterface<LargestExchange<TmaScatterOp>>(*context);
  });
  registry.addExtension(+[](MLIRContext *context, grid::GridDialect *) {
    grid::AccumulateOp::attachInterface<StoreExchange<grid::AccumulateOp>>(
        *context);
    grid::AtomicRmwOp::attachInterface<AtomicExchange>(*context);
    grid::LoadOp::attachInterface<LoadExchange>(*context);
    grid::PrintOp::attachInterface<LargestExchange<grid::PrintOp>>(*context);
    grid::SemaphoreReadOp::attachInterface<
        NumberExchange<grid::SemaphoreReadOp>>(*context);
    grid::StoreOp::attachInterface<StoreExchange<grid::StoreOp>>(*context);
  });
  registry.addExtension(+[](MLIRContext *context, tensor::TensorDialect *) {
    tensor::ExtractOp::attachInterface<ExtractExchange>(*context);
  });
}

Exchange Exchanges::get(Operation *op) {
  auto hasLayout = [](Type type) {
    return !isa<RankedTensorType>(type) || getLayout(type);
  };
  if (!llvm::all_of(op->getOperandTypes(), hasLayout) ||
      !llvm::all_of(op->getResultTypes(), hasLayout))
    return {};
  if (auto exchange = dyn_cast<ExchangeOpInterface>(op))
    return exchange.getExchange(distributions);
  auto structured = dyn_cast<linalg::LinalgOp>(op);
  return structured && structured.hasPureTensorSemantics()
             ? getWhole(getOfStructured(structured, distributions))
             : Exchange();
}
