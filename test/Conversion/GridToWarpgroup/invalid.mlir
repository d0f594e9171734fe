// RUN: gridir-opt %s --split-input-file --convert-grid-to-warpgroup --verify-diagnostics
// RUN: not gridir-opt %s --split-input-file --convert-grid-to-warpgroup=chip=sm_80 2>&1 | FileCheck %s

// expected-error @below {{expected a kernel that can become a warpgroup program}}
// expected-note @below {{it cannot, since its grid is dynamic}}
grid.kernel @obstacle grid(%i = ?)
    outputs(%o: f32 [512] block [128] at (%i))
    attributes {warpgroup.schedule = #warpgroup.schedule<cta = [128], warpgroup = [128]>} {
}

// -----

// expected-error @below {{expected shared operands among 1 inputs, got 1}}
grid.kernel @number grid(%i = 4)
    inputs(%x: bf16 [256, 64] block [64, 64] at (%i, 0))
    outputs(%o: bf16 [256, 64] block [64, 64] at (%i, 0))
    attributes {warpgroup.schedule = #warpgroup.schedule<cta = [64, 64], warpgroup = [64, 64], shared = [1], stages = 2>} {
}

// -----

// CHECK: expected a schedule with shared operands and without a producer on sm_80, which has no bulk copies
grid.kernel @chip grid(%i = 4)
    inputs(%x: bf16 [256, 64] block [64, 64] at (%i, 0))
    outputs(%o: bf16 [256, 64] block [64, 64] at (%i, 0))
    attributes {warpgroup.schedule = #warpgroup.schedule<cta = [64, 64], warpgroup = [64, 64], shared = [0], stages = 2>} {
}

// -----

// expected-error @below {{expected all loads of a shared operand to be those of rows of 128 bytes, in groups of 8, which copies can precede, got other loads of}}
grid.kernel @rows grid(%i = 4)
    inputs(%x: bf16 [256, 32] block [64, 32] at (%i, 0))
    outputs(%o: bf16 [256, 32] block [64, 32] at (%i, 0))
    attributes {warpgroup.schedule = #warpgroup.schedule<cta = [64, 32], warpgroup = [64, 32], shared = [0], stages = 2>} {
  %v = grid.load %x : memref<64x32xbf16, #grid.space<default>> -> tensor<64x32xbf16>
  grid.store %v, %o : tensor<64x32xbf16>, memref<64x32xbf16, #grid.space<default>>
}

// -----

// A window of one row.
// expected-error @below {{got other loads of inputs[0]}}
grid.kernel @part grid(%i = 4)
    inputs(%x: bf16 [256, 64] block [64, 64] at (%i, 0))
    outputs(%o: bf16 [256, 64] block [64, 64] at (%i, 0))
    attributes {warpgroup.schedule = #warpgroup.schedule<cta = [64, 64], warpgroup = [64, 64], shared = [0], stages = 2>} {
  %r = grid.slice_ref %x[0, 0] [1, 64] [1, 1] drop [0]
      : memref<64x64xbf16, #grid.space<default>> -> memref<64xbf16, #grid.space<default>>
  %v = grid.load %r : memref<64xbf16, #grid.space<default>> -> tensor<64xbf16>
}

// -----

// A loop with another number of iterations in each step.
// expected-error @below {{got other loads of inputs[0]}}
grid.kernel @iterations grid(%i = 4)
    inputs(%x: bf16 [64, 512])
    outputs(%o: bf16 [64, 64])
    semantics [arbitrary]
    attributes {warpgroup.schedule = #warpgroup.schedule<cta = [64, 64], warpgroup = [64, 64], shared = [0], stages = 2>} {
  %i = grid.program_id 0
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %size = arith.constant 64 : i32
  scf.for %k = %zero to %i step %one : i32 {
    %offset = arith.muli %k, %size : i32
    %window = grid.slice_ref %x[0, %offset] [64, 64] [1, 1]
        : memref<64x512xbf16, #grid.space<default>>, i32 -> memref<64x64xbf16, #grid.space<default>>
    %v = grid.load %window : memref<64x64xbf16, #grid.space<default>> -> tensor<64x64xbf16>
    grid.store %v, %o : tensor<64x64xbf16>, memref<64x64xbf16, #grid.space<default>>
  }
}

// -----

grid.kernel @global grid(%i = 4)
    inputs(%x: bf16 [256, 64] block [64, 64] at (%i, 0), %y: bf16 [64, 64])
    outputs(%o: f32 [256, 64] block [64, 64] at (%i, 0))
    attributes {warpgroup.schedule = #warpgroup.schedule<cta = [64, 64], warpgroup = [64, 64], shared = [0], stages = 2>} {
  %a = grid.load %x : memref<64x64xbf16, #grid.space<default>> -> tensor<64x64xbf16>
  %b = grid.load %y : memref<64x64xbf16, #grid.space<default>> -> tensor<64x64xbf16>
  // expected-error @below {{expected the operands of a contraction in shared memory, got input 1 in global memory}}
  %d = grid.dot %a, %b contract [1] x [0] : tensor<64x64xbf16>, tensor<64x64xbf16> -> tensor<64x64xf32>
  grid.store %d, %o : tensor<64x64xf32>, memref<64x64xf32, #grid.space<default>>
}

// -----

// Threads copy 16 bytes at a time.
grid.kernel @unaligned grid(%i = 4)
    inputs(%x: bf16 [256, 64] block [64, 64] at (%i, 0), %y: bf16 [64, 72])
    outputs(%o: f32 [256, 64] block [64, 64] at (%i, 0))
    attributes {warpgroup.schedule = #warpgroup.schedule<cta = [64, 64], warpgroup = [64, 64], shared = [0, 1], stages = 2, producers = 0>} {
  %a = grid.load %x : memref<64x64xbf16, #grid.space<default>> -> tensor<64x64xbf16>
  %window = grid.slice_ref %y[0, 4] [64, 64] [1, 1]
      : memref<64x72xbf16, #grid.space<default>> -> memref<64x64xbf16, #grid.space<default>>
  %b = grid.load %window : memref<64x64xbf16, #grid.space<default>> -> tensor<64x64xbf16>
  // expected-error @below {{expected a producer, since threads do not copy rows that begin at other bytes than multiples of 16, as those of input 1}}
  %d = grid.dot %a, %b contract [1] x [0] : tensor<64x64xbf16>, tensor<64x64xbf16> -> tensor<64x64xf32>
  grid.store %d, %o : tensor<64x64xf32>, memref<64x64xf32, #grid.space<default>>
}
