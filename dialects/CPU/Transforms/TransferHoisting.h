//===- TransferHoisting.h - accumulators in registers ----------*- C++ -*--===//
//
// Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef GRIDIR_DIALECTS_CPU_TRANSFORMS_TRANSFERHOISTING_H
#define GRIDIR_DIALECTS_CPU_TRANSFORMS_TRANSFERHOISTING_H

#include "mlir/IR/Operation.h"

namespace gridir::cpu {

/// Moves loop-invariant ops out of the loops in `root`: ops without effects,
/// reads of memory that the loop does not write, and pairs of a read and a
/// write of the same elements that nothing else in the loop accesses. The loop
/// then carries the value of such a pair. An array is left unchanged if a loop
/// accesses more vectors of it than there are `registers`.
///
/// `linalg::hoistRedundantVectorTransfers` starts from the first op again after
/// each pair that it moves, which takes the square of the time in a kernel of
/// many loops. Here each loop is looked at once, after those inside of it.
void hoistTransfers(mlir::Operation *root, unsigned registers);

} // namespace gridir::cpu

#endif // GRIDIR_DIALECTS_CPU_TRANSFORMS_TRANSFERHOISTING_H
