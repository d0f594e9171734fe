// RUN: gridir-opt %s --tpu-simplify-indices --split-input-file | FileCheck %s

// A block on or below the diagonal: the sides of the blocks are as long as one another.

// CHECK-LABEL: func.func @diagonal(
// CHECK-SAME: %[[I:.*]]: i32, %[[J:.*]]: i32, %[[O:.*]]: memref
// CHECK-NOT: arith.muli
// CHECK: %[[BELOW:.*]] = arith.cmpi sge, %[[I]], %[[J]] : i32
// CHECK-NEXT: scf.if %[[BELOW]]
func.func @diagonal(%i: i32, %j: i32, %o: memref<8x128xf32, #tpu.memory_space<vmem>>) attributes {
    tpu.core_type = #tpu.core_type<tc>, iteration_bounds = array<i64: 4, 4>,
    dimension_semantics = [#tpu.dimension_semantics<parallel>, #tpu.dimension_semantics<arbitrary>],
    scalar_prefetch = 0 : i64, scratch_operands = 0 : i64,
    window_params = [{transform_indices = @transform_0, window_bounds = array<i64: 8, 128>}]} {
  %c1 = arith.constant 1 : i32
  %c128 = arith.constant 128 : i32
  %next = arith.addi %i, %c1 : i32
  %end = arith.muli %next, %c128 : i32
  %last_row = arith.subi %end, %c1 : i32
  %first_column = arith.muli %j, %c128 : i32
  %below = arith.cmpi sgt, %last_row, %first_column : i32
  scf.if %below {
    %c0 = arith.constant 0 : index
    %x = arith.constant dense<1.0> : vector<8x128xf32>
    vector.store %x, %o[%c0, %c0] : memref<8x128xf32, #tpu.memory_space<vmem>>, vector<8x128xf32>
  }
  return
}

// The transforms of the windows know the grid, too.

// CHECK-LABEL: func.func @transform_0(
// CHECK-SAME: %[[I:.*]]: i32, %[[J:.*]]: i32)
// CHECK: %[[BELOW:.*]] = arith.cmpi sge, %[[I]], %[[J]] : i32
// CHECK: arith.select %[[BELOW]], %[[J]]
func.func @transform_0(%i: i32, %j: i32) -> (i32, i32) {
  %c0 = arith.constant 0 : i32
  %c127 = arith.constant 127 : i32
  %c128 = arith.constant 128 : i32
  %first_row = arith.muli %i, %c128 : i32
  %last_row = arith.addi %first_row, %c127 : i32
  %first_column = arith.muli %j, %c128 : i32
  %below = arith.cmpi sgt, %last_row, %first_column : i32
  %k = arith.select %below, %j, %c0 : i32
  return %i, %k : i32, i32
}

// -----

// A sum that something else needs is compared as it is: nothing would be saved.

// CHECK-LABEL: func.func @needed(
// CHECK-SAME: %[[I:.*]]: i32
// CHECK: %[[NEXT:.*]] = arith.addi %[[I]], %c1
// CHECK: arith.cmpi slt, %[[NEXT]], %c4
func.func @needed(%i: i32, %o: memref<5xi32, #tpu.memory_space<smem>>) attributes {
    tpu.core_type = #tpu.core_type<tc>, iteration_bounds = array<i64: 4>,
    dimension_semantics = [#tpu.dimension_semantics<arbitrary>],
    scalar_prefetch = 0 : i64, scratch_operands = 0 : i64} {
  %c1 = arith.constant 1 : i32
  %c4 = arith.constant 4 : i32
  %next = arith.addi %i, %c1 : i32
  %is_last = arith.cmpi slt, %next, %c4 : i32
  scf.if %is_last {
    %c0 = arith.constant 0 : index
    memref.store %next, %o[%c0] : memref<5xi32, #tpu.memory_space<smem>>
  }
  return
}

// -----

// A comparison that the range decides is constant: a negative index would count from the end.

// CHECK-LABEL: func.func @known(
// CHECK-SAME: %[[I:.*]]: i32
// CHECK-NOT: arith.select
// CHECK: return %[[I]]
func.func @known(%i: i32) -> i32 attributes {
    tpu.core_type = #tpu.core_type<tc>, iteration_bounds = array<i64: 4>} {
  %c0 = arith.constant 0 : i32
  %c4 = arith.constant 4 : i32
  %negative = arith.cmpi slt, %i, %c0 : i32
  %wrapped = arith.addi %i, %c4 : i32
  %index = arith.select %negative, %wrapped, %i : i32
  return %index : i32
}

// -----

// One index and numbers.

// CHECK-LABEL: func.func @one(
// CHECK-SAME: %[[I:.*]]: i32)
// CHECK-DAG: %[[C2:.*]] = arith.constant 2 : i32
// CHECK-DAG: arith.cmpi sgt, %[[I]], %[[C2]] : i32
// CHECK-DAG: arith.cmpi sle, %[[I]], %[[C2]] : i32
// CHECK-DAG: arith.cmpi eq, %[[I]], %[[C2]] : i32
func.func @one(%i: i32) -> (i1, i1, i1) attributes {
    tpu.core_type = #tpu.core_type<tc>, iteration_bounds = array<i64: 100>} {
  %c5 = arith.constant 5 : i32
  %c8 = arith.constant 8 : i32
  %c21 = arith.constant 21 : i32
  %scaled = arith.muli %i, %c8 : i32
  %index = arith.addi %scaled, %c5 : i32
  %0 = arith.cmpi sgt, %index, %c21 : i32
  %1 = arith.cmpi ule, %index, %c21 : i32
  %2 = arith.cmpi eq, %index, %c21 : i32
  return %0, %1, %2 : i1, i1, i1
}

// -----

// A product that may wrap around stays, as does one with a number that anything may be.

// CHECK-LABEL: func.func @wraps(
// CHECK: arith.muli
// CHECK: arith.muli
// CHECK: arith.cmpi
// CHECK: arith.muli
// CHECK: arith.cmpi
func.func @wraps(%i: i32, %j: i32, %n: i32) -> (i1, i1) attributes {
    tpu.core_type = #tpu.core_type<tc>, iteration_bounds = array<i64: 65536, 4>} {
  %large = arith.constant 65536 : i32
  %c128 = arith.constant 128 : i32
  %x = arith.muli %i, %large : i32
  %y = arith.muli %j, %large : i32
  %0 = arith.cmpi sgt, %x, %y : i32
  %z = arith.muli %n, %c128 : i32
  %1 = arith.cmpi sgt, %z, %c128 : i32
  return %0, %1 : i1, i1
}

// -----

// A dynamic dimension of the grid has no end, but a beginning.

// CHECK-LABEL: func.func @dynamic(
// CHECK-SAME: %[[I:.*]]: i32)
// CHECK-NEXT: %[[TRUE:.*]] = arith.constant true
// CHECK-NEXT: return %[[TRUE]]
func.func @dynamic(%i: i32) -> i1 attributes {
    tpu.core_type = #tpu.core_type<tc>, iteration_bounds = array<i64: -9223372036854775808>} {
  %c0 = arith.constant 0 : i32
  %0 = arith.cmpi sge, %i, %c0 : i32
  return %0 : i1
}

// -----

// A function that is no kernel has no grid.

// CHECK-LABEL: func.func @other(
// CHECK: arith.cmpi sgt
func.func @other(%i: i32) -> i1 {
  %c0 = arith.constant 0 : i32
  %0 = arith.cmpi sgt, %i, %c0 : i32
  return %0 : i1
}

// -----

// A bound that the type of the index cannot hold says nothing of it.

// CHECK-LABEL: func.func @narrow_index(
// CHECK: arith.cmpi slt
func.func @narrow_index(%i: i8, %o: memref<8x128xf32, #tpu.memory_space<vmem>>) attributes {
    tpu.core_type = #tpu.core_type<tc>, iteration_bounds = array<i64: 4096>,
    dimension_semantics = [#tpu.dimension_semantics<arbitrary>],
    scalar_prefetch = 0 : i64, scratch_operands = 0 : i64,
    window_params = [{transform_indices = @transform_0, window_bounds = array<i64: 8, 128>}]} {
  %c9 = arith.constant 9 : i8
  %before = arith.cmpi slt, %i, %c9 : i8
  scf.if %before {
    %c0 = arith.constant 0 : index
    %x = arith.constant dense<1.0> : vector<8x128xf32>
    vector.store %x, %o[%c0, %c0] : memref<8x128xf32, #tpu.memory_space<vmem>>, vector<8x128xf32>
  }
  return
}
func.func @transform_0(%i: i8) -> (i32, i32) {
  %c0 = arith.constant 0 : i32
  return %c0, %c0 : i32, i32
}

// -----

// A difference that is compared with a number beside 0 needs no number: the boundary moves by one.

// CHECK-LABEL: func.func @neighbours(
// CHECK-SAME: %[[X:[^:]*]]:{{.*}}%[[Y:[^:]*]]:
// CHECK-DAG: %[[CONSTANT:.*]] = arith.constant 2 : i32
// CHECK-DAG: %[[CONSTANT1:.*]] = arith.constant -1 : i32
// CHECK-DAG: %[[CMPI:.*]] = arith.cmpi sle, %[[X]], %[[Y]] : i32
// CHECK-DAG: %[[CMPI1:.*]] = arith.cmpi sge, %[[X]], %[[Y]] : i32
// CHECK-DAG: %[[CMPI2:.*]] = arith.cmpi slt, %[[X]], %[[Y]] : i32
// CHECK-DAG: %[[CMPI3:.*]] = arith.cmpi sgt, %[[X]], %[[Y]] : i32
// CHECK-DAG: %[[ADDI:.*]] = arith.addi %[[Y]], %[[CONSTANT1]] : i32
// CHECK-DAG: %[[CMPI4:.*]] = arith.cmpi sge, %[[X]], %[[ADDI]] : i32
// CHECK-DAG: %[[ADDI1:.*]] = arith.addi %[[Y]], %[[CONSTANT]] : i32
// CHECK-DAG: %[[CMPI5:.*]] = arith.cmpi slt, %[[X]], %[[ADDI1]] : i32
// CHECK: return %[[CMPI]], %[[CMPI1]], %[[CMPI2]], %[[CMPI3]], %[[CMPI4]], %[[CMPI5]] : i1, i1, i1, i1, i1, i1
func.func @neighbours(%i: i32, %j: i32) -> (i1, i1, i1, i1, i1, i1) attributes {
    tpu.core_type = #tpu.core_type<tc>, iteration_bounds = array<i64: 100, 100>} {
  %c8 = arith.constant 8 : i32
  %c16 = arith.constant 16 : i32
  %x = arith.muli %i, %c8 : i32
  %y = arith.muli %j, %c8 : i32
  %next = arith.addi %y, %c8 : i32
  %before = arith.subi %y, %c8 : i32
  %far = arith.addi %y, %c16 : i32
  %0 = arith.cmpi slt, %x, %next : i32
  %1 = arith.cmpi sgt, %x, %before : i32
  %2 = arith.cmpi sle, %x, %before : i32
  %3 = arith.cmpi sge, %x, %next : i32
  %4 = arith.cmpi sge, %x, %before : i32
  %5 = arith.cmpi slt, %x, %far : i32
  return %0, %1, %2, %3, %4, %5 : i1, i1, i1, i1, i1, i1
}

// -----

// A remainder moves the boundary to the next multiple, down or up; an equality that cannot hold stays as it is.

// CHECK-LABEL: func.func @remainders(
// CHECK-SAME: %[[X:[^:]*]]:{{.*}}%[[Y:[^:]*]]:
// CHECK-DAG: %[[CONSTANT:.*]] = arith.constant 8 : i32
// CHECK-DAG: %[[CONSTANT1:.*]] = arith.constant 3 : i32
// CHECK-DAG: %[[MULI:.*]] = arith.muli %[[X]], %[[CONSTANT]] : i32
// CHECK-DAG: %[[MULI1:.*]] = arith.muli %[[Y]], %[[CONSTANT]] : i32
// CHECK-DAG: %[[ADDI:.*]] = arith.addi %[[MULI1]], %[[CONSTANT1]] : i32
// CHECK-DAG: %[[CMPI:.*]] = arith.cmpi sle, %[[X]], %[[Y]] : i32
// CHECK-DAG: %[[CMPI1:.*]] = arith.cmpi sle, %[[X]], %[[Y]] : i32
// CHECK-DAG: %[[CMPI2:.*]] = arith.cmpi sgt, %[[X]], %[[Y]] : i32
// CHECK-DAG: %[[CMPI3:.*]] = arith.cmpi sgt, %[[X]], %[[Y]] : i32
// CHECK-DAG: %[[CMPI4:.*]] = arith.cmpi eq, %[[MULI]], %[[ADDI]] : i32
// CHECK-DAG: %[[CMPI5:.*]] = arith.cmpi ne, %[[MULI]], %[[ADDI]] : i32
// CHECK: return %[[CMPI]], %[[CMPI1]], %[[CMPI2]], %[[CMPI3]], %[[CMPI4]], %[[CMPI5]] : i1, i1, i1, i1, i1, i1
func.func @remainders(%i: i32, %j: i32) -> (i1, i1, i1, i1, i1, i1) attributes {
    tpu.core_type = #tpu.core_type<tc>, iteration_bounds = array<i64: 100, 100>} {
  %c8 = arith.constant 8 : i32
  %c3 = arith.constant 3 : i32
  %x = arith.muli %i, %c8 : i32
  %y = arith.muli %j, %c8 : i32
  %z = arith.addi %y, %c3 : i32
  %0 = arith.cmpi slt, %x, %z : i32
  %1 = arith.cmpi sle, %x, %z : i32
  %2 = arith.cmpi sgt, %x, %z : i32
  %3 = arith.cmpi sge, %x, %z : i32
  %4 = arith.cmpi eq, %x, %z : i32
  %5 = arith.cmpi ne, %x, %z : i32
  return %0, %1, %2, %3, %4, %5 : i1, i1, i1, i1, i1, i1
}

// -----

// Without a sign, only what is never negative compares alike.

// CHECK-LABEL: func.func @without_sign(
// CHECK-SAME: %[[X:[^:]*]]:{{.*}}%[[Y:[^:]*]]:
// CHECK-DAG: %[[CONSTANT:.*]] = arith.constant 8 : i32
// CHECK-DAG: %[[MULI:.*]] = arith.muli %[[X]], %[[CONSTANT]] : i32
// CHECK-DAG: %[[MULI1:.*]] = arith.muli %[[Y]], %[[CONSTANT]] : i32
// CHECK-DAG: %[[SUBI:.*]] = arith.subi %[[MULI1]], %[[CONSTANT]] : i32
// CHECK-DAG: %[[CMPI:.*]] = arith.cmpi slt, %[[X]], %[[Y]] : i32
// CHECK-DAG: %[[CMPI1:.*]] = arith.cmpi sle, %[[X]], %[[Y]] : i32
// CHECK-DAG: %[[CMPI2:.*]] = arith.cmpi sgt, %[[X]], %[[Y]] : i32
// CHECK-DAG: %[[CMPI3:.*]] = arith.cmpi sge, %[[X]], %[[Y]] : i32
// CHECK-DAG: %[[CMPI4:.*]] = arith.cmpi ult, %[[MULI]], %[[SUBI]] : i32
// CHECK: return %[[CMPI]], %[[CMPI1]], %[[CMPI2]], %[[CMPI3]], %[[CMPI4]] : i1, i1, i1, i1, i1
func.func @without_sign(%i: i32, %j: i32) -> (i1, i1, i1, i1, i1) attributes {
    tpu.core_type = #tpu.core_type<tc>, iteration_bounds = array<i64: 100, 100>} {
  %c8 = arith.constant 8 : i32
  %x = arith.muli %i, %c8 : i32
  %y = arith.muli %j, %c8 : i32
  %before = arith.subi %y, %c8 : i32
  %0 = arith.cmpi ult, %x, %y : i32
  %1 = arith.cmpi ule, %x, %y : i32
  %2 = arith.cmpi ugt, %x, %y : i32
  %3 = arith.cmpi uge, %x, %y : i32
  %4 = arith.cmpi ult, %x, %before : i32
  return %0, %1, %2, %3, %4 : i1, i1, i1, i1, i1
}

// -----

// The ends of a range decide, and one beyond them does not.

// CHECK-LABEL: func.func @ends(
// CHECK-SAME: %[[X:[^:]*]]:
// CHECK-DAG: %[[CONSTANT:.*]] = arith.constant 0 : i32
// CHECK-DAG: %[[CONSTANT1:.*]] = arith.constant 2 : i32
// CHECK-DAG: %[[CONSTANT2:.*]] = arith.constant true
// CHECK-DAG: %[[CMPI:.*]] = arith.cmpi sle, %[[X]], %[[CONSTANT1]] : i32
// CHECK-DAG: %[[CMPI1:.*]] = arith.cmpi sgt, %[[X]], %[[CONSTANT]] : i32
// CHECK: return %[[CONSTANT2]], %[[CMPI]], %[[CONSTANT2]], %[[CMPI1]] : i1, i1, i1, i1
func.func @ends(%i: i32) -> (i1, i1, i1, i1) attributes {
    tpu.core_type = #tpu.core_type<tc>, iteration_bounds = array<i64: 4>} {
  %c0 = arith.constant 0 : i32
  %c2 = arith.constant 2 : i32
  %c3 = arith.constant 3 : i32
  %0 = arith.cmpi sle, %i, %c3 : i32
  %1 = arith.cmpi sle, %i, %c2 : i32
  %2 = arith.cmpi sge, %i, %c0 : i32
  %3 = arith.cmpi sgt, %i, %c0 : i32
  return %0, %1, %2, %3 : i1, i1, i1, i1
}

// -----

// The indices of a vector are less than its size, also in a kernel without a grid: no clamp is needed, and its
// remainder by a power of two is its last bits.

// CHECK-LABEL: func.func @counts(
// CHECK: %[[N:.*]] = tpu.iota {dimensions = array<i32: 1>} : vector<8x128xi32>
// CHECK-NOT: arith.select
// CHECK-NOT: arith.maxsi
// CHECK-NOT: arith.minsi
// CHECK: %[[ODD:.*]] = arith.andi %[[N]], %{{.*}} : vector<8x128xi32>
// CHECK: %[[HALF:.*]] = arith.shrui %[[N]], %{{.*}} : vector<8x128xi32>
// CHECK: return %[[N]], %[[ODD]], %[[HALF]]
func.func @counts() -> (vector<8x128xi32>, vector<8x128xi32>, vector<8x128xi32>) attributes {
    tpu.core_type = #tpu.core_type<tc>} {
  %zero = arith.constant dense<0> : vector<8x128xi32>
  %two = arith.constant dense<2> : vector<8x128xi32>
  %size = arith.constant dense<128> : vector<8x128xi32>
  %last = arith.constant dense<127> : vector<8x128xi32>
  %n = tpu.iota {dimensions = array<i32: 1>} : vector<8x128xi32>
  %negative = arith.cmpi slt, %n, %zero : vector<8x128xi32>
  %from_end = arith.addi %n, %size : vector<8x128xi32>
  %index = arith.select %negative, %from_end, %n : vector<8x128xi1>, vector<8x128xi32>
  %low = arith.maxsi %index, %zero : vector<8x128xi32>
  %inside = arith.minsi %low, %last : vector<8x128xi32>
  %odd = arith.remsi %n, %two : vector<8x128xi32>
  %half = arith.divui %n, %two : vector<8x128xi32>
  return %inside, %odd, %half : vector<8x128xi32>, vector<8x128xi32>, vector<8x128xi32>
}

// -----

// Of numbers that may be negative, or that no power of two divides, nothing is known.

// CHECK-LABEL: func.func @unknown(
// CHECK: arith.remsi
// CHECK: arith.remsi
// CHECK: arith.maxsi
func.func @unknown(%x: vector<8x128xi32>)
    -> (vector<8x128xi32>, vector<8x128xi32>, vector<8x128xi32>) attributes {tpu.core_type = #tpu.core_type<tc>} {
  %four = arith.constant dense<4> : vector<8x128xi32>
  %seven = arith.constant dense<7> : vector<8x128xi32>
  %n = tpu.iota {dimensions = array<i32: 0, 1>} : vector<8x128xi32>
  %a = arith.remsi %x, %four : vector<8x128xi32>
  %b = arith.remsi %n, %seven : vector<8x128xi32>
  %c = arith.maxsi %n, %seven : vector<8x128xi32>
  return %a, %b, %c : vector<8x128xi32>, vector<8x128xi32>, vector<8x128xi32>
}
