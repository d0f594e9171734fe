// RUN: gridir-opt %s --split-input-file --pass-pipeline='builtin.module(grid.kernel(warpgroup-prepare-contractions))' | FileCheck %s
// RUN: gridir-opt %s --split-input-file --pass-pipeline='builtin.module(grid.kernel(warpgroup-prepare-contractions{chip=sm_80}))' \
// RUN:   | FileCheck %s --check-prefix=SM80
// RUN: gridir-opt %s --split-input-file --pass-pipeline='builtin.module(grid.kernel(warpgroup-prepare-contractions))' \
// RUN:   --mlir-pass-statistics --mlir-pass-statistics-display=list -o /dev/null 2>&1 | FileCheck %s --check-prefix=STATS
// RUN: not gridir-opt %s --split-input-file --pass-pipeline='builtin.module(grid.kernel(warpgroup-prepare-contractions{chip=none}))' 2>&1 \
// RUN:   | FileCheck %s --check-prefix=NONE

// NONE: error: {{.*}}none

// STATS: 1 num-split
// STATS: 1 num-transposes

// A product of a transposed matrix, in parts of rows of 128 bytes.
// CHECK-LABEL: grid.kernel @deep
// CHECK: %[[ZERO:.*]] = arith.constant dense<0.000000e+00> : tensor<64x64xf32>
// CHECK: %[[D:.*]] = scf.for %[[K:.*]] = %c0 to %c1024 step %c64 iter_args(%[[ACC:.*]] = %[[ZERO]])
// CHECK: %[[U:.*]] = grid.slice_ref %[[X:.*]][0, %[[K]]] [64, 64] [1, 1]
// CHECK: %[[A:.*]] = grid.load %[[U]]
// CHECK: %[[V:.*]] = grid.slice_ref %[[Y:.*]][0, %[[K]]] [64, 64] [1, 1]
// CHECK: %[[B:.*]] = grid.load %[[V]]
// CHECK: %[[SUM:.*]] = grid.dot %[[A]], %[[B]] acc %[[ACC]] contract [1] x [1]
// CHECK: scf.yield %[[SUM]]
// CHECK: grid.store %[[D]]
// SM80-LABEL: grid.kernel @deep
// SM80: scf.for %{{.*}} = %c0 to %c1024 step %c64
// SM80: grid.dot %{{.*}}, %{{.*}} acc %{{.*}} contract [1] x [1]
grid.kernel @deep grid(%i = 4)
    inputs(%x: bf16 [256, 1024] block [64, 1024] at (%i, 0), %y: bf16 [64, 1024])
    outputs(%o: f32 [256, 64] block [64, 64] at (%i, 0))
    semantics [parallel] {
  %a = grid.load %x : memref<64x1024xbf16, #grid.space<default>> -> tensor<64x1024xbf16>
  %b = grid.load %y : memref<64x1024xbf16, #grid.space<default>> -> tensor<64x1024xbf16>
  %empty = tensor.empty() : tensor<1024x64xbf16>
  %t = linalg.transpose ins(%b : tensor<64x1024xbf16>) outs(%empty : tensor<1024x64xbf16>) permutation = [1, 0]
  %d = grid.dot %a, %t contract [1] x [0] : tensor<64x1024xbf16>, tensor<1024x64xbf16> -> tensor<64x64xf32>
  grid.store %d, %o : tensor<64x64xf32>, memref<64x64xf32, #grid.space<default>>
}

// -----

