// RUN: gridir-opt %s --grid-canonicalize-index-maps --split-input-file | FileCheck %s
// RUN: gridir-opt %s --grid-canonicalize-index-maps --split-input-file --mlir-pass-statistics -o /dev/null 2>&1 | FileCheck %s --check-prefix=STATS

// RUN: gridir-opt %s --grid-canonicalize-index-maps --split-input-file -o /dev/null 2>&1 \
// RUN:   --remarks-filter=grid-canonicalize-index-maps --remark-format=emitRemark | FileCheck %s --check-prefix=REMARK

// REMARK: [Passed] index-map | Category:grid-canonicalize-index-maps | Remark="index map of inputs[0] is affine"
// REMARK: [Missed] index-map | Category:grid-canonicalize-index-maps | Remark="index map of inputs[0] is not affine"

// STATS: GridCanonicalizeIndexMapsPass
// STATS: (S) 1 num-folded
// STATS: (S) 0 num-kept
// STATS: (S) 0 num-simplified

// JAX's traces of `i // 2` (floor division) and `i % 4` (its remainder): program ids are not negative, so both are
// affine.
// CHECK-LABEL: grid.kernel @floor_division_and_remainder
// CHECK: inputs(%{{.*}}: f32 [8, 8] block [1, 1] at (%i floordiv 2, %i mod 4)
grid.kernel @floor_division_and_remainder grid(%i = 16)
    inputs(%x: f32 [8, 8] block [1, 1] map(%id: i32) {
      %c0 = arith.constant 0 : i32
      %c1 = arith.constant 1 : i32
      %c2 = arith.constant 2 : i32
      %c4 = arith.constant 4 : i32
      // sign(i) and sign(2), as two comparisons each.
      %positive = arith.cmpi sgt, %id, %c0 : i32
      %negative = arith.cmpi slt, %id, %c0 : i32
      %plus = arith.extui %positive : i1 to i32
      %minus = arith.extui %negative : i1 to i32
      %sign = arith.subi %plus, %minus : i32
      %quotient = arith.divsi %id, %c2 : i32
      %signs_differ = arith.cmpi ne, %sign, %c1 : i32
      %rest = arith.remsi %id, %c2 : i32
      %inexact = arith.cmpi ne, %rest, %c0 : i32
      %down = arith.andi %signs_differ, %inexact : i1
      %less = arith.subi %quotient, %c1 : i32
      %floor = arith.select %down, %less, %quotient : i32
      // The remainder takes the sign of the divisor.
      %rem = arith.remsi %id, %c4 : i32
      %rem_nonzero = arith.cmpi ne, %rem, %c0 : i32
      %rem_negative = arith.cmpi slt, %rem, %c0 : i32
      %divisor_negative = arith.cmpi slt, %c4, %c0 : i32
      %wrong_sign = arith.cmpi ne, %rem_negative, %divisor_negative : i1
      %fix = arith.andi %wrong_sign, %rem_nonzero : i1
      %fixed = arith.addi %rem, %c4 : i32
      %mod = arith.select %fix, %fixed, %rem : i32
      grid.yield %floor, %mod : i32, i32
    }) {
}

// -----

// `sign` computed with shifts, and a divisor that might be zero or minus one but is not.
// CHECK-LABEL: grid.kernel @guarded_division
// CHECK: inputs(%{{.*}}: f32 [64] block [1] at (%i floordiv 3)
grid.kernel @guarded_division grid(%i = 16)
    inputs(%x: f32 [64] block [1] map(%id: i32) {
      %c0 = arith.constant 0 : i32
      %c1 = arith.constant 1 : i32
      %c3 = arith.constant 3 : i32
      %minus_one = arith.constant -1 : i32
      %zero = arith.cmpi eq, %c3, %c0 : i32
      %one = arith.cmpi eq, %c3, %minus_one : i32
      %bad = arith.ori %zero, %one : i1
      %safe = arith.select %bad, %c1, %c3 : i32
      %quotient = arith.divsi %id, %safe : i32
      %result = arith.select %zero, %minus_one, %quotient : i32
      grid.yield %result : i32
    }) {
}

