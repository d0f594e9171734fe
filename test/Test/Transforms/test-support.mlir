// RUN: gridir-opt %s --test-support | FileCheck %s

// The pass of test/Support: facts about one op, by the names of the sources in dialects/Support.

// CHECK-LABEL: func.func @twice(
// CHECK: arith.muli {{.*}} {test.divisor = 2 : i64, test.neutral = 1 : i32, test.range = array<i64: -256, 254>}
func.func @twice(%x: i8) -> i32 {
  %c2 = arith.constant 2 : i32
  %y = arith.extsi %x : i8 to i32
  %z = arith.muli %y, %c2 : i32
  return %z : i32
}
