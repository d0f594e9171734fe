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

def LoopsAnchorTensorsPass : Pass<"loops-anchor-tensors", "::mlir::func::FuncOp"> {
  let summary = "Keep every tensor that a loop carries in one buffer";
  let description = [{
    One-shot bufferization rejects a loop that yields a tensor whose buffer is
    not that of the matching argument, or allocates in each iteration if told
    to. This pass writes the yielded tensor to that argument just before the
    yield, which costs nothing if the value can be computed there, and one copy
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
    A tensor into which an iteration inserts a part, in each branch or in some,
    is in its buffer already and is not anchored, unless the old tensor is read
    after the insertion.

    A branch that yields a tensor from outside which is used later yields a copy
    of it. If it is not used later, the other branch writes its tensor there.
    A `scf.index_switch` of tensors becomes nested `scf.if` ops, because
    bufferization does not know that its results may be in the buffers of what
    its cases yield, and would write these in place. If bufferization would
    reject the result nevertheless, the pass starts again: each branch then
    yields copies alone, and each carried tensor is copied before it is anchored.

    The condition of a `scf.while` is changed to forward all values that the
    loop carries, at their own operand numbers, if the canonicalizer has dropped
    a tensor that the body does not read, or an operand before one:
    bufferization compares the arguments of both regions by number.
  }];
  let dependentDialects = [
    "::mlir::arith::ArithDialect",
    "::mlir::bufferization::BufferizationDialect",
    "::mlir::linalg::LinalgDialect",
  ];
  let statistics = [
    Statistic<"numHandedOn", "num-handed-on", "Number of loops whose condition forwards all again">,
    Statistic<"numBranched", "num-branched", "Number of switches that became branches">,
    Statistic<"numAnchored", "num-anchored", "Number of yielded tensors anchored">,
    Statistic<"numCopied", "num-copied", "Number of yielded tensors copied first">,
    Statistic<"numCareful", "num-careful", "Number of functions whose branches yield copies alone">,
  ];
}

