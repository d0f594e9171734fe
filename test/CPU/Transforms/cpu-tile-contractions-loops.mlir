// RUN: gridir-opt %s --cpu-tile-contractions --split-input-file | FileCheck %s

// How a contraction is cut: where each tile starts and how large it is, what is copied, and how numbers are converted.

// The only panel of the columns may take 64 KiB: 2100 steps of the reduction are one of 2048 and one of 52; 8 rows are two tiles of 4 and not 6 and 2.

// CHECK: #[[$MAP:.*]] = affine_map<(d0, d1, d2) -> (d0, d2)>
// CHECK: #[[$MAP1:.*]] = affine_map<(d0, d1, d2) -> (d2, d1)>
// CHECK: #[[$MAP2:.*]] = affine_map<(d0, d1, d2) -> (d0, d1)>
// CHECK-LABEL: func.func @depth(
// CHECK-SAME: %[[X:[^:]*]]:{{.*}}%[[Y:[^:]*]]:{{.*}}%[[Z:[^:]*]]:
// CHECK: %[[SUBVIEW:.*]] = memref.subview %[[Z]][0, 0] [8, 8] [1, 1] : memref<8x8xf32> to memref<8x8xf32, strided<[8, 1]>>
// CHECK: %[[SUBVIEW1:.*]] = memref.subview %[[X]][0, 0] [8, 2048] [1, 1] : memref<8x2100xf32> to memref<8x2048xf32, strided<[2100, 1]>>
// CHECK: %[[SUBVIEW2:.*]] = memref.subview %[[Y]][0, 0] [2048, 8] [1, 1] : memref<2100x8xf32> to memref<2048x8xf32, strided<[8, 1]>>
// CHECK-DAG: %[[CONSTANT:.*]] = arith.constant 4 : index
// CHECK-DAG: %[[CONSTANT1:.*]] = arith.constant 8 : index
// CHECK-DAG: %[[CONSTANT2:.*]] = arith.constant 0 : index
// CHECK: scf.for %[[I0:.*]] = %[[CONSTANT2]] to %[[CONSTANT1]] step %[[CONSTANT]] {
// CHECK-DAG: %[[CONSTANT3:.*]] = arith.constant 1 : index
// CHECK-DAG: %[[CONSTANT4:.*]] = arith.constant 2048 : index
// CHECK-DAG: %[[CONSTANT5:.*]] = arith.constant 0 : index
// CHECK: scf.for %[[I1:.*]] = %[[CONSTANT5]] to %[[CONSTANT4]] step %[[CONSTANT3]] {
// CHECK: %[[SUBVIEW3:.*]] = memref.subview %[[SUBVIEW1]][%[[I0]], %[[I1]]] [4, 1] [1, 1] : memref<8x2048xf32, strided<[2100, 1]>> to memref<4x1xf32, strided<[2100, 1], offset: ?>>
// CHECK: %[[SUBVIEW4:.*]] = memref.subview %[[SUBVIEW2]][%[[I1]], 0] [1, 8] [1, 1] : memref<2048x8xf32, strided<[8, 1]>> to memref<1x8xf32, strided<[8, 1], offset: ?>>
// CHECK: %[[SUBVIEW5:.*]] = memref.subview %[[SUBVIEW]][%[[I0]], 0] [4, 8] [1, 1] : memref<8x8xf32, strided<[8, 1]>> to memref<4x8xf32, strided<[8, 1], offset: ?>>
// CHECK: linalg.contract indexing_maps = [#[[$MAP]], #[[$MAP1]], #[[$MAP2]]] ins(%[[SUBVIEW3]], %[[SUBVIEW4]] : memref<4x1xf32, strided<[2100, 1], offset: ?>>, memref<1x8xf32, strided<[8, 1], offset: ?>>) outs(%[[SUBVIEW5]] : memref<4x8xf32, strided<[8, 1], offset: ?>>)
// CHECK: %[[SUBVIEW6:.*]] = memref.subview %[[X]][0, 2048] [8, 52] [1, 1] : memref<8x2100xf32> to memref<8x52xf32, strided<[2100, 1], offset: 2048>>
// CHECK: %[[SUBVIEW7:.*]] = memref.subview %[[Y]][2048, 0] [52, 8] [1, 1] : memref<2100x8xf32> to memref<52x8xf32, strided<[8, 1], offset: 16384>>
// CHECK-DAG: %[[CONSTANT6:.*]] = arith.constant 4 : index
// CHECK-DAG: %[[CONSTANT7:.*]] = arith.constant 8 : index
// CHECK-DAG: %[[CONSTANT8:.*]] = arith.constant 0 : index
// CHECK: scf.for %[[I2:.*]] = %[[CONSTANT8]] to %[[CONSTANT7]] step %[[CONSTANT6]] {
// CHECK-DAG: %[[CONSTANT9:.*]] = arith.constant 1 : index
// CHECK-DAG: %[[CONSTANT10:.*]] = arith.constant 52 : index
// CHECK-DAG: %[[CONSTANT11:.*]] = arith.constant 0 : index
// CHECK: scf.for %[[I3:.*]] = %[[CONSTANT11]] to %[[CONSTANT10]] step %[[CONSTANT9]] {
// CHECK: %[[SUBVIEW8:.*]] = memref.subview %[[SUBVIEW6]][%[[I2]], %[[I3]]] [4, 1] [1, 1] : memref<8x52xf32, strided<[2100, 1], offset: 2048>> to memref<4x1xf32, strided<[2100, 1], offset: ?>>
// CHECK: %[[SUBVIEW9:.*]] = memref.subview %[[SUBVIEW7]][%[[I3]], 0] [1, 8] [1, 1] : memref<52x8xf32, strided<[8, 1], offset: 16384>> to memref<1x8xf32, strided<[8, 1], offset: ?>>
// CHECK: %[[SUBVIEW10:.*]] = memref.subview %[[SUBVIEW]][%[[I2]], 0] [4, 8] [1, 1] : memref<8x8xf32, strided<[8, 1]>> to memref<4x8xf32, strided<[8, 1], offset: ?>>
// CHECK: linalg.contract indexing_maps = [#[[$MAP]], #[[$MAP1]], #[[$MAP2]]] ins(%[[SUBVIEW8]], %[[SUBVIEW9]] : memref<4x1xf32, strided<[2100, 1], offset: ?>>, memref<1x8xf32, strided<[8, 1], offset: ?>>) outs(%[[SUBVIEW10]] : memref<4x8xf32, strided<[8, 1], offset: ?>>)
func.func @depth(%a: memref<8x2100xf32>, %b: memref<2100x8xf32>, %c: memref<8x8xf32>) {
  linalg.matmul ins(%a, %b : memref<8x2100xf32>, memref<2100x8xf32>) outs(%c : memref<8x8xf32>)
  return
}

// -----

// 10 rows are a tile of 6 and the other 4: more than half a tile is no reason to cut two equal ones.

// CHECK: #[[$MAP:.*]] = affine_map<(d0, d1, d2) -> (d0, d2)>
// CHECK: #[[$MAP1:.*]] = affine_map<(d0, d1, d2) -> (d2, d1)>
// CHECK: #[[$MAP2:.*]] = affine_map<(d0, d1, d2) -> (d0, d1)>
// CHECK-LABEL: func.func @rest(
// CHECK-SAME: %[[X:[^:]*]]:{{.*}}%[[Y:[^:]*]]:{{.*}}%[[Z:[^:]*]]:
// CHECK: %[[SUBVIEW:.*]] = memref.subview %[[Z]][0, 0] [10, 8] [1, 1] : memref<10x8xf32> to memref<10x8xf32, strided<[8, 1]>>
// CHECK: %[[SUBVIEW1:.*]] = memref.subview %[[X]][0, 0] [10, 4] [1, 1] : memref<10x4xf32> to memref<10x4xf32, strided<[4, 1]>>
// CHECK: %[[SUBVIEW2:.*]] = memref.subview %[[Y]][0, 0] [4, 8] [1, 1] : memref<4x8xf32> to memref<4x8xf32, strided<[8, 1]>>
// CHECK-DAG: %[[CONSTANT:.*]] = arith.constant 1 : index
// CHECK-DAG: %[[CONSTANT1:.*]] = arith.constant 4 : index
// CHECK-DAG: %[[CONSTANT2:.*]] = arith.constant 0 : index
// CHECK: scf.for %[[I0:.*]] = %[[CONSTANT2]] to %[[CONSTANT1]] step %[[CONSTANT]] {
// CHECK: %[[SUBVIEW3:.*]] = memref.subview %[[SUBVIEW1]][0, %[[I0]]] [6, 1] [1, 1] : memref<10x4xf32, strided<[4, 1]>> to memref<6x1xf32, strided<[4, 1], offset: ?>>
// CHECK: %[[SUBVIEW4:.*]] = memref.subview %[[SUBVIEW2]][%[[I0]], 0] [1, 8] [1, 1] : memref<4x8xf32, strided<[8, 1]>> to memref<1x8xf32, strided<[8, 1], offset: ?>>
// CHECK: %[[SUBVIEW5:.*]] = memref.subview %[[SUBVIEW]][0, 0] [6, 8] [1, 1] : memref<10x8xf32, strided<[8, 1]>> to memref<6x8xf32, strided<[8, 1]>>
// CHECK: linalg.contract indexing_maps = [#[[$MAP]], #[[$MAP1]], #[[$MAP2]]] ins(%[[SUBVIEW3]], %[[SUBVIEW4]] : memref<6x1xf32, strided<[4, 1], offset: ?>>, memref<1x8xf32, strided<[8, 1], offset: ?>>) outs(%[[SUBVIEW5]] : memref<6x8xf32, strided<[8, 1]>>)
// CHECK-DAG: %[[CONSTANT3:.*]] = arith.constant 1 : index
// CHECK-DAG: %[[CONSTANT4:.*]] = arith.constant 4 : index
// CHECK-DAG: %[[CONSTANT5:.*]] = arith.constant 0 : index
// CHECK: scf.for %[[I1:.*]] = %[[CONSTANT5]] to %[[CONSTANT4]] step %[[CONSTANT3]] {
// CHECK: %[[SUBVIEW6:.*]] = memref.subview %[[SUBVIEW1]][6, %[[I1]]] [4, 1] [1, 1] : memref<10x4xf32, strided<[4, 1]>> to memref<4x1xf32, strided<[4, 1], offset: ?>>
// CHECK: %[[SUBVIEW7:.*]] = memref.subview %[[SUBVIEW2]][%[[I1]], 0] [1, 8] [1, 1] : memref<4x8xf32, strided<[8, 1]>> to memref<1x8xf32, strided<[8, 1], offset: ?>>
// CHECK: %[[SUBVIEW8:.*]] = memref.subview %[[SUBVIEW]][6, 0] [4, 8] [1, 1] : memref<10x8xf32, strided<[8, 1]>> to memref<4x8xf32, strided<[8, 1], offset: 48>>
// CHECK: linalg.contract indexing_maps = [#[[$MAP]], #[[$MAP1]], #[[$MAP2]]] ins(%[[SUBVIEW6]], %[[SUBVIEW7]] : memref<4x1xf32, strided<[4, 1], offset: ?>>, memref<1x8xf32, strided<[8, 1], offset: ?>>) outs(%[[SUBVIEW8]] : memref<4x8xf32, strided<[8, 1], offset: 48>>)
func.func @rest(%a: memref<10x4xf32>, %b: memref<4x8xf32>, %c: memref<10x8xf32>) {
  linalg.matmul ins(%a, %b : memref<10x4xf32>, memref<4x8xf32>) outs(%c : memref<10x8xf32>)
  return
}

