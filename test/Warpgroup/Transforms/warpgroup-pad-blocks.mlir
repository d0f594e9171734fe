// RUN: gridir-opt %s --split-input-file --pass-pipeline='builtin.module(grid.kernel(warpgroup-pad-blocks))' | FileCheck %s
// RUN: gridir-opt %s --split-input-file --pass-pipeline='builtin.module(grid.kernel(warpgroup-pad-blocks))' --mlir-pass-statistics 2>&1 >/dev/null | FileCheck %s --check-prefix=STATS
// RUN: not gridir-opt %s --split-input-file --pass-pipeline='builtin.module(grid.kernel(warpgroup-pad-blocks{chip=sm_1}))' 2>&1 | FileCheck %s --check-prefix=CHIP
// CHIP: expected a chip ({{.*}}), got sm_1

// Rows of 1000 elements become rows of 1024, in which each thread accesses 16 bytes. The sum has the neutral element
// after the row; the other input and the output extend with it.
// STATS: 1 num-padded
// CHECK-LABEL: grid.kernel @scale
// CHECK: inputs(%{{.+}}: f32 [64, 1000] block [8, 1024] at (%{{.+}}, 0),
// CHECK-NEXT: %{{.+}}: f32 [1000] block [1024] at (0))
// CHECK: outputs(%{{.+}}: f32 [64, 1000] block [8, 1024] at (%{{.+}}, 0))
// CHECK: %[[V:.+]] = grid.load {{.*}} -> tensor<8x1024xf32>
// CHECK: %[[ZERO:.+]] = arith.constant dense<{{.*}}0.000000e+00> : tensor<8x1024xf32>
// CHECK: %[[INSIDE:.+]] = linalg.generic
// CHECK: %[[I:.+]] = linalg.index 1
// CHECK: arith.cmpi slt, %[[I]], %c1000
// CHECK: %[[W:.+]] = arith.select %[[INSIDE]], %[[V]], %[[ZERO]]
// CHECK: linalg.reduce {{.*}} ins(%[[W]] : tensor<8x1024xf32>) outs({{.*}}) dimensions = [1]
// CHECK: linalg.broadcast {{.*}} outs({{.*}} : tensor<8x1024xf32>) dimensions = [1]
// CHECK: grid.store {{.*}} : tensor<8x1024xf32>
grid.kernel @scale grid(%i = 8)
    inputs(%x: f32 [64, 1000] block [8, 1000] at (%i, 0), %y: f32 [1000] block [1000] at (0))
    outputs(%o: f32 [64, 1000] block [8, 1000] at (%i, 0)) semantics [parallel] {
  %zero = arith.constant dense<0.0> : tensor<8xf32>
  %empty = tensor.empty() : tensor<8x1000xf32>
  %v = grid.load %x : memref<8x1000xf32, #grid.space<default>> -> tensor<8x1000xf32>
  %y1 = grid.load %y : memref<1000xf32, #grid.space<default>> -> tensor<1000xf32>
  %sum = linalg.reduce {arith.addf} ins(%v : tensor<8x1000xf32>) outs(%zero : tensor<8xf32>) dimensions = [1]
  %sums = linalg.broadcast ins(%sum : tensor<8xf32>) outs(%empty : tensor<8x1000xf32>) dimensions = [1]
  %factors = linalg.broadcast ins(%y1 : tensor<1000xf32>) outs(%empty : tensor<8x1000xf32>) dimensions = [0]
  %a = arith.mulf %v, %factors : tensor<8x1000xf32>
  %b = arith.divf %a, %sums : tensor<8x1000xf32>
  grid.store %b, %o : tensor<8x1000xf32>, memref<8x1000xf32, #grid.space<default>>
}

// -----

// Few columns become a power of two. 1100 elements of 4 bytes are extended by less than a quarter, to 8 bytes for each
// thread.
// STATS: 1 num-padded
// CHECK-LABEL: grid.kernel @short
// CHECK: block [3, 64] at
// STATS: 1 num-padded
// CHECK-LABEL: grid.kernel @long
// CHECK: block [1, 1280] at
grid.kernel @short grid(%i = 8) inputs(%x: f32 [24, 50] block [3, 50] at (%i, 0)) outputs(%o: f32 [24] block [3] at (%i)) semantics [parallel] {
  %low = arith.constant dense<0xFF800000> : tensor<3xf32>
  %v = grid.load %x : memref<3x50xf32, #grid.space<default>> -> tensor<3x50xf32>
  %max = linalg.reduce {arith.maximumf} ins(%v : tensor<3x50xf32>) outs(%low : tensor<3xf32>) dimensions = [1]
  grid.store %max, %o : tensor<3xf32>, memref<3xf32, #grid.space<default>>
}