// -----

// Division of what may be negative is not `floordiv`: the map stays.
// CHECK-LABEL: grid.kernel @negative_dividend
// CHECK: map(
// CHECK: arith.divsi
grid.kernel @negative_dividend grid(%i = 16)
    inputs(%x: f32 [64] block [1] map(%id: i32) {
      %c2 = arith.constant 2 : i32
      %c8 = arith.constant 8 : i32
      %shifted = arith.subi %id, %c8 : i32
      %quotient = arith.divsi %shifted, %c2 : i32
      grid.yield %quotient : i32
    }) {
}

// -----

// The size of a static grid decides comparisons, minima and maxima.
// CHECK-LABEL: grid.kernel @clamped
// CHECK: inputs(%{{.*}}: f32 [64, 4] block [1, 1] at (%i + 2, 3)
grid.kernel @clamped grid(%i = 16)
    inputs(%x: f32 [64, 4] block [1, 1] map(%id: i32) {
      %c0 = arith.constant 0 : i32
      %c2 = arith.constant 2 : i32
      %c3 = arith.constant 3 : i32
      %c63 = arith.constant 63 : i32
      %n = grid.num_programs 0
      %next = arith.addi %id, %c2 : i32
      %low = arith.maxsi %next, %c0 : i32
      %clamped = arith.minsi %low, %c63 : i32
      %last = arith.cmpi slt, %id, %n : i32
      %column = arith.select %last, %c3, %c0 : i32
      grid.yield %clamped, %column : i32, i32
    }) {
}

// -----

// A minimum that the grid does not decide is not affine.
// CHECK-LABEL: grid.kernel @minimum
// CHECK: arith.minsi
grid.kernel @minimum grid(%i = 16)
    inputs(%x: f32 [64] block [1] map(%id: i32) {
      %c3 = arith.constant 3 : i32
      %m = arith.minsi %id, %c3 : i32
      grid.yield %m : i32
    }) {
}

// -----

// On a grid of 4, `i // 4` is 0 and `i % 4` is `i`; an affine map becomes simpler.
// CHECK-LABEL: grid.kernel @small_grid
// CHECK: inputs(%{{.*}}: f32 [8, 8] block [1, 1] at (0, %i)
grid.kernel @small_grid grid(%i = 4)
    inputs(%x: f32 [8, 8] block [1, 1] at (%i floordiv 4, %i mod 4)) {
}

// -----

