// RUN: gridir-opt %s --tpu-match-instructions | FileCheck %s

// An integer of 32 bits saturates by itself.

// CHECK-LABEL: func.func @saturates(
// CHECK-SAME: %[[X:.*]]: vector<8x128xf32>)
// CHECK-NEXT: %[[Y:.*]] = arith.fptosi %[[X]]
// CHECK-NEXT: return %[[Y]]
func.func @saturates(%x: vector<8x128xf32>) -> vector<8x128xi32> {
  %low = arith.constant dense<-2147483648.0> : vector<8x128xf32>
  %high = arith.constant dense<2147483648.0> : vector<8x128xf32>
  %zero = arith.constant dense<0.0> : vector<8x128xf32>
  %smallest = arith.constant dense<-2147483648> : vector<8x128xi32>
  %largest = arith.constant dense<2147483647> : vector<8x128xi32>
  %below = arith.cmpf olt, %x, %low : vector<8x128xf32>
  %above = arith.cmpf oge, %x, %high : vector<8x128xf32>
  %nan = arith.cmpf uno, %x, %x : vector<8x128xf32>
  %o = arith.ori %below, %above : vector<8x128xi1>
  %outside = arith.ori %o, %nan : vector<8x128xi1>
  %safe = arith.select %outside, %zero, %x : vector<8x128xi1>, vector<8x128xf32>
  %i = arith.fptosi %safe : vector<8x128xf32> to vector<8x128xi32>
  %l = arith.select %below, %smallest, %i : vector<8x128xi1>, vector<8x128xi32>
  %y = arith.select %above, %largest, %l : vector<8x128xi1>, vector<8x128xi32>
  return %y : vector<8x128xi32>
}

// So does a narrower one.

// CHECK-LABEL: func.func @narrow(
// CHECK-SAME: %[[X:.*]]: vector<32x128xf32>)
// CHECK-NEXT: %[[Y:.*]] = arith.fptosi %[[X]] : vector<32x128xf32> to vector<32x128xi8>
// CHECK-NEXT: return %[[Y]]
func.func @narrow(%x: vector<32x128xf32>) -> vector<32x128xi8> {
  %low = arith.constant dense<-128.0> : vector<32x128xf32>
  %high = arith.constant dense<128.0> : vector<32x128xf32>
  %zero = arith.constant dense<0.0> : vector<32x128xf32>
  %smallest = arith.constant dense<-128> : vector<32x128xi8>
  %largest = arith.constant dense<127> : vector<32x128xi8>
  %below = arith.cmpf olt, %x, %low : vector<32x128xf32>
  %above = arith.cmpf oge, %x, %high : vector<32x128xf32>
  %nan = arith.cmpf uno, %x, %x : vector<32x128xf32>
  %o = arith.ori %below, %above : vector<32x128xi1>
  %outside = arith.ori %o, %nan : vector<32x128xi1>
  %safe = arith.select %outside, %zero, %x : vector<32x128xi1>, vector<32x128xf32>
  %i = arith.fptosi %safe : vector<32x128xf32> to vector<32x128xi8>
  %l = arith.select %below, %smallest, %i : vector<32x128xi1>, vector<32x128xi8>
  %y = arith.select %above, %largest, %l : vector<32x128xi1>, vector<32x128xi8>
  return %y : vector<32x128xi8>
}

// And a number alone.

// CHECK-LABEL: func.func @number(
// CHECK-SAME: %[[X:.*]]: f32)
// CHECK-NEXT: %[[Y:.*]] = arith.fptosi %[[X]] : f32 to i32
// CHECK-NEXT: return %[[Y]]
func.func @number(%x: f32) -> i32 {
  %low = arith.constant -2147483648.0 : f32
  %high = arith.constant 2147483648.0 : f32
  %zero = arith.constant 0.0 : f32
  %smallest = arith.constant -2147483648 : i32
  %largest = arith.constant 2147483647 : i32
  %below = arith.cmpf olt, %x, %low : f32
  %above = arith.cmpf oge, %x, %high : f32
  %nan = arith.cmpf uno, %x, %x : f32
  %o = arith.ori %below, %above : i1
  %outside = arith.ori %o, %nan : i1
  %safe = arith.select %outside, %zero, %x : f32
  %i = arith.fptosi %safe : f32 to i32
  %l = arith.select %below, %smallest, %i : i32
  %y = arith.select %above, %largest, %l : i32
  return %y : i32
}

// A bf16 is converted as it is: what makes an f32 of it is dropped, too.

