// RUN: gridir-opt %s --convert-grid-to-tpu --split-input-file --verify-diagnostics

// What Mosaic has no form for, and what to write instead: one thing in each chunk.

grid.kernel @masked_number grid() inputs(%x: f32 [8] space tpu.smem) outputs(%o: f32 [8, 128]) {
  %0 = arith.constant 1.0 : f32
  %no = arith.constant false
  %t = grid.slice_ref %x[1] [1] [1] drop [0] : memref<8xf32, #grid.space<tpu.smem>> -> memref<f32, #grid.space<tpu.smem>>
  // expected-error @below {{expected no mask for a number in SMEM}}
  grid.store %0, %t mask %no : f32, memref<f32, #grid.space<tpu.smem>>, i1
}

// -----

grid.kernel @masked_stride grid() inputs(%x: f32 [16, 128]) outputs(%o: f32 [8, 128]) {
  %0 = grid.load %x : memref<16x128xf32, #grid.space<default>> -> tensor<16x128xf32>
  %m = arith.constant dense<true> : tensor<8x128xi1>
  %v = arith.constant dense<1.0> : tensor<8x128xf32>
  %s = grid.slice_ref %x[0, 0] [8, 128] [2, 1] : memref<16x128xf32, #grid.space<default>> -> memref<8x128xf32, #grid.space<default>>
  // expected-error @below {{expected no mask for a store with strides}}
  grid.store %v, %s mask %m : tensor<8x128xf32>, memref<8x128xf32, #grid.space<default>>, tensor<8x128xi1>
}

// -----

