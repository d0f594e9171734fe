// RUN: gridir-opt %s --split-input-file --pass-pipeline='builtin.module(grid.kernel(warpgroup-extend-blocks))' | FileCheck %s
// RUN: gridir-opt %s --split-input-file --pass-pipeline='builtin.module(grid.kernel(warpgroup-extend-blocks))' -o /dev/null --mlir-pass-statistics --mlir-pass-statistics-display=list 2>&1 | FileCheck %s --check-prefix=STATISTICS

// Positions of up to 1023 of an array of 1000, below whose size the mask requires them to be.
// CHECK-LABEL: grid.kernel @programs
// CHECK: inputs(%{{.+}}: f32 [1000] block [1024] at (0))
// CHECK: outputs(%{{.+}}: f32 [1000] block [1024] at (0))
// CHECK: grid.gather %{{.+}} : memref<1024xf32
// CHECK: grid.scatter {{.*}} : {{.*}}memref<1024xf32
// STATISTICS: (S) 2 num-extended
#id = affine_map<(d0) -> (d0)>
grid.kernel @programs grid(%i = 4) inputs(%x: f32 [1000]) outputs(%o: f32 [1000]) {
  %p = grid.program_id 0
  %c256 = arith.constant 256 : i32
  %first = arith.muli %p, %c256 : i32
  %empty = tensor.empty() : tensor<256xi32>
  %all = linalg.fill ins(%first : i32) outs(%empty : tensor<256xi32>) -> tensor<256xi32>
  %numbers = linalg.generic {indexing_maps = [#id], iterator_types = ["parallel"]} outs(%empty : tensor<256xi32>) {
  ^bb0(%out: i32):
    %j = linalg.index 0 : index
    %n = arith.index_cast %j : index to i32
    linalg.yield %n : i32
  } -> tensor<256xi32>
  %positions = arith.addi %all, %numbers : tensor<256xi32>
  %size = arith.constant dense<1000> : tensor<256xi32>
  %mask = arith.cmpi sgt, %size, %positions : tensor<256xi32>
  %v = grid.gather %x[%positions] dims [0] mask %mask : memref<1000xf32, #grid.space<default>>, tensor<256xi32> mask tensor<256xi1> -> tensor<256xf32>
  grid.scatter %v, %o[%positions] dims [0] mask %mask : tensor<256xf32>, memref<1000xf32, #grid.space<default>>, tensor<256xi32> mask tensor<256xi1>
}

// -----

// A window, in a mask of two dimensions of which one is repeated; unsigned comparisons; the last position that is
// inside.
// CHECK-LABEL: grid.kernel @window
// CHECK: block [8, 128] at
#id = affine_map<(d0) -> (d0)>
grid.kernel @window grid(%i = 2) inputs(%x: f32 [16, 100] block [8, 100] at (%i, 0)) outputs(%o: f32 [16, 128] block [8, 128] at (%i, 0)) {
  %empty = tensor.empty() : tensor<128xi32>
  %numbers = linalg.generic {indexing_maps = [#id], iterator_types = ["parallel"]} outs(%empty : tensor<128xi32>) {
  ^bb0(%out: i32):
    %j = linalg.index 0 : index
    %n = arith.index_cast %j : index to i32
    linalg.yield %n : i32
  } -> tensor<128xi32>
  %last = arith.constant dense<99> : tensor<128xi32>
  %of_row = arith.cmpi ule, %numbers, %last : tensor<128xi32>
  %masks = tensor.empty() : tensor<8x128xi1>
  %mask = linalg.broadcast ins(%of_row : tensor<128xi1>) outs(%masks : tensor<8x128xi1>) dimensions = [0]
  %c0 = arith.constant 0 : index
  %w = grid.slice_ref %x[0, %c0] [8, 128] [1, 1] : memref<8x100xf32, #grid.space<default>>, index -> memref<8x128xf32, #grid.space<default>>
  %v = grid.load %w mask %mask : memref<8x128xf32, #grid.space<default>>, tensor<8x128xi1> -> tensor<8x128xf32>
  grid.store %v, %o : tensor<8x128xf32>, memref<8x128xf32, #grid.space<default>>
}

// -----

// The mask selects an element after the array, which is an error of the kernel.
// CHECK-LABEL: grid.kernel @outside
// CHECK: inputs(%{{.+}}: f32 [100])
#id = affine_map<(d0) -> (d0)>
grid.kernel @outside grid() inputs(%x: f32 [100]) outputs(%o: f32 [128]) {
  %empty = tensor.empty() : tensor<128xi32>
  %numbers = linalg.generic {indexing_maps = [#id], iterator_types = ["parallel"]} outs(%empty : tensor<128xi32>) {
  ^bb0(%out: i32):
    %j = linalg.index 0 : index
    %n = arith.index_cast %j : index to i32
    linalg.yield %n : i32
  } -> tensor<128xi32>
  %size = arith.constant dense<101> : tensor<128xi32>
  %mask = arith.cmpi slt, %numbers, %size : tensor<128xi32>
  %v = grid.gather %x[%numbers] dims [0] mask %mask : memref<100xf32, #grid.space<default>>, tensor<128xi32> mask tensor<128xi1> -> tensor<128xf32>
  grid.store %v, %o : tensor<128xf32>, memref<128xf32, #grid.space<default>>
}

// -----

// Another access of the operand has no mask, or the block is a part of the array.
// CHECK-LABEL: grid.kernel @others
// CHECK: inputs(%{{.+}}: f32 [100],
// CHECK-NEXT: %{{.+}}: f32 [200] block [100] at
#id = affine_map<(d0) -> (d0)>
grid.kernel @others grid(%i = 2) inputs(%x: f32 [100], %y: f32 [200] block [100] at (%i)) outputs(%o: f32 [128]) {
  %empty = tensor.empty() : tensor<128xi32>
  %numbers = linalg.generic {indexing_maps = [#id], iterator_types = ["parallel"]} outs(%empty : tensor<128xi32>) {
  ^bb0(%out: i32):
    %j = linalg.index 0 : index
    %n = arith.index_cast %j : index to i32
    linalg.yield %n : i32
  } -> tensor<128xi32>
  %size = arith.constant dense<100> : tensor<128xi32>
  %mask = arith.cmpi slt, %numbers, %size : tensor<128xi32>
  %v = grid.gather %x[%numbers] dims [0] mask %mask : memref<100xf32, #grid.space<default>>, tensor<128xi32> mask tensor<128xi1> -> tensor<128xf32>
  %u = grid.gather %x[%numbers] dims [0] : memref<100xf32, #grid.space<default>>, tensor<128xi32> -> tensor<128xf32>
  %w = grid.gather %y[%numbers] dims [0] mask %mask : memref<100xf32, #grid.space<default>>, tensor<128xi32> mask tensor<128xi1> -> tensor<128xf32>
  %s = arith.addf %u, %v : tensor<128xf32>
  %t = arith.addf %s, %w : tensor<128xf32>
  grid.store %t, %o : tensor<128xf32>, memref<128xf32, #grid.space<default>>
}

// -----

// The mask of a single element tells nothing about its position.
// CHECK-LABEL: grid.kernel @element
// CHECK: inputs(%{{.+}}: f32 [100])
grid.kernel @element grid(%i = 128) inputs(%x: f32 [100]) outputs(%o: f32 [128] block [1] at (%i)) {
  %p = grid.program_id 0
  %size = arith.constant 100 : i32
  %mask = arith.cmpi slt, %p, %size : i32
  %w = grid.slice_ref %x[%p] [1] [1] drop [0] : memref<100xf32, #grid.space<default>>, i32 -> memref<f32, #grid.space<default>>
  %other = arith.constant 0.0 : f32
  %v = grid.load %w mask %mask other %other : memref<f32, #grid.space<default>>, i1, f32 -> f32
  %t = tensor.splat %v : tensor<1xf32>
  grid.store %t, %o : tensor<1xf32>, memref<1xf32, #grid.space<default>>
}
