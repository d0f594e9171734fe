// RUN: gridir-opt %s --tpu-expand-division | FileCheck %s

// A narrow quotient is one product, which is above the exact quotient.

// CHECK-LABEL: func.func @narrow(
// CHECK-SAME: %[[X:.*]]: vector<16x128xi16>, %[[Y:.*]]: vector<16x128xi16>)
// CHECK: %[[A:.*]] = arith.extsi %[[X]]
// CHECK: %[[B:.*]] = arith.extsi %[[Y]]
// CHECK: %[[F:.*]] = arith.sitofp %[[B]]
// CHECK: %[[R:.*]] = tpu.reciprocal %[[F]] {full_range = false}
// CHECK: %[[MORE:.*]] = arith.constant dense<1.00000381>
// CHECK: %[[S:.*]] = arith.mulf %[[R]], %[[MORE]]
// CHECK: %[[G:.*]] = arith.sitofp %[[A]]
// CHECK: %[[P:.*]] = arith.mulf %[[G]], %[[S]]
// CHECK: %[[N:.*]] = arith.fptosi %[[P]] : vector<16x128xf32> to vector<16x128xi32>
// CHECK-NEXT: %[[Q:.*]] = arith.trunci %[[N]]
// CHECK-NEXT: return %[[Q]]
func.func @narrow(%x: vector<16x128xi16>, %y: vector<16x128xi16>) -> vector<16x128xi16> {
  %q = arith.divsi %x, %y : vector<16x128xi16>
  return %q : vector<16x128xi16>
}

// The reciprocal of a constant is one. The rest has no sign.

// CHECK-LABEL: func.func @constant(
// CHECK: %[[A:.*]] = arith.extui %{{.*}} : vector<32x128xi8> to vector<32x128xi32>
// CHECK: %[[B:.*]] = arith.constant dense<200> : vector<32x128xi32>
// CHECK: %[[R:.*]] = arith.constant dense<{{.*}}> : vector<32x128xf32>
// CHECK: arith.mulf %{{.*}}, %[[R]]
// CHECK: %[[Q:.*]] = arith.fptosi
// CHECK: %[[P:.*]] = arith.muli %[[Q]], %[[B]]
// CHECK: arith.subi %[[A]], %[[P]]
func.func @constant(%x: vector<32x128xi8>) -> vector<32x128xi8> {
  %y = arith.constant dense<200> : vector<32x128xi8>
  %r = arith.remui %x, %y : vector<32x128xi8>
  return %r : vector<32x128xi8>
}

// In 32 bits, the rest of the first estimate is divided again, and the sum corrected by one. The guards for 0 and -1 are
// one selection of the quotient by 0.

