// RUN: gridir-opt %s --cpu-vectorize-body --split-input-file | FileCheck %s
// RUN: gridir-opt %s --cpu-vectorize-body=vector-registers=1 --split-input-file | FileCheck %s --check-prefix=ONE

// Two vectors of one array, which a loop carries: the outer loop carries them, too. For one register they are too many.
// CHECK-LABEL: func.func @two_vectors
// CHECK-SAME:    %[[M:.*]]: memref<16xf32>
// CHECK:         %[[A:.*]] = vector.transfer_read %[[M]][%[[C0:[a-z0-9_]+]]]
// CHECK:         %[[B:.*]] = vector.transfer_read %[[M]][%[[C8:[a-z0-9_]+]]]
// CHECK:         %[[OUTER:.*]]:2 = scf.for {{.*}} iter_args(%[[A1:.*]] = %[[A]], %[[B1:.*]] = %[[B]])
// CHECK-NEXT:      %[[INNER:.*]]:2 = scf.for {{.*}} iter_args(%[[A2:.*]] = %[[A1]], %[[B2:.*]] = %[[B1]])
// CHECK-NEXT:        %[[SUM:.*]] = arith.addf %[[A2]], %{{.*}}
// CHECK-NEXT:        %[[PRODUCT:.*]] = arith.mulf %[[B2]], %{{.*}}
// CHECK-NEXT:        scf.yield %[[SUM]], %[[PRODUCT]]
// CHECK:           scf.yield %[[INNER]]#0, %[[INNER]]#1
// CHECK:         vector.transfer_write %[[OUTER]]#0, %[[M]][%[[C0]]]
// CHECK:         vector.transfer_write %[[OUTER]]#1, %[[M]][%[[C8]]]
// ONE-LABEL: func.func @two_vectors
// ONE-NOT:     iter_args
// ONE:         return
func.func @two_vectors(%m: memref<16xf32>, %v: vector<8xf32>, %hi: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  %pad = arith.constant 0.0 : f32
  scf.for %i = %c0 to %hi step %c1 {
    scf.for %j = %c0 to %hi step %c1 {
      %0 = vector.transfer_read %m[%c0], %pad {in_bounds = [true]} : memref<16xf32>, vector<8xf32>
      %1 = arith.addf %0, %v : vector<8xf32>
      vector.transfer_write %1, %m[%c0] {in_bounds = [true]} : vector<8xf32>, memref<16xf32>
      %2 = vector.transfer_read %m[%c8], %pad {in_bounds = [true]} : memref<16xf32>, vector<8xf32>
      %3 = arith.mulf %2, %v : vector<8xf32>
      vector.transfer_write %3, %m[%c8] {in_bounds = [true]} : vector<8xf32>, memref<16xf32>
    }
  }
  return
}

// -----

// Memory that the loop does not write is read once, and computations on it alone are executed once.
// CHECK-LABEL: func.func @read
// CHECK-SAME:    %[[M:.*]]: memref<8xf32>
// CHECK:         %[[X:.*]] = vector.transfer_read %[[M]]
// CHECK:         %[[Y:.*]] = arith.addf %[[X]], %[[X]]
// CHECK:         scf.for
// CHECK-NEXT:      vector.transfer_write %[[Y]]
func.func @read(%m: memref<8xf32>, %o: memref<?xf32>, %hi: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %pad = arith.constant 0.0 : f32
  scf.for %i = %c0 to %hi step %c1 {
    %0 = vector.transfer_read %m[%c0], %pad {in_bounds = [true]} : memref<8xf32>, vector<8xf32>
    %1 = arith.addf %0, %0 : vector<8xf32>
    vector.transfer_write %1, %o[%i] : vector<8xf32>, memref<?xf32>
  }
  return
}

// -----

