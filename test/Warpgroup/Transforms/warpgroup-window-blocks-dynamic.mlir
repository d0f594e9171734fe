// RUN: gridir-opt %s --split-input-file --warpgroup-window-blocks | FileCheck %s

// Loops replace the dimensions of a dynamic grid and those that run in order. The size is an input. A block at a
// position in a loop is a window; the others remain blocks.
// CHECK-LABEL: grid.kernel @sums grid(%{{.*}} = 4)
// CHECK-NEXT:  inputs(%[[N:.*]]: i32 [] origin "grid[1]",
// CHECK-NEXT:  %[[X:.*]]: f32 [64, 512])
// CHECK-NEXT:  outputs(%[[O:.*]]: f32 [1, 512] block [1, 128] at (0, %{{.*}}))
// CHECK-NEXT:  semantics [parallel]
// CHECK:       %[[COUNT:.*]] = grid.load %[[N]] : memref<i32, #grid.space<default>> -> i32
// CHECK:       %[[ID:.*]] = grid.program_id 0
// CHECK:       scf.for %[[I:.*]] = %{{.*}} to %[[COUNT]] step %{{.*}} : i32 {
// CHECK:         %[[ROW:.*]] = arith.index_cast %[[I]] : i32 to index
// CHECK:         grid.assert %{{.*}}, "block index {0} of dimension 0 of inputs[0] is outside the array, which has 64 elements there and blocks of 16"(%[[ROW]]
// CHECK:         %[[COLUMN:.*]] = arith.index_cast %[[ID]] : i32 to index
// CHECK:         %[[OFFSET:.*]] = arith.muli %[[COLUMN]]
// CHECK:         %[[W:.*]] = grid.slice_ref %[[X]][%{{.*}}, %[[OFFSET]]] [16, 128] [1, 1]
// CHECK:         arith.cmpi eq, %[[I]]
// CHECK:         grid.load %[[W]]
// CHECK:         arith.cmpi eq, %{{.*}}, %[[COUNT]]
// CHECK:         grid.store %{{.*}}, %[[O]]
grid.kernel @sums grid(%j = 4, %i = ?)
    inputs(%x: f32 [64, 512] block [16, 128] at (%i, %j))
    outputs(%o: f32 [1, 512] block [1, 128] at (0, %j)) semantics [parallel, arbitrary] {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %id = grid.program_id 1
  %first = arith.cmpi eq, %id, %c0 : i32
  scf.if %first {
    %z = arith.constant dense<0.0> : tensor<1x128xf32>
    grid.store %z, %o : tensor<1x128xf32>, memref<1x128xf32, #grid.space<default>>
  }
  %v = grid.load %x : memref<16x128xf32, #grid.space<default>> -> tensor<16x128xf32>
  %n = grid.num_programs 1
  %next = arith.addi %id, %c1 : i32
  %last = arith.cmpi eq, %next, %n : i32
  scf.if %last {
    %e = tensor.extract_slice %v[0, 0] [1, 128] [1, 1] : tensor<16x128xf32> to tensor<1x128xf32>
    grid.store %e, %o : tensor<1x128xf32>, memref<1x128xf32, #grid.space<default>>
  }
}

// -----

// Programs of a parallel dimension are distributed to as many programs as a chip runs at once. A dimension of known
// size that runs in order is a loop inside of theirs.
// CHECK-LABEL: grid.kernel @distributed grid(%{{.*}} = 4, %{{.*}} = 256)
// CHECK:       semantics [parallel, parallel]
// CHECK:       %[[COUNT:.*]] = grid.load
// CHECK:       %[[FIRST:.*]] = grid.program_id 1
// CHECK:       %[[STEP:.*]] = arith.constant 256 : i32
// CHECK:       scf.for %[[I:.*]] = %[[FIRST]] to %[[COUNT]] step %[[STEP]] : i32 {
// CHECK:         scf.for %[[K:.*]] = %{{.*}} to %{{.*}} step %{{.*}} : i32 {
// CHECK:           grid.slice_ref
// CHECK:           grid.slice_ref
// CHECK:           grid.store
grid.kernel @distributed grid(%i = ?, %j = 4, %k = 2)
    inputs(%x: f32 [64, 128, 512] block [16, 64, 128] at (%i, %k, %j))
    outputs(%o: f32 [64, 64, 512] block [16, 64, 128] at (%i, 0, %j)) semantics [parallel, parallel, arbitrary] {
  %v = grid.load %x : memref<16x64x128xf32, #grid.space<default>> -> tensor<16x64x128xf32>
  grid.store %v, %o : tensor<16x64x128xf32>, memref<16x64x128xf32, #grid.space<default>>
}

// -----

