// RUN: gridir-opt %s --split-input-file --convert-grid-to-loops | FileCheck %s

// Which indices are known to be in bounds, at the boundary and one beyond it; what is not known is checked at run time.

// The last program reads elements 3 to 7 of 8: nothing is to be checked at run time.
// CHECK-LABEL: func.func @last_window(
// CHECK-NOT:     arith.cmpi
// CHECK:         return
grid.kernel @last_window grid(%i = 4)
    inputs(%x: f32 [8]) outputs(%o: f32 [20] block [5] at (%i)) {
  %p = grid.program_id 0
  %w = grid.slice_ref %x[%p] [5] [1] : memref<8xf32, #grid.space<default>>, i32 -> memref<5xf32, #grid.space<default>>
  %v = grid.load %w : memref<5xf32, #grid.space<default>> -> tensor<5xf32>
  grid.store %v, %o : tensor<5xf32>, memref<5xf32, #grid.space<default>>
}

// -----

// Of 7, it would read one beyond.
// CHECK-LABEL: func.func @one_beyond(
// CHECK:         arith.cmpi
// CHECK:         memref.store %{{.*}}, %{{.*}} : memref<4xi64>
grid.kernel @one_beyond grid(%i = 4)
    inputs(%x: f32 [7]) outputs(%o: f32 [20] block [5] at (%i)) {
  %p = grid.program_id 0
  %w = grid.slice_ref %x[%p] [5] [1] : memref<7xf32, #grid.space<default>>, i32 -> memref<5xf32, #grid.space<default>>
  %v = grid.load %w : memref<5xf32, #grid.space<default>> -> tensor<5xf32>
  grid.store %v, %o : tensor<5xf32>, memref<5xf32, #grid.space<default>>
}

// -----

// With a stride of 2, three elements from 3 on end at 7.
// CHECK-LABEL: func.func @last_stride(
// CHECK-NOT:     arith.cmpi
// CHECK:         return
grid.kernel @last_stride grid(%i = 4)
    inputs(%x: f32 [8]) outputs(%o: f32 [12] block [3] at (%i)) {
  %p = grid.program_id 0
  %w = grid.slice_ref %x[%p] [3] [2] : memref<8xf32, #grid.space<default>>, i32 -> memref<3xf32, #grid.space<default>>
  %v = grid.load %w : memref<3xf32, #grid.space<default>> -> tensor<3xf32>
  grid.store %v, %o : tensor<3xf32>, memref<3xf32, #grid.space<default>>
}

// -----

// And beyond an array of 7.
// CHECK-LABEL: func.func @stride_beyond(
// CHECK:         arith.cmpi
// CHECK:         memref.store %{{.*}}, %{{.*}} : memref<4xi64>
grid.kernel @stride_beyond grid(%i = 4)
    inputs(%x: f32 [7]) outputs(%o: f32 [12] block [3] at (%i)) {
  %p = grid.program_id 0
  %w = grid.slice_ref %x[%p] [3] [2] : memref<7xf32, #grid.space<default>>, i32 -> memref<3xf32, #grid.space<default>>
  %v = grid.load %w : memref<3xf32, #grid.space<default>> -> tensor<3xf32>
  grid.store %v, %o : tensor<3xf32>, memref<3xf32, #grid.space<default>>
}

// -----

// From 3 - p on, the last program begins at 0.
// CHECK-LABEL: func.func @backwards(
// CHECK-NOT:     arith.cmpi
// CHECK:         return
grid.kernel @backwards grid(%i = 4)
    inputs(%x: f32 [8]) outputs(%o: f32 [20] block [5] at (%i)) {
  %p = grid.program_id 0
  %c3 = arith.constant 3 : i32
  %q = arith.subi %c3, %p : i32
  %w = grid.slice_ref %x[%q] [5] [1] : memref<8xf32, #grid.space<default>>, i32 -> memref<5xf32, #grid.space<default>>
  %v = grid.load %w : memref<5xf32, #grid.space<default>> -> tensor<5xf32>
  grid.store %v, %o : tensor<5xf32>, memref<5xf32, #grid.space<default>>
}