// Products with a common operand share a loop. What a product is added to is the initial value, unless it depends on
// another product.
// CHECK-LABEL: grid.kernel @gated
// CHECK: %[[Z:.*]] = grid.load
// CHECK: scf.for {{.*}} iter_args(%{{.*}} = %[[Z]], %{{.*}} = %cst) -> (tensor<64x64xf32>, tensor<64x64xf32>)
// CHECK-COUNT-3: grid.slice_ref
// CHECK-NOT: grid.slice_ref
// CHECK: arith.addf
grid.kernel @gated grid(%i = 4)
    inputs(%x: bf16 [256, 512] block [64, 512] at (%i, 0), %y: bf16 [512, 64], %w: bf16 [512, 64], %z: f32 [64, 64])
    outputs(%o: f32 [256, 64] block [64, 64] at (%i, 0))
    semantics [parallel] {
  %a = grid.load %x : memref<64x512xbf16, #grid.space<default>> -> tensor<64x512xbf16>
  %b = grid.load %y : memref<512x64xbf16, #grid.space<default>> -> tensor<512x64xbf16>
  %c = grid.load %w : memref<512x64xbf16, #grid.space<default>> -> tensor<512x64xbf16>
  %z0 = grid.load %z : memref<64x64xf32, #grid.space<default>> -> tensor<64x64xf32>
  %d = grid.dot %a, %b contract [1] x [0] : tensor<64x512xbf16>, tensor<512x64xbf16> -> tensor<64x64xf32>
  %e = grid.dot %a, %c contract [1] x [0] : tensor<64x512xbf16>, tensor<512x64xbf16> -> tensor<64x64xf32>
  %f = arith.addf %z0, %d : tensor<64x64xf32>
  %g = arith.addf %f, %e : tensor<64x64xf32>
  grid.store %g, %o : tensor<64x64xf32>, memref<64x64xf32, #grid.space<default>>
}

// -----

// A block that other ops read, and one of two rows of 128 bytes, stay whole.
// CHECK-LABEL: grid.kernel @whole
// CHECK-NOT: scf.for
grid.kernel @whole grid(%i = 4)
    inputs(%x: bf16 [256, 256] block [64, 256] at (%i, 0), %y: bf16 [256, 256], %z: bf16 [128, 256])
    outputs(%o: f32 [256, 256] block [64, 256] at (%i, 0), %p: f32 [256, 256] block [64, 256] at (%i, 0))
    semantics [parallel] {
  %a = grid.load %x : memref<64x256xbf16, #grid.space<default>> -> tensor<64x256xbf16>
  %b = grid.load %y : memref<256x256xbf16, #grid.space<default>> -> tensor<256x256xbf16>
  %d = grid.dot %a, %b contract [1] x [0] : tensor<64x256xbf16>, tensor<256x256xbf16> -> tensor<64x256xf32>
  %e = arith.extf %a : tensor<64x256xbf16> to tensor<64x256xf32>
  %f = arith.mulf %d, %e : tensor<64x256xf32>
  grid.store %f, %o : tensor<64x256xf32>, memref<64x256xf32, #grid.space<default>>
  grid.store %e, %p : tensor<64x256xf32>, memref<64x256xf32, #grid.space<default>>
}

// -----

// Registers do not hold values in the whole depth, which ops compute from parts of the blocks instead. Rows of 128 bytes
// are those of the operand, or of its parts in bf16.
// CHECK-LABEL: grid.kernel @values
// CHECK: scf.for %[[K:.*]] = %{{.*}} to %{{.*}} step %c64
// CHECK: %[[Y:.*]] = grid.slice_ref %{{.*}}[%[[K]], 0] [64, 64] [1, 1] : memref<128x64xi8
// CHECK: %[[B:.*]] = grid.load %[[Y]]
// CHECK: %[[W:.*]] = arith.sitofp %[[B]] : tensor<64x64xi8> to tensor<64x64xbf16>
// CHECK: %[[ROW:.*]] = linalg.broadcast ins(%{{.*}} : tensor<64xbf16>) outs(%{{.*}} : tensor<64x64xbf16>) dimensions = [0]
// CHECK: %[[SCALED:.*]] = arith.mulf %[[W]], %[[ROW]] : tensor<64x64xbf16>
// CHECK: grid.dot %{{.*}}, %[[SCALED]] acc %{{.*}} contract [1] x [0]
grid.kernel @values grid(%i = 4)
    inputs(%x: bf16 [256, 128] block [64, 128] at (%i, 0), %y: i8 [128, 64], %s: bf16 [64])
    outputs(%o: f32 [256, 64] block [64, 64] at (%i, 0)) semantics [parallel] {
  %a = grid.load %x : memref<64x128xbf16, #grid.space<default>> -> tensor<64x128xbf16>
  %b = grid.load %y : memref<128x64xi8, #grid.space<default>> -> tensor<128x64xi8>
  %c = grid.load %s : memref<64xbf16, #grid.space<default>> -> tensor<64xbf16>
  %w = arith.sitofp %b : tensor<128x64xi8> to tensor<128x64xbf16>
  %empty = tensor.empty() : tensor<128x64xbf16>
  %r = linalg.broadcast ins(%c : tensor<64xbf16>) outs(%empty : tensor<128x64xbf16>) dimensions = [0]
  %scaled = arith.mulf %w, %r : tensor<128x64xbf16>
  %d = grid.dot %a, %scaled contract [1] x [0] : tensor<64x128xbf16>, tensor<128x64xbf16> -> tensor<64x64xf32>
  grid.store %d, %o : tensor<64x64xf32>, memref<64x64xf32, #grid.space<default>>
}

