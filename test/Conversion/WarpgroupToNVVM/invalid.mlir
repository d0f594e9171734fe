// RUN: gridir-opt %s --split-input-file --verify-diagnostics --warpgroup-assign-shared-layouts --warpgroup-plan-memory --warpgroup-insert-barriers --convert-warpgroup-to-nvvm

// expected-error @below {{expected a grid of static size on a GPU}}
grid.kernel @grid grid(%i = ?) {
}

// -----

// expected-error @below {{expected whole arrays as the operands of a warpgroup program, got x}}
grid.kernel @blocks grid(%i = 2) inputs(%x: f32 [64] block [32] at (%i) space #warpgroup.space<gmem> origin "x") {
}

// -----

grid.kernel @op grid() inputs(%x: i32 [64] space #warpgroup.space<gmem>) {
  %v = grid.load %x : memref<64xi32, #warpgroup.space<gmem>> -> tensor<64xi32, #warpgroup.layout<strided(1)>>
  // expected-error @below {{expected an op that has a lowering for GPUs, got grid.scatter}}
  grid.scatter %v, %x[%v] dims [0] : tensor<64xi32, #warpgroup.layout<strided(1)>>, memref<64xi32, #warpgroup.space<gmem>>, tensor<64xi32, #warpgroup.layout<strided(1)>>
}

// -----

