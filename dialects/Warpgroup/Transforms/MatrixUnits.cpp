//===- MatrixUnits.cpp - Contractions that matrix units compute -----------===//
//
// Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dialects/Warpgroup/Transforms/MatrixUnits.h"

#include "dialects/Warpgroup/Layout/MmaLayouts.h"
#include "dialects/Warpgroup/Transforms/BlockProgram.h"
#include "dialects/Warpgroup/Transforms/ValueSlices.h"
#include "mlir/IR/Dominance.h"

using namespace mlir;
using namespace gridir;
using namespace gridir::warpgroup;

bool gridir::warpgroup::isInTensorMemory(Value ref) {
  return isInSpace(ref.getType(), Space::Tmem);
}

bool gridir::warpgroup::isInSharedMemory(Value ref) {
  return isInSpace(ref.getType(), Space::Smem);
}

bool gridir::warpgroup::isStaged(grid::LoadOp load) {
  return isInSharedMemory(load.getRef()) && isa<BlockArgument>(load.getRef()) &&
         !load.getMask();
}

std::optional<std::pair<int64_t, int64_t>>
gridir::warpgroup::getContracted(grid::DotOp dot) {
  auto isMatrix = [](Value value) {
    auto type = dyn_cast<RankedTensorType>(value.getType());
    return type && type.getRank() == 2;
  };
  if (!isMatrix(dot.getLhs()) || !isMatrix(dot.getRhs()) ||
      dot.getLhsContract().size() != 1 || !dot.getLhsBatch().empty())
    return std::nullopt;
  return std::pair(dot.getLhsContract()[0], dot.getRhsContract()[0]);
}

grid::LoadOp gridir::warpgroup::getSharedLoad(Value operand,
                                              grid::KernelOp kernel) {
  auto load = operand.getDefiningOp<grid::LoadOp>();
  if (!load || isStaged(load))
    return load;
  std::optional<SharedLoad> shared = matchSharedLoad(load);
  return shared && isSharable(kernel, shared->input) ? load : grid::LoadOp();
}

namespace {

/// 16-bit floats, and numbers of a byte.
bool isHalf(Type type) { return type.isF16() || type.isBF16(); }
bool isByte(Type type) {
  return type.isInteger(8) || isa<Float8E4M3FNType, Float8E5M2Type>(type);
}

/// True if a unit of the chip adds products of these elements in elements of
/// the result.
bool hasTypes(Type element, Type sum, const gpu::Chip &chip) {
  if (element.isF64())
    return sum.isF64() && chip.hasBulkCopies;
  if (element.isInteger(8))
    return sum.isInteger(32);
  return (isHalf(element) || isByte(element)) && sum.isF32();
}

/// True if units of the chip have the types of a contraction, and the precision
/// that its author requests. `element` replaces the type of the operands.
bool hasTypes(grid::DotOp dot, Type element, const gpu::Chip &chip) {
  return (dot.getAlgorithm() != "F64_F64_F64" || element.isF64()) &&
         getElementTypeOrSelf(dot.getLhs().getType()) ==
             getElementTypeOrSelf(dot.getRhs().getType()) &&
         hasTypes(element, getElementTypeOrSelf(dot.getType()), chip);
}

/// Returns the sizes of a contraction of matrices, if the chip has units for
/// its types.
std::optional<ContractionSizes> getSizes(grid::DotOp dot, Type element,
                                         const gpu::Chip &chip) {
  auto contracted = getContracted(dot);
  auto result = dyn_cast<RankedTensorType>(dot.getType());
  if (!contracted || !result || !hasTypes(dot, element, chip))
    return std::nullopt;
  auto lhs = cast<RankedTensorType>(dot.getLhs().getType());
  return ContractionSizes{result.getDimSize(0), result.getDimSize(1),
                          lhs.getDimSize(contracted->first)};
}

/// True if `wgmma` has instructions for these sizes.
bool fitsWarpgroup(const ContractionSizes &sizes, Type element,
                   const gpu::Chip &chip) {
  constexpr int64_t numRows = 64, numColumns = 8, depthBits = 256;
  return chip.hasWgmma && !element.isF64() && sizes.rows % numRows == 0 &&
         sizes.columns % numColumns == 0 &&
         sizes.depth * element.getIntOrFloatBitWidth() % depthBits == 0;
}

/// True if instructions of four warps divide these sizes.
bool fitsWarps(const ContractionSizes &sizes, Type element) {
  return !MmaLayouts::getFitting(element.getIntOrFloatBitWidth(), sizes.rows,
                                 sizes.columns, sizes.depth)
              .empty();
}

/// True if shared memory has rows for a matrix. It has f32 as parts in bf16.
bool isStageable(RankedTensorType type) {
  int64_t bits =
      type.getElementType().isF32() ? 16 : type.getElementTypeBitWidth();
  return fitsRows(type.getDimSize(0), type.getDimSize(1), bits);
}

/// The type of the operands that matrix units read. Products of f32 become
/// those of parts in bf16.
Type getUnitElement(grid::DotOp dot) {
  Type element = getElementTypeOrSelf(dot.getLhs().getType());
  return element.isF32() ? BFloat16Type::get(dot.getContext()) : element;
}

} // namespace

