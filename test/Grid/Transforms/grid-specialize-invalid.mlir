// RUN: gridir-opt %s --grid-specialize='grid=8' --split-input-file --verify-diagnostics
// RUN: not gridir-opt %s --grid-specialize='grid=-2' 2>&1 | FileCheck %s

// CHECK: error: expected a non-negative size of dimension 0, got -2

// expected-note @below {{the size is set here}}
grid.kernel @another_size grid(%i = ?) {
}
func.func @call() {
  %c4 = arith.constant 4 : i32
  // expected-error @below {{expected 8 programs along dimension 0, got 4}}
  grid.call @another_size dynamic(%c4 : i32)
  return
}

// -----

// expected-error @below {{expected a size for each of 2 dynamic grid dimensions, got 1}}
grid.kernel @too_few_sizes grid(%i = ?, %j = ?) {
}
