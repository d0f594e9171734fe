// RUN: gridir-opt %s --split-input-file --warpgroup-defer-reductions --verify-diagnostics --mlir-pass-statistics --mlir-pass-statistics-display=list 2> %t.statistics | FileCheck %s
// RUN: FileCheck %s --check-prefix=STATISTICS < %t.statistics

// A loop scales a sum of rows and adds another one to it. Each of the four lanes of a row does that with its own
// elements, the first one from the initial value, and the four sums are added after the loop.
#wgmma = #warpgroup.layout<wgmma>
#row = #warpgroup.layout<wgmma_row>
// STATISTICS: (S) 1 num-deferred
// CHECK-LABEL: grid.kernel @scaled
// CHECK:       %[[BEFORE:.+]] = grid.load %{{.+}} : memref<64xf32,
// CHECK:       %[[INIT:.+]] = linalg.generic {indexing_maps = [#{{.+}}, #{{.+}}], iterator_types = ["parallel", "parallel"]} ins(%[[BEFORE]] :
// CHECK:       ^bb0(%[[VALUE:.+]]: f32, %{{.+}}: f32):
// CHECK:       %[[LANE:.+]] = linalg.index 1
// CHECK:       %[[IS:.+]] = arith.cmpi eq, %[[LANE]], %c0
// CHECK:       %[[SELECTED:.+]] = arith.select %[[IS]], %[[VALUE]], %{{.+}} : f32
// CHECK:       linalg.yield %[[SELECTED]]
// CHECK:       %[[LOOP:.+]] = scf.for {{.+}} iter_args(%[[L:.+]] = %[[INIT]]) -> (tensor<64x4xf32, [[PARTIAL:#warpgroup.+>]]>)
// CHECK:       %[[SCALE:.+]] = linalg.broadcast ins(%[[BEFORE]] : {{.+}} dimensions = [1]
// CHECK:       %[[SCALED:.+]] = arith.mulf %[[L]], %[[SCALE]] : tensor<64x4xf32, [[PARTIAL]]>
// CHECK:       %[[EXPANDED:.+]] = tensor.expand_shape %{{.+}} {{\[\[}}0], [1, 2, 3]] output_shape [64, 2, 4, 2]
// CHECK:       %[[PARTS:.+]] = linalg.generic {indexing_maps = [#{{.+}}, #{{.+}}], iterator_types = ["parallel", "reduction", "parallel", "reduction"]} ins(%[[EXPANDED]] :
// CHECK:       %[[NEXT:.+]] = arith.addf %[[SCALED]], %[[PARTS]] : tensor<64x4xf32, [[PARTIAL]]>
// CHECK:       scf.yield %[[NEXT]]
// CHECK:       %[[TOTAL:.+]] = linalg.reduce {{.+}} ins(%[[LOOP]] : {{.+}} outs(%{{.+}} : tensor<64xf32, #warpgroup.layout<wgmma_row>>) dimensions = [1]
// CHECK:       grid.store %[[TOTAL]]
grid.kernel @scaled grid() inputs(%x: f32 [64, 16] space #warpgroup.space<gmem>, %y: f32 [64] space #warpgroup.space<gmem>) outputs(%o: f32 [64] space #warpgroup.space<gmem>)
    params [#grid.mosaic_gpu_params<approx_math = true>] {
  %zero = arith.constant dense<0.0> : tensor<64xf32, #row>
  %begin = arith.constant 0 : i32
  %end = arith.constant 8 : i32
  %one = arith.constant 1 : i32
  %v = grid.load %x : memref<64x16xf32, #warpgroup.space<gmem>> -> tensor<64x16xf32, #wgmma>
  %before = grid.load %y : memref<64xf32, #warpgroup.space<gmem>> -> tensor<64xf32, #row>
  // expected-note @below {{to after this loop}}
  %sum = scf.for %k = %begin to %end step %one iter_args(%l = %before) -> (tensor<64xf32, #row>) : i32 {
    %scaled = arith.mulf %l, %before : tensor<64xf32, #row>
    // expected-remark @below {{sum across 4 threads deferred}}
    %s = linalg.reduce {arith.addf} ins(%v : tensor<64x16xf32, #wgmma>) outs(%zero : tensor<64xf32, #row>) dimensions = [1]
    %next = arith.addf %scaled, %s : tensor<64xf32, #row>
    scf.yield %next : tensor<64xf32, #row>
  }
  grid.store %sum, %o : tensor<64xf32, #row>, memref<64xf32, #warpgroup.space<gmem>>
}

// -----

// Integers need no permission. Rows are in eight lanes and four warps, whose sums have a dimension each, and in two
// registers, which the loop adds. Zeros are divided without a selection. Two sums are added to one value.
#wgmma = #warpgroup.layout<wgmma>
#column = #warpgroup.layout<wgmma_col>
// STATISTICS: (S) 1 num-deferred
// CHECK-LABEL: grid.kernel @columns
// CHECK:       %[[ZERO:.+]] = arith.constant dense<0> : tensor<16x4x8xi32,
// CHECK:       %[[LOOP:.+]] = scf.for {{.+}} iter_args(%[[L:.+]] = %[[ZERO]])
// CHECK:       tensor.expand_shape %{{.+}} {{\[\[}}0, 1, 2], [3]] output_shape [4, 2, 8, 16]
// CHECK:       linalg.generic {indexing_maps = [#{{.+}}, #{{.+}}], iterator_types = ["parallel", "reduction", "parallel", "parallel"]}
// CHECK:       tensor.expand_shape %{{.+}} {{\[\[}}0, 1, 2], [3]] output_shape [4, 2, 8, 16]
// CHECK:       linalg.generic {indexing_maps = [#{{.+}}, #{{.+}}], iterator_types = ["parallel", "reduction", "parallel", "parallel"]}
// CHECK-NOT:   linalg.reduce
// CHECK:       scf.yield
// CHECK:       linalg.reduce {{.+}} ins(%[[LOOP]] : {{.+}} dimensions = [1, 2]
grid.kernel @columns grid() inputs(%x: i32 [64, 16] space #warpgroup.space<gmem>) outputs(%o: i32 [16] space #warpgroup.space<gmem>) {
  %zero = arith.constant dense<0> : tensor<16xi32, #column>
  %none = arith.constant 0 : i32
  %empty = tensor.empty() : tensor<16xi32, #column>
  %filled = linalg.fill ins(%none : i32) outs(%empty : tensor<16xi32, #column>) -> tensor<16xi32, #column>
  %begin = arith.constant 0 : i32
  %end = arith.constant 8 : i32
  %one = arith.constant 1 : i32
  %v = grid.load %x : memref<64x16xi32, #warpgroup.space<gmem>> -> tensor<64x16xi32, #wgmma>
  // expected-note @below {{to after this loop}}
  %sum = scf.for %k = %begin to %end step %one iter_args(%l = %zero) -> (tensor<16xi32, #column>) : i32 {
    // expected-remark @below {{sum across 32 threads deferred}}
    %s = linalg.reduce {arith.addi} ins(%v : tensor<64x16xi32, #wgmma>) outs(%zero : tensor<16xi32, #column>) dimensions = [0]
    // expected-remark @below {{sum across 32 threads deferred}}
    %t = linalg.reduce {arith.addi} ins(%v : tensor<64x16xi32, #wgmma>) outs(%filled : tensor<16xi32, #column>) dimensions = [0]
    %next = arith.addi %l, %s : tensor<16xi32, #column>
    %more = arith.addi %t, %next : tensor<16xi32, #column>
    scf.yield %more : tensor<16xi32, #column>
  }
  grid.store %sum, %o : tensor<16xi32, #column>, memref<16xi32, #warpgroup.space<gmem>>
}

// -----

// Floats are added in each iteration where the author allows no approximations.
#wgmma = #warpgroup.layout<wgmma>
#row = #warpgroup.layout<wgmma_row>
// STATISTICS: (S) 0 num-deferred
// CHECK-LABEL: grid.kernel @exact
// CHECK-NOT:   tensor.expand_shape
grid.kernel @exact grid() inputs(%x: f32 [64, 16] space #warpgroup.space<gmem>) outputs(%o: f32 [64] space #warpgroup.space<gmem>) {
  %zero = arith.constant dense<0.0> : tensor<64xf32, #row>
  %begin = arith.constant 0 : i32
  %end = arith.constant 8 : i32
  %one = arith.constant 1 : i32
  %v = grid.load %x : memref<64x16xf32, #warpgroup.space<gmem>> -> tensor<64x16xf32, #wgmma>
  %sum = scf.for %k = %begin to %end step %one iter_args(%l = %zero) -> (tensor<64xf32, #row>) : i32 {
    %s = linalg.reduce {arith.addf} ins(%v : tensor<64x16xf32, #wgmma>) outs(%zero : tensor<64xf32, #row>) dimensions = [1]
    %next = arith.addf %l, %s : tensor<64xf32, #row>
    scf.yield %next : tensor<64xf32, #row>
  }
  grid.store %sum, %o : tensor<64xf32, #row>, memref<64xf32, #warpgroup.space<gmem>>
}

// -----

// Values that are not linear, such as a square, values without a sum, sums of the elements of single threads, sums to
// which a number is added, and sums that other ops read stay.
#wgmma = #warpgroup.layout<wgmma>
#row = #warpgroup.layout<wgmma_row>
#alone = #warpgroup.layout<[128, 1], registers = [], lanes = [[1, 0], [2, 0], [4, 0], [8, 0], [16, 0]], warps = [[32, 0], [64, 0]]>
#thread = #warpgroup.layout<strided(1)>
// STATISTICS: (S) 0 num-deferred
// CHECK-LABEL: grid.kernel @others
// CHECK-NOT:   tensor.expand_shape
grid.kernel @others grid() inputs(%x: i32 [64, 16] space #warpgroup.space<gmem>, %y: i32 [128, 2] space #warpgroup.space<gmem>) {
  %zero = arith.constant dense<0> : tensor<64xi32, #row>
  %ones = arith.constant dense<1> : tensor<64xi32, #row>
  %none = arith.constant dense<0> : tensor<128xi32, #thread>
  %begin = arith.constant 0 : i32
  %end = arith.constant 8 : i32
  %one = arith.constant 1 : i32
  %v = grid.load %x : memref<64x16xi32, #warpgroup.space<gmem>> -> tensor<64x16xi32, #wgmma>
  %w = grid.load %y : memref<128x2xi32, #warpgroup.space<gmem>> -> tensor<128x2xi32, #alone>
  %all:6 = scf.for %k = %begin to %end step %one iter_args(%l = %zero, %m = %zero, %n = %zero, %p = %none, %q = %zero, %r = %zero)
      -> (tensor<64xi32, #row>, tensor<64xi32, #row>, tensor<64xi32, #row>, tensor<128xi32, #thread>, tensor<64xi32, #row>, tensor<64xi32, #row>) : i32 {
    %s = linalg.reduce {arith.addi} ins(%v : tensor<64x16xi32, #wgmma>) outs(%zero : tensor<64xi32, #row>) dimensions = [1]
    %next = arith.maxsi %l, %s : tensor<64xi32, #row>
    %t = linalg.reduce {arith.addi} ins(%v : tensor<64x16xi32, #wgmma>) outs(%zero : tensor<64xi32, #row>) dimensions = [1]
    %more = arith.addi %m, %t : tensor<64xi32, #row>
    %square = arith.muli %more, %more : tensor<64xi32, #row>
    %u = linalg.reduce {arith.maxsi} ins(%v : tensor<64x16xi32, #wgmma>) outs(%zero : tensor<64xi32, #row>) dimensions = [1]
    %most = arith.addi %n, %u : tensor<64xi32, #row>
    %a = linalg.reduce {arith.addi} ins(%w : tensor<128x2xi32, #alone>) outs(%none : tensor<128xi32, #thread>) dimensions = [1]
    %own = arith.addi %p, %a : tensor<128xi32, #thread>
    %b = linalg.reduce {arith.addi} ins(%v : tensor<64x16xi32, #wgmma>) outs(%ones : tensor<64xi32, #row>) dimensions = [1]
    %plus = arith.addi %q, %b : tensor<64xi32, #row>
    %c = linalg.reduce {arith.addi} ins(%v : tensor<64x16xi32, #wgmma>) outs(%zero : tensor<64xi32, #row>) dimensions = [1]
    %d = arith.addi %c, %c : tensor<64xi32, #row>
    %twice = arith.addi %r, %d : tensor<64xi32, #row>
    scf.yield %next, %square, %most, %own, %plus, %twice
        : tensor<64xi32, #row>, tensor<64xi32, #row>, tensor<64xi32, #row>, tensor<128xi32, #thread>, tensor<64xi32, #row>, tensor<64xi32, #row>
  }
}

// -----

// An inner loop completes its sum in each iteration of the outer one.
#wgmma = #warpgroup.layout<wgmma>
#row = #warpgroup.layout<wgmma_row>
// STATISTICS: (S) 1 num-deferred
// CHECK-LABEL: grid.kernel @nested
// CHECK:       scf.for {{.+}} -> (tensor<64xi32,
// CHECK:       scf.for {{.+}} -> (tensor<64x4xi32,
// CHECK:       linalg.reduce
// CHECK-NEXT:  scf.yield
// CHECK-NEXT:  }
// CHECK-NEXT:  grid.store
grid.kernel @nested grid() inputs(%x: i32 [64, 16] space #warpgroup.space<gmem>) outputs(%o: i32 [64] space #warpgroup.space<gmem>) {
  %zero = arith.constant dense<0> : tensor<64xi32, #row>
  %begin = arith.constant 0 : i32
  %end = arith.constant 8 : i32
  %one = arith.constant 1 : i32
  %v = grid.load %x : memref<64x16xi32, #warpgroup.space<gmem>> -> tensor<64x16xi32, #wgmma>
  %sum = scf.for %j = %begin to %end step %one iter_args(%outer = %zero) -> (tensor<64xi32, #row>) : i32 {
    // expected-note @below {{to after this loop}}
    %inner = scf.for %k = %begin to %end step %one iter_args(%l = %outer) -> (tensor<64xi32, #row>) : i32 {
      // expected-remark @below {{sum across 4 threads deferred}}
      %s = linalg.reduce {arith.addi} ins(%v : tensor<64x16xi32, #wgmma>) outs(%zero : tensor<64xi32, #row>) dimensions = [1]
      %next = arith.addi %l, %s : tensor<64xi32, #row>
      scf.yield %next : tensor<64xi32, #row>
    }
    scf.yield %inner : tensor<64xi32, #row>
  }
  grid.store %sum, %o : tensor<64xi32, #row>, memref<64xi32, #warpgroup.space<gmem>>
}
