// Blocks that may overhang their array are named, and all others are not; the kernel stays as it is.
//
// RUN: gridir-opt %s --grid-legalize-blocks='target=cpu' --split-input-file -o /dev/null 2>&1 \
// RUN:   --remarks-filter=grid-legalize-blocks --remark-format=emitRemark | FileCheck %s
// RUN: gridir-opt %s --grid-legalize-blocks='target=gpu' --split-input-file -o /dev/null 2>&1 \
// RUN:   --remarks-filter=grid-legalize-blocks --remark-format=emitRemark | FileCheck %s
// RUN: gridir-opt %s --grid-legalize-blocks --split-input-file --mlir-pass-statistics -o /dev/null 2>&1 | FileCheck %s --check-prefix=STATS

// STATS: GridLegalizeBlocksPass
// STATS: (S) 0 num-overhanging
// STATS: (S) 1 num-overhanging

// Blocks that tile their arrays.
// CHECK-NOT: blocks of in_{{.*}}_ref
grid.kernel @inside grid(%i = 8, %j = 2)
    inputs(%x: f32 [1024, 64] block [128, 32] at (%i, %j) origin "in_tiles_ref", %y: f32 [7, 9] origin "in_one_ref")
    outputs(%o: f32 [64, 8] block [8, squeezed] at (%i, %j + 6) origin "in_columns_ref") {
}

// -----

// The last block reaches outside along one dimension of one operand.
// CHECK: [Analysis] overhang | Category:grid-legalize-blocks | Remark="blocks of tall_ref may overhang the array"
grid.kernel @overhang grid(%i = 8, %j = 3)
    inputs(%x: f32 [1024, 80] block [128, 32] at (%i, %j) origin "tall_ref")
    outputs(%o: f32 [1024, 96] block [128, 32] at (%i, %j) origin "in_wide_ref") {
}

// -----

// Padding reaches outside on both sides.
// CHECK-NOT: blocks of in_{{.*}}_ref
// CHECK: [Analysis] overhang | Category:grid-legalize-blocks | Remark="blocks of padded_ref may overhang the array"
grid.kernel @padding grid(%i = 4)
    inputs(%x: f32 [32] block [element(10, 1, 1)] at (%i * 8) origin "padded_ref",
           %y: f32 [34] block [element(10)] at (%i * 8) origin "in_long_ref") {
}

// -----

// Where a prefetched scalar or a dynamic grid places the block, it may overhang; so may a slice
// whose size is only bounded.
// CHECK-NOT: blocks of in_{{.*}}_ref
// CHECK: [Analysis] overhang | Category:grid-legalize-blocks | Remark="blocks of x_ref may overhang the array"
// CHECK: [Analysis] overhang | Category:grid-legalize-blocks | Remark="blocks of y_ref may overhang the array"
// CHECK: [Analysis] overhang | Category:grid-legalize-blocks | Remark="blocks of o_ref may overhang the array"
// CHECK-NOT: blocks of in_{{.*}}_ref
grid.kernel @unknown grid(%i = ?)
    index(%rows: i32 [8])
    inputs(%x: f32 [64] block [8] map(%id: i32, %r: memref<8xi32, #grid.space<default>>) {
             %at = arith.index_cast %id : i32 to index
             %row = memref.load %r[%at] : memref<8xi32, #grid.space<default>>
             grid.yield %row : i32
           } origin "x_ref",
           %y: f32 [64] block [slice(8)] at (%i, 3) origin "y_ref")
    outputs(%o: f32 [64] block [8] at (%i) origin "o_ref") {
}

// -----

// Nothing accesses the fifth and sixth block: a mask or a condition of the programs is around each access.
// CHECK: [Analysis] overhang | Category:grid-legalize-blocks | Remark="blocks of masked_ref may overhang the array"
// CHECK: [Analysis] overhang | Category:grid-legalize-blocks | Remark="blocks of guarded_ref may overhang the array"
// CHECK: [Analysis] overhang | Category:grid-legalize-blocks | Remark="blocks of unused_ref may overhang the array"
grid.kernel @masked grid(%i = 6)
    inputs(%x: f32 [32] block [8] at (%i) origin "masked_ref", %y: f32 [32] block [8] at (%i) origin "guarded_ref",
           %z: f32 [32] block [8] at (%i) origin "unused_ref") scratch(%m: memref<8xi1>) {
  %mask = grid.load %m : memref<8xi1> -> tensor<8xi1>
  %v = grid.load %x mask %mask : memref<8xf32, #grid.space<default>>, tensor<8xi1> -> tensor<8xf32>
  %id = grid.program_id 0
  %c4 = arith.constant 4 : i32
  %holds = arith.cmpi slt, %id, %c4 : i32
  scf.if %holds {
    grid.store %v, %y : tensor<8xf32>, memref<8xf32, #grid.space<default>>
  }
}
