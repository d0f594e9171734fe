// RUN: gridir-opt %s --tpu-expand-arithmetic | FileCheck %s

// Narrow integers are summed in 32 bits, with their sign; a shift to the right of unsigned ones fills with zeros.

// CHECK-LABEL: func.func @narrow(
// CHECK: %[[X:.*]] = arith.extsi %{{.*}} : vector<32x128xi8> to vector<32x128xi32>
// CHECK: %[[Y:.*]] = arith.extsi %{{.*}} : vector<32x128xi8> to vector<32x128xi32>
// CHECK: %[[S:.*]] = arith.addi %[[X]], %[[Y]] : vector<32x128xi32>
// CHECK: arith.trunci %[[S]] : vector<32x128xi32> to vector<32x128xi8>
// CHECK: arith.extui %{{.*}} : vector<32x128xi8> to vector<32x128xi32>
// CHECK: arith.shrui %{{.*}} : vector<32x128xi32>
// CHECK: %[[D:.*]] = arith.subi %[[A:.*]], %[[B:.*]] : vector<32x128xi32>
// CHECK: %[[MORE:.*]] = arith.cmpi sgt, %[[D]], %{{.*}} : vector<32x128xi32>
// CHECK: arith.select %[[MORE]], %[[A]], %[[B]] : vector<32x128xi1>, vector<32x128xi32>
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

// Floats are compared in the ordered ways: a comparison that holds for NaN is the opposite of one that does not, but for
// what differs, which Mosaic calls `one`.

// CHECK-LABEL: func.func @nan(
// CHECK: %[[DIFFERS:.*]] = arith.cmpf one, %[[X:.*]], %[[X]] : vector<8x128xf32>
// CHECK: arith.select %[[DIFFERS]], %{{.*}}, %[[X]] : vector<8x128xi1>, vector<8x128xf32>
// CHECK: %[[LESS:.*]] = arith.cmpf olt
// CHECK: arith.xori %[[LESS]], %{{.*}} : i1
func.func @nan(%x: vector<8x128xf32>, %zero: vector<8x128xf32>, %a: f32) -> (vector<8x128xf32>, i1) {
  %0 = arith.cmpf uno, %x, %x : vector<8x128xf32>
  %1 = arith.select %0, %zero, %x : vector<8x128xi1>, vector<8x128xf32>
  %2 = arith.cmpf uge, %a, %a : f32
  return %1, %2 : vector<8x128xf32>, i1
}

// Bools are compared by logic, numbers of 8 bits in 32, and unsigned ones of 16 with their first bit flipped.

// CHECK-LABEL: func.func @compare(
// CHECK: %[[DIFFER:.*]] = arith.xori %{{.*}}, %{{.*}} : vector<32x128xi1>
// CHECK: arith.xori %[[DIFFER]], %{{.*}} : vector<32x128xi1>
// CHECK: arith.cmpi sgt, %{{.*}}, %{{.*}} : vector<32x128xi32>
// CHECK: %[[FLIPPED:.*]] = arith.xori %{{.*}}, %{{.*}} : vector<32x128xi16>
// CHECK: arith.cmpi slt, %[[FLIPPED]], %{{.*}} : vector<32x128xi16>
func.func @compare(%a: vector<32x128xi1>, %b: vector<32x128xi8>, %c: vector<32x128xi16>)
    -> (vector<32x128xi1>, vector<32x128xi1>, vector<32x128xi1>) {
  %0 = arith.cmpi eq, %a, %a : vector<32x128xi1>
  %1 = arith.cmpi sgt, %b, %b : vector<32x128xi8>
  %2 = arith.cmpi ult, %c, %c : vector<32x128xi16>
  return %0, %1, %2 : vector<32x128xi1>, vector<32x128xi1>, vector<32x128xi1>
}

// The larger of a number and its negative is the magnitude. An extreme of 16 bits, or without a sign, is a choice, by a
// condition that libtpu does not make an extreme of again.

// CHECK-LABEL: func.func @extremes(
// CHECK: math.absi %{{.*}} : vector<16x128xi16>
// CHECK: %[[A:.*]] = arith.extsi %{{.*}} : vector<16x128xi16> to vector<16x128xi32>
// CHECK: %[[B:.*]] = arith.extsi %{{.*}} : vector<16x128xi16> to vector<16x128xi32>
// CHECK: %[[D:.*]] = arith.subi %[[A]], %[[B]]
// CHECK: %[[MORE:.*]] = arith.cmpi sgt, %[[D]], %{{.*}} : vector<16x128xi32>
// CHECK: arith.select %[[MORE]], %[[A]], %[[B]]
// CHECK: arith.xori %[[ARG:.*]], %{{.*}} : vector<8x128xi32>
// CHECK: arith.cmpi slt, %{{.*}}, %{{.*}} : vector<8x128xi32>
// CHECK: arith.select %{{.*}}, %[[ARG]], %[[ARG]] : vector<8x128xi1>, vector<8x128xi32>
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

// Each predicate that holds for NaN is the opposite of the one that says the contrary of ordered numbers.

