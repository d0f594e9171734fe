// Padding that reaches an output, and products that may not fit.
//
// RUN: gridir-opt %s --grid-check='checks=padding,overflow' | FileCheck %s

// Each element is computed with by itself, and is outside of the output again.
// CHECK-LABEL: grid.kernel @elementwise
// CHECK: {check = "padding", subject = "x_ref", verdict = "proved"}
grid.kernel @elementwise grid(%i = 5)
    inputs(%x: f32 [37, 16] block [8, 16] at (%i, 0) origin "x_ref")
    outputs(%o: f32 [37, 16] block [8, 16] at (%i, 0) origin "o_ref") {
  %v = grid.load %x : memref<8x16xf32, #grid.space<default>> -> tensor<8x16xf32>
  %w = arith.addf %v, %v : tensor<8x16xf32>
  grid.store %w, %o : tensor<8x16xf32>, memref<8x16xf32, #grid.space<default>>
}

// A sum over rows leaves the padding where it is; one over columns does not.
// CHECK-LABEL: grid.kernel @sum_of_rows
// CHECK: {check = "padding", subject = "x_ref", verdict = "proved"}
grid.kernel @sum_of_rows grid(%i = 5)
    inputs(%x: f32 [37, 16] block [8, 16] at (%i, 0) origin "x_ref")
    outputs(%o: f32 [37] block [8] at (%i) origin "o_ref") {
  %v = grid.load %x : memref<8x16xf32, #grid.space<default>> -> tensor<8x16xf32>
  %z = arith.constant dense<0.0> : tensor<8xf32>
  %s = linalg.reduce ins(%v : tensor<8x16xf32>) outs(%z : tensor<8xf32>) dimensions = [1]
    (%in: f32, %init: f32) {
      %a = arith.addf %in, %init : f32
      linalg.yield %a : f32
    }
  grid.store %s, %o : tensor<8xf32>, memref<8xf32, #grid.space<default>>
}

// CHECK-LABEL: grid.kernel @sum_of_columns
// CHECK: {check = "padding", reason = "padding of its blocks may reach o_ref", subject = "x_ref", verdict = "unknown"}
grid.kernel @sum_of_columns grid(%i = 5)
    inputs(%x: f32 [37, 16] block [8, 16] at (%i, 0) origin "x_ref")
    outputs(%o: f32 [5, 16] block [squeezed, 16] at (%i, 0) origin "o_ref") {
  %v = grid.load %x : memref<8x16xf32, #grid.space<default>> -> tensor<8x16xf32>
  %z = arith.constant dense<0.0> : tensor<16xf32>
  %s = linalg.reduce ins(%v : tensor<8x16xf32>) outs(%z : tensor<16xf32>) dimensions = [0]
    (%in: f32, %init: f32) {
      %a = arith.addf %in, %init : f32
      linalg.yield %a : f32
    }
  grid.store %s, %o : tensor<16xf32>, memref<16xf32, #grid.space<default>>
}

// A mask is there to leave padding out.
// CHECK-LABEL: grid.kernel @masked_sum
// CHECK: {check = "padding", subject = "x_ref", verdict = "proved"}
grid.kernel @masked_sum grid(%i = 5)
    inputs(%x: f32 [37, 16] block [8, 16] at (%i, 0) origin "x_ref",
           %m: i1 [8, 16] origin "m_ref")
    outputs(%o: f32 [5, 16] block [squeezed, 16] at (%i, 0) origin "o_ref") {
  %v = grid.load %x : memref<8x16xf32, #grid.space<default>> -> tensor<8x16xf32>
  %c = grid.load %m : memref<8x16xi1, #grid.space<default>> -> tensor<8x16xi1>
  %n = arith.constant dense<0.0> : tensor<8x16xf32>
  %k = arith.select %c, %v, %n : tensor<8x16xi1>, tensor<8x16xf32>
  %z = arith.constant dense<0.0> : tensor<16xf32>
  %s = linalg.reduce ins(%k : tensor<8x16xf32>) outs(%z : tensor<16xf32>) dimensions = [0]
    (%in: f32, %init: f32) {
      %a = arith.addf %in, %init : f32
      linalg.yield %a : f32
    }
  grid.store %s, %o : tensor<16xf32>, memref<16xf32, #grid.space<default>>
}

