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

/// An instruction that multiplies the narrow elements of two words and adds all
/// products to a wide number, in every lane of a register.
struct DotProduct {
  /// What the words of the first and of the second operand hold.
  enum class Elements { BF16, I16, U8AndI8 };

  /// The name in assembly, the same for registers of every width.
  llvm::StringLiteral name;
  /// What LLVM calls the feature of CPUs that have it, and the feature of those
  /// of them for which plain multiplications are faster, if there are any.
  llvm::StringLiteral feature, slowWith;
  Elements elements;
  /// The width of its registers.
  int64_t bytes;
  llvm::StringLiteral intrinsic;
  /// False where it gives the sum of the products alone.
  bool accumulates;

  mlir::Type getElementType(mlir::MLIRContext *context) const;

  /// Elements of a word of 32 bits.
  int64_t getNumElements() const {
    return elements == Elements::U8AndI8 ? 4 : 2;
  }

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
};

/// All instructions that are known, the fastest of those for the same elements
/// first.
llvm::ArrayRef<DotProduct> getDotProducts();

/// Chooses among the instructions of these names one with registers of this
/// width, for contractions over `steps` steps that add in `sum`. Each gives the
/// sum of the plain multiplications bit for bit: of integers exactly, of bf16
/// by one FMA after the other, from the last product of a word to the first.
std::optional<DotForm> findDotForm(DotOperand lhs, DotOperand rhs,
                                   mlir::Type sum, int64_t steps,
                                   llvm::ArrayRef<std::string> names,
                                   int64_t bytes);

} // namespace gridir::cpu

#endif // GRIDIR_DIALECTS_CPU_TRANSFORMS_DOTPRODUCTS_H
