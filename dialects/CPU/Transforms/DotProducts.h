//===- DotProducts.h - instructions that add several products --*- C++ -*-===//
//
// Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef GRIDIR_DIALECTS_CPU_TRANSFORMS_DOTPRODUCTS_H
#define GRIDIR_DIALECTS_CPU_TRANSFORMS_DOTPRODUCTS_H

#include "mlir/IR/Builders.h"
#include "llvm/ADT/ArrayRef.h"

namespace gridir::cpu {

/// A dot-product instruction: in every lane of a register, it multiplies the
/// narrow elements of two words and adds all products to a wide accumulator.
struct DotProduct {
  /// The words of the first and of the second operand. Bytes of tiles are
  /// signed or unsigned on either side.
  enum class Elements { BF16, I16, U8AndI8, Bytes };

  /// The name in assembly, the same for registers of every width.
  llvm::StringLiteral name;
  /// LLVM's name for the feature of CPUs that have the instruction, and the
  /// feature of those for which plain multiplications are faster, if there are
  /// any.
  llvm::StringLiteral feature, slowWith;
  Elements elements;
  /// The width of its registers, or of a row of its tiles.
  int64_t bytes;
  /// Creates the instruction: LLVM's intrinsic on vectors, or an op on tiles.
  llvm::StringLiteral intrinsic;
  /// False if it returns only the sum of the products, without an accumulator.
  bool accumulates;
  /// Its registers are tiles: the products of the words of each row of the
  /// first operand with those of each column of the second, for all words of a
  /// row, are added to a matrix.
  bool hasTiles = false;

  mlir::Type getElementType(mlir::MLIRContext *context) const;

  /// Elements of a word of 32 bits.
  int64_t getNumElements() const {
    return elements == Elements::U8AndI8 || elements == Elements::Bytes ? 4 : 2;
  }

  /// Rows of the result that one instruction adds to.
  int64_t getNumRows() const { return hasTiles ? bytes / 4 : 1; }

  /// Steps of the reduction that one instruction does.
  int64_t getNumSteps() const { return getNumRows() * getNumElements(); }

  /// Adds the products of the words of two vectors to a vector.
  mlir::Value create(mlir::OpBuilder &builder, mlir::Location loc,
                     mlir::Value accumulator, mlir::Value first,
                     mlir::Value second) const;
};

/// An operand of a contraction as its body reads it.
struct DotOperand {
  mlir::Type type;
  bool isUnsigned;
};

/// How a contraction uses an instruction.
struct DotForm {
  const DotProduct *product;
  /// The right operand is the first of the instruction.
  bool isSwapped = false;
  /// Both operands have a sign: 128 is added to elements of the left one.
  bool isBiased = false;
  /// Bytes of tiles on this side have no sign.
  bool isUnsignedLeft = false, isUnsignedRight = false;

  /// Adds the products of two tiles to a tile.
  mlir::Value createTile(mlir::OpBuilder &builder, mlir::Location loc,
                         mlir::Value accumulator, mlir::Value left,
                         mlir::Value right) const;
};

/// All instructions that are known, the fastest of those for the same elements
/// first.
llvm::ArrayRef<DotProduct> getDotProducts();

/// Chooses among the instructions of these names one with registers of this
/// width, for contractions over `steps` steps that add in `sum`. One on vectors
/// gives the sum of the plain multiplications bit for bit: of integers exactly,
/// of bf16 by one FMA after the other, from the last product of a word to the
/// first. One on tiles does so for integers; it adds the products of bf16 in an
/// order of its own. Operands for tiles are padded to whole tiles.
std::optional<DotForm> findDotForm(DotOperand lhs, DotOperand rhs,
                                   mlir::Type sum, int64_t steps,
                                   llvm::ArrayRef<std::string> names,
                                   int64_t bytes);

} // namespace gridir::cpu

#endif // GRIDIR_DIALECTS_CPU_TRANSFORMS_DOTPRODUCTS_H
