// Reads through an alias of what another program wrote, and what an output that shares memory with an input holds.
//
// RUN: gridir-opt %s --grid-check='checks=aliases,written,initialized' --split-input-file | FileCheck %s

// Each program sees the block that it writes, and no other.
// CHECK-LABEL: grid.kernel @own_block
// CHECK: {check = "written", reason = "the other elements are those of the aliased input", subject = "o_ref", verdict = "proved"}
// CHECK-SAME: {check = "aliases", subject = "x_ref", verdict = "proved"}
// CHECK-SAME: {check = "initialized", subject = "o_ref", verdict = "proved"}
grid.kernel @own_block grid(%i = 2)
    inputs(%x: f32 [32] block [8] at (%i) origin "x_ref")
    outputs(%o: f32 [32] block [8] at (%i) origin "o_ref") aliases [0 -> 0] {
  %v = grid.load %x : memref<8xf32, #grid.space<default>> -> tensor<8xf32>
  grid.store %v, %o : tensor<8xf32>, memref<8xf32, #grid.space<default>>
}

// -----

// The block before was written by the program before. Functional aliases make no difference to a TPU.
// CHECK-LABEL: grid.kernel @block_before
// CHECK: {check = "aliases", program = array<i64: 1>, reason = "program (1) reads through prev_ref elements that program (0) has written to o_ref", subject = "prev_ref", verdict = "refuted"}
grid.kernel @block_before grid(%i = 4)
    inputs(%x: f32 [32] block [8] map(%a: i32) {
      %c0 = arith.constant 0 : i32
      %c1 = arith.constant 1 : i32
      %b = arith.subi %a, %c1 : i32
      %m = arith.maxsi %b, %c0 : i32
      grid.yield %m : i32
    } origin "prev_ref")
    outputs(%o: f32 [32] block [8] at (%i) origin "o_ref") aliases [0 -> 0] functional {
  %v = grid.load %x : memref<8xf32, #grid.space<default>> -> tensor<8xf32>
  grid.store %v, %o : tensor<8xf32>, memref<8xf32, #grid.space<default>>
}

// -----

// The next block is written later: in either order, it holds the input.
// CHECK-LABEL: grid.kernel @block_behind
// CHECK: {check = "aliases", subject = "x_ref", verdict = "proved"}
grid.kernel @block_behind grid(%i = 3)
    inputs(%x: f32 [32] block [8] at (%i + 1) origin "x_ref")
    outputs(%o: f32 [32] block [8] at (%i) origin "o_ref") aliases [0 -> 0] {
  %v = grid.load %x : memref<8xf32, #grid.space<default>> -> tensor<8xf32>
  grid.store %v, %o : tensor<8xf32>, memref<8xf32, #grid.space<default>>
}

// -----

// Only the first program that sees a block reads the input.
// CHECK-LABEL: grid.kernel @first_visit
// CHECK: {check = "aliases", subject = "x_ref", verdict = "proved"}
grid.kernel @first_visit grid(%i = 2, %k = 3)
    inputs(%x: f32 [16] block [8] at (%i) origin "x_ref")
    outputs(%o: f32 [16] block [8] at (%i) origin "o_ref") aliases [0 -> 0] {
  %k = grid.program_id 1
  %c0 = arith.constant 0 : i32
  %is_first = arith.cmpi eq, %k, %c0 : i32
  scf.if %is_first {
    %v = grid.load %x : memref<8xf32, #grid.space<default>> -> tensor<8xf32>
    grid.store %v, %o : tensor<8xf32>, memref<8xf32, #grid.space<default>>
  }
  %w = grid.load %o : memref<8xf32, #grid.space<default>> -> tensor<8xf32>
  %s = arith.addf %w, %w : tensor<8xf32>
  grid.store %s, %o : tensor<8xf32>, memref<8xf32, #grid.space<default>>
}

// -----

// Which rows are read is known only at run time.
// CHECK-LABEL: grid.kernel @chosen_rows
// CHECK: {check = "aliases", reason = "a program may read through x_ref elements that an earlier one has written to o_ref", subject = "x_ref", verdict = "unknown"}
grid.kernel @chosen_rows grid(%i = 4)
    index(%rows: i32 [4] space index)
    inputs(%x: f32 [16, 8] block [1, 8] map(%a: i32, %r: memref<4xi32, #grid.space<index>>) {
      %s = grid.slice_ref %r[%a] [1] [1] drop [0] : memref<4xi32, #grid.space<index>>, i32 -> memref<i32, #grid.space<index>>
      %row = grid.load %s : memref<i32, #grid.space<index>> -> i32
      %c0 = arith.constant 0 : i32
      grid.yield %row, %c0 : i32, i32
    } origin "x_ref")
    outputs(%o: f32 [16, 8] block [1, 8] at (%i, 0) origin "o_ref") aliases [1 -> 0] {
  %v = grid.load %x : memref<1x8xf32, #grid.space<default>> -> tensor<1x8xf32>
  grid.store %v, %o : tensor<1x8xf32>, memref<1x8xf32, #grid.space<default>>
}

