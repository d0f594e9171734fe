// RUN: gridir-opt %s --grid-infer-dimension-semantics --split-input-file | FileCheck %s
// RUN: gridir-opt %s --grid-infer-dimension-semantics --split-input-file --mlir-pass-statistics -o /dev/null 2>&1 | FileCheck %s --check-prefix=STATS

// STATS: GridInferDimensionSemanticsPass
// STATS: (S) 2 num-proved
// STATS: (S) 0 num-refuted
// STATS: (S) 0 num-dropped

!block = memref<128x128xf32, #grid.space<default>>
!tile = tensor<128x128xf32>

// Matmul whose accumulator is scratch, zeroed at the first step of %k and stored at the last.
// CHECK-LABEL: grid.kernel @matmul
// CHECK: semantics [parallel, parallel, arbitrary]
grid.kernel @matmul grid(%i = 4, %j = 4, %k = 8)
    inputs(%x: f32 [512, 1024] block [128, 128] at (%i, %k),
           %y: f32 [1024, 512] block [128, 128] at (%k, %j))
    outputs(%o: f32 [512, 512] block [128, 128] at (%i, %j))
    scratch(%acc: memref<128x128xf32, #tpu.memory_space<vmem>>) {
  %c0 = arith.constant 0 : i32
  %c7 = arith.constant 7 : i32
  %k0 = grid.program_id 2
  %first = arith.cmpi eq, %k0, %c0 : i32
  scf.if %first {
    %zero = arith.constant dense<0.0> : !tile
    grid.store %zero, %acc : !tile, memref<128x128xf32, #tpu.memory_space<vmem>>
  }
  %a = grid.load %x : !block -> !tile
  %b = grid.load %y : !block -> !tile
  %c = grid.dot %a, %b contract [1] x [0] : !tile, !tile -> !tile
  grid.accumulate %c, %acc : !tile, memref<128x128xf32, #tpu.memory_space<vmem>>
  %last = arith.cmpi eq, %k0, %c7 : i32
  scf.if %last {
    %r = grid.load %acc : memref<128x128xf32, #tpu.memory_space<vmem>> -> !tile
    grid.store %r, %o : !tile, !block
  }
}

// -----

// The same with the sum outermost: scratch that is zeroed once is carried over everything.
// CHECK-LABEL: grid.kernel @sum_outermost
// CHECK: semantics [arbitrary, arbitrary]
grid.kernel @sum_outermost grid(%k = 8, %i = 4)
    inputs(%x: f32 [32] block [1] at (%k * 4 + %i))
    outputs(%o: f32 [4] block [1] at (%i))
    scratch(%acc: memref<1xf32>) {
  %c0 = arith.constant 0 : i32
  %k0 = grid.program_id 0
  %first = arith.cmpi eq, %k0, %c0 : i32
  scf.if %first {
    %zero = arith.constant dense<0.0> : tensor<1xf32>
    grid.store %zero, %acc : tensor<1xf32>, memref<1xf32>
  }
  %v = grid.load %x : memref<1xf32, #grid.space<default>> -> tensor<1xf32>
  grid.accumulate %v, %acc : tensor<1xf32>, memref<1xf32>
  %r = grid.load %acc : memref<1xf32> -> tensor<1xf32>
  grid.store %r, %o : tensor<1xf32>, memref<1xf32, #grid.space<default>>
}

// -----

