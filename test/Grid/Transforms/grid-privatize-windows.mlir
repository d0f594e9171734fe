// RUN: gridir-opt %s --grid-privatize-windows --split-input-file | FileCheck %s
// RUN: gridir-opt %s --grid-privatize-windows --grid-infer-dimension-semantics --split-input-file 2>/dev/null | FileCheck %s --check-prefix=SEMANTICS
// RUN: gridir-opt %s --grid-privatize-windows --split-input-file --mlir-pass-statistics -o /dev/null 2>&1 | FileCheck %s --check-prefix=STATS
// RUN: gridir-opt %s --grid-privatize-windows --split-input-file -o /dev/null --remarks-filter=grid-privatize-windows --remark-format=emitRemark 2>&1 \
// RUN:   | FileCheck %s --check-prefix=REMARK

// REMARK: [Passed] window | Category:grid-privatize-windows | Remark="outputs[0] has a window for each program along dimension 0"

// STATS: GridPrivatizeWindowsPass
// STATS: (S) 1 num-privatized

!in = memref<8xf32, #grid.space<default>>
!row = tensor<8xf32>

// An accumulator that begins anew for each %h is one for each of them. The last program writes it to the array.
// CHECK-LABEL: grid.kernel @accumulator
// CHECK: outputs(%[[SUM:[a-z0-9_]+]]: f32 [8]
// CHECK: scratch(%[[WINDOW:.+]]: memref<8xf32, #grid.space<default>> origin "outputs[0]")
// CHECK: grid.store %{{.*}}, %[[WINDOW]]
// CHECK: grid.accumulate %{{.*}}, %[[WINDOW]]
// CHECK: %[[H:.+]] = grid.program_id 0
// CHECK: %[[H_ENDS:.+]] = arith.cmpi eq, %[[H]]
// CHECK: %[[K:.+]] = grid.program_id 1
// CHECK: %[[K_ENDS:.+]] = arith.cmpi eq, %[[K]]
// CHECK: %[[LAST:.+]] = arith.andi %[[H_ENDS]], %[[K_ENDS]]
// CHECK: scf.if %[[LAST]]
// CHECK-NEXT: %[[ALL:.+]] = grid.load %[[WINDOW]]
// CHECK-NEXT: grid.store %[[ALL]], %[[SUM]]
// SEMANTICS-LABEL: grid.kernel @accumulator
// SEMANTICS: semantics [parallel, arbitrary]
grid.kernel @accumulator grid(%h = 2, %k = 8)
    inputs(%x: f32 [2, 64] block [squeezed, 8] at (%h, %k))
    outputs(%sum: f32 [8] block [8] at (0))
    semantics [parallel, arbitrary] {
  %k0 = grid.program_id 1
  %c0 = arith.constant 0 : i32
  %first = arith.cmpi eq, %k0, %c0 : i32
  scf.if %first {
    %zero = arith.constant dense<0.0> : !row
    grid.store %zero, %sum : !row, !in
  }
  %v = grid.load %x : !in -> !row
  grid.accumulate %v, %sum : !row, !in
}

// -----

!in = memref<8xf32, #grid.space<default>>
!row = tensor<8xf32>

// Blocks that move with a sequential dimension, in a grid whose size is known at the call.
// CHECK-LABEL: grid.kernel @block_of_each_step
// CHECK: scratch(%{{.*}}: memref<8xf32, #grid.space<default>> origin "outputs[0]")
// CHECK: grid.num_programs 0
// SEMANTICS-LABEL: grid.kernel @block_of_each_step
// SEMANTICS: semantics [parallel, parallel, arbitrary]
grid.kernel @block_of_each_step grid(%h = ?, %i = 4, %k = 8)
    inputs(%x: f32 [4, 64] block [squeezed, 8] at (%i, %k))
    outputs(%sum: f32 [32] block [8] at (%i))
    semantics [parallel, arbitrary, arbitrary] {
  %k0 = grid.program_id 2
  %c0 = arith.constant 0 : i32
  %first = arith.cmpi eq, %k0, %c0 : i32
  scf.if %first {
    %zero = arith.constant dense<0.0> : !row
    grid.store %zero, %sum : !row, !in
  }
  %v = grid.load %x : !in -> !row
  grid.accumulate %v, %sum : !row, !in
}

// -----

!in = memref<8xf32, #grid.space<default>>
!row = tensor<8xf32>

// Whole arrays are windows, too; each has one of its own.
// CHECK-LABEL: grid.kernel @whole_arrays
// CHECK: scratch(%[[A:.+]]: memref<8xf32, #grid.space<default>> origin "outputs[0]",
// CHECK-SAME: %[[B:.+]]: memref<8xf32, #grid.space<default>> origin "outputs[1]")
// CHECK: scf.if
// CHECK: grid.load %[[A]]
// CHECK: scf.if
// CHECK: grid.load %[[B]]
// SEMANTICS-LABEL: grid.kernel @whole_arrays
// SEMANTICS: semantics [parallel]
grid.kernel @whole_arrays grid(%h = 2)
    inputs(%x: f32 [16] block [8] at (%h))
    outputs(%a: f32 [8], %b: f32 [8]) semantics [parallel] {
  %v = grid.load %x : !in -> !row
  grid.store %v, %a : !row, !in
  grid.accumulate %v, %a : !row, !in
  grid.store %v, %b : !row, !in
  grid.accumulate %v, %b : !row, !in
}

