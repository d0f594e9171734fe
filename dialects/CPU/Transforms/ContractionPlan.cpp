//===- ContractionPlan.cpp - panels and tiles of a contraction ------------===//
//
// Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dialects/CPU/Transforms/ContractionPlan.h"

#include "dialects/Support/CountableTypes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;

namespace gridir::cpu {

/// Words of the reduction per panel: 16 columns of f32 take 16 KiB, half of a
/// first-level cache, and 32 columns for tiles all of it.
constexpr int64_t kPanelDepth = 256;
/// Bytes of the only panel of a right operand: an eighth of a second-level
/// cache of 512 KiB.
constexpr int64_t kMostPanelBytes = 64 << 10;
/// Columns of so few bits leave a vector mostly empty: where the right operand
/// lies along k, a reduction is better. The order of the sums depends on it, so
/// that it is the same for every CPU.
constexpr int64_t kNarrowBits = 128;
/// Minimum number of rows for which copying the right operand pays off.
constexpr int64_t kRowsWorthPacking = 16;
/// Steps of the outermost loop where the right operand is read along its rows.
constexpr int64_t kStreamedSteps = 16;
/// Minimum number of rows whose additions hide the reads of a narrow panel.
constexpr int64_t kRowsThatHideReads = 64;
/// Minimum number of panels for which copying the left operand pays off.
constexpr int64_t kPanelsWorthCopying = 4;
/// The widest part of a row that is fetched ahead. Of a wider one, a processor
/// fetches the rest by itself.
constexpr int64_t kMostPartBytes = 2 * kLineBytes;
/// Lines that a tile may fetch: one op each.
constexpr int64_t kMostLines = 32;

//===----------------------------------------------------------------------===//
// The roles of loops and operands
//===----------------------------------------------------------------------===//

/// The type of the accumulators for a result of this type.
static Type getComputeType(Type outType) {
  if (outType.isF16() || outType.isBF16())
    return Float32Type::get(outType.getContext());
  if (outType.isInteger() && outType.getIntOrFloatBitWidth() < 32)
    return IntegerType::get(outType.getContext(), 32);
  return outType;
}

FailureOr<ContractionPlan>
ContractionPlan::get(linalg::LinalgOp op, const VectorTarget &target,
                     ArrayRef<std::string> dotProducts, int64_t prefetchBytes) {
  ContractionPlan plan;
  plan.op = op;
  plan.target = target;
  plan.prefetchBytes = prefetchBytes;
  FailureOr<linalg::ContractionDimensions> dims =
      linalg::inferContractionDims(op);
  ArrayRef<int64_t> ranges = plan.ranges = op.getStaticLoopRanges();
  if (failed(dims) || !linalg::isaContractionOpInterface(op) ||
      llvm::any_of(ranges, ShapedType::isDynamic) || op.getNumLoops() == 0 ||
      dims->m.empty() || dims->n.empty() || dims->k.empty() ||
      llvm::is_contained(ranges, 0))
    return failure();
  ArrayRef<AffineMap> maps = plan.maps = op.getIndexingMapsArray();
  for (AffineMap map : maps)
    if (!map.isProjectedPermutation() || map.getNumResults() < 2)
      return failure();
  for (Value operand : op->getOperands())
    if (!getElementTypeOrSelf(operand.getType()).isIntOrFloat())
      return failure();

  // Whichever side has the innermost dimension of the result is the one that
  // vectors run along.
  unsigned innermost = maps[2].getDimPosition(maps[2].getNumResults() - 1);
  SmallVector<unsigned, 2> rows = dims->m, columns = dims->n;
  if (llvm::is_contained(dims->m, innermost)) {
    std::swap(plan.lhs, plan.rhs);
    std::swap(rows, columns);
  }
  if (!llvm::is_contained(columns, innermost))
    return failure();
  plan.n = innermost;
  plan.m = rows.back();
  plan.k = dims->k.back();
  plan.outType = plan.getElementType(2);
  plan.computeType = getComputeType(plan.outType);
  // Floats that are summed as integers are converted in a way of their own.
  Type left = plan.getElementType(plan.lhs),
       right = plan.getElementType(plan.rhs);
  if (isa<IntegerType>(plan.computeType) &&
      (isa<FloatType>(left) || isa<FloatType>(right)))
    return failure();
  plan.lanes = target.getLanes(plan.computeType);
  AffineMap ofRight = maps[plan.rhs];
  bool isAlongK = ofRight.getDimPosition(ofRight.getNumResults() - 1) == plan.k;
  int64_t numColumns = ranges[plan.n];
  if (numColumns == 1 ||
      (isAlongK &&
       numColumns * plan.computeType.getIntOrFloatBitWidth() <= kNarrowBits))
    return failure();

  plan.form = findDotForm({left, plan.isUnsigned(plan.lhs)},
                          {right, plan.isUnsigned(plan.rhs)}, plan.computeType,
                          ranges[plan.k], dotProducts, target.bytes);
  plan.packedType = plan.form
                        ? plan.form->product->getElementType(op.getContext())
                        : plan.computeType;
  // The instruction for bf16 adds the second product of two first: the order
  // of a CPU that has it is that of all, but of those with tiles.
  plan.descends = left.isBF16() && right.isBF16() && !plan.hasTiles();
  // Full panels, then narrower ones; their width stays a power of two times
  // a register, or LLVM takes vectors apart.
  plan.width = plan.lanes *
               std::min<int64_t>(plan.getTileColumns(),
                                 llvm::bit_floor<uint64_t>(std::max<int64_t>(
                                     1, numColumns / plan.lanes)));
  plan.isRightStreamed = plan.shouldStreamRight();
  plan.isLeftCopied = !plan.isRightStreamed && plan.shouldCopyLeft();
  return plan;
}

Type ContractionPlan::getElementType(unsigned operand) const {
  return getElementTypeOrSelf(op->getOperand(operand).getType());
}

int64_t ContractionPlan::getBytes(unsigned operand) const {
  return llvm::divideCeil(getElementType(operand).getIntOrFloatBitWidth(), 8);
}

bool ContractionPlan::isUnsigned(unsigned operand) const {
  BlockArgument arg = linalg::LinalgOp(op).getBlock()->getArgument(operand);
  return arg.getType().isInteger(1) ||
         llvm::any_of(arg.getUsers(),
                      llvm::IsaPred<arith::ExtUIOp, arith::UIToFPOp>);
}

bool ContractionPlan::isTransposed(unsigned operand, unsigned first,
                                   unsigned second) const {
  auto position = [&](unsigned dim) {
    return *maps[operand].getResultPosition(
        getAffineDimExpr(dim, op->getContext()));
  };
  return position(first) > position(second);
}

//===----------------------------------------------------------------------===//
// Tiles
//===----------------------------------------------------------------------===//

int64_t ContractionPlan::padRows(int64_t rows) const {
  return form ? llvm::alignTo(rows, form->product->getNumRows()) : rows;
}

int64_t ContractionPlan::padSteps(int64_t steps) const {
  return form ? llvm::alignTo(steps, form->product->getNumSteps()) : steps;
}

/// Four of the eight tiles are accumulators, in two rows of two.
int64_t ContractionPlan::getTileRows() const {
  return hasTiles() ? 2 * form->product->getNumRows()
                    : target.getContractionRows();
}

int64_t ContractionPlan::getTileColumns() const {
  return hasTiles() ? 2 : target.getContractionColumns();
}

//===----------------------------------------------------------------------===//
// Panels
//===----------------------------------------------------------------------===//

int64_t ContractionPlan::getOutermostSteps() const {
  return isLeftCopied ? kPanelDepth : kStreamedSteps;
}

int64_t ContractionPlan::getDepth(int64_t columns) const {
  if (hasTiles())
    return kPanelDepth * form->product->getNumElements();
  if (ranges[n] > columns)
    return kPanelDepth;
  return std::max(kPanelDepth,
                  kMostPanelBytes * 8 /
                      (columns * computeType.getIntOrFloatBitWidth()));
}

bool ContractionPlan::isPackingWorthwhile() const {
  return ranges[m] >= kRowsWorthPacking;
}

/// All columns use the copy while a second-level cache has it. Accumulators are
/// then in the result.
bool ContractionPlan::shouldCopyLeft() const {
  return !form && outType == computeType && ranges[k] > kPanelDepth &&
         isPackingWorthwhile() && ranges[n] >= kPanelsWorthCopying * width;
}

/// Few rows of the result do not hide the reads of panels of one line of each
/// row, which no processor fetches ahead.
bool ContractionPlan::shouldStreamRight() const {
  bool isNarrow = width * getBytes(rhs) <= kMostPartBytes;
  return !form && !isTransposed(rhs, k, n) && outType == computeType &&
         getElementType(rhs) == packedType &&
         ranges[m] < (isNarrow ? kRowsThatHideReads : kRowsWorthPacking) &&
         ranges[n] > width && ranges[k] > kStreamedSteps && isRightLarge();
}

bool ContractionPlan::isRightOnlyCopied(int64_t columns,
                                        int64_t panelWidth) const {
  return !form && !isRightStreamed && !isTransposed(rhs, k, n) &&
         columns == panelWidth && getElementType(rhs) == packedType &&
         isPackingWorthwhile();
}

/// The argument of the function that the right operand is a part of, or none.
MemRefType ContractionPlan::getRightArray() const {
  Value root = op->getOperand(rhs);
  while (auto view = root.getDefiningOp<memref::SubViewOp>())
    root = view.getSource();
  return isa<BlockArgument>(root) ? cast<MemRefType>(root.getType())
                                  : MemRefType();
}

/// True if the right operand is a part of an array of `prefetchBytes`.
bool ContractionPlan::isRightLarge() const {
  MemRefType type = getRightArray();
  if (prefetchBytes <= 0 || !type || !type.hasStaticShape())
    return false;
  std::optional<int64_t> elements = countPoints(type.getShape());
  return elements &&
         *elements >= llvm::divideCeilSigned(prefetchBytes, getBytes(rhs));
}

bool ContractionPlan::hasRowsAfter() const {
  MemRefType array = getRightArray();
  AffineExpr step = getAffineDimExpr(k, op->getContext());
  return array.getRank() != maps[rhs].getNumResults() ||
         array.getDimSize(*maps[rhs].getResultPosition(step)) > ranges[k];
}

int64_t ContractionPlan::getFetchedRows(int64_t steps, int64_t rows) const {
  return llvm::divideCeil(steps * rows, padRows(ranges[m]));
}

bool ContractionPlan::isRightFollowed(int64_t depth, int64_t panelWidth) const {
  int64_t bytes = panelWidth * getBytes(rhs);
  if (isRightStreamed || hasTiles() || isTransposed(rhs, k, n) ||
      (descends && depth < ranges[k]) || bytes > kMostPartBytes ||
      getFetchedRows(depth, getTileRows()) *
              llvm::divideCeil(bytes, kLineBytes) >
          kMostLines)
    return false;
  return isRightLarge() &&
         (depth < ranges[k] || panelWidth < ranges[n] || hasRowsAfter());
}

} // namespace gridir::cpu
