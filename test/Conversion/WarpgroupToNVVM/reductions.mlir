// RUN: gridir-opt %s --split-input-file --warpgroup-infer-layouts --warpgroup-plan-memory --warpgroup-insert-barriers --convert-warpgroup-to-nvvm --canonicalize --cse | FileCheck %s

// Four lanes have the elements of a row: each adds its own, and exchanges the sum with the lanes whose numbers differ in
// the last bit, and in the one before. The first of the four stores the sum, to which no zero is added.
// CHECK-LABEL: gpu.module @rows
// CHECK: %[[ONE:.+]] = nvvm.shfl.sync bfly %c-1_i32, %{{.+}}, %c1_i32, %c31_i32 : i32 -> i32
// CHECK: arith.bitcast %[[ONE]] : i32 to f32
// CHECK: %[[TWO:.+]] = nvvm.shfl.sync bfly %c-1_i32, %{{.+}}, %c2_i32, %c31_i32 : i32 -> i32
// CHECK-NOT: nvvm.shfl.sync bfly {{.*}}, %c4_i32, %c31_i32
// CHECK-NOT: arith.addf {{.*}}%cst
// CHECK: %[[FIRST:.+]] = arith.cmpi eq, %{{.+}}, %c0_i32
// CHECK: scf.if %[[FIRST]]
// CHECK-NEXT: llvm.store %{{.+}} : f32, !llvm.ptr<1>
#wgmma = #warpgroup.layout<wgmma>
#row = #warpgroup.layout<wgmma_row>
grid.kernel @rows grid() inputs(%x: f32 [64, 16] space #warpgroup.space<gmem>) outputs(%o: f32 [64] space #warpgroup.space<gmem>) {
  %v = grid.load %x : memref<64x16xf32, #warpgroup.space<gmem>> -> tensor<64x16xf32, #wgmma>
  %zero = arith.constant dense<0.0> : tensor<64xf32, #row>
  %s = linalg.reduce {arith.addf} ins(%v : tensor<64x16xf32, #wgmma>) outs(%zero : tensor<64xf32, #row>) dimensions = [1]
  grid.store %s, %o : tensor<64xf32, #row>, memref<64xf32, #warpgroup.space<gmem>>
}

// -----

// A product of two arrays whose summands no thread holds: both are stored, and each thread iterates over them for the
// results that it holds.
// CHECK-LABEL: gpu.module @product
// CHECK: llvm.store %{{.+}} : vector<{{.+}}xf32>, !llvm.ptr<3>
// CHECK: nvvm.barrier
// CHECK: %[[SUM:.+]] = scf.for %[[K:.+]] = %c0 to %c64 step %c1 iter_args(%[[BEFORE:.+]] = %{{.+}}) -> (f32) {
// CHECK: %[[A:.+]] = llvm.load %{{.+}} : !llvm.ptr<3> -> f32
// CHECK: %[[B:.+]] = llvm.load %{{.+}} : !llvm.ptr<3> -> f32
// CHECK: %[[P:.+]] = arith.mulf %[[A]], %[[B]]
// CHECK: arith.addf %[[P]], %[[BEFORE]]
#rows = affine_map<(i, j) -> (i, j)>
#columns = affine_map<(i, j) -> (j, i)>
#sums = affine_map<(i, j) -> (i)>
grid.kernel @product grid() inputs(%x: f32 [64, 64] space #warpgroup.space<gmem>) outputs(%o: f32 [64] space #warpgroup.space<gmem>) {
  %v = grid.load %x : memref<64x64xf32, #warpgroup.space<gmem>> -> tensor<64x64xf32>
  %z = arith.constant dense<0.0> : tensor<64xf32>
  %w = linalg.generic {indexing_maps = [#rows, #columns, #sums], iterator_types = ["parallel", "reduction"]}
      ins(%v, %v : tensor<64x64xf32>, tensor<64x64xf32>) outs(%z : tensor<64xf32>) {
  ^bb0(%a: f32, %b: f32, %c: f32):
    %p = arith.mulf %a, %b : f32
    %s = arith.addf %p, %c : f32
    linalg.yield %s : f32
  } -> tensor<64xf32>
  grid.store %w, %o : tensor<64xf32>, memref<64xf32, #warpgroup.space<gmem>>
}

// -----

// So are what depends on the index of an element, and several results of it.
// CHECK-LABEL: gpu.module @largest
// CHECK: %[[BOTH:.+]]:2 = scf.for %[[J:.+]] = %c0 to %c32 step %c1 iter_args(%[[MOST:.+]] = %{{.+}}, %[[WHERE:.+]] = %{{.+}}) -> (f32, i32) {
// CHECK: %[[X:.+]] = llvm.load %{{.+}} : !llvm.ptr<3> -> f32
// CHECK: %[[MORE:.+]] = arith.cmpf ogt, %[[X]], %[[MOST]]
// CHECK: arith.select %[[MORE]], %[[X]], %[[MOST]]
// CHECK: arith.select %[[MORE]], %{{.+}}, %[[WHERE]]
// CHECK: llvm.store %[[BOTH]]#1
#each = affine_map<(i, j) -> (i, j)>
#row = affine_map<(i, j) -> (i)>
grid.kernel @largest grid() inputs(%x: f32 [128, 32] space #warpgroup.space<gmem>) outputs(%o: i32 [128] space #warpgroup.space<gmem>) {
  %v = grid.load %x : memref<128x32xf32, #warpgroup.space<gmem>> -> tensor<128x32xf32>
  %least = arith.constant dense<0xFF800000> : tensor<128xf32>
  %first = arith.constant dense<0> : tensor<128xi32>
  %m, %w = linalg.generic {indexing_maps = [#each, #row, #row], iterator_types = ["parallel", "reduction"]}
      ins(%v : tensor<128x32xf32>) outs(%least, %first : tensor<128xf32>, tensor<128xi32>) {
  ^bb0(%a: f32, %most: f32, %where: i32):
    %j = linalg.index 1 : index
    %here = arith.index_cast %j : index to i32
    %more = arith.cmpf ogt, %a, %most : f32
    %value = arith.select %more, %a, %most : f32
    %index = arith.select %more, %here, %where : i32
    linalg.yield %value, %index : f32, i32
  } -> (tensor<128xf32>, tensor<128xi32>)
  grid.store %w, %o : tensor<128xi32>, memref<128xi32, #warpgroup.space<gmem>>
}

// -----

// A shuffle moves 32 bits, and these have 64.
// CHECK-LABEL: gpu.module @wide
// CHECK-NOT: nvvm.shfl.sync bfly
// CHECK: scf.for {{.*}} -> (i64) {
grid.kernel @wide grid() inputs(%x: i64 [64, 64] space #warpgroup.space<gmem>) outputs(%o: i64 [64] space #warpgroup.space<gmem>) {
  %v = grid.load %x : memref<64x64xi64, #warpgroup.space<gmem>> -> tensor<64x64xi64>
  %z = arith.constant dense<0> : tensor<64xi64>
  %w = linalg.reduce {arith.addi} ins(%v : tensor<64x64xi64>) outs(%z : tensor<64xi64>) dimensions = [1]
  grid.store %w, %o : tensor<64xi64>, memref<64xi64, #warpgroup.space<gmem>>
}

// -----

// Sums of single threads, as warpgroup-defer-reductions makes them, exchange nothing: a thread adds its four elements. The
// sums of the four threads of a row are exchanged after the loop.
// CHECK-LABEL: gpu.module @partial
// CHECK: %[[SUM:.+]] = scf.for
// CHECK-NOT: nvvm.shfl.sync bfly
// CHECK-NOT: nvvm.barrier
// CHECK: scf.yield
// CHECK: nvvm.shfl.sync bfly %c-1_i32, %[[SUM]], %c1_i32
// CHECK: nvvm.shfl.sync bfly %c-1_i32, %{{.+}}, %c2_i32
// CHECK-NOT: nvvm.shfl.sync bfly
// CHECK: llvm.return
#row = #warpgroup.layout<[32], registers = [], lanes = [[0], [0], [1], [2], [4]], warps = [[8], [16]]>
#single = #warpgroup.layout<strided(1)>
#four = #warpgroup.layout<strided(4)>
grid.kernel @partial grid() inputs(%x: i32 [32, 16] space #warpgroup.space<gmem>) outputs(%o: i32 [32] space #warpgroup.space<gmem>) {
  %begin = arith.constant 0 : i32
  %end = arith.constant 8 : i32
  %one = arith.constant 1 : i32
  %zero = arith.constant dense<0> : tensor<32xi32, #row>
  %init = arith.constant dense<0> : tensor<32x4xi32, #single>
  %v = grid.load %x : memref<32x16xi32, #warpgroup.space<gmem>> -> tensor<32x16xi32, #four>
  %sums = scf.for %k = %begin to %end step %one iter_args(%l = %init) -> (tensor<32x4xi32, #single>) : i32 {
    %e = tensor.expand_shape %v [[0], [1, 2]] output_shape [32, 4, 4] : tensor<32x16xi32, #four> into tensor<32x4x4xi32, #four>
    %s = linalg.reduce {arith.addi} ins(%e : tensor<32x4x4xi32, #four>) outs(%init : tensor<32x4xi32, #single>) dimensions = [2]
    %next = arith.addi %l, %s : tensor<32x4xi32, #single>
    scf.yield %next : tensor<32x4xi32, #single>
  }
  %sum = linalg.reduce {arith.addi} ins(%sums : tensor<32x4xi32, #single>) outs(%zero : tensor<32xi32, #row>) dimensions = [1]
  grid.store %sum, %o : tensor<32xi32, #row>, memref<32xi32, #warpgroup.space<gmem>>
}
