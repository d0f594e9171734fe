// RUN: gridir-opt %s --pass-pipeline='builtin.module(grid.kernel(warpgroup-choose-schedule{mapped=true}))' \
// RUN:   --remarks-filter=warpgroup-choose-schedule --remark-format=emitRemark 2>&1 | FileCheck %s

// With `mapped`, every kernel of blocks is mapped to threads. A warpgroup program stays one.
// CHECK: the kernel is mapped to threads, since {{.*}}the option 'mapped' is set
// CHECK: grid.kernel @blocks
// CHECK: warpgroup.mapped
grid.kernel @blocks grid(%i = 4)
    inputs(%x: f32 [512] block [128] at (%i))
    outputs(%o: f32 [512] block [128] at (%i)) semantics [parallel] {
  %v = grid.load %x : memref<128xf32, #grid.space<default>> -> tensor<128xf32>
  grid.store %v, %o : tensor<128xf32>, memref<128xf32, #grid.space<default>>
}

// CHECK: grid.kernel @program
// CHECK-NOT: warpgroup.mapped
grid.kernel @program grid() outputs(%o: f32 [128] space gpu.gmem) {
}
