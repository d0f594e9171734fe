// RUN: gridir-opt %s --cpu-unroll-transfers --split-input-file | FileCheck %s

// Rows of a tile, each at its own place; what is one row already stays.
// CHECK-LABEL: func.func @rows
// CHECK-SAME:    (%[[X:.*]]: memref<8x128xf32>, %[[I:.*]]: index
// CHECK:         vector.transfer_read %[[X]][%[[I]], %[[I]]]{{.*}} vector<4xf32>
// CHECK:         %[[J:.*]] = affine.apply
// CHECK:         vector.transfer_read %[[X]][%[[J]], %[[I]]]{{.*}} vector<4xf32>
// CHECK:         vector.transfer_write %{{.*}}, %[[X]][%[[I]], %[[I]]]{{.*}} vector<4xf32>
// CHECK:         vector.transfer_write %{{.*}}, %[[X]][%{{.*}}, %[[I]]]{{.*}} vector<4xf32>
// CHECK:         vector.transfer_read %[[X]][%[[I]], %[[I]]]{{.*}} vector<8xf32>
// CHECK-NOT:     vector.transfer
// CHECK:         return
func.func @rows(%x: memref<8x128xf32>, %i: index, %pad: f32) -> vector<8xf32> {
  %0 = vector.transfer_read %x[%i, %i], %pad {in_bounds = [true, true]} : memref<8x128xf32>, vector<2x4xf32>
  vector.transfer_write %0, %x[%i, %i] {in_bounds = [true, true]} : vector<2x4xf32>, memref<8x128xf32>
  %1 = vector.transfer_read %x[%i, %i], %pad {in_bounds = [true]} : memref<8x128xf32>, vector<8xf32>
  return %1 : vector<8xf32>
}

// -----

// Columns of an array are read one element after another, and what is no transfer is left as it is.
// CHECK-LABEL: func.func @column
// CHECK:         arith.addi
// CHECK:         scf.for
// CHECK:           memref.load
// CHECK:           vector.insert
#column = affine_map<(d0, d1) -> (d0)>
func.func @column(%x: memref<8x128xf32>, %pad: f32) -> vector<4xf32> {
  %c1 = arith.constant 1 : index
  %i = arith.addi %c1, %c1 : index
  %0 = vector.transfer_read %x[%i, %i], %pad {permutation_map = #column, in_bounds = [true]} : memref<8x128xf32>, vector<4xf32>
  return %0 : vector<4xf32>
}
