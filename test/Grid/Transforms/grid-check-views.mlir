// Which elements an access through a view names: all that are known, and not more.
//
// RUN: gridir-opt %s --grid-check='checks=written' | FileCheck %s

// A Ref of another shape is the same elements where it is whole.
// CHECK-LABEL: grid.kernel @reshaped
// CHECK: {check = "written", subject = "o_ref", verdict = "proved"}
grid.kernel @reshaped grid(%i = 2) outputs(%o: f32 [2, 8, 16] block [1, 8, 16] at (%i, 0, 0) origin "o_ref") {
  %zero = arith.constant dense<0.0> : tensor<128xf32>
  %r = grid.reshape_ref %o : memref<1x8x16xf32, #grid.space<default>> -> memref<128xf32, #grid.space<default>>
  grid.store %zero, %r : tensor<128xf32>, memref<128xf32, #grid.space<default>>
}

// Of a part of it only where it lies is known.
// CHECK-LABEL: grid.kernel @part_of_reshaped
// CHECK: {check = "written", reason = "the condition or the indices of a store are known only at run time", subject = "o_ref", verdict = "unknown"}
grid.kernel @part_of_reshaped grid(%i = 2) outputs(%o: f32 [2, 8, 16] block [1, 8, 16] at (%i, 0, 0) origin "o_ref") {
  %zero = arith.constant dense<0.0> : tensor<127xf32>
  %r = grid.reshape_ref %o : memref<1x8x16xf32, #grid.space<default>> -> memref<128xf32, #grid.space<default>>
  %p = grid.slice_ref %r[1] [127] [1] : memref<128xf32, #grid.space<default>> -> memref<127xf32, #grid.space<default>>
  grid.store %zero, %p : tensor<127xf32>, memref<127xf32, #grid.space<default>>
}

// A case that is chosen at run time may not run.
// CHECK-LABEL: grid.kernel @case
// CHECK: {check = "written", reason = "the condition or the indices of a store are known only at run time", subject = "o_ref", verdict = "unknown"}
grid.kernel @case grid(%i = 2) inputs(%n: i32 [] origin "n_ref") outputs(%o: f32 [16] block [8] at (%i) origin "o_ref") {
  %zero = arith.constant dense<0.0> : tensor<8xf32>
  %number = grid.load %n : memref<i32, #grid.space<default>> -> i32
  %which = arith.index_cast %number : i32 to index
  scf.index_switch %which
  case 0 {
    grid.store %zero, %o : tensor<8xf32>, memref<8xf32, #grid.space<default>>
    scf.yield
  }
  default {
  }
}

// A tile of a block that lies in tiles is no window of the array.
// CHECK-LABEL: grid.kernel @tile
// CHECK: {check = "written", reason = "the condition or the indices of a store are known only at run time", subject = "o_ref", verdict = "unknown"}
grid.kernel @tile grid() outputs(%o: f32 [16, 128] transforms [<tiling [8, 64]>] origin "o_ref") {
  %zero = arith.constant dense<0.0> : tensor<1x1x8x64xf32>
  %t = grid.slice_ref %o[0, 0, 0, 0] [1, 1, 8, 64] [1, 1, 1, 1] : memref<2x2x8x64xf32, #grid.space<default>> -> memref<1x1x8x64xf32, #grid.space<default>>
  grid.store %zero, %t : tensor<1x1x8x64xf32>, memref<1x1x8x64xf32, #grid.space<default>>
}

// The source of a view of a memref with dynamic rank may be any operand, whatever else the view takes.
// CHECK-LABEL: grid.kernel @unranked
// CHECK: {check = "written", reason = "the condition or the indices of a store are known only at run time", subject = "o_ref", verdict = "unknown"}
grid.kernel @unranked grid(%i = 2) inputs(%n: i32 [1] origin "n_ref") outputs(%o: f32 [16] block [8] at (%i) origin "o_ref") {
  %zero = arith.constant dense<0.0> : tensor<8xf32>
  %any = memref.cast %o : memref<8xf32, #grid.space<default>> to memref<*xf32, #grid.space<default>>
  %r = memref.reshape %any(%n) : (memref<*xf32, #grid.space<default>>, memref<1xi32, #grid.space<default>>) -> memref<8xf32, #grid.space<default>>
  grid.store %zero, %r : tensor<8xf32>, memref<8xf32, #grid.space<default>>
}
