// RUN: gridir-opt %s --tpu-expand-arithmetic | FileCheck %s

// Narrow integers are summed in 32 bits, with their sign; a shift to the right of unsigned ones fills with zeros.

// CHECK-LABEL: func.func @narrow(
// CHECK: %[[X:.*]] = arith.extsi %{{.*}} : vector<32x128xi8> to vector<32x128xi32>
// CHECK: %[[Y:.*]] = arith.extsi %{{.*}} : vector<32x128xi8> to vector<32x128xi32>
// CHECK: %[[S:.*]] = arith.addi %[[X]], %[[Y]] : vector<32x128xi32>
// CHECK: arith.trunci %[[S]] : vector<32x128xi32> to vector<32x128xi8>
// CHECK: arith.extui %{{.*}} : vector<32x128xi8> to vector<32x128xi32>
// CHECK: arith.shrui %{{.*}} : vector<32x128xi32>
// CHECK: arith.maxsi %{{.*}} : vector<32x128xi32>
func.func @narrow(%a: vector<32x128xi8>, %b: vector<32x128xi8>) -> (vector<32x128xi8>, vector<32x128xi8>, vector<32x128xi8>) {
  %0 = arith.addi %a, %b : vector<32x128xi8>
  %1 = arith.shrui %a, %b : vector<32x128xi8>
  %2 = arith.maxsi %a, %b : vector<32x128xi8>
  return %0, %1, %2 : vector<32x128xi8>, vector<32x128xi8>, vector<32x128xi8>
}

// Numbers of 16 bits are summed as they are.

// CHECK-LABEL: func.func @half(
// CHECK: arith.addi %{{.*}} : vector<16x128xi16>
// CHECK: arith.shli %{{.*}} : vector<16x128xi32>
func.func @half(%a: vector<16x128xi16>) -> (vector<16x128xi16>, vector<16x128xi16>) {
  %0 = arith.addi %a, %a : vector<16x128xi16>
  %1 = arith.shli %a, %a : vector<16x128xi16>
  return %0, %1 : vector<16x128xi16>, vector<16x128xi16>
}

// CHECK-LABEL: func.func @functions(
// CHECK-NOT: arith.floordivsi
// CHECK-NOT: math.log2
// CHECK-NOT: math.expm1
// CHECK-NOT: math.fma
// CHECK: return
func.func @functions(%x: vector<8x128xf32>, %n: vector<8x128xi32>) -> (vector<8x128xi32>, vector<8x128xf32>, vector<8x128xf32>, vector<8x128xf32>) {
  %0 = arith.floordivsi %n, %n : vector<8x128xi32>
  %1 = math.log2 %x : vector<8x128xf32>
  %2 = math.expm1 %x : vector<8x128xf32>
  %3 = math.fma %x, %1, %2 : vector<8x128xf32>
  return %0, %1, %2, %3 : vector<8x128xi32>, vector<8x128xf32>, vector<8x128xf32>, vector<8x128xf32>
}

// Floats are compared in the ordered ways: a comparison that holds for NaN is the opposite of one that does not, and a
// choice by the opposite is the other choice.

// CHECK-LABEL: func.func @nan(
// CHECK: %[[EQUAL:.*]] = arith.cmpf oeq, %[[X:.*]], %[[X]] : vector<8x128xf32>
// CHECK: arith.select %[[EQUAL]], %[[X]], %{{.*}} : vector<8x128xi1>, vector<8x128xf32>
// CHECK: %[[LESS:.*]] = arith.cmpf olt
// CHECK: arith.xori %[[LESS]], %{{.*}} : i1
func.func @nan(%x: vector<8x128xf32>, %zero: vector<8x128xf32>, %a: f32) -> (vector<8x128xf32>, i1) {
  %0 = arith.cmpf uno, %x, %x : vector<8x128xf32>
  %1 = arith.select %0, %zero, %x : vector<8x128xi1>, vector<8x128xf32>
  %2 = arith.cmpf uge, %a, %a : f32
  return %1, %2 : vector<8x128xf32>, i1
}

