// RUN: gridir-opt %s --cpu-tile-body="cache-bytes=4096" --split-input-file | FileCheck %s
// RUN: gridir-opt %s --cpu-tile-body="vector-bytes=64 vector-registers=32 cache-bytes=4096" --split-input-file | FileCheck %s --check-prefix=WIDE
// RUN: gridir-opt %s --cpu-tile-body --split-input-file | FileCheck %s --check-prefix=CACHED
// RUN: gridir-opt %s --cpu-tile-body="cache-bytes=4096" --split-input-file --mlir-pass-statistics --mlir-pass-statistics-display=list -o /dev/null 2>&1 | FileCheck %s --check-prefix=STATS

// Two registers at a time, then one, then the last lanes.
// CHECK-LABEL: func.func @elementwise
// CHECK:         scf.for
// CHECK:           scf.for
// CHECK:             linalg.generic {{.*}} outs(%{{.*}} : memref<16xf32
// CHECK:           linalg.generic {{.*}} outs(%{{.*}} : memref<8xf32
// CHECK:           linalg.generic {{.*}} outs(%{{.*}} : memref<3xf32
func.func @elementwise(%x: memref<4x59xf32, strided<[64, 1]>>, %y: memref<4x59xf32>) {
  linalg.exp ins(%x : memref<4x59xf32, strided<[64, 1]>>) outs(%y : memref<4x59xf32>)
  return
}

// -----

