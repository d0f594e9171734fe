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
