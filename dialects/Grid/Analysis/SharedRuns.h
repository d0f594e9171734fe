//===- SharedRuns.h - Reads of what other threads write --------*- C++ -*--===//
//
// Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The programs of a CTA share memory: one warpgroup may start the copies that
// others wait for. A write is certainly before a read if the read cannot happen
// without it: all programs continue as far as possible while the write never
// completes, and none of them reaches the read. A barrier that has received
// enough arrivals stays open, so this state does not depend on the order of
// the programs.
//
//===----------------------------------------------------------------------===//

#ifndef GRIDIR_DIALECTS_GRID_ANALYSIS_SHAREDRUNS_H
#define GRIDIR_DIALECTS_GRID_ANALYSIS_SHAREDRUNS_H

#include "dialects/Grid/IR/Grid.h"

#include "llvm/ADT/DenseSet.h"

namespace gridir::grid {

/// Returns those of `refs`, initially uninitialized arguments of scopes, that a
/// program may read before it or another program of its CTA has written them;
/// all of `refs` if the ids do not decide the control flow.
llvm::DenseSet<mlir::Value>
findSharedRefsReadEarly(KernelOp kernel, llvm::ArrayRef<mlir::Value> refs);

} // namespace gridir::grid

#endif // GRIDIR_DIALECTS_GRID_ANALYSIS_SHAREDRUNS_H