// -----

// 9 rows cannot be two tiles of equal height.

// CHECK: #[[$MAP:.*]] = affine_map<(d0, d1, d2) -> (d0, d2)>
// CHECK: #[[$MAP1:.*]] = affine_map<(d0, d1, d2) -> (d2, d1)>
// CHECK: #[[$MAP2:.*]] = affine_map<(d0, d1, d2) -> (d0, d1)>
// CHECK-LABEL: func.func @odd(
// CHECK-SAME: %[[X:[^:]*]]:{{.*}}%[[Y:[^:]*]]:{{.*}}%[[Z:[^:]*]]:
// CHECK: %[[SUBVIEW:.*]] = memref.subview %[[Z]][0, 0] [9, 8] [1, 1] : memref<9x8xf32> to memref<9x8xf32, strided<[8, 1]>>
// CHECK: %[[SUBVIEW1:.*]] = memref.subview %[[X]][0, 0] [9, 4] [1, 1] : memref<9x4xf32> to memref<9x4xf32, strided<[4, 1]>>
// CHECK: %[[SUBVIEW2:.*]] = memref.subview %[[Y]][0, 0] [4, 8] [1, 1] : memref<4x8xf32> to memref<4x8xf32, strided<[8, 1]>>
// CHECK-DAG: %[[CONSTANT:.*]] = arith.constant 1 : index
// CHECK-DAG: %[[CONSTANT1:.*]] = arith.constant 4 : index
// CHECK-DAG: %[[CONSTANT2:.*]] = arith.constant 0 : index
// CHECK: scf.for %[[I0:.*]] = %[[CONSTANT2]] to %[[CONSTANT1]] step %[[CONSTANT]] {
// CHECK: %[[SUBVIEW3:.*]] = memref.subview %[[SUBVIEW1]][0, %[[I0]]] [6, 1] [1, 1] : memref<9x4xf32, strided<[4, 1]>> to memref<6x1xf32, strided<[4, 1], offset: ?>>
// CHECK: %[[SUBVIEW4:.*]] = memref.subview %[[SUBVIEW2]][%[[I0]], 0] [1, 8] [1, 1] : memref<4x8xf32, strided<[8, 1]>> to memref<1x8xf32, strided<[8, 1], offset: ?>>
// CHECK: %[[SUBVIEW5:.*]] = memref.subview %[[SUBVIEW]][0, 0] [6, 8] [1, 1] : memref<9x8xf32, strided<[8, 1]>> to memref<6x8xf32, strided<[8, 1]>>
// CHECK: linalg.contract indexing_maps = [#[[$MAP]], #[[$MAP1]], #[[$MAP2]]] ins(%[[SUBVIEW3]], %[[SUBVIEW4]] : memref<6x1xf32, strided<[4, 1], offset: ?>>, memref<1x8xf32, strided<[8, 1], offset: ?>>) outs(%[[SUBVIEW5]] : memref<6x8xf32, strided<[8, 1]>>)
// CHECK-DAG: %[[CONSTANT3:.*]] = arith.constant 1 : index
// CHECK-DAG: %[[CONSTANT4:.*]] = arith.constant 4 : index
// CHECK-DAG: %[[CONSTANT5:.*]] = arith.constant 0 : index
// CHECK: scf.for %[[I1:.*]] = %[[CONSTANT5]] to %[[CONSTANT4]] step %[[CONSTANT3]] {
// CHECK: %[[SUBVIEW6:.*]] = memref.subview %[[SUBVIEW1]][6, %[[I1]]] [3, 1] [1, 1] : memref<9x4xf32, strided<[4, 1]>> to memref<3x1xf32, strided<[4, 1], offset: ?>>
// CHECK: %[[SUBVIEW7:.*]] = memref.subview %[[SUBVIEW2]][%[[I1]], 0] [1, 8] [1, 1] : memref<4x8xf32, strided<[8, 1]>> to memref<1x8xf32, strided<[8, 1], offset: ?>>
// CHECK: %[[SUBVIEW8:.*]] = memref.subview %[[SUBVIEW]][6, 0] [3, 8] [1, 1] : memref<9x8xf32, strided<[8, 1]>> to memref<3x8xf32, strided<[8, 1], offset: 48>>
// CHECK: linalg.contract indexing_maps = [#[[$MAP]], #[[$MAP1]], #[[$MAP2]]] ins(%[[SUBVIEW6]], %[[SUBVIEW7]] : memref<3x1xf32, strided<[4, 1], offset: ?>>, memref<1x8xf32, strided<[8, 1], offset: ?>>) outs(%[[SUBVIEW8]] : memref<3x8xf32, strided<[8, 1], offset: 48>>)
func.func @odd(%a: memref<9x4xf32>, %b: memref<4x8xf32>, %c: memref<9x8xf32>) {
  linalg.matmul ins(%a, %b : memref<9x4xf32>, memref<4x8xf32>) outs(%c : memref<9x8xf32>)
  return
}

// -----

// 45 columns are two panels of 16, one of 8, and 5 that are padded to 8; each starts where the one before it ends.

