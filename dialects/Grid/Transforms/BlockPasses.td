//===- BlockPasses.td - Passes that change blocks ---------*- tablegen -*--===//
//
// Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef GRIDIR_DIALECTS_GRID_TRANSFORMS_BLOCKPASSES_TD
#define GRIDIR_DIALECTS_GRID_TRANSFORMS_BLOCKPASSES_TD

include "mlir/Pass/PassBase.td"

def GridCompleteCopiesPass
    : Pass<"grid-complete-copies", "::gridir::grid::KernelOp"> {
  let summary = "Let asynchronous copies complete where they start";
  let description = [{
    Replaces each `grid.copy_start` by a load and a store, and removes the waits
    for it and the semaphore, if the semaphore is one of the program and counts
    nothing but copies inside of its device. Between the start of a copy and the
    wait, a program may neither change the source nor access the destination, so
    the copy may take place at any time in between.

    Semaphores that count signals, remote copies, or copies that add to the
    destination remain. A wait for a copy that was never started is removed, too.

    Before:

    ```mlir
    grid.kernel @fetch grid(%i = 4)
        inputs(%x: f32 [32] block [8] at (%i)) outputs(%o: f32 [32] block [8] at (%i))
        scratch(%b: memref<8xf32, #grid.space<default>>, %s: memref<!grid.semaphore<dma>>) {
      grid.copy_start %x, %b sem %s
          : memref<8xf32, #grid.space<default>>, memref<8xf32, #grid.space<default>>, memref<!grid.semaphore<dma>>
      grid.copy_wait %x, %b sem %s
          : memref<8xf32, #grid.space<default>>, memref<8xf32, #grid.space<default>>, memref<!grid.semaphore<dma>>
      %v = grid.load %b : memref<8xf32, #grid.space<default>> -> tensor<8xf32>
      grid.store %v, %o : tensor<8xf32>, memref<8xf32, #grid.space<default>>
    }
    ```

    After:

    ```mlir
    grid.kernel @fetch grid(%i = 4)
        inputs(%x: f32 [32] block [8] at (%i)) outputs(%o: f32 [32] block [8] at (%i))
        scratch(%b: memref<8xf32, #grid.space<default>>) {
      %u = grid.load %x : memref<8xf32, #grid.space<default>> -> tensor<8xf32>
      grid.store %u, %b : tensor<8xf32>, memref<8xf32, #grid.space<default>>
      %v = grid.load %b : memref<8xf32, #grid.space<default>> -> tensor<8xf32>
      grid.store %v, %o : tensor<8xf32>, memref<8xf32, #grid.space<default>>
    }
    ```
  }];
  let statistics = [
    Statistic<"numCopies", "num-copies", "Number of copies that complete where they start">,
    Statistic<"numSemaphores", "num-semaphores", "Number of semaphores that were removed">
  ];
}

def GridDropMasksPass : Pass<"grid-drop-masks", "::gridir::grid::KernelOp"> {
  let summary = "Remove masks that all elements pass";
  let description = [{
    Removes the mask of a load or store if it is true for all elements in all
    programs: a comparison of positions with a size that no position reaches, for
    example, as in kernels that pad a dimension to a power of two. The pass
    computes the range of the elements of integer tensors.

    Before:

    ```mlir
    grid.kernel @copy grid()
        inputs(%x: f32 [64]) outputs(%o: f32 [64]) {
      %empty = tensor.empty() : tensor<64xi32>
      %position = linalg.generic
          {indexing_maps = [affine_map<(d0) -> (d0)>], iterator_types = ["parallel"]}
          outs(%empty : tensor<64xi32>) {
      ^bb0(%out: i32):
        %i = linalg.index 0 : index
        %j = arith.index_cast %i : index to i32
        linalg.yield %j : i32
      } -> tensor<64xi32>
      %size = arith.constant dense<64> : tensor<64xi32>
      %mask = arith.cmpi slt, %position, %size : tensor<64xi32>
      %v = grid.load %x mask %mask
          : memref<64xf32, #grid.space<default>>, tensor<64xi1> -> tensor<64xf32>
      grid.store %v, %o : tensor<64xf32>, memref<64xf32, #grid.space<default>>
    }
    ```

    After:

    ```mlir
    grid.kernel @copy grid()
        inputs(%x: f32 [64]) outputs(%o: f32 [64]) {
      %v = grid.load %x : memref<64xf32, #grid.space<default>> -> tensor<64xf32>
      grid.store %v, %o : tensor<64xf32>, memref<64xf32, #grid.space<default>>
    }
    ```
  }];
  let statistics = [
    Statistic<"numDropped", "num-dropped", "Number of masks that were removed">
  ];
}

