//===- ProductSchedule.cpp - Schedules of kernels with contractions -------===//
//
// Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dialects/Warpgroup/Transforms/BlockProgram.h"
#include "dialects/Warpgroup/Transforms/LiveRegisters.h"
#include "dialects/Warpgroup/Transforms/MatrixUnits.h"
#include "dialects/Warpgroup/Transforms/ScheduleParts.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"

using namespace mlir;
using namespace gridir;
using namespace gridir::grid;
using namespace gridir::warpgroup;

namespace {

/// Rows of an accumulator of a warpgroup in registers, and its 32-bit
/// registers.
constexpr int64_t kAccRows = 64, kMaxAccRegisters = 128;
constexpr int64_t kMaxConsumers = 2, kMaxStages = 4;
/// Registers of a thread for arrays between contractions in tensor memory, and
/// for a contraction of f32 whose parts would repeat another one. Beside them
/// are addresses, rows and temporary values.
constexpr int64_t kMaxLiveRegisters = 192;

class ProductSchedule : ScheduleParts {
public:
  explicit ProductSchedule(const ScheduleParts &parts) : ScheduleParts(parts) {}

  ChosenSchedule choose(ArrayRef<DotOp> dots) {
    if (failed(findMatrix()))
      return std::string("its first output is no vector or matrix");
    // Tensor memory may hold the accumulators of one consumer only, and shared
    // memory its rows.
    for (int64_t consumers = canUseTensorMemory(dots) ? kMaxConsumers : 0;
         consumers > 0; --consumers) {
      SmallVector<int64_t> whole = part;
      SmallVector<int64_t> ofWarpgroup =
          divideForProducts(dots, kTensorRows, consumers);
      bool isRepeated = consumers > 1 && part[columnDim] < whole[columnDim] &&
                        repeatsContractions(dots);
      if (ofWarpgroup[*rowDim] == kTensorRows && !isRepeated &&
          !exceedsRegisters(dots, ofWarpgroup, kTensorRows) &&
          !exceedsTensorMemory(dots, ofWarpgroup) &&
          !exceedsLiveRegisters(dots, ofWarpgroup)) {
        auto chosen = chooseCopies(dots, ofWarpgroup);
        if (std::holds_alternative<ScheduleAttr>(chosen))
          return chosen;
      }
      part = whole;
    }
    SmallVector<int64_t> ofWarpgroup =
        divideForProducts(dots, kAccRows, kMaxConsumers);
    if (exceedsRegisters(dots, ofWarpgroup, kAccRows))
      return std::string("registers of a warpgroup do not hold the result of "
                         "a contraction");
    return chooseCopies(dots, ofWarpgroup);
  }

private:
  /// True if a program of a CTA has several steps.
  bool hasSteps() {
    return llvm::any_of(llvm::seq(kernel.getRank()), [&](unsigned dim) {
      return isSequential(kernel, dim);
    });
  }

  /// True if a warpgroup only copies: the others then take over its registers.
  bool hasProducer() const {
    return chip.hasBulkCopies && chip.hasSetMaxRegisters;
  }

  static bool isSingle(DotOp dot) {
    return getElementTypeOrSelf(dot.getLhs().getType()).isF32();
  }

  /// The most 32-bit registers of a thread for a value along an axis that a
  /// warpgroup stages.
  int64_t countStagedRegisters(ArrayRef<DotOp> dots, unsigned axis) {
    int64_t registers = 0;
    for (DotOp dot : dots)
      for (OpOperand *operand : {&dot.getLhsMutable(), &dot.getRhsMutable()})
        if (getPlace(*operand) == OperandPlace::Staged &&
            axes.findDim(operand->get(), axis))
          registers = std::max(registers, countElements(operand->get(), part) /
                                              kNumThreads);
    return registers;
  }

  /// The registers of a thread for the accumulators of a contraction, and for
  /// its operands: a right one, and the parts of a left one of f32.
  int64_t countProductRegisters(DotOp dot, ArrayRef<int64_t> sizes) {
    auto countWords = [&](Value value) {
      int64_t bits = countElements(value, sizes) *
                     cast<ShapedType>(value.getType()).getElementTypeBitWidth();
      return isSingle(dot) && value != dot.getResult()
                 ? bits / 64 * countParts(dot)
                 : bits / 32;
    };
    int64_t words = countWords(dot.getResult());
    if (isSingle(dot)) {
      // The least products of a sum have an accumulator of their own.
      if (countParts(dot) > 1 && findReplacedSum(dot).init)
        words *= 2;
      if (getPlace(dot.getLhsMutable()) == OperandPlace::Registers)
        words += countWords(dot.getLhs());
    }
    // Up to four warps have the same columns.
    if (getPlace(dot.getRhsMutable()) == OperandPlace::Registers)
      words += kWarps * countWords(dot.getRhs());
    return words / kNumThreads;
  }