// CHECK-LABEL: func.func @narrow_float(
// CHECK-SAME: %[[X:.*]]: vector<32x128xbf16>)
// CHECK-NEXT: %[[Y:.*]] = arith.fptosi %[[X]] : vector<32x128xbf16> to vector<32x128xi8>
// CHECK-NEXT: return %[[Y]]
func.func @narrow_float(%f: vector<32x128xbf16>) -> vector<32x128xi8> {
  %x = arith.extf %f : vector<32x128xbf16> to vector<32x128xf32>
  %low = arith.constant dense<-128.0> : vector<32x128xf32>
  %high = arith.constant dense<128.0> : vector<32x128xf32>
  %zero = arith.constant dense<0.0> : vector<32x128xf32>
  %smallest = arith.constant dense<-128> : vector<32x128xi8>
  %largest = arith.constant dense<127> : vector<32x128xi8>
  %below = arith.cmpf olt, %x, %low : vector<32x128xf32>
  %above = arith.cmpf oge, %x, %high : vector<32x128xf32>
  %nan = arith.cmpf uno, %x, %x : vector<32x128xf32>
  %o = arith.ori %below, %above : vector<32x128xi1>
  %outside = arith.ori %o, %nan : vector<32x128xi1>
  %safe = arith.select %outside, %zero, %x : vector<32x128xi1>, vector<32x128xf32>
  %i = arith.fptosi %safe : vector<32x128xf32> to vector<32x128xi8>
  %l = arith.select %below, %smallest, %i : vector<32x128xi1>, vector<32x128xi8>
  %y = arith.select %above, %largest, %l : vector<32x128xi1>, vector<32x128xi8>
  return %y : vector<32x128xi8>
}

// One without a sign saturates at 0.

// CHECK-LABEL: func.func @unsigned(
// CHECK-SAME: %[[X:.*]]: vector<32x128xf32>)
// CHECK-NEXT: %[[Y:.*]] = arith.fptoui %[[X]] : vector<32x128xf32> to vector<32x128xi8>
// CHECK-NEXT: return %[[Y]]
func.func @unsigned(%x: vector<32x128xf32>) -> vector<32x128xi8> {
  %low = arith.constant dense<-1.0> : vector<32x128xf32>
  %high = arith.constant dense<256.0> : vector<32x128xf32>
  %zero = arith.constant dense<0.0> : vector<32x128xf32>
  %largest = arith.constant dense<-1> : vector<32x128xi8>
  %below = arith.cmpf ole, %x, %low : vector<32x128xf32>
  %above = arith.cmpf oge, %x, %high : vector<32x128xf32>
  %nan = arith.cmpf uno, %x, %x : vector<32x128xf32>
  %o = arith.ori %below, %above : vector<32x128xi1>
  %outside = arith.ori %o, %nan : vector<32x128xi1>
  %safe = arith.select %outside, %zero, %x : vector<32x128xi1>, vector<32x128xf32>
  %i = arith.fptoui %safe : vector<32x128xf32> to vector<32x128xi8>
  %y = arith.select %above, %largest, %i : vector<32x128xi1>, vector<32x128xi8>
  return %y : vector<32x128xi8>
}

// A choice of another number is the author's own.

// CHECK-LABEL: func.func @other(
// CHECK: arith.select
// CHECK: arith.fptosi
// CHECK: arith.select
func.func @other(%x: vector<8x128xf32>) -> vector<8x128xi32> {
  %high = arith.constant dense<2147483648.0> : vector<8x128xf32>
  %zero = arith.constant dense<0.0> : vector<8x128xf32>
  %minus = arith.constant dense<-1> : vector<8x128xi32>
  %above = arith.cmpf oge, %x, %high : vector<8x128xf32>
  %safe = arith.select %above, %zero, %x : vector<8x128xi1>, vector<8x128xf32>
  %i = arith.fptosi %safe : vector<8x128xf32> to vector<8x128xi32>
  %y = arith.select %above, %minus, %i : vector<8x128xi1>, vector<8x128xi32>
  return %y : vector<8x128xi32>
}

// CHECK-LABEL: func.func @finite(
// CHECK-SAME: %[[X:.*]]: vector<8x128xf32>)
// CHECK: %[[W:.*]] = tpu.weird %[[X]] : vector<8x128xf32> -> vector<8x128xi1>
// CHECK: %[[F:.*]] = arith.xori %[[W]], %{{.*}} : vector<8x128xi1>
// CHECK: return %[[F]]
func.func @finite(%x: vector<8x128xf32>) -> vector<8x128xi1> {
  %m = math.absf %x : vector<8x128xf32>
  %inf = arith.constant dense<0x7F800000> : vector<8x128xf32>
  %f = arith.cmpf olt, %m, %inf : vector<8x128xf32>
  return %f : vector<8x128xi1>
}

