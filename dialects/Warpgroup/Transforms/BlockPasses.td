//===- BlockPasses.td - From kernels of blocks to programs -*- tablegen -*-===//
//
// Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef GRIDIR_DIALECTS_WARPGROUP_TRANSFORMS_BLOCKPASSES_TD
#define GRIDIR_DIALECTS_WARPGROUP_TRANSFORMS_BLOCKPASSES_TD

include "mlir/Pass/PassBase.td"

def WarpgroupCheckGathersPass
    : Pass<"warpgroup-check-gathers", "::gridir::grid::KernelOp"> {
  let summary = "Check indices of gathers that are data";
  let description = [{
    A warpgroup program does not check its accesses. This pass adds a check of
    the indices of each gather that are not proved to be in bounds. A call with
    an index out of bounds fails with the message that kernels mapped to threads
    have, and loads the last element of the dimension. Indices whose mask is
    false, and those of values that may be discarded, are not checked.

    Only kernels with a schedule are changed.

    Before:

    ```mlir
    %i = grid.load %s : memref<32xi32> -> tensor<32xi32>
    %v = grid.gather %x[%i] dims [0] : memref<64x128xf32>, tensor<32xi32> -> tensor<32x128xf32>
    ```

    After:

    ```mlir
    %i = grid.load %s : memref<32xi32> -> tensor<32xi32>
    %zero = arith.constant dense<0> : tensor<i32>
    %max = linalg.reduce {arith.maxui} ins(%i : tensor<32xi32>) outs(%zero : tensor<i32>) dimensions = [0]
    %largest = tensor.extract %max[] : tensor<i32>
    %extent = arith.constant 64 : i32
    %inside = arith.cmpi ult, %largest, %extent : i32
    %n = arith.index_cast %largest : i32 to index
    %e = arith.index_cast %extent : i32 to index
    grid.assert %inside, "index {0} is out of bounds [0, {1}) in dimension 0 of x"(%n, %e : index, index)
    %last = arith.constant dense<63> : tensor<32xi32>
    %j = arith.minui %i, %last : tensor<32xi32>
    %v = grid.gather %x[%j] dims [0] : memref<64x128xf32>, tensor<32xi32> -> tensor<32x128xf32>
    ```
  }];
  let statistics = [
    Statistic<"numChecked", "num-checked", "Number of gathers that are checked">
  ];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::linalg::LinalgDialect",
                           "::mlir::tensor::TensorDialect"];
}

def WarpgroupCheckWindowsPass
    : Pass<"warpgroup-check-windows", "::gridir::grid::KernelOp"> {
  let summary = "Check offsets of windows that are data";
  let description = [{
    A warpgroup program does not check its accesses. This pass adds a check of
    each offset of a window that is not proved to be in bounds, for example one
    that the kernel loads. A call with an offset out of bounds fails with the
    message that kernels mapped to threads have, and accesses the nearest window.
    An offset of one element that is only loaded is not checked if the value may
    be discarded, or with the kernel's `disable_bounds_checks`.

    Only kernels with a schedule are changed.

    Before:

    ```mlir
    %i = grid.load %s : memref<i32> -> i32
    %w = grid.slice_ref %x[%i, 0] [16, 128] [1, 1] : memref<64x128xf32>, i32 -> memref<16x128xf32>
    ```

    After:

    ```mlir
    %i = grid.load %s : memref<i32> -> i32
    %n = arith.index_cast %i : i32 to index
    %zero = arith.constant 0 : index
    %last = arith.constant 48 : index
    %extent = arith.constant 64 : index
    %low = arith.cmpi sge, %n, %zero : index
    %high = arith.cmpi sle, %n, %last : index
    %both = arith.andi %low, %high : i1
    grid.assert %both, "a slice of 16 elements from index {0} is out of bounds [0, {1}) in dimension 0 of x"(%n, %extent : index, index)
    %a = arith.maxsi %n, %zero : index
    %b = arith.minsi %a, %last : index
    %w = grid.slice_ref %x[%b, 0] [16, 128] [1, 1] : memref<64x128xf32>, index -> memref<16x128xf32>
    ```
  }];
  let statistics = [
    Statistic<"numChecked", "num-checked", "Number of windows that are checked">
  ];
}

