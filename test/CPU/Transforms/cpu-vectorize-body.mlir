// RUN: gridir-opt %s --cpu-vectorize-body --split-input-file | FileCheck %s
// RUN: gridir-opt %s --cpu-vectorize-body --split-input-file --mlir-pass-statistics --mlir-pass-statistics-display=list -o /dev/null 2>&1 | FileCheck %s --check-prefix=STATS

// CHECK-LABEL: func.func @tile
// CHECK:         %[[X:.*]] = vector.transfer_read %{{.*}} : memref<16xf32>, vector<16xf32>
// CHECK:         %[[Y:.*]] = math.exp %[[X]] : vector<16xf32>
// CHECK:         vector.transfer_write %[[Y]]
func.func @tile(%x: memref<16xf32>, %y: memref<16xf32>) {
  linalg.exp ins(%x : memref<16xf32>) outs(%y : memref<16xf32>)
  return
}

// -----

// A whole block does not fit in registers.
// CHECK-LABEL: func.func @block
// CHECK-NOT:     vector
// CHECK:         linalg.exp
func.func @block(%x: memref<128x128xf32>, %y: memref<128x128xf32>) {
  linalg.exp ins(%x : memref<128x128xf32>) outs(%y : memref<128x128xf32>)
  return
}

// -----

#mk = affine_map<(m, n, k) -> (m, k)>
#kn = affine_map<(m, n, k) -> (k, n)>
#mn = affine_map<(m, n, k) -> (m, n)>