// CHECK-LABEL: func.func @quotient(
// CHECK-SAME: %[[X:.*]]: vector<8x128xi32>, %[[Y:.*]]: vector<8x128xi32>)
// CHECK: arith.sitofp %[[Y]]
// CHECK: tpu.reciprocal
// CHECK: %[[LESS:.*]] = arith.constant dense<0.999996185>
// CHECK: arith.sitofp %[[X]]
// CHECK: %[[Q1:.*]] = arith.fptosi
// CHECK: %[[P1:.*]] = arith.muli %[[Q1]], %[[Y]]
// CHECK: %[[M1:.*]] = arith.subi %[[X]], %[[P1]]
// CHECK: arith.sitofp %[[M1]]
// CHECK: %[[Q2:.*]] = arith.fptosi
// CHECK: %[[P2:.*]] = arith.muli %[[Q2]], %[[Y]]
// CHECK: %[[M2:.*]] = arith.subi %[[M1]], %[[P2]]
// CHECK: %[[A:.*]] = math.absi %[[M2]]
// CHECK: %[[B:.*]] = math.absi %[[Y]]
// CHECK: %[[D:.*]] = arith.subi %[[A]], %[[B]]
// CHECK: %[[OK:.*]] = arith.cmpi slt, %[[D]]
// CHECK: %[[SUM:.*]] = arith.addi %[[Q1]], %[[Q2]]
// CHECK: %[[SIGNS:.*]] = arith.xori %[[X]], %[[Y]]
// CHECK: %[[SIGN:.*]] = arith.shrsi %[[SIGNS]]
// CHECK: %[[ONE:.*]] = arith.ori %[[SIGN]]
// CHECK: %[[NEXT:.*]] = arith.addi %[[SUM]], %[[ONE]]
// CHECK: %[[Q:.*]] = arith.select %[[OK]], %[[SUM]], %[[NEXT]]
// CHECK: %[[ZERO:.*]] = arith.cmpi eq, %[[Y]]
// CHECK: %[[RESULT:.*]] = arith.select %[[ZERO]], %{{.*}}, %[[Q]]
// CHECK-NEXT: return %[[RESULT]]
func.func @quotient(%x: vector<8x128xi32>, %y: vector<8x128xi32>) -> vector<8x128xi32> {
  %c0 = arith.constant dense<0> : vector<8x128xi32>
  %c1 = arith.constant dense<1> : vector<8x128xi32>
  %minus = arith.constant dense<-1> : vector<8x128xi32>
  %is_zero = arith.cmpi eq, %y, %c0 : vector<8x128xi32>
  %is_minus_one = arith.cmpi eq, %y, %minus : vector<8x128xi32>
  %is_special = arith.ori %is_zero, %is_minus_one : vector<8x128xi1>
  %safe = arith.select %is_special, %c1, %y : vector<8x128xi1>, vector<8x128xi32>
  %negated = arith.subi %c0, %x : vector<8x128xi32>
  %q = arith.divsi %x, %safe : vector<8x128xi32>
  %0 = arith.select %is_minus_one, %negated, %q : vector<8x128xi1>, vector<8x128xi32>
  %1 = arith.select %is_zero, %minus, %0 : vector<8x128xi1>, vector<8x128xi32>
  return %1 : vector<8x128xi32>
}

// A remainder needs no guard: that by 0 is the dividend.

// CHECK-LABEL: func.func @remainder(
// CHECK-SAME: %[[X:.*]]: vector<8x128xi32>, %[[Y:.*]]: vector<8x128xi32>)
// CHECK-NOT: arith.cmpi eq
// CHECK: math.absi
// CHECK: math.absi
// CHECK: %[[D:.*]] = arith.subi %{{.*}}, %{{.*}} : vector<8x128xi32>
// CHECK: %[[OK:.*]] = arith.cmpi slt, %[[D]]
// CHECK: %[[NEGATIVE:.*]] = arith.subi %{{.*}}, %[[D]]
// CHECK: arith.cmpi slt
// CHECK: %[[SIGNED:.*]] = arith.select %{{.*}}, %[[NEGATIVE]], %[[D]]
// CHECK: %[[R:.*]] = arith.select %[[OK]], %{{.*}}, %[[SIGNED]]
// CHECK-NEXT: return %[[R]]
func.func @remainder(%x: vector<8x128xi32>, %y: vector<8x128xi32>) -> vector<8x128xi32> {
  %c0 = arith.constant dense<0> : vector<8x128xi32>
  %c1 = arith.constant dense<1> : vector<8x128xi32>
  %minus = arith.constant dense<-1> : vector<8x128xi32>
  %is_zero = arith.cmpi eq, %y, %c0 : vector<8x128xi32>
  %is_minus_one = arith.cmpi eq, %y, %minus : vector<8x128xi32>
  %is_special = arith.ori %is_zero, %is_minus_one : vector<8x128xi1>
  %safe = arith.select %is_special, %c1, %y : vector<8x128xi1>, vector<8x128xi32>
  %r = arith.remsi %x, %safe : vector<8x128xi32>
  %0 = arith.select %is_zero, %x, %r : vector<8x128xi1>, vector<8x128xi32>
  return %0 : vector<8x128xi32>
}

