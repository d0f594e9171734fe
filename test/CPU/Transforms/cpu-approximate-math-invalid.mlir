// RUN: gridir-opt %s --cpu-approximate-math --split-input-file --verify-diagnostics

// A function of the library is called for each number of a vector.
func.func @long(%x: vector<2147483647xf32>) -> vector<2147483647xf32> {
  // expected-error @below {{expected a vector of at most 16384 elements for one call per element, got 'vector<2147483647xf32>'}}
  %0 = math.tan %x : vector<2147483647xf32>
  return %0 : vector<2147483647xf32>
}
