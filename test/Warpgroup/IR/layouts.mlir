// RUN: gridir-opt %s | gridir-opt | FileCheck %s
// RUN: gridir-opt %s --emit-bytecode | gridir-opt | FileCheck %s
// RUN: gridir-opt %s --canonicalize | FileCheck %s --check-prefix=FOLD

// A layout that has a name is printed by it, however it was written.
// CHECK-LABEL: @names(
// CHECK-SAME:    tensor<64x128xf32, #warpgroup.layout<wgmma>>
// CHECK-SAME:    tensor<64x24xf32, #warpgroup.layout<wgmma>>
// CHECK-SAME:    tensor<1024xf16, #warpgroup.layout<strided(8)>>
// CHECK-SAME:    tensor<4x256xf16, #warpgroup.layout<strided(8)>>
// CHECK-SAME:    tensor<3x5xf16, #warpgroup.layout<splat>>
// CHECK-SAME:    tensor<64xf32, #warpgroup.layout<wgmma_row>>
func.func private @names(
    tensor<64x128xf32, #warpgroup.layout<wgmma>>,
    tensor<64x24xf32, #warpgroup.layout<[64, 8], registers = [[0, 1], [8, 0]],
        lanes = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]], warps = [[16, 0], [32, 0]]>>,
    tensor<1024xf16, #warpgroup.layout<strided(8)>>, tensor<4x256xf16, #warpgroup.layout<strided(8)>>,
    tensor<3x5xf16, #warpgroup.layout<splat>>, tensor<64xf32, #warpgroup.layout<wgmma_row>>)

// CHECK-LABEL: @bases(
// CHECK-SAME:    tensor<32x128xf16, #warpgroup.layout<[32, 64], registers = {{\[\[}}0, 1], [0, 2], [0, 4], [4, 0]], lanes = {{\[\[}}0, 8], [0, 16], [0, 32], [1, 0], [2, 0]], warps = {{\[\[}}8, 0], [16, 0]]>>
// CHECK-SAME:    tensor<4xf16, #warpgroup.layout<[1], registers = [], lanes = {{\[\[}}0], [0], [0], [0], [0]], warps = {{\[\[}}0], [0]]>>
func.func private @bases(
    tensor<32x128xf16, #warpgroup.layout<[32, 64], registers = [[0, 1], [0, 2], [0, 4], [4, 0]],
        lanes = [[0, 8], [0, 16], [0, 32], [1, 0], [2, 0]], warps = [[8, 0], [16, 0]]>>,
    tensor<4xf16, #warpgroup.layout<[1], registers = [], lanes = [[0], [0], [0], [0], [0]], warps = [[0], [0]]>>)

// Ops of other dialects take such tensors, and a relayout between equal layouts is nothing.
// CHECK-LABEL: @relayout(
// FOLD-LABEL:  @relayout(
// FOLD-COUNT-1: warpgroup.relayout
// FOLD-NOT:     warpgroup.relayout
func.func @relayout(%x: tensor<64x64xf32, #warpgroup.layout<strided(4)>>, %o: memref<64x64xf32>)
    -> tensor<64x64xf32, #warpgroup.layout<wgmma>> {
  // CHECK: %[[Y:.*]] = warpgroup.relayout %{{.*}} : tensor<64x64xf32, #warpgroup.layout<strided(4)>> to tensor<64x64xf32, #warpgroup.layout<wgmma>>
  %y = warpgroup.relayout %x : tensor<64x64xf32, #warpgroup.layout<strided(4)>> to tensor<64x64xf32, #warpgroup.layout<wgmma>>
  // CHECK: arith.addf %[[Y]], %[[Y]] : tensor<64x64xf32, #warpgroup.layout<wgmma>>
  %z = arith.addf %y, %y : tensor<64x64xf32, #warpgroup.layout<wgmma>>
  %w = warpgroup.relayout %z : tensor<64x64xf32, #warpgroup.layout<wgmma>> to tensor<64x64xf32, #warpgroup.layout<wgmma>>
  // CHECK: grid.store %{{.*}}, %{{.*}} : tensor<64x64xf32, #warpgroup.layout<wgmma>>, memref<64x64xf32>
  grid.store %w, %o : tensor<64x64xf32, #warpgroup.layout<wgmma>>, memref<64x64xf32>
  return %w : tensor<64x64xf32, #warpgroup.layout<wgmma>>
}