// -----

grid.kernel @long grid(%i = 24) inputs(%x: f32 [24, 1100] block [1, 1100] at (%i, 0)) outputs(%o: f32 [24] block [1] at (%i)) semantics [parallel] {
  %zero = arith.constant dense<0.0> : tensor<1xf32>
  %v = grid.load %x : memref<1x1100xf32, #grid.space<default>> -> tensor<1x1100xf32>
  %sum = linalg.reduce {arith.addf} ins(%v : tensor<1x1100xf32>) outs(%zero : tensor<1xf32>) dimensions = [1]
  grid.store %sum, %o : tensor<1xf32>, memref<1xf32, #grid.space<default>>
}

// -----

// Nothing is extended: rows that 128 threads divide, blocks that are a part of a row, rows that registers do not hold,
// columns of which threads have whole rows, values of which a slice is used, and results of contractions that matrix
// units compute as they are.
// STATS: 0 num-padded
// CHECK-LABEL: grid.kernel @even
// CHECK: block [1, 1152] at
grid.kernel @even grid(%i = 24) inputs(%x: f32 [24, 1152] block [1, 1152] at (%i, 0)) outputs(%o: f32 [24] block [1] at (%i)) semantics [parallel] {
  %zero = arith.constant dense<0.0> : tensor<1xf32>
  %v = grid.load %x : memref<1x1152xf32, #grid.space<default>> -> tensor<1x1152xf32>
  %sum = linalg.reduce {arith.addf} ins(%v : tensor<1x1152xf32>) outs(%zero : tensor<1xf32>) dimensions = [1]
  grid.store %sum, %o : tensor<1xf32>, memref<1xf32, #grid.space<default>>
}

// -----

// STATS: 0 num-padded
// CHECK-LABEL: grid.kernel @part
// CHECK: block [1, 1000] at
grid.kernel @part grid(%i = 24, %j = 2) inputs(%x: f32 [24, 2000] block [1, 1000] at (%i, %j)) outputs(%o: f32 [24, 2] block [1, 1] at (%i, %j)) semantics [parallel, parallel] {
  %zero = arith.constant dense<0.0> : tensor<1xf32>
  %v = grid.load %x : memref<1x1000xf32, #grid.space<default>> -> tensor<1x1000xf32>
  %sum = linalg.reduce {arith.addf} ins(%v : tensor<1x1000xf32>) outs(%zero : tensor<1xf32>) dimensions = [1]
  %e = tensor.expand_shape %sum [[0, 1]] output_shape [1, 1] : tensor<1xf32> into tensor<1x1xf32>
  grid.store %e, %o : tensor<1x1xf32>, memref<1x1xf32, #grid.space<default>>
}

// -----

// STATS: 0 num-padded
// CHECK-LABEL: grid.kernel @large
// CHECK: block [1, 50257] at
grid.kernel @large grid(%i = 24) inputs(%x: f32 [24, 50257] block [1, 50257] at (%i, 0)) outputs(%o: f32 [24] block [1] at (%i)) semantics [parallel] {
  %zero = arith.constant dense<0.0> : tensor<1xf32>
  %v = grid.load %x : memref<1x50257xf32, #grid.space<default>> -> tensor<1x50257xf32>
  %sum = linalg.reduce {arith.addf} ins(%v : tensor<1x50257xf32>) outs(%zero : tensor<1xf32>) dimensions = [1]
  grid.store %sum, %o : tensor<1xf32>, memref<1xf32, #grid.space<default>>
}

// -----