  /// The number of columns of the output that parts must be multiples of: rows
  /// of a matrix unit where the operands of a contraction are swapped, and the
  /// columns of four warps where their result has fewer rows than four warps.
  int64_t getColumnUnit(ArrayRef<DotOp> dots, int64_t accRows) {
    constexpr int64_t unit = 8, tensorUnit = 32;
    if (accRows == kTensorRows)
      return tensorUnit;
    bool isSwapped = llvm::any_of(dots, [&](DotOp dot) {
      std::optional<unsigned> axis = axes.getAxis(dot.getResult(), 0);
      return axis && axis == axes.getAxis(output, columnDim);
    });
    if (isSwapped)
      return kAccRows;
    return rowDim && part[*rowDim] % kAccRows == 0 ? unit : kWarps * unit;
  }

  /// True for a left operand that MMAs read in tensor memory, if their
  /// accumulators are there.
  static bool isOfTensorMemory(OpOperand &operand) {
    return getPlace(operand) == OperandPlace::Registers;
  }

  static bool hasTensorOperands(ArrayRef<DotOp> dots) {
    return llvm::any_of(
        dots, [](DotOp dot) { return isOfTensorMemory(dot.getLhsMutable()); });
  }

  /// True if MMAs of the chip can add the products of all contractions to
  /// accumulators in tensor memory, with the rows of the first output.
  bool canUseTensorMemory(ArrayRef<DotOp> dots) const {
    if (!rowDim || part[*rowDim] % kTensorRows != 0)
      return false;
    std::optional<unsigned> rows = axes.getAxis(output, *rowDim);
    return rows && llvm::all_of(dots, [&](DotOp dot) {
             return hasTensorMemoryTypes(dot, chip) &&
                    (!isOfTensorMemory(dot.getLhsMutable()) ||
                     dot.getLhsContract()[0] == 1) &&
                    getPlace(dot.getRhsMutable()) != OperandPlace::Registers &&
                    axes.getAxis(dot.getResult(), 0) == rows;
           });
  }

  /// True if registers of a warpgroup do not hold the result of a contraction,
  /// of those along an axis if there is one. A sum that is kept in tensor
  /// memory is rescaled in parts. Operands of f32 use more registers where
  /// there are no smaller parts, or where these would repeat a contraction.
  bool exceedsRegisters(ArrayRef<DotOp> dots, ArrayRef<int64_t> ofWarpgroup,
                        int64_t accRows, std::optional<unsigned> axis = {}) {
    int64_t maxRegisters = getMaxAccRegisters(accRows);
    bool isInParts = accRows == kTensorRows && hasTensorOperands(dots),
         isWhole =
             !axes.getAxis(output, columnDim) || repeatsContractions(dots);
    return llvm::any_of(dots, [&](DotOp dot) {
      int64_t limit = maxRegisters;
      if (isInParts && isSumKept(dot))
        limit = 2 * kMaxAccRegisters;
      else if (isWhole && isSingle(dot))
        limit = kMaxLiveRegisters;
      return (!axis || axes.findDim(dot.getResult(), *axis)) &&
             countProductRegisters(dot, ofWarpgroup) > limit;
    });
  }

  /// True if the accumulators and left operands of parts are too large for
  /// tensor memory.
  bool exceedsTensorMemory(ArrayRef<DotOp> dots,
                           ArrayRef<int64_t> ofWarpgroup) {
    constexpr int64_t columnBits = 32;
    int64_t columns = 0;
    llvm::SmallPtrSet<Value, 4> operands;
    auto add = [&](Value value, int64_t bits) {
      columns +=
          countElements(value, ofWarpgroup) * bits / (columnBits * kTensorRows);
    };
    for (DotOp dot : dots) {
      add(dot.getResult(), columnBits);
      Value lhs = dot.getLhs();
      if (isOfTensorMemory(dot.getLhsMutable()) && operands.insert(lhs).second)
        add(lhs, getElementTypeOrSelf(lhs).getIntOrFloatBitWidth());
    }
    return columns * getNumConsumers(ofWarpgroup) > gpu::kTensorColumns;
  }