bool gridir::warpgroup::hasUnitTypes(grid::DotOp dot, const gpu::Chip &chip) {
  return hasTypes(dot, getUnitElement(dot), chip);
}

std::optional<ContractionSizes>
gridir::warpgroup::getUnitSizes(grid::DotOp dot, const gpu::Chip &chip) {
  return getSizes(dot, getUnitElement(dot), chip);
}

bool gridir::warpgroup::dividesUnits(grid::DotOp dot,
                                     const ContractionSizes &sizes) {
  Type element = getUnitElement(dot);
  return fitsWarps(sizes, element) ||
         fitsWarps({sizes.columns, sizes.rows, sizes.depth}, element);
}

int64_t gridir::warpgroup::getRowElements(grid::DotOp dot) {
  return kRowBits / getUnitElement(dot).getIntOrFloatBitWidth();
}

int64_t gridir::warpgroup::getDepthUnit(grid::DotOp dot, int64_t depth) {
  constexpr int64_t registerBits = 32, registers = 8;
  int64_t bits = getUnitElement(dot).getIntOrFloatBitWidth(),
          ofRow = getRowElements(dot);
  return depth > ofRow ? ofRow
                       : registers * std::max<int64_t>(registerBits / bits, 1);
}

MatrixUnit gridir::warpgroup::findUnit(grid::DotOp dot, const gpu::Chip &chip) {
  Type element = getElementTypeOrSelf(dot.getLhs().getType());
  std::optional<ContractionSizes> sizes = getSizes(dot, element, chip);
  if (!sizes)
    return MatrixUnit::None;
  bool transposesLhs = dot.getLhsContract()[0] == 0,
       transposesRhs = dot.getRhsContract()[0] == 1;
  auto kernel = dot->getParentOfType<grid::KernelOp>();
  auto lhs = getSharedLoad(dot.getLhs(), kernel),
       rhs = getSharedLoad(dot.getRhs(), kernel);
  // wgmma does not transpose bytes, whose depth is the last dimension.
  bool takesOperands = isByte(element)
                           ? lhs && rhs && !transposesLhs && transposesRhs
                           : rhs && (lhs || !transposesLhs);
  if (takesOperands && fitsWarpgroup(*sizes, element, chip))
    return MatrixUnit::Warpgroup;
  return fitsWarps(*sizes, element) ? MatrixUnit::Warps : MatrixUnit::None;
}

MatrixUnit gridir::warpgroup::findPreparedUnit(grid::DotOp dot,
                                               const gpu::Chip &chip,
                                               bool isSwapped) {
  if (!isSwapped && findUnit(dot, chip) == MatrixUnit::Warpgroup)
    return MatrixUnit::Warpgroup;
  Type element = getUnitElement(dot);
  std::optional<ContractionSizes> sizes = getUnitSizes(dot, chip);
  if (!sizes)
    return MatrixUnit::None;
  if (isSwapped)
    std::swap(sizes->rows, sizes->columns);
  auto [lhsDim, rhsDim] = *getContracted(dot);
  OperandPlace lhs =
                   getPlace(dot.getLhsMutable(),
                            isSwapped ? OperandSide::Right : OperandSide::Left),
               rhs =
                   getPlace(dot.getRhsMutable(),
                            isSwapped ? OperandSide::Left : OperandSide::Right);
  if (sizes->depth > kMaxHeldDepth &&
      ((lhs != OperandPlace::Copied && !canSlice(dot.getLhs(), lhsDim)) ||
       (rhs != OperandPlace::Copied && !canSlice(dot.getRhs(), rhsDim))))
    return MatrixUnit::None;
  OperandPlace left = isSwapped ? rhs : lhs, right = isSwapped ? lhs : rhs;
  bool transposesLeft = isSwapped ? rhsDim == 0 : lhsDim == 0;
  if (isHalf(element) && right != OperandPlace::Registers &&
      (left != OperandPlace::Registers || !transposesLeft) &&
      fitsWarpgroup(*sizes, element, chip))
    return MatrixUnit::Warpgroup;
  return fitsWarps(*sizes, element) ? MatrixUnit::Warps : MatrixUnit::None;
}

OperandPlace gridir::warpgroup::getPlace(OpOperand &operand) {
  auto dot = cast<grid::DotOp>(operand.getOwner());
  return getPlace(operand, operand == dot.getLhsMutable() ? OperandSide::Left
                                                          : OperandSide::Right);
}

OperandPlace gridir::warpgroup::getPlace(OpOperand &operand, OperandSide side) {
  auto dot = cast<grid::DotOp>(operand.getOwner());
  auto type = cast<RankedTensorType>(operand.get().getType());
  // Threads divide f32 into parts.
  if (!type.getElementType().isF32())
    if (auto load = getSharedLoad(operand.get(),
                                  dot->getParentOfType<grid::KernelOp>()))
      return isStaged(load) ? OperandPlace::Staged : OperandPlace::Copied;
  // The left operand can be in registers unless it is transposed.
  auto [lhsDim, rhsDim] = *getContracted(dot);
  int64_t dim = operand == dot.getLhsMutable() ? lhsDim : rhsDim;
  return (side == OperandSide::Left && dim == 1) || !isStageable(type)
             ? OperandPlace::Registers
             : OperandPlace::Staged;
}

