grid.kernel @negate grid(%i = 4)
    inputs(%x: f32 [32] block [8] at (%i) origin "x_ref")
    outputs(%o: f32 [32] block [8] at (%i) origin "o_ref") {
  %v = grid.load %x : memref<8xf32, #grid.space<default>> -> tensor<8xf32>
  %w = arith.negf %v : tensor<8xf32>
  grid.store %w, %o : tensor<8xf32>, memref<8xf32, #grid.space<default>>
}