// -----

// Windows of a block that overhangs its array get masks later.
// CHECK-LABEL: grid.kernel @overhang
// CHECK: scf.for
grid.kernel @overhang grid(%i = 4)
    inputs(%x: f32 [250, 256] block [64, 256] at (%i, 0), %y: f32 [256, 64])
    outputs(%o: f32 [250, 64] block [64, 64] at (%i, 0)) semantics [parallel] {
  %a = grid.load %x : memref<64x256xf32, #grid.space<default>> -> tensor<64x256xf32>
  %b = grid.load %y : memref<256x64xf32, #grid.space<default>> -> tensor<256x64xf32>
  %d = grid.dot %a, %b contract [1] x [0] : tensor<64x256xf32>, tensor<256x64xf32> -> tensor<64x64xf32>
  grid.store %d, %o : tensor<64x64xf32>, memref<64x64xf32, #grid.space<default>>
}

// -----

// Of 16 rows matrix units have none; the 128 columns are two times their rows.
// CHECK-LABEL: grid.kernel @few_rows
// CHECK: %[[A:.*]] = grid.load %{{.*}} : memref<16x64xbf16
// CHECK: %[[B:.*]] = grid.load %{{.*}} : memref<64x128xbf16
// CHECK: %[[C:.*]] = linalg.transpose ins(%{{.*}} : tensor<16x128xf32>) outs(%{{.*}} : tensor<128x16xf32>) permutation = [1, 0]
// CHECK: %[[D:.*]] = grid.dot %[[B]], %[[A]] acc %[[C]] contract [0] x [1] precision ["HIGHEST", "DEFAULT"]
// CHECK-SAME: -> tensor<128x16xf32>
// CHECK: %[[T:.*]] = linalg.transpose ins(%[[D]] : tensor<128x16xf32>) outs(%{{.*}} : tensor<16x128xf32>) permutation = [1, 0]
// CHECK: grid.store %[[T]]
grid.kernel @few_rows grid(%i = 4)
    inputs(%x: bf16 [64, 64] block [16, 64] at (%i, 0), %y: bf16 [64, 128], %z: f32 [16, 128])
    outputs(%o: f32 [64, 128] block [16, 128] at (%i, 0)) semantics [parallel] {
  %a = grid.load %x : memref<16x64xbf16, #grid.space<default>> -> tensor<16x64xbf16>
  %b = grid.load %y : memref<64x128xbf16, #grid.space<default>> -> tensor<64x128xbf16>
  %c = grid.load %z : memref<16x128xf32, #grid.space<default>> -> tensor<16x128xf32>
  %d = grid.dot %a, %b acc %c contract [1] x [0] precision ["DEFAULT", "HIGHEST"]
      : tensor<16x64xbf16>, tensor<64x128xbf16>, tensor<16x128xf32> -> tensor<16x128xf32>
  grid.store %d, %o : tensor<16x128xf32>, memref<16x128xf32, #grid.space<default>>
}