// STATS: 0 num-padded
// CHECK-LABEL: grid.kernel @rows
// CHECK: block [128, 10] at
grid.kernel @rows grid(%i = 8) inputs(%x: f32 [1024, 10] block [128, 10] at (%i, 0)) outputs(%o: f32 [1024] block [128] at (%i)) semantics [parallel] {
  %zero = arith.constant dense<0.0> : tensor<128xf32>
  %v = grid.load %x : memref<128x10xf32, #grid.space<default>> -> tensor<128x10xf32>
  %sum = linalg.reduce {arith.addf} ins(%v : tensor<128x10xf32>) outs(%zero : tensor<128xf32>) dimensions = [1]
  grid.store %sum, %o : tensor<128xf32>, memref<128xf32, #grid.space<default>>
}

// -----

// STATS: 0 num-padded
// CHECK-LABEL: grid.kernel @slice
// CHECK: block [1, 1000] at
grid.kernel @slice grid(%i = 24) inputs(%x: f32 [24, 1000] block [1, 1000] at (%i, 0)) outputs(%o: f32 [24] block [1] at (%i), %p: f32 [24, 500] block [1, 500] at (%i, 0)) semantics [parallel] {
  %zero = arith.constant dense<0.0> : tensor<1xf32>
  %v = grid.load %x : memref<1x1000xf32, #grid.space<default>> -> tensor<1x1000xf32>
  %half = tensor.extract_slice %v[0, 0] [1, 500] [1, 1] : tensor<1x1000xf32> to tensor<1x500xf32>
  %sum = linalg.reduce {arith.addf} ins(%v : tensor<1x1000xf32>) outs(%zero : tensor<1xf32>) dimensions = [1]
  grid.store %sum, %o : tensor<1xf32>, memref<1xf32, #grid.space<default>>
  grid.store %half, %p : tensor<1x500xf32>, memref<1x500xf32, #grid.space<default>>
}

// -----

// STATS: 0 num-padded
// CHECK-LABEL: grid.kernel @product
// CHECK: block [1000, 64] at
grid.kernel @product grid(%i = 2) inputs(%x: bf16 [128, 64] block [64, 64] at (%i, 0), %y: bf16 [1000, 64] block [1000, 64] at (0, 0))
    outputs(%o: f32 [128] block [64] at (%i)) semantics [parallel] {
  %v = grid.load %x : memref<64x64xbf16, #grid.space<default>> -> tensor<64x64xbf16>
  %w = grid.load %y : memref<1000x64xbf16, #grid.space<default>> -> tensor<1000x64xbf16>
  %d = grid.dot %v, %w contract [1] x [1] : tensor<64x64xbf16>, tensor<1000x64xbf16> -> tensor<64x1000xf32>
  %low = arith.constant dense<0xFF800000> : tensor<64xf32>
  %max = linalg.reduce {arith.maximumf} ins(%d : tensor<64x1000xf32>) outs(%low : tensor<64xf32>) dimensions = [1]
  grid.store %max, %o : tensor<64xf32>, memref<64xf32, #grid.space<default>>
}

// -----

// Columns become two rows of shared memory. 77 rows become 80, which 16 x 32 divide: multiples of 32 or 64 rows are more.
// The depth of 93 becomes two rows, too, in which both operands have zeros after their arrays.
// STATS: 3 num-padded
// CHECK-LABEL: grid.kernel @whole
// CHECK: bf16 [77, 93] block [80, 128] at
// CHECK: bf16 [93, 67] block [128, 128] at
// CHECK: f32 [77, 67] block [80, 128] at
// CHECK: %[[X:.+]] = grid.load %{{.*}} -> tensor<80x128xbf16>
// CHECK: %[[Y:.+]] = grid.load %{{.*}} -> tensor<128x128xbf16>
// CHECK: linalg.index 1
// CHECK: %[[A:.+]] = arith.select %{{.*}}, %[[X]],
// CHECK: linalg.index 0
// CHECK: %[[B:.+]] = arith.select %{{.*}}, %[[Y]],
// CHECK: grid.dot %[[A]], %[[B]] {{.*}} -> tensor<80x128xf32>
grid.kernel @whole grid(%i = 1) inputs(%x: bf16 [77, 93], %y: bf16 [93, 67]) outputs(%o: f32 [77, 67]) {
  %v = grid.load %x : memref<77x93xbf16, #grid.space<default>> -> tensor<77x93xbf16>
  %w = grid.load %y : memref<93x67xbf16, #grid.space<default>> -> tensor<93x67xbf16>
  %d = grid.dot %v, %w contract [1] x [0] : tensor<77x93xbf16>, tensor<93x67xbf16> -> tensor<77x67xf32>
  grid.store %d, %o : tensor<77x67xf32>, memref<77x67xf32, #grid.space<default>>
}

