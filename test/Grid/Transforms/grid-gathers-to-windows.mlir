// RUN: gridir-opt %s --pass-pipeline='builtin.module(grid.kernel(grid-gathers-to-windows))' --split-input-file | FileCheck %s
// RUN: gridir-opt %s --pass-pipeline='builtin.module(grid.kernel(grid-gathers-to-windows))' --split-input-file -o /dev/null --mlir-pass-statistics --mlir-pass-statistics-display=list 2>&1 | FileCheck %s --check-prefix=STATISTICS
// STATISTICS: num-windows

// Positions, as jnp.arange has them, of a block of 64 elements that the program's id chooses. Negative indices count from
// the end, and there are none. The mask and the values where it is false remain.
// CHECK-LABEL: grid.kernel @masked
// CHECK:       %[[I:.*]] = arith.muli
// CHECK:       %[[W:.*]] = grid.slice_ref %{{.*}}[%[[I]]] [64] [1] : memref<256xf32, #grid.space<default>>, i32 -> memref<64xf32, #grid.space<default>>
// CHECK-NEXT:  %[[V:.*]] = grid.load %[[W]] mask %{{.*}} other %{{.*}} -> tensor<64xf32>
// CHECK-NEXT:  %[[O:.*]] = grid.slice_ref %{{.*}}[%[[I]]] [64] [1]
// CHECK-NEXT:  grid.store %[[V]], %[[O]] mask
grid.kernel @masked grid(%i = 4) inputs(%x: f32 [256]) outputs(%o: f32 [256]) {
  %empty = tensor.empty() : tensor<64xi32>
  %position = linalg.generic {indexing_maps = [affine_map<(d0) -> (d0)>], iterator_types = ["parallel"]} outs(%empty : tensor<64xi32>) {
  ^bb0(%out: i32):
    %n = linalg.index 0 : index
    %m = arith.index_cast %n : index to i32
    linalg.yield %m : i32
  } -> tensor<64xi32>
  %id = grid.program_id 0
  %c64 = arith.constant 64 : i32
  %first = arith.muli %id, %c64 : i32
  %firsts = linalg.fill ins(%first : i32) outs(%empty : tensor<64xi32>) -> tensor<64xi32>
  %sum = arith.addi %firsts, %position : tensor<64xi32>
  %zero = arith.constant dense<0> : tensor<64xi32>
  %size = arith.constant dense<256> : tensor<64xi32>
  %negative = arith.cmpi slt, %sum, %zero : tensor<64xi32>
  %wrapped = arith.addi %sum, %size : tensor<64xi32>
  %indices = arith.select %negative, %wrapped, %sum : tensor<64xi1>, tensor<64xi32>
  %last = arith.constant dense<250> : tensor<64xi32>
  %mask = arith.cmpi slt, %sum, %last : tensor<64xi32>
  %other = arith.constant dense<0.0> : tensor<64xf32>
  %v = grid.gather %x[%indices] dims [0] mask %mask other %other
      : memref<256xf32, #grid.space<default>>, tensor<64xi32> mask tensor<64xi1> other tensor<64xf32> -> tensor<64xf32>
  grid.scatter %v, %o[%indices] dims [0] mask %mask : tensor<64xf32>, memref<256xf32, #grid.space<default>>, tensor<64xi32> mask tensor<64xi1>
}

// -----

