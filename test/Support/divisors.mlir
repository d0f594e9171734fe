// RUN: gridir-opt %s --test-support | FileCheck %s

// CHECK-LABEL: func.func @divisors(
// CHECK: arith.muli {{.*}} {test.divisor = 12 : i64
// CHECK: arith.addi {{.*}} {test.divisor = 4 : i64
// CHECK: arith.select {{.*}} {test.divisor = 4 : i64
// CHECK: arith.addi %{{.*}}, %{{.*}} {test.divisor = 1 : i64
// A product that may exceed its type keeps only the power of two.
// CHECK: arith.muli {{.*}} {test.divisor = 2147483648 : i64
// CHECK: arith.addi {{.*}} {test.divisor = 8 : i64
func.func @divisors(%x: i32, %condition: i1) {
  %c12 = arith.constant 12 : i32
  %c8 = arith.constant 8 : i32
  %c1 = arith.constant 1 : i32
  %large = arith.constant 1610612736 : i32
  %0 = arith.muli %x, %c12 : i32
  %1 = arith.addi %0, %c8 : i32
  %2 = arith.select %condition, %1, %c12 : i32
  %3 = arith.addi %2, %c1 : i32
  %4 = arith.muli %0, %large : i32
  %first = arith.constant 16 : index
  %last = arith.constant 64 : index
  %step = arith.constant 8 : index
  scf.for %i = %first to %last step %step {
    %5 = arith.addi %i, %step : index
  }
  return
}