// -----

// The columns of the first product are the depth of the second one, whose operand is computed: it is restricted. The
// maximum is one of the first 40 columns.
// STATS: 1 num-padded
// CHECK-LABEL: grid.kernel @chain
// CHECK: bf16 [40, 64] block [48, 64] at
// CHECK: bf16 [40, 64] block [48, 64] at
// CHECK: %[[S:.+]] = grid.dot {{.*}} -> tensor<64x48xf32>
// CHECK: %[[LOW:.+]] = arith.constant dense<0xFF800000> : tensor<64x48xf32>
// CHECK: arith.select %{{.*}}, %[[S]], %[[LOW]]
// CHECK: %[[P:.+]] = arith.truncf
// CHECK: %[[ZERO:.+]] = arith.constant dense<0.000000e+00> : tensor<64x48xbf16>
// CHECK: %[[R:.+]] = arith.select %{{.*}}, %[[P]], %[[ZERO]]
// CHECK: %[[V:.+]] = arith.select
// CHECK: grid.dot %[[R]], %[[V]] contract [1] x [0] : tensor<64x48xbf16>, tensor<48x64xbf16>
grid.kernel @chain grid(%i = 2) inputs(%q: bf16 [128, 64] block [64, 64] at (%i, 0), %k: bf16 [40, 64], %v: bf16 [40, 64])
    outputs(%o: f32 [128, 64] block [64, 64] at (%i, 0)) semantics [parallel] {
  %a = grid.load %q : memref<64x64xbf16, #grid.space<default>> -> tensor<64x64xbf16>
  %b = grid.load %k : memref<40x64xbf16, #grid.space<default>> -> tensor<40x64xbf16>
  %c = grid.load %v : memref<40x64xbf16, #grid.space<default>> -> tensor<40x64xbf16>
  %s = grid.dot %a, %b contract [1] x [1] : tensor<64x64xbf16>, tensor<40x64xbf16> -> tensor<64x40xf32>
  %low = arith.constant dense<0xFF800000> : tensor<64xf32>
  %empty = tensor.empty() : tensor<64x40xf32>
  %max = linalg.reduce {arith.maximumf} ins(%s : tensor<64x40xf32>) outs(%low : tensor<64xf32>) dimensions = [1]
  %m = linalg.broadcast ins(%max : tensor<64xf32>) outs(%empty : tensor<64x40xf32>) dimensions = [1]
  %p = arith.subf %s, %m : tensor<64x40xf32>
  %r = arith.truncf %p : tensor<64x40xf32> to tensor<64x40xbf16>
  %d = grid.dot %r, %c contract [1] x [0] : tensor<64x40xbf16>, tensor<40x64xbf16> -> tensor<64x64xf32>
  grid.store %d, %o : tensor<64x64xf32>, memref<64x64xf32, #grid.space<default>>
}

// -----

// Blocks of 42 rows of 420 are not extended, so nothing is.
// STATS: 0 num-padded
// CHECK-LABEL: grid.kernel @blocked
// CHECK: block [42, 50] at
grid.kernel @blocked grid(%i = 10) inputs(%x: bf16 [420, 50] block [42, 50] at (%i, 0), %y: bf16 [50, 64])
    outputs(%o: f32 [420, 64] block [42, 64] at (%i, 0)) semantics [parallel] {
  %v = grid.load %x : memref<42x50xbf16, #grid.space<default>> -> tensor<42x50xbf16>
  %w = grid.load %y : memref<50x64xbf16, #grid.space<default>> -> tensor<50x64xbf16>
  %d = grid.dot %v, %w contract [1] x [0] : tensor<42x50xbf16>, tensor<50x64xbf16> -> tensor<42x64xf32>
  grid.store %d, %o : tensor<42x64xf32>, memref<42x64xf32, #grid.space<default>>
}

// -----

