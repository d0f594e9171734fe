//===- Passes.td - passes of the CPU path -----------------*- tablegen -*--===//
//
// Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef GRIDIR_DIALECTS_CPU_TRANSFORMS_PASSES_TD
#define GRIDIR_DIALECTS_CPU_TRANSFORMS_PASSES_TD

include "dialects/CPU/Transforms/MemoryPasses.td"
include "dialects/CPU/Transforms/VectorPasses.td"
include "mlir/Pass/PassBase.td"

def CPUApproximateMathPass : Pass<"cpu-approximate-math", "::mlir::ModuleOp"> {
  let summary = "Replace math functions by code as accurate as XLA's";
  let description = [{
    Selects, for every math function and element type, the fastest form that is
    at least as accurate as XLA's CPU backend:

    - `exp`, `exp2`, `log`, `log2`, `log1p`, `expm1`, `tanh`, `atan`, `erf` and
      `erfc` of f32 become vector polynomials, and `sinh`, `cosh` and the
      inverses of all three become expressions of these;
    - functions of f16 and bf16 are computed in f32 and rounded once;
    - `expm1` and `log1p` of f64, which the generic lowering expands to
      `exp(x) - 1` and `log(1 + x)`, become calls of the C library, as do
      functions without an LLVM intrinsic. Upstream polynomials of `sin`, `cos`,
      `atan`, `asin` and `cbrt` lose many digits and are not used.

    `sqrt`, `rsqrt`, `floor`, `fma` and similar ops stay, since they are
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
  let summary = "Check that the runtime can run a lowered kernel";
  let description = [{
    Fails with a located error unless

    - every op of the module except its `kernel.abi` belongs to the `llvm`
      dialect;
    - `arena_bytes` of the `kernel.abi` has the size of the arena of each
      thread;
    - the kernel `@k` takes bare pointers, then `lo` and `hi` as i64, then the
      arena, and returns nothing;
    - `@k.range` takes the operands of `@k` without status, bounds and arena,
      and returns an i64;
    - functions without a body are provided by the runtime or the C library,
      never by MLIR's runner library (`memrefCopy`).

    The module is not changed. This one is accepted:

    ```mlir
    module {
      kernel.abi @k arena_bytes = 0
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
  // The conversion to the llvm dialect before it looks tiles up by name, also in
  // a kernel that has none.
  let dependentDialects = ["::mlir::amx::AMXDialect"];
}

def CPUDivideAsFloatsPass : Pass<"cpu-divide-as-floats", "::mlir::ModuleOp"> {
  let summary = "Divide vectors of integers as floats";
  let description = [{
    A CPU divides integers one at a time, and several floats at once. This pass
    divides vectors of 8-bit and 16-bit integers as f32, and of 32-bit integers
    as f64. The quotient, cut to an integer, is exact. Constant divisors are left
    to LLVM, which multiplies.

    Before:

    ```mlir
    func.func @k(%x: vector<8xi32>, %y: vector<8xi32>) -> vector<8xi32> {
      %0 = arith.divsi %x, %y : vector<8xi32>
      func.return %0 : vector<8xi32>
    }
    ```

    After:

    ```mlir
    func.func @k(%x: vector<8xi32>, %y: vector<8xi32>) -> vector<8xi32> {
      %0 = arith.sitofp %x : vector<8xi32> to vector<8xf64>
      %1 = arith.sitofp %y : vector<8xi32> to vector<8xf64>
      %2 = arith.divf %0, %1 : vector<8xf64>
      %3 = arith.fptosi %2 : vector<8xf64> to vector<8xi32>
      func.return %3 : vector<8xi32>
    }
    ```
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect"];
  let statistics = [
    Statistic<"numDivisions", "num-divisions",
              "Number of divisions and remainders computed as floats">,
  ];
}

def CPUMoveAsIntegersPass : Pass<"cpu-move-as-integers", "::mlir::ModuleOp"> {
  let summary = "Move bf16 values as 16-bit integers";
  let description = [{
    A CPU has no bf16 registers, so LLVM keeps a bf16 vector that is live across
    blocks as 32-bit floats, and calls a function to round each element when the
    vector is used. After `arith-expand` only instructions with bf16 operands
    compute with bf16. All other uses become i16: loads, stores, shuffles,
    constants and block arguments.

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

#endif // GRIDIR_DIALECTS_CPU_TRANSFORMS_PASSES_TD
