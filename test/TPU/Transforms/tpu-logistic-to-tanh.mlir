// RUN: gridir-opt %s --tpu-logistic-to-tanh --canonicalize | FileCheck %s

// CHECK-LABEL: func.func @logistic(
// CHECK-SAME: %[[X:.*]]: vector<8x128xf32>)
// CHECK: %[[HALF:.*]] = arith.constant dense<5.000000e-01> : vector<8x128xf32>
// CHECK: %[[H:.*]] = arith.mulf %[[X]], %[[HALF]]
// CHECK: %[[T:.*]] = math.tanh %[[H]]
// CHECK: %[[U:.*]] = arith.mulf %[[T]], %[[HALF]]
// CHECK: %[[Y:.*]] = arith.addf %[[U]], %[[HALF]]
// CHECK-NOT: arith.divf
// CHECK: return %[[Y]]
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
func.func @other(%x: vector<8x128xf32>) -> vector<8x128xf32> {
  %e = math.exp %x : vector<8x128xf32>
  %one = arith.constant dense<1.0> : vector<8x128xf32>
  %s = arith.addf %one, %e : vector<8x128xf32>
  %y = arith.divf %one, %s : vector<8x128xf32>
  return %y : vector<8x128xf32>
}
