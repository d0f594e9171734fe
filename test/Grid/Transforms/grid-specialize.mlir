// RUN: gridir-opt %s --grid-specialize --split-input-file | FileCheck %s
// RUN: gridir-opt %s --grid-specialize --split-input-file --mlir-pass-statistics -o /dev/null 2>&1 | FileCheck %s --check-prefix=STATS
// RUN: gridir-opt %s --grid-specialize --split-input-file -o /dev/null 2>&1 \
// RUN:   --remarks-filter=grid-specialize --remark-format=emitRemark | FileCheck %s --check-prefix=REMARK

// REMARK: [Passed] dimension | Category:grid-specialize | Remark="dimension 0 of sizes_of_calls is pinned"
// REMARK: [Passed] dimension | Category:grid-specialize | Remark="dimension 2 of unit_dims is folded"
// REMARK: [Passed] dimension | Category:grid-specialize | Remark="dimension 0 of unit_dims is folded"

// STATS: GridSpecializePass
// STATS: (S) 0 num-dropped
// STATS: (S) 0 num-folded
// STATS: (S) 1 num-pinned

// All calls of a private kernel pass one constant size for %i, and two for %j.
// CHECK-LABEL: grid.kernel private @sizes_of_calls grid(%i = 8, %j = ?)
// CHECK: grid.num_programs 1
grid.kernel private @sizes_of_calls grid(%i = ?, %j = ?) outputs(%o: i32 [8] block [1] at (%i)) {
  %n = grid.num_programs 1
  %v = tensor.from_elements %n : tensor<1xi32>
  grid.store %v, %o : tensor<1xi32>, memref<1xi32, #grid.space<default>>
}
// CHECK-LABEL: func.func @calls
func.func @calls() -> (tensor<8xi32>, tensor<8xi32>) {
  %c2 = arith.constant 2 : i32
  %c4 = arith.constant 4 : i32
  %c8 = arith.constant 8 : i32
  // CHECK: grid.call @sizes_of_calls dynamic(%{{.*}} : i32) -> tensor<8xi32>
  %0 = grid.call @sizes_of_calls dynamic(%c8, %c2 : i32, i32) -> tensor<8xi32>
  %1 = grid.call @sizes_of_calls dynamic(%c8, %c4 : i32, i32) -> tensor<8xi32>
  return %0, %1 : tensor<8xi32>, tensor<8xi32>
}

// -----

// A public kernel may have other callers: its sizes and operands stay.
// CHECK-LABEL: grid.kernel @public grid(%i = ?)
// CHECK: inputs(%{{.*}}: f32 [8])
grid.kernel @public grid(%i = ?) inputs(%x: f32 [8]) {
}
func.func @call(%x: tensor<8xf32>) {
  %c8 = arith.constant 8 : i32
  // CHECK: grid.call @public dynamic(%{{.*}} : i32) inputs(%{{.*}} : tensor<8xf32>)
  grid.call @public dynamic(%c8 : i32) inputs(%x : tensor<8xf32>)
  return
}

// -----

// Dimensions of one program go, wherever they are named; the others close up.
// CHECK-LABEL: grid.kernel @unit_dims grid(%i = 4, %j = 2 named "c")
// CHECK: inputs(%{{.*}}: f32 [4, 2, 1] block [1, 1, 1] at (%i, %j, 0))
// CHECK: semantics [parallel, arbitrary]
// CHECK: params [#grid.tpu_params<dimension_semantics = ["parallel", "arbitrary"]>]
grid.kernel @unit_dims grid(%a = 1 named "a", %i = 4, %b = 1, %j = 2 named "c")
    inputs(%x: f32 [4, 2, 1] block [1, 1, 1] at (%i, %j, %a + %b))
    semantics [arbitrary, parallel, parallel, arbitrary]
    params [#grid.tpu_params<dimension_semantics = ["arbitrary", "parallel", "parallel", "arbitrary"]>] {
  // CHECK-DAG: %[[ZERO:.*]] = arith.constant 0 : i32
  // CHECK-DAG: %[[ONE:.*]] = arith.constant 1 : i32
  // CHECK-DAG: %[[I:.*]] = grid.program_id 0
  // CHECK-DAG: %[[J:.*]] = grid.program_id 1
  // CHECK-DAG: %[[C:.*]] = grid.num_programs "c"
  %a0 = grid.program_id "a"
  %i0 = grid.program_id 1
  %n = grid.num_programs 2
  %j0 = grid.program_id 3
  %c = grid.num_programs "c"
  // CHECK: grid.print "{} {} {} {} {}" %[[ZERO]], %[[I]], %[[ONE]], %[[J]], %[[C]]
  grid.print "{} {} {} {} {}" %a0, %i0, %n, %j0, %c : i32, i32, i32, i32, i32
}

