// RUN: gridir-opt %s --split-input-file --verify-diagnostics --convert-warpgroup-to-nvvm

// Where Refs are in shared memory is not this pass' business.
// expected-error @below {{expected the bytes of shared memory in warpgroup.shared_bytes; run warpgroup-plan-memory first}}
grid.kernel @kernel grid() {
}

// -----

grid.kernel @scope grid() attributes {warpgroup.shared_bytes = 0 : i64} {
  // expected-error @below {{expected the offsets of Refs in warpgroup.offsets; run warpgroup-plan-memory first}}
  grid.scoped (%a: memref<64xf32, #warpgroup.space<smem>>) {
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

// -----

// expected-error @below {{expected at most 232448 bytes of shared memory on sm_90a, got 300000; run warpgroup-plan-memory for this chip}}
grid.kernel @chip grid() attributes {warpgroup.shared_bytes = 300000 : i64} {
}

// -----

#vector = #warpgroup.layout<strided(1)>
grid.kernel @bytes grid() inputs(%x: f32 [128] space #warpgroup.space<gmem>)
    attributes {warpgroup.scratch_bytes = 128 : i64, warpgroup.shared_bytes = 0 : i64} {
  %i = arith.constant 3 : index
  %v = grid.load %x : memref<128xf32, #warpgroup.space<gmem>> -> tensor<128xf32, #vector>
  // expected-error @below {{expected 512 bytes for exchanges between threads in warpgroup.scratch_bytes, got 128; run warpgroup-plan-memory first}}
  %e = tensor.extract %v[%i] : tensor<128xf32, #vector>
}

// -----

#vector = #warpgroup.layout<strided(1)>
grid.kernel @barrier grid() inputs(%x: f32 [128] space #warpgroup.space<gmem>)
    attributes {warpgroup.scratch_bytes = 512 : i64, warpgroup.shared_bytes = 0 : i64} {
  %i = arith.constant 3 : index
  %v = grid.load %x : memref<128xf32, #warpgroup.space<gmem>> -> tensor<128xf32, #vector>
  %e = tensor.extract %v[%i] : tensor<128xf32, #vector>
  // expected-error @below {{expected a warpgroup.sync between this exchange of threads and the one before; run warpgroup-insert-barriers first}}
  %f = tensor.extract %v[%i] : tensor<128xf32, #vector>
}

// -----

#vector = #warpgroup.layout<strided(1)>
grid.kernel @loop grid() inputs(%x: f32 [128] space #warpgroup.space<gmem>)
    attributes {warpgroup.scratch_bytes = 512 : i64, warpgroup.shared_bytes = 0 : i64} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %v = grid.load %x : memref<128xf32, #warpgroup.space<gmem>> -> tensor<128xf32, #vector>
  // expected-error @below {{expected a warpgroup.sync after the last exchange of threads in a loop; run warpgroup-insert-barriers first}}
  scf.for %i = %c0 to %c1 step %c1 {
    %e = tensor.extract %v[%i] : tensor<128xf32, #vector>
  }
}

// -----

grid.kernel @registers grid() attributes {warpgroup.shared_bytes = 0 : i64} {
  // expected-error @below {{expected arrays with layouts in scoped[0]; run warpgroup-infer-layouts first}}
  grid.scoped (%a: memref<64xf32, #warpgroup.space<regs>>) attributes {warpgroup.offsets = array<i64: -1>} {
    %v = grid.load %a : memref<64xf32, #warpgroup.space<regs>> -> tensor<64xf32>
  }
}
