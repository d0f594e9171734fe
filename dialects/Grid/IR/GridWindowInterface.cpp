//===- GridWindowInterface.cpp - Ops that access a window ----------------===//
//
// Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dialects/Grid/IR/GridWindowInterface.h"

#include "dialects/Grid/IR/GridWindowInterface.cpp.inc"