// CHECK: #[[$MAP:.*]] = affine_map<(d0, d1, d2) -> (d0, d2)>
// CHECK: #[[$MAP1:.*]] = affine_map<(d0, d1, d2) -> (d2, d1)>
// CHECK: #[[$MAP2:.*]] = affine_map<(d0, d1, d2) -> (d0, d1)>
// CHECK: #[[$MAP3:.*]] = affine_map<(d0, d1) -> (d0, d1)>
// CHECK-LABEL: func.func @widths(
// CHECK-SAME: %[[X:[^:]*]]:{{.*}}%[[Y:[^:]*]]:{{.*}}%[[Z:[^:]*]]:
// CHECK: %[[ALLOCA:.*]] = memref.alloca() {alignment = 64 : i64} : memref<4x8xf32>
// CHECK: %[[ALLOCA1:.*]] = memref.alloca() {alignment = 64 : i64} : memref<2x8xf32>
// CHECK-DAG: %[[CONSTANT:.*]] = arith.constant 16 : index
// CHECK-DAG: %[[CONSTANT1:.*]] = arith.constant 32 : index
// CHECK-DAG: %[[CONSTANT2:.*]] = arith.constant 0 : index
// CHECK: scf.for %[[I0:.*]] = %[[CONSTANT2]] to %[[CONSTANT1]] step %[[CONSTANT]] {
// CHECK: %[[SUBVIEW:.*]] = memref.subview %[[Z]][0, %[[I0]]] [2, 16] [1, 1] : memref<2x45xf32> to memref<2x16xf32, strided<[45, 1], offset: ?>>
// CHECK: %[[SUBVIEW1:.*]] = memref.subview %[[X]][0, 0] [2, 4] [1, 1] : memref<2x4xf32> to memref<2x4xf32, strided<[4, 1]>>
// CHECK: %[[SUBVIEW2:.*]] = memref.subview %[[Y]][0, %[[I0]]] [4, 16] [1, 1] : memref<4x45xf32> to memref<4x16xf32, strided<[45, 1], offset: ?>>
// CHECK-DAG: %[[CONSTANT3:.*]] = arith.constant 1 : index
// CHECK-DAG: %[[CONSTANT4:.*]] = arith.constant 4 : index
// CHECK-DAG: %[[CONSTANT5:.*]] = arith.constant 0 : index
// CHECK: scf.for %[[I1:.*]] = %[[CONSTANT5]] to %[[CONSTANT4]] step %[[CONSTANT3]] {
// CHECK: %[[SUBVIEW3:.*]] = memref.subview %[[SUBVIEW1]][0, %[[I1]]] [2, 1] [1, 1] : memref<2x4xf32, strided<[4, 1]>> to memref<2x1xf32, strided<[4, 1], offset: ?>>
// CHECK: %[[SUBVIEW4:.*]] = memref.subview %[[SUBVIEW2]][%[[I1]], 0] [1, 16] [1, 1] : memref<4x16xf32, strided<[45, 1], offset: ?>> to memref<1x16xf32, strided<[45, 1], offset: ?>>
// CHECK: linalg.contract indexing_maps = [#[[$MAP]], #[[$MAP1]], #[[$MAP2]]] ins(%[[SUBVIEW3]], %[[SUBVIEW4]] : memref<2x1xf32, strided<[4, 1], offset: ?>>, memref<1x16xf32, strided<[45, 1], offset: ?>>) outs(%[[SUBVIEW]] : memref<2x16xf32, strided<[45, 1], offset: ?>>)
// CHECK: %[[SUBVIEW5:.*]] = memref.subview %[[Z]][0, 32] [2, 8] [1, 1] : memref<2x45xf32> to memref<2x8xf32, strided<[45, 1], offset: 32>>
// CHECK: %[[SUBVIEW6:.*]] = memref.subview %[[X]][0, 0] [2, 4] [1, 1] : memref<2x4xf32> to memref<2x4xf32, strided<[4, 1]>>
// CHECK: %[[SUBVIEW7:.*]] = memref.subview %[[Y]][0, 32] [4, 8] [1, 1] : memref<4x45xf32> to memref<4x8xf32, strided<[45, 1], offset: 32>>
// CHECK-DAG: %[[CONSTANT6:.*]] = arith.constant 1 : index
// CHECK-DAG: %[[CONSTANT7:.*]] = arith.constant 4 : index
// CHECK-DAG: %[[CONSTANT8:.*]] = arith.constant 0 : index
// CHECK: scf.for %[[I2:.*]] = %[[CONSTANT8]] to %[[CONSTANT7]] step %[[CONSTANT6]] {
// CHECK: %[[SUBVIEW8:.*]] = memref.subview %[[SUBVIEW6]][0, %[[I2]]] [2, 1] [1, 1] : memref<2x4xf32, strided<[4, 1]>> to memref<2x1xf32, strided<[4, 1], offset: ?>>
// CHECK: %[[SUBVIEW9:.*]] = memref.subview %[[SUBVIEW7]][%[[I2]], 0] [1, 8] [1, 1] : memref<4x8xf32, strided<[45, 1], offset: 32>> to memref<1x8xf32, strided<[45, 1], offset: ?>>
// CHECK: linalg.contract indexing_maps = [#[[$MAP]], #[[$MAP1]], #[[$MAP2]]] ins(%[[SUBVIEW8]], %[[SUBVIEW9]] : memref<2x1xf32, strided<[4, 1], offset: ?>>, memref<1x8xf32, strided<[45, 1], offset: ?>>) outs(%[[SUBVIEW5]] : memref<2x8xf32, strided<[45, 1], offset: 32>>)
// CHECK: %[[SUBVIEW10:.*]] = memref.subview %[[Z]][0, 40] [2, 5] [1, 1] : memref<2x45xf32> to memref<2x5xf32, strided<[45, 1], offset: 40>>
// CHECK-DAG: %[[CONSTANT9:.*]] = arith.constant 0.000000e+00 : f32
// CHECK: linalg.fill ins(%[[CONSTANT9]] : f32) outs(%[[ALLOCA1]] : memref<2x8xf32>)
// CHECK: %[[SUBVIEW11:.*]] = memref.subview %[[ALLOCA1]][0, 0] [2, 5] [1, 1] : memref<2x8xf32> to memref<2x5xf32, strided<[8, 1]>>
// CHECK: linalg.generic {indexing_maps = [#[[$MAP3]], #[[$MAP3]]], iterator_types = ["parallel", "parallel"]} ins(%[[SUBVIEW10]] : memref<2x5xf32, strided<[45, 1], offset: 40>>) outs(%[[SUBVIEW11]] : memref<2x5xf32, strided<[8, 1]>>) {
// CHECK: ^bb0(%[[I3:.*]]: f32, %[[I4:.*]]: f32):
// CHECK: linalg.yield %[[I3]] : f32
// CHECK: %[[SUBVIEW12:.*]] = memref.subview %[[X]][0, 0] [2, 4] [1, 1] : memref<2x4xf32> to memref<2x4xf32, strided<[4, 1]>>
// CHECK: %[[SUBVIEW13:.*]] = memref.subview %[[Y]][0, 40] [4, 5] [1, 1] : memref<4x45xf32> to memref<4x5xf32, strided<[45, 1], offset: 40>>
// CHECK-DAG: %[[CONSTANT10:.*]] = arith.constant 0.000000e+00 : f32
// CHECK: linalg.fill ins(%[[CONSTANT10]] : f32) outs(%[[ALLOCA]] : memref<4x8xf32>)
// CHECK: %[[SUBVIEW14:.*]] = memref.subview %[[ALLOCA]][0, 0] [4, 5] [1, 1] : memref<4x8xf32> to memref<4x5xf32, strided<[8, 1]>>
// CHECK: linalg.generic {indexing_maps = [#[[$MAP3]], #[[$MAP3]]], iterator_types = ["parallel", "parallel"]} ins(%[[SUBVIEW13]] : memref<4x5xf32, strided<[45, 1], offset: 40>>) outs(%[[SUBVIEW14]] : memref<4x5xf32, strided<[8, 1]>>) {
// CHECK: ^bb0(%[[I5:.*]]: f32, %[[I6:.*]]: f32):
// CHECK: linalg.yield %[[I5]] : f32
// CHECK-DAG: %[[CONSTANT11:.*]] = arith.constant 1 : index
// CHECK-DAG: %[[CONSTANT12:.*]] = arith.constant 4 : index
// CHECK-DAG: %[[CONSTANT13:.*]] = arith.constant 0 : index
// CHECK: scf.for %[[I7:.*]] = %[[CONSTANT13]] to %[[CONSTANT12]] step %[[CONSTANT11]] {
// CHECK: %[[SUBVIEW15:.*]] = memref.subview %[[SUBVIEW12]][0, %[[I7]]] [2, 1] [1, 1] : memref<2x4xf32, strided<[4, 1]>> to memref<2x1xf32, strided<[4, 1], offset: ?>>
// CHECK: %[[SUBVIEW16:.*]] = memref.subview %[[ALLOCA]][%[[I7]], 0] [1, 8] [1, 1] : memref<4x8xf32> to memref<1x8xf32, strided<[8, 1], offset: ?>>
// CHECK: %[[SUBVIEW17:.*]] = memref.subview %[[ALLOCA1]][0, 0] [2, 8] [1, 1] : memref<2x8xf32> to memref<2x8xf32, strided<[8, 1]>>
// CHECK: linalg.contract indexing_maps = [#[[$MAP]], #[[$MAP1]], #[[$MAP2]]] ins(%[[SUBVIEW15]], %[[SUBVIEW16]] : memref<2x1xf32, strided<[4, 1], offset: ?>>, memref<1x8xf32, strided<[8, 1], offset: ?>>) outs(%[[SUBVIEW17]] : memref<2x8xf32, strided<[8, 1]>>)
// CHECK: %[[SUBVIEW18:.*]] = memref.subview %[[ALLOCA1]][0, 0] [2, 5] [1, 1] : memref<2x8xf32> to memref<2x5xf32, strided<[8, 1]>>
// CHECK: linalg.generic {indexing_maps = [#[[$MAP3]], #[[$MAP3]]], iterator_types = ["parallel", "parallel"]} ins(%[[SUBVIEW18]] : memref<2x5xf32, strided<[8, 1]>>) outs(%[[SUBVIEW10]] : memref<2x5xf32, strided<[45, 1], offset: 40>>) {
// CHECK: ^bb0(%[[I8:.*]]: f32, %[[I9:.*]]: f32):
// CHECK: linalg.yield %[[I8]] : f32
func.func @widths(%a: memref<2x4xf32>, %b: memref<4x45xf32>, %c: memref<2x45xf32>) {
  linalg.matmul ins(%a, %b : memref<2x4xf32>, memref<4x45xf32>) outs(%c : memref<2x45xf32>)
  return
}

// -----

// A left operand that lies along m is read as it lies; 15 rows do not pay for a copy of the right one.

