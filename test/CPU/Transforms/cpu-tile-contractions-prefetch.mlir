// RUN: gridir-opt %s --cpu-tile-contractions=prefetch-bytes=65536 --cse --split-input-file | FileCheck %s
// RUN: gridir-opt %s --cpu-tile-contractions --split-input-file | FileCheck %s --check-prefix=NONE
// RUN: gridir-opt %s --cpu-tile-contractions="prefetch-bytes=65536 vector-bytes=64 vector-registers=32" --split-input-file | FileCheck %s --check-prefix=WIDE
// RUN: gridir-opt %s --cpu-tile-contractions=prefetch-bytes=65536 --split-input-file --mlir-pass-statistics --mlir-pass-statistics-display=list -o /dev/null 2>&1 | FileCheck %s --check-prefix=STATS

// Nothing is fetched without the option.
// NONE-NOT: memref.prefetch

// 32 rows of a panel of 16 columns, and 96 rows of the result in 16 tiles: each fetches two rows of the next panel. That
// is the one of the next 16 columns, or the first one of the next 32 rows.
// A wide panel has four lines of a row, of which a processor fetches the rest by itself.
// STATS:      (S) 2 num-prefetched
// WIDE-LABEL:  func.func @next(
// WIDE-NOT:      memref.prefetch
// CHECK-DAG:   #[[$RIGHT:.*]] = affine_map<(d0) -> (d0 + 16)>
// CHECK-DAG:   #[[$SHARE:.*]] = affine_map<(d0, d1) -> (d1 + d0 floordiv 3)>
// CHECK-LABEL: func.func @next(
// CHECK:         %[[B:.*]] = memref.subview %{{.*}}[%{{.*}}, %{{.*}}] [32, 64]
// CHECK:         %[[C0:.*]] = arith.constant 0 : index
// CHECK:         scf.for %[[COLUMN:.*]] =
// CHECK:           %[[C48:.*]] = arith.constant 48 : index
// CHECK:           %[[MORE:.*]] = arith.cmpi slt, %[[COLUMN]], %[[C48]]
// CHECK:           %[[C32:.*]] = arith.constant 32 : index
// CHECK:           %[[R:.*]] = arith.select %[[MORE]], %[[C0]], %[[C32]]
// CHECK:           %[[AFTER:.*]] = affine.apply #[[$RIGHT]](%[[COLUMN]])
// CHECK:           %[[C:.*]] = arith.select %[[MORE]], %[[AFTER]], %[[C0]]
// CHECK:           scf.for %[[ROW:.*]] =
// CHECK:             %[[FIRST:.*]] = affine.apply #[[$SHARE]](%[[ROW]], %[[R]])
// CHECK:             memref.prefetch %[[B]][%[[FIRST]], %[[C]]], read, locality<3>, data
// CHECK:             memref.prefetch %[[B]][
// CHECK-NOT:         memref.prefetch
// CHECK:             scf.for
// CHECK:               linalg.contract
func.func @next(%a: memref<96x32xf32>, %b: memref<256x256xf32>, %c: memref<96x64xf32>, %i: index, %j: index) {
  %part = memref.subview %b[%i, %j] [32, 64] [1, 1] : memref<256x256xf32> to memref<32x64xf32, strided<[256, 1], offset: ?>>
  linalg.matmul ins(%a, %part : memref<96x32xf32>, memref<32x64xf32, strided<[256, 1], offset: ?>>) outs(%c : memref<96x64xf32>)
  return
}

// -----

// All rows are read: after the last columns, the next program begins with the first ones. A panel that is fetched ahead
// is copied before its tiles.
// STATS:      (S) 2 num-prefetched
// CHECK-DAG:   #[[$SHARE:.*]] = affine_map<(d0) -> (d0 floordiv 3)>
// WIDE-LABEL:  func.func @again(
// CHECK-LABEL: func.func @again(
// CHECK-SAME:    %{{[^,]*}}, %[[B:[^:]*]]: memref<32x512xf32>
// CHECK:         %[[PANEL:.*]] = memref.alloca() {{.*}} : memref<32x16xf32>
// CHECK:         scf.for %[[COLUMN:.*]] =
// CHECK:           %[[MORE:.*]] = arith.cmpi slt, %[[COLUMN]], %{{.*}}
// CHECK:           %[[C:.*]] = arith.select %[[MORE]], %{{.*}}, %{{.*}}
// CHECK:           linalg.generic {{.*}} outs(%[[PANEL]] :
// CHECK:           scf.for %[[ROW:.*]] =
// CHECK:             %[[FIRST:.*]] = affine.apply #[[$SHARE]](%[[ROW]])
// CHECK:             memref.prefetch %[[B]][%[[FIRST]], %[[C]]], read
// CHECK:             scf.for
// CHECK:               linalg.contract
// CHECK-NOT:           linalg.generic
func.func @again(%a: memref<96x32xf32>, %b: memref<32x512xf32>, %c: memref<96x512xf32>) {
  linalg.matmul ins(%a, %b : memref<96x32xf32>, memref<32x512xf32>) outs(%c : memref<96x512xf32>)
  return
}

// -----

