// RUN: gridir-opt %s --split-input-file --warpgroup-plan-memory=chip=sm_100a --verify-diagnostics | FileCheck %s

// Accumulators have a column for each element, other elements share one; with 64 rows half of the columns are in
// separate lanes. Consecutive scopes share columns, which are allocated by powers of two.
// CHECK: grid.kernel @columns
// CHECK-SAME: warpgroup.tensor_columns = 256
// CHECK: grid.scoped ({{.*}}) attributes {warpgroup.offsets = array<i64: 0, 64>}
// CHECK: grid.scoped ({{.*}}) attributes {warpgroup.offsets = array<i64: 0, 96>}
// CHECK: grid.scoped ({{.*}}) attributes {warpgroup.offsets = array<i64: 96>}
grid.kernel @columns grid() {
  grid.scoped (%acc: memref<128x64xf16, #warpgroup.space<tmem>>, %lhs: memref<128x64xf16, #warpgroup.space<tmem>>) {
    grid.scoped (%rhs: memref<64x64xf16, #warpgroup.space<smem>>, %half: memref<2x64x64xf32, #warpgroup.space<tmem>>) {
      %false = arith.constant false
      %view = grid.slice_ref %acc[0, 0] [128, 64] [1, 1] : memref<128x64xf16, #warpgroup.space<tmem>> -> memref<128x64xf16, #warpgroup.space<tmem>>
      warpgroup.tcgen05_mma %view, %lhs, %rhs accumulate %false
          : memref<128x64xf16, #warpgroup.space<tmem>>, memref<128x64xf16, #warpgroup.space<tmem>>,
            memref<64x64xf16, #warpgroup.space<smem>>
    }
    grid.scoped (%many: memref<128x65xf32, #warpgroup.space<tmem>>) {
    }
  }
}

// -----

// expected-error @below {{expected at most 512 columns of tensor memory on sm_100a, got 520, most of them for x (512), y (8)}}
grid.kernel @limit grid() {
  grid.scoped (%x: memref<128x512xf32, #warpgroup.space<tmem>> origin "x",
               %y: memref<128x16xbf16, #warpgroup.space<tmem>> origin "y") {
  }
}

// -----

grid.kernel @rows grid() {
  // expected-error @below {{expected matrices of 64 or 128 rows and a multiple of 2 columns in tensor memory, got x of 'memref<32x16xf32, #warpgroup.space<tmem>>'}}
  grid.scoped (%x: memref<32x16xf32, #warpgroup.space<tmem>> origin "x") {
  }
}

// -----

grid.kernel @rank grid() {
  // expected-error @below {{expected matrices of elements of at most 32 bits in tensor memory, got x of 'memref<128xf32, #warpgroup.space<tmem>>'}}
  grid.scoped (%x: memref<128xf32, #warpgroup.space<tmem>> origin "x") {
  }
}

// -----

grid.kernel @factors grid() {
  // expected-error @below {{expected 8-bit scales of a multiple of 128 rows and 4 columns in tensor memory, got x of 'memref<128x4xf32, #warpgroup.space<tmem>>'}}
  grid.scoped (%a: memref<1x1x32x16xf32, #warpgroup.space<smem>>, %x: memref<128x4xf32, #warpgroup.space<tmem>> origin "x") {
    warpgroup.tmem_copy %a to %x as_scales : memref<1x1x32x16xf32, #warpgroup.space<smem>>, memref<128x4xf32, #warpgroup.space<tmem>>
  }
}

// -----

grid.kernel @metadata grid() {
  // expected-error @below {{expected metadata of 128 rows and a multiple of 64 columns in tensor memory, got x of 'memref<256x64xi2, #warpgroup.space<tmem>>'}}
  grid.scoped (%a: memref<2x1x128x64xi2, #warpgroup.space<smem>>, %x: memref<256x64xi2, #warpgroup.space<tmem>> origin "x") {
    warpgroup.tmem_copy %a to %x as_metadata : memref<2x1x128x64xi2, #warpgroup.space<smem>>, memref<256x64xi2, #warpgroup.space<tmem>>
  }
}

// -----

grid.kernel @no_columns grid() {
  // expected-error @below {{expected matrices that have elements in tensor memory, got x of 'memref<128x0xf32, #warpgroup.space<tmem>>'}}
  grid.scoped (%x: memref<128x0xf32, #warpgroup.space<tmem>> origin "x") {
  }
}
