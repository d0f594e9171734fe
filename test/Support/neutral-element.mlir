// RUN: gridir-opt %s --test-support | FileCheck %s

// A format without infinities, and an index, whose width is unknown, have no extremes.
// CHECK-LABEL: func.func @combiners(
// CHECK: arith.addf {{.*}} {test.neutral = 0.000000e+00 : f32}
// CHECK: arith.maximumf {{.*}} {test.neutral = 0xFF800000 : f32}
// CHECK: arith.maximumf %{{.*}}, %{{.*}} : f8E4M3FN
// CHECK: arith.minsi {{.*}} test.neutral = 2147483647 : i32
// CHECK: arith.addi {{.*}} test.neutral = 0 : index
// CHECK: arith.maxsi %{{.*}}, %{{.*}} {test.divisor = 1 : i64, test.range
func.func @combiners(%x: f32, %y: f8E4M3FN, %i: i32, %j: index) {
  %0 = arith.addf %x, %x : f32
  %1 = arith.maximumf %x, %x : f32
  %2 = arith.maximumf %y, %y : f8E4M3FN
  %3 = arith.minsi %i, %i : i32
  %4 = arith.addi %j, %j : index
  %5 = arith.maxsi %j, %j : index
  return
}
