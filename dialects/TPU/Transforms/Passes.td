//===- Passes.td - Passes on Mosaic modules ---------------*- tablegen -*--===//
//
// Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef GRIDIR_DIALECTS_TPU_TRANSFORMS_PASSES_TD
#define GRIDIR_DIALECTS_TPU_TRANSFORMS_PASSES_TD

include "mlir/Pass/PassBase.td"

def TPUSerializePass : Pass<"tpu-serialize", "::mlir::ModuleOp"> {
  let summary = "Write a module in the versioned form that the Mosaic compiler reads";
  let description = [{
    Renames every op `x` to `stable_mosaic.x`, with its properties as plain
    attributes, and notes the version on the module. Ops that an older version
    had with other operand segments get those; what the version cannot say is an
    error. Attributes of the module that are not Mosaic's are dropped.

    The generic text of the result, with locations, is the body of a
    `tpu_custom_call`.

    Before:

    ```mlir
    func.func @transform_0(%i: i32) -> (i32, i32) {
      %c0_i32 = arith.constant 0 : i32
      return %i, %c0_i32 : i32, i32
    }
    ```

    After:

    ```mlir
    "builtin.module"() ({
      "stable_mosaic.func.func"() ({
      ^bb0(%i: i32):
        %c0_i32 = "stable_mosaic.arith.constant"() {value = 0 : i32} : () -> i32
        "stable_mosaic.func.return"(%i, %c0_i32) : (i32, i32) -> ()
      }) {function_type = (i32) -> (i32, i32), sym_name = "transform_0"} : () -> ()
    }) {stable_mosaic.version = 13 : i64} : () -> ()
    ```
  }];
  let dependentDialects = ["::gridir::tpu::StableMosaicDialect"];
  let options = [
    Option<"version", "version", "int64_t", /*default=*/"13",
           "Set the version of the form: 13 for libtpu 0.0.41, 11 for jax.export">
  ];
}

#endif // GRIDIR_DIALECTS_TPU_TRANSFORMS_PASSES_TD
