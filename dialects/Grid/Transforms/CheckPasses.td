//===- CheckPasses.td - Checks of memory accesses ----------*- tablegen -*-===//
//
// Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef GRIDIR_DIALECTS_GRID_TRANSFORMS_CHECKPASSES_TD
#define GRIDIR_DIALECTS_GRID_TRANSFORMS_CHECKPASSES_TD

include "mlir/Pass/PassBase.td"

def GridCheckPass : Pass<"grid-check", "::gridir::grid::KernelOp"> {
  let summary = "Prove that a kernel stays in bounds and writes all its outputs";
  let description = [{
    Checks all programs together, and stores the results in `grid.checks`:

    - `in-bounds`: every block overlaps its array, and every slice lies inside
      its Ref. A block that overhangs its array is padded, which the result
      mentions.
    - `written`: some program writes every element of an output.
    - `no-revisit`: in grid order, no block of an output is visited again after
      another one; a TPU would have lost its contents.
    - `disjoint`: the programs of a dimension that the author declares parallel
      may run in any order. If one reads scratch that the previous one has
      written, the result has both locations.
    - `aliases`: no program reads, through an input that shares memory with an
      output, an element that an earlier program wrote to the output, or vice
      versa. Otherwise the result has both locations.
    - `initialized`: scratch, Refs of scopes and outputs are written before a
      value that is read from them is used.
    - `balanced`: each wait for a copy or a semaphore has a matching start or
      signal, and none is left at the end. The programs are simulated one by
      one, as far as ids, loop counters and carried values determine their
      control flow.
    - `padding`: padding of an overhanging block reaches no output. It is never
      refuted, since a mask may hide it.
    - `overflow`: products of integers of less than 32 bits, and their sums, fit
      into their type. It is never refuted.

    A result is `proved`, `refuted`, with a program or an element as witness, or
    `unknown`, if it depends on values that only the call has. `targets` lists
    the targets for which it is proved, if these are not all: on a TPU the block
    of an output is initially uninitialized, even if it shares memory with an
    input. Branches and loops around an access are analyzed if they compare
    program ids.

    Before:

    ```mlir
    grid.kernel @half grid(%i = 3)
        inputs(%x: f32 [512] block [128] at (%i) origin "x_ref")
        outputs(%o: f32 [512] block [128] at (%i) origin "o_ref") {
      %v = grid.load %x : memref<128xf32, #grid.space<default>> -> tensor<128xf32>
      grid.store %v, %o : tensor<128xf32>, memref<128xf32, #grid.space<default>>
    }
    ```

    After:

    ```mlir
    grid.kernel @half grid(%i = 3)
        inputs(%x_ref: f32 [512] block [128] at (%i) origin "x_ref")
        outputs(%o_ref: f32 [512] block [128] at (%i) origin "o_ref")
        attributes {grid.checks = [
          {check = "in-bounds", subject = "x_ref", verdict = "proved"},
          {check = "in-bounds", subject = "o_ref", verdict = "proved"},
          {check = "written", element = array<i64: 384>,
           reason = "no program writes element (384)", subject = "o_ref",
           verdict = "refuted"},
          {check = "no-revisit", subject = "o_ref", verdict = "proved"},
          {check = "initialized", subject = "o_ref", verdict = "proved"}
        ]} {
      %v = grid.load %x_ref : memref<128xf32, #grid.space<default>> -> tensor<128xf32>
      grid.store %v, %o_ref : tensor<128xf32>, memref<128xf32, #grid.space<default>>
    }
    ```
  }];
  let options = [
    ListOption<"checks", "checks", "std::string",
               "The checks to make: in-bounds, written, no-revisit, disjoint, "
               "aliases, initialized, balanced, padding, overflow; all by "
               "default">,
    Option<"failOnRefuted", "fail-on-refuted", "bool", "false",
           "Report every refuted check as an error">,
    Option<"recordLocations", "record-locations", "bool", "false",
           "Store the location of each result">,
  ];
  let statistics = [
    Statistic<"numProved", "num-proved", "Number of checks proved">,
    Statistic<"numRefuted", "num-refuted", "Number of checks refuted">,
    Statistic<"numUnknown", "num-unknown", "Number of checks left unknown">,
  ];
}

