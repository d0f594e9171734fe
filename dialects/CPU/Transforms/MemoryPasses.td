//===- MemoryPasses.td - Accesses to memory on the CPU -----*- tablegen -*-===//
//
// Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef GRIDIR_DIALECTS_CPU_TRANSFORMS_MEMORYPASSES_TD
#define GRIDIR_DIALECTS_CPU_TRANSFORMS_MEMORYPASSES_TD

include "mlir/Pass/PassBase.td"

def CPUNarrowVectorsPass : Pass<"cpu-narrow-vectors", "::mlir::func::FuncOp"> {
  let summary = "Use narrower registers for overlapping windows of large operands";
  let description = [{
    A stencil reads windows that differ by a few elements, so that most of them
    cross the lines of the cache. On some processors (`overlap-bytes` is not zero)
    such reads in the width of a register are slow while memory is waited for,
    and narrower ones are not. LLVM makes one read of two adjacent ones, so this
    pass lets it use registers of `overlap-bytes` in the whole function. It
    applies to functions with a loop that reads overlapping windows of an operand
    of at least `cache-bytes`.

    Before:

    ```mlir
    func.func @f(%x: memref<64x2048xf32>, %i: index) {
      %c0 = arith.constant 0 : index
      %c1 = arith.constant 1 : index
      %c16 = arith.constant 16 : index
      %c1024 = arith.constant 1024 : index
      %zero = arith.constant 0.0 : f32
      scf.for %j = %c0 to %c1024 step %c16 {
        %next = arith.addi %j, %c1 : index
        %a = vector.transfer_read %x[%i, %j], %zero {in_bounds = [true]} : memref<64x2048xf32>, vector<16xf32>
        %b = vector.transfer_read %x[%i, %next], %zero {in_bounds = [true]} : memref<64x2048xf32>, vector<16xf32>
      }
      return
    }
    ```

    After, with `overlap-bytes` of 32:

    ```
    func.func @f(%x: memref<64x2048xf32>, %i: index) attributes {
        passthrough = [["prefer-vector-width", "256"], ["min-legal-vector-width", "0"]]} {
      ...
    }
    ```
  }];
  let options = [
    Option<"overlapBytes", "overlap-bytes", "int64_t", /*default=*/"0",
           "Set the width of registers for overlapping windows; 0 for that of all">,
    Option<"cacheBytes", "cache-bytes", "int64_t", /*default=*/"0",
           "Set the least size of an operand">,
  ];
  let statistics = [
    Statistic<"numNarrowed", "num-narrowed",
              "Number of functions with narrower registers">,
  ];
}

