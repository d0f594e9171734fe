// Bytecode holds all of a module: its locations and names too, and the same module is the same bytes.
//
// RUN: gridir-opt %s --emit-bytecode -o %t.mlirbc
// RUN: gridir-opt %t.mlirbc --emit-bytecode -o %t.again.mlirbc
// RUN: cmp %t.mlirbc %t.again.mlirbc
// RUN: gridir-opt %t.mlirbc --mlir-print-debuginfo | FileCheck %s

// CHECK-LABEL: grid.kernel @scale grid(%i = 4 named "rows")
// CHECK: inputs(%{{.*}}: f32 [32] block [8] at (%i) origin "x_ref"
// CHECK: scratch(%acc_ref: memref<8xf32>{{.*}} origin "acc_ref", %{{.*}}, %last: memref<8xf32>{{.*}} origin "last[")
// CHECK: grid.scoped (%tmp_ref: memref<8xf32>{{.*}} origin "tmp_ref")
// CHECK: grid.load %{{.*}} loc(#[[LOAD:.*]])
// CHECK: #[[LOAD]] = loc("kernel.py":5:6)
grid.kernel @scale grid(%i = 4 named "rows")
    inputs(%x: f32 [32] block [8] at (%i) origin "x_ref")
    outputs(%o: f32 [32] block [8] at (%i))
    scratch(%a: memref<8xf32> origin "acc_ref", %b: memref<8xf32>, %c: memref<8xf32> origin "last[") {
  grid.scoped (%t: memref<8xf32> origin "tmp_ref") {
  }
  %v = grid.load %x : memref<8xf32, #grid.space<default>> -> tensor<8xf32> loc("kernel.py":5:6)
  grid.store %v, %o : tensor<8xf32>, memref<8xf32, #grid.space<default>>
}