def WarpgroupChooseSchedulePass : Pass<"warpgroup-choose-schedule", "::gridir::grid::KernelOp"> {
  let summary = "Choose how CTAs and warpgroups compute the blocks of a kernel";
  let description = [{
    Attaches a `#warpgroup.schedule` to a kernel of blocks that
    `convert-grid-to-warpgroup` can convert. A warpgroup holds all values of its
    part of a block in registers, so the part is chosen as large as registers
    permit and as small as the chip needs to have work for all multiprocessors.
    Contractions of blocks in rows of 128 bytes read them from shared memory, in
    several stages. A producer copies them if the chip has bulk copies and
    warpgroups can hand over registers; otherwise the consumers copy. The number
    of warps that an author requests, rounded up to a multiple of four, determines
    the warpgroups of a CTA of other kernels.

    A schedule that the kernel already has is not changed. The option `schedule`
    is the schedule of all other kernels, whether or not they can become
    programs. If a kernel gets none, a remark states the reason: it is then
    mapped to threads.

    Before:

    ```mlir
    grid.kernel @double grid(%i = 64)
        inputs(%x: f32 [512, 1024] block [8, 1024] at (%i, 0))
        outputs(%o: f32 [512, 1024] block [8, 1024] at (%i, 0))
        semantics [parallel] {
      %v = grid.load %x : memref<8x1024xf32, #grid.space<default>> -> tensor<8x1024xf32>
      %w = arith.addf %v, %v : tensor<8x1024xf32>
      grid.store %w, %o : tensor<8x1024xf32>, memref<8x1024xf32, #grid.space<default>>
    }
    ```

    After:

    ```mlir
    grid.kernel @double grid(%i = 64)
        inputs(%x: f32 [512, 1024] block [8, 1024] at (%i, 0))
        outputs(%o: f32 [512, 1024] block [8, 1024] at (%i, 0))
        semantics [parallel]
        attributes {warpgroup.schedule = #warpgroup.schedule<cta = [1, 1024], warpgroup = [1, 1024]>} {
      %v = grid.load %x : memref<8x1024xf32, #grid.space<default>> -> tensor<8x1024xf32>
      %w = arith.addf %v, %v : tensor<8x1024xf32>
      grid.store %w, %o : tensor<8x1024xf32>, memref<8x1024xf32, #grid.space<default>>
    }
    ```
  }];
  let options = [
    Option<"chip", "chip", "std::string", /*default=*/"\"sm_90a\"",
           "The chip, with LLVM's name">,
    Option<"numWarps", "num-warps", "unsigned", /*default=*/"0",
           "Warps of a CTA; 0 for the kernel's own parameter">,
    Option<"mapped", "mapped", "bool", /*default=*/"false",
           "Map every kernel of blocks to threads">,
    Option<"schedule", "schedule", "std::string", /*default=*/"\"\"",
           "The schedule of kernels that have none, as the text of the attribute">
  ];
  let statistics = [
    Statistic<"numScheduled", "num-scheduled", "Number of kernels with a schedule">,
    Statistic<"numLeft", "num-left", "Number of kernels without a schedule">
  ];
  let dependentDialects = ["::gridir::warpgroup::WarpgroupDialect"];
}

def WarpgroupExtendBlocksPass : Pass<"warpgroup-extend-blocks", "::gridir::grid::KernelOp"> {
  let summary = "Extend blocks by the positions that masks exclude";
  let description = [{
    Kernels for Triton round the size of a row up to a power of two, access as
    many positions, and exclude those after the row by masks. This pass extends
    the blocks to all positions of such accesses, so that
    `grid-gathers-to-windows` makes windows of them. The blocks then overhang
    their arrays.

    A dimension is extended if blocks have it as a whole, if all accesses of the
    operand are at known positions, and if comparisons with the positions prove
    that masks select no element outside of the array. A dimension has at most
    twice as many positions afterwards, or 1024.

    Before:

    ```mlir
    grid.kernel @copy grid() inputs(%x: f32 [100]) outputs(%o: f32 [128]) {
      %empty = tensor.empty() : tensor<128xi32>
      %position = linalg.generic
          {indexing_maps = [affine_map<(d0) -> (d0)>], iterator_types = ["parallel"]}
          outs(%empty : tensor<128xi32>) {
      ^bb0(%out: i32):
        %i = linalg.index 0 : index
        %j = arith.index_cast %i : index to i32
        linalg.yield %j : i32
      } -> tensor<128xi32>
      %size = arith.constant dense<100> : tensor<128xi32>
      %mask = arith.cmpi slt, %position, %size : tensor<128xi32>
      %v = grid.gather %x[%position] dims [0] mask %mask
          : memref<100xf32, #grid.space<default>>, tensor<128xi32> mask tensor<128xi1> -> tensor<128xf32>
      grid.store %v, %o : tensor<128xf32>, memref<128xf32, #grid.space<default>>
    }
    ```

    After:

    ```mlir
    grid.kernel @copy grid() inputs(%x: f32 [100] block [128] at (0)) outputs(%o: f32 [128]) {
      %empty = tensor.empty() : tensor<128xi32>
      %position = linalg.generic
          {indexing_maps = [affine_map<(d0) -> (d0)>], iterator_types = ["parallel"]}
          outs(%empty : tensor<128xi32>) {
      ^bb0(%out: i32):
        %i = linalg.index 0 : index
        %j = arith.index_cast %i : index to i32
        linalg.yield %j : i32
      } -> tensor<128xi32>
      %size = arith.constant dense<100> : tensor<128xi32>
      %mask = arith.cmpi slt, %position, %size : tensor<128xi32>
      %v = grid.gather %x[%position] dims [0] mask %mask
          : memref<128xf32, #grid.space<default>>, tensor<128xi32> mask tensor<128xi1> -> tensor<128xf32>
      grid.store %v, %o : tensor<128xf32>, memref<128xf32, #grid.space<default>>
    }
    ```
  }];
  let statistics = [
    Statistic<"numExtended", "num-extended", "Number of operands with larger blocks">
  ];
}

