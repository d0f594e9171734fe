//===- Passes.td - Run-time checks of Mosaic modules ------*- tablegen -*--===//
//
// Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef GRIDIR_DIALECTS_TPU_CHECKS_PASSES_TD
#define GRIDIR_DIALECTS_TPU_CHECKS_PASSES_TD

include "mlir/Pass/PassBase.td"

def TPUElideChecksPass : Pass<"tpu-elide-checks", "::mlir::ModuleOp"> {
  let summary = "Find the run-time checks of Mosaic that a proof makes "
                "unnecessary";
  let description = [{
    Converts the module back to a kernel, as `convert-tpu-to-grid` does, and
    applies the proofs of `grid-check`: each window overlaps its array, each
    slice lies inside its Ref, and each wait for a copy or a semaphore has a
    matching start or signal, with none left at the end. The proofs are about
    the module that Mosaic receives, so neither a claim of the author nor a
    fault of an earlier pass counts. The module is not converted if integer
    ranges alone show that no check can fail: the grid counts the blocks,
    indices are constants, and there are no copies.

    If some indices are not proved, such as data and arithmetic that may exceed
    32 bits, assertions of the kernel check these. An assertion precedes each
    access, or the vectors of its block, since a kernel schedules those
    together. One assertion covers all indices of a block of code that differ by
    constants; an index that an earlier assertion covers has none. The transform
    of a window runs before the program that uses the block. It clamps the
    index, and the program computes the index again and asserts that it was in
    bounds. Mosaic checks every copy of a block or slice that moves, and no load
    or store. Its checks stay if they are estimated to cost fewer bundles than
    the assertions. They also stay if a mask or an array of indices selects the
    elements, if a window counts elements, whose index must stay a multiple, and
    if the module cannot be converted back, for example because the kernel
    communicates with other chips.

    `grid.run_time_checks` has the results: the unit attribute for checks that
    cannot fail, and an array with the assertions that replace checks. The
    writer of the call disables both by `disable_bounds_checks` and
    `disable_semaphore_checks`. Otherwise the result is the reason why the
    checks stay. An entry `false` is present before for checks that the author
    has disabled; these are not analyzed.

    Before:

    ```mlir
    module attributes {grid.operands = {
        inputs = [#grid.operand<f32 [32, 128]>], outputs = []}} {
      func.func @look(%i: i32, %x: memref<8x128xf32, #tpu.memory_space<vmem>>) attributes {
          tpu.core_type = #tpu.core_type<tc>, iteration_bounds = array<i64: 4>,
          dimension_semantics = [#tpu.dimension_semantics<arbitrary>],
          window_params = [{transform_indices = @transform_0, window_bounds = array<i64: 8, 128>}
                          ]} {
        return
      }
      func.func @transform_0(%i: i32) -> (i32, i32) {
        %c0 = arith.constant 0 : i32
        return %i, %c0 : i32, i32
      }
    }
    ```

    After, the module has another attribute:

    ```mlir
    module attributes {grid.run_time_checks = {bounds, semaphore}} {
    }
    ```
  }];
  let dependentDialects = [
    "::mlir::arith::ArithDialect", "::mlir::cf::ControlFlowDialect",
    "::gridir::grid::GridDialect",
    "::mlir::linalg::LinalgDialect", "::mlir::math::MathDialect",
    "::mlir::tensor::TensorDialect"
  ];
  let statistics = [
    Statistic<"numElided", "num-elided", "Number of kinds of checks that are "
                                         "unnecessary">,
    Statistic<"numKept", "num-kept", "Number of kinds of checks that stay">,
    Statistic<"numReplaced", "num-replaced",
              "Number of kinds of checks that assertions in the kernel replace">,
  ];
}

#endif // GRIDIR_DIALECTS_TPU_CHECKS_PASSES_TD
