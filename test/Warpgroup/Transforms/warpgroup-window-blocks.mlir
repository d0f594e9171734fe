// RUN: gridir-opt %s --warpgroup-window-blocks | FileCheck %s
// RUN: gridir-opt %s --warpgroup-window-blocks -o /dev/null --mlir-pass-statistics --mlir-pass-statistics-display=list 2>&1 | FileCheck %s --check-prefix=STATISTICS
// RUN: gridir-opt %s --warpgroup-window-blocks -o /dev/null --remarks-filter=warpgroup-window-blocks 2>&1 | FileCheck %s --check-prefix=REMARK
// STATISTICS: (S) 2 num-changed
// REMARK: the kernel keeps its blocks and grid, since {{.*}}warpgroups do not compute grid.rotate

!space = memref<4xi32, #tpu.memory_space<smem>>
!scalar = memref<i32, #tpu.memory_space<smem>>

// The index operand becomes an input. An index that is data is checked and limited, one that is proved is not; a
// dimension that blocks do not have is absent from the window.
// CHECK-LABEL: grid.kernel @pages grid(%{{.*}} = 4, %{{.*}} = 2)
// CHECK-NEXT:  inputs(%[[S:.*]]: i32 [4] space #tpu.memory_space<smem>
// CHECK-NEXT:  %[[X:.*]]: f32 [8, 32, 128] origin "x_ref",
// CHECK-NEXT:  %[[Y:.*]]: f32 [32, 128] block [16, 128] at (%{{.*}}, 0))
// CHECK-NEXT:  outputs(
// CHECK:       %[[I:.*]] = grid.program_id 0
// CHECK:       %[[J:.*]] = grid.program_id 1
// CHECK:       %[[E:.*]] = grid.slice_ref %[[S]][%[[I]]] [1] [1] drop [0]
// CHECK:       %[[N:.*]] = grid.load %[[E]]
// CHECK:       %[[PAGE:.*]] = arith.index_cast %[[N]] : i32 to index
// CHECK:       grid.assert %{{.*}}, "block index {0} of dimension 0 of x_ref is outside the array, which has 8 elements there and blocks of 1"(%[[PAGE]]
// CHECK:       arith.minsi
// CHECK:       %[[ROW:.*]] = arith.index_cast %[[J]] : i32 to index
// CHECK:       %[[OFFSET:.*]] = arith.muli %[[ROW]]
// CHECK:       grid.slice_ref %[[X]][%{{.*}}, %[[OFFSET]], 0] [1, 16, 128] [1, 1, 1] drop [0]
// CHECK-NOT:   grid.assert
// CHECK:       grid.store
grid.kernel @pages grid(%i = 4, %j = 2)
    index(%s: i32 [4] space #tpu.memory_space<smem>)
    inputs(%x: f32 [8, 32, 128] block [squeezed, 16, 128] map(%a: i32, %b: i32, %t: !space) {
      %e = grid.slice_ref %t[%a] [1] [1] drop [0] : !space, i32 -> !scalar
      %n = grid.load %e : !scalar -> i32
      %c0 = arith.constant 0 : i32
      grid.yield %n, %b, %c0 : i32, i32, i32
    } origin "x_ref", %y: f32 [32, 128] block [16, 128] at (%j, 0))
    outputs(%o: f32 [128, 128] block [16, 128] at (%i * 2 + %j, 0)) semantics [parallel, parallel] {
  %v = grid.load %x : memref<16x128xf32, #grid.space<default>> -> tensor<16x128xf32>
  %w = grid.load %y : memref<16x128xf32, #grid.space<default>> -> tensor<16x128xf32>
  %u = arith.addf %v, %w : tensor<16x128xf32>
  grid.store %u, %o : tensor<16x128xf32>, memref<16x128xf32, #grid.space<default>>
}

// An index that is no affine function of the program, and whose range is known.
// CHECK-LABEL: grid.kernel @folded
// CHECK-NOT:   grid.assert
// CHECK:       grid.slice_ref %{{.*}}[%{{.*}}, 0] [16, 128]
grid.kernel @folded grid(%i = 4)
    inputs(%x: f32 [64, 128] block [16, 128] map(%a: i32) {
      %c4 = arith.constant 4 : i32
      %c0 = arith.constant 0 : i32
      %n = arith.muli %a, %a : i32
      %m = arith.remui %n, %c4 : i32
      grid.yield %m, %c0 : i32, i32
    })
    outputs(%o: f32 [64, 128] block [16, 128] at (%i, 0)) semantics [parallel] {
  %v = grid.load %x : memref<16x128xf32, #grid.space<default>> -> tensor<16x128xf32>
  grid.store %v, %o : tensor<16x128xf32>, memref<16x128xf32, #grid.space<default>>
}

// A block may overhang its array: it stays a block.
// CHECK-LABEL: grid.kernel @overhanging
// CHECK:       index(
grid.kernel @overhanging grid(%i = 4)
    index(%s: i32 [4] space #tpu.memory_space<smem>)
    inputs(%x: f32 [60, 128] block [16, 128] map(%a: i32, %t: !space) {
      %e = grid.slice_ref %t[%a] [1] [1] drop [0] : !space, i32 -> !scalar
      %n = grid.load %e : !scalar -> i32
      %c0 = arith.constant 0 : i32
      grid.yield %n, %c0 : i32, i32
    })
    outputs(%o: f32 [64, 128] block [16, 128] at (%i, 0)) semantics [parallel] {
  %v = grid.load %x : memref<16x128xf32, #grid.space<default>> -> tensor<16x128xf32>
  grid.store %v, %o : tensor<16x128xf32>, memref<16x128xf32, #grid.space<default>>
}

// A kernel with another obstacle stays as it is.
// CHECK-LABEL: grid.kernel @sorts
// CHECK:       index(
grid.kernel @sorts grid(%i = 4)
    index(%s: i32 [4] space #tpu.memory_space<smem>)
    inputs(%x: f32 [64, 128] block [16, 128] at (%i, 0))
    outputs(%o: f32 [64, 128] block [16, 128] at (%i, 0)) semantics [parallel] {
  %v = grid.load %x : memref<16x128xf32, #grid.space<default>> -> tensor<16x128xf32>
  %c = arith.constant 1 : i32
  %w = grid.rotate %v by %c dim 0 : tensor<16x128xf32>, i32
  grid.store %w, %o : tensor<16x128xf32>, memref<16x128xf32, #grid.space<default>>
}
