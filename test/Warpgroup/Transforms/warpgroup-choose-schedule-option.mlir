// RUN: gridir-opt %s --pass-pipeline='builtin.module(grid.kernel(warpgroup-choose-schedule{mapped=true}))' \
// RUN:   --remarks-filter=warpgroup-choose-schedule --remark-format=emitRemark 2>&1 | FileCheck %s
// RUN: gridir-opt %s --pass-pipeline='builtin.module(grid.kernel(warpgroup-choose-schedule{schedule={#warpgroup.schedule<cta = [64], warpgroup = [64]>}}))' \
// RUN:   | FileCheck %s --check-prefix=SCHEDULE
// RUN: gridir-opt %s --pass-pipeline='builtin.module(grid-to-gpu{start-after=grid-planned stop-after=program schedule={#warpgroup.schedule<cta = [64], warpgroup = [64]>}})' \
// RUN:   | FileCheck %s --check-prefix=PIPELINE
// RUN: not gridir-opt %s --pass-pipeline='builtin.module(grid.kernel(warpgroup-choose-schedule{schedule=12}))' 2>&1 | FileCheck %s --check-prefix=OTHER
// RUN: not gridir-opt %s --pass-pipeline='builtin.module(grid.kernel(warpgroup-choose-schedule{mapped=true schedule={#warpgroup.schedule<cta = [64], warpgroup = [64]>}}))' 2>&1 \
// RUN:   | FileCheck %s --check-prefix=BOTH

// The option is the schedule of kernels of blocks.
// SCHEDULE: grid.kernel @blocks
// SCHEDULE: warpgroup.schedule = #warpgroup.schedule<cta = [64], warpgroup = [64]>
// SCHEDULE: grid.kernel @program
// SCHEDULE-NOT: warpgroup.schedule
// PIPELINE: grid.kernel @blocks grid(%i = 4, %{{.+}} = 2)
// PIPELINE: grid.slice_ref {{.*}} -> memref<64xf32, #warpgroup.space<gmem>>
// OTHER: expected the text of a #warpgroup.schedule, got 12
// BOTH: expected a schedule or the option 'mapped', got both

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
grid.kernel @program grid() outputs(%o: f32 [128] space #warpgroup.space<gmem>) {
}