std::optional<ContractionSum> gridir::warpgroup::matchSum(grid::DotOp dot) {
  if (dot.getAcc() || !dot->hasOneUse())
    return std::nullopt;
  auto sum = dyn_cast<arith::AddFOp>(*dot->user_begin());
  if (!sum)
    return std::nullopt;
  return ContractionSum{sum, sum.getLhs() == dot.getResult() ? sum.getRhs()
                                                             : sum.getLhs()};
}

int64_t gridir::warpgroup::countParts(grid::DotOp dot) {
  // The names of JAX's `DotAlgorithmPreset` and `Precision`. Two parts have 16
  // bits, tf32 has 11.
  constexpr int64_t ofSingle = 3;
  if (std::optional<StringRef> algorithm = dot.getAlgorithm())
    return llvm::StringSwitch<int64_t>(*algorithm)
        .Case("BF16_BF16_F32", 1)
        .Cases({"TF32_TF32_F32", "BF16_BF16_F32_X3"}, 2)
        .Default(ofSingle);
  ArrayAttr precision = dot.getPrecisionAttr();
  bool isReduced =
      precision && llvm::all_of(precision.getAsRange<StringAttr>(),
                                [](StringAttr s) { return s == "HIGH"; });
  return isReduced ? 2 : ofSingle;
}

ReplacedSum gridir::warpgroup::findReplacedSum(grid::DotOp dot) {
  auto sum = matchSum(dot);
  if (sum && DominanceInfo().properlyDominates(sum->addend, dot))
    return {sum->op, sum->addend};
  return {dot, dot.getAcc()};
}

bool gridir::warpgroup::hasTensorMemoryTypes(grid::DotOp dot,
                                             const gpu::Chip &chip) {
  Type element = getElementTypeOrSelf(dot.getLhs().getType());
  return chip.hasTensorMemory && !element.isF64() &&
         hasTypes(dot, element, chip);
}

bool gridir::warpgroup::fitsTensorMemory(grid::DotOp dot,
                                         const gpu::Chip &chip) {
  // Half of the columns are in separate lanes if there are half of the rows.
  constexpr int64_t numColumns = 16, depthBits = 256;
  Type element = getElementTypeOrSelf(dot.getLhs().getType());
  std::optional<ContractionSizes> sizes = getSizes(dot, element, chip);
  auto kernel = dot->getParentOfType<grid::KernelOp>();
  if (!sizes || !hasTensorMemoryTypes(dot, chip) ||
      !getSharedLoad(dot.getRhs(), kernel))
    return false;
  // A thread stores a row of a left operand in registers to tensor memory.
  if (!getSharedLoad(dot.getLhs(), kernel) &&
      (dot.getLhsContract()[0] == 0 || sizes->rows != kTensorRows))
    return false;
  int64_t bits = element.getIntOrFloatBitWidth(),
          columns = element.isInteger(8) ? 2 * numColumns : numColumns;
  // Half of the columns are panels of an operand that is contiguous along them.
  bool isHalved = sizes->rows == kTensorRows / 2;
  if (isHalved && dot.getRhsContract()[0] == 0)
    columns = 2 * kRowBits / bits;
  return (sizes->rows == kTensorRows || isHalved) &&
         sizes->columns % columns == 0 &&
         sizes->columns <= gpu::kTensorColumns &&
         sizes->depth * bits % depthBits == 0;
}

bool gridir::warpgroup::isUntouched(Value ref, Operation *from, Operation *to) {
  if (from->getBlock() != to->getBlock() || !from->isBeforeInBlock(to))
    return false;
  return llvm::none_of(ref.getUsers(), [&](Operation *user) {
    Operation *here = from->getBlock()->findAncestorOpInBlock(*user);
    return here && here != from && here != to && from->isBeforeInBlock(here) &&
           here->isBeforeInBlock(to);
  });
}

std::optional<Accumulator>
gridir::warpgroup::matchAccumulator(grid::DotOp dot) {
  Operation *sum = dot;
  Value old = dot.getAcc();
  if (auto match = matchSum(dot)) {
    sum = match->op;
    old = match->addend;
  }
  auto load = old ? old.getDefiningOp<grid::LoadOp>() : grid::LoadOp();
  if (!load || load.getMask() || !load->hasOneUse() || !sum->hasOneUse())
    return std::nullopt;
  auto store = dyn_cast<grid::StoreOp>(*sum->user_begin());
  Value ref = load.getRef();
  if (!store || store.getMask() || store.getRef() != ref ||
      store.getValue() != sum->getResult(0) || !isUntouched(ref, load, store))
    return std::nullopt;
  Accumulator found{ref, {store}};
  if (sum != dot)
    found.replaced.push_back(sum);
  found.replaced.push_back(dot);
  found.replaced.push_back(load);
  return found;
}
