// RUN: gridir-opt %s --cpu-vectorize-body --split-input-file | FileCheck %s

// CHECK-LABEL: func.func @tile
// CHECK:         %[[X:.*]] = vector.transfer_read %{{.*}} : memref<16xf32>, vector<16xf32>
// CHECK:         %[[Y:.*]] = math.exp %[[X]] : vector<16xf32>
// CHECK:         vector.transfer_write %[[Y]]
func.func @tile(%x: memref<16xf32>, %y: memref<16xf32>) {
  linalg.exp ins(%x : memref<16xf32>) outs(%y : memref<16xf32>)
  return
}

// -----

// A whole block does not fit in registers.
// CHECK-LABEL: func.func @block
// CHECK-NOT:     vector
// CHECK:         linalg.exp
func.func @block(%x: memref<128x128xf32>, %y: memref<128x128xf32>) {
  linalg.exp ins(%x : memref<128x128xf32>) outs(%y : memref<128x128xf32>)
  return
}

// -----

#mk = affine_map<(m, n, k) -> (m, k)>
#kn = affine_map<(m, n, k) -> (k, n)>
#mn = affine_map<(m, n, k) -> (m, n)>

// The accumulators of a contraction are read before the loop and written after it.
// CHECK-LABEL: func.func @contraction
// CHECK-SAME:    %[[A:.*]]: memref<6x64xf32>, %[[B:.*]]: memref<64x16xf32>, %[[C:.*]]: memref<6x16xf32>
// CHECK:         %[[INIT:.*]] = vector.transfer_read %[[C]]
// CHECK:         %[[SUM:.*]] = scf.for {{.*}} iter_args(%[[ACC:.*]] = %[[INIT]]) -> (vector<6x16xf32>)
// CHECK:           %[[NEXT:.*]] = vector.contract {{.*}} %[[ACC]]
// CHECK:           scf.yield %[[NEXT]]
// CHECK:         vector.transfer_write %[[SUM]], %[[C]]
func.func @contraction(%a: memref<6x64xf32>, %b: memref<64x16xf32>, %c: memref<6x16xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c64 = arith.constant 64 : index
  scf.for %k = %c0 to %c64 step %c1 {
    %x = memref.subview %a[0, %k] [6, 1] [1, 1] : memref<6x64xf32> to memref<6x1xf32, strided<[64, 1], offset: ?>>
    %y = memref.subview %b[%k, 0] [1, 16] [1, 1] : memref<64x16xf32> to memref<1x16xf32, strided<[16, 1], offset: ?>>
    linalg.contract indexing_maps = [#mk, #kn, #mn]
        ins(%x, %y : memref<6x1xf32, strided<[64, 1], offset: ?>>, memref<1x16xf32, strided<[16, 1], offset: ?>>)
        outs(%c : memref<6x16xf32>)
  }
  return
}

// -----

#v = affine_map<(d0) -> (d0)>
#none = affine_map<(d0) -> ()>

// The lanes of a vector are added up half by half, in one order on every CPU.
// CHECK-LABEL: func.func @lanes
// CHECK-NOT:     vector.reduction
// CHECK:         %[[X:.*]] = vector.transfer_read %{{.*}} : memref<16xf32>, vector<16xf32>
// CHECK:         %[[LOW:.*]] = vector.extract_strided_slice %[[X]] {offsets = [0], sizes = [8], strides = [1]}
// CHECK:         %[[HIGH:.*]] = vector.extract_strided_slice %[[X]] {offsets = [8], sizes = [8], strides = [1]}
// CHECK:         arith.addf %[[LOW]], %[[HIGH]] : vector<8xf32>
// CHECK:         arith.addf {{.*}} : vector<4xf32>
// CHECK:         arith.addf {{.*}} : vector<2xf32>
// CHECK:         arith.addf {{.*}} : vector<1xf32>
// CHECK:         arith.addf {{.*}} : f32
func.func @lanes(%x: memref<16xf32>, %y: memref<f32>) {
  linalg.generic {indexing_maps = [#v, #none], iterator_types = ["reduction"]}
      ins(%x : memref<16xf32>) outs(%y : memref<f32>) {
  ^bb0(%a: f32, %b: f32):
    %0 = arith.addf %a, %b : f32
    linalg.yield %0 : f32
  }
  return
}

// -----

#v = affine_map<(d0) -> (d0)>
#none = affine_map<(d0) -> ()>

// An order makes no difference to the largest.
// CHECK-LABEL: func.func @largest
// CHECK:         vector.reduction <maximumf>
func.func @largest(%x: memref<16xf32>, %y: memref<f32>) {
  linalg.generic {indexing_maps = [#v, #none], iterator_types = ["reduction"]}
      ins(%x : memref<16xf32>) outs(%y : memref<f32>) {
  ^bb0(%a: f32, %b: f32):
    %0 = arith.maximumf %a, %b : f32
    linalg.yield %0 : f32
  }
  return
}