// A single row becomes 8 equal rows, with which 64 columns are multiplied.
// STATS: 1 num-repeated
// CHECK-LABEL: grid.kernel @row
// CHECK: %[[X:.+]] = grid.load %{{.*}} -> tensor<1x128xbf16>
// CHECK: %[[V:.+]] = tensor.collapse_shape %[[X]] {{.*}} into tensor<128xbf16>
// CHECK: %[[R:.+]] = linalg.broadcast ins(%[[V]] : tensor<128xbf16>) outs(%{{.*}} : tensor<8x128xbf16>) dimensions = [0]
// CHECK: %[[D:.+]] = grid.dot %[[R]], %{{.*}} contract [1] x [0] {{.*}} -> tensor<8x64xf32>
// CHECK: %[[P:.+]] = tensor.extract_slice %[[D]][0, 0] [1, 64] [1, 1]
// CHECK: grid.store %[[P]]
grid.kernel @row grid(%i = 2) inputs(%x: bf16 [1, 128], %y: bf16 [128, 128] block [128, 64] at (0, %i))
    outputs(%o: f32 [1, 128] block [1, 64] at (0, %i)) semantics [parallel] {
  %v = grid.load %x : memref<1x128xbf16, #grid.space<default>> -> tensor<1x128xbf16>
  %w = grid.load %y : memref<128x64xbf16, #grid.space<default>> -> tensor<128x64xbf16>
  %d = grid.dot %v, %w contract [1] x [0] : tensor<1x128xbf16>, tensor<128x64xbf16> -> tensor<1x64xf32>
  grid.store %d, %o : tensor<1x64xf32>, memref<1x64xf32, #grid.space<default>>
}

// -----

// A vector on the right, and an accumulator. 32 rows need 16 columns.
// STATS: 1 num-repeated
// CHECK-LABEL: grid.kernel @vector
// CHECK: %[[D:.+]] = grid.dot %{{.*}}, %{{.*}} contract [1] x [1] : tensor<32x64xbf16>, tensor<16x64xbf16> -> tensor<32x16xf32>
// CHECK: %[[P:.+]] = tensor.extract_slice %[[D]][0, 0] [32, 1] [1, 1]
// CHECK: %[[C:.+]] = tensor.collapse_shape %[[P]]
// CHECK: arith.addf %{{.*}}, %[[C]] : tensor<32xf32>
grid.kernel @vector grid(%i = 2) inputs(%x: bf16 [64, 64] block [32, 64] at (%i, 0), %y: bf16 [64], %c: f32 [64] block [32] at (%i))
    outputs(%o: f32 [64] block [32] at (%i)) semantics [parallel] {
  %v = grid.load %x : memref<32x64xbf16, #grid.space<default>> -> tensor<32x64xbf16>
  %w = grid.load %y : memref<64xbf16, #grid.space<default>> -> tensor<64xbf16>
  %a = grid.load %c : memref<32xf32, #grid.space<default>> -> tensor<32xf32>
  %d = grid.dot %v, %w acc %a contract [1] x [0] : tensor<32x64xbf16>, tensor<64xbf16>, tensor<32xf32> -> tensor<32xf32>
  grid.store %d, %o : tensor<32xf32>, memref<32xf32, #grid.space<default>>
}

// -----

// Matrix units compute 64 x 48, but shared memory has no rows of 96 bytes.
// STATS: 1 num-padded
// CHECK-LABEL: grid.kernel @short_rows
// CHECK: bf16 [64, 48] block [64, 64] at
// CHECK: f32 [128, 48] block [64, 64] at
grid.kernel @short_rows grid(%i = 2) inputs(%x: bf16 [128, 64] block [64, 64] at (%i, 0), %y: bf16 [64, 48])
    outputs(%o: f32 [128, 48] block [64, 48] at (%i, 0)) semantics [parallel] {
  %v = grid.load %x : memref<64x64xbf16, #grid.space<default>> -> tensor<64x64xbf16>
  %w = grid.load %y : memref<64x48xbf16, #grid.space<default>> -> tensor<64x48xbf16>
  %d = grid.dot %v, %w contract [1] x [0] : tensor<64x64xbf16>, tensor<64x48xbf16> -> tensor<64x48xf32>
  grid.store %d, %o : tensor<64x48xf32>, memref<64x48xf32, #grid.space<default>>
}

// -----

