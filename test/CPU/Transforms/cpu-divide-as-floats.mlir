// RUN: gridir-opt %s --cpu-divide-as-floats --split-input-file | FileCheck %s
// RUN: gridir-opt %s --cpu-divide-as-floats --split-input-file --mlir-pass-statistics --mlir-pass-statistics-display=list -o /dev/null 2>&1 | FileCheck %s --check-prefix=STATS

// STATS: (S) 1 num-divisions - Number of divisions and remainders computed as floats
// STATS: (S) 1 num-divisions
// STATS: (S) 0 num-divisions

// CHECK-LABEL: func.func @words
// CHECK-SAME:    (%[[X:.*]]: vector<8xi32>, %[[Y:.*]]: vector<8xi32>)
// CHECK:         %[[A:.*]] = arith.sitofp %[[X]] : vector<8xi32> to vector<8xf64>
// CHECK:         %[[B:.*]] = arith.sitofp %[[Y]] : vector<8xi32> to vector<8xf64>
// CHECK:         %[[Q:.*]] = arith.divf %[[A]], %[[B]] : vector<8xf64>
// CHECK:         arith.fptosi %[[Q]] : vector<8xf64> to vector<8xi32>
func.func @words(%x: vector<8xi32>, %y: vector<8xi32>) -> vector<8xi32> {
  %0 = arith.divsi %x, %y : vector<8xi32>
  return %0 : vector<8xi32>
}

// -----

// Shorter integers need shorter floats, and a remainder is computed from its quotient.
// CHECK-LABEL: func.func @remainder
// CHECK-SAME:    (%[[X:.*]]: vector<8xi16>, %[[Y:.*]]: vector<8xi16>)
// CHECK-COUNT-2: arith.uitofp %{{.*}} : vector<8xi16> to vector<8xf32>
// CHECK:         %[[Q:.*]] = arith.fptoui %{{.*}} : vector<8xf32> to vector<8xi16>
// CHECK:         %[[P:.*]] = arith.muli %[[Q]], %[[Y]] : vector<8xi16>
// CHECK:         arith.subi %[[X]], %[[P]] : vector<8xi16>
func.func @remainder(%x: vector<8xi16>, %y: vector<8xi16>) -> vector<8xi16> {
  %0 = arith.remui %x, %y : vector<8xi16>
  return %0 : vector<8xi16>
}

// -----

// A constant divisor, a single number, and words that no float holds.
// CHECK-LABEL: func.func @others
// CHECK-COUNT-3: arith.divsi
func.func @others(%x: vector<8xi32>, %y: i32, %z: vector<4xi64>) -> (vector<8xi32>, i32, vector<4xi64>) {
  %c7 = arith.constant dense<7> : vector<8xi32>
  %0 = arith.divsi %x, %c7 : vector<8xi32>
  %1 = arith.divsi %y, %y : i32
  %2 = arith.divsi %z, %z : vector<4xi64>
  return %0, %1, %2 : vector<8xi32>, i32, vector<4xi64>
}
