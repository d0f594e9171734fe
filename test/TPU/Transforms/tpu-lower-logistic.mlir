// RUN: gridir-opt %s --tpu-lower-logistic --canonicalize | FileCheck %s
// RUN: gridir-opt %s --tpu-lower-logistic=use-unit=true --canonicalize | FileCheck %s --check-prefix=UNIT

// CHECK-LABEL: func.func @logistic(
// CHECK-SAME: %[[X:.*]]: vector<8x128xf32>)
// CHECK: %[[HALF:.*]] = arith.constant dense<5.000000e-01> : vector<8x128xf32>
// CHECK: %[[H:.*]] = arith.mulf %[[X]], %[[HALF]]
// CHECK: %[[T:.*]] = math.tanh %[[H]]
// CHECK: %[[U:.*]] = arith.mulf %[[T]], %[[HALF]]
// CHECK: %[[Y:.*]] = arith.addf %[[U]], %[[HALF]]
// CHECK-NOT: arith.divf
// CHECK: return %[[Y]]

// UNIT-LABEL: func.func @logistic(
// UNIT-SAME: %[[X:.*]]: vector<8x128xf32>)
// UNIT-NEXT: %[[Y:.*]] = tpu.logistic %[[X]] : vector<8x128xf32> -> vector<8x128xf32>
// UNIT-NEXT: return %[[Y]]
func.func @logistic(%x: vector<8x128xf32>) -> vector<8x128xf32> {
  %n = arith.negf %x : vector<8x128xf32>
  %e = math.exp %n : vector<8x128xf32>
  %one = arith.constant dense<1.0> : vector<8x128xf32>
  %s = arith.addf %one, %e : vector<8x128xf32>
  %y = arith.divf %one, %s : vector<8x128xf32>
  return %y : vector<8x128xf32>
}

// Another quotient stays a division.

// CHECK-LABEL: func.func @other(
// CHECK: arith.divf
// UNIT-LABEL: func.func @other(
// UNIT: arith.divf
func.func @other(%x: vector<8x128xf32>) -> vector<8x128xf32> {
  %e = math.exp %x : vector<8x128xf32>
  %one = arith.constant dense<1.0> : vector<8x128xf32>
  %s = arith.addf %one, %e : vector<8x128xf32>
  %y = arith.divf %one, %s : vector<8x128xf32>
  return %y : vector<8x128xf32>
}

// The 1 may be on the right of the sum, and the negative a difference from 0.

// CHECK-LABEL: func.func @swapped(
// CHECK-SAME: %[[X:.*]]: vector<8x128xf32>)
// CHECK: %[[H:.*]] = arith.mulf %[[X]],
// CHECK: math.tanh %[[H]]
// CHECK-NOT: arith.divf
// CHECK: return
func.func @swapped(%x: vector<8x128xf32>) -> vector<8x128xf32> {
  %zero = arith.constant dense<0.0> : vector<8x128xf32>
  %n = arith.subf %zero, %x : vector<8x128xf32>
  %e = math.exp %n : vector<8x128xf32>
  %one = arith.constant dense<1.0> : vector<8x128xf32>
  %s = arith.addf %e, %one : vector<8x128xf32>
  %y = arith.divf %one, %s : vector<8x128xf32>
  return %y : vector<8x128xf32>
}

// A difference to another number is no negative, a quotient of another number no logistic function; a scalar keeps the
// division.

// CHECK-LABEL: func.func @difference(
// CHECK-NOT: math.tanh
// CHECK: return
func.func @difference(%x: vector<8x128xf32>, %z: vector<8x128xf32>) -> vector<8x128xf32> {
  %n = arith.subf %z, %x : vector<8x128xf32>
  %e = math.exp %n : vector<8x128xf32>
  %one = arith.constant dense<1.0> : vector<8x128xf32>
  %s = arith.addf %e, %one : vector<8x128xf32>
  %y = arith.divf %one, %s : vector<8x128xf32>
  return %y : vector<8x128xf32>
}

// CHECK-LABEL: func.func @numerator(
// CHECK-NOT: math.tanh
// CHECK: return
func.func @numerator(%x: vector<8x128xf32>, %k: vector<8x128xf32>) -> vector<8x128xf32> {
  %n = arith.negf %x : vector<8x128xf32>
  %e = math.exp %n : vector<8x128xf32>
  %one = arith.constant dense<1.0> : vector<8x128xf32>
  %s = arith.addf %one, %e : vector<8x128xf32>
  %y = arith.divf %k, %s : vector<8x128xf32>
  return %y : vector<8x128xf32>
}

// CHECK-LABEL: func.func @scalar(
// CHECK-NOT: math.tanh
// CHECK: return
// UNIT-LABEL: func.func @scalar(
// UNIT: arith.divf
func.func @scalar(%x: f32) -> f32 {
  %n = arith.negf %x : f32
  %e = math.exp %n : f32
  %one = arith.constant 1.0 : f32
  %s = arith.addf %one, %e : f32
  %y = arith.divf %one, %s : f32
  return %y : f32
}

// The unit computes f32 and bf16, of a TensorCore.

// UNIT-LABEL: func.func @bf16(
// UNIT: tpu.logistic
func.func @bf16(%x: vector<16x128xbf16>) -> vector<16x128xbf16> attributes {tpu.core_type = #tpu.core_type<tc>} {
  %n = arith.negf %x : vector<16x128xbf16>
  %e = math.exp %n : vector<16x128xbf16>
  %one = arith.constant dense<1.0> : vector<16x128xbf16>
  %s = arith.addf %one, %e : vector<16x128xbf16>
  %y = arith.divf %one, %s : vector<16x128xbf16>
  return %y : vector<16x128xbf16>
}

// UNIT-LABEL: func.func @f16(
// UNIT: math.tanh
func.func @f16(%x: vector<16x128xf16>) -> vector<16x128xf16> {
  %n = arith.negf %x : vector<16x128xf16>
  %e = math.exp %n : vector<16x128xf16>
  %one = arith.constant dense<1.0> : vector<16x128xf16>
  %s = arith.addf %one, %e : vector<16x128xf16>
  %y = arith.divf %one, %s : vector<16x128xf16>
  return %y : vector<16x128xf16>
}

// UNIT-LABEL: func.func @sparse_core(
// UNIT: math.tanh
func.func @sparse_core(%x: vector<16xf32>) -> vector<16xf32>
    attributes {tpu.core_type = #tpu.core_type<sc_vector_subcore>} {
  %n = arith.negf %x : vector<16xf32>
  %e = math.exp %n : vector<16xf32>
  %one = arith.constant dense<1.0> : vector<16xf32>
  %s = arith.addf %one, %e : vector<16xf32>
  %y = arith.divf %one, %s : vector<16xf32>
  return %y : vector<16xf32>
}
