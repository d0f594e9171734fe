// RUN: gridir-opt %s --split-input-file --convert-grid-to-warpgroup --canonicalize | FileCheck %s
// RUN: gridir-opt %s --split-input-file --convert-grid-to-warpgroup --mlir-pass-statistics --mlir-pass-statistics-display=list \
// RUN:   -o /dev/null 2>&1 | FileCheck %s --check-prefix=STATS

// STATS: 0 num-contractions
// STATS: 1 num-converted
// STATS: 3 num-contractions

// Blocks are windows of arrays; a sequential dimension is a loop, and scratch memory is in registers. An output that the
// body reads back is stored after the loop.
// CHECK-LABEL: grid.kernel @sums grid(%i = 2)
// CHECK: inputs(%x: f32 [256, 256] space #warpgroup.space<gmem> origin "x")
// CHECK: outputs(%o: f32 [1, 256] space #warpgroup.space<gmem> origin "o")
// CHECK: grid.scoped (%[[SUM:.*]]: memref<1x128xf32, #grid.space<default>>)
// CHECK: scf.for %[[STEP:.*]] = %c0 to %c4 step %c1
// CHECK: grid.slice_ref %x[%{{.*}}, %{{.*}}] [64, 128] [1, 1]
// CHECK: grid.load %[[SUM]]
// CHECK: grid.store %{{.*}}, %[[SUM]]
// CHECK: %[[V:.*]] = grid.load %[[SUM]]
// CHECK: %[[O:.*]] = grid.slice_ref %o[0, %{{.*}}] [1, 128] [1, 1]
// CHECK: grid.store %[[V]], %[[O]]
grid.kernel @sums grid(%i = 2, %j = 4)
    inputs(%x: f32 [256, 256] block [64, 128] at (%j, %i) origin "x")
    outputs(%o: f32 [1, 256] block [1, 128] at (0, %i) origin "o")
    semantics [parallel, arbitrary]
    attributes {warpgroup.schedule = #warpgroup.schedule<cta = [1, 128], warpgroup = [1, 128]>} {
  %v = grid.load %x : memref<64x128xf32, #grid.space<default>> -> tensor<64x128xf32>
  %zero = arith.constant dense<0.0> : tensor<128xf32>
  %sum = linalg.reduce ins(%v : tensor<64x128xf32>) outs(%zero : tensor<128xf32>) dimensions = [0]
    (%in: f32, %acc: f32) {
      %a = arith.addf %in, %acc : f32
      linalg.yield %a : f32
    }
  %row = tensor.expand_shape %sum [[0, 1]] output_shape [1, 128] : tensor<128xf32> into tensor<1x128xf32>
  %old = grid.load %o : memref<1x128xf32, #grid.space<default>> -> tensor<1x128xf32>
  %new = arith.addf %old, %row : tensor<1x128xf32>
  grid.store %new, %o : tensor<1x128xf32>, memref<1x128xf32, #grid.space<default>>
}

// -----