// Rows that are adjacent in all operands are one long row of 236: a vector may begin in one and end in the next. A scalar
// is no row.
// CHECK-LABEL: func.func @adjacent_rows
// CHECK-DAG:     %[[X:.*]] = memref.collapse_shape %{{.*}} {{\[\[}}0, 1]] : {{.*}} into memref<236xf32, strided<[1], offset: 59>>
// CHECK-DAG:     %[[Y:.*]] = memref.collapse_shape %{{.*}} {{\[\[}}0, 1]] : {{.*}} into memref<236xf32>
// CHECK:         scf.for
// CHECK-NOT:     scf.for
// CHECK:           memref.subview %[[X]][%{{.*}}] [16] [1]
// CHECK:           linalg.generic {{.*}} outs(%{{.*}} : memref<16xf32
// CHECK:         linalg.generic {{.*}} outs(%{{.*}} : memref<8xf32
// CHECK:         linalg.generic {{.*}} outs(%{{.*}} : memref<4xf32
#rows = affine_map<(d0, d1) -> (d0, d1)>
#none = affine_map<(d0, d1) -> ()>
func.func @adjacent_rows(%x: memref<4x59xf32, strided<[59, 1], offset: 59>>, %s: f32, %y: memref<4x59xf32>) {
  linalg.generic {indexing_maps = [#rows, #none, #rows], iterator_types = ["parallel", "parallel"]}
      ins(%x, %s : memref<4x59xf32, strided<[59, 1], offset: 59>>, f32) outs(%y : memref<4x59xf32>) {
  ^bb0(%a: f32, %b: f32, %c: f32):
    %0 = arith.mulf %a, %b : f32
    linalg.yield %0 : f32
  }
  return
}

// -----

// The rows of each matrix are adjacent, and the matrices are not.
// CHECK-LABEL: func.func @adjacent_in_part
// CHECK-DAG:     memref.collapse_shape {{.*}} {{\[\[}}0], [1, 2]] : memref<3x4x8xf32, strided<[64, 8, 1]>> into memref<3x32xf32, strided<[64, 1]>>
// CHECK-DAG:     memref.collapse_shape {{.*}} {{\[\[}}0], [1, 2]] : memref<3x4x8xf32> into memref<3x32xf32>
// CHECK:         scf.for
// CHECK:           scf.for
// CHECK-NOT:     scf.for
// CHECK:         return
func.func @adjacent_in_part(%x: memref<3x4x8xf32, strided<[64, 8, 1]>>, %y: memref<3x4x8xf32>) {
  linalg.copy ins(%x : memref<3x4x8xf32, strided<[64, 8, 1]>>) outs(%y : memref<3x4x8xf32>)
  return
}

// -----

// A row that all rows read, an array in another order, one that is read backwards by its index, and rows of a number that
// is known at run time only.
// CHECK-LABEL: func.func @not_adjacent
// CHECK-NOT:     memref.collapse_shape
// CHECK:         return
#id = affine_map<(d0, d1) -> (d0, d1)>
#row = affine_map<(d0, d1) -> (d1)>
#transposed = affine_map<(d0, d1) -> (d1, d0)>
func.func @not_adjacent(%x: memref<4x64xf32>, %r: memref<64xf32>, %t: memref<64x4xf32>, %y: memref<4x64xf32>, %i: memref<4x64xi32>,
                        %d: memref<?x64xf32>) {
  linalg.generic {indexing_maps = [#id, #row, #id], iterator_types = ["parallel", "parallel"]}
      ins(%x, %r : memref<4x64xf32>, memref<64xf32>) outs(%y : memref<4x64xf32>) {
  ^bb0(%a: f32, %b: f32, %c: f32):
    %0 = arith.mulf %a, %b : f32
    linalg.yield %0 : f32
  }
  linalg.generic {indexing_maps = [#transposed, #id], iterator_types = ["parallel", "parallel"]}
      ins(%t : memref<64x4xf32>) outs(%y : memref<4x64xf32>) {
  ^bb0(%a: f32, %c: f32):
    linalg.yield %a : f32
  }
  linalg.generic {indexing_maps = [#id], iterator_types = ["parallel", "parallel"]} outs(%i : memref<4x64xi32>) {
  ^bb0(%c: i32):
    %0 = linalg.index 1 : index
    %1 = arith.index_cast %0 : index to i32
    linalg.yield %1 : i32
  }
  linalg.copy ins(%d : memref<?x64xf32>) outs(%d : memref<?x64xf32>)
  return
}

// -----

// A copy is an op like any other, and a dynamic size ends in single elements.
// CHECK-LABEL: func.func @copy
// CHECK-NOT:     memref.copy
// CHECK:         arith.remui
// CHECK:         scf.for
// CHECK:           linalg.generic {{.*}} outs(%{{.*}} : memref<16xf32
// CHECK:         scf.for
// CHECK:           linalg.generic {{.*}} outs(%{{.*}} : memref<f32
func.func @copy(%x: memref<?xf32, strided<[1], offset: ?>>, %y: memref<?xf32>) {
  memref.copy %x, %y : memref<?xf32, strided<[1], offset: ?>> to memref<?xf32>
  return
}

// -----

#id = affine_map<(d0, d1) -> (d0, d1)>
#row = affine_map<(d0, d1) -> (d0)>

// Along a row: accumulators, combined once per row. Wider registers are no reason to have more of them, and so to sum in
// another order; narrow ones take several tiles. The last 3 columns go to the first accumulators.
// CHECK-LABEL: func.func @rows
// CHECK:         %[[LANES:.*]] = memref.alloca() : memref<32xf32>
// CHECK:         scf.for
// CHECK:           linalg.fill {{.*}} outs(%[[LANES]]
// CHECK:           scf.for
// CHECK:             %[[FIRST:.*]] = memref.subview %[[LANES]][0] [16] [1]
// CHECK:             linalg.generic {{.*}}iterator_types = ["parallel"]{{.*}} outs(%[[FIRST]]
// CHECK:             ^bb0(%[[ELEMENT:.*]]: f32, %[[LANE:.*]]: f32):
// CHECK:               arith.maximumf %[[ELEMENT]], %[[LANE]]
// CHECK:             %[[SECOND:.*]] = memref.subview %[[LANES]][16] [16] [1]
// CHECK:             linalg.generic {{.*}}iterator_types = ["parallel"]{{.*}} outs(%[[SECOND]]
// CHECK:           %[[LAST:.*]] = memref.subview %[[LANES]][0] [3] [1]
// CHECK:           linalg.generic {{.*}}iterator_types = ["parallel"]{{.*}} outs(%[[LAST]]
// CHECK:           linalg.generic {{.*}}iterator_types = ["reduction"]{{.*}} ins(%[[LANES]]
// CHECK:           ^bb0(%[[LANE:.*]]: f32, %[[RESULT:.*]]: f32):
// CHECK:             arith.maximumf %[[LANE]], %[[RESULT]]
// WIDE-LABEL: func.func @rows
// WIDE:         %[[LANES:.*]] = memref.alloca() : memref<32xf32>
// WIDE:         scf.for
// WIDE:           scf.for
// WIDE:             linalg.generic {{.*}}iterator_types = ["parallel"]{{.*}} outs(%[[LANES]]
// WIDE:           %[[LAST:.*]] = memref.subview %[[LANES]][0] [3] [1]
// WIDE:           linalg.generic {{.*}}iterator_types = ["parallel"]{{.*}} outs(%[[LAST]]
// WIDE:           linalg.generic {{.*}}iterator_types = ["reduction"]{{.*}} ins(%[[LANES]]
func.func @rows(%x: memref<8x131xf32>, %y: memref<8xf32>) {
  linalg.generic {indexing_maps = [#id, #row], iterator_types = ["parallel", "reduction"]}
      ins(%x : memref<8x131xf32>) outs(%y : memref<8xf32>) {
  ^bb0(%a: f32, %b: f32):
    %0 = arith.maximumf %a, %b : f32
    linalg.yield %0 : f32
  }
  return
}

// -----

#id = affine_map<(d0, d1) -> (d0, d1)>
#column = affine_map<(d0, d1) -> (d1)>

// Across rows of an array that exceeds the caches: one line of each of eight rows, then the next line, and the
// accumulators in memory. Otherwise a row of accumulators in registers over all rows.
// CHECK-LABEL: func.func @columns
// CHECK:         %[[C8:.*]] = arith.constant 8 : index
// CHECK:         scf.for %[[GROUP:.*]] = %{{.*}} to %{{.*}} step %[[C8]]
// CHECK:           %[[C16:.*]] = arith.constant 16 : index
// CHECK:           scf.for %[[J:.*]] = %{{.*}} to %{{.*}} step %[[C16]]
// CHECK:             %[[END:.*]] = arith.constant 8 : index
// CHECK:             scf.for %[[ROW:.*]] = %{{.*}} to %[[END]] step
// CHECK:               affine.apply #{{.*}}(%[[GROUP]], %[[ROW]])
// CHECK-NEXT:          %[[I:.*]] = affine.apply #{{.*}}(%[[GROUP]], %[[ROW]])
// CHECK:               memref.subview %{{.*}}[%[[I]], %[[J]]] [1, 16] [1, 1]
// CHECK:               memref.subview %{{.*}}[%[[J]]] [16] [1]
// CHECK:               linalg.generic {{.*}}iterator_types = ["parallel"]
// WIDE-LABEL: func.func @columns
// WIDE:         scf.for
// WIDE:           scf.for
// WIDE:             scf.for
// WIDE:               memref.subview %{{.*}} [1, 16] [1, 1]
// CACHED-LABEL: func.func @columns
// CACHED:         scf.for %[[J:.*]] =
// CACHED:           scf.for %[[I:.*]] =
// CACHED-NOT:         scf.for
// CACHED:             memref.subview %{{.*}}[%[[I]], %[[J]]] [1, 64] [1, 1]
func.func @columns(%x: memref<128x512xf32>, %y: memref<512xf32>) {
  linalg.generic {indexing_maps = [#id, #column], iterator_types = ["reduction", "parallel"]}
      ins(%x : memref<128x512xf32>) outs(%y : memref<512xf32>) {
  ^bb0(%a: f32, %b: f32):
    %0 = arith.addf %a, %b : f32
    linalg.yield %0 : f32
  }
  return
}

// -----

#id = affine_map<(d0, d1) -> (d0, d1)>
#column = affine_map<(d0, d1) -> (d1)>

// After the groups of eight rows one of three. A line has eight columns of f64, in two registers or one.
// CHECK-LABEL: func.func @columns_of_f64
// CHECK:         scf.for
// CHECK:           scf.for
// CHECK:             scf.for
// CHECK:               linalg.generic {{.*}} ins(%{{.*}} : memref<8xf64
// CHECK:           scf.for
// CHECK:             linalg.generic {{.*}} ins(%{{.*}} : memref<2xf64
// CHECK:         scf.for %[[J:.*]] =
// CHECK:           %[[END:.*]] = arith.constant 3 : index
// CHECK:           scf.for %[[ROW:.*]] = %{{.*}} to %[[END]] step
// CHECK:             affine.apply #[[MAP:.*]](%[[ROW]])
// CHECK-NEXT:        %[[I:.*]] = affine.apply #[[MAP]](%[[ROW]])
// CHECK:             memref.subview %{{.*}}[%[[I]], %[[J]]] [1, 8] [1, 1]
// CHECK:           scf.for %[[ROW:.*]] =
// CHECK:             affine.apply #[[MAP]](%[[ROW]])
// CHECK:             linalg.generic {{.*}} ins(%{{.*}} : memref<2xf64
// WIDE-LABEL: func.func @columns_of_f64
// WIDE:               linalg.generic {{.*}} ins(%{{.*}} : memref<8xf64
func.func @columns_of_f64(%x: memref<19x34xf64>, %y: memref<34xf64>) {
  linalg.generic {indexing_maps = [#id, #column], iterator_types = ["reduction", "parallel"]}
      ins(%x : memref<19x34xf64>) outs(%y : memref<34xf64>) {
  ^bb0(%a: f64, %b: f64):
    %0 = arith.addf %a, %b : f64
    linalg.yield %0 : f64
  }
  return
}

// -----

#id = affine_map<(d0, d1) -> (d0, d1)>
#column = affine_map<(d0, d1) -> (d1)>
#row = affine_map<(d0, d1) -> (d0)>

// Two operands have eight rows together; one that is a number for each row has none. A line of bf16 has 32 columns.
// CHECK-LABEL: func.func @columns_of_two
// CHECK:         %[[C4:.*]] = arith.constant 4 : index
// CHECK:         scf.for %{{.*}} to %{{.*}} step %[[C4]]
// CHECK:           %[[C32:.*]] = arith.constant 32 : index
// CHECK:           scf.for %{{.*}} to %{{.*}} step %[[C32]]
// CHECK:             %[[END:.*]] = arith.constant 4 : index
// CHECK:             scf.for %{{.*}} to %[[END]] step
// CHECK:               linalg.generic
func.func @columns_of_two(%x: memref<128x512xf32>, %z: memref<128x512xbf16>, %s: memref<128xf32>, %y: memref<512xf32>) {
  linalg.generic {indexing_maps = [#id, #id, #row, #column], iterator_types = ["reduction", "parallel"]}
      ins(%x, %z, %s : memref<128x512xf32>, memref<128x512xbf16>, memref<128xf32>) outs(%y : memref<512xf32>) {
  ^bb0(%a: f32, %b: bf16, %c: f32, %d: f32):
    %wide = arith.extf %b : bf16 to f32
    %0 = arith.mulf %a, %wide : f32
    %1 = arith.mulf %0, %c : f32
    %2 = arith.addf %1, %d : f32
    linalg.yield %2 : f32
  }
  return
}

// -----

#id = affine_map<(d0, d1, d2) -> (d0, d1, d2)>
#column = affine_map<(d0, d1, d2) -> (d2)>

// Groups of the last of two reduced dimensions: the order of a sum is that of the loops.
// STATS: (S) 1 num-grouped - Number of reductions across rows in groups of rows
// CHECK-LABEL: func.func @columns_of_planes
// CHECK:         scf.for %[[PLANE:.*]] =
// CHECK:           scf.for %[[GROUP:.*]] =
// CHECK:             scf.for %[[J:.*]] =
// CHECK:               scf.for %[[ROW:.*]] =
// CHECK:                 affine.apply #{{.*}}(%[[GROUP]], %[[ROW]])
// CHECK-NEXT:            %[[I:.*]] = affine.apply #{{.*}}(%[[GROUP]], %[[ROW]])
// CHECK:                 memref.subview %{{.*}}[%[[PLANE]], %[[I]], %[[J]]] [1, 1, 16] [1, 1, 1]
func.func @columns_of_planes(%x: memref<4x16x64xf32>, %y: memref<64xf32>) {
  linalg.generic {indexing_maps = [#id, #column], iterator_types = ["reduction", "reduction", "parallel"]}
      ins(%x : memref<4x16x64xf32>) outs(%y : memref<64xf32>) {
  ^bb0(%a: f32, %b: f32):
    %0 = arith.addf %a, %b : f32
    linalg.yield %0 : f32
  }
  return
}

// -----

#id = affine_map<(d0, d1) -> (d0, d1)>
#column = affine_map<(d0, d1) -> (d1)>

// Too few rows, too few columns, an array that is smaller than the caches or a buffer, or rows of a number that is known at
// run time only: a row of accumulators over all rows.
// CHECK-LABEL: func.func @columns_without_groups
// CHECK:         scf.for %[[J:.*]] =
// CHECK:           scf.for %[[I:.*]] =
// CHECK-NOT:         scf.for
// CHECK:             memref.subview %{{.*}}[%[[I]], %[[J]]] [1, 64] [1, 1]
// CHECK:         scf.for %[[I:.*]] =
// CHECK-NOT:       scf.for
// CHECK:           memref.subview %{{.*}}[%[[I]], 0] [1, 16] [1, 1]
// CHECK:         scf.for %[[J:.*]] =
// CHECK:           scf.for %[[I:.*]] =
// CHECK-NOT:         scf.for
// CHECK:             memref.subview %{{.*}}[%[[I]], %[[J]]] [1, 64] [1, 1]
// CHECK:         scf.for %[[I:.*]] =
// CHECK-NOT:       scf.for
// CHECK:           memref.subview %{{.*}}[%[[I]], 0] [1, 64] [1, 1]
// CHECK:         scf.for %[[J:.*]] =
// CHECK:           scf.for %[[I:.*]] =
// CHECK-NOT:         scf.for
// CHECK:             memref.subview %{{.*}}[%[[I]], %[[J]]] [1, 64] [1, 1]
func.func @columns_without_groups(%few: memref<7x512xf32>, %thin: memref<128x16xf32>, %any: memref<?x512xf32>,
                                  %small: memref<15x64xf32>, %y: memref<512xf32>, %z: memref<16xf32>,
                                  %u: memref<64xf32>, %v: memref<128xf32>) {
  linalg.generic {indexing_maps = [#id, #column], iterator_types = ["reduction", "parallel"]}
      ins(%few : memref<7x512xf32>) outs(%y : memref<512xf32>) {
  ^bb0(%a: f32, %b: f32):
    %0 = arith.addf %a, %b : f32
    linalg.yield %0 : f32
  }
  linalg.generic {indexing_maps = [#id, #column], iterator_types = ["reduction", "parallel"]}
      ins(%thin : memref<128x16xf32>) outs(%z : memref<16xf32>) {
  ^bb0(%a: f32, %b: f32):
    %0 = arith.addf %a, %b : f32
    linalg.yield %0 : f32
  }
  linalg.generic {indexing_maps = [#id, #column], iterator_types = ["reduction", "parallel"]}
      ins(%any : memref<?x512xf32>) outs(%y : memref<512xf32>) {
  ^bb0(%a: f32, %b: f32):
    %0 = arith.addf %a, %b : f32
    linalg.yield %0 : f32
  }
  linalg.generic {indexing_maps = [#id, #column], iterator_types = ["reduction", "parallel"]}
      ins(%small : memref<15x64xf32>) outs(%u : memref<64xf32>) {
  ^bb0(%a: f32, %b: f32):
    %0 = arith.addf %a, %b : f32
    linalg.yield %0 : f32
  }
  %buffer = memref.alloca() : memref<16x128xf32>
  linalg.generic {indexing_maps = [#id, #column], iterator_types = ["reduction", "parallel"]}
      ins(%buffer : memref<16x128xf32>) outs(%v : memref<128xf32>) {
  ^bb0(%a: f32, %b: f32):
    %0 = arith.addf %a, %b : f32
    linalg.yield %0 : f32
  }
  return
}

// -----

// CHECK-LABEL: func.func @transpose
// CHECK:         linalg.generic {{.*}} ins(%{{.*}} : memref<8x8xf32, {{.*}}>) outs(%{{.*}} : memref<8x8xf32
func.func @transpose(%x: memref<128x64xf32>, %y: memref<64x128xf32>) {
  linalg.transpose ins(%x : memref<128x64xf32>) outs(%y : memref<64x128xf32>) permutation = [1, 0]
  return
}

// -----

#v = affine_map<(d0) -> (d0)>

// A body without a vector form stays whole.
// CHECK-LABEL: func.func @gather
// CHECK-NOT:     scf.for
// CHECK:         linalg.generic
func.func @gather(%x: memref<64xf32>, %i: memref<8xindex>, %y: memref<8xf32>) {
  linalg.generic {indexing_maps = [#v, #v], iterator_types = ["parallel"]}
      ins(%i : memref<8xindex>) outs(%y : memref<8xf32>) {
  ^bb0(%a: index, %b: f32):
    %0 = memref.load %x[%a] : memref<64xf32>
    linalg.yield %0 : f32
  }
  return
}

// -----

#id = affine_map<(d0, d1) -> (d0, d1)>
#row = affine_map<(d0, d1) -> (d0)>

// The index of the largest element: the body says itself that of equals the
// first counts, so each lane may keep its own. A lane starts from the result.
// CHECK-LABEL: func.func @argmax
// CHECK-DAG:     %[[BEST:.*]] = memref.alloca() : memref<16xf32>
// CHECK-DAG:     %[[INDEX:.*]] = memref.alloca() : memref<16xi32>
// CHECK:         scf.for
// CHECK:           memref.load
// CHECK:           linalg.fill {{.*}} outs(%[[BEST]]
// CHECK:           memref.load
// CHECK:           linalg.fill {{.*}} outs(%[[INDEX]]
// CHECK:           scf.for
// CHECK:             linalg.generic {{.*}}iterator_types = ["parallel"]{{.*}} outs(%[[BEST]], %[[INDEX]]
// CHECK:           linalg.generic {{.*}}iterator_types = ["reduction"]{{.*}} ins(%[[BEST]], %[[INDEX]]
// CHECK-NOT:         linalg.index
// CHECK:             linalg.yield
func.func @argmax(%x: memref<8x128xf32>, %v: memref<8xf32>, %i: memref<8xi32>) {
  linalg.generic {indexing_maps = [#id, #row, #row], iterator_types = ["parallel", "reduction"]}
      ins(%x : memref<8x128xf32>) outs(%v, %i : memref<8xf32>, memref<8xi32>) {
  ^bb0(%a: f32, %best: f32, %best_index: i32):
    %0 = linalg.index 1 : index
    %here = arith.index_cast %0 : index to i32
    %1 = arith.cmpf ogt, %a, %best : f32
    %2 = arith.cmpf oeq, %a, %best : f32
    %3 = arith.cmpi slt, %here, %best_index : i32
    %4 = arith.andi %2, %3 : i1
    %5 = arith.ori %1, %4 : i1
    %6 = arith.select %5, %a, %best : f32
    %7 = arith.select %5, %here, %best_index : i32
    linalg.yield %6, %7 : f32, i32
  }
  return
}

// -----

#id = affine_map<(d0, d1) -> (d0, d1)>
#row = affine_map<(d0, d1) -> (d0)>

// Here the first of equals wins by the order of the loop, which lanes would change.
// CHECK-LABEL: func.func @order
// CHECK-NOT:     memref.alloca
// CHECK:         linalg.generic {{.*}}iterator_types = ["parallel", "reduction"]
func.func @order(%x: memref<8x128xf32>, %v: memref<8xf32>, %i: memref<8xi32>) {
  linalg.generic {indexing_maps = [#id, #row, #row], iterator_types = ["parallel", "reduction"]}
      ins(%x : memref<8x128xf32>) outs(%v, %i : memref<8xf32>, memref<8xi32>) {
  ^bb0(%a: f32, %best: f32, %best_index: i32):
    %0 = linalg.index 1 : index
    %here = arith.index_cast %0 : index to i32
    %1 = arith.cmpf ogt, %a, %best : f32
    %2 = arith.select %1, %a, %best : f32
    %3 = arith.select %1, %here, %best_index : i32
    linalg.yield %2, %3 : f32, i32
  }
  return
}

// -----

#pair = affine_map<(d0, d1) -> (d1)>
#row = affine_map<(d0, d1) -> (d0)>

// No input walks the rows, which the body tells apart by their index: the lanes do.
// CHECK-LABEL: func.func @rows_of_indices
// CHECK:         %[[LANES:.*]] = memref.alloca() : memref<8xi32>
// CHECK:         scf.for
// CHECK:           linalg.fill {{.*}} outs(%[[LANES]]
// CHECK:           linalg.generic {{.*}}iterator_types = ["parallel"]
// CHECK:             arith.addi
// CHECK:           linalg.generic {{.*}}iterator_types = ["reduction"]{{.*}} ins(%[[LANES]]
func.func @rows_of_indices(%x: memref<8xi32>, %y: memref<4xi32>) {
  linalg.generic {indexing_maps = [#pair, #row], iterator_types = ["parallel", "reduction"]}
      ins(%x : memref<8xi32>) outs(%y : memref<4xi32>) {
  ^bb0(%a: i32, %b: i32):
    %0 = linalg.index 0 : index
    %1 = arith.index_cast %0 : index to i32
    %2 = arith.xori %a, %1 : i32
    %3 = arith.addi %2, %b : i32
    linalg.yield %3 : i32
  }
  return
}

// -----

#mk = affine_map<(m, n, k) -> (m, k)>
#kn = affine_map<(m, n, k) -> (k, n)>
#mn = affine_map<(m, n, k) -> (m, n)>

// A contraction of one step whose result is in registers is a tile already; one of two steps, one row more, or of a size
// that nobody knows, is none. A small op that is no contraction is tiled like any other.
// CHECK-LABEL: func.func @tiles
// CHECK:         linalg.contract {{.*}} outs(%{{.*}} : memref<16x8xf32>)
// CHECK-NOT:     linalg.contract
// CHECK-NOT:     linalg.exp
// CHECK:         return
func.func @tiles(%a: memref<16x1xf32>, %b: memref<1x8xf32>, %c: memref<16x8xf32>, %d: memref<16x2xf32>, %e: memref<2x8xf32>,
                 %f: memref<17x1xf32>, %g: memref<17x8xf32>, %h: memref<?x1xf32>, %i: memref<?x8xf32>, %j: memref<8xf32>) {
  linalg.contract indexing_maps = [#mk, #kn, #mn] ins(%a, %b : memref<16x1xf32>, memref<1x8xf32>) outs(%c : memref<16x8xf32>)
  linalg.contract indexing_maps = [#mk, #kn, #mn] ins(%d, %e : memref<16x2xf32>, memref<2x8xf32>) outs(%c : memref<16x8xf32>)
  linalg.contract indexing_maps = [#mk, #kn, #mn] ins(%f, %b : memref<17x1xf32>, memref<1x8xf32>) outs(%g : memref<17x8xf32>)
  linalg.contract indexing_maps = [#mk, #kn, #mn] ins(%h, %b : memref<?x1xf32>, memref<1x8xf32>) outs(%i : memref<?x8xf32>)
  linalg.exp ins(%j : memref<8xf32>) outs(%j : memref<8xf32>)
  return
}

// -----

// Arrays of vectors are left as they are.
// CHECK-LABEL: func.func @vectors
// CHECK-NOT: scf.for
// CHECK: return
func.func @vectors(%x: memref<8x131xvector<4xf32>>, %y: memref<8xvector<4xf32>>) {
  linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0)>],
                  iterator_types = ["parallel", "reduction"]}
      ins(%x : memref<8x131xvector<4xf32>>) outs(%y : memref<8xvector<4xf32>>) {
  ^bb0(%a: vector<4xf32>, %b: vector<4xf32>):
    %0 = arith.maximumf %a, %b : vector<4xf32>
    linalg.yield %0 : vector<4xf32>
  }
  return
}

// -----

// Of an array whose order no strides describe there are no views.
// CHECK-LABEL: func.func @unstrided
// CHECK-NOT: scf.for
// CHECK: linalg.generic {{.*}} ins(%{{.*}} : memref<4x64xf32, #{{.*}}>) outs(%{{.*}} : memref<4x64xf32>)
#halves = affine_map<(d0, d1) -> (d0 floordiv 2, d1)>
func.func @unstrided(%x: memref<4x64xf32, #halves>, %y: memref<4x64xf32>) {
  linalg.exp ins(%x : memref<4x64xf32, #halves>) outs(%y : memref<4x64xf32>)
  return
}

// How wide an index is, and what its extremes are, is not known here.
// CHECK-LABEL: func.func @extreme_of_indices
// CHECK: linalg.generic
// CHECK: arith.maxsi %{{.*}}, %{{.*}} : index
func.func @extreme_of_indices(%x: memref<4x64xindex>, %y: memref<4xindex>) {
  linalg.reduce {arith.maxsi} ins(%x : memref<4x64xindex>) outs(%y : memref<4xindex>) dimensions = [1]
  return
}

// -----

// A load that follows the loops is an operand. Tiles of the first columns read the last ones, backwards, and rows from the
// last to the first.
// CHECK-DAG:   #[[$END:.*]] = affine_map<(d0) -> (-d0 + 48)>
// CHECK-DAG:   #[[$LAST:.*]] = affine_map<(d0) -> (-d0 + 3)>
// CHECK-DAG:   #[[$BACK:.*]] = affine_map<(d0) -> (-d0 + 15)>
// CHECK-DAG:   #[[$ID:.*]] = affine_map<(d0) -> (d0)>
// CHECK-LABEL: func.func @backwards
// CHECK-SAME:    (%[[X:.*]]: memref<4x64xf32>, %[[Y:.*]]: memref<4x64xf32>)
// CHECK:         scf.for %[[I:.*]] =
// CHECK:           scf.for %[[J:.*]] =
// CHECK-DAG:         %[[ROW:.*]] = affine.apply #[[$LAST]](%[[I]])
// CHECK-DAG:         %[[COLUMN:.*]] = affine.apply #[[$END]](%[[J]])
// CHECK:             memref.subview %[[X]][%[[ROW]], %[[COLUMN]]] [1, 16] [1, 1]
// CHECK:             linalg.generic {indexing_maps = [#[[$BACK]], #[[$ID]]]
// CHECK:               linalg.yield %{{.*}} : f32
// CHECK-NOT:         memref.load
#id = affine_map<(d0, d1) -> (d0, d1)>
func.func @backwards(%x: memref<4x64xf32>, %y: memref<4x64xf32>) {
  %c3 = arith.constant 3 : index
  %c63 = arith.constant 63 : index
  linalg.generic {indexing_maps = [#id], iterator_types = ["parallel", "parallel"]} outs(%y : memref<4x64xf32>) {
  ^bb0(%out: f32):
    %i = linalg.index 0 : index
    %j = linalg.index 1 : index
    %row = arith.subi %c3, %i : index
    %column = arith.subi %c63, %j : index
    %0 = memref.load %x[%row, %column] : memref<4x64xf32>
    linalg.yield %0 : f32
  }
  return
}

// -----

// A load from the array that the op writes, and one whose position is computed from elements, stay.
// CHECK-LABEL: func.func @other_loads
// CHECK-COUNT-2: memref.load
// CHECK:         return
#id = affine_map<(d0) -> (d0)>
func.func @other_loads(%x: memref<64xf32>, %i: memref<64xindex>, %y: memref<64xf32>) {
  %c63 = arith.constant 63 : index
  linalg.generic {indexing_maps = [#id], iterator_types = ["parallel"]} outs(%y : memref<64xf32>) {
  ^bb0(%out: f32):
    %j = linalg.index 0 : index
    %column = arith.subi %c63, %j : index
    %0 = memref.load %y[%column] : memref<64xf32>
    linalg.yield %0 : f32
  }
  linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel"]} ins(%i : memref<64xindex>) outs(%y : memref<64xf32>) {
  ^bb0(%j: index, %out: f32):
    %0 = memref.load %x[%j] : memref<64xf32>
    linalg.yield %0 : f32
  }
  return
}

// -----

// Eight rows of eight accumulators, each of which would wait for its additions.
// CHECK-LABEL: func.func @short_rows
// CHECK:         linalg.generic {{.*}} outs(%{{.*}} : memref<8x8xf32
#in = affine_map<(d0, d1, d2) -> (d0, d1, d2)>
#out = affine_map<(d0, d1, d2) -> (d0, d2)>
func.func @short_rows(%x: memref<32x128x8xf32>, %y: memref<32x8xf32>) {
  linalg.generic {indexing_maps = [#in, #out], iterator_types = ["parallel", "reduction", "parallel"]}
      ins(%x : memref<32x128x8xf32>) outs(%y : memref<32x8xf32>) {
  ^bb0(%a: f32, %b: f32):
    %0 = arith.addf %a, %b : f32
    linalg.yield %0 : f32
  }
  return
}