// CHECK: #[[$MAP:.*]] = affine_map<(d0, d1, d2) -> (d2, d0)>
// CHECK: #[[$MAP1:.*]] = affine_map<(d0, d1, d2) -> (d2, d1)>
// CHECK: #[[$MAP2:.*]] = affine_map<(d0, d1, d2) -> (d0, d1)>
// CHECK-LABEL: func.func @left_transposed(
// CHECK-SAME: %[[X:[^:]*]]:{{.*}}%[[Y:[^:]*]]:{{.*}}%[[Z:[^:]*]]:
// CHECK: %[[SUBVIEW:.*]] = memref.subview %[[Z]][0, 0] [15, 8] [1, 1] : memref<15x8xf32> to memref<15x8xf32, strided<[8, 1]>>
// CHECK: %[[SUBVIEW1:.*]] = memref.subview %[[X]][0, 0] [4, 15] [1, 1] : memref<4x15xf32> to memref<4x15xf32, strided<[15, 1]>>
// CHECK: %[[SUBVIEW2:.*]] = memref.subview %[[Y]][0, 0] [4, 8] [1, 1] : memref<4x8xf32> to memref<4x8xf32, strided<[8, 1]>>
// CHECK-DAG: %[[CONSTANT:.*]] = arith.constant 6 : index
// CHECK-DAG: %[[CONSTANT1:.*]] = arith.constant 12 : index
// CHECK-DAG: %[[CONSTANT2:.*]] = arith.constant 0 : index
// CHECK: scf.for %[[I0:.*]] = %[[CONSTANT2]] to %[[CONSTANT1]] step %[[CONSTANT]] {
// CHECK-DAG: %[[CONSTANT3:.*]] = arith.constant 1 : index
// CHECK-DAG: %[[CONSTANT4:.*]] = arith.constant 4 : index
// CHECK-DAG: %[[CONSTANT5:.*]] = arith.constant 0 : index
// CHECK: scf.for %[[I1:.*]] = %[[CONSTANT5]] to %[[CONSTANT4]] step %[[CONSTANT3]] {
// CHECK: %[[SUBVIEW3:.*]] = memref.subview %[[SUBVIEW1]][%[[I1]], %[[I0]]] [1, 6] [1, 1] : memref<4x15xf32, strided<[15, 1]>> to memref<1x6xf32, strided<[15, 1], offset: ?>>
// CHECK: %[[SUBVIEW4:.*]] = memref.subview %[[SUBVIEW2]][%[[I1]], 0] [1, 8] [1, 1] : memref<4x8xf32, strided<[8, 1]>> to memref<1x8xf32, strided<[8, 1], offset: ?>>
// CHECK: %[[SUBVIEW5:.*]] = memref.subview %[[SUBVIEW]][%[[I0]], 0] [6, 8] [1, 1] : memref<15x8xf32, strided<[8, 1]>> to memref<6x8xf32, strided<[8, 1], offset: ?>>
// CHECK: linalg.contract indexing_maps = [#[[$MAP]], #[[$MAP1]], #[[$MAP2]]] ins(%[[SUBVIEW3]], %[[SUBVIEW4]] : memref<1x6xf32, strided<[15, 1], offset: ?>>, memref<1x8xf32, strided<[8, 1], offset: ?>>) outs(%[[SUBVIEW5]] : memref<6x8xf32, strided<[8, 1], offset: ?>>)
// CHECK-DAG: %[[CONSTANT6:.*]] = arith.constant 1 : index
// CHECK-DAG: %[[CONSTANT7:.*]] = arith.constant 4 : index
// CHECK-DAG: %[[CONSTANT8:.*]] = arith.constant 0 : index
// CHECK: scf.for %[[I2:.*]] = %[[CONSTANT8]] to %[[CONSTANT7]] step %[[CONSTANT6]] {
// CHECK: %[[SUBVIEW6:.*]] = memref.subview %[[SUBVIEW1]][%[[I2]], 12] [1, 3] [1, 1] : memref<4x15xf32, strided<[15, 1]>> to memref<1x3xf32, strided<[15, 1], offset: ?>>
// CHECK: %[[SUBVIEW7:.*]] = memref.subview %[[SUBVIEW2]][%[[I2]], 0] [1, 8] [1, 1] : memref<4x8xf32, strided<[8, 1]>> to memref<1x8xf32, strided<[8, 1], offset: ?>>
// CHECK: %[[SUBVIEW8:.*]] = memref.subview %[[SUBVIEW]][12, 0] [3, 8] [1, 1] : memref<15x8xf32, strided<[8, 1]>> to memref<3x8xf32, strided<[8, 1], offset: 96>>
// CHECK: linalg.contract indexing_maps = [#[[$MAP]], #[[$MAP1]], #[[$MAP2]]] ins(%[[SUBVIEW6]], %[[SUBVIEW7]] : memref<1x3xf32, strided<[15, 1], offset: ?>>, memref<1x8xf32, strided<[8, 1], offset: ?>>) outs(%[[SUBVIEW8]] : memref<3x8xf32, strided<[8, 1], offset: 96>>)
func.func @left_transposed(%a: memref<4x15xf32>, %b: memref<4x8xf32>, %c: memref<15x8xf32>) {
  linalg.contract indexing_maps = [affine_map<(m, n, k) -> (k, m)>, affine_map<(m, n, k) -> (k, n)>, affine_map<(m, n, k) -> (m, n)>]
      ins(%a, %b : memref<4x15xf32>, memref<4x8xf32>) outs(%c : memref<15x8xf32>)
  return
}

// -----

// 16 rows pay for it: the first tile of 6 copies the panel.

// CHECK: #[[$MAP:.*]] = affine_map<(d0, d1, d2) -> (d0, d2)>
// CHECK: #[[$MAP1:.*]] = affine_map<(d0, d1, d2) -> (d2, d1)>
// CHECK: #[[$MAP2:.*]] = affine_map<(d0, d1, d2) -> (d0, d1)>
// CHECK: #[[$MAP3:.*]] = affine_map<(d0, d1) -> (d0, d1)>
// CHECK-LABEL: func.func @packed(
// CHECK-SAME: %[[X:[^:]*]]:{{.*}}%[[Y:[^:]*]]:{{.*}}%[[Z:[^:]*]]:
// CHECK: %[[ALLOCA:.*]] = memref.alloca() {alignment = 64 : i64} : memref<4x8xf32>
// CHECK: %[[SUBVIEW:.*]] = memref.subview %[[Z]][0, 0] [16, 8] [1, 1] : memref<16x8xf32> to memref<16x8xf32, strided<[8, 1]>>
// CHECK: %[[SUBVIEW1:.*]] = memref.subview %[[X]][0, 0] [16, 4] [1, 1] : memref<16x4xf32> to memref<16x4xf32, strided<[4, 1]>>
// CHECK: %[[SUBVIEW2:.*]] = memref.subview %[[Y]][0, 0] [4, 8] [1, 1] : memref<4x8xf32> to memref<4x8xf32, strided<[8, 1]>>
// CHECK-DAG: %[[CONSTANT:.*]] = arith.constant 1 : index
// CHECK-DAG: %[[CONSTANT1:.*]] = arith.constant 4 : index
// CHECK-DAG: %[[CONSTANT2:.*]] = arith.constant 0 : index
// CHECK: scf.for %[[I2:.*]] = %[[CONSTANT2]] to %[[CONSTANT1]] step %[[CONSTANT]] {
// CHECK: %[[SUBVIEW3:.*]] = memref.subview %[[SUBVIEW1]][0, %[[I2]]] [6, 1] [1, 1] : memref<16x4xf32, strided<[4, 1]>> to memref<6x1xf32, strided<[4, 1], offset: ?>>
// CHECK: %[[SUBVIEW4:.*]] = memref.subview %[[SUBVIEW2]][%[[I2]], 0] [1, 8] [1, 1] : memref<4x8xf32, strided<[8, 1]>> to memref<1x8xf32, strided<[8, 1], offset: ?>>
// CHECK: %[[SUBVIEW5:.*]] = memref.subview %[[SUBVIEW]][0, 0] [6, 8] [1, 1] : memref<16x8xf32, strided<[8, 1]>> to memref<6x8xf32, strided<[8, 1]>>
// CHECK: linalg.contract indexing_maps = [#[[$MAP]], #[[$MAP1]], #[[$MAP2]]] ins(%[[SUBVIEW3]], %[[SUBVIEW4]] : memref<6x1xf32, strided<[4, 1], offset: ?>>, memref<1x8xf32, strided<[8, 1], offset: ?>>) outs(%[[SUBVIEW5]] : memref<6x8xf32, strided<[8, 1]>>)
// CHECK: %[[COPY:.*]] = memref.subview %[[ALLOCA]][%[[I2]], 0] [1, 8] [1, 1] : memref<4x8xf32> to memref<1x8xf32, strided<[8, 1], offset: ?>>
// CHECK: linalg.generic {indexing_maps = [#[[$MAP3]], #[[$MAP3]]], iterator_types = ["parallel", "parallel"]} ins(%[[SUBVIEW4]] : memref<1x8xf32, strided<[8, 1], offset: ?>>) outs(%[[COPY]] : memref<1x8xf32, strided<[8, 1], offset: ?>>) {
// CHECK: ^bb0(%[[I0:.*]]: f32, %[[I1:.*]]: f32):
// CHECK: linalg.yield %[[I0]] : f32
// CHECK-DAG: %[[CONSTANT3:.*]] = arith.constant 1 : index
// CHECK-DAG: %[[CONSTANT4:.*]] = arith.constant 4 : index
// CHECK-DAG: %[[CONSTANT5:.*]] = arith.constant 0 : index
// CHECK: scf.for %[[I3:.*]] = %[[CONSTANT5]] to %[[CONSTANT4]] step %[[CONSTANT3]] {
// CHECK: %[[SUBVIEW9:.*]] = memref.subview %[[SUBVIEW1]][6, %[[I3]]] [6, 1] [1, 1] : memref<16x4xf32, strided<[4, 1]>> to memref<6x1xf32, strided<[4, 1], offset: ?>>
// CHECK: %[[SUBVIEW10:.*]] = memref.subview %[[ALLOCA]][%[[I3]], 0] [1, 8] [1, 1] : memref<4x8xf32> to memref<1x8xf32, strided<[8, 1], offset: ?>>
// CHECK: %[[SUBVIEW11:.*]] = memref.subview %[[SUBVIEW]][6, 0] [6, 8] [1, 1] : memref<16x8xf32, strided<[8, 1]>> to memref<6x8xf32, strided<[8, 1], offset: 48>>
// CHECK: linalg.contract indexing_maps = [#[[$MAP]], #[[$MAP1]], #[[$MAP2]]] ins(%[[SUBVIEW9]], %[[SUBVIEW10]] : memref<6x1xf32, strided<[4, 1], offset: ?>>, memref<1x8xf32, strided<[8, 1], offset: ?>>) outs(%[[SUBVIEW11]] : memref<6x8xf32, strided<[8, 1], offset: 48>>)
// CHECK-DAG: %[[CONSTANT6:.*]] = arith.constant 1 : index
// CHECK-DAG: %[[CONSTANT7:.*]] = arith.constant 4 : index
// CHECK-DAG: %[[CONSTANT8:.*]] = arith.constant 0 : index
// CHECK: scf.for %[[I4:.*]] = %[[CONSTANT8]] to %[[CONSTANT7]] step %[[CONSTANT6]] {
// CHECK: %[[SUBVIEW6:.*]] = memref.subview %[[SUBVIEW1]][12, %[[I4]]] [4, 1] [1, 1] : memref<16x4xf32, strided<[4, 1]>> to memref<4x1xf32, strided<[4, 1], offset: ?>>
// CHECK: %[[SUBVIEW7:.*]] = memref.subview %[[ALLOCA]][%[[I4]], 0] [1, 8] [1, 1] : memref<4x8xf32> to memref<1x8xf32, strided<[8, 1], offset: ?>>
// CHECK: %[[SUBVIEW8:.*]] = memref.subview %[[SUBVIEW]][12, 0] [4, 8] [1, 1] : memref<16x8xf32, strided<[8, 1]>> to memref<4x8xf32, strided<[8, 1], offset: 96>>
// CHECK: linalg.contract indexing_maps = [#[[$MAP]], #[[$MAP1]], #[[$MAP2]]] ins(%[[SUBVIEW6]], %[[SUBVIEW7]] : memref<4x1xf32, strided<[4, 1], offset: ?>>, memref<1x8xf32, strided<[8, 1], offset: ?>>) outs(%[[SUBVIEW8]] : memref<4x8xf32, strided<[8, 1], offset: 96>>)
func.func @packed(%a: memref<16x4xf32>, %b: memref<4x8xf32>, %c: memref<16x8xf32>) {
  linalg.matmul ins(%a, %b : memref<16x4xf32>, memref<4x8xf32>) outs(%c : memref<16x8xf32>)
  return
}