// Rows and columns, of broadcast positions; one row, which the window drops, at positions that are clamped; whole rows.
// CHECK-LABEL: grid.kernel @matrix
// CHECK:       %[[W:.*]] = grid.slice_ref %{{.*}}[3, 16] [4, 8] [1, 1] : memref<16x32xf32, {{.*}}> -> memref<4x8xf32
// CHECK-NEXT:  grid.load %[[W]] : memref<4x8xf32, {{.*}}> -> tensor<4x8xf32>
// CHECK:       %[[Y:.*]] = grid.slice_ref %{{.*}}[5, 0] [1, 8] [1, 1] drop [0]
// CHECK-NEXT:  grid.load %[[Y]] : memref<8xf32, {{.*}}> -> tensor<8xf32>
// CHECK:       %[[Z:.*]] = grid.slice_ref %{{.*}}[3, 0] [4, 32] [1, 1]
// CHECK-NEXT:  grid.load %[[Z]] : memref<4x32xf32, {{.*}}> -> tensor<4x32xf32>
grid.kernel @matrix grid() inputs(%x: f32 [16, 32]) outputs(%o: f32 [4, 8], %p: f32 [8], %q: f32 [4, 32]) {
  %e4 = tensor.empty() : tensor<4xi32>
  %e8 = tensor.empty() : tensor<8xi32>
  %e48 = tensor.empty() : tensor<4x8xi32>
  %row = linalg.generic {indexing_maps = [affine_map<(d0) -> (d0)>], iterator_types = ["parallel"]} outs(%e4 : tensor<4xi32>) {
  ^bb0(%out: i32):
    %n = linalg.index 0 : index
    %m = arith.index_cast %n : index to i32
    %c3 = arith.constant 3 : i32
    %s = arith.addi %m, %c3 : i32
    linalg.yield %s : i32
  } -> tensor<4xi32>
  %column = linalg.generic {indexing_maps = [affine_map<(d0) -> (d0)>], iterator_types = ["parallel"]} outs(%e8 : tensor<8xi32>) {
  ^bb0(%out: i32):
    %n = linalg.index 0 : index
    %m = arith.index_cast %n : index to i32
    linalg.yield %m : i32
  } -> tensor<8xi32>
  %c16 = arith.constant dense<16> : tensor<8xi32>
  %later = arith.addi %column, %c16 : tensor<8xi32>
  %rows = linalg.broadcast ins(%row : tensor<4xi32>) outs(%e48 : tensor<4x8xi32>) dimensions = [1]
  %columns = linalg.broadcast ins(%later : tensor<8xi32>) outs(%e48 : tensor<4x8xi32>) dimensions = [0]
  %v = grid.gather %x[%rows, %columns] dims [0, 1]
      : memref<16x32xf32, #grid.space<default>>, tensor<4x8xi32>, tensor<4x8xi32> -> tensor<4x8xf32>
  grid.store %v, %o : tensor<4x8xf32>, memref<4x8xf32, #grid.space<default>>
  %five = arith.constant dense<5> : tensor<8xi32>
  %zero = arith.constant dense<0> : tensor<8xi32>
  %last = arith.constant dense<31> : tensor<8xi32>
  %low = arith.maxsi %column, %zero : tensor<8xi32>
  %clamped = arith.minsi %low, %last : tensor<8xi32>
  %w = grid.gather %x[%five, %clamped] dims [0, 1]
      : memref<16x32xf32, #grid.space<default>>, tensor<8xi32>, tensor<8xi32> -> tensor<8xf32>
  grid.store %w, %p : tensor<8xf32>, memref<8xf32, #grid.space<default>>
  %z = grid.gather %x[%row] dims [0] : memref<16x32xf32, #grid.space<default>>, tensor<4xi32> -> tensor<4x32xf32>
  grid.store %z, %q : tensor<4x32xf32>, memref<4x32xf32, #grid.space<default>>
}

// -----

// Every other element, elements in reverse, a transposed window, a window that may exceed the Ref, indices that are data,
// sums at an index, and the value of a gather whose indices follow other dimensions: all remain.
// CHECK-LABEL: grid.kernel @others
// CHECK-NOT:   grid.slice_ref
// CHECK-COUNT-6: grid.gather
// CHECK:       grid.scatter
// CHECK-NOT:   grid.slice_ref
grid.kernel @others grid(%i = 8) inputs(%x: f32 [16, 32], %d: i32 [8]) outputs(%o: f32 [16]) {
  %e = tensor.empty() : tensor<8xi32>
  %p = linalg.generic {indexing_maps = [affine_map<(d0) -> (d0)>], iterator_types = ["parallel"]} outs(%e : tensor<8xi32>) {
  ^bb0(%out: i32):
    %n = linalg.index 0 : index
    %m = arith.index_cast %n : index to i32
    linalg.yield %m : i32
  } -> tensor<8xi32>
  %two = arith.constant dense<2> : tensor<8xi32>
  %even = arith.muli %p, %two : tensor<8xi32>
  %0 = grid.gather %x[%even] dims [0] : memref<16x32xf32, #grid.space<default>>, tensor<8xi32> -> tensor<8x32xf32>
  %seven = arith.constant dense<7> : tensor<8xi32>
  %reverse = arith.subi %seven, %p : tensor<8xi32>
  %1 = grid.gather %x[%reverse] dims [0] : memref<16x32xf32, #grid.space<default>>, tensor<8xi32> -> tensor<8x32xf32>
  %e88 = tensor.empty() : tensor<8x8xi32>
  %rows = linalg.broadcast ins(%p : tensor<8xi32>) outs(%e88 : tensor<8x8xi32>) dimensions = [0]
  %columns = linalg.broadcast ins(%p : tensor<8xi32>) outs(%e88 : tensor<8x8xi32>) dimensions = [1]
  %2 = grid.gather %x[%rows, %columns] dims [0, 1]
      : memref<16x32xf32, #grid.space<default>>, tensor<8x8xi32>, tensor<8x8xi32> -> tensor<8x8xf32>
  %id = grid.program_id 0
  %c2 = arith.constant 2 : i32
  %twice = arith.muli %id, %c2 : i32
  %firsts = linalg.fill ins(%twice : i32) outs(%e : tensor<8xi32>) -> tensor<8xi32>
  %far = arith.addi %p, %firsts : tensor<8xi32>
  %3 = grid.gather %x[%far] dims [0] : memref<16x32xf32, #grid.space<default>>, tensor<8xi32> -> tensor<8x32xf32>
  %data = grid.load %d : memref<8xi32, #grid.space<default>> -> tensor<8xi32>
  %4 = grid.gather %x[%data] dims [0] : memref<16x32xf32, #grid.space<default>>, tensor<8xi32> -> tensor<8x32xf32>
  %5 = grid.gather %x[%p] dims [1] : memref<16x32xf32, #grid.space<default>>, tensor<8xi32> -> tensor<8x16xf32>
  %one = arith.constant dense<1.0> : tensor<8xf32>
  grid.scatter %one, %o[%p] dims [0] add : tensor<8xf32>, memref<16xf32, #grid.space<default>>, tensor<8xi32>
  %a = arith.addf %0, %1 : tensor<8x32xf32>
  %b = arith.addf %a, %3 : tensor<8x32xf32>
  %c = arith.addf %b, %4 : tensor<8x32xf32>
}