def GridExpandValuesPass : Pass<"grid-expand-values", "::gridir::grid::KernelOp"> {
  let summary = "Compute rotations, bits and inner products by upstream ops";
  let description = [{
    Replaces

    - `grid.rotate` by two slices of its source if the amount is known, by a
      slice of the source twice if it is not, and by reads of single elements if
      there is a stride;
    - `grid.bitcast` by slices and shifts of integers;
    - a `grid.dot` whose operands have no dimension of their own, as that of two
      vectors, by products and their sums. Narrow floats are summed in f32.

    Before:

    ```mlir
    grid.kernel @product grid()
        inputs(%x: bf16 [256], %y: bf16 [256]) outputs(%o: f32 [1]) {
      %v = grid.load %x : memref<256xbf16, #grid.space<default>> -> tensor<256xbf16>
      %w = grid.load %y : memref<256xbf16, #grid.space<default>> -> tensor<256xbf16>
      %d = grid.dot %v, %w contract [0] x [0] : tensor<256xbf16>, tensor<256xbf16> -> f32
      %r = grid.slice_ref %o[0] [1] [1] drop [0] : memref<1xf32, #grid.space<default>> -> memref<f32, #grid.space<default>>
      grid.store %d, %r : f32, memref<f32, #grid.space<default>>
    }
    ```

    After:

    ```mlir
    grid.kernel @product grid()
        inputs(%x: bf16 [256], %y: bf16 [256]) outputs(%o: f32 [1]) {
      %v = grid.load %x : memref<256xbf16, #grid.space<default>> -> tensor<256xbf16>
      %w = grid.load %y : memref<256xbf16, #grid.space<default>> -> tensor<256xbf16>
      %a = arith.extf %v : tensor<256xbf16> to tensor<256xf32>
      %b = arith.extf %w : tensor<256xbf16> to tensor<256xf32>
      %p = arith.mulf %a, %b : tensor<256xf32>
      %zero = arith.constant 0.0 : f32
      %empty = tensor.empty() : tensor<f32>
      %zeros = linalg.fill ins(%zero : f32) outs(%empty : tensor<f32>) -> tensor<f32>
      %sum = linalg.reduce ins(%p : tensor<256xf32>) outs(%zeros : tensor<f32>) dimensions = [0]
        (%in: f32, %init: f32) {
          %s = arith.addf %in, %init : f32
          linalg.yield %s : f32
        }
      %d = tensor.extract %sum[] : tensor<f32>
      %r = grid.slice_ref %o[0] [1] [1] drop [0] : memref<1xf32, #grid.space<default>> -> memref<f32, #grid.space<default>>
      grid.store %d, %r : f32, memref<f32, #grid.space<default>>
    }
    ```
  }];
  let dependentDialects = [
    "::mlir::arith::ArithDialect", "::mlir::linalg::LinalgDialect",
    "::mlir::tensor::TensorDialect"
  ];
  let statistics = [
    Statistic<"numExpanded", "num-expanded", "Number of ops that were replaced">
  ];
}

