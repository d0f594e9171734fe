//===- Passes.td - passes on warpgroup programs -----------*- tablegen -*--===//
//
// Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef GRIDIR_DIALECTS_WARPGROUP_TRANSFORMS_PASSES_TD
#define GRIDIR_DIALECTS_WARPGROUP_TRANSFORMS_PASSES_TD

include "mlir/Pass/PassBase.td"

def WarpgroupPlanMemoryPass : Pass<"warpgroup-plan-memory", "::mlir::ModuleOp"> {
  let summary = "Place the Refs of a warpgroup program in shared memory";
  let description = [{
    Each Ref that a `grid.scoped` has in `gpu.smem` gets an offset into the one
    array of shared memory of a CTA: `warpgroup.offsets` of the scope, with -1 for
    a Ref that is elsewhere. Scopes are a stack: those that follow one another
    share memory. Arrays begin at multiples of 1024 bytes, in which every swizzle
    repeats. Barriers are behind all arrays, and none shares its place, since all
    are initialized when the kernel begins. `warpgroup.shared_bytes` of the kernel
    is the sum.

    Before:

    ```mlir
    grid.scoped (%a: memref<64xf32, #grid.space<gpu.smem>>,
                 %b: memref<2x!warpgroup.barrier<1>, #grid.space<gpu.smem>>) {
    }
    ```

    After:

    ```mlir
    grid.scoped (%a: memref<64xf32, #grid.space<gpu.smem>>,
                 %b: memref<2x!warpgroup.barrier<1>, #grid.space<gpu.smem>>)
        attributes {warpgroup.offsets = array<i64: 0, 256>} {
    }
    ```
  }];
  let options = [
    Option<"chip", "chip", "std::string", /*default=*/"\"sm_90a\"",
           "The chip, as LLVM names it">
  ];
  let statistics = [
    Statistic<"sharedBytes", "shared-bytes", "Bytes of shared memory of a CTA">
  ];
}

#endif // GRIDIR_DIALECTS_WARPGROUP_TRANSFORMS_PASSES_TD
