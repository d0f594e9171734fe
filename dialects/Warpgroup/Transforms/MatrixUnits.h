//===- MatrixUnits.h - Contractions that matrix units compute ---*- C++ -*-===//
//
// Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef GRIDIR_DIALECTS_WARPGROUP_TRANSFORMS_MATRIXUNITS_H
#define GRIDIR_DIALECTS_WARPGROUP_TRANSFORMS_MATRIXUNITS_H

#include "dialects/GPU/Target/Chip.h"
#include "dialects/Grid/IR/Grid.h"
#include "mlir/Dialect/Arith/IR/Arith.h"

namespace gridir::warpgroup {

/// How a chip computes a contraction, the fastest way last: not at all, with
/// `mma.sync`, or with `wgmma`.
enum class MatrixUnit { None, Warps, Warpgroup };

/// Returns the unit that computes a contraction of parts as it is. `wgmma`
/// takes a right operand in shared memory, and a left one there or, if it is
/// not transposed, in registers. `mma.sync` takes any operands.
MatrixUnit findUnit(grid::DotOp dot, const gpu::Chip &chip);

/// Returns the unit of a contraction of blocks, once
/// `warpgroup-expand-contractions` and `warpgroup-stage-operands` have changed
/// its operands; with `isSwapped`, of the contraction whose operands are
/// exchanged and whose result is transposed.
MatrixUnit findPreparedUnit(grid::DotOp dot, const gpu::Chip &chip,
                            bool isSwapped = false);

/// True if the chip has matrix units for the types of a contraction.
bool hasUnitTypes(grid::DotOp dot, const gpu::Chip &chip);

/// The matrices of a contraction: `rows x depth` times `depth x columns`.
struct ContractionSizes {
  int64_t rows, columns, depth;
};

/// Returns the sizes of a contraction, if the chip has matrix units for its
/// types, of whatever sizes.
std::optional<ContractionSizes> getUnitSizes(grid::DotOp dot,
                                             const gpu::Chip &chip);

/// True if instructions of four warps divide a contraction of these sizes, or
/// the one with exchanged operands.
bool dividesUnits(grid::DotOp dot, const ContractionSizes &sizes);

/// The depth of operands that registers hold at once. Deeper ones are copied,
/// or multiplied in parts.
constexpr int64_t kMaxHeldDepth = 128;

/// Multiples of rows and columns that instructions of four warps divide.
struct ContractionUnit {
  int64_t rows, columns;
};
constexpr ContractionUnit kContractionUnits[] = {{64, 8}, {32, 16}, {16, 32}};

/// The elements of an operand, or of its parts in bf16, in a row of shared
/// memory.
int64_t getRowElements(grid::DotOp dot);

/// Returns the depth that the depth of a contraction must be a multiple of: of
/// an instruction, or of a row of shared memory where parts of the depth are
/// multiplied one after the other.
int64_t getDepthUnit(grid::DotOp dot, int64_t depth);

/// The side of a matrix unit that an operand of a contraction takes.
enum class OperandSide { Left, Right };

/// Where a matrix unit reads an operand: a block that copies to shared memory
/// precede, scratch in shared memory to which a warpgroup stores a value, or
/// registers.
enum class OperandPlace { Copied, Staged, Registers };

/// Returns the place of an operand, by default for the side that it has.
OperandPlace getPlace(mlir::OpOperand &operand);
OperandPlace getPlace(mlir::OpOperand &operand, OperandSide side);

/// The bits of a row of shared memory that matrix units read, as long as all
/// banks, and the rows of a group of them.
constexpr int64_t kRowBits = 128 * 8, kGroupRows = 8;

/// True if such rows hold a matrix.
inline bool fitsRows(int64_t rows, int64_t columns, int64_t elementBits) {
  return rows % kGroupRows == 0 && columns * elementBits % kRowBits == 0;
}

/// True if a load is one of scratch in shared memory.
bool isStaged(grid::LoadOp load);

/// Returns the load of an operand that matrix units read in shared memory, if
/// it is one.
grid::LoadOp getSharedLoad(mlir::Value operand, grid::KernelOp kernel);

/// The contracted dimension of both operands of a contraction of matrices that
/// contracts one.
std::optional<std::pair<int64_t, int64_t>> getContracted(grid::DotOp dot);

/// The op that adds the result of a contraction to another value.
struct ContractionSum {
  mlir::arith::AddFOp op;
  mlir::Value addend;
};

/// True if MMAs of the chip add the products of a contraction of parts to an
/// accumulator in tensor memory. The right operand is in shared memory, and the
/// left one there or, if it is not transposed, in registers.
bool fitsTensorMemory(grid::DotOp dot, const gpu::Chip &chip);

/// True if MMAs of the chip have accumulators in tensor memory, and the types
/// of a contraction without changes.
bool hasTensorMemoryTypes(grid::DotOp dot, const gpu::Chip &chip);

/// True for a Ref in tensor memory, or in shared memory.
bool isInTensorMemory(mlir::Value ref);
bool isInSharedMemory(mlir::Value ref);

/// The rows of an accumulator in tensor memory, one for each lane. MMAs with
/// half of them take as long.
constexpr int64_t kTensorRows = 128;

/// The Ref that is the accumulator of a contraction: the body loads all of it,
/// adds the result, and stores the sum.
struct Accumulator {
  mlir::Value ref;
  /// The ops that an MMA replaces, the last one first: without the load, it
  /// does not add to what the Ref has.
  llvm::SmallVector<mlir::Operation *> replaced;

  bool addsToOld() const { return llvm::isa<grid::LoadOp>(replaced.back()); }
};

std::optional<Accumulator> matchAccumulator(grid::DotOp dot);

/// True if nothing between two ops of a block accesses a Ref, which is no view.
bool isUntouched(mlir::Value ref, mlir::Operation *from, mlir::Operation *to);

/// Returns the sum that is the only use of a contraction without an
/// accumulator operand.
std::optional<ContractionSum> matchSum(grid::DotOp dot);

/// Returns the number of parts in bf16 of each operand of a contraction of f32.
/// Three have the precision of f32, which is computed unless the author
/// requests less.
int64_t countParts(grid::DotOp dot);

/// The op that products in an accumulator of their own replace.
struct ReplacedSum {
  /// The contraction, or the op that adds its result to a value.
  mlir::Operation *op;
  /// The value to which products are added; null for zero.
  mlir::Value init;
};

/// Returns the sum of a contraction with a value that is known before it, or
/// else the contraction.
ReplacedSum findReplacedSum(grid::DotOp dot);

} // namespace gridir::warpgroup

#endif // GRIDIR_DIALECTS_WARPGROUP_TRANSFORMS_MATRIXUNITS_H
