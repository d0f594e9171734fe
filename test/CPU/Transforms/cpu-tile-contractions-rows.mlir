// RUN: gridir-opt %s --cpu-tile-contractions=prefetch-bytes=65536 --split-input-file | FileCheck %s
// RUN: gridir-opt %s --cpu-tile-contractions --split-input-file | FileCheck %s --check-prefix=SMALL
// RUN: gridir-opt %s --cpu-tile-contractions="prefetch-bytes=65536 vector-bytes=64 vector-registers=32" --split-input-file | FileCheck %s --check-prefix=WIDE

// Few rows of a result read a large right operand along its rows: 16 of them, one panel of 16 columns after the other.
// CHECK-LABEL: func.func @few_rows(
// CHECK-SAME:    %[[A:[^:]*]]: memref<8x64xf32>, %[[B:[^:]*]]: memref<64x512xf32>, %[[C:[^:]*]]:
// CHECK-NOT:     memref.alloca
// CHECK:         %[[STEPS:.*]] = arith.constant 16 : index
// CHECK:         scf.for %[[K:.*]] = %{{.*}} to %{{.*}} step %[[STEPS]]
// CHECK:           memref.subview %[[A]][0, %[[K]]] [8, 16]
// CHECK:           scf.for %[[N:.*]] =
// CHECK:             memref.subview %[[B]][%[[K]], %[[N]]] [16, 16]
// CHECK-NOT:         memref.prefetch
// CHECK:             linalg.contract
// CHECK:         return
// An array that caches may hold is read in panels of all steps.
// SMALL-LABEL: func.func @few_rows(
// SMALL-SAME:    %{{[^:]*}}: memref<8x64xf32>, %[[B:[^:]*]]: memref<64x512xf32>
// SMALL:         scf.for %[[N:.*]] =
// SMALL:           memref.subview %[[B]][0, %[[N]]] [64, 16]
func.func @few_rows(%a: memref<8x64xf32>, %b: memref<64x512xf32>, %c: memref<8x512xf32>) {
  linalg.matmul ins(%a, %b : memref<8x64xf32>, memref<64x512xf32>) outs(%c : memref<8x512xf32>)
  return
}

// -----

// 63 rows copy no panel of one line of each row, 64 rows copy each. 16 rows copy wider panels.
// CHECK-LABEL: func.func @most_rows(
// CHECK-NOT:     memref.alloca
// CHECK:         scf.for
// CHECK:         return
// CHECK-LABEL: func.func @more_rows(
// CHECK:         memref.alloca() {{.*}} : memref<64x16xf32>
// WIDE-LABEL:  func.func @most_rows(
// WIDE:          memref.alloca() {{.*}} : memref<64x64xf32>
func.func @most_rows(%a: memref<63x64xf32>, %b: memref<64x512xf32>, %c: memref<63x512xf32>) {
  linalg.matmul ins(%a, %b : memref<63x64xf32>, memref<64x512xf32>) outs(%c : memref<63x512xf32>)
  return
}
func.func @more_rows(%a: memref<64x64xf32>, %b: memref<64x512xf32>, %c: memref<64x512xf32>) {
  linalg.matmul ins(%a, %b : memref<64x64xf32>, memref<64x512xf32>) outs(%c : memref<64x512xf32>)
  return
}

// -----

// Accumulators of another type than the result's stay in a buffer over all steps, and panels that are converted are copied.
// CHECK-LABEL: func.func @other_types(
// CHECK:         memref.subview %{{.*}}[0, %{{.*}}] [64, 16]
// CHECK:         memref.subview %{{.*}}[0, %{{.*}}] [64, 16]
func.func @other_types(%a: memref<8x64xf16>, %b: memref<64x512xf32>, %c: memref<8x512xf16>, %x: memref<8x64xf32>, %y: memref<64x512xf16>, %z: memref<8x512xf32>) {
  linalg.matmul ins(%a, %b : memref<8x64xf16>, memref<64x512xf32>) outs(%c : memref<8x512xf16>)
  linalg.matmul ins(%x, %y : memref<8x64xf32>, memref<64x512xf16>) outs(%z : memref<8x512xf32>)
  return
}
