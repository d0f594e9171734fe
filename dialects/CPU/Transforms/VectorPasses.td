//===- VectorPasses.td - ops of a body on vector registers ---*- tablegen -*-===//
//
// Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef GRIDIR_DIALECTS_CPU_TRANSFORMS_VECTORPASSES_TD
#define GRIDIR_DIALECTS_CPU_TRANSFORMS_VECTORPASSES_TD

include "mlir/Pass/PassBase.td"

def CPULowerVectorsPass : Pass<"cpu-lower-vectors", "::mlir::ModuleOp"> {
  let summary = "Lower vector ops to those that LLVM supports";
  let description = [{
    Applies upstream's patterns that lower vector ops to simpler ones:
    contractions to outer products, transposes to shuffles, transfers to loads
    and stores, masks to comparisons, and multi-dimensional ops to ops on rows.
    `convert-to-llvm` converts the results.

    Upstream's `convert-vector-to-llvm` does both at once, first simplifies the
    control flow of the whole module, and walks over all its ops, which took a
    sixth of the compile time of a kernel with many loops.

    Before:

    ```mlir
    func.func @k(%x: memref<4x8xf32>, %i: index) -> vector<8xf32> {
      %c0 = arith.constant 0 : index
      %pad = arith.constant 0.0 : f32
      %0 = vector.transfer_read %x[%i, %c0], %pad {in_bounds = [true]} : memref<4x8xf32>, vector<8xf32>
      func.return %0 : vector<8xf32>
    }
    ```

    After:

    ```mlir
    func.func @k(%x: memref<4x8xf32>, %i: index) -> vector<8xf32> {
      %c0 = arith.constant 0 : index
      %0 = vector.load %x[%i, %c0] : memref<4x8xf32>, vector<8xf32>
      func.return %0 : vector<8xf32>
    }
    ```
  }];
  let dependentDialects = [
    "::mlir::arith::ArithDialect", "::mlir::memref::MemRefDialect",
    "::mlir::scf::SCFDialect", "::mlir::tensor::TensorDialect",
    "::mlir::ub::UBDialect", "::mlir::vector::VectorDialect",
  ];
  let statistics = [
    Statistic<"numOpsBefore", "num-ops-before",
              "Number of vector operations before">,
    Statistic<"numOpsAfter", "num-ops-after",
              "Number of resulting simpler vector operations">,
  ];
}

def CPUTileBodyPass : Pass<"cpu-tile-body", "::mlir::func::FuncOp"> {
  let summary = "Tile every linalg op on memrefs to a few vector registers";
  let description = [{
    Selects the dimension of each op that is vectorized, and emits loops around
    tiles of a few registers:

    - elementwise ops along the innermost dimension of their result; parallel
      dimensions whose elements are adjacent in all operands are combined, so
      rows that are contiguous in memory are one long row;
    - transposes in squares;
    - operands that a loop walks backwards, such as `x[i, 7 - j]`, from views at
      the other end; loads in a body with such positions become operands first;
    - gathers of rows, such as `x[rows[i], j]`, row by row: the loops over `i`
      load the index once, and the row is an operand of the op inside. Other
      loads at positions that are data, such as `table[codes[i]]`, are gathers
      of vectors if the op does not write their array;
    - reductions across rows with a row of accumulators, in registers over all
      rows. If the array exceeds `cache-bytes`, one line of each of eight rows
      is added to accumulators in memory, then the next line of the same rows: a
      processor fetches a few rows ahead, and not parts of many rows;
    - reductions across short rows with accumulators of several of them;
    - other reductions along a row with accumulators that are added once, at the
      end of the row: 32 for f32, regardless of the width of a register, so a
      floating-point sum has the same order on every CPU. Element i is added to
      accumulator i modulo 32. Functions whose order makes no difference, such
      as maxima, have as many as hide their latency.
    - argmax and argmin of a row in the same way; the body itself selects the
      lowest index of equal elements.

    The remainder of a tile size is processed one register at a time, then in
    one short tile; a dynamic size one element at a time. Ops whose bodies
    cannot be vectorized stay, and become scalar loops later. A `memref.copy` is
    treated like any other op.

    Before:

    ```mlir
    linalg.exp ins(%x : memref<4x40xf32, strided<[64, 1]>>) outs(%y : memref<4x40xf32>)
    ```

    After, with registers of 32 bytes:

    ```
    scf.for %i = %c0 to %c4 step %c1 {
      scf.for %j = %c0 to %c32 step %c16 {
        %xt = memref.subview %x[%i, %j] [1, 16] [1, 1] ...
        %yt = memref.subview %y[%i, %j] [1, 16] [1, 1] ...
        linalg.generic ... ins(%xt : memref<16xf32, ...>) outs(%yt : memref<16xf32, ...>) ...
      }
      linalg.generic ... // columns 32 to 39
    }
    ```
  }];
  let dependentDialects = [
    "::mlir::affine::AffineDialect", "::mlir::arith::ArithDialect",
    "::mlir::linalg::LinalgDialect", "::mlir::memref::MemRefDialect",
    "::mlir::scf::SCFDialect",
  ];
  let options = [
    Option<"vectorBytes", "vector-bytes", "unsigned", /*default=*/"32",
           "Set the width of a vector register in bytes">,
    Option<"vectorRegisters", "vector-registers", "unsigned", /*default=*/"16",
           "Set the number of vector registers">,
    Option<"cacheBytes", "cache-bytes", "int64_t", /*default=*/"0",
           "Set the size of the caches in bytes; 0 for unlimited ones">,
  ];
  let statistics = [
    Statistic<"numTiled", "num-tiled", "Number of ops tiled">,
    Statistic<"numGrouped", "num-grouped",
              "Number of reductions across rows in groups of rows">,
    Statistic<"numLeft", "num-left", "Number of ops left to scalar loops">,
  ];
}