// -----

// From 2 - p on, at -1.
// CHECK-LABEL: func.func @before(
// CHECK:         arith.cmpi
// CHECK:         memref.store %{{.*}}, %{{.*}} : memref<4xi64>
grid.kernel @before grid(%i = 4)
    inputs(%x: f32 [8]) outputs(%o: f32 [20] block [5] at (%i)) {
  %p = grid.program_id 0
  %c2 = arith.constant 2 : i32
  %q = arith.subi %c2, %p : i32
  %w = grid.slice_ref %x[%q] [5] [1] : memref<8xf32, #grid.space<default>>, i32 -> memref<5xf32, #grid.space<default>>
  %v = grid.load %w : memref<5xf32, #grid.space<default>> -> tensor<5xf32>
  grid.store %v, %o : tensor<5xf32>, memref<5xf32, #grid.space<default>>
}

// -----

// The remainder of a division by 4 is at most 3, and at least 0.
// CHECK-LABEL: func.func @remainder(
// CHECK-NOT:     memref.store %{{.*}} : memref<4xi64>
// CHECK:         return
grid.kernel @remainder grid(%i = 9)
    inputs(%x: f32 [8]) outputs(%o: f32 [45] block [5] at (%i)) {
  %p = grid.program_id 0
  %c4 = arith.constant 4 : i32
  %q = arith.remsi %p, %c4 : i32
  %w = grid.slice_ref %x[%q] [5] [1] : memref<8xf32, #grid.space<default>>, i32 -> memref<5xf32, #grid.space<default>>
  %v = grid.load %w : memref<5xf32, #grid.space<default>> -> tensor<5xf32>
  grid.store %v, %o : tensor<5xf32>, memref<5xf32, #grid.space<default>>
}

// -----

// One less may be -1.
// CHECK-LABEL: func.func @before_remainder(
// CHECK:         memref.store %{{.*}}, %{{.*}} : memref<4xi64>
grid.kernel @before_remainder grid(%i = 9)
    inputs(%x: f32 [8]) outputs(%o: f32 [45] block [5] at (%i)) {
  %p = grid.program_id 0
  %c1 = arith.constant 1 : i32
  %c4 = arith.constant 4 : i32
  %r = arith.remsi %p, %c4 : i32
  %q = arith.subi %r, %c1 : i32
  %w = grid.slice_ref %x[%q] [5] [1] : memref<8xf32, #grid.space<default>>, i32 -> memref<5xf32, #grid.space<default>>
  %v = grid.load %w : memref<5xf32, #grid.space<default>> -> tensor<5xf32>
  grid.store %v, %o : tensor<5xf32>, memref<5xf32, #grid.space<default>>
}

// -----

// An index from the end is never chosen, since no program has a negative number.
// CHECK-LABEL: func.func @never_negative(
// CHECK-NOT:     memref.store %{{.*}} : memref<4xi64>
// CHECK:         return
grid.kernel @never_negative grid(%i = 4)
    inputs(%x: f32 [8]) outputs(%o: f32 [20] block [5] at (%i)) {
  %p = grid.program_id 0
  %c0 = arith.constant 0 : i32
  %c8 = arith.constant 8 : i32
  %from_end = arith.addi %p, %c8 : i32
  %negative = arith.cmpi slt, %p, %c0 : i32
  %q = arith.select %negative, %from_end, %p : i32
  %w = grid.slice_ref %x[%q] [5] [1] : memref<8xf32, #grid.space<default>>, i32 -> memref<5xf32, #grid.space<default>>
  %v = grid.load %w : memref<5xf32, #grid.space<default>> -> tensor<5xf32>
  grid.store %v, %o : tensor<5xf32>, memref<5xf32, #grid.space<default>>
}

// -----