// -----

// The result lies along the rows of the left operand: the operands change sides.

// CHECK: #[[$MAP:.*]] = affine_map<(d0, d1) -> (d1, d0)>
// CHECK: #[[$MAP1:.*]] = affine_map<(d0, d1) -> (d0, d1)>
// CHECK: #[[$MAP2:.*]] = affine_map<(d0, d1, d2) -> (d2, d0)>
// CHECK: #[[$MAP3:.*]] = affine_map<(d0, d1, d2) -> (d2, d1)>
// CHECK: #[[$MAP4:.*]] = affine_map<(d0, d1, d2) -> (d0, d1)>
// CHECK-LABEL: func.func @sides(
// CHECK-SAME: %[[X:[^:]*]]:{{.*}}%[[Y:[^:]*]]:{{.*}}%[[Z:[^:]*]]:
// CHECK: %[[ALLOCA:.*]] = memref.alloca() {alignment = 64 : i64} : memref<4x8xf32>
// CHECK: %[[SUBVIEW:.*]] = memref.subview %[[Z]][0, 0] [2, 8] [1, 1] : memref<2x8xf32> to memref<2x8xf32, strided<[8, 1]>>
// CHECK: %[[SUBVIEW1:.*]] = memref.subview %[[Y]][0, 0] [4, 2] [1, 1] : memref<4x2xf32> to memref<4x2xf32, strided<[2, 1]>>
// CHECK: %[[SUBVIEW2:.*]] = memref.subview %[[X]][0, 0] [8, 4] [1, 1] : memref<8x4xf32> to memref<8x4xf32, strided<[4, 1]>>
// CHECK: linalg.generic {indexing_maps = [#[[$MAP]], #[[$MAP1]]], iterator_types = ["parallel", "parallel"]} ins(%[[SUBVIEW2]] : memref<8x4xf32, strided<[4, 1]>>) outs(%[[ALLOCA]] : memref<4x8xf32>) {
// CHECK: ^bb0(%[[I0:.*]]: f32, %[[I1:.*]]: f32):
// CHECK: linalg.yield %[[I0]] : f32
// CHECK-DAG: %[[CONSTANT:.*]] = arith.constant 1 : index
// CHECK-DAG: %[[CONSTANT1:.*]] = arith.constant 4 : index
// CHECK-DAG: %[[CONSTANT2:.*]] = arith.constant 0 : index
// CHECK: scf.for %[[I2:.*]] = %[[CONSTANT2]] to %[[CONSTANT1]] step %[[CONSTANT]] {
// CHECK: %[[SUBVIEW3:.*]] = memref.subview %[[SUBVIEW1]][%[[I2]], 0] [1, 2] [1, 1] : memref<4x2xf32, strided<[2, 1]>> to memref<1x2xf32, strided<[2, 1], offset: ?>>
// CHECK: %[[SUBVIEW4:.*]] = memref.subview %[[ALLOCA]][%[[I2]], 0] [1, 8] [1, 1] : memref<4x8xf32> to memref<1x8xf32, strided<[8, 1], offset: ?>>
// CHECK: linalg.contract indexing_maps = [#[[$MAP2]], #[[$MAP3]], #[[$MAP4]]] ins(%[[SUBVIEW3]], %[[SUBVIEW4]] : memref<1x2xf32, strided<[2, 1], offset: ?>>, memref<1x8xf32, strided<[8, 1], offset: ?>>) outs(%[[SUBVIEW]] : memref<2x8xf32, strided<[8, 1]>>)
func.func @sides(%a: memref<8x4xf32>, %b: memref<4x2xf32>, %c: memref<2x8xf32>) {
  linalg.contract indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (k, n)>, affine_map<(m, n, k) -> (n, m)>]
      ins(%a, %b : memref<8x4xf32>, memref<4x2xf32>) outs(%c : memref<2x8xf32>)
  return
}

// -----

// Two dimensions that are contracted, and a result of three: a loop for each that is not the last of its kind.

// CHECK: #[[$MAP:.*]] = affine_map<(d0, d1, d2) -> (d0, d2)>
// CHECK: #[[$MAP1:.*]] = affine_map<(d0, d1, d2) -> (d2, d1)>
// CHECK: #[[$MAP2:.*]] = affine_map<(d0, d1, d2) -> (d0, d1)>
// CHECK-LABEL: func.func @loops(
// CHECK-SAME: %[[X:[^:]*]]:{{.*}}%[[Y:[^:]*]]:{{.*}}%[[Z:[^:]*]]:
// CHECK-DAG: %[[CONSTANT:.*]] = arith.constant 1 : index
// CHECK-DAG: %[[CONSTANT1:.*]] = arith.constant 3 : index
// CHECK-DAG: %[[CONSTANT2:.*]] = arith.constant 0 : index
// CHECK: scf.for %[[I0:.*]] = %[[CONSTANT2]] to %[[CONSTANT1]] step %[[CONSTANT]] {
// CHECK-DAG: %[[CONSTANT3:.*]] = arith.constant 1 : index
// CHECK-DAG: %[[CONSTANT4:.*]] = arith.constant 5 : index
// CHECK-DAG: %[[CONSTANT5:.*]] = arith.constant 0 : index
// CHECK: scf.for %[[I1:.*]] = %[[CONSTANT5]] to %[[CONSTANT4]] step %[[CONSTANT3]] {
// CHECK: %[[SUBVIEW:.*]] = memref.subview %[[X]][%[[I0]], 0, %[[I1]], 0] [1, 2, 1, 4] [1, 1, 1, 1] : memref<3x2x5x4xf32> to memref<2x4xf32, strided<[20, 1], offset: ?>>
// CHECK: %[[SUBVIEW1:.*]] = memref.subview %[[Y]][%[[I1]], 0, 0] [1, 4, 8] [1, 1, 1] : memref<5x4x8xf32> to memref<4x8xf32, strided<[8, 1], offset: ?>>
// CHECK: %[[SUBVIEW2:.*]] = memref.subview %[[Z]][%[[I0]], 0, 0] [1, 2, 8] [1, 1, 1] : memref<3x2x8xf32> to memref<2x8xf32, strided<[8, 1], offset: ?>>
// CHECK: %[[SUBVIEW3:.*]] = memref.subview %[[SUBVIEW2]][0, 0] [2, 8] [1, 1] : memref<2x8xf32, strided<[8, 1], offset: ?>> to memref<2x8xf32, strided<[8, 1], offset: ?>>
// CHECK: %[[SUBVIEW4:.*]] = memref.subview %[[SUBVIEW]][0, 0] [2, 4] [1, 1] : memref<2x4xf32, strided<[20, 1], offset: ?>> to memref<2x4xf32, strided<[20, 1], offset: ?>>
// CHECK: %[[SUBVIEW5:.*]] = memref.subview %[[SUBVIEW1]][0, 0] [4, 8] [1, 1] : memref<4x8xf32, strided<[8, 1], offset: ?>> to memref<4x8xf32, strided<[8, 1], offset: ?>>
// CHECK-DAG: %[[CONSTANT6:.*]] = arith.constant 1 : index
// CHECK-DAG: %[[CONSTANT7:.*]] = arith.constant 4 : index
// CHECK-DAG: %[[CONSTANT8:.*]] = arith.constant 0 : index
// CHECK: scf.for %[[I2:.*]] = %[[CONSTANT8]] to %[[CONSTANT7]] step %[[CONSTANT6]] {
// CHECK: %[[SUBVIEW6:.*]] = memref.subview %[[SUBVIEW4]][0, %[[I2]]] [2, 1] [1, 1] : memref<2x4xf32, strided<[20, 1], offset: ?>> to memref<2x1xf32, strided<[20, 1], offset: ?>>
// CHECK: %[[SUBVIEW7:.*]] = memref.subview %[[SUBVIEW5]][%[[I2]], 0] [1, 8] [1, 1] : memref<4x8xf32, strided<[8, 1], offset: ?>> to memref<1x8xf32, strided<[8, 1], offset: ?>>
// CHECK: linalg.contract indexing_maps = [#[[$MAP]], #[[$MAP1]], #[[$MAP2]]] ins(%[[SUBVIEW6]], %[[SUBVIEW7]] : memref<2x1xf32, strided<[20, 1], offset: ?>>, memref<1x8xf32, strided<[8, 1], offset: ?>>) outs(%[[SUBVIEW3]] : memref<2x8xf32, strided<[8, 1], offset: ?>>)
func.func @loops(%a: memref<3x2x5x4xf32>, %b: memref<5x4x8xf32>, %c: memref<3x2x8xf32>) {
  linalg.contract indexing_maps = [affine_map<(p, m, n, j, k) -> (p, m, j, k)>, affine_map<(p, m, n, j, k) -> (j, k, n)>, affine_map<(p, m, n, j, k) -> (p, m, n)>]
      ins(%a, %b : memref<3x2x5x4xf32>, memref<5x4x8xf32>) outs(%c : memref<3x2x8xf32>)
  return
}

