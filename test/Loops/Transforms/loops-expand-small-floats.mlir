// RUN: gridir-opt %s --loops-expand-small-floats | FileCheck %s
// RUN: gridir-opt %s --loops-expand-small-floats --canonicalize | FileCheck %s --check-prefix=FOLD

// A number below the least exponent is counted, any other gets the bias of f32; what lies beyond the largest is
// infinity or NaN.
// CHECK-LABEL: func.func @widen
// CHECK-SAME:    %[[X:.*]]: f8E5M2
// CHECK:         %[[BITS:.*]] = arith.bitcast %[[X]] : f8E5M2 to i8
// CHECK:         arith.extui %[[BITS]] : i8 to i32
// CHECK:         arith.sitofp
// CHECK:         arith.mulf
// CHECK:         %[[Y:.*]] = arith.bitcast %{{.*}} : i32 to f32
// CHECK:         return %[[Y]] : f32
func.func @widen(%x: f8E5M2) -> f32 {
  %y = arith.extf %x : f8E5M2 to f32
  return %y : f32
}

// Another wide type goes through f32, which holds every small number.
// CHECK-LABEL: func.func @widen_to_half
// CHECK:         arith.truncf %{{.*}} : vector<4xf32> to vector<4xf16>
func.func @widen_to_half(%x: vector<4xf8E4M3FN>) -> vector<4xf16> {
  %y = arith.extf %x : vector<4xf8E4M3FN> to vector<4xf16>
  return %y : vector<4xf16>
}

// CHECK-LABEL: func.func @round
// CHECK-SAME:    %[[X:.*]]: vector<16xf32>
// CHECK:         arith.bitcast %[[X]] : vector<16xf32> to vector<16xi32>
// CHECK:         %[[BYTE:.*]] = arith.trunci %{{.*}} : vector<16xi32> to vector<16xi8>
// CHECK:         arith.bitcast %[[BYTE]] : vector<16xi8> to vector<16xf8E4M3FN>
func.func @round(%x: vector<16xf32>) -> vector<16xf8E4M3FN> {
  %y = arith.truncf %x : vector<16xf32> to vector<16xf8E4M3FN>
  return %y : vector<16xf8E4M3FN>
}

// f64 is rounded once, not by way of f32.
// CHECK-LABEL: func.func @round_double
// CHECK-NOT:     arith.truncf
// CHECK:         arith.trunci %{{.*}} : i64 to i8
func.func @round_double(%x: f64) -> f8E5M2 {
  %y = arith.truncf %x : f64 to f8E5M2
  return %y : f8E5M2
}

// Four bits, without infinity and NaN: 7.0 becomes the largest number, 6.0.
// FOLD-LABEL: func.func @four_bits
// FOLD:         %[[SIX:.*]] = arith.constant 6.000000e+00 : f4E2M1FN
// FOLD:         return %[[SIX]]
func.func @four_bits() -> f4E2M1FN {
  %x = arith.constant 7.0 : f32
  %y = arith.truncf %x : f32 to f4E2M1FN
  return %y : f4E2M1FN
}

// The nearest power of two is the exponent after rounding.
// CHECK-LABEL: func.func @round_to_power
// CHECK:         %[[BITS:.*]] = arith.bitcast %{{.*}} : f32 to i32
// CHECK:         %[[UP:.*]] = arith.addi %[[BITS]], %{{.*}} : i32
// CHECK:         arith.shrui %[[UP]], %{{.*}} : i32
// CHECK:         arith.trunci %{{.*}} : i32 to i8
func.func @round_to_power(%x: f32) -> f8E8M0FNU {
  %y = arith.truncf %x : f32 to f8E8M0FNU
  return %y : f8E8M0FNU
}

// Formats without a mantissa are widened by another expansion.
// CHECK-LABEL: func.func @powers_of_two
// CHECK:         arith.extf %{{.*}} : f8E8M0FNU to f32
func.func @powers_of_two(%x: f8E8M0FNU) -> f32 {
  %y = arith.extf %x : f8E8M0FNU to f32
  return %y : f32
}

// Each result is rounded, also where it is widened again at once.
// FOLD-LABEL: func.func @round_every_result
// FOLD:         arith.mulf %{{.*}} : f32
// FOLD:         %[[R:.*]] = arith.truncf %{{.*}} : f32 to bf16
// FOLD:         %[[W:.*]] = arith.extf %[[R]] : bf16 to f32
// FOLD:         arith.addf %[[W]], %{{.*}} : f32
// FOLD:         arith.truncf
func.func @round_every_result(%x: bf16) -> bf16 {
  %y = arith.mulf %x, %x : bf16
  %z = arith.addf %y, %x : bf16
  return %z : bf16
}

// A conversion that is not from a small float, not to a small float, and not to powers of two is left alone.
// CHECK-LABEL: func.func @large
// CHECK:         arith.extf %{{.*}} : f16 to f32
// CHECK:         arith.truncf %{{.*}} : f32 to bf16
func.func @large(%x: f16) -> bf16 {
  %0 = arith.extf %x : f16 to f32
  %1 = arith.truncf %0 : f32 to bf16
  return %1 : bf16
}

// From 16 bits, too, by way of 32.
// CHECK-LABEL: func.func @round_half
// CHECK-SAME:    %[[X:.*]]: vector<4xf16>
// CHECK:         %[[WIDE:.*]] = arith.extf %[[X]] : vector<4xf16> to vector<4xf32>
// CHECK:         arith.bitcast %[[WIDE]] : vector<4xf32> to vector<4xi32>
// CHECK:         arith.trunci %{{.*}} : vector<4xi32> to vector<4xi8>
func.func @round_half(%x: vector<4xf16>) -> vector<4xf8E5M2> {
  %y = arith.truncf %x : vector<4xf16> to vector<4xf8E5M2>
  return %y : vector<4xf8E5M2>
}

// Arrays are not for this pass.
// CHECK-LABEL: func.func @array
// CHECK: arith.extf %{{.*}} : tensor<?xf8E5M2> to tensor<?xf32>
func.func @array(%x: tensor<?xf8E5M2>) -> tensor<?xf32> {
  %0 = arith.extf %x : tensor<?xf8E5M2> to tensor<?xf32>
  return %0 : tensor<?xf32>
}

// CHECK-LABEL: func.func @array_of_powers
// CHECK: arith.truncf %{{.*}} : tensor<?xf32> to tensor<?xf8E8M0FNU>
func.func @array_of_powers(%x: tensor<?xf32>) -> tensor<?xf8E8M0FNU> {
  %0 = arith.truncf %x : tensor<?xf32> to tensor<?xf8E8M0FNU>
  return %0 : tensor<?xf8E8M0FNU>
}

// The bits of wider formats lie elsewhere: no match, "not from f32, f64 or less".
// CHECK-LABEL: func.func @wide
// CHECK: arith.truncf %{{.*}} : f80 to f8E5M2
func.func @wide(%x: f80) -> f8E5M2 {
  %0 = arith.truncf %x : f80 to f8E5M2
  return %0 : f8E5M2
}
