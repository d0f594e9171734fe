//===- Passes.td - passes of the CPU path -----------------*- tablegen -*--===//
//
// Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef GRIDIR_DIALECTS_CPU_TRANSFORMS_PASSES_TD
#define GRIDIR_DIALECTS_CPU_TRANSFORMS_PASSES_TD

include "mlir/Pass/PassBase.td"

def CPUAnchorLoopTensorsPass : Pass<"cpu-anchor-loop-tensors"> {
  let summary = "Keep every tensor that a loop carries in one buffer";
  let description = [{
    One-shot bufferisation refuses a loop that yields a tensor whose buffer is
    not the buffer of the matching argument, or allocates in each step when told
    to. This pass writes the yielded tensor into that argument just before the
    yield, which costs nothing when the value can be computed there and one copy
    otherwise.

    Before:

    ```mlir
    %r = scf.for %i = %lo to %hi step %c1 iter_args(%a = %init) -> (tensor<8xf32>) {
      %n = linalg.exp ins(%a : tensor<8xf32>) outs(%e : tensor<8xf32>) -> tensor<8xf32>
      scf.yield %n : tensor<8xf32>
    }
    ```

    After:

    ```mlir
    %r = scf.for %i = %lo to %hi step %c1 iter_args(%a = %init) -> (tensor<8xf32>) {
      %n = linalg.exp ins(%a : tensor<8xf32>) outs(%e : tensor<8xf32>) -> tensor<8xf32>
      %m = bufferization.materialize_in_destination %n in %a
          : (tensor<8xf32>, tensor<8xf32>) -> tensor<8xf32>
      scf.yield %m : tensor<8xf32>
    }
    ```

    A loop that carries several tensors may swap them, so a yielded value that
    is not the fresh result of a linalg op is copied before the first anchor.
  }];
  let dependentDialects = ["::mlir::bufferization::BufferizationDialect"];
  let statistics = [
    Statistic<"numAnchored", "num-anchored", "Number of yielded tensors anchored">,
    Statistic<"numCopied", "num-copied", "Number of yielded tensors copied first">,
  ];
}

def CPUApproximateMathPass : Pass<"cpu-approximate-math", "::mlir::ModuleOp"> {
  let summary = "Replace math functions by code as accurate as XLA's";
  let description = [{
    Chooses, for every math function and element type, the fastest form that is
    at least as accurate as what XLA's CPU backend computes:

    - `exp`, `exp2`, `log`, `log2`, `log1p`, `expm1`, `tanh` and `erf` of f32
      become vector polynomials;
    - functions of f16 and bf16 are computed in f32 and rounded once;
    - `expm1` and `log1p` of f64, which the generic lowering writes as
      `exp(x) - 1` and `log(1 + x)`, become calls of the C library, as do the
      functions that LLVM has no intrinsic for. Upstream polynomials of `sin`,
      `cos`, `atan`, `asin` and `cbrt` lose many digits and are not used.

    `sqrt`, `rsqrt`, `floor`, `fma` and their like are left alone: they are
    instructions.

    Before:

    ```mlir
    %y = math.sinh %x : f64
    ```

    After:

    ```mlir
    %y = func.call @sinh(%x) : (f64) -> f64
    ```
  }];
  let dependentDialects = [
    "::mlir::arith::ArithDialect", "::mlir::func::FuncDialect",
    "::mlir::LLVM::LLVMDialect", "::mlir::math::MathDialect",
    "::mlir::vector::VectorDialect",
  ];
  let statistics = [
    Statistic<"numLibraryCalls", "num-library-calls",
              "Number of math operations computed by the C library">,
  ];
}

def CPUCanonicalizeBodiesPass : Pass<"cpu-canonicalize-bodies", "::mlir::func::FuncOp"> {
  let summary = "Canonicalize the bodies of loops of many ops";
  let description = [{
    Runs all canonicalization patterns in loops of hundreds of ops, to be
    followed by `canonicalize`, which is left little to do in them. After each
    change upstream's driver reads the loop around it, up to its first store, to
    see whether it is dead; here the driver starts inside of the loop. Smaller
    loops stay as they are.

    Before, among many other ops:

    ```mlir
    scf.for %i = %lo to %hi step %c1 {
      %0 = tensor.expand_shape %x [[0, 1]] output_shape [8, 1] : tensor<8xf32> into tensor<8x1xf32>
      %1 = tensor.collapse_shape %0 [[0, 1]] : tensor<8x1xf32> into tensor<8xf32>
      "use"(%1) : (tensor<8xf32>) -> ()
    }
    ```

    After:

    ```mlir
    scf.for %i = %lo to %hi step %c1 {
      "use"(%x) : (tensor<8xf32>) -> ()
    }
    ```
  }];
  let options = [
    Option<"manyOps", "many-ops", "unsigned", /*default=*/"256",
           "Set the number of ops from which on a body is canonicalized">,
  ];
}