// Flash attention's running values: initialised when two conditions hold, through the integer
// that `lax.cond` makes of a boolean, in scratch with a leading dimension of one. %q is proved
// since scratch is initialised whenever %k is 0, and the inner unit dimension cannot matter.
// CHECK-LABEL: grid.kernel @running_maximum
// CHECK: semantics [parallel, parallel, arbitrary, parallel]
grid.kernel @running_maximum grid(%b = 2, %q = 4, %k = ?, %u = 1)
    inputs(%x: f32 [2, 4, 8] block [squeezed, squeezed, 8] at (%b, %q, 0))
    outputs(%o: f32 [2, 4, 8] block [squeezed, squeezed, 8] at (%b, %q, 0))
    scratch(%m: memref<1x8xf32>) {
  %c0 = arith.constant 0 : i32
  %k0 = grid.program_id 2
  %u0 = grid.program_id 3
  %k_first = arith.cmpi eq, %k0, %c0 : i32
  %u_first = arith.cmpi eq, %u0, %c0 : i32
  %both = arith.andi %k_first, %u_first : i1
  %number = arith.extui %both : i1 to i32
  %first = arith.cmpi ne, %number, %c0 : i32
  scf.if %first {
    %row = grid.slice_ref %m[0, 0] [1, 8] [1, 1] drop [0] : memref<1x8xf32> -> memref<8xf32>
    %low = arith.constant dense<0xFF800000> : tensor<8xf32>
    grid.store %low, %row : tensor<8xf32>, memref<8xf32>
  }
  %row = grid.slice_ref %m[0, 0] [1, 8] [1, 1] drop [0] : memref<1x8xf32> -> memref<8xf32>
  %old = grid.load %row : memref<8xf32> -> tensor<8xf32>
  %v = grid.load %x : memref<8xf32, #grid.space<default>> -> tensor<8xf32>
  %new = arith.maximumf %old, %v : tensor<8xf32>
  grid.store %new, %row : tensor<8xf32>, memref<8xf32>
  grid.store %new, %o : tensor<8xf32>, memref<8xf32, #grid.space<default>>
}

// -----

// Scratch that every program writes before it reads carries nothing.
// CHECK-LABEL: grid.kernel @private_scratch
// CHECK: semantics [parallel]
grid.kernel @private_scratch grid(%i = 4)
    inputs(%x: f32 [32] block [8] at (%i))
    outputs(%o: f32 [32] block [8] at (%i))
    scratch(%t: memref<8xf32>) {
  %v = grid.load %x : memref<8xf32, #grid.space<default>> -> tensor<8xf32>
  grid.store %v, %t : tensor<8xf32>, memref<8xf32>
  %w = grid.load %t : memref<8xf32> -> tensor<8xf32>
  grid.store %w, %o : tensor<8xf32>, memref<8xf32, #grid.space<default>>
}

// -----

// Scratch that is written in part, and read where it was not, is carried.
// CHECK-LABEL: grid.kernel @half_written_scratch
// CHECK: semantics [arbitrary]
grid.kernel @half_written_scratch grid(%i = 4)
    outputs(%o: f32 [32] block [8] at (%i))
    scratch(%t: memref<8xf32>) {
  %zero = arith.constant dense<0.0> : tensor<4xf32>
  %half = grid.slice_ref %t[0] [4] [1] : memref<8xf32> -> memref<4xf32>
  grid.store %zero, %half : tensor<4xf32>, memref<4xf32>
  %w = grid.load %t : memref<8xf32> -> tensor<8xf32>
  grid.store %w, %o : tensor<8xf32>, memref<8xf32, #grid.space<default>>
}

// -----

// The halves of scratch together are all of it; so are the rows that a loop writes.
// CHECK-LABEL: grid.kernel @scratch_in_parts
// CHECK: semantics [parallel]
grid.kernel @scratch_in_parts grid(%i = 4)
    outputs(%o: f32 [32] block [8] at (%i), %p: f32 [16, 2] block [4, 2] at (%i, 0))
    scratch(%t: memref<8xf32>, %u: memref<4x2xf32>) {
  %zero = arith.constant dense<0.0> : tensor<4xf32>
  %low = grid.slice_ref %t[0] [4] [1] : memref<8xf32> -> memref<4xf32>
  %high = grid.slice_ref %t[4] [4] [1] : memref<8xf32> -> memref<4xf32>
  grid.store %zero, %low : tensor<4xf32>, memref<4xf32>
  grid.store %zero, %high : tensor<4xf32>, memref<4xf32>
  %w = grid.load %t : memref<8xf32> -> tensor<8xf32>
  grid.store %w, %o : tensor<8xf32>, memref<8xf32, #grid.space<default>>
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %row = arith.constant dense<0.0> : tensor<2xf32>
  scf.for %r = %c0 to %c4 step %c1 {
    %at = grid.slice_ref %u[%r, 0] [1, 2] [1, 1] drop [0] : memref<4x2xf32>, index -> memref<2xf32>
    grid.store %row, %at : tensor<2xf32>, memref<2xf32>
  }
  %z = grid.load %u : memref<4x2xf32> -> tensor<4x2xf32>
  grid.store %z, %p : tensor<4x2xf32>, memref<4x2xf32, #grid.space<default>>
}

// -----

