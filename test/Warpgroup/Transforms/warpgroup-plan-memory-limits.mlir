// RUN: gridir-opt %s --split-input-file --verify-diagnostics --warpgroup-plan-memory=chip=sm_90a | FileCheck %s
// RUN: gridir-opt %s --split-input-file --verify-diagnostics --warpgroup-plan-memory=chip=sm_90a --mlir-pass-statistics --mlir-pass-statistics-display=list -o /dev/null 2>&1 | FileCheck %s --check-prefix=STATS

// All of the shared memory that there is, to the last byte; a barrier begins at a multiple of 8.
// STATS: (S) 232448 shared-bytes
// CHECK: grid.kernel @all
// CHECK-SAME: warpgroup.shared_bytes = 232448
// CHECK: grid.scoped {{.*}} attributes {warpgroup.offsets = array<i64: 0, 232440>}
grid.kernel @all grid() {
  grid.scoped (%a: memref<232435xi8, #warpgroup.space<smem>> origin "a",
               %b: memref<!warpgroup.barrier<1>, #warpgroup.space<smem>> origin "b") {
  }
}

// -----

// One byte more, with what is left of the last 8. Arrays of one size are named in their order.
// expected-error @+1 {{expected at most 232448 bytes of shared memory on sm_90a, got 232456, most of them for a (229376), b (1024), c (1024)}}
grid.kernel @more grid() {
  grid.scoped (%a: memref<229376xi8, #warpgroup.space<smem>> origin "a",
               %b: memref<1024xi8, #warpgroup.space<smem>> origin "b",
               %c: memref<1024xi8, #warpgroup.space<smem>> origin "c",
               %d: memref<1024xi8, #warpgroup.space<smem>> origin "d",
               %e: memref<1xi8, #warpgroup.space<smem>> origin "e") {
  }
}

// -----

// Nothing to allocate.
// CHECK-LABEL: func.func private @no_kernel
func.func private @no_kernel()

// -----

// expected-note @+1 {{the first kernel}}
grid.kernel @first grid() {
}
// expected-error @+1 {{expected one kernel in a module, got another before: @first}}
grid.kernel @second grid() {
}

// -----

grid.kernel @semaphores grid() {
  // expected-error @below {{expected numbers in shared memory, at most 2^31 - 1 of them, got b of 'memref<2x!grid.semaphore<dma>, #warpgroup.space<smem>>'}}
  grid.scoped (%a: memref<2xf32, #warpgroup.space<smem>> origin "a",
               %b: memref<2x!grid.semaphore<dma>, #warpgroup.space<smem>> origin "b") {
  }
}

// -----

grid.kernel @uncounted grid() {
  // expected-error @below {{expected numbers in shared memory, at most 2^31 - 1 of them, got a of 'memref<2147483648xi8, #warpgroup.space<smem>>'}}
  grid.scoped (%a: memref<2147483648xi8, #warpgroup.space<smem>> origin "a") {
  }
}