def WarpgroupPadBlocksPass : Pass<"warpgroup-pad-blocks", "::gridir::grid::KernelOp"> {
  let summary = "Extend blocks to sizes that threads and matrix units divide";
  let description = [{
    The threads of a warpgroup hold equal parts of an array. If a reduction
    combines elements that no 128 threads divide, such as a row of 1000, few
    threads would hold them. This pass extends the blocks and values along such a
    dimension to a size that 128 threads divide. The blocks then overhang their
    arrays, and their accesses have masks. Reductions combine the neutral element
    instead of elements that the array does not have.

    If matrix units have the types of a contraction, but do not divide its sizes,
    its dimensions are extended to multiples that they divide, by the fewest
    elements of the result. Contracted dimensions become multiples of an
    instruction's depth, and of rows of 128 bytes if they are longer; both
    operands have zeros there. Rows of the right operand become multiples of 128
    bytes, so that shared memory can hold it, even if matrix units divide the
    sizes: registers of each warp would hold the whole operand. A vector, or an operand of a single
    row, becomes 8 or 16 equal rows, and the result is the first one of the
    contraction's.

    A dimension that no block has as a whole, such as the 16 keys of a page, is
    not extended. The operands of such a contraction are repeated until matrix
    units divide the sizes, and the result is the first part of the contraction's.
    If the depth is repeated, only the first part of it is not zero. Operands
    that are copied to shared memory are repeated only if no other sizes fit.

    Only dimensions that blocks have as a whole are extended, and reductions only
    where registers hold the result. A kernel that cannot become a warpgroup
    program, or has a contraction that remains one for threads, is not changed.

    Before:

    ```mlir
    grid.kernel @sum grid(%i = 64)
        inputs(%x: f32 [64, 1000] block [1, 1000] at (%i, 0))
        outputs(%o: f32 [64] block [1] at (%i)) semantics [parallel] {
      %c0 = arith.constant dense<0.0> : tensor<1xf32>
      %v = grid.load %x : memref<1x1000xf32, #grid.space<default>> -> tensor<1x1000xf32>
      %sum = linalg.reduce {arith.addf} ins(%v : tensor<1x1000xf32>) outs(%c0 : tensor<1xf32>) dimensions = [1]
      grid.store %sum, %o : tensor<1xf32>, memref<1xf32, #grid.space<default>>
    }
    ```

    After:

    ```mlir
    #id = affine_map<(d0, d1) -> (d0, d1)>
    grid.kernel @sum grid(%i = 64)
        inputs(%x: f32 [64, 1000] block [1, 1024] at (%i, 0))
        outputs(%o: f32 [64] block [1] at (%i)) semantics [parallel] {
      %c0 = arith.constant dense<0.0> : tensor<1xf32>
      %v = grid.load %x : memref<1x1024xf32, #grid.space<default>> -> tensor<1x1024xf32>
      %neutral = arith.constant dense<0.0> : tensor<1x1024xf32>
      %empty = tensor.empty() : tensor<1x1024xi1>
      %inside = linalg.generic {indexing_maps = [#id], iterator_types = ["parallel", "parallel"]}
          outs(%empty : tensor<1x1024xi1>) {
        ^bb0(%out: i1):
          %position = linalg.index 1 : index
          %end = arith.constant 1000 : index
          %is_inside = arith.cmpi slt, %position, %end : index
          linalg.yield %is_inside : i1
      } -> tensor<1x1024xi1>
      %w = arith.select %inside, %v, %neutral : tensor<1x1024xi1>, tensor<1x1024xf32>
      %sum = linalg.reduce {arith.addf} ins(%w : tensor<1x1024xf32>) outs(%c0 : tensor<1xf32>) dimensions = [1]
      grid.store %sum, %o : tensor<1xf32>, memref<1xf32, #grid.space<default>>
    }
    ```
  }];
  let options = [
    Option<"chip", "chip", "std::string", /*default=*/"\"sm_90a\"",
           "The chip, with LLVM's name">
  ];
  let statistics = [
    Statistic<"numPadded", "num-padded", "Number of dimensions that are extended">,
    Statistic<"numRepeated", "num-repeated", "Number of contractions whose operands are repeated">
  ];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::linalg::LinalgDialect",
                           "::mlir::tensor::TensorDialect"];
}