// A bf16 has no such instruction.

// CHECK-LABEL: func.func @finite_bf16(
// CHECK-NOT: tpu.weird
// CHECK: arith.cmpf
func.func @finite_bf16(%x: vector<16x128xbf16>) -> vector<16x128xi1> {
  %m = math.absf %x : vector<16x128xbf16>
  %inf = arith.constant dense<0x7F80> : vector<16x128xbf16>
  %f = arith.cmpf olt, %m, %inf : vector<16x128xbf16>
  return %f : vector<16x128xi1>
}

// To 32 bits without a sign a comparison gives the first of them, and the conversion of the rest, which saturates at zero
// and at the end of 31 bits, the others.

// CHECK-LABEL: func.func @unsigned_32(
// CHECK-SAME: %[[X:.*]]: vector<8x128xf32>)
// CHECK: %[[LARGE:.*]] = arith.cmpf oge, %[[X]], %[[HALF:.*]] : vector<8x128xf32>
// CHECK: %[[LESS:.*]] = arith.subf %[[X]], %[[HALF]] : vector<8x128xf32>
// CHECK: %[[REST:.*]] = arith.select %[[LARGE]], %[[LESS]], %[[X]] : vector<8x128xi1>, vector<8x128xf32>
// CHECK: %[[I:.*]] = arith.fptosi %[[REST]] : vector<8x128xf32> to vector<8x128xi32>
// CHECK: %[[N:.*]] = arith.maxsi %[[I]], %{{.*}} : vector<8x128xi32>
// CHECK: %[[FIRST:.*]] = arith.select %[[LARGE]], %{{.*}}, %{{.*}} : vector<8x128xi1>, vector<8x128xi32>
// CHECK: %[[Y:.*]] = arith.ori %[[N]], %[[FIRST]] : vector<8x128xi32>
// CHECK: return %[[Y]]
func.func @unsigned_32(%x: vector<8x128xf32>) -> vector<8x128xi32> {
  %low = arith.constant dense<-1.0> : vector<8x128xf32>
  %high = arith.constant dense<4294967296.0> : vector<8x128xf32>
  %zero = arith.constant dense<0.0> : vector<8x128xf32>
  %largest = arith.constant dense<-1> : vector<8x128xi32>
  %below = arith.cmpf ole, %x, %low : vector<8x128xf32>
  %above = arith.cmpf oge, %x, %high : vector<8x128xf32>
  %nan = arith.cmpf uno, %x, %x : vector<8x128xf32>
  %o = arith.ori %below, %above : vector<8x128xi1>
  %outside = arith.ori %o, %nan : vector<8x128xi1>
  %safe = arith.select %outside, %zero, %x : vector<8x128xi1>, vector<8x128xf32>
  %i = arith.fptoui %safe : vector<8x128xf32> to vector<8x128xi32>
  %y = arith.select %above, %largest, %i : vector<8x128xi1>, vector<8x128xi32>
  return %y : vector<8x128xi32>
}

// A bound that f64 does not have is none of the unit's.

// CHECK-LABEL: func.func @wide_bound(
// CHECK: arith.select
func.func @wide_bound(%x: vector<8x128xf128>) -> vector<8x128xi32> {
  %low = arith.constant dense<-2147483648.0> : vector<8x128xf128>
  %high = arith.constant dense<2147483648.1> : vector<8x128xf128>
  %zero = arith.constant dense<0.0> : vector<8x128xf128>
  %smallest = arith.constant dense<-2147483648> : vector<8x128xi32>
  %largest = arith.constant dense<2147483647> : vector<8x128xi32>
  %below = arith.cmpf olt, %x, %low : vector<8x128xf128>
  %above = arith.cmpf oge, %x, %high : vector<8x128xf128>
  %nan = arith.cmpf uno, %x, %x : vector<8x128xf128>
  %o = arith.ori %below, %above : vector<8x128xi1>
  %outside = arith.ori %o, %nan : vector<8x128xi1>
  %safe = arith.select %outside, %zero, %x : vector<8x128xi1>, vector<8x128xf128>
  %i = arith.fptosi %safe : vector<8x128xf128> to vector<8x128xi32>
  %l = arith.select %below, %smallest, %i : vector<8x128xi1>, vector<8x128xi32>
  %y = arith.select %above, %largest, %l : vector<8x128xi1>, vector<8x128xi32>
  return %y : vector<8x128xi32>
}