def GridFlattenBlocksPass
    : Pass<"grid-flatten-blocks", "::gridir::grid::KernelOp"> {
  let summary = "Cut the arrays of an elementwise kernel into blocks in a row";
  let description = [{
    A block of a few columns is pieces of rows, with a gap between each two, and
    one that overhangs its array needs care at its end. Where each element of the
    outputs is computed from the same element of the inputs alone, it makes no
    difference which elements a program has. This pass makes one dimension of
    such arrays and cuts them into blocks of `block-elements` that follow each
    other in memory.

    It applies where

    - all inputs and outputs have one static shape, blocks of one size, and one
      index map that covers them once;
    - all dimensions are parallel, and there is no scratch, no prefetched scalar
      and no output in the memory of an input;
    - the body has elementwise ops, whole loads of inputs, whole stores of
      outputs, and constants of one value;
    - blocks are not contiguous yet, or the last one overhangs its array.

    Before:

    ```mlir
    grid.kernel @double grid(%i = 8, %j = 4)
        inputs(%x: f32 [500, 1001] block [64, 256] at (%i, %j))
        outputs(%o: f32 [500, 1001] block [64, 256] at (%i, %j))
        semantics [parallel, parallel] {
      %v = grid.load %x : memref<64x256xf32, #grid.space<default>> -> tensor<64x256xf32>
      %w = arith.addf %v, %v : tensor<64x256xf32>
      grid.store %w, %o : tensor<64x256xf32>, memref<64x256xf32, #grid.space<default>>
    }
    ```

    After:

    ```mlir
    grid.kernel @double grid(%i = 123)
        inputs(%x: f32 [500500] block [4096] at (%i))
        outputs(%o: f32 [500500] block [4096] at (%i))
        semantics [parallel] {
      %v = grid.load %x : memref<4096xf32, #grid.space<default>> -> tensor<4096xf32>
      %w = arith.addf %v, %v : tensor<4096xf32>
      grid.store %w, %o : tensor<4096xf32>, memref<4096xf32, #grid.space<default>>
    }
    ```
  }];
  let options = [
    Option<"blockElements", "block-elements", "int64_t", /*default=*/"4096",
           "Set the number of elements of a block">,
  ];
  let statistics = [
    Statistic<"numFlattened", "num-flattened", "Number of kernels with new blocks">,
    Statistic<"numKept", "num-kept",
              "Number of kernels that compute more than elements">,
  ];
}

def GridHoistScopesPass : Pass<"grid-hoist-scopes", "::gridir::grid::KernelOp"> {
  let summary = "Make the scratch of scopes that of the kernel";
  let description = [{
    Replaces each `grid.scoped` of arrays of numbers, as `pl.run_scoped` makes it,
    by its body, which accesses scratch of the kernel. Scopes of semaphores, of
    Refs that programs share or that have transforms, and of Refs in memories of
    a GPU, which programs of warpgroups name, remain.

    Before:

    ```mlir
    grid.kernel @scoped grid(%i = 4)
        inputs(%x: f32 [32] block [8] at (%i)) outputs(%o: f32 [32] block [8] at (%i)) {
      %v = grid.load %x : memref<8xf32, #grid.space<default>> -> tensor<8xf32>
      grid.scoped (%tmp: memref<8xf32, #grid.space<default>> origin "tmp") {
        grid.store %v, %tmp : tensor<8xf32>, memref<8xf32, #grid.space<default>>
        %w = grid.load %tmp : memref<8xf32, #grid.space<default>> -> tensor<8xf32>
        grid.store %w, %o : tensor<8xf32>, memref<8xf32, #grid.space<default>>
        grid.yield
      }
    }
    ```

    After:

    ```mlir
    grid.kernel @scoped grid(%i = 4)
        inputs(%x: f32 [32] block [8] at (%i)) outputs(%o: f32 [32] block [8] at (%i))
        scratch(%tmp: memref<8xf32, #grid.space<default>> origin "tmp") {
      %v = grid.load %x : memref<8xf32, #grid.space<default>> -> tensor<8xf32>
      grid.store %v, %tmp : tensor<8xf32>, memref<8xf32, #grid.space<default>>
      %w = grid.load %tmp : memref<8xf32, #grid.space<default>> -> tensor<8xf32>
      grid.store %w, %o : tensor<8xf32>, memref<8xf32, #grid.space<default>>
    }
    ```
  }];
  let statistics = [
    Statistic<"numHoisted", "num-hoisted", "Number of scopes that were replaced">
  ];
}