  /// True if a contraction reads what the body computes, and registers do not
  /// hold all values that are live at once. Parts of fewer rows have more
  /// threads for them.
  bool exceedsLiveRegisters(ArrayRef<DotOp> dots,
                            ArrayRef<int64_t> ofWarpgroup) {
    return hasTensorOperands(dots) &&
           countLiveRegisters(kernel, [&](Value value) {
             Type element = getElementTypeOrSelf(value);
             int64_t bits =
                 element.isIntOrFloat() ? element.getIntOrFloatBitWidth() : 64;
             return countElements(value, ofWarpgroup) * bits /
                    (32 * kNumThreads);
           }) > kMaxLiveRegisters;
  }

  /// True if parts of the output with different columns repeat a contraction.
  bool repeatsContractions(ArrayRef<DotOp> dots) const {
    std::optional<unsigned> columns = axes.getAxis(output, columnDim);
    return llvm::any_of(dots, [&](DotOp dot) {
      return axes.getAxis(dot.getResult(), 1) != columns;
    });
  }

  /// The most registers of a thread for the results of a contraction. Results
  /// in tensor memory are read in two parts if a single warpgroup computes them
  /// and all else is elementwise.
  int64_t getMaxAccRegisters(int64_t accRows) {
    bool isSplit = accRows == kTensorRows && part[*rowDim] == accRows;
    kernel.getBodyRegion().walk([&](linalg::LinalgOp) { isSplit = false; });
    return isSplit ? 2 * kMaxAccRegisters : kMaxAccRegisters;
  }

  /// Finds the rows and columns of the first output, a matrix or a vector of
  /// columns. Other dimensions have one element.
  LogicalResult findMatrix() {
    SmallVector<unsigned> longer;
    for (auto [dim, size] : llvm::enumerate(part))
      if (size != 1)
        longer.push_back(dim);
    if (part.empty() || longer.size() > 2)
      return failure();
    // Otherwise the matrix has one row or column.
    bool isLonger = longer.size() == 2;
    columnDim = isLonger ? longer.back() : part.size() - 1;
    if (part.size() > 1)
      rowDim = isLonger ? longer.front() : columnDim - 1;
    return success();
  }

  /// True if all parts of copied operands are in rows of 128 bytes, in groups
  /// of eight.
  bool haveRows(ArrayRef<DotOp> dots, ArrayRef<int64_t> sizes) {
    auto getPartSize = [&](Value value, int64_t dim) {
      int64_t size = getShape(value)[dim];
      for (auto [d, part] : llvm::enumerate(sizes))
        if (std::optional<unsigned> axis = axes.getAxis(output, d);
            axis && axes.findDim(value, *axis) == dim)
          size = size / getShape(output)[d] * part;
      return size;
    };
    return llvm::all_of(dots, [&](DotOp dot) {
      return llvm::all_of(
          ArrayRef{&dot.getLhsMutable(), &dot.getRhsMutable()},
          [&](OpOperand *operand) {
            Value value = operand->get();
            int64_t bits =
                getElementTypeOrSelf(value.getType()).getIntOrFloatBitWidth();
            return getPlace(*operand) != OperandPlace::Copied ||
                   fitsRows(getPartSize(value, 0), getPartSize(value, 1), bits);
          });
    });
  }

  /// The warpgroups of a CTA that compute rows of it.
  int64_t getNumConsumers(ArrayRef<int64_t> ofWarpgroup) const {
    return rowDim ? part[*rowDim] / ofWarpgroup[*rowDim] : 1;
  }

