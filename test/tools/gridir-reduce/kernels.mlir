// The reducer keeps what a test finds interesting, here a print, and drops what it can of the rest.
//
// RUN: gridir-reduce %s --reduction-tree='traversal-mode=0 test=%S/Inputs/has-print.sh' | FileCheck %s

// CHECK-NOT: @first
// CHECK: grid.kernel @second
// CHECK: grid.print "here"
// CHECK-NOT: @third

grid.kernel @first grid(%i = 4)
    inputs(%x: f32 [32] block [8] at (%i))
    outputs(%o: f32 [32] block [8] at (%i)) {
  %v = grid.load %x : memref<8xf32, #grid.space<default>> -> tensor<8xf32>
  grid.store %v, %o : tensor<8xf32>, memref<8xf32, #grid.space<default>>
}

grid.kernel @second grid(%i = 4)
    inputs(%x: f32 [32] block [8] at (%i))
    outputs(%o: f32 [32] block [8] at (%i)) {
  %v = grid.load %x : memref<8xf32, #grid.space<default>> -> tensor<8xf32>
  grid.print "here"
  grid.store %v, %o : tensor<8xf32>, memref<8xf32, #grid.space<default>>
}

func.func @third() {
  return
}