// CHECK-LABEL: func.func @une(
// CHECK-SAME: %[[X:[^:]*]]:{{.*}}%[[Y:[^:]*]]:
// CHECK: %[[CMPF:.*]] = arith.cmpf one, %[[X]], %[[Y]] : f32
// CHECK: return %[[CMPF]] : i1
func.func @une(%a: f32, %b: f32) -> i1 {
  %0 = arith.cmpf une, %a, %b : f32
  return %0 : i1
}
// CHECK-LABEL: func.func @ult(
// CHECK-SAME: %[[X:[^:]*]]:{{.*}}%[[Y:[^:]*]]:
// CHECK-DAG: %[[CMPF:.*]] = arith.cmpf oge, %[[X]], %[[Y]] : f32
// CHECK-DAG: %[[CONSTANT:.*]] = arith.constant true
// CHECK-DAG: %[[XORI:.*]] = arith.xori %[[CMPF]], %[[CONSTANT]] : i1
// CHECK: return %[[XORI]] : i1
func.func @ult(%a: f32, %b: f32) -> i1 {
  %0 = arith.cmpf ult, %a, %b : f32
  return %0 : i1
}
// CHECK-LABEL: func.func @ule(
// CHECK-SAME: %[[X:[^:]*]]:{{.*}}%[[Y:[^:]*]]:
// CHECK-DAG: %[[CMPF:.*]] = arith.cmpf ogt, %[[X]], %[[Y]] : f32
// CHECK-DAG: %[[CONSTANT:.*]] = arith.constant true
// CHECK-DAG: %[[XORI:.*]] = arith.xori %[[CMPF]], %[[CONSTANT]] : i1
// CHECK: return %[[XORI]] : i1
func.func @ule(%a: f32, %b: f32) -> i1 {
  %0 = arith.cmpf ule, %a, %b : f32
  return %0 : i1
}
// CHECK-LABEL: func.func @ugt(
// CHECK-SAME: %[[X:[^:]*]]:{{.*}}%[[Y:[^:]*]]:
// CHECK-DAG: %[[CMPF:.*]] = arith.cmpf ole, %[[X]], %[[Y]] : f32
// CHECK-DAG: %[[CONSTANT:.*]] = arith.constant true
// CHECK-DAG: %[[XORI:.*]] = arith.xori %[[CMPF]], %[[CONSTANT]] : i1
// CHECK: return %[[XORI]] : i1
func.func @ugt(%a: f32, %b: f32) -> i1 {
  %0 = arith.cmpf ugt, %a, %b : f32
  return %0 : i1
}
// CHECK-LABEL: func.func @one(
// CHECK-SAME: %[[X:[^:]*]]:{{.*}}%[[Y:[^:]*]]:
// CHECK-DAG: %[[CMPF:.*]] = arith.cmpf ogt, %[[X]], %[[Y]] : f32
// CHECK-DAG: %[[CMPF1:.*]] = arith.cmpf olt, %[[X]], %[[Y]] : f32
// CHECK-DAG: %[[ORI:.*]] = arith.ori %[[CMPF1]], %[[CMPF]] : i1
// CHECK: return %[[ORI]] : i1
func.func @one(%a: f32, %b: f32) -> i1 {
  %0 = arith.cmpf one, %a, %b : f32
  return %0 : i1
}
// CHECK-LABEL: func.func @ueq(
// CHECK-SAME: %[[X:[^:]*]]:{{.*}}%[[Y:[^:]*]]:
// CHECK-DAG: %[[CMPF:.*]] = arith.cmpf ogt, %[[X]], %[[Y]] : f32
// CHECK-DAG: %[[CMPF1:.*]] = arith.cmpf olt, %[[X]], %[[Y]] : f32
// CHECK-DAG: %[[ORI:.*]] = arith.ori %[[CMPF1]], %[[CMPF]] : i1
// CHECK-DAG: %[[CONSTANT:.*]] = arith.constant true
// CHECK-DAG: %[[XORI:.*]] = arith.xori %[[ORI]], %[[CONSTANT]] : i1
// CHECK: return %[[XORI]] : i1
func.func @ueq(%a: f32, %b: f32) -> i1 {
  %0 = arith.cmpf ueq, %a, %b : f32
  return %0 : i1
}
// CHECK-LABEL: func.func @ord(
// CHECK-SAME: %[[X:[^:]*]]:{{.*}}%[[Y:[^:]*]]:
// CHECK-DAG: %[[CMPF:.*]] = arith.cmpf oeq, %[[X]], %[[X]] : f32
// CHECK-DAG: %[[CMPF1:.*]] = arith.cmpf oeq, %[[Y]], %[[Y]] : f32
// CHECK-DAG: %[[ANDI:.*]] = arith.andi %[[CMPF]], %[[CMPF1]] : i1
// CHECK: return %[[ANDI]] : i1
func.func @ord(%a: f32, %b: f32) -> i1 {
  %0 = arith.cmpf ord, %a, %b : f32
  return %0 : i1
}
// CHECK-LABEL: func.func @uno(
// CHECK-SAME: %[[X:[^:]*]]:{{.*}}%[[Y:[^:]*]]:
// CHECK-DAG: %[[CMPF:.*]] = arith.cmpf one, %[[X]], %[[X]] : f32
// CHECK-DAG: %[[CMPF1:.*]] = arith.cmpf one, %[[Y]], %[[Y]] : f32
// CHECK-DAG: %[[ORI:.*]] = arith.ori %[[CMPF]], %[[CMPF1]] : i1
// CHECK: return %[[ORI]] : i1
func.func @uno(%a: f32, %b: f32) -> i1 {
  %0 = arith.cmpf uno, %a, %b : f32
  return %0 : i1
}

// The order of bools: true is more than false, and less where a bool has a sign.

