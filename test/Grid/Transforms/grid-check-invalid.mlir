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