def CPUTileContractionsPass : Pass<"cpu-tile-contractions", "::mlir::func::FuncOp"> {
  let summary = "Tile contractions to register tiles over packed panels";
  let description = [{
    Rewrites every static contraction on memrefs as loops over

    - batch dimensions and further m, n and k dimensions, one at a time;
    - panels of the right operand, as wide as the accumulators, copied to a
      contiguous buffer if enough rows use it, or if it must be transposed,
      widened or padded;
    - tiles of a few rows, whose accumulators stay in registers over the whole
      panel.

    Narrow element types are widened while panels are copied: f16 and bf16 to
    f32, small integers to i32. A narrow result is accumulated in the wide type
    and rounded once. Columns that do not fill a register are padded with zeros.

    Before:

    ```mlir
    linalg.matmul ins(%a, %b : memref<12x64xf32>, memref<64x16xf32>) outs(%c : memref<12x16xf32>)
    ```

    After, with 16 registers of 32 bytes:

    ```
    scf.for %i = %c0 to %c12 step %c6 {
      scf.for %k = %c0 to %c64 step %c1 {
        linalg.contract ... ins(%at, %bt : memref<6x1xf32, ...>, memref<1x16xf32, ...>)
                            outs(%ct : memref<6x16xf32, ...>)
      }
    }
    ```

    A CPU may have a dot-product instruction, which adds the products of several
    narrow elements. Panels for it hold the elements of two or four steps as
    32-bit words:

    | instruction | elements | of operands |
    | --- | --- | --- |
    | `tdpbf16ps` | two of bf16, in tiles | bf16 |
    | `tdpbssd` | four bytes, in tiles | 8-bit integers |
    | `vdpbf16ps` | two of bf16 | bf16 |
    | `vpdpbusd` | four bytes without and with a sign | 8-bit integers, unless both have no sign |
    | `vpdpwssd`, `pmaddwd` | two of i16 | integers of up to 16 bits that i16 holds |

    If both operands are signed, `vpdpbusd` takes the left one with a bias of
    128, and the contribution of the bias to each column is subtracted.
    `vdpbf16ps` consists of two FMAs, and the FMA of the second product comes
    first. Products of bf16 are therefore added from the last to the first on
    every CPU, with or without the instruction, and the sums are equal bit for
    bit.

    Tiles are registers of 16 rows of 64 bytes. Rows, columns and steps are
    padded with zeros to whole tiles, so all tiles of a kernel have one
    configuration. `tdpbssd` also stands for the three other instructions, for
    unsigned bytes. `tdpbf16ps` adds the products of the first elements of 16
    words and those of the second elements separately, adds the two sums, and
    adds that to the result: an order that other CPUs do not have.

    A panel of a few columns takes one or two lines of each row of the right
    operand, and a processor does not fetch such parts ahead. With
    `prefetch-bytes`, each tile also fetches a share of the next panel, if the
    operand is a large argument of the function: that of the following rows, then
    that of the following columns. After the last one, it is the first panel of
    the next program of a kernel whose grid has the reduction last. A prefetch
    beyond the end of an array has no effect.

    Few rows of a result do not hide these reads, and do not pay for a copy of
    the panel: fewer than 16, or than 64 if a panel has one or two lines of a
    row. If the right operand is such a large argument, the outermost loop takes
    16 steps of the reduction at a time, so that as many rows of the operand are
    read side by side. Accumulators are then in the result.

    A panel that is only copied, and not fetched ahead, is copied by the first
    tile, whose additions hide the reads.

    Contractions with one column, and with a few if both operands are contiguous
    along k, are left to `cpu-tile-body`, which treats them as reductions.
  }];
  let dependentDialects = [
    "::mlir::affine::AffineDialect", "::mlir::amx::AMXDialect",
    "::mlir::arith::ArithDialect", "::mlir::linalg::LinalgDialect",
    "::mlir::LLVM::LLVMDialect", "::mlir::memref::MemRefDialect",
    "::mlir::scf::SCFDialect", "::mlir::ub::UBDialect",
    "::mlir::vector::VectorDialect",
  ];
  let options = [
    Option<"vectorBytes", "vector-bytes", "unsigned", /*default=*/"32",
           "Set the width of a vector register in bytes">,
    Option<"vectorRegisters", "vector-registers", "unsigned", /*default=*/"16",
           "Set the number of vector registers">,
    Option<"prefetchBytes", "prefetch-bytes", "int64_t", /*default=*/"0",
           "Set the least size of a right operand that is fetched ahead; 0 for "
           "no prefetches">,
    ListOption<"dotProducts", "dot-products", "std::string",
               "The dot-product instructions to use: tdpbf16ps, tdpbssd, "
               "vdpbf16ps, vpdpbusd, vpdpwssd, pmaddwd; none by default">,
  ];
  let statistics = [
    Statistic<"numTiled", "num-tiled", "Number of contractions tiled">,
    Statistic<"numDotProducts", "num-dot-products",
              "Number of contractions tiled for a dot-product instruction">,
    Statistic<"numPrefetched", "num-prefetched",
              "Number of lines that tiles fetch ahead">,
    Statistic<"numLeft", "num-left", "Number of contractions left to other tilings">,
  ];
}

