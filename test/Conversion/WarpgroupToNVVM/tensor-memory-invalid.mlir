// RUN: gridir-opt %s --split-input-file --verify-diagnostics --warpgroup-assign-shared-layouts --warpgroup-plan-memory=chip=sm_100a --warpgroup-insert-barriers --convert-warpgroup-to-nvvm=chip=sm_100a

grid.kernel @space grid() {
  // expected-error @below {{expected a Ref in shared or tensor memory or registers, got x of }}
  grid.scoped (%x: memref<128x64xf32, #warpgroup.space<gmem>> origin "x") {
  }
}

// -----

grid.kernel @bits grid() {
  grid.scoped (%x: memref<128x64xi4, #warpgroup.space<tmem>> origin "x") {
    // expected-error @below {{expected a load or store of elements of 8 bits or more in tensor memory}}
    %v = grid.load %x : memref<128x64xi4, #warpgroup.space<tmem>> -> tensor<128x64xi4, #warpgroup.layout<strided(1)>>
  }
}

// -----

grid.kernel @rows grid() {
  grid.scoped (%acc: memref<128x128xf32, #warpgroup.space<tmem>> origin "acc") {
    %x = grid.slice_ref %acc[0, 0] [64, 128] [1, 1] : memref<128x128xf32, #warpgroup.space<tmem>> -> memref<64x128xf32, #warpgroup.space<tmem>>
    // expected-error @below {{expected all rows of a matrix in tensor memory}}
    %v = grid.load %x : memref<64x128xf32, #warpgroup.space<tmem>> -> tensor<64x128xf32, #warpgroup.layout<strided(1)>>
  }
}

// -----

grid.kernel @steps grid() {
  grid.scoped (%acc: memref<128x128xf32, #warpgroup.space<tmem>> origin "acc") {
    %x = grid.slice_ref %acc[0, 0] [128, 64] [1, 2] : memref<128x128xf32, #warpgroup.space<tmem>> -> memref<128x64xf32, #warpgroup.space<tmem>>
    // expected-error @below {{expected contiguous elements in tensor memory}}
    %v = grid.load %x : memref<128x64xf32, #warpgroup.space<tmem>> -> tensor<128x64xf32, #warpgroup.layout<strided(1)>>
  }
}

// -----

grid.kernel @half grid() {
  grid.scoped (%x: memref<64x128xf32, #warpgroup.space<tmem>> origin "x") {
    %y = grid.slice_ref %x[0, 0] [64, 64] [1, 1] : memref<64x128xf32, #warpgroup.space<tmem>> -> memref<64x64xf32, #warpgroup.space<tmem>>
    // expected-error @below {{expected all columns of a matrix of 64 rows or of scales in tensor memory}}
    %v = grid.load %y : memref<64x64xf32, #warpgroup.space<tmem>> -> tensor<64x64xf32, #warpgroup.layout<strided(1)>>
  }
}

// -----

grid.kernel @odd grid() {
  grid.scoped (%x: memref<128x64xf16, #warpgroup.space<tmem>> origin "x") {
    %y = grid.slice_ref %x[0, 1] [128, 62] [1, 1] : memref<128x64xf16, #warpgroup.space<tmem>> -> memref<128x62xf16, #warpgroup.space<tmem>>
    // expected-error @below {{expected windows of a multiple of 2 columns in tensor memory}}
    %v = grid.load %y : memref<128x62xf16, #warpgroup.space<tmem>> -> tensor<128x62xf16, #warpgroup.layout<strided(1)>>
  }
}

// -----