def LoopsCanonicalizeBodiesPass : Pass<"loops-canonicalize-bodies", "::mlir::func::FuncOp"> {
  let summary = "Canonicalize the bodies of loops with many ops";
  let description = [{
    Runs all canonicalization patterns in loops with hundreds of ops, before
    `canonicalize`, which then has little to do in them. After each change
    upstream's driver reads the surrounding loop, up to its first store, to
    determine whether it is dead; here the driver starts inside of the loop.
    Smaller loops stay unchanged.

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
           "Set the least number of ops of a body that is canonicalized">,
  ];
}

def LoopsClampConversionsPass : Pass<"loops-clamp-conversions"> {
  let summary = "Limit floats instead of the integers that they become";
  let description = [{
    A conversion of a float to an integer that JAX defines for every number gives
    the nearest integer of the type, and 0 for NaN. As selections of integers it
    needs the results of comparisons in the width of each type. Where the float
    represents the smallest and the largest integer exactly, this pass limits the
    float to them, which is an instruction each.

    Before:

    ```mlir
    func.func @f(%x: f32) -> i8 {
      %low = arith.constant -128.0 : f32
      %high = arith.constant 128.0 : f32
      %zero = arith.constant 0.0 : f32
      %smallest = arith.constant -128 : i8
      %largest = arith.constant 127 : i8
      %below = arith.cmpf olt, %x, %low : f32
      %above = arith.cmpf oge, %x, %high : f32
      %nan = arith.cmpf uno, %x, %x : f32
      %out = arith.ori %below, %above : i1
      %outside = arith.ori %out, %nan : i1
      %safe = arith.select %outside, %zero, %x : f32
      %i = arith.fptosi %safe : f32 to i8
      %l = arith.select %below, %smallest, %i : i8
      %y = arith.select %above, %largest, %l : i8
      return %y : i8
    }
    ```

    After:

    ```mlir
    func.func @f(%x: f32) -> i8 {
      %nan = arith.cmpf uno, %x, %x : f32
      %zero = arith.constant 0.0 : f32
      %number = arith.select %nan, %zero, %x : f32
      %low = arith.constant -128.0 : f32
      %below = arith.cmpf ogt, %low, %number : f32
      %l = arith.select %below, %low, %number : f32
      %high = arith.constant 127.0 : f32
      %above = arith.cmpf olt, %high, %l : f32
      %h = arith.select %above, %high, %l : f32
      %y = arith.fptosi %h : f32 to i8
      return %y : i8
    }
    ```
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect"];
  let statistics = [
    Statistic<"numClamped", "num-clamped", "Number of conversions">,
  ];
}

def LoopsComputeInPlacePass : Pass<"loops-compute-in-place"> {
  let summary = "Compute each stored value in the memory of its store";
  let description = [{
    Replaces the empty tensor in which a value is computed with the memory of
    the `bufferization.materialize_in_destination` that stores it, so that
    bufferization needs neither a buffer nor a copy. The write then happens at
    the computation and not at the store. The pass therefore proves that nothing
    in between accesses that memory, and that the computation reads from it only
    the element that it is about to write. Two arguments that are not
    `llvm.noalias` are the same array, or disjoint.

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

    The computation may be followed by insertions and reshapes; a reshape of the
    value becomes one of the memory.

    A value that is computed in a tensor that must not be written, such as a loop
    that changes an input, needs a copy of that tensor. The copy is made in the
    memory of the store.

    Upstream's `eliminate-empty-tensors` does the same without inspecting the
    ops in between; this pass removes `restrict`, which prevents it.

    A fill that several ops write to is duplicated for each of them, which is
    cheaper than the copies that bufferization would insert. An empty tensor and
    a read-only Ref are duplicated for every 16 uses, since bufferization
    compares all uses of a tensor with each other.
  }];
  let dependentDialects = [
    "::mlir::bufferization::BufferizationDialect",
    "::mlir::linalg::LinalgDialect",
  ];
  let statistics = [
    Statistic<"numInPlace", "num-in-place", "Number of values computed in place">,
    Statistic<"numCopied", "num-copied", "Number of stores left as copies">,
    Statistic<"numRepeated", "num-repeated",
              "Number of tensors that are duplicated for some of their uses">,
  ];
}

def LoopsEliminateEmptyTensorsPass : Pass<"loops-eliminate-empty-tensors", "::mlir::func::FuncOp"> {
  let summary = "Compute each inserted value where it is inserted";
  let description = [{
    Upstream's `eliminate-empty-tensors` replaces the empty tensor in which a
    value is computed with the part of a tensor into which it is inserted. In a
    function with branches that yield tensors, or with a loop that carries
    several, the result may be invalid, or may be a function that one-shot
    bufferization rejects; such a function stays as it is, and its values are
    copied.

    Before:

    ```mlir
    %e = tensor.empty() : tensor<4xf32>
    %f = linalg.fill ins(%c : f32) outs(%e : tensor<4xf32>) -> tensor<4xf32>
    %r = tensor.insert_slice %f into %t[2] [4] [1] : tensor<4xf32> into tensor<8xf32>
    ```

    After:

    ```mlir
    %s = tensor.extract_slice %t[2] [4] [1] : tensor<8xf32> to tensor<4xf32>
    %f = linalg.fill ins(%c : f32) outs(%s : tensor<4xf32>) -> tensor<4xf32>
    %r = tensor.insert_slice %f into %t[2] [4] [1] : tensor<4xf32> into tensor<8xf32>
    ```
  }];
  let statistics = [
    Statistic<"numKept", "num-kept", "Number of functions left as they are">,
  ];
}

def LoopsEliminateRedundantReadsPass : Pass<"loops-eliminate-redundant-reads"> {
  let summary = "Eliminate repeated reads between writes of a block";
  let description = [{
    Replaces a read by an equal earlier one in the same block if no op in
    between may write memory, itself or in its regions. The following `cse` does
    the same, but visits all ops between two equal reads for each pair:
    quadratic in the number of reads. This pass visits a block once. It also
    combines equal ops without effects, since reads are equal if their indices
    are.

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

def LoopsExpandExtremaPass : Pass<"loops-expand-extrema"> {
  let summary = "Expand maxima and minima of floats, with the order of zeros";
  let description = [{
    `arith.maximumf` and `arith.minimumf` become comparisons and selections. A
    NaN on either side gives a NaN, and -0 is less than +0, as in XLA.
    `arith-expand` loses the sign of a zero.

    The selections by both orders of the operands differ if one is a NaN, or if
    both are zeros. Their bitwise `or` is then a NaN, or -0: the minimum. A
    maximum has a sign only if both operands have one. A constant limit, such as
    that of a rectifier, takes one comparison.

    Before:

    ```mlir
    %y = arith.maximumf %x, %c2 : f32
    ```

    After, if `%c2` is a constant that is neither zero nor a NaN:

    ```mlir
    %0 = arith.cmpf ogt, %c2, %x : f32
    %y = arith.select %0, %c2, %x : f32
    ```
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect"];
}

def LoopsExpandSmallFloatsPass : Pass<"loops-expand-small-floats"> {
  let summary = "Compute with bf16 and floats of a byte or less in f32";
  let description = [{
    No CPU computes with bf16, the float8 formats or float4, and PTX with few of
    them. Arithmetic on them becomes arithmetic on f32 with each result rounded.
    Unlike in `arith-emulate-unsupported-floats`, a rounding and the widening
    after it do not cancel, since they do not in JAX.

    The conversions of floats of a byte or less, `arith.extf` from and
    `arith.truncf` to such a type, become integer operations, which can be
    vectorized. They round to the nearest, ties to even. A value that is too
    large becomes infinity if the format has it, otherwise NaN, otherwise the
    largest number. The conversions of bf16, and those from `f8E8M0FNU`, which
    holds only powers of two, are left to `arith-expand`.

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
  let summary = "Fuse chains of elementwise ops into one loop";
  let description = [{
    Converts arithmetic on tensors, gathers, concatenations and named linalg ops
    to `linalg.generic`, drops unit dimensions, and fuses a producer into its
    consumer if that saves a pass over memory:

    - elementwise ops, broadcasts and transposes into the elementwise op or the
      reduction that uses them. Not if a value would be computed again for every
      copy of a broadcast or for several users and costs more than a load, or if
      it is in memory anyway for a user that reads it there;
    - `acc + dot(a, b)` and `acc + sum(x)` into a contraction or a reduction
      that starts from `acc`;
    - a transpose into the indexing map of the contraction that reads it.

    Elementwise ops of one shape whose results are used only by each other
    become one loop in a single step, since pairwise fusion copies the growing
    body; these loops are then fused with the other ops. A loop has at most a
    thousand ops, and a dozen arrays, or one for every 16 ops. Longer chains are
    split into loops that compute all values that later ones read.

    A remaining constant splat tensor becomes a `linalg.fill`.

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

def LoopsSplitReductionsPass : Pass<"loops-split-reductions", "::mlir::func::FuncOp"> {
  let summary = "Reduce the rows of small windows before their elements";
  let description = [{
    A pooling layer reduces windows of a few rows and a few elements of each.
    Elements of different windows lie between those of one, so that each row
    would have to be taken apart. This pass reduces the rows first, whose elements
    are adjacent, and takes apart the one row that is left: it combines the first
    elements of all windows with the second ones, and so on.

    A window has at most four elements of a row, and at least 16 windows lie side
    by side. One that has several rows is reduced by a single op that has a
    neutral element.

    Before:

    ```mlir
    %y = linalg.reduce { arith.addf } ins(%x : tensor<8x4x512x4xf32>)
        outs(%init : tensor<8x512xf32>) dimensions = [1, 3]
    ```

    After:

    ```
    %empty = tensor.empty() : tensor<8x512x4xf32>
    %zeros = linalg.fill ins(%cst : f32) outs(%empty : tensor<8x512x4xf32>) -> tensor<8x512x4xf32>
    %rows = linalg.reduce { arith.addf } ins(%x : tensor<8x4x512x4xf32>)
        outs(%zeros : tensor<8x512x4xf32>) dimensions = [1]
    %0 = tensor.extract_slice %rows[0, 0, 0] [8, 512, 1] [1, 1, 1] : tensor<8x512x4xf32> to tensor<8x512xf32>
    ...
    %e = tensor.empty() : tensor<8x512xf32>
    %y = linalg.generic {indexing_maps = [#id, #id, #id, #id, #id, #id], iterator_types = ["parallel", "parallel"]}
        ins(%0, %1, %2, %3, %init : ...) outs(%e : tensor<8x512xf32>) {
    ^bb0(%a: f32, %b: f32, %c: f32, %d: f32, %i: f32, %out: f32):
      %ai = arith.addf %a, %i : f32
      %bi = arith.addf %b, %ai : f32
      %ci = arith.addf %c, %bi : f32
      %di = arith.addf %d, %ci : f32
      linalg.yield %di : f32
    } -> tensor<8x512xf32>
    ```
  }];
  let dependentDialects = [
    "::mlir::arith::ArithDialect", "::mlir::linalg::LinalgDialect",
    "::mlir::tensor::TensorDialect",
  ];
  let statistics = [
    Statistic<"numSplit", "num-split", "Number of reductions split">,
    Statistic<"numUnrolled", "num-unrolled",
              "Number of reductions of short rows to elementwise ops">,
  ];
}

def LoopsVerifySizesPass : Pass<"loops-verify-sizes"> {
  let summary = "Reject arrays with more elements than a pass can count";
  let description = [{
    MLIR's types may have 2^63 or more elements, and every query of their number
    aborts. This pass reports the first value whose type has more than 2^40
    elements, or strides that lead as far. It also reports reshapes with groups
    of other dimensions than those that exist, in order: upstream verifies the
    low 32 bits of their numbers. `gridir-opt` runs the pass before those of its
    command line, and the driver checks every module in the same way, so no
    other pass checks its types. The module is not changed.

    This is rejected:

    ```mlir
    %0 = memref.alloc() : memref<4611686018427387904x32xf32>
    ```
  }];
}

def LoopsWidenStoragePass : Pass<"loops-widen-storage", "::mlir::ModuleOp"> {
  let summary = "Store a bool or a sub-byte integer as one byte";
  let description = [{
    Memory holds a bool as a byte 0 or 1, as in XLA, and a smaller integer as a
    sign-extended byte. A vector load of i1 would read packed bits instead, so
    after this pass no memref has elements of less than a byte. Values are
    widened when they are stored and narrowed when they are loaded; bodies of
    linalg ops still compute with the narrow type. Only a bool that is combined
    with an accumulator, as in `any`, is widened before.

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
