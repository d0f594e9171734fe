// RUN: gridir-opt %s --cpu-resolve-views --split-input-file | FileCheck %s

// A view of a view is an offset into the array; where its offset is known at run time it is computed.
// CHECK-LABEL: func.func @views
// CHECK-SAME:    (%[[X:.*]]: memref<8x128xf32>, %[[I:.*]]: index)
// CHECK-NOT:     memref.subview
// CHECK-NOT:     memref.collapse_shape
// CHECK:         %[[BASE:[a-z0-9_]+]], %{{.*}} = memref.extract_strided_metadata %[[X]]
// CHECK:         %[[OFFSET:.*]] = affine.apply
// CHECK:         %[[ROW:.*]] = memref.reinterpret_cast %[[BASE]] to offset: [%[[OFFSET]]], sizes: [128], strides: [1]
// CHECK:         %[[ALL:.*]] = memref.reinterpret_cast %{{.*}} to offset: [256], sizes: [768], strides: [1]
// CHECK:         memref.load %[[ROW]][%[[I]]]
// CHECK:         memref.load %[[ALL]][%[[I]]]
func.func @views(%x: memref<8x128xf32>, %i: index) -> (f32, f32) {
  %row = memref.subview %x[%i, 0] [1, 128] [1, 1] : memref<8x128xf32> to memref<128xf32, strided<[1], offset: ?>>
  %rows = memref.subview %x[2, 0] [6, 128] [1, 1] : memref<8x128xf32> to memref<6x128xf32, strided<[128, 1], offset: 256>>
  %all = memref.collapse_shape %rows [[0, 1]]
      : memref<6x128xf32, strided<[128, 1], offset: 256>> into memref<768xf32, strided<[1], offset: 256>>
  %0 = memref.load %row[%i] : memref<128xf32, strided<[1], offset: ?>>
  %1 = memref.load %all[%i] : memref<768xf32, strided<[1], offset: 256>>
  return %0, %1 : f32, f32
}

// -----

// Ops that are not views are unchanged, even if they could be folded.
// CHECK-LABEL: func.func @others
// CHECK:         arith.addi
// CHECK:         cf.br
// CHECK:         memref.load
func.func @others(%x: memref<8xf32>) -> f32 {
  %c1 = arith.constant 1 : index
  %0 = arith.addi %c1, %c1 : index
  cf.br ^bb1
^bb1:
  %1 = memref.load %x[%0] : memref<8xf32>
  return %1 : f32
}
