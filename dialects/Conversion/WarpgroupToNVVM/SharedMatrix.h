//===- SharedMatrix.h - Operands of products in shared memory --*- C++ -*--===//
//
// Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef GRIDIR_DIALECTS_CONVERSION_WARPGROUPTONVVM_SHAREDMATRIX_H
#define GRIDIR_DIALECTS_CONVERSION_WARPGROUPTONVVM_SHAREDMATRIX_H

#include "dialects/Conversion/WarpgroupToNVVM/Lowering.h"

namespace gridir::warpgroup_to_nvvm {

/// The bytes along k that one instruction reads of an operand.
constexpr int64_t kDepthBytes = 32;

/// The instructions that read matrices in shared memory.
enum class MatrixUnit { Wgmma, Tcgen05 };

/// A matrix in shared memory as the matrix unit addresses it: by the address of
/// its first element and the distances between its pieces.
class SharedMatrix {
public:
  SharedMatrix(Lowering &lowering, const View &view, unsigned depthDim,
               MatrixUnit unit)
      : lowering(lowering), builder(lowering.builder), view(view),
        depthDim(depthDim), unit(unit) {}

  /// Reports a matrix that the matrix unit cannot address.
  llvm::LogicalResult analyze(mlir::Operation *op);

  /// True if the depth is not the contiguous dimension.
  bool isTransposed() const { return !isDepthMajor; }

  int64_t getElementBits() const { return view.storage->getBytes(8); }

  /// Computes the base of descriptors. The base itself is not a descriptor if
  /// they are used `alone`, because the other operand is in registers.
  void createBase(mlir::Location loc, bool alone = false);

  /// The descriptor of the part from a row, or column of the product, and a
  /// depth on.
  mlir::Value createDescriptor(mlir::Location loc, int64_t outer,
                               int64_t depth);

private:
  /// Moves the insertion point before the loops in which the matrix is
  /// invariant. Returns false if there is none.
  bool leaveLoops();
  /// The pieces of 16 bytes before the matrix in its memory.
  mlir::OpFoldResult createPieces(mlir::Location loc);
  bool isSwizzled() const;
  int64_t getPanelBytes() const;
  /// From eight rows of a panel to the next.
  int64_t getGroupBytes() const;

  Lowering &lowering;
  mlir::OpBuilder &builder;
  const View &view;
  /// Which dimension of the view is summed over.
  unsigned depthDim;
  MatrixUnit unit;
  bool isDepthMajor = true;
  /// The base of descriptors, and the offset of the complete matrix from it.
  mlir::Value base;
  int64_t ahead = 0;
};

/// The descriptor of a matrix in shared memory, with the distances in bytes
/// between pieces along both dimensions.
mlir::Value createMatrixDescriptor(mlir::OpBuilder &builder, mlir::Location loc,
                                   mlir::Value address, int64_t leadingBytes,
                                   int64_t strideBytes, int64_t swizzle,
                                   MatrixUnit unit);

} // namespace gridir::warpgroup_to_nvvm

#endif // GRIDIR_DIALECTS_CONVERSION_WARPGROUPTONVVM_SHAREDMATRIX_H
