// RUN: gridir-opt %s --split-input-file --pass-pipeline='builtin.module(grid.kernel(warpgroup-split-blocks))' | FileCheck %s
// RUN: gridir-opt %s --split-input-file --pass-pipeline='builtin.module(grid.kernel(warpgroup-split-blocks))' \
// RUN:   --mlir-pass-statistics --mlir-pass-statistics-display=list -o /dev/null 2>&1 | FileCheck %s --check-prefix=STATS

// STATS: 1 num-dims

// Rows are independent of one another; the row of scales belongs to every part. Positions count from the begin of the
// author's block.
// CHECK-LABEL: grid.kernel @rows grid(%i = 4, %j = 4)
// CHECK: %x: f32 [32, 128] block [2, 128] at ((%i * 4) + %j, 0)
// CHECK: %scale: f32 [1, 128] block [1, 128] at (0, 0)
// CHECK: outputs(%o: f32 [32, 128] block [2, 128] at ((%i * 4) + %j, 0)
// CHECK: semantics [parallel, parallel]
// CHECK: %[[PART:.*]] = grid.program_id 1
// CHECK: %[[N:.*]] = arith.index_cast %[[PART]] : i32 to index
// CHECK: %[[OFFSET:.*]] = arith.muli %[[N]], %c2
// CHECK: %[[ROW:.*]] = linalg.index 0
// CHECK: arith.addi %[[ROW]], %[[OFFSET]]
// CHECK: linalg.index 1
// CHECK-NOT: arith.addi
// CHECK: tensor.expand_shape %{{.*}} output_shape [2, 1]
#map = affine_map<(d0, d1) -> (d0, d1)>
grid.kernel @rows grid(%i = 4)
    inputs(%x: f32 [32, 128] block [8, 128] at (%i, 0) origin "x", %scale: f32 [1, 128] block [1, 128] at (0, 0) origin "scale")
    outputs(%o: f32 [32, 128] block [8, 128] at (%i, 0) origin "o")
    semantics [parallel]
    attributes {warpgroup.schedule = #warpgroup.schedule<cta = [2, 128], warpgroup = [2, 128]>} {
  %v = grid.load %x : memref<8x128xf32, #grid.space<default>> -> tensor<8x128xf32>
  %s = grid.load %scale : memref<1x128xf32, #grid.space<default>> -> tensor<1x128xf32>
  %init = tensor.empty() : tensor<8x128xi32>
  %iota = linalg.generic {indexing_maps = [#map], iterator_types = ["parallel", "parallel"]} outs(%init : tensor<8x128xi32>) {
  ^bb0(%out: i32):
    %r = linalg.index 0 : index
    %c = linalg.index 1 : index
    %d = arith.subi %r, %c : index
    %n = arith.index_cast %d : index to i32
    linalg.yield %n : i32
  } -> tensor<8x128xi32>
  %p = arith.sitofp %iota : tensor<8x128xi32> to tensor<8x128xf32>
  %w = arith.mulf %v, %p : tensor<8x128xf32>
  %zero = arith.constant dense<0.0> : tensor<8xf32>
  %sum = linalg.reduce ins(%w : tensor<8x128xf32>) outs(%zero : tensor<8xf32>) dimensions = [1]
    (%in: f32, %acc: f32) {
      %a = arith.addf %in, %acc : f32
      linalg.yield %a : f32
    }
  %column = tensor.expand_shape %sum [[0, 1]] output_shape [8, 1] : tensor<8xf32> into tensor<8x1xf32>
  %vector = tensor.collapse_shape %column [[0, 1]] : tensor<8x1xf32> into tensor<8xf32>
  %empty = tensor.empty() : tensor<8x128xf32>
  %b = linalg.broadcast ins(%vector : tensor<8xf32>) outs(%empty : tensor<8x128xf32>) dimensions = [1]
  %row = tensor.collapse_shape %s [[0, 1]] : tensor<1x128xf32> into tensor<128xf32>
  %t = linalg.broadcast ins(%row : tensor<128xf32>) outs(%empty : tensor<8x128xf32>) dimensions = [0]
  %u = arith.mulf %b, %t : tensor<8x128xf32>
  grid.store %u, %o : tensor<8x128xf32>, memref<8x128xf32, #grid.space<default>>
}

// -----

// The rows of a contraction are split for CTAs and warpgroups, its columns for CTAs. The new dimensions precede the
// sequential one, and the numbers of dimensions change with them.
// CHECK-LABEL: grid.kernel @product grid(%i = 2, %j = 2, %k = 2 thread, %l = 2, %m = 4)
// CHECK: %x: bf16 [512, 256] block [64, 64] at ({{.*}}, %m)
// CHECK: %y: bf16 [256, 256] block [64, 128] at (%m, %l)
// CHECK: outputs(%o: f32 [512, 256] block [64, 128] at ({{.*}}, %l)
// CHECK: scratch(%{{.*}}: memref<64x128xf32
// CHECK: semantics [parallel, parallel, parallel, parallel, arbitrary]
// CHECK: grid.program_id 4
grid.kernel @product grid(%i = 2, %k = 4)
    inputs(%x: bf16 [512, 256] block [256, 64] at (%i, %k) origin "x", %y: bf16 [256, 256] block [64, 256] at (%k, 0) origin "y")
    outputs(%o: f32 [512, 256] block [256, 256] at (%i, 0) origin "o")
    scratch(%acc: memref<256x256xf32, #grid.space<default>>)
    semantics [parallel, arbitrary]
    attributes {warpgroup.schedule = #warpgroup.schedule<cta = [128, 128], warpgroup = [64, 128], shared = [0, 1], stages = 2>} {
  %k = grid.program_id 1
  %a = grid.load %x : memref<256x64xbf16, #grid.space<default>> -> tensor<256x64xbf16>
  %b = grid.load %y : memref<64x256xbf16, #grid.space<default>> -> tensor<64x256xbf16>
  %c = grid.load %acc : memref<256x256xf32, #grid.space<default>> -> tensor<256x256xf32>
  %d = grid.dot %a, %b acc %c contract [1] x [0]
      : tensor<256x64xbf16>, tensor<64x256xbf16>, tensor<256x256xf32> -> tensor<256x256xf32>
  grid.store %d, %acc : tensor<256x256xf32>, memref<256x256xf32, #grid.space<default>>
  grid.store %d, %o : tensor<256x256xf32>, memref<256x256xf32, #grid.space<default>>
}

// -----

// A window of an input counts elements.
// CHECK-LABEL: grid.kernel @window
// CHECK: %x: f32 [34, 128] block [element(2), 128] at ((%i * 8) + (%j * 2), 0)
grid.kernel @window grid(%i = 4)
    inputs(%x: f32 [34, 128] block [element(8), 128] at (%i * 8, 0) origin "x")
    outputs(%o: f32 [32, 128] block [8, 128] at (%i, 0) origin "o")
    semantics [parallel]
    attributes {warpgroup.schedule = #warpgroup.schedule<cta = [2, 128], warpgroup = [2, 128]>} {
  %v = grid.load %x : memref<8x128xf32, #grid.space<default>> -> tensor<8x128xf32>
  grid.store %v, %o : tensor<8x128xf32>, memref<8x128xf32, #grid.space<default>>
}

// -----

// The second part of the last block is outside of the array.
// CHECK-LABEL: grid.kernel @overhang grid(%i = 2, %j = 4)
// CHECK: outputs(%{{.*}}: f32 [28, 128] block [4, 128] at (%i + (%j * 2), 0))
grid.kernel @overhang grid(%i = 4)
    outputs(%o: f32 [28, 128] block [8, 128] at (%i, 0))
    attributes {warpgroup.schedule = #warpgroup.schedule<cta = [4, 128], warpgroup = [4, 128]>} {
}

// -----

// Parts of a window of an input begin later in the array, those of one row, too. A dimension that the window has not is
// not counted.
// CHECK-LABEL: grid.kernel @windows grid(%i = 4, %j = 8)
// CHECK: inputs(%s: i32 [4] origin "s",
// CHECK-NEXT: %x: f32 [3, 64, 128] origin "x")
// CHECK: %[[N:.*]] = grid.load
// CHECK: %[[P:.*]] = grid.program_id 1
// CHECK: %[[PART:.*]] = arith.index_cast %[[P]] : i32 to index
// CHECK: %[[OFFSET:.*]] = arith.muli %[[PART]], %c1
// CHECK: %[[FIRST:.*]] = arith.index_cast %[[N]] : i32 to index
// CHECK: %[[ROW:.*]] = arith.addi %[[OFFSET]], %[[FIRST]]
// CHECK: grid.slice_ref %x[2, %[[ROW]], 0] [1, 1, 128] [1, 1, 1] drop [0] : {{.*}} -> memref<1x128xf32,
grid.kernel @windows grid(%i = 4)
    inputs(%s: i32 [4] origin "s", %x: f32 [3, 64, 128] origin "x")
    outputs(%o: f32 [32, 128] block [8, 128] at (%i, 0) origin "o")
    semantics [parallel]
    attributes {warpgroup.schedule = #warpgroup.schedule<cta = [1, 128], warpgroup = [1, 128]>} {
  %p = grid.program_id 0
  %e = grid.slice_ref %s[%p] [1] [1] drop [0] : memref<4xi32, #grid.space<default>>, i32 -> memref<i32, #grid.space<default>>
  %n = grid.load %e : memref<i32, #grid.space<default>> -> i32
  %w = grid.slice_ref %x[2, %n, 0] [1, 8, 128] [1, 1, 1] drop [0]
      : memref<3x64x128xf32, #grid.space<default>>, i32 -> memref<8x128xf32, #grid.space<default>>
  %v = grid.load %w : memref<8x128xf32, #grid.space<default>> -> tensor<8x128xf32>
  grid.store %v, %o : tensor<8x128xf32>, memref<8x128xf32, #grid.space<default>>
}

// -----

// Rows of a shifted array are independent of one another.
// CHECK-LABEL: grid.kernel @shifted grid(%i = 4, %j = 4)
// CHECK: %[[PART:.*]] = tensor.extract_slice %{{.*}}[0, 0] [2, 127] [1, 1] : tensor<2x128xf32> to tensor<2x127xf32>
// CHECK: tensor.insert_slice %[[PART]] into %{{.*}}[0, 1] [2, 127] [1, 1] : tensor<2x127xf32> into tensor<2x128xf32>
grid.kernel @shifted grid(%i = 4)
    inputs(%x: f32 [32, 128] block [8, 128] at (%i, 0) origin "x")
    outputs(%o: f32 [32, 128] block [8, 128] at (%i, 0) origin "o")
    semantics [parallel]
    attributes {warpgroup.schedule = #warpgroup.schedule<cta = [2, 128], warpgroup = [2, 128]>} {
  %v = grid.load %x : memref<8x128xf32, #grid.space<default>> -> tensor<8x128xf32>
  %zero = arith.constant dense<0.0> : tensor<8x128xf32>
  %part = tensor.extract_slice %v[0, 0] [8, 127] [1, 1] : tensor<8x128xf32> to tensor<8x127xf32>
  %shifted = tensor.insert_slice %part into %zero[0, 1] [8, 127] [1, 1] : tensor<8x127xf32> into tensor<8x128xf32>
  %s = arith.addf %v, %shifted : tensor<8x128xf32>
  grid.store %s, %o : tensor<8x128xf32>, memref<8x128xf32, #grid.space<default>>
}

// -----

// Rows that are stacked along a new dimension, and a row of the stack.
// CHECK-LABEL: grid.kernel @stacked grid(%i = 4, %j = 8)
// CHECK: tensor.insert_slice %{{.*}} into %{{.*}}[0, 0, 0] [1, 128, 1] [1, 1, 1] : tensor<1x128xf32> into tensor<1x128x2xf32>
// CHECK: %[[STACK:.*]] = tensor.insert_slice %{{.*}} into %{{.*}}[0, 0, 1] [1, 128, 1] [1, 1, 1] : tensor<1x128xf32> into tensor<1x128x2xf32>
// CHECK: tensor.extract_slice %[[STACK]][0, 3, 0] [1, 1, 2] [1, 1, 1] : tensor<1x128x2xf32> to tensor<1x2xf32>
grid.kernel @stacked grid(%i = 4)
    inputs(%x: f32 [32, 128] block [8, 128] at (%i, 0))
    outputs(%o: f32 [32, 2] block [8, 2] at (%i, 0))
    semantics [parallel]
    attributes {warpgroup.schedule = #warpgroup.schedule<cta = [1, 2], warpgroup = [1, 2]>} {
  %v = grid.load %x : memref<8x128xf32, #grid.space<default>> -> tensor<8x128xf32>
  %w = arith.mulf %v, %v : tensor<8x128xf32>
  %empty = tensor.empty() : tensor<8x128x2xf32>
  %first = tensor.insert_slice %v into %empty[0, 0, 0] [8, 128, 1] [1, 1, 1] : tensor<8x128xf32> into tensor<8x128x2xf32>
  %stack = tensor.insert_slice %w into %first[0, 0, 1] [8, 128, 1] [1, 1, 1] : tensor<8x128xf32> into tensor<8x128x2xf32>
  %pair = tensor.extract_slice %stack[0, 3, 0] [8, 1, 2] [1, 1, 1] : tensor<8x128x2xf32> to tensor<8x2xf32>
  grid.store %pair, %o : tensor<8x2xf32>, memref<8x2xf32, #grid.space<default>>
}
