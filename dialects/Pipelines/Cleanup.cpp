//===- Cleanup.cpp - what follows a conversion ----------------------------===//
//
// Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dialects/Pipelines/Cleanup.h"

#include "dialects/Loops/Transforms/Passes.h"
#include "mlir/Transforms/Passes.h"

using namespace mlir;

void gridir::addCSE(OpPassManager &pm) {
  pm.addPass(loops::createLoopsEliminateRedundantReadsPass());
  pm.addPass(createCSEPass());
}
