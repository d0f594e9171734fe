// Arrays of indices: positions that a mask limits to the dimension are inside, and a store to them reads nothing.
//
// RUN: gridir-opt %s --grid-check='checks=in-bounds,initialized' | FileCheck %s

#id = affine_map<(d0) -> (d0)>

// CHECK-LABEL: grid.kernel @masked
// CHECK-DAG: {check = "in-bounds", subject = "x_ref", verdict = "proved"}
// CHECK-DAG: {check = "in-bounds", subject = "o_ref", verdict = "proved"}
// CHECK-DAG: {check = "initialized", subject = "o_ref", verdict = "proved"}
grid.kernel @masked grid(%i = 4) inputs(%x: f32 [200] origin "x_ref") outputs(%o: f32 [200] origin "o_ref") {
  %id = grid.program_id 0
  %c64 = arith.constant 64 : i32
  %first = arith.muli %id, %c64 : i32
  %empty = tensor.empty() : tensor<64xi32>
  %lanes = linalg.generic {indexing_maps = [#id], iterator_types = ["parallel"]} outs(%empty : tensor<64xi32>) {
  ^bb0(%out: i32):
    %n = linalg.index 0 : index
    %lane = arith.index_cast %n : index to i32
    linalg.yield %lane : i32
  } -> tensor<64xi32>
  %firsts = linalg.fill ins(%first : i32) outs(%empty : tensor<64xi32>) -> tensor<64xi32>
  %at = arith.addi %firsts, %lanes : tensor<64xi32>
  %end = arith.constant dense<200> : tensor<64xi32>
  %mask = arith.cmpi slt, %at, %end : tensor<64xi32>
  %v = grid.gather %x[%at] dims [0] mask %mask : memref<200xf32, #grid.space<default>>, tensor<64xi32> mask tensor<64xi1> -> tensor<64xf32>
  grid.scatter %v, %o[%at] dims [0] mask %mask : tensor<64xf32>, memref<200xf32, #grid.space<default>>, tensor<64xi32> mask tensor<64xi1>
}

// The mask is that of a longer array, and sums start with what the memory holds.
// CHECK-LABEL: grid.kernel @beyond
// CHECK-DAG: {check = "in-bounds", reason = "an array of indices may exceed dimension 0, which has 200 elements", subject = "x_ref", verdict = "unknown"}
// CHECK-DAG: {check = "in-bounds", reason = "an array of indices into dimension 0 is known only at run time", subject = "o_ref", verdict = "unknown"}
// CHECK-DAG: {check = "initialized", reason = "it may be read before it is written", subject = "o_ref", verdict = "unknown"}
grid.kernel @beyond grid(%i = 4) inputs(%x: f32 [200] origin "x_ref", %rows: i32 [64] origin "rows_ref") outputs(%o: f32 [200] origin "o_ref") {
  %id = grid.program_id 0
  %c64 = arith.constant 64 : i32
  %first = arith.muli %id, %c64 : i32
  %empty = tensor.empty() : tensor<64xi32>
  %lanes = linalg.generic {indexing_maps = [#id], iterator_types = ["parallel"]} outs(%empty : tensor<64xi32>) {
  ^bb0(%out: i32):
    %n = linalg.index 0 : index
    %lane = arith.index_cast %n : index to i32
    linalg.yield %lane : i32
  } -> tensor<64xi32>
  %firsts = linalg.fill ins(%first : i32) outs(%empty : tensor<64xi32>) -> tensor<64xi32>
  %at = arith.addi %firsts, %lanes : tensor<64xi32>
  %end = arith.constant dense<256> : tensor<64xi32>
  %mask = arith.cmpi slt, %at, %end : tensor<64xi32>
  %v = grid.gather %x[%at] dims [0] mask %mask : memref<200xf32, #grid.space<default>>, tensor<64xi32> mask tensor<64xi1> -> tensor<64xf32>
  %where = grid.load %rows : memref<64xi32, #grid.space<default>> -> tensor<64xi32>
  grid.scatter %v, %o[%where] dims [0] add : tensor<64xf32>, memref<200xf32, #grid.space<default>>, tensor<64xi32>
}
