//===- GridAsyncInterface.cpp - Ops whose writes end later ---------------===//
//
// Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dialects/Grid/IR/GridAsyncInterface.h"

#include "dialects/Grid/IR/GridAsyncInterface.cpp.inc"
