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
// CHECK-COUNT-4: memref.load
// CHECK:         vector.from_elements
#column = affine_map<(d0, d1) -> (d0)>
func.func @column(%x: memref<8x128xf32>, %pad: f32) -> vector<4xf32> {
  %c1 = arith.constant 1 : index
  %i = arith.addi %c1, %c1 : index
  %0 = vector.transfer_read %x[%i, %i], %pad {permutation_map = #column, in_bounds = [true]} : memref<8x128xf32>, vector<4xf32>
  return %0 : vector<4xf32>
}

// -----

// One of two elements: a load that begins at the first, and one that ends with the last.
// CHECK-DAG:   #[[$FIRST:.*]] = affine_map<()[s0] -> (s0 * 2)>
// CHECK-DAG:   #[[$SECOND:.*]] = affine_map<()[s0] -> (s0 * 2 + 3)>
// CHECK-LABEL: func.func @apart
// CHECK-SAME:    (%{{.*}}: memref<8x16xf32, strided<[32, 2]>>, %[[I:.*]]: index
// CHECK:         %[[ROWS:.*]] = memref.reinterpret_cast %{{.*}} to offset: [0], sizes: [8, 31], strides: [32, 1]
// CHECK:         %[[A:.*]] = affine.apply #[[$FIRST]]()[%[[I]]]
// CHECK:         %[[X:.*]] = vector.load %[[ROWS]][%[[I]], %[[A]]] {{.*}} vector<4xf32>
// CHECK:         %[[B:.*]] = affine.apply #[[$SECOND]]()[%[[I]]]
// CHECK:         %[[Y:.*]] = vector.load %[[ROWS]][%[[I]], %[[B]]] {{.*}} vector<4xf32>
// CHECK:         vector.shuffle %[[X]], %[[Y]] [0, 2, 5, 7]
func.func @apart(%x: memref<8x16xf32, strided<[32, 2]>>, %i: index, %pad: f32) -> vector<4xf32> {
  %0 = vector.transfer_read %x[%i, %i], %pad {in_bounds = [true]} : memref<8x16xf32, strided<[32, 2]>>, vector<4xf32>
  return %0 : vector<4xf32>
}

// -----

// One of three, whose second and third loads are shuffled in turn; elements further apart are loaded alone.
// CHECK-LABEL: func.func @further_apart
// CHECK-COUNT-2: vector.load
// CHECK:         vector.shuffle {{.*}} [0, 3, 6, 0]
// CHECK:         vector.load
// CHECK:         vector.shuffle {{.*}} [0, 1, 2, 7]
// CHECK-NOT:     vector.load
// CHECK-COUNT-4: memref.load
func.func @further_apart(%x: memref<16xf32, strided<[3]>>, %y: memref<16xf32, strided<[5]>>, %i: index, %pad: f32) -> (vector<4xf32>, vector<4xf32>) {
  %0 = vector.transfer_read %x[%i], %pad {in_bounds = [true]} : memref<16xf32, strided<[3]>>, vector<4xf32>
  %1 = vector.transfer_read %y[%i], %pad {in_bounds = [true]} : memref<16xf32, strided<[5]>>, vector<4xf32>
  return %0, %1 : vector<4xf32>, vector<4xf32>
}

// -----

// What is between the written elements stays as it is.
// CHECK-LABEL: func.func @written_apart
// CHECK-NOT:     vector.store
// CHECK-COUNT-4: memref.store
func.func @written_apart(%x: memref<16xf32, strided<[2]>>, %v: vector<4xf32>, %i: index) {
  vector.transfer_write %v, %x[%i] {in_bounds = [true]} : vector<4xf32>, memref<16xf32, strided<[2]>>
  return
}