grid.kernel @array_op grid() inputs(%x: f32 [64] space #warpgroup.space<gmem>) {
  %v = grid.load %x : memref<64xf32, #warpgroup.space<gmem>> -> tensor<64xf32, #warpgroup.layout<strided(1)>>
  // expected-error @below {{expected an op that has a lowering for GPUs, got tensor.concat}}
  %w = tensor.concat dim(0) %v, %v : (tensor<64xf32, #warpgroup.layout<strided(1)>>, tensor<64xf32, #warpgroup.layout<strided(1)>>) -> tensor<128xf32, #warpgroup.layout<strided(1)>>
}

// -----

grid.kernel @type grid() {
  // expected-error @below {{expected a type that a warpgroup supports, got 'tensor<64xf128, #warpgroup.layout<strided(1)>>'}}
  %v = arith.constant dense<0.0> : tensor<64xf128, #warpgroup.layout<strided(1)>>
}

// -----

grid.kernel @constant grid() {
  // expected-error @below {{expected a splat constant on a GPU, got 'tensor<2xf32, #warpgroup.layout<strided(1)>>'}}
  %v = arith.constant dense<[0.0, 1.0]> : tensor<2xf32, #warpgroup.layout<strided(1)>>
}

// -----

grid.kernel @space grid() {
  // expected-error @below {{expected a chip that has tensor memory, got sm_90a for t}}
  grid.scoped (%t: memref<128x64xf32, #warpgroup.space<tmem>> origin "t") {
  }
}

// -----

grid.kernel @many_barriers grid() {
  // expected-error @below {{expected at most 32 barriers of an allocation, got 33}}
  grid.scoped (%b: memref<33x!warpgroup.barrier<1>, #warpgroup.space<smem>>) {
  }
}

// -----

grid.kernel @window grid(%i = 2) {
  grid.scoped (%t: memref<64x64xf32, #warpgroup.space<regs>>) {
    %i = grid.program_id 0
    // expected-error @below {{expected a window of full rank at static offsets of a Ref in registers, got 'memref<32x64xf32, #warpgroup.space<regs>>'}}
    %w = grid.slice_ref %t[%i, 0] [32, 64] [1, 1] : memref<64x64xf32, #warpgroup.space<regs>>, i32 -> memref<32x64xf32, #warpgroup.space<regs>>
  }
}

// -----

grid.kernel @transposed_window grid() {
  grid.scoped (%t: memref<64x64xf32, #warpgroup.space<regs>>) {
    %w = grid.slice_ref %t[0, 0] [32, 64] [1, 1] : memref<64x64xf32, #warpgroup.space<regs>> -> memref<32x64xf32, #warpgroup.space<regs>>
    // expected-error @below {{expected all of a Ref in registers, got a window}}
    %v = grid.transpose_ref %w [1, 0] : memref<32x64xf32, #warpgroup.space<regs>> -> memref<64x32xf32, #warpgroup.space<regs>>
  }
}

// -----

// Between the panels of one matrix are those of the next, and a swizzle is not that of another row.
grid.kernel @panels grid() {
  grid.scoped (%t: memref<2x64x128xf16, #warpgroup.space<smem>>)
      attributes {transforms = [[#grid.transform<unswizzle [128]>, #grid.transform<untiling [8, 64]>]]} {
    // expected-error @below {{expected a contiguous Ref, got 'memref<2x64x128xf16, #warpgroup.space<smem>>'}}
    %r = grid.reshape_ref %t : memref<2x64x128xf16, #warpgroup.space<smem>> -> memref<128x128xf16, #warpgroup.space<smem>>
  }
}

// -----

grid.kernel @half_panels grid() {
  grid.scoped (%t: memref<64x128xf16, #warpgroup.space<smem>>)
      attributes {transforms = [[#grid.transform<unswizzle [128]>, #grid.transform<untiling [8, 64]>]]} {
    // expected-error @below {{expected a contiguous Ref, got 'memref<64x128xf16, #warpgroup.space<smem>>'}}
    %r = grid.reshape_ref %t : memref<64x128xf16, #warpgroup.space<smem>> -> memref<2x32x128xf16, #warpgroup.space<smem>>
  }
}

// -----

grid.kernel @other_rows grid() {
  grid.scoped (%t: memref<64x64xf16, #warpgroup.space<smem>>)
      attributes {transforms = [[#grid.transform<unswizzle [128]>, #grid.transform<untiling [8, 64]>]]} {
    // expected-error @below {{expected a contiguous Ref, got 'memref<64x64xf16, #warpgroup.space<smem>>'}}
    %r = grid.reshape_ref %t : memref<64x64xf16, #warpgroup.space<smem>> -> memref<128x32xf16, #warpgroup.space<smem>>
  }
}

// -----

grid.kernel @begin_of_swizzle grid() {
  grid.scoped (%t: memref<2x4x64xf16, #warpgroup.space<smem>>)
      attributes {transforms = [[#grid.transform<unswizzle [128]>, #grid.transform<untiling [4, 64]>]]} {
    %w = grid.slice_ref %t[1, 0, 0] [1, 4, 64] [1, 1, 1] : memref<2x4x64xf16, #warpgroup.space<smem>> -> memref<1x4x64xf16, #warpgroup.space<smem>>
    // expected-error @below {{expected a contiguous Ref, got 'memref<1x4x64xf16, #warpgroup.space<smem>>'}}
    %r = grid.reshape_ref %w : memref<1x4x64xf16, #warpgroup.space<smem>> -> memref<4x64xf16, #warpgroup.space<smem>>
  }
}

// -----

grid.kernel @halves_of_bytes grid() {
  grid.scoped (%t: memref<64xi8, #warpgroup.space<smem>>) {
    // expected-error @below {{expected elements of whole bytes, got 'i1' of 'memref<64xi8, #warpgroup.space<smem>>'}}
    %r = grid.bitcast_ref %t : memref<64xi8, #warpgroup.space<smem>> -> memref<512xi1, #warpgroup.space<smem>>
  }
}

// -----

grid.kernel @reshape grid() {
  grid.scoped (%t: memref<64x64xf32, #warpgroup.space<smem>>) {
    %w = grid.slice_ref %t[0, 0] [64, 32] [1, 1] : memref<64x64xf32, #warpgroup.space<smem>> -> memref<64x32xf32, #warpgroup.space<smem>>
    // expected-error @below {{expected a contiguous Ref, got 'memref<64x32xf32, #warpgroup.space<smem>>'}}
    %r = grid.reshape_ref %w : memref<64x32xf32, #warpgroup.space<smem>> -> memref<2048xf32, #warpgroup.space<smem>>
  }
}

// -----

grid.kernel @load_to_registers grid() inputs(%x: f32 [64, 64] space #warpgroup.space<gmem>) {
  grid.scoped (%t: memref<64x64xf32, #warpgroup.space<regs>>, %b: memref<!warpgroup.barrier<1>, #warpgroup.space<smem>>) {
    // expected-error @below {{expected a copy between an operand and shared memory}}
    warpgroup.tma_load %x[0, 0] [64, 64] to %t barrier %b
        : memref<64x64xf32, #warpgroup.space<gmem>>, memref<64x64xf32, #warpgroup.space<regs>>, memref<!warpgroup.barrier<1>, #warpgroup.space<smem>>
  }
}

// -----

grid.kernel @strided_source grid() inputs(%x: f32 [64, 64] space #warpgroup.space<gmem>) {
  grid.scoped (%t: memref<32x64xf32, #warpgroup.space<smem>>, %b: memref<!warpgroup.barrier<1>, #warpgroup.space<smem>>) {
    %w = grid.slice_ref %x[0, 0] [32, 64] [2, 1] : memref<64x64xf32, #warpgroup.space<gmem>> -> memref<32x64xf32, #warpgroup.space<gmem>>
    // expected-error @below {{expected a copy of contiguous elements}}
    warpgroup.tma_load %w[0, 0] [32, 64] to %t barrier %b
        : memref<32x64xf32, #warpgroup.space<gmem>>, memref<32x64xf32, #warpgroup.space<smem>>, memref<!warpgroup.barrier<1>, #warpgroup.space<smem>>
  }
}

// -----

grid.kernel @strided_tile grid() inputs(%x: f32 [32, 64] space #warpgroup.space<gmem>) {
  grid.scoped (%t: memref<64x64xf32, #warpgroup.space<smem>>, %b: memref<!warpgroup.barrier<1>, #warpgroup.space<smem>>) {
    %w = grid.slice_ref %t[0, 0] [32, 64] [2, 1] : memref<64x64xf32, #warpgroup.space<smem>> -> memref<32x64xf32, #warpgroup.space<smem>>
    // expected-error @below {{expected a copy of contiguous elements}}
    warpgroup.tma_load %x[0, 0] [32, 64] to %w barrier %b
        : memref<32x64xf32, #warpgroup.space<gmem>>, memref<32x64xf32, #warpgroup.space<smem>>, memref<!warpgroup.barrier<1>, #warpgroup.space<smem>>
  }
}

// -----

grid.kernel @transposed grid() inputs(%x: f32 [64, 64] space #warpgroup.space<gmem>) {
  grid.scoped (%t: memref<64x64xf32, #warpgroup.space<smem>>, %b: memref<!warpgroup.barrier<1>, #warpgroup.space<smem>>) {
    %w = grid.transpose_ref %t [1, 0] : memref<64x64xf32, #warpgroup.space<smem>> -> memref<64x64xf32, #warpgroup.space<smem>>
    // expected-error @below {{expected a copy that keeps the order of dimensions}}
    warpgroup.tma_load %x[0, 0] [64, 64] to %w barrier %b
        : memref<64x64xf32, #warpgroup.space<gmem>>, memref<64x64xf32, #warpgroup.space<smem>>, memref<!warpgroup.barrier<1>, #warpgroup.space<smem>>
  }
}

// -----

grid.kernel @rank grid() inputs(%x: f32 [2, 2, 2, 2, 2, 64] space #warpgroup.space<gmem>) {
  grid.scoped (%t: memref<2x2x2x2x2x64xf32, #warpgroup.space<smem>>, %b: memref<!warpgroup.barrier<1>, #warpgroup.space<smem>>) {
    // expected-error @below {{expected a copy of an array with 1 to 5 dimensions that are larger than 1}}
    warpgroup.tma_load %x[0, 0, 0, 0, 0, 0] [2, 2, 2, 2, 2, 64] to %t barrier %b
        : memref<2x2x2x2x2x64xf32, #warpgroup.space<gmem>>, memref<2x2x2x2x2x64xf32, #warpgroup.space<smem>>, memref<!warpgroup.barrier<1>, #warpgroup.space<smem>>
  }
}

// -----

grid.kernel @rows grid() inputs(%x: f32 [64, 66] space #warpgroup.space<gmem>) {
  grid.scoped (%t: memref<64x64xf32, #warpgroup.space<smem>>, %b: memref<!warpgroup.barrier<1>, #warpgroup.space<smem>>) {
    // expected-error @below {{expected a copy of an array with rows of a multiple of 16 bytes}}
    warpgroup.tma_load %x[0, 0] [64, 64] to %t barrier %b
        : memref<64x66xf32, #warpgroup.space<gmem>>, memref<64x64xf32, #warpgroup.space<smem>>, memref<!warpgroup.barrier<1>, #warpgroup.space<smem>>
  }
}

// -----

grid.kernel @row_of_tile grid() inputs(%x: f32 [64, 64] space #warpgroup.space<gmem>) {
  grid.scoped (%t: memref<64x2xf32, #warpgroup.space<smem>>, %b: memref<!warpgroup.barrier<1>, #warpgroup.space<smem>>) {
    // expected-error @below {{expected a copy with rows of a multiple of 16 bytes}}
    warpgroup.tma_load %x[0, 0] [64, 2] to %t barrier %b
        : memref<64x64xf32, #warpgroup.space<gmem>>, memref<64x2xf32, #warpgroup.space<smem>>, memref<!warpgroup.barrier<1>, #warpgroup.space<smem>>
  }
}

// -----

grid.kernel @panels grid() inputs(%x: f32 [64, 64] space #warpgroup.space<gmem>) {
  grid.scoped (%t: memref<64x64xf32, #warpgroup.space<smem>>, %b: memref<!warpgroup.barrier<1>, #warpgroup.space<smem>>)
      attributes {transforms = [[#grid.transform<unswizzle [128]>, #grid.transform<untiling [8, 32]>], []]} {
    %w = grid.slice_ref %t[0, 0] [64, 16] [1, 1] : memref<64x64xf32, #warpgroup.space<smem>> -> memref<64x16xf32, #warpgroup.space<smem>>
    // expected-error @below {{expected a copy of whole panels of 32 columns in shared memory}}
    warpgroup.tma_load %x[0, 0] [64, 16] to %w barrier %b
        : memref<64x64xf32, #warpgroup.space<gmem>>, memref<64x16xf32, #warpgroup.space<smem>>, memref<!warpgroup.barrier<1>, #warpgroup.space<smem>>
  }
}

// -----

grid.kernel @leader grid(%i = 2 named "x" cluster) inputs(%x: f32 [64, 64] space #warpgroup.space<gmem>) {
  grid.scoped (%t: memref<64x64xf32, #warpgroup.space<smem>>, %b: memref<!warpgroup.barrier<1>, #warpgroup.space<smem>>) {
    // expected-error @below {{expected a chip whose copies can arrive at barriers of other blocks, got sm_90a}}
    warpgroup.tma_load %x[0, 0] [64, 64] to %t barrier %b collective ["x"] leader_tracked
        : memref<64x64xf32, #warpgroup.space<gmem>>, memref<64x64xf32, #warpgroup.space<smem>>, memref<!warpgroup.barrier<1>, #warpgroup.space<smem>>
  }
}

// -----

grid.kernel @reduction grid() outputs(%x: f32 [64, 64] space #warpgroup.space<gmem>) {
  grid.scoped (%t: memref<64x64xf32, #warpgroup.space<smem>>) {
    // expected-error @below {{expected a reduction that TMA supports, got maxf of 'f32'}}
    warpgroup.tma_store %t to %x[0, 0] [64, 64] reduce maxf
        : memref<64x64xf32, #warpgroup.space<smem>>, memref<64x64xf32, #warpgroup.space<gmem>>
  }
}

// -----

grid.kernel @diagonal grid() {
  %v = arith.constant dense<1.0> : tensor<64xf32, #warpgroup.layout<strided(1)>>
  %e = tensor.empty() : tensor<64x64xf32, #warpgroup.layout<strided(1)>>
  // expected-error @below {{expected results that are indexed by permuted loops on a GPU, got linalg.generic}}
  %w = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i, 0)>], iterator_types = ["parallel"]}
      ins(%v : tensor<64xf32, #warpgroup.layout<strided(1)>>) outs(%e : tensor<64x64xf32, #warpgroup.layout<strided(1)>>) {
  ^bb0(%a: f32, %b: f32):
    linalg.yield %a : f32
  } -> tensor<64x64xf32, #warpgroup.layout<strided(1)>>
}

// -----

#spread = affine_map<(i, j) -> (2 * i)>
#all = affine_map<(i, j) -> (i, j)>
grid.kernel @spread_results grid() {
  %v = arith.constant dense<1.0> : tensor<64x64xf32, #warpgroup.layout<strided(1)>>
  %z = arith.constant dense<0.0> : tensor<127xf32, #warpgroup.layout<strided(1)>>
  // expected-error @below {{expected results that are indexed by the same loops on a GPU, got linalg.generic}}
  %w = linalg.generic {indexing_maps = [#all, #spread], iterator_types = ["parallel", "reduction"]}
      ins(%v : tensor<64x64xf32, #warpgroup.layout<strided(1)>>) outs(%z : tensor<127xf32, #warpgroup.layout<strided(1)>>) {
  ^bb0(%a: f32, %c: f32):
    %s = arith.addf %a, %c : f32
    linalg.yield %s : f32
  } -> tensor<127xf32, #warpgroup.layout<strided(1)>>
}

// -----

grid.kernel @somewhere grid(%i = 4) {
  %i = grid.program_id 0
  %n = arith.index_cast %i : i32 to index
  %v = arith.constant dense<1.0> : tensor<64x128xf32, #warpgroup.layout<strided(1)>>
  // expected-error @below {{expected a window of full rank at static offsets; run warpgroup-infer-layouts first}}
  %w = tensor.extract_slice %v[%n, 0] [16, 128] [1, 1] : tensor<64x128xf32, #warpgroup.layout<strided(1)>> to tensor<16x128xf32, #warpgroup.layout<strided(1)>>
}

// -----

#same = affine_map<(i) -> (i)>
grid.kernel @whole_in_body grid() {
  %v = arith.constant dense<1.0> : tensor<64xf32, #warpgroup.layout<strided(1)>>
  // expected-error @below {{expected a body that reads single elements of arrays on a GPU, got linalg.generic}}
  %w = linalg.generic {indexing_maps = [#same], iterator_types = ["parallel"]} outs(%v : tensor<64xf32, #warpgroup.layout<strided(1)>>) {
  ^bb0(%a: f32):
    %i = linalg.index 0 : index
    %n = math.exp2 %v : tensor<64xf32, #warpgroup.layout<strided(1)>>
    %e = tensor.extract %n[%i] : tensor<64xf32, #warpgroup.layout<strided(1)>>
    linalg.yield %e : f32
  } -> tensor<64xf32, #warpgroup.layout<strided(1)>>
}

// -----

// The index of register 1 and lane 1 is not the sum of the indices of both.
#crossed = #warpgroup.layout<[256], registers = [[3]], lanes = [[1], [4], [8], [16], [32]], warps = [[64], [128]]>
grid.kernel @crossed grid() {
  // expected-error @below {{expected a layout whose basis vectors add up as integers, got 'tensor<256xf32, #warpgroup.layout<[256], registers = }}
  %v = arith.constant dense<1.0> : tensor<256xf32, #crossed>
}

// -----

// Each thread would have all elements.
grid.kernel @uneven grid() {
  %v = arith.constant dense<1.0> : tensor<65535xf32, #warpgroup.layout<strided(1)>>
  %z = arith.constant dense<0.0> : tensor<f32, #warpgroup.layout<splat>>
  // expected-error @below {{expected a reduction of an array that threads divide evenly on a GPU, got linalg.reduce of 'tensor<65535xf32, #warpgroup.layout<strided(1)>>'}}
  %w = linalg.reduce { arith.addf } ins(%v : tensor<65535xf32, #warpgroup.layout<strided(1)>>) outs(%z : tensor<f32, #warpgroup.layout<splat>>) dimensions = [0]
}

// -----

// The transposed array has its elements in other threads than the result.
grid.kernel @layouts grid() inputs(%x: f32 [64, 64] space #warpgroup.space<gmem>) {
  %v = grid.load %x : memref<64x64xf32, #warpgroup.space<gmem>> -> tensor<64x64xf32, #warpgroup.layout<strided(1)>>
  %e = tensor.empty() : tensor<64x64xf32, #warpgroup.layout<strided(1)>>
  // expected-error @below {{expected arrays whose elements are in the threads that need them, got other layouts for linalg.transpose; run warpgroup-infer-layouts first}}
  %t = linalg.transpose ins(%v : tensor<64x64xf32, #warpgroup.layout<strided(1)>>) outs(%e : tensor<64x64xf32, #warpgroup.layout<strided(1)>>) permutation = [1, 0]
}

// -----

grid.kernel @narrow_update grid() inputs(%x: i4 [128] space #warpgroup.space<gmem>) {
  %v = grid.load %x : memref<128xi4, #warpgroup.space<gmem>> -> tensor<128xi4, #warpgroup.layout<strided(1)>>
  // expected-error @below {{expected an update of 8-bit to 64-bit integers or 16-bit or 32-bit floats, or an f64 addition, got 'i4'}}
  %w = grid.atomic_rmw add %v, %x : tensor<128xi4, #warpgroup.layout<strided(1)>>, memref<128xi4, #warpgroup.space<gmem>>
}

// -----

grid.kernel @update_of_registers grid() {
  grid.scoped (%t: memref<128xi32, #warpgroup.space<regs>>) {
    %v = arith.constant dense<1> : tensor<128xi32, #warpgroup.layout<strided(1)>>
    // expected-error @below {{expected an update of memory, got one of registers}}
    %w = grid.atomic_rmw add %v, %t : tensor<128xi32, #warpgroup.layout<strided(1)>>, memref<128xi32, #warpgroup.space<regs>>
  }
}

// -----

grid.kernel @gather_of_registers grid() {
  grid.scoped (%t: memref<128xi32, #warpgroup.space<regs>>) {
    %v = arith.constant dense<1> : tensor<128xi32, #warpgroup.layout<strided(1)>>
    // expected-error @below {{expected a gather from memory, got one from registers}}
    %w = grid.gather %t[%v] dims [0] : memref<128xi32, #warpgroup.space<regs>>, tensor<128xi32, #warpgroup.layout<strided(1)>> -> tensor<128xi32, #warpgroup.layout<strided(1)>>
  }
}

// -----

grid.kernel @array_of_warp grid() inputs(%x: i32 [128] space #warpgroup.space<gmem>) {
  warpgroup.warps {
  ^bb0(%warp: i32):
    // expected-error @below {{expected scalars in single-warp code, got 'tensor<128xi32, #warpgroup.layout<strided(1)>>'}}
    %v = grid.load %x : memref<128xi32, #warpgroup.space<gmem>> -> tensor<128xi32, #warpgroup.layout<strided(1)>>
  }
}

// -----

grid.kernel @memory_of_warp grid() {
  warpgroup.warps {
  ^bb0(%warp: i32):
    // expected-error @below {{expected no shared memory in single-warp code}}
    grid.scoped (%t: memref<128xi32, #warpgroup.space<smem>>) {
    }
  }
}

// -----

grid.kernel @peer_of_global_memory grid(%i = 2 named "x" cluster) inputs(%x: i32 [128] space #warpgroup.space<gmem>) {
  %c0 = arith.constant 0 : i32
  // expected-error @below {{expected a Ref in shared memory, got 'memref<128xi32, #warpgroup.space<gmem>>'}}
  %v = warpgroup.cluster_load %x ["x"][%c0] : memref<128xi32, #warpgroup.space<gmem>>, i32 -> tensor<128xi32, #warpgroup.layout<strided(1)>>
}

// -----

grid.kernel @peer_update_without_barrier grid(%i = 2 named "x" cluster) {
  grid.scoped (%t: memref<128xi32, #warpgroup.space<smem>>) {
    %c0 = arith.constant 0 : i32
    %v = arith.constant dense<1> : tensor<128xi32, #warpgroup.layout<strided(1)>>
    // expected-error @below {{expected a barrier for the completion of the update}}
    warpgroup.cluster_store %v to %t ["x"][%c0] reduce add : tensor<128xi32, #warpgroup.layout<strided(1)>>, memref<128xi32, #warpgroup.space<smem>>, i32
  }
}

// -----

grid.kernel @peer_update_of_floats grid(%i = 2 named "x" cluster) {
  grid.scoped (%t: memref<128xf32, #warpgroup.space<smem>>, %b: memref<!warpgroup.barrier<1>, #warpgroup.space<smem>>) {
    %c0 = arith.constant 0 : i32
    %v = arith.constant dense<1.0> : tensor<128xf32, #warpgroup.layout<strided(1)>>
    // expected-error @below {{expected a 32-bit integer update, or a 64-bit addition, in another block, got add of 'f32'}}
    warpgroup.cluster_store %v to %t ["x"][%c0] reduce add barrier %b
        : tensor<128xf32, #warpgroup.layout<strided(1)>>, memref<128xf32, #warpgroup.space<smem>>, i32 barrier memref<!warpgroup.barrier<1>, #warpgroup.space<smem>>
  }
}

// -----

grid.kernel @peer_bytes grid(%i = 2 named "x" cluster) {
  grid.scoped (%t: memref<128xi8, #warpgroup.space<smem>>, %b: memref<!warpgroup.barrier<1>, #warpgroup.space<smem>>) {
    %c0 = arith.constant 0 : i32
    %v = arith.constant dense<1> : tensor<128xi8, #warpgroup.layout<strided(1)>>
    // expected-error @below {{expected threads that hold 32 or more contiguous bits, got 'tensor<128xi8, #warpgroup.layout<strided(1)>>'}}
    warpgroup.cluster_store %v to %t ["x"][%c0] barrier %b
        : tensor<128xi8, #warpgroup.layout<strided(1)>>, memref<128xi8, #warpgroup.space<smem>>, i32 barrier memref<!warpgroup.barrier<1>, #warpgroup.space<smem>>
  }
}

// -----

// expected-error @below {{expected at most 8 warpgroups of a block, got 9}}
grid.kernel @warpgroups grid(%w = 9 named "wg" thread) {
}

// -----

// expected-error @below {{expected at most 16 blocks of a cluster, got 18}}
grid.kernel @blocks_of_cluster grid(%x = 2 named "x" cluster, %y = 9 named "y" cluster) {
}

// -----

grid.kernel @semaphores_of_turns grid() {
  %c0 = arith.constant 0 : index
  %c4 = arith.constant 4 : index
  %c1 = arith.constant 1 : index
  scf.for %i = %c0 to %c4 step %c1 {
    // expected-error @below {{expected semaphores outside of loops, since they are zeroed once, got s}}
    grid.scoped (%s: memref<!grid.semaphore<regular>, #warpgroup.space<gmem>> origin "s") {
    }
  }
}

// -----

grid.kernel @other_device grid() scratch(%s: memref<!grid.semaphore<regular>, #warpgroup.space<gmem>>) {
  %c1 = arith.constant 1 : i32
  // expected-error @below {{expected a signal to this device}}
  grid.semaphore_signal %s, %c1 device(%c1 : i32) {device_id_type = #grid.device_id_type<logical>} : memref<!grid.semaphore<regular>, #warpgroup.space<gmem>>
}

// -----

grid.kernel @large grid() inputs(%x: f32 [1024, 1024, 1024] space #warpgroup.space<gmem>) {
  %w = grid.slice_ref %x[1023, 0, 0] [1, 1, 128] [1, 1, 1] drop [0, 1] : memref<1024x1024x1024xf32, #warpgroup.space<gmem>> -> memref<128xf32, #warpgroup.space<gmem>>
  // expected-error @below {{expected an array of less than 2 GiB, except in copies, got one of 4294967296 bytes}}
  %v = grid.load %w : memref<128xf32, #warpgroup.space<gmem>> -> tensor<128xf32, #warpgroup.layout<strided(1)>>
}

// -----

grid.kernel @axis_of_barrier grid(%i = 2 named "x") {
  // expected-error @below {{expected an axis of the cluster, got x}}
  grid.scoped (%b: memref<!warpgroup.barrier<1, cluster = ["x"]>, #warpgroup.space<smem>>) {
  }
}

// -----

grid.kernel @axis_of_copy grid(%i = 2 named "x" cluster) inputs(%x: f32 [64, 64] space #warpgroup.space<gmem>) {
  grid.scoped (%t: memref<64x64xf32, #warpgroup.space<smem>>, %b: memref<!warpgroup.barrier<1>, #warpgroup.space<smem>>) {
    // expected-error @below {{expected an axis of the cluster, got y}}
    warpgroup.tma_load %x[0, 0] [64, 64] to %t barrier %b collective ["y"]
        : memref<64x64xf32, #warpgroup.space<gmem>>, memref<64x64xf32, #warpgroup.space<smem>>, memref<!warpgroup.barrier<1>, #warpgroup.space<smem>>
  }
}

// -----

grid.kernel @axis_of_peer grid(%i = 2 named "x" cluster) {
  grid.scoped (%t: memref<128xi32, #warpgroup.space<smem>>) {
    %c0 = arith.constant 0 : i32
    // expected-error @below {{expected an axis of the cluster, got y}}
    %v = warpgroup.cluster_load %t ["y"][%c0] : memref<128xi32, #warpgroup.space<smem>>, i32 -> tensor<128xi32, #warpgroup.layout<strided(1)>>
  }
}

// -----

grid.kernel @gathered_columns grid() inputs(%x: f32 [64, 64] space #warpgroup.space<gmem>, %i: i32 [16] space #warpgroup.space<gmem>) {
  grid.scoped (%t: memref<16x16xf32, #warpgroup.space<smem>>, %b: memref<!warpgroup.barrier<1>, #warpgroup.space<smem>>) {
    %rows = grid.load %i : memref<16xi32, #warpgroup.space<gmem>> -> tensor<16xi32, #warpgroup.layout<strided(1)>>
    %w = grid.slice_ref %x[0, 0] [64, 16] [1, 1] : memref<64x64xf32, #warpgroup.space<gmem>> -> memref<64x16xf32, #warpgroup.space<gmem>>
    // expected-error @below {{expected a copy of rows aligned to multiples of 128 bytes of shared memory}}
    warpgroup.tma_gather %w[%rows] to %t barrier %b
        : memref<64x16xf32, #warpgroup.space<gmem>>, tensor<16xi32, #warpgroup.layout<strided(1)>>, memref<16x16xf32, #warpgroup.space<smem>>, memref<!warpgroup.barrier<1>, #warpgroup.space<smem>>
  }
}

// -----

grid.kernel @gathered_bytes grid() inputs(%x: i8 [64, 24] space #warpgroup.space<gmem>, %i: i32 [16] space #warpgroup.space<gmem>) {
  grid.scoped (%t: memref<16x24xi8, #warpgroup.space<smem>>, %b: memref<!warpgroup.barrier<1>, #warpgroup.space<smem>>) {
    %rows = grid.load %i : memref<16xi32, #warpgroup.space<gmem>> -> tensor<16xi32, #warpgroup.layout<strided(1)>>
    // expected-error @below {{expected a copy of rows of a multiple of 16 bytes}}
    warpgroup.tma_gather %x[%rows] to %t barrier %b
        : memref<64x24xi8, #warpgroup.space<gmem>>, tensor<16xi32, #warpgroup.layout<strided(1)>>, memref<16x24xi8, #warpgroup.space<smem>>, memref<!warpgroup.barrier<1>, #warpgroup.space<smem>>
  }
}

// -----

grid.kernel @gathered_from_tile grid() inputs(%i: i32 [16] space #warpgroup.space<gmem>) {
  grid.scoped (%x: memref<64x64xf32, #warpgroup.space<smem>>, %t: memref<16x64xf32, #warpgroup.space<smem>>, %b: memref<!warpgroup.barrier<1>, #warpgroup.space<smem>>) {
    %rows = grid.load %i : memref<16xi32, #warpgroup.space<gmem>> -> tensor<16xi32, #warpgroup.layout<strided(1)>>
    // expected-error @below {{expected a copy of rows between an operand and shared memory}}
    warpgroup.tma_gather %x[%rows] to %t barrier %b
        : memref<64x64xf32, #warpgroup.space<smem>>, tensor<16xi32, #warpgroup.layout<strided(1)>>, memref<16x64xf32, #warpgroup.space<smem>>, memref<!warpgroup.barrier<1>, #warpgroup.space<smem>>
  }
}

// -----

grid.kernel @scattered_bytes grid() inputs(%i: i32 [16] space #warpgroup.space<gmem>) outputs(%x: i8 [64, 24] space #warpgroup.space<gmem>) {
  grid.scoped (%t: memref<16x24xi8, #warpgroup.space<smem>>) {
    %rows = grid.load %i : memref<16xi32, #warpgroup.space<gmem>> -> tensor<16xi32, #warpgroup.layout<strided(1)>>
    // expected-error @below {{expected a copy of rows of a multiple of 16 bytes, got one of 'memref<16x24xi8}}
    warpgroup.tma_scatter %t to %x[%rows]
        : memref<16x24xi8, #warpgroup.space<smem>>, memref<64x24xi8, #warpgroup.space<gmem>>, tensor<16xi32, #warpgroup.layout<strided(1)>>
  }
}

// -----

grid.kernel @gathered_elements grid() inputs(%x: f32 [64] space #warpgroup.space<gmem>, %i: i32 [16] space #warpgroup.space<gmem>) {
  grid.scoped (%t: memref<16xf32, #warpgroup.space<smem>>, %b: memref<!warpgroup.barrier<1>, #warpgroup.space<smem>>) {
    %rows = grid.load %i : memref<16xi32, #warpgroup.space<gmem>> -> tensor<16xi32, #warpgroup.layout<strided(1)>>
    // expected-error @below {{expected a copy of rows of a matrix}}
    warpgroup.tma_gather %x[%rows] to %t barrier %b
        : memref<64xf32, #warpgroup.space<gmem>>, tensor<16xi32, #warpgroup.layout<strided(1)>>, memref<16xf32, #warpgroup.space<smem>>, memref<!warpgroup.barrier<1>, #warpgroup.space<smem>>
  }
}

// -----

grid.kernel @gathered_panel grid() inputs(%x: f32 [64, 64] space #warpgroup.space<gmem>, %i: i32 [16] space #warpgroup.space<gmem>) {
  grid.scoped (%t: memref<16x128xf32, #warpgroup.space<smem>>, %b: memref<!warpgroup.barrier<1>, #warpgroup.space<smem>>) {
    %rows = grid.load %i : memref<16xi32, #warpgroup.space<gmem>> -> tensor<16xi32, #warpgroup.layout<strided(1)>>
    %w = grid.slice_ref %t[0, 0] [16, 64] [1, 1] : memref<16x128xf32, #warpgroup.space<smem>> -> memref<16x64xf32, #warpgroup.space<smem>>
    // expected-error @below {{expected a copy of rows in whole panels of 128 columns of shared memory}}
    warpgroup.tma_gather %x[%rows] to %w barrier %b
        : memref<64x64xf32, #warpgroup.space<gmem>>, tensor<16xi32, #warpgroup.layout<strided(1)>>, memref<16x64xf32, #warpgroup.space<smem>>, memref<!warpgroup.barrier<1>, #warpgroup.space<smem>>
  }
}

// -----

grid.kernel @large_private_ref grid() {
  // expected-error @below {{expected 1 to 524288 elements of an array in registers, got 'memref<4294967295x64xf32, #warpgroup.space<regs>>'}}
  grid.scoped (%a: memref<4294967295x64xf32, #warpgroup.space<regs>>) {
  }
}

// -----

grid.kernel @empty_private_ref grid() {
  // expected-error @below {{expected 1 to 524288 elements of an array in registers, got 'memref<64x0xf32, #warpgroup.space<regs>>'}}
  grid.scoped (%a: memref<64x0xf32, #warpgroup.space<regs>>) {
  }
}

// -----

grid.kernel @in_memory grid() inputs(%x: i8 [8, 128]) outputs(%o: i8 [8, 128]) {
  // expected-error @below {{expected tensors on a GPU, got linalg.map}}
  linalg.map ins(%x : memref<8x128xi8, #grid.space<default>>) outs(%o : memref<8x128xi8, #grid.space<default>>)
    (%a: i8, %b: i8) {
      linalg.yield %a : i8
    }
}

// -----

grid.kernel @large_array grid() {
  // expected-error @below {{expected 1 to 524288 elements of an array in registers, got 'tensor<524289xf32, #warpgroup.layout<strided(1)>>'}}
  %a = arith.constant dense<0.0> : tensor<524289xf32, #warpgroup.layout<strided(1)>>
}

// -----

grid.kernel @escapes grid() {
  // expected-error @below {{expected a type that a warpgroup supports, got 'memref<8xi1>'}}
  %r = grid.scoped (%s: memref<8xi1>) -> memref<8xi1> {
    grid.yield %s : memref<8xi1>
  }
  %v = grid.load %r : memref<8xi1> -> tensor<8xi1>
}

// -----

grid.kernel @carried_ref grid() inputs(%x: f32 [8], %y: f32 [8]) {
  %c1 = arith.constant 1 : index
  // expected-error @below {{expected a type that a warpgroup supports, got 'memref<8xf32, #grid.space<default>>'}}
  %r = scf.for %k = %c1 to %c1 step %c1 iter_args(%z = %x) -> memref<8xf32, #grid.space<default>> {
    scf.yield %y : memref<8xf32, #grid.space<default>>
  }
}

// -----

grid.kernel @part_of_byte grid() inputs(%x: i4 [128] space #warpgroup.space<gmem>) {
  grid.scoped (%t: memref<64xi8, #warpgroup.space<smem>>) {
    %r = grid.bitcast_ref %t : memref<64xi8, #warpgroup.space<smem>> -> memref<128xi4, #warpgroup.space<smem>>
    %w = grid.slice_ref %r[1] [32] [1] : memref<128xi4, #warpgroup.space<smem>> -> memref<32xi4, #warpgroup.space<smem>>
    // expected-error @below {{expected a copy of rows of whole bytes, aligned to bytes, got one of 'memref<32xi4, #warpgroup.space<smem>>'}}
    warpgroup.tma_store %w to %x[0] [32] : memref<32xi4, #warpgroup.space<smem>>, memref<128xi4, #warpgroup.space<gmem>>
  }
}

// -----

grid.kernel @begin_of_tile grid() inputs(%x: f32 [128] space #warpgroup.space<gmem>) {
  grid.scoped (%t: memref<128xf32, #warpgroup.space<smem>>) {
    %w = grid.slice_ref %t[8] [32] [1] : memref<128xf32, #warpgroup.space<smem>> -> memref<32xf32, #warpgroup.space<smem>>
    // expected-error @below {{expected a copy that begins at a multiple of 128 bytes of a Ref in shared memory, not at byte 32, got one of 'memref<32xf32, #warpgroup.space<smem>>'}}
    warpgroup.tma_store %w to %x[0] [32] : memref<32xf32, #warpgroup.space<smem>>, memref<128xf32, #warpgroup.space<gmem>>
  }
}

// -----

grid.kernel @store_of_part grid() {
  grid.scoped (%t: memref<64xi8, #warpgroup.space<smem>>) {
    %r = grid.bitcast_ref %t : memref<64xi8, #warpgroup.space<smem>> -> memref<128xi4, #warpgroup.space<smem>>
    %v = arith.constant dense<1> : tensor<128xi4, #warpgroup.layout<strided(1)>>
    // expected-error @below {{expected a load, a copy or an MMA of elements that share bytes, got grid.store of 'memref<128xi4, #warpgroup.space<smem>>'}}
    grid.store %v, %r : tensor<128xi4, #warpgroup.layout<strided(1)>>, memref<128xi4, #warpgroup.space<smem>>
  }
}

// -----

grid.kernel @unasked grid(%i = 2 named "x") {
  // expected-error @below {{expected a kernel with a profile_space}}
  warpgroup.profile "load"
}

// -----

// expected-error @below {{expected at most 1073741824 bytes of profiles of all blocks, got a profile_space of 1048576 for 128 blocks of 4 traces}}
grid.kernel @profile grid(%i = 128 named "x")
    params [#grid.mosaic_gpu_params<profile_space = 1048576, profile_dir = "traces", profile_trace_scope = "warp">] {
}

// -----

// expected-error @below {{expected at most 1073741824 bytes of profiles of all blocks, got a profile_space of 9223372036854775807 for 1 blocks of 1 traces}}
grid.kernel @largest grid() params [#grid.mosaic_gpu_params<profile_space = 9223372036854775807, profile_dir = "traces">] {
}