// The accumulators of a contraction are read before the loop and written after it.
// CHECK-LABEL: func.func @contraction
// CHECK-SAME:    %[[A:.*]]: memref<6x64xf32>, %[[B:.*]]: memref<64x16xf32>, %[[C:.*]]: memref<6x16xf32>
// CHECK:         %[[INIT:.*]] = vector.transfer_read %[[C]]
// CHECK:         %[[SUM:.*]] = scf.for {{.*}} iter_args(%[[ACC:.*]] = %[[INIT]]) -> (vector<6x16xf32>)
// CHECK:           %[[NEXT:.*]] = vector.contract {{.*}} %[[ACC]]
// CHECK:           scf.yield %[[NEXT]]
// CHECK:         vector.transfer_write %[[SUM]], %[[C]]
func.func @contraction(%a: memref<6x64xf32>, %b: memref<64x16xf32>, %c: memref<6x16xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c64 = arith.constant 64 : index
  scf.for %k = %c0 to %c64 step %c1 {
    %x = memref.subview %a[0, %k] [6, 1] [1, 1] : memref<6x64xf32> to memref<6x1xf32, strided<[64, 1], offset: ?>>
    %y = memref.subview %b[%k, 0] [1, 16] [1, 1] : memref<64x16xf32> to memref<1x16xf32, strided<[16, 1], offset: ?>>
    linalg.contract indexing_maps = [#mk, #kn, #mn]
        ins(%x, %y : memref<6x1xf32, strided<[64, 1], offset: ?>>, memref<1x16xf32, strided<[16, 1], offset: ?>>)
        outs(%c : memref<6x16xf32>)
  }
  return
}

// -----

#v = affine_map<(d0) -> (d0)>
#none = affine_map<(d0) -> ()>

// The lanes of a vector are added up half by half, in one order on every CPU.
// CHECK-LABEL: func.func @lanes
// CHECK-NOT:     vector.reduction
// CHECK:         %[[X:.*]] = vector.transfer_read %{{.*}} : memref<16xf32>, vector<16xf32>
// CHECK:         %[[LOW:.*]] = vector.extract_strided_slice %[[X]] {offsets = [0], sizes = [8], strides = [1]}
// CHECK:         %[[HIGH:.*]] = vector.extract_strided_slice %[[X]] {offsets = [8], sizes = [8], strides = [1]}
// CHECK:         arith.addf %[[LOW]], %[[HIGH]] : vector<8xf32>
// CHECK:         arith.addf {{.*}} : vector<4xf32>
// CHECK:         arith.addf {{.*}} : vector<2xf32>
// CHECK:         arith.addf {{.*}} : vector<1xf32>
// CHECK:         arith.addf {{.*}} : f32
func.func @lanes(%x: memref<16xf32>, %y: memref<f32>) {
  linalg.generic {indexing_maps = [#v, #none], iterator_types = ["reduction"]}
      ins(%x : memref<16xf32>) outs(%y : memref<f32>) {
  ^bb0(%a: f32, %b: f32):
    %0 = arith.addf %a, %b : f32
    linalg.yield %0 : f32
  }
  return
}

// -----

#v = affine_map<(d0) -> (d0)>
#none = affine_map<(d0) -> ()>

// An order makes no difference to the largest.
// CHECK-LABEL: func.func @largest
// CHECK:         vector.reduction <maximumf>
func.func @largest(%x: memref<16xf32>, %y: memref<f32>) {
  linalg.generic {indexing_maps = [#v, #none], iterator_types = ["reduction"]}
      ins(%x : memref<16xf32>) outs(%y : memref<f32>) {
  ^bb0(%a: f32, %b: f32):
    %0 = arith.maximumf %a, %b : f32
    linalg.yield %0 : f32
  }
  return
}

// -----

// As many numbers as the registers hold, and one more. What is left is counted.
// CHECK-LABEL: func.func @registers
// CHECK:         vector.transfer_read {{.*}} vector<128xf32>
// CHECK-NOT:     linalg
// CHECK:         return
// STATS:         (S) 0 num-left
// STATS-NEXT:    (S) 1 num-vectorized
func.func @registers(%x: memref<128xf32>, %y: memref<128xf32>) {
  linalg.exp ins(%x : memref<128xf32>) outs(%y : memref<128xf32>)
  return
}

// -----

// CHECK-LABEL: func.func @one_more
// CHECK-NOT:     vector
// CHECK:         linalg.exp
// STATS:         (S) 1 num-left
// STATS-NEXT:    (S) 0 num-vectorized
func.func @one_more(%x: memref<129xf32>, %y: memref<129xf32>) {
  linalg.exp ins(%x : memref<129xf32>) outs(%y : memref<129xf32>)
  return
}

// -----

#v = affine_map<(d0) -> (d0)>

// A body that may load what the op has written is left, and so are a dynamic size and a single number.
// CHECK-LABEL: func.func @left
// CHECK-NOT:     vector
// CHECK:         linalg.generic
// CHECK:         linalg.exp
// CHECK:         linalg.generic
// CHECK:         return
// STATS:         (S) 3 num-left
// STATS-NEXT:    (S) 0 num-vectorized
func.func @left(%i: memref<8xindex>, %y: memref<8xf32>, %d: memref<?xf32>, %s: memref<f32>) {
  linalg.generic {indexing_maps = [#v, #v], iterator_types = ["parallel"]}
      ins(%i : memref<8xindex>) outs(%y : memref<8xf32>) {
  ^bb0(%a: index, %b: f32):
    %0 = memref.load %y[%a] : memref<8xf32>
    linalg.yield %0 : f32
  }
  linalg.exp ins(%d : memref<?xf32>) outs(%d : memref<?xf32>)
  linalg.generic {indexing_maps = [affine_map<() -> ()>], iterator_types = []} outs(%s : memref<f32>) {
  ^bb0(%b: f32):
    %0 = math.exp %b : f32
    linalg.yield %0 : f32
  }
  return
}

// -----

// For integers the order makes no difference, and of 6 lanes there is no half.
// CHECK-LABEL: func.func @reductions
// CHECK:         vector.reduction <add>, %{{.*}} : vector<8xi32> into i32
// CHECK:         vector.reduction <add>, %{{.*}} : vector<6xf32> into f32
func.func @reductions(%a: vector<8xi32>, %b: vector<6xf32>) -> (i32, f32) {
  %0 = vector.reduction <add>, %a : vector<8xi32> into i32
  %1 = vector.reduction <add>, %b : vector<6xf32> into f32
  return %0, %1 : i32, f32
}

// The accumulator comes first, and the halves are multiplied in order.
// CHECK-LABEL: func.func @product
// CHECK-SAME:    %[[X:.*]]: vector<2xf32>, %[[ACC:.*]]: f32
// CHECK-DAG:     %[[LOW:.*]] = vector.extract_strided_slice %[[X]] {offsets = [0], sizes = [1], strides = [1]}
// CHECK-DAG:     %[[HIGH:.*]] = vector.extract_strided_slice %[[X]] {offsets = [1], sizes = [1], strides = [1]}
// CHECK:         %[[P:.*]] = arith.mulf %[[LOW]], %[[HIGH]] : vector<1xf32>
// CHECK:         %[[E:.*]] = vector.extract %[[P]][0]
// CHECK:         %[[R:.*]] = arith.mulf %[[ACC]], %[[E]] : f32
// CHECK:         return %[[R]]
func.func @product(%x: vector<2xf32>, %acc: f32) -> f32 {
  %0 = vector.reduction <mul>, %x, %acc : vector<2xf32> into f32
  return %0 : f32
}

// -----

// The view is kept where the vector spans dimensions of one group, since the
// source has their elements in one row.
// CHECK-LABEL: func.func @expanded_row
// CHECK-SAME:    %[[M:.*]]: memref<4x4xi8>, %[[I:.*]]: index
// CHECK:         %[[E:.*]] = memref.expand_shape %[[M]]
// CHECK:         vector.transfer_read %[[E]][%[[I]], {{.*}} : memref<4x2x2xi8>, vector<2x2xi8>
func.func @expanded_row(%m: memref<4x4xi8>, %i: index, %pad: i8) -> vector<2x2xi8> {
  %c0 = arith.constant 0 : index
  %e = memref.expand_shape %m [[0], [1, 2]] output_shape [4, 2, 2] : memref<4x4xi8> into memref<4x2x2xi8>
  %s = memref.subview %e[%i, 0, 0] [1, 2, 2] [1, 1, 1] : memref<4x2x2xi8> to memref<2x2xi8, strided<[2, 1], offset: ?>>
  %v = vector.transfer_read %s[%c0, %c0], %pad {in_bounds = [true, true]} : memref<2x2xi8, strided<[2, 1], offset: ?>>, vector<2x2xi8>
  return %v : vector<2x2xi8>
}

// So does one past the end of a dimension, where there is padding.
// CHECK-LABEL: func.func @expanded_padding
// CHECK:         %[[E:.*]] = memref.expand_shape
// CHECK:         vector.transfer_read %[[E]][{{.*}} : memref<4x2x2xi8>, vector<4xi8>
func.func @expanded_padding(%m: memref<4x4xi8>, %i: index, %pad: i8) -> vector<4xi8> {
  %c0 = arith.constant 0 : index
  %e = memref.expand_shape %m [[0], [1, 2]] output_shape [4, 2, 2] : memref<4x4xi8> into memref<4x2x2xi8>
  %v = vector.transfer_read %e[%i, %c0, %c0], %pad : memref<4x2x2xi8>, vector<4xi8>
  return %v : vector<4xi8>
}

// Whole rows are rows of the source.
// CHECK-LABEL: func.func @expanded_rows
// CHECK-SAME:    %[[M:.*]]: memref<4x4xi8>
// CHECK:         vector.transfer_read %[[M]][{{.*}} : memref<4x4xi8>, vector<2x4xi8>
func.func @expanded_rows(%m: memref<4x4xi8>, %i: index, %pad: i8) -> vector<2x4xi8> {
  %c0 = arith.constant 0 : index
  %e = memref.expand_shape %m [[0, 1], [2]] output_shape [2, 2, 4] : memref<4x4xi8> into memref<2x2x4xi8>
  %v = vector.transfer_read %e[%i, %c0, %c0], %pad {in_bounds = [true, true]} : memref<2x2x4xi8>, vector<2x4xi8>
  return %v : vector<2x4xi8>
}

// -----

// An operand that the loop walks backwards is read forwards.
// CHECK-LABEL: func.func @backwards
// CHECK:         %[[X:.*]] = vector.transfer_read %{{.*}} : memref<4xf32>, vector<4xf32>
// CHECK:         %[[Y:.*]] = vector.shuffle %[[X]], %[[X]] [3, 2, 1, 0] : vector<4xf32>, vector<4xf32>
// CHECK:         vector.transfer_write %[[Y]]
#back = affine_map<(d0) -> (3 - d0)>
#id = affine_map<(d0) -> (d0)>
func.func @backwards(%x: memref<4xf32>, %y: memref<4xf32>) {
  linalg.generic {indexing_maps = [#back, #id], iterator_types = ["parallel"]} ins(%x : memref<4xf32>) outs(%y : memref<4xf32>) {
  ^bb0(%a: f32, %b: f32):
    linalg.yield %a : f32
  }
  return
}

// -----

// Rows of a square, each backwards.
// CHECK-LABEL: func.func @backwards_rows
// CHECK:         vector.transfer_read
// CHECK-COUNT-2: vector.shuffle {{.*}} [1, 0] : vector<2xf32>, vector<2xf32>
// CHECK-NOT:     vector.shuffle
// CHECK:         vector.transfer_write
#back = affine_map<(d0, d1) -> (d0, 1 - d1)>
#id = affine_map<(d0, d1) -> (d0, d1)>
func.func @backwards_rows(%x: memref<2x2xf32>, %y: memref<2x2xf32>) {
  linalg.generic {indexing_maps = [#back, #id], iterator_types = ["parallel", "parallel"]} ins(%x : memref<2x2xf32>) outs(%y : memref<2x2xf32>) {
  ^bb0(%a: f32, %b: f32):
    linalg.yield %a : f32
  }
  return
}

// -----

#v = affine_map<(d0) -> (d0)>

// Loads at positions that are data are gathers; one at the same position for all elements stays a load.
// CHECK-LABEL: func.func @gather
// CHECK-SAME:      %[[TABLE:[^:]*]]: memref<64x4xf32>
// CHECK:         %[[CODES:.*]] = vector.transfer_read {{.*}} vector<8xi32>
// CHECK:         %[[INDICES:.*]] = arith.index_cast %[[CODES]] : vector<8xi32> to vector<8xindex>
// CHECK:         %[[ROWS:.*]] = arith.muli %[[INDICES]], %{{.*}} : vector<8xindex>
// CHECK:         %[[OFFSETS:.*]] = arith.addi %{{.*}}, %[[ROWS]] : vector<8xindex>
// CHECK:         vector.gather %[[TABLE]][%{{.*}}] [%[[OFFSETS]]], {{.*}} : memref<64x4xf32>, {{.*}} into vector<8xf32>
// CHECK-NOT:     tensor
// CHECK:         return
func.func @gather(%table: memref<64x4xf32>, %codes: memref<8xi32>, %column: index, %y: memref<8xf32>) {
  linalg.generic {indexing_maps = [#v, #v], iterator_types = ["parallel"]}
      ins(%codes : memref<8xi32>) outs(%y : memref<8xf32>) {
  ^bb0(%code: i32, %b: f32):
    %row = arith.index_cast %code : i32 to index
    %0 = memref.load %table[%row, %column] : memref<64x4xf32>
    %c0 = arith.constant 0 : index
    %1 = memref.load %table[%c0, %column] : memref<64x4xf32>
    %2 = arith.addf %0, %1 : f32
    linalg.yield %2 : f32
  }
  return
}

// -----

#all = affine_map<(d0, d1) -> (d0, d1)>

// A gather of two dimensions is one of each row.
// CHECK-LABEL: func.func @rows
// CHECK-COUNT-2: vector.gather {{.*}} into vector<8xbf16>
// CHECK-NOT:     vector.gather
// CHECK:         return
func.func @rows(%table: memref<64xbf16>, %codes: memref<2x8xindex>, %y: memref<2x8xbf16>) {
  linalg.generic {indexing_maps = [#all, #all], iterator_types = ["parallel", "parallel"]}
      ins(%codes : memref<2x8xindex>) outs(%y : memref<2x8xbf16>) {
  ^bb0(%code: index, %b: bf16):
    %0 = memref.load %table[%code] : memref<64xbf16>
    linalg.yield %0 : bf16
  }
  return
}

// -----

#v = affine_map<(d0) -> (d0)>

// A vector of bits is packed in memory, and an array of bits is not.
// CHECK-LABEL: func.func @packed
// CHECK-NOT:     vector.gather
// CHECK:         memref.load
func.func @packed(%table: memref<64xi1>, %codes: memref<8xindex>, %y: memref<8xi1>) {
  linalg.generic {indexing_maps = [#v, #v], iterator_types = ["parallel"]}
      ins(%codes : memref<8xindex>) outs(%y : memref<8xi1>) {
  ^bb0(%code: index, %b: i1):
    %0 = memref.load %table[%code] : memref<64xi1>
    linalg.yield %0 : i1
  }
  return
}
