//===- Passes.td - passes of the CPU path ------------------*- tablegen -*-===//
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

#endif // GRIDIR_DIALECTS_CPU_TRANSFORMS_PASSES_TD