// A prefetched scalar is read where the author reads it; the other index is folded.
// CHECK-LABEL: grid.kernel @prefetched
// CHECK: inputs(%{{.*}}: f32 [8, 8] block [1, 1] map(%[[ID:.*]]: i32, %[[ROWS:.*]]: memref<8xi32, #tpu.memory_space<smem>>) {
// CHECK: %[[ROW:.*]] = grid.load
// CHECK-NOT: arith.select
// CHECK: grid.yield %[[ROW]], %[[ID]]
grid.kernel @prefetched grid(%i = 8)
    index(%rows: i32 [8] space #tpu.memory_space<smem>)
    inputs(%x: f32 [8, 8] block [1, 1] map(%id: i32, %r: memref<8xi32, #tpu.memory_space<smem>>) {
      %c0 = arith.constant 0 : i32
      %one = grid.slice_ref %r[%id] [1] [1] drop [0]
          : memref<8xi32, #tpu.memory_space<smem>>, i32 -> memref<i32, #tpu.memory_space<smem>>
      %row = grid.load %one : memref<i32, #tpu.memory_space<smem>> -> i32
      %negative = arith.cmpi slt, %id, %c0 : i32
      %column = arith.select %negative, %c0, %id : i32
      grid.yield %row, %column : i32, i32
    }) {
}

// -----

// 64-bit indices keep their type.
// CHECK-LABEL: grid.kernel @wide
// CHECK: inputs(%{{.*}}: f32 [64] block [4] at (%i * 2) : i64
grid.kernel @wide grid(%i = 8)
    inputs(%x: f32 [64] block [4] map(%id: i32) {
      %c2 = arith.constant 2 : i64
      %wide = arith.extsi %id : i32 to i64
      %twice = arith.muli %wide, %c2 : i64
      grid.yield %twice : i64
    }) {
}

// -----

// A remark names the operand of the map, counted after the index operands.
// REMARK: Remark="index map of first_ref is affine"
// REMARK: Remark="index map of second_ref is affine"
grid.kernel @named grid(%i = 4)
    index(%rows: i32 [8] space #tpu.memory_space<smem> origin "rows_ref")
    inputs(%x: f32 [8] block [2] map(%a: i32, %r: memref<8xi32, #tpu.memory_space<smem>>) {
      %c4 = arith.constant 4 : i32
      %b = arith.remsi %a, %c4 : i32
      grid.yield %b : i32
    } origin "first_ref", %y: f32 [8] block [2] map(%a: i32, %r: memref<8xi32, #tpu.memory_space<smem>>) {
      %c4 = arith.constant 4 : i32
      %b = arith.remsi %a, %c4 : i32
      grid.yield %b : i32
    } origin "second_ref") {
}

// -----

// Undecidable parts are kept, with their affine parts in affine form: the loaded element, a condition.
// CHECK-LABEL: grid.kernel @parts
// CHECK: map(%[[ID:.*]]: i32, %[[ROWS:.*]]: memref<8xi32, #tpu.memory_space<smem>>) {
// CHECK-NOT: arith.remsi
// CHECK: %[[TWICE:.*]] = arith.muli %[[ID]]
// CHECK: grid.slice_ref %[[ROWS]][%[[TWICE]]]
// CHECK: %[[ROW:.*]] = grid.load
// CHECK-NEXT: grid.yield %[[ROW]]
grid.kernel @parts grid(%i = 4)
    index(%rows: i32 [8] space #tpu.memory_space<smem>)
    inputs(%x: f32 [64] block [8] map(%id: i32, %r: memref<8xi32, #tpu.memory_space<smem>>) {
      %c0 = arith.constant 0 : i32
      %c4 = arith.constant 4 : i32
      %rest = arith.remsi %id, %c4 : i32
      %twice = arith.addi %rest, %id : i32
      %one = grid.slice_ref %r[%twice] [1] [1] drop [0]
          : memref<8xi32, #tpu.memory_space<smem>>, i32 -> memref<i32, #tpu.memory_space<smem>>
      %row = grid.load %one : memref<i32, #tpu.memory_space<smem>> -> i32
      %inside = arith.cmpi slt, %rest, %c4 : i32
      %chosen = arith.select %inside, %row, %c0 : i32
      grid.yield %chosen : i32
    }) {
}

// -----

// A division that is guarded once needs no second guard, and neither do shifts.
// CHECK-LABEL: grid.kernel @guarded_twice
// CHECK: %[[X:.*]] = grid.load
// CHECK: %[[ZERO:.*]] = arith.cmpi eq, %[[X]]
// CHECK: %[[MINUS_ONE:.*]] = arith.cmpi eq, %[[X]]
// CHECK: %[[UNSAFE:.*]] = arith.ori %[[ZERO]], %[[MINUS_ONE]]
// CHECK: %[[SAFE:.*]] = arith.select %[[UNSAFE]]
// CHECK-NEXT: %[[QUOTIENT:.*]] = arith.divsi %{{.*}}, %[[SAFE]]
// CHECK-NEXT: %[[FITS:.*]] = arith.cmpi ult, %[[X]]
// CHECK-NEXT: %[[AMOUNT:.*]] = arith.select %[[FITS]], %[[X]]
// CHECK-NEXT: %[[SHIFTED:.*]] = arith.shli %{{.*}}, %[[AMOUNT]]
// CHECK-NEXT: grid.yield %[[QUOTIENT]], %[[SHIFTED]]
grid.kernel @guarded_twice grid(%i = 4)
    index(%rows: i32 [] space #tpu.memory_space<smem>)
    inputs(%x: f32 [64, 64] block [8, 8] map(%id: i32, %r: memref<i32, #tpu.memory_space<smem>>) {
      %c0 = arith.constant 0 : i32
      %c1 = arith.constant 1 : i32
      %c32 = arith.constant 32 : i32
      %minus_one = arith.constant -1 : i32
      %x = grid.load %r : memref<i32, #tpu.memory_space<smem>> -> i32
      %zero = arith.cmpi eq, %x, %c0 : i32
      %one = arith.cmpi eq, %x, %minus_one : i32
      %unsafe = arith.ori %zero, %one : i1
      %safe = arith.select %unsafe, %c1, %x : i32
      %zero2 = arith.cmpi eq, %safe, %c0 : i32
      %one2 = arith.cmpi eq, %safe, %minus_one : i32
      %unsafe2 = arith.ori %zero2, %one2 : i1
      %safe2 = arith.select %unsafe2, %c1, %safe : i32
      %quotient = arith.divsi %id, %safe2 : i32
      %result = arith.select %zero2, %minus_one, %quotient : i32
      %fits = arith.cmpi ult, %x, %c32 : i32
      %amount = arith.select %fits, %x, %c0 : i32
      %fits2 = arith.cmpi ult, %amount, %c32 : i32
      %amount2 = arith.select %fits2, %amount, %c0 : i32
      %shifted = arith.shli %id, %amount2 : i32
      grid.yield %result, %shifted : i32, i32
    }) {
}

// -----

// An expression that wraps around in its type is not affine; any other one is, in any type.
// CHECK-LABEL: grid.kernel @wraps
// CHECK: map(%[[ID:.*]]: i32) {
// CHECK: %[[HASH:.*]] = arith.muli %[[ID]]
// CHECK: %[[QUOTIENT:.*]] = arith.floordivsi %[[HASH]]
// CHECK: %[[WHOLE:.*]] = arith.muli %[[QUOTIENT]]
// CHECK: %[[BUCKET:.*]] = arith.subi %[[HASH]], %[[WHOLE]]
// CHECK: %[[NARROW:.*]] = arith.trunci %[[ID]]
// CHECK: %[[PRODUCT:.*]] = arith.muli %[[NARROW]]
// CHECK: %[[WIDE:.*]] = arith.extui %[[PRODUCT]]
// CHECK: %[[NEXT:.*]] = arith.addi %[[ID]]
// CHECK: grid.yield %[[BUCKET]], %[[WIDE]], %[[NEXT]]
grid.kernel @wraps grid(%i = 8)
    inputs(%x: f32 [64, 64, 64] block [8, 1, 8] map(%id: i32) {
      %c7 = arith.constant 7 : i32
      %factor = arith.constant 1103515245 : i32
      %hash = arith.muli %id, %factor : i32
      %quotient = arith.floordivsi %hash, %c7 : i32
      %whole = arith.muli %quotient, %c7 : i32
      %bucket = arith.subi %hash, %whole : i32
      %narrow = arith.trunci %id : i32 to i8
      %c100 = arith.constant 100 : i8
      %c1 = arith.constant 1 : i8
      %product = arith.muli %narrow, %c100 : i8
      %wide = arith.extui %product : i8 to i32
      %sum = arith.addi %narrow, %c1 : i8
      %next = arith.extui %sum : i8 to i32
      grid.yield %bucket, %wide, %next : i32, i32, i32
    }) {
}
