//===- Passes.td - passes on loops of every target ---------*- tablegen -*--===//
//
// Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef GRIDIR_DIALECTS_LOOPS_TRANSFORMS_PASSES_TD
#define GRIDIR_DIALECTS_LOOPS_TRANSFORMS_PASSES_TD

include "mlir/Pass/PassBase.td"

def LoopsAnchorTensorsPass : Pass<"loops-anchor-tensors"> {
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

    The condition of a `scf.while` is made to forward everything that the loop
    carries, at its own operand number, where the canonicalizer has dropped a
    tensor that the body does not read, or an operand before one: bufferization
    compares the arguments of both regions by number.
  }];
  let dependentDialects = ["::mlir::bufferization::BufferizationDialect"];
  let statistics = [
    Statistic<"numHandedOn", "num-handed-on", "Number of loops whose condition forwards all again">,
    Statistic<"numAnchored", "num-anchored", "Number of yielded tensors anchored">,
    Statistic<"numCopied", "num-copied", "Number of yielded tensors copied first">,
  ];
}

def LoopsCanonicalizeBodiesPass : Pass<"loops-canonicalize-bodies", "::mlir::func::FuncOp"> {
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

def LoopsComputeInPlacePass : Pass<"loops-compute-in-place"> {
  let summary = "Compute each stored value in the memory that it is stored to";
  let description = [{
    Replaces the empty tensor that a value is computed in with the memory of the
    `bufferization.materialize_in_destination` that stores it, so that
    bufferisation needs neither a buffer nor a copy. The write then happens
    where the value is computed rather than where it is stored, so the pass
    first proves that nothing in between reads or writes that memory, and that
    the computation itself reads of it only the element that it is about to
    write. Two arguments that are not `llvm.noalias` are the same array, or
    disjoint.

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

def LoopsEliminateRedundantReadsPass : Pass<"loops-eliminate-redundant-reads"> {
  let summary = "Read memory once between two writes of a block";
  let description = [{
    Replaces a read by an equal one before it in the same block where no op in
    between may write memory, itself or in its regions. `cse`, which is to
    follow, does the same, but looks at all ops between two equal reads for each
    pair anew: as the square of the number of reads. Here a block is walked once.
    Equal ops without effects become one on the way, since reads are equal where
    their indices are.

    Before:

    ```mlir
    %0 = memref.load %m[%i] : memref<8xf32>
    %1 = memref.load %m[%i] : memref<8xf32>
    %2 = arith.addf %0, %1 : f32
    ```

    After:

    ```mlir
    %0 = memref.load %m[%i] : memref<8xf32>
    %2 = arith.addf %0, %0 : f32
    ```
  }];
  let statistics = [
    Statistic<"numEliminated", "num-eliminated", "Number of reads eliminated">,
  ];
}

def LoopsExpandSmallFloatsPass : Pass<"loops-expand-small-floats"> {
  let summary = "Compute with bf16 and floats of a byte or less in f32";
  let description = [{
    No CPU computes with bf16, the float8 formats or float4, and PTX with few of
    them. Arithmetic on them
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

def LoopsFuseElementwisePass : Pass<"loops-fuse-elementwise"> {
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

def LoopsWidenStoragePass : Pass<"loops-widen-storage", "::mlir::ModuleOp"> {
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

#endif // GRIDIR_DIALECTS_LOOPS_TRANSFORMS_PASSES_TD