// Only the outermost loop has an unknown number of iterations. Its number counts all of them, in 64 bits; a negative
// size is an empty grid.
// CHECK-LABEL: grid.kernel @nested grid()
// CHECK:       %[[N:.*]] = grid.load
// CHECK:       %[[M:.*]] = grid.load
// CHECK:       %[[A:.*]] = arith.maxsi %[[N]]
// CHECK:       %[[B:.*]] = arith.extsi %[[A]] : i32 to i64
// CHECK:       arith.muli %{{.*}}, %[[B]] : i64
// CHECK:       %[[C:.*]] = arith.maxsi %[[M]]
// CHECK:       %[[D:.*]] = arith.extsi %[[C]] : i32 to i64
// CHECK:       %[[COUNT:.*]] = arith.muli %{{.*}}, %[[D]] : i64
// CHECK:       scf.for %[[T:.*]] = %{{.*}} to %[[COUNT]] step %{{.*}} : i64 {
// CHECK:         %[[SIZE:.*]] = arith.extsi %[[M]] : i32 to i64
// CHECK:         arith.remui %[[T]], %[[SIZE]] : i64
// CHECK:         arith.divui %[[T]], %[[SIZE]] : i64
// CHECK:         scf.for
// CHECK-NOT:     scf.for
// CHECK:         grid.store
grid.kernel @nested grid(%i = ?, %j = ?, %k = 2)
    inputs(%x: f32 [64, 128, 512] block [16, 64, 128] at (%i, %k, %j))
    outputs(%o: f32 [16, 64, 128]) semantics [arbitrary, arbitrary, arbitrary] {
  %v = grid.load %x : memref<16x64x128xf32, #grid.space<default>> -> tensor<16x64x128xf32>
  grid.store %v, %o : tensor<16x64x128xf32>, memref<16x64x128xf32, #grid.space<default>>
}

// -----

// Index operands follow the sizes. Numbers of aliased operands count both.
// CHECK-LABEL: grid.kernel @aliased grid(%{{.*}} = 1024)
// CHECK-NEXT:  inputs(%[[N:.*]]: i32 [] origin "grid[0]",
// CHECK-NEXT:  %[[S:.*]]: i32 [4] space #tpu.memory_space<smem>,
// CHECK-NEXT:  %[[X:.*]]: f32 [64, 128] space any)
// CHECK:       aliases [2 -> 0]
// CHECK:       %[[E:.*]] = grid.slice_ref %[[S]]
// CHECK:       grid.load %[[E]]
// CHECK:       grid.slice_ref %[[X]]
grid.kernel @aliased grid(%i = ?)
    index(%s: i32 [4] space #tpu.memory_space<smem>)
    inputs(%x: f32 [64, 128] block [16, 128] map(%a: i32, %t: memref<4xi32, #tpu.memory_space<smem>>) {
      %e = grid.slice_ref %t[%a] [1] [1] drop [0] : memref<4xi32, #tpu.memory_space<smem>>, i32 -> memref<i32, #tpu.memory_space<smem>>
      %n = grid.load %e : memref<i32, #tpu.memory_space<smem>> -> i32
      %c0 = arith.constant 0 : i32
      grid.yield %n, %c0 : i32, i32
    })
    outputs(%o: f32 [64, 128] block [16, 128] at (%i, 0)) semantics [parallel] aliases [1 -> 0] {
  %v = grid.load %x : memref<16x128xf32, #grid.space<default>> -> tensor<16x128xf32>
  grid.store %v, %o : tensor<16x128xf32>, memref<16x128xf32, #grid.space<default>>
}

// -----

// Each program would read what it has written: the kernel copies blocks before.
// CHECK-LABEL: grid.kernel @reread grid(%{{.*}} = ?)
grid.kernel @reread grid(%i = ?)
    inputs(%x: f32 [64, 128] block [16, 128] at (%i, 0))
    outputs(%o: f32 [64, 128] block [16, 128] at (%i, 0)) semantics [parallel] aliases [0 -> 0] {
  %z = arith.constant dense<0.0> : tensor<16x128xf32>
  grid.store %z, %o : tensor<16x128xf32>, memref<16x128xf32, #grid.space<default>>
  %v = grid.load %x : memref<16x128xf32, #grid.space<default>> -> tensor<16x128xf32>
  grid.store %v, %o : tensor<16x128xf32>, memref<16x128xf32, #grid.space<default>>
}

// -----

// A block in a loop may overhang its array.
// CHECK-LABEL: grid.kernel @overhanging grid(%{{.*}} = ?)
grid.kernel @overhanging grid(%i = ?)
    inputs(%x: f32 [60, 128] block [16, 128] at (%i, 0))
    outputs(%o: f32 [64, 128] block [16, 128] at (%i, 0)) semantics [parallel] {
  %v = grid.load %x : memref<16x128xf32, #grid.space<default>> -> tensor<16x128xf32>
  grid.store %v, %o : tensor<16x128xf32>, memref<16x128xf32, #grid.space<default>>
}

// -----

// CTAs of a cluster are a dimension of the launch.
// CHECK-LABEL: grid.kernel @clusters grid(%{{.*}} = ?, %{{.*}} = 2 cluster)
grid.kernel @clusters grid(%i = ?, %j = 2 cluster)
    inputs(%x: f32 [64, 128] block [16, 128] at (%i, 0))
    outputs(%o: f32 [64, 128] block [16, 128] at (%i, 0)) semantics [parallel, parallel] {
  %v = grid.load %x : memref<16x128xf32, #grid.space<default>> -> tensor<16x128xf32>
  grid.store %v, %o : tensor<16x128xf32>, memref<16x128xf32, #grid.space<default>>
}