def WarpgroupSplitBlocksPass : Pass<"warpgroup-split-blocks", "::gridir::grid::KernelOp"> {
  let summary = "Split the programs of a kernel as its schedule specifies";
  let description = [{
    Splits the blocks of a kernel with a `#warpgroup.schedule` into parts, of
    which each warpgroup computes one. The parts of a program are new programs:
    along a new dimension of the grid for each CTA, and along one of kind
    `thread` for each warpgroup of a CTA. Blocks of operands are split with the
    output where their elements depend on one another position by position;
    other blocks, such as a row of scales, are those of every part. Windows of an
    array are split as blocks are; those of an output must begin at multiples of
    their size.

    The new dimensions precede the first dimension that is not parallel, so each
    part runs through the remaining ones in the author's order.

    A schedule is rejected if a part has elements that depend on those of other
    parts, if its sizes do not divide the block, or if the first output has
    another rank.

    Before:

    ```mlir
    grid.kernel @double grid(%i = 64)
        inputs(%x: f32 [512, 1024] block [8, 1024] at (%i, 0))
        outputs(%o: f32 [512, 1024] block [8, 1024] at (%i, 0))
        semantics [parallel]
        attributes {warpgroup.schedule = #warpgroup.schedule<cta = [2, 1024], warpgroup = [2, 1024]>} {
      %v = grid.load %x : memref<8x1024xf32, #grid.space<default>> -> tensor<8x1024xf32>
      grid.store %v, %o : tensor<8x1024xf32>, memref<8x1024xf32, #grid.space<default>>
    }
    ```

    After:

    ```mlir
    grid.kernel @double grid(%i = 64, %j = 4)
        inputs(%x: f32 [512, 1024] block [2, 1024] at (%i * 4 + %j, 0))
        outputs(%o: f32 [512, 1024] block [2, 1024] at (%i * 4 + %j, 0))
        semantics [parallel, parallel]
        attributes {warpgroup.schedule = #warpgroup.schedule<cta = [2, 1024], warpgroup = [2, 1024]>} {
      %v = grid.load %x : memref<2x1024xf32, #grid.space<default>> -> tensor<2x1024xf32>
      grid.store %v, %o : tensor<2x1024xf32>, memref<2x1024xf32, #grid.space<default>>
    }
    ```
  }];
  let statistics = [
    Statistic<"numDims", "num-dims", "Number of dimensions added to grids">
  ];
  let dependentDialects = ["::mlir::arith::ArithDialect"];
}

def WarpgroupSplitReductionsPass
    : Pass<"warpgroup-split-reductions", "::gridir::grid::KernelOp"> {
  let summary = "Read values that registers do not hold in parts";
  let description = [{
    A warpgroup holds the arrays of its part of a block in registers. A block that
    cannot be split, such as a row of a softmax, may be too large. This pass
    replaces each reduction and store of such a value by a loop over parts of the
    value, which are computed from parts of the blocks of inputs. Several loops
    load the same elements again. If no suitable size of a part divides the row,
    the last part ends with the row: it stores some elements again, and its
    reduction has the neutral element instead of those.

    A kernel is changed if a warpgroup program can compute the result, and if
    elementwise ops compute all such values.

    Before:

    ```mlir
    %v = grid.load %x : memref<1x32768xf32> -> tensor<1x32768xf32>
    %sum = linalg.reduce ins(%v : tensor<1x32768xf32>) outs(%zero : tensor<1xf32>) dimensions = [1]
      (%in: f32, %init: f32) {
        %add = arith.addf %in, %init : f32
        linalg.yield %add : f32
      }
    ```

    After:

    ```mlir
    %c0 = arith.constant 0 : index
    %c4096 = arith.constant 4096 : index
    %c32768 = arith.constant 32768 : index
    %sum = scf.for %i = %c0 to %c32768 step %c4096 iter_args(%acc = %zero) -> tensor<1xf32> {
      %w = grid.slice_ref %x[0, %i] [1, 4096] [1, 1] : memref<1x32768xf32>, index -> memref<1x4096xf32>
      %v = grid.load %w : memref<1x4096xf32> -> tensor<1x4096xf32>
      %next = linalg.reduce ins(%v : tensor<1x4096xf32>) outs(%acc : tensor<1xf32>) dimensions = [1]
        (%in: f32, %init: f32) {
          %add = arith.addf %in, %init : f32
          linalg.yield %add : f32
        }
      scf.yield %next : tensor<1xf32>
    }
    ```
  }];
  let options = [
    Option<"chip", "chip", "std::string", /*default=*/"\"sm_90a\"",
           "The chip, with LLVM's name">
  ];
  let statistics = [
    Statistic<"numSplit", "num-split", "Number of reductions and stores in parts">
  ];
}