// -----

// Sums of 16 bits are made in 32, from both signs, and cut at the end.

// CHECK: #[[$MAP:.*]] = affine_map<(d0, d1) -> (d0, d1)>
// CHECK: #[[$MAP1:.*]] = affine_map<(d0, d1, d2) -> (d0, d2)>
// CHECK: #[[$MAP2:.*]] = affine_map<(d0, d1, d2) -> (d2, d1)>
// CHECK: #[[$MAP3:.*]] = affine_map<(d0, d1, d2) -> (d0, d1)>
// CHECK-LABEL: func.func @integers(
// CHECK-SAME: %[[X:[^:]*]]:{{.*}}%[[Y:[^:]*]]:{{.*}}%[[Z:[^:]*]]:
// CHECK: %[[ALLOCA:.*]] = memref.alloca() {alignment = 64 : i64} : memref<4x8xi32>
// CHECK: %[[ALLOCA1:.*]] = memref.alloca() {alignment = 64 : i64} : memref<2x8xi32>
// CHECK: %[[ALLOCA2:.*]] = memref.alloca() {alignment = 64 : i64} : memref<2x4xi32>
// CHECK: linalg.generic {indexing_maps = [#[[$MAP]], #[[$MAP]]], iterator_types = ["parallel", "parallel"]} ins(%[[X]] : memref<2x4xi8>) outs(%[[ALLOCA2]] : memref<2x4xi32>) {
// CHECK: ^bb0(%[[I0:.*]]: i8, %[[I1:.*]]: i32):
// CHECK: %[[EXTUI:.*]] = arith.extui %[[I0]] : i8 to i32
// CHECK: linalg.yield %[[EXTUI]] : i32
// CHECK: %[[SUBVIEW:.*]] = memref.subview %[[Z]][0, 0] [2, 8] [1, 1] : memref<2x8xi16> to memref<2x8xi16, strided<[8, 1]>>
// CHECK: %[[SUBVIEW1:.*]] = memref.subview %[[ALLOCA1]][0, 0] [2, 8] [1, 1] : memref<2x8xi32> to memref<2x8xi32, strided<[8, 1]>>
// CHECK: linalg.generic {indexing_maps = [#[[$MAP]], #[[$MAP]]], iterator_types = ["parallel", "parallel"]} ins(%[[SUBVIEW]] : memref<2x8xi16, strided<[8, 1]>>) outs(%[[SUBVIEW1]] : memref<2x8xi32, strided<[8, 1]>>) {
// CHECK: ^bb0(%[[I2:.*]]: i16, %[[I3:.*]]: i32):
// CHECK: %[[EXTSI:.*]] = arith.extsi %[[I2]] : i16 to i32
// CHECK: linalg.yield %[[EXTSI]] : i32
// CHECK: %[[SUBVIEW2:.*]] = memref.subview %[[ALLOCA2]][0, 0] [2, 4] [1, 1] : memref<2x4xi32> to memref<2x4xi32, strided<[4, 1]>>
// CHECK: %[[SUBVIEW3:.*]] = memref.subview %[[Y]][0, 0] [4, 8] [1, 1] : memref<4x8xi8> to memref<4x8xi8, strided<[8, 1]>>
// CHECK: linalg.generic {indexing_maps = [#[[$MAP]], #[[$MAP]]], iterator_types = ["parallel", "parallel"]} ins(%[[SUBVIEW3]] : memref<4x8xi8, strided<[8, 1]>>) outs(%[[ALLOCA]] : memref<4x8xi32>) {
// CHECK: ^bb0(%[[I4:.*]]: i8, %[[I5:.*]]: i32):
// CHECK: %[[EXTSI1:.*]] = arith.extsi %[[I4]] : i8 to i32
// CHECK: linalg.yield %[[EXTSI1]] : i32
// CHECK-DAG: %[[CONSTANT:.*]] = arith.constant 1 : index
// CHECK-DAG: %[[CONSTANT1:.*]] = arith.constant 4 : index
// CHECK-DAG: %[[CONSTANT2:.*]] = arith.constant 0 : index
// CHECK: scf.for %[[I6:.*]] = %[[CONSTANT2]] to %[[CONSTANT1]] step %[[CONSTANT]] {
// CHECK: %[[SUBVIEW4:.*]] = memref.subview %[[SUBVIEW2]][0, %[[I6]]] [2, 1] [1, 1] : memref<2x4xi32, strided<[4, 1]>> to memref<2x1xi32, strided<[4, 1], offset: ?>>
// CHECK: %[[SUBVIEW5:.*]] = memref.subview %[[ALLOCA]][%[[I6]], 0] [1, 8] [1, 1] : memref<4x8xi32> to memref<1x8xi32, strided<[8, 1], offset: ?>>
// CHECK: %[[SUBVIEW6:.*]] = memref.subview %[[ALLOCA1]][0, 0] [2, 8] [1, 1] : memref<2x8xi32> to memref<2x8xi32, strided<[8, 1]>>
// CHECK: linalg.contract indexing_maps = [#[[$MAP1]], #[[$MAP2]], #[[$MAP3]]] ins(%[[SUBVIEW4]], %[[SUBVIEW5]] : memref<2x1xi32, strided<[4, 1], offset: ?>>, memref<1x8xi32, strided<[8, 1], offset: ?>>) outs(%[[SUBVIEW6]] : memref<2x8xi32, strided<[8, 1]>>)
// CHECK: %[[SUBVIEW7:.*]] = memref.subview %[[ALLOCA1]][0, 0] [2, 8] [1, 1] : memref<2x8xi32> to memref<2x8xi32, strided<[8, 1]>>
// CHECK: linalg.generic {indexing_maps = [#[[$MAP]], #[[$MAP]]], iterator_types = ["parallel", "parallel"]} ins(%[[SUBVIEW7]] : memref<2x8xi32, strided<[8, 1]>>) outs(%[[SUBVIEW]] : memref<2x8xi16, strided<[8, 1]>>) {
// CHECK: ^bb0(%[[I7:.*]]: i32, %[[I8:.*]]: i16):
// CHECK: %[[TRUNCI:.*]] = arith.trunci %[[I7]] : i32 to i16
// CHECK: linalg.yield %[[TRUNCI]] : i16
func.func @integers(%a: memref<2x4xi8>, %b: memref<4x8xi8>, %c: memref<2x8xi16>) {
  linalg.generic {indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (k, n)>, affine_map<(m, n, k) -> (m, n)>], iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%a, %b : memref<2x4xi8>, memref<4x8xi8>) outs(%c : memref<2x8xi16>) {
  ^bb0(%x: i8, %y: i8, %z: i16):
    %0 = arith.extui %x : i8 to i16
    %1 = arith.extsi %y : i8 to i16
    %2 = arith.muli %0, %1 : i16
    %3 = arith.addi %z, %2 : i16
    linalg.yield %3 : i16
  }
  return
}

// -----

// Integers that become floats keep their sign, and have none where the body reads none.