// CHECK-LABEL: func.func @bool_ult(
// CHECK-SAME: %[[X:[^:]*]]:{{.*}}%[[Y:[^:]*]]:
// CHECK-DAG: %[[CONSTANT:.*]] = arith.constant dense<true> : vector<8x128xi1>
// CHECK-DAG: %[[XORI:.*]] = arith.xori %[[X]], %[[CONSTANT]] : vector<8x128xi1>
// CHECK-DAG: %[[ANDI:.*]] = arith.andi %[[XORI]], %[[Y]] : vector<8x128xi1>
// CHECK: return %[[ANDI]] : vector<8x128xi1>
func.func @bool_ult(%a: vector<8x128xi1>, %b: vector<8x128xi1>) -> vector<8x128xi1> {
  %0 = arith.cmpi ult, %a, %b : vector<8x128xi1>
  return %0 : vector<8x128xi1>
}
// CHECK-LABEL: func.func @bool_sgt(
// CHECK-SAME: %[[X:[^:]*]]:{{.*}}%[[Y:[^:]*]]:
// CHECK-DAG: %[[CONSTANT:.*]] = arith.constant dense<true> : vector<8x128xi1>
// CHECK-DAG: %[[XORI:.*]] = arith.xori %[[X]], %[[CONSTANT]] : vector<8x128xi1>
// CHECK-DAG: %[[ANDI:.*]] = arith.andi %[[XORI]], %[[Y]] : vector<8x128xi1>
// CHECK: return %[[ANDI]] : vector<8x128xi1>
func.func @bool_sgt(%a: vector<8x128xi1>, %b: vector<8x128xi1>) -> vector<8x128xi1> {
  %0 = arith.cmpi sgt, %a, %b : vector<8x128xi1>
  return %0 : vector<8x128xi1>
}
// CHECK-LABEL: func.func @bool_ugt(
// CHECK-SAME: %[[X:[^:]*]]:{{.*}}%[[Y:[^:]*]]:
// CHECK-DAG: %[[CONSTANT:.*]] = arith.constant dense<true> : vector<8x128xi1>
// CHECK-DAG: %[[XORI:.*]] = arith.xori %[[Y]], %[[CONSTANT]] : vector<8x128xi1>
// CHECK-DAG: %[[ANDI:.*]] = arith.andi %[[X]], %[[XORI]] : vector<8x128xi1>
// CHECK: return %[[ANDI]] : vector<8x128xi1>
func.func @bool_ugt(%a: vector<8x128xi1>, %b: vector<8x128xi1>) -> vector<8x128xi1> {
  %0 = arith.cmpi ugt, %a, %b : vector<8x128xi1>
  return %0 : vector<8x128xi1>
}
// CHECK-LABEL: func.func @bool_slt(
// CHECK-SAME: %[[X:[^:]*]]:{{.*}}%[[Y:[^:]*]]:
// CHECK-DAG: %[[CONSTANT:.*]] = arith.constant dense<true> : vector<8x128xi1>
// CHECK-DAG: %[[XORI:.*]] = arith.xori %[[Y]], %[[CONSTANT]] : vector<8x128xi1>
// CHECK-DAG: %[[ANDI:.*]] = arith.andi %[[X]], %[[XORI]] : vector<8x128xi1>
// CHECK: return %[[ANDI]] : vector<8x128xi1>
func.func @bool_slt(%a: vector<8x128xi1>, %b: vector<8x128xi1>) -> vector<8x128xi1> {
  %0 = arith.cmpi slt, %a, %b : vector<8x128xi1>
  return %0 : vector<8x128xi1>
}
// CHECK-LABEL: func.func @bool_uge(
// CHECK-SAME: %[[X:[^:]*]]:{{.*}}%[[Y:[^:]*]]:
// CHECK-DAG: %[[CONSTANT:.*]] = arith.constant dense<true> : vector<8x128xi1>
// CHECK-DAG: %[[XORI:.*]] = arith.xori %[[X]], %[[CONSTANT]] : vector<8x128xi1>
// CHECK-DAG: %[[ANDI:.*]] = arith.andi %[[XORI]], %[[Y]] : vector<8x128xi1>
// CHECK-DAG: %[[CONSTANT1:.*]] = arith.constant dense<true> : vector<8x128xi1>
// CHECK-DAG: %[[XORI1:.*]] = arith.xori %[[ANDI]], %[[CONSTANT1]] : vector<8x128xi1>
// CHECK: return %[[XORI1]] : vector<8x128xi1>
func.func @bool_uge(%a: vector<8x128xi1>, %b: vector<8x128xi1>) -> vector<8x128xi1> {
  %0 = arith.cmpi uge, %a, %b : vector<8x128xi1>
  return %0 : vector<8x128xi1>
}
// CHECK-LABEL: func.func @bool_sle(
// CHECK-SAME: %[[X:[^:]*]]:{{.*}}%[[Y:[^:]*]]:
// CHECK-DAG: %[[CONSTANT:.*]] = arith.constant dense<true> : vector<8x128xi1>
// CHECK-DAG: %[[XORI:.*]] = arith.xori %[[X]], %[[CONSTANT]] : vector<8x128xi1>
// CHECK-DAG: %[[ANDI:.*]] = arith.andi %[[XORI]], %[[Y]] : vector<8x128xi1>
// CHECK-DAG: %[[CONSTANT1:.*]] = arith.constant dense<true> : vector<8x128xi1>
// CHECK-DAG: %[[XORI1:.*]] = arith.xori %[[ANDI]], %[[CONSTANT1]] : vector<8x128xi1>
// CHECK: return %[[XORI1]] : vector<8x128xi1>
func.func @bool_sle(%a: vector<8x128xi1>, %b: vector<8x128xi1>) -> vector<8x128xi1> {
  %0 = arith.cmpi sle, %a, %b : vector<8x128xi1>
  return %0 : vector<8x128xi1>
}
// CHECK-LABEL: func.func @bool_ule(
// CHECK-SAME: %[[X:[^:]*]]:{{.*}}%[[Y:[^:]*]]:
// CHECK-DAG: %[[CONSTANT:.*]] = arith.constant dense<true> : vector<8x128xi1>
// CHECK-DAG: %[[XORI:.*]] = arith.xori %[[Y]], %[[CONSTANT]] : vector<8x128xi1>
// CHECK-DAG: %[[ANDI:.*]] = arith.andi %[[X]], %[[XORI]] : vector<8x128xi1>
// CHECK-DAG: %[[CONSTANT1:.*]] = arith.constant dense<true> : vector<8x128xi1>
// CHECK-DAG: %[[XORI1:.*]] = arith.xori %[[ANDI]], %[[CONSTANT1]] : vector<8x128xi1>
// CHECK: return %[[XORI1]] : vector<8x128xi1>
func.func @bool_ule(%a: vector<8x128xi1>, %b: vector<8x128xi1>) -> vector<8x128xi1> {
  %0 = arith.cmpi ule, %a, %b : vector<8x128xi1>
  return %0 : vector<8x128xi1>
}
// CHECK-LABEL: func.func @bool_sge(
// CHECK-SAME: %[[X:[^:]*]]:{{.*}}%[[Y:[^:]*]]:
// CHECK-DAG: %[[CONSTANT:.*]] = arith.constant dense<true> : vector<8x128xi1>
// CHECK-DAG: %[[XORI:.*]] = arith.xori %[[Y]], %[[CONSTANT]] : vector<8x128xi1>
// CHECK-DAG: %[[ANDI:.*]] = arith.andi %[[X]], %[[XORI]] : vector<8x128xi1>
// CHECK-DAG: %[[CONSTANT1:.*]] = arith.constant dense<true> : vector<8x128xi1>
// CHECK-DAG: %[[XORI1:.*]] = arith.xori %[[ANDI]], %[[CONSTANT1]] : vector<8x128xi1>
// CHECK: return %[[XORI1]] : vector<8x128xi1>
func.func @bool_sge(%a: vector<8x128xi1>, %b: vector<8x128xi1>) -> vector<8x128xi1> {
  %0 = arith.cmpi sge, %a, %b : vector<8x128xi1>
  return %0 : vector<8x128xi1>
}
// CHECK-LABEL: func.func @bool_ne(
// CHECK-SAME: %[[X:[^:]*]]:{{.*}}%[[Y:[^:]*]]:
// CHECK-DAG: %[[XORI:.*]] = arith.xori %[[X]], %[[Y]] : vector<8x128xi1>
// CHECK: return %[[XORI]] : vector<8x128xi1>
func.func @bool_ne(%a: vector<8x128xi1>, %b: vector<8x128xi1>) -> vector<8x128xi1> {
  %0 = arith.cmpi ne, %a, %b : vector<8x128xi1>
  return %0 : vector<8x128xi1>
}

// A number of 4 bits is as narrow as one may be; fewer are bools, and scalars are computed as they are.

