// RUN: gridir-opt %s --split-input-file --warpgroup-plan-memory --warpgroup-insert-barriers --convert-warpgroup-to-nvvm | FileCheck %s
// RUN: gridir-opt %s --split-input-file --warpgroup-infer-layouts --warpgroup-plan-memory --warpgroup-insert-barriers --convert-warpgroup-to-nvvm | FileCheck %s

// Each thread has its part of both windows: of 32 elements it stores 16 that it has loaded.
// CHECK-LABEL: llvm.func @tiles
// CHECK-COUNT-32: llvm.load %{{.*}} -> vector<2xf32>
// CHECK-NOT:      !llvm.ptr<3> -> f32
// CHECK-COUNT-16: llvm.store %{{.*}} : vector<2xf32>
// CHECK-NOT:      llvm.store
#wgmma = #warpgroup.layout<wgmma>
grid.kernel @tiles grid() inputs(%x: f32 [64, 128] space #warpgroup.space<gmem>) outputs(%o: f32 [64, 64] space #warpgroup.space<gmem>) semantics [] {
  %v = grid.load %x : memref<64x128xf32, #warpgroup.space<gmem>> -> tensor<64x128xf32, #wgmma>
  %c = warpgroup.layout_cast %v "WGMMA" (#wgmma) : tensor<64x128xf32, #wgmma>
  %w = tensor.extract_slice %c[0, 64] [64, 64] [1, 1] : tensor<64x128xf32, #wgmma> to tensor<64x64xf32, #wgmma>
  grid.store %w, %o : tensor<64x64xf32, #wgmma>, memref<64x64xf32, #warpgroup.space<gmem>>
}

// -----

// One element becomes another, in the register of the thread that has it.
// CHECK-LABEL: llvm.func @element
// CHECK:         %[[ONE:.*]] = arith.constant 1.0
// CHECK:         %[[IS:.*]] = arith.cmpi eq
// CHECK:         arith.select %{{.*}}, %[[ONE]], %{{.*}} : f32
#strided = #warpgroup.layout<strided(1)>
grid.kernel @element grid() inputs(%x: f32 [128] space #warpgroup.space<gmem>) outputs(%o: f32 [128] space #warpgroup.space<gmem>) semantics [] {
  %one = arith.constant 1.0 : f32
  %c3 = arith.constant 3 : index
  %v = grid.load %x : memref<128xf32, #warpgroup.space<gmem>> -> tensor<128xf32, #strided>
  %w = tensor.insert %one into %v[%c3] : tensor<128xf32, #strided>
  grid.store %w, %o : tensor<128xf32, #strided>, memref<128xf32, #warpgroup.space<gmem>>
}

// -----

// The first element of each row is read where the array is stored.
// CHECK-LABEL: llvm.func @first_column
// CHECK-COUNT-8: llvm.store %{{.*}} : vector<4xf32>, !llvm.ptr<3>
// CHECK:         nvvm.barrier
// CHECK:         llvm.load %{{.*}} : !llvm.ptr<3> -> f32
#rows = #warpgroup.layout<[8, 64], registers = [[0, 1], [0, 2]], lanes = [[0, 4], [0, 8], [0, 16], [0, 32], [1, 0]], warps = [[2, 0], [4, 0]]>
#vector = #warpgroup.layout<[64], registers = [], lanes = [[1], [2], [4], [8], [16]], warps = [[32], [0]]>
grid.kernel @first_column grid() inputs(%x: f32 [64, 64] space #warpgroup.space<gmem>) outputs(%o: f32 [64] space #warpgroup.space<gmem>) semantics [] {
  %v = grid.load %x : memref<64x64xf32, #warpgroup.space<gmem>> -> tensor<64x64xf32, #rows>
  %e = tensor.empty() : tensor<64xf32, #vector>
  %w = linalg.generic {indexing_maps = [affine_map<(i) -> (i, 0)>, affine_map<(i) -> (i)>], iterator_types = ["parallel"]}
      ins(%v : tensor<64x64xf32, #rows>) outs(%e : tensor<64xf32, #vector>) {
  ^bb0(%a: f32, %b: f32):
    linalg.yield %a : f32
  } -> tensor<64xf32, #vector>
  grid.store %w, %o : tensor<64xf32, #vector>, memref<64xf32, #warpgroup.space<gmem>>
}

// -----

// Windows of a Ref in registers are other registers of it.
// CHECK: gpu.module @registers
// CHECK-NOT: llvm.store {{.*}} !llvm.ptr<3>
// CHECK: %[[ONE:.+]] = arith.constant 1.000000e+00 : f32
// CHECK-COUNT-16: llvm.store %[[ONE]], %{{.+}} : f32, !llvm.ptr
// CHECK-COUNT-8: llvm.store {{.*}} : vector<2xf32>, !llvm.ptr<1>
#wgmma = #warpgroup.layout<wgmma>
grid.kernel @registers grid() outputs(%o: f32 [64, 64] space #warpgroup.space<gmem>) {
  grid.scoped (%t: memref<64x64xf32, #warpgroup.space<regs>>) {
    %v = arith.constant dense<0.0> : tensor<64x64xf32, #wgmma>
    grid.store %v, %t : tensor<64x64xf32, #wgmma>, memref<64x64xf32, #warpgroup.space<regs>>
    %w = grid.slice_ref %t[0, 32] [64, 32] [1, 1] : memref<64x64xf32, #warpgroup.space<regs>> -> memref<64x32xf32, #warpgroup.space<regs>>
    %one = arith.constant dense<1.0> : tensor<64x32xf32, #wgmma>
    grid.store %one, %w : tensor<64x32xf32, #wgmma>, memref<64x32xf32, #warpgroup.space<regs>>
    %a = grid.load %w : memref<64x32xf32, #warpgroup.space<regs>> -> tensor<64x32xf32, #wgmma>
    %u = grid.slice_ref %o[0, 0] [64, 32] [1, 1] : memref<64x64xf32, #warpgroup.space<gmem>> -> memref<64x32xf32, #warpgroup.space<gmem>>
    grid.store %a, %u : tensor<64x32xf32, #wgmma>, memref<64x32xf32, #warpgroup.space<gmem>>
  }
}
