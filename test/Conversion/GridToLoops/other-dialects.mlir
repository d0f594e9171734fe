// An op without a conversion has no meaning in a loop: neither one of another dialect that takes a Ref, nor an
// unregistered one. test/OutOfTree has a dialect whose ops are converted.
//
// RUN: gridir-opt %s --allow-unregistered-dialect --split-input-file --verify-diagnostics --convert-grid-to-loops

grid.kernel @takes_ref grid(%i = 4) outputs(%o: f32 [512] block [128] at (%i) origin "o_ref") {
  %c0 = arith.constant 0 : index
  // expected-error @below {{expected an op that can run in a loop over the grid, got 'memref.prefetch'}}
  memref.prefetch %o[%c0], read, locality<3>, data : memref<128xf32, #grid.space<default>>
}

// -----

grid.kernel @unknown grid(%i = 4) outputs(%o: f32 [512] block [128] at (%i) origin "o_ref") {
  // expected-error @below {{expected an op that can run in a loop over the grid, got 'other.tick'}}
  "other.tick"() : () -> ()
}