// -----

// The result of one contraction is contracted again: a loop computes parts of it, from parts of the columns of its right
// operand. The depth of the first contraction is divided in a loop inside of that one.
// CHECK-LABEL: grid.kernel @layers
// CHECK: scf.for %[[J:.*]] = %c0 to %c512 step %c64 iter_args(%[[ACC:.*]] = %
// CHECK: %[[H:.*]] = scf.for %[[K:.*]] = %c0{{.*}} to %c256 step %c64{{.*}} iter_args(%[[INNER:.*]] = %
// CHECK: %[[U:.*]] = grid.slice_ref %{{.*}}[0, %[[K]]] [64, 64] [1, 1] : memref<64x256xbf16
// CHECK: %[[X:.*]] = grid.load %[[U]]
// CHECK: %[[V:.*]] = grid.slice_ref %{{.*}}[%[[K]], %[[J]]] [64, 64] [1, 1] : memref<256x512xbf16
// CHECK: %[[Y:.*]] = grid.load %[[V]]
// CHECK: grid.dot %[[X]], %[[Y]] acc %[[INNER]] contract [1] x [0] : {{.*}} -> tensor<64x64xf32>
// CHECK: scf.yield
// CHECK: %[[R:.*]] = arith.maximumf %[[H]], %{{.*}} : tensor<64x64xf32>
// CHECK: %[[A:.*]] = arith.truncf %[[R]] : tensor<64x64xf32> to tensor<64x64xbf16>
// CHECK: %[[W:.*]] = grid.slice_ref %{{.*}}[%[[J]], 0] [64, 128] [1, 1] : memref<512x128xbf16
// CHECK: %[[B:.*]] = grid.load %[[W]]
// CHECK: grid.dot %[[A]], %[[B]] acc %[[ACC]] contract [1] x [0]
// CHECK-NOT: grid.dot
grid.kernel @layers grid(%i = 4)
    inputs(%x: bf16 [256, 256] block [64, 256] at (%i, 0), %y: bf16 [256, 512], %z: bf16 [512, 128])
    outputs(%o: f32 [256, 128] block [64, 128] at (%i, 0)) semantics [parallel] {
  %a = grid.load %x : memref<64x256xbf16, #grid.space<default>> -> tensor<64x256xbf16>
  %b = grid.load %y : memref<256x512xbf16, #grid.space<default>> -> tensor<256x512xbf16>
  %c = grid.load %z : memref<512x128xbf16, #grid.space<default>> -> tensor<512x128xbf16>
  %d = grid.dot %a, %b contract [1] x [0] : tensor<64x256xbf16>, tensor<256x512xbf16> -> tensor<64x512xf32>
  %zero = arith.constant dense<0.0> : tensor<64x512xf32>
  %r = arith.maximumf %d, %zero : tensor<64x512xf32>
  %t = arith.truncf %r : tensor<64x512xf32> to tensor<64x512xbf16>
  %e = grid.dot %t, %c contract [1] x [0] : tensor<64x512xbf16>, tensor<512x128xbf16> -> tensor<64x128xf32>
  grid.store %e, %o : tensor<64x128xf32>, memref<64x128xf32, #grid.space<default>>
}

// -----

// Registers hold a result that is 128 elements deep.
// CHECK-LABEL: grid.kernel @shallow_layers
// CHECK-NOT: scf.for
grid.kernel @shallow_layers grid(%i = 4)
    inputs(%x: bf16 [256, 64] block [64, 64] at (%i, 0), %y: bf16 [64, 128], %z: bf16 [128, 64])
    outputs(%o: f32 [256, 64] block [64, 64] at (%i, 0)) semantics [parallel] {
  %a = grid.load %x : memref<64x64xbf16, #grid.space<default>> -> tensor<64x64xbf16>
  %b = grid.load %y : memref<64x128xbf16, #grid.space<default>> -> tensor<64x128xbf16>
  %c = grid.load %z : memref<128x64xbf16, #grid.space<default>> -> tensor<128x64xbf16>
  %d = grid.dot %a, %b contract [1] x [0] : tensor<64x64xbf16>, tensor<64x128xbf16> -> tensor<64x128xf32>
  %t = arith.truncf %d : tensor<64x128xf32> to tensor<64x128xbf16>
  %e = grid.dot %t, %c contract [1] x [0] : tensor<64x128xbf16>, tensor<128x64xbf16> -> tensor<64x64xf32>
  grid.store %e, %o : tensor<64x64xf32>, memref<64x64xf32, #grid.space<default>>
}

