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

// Fewer than 8 bits are cut off, so the integer is brought into their range.

// CHECK-LABEL: func.func @of_few_bits(
// CHECK-SAME: %[[X:.*]]: vector<64x128xf32>)
// CHECK-NEXT: %[[Y:.*]] = arith.fptosi %[[X]] : vector<64x128xf32> to vector<64x128xi32>
// CHECK-NEXT: %[[LOW:.*]] = arith.constant dense<-8> : vector<64x128xi32>
// CHECK-NEXT: %[[ABOVE:.*]] = arith.maxsi %[[Y]], %[[LOW]]
// CHECK-NEXT: %[[HIGH:.*]] = arith.constant dense<7> : vector<64x128xi32>
// CHECK-NEXT: %[[INSIDE:.*]] = arith.minsi %[[ABOVE]], %[[HIGH]]
// CHECK-NEXT: %[[Z:.*]] = arith.trunci %[[INSIDE]] : vector<64x128xi32> to vector<64x128xi4>
// CHECK-NEXT: return %[[Z]]
func.func @of_few_bits(%x: vector<64x128xf32>) -> vector<64x128xi4> {
  %low = arith.constant dense<-8.0> : vector<64x128xf32>
  %high = arith.constant dense<8.0> : vector<64x128xf32>
  %zero = arith.constant dense<0.0> : vector<64x128xf32>
  %smallest = arith.constant dense<-8> : vector<64x128xi4>
  %largest = arith.constant dense<7> : vector<64x128xi4>
  %below = arith.cmpf olt, %x, %low : vector<64x128xf32>
  %above = arith.cmpf oge, %x, %high : vector<64x128xf32>
  %nan = arith.cmpf uno, %x, %x : vector<64x128xf32>
  %o = arith.ori %below, %above : vector<64x128xi1>
  %outside = arith.ori %o, %nan : vector<64x128xi1>
  %safe = arith.select %outside, %zero, %x : vector<64x128xi1>, vector<64x128xf32>
  %i = arith.fptosi %safe : vector<64x128xf32> to vector<64x128xi4>
  %l = arith.select %below, %smallest, %i : vector<64x128xi1>, vector<64x128xi4>
  %y = arith.select %above, %largest, %l : vector<64x128xi1>, vector<64x128xi4>
  return %y : vector<64x128xi4>
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

// A TensorCore has it for numbers, too.

// CHECK-LABEL: func.func @finite_number(
// CHECK: %[[W:.*]] = tpu.weird %{{.*}} : f32 -> i1
// CHECK: arith.xori %[[W]], %{{.*}} : i1
func.func @finite_number(%x: f32) -> i1 attributes {tpu.core_type = #tpu.core_type<tc>} {
  %m = math.absf %x : f32
  %inf = arith.constant 0x7F800000 : f32
  %f = arith.cmpf olt, %m, %inf : f32
  return %f : i1
}

// CHECK-LABEL: func.func @finite_number_of_subcore(
// CHECK-NOT: tpu.weird
// CHECK: return
func.func @finite_number_of_subcore(%x: f32) -> i1 attributes {tpu.core_type = #tpu.core_type<sc_vector_subcore>} {
  %m = math.absf %x : f32
  %inf = arith.constant 0x7F800000 : f32
  %f = arith.cmpf olt, %m, %inf : f32
  return %f : i1
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

// In a kernel a shift of 32 bits needs no guard at all, also one of numbers.

// CHECK-LABEL: func.func @saturating(
// CHECK-SAME: %[[X:[^:]*]]: vector<8x128xi32>, %[[N:[^:]*]]: vector<8x128xi32>, %[[S:[^:]*]]: i32, %[[M:[^:]*]]: i32)
// CHECK: %[[LEFT:.*]] = arith.shli %[[X]], %[[N]] : vector<8x128xi32>
// CHECK: %[[SIGNED:.*]] = arith.shrsi %[[X]], %[[N]] : vector<8x128xi32>
// CHECK: %[[RIGHT:.*]] = arith.shrui %[[S]], %[[M]] : i32
// CHECK-NOT: arith.select
// CHECK: return %[[LEFT]], %[[SIGNED]], %[[RIGHT]]
func.func @saturating(%x: vector<8x128xi32>, %n: vector<8x128xi32>, %s: i32, %m: i32) -> (vector<8x128xi32>, vector<8x128xi32>, i32)
    attributes {tpu.core_type = #tpu.core_type<tc>} {
  %width = arith.constant dense<32> : vector<8x128xi32>
  %most = arith.constant dense<31> : vector<8x128xi32>
  %zero = arith.constant dense<0> : vector<8x128xi32>
  %c32 = arith.constant 32 : i32
  %c0 = arith.constant 0 : i32
  %ok = arith.cmpi ult, %n, %width : vector<8x128xi32>
  %safe = arith.select %ok, %n, %zero : vector<8x128xi1>, vector<8x128xi32>
  %l = arith.shli %x, %safe : vector<8x128xi32>
  %0 = arith.select %ok, %l, %zero : vector<8x128xi1>, vector<8x128xi32>
  %bound = arith.select %ok, %n, %most : vector<8x128xi1>, vector<8x128xi32>
  %1 = arith.shrsi %x, %bound : vector<8x128xi32>
  %fits = arith.cmpi ult, %m, %c32 : i32
  %amount = arith.select %fits, %m, %c0 : i32
  %r = arith.shrui %s, %amount : i32
  %2 = arith.select %fits, %r, %c0 : i32
  return %0, %1, %2 : vector<8x128xi32>, vector<8x128xi32>, i32
}

// Narrow numbers are shifted in 32 bits, those without a sign with zeros in front. Of an amount the sign makes no
// difference.

// CHECK-LABEL: func.func @narrow_shifts(
// CHECK-SAME: %[[X:[^:]*]]: vector<16x128xi16>, %[[N:[^:]*]]: vector<16x128xi16>, %[[Y:[^:]*]]: vector<32x128xi8>, %[[M:[^:]*]]: vector<32x128xi8>)
// CHECK-DAG: %[[A:.*]] = arith.extsi %[[X]] : vector<16x128xi16> to vector<16x128xi32>
// CHECK-DAG: %[[B:.*]] = arith.extsi %[[N]] : vector<16x128xi16> to vector<16x128xi32>
// CHECK: %[[SIGNED:.*]] = arith.shrsi %[[A]], %[[B]] : vector<16x128xi32>
// CHECK: arith.trunci %[[SIGNED]] : vector<16x128xi32> to vector<16x128xi16>
// CHECK-DAG: %[[C:.*]] = arith.extui %[[Y]] : vector<32x128xi8> to vector<32x128xi32>
// CHECK-DAG: %[[D:.*]] = arith.extsi %[[M]] : vector<32x128xi8> to vector<32x128xi32>
// CHECK: %[[RIGHT:.*]] = arith.shrui %[[C]], %[[D]] : vector<32x128xi32>
// CHECK: arith.trunci %[[RIGHT]] : vector<32x128xi32> to vector<32x128xi8>
func.func @narrow_shifts(%x: vector<16x128xi16>, %n: vector<16x128xi16>, %y: vector<32x128xi8>, %m: vector<32x128xi8>)
    -> (vector<16x128xi16>, vector<32x128xi8>) attributes {tpu.core_type = #tpu.core_type<tc>} {
  %c16 = arith.constant dense<16> : vector<16x128xi16>
  %c15 = arith.constant dense<15> : vector<16x128xi16>
  %c8 = arith.constant dense<8> : vector<32x128xi8>
  %zero = arith.constant dense<0> : vector<32x128xi8>
  %ok = arith.cmpi ult, %n, %c16 : vector<16x128xi16>
  %bound = arith.select %ok, %n, %c15 : vector<16x128xi1>, vector<16x128xi16>
  %0 = arith.shrsi %x, %bound : vector<16x128xi16>
  %fits = arith.cmpi ult, %m, %c8 : vector<32x128xi8>
  %safe = arith.select %fits, %m, %zero : vector<32x128xi1>, vector<32x128xi8>
  %r = arith.shrui %y, %safe : vector<32x128xi8>
  %1 = arith.select %fits, %r, %zero : vector<32x128xi1>, vector<32x128xi8>
  return %0, %1 : vector<16x128xi16>, vector<32x128xi8>
}

// Guards stay that give another number, compare with another width, or are of another amount; so do those of index
// numbers, of narrow numbers that are no vectors, and of a kernel for a SparseCore.

// CHECK-LABEL: func.func @other_guards(
// CHECK-COUNT-6: arith.select
func.func @other_guards(%x: vector<8x128xi32>, %n: vector<8x128xi32>, %s: i8, %m: i8, %i: index, %j: index)
    -> (vector<8x128xi32>, vector<8x128xi32>, vector<8x128xi32>, vector<8x128xi32>, i8, index)
    attributes {tpu.core_type = #tpu.core_type<tc>} {
  %width = arith.constant dense<32> : vector<8x128xi32>
  %c16 = arith.constant dense<16> : vector<8x128xi32>
  %most = arith.constant dense<31> : vector<8x128xi32>
  %one = arith.constant dense<1> : vector<8x128xi32>
  %zero = arith.constant dense<0> : vector<8x128xi32>
  %ok = arith.cmpi ult, %n, %width : vector<8x128xi32>
  %half = arith.cmpi ult, %n, %c16 : vector<8x128xi32>
  %l = arith.shli %x, %n : vector<8x128xi32>
  %0 = arith.select %ok, %l, %one : vector<8x128xi1>, vector<8x128xi32>
  %bound = arith.select %half, %n, %most : vector<8x128xi1>, vector<8x128xi32>
  %1 = arith.shrsi %x, %bound : vector<8x128xi32>
  %other = arith.select %ok, %n, %one : vector<8x128xi1>, vector<8x128xi32>
  %2 = arith.shrsi %x, %other : vector<8x128xi32>
  %mixed = arith.select %ok, %x, %most : vector<8x128xi1>, vector<8x128xi32>
  %3 = arith.shrsi %x, %mixed : vector<8x128xi32>
  %c8 = arith.constant 8 : i8
  %c7 = arith.constant 7 : i8
  %fits = arith.cmpi ult, %m, %c8 : i8
  %amount = arith.select %fits, %m, %c7 : i8
  %4 = arith.shrsi %s, %amount : i8
  %c32 = arith.constant 32 : index
  %c31 = arith.constant 31 : index
  %below = arith.cmpi ult, %j, %c32 : index
  %limited = arith.select %below, %j, %c31 : index
  %5 = arith.shrsi %i, %limited : index
  return %0, %1, %2, %3, %4, %5 : vector<8x128xi32>, vector<8x128xi32>, vector<8x128xi32>, vector<8x128xi32>, i8, index
}

// CHECK-LABEL: func.func @sparse_core(
// CHECK: arith.select
// CHECK: arith.shrsi
func.func @sparse_core(%x: vector<16xi32>, %n: vector<16xi32>) -> vector<16xi32>
    attributes {tpu.core_type = #tpu.core_type<sc_vector_subcore>} {
  %width = arith.constant dense<32> : vector<16xi32>
  %most = arith.constant dense<31> : vector<16xi32>
  %ok = arith.cmpi ult, %n, %width : vector<16xi32>
  %bound = arith.select %ok, %n, %most : vector<16xi1>, vector<16xi32>
  %0 = arith.shrsi %x, %bound : vector<16xi32>
  return %0 : vector<16xi32>
}
