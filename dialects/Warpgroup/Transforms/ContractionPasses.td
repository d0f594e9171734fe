//===- ContractionPasses.td - Contractions as MMAs ---------*- tablegen -*-===//
//
// Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef GRIDIR_DIALECTS_WARPGROUP_TRANSFORMS_CONTRACTIONPASSES_TD
#define GRIDIR_DIALECTS_WARPGROUP_TRANSFORMS_CONTRACTIONPASSES_TD

include "mlir/Pass/PassBase.td"

def WarpgroupAssignTensorMemoryPass
    : Pass<"warpgroup-assign-tensor-memory", "::gridir::grid::KernelOp"> {
  let summary = "Place the accumulators of contractions in tensor memory";
  let description = [{
    Chips with tensor memory multiply matrices in shared memory with
    `tcgen05.mma`, which adds to an accumulator in tensor memory. This pass moves
    scratch to which the body adds results of contractions there, and gives each
    other contraction scratch of its own. If a loop of the body carries the sum,
    the scratch has it before, in and after the loop. Elementwise ops may change
    the carried value before the sum, as the rescaling in attention: they become
    the last ops before the contraction, and store to the scratch.

    A left operand that the body computes is stored in scratch in tensor memory,
    from which the MMA reads it, if it has 128 rows and is not transposed.

    Only kernels with a schedule are changed, whose other operands of
    contractions are in shared memory, and whose accumulators and left operands
    fit. Parts have 64 or 128 rows. A remark states the columns, or the reason
    for which accumulators are in registers.

    Before:

    ```mlir
    grid.kernel @product grid(%i = 4)
        inputs(%x: bf16 [512, 64] block [128, 64] at (%i, 0), %y: bf16 [64, 64])
        outputs(%o: f32 [512, 64] block [128, 64] at (%i, 0))
        semantics [parallel] attributes {
          warpgroup.schedule = #warpgroup.schedule<cta = [128, 64], warpgroup = [128, 64],
              shared = [0, 1]>} {
      %a = grid.load %x : memref<128x64xbf16, #grid.space<default>> -> tensor<128x64xbf16>
      %b = grid.load %y : memref<64x64xbf16, #grid.space<default>> -> tensor<64x64xbf16>
      %d = grid.dot %a, %b contract [1] x [0]
          : tensor<128x64xbf16>, tensor<64x64xbf16> -> tensor<128x64xf32>
      grid.store %d, %o : tensor<128x64xf32>, memref<128x64xf32, #grid.space<default>>
    }
    ```

    After:

    ```mlir
    grid.kernel @product grid(%i = 4)
        inputs(%x: bf16 [512, 64] block [128, 64] at (%i, 0), %y: bf16 [64, 64])
        outputs(%o: f32 [512, 64] block [128, 64] at (%i, 0))
        scratch(%s: memref<128x64xf32, #warpgroup.space<tmem>> origin "accumulator")
        semantics [parallel] attributes {
          warpgroup.schedule = #warpgroup.schedule<cta = [128, 64], warpgroup = [128, 64],
              shared = [0, 1]>} {
      %a = grid.load %x : memref<128x64xbf16, #grid.space<default>> -> tensor<128x64xbf16>
      %b = grid.load %y : memref<64x64xbf16, #grid.space<default>> -> tensor<64x64xbf16>
      %d = grid.dot %a, %b contract [1] x [0]
          : tensor<128x64xbf16>, tensor<64x64xbf16> -> tensor<128x64xf32>
      grid.store %d, %s : tensor<128x64xf32>, memref<128x64xf32, #warpgroup.space<tmem>>
      %r = grid.load %s : memref<128x64xf32, #warpgroup.space<tmem>> -> tensor<128x64xf32>
      grid.store %r, %o : tensor<128x64xf32>, memref<128x64xf32, #grid.space<default>>
    }
    ```
  }];
  let options = [
    Option<"chip", "chip", "std::string", /*default=*/"\"sm_90a\"",
           "The chip, with LLVM's name">
  ];
  let statistics = [
    Statistic<"numAccumulators", "num-accumulators",
              "Number of contractions whose accumulator is in tensor memory">,
    Statistic<"numOperands", "num-operands",
              "Number of left operands that are stored in tensor memory">
  ];
}