// -----

// Two contractions of one depth have a loop each if one depends on a reduction of the other's result.
// CHECK-LABEL: grid.kernel @dependent
// CHECK: %[[D:.*]] = scf.for
// CHECK: linalg.reduce { arith.addf } ins(%[[D]] :
// CHECK: scf.for
grid.kernel @dependent grid(%i = 4)
    inputs(%x: bf16 [256, 256] block [64, 256] at (%i, 0), %y: bf16 [256, 64], %z: bf16 [256, 64])
    outputs(%o: f32 [256, 64] block [64, 64] at (%i, 0)) semantics [parallel] {
  %a = grid.load %x : memref<64x256xbf16, #grid.space<default>> -> tensor<64x256xbf16>
  %b = grid.load %y : memref<256x64xbf16, #grid.space<default>> -> tensor<256x64xbf16>
  %c = grid.load %z : memref<256x64xbf16, #grid.space<default>> -> tensor<256x64xbf16>
  %d = grid.dot %a, %b contract [1] x [0] : tensor<64x256xbf16>, tensor<256x64xbf16> -> tensor<64x64xf32>
  %zero = arith.constant dense<0.0> : tensor<64xf32>
  %sum = linalg.reduce { arith.addf } ins(%d : tensor<64x64xf32>) outs(%zero : tensor<64xf32>) dimensions = [1]
  %s = arith.truncf %sum : tensor<64xf32> to tensor<64xbf16>
  %empty = tensor.empty() : tensor<64x256xbf16>
  %r = linalg.broadcast ins(%s : tensor<64xbf16>) outs(%empty : tensor<64x256xbf16>) dimensions = [1]
  %a2 = grid.load %x : memref<64x256xbf16, #grid.space<default>> -> tensor<64x256xbf16>
  %t = arith.mulf %a2, %r : tensor<64x256xbf16>
  %e = grid.dot %t, %c contract [1] x [0] : tensor<64x256xbf16>, tensor<256x64xbf16> -> tensor<64x64xf32>
  grid.store %e, %o : tensor<64x64xf32>, memref<64x64xf32, #grid.space<default>>
}

// -----

// A contraction that nothing uses is erased.
// CHECK-LABEL: grid.kernel @unused
// CHECK-NOT: grid.dot
grid.kernel @unused grid(%i = 4) inputs(%x: bf16 [256, 256] block [64, 256] at (%i, 0), %y: bf16 [256, 64])
    outputs(%o: f32 [256, 64] block [64, 64] at (%i, 0)) semantics [parallel] {
  %a = grid.load %x : memref<64x256xbf16, #grid.space<default>> -> tensor<64x256xbf16>
  %b = grid.load %y : memref<256x64xbf16, #grid.space<default>> -> tensor<256x64xbf16>
  %d = grid.dot %a, %b contract [1] x [0] : tensor<64x256xbf16>, tensor<256x64xbf16> -> tensor<64x64xf32>
  %e = arith.negf %d : tensor<64x64xf32>
}

// -----

