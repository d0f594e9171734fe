// RUN: gridir-opt %s --cpu-approximate-math | FileCheck %s

// Nine functions of f32 are polynomials; upstream's would lose digits of the others.
// CHECK-LABEL: func.func @polynomials
// CHECK-NOT:     {{math\.(exp|log|log2|log1p|expm1|tanh|erf|erfc|atan) }}
// CHECK-NOT:     call
// CHECK:         return
func.func @polynomials(%x: f32) -> (f32, f32, f32, f32, f32, f32, f32, f32, f32) {
  %0 = math.exp %x : f32
  %1 = math.log %x : f32
  %2 = math.log2 %x : f32
  %3 = math.log1p %x : f32
  %4 = math.expm1 %x : f32
  %5 = math.tanh %x : f32
  %6 = math.erf %x : f32
  %7 = math.erfc %x : f32
  %8 = math.atan %x : f32
  return %0, %1, %2, %3, %4, %5, %6, %7, %8 : f32, f32, f32, f32, f32, f32, f32, f32, f32
}

// CHECK-LABEL: func.func @functions
// CHECK:         call @tanf
// CHECK:         call @cbrtf
func.func @functions(%x: f32) -> (f32, f32) {
  %0 = math.tan %x : f32
  %1 = math.cbrt %x : f32
  return %0, %1 : f32, f32
}
