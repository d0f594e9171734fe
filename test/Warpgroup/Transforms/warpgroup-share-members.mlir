// RUN: gridir-opt %s --warpgroup-share-members --split-input-file --verify-diagnostics | FileCheck %s

// A member that is only read is a view of the one that is written: of the same bytes as other elements.
// CHECK-LABEL: grid.kernel @bytes
// CHECK: grid.scoped (%a: memref<4x64xi8, #warpgroup.space<smem>> origin "a", %b
// CHECK:   %[[LINE:.*]] = grid.reshape_ref %a : {{.*}} -> memref<256xi8
// CHECK:   %[[PART:.*]] = grid.slice_ref %[[LINE]][128] [128] [1]
// CHECK:   %[[WIDE:.*]] = grid.bitcast_ref %[[PART]] : {{.*}} -> memref<32xf32
// CHECK:   %[[MATRIX:.*]] = grid.reshape_ref %[[WIDE]] : {{.*}} -> memref<2x16xf32
// CHECK:   %[[ROW:.*]] = grid.slice_ref %[[MATRIX]]
// CHECK:   grid.load %[[ROW]]
grid.kernel @bytes grid() {
  grid.scoped (%a: memref<4x64xi8, #warpgroup.space<smem>> origin "a",
               %b: memref<2x16xf32, #warpgroup.space<smem>> origin "b")
      attributes {warpgroup.unions = array<i64: 0, 0, 256, 0, 128, 128>} {
    %zero = arith.constant dense<0> : tensor<4x64xi8>
    grid.store %zero, %a : tensor<4x64xi8>, memref<4x64xi8, #warpgroup.space<smem>>
    %row = grid.slice_ref %b[1, 0] [1, 16] [1, 1] drop [0] : memref<2x16xf32, #warpgroup.space<smem>> -> memref<16xf32, #warpgroup.space<smem>>
    %v = grid.load %row : memref<16xf32, #warpgroup.space<smem>> -> tensor<16xf32>
  }
}

// -----

// Refs that are written themselves, share no byte with a written one, or are not members, are not changed.
// CHECK-LABEL: grid.kernel @apart
// CHECK: grid.scoped
// CHECK-NOT: grid.bitcast_ref
// CHECK: grid.load %{{.*}} : memref<64xf32
// CHECK-NOT: grid.bitcast_ref
grid.kernel @apart grid() {
  grid.scoped (%a: memref<64xi32, #warpgroup.space<smem>>, %b: memref<64xf32, #warpgroup.space<smem>>,
               %c: memref<64xf32, #warpgroup.space<smem>>, %d: memref<64xf32, #warpgroup.space<smem>>)
      attributes {warpgroup.unions = array<i64: 0, 0, 256, 0, 0, 256, 0, 1024, 256, -1, 0, 0>} {
    %ints = arith.constant dense<0> : tensor<64xi32>
    %zero = arith.constant dense<0.0> : tensor<64xf32>
    grid.store %ints, %a : tensor<64xi32>, memref<64xi32, #warpgroup.space<smem>>
    grid.store %zero, %b : tensor<64xf32>, memref<64xf32, #warpgroup.space<smem>>
    %v = grid.load %b : memref<64xf32, #warpgroup.space<smem>> -> tensor<64xf32>
    %w = grid.load %c : memref<64xf32, #warpgroup.space<smem>> -> tensor<64xf32>
    %x = grid.load %d : memref<64xf32, #warpgroup.space<smem>> -> tensor<64xf32>
  }
}

// -----

// Tiles lie otherwise than rows.
grid.kernel @tiled grid() {
  grid.scoped (%a: memref<64x64xf32, #warpgroup.space<smem>> origin "a",
               %b: memref<64x64xi32, #warpgroup.space<smem>> origin "b")
      attributes {transforms = [[], [#grid.transform<untiling[8, 32]>, #grid.transform<unswizzle[128]>]],
                  warpgroup.unions = array<i64: 0, 0, 16384, 0, 0, 16384>} {
    %zero = arith.constant dense<0.0> : tensor<64x64xf32>
    grid.store %zero, %a : tensor<64x64xf32>, memref<64x64xf32, #warpgroup.space<smem>>
    // expected-error @below {{expected a read of the union member that was written, got one of b, which is never written and whose bytes are arranged differently than those of a}}
    %v = grid.load %b : memref<64x64xi32, #warpgroup.space<smem>> -> tensor<64x64xi32>
  }
}

// -----

// No view shows the bytes of two.
grid.kernel @several grid() {
  grid.scoped (%a: memref<256xf32, #warpgroup.space<smem>> origin "a", %b: memref<256xf32, #warpgroup.space<smem>> origin "b",
               %c: memref<512xi32, #warpgroup.space<smem>> origin "c")
      attributes {warpgroup.unions = array<i64: 0, 0, 1024, 0, 1024, 1024, 0, 0, 2048>} {
    %zero = arith.constant dense<0.0> : tensor<256xf32>
    grid.store %zero, %a : tensor<256xf32>, memref<256xf32, #warpgroup.space<smem>>
    grid.store %zero, %b : tensor<256xf32>, memref<256xf32, #warpgroup.space<smem>>
    // expected-error @below {{got one of c, which is never written and whose bytes are arranged differently than those of a, b}}
    %v = grid.load %c : memref<512xi32, #warpgroup.space<smem>> -> tensor<512xi32>
  }
}

// -----

// Elements that fill the same columns of tensor memory lie there as the bytes of its lanes.
// CHECK-LABEL: grid.kernel @columns
// CHECK:   %[[LINE:.*]] = grid.reshape_ref %a : {{.*}} -> memref<16384xi8
// CHECK:   %[[WIDE:.*]] = grid.bitcast_ref %[[LINE]] : {{.*}} -> memref<8192xi16
// CHECK:   %[[MATRIX:.*]] = grid.reshape_ref %[[WIDE]] : {{.*}} -> memref<128x64xi16
// CHECK:   grid.load %[[MATRIX]]
grid.kernel @columns grid() {
  grid.scoped (%a: memref<128x128xi8, #warpgroup.space<tmem>> origin "a",
               %b: memref<128x64xi16, #warpgroup.space<tmem>> origin "b")
      attributes {warpgroup.unions = array<i64: 0, 0, 32, 0, 0, 32>} {
    %zero = arith.constant dense<0> : tensor<128x128xi8>
    grid.store %zero, %a : tensor<128x128xi8>, memref<128x128xi8, #warpgroup.space<tmem>>
    %v = grid.load %b : memref<128x64xi16, #warpgroup.space<tmem>> -> tensor<128x64xi16>
  }
}

// -----

// Some of the columns are no view.
grid.kernel @part grid() {
  grid.scoped (%a: memref<128x64xf32, #warpgroup.space<tmem>> origin "a",
               %b: memref<128x32xf32, #warpgroup.space<tmem>> origin "b")
      attributes {warpgroup.unions = array<i64: 0, 0, 64, 0, 32, 32>} {
    %zero = arith.constant dense<0.0> : tensor<128x64xf32>
    grid.store %zero, %a : tensor<128x64xf32>, memref<128x64xf32, #warpgroup.space<tmem>>
    // expected-error @below {{got one of b}}
    %v = grid.load %b : memref<128x32xf32, #warpgroup.space<tmem>> -> tensor<128x32xf32>
  }
}
