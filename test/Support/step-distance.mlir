// RUN: gridir-opt %s --test-support | FileCheck %s

// Constants that are added to the step are its distance, also through a cast.
// CHECK-LABEL: func.func @distances(
// CHECK: arith.addi {{.*}} test.step_distance = 2 : i64
// CHECK: arith.index_cast {{.*}} test.step_distance = 2 : i64
// CHECK: arith.addi {{.*}} test.step_distance = 5 : i64
// CHECK: arith.muli
// CHECK-NOT: test.step_distance
func.func @distances(%n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c3 = arith.constant 3 : i32
  scf.for %i = %c0 to %n step %c1 {
    %0 = arith.addi %i, %c2 : index
    %1 = arith.index_cast %0 : index to i32
    %2 = arith.addi %1, %c3 : i32
    %3 = arith.muli %2, %c3 : i32
  }
  return
}
