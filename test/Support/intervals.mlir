// RUN: gridir-opt %s --test-support | FileCheck %s

// A result has the range that its operands allow, or that of its type.
// CHECK-LABEL: func.func @arithmetic(
// CHECK: arith.extui {{.*}} test.range = array<i64: 0, 255>
// CHECK: arith.addi {{.*}} test.range = array<i64: 10, 265>
// CHECK: arith.subi {{.*}} test.range = array<i64: -245, 10>
// CHECK: arith.muli {{.*}} test.range = array<i64: -2450, 100>
// CHECK: arith.minsi {{.*}} test.range = array<i64: -2450, 10>
// CHECK: arith.cmpi {{.*}} {test.range = array<i64: 0, 1>
func.func @arithmetic(%x: i8) -> i1 {
  %c10 = arith.constant 10 : i32
  %0 = arith.extui %x : i8 to i32
  %1 = arith.addi %0, %c10 : i32
  %2 = arith.subi %c10, %0 : i32
  %3 = arith.muli %2, %c10 : i32
  %4 = arith.minsi %3, %c10 : i32
  %5 = arith.cmpi slt, %4, %1 : i32
  return %5 : i1
}

// A sum that exceeds its type wraps.
// CHECK-LABEL: func.func @wrapped(
// CHECK: arith.addi {{.*}} test.range = array<i64: -128, 127>
func.func @wrapped(%x: i8) -> i8 {
  %c1 = arith.constant 1 : i8
  %0 = arith.addi %x, %c1 : i8
  return %0 : i8
}

// The last value of an induction variable is below the bound by at most the step.
// CHECK-LABEL: func.func @induction(
// CHECK: arith.addi {{.*}} test.range = array<i64: 2, 14>
func.func @induction() {
  %c0 = arith.constant 0 : index
  %c2 = arith.constant 2 : index
  %c4 = arith.constant 4 : index
  %c15 = arith.constant 15 : index
  scf.for %i = %c0 to %c15 step %c4 {
    %0 = arith.addi %i, %c2 : index
  }
  return
}

// A loop that counts down has no range of its own.
// CHECK-LABEL: func.func @downwards(
// CHECK: arith.addi {{.*}} : index
func.func @downwards(%n: index) {
  %c0 = arith.constant 0 : index
  %c-1 = arith.constant -1 : index
  scf.for %i = %c0 to %n step %c-1 {
    %0 = arith.addi %i, %i : index
  }
  return
}
