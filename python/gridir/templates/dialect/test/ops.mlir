// The ops take part in the analyses of a kernel, and are arithmetic and stores in a loop over its grid.
//
// RUN: my-opt %s --grid-infer-dimension-semantics --grid-check | FileCheck %s
// RUN: my-opt %s --grid-to-cpu=stop-after=loops | FileCheck %s --check-prefix=LOOPS

// CHECK: semantics [parallel]
// CHECK-SAME: {check = "written", subject = "o_ref", verdict = "proved"}
// CHECK: my.square
// CHECK: my.clear
// LOOPS-NOT: my.
// LOOPS: arith.mulf
grid.kernel @square grid(%i = 4)
    inputs(%x: f32 [32] block [8] at (%i) origin "x_ref")
    outputs(%o: f32 [32] block [8] at (%i) origin "o_ref",
            %z: f32 [32] block [8] at (%i) origin "z_ref") {
  %v = grid.load %x : memref<8xf32, #grid.space<default>> -> tensor<8xf32>
  %w = my.square %v : tensor<8xf32>
  grid.store %w, %o : tensor<8xf32>, memref<8xf32, #grid.space<default>>
  my.clear %z : memref<8xf32, #grid.space<default>>
}