def CPUCheckContractPass : Pass<"cpu-check-contract", "::mlir::ModuleOp"> {
  let summary = "Check that a lowered kernel is what the runtime can run";
  let description = [{
    Fails with a located error unless

    - every op of the module belongs to the `llvm` dialect;
    - the module names its kernel in `gridir.kernel` and says in
      `gridir.arena_bytes` how large an arena each thread must bring;
    - the kernel `@k` takes bare pointers, then `lo` and `hi` as i64, then the
      arena, and returns nothing;
    - `@k.range` takes the operands of `@k` without status, bounds and arena,
      and returns an i64;
    - functions without a body are ones that the runtime or the C library
      provides, never the runner library of MLIR (`memrefCopy`).

    ```mlir
    module attributes {gridir.kernel = "k", gridir.arena_bytes = 0 : i64} {
      llvm.func @k(%x: !llvm.ptr, %status: !llvm.ptr, %lo: i64, %hi: i64, %arena: !llvm.ptr) {
        llvm.return
      }
      llvm.func @k.range(%x: !llvm.ptr) -> i64 {
        %one = llvm.mlir.constant(1 : i64) : i64
        llvm.return %one : i64
      }
    }
    ```
  }];
}

def CPUComputeInPlacePass : Pass<"cpu-compute-in-place"> {
  let summary = "Compute each stored value in the memory that it is stored to";
  let description = [{
    Puts the memory of a `bufferization.materialize_in_destination` in the place
    of the empty tensor that its value is computed in, so that bufferisation
    needs neither a buffer nor a copy. The write then happens where the value is
    computed rather than where it is stored, so the pass first proves that
    nothing in between reads or writes that memory, and that the computation
    itself reads of it only the element that it is about to write. Two arguments
    that are not `llvm.noalias` are the same array, or disjoint.

    Before:

    ```mlir
    %e = tensor.empty() : tensor<8xf32>
    %y = linalg.exp ins(%x : tensor<8xf32>) outs(%e : tensor<8xf32>) -> tensor<8xf32>
    bufferization.materialize_in_destination %y in restrict writable %o
        : (tensor<8xf32>, memref<8xf32>) -> ()
    ```

    After:

    ```mlir
    %d = bufferization.to_tensor %o restrict writable : memref<8xf32> to tensor<8xf32>
    %y = linalg.exp ins(%x : tensor<8xf32>) outs(%d : tensor<8xf32>) -> tensor<8xf32>
    bufferization.materialize_in_destination %y in writable %o
        : (tensor<8xf32>, memref<8xf32>) -> ()
    ```

    The upstream `eliminate-empty-tensors` does the same without looking at what
    lies in between; the pass takes `restrict` away, which keeps it from trying.

    A fill that several ops write to is repeated for each of them, which is
    cheaper than the copies that bufferisation would make of it. An empty tensor
    and a Ref that is only read are repeated for every 16 uses, since bufferisation
    compares all uses of one tensor with each other.
  }];
  let dependentDialects = [
    "::mlir::bufferization::BufferizationDialect",
    "::mlir::linalg::LinalgDialect",
  ];
  let statistics = [
    Statistic<"numInPlace", "num-in-place", "Number of values computed in place">,
    Statistic<"numCopied", "num-copied", "Number of stores left as copies">,
    Statistic<"numRepeated", "num-repeated",
              "Number of tensors that are repeated for some of their uses">,
  ];
}

