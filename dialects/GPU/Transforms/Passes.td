//===- Passes.td - from a mapped kernel to PTX ------------*- tablegen -*--===//
//
// Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef GRIDIR_DIALECTS_GPU_TRANSFORMS_PASSES_TD
#define GRIDIR_DIALECTS_GPU_TRANSFORMS_PASSES_TD

include "mlir/Pass/PassBase.td"

def GPUApproximateMathPass : Pass<"gpu-approximate-math"> {
  let summary = "Replace math functions by what PTX can compute";
  let description = [{
    PTX has instructions for a few functions only. The others come

    - from libdevice, with the option `libdevice`: they stay math ops, and the
      conversion to `nvvm` calls it;
    - otherwise, for `exp`, `log`, `log2`, `log1p`, `expm1`, `tanh` and `erf` of
      f32, from the polynomials that the CPU path uses, so that both compute the
      same numbers; `exp2` is the instruction `ex2.approx`, which is off by at
      most 2 units in the last place. Functions of f16 and bf16 are computed in
      f32 and rounded once. `gpu-expand-math` runs before for the others; one
      that it left is an error.

    With `approx`, or `approx_math` in the module's `#kernel.mapping`, which is
    that of the author's parameters, `exp`, `exp2` and `tanh` of f32 are computed
    with `ex2.approx.ftz`: `exp(x)` is off by about `|x|` units in the last place,
    `tanh(x)` by 2e-7, and a result below the smallest normal number is 0. A
    product of f32 and a sum of it may be rounded once. A quotient of f32 is a
    product with the instruction `rcp.approx` of the divisor, which all quotients
    by it share: off by 2 units in the last place, and infinite where the divisor
    is below 2^-128.

    `arith.maximumf` and `arith.minimumf` of f32 are the instructions `max.NaN` and
    `min.NaN`.

    Before:

    ```mlir
    %y = math.exp %x : f32
    ```

    After, with `approx`:

    ```mlir
    %log2e = arith.constant 1.44269502 : f32
    %0 = arith.mulf %x, %log2e fastmath<contract> : f32
    %y = llvm.call_intrinsic "llvm.nvvm.ex2.approx.ftz.f32"(%0) : (f32) -> f32
    ```
  }];
  let dependentDialects = [
    "::mlir::arith::ArithDialect", "::mlir::LLVM::LLVMDialect",
    "::mlir::math::MathDialect", "::mlir::vector::VectorDialect",
  ];
  let options = [
    Option<"approx", "approx", "bool", /*default=*/"false",
           "Compute exp, exp2 and tanh with the approximate instruction, "
           "and round a product and a sum once">,
    Option<"libdevice", "libdevice", "bool", /*default=*/"false",
           "Leave the other functions to libdevice">,
  ];
  let statistics = [
    Statistic<"numReplaced", "num-replaced", "Number of functions replaced">,
  ];
}

def GPUAtomicReportsPass : Pass<"gpu-atomic-reports", "::mlir::ModuleOp"> {
  let summary = "Let one thread of all write the error report";
  let description = [{
    A check that fails writes three words of the kernel's error report, where
    nothing has been written before. Threads of one CTA and of several may fail at
    once. Afterwards each of them exchanges the fourth word for 1, which is one
    step of the memory, and only that which gets the 0 back writes the others: no
    report holds words of two checks.

    Before, in a check that failed:

    ```mlir
    memref.store %number, %status[%c0] : memref<4xi64>
    memref.store %index, %status[%c1] : memref<4xi64>
    memref.store %extent, %status[%c2] : memref<4xi64>
    ```

    After:

    ```mlir
    %taken = memref.atomic_rmw assign %one, %status[%c3] : (i64, memref<4xi64>) -> i64
    %first = arith.cmpi eq, %taken, %zero : i64
    scf.if %first {
      memref.store %number, %status[%c0] : memref<4xi64>
      memref.store %index, %status[%c1] : memref<4xi64>
      memref.store %extent, %status[%c2] : memref<4xi64>
    }
    ```
  }];
  let dependentDialects = [
    "::mlir::arith::ArithDialect", "::mlir::memref::MemRefDialect",
    "::mlir::scf::SCFDialect",
  ];
  let statistics = [
    Statistic<"numReports", "num-reports", "Number of sites that report">,
  ];
}