// All programs have a number less than 4: the other index is never chosen.
// CHECK-LABEL: func.func @always_less(
// CHECK-NOT:     memref.store %{{.*}} : memref<4xi64>
// CHECK:         return
grid.kernel @always_less grid(%i = 4)
    inputs(%x: f32 [8]) outputs(%o: f32 [20] block [5] at (%i)) {
  %p = grid.program_id 0
  %c4 = arith.constant 4 : i32
  %c8 = arith.constant 8 : i32
  %far = arith.addi %p, %c8 : i32
  %less = arith.cmpi slt, %p, %c4 : i32
  %q = arith.select %less, %p, %far : i32
  %w = grid.slice_ref %x[%q] [5] [1] : memref<8xf32, #grid.space<default>>, i32 -> memref<5xf32, #grid.space<default>>
  %v = grid.load %w : memref<5xf32, #grid.space<default>> -> tensor<5xf32>
  grid.store %v, %o : tensor<5xf32>, memref<5xf32, #grid.space<default>>
}

// -----

// Not all of them are less than 3.
// CHECK-LABEL: func.func @sometimes_less(
// CHECK:         memref.store %{{.*}}, %{{.*}} : memref<4xi64>
grid.kernel @sometimes_less grid(%i = 4)
    inputs(%x: f32 [8]) outputs(%o: f32 [20] block [5] at (%i)) {
  %p = grid.program_id 0
  %c3 = arith.constant 3 : i32
  %c8 = arith.constant 8 : i32
  %far = arith.addi %p, %c8 : i32
  %less = arith.cmpi slt, %p, %c3 : i32
  %q = arith.select %less, %p, %far : i32
  %w = grid.slice_ref %x[%q] [5] [1] : memref<8xf32, #grid.space<default>>, i32 -> memref<5xf32, #grid.space<default>>
  %v = grid.load %w : memref<5xf32, #grid.space<default>> -> tensor<5xf32>
  grid.store %v, %o : tensor<5xf32>, memref<5xf32, #grid.space<default>>
}

// -----

// An unknown 64-bit number has a known range after clamping.
// CHECK-LABEL: func.func @clamped(
// CHECK-NOT:     memref.store %{{.*}} : memref<4xi64>
// CHECK:         return
grid.kernel @clamped grid(%i = 4)
    inputs(%x: f32 [8], %s: i64 []) outputs(%o: f32 [20] block [5] at (%i)) {
  %n = grid.load %s : memref<i64, #grid.space<default>> -> i64
  %c0 = arith.constant 0 : i64
  %c3 = arith.constant 3 : i64
  %low = arith.maxsi %n, %c0 : i64
  %q = arith.minsi %low, %c3 : i64
  %w = grid.slice_ref %x[%q] [5] [1] : memref<8xf32, #grid.space<default>>, i64 -> memref<5xf32, #grid.space<default>>
  %v = grid.load %w : memref<5xf32, #grid.space<default>> -> tensor<5xf32>
  grid.store %v, %o : tensor<5xf32>, memref<5xf32, #grid.space<default>>
}

// -----

// And may begin one too far.
// CHECK-LABEL: func.func @clamped_beyond(
// CHECK:         memref.store %{{.*}}, %{{.*}} : memref<4xi64>
grid.kernel @clamped_beyond grid(%i = 4)
    inputs(%x: f32 [8], %s: i64 []) outputs(%o: f32 [20] block [5] at (%i)) {
  %n = grid.load %s : memref<i64, #grid.space<default>> -> i64
  %c0 = arith.constant 0 : i64
  %c4 = arith.constant 4 : i64
  %low = arith.maxsi %n, %c0 : i64
  %q = arith.minsi %low, %c4 : i64
  %w = grid.slice_ref %x[%q] [5] [1] : memref<8xf32, #grid.space<default>>, i64 -> memref<5xf32, #grid.space<default>>
  %v = grid.load %w : memref<5xf32, #grid.space<default>> -> tensor<5xf32>
  grid.store %v, %o : tensor<5xf32>, memref<5xf32, #grid.space<default>>
}