def GridMergeDimensionsPass
    : Pass<"grid-merge-dimensions", "::gridir::grid::KernelOp"> {
  let summary = "Make one dimension of those that the body reshapes to one";
  let description = [{
    Two adjacent dimensions of an array become one where blocks have all
    elements along the second one, and the body reshapes values so that both are
    one dimension: the heads and positions of an attention with grouped heads,
    or the rows and columns of an image, which are the rows of a contraction.

    Elementwise ops, accesses and windows between the Ref and the reshape, and
    other Refs that take part in them, change alike. Refs that share memory are
    left as they are.

    Before:

    ```mlir
    grid.kernel @copy grid(%i = 4)
        inputs(%x: f32 [16, 8, 64] block [4, 8, 64] at (%i, 0, 0))
        outputs(%o: f32 [128, 64] block [32, 64] at (%i, 0)) semantics [parallel] {
      %v = grid.load %x : memref<4x8x64xf32, #grid.space<default>> -> tensor<4x8x64xf32>
      %n = arith.negf %v : tensor<4x8x64xf32>
      %c = tensor.collapse_shape %n [[0, 1], [2]] : tensor<4x8x64xf32> into tensor<32x64xf32>
      grid.store %c, %o : tensor<32x64xf32>, memref<32x64xf32, #grid.space<default>>
    }
    ```

    After:

    ```mlir
    grid.kernel @copy grid(%i = 4)
        inputs(%x: f32 [128, 64] block [32, 64] at (%i, 0))
        outputs(%o: f32 [128, 64] block [32, 64] at (%i, 0)) semantics [parallel] {
      %v = grid.load %x : memref<32x64xf32, #grid.space<default>> -> tensor<32x64xf32>
      %n = arith.negf %v : tensor<32x64xf32>
      grid.store %n, %o : tensor<32x64xf32>, memref<32x64xf32, #grid.space<default>>
    }
    ```
  }];
  let dependentDialects = [
    "::mlir::arith::ArithDialect", "::mlir::linalg::LinalgDialect",
    "::mlir::tensor::TensorDialect"
  ];
  let statistics = [
    Statistic<"numMerged", "num-merged", "Number of dimensions of Refs that were merged">
  ];
}

def GridSqueezeBlocksPass : Pass<"grid-squeeze-blocks", "::gridir::grid::KernelOp"> {
  let summary = "Remove dimensions of one element from blocks";
  let description = [{
    Squeezes a dimension of size 1 of a block, or removes it from scratch, if
    each user ignores it: a window that drops the dimension, or a load or store
    whose value is reshaped without it. Blocks of several batches and heads
    become the matrices that a kernel computes with.

    Before:

    ```mlir
    grid.kernel @copy grid(%i = 4)
        inputs(%x: f32 [4, 64, 128] block [1, 64, 128] at (%i, 0, 0))
        outputs(%o: f32 [4, 64, 128] block [1, 64, 128] at (%i, 0, 0)) semantics [parallel] {
      %r = grid.slice_ref %x[0, 0, 0] [1, 64, 128] [1, 1, 1] drop [0]
          : memref<1x64x128xf32, #grid.space<default>> -> memref<64x128xf32, #grid.space<default>>
      %v = grid.load %r : memref<64x128xf32, #grid.space<default>> -> tensor<64x128xf32>
      %w = tensor.expand_shape %v [[0, 1], [2]] output_shape [1, 64, 128]
          : tensor<64x128xf32> into tensor<1x64x128xf32>
      grid.store %w, %o : tensor<1x64x128xf32>, memref<1x64x128xf32, #grid.space<default>>
    }
    ```

    After:

    ```mlir
    grid.kernel @copy grid(%i = 4)
        inputs(%x: f32 [4, 64, 128] block [squeezed, 64, 128] at (%i, 0, 0))
        outputs(%o: f32 [4, 64, 128] block [squeezed, 64, 128] at (%i, 0, 0)) semantics [parallel] {
      %v = grid.load %x : memref<64x128xf32, #grid.space<default>> -> tensor<64x128xf32>
      grid.store %v, %o : tensor<64x128xf32>, memref<64x128xf32, #grid.space<default>>
    }
    ```
  }];
  let statistics = [
    Statistic<"numSqueezed", "num-squeezed", "Number of Refs with fewer dimensions">
  ];
}

