// RUN: gridir-opt %s --split-input-file --warpgroup-infer-layouts --warpgroup-plan-memory --warpgroup-insert-barriers --convert-warpgroup-to-nvvm --canonicalize --cse | FileCheck %s

// A loop scales a sum of rows and adds another one to it. Each of the four lanes of a row does that with its own
// elements, starting from its share of the initial value, and the four sums are added once, after the loop.
#wgmma = #warpgroup.layout<wgmma>
#row = #warpgroup.layout<wgmma_row>
// CHECK-LABEL: gpu.module @scaled
// CHECK: %[[PART:.+]] = arith.andi %{{.+}}, %c3_i32
// CHECK: %[[OWNS:.+]] = arith.cmpi eq, %[[PART]], %c0_i32
// CHECK: arith.select %[[OWNS]], %{{.+}}, %cst
// CHECK: %[[L:.+]]:2 = scf.for
// CHECK-NOT: nvvm.shfl.sync bfly
// CHECK: scf.yield
// CHECK: %[[BITS:.+]] = arith.bitcast %[[L]]#0 : f32 to i32
// CHECK: nvvm.shfl.sync bfly %c-1_i32, %[[BITS]], %c1_i32
// CHECK: nvvm.shfl.sync bfly %c-1_i32, %{{.+}}, %c2_i32
// CHECK: llvm.return
grid.kernel @scaled grid() inputs(%x: f32 [64, 16] space gpu.gmem, %y: f32 [64] space gpu.gmem) outputs(%o: f32 [64] space gpu.gmem)
    params [#grid.mosaic_gpu_params<approx_math = true>] {
  %zero = arith.constant dense<0.0> : tensor<64xf32, #row>
  %begin = arith.constant 0 : i32
  %end = arith.constant 8 : i32
  %one = arith.constant 1 : i32
  %v = grid.load %x : memref<64x16xf32, #grid.space<gpu.gmem>> -> tensor<64x16xf32, #wgmma>
  %before = grid.load %y : memref<64xf32, #grid.space<gpu.gmem>> -> tensor<64xf32, #row>
  %sum = scf.for %k = %begin to %end step %one iter_args(%l = %before) -> (tensor<64xf32, #row>) : i32 {
    %scaled = arith.mulf %l, %before : tensor<64xf32, #row>
    %s = linalg.reduce {arith.addf} ins(%v : tensor<64x16xf32, #wgmma>) outs(%zero : tensor<64xf32, #row>) dimensions = [1]
    %next = arith.addf %scaled, %s : tensor<64xf32, #row>
    scf.yield %next : tensor<64xf32, #row>
  }
  grid.store %sum, %o : tensor<64xf32, #row>, memref<64xf32, #grid.space<gpu.gmem>>
}

// -----

// Integers wrap around in any order, so that no permission is needed.
#wgmma = #warpgroup.layout<wgmma>
#row = #warpgroup.layout<wgmma_row>
// CHECK-LABEL: gpu.module @integers
// CHECK: scf.for
// CHECK-NOT: nvvm.shfl.sync bfly
// CHECK: scf.yield
// CHECK: nvvm.shfl.sync bfly
grid.kernel @integers grid() inputs(%x: i32 [64, 16] space gpu.gmem) outputs(%o: i32 [64] space gpu.gmem) {
  %zero = arith.constant dense<0> : tensor<64xi32, #row>
  %begin = arith.constant 0 : i32
  %end = arith.constant 8 : i32
  %one = arith.constant 1 : i32
  %v = grid.load %x : memref<64x16xi32, #grid.space<gpu.gmem>> -> tensor<64x16xi32, #wgmma>
  %sum = scf.for %k = %begin to %end step %one iter_args(%l = %zero) -> (tensor<64xi32, #row>) : i32 {
    %s = linalg.reduce {arith.addi} ins(%v : tensor<64x16xi32, #wgmma>) outs(%zero : tensor<64xi32, #row>) dimensions = [1]
    %next = arith.addi %l, %s : tensor<64xi32, #row>
    scf.yield %next : tensor<64xi32, #row>
  }
  grid.store %sum, %o : tensor<64xi32, #row>, memref<64xi32, #grid.space<gpu.gmem>>
}

// -----

// Floats are added up in each iteration where the author allows no approximations.
#wgmma = #warpgroup.layout<wgmma>
#row = #warpgroup.layout<wgmma_row>
// CHECK-LABEL: gpu.module @exact
// CHECK: scf.for
// CHECK: nvvm.shfl.sync bfly
// CHECK: scf.yield
grid.kernel @exact grid() inputs(%x: f32 [64, 16] space gpu.gmem) outputs(%o: f32 [64] space gpu.gmem) {
  %zero = arith.constant dense<0.0> : tensor<64xf32, #row>
  %begin = arith.constant 0 : i32
  %end = arith.constant 8 : i32
  %one = arith.constant 1 : i32
  %v = grid.load %x : memref<64x16xf32, #grid.space<gpu.gmem>> -> tensor<64x16xf32, #wgmma>
  %sum = scf.for %k = %begin to %end step %one iter_args(%l = %zero) -> (tensor<64xf32, #row>) : i32 {
    %s = linalg.reduce {arith.addf} ins(%v : tensor<64x16xf32, #wgmma>) outs(%zero : tensor<64xf32, #row>) dimensions = [1]
    %next = arith.addf %l, %s : tensor<64xf32, #row>
    scf.yield %next : tensor<64xf32, #row>
  }
  grid.store %sum, %o : tensor<64xf32, #row>, memref<64xf32, #grid.space<gpu.gmem>>
}

// -----

// Values that are not linear, such as a square, and values without a sum, are not changed.
#wgmma = #warpgroup.layout<wgmma>
#row = #warpgroup.layout<wgmma_row>
// CHECK-LABEL: gpu.module @others
// CHECK: scf.for
// CHECK-COUNT-12: nvvm.shfl.sync bfly
// CHECK: scf.yield
// CHECK-NOT: nvvm.shfl.sync bfly
// CHECK: llvm.return
grid.kernel @others grid() inputs(%x: i32 [64, 16] space gpu.gmem) outputs(%o: i32 [3, 64] space gpu.gmem) {
  %zero = arith.constant dense<0> : tensor<64xi32, #row>
  %begin = arith.constant 0 : i32
  %end = arith.constant 8 : i32
  %one = arith.constant 1 : i32
  %v = grid.load %x : memref<64x16xi32, #grid.space<gpu.gmem>> -> tensor<64x16xi32, #wgmma>
  %a, %b, %c = scf.for %k = %begin to %end step %one iter_args(%l = %zero, %m = %zero, %n = %zero)
      -> (tensor<64xi32, #row>, tensor<64xi32, #row>, tensor<64xi32, #row>) : i32 {
    %s = linalg.reduce {arith.addi} ins(%v : tensor<64x16xi32, #wgmma>) outs(%zero : tensor<64xi32, #row>) dimensions = [1]
    %next = arith.maxsi %l, %s : tensor<64xi32, #row>
    %w = arith.muli %v, %v : tensor<64x16xi32, #wgmma>
    %t = linalg.reduce {arith.addi} ins(%w : tensor<64x16xi32, #wgmma>) outs(%zero : tensor<64xi32, #row>) dimensions = [1]
    %more = arith.addi %m, %t : tensor<64xi32, #row>
    %square = arith.muli %more, %more : tensor<64xi32, #row>
    %y = arith.muli %w, %v : tensor<64x16xi32, #wgmma>
    %u = linalg.reduce {arith.maxsi} ins(%y : tensor<64x16xi32, #wgmma>) outs(%zero : tensor<64xi32, #row>) dimensions = [1]
    %most = arith.addi %n, %u : tensor<64xi32, #row>
    scf.yield %next, %square, %most : tensor<64xi32, #row>, tensor<64xi32, #row>, tensor<64xi32, #row>
  }
  %first = grid.slice_ref %o[0, 0] [1, 64] [1, 1] drop [0] : memref<3x64xi32, #grid.space<gpu.gmem>> -> memref<64xi32, #grid.space<gpu.gmem>>
  %second = grid.slice_ref %o[1, 0] [1, 64] [1, 1] drop [0] : memref<3x64xi32, #grid.space<gpu.gmem>> -> memref<64xi32, #grid.space<gpu.gmem>>
  %third = grid.slice_ref %o[2, 0] [1, 64] [1, 1] drop [0] : memref<3x64xi32, #grid.space<gpu.gmem>> -> memref<64xi32, #grid.space<gpu.gmem>>
  grid.store %a, %first : tensor<64xi32, #row>, memref<64xi32, #grid.space<gpu.gmem>>
  grid.store %b, %second : tensor<64xi32, #row>, memref<64xi32, #grid.space<gpu.gmem>>
  grid.store %c, %third : tensor<64xi32, #row>, memref<64xi32, #grid.space<gpu.gmem>>
}