def GPUCarryAlternatingPass : Pass<"gpu-carry-alternating"> {
  let summary = "Carry through a loop what alternates between two values";
  let description = [{
    In a loop over two buffers in turn, addresses and descriptors of what is in
    them are one of two values. What takes more than an instruction to compute is
    carried by the loop, and changed in the bits in which both differ, whatever
    the values are. Steps are 1, and the first one is known.

    Before:

    ```mlir
    scf.for %i = %c0 to %n step %c1 : i32 {
      %slot = arith.remsi %i, %c2 : i32
      %scaled = arith.muli %slot, %c2048 : i32
      %sum = arith.addi %scaled, %base : i32
      %masked = arith.andi %sum, %mask : i32
      "use"(%masked) : (i32) -> ()
    }
    ```

    After, with the values of the first two iterations computed before the loop:

    ```mlir
    %difference = arith.xori %first, %second : i32
    scf.for %i = %c0 to %n step %c1 iter_args(%masked = %first) -> (i32) : i32 {
      "use"(%masked) : (i32) -> ()
      %next = arith.xori %masked, %difference : i32
      scf.yield %next : i32
    }
    ```
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::scf::SCFDialect"];
  let statistics = [
    Statistic<"numCarried", "num-carried", "Number of values that loops carry">,
  ];
}

def GPUCheckContractPass : Pass<"gpu-check-contract", "::mlir::ModuleOp"> {
  let summary = "Check that a kernel is mapped to the CTAs and threads of a GPU";
  let description = [{
    Fails with a located error unless the module holds a mapped kernel: what every
    pass that makes one promises, whoever it is, and what the passes after this one
    rely on.

    - The `kernel.abi` names a function `@k` of one block. Its arguments are the
      operands, the words of the error report, and the range of work items.
      `num_threads` says how many threads, from 1 to 1024, a CTA has.
    - All that `@k` does is in one `scf.forall` that is mapped to
      `#gpu.block<x>`, from the first work item, or from 0, by 1.
    - Every thread of the CTA runs the body of that loop. What differs among
      threads depends on `gpu.thread_id x`, or stands in an `scf.forall` from 0 by 1
      that is mapped to `#gpu.thread<x>` and runs on as many threads as it says, at
      most those of the CTA; such loops are not nested.
    - A `gpu.barrier` and a buffer are of all threads: they stand outside of loops
      over threads.
    - Values are numbers, vectors and memrefs, and no op is one on whole arrays of
      which nobody says which thread computes what (linalg, `memref.copy`).
      `@gridirPrintBegin`, `@gridirPrintValue` and `@gridirPrintEnd` alone are
      called.

    Buffers of the CTA are `memref.alloc`s of static shape. `gpu-plan-memory` places
    them; one that must lie in shared memory says so by its type. Words of the error
    report are stored as on a CPU; `gpu-atomic-reports` lets one thread store them.
    A kernel that does nothing has no loop.

    ```mlir
    module {
      kernel.abi @k num_threads = 128
      func.func @k(%x: memref<128xf32>, %status: memref<4xi64>, %lo: index, %hi: index) {
        %zero = arith.constant 0.0 : f32
        scf.forall (%item) = (%lo) to (%hi) step (1) {
          %thread = gpu.thread_id x
          memref.store %zero, %x[%thread] : memref<128xf32>
        } {mapping = [#gpu.block<x>]}
        return
      }
    }
    ```
  }];
}

def GPUEmitPTXPass : Pass<"gpu-emit-ptx"> {
  let summary = "Make PTX of the modules of a GPU";
  let description = [{
    Each `gpu.module` becomes a `gpu.binary` with PTX for the target that it
    names, as `gpu-module-to-binary=format=isa` makes it. Behind LLVM's
    optimizations and before it selects instructions, a loop whose last branch
    asks what an earlier one in it asks takes the answer of that: a loop that
    waits for the data of its next iteration asks both times whether there is
    one. LLVM compares anew in each block that branches, in the direction that
    this branch needs, and `ptxas` does not find that opposite comparisons of
    neighboring numbers are one.

    Before, the form that LLVM gives such a loop:

    ```mlir
    module {
      llvm.func @steps(%c0: i32, %c1: i32, %c31: i32, %c32: i32) {
        llvm.br ^loop(%c0 : i32)
      ^loop(%i: i32):
        %is_last = llvm.icmp "eq" %i, %c31 : i32
        llvm.cond_br %is_last, ^latch, ^wait
      ^wait:
        llvm.inline_asm has_side_effects "", "r" %i : (i32) -> ()
        llvm.br ^latch
      ^latch:
        %next = llvm.add %i, %c1 : i32
        %more = llvm.icmp "ne" %next, %c32 : i32
        llvm.cond_br %more, ^loop(%next : i32), ^exit
      ^exit:
        llvm.return
      }
    }
    ```

    After, with a copy of the predicate that LLVM takes for another value:

    ```mlir
    module {
      llvm.func @steps(%c0: i32, %c1: i32, %c31: i32) {
        llvm.br ^loop(%c0 : i32)
      ^loop(%i: i32):
        %is_last = llvm.icmp "eq" %i, %c31 : i32
        %copy = llvm.inline_asm "", "=b,0" %is_last : (i1) -> i1
        llvm.cond_br %is_last, ^latch, ^wait
      ^wait:
        llvm.inline_asm has_side_effects "", "r" %i : (i32) -> ()
        llvm.br ^latch
      ^latch:
        %next = llvm.add %i, %c1 : i32
        llvm.cond_br %copy, ^exit, ^loop(%next : i32)
      ^exit:
        llvm.return
      }
    }
    ```
  }];
  let options = [
    Option<"toolkitPath", "toolkit", "std::string", [{""}],
           "The directory of a CUDA toolkit, whose libdevice is linked">,
  ];
  let dependentDialects = [
    "::mlir::gpu::GPUDialect", "::mlir::LLVM::LLVMDialect",
    "::mlir::NVVM::NVVMDialect",
  ];
  let statistics = [
    Statistic<"numShared", "num-shared", "Number of loops that share a comparison">,
  ];
}

def GPUExpandMathPass : Pass<"gpu-expand-math"> {
  let summary = "Compute math functions by arithmetic";
  let description = [{
    Replaces the functions for which there is neither an instruction nor a
    polynomial of `gpu-approximate-math` by arithmetic of f64: those of f64, and
    those of f32, which are computed in f64 and rounded once. No table and no
    library is needed. The remainder of floats is computed as on paper, and is
    exact.

    The angles of `sin`, `cos` and `tan` are reduced with as many bits of pi as
    they need, however large they are.

    Before:

    ```mlir
    %y = math.asin %x : f64
    ```

    After, where `atan` stands for more arithmetic:

    ```mlir
    %size = math.absf %x : f64
    %0 = arith.subf %one, %size : f64
    %1 = arith.addf %one, %size : f64
    %2 = arith.mulf %0, %1 : f64
    %cosine = math.sqrt %2 : f64
    %tangent = arith.divf %size, %cosine : f64
    %angle = math.atan %tangent : f64
    %y = math.copysign %angle, %x : f64
    ```
  }];
  let dependentDialects = [
    "::mlir::arith::ArithDialect", "::mlir::math::MathDialect",
    "::mlir::scf::SCFDialect",
  ];
  let statistics = [
    Statistic<"numExpanded", "num-expanded", "Number of functions expanded">,
  ];
}

def GPULowerPrintsPass : Pass<"gpu-lower-prints", "::mlir::ModuleOp"> {
  let summary = "Print from a GPU";
  let description = [{
    A kernel prints by calls of the CPU's runtime. They become `gpu.printf`: the
    texts of the format that the `kernel.abi` holds, and between them the
    elements of each value, arrays in brackets. One CTA runs a kernel that prints,
    and one thread of it prints.

    Before, with the format `"x = {}"`:

    ```mlir
    func.call @gridirPrintBegin(%c0) : (i64) -> ()
    %address = memref.extract_aligned_pointer_as_index %x : memref<i32> -> index
    %0 = arith.index_cast %address : index to i64
    %1 = llvm.inttoptr %0 : i64 to !llvm.ptr
    func.call @gridirPrintValue(%1, %c1) : (!llvm.ptr, i64) -> ()
    func.call @gridirPrintEnd() : () -> ()
    ```

    After:

    ```mlir
    gpu.printf "x = "
    %0 = memref.load %x[] : memref<i32>
    %1 = arith.extsi %0 : i32 to i64
    gpu.printf "%lld", %1 : i64
    gpu.printf "\0A"
    ```
  }];
  let dependentDialects = [
    "::mlir::arith::ArithDialect", "::mlir::gpu::GPUDialect",
    "::mlir::memref::MemRefDialect", "::mlir::scf::SCFDialect",
  ];
  let statistics = [
    Statistic<"numPrints", "num-prints", "Number of sites that print">,
  ];
}

def GPUOutlineKernelPass : Pass<"gpu-outline-kernel", "::mlir::ModuleOp"> {
  let summary = "Make a mapped kernel a kernel of the gpu dialect";
  let description = [{
    Moves the kernel into a `gpu.module`: the loop over CTAs becomes the number
    of the CTA, loops over threads the number of the thread, shared memory an
    external array whose size the launch gives. The arguments are those of the
    kernel, in their order, and then the workspace of the first CTA, which the
    workspaces of the others follow. `ptxas` is told that one CTA on a
    multiprocessor is enough, so that it spills no registers to fit more. A
    kernel that does nothing has no loop and becomes an empty kernel of one CTA.

    What a launch needs is in the `kernel.abi`, whose `num_ctas` is absent where
    the grid is dynamic: `@k.range` computes it.

    Before:

    ```mlir
    func.func @k(%x: memref<128xf32>, %status: memref<4xi64>, %lo: index, %hi: index) {
      %zero = arith.constant 0.0 : f32
      scf.forall (%item) = (%lo) to (%hi) step (1) {
        scf.forall (%thread) in (128) {
          memref.store %zero, %x[%thread] : memref<128xf32>
        } {mapping = [#gpu.thread<x>]}
        gpu.barrier
      } {mapping = [#gpu.block<x>]}
      return
    }
    ```

    After:

    ```mlir
    module {
      gpu.module @k {
        gpu.func @k(%x: memref<128xf32>, %status: memref<4xi64>, %lo: index, %hi: index,
                    %workspace: memref<0xi8>)
            kernel attributes {known_block_size = array<i32: 128, 1, 1>} {
          %zero = arith.constant 0.0 : f32
          %block = gpu.block_id x
          %item = arith.addi %lo, %block : index
          %thread = gpu.thread_id x
          memref.store %zero, %x[%thread] : memref<128xf32>
          gpu.barrier
          gpu.return
        }
      }
    }
    ```
  }];
  let dependentDialects = [
    "::mlir::arith::ArithDialect", "::mlir::gpu::GPUDialect",
    "::mlir::memref::MemRefDialect", "::mlir::scf::SCFDialect",
  ];
  let statistics = [
    Statistic<"numKernels", "num-kernels", "Number of kernels outlined">,
  ];
}

def GPUPlanMemoryPass : Pass<"gpu-plan-memory", "::mlir::ModuleOp"> {
  let summary = "Place the buffers of a CTA in shared memory or a workspace";
  let description = [{
    Puts the buffers of a CTA into shared memory, first those whose type says so,
    then small ones first, as far as a CTA of the chip has it; the rest goes to a
    workspace in global memory of which each CTA has its own. Buffers that are never
    alive together share bytes.

    Before, in a CTA:

    ```mlir
    %a = memref.alloc() : memref<8xf32>
    ```

    After:

    ```mlir
    %shared = memref.alloc() : memref<64xi8, #gpu.address_space<workgroup>>
    %bytes = memref.memory_space_cast %shared
        : memref<64xi8, #gpu.address_space<workgroup>> to memref<64xi8>
    %a = memref.view %bytes[%c0][] : memref<64xi8> to memref<8xf32>
    ```

    The sizes are left in `shared_bytes` and `workspace_bytes` of the `kernel.abi`.
    A workspace over the limit is an error that shows the largest buffer in it.
  }];
  let dependentDialects = [
    "::mlir::arith::ArithDialect", "::mlir::gpu::GPUDialect",
    "::mlir::memref::MemRefDialect",
  ];
  let options = [
    Option<"chip", "chip", "std::string", /*default=*/"\"sm_90a\"",
           "Set the chip, as LLVM names it">,
    Option<"workspaceLimit", "workspace-limit", "int64_t",
           /*default=*/"int64_t(1) << 30",
           "Set how many bytes of workspace all CTAs may have together">,
  ];
  let statistics = [
    Statistic<"numShared", "num-shared", "Number of buffers in shared memory">,
    Statistic<"numWorkspace", "num-workspace", "Number of buffers in the workspace">,
  ];
}

#endif // GRIDIR_DIALECTS_GPU_TRANSFORMS_PASSES_TD
