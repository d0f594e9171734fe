// RUN: gridir-opt %s --pass-pipeline='builtin.module(grid.kernel(warpgroup-check-windows))' | FileCheck %s
// RUN: gridir-opt %s --pass-pipeline='builtin.module(grid.kernel(warpgroup-check-windows))' -o /dev/null --mlir-pass-statistics --mlir-pass-statistics-display=list 2>&1 | FileCheck %s --check-prefix=STATISTICS
// STATISTICS: (S) 6 num-checked

// Offsets that are data are checked and limited, each in its dimension and with the name of the Ref; others are proved.
// CHECK-LABEL: grid.kernel @windows
// CHECK:       %[[FIRST:.*]] = grid.load
// CHECK:       %[[I:.*]] = arith.index_cast %[[FIRST]] : i32 to index
// CHECK:       %[[LAST:.*]] = arith.constant 48 : index
// CHECK:       %[[EXTENT:.*]] = arith.constant 64 : index
// CHECK:       %[[LOW:.*]] = arith.cmpi sge, %[[I]]
// CHECK:       %[[HIGH:.*]] = arith.cmpi sle, %[[I]], %[[LAST]]
// CHECK:       %[[BOTH:.*]] = arith.andi %[[LOW]], %[[HIGH]]
// CHECK:       grid.assert %[[BOTH]], "a slice of 16 elements from index {0} is out of bounds [0, {1}) in dimension 0 of x_ref"(%[[I]], %[[EXTENT]] : index, index)
// CHECK:       %[[A:.*]] = arith.maxsi %[[I]]
// CHECK:       %[[B:.*]] = arith.minsi %[[A]], %[[LAST]]
// CHECK:       grid.slice_ref %{{.*}}[%[[B]], 0] [16, 128]
// CHECK:       grid.assert %{{.*}}, "index {0} is out of bounds [0, {1}) in dimension 1 of x_ref"
// CHECK:       grid.slice_ref %{{.*}}[0, %{{.*}}] [16, 1] [2, 1]
// CHECK:       grid.assert %{{.*}}, "a slice of 2 elements from index {0} is out of bounds [0, {1}) in dimension 0 of x_ref"
// CHECK:       grid.slice_ref %{{.*}}[%{{.*}}, 0] [2, 128]
// CHECK-NOT:   grid.assert
// CHECK:       grid.store
grid.kernel @windows grid(%i = 4)
    inputs(%s: i32 [4] origin "s_ref", %x: f32 [64, 128] origin "x_ref")
    outputs(%o: f32 [64, 128] block [16, 128] at (%i, 0)) semantics [parallel] attributes {
      warpgroup.schedule = #warpgroup.schedule<cta = [16, 128], warpgroup = [16, 128]>} {
  %p = grid.program_id 0
  %e = grid.slice_ref %s[%p] [1] [1] drop [0] : memref<4xi32, #grid.space<default>>, i32 -> memref<i32, #grid.space<default>>
  %n = grid.load %e : memref<i32, #grid.space<default>> -> i32
  %rows = grid.slice_ref %x[%n, 0] [16, 128] [1, 1] : memref<64x128xf32, #grid.space<default>>, i32 -> memref<16x128xf32, #grid.space<default>>
  %column = grid.slice_ref %x[0, %n] [16, 1] [2, 1] : memref<64x128xf32, #grid.space<default>>, i32 -> memref<16x1xf32, #grid.space<default>>
  %inner = grid.slice_ref %rows[%n, 0] [2, 128] [1, 1] : memref<16x128xf32, #grid.space<default>>, i32 -> memref<2x128xf32, #grid.space<default>>
  %own = grid.slice_ref %x[%p, 0] [16, 128] [1, 1] : memref<64x128xf32, #grid.space<default>>, i32 -> memref<16x128xf32, #grid.space<default>>
  %v = grid.load %own : memref<16x128xf32, #grid.space<default>> -> tensor<16x128xf32>
  grid.store %v, %o : tensor<16x128xf32>, memref<16x128xf32, #grid.space<default>>
}