// Two programs share an output block: the result depends on who comes last.
// CHECK-LABEL: grid.kernel @revisited_output
// CHECK: semantics [parallel, arbitrary]
grid.kernel @revisited_output grid(%i = 4, %k = 8)
    inputs(%x: f32 [4, 8] block [1, 1] at (%i, %k))
    outputs(%o: f32 [4, 1] block [1, 1] at (%i, 0)) {
  %v = grid.load %x : memref<1x1xf32, #grid.space<default>> -> tensor<1x1xf32>
  grid.accumulate %v, %o : tensor<1x1xf32>, memref<1x1xf32, #grid.space<default>>
}

// -----

// `i * 4 + j` with fewer than 5 values of %j names every block once; `i + j` does not.
// CHECK-LABEL: grid.kernel @mixed_radix
// CHECK: semantics [parallel, parallel]
grid.kernel @mixed_radix grid(%i = 4, %j = 4) outputs(%o: f32 [128] block [8] at (%i * 4 + %j)) {
  %v = arith.constant dense<0.0> : tensor<8xf32>
  grid.store %v, %o : tensor<8xf32>, memref<8xf32, #grid.space<default>>
}
// CHECK-LABEL: grid.kernel @diagonal
// CHECK: semantics [arbitrary, arbitrary]
grid.kernel @diagonal grid(%i = 4, %j = 4) outputs(%o: f32 [56] block [8] at (%i + %j)) {
  %v = arith.constant dense<0.0> : tensor<8xf32>
  grid.store %v, %o : tensor<8xf32>, memref<8xf32, #grid.space<default>>
}
// CHECK-LABEL: grid.kernel @divided
// CHECK: semantics [parallel]
grid.kernel @divided grid(%i = 16)
    outputs(%o: f32 [8, 16] block [2, 4] at (%i floordiv 4, %i mod 4)) {
  %v = arith.constant dense<0.0> : tensor<2x4xf32>
  grid.store %v, %o : tensor<2x4xf32>, memref<2x4xf32, #grid.space<default>>
}
// CHECK-LABEL: grid.kernel @halved
// CHECK: semantics [arbitrary]
grid.kernel @halved grid(%i = 16) outputs(%o: f32 [64] block [8] at (%i floordiv 2)) {
  %v = arith.constant dense<0.0> : tensor<8xf32>
  grid.store %v, %o : tensor<8xf32>, memref<8xf32, #grid.space<default>>
}

// -----

// Windows of 10 elements at every 8th overlap in the outputs; as inputs they may.
// CHECK-LABEL: grid.kernel @overlapping_outputs
// CHECK: semantics [arbitrary]
grid.kernel @overlapping_outputs grid(%i = 4)
    outputs(%o: f32 [34] block [element(10)] at (%i * 8)) {
  %v = arith.constant dense<0.0> : tensor<10xf32>
  grid.store %v, %o : tensor<10xf32>, memref<10xf32, #grid.space<default>>
}
// CHECK-LABEL: grid.kernel @stencil
// CHECK: semantics [parallel]
grid.kernel @stencil grid(%i = 4)
    inputs(%x: f32 [32] block [element(10, 1, 1)] at (%i * 8))
    outputs(%o: f32 [32] block [8] at (%i)) {
  %v = grid.load %x : memref<10xf32, #grid.space<default>> -> tensor<10xf32>
  %w = tensor.extract_slice %v[1] [8] [1] : tensor<10xf32> to tensor<8xf32>
  grid.store %w, %o : tensor<8xf32>, memref<8xf32, #grid.space<default>>
}

// -----