// Through scratch, and through a contraction.
// CHECK-LABEL: grid.kernel @contracted
// CHECK: {check = "padding", reason = "padding of its blocks may reach o_ref", subject = "x_ref", verdict = "unknown"}
// CHECK-SAME: {check = "padding", reason = "padding of its blocks may reach o_ref", subject = "y_ref", verdict = "unknown"}
grid.kernel @contracted grid(%k = 3)
    inputs(%x: f32 [8, 300] block [8, 128] at (0, %k) origin "x_ref",
           %y: f32 [300, 8] block [128, 8] at (%k, 0) origin "y_ref")
    outputs(%o: f32 [8, 8] origin "o_ref")
    scratch(%a: memref<8x8xf32, #tpu.memory_space<vmem>> origin "a_ref") {
  %v = grid.load %x : memref<8x128xf32, #grid.space<default>> -> tensor<8x128xf32>
  %w = grid.load %y : memref<128x8xf32, #grid.space<default>> -> tensor<128x8xf32>
  %p = grid.dot %v, %w contract [1] x [0] : tensor<8x128xf32>, tensor<128x8xf32> -> tensor<8x8xf32>
  grid.store %p, %a : tensor<8x8xf32>, memref<8x8xf32, #tpu.memory_space<vmem>>
  %r = grid.load %a : memref<8x8xf32, #tpu.memory_space<vmem>> -> tensor<8x8xf32>
  grid.store %r, %o : tensor<8x8xf32>, memref<8x8xf32, #grid.space<default>>
}

// CHECK-LABEL: grid.kernel @narrow
// CHECK: {check = "overflow", reason = "a sum of 128 products may need 23 bits, but is stored in 8", subject = "i8", verdict = "unknown"}
// CHECK-SAME: {check = "overflow", subject = "i8", verdict = "proved"}
// CHECK-SAME: {check = "overflow", reason = "a product may need 16 bits, but is stored in 8", subject = "i8", verdict = "unknown"}
// CHECK-NOT: overflow
grid.kernel @narrow grid()
    inputs(%x: i8 [8, 128] origin "x_ref", %y: i8 [128, 8] origin "y_ref", %n: i4 [8, 8] origin "n_ref")
    outputs(%o: i8 [8, 8] origin "o_ref", %p: i32 [8, 8] origin "p_ref") {
  %v = grid.load %x : memref<8x128xi8, #grid.space<default>> -> tensor<8x128xi8>
  %w = grid.load %y : memref<128x8xi8, #grid.space<default>> -> tensor<128x8xi8>
  %d = grid.dot %v, %w contract [1] x [0] : tensor<8x128xi8>, tensor<128x8xi8> -> tensor<8x8xi8>
  %m = grid.load %n : memref<8x8xi4, #grid.space<default>> -> tensor<8x8xi4>
  %e = arith.extsi %m : tensor<8x8xi4> to tensor<8x8xi8>
  %f = arith.muli %e, %e : tensor<8x8xi8>
  %g = arith.muli %d, %d : tensor<8x8xi8>
  %h = arith.addi %f, %g : tensor<8x8xi8>
  grid.store %h, %o : tensor<8x8xi8>, memref<8x8xi8, #grid.space<default>>
  %q = grid.dot %v, %w contract [1] x [0] : tensor<8x128xi8>, tensor<128x8xi8> -> tensor<8x8xi32>
  grid.store %q, %p : tensor<8x8xi32>, memref<8x8xi32, #grid.space<default>>
}