// Without a schedule the kernel is no warpgroup program.
// CHECK-LABEL: grid.kernel @mapped
// CHECK-NOT:   grid.assert
grid.kernel @mapped grid(%i = 4) inputs(%s: i32 [], %x: f32 [64, 128])
    outputs(%o: f32 [64, 128] block [16, 128] at (%i, 0)) semantics [parallel] {
  %n = grid.load %s : memref<i32, #grid.space<default>> -> i32
  %rows = grid.slice_ref %x[%n, 0] [16, 128] [1, 1] : memref<64x128xf32, #grid.space<default>>, i32 -> memref<16x128xf32, #grid.space<default>>
  %v = grid.load %rows : memref<16x128xf32, #grid.space<default>> -> tensor<16x128xf32>
  grid.store %v, %o : tensor<16x128xf32>, memref<16x128xf32, #grid.space<default>>
}

// A number that a selection may discard is loaded from the nearest position; another one is checked.
// CHECK-LABEL: grid.kernel @discarded
// CHECK-NOT:   grid.assert
// CHECK:       %[[A:.*]] = arith.maxsi
// CHECK:       %[[B:.*]] = arith.minsi %[[A]]
// CHECK:       grid.slice_ref %{{.*}}[%[[B]]] [1]
// CHECK:       arith.select
// CHECK:       grid.assert
// CHECK:       grid.slice_ref
grid.kernel @discarded grid(%i = 4)
    inputs(%s: i32 [4] origin "s_ref", %x: i32 [64, 128] block [16, 128] at (%i, 0))
    outputs(%o: i32 [64, 128] block [16, 128] at (%i, 0)) semantics [parallel] attributes {
      warpgroup.schedule = #warpgroup.schedule<cta = [16, 128], warpgroup = [16, 128]>} {
  %p = grid.program_id 0
  %one = arith.constant 1 : i32
  %four = arith.constant 4 : i32
  %next = arith.addi %p, %one : i32
  %e = grid.slice_ref %s[%next] [1] [1] drop [0] : memref<4xi32, #grid.space<default>>, i32 -> memref<i32, #grid.space<default>>
  %n = grid.load %e : memref<i32, #grid.space<default>> -> i32
  %inside = arith.cmpi slt, %next, %four : i32
  %r = arith.select %inside, %n, %one : i32
  %f = grid.slice_ref %s[%next] [1] [1] drop [0] : memref<4xi32, #grid.space<default>>, i32 -> memref<i32, #grid.space<default>>
  %m = grid.load %f : memref<i32, #grid.space<default>> -> i32
  %sum = arith.addi %r, %m : i32
  %v = tensor.splat %sum : tensor<16x128xi32>
  grid.store %v, %o : tensor<16x128xi32>, memref<16x128xi32, #grid.space<default>>
}

// CHECK-LABEL: grid.kernel @disabled
// CHECK-NOT:   grid.assert
// CHECK:       grid.slice_ref
// CHECK-NOT:   grid.assert
// CHECK:       grid.store
grid.kernel @disabled grid(%i = 4)
    inputs(%s: i32 [4] origin "s_ref")
    outputs(%o: i32 [64, 128] block [16, 128] at (%i, 0)) semantics [parallel]
    params [#grid.tpu_params<disable_bounds_checks = true>] attributes {
      warpgroup.schedule = #warpgroup.schedule<cta = [16, 128], warpgroup = [16, 128]>} {
  %p = grid.program_id 0
  %one = arith.constant 1 : i32
  %next = arith.addi %p, %one : i32
  %e = grid.slice_ref %s[%next] [1] [1] drop [0] : memref<4xi32, #grid.space<default>>, i32 -> memref<i32, #grid.space<default>>
  %n = grid.load %e : memref<i32, #grid.space<default>> -> i32
  %v = tensor.splat %n : tensor<16x128xi32>
  grid.store %v, %o : tensor<16x128xi32>, memref<16x128xi32, #grid.space<default>>
}
