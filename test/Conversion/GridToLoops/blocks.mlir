// RUN: gridir-opt %s --split-input-file --convert-grid-to-loops | FileCheck %s

// The last block overhangs. It is tested once for each operand, and both ways give one type, so that the body stands
// once. The private buffer holds NaN around the valid part; what the program writes there is copied out.
// CHECK-LABEL: func.func @overhang(
// CHECK-SAME:      %[[X:.*]]: memref<500xf32> {llvm.noalias}, %[[O:.*]]: memref<500xf32> {llvm.noalias}
// CHECK-DAG:     %[[XB:[a-z0-9_]*]] = memref.alloca() {{.*}} : memref<128xf32>
// CHECK-DAG:     %[[OB:[a-z0-9_]*]] = memref.alloca() {{.*}} : memref<128xf32>
// CHECK:         scf.for
// CHECK:           %[[XS:[a-z0-9_]*]] = scf.if %{{.*}} -> (memref<128xf32, strided<[1], offset: ?>>) {
// CHECK:             memref.subview %[[X]][%{{.*}}] [128] [1]
// CHECK:           } else {
// CHECK:             %[[NAN:[a-z0-9_]*]] = arith.constant 0x7FC00000 : f32
// CHECK:             linalg.fill ins(%[[NAN]]
// CHECK:             linalg.copy
// CHECK:           }
// CHECK:           %[[OS:[a-z0-9_]*]] = scf.if %[[INSIDE:[a-z0-9]*]] -> (memref<128xf32, strided<[1], offset: ?>>) {
// CHECK:           bufferization.to_tensor %[[XS]]
// CHECK:           bufferization.materialize_in_destination %{{.*}} in restrict writable %[[OS]]
// CHECK:           scf.if %[[INSIDE]] {
// CHECK:           } else {
// CHECK:             linalg.copy
grid.kernel @overhang grid(%i = 4)
    inputs(%x: f32 [500] block [128] at (%i))
    outputs(%o: f32 [500] block [128] at (%i)) {
  %v = grid.load %x : memref<128xf32, #grid.space<default>> -> tensor<128xf32>
  grid.store %v, %o : tensor<128xf32>, memref<128xf32, #grid.space<default>>
}

// -----

// An input that overhangs is not copied out.
// CHECK-LABEL: func.func @overhanging_input(
// CHECK:           bufferization.materialize_in_destination
// CHECK-NOT:       linalg.copy
// CHECK:         return
grid.kernel @overhanging_input grid(%i = 4)
    inputs(%x: i32 [500] block [128] at (%i))
    outputs(%o: i32 [512] block [128] at (%i)) {
  %v = grid.load %x : memref<128xi32, #grid.space<default>> -> tensor<128xi32>
  grid.store %v, %o : tensor<128xi32>, memref<128xi32, #grid.space<default>>
}

// -----

// A squeezed dimension is absent from the block.
// CHECK-LABEL: func.func @squeezed(
// CHECK-NOT:     scf.if
// CHECK:         memref.subview %{{[a-z0-9]*}}[%{{[a-z0-9]*}}, 0] [1, 16] [1, 1] : memref<4x16xf32> to memref<16xf32, strided<[1], offset: ?>>
grid.kernel @squeezed grid(%i = 4)
    inputs(%x: f32 [4, 16] block [squeezed, 16] at (%i, 0))
    outputs(%o: f32 [4, 16] block [squeezed, 16] at (%i, 0)) {
  %v = grid.load %x : memref<16xf32, #grid.space<default>> -> tensor<16xf32>
  grid.store %v, %o : tensor<16xf32>, memref<16xf32, #grid.space<default>>
}

// -----

// Windows of elements overlap and count elements; padding lies before the array.
// CHECK-LABEL: func.func @element(
// CHECK:         %[[C1:[a-z0-9_]*]] = arith.constant 1 : index
// CHECK:         arith.subi
// CHECK:         scf.if %{{.*}} -> (memref<10xf32, strided<[1], offset: ?>>)
grid.kernel @element grid(%i = 4)
    inputs(%x: f32 [32] block [element(10, 1, 1)] at (%i * 8))
    outputs(%o: f32 [32] block [8] at (%i)) {
  %s = grid.slice_ref %x[1] [8] [1] : memref<10xf32, #grid.space<default>> -> memref<8xf32, #grid.space<default>>
  %v = grid.load %s : memref<8xf32, #grid.space<default>> -> tensor<8xf32>
  grid.store %v, %o : tensor<8xf32>, memref<8xf32, #grid.space<default>>
}

