// RUN: gridir-opt %s --loops-clamp-conversions --canonicalize | FileCheck %s
// RUN: gridir-opt %s --loops-clamp-conversions --mlir-pass-statistics --mlir-pass-statistics-display=list -o /dev/null 2>&1 | FileCheck %s --check-prefix=STATS

// STATS: (S) 3 num-clamped

// CHECK-LABEL: func.func @signed
// CHECK-SAME:    %[[X:.*]]: vector<4xf32>
// CHECK-DAG:     %[[ZERO:.*]] = arith.constant dense<0.000000e+00> : vector<4xf32>
// CHECK-DAG:     %[[LOW:.*]] = arith.constant dense<-1.280000e+02> : vector<4xf32>
// CHECK-DAG:     %[[HIGH:.*]] = arith.constant dense<1.270000e+02> : vector<4xf32>
// CHECK:         %[[NAN:.*]] = arith.cmpf uno, %[[X]], %[[X]]
// CHECK:         %[[NUMBER:.*]] = arith.select %[[NAN]], %[[ZERO]], %[[X]]
// CHECK:         %[[BELOW:.*]] = arith.cmpf ogt, %[[LOW]], %[[NUMBER]]
// CHECK-NEXT:    %[[ATLEAST:.*]] = arith.select %[[BELOW]], %[[LOW]], %[[NUMBER]]
// CHECK:         %[[ABOVE:.*]] = arith.cmpf olt, %[[HIGH]], %[[ATLEAST]]
// CHECK-NEXT:    %[[IN:.*]] = arith.select %[[ABOVE]], %[[HIGH]], %[[ATLEAST]]
// CHECK-NEXT:    %[[Y:.*]] = arith.fptosi %[[IN]] : vector<4xf32> to vector<4xi8>
// CHECK-NEXT:    return %[[Y]]
func.func @signed(%x: vector<4xf32>) -> vector<4xi8> {
  %low = arith.constant dense<-128.0> : vector<4xf32>
  %high = arith.constant dense<128.0> : vector<4xf32>
  %zero = arith.constant dense<0.0> : vector<4xf32>
  %smallest = arith.constant dense<-128> : vector<4xi8>
  %largest = arith.constant dense<127> : vector<4xi8>
  %below = arith.cmpf olt, %x, %low : vector<4xf32>
  %above = arith.cmpf oge, %x, %high : vector<4xf32>
  %nan = arith.cmpf uno, %x, %x : vector<4xf32>
  %out = arith.ori %below, %above : vector<4xi1>
  %outside = arith.ori %out, %nan : vector<4xi1>
  %safe = arith.select %outside, %zero, %x : vector<4xi1>, vector<4xf32>
  %i = arith.fptosi %safe : vector<4xf32> to vector<4xi8>
  %l = arith.select %below, %smallest, %i : vector<4xi1>, vector<4xi8>
  %y = arith.select %above, %largest, %l : vector<4xi1>, vector<4xi8>
  return %y : vector<4xi8>
}

// CHECK-LABEL: func.func @unsigned
// CHECK-DAG:     arith.constant 0.000000e+00 : f32
// CHECK-DAG:     arith.constant 6.553500e+04 : f32
// CHECK:         %[[WIDE:.*]] = arith.fptosi %{{.*}} : f32 to i32
// CHECK-NEXT:    %[[Y:.*]] = arith.trunci %[[WIDE]] : i32 to i16
// CHECK-NEXT:    return %[[Y]]
func.func @unsigned(%x: f32) -> i16 {
  %low = arith.constant -1.0 : f32
  %high = arith.constant 65536.0 : f32
  %zero = arith.constant 0.0 : f32
  %largest = arith.constant -1 : i16
  %below = arith.cmpf ole, %x, %low : f32
  %above = arith.cmpf oge, %x, %high : f32
  %nan = arith.cmpf uno, %x, %x : f32
  %out = arith.ori %below, %above : i1
  %outside = arith.ori %out, %nan : i1
  %safe = arith.select %outside, %zero, %x : f32
  %i = arith.fptoui %safe : f32 to i16
  %y = arith.select %above, %largest, %i : i16
  return %y : i16
}

// Unsigned integers of 32 bits are signed ones of 64.
// CHECK-LABEL: func.func @wide
// CHECK:         %[[WIDE:.*]] = arith.fptosi %{{.*}} : f64 to i64
// CHECK-NEXT:    %[[Y:.*]] = arith.trunci %[[WIDE]] : i64 to i32
func.func @wide(%x: f64) -> i32 {
  %low = arith.constant -1.0 : f64
  %high = arith.constant 4294967296.0 : f64
  %zero = arith.constant 0.0 : f64
  %largest = arith.constant -1 : i32
  %below = arith.cmpf ole, %x, %low : f64
  %above = arith.cmpf oge, %x, %high : f64
  %nan = arith.cmpf uno, %x, %x : f64
  %out = arith.ori %below, %above : i1
  %outside = arith.ori %out, %nan : i1
  %safe = arith.select %outside, %zero, %x : f64
  %i = arith.fptoui %safe : f64 to i32
  %y = arith.select %above, %largest, %i : i32
  return %y : i32
}

// An f32 has no 2147483647.
// CHECK-LABEL: func.func @inexact
// CHECK:         arith.fptosi
// CHECK:         arith.select {{.*}} : i32
// CHECK:         arith.select {{.*}} : i32
func.func @inexact(%x: f32) -> i32 {
  %low = arith.constant -2147483648.0 : f32
  %high = arith.constant 2147483648.0 : f32
  %zero = arith.constant 0.0 : f32
  %smallest = arith.constant -2147483648 : i32
  %largest = arith.constant 2147483647 : i32
  %below = arith.cmpf olt, %x, %low : f32
  %above = arith.cmpf oge, %x, %high : f32
  %nan = arith.cmpf uno, %x, %x : f32
  %out = arith.ori %below, %above : i1
  %outside = arith.ori %out, %nan : i1
  %safe = arith.select %outside, %zero, %x : f32
  %i = arith.fptosi %safe : f32 to i32
  %l = arith.select %below, %smallest, %i : i32
  %y = arith.select %above, %largest, %l : i32
  return %y : i32
}

// The operand is 0 under another condition, too.
// CHECK-LABEL: func.func @masked
// CHECK:         arith.fptosi
// CHECK:         arith.select {{.*}} : i8
// CHECK:         arith.select {{.*}} : i8
func.func @masked(%x: f32, %mask: i1) -> i8 {
  %low = arith.constant -128.0 : f32
  %high = arith.constant 128.0 : f32
  %zero = arith.constant 0.0 : f32
  %smallest = arith.constant -128 : i8
  %largest = arith.constant 127 : i8
  %below = arith.cmpf olt, %x, %low : f32
  %above = arith.cmpf oge, %x, %high : f32
  %nan = arith.cmpf uno, %x, %x : f32
  %out = arith.ori %below, %above : i1
  %some = arith.ori %out, %nan : i1
  %outside = arith.ori %some, %mask : i1
  %safe = arith.select %outside, %zero, %x : f32
  %i = arith.fptosi %safe : f32 to i8
  %l = arith.select %below, %smallest, %i : i8
  %y = arith.select %above, %largest, %l : i8
  return %y : i8
}
