// RUN: gridir-opt %s --split-input-file --verify-diagnostics --pass-pipeline='builtin.module(grid.kernel(warpgroup-split-blocks))' | FileCheck %s

// The windows of an output, and those of the input in its memory, are divided as blocks are: parts of different windows
// have no common elements if windows begin at multiples of their size.
// CHECK-LABEL: grid.kernel @parts grid(%i = 2)
// CHECK: %[[FIRST:.*]] = arith.muli %{{.*}}, %c64 : index
// CHECK: %[[PART:.*]] = arith.muli %{{.*}}, %c32 : index
// CHECK: %[[ROW:.*]] = arith.addi %[[PART]], %[[FIRST]] : index
// CHECK: grid.slice_ref %x[%[[ROW]], 0] [32, 128] [1, 1]
// CHECK: grid.slice_ref %o[%{{.*}}, 0] [32, 128] [1, 1]
// CHECK: grid.store %{{.*}} : tensor<32x128xf32>
grid.kernel @parts grid() inputs(%n: i32 [] origin "n", %x: f32 [512, 128] origin "x")
    outputs(%o: f32 [512, 128] origin "o") aliases [1 -> 0]
    attributes {warpgroup.schedule = #warpgroup.schedule<cta = [32, 128], warpgroup = [32, 128]>} {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %c64 = arith.constant 64 : index
  %count = grid.load %n : memref<i32, #grid.space<default>> -> i32
  scf.for %i = %c0 to %count step %c1 : i32 {
    %block = arith.index_cast %i : i32 to index
    %row = arith.muli %block, %c64 : index
    %w = grid.slice_ref %x[%row, 0] [64, 128] [1, 1] : memref<512x128xf32, #grid.space<default>>, index -> memref<64x128xf32, #grid.space<default>>
    %r = grid.slice_ref %o[%row, 0] [64, 128] [1, 1] : memref<512x128xf32, #grid.space<default>>, index -> memref<64x128xf32, #grid.space<default>>
    %v = grid.load %w : memref<64x128xf32, #grid.space<default>> -> tensor<64x128xf32>
    %u = arith.addf %v, %v : tensor<64x128xf32>
    grid.store %u, %r : tensor<64x128xf32>, memref<64x128xf32, #grid.space<default>>
  }
}

// -----

// Windows at other positions overlap, so that a part would read what another part writes.
// expected-error @below {{expected all 64 elements of dimension 0 in one part, since they depend on one another, got 32}}
grid.kernel @overlapping grid() inputs(%n: i32 []) outputs(%o: f32 [512, 128])
    attributes {warpgroup.schedule = #warpgroup.schedule<cta = [32, 128], warpgroup = [32, 128]>} {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %c48 = arith.constant 48 : index
  %count = grid.load %n : memref<i32, #grid.space<default>> -> i32
  scf.for %i = %c0 to %count step %c1 : i32 {
    %block = arith.index_cast %i : i32 to index
    %row = arith.muli %block, %c48 : index
    %r = grid.slice_ref %o[%row, 0] [64, 128] [1, 1] : memref<512x128xf32, #grid.space<default>>, index -> memref<64x128xf32, #grid.space<default>>
    %v = grid.load %r : memref<64x128xf32, #grid.space<default>> -> tensor<64x128xf32>
    %u = arith.addf %v, %v : tensor<64x128xf32>
    grid.store %u, %r : tensor<64x128xf32>, memref<64x128xf32, #grid.space<default>>
  }
}

// -----

// Each part would repeat the load, so the blocks of the output are those that are divided.
// expected-error @below {{expected all 512 elements of dimension 0 in one part, since they depend on one another, got 32}}
grid.kernel @outside grid() inputs(%x: f32 [64, 128]) outputs(%o: f32 [512, 128])
    attributes {warpgroup.schedule = #warpgroup.schedule<cta = [32, 128], warpgroup = [32, 128]>} {
  %c0 = arith.constant 0 : index
  %c8 = arith.constant 8 : index
  %c1 = arith.constant 1 : index
  %c64 = arith.constant 64 : index
  %v = grid.load %x : memref<64x128xf32, #grid.space<default>> -> tensor<64x128xf32>
  scf.for %i = %c0 to %c8 step %c1 {
    %row = arith.muli %i, %c64 : index
    %r = grid.slice_ref %o[%row, 0] [64, 128] [1, 1] : memref<512x128xf32, #grid.space<default>>, index -> memref<64x128xf32, #grid.space<default>>
    grid.store %v, %r : tensor<64x128xf32>, memref<64x128xf32, #grid.space<default>>
  }
}

// -----

// So they are if windows have several shapes.
// expected-error @below {{expected all 512 elements of dimension 0 in one part, since they depend on one another, got 32}}
grid.kernel @shapes grid() outputs(%o: f32 [512, 128])
    attributes {warpgroup.schedule = #warpgroup.schedule<cta = [32, 128], warpgroup = [32, 128]>} {
  %v = arith.constant dense<0.0> : tensor<64x128xf32>
  %u = arith.constant dense<0.0> : tensor<448x128xf32>
  %r = grid.slice_ref %o[0, 0] [64, 128] [1, 1] : memref<512x128xf32, #grid.space<default>> -> memref<64x128xf32, #grid.space<default>>
  grid.store %v, %r : tensor<64x128xf32>, memref<64x128xf32, #grid.space<default>>
  %s = grid.slice_ref %o[64, 0] [448, 128] [1, 1] : memref<512x128xf32, #grid.space<default>> -> memref<448x128xf32, #grid.space<default>>
  grid.store %u, %s : tensor<448x128xf32>, memref<448x128xf32, #grid.space<default>>
}
