// RUN: gridir-opt %s --cpu-unroll-reductions --split-input-file | FileCheck %s
// RUN: gridir-opt %s --cpu-unroll-reductions --split-input-file --mlir-pass-statistics --mlir-pass-statistics-display=list -o /dev/null 2>&1 | FileCheck %s --check-prefix=STATS

// STATS: (S) 0 num-combined - Number of chains of maxima or minima computed together
// STATS: (S) 0 num-large - Number of short loops whose bodies have too many ops
// STATS: (S) 1 num-unrolled - Number of loops unrolled
// STATS: (S) 0 num-large
// STATS: (S) 1 num-unrolled
// STATS: (S) 1 num-large
// STATS: (S) 0 num-unrolled
// STATS: (S) 0 num-large
// STATS: (S) 0 num-unrolled

// Rows in order; the index of the first one is as it was.
// CHECK-LABEL: func.func @rows
// CHECK-SAME:    (%{{.*}}: memref<128x512xf32>, %[[I:.*]]: index, %{{.*}}: index, %[[INIT:.*]]: vector<16xf32>)
// CHECK-NOT:     scf.for
// CHECK:         %[[FIRST:.*]] = arith.addi %[[I]]
// CHECK:         %[[V0:.*]] = vector.transfer_read %{{.*}}[%[[FIRST]]
// CHECK:         %[[SUM0:.*]] = arith.addf %[[V0]], %[[INIT]]
// CHECK:         %[[SECOND:.*]] = arith.addi %[[I]]
// CHECK:         %[[V1:.*]] = vector.transfer_read %{{.*}}[%[[SECOND]]
// CHECK:         %[[SUM1:.*]] = arith.addf %[[V1]], %[[SUM0]]
// CHECK:         return %[[SUM1]]
func.func @rows(%x: memref<128x512xf32>, %i: index, %j: index, %init: vector<16xf32>) -> vector<16xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %zero = arith.constant 0.0 : f32
  %sum = scf.for %r = %c0 to %c2 step %c1 iter_args(%acc = %init) -> (vector<16xf32>) {
    %row = arith.addi %i, %r : index
    %v = vector.transfer_read %x[%row, %j], %zero {in_bounds = [true]} : memref<128x512xf32>, vector<16xf32>
    %next = arith.addf %v, %acc : vector<16xf32>
    scf.yield %next : vector<16xf32>
  }
  return %sum : vector<16xf32>
}

// -----

// Eight iterations of eight ops, each of which may be unrolled; the loop around them stays. Indices do not count.
// CHECK-LABEL: func.func @most
// CHECK:         scf.for
// CHECK-NOT:     scf.for
// CHECK-COUNT-64: arith.addf
// CHECK-NOT:     arith.addf
// CHECK:         scf.yield
func.func @most(%init: vector<8xf32>) -> vector<8xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  %c16 = arith.constant 16 : index
  %sum = scf.for %i = %c0 to %c16 step %c8 iter_args(%a = %init) -> (vector<8xf32>) {
    %all = scf.for %r = %c0 to %c8 step %c1 iter_args(%acc = %a) -> (vector<8xf32>) {
      %row = arith.addi %i, %r : index
      %0 = arith.addf %acc, %init : vector<8xf32>
      %1 = arith.addf %0, %init : vector<8xf32>
      %2 = arith.addf %1, %init : vector<8xf32>
      %3 = arith.addf %2, %init : vector<8xf32>
      %4 = arith.addf %3, %init : vector<8xf32>
      %5 = arith.addf %4, %init : vector<8xf32>
      %6 = arith.addf %5, %init : vector<8xf32>
      %7 = arith.addf %6, %init : vector<8xf32>
      scf.yield %7 : vector<8xf32>
    }
    scf.yield %all : vector<8xf32>
  }
  return %sum : vector<8xf32>
}

// -----

