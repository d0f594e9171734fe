//===- Slips.h - Ways in which a pass may be wrong --------------*- C++ -*-===//
//
// Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef GRIDIR_DIALECTS_TEST_TRANSFORMS_SLIPS_H
#define GRIDIR_DIALECTS_TEST_TRANSFORMS_SLIPS_H

#include "mlir/IR/Operation.h"

namespace gridir::test {

/// One way to be wrong.
struct Slip {
  llvm::StringLiteral name;
  /// Makes an op wrong such that it still verifies; false, and nothing is
  /// changed, for an op that cannot be wrong in this way.
  bool (*plant)(mlir::Operation *);
};

/// Faults in the computation of an op.
llvm::ArrayRef<Slip> getValueSlips();
/// Faults in loops, branches, memory and the order of threads.
llvm::ArrayRef<Slip> getControlSlips();

} // namespace gridir::test

#endif // GRIDIR_DIALECTS_TEST_TRANSFORMS_SLIPS_H
