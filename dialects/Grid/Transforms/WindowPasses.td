//===- WindowPasses.td - Windows in place of indices -------*- tablegen -*-===//
//
// Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef GRIDIR_DIALECTS_GRID_TRANSFORMS_WINDOWPASSES_TD
#define GRIDIR_DIALECTS_GRID_TRANSFORMS_WINDOWPASSES_TD

include "mlir/Pass/PassBase.td"

def GridExpandScattersPass
    : Pass<"grid-expand-scatters", "::gridir::grid::KernelOp"> {
  let summary = "Store the elements of a scatter one after the other";
  let description = [{
    Replaces `grid.scatter` by loops over its indices, whose body stores the
    elements of one of them, or adds them. The last of equal indices wins. Parts
    of inputs that nothing changes are loaded in the loop.

    Before:

    ```mlir
    grid.kernel @permute grid()
        inputs(%i: i32 [8], %x: f32 [8, 128]) outputs(%o: f32 [8, 128]) {
      %j = grid.load %i : memref<8xi32, #grid.space<default>> -> tensor<8xi32>
      %v = grid.load %x : memref<8x128xf32, #grid.space<default>> -> tensor<8x128xf32>
      %w = math.exp %v : tensor<8x128xf32>
      grid.scatter %w, %o[%j] dims [0]
          : tensor<8x128xf32>, memref<8x128xf32, #grid.space<default>>, tensor<8xi32>
    }
    ```

    After:

    ```mlir
    grid.kernel @permute grid()
        inputs(%i: i32 [8], %x: f32 [8, 128]) outputs(%o: f32 [8, 128]) {
      %j = grid.load %i : memref<8xi32, #grid.space<default>> -> tensor<8xi32>
      %v = grid.load %x : memref<8x128xf32, #grid.space<default>> -> tensor<8x128xf32>
      %w = math.exp %v : tensor<8x128xf32>
      %c0 = arith.constant 0 : index
      %c8 = arith.constant 8 : index
      %c1 = arith.constant 1 : index
      scf.for %n = %c0 to %c8 step %c1 {
        %a = grid.slice_ref %i[%n] [1] [1] drop [0]
            : memref<8xi32, #grid.space<default>>, index -> memref<i32, #grid.space<default>>
        %b = grid.load %a : memref<i32, #grid.space<default>> -> i32
        %k = arith.index_cast %b : i32 to index
        %r = grid.slice_ref %o[%k, 0] [1, 128] [1, 1] drop [0]
            : memref<8x128xf32, #grid.space<default>>, index -> memref<128xf32, #grid.space<default>>
        %s = tensor.extract_slice %w[%n, 0] [1, 128] [1, 1] : tensor<8x128xf32> to tensor<128xf32>
        grid.store %s, %r : tensor<128xf32>, memref<128xf32, #grid.space<default>>
      }
    }
    ```
  }];
  let dependentDialects = [
    "::mlir::arith::ArithDialect", "::mlir::scf::SCFDialect",
    "::mlir::tensor::TensorDialect"
  ];
  let statistics = [
    Statistic<"numExpanded", "num-expanded", "Number of scatters that became loops">
  ];
}