// Layers of f32, whose operands are not copied: a loop in the loop divides the depth of the first one. Its operands are
// exchanged, so parts of its result are transposed.
// CHECK-LABEL: grid.kernel @layers_of_f32
// CHECK: scf.for %[[J:.*]] = %c0 to %c512 step %c64 iter_args
// CHECK: %[[H:.*]] = scf.for %[[K:.*]] = %c0{{.*}} to %c256 step %c64{{.*}} -> (tensor<64x32xf32>)
// CHECK: grid.slice_ref %{{.*}}[%[[K]], %[[J]]] [64, 64] [1, 1] : memref<256x512xf32
// CHECK: grid.slice_ref %{{.*}}[0, %[[K]]] [32, 64] [1, 1] : memref<32x256xf32
// CHECK: grid.dot {{.*}} -> tensor<64x32xf32>
// CHECK: %[[T:.*]] = linalg.transpose ins(%[[H]] : tensor<64x32xf32>)
// CHECK: %[[R:.*]] = arith.maximumf %[[T]]
// CHECK: grid.dot %[[R]], {{.*}} -> tensor<32x16xf32>
// CHECK-NOT: grid.dot
grid.kernel @layers_of_f32 grid(%i = 4)
    inputs(%x: f32 [128, 256] block [32, 256] at (%i, 0), %y: f32 [256, 512], %z: f32 [512, 16])
    outputs(%o: f32 [128, 16] block [32, 16] at (%i, 0)) semantics [parallel] {
  %a = grid.load %x : memref<32x256xf32, #grid.space<default>> -> tensor<32x256xf32>
  %b = grid.load %y : memref<256x512xf32, #grid.space<default>> -> tensor<256x512xf32>
  %c = grid.load %z : memref<512x16xf32, #grid.space<default>> -> tensor<512x16xf32>
  %d = grid.dot %a, %b contract [1] x [0] : tensor<32x256xf32>, tensor<256x512xf32> -> tensor<32x512xf32>
  %zero = arith.constant dense<0.0> : tensor<32x512xf32>
  %r = arith.maximumf %d, %zero : tensor<32x512xf32>
  %e = grid.dot %r, %c contract [1] x [0] : tensor<32x512xf32>, tensor<512x16xf32> -> tensor<32x16xf32>
  grid.store %e, %o : tensor<32x16xf32>, memref<32x16xf32, #grid.space<default>>
}

// -----

// Parts of scratch that nothing changes afterwards are loaded; scratch that is stored again is not divided.
// CHECK-LABEL: grid.kernel @scratch
// CHECK: grid.store %{{.*}}, %[[S:.*]] : tensor<64x256xf32>
// CHECK: scf.for %[[K:.*]] = %c0 to %c256 step %c64
// CHECK: grid.slice_ref %[[S]][0, %[[K]]] [64, 64] [1, 1]
// CHECK: grid.dot {{.*}} -> tensor<64x64xf32>
// CHECK-LABEL: grid.kernel @changed_scratch
// CHECK-NOT: scf.for
grid.kernel @scratch grid(%i = 4) inputs(%x: f32 [256, 256] block [64, 256] at (%i, 0), %y: f32 [256, 64])
    outputs(%o: f32 [256, 64] block [64, 64] at (%i, 0)) scratch(%s: memref<64x256xf32, #tpu.memory_space<vmem>>) semantics [parallel] {
  %v = grid.load %x : memref<64x256xf32, #grid.space<default>> -> tensor<64x256xf32>
  grid.store %v, %s : tensor<64x256xf32>, memref<64x256xf32, #tpu.memory_space<vmem>>
  %a = grid.load %s : memref<64x256xf32, #tpu.memory_space<vmem>> -> tensor<64x256xf32>
  %b = grid.load %y : memref<256x64xf32, #grid.space<default>> -> tensor<256x64xf32>
  %d = grid.dot %a, %b contract [1] x [0] : tensor<64x256xf32>, tensor<256x64xf32> -> tensor<64x64xf32>
  grid.store %d, %o : tensor<64x64xf32>, memref<64x64xf32, #grid.space<default>>
}
grid.kernel @changed_scratch grid(%i = 4) inputs(%x: f32 [256, 256] block [64, 256] at (%i, 0), %y: f32 [256, 64])
    outputs(%o: f32 [256, 64] block [64, 64] at (%i, 0)) scratch(%s: memref<64x256xf32, #tpu.memory_space<vmem>>) semantics [parallel] {
  %v = grid.load %x : memref<64x256xf32, #grid.space<default>> -> tensor<64x256xf32>
  %a = grid.load %s : memref<64x256xf32, #tpu.memory_space<vmem>> -> tensor<64x256xf32>
  %b = grid.load %y : memref<256x64xf32, #grid.space<default>> -> tensor<256x64xf32>
  %d = grid.dot %a, %b contract [1] x [0] : tensor<64x256xf32>, tensor<256x64xf32> -> tensor<64x64xf32>
  grid.store %v, %s : tensor<64x256xf32>, memref<64x256xf32, #tpu.memory_space<vmem>>
  grid.store %d, %o : tensor<64x64xf32>, memref<64x64xf32, #grid.space<default>>
}

