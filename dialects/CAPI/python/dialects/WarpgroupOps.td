//===- WarpgroupOps.td - Python bindings of the warpgroup dialect -*- tablegen -*-===//
//
// Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

include "dialects/Warpgroup/IR/WarpgroupOps.td"
