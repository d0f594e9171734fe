// RUN: gridir-opt %s --split-input-file --pass-pipeline='builtin.module(grid.kernel(warpgroup-assign-tensor-memory{chip=sm_100a}))' | FileCheck %s
// RUN: gridir-opt %s --split-input-file --pass-pipeline='builtin.module(grid.kernel(warpgroup-assign-tensor-memory{chip=sm_90a}))' | FileCheck %s --check-prefix=SM90
// RUN: gridir-opt %s --split-input-file --pass-pipeline='builtin.module(grid.kernel(warpgroup-assign-tensor-memory{chip=sm_100a}))' -o /dev/null 2>&1 \
// RUN:   --remarks-filter=warpgroup-assign-tensor-memory --remark-format=emitRemark | FileCheck %s --check-prefix=REMARK
// RUN: gridir-opt %s --split-input-file --pass-pipeline='builtin.module(grid.kernel(warpgroup-assign-tensor-memory{chip=sm_100a}))' -o /dev/null 2>&1 \
// RUN:   --mlir-pass-statistics --mlir-pass-statistics-display=list | FileCheck %s --check-prefix=STATISTICS

// Other chips have no tensor memory.
// SM90-NOT: warpgroup.space<tmem>

// The author's scratch, to which the body adds.
// STATISTICS: 1 num-accumulators
// CHECK-LABEL: grid.kernel @scratch
// CHECK: scratch(%[[ACC:.+]]: memref<128x64xf32, #warpgroup.space<tmem>>)
// CHECK: grid.load %[[ACC]]
// CHECK: grid.store %{{.+}}, %[[ACC]]
grid.kernel @scratch grid(%i = 4, %k = 4)
    inputs(%x: bf16 [512, 256] block [128, 64] at (%i, %k), %y: bf16 [256, 64] block [64, 64] at (%k, 0))
    outputs(%o: f32 [512, 64] block [128, 64] at (%i, 0))
    scratch(%acc: memref<128x64xf32, #grid.space<default>>)
    semantics [parallel, arbitrary] attributes {
      warpgroup.schedule = #warpgroup.schedule<cta = [128, 64], warpgroup = [128, 64], shared = [0, 1]>} {
  %a = grid.load %x : memref<128x64xbf16, #grid.space<default>> -> tensor<128x64xbf16>
  %b = grid.load %y : memref<64x64xbf16, #grid.space<default>> -> tensor<64x64xbf16>
  %c = grid.load %acc : memref<128x64xf32, #grid.space<default>> -> tensor<128x64xf32>
  %d = grid.dot %a, %b acc %c contract [1] x [0]
      : tensor<128x64xbf16>, tensor<64x64xbf16>, tensor<128x64xf32> -> tensor<128x64xf32>
  grid.store %d, %acc : tensor<128x64xf32>, memref<128x64xf32, #grid.space<default>>
}

// -----

// A sum with another value: the accumulator has that value first.
// CHECK-LABEL: grid.kernel @added
// CHECK: scratch(%[[ACC:.+]]: memref<64x128xf32, #warpgroup.space<tmem>> origin "accumulator")
// CHECK: %[[BIAS:.+]] = grid.load %{{.+}} : memref<64x128xf32, #grid.space<default>>
// CHECK: grid.store %[[BIAS]], %[[ACC]]
// CHECK: %[[OLD:.+]] = grid.load %[[ACC]]
// CHECK: %[[DOT:.+]] = grid.dot
// CHECK: %[[SUM:.+]] = arith.addf %[[DOT]], %[[OLD]]
// CHECK: grid.store %[[SUM]], %[[ACC]]
// CHECK: %[[ALL:.+]] = grid.load %[[ACC]]
// CHECK: grid.store %[[ALL]], %{{.+}} : tensor<64x128xf32>, memref<64x128xf32, #grid.space<default>>
grid.kernel @added grid(%i = 4)
    inputs(%x: bf16 [256, 64] block [64, 64] at (%i, 0), %y: bf16 [64, 128], %z: f32 [256, 128] block [64, 128] at (%i, 0))
    outputs(%o: f32 [256, 128] block [64, 128] at (%i, 0))
    semantics [parallel] attributes {
      warpgroup.schedule = #warpgroup.schedule<cta = [64, 128], warpgroup = [64, 128], shared = [0, 1]>} {
  %a = grid.load %x : memref<64x64xbf16, #grid.space<default>> -> tensor<64x64xbf16>
  %b = grid.load %y : memref<64x128xbf16, #grid.space<default>> -> tensor<64x128xbf16>
  %bias = grid.load %z : memref<64x128xf32, #grid.space<default>> -> tensor<64x128xf32>
  %d = grid.dot %a, %b contract [1] x [0]
      : tensor<64x64xbf16>, tensor<64x128xbf16> -> tensor<64x128xf32>
  %s = arith.addf %d, %bias : tensor<64x128xf32>
  grid.store %s, %o : tensor<64x128xf32>, memref<64x128xf32, #grid.space<default>>
}

// -----

// A sum that a loop carries is in the accumulator throughout the loop.
// CHECK-LABEL: grid.kernel @loop
// CHECK: %[[ZERO:.+]] = arith.constant dense<0.000000e+00>
// CHECK: grid.store %[[ZERO]], %[[ACC:[a-z0-9_]+]] : tensor<128x64xf32>, memref<128x64xf32, #warpgroup.space<tmem>>
// CHECK: scf.for {{.*}} iter_args(%[[CARRIED:.+]] = %[[ZERO]])
// CHECK: %[[OLD:.+]] = grid.load %[[ACC]]
// CHECK: %[[SUM:.+]] = grid.dot {{.*}} acc %[[OLD]]
// CHECK: grid.store %[[SUM]], %[[ACC]]
// CHECK: scf.yield %[[CARRIED]]
// CHECK: %[[ALL:.+]] = grid.load %[[ACC]]
// CHECK: grid.store %[[ALL]]
grid.kernel @loop grid(%i = 4)
    inputs(%x: bf16 [512, 256] block [128, 256] at (%i, 0), %y: bf16 [256, 64])
    outputs(%o: f32 [512, 64] block [128, 64] at (%i, 0))
    semantics [parallel] attributes {
      warpgroup.schedule = #warpgroup.schedule<cta = [128, 64], warpgroup = [128, 64], shared = [0, 1], stages = 2>} {
  %c0 = arith.constant 0 : index
  %c64 = arith.constant 64 : index
  %c256 = arith.constant 256 : index
  %zero = arith.constant dense<0.0> : tensor<128x64xf32>
  %all = scf.for %k = %c0 to %c256 step %c64 iter_args(%acc = %zero) -> tensor<128x64xf32> {
    %k32 = arith.index_cast %k : index to i32
    %xs = grid.slice_ref %x[0, %k32] [128, 64] [1, 1]
        : memref<128x256xbf16, #grid.space<default>>, i32 -> memref<128x64xbf16, #grid.space<default>>
    %ys = grid.slice_ref %y[%k32, 0] [64, 64] [1, 1]
        : memref<256x64xbf16, #grid.space<default>>, i32 -> memref<64x64xbf16, #grid.space<default>>
    %a = grid.load %xs : memref<128x64xbf16, #grid.space<default>> -> tensor<128x64xbf16>
    %b = grid.load %ys : memref<64x64xbf16, #grid.space<default>> -> tensor<64x64xbf16>
    %d = grid.dot %a, %b acc %acc contract [1] x [0]
        : tensor<128x64xbf16>, tensor<64x64xbf16>, tensor<128x64xf32> -> tensor<128x64xf32>
    scf.yield %d : tensor<128x64xf32>
  }
  grid.store %all, %o : tensor<128x64xf32>, memref<128x64xf32, #grid.space<default>>
}

// -----

// A left operand that the body computes is in registers.
// CHECK-LABEL: grid.kernel @computed
// CHECK-NOT: warpgroup.space<tmem>
// REMARK: [Missed] accumulators {{.*}}accumulators are in registers, since {{.*}}a matrix unit reads an operand of a contraction in registers, or has other sizes
grid.kernel @computed grid(%i = 4)
    inputs(%x: bf16 [256, 64] block [64, 64] at (%i, 0), %y: bf16 [64, 64])
    outputs(%o: f32 [256, 64] block [64, 64] at (%i, 0))
    semantics [parallel] attributes {
      warpgroup.schedule = #warpgroup.schedule<cta = [64, 64], warpgroup = [64, 64], shared = [1]>} {
  %v = grid.load %x : memref<64x64xbf16, #grid.space<default>> -> tensor<64x64xbf16>
  %a = arith.negf %v : tensor<64x64xbf16>
  %b = grid.load %y : memref<64x64xbf16, #grid.space<default>> -> tensor<64x64xbf16>
  %d = grid.dot %a, %b contract [1] x [0]
      : tensor<64x64xbf16>, tensor<64x64xbf16> -> tensor<64x64xf32>
  grid.store %d, %o : tensor<64x64xf32>, memref<64x64xf32, #grid.space<default>>
}

// -----

// CHECK-LABEL: grid.kernel @many
// CHECK-NOT: warpgroup.space<tmem>
// REMARK: since {{.*}}tensor memory has 512 columns, and the accumulators and left operands 768
grid.kernel @many grid(%i = 4)
    inputs(%x: bf16 [512, 64] block [128, 64] at (%i, 0), %y: bf16 [64, 384])
    outputs(%o: f32 [512, 384] block [128, 384] at (%i, 0), %p: f32 [512, 384] block [128, 384] at (%i, 0))
    semantics [parallel] attributes {
      warpgroup.schedule = #warpgroup.schedule<cta = [128, 384], warpgroup = [128, 384], shared = [0, 1]>} {
  %a = grid.load %x : memref<128x64xbf16, #grid.space<default>> -> tensor<128x64xbf16>
  %b = grid.load %y : memref<64x384xbf16, #grid.space<default>> -> tensor<64x384xbf16>
  %d = grid.dot %a, %b contract [1] x [0]
      : tensor<128x64xbf16>, tensor<64x384xbf16> -> tensor<128x384xf32>
  grid.store %d, %o : tensor<128x384xf32>, memref<128x384xf32, #grid.space<default>>
  %e = grid.dot %a, %b contract [1] x [0]
      : tensor<128x64xbf16>, tensor<64x384xbf16> -> tensor<128x384xf32>
  grid.store %e, %p : tensor<128x384xf32>, memref<128x384xf32, #grid.space<default>>
}

// -----

// An output that holds the sum is written in the last step.
// CHECK-LABEL: grid.kernel @output
// CHECK: outputs(%[[OUT:.+]]: f32
// CHECK: scratch(%[[ACC:.+]]: memref<128x64xf32, #warpgroup.space<tmem>> origin "accumulator")
// CHECK: grid.dot
// CHECK: grid.store %{{.+}}, %[[ACC]]
// CHECK: %[[STEP:.+]] = grid.program_id 1
// CHECK: %[[LAST:.+]] = arith.cmpi eq, %[[STEP]], %c3_i32
// CHECK: scf.if %[[LAST]] {
// CHECK: %[[SUM:.+]] = grid.load %[[ACC]]
// CHECK: grid.store %[[SUM]], %[[OUT]]
grid.kernel @output grid(%i = 4, %k = 4)
    inputs(%x: bf16 [512, 256] block [128, 64] at (%i, %k), %y: bf16 [256, 64] block [64, 64] at (%k, 0))
    outputs(%o: f32 [512, 64] block [128, 64] at (%i, 0))
    semantics [parallel, arbitrary] attributes {
      warpgroup.schedule = #warpgroup.schedule<cta = [128, 64], warpgroup = [128, 64], shared = [0, 1]>} {
  %a = grid.load %x : memref<128x64xbf16, #grid.space<default>> -> tensor<128x64xbf16>
  %b = grid.load %y : memref<64x64xbf16, #grid.space<default>> -> tensor<64x64xbf16>
  %c = grid.load %o : memref<128x64xf32, #grid.space<default>> -> tensor<128x64xf32>
  %d = grid.dot %a, %b contract [1] x [0]
      : tensor<128x64xbf16>, tensor<64x64xbf16> -> tensor<128x64xf32>
  %s = arith.addf %c, %d : tensor<128x64xf32>
  grid.store %s, %o : tensor<128x64xf32>, memref<128x64xf32, #grid.space<default>>
}

// -----

// A sum that is stored and used loads the accumulator for the other uses.
// CHECK-LABEL: grid.kernel @used
// CHECK: scratch(%[[ACC:.+]]: memref<64x128xf32, #warpgroup.space<tmem>>)
// CHECK: %[[SUM:.+]] = arith.addf
// CHECK: grid.store %[[SUM]], %[[ACC]]
// CHECK: %[[ALL:.+]] = grid.load %[[ACC]]
// CHECK: grid.store %[[ALL]], %{{.+}} : tensor<64x128xf32>, memref<64x128xf32, #grid.space<default>>
grid.kernel @used grid(%k = 4)
    inputs(%x: bf16 [64, 256] block [64, 64] at (0, %k), %y: bf16 [256, 128] block [64, 128] at (%k, 0))
    outputs(%o: f32 [256, 128] block [64, 128] at (%k, 0))
    scratch(%acc: memref<64x128xf32, #grid.space<default>>)
    semantics [arbitrary] attributes {
      warpgroup.schedule = #warpgroup.schedule<cta = [64, 128], warpgroup = [64, 128], shared = [0, 1]>} {
  %a = grid.load %x : memref<64x64xbf16, #grid.space<default>> -> tensor<64x64xbf16>
  %b = grid.load %y : memref<64x128xbf16, #grid.space<default>> -> tensor<64x128xbf16>
  %c = grid.load %acc : memref<64x128xf32, #grid.space<default>> -> tensor<64x128xf32>
  %d = grid.dot %a, %b contract [1] x [0]
      : tensor<64x64xbf16>, tensor<64x128xbf16> -> tensor<64x128xf32>
  %s = arith.addf %c, %d : tensor<64x128xf32>
  grid.store %s, %acc : tensor<64x128xf32>, memref<64x128xf32, #grid.space<default>>
  grid.store %s, %o : tensor<64x128xf32>, memref<64x128xf32, #grid.space<default>>
}

// -----

// Half of 64 columns is no panel of an operand that is contiguous along them.
// CHECK-LABEL: grid.kernel @halves
// CHECK-NOT: warpgroup.space<tmem>
grid.kernel @halves grid(%i = 4)
    inputs(%x: bf16 [256, 64] block [64, 64] at (%i, 0), %y: bf16 [64, 64])
    outputs(%o: f32 [256, 64] block [64, 64] at (%i, 0))
    semantics [parallel] attributes {
      warpgroup.schedule = #warpgroup.schedule<cta = [64, 64], warpgroup = [64, 64], shared = [0, 1]>} {
  %a = grid.load %x : memref<64x64xbf16, #grid.space<default>> -> tensor<64x64xbf16>
  %b = grid.load %y : memref<64x64xbf16, #grid.space<default>> -> tensor<64x64xbf16>
  %d = grid.dot %a, %b contract [1] x [0]
      : tensor<64x64xbf16>, tensor<64x64xbf16> -> tensor<64x64xf32>
  grid.store %d, %o : tensor<64x64xf32>, memref<64x64xf32, #grid.space<default>>
}

// -----

// Attention: a value that the body computes is stored where MMAs read it, and the sum that a loop rescales and carries
// is in its accumulator throughout the loop. It is rescaled last before the MMA, when the first result is stored.
// CHECK-LABEL: grid.kernel @attention
// CHECK: scratch(%[[S:.+]]: memref<128x64xf32, #warpgroup.space<tmem>> origin "accumulator", %[[P:.+]]: memref<128x64xbf16, #warpgroup.space<tmem>> origin "operand", %[[O:.+]]: memref<128x64xf32, #warpgroup.space<tmem>> origin "accumulator")
// CHECK: grid.store %[[ZERO:.+]], %[[O]]
// CHECK: scf.for {{.*}} iter_args(%[[CARRIED:.+]] = %[[ZERO]])
// CHECK: %[[DOT:.+]] = grid.dot
// CHECK: grid.store %[[DOT]], %[[S]]
// CHECK: %[[SCORES:.+]] = grid.load %[[S]]
// CHECK: %[[EXP:.+]] = math.exp %[[SCORES]]
// CHECK: %[[VALUE:.+]] = arith.truncf %[[EXP]]
// CHECK: grid.store %[[VALUE]], %[[P]]
// CHECK: %[[LEFT:.+]] = grid.load %[[P]]
// CHECK: %[[OLD:.+]] = grid.load %[[O]]
// CHECK: %[[SHRUNK:.+]] = arith.mulf %[[OLD]]
// CHECK: grid.store %[[SHRUNK]], %[[O]]
// CHECK: %[[ADDEND:.+]] = grid.load %[[O]]
// CHECK: %[[MORE:.+]] = grid.dot %[[LEFT]]
// CHECK: %[[SUM:.+]] = arith.addf %[[ADDEND]], %[[MORE]]
// CHECK: grid.store %[[SUM]], %[[O]]
// CHECK: scf.yield %[[CARRIED]]
// CHECK: %[[ALL:.+]] = grid.load %[[O]]
// CHECK: grid.store %[[ALL]]
// REMARK: [Passed] accumulators {{.*}}accumulators and left operands in registers are in 160 columns of tensor memory
grid.kernel @attention grid(%i = 4)
    inputs(%x: bf16 [512, 64] block [128, 64] at (%i, 0), %y: bf16 [256, 64], %z: bf16 [256, 64])
    outputs(%o: f32 [512, 64] block [128, 64] at (%i, 0))
    semantics [parallel] attributes {
      warpgroup.schedule = #warpgroup.schedule<cta = [128, 64], warpgroup = [128, 64], shared = [0, 1, 2], stages = 2>} {
  %c0 = arith.constant 0 : index
  %c64 = arith.constant 64 : index
  %c256 = arith.constant 256 : index
  %zero = arith.constant dense<0.0> : tensor<128x64xf32>
  %half = arith.constant dense<0.5> : tensor<128x64xf32>
  %a = grid.load %x : memref<128x64xbf16, #grid.space<default>> -> tensor<128x64xbf16>
  %all = scf.for %k = %c0 to %c256 step %c64 iter_args(%acc = %zero) -> tensor<128x64xf32> {
    %k32 = arith.index_cast %k : index to i32
    %ys = grid.slice_ref %y[%k32, 0] [64, 64] [1, 1]
        : memref<256x64xbf16, #grid.space<default>>, i32 -> memref<64x64xbf16, #grid.space<default>>
    %zs = grid.slice_ref %z[%k32, 0] [64, 64] [1, 1]
        : memref<256x64xbf16, #grid.space<default>>, i32 -> memref<64x64xbf16, #grid.space<default>>
    %b = grid.load %ys : memref<64x64xbf16, #grid.space<default>> -> tensor<64x64xbf16>
    %s = grid.dot %a, %b contract [1] x [1] : tensor<128x64xbf16>, tensor<64x64xbf16> -> tensor<128x64xf32>
    %shrunk = arith.mulf %acc, %half : tensor<128x64xf32>
    %e = math.exp %s : tensor<128x64xf32>
    %p = arith.truncf %e : tensor<128x64xf32> to tensor<128x64xbf16>
    %c = grid.load %zs : memref<64x64xbf16, #grid.space<default>> -> tensor<64x64xbf16>
    %d = grid.dot %p, %c contract [1] x [0] : tensor<128x64xbf16>, tensor<64x64xbf16> -> tensor<128x64xf32>
    %sum = arith.addf %shrunk, %d : tensor<128x64xf32>
    scf.yield %sum : tensor<128x64xf32>
  }
  grid.store %all, %o : tensor<128x64xf32>, memref<128x64xf32, #grid.space<default>>
}

// -----

// The same in scratch of the author, with one operand of two contractions.
// CHECK-LABEL: grid.kernel @updated
// CHECK: scratch(%[[ACC:.+]]: memref<128x64xf32, #warpgroup.space<tmem>>, %[[P:.+]]: memref<128x64xbf16, #warpgroup.space<tmem>> origin "operand", %[[OTHER:.+]]: memref<128x64xf32, #warpgroup.space<tmem>> origin "accumulator")
// CHECK: %[[A:.+]] = arith.negf
// CHECK: grid.store %[[A]], %[[P]]
// CHECK: %[[LEFT:.+]] = grid.load %[[P]]
// CHECK: %[[OLD:.+]] = grid.load %[[ACC]]
// CHECK: %[[TWICE:.+]] = arith.addf %[[OLD]], %[[OLD]]
// CHECK: grid.store %[[TWICE]], %[[ACC]]
// CHECK: %[[ADDEND:.+]] = grid.load %[[ACC]]
// CHECK: %[[D:.+]] = grid.dot %[[LEFT]]
// CHECK: %[[SUM:.+]] = arith.addf %[[D]], %[[ADDEND]]
// CHECK: grid.store %[[SUM]], %[[ACC]]
// CHECK: grid.dot %[[LEFT]]
grid.kernel @updated grid(%i = 4, %k = 4)
    inputs(%x: bf16 [512, 256] block [128, 64] at (%i, %k), %y: bf16 [256, 64] block [64, 64] at (%k, 0))
    outputs(%o: f32 [512, 64] block [128, 64] at (%i, 0))
    scratch(%acc: memref<128x64xf32, #grid.space<default>>)
    semantics [parallel, arbitrary] attributes {
      warpgroup.schedule = #warpgroup.schedule<cta = [128, 64], warpgroup = [128, 64], shared = [1]>} {
  %v = grid.load %x : memref<128x64xbf16, #grid.space<default>> -> tensor<128x64xbf16>
  %a = arith.negf %v : tensor<128x64xbf16>
  %b = grid.load %y : memref<64x64xbf16, #grid.space<default>> -> tensor<64x64xbf16>
  %c = grid.load %acc : memref<128x64xf32, #grid.space<default>> -> tensor<128x64xf32>
  %twice = arith.addf %c, %c : tensor<128x64xf32>
  %d = grid.dot %a, %b contract [1] x [0]
      : tensor<128x64xbf16>, tensor<64x64xbf16> -> tensor<128x64xf32>
  %s = arith.addf %d, %twice : tensor<128x64xf32>
  grid.store %s, %acc : tensor<128x64xf32>, memref<128x64xf32, #grid.space<default>>
  %e = grid.dot %a, %b contract [1] x [0]
      : tensor<128x64xbf16>, tensor<64x64xbf16> -> tensor<128x64xf32>
  grid.store %e, %o : tensor<128x64xf32>, memref<128x64xf32, #grid.space<default>>
}

// -----

// The carried value has another use, so registers have it, and the accumulator the rescaled value in each iteration.
// CHECK-LABEL: grid.kernel @observed
// CHECK: scf.for {{.*}} iter_args(%[[CARRIED:[a-z0-9_]+]] =
// CHECK: %[[SHRUNK:.+]] = arith.mulf %[[CARRIED]]
// CHECK: grid.store %[[SHRUNK]], %[[ACC:.+]] :
// CHECK: grid.dot
// CHECK: grid.store %{{.+}}, %[[ACC]]
// CHECK: %[[SUM:.+]] = grid.load %[[ACC]]
// CHECK: scf.yield %[[SUM]]
grid.kernel @observed grid(%i = 4)
    inputs(%x: bf16 [512, 256] block [128, 256] at (%i, 0), %y: bf16 [256, 64])
    outputs(%o: f32 [512, 64] block [128, 64] at (%i, 0))
    semantics [parallel] attributes {
      warpgroup.schedule = #warpgroup.schedule<cta = [128, 64], warpgroup = [128, 64], shared = [0, 1], stages = 2>} {
  %c0 = arith.constant 0 : index
  %c64 = arith.constant 64 : index
  %c256 = arith.constant 256 : index
  %zero = arith.constant dense<0.0> : tensor<128x64xf32>
  %half = arith.constant dense<0.5> : tensor<128x64xf32>
  %all = scf.for %k = %c0 to %c256 step %c64 iter_args(%acc = %zero) -> tensor<128x64xf32> {
    %k32 = arith.index_cast %k : index to i32
    %xs = grid.slice_ref %x[0, %k32] [128, 64] [1, 1]
        : memref<128x256xbf16, #grid.space<default>>, i32 -> memref<128x64xbf16, #grid.space<default>>
    %ys = grid.slice_ref %y[%k32, 0] [64, 64] [1, 1]
        : memref<256x64xbf16, #grid.space<default>>, i32 -> memref<64x64xbf16, #grid.space<default>>
    %a = grid.load %xs : memref<128x64xbf16, #grid.space<default>> -> tensor<128x64xbf16>
    %b = grid.load %ys : memref<64x64xbf16, #grid.space<default>> -> tensor<64x64xbf16>
    grid.store %acc, %o : tensor<128x64xf32>, memref<128x64xf32, #grid.space<default>>
    %shrunk = arith.mulf %acc, %half : tensor<128x64xf32>
    %d = grid.dot %a, %b contract [1] x [0] : tensor<128x64xbf16>, tensor<64x64xbf16> -> tensor<128x64xf32>
    %sum = arith.addf %shrunk, %d : tensor<128x64xf32>
    scf.yield %sum : tensor<128x64xf32>
  }
  grid.store %all, %o : tensor<128x64xf32>, memref<128x64xf32, #grid.space<default>>
}

// -----

// A loop adds the result of a contraction before it.
// CHECK-LABEL: grid.kernel @invariant
// CHECK: grid.dot
// CHECK: grid.store %{{.+}}, %[[ACC:.+]] :
// CHECK: scf.for
// CHECK: %[[OLD:.+]] = grid.load %[[ACC]]
// CHECK: %[[SUM:.+]] = arith.addf %[[OLD]]
// CHECK: grid.store %[[SUM]], %[[ACC]]
// CHECK: }
// CHECK: grid.load %[[ACC]]
grid.kernel @invariant grid(%i = 4)
    inputs(%x: bf16 [512, 64] block [128, 64] at (%i, 0), %y: bf16 [64, 64])
    outputs(%o: f32 [512, 64] block [128, 64] at (%i, 0))
    semantics [parallel] attributes {
      warpgroup.schedule = #warpgroup.schedule<cta = [128, 64], warpgroup = [128, 64], shared = [0, 1]>} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %zero = arith.constant dense<0.0> : tensor<128x64xf32>
  %a = grid.load %x : memref<128x64xbf16, #grid.space<default>> -> tensor<128x64xbf16>
  %b = grid.load %y : memref<64x64xbf16, #grid.space<default>> -> tensor<64x64xbf16>
  %d = grid.dot %a, %b contract [1] x [0] : tensor<128x64xbf16>, tensor<64x64xbf16> -> tensor<128x64xf32>
  %all = scf.for %k = %c0 to %c4 step %c1 iter_args(%acc = %zero) -> tensor<128x64xf32> {
    %sum = arith.addf %acc, %d : tensor<128x64xf32>
    scf.yield %sum : tensor<128x64xf32>
  }
  grid.store %all, %o : tensor<128x64xf32>, memref<128x64xf32, #grid.space<default>>
}
