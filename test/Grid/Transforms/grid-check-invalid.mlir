// Refuted checks as errors, at the location that they are about.
//
// RUN: gridir-opt %s --grid-check='fail-on-refuted=true' --split-input-file --verify-diagnostics

grid.kernel @nothing grid(%i = 4)
    // expected-error @below {{expected written of o_ref to hold, but no program writes it}}
    outputs(%o: f32 [32] block [8] at (%i) origin "o_ref") {
}

// -----

grid.kernel @half grid(%i = 2)
    outputs(%o: f32 [32] block [8] at (%i) origin "o_ref") {
  %v = arith.constant dense<1.0> : tensor<8xf32>
  // expected-error @below {{expected written of o_ref to hold, but no program writes element (16)}}
  grid.store %v, %o : tensor<8xf32>, memref<8xf32, #grid.space<default>>
}

// -----

grid.kernel @block_before grid(%i = 3)
    inputs(%x: f32 [32] block [8] at (%i) origin "x_ref")
    outputs(%o: f32 [32] block [8] at (%i + 1) origin "o_ref") aliases [0 -> 0] {
  // expected-error @below {{expected aliases of x_ref to hold, but program (1) reads through x_ref elements that program (0) has written to o_ref}}
  %v = grid.load %x : memref<8xf32, #grid.space<default>> -> tensor<8xf32>
  // expected-note @below {{it is written here}}
  grid.store %v, %o : tensor<8xf32>, memref<8xf32, #grid.space<default>>
}