// Nine ops.
// CHECK-LABEL: func.func @large
// CHECK:         scf.for
func.func @large(%init: vector<8xf32>) -> vector<8xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  %sum = scf.for %r = %c0 to %c8 step %c1 iter_args(%acc = %init) -> (vector<8xf32>) {
    %0 = arith.addf %acc, %init : vector<8xf32>
    %1 = arith.addf %0, %init : vector<8xf32>
    %2 = arith.addf %1, %init : vector<8xf32>
    %3 = arith.addf %2, %init : vector<8xf32>
    %4 = arith.addf %3, %init : vector<8xf32>
    %5 = arith.addf %4, %init : vector<8xf32>
    %6 = arith.addf %5, %init : vector<8xf32>
    %7 = arith.addf %6, %init : vector<8xf32>
    %8 = arith.addf %7, %init : vector<8xf32>
    scf.yield %8 : vector<8xf32>
  }
  return %sum : vector<8xf32>
}

// -----

// Nine iterations, a number that is known at run time only, a scalar beside the accumulators, no accumulators, and a
// condition in the loop.
// CHECK-LABEL: func.func @others
// CHECK-COUNT-5: scf.for
func.func @others(%x: memref<16xf32>, %n: index, %init: vector<8xf32>, %s: f32, %b: i1)
    -> (vector<8xf32>, vector<8xf32>, vector<8xf32>, vector<8xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  %c9 = arith.constant 9 : index
  %nine = scf.for %r = %c0 to %c9 step %c1 iter_args(%acc = %init) -> (vector<8xf32>) {
    %0 = arith.addf %acc, %init : vector<8xf32>
    scf.yield %0 : vector<8xf32>
  }
  %any = scf.for %r = %c0 to %n step %c1 iter_args(%acc = %init) -> (vector<8xf32>) {
    %0 = arith.addf %acc, %init : vector<8xf32>
    scf.yield %0 : vector<8xf32>
  }
  %both:2 = scf.for %r = %c0 to %c8 step %c1 iter_args(%acc = %init, %t = %s) -> (vector<8xf32>, f32) {
    %0 = arith.addf %acc, %init : vector<8xf32>
    %1 = arith.addf %t, %s : f32
    scf.yield %0, %1 : vector<8xf32>, f32
  }
  scf.for %r = %c0 to %c8 step %c1 {
    memref.store %s, %x[%r] : memref<16xf32>
  }
  %nested = scf.for %r = %c0 to %c8 step %c1 iter_args(%acc = %init) -> (vector<8xf32>) {
    %0 = scf.if %b -> (vector<8xf32>) {
      %1 = arith.addf %acc, %init : vector<8xf32>
      scf.yield %1 : vector<8xf32>
    } else {
      scf.yield %acc : vector<8xf32>
    }
    scf.yield %0 : vector<8xf32>
  }
  return %nine, %any, %both#0, %nested : vector<8xf32>, vector<8xf32>, vector<8xf32>, vector<8xf32>
}

// -----

// STATS: (S) 1 num-combined
// STATS: (S) 1 num-unrolled

// The largest of four rows and an accumulator: a comparison and a selection for each, one correction for all.
// CHECK-LABEL: func.func @maximum
// CHECK-NOT:     scf.for
// CHECK-NOT:     arith.maximumf
// CHECK-COUNT-3: arith.andi %{{.*}} : vector<8xi32>
// CHECK:         arith.cmpf uno, %[[INIT:.*]], %[[INIT]] : vector<8xf32>
// CHECK:         %[[MOST:.*]] = arith.select
// CHECK:         %[[SIGNS:.*]] = arith.andi %{{.*}} : vector<8xi32>
// CHECK:         %[[SIGN:.*]] = arith.bitcast %[[SIGNS]]
// CHECK:         %[[SIGNED:.*]] = math.copysign %[[MOST]], %[[SIGN]]
// CHECK:         arith.select %{{.*}}, %{{.*}}, %[[SIGNED]]
func.func @maximum(%x: memref<128x512xf32>, %init: vector<8xf32>) -> vector<8xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %zero = arith.constant 0.0 : f32
  %most = scf.for %r = %c0 to %c4 step %c1 iter_args(%acc = %init) -> (vector<8xf32>) {
    %v = vector.transfer_read %x[%r, %c0], %zero {in_bounds = [true]} : memref<128x512xf32>, vector<8xf32>
    %next = arith.maximumf %v, %acc : vector<8xf32>
    scf.yield %next : vector<8xf32>
  }
  return %most : vector<8xf32>
}