// Two consumers have a buffer each for the left operand and share the one for the right operand; a third warpgroup
// starts the copies. The scratch memory is the accumulator. The last step stores it, so that step follows the loop.
// CHECK-LABEL: grid.kernel @product grid(%i = 2, %j = 3 named "warpgroup" thread)
// CHECK: %[[W:.*]] = grid.program_id "warpgroup"
// CHECK: grid.scoped (%[[X:.*]]: memref<2x2x64x64xbf16, #warpgroup.space<smem>> origin "{{.*}}", %[[Y:.*]]: memref<2x64x128xbf16, #warpgroup.space<smem>>
// CHECK-SAME: %[[FULL:.*]]: memref<2x!warpgroup.barrier<3>, {{.*}} %[[EMPTY:.*]]: memref<2x!warpgroup.barrier<2>
// CHECK-SAME: collective = ["warpgroup"]
// CHECK-SAME: #grid.transform<unswizzle[128]>, #grid.transform<untiling[8, 64]>
// CHECK: arith.cmpi eq, %[[W]], %c2_i32
// CHECK: warpgroup.set_max_registers 40
// CHECK: scf.for
// CHECK: scf.if
// CHECK: warpgroup.barrier_wait
// CHECK-COUNT-3: warpgroup.tma_load
// CHECK: arith.cmpi slt, %[[W]], %c2_i32
// CHECK: warpgroup.set_max_registers 232 increase
// CHECK: grid.scoped (%[[ACC:.*]]: memref<64x128xf32, #warpgroup.space<regs>>)
// CHECK: warpgroup.mma
// CHECK: scf.for %{{.*}} = %c1 to %c3 step %c1
// CHECK: warpgroup.barrier_wait
// CHECK: %[[A:.*]] = grid.slice_ref %[[X]][%{{.*}}, %[[W]], 0, 0] [1, 1, 64, 64]
// CHECK: %[[B:.*]] = grid.slice_ref %[[Y]][%{{.*}}, 0, 0] [1, 64, 128]
// CHECK: warpgroup.mma %[[ACC]], %[[A]], %[[B]]
// CHECK: warpgroup.mma_wait 0
// CHECK: warpgroup.barrier_arrive
// CHECK: warpgroup.mma
// CHECK: %[[V:.*]] = grid.load %[[ACC]]
// CHECK: grid.store %[[V]]
// CHECK: warpgroup.barrier_arrive
grid.kernel @product grid(%i = 2, %w = 2 thread, %k = 4)
    inputs(%x: bf16 [256, 256] block [64, 64] at (%i * 2 + %w, %k) origin "x", %y: bf16 [256, 128] block [64, 128] at (%k, 0) origin "y")
    outputs(%o: f32 [256, 128] block [64, 128] at (%i * 2 + %w, 0) origin "o")
    scratch(%acc: memref<64x128xf32, #grid.space<default>>)
    semantics [parallel, parallel, arbitrary]
    attributes {warpgroup.schedule = #warpgroup.schedule<cta = [128, 128], warpgroup = [64, 128], shared = [0, 1], stages = 2>} {
  %k = grid.program_id 2
  %c3 = arith.constant 3 : i32
  %a = grid.load %x : memref<64x64xbf16, #grid.space<default>> -> tensor<64x64xbf16>
  %b = grid.load %y : memref<64x128xbf16, #grid.space<default>> -> tensor<64x128xbf16>
  %c = grid.load %acc : memref<64x128xf32, #grid.space<default>> -> tensor<64x128xf32>
  %d = grid.dot %a, %b contract [1] x [0] : tensor<64x64xbf16>, tensor<64x128xbf16> -> tensor<64x128xf32>
  %e = arith.addf %c, %d : tensor<64x128xf32>
  grid.store %e, %acc : tensor<64x128xf32>, memref<64x128xf32, #grid.space<default>>
  %last = arith.cmpi eq, %k, %c3 : i32
  scf.if %last {
    %v = grid.load %acc : memref<64x128xf32, #grid.space<default>> -> tensor<64x128xf32>
    grid.store %v, %o : tensor<64x128xf32>, memref<64x128xf32, #grid.space<default>>
  }
}

// -----

// A block that overhangs its array is accessed with a mask. Elements outside are zero.
// CHECK-LABEL: grid.kernel @overhang
// CHECK: %[[X:.*]] = grid.slice_ref %{{[a-z0-9]+}}[
// CHECK: %[[MASK:.*]] = linalg.generic
// CHECK: %[[ROW:.*]] = linalg.index 0
// CHECK: %[[POSITION:.*]] = arith.addi %[[ROW]]
// CHECK: arith.cmpi slt, %[[POSITION]], %c30
// CHECK: %[[O:.*]] = grid.slice_ref %{{[a-z0-9]+}}[
// CHECK: %[[OUT:.*]] = linalg.generic
// CHECK: %[[V:.*]] = grid.load %[[X]] mask %[[MASK]] other
// CHECK: %[[AUTHOR:.*]] = arith.cmpf ogt, %[[V]]
// CHECK: %[[BOTH:.*]] = arith.andi %[[AUTHOR]], %[[OUT]]
// CHECK: grid.store %[[V]], %[[O]] mask %[[BOTH]]
grid.kernel @overhang grid(%i = 4)
    inputs(%x: f32 [30, 256] block [8, 256] at (%i, 0)) outputs(%o: f32 [30, 256] block [8, 256] at (%i, 0))
    semantics [parallel]
    attributes {warpgroup.schedule = #warpgroup.schedule<cta = [8, 256], warpgroup = [8, 256]>} {
  %v = grid.load %x : memref<8x256xf32, #grid.space<default>> -> tensor<8x256xf32>
  %zero = arith.constant dense<0.0> : tensor<8x256xf32>
  %mask = arith.cmpf ogt, %v, %zero : tensor<8x256xf32>
  grid.store %v, %o mask %mask : tensor<8x256xf32>, memref<8x256xf32, #grid.space<default>>, tensor<8x256xi1>
}

// -----

// A loop of the body: the producer repeats it, and fills a stage in each iteration.
// CHECK-LABEL: grid.kernel @loop
// CHECK: grid.scoped (%[[RX:.*]]: memref<2x64x64xbf16, #warpgroup.space<smem>>, %[[RY:.*]]: memref<2x64x64xbf16, #warpgroup.space<smem>>,
// CHECK-SAME: memref<2x!warpgroup.barrier<2>, #warpgroup.space<smem>> origin "full"
// CHECK-SAME: memref<2x!warpgroup.barrier<1>, #warpgroup.space<smem>> origin "empty"
// CHECK: %[[END:.*]] = arith.addi
// CHECK: scf.for %[[K:.*]] = %{{.*}} to %[[END]] step
// CHECK: warpgroup.barrier_wait
// CHECK: warpgroup.tma_load
// CHECK: warpgroup.tma_load
// CHECK: scf.for %{{.*}} iter_args
// CHECK: warpgroup.barrier_wait
// CHECK: %[[A:.*]] = grid.slice_ref %[[RX]][%{{.*}}, 0, 0] [1, 64, 64]
// CHECK: %[[B:.*]] = grid.slice_ref %[[RY]][%{{.*}}, 0, 0] [1, 64, 64]
// CHECK: grid.store %{{.*}}, %[[ACC:.*]] :
// CHECK: warpgroup.mma %[[ACC]], %[[A]], %[[B]]
// CHECK: warpgroup.barrier_arrive
// CHECK-NEXT: scf.yield
grid.kernel @loop grid(%i = 4)
    inputs(%x: bf16 [256, 256] block [64, 256] at (%i, 0), %y: bf16 [256, 64])
    outputs(%o: f32 [256, 64] block [64, 64] at (%i, 0))
    semantics [parallel]
    attributes {warpgroup.schedule = #warpgroup.schedule<cta = [64, 64], warpgroup = [64, 64], shared = [0, 1], stages = 2>} {
  %i = grid.program_id 0
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %depth = arith.constant 64 : i32
  %end = arith.addi %i, %one : i32
  %init = arith.constant dense<0.0> : tensor<64x64xf32>
  %sum = scf.for %k = %zero to %end step %one iter_args(%acc = %init) -> (tensor<64x64xf32>) : i32 {
    %offset = arith.muli %k, %depth : i32
    %u = grid.slice_ref %x[0, %offset] [64, 64] [1, 1]
        : memref<64x256xbf16, #grid.space<default>>, i32 -> memref<64x64xbf16, #grid.space<default>>
    %v = grid.slice_ref %y[%offset, 0] [64, 64] [1, 1]
        : memref<256x64xbf16, #grid.space<default>>, i32 -> memref<64x64xbf16, #grid.space<default>>
    %a = grid.load %u : memref<64x64xbf16, #grid.space<default>> -> tensor<64x64xbf16>
    %b = grid.load %v : memref<64x64xbf16, #grid.space<default>> -> tensor<64x64xbf16>
    %d = grid.dot %a, %b contract [1] x [0] : tensor<64x64xbf16>, tensor<64x64xbf16> -> tensor<64x64xf32>
    %next = arith.addf %acc, %d : tensor<64x64xf32>
    scf.yield %next : tensor<64x64xf32>
  }
  grid.store %sum, %o : tensor<64x64xf32>, memref<64x64xf32, #grid.space<default>>
}

// -----

// The producer loads the number of the matrix that it copies, and the consumers do so for themselves.
// CHECK-LABEL: grid.kernel @grouped grid(%i = 2, %j = 2 named "warpgroup" thread)
// CHECK: inputs(%s: i32 [2] space #warpgroup.space<gmem> origin "s"
// CHECK: scf.if
// CHECK: %[[E:.*]] = grid.slice_ref %s[%{{.*}}] [1] [1] drop [0] : {{.*}} -> memref<i32, #warpgroup.space<gmem>>
// CHECK: %[[N:.*]] = grid.load %[[E]] : memref<i32, #warpgroup.space<gmem>> -> i32
// CHECK: %[[LOW:.*]] = arith.maxsi %[[N]]
// CHECK: %[[PAGE:.*]] = arith.minsi %[[LOW]]
// CHECK: warpgroup.tma_load %y [%[[PAGE]] : i32, 0, 0] [1, 64, 64] drop [0]
// CHECK: scf.if
// CHECK: warpgroup.mma
grid.kernel @grouped grid(%i = 2)
    inputs(%s: i32 [2] origin "s", %x: bf16 [128, 64] block [64, 64] at (%i, 0) origin "x", %y: bf16 [3, 64, 64] origin "y")
    outputs(%o: f32 [128, 64] block [64, 64] at (%i, 0) origin "o")
    semantics [parallel]
    attributes {warpgroup.schedule = #warpgroup.schedule<cta = [64, 64], warpgroup = [64, 64], shared = [1, 2]>} {
  %p = grid.program_id 0
  %e = grid.slice_ref %s[%p] [1] [1] drop [0] : memref<2xi32, #grid.space<default>>, i32 -> memref<i32, #grid.space<default>>
  %n = grid.load %e : memref<i32, #grid.space<default>> -> i32
  %c0 = arith.constant 0 : i32
  %c2 = arith.constant 2 : i32
  %low = arith.maxsi %n, %c0 : i32
  %m = arith.minsi %low, %c2 : i32
  %w = grid.slice_ref %y[%m, 0, 0] [1, 64, 64] [1, 1, 1] drop [0]
      : memref<3x64x64xbf16, #grid.space<default>>, i32 -> memref<64x64xbf16, #grid.space<default>>
  %a = grid.load %x : memref<64x64xbf16, #grid.space<default>> -> tensor<64x64xbf16>
  %b = grid.load %w : memref<64x64xbf16, #grid.space<default>> -> tensor<64x64xbf16>
  %d = grid.dot %a, %b contract [1] x [0] : tensor<64x64xbf16>, tensor<64x64xbf16> -> tensor<64x64xf32>
  grid.store %d, %o : tensor<64x64xf32>, memref<64x64xf32, #grid.space<default>>
}

// -----

// The producer repeats a nest of loops; a stage has the number of the iteration of both.
// CHECK-LABEL: grid.kernel @nest grid(%i = 2, %j = 2 named "warpgroup" thread)
// CHECK: scf.if
// CHECK: scf.for %[[A:.*]] = %c0 to %c3 step %c1 {
// CHECK: scf.for %[[B:.*]] = %c0 to %c2 step %c1 {
// CHECK-DAG: %[[INNER:.*]] = arith.index_cast %[[B]] : index to i32
// CHECK-DAG: %[[OUTER:.*]] = arith.index_cast %[[A]] : index to i32
// CHECK: %[[BEFORE:.*]] = arith.muli %[[OUTER]], %c2_i32
// CHECK: %[[NUMBER:.*]] = arith.addi %[[BEFORE]], %[[INNER]]
// CHECK: arith.remsi %[[NUMBER]], %c4_i32
// CHECK: warpgroup.barrier_wait
// CHECK: warpgroup.tma_load %y
// CHECK: scf.if
// CHECK: scf.for
// CHECK: scf.for
// CHECK: warpgroup.mma
grid.kernel @nest grid(%i = 2)
    inputs(%x: bf16 [128, 64] block [64, 64] at (%i, 0) origin "x", %y: bf16 [384, 64] origin "y")
    outputs(%o: f32 [128, 64] block [64, 64] at (%i, 0) origin "o")
    semantics [parallel]
    attributes {warpgroup.schedule = #warpgroup.schedule<cta = [64, 64], warpgroup = [64, 64], shared = [0, 1], stages = 4>} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c3 = arith.constant 3 : index
  %c64 = arith.constant 64 : index
  %zero = arith.constant dense<0.0> : tensor<64x64xf32>
  %a = grid.load %x : memref<64x64xbf16, #grid.space<default>> -> tensor<64x64xbf16>
  %r = scf.for %m = %c0 to %c3 step %c1 iter_args(%outer = %zero) -> tensor<64x64xf32> {
    %s = scf.for %n = %c0 to %c2 step %c1 iter_args(%acc = %outer) -> tensor<64x64xf32> {
      %two = arith.muli %m, %c2 : index
      %block = arith.addi %two, %n : index
      %row = arith.muli %block, %c64 : index
      %w = grid.slice_ref %y[%row, 0] [64, 64] [1, 1] : memref<384x64xbf16, #grid.space<default>>, index -> memref<64x64xbf16, #grid.space<default>>
      %b = grid.load %w : memref<64x64xbf16, #grid.space<default>> -> tensor<64x64xbf16>
      %d = grid.dot %a, %b contract [1] x [0] : tensor<64x64xbf16>, tensor<64x64xbf16> -> tensor<64x64xf32>
      %t = arith.addf %acc, %d : tensor<64x64xf32>
      scf.yield %t : tensor<64x64xf32>
    }
    scf.yield %s : tensor<64x64xf32>
  }
  grid.store %r, %o : tensor<64x64xf32>, memref<64x64xf32, #grid.space<default>>
}

// -----

// Scratch that is accessed in parts is in shared memory, a part for each warpgroup. Scratch that is accessed as a whole is
// in registers.
// CHECK-LABEL: grid.kernel @parts
// CHECK: %[[W:.*]] = grid.program_id "warpgroup"
// CHECK: grid.scoped (%[[ALL:.*]]: memref<2x8x128xf32, #warpgroup.space<smem>> origin "scratch") attributes {collective = ["warpgroup"], transforms = {{\[\[}}]]}
// CHECK: grid.scoped (%[[R:.*]]: memref<8x128xf32, #grid.space<default>>)
// CHECK: grid.store %{{.*}}, %[[R]]
// CHECK: %[[ROW:.*]] = grid.slice_ref %[[ALL]][%[[W]], 0, 0] [1, 1, 128] [1, 1, 1] drop [0]
// CHECK: %[[V:.*]] = grid.load %[[ROW]] : memref<1x128xf32, #warpgroup.space<smem>>
grid.kernel @parts grid(%i = 2, %w = 2 thread)
    inputs(%x: f32 [32, 128] block [8, 128] at (%i * 2 + %w, 0)) outputs(%o: f32 [4, 128] block [1, 128] at (%i * 2 + %w, 0))
    scratch(%r: memref<8x128xf32, #grid.space<default>>, %s: memref<8x128xf32, #grid.space<default>>)
    semantics [parallel, parallel]
    attributes {warpgroup.schedule = #warpgroup.schedule<cta = [2, 128], warpgroup = [1, 128]>} {
  %v = grid.load %x : memref<8x128xf32, #grid.space<default>> -> tensor<8x128xf32>
  grid.store %v, %r : tensor<8x128xf32>, memref<8x128xf32, #grid.space<default>>
  %u = grid.load %r : memref<8x128xf32, #grid.space<default>> -> tensor<8x128xf32>
  grid.store %u, %s : tensor<8x128xf32>, memref<8x128xf32, #grid.space<default>>
  %row = grid.slice_ref %s[0, 0] [1, 128] [1, 1]
      : memref<8x128xf32, #grid.space<default>> -> memref<1x128xf32, #grid.space<default>>
  %first = grid.load %row : memref<1x128xf32, #grid.space<default>> -> tensor<1x128xf32>
  grid.store %first, %o : tensor<1x128xf32>, memref<1x128xf32, #grid.space<default>>
}
