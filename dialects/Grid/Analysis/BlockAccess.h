//===- BlockAccess.h - What the programs of a kernel touch -----*- C++ -*--===//
//
// Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The elements of every array that a program of a kernel reads and writes, and
// conclusions: overhanging blocks, blocks outside of their array, operands with
// the same block along a grid dimension, and conflicts between two programs.
//
//===----------------------------------------------------------------------===//

#ifndef GRIDIR_DIALECTS_GRID_ANALYSIS_BLOCKACCESS_H
#define GRIDIR_DIALECTS_GRID_ANALYSIS_BLOCKACCESS_H

#include "dialects/Grid/Analysis/ProgramGuards.h"
#include "dialects/Grid/Analysis/RefRegions.h"

namespace gridir::grid {

/// One access of the body to an array operand, in coordinates of the array.
struct ArrayAccess {
  mlir::Operation *op;
  /// Index operand, input or output, in the order of the body's arguments.
  unsigned operand;
  ElementBox box;
  bool reads;
  bool writes;
  /// True if every program accesses the box, because its block is copied in and
  /// out; otherwise only programs that run the op do.
  bool isCopied = false;
};

/// The counterexample of a query: two programs that access the same element, or
/// one program.
struct ProgramWitness {
  mlir::SmallVector<int64_t> first;
  mlir::SmallVector<int64_t> second;
};

/// The result of a query about all programs. It is `unknown` if the values of
/// the program are not known precisely enough, never because of a time limit.
struct QueryResult {
  enum Kind { no, unknown, yes } kind = unknown;
  /// For `yes`: the programs that prove it.
  ProgramWitness witness;
};

/// An analysis of the analysis manager (`getAnalysis`). Passes preserve it if
/// they change neither the body, nor index maps, nor operand specs.
class BlockAccess {
public:
  /// With `copiesOverhang`, a block that overhangs its array is accessed as a
  /// whole, because the target copies it; otherwise only the accesses of the
  /// body count.
  explicit BlockAccess(KernelOp kernel, bool copiesOverhang = true);

  KernelOp getKernel() const { return values.getKernel(); }
  ProgramValues &getValues() { return values; }

  /// The elements of the array that the block of operand `i` holds in the
  /// running program. Padding of an `element` dimension makes lows negative.
  const ElementBox &getBlock(unsigned operand) const { return blocks[operand]; }

  /// The elements of the array of operand `i` that a box of its Ref holds.
  ElementBox getArrayBox(unsigned operand, const ElementBox &ofRef);

  /// Every access of the body to an operand.
  llvm::ArrayRef<ArrayAccess> getAccesses() const { return accesses; }

  /// True if the body writes to prefetched scalars.
  bool writesPrefetched() const;

  /// The operands that share memory with `operand`, itself included.
  mlir::SmallVector<unsigned> getAliasSet(unsigned operand) const;

  /// True if the index map of an operand reads the program id along `dim`.
  bool isIndexedBy(unsigned operand, unsigned dim) const;

  /// True if some block of the operand overhangs the array along an array
  /// dimension.
  QueryResult overhangs(unsigned operand, unsigned arrayDim);

  /// True if some block of the operand lies completely outside the array along
  /// an array dimension.
  QueryResult liesOutside(unsigned operand, unsigned arrayDim);

  /// True if some program whose block lies completely outside the array along
  /// an array dimension accesses that block without a mask. A target that uses
  /// blocks in place touches no memory of the other blocks.
  QueryResult accessesOutside(unsigned operand, unsigned arrayDim);

  /// True if two programs that differ along grid dimension `dim` access the
  /// same element, the first by `a` and the second by `b`, which are accesses
  /// to one array.
  QueryResult mayConflict(const ArrayAccess &a, const ArrayAccess &b,
                          unsigned dim);

private:
  QueryResult queryOutside(unsigned operand, unsigned arrayDim,
                           const ProgramGuards &guards);
  ElementBox computeBlock(unsigned operand);
  void collectAccesses();

  ProgramValues values;
  bool copiesOverhang;
  mlir::SmallVector<ElementBox> blocks;
  mlir::SmallVector<ArrayAccess> accesses;
};

} // namespace gridir::grid

#endif // GRIDIR_DIALECTS_GRID_ANALYSIS_BLOCKACCESS_H