// -----

// The dimensions of a mesh are addresses of hardware, not loops.
// CHECK-LABEL: grid.kernel @mesh grid(%i = 1 named "core" core)
grid.kernel @mesh grid(%i = 1 named "core" core) {
}

// -----

// Two nested `jax.vmap`s are one dimension; its semantics is what both had.
// CHECK-LABEL: grid.kernel @vmaps grid(%i = 6 vmapped, %j = 4)
// CHECK: inputs(%{{.*}}: f32 [2, 3, 4] block [squeezed, squeezed, 1] at (%i floordiv 3, %i mod 3, %j))
// CHECK: semantics [parallel, arbitrary]
// CHECK: params [#grid.tpu_params<dimension_semantics = ["arbitrary"]>]
grid.kernel @vmaps grid(%a = 2 vmapped, %b = 3 vmapped, %i = 4)
    inputs(%x: f32 [2, 3, 4] block [squeezed, squeezed, 1] at (%a, %b, %i))
    semantics [parallel, parallel, arbitrary]
    params [#grid.tpu_params<dimension_semantics = ["arbitrary"]>] {
  // CHECK: %[[I:.*]] = grid.program_id 1
  %i0 = grid.program_id 2
  // CHECK: grid.print "{}" %[[I]]
  grid.print "{}" %i0 : i32
}

// -----

// The ids of both vmaps are still to be had.
// CHECK-LABEL: grid.kernel @vmapped_ids grid(%i = 6 vmapped)
grid.kernel @vmapped_ids grid(%a = 2 vmapped, %b = 3 vmapped) {
  // CHECK: %[[JOINT:.*]] = grid.program_id 0
  // CHECK: %[[A:.*]] = arith.floordivsi %[[JOINT]]
  // CHECK: %[[SECOND:.*]] = grid.program_id 0
  // CHECK: %[[QUOTIENT:.*]] = arith.floordivsi %[[SECOND]]
  // CHECK: %[[WHOLE:.*]] = arith.muli %[[QUOTIENT]]
  // CHECK: %[[B:.*]] = arith.subi %[[SECOND]], %[[WHOLE]]
  %a0 = grid.program_id 0
  %b0 = grid.program_id 1
  // CHECK: grid.print "{} {}" %[[A]], %[[B]]
  grid.print "{} {}" %a0, %b0 : i32, i32
}

// -----

// Nothing reads %unused, %rows or the second scratch; %y is read, and %z shares the output's memory.
// CHECK-LABEL: grid.kernel private @unused grid(%i = 4)
// CHECK: inputs(%{{.*}}: f32 [32] block [8] at (%i) origin "y_ref",
// CHECK: %{{.*}}: f32 [32] block [8] at (%i) origin "z_ref")
// CHECK: scratch(%{{.*}}: memref<8xf32>)
// CHECK: aliases [1 -> 0]
grid.kernel private @unused grid(%i = 4)
    index(%rows: i32 [8])
    inputs(%unused: f32 [8], %y: f32 [32] block [8] at (%i) origin "y_ref",
           %z: f32 [32] block [8] at (%i) origin "z_ref")
    outputs(%o: f32 [32] block [8] at (%i))
    scratch(%s: memref<8xf32>, %t: memref<4xf32>)
    aliases [3 -> 0] {
  %v = grid.load %y : memref<8xf32, #grid.space<default>> -> tensor<8xf32>
  grid.store %v, %s : tensor<8xf32>, memref<8xf32>
}
// CHECK-LABEL: func.func @call
// CHECK-SAME: %{{.*}}: tensor<8xi32>, %{{.*}}: tensor<8xf32>, %[[Y:.*]]: tensor<32xf32>, %[[Z:.*]]: tensor<32xf32>
func.func @call(%rows: tensor<8xi32>, %x: tensor<8xf32>, %y: tensor<32xf32>, %z: tensor<32xf32>) -> tensor<32xf32> {
  // CHECK: grid.call @unused inputs(%[[Y]], %[[Z]] : tensor<32xf32>, tensor<32xf32>)
  %0 = grid.call @unused index(%rows : tensor<8xi32>)
      inputs(%x, %y, %z : tensor<8xf32>, tensor<32xf32>, tensor<32xf32>) -> tensor<32xf32>
  return %0 : tensor<32xf32>
}

// -----

// An attribute that an op happens to have names no dimension.
// CHECK-LABEL: grid.kernel @another_axis grid(%i = 6 vmapped)
// CHECK: arith.addi {{.*}} {axis = 0 : ui8} : i32
grid.kernel @another_axis grid(%a = 2 vmapped, %b = 3 vmapped) {
  %0 = grid.program_id 0
  %1 = arith.addi %0, %0 {axis = 0 : ui8} : i32
  grid.prng_seed %1 : i32
}
