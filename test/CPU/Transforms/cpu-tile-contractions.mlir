// RUN: gridir-opt %s --cpu-tile-contractions --split-input-file | FileCheck %s
// RUN: gridir-opt %s --cpu-tile-contractions="vector-bytes=64 vector-registers=32" --split-input-file | FileCheck %s --check-prefix=WIDE

// 20 rows are two tiles of 6 and two of 4: two rows alone would wait for their additions. A panel is two registers wide, or four of the wide ones.
// CHECK-LABEL: func.func @matmul
// CHECK:         memref.alloca() {{.*}} : memref<64x16xf32>
// CHECK:         scf.for
// CHECK:           linalg.generic
// CHECK:           scf.for
// CHECK:             scf.for
// CHECK:               linalg.contract {{.*}} ins({{.*}} : memref<6x1xf32, {{.*}}>, memref<1x16xf32, {{.*}}>) outs({{.*}} : memref<6x16xf32
// CHECK:           scf.for
// CHECK:             scf.for
// CHECK:               linalg.contract {{.*}} outs({{.*}} : memref<4x16xf32
// CHECK-NOT:     memref<2x16xf32
// WIDE-LABEL: func.func @matmul
// WIDE:         linalg.contract {{.*}} outs({{.*}} : memref<6x64xf32
func.func @matmul(%a: memref<20x64xf32>, %b: memref<64x64xf32>, %c: memref<20x64xf32>) {
  linalg.matmul ins(%a, %b : memref<20x64xf32>, memref<64x64xf32>) outs(%c : memref<20x64xf32>)
  return
}

// -----

// Narrow types are widened in the panels, and rounded once at the end.
// CHECK-LABEL: func.func @narrow
// CHECK-DAG:     memref.alloca() {{.*}} : memref<6x64xf32>
// CHECK-DAG:     memref.alloca() {{.*}} : memref<64x16xf32>
// CHECK:         arith.extf
// CHECK:         linalg.contract {{.*}} outs({{.*}} : memref<6x16xf32
// CHECK:         arith.truncf %{{.*}} : f32 to bf16
func.func @narrow(%a: memref<6x64xbf16>, %b: memref<64x16xbf16>, %c: memref<6x16xbf16>) {
  linalg.matmul ins(%a, %b : memref<6x64xbf16>, memref<64x16xbf16>) outs(%c : memref<6x16xbf16>)
  return
}

// -----

// 11 columns are a panel of 8, and 3 padded with zeros.
// CHECK-LABEL: func.func @columns
// CHECK:         linalg.contract {{.*}} outs({{.*}} : memref<6x8xf32
// CHECK:         linalg.fill
// CHECK:         memref.subview %{{.*}}[0, 0] [6, 3] [1, 1]
// CHECK:         linalg.contract {{.*}} outs({{.*}} : memref<6x8xf32
func.func @columns(%a: memref<6x4xf32>, %b: memref<4x11xf32>, %c: memref<6x11xf32>) {
  linalg.matmul ins(%a, %b : memref<6x4xf32>, memref<4x11xf32>) outs(%c : memref<6x11xf32>)
  return
}

// -----

#mk = affine_map<(b, m, n, k) -> (b, m, k)>
#nk = affine_map<(b, m, n, k) -> (b, n, k)>
#mn = affine_map<(b, m, n, k) -> (b, m, n)>

// One loop for the batch; the transposed right operand is packed however few rows use it.
// CHECK-LABEL: func.func @batch
// CHECK:         scf.for
// CHECK:           memref.subview %{{.*}} [1, 4, 8] [1, 1, 1] : memref<3x4x8xf32> to memref<4x8xf32
// CHECK:           linalg.generic
// CHECK:           linalg.contract {{.*}} outs({{.*}} : memref<4x16xf32
func.func @batch(%a: memref<3x4x8xf32>, %b: memref<3x16x8xf32>, %c: memref<3x4x16xf32>) {
  linalg.contract indexing_maps = [#mk, #nk, #mn]
      ins(%a, %b : memref<3x4x8xf32>, memref<3x16x8xf32>) outs(%c : memref<3x4x16xf32>)
  return
}

// -----

#mk = affine_map<(m, n, k) -> (m, k)>
#nk = affine_map<(m, n, k) -> (n, k)>
#mn = affine_map<(m, n, k) -> (m, n)>

// Few columns are reductions where both operands lie along k, for registers of every width; else they are padded.
// CHECK-LABEL: func.func @few_columns
// CHECK:         linalg.contract indexing_maps = {{.*}} outs(%{{.*}} : memref<6x3xf32>
// CHECK:         linalg.contract {{.*}} outs({{.*}} : memref<6x8xf32
// WIDE-LABEL: func.func @few_columns
// WIDE:         linalg.contract indexing_maps = {{.*}} outs(%{{.*}} : memref<6x3xf32>
// WIDE:         linalg.contract {{.*}} outs({{.*}} : memref<6x16xf32
func.func @few_columns(%a: memref<6x64xf32>, %b: memref<3x64xf32>, %t: memref<64x3xf32>, %c: memref<6x3xf32>, %d: memref<6x3xf32>) {
  linalg.contract indexing_maps = [#mk, #nk, #mn]
      ins(%a, %b : memref<6x64xf32>, memref<3x64xf32>) outs(%c : memref<6x3xf32>)
  linalg.matmul ins(%a, %t : memref<6x64xf32>, memref<64x3xf32>) outs(%d : memref<6x3xf32>)
  return
}

// -----

// A single column is a reduction along k, not a contraction.
// CHECK-LABEL: func.func @column
// CHECK-NOT:     scf.for
// CHECK:         linalg.matmul
func.func @column(%a: memref<64x64xf32>, %b: memref<64x1xf32>, %c: memref<64x1xf32>) {
  linalg.matmul ins(%a, %b : memref<64x64xf32>, memref<64x1xf32>) outs(%c : memref<64x1xf32>)
  return
}

// -----

// Arrays with more elements than can be counted, and numbers without a width, are left as they are.
// CHECK-LABEL: func.func @uncountable
// CHECK-NEXT: linalg.matmul
// CHECK-LABEL: func.func @indices
// CHECK-NEXT: linalg.generic
func.func @uncountable(%a: memref<20x4611686018427387904xf32>, %b: memref<4611686018427387904x32xf32>, %c: memref<20x32xf32>) {
  linalg.matmul ins(%a, %b : memref<20x4611686018427387904xf32>, memref<4611686018427387904x32xf32>) outs(%c : memref<20x32xf32>)
  return
}

func.func @indices(%a: memref<20x16xindex>, %b: memref<16x32xindex>, %c: memref<20x32xindex>) {
  linalg.generic {indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (k, n)>,
                                   affine_map<(m, n, k) -> (m, n)>],
                  iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%a, %b : memref<20x16xindex>, memref<16x32xindex>) outs(%c : memref<20x32xindex>) {
  ^bb0(%x: index, %y: index, %z: index):
    %0 = arith.muli %x, %y : index
    %1 = arith.addi %z, %0 : index
    linalg.yield %1 : index
  }
  return
}
