// RUN: gridir-opt %s --convert-scf-to-branches --split-input-file | FileCheck %s
// RUN: gridir-opt %s --convert-scf-to-branches --split-input-file --mlir-pass-statistics --mlir-pass-statistics-display=list -o /dev/null 2>&1 | FileCheck %s --check-prefix=STATS

// One condition after another: each goes on where the next one begins.
// STATS:         (S) 2 num-lowered
// CHECK-LABEL: func.func @conditions
// CHECK-SAME:    %[[A:.*]]: i1, %[[B:.*]]: i1
// CHECK:         cf.cond_br %[[A]], ^[[FIRST:.*]], ^[[BETWEEN:.*]]
// CHECK:       ^[[FIRST]]:
// CHECK:         memref.store %{{.*}}, %{{.*}}[%c0]
// CHECK:         cf.br ^[[BETWEEN]]
// CHECK:       ^[[BETWEEN]]:
// CHECK:         memref.store %{{.*}}, %{{.*}}[%c1]
// CHECK:         cf.cond_br %[[B]], ^[[SECOND:.*]], ^[[END:.*]]
// CHECK:       ^[[SECOND]]:
// CHECK:         memref.store %{{.*}}, %{{.*}}[%c2]
// CHECK:         cf.br ^[[END]]
// CHECK:       ^[[END]]:
// CHECK-NEXT:    return
func.func @conditions(%a: i1, %b: i1, %x: f32, %m: memref<3xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  scf.if %a {
    memref.store %x, %m[%c0] : memref<3xf32>
  }
  memref.store %x, %m[%c1] : memref<3xf32>
  scf.if %b {
    memref.store %x, %m[%c2] : memref<3xf32>
  }
  return
}

// -----

// A condition in a loop that carries a value, and a value of both branches.
// STATS:         (S) 2 num-lowered
// CHECK-LABEL: func.func @nested
// CHECK-SAME:    %[[LO:.*]]: index, %[[HI:.*]]: index, %[[C:.*]]: i1, %[[X:.*]]: f32
// CHECK-NOT:     scf.
// CHECK:         cf.br ^[[HEAD:.*]](%[[LO]], %[[X]] : index, f32)
// CHECK:       ^[[HEAD]](%[[I:.*]]: index, %[[V:.*]]: f32):
// CHECK:         %[[GO:.*]] = arith.cmpi slt, %[[I]], %[[HI]]
// CHECK:         cf.cond_br %[[GO]], ^[[BODY:.*]], ^[[END:.*]]
// CHECK:       ^[[BODY]]:
// CHECK:         cf.cond_br %[[C]], ^[[THEN:.*]], ^[[ELSE:.*]]
// CHECK:       ^[[THEN]]:
// CHECK:         %[[SUM:.*]] = arith.addf %[[V]], %[[X]]
// CHECK:         cf.br ^[[JOIN:.*]](%[[SUM]] : f32)
// CHECK:       ^[[ELSE]]:
// CHECK:         cf.br ^[[JOIN]](%[[V]] : f32)
// CHECK:         arith.addi %[[I]]
// CHECK:         cf.br ^[[HEAD]]
// CHECK:       ^[[END]]:
// CHECK-NEXT:    return %[[V]]
func.func @nested(%lo: index, %hi: index, %c: i1, %x: f32) -> f32 {
  %c1 = arith.constant 1 : index
  %r = scf.for %i = %lo to %hi step %c1 iter_args(%v = %x) -> f32 {
    %w = scf.if %c -> f32 {
      %s = arith.addf %v, %x : f32
      scf.yield %s : f32
    } else {
      scf.yield %v : f32
    }
    scf.yield %w : f32
  }
  return %r : f32
}

// -----

// A condition where a loop decides whether it goes on.
// CHECK-LABEL: func.func @while
// CHECK-NOT:     scf.
// CHECK:         return
func.func @while(%c: i1, %d: i1, %e: i1) {
  scf.while : () -> () {
    %r = scf.if %c -> i1 {
      scf.yield %d : i1
    } else {
      scf.yield %e : i1
    }
    scf.condition(%r)
  } do {
    scf.yield
  }
  return
}