// -----

!in = memref<8xf32, #grid.space<default>>
!row = tensor<8xf32>

// Zeroed once for the whole grid: a program sees what those of another %h left.
// CHECK-LABEL: grid.kernel @sum_of_all
// CHECK-NOT: scratch
// SEMANTICS-LABEL: grid.kernel @sum_of_all
// SEMANTICS: semantics [arbitrary, arbitrary]
grid.kernel @sum_of_all grid(%h = 2, %k = 8)
    inputs(%x: f32 [2, 64] block [squeezed, 8] at (%h, %k))
    outputs(%sum: f32 [8] block [8] at (0))
    semantics [parallel, arbitrary] {
  %h0 = grid.program_id 0
  %k0 = grid.program_id 1
  %c0 = arith.constant 0 : i32
  %h_first = arith.cmpi eq, %h0, %c0 : i32
  %k_first = arith.cmpi eq, %k0, %c0 : i32
  %first = arith.andi %h_first, %k_first : i1
  scf.if %first {
    %zero = arith.constant dense<0.0> : !row
    grid.store %zero, %sum : !row, !in
  }
  %v = grid.load %x : !in -> !row
  grid.accumulate %v, %sum : !row, !in
}

// -----

!in = memref<8xf32, #grid.space<default>>
!half = memref<4xf32, #grid.space<default>>

// Half of the window is initialized again; the other half may be a result of another program.
// CHECK-LABEL: grid.kernel @half_begun
// CHECK-NOT: scratch
// SEMANTICS-LABEL: grid.kernel @half_begun
// SEMANTICS: semantics [arbitrary, arbitrary]
grid.kernel @half_begun grid(%h = 2, %k = 8)
    inputs(%x: f32 [2, 64] block [squeezed, 8] at (%h, %k))
    outputs(%sum: f32 [8] block [8] at (0))
    semantics [parallel, arbitrary] {
  %low = grid.slice_ref %sum[0] [4] [1] : !in -> !half
  %k0 = grid.program_id 1
  %c0 = arith.constant 0 : i32
  %first = arith.cmpi eq, %k0, %c0 : i32
  scf.if %first {
    %zero = arith.constant dense<0.0> : tensor<4xf32>
    grid.store %zero, %low : tensor<4xf32>, !half
  }
  %v = grid.load %x : !in -> tensor<8xf32>
  %part = tensor.extract_slice %v[0] [4] [1] : tensor<8xf32> to tensor<4xf32>
  grid.accumulate %part, %low : tensor<4xf32>, !half
}

// -----

!in = memref<8xf32, #grid.space<default>>
!row = tensor<8xf32>

// An overhanging window is copied in and out by every program.
// CHECK-LABEL: grid.kernel @overhanging
// CHECK-NOT: scratch
// SEMANTICS-LABEL: grid.kernel @overhanging
// SEMANTICS: semantics [arbitrary, arbitrary]
grid.kernel @overhanging grid(%h = 2, %k = 8)
    inputs(%x: f32 [2, 64] block [squeezed, 8] at (%h, %k))
    outputs(%sum: f32 [7] block [8] at (0))
    semantics [parallel, arbitrary] {
  %k0 = grid.program_id 1
  %c0 = arith.constant 0 : i32
  %first = arith.cmpi eq, %k0, %c0 : i32
  scf.if %first {
    %zero = arith.constant dense<0.0> : !row
    grid.store %zero, %sum : !row, !in
  }
  %v = grid.load %x : !in -> !row
  grid.accumulate %v, %sum : !row, !in
}

// -----

!in = memref<8xf32, #grid.space<default>>
!row = tensor<8xf32>

// Arrays that share memory, that no window shows, and windows that nothing reads stay.
// CHECK-LABEL: grid.kernel @aliased
// CHECK-NOT: scratch
grid.kernel @aliased grid(%h = 2, %k = 8)
    inputs(%x: f32 [8] block [8] at (0))
    outputs(%sum: f32 [8] block [8] at (0)) semantics [parallel, arbitrary] aliases [0 -> 0] {
  %zero = arith.constant dense<0.0> : !row
  grid.store %zero, %sum : !row, !in
  grid.accumulate %zero, %sum : !row, !in
}
// CHECK-LABEL: grid.kernel @in_hbm
// CHECK-NOT: scratch
grid.kernel @in_hbm grid(%h = 2, %k = 8)
    outputs(%sum: f32 [8] block [8] at (0) space any) semantics [parallel, arbitrary] {
  %zero = arith.constant dense<0.0> : !row
  grid.store %zero, %sum : !row, memref<8xf32, #grid.space<any>>
  grid.accumulate %zero, %sum : !row, memref<8xf32, #grid.space<any>>
}
// CHECK-LABEL: grid.kernel @written_only
// CHECK-NOT: scratch
grid.kernel @written_only grid(%h = 2, %k = 8)
    outputs(%sum: f32 [8] block [8] at (0)) semantics [parallel, arbitrary] {
  %zero = arith.constant dense<0.0> : !row
  grid.store %zero, %sum : !row, !in
}