def CPUExpandSmallFloatsPass : Pass<"cpu-expand-small-floats"> {
  let summary = "Compute with bf16 and floats of a byte or less in f32";
  let description = [{
    No CPU computes with bf16, the float8 formats or float4. Arithmetic on them
    becomes arithmetic on f32 whose every result is rounded: unlike
    `arith-emulate-unsupported-floats` the pass does not let a rounding and the
    widening after it cancel, since JAX does not.

    The conversions of floats of a byte or less, `arith.extf` from and
    `arith.truncf` to such a type, become integer operations, which vectors
    have. They round to the nearest, ties to even. What is too large becomes
    infinity where the format has one, else NaN, else the largest number. The
    conversions of bf16, and those from `f8E8M0FNU`, which holds powers of two
    only, are left to `arith-expand`.

    Before:

    ```mlir
    %y = arith.extf %x : f8E5M2 to f32
    ```

    After:

    ```
    %bits = arith.bitcast %x : f8E5M2 to i8
    %raw = arith.extui %bits : i8 to i32
    %magnitude = arith.andi %raw, %c127_i32 : i32
    ...
    %y = arith.bitcast %result : i32 to f32
    ```
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect"];
}

def CPUFuseElementwisePass : Pass<"cpu-fuse-elementwise"> {
  let summary = "Compute chains of elementwise ops in one loop";
  let description = [{
    Turns arithmetic on tensors, gathers, concatenations and named linalg ops
    into `linalg.generic`, drops unit dimensions, and computes a producer inside
    its consumer where that saves a pass over memory:

    - elementwise ops, broadcasts and transposes into the elementwise op or the
      reduction that uses them, unless a value would be computed again for
      every copy of a broadcast or for several users, and costs more than a
      load, or is in memory anyway for a user that reads it there;
    - `acc + dot(a, b)` and `acc + sum(x)` into a contraction or a reduction
      that starts from `acc`;
    - a transpose into the indexing map of the contraction that reads it.

    Elementwise ops of one shape that only each other use become one loop at
    once, since fusing two at a time copies the body that there is; what such
    loops are fused with are the other ops. A loop has a thousand ops at most,
    and a dozen arrays, or one for every 16 ops. Longer chains are cut into loops
    that make all that later ones read.

    A constant tensor of one number that is left becomes a `linalg.fill`.

    A tensor loaded from a Ref is the Ref's memory, not a copy. A producer that
    reads one never moves past a store to that Ref, nor into a loop.

    Before:

    ```mlir
    %0 = arith.mulf %x, %two : tensor<8x128xf32>
    %1 = arith.addf %0, %y : tensor<8x128xf32>
    ```

    After:

    ```mlir
    #id = affine_map<(d0, d1) -> (d0, d1)>
    %1 = linalg.generic {indexing_maps = [#id, #id, #id], iterator_types = ["parallel", "parallel"]}
        ins(%x, %y : tensor<8x128xf32>, tensor<8x128xf32>) outs(%e : tensor<8x128xf32>) {
    ^bb0(%a: f32, %b: f32, %o: f32):
      %2 = arith.mulf %a, %cst : f32
      %3 = arith.addf %2, %b : f32
      linalg.yield %3 : f32
    } -> tensor<8x128xf32>
    ```
  }];
  let dependentDialects = [
    "::mlir::affine::AffineDialect", "::mlir::arith::ArithDialect",
    "::mlir::linalg::LinalgDialect", "::mlir::memref::MemRefDialect",
    "::mlir::tensor::TensorDialect",
  ];
  let statistics = [
    Statistic<"numFused", "num-fused", "Number of loops saved">,
  ];
}

def CPUMoveAsIntegersPass : Pass<"cpu-move-as-integers", "::mlir::ModuleOp"> {
  let summary = "Move bf16 values as integers of 16 bits";
  let description = [{
    A CPU has no registers of bf16, so LLVM keeps a bf16 vector that lives from
    one block to another as floats of 32 bits, and calls a function to round
    each of them whenever it needs the vector. After `arith-expand` nothing
    computes with bf16 but instructions that take it, so all else becomes i16:
    loads, stores, shuffles, constants and what blocks hand on.

    Before:

    ```mlir
    module {
      llvm.func @k(%x: !llvm.ptr, %y: !llvm.ptr) {
        %v = llvm.load %x : !llvm.ptr -> vector<8xbf16>
        llvm.br ^bb1(%v : vector<8xbf16>)
      ^bb1(%w: vector<8xbf16>):
        llvm.store %w, %y : vector<8xbf16>, !llvm.ptr
        llvm.return
      }
    }
    ```

    After:

    ```mlir
    module {
      llvm.func @k(%x: !llvm.ptr, %y: !llvm.ptr) {
        %v = llvm.load %x : !llvm.ptr -> vector<8xi16>
        llvm.br ^bb1(%v : vector<8xi16>)
      ^bb1(%w: vector<8xi16>):
        llvm.store %w, %y : vector<8xi16>, !llvm.ptr
        llvm.return
      }
    }
    ```
  }];
  let statistics = [
    Statistic<"numMoves", "num-moves", "Number of values that became integers">,
  ];
}

def CPUPlanArenaPass : Pass<"cpu-plan-arena", "::mlir::ModuleOp"> {
  let summary = "Place every buffer of the kernel in one arena that the caller brings";
  let description = [{
    Replaces each static `memref.alloc` and `memref.alloca` of the kernel (the
    function named by `gridir.kernel`) by a view of one byte buffer, appended to
    the kernel's arguments as `%arena`, so that a kernel never allocates and a
    thread pays for its memory once. Buffers that are never alive together share
    bytes: a buffer lives from its allocation to the last use of any view of it,
    and over a whole loop when a use of it lies in a loop that it was not
    allocated in. The size is left in `gridir.arena_bytes`.

    A buffer marked `gridir.pinned` shares its bytes with no other one. Buffers
    marked `gridir.shared` are views of memory that all work items share, which
    the runtime gives; its size is left in `gridir.shared_bytes`.

    Before:

    ```mlir
    module attributes {gridir.kernel = "k"} {
      func.func @k(%status: memref<4xi64>, %lo: index, %hi: index) {
        %a = memref.alloc() : memref<16xf32>
        ...
      }
    }
    ```

    After:

    ```mlir
    module attributes {gridir.kernel = "k", gridir.arena_bytes = 64 : i64} {
      func.func @k(%status: memref<4xi64>, %lo: index, %hi: index, %arena: memref<64xi8>) {
        %c0 = arith.constant 0 : index
        %a = memref.view %arena[%c0][] : memref<64xi8> to memref<16xf32>
        ...
      }
    }
    ```

    A buffer whose size is not known is an error: the arena could not hold it.
  }];
  let dependentDialects = [
    "::mlir::arith::ArithDialect", "::mlir::LLVM::LLVMDialect",
    "::mlir::memref::MemRefDialect",
  ];
  let statistics = [
    Statistic<"numBuffers", "num-buffers", "Number of buffers placed">,
    Statistic<"numBytes", "num-bytes", "Bytes of the arena">,
    Statistic<"numBytesSaved", "num-bytes-saved",
              "Bytes saved by buffers that share memory">,
  ];
}

def CPUTileBodyPass : Pass<"cpu-tile-body", "::mlir::func::FuncOp"> {
  let summary = "Tile every linalg op on memrefs to a few vector registers";
  let description = [{
    Chooses for each op the dimension that vectors run along, and emits loops
    around tiles of a few registers:

    - elementwise ops along the innermost dimension of what they write;
    - transposes in squares;
    - reductions across rows with a row of accumulators;
    - reductions along a row with accumulators, added up once at the end of the
      row: 32 of f32, whatever the width of a register, so that a floating-point
      sum has one order on every CPU. Element i goes to the one at i modulo 32.
    - the place of the best element of a row in the same way, where the body says
      itself that of equals the first counts.

    What a tile size does not divide is done a register at a time, then in one
    short tile; a dynamic size one element at a time. Ops with bodies that have
    no vector form stay as they are and become plain loops later. A
    `memref.copy` is treated as an op like any other.

    Before:

    ```mlir
    linalg.exp ins(%x : memref<4x40xf32>) outs(%y : memref<4x40xf32>)
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
  ];
  let statistics = [
    Statistic<"numTiled", "num-tiled", "Number of ops tiled">,
    Statistic<"numLeft", "num-left", "Number of ops left to plain loops">,
  ];
}

def CPUTileContractionsPass : Pass<"cpu-tile-contractions", "::mlir::func::FuncOp"> {
  let summary = "Tile contractions to register tiles over packed panels";
  let description = [{
    Rewrites every static contraction on memrefs as loops over

    - batch dimensions and further m, n and k dimensions, one at a time;
    - panels of the right operand, as wide as the accumulators: copied into a
      contiguous buffer when enough rows use it, or when it must be transposed,
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

    A CPU may have an instruction that adds the products of several narrow
    elements at once. For it panels hold the elements of two or four steps as
    words of 32 bits:

    | instruction | elements | of operands |
    | --- | --- | --- |
    | `tdpbf16ps` | two of bf16, in tiles | bf16 |
    | `tdpbssd` | four bytes, in tiles | 8-bit integers |
    | `vdpbf16ps` | two of bf16 | bf16 |
    | `vpdpbusd` | four bytes without and with a sign | 8-bit integers, unless both have no sign |
    | `vpdpwssd`, `pmaddwd` | two of i16 | integers of up to 16 bits that i16 holds |

    Where both operands have a sign, `vpdpbusd` takes the left one with 128
    added, and what that adds to each column is subtracted. `vdpbf16ps` is two
    FMAs, of which the one of the second product comes first: products of bf16
    are therefore added from the last to the first on every CPU, with or without
    the instruction, and the sums are the same bit for bit.

    Tiles are registers of 16 rows of 64 bytes. Rows, columns and steps are
    padded with zeros to whole ones, so that all tiles of a kernel are alike and
    need to be configured only once. `tdpbssd` stands for its three sisters for
    bytes without a sign. `tdpbf16ps` adds the products of 16 words, those of
    their first elements and those of their second ones apart, and the two sums
    to each other and then to the result: an order that other CPUs do not have.

    Contractions with one column, and with a few where both operands lie along
    k, are left to `cpu-tile-body`, which treats them as reductions.
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
    ListOption<"dotProducts", "dot-products", "std::string",
               "The instructions for sums of products: tdpbf16ps, tdpbssd, "
               "vdpbf16ps, vpdpbusd, vpdpwssd, pmaddwd; none without it">,
  ];
  let statistics = [
    Statistic<"numTiled", "num-tiled", "Number of contractions tiled">,
    Statistic<"numDotProducts", "num-dot-products",
              "Number of contractions tiled for an instruction for sums of products">,
    Statistic<"numLeft", "num-left", "Number of contractions left to other tilings">,
  ];
}

def CPUVectorizeBodyPass : Pass<"cpu-vectorize-body", "::mlir::func::FuncOp"> {
  let summary = "Turn register tiles into vector ops";
  let description = [{
    Vectorises each linalg op on memrefs that fits in the registers, keeps
    accumulators in registers over reduction loops, and lowers what has a choice
    of lowerings: transfers with a permutation, reductions of vectors. The lanes
    of a floating-point sum are added up half by half, which LLVM would do in an
    order of each CPU's own.

    Larger ops are never vectorised, whatever their body: a block in registers
    takes LLVM seconds and spills. They, and ops without a vector form, are
    left for `convert-linalg-to-loops`.

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
    "::mlir::ub::UBDialect", "::mlir::vector::VectorDialect",
  ];
  let options = [
    Option<"vectorBytes", "vector-bytes", "unsigned", /*default=*/"32",
           "Set the width of a vector register in bytes">,
    Option<"vectorRegisters", "vector-registers", "unsigned", /*default=*/"16",
           "Set the number of vector registers">,
  ];
  let statistics = [
    Statistic<"numVectorized", "num-vectorized", "Number of ops vectorised">,
    Statistic<"numLeft", "num-left", "Number of ops left to plain loops">,
  ];
}

def CPUWidenStoragePass : Pass<"cpu-widen-storage", "::mlir::ModuleOp"> {
  let summary = "Store a bool or a sub-byte integer as one byte";
  let description = [{
    Memory holds a bool as a byte 0 or 1, as XLA does, and a smaller integer as
    a byte with its sign. A vector load of i1 would read packed bits instead, so
    after this pass no memref holds elements of less than a byte: values are
    widened when they are stored and narrowed when they are loaded, and bodies
    of linalg ops go on computing with the narrow type.

    Before:

    ```mlir
    #id = affine_map<(d0) -> (d0)>
    linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel"]}
        ins(%x : memref<8xf32>) outs(%m : memref<8xi1>) {
    ^bb0(%a: f32, %b: i1):
      %0 = arith.cmpf ogt, %a, %zero : f32
      linalg.yield %0 : i1
    }
    ```

    After:

    ```mlir
    #id = affine_map<(d0) -> (d0)>
    linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel"]}
        ins(%x : memref<8xf32>) outs(%m : memref<8xi8>) {
    ^bb0(%a: f32, %b: i8):
      %0 = arith.cmpf ogt, %a, %zero : f32
      %1 = arith.extui %0 : i1 to i8
      linalg.yield %1 : i8
    }
    ```
  }];
  let dependentDialects = [
    "::mlir::arith::ArithDialect", "::mlir::linalg::LinalgDialect",
    "::mlir::memref::MemRefDialect",
  ];
  let statistics = [
    Statistic<"numWidened", "num-widened",
              "Number of linalg ops that load or store narrow elements">,
  ];
}

#endif // GRIDIR_DIALECTS_CPU_TRANSFORMS_PASSES_TD
