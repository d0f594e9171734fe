// RUN: gridir-opt %s --pass-pipeline='builtin.module(grid.kernel(warpgroup-split-reductions))' | FileCheck %s
// RUN: gridir-opt %s --pass-pipeline='builtin.module(grid.kernel(warpgroup-split-reductions))' -o /dev/null --mlir-pass-statistics --mlir-pass-statistics-display=list 2>&1 | FileCheck %s --check-prefix=STATISTICS
// STATISTICS: (S) 7 num-split

// A reduction of a row that registers do not hold, and a store of such a row, are loops over parts. Parts are computed
// from parts of the block; what depends on the whole row is computed once.
// CHECK-LABEL: grid.kernel @rows
// CHECK-NOT:   tensor<2x32768xf32>
// CHECK:       %[[SUM:.*]] = scf.for %[[I:.*]] = %{{.*}} to %c32768 step %c4096{{.*}} iter_args(%[[ACC:.*]] = %{{.*}}) -> (tensor<2xf32>) {
// CHECK:         %[[W:.*]] = grid.slice_ref %{{.*}}[0, %[[I]]] [2, 4096] [1, 1]
// CHECK:         %[[V:.*]] = grid.load %[[W]]
// CHECK:         %[[E:.*]] = math.exp %[[V]] : tensor<2x4096xf32>
// CHECK:         %[[NEXT:.*]] = linalg.reduce ins(%[[E]] : tensor<2x4096xf32>) outs(%[[ACC]] : tensor<2xf32>) dimensions = [1]
// CHECK:         scf.yield %[[NEXT]]
// CHECK:       %[[LOG:.*]] = math.log %[[SUM]] : tensor<2xf32>
// CHECK:       scf.for %[[J:.*]] = {{.*}} {
// CHECK:         grid.load
// CHECK:         linalg.broadcast ins(%[[LOG]] : tensor<2xf32>) outs(%{{.*}} : tensor<2x4096xf32>)
// CHECK:         arith.subf
// CHECK:         %[[O:.*]] = grid.slice_ref %{{.*}}[0, %[[J]]] [2, 4096] [1, 1]
// CHECK:         grid.store %{{.*}}, %[[O]]
grid.kernel @rows grid(%i = 4)
    inputs(%x: f32 [8, 32768] block [2, 32768] at (%i, 0))
    outputs(%o: f32 [8, 32768] block [2, 32768] at (%i, 0)) semantics [parallel] {
  %v = grid.load %x : memref<2x32768xf32, #grid.space<default>> -> tensor<2x32768xf32>
  %e = math.exp %v : tensor<2x32768xf32>
  %zero = arith.constant dense<0.0> : tensor<2xf32>
  %sum = linalg.reduce ins(%e : tensor<2x32768xf32>) outs(%zero : tensor<2xf32>) dimensions = [1]
    (%in: f32, %init: f32) {
      %add = arith.addf %in, %init : f32
      linalg.yield %add : f32
    }
  %log = math.log %sum : tensor<2xf32>
  %empty = tensor.empty() : tensor<2x32768xf32>
  %b = linalg.broadcast ins(%log : tensor<2xf32>) outs(%empty : tensor<2x32768xf32>) dimensions = [1]
  %d = arith.subf %v, %b : tensor<2x32768xf32>
  grid.store %d, %o : tensor<2x32768xf32>, memref<2x32768xf32, #grid.space<default>>
}

// All elements of a block are added: the longest dimension is in parts. No divisor of 333 below 128 keeps 77 elements of
// each row together otherwise.
// CHECK-LABEL: grid.kernel @all
// CHECK:       scf.for %[[I:.*]] = %{{.*}} to %c333 step %c37
// CHECK:         grid.slice_ref %{{.*}}[%[[I]], 0] [37, 77] [1, 1]
grid.kernel @all grid(%i = 4)
    inputs(%x: f32 [333, 77]) outputs(%o: f32 [4] block [1] at (%i)) semantics [parallel] {
  %v = grid.load %x : memref<333x77xf32, #grid.space<default>> -> tensor<333x77xf32>
  %zero = arith.constant dense<0.0> : tensor<f32>
  %sum = linalg.reduce ins(%v : tensor<333x77xf32>) outs(%zero : tensor<f32>) dimensions = [0, 1]
    (%in: f32, %init: f32) {
      %add = arith.addf %in, %init : f32
      linalg.yield %add : f32
    }
  %r = tensor.expand_shape %sum [] output_shape [1] : tensor<f32> into tensor<1xf32>
  grid.store %r, %o : tensor<1xf32>, memref<1xf32, #grid.space<default>>
}