grid.kernel @mesh grid() inputs(%x: f32 [8, 128]) outputs(%o: f32 [8, 128])
    scratch(%s: memref<!grid.semaphore<dma>>, %r: memref<!grid.semaphore<regular>>) {
  %n = arith.constant 1 : i32
  // expected-error @below {{expected a device by its logical number on a TPU, got mesh coordinates; use DeviceIdType.LOGICAL}}
  grid.semaphore_signal %r, %n device(%n, %n : i32, i32) {device_id_type = #grid.device_id_type<mesh>} : memref<!grid.semaphore<regular>>
}

// -----

grid.kernel @adding_copy grid() inputs(%x: f32 [8, 128] space any) outputs(%o: f32 [8, 128])
    scratch(%s: memref<!grid.semaphore<dma>>, %r: memref<!grid.semaphore<regular>>) {
  // expected-error @below {{expected a copy without add on a TensorCore}}
  grid.copy_start %x, %o sem %s {add} : memref<8x128xf32, #grid.space<any>>, memref<8x128xf32, #grid.space<default>>, memref<!grid.semaphore<dma>>
}

// -----

grid.kernel @keeping_wait grid() inputs(%x: f32 [8, 128]) outputs(%o: f32 [8, 128])
    scratch(%s: memref<!grid.semaphore<dma>>, %r: memref<!grid.semaphore<regular>>) {
  %n = arith.constant 1 : i32
  // expected-error @below {{expected a wait that takes the number away on a TPU}}
  grid.semaphore_wait %r, %n keep : memref<!grid.semaphore<regular>>
}

// -----

grid.kernel @wait_for_bytes grid() inputs(%x: f32 [8, 128]) outputs(%o: f32 [8, 128])
    scratch(%s: memref<!grid.semaphore<dma>>, %r: memref<!grid.semaphore<regular>>) {
  %n = arith.constant 1 : i32
  // expected-error @below {{expected a regular semaphore, got one of copies; wait for the copy instead}}
  grid.semaphore_wait %s, %n : memref<!grid.semaphore<dma>>
}

// -----

#all = affine_map<(d0, d1) -> (d0, d1)>
#off = affine_map<(d0, d1) -> (d0, d1 floordiv 2)>
grid.kernel @operand grid() inputs(%x: f32 [8, 64]) outputs(%o: f32 [8, 128]) {
  %0 = grid.load %x : memref<8x64xf32, #grid.space<default>> -> tensor<8x64xf32>
  %e = tensor.empty() : tensor<8x128xf32>
  // expected-error @below {{expected operands that are transposed or broadcast, got one at affine_map<(d0, d1) -> (d0, d1 floordiv 2)>}}
  %1 = linalg.generic {indexing_maps = [#off, #all], iterator_types = ["parallel", "parallel"]}
      ins(%0 : tensor<8x64xf32>) outs(%e : tensor<8x128xf32>) {
  ^bb0(%a: f32, %u: f32):
    linalg.yield %a : f32
  } -> tensor<8x128xf32>
}

// -----

#all = affine_map<(d0, d1) -> (d0, d1)>
#rev = affine_map<(d0, d1) -> (d0, 127 - d1)>
grid.kernel @result grid() inputs(%x: f32 [8, 128]) outputs(%o: f32 [8, 128]) {
  %0 = grid.load %x : memref<8x128xf32, #grid.space<default>> -> tensor<8x128xf32>
  %e = tensor.empty() : tensor<8x128xf32>
  // expected-error @below {{expected a result for every point of the loops}}
  %1 = linalg.generic {indexing_maps = [#all, #rev], iterator_types = ["parallel", "parallel"]}
      ins(%0 : tensor<8x128xf32>) outs(%e : tensor<8x128xf32>) {
  ^bb0(%a: f32, %u: f32):
    linalg.yield %a : f32
  } -> tensor<8x128xf32>
}

// -----

#all = affine_map<(d0, d1) -> (d0, d1)>
grid.kernel @loop_in_a_body grid() inputs(%x: f32 [8, 128]) outputs(%o: f32 [8, 128]) {
  %0 = grid.load %x : memref<8x128xf32, #grid.space<default>> -> tensor<8x128xf32>
  %e = tensor.empty() : tensor<8x128xf32>
  %1 = linalg.generic {indexing_maps = [#all], iterator_types = ["parallel", "parallel"]}
      outs(%e : tensor<8x128xf32>) {
  ^bb0(%u: f32):
    %yes = arith.constant true
    // expected-error @below {{'scf.if' in the body of a structured op is not supported on the tpu target}}
    %b = scf.if %yes -> f32 {
      scf.yield %u : f32
    } else {
      scf.yield %u : f32
    }
    linalg.yield %b : f32
  } -> tensor<8x128xf32>
}

// -----

grid.kernel @unsigned grid() inputs(%x: i8 [8, 128]) outputs(%o: f32 [8, 128]) {
  %0 = grid.load %x : memref<8x128xi8, #grid.space<default>> -> tensor<8x128xi8>
  // expected-error @below {{expected signed integers in a product on a TPU}}
  %1 = grid.dot %0, %0 contract [1] x [1] {unsigned_lhs} : tensor<8x128xi8>, tensor<8x128xi8> -> tensor<8x8xi32>
}

// -----

grid.kernel @unsigned_right grid() inputs(%x: i8 [8, 128]) outputs(%o: f32 [8, 128]) {
  %0 = grid.load %x : memref<8x128xi8, #grid.space<default>> -> tensor<8x128xi8>
  // expected-error @below {{expected signed integers in a product on a TPU}}
  %1 = grid.dot %0, %0 contract [1] x [1] {unsigned_rhs} : tensor<8x128xi8>, tensor<8x128xi8> -> tensor<8x8xi32>
}

// -----

grid.kernel @high grid() inputs(%x: f32 [8, 128]) outputs(%o: f32 [8, 128]) {
  %0 = grid.load %x : memref<8x128xf32, #grid.space<default>> -> tensor<8x128xf32>
  // expected-error @below {{expected precision DEFAULT or HIGHEST on a TPU, got HIGH}}
  %1 = grid.dot %0, %0 contract [1] x [1] precision ["default", "high"] : tensor<8x128xf32>, tensor<8x128xf32> -> tensor<8x8xf32>
}

// -----

grid.kernel @algorithm grid() inputs(%x: f32 [8, 128]) outputs(%o: f32 [8, 128]) {
  %0 = grid.load %x : memref<8x128xf32, #grid.space<default>> -> tensor<8x128xf32>
  // expected-error @below {{expected algorithm F32_F32_F32 or BF16_BF16_F32 on a TPU, got TF32_TF32_F32}}
  %1 = grid.dot %0, %0 contract [1] x [1] {algorithm = "TF32_TF32_F32"} : tensor<8x128xf32>, tensor<8x128xf32> -> tensor<8x8xf32>
}

// -----

grid.kernel @contracted_twice grid() inputs(%x: f32 [8, 128]) outputs(%o: f32 [8, 128]) {
  %0 = grid.load %x : memref<8x128xf32, #grid.space<default>> -> tensor<8x128xf32>
  // expected-error @below {{expected one contracting dimension and at most one batch dimension on a TPU, got 2 and 0; reshape the operands}}
  %1 = grid.dot %0, %0 contract [0, 1] x [0, 1] : tensor<8x128xf32>, tensor<8x128xf32> -> tensor<f32>
}

// -----

grid.kernel @two_batches grid() inputs(%x: f32 [2, 3, 8, 128]) outputs(%o: f32 [8, 128]) {
  %0 = grid.load %x : memref<2x3x8x128xf32, #grid.space<default>> -> tensor<2x3x8x128xf32>
  // expected-error @below {{got 1 and 2; reshape the operands}}
  %1 = grid.dot %0, %0 contract [3] x [3] batch [0, 1] x [0, 1] : tensor<2x3x8x128xf32>, tensor<2x3x8x128xf32> -> tensor<2x3x8x8xf32>
}

// -----

grid.kernel @strided_value grid(%p = 2) inputs(%x: f32 [8, 128]) outputs(%o: f32 [8, 128]) {
  %0 = grid.load %x : memref<8x128xf32, #grid.space<default>> -> tensor<8x128xf32>
  %i = grid.program_id 0
  %j = arith.index_cast %i : i32 to index
  // expected-error @below {{expected a slice of a value without strides; slice the Ref instead}}
  %1 = tensor.extract_slice %0[%j, 0] [2, 128] [2, 1] : tensor<8x128xf32> to tensor<2x128xf32>
}

// -----

// expected-error @below {{expected a kernel for a TensorCore, got kernel_type "sc_scalar_subcore"}}
grid.kernel @sparse_core grid() inputs(%x: f32 [8, 128]) outputs(%o: f32 [8, 128])
    params [#grid.tpu_params<kernel_type = "sc_scalar_subcore">] {
}

// -----

// expected-error @below {{expected no transforms of the block of x_ref on a TPU}}
grid.kernel @tiled grid() inputs(%x: f32 [8, 128] transforms [<tiling [8]>] origin "x_ref") outputs(%o: f32 [8, 128]) {
}

// -----

// expected-error @below {{expected blocked, squeezed or element dimensions for x_ref on a TPU, got bounded_slice}}
grid.kernel @bounded grid(%i = 2) inputs(%x: f32 [16, 128] block [slice(8), 128] at (%i, 8, 0) origin "x_ref") outputs(%o: f32 [8, 128]) {
}

// -----

// expected-error @below {{expected no lookahead for x_ref on a TPU; use pltpu.emit_pipeline}}
grid.kernel @lookahead grid(%i = 4) inputs(%x: f32 [32, 128] block [8, 128] at (%i, 0) pipeline <2, lookahead> origin "x_ref") outputs(%o: f32 [8, 128]) {
}

// -----

// expected-error @below {{expected one buffer for x_ref, whose blocks are revisited in any order, got 2}}
grid.kernel @revisited grid(%i = 4) inputs(%x: f32 [32, 128] block [8, 128] at (%i, 0) pipeline <2, revisit = any> origin "x_ref") outputs(%o: f32 [8, 128]) {
}

// -----

// expected-error @below {{expected a block of static shape for x_ref, got one with symbols}}
grid.kernel @symbols grid() inputs(%x: f32 [?m, 128] origin "x_ref") outputs(%o: f32 [8, 128]) {
}

// -----

// expected-error @below {{expected a memory space of a TPU, got 'memref<8x128xf32, #grid.space<gpu.smem>>'}}
grid.kernel @gpu_memory grid() inputs(%x: f32 [8, 128] space gpu.smem) outputs(%o: f32 [8, 128]) {
}

// -----

grid.kernel @bits_of_bytes grid() inputs(%x: f32 [8, 128]) outputs(%o: f32 [8, 128]) {
  // expected-error @below {{expected random bits as an array of i32 on a TPU, got 'tensor<8x128xi8>'}}
  %0 = grid.prng_bits : tensor<8x128xi8>
}

// -----

grid.kernel @shared_scope grid() inputs(%x: f32 [8, 128]) outputs(%o: f32 [8, 128]) {
  // expected-error @below {{expected a scope of one program, since programs on a TPU do not share one}}
  grid.scoped (%t: memref<8x128xf32>) attributes {collective = ["rows"]} {
  }
}

// -----

#all = affine_map<(d0, d1) -> (d0, d1)>
#row = affine_map<(d0, d1) -> (d0)>
grid.kernel @search grid() inputs(%x: f32 [8, 128]) outputs(%o: f32 [8, 128]) {
  %0 = grid.load %x : memref<8x128xf32, #grid.space<default>> -> tensor<8x128xf32>
  %e = tensor.empty() : tensor<8xf32>
  %p = tensor.empty() : tensor<8xi32>
  // expected-error @below {{expected a reduction with one function of two numbers, argmax or argmin on a TPU, got another function}}
  %1:2 = linalg.generic {indexing_maps = [#all, #row, #row], iterator_types = ["parallel", "reduction"]}
      ins(%0 : tensor<8x128xf32>) outs(%e, %p : tensor<8xf32>, tensor<8xi32>) {
  ^bb0(%a: f32, %b: f32, %n: i32):
    %s = arith.addf %a, %b : f32
    linalg.yield %s, %n : f32, i32
  } -> (tensor<8xf32>, tensor<8xi32>)
}

// -----

grid.kernel @element grid(%p = 2) inputs(%x: f32 [8, 128]) outputs(%o: f32 [8, 128]) {
  %0 = grid.load %x : memref<8x128xf32, #grid.space<default>> -> tensor<8x128xf32>
  %i = grid.program_id 0
  %j = arith.index_cast %i : i32 to index
  // expected-error @below {{expected an element of a value at a constant place; index the Ref instead}}
  %1 = tensor.extract %0[%j, %j] : tensor<8x128xf32>
}

// -----

grid.kernel @elements grid() inputs(%x: f32 [8, 128]) outputs(%o: f32 [8, 128]) {
  %a = arith.constant 1.0 : f32
  // expected-error @below {{expected a value of one element, got 'tensor<2xf32>'; build it with jnp.where and an iota}}
  %0 = tensor.from_elements %a, %a : tensor<2xf32>
}

// -----

grid.kernel @bits_of_a_line grid() inputs(%x: f32 [128]) outputs(%o: f32 [8, 128]) {
  // expected-error @below {{expected a Ref of two dimensions or more for a bitcast on a TPU, got 'memref<128xf32, #grid.space<default>>'}}
  %b = grid.bitcast_ref %x : memref<128xf32, #grid.space<default>> -> memref<128xi32, #grid.space<default>>
}

// -----

grid.kernel @bits_of_bools grid() inputs(%x: i1 [8, 128]) outputs(%o: f32 [8, 128]) {
  // expected-error @below {{expected a Ref of numbers for a bitcast on a TPU, got one of bools}}
  %b = grid.bitcast_ref %x : memref<8x128xi1, #grid.space<default>> -> memref<1x128xi8, #grid.space<default>>
}

// -----

grid.kernel @strided_window grid() inputs(%x: f32 [8, 128] space any) outputs(%o: f32 [8, 128])
    scratch(%s: memref<!grid.semaphore<dma>>, %r: memref<!grid.semaphore<regular>>) {
  %w = grid.slice_ref %x[0, 0] [4, 128] [2, 1] : memref<8x128xf32, #grid.space<any>> -> memref<4x128xf32, #grid.space<any>>
  %t = grid.slice_ref %o[0, 0] [4, 128] [1, 1] : memref<8x128xf32, #grid.space<default>> -> memref<4x128xf32, #grid.space<default>>
  // expected-error @below {{expected a window without strides or transposes, since on a TPU it must be memory as it lies; load the Ref and change the value instead}}
  grid.copy_start %w, %t sem %s : memref<4x128xf32, #grid.space<any>>, memref<4x128xf32, #grid.space<default>>, memref<!grid.semaphore<dma>>
}

// -----

grid.kernel @reshaped_window grid() inputs(%x: f32 [8, 128] space any) outputs(%o: f32 [8, 128])
    scratch(%s: memref<!grid.semaphore<dma>>, %r: memref<!grid.semaphore<regular>>) {
  %w = grid.reshape_ref %x : memref<8x128xf32, #grid.space<any>> -> memref<16x64xf32, #grid.space<any>>
  %t = grid.reshape_ref %o : memref<8x128xf32, #grid.space<default>> -> memref<16x64xf32, #grid.space<default>>
  // expected-error @below {{expected a reshape of a Ref that keeps its last dimension, got}}
  grid.copy_start %w, %t sem %s : memref<16x64xf32, #grid.space<any>>, memref<16x64xf32, #grid.space<default>>, memref<!grid.semaphore<dma>>
}
