// RUN: gridir-opt %s --loops-expand-extrema | FileCheck %s

// The two selections differ for zeros and a NaN. Only of two negative numbers the maximum is negative.
// CHECK-LABEL: func.func @maximum
// CHECK-SAME:    %[[X:.*]]: f32, %[[Y:.*]]: f32
// CHECK-DAG:     %[[A:.*]] = arith.cmpf ogt, %[[X]], %[[Y]] : f32
// CHECK-DAG:     %[[B:.*]] = arith.select %[[A]], %[[X]], %[[Y]] : f32
// CHECK-DAG:     %[[FIRST:.*]] = arith.bitcast %[[B]] : f32 to i32
// CHECK-DAG:     %[[C:.*]] = arith.cmpf ogt, %[[Y]], %[[X]] : f32
// CHECK-DAG:     %[[D:.*]] = arith.select %[[C]], %[[Y]], %[[X]] : f32
// CHECK-DAG:     %[[SECOND:.*]] = arith.bitcast %[[D]] : f32 to i32
// CHECK:         %[[BEST:.*]] = arith.ori %[[FIRST]], %[[SECOND]] : i32
// CHECK-DAG:     %[[XBITS:.*]] = arith.bitcast %[[X]] : f32 to i32
// CHECK-DAG:     %[[YBITS:.*]] = arith.bitcast %[[Y]] : f32 to i32
// CHECK:         %[[BOTH:.*]] = arith.andi %[[XBITS]], %[[YBITS]] : i32
// CHECK:         %[[MAGNITUDE:.*]] = arith.constant 2147483647 : i32
// CHECK:         %[[KEPT:.*]] = arith.ori %[[BOTH]], %[[MAGNITUDE]] : i32
// CHECK:         %[[BITS:.*]] = arith.andi %[[BEST]], %[[KEPT]] : i32
// CHECK:         arith.bitcast %[[BITS]] : i32 to f32
func.func @maximum(%x: f32, %y: f32) -> f32 {
  %0 = arith.maximumf %x, %y : f32
  return %0 : f32
}

// CHECK-LABEL: func.func @minimum
// CHECK:         arith.cmpf olt
// CHECK:         arith.cmpf olt
// CHECK:         %[[BITS:.*]] = arith.ori %{{.*}} : vector<2x4xi16>
// CHECK:         arith.bitcast %[[BITS]] : vector<2x4xi16> to vector<2x4xf16>
func.func @minimum(%x: vector<2x4xf16>, %y: vector<2x4xf16>) -> vector<2x4xf16> {
  %0 = arith.minimumf %x, %y : vector<2x4xf16>
  return %0 : vector<2x4xf16>
}

// A NaN stays, since no ordered comparison is true. A limit of +0 replaces -0 in a maximum, and one of -0 does not.
// CHECK-LABEL: func.func @limits
// CHECK-SAME:    %[[X:.*]]: vector<4xf32>
// CHECK-DAG:     %[[SIX:.*]] = arith.constant dense<6.0
// CHECK-DAG:     %[[ZERO:.*]] = arith.constant dense<0.0
// CHECK-DAG:     %[[MINUS:.*]] = arith.constant dense<-0.0
// CHECK:         %[[A:.*]] = arith.cmpf oge, %[[ZERO]], %[[X]] : vector<4xf32>
// CHECK:         %[[B:.*]] = arith.select %[[A]], %[[ZERO]], %[[X]]
// CHECK:         %[[C:.*]] = arith.cmpf olt, %[[SIX]], %[[B]]
// CHECK:         %[[D:.*]] = arith.select %[[C]], %[[SIX]], %[[B]]
// CHECK:         %[[E:.*]] = arith.cmpf ogt, %[[MINUS]], %[[D]]
// CHECK:         %[[F:.*]] = arith.select %[[E]], %[[MINUS]], %[[D]]
// CHECK:         %[[G:.*]] = arith.cmpf ole, %[[MINUS]], %[[F]]
// CHECK:         %[[H:.*]] = arith.select %[[G]], %[[MINUS]], %[[F]]
// CHECK:         %[[I:.*]] = arith.cmpf olt, %[[ZERO]], %[[H]]
// CHECK:         arith.select %[[I]], %[[ZERO]], %[[H]]
func.func @limits(%x: vector<4xf32>) -> vector<4xf32> {
  %six = arith.constant dense<6.0> : vector<4xf32>
  %zero = arith.constant dense<0.0> : vector<4xf32>
  %minus = arith.constant dense<-0.0> : vector<4xf32>
  %0 = arith.maximumf %x, %zero : vector<4xf32>
  %1 = arith.minimumf %six, %0 : vector<4xf32>
  %2 = arith.maximumf %1, %minus : vector<4xf32>
  %3 = arith.minimumf %2, %minus : vector<4xf32>
  %4 = arith.minimumf %3, %zero : vector<4xf32>
  return %4 : vector<4xf32>
}

// A limit that is a NaN is like any other value.
// CHECK-LABEL: func.func @nan
// CHECK-COUNT-2: arith.cmpf ogt
// CHECK:         arith.ori
func.func @nan(%x: f64) -> f64 {
  %nan = arith.constant 0x7FF8000000000000 : f64
  %0 = arith.maximumf %x, %nan : f64
  return %0 : f64
}
