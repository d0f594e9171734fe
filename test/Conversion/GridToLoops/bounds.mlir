// RUN: gridir-opt %s --split-input-file --convert-grid-to-loops | FileCheck %s

// Which places are known to lie inside, at the boundary and one beyond it; what is not known is checked at run time.

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
