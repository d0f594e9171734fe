// RUN: gridir-opt %s --convert-grid-to-tpu --split-input-file --verify-diagnostics

// What Mosaic has no form for is refused where the author wrote it: one thing in each chunk.

grid.kernel @print grid() inputs(%x: f32 [8, 128]) outputs(%o: f32 [8, 128]) {
  %c0 = arith.constant 0.0 : f32
  // expected-error @below {{expected numbers of i32 inside of a text on a TPU; let the text end with the numbers}}
  grid.print "{} is x" %c0 : f32
}

// -----

grid.kernel @callback grid() inputs(%x: f32 [8, 128]) outputs(%o: f32 [8, 128]) {
  // expected-error @below {{'grid.callback' is not supported on the tpu target}}
  grid.callback "5f0c93e1"
}

// -----

grid.kernel @prints grid() inputs(%x: f32 [8, 128]) outputs(%o: f32 [8, 128]) {
  %0 = grid.load %x : memref<8x128xf32, #grid.space<default>> -> tensor<8x128xf32>
  // expected-error @below {{expected numbers, or one array that ends the text, in a print on a TPU, got {} and {}}}
  grid.print "{} and {}" %0, %0 : tensor<8x128xf32>, tensor<8x128xf32>
}

// -----

// expected-error @below {{expected at most 2 buffers for x_ref on a TPU, got 3; use pltpu.emit_pipeline for more}}
grid.kernel @buffers grid(%i = 4)
    inputs(%x: f32 [32, 128] block [8, 128] at (%i, 0) pipeline <3> origin "x_ref")
    outputs(%o: f32 [32, 128] block [8, 128] at (%i, 0)) {
}

// -----

grid.kernel @copy_first grid()
    inputs(%x: f32 [8, 128] space any)
    outputs(%o: f32 [8, 128]) {
  // expected-error @below {{expected a Ref in VMEM or SMEM, got one in any; copy it to VMEM first, with pltpu.async_copy}}
  %v = grid.load %x : memref<8x128xf32, #grid.space<any>> -> tensor<8x128xf32>
}

// -----

grid.kernel @scalar_memory grid()
    inputs(%x: f32 [8] space tpu.smem)
    outputs(%o: f32 [8]) {
  // expected-error @below {{expected one number of a Ref in SMEM, got 'tensor<8xf32>'; index every dimension, or place the Ref in VMEM}}
  %v = grid.load %x : memref<8xf32, #grid.space<tpu.smem>> -> tensor<8xf32>
}

// -----

// expected-error @below {{expected x_ref whole in a kernel without a grid, got a smaller block; add a grid of one program}}
grid.kernel @no_grid grid()
    inputs(%x: f32 [16, 128] block [8, 128] at (0, 0) origin "x_ref")
    outputs(%o: f32 [8, 128]) {
}

// -----

// expected-error @below {{expected the whole array for x_ref in any, got a block; place the block in VMEM}}
grid.kernel @window_in_place grid(%i = 2)
    inputs(%x: f32 [16, 128] block [8, 128] at (%i, 0) space any origin "x_ref")
    outputs(%o: f32 [8, 128]) {
}

// -----

grid.kernel @constant grid() inputs(%x: f32 [4]) outputs(%o: f32 [4]) {
  // expected-error @below {{expected a constant with one value for all elements, since Mosaic has no other}}
  %c = arith.constant dense<[1.0, 5.0, 2.0, 7.0]> : tensor<4xf32>
  grid.store %c, %o : tensor<4xf32>, memref<4xf32, #grid.space<default>>
}

// -----

grid.kernel @product grid() inputs(%x: i32 [8, 8]) outputs(%o: i32 [8, 8]) {
  %0 = grid.load %x : memref<8x8xi32, #grid.space<default>> -> tensor<8x8xi32>
  // expected-error @below {{expected a product that Mosaic has (of bf16, f32 or f8, or of i8 or i4 into i32), got 'i32' by 'i32' into 'i32'}}
  %1 = grid.dot %0, %0 contract [1] x [0] : tensor<8x8xi32>, tensor<8x8xi32> -> tensor<8x8xi32>
}

// -----

grid.kernel @reduction grid() inputs(%x: f32 [8, 128]) outputs(%o: f32 [8]) {
  %0 = grid.load %x : memref<8x128xf32, #grid.space<default>> -> tensor<8x128xf32>
  %one = arith.constant dense<1.0> : tensor<8xf32>
  // expected-error @below {{expected a reduction with one function of two numbers (sum, product, maximum, minimum, and, or, xor) on a TPU, got another function}}
  %1 = linalg.reduce ins(%0 : tensor<8x128xf32>) outs(%one : tensor<8xf32>) dimensions = [1]
    (%a: f32, %b: f32) {
      %m = arith.divf %a, %b : f32
      linalg.yield %m : f32
    }
}

// -----

#all = affine_map<(d0, d1) -> (d0, d1)>
grid.kernel @gather grid() inputs(%x: f32 [8, 128], %n: i32 [8, 128]) outputs(%o: f32 [8, 128]) {
  %0 = grid.load %x : memref<8x128xf32, #grid.space<default>> -> tensor<8x128xf32>
  %1 = grid.load %n : memref<8x128xi32, #grid.space<default>> -> tensor<8x128xi32>
  %e = tensor.empty() : tensor<8x128xf32>
  %2 = linalg.generic {indexing_maps = [#all], iterator_types = ["parallel", "parallel"]}
      outs(%e : tensor<8x128xf32>) {
  ^bb0(%unused: f32):
    %i = linalg.index 0 : index
    %j = linalg.index 1 : index
    %number = tensor.extract %1[%i, %j] : tensor<8x128xi32>
    %place = arith.index_cast %number : i32 to index
    // expected-error @below {{expected a gather along one of the last two dimensions, with the indices of jnp.take_along_axis, on a TPU; index the Ref instead}}
    %v = tensor.extract %0[%place, %place] : tensor<8x128xf32>
    linalg.yield %v : f32
  } -> tensor<8x128xf32>
}

// -----

grid.kernel @wide grid() inputs(%x: f64 [8, 128]) outputs(%o: f64 [8, 128]) {
  // expected-error @above {{expected a type that a TPU has, got 'f64'}}
}

// -----

grid.kernel @empty grid() inputs(%x: f32 [2, 0]) outputs(%o: f32 [2, 0]) {
  // expected-error @below {{expected values of one element or more on the tpu target, got 'tensor<2x0xf32>'}}
  %0 = grid.load %x : memref<2x0xf32, #grid.space<default>> -> tensor<2x0xf32>
  grid.store %0, %o : tensor<2x0xf32>, memref<2x0xf32, #grid.space<default>>
}

// -----

grid.kernel @number grid() inputs(%x: f32 []) outputs(%o: f32 []) {
  // expected-error @below {{expected a Ref of one dimension or more in VMEM, got one of none; place it in SMEM, or give it a dimension of size 1}}
  %0 = grid.load %x : memref<f32, #grid.space<default>> -> f32
  grid.store %0, %o : f32, memref<f32, #grid.space<default>>
}