def GridLimitDiscardedLoadsPass : Pass<"grid-limit-discarded-loads", "::gridir::grid::KernelOp"> {
  let summary = "Limit the positions of elements that are loaded and may be unused";
  let description = [{
    A kernel may load an element from outside of a Ref if it discards the value,
    as a `select` does. This pass moves the position of such an element to the
    nearest one inside of the Ref, so that a target which checks positions does
    not reject the load. A position that is proved to be inside stays, and so
    does one whose value is certainly used.

    With `gathers` this holds for each element of a window with several ones:
    the window becomes a `grid.gather`. Then kernels without products of matrices
    are left as they are.

    Before:

    ```mlir
    grid.kernel @next grid(%i = 4) index(%s: i32 [4] space #tpu.memory_space<smem>) outputs(%o: i32 [4] space #tpu.memory_space<smem>) {
      %p = grid.program_id 0
      %one = arith.constant 1 : i32
      %n = arith.addi %p, %one : i32
      %w = grid.slice_ref %s[%n] [1] [1] drop [0]
          : memref<4xi32, #tpu.memory_space<smem>>, i32 -> memref<i32, #tpu.memory_space<smem>>
      %v = grid.load %w : memref<i32, #tpu.memory_space<smem>> -> i32
      %four = arith.constant 4 : i32
      %inside = arith.cmpi slt, %n, %four : i32
      %r = arith.select %inside, %v, %one : i32
      %d = grid.slice_ref %o[%p] [1] [1] drop [0]
          : memref<4xi32, #tpu.memory_space<smem>>, i32 -> memref<i32, #tpu.memory_space<smem>>
      grid.store %r, %d : i32, memref<i32, #tpu.memory_space<smem>>
    }
    ```

    After:

    ```mlir
    grid.kernel @next grid(%i = 4) index(%s: i32 [4] space #tpu.memory_space<smem>) outputs(%o: i32 [4] space #tpu.memory_space<smem>) {
      %p = grid.program_id 0
      %one = arith.constant 1 : i32
      %n = arith.addi %p, %one : i32
      %zero = arith.constant 0 : i32
      %a = arith.maxsi %n, %zero : i32
      %last = arith.constant 3 : i32
      %b = arith.minsi %a, %last : i32
      %w = grid.slice_ref %s[%b] [1] [1] drop [0]
          : memref<4xi32, #tpu.memory_space<smem>>, i32 -> memref<i32, #tpu.memory_space<smem>>
      %v = grid.load %w : memref<i32, #tpu.memory_space<smem>> -> i32
      %four = arith.constant 4 : i32
      %inside = arith.cmpi slt, %n, %four : i32
      %r = arith.select %inside, %v, %one : i32
      %d = grid.slice_ref %o[%p] [1] [1] drop [0]
          : memref<4xi32, #tpu.memory_space<smem>>, i32 -> memref<i32, #tpu.memory_space<smem>>
      grid.store %r, %d : i32, memref<i32, #tpu.memory_space<smem>>
    }
    ```
  }];
  let dependentDialects = [
    "::mlir::arith::ArithDialect", "::mlir::linalg::LinalgDialect", "::mlir::tensor::TensorDialect"
  ];
  let options = [
    Option<"gathers", "gathers", "bool", "false",
      "Load windows of several elements by their positions, too">
  ];
  let statistics = [
    Statistic<"numLimited", "num-limited", "Number of positions that are limited">,
    Statistic<"numGathered", "num-gathered", "Number of windows that are loaded by their positions">
  ];
}