// Bools are compared by logic, numbers of 8 bits and unsigned ones of 16 in 32.

// CHECK-LABEL: func.func @compare(
// CHECK: %[[DIFFER:.*]] = arith.xori %{{.*}}, %{{.*}} : vector<32x128xi1>
// CHECK: arith.xori %[[DIFFER]], %{{.*}} : vector<32x128xi1>
// CHECK: arith.cmpi sgt, %{{.*}}, %{{.*}} : vector<32x128xi32>
// CHECK: arith.extui
// CHECK: arith.cmpi ult, %{{.*}}, %{{.*}} : vector<32x128xi32>
func.func @compare(%a: vector<32x128xi1>, %b: vector<32x128xi8>, %c: vector<32x128xi16>)
    -> (vector<32x128xi1>, vector<32x128xi1>, vector<32x128xi1>) {
  %0 = arith.cmpi eq, %a, %a : vector<32x128xi1>
  %1 = arith.cmpi sgt, %b, %b : vector<32x128xi8>
  %2 = arith.cmpi ult, %c, %c : vector<32x128xi16>
  return %0, %1, %2 : vector<32x128xi1>, vector<32x128xi1>, vector<32x128xi1>
}

// The larger of a number and its negative is the magnitude. An extreme of 16 bits, or without a sign, is a choice.

// CHECK-LABEL: func.func @extremes(
// CHECK: math.absi %{{.*}} : vector<16x128xi16>
// CHECK: %[[MORE:.*]] = arith.cmpi sgt, %{{.*}}, %{{.*}} : vector<16x128xi16>
// CHECK: arith.select %[[MORE]]
// CHECK: arith.cmpi ult, %{{.*}}, %{{.*}} : vector<8x128xi32>
func.func @extremes(%a: vector<16x128xi16>, %b: vector<16x128xi16>, %c: vector<8x128xi32>)
    -> (vector<16x128xi16>, vector<16x128xi16>, vector<8x128xi32>) {
  %zero = arith.constant dense<0> : vector<16x128xi16>
  %negative = arith.subi %zero, %a : vector<16x128xi16>
  %0 = arith.maxsi %a, %negative : vector<16x128xi16>
  %1 = arith.maxsi %a, %b : vector<16x128xi16>
  %2 = arith.minui %c, %c : vector<8x128xi32>
  return %0, %1, %2 : vector<16x128xi16>, vector<16x128xi16>, vector<8x128xi32>
}

// A sign is taken from its bit; some functions of bf16 are those of f32; bits of narrow numbers are counted in 32.

// CHECK-LABEL: func.func @bits(
// CHECK-NOT: math.copysign
// CHECK: tpu.bitcast %{{.*}} : vector<8x128xf32> -> vector<8x128xi32>
// CHECK: arith.bitcast %{{.*}} : f32 to i32
// CHECK: math.roundeven %{{.*}} : vector<16x128xf32>
// CHECK: arith.remf %{{.*}} : vector<16x128xf32>
// CHECK: %[[ZEROS:.*]] = math.ctlz %{{.*}} : vector<32x128xi32>
// CHECK: arith.subi %[[ZEROS]], %{{.*}} : vector<32x128xi32>
// CHECK: arith.subi %{{.*}}, %{{.*}} : i32
func.func @bits(%x: vector<8x128xf32>, %a: f32, %y: vector<16x128xbf16>, %n: vector<32x128xi8>, %t: i1)
    -> (vector<8x128xf32>, f32, vector<16x128xbf16>, vector<16x128xbf16>, vector<32x128xi8>, i32) {
  %0 = math.copysign %x, %x : vector<8x128xf32>
  %1 = math.copysign %a, %a : f32
  %2 = math.roundeven %y : vector<16x128xbf16>
  %3 = arith.remf %y, %y : vector<16x128xbf16>
  %4 = math.ctlz %n : vector<32x128xi8>
  %5 = arith.extsi %t : i1 to i32
  return %0, %1, %2, %3, %4, %5 : vector<8x128xf32>, f32, vector<16x128xbf16>, vector<16x128xbf16>, vector<32x128xi8>, i32
}
