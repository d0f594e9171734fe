// RUN: gridir-opt %s --cpu-lower-vectors --split-input-file | FileCheck %s
// RUN: gridir-opt %s --cpu-lower-vectors --split-input-file --mlir-pass-statistics -o /dev/null 2>&1 \
// RUN:   | FileCheck %s --check-prefix=STATS

// A product of a column and a row is added to each row of the sum, in the order of the columns.
// CHECK-LABEL: func.func @contraction
// CHECK-SAME:    (%[[A:.*]]: vector<2x2xf32>, %[[B:.*]]: vector<2x8xf32>, %[[C:.*]]: vector<2x8xf32>)
// CHECK-NOT:     vector.contract
// CHECK-DAG:     %[[B0:.*]] = vector.extract %[[B]][0]
// CHECK-DAG:     %[[A00:.*]] = vector.extract %[[A]][0, 0]
// CHECK-DAG:     %[[SCALE00:.*]] = vector.broadcast %[[A00]] : f32 to vector<8xf32>
// CHECK-DAG:     %[[C0:.*]] = vector.extract %[[C]][0]
// CHECK:         %[[SUM:.*]] = vector.fma %[[SCALE00]], %[[B0]], %[[C0]]
// CHECK-DAG:     %[[B1:.*]] = vector.extract %[[B]][1]
// CHECK-DAG:     %[[A01:.*]] = vector.extract %[[A]][0, 1]
// CHECK-DAG:     %[[SCALE01:.*]] = vector.broadcast %[[A01]] : f32 to vector<8xf32>
// CHECK:         vector.fma %[[SCALE01]], %[[B1]], %[[SUM]]
func.func @contraction(%a: vector<2x2xf32>, %b: vector<2x8xf32>, %c: vector<2x8xf32>) -> vector<2x8xf32> {
  %0 = vector.contract {
    indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (k, n)>,
                     affine_map<(m, n, k) -> (m, n)>],
    iterator_types = ["parallel", "parallel", "reduction"], kind = #vector.kind<add>
  } %a, %b, %c : vector<2x2xf32>, vector<2x8xf32> into vector<2x8xf32>
  return %0 : vector<2x8xf32>
}

// -----

// STATS:         (S) 1 num-ops-after
// STATS-NEXT:    (S) 1 num-ops-before
// CHECK-LABEL: func.func @load
// CHECK-SAME:    (%[[X:.*]]: memref<4x8xf32>, %[[I:.*]]: index)
// CHECK:         vector.load %[[X]][%[[I]], %{{.*}}] : memref<4x8xf32>, vector<8xf32>
func.func @load(%x: memref<4x8xf32>, %i: index) -> vector<8xf32> {
  %c0 = arith.constant 0 : index
  %pad = arith.constant 0.0 : f32
  %0 = vector.transfer_read %x[%i, %c0], %pad {in_bounds = [true]} : memref<4x8xf32>, vector<8xf32>
  return %0 : vector<8xf32>
}

// -----

// The lanes whose number is less than the count.
// CHECK-LABEL: func.func @mask
// CHECK-SAME:    (%[[N:.*]]: index)
// CHECK-DAG:     %[[LANES:.*]] = arith.constant dense<[0, 1, 2, 3]> : vector<4xi32>
// CHECK-DAG:     %[[END:.*]] = arith.index_cast %[[N]] : index to i32
// CHECK-DAG:     %[[ENDS:.*]] = vector.broadcast %[[END]] : i32 to vector<4xi32>
// CHECK:         arith.cmpi sgt, %[[ENDS]], %[[LANES]]
func.func @mask(%n: index) -> vector<4xi1> {
  %0 = vector.create_mask %n : vector<4xi1>
  return %0 : vector<4xi1>
}

// -----

// The rows are one line, whose elements are shuffled once, and which is cut into columns.
// CHECK-LABEL: func.func @transpose
// CHECK-SAME:    (%[[X:.*]]: vector<2x4xf32>)
// CHECK-DAG:     vector.extract %[[X]][0]
// CHECK-DAG:     vector.extract %[[X]][1]
// CHECK:         %[[COLUMNS:.*]] = vector.shuffle %[[LINE:.*]], %[[LINE]] [0, 4, 1, 5, 2, 6, 3, 7]
// CHECK:         vector.shuffle %[[COLUMNS]], %[[COLUMNS]] [0, 1]
// CHECK:         vector.shuffle %[[COLUMNS]], %[[COLUMNS]] [6, 7]
func.func @transpose(%x: vector<2x4xf32>) -> vector<4x2xf32> {
  %0 = vector.transpose %x, [1, 0] : vector<2x4xf32> to vector<4x2xf32>
  return %0 : vector<4x2xf32>
}

// -----

// CHECK-LABEL: func.func @elements
// CHECK-SAME:    (%[[X:.*]]: f32, %[[Y:.*]]: f32)
// CHECK:         %[[FIRST:.*]] = vector.from_elements %[[X]], %[[Y]] : vector<2xf32>
// CHECK:         vector.insert %[[FIRST]], %{{.*}} [0]
// CHECK:         %[[SECOND:.*]] = vector.from_elements %[[Y]], %[[X]] : vector<2xf32>
// CHECK:         vector.insert %[[SECOND]], %{{.*}} [1]
func.func @elements(%x: f32, %y: f32) -> vector<2x2xf32> {
  %0 = vector.from_elements %x, %y, %y, %x : vector<2x2xf32>
  return %0 : vector<2x2xf32>
}

// -----

// Control flow stays as it is, though one block would do.
// CHECK-LABEL: func.func @blocks
// CHECK:         cf.br
// CHECK:         vector.extract
func.func @blocks(%x: vector<2x4xf32>) -> vector<4xf32> {
  cf.br ^bb1
^bb1:
  %last = vector.extract %x[1] : vector<4xf32> from vector<2x4xf32>
  return %last : vector<4xf32>
}

// -----

// A module without vectors is not looked at.
// CHECK-LABEL: func.func @no_vectors
// CHECK:         arith.addi
func.func @no_vectors() -> index {
  %c1 = arith.constant 1 : index
  %0 = arith.addi %c1, %c1 : index
  return %0 : index
}
