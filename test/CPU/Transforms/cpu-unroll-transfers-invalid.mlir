// RUN: gridir-opt %s --cpu-unroll-transfers --verify-diagnostics

// Each element would be read by an op of its own.
func.func @apart(%x: memref<16xf32, strided<[5]>>, %i: index, %pad: f32) -> vector<1000000000000xf32> {
  // expected-error @below {{expected a vector of at most 16384 elements, got 'vector<1000000000000xf32>'}}
  %0 = vector.transfer_read %x[%i], %pad {in_bounds = [true]} : memref<16xf32, strided<[5]>>, vector<1000000000000xf32>
  return %0 : vector<1000000000000xf32>
}
