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
  let summary = "Replace math functions by those that PTX has";
  let description = [{
    PTX has instructions for only a few functions. The others are

    - functions of libdevice, with the option `libdevice`: they stay math ops,
      and the conversion to `nvvm` calls them;
    - otherwise, for `exp`, `log`, `log2`, `log1p`, `expm1`, `tanh` and `erf` of
      f32, the polynomials of the CPU path, with identical results. `exp2` is
      the instruction `ex2.approx`, with an error of at most 2 units in the last
      place. Functions of f16 and bf16 are computed in f32 and rounded once.
      `gpu-expand-math` has expanded the others; a remaining one is an error.

    With `approx`, or `approx_math` in the module's `#kernel.mapping`, which has
    the author's parameter, `exp`, `exp2` and `tanh` of f32 use
    `ex2.approx.ftz`. The error of `exp(x)` is about `|x|` units in the last
    place, that of `tanh(x)` 2e-7, and a result below the smallest normal number
    is 0. A product of f32 and its sum may be rounded once. A quotient of f32 is
    a product with `rcp.approx` of the divisor, which all quotients with that
    divisor share: its error is 2 units in the last place, and it is infinite
    for divisors below 2^-128.

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
           "Use the approximate instruction for exp, exp2 and tanh, and round "
           "a product and its sum once">,
    Option<"libdevice", "libdevice", "bool", /*default=*/"false",
           "Leave the other functions to libdevice">,
  ];
  let statistics = [
    Statistic<"numReplaced", "num-replaced", "Number of functions replaced">,
  ];
}