// Nothing is carried where a vector overlaps another one, a write is under a condition or a mask, a view of the array has
// another name, or an op accesses it that is no transfer.
// CHECK-LABEL: func.func @kept
// CHECK-NOT:     iter_args
// CHECK:         return
func.func @kept(%a: memref<16xf32>, %b: memref<8xf32>, %c: memref<8xf32>, %d: memref<8xf32>, %e: memref<8xf32>,
                %v: vector<8xf32>, %cond: i1, %mask: vector<8xi1>, %hi: index) -> memref<4xf32, strided<[1]>> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %pad = arith.constant 0.0 : f32
  %view = memref.subview %d[0] [4] [1] : memref<8xf32> to memref<4xf32, strided<[1]>>
  scf.for %i = %c0 to %hi step %c1 {
    %0 = vector.transfer_read %a[%c0], %pad {in_bounds = [true]} : memref<16xf32>, vector<8xf32>
    %1 = arith.addf %0, %v : vector<8xf32>
    vector.transfer_write %1, %a[%c0] {in_bounds = [true]} : vector<8xf32>, memref<16xf32>
    vector.transfer_write %1, %a[%c4] {in_bounds = [true]} : vector<8xf32>, memref<16xf32>
  }
  scf.for %i = %c0 to %hi step %c1 {
    %0 = vector.transfer_read %b[%c0], %pad {in_bounds = [true]} : memref<8xf32>, vector<8xf32>
    %1 = arith.addf %0, %v : vector<8xf32>
    scf.if %cond {
      vector.transfer_write %1, %b[%c0] {in_bounds = [true]} : vector<8xf32>, memref<8xf32>
    }
  }
  scf.for %i = %c0 to %hi step %c1 {
    %0 = vector.transfer_read %c[%c0], %pad, %mask {in_bounds = [true]} : memref<8xf32>, vector<8xf32>
    %1 = arith.addf %0, %v : vector<8xf32>
    vector.transfer_write %1, %c[%c0], %mask {in_bounds = [true]} : vector<8xf32>, memref<8xf32>
  }
  scf.for %i = %c0 to %hi step %c1 {
    %0 = vector.transfer_read %d[%c0], %pad {in_bounds = [true]} : memref<8xf32>, vector<8xf32>
    %1 = arith.addf %0, %v : vector<8xf32>
    vector.transfer_write %1, %d[%c0] {in_bounds = [true]} : vector<8xf32>, memref<8xf32>
  }
  scf.for %i = %c0 to %hi step %c1 {
    %0 = vector.transfer_read %e[%c0], %pad {in_bounds = [true]} : memref<8xf32>, vector<8xf32>
    %1 = arith.addf %0, %v : vector<8xf32>
    vector.transfer_write %1, %e[%c0] {in_bounds = [true]} : vector<8xf32>, memref<8xf32>
    memref.store %pad, %e[%i] : memref<8xf32>
  }
  return %view : memref<4xf32, strided<[1]>>
}

// -----

// A view is of consequence in a loop that accesses it: the second loop, and not the first.
// CHECK-LABEL: func.func @viewed
// CHECK:         scf.for {{.*}} iter_args
// CHECK:         scf.for
// CHECK-NOT:     iter_args
// CHECK:         return
func.func @viewed(%m: memref<2x8xf32>, %v: vector<8xf32>, %hi: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %pad = arith.constant 0.0 : f32
  %view = memref.collapse_shape %m [[0, 1]] : memref<2x8xf32> into memref<16xf32>
  scf.for %i = %c0 to %hi step %c1 {
    %0 = vector.transfer_read %m[%c0, %c0], %pad {in_bounds = [true]} : memref<2x8xf32>, vector<8xf32>
    %1 = arith.addf %0, %v : vector<8xf32>
    vector.transfer_write %1, %m[%c0, %c0] {in_bounds = [true]} : vector<8xf32>, memref<2x8xf32>
  }
  scf.for %i = %c0 to %hi step %c1 {
    %0 = vector.transfer_read %m[%c0, %c0], %pad {in_bounds = [true]} : memref<2x8xf32>, vector<8xf32>
    %1 = arith.addf %0, %v : vector<8xf32>
    vector.transfer_write %1, %m[%c0, %c0] {in_bounds = [true]} : vector<8xf32>, memref<2x8xf32>
    vector.transfer_write %v, %view[%i] {in_bounds = [true]} : vector<8xf32>, memref<16xf32>
  }
  return
}

// -----

