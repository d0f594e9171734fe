// RUN: gridir-opt %s --tpu-expand-arithmetic | FileCheck %s
// RUN: gridir-opt %s --tpu-expand-arithmetic="narrow-integers=true" | FileCheck %s --check-prefix=NARROW

// Narrow numbers are shifted by a constant as they are if libtpu does so, and by other amounts in 32 bits.

// NARROW-LABEL: func.func @shifts(
// NARROW: arith.shrui %{{.*}} : vector<16x128xi16>
// NARROW: %[[X:.*]] = arith.extui %{{.*}} : vector<16x128xi16> to vector<16x128xi32>
// NARROW: %[[N:.*]] = arith.extui %{{.*}} : vector<16x128xi16> to vector<16x128xi32>
// NARROW: arith.shrui %[[X]], %[[N]] : vector<16x128xi32>
// NARROW: arith.extsi
// NARROW: arith.shrsi %{{.*}} : vector<32x128xi32>
// CHECK-LABEL: func.func @shifts(
// CHECK: arith.shrui %{{.*}} : vector<16x128xi32>
// CHECK: arith.shrui %{{.*}} : vector<16x128xi32>
// CHECK: arith.shrsi %{{.*}} : vector<32x128xi32>
func.func @shifts(%x: vector<16x128xi16>, %n: vector<16x128xi16>, %y: vector<32x128xi8>, %m: vector<32x128xi8>)
    -> (vector<16x128xi16>, vector<16x128xi16>, vector<32x128xi8>) {
  %c3 = arith.constant dense<3> : vector<16x128xi16>
  %0 = arith.shrui %x, %c3 : vector<16x128xi16>
  %1 = arith.shrui %x, %n : vector<16x128xi16>
  %2 = arith.shrsi %y, %m : vector<32x128xi8>
  return %0, %1, %2 : vector<16x128xi16>, vector<16x128xi16>, vector<32x128xi8>
}

// On a TensorCore, a shift in 32 bits of narrow numbers and amounts with their signs is a narrow one; one without is not,
// nor one whose wide result is used.

// NARROW-LABEL: func.func @signed_shifts(
// NARROW-SAME: %[[X:.*]]: vector<16x128xi16>, %[[N:.*]]: vector<16x128xi16>, %[[Y:.*]]: vector<32x128xi8>, %[[M:.*]]: vector<32x128xi8>
// NARROW-DAG: %[[LEFT:.*]] = arith.shli %[[X]], %[[N]] : vector<16x128xi16>
// NARROW-DAG: %[[RIGHT:.*]] = arith.shrsi %[[Y]], %[[M]] : vector<32x128xi8>
// NARROW-DAG: %[[OWN:.*]] = arith.shrsi %[[Y]], %[[M]] : vector<32x128xi8>
// NARROW-DAG: %[[WIDE:.*]] = arith.shli %{{.*}} : vector<32x128xi32>
// NARROW-DAG: %[[OTHER:.*]] = arith.trunci %[[WIDE]] : vector<32x128xi32> to vector<32x128xi8>
// NARROW: return %[[LEFT]], %[[RIGHT]], %{{.*}}, %[[OTHER]], %[[WIDE]]
// CHECK-LABEL: func.func @signed_shifts(
// CHECK: arith.shli %{{.*}} : vector<16x128xi32>
// CHECK: arith.shrsi %{{.*}} : vector<32x128xi32>
func.func @signed_shifts(%x: vector<16x128xi16>, %n: vector<16x128xi16>, %y: vector<32x128xi8>, %m: vector<32x128xi8>)
    -> (vector<16x128xi16>, vector<32x128xi8>, vector<32x128xi8>, vector<32x128xi8>, vector<32x128xi32>)
    attributes {tpu.core_type = #tpu.core_type<tc>} {
  %wx = arith.extsi %x : vector<16x128xi16> to vector<16x128xi32>
  %wn = arith.extsi %n : vector<16x128xi16> to vector<16x128xi32>
  %wy = arith.extsi %y : vector<32x128xi8> to vector<32x128xi32>
  %wm = arith.extsi %m : vector<32x128xi8> to vector<32x128xi32>
  %0 = arith.shli %wx, %wn : vector<16x128xi32>
  %1 = arith.trunci %0 : vector<16x128xi32> to vector<16x128xi16>
  %2 = arith.shrsi %wy, %wm : vector<32x128xi32>
  %3 = arith.trunci %2 : vector<32x128xi32> to vector<32x128xi8>
  %4 = arith.shrsi %y, %m : vector<32x128xi8>
  %5 = arith.shli %wy, %wm : vector<32x128xi32>
  %6 = arith.trunci %5 : vector<32x128xi32> to vector<32x128xi8>
  return %1, %3, %4, %6, %5 : vector<16x128xi16>, vector<32x128xi8>, vector<32x128xi8>, vector<32x128xi8>, vector<32x128xi32>
}

// A number that is limited to a bound is compared with the bound itself, but one with another bound above it is not.

