// RUN: gridir-opt %s --convert-grid-to-loops | FileCheck %s
// RUN: gridir-opt %s --convert-grid-to-loops=check-discarded | FileCheck %s --check-prefix=CHECKED

// The slot may lie outside, since a choice stands before the use of what is loaded: nothing is reported, and the window
// is a private buffer there.
// CHECK-LABEL: kernel.abi @slots
// CHECK-NOT: out of bounds
// CHECK: memref.alloca
// CHECK: scf.if
// CHECK: memref.subview %{{.*}} : memref<30xf32> to memref<8xf32
// CHECKED-LABEL: kernel.abi @slots diagnostics = ["a slice of 8 elements from index {0} is out of bounds [0, {1}) in dimension 0 of x_ref
grid.kernel @slots grid(%i = 4)
    inputs(%s: i32 [1] origin "s_ref", %x: f32 [30] origin "x_ref", %m: i1 [8] origin "m_ref")
    outputs(%o: f32 [8] origin "o_ref") {
  %zero = arith.constant dense<0.0> : tensor<8xf32>
  %first = grid.slice_ref %s[0] [1] [1] drop [0] : memref<1xi32, #grid.space<default>> -> memref<i32, #grid.space<default>>
  %slot = grid.load %first : memref<i32, #grid.space<default>> -> i32
  %window = grid.slice_ref %x[%slot] [8] [1] : memref<30xf32, #grid.space<default>>, i32 -> memref<8xf32, #grid.space<default>>
  %v = grid.load %window : memref<8xf32, #grid.space<default>> -> tensor<8xf32>
  %mask = grid.load %m : memref<8xi1, #grid.space<default>> -> tensor<8xi1>
  %w = arith.select %mask, %v, %zero : tensor<8xi1>, tensor<8xf32>
  grid.store %w, %o : tensor<8xf32>, memref<8xf32, #grid.space<default>>
}