def GridPoisonMemoryPass : Pass<"grid-poison-memory", "::gridir::grid::KernelOp"> {
  let summary = "Fill uninitialized memory with NaN";
  let description = [{
    A kernel that reads uninitialized memory may give correct results by chance.
    This pass stores NaN, the highest integer, or the value of `fill`, to the
    Refs of `grid.scoped` at the begin of their lifetime, to scratch in the
    first of the programs that share it, and to each block of an output in the
    first program that has it. It requires known parallel dimensions
    (`grid-infer-dimension-semantics`). The highest integer of a Ref in
    `grid.unsigned` is unsigned.

    `grid.initial_results` gives an output the same values before any program
    begins, since no program may have some of its elements. An output stays
    unchanged if an input shares its memory. So does memory that other programs
    may write before its owner begins, and scratch that the programs of a core
    share.

    Before:

    ```mlir
    grid.kernel @sums grid(%i = 4, %k = 8)
        outputs(%o: f32 [512] block [128] at (%i) origin "o_ref")
        scratch(%sum: memref<128xf32>)
        semantics [parallel, arbitrary] {
      %v = grid.load %sum : memref<128xf32> -> tensor<128xf32>
      grid.store %v, %o : tensor<128xf32>, memref<128xf32, #grid.space<default>>
    }
    ```

    After:

    ```mlir
    grid.kernel @sums grid(%i = 4, %k = 8)
        outputs(%o_ref: f32 [512] block [128] at (%i) origin "o_ref")
        scratch(%sum: memref<128xf32>)
        semantics [parallel, arbitrary]
        attributes {grid.initial_results = [0x7FC00000 : f32]} {
      %k0 = grid.program_id 1
      %c0 = arith.constant 0 : i32
      %begins = arith.cmpi eq, %k0, %c0 : i32
      scf.if %begins {
        %nan = arith.constant dense<0x7FC00000> : tensor<128xf32>
        grid.store %nan, %sum : tensor<128xf32>, memref<128xf32>
      }
      %k1 = grid.program_id 1
      %c1 = arith.constant 0 : i32
      %first = arith.cmpi eq, %k1, %c1 : i32
      scf.if %first {
        %nan = arith.constant dense<0x7FC00000> : tensor<128xf32>
        grid.store %nan, %o_ref : tensor<128xf32>, memref<128xf32, #grid.space<default>>
      }
      %v = grid.load %sum : memref<128xf32> -> tensor<128xf32>
      grid.store %v, %o_ref : tensor<128xf32>, memref<128xf32, #grid.space<default>>
    }
    ```
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::scf::SCFDialect"];
  let options = [
    Option<"fill", "fill", "::gridir::grid::MemoryFill", "MemoryFill::NaN",
           "The initial contents of memory", [{::llvm::cl::values(
             clEnumValN(MemoryFill::NaN, "nan",
                        "NaN or the highest integer, as in JAX's interpreter of TPU kernels"),
             clEnumValN(MemoryFill::Poison, "poison",
                        "NaN, true or the lowest integer, as from Mosaic where JAX asks for poison"),
             clEnumValN(MemoryFill::Zero, "zero", "Zero"))}]>,
  ];
  let statistics = [
    Statistic<"numPoisoned", "num-poisoned", "Number of Refs filled">,
  ];
}

def GridRecordAccessesPass : Pass<"grid-record-accesses", "::gridir::grid::KernelOp"> {
  let summary = "Record every access to a Ref for checks at run time";
  let description = [{
    Inserts a `grid.record_access` before each op that accesses a Ref. Its Ref
    is the view that the op names, so two programs that access different slices
    of an array do not race. Gathers and scatters are recorded element by
    element; a masked load or store is recorded as a whole. Copies are not
    recorded, since the runtime sees their memory.

    A value that is read from memory of the call (scratch, the Refs of a scope,
    outputs) also has a record of kind `use` if something depends on it. The
    analysis follows selects with scalar conditions: values that they do not
    select are not used. A mask selects single elements, and ends the search.

    Before:

    ```mlir
    grid.kernel @copy grid(%i = 4)
        inputs(%x: f32 [512] block [128] at (%i) origin "x_ref")
        outputs(%o: f32 [512] block [128] at (%i) origin "o_ref") {
      %v = grid.load %x : memref<128xf32, #grid.space<default>> -> tensor<128xf32>
      grid.store %v, %o : tensor<128xf32>, memref<128xf32, #grid.space<default>>
    }
    ```

    After:

    ```mlir
    grid.kernel @copy grid(%i = 4)
        inputs(%x_ref: f32 [512] block [128] at (%i) origin "x_ref")
        outputs(%o_ref: f32 [512] block [128] at (%i) origin "o_ref") {
      grid.record_access read %x_ref : memref<128xf32, #grid.space<default>>
      %v = grid.load %x_ref : memref<128xf32, #grid.space<default>> -> tensor<128xf32>
      grid.record_access write %o_ref : memref<128xf32, #grid.space<default>>
      grid.store %v, %o_ref : tensor<128xf32>, memref<128xf32, #grid.space<default>>
    }
    ```
  }];
  let statistics = [
    Statistic<"numRecorded", "num-recorded", "Number of accesses recorded">,
    Statistic<"numUses", "num-uses", "Number of uses of values that may be "
                                     "uninitialized">,
  ];
}

#endif // GRIDIR_DIALECTS_GRID_TRANSFORMS_CHECKPASSES_TD