// CHECK-LABEL: func.func @limited(
// CHECK-SAME: %[[X:.*]]: i32)
// CHECK-DAG: %[[BELOW:.*]] = arith.cmpi slt, %[[X]], %c1{{.*}} : i32
// CHECK-DAG: %[[EQUAL:.*]] = arith.cmpi sge, %[[X]], %c1{{.*}} : i32
// CHECK-DAG: %[[LEAST:.*]] = arith.maxsi %[[X]], %c9{{.*}} : i32
// CHECK-DAG: %[[NEVER:.*]] = arith.cmpi slt, %[[LEAST]], %c1{{.*}} : i32
// CHECK: return %[[BELOW]], %[[EQUAL]], %[[NEVER]]
func.func @limited(%x: i32) -> (i1, i1, i1) {
  %m1 = arith.constant -1 : i32
  %c1 = arith.constant 1 : i32
  %c9 = arith.constant 9 : i32
  %0 = arith.maxsi %x, %m1 : i32
  %1 = arith.minsi %0, %c1 : i32
  %2 = arith.cmpi ne, %1, %c1 : i32
  %3 = arith.minsi %x, %c1 : i32
  %4 = arith.cmpi eq, %3, %c1 : i32
  %5 = arith.maxsi %x, %c9 : i32
  %6 = arith.minsi %5, %c1 : i32
  %7 = arith.cmpi ne, %6, %c1 : i32
  return %2, %4, %7 : i1, i1, i1
}

// A number of its own with a magnitude differs from zero, too.

// CHECK-LABEL: func.func @nonzero(
// CHECK: %[[M:.*]] = math.absf %{{.*}} : f32
// CHECK: arith.cmpf ogt, %[[M]], %{{.*}} : f32
func.func @nonzero(%x: f32) -> i1 {
  %zero = arith.constant 0.0 : f32
  %0 = arith.cmpf one, %x, %zero : f32
  return %0 : i1
}

// A selection of the smaller or the larger number of 16 bits is an extreme, by whatever comparison; that of an equal one
// is not. Of 32 bits, unsigned ones are.

// CHECK-LABEL: func.func @selected_extremes(
// CHECK-SAME: %[[X:.*]]: vector<16x128xi16>, %[[Y:.*]]: vector<16x128xi16>,
// CHECK-DAG: %[[SX:.*]] = arith.extsi %[[X]]
// CHECK-DAG: %[[SY:.*]] = arith.extsi %[[Y]]
// CHECK: %[[SIGNED:.*]] = arith.subi %[[SX]], %[[SY]]
// CHECK: %[[LESS:.*]] = arith.cmpi slt, %[[SIGNED]]
// CHECK: arith.select %[[LESS]], %[[SX]], %[[SY]]
// CHECK-DAG: %[[UX:.*]] = arith.extui %[[X]]
// CHECK-DAG: %[[UY:.*]] = arith.extui %[[Y]]
// CHECK: %[[UNSIGNED:.*]] = arith.subi %[[UX]], %[[UY]]
// CHECK: %[[MORE:.*]] = arith.cmpi sgt, %[[UNSIGNED]]
// CHECK: arith.select %[[MORE]], %[[UX]], %[[UY]]
// CHECK: %[[EQUAL:.*]] = arith.cmpi eq, %[[X]], %[[Y]]
// CHECK: arith.select %[[EQUAL]], %[[X]], %[[Y]]
// CHECK: %[[FLIPPED:.*]] = arith.cmpi slt, %{{.*}} : vector<8x128xi32>
// CHECK: arith.select %[[FLIPPED]], %[[V:.*]], %[[W:.*]] : vector<8x128xi1>, vector<8x128xi32>
// CHECK: %[[OWN:.*]] = arith.cmpi slt, %[[V]], %[[W]] : vector<8x128xi32>
// CHECK: arith.select %[[OWN]], %[[V]], %[[W]] : vector<8x128xi1>, vector<8x128xi32>
func.func @selected_extremes(%x: vector<16x128xi16>, %y: vector<16x128xi16>, %v: vector<8x128xi32>, %w: vector<8x128xi32>)
    -> (vector<16x128xi16>, vector<16x128xi16>, vector<16x128xi16>, vector<8x128xi32>, vector<8x128xi32>) {
  %0 = arith.cmpi sge, %x, %y : vector<16x128xi16>
  %1 = arith.select %0, %y, %x : vector<16x128xi1>, vector<16x128xi16>
  %2 = arith.cmpi ult, %x, %y : vector<16x128xi16>
  %3 = arith.select %2, %y, %x : vector<16x128xi1>, vector<16x128xi16>
  %4 = arith.cmpi eq, %x, %y : vector<16x128xi16>
  %5 = arith.select %4, %x, %y : vector<16x128xi1>, vector<16x128xi16>
  %6 = arith.cmpi ult, %v, %w : vector<8x128xi32>
  %7 = arith.select %6, %v, %w : vector<8x128xi1>, vector<8x128xi32>
  %8 = arith.cmpi slt, %v, %w : vector<8x128xi32>
  %9 = arith.select %8, %v, %w : vector<8x128xi1>, vector<8x128xi32>
  return %1, %3, %5, %7, %9 : vector<16x128xi16>, vector<16x128xi16>, vector<16x128xi16>, vector<8x128xi32>, vector<8x128xi32>
}
