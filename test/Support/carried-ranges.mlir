// RUN: gridir-opt %s --test-support | FileCheck %s

// A counter that restarts at an end stays in its range; one that only grows has that of its type. Outside of the loop's
// own analysis, a select has the range of both arms.
// CHECK-LABEL: func.func @counters(
// CHECK: arith.addi %{{.*}}, %{{.*}} {test.divisor = 1 : i64, test.neutral = 0 : i32, test.range = array<i64: 1, 3>}
// CHECK: arith.select {{.*}} test.range = array<i64: 0, 3>
// CHECK: arith.addi {{.*}} test.range = array<i64: -2147483648, 2147483647>
func.func @counters(%n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %three = arith.constant 3 : i32
  %0:2 = scf.for %i = %c0 to %n step %c1 iter_args(%restarted = %zero, %grown = %zero) -> (i32, i32) {
    %next = arith.addi %restarted, %one : i32
    %ends = arith.cmpi eq, %next, %three : i32
    %again = arith.select %ends, %zero, %next : i32
    %more = arith.addi %grown, %one : i32
    scf.yield %again, %more : i32, i32
  }
  return
}