// CHECK-LABEL: func.func @four_bits(
// CHECK-SAME: %[[X:[^:]*]]:{{.*}}%[[Y:[^:]*]]:{{.*}}%[[Z:[^:]*]]:
// CHECK-DAG: %[[EXTSI:.*]] = arith.extsi %[[X]] : vector<64x128xi4> to vector<64x128xi32>
// CHECK-DAG: %[[EXTSI1:.*]] = arith.extsi %[[Y]] : vector<64x128xi4> to vector<64x128xi32>
// CHECK-DAG: %[[SUBI:.*]] = arith.subi %[[EXTSI]], %[[EXTSI1]] : vector<64x128xi32>
// CHECK-DAG: %[[TRUNCI:.*]] = arith.trunci %[[SUBI]] : vector<64x128xi32> to vector<64x128xi4>
// CHECK-DAG: %[[EXTUI:.*]] = arith.extui %[[Y]] : vector<64x128xi4> to vector<64x128xi32>
// CHECK-DAG: %[[EXTUI1:.*]] = arith.extui %[[X]] : vector<64x128xi4> to vector<64x128xi32>
// CHECK-DAG: %[[CMPI:.*]] = arith.cmpi ult, %[[EXTUI1]], %[[EXTUI]] : vector<64x128xi32>
// CHECK-DAG: %[[ADDI:.*]] = arith.addi %[[Z]], %[[Z]] : i8
// CHECK: return %[[TRUNCI]], %[[CMPI]], %[[ADDI]] : vector<64x128xi4>, vector<64x128xi1>, i8
func.func @four_bits(%a: vector<64x128xi4>, %b: vector<64x128xi4>, %c: i8) -> (vector<64x128xi4>, vector<64x128xi1>, i8) {
  %0 = arith.subi %a, %b : vector<64x128xi4>
  %1 = arith.cmpi ult, %a, %b : vector<64x128xi4>
  %2 = arith.addi %c, %c : i8
  return %0, %1, %2 : vector<64x128xi4>, vector<64x128xi1>, i8
}
// CHECK-LABEL: func.func @logic(
// CHECK-SAME: %[[X:[^:]*]]:{{.*}}%[[Y:[^:]*]]:{{.*}}%[[Z:[^:]*]]:
// CHECK-DAG: %[[ADDI:.*]] = arith.addi %[[X]], %[[X]] : vector<8x128xi1>
// CHECK-DAG: %[[CMPI:.*]] = arith.cmpi ne, %[[Y]], %[[Y]] : vector<32x128xi8>
// CHECK-DAG: %[[CMPI1:.*]] = arith.cmpi sle, %[[Z]], %[[Z]] : vector<16x128xi16>
// CHECK: return %[[ADDI]], %[[CMPI]], %[[CMPI1]] : vector<8x128xi1>, vector<32x128xi1>, vector<16x128xi1>
func.func @logic(%a: vector<8x128xi1>, %b: vector<32x128xi8>, %c: vector<16x128xi16>) -> (vector<8x128xi1>, vector<32x128xi1>, vector<16x128xi1>) {
  %0 = arith.addi %a, %a : vector<8x128xi1>
  %1 = arith.cmpi ne, %b, %b : vector<32x128xi8>
  %2 = arith.cmpi sle, %c, %c : vector<16x128xi16>
  return %0, %1, %2 : vector<8x128xi1>, vector<32x128xi1>, vector<16x128xi1>
}

// The least of two numbers of 16 bits, with a sign and without one, and the magnitude from either side.

// CHECK-LABEL: func.func @least(
// CHECK-SAME: %[[X:[^:]*]]:{{.*}}%[[Y:[^:]*]]:{{.*}}%[[Z:[^:]*]]:{{.*}}%[[W:[^:]*]]:
// CHECK: %[[S0:.*]] = arith.extsi %[[X]]
// CHECK: %[[S1:.*]] = arith.extsi %[[Y]]
// CHECK: %[[D0:.*]] = arith.subi %[[S0]], %[[S1]] : vector<16x128xi32>
// CHECK: %[[LESS:.*]] = arith.cmpi slt, %[[D0]], %{{.*}} : vector<16x128xi32>
// CHECK: %[[MIN:.*]] = arith.select %[[LESS]], %[[S0]], %[[S1]] : vector<16x128xi1>, vector<16x128xi32>
// CHECK: %[[R0:.*]] = arith.trunci %[[MIN]]
// CHECK: %[[U0:.*]] = arith.extui %[[X]]
// CHECK: %[[U1:.*]] = arith.extui %[[Y]]
// CHECK: %[[D1:.*]] = arith.subi %[[U0]], %[[U1]] : vector<16x128xi32>
// CHECK: arith.cmpi slt, %[[D1]], %{{.*}} : vector<16x128xi32>
// CHECK: %[[R1:.*]] = arith.trunci
// CHECK: %[[D2:.*]] = arith.subi
// CHECK: arith.cmpi sgt, %[[D2]], %{{.*}} : vector<16x128xi32>
// CHECK: %[[R2:.*]] = arith.trunci
// CHECK-DAG: %[[F0:.*]] = arith.xori %[[Z]], %{{.*}} : vector<8x128xi32>
// CHECK-DAG: %[[F1:.*]] = arith.xori %[[W]], %{{.*}} : vector<8x128xi32>
// CHECK: %[[FIRST:.*]] = arith.cmpi sgt, %[[F0]], %[[F1]] : vector<8x128xi32>
// CHECK: %[[R3:.*]] = arith.select %[[FIRST]], %[[Z]], %[[W]] : vector<8x128xi1>, vector<8x128xi32>
// CHECK: %[[R4:.*]] = arith.minsi %[[Z]], %[[W]] : vector<8x128xi32>
// CHECK: return %[[R0]], %[[R1]], %[[R2]], %[[R3]], %[[R4]] :
func.func @least(%a: vector<16x128xi16>, %b: vector<16x128xi16>, %c: vector<8x128xi32>, %d: vector<8x128xi32>)
    -> (vector<16x128xi16>, vector<16x128xi16>, vector<16x128xi16>, vector<8x128xi32>, vector<8x128xi32>) {
  %0 = arith.minsi %a, %b : vector<16x128xi16>
  %1 = arith.minui %a, %b : vector<16x128xi16>
  %2 = arith.maxui %a, %b : vector<16x128xi16>
  %3 = arith.maxui %c, %d : vector<8x128xi32>
  %4 = arith.minsi %c, %d : vector<8x128xi32>
  return %0, %1, %2, %3, %4 : vector<16x128xi16>, vector<16x128xi16>, vector<16x128xi16>, vector<8x128xi32>, vector<8x128xi32>
}
// CHECK-LABEL: func.func @magnitudes(
// CHECK-SAME: %[[X:[^:]*]]:{{.*}}%[[Y:[^:]*]]:
// CHECK-DAG: %[[CONSTANT:.*]] = arith.constant dense<0> : vector<8x128xi32>
// CHECK-DAG: %[[CONSTANT1:.*]] = arith.constant dense<1> : vector<8x128xi32>
// CHECK-DAG: %[[SUBI:.*]] = arith.subi %[[CONSTANT]], %[[X]] : vector<8x128xi32>
// CHECK-DAG: %[[SUBI1:.*]] = arith.subi %[[CONSTANT1]], %[[X]] : vector<8x128xi32>
// CHECK-DAG: %[[ABSI:.*]] = math.absi %[[X]] : vector<8x128xi32>
// CHECK-DAG: %[[MAXSI:.*]] = arith.maxsi %[[SUBI1]], %[[X]] : vector<8x128xi32>
// CHECK-DAG: %[[MAXSI1:.*]] = arith.maxsi %[[SUBI]], %[[Y]] : vector<8x128xi32>
// CHECK: return %[[ABSI]], %[[MAXSI]], %[[MAXSI1]] : vector<8x128xi32>, vector<8x128xi32>, vector<8x128xi32>
func.func @magnitudes(%a: vector<8x128xi32>, %b: vector<8x128xi32>) -> (vector<8x128xi32>, vector<8x128xi32>, vector<8x128xi32>) {
  %zero = arith.constant dense<0> : vector<8x128xi32>
  %one = arith.constant dense<1> : vector<8x128xi32>
  %negative = arith.subi %zero, %a : vector<8x128xi32>
  %other = arith.subi %one, %a : vector<8x128xi32>
  %0 = arith.maxsi %negative, %a : vector<8x128xi32>
  %1 = arith.maxsi %other, %a : vector<8x128xi32>
  %2 = arith.maxsi %negative, %b : vector<8x128xi32>
  return %0, %1, %2 : vector<8x128xi32>, vector<8x128xi32>, vector<8x128xi32>
}

