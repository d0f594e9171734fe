// RUN: gridir-opt %s --split-input-file --verify-diagnostics --convert-warpgroup-to-nvvm

// Where Refs are in shared memory is not this pass' business.
// expected-error @below {{expected the bytes of shared memory in warpgroup.shared_bytes; run warpgroup-plan-memory first}}
grid.kernel @kernel grid() {
}

// -----

grid.kernel @scope grid() attributes {warpgroup.shared_bytes = 0 : i64} {
  // expected-error @below {{expected the offsets of Refs in warpgroup.offsets; run warpgroup-plan-memory first}}
  grid.scoped (%a: memref<64xf32, #grid.space<gpu.smem>>) {
  }
}

// -----

// Nor a module without a kernel.
func.func private @nothing()

// -----

grid.kernel @layout grid() attributes {warpgroup.shared_bytes = 0 : i64} {
  // expected-error @below {{expected an array with a layout, got 'tensor<64xf32>'; run warpgroup-infer-layouts first}}
  %v = arith.constant dense<0.0> : tensor<64xf32>
}
