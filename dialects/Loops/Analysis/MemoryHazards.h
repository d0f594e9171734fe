//===- MemoryHazards.h - may a read of a Ref move --------------*- C++ -*--===//
//
// Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef GRIDIR_DIALECTS_LOOPS_ANALYSIS_MEMORYHAZARDS_H
#define GRIDIR_DIALECTS_LOOPS_ANALYSIS_MEMORYHAZARDS_H

#include "mlir/IR/Operation.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/SmallVector.h"

namespace gridir::loops {

// The counterpart of grid::RefHazards after kernels are lowered;
// dialects/Support/MemoryAccesses.h describes both and why there are two.

/// `bufferization.to_tensor` does not copy: a tensor loaded from a Ref is the
/// Ref's memory until its last use. Passes that move the use of such a tensor,
/// or the store of one, query these functions for the ops in between.

/// True unless the two memrefs certainly share no byte: distinct allocations,
/// an allocation and an argument, or two arguments with `llvm.noalias` on at
/// least one.
bool mayAlias(mlir::Value a, mlir::Value b);

/// Collects the memrefs whose memory `tensor` may be.
void collectBuffers(mlir::Value tensor,
                    llvm::SmallVectorImpl<mlir::Value> &memrefs);

/// True if `op`, or an op inside of it, may write one of `memrefs`.
bool mayWrite(mlir::Operation *op, llvm::ArrayRef<mlir::Value> memrefs);

/// True if `op`, or an op inside of it, may read or write one of `memrefs`.
bool mayAccess(mlir::Operation *op, llvm::ArrayRef<mlir::Value> memrefs);

/// True if `op` may run just before `later`, an op of the same block, and read
/// the same contents of every Ref as it does now.
bool mayReadLater(mlir::Operation *op, mlir::Operation *later);

/// The origin of tensors that many ops in a row update in one buffer.
using TensorOrigins = llvm::DenseMap<mlir::Value, mlir::Value>;

/// The writes of a block, in their order, for many queries about ops that are
/// far apart. Valid until the block is changed.
class BlockWrites {
public:
  explicit BlockWrites(mlir::Block &block);

  /// True if an op after `from` and before `to`, two ops of the block, may
  /// write the memory that `tensor` may be.
  bool mayWriteBetween(mlir::Operation *from, mlir::Operation *to,
                       mlir::Value tensor);

private:
  TensorOrigins origins;
  llvm::DenseMap<mlir::Operation *, unsigned> positions;
  /// The positions of the writes to the memory of a root, or to any for null.
  llvm::MapVector<mlir::Value, llvm::SmallVector<unsigned>> writes;
};

} // namespace gridir::loops

#endif // GRIDIR_DIALECTS_LOOPS_ANALYSIS_MEMORYHAZARDS_H
