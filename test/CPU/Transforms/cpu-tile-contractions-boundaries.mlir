// RUN: gridir-opt %s --cpu-tile-contractions --split-input-file | FileCheck %s

// Sizes one below and one above those of a tile (6 rows, 16 columns) and of a panel (256 steps).

// One row fewer than a tile: the tile is as low as the result.
// CHECK-LABEL: func.func @rows5(
// CHECK-SAME: %[[A:[^:]*]]: {{[^%]*}}%[[B:[^:]*]]: {{[^%]*}}%[[C:[^:]*]]: 
// CHECK: %[[OUT:.*]] = memref.subview %[[C]][0, 0] [5, 8]
// CHECK: %[[LEFT:.*]] = memref.subview %[[A]][0, 0] [5, 4]
// CHECK: %[[RIGHT:.*]] = memref.subview %[[B]][0, 0] [4, 8]
// CHECK: scf.for %[[K:.*]] = %
// CHECK: %[[X:.*]] = memref.subview %[[LEFT]][0, %[[K]]] [5, 1]
// CHECK: %[[Y:.*]] = memref.subview %[[RIGHT]][%[[K]], 0] [1, 8]
// CHECK: linalg.contract {{.*}} ins(%[[X]], %[[Y]] : {{.*}} outs(%[[OUT]] : memref<5x8xf32
// CHECK-NOT: linalg.contract
func.func @rows5(%a: memref<5x4xf32>, %b: memref<4x8xf32>, %c: memref<5x8xf32>) {
  linalg.matmul ins(%a, %b : memref<5x4xf32>, memref<4x8xf32>) outs(%c : memref<5x8xf32>)
  return
}

// -----

// One row more: it is a tile of its own, since two equal tiles would need another half of a row.
// CHECK-LABEL: func.func @rows7(
// CHECK-SAME: %[[A:[^:]*]]: {{[^%]*}}%[[B:[^:]*]]: {{[^%]*}}%[[C:[^:]*]]: 
// CHECK: %[[OUT:.*]] = memref.subview %[[C]][0, 0] [7, 8]
// CHECK: %[[LEFT:.*]] = memref.subview %[[A]][0, 0] [7, 4]
// CHECK: scf.for %[[K:.*]] = %
// CHECK: memref.subview %[[LEFT]][0, %[[K]]] [6, 1]
// CHECK: %[[TOP:.*]] = memref.subview %[[OUT]][0, 0] [6, 8]
// CHECK: linalg.contract {{.*}} outs(%[[TOP]] : memref<6x8xf32
// CHECK: scf.for %[[L:.*]] = %
// CHECK: memref.subview %[[LEFT]][6, %[[L]]] [1, 1]
// CHECK: %[[BOTTOM:.*]] = memref.subview %[[OUT]][6, 0] [1, 8]
// CHECK: linalg.contract {{.*}} outs(%[[BOTTOM]] : memref<1x8xf32
// CHECK-NOT: linalg.contract
func.func @rows7(%a: memref<7x4xf32>, %b: memref<4x8xf32>, %c: memref<7x8xf32>) {
  linalg.matmul ins(%a, %b : memref<7x4xf32>, memref<4x8xf32>) outs(%c : memref<7x8xf32>)
  return
}

// -----

// One column fewer than two registers: a panel of one register, and seven columns in a padded one.
// CHECK-LABEL: func.func @columns15(
// CHECK-SAME: %[[A:[^:]*]]: {{[^%]*}}%[[B:[^:]*]]: {{[^%]*}}%[[C:[^:]*]]: 
// CHECK: %[[FIRST:.*]] = memref.subview %[[C]][0, 0] [2, 8]
// CHECK: linalg.contract {{.*}} outs(%[[FIRST]] : memref<2x8xf32
// CHECK: %[[REST:.*]] = memref.subview %[[C]][0, 8] [2, 7]
// CHECK: linalg.fill {{.*}} outs(%[[SUM:.*]] : memref<2x8xf32>)
// CHECK: %[[VALID:.*]] = memref.subview %[[SUM]][0, 0] [2, 7]
// CHECK: linalg.generic {{.*}} ins(%[[REST]] : {{.*}} outs(%[[VALID]] :
// CHECK: %[[RIGHT:.*]] = memref.subview %[[B]][0, 8] [4, 7]
// CHECK: linalg.fill {{.*}} outs(%[[PANEL:.*]] : memref<4x8xf32>)
// CHECK: %[[PART:.*]] = memref.subview %[[PANEL]][0, 0] [4, 7]
// CHECK: linalg.generic {{.*}} ins(%[[RIGHT]] : {{.*}} outs(%[[PART]] :
// CHECK: %[[ALL:.*]] = memref.subview %[[SUM]][0, 0] [2, 8]
// CHECK: linalg.contract {{.*}} outs(%[[ALL]] : memref<2x8xf32
// CHECK: %[[DONE:.*]] = memref.subview %[[SUM]][0, 0] [2, 7]
// CHECK: linalg.generic {{.*}} ins(%[[DONE]] : {{.*}} outs(%[[REST]] :
func.func @columns15(%a: memref<2x4xf32>, %b: memref<4x15xf32>, %c: memref<2x15xf32>) {
  linalg.matmul ins(%a, %b : memref<2x4xf32>, memref<4x15xf32>) outs(%c : memref<2x15xf32>)
  return
}

