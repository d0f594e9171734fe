// RUN: gridir-opt %s --split-input-file --verify-diagnostics --warpgroup-assign-shared-layouts --warpgroup-plan-memory --warpgroup-insert-barriers --convert-warpgroup-to-nvvm

// A view that requires contiguous elements prevents a swizzle.
grid.kernel @unswizzled grid() {
  grid.scoped (%a: memref<64x64xf16, #warpgroup.space<smem>>, %acc: memref<64x64xf32, #warpgroup.space<regs>>) {
    %all = grid.reshape_ref %a : memref<64x64xf16, #warpgroup.space<smem>> -> memref<4096xf16, #warpgroup.space<smem>>
    // expected-error @below {{expected an MMA operand that is swizzled by 32 bytes or more, or in panels of 16 bytes}}
    warpgroup.mma %acc, %a, %a
        : memref<64x64xf32, #warpgroup.space<regs>>, memref<64x64xf16, #warpgroup.space<smem>>, memref<64x64xf16, #warpgroup.space<smem>>
  }
}

// -----

grid.kernel @strided_operand grid() {
  grid.scoped (%a: memref<128x64xf16, #warpgroup.space<smem>>, %acc: memref<64x64xf32, #warpgroup.space<regs>>)
      attributes {transforms = [[#grid.transform<unswizzle [128]>, #grid.transform<untiling [8, 64]>], []]} {
    %w = grid.slice_ref %a[0, 0] [64, 64] [2, 1] : memref<128x64xf16, #warpgroup.space<smem>> -> memref<64x64xf16, #warpgroup.space<smem>>
    // expected-error @below {{expected an MMA operand with contiguous rows or columns}}
    warpgroup.mma %acc, %w, %w
        : memref<64x64xf32, #warpgroup.space<regs>>, memref<64x64xf16, #warpgroup.space<smem>>, memref<64x64xf16, #warpgroup.space<smem>>
  }
}

// -----

grid.kernel @transposed_bytes grid() {
  grid.scoped (%a: memref<64x64xi8, #warpgroup.space<smem>>, %acc: memref<64x64xi32, #warpgroup.space<regs>>)
      attributes {transforms = [[#grid.transform<unswizzle [64]>, #grid.transform<untiling [8, 64]>], []]} {
    // expected-error @below {{expected an MMA operand that is contiguous along k, since its elements do not have 16 bits}}
    warpgroup.mma %acc, %a, %a
        : memref<64x64xi32, #warpgroup.space<regs>>, memref<64x64xi8, #warpgroup.space<smem>>, memref<64x64xi8, #warpgroup.space<smem>>
  }
}

// -----

grid.kernel @begin grid(%i = 2) {
  grid.scoped (%a: memref<128x64xf16, #warpgroup.space<smem>>, %acc: memref<64x64xf32, #warpgroup.space<regs>>)
      attributes {transforms = [[#grid.transform<unswizzle [128]>, #grid.transform<untiling [8, 64]>], []]} {
    %i = grid.program_id 0
    %w = grid.slice_ref %a[%i, 0] [64, 64] [1, 1] : memref<128x64xf16, #warpgroup.space<smem>>, i32 -> memref<64x64xf16, #warpgroup.space<smem>>
    // expected-error @below {{expected an MMA operand that is aligned to the swizzle}}
    warpgroup.mma %acc, %w, %w
        : memref<64x64xf32, #warpgroup.space<regs>>, memref<64x64xf16, #warpgroup.space<smem>>, memref<64x64xf16, #warpgroup.space<smem>>
  }
}

// -----

grid.kernel @transposed_sums grid() {
  grid.scoped (%a: memref<64x64xf16, #warpgroup.space<smem>>, %acc: memref<64x64xf32, #warpgroup.space<regs>>) {
    %t = grid.transpose_ref %acc [1, 0] : memref<64x64xf32, #warpgroup.space<regs>> -> memref<64x64xf32, #warpgroup.space<regs>>
    // expected-error @below {{expected an accumulator that is not transposed, got 'memref<64x64xf32, #warpgroup.space<regs>>'}}
    warpgroup.mma %t, %a, %a
        : memref<64x64xf32, #warpgroup.space<regs>>, memref<64x64xf16, #warpgroup.space<smem>>, memref<64x64xf16, #warpgroup.space<smem>>
  }
}

// -----

grid.kernel @product_type grid() {
  grid.scoped (%a: memref<64x64xi16, #warpgroup.space<smem>>, %acc: memref<64x64xi32, #warpgroup.space<regs>>) {
    // expected-error @below {{expected an MMA that wgmma supports, got one of}}
    warpgroup.mma %acc, %a, %a
        : memref<64x64xi32, #warpgroup.space<regs>>, memref<64x64xi16, #warpgroup.space<smem>>, memref<64x64xi16, #warpgroup.space<smem>>
  }
}

// -----

grid.kernel @product_sums grid() {
  grid.scoped (%a: memref<64x64xbf16, #warpgroup.space<smem>>, %acc: memref<64x64xf16, #warpgroup.space<regs>>) {
    // expected-error @below {{expected an MMA that wgmma supports, got one of}}
    warpgroup.mma %acc, %a, %a
        : memref<64x64xf16, #warpgroup.space<regs>>, memref<64x64xbf16, #warpgroup.space<smem>>, memref<64x64xbf16, #warpgroup.space<smem>>
  }
}

// -----

grid.kernel @product_shape grid() {
  grid.scoped (%a: memref<32x64xf16, #warpgroup.space<smem>>, %b: memref<64x64xf16, #warpgroup.space<smem>>,
               %acc: memref<32x64xf32, #warpgroup.space<regs>>) {
    // expected-error @below {{expected an MMA of multiples of 64 x 16 x 8 elements, got 32 x 64 x 64}}
    warpgroup.mma %acc, %a, %b
        : memref<32x64xf32, #warpgroup.space<regs>>, memref<32x64xf16, #warpgroup.space<smem>>, memref<64x64xf16, #warpgroup.space<smem>>
  }
}

// -----

grid.kernel @words_in_registers grid() {
  grid.scoped (%b: memref<64x32xf32, #warpgroup.space<smem>>, %acc: memref<64x64xf32, #warpgroup.space<regs>>)
      attributes {transforms = [[#grid.transform<unswizzle [128]>, #grid.transform<untiling [8, 32]>], []]} {
    %a = arith.constant dense<1.0> : tensor<64x32xf32, #warpgroup.layout<strided(1)>>
    %t = grid.transpose_ref %b [1, 0] : memref<64x32xf32, #warpgroup.space<smem>> -> memref<32x64xf32, #warpgroup.space<smem>>
    // expected-error @below {{expected 8-bit or 16-bit elements of an operand in registers, got 'tensor<64x32xf32, #warpgroup.layout<strided(1)>>'}}
    warpgroup.mma %acc, %a, %t
        : memref<64x64xf32, #warpgroup.space<regs>>, tensor<64x32xf32, #warpgroup.layout<strided(1)>>, memref<32x64xf32, #warpgroup.space<smem>>
  }
}

// -----

grid.kernel @words_of_mma grid() {
  %acc = arith.constant dense<0.0> : tensor<64x8xf32, #warpgroup.layout<wgmma>>
  %a = arith.constant dense<1.0> : tensor<64x8xf32, #warpgroup.layout<wgmma>>
  %b = arith.constant dense<1.0> : tensor<8x8xf32, #warpgroup.layout<splat>>
  // expected-error @below {{expected an MMA that mma.sync supports, of f16, bf16 or 8-bit floats in f32, of f16 or 8-bit floats in f16, of f64 in f64, or of 4-bit or 8-bit integers in i32, got one of 'f32' and 'f32' in 'f32'}}
  %s = warpgroup.mma_sync %acc, %a, %b
      : tensor<64x8xf32, #warpgroup.layout<wgmma>>, tensor<64x8xf32, #warpgroup.layout<wgmma>>, tensor<8x8xf32, #warpgroup.layout<splat>>
}

// -----

grid.kernel @layout_of_mma grid() {
  %acc = arith.constant dense<0.0> : tensor<64x16xf32, #warpgroup.layout<strided(1)>>
  %a = arith.constant dense<1.0> : tensor<64x16xf16, #warpgroup.layout<splat>>
  %b = arith.constant dense<1.0> : tensor<16x16xf16, #warpgroup.layout<splat>>
  // expected-error @below {{expected an accumulator in the layout of mma.sync, got 'tensor<64x16xf32, #warpgroup.layout<strided(1)>>'}}
  %s = warpgroup.mma_sync %acc, %a, %b
      : tensor<64x16xf32, #warpgroup.layout<strided(1)>>, tensor<64x16xf16, #warpgroup.layout<splat>>, tensor<16x16xf16, #warpgroup.layout<splat>>
}

// -----

// wgmma has no sums of 64 bits.

grid.kernel @wide_sums grid() {
  grid.scoped (%a: memref<64x16xf16, #warpgroup.space<smem>>, %b: memref<16x128xf16, #warpgroup.space<smem>>,
               %acc: memref<64x128xi64, #warpgroup.space<regs>>) attributes {warpgroup.offsets = array<i64: 0, 2048, -1>} {
    // expected-error @below {{expected an MMA that wgmma supports, got one of 'memref<64x16xf16, #warpgroup.space<smem>>' and 'memref<16x128xf16, #warpgroup.space<smem>>' in 'memref<64x128xi64, #warpgroup.space<regs>>'}}
    warpgroup.mma %acc, %a, %b
        : memref<64x128xi64, #warpgroup.space<regs>>, memref<64x16xf16, #warpgroup.space<smem>>, memref<16x128xf16, #warpgroup.space<smem>>
  }
}

// -----

grid.kernel @double_sums grid() {
  grid.scoped (%a: memref<64x16xf16, #warpgroup.space<smem>>, %b: memref<16x128xf16, #warpgroup.space<smem>>,
               %acc: memref<64x128xf64, #warpgroup.space<regs>>) attributes {warpgroup.offsets = array<i64: 0, 2048, -1>} {
    // expected-error @below {{expected an MMA that wgmma supports}}
    warpgroup.mma %acc, %a, %b
        : memref<64x128xf64, #warpgroup.space<regs>>, memref<64x16xf16, #warpgroup.space<smem>>, memref<16x128xf16, #warpgroup.space<smem>>
  }
}
