// RUN: gridir-opt %s --split-input-file --pass-pipeline='builtin.module(grid.kernel(warpgroup-choose-schedule))' | FileCheck %s
// RUN: gridir-opt %s --split-input-file --pass-pipeline='builtin.module(grid.kernel(warpgroup-choose-schedule))' -o /dev/null 2>&1 \
// RUN:   --remarks-filter=warpgroup-choose-schedule --remark-format=emitRemark | FileCheck %s --check-prefix=REMARK
// RUN: gridir-opt %s --split-input-file --pass-pipeline='builtin.module(grid.kernel(warpgroup-choose-schedule{num-warps=8}))' | FileCheck %s --check-prefix=EIGHT
// RUN: gridir-opt %s --split-input-file --pass-pipeline='builtin.module(grid.kernel(warpgroup-choose-schedule{num-warps=2}))' | FileCheck %s --check-prefix=TWO
// RUN: gridir-opt %s --split-input-file --pass-pipeline='builtin.module(grid.kernel(warpgroup-choose-schedule{chip=sm_80}))' -o /dev/null 2>&1 \
// RUN:   --remarks-filter=warpgroup-choose-schedule --remark-format=emitRemark | FileCheck %s --check-prefix=SM80
// RUN: gridir-opt %s --split-input-file --pass-pipeline='builtin.module(grid.kernel(warpgroup-choose-schedule))' \
// RUN:   --mlir-pass-statistics --mlir-pass-statistics-display=list -o /dev/null 2>&1 | FileCheck %s --check-prefix=STATS

// STATS: 0 num-left
// STATS: 1 num-scheduled

// Rows of 1024 elements, one for each warpgroup, make enough CTAs.
// CHECK-LABEL: grid.kernel @rows
// CHECK: warpgroup.schedule = #warpgroup.schedule<cta = [1, 1024], warpgroup = [1, 1024]>
// REMARK: [Passed] schedule {{.*}}the kernel becomes a warpgroup program by {{.*}}cta = [1, 1024], warpgroup = [1, 1024]
// EIGHT: #warpgroup.schedule<cta = [2, 1024], warpgroup = [1, 1024]>
// TWO: #warpgroup.schedule<cta = [1, 1024], warpgroup = [1, 1024]>
// SM80: [Passed] schedule
grid.kernel @rows grid(%i = 64)
    inputs(%x: f32 [512, 1024] block [8, 1024] at (%i, 0))
    outputs(%o: f32 [512, 1024] block [8, 1024] at (%i, 0))
    semantics [parallel] {
  %v = grid.load %x : memref<8x1024xf32, #grid.space<default>> -> tensor<8x1024xf32>
  %zero = arith.constant dense<0.0> : tensor<8xf32>
  %sum = linalg.reduce ins(%v : tensor<8x1024xf32>) outs(%zero : tensor<8xf32>) dimensions = [1]
    (%in: f32, %acc: f32) {
      %a = arith.addf %in, %acc : f32
      linalg.yield %a : f32
    }
  %empty = tensor.empty() : tensor<8x1024xf32>
  %b = linalg.broadcast ins(%sum : tensor<8xf32>) outs(%empty : tensor<8x1024xf32>) dimensions = [1]
  %w = arith.divf %v, %b : tensor<8x1024xf32>
  grid.store %w, %o : tensor<8x1024xf32>, memref<8x1024xf32, #grid.space<default>>
}

// -----

