// RUN: gridir-opt %s --gpu-expand-math | FileCheck %s

// A function of f64 is arithmetic and instructions.
// CHECK-LABEL: func.func @root
// CHECK-SAME: (%[[X:.+]]: f64)
// CHECK: %[[SIZE:.+]] = math.absf %[[X]]
// CHECK: arith.bitcast
// CHECK: arith.divui
// CHECK-NOT: math.cbrt
func.func @root(%x: f64) -> f64 {
  %y = math.cbrt %x : f64
  return %y : f64
}

// One of f32 is computed in f64, and rounded once.
// CHECK-LABEL: func.func @narrow
// CHECK: arith.extf {{.*}} : f32 to f64
// CHECK-NOT: math.asin
// CHECK: %[[Y:.+]] = arith.truncf {{.*}} : f64 to f32
// CHECK: return %[[Y]]
func.func @narrow(%x: f32) -> f32 {
  %y = math.asin %x : f32
  return %y : f32
}

// Large angles need more bits of 2 / pi: four words of those that a table has.
// CHECK-LABEL: func.func @angle
// CHECK: scf.if
// CHECK: scf.index_switch
// CHECK: arith.mului_extended
func.func @angle(%x: f64) -> f64 {
  %y = math.sin %x : f64
  return %y : f64
}

// These have polynomials of f32, which another pass uses.
// CHECK-LABEL: func.func @left
// CHECK: math.exp
// CHECK: math.erf
func.func @left(%x: f32) -> f32 {
  %y = math.exp %x : f32
  %z = math.erf %y : f32
  return %z : f32
}

// A remainder is division on paper, 40 binary digits of f32 at once.
// CHECK-LABEL: func.func @remainder
// CHECK: scf.while
// CHECK: arith.constant 40 : i64
// CHECK: arith.remui
// CHECK-NOT: arith.remf
func.func @remainder(%x: f32, %y: f32) -> f32 {
  %z = arith.remf %x, %y : f32
  return %z : f32
}

// That of narrow floats is exact in f32.
// CHECK-LABEL: func.func @narrow_remainder
// CHECK: arith.extf {{.*}} : bf16 to f32
// CHECK: arith.truncf {{.*}} : f32 to bf16
func.func @narrow_remainder(%x: bf16, %y: bf16) -> bf16 {
  %z = arith.remf %x, %y : bf16
  return %z : bf16
}

// A vector, or a function of f32 that is an instruction, has no expansion for this type.
// CHECK-LABEL: func.func @other_types
// CHECK: math.exp %{{.*}} : f32
// CHECK: arith.remf %{{.*}} : vector<4xf32>
// CHECK: return
func.func @other_types(%x: f32, %y: vector<4xf32>) -> (f32, vector<4xf32>) {
  %0 = math.exp %x : f32
  %1 = arith.remf %y, %y : vector<4xf32>
  return %0, %1 : f32, vector<4xf32>
}
