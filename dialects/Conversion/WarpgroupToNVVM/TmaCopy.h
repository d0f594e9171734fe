//===- TmaCopy.h - Windows as copies of the TMA unit ------------*- C++ -*-===//
//
// Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef GRIDIR_DIALECTS_CONVERSION_WARPGROUPTONVVM_TMACOPY_H
#define GRIDIR_DIALECTS_CONVERSION_WARPGROUPTONVVM_TMACOPY_H

#include "dialects/Conversion/WarpgroupToNVVM/Lowering.h"

namespace gridir::warpgroup_to_nvvm {

/// One of the copies that make up the copy of a window.
struct Piece {
  /// Its start in the window, along each dimension of the array.
  warpgroup::Coordinates begin;
  /// The same as the coordinates of the Ref in shared memory.
  warpgroup::Coordinates coords;
};

/// A copy of a window as copies by the tensor memory accelerator: each of a
/// panel of shared memory, or of a part that fits one tensor map.
class Copy {
public:
  Copy(Lowering &lowering, mlir::Operation *op, const View &array,
       const View &tile)
      : lowering(lowering), builder(lowering.builder), op(op), array(array),
        tile(tile) {}

  /// `copy` has the offsets of the window. The number of pieces is at least
  /// `numParts`, and a multiple of it.
  template <typename OpT>
  mlir::LogicalResult analyze(OpT copy, int64_t numParts = 1) {
    return analyze(copy.getStaticOffsets(), copy.getOffsets(), copy.getSizes(),
                   copy.getDropped().value_or(llvm::ArrayRef<int64_t>()),
                   numParts);
  }

  int64_t getBytes() const;

  /// Emits each piece, `number` of them at a time. A reduction compares
  /// integers as signed ones if `isSigned`.
  void create(llvm::function_ref<void(mlir::Value map, mlir::Value address,
                                      mlir::ValueRange coords, int64_t number)>
                  createPiece,
              bool isSigned = false);

private:
  mlir::LogicalResult analyze(llvm::ArrayRef<int64_t> staticOffsets,
                              mlir::ValueRange dynamic,
                              llvm::ArrayRef<int64_t> sizes,
                              llvm::ArrayRef<int64_t> dropped,
                              int64_t numParts);
  int64_t getBytesOf(int64_t elements) const;
  mlir::LogicalResult refuse(const llvm::Twine &expected);
  mlir::Value createPieceAddress(const Piece &piece);
  mlir::LogicalResult split(int64_t numParts);
  mlir::LogicalResult findPieces(llvm::SmallVector<int64_t> &step);
  bool areWholePanels(llvm::ArrayRef<int64_t> step, int64_t numParts);
  void dividePieces(llvm::SmallVector<int64_t> &step, int64_t numParts);
  void addPieces(llvm::ArrayRef<int64_t> step);
  std::optional<int64_t> getKnownByte(const Piece &piece) const;

  Lowering &lowering;
  mlir::OpBuilder &builder;
  mlir::Operation *op;
  const View &array, &tile;
  llvm::SmallVector<mlir::OpFoldResult> offsets;
  llvm::SmallVector<int64_t> box, kept, mapDims;
  llvm::SmallVector<Piece> pieces;
  /// True if a piece has several panels.
  bool isByPanels = false;
};

} // namespace gridir::warpgroup_to_nvvm

#endif // GRIDIR_DIALECTS_CONVERSION_WARPGROUPTONVVM_TMACOPY_H