def CPUUnrollReductionsPass : Pass<"cpu-unroll-reductions", "::mlir::func::FuncOp"> {
  let summary = "Unroll short loops over accumulators";
  let description = [{
    A reduction across rows adds eight rows to a few accumulators, then the same
    rows to the next ones (`cpu-tile-body`). A loop over the eight rows ends so
    soon that a processor waits at each end: it does not foresee the end, and
    fetches no rows meanwhile. This pass unrolls innermost loops of at most eight
    iterations that carry only vectors and have at most eight ops, without those
    that compute indices. Maxima and minima of several rows are then computed
    together: a comparison and a selection for each, and one correction for NaN
    and zeros.

    Before:

    ```mlir
    func.func @k(%x: memref<128x512xf32>, %i: index, %j: index, %init: vector<16xf32>) -> vector<16xf32> {
      %c0 = arith.constant 0 : index
      %c1 = arith.constant 1 : index
      %c2 = arith.constant 2 : index
      %zero = arith.constant 0.0 : f32
      %sum = scf.for %r = %c0 to %c2 step %c1 iter_args(%acc = %init) -> (vector<16xf32>) {
        %row = arith.addi %i, %r : index
        %v = vector.transfer_read %x[%row, %j], %zero {in_bounds = [true]} : memref<128x512xf32>, vector<16xf32>
        %next = arith.addf %v, %acc : vector<16xf32>
        scf.yield %next : vector<16xf32>
      }
      func.return %sum : vector<16xf32>
    }
    ```

    After:

    ```
    %v0 = vector.transfer_read %x[%i, %j], %zero ...
    %sum0 = arith.addf %v0, %init : vector<16xf32>
    %row1 = arith.addi %i, %c1 : index
    %v1 = vector.transfer_read %x[%row1, %j], %zero ...
    %sum1 = arith.addf %v1, %sum0 : vector<16xf32>
    ```
  }];
  let dependentDialects = [
    "::mlir::arith::ArithDialect", "::mlir::math::MathDialect",
    "::mlir::scf::SCFDialect", "::mlir::ub::UBDialect",
  ];
  let statistics = [
    Statistic<"numUnrolled", "num-unrolled", "Number of loops unrolled">,
    Statistic<"numCombined", "num-combined",
              "Number of chains of maxima or minima computed together">,
    Statistic<"numLarge", "num-large",
              "Number of short loops whose bodies have too many ops">,
  ];
}