// -----

// A block that may lie wholly outside its array is an error that the caller gets, with the block's index.
// CHECK-LABEL: module attributes {
// CHECK-SAME:    gridir.diagnostics = ["block index {0} of dimension 0 of x_ref is outside the array, which has 512 elements there and blocks of 128 (kernel.py:7:3)"]
// CHECK:       func.func @outside(
// CHECK-SAME:      %[[STATUS:[a-z0-9]*]]: memref<4xi64>, %{{[a-z0-9]*}}: index, %{{[a-z0-9]*}}: index)
// CHECK:         scf.if
// CHECK:           memref.load %[[STATUS]]
// CHECK:           memref.store %{{.*}}, %[[STATUS]]
grid.kernel @outside grid(%i = 4)
    inputs(%x: f32 [512] block [128] at (%i + 1) origin "x_ref")
    outputs(%o: f32 [512] block [128] at (%i)) {
  %v = grid.load %x : memref<128xf32, #grid.space<default>> -> tensor<128xf32>
  grid.store %v, %o : tensor<128xf32>, memref<128xf32, #grid.space<default>>
} loc("kernel.py":7:3)

// -----

// An index map that reads a prefetched scalar is computed in place and tested.
// CHECK-LABEL: func.func @prefetched(
// CHECK-SAME:      %[[ROWS:[a-z0-9]*]]: memref<8xi32>
// CHECK:         %[[ROW:[a-z0-9_]*]] = memref.subview %[[ROWS]]
// CHECK:         memref.load %[[ROW]]
// CHECK:         scf.if
grid.kernel @prefetched grid(%i = 8)
    index(%rows: i32 [8] space index)
    inputs(%x: f32 [64, 16] block [squeezed, 16] map(%a: i32, %r: memref<8xi32, #grid.space<index>>) {
             %s = grid.slice_ref %r[%a] [1] [1] drop [0] : memref<8xi32, #grid.space<index>>, i32 -> memref<i32, #grid.space<index>>
             %row = grid.load %s : memref<i32, #grid.space<index>> -> i32
             %c0 = arith.constant 0 : i32
             grid.yield %row, %c0 : i32, i32
           })
    outputs(%o: f32 [8, 16] block [squeezed, 16] at (%i, 0)) {
  %v = grid.load %x : memref<16xf32, #grid.space<default>> -> tensor<16xf32>
  grid.store %v, %o : tensor<16xf32>, memref<16xf32, #grid.space<default>>
}

// -----

// A sequential dimension is a loop inside the work item; two parallel ones are taken apart; scratch is made once.
// CHECK-LABEL: func.func @dimensions(
// CHECK-SAME:      %[[N:[a-z0-9]*]]: memref<i32>
// CHECK:         memref.alloca() {{.*}} : memref<8xf32>
// CHECK:         scf.for %[[ITEM:[a-z0-9_]*]] = %{{.*}} to %{{.*}} step
// CHECK:           arith.remui %[[ITEM]]
// CHECK:           arith.divui %[[ITEM]]
// CHECK:           scf.for
// CHECK-NOT:         memref.alloca
// CHECK:             arith.index_cast %[[ITEM:.*]] : index to i32
// CHECK:       func.func @dimensions.range(%[[N2:[a-z0-9]*]]: memref<i32>
// CHECK:         memref.load %[[N2]]
grid.kernel @dimensions grid(%i = 2, %k = 3, %j = ?)
    inputs(%x: f32 [8]) outputs(%o: f32 [8])
    scratch(%a: memref<8xf32, #grid.space<tpu.vmem>>)
    semantics [parallel, arbitrary, parallel] {
  %p = grid.program_id 1
  %n = grid.num_programs 2
  %s = arith.addi %p, %n : i32
  %f = arith.sitofp %s : i32 to f32
  %t = tensor.splat %f : tensor<8xf32>
  grid.store %t, %a : tensor<8xf32>, memref<8xf32, #grid.space<tpu.vmem>>
  %v = grid.load %a : memref<8xf32, #grid.space<tpu.vmem>> -> tensor<8xf32>
  grid.store %v, %o : tensor<8xf32>, memref<8xf32, #grid.space<default>>
}