// exp(x) - 1 and log2(x), whose formulas are the claim.

// CHECK-LABEL: func.func @expm1(
// CHECK-SAME: %[[X:[^:]*]]:
// CHECK-DAG: %[[CONSTANT:.*]] = arith.constant dense<1.000000e+00> : vector<8x128xf32>
// CHECK-DAG: %[[EXP:.*]] = math.exp %[[X]] : vector<8x128xf32>
// CHECK-DAG: %[[SUBF:.*]] = arith.subf %[[EXP]], %[[CONSTANT]] : vector<8x128xf32>
// CHECK-DAG: %[[LOG:.*]] = math.log %[[EXP]] : vector<8x128xf32>
// CHECK-DAG: %[[DIVF:.*]] = arith.divf %[[X]], %[[LOG]] : vector<8x128xf32>
// CHECK-DAG: %[[MULF:.*]] = arith.mulf %[[SUBF]], %[[DIVF]] : vector<8x128xf32>
// CHECK-DAG: %[[CMPF:.*]] = arith.cmpf oeq, %[[EXP]], %[[CONSTANT]] : vector<8x128xf32>
// CHECK-DAG: %[[ABSF:.*]] = math.absf %[[X]] : vector<8x128xf32>
// CHECK-DAG: %[[CMPF1:.*]] = arith.cmpf ogt, %[[ABSF]], %[[CONSTANT]] : vector<8x128xf32>
// CHECK-DAG: %[[SELECT:.*]] = arith.select %[[CMPF1]], %[[SUBF]], %[[MULF]] : vector<8x128xi1>, vector<8x128xf32>
// CHECK-DAG: %[[SELECT1:.*]] = arith.select %[[CMPF]], %[[X]], %[[SELECT]] : vector<8x128xi1>, vector<8x128xf32>
// CHECK: return %[[SELECT1]] : vector<8x128xf32>
func.func @expm1(%x: vector<8x128xf32>) -> vector<8x128xf32> {
  %0 = math.expm1 %x : vector<8x128xf32>
  return %0 : vector<8x128xf32>
}
// CHECK-LABEL: func.func @log2(
// CHECK-SAME: %[[X:[^:]*]]:
// CHECK-DAG: %[[LOG:.*]] = math.log %[[X]] : vector<8x128xf32>
// CHECK-DAG: %[[CONSTANT:.*]] = arith.constant dense<1.44269502> : vector<8x128xf32>
// CHECK-DAG: %[[MULF:.*]] = arith.mulf %[[LOG]], %[[CONSTANT]] : vector<8x128xf32>
// CHECK: return %[[MULF]] : vector<8x128xf32>
func.func @log2(%x: vector<8x128xf32>) -> vector<8x128xf32> {
  %0 = math.log2 %x : vector<8x128xf32>
  return %0 : vector<8x128xf32>
}

// That of bf16 is computed in f32.

// CHECK-LABEL: func.func @log2_bf16(
// CHECK: %[[WIDE:.*]] = arith.extf %{{.*}} : vector<16x128xbf16> to vector<16x128xf32>
// CHECK: math.log %[[WIDE]] : vector<16x128xf32>
// CHECK: arith.truncf %{{.*}} : vector<16x128xf32> to vector<16x128xbf16>
func.func @log2_bf16(%x: vector<16x128xbf16>) -> vector<16x128xbf16> {
  %0 = math.log2 %x : vector<16x128xbf16>
  return %0 : vector<16x128xbf16>
}
// CHECK-LABEL: func.func @fma(
// CHECK-SAME: %[[X:[^:]*]]:{{.*}}%[[Y:[^:]*]]:{{.*}}%[[Z:[^:]*]]:
// CHECK-DAG: %[[MULF:.*]] = arith.mulf %[[X]], %[[Y]] : f32
// CHECK-DAG: %[[ADDF:.*]] = arith.addf %[[MULF]], %[[Z]] : f32
// CHECK: return %[[ADDF]] : f32
func.func @fma(%x: f32, %y: f32, %z: f32) -> f32 {
  %0 = math.fma %x, %y, %z : f32
  return %0 : f32
}
// CHECK-LABEL: func.func @scalars(
// CHECK-SAME: %[[X:[^:]*]]:
// CHECK-DAG: %[[EXPM1:.*]] = math.expm1 %[[X]] : f32
// CHECK-DAG: %[[LOG2:.*]] = math.log2 %[[X]] : f32
// CHECK: return %[[EXPM1]], %[[LOG2]] : f32, f32
func.func @scalars(%x: f32) -> (f32, f32) {
  %0 = math.expm1 %x : f32
  %1 = math.log2 %x : f32
  return %0, %1 : f32, f32
}

// The magnitude of the left, the sign of the right.