  /// Divides the output into parts of CTAs, in `part`, whose warpgroups have
  /// accumulators of at most `accRows` rows. Returns the part of a warpgroup.
  SmallVector<int64_t> divideForProducts(ArrayRef<DotOp> dots, int64_t accRows,
                                         int64_t maxConsumers) {
    // The programs of a CTA along the rows are its consumers.
    SmallVector<int64_t> ofWarpgroup = part;
    std::optional<unsigned> rows, columns = axes.getAxis(output, columnDim);
    if (rowDim)
      rows = axes.getAxis(output, *rowDim);
    if (rows && part[*rowDim] % accRows == 0) {
      int64_t &size = part[*rowDim];
      int64_t consumers = std::min(size / accRows, maxConsumers);
      while (size % (consumers * accRows) != 0)
        --consumers;
      size = consumers * accRows;
      ofWarpgroup[*rowDim] = accRows;
      // Rows of transposed bytes are as long as two consumers.
      if (!haveRows(dots, ofWarpgroup))
        ofWarpgroup[*rowDim] = size;
    }
    int64_t maxStaged =
        repeatsContractions(dots) ? kMaxArrayRegisters : kArrayRegisters;
    auto isWide = [&] {
      return part[columnDim] > 256 ||
             countStagedRegisters(dots, *columns) > maxStaged ||
             exceedsRegisters(dots, ofWarpgroup, accRows, columns) ||
             (accRows == kTensorRows && exceedsTensorMemory(dots, ofWarpgroup));
    };
    while (columns && isWide() &&
           part[columnDim] % (2 * getColumnUnit(dots, accRows)) == 0) {
      ofWarpgroup[columnDim] /= 2;
      if (!haveRows(dots, ofWarpgroup))
        break;
      part[columnDim] = ofWarpgroup[columnDim];
    }
    ofWarpgroup[columnDim] = part[columnDim];
    return ofWarpgroup;
  }

  /// Chooses the operands that are copied to shared memory, and the stages.
  ChosenSchedule chooseCopies(ArrayRef<DotOp> dots,
                              ArrayRef<int64_t> ofWarpgroup) {
    llvm::SmallSetVector<int64_t, 4> shared;
    llvm::SmallSetVector<Value, 4> seen;
    // Bytes of the operands that are loaded once, and of those of each stage.
    int64_t fixedBytes =
                countScratchBytes(ofWarpgroup) * getNumConsumers(ofWarpgroup),
            stageBytes = 0;
    for (DotOp dot : dots)
      for (OpOperand *operand : {&dot.getLhsMutable(), &dot.getRhsMutable()}) {
        OperandPlace place = getPlace(*operand);
        Value value = operand->get();
        auto load = value.getDefiningOp<LoadOp>();
        bool isCopied = place == OperandPlace::Copied;
        if (place == OperandPlace::Registers ||
            !seen.insert(isCopied ? load.getRef() : value))
          continue;
        int64_t elementBytes =
            getElementTypeOrSelf(value.getType()).getIntOrFloatBitWidth() / 8;
        if (!isCopied) {
          // Each warpgroup stages its own values, and f32 as parts in bf16.
          if (isSingle(dot))
            elementBytes = 2 * countParts(dot);
          fixedBytes += countElements(value, ofWarpgroup) * elementBytes *
                        getNumConsumers(ofWarpgroup);
          continue;
        }
        SharedLoad match = *matchSharedLoad(load);
        if (!hasProducer() && !hasAlignedRows(match, kernel))
          return "threads do not copy rows of " +
                 kernel.getOperandName(kernel.getNumIndexOperands() +
                                       match.input) +
                 " that begin at other bytes than multiples of 16";
        shared.insert(match.input);
        bool isRepeated = match.loop || hasSteps();
        (isRepeated ? stageBytes : fixedBytes) +=
            countElements(value, part) * elementBytes;
      }
    int64_t available = getSharedLimit() - fixedBytes,
            stages = stageBytes == 0
                         ? 1
                         : std::min(kMaxStages, available / stageBytes);
    if (stages < 1 || available < 0)
      return "shared memory of a CTA does not hold " +
             std::to_string(fixedBytes + stageBytes) + " bytes of operands";
    SmallVector<int64_t> operands(shared.begin(), shared.end());
    llvm::sort(operands);
    return ScheduleAttr::get(kernel.getContext(), part, ofWarpgroup, operands,
                             stages, operands.empty() || hasProducer() ? 1 : 0);
  }

  /// The rows and columns of the first output.
  std::optional<unsigned> rowDim;
  unsigned columnDim = 0;
};

} // namespace

ChosenSchedule gridir::warpgroup::chooseForProducts(const ScheduleParts &parts,
                                                    ArrayRef<DotOp> dots) {
  return ProductSchedule(parts).choose(dots);
}
