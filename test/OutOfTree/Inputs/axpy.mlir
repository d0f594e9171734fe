// The kernel of trial.test.
grid.kernel @axpy grid(%i = 4)
    inputs(%x: f32 [64, 128] block [16, 128] at (%i, 0) origin "x_ref")
    outputs(%o: f32 [32, 128] block [8, 128] at (%i, 0) origin "o_ref") {
  %c4 = arith.constant 4 : index
  // expected-error @below {{'trial.rows' is not supported on the tpu target}}
  %rows = trial.rows %x[%c4] : memref<16x128xf32, #grid.space<default>> -> memref<8x128xf32, #grid.space<default>>
  trial.zero %o : memref<8x128xf32, #grid.space<default>>
  trial.axpy 2.0, %rows, %o : memref<8x128xf32, #grid.space<default>>, memref<8x128xf32, #grid.space<default>>
}