// -----

// The block of the output begins as the input's on a CPU and a GPU, and holds nothing on a TPU.
// CHECK-LABEL: grid.kernel @reads_output
// CHECK: {check = "initialized", program = array<i64: 0>, reason = "on a tpu, where its block is initially undefined, program (0) reads it before it is written", subject = "o_ref", targets = ["cpu", "gpu"], verdict = "unknown"}
grid.kernel @reads_output grid(%i = 2)
    inputs(%x: f32 [16] block [8] at (%i) origin "x_ref")
    outputs(%o: f32 [16] block [8] at (%i) origin "o_ref") aliases [0 -> 0] {
  %w = grid.load %o : memref<8xf32, #grid.space<default>> -> tensor<8xf32>
  %s = arith.addf %w, %w : tensor<8xf32>
  grid.store %s, %o : tensor<8xf32>, memref<8xf32, #grid.space<default>>
}

// -----

// CHECK-LABEL: grid.kernel @reads_output_on_tpu
// CHECK: {check = "initialized", program = array<i64: 0>, {{.*}}, subject = "o_ref", targets = ["cpu", "gpu"], verdict = "refuted"}
grid.kernel @reads_output_on_tpu grid(%i = 2)
    inputs(%x: f32 [16] block [8] at (%i) origin "x_ref")
    outputs(%o: f32 [16] block [8] at (%i) origin "o_ref") aliases [0 -> 0]
    params [#grid.tpu_params<vmem_limit_bytes = 1024>] {
  %w = grid.load %o : memref<8xf32, #grid.space<default>> -> tensor<8xf32>
  %s = arith.addf %w, %w : tensor<8xf32>
  grid.store %s, %o : tensor<8xf32>, memref<8xf32, #grid.space<default>>
}

// -----

// CHECK-LABEL: grid.kernel @reads_output_on_gpu
// CHECK: {check = "initialized", reason = "its initial value is the aliased input", subject = "o_ref", verdict = "proved"}
grid.kernel @reads_output_on_gpu grid(%i = 2)
    inputs(%x: f32 [16] block [8] at (%i) origin "x_ref")
    outputs(%o: f32 [16] block [8] at (%i) origin "o_ref") aliases [0 -> 0]
    params [#grid.triton_params<num_warps = 4>] {
  %w = grid.load %o : memref<8xf32, #grid.space<default>> -> tensor<8xf32>
  %s = arith.addf %w, %w : tensor<8xf32>
  grid.store %s, %o : tensor<8xf32>, memref<8xf32, #grid.space<default>>
}

// -----

// A TPU writes the complete block back, though the first program writes nothing to it.
// CHECK-LABEL: grid.kernel @second_block
// CHECK: {check = "written", reason = "on a tpu, where its block is initially undefined, a program may write only a part of it", subject = "o_ref", targets = ["cpu", "gpu"], verdict = "unknown"}
grid.kernel @second_block grid(%i = 2)
    inputs(%x: f32 [16] block [8] at (%i) origin "x_ref")
    outputs(%o: f32 [16] block [8] at (%i) origin "o_ref") aliases [0 -> 0] {
  %id = grid.program_id 0
  %c1 = arith.constant 1 : i32
  %is_second = arith.cmpi eq, %id, %c1 : i32
  scf.if %is_second {
    %z = arith.constant dense<0.0> : tensor<8xf32>
    grid.store %z, %o : tensor<8xf32>, memref<8xf32, #grid.space<default>>
  }
}

// -----

// An array that stays where it is has no block.
// CHECK-LABEL: grid.kernel @half_array
// CHECK: {check = "written", reason = "the other elements are those of the aliased input", subject = "o_ref", verdict = "proved"}
// CHECK-NOT: initialized
grid.kernel @half_array grid()
    inputs(%x: f32 [16] space any origin "x_ref")
    outputs(%o: f32 [16] space any origin "o_ref") aliases [0 -> 0] {
  %z = arith.constant dense<0.0> : tensor<4xf32>
  %h = grid.slice_ref %o[0] [4] [1] : memref<16xf32, #grid.space<any>> -> memref<4xf32, #grid.space<any>>
  grid.store %z, %h : tensor<4xf32>, memref<4xf32, #grid.space<any>>
}
