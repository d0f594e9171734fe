//===- VerifySizes.cpp - Reject types that cannot be counted --------------===//
//
// Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dialects/Loops/Transforms/Passes.h"

#include "dialects/Support/CountableTypes.h"
#include "dialects/Support/ReshapeGroups.h"

namespace gridir::loops {
#define GEN_PASS_DEF_LOOPSVERIFYSIZESPASS
#include "dialects/Loops/Transforms/Passes.h.inc"
} // namespace gridir::loops

namespace {

struct LoopsVerifySizesPass
    : gridir::loops::impl::LoopsVerifySizesPassBase<LoopsVerifySizesPass> {
  void runOnOperation() override {
    if (failed(gridir::verifyCountableTypes(getOperation())) ||
        failed(gridir::verifyReshapeGroups(getOperation())))
      signalPassFailure();
  }
};

} // namespace
