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