// CHECK-LABEL: func.func @copysign(
// CHECK-SAME: %[[X:[^:]*]]:{{.*}}%[[Y:[^:]*]]:
// CHECK-DAG: %[[CONSTANT:.*]] = arith.constant dense<-2147483648> : vector<8x128xi32>
// CHECK-DAG: %[[BITCAST:.*]] = tpu.bitcast %[[Y]] : vector<8x128xf32> -> vector<8x128xi32>
// CHECK-DAG: %[[ANDI:.*]] = arith.andi %[[BITCAST]], %[[CONSTANT]] : vector<8x128xi32>
// CHECK-DAG: %[[CONSTANT1:.*]] = arith.constant dense<2147483647> : vector<8x128xi32>
// CHECK-DAG: %[[BITCAST1:.*]] = tpu.bitcast %[[X]] : vector<8x128xf32> -> vector<8x128xi32>
// CHECK-DAG: %[[ANDI1:.*]] = arith.andi %[[BITCAST1]], %[[CONSTANT1]] : vector<8x128xi32>
// CHECK-DAG: %[[ORI:.*]] = arith.ori %[[ANDI1]], %[[ANDI]] : vector<8x128xi32>
// CHECK-DAG: %[[BITCAST2:.*]] = tpu.bitcast %[[ORI]] : vector<8x128xi32> -> vector<8x128xf32>
// CHECK: return %[[BITCAST2]] : vector<8x128xf32>
func.func @copysign(%x: vector<8x128xf32>, %y: vector<8x128xf32>) -> vector<8x128xf32> {
  %0 = math.copysign %x, %y : vector<8x128xf32>
  return %0 : vector<8x128xf32>
}
// CHECK-LABEL: func.func @copysign_bf16(
// CHECK-SAME: %[[X:[^:]*]]:{{.*}}%[[Y:[^:]*]]:
// CHECK-DAG: %[[CONSTANT:.*]] = arith.constant -2147483648 : i32
// CHECK-DAG: %[[EXTF:.*]] = arith.extf %[[Y]] : bf16 to f32
// CHECK-DAG: %[[BITCAST:.*]] = arith.bitcast %[[EXTF]] : f32 to i32
// CHECK-DAG: %[[ANDI:.*]] = arith.andi %[[BITCAST]], %[[CONSTANT]] : i32
// CHECK-DAG: %[[CONSTANT1:.*]] = arith.constant 2147483647 : i32
// CHECK-DAG: %[[EXTF1:.*]] = arith.extf %[[X]] : bf16 to f32
// CHECK-DAG: %[[BITCAST1:.*]] = arith.bitcast %[[EXTF1]] : f32 to i32
// CHECK-DAG: %[[ANDI1:.*]] = arith.andi %[[BITCAST1]], %[[CONSTANT1]] : i32
// CHECK-DAG: %[[ORI:.*]] = arith.ori %[[ANDI1]], %[[ANDI]] : i32
// CHECK-DAG: %[[BITCAST2:.*]] = arith.bitcast %[[ORI]] : i32 to f32
// CHECK-DAG: %[[TRUNCF:.*]] = arith.truncf %[[BITCAST2]] : f32 to bf16
// CHECK: return %[[TRUNCF]] : bf16
func.func @copysign_bf16(%x: bf16, %y: bf16) -> bf16 {
  %0 = math.copysign %x, %y : bf16
  return %0 : bf16
}

// Bits are counted in 32 bits, and the leading ones are subtracted.

// CHECK-LABEL: func.func @counts(
// CHECK-SAME: %[[X:[^:]*]]:{{.*}}%[[Y:[^:]*]]:{{.*}}%[[Z:[^:]*]]:
// CHECK-DAG: %[[EXTUI:.*]] = arith.extui %[[X]] : vector<32x128xi8> to vector<32x128xi32>
// CHECK-DAG: %[[CTPOP:.*]] = math.ctpop %[[EXTUI]] : vector<32x128xi32>
// CHECK-DAG: %[[TRUNCI:.*]] = arith.trunci %[[CTPOP]] : vector<32x128xi32> to vector<32x128xi8>
// CHECK-DAG: %[[EXTUI1:.*]] = arith.extui %[[Y]] : vector<16x128xi16> to vector<16x128xi32>
// CHECK-DAG: %[[CTLZ:.*]] = math.ctlz %[[EXTUI1]] : vector<16x128xi32>
// CHECK-DAG: %[[CONSTANT:.*]] = arith.constant dense<16> : vector<16x128xi32>
// CHECK-DAG: %[[SUBI:.*]] = arith.subi %[[CTLZ]], %[[CONSTANT]] : vector<16x128xi32>
// CHECK-DAG: %[[TRUNCI1:.*]] = arith.trunci %[[SUBI]] : vector<16x128xi32> to vector<16x128xi16>
// CHECK-DAG: %[[CTLZ1:.*]] = math.ctlz %[[Z]] : vector<8x128xi32>
// CHECK: return %[[TRUNCI]], %[[TRUNCI1]], %[[CTLZ1]] : vector<32x128xi8>, vector<16x128xi16>, vector<8x128xi32>
func.func @counts(%a: vector<32x128xi8>, %b: vector<16x128xi16>, %c: vector<8x128xi32>) -> (vector<32x128xi8>, vector<16x128xi16>, vector<8x128xi32>) {
  %0 = math.ctpop %a : vector<32x128xi8>
  %1 = math.ctlz %b : vector<16x128xi16>
  %2 = math.ctlz %c : vector<8x128xi32>
  return %0, %1, %2 : vector<32x128xi8>, vector<16x128xi16>, vector<8x128xi32>
}

// A number that differs from zero has a magnitude.

// CHECK-LABEL: func.func @one_zero(
// CHECK-SAME: %[[X:[^:]*]]:
// CHECK: %[[M:.*]] = math.absf %[[X]] : vector<8x128xf32>
// CHECK: %[[D:.*]] = arith.cmpf ogt, %[[M]], %{{.*}} : vector<8x128xf32>
// CHECK: return %[[D]]
func.func @one_zero(%x: vector<8x128xf32>) -> vector<8x128xi1> {
  %zero = arith.constant dense<0.0> : vector<8x128xf32>
  %0 = arith.cmpf one, %x, %zero : vector<8x128xf32>
  return %0 : vector<8x128xi1>
}

