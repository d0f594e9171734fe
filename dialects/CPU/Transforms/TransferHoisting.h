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

/// Moves out of the loops in `root` what is the same in each iteration: ops
/// without effects, reads of what the loop does not write, and pairs of a read
/// and a write of the same elements that nothing else in the loop accesses,
/// whose value the loop then carries. An array of which a loop accesses more
/// vectors than there are `registers` is left as it is.
///
/// `linalg::hoistRedundantVectorTransfers` starts from the first op again after
/// each pair that it moves, which takes the square of the time in a kernel of
/// many loops. Here each loop is looked at once, after those inside of it.
void hoistTransfers(mlir::Operation *root, unsigned registers);

} // namespace gridir::cpu

#endif // GRIDIR_DIALECTS_CPU_TRANSFORMS_TRANSFERHOISTING_H
