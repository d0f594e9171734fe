// RUN: gridir-opt %s --grid-legalize-blocks=target=tpu --split-input-file --verify-diagnostics

// Blocks that end where a tile of their array does, or that are as long as the array, pass.

grid.kernel @legal grid(%i = 4)
    inputs(%a: f32 [64, 256] block [8, 128] at (%i, 0), %b: bf16 [64, 200] block [16, 200] at (%i, 0),
           %c: f32 [4, 3, 100] block [squeezed, 3, 100] at (%i, 0, 0), %d: f32 [4096] block [1024] at (%i),
           %e: f32 [1000] block [256] at (%i), %f: i8 [128, 128] block [32, 128] at (%i, 0))
    outputs(%o: f32 [64, 256] space any) {
}

// -----

// Without a grid nothing is cut, and a prefetched array lies in SMEM as it is.

grid.kernel @no_grid grid()
    inputs(%x: f32 [64, 128] block [12, 128] at (0, 0)) {
}

grid.kernel @prefetched grid(%i = 4)
    index(%n: i32 [5, 7])
    outputs(%o: f32 [32, 128] block [8, 128] at (%i, 0)) {
}

// -----

// Narrow elements lie deeper in a tile, where an array has whole such tiles.

grid.kernel @deep grid(%i = 3)
    inputs(%a: i8 [48, 128] block [16, 128] at (%i, 0), %b: i4 [96, 128] block [32, 128] at (%i, 0),
           %c: i4 [192, 128] block [64, 128] at (%i, 0), %d: i2 [384, 128] block [128, 128] at (%i, 0))
    outputs(%o: f32 [64, 256] space any) {
}

// -----

// The nearest legal sizes are part of the error.

grid.kernel @rows grid(%i = 4)
    // expected-error @below {{expected dimension 0 of x_ref to be divided into multiples of 8 or not at all (64), got 12; the nearest legal sizes are 8 and 16}}
    inputs(%x: f32 [64, 128] block [12, 128] at (%i, 0) origin "x_ref")
    outputs(%o: f32 [64, 128]) {
}

// -----

grid.kernel @lanes grid(%i = 4)
    // expected-error @below {{expected dimension 1 of x_ref to be divided into multiples of 128 or not at all (512), got 64; the nearest legal size is 128}}
    inputs(%x: f32 [8, 512] block [8, 64] at (0, %i) origin "x_ref")
    outputs(%o: f32 [8, 512]) {
}

// -----

// Narrow elements lie deeper in a tile.

grid.kernel @narrow grid(%i = 4)
    // expected-error @below {{expected dimension 0 of x_ref to be divided into multiples of 32 or not at all (64), got 16; the nearest legal size is 32}}
    inputs(%x: i8 [64, 128] block [16, 128] at (%i, 0) origin "x_ref")
    outputs(%o: i8 [64, 128]) {
}

// -----

grid.kernel @nibbles grid(%i = 4)
    // expected-error @below {{expected dimension 0 of x_ref to be divided into multiples of 64 or not at all (64), got 32; the nearest legal size is 64}}
    inputs(%x: i4 [64, 128] block [32, 128] at (%i, 0) origin "x_ref")
    outputs(%o: i8 [64, 128]) {
}

// -----

grid.kernel @vector grid(%i = 4)
    // expected-error @below {{expected dimension 0 of x_ref to be divided into multiples of 1024, powers of two from 128 on, or not at all (4096), got 384; the nearest legal sizes are 256 and 512}}
    inputs(%x: f32 [4096] block [384] at (%i) origin "x_ref")
    outputs(%o: f32 [4096]) {
}

// -----

// A part of a tile may be nearer than the whole.

grid.kernel @part grid(%i = 3)
    // expected-error @below {{expected dimension 0 of x_ref to be divided into multiples of 1024, powers of two from 256 on, or not at all (300), got 128; the nearest legal size is 256}}
    inputs(%x: bf16 [300] block [128] at (%i) origin "x_ref")
    outputs(%o: f32 [300]) {
}

// -----

// The whole is nearer than another tile, and more tiles may be nearer than the whole.

grid.kernel @whole grid(%i = 3)
    // expected-error @below {{multiples of 8 or not at all (20), got 18; the nearest legal sizes are 16 and 20}}
    inputs(%x: f32 [20, 128] block [18, 128] at (%i, 0) origin "x_ref")
    outputs(%o: f32 [20, 128]) {
}

// -----

grid.kernel @half grid(%i = 4)
    // expected-error @below {{expected x_ref to have an element type of a TPU, got 'f16'}}
    inputs(%x: f16 [64, 128] block [16, 128] at (%i, 0) origin "x_ref")
    outputs(%o: f32 [64, 128]) {
}

// -----

// A semaphore is a word, and cut as other words are.

grid.kernel @semaphores grid(%i = 3)
    // expected-error @below {{expected dimension 0 of inputs[0] to be divided into multiples of 8 or not at all (6), got 2; the nearest legal size is 6}}
    inputs(%s: !grid.semaphore<dma> [6, 2] block [2, 2] at (%i, 0))
    outputs(%o: f32 [64, 256] space any) {
}

// -----

grid.kernel @scratch grid()
    outputs(%o: f32 [8, 128])
    // expected-error @below {{expected scratch[0] to have an element type of a TPU, got 'f64'}}
    scratch(%s: memref<8x128xf64, #tpu.memory_space<vmem>>) {
}

// -----

// A mask is not enough on a target that copies blocks as a whole.
// expected-note @below {{it is the block of program (4)}}
grid.kernel @copied grid(%i = 5)
    // expected-error @below {{expected every block of x_ref to overlap its array, got one outside of dimension 0 of size 4096}}
    inputs(%x: f32 [4096] block [1024] at (%i) origin "x_ref") {
  %m = arith.constant dense<false> : tensor<1024xi1>
  %v = grid.load %x mask %m : memref<1024xf32, #grid.space<default>>, tensor<1024xi1> -> tensor<1024xf32>
}

// -----

// expected-error @below {{expected a kernel for a TPU, got one for the warpgroups of a GPU: inputs[0] is in gpu.gmem}}
grid.kernel @warpgroups grid() inputs(%x: f32 [64, 128] space #warpgroup.space<gmem>) {
}
