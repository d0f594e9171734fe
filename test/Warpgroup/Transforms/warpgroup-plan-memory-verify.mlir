// RUN: gridir-opt %s "--warpgroup-plan-memory=chip= verify-only" --split-input-file --verify-diagnostics | FileCheck %s

// Kernels that fit are not changed.
// CHECK-NOT: warpgroup.shared_bytes
// CHECK-NOT: warpgroup.offsets
// CHECK: grid.kernel @fits grid() {
grid.kernel @fits grid() {
  grid.scoped (%a: memref<58112xf32, #warpgroup.space<smem>>) {
  }
}

// -----

// A remainder of the last 8 bytes counts, too.
// expected-error @below {{expected at most 232448 bytes of shared memory on sm_90, got 232456, most of them for a (232452)}}
grid.kernel @bytes grid() {
  grid.scoped (%a: memref<58113xf32, #warpgroup.space<smem>> origin "a") {
  }
}

// -----

// A kernel with tensor memory is one for a chip that has some.
// expected-error @below {{expected at most 512 columns of tensor memory on sm_100a, got 640, most of them for b (512), a (128)}}
grid.kernel @columns grid() {
  grid.scoped (%a: memref<128x128xf32, #warpgroup.space<tmem>> origin "a",
               %b: memref<128x512xf32, #warpgroup.space<tmem>> origin "b") {
  }
}

// -----

// Members of a union share what the largest of them needs.
// CHECK: grid.kernel @union grid() {
grid.kernel @union grid() {
  grid.scoped (%a: memref<40000xf32, #warpgroup.space<smem>>, %b: memref<80000xi16, #warpgroup.space<smem>>)
      attributes {warpgroup.unions = array<i64: 0, 0, 160000, 0, 0, 160000>} {
  }
}

// -----

// Two elements of four bits are a byte on a GPU, for every reader.
// CHECK: grid.kernel @nibbles grid() {
grid.kernel @nibbles grid() {
  grid.scoped (%a: memref<400000xi4, #warpgroup.space<smem>>) {
    %v = grid.load %a : memref<400000xi4, #warpgroup.space<smem>> -> tensor<400000xi4>
  }
}