// Two warpgroups share the right operand of a contraction. As many stages as shared memory holds. Without bulk copies
// and registers that a producer hands over, the warpgroups copy.
// CHECK-LABEL: grid.kernel @product
// CHECK: #warpgroup.schedule<cta = [128, 256], warpgroup = [64, 256], shared = [0, 1], stages = 4>
// SM80: [Passed] schedule {{.*}}shared = [0, 1], stages = 2, producers = 0>
grid.kernel @product grid(%i = 4, %j = 4, %k = 4)
    inputs(%x: bf16 [512, 256] block [128, 64] at (%i, %k), %y: bf16 [256, 1024] block [64, 256] at (%k, %j))
    outputs(%o: f32 [512, 1024] block [128, 256] at (%i, %j))
    scratch(%acc: memref<128x256xf32, #grid.space<default>>)
    semantics [parallel, parallel, arbitrary] {
  %a = grid.load %x : memref<128x64xbf16, #grid.space<default>> -> tensor<128x64xbf16>
  %b = grid.load %y : memref<64x256xbf16, #grid.space<default>> -> tensor<64x256xbf16>
  %c = grid.load %acc : memref<128x256xf32, #grid.space<default>> -> tensor<128x256xf32>
  %d = grid.dot %a, %b acc %c contract [1] x [0]
      : tensor<128x64xbf16>, tensor<64x256xbf16>, tensor<128x256xf32> -> tensor<128x256xf32>
  grid.store %d, %acc : tensor<128x256xf32>, memref<128x256xf32, #grid.space<default>>
  grid.store %d, %o : tensor<128x256xf32>, memref<128x256xf32, #grid.space<default>>
}

// -----

// A schedule that the kernel has is not changed.
// CHECK-LABEL: grid.kernel @by_hand
// CHECK: #warpgroup.schedule<cta = [4, 1024], warpgroup = [2, 1024]>
// REMARK-NOT: by_hand
grid.kernel @by_hand grid(%i = 64)
    outputs(%o: f32 [512, 1024] block [8, 1024] at (%i, 0))
    semantics [parallel]
    attributes {warpgroup.schedule = #warpgroup.schedule<cta = [4, 1024], warpgroup = [2, 1024]>} {
}

// -----

// A kernel that is a warpgroup program has neither a schedule nor a mapping.
// CHECK-LABEL: grid.kernel @program
// CHECK-NOT: warpgroup.schedule
// CHECK-NOT: warpgroup.mapped
grid.kernel @program grid(%i = 64) outputs(%o: f32 [512, 1024] space #warpgroup.space<gmem>) {
}

// -----

// Each part would print.
// CHECK-LABEL: grid.kernel @prints
// CHECK: warpgroup.schedule = #warpgroup.schedule<cta = [64, 128], warpgroup = [64, 128]>
// EIGHT: #warpgroup.schedule<cta = [64, 128], warpgroup = [64, 128]>
grid.kernel @prints grid(%i = 4)
    inputs(%x: f32 [256, 128] block [64, 128] at (%i, 0))
    outputs(%o: f32 [256, 128] block [64, 128] at (%i, 0)) {
  %v = grid.load %x : memref<64x128xf32, #grid.space<default>> -> tensor<64x128xf32>
  %n = grid.program_id 0
  grid.print "block {}" %n : i32
  grid.store %v, %o : tensor<64x128xf32>, memref<64x128xf32, #grid.space<default>>
}

// -----

// Threads load elements of less than a byte; bulk copies do not.
// CHECK-LABEL: grid.kernel @narrow
// CHECK: warpgroup.schedule = #warpgroup.schedule<cta = [64, 64], warpgroup = [64, 64], shared = [0]>
grid.kernel @narrow grid(%i = 4)
    inputs(%x: bf16 [256, 64] block [64, 64] at (%i, 0), %y: i4 [64, 64])
    outputs(%o: f32 [256, 64] block [64, 64] at (%i, 0))
    semantics [parallel] {
  %a = grid.load %x : memref<64x64xbf16, #grid.space<default>> -> tensor<64x64xbf16>
  %b = grid.load %y : memref<64x64xi4, #grid.space<default>> -> tensor<64x64xi4>
  %c = arith.sitofp %b : tensor<64x64xi4> to tensor<64x64xbf16>
  %d = grid.dot %a, %c contract [1] x [0] : tensor<64x64xbf16>, tensor<64x64xbf16> -> tensor<64x64xf32>
  grid.store %d, %o : tensor<64x64xf32>, memref<64x64xf32, #grid.space<default>>
}

// -----

// In two layers of f32 the parts in bf16 of a left operand have as many registers as two accumulators. Fewer columns of
// the second layer would repeat the first one, and have as many registers for it.
// CHECK-LABEL: grid.kernel @layers
// CHECK: warpgroup.schedule = #warpgroup.schedule<cta = [64, 64], warpgroup = [64, 64]>
grid.kernel @layers grid(%i = 4)
    inputs(%x: f32 [256, 64] block [64, 64] at (%i, 0), %w: f32 [64, 128], %v: f32 [128, 64])
    outputs(%o: f32 [256, 64] block [64, 64] at (%i, 0))
    semantics [parallel] {
  %a = grid.load %x : memref<64x64xf32, #grid.space<default>> -> tensor<64x64xf32>
  %b = grid.load %w : memref<64x128xf32, #grid.space<default>> -> tensor<64x128xf32>
  %c = grid.load %v : memref<128x64xf32, #grid.space<default>> -> tensor<128x64xf32>
  %h = grid.dot %a, %b contract [1] x [0] : tensor<64x64xf32>, tensor<64x128xf32> -> tensor<64x128xf32>
  %g = math.tanh %h : tensor<64x128xf32>
  %init = math.absf %a : tensor<64x64xf32>
  %d = grid.dot %g, %c contract [1] x [0] : tensor<64x128xf32>, tensor<128x64xf32> -> tensor<64x64xf32>
  %s = arith.addf %d, %init : tensor<64x64xf32>
  grid.store %s, %o : tensor<64x64xf32>, memref<64x64xf32, #grid.space<default>>
}
