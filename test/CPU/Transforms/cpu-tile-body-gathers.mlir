// RUN: gridir-opt %s --cpu-tile-body --split-input-file | FileCheck %s

#rows = affine_map<(d0, d1) -> (d0)>
#all = affine_map<(d0, d1) -> (d0, d1)>

// The index of a row is loaded once, outside of the loops over the row.
// CHECK-LABEL: func.func @rows
// CHECK-SAME:    %[[X:.*]]: memref<64x40xf32>, %[[ROWS:.*]]: memref<8xi32>
// CHECK:         scf.for
// CHECK:           %[[NUMBER:.*]] = memref.load %{{.*}} : memref<{{.*}}i32
// CHECK:           %[[ROW:.*]] = arith.index_cast %[[NUMBER]]
// CHECK:           memref.subview %[[X]][%[[ROW]], 0] [1, 40] [1, 1]
// CHECK:           scf.for
// CHECK:             linalg.generic {{.*}} outs(%{{.*}} : memref<16xf32
// CHECK:           linalg.generic {{.*}} outs(%{{.*}} : memref<8xf32
func.func @rows(%x: memref<64x40xf32>, %rows: memref<8xi32>, %y: memref<8x40xf32>) {
  linalg.generic {indexing_maps = [#rows, #all], iterator_types = ["parallel", "parallel"]}
      ins(%rows : memref<8xi32>) outs(%y : memref<8x40xf32>) {
  ^bb0(%number: i32, %out: f32):
    %row = arith.index_cast %number : i32 to index
    %column = linalg.index 1 : index
    %0 = memref.load %x[%row, %column] : memref<64x40xf32>
    linalg.yield %0 : f32
  }
  return
}

// -----

#rows = affine_map<(d0, d1) -> (d0)>
#all = affine_map<(d0, d1) -> (d0, d1)>

// Rows of two arrays, one of them at an index that is loaded at another one, in arithmetic with the whole blocks.
// CHECK-LABEL: func.func @two_arrays
// CHECK-SAME:    %[[X:.*]]: memref<64x32xf32>, %[[Y:.*]]: memref<8x4x32xf32>, %[[PAGES:.*]]: memref<64xi32>
// CHECK:         scf.for %[[I:.*]] =
// CHECK-DAG:       memref.load %[[PAGES]]
// CHECK-DAG:       memref.subview %[[X]][%{{.*}}, 0] [1, 32] [1, 1]
// CHECK-DAG:       memref.subview %[[Y]][%{{.*}}, %{{.*}}, 0] [1, 1, 32] [1, 1, 1]
// CHECK:           linalg.generic {{.*}} ins({{.*}} : memref<16xf32, {{.*}}>, memref<16xf32, {{.*}}>, memref<16xf32, {{.*}}>)
// CHECK-NOT:         memref.load
// CHECK:         return
func.func @two_arrays(%x: memref<64x32xf32>, %y: memref<8x4x32xf32>, %pages: memref<64xi32>, %rows: memref<8xi32>,
                      %z: memref<8x32xf32>, %result: memref<8x32xf32>) {
  linalg.generic {indexing_maps = [#rows, #all, #all], iterator_types = ["parallel", "parallel"]}
      ins(%rows, %z : memref<8xi32>, memref<8x32xf32>) outs(%result : memref<8x32xf32>) {
  ^bb0(%number: i32, %c: f32, %out: f32):
    %row = arith.index_cast %number : i32 to index
    %i = linalg.index 0 : index
    %j = linalg.index 1 : index
    %a = memref.load %x[%row, %j] : memref<64x32xf32>
    %page = memref.load %pages[%row] : memref<64xi32>
    %where = arith.index_cast %page : i32 to index
    %b = memref.load %y[%i, %where, %j] : memref<8x4x32xf32>
    %sum = arith.addf %a, %b : f32
    %0 = arith.mulf %sum, %c : f32
    linalg.yield %0 : f32
  }
  return
}

// -----

#all = affine_map<(d0, d1) -> (d0, d1)>

// Each element has a row of its own: a vector is gathered.
// CHECK-LABEL: func.func @elements
// CHECK:         scf.for
// CHECK:           scf.for
// CHECK:             linalg.generic {{.*}} ins({{.*}} : memref<16xi32, {{.*}}>)
// CHECK:               memref.load %arg0
func.func @elements(%x: memref<64x40xf32>, %rows: memref<8x40xi32>, %y: memref<8x40xf32>) {
  linalg.generic {indexing_maps = [#all, #all], iterator_types = ["parallel", "parallel"]}
      ins(%rows : memref<8x40xi32>) outs(%y : memref<8x40xf32>) {
  ^bb0(%number: i32, %out: f32):
    %row = arith.index_cast %number : i32 to index
    %column = linalg.index 1 : index
    %0 = memref.load %x[%row, %column] : memref<64x40xf32>
    linalg.yield %0 : f32
  }
  return
}

// -----

#rows = affine_map<(d0, d1) -> (d0)>
#all = affine_map<(d0, d1) -> (d0, d1)>

// A row that is read may have been written.
// CHECK-LABEL: func.func @written
// CHECK-NOT:     scf.for
// CHECK:         linalg.generic
// CHECK:           memref.load
func.func @written(%x: memref<64x40xf32>, %rows: memref<8xi32>) {
  %y = memref.subview %x[0, 0] [8, 40] [1, 1] : memref<64x40xf32> to memref<8x40xf32, strided<[40, 1]>>
  linalg.generic {indexing_maps = [#rows, #all], iterator_types = ["parallel", "parallel"]}
      ins(%rows : memref<8xi32>) outs(%y : memref<8x40xf32, strided<[40, 1]>>) {
  ^bb0(%number: i32, %out: f32):
    %row = arith.index_cast %number : i32 to index
    %column = linalg.index 1 : index
    %0 = memref.load %x[%row, %column] : memref<64x40xf32>
    linalg.yield %0 : f32
  }
  return
}

// -----

#two = affine_map<(d0, d1) -> (d0, d1)>
#column = affine_map<(d0, d1) -> (d1)>

// A sum of no columns has no accumulators.
// CHECK-LABEL: func.func @no_columns
// CHECK-NOT:     linalg.generic
// CHECK:         return
func.func @no_columns(%x: memref<128x0xf32>, %y: memref<0xf32>) {
  linalg.generic {indexing_maps = [#two, #column], iterator_types = ["reduction", "parallel"]}
      ins(%x : memref<128x0xf32>) outs(%y : memref<0xf32>) {
  ^bb0(%in: f32, %out: f32):
    %0 = arith.addf %in, %out : f32
    linalg.yield %0 : f32
  }
  return
}