// The author is content with an approximation, with the middle of the range, or wants a division.

// CHECK-LABEL: func.func @reciprocals(
// CHECK-SAME: %[[X:.*]]: vector<8x128xf32>, %[[S:.*]]: f32)
// CHECK: tpu.reciprocal %[[X]] {approx = true}
// CHECK: tpu.reciprocal %[[X]] {approx = true, full_range = false}
// CHECK: tpu.reciprocal %[[X]] {full_range = false}
// CHECK: arith.divf %{{.*}}, %[[X]] : vector<8x128xf32>
// CHECK: arith.divf %[[X]], %[[X]] fastmath<afn>
// CHECK: arith.divf %{{.*}}, %[[S]] fastmath<afn> : f32
func.func @reciprocals(%x: vector<8x128xf32>, %s: f32)
    -> (vector<8x128xf32>, vector<8x128xf32>, vector<8x128xf32>, vector<8x128xf32>, vector<8x128xf32>, f32) {
  %one = arith.constant dense<1.0> : vector<8x128xf32>
  %f32 = arith.constant 1.0 : f32
  %0 = arith.divf %one, %x fastmath<afn> : vector<8x128xf32>
  %1 = arith.divf %one, %x fastmath<afn,nnan,ninf> : vector<8x128xf32>
  %2 = arith.divf %one, %x fastmath<nnan,ninf> : vector<8x128xf32>
  %3 = arith.divf %one, %x : vector<8x128xf32>
  %4 = arith.divf %x, %x fastmath<afn> : vector<8x128xf32>
  %5 = arith.divf %f32, %s fastmath<afn> : f32
  return %0, %1, %2, %3, %4, %5
      : vector<8x128xf32>, vector<8x128xf32>, vector<8x128xf32>, vector<8x128xf32>, vector<8x128xf32>, f32
}

// A shift by its width or more is discarded, so its amount needs no guard.

// CHECK-LABEL: func.func @shift(
// CHECK-SAME: %[[X:.*]]: vector<8x128xi32>, %[[N:.*]]: vector<8x128xi32>)
// CHECK: %[[OK:.*]] = arith.cmpi ult, %[[N]], %{{.*}}
// CHECK-NEXT: %[[SHIFTED:.*]] = arith.shli %[[X]], %[[N]]
// CHECK-NEXT: arith.select %[[OK]], %[[SHIFTED]], %{{.*}}
func.func @shift(%x: vector<8x128xi32>, %n: vector<8x128xi32>) -> vector<8x128xi32> {
  %width = arith.constant dense<32> : vector<8x128xi32>
  %zero = arith.constant dense<0> : vector<8x128xi32>
  %ok = arith.cmpi ult, %n, %width : vector<8x128xi32>
  %safe = arith.select %ok, %n, %zero : vector<8x128xi1>, vector<8x128xi32>
  %s = arith.shli %x, %safe : vector<8x128xi32>
  %0 = arith.select %ok, %s, %zero : vector<8x128xi1>, vector<8x128xi32>
  return %0 : vector<8x128xi32>
}

// That of another condition stays, and that of a shift with other users.

// CHECK-LABEL: func.func @shifts(
// CHECK-COUNT-3: arith.select
func.func @shifts(%x: vector<8x128xi32>, %n: vector<8x128xi32>, %b: vector<8x128xi1>) -> (vector<8x128xi32>, vector<8x128xi32>, vector<8x128xi32>) {
  %width = arith.constant dense<32> : vector<8x128xi32>
  %zero = arith.constant dense<0> : vector<8x128xi32>
  %ok = arith.cmpi ult, %n, %width : vector<8x128xi32>
  %safe = arith.select %ok, %n, %zero : vector<8x128xi1>, vector<8x128xi32>
  %s = arith.shrui %x, %safe : vector<8x128xi32>
  %0 = arith.select %b, %s, %zero : vector<8x128xi1>, vector<8x128xi32>
  %t = arith.shrsi %x, %safe : vector<8x128xi32>
  %1 = arith.select %ok, %t, %zero : vector<8x128xi1>, vector<8x128xi32>
  return %0, %1, %t : vector<8x128xi32>, vector<8x128xi32>, vector<8x128xi32>
}