// No suitable part divides the row: the last part has elements that were added and stored before.
// CHECK-LABEL: grid.kernel @vocabulary
// CHECK:       %[[SUM:.*]] = scf.for %{{.*}} = %{{.*}} to %c49152 step %c4096
// CHECK:       %[[W:.*]] = grid.slice_ref %{{.*}}[0, %[[LAST:c46161.*]]] [1, 4096] [1, 1]
// CHECK:       %[[V:.*]] = grid.load %[[W]]
// CHECK:       %[[NEW:.*]] = linalg.generic
// CHECK:         %[[I:.*]] = linalg.index 1
// CHECK:         arith.cmpi sge, %[[I]], %c2991
// CHECK:       %[[N:.*]] = arith.select %[[NEW]], %[[V]], %{{.*}}
// CHECK:       %[[ALL:.*]] = linalg.reduce {{.*}} ins(%[[N]] : tensor<1x4096xf32>) outs(%[[SUM]] : tensor<1xf32>)
// CHECK:       scf.for %{{.*}} = %{{.*}} to %c49152
// CHECK:       grid.store %{{.*}}, %{{.*}} : tensor<1x4096xf32>
// CHECK:       grid.load
// CHECK:       %[[O:.*]] = grid.slice_ref %{{.*}}[0, %c46161{{.*}}] [1, 4096] [1, 1]
// CHECK:       grid.store %{{.*}}, %[[O]] : tensor<1x4096xf32>
grid.kernel @vocabulary grid(%i = 4)
    inputs(%x: f32 [4, 50257] block [1, 50257] at (%i, 0))
    outputs(%o: f32 [4, 50257] block [1, 50257] at (%i, 0)) semantics [parallel] {
  %v = grid.load %x : memref<1x50257xf32, #grid.space<default>> -> tensor<1x50257xf32>
  %zero = arith.constant dense<0.0> : tensor<1xf32>
  %sum = linalg.reduce {arith.addf} ins(%v : tensor<1x50257xf32>) outs(%zero : tensor<1xf32>) dimensions = [1]
  %empty = tensor.empty() : tensor<1x50257xf32>
  %b = linalg.broadcast ins(%sum : tensor<1xf32>) outs(%empty : tensor<1x50257xf32>) dimensions = [1]
  %d = arith.divf %v, %b : tensor<1x50257xf32>
  grid.store %d, %o : tensor<1x50257xf32>, memref<1x50257xf32, #grid.space<default>>
}

// Registers hold a part of this block, whose rows are independent.
// CHECK-LABEL: grid.kernel @small
// CHECK-NOT:   scf.for
grid.kernel @small grid(%i = 4)
    inputs(%x: f32 [32, 4096] block [8, 4096] at (%i, 0))
    outputs(%o: f32 [32, 4096] block [8, 4096] at (%i, 0)) semantics [parallel] {
  %v = grid.load %x : memref<8x4096xf32, #grid.space<default>> -> tensor<8x4096xf32>
  %zero = arith.constant dense<0.0> : tensor<8xf32>
  %sum = linalg.reduce ins(%v : tensor<8x4096xf32>) outs(%zero : tensor<8xf32>) dimensions = [1]
    (%in: f32, %init: f32) {
      %add = arith.addf %in, %init : f32
      linalg.yield %add : f32
    }
  %empty = tensor.empty() : tensor<8x4096xf32>
  %b = linalg.broadcast ins(%sum : tensor<8xf32>) outs(%empty : tensor<8x4096xf32>) dimensions = [1]
  grid.store %b, %o : tensor<8x4096xf32>, memref<8x4096xf32, #grid.space<default>>
}

// A row in which elements depend on their neighbours is not read in parts.
// CHECK-LABEL: grid.kernel @shifted
// CHECK-NOT:   scf.for
grid.kernel @shifted grid(%i = 4)
    inputs(%x: f32 [4, 32768] block [1, 32768] at (%i, 0))
    outputs(%o: f32 [4, 32768] block [1, 32768] at (%i, 0)) semantics [parallel] {
  %v = grid.load %x : memref<1x32768xf32, #grid.space<default>> -> tensor<1x32768xf32>
  %part = tensor.extract_slice %v[0, 0] [1, 32767] [1, 1] : tensor<1x32768xf32> to tensor<1x32767xf32>
  %shifted = tensor.insert_slice %part into %v[0, 1] [1, 32767] [1, 1] : tensor<1x32767xf32> into tensor<1x32768xf32>
  grid.store %shifted, %o : tensor<1x32768xf32>, memref<1x32768xf32, #grid.space<default>>
}

// A matrix unit computes 64 rows at once, whose results registers do not hold: parts of the columns are computed again
// for each reader.
// CHECK-LABEL: grid.kernel @product
// CHECK-NOT:   tensor<64x512xf32>
// CHECK:       %[[MAX:.*]] = scf.for %[[I:.*]] = %{{.*}} to %c512{{.*}} step %c64
// CHECK:         %[[W:.*]] = grid.slice_ref %{{.*}}[0, %[[I]]] [64, 64] [1, 1]
// CHECK:         %[[B:.*]] = grid.load %[[W]]
// CHECK:         %[[D:.*]] = grid.dot %{{.*}}, %[[B]] contract [1] x [0] : {{.*}} -> tensor<64x64xf32>
// CHECK:         linalg.reduce { arith.maximumf } ins(%[[D]] :
// CHECK:       scf.for
// CHECK:         grid.dot
// CHECK:         linalg.broadcast ins(%[[MAX]]
// CHECK:         grid.store
grid.kernel @product grid(%i = 4)
    inputs(%x: bf16 [256, 64] block [64, 64] at (%i, 0), %y: bf16 [64, 512])
    outputs(%o: f32 [256, 512] block [64, 512] at (%i, 0)) semantics [parallel] {
  %a = grid.load %x : memref<64x64xbf16, #grid.space<default>> -> tensor<64x64xbf16>
  %b = grid.load %y : memref<64x512xbf16, #grid.space<default>> -> tensor<64x512xbf16>
  %d = grid.dot %a, %b contract [1] x [0] : tensor<64x64xbf16>, tensor<64x512xbf16> -> tensor<64x512xf32>
  %low = arith.constant dense<0xFF800000> : tensor<64xf32>
  %max = linalg.reduce { arith.maximumf } ins(%d : tensor<64x512xf32>) outs(%low : tensor<64xf32>) dimensions = [1]
  %empty = tensor.empty() : tensor<64x512xf32>
  %m = linalg.broadcast ins(%max : tensor<64xf32>) outs(%empty : tensor<64x512xf32>) dimensions = [1]
  %s = arith.subf %d, %m : tensor<64x512xf32>
  grid.store %s, %o : tensor<64x512xf32>, memref<64x512xf32, #grid.space<default>>
}
