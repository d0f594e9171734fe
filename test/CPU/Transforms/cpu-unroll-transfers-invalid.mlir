// RUN: gridir-opt %s --split-input-file --cpu-unroll-transfers --verify-diagnostics

// Numbers of elements that 64 bits do not hold cannot be asked for.
func.func @huge(%x: memref<9223372036854775807x128xf32>, %i: index, %pad: f32) -> vector<4xf32> {
  // expected-error @above {{expected a type of at most 1099511627776 elements, got 'memref<9223372036854775807x128xf32>'}}
  %0 = vector.transfer_read %x[%i, %i], %pad {in_bounds = [true]} : memref<9223372036854775807x128xf32>, vector<4xf32>
  return %0 : vector<4xf32>
}

// -----

// Each element would be read by an op of its own.
func.func @apart(%x: memref<16xf32, strided<[5]>>, %i: index, %pad: f32) -> vector<1000000000000xf32> {
  // expected-error @below {{expected a vector of at most 16384 elements, got 'vector<1000000000000xf32>'}}
  %0 = vector.transfer_read %x[%i], %pad {in_bounds = [true]} : memref<16xf32, strided<[5]>>, vector<1000000000000xf32>
  return %0 : vector<1000000000000xf32>
}
