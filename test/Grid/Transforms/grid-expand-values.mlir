// RUN: gridir-opt %s --pass-pipeline='builtin.module(grid.kernel(grid-expand-values))' | FileCheck %s
// RUN: gridir-opt %s --pass-pipeline='builtin.module(grid.kernel(grid-expand-values))' \
// RUN:   --mlir-pass-statistics --mlir-pass-statistics-display=list -o /dev/null 2>&1 | FileCheck %s --check-prefix=STATS

// STATS: 8 num-expanded

// An amount that is known, modulo the size; another one; one more for each row.
// CHECK-LABEL: grid.kernel @rotations
// CHECK: %[[X:.*]] = grid.load
// CHECK: %[[LAST:.*]] = tensor.extract_slice %[[X]][0, 1] [8, 127] [1, 1]
// CHECK: %[[A:.*]] = tensor.insert_slice %[[LAST]] into %{{.*}}[0, 0] [8, 127] [1, 1]
// CHECK: %[[FIRST:.*]] = tensor.extract_slice %[[X]][0, 0] [8, 1] [1, 1]
// CHECK: %[[B:.*]] = tensor.insert_slice %[[FIRST]] into %[[A]][0, 127] [8, 1] [1, 1]
// CHECK: tensor.insert_slice %[[B]] into %{{.*}}[8, 0] [8, 128] [1, 1] : tensor<8x128xf32> into tensor<16x128xf32>
// CHECK: %[[C:.*]] = tensor.extract_slice %{{.*}}[%{{.*}}, 0] [8, 128] [1, 1] : tensor<16x128xf32>
// CHECK: linalg.generic
// CHECK: tensor.extract %[[C]]
// CHECK-NOT: grid.rotate
grid.kernel @rotations grid(%i = 4)
    inputs(%x: f32 [8, 128]) outputs(%o: f32 [8, 128]) {
  %v = grid.load %x : memref<8x128xf32, #grid.space<default>> -> tensor<8x128xf32>
  %minus = arith.constant -129 : i32
  %a = grid.rotate %v by %minus dim 1 : tensor<8x128xf32>, i32
  %n = grid.program_id 0
  %b = grid.rotate %a by %n dim 0 : tensor<8x128xf32>, i32
  %c = grid.rotate %b by %minus dim 1 stride 1 along 0 : tensor<8x128xf32>, i32
  grid.store %c, %o : tensor<8x128xf32>, memref<8x128xf32, #grid.space<default>>
}

// CHECK-LABEL: grid.kernel @bits
// CHECK: arith.bitcast %{{.*}} : tensor<16x128xbf16> to tensor<16x128xi16>
// CHECK: tensor.extract_slice %{{.*}}[0, 0] [8, 128] [2, 1]
// CHECK: tensor.extract_slice %{{.*}}[1, 0] [8, 128] [2, 1]
// CHECK: arith.ori
// CHECK: arith.trunci %{{.*}} : tensor<8x128xi32> to tensor<8x128xi8>
// CHECK-COUNT-4: tensor.insert_slice %{{.*}} [8, 128] [4, 1] : tensor<8x128xi8> into tensor<32x128xi8>
// CHECK-NOT: grid.bitcast
grid.kernel @bits grid()
    inputs(%x: bf16 [16, 128]) outputs(%o: i8 [32, 128]) {
  %v = grid.load %x : memref<16x128xbf16, #grid.space<default>> -> tensor<16x128xbf16>
  %w = grid.bitcast %v : tensor<16x128xbf16> -> tensor<8x128xi32>
  %b = grid.bitcast %w : tensor<8x128xi32> -> tensor<32x128xi8>
  grid.store %b, %o : tensor<32x128xi8>, memref<32x128xi8, #grid.space<default>>
}

// Vectors; the rows of two matrices, and added to an array; a matrix and the transpose of another one.
// CHECK-LABEL: grid.kernel @products
// CHECK: arith.extf %{{.*}} : tensor<4x64xbf16> to tensor<4x64xf32>
// CHECK: arith.mulf
// CHECK: linalg.reduce {{.*}} dimensions = [1]
// CHECK: arith.addf %{{.*}} : tensor<4xf32>
// CHECK: arith.truncf %{{.*}} : tensor<4xf32> to tensor<4xbf16>
// CHECK: linalg.reduce {{.*}} outs(%{{.*}} : tensor<f32>) dimensions = [0]
// CHECK: tensor.extract %{{.*}}[] : tensor<f32>
// CHECK: linalg.transpose {{.*}} permutation = [1, 0]
// CHECK: linalg.reduce {{.*}} dimensions = [0, 1]
grid.kernel @products grid()
    inputs(%x: bf16 [4, 64], %y: bf16 [64, 4], %v: f32 [4]) outputs(%o: bf16 [4], %p: f32 [2]) {
  %a = grid.load %x : memref<4x64xbf16, #grid.space<default>> -> tensor<4x64xbf16>
  %b = grid.load %y : memref<64x4xbf16, #grid.space<default>> -> tensor<64x4xbf16>
  %c = grid.load %o : memref<4xbf16, #grid.space<default>> -> tensor<4xbf16>
  %rows = grid.dot %a, %a acc %c contract [1] x [1] batch [0] x [0]
      : tensor<4x64xbf16>, tensor<4x64xbf16>, tensor<4xbf16> -> tensor<4xbf16>
  grid.store %rows, %o : tensor<4xbf16>, memref<4xbf16, #grid.space<default>>
  %d = grid.load %v : memref<4xf32, #grid.space<default>> -> tensor<4xf32>
  %vectors = grid.dot %d, %d contract [0] x [0] : tensor<4xf32>, tensor<4xf32> -> f32
  %first = grid.slice_ref %p[0] [1] [1] drop [0]
      : memref<2xf32, #grid.space<default>> -> memref<f32, #grid.space<default>>
  grid.store %vectors, %first : f32, memref<f32, #grid.space<default>>
  %all = grid.dot %a, %b contract [0, 1] x [1, 0] : tensor<4x64xbf16>, tensor<64x4xbf16> -> f32
  %second = grid.slice_ref %p[1] [1] [1] drop [0]
      : memref<2xf32, #grid.space<default>> -> memref<f32, #grid.space<default>>
  grid.store %all, %second : f32, memref<f32, #grid.space<default>>
}

// Contractions of a matrix are left to matrix units.
// CHECK-LABEL: grid.kernel @matrix
// CHECK: grid.dot
grid.kernel @matrix grid()
    inputs(%x: f32 [8, 64], %y: f32 [64]) outputs(%o: f32 [8]) {
  %a = grid.load %x : memref<8x64xf32, #grid.space<default>> -> tensor<8x64xf32>
  %b = grid.load %y : memref<64xf32, #grid.space<default>> -> tensor<64xf32>
  %c = grid.dot %a, %b contract [1] x [0] : tensor<8x64xf32>, tensor<64xf32> -> tensor<8xf32>
  grid.store %c, %o : tensor<8xf32>, memref<8xf32, #grid.space<default>>
}
