// RUN: gridir-opt %s --tpu-expand-math | FileCheck %s
// RUN: gridir-opt %s --tpu-expand-math --mlir-pass-statistics --mlir-pass-statistics-display=list -o /dev/null 2>&1 \
// RUN:   | FileCheck %s --check-prefix=STATISTICS

// STATISTICS: 12 num-expanded

// Angles are those of a triangle with the hypotenuse 1.

// CHECK-LABEL: func.func @angles(
// CHECK-SAME: %[[X:.*]]: vector<8x128xf32>)
// CHECK: %[[SQUARE:.*]] = arith.mulf
// CHECK: %[[LEG:.*]] = math.sqrt %[[SQUARE]]
// CHECK: %[[ASIN:.*]] = math.atan2 %[[X]], %[[LEG]] : vector<8x128xf32>
// CHECK: %[[OTHER:.*]] = math.sqrt
// CHECK: %[[ACOS:.*]] = math.atan2 %[[OTHER]], %[[X]] : vector<8x128xf32>
// CHECK: %[[ONE:.*]] = arith.constant dense<1.0{{.*}}> : vector<8x128xf32>
// CHECK: %[[ATAN:.*]] = math.atan2 %[[X]], %[[ONE]] : vector<8x128xf32>
// CHECK: return %[[ASIN]], %[[ACOS]], %[[ATAN]]
func.func @angles(%x: vector<8x128xf32>) -> (vector<8x128xf32>, vector<8x128xf32>, vector<8x128xf32>) {
  %0 = math.asin %x : vector<8x128xf32>
  %1 = math.acos %x : vector<8x128xf32>
  %2 = math.atan %x : vector<8x128xf32>
  return %0, %1, %2 : vector<8x128xf32>, vector<8x128xf32>, vector<8x128xf32>
}

// CHECK-LABEL: func.func @hyperbolic(
// CHECK: math.expm1
// CHECK-NOT: math.{{a?}}sinh
// CHECK-NOT: math.{{a?}}cosh
// CHECK-NOT: math.atanh
// CHECK: return
func.func @hyperbolic(%x: vector<8x128xf32>) -> (vector<8x128xf32>, vector<8x128xf32>, vector<8x128xf32>, vector<8x128xf32>, vector<8x128xf32>) {
  %0 = math.sinh %x : vector<8x128xf32>
  %1 = math.cosh %x : vector<8x128xf32>
  %2 = math.asinh %x : vector<8x128xf32>
  %3 = math.acosh %x : vector<8x128xf32>
  %4 = math.atanh %x : vector<8x128xf32>
  return %0, %1, %2, %3, %4 : vector<8x128xf32>, vector<8x128xf32>, vector<8x128xf32>, vector<8x128xf32>, vector<8x128xf32>
}

// CHECK-LABEL: func.func @special(
// CHECK: math.log
// CHECK: math.exp
// CHECK: math.erf %{{.*}} : vector<8x128xf32>
// CHECK-NOT: math.cbrt
// CHECK-NOT: math.erfc
// CHECK: return
func.func @special(%x: vector<8x128xf32>) -> (vector<8x128xf32>, vector<8x128xf32>) {
  %0 = math.cbrt %x : vector<8x128xf32>
  %1 = math.erfc %x : vector<8x128xf32>
  return %0, %1 : vector<8x128xf32>, vector<8x128xf32>
}

// Narrow floats are computed as f32, and numbers as vectors are.

// CHECK-LABEL: func.func @types(
// CHECK: %[[WIDE:.*]] = arith.extf %{{.*}} : vector<16x128xbf16> to vector<16x128xf32>
// CHECK: %[[Y:.*]] = math.atan2 %[[WIDE]]
// CHECK: arith.truncf %[[Y]] : vector<16x128xf32> to vector<16x128xbf16>
// CHECK: math.exp %{{.*}} : f32
func.func @types(%x: vector<16x128xbf16>, %a: f32) -> (vector<16x128xbf16>, f32) {
  %0 = math.atan %x : vector<16x128xbf16>
  %1 = math.cosh %a : f32
  return %0, %1 : vector<16x128xbf16>, f32
}

// Functions of Mosaic are kept, and so is f64, which no TPU has.

// CHECK-LABEL: func.func @stays(
// CHECK-NEXT: math.exp
// CHECK-NEXT: math.sinh
// CHECK-NEXT: return
func.func @stays(%x: vector<8x128xf32>, %a: f64) -> (vector<8x128xf32>, f64) {
  %0 = math.exp %x : vector<8x128xf32>
  %1 = math.sinh %a : f64
  return %0, %1 : vector<8x128xf32>, f64
}
