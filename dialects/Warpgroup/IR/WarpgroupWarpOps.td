//===- WarpgroupWarpOps.td - Code of single warps --------*- tablegen -*-===//
//
// Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef GRIDIR_DIALECTS_WARPGROUP_IR_WARPGROUPWARPOPS_TD
#define GRIDIR_DIALECTS_WARPGROUP_IR_WARPGROUPWARPOPS_TD

include "dialects/Grid/IR/GridInterfaces.td"
include "dialects/Warpgroup/IR/WarpgroupDialect.td"
include "mlir/Interfaces/SideEffectInterfaces.td"

def Warpgroup_WarpsOp : Warpgroup_Op<"warps", [
    Grid_ProgramOpInterface, NoTerminator, RecursiveMemoryEffects, SingleBlock]> {
  let summary = "code that each of the four warps of the warpgroup runs";
  let description = [{
    The argument of the region is the number of the warp, 0 to 3. The warps run
    independently: one may wait for a barrier at which another one arrives. The
    warpgroup continues when all four have ended. Values from outside are
    scalars and Refs. A barrier, a copy or an MMA counts the operation of a warp
    like that of a warpgroup.

    Example:

    ```mlir
    warpgroup.warps {
    ^bb0(%warp: i32):
      %c0 = arith.constant 0 : i32
      %first = arith.cmpi eq, %warp, %c0 : i32
      scf.if %first {
        warpgroup.barrier_arrive %b : memref<!warpgroup.barrier<1>>
      }
    }
    ```
  }];
  let regions = (region SizedRegion<1>:$body);
  let assemblyFormat = "attr-dict-with-keyword $body";
  let hasRegionVerifier = 1;
  let extraClassDeclaration = [{
    bool isSchedulingPoint() { return true; }
    bool needsTask() { return true; }
  }];
}

#endif // GRIDIR_DIALECTS_WARPGROUP_IR_WARPGROUPWARPOPS_TD
