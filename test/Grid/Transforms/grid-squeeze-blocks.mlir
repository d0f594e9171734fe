// RUN: gridir-opt %s --pass-pipeline='builtin.module(grid.kernel(grid-squeeze-blocks))' --split-input-file | FileCheck %s
// RUN: gridir-opt %s --pass-pipeline='builtin.module(grid.kernel(grid-squeeze-blocks))' --split-input-file -o /dev/null --mlir-pass-statistics --mlir-pass-statistics-display=list 2>&1 | FileCheck %s --check-prefix=STATISTICS

// Windows drop the batch, and each head. Of the window that remains, an offset is the author's.
// CHECK-LABEL: grid.kernel @windows
// CHECK:       inputs(%{{.*}}: f32 [4, 2, 64, 128] block [squeezed, squeezed, 64, 128] at (%i, %j, 0, 0))
// CHECK-NEXT:  outputs(%{{.*}}: f32 [4, 2, 64, 128] block [squeezed, squeezed, 64, 128] at (%i, %j, 0, 0))
// CHECK:       %[[W:.*]] = grid.slice_ref %{{.*}}[%{{.*}}, 0] [1, 128] [1, 1] drop [0] : memref<64x128xf32, {{.*}}>, i32 -> memref<128xf32
// CHECK:       grid.load %[[W]]
// CHECK:       grid.slice_ref %{{.*}}[0, 0] [1, 128] [1, 1] drop [0]
// STATISTICS:  (S) {{.*}} num-squeezed
grid.kernel @windows grid(%i = 4, %j = 2)
    inputs(%x: f32 [4, 2, 64, 128] block [1, 1, 64, 128] at (%i, %j, 0, 0))
    outputs(%o: f32 [4, 2, 64, 128] block [1, 1, 64, 128] at (%i, %j, 0, 0)) {
  %n = grid.program_id 0
  %r = grid.slice_ref %x[0, 0, %n, 0] [1, 1, 1, 128] [1, 1, 1, 1] drop [0, 1, 2]
      : memref<1x1x64x128xf32, #grid.space<default>>, i32 -> memref<128xf32, #grid.space<default>>
  %v = grid.load %r : memref<128xf32, #grid.space<default>> -> tensor<128xf32>
  %s = grid.slice_ref %o[0, 0, 0, 0] [1, 1, 1, 128] [1, 1, 1, 1] drop [0, 1, 2]
      : memref<1x1x64x128xf32, #grid.space<default>> -> memref<128xf32, #grid.space<default>>
  grid.store %v, %s : tensor<128xf32>, memref<128xf32, #grid.space<default>>
}

// -----

// A window of the whole block is the block; a load or store of a reshaped value is one of its matrix. Scratch, too.
// CHECK-LABEL: grid.kernel @whole
// CHECK:       inputs(%{{.*}}: f32 [4, 64, 128] block [squeezed, 64, 128] at (%i, 0, 0),
// CHECK-NEXT:  %{{.*}}: f32 [4, 64, 128] block [squeezed, 64, 128] at (%i, 0, 0))
// CHECK:       scratch(%{{.*}}: memref<64x128xf32, #grid.space<default>>)
// CHECK-NEXT:  %[[A:.*]] = grid.load %{{.*}} : memref<64x128xf32
// CHECK-NEXT:  %[[B:.*]] = grid.load %{{.*}} : memref<64x128xf32
// CHECK-NEXT:  %[[C:.*]] = arith.addf %[[A]], %[[B]] : tensor<64x128xf32>
// CHECK-NEXT:  grid.store %[[C]], %{{.*}} : tensor<64x128xf32>
// CHECK:       grid.store %[[C]], %{{.*}} : tensor<64x128xf32>
grid.kernel @whole grid(%i = 4)
    inputs(%x: f32 [4, 64, 128] block [1, 64, 128] at (%i, 0, 0), %y: f32 [4, 64, 128] block [1, 64, 128] at (%i, 0, 0))
    outputs(%o: f32 [4, 64, 128] block [1, 64, 128] at (%i, 0, 0)) scratch(%s: memref<1x64x128xf32, #grid.space<default>>) {
  %r = grid.slice_ref %x[0, 0, 0] [1, 64, 128] [1, 1, 1] drop [0]
      : memref<1x64x128xf32, #grid.space<default>> -> memref<64x128xf32, #grid.space<default>>
  %a = grid.load %r : memref<64x128xf32, #grid.space<default>> -> tensor<64x128xf32>
  %w = grid.load %y : memref<1x64x128xf32, #grid.space<default>> -> tensor<1x64x128xf32>
  %b = tensor.collapse_shape %w [[0, 1], [2]] : tensor<1x64x128xf32> into tensor<64x128xf32>
  %c = arith.addf %a, %b : tensor<64x128xf32>
  %t = grid.slice_ref %s[0, 0, 0] [1, 64, 128] [1, 1, 1] drop [0]
      : memref<1x64x128xf32, #grid.space<default>> -> memref<64x128xf32, #grid.space<default>>
  grid.store %c, %t : tensor<64x128xf32>, memref<64x128xf32, #grid.space<default>>
  %d = tensor.expand_shape %c [[0, 1], [2]] output_shape [1, 64, 128] : tensor<64x128xf32> into tensor<1x64x128xf32>
  grid.store %d, %o : tensor<1x64x128xf32>, memref<1x64x128xf32, #grid.space<default>>
}

// -----

// The body needs the dimension of %x, the offset in %y may be out of bounds, %z has one element, and the index of %w
// counts elements of a padded array.
// CHECK-LABEL: grid.kernel @kept
// CHECK-NOT:   squeezed
grid.kernel @kept grid(%i = 4)
    inputs(%x: f32 [4, 128] block [1, 128] at (%i, 0), %y: f32 [4, 128] block [1, 128] at (%i, 0),
           %z: f32 [4, 1] block [1, 1] at (%i, 0), %w: f32 [4, 128] block [element(1, 1, 1), 128] at (%i, 0))
    outputs(%o: f32 [4, 128] block [1, 128] at (%i, 0)) {
  %n = grid.program_id 0
  %v = grid.load %x : memref<1x128xf32, #grid.space<default>> -> tensor<1x128xf32>
  %r = grid.slice_ref %y[%n, 0] [1, 128] [1, 1] drop [0]
      : memref<1x128xf32, #grid.space<default>>, i32 -> memref<128xf32, #grid.space<default>>
  %a = grid.load %r : memref<128xf32, #grid.space<default>> -> tensor<128xf32>
  %s = grid.slice_ref %z[0, 0] [1, 1] [1, 1] drop [0]
      : memref<1x1xf32, #grid.space<default>> -> memref<1xf32, #grid.space<default>>
  %t = grid.slice_ref %w[0, 0] [1, 128] [1, 1] drop [0]
      : memref<1x128xf32, #grid.space<default>> -> memref<128xf32, #grid.space<default>>
  grid.store %v, %o : tensor<1x128xf32>, memref<1x128xf32, #grid.space<default>>
}
