// RUN: gridir-opt %s --split-input-file --warpgroup-infer-layouts=shared-memory=false --verify-diagnostics

// Two ops that disagree, and only shared memory would lead from one layout to the other.
grid.kernel @disagree grid() inputs() outputs(%o: f32 [64, 64] space #warpgroup.space<gmem>)
    scratch(%acc: memref<64x64xf32, #warpgroup.space<regs>>) semantics [] {
  // expected-note @below {{which is made here}}
  %v = grid.load %acc : memref<64x64xf32, #warpgroup.space<regs>> -> tensor<64x64xf32>
  // expected-error-re @below {{expected an operand that can be converted to the layout #warpgroup.layout<[8, 64], {{.*}}> without shared memory, got 'tensor<64x64xf32, #warpgroup.layout<wgmma>>'}}
  %w = warpgroup.layout_cast %v "WG_STRIDED" (#warpgroup.layout<strided(4)>) : tensor<64x64xf32>
  grid.store %w, %o : tensor<64x64xf32>, memref<64x64xf32, #warpgroup.space<gmem>>
}
