// RUN: gridir-opt %s --split-input-file --pass-pipeline='builtin.module(grid.kernel(warpgroup-choose-schedule{chip=sm_100a}))' | FileCheck %s

// A warpgroup computes 128 rows, which tensor memory has, and registers hold its result.
// CHECK-LABEL: grid.kernel @square
// CHECK: #warpgroup.schedule<cta = [128, 128], warpgroup = [128, 128], shared = [0, 1], stages = 4>
grid.kernel @square grid(%i = 2, %j = 2, %k = 4)
    inputs(%x: bf16 [256, 256] block [128, 64] at (%i, %k), %y: bf16 [256, 256] block [64, 128] at (%k, %j))
    outputs(%o: f32 [256, 256] block [128, 128] at (%i, %j))
    scratch(%acc: memref<128x128xf32, #grid.space<default>>)
    semantics [parallel, parallel, arbitrary] {
  %a = grid.load %x : memref<128x64xbf16, #grid.space<default>> -> tensor<128x64xbf16>
  %b = grid.load %y : memref<64x128xbf16, #grid.space<default>> -> tensor<64x128xbf16>
  %c = grid.load %acc : memref<128x128xf32, #grid.space<default>> -> tensor<128x128xf32>
  %d = grid.dot %a, %b acc %c contract [1] x [0]
      : tensor<128x64xbf16>, tensor<64x128xbf16>, tensor<128x128xf32> -> tensor<128x128xf32>
  grid.store %d, %acc : tensor<128x128xf32>, memref<128x128xf32, #grid.space<default>>
  grid.store %d, %o : tensor<128x128xf32>, memref<128x128xf32, #grid.space<default>>
}

// -----

// A result of 256 columns is stored in two parts.
// CHECK-LABEL: grid.kernel @wide
// CHECK: #warpgroup.schedule<cta = [128, 256], warpgroup = [128, 256], shared = [0, 1], stages = 4>
grid.kernel @wide grid(%i = 2, %j = 2, %k = 4)
    inputs(%x: bf16 [256, 256] block [128, 64] at (%i, %k), %y: bf16 [256, 512] block [64, 256] at (%k, %j))
    outputs(%o: f32 [256, 512] block [128, 256] at (%i, %j))
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

// With two warpgroups, a thread has fewer registers.
// CHECK-LABEL: grid.kernel @large
// CHECK: #warpgroup.schedule<cta = [256, 128], warpgroup = [128, 128], shared = [0, 1], stages = 4>
grid.kernel @large grid(%i = 2, %j = 2, %k = 4)
    inputs(%x: bf16 [512, 256] block [256, 64] at (%i, %k), %y: bf16 [256, 512] block [64, 256] at (%k, %j))
    outputs(%o: f32 [512, 512] block [256, 256] at (%i, %j))
    scratch(%acc: memref<256x256xf32, #grid.space<default>>)
    semantics [parallel, parallel, arbitrary] {
  %a = grid.load %x : memref<256x64xbf16, #grid.space<default>> -> tensor<256x64xbf16>
  %b = grid.load %y : memref<64x256xbf16, #grid.space<default>> -> tensor<64x256xbf16>
  %c = grid.load %acc : memref<256x256xf32, #grid.space<default>> -> tensor<256x256xf32>
  %d = grid.dot %a, %b acc %c contract [1] x [0]
      : tensor<256x64xbf16>, tensor<64x256xbf16>, tensor<256x256xf32> -> tensor<256x256xf32>
  grid.store %d, %acc : tensor<256x256xf32>, memref<256x256xf32, #grid.space<default>>
  grid.store %d, %o : tensor<256x256xf32>, memref<256x256xf32, #grid.space<default>>
}

// -----

// A reduction needs all columns of 64 rows, which registers hold.
// CHECK-LABEL: grid.kernel @reduced
// CHECK: #warpgroup.schedule<cta = [128, 256], warpgroup = [64, 256], shared = [0, 1], stages = 4>
grid.kernel @reduced grid(%i = 2, %j = 2, %k = 4)
    inputs(%x: bf16 [256, 256] block [128, 64] at (%i, %k), %y: bf16 [256, 512] block [64, 256] at (%k, %j))
    outputs(%o: f32 [256, 512] block [128, 256] at (%i, %j))
    scratch(%acc: memref<128x256xf32, #grid.space<default>>)
    semantics [parallel, parallel, arbitrary] {
  %a = grid.load %x : memref<128x64xbf16, #grid.space<default>> -> tensor<128x64xbf16>
  %b = grid.load %y : memref<64x256xbf16, #grid.space<default>> -> tensor<64x256xbf16>
  %c = grid.load %acc : memref<128x256xf32, #grid.space<default>> -> tensor<128x256xf32>
  %d = grid.dot %a, %b acc %c contract [1] x [0]
      : tensor<128x64xbf16>, tensor<64x256xbf16>, tensor<128x256xf32> -> tensor<128x256xf32>
  grid.store %d, %acc : tensor<128x256xf32>, memref<128x256xf32, #grid.space<default>>
  %lowest = arith.constant dense<0xFF800000> : tensor<128xf32>
  %max = linalg.reduce ins(%d : tensor<128x256xf32>) outs(%lowest : tensor<128xf32>) dimensions = [1]
    (%in: f32, %old: f32) {
      %m = arith.maximumf %in, %old : f32
      linalg.yield %m : f32
    }
  %empty = tensor.empty() : tensor<128x256xf32>
  %all = linalg.broadcast ins(%max : tensor<128xf32>) outs(%empty : tensor<128x256xf32>) dimensions = [1]
  %r = arith.subf %d, %all : tensor<128x256xf32>
  grid.store %r, %o : tensor<128x256xf32>, memref<128x256xf32, #grid.space<default>>
}

// -----

// CHECK-LABEL: grid.kernel @low
// CHECK: #warpgroup.schedule<cta = [64, 128], warpgroup = [64, 128], shared = [0, 1], stages = 4>
grid.kernel @low grid(%i = 2, %j = 2, %k = 4)
    inputs(%x: bf16 [128, 256] block [64, 64] at (%i, %k), %y: bf16 [256, 256] block [64, 128] at (%k, %j))
    outputs(%o: f32 [128, 256] block [64, 128] at (%i, %j))
    scratch(%acc: memref<64x128xf32, #grid.space<default>>)
    semantics [parallel, parallel, arbitrary] {
  %a = grid.load %x : memref<64x64xbf16, #grid.space<default>> -> tensor<64x64xbf16>
  %b = grid.load %y : memref<64x128xbf16, #grid.space<default>> -> tensor<64x128xbf16>
  %c = grid.load %acc : memref<64x128xf32, #grid.space<default>> -> tensor<64x128xf32>
  %d = grid.dot %a, %b acc %c contract [1] x [0]
      : tensor<64x64xbf16>, tensor<64x128xbf16>, tensor<64x128xf32> -> tensor<64x128xf32>
  grid.store %d, %acc : tensor<64x128xf32>, memref<64x128xf32, #grid.space<default>>
  grid.store %d, %o : tensor<64x128xf32>, memref<64x128xf32, #grid.space<default>>
}

// -----

// The operand that the body computes is in tensor memory, too, and so is the sum that a loop carries.
// CHECK-LABEL: grid.kernel @attention
// CHECK: #warpgroup.schedule<cta = [128, 64], warpgroup = [128, 64], shared = [0, 1, 2], stages = 4>
grid.kernel @attention grid(%i = 4)
    inputs(%x: bf16 [512, 64] block [128, 64] at (%i, 0), %y: bf16 [256, 64], %z: bf16 [256, 64])
    outputs(%o: f32 [512, 64] block [128, 64] at (%i, 0))
    semantics [parallel] {
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
    %e = math.exp %s : tensor<128x64xf32>
    %p = arith.truncf %e : tensor<128x64xf32> to tensor<128x64xbf16>
    %c = grid.load %zs : memref<64x64xbf16, #grid.space<default>> -> tensor<64x64xbf16>
    %shrunk = arith.mulf %acc, %half : tensor<128x64xf32>
    %d = grid.dot %p, %c contract [1] x [0] : tensor<128x64xbf16>, tensor<64x64xbf16> -> tensor<128x64xf32>
    %sum = arith.addf %shrunk, %d : tensor<128x64xf32>
    scf.yield %sum : tensor<128x64xf32>
  }
  grid.store %all, %o : tensor<128x64xf32>, memref<128x64xf32, #grid.space<default>>
}

// -----

// Tensor memory holds the two accumulators and the operand of one warpgroup: parts with fewer columns would compute
// the first product again.
// CHECK-LABEL: grid.kernel @chain
// CHECK: #warpgroup.schedule<cta = [128, 128], warpgroup = [128, 128], shared = [0, 1, 2]>
grid.kernel @chain grid(%i = 4)
    inputs(%x: bf16 [1024, 64] block [256, 64] at (%i, 0), %y: bf16 [128, 64], %z: bf16 [128, 128])
    outputs(%o: f32 [1024, 128] block [256, 128] at (%i, 0))
    semantics [parallel] {
  %a = grid.load %x : memref<256x64xbf16, #grid.space<default>> -> tensor<256x64xbf16>
  %b = grid.load %y : memref<128x64xbf16, #grid.space<default>> -> tensor<128x64xbf16>
  %s = grid.dot %a, %b contract [1] x [1] : tensor<256x64xbf16>, tensor<128x64xbf16> -> tensor<256x128xf32>
  %e = math.exp %s : tensor<256x128xf32>
  %p = arith.truncf %e : tensor<256x128xf32> to tensor<256x128xbf16>
  %c = grid.load %z : memref<128x128xbf16, #grid.space<default>> -> tensor<128x128xbf16>
  %d = grid.dot %p, %c contract [1] x [0] : tensor<256x128xbf16>, tensor<128x128xbf16> -> tensor<256x128xf32>
  grid.store %d, %o : tensor<256x128xf32>, memref<256x128xf32, #grid.space<default>>
}

// -----

// Registers of 128 threads do not hold two results at once.
// CHECK-LABEL: grid.kernel @gradient
// CHECK: #warpgroup.schedule<cta = [128, 64], warpgroup = [64, 64], shared = [0, 1, 2]>
grid.kernel @gradient grid(%i = 4)
    inputs(%x: bf16 [512, 64] block [128, 64] at (%i, 0), %y: bf16 [128, 64], %z: bf16 [128, 64])
    outputs(%o: f32 [512, 64] block [128, 64] at (%i, 0))
    semantics [parallel] {
  %a = grid.load %x : memref<128x64xbf16, #grid.space<default>> -> tensor<128x64xbf16>
  %b = grid.load %y : memref<128x64xbf16, #grid.space<default>> -> tensor<128x64xbf16>
  %c = grid.load %z : memref<128x64xbf16, #grid.space<default>> -> tensor<128x64xbf16>
  %s = grid.dot %a, %b contract [1] x [1] : tensor<128x64xbf16>, tensor<128x64xbf16> -> tensor<128x128xf32>
  %e = math.exp %s : tensor<128x128xf32>
  %t = grid.dot %a, %c contract [1] x [1] : tensor<128x64xbf16>, tensor<128x64xbf16> -> tensor<128x128xf32>
  %g = arith.mulf %e, %t : tensor<128x128xf32>
  %p = arith.truncf %g : tensor<128x128xf32> to tensor<128x128xbf16>
  %d = grid.dot %p, %c contract [1] x [0] : tensor<128x128xbf16>, tensor<128x64xbf16> -> tensor<128x64xf32>
  grid.store %d, %o : tensor<128x64xf32>, memref<128x64xf32, #grid.space<default>>
}

// -----

// A sum of 256 columns that is kept in tensor memory is rescaled in parts. Registers do not hold the old value of scratch
// that the body changes otherwise.
// CHECK-LABEL: grid.kernel @kept
// CHECK: #warpgroup.schedule<cta = [128, 256], warpgroup = [128, 256], shared = [1], stages = 4>
grid.kernel @kept grid(%i = 4, %k = 4)
    inputs(%x: bf16 [512, 256] block [128, 64] at (%i, %k), %y: bf16 [64, 256])
    outputs(%o: f32 [512, 256] block [128, 256] at (%i, 0))
    scratch(%acc: memref<128x256xf32, #grid.space<default>>)
    semantics [parallel, arbitrary] {
  %half = arith.constant dense<0.5> : tensor<128x256xf32>
  %v = grid.load %x : memref<128x64xbf16, #grid.space<default>> -> tensor<128x64xbf16>
  %a = math.absf %v : tensor<128x64xbf16>
  %b = grid.load %y : memref<64x256xbf16, #grid.space<default>> -> tensor<64x256xbf16>
  %c = grid.load %acc : memref<128x256xf32, #grid.space<default>> -> tensor<128x256xf32>
  %shrunk = arith.mulf %c, %half : tensor<128x256xf32>
  %d = grid.dot %a, %b acc %shrunk contract [1] x [0]
      : tensor<128x64xbf16>, tensor<64x256xbf16>, tensor<128x256xf32> -> tensor<128x256xf32>
  grid.store %d, %acc : tensor<128x256xf32>, memref<128x256xf32, #grid.space<default>>
  %r = grid.load %acc : memref<128x256xf32, #grid.space<default>> -> tensor<128x256xf32>
  grid.store %r, %o : tensor<128x256xf32>, memref<128x256xf32, #grid.space<default>>
}

// -----

// CHECK-LABEL: grid.kernel @changed
// CHECK: #warpgroup.schedule<cta = [128, 128], warpgroup = [64, 128], shared = [1], stages = 4>
grid.kernel @changed grid(%i = 4, %k = 4)
    inputs(%x: bf16 [512, 256] block [128, 64] at (%i, %k), %y: bf16 [64, 128])
    outputs(%o: f32 [512, 128] block [128, 128] at (%i, 0))
    scratch(%acc: memref<128x128xf32, #grid.space<default>>)
    semantics [parallel, arbitrary] {
  %v = grid.load %x : memref<128x64xbf16, #grid.space<default>> -> tensor<128x64xbf16>
  %a = math.absf %v : tensor<128x64xbf16>
  %b = grid.load %y : memref<64x128xbf16, #grid.space<default>> -> tensor<64x128xbf16>
  %c = grid.load %acc : memref<128x128xf32, #grid.space<default>> -> tensor<128x128xf32>
  %d = grid.dot %a, %b contract [1] x [0]
      : tensor<128x64xbf16>, tensor<64x128xbf16> -> tensor<128x128xf32>
  %s = arith.maximumf %c, %d : tensor<128x128xf32>
  grid.store %s, %acc : tensor<128x128xf32>, memref<128x128xf32, #grid.space<default>>
  grid.store %s, %o : tensor<128x128xf32>, memref<128x128xf32, #grid.space<default>>
}

// -----

// Shared memory holds the rows of one warpgroup.
// CHECK-LABEL: grid.kernel @deep
// CHECK: #warpgroup.schedule<cta = [128, 64], warpgroup = [128, 64], shared = [0, 1, 2]>
grid.kernel @deep grid(%i = 4)
    inputs(%x: bf16 [1024, 384] block [256, 384] at (%i, 0), %y: bf16 [256, 384], %z: bf16 [256, 64])
    outputs(%o: f32 [1024, 64] block [256, 64] at (%i, 0))
    semantics [parallel] {
  %c0 = arith.constant 0 : index
  %c64 = arith.constant 64 : index
  %c256 = arith.constant 256 : index
  %zero = arith.constant dense<0.0> : tensor<256x64xf32>
  %a = grid.load %x : memref<256x384xbf16, #grid.space<default>> -> tensor<256x384xbf16>
  %all = scf.for %k = %c0 to %c256 step %c64 iter_args(%acc = %zero) -> tensor<256x64xf32> {
    %k32 = arith.index_cast %k : index to i32
    %ys = grid.slice_ref %y[%k32, 0] [64, 384] [1, 1]
        : memref<256x384xbf16, #grid.space<default>>, i32 -> memref<64x384xbf16, #grid.space<default>>
    %zs = grid.slice_ref %z[%k32, 0] [64, 64] [1, 1]
        : memref<256x64xbf16, #grid.space<default>>, i32 -> memref<64x64xbf16, #grid.space<default>>
    %b = grid.load %ys : memref<64x384xbf16, #grid.space<default>> -> tensor<64x384xbf16>
    %s = grid.dot %a, %b contract [1] x [1] : tensor<256x384xbf16>, tensor<64x384xbf16> -> tensor<256x64xf32>
    %p = arith.truncf %s : tensor<256x64xf32> to tensor<256x64xbf16>
    %c = grid.load %zs : memref<64x64xbf16, #grid.space<default>> -> tensor<64x64xbf16>
    %d = grid.dot %p, %c contract [1] x [0] : tensor<256x64xbf16>, tensor<64x64xbf16> -> tensor<256x64xf32>
    %sum = arith.addf %acc, %d : tensor<256x64xf32>
    scf.yield %sum : tensor<256x64xf32>
  }
  grid.store %all, %o : tensor<256x64xf32>, memref<256x64xf32, #grid.space<default>>
}
