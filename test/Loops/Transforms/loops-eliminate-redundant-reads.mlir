// RUN: gridir-opt %s --loops-eliminate-redundant-reads --split-input-file --allow-unregistered-dialect \
// RUN:   --mlir-pass-statistics 2> %t.statistics | FileCheck %s
// RUN: FileCheck %s --check-prefix=STATISTICS < %t.statistics

// Equal reads are one until memory is written, and other reads are others.
// STATISTICS:   (S) 3 num-eliminated
// CHECK-LABEL: func.func @block
// CHECK-SAME:    %[[M:.*]]: memref<8xf32>, %[[I:.*]]: index, %[[J:.*]]: index
// CHECK-NEXT:    %[[A:.*]] = memref.load %[[M]][%[[I]]]
// CHECK-NEXT:    %[[B:.*]] = memref.load %[[M]][%[[J]]]
// CHECK-NEXT:    memref.store %[[A]], %[[M]][%[[J]]]
// CHECK-NEXT:    %[[C:.*]] = memref.load %[[M]][%[[I]]]
// CHECK-NEXT:    %[[D:.*]] = memref.load %[[M]][%[[J]]]
// CHECK-NEXT:    call @use(%[[A]], %[[A]], %[[B]], %[[C]], %[[C]], %[[D]], %[[D]])
func.func private @use(f32, f32, f32, f32, f32, f32, f32)
func.func @block(%m: memref<8xf32>, %i: index, %j: index) {
  %0 = memref.load %m[%i] : memref<8xf32>
  %1 = memref.load %m[%j] : memref<8xf32>
  %2 = memref.load %m[%i] : memref<8xf32>
  memref.store %0, %m[%j] : memref<8xf32>
  %3 = memref.load %m[%i] : memref<8xf32>
  %4 = memref.load %m[%j] : memref<8xf32>
  %5 = memref.load %m[%i] : memref<8xf32>
  %6 = memref.load %m[%j] : memref<8xf32>
  call @use(%0, %2, %1, %3, %5, %4, %6) : (f32, f32, f32, f32, f32, f32, f32) -> ()
  return
}

// -----

// A loop that only reads blocks no other read, and its reads are eliminated, too; a loop that writes, at any depth, and
// an unknown op block them.
// STATISTICS:   (S) 3 num-eliminated
// CHECK-LABEL: func.func @regions
// CHECK-SAME:    %[[M:.*]]: memref<f32>
// CHECK:         %[[A:.*]] = memref.load %[[M]]
// CHECK:         scf.for
// CHECK:           %[[INNER:.*]] = memref.load %[[M]]
// CHECK-NOT:       memref.load
// CHECK:           arith.addf %[[INNER]], %[[INNER]]
// CHECK:         scf.for
// CHECK-NOT:       memref.load
// CHECK:           scf.if
// CHECK:             memref.store %[[A]]
// CHECK:         %[[B:.*]] = memref.load %[[M]]
// CHECK:         call @use(%[[A]], %[[A]], %[[B]])
// CHECK:         "test.unknown"
// CHECK:         %[[C:.*]] = memref.load %[[M]]
// CHECK:         call @use(%[[C]], %[[C]], %[[C]])
func.func private @use(f32, f32, f32)
func.func @regions(%m: memref<f32>, %lo: index, %hi: index, %c: i1, %x: f32) -> f32 {
  %c1 = arith.constant 1 : index
  %0 = memref.load %m[] : memref<f32>
  %sum = scf.for %i = %lo to %hi step %c1 iter_args(%s = %x) -> f32 {
    %1 = memref.load %m[] : memref<f32>
    %2 = memref.load %m[] : memref<f32>
    %3 = arith.addf %1, %2 : f32
    %4 = arith.addf %s, %3 : f32
    scf.yield %4 : f32
  }
  %5 = memref.load %m[] : memref<f32>
  scf.for %i = %lo to %hi step %c1 {
    scf.if %c {
      memref.store %5, %m[] : memref<f32>
    }
  }
  %6 = memref.load %m[] : memref<f32>
  func.call @use(%0, %5, %6) : (f32, f32, f32) -> ()
  "test.unknown"() : () -> ()
  %7 = memref.load %m[] : memref<f32>
  %8 = memref.alloc() : memref<f32>
  %9 = memref.load %m[] : memref<f32>
  func.call @use(%7, %9, %7) : (f32, f32, f32) -> ()
  memref.dealloc %8 : memref<f32>
  return %sum : f32
}