// A loop reads the row in reverse order: positions that are added would read elements that do not exist.
// STATS: 0 num-padded
// CHECK-LABEL: grid.kernel @reversed
// CHECK: tensor.extract %{{.*}} : tensor<77xf32>
// CHECK: linalg.reduce {{.*}} ins(%{{.*}} : tensor<77xf32>)
grid.kernel @reversed grid(%i = 2) inputs(%x: f32 [2, 77] block [squeezed, 77] at (%i, 0)) outputs(%o: f32 [2] block [squeezed] at (%i)) semantics [parallel] {
  %v = grid.load %x : memref<77xf32, #grid.space<default>> -> tensor<77xf32>
  %c76 = arith.constant 76 : index
  %e = tensor.empty() : tensor<77xf32>
  %r = linalg.generic {indexing_maps = [affine_map<(d0) -> (d0)>], iterator_types = ["parallel"]} outs(%e : tensor<77xf32>) {
  ^bb0(%out: f32):
    %n = linalg.index 0 : index
    %m = arith.subi %c76, %n : index
    %a = tensor.extract %v[%m] : tensor<77xf32>
    linalg.yield %a : f32
  } -> tensor<77xf32>
  %z = arith.constant dense<0.0> : tensor<f32>
  %s = linalg.reduce {arith.addf} ins(%r : tensor<77xf32>) outs(%z : tensor<f32>) dimensions = [0]
  %t = tensor.extract %s[] : tensor<f32>
  grid.store %t, %o : f32, memref<f32, #grid.space<default>>
}

// -----

// Matrix units divide depths of 784 and 144, but parts of 64 elements, in which threads read them, do not. Shared memory
// holds the operands of the smaller contraction of bf16, which are copied, and no registers hold those of f32.
// STATS: 2 num-padded
// CHECK-LABEL: grid.kernel @depths
// CHECK-DAG: grid.dot {{.*}} : tensor<64x832xbf16>, tensor<832x128xbf16> -> tensor<64x128xf32>
// CHECK-DAG: grid.dot {{.*}} : tensor<144x64xbf16>, tensor<144x128xbf16>, tensor<64x128xf32>
// CHECK-DAG: grid.dot {{.*}} : tensor<64x192xf32>, tensor<192x128xf32>, tensor<64x128xf32>
grid.kernel @depths grid(%i = 2)
    inputs(%x: bf16 [128, 784] block [64, 784] at (%i, 0), %y: bf16 [784, 128],
           %a: bf16 [144, 128] block [144, 64] at (0, %i), %b: bf16 [144, 128],
           %p: f32 [128, 144] block [64, 144] at (%i, 0), %q: f32 [144, 128])
    outputs(%o: f32 [128, 128] block [64, 128] at (%i, 0)) semantics [parallel] {
  %0 = grid.load %x : memref<64x784xbf16, #grid.space<default>> -> tensor<64x784xbf16>
  %1 = grid.load %y : memref<784x128xbf16, #grid.space<default>> -> tensor<784x128xbf16>
  %2 = grid.dot %0, %1 contract [1] x [0] : tensor<64x784xbf16>, tensor<784x128xbf16> -> tensor<64x128xf32>
  %3 = grid.load %a : memref<144x64xbf16, #grid.space<default>> -> tensor<144x64xbf16>
  %4 = grid.load %b : memref<144x128xbf16, #grid.space<default>> -> tensor<144x128xbf16>
  %5 = grid.dot %3, %4 acc %2 contract [0] x [0]
      : tensor<144x64xbf16>, tensor<144x128xbf16>, tensor<64x128xf32> -> tensor<64x128xf32>
  %6 = grid.load %p : memref<64x144xf32, #grid.space<default>> -> tensor<64x144xf32>
  %7 = grid.load %q : memref<144x128xf32, #grid.space<default>> -> tensor<144x128xf32>
  %8 = grid.dot %6, %7 acc %5 contract [1] x [0]
      : tensor<64x144xf32>, tensor<144x128xf32>, tensor<64x128xf32> -> tensor<64x128xf32>
  grid.store %8, %o : tensor<64x128xf32>, memref<64x128xf32, #grid.space<default>>
}

// -----

