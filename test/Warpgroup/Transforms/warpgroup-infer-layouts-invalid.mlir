// RUN: gridir-opt %s --split-input-file --warpgroup-infer-layouts --verify-diagnostics

grid.kernel @unknown grid() inputs() outputs(%o: f32 [64] space #warpgroup.space<gmem>) semantics [] {
  %v = grid.load %o : memref<64xf32, #warpgroup.space<gmem>> -> tensor<64xf32>
  // expected-error @below {{expected an op that a warpgroup supports on arrays in registers, got tensor.pad}}
  %w = tensor.pad %v low[0] high[64] {
  ^bb0(%i: index):
    %zero = arith.constant 0.0 : f32
    tensor.yield %zero : f32
  } : tensor<64xf32> to tensor<128xf32>
}

// -----

#twice = affine_map<(i) -> (2 * i)>
#same = affine_map<(i) -> (i)>
grid.kernel @strides grid() inputs() outputs(%o: f32 [32] space #warpgroup.space<gmem>) semantics [] {
  %v = grid.load %o : memref<32xf32, #warpgroup.space<gmem>> -> tensor<32xf32>
  %e = tensor.empty() : tensor<63xf32>
  // expected-error @below {{expected results that are indexed by permuted loops, got linalg.generic}}
  %w = linalg.generic {indexing_maps = [#same, #twice], iterator_types = ["parallel"]}
      ins(%v : tensor<32xf32>) outs(%e : tensor<63xf32>) {
  ^bb0(%a: f32, %b: f32):
    linalg.yield %a : f32
  } -> tensor<63xf32>
}

// -----

grid.kernel @structured grid() inputs() outputs(%o: f32 [64] space #warpgroup.space<gmem>) semantics [] {
  %zero = arith.constant 0.0 : f32
  // expected-error @below {{expected a structured op on tensors, got linalg.fill}}
  linalg.fill ins(%zero : f32) outs(%o : memref<64xf32, #warpgroup.space<gmem>>)
}

// -----

grid.kernel @empty grid() inputs() outputs(%o: f32 [0] space #warpgroup.space<gmem>) semantics [] {
  // expected-error @below {{expected tensors with elements, got 'tensor<0xf32>'}}
  %v = grid.load %o : memref<0xf32, #warpgroup.space<gmem>> -> tensor<0xf32>
}

// -----

// Nor are others asked for a layout of them before.
grid.kernel @no_rows grid(%n = 4) inputs(%x: f32 [0, 128] space #warpgroup.space<gmem>) outputs(%o: i32 [8, 128] space #warpgroup.space<gmem>) {
  %program = grid.program_id 0
  %i = arith.index_cast %program : i32 to index
  // expected-error @below {{expected tensors with elements, got 'tensor<0x128xf32>'}}
  %v = grid.load %x : memref<0x128xf32, #warpgroup.space<gmem>> -> tensor<0x128xf32>
  %w = arith.cmpf ogt, %v, %v : tensor<0x128xf32>
  %part = tensor.extract_slice %w[%i, 0] [8, 128] [1, 1] : tensor<0x128xi1> to tensor<8x128xi1>
  %numbers = arith.extui %part : tensor<8x128xi1> to tensor<8x128xi32>
  grid.store %numbers, %o : tensor<8x128xi32>, memref<8x128xi32, #warpgroup.space<gmem>>
}

// -----

grid.kernel @large grid() inputs() outputs(%o: f32 [1024, 1024] space #warpgroup.space<gmem>) semantics [] {
  // expected-error @below {{expected at most 524288 elements of an array in registers, got 'tensor<1024x1024xf32>'}}
  %v = grid.load %o : memref<1024x1024xf32, #warpgroup.space<gmem>> -> tensor<1024x1024xf32>
}

// -----

grid.kernel @operand grid() inputs() outputs()
    scratch(%acc: memref<64x64xf32, #warpgroup.space<regs>>, %a: memref<64x8xf16, #warpgroup.space<smem>>,
            %b: memref<8x64xf16, #warpgroup.space<smem>>) semantics [] {
  %v = grid.load %a : memref<64x8xf16, #warpgroup.space<smem>> -> tensor<64x8xf16>
  // expected-error @below {{expected a left operand in registers with a multiple of 64 rows and rows of a multiple of 32 bytes, got 'tensor<64x8xf16>'}}
  warpgroup.mma %acc, %v, %b : memref<64x64xf32, #warpgroup.space<regs>>, tensor<64x8xf16>, memref<8x64xf16, #warpgroup.space<smem>>
}

// -----

// One tile of each of four warps, along rows, columns, or both.
grid.kernel @warps grid() inputs() outputs() semantics [] {
  %acc = arith.constant dense<0.0> : tensor<16x16xf32>
  %a = arith.constant dense<1.0> : tensor<16x16xf16>
  // expected-error @below {{expected an mma.sync of multiples of 16 x 16 x 8 elements, one for each of four warps, got 16 x 16 x 16}}
  %sum = warpgroup.mma_sync %acc, %a, %a : tensor<16x16xf32>, tensor<16x16xf16>, tensor<16x16xf16>
}

// -----

// Nobody says how what a loop hands out otherwise lies.
grid.kernel @argument grid() inputs() outputs(%o: f32 [64] space #warpgroup.space<gmem>) semantics [] {
  %v = grid.load %o : memref<64xf32, #warpgroup.space<gmem>> -> tensor<64xf32>
  // expected-error @below {{expected an op that a warpgroup supports on arrays in registers, got scf.forall}}
  %w = scf.forall (%i) in (4) shared_outs(%part = %v) -> tensor<64xf32> {
    %n = arith.negf %part : tensor<64xf32>
    scf.forall.in_parallel {
    }
  }
}

// -----

// Rows of odd length are in each thread.
grid.kernel @large grid(%i = 24) inputs(%x: f32 [24, 50257] block [1, 50257] at (%i, 0))
    outputs(%o: f32 [24] block [1] at (%i)) semantics [parallel] {
  %zero = arith.constant dense<0.0> : tensor<1xf32>
  // expected-error @below {{expected at most 16384 elements in each thread, got 50257}}
  %v = grid.load %x : memref<1x50257xf32, #grid.space<default>> -> tensor<1x50257xf32>
  %sum = linalg.reduce {arith.addf} ins(%v : tensor<1x50257xf32>) outs(%zero : tensor<1xf32>) dimensions = [1]
  grid.store %sum, %o : tensor<1xf32>, memref<1xf32, #grid.space<default>>
}