// A gather reads anywhere and writes its own row; a scatter writes anywhere.
// CHECK-LABEL: grid.kernel @gather
// CHECK: semantics [parallel]
grid.kernel @gather grid(%i = 8)
    index(%rows: i32 [8] space #tpu.memory_space<smem>)
    inputs(%x: f32 [64, 8] block [squeezed, 8] map(%id: i32, %r: memref<8xi32, #tpu.memory_space<smem>>) {
      %c0 = arith.constant 0 : i32
      %at = arith.index_cast %id : i32 to index
      %row = memref.load %r[%at] : memref<8xi32, #tpu.memory_space<smem>>
      grid.yield %row, %c0 : i32, i32
    })
    outputs(%o: f32 [8, 8] block [squeezed, 8] at (%i, 0)) {
  %v = grid.load %x : memref<8xf32, #grid.space<default>> -> tensor<8xf32>
  grid.store %v, %o : tensor<8xf32>, memref<8xf32, #grid.space<default>>
}
// CHECK-LABEL: grid.kernel @scatter
// CHECK: semantics [arbitrary]
grid.kernel @scatter grid(%i = 8)
    index(%rows: i32 [8] space #tpu.memory_space<smem>)
    inputs(%x: f32 [8, 8] block [squeezed, 8] at (%i, 0))
    outputs(%o: f32 [64, 8] block [squeezed, 8] map(%id: i32, %r: memref<8xi32, #tpu.memory_space<smem>>) {
      %c0 = arith.constant 0 : i32
      %at = arith.index_cast %id : i32 to index
      %row = memref.load %r[%at] : memref<8xi32, #tpu.memory_space<smem>>
      grid.yield %row, %c0 : i32, i32
    }) {
  %v = grid.load %x : memref<8xf32, #grid.space<default>> -> tensor<8xf32>
  grid.store %v, %o : tensor<8xf32>, memref<8xf32, #grid.space<default>>
}

// -----

// One whole array; each program writes its own part through a view of it.
// CHECK-LABEL: grid.kernel @part_of_whole
// CHECK: semantics [parallel]
grid.kernel @part_of_whole grid(%i = 4) outputs(%o: f32 [32]) {
  %c8 = arith.constant 8 : i32
  %id = grid.program_id 0
  %start = arith.muli %id, %c8 : i32
  %part = grid.slice_ref %o[%start] [8] [1]
      : memref<32xf32, #grid.space<default>>, i32 -> memref<8xf32, #grid.space<default>>
  %v = arith.constant dense<0.0> : tensor<8xf32>
  grid.store %v, %part : tensor<8xf32>, memref<8xf32, #grid.space<default>>
}

// -----

// DMA into a whole array: each program copies its own rows, in a loop, and waits for each copy.
// CHECK-LABEL: grid.kernel @copies
// CHECK: semantics [parallel]
grid.kernel @copies grid(%i = 4)
    inputs(%x: f32 [32, 16] space any)
    outputs(%o: f32 [32, 16] space any)
    scratch(%sem: memref<!grid.semaphore<dma>>) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %c8 = arith.constant 8 : i32
  %id = grid.program_id 0
  %start = arith.muli %id, %c8 : i32
  scf.for %r = %c0 to %c8 step %c1 : i32 {
    %row = arith.addi %start, %r : i32
    %from = grid.slice_ref %x[%row, 0] [1, 16] [1, 1]
        : memref<32x16xf32, #grid.space<any>>, i32 -> memref<1x16xf32, #grid.space<any>>
    %to = grid.slice_ref %o[%row, 0] [1, 16] [1, 1]
        : memref<32x16xf32, #grid.space<any>>, i32 -> memref<1x16xf32, #grid.space<any>>
    grid.copy_start %from, %to sem %sem
        : memref<1x16xf32, #grid.space<any>>, memref<1x16xf32, #grid.space<any>>, memref<!grid.semaphore<dma>>
    grid.copy_wait %from, %to sem %sem
        : memref<1x16xf32, #grid.space<any>>, memref<1x16xf32, #grid.space<any>>, memref<!grid.semaphore<dma>>
  }
}

// -----

// A copy that one program starts and the next one waits for ties them together.
// CHECK-LABEL: grid.kernel @copy_across_programs
// CHECK: semantics [arbitrary]
grid.kernel @copy_across_programs grid(%i = 4)
    inputs(%x: f32 [32] block [8] at (%i))
    outputs(%o: f32 [32] block [8] at (%i))
    scratch(%sem: memref<!grid.semaphore<dma>>) {
  grid.copy_wait %x, %o sem %sem
      : memref<8xf32, #grid.space<default>>, memref<8xf32, #grid.space<default>>, memref<!grid.semaphore<dma>>
  grid.copy_start %x, %o sem %sem
      : memref<8xf32, #grid.space<default>>, memref<8xf32, #grid.space<default>>, memref<!grid.semaphore<dma>>
}

// -----

// An update in place reads and writes one block of one array; a shifted one reads its neighbour's.
// CHECK-LABEL: grid.kernel @in_place
// CHECK: semantics [parallel]
grid.kernel @in_place grid(%i = 4)
    inputs(%x: f32 [32] block [8] at (%i))
    outputs(%o: f32 [32] block [8] at (%i)) aliases [0 -> 0] {
  %v = grid.load %x : memref<8xf32, #grid.space<default>> -> tensor<8xf32>
  grid.store %v, %o : tensor<8xf32>, memref<8xf32, #grid.space<default>>
}
// CHECK-LABEL: grid.kernel @shift_in_place
// CHECK: semantics [arbitrary]
grid.kernel @shift_in_place grid(%i = 4)
    inputs(%x: f32 [40] block [8] at (%i + 1))
    outputs(%o: f32 [40] block [8] at (%i)) aliases [0 -> 0] {
  %v = grid.load %x : memref<8xf32, #grid.space<default>> -> tensor<8xf32>
  grid.store %v, %o : tensor<8xf32>, memref<8xf32, #grid.space<default>>
}

// -----

// Random bits of a generator that the same program seeded are its own.
// CHECK-LABEL: grid.kernel @seeded
// CHECK: semantics [parallel]
grid.kernel @seeded grid(%i = 4) outputs(%o: i32 [32] block [8] at (%i)) {
  %id = grid.program_id 0
  grid.prng_seed %id : i32
  %bits = grid.prng_bits : tensor<8xi32>
  grid.store %bits, %o : tensor<8xi32>, memref<8xi32, #grid.space<default>>
}
// CHECK-LABEL: grid.kernel @seeded_once
// CHECK: semantics [arbitrary]
grid.kernel @seeded_once grid(%i = 4) outputs(%o: i32 [32] block [8] at (%i)) {
  %c0 = arith.constant 0 : i32
  %id = grid.program_id 0
  %first = arith.cmpi eq, %id, %c0 : i32
  scf.if %first {
    grid.prng_seed %id : i32
  }
  %bits = grid.prng_bits : tensor<8xi32>
  grid.store %bits, %o : tensor<8xi32>, memref<8xi32, #grid.space<default>>
}

// -----

// Printed values show the order of the programs.
// CHECK-LABEL: grid.kernel @prints
// CHECK: semantics [arbitrary]
grid.kernel @prints grid(%i = 4) {
  %id = grid.program_id 0
  grid.print "{}" %id : i32
}

// -----

// Functions are called in the order of the programs.
// CHECK-LABEL: grid.kernel @callbacks
// CHECK: semantics [arbitrary]
grid.kernel @callbacks grid(%i = 4) {
  %id = grid.program_id 0
  grid.callback "5f0c93e1" %id : i32
}

// -----

// Blocks that overhang are copied completely, so that two programs of one such block conflict, though each stores its
// own half.
// CHECK-LABEL: grid.kernel @halves_of_overhanging_block
// CHECK: semantics [parallel, arbitrary]
grid.kernel @halves_of_overhanging_block grid(%i = 4, %j = 2)
    outputs(%o: f32 [30] block [8] at (%i)) {
  %c4 = arith.constant 4 : i32
  %j0 = grid.program_id 1
  %start = arith.muli %j0, %c4 : i32
  %half = grid.slice_ref %o[%start] [4] [1]
      : memref<8xf32, #grid.space<default>>, i32 -> memref<4xf32, #grid.space<default>>
  %v = arith.constant dense<0.0> : tensor<4xf32>
  grid.store %v, %half : tensor<4xf32>, memref<4xf32, #grid.space<default>>
}

// -----

// A remainder that never wraps names as many rows as there are programs, one that does fewer.
// CHECK-LABEL: grid.kernel @remainders
// CHECK: semantics [parallel]
grid.kernel @remainders grid(%i = 4) outputs(%o: f32 [4, 128] space any) {
  %c4 = arith.constant 4 : i32
  %p = grid.program_id 0
  %row = arith.remsi %p, %c4 : i32
  %w = grid.slice_ref %o[%row, 0] [1, 128] [1, 1] drop [0] : memref<4x128xf32, #grid.space<any>>, i32 -> memref<128xf32, #grid.space<any>>
  %v = arith.constant dense<1.0> : tensor<128xf32>
  grid.store %v, %w : tensor<128xf32>, memref<128xf32, #grid.space<any>>
}

// CHECK-LABEL: grid.kernel @unsigned_remainders
// CHECK: semantics [parallel]
grid.kernel @unsigned_remainders grid(%i = 4) outputs(%o: f32 [4, 128] space any) {
  %c4 = arith.constant 4 : i32
  %p = grid.program_id 0
  %row = arith.remui %p, %c4 : i32
  %w = grid.slice_ref %o[%row, 0] [1, 128] [1, 1] drop [0] : memref<4x128xf32, #grid.space<any>>, i32 -> memref<128xf32, #grid.space<any>>
  %v = arith.constant dense<1.0> : tensor<128xf32>
  grid.store %v, %w : tensor<128xf32>, memref<128xf32, #grid.space<any>>
}

// CHECK-LABEL: grid.kernel @wrapping
// CHECK: semantics [arbitrary]
grid.kernel @wrapping grid(%i = 5) outputs(%o: f32 [4, 128] space any) {
  %c4 = arith.constant 4 : i32
  %p = grid.program_id 0
  %row = arith.remsi %p, %c4 : i32
  %w = grid.slice_ref %o[%row, 0] [1, 128] [1, 1] drop [0] : memref<4x128xf32, #grid.space<any>>, i32 -> memref<128xf32, #grid.space<any>>
  %v = arith.constant dense<1.0> : tensor<128xf32>
  grid.store %v, %w : tensor<128xf32>, memref<128xf32, #grid.space<any>>
}

// -----

!vmem = memref<8xf32, #tpu.memory_space<vmem>>
!half = memref<4xf32, #tpu.memory_space<vmem>>
!block = memref<8xf32, #grid.space<default>>

// Scratch that each program writes before it reads it carries nothing: first a half and then all of it.
// CHECK-LABEL: grid.kernel @half_and_whole
// CHECK: semantics [parallel]
grid.kernel @half_and_whole grid(%i = 4) outputs(%o: f32 [32] block [8] at (%i)) scratch(%s: !vmem) {
  %h = grid.slice_ref %s[0] [4] [1] : !vmem -> !half
  %v = arith.constant dense<1.0> : tensor<4xf32>
  %w = arith.constant dense<2.0> : tensor<8xf32>
  grid.store %v, %h : tensor<4xf32>, !half
  grid.store %w, %s : tensor<8xf32>, !vmem
  %x = grid.load %s : !vmem -> tensor<8xf32>
  grid.store %x, %o : tensor<8xf32>, !block
}

// A half of it carries the other half.
// CHECK-LABEL: grid.kernel @half
// CHECK: semantics [arbitrary]
grid.kernel @half grid(%i = 4) outputs(%o: f32 [32] block [8] at (%i)) scratch(%s: !vmem) {
  %h = grid.slice_ref %s[0] [4] [1] : !vmem -> !half
  %v = arith.constant dense<1.0> : tensor<4xf32>
  grid.store %v, %h : tensor<4xf32>, !half
  %x = grid.load %s : !vmem -> tensor<8xf32>
  grid.store %x, %o : tensor<8xf32>, !block
}

// A copy writes all of its target, and one that adds keeps what was there.
// CHECK-LABEL: grid.kernel @copied
// CHECK: semantics [parallel]
grid.kernel @copied grid(%i = 4)
    inputs(%a: f32 [32] block [8] at (%i)) outputs(%o: f32 [32] block [8] at (%i))
    scratch(%s: !vmem, %q: memref<!grid.semaphore<dma>>) {
  grid.copy_start %a, %s sem %q : !block, !vmem, memref<!grid.semaphore<dma>>
  grid.copy_wait %a, %s sem %q : !block, !vmem, memref<!grid.semaphore<dma>>
  %x = grid.load %s : !vmem -> tensor<8xf32>
  grid.store %x, %o : tensor<8xf32>, !block
}

// CHECK-LABEL: grid.kernel @added
// CHECK: semantics [arbitrary]
grid.kernel @added grid(%i = 4)
    inputs(%a: f32 [32] block [8] at (%i)) outputs(%o: f32 [32] block [8] at (%i))
    scratch(%s: !vmem, %q: memref<!grid.semaphore<dma>>) {
  grid.copy_start %a, %s sem %q {add} : !block, !vmem, memref<!grid.semaphore<dma>>
  grid.copy_wait %a, %s sem %q : !block, !vmem, memref<!grid.semaphore<dma>>
  %x = grid.load %s : !vmem -> tensor<8xf32>
  grid.store %x, %o : tensor<8xf32>, !block
}