// Without a sign, half of the dividend is estimated, and floats of numbers from 2^31 on are corrected.

// CHECK-LABEL: func.func @unsigned(
// CHECK-SAME: %[[X:.*]]: vector<8x128xi32>, %[[Y:.*]]: vector<8x128xi32>)
// CHECK: %[[F:.*]] = arith.sitofp %[[Y]]
// CHECK: %[[BIG:.*]] = arith.constant dense<4.2949673E+9>
// CHECK: %[[SUM:.*]] = arith.addf %[[F]], %[[BIG]]
// CHECK: %[[HALF:.*]] = arith.shrui %[[X]]
// CHECK: arith.sitofp %[[HALF]]
// CHECK: %[[Q:.*]] = arith.fptosi
// CHECK: arith.shli %[[Q]]
// CHECK: %[[LARGE:.*]] = arith.cmpi uge, %[[M:.*]], %[[Y]]
// CHECK: %[[D:.*]] = arith.subi %[[M]], %[[Y]]
// CHECK: arith.select %[[LARGE]], %[[D]], %[[M]]
func.func @unsigned(%x: vector<8x128xi32>, %y: vector<8x128xi32>) -> vector<8x128xi32> {
  %r = arith.remui %x, %y : vector<8x128xi32>
  return %r : vector<8x128xi32>
}

// Other values are selected for the special divisors, so the divisor of the author stays.

// CHECK-LABEL: func.func @other(
// CHECK-SAME: %[[X:.*]]: vector<8x128xi32>, %[[Y:.*]]: vector<8x128xi32>)
// CHECK: %[[SAFE:.*]] = arith.select %{{.*}}, %{{.*}}, %[[Y]]
// CHECK: arith.sitofp %[[SAFE]]
func.func @other(%x: vector<8x128xi32>, %y: vector<8x128xi32>) -> vector<8x128xi32> {
  %c0 = arith.constant dense<0> : vector<8x128xi32>
  %c1 = arith.constant dense<1> : vector<8x128xi32>
  %is_zero = arith.cmpi eq, %y, %c0 : vector<8x128xi32>
  %safe = arith.select %is_zero, %c1, %y : vector<8x128xi1>, vector<8x128xi32>
  %r = arith.remsi %x, %safe : vector<8x128xi32>
  return %r : vector<8x128xi32>
}

// libtpu multiplies by constants of 32 bits, and shifts for powers of two. Their guards are dropped.

// CHECK-LABEL: func.func @left(
// CHECK: arith.divsi
// CHECK: arith.divui
// CHECK: arith.divsi %{{.*}} : i32
// CHECK: %[[C8:.*]] = arith.constant dense<8> : vector<8x128xi32>
// CHECK-NOT: arith.select
// CHECK: arith.divui %{{.*}}, %[[C8]] : vector<8x128xi32>
// CHECK-NOT: tpu.reciprocal
func.func @left(%x: vector<8x128xi32>, %y: vector<16x128xi16>, %n: i32)
    -> (vector<8x128xi32>, vector<16x128xi16>, i32, vector<8x128xi32>) {
  %c7 = arith.constant dense<7> : vector<8x128xi32>
  %c8 = arith.constant dense<8> : vector<16x128xi16>
  %0 = arith.divsi %x, %c7 : vector<8x128xi32>
  %1 = arith.divui %y, %c8 : vector<16x128xi16>
  %2 = arith.divsi %n, %n : i32
  %zero = arith.constant dense<0> : vector<8x128xi32>
  %one = arith.constant dense<1> : vector<8x128xi32>
  %ones = arith.constant dense<-1> : vector<8x128xi32>
  %eight = arith.constant dense<8> : vector<8x128xi32>
  %is_zero = arith.cmpi eq, %eight, %zero : vector<8x128xi32>
  %safe = arith.select %is_zero, %one, %eight : vector<8x128xi1>, vector<8x128xi32>
  %q = arith.divui %x, %safe : vector<8x128xi32>
  %3 = arith.select %is_zero, %ones, %q : vector<8x128xi1>, vector<8x128xi32>
  return %0, %1, %2, %3 : vector<8x128xi32>, vector<16x128xi16>, i32, vector<8x128xi32>
}