grid.kernel @types grid() {
  grid.scoped (%acc: memref<128x128xf32, #warpgroup.space<tmem>> origin "acc",
               %a: memref<128x64xf16, #warpgroup.space<smem>> origin "a",
               %b: memref<64x128xi8, #warpgroup.space<smem>> origin "b")
      attributes {transforms = [[], [#grid.transform<unswizzle [128]>, #grid.transform<untiling [8, 64]>], [#grid.transform<unswizzle [128]>, #grid.transform<untiling [8, 128]>]]} {
    %false = arith.constant false
    // expected-error @below {{expected an MMA that tcgen05.mma supports, got one of 'memref<128x64xf16, #warpgroup.space<smem>>' and 'memref<64x128xi8, #warpgroup.space<smem>>' in }}
    warpgroup.tcgen05_mma %acc, %a, %b accumulate %false
        : memref<128x128xf32, #warpgroup.space<tmem>>, memref<128x64xf16, #warpgroup.space<smem>>, memref<64x128xi8, #warpgroup.space<smem>>
  }
}

// -----

grid.kernel @sums grid() {
  grid.scoped (%acc: memref<128x128xf16, #warpgroup.space<tmem>> origin "acc",
               %a: memref<128x64xbf16, #warpgroup.space<smem>> origin "a",
               %b: memref<64x128xbf16, #warpgroup.space<smem>> origin "b")
      attributes {transforms = [[], [#grid.transform<unswizzle [128]>, #grid.transform<untiling [8, 64]>], [#grid.transform<unswizzle [128]>, #grid.transform<untiling [8, 64]>]]} {
    %false = arith.constant false
    // expected-error @below {{expected an MMA that tcgen05.mma supports, got one of }}
    warpgroup.tcgen05_mma %acc, %a, %b accumulate %false
        : memref<128x128xf16, #warpgroup.space<tmem>>, memref<128x64xbf16, #warpgroup.space<smem>>, memref<64x128xbf16, #warpgroup.space<smem>>
  }
}

// -----

grid.kernel @integer_sums grid() {
  grid.scoped (%acc: memref<128x128xi32, #warpgroup.space<tmem>> origin "acc",
               %a: memref<128x64xf16, #warpgroup.space<smem>> origin "a",
               %b: memref<64x128xf16, #warpgroup.space<smem>> origin "b")
      attributes {transforms = [[], [#grid.transform<unswizzle [128]>, #grid.transform<untiling [8, 64]>], [#grid.transform<unswizzle [128]>, #grid.transform<untiling [8, 64]>]]} {
    %false = arith.constant false
    // expected-error @below {{expected an MMA that tcgen05.mma supports, got one of }}
    warpgroup.tcgen05_mma %acc, %a, %b accumulate %false
        : memref<128x128xi32, #warpgroup.space<tmem>>, memref<128x64xf16, #warpgroup.space<smem>>, memref<64x128xf16, #warpgroup.space<smem>>
  }
}

// -----

grid.kernel @pair grid(%i = 2 named "x" cluster) {
  grid.scoped (%acc: memref<128x512xf32, #warpgroup.space<tmem>> origin "acc",
               %a: memref<128x64xf16, #warpgroup.space<smem>> origin "a",
               %b: memref<64x256xf16, #warpgroup.space<smem>> origin "b")
      attributes {transforms = [[], [#grid.transform<unswizzle [128]>, #grid.transform<untiling [8, 64]>], [#grid.transform<unswizzle [128]>, #grid.transform<untiling [8, 64]>]]} {
    %false = arith.constant false
    // expected-error @below {{expected an MMA of 64 or 128 rows, a multiple of 16 along k, and a multiple of 16 columns, at most 256, got 128 x 64 x 512}}
    warpgroup.tcgen05_mma %acc, %a, %b accumulate %false collective "x"
        : memref<128x512xf32, #warpgroup.space<tmem>>, memref<128x64xf16, #warpgroup.space<smem>>, memref<64x256xf16, #warpgroup.space<smem>>
  }
}

// -----

grid.kernel @axis grid(%i = 2 named "x" cluster, %j = 2 named "y" cluster) {
  grid.scoped (%acc: memref<128x128xf32, #warpgroup.space<tmem>> origin "acc",
               %a: memref<128x64xf16, #warpgroup.space<smem>> origin "a",
               %b: memref<64x64xf16, #warpgroup.space<smem>> origin "b")
      attributes {transforms = [[], [#grid.transform<unswizzle [128]>, #grid.transform<untiling [8, 64]>], [#grid.transform<unswizzle [128]>, #grid.transform<untiling [8, 64]>]]} {
    %false = arith.constant false
    // expected-error @below {{expected a pair of blocks along the innermost axis of the cluster, got "x"}}
    warpgroup.tcgen05_mma %acc, %a, %b accumulate %false collective "x"
        : memref<128x128xf32, #warpgroup.space<tmem>>, memref<128x64xf16, #warpgroup.space<smem>>, memref<64x64xf16, #warpgroup.space<smem>>
  }
}

// -----

grid.kernel @lhs grid() {
  grid.scoped (%acc: memref<64x128xf32, #warpgroup.space<tmem>> origin "acc",
               %a: memref<64x64xf16, #warpgroup.space<tmem>> origin "a",
               %b: memref<64x128xf16, #warpgroup.space<smem>> origin "b")
      attributes {transforms = [[], [], [#grid.transform<unswizzle [128]>, #grid.transform<untiling [8, 64]>]]} {
    %false = arith.constant false
    // expected-error @below {{expected 128 rows of an operand in tensor memory, got 64}}
    warpgroup.tcgen05_mma %acc, %a, %b accumulate %false
        : memref<64x128xf32, #warpgroup.space<tmem>>, memref<64x64xf16, #warpgroup.space<tmem>>, memref<64x128xf16, #warpgroup.space<smem>>
  }
}

// -----

grid.kernel @transposed grid() {
  grid.scoped (%acc: memref<128x128xf32, #warpgroup.space<tmem>> origin "acc",
               %a: memref<128x32xf32, #warpgroup.space<smem>> origin "a",
               %b: memref<32x128xf32, #warpgroup.space<smem>> origin "b")
      attributes {transforms = [[], [#grid.transform<unswizzle [128]>, #grid.transform<untiling [8, 32]>], [#grid.transform<unswizzle [128]>, #grid.transform<untiling [8, 32]>]]} {
    %false = arith.constant false
    // expected-error @below {{expected an MMA operand that is contiguous along k, since its elements have neither 8 nor 16 bits}}
    warpgroup.tcgen05_mma %acc, %a, %b accumulate %false
        : memref<128x128xf32, #warpgroup.space<tmem>>, memref<128x32xf32, #warpgroup.space<smem>>, memref<32x128xf32, #warpgroup.space<smem>>
  }
}

// -----

grid.kernel @sum_operand grid() {
  grid.scoped (%acc: memref<128x128xf16, #warpgroup.space<tmem>> origin "acc",
               %more: memref<128x128xf16, #warpgroup.space<tmem>> origin "more",
               %b: memref<128x128xf16, #warpgroup.space<smem>> origin "b")
      attributes {transforms = [[], [], [#grid.transform<unswizzle [128]>, #grid.transform<untiling [8, 64]>]]} {
    %false = arith.constant false
    // expected-error @below {{expected an operand in tensor memory that is not an accumulator}}
    warpgroup.tcgen05_mma %more, %acc, %b accumulate %false
        : memref<128x128xf16, #warpgroup.space<tmem>>, memref<128x128xf16, #warpgroup.space<tmem>>, memref<128x128xf16, #warpgroup.space<smem>>
    warpgroup.tcgen05_mma %acc, %more, %b accumulate %false
        : memref<128x128xf16, #warpgroup.space<tmem>>, memref<128x128xf16, #warpgroup.space<tmem>>, memref<128x128xf16, #warpgroup.space<smem>>
  }
}

// -----

grid.kernel @copy_sums grid() {
  grid.scoped (%a: memref<128x64xf16, #warpgroup.space<smem>> origin "a",
               %b: memref<64x64xf16, #warpgroup.space<smem>> origin "b",
               %acc: memref<128x64xf16, #warpgroup.space<tmem>> origin "acc")
      attributes {transforms = [[#grid.transform<unswizzle [128]>, #grid.transform<untiling [8, 64]>], [#grid.transform<unswizzle [128]>, #grid.transform<untiling [8, 64]>], []]} {
    %false = arith.constant false
    warpgroup.tcgen05_mma %acc, %a, %b accumulate %false
        : memref<128x64xf16, #warpgroup.space<tmem>>, memref<128x64xf16, #warpgroup.space<smem>>, memref<64x64xf16, #warpgroup.space<smem>>
    // expected-error @below {{expected a copy to 128 rows of tensor memory that is not an accumulator, got one to 'memref<128x64xf16, #warpgroup.space<tmem>>'}}
    warpgroup.tmem_copy %a to %acc : memref<128x64xf16, #warpgroup.space<smem>>, memref<128x64xf16, #warpgroup.space<tmem>>
  }
}

// -----

grid.kernel @copy_columns grid() {
  grid.scoped (%a: memref<64x128xf16, #warpgroup.space<smem>> origin "a",
               %x: memref<128x64xf16, #warpgroup.space<tmem>> origin "x")
      attributes {transforms = [[#grid.transform<unswizzle [128]>, #grid.transform<untiling [8, 64]>], []]} {
    %b = grid.transpose_ref %a [1, 0] : memref<64x128xf16, #warpgroup.space<smem>> -> memref<128x64xf16, #warpgroup.space<smem>>
    // expected-error @below {{expected a tile whose rows are contiguous}}
    warpgroup.tmem_copy %b to %x : memref<128x64xf16, #warpgroup.space<smem>>, memref<128x64xf16, #warpgroup.space<tmem>>
  }
}

// -----

grid.kernel @blocks grid() {
  grid.scoped (%a: memref<2x1x1x32x16xf8E8M0FNU, #warpgroup.space<smem>>, %x: memref<128x4xf8E8M0FNU, #warpgroup.space<tmem>>) {
    %b = grid.transpose_ref %a [1, 2, 0, 3, 4] : memref<2x1x1x32x16xf8E8M0FNU, #warpgroup.space<smem>> -> memref<1x1x2x32x16xf8E8M0FNU, #warpgroup.space<smem>>
    %c = grid.slice_ref %b[0, 0, 0, 0, 0] [1, 1, 1, 32, 16] [1, 1, 1, 1, 1] drop [0] : memref<1x1x2x32x16xf8E8M0FNU, #warpgroup.space<smem>> -> memref<1x1x32x16xf8E8M0FNU, #warpgroup.space<smem>>
    // expected-error @below {{expected whole blocks in shared memory without gaps and swizzle, got 'memref<1x1x32x16xf8E8M0FNU, #warpgroup.space<smem>>'}}
    warpgroup.tmem_copy %c to %x as_scales : memref<1x1x32x16xf8E8M0FNU, #warpgroup.space<smem>>, memref<128x4xf8E8M0FNU, #warpgroup.space<tmem>>
  }
}

// -----

grid.kernel @scaled_rows grid() {
  grid.scoped (%a: memref<64x128xf8E5M2, #warpgroup.space<smem>>, %b: memref<128x128xf8E5M2, #warpgroup.space<smem>>, %acc: memref<64x128xf32, #warpgroup.space<tmem>>,
               %s: memref<128x4xf8E8M0FNU, #warpgroup.space<tmem>>)
      attributes {transforms = [[#grid.transform<unswizzle [128]>, #grid.transform<untiling [8, 128]>],
                                [#grid.transform<unswizzle [128]>, #grid.transform<untiling [8, 128]>], [], []]} {
    %false = arith.constant false
    // expected-error @below {{expected 128 rows of a scaled or sparse MMA, got 64}}
    warpgroup.tcgen05_mma %acc, %a, %b accumulate %false scales %s, %s
        : memref<64x128xf32, #warpgroup.space<tmem>>, memref<64x128xf8E5M2, #warpgroup.space<smem>>, memref<128x128xf8E5M2, #warpgroup.space<smem>>
        scales memref<128x4xf8E8M0FNU, #warpgroup.space<tmem>>, memref<128x4xf8E8M0FNU, #warpgroup.space<tmem>>
  }
}

// -----

grid.kernel @factors grid() {
  grid.scoped (%a: memref<128x128xf8E5M2, #warpgroup.space<smem>>, %b: memref<128x128xf8E5M2, #warpgroup.space<smem>>, %acc: memref<128x128xf32, #warpgroup.space<tmem>>,
               %s: memref<128x8xf8E8M0FNU, #warpgroup.space<tmem>>)
      attributes {transforms = [[#grid.transform<unswizzle [128]>, #grid.transform<untiling [8, 128]>],
                                [#grid.transform<unswizzle [128]>, #grid.transform<untiling [8, 128]>], [], []]} {
    %false = arith.constant false
    // expected-error @below {{expected a scale for each 32 elements along k, got one for 16}}
    warpgroup.tcgen05_mma %acc, %a, %b accumulate %false scales %s, %s
        : memref<128x128xf32, #warpgroup.space<tmem>>, memref<128x128xf8E5M2, #warpgroup.space<smem>>, memref<128x128xf8E5M2, #warpgroup.space<smem>>
        scales memref<128x8xf8E8M0FNU, #warpgroup.space<tmem>>, memref<128x8xf8E8M0FNU, #warpgroup.space<tmem>>
  }
}

// -----

grid.kernel @halves grid() {
  grid.scoped (%a: memref<64x64xbf16, #warpgroup.space<smem>>, %b: memref<64x192xbf16, #warpgroup.space<smem>>, %acc: memref<64x192xf32, #warpgroup.space<tmem>>)
      attributes {transforms = [[#grid.transform<unswizzle [128]>, #grid.transform<untiling [8, 64]>],
                                [#grid.transform<unswizzle [128]>, #grid.transform<untiling [8, 64]>], []]} {
    %false = arith.constant false
    // expected-error @below {{expected an MMA of 64 rows whose halves of the columns are panels of 64 columns, got 192 columns}}
    warpgroup.tcgen05_mma %acc, %a, %b accumulate %false
        : memref<64x192xf32, #warpgroup.space<tmem>>, memref<64x64xbf16, #warpgroup.space<smem>>, memref<64x192xbf16, #warpgroup.space<smem>>
  }
}