// -----

// One column more: a panel of two registers, and the last column in a padded one.
// CHECK-LABEL: func.func @columns17(
// CHECK-SAME: %[[A:[^:]*]]: {{[^%]*}}%[[B:[^:]*]]: {{[^%]*}}%[[C:[^:]*]]: 
// CHECK: %[[FIRST:.*]] = memref.subview %[[C]][0, 0] [2, 16]
// CHECK: linalg.contract {{.*}} outs(%[[FIRST]] : memref<2x16xf32
// CHECK: %[[REST:.*]] = memref.subview %[[C]][0, 16] [2, 1]
// CHECK: %[[RIGHT:.*]] = memref.subview %[[B]][0, 16] [4, 1]
// CHECK: linalg.fill {{.*}} outs(%[[PANEL:.*]] : memref<4x8xf32>)
// CHECK: %[[PART:.*]] = memref.subview %[[PANEL]][0, 0] [4, 1]
// CHECK: linalg.generic {{.*}} ins(%[[RIGHT]] : {{.*}} outs(%[[PART]] :
// CHECK: linalg.contract {{.*}} memref<2x8xf32
// CHECK: linalg.generic {{.*}} outs(%[[REST]] :
func.func @columns17(%a: memref<2x4xf32>, %b: memref<4x17xf32>, %c: memref<2x17xf32>) {
  linalg.matmul ins(%a, %b : memref<2x4xf32>, memref<4x17xf32>) outs(%c : memref<2x17xf32>)
  return
}

// -----

// All steps of a reduction that fits a panel are one loop.
// CHECK-LABEL: func.func @depth2048(
// CHECK-SAME: %[[A:[^:]*]]: {{[^%]*}}%[[B:[^:]*]]: {{[^%]*}}%[[C:[^:]*]]: 
// CHECK: %[[LEFT:.*]] = memref.subview %[[A]][0, 0] [2, 2048]
// CHECK: %[[RIGHT:.*]] = memref.subview %[[B]][0, 0] [2048, 8]
// CHECK: %[[END:.*]] = arith.constant 2048 : index
// CHECK: scf.for %[[K:.*]] = %{{.*}} to %[[END]] step
// CHECK: memref.subview %[[LEFT]][0, %[[K]]] [2, 1]
// CHECK: memref.subview %[[RIGHT]][%[[K]], 0] [1, 8]
// CHECK: linalg.contract
// CHECK-NOT: linalg.contract
func.func @depth2048(%a: memref<2x2048xf32>, %b: memref<2048x8xf32>, %c: memref<2x8xf32>) {
  linalg.matmul ins(%a, %b : memref<2x2048xf32>, memref<2048x8xf32>) outs(%c : memref<2x8xf32>)
  return
}

// -----

