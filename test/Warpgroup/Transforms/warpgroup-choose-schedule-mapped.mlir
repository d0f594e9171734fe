// RUN: gridir-opt %s --split-input-file --pass-pipeline='builtin.module(grid.kernel(warpgroup-choose-schedule))' | FileCheck %s
// RUN: gridir-opt %s --split-input-file --pass-pipeline='builtin.module(grid.kernel(warpgroup-choose-schedule))' -o /dev/null 2>&1 \
// RUN:   --remarks-filter=warpgroup-choose-schedule --remark-format=emitRemark | FileCheck %s --check-prefix=REMARK

// Each of these kernels is mapped to threads, and a remark states the reason.
// CHECK-COUNT-35: warpgroup.mapped
// CHECK-NOT: warpgroup.mapped

// REMARK: the kernel is mapped to threads, since {{.*}}its grid is dynamic
grid.kernel @dynamic grid(%i = ?) outputs(%o: f32 [512] block [128] at (%i)) {
}
// -----
// REMARK: since {{.*}}it has index operands
grid.kernel @index grid(%i = 4) index(%n: i32 [4]) outputs(%o: f32 [512] block [128] at (%i)) {
}
// -----
// REMARK: since {{.*}}it has no outputs
grid.kernel @none grid(%i = 4) inputs(%x: f32 [512] block [128] at (%i)) {
}
// -----
// REMARK: since {{.*}}a window may exceed its Ref
grid.kernel @past_the_end grid(%i = 4)
    inputs(%x: f32 [100], %m: i1 [128] block [32] at (%i)) outputs(%o: f32 [128] block [32] at (%i))
    semantics [parallel] {
  %p = grid.program_id 0
  %c32 = arith.constant 32 : i32
  %first = arith.muli %p, %c32 : i32
  %w = grid.slice_ref %x[%first] [32] [1] : memref<100xf32, #grid.space<default>>, i32 -> memref<32xf32, #grid.space<default>>
  %v = grid.load %w : memref<32xf32, #grid.space<default>> -> tensor<32xf32>
  %mask = grid.load %m : memref<32xi1, #grid.space<default>> -> tensor<32xi1>
  grid.store %v, %o mask %mask : tensor<32xf32>, memref<32xf32, #grid.space<default>>, tensor<32xi1>
}
// -----
// REMARK: since {{.*}}an array has no elements
grid.kernel @empty_window grid() outputs(%o: f32 [11]) {
  %a = grid.slice_ref %o[0] [0] [1] : memref<11xf32, #grid.space<default>> -> memref<0xf32, #grid.space<default>>
  %b = grid.slice_ref %o[0] [0] [2] : memref<11xf32, #grid.space<default>> -> memref<0xf32, #grid.space<default>>
  %v = grid.load %a : memref<0xf32, #grid.space<default>> -> tensor<0xf32>
  grid.store %v, %b : tensor<0xf32>, memref<0xf32, #grid.space<default>>
}
// -----
// REMARK: since {{.*}}its programs wait for one another
grid.kernel @tasks grid(%i = 4) outputs(%o: f32 [512] block [128] at (%i)) attributes {grid.tasks = #kernel.tasks<>} {
}
// -----
// REMARK: since {{.*}}it reads the old values of an aliased operand
grid.kernel @functional grid(%i = 4) inputs(%x: f32 [512] block [128] at (%i))
    outputs(%o: f32 [512] block [128] at (%i)) aliases [0 -> 0] functional {
}
// -----
// REMARK: since {{.*}}its grid is empty
grid.kernel @empty grid(%i = 0) outputs(%o: f32 [512] block [128] at (%i)) {
}
// -----
// REMARK: since {{.*}}its grid has clusters
grid.kernel @clusters grid(%i = 2 cluster) outputs(%o: f32 [512] block [128] at (%i)) {
}
// -----
// REMARK: since {{.*}}threads do not load elements of {{.*}}
grid.kernel @elements grid(%i = 4) outputs(%o: complex<f32> [512] block [128] at (%i)) {
}
// -----
// REMARK: since {{.*}}the index map of {{.*}} is not affine
grid.kernel @map grid(%i = 4, %j = 4) outputs(%o: f32 [16, 128] block [1, 128] map(%a: i32, %b: i32) {
    %p = arith.muli %a, %b : i32
    %c0 = arith.constant 0 : i32
    grid.yield %p, %c0 : i32, i32
  }) {
}
// -----
// REMARK: since {{.*}}the blocks of {{.*}} are neither regular nor windows
grid.kernel @padded grid(%i = 4)
    inputs(%x: f32 [512] block [element(128, 1, 1)] at (%i * 128)) outputs(%o: f32 [512] block [128] at (%i)) {
}
// -----
// The index map gives the slice a start and a size.
// REMARK: since {{.*}}the blocks of {{.*}} are neither regular nor windows
grid.kernel @bounded grid(%i = 4) inputs(%x: f32 [32, 128] block [slice(8), 128] at (%i * 8, 8, 0))
    outputs(%o: f32 [512] block [128] at (%i)) {
}
// -----
// REMARK: since {{.*}}blocks of {{.*}} are outside of it
grid.kernel @outside grid(%i = 5) outputs(%o: f32 [500] block [128] at (%i)) {
}
// -----
// REMARK: since {{.*}}it accesses a view of a block of {{.*}} that overhangs its array
grid.kernel @part_of_overhang grid(%i = 4) inputs(%x: f32 [30, 128] block [8, 128] at (%i, 0))
    outputs(%o: f32 [512] block [128] at (%i)) {
  %r = grid.slice_ref %x[0, 0] [4, 128] [2, 1]
      : memref<8x128xf32, #grid.space<default>> -> memref<4x128xf32, #grid.space<default>>
  %v = grid.load %r : memref<4x128xf32, #grid.space<default>> -> tensor<4x128xf32>
}
// -----
// REMARK: since {{.*}}registers do not hold {{.*}}
grid.kernel @scalar grid(%i = 4) outputs(%o: f32 [512] block [128] at (%i))
    scratch(%s: memref<f32, #grid.space<default>>) {
}
// -----
// REMARK: since {{.*}}shared memory of a CTA does not hold 262144 bytes of scratch
grid.kernel @part grid(%i = 4) outputs(%o: f32 [512] block [128] at (%i))
    scratch(%s: memref<512x128xf32, #grid.space<default>>) {
  %r = grid.slice_ref %s[0, 0] [1, 128] [1, 1] drop [0]
      : memref<512x128xf32, #grid.space<default>> -> memref<128xf32, #grid.space<default>>
}
// -----
// REMARK: since {{.*}}a window may exceed its Ref
grid.kernel @window grid(%i = 10) inputs(%x: f32 [8, 128]) outputs(%o: f32 [1280] block [128] at (%i)) {
  %i = grid.program_id 0
  %r = grid.slice_ref %x[%i, 0] [1, 128] [1, 1] drop [0]
      : memref<8x128xf32, #grid.space<default>>, i32 -> memref<128xf32, #grid.space<default>>
  %m = arith.constant dense<true> : tensor<128xi1>
  %z = arith.constant dense<0.0> : tensor<128xf32>
  %v = grid.load %r mask %m other %z
      : memref<128xf32, #grid.space<default>>, tensor<128xi1>, tensor<128xf32> -> tensor<128xf32>
}
// -----
// REMARK: since {{.*}}a constant has several values
grid.kernel @constant grid(%i = 4) outputs(%o: f32 [8] block [2] at (%i)) {
  %c = arith.constant dense<[1.0, 2.0]> : tensor<2xf32>
}
// -----
// REMARK: since {{.*}}matrix units do not compute a contraction
grid.kernel @i16 grid(%i = 4) inputs(%x: i16 [64, 64]) outputs(%o: i16 [256, 64] block [64, 64] at (%i, 0)) {
  %a = grid.load %x : memref<64x64xi16, #grid.space<default>> -> tensor<64x64xi16>
  %d = grid.dot %a, %a contract [1] x [0] : tensor<64x64xi16>, tensor<64x64xi16> -> tensor<64x64xi16>
}
// -----
// REMARK: since {{.*}}it gathers at indices of another type than i32 and i64
grid.kernel @gather grid(%i = 4) inputs(%x: f32 [64, 128], %n: i8 [32]) outputs(%o: f32 [128, 128] block [32, 128] at (%i, 0)) {
  %a = grid.load %n : memref<32xi8, #grid.space<default>> -> tensor<32xi8>
  %b = grid.gather %x[%a] dims [0] : memref<64x128xf32, #grid.space<default>>, tensor<32xi8> -> tensor<32x128xf32>
  grid.store %b, %o : tensor<32x128xf32>, memref<32x128xf32, #grid.space<default>>
}
// -----
// REMARK: since {{.*}}it computes with complex numbers
grid.kernel @complex grid(%i = 4) outputs(%o: f32 [512] block [128] at (%i)) {
  %z = arith.constant 0.0 : f32
  %c = complex.create %z, %z : complex<f32>
}
// -----
// REMARK: since {{.*}}warpgroups do not compute grid.rotate
grid.kernel @rotate grid(%i = 4) inputs(%x: f32 [512] block [128] at (%i)) outputs(%o: f32 [512] block [128] at (%i)) {
  %a = grid.load %x : memref<128xf32, #grid.space<default>> -> tensor<128xf32>
  %c = arith.constant 1 : i32
  %b = grid.rotate %a by %c dim 0 : tensor<128xf32>, i32
}
// -----
// REMARK: since {{.*}}registers of a warpgroup do not hold 65536 elements
grid.kernel @large grid(%i = 4) inputs(%x: f32 [4, 65536] block [1, 65536] at (%i, 0))
    outputs(%o: f32 [4, 1] block [1, 1] at (%i, 0)) {
  %a = grid.load %x : memref<1x65536xf32, #grid.space<default>> -> tensor<1x65536xf32>
}
// -----
// REMARK: since {{.*}}its author limits the memory of reductions
module attributes {kernel.mapping = #kernel.mapping<reduction_scratch_bytes = 64>} {
  grid.kernel @reductions grid(%i = 4) outputs(%o: f32 [512] block [128] at (%i)) {
  }
}
// -----
// REMARK: since {{.*}}the block of {{.*}} has transforms
grid.kernel @transforms grid(%i = 4)
    inputs(%x: f32 [64, 64] block [16, 64] at (%i, 0) transforms [<swizzle [128]>])
    outputs(%o: f32 [512] block [128] at (%i)) {
}
// -----
// REMARK: since {{.*}}its first output is no vector or matrix
grid.kernel @three_dimensions grid(%i = 4) inputs(%x: bf16 [64, 64], %y: bf16 [64, 64])
    outputs(%o: f32 [16, 8, 8] block [4, 8, 8] at (%i, 0, 0)) {
  %a = grid.load %x : memref<64x64xbf16, #grid.space<default>> -> tensor<64x64xbf16>
  %b = grid.load %y : memref<64x64xbf16, #grid.space<default>> -> tensor<64x64xbf16>
  %d = grid.dot %a, %b contract [1] x [0] : tensor<64x64xbf16>, tensor<64x64xbf16> -> tensor<64x64xf32>
}
// -----
// REMARK: since {{.*}}registers of a warpgroup do not hold the result of a contraction
grid.kernel @wide grid(%i = 4) inputs(%x: bf16 [256, 64] block [64, 64] at (%i, 0), %y: bf16 [64, 512])
    outputs(%o: f32 [256, 64] block [64, 64] at (%i, 0)) {
  %a = grid.load %x : memref<64x64xbf16, #grid.space<default>> -> tensor<64x64xbf16>
  %b = grid.load %y : memref<64x512xbf16, #grid.space<default>> -> tensor<64x512xbf16>
  %d = grid.dot %a, %b contract [1] x [0] : tensor<64x64xbf16>, tensor<64x512xbf16> -> tensor<64x512xf32>
}
// -----
// REMARK: since {{.*}}shared memory of a CTA does not hold {{.*}} bytes of operands
grid.kernel @deep grid(%i = 4) inputs(%x: bf16 [256, 2048] block [64, 2048] at (%i, 0), %y: bf16 [2048, 64])
    outputs(%o: f32 [256, 64] block [64, 64] at (%i, 0)) {
  %a = grid.load %x : memref<64x2048xbf16, #grid.space<default>> -> tensor<64x2048xbf16>
  %b = grid.load %y : memref<2048x64xbf16, #grid.space<default>> -> tensor<2048x64xbf16>
  %d = grid.dot %a, %b contract [1] x [0] : tensor<64x2048xbf16>, tensor<2048x64xbf16> -> tensor<64x64xf32>
}
// -----
// REMARK: since {{.*}} has no elements
grid.kernel @no_elements grid(%i = 4) inputs(%x: f32 [0]) outputs(%o: f32 [512] block [128] at (%i)) {
}
// -----
// REMARK: since {{.*}} has 2 GiB or more
grid.kernel @gibibytes grid(%i = 65536) outputs(%o: f32 [65536, 32768] block [1, 32768] at (%i, 0)) {
}
// -----
// REMARK: since {{.*}}it needs a copy of {{.*}}, which it overwrites
grid.kernel @in_place grid(%i = 4) inputs(%x: f32 [512] block [128] at (%i))
    outputs(%o: f32 [512] block [128] at (%i), %p: f32 [512] block [128] at (%i))
    semantics [parallel] aliases [0 -> 0] {
  %a = grid.load %x : memref<128xf32, #grid.space<default>> -> tensor<128xf32>
  %b = arith.addf %a, %a : tensor<128xf32>
  grid.store %b, %o : tensor<128xf32>, memref<128xf32, #grid.space<default>>
  %c = grid.load %x : memref<128xf32, #grid.space<default>> -> tensor<128xf32>
  grid.store %c, %p : tensor<128xf32>, memref<128xf32, #grid.space<default>>
}
// -----
// REMARK: since {{.*}}copies of {{.*}} would pass stores to its memory
grid.kernel @chain grid(%i = 3) inputs(%x: bf16 [256, 64] block [64, 64] at (%i, 0), %y: bf16 [64, 64])
    outputs(%o: bf16 [256, 64] block [64, 64] at (%i + 1, 0)) aliases [0 -> 0] {
  %a = grid.load %x : memref<64x64xbf16, #grid.space<default>> -> tensor<64x64xbf16>
  %b = grid.load %y : memref<64x64xbf16, #grid.space<default>> -> tensor<64x64xbf16>
  %d = grid.dot %a, %b contract [1] x [0] : tensor<64x64xbf16>, tensor<64x64xbf16> -> tensor<64x64xf32>
  %r = arith.truncf %d : tensor<64x64xf32> to tensor<64x64xbf16>
  grid.store %r, %o : tensor<64x64xbf16>, memref<64x64xbf16, #grid.space<default>>
}
// -----
// REMARK: since {{.*}}threads do not divide the 5159 elements of a reduction evenly
grid.kernel @uneven grid(%i = 4) inputs(%x: f32 [67, 77]) outputs(%o: f32 [512] block [128] at (%i)) {
  %v = grid.load %x : memref<67x77xf32, #grid.space<default>> -> tensor<67x77xf32>
  %z = arith.constant dense<0.0> : tensor<f32>
  %w = linalg.reduce { arith.addf } ins(%v : tensor<67x77xf32>) outs(%z : tensor<f32>) dimensions = [0, 1]
}
// -----
// PTX has no atomic maximum of f64.
// REMARK: since {{.*}}it updates memory atomically
grid.kernel @atomic grid(%i = 4) outputs(%o: f64 [512] block [128] at (%i)) {
  %v = arith.constant dense<1.0> : tensor<128xf64>
  %old = grid.atomic_rmw maxf %v, %o : tensor<128xf64>, memref<128xf64, #grid.space<default>>
}