// CHECK: #[[$MAP:.*]] = affine_map<(d0, d1) -> (d0, d1)>
// CHECK: #[[$MAP1:.*]] = affine_map<(d0, d1, d2) -> (d0, d2)>
// CHECK: #[[$MAP2:.*]] = affine_map<(d0, d1, d2) -> (d2, d1)>
// CHECK: #[[$MAP3:.*]] = affine_map<(d0, d1, d2) -> (d0, d1)>
// CHECK-LABEL: func.func @converted(
// CHECK-SAME: %[[X:[^:]*]]:{{.*}}%[[Y:[^:]*]]:{{.*}}%[[Z:[^:]*]]:
// CHECK: %[[ALLOCA:.*]] = memref.alloca() {alignment = 64 : i64} : memref<4x8xf32>
// CHECK: %[[ALLOCA1:.*]] = memref.alloca() {alignment = 64 : i64} : memref<2x4xf32>
// CHECK: linalg.generic {indexing_maps = [#[[$MAP]], #[[$MAP]]], iterator_types = ["parallel", "parallel"]} ins(%[[X]] : memref<2x4xi8>) outs(%[[ALLOCA1]] : memref<2x4xf32>) {
// CHECK: ^bb0(%[[I0:.*]]: i8, %[[I1:.*]]: f32):
// CHECK: %[[UITOFP:.*]] = arith.uitofp %[[I0]] : i8 to f32
// CHECK: linalg.yield %[[UITOFP]] : f32
// CHECK: %[[SUBVIEW:.*]] = memref.subview %[[Z]][0, 0] [2, 8] [1, 1] : memref<2x8xf32> to memref<2x8xf32, strided<[8, 1]>>
// CHECK: %[[SUBVIEW1:.*]] = memref.subview %[[ALLOCA1]][0, 0] [2, 4] [1, 1] : memref<2x4xf32> to memref<2x4xf32, strided<[4, 1]>>
// CHECK: %[[SUBVIEW2:.*]] = memref.subview %[[Y]][0, 0] [4, 8] [1, 1] : memref<4x8xi8> to memref<4x8xi8, strided<[8, 1]>>
// CHECK: linalg.generic {indexing_maps = [#[[$MAP]], #[[$MAP]]], iterator_types = ["parallel", "parallel"]} ins(%[[SUBVIEW2]] : memref<4x8xi8, strided<[8, 1]>>) outs(%[[ALLOCA]] : memref<4x8xf32>) {
// CHECK: ^bb0(%[[I2:.*]]: i8, %[[I3:.*]]: f32):
// CHECK: %[[SITOFP:.*]] = arith.sitofp %[[I2]] : i8 to f32
// CHECK: linalg.yield %[[SITOFP]] : f32
// CHECK-DAG: %[[CONSTANT:.*]] = arith.constant 1 : index
// CHECK-DAG: %[[CONSTANT1:.*]] = arith.constant 4 : index
// CHECK-DAG: %[[CONSTANT2:.*]] = arith.constant 0 : index
// CHECK: scf.for %[[I4:.*]] = %[[CONSTANT2]] to %[[CONSTANT1]] step %[[CONSTANT]] {
// CHECK: %[[SUBVIEW3:.*]] = memref.subview %[[SUBVIEW1]][0, %[[I4]]] [2, 1] [1, 1] : memref<2x4xf32, strided<[4, 1]>> to memref<2x1xf32, strided<[4, 1], offset: ?>>
// CHECK: %[[SUBVIEW4:.*]] = memref.subview %[[ALLOCA]][%[[I4]], 0] [1, 8] [1, 1] : memref<4x8xf32> to memref<1x8xf32, strided<[8, 1], offset: ?>>
// CHECK: linalg.contract indexing_maps = [#[[$MAP1]], #[[$MAP2]], #[[$MAP3]]] ins(%[[SUBVIEW3]], %[[SUBVIEW4]] : memref<2x1xf32, strided<[4, 1], offset: ?>>, memref<1x8xf32, strided<[8, 1], offset: ?>>) outs(%[[SUBVIEW]] : memref<2x8xf32, strided<[8, 1]>>)
func.func @converted(%a: memref<2x4xi8>, %b: memref<4x8xi8>, %c: memref<2x8xf32>) {
  linalg.generic {indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (k, n)>, affine_map<(m, n, k) -> (m, n)>], iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%a, %b : memref<2x4xi8>, memref<4x8xi8>) outs(%c : memref<2x8xf32>) {
  ^bb0(%x: i8, %y: i8, %z: f32):
    %0 = arith.uitofp %x : i8 to f32
    %1 = arith.sitofp %y : i8 to f32
    %2 = arith.mulf %0, %1 : f32
    %3 = arith.addf %z, %2 : f32
    linalg.yield %3 : f32
  }
  return
}

// -----

// Factors of more bits than the sum are cut first.

// CHECK: #[[$MAP:.*]] = affine_map<(d0, d1) -> (d0, d1)>
// CHECK: #[[$MAP1:.*]] = affine_map<(d0, d1, d2) -> (d0, d2)>
// CHECK: #[[$MAP2:.*]] = affine_map<(d0, d1, d2) -> (d2, d1)>
// CHECK: #[[$MAP3:.*]] = affine_map<(d0, d1, d2) -> (d0, d1)>
// CHECK-LABEL: func.func @cut(
// CHECK-SAME: %[[X:[^:]*]]:{{.*}}%[[Y:[^:]*]]:{{.*}}%[[Z:[^:]*]]:
// CHECK: %[[ALLOCA:.*]] = memref.alloca() {alignment = 64 : i64} : memref<4x8xf32>
// CHECK: %[[ALLOCA1:.*]] = memref.alloca() {alignment = 64 : i64} : memref<2x4xf32>
// CHECK: linalg.generic {indexing_maps = [#[[$MAP]], #[[$MAP]]], iterator_types = ["parallel", "parallel"]} ins(%[[X]] : memref<2x4xf64>) outs(%[[ALLOCA1]] : memref<2x4xf32>) {
// CHECK: ^bb0(%[[I0:.*]]: f64, %[[I1:.*]]: f32):
// CHECK: %[[TRUNCF:.*]] = arith.truncf %[[I0]] : f64 to f32
// CHECK: linalg.yield %[[TRUNCF]] : f32
// CHECK: %[[SUBVIEW:.*]] = memref.subview %[[Z]][0, 0] [2, 8] [1, 1] : memref<2x8xf32> to memref<2x8xf32, strided<[8, 1]>>
// CHECK: %[[SUBVIEW1:.*]] = memref.subview %[[ALLOCA1]][0, 0] [2, 4] [1, 1] : memref<2x4xf32> to memref<2x4xf32, strided<[4, 1]>>
// CHECK: %[[SUBVIEW2:.*]] = memref.subview %[[Y]][0, 0] [4, 8] [1, 1] : memref<4x8xf64> to memref<4x8xf64, strided<[8, 1]>>
// CHECK: linalg.generic {indexing_maps = [#[[$MAP]], #[[$MAP]]], iterator_types = ["parallel", "parallel"]} ins(%[[SUBVIEW2]] : memref<4x8xf64, strided<[8, 1]>>) outs(%[[ALLOCA]] : memref<4x8xf32>) {
// CHECK: ^bb0(%[[I2:.*]]: f64, %[[I3:.*]]: f32):
// CHECK: %[[TRUNCF1:.*]] = arith.truncf %[[I2]] : f64 to f32
// CHECK: linalg.yield %[[TRUNCF1]] : f32
// CHECK-DAG: %[[CONSTANT:.*]] = arith.constant 1 : index
// CHECK-DAG: %[[CONSTANT1:.*]] = arith.constant 4 : index
// CHECK-DAG: %[[CONSTANT2:.*]] = arith.constant 0 : index
// CHECK: scf.for %[[I4:.*]] = %[[CONSTANT2]] to %[[CONSTANT1]] step %[[CONSTANT]] {
// CHECK: %[[SUBVIEW3:.*]] = memref.subview %[[SUBVIEW1]][0, %[[I4]]] [2, 1] [1, 1] : memref<2x4xf32, strided<[4, 1]>> to memref<2x1xf32, strided<[4, 1], offset: ?>>
// CHECK: %[[SUBVIEW4:.*]] = memref.subview %[[ALLOCA]][%[[I4]], 0] [1, 8] [1, 1] : memref<4x8xf32> to memref<1x8xf32, strided<[8, 1], offset: ?>>
// CHECK: linalg.contract indexing_maps = [#[[$MAP1]], #[[$MAP2]], #[[$MAP3]]] ins(%[[SUBVIEW3]], %[[SUBVIEW4]] : memref<2x1xf32, strided<[4, 1], offset: ?>>, memref<1x8xf32, strided<[8, 1], offset: ?>>) outs(%[[SUBVIEW]] : memref<2x8xf32, strided<[8, 1]>>)
func.func @cut(%a: memref<2x4xf64>, %b: memref<4x8xf64>, %c: memref<2x8xf32>) {
  linalg.matmul ins(%a, %b : memref<2x4xf64>, memref<4x8xf64>) outs(%c : memref<2x8xf32>)
  return
}

// -----

// 128 bits of columns along k are a reduction; a column more, or columns that lie across, are none.

// CHECK: #[[$MAP:.*]] = affine_map<(d0, d1, d2) -> (d0, d2)>
// CHECK: #[[$MAP1:.*]] = affine_map<(d0, d1, d2) -> (d1, d2)>
// CHECK: #[[$MAP2:.*]] = affine_map<(d0, d1, d2) -> (d0, d1)>
// CHECK: #[[$MAP3:.*]] = affine_map<(d0, d1) -> (d0, d1)>
// CHECK: #[[$MAP4:.*]] = affine_map<(d0, d1) -> (d1, d0)>
// CHECK: #[[$MAP5:.*]] = affine_map<(d0, d1, d2) -> (d2, d1)>
// CHECK-LABEL: func.func @narrow(
// CHECK-SAME: %[[X:[^:]*]]:{{.*}}%[[Y:[^:]*]]:{{.*}}%[[Z:[^:]*]]:
// CHECK: linalg.contract indexing_maps = [#[[$MAP]], #[[$MAP1]], #[[$MAP2]]] ins(%[[X]], %[[Y]] : memref<2x64xf32>, memref<4x64xf32>) outs(%[[Z]] : memref<2x4xf32>)
func.func @narrow(%a: memref<2x64xf32>, %b: memref<4x64xf32>, %c: memref<2x4xf32>) {
  linalg.contract indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (n, k)>, affine_map<(m, n, k) -> (m, n)>]
      ins(%a, %b : memref<2x64xf32>, memref<4x64xf32>) outs(%c : memref<2x4xf32>)
  return
}