// A call may read and write memory whose address escaped: nothing moves past it.
// CHECK-LABEL: func.func @called
// CHECK:         scf.for
// CHECK:           call @other
// CHECK-NEXT:      vector.transfer_read
// CHECK:         scf.for
// CHECK-NOT:     iter_args
// CHECK:           vector.transfer_read
// CHECK:           vector.transfer_write
// CHECK-NEXT:      call @other
func.func private @other()
func.func @called(%m: memref<8xf32>, %o: memref<?xf32>, %v: vector<8xf32>, %hi: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %pad = arith.constant 0.0 : f32
  scf.for %i = %c0 to %hi step %c1 {
    func.call @other() : () -> ()
    %0 = vector.transfer_read %m[%c0], %pad {in_bounds = [true]} : memref<8xf32>, vector<8xf32>
    vector.transfer_write %0, %o[%i] : vector<8xf32>, memref<?xf32>
  }
  scf.for %i = %c0 to %hi step %c1 {
    %0 = vector.transfer_read %m[%c0], %pad {in_bounds = [true]} : memref<8xf32>, vector<8xf32>
    %1 = arith.addf %0, %v : vector<8xf32>
    vector.transfer_write %1, %m[%c0] {in_bounds = [true]} : vector<8xf32>, memref<8xf32>
    func.call @other() : () -> ()
  }
  return
}

// -----

// The view of a block and the view of its panel are folded to one index for the read and one for the write. They are
// equal, so that the accumulator is carried.
// CHECK-LABEL: func.func @block_at
// CHECK-SAME:    %[[M:[a-z0-9]*]]: memref<64xf32>
// CHECK:         %[[AT:.*]] = affine.apply
// CHECK:         %[[FIRST:.*]] = vector.transfer_read %[[M]][%[[AT]]]
// CHECK:         %[[SUM:.*]] = scf.for {{.*}} iter_args(%[[ACC:.*]] = %[[FIRST]])
// CHECK-NEXT:      arith.addf %[[ACC]]
// CHECK:         vector.transfer_write %[[SUM]], %[[M]][%[[AT]]]
func.func @block_at(%m: memref<64xf32>, %v: vector<8xf32>, %block: index, %column: index, %hi: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %pad = arith.constant 0.0 : f32
  %window = memref.subview %m[%block] [32] [1] : memref<64xf32> to memref<32xf32, strided<[1], offset: ?>>
  scf.for %k = %c0 to %hi step %c1 {
    %panel = memref.subview %window[%column] [8] [1] : memref<32xf32, strided<[1], offset: ?>> to memref<8xf32, strided<[1], offset: ?>>
    %0 = vector.transfer_read %panel[%c0], %pad {in_bounds = [true]} : memref<8xf32, strided<[1], offset: ?>>, vector<8xf32>
    %1 = arith.addf %0, %v : vector<8xf32>
    vector.transfer_write %1, %panel[%c0] {in_bounds = [true]} : vector<8xf32>, memref<8xf32, strided<[1], offset: ?>>
  }
  return
}

// -----

// A loop that accesses an array by one view alone carries its vectors.
// CHECK-LABEL: func.func @one_view
// CHECK:         %[[VIEW:.*]] = memref.collapse_shape
// CHECK:         %[[A:.*]] = vector.transfer_read %[[VIEW]]
// CHECK:         %[[R:.*]] = scf.for {{.*}} iter_args(%{{.*}} = %[[A]])
// CHECK-NEXT:      arith.addf
// CHECK-NEXT:      scf.yield
// CHECK:         vector.transfer_write %[[R]], %[[VIEW]]
func.func @one_view(%m: memref<1x8xf32>, %v: vector<8xf32>, %hi: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0.0 : f32
  %view = memref.collapse_shape %m [[0, 1]] : memref<1x8xf32> into memref<8xf32>
  scf.for %i = %c0 to %hi step %c1 {
    %x = vector.transfer_read %view[%c0], %zero {in_bounds = [true]} : memref<8xf32>, vector<8xf32>
    %y = arith.addf %x, %v : vector<8xf32>
    vector.transfer_write %y, %view[%c0] {in_bounds = [true]} : vector<8xf32>, memref<8xf32>
  }
  return
}
