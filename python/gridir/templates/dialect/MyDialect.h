//===- MyDialect.h - The dialect of this project ---------------*- C++ -*--===//
//
// Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef MY_MYDIALECT_H
#define MY_MYDIALECT_H

#include "dialects/Grid/IR/Grid.h"

#include "MyDialect.h.inc"
#define GET_OP_CLASSES
#include "MyOps.h.inc"

namespace my {

/// Lets `convert-grid-to-loops` convert the ops of the dialect.
void addToLoops(MyDialect &dialect);

} // namespace my

#endif // MY_MYDIALECT_H