def GridWidenBlocksPass : Pass<"grid-widen-blocks", "::gridir::grid::KernelOp"> {
  let summary = "Make blocks of columns blocks of rows";
  let description = [{
    A block of a few columns is a short part of each of its rows. Programs that
    read and write such parts use the memory less well than programs with long
    parts of fewer rows. This pass makes one block of the blocks of columns next
    to each other, and divides its rows among programs, so that blocks keep about
    as many elements.

    It applies where

    - rows of the blocks of the first output have less than `least-row-bytes`
      and are parts of the rows of the array;
    - all dimensions are parallel, shapes are static, and there is no scratch
      and no prefetched scalar;
    - each element of a row is computed from elements of the same column of the
      operands, and each row from the same row or from operands without rows:
      the body may reduce or reorder other dimensions alone, and has no product
      (`grid.dot`), no position and no number of the program;
    - one grid dimension numbers the blocks of columns of all operands that have
      them, as their last dimension, and nothing else;
    - all blocks of rows are inside their arrays;
    - operands without rows have at most as many elements as the block.

    Before:

    ```mlir
    grid.kernel @scale grid(%i = 4, %j = 8)
        inputs(%x: f32 [512, 1024] block [128, 128] at (%i, %j),
               %s: f32 [1, 1024] block [1, 128] at (0, %j))
        outputs(%o: f32 [512, 1024] block [128, 128] at (%i, %j))
        semantics [parallel, parallel] {
      %v = grid.load %x : memref<128x128xf32, #grid.space<default>> -> tensor<128x128xf32>
      %r = grid.load %s : memref<1x128xf32, #grid.space<default>> -> tensor<1x128xf32>
      %f = tensor.collapse_shape %r [[0, 1]] : tensor<1x128xf32> into tensor<128xf32>
      %e = tensor.empty() : tensor<128x128xf32>
      %b = linalg.broadcast ins(%f : tensor<128xf32>) outs(%e : tensor<128x128xf32>) dimensions = [0]
      %w = arith.mulf %v, %b : tensor<128x128xf32>
      grid.store %w, %o : tensor<128x128xf32>, memref<128x128xf32, #grid.space<default>>
    }
    ```

    After:

    ```mlir
    grid.kernel @scale grid(%i = 4, %j = 1, %k = 8)
        inputs(%x: f32 [512, 1024] block [16, 1024] at ((%i * 8) + %k, %j),
               %s: f32 [1, 1024] block [1, 1024] at (0, %j))
        outputs(%o: f32 [512, 1024] block [16, 1024] at ((%i * 8) + %k, %j))
        semantics [parallel, parallel, parallel] {
      %v = grid.load %x : memref<16x1024xf32, #grid.space<default>> -> tensor<16x1024xf32>
      %r = grid.load %s : memref<1x1024xf32, #grid.space<default>> -> tensor<1x1024xf32>
      %f = tensor.collapse_shape %r [[0, 1]] : tensor<1x1024xf32> into tensor<1024xf32>
      %e = tensor.empty() : tensor<16x1024xf32>
      %b = linalg.broadcast ins(%f : tensor<1024xf32>) outs(%e : tensor<16x1024xf32>) dimensions = [0]
      %w = arith.mulf %v, %b : tensor<16x1024xf32>
      grid.store %w, %o : tensor<16x1024xf32>, memref<16x1024xf32, #grid.space<default>>
    }
    ```
  }];
  let options = [
    Option<"leastRowBytes", "least-row-bytes", "int64_t", /*default=*/"4096",
           "Set the length of rows of blocks that are long enough">,
  ];
  let statistics = [
    Statistic<"numWidened", "num-widened", "Number of kernels with wider blocks">,
    Statistic<"numKept", "num-kept",
              "Number of kernels that keep blocks of columns">,
  ];
}

#endif // GRIDIR_DIALECTS_GRID_TRANSFORMS_BLOCKPASSES_TD
