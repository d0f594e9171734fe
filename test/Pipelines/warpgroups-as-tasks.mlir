// RUN: gridir-opt %s --warpgroups-as-tasks --split-input-file --verify-diagnostics | FileCheck %s
// RUN: gridir-opt %s --warpgroups-as-tasks --dump-pass-pipeline --split-input-file --verify-diagnostics -o /dev/null 2>&1 | FileCheck %s --check-prefix=PASSES

// A program that no chip has the shared memory for is rejected; tasks have no offsets in it.
// PASSES: warpgroup-share-members
// PASSES: warpgroup-plan-memory{{.*}}verify-only=true
// PASSES: convert-warpgroup-to-grid
// expected-error @below {{expected at most 232448 bytes of shared memory on sm_90, got 262144, most of them for a (262144)}}
grid.kernel @large grid() {
  grid.scoped (%a: memref<65536xf32, #warpgroup.space<smem>> origin "a") {
  }
}

// -----

// Products become loads and stores, in which planning finds the accesses.
// CHECK-LABEL: grid.kernel @product
// CHECK:         grid.load
// CHECK:         grid.dot
// CHECK-NEXT:    grid.store
// CHECK-NOT:     warpgroup.mma %
grid.kernel @product grid()
    scratch(%acc: memref<64x64xf32, #warpgroup.space<regs>>, %b: memref<16x64xf16, #warpgroup.space<smem>>) semantics [] {
  %a = arith.constant dense<1.0> : tensor<64x16xf16>
  warpgroup.mma %acc, %a, %b
      : memref<64x64xf32, #warpgroup.space<regs>>, tensor<64x16xf16>, memref<16x64xf16, #warpgroup.space<smem>>
  warpgroup.mma_wait 0
}