def WarpgroupWindowBlocksPass : Pass<"warpgroup-window-blocks", "::mlir::ModuleOp"> {
  let summary = "Access blocks at positions that are data as windows";
  let description = [{
    Index maps that read index operands, as scalar prefetch does, or that are not
    affine for another reason are computed in the body. The kernel takes index
    operands as inputs, and accesses such blocks as windows of whole arrays. An
    index that is not proved to be in bounds is checked: a call with an index out
    of bounds fails with the message that kernels mapped to threads have, and
    accesses the nearest block.

    The number of CTAs of a warpgroup program is static. Loops of the body
    therefore replace the dimensions of a grid whose sizes a call gives, and the
    dimensions that run in order with them. The kernel takes the sizes as its
    first inputs. Blocks at positions that depend on such loops are windows. The
    programs of parallel dimensions of unknown size are distributed to a static
    number of programs.

    A kernel is changed if a warpgroup program can compute the result, and if such
    blocks do not overhang their arrays.

    Before:

    ```mlir
    grid.kernel @copy grid(%i = 4)
        index(%s: i32 [4] space #tpu.memory_space<smem>)
        inputs(%x: f32 [64, 128] block [16, 128] map(%g: i32, %a: memref<4xi32, #tpu.memory_space<smem>>) {
      %e = grid.slice_ref %a[%g] [1] [1] drop [0] : memref<4xi32, #tpu.memory_space<smem>>, i32 -> memref<i32, #tpu.memory_space<smem>>
      %n = grid.load %e : memref<i32, #tpu.memory_space<smem>> -> i32
      %zero = arith.constant 0 : i32
      grid.yield %n, %zero : i32, i32
    })
        outputs(%o: f32 [64, 128] block [16, 128] at (%i, 0)) {
      %v = grid.load %x : memref<16x128xf32, #grid.space<default>> -> tensor<16x128xf32>
      grid.store %v, %o : tensor<16x128xf32>, memref<16x128xf32, #grid.space<default>>
    }
    ```

    After, without the check and the limits of the index:

    ```mlir
    grid.kernel @copy grid(%i = 4)
        inputs(%s: i32 [4] space #tpu.memory_space<smem>, %x: f32 [64, 128])
        outputs(%o: f32 [64, 128] block [16, 128] at (%i, 0)) {
      %g = grid.program_id 0
      %e = grid.slice_ref %s[%g] [1] [1] drop [0] : memref<4xi32, #tpu.memory_space<smem>>, i32 -> memref<i32, #tpu.memory_space<smem>>
      %n = grid.load %e : memref<i32, #tpu.memory_space<smem>> -> i32
      %size = arith.constant 16 : i32
      %first = arith.muli %n, %size : i32
      %b = grid.slice_ref %x[%first, 0] [16, 128] [1, 1]
          : memref<64x128xf32, #grid.space<default>>, i32 -> memref<16x128xf32, #grid.space<default>>
      %v = grid.load %b : memref<16x128xf32, #grid.space<default>> -> tensor<16x128xf32>
      grid.store %v, %o : tensor<16x128xf32>, memref<16x128xf32, #grid.space<default>>
    }
    ```
  }];
  let options = [
    Option<"chip", "chip", "std::string", /*default=*/"\"sm_90a\"",
           "The chip, with LLVM's name">
  ];
  let statistics = [
    Statistic<"numChanged", "num-changed", "Number of kernels with windows for blocks">
  ];
}

#endif // GRIDIR_DIALECTS_WARPGROUP_TRANSFORMS_BLOCKPASSES_TD