// -----

// Reads of another block, reads of another type, and reads of memory that is written in between are kept.
// STATISTICS:   (S) 0 num-eliminated
// CHECK-LABEL: func.func @kept
// CHECK:         memref.load
// CHECK:         vector.load %{{.*}} : memref<8xf32>, vector<4xf32>
// CHECK:         vector.load %{{.*}} : memref<8xf32>, vector<2xf32>
// CHECK:         cf.br
// CHECK:         memref.load
// CHECK:         memref.atomic_rmw
// CHECK:         memref.atomic_rmw
// CHECK:         memref.load
func.func @kept(%m: memref<8xf32>, %i: index, %x: f32) -> (f32, vector<4xf32>, vector<2xf32>, f32, f32, f32, f32) {
  %0 = memref.load %m[%i] : memref<8xf32>
  %1 = vector.load %m[%i] : memref<8xf32>, vector<4xf32>
  %2 = vector.load %m[%i] : memref<8xf32>, vector<2xf32>
  cf.br ^next
^next:
  %3 = memref.load %m[%i] : memref<8xf32>
  %4 = memref.atomic_rmw addf %x, %m[%i] : (f32, memref<8xf32>) -> f32
  %5 = memref.atomic_rmw addf %x, %m[%i] : (f32, memref<8xf32>) -> f32
  %6 = memref.load %m[%i] : memref<8xf32>
  return %0, %1, %2, %3, %4, %5, %6 : f32, vector<4xf32>, vector<2xf32>, f32, f32, f32, f32
}

// -----

// Indices that are computed twice are one, wherever memory is written.
// STATISTICS:   (S) 1 num-eliminated
// CHECK-LABEL: func.func @indices
// CHECK-SAME:    %[[M:.*]]: memref<8xf32>, %[[I:.*]]: index
// CHECK-NEXT:    %[[ONE:.*]] = arith.constant 1 : index
// CHECK-NEXT:    %[[J:.*]] = arith.addi %[[I]], %[[ONE]]
// CHECK-NEXT:    %[[X:.*]] = memref.load %[[M]][%[[J]]]
// CHECK-NEXT:    memref.store %[[X]], %[[M]][%[[J]]]
// CHECK-NEXT:    %[[Y:.*]] = memref.load %[[M]][%[[J]]]
// CHECK-NEXT:    return %[[X]], %[[X]], %[[Y]]
func.func @indices(%m: memref<8xf32>, %i: index) -> (f32, f32, f32) {
  %c1 = arith.constant 1 : index
  %0 = arith.addi %i, %c1 : index
  %1 = memref.load %m[%0] : memref<8xf32>
  %c1_again = arith.constant 1 : index
  %2 = arith.addi %i, %c1_again : index
  %3 = memref.load %m[%2] : memref<8xf32>
  memref.store %1, %m[%2] : memref<8xf32>
  %4 = arith.addi %i, %c1 : index
  %5 = memref.load %m[%4] : memref<8xf32>
  return %1, %3, %5 : f32, f32, f32
}

// -----

// Ops with regions are left as they are, equal ones, too.
// CHECK-LABEL: func.func @equal_regions
// CHECK:         scf.if
// CHECK:         scf.if
func.func @equal_regions(%c: i1, %x: f32, %y: f32) -> (f32, f32) {
  %0 = scf.if %c -> f32 {
    scf.yield %x : f32
  } else {
    scf.yield %y : f32
  }
  %1 = scf.if %c -> f32 {
    scf.yield %x : f32
  } else {
    scf.yield %y : f32
  }
  return %0, %1 : f32, f32
}
