// RUN: gridir-opt %s --cpu-lower-vectors --verify-diagnostics

// The mask would be compared with a constant of its size.
func.func @mask(%n: index) -> vector<4294967296xi1> {
  // expected-error @below {{expected a vector of at most 16384 elements, got 'vector<4294967296xi1>'}}
  %0 = vector.create_mask %n : vector<4294967296xi1>
  return %0 : vector<4294967296xi1>
}
