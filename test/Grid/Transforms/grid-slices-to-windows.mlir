// RUN: gridir-opt %s --pass-pipeline='builtin.module(grid.kernel(grid-slices-to-windows))' --split-input-file | FileCheck %s
// RUN: gridir-opt %s --pass-pipeline='builtin.module(grid.kernel(grid-slices-to-windows))' --split-input-file -o /dev/null --mlir-pass-statistics --mlir-pass-statistics-display=list 2>&1 | FileCheck %s --check-prefix=STATISTICS
// STATISTICS: num-slices
// STATISTICS: num-stores

// Halves of a computed value, with a factor for each row and one for each column, as in a rotation of pairs. Loads stay
// before the store of the first half.
// CHECK-LABEL: grid.kernel @rotation
// CHECK:       %[[X0:.*]] = grid.slice_ref %{{.*}}[0, {{0|32}}] [8, 32] [1, 1]
// CHECK-NEXT:  grid.load %[[X0]]
// CHECK:       grid.slice_ref %{{.*}}[0, {{0|32}}] [8, 32] [1, 1]
// CHECK:       arith.mulf {{.*}} : tensor<8x32xf32>
// CHECK-NOT:   tensor.extract_slice
// CHECK-NOT:   tensor.insert_slice
// CHECK:       %[[O0:.*]] = grid.slice_ref %{{.*}}[0, 0] [8, 32] [1, 1]
// CHECK-NEXT:  grid.store %{{.*}}, %[[O0]]
// CHECK-NEXT:  %[[O1:.*]] = grid.slice_ref %{{.*}}[0, 32] [8, 32] [1, 1]
// CHECK-NEXT:  grid.store %{{.*}}, %[[O1]]
grid.kernel @rotation grid() inputs(%w: f32 [8], %c: f32 [32]) outputs(%o: f32 [8, 64]) {
  %v = grid.load %o : memref<8x64xf32, #grid.space<default>> -> tensor<8x64xf32>
  %w0 = grid.load %w : memref<8xf32, #grid.space<default>> -> tensor<8xf32>
  %e64 = tensor.empty() : tensor<8x64xf32>
  %rows = linalg.broadcast ins(%w0 : tensor<8xf32>) outs(%e64 : tensor<8x64xf32>) dimensions = [1]
  %scaled = arith.mulf %v, %rows : tensor<8x64xf32>
  %a = tensor.extract_slice %scaled[0, 0] [8, 32] [1, 1] : tensor<8x64xf32> to tensor<8x32xf32>
  %b = tensor.extract_slice %scaled[0, 32] [8, 32] [1, 1] : tensor<8x64xf32> to tensor<8x32xf32>
  %c0 = grid.load %c : memref<32xf32, #grid.space<default>> -> tensor<32xf32>
  %e32 = tensor.empty() : tensor<8x32xf32>
  %columns = linalg.broadcast ins(%c0 : tensor<32xf32>) outs(%e32 : tensor<8x32xf32>) dimensions = [0]
  %s = arith.mulf %a, %columns : tensor<8x32xf32>
  %d = arith.subf %s, %b : tensor<8x32xf32>
  %p = tensor.insert_slice %d into %e64[0, 0] [8, 32] [1, 1] : tensor<8x32xf32> into tensor<8x64xf32>
  %q = tensor.insert_slice %a into %p[0, 32] [8, 32] [1, 1] : tensor<8x32xf32> into tensor<8x64xf32>
  %two = arith.constant dense<2.0> : tensor<8x64xf32>
  %r = arith.mulf %q, %two : tensor<8x64xf32>
  grid.store %r, %o : tensor<8x64xf32>, memref<8x64xf32, #grid.space<default>>
}

// -----

// A border of zeros along both dimensions gives nine parts, which are too many; along one there are three.
// CHECK-LABEL: grid.kernel @padded
// CHECK:       tensor.insert_slice
// CHECK-COUNT-3: grid.store {{.*}} : tensor<{{[0-9]}}x64xf32>
// CHECK-NOT:   tensor.insert_slice
grid.kernel @padded grid() inputs(%x: f32 [6, 62], %y: f32 [6, 64]) outputs(%o: f32 [8, 64], %p: f32 [8, 64]) {
  %zero = arith.constant dense<0.0> : tensor<8x64xf32>
  %v = grid.load %x : memref<6x62xf32, #grid.space<default>> -> tensor<6x62xf32>
  %a = tensor.insert_slice %v into %zero[1, 1] [6, 62] [1, 1] : tensor<6x62xf32> into tensor<8x64xf32>
  grid.store %a, %o : tensor<8x64xf32>, memref<8x64xf32, #grid.space<default>>
  %w = grid.load %y : memref<6x64xf32, #grid.space<default>> -> tensor<6x64xf32>
  %b = tensor.insert_slice %w into %zero[1, 0] [6, 64] [1, 1] : tensor<6x64xf32> into tensor<8x64xf32>
  grid.store %b, %p : tensor<8x64xf32>, memref<8x64xf32, #grid.space<default>>
}

// -----

// Slices of a reduced value, of a masked load, and of a matrix with a dimension less or every other column remain.
// CHECK-LABEL: grid.kernel @others
// CHECK-COUNT-4: tensor.extract_slice
// CHECK-NOT:   grid.slice_ref
grid.kernel @others grid() inputs(%x: f32 [8, 64]) outputs(%o: f32 [4], %p: f32 [8, 32], %q: f32 [64], %r: f32 [8, 32]) {
  %v = grid.load %x : memref<8x64xf32, #grid.space<default>> -> tensor<8x64xf32>
  %e = tensor.empty() : tensor<8xf32>
  %sum = linalg.reduce ins(%v : tensor<8x64xf32>) outs(%e : tensor<8xf32>) dimensions = [1]
      (%in: f32, %acc: f32) {
        %s = arith.addf %in, %acc : f32
        linalg.yield %s : f32
      }
  %a = tensor.extract_slice %sum[0] [4] [1] : tensor<8xf32> to tensor<4xf32>
  grid.store %a, %o : tensor<4xf32>, memref<4xf32, #grid.space<default>>
  %true = arith.constant dense<true> : tensor<8x64xi1>
  %m = grid.load %x mask %true : memref<8x64xf32, #grid.space<default>>, tensor<8x64xi1> -> tensor<8x64xf32>
  %b = tensor.extract_slice %m[0, 0] [8, 32] [1, 1] : tensor<8x64xf32> to tensor<8x32xf32>
  grid.store %b, %p : tensor<8x32xf32>, memref<8x32xf32, #grid.space<default>>
  %c = tensor.extract_slice %v[2, 0] [1, 64] [1, 1] : tensor<8x64xf32> to tensor<64xf32>
  grid.store %c, %q : tensor<64xf32>, memref<64xf32, #grid.space<default>>
  %d = tensor.extract_slice %v[0, 0] [8, 32] [1, 2] : tensor<8x64xf32> to tensor<8x32xf32>
  grid.store %d, %r : tensor<8x32xf32>, memref<8x32xf32, #grid.space<default>>
}
