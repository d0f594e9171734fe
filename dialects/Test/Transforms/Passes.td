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

def TestMiscompilePass : Pass<"test-miscompile", "::mlir::ModuleOp"> {
  let summary = "Be wrong in a way that is asked for, for the tests of who finds it";
  let description = [{
    Runs the passes of `mutated`, if there are any, and then makes one op of the
    module wrong: the IR verifies, and computes something else. That is what a
    pass with a defect looks like to `gridir bisect`. The slips have the names in
    `Slips.h`'s tables, such as `wrong-sign`, `lost-store`, `off-by-one-bound`.

    ```mlir
    func.func @add(%x: f32, %y: f32) -> f32 {
      %0 = arith.addf %x, %y : f32
      return %0 : f32
    }
    ```

    With `slip=wrong-sign`:

    ```mlir
    func.func @add(%x: f32, %y: f32) -> f32 {
      %0 = arith.subf %x, %y : f32
      return %0 : f32
    }
    ```
  }];
  let options = [
    Option<"slip", "slip", "std::string", /*default=*/"", "How to be wrong">,
    Option<"only", "only", "std::string", /*default=*/"",
           "Choose among ops of this name; of any without it">,
    Option<"skip", "skip", "unsigned", /*default=*/"0",
           "Leave as many of those right">,
    Option<"mutated", "mutated", "std::string", /*default=*/"",
           "Run these passes of a module first">];
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