// CHECK-LABEL: func.func @ueq_zero(
// CHECK-SAME: %[[X:[^:]*]]:
// CHECK: %[[M:.*]] = math.absf %[[X]] : vector<8x128xf32>
// CHECK: %[[D:.*]] = arith.cmpf ogt, %[[M]], %{{.*}} : vector<8x128xf32>
// CHECK: %[[E:.*]] = arith.xori %[[D]], %{{.*}} : vector<8x128xi1>
// CHECK: return %[[E]]
func.func @ueq_zero(%x: vector<8x128xf32>) -> vector<8x128xi1> {
  %zero = arith.constant dense<0.0> : vector<8x128xf32>
  %0 = arith.cmpf ueq, %x, %zero : vector<8x128xf32>
  return %0 : vector<8x128xi1>
}

// A choice where neither of two equalities holds.

// CHECK-LABEL: func.func @neither(
// CHECK-SAME: %[[X:[^:]*]]: {{.*}}, %[[Y:[^:]*]]:
// CHECK-DAG: %[[A:.*]] = arith.cmpf ole, %[[X]], %[[Y]] : vector<8x128xf32>
// CHECK-DAG: %[[B:.*]] = arith.cmpf oge, %[[X]], %[[Y]] : vector<8x128xf32>
// CHECK: %[[E:.*]] = arith.ori %[[A]], %[[B]] : vector<8x128xi1>
// CHECK: arith.select %[[E]], %[[Y]], %[[X]]
func.func @neither(%x: vector<8x128xf32>, %y: vector<8x128xf32>) -> vector<8x128xf32> {
  %a = arith.cmpf ugt, %x, %y : vector<8x128xf32>
  %b = arith.cmpf ult, %x, %y : vector<8x128xf32>
  %both = arith.andi %a, %b : vector<8x128xi1>
  %z = arith.select %both, %x, %y : vector<8x128xi1>, vector<8x128xf32>
  return %z : vector<8x128xf32>
}

// A number of 8 bits is widened before it is compared with a constant where the answer is wide.

// CHECK-LABEL: func.func @wide_answer(
// CHECK-SAME: %[[X:[^:]*]]:
// CHECK: %[[W:.*]] = arith.extsi %[[X]] : vector<32x128xi8> to vector<32x128xi32>
// CHECK: arith.constant dense<-3> : vector<32x128xi32>
// CHECK: %[[C:.*]] = arith.cmpi ne, %[[W]], %{{.*}} : vector<32x128xi32>
// CHECK: arith.extui %[[C]] : vector<32x128xi1> to vector<32x128xi32>
func.func @wide_answer(%x: vector<32x128xi8>) -> vector<32x128xi32> {
  %three = arith.constant dense<-3> : vector<32x128xi8>
  %c = arith.cmpi ne, %x, %three : vector<32x128xi8>
  %y = arith.extui %c : vector<32x128xi1> to vector<32x128xi32>
  return %y : vector<32x128xi32>
}

// So are two numbers of 16 bits, whichever way they are compared, and two of bf16.

// CHECK-LABEL: func.func @wide_answers(
// CHECK-SAME: %[[X:[^:]*]]: {{.*}}, %[[Y:[^:]*]]: vector<16x128xi16>, %[[F:[^:]*]]:
// CHECK-DAG: %[[W:.*]] = arith.extsi %[[X]] : vector<16x128xi16> to vector<16x128xi32>
// CHECK-DAG: %[[V:.*]] = arith.extsi %[[Y]] : vector<16x128xi16> to vector<16x128xi32>
// CHECK: %[[C:.*]] = arith.cmpi slt, %[[W]], %[[V]] : vector<16x128xi32>
// CHECK: arith.select %[[C]], %{{.*}}, %{{.*}} : vector<16x128xi1>, vector<16x128xf32>
// CHECK: %[[G:.*]] = arith.extf %[[F]] : vector<16x128xbf16> to vector<16x128xf32>
// CHECK: %[[D:.*]] = arith.cmpf ogt, %[[G]], %{{.*}} : vector<16x128xf32>
// CHECK: arith.select %[[D]], %{{.*}}, %{{.*}} : vector<16x128xi1>, vector<16x128xf32>
func.func @wide_answers(%x: vector<16x128xi16>, %y: vector<16x128xi16>, %f: vector<16x128xbf16>)
    -> (vector<16x128xf32>, vector<16x128xf32>) {
  %one = arith.constant dense<1.0> : vector<16x128xf32>
  %two = arith.constant dense<2.0> : vector<16x128xf32>
  %c = arith.cmpi slt, %x, %y : vector<16x128xi16>
  %0 = arith.select %c, %one, %two : vector<16x128xi1>, vector<16x128xf32>
  %half = arith.constant dense<0.5> : vector<16x128xbf16>
  %d = arith.cmpf ogt, %f, %half : vector<16x128xbf16>
  %1 = arith.select %d, %one, %two : vector<16x128xi1>, vector<16x128xf32>
  return %0, %1 : vector<16x128xf32>, vector<16x128xf32>
}

// The comparison of narrow numbers is narrow, except for 4 bits, which Mosaic does not compare.

// CHECK-LABEL: func.func @narrow_answer(
// CHECK: arith.cmpi ne, %{{.*}} : vector<32x128xi8>
func.func @narrow_answer(%x: vector<32x128xi8>) -> vector<32x128xi8> {
  %three = arith.constant dense<-3> : vector<32x128xi8>
  %c = arith.cmpi ne, %x, %three : vector<32x128xi8>
  %y = arith.select %c, %x, %three : vector<32x128xi1>, vector<32x128xi8>
  return %y : vector<32x128xi8>
}

// CHECK-LABEL: func.func @four_bit_answer(
// CHECK: %[[W:.*]] = arith.extsi %{{.*}} : vector<64x128xi4> to vector<64x128xi32>
// CHECK: arith.cmpi eq, %[[W]], %{{.*}} : vector<64x128xi32>
func.func @four_bit_answer(%x: vector<64x128xi4>) -> vector<64x128xi1> {
  %three = arith.constant dense<-3> : vector<64x128xi4>
  %c = arith.cmpi eq, %x, %three : vector<64x128xi4>
  return %c : vector<64x128xi1>
}

// The signs of two integers differ where that of their bits' difference is negative.

// CHECK-LABEL: func.func @signs(
// CHECK-SAME: %[[X:[^:]*]]: {{.*}}, %[[Y:[^:]*]]:
// CHECK: %[[B:.*]] = arith.xori %[[X]], %[[Y]] : vector<8x128xi32>
// CHECK: %[[C:.*]] = arith.cmpi slt, %[[B]], %{{.*}} : vector<8x128xi32>
// CHECK: return %[[C]]
func.func @signs(%x: vector<8x128xi32>, %y: vector<8x128xi32>) -> vector<8x128xi1> {
  %zero = arith.constant dense<0> : vector<8x128xi32>
  %a = arith.cmpi slt, %x, %zero : vector<8x128xi32>
  %b = arith.cmpi slt, %y, %zero : vector<8x128xi32>
  %d = arith.cmpi ne, %a, %b : vector<8x128xi1>
  return %d : vector<8x128xi1>
}

