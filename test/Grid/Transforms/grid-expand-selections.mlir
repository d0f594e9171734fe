// RUN: gridir-opt %s --pass-pipeline='builtin.module(grid.kernel(grid-expand-selections))' | FileCheck %s
// RUN: gridir-opt %s --pass-pipeline='builtin.module(grid.kernel(grid-expand-selections))' --mlir-pass-statistics -o /dev/null 2>&1 | FileCheck %s --check-prefix=STATISTICS

// STATISTICS: 4 num-expanded

// Of three Refs the last one is for what is left; a view of the chosen one is one of each.
// CHECK-LABEL: grid.kernel @views
// CHECK-NOT: grid.select_ref
// CHECK: %[[IS_FIRST:.+]] = arith.cmpi eq, %[[I:.+]], %c0
// CHECK: %[[V:.+]] = scf.if %[[IS_FIRST]] -> (tensor<8xf32>) {
// CHECK:   %[[ROW:.+]] = grid.slice_ref %arg2[%[[R:.+]], 0]
// CHECK:   %[[LOADED:.+]] = grid.load %[[ROW]]
// CHECK:   scf.yield %[[LOADED]]
// CHECK: } else {
// CHECK:   %[[IS_SECOND:.+]] = arith.cmpi eq, %[[I]], %c1
// CHECK:   %[[OTHERS:.+]] = scf.if %[[IS_SECOND]] -> (tensor<8xf32>) {
// CHECK:     grid.slice_ref %arg3[%[[R]], 0]
// CHECK:   } else {
// CHECK:     grid.slice_ref %arg4[%[[R]], 0]
// CHECK:   scf.yield %[[OTHERS]]
// CHECK: grid.store %[[V]], %arg5
grid.kernel @views grid(%j = 1)
    inputs(%i: i32 [], %r: i32 [], %a: f32 [4, 8], %b: f32 [4, 8], %c: f32 [4, 8])
    outputs(%o: f32 [8]) {
  %number = grid.load %i : memref<i32, #grid.space<default>> -> i32
  %place = grid.load %r : memref<i32, #grid.space<default>> -> i32
  %chosen = grid.select_ref %number of %a, %b, %c : memref<4x8xf32, #grid.space<default>>, memref<4x8xf32, #grid.space<default>>, memref<4x8xf32, #grid.space<default>> -> memref<4x8xf32, #grid.space<default>>
  %row = grid.slice_ref %chosen[%place, 0] [1, 8] [1, 1] drop [0] : memref<4x8xf32, #grid.space<default>>, i32 -> memref<8xf32, #grid.space<default>>
  %v = grid.load %row : memref<8xf32, #grid.space<default>> -> tensor<8xf32>
  grid.store %v, %o : tensor<8xf32>, memref<8xf32, #grid.space<default>>
}

// A choice from what is chosen, and two choices of one op: each has its branches.
// CHECK-LABEL: grid.kernel @nested
// CHECK-NOT: grid.select_ref
// CHECK: scf.if
// CHECK:   scf.if
// CHECK:     grid.store %{{.+}}, %arg1
// CHECK:   } else {
// CHECK:     grid.store %{{.+}}, %arg2
// CHECK: } else {
// CHECK:   grid.store %{{.+}}, %arg3
grid.kernel @nested grid(%j = 1)
    inputs(%i: i32 [])
    outputs(%o: f32 [8], %p: f32 [8], %q: f32 [8]) {
  %number = grid.load %i : memref<i32, #grid.space<default>> -> i32
  %inner = grid.select_ref %number of %o, %p : memref<8xf32, #grid.space<default>>, memref<8xf32, #grid.space<default>> -> memref<8xf32, #grid.space<default>>
  %outer = grid.select_ref %number of %inner, %q : memref<8xf32, #grid.space<default>>, memref<8xf32, #grid.space<default>> -> memref<8xf32, #grid.space<default>>
  %one = arith.constant dense<1.0> : tensor<8xf32>
  grid.store %one, %outer : tensor<8xf32>, memref<8xf32, #grid.space<default>>
}

// A choice that nothing uses goes.
// CHECK-LABEL: grid.kernel @unused
// CHECK-NOT: scf.if
// CHECK-NOT: grid.select_ref
grid.kernel @unused grid(%j = 1)
    inputs(%a: f32 [8], %b: f32 [8]) {
  %i = arith.constant 1 : i32
  %chosen = grid.select_ref %i of %a, %b : memref<8xf32, #grid.space<default>>, memref<8xf32, #grid.space<default>> -> memref<8xf32, #grid.space<default>>
}
