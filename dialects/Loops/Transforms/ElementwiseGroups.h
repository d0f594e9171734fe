//===- ElementwiseGroups.h - elementwise ops of one loop -------*- C++ -*--===//
//
// Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef GRIDIR_DIALECTS_LOOPS_TRANSFORMS_ELEMENTWISEGROUPS_H
#define GRIDIR_DIALECTS_LOOPS_TRANSFORMS_ELEMENTWISEGROUPS_H

#include "mlir/IR/Operation.h"

#include <algorithm>

namespace gridir::loops {

/// What a `linalg.generic` of elementwise ops may hold.
struct ElementwiseLimits {
  /// Tensors that it reads and makes, whatever the number of ops.
  unsigned maxOperands;
  /// Ops for each tensor, where there are more of them.
  unsigned opsPerOperand;
  /// Ops in its body.
  unsigned maxOps;

  bool allow(unsigned numOps, unsigned numOperands) const {
    return numOps <= maxOps &&
           numOperands <= std::max(maxOperands, numOps / opsPerOperand);
  }
};

/// Turns arithmetic on tensors of one static shape, below `root`, into
/// `linalg.generic`: one for all ops whose results only each other and one
/// last op use, if the stores between them allow it. Fusing them two at a time
/// would copy the body that there is for each op. Beyond the limits there are
/// several, one after another, each of which makes all that the later ones
/// read.
void groupElementwiseOps(mlir::Operation *root,
                         const ElementwiseLimits &limits);

} // namespace gridir::loops

#endif // GRIDIR_DIALECTS_LOOPS_TRANSFORMS_ELEMENTWISEGROUPS_H