// CHECK-LABEL: func.func @wider(
// CHECK-SAME: %[[X:[^:]*]]:{{.*}}%[[Y:[^:]*]]:{{.*}}%[[Z:[^:]*]]:
// CHECK: %[[ALLOCA:.*]] = memref.alloca() {alignment = 64 : i64} : memref<64x8xf32>
// CHECK: %[[ALLOCA1:.*]] = memref.alloca() {alignment = 64 : i64} : memref<2x8xf32>
// CHECK: %[[SUBVIEW:.*]] = memref.subview %[[Z]][0, 0] [2, 5] [1, 1] : memref<2x5xf32> to memref<2x5xf32, strided<[5, 1]>>
// CHECK-DAG: %[[CONSTANT:.*]] = arith.constant 0.000000e+00 : f32
// CHECK: linalg.fill ins(%[[CONSTANT]] : f32) outs(%[[ALLOCA1]] : memref<2x8xf32>)
// CHECK: %[[SUBVIEW1:.*]] = memref.subview %[[ALLOCA1]][0, 0] [2, 5] [1, 1] : memref<2x8xf32> to memref<2x5xf32, strided<[8, 1]>>
// CHECK: linalg.generic {indexing_maps = [#[[$MAP3]], #[[$MAP3]]], iterator_types = ["parallel", "parallel"]} ins(%[[SUBVIEW]] : memref<2x5xf32, strided<[5, 1]>>) outs(%[[SUBVIEW1]] : memref<2x5xf32, strided<[8, 1]>>) {
// CHECK: ^bb0(%[[I0:.*]]: f32, %[[I1:.*]]: f32):
// CHECK: linalg.yield %[[I0]] : f32
// CHECK: %[[SUBVIEW2:.*]] = memref.subview %[[X]][0, 0] [2, 64] [1, 1] : memref<2x64xf32> to memref<2x64xf32, strided<[64, 1]>>
// CHECK: %[[SUBVIEW3:.*]] = memref.subview %[[Y]][0, 0] [5, 64] [1, 1] : memref<5x64xf32> to memref<5x64xf32, strided<[64, 1]>>
// CHECK-DAG: %[[CONSTANT1:.*]] = arith.constant 0.000000e+00 : f32
// CHECK: linalg.fill ins(%[[CONSTANT1]] : f32) outs(%[[ALLOCA]] : memref<64x8xf32>)
// CHECK: %[[SUBVIEW4:.*]] = memref.subview %[[ALLOCA]][0, 0] [64, 5] [1, 1] : memref<64x8xf32> to memref<64x5xf32, strided<[8, 1]>>
// CHECK: linalg.generic {indexing_maps = [#[[$MAP4]], #[[$MAP3]]], iterator_types = ["parallel", "parallel"]} ins(%[[SUBVIEW3]] : memref<5x64xf32, strided<[64, 1]>>) outs(%[[SUBVIEW4]] : memref<64x5xf32, strided<[8, 1]>>) {
// CHECK: ^bb0(%[[I2:.*]]: f32, %[[I3:.*]]: f32):
// CHECK: linalg.yield %[[I2]] : f32
// CHECK-DAG: %[[CONSTANT2:.*]] = arith.constant 1 : index
// CHECK-DAG: %[[CONSTANT3:.*]] = arith.constant 64 : index
// CHECK-DAG: %[[CONSTANT4:.*]] = arith.constant 0 : index
// CHECK: scf.for %[[I4:.*]] = %[[CONSTANT4]] to %[[CONSTANT3]] step %[[CONSTANT2]] {
// CHECK: %[[SUBVIEW5:.*]] = memref.subview %[[SUBVIEW2]][0, %[[I4]]] [2, 1] [1, 1] : memref<2x64xf32, strided<[64, 1]>> to memref<2x1xf32, strided<[64, 1], offset: ?>>
// CHECK: %[[SUBVIEW6:.*]] = memref.subview %[[ALLOCA]][%[[I4]], 0] [1, 8] [1, 1] : memref<64x8xf32> to memref<1x8xf32, strided<[8, 1], offset: ?>>
// CHECK: %[[SUBVIEW7:.*]] = memref.subview %[[ALLOCA1]][0, 0] [2, 8] [1, 1] : memref<2x8xf32> to memref<2x8xf32, strided<[8, 1]>>
// CHECK: linalg.contract indexing_maps = [#[[$MAP]], #[[$MAP5]], #[[$MAP2]]] ins(%[[SUBVIEW5]], %[[SUBVIEW6]] : memref<2x1xf32, strided<[64, 1], offset: ?>>, memref<1x8xf32, strided<[8, 1], offset: ?>>) outs(%[[SUBVIEW7]] : memref<2x8xf32, strided<[8, 1]>>)
// CHECK: %[[SUBVIEW8:.*]] = memref.subview %[[ALLOCA1]][0, 0] [2, 5] [1, 1] : memref<2x8xf32> to memref<2x5xf32, strided<[8, 1]>>
// CHECK: linalg.generic {indexing_maps = [#[[$MAP3]], #[[$MAP3]]], iterator_types = ["parallel", "parallel"]} ins(%[[SUBVIEW8]] : memref<2x5xf32, strided<[8, 1]>>) outs(%[[SUBVIEW]] : memref<2x5xf32, strided<[5, 1]>>) {
// CHECK: ^bb0(%[[I5:.*]]: f32, %[[I6:.*]]: f32):
// CHECK: linalg.yield %[[I5]] : f32
func.func @wider(%a: memref<2x64xf32>, %b: memref<5x64xf32>, %c: memref<2x5xf32>) {
  linalg.contract indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (n, k)>, affine_map<(m, n, k) -> (m, n)>]
      ins(%a, %b : memref<2x64xf32>, memref<5x64xf32>) outs(%c : memref<2x5xf32>)
  return
}

// -----

// Contractions without a free dimension, a static size or numeric elements are left to other passes.

// CHECK-LABEL: func.func @dynamic(
// CHECK-SAME: %[[X:[^:]*]]:{{.*}}%[[Y:[^:]*]]:{{.*}}%[[Z:[^:]*]]:
// CHECK: linalg.matmul ins(%[[X]], %[[Y]] : memref<?x4xf32>, memref<4x8xf32>) outs(%[[Z]] : memref<?x8xf32>)
func.func @dynamic(%a: memref<?x4xf32>, %b: memref<4x8xf32>, %c: memref<?x8xf32>) {
  linalg.matmul ins(%a, %b : memref<?x4xf32>, memref<4x8xf32>) outs(%c : memref<?x8xf32>)
  return
}

// CHECK-LABEL: func.func @empty(
// CHECK-SAME: %[[X:[^:]*]]:{{.*}}%[[Y:[^:]*]]:{{.*}}%[[Z:[^:]*]]:
// CHECK: linalg.matmul ins(%[[X]], %[[Y]] : memref<2x0xf32>, memref<0x8xf32>) outs(%[[Z]] : memref<2x8xf32>)
func.func @empty(%a: memref<2x0xf32>, %b: memref<0x8xf32>, %c: memref<2x8xf32>) {
  linalg.matmul ins(%a, %b : memref<2x0xf32>, memref<0x8xf32>) outs(%c : memref<2x8xf32>)
  return
}

// CHECK-LABEL: func.func @vector(
// CHECK-SAME: %[[X:[^:]*]]:{{.*}}%[[Y:[^:]*]]:{{.*}}%[[Z:[^:]*]]:
// CHECK: linalg.matvec ins(%[[X]], %[[Y]] : memref<8x4xf32>, memref<4xf32>) outs(%[[Z]] : memref<8xf32>)
func.func @vector(%a: memref<8x4xf32>, %b: memref<4xf32>, %c: memref<8xf32>) {
  linalg.matvec ins(%a, %b : memref<8x4xf32>, memref<4xf32>) outs(%c : memref<8xf32>)
  return
}

// CHECK-LABEL: func.func @complex(
// CHECK-SAME: %[[X:[^:]*]]:{{.*}}%[[Y:[^:]*]]:{{.*}}%[[Z:[^:]*]]:
// CHECK: linalg.matmul ins(%[[X]], %[[Y]] : memref<2x4xcomplex<f32>>, memref<4x8xcomplex<f32>>) outs(%[[Z]] : memref<2x8xcomplex<f32>>)
func.func @complex(%a: memref<2x4xcomplex<f32>>, %b: memref<4x8xcomplex<f32>>, %c: memref<2x8xcomplex<f32>>) {
  linalg.matmul ins(%a, %b : memref<2x4xcomplex<f32>>, memref<4x8xcomplex<f32>>) outs(%c : memref<2x8xcomplex<f32>>)
  return
}

// -----

// The steps of a deep product with many columns are outermost. Each part of the left operand is copied once, and all
// columns use the copy.
// CHECK-LABEL: func.func @deep(
// CHECK-SAME:    %[[X:[^:]*]]:{{.*}}%[[Y:[^:]*]]:{{.*}}%[[Z:[^:]*]]:
// CHECK:         %[[PART:.*]] = memref.alloca() {alignment = 64 : i64} : memref<18x256xf32>
// CHECK:         scf.for %[[STEP:.*]] = %{{.*}} to %{{.*}} step %{{.*}} {
// CHECK-NEXT:      %[[LEFT:.*]] = memref.subview %[[X]][0, %[[STEP]]] [18, 256]
// CHECK-NEXT:      linalg.generic {{.*}} ins(%[[LEFT]] : {{.*}}) outs(%[[PART]] :
// CHECK:           scf.for %[[COLUMN:.*]] = %{{.*}} to %{{.*}} step %{{.*}} {
// CHECK-NEXT:        memref.subview %[[Z]][0, %[[COLUMN]]] [18, 16]
// CHECK:             memref.subview %[[PART]][0, 0] [18, 256]
// CHECK:             memref.subview %[[Y]][%[[STEP]], %[[COLUMN]]] [256, 16]
func.func @deep(%a: memref<18x512xf32>, %b: memref<512x64xf32>, %c: memref<18x64xf32>) {
  linalg.matmul ins(%a, %b : memref<18x512xf32>, memref<512x64xf32>) outs(%c : memref<18x64xf32>)
  return
}

// -----

// With fewer columns a copy does not pay off.
// CHECK-LABEL: func.func @few_columns(
// CHECK-NOT:     memref<18x256xf32>
// CHECK:         return
func.func @few_columns(%a: memref<18x512xf32>, %b: memref<512x48xf32>, %c: memref<18x48xf32>) {
  linalg.matmul ins(%a, %b : memref<18x512xf32>, memref<512x48xf32>) outs(%c : memref<18x48xf32>)
  return
}