// Blocks that are parts of a dimension are not extended. Of 8 queries and 16 keys, the queries are repeated: keys are
// copied to shared memory, so they remain whole. 64 columns and 8 rows fit as they are.
// STATS: 1 num-repeated
// CHECK-LABEL: grid.kernel @pages
// CHECK: %[[Q:.+]] = grid.load {{.*}} -> tensor<8x64xbf16>
// CHECK: %[[K:.+]] = grid.load {{.*}} -> tensor<16x64xbf16>
// CHECK: %[[B:.+]] = linalg.broadcast ins(%[[Q]] : tensor<8x64xbf16>) outs(%{{.*}} : tensor<4x8x64xbf16>) dimensions = [0]
// CHECK: %[[R:.+]] = tensor.collapse_shape %[[B]] {{\[\[}}0, 1], [2]{{\]}} : tensor<4x8x64xbf16> into tensor<32x64xbf16>
// CHECK: %[[S:.+]] = grid.dot %[[R]], %[[K]] contract [1] x [1] {{.*}} -> tensor<32x16xf32>
// CHECK: %[[P:.+]] = tensor.extract_slice %[[S]][0, 0] [8, 16] [1, 1]
// CHECK: grid.dot %{{.*}}, %{{.*}} contract [1] x [0] : tensor<8x16xbf16>, tensor<16x64xbf16> -> tensor<8x64xf32>
grid.kernel @pages grid(%i = 4) inputs(%q: bf16 [8, 64], %k: bf16 [64, 64] block [16, 64] at (%i, 0), %v: bf16 [64, 64] block [16, 64] at (%i, 0))
    outputs(%o: f32 [32, 64] block [8, 64] at (%i, 0)) semantics [parallel] {
  %a = grid.load %q : memref<8x64xbf16, #grid.space<default>> -> tensor<8x64xbf16>
  %b = grid.load %k : memref<16x64xbf16, #grid.space<default>> -> tensor<16x64xbf16>
  %c = grid.load %v : memref<16x64xbf16, #grid.space<default>> -> tensor<16x64xbf16>
  %s = grid.dot %a, %b contract [1] x [1] : tensor<8x64xbf16>, tensor<16x64xbf16> -> tensor<8x16xf32>
  %p = arith.truncf %s : tensor<8x16xf32> to tensor<8x16xbf16>
  %d = grid.dot %p, %c contract [1] x [0] : tensor<8x16xbf16>, tensor<16x64xbf16> -> tensor<8x64xf32>
  grid.store %d, %o : tensor<8x64xf32>, memref<8x64xf32, #grid.space<default>>
}

// -----

// Half of a repeated depth is zero in both operands, and an accumulator is added to the result.
// STATS: 1 num-repeated
// CHECK-LABEL: grid.kernel @small
// CHECK: %[[A:.+]] = tensor.collapse_shape %{{.*}} into tensor<64x8xbf16>
// CHECK: %[[C:.+]] = tensor.collapse_shape %{{.*}} {{\[\[}}0], [1, 2]{{\]}} : tensor<64x2x8xbf16> into tensor<64x16xbf16>
// CHECK: %[[L:.+]] = arith.select %{{.*}}, %[[C]], %{{.*}} : tensor<64x16xi1>, tensor<64x16xbf16>
// CHECK: %[[R:.+]] = arith.select %{{.*}} : tensor<16x64xi1>, tensor<16x64xbf16>
// CHECK: %[[D:.+]] = grid.dot %[[L]], %[[R]] contract [1] x [0] {{.*}} -> tensor<64x64xf32>
// CHECK: %[[P:.+]] = tensor.extract_slice %[[D]][0, 0] [8, 64] [1, 1]
// CHECK: arith.addf %{{.*}}, %[[P]]
grid.kernel @small grid(%i = 4) inputs(%x: bf16 [32, 8] block [8, 8] at (%i, 0), %y: bf16 [32, 8] block [8, 8] at (%i, 0), %z: f32 [32, 8] block [8, 8] at (%i, 0))
    outputs(%o: f32 [32, 8] block [8, 8] at (%i, 0)) semantics [parallel] {
  %a = grid.load %x : memref<8x8xbf16, #grid.space<default>> -> tensor<8x8xbf16>
  %b = grid.load %y : memref<8x8xbf16, #grid.space<default>> -> tensor<8x8xbf16>
  %c = grid.load %z : memref<8x8xf32, #grid.space<default>> -> tensor<8x8xf32>
  %d = grid.dot %a, %b acc %c contract [1] x [0] : tensor<8x8xbf16>, tensor<8x8xbf16>, tensor<8x8xf32> -> tensor<8x8xf32>
  grid.store %d, %o : tensor<8x8xf32>, memref<8x8xf32, #grid.space<default>>
}
