// RUN: gridir-opt %s --pass-pipeline='builtin.module(grid.kernel(warpgroup-check-gathers))' | FileCheck %s
// RUN: gridir-opt %s --pass-pipeline='builtin.module(grid.kernel(warpgroup-check-gathers))' -o /dev/null --mlir-pass-statistics --mlir-pass-statistics-display=list 2>&1 | FileCheck %s --check-prefix=STATISTICS
// STATISTICS: (S) 3 num-checked

// The largest index is checked, as an unsigned number, and all indices are limited. Only indices whose mask is true are
// checked. Values of which a part is used may be discarded: their indices are only limited. Indices that are a remainder
// are proved.
// CHECK-LABEL: grid.kernel @gathers
// CHECK:       %[[I:.*]] = grid.load {{.*}} -> tensor<32xi32>
// CHECK:       %[[MAX:.*]] = linalg.reduce ins(%[[I]] : tensor<32xi32>)
// CHECK:       arith.maxui
// CHECK:       %[[LARGEST:.*]] = tensor.extract %[[MAX]][] : tensor<i32>
// CHECK:       %[[EXTENT:.*]] = arith.constant 64 : i32
// CHECK:       %[[INSIDE:.*]] = arith.cmpi ult, %[[LARGEST]], %[[EXTENT]]
// CHECK:       %[[N:.*]] = arith.index_cast %[[LARGEST]] : i32 to index
// CHECK:       %[[E:.*]] = arith.index_cast %[[EXTENT]] : i32 to index
// CHECK:       grid.assert %[[INSIDE]], "index {0} is out of bounds [0, {1}) in dimension 0 of x_ref"(%[[N]], %[[E]] : index, index)
// CHECK:       %[[LAST:.*]] = arith.constant dense<63> : tensor<32xi32>
// CHECK:       %[[J:.*]] = arith.minui %[[I]], %[[LAST]]
// CHECK:       grid.gather %{{.*}}[%[[J]]] dims [0]
// CHECK:       %[[ZERO:.*]] = arith.constant dense<0> : tensor<32xi32>
// CHECK:       %[[W:.*]] = arith.select %{{.*}}, %[[I]], %[[ZERO]]
// CHECK:       linalg.reduce ins(%[[W]] : tensor<32xi32>)
// CHECK:       grid.assert %{{.*}}, "index {0} is out of bounds [0, {1}) in dimension 1 of x_ref"
// CHECK:       grid.gather %{{.*}}[%{{.*}}] dims [1] mask
// CHECK-NOT:   grid.assert
// CHECK:       %[[K:.*]] = arith.minui %[[I]]
// CHECK:       grid.gather %{{.*}}[%[[K]]] dims [0]
// CHECK:       %[[R:.*]] = arith.remui
// CHECK:       grid.gather %{{.*}}[%[[R]]] dims [0]
grid.kernel @gathers grid(%p = 4)
    inputs(%s: i32 [32] origin "s_ref", %x: f32 [64, 128] origin "x_ref", %m: i1 [32])
    outputs(%o: f32 [128, 128] block [32, 128] at (%p, 0), %q: f32 [256, 32] block [64, 32] at (%p, 0),
            %r: f32 [32, 128] block [8, 128] at (%p, 0)) semantics [parallel] attributes {
      warpgroup.schedule = #warpgroup.schedule<cta = [32, 128], warpgroup = [32, 128]>} {
  %i = grid.load %s : memref<32xi32, #grid.space<default>> -> tensor<32xi32>
  %a = grid.gather %x[%i] dims [0] : memref<64x128xf32, #grid.space<default>>, tensor<32xi32> -> tensor<32x128xf32>
  grid.store %a, %o : tensor<32x128xf32>, memref<32x128xf32, #grid.space<default>>
  %mask = grid.load %m : memref<32xi1, #grid.space<default>> -> tensor<32xi1>
  %b = grid.gather %x[%i] dims [1] mask %mask : memref<64x128xf32, #grid.space<default>>, tensor<32xi32> mask tensor<32xi1> -> tensor<32x64xf32>
  %bt = tensor.empty() : tensor<64x32xf32>
  %t = linalg.transpose ins(%b : tensor<32x64xf32>) outs(%bt : tensor<64x32xf32>) permutation = [1, 0]
  grid.store %t, %q : tensor<64x32xf32>, memref<64x32xf32, #grid.space<default>>
  %c = grid.gather %x[%i] dims [0] : memref<64x128xf32, #grid.space<default>>, tensor<32xi32> -> tensor<32x128xf32>
  %part = tensor.extract_slice %c[0, 0] [8, 128] [1, 1] : tensor<32x128xf32> to tensor<8x128xf32>
  grid.store %part, %r : tensor<8x128xf32>, memref<8x128xf32, #grid.space<default>>
  %n = arith.constant dense<64> : tensor<32xi32>
  %k = arith.remui %i, %n : tensor<32xi32>
  %d = grid.gather %x[%k] dims [0] : memref<64x128xf32, #grid.space<default>>, tensor<32xi32> -> tensor<32x128xf32>
  grid.store %d, %o : tensor<32x128xf32>, memref<32x128xf32, #grid.space<default>>
}

// Without a schedule the kernel is no warpgroup program.
// CHECK-LABEL: grid.kernel @mapped
// CHECK-NOT:   grid.assert
grid.kernel @mapped grid(%p = 4) inputs(%s: i32 [32], %x: f32 [64, 128])
    outputs(%o: f32 [128, 128] block [32, 128] at (%p, 0)) semantics [parallel] {
  %i = grid.load %s : memref<32xi32, #grid.space<default>> -> tensor<32xi32>
  %a = grid.gather %x[%i] dims [0] : memref<64x128xf32, #grid.space<default>>, tensor<32xi32> -> tensor<32x128xf32>
  grid.store %a, %o : tensor<32x128xf32>, memref<32x128xf32, #grid.space<default>>
}