def GPUAtomicReportsPass : Pass<"gpu-atomic-reports", "::mlir::ModuleOp"> {
  let summary = "Let exactly one thread write the error report";
  let description = [{
    A failed check writes three words of the kernel's error report if they are
    empty. Several threads of one or more CTAs may fail at once. Each of them
    then exchanges the fourth word with 1 atomically, and only the thread that
    gets 0 writes the others, so no report mixes two checks.

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
  let summary = "Carry values through a loop that alternate between two values";
  let description = [{
    In a loop that alternates between two buffers, addresses and descriptors of
    their contents have one of two values. A value that takes more than an
    instruction to compute is carried by the loop, and changed in the bits in
    which the two differ. This holds for any values. The step is 1, and the
    first iteration is known.

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
    Verifies the mapped-kernel contract: the postcondition of every mapper and
    the precondition of all later passes.

    - The `kernel.abi` names a function `@k` of one block. Its arguments are the
      operands, the words of the error report, and the range of work items.
      `num_threads` is the number of threads of a CTA, from 1 to 1024.
    - All code of `@k` is in one `scf.forall` that is mapped to `#gpu.block<x>`,
      from the first work item, or from 0, with step 1.
    - Every thread of the CTA runs the body of that loop. Values that differ
      among threads depend on `gpu.thread_id x`, or are in an `scf.forall` from
      0 with step 1 that is mapped to `#gpu.thread<x>`. Such a loop runs on as
      many threads as it has iterations, at most those of the CTA, and such
      loops are not nested.
    - A `gpu.barrier` and a buffer belong to all threads: they are outside of
      loops over threads.
    - Values are numbers, vectors and memrefs. No op works on whole arrays
      without a mapping to threads (linalg, `memref.copy`). Only
      `@gridirPrintBegin`, `@gridirPrintValue` and `@gridirPrintEnd` are called.

    Buffers of the CTA are `memref.alloc`s of static shape. `gpu-plan-memory`
    places them; the type of a buffer may require shared memory. Words of the
    error report are stored as on a CPU; `gpu-atomic-reports` lets one thread
    store them. A kernel that does nothing has no loop.

    The module is not changed. This one is accepted:

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
  let summary = "Compile the modules of a GPU to PTX";
  let description = [{
    Each `gpu.module` becomes a `gpu.binary` with PTX for its target, as with
    `gpu-module-to-binary=format=isa`. In addition, between LLVM's optimizations
    and instruction selection, the last branch of a loop reuses the result of an
    equal earlier comparison in the loop. A loop that waits for the data of its
    next iteration has two such comparisons. LLVM repeats the comparison in each
    block that branches, in the direction of that branch, and `ptxas` does not
    recognize that opposite comparisons of adjacent numbers are equal.

    Before, the form of such a loop in LLVM:

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

    After, with an opaque copy of the predicate:

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
           "The directory of a CUDA toolkit; its libdevice is linked">,
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
  let summary = "Expand math functions to arithmetic";
  let description = [{
    Expands functions without an instruction and without a polynomial in
    `gpu-approximate-math` to arithmetic of f64: functions of f64, and functions
    of f32, which are computed in f64 and rounded once. This needs no table and
    no library. The remainder of floats is computed by long division, and is
    exact.

    The arguments of `sin`, `cos` and `tan` may have any size: they are reduced
    with as many bits of pi as they need.

    Before:

    ```mlir
    %y = math.asin %x : f64
    ```

    After, with `atan` in place of more arithmetic:

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

def GPUConvertArithPass : Pass<"gpu-convert-arith", "::mlir::gpu::GPUModuleOp"> {
  let summary = "Convert arith and math to the llvm dialect";
  let description = [{
    Converts the ops of arith and math that are instructions of LLVM. Without
    this pass, `convert-gpu-to-nvvm` would turn some of them into calls of
    libdevice.

    An `index` has the width that the data layout of the `gpu.module` specifies,
    by default 64 bits.

    Before:

    ```mlir
    module {
      gpu.module @k attributes {dlti.dl_spec = #dlti.dl_spec<index = 32 : i32>} {
        llvm.func @k(%i: i32, %x: f32, %y: f32) -> f32 {
          %0 = arith.remf %x, %y : f32
          llvm.return %0 : f32
        }
      }
    }
    ```

    After:

    ```mlir
    module {
      gpu.module @k attributes {dlti.dl_spec = #dlti.dl_spec<index = 32 : i32>} {
        llvm.func @k(%i: i32, %x: f32, %y: f32) -> f32 {
          %0 = llvm.frem %x, %y : f32
          llvm.return %0 : f32
        }
      }
    }
    ```
  }];
  let dependentDialects = ["::mlir::LLVM::LLVMDialect"];
}

def GPULowerPrintsPass : Pass<"gpu-lower-prints", "::mlir::ModuleOp"> {
  let summary = "Print from a GPU";
  let description = [{
    A kernel prints by calls of the CPU's runtime. They become `gpu.printf`: the
    texts of the format in the `kernel.abi` and, between them, the elements of
    each value, with arrays in brackets. One CTA runs a kernel that prints, and
    one of its threads prints.

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
  let summary = "Outline a mapped kernel as a kernel of the gpu dialect";
  let description = [{
    Moves the kernel to a `gpu.module`. The loop over CTAs becomes the CTA id,
    loops over threads become the thread id, and shared memory becomes an
    external array whose size the launch defines. The arguments are those of the
    kernel, in order, and then the workspace of the first CTA, followed by those
    of the others. An attribute tells `ptxas` that one CTA on a multiprocessor
    suffices, so that it does not spill registers to fit more. A kernel that
    does nothing has no loop and becomes an empty kernel of one CTA.

    The `kernel.abi` describes the launch. Its `num_ctas` is absent for a
    dynamic grid: `@k.range` computes it.

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
    Places the buffers of a CTA in shared memory: first those whose type
    requires it, then small ones first, up to the limit of the chip. The others
    are placed in a workspace in global memory, with a part for each CTA.
    Buffers whose live ranges do not overlap share bytes.

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

    `shared_bytes` and `workspace_bytes` of the `kernel.abi` have the sizes. A
    workspace over the limit is an error that names its largest buffer.
  }];
  let dependentDialects = [
    "::mlir::arith::ArithDialect", "::mlir::gpu::GPUDialect",
    "::mlir::memref::MemRefDialect",
  ];
  let options = [
    Option<"chip", "chip", "std::string", /*default=*/"\"sm_90a\"",
           "Set the chip, with LLVM's name">,
    Option<"workspaceLimit", "workspace-limit", "int64_t",
           /*default=*/"int64_t(1) << 30",
           "Set the limit for the workspace of all CTAs, in bytes">,
  ];
  let statistics = [
    Statistic<"numShared", "num-shared", "Number of buffers in shared memory">,
    Statistic<"numWorkspace", "num-workspace", "Number of buffers in the workspace">,
  ];
}

#endif // GRIDIR_DIALECTS_GPU_TRANSFORMS_PASSES_TD
