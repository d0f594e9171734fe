// RUN: gridir-opt %s --split-input-file --cpu-lower-vectors --verify-diagnostics

// The mask would be compared with a constant of its size.
func.func @mask(%n: index) -> vector<4294967296xi1> {
  // expected-error @below {{expected a vector of at most 16384 elements, got 'vector<4294967296xi1>'}}
  %0 = vector.create_mask %n : vector<4294967296xi1>
  return %0 : vector<4294967296xi1>
}

// -----

// The strides of the array would be asked for.
func.func @load(%x: memref<4x4611686018427387904xf32>, %i: index, %pad: f32) -> vector<4xf32> {
  // expected-error @above {{expected a type of at most 1099511627776 elements, got 'memref<4x4611686018427387904xf32>'}}
  %0 = vector.transfer_read %x[%i, %i], %pad {in_bounds = [true]} : memref<4x4611686018427387904xf32>, vector<4xf32>
  return %0 : vector<4xf32>
}