def WarpgroupSplitBatchesPass
    : Pass<"warpgroup-split-batches", "::gridir::grid::KernelOp"> {
  let summary = "Give each program contractions of matrices";
  let description = [{
    Matrix units compute contractions of matrices. If a kernel contracts blocks
    with batch dimensions, such as the heads of an attention, or with several free
    dimensions, and its programs can be split along them, each program gets one
    position of the batch, and of all free dimensions but the longest one of each
    operand, by new dimensions of the grid. Contractions whose batches have one
    element become contractions of matrices, or of vectors, by reshapes of the
    operands, if their contracted dimensions are adjacent, and first or last.

    Before:

    ```mlir
    grid.kernel @k grid(%i = 2)
        inputs(%x: bf16 [8, 64, 64] block [4, 64, 64] at (%i, 0, 0), %y: bf16 [8, 64, 64] block [4, 64, 64] at (%i, 0, 0))
        outputs(%o: f32 [8, 64, 64] block [4, 64, 64] at (%i, 0, 0)) semantics [parallel] {
      %a = grid.load %x : memref<4x64x64xbf16, #grid.space<default>> -> tensor<4x64x64xbf16>
      %b = grid.load %y : memref<4x64x64xbf16, #grid.space<default>> -> tensor<4x64x64xbf16>
      %c = grid.dot %a, %b contract [2] x [1] batch [0] x [0]
          : tensor<4x64x64xbf16>, tensor<4x64x64xbf16> -> tensor<4x64x64xf32>
      grid.store %c, %o : tensor<4x64x64xf32>, memref<4x64x64xf32, #grid.space<default>>
    }
    ```

    After:

    ```mlir
    grid.kernel @k grid(%i = 2, %j = 4)
        inputs(%x: bf16 [8, 64, 64] block [1, 64, 64] at ((%i * 4) + %j, 0, 0),
               %y: bf16 [8, 64, 64] block [1, 64, 64] at ((%i * 4) + %j, 0, 0))
        outputs(%o: f32 [8, 64, 64] block [1, 64, 64] at ((%i * 4) + %j, 0, 0)) semantics [parallel, parallel] {
      %a = grid.load %x : memref<1x64x64xbf16, #grid.space<default>> -> tensor<1x64x64xbf16>
      %b = grid.load %y : memref<1x64x64xbf16, #grid.space<default>> -> tensor<1x64x64xbf16>
      %l = tensor.collapse_shape %a [[0, 1], [2]] : tensor<1x64x64xbf16> into tensor<64x64xbf16>
      %r = tensor.collapse_shape %b [[0, 1], [2]] : tensor<1x64x64xbf16> into tensor<64x64xbf16>
      %d = grid.dot %l, %r contract [1] x [0] : tensor<64x64xbf16>, tensor<64x64xbf16> -> tensor<64x64xf32>
      %c = tensor.expand_shape %d [[0, 1], [2]] output_shape [1, 64, 64] : tensor<64x64xf32> into tensor<1x64x64xf32>
      grid.store %c, %o : tensor<1x64x64xf32>, memref<1x64x64xf32, #grid.space<default>>
    }
    ```
  }];
  let statistics = [
    Statistic<"numSplit", "num-split", "Number of dimensions that are split">,
    Statistic<"numMatrices", "num-matrices", "Number of contractions that become ones of matrices">
  ];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::tensor::TensorDialect"];
}