def CPUUnrollTransfersPass : Pass<"cpu-unroll-transfers", "::mlir::ModuleOp"> {
  let summary = "Unroll multi-dimensional transfers to one-dimensional ones";
  let description = [{
    Applies the unrolling patterns of upstream's `convert-vector-to-scf` to
    transfers and the ops derived from them. Upstream's pass visits all other
    ops, too.

    Elements that are two to four apart are read with those between them, and
    shuffled. Other elements that are not adjacent are read one by one, as such
    elements are written: what is between them may belong to another thread.

    Before:

    ```mlir
    func.func @k(%x: memref<8x128xf32>, %i: index, %pad: f32) -> vector<2x4xf32> {
      %0 = vector.transfer_read %x[%i, %i], %pad {in_bounds = [true, true]} : memref<8x128xf32>, vector<2x4xf32>
      func.return %0 : vector<2x4xf32>
    }
    ```

    After:

    ```mlir
    func.func @k(%x: memref<8x128xf32>, %i: index, %pad: f32) -> vector<2x4xf32> {
      %c1 = arith.constant 1 : index
      %none = ub.poison : vector<2x4xf32>
      %first = vector.transfer_read %x[%i, %i], %pad {in_bounds = [true]} : memref<8x128xf32>, vector<4xf32>
      %half = vector.insert %first, %none [0] : vector<4xf32> into vector<2x4xf32>
      %j = arith.addi %i, %c1 : index
      %second = vector.transfer_read %x[%j, %i], %pad {in_bounds = [true]} : memref<8x128xf32>, vector<4xf32>
      %all = vector.insert %second, %half [1] : vector<4xf32> into vector<2x4xf32>
      func.return %all : vector<2x4xf32>
    }
    ```
  }];
  let dependentDialects = [
    "::mlir::affine::AffineDialect", "::mlir::arith::ArithDialect",
    "::mlir::memref::MemRefDialect", "::mlir::scf::SCFDialect",
    "::mlir::ub::UBDialect", "::mlir::vector::VectorDialect",
  ];
  let statistics = [
    Statistic<"numTransfers", "num-transfers", "Number of transfers visited">,
  ];
}

def CPUVectorizeBodyPass : Pass<"cpu-vectorize-body", "::mlir::func::FuncOp"> {
  let summary = "Vectorize register tiles";
  let description = [{
    Vectorizes each linalg op on memrefs that fits in the registers, keeps
    accumulators in registers over reduction loops, and lowers ops with
    alternative lowerings: transfers with a permutation, and reductions of
    vectors. Operands that a loop walks backwards are read forwards and shuffled.
    Reads of each second, third or fourth element read all elements, so that
    reads of the elements between become the same read.
    Loads at positions that are data become `vector.gather`, which LLVM makes
    instructions or scalar loads, whichever is faster on the CPU.
    The lanes of a floating-point sum are added by halves; LLVM would use a
    different order on each CPU.

    Larger ops are not vectorized, since a block in registers takes LLVM seconds
    and spills. They, and ops without a vector form, are left for
    `convert-linalg-to-loops`.

    Before:

    ```mlir
    linalg.exp ins(%x : memref<16xf32>) outs(%y : memref<16xf32>)
    ```

    After:

    ```mlir
    %0 = vector.transfer_read %x[%c0], %pad {in_bounds = [true]} : memref<16xf32>, vector<16xf32>
    %1 = math.exp %0 : vector<16xf32>
    vector.transfer_write %1, %y[%c0] {in_bounds = [true]} : vector<16xf32>, memref<16xf32>
    ```
  }];
  let dependentDialects = [
    "::mlir::affine::AffineDialect", "::mlir::arith::ArithDialect",
    "::mlir::memref::MemRefDialect", "::mlir::scf::SCFDialect",
    "::mlir::tensor::TensorDialect", "::mlir::ub::UBDialect",
    "::mlir::vector::VectorDialect",
  ];
  let options = [
    Option<"vectorBytes", "vector-bytes", "unsigned", /*default=*/"32",
           "Set the width of a vector register in bytes">,
    Option<"vectorRegisters", "vector-registers", "unsigned", /*default=*/"16",
           "Set the number of vector registers">,
  ];
  let statistics = [
    Statistic<"numVectorized", "num-vectorized", "Number of ops vectorized">,
    Statistic<"numLeft", "num-left", "Number of ops left to scalar loops">,
  ];
}

#endif // GRIDIR_DIALECTS_CPU_TRANSFORMS_VECTORPASSES_TD