// -----

// Positions that wrap around in 8 bits: the second half of them comes before the first one.
// CHECK-LABEL: grid.kernel @narrow
// CHECK-NOT:   grid.slice_ref
// CHECK:       grid.gather
grid.kernel @narrow grid() inputs(%x: f32 [512]) outputs(%o: f32 [256]) {
  %e = tensor.empty() : tensor<256xi32>
  %position = linalg.generic {indexing_maps = [affine_map<(d0) -> (d0)>], iterator_types = ["parallel"]} outs(%e : tensor<256xi32>) {
  ^bb0(%out: i32):
    %n = linalg.index 0 : index
    %narrow = arith.index_cast %n : index to i8
    %wide = arith.extsi %narrow : i8 to i32
    %c128 = arith.constant 128 : i32
    %sum = arith.addi %wide, %c128 : i32
    linalg.yield %sum : i32
  } -> tensor<256xi32>
  %v = grid.gather %x[%position] dims [0] : memref<512xf32, #grid.space<default>>, tensor<256xi32> -> tensor<256xf32>
  grid.store %v, %o : tensor<256xf32>, memref<256xf32, #grid.space<default>>
}

// -----

// The mask excludes the positions outside of the Ref. A window that exceeds the Ref has a dynamic offset.
// CHECK-LABEL: grid.kernel @masked
// CHECK: %[[C0:.+]] = arith.constant 0 : i32
// CHECK: %[[W:.+]] = grid.slice_ref %{{.+}}[%[[C0]]] [128] [1] : memref<100xf32
// CHECK: grid.load %[[W]] mask
// CHECK: grid.gather
#id = affine_map<(d0) -> (d0)>
grid.kernel @masked grid() inputs(%x: f32 [100]) outputs(%o: f32 [128]) {
  %empty = tensor.empty() : tensor<128xi32>
  %numbers = linalg.generic {indexing_maps = [#id], iterator_types = ["parallel"]} outs(%empty : tensor<128xi32>) {
  ^bb0(%out: i32):
    %j = linalg.index 0 : index
    %n = arith.index_cast %j : index to i32
    linalg.yield %n : i32
  } -> tensor<128xi32>
  %size = arith.constant dense<100> : tensor<128xi32>
  %mask = arith.cmpi slt, %numbers, %size : tensor<128xi32>
  %more = arith.constant dense<101> : tensor<128xi32>
  %outside = arith.cmpi slt, %numbers, %more : tensor<128xi32>
  %v = grid.gather %x[%numbers] dims [0] mask %mask : memref<100xf32, #grid.space<default>>, tensor<128xi32> mask tensor<128xi1> -> tensor<128xf32>
  %w = grid.gather %x[%numbers] dims [0] mask %outside : memref<100xf32, #grid.space<default>>, tensor<128xi32> mask tensor<128xi1> -> tensor<128xf32>
  %s = arith.addf %v, %w : tensor<128xf32>
  grid.store %s, %o : tensor<128xf32>, memref<128xf32, #grid.space<default>>
}