// Two panels of 256 rows in each of two of 16 columns: the rows below come first.
// STATS:      (S) 16 num-prefetched
// CHECK-DAG:   #[[$BELOW:.*]] = affine_map<(d0) -> (d0 + 256)>
// CHECK-DAG:   #[[$SHARE:.*]] = affine_map<(d0, d1) -> (d1 + (d0 * 8) floordiv 3)>
// CHECK-LABEL: func.func @below(
// CHECK-SAME:    %{{[^,]*}}, %[[B:[^:]*]]: memref<512x32xf32>
// CHECK:         scf.for %[[COLUMN:.*]] =
// CHECK:           scf.for %[[STEP:.*]] =
// CHECK:             %[[NEXT:.*]] = arith.select %{{.*}}, %{{.*}}, %{{.*}} : index
// CHECK:             %[[DOWN:.*]] = affine.apply #[[$BELOW]](%[[STEP]])
// CHECK:             %[[MORE:.*]] = arith.cmpi slt, %[[STEP]], %{{.*}}
// CHECK:             %[[R:.*]] = arith.select %[[MORE]], %[[DOWN]], %{{.*}}
// CHECK:             %[[C:.*]] = arith.select %[[MORE]], %[[COLUMN]], %[[NEXT]]
// CHECK:             scf.for %[[ROW:.*]] =
// CHECK:               %[[FIRST:.*]] = affine.apply #[[$SHARE]](%[[ROW]], %[[R]])
// CHECK:               memref.prefetch %[[B]][%[[FIRST]], %[[C]]], read
func.func @below(%a: memref<96x512xf32>, %b: memref<512x32xf32>, %c: memref<96x32xf32>) {
  linalg.matmul ins(%a, %b : memref<96x512xf32>, memref<512x32xf32>) outs(%c : memref<96x32xf32>)
  return
}

// -----

// No panel follows one of all rows and columns, a small array stays in the caches, and the memory of the kernel as well.
// STATS:      (S) 0 num-prefetched
// WIDE-LABEL:  func.func @none(
// CHECK-LABEL: func.func @none(
// CHECK-NOT:     memref.prefetch
func.func @none(%x: memref<12x32xf32>, %b: memref<32x512xf32>, %y: memref<12x16xf32>, %a: memref<12x128xf32>, %small: memref<256x32xf32>, %c: memref<12x32xf32>, %j: index) {
  %all = memref.subview %b[0, %j] [32, 16] [1, 1] : memref<32x512xf32> to memref<32x16xf32, strided<[512, 1], offset: ?>>
  linalg.matmul ins(%x, %all : memref<12x32xf32>, memref<32x16xf32, strided<[512, 1], offset: ?>>) outs(%y : memref<12x16xf32>)
  %part = memref.subview %small[%j, 0] [128, 32] [1, 1] : memref<256x32xf32> to memref<128x32xf32, strided<[32, 1], offset: ?>>
  linalg.matmul ins(%a, %part : memref<12x128xf32>, memref<128x32xf32, strided<[32, 1], offset: ?>>) outs(%c : memref<12x32xf32>)
  %scratch = memref.alloca() : memref<256x256xf32>
  %own = memref.subview %scratch[%j, %j] [128, 32] [1, 1] : memref<256x256xf32> to memref<128x32xf32, strided<[256, 1], offset: ?>>
  linalg.matmul ins(%a, %own : memref<12x128xf32>, memref<128x32xf32, strided<[256, 1], offset: ?>>) outs(%c : memref<12x32xf32>)
  return
}

// -----

// The next rows along k are contiguous where the operand is transposed; bf16 is added from the last panel to the first.
// STATS:      (S) 0 num-prefetched
// CHECK-LABEL: func.func @order(
// CHECK-NOT:     memref.prefetch
#mk = affine_map<(m, n, k) -> (m, k)>
#nk = affine_map<(m, n, k) -> (n, k)>
#mn = affine_map<(m, n, k) -> (m, n)>
func.func @order(%a: memref<12x32xf32>, %t: memref<256x256xf32>, %c: memref<12x32xf32>, %x: memref<12x300xbf16>, %y: memref<512x256xbf16>, %z: memref<12x32xf32>, %i: index) {
  %part = memref.subview %t[%i, %i] [32, 32] [1, 1] : memref<256x256xf32> to memref<32x32xf32, strided<[256, 1], offset: ?>>
  linalg.contract indexing_maps = [#mk, #nk, #mn] ins(%a, %part : memref<12x32xf32>, memref<32x32xf32, strided<[256, 1], offset: ?>>) outs(%c : memref<12x32xf32>)
  %rows = memref.subview %y[%i, %i] [300, 32] [1, 1] : memref<512x256xbf16> to memref<300x32xbf16, strided<[256, 1], offset: ?>>
  linalg.matmul ins(%x, %rows : memref<12x300xbf16>, memref<300x32xbf16, strided<[256, 1], offset: ?>>) outs(%z : memref<12x32xf32>)
  return
}

// -----

// Panels of 256 rows and of 44, for two of 16 columns: each of 16 tiles fetches 16 rows, then 3. A product of few
// rows reads the operand along its rows, of which a processor fetches the rest by itself.
// STATS:      (S) 19 num-prefetched
// CHECK-LABEL: func.func @steps(
// CHECK-COUNT-19: memref.prefetch
// CHECK-NOT:      memref.prefetch
func.func @steps(%a: memref<96x300xf32>, %few: memref<12x300xf32>, %b: memref<300x256xf32>, %c: memref<96x32xf32>, %d: memref<12x32xf32>, %j: index) {
  %part = memref.subview %b[0, %j] [300, 32] [1, 1] : memref<300x256xf32> to memref<300x32xf32, strided<[256, 1], offset: ?>>
  linalg.matmul ins(%a, %part : memref<96x300xf32>, memref<300x32xf32, strided<[256, 1], offset: ?>>) outs(%c : memref<96x32xf32>)
  linalg.matmul ins(%few, %part : memref<12x300xf32>, memref<300x32xf32, strided<[256, 1], offset: ?>>) outs(%d : memref<12x32xf32>)
  return
}