// A step more is added to the same result, without a loop.
// CHECK-LABEL: func.func @depth2049(
// CHECK-SAME: %[[A:[^:]*]]: {{[^%]*}}%[[B:[^:]*]]: {{[^%]*}}%[[C:[^:]*]]: 
// CHECK: %[[OUT:.*]] = memref.subview %[[C]][0, 0] [2, 8]
// CHECK: memref.subview %[[A]][0, 0] [2, 2048]
// CHECK: memref.subview %[[B]][0, 0] [2048, 8]
// CHECK: scf.for
// CHECK: linalg.contract {{.*}} outs(%[[OUT]] :
// CHECK: %[[X:.*]] = memref.subview %[[A]][0, 2048] [2, 1]
// CHECK: %[[Y:.*]] = memref.subview %[[B]][2048, 0] [1, 8]
// CHECK-NEXT: linalg.contract {{.*}} ins(%[[X]], %[[Y]] : {{.*}} outs(%[[OUT]] :
func.func @depth2049(%a: memref<2x2049xf32>, %b: memref<2049x8xf32>, %c: memref<2x8xf32>) {
  linalg.matmul ins(%a, %b : memref<2x2049xf32>, memref<2049x8xf32>) outs(%c : memref<2x8xf32>)
  return
}

// -----

#kbm = affine_map<(b, m, n, k) -> (k, b, m)>
#nbk = affine_map<(b, m, n, k) -> (n, b, k)>
#mbn = affine_map<(b, m, n, k) -> (m, b, n)>

// The batch lies between the others, and each operand in an order of its own: the left one is read as it lies, the right
// one turned.
// CHECK-DAG: #[[$TURN:.*]] = affine_map<(d0, d1) -> (d1, d0)>
// CHECK-DAG: #[[$LEFT:.*]] = affine_map<(d0, d1, d2) -> (d2, d0)>
// CHECK-DAG: #[[$RIGHT:.*]] = affine_map<(d0, d1, d2) -> (d2, d1)>
// CHECK-DAG: #[[$OUT:.*]] = affine_map<(d0, d1, d2) -> (d0, d1)>
// CHECK-LABEL: func.func @permuted(
// CHECK-SAME: %[[A:[^:]*]]: {{[^%]*}}%[[B:[^:]*]]: {{[^%]*}}%[[C:[^:]*]]: 
// CHECK: %[[PANEL:.*]] = memref.alloca() {{.*}} : memref<5x8xf32>
// CHECK: %[[END:.*]] = arith.constant 3 : index
// CHECK: scf.for %[[I:.*]] = %{{.*}} to %[[END]] step
// CHECK: %[[X:.*]] = memref.subview %[[A]][0, %[[I]], 0] [5, 1, 2]
// CHECK: %[[Y:.*]] = memref.subview %[[B]][0, %[[I]], 0] [8, 1, 5]
// CHECK: %[[Z:.*]] = memref.subview %[[C]][0, %[[I]], 0] [2, 1, 8]
// CHECK: %[[SUM:.*]] = memref.subview %[[Z]][0, 0] [2, 8]
// CHECK: %[[ROWS:.*]] = memref.subview %[[X]][0, 0] [5, 2]
// CHECK: %[[COLUMNS:.*]] = memref.subview %[[Y]][0, 0] [8, 5]
// CHECK: linalg.generic {indexing_maps = [#[[$TURN]], #{{.*}}], {{.*}} ins(%[[COLUMNS]] : {{.*}} outs(%[[PANEL]] :
// CHECK: scf.for %[[K:.*]] = %
// CHECK: %[[ROW:.*]] = memref.subview %[[ROWS]][%[[K]], 0] [1, 2]
// CHECK: %[[STEP:.*]] = memref.subview %[[PANEL]][%[[K]], 0] [1, 8]
// CHECK: linalg.contract indexing_maps = [#[[$LEFT]], #[[$RIGHT]], #[[$OUT]]] ins(%[[ROW]], %[[STEP]] : {{.*}} outs(%[[SUM]] :
func.func @permuted(%a: memref<5x3x2xf32>, %b: memref<8x3x5xf32>, %c: memref<2x3x8xf32>) {
  linalg.contract indexing_maps = [#kbm, #nbk, #mbn]
      ins(%a, %b : memref<5x3x2xf32>, memref<8x3x5xf32>) outs(%c : memref<2x3x8xf32>)
  return
}

// -----

// Of an array whose order no strides describe there are no views.
// CHECK-LABEL: func.func @unstrided
// CHECK-NOT: scf.for
// CHECK: linalg.matmul
#halves = affine_map<(d0, d1) -> (d0 floordiv 2, d1)>
func.func @unstrided(%x: memref<64x64xf32, #halves>, %y: memref<64x64xf32>, %z: memref<64x64xf32>) {
  linalg.matmul ins(%x, %y : memref<64x64xf32, #halves>, memref<64x64xf32>) outs(%z : memref<64x64xf32>)
  return
}
