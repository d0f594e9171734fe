// RUN: gridir-opt %s --loops-widen-storage --verify-diagnostics

// A region that yields a buffer is no view of it: expected an op without regions, or one of scf's.
func.func @scope(%m: memref<4xi1>, %i: index) -> i1 {
  // expected-error @below {{failed to legalize operation 'memref.alloca_scope' that was explicitly marked illegal}}
  %r = memref.alloca_scope -> (memref<4xi1>) {
    memref.alloca_scope.return %m : memref<4xi1>
  }
  %0 = memref.load %r[%i] : memref<4xi1>
  return %0 : i1
}