// The compiler for SparseCores has another expansion.

// CHECK-LABEL: func.func @sparse(
// CHECK: arith.divsi
func.func @sparse(%c: i32, %x: vector<16xi32>) -> vector<16xi32>
    attributes {tpu.core_type = #tpu.core_type<sc_vector_subcore>} {
  %q = arith.divsi %x, %x : vector<16xi32>
  return %q : vector<16xi32>
}

// The unit of a core divides numbers by 0 and by -1 as JAX does.

// CHECK-LABEL: func.func @numbers(
// CHECK-SAME: %[[X:.*]]: i32, %[[Y:.*]]: i32)
// CHECK-NEXT: %[[Q:.*]] = arith.divsi %[[X]], %[[Y]] : i32
// CHECK-NEXT: %[[R:.*]] = arith.remsi %[[X]], %[[Y]] : i32
// CHECK-NEXT: %[[U:.*]] = arith.divui %[[X]], %[[Y]] : i32
// CHECK-NEXT: return %[[Q]], %[[R]], %[[U]]
func.func @numbers(%x: i32, %y: i32) -> (i32, i32, i32) attributes {tpu.core_type = #tpu.core_type<tc>} {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %minus = arith.constant -1 : i32
  %is_zero = arith.cmpi eq, %y, %c0 : i32
  %is_minus_one = arith.cmpi eq, %y, %minus : i32
  %is_special = arith.ori %is_zero, %is_minus_one : i1
  %safe = arith.select %is_special, %c1, %y : i32
  %negated = arith.subi %c0, %x : i32
  %q = arith.divsi %x, %safe : i32
  %a = arith.select %is_minus_one, %negated, %q : i32
  %0 = arith.select %is_zero, %minus, %a : i32
  %r = arith.remsi %x, %safe : i32
  %1 = arith.select %is_zero, %x, %r : i32
  %positive = arith.select %is_zero, %c1, %y : i32
  %u = arith.divui %x, %positive : i32
  %2 = arith.select %is_zero, %minus, %u : i32
  return %0, %1, %2 : i32, i32, i32
}

// Another quotient by 0 is the author's. Numbers of other widths keep their guards.

// CHECK-LABEL: func.func @other_numbers(
// CHECK-COUNT-4: arith.select
func.func @other_numbers(%x: i32, %y: i32, %a: i64, %b: i64) -> (i32, i64) attributes {tpu.core_type = #tpu.core_type<tc>} {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %is_zero = arith.cmpi eq, %y, %c0 : i32
  %safe = arith.select %is_zero, %c1, %y : i32
  %q = arith.divui %x, %safe : i32
  %0 = arith.select %is_zero, %c0, %q : i32
  %l0 = arith.constant 0 : i64
  %l1 = arith.constant 1 : i64
  %minus = arith.constant -1 : i64
  %none = arith.cmpi eq, %b, %l0 : i64
  %some = arith.select %none, %l1, %b : i64
  %long = arith.divui %a, %some : i64
  %1 = arith.select %none, %minus, %long : i64
  return %0, %1 : i32, i64
}

// A transform of a window keeps its guards.

// CHECK-LABEL: func.func @transform(
// CHECK-COUNT-2: arith.select
func.func @transform(%x: i32, %y: i32) -> i32 {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %is_zero = arith.cmpi eq, %y, %c0 : i32
  %safe = arith.select %is_zero, %c1, %y : i32
  %r = arith.remui %x, %safe : i32
  %0 = arith.select %is_zero, %x, %r : i32
  return %0 : i32
}
