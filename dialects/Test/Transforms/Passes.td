//===- Passes.td - Passes that only tests run -------------*- tablegen -*--===//
//
// Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef GRIDIR_DIALECTS_TEST_TRANSFORMS_PASSES_TD
#define GRIDIR_DIALECTS_TEST_TRANSFORMS_PASSES_TD

include "mlir/Pass/PassBase.td"

def TestCrashPass : Pass<"test-crash", "::mlir::ModuleOp"> {
  let summary = "Crash, for the tests of what becomes of a crash";
  let description = [{
    Ends the process that runs it, as a defect of a pass does. No pipeline has this
    pass; tests name it to see what a caller of the compiler makes of a crash.

    There is no IR after this:

    ```mlir
    module {
    }
    ```
  }];
  let options = [Option<
      "kind", "kind", "::gridir::test::CrashKind",
      /*default=*/"::gridir::test::CrashKind::Abort", "How to crash",
      [{::llvm::cl::values(
          clEnumValN(::gridir::test::CrashKind::Abort, "abort",
                     "Call abort, as an assertion does"),
          clEnumValN(::gridir::test::CrashKind::Segfault, "segfault",
                     "Write through a null pointer"),
          clEnumValN(::gridir::test::CrashKind::StackOverflow, "stack-overflow",
                     "Call itself until the stack ends"),
          clEnumValN(::gridir::test::CrashKind::FatalError, "fatal-error",
                     "Report an error that LLVM ends the process for"))}]>];
}

def TestWarpgroupLayoutsPass : Pass<"test-warpgroup-layouts", "::mlir::ModuleOp"> {
  let summary = "Say what is known of the layouts of a function's arguments";
  let description = [{
    Of each declared function whose arguments are tensors with a layout it says, in
    attributes, the element that each thread has in each register, as the layout
    and as the IR for it compute that. `test.transpose`, `test.drop`,
    `test.insert` and `test.reshape` ask for another layout of the first argument,
    `test.multiply` for the product with that of the second, and `test.convert`
    for the way from one to the other.

    ```mlir
    func.func private @transposed(tensor<64x8xf32, #warpgroup.layout<wgmma>>)
        attributes {test.transpose = array<i64: 1, 0>}
    ```
  }];
}

#endif // GRIDIR_DIALECTS_TEST_TRANSFORMS_PASSES_TD