def WarpgroupPrepareContractionsPass
    : Pass<"warpgroup-prepare-contractions", "::gridir::grid::KernelOp"> {
  let summary = "Bring contractions to the form that warpgroups pipeline";
  let description = [{
    Changes the contractions of a kernel of blocks in three ways, so that
    `warpgroup-choose-schedule` and `convert-grid-to-warpgroup` can use matrix
    units for them:

    - A contraction of a transposed block contracts the other dimension of the
      block instead: matrix units transpose operands in shared memory.
    - The operands of a contraction whose result has few rows are exchanged, and
      the result is transposed, if only then `wgmma` computes it: its rows are 64
      and its columns 8.
    - A contraction of two whole blocks that are deeper than two rows of 128
      bytes becomes a loop over windows of that depth, to which a producer
      warpgroup copies ahead. Operands that elementwise ops compute from blocks,
      and those of f32, are computed in parts as deep as one row. Contractions of
      the same depth share a loop. A sum to which a product is added is the
      initial value of the loop. An operand may be the result of another
      contraction; if that is deep, too, a loop in the loop divides it. In loops
      of the author, operands deeper than 128 that are not copied are divided.

    Operands and depths of kernels that cannot become warpgroup programs, or have a
    schedule, are not changed.

    Before:

    ```mlir
    grid.kernel @deep grid(%i = 4)
        inputs(%x: bf16 [256, 1024] block [64, 1024] at (%i, 0), %y: bf16 [64, 1024])
        outputs(%o: f32 [256, 64] block [64, 64] at (%i, 0))
        semantics [parallel] {
      %a = grid.load %x : memref<64x1024xbf16, #grid.space<default>> -> tensor<64x1024xbf16>
      %b = grid.load %y : memref<64x1024xbf16, #grid.space<default>> -> tensor<64x1024xbf16>
      %empty = tensor.empty() : tensor<1024x64xbf16>
      %t = linalg.transpose ins(%b : tensor<64x1024xbf16>)
          outs(%empty : tensor<1024x64xbf16>) permutation = [1, 0]
      %d = grid.dot %a, %t contract [1] x [0]
          : tensor<64x1024xbf16>, tensor<1024x64xbf16> -> tensor<64x64xf32>
      grid.store %d, %o : tensor<64x64xf32>, memref<64x64xf32, #grid.space<default>>
    }
    ```

    After:

    ```mlir
    grid.kernel @deep grid(%i = 4)
        inputs(%x: bf16 [256, 1024] block [64, 1024] at (%i, 0), %y: bf16 [64, 1024])
        outputs(%o: f32 [256, 64] block [64, 64] at (%i, 0))
        semantics [parallel] {
      %zero = arith.constant dense<0.0> : tensor<64x64xf32>
      %c0 = arith.constant 0 : index
      %c64 = arith.constant 64 : index
      %c1024 = arith.constant 1024 : index
      %d = scf.for %k = %c0 to %c1024 step %c64 iter_args(%acc = %zero) -> (tensor<64x64xf32>) {
        %u = grid.slice_ref %x[0, %k] [64, 64] [1, 1]
            : memref<64x1024xbf16, #grid.space<default>>, index -> memref<64x64xbf16, #grid.space<default>>
        %a = grid.load %u : memref<64x64xbf16, #grid.space<default>> -> tensor<64x64xbf16>
        %v = grid.slice_ref %y[0, %k] [64, 64] [1, 1]
            : memref<64x1024xbf16, #grid.space<default>>, index -> memref<64x64xbf16, #grid.space<default>>
        %b = grid.load %v : memref<64x64xbf16, #grid.space<default>> -> tensor<64x64xbf16>
        %sum = grid.dot %a, %b acc %acc contract [1] x [1]
            : tensor<64x64xbf16>, tensor<64x64xbf16>, tensor<64x64xf32> -> tensor<64x64xf32>
        scf.yield %sum : tensor<64x64xf32>
      }
      grid.store %d, %o : tensor<64x64xf32>, memref<64x64xf32, #grid.space<default>>
    }
    ```
  }];
  let options = [
    Option<"chip", "chip", "std::string", /*default=*/"\"sm_90a\"",
           "The chip, with LLVM's name">
  ];
  let statistics = [
    Statistic<"numTransposes", "num-transposes",
              "Number of transposes that contractions replace">,
    Statistic<"numSwapped", "num-swapped",
              "Number of contractions whose operands are exchanged">,
    Statistic<"numSplit", "num-split",
              "Number of contractions that loops compute in parts">
  ];
  let dependentDialects = [
    "::mlir::arith::ArithDialect", "::mlir::linalg::LinalgDialect",
    "::mlir::scf::SCFDialect", "::mlir::tensor::TensorDialect"
  ];
}

def WarpgroupExpandContractionsPass
    : Pass<"warpgroup-expand-contractions", "::gridir::grid::KernelOp"> {
  let summary = "Compute contractions of f32 from parts in bf16";
  let description = [{
    Matrix units multiply f32 in fewer bits than f32 has. This pass divides each
    operand of a contraction of f32 into three parts in bf16, whose sum is the
    operand, and adds six products: all but those below the precision of f32. The
    least ones are added first. A part is truncated or rounded so that no finite
    number becomes infinite, and the infinities and NaN are in the first part only.

    If the author requests the precision `HIGH`, or the algorithm `TF32_TF32_F32` or
    `BF16_BF16_F32_X3`, operands have two parts, and the pass adds three products.
    `BF16_BF16_F32` is one product of rounded operands.

    Only kernels with a schedule are changed.

    Before:

    ```mlir
    grid.kernel @product grid(%i = 4)
        inputs(%x: f32 [256, 64] block [64, 64] at (%i, 0), %y: f32 [64, 64])
        outputs(%o: f32 [256, 64] block [64, 64] at (%i, 0))
        semantics [parallel] attributes {
          warpgroup.schedule = #warpgroup.schedule<cta = [64, 64], warpgroup = [64, 64]>} {
      %a = grid.load %x : memref<64x64xf32, #grid.space<default>> -> tensor<64x64xf32>
      %b = grid.load %y : memref<64x64xf32, #grid.space<default>> -> tensor<64x64xf32>
      %d = grid.dot %a, %b contract [1] x [0]
          : tensor<64x64xf32>, tensor<64x64xf32> -> tensor<64x64xf32>
      grid.store %d, %o : tensor<64x64xf32>, memref<64x64xf32, #grid.space<default>>
    }
    ```

    After, without the parts of `%b` and four of the products:

    ```mlir
    %bits = arith.bitcast %a : tensor<64x64xf32> to tensor<64x64xi32>
    %leading = arith.andi %bits, %mask : tensor<64x64xi32>
    %truncated = arith.bitcast %leading : tensor<64x64xi32> to tensor<64x64xf32>
    %difference = arith.subf %a, %truncated : tensor<64x64xf32>
    %first = arith.select %is_finite, %truncated, %a : tensor<64x64xi1>, tensor<64x64xf32>
    %rest = arith.select %is_finite, %difference, %zero : tensor<64x64xi1>, tensor<64x64xf32>
    %high = arith.truncf %first : tensor<64x64xf32> to tensor<64x64xbf16>
    %middle = arith.truncf %rest : tensor<64x64xf32> to tensor<64x64xbf16>
    %wide = arith.extf %middle : tensor<64x64xbf16> to tensor<64x64xf32>
    %last = arith.subf %rest, %wide : tensor<64x64xf32>
    %low = arith.truncf %last : tensor<64x64xf32> to tensor<64x64xbf16>
    %small = grid.dot %low, %high_of_b contract [1] x [0]
        : tensor<64x64xbf16>, tensor<64x64xbf16> -> tensor<64x64xf32>
    %sum = grid.dot %high, %high_of_b acc %small contract [1] x [0]
        : tensor<64x64xbf16>, tensor<64x64xbf16>, tensor<64x64xf32> -> tensor<64x64xf32>
    ```
  }];
  let statistics = [
    Statistic<"numExpanded", "num-expanded", "Number of contractions that were expanded">
  ];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::math::MathDialect"];
}

