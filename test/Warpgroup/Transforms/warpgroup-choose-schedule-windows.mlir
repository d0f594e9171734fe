// RUN: gridir-opt %s --pass-pipeline='builtin.module(grid.kernel(warpgroup-choose-schedule))' | FileCheck %s

// A program in a loop computes a window of the output; CTAs and warpgroups compute parts of it.
// CHECK-LABEL: grid.kernel @groups
// CHECK: warpgroup.schedule = #warpgroup.schedule<cta = [128, 128], warpgroup = [64, 128], shared = [1, 2], stages = 4>
grid.kernel @groups grid() inputs(%n: i32 [], %x: bf16 [512, 512], %y: bf16 [8, 512, 128])
    outputs(%o: f32 [8, 512, 128]) scratch(%acc: memref<128x128xf32, #grid.space<default>>) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %c4 = arith.constant 4 : i32
  %zero = arith.constant 0 : index
  %c3 = arith.constant 3 : index
  %c7 = arith.constant 7 : index
  %c64 = arith.constant 64 : index
  %c128 = arith.constant 128 : index
  %count = grid.load %n : memref<i32, #grid.space<default>> -> i32
  scf.for %i = %c0 to %count step %c1 : i32 {
    scf.for %k = %c0 to %c4 step %c1 : i32 {
      %number = arith.index_cast %i : i32 to index
      %positive = arith.maxsi %number, %zero : index
      %block = arith.minsi %positive, %c3 : index
      %batch = arith.minsi %positive, %c7 : index
      %row = arith.muli %block, %c128 : index
      %step = arith.index_cast %k : i32 to index
      %depth = arith.muli %step, %c64 : index
      %lhs = grid.slice_ref %x[%row, %depth] [128, 64] [1, 1]
          : memref<512x512xbf16, #grid.space<default>>, index, index -> memref<128x64xbf16, #grid.space<default>>
      %rhs = grid.slice_ref %y[%batch, %depth, 0] [1, 64, 128] [1, 1, 1] drop [0]
          : memref<8x512x128xbf16, #grid.space<default>>, index, index -> memref<64x128xbf16, #grid.space<default>>
      %out = grid.slice_ref %o[%batch, %row, 0] [1, 128, 128] [1, 1, 1] drop [0]
          : memref<8x512x128xf32, #grid.space<default>>, index, index -> memref<128x128xf32, #grid.space<default>>
      %a = grid.load %lhs : memref<128x64xbf16, #grid.space<default>> -> tensor<128x64xbf16>
      %b = grid.load %rhs : memref<64x128xbf16, #grid.space<default>> -> tensor<64x128xbf16>
      %d = grid.dot %a, %b contract [1] x [0] : tensor<128x64xbf16>, tensor<64x128xbf16> -> tensor<128x128xf32>
      %s = grid.load %acc : memref<128x128xf32, #grid.space<default>> -> tensor<128x128xf32>
      %t = arith.addf %s, %d : tensor<128x128xf32>
      grid.store %t, %acc : tensor<128x128xf32>, memref<128x128xf32, #grid.space<default>>
      %last = arith.cmpi eq, %k, %c1 : i32
      scf.if %last {
        grid.store %t, %out : tensor<128x128xf32>, memref<128x128xf32, #grid.space<default>>
      }
    }
  }
}
