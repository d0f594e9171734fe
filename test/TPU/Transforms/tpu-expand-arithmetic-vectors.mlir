// RUN: gridir-opt %s --tpu-expand-arithmetic="narrow-integers=true narrow-vectors=true" | FileCheck %s
// RUN: gridir-opt %s --tpu-expand-arithmetic="narrow-integers=true" | FileCheck %s --check-prefix=WIDE

// Vectors of 8 and 16 bits are split into columns as they are, where the chip does so. Other casts stay, and numbers that
// something else uses.

// CHECK-LABEL: func.func @split(
// CHECK-SAME: %[[X:.*]]: vector<16x128xbf16>, %[[Y:.*]]: vector<32x128xi8>)
// CHECK: %[[A:.*]] = vector.shape_cast %[[X]] : vector<16x128xbf16> to vector<16x128x1xbf16>
// CHECK: %[[B:.*]] = vector.shape_cast %[[Y]] : vector<32x128xi8> to vector<32x128x1xi8>
// CHECK: vector.shape_cast %{{.*}} : vector<16x128xf32> to vector<16x1x128xf32>
// CHECK: %[[USED:.*]] = vector.shape_cast %{{.*}} : vector<32x128xi32> to vector<32x128x1xi32>
// CHECK: return %[[A]], %[[B]], %{{.*}}, %[[USED]]
// WIDE-LABEL: func.func @split(
// WIDE: vector.shape_cast %{{.*}} : vector<16x128xf32> to vector<16x128x1xf32>
// WIDE: vector.shape_cast %{{.*}} : vector<32x128xi32> to vector<32x128x1xi32>
func.func @split(%x: vector<16x128xbf16>, %y: vector<32x128xi8>)
    -> (vector<16x128x1xbf16>, vector<32x128x1xi8>, vector<16x1x128xbf16>, vector<32x128x1xi32>, vector<32x128x1xi8>)
    attributes {tpu.core_type = #tpu.core_type<tc>} {
  %0 = arith.extf %x : vector<16x128xbf16> to vector<16x128xf32>
  %1 = vector.shape_cast %0 : vector<16x128xf32> to vector<16x128x1xf32>
  %2 = arith.truncf %1 : vector<16x128x1xf32> to vector<16x128x1xbf16>
  %3 = arith.extui %y : vector<32x128xi8> to vector<32x128xi32>
  %4 = vector.shape_cast %3 : vector<32x128xi32> to vector<32x128x1xi32>
  %5 = arith.trunci %4 : vector<32x128x1xi32> to vector<32x128x1xi8>
  %6 = vector.shape_cast %0 : vector<16x128xf32> to vector<16x1x128xf32>
  %7 = arith.truncf %6 : vector<16x1x128xf32> to vector<16x1x128xbf16>
  %8 = arith.extsi %y : vector<32x128xi8> to vector<32x128xi32>
  %9 = vector.shape_cast %8 : vector<32x128xi32> to vector<32x128x1xi32>
  %10 = arith.trunci %9 : vector<32x128x1xi32> to vector<32x128x1xi8>
  return %2, %5, %7, %9, %10 : vector<16x128x1xbf16>, vector<32x128x1xi8>, vector<16x1x128xbf16>, vector<32x128x1xi32>, vector<32x128x1xi8>
}

// Rows of 16 bits are rotated by different amounts as they are, as far as a register of 16 of them can be; those of 8
// bits only where the chip computes with narrow vectors.