def WarpgroupStageOperandsPass
    : Pass<"warpgroup-stage-operands", "::gridir::grid::KernelOp"> {
  let summary = "Store values in shared memory from which matrix units read them";
  let description = [{
    Matrix units read the right operand of a contraction in shared memory, and the
    left one in registers only if it is not transposed. This pass stores other
    values, which the body computes, in scratch in shared memory. Each warpgroup
    has its own.

    Only kernels with a schedule are changed.

    Before:

    ```mlir
    grid.kernel @product grid(%i = 4)
        inputs(%x: bf16 [256, 64] block [64, 64] at (%i, 0), %y: f32 [64, 64])
        outputs(%o: f32 [256, 64] block [64, 64] at (%i, 0))
        semantics [parallel] attributes {
          warpgroup.schedule = #warpgroup.schedule<cta = [64, 64], warpgroup = [64, 64],
              shared = [0]>} {
      %a = grid.load %x : memref<64x64xbf16, #grid.space<default>> -> tensor<64x64xbf16>
      %v = grid.load %y : memref<64x64xf32, #grid.space<default>> -> tensor<64x64xf32>
      %b = arith.truncf %v : tensor<64x64xf32> to tensor<64x64xbf16>
      %d = grid.dot %a, %b contract [1] x [0]
          : tensor<64x64xbf16>, tensor<64x64xbf16> -> tensor<64x64xf32>
      grid.store %d, %o : tensor<64x64xf32>, memref<64x64xf32, #grid.space<default>>
    }
    ```

    After:

    ```mlir
    grid.kernel @product grid(%i = 4)
        inputs(%x: bf16 [256, 64] block [64, 64] at (%i, 0), %y: f32 [64, 64])
        outputs(%o: f32 [256, 64] block [64, 64] at (%i, 0))
        scratch(%s: memref<64x64xbf16, #warpgroup.space<smem>> origin "staged")
        semantics [parallel] attributes {
          warpgroup.schedule = #warpgroup.schedule<cta = [64, 64], warpgroup = [64, 64],
              shared = [0]>} {
      %a = grid.load %x : memref<64x64xbf16, #grid.space<default>> -> tensor<64x64xbf16>
      %v = grid.load %y : memref<64x64xf32, #grid.space<default>> -> tensor<64x64xf32>
      %b = arith.truncf %v : tensor<64x64xf32> to tensor<64x64xbf16>
      grid.store %b, %s : tensor<64x64xbf16>, memref<64x64xbf16, #warpgroup.space<smem>>
      %c = grid.load %s : memref<64x64xbf16, #warpgroup.space<smem>> -> tensor<64x64xbf16>
      %d = grid.dot %a, %c contract [1] x [0]
          : tensor<64x64xbf16>, tensor<64x64xbf16> -> tensor<64x64xf32>
      grid.store %d, %o : tensor<64x64xf32>, memref<64x64xf32, #grid.space<default>>
    }
    ```
  }];
  let statistics = [
    Statistic<"numStaged", "num-staged", "Number of values that were staged">
  ];
}

#endif // GRIDIR_DIALECTS_WARPGROUP_TRANSFORMS_CONTRACTIONPASSES_TD
