// RUN: gridir-opt %s --tpu-expand-math --verify-diagnostics

// expected-error @below {{expected a type of at most 1099511627776 elements, got 'vector<1000000000000000000x128xf32>'}}
func.func @uncountable(%x: vector<1000000000000000000x128xf32>) -> vector<1000000000000000000x128xf32> {
  %0 = math.atan %x : vector<1000000000000000000x128xf32>
  return %0 : vector<1000000000000000000x128xf32>
}