def CPUPlanArenaPass : Pass<"cpu-plan-arena", "::mlir::ModuleOp"> {
  let summary = "Place every buffer of the kernel in one arena of the caller";
  let description = [{
    Replaces each static `memref.alloc` and `memref.alloca` of the kernel (the
    entry of its `kernel.abi`) by a view of one byte buffer, the argument
    `%arena`. A kernel therefore never allocates memory, and a thread allocates
    its arena once. Buffers whose live ranges do not overlap share bytes. The
    live range of a buffer extends from its first to its last access through any
    view, and over a whole loop if the loop uses it and does not contain its
    allocation. `arena_bytes` of the `kernel.abi` has the size.

    A buffer marked `#kernel.buffer<>` shares its bytes with no other one. A
    buffer marked with a number of members is a view of memory of the runtime
    that this many work items share; `shared_memory` has its size.

    Before:

    ```mlir
    module {
      kernel.abi @k
      func.func @k(%status: memref<4xi64>, %lo: index, %hi: index) {
        %a = memref.alloc() : memref<16xf32>
        ...
      }
    }
    ```

    After:

    ```mlir
    module {
      kernel.abi @k arena_bytes = 64
      func.func @k(%status: memref<4xi64>, %lo: index, %hi: index, %arena: memref<64xi8>) {
        %c0 = arith.constant 0 : index
        %a = memref.view %arena[%c0][] : memref<64xi8> to memref<16xf32>
        ...
      }
    }
    ```

    A buffer of dynamic size is an error, since the arena could not hold it.
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

def CPUResolveViewsPass : Pass<"cpu-resolve-views", "::mlir::ModuleOp"> {
  let summary = "Compute the offsets and strides of views of memory";
  let description = [{
    Applies the patterns of upstream's `expand-strided-metadata` to views and
    the ops derived from them. Upstream's pass visits all other ops, too, and
    simplifies the control flow around them, which took a sixth of the compile
    time of a kernel with many slices.

    Before:

    ```mlir
    func.func @k(%x: memref<8x128xf32>, %i: index) -> f32 {
      %rows = memref.subview %x[2, 0] [6, 128] [1, 1]
          : memref<8x128xf32> to memref<6x128xf32, strided<[128, 1], offset: 256>>
      %all = memref.collapse_shape %rows [[0, 1]]
          : memref<6x128xf32, strided<[128, 1], offset: 256>> into memref<768xf32, strided<[1], offset: 256>>
      %0 = memref.load %all[%i] : memref<768xf32, strided<[1], offset: 256>>
      func.return %0 : f32
    }
    ```

    After:

    ```mlir
    func.func @k(%x: memref<8x128xf32>, %i: index) -> f32 {
      %base, %offset, %sizes:2, %strides:2 = memref.extract_strided_metadata %x
          : memref<8x128xf32> -> memref<f32>, index, index, index, index, index
      %all = memref.reinterpret_cast %base to offset: [256], sizes: [768], strides: [1]
          : memref<f32> to memref<768xf32, strided<[1], offset: 256>>
      %0 = memref.load %all[%i] : memref<768xf32, strided<[1], offset: 256>>
      func.return %0 : f32
    }
    ```
  }];
  let dependentDialects = [
    "::mlir::affine::AffineDialect", "::mlir::arith::ArithDialect",
    "::mlir::memref::MemRefDialect",
  ];
  let statistics = [
    Statistic<"numViews", "num-views", "Number of views resolved">,
  ];
}

def CPUPrefetchReadsPass : Pass<"cpu-prefetch-reads", "::mlir::ModuleOp"> {
  let summary = "Fetch the lines of large operands before they are read";
  let description = [{
    A processor waits for memory when a loop reads an operand that exceeds the
    caches, unless it executes many iterations at once. The more an iteration
    computes, the fewer these are. This pass makes such a loop fetch the lines
    that it reads 16 KiB later, or a part of 16 KiB for each array that it reads.
    Where the next row is elsewhere, or a number in memory chooses the row, the
    distance is at most a quarter of a row. The reads that it changes

    - are of an operand of at least `cache-bytes`;
    - are in a loop that reads 4 KiB or more of it;
    - move through the array element by element, or from row to row. In each row
      they read at least four lines, and the pass fetches the fourth row after.

    If the positions of several reads differ by constants, as in a stencil, only
    the last read is prefetched: the others read the same elements later. A
    prefetch beyond the end of an array has no effect.

    A store reads the lines that it changes, too. Where a loop writes a part of
    each row of a result of at least `result-bytes`, from four lines to 4 KiB,
    the pass also fetches the fourth row after.

    Before:

    ```mlir
    module {
      kernel.abi @k
      func.func @k(%x: memref<4096x2048xf32>, %status: memref<4xi64>, %lo: index, %hi: index) {
        %c0 = arith.constant 0 : index
        %c1 = arith.constant 1 : index
        %c16 = arith.constant 16 : index
        %c2048 = arith.constant 2048 : index
        %zero = arith.constant 0.0 : f32
        scf.for %i = %lo to %hi step %c1 {
          scf.for %j = %c0 to %c2048 step %c16 {
            %v = vector.transfer_read %x[%i, %j], %zero {in_bounds = [true]} : memref<4096x2048xf32>, vector<16xf32>
          }
        }
        return
      }
      func.func @k.range(%x: memref<4096x2048xf32>) -> index {
        %c4096 = arith.constant 4096 : index
        return %c4096 : index
      }
    }
    ```

    After, with `cache-bytes` of 16 MiB:

    ```
    scf.for %j = %c0 to %c2048 step %c16 {
      %c4096 = arith.constant 4096 : index
      %ahead = arith.addi %j, %c4096 : index
      memref.prefetch %x[%i, %ahead], read, locality<3>, data : memref<4096x2048xf32>
      %v = vector.transfer_read %x[%i, %j], %zero {in_bounds = [true]} : memref<4096x2048xf32>, vector<16xf32>
    }
    ```
  }];
  let dependentDialects = [
    "::mlir::arith::ArithDialect", "::mlir::memref::MemRefDialect",
  ];
  let options = [
    Option<"cacheBytes", "cache-bytes", "int64_t", /*default=*/"0",
           "Set the size of the caches in bytes; 0 for no prefetches">,
    Option<"resultBytes", "result-bytes", "int64_t", /*default=*/"0",
           "Set the least size of a result whose rows are fetched before they "
           "are written; 0 for none">,
  ];
  let statistics = [
    Statistic<"numPrefetched", "num-prefetched", "Number of lines fetched ahead">,
    Statistic<"numShort", "num-short",
              "Number of reads of large operands in loops over short rows">,
  ];
}

def CPUStreamStoresPass : Pass<"cpu-stream-stores", "::mlir::ModuleOp"> {
  let summary = "Write results that exceed the caches past them";
  let description = [{
    A store first reads the cache line that it changes, and evicts another one.
    For a result that does not fit in the caches neither is of use. A streaming
    (non-temporal) store writes whole lines to memory without reading them. This
    pass turns vector stores of the kernel into streaming stores where

    - the array is an operand of at least `cache-bytes` that the kernel only
      writes, so that no later program reads what is not in the caches. If the
      other operands are less than a quarter of the array, it has four times
      `cache-bytes`: stores to the caches do not displace what the kernel reads;
    - each iteration of each loop around the store writes other elements, and no
      other store writes the same ones: a block that is written again is faster
      in the caches;
    - the store fills whole cache lines, alone or with the next iterations;
    - its address is a multiple of its size, or of a line. The kernel relies on
      operands that begin at a line: `aligned_operands` of `kernel.abi` names
      them, and the runtime provides it.

    Streaming stores are not ordered with other stores. The kernel ends with a
    fence, so that other threads see its results once a range of work items is
    done.

    Before:

    ```mlir
    module {
      kernel.abi @k
      func.func @k(%o: memref<4096x2048xf32>, %status: memref<4xi64>, %lo: index, %hi: index) {
        %c0 = arith.constant 0 : index
        %c1 = arith.constant 1 : index
        %c64 = arith.constant 64 : index
        %c2048 = arith.constant 2048 : index
        %zero = arith.constant dense<0.0> : vector<64xf32>
        scf.for %i = %lo to %hi step %c1 {
          scf.for %j = %c0 to %c2048 step %c64 {
            vector.transfer_write %zero, %o[%i, %j] {in_bounds = [true]} : vector<64xf32>, memref<4096x2048xf32>
          }
        }
        return
      }
      func.func @k.range(%o: memref<4096x2048xf32>) -> index {
        %c4096 = arith.constant 4096 : index
        return %c4096 : index
      }
    }
    ```

    After, with `cache-bytes` of 8 MiB:

    ```
    kernel.abi @k aligned_operands = array<i64: 0>
    func.func @k(...) {
      scf.for %i = %lo to %hi step %c1 {
        scf.for %j = %c0 to %c2048 step %c64 {
          vector.store %zero, %o[%i, %j] {alignment = 64 : i64, nontemporal = true} : memref<4096x2048xf32>, vector<64xf32>
        }
      }
      llvm.fence seq_cst
      return
    }
    ```
  }];
  let dependentDialects = [
    "::mlir::LLVM::LLVMDialect", "::mlir::vector::VectorDialect",
  ];
  let options = [
    Option<"cacheBytes", "cache-bytes", "int64_t", /*default=*/"0",
           "Set the size of the caches in bytes; 0 for no streaming stores">,
  ];
  let statistics = [
    Statistic<"numStreamed", "num-streamed", "Number of stores that stream">,
    Statistic<"numRead", "num-read",
              "Number of large operands that the kernel may also read">,
    Statistic<"numRewritten", "num-rewritten",
              "Number of stores of elements that are written again">,
    Statistic<"numPartial", "num-partial",
              "Number of stores that are masked, unaligned or shorter than a line">,
  ];
}

#endif // GRIDIR_DIALECTS_CPU_TRANSFORMS_MEMORYPASSES_TD
