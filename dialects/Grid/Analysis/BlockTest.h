//===- BlockTest.h - What a call tests of its blocks -----------*- C++ -*--===//
//
// Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef GRIDIR_DIALECTS_GRID_ANALYSIS_BLOCKTEST_H
#define GRIDIR_DIALECTS_GRID_ANALYSIS_BLOCKTEST_H

#include "dialects/Grid/IR/Grid.h"

namespace gridir::grid {

/// If index maps read prefetched scalars, the blocks of a program are known
/// only at run time. The dimensions `dims` are parallel, together with those
/// that are parallel in every call, if no two programs of different partitions
/// see the same block of one of the operands, or of operands that share memory.
struct BlockTest {
  mlir::SmallVector<unsigned> dims, operands;
};

/// Returns the test that `grid-infer-dimension-semantics` left to the calls, if
/// any.
std::optional<BlockTest> getBlockTest(KernelOp kernel);

void setBlockTest(KernelOp kernel, const BlockTest &test);

} // namespace gridir::grid

#endif // GRIDIR_DIALECTS_GRID_ANALYSIS_BLOCKTEST_H
