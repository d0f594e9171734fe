// RUN: gridir-opt %s --split-input-file --cpu-vectorize-body="vector-bytes=16" | FileCheck %s

// Both elements of each pair come from one read of all pairs.
// CHECK-LABEL: func.func @pairs
// CHECK-SAME:    %[[X:.*]]: memref<4x32xf32>, %{{.*}}, %[[I:.*]]: index
// CHECK:         %[[ALL:.*]] = memref.collapse_shape %[[X]] {{\[\[0, 1\]\]}} : memref<4x32xf32> into memref<128xf32>
// CHECK:         %[[AT:.*]] = affine.apply #{{.*}}()[%[[I]]]
// CHECK:         %[[READ:.*]] = vector.transfer_read %[[ALL]][%[[AT]]], %{{.*}} {in_bounds = [true]} : memref<128xf32>, vector<32xf32>
// CHECK:         %[[LOW:.*]] = vector.extract_strided_slice %[[READ]] {offsets = [0], sizes = [16], strides = [1]}
// CHECK:         %[[HIGH:.*]] = vector.extract_strided_slice %[[READ]] {offsets = [16], sizes = [16], strides = [1]}
// CHECK:         %[[EVEN:.*]] = vector.shuffle %[[LOW]], %[[HIGH]] [0, 2, 4, 6, 8, 10, 12, 14, 16, 18, 20, 22, 24, 26, 28, 30]
// CHECK:         %[[ODD:.*]] = vector.shuffle %[[LOW]], %[[HIGH]] [1, 3, 5, 7, 9, 11, 13, 15, 17, 19, 21, 23, 25, 27, 29, 31]
// CHECK-NOT:     vector.transfer_read
// CHECK:         arith.addf %[[EVEN]], %[[ODD]]
#id = affine_map<(d0) -> (d0)>
func.func @pairs(%x: memref<4x32xf32>, %y: memref<16xf32>, %i: index) {
  %even = memref.subview %x[%i, 0] [1, 16] [1, 2] : memref<4x32xf32> to memref<16xf32, strided<[2], offset: ?>>
  %odd = memref.subview %x[%i, 1] [1, 16] [1, 2] : memref<4x32xf32> to memref<16xf32, strided<[2], offset: ?>>
  linalg.generic {indexing_maps = [#id, #id, #id], iterator_types = ["parallel"]}
      ins(%even, %odd : memref<16xf32, strided<[2], offset: ?>>, memref<16xf32, strided<[2], offset: ?>>) outs(%y : memref<16xf32>) {
  ^bb0(%a: f32, %b: f32, %o: f32):
    %0 = arith.addf %a, %b : f32
    linalg.yield %0 : f32
  }
  return
}

// -----

// Elements of a buffer, with three to a group: two shuffles.
// CHECK-LABEL: func.func @buffer
// CHECK:         %[[BUFFER:.*]] = memref.alloc
// CHECK:         vector.transfer_read %[[BUFFER]][%{{.*}}], %{{.*}} : memref<24xf32>, vector<24xf32>
// CHECK:         %[[FIRST:.*]] = vector.shuffle %{{.*}}, %{{.*}} [2, 5, 8, 11, 14, 0, 0, 0]
// CHECK:         vector.shuffle %[[FIRST]], %{{.*}} [0, 1, 2, 3, 4, 9, 12, 15]
#id = affine_map<(d0) -> (d0)>
func.func @buffer(%y: memref<8xf32>, %f: f32) {
  %c0 = arith.constant 0 : index
  %x = memref.alloc() : memref<24xf32>
  memref.store %f, %x[%c0] : memref<24xf32>
  %third = memref.subview %x[2] [8] [3] : memref<24xf32> to memref<8xf32, strided<[3], offset: 2>>
  linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel"]}
      ins(%third : memref<8xf32, strided<[3], offset: 2>>) outs(%y : memref<8xf32>) {
  ^bb0(%a: f32, %o: f32):
    linalg.yield %a : f32
  }
  return
}

// -----

// The last group may be cut, the number of the first element may be odd, and groups of five are not read.
// CHECK-LABEL: func.func @others
// CHECK-COUNT-3: vector.transfer_read {{.*}} vector<8xf32>
// CHECK-NOT:     vector.transfer_read
#id = affine_map<(d0) -> (d0)>
func.func @others(%x: memref<33xf32>, %z: memref<64xf32>, %y: memref<8xf32>, %i: index) {
  %cut = memref.subview %x[1] [8] [2] : memref<33xf32> to memref<8xf32, strided<[2], offset: 1>>
  %odd = memref.subview %z[%i] [8] [2] : memref<64xf32> to memref<8xf32, strided<[2], offset: ?>>
  %fifth = memref.subview %z[0] [8] [5] : memref<64xf32> to memref<8xf32, strided<[5]>>
  linalg.generic {indexing_maps = [#id, #id, #id, #id], iterator_types = ["parallel"]}
      ins(%cut, %odd, %fifth : memref<8xf32, strided<[2], offset: 1>>, memref<8xf32, strided<[2], offset: ?>>, memref<8xf32, strided<[5]>>)
      outs(%y : memref<8xf32>) {
  ^bb0(%a: f32, %b: f32, %c: f32, %o: f32):
    %0 = arith.addf %a, %b : f32
    %1 = arith.addf %0, %c : f32
    linalg.yield %1 : f32
  }
  return
}