// -----

// In loops of the author, contractions are divided whose operands registers would hold in a depth of more than 128.
// Windows that are copied stay whole.
// CHECK-LABEL: grid.kernel @loops
// CHECK: scf.for
// CHECK: scf.for %[[K:.*]] = %c0{{.*}} to %c256 step %c64
// CHECK: grid.dot {{.*}} : tensor<64x64xf32>, tensor<64x64xf32>, tensor<64x64xf32> -> tensor<64x64xf32>
// CHECK: scf.for
// CHECK-NOT: scf.for
// CHECK: grid.dot {{.*}} : tensor<64x256xbf16>, tensor<256x64xbf16> -> tensor<64x64xf32>
grid.kernel @loops grid(%i = 4)
    inputs(%x: f32 [256, 256] block [64, 256] at (%i, 0), %y: f32 [256, 256], %z: bf16 [256, 256] block [64, 256] at (%i, 0), %w: bf16 [256, 256])
    outputs(%o: f32 [256, 64] block [64, 64] at (%i, 0), %p: f32 [256, 64] block [64, 64] at (%i, 0)) semantics [parallel] {
  %first = arith.constant 0 : index
  %last = arith.constant 4 : index
  %step = arith.constant 1 : index
  %width = arith.constant 64 : index
  %zero = arith.constant dense<0.0> : tensor<64x64xf32>
  %s = scf.for %j = %first to %last step %step iter_args(%acc = %zero) -> tensor<64x64xf32> {
    %at = arith.muli %j, %width : index
    %window = grid.slice_ref %y[0, %at] [256, 64] [1, 1] : memref<256x256xf32, #grid.space<default>>, index -> memref<256x64xf32, #grid.space<default>>
    %a = grid.load %x : memref<64x256xf32, #grid.space<default>> -> tensor<64x256xf32>
    %b = grid.load %window : memref<256x64xf32, #grid.space<default>> -> tensor<256x64xf32>
    %d = grid.dot %a, %b contract [1] x [0] : tensor<64x256xf32>, tensor<256x64xf32> -> tensor<64x64xf32>
    %sum = arith.addf %acc, %d : tensor<64x64xf32>
    scf.yield %sum : tensor<64x64xf32>
  }
  grid.store %s, %o : tensor<64x64xf32>, memref<64x64xf32, #grid.space<default>>
  %t = scf.for %j = %first to %last step %step iter_args(%acc = %zero) -> tensor<64x64xf32> {
    %at = arith.muli %j, %width : index
    %window = grid.slice_ref %w[0, %at] [256, 64] [1, 1] : memref<256x256xbf16, #grid.space<default>>, index -> memref<256x64xbf16, #grid.space<default>>
    %a = grid.load %z : memref<64x256xbf16, #grid.space<default>> -> tensor<64x256xbf16>
    %b = grid.load %window : memref<256x64xbf16, #grid.space<default>> -> tensor<256x64xbf16>
    %d = grid.dot %a, %b contract [1] x [0] : tensor<64x256xbf16>, tensor<256x64xbf16> -> tensor<64x64xf32>
    %sum = arith.addf %acc, %d : tensor<64x64xf32>
    scf.yield %sum : tensor<64x64xf32>
  }
  grid.store %t, %p : tensor<64x64xf32>, memref<64x64xf32, #grid.space<default>>
}
