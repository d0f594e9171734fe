// RUN: gridir-opt %s --split-input-file --warpgroup-infer-layouts --warpgroup-plan-memory --warpgroup-insert-barriers --convert-warpgroup-to-nvvm --canonicalize --cse | FileCheck %s

// The condition changes at a multiple of 4, so one access moves 16 bytes or nothing.
// CHECK-LABEL: gpu.module @uniform
// CHECK: %[[LOADED:.+]]:4 = scf.if %[[FIRST:.+]] -> (f32, f32, f32, f32) {
// CHECK: llvm.load %{{.+}} {alignment = 16 : i64} : !llvm.ptr<1> -> vector<4xf32>
// CHECK: } else {
// CHECK-NEXT: scf.yield %[[OTHER:.+]], %[[OTHER]], %[[OTHER]], %[[OTHER]]
// CHECK-NEXT: }
// CHECK-NOT: llvm.load {{.*}} -> f32
// CHECK: scf.if %[[FIRST]] {
// CHECK: llvm.store %{{.+}}, %{{.+}} {alignment = 16 : i64} : vector<4xf32>, !llvm.ptr<1>
// CHECK-NEXT: }
// CHECK-NOT: llvm.store {{.*}} : f32
#id = affine_map<(d0) -> (d0)>
grid.kernel @uniform grid() inputs(%x: f32 [2048] space #warpgroup.space<gmem>) outputs(%o: f32 [2048] space #warpgroup.space<gmem>) {
  %u = grid.slice_ref %x[0] [1024] [1] : memref<2048xf32, #warpgroup.space<gmem>> -> memref<1024xf32, #warpgroup.space<gmem>>
  %w = grid.slice_ref %o[0] [1024] [1] : memref<2048xf32, #warpgroup.space<gmem>> -> memref<1024xf32, #warpgroup.space<gmem>>
  %empty = tensor.empty() : tensor<1024xi1>
  %inside = linalg.generic {indexing_maps = [#id], iterator_types = ["parallel"]} outs(%empty : tensor<1024xi1>) {
  ^bb0(%out: i1):
    %i = linalg.index 0 : index
    %end = arith.constant 1000 : index
    %is_inside = arith.cmpi slt, %i, %end : index
    linalg.yield %is_inside : i1
  } -> tensor<1024xi1>
  %other = arith.constant dense<1.0> : tensor<1024xf32>
  %v = grid.load %u mask %inside other %other : memref<1024xf32, #warpgroup.space<gmem>>, tensor<1024xi1>, tensor<1024xf32> -> tensor<1024xf32>
  grid.store %v, %w mask %inside : tensor<1024xf32>, memref<1024xf32, #warpgroup.space<gmem>>, tensor<1024xi1>
}

// -----

// A limit that 4 does not divide: a thread moves the elements of its last access one by one.
// CHECK-LABEL: gpu.module @rest
// CHECK: %[[A:.+]] = arith.andi %[[C0:.+]], %[[C1:.+]] : i1
// CHECK: %[[B:.+]] = arith.andi %[[A]], %[[C2:.+]] : i1
// CHECK: %[[ALL:.+]] = arith.andi %[[B]], %[[C3:.+]] : i1
// CHECK: scf.if %[[ALL]] -> (f32, f32, f32, f32) {
// CHECK: llvm.load %{{.+}} -> vector<4xf32>
// CHECK: } else {
// CHECK: scf.if %[[C0]] -> (f32) {
// CHECK: scf.if %[[C3]] -> (f32) {
// CHECK: scf.if %[[ALL]] {
// CHECK: llvm.store %{{.+}} : vector<4xf32>, !llvm.ptr<1>
// CHECK: } else {
// CHECK: scf.if %[[C0]] {
// CHECK: scf.if %[[C3]] {
#id = affine_map<(d0) -> (d0)>
grid.kernel @rest grid() inputs(%x: f32 [1024] space #warpgroup.space<gmem>) outputs(%o: f32 [1024] space #warpgroup.space<gmem>) {
  %empty = tensor.empty() : tensor<1024xi32>
  %numbers = linalg.generic {indexing_maps = [#id], iterator_types = ["parallel"]} outs(%empty : tensor<1024xi32>) {
  ^bb0(%out: i32):
    %i = linalg.index 0 : index
    %n = arith.index_cast %i : index to i32
    linalg.yield %n : i32
  } -> tensor<1024xi32>
  %end = arith.constant dense<1001> : tensor<1024xi32>
  %inside = arith.cmpi slt, %numbers, %end : tensor<1024xi32>
  %v = grid.load %x mask %inside : memref<1024xf32, #warpgroup.space<gmem>>, tensor<1024xi1> -> tensor<1024xf32>
  grid.store %v, %o mask %inside : tensor<1024xf32>, memref<1024xf32, #warpgroup.space<gmem>>, tensor<1024xi1>
}

// -----

// Comparisons the other way round, with a limit before the change, and with a first position that is a multiple of 4.
// CHECK-LABEL: gpu.module @comparisons
// CHECK-NOT: -> (f32) {
#id = affine_map<(d0) -> (d0)>
grid.kernel @comparisons grid(%k = 2) inputs(%x: f32 [1024] space #warpgroup.space<gmem>) outputs(%o: f32 [1024] space #warpgroup.space<gmem>) {
  %empty = tensor.empty() : tensor<1024xi32>
  %id = grid.program_id 0
  %c512 = arith.constant 512 : i32
  %first = arith.muli %id, %c512 : i32
  %numbers = linalg.generic {indexing_maps = [#id], iterator_types = ["parallel"]} outs(%empty : tensor<1024xi32>) {
  ^bb0(%out: i32):
    %i = linalg.index 0 : index
    %n = arith.index_cast %i : index to i32
    %m = arith.addi %n, %first : i32
    linalg.yield %m : i32
  } -> tensor<1024xi32>
  %last = arith.constant dense<999> : tensor<1024xi32>
  %begin = arith.constant dense<8> : tensor<1024xi32>
  %a = arith.cmpi sle, %numbers, %last : tensor<1024xi32>
  %b = arith.cmpi sle, %begin, %numbers : tensor<1024xi32>
  %inside = arith.andi %a, %b : tensor<1024xi1>
  %v = grid.load %x mask %inside : memref<1024xf32, #warpgroup.space<gmem>>, tensor<1024xi1> -> tensor<1024xf32>
  grid.store %v, %o mask %inside : tensor<1024xf32>, memref<1024xf32, #warpgroup.space<gmem>>, tensor<1024xi1>
}