def GridGathersToWindowsPass : Pass<"grid-gathers-to-windows", "::gridir::grid::KernelOp"> {
  let summary = "Load and store windows instead of elements at consecutive positions";
  let description = [{
    Replaces a `grid.gather` or `grid.scatter` by an access of a window of the Ref
    if each array of indices is an offset plus the position along one dimension,
    as `jnp.arange` and its sums are, and all positions that the mask selects are
    proved to be in bounds. The mask remains. Accesses of windows are contiguous, and bulk copies can precede
    them.

    Before:

    ```mlir
    grid.kernel @copy grid()
        inputs(%x: f32 [128]) outputs(%o: f32 [64]) {
      %empty = tensor.empty() : tensor<64xi32>
      %position = linalg.generic
          {indexing_maps = [affine_map<(d0) -> (d0)>], iterator_types = ["parallel"]}
          outs(%empty : tensor<64xi32>) {
      ^bb0(%out: i32):
        %i = linalg.index 0 : index
        %j = arith.index_cast %i : index to i32
        linalg.yield %j : i32
      } -> tensor<64xi32>
      %first = arith.constant dense<32> : tensor<64xi32>
      %indices = arith.addi %position, %first : tensor<64xi32>
      %v = grid.gather %x[%indices] dims [0]
          : memref<128xf32, #grid.space<default>>, tensor<64xi32> -> tensor<64xf32>
      grid.store %v, %o : tensor<64xf32>, memref<64xf32, #grid.space<default>>
    }
    ```

    After:

    ```mlir
    grid.kernel @copy grid()
        inputs(%x: f32 [128]) outputs(%o: f32 [64]) {
      %w = grid.slice_ref %x[32] [64] [1]
          : memref<128xf32, #grid.space<default>> -> memref<64xf32, #grid.space<default>>
      %v = grid.load %w : memref<64xf32, #grid.space<default>> -> tensor<64xf32>
      grid.store %v, %o : tensor<64xf32>, memref<64xf32, #grid.space<default>>
    }
    ```
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect"];
  let statistics = [
    Statistic<"numWindows", "num-windows", "Number of gathers and scatters that became accesses of windows">
  ];
}

def GridRematerializePositionsPass
    : Pass<"grid-rematerialize-positions", "::gridir::grid::KernelOp"> {
  let summary = "Compute positions and constants for each use";
  let description = [{
    Arrays that depend only on positions and scalars, such as constants and
    `jnp.arange`, are computed again for each op that uses them. Rows and columns
    of one size then share no value, so that a program can be split along either.
    An attention with causal masks computes the positions of queries and of keys
    from one array.

    Before:

    ```mlir
    grid.kernel @add grid()
        inputs(%x: i32 [64, 64], %y: i32 [64, 64])
        outputs(%o: i32 [64, 64], %p: i32 [64, 64]) {
      %one = arith.constant dense<1> : tensor<64x64xi32>
      %v = grid.load %x : memref<64x64xi32, #grid.space<default>> -> tensor<64x64xi32>
      %w = grid.load %y : memref<64x64xi32, #grid.space<default>> -> tensor<64x64xi32>
      %a = arith.addi %v, %one : tensor<64x64xi32>
      %b = arith.addi %w, %one : tensor<64x64xi32>
      grid.store %a, %o : tensor<64x64xi32>, memref<64x64xi32, #grid.space<default>>
      grid.store %b, %p : tensor<64x64xi32>, memref<64x64xi32, #grid.space<default>>
    }
    ```

    After:

    ```mlir
    grid.kernel @add grid()
        inputs(%x: i32 [64, 64], %y: i32 [64, 64])
        outputs(%o: i32 [64, 64], %p: i32 [64, 64]) {
      %one = arith.constant dense<1> : tensor<64x64xi32>
      %two = arith.constant dense<1> : tensor<64x64xi32>
      %v = grid.load %x : memref<64x64xi32, #grid.space<default>> -> tensor<64x64xi32>
      %w = grid.load %y : memref<64x64xi32, #grid.space<default>> -> tensor<64x64xi32>
      %a = arith.addi %v, %one : tensor<64x64xi32>
      %b = arith.addi %w, %two : tensor<64x64xi32>
      grid.store %a, %o : tensor<64x64xi32>, memref<64x64xi32, #grid.space<default>>
      grid.store %b, %p : tensor<64x64xi32>, memref<64x64xi32, #grid.space<default>>
    }
    ```
  }];
  let options = [
    Option<"maxCopies", "max-copies", "unsigned", /*default=*/"1024",
           "The most copies in a kernel">
  ];
  let statistics = [
    Statistic<"numCopies", "num-copies", "Number of ops that were copied">
  ];
}

def GridSlicesToWindowsPass : Pass<"grid-slices-to-windows", "::gridir::grid::KernelOp"> {
  let summary = "Load and store windows instead of slices of values";
  let description = [{
    Replaces a slice of a value that elementwise ops compute from loads by the
    same computation on windows, and a store of concatenated tensors by a store of
    each. Targets that hold values in registers have no slices of them. A store is
    divided into 8 parts at most: a scan has more.

    Before:

    ```mlir
    grid.kernel @halves grid()
        inputs(%x: f32 [8, 64]) outputs(%o: f32 [8, 64]) {
      %v = grid.load %x : memref<8x64xf32, #grid.space<default>> -> tensor<8x64xf32>
      %a = tensor.extract_slice %v[0, 0] [8, 32] [1, 1] : tensor<8x64xf32> to tensor<8x32xf32>
      %b = tensor.extract_slice %v[0, 32] [8, 32] [1, 1] : tensor<8x64xf32> to tensor<8x32xf32>
      %e = tensor.empty() : tensor<8x64xf32>
      %p = tensor.insert_slice %b into %e[0, 0] [8, 32] [1, 1] : tensor<8x32xf32> into tensor<8x64xf32>
      %q = tensor.insert_slice %a into %p[0, 32] [8, 32] [1, 1] : tensor<8x32xf32> into tensor<8x64xf32>
      grid.store %q, %o : tensor<8x64xf32>, memref<8x64xf32, #grid.space<default>>
    }
    ```

    After:

    ```mlir
    grid.kernel @halves grid()
        inputs(%x: f32 [8, 64]) outputs(%o: f32 [8, 64]) {
      %s = grid.slice_ref %x[0, 32] [8, 32] [1, 1]
          : memref<8x64xf32, #grid.space<default>> -> memref<8x32xf32, #grid.space<default>>
      %b = grid.load %s : memref<8x32xf32, #grid.space<default>> -> tensor<8x32xf32>
      %r = grid.slice_ref %x[0, 0] [8, 32] [1, 1]
          : memref<8x64xf32, #grid.space<default>> -> memref<8x32xf32, #grid.space<default>>
      %a = grid.load %r : memref<8x32xf32, #grid.space<default>> -> tensor<8x32xf32>
      %t = grid.slice_ref %o[0, 0] [8, 32] [1, 1]
          : memref<8x64xf32, #grid.space<default>> -> memref<8x32xf32, #grid.space<default>>
      grid.store %b, %t : tensor<8x32xf32>, memref<8x32xf32, #grid.space<default>>
      %u = grid.slice_ref %o[0, 32] [8, 32] [1, 1]
          : memref<8x64xf32, #grid.space<default>> -> memref<8x32xf32, #grid.space<default>>
      grid.store %a, %u : tensor<8x32xf32>, memref<8x32xf32, #grid.space<default>>
    }
    ```
  }];
  let dependentDialects = [
    "::mlir::arith::ArithDialect", "::mlir::linalg::LinalgDialect",
    "::mlir::tensor::TensorDialect"
  ];
  let statistics = [
    Statistic<"numSlices", "num-slices", "Number of slices that became windows">,
    Statistic<"numStores", "num-stores", "Number of stores that became stores of windows">
  ];
}

#endif // GRIDIR_DIALECTS_GRID_TRANSFORMS_WINDOWPASSES_TD