// So the divisor is added to a remainder that is negative once its sign is changed by the divisor's.

// CHECK-LABEL: func.func @modulo(
// CHECK-SAME: %[[X:[^:]*]]: {{.*}}, %[[Y:[^:]*]]:
// CHECK-DAG: %[[R:.*]] = arith.remf %[[X]], %[[Y]]
// CHECK-DAG: %[[SUM:.*]] = arith.addf %[[R]], %[[Y]]
// CHECK-DAG: %[[D:.*]] = tpu.bitcast %[[Y]] : vector<8x128xf32> -> vector<8x128xi32>
// CHECK-DAG: %[[SIGN:.*]] = arith.andi %[[D]], %{{.*}} : vector<8x128xi32>
// CHECK-DAG: %[[B:.*]] = tpu.bitcast %[[R]] : vector<8x128xf32> -> vector<8x128xi32>
// CHECK: %[[C:.*]] = arith.xori %[[B]], %[[SIGN]] : vector<8x128xi32>
// CHECK: %[[F:.*]] = tpu.bitcast %[[C]] : vector<8x128xi32> -> vector<8x128xf32>
// CHECK: %[[N:.*]] = arith.cmpf olt, %[[F]], %{{.*}} : vector<8x128xf32>
// CHECK: arith.select %[[N]], %[[SUM]], %[[R]]
func.func @modulo(%x: vector<8x128xf32>, %y: vector<8x128xf32>) -> vector<8x128xf32> {
  %zero = arith.constant dense<0.0> : vector<8x128xf32>
  %r = arith.remf %x, %y : vector<8x128xf32>
  %n = arith.cmpf une, %r, %zero : vector<8x128xf32>
  %a = arith.cmpf olt, %r, %zero : vector<8x128xf32>
  %b = arith.cmpf olt, %y, %zero : vector<8x128xf32>
  %d = arith.cmpi ne, %a, %b : vector<8x128xi1>
  %both = arith.andi %d, %n : vector<8x128xi1>
  %sum = arith.addf %r, %y : vector<8x128xf32>
  %z = arith.select %both, %sum, %r : vector<8x128xi1>, vector<8x128xf32>
  return %z : vector<8x128xf32>
}

// Additions to other values than a remainder are kept: adding NaN may be intended.

// CHECK-LABEL: func.func @no_remainder(
// CHECK: arith.cmpf one
// CHECK: arith.andi
// CHECK: arith.select
func.func @no_remainder(%r: vector<8x128xf32>, %y: vector<8x128xf32>) -> vector<8x128xf32> {
  %zero = arith.constant dense<0.0> : vector<8x128xf32>
  %n = arith.cmpf une, %r, %zero : vector<8x128xf32>
  %a = arith.cmpf olt, %r, %zero : vector<8x128xf32>
  %b = arith.cmpf olt, %y, %zero : vector<8x128xf32>
  %d = arith.cmpi ne, %a, %b : vector<8x128xi1>
  %both = arith.andi %d, %n : vector<8x128xi1>
  %sum = arith.addf %r, %y : vector<8x128xf32>
  %z = arith.select %both, %sum, %r : vector<8x128xi1>, vector<8x128xf32>
  return %z : vector<8x128xf32>
}

// A byte is less than a power of two if its other bits are zero; a selection of numbers of 32 bits compares in those.

// CHECK-LABEL: func.func @below(
// CHECK-SAME: %[[X:.*]]: vector<32x128xi8>
// CHECK: %[[MASK:.*]] = arith.constant dense<-8> : vector<32x128xi8>
// CHECK: %[[BITS:.*]] = arith.andi %[[X]], %[[MASK]]
// CHECK: %[[IS:.*]] = arith.cmpi eq, %[[BITS]], %{{.*}} : vector<32x128xi8>
// CHECK: arith.select %[[IS]], %[[X]], %{{.*}} : vector<32x128xi1>, vector<32x128xi8>
// CHECK: %[[FLIPPED:.*]] = arith.xori %[[X]]
// CHECK: %[[WIDE:.*]] = arith.extsi %[[FLIPPED]]
// CHECK: arith.constant dense<-120> : vector<32x128xi32>
// CHECK: arith.cmpi slt, %[[WIDE]]
func.func @below(%x: vector<32x128xi8>, %y: vector<32x128xi32>) -> (vector<32x128xi8>, vector<32x128xi32>) {
  %c8 = arith.constant dense<8> : vector<32x128xi8>
  %a = arith.cmpi ult, %x, %c8 : vector<32x128xi8>
  %0 = arith.select %a, %x, %c8 : vector<32x128xi1>, vector<32x128xi8>
  %b = arith.cmpi ult, %x, %c8 : vector<32x128xi8>
  %1 = arith.select %b, %y, %y : vector<32x128xi1>, vector<32x128xi32>
  return %0, %1 : vector<32x128xi8>, vector<32x128xi32>
}

// Extremes in sequence are computed in 32 bits together. A constant is compared by the number beside it.

// CHECK-LABEL: func.func @clip(
// CHECK-COUNT-1: arith.extsi
// CHECK-NOT: arith.extsi
// CHECK: %[[TWO:.*]] = arith.constant dense<2> : vector<16x128xi32>
// CHECK: %[[MORE:.*]] = arith.cmpi sge, %[[X:.*]], %[[TWO]]
// CHECK: %[[MOST:.*]] = arith.select %[[MORE]], %[[X]], %{{.*}} : vector<16x128xi1>, vector<16x128xi32>
// CHECK: %[[EIGHT:.*]] = arith.constant dense<8> : vector<16x128xi32>
// CHECK: %[[LESS:.*]] = arith.cmpi sle, %[[MOST]], %[[EIGHT]]
// CHECK: arith.select %[[LESS]], %[[MOST]], %{{.*}} : vector<16x128xi1>, vector<16x128xi32>
// CHECK-COUNT-1: arith.trunci
// CHECK-NOT: arith.trunci
// CHECK: return
func.func @clip(%x: vector<16x128xi16>) -> vector<16x128xi16> {
  %c1 = arith.constant dense<1> : vector<16x128xi16>
  %c9 = arith.constant dense<9> : vector<16x128xi16>
  %0 = arith.maxsi %x, %c1 : vector<16x128xi16>
  %1 = arith.minsi %0, %c9 : vector<16x128xi16>
  return %1 : vector<16x128xi16>
}