// CHECK-LABEL: func.func @rows(
// CHECK-SAME: %[[X:.*]]: vector<64x256xbf16>, %[[Y:.*]]: vector<32x128xi8>, %[[N:.*]]: i32)
// CHECK: tpu.dynamic_rotate %[[X]] by %{{.*}} dim 1 {stride = 1 : si32, stride_dimension = 0 : si32} : vector<64x256xbf16>
// CHECK: tpu.dynamic_rotate %{{.*}} {stride = 9 : si32, stride_dimension = 0 : si32} : vector<64x256xf32>
// CHECK: tpu.dynamic_rotate %[[Y]] by %{{.*}} {stride = 1 : si32, stride_dimension = 0 : si32} : vector<32x128xi8>
// CHECK: tpu.dynamic_rotate %{{.*}} by %[[N]] dim 1 {stride = 1 : si32, stride_dimension = 0 : si32} : vector<64x256xf32>
// CHECK: tpu.dynamic_rotate %{{.*}} dim 1 : vector<64x256xf32>
// WIDE-LABEL: func.func @rows(
// WIDE: tpu.dynamic_rotate %{{.*}} : vector<64x256xbf16>
// WIDE: tpu.dynamic_rotate %{{.*}} : vector<32x128xi32>
func.func @rows(%x: vector<64x256xbf16>, %y: vector<32x128xi8>, %n: i32)
    -> (vector<64x256xbf16>, vector<64x256xbf16>, vector<32x128xi8>, vector<64x256xbf16>, vector<64x256xbf16>)
    attributes {tpu.core_type = #tpu.core_type<tc>} {
  %c1 = arith.constant 1 : i32
  %0 = arith.extf %x : vector<64x256xbf16> to vector<64x256xf32>
  %1 = tpu.dynamic_rotate %0 by %c1 dim 1 {stride = 1 : si32, stride_dimension = 0 : si32} : vector<64x256xf32>, i32 -> vector<64x256xf32>
  %2 = arith.truncf %1 : vector<64x256xf32> to vector<64x256xbf16>
  %3 = tpu.dynamic_rotate %0 by %c1 dim 1 {stride = 9 : si32, stride_dimension = 0 : si32} : vector<64x256xf32>, i32 -> vector<64x256xf32>
  %4 = arith.truncf %3 : vector<64x256xf32> to vector<64x256xbf16>
  %5 = arith.extsi %y : vector<32x128xi8> to vector<32x128xi32>
  %6 = tpu.dynamic_rotate %5 by %c1 dim 1 {stride = 1 : si32, stride_dimension = 0 : si32} : vector<32x128xi32>, i32 -> vector<32x128xi32>
  %7 = arith.trunci %6 : vector<32x128xi32> to vector<32x128xi8>
  %8 = tpu.dynamic_rotate %0 by %n dim 1 {stride = 1 : si32, stride_dimension = 0 : si32} : vector<64x256xf32>, i32 -> vector<64x256xf32>
  %9 = arith.truncf %8 : vector<64x256xf32> to vector<64x256xbf16>
  %10 = tpu.dynamic_rotate %0 by %c1 dim 1 : vector<64x256xf32>, i32 -> vector<64x256xf32>
  %11 = arith.truncf %10 : vector<64x256xf32> to vector<64x256xbf16>
  return %2, %4, %7, %9, %11 : vector<64x256xbf16>, vector<64x256xbf16>, vector<32x128xi8>, vector<64x256xbf16>, vector<64x256xbf16>
}

// The extreme of bf16 is found with indices of 16 bits, as many as those are. Signs of bf16 are bits of 16.

// CHECK-LABEL: func.func @searched(
// CHECK-SAME: %[[X:.*]]: vector<16x128xbf16>, %[[LONG:.*]]: vector<16x32896xbf16>)
// CHECK: %[[INDEX:.*]] = tpu.reduce_index %[[X]] {axis = 1 : i32, kind = #tpu.reduction_kind<arg_max>} : vector<16x128xbf16> -> vector<16xi16>
// CHECK: arith.extsi %[[INDEX]] : vector<16xi16> to vector<16xi32>
// CHECK: tpu.reduce_index %{{.*}} : vector<16x32896xf32> -> vector<16xi32>
// CHECK: tpu.bitcast %[[X]] : vector<16x128xbf16> -> vector<16x128xi16>
// CHECK: tpu.bitcast %{{.*}} : vector<16x128xi16> -> vector<16x128xbf16>
// CHECK: %[[M:.*]] = math.absf %[[X]] : vector<16x128xbf16>
// CHECK: arith.cmpf ogt, %[[M]], %{{.*}} : vector<16x128xbf16>
// WIDE-LABEL: func.func @searched(
// WIDE: tpu.reduce_index %{{.*}} : vector<16x128xf32> -> vector<16xi32>
// WIDE: tpu.bitcast %{{.*}} : vector<16x128xf32> -> vector<16x128xi32>
// WIDE: arith.cmpf olt, %{{.*}} : vector<16x128xbf16>
func.func @searched(%x: vector<16x128xbf16>, %long: vector<16x32896xbf16>)
    -> (vector<16xi32>, vector<16xi32>, vector<16x128xbf16>, vector<16x128xi1>)
    attributes {tpu.core_type = #tpu.core_type<tc>} {
  %zero = arith.constant dense<0.0> : vector<16x128xbf16>
  %0 = arith.extf %x : vector<16x128xbf16> to vector<16x128xf32>
  %1 = tpu.reduce_index %0 {axis = 1 : i32, kind = #tpu.reduction_kind<arg_max>} : vector<16x128xf32> -> vector<16xi32>
  %2 = arith.extf %long : vector<16x32896xbf16> to vector<16x32896xf32>
  %3 = tpu.reduce_index %2 {axis = 1 : i32, kind = #tpu.reduction_kind<arg_max>} : vector<16x32896xf32> -> vector<16xi32>
  %4 = math.copysign %x, %x : vector<16x128xbf16>
  %5 = arith.cmpf one, %x, %zero : vector<16x128xbf16>
  return %1, %3, %4, %5 : vector<16xi32>, vector<16xi32>, vector<16x128xbf16>, vector<16x128xi1>
}

// A SparseCore has other instructions.

// CHECK-LABEL: func.func @subcore(
// CHECK: tpu.reduce_index %{{.*}} : vector<16x128xf32> -> vector<16xi32>
func.func @subcore(%x: vector<16x128xbf16>) -> vector<16xi32> attributes {tpu.core_type = #tpu.core_type<sc_vector_subcore>} {
  %0 = arith.extf %x : vector<16x128xbf16> to vector<16x128xf32>
  %1 = tpu.reduce_index %0 {axis = 1 : i32, kind = #tpu.reduction_kind<arg_max>} : vector<16x128xf32> -> vector<16xi32>
  return %1 : vector<16xi32>
}
