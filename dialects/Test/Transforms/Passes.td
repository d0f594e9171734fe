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
  let summary = "Crash, to test the handling of crashes";
  let description = [{
    Ends the process that runs it, like a faulty pass. No pipeline has this
    pass; tests use it to check the handling of a crash by callers of the
    compiler.

    The module is not changed, and there is no IR after this one:

    ```mlir
    module {
    }
    ```
  }];
  let options = [Option<
      "kind", "kind", "::gridir::test::CrashKind",
      /*default=*/"::gridir::test::CrashKind::Abort", "The kind of crash",
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
  let summary = "Miscompile on request, to test tools that search for faults";
  let description = [{
    Runs the passes of `mutated`, if any, and then makes one op of the module
    wrong: the IR verifies, and computes another result, like the output of a
    faulty pass in `gridir bisect`. The kinds of faults have the names in the
    tables of `Slips.h`, such as `wrong-sign`, `lost-store`, `off-by-one-bound`.

    Before:

    ```mlir
    func.func @add(%x: f32, %y: f32) -> f32 {
      %0 = arith.addf %x, %y : f32
      return %0 : f32
    }
    ```

    After, with `slip=wrong-sign`:

    ```mlir
    func.func @add(%x: f32, %y: f32) -> f32 {
      %0 = arith.subf %x, %y : f32
      return %0 : f32
    }
    ```
  }];
  let options = [
    Option<"slip", "slip", "std::string", /*default=*/"", "The kind of fault">,
    Option<"only", "only", "std::string", /*default=*/"",
           "Choose among ops of this name; of any by default">,
    Option<"skip", "skip", "unsigned", /*default=*/"0",
           "The number of those ops to leave correct">,
    Option<"mutated", "mutated", "std::string", /*default=*/"",
           "Run these passes of a module first">];
}

def TestSupportPass : Pass<"test-support", "::mlir::ModuleOp"> {
  let summary = "Print what the functions of dialects/Support return for ops";
  let description = [{
    Writes to attributes of each op: the range and a divisor of
    its integer result (`Intervals.h`, `CarriedRanges.h`, `Divisors.h`), the
    distance from the step of its loop (`StepDistance.h`), the neutral element
    of a combiner (`NeutralElement.h`), the operands from which a part of the
    result needs a part (`TensorParts.h`), and the memory that it reads and
    writes (`MemoryAccesses.h`).

    Before:

    ```mlir
    func.func @twice(%x: i8) -> i32 {
      %c2 = arith.constant 2 : i32
      %y = arith.extsi %x : i8 to i32
      %z = arith.muli %y, %c2 : i32
      return %z : i32
    }
    ```

    After, the product has these attributes, among others:

    ```
    test.divisor = 2 : i64, test.neutral = 1 : i32, test.range = array<i64: -256, 254>
    ```
  }];
}

def TestWarpgroupLayoutsPass : Pass<"test-warpgroup-layouts", "::mlir::ModuleOp"> {
  let summary = "Print the layouts of a function's arguments";
  let description = [{
    For each declared function whose arguments are tensors with a layout, writes
    to attributes the element that each thread has in each register, as the
    layout and the IR for it compute it. `test.transpose`, `test.drop`,
    `test.insert` and `test.reshape` request another layout of the first
    argument, `test.multiply` the product with that of the second, and
    `test.convert` the conversion from one to the other.

    Before:

    ```mlir
    func.func private @transposed(tensor<64x8xf32, #warpgroup.layout<wgmma>>)
        attributes {test.transpose = array<i64: 1, 0>}
    ```

    After, the function has more attributes, such as:

    ```
    test.result = tensor<8x64xf32, #warpgroup.layout<[8, 64], registers = [[1, 0], [0, 8]], ...>>,
    test.vector = 2 : i64
    ```
  }];
}

#endif // GRIDIR_DIALECTS_TEST_TRANSFORMS_PASSES_TD
