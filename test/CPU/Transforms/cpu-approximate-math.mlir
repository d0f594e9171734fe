// RUN: gridir-opt %s --cpu-approximate-math | FileCheck %s

// Declarations of the C library come first.
// CHECK-DAG: func.func private @expm1(f64) -> f64
// CHECK-DAG: func.func private @tanf(f32) -> f32

// A polynomial, not a call, and whole vectors.
// CHECK-LABEL: func.func @polynomials
// CHECK-NOT:     call
// CHECK-NOT:     math.exp{{ }}
// CHECK-NOT:     math.exp2
// CHECK:         math.fma {{.*}} : vector<8xf32>
// CHECK:         return
func.func @polynomials(%x: vector<8xf32>) -> (vector<8xf32>, vector<8xf32>) {
  %0 = math.exp %x : vector<8xf32>
  %1 = math.exp2 %x : vector<8xf32>
  return %0, %1 : vector<8xf32>, vector<8xf32>
}

// Half precision is computed in f32 and rounded once.
// CHECK-LABEL: func.func @half
// CHECK:         arith.extf {{.*}} : f16 to f32
// CHECK-NOT:     math.exp
// CHECK:         arith.truncf {{.*}} : f32 to f16
func.func @half(%x: f16) -> f16 {
  %0 = math.exp %x : f16
  return %0 : f16
}

// exp(x) - 1 would lose every digit near 0.
// CHECK-LABEL: func.func @accurate
// CHECK:         call @expm1
// CHECK-NOT:     math.expm1
// CHECK:         call @tanf
// CHECK:         call @tanf
// CHECK-NOT:     math.tan
func.func @accurate(%x: f64, %y: vector<2xf32>) -> (f64, vector<2xf32>) {
  %0 = math.expm1 %x : f64
  %1 = math.tan %y : vector<2xf32>
  return %0, %1 : f64, vector<2xf32>
}

// Instructions stay.
// CHECK-LABEL: func.func @instructions
// CHECK:         math.sqrt
// CHECK:         math.rsqrt
// CHECK:         math.floor
func.func @instructions(%x: vector<8xf32>) -> vector<8xf32> {
  %0 = math.sqrt %x : vector<8xf32>
  %1 = math.rsqrt %0 : vector<8xf32>
  %2 = math.floor %1 : vector<8xf32>
  return %2 : vector<8xf32>
}

// A power of an f64 stays, as only f32 has a polynomial.
// CHECK-LABEL: func.func @double_power
// CHECK-NEXT:    math.exp2
func.func @double_power(%x: f64) -> f64 {
  %0 = math.exp2 %x : f64
  return %0 : f64
}

// A power of two is that of the nearest integer and of what remains.
// CHECK-LABEL: func.func @power_of_two
// CHECK: %[[N:.+]] = math.roundeven %[[X:.+]] : f32
// CHECK: arith.subf %[[X]], %[[N]] : f32
func.func @power_of_two(%x: f32) -> f32 {
  %0 = math.exp2 %x : f32
  return %0 : f32
}

// Functions of others: no element is a call.
// CHECK-LABEL: func.func @hyperbolic
// CHECK-NOT:     call
// CHECK-NOT:     math.{{a?}}{{(sin|cos|tan)}}h
// CHECK:         return
func.func @hyperbolic(%x: vector<8xf32>) -> vector<8xf32> {
  %0 = math.sinh %x : vector<8xf32>
  %1 = math.cosh %0 : vector<8xf32>
  %2 = math.asinh %1 : vector<8xf32>
  %3 = math.acosh %2 : vector<8xf32>
  %4 = math.atanh %3 : vector<8xf32>
  return %4 : vector<8xf32>
}

// A quotient where the polynomial does not reach.
// CHECK-LABEL: func.func @arctangent
// CHECK:         %[[SIZE:.+]] = math.absf %[[X:.+]] : vector<8xf32>
// CHECK:         %[[INVERSE:.+]] = arith.divf %{{.+}}, %[[SIZE]]
// CHECK:         arith.select %{{.+}}, %[[INVERSE]], %[[SIZE]]
// CHECK-NOT:     arith.divf
// CHECK:         math.copysign %{{.+}}, %[[X]]
func.func @arctangent(%x: vector<8xf32>) -> vector<8xf32> {
  %0 = math.atan %x : vector<8xf32>
  return %0 : vector<8xf32>
}
