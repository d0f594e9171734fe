//===- BlockAxes.h - Axes along which a program can be split --*- C++ -*--===//
//
// Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// An axis is a set of dimensions of Refs and tensors of a kernel's body that
// run in parallel: elements at one position along the axis depend only on
// elements at the same position. Rows of a softmax are an axis, and so are the
// rows of the left and the columns of the right operand of a contraction. One
// program can therefore be split along an axis into programs of fewer
// positions.
//
//===----------------------------------------------------------------------===//

#ifndef GRIDIR_DIALECTS_GRID_ANALYSIS_BLOCKAXES_H
#define GRIDIR_DIALECTS_GRID_ANALYSIS_BLOCKAXES_H

#include "dialects/Grid/IR/Grid.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/IntEqClasses.h"

namespace gridir::grid {

/// Axes along which a program can be split, or along which positions can be
/// added. Reductions may run along the latter if they have a neutral element,
/// and contractions, and blocks have the whole dimension of their array.
///
/// With `SplitGroups`, the first of several dimensions that are reshaped to one
/// is on the axis of that one: its positions are groups of positions there. A
/// program can be split into equal parts of whole groups.
enum class AxisUse { Split, SplitGroups, Extend };

class BlockAxes {
public:
  explicit BlockAxes(KernelOp kernel, AxisUse use = AxisUse::Split);

  /// Returns the axis of a dimension of a Ref or tensor; none if the dimension
  /// has one element, or if no axis contains it.
  std::optional<unsigned> getAxis(mlir::Value value, unsigned dim) const;

  /// Returns the dimension of a Ref or tensor along an axis, if it has one.
  std::optional<unsigned> findDim(mlir::Value value, unsigned axis) const;

  /// Returns all Refs and tensors with a dimension along an axis.
  llvm::SmallVector<mlir::Value> getValues(unsigned axis) const;

private:
  /// Returns the shape of a Ref or tensor; empty for a scalar.
  static llvm::ArrayRef<int64_t> getShape(mlir::Value value);
  void visit(mlir::Operation *op);
  llvm::SmallVector<SliceRefOp> getWindowsOfOutput(mlir::Value ref);
  void visitSlice(SliceRefOp slice);
  void visitPart(mlir::OffsetSizeAndStrideOpInterface op, mlir::Value whole,
                 mlir::Value part);
  void visitDot(DotOp dot);
  void visitGather(GatherOp gather);
  void visitStructured(mlir::linalg::LinalgOp op);
  void visitOther(mlir::Operation *op);
  void visitOperand(unsigned operand);
  void visitAliases();
  void add(mlir::Value value);
  /// The two dimensions belong to the same axis, or to none.
  void join(mlir::Value a, unsigned dimOfA, mlir::Value b, unsigned dimOfB);
  void joinAll(mlir::Value a, mlir::Value b);
  void joinReshaped(mlir::Value whole, mlir::Value parts,
                    llvm::ArrayRef<llvm::SmallVector<int64_t, 2>> groups);
  void joinGroups(mlir::Value whole, unsigned dim, mlir::Value parts,
                  unsigned first);
  void block(mlir::Value value, unsigned dim);
  void block(mlir::Value value);
  void finish();

  KernelOp kernel;
  AxisUse use;
  /// Each dimension is a node; a value's nodes are consecutive.
  llvm::DenseMap<mlir::Value, unsigned> firstNodes;
  llvm::SmallVector<mlir::Value> values;
  llvm::SmallVector<std::pair<unsigned, unsigned>> pairs;
  llvm::SmallVector<unsigned> blockedNodes;
  unsigned numNodes = 0;
  llvm::IntEqClasses classes;
  llvm::SmallVector<bool> isBlocked;
};

/// Returns the Ref whose dimensions are divided if programs that write an
/// output are split: a window if the body accesses the output only by windows
/// of one shape, otherwise the output.
mlir::Value getDividedRef(mlir::Value output);

} // namespace gridir::grid

#endif // GRIDIR_DIALECTS_GRID_ANALYSIS_BLOCKAXES_H
