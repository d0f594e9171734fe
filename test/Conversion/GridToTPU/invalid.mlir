// RUN: gridir-opt %s --convert-grid-to-tpu --split-input-file --verify-diagnostics
// RUN: not gridir-opt %s --convert-grid-to-tpu --split-input-file 2>/dev/null | FileCheck %s

// Rejected kernels are not converted.
// CHECK:     // -----
// CHECK-NOT: {{grid.kernel|func.func}}

// Ops without a form in Mosaic are rejected at their source line: one in each chunk.

grid.kernel @print grid() inputs(%x: f32 [8, 128]) outputs(%o: f32 [8, 128]) {
  %c0 = arith.constant 0.0 : f32
  // expected-error @below {{expected i32 values inside of a format string on a TPU; place the values at its end}}
  grid.print "{} is x" %c0 : f32
}

// -----

grid.kernel @callback grid() inputs(%x: f32 [8, 128]) outputs(%o: f32 [8, 128]) {
  // expected-error @below {{'grid.callback' is not supported on the tpu target}}
  grid.callback "5f0c93e1"
}

// -----

grid.kernel @prints grid() inputs(%x: f32 [8, 128]) outputs(%o: f32 [8, 128]) {
  %0 = grid.load %x : memref<8x128xf32, #grid.space<default>> -> tensor<8x128xf32>
  // expected-error @below {{expected scalars, or one array at the end of the format string, in a print on a TPU, got {} and {}}}
  grid.print "{} and {}" %0, %0 : tensor<8x128xf32>, tensor<8x128xf32>
}

// -----

// expected-error @below {{expected at most 2 buffers for x_ref on a TPU, got 3; use pltpu.emit_pipeline for more}}
grid.kernel @buffers grid(%i = 4)
    inputs(%x: f32 [32, 128] block [8, 128] at (%i, 0) pipeline <3> origin "x_ref")
    outputs(%o: f32 [32, 128] block [8, 128] at (%i, 0)) {
}

// -----

grid.kernel @copy_first grid()
    inputs(%x: f32 [8, 128] space any)
    outputs(%o: f32 [8, 128]) {
  // expected-error @below {{expected a Ref in VMEM or SMEM, got one in any; copy it to VMEM first, with pltpu.async_copy}}
  %v = grid.load %x : memref<8x128xf32, #grid.space<any>> -> tensor<8x128xf32>
}

// -----

grid.kernel @scalar_memory grid()
    inputs(%x: f32 [8] space #tpu.memory_space<smem>)
    outputs(%o: f32 [8]) {
  // expected-error @below {{expected one element of a Ref in SMEM, got 'tensor<8xf32>'; index every dimension, or place the Ref in VMEM}}
  %v = grid.load %x : memref<8xf32, #tpu.memory_space<smem>> -> tensor<8xf32>
}

// -----

// expected-error @below {{expected x_ref whole in a kernel without a grid, got a smaller block; add a grid of one program}}
grid.kernel @no_grid grid()
    inputs(%x: f32 [16, 128] block [8, 128] at (0, 0) origin "x_ref")
    outputs(%o: f32 [8, 128]) {
}

// -----

// expected-error @below {{expected the whole array for x_ref in any, got a block; place the block in VMEM}}
grid.kernel @window_in_place grid(%i = 2)
    inputs(%x: f32 [16, 128] block [8, 128] at (%i, 0) space any origin "x_ref")
    outputs(%o: f32 [8, 128]) {
}

// -----

grid.kernel @constant grid() inputs(%x: f32 [4]) outputs(%o: f32 [4]) {
  // expected-error @below {{expected a splat constant, since Mosaic supports no other}}
  %c = arith.constant dense<[1.0, 5.0, 2.0, 7.0]> : tensor<4xf32>
  grid.store %c, %o : tensor<4xf32>, memref<4xf32, #grid.space<default>>
}

// -----

grid.kernel @product grid() inputs(%x: i32 [8, 8]) outputs(%o: i32 [8, 8]) {
  %0 = grid.load %x : memref<8x8xi32, #grid.space<default>> -> tensor<8x8xi32>
  // expected-error @below {{expected a matmul that Mosaic supports (bf16, f32 or f8, or i8 or i4 with an i32 result), got 'i32' by 'i32' into 'i32'; convert the operands, or set preferred_element_type}}
  %1 = grid.dot %0, %0 contract [1] x [0] : tensor<8x8xi32>, tensor<8x8xi32> -> tensor<8x8xi32>
}

// -----

grid.kernel @reduction grid() inputs(%x: f32 [8, 128]) outputs(%o: f32 [8]) {
  %0 = grid.load %x : memref<8x128xf32, #grid.space<default>> -> tensor<8x128xf32>
  %one = arith.constant dense<1.0> : tensor<8xf32>
  // expected-error @below {{expected a reduction by one binary function (sum, product, maximum, minimum, and, or, xor) on a TPU, got another function}}
  %1 = linalg.reduce ins(%0 : tensor<8x128xf32>) outs(%one : tensor<8xf32>) dimensions = [1]
    (%a: f32, %b: f32) {
      %m = arith.divf %a, %b : f32
      linalg.yield %m : f32
    }
}

// -----

grid.kernel @wide_reduction grid() inputs(%x: i64 [8, 128]) outputs(%o: i64 [8]) {
  %0 = grid.load %x : memref<8x128xi64, #grid.space<default>> -> tensor<8x128xi64>
  %zero = arith.constant dense<0> : tensor<8xi64>
  // expected-error @below {{expected a reduction of elements of at most 32 bits on a TPU, got 'i64'}}
  %1 = linalg.reduce {arith.maxui} ins(%0 : tensor<8x128xi64>) outs(%zero : tensor<8xi64>) dimensions = [1]
}

// -----

#all = affine_map<(d0, d1) -> (d0, d1)>
grid.kernel @gather grid() inputs(%x: f32 [8, 128], %n: i32 [8, 128]) outputs(%o: f32 [8, 128]) {
  %0 = grid.load %x : memref<8x128xf32, #grid.space<default>> -> tensor<8x128xf32>
  %1 = grid.load %n : memref<8x128xi32, #grid.space<default>> -> tensor<8x128xi32>
  %e = tensor.empty() : tensor<8x128xf32>
  %2 = linalg.generic {indexing_maps = [#all], iterator_types = ["parallel", "parallel"]}
      outs(%e : tensor<8x128xf32>) {
  ^bb0(%unused: f32):
    %i = linalg.index 0 : index
    %j = linalg.index 1 : index
    %number = tensor.extract %1[%i, %j] : tensor<8x128xi32>
    %index = arith.index_cast %number : i32 to index
    // expected-error @below {{expected a gather along one of the last two dimensions, with the indices of jnp.take_along_axis, on a TPU; index the Ref instead}}
    %v = tensor.extract %0[%index, %index] : tensor<8x128xf32>
    linalg.yield %v : f32
  } -> tensor<8x128xf32>
}

// -----

grid.kernel @wide grid() inputs(%x: f64 [8, 128]) outputs(%o: f64 [8, 128]) {
  // expected-error @above {{expected a type that a TPU supports, got 'f64'}}
}

// -----

grid.kernel @empty grid() inputs(%x: f32 [2, 0]) outputs(%o: f32 [2, 0]) {
  // expected-error @below {{expected non-empty values on the tpu target, got 'tensor<2x0xf32>'; Mosaic has no vectors without elements, which jax.lax.associative_scan slices}}
  %0 = grid.load %x : memref<2x0xf32, #grid.space<default>> -> tensor<2x0xf32>
  grid.store %0, %o : tensor<2x0xf32>, memref<2x0xf32, #grid.space<default>>
}

// -----

grid.kernel @number grid() inputs(%x: f32 []) outputs(%o: f32 []) {
  // expected-error @below {{expected a Ref of rank 1 or more in VMEM, got rank 0; place it in SMEM, or add a dimension of size 1}}
  %0 = grid.load %x : memref<f32, #grid.space<default>> -> f32
  grid.store %0, %o : f32, memref<f32, #grid.space<default>>
}

// -----

// expected-error @below {{expected a kernel for a TensorCore, got kernel_type "sc_scalar_subcore"}}
grid.kernel @sparse_core grid() params [#grid.tpu_params<kernel_type = "sc_scalar_subcore">] {
}

// -----

// expected-error @below {{expected a block of static shape for x_ref, got one with symbols}}
grid.kernel @symbols grid() inputs(%x: f32 [?m, 128] origin "x_ref") {
}

// -----

// expected-error @below {{expected no transforms of the block of x_ref on a TPU}}
grid.kernel @transforms grid() inputs(%x: f32 [8, 128] transforms [<tiling [2, 128]>] origin "x_ref") {
}

// -----

// expected-error @below {{expected blocked, squeezed or element dimensions for x_ref on a TPU, got bounded_slice; pltpu.emit_pipeline supports it}}
grid.kernel @slices grid(%i = 4) inputs(%x: f32 [32, 128] block [slice(8), 128] at (%i, 8, 0) origin "x_ref") {
}

// -----

// expected-error @below {{expected no lookahead for x_ref on a TPU; use pltpu.emit_pipeline}}
grid.kernel @lookahead grid(%i = 4) inputs(%x: f32 [32, 128] block [8, 128] at (%i, 0) pipeline <2, lookahead> origin "x_ref") {
}

// -----

// expected-error @below {{expected one number of buffers for x_ref on a TPU, got 2 to read and 2 to write; use pltpu.emit_pipeline}}
grid.kernel @write_buffers grid(%i = 4) inputs(%x: f32 [32, 128] block [8, 128] at (%i, 0) pipeline <2, write_buffers = 2> origin "x_ref") {
}

// -----

// expected-error @below {{expected no prefetched blocks for x_ref on a TPU, got 1; use pltpu.emit_pipeline}}
grid.kernel @prefetched grid(%i = 4) inputs(%x: f32 [32, 128] block [8, 128] at (%i, 0) pipeline <2, prefetched = 1> origin "x_ref") {
}

// -----

// expected-error @below {{expected one buffer for x_ref, whose blocks are revisited in any order, got 2}}
grid.kernel @revisit grid(%i = 4) inputs(%x: f32 [32, 128] block [8, 128] at (%i, 0) pipeline <2, revisit = any> origin "x_ref") {
}

// -----

// expected-error @below {{expected a memory space of a TPU, got 'memref<8x128xf32, #warpgroup.space<smem>>'}}
grid.kernel @space grid() scratch(%s: memref<8x128xf32, #warpgroup.space<smem>>) {
}

// -----

// expected-error @below {{expected a type that a TPU supports, got 'complex<f32>'}}
grid.kernel @complex grid() inputs(%x: complex<f32> [8, 128]) {
}

// -----

grid.kernel @mask_of_number grid() outputs(%o: f32 [8] space #tpu.memory_space<smem>) {
  %c0 = arith.constant 0 : i32
  %v = arith.constant 1.0 : f32
  %m = arith.constant true
  %s = grid.slice_ref %o[%c0] [1] [1] drop [0] : memref<8xf32, #tpu.memory_space<smem>>, i32 -> memref<f32, #tpu.memory_space<smem>>
  // expected-error @below {{expected no mask for an element in SMEM}}
  grid.store %v, %s mask %m : f32, memref<f32, #tpu.memory_space<smem>>, i1
}

// -----

grid.kernel @copy_and_add grid() inputs(%x: f32 [8, 128] space any) outputs(%o: f32 [8, 128])
    scratch(%s: memref<!grid.semaphore<dma>, #tpu.memory_space<semaphore_mem>>) {
  // expected-error @below {{expected a copy without add on a TensorCore}}
  grid.copy_start %x, %o sem %s {add} : memref<8x128xf32, #grid.space<any>>, memref<8x128xf32, #grid.space<default>>, memref<!grid.semaphore<dma>, #tpu.memory_space<semaphore_mem>>
}

// -----

grid.kernel @mesh grid() inputs(%x: f32 [8, 128] space any) outputs(%o: f32 [8, 128])
    scratch(%r: memref<!grid.semaphore<regular>, #tpu.memory_space<semaphore_mem>>) {
  %n = arith.constant 1 : i32
  // expected-error @below {{expected a logical device number on a TPU, got mesh coordinates; use DeviceIdType.LOGICAL}}
  grid.semaphore_signal %r, %n device(%n, %n : i32, i32) {device_id_type = #grid.device_id_type<mesh>} : memref<!grid.semaphore<regular>, #tpu.memory_space<semaphore_mem>>
}

// -----

grid.kernel @keep grid() scratch(%r: memref<!grid.semaphore<regular>, #tpu.memory_space<semaphore_mem>>) {
  %n = arith.constant 1 : i32
  // expected-error @below {{expected a wait that decrements the semaphore on a TPU}}
  grid.semaphore_wait %r, %n keep : memref<!grid.semaphore<regular>, #tpu.memory_space<semaphore_mem>>
}

// -----

grid.kernel @wait_for_copies grid() scratch(%s: memref<!grid.semaphore<dma>, #tpu.memory_space<semaphore_mem>>) {
  %n = arith.constant 1 : i32
  // expected-error @below {{expected a regular semaphore, got one of copies; wait for the copy instead}}
  grid.semaphore_wait %s, %n : memref<!grid.semaphore<dma>, #tpu.memory_space<semaphore_mem>>
}

// -----

#all = affine_map<(d0, d1) -> (d0, d1)>
grid.kernel @region_in_body grid() inputs(%x: f32 [8, 128]) {
  %0 = grid.load %x : memref<8x128xf32, #grid.space<default>> -> tensor<8x128xf32>
  %e = tensor.empty() : tensor<8x128xf32>
  %yes = arith.constant true
  %1 = linalg.generic {indexing_maps = [#all, #all], iterator_types = ["parallel", "parallel"]}
      ins(%0 : tensor<8x128xf32>) outs(%e : tensor<8x128xf32>) {
  ^bb0(%a: f32, %unused: f32):
    // expected-error @below {{'scf.if' in the body of a structured op is not supported on the tpu target}}
    %v = scf.if %yes -> f32 {
      scf.yield %a : f32
    } else {
      scf.yield %a : f32
    }
    linalg.yield %v : f32
  } -> tensor<8x128xf32>
}

// -----

#all = affine_map<(d0, d1) -> (d0, d1)>
grid.kernel @first_row grid() inputs(%x: f32 [8, 128]) {
  %0 = grid.load %x : memref<8x128xf32, #grid.space<default>> -> tensor<8x128xf32>
  %e = tensor.empty() : tensor<8x128xf32>
  // expected-error @below {{expected operands that are transposed or broadcast, got one at affine_map<(d0, d1) -> (0, d1)>}}
  %1 = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (0, d1)>, #all], iterator_types = ["parallel", "parallel"]}
      ins(%0 : tensor<8x128xf32>) outs(%e : tensor<8x128xf32>) {
  ^bb0(%a: f32, %unused: f32):
    linalg.yield %a : f32
  } -> tensor<8x128xf32>
}

// -----

#all = affine_map<(d0, d1) -> (d0, d1)>
grid.kernel @last_row grid() inputs(%x: f32 [8, 128]) {
  %0 = grid.load %x : memref<8x128xf32, #grid.space<default>> -> tensor<8x128xf32>
  %e = tensor.empty() : tensor<128xf32>
  // expected-error @below {{expected a result for every point of the loops}}
  %1 = linalg.generic {indexing_maps = [#all, affine_map<(d0, d1) -> (d1)>], iterator_types = ["parallel", "parallel"]}
      ins(%0 : tensor<8x128xf32>) outs(%e : tensor<128xf32>) {
  ^bb0(%a: f32, %unused: f32):
    linalg.yield %a : f32
  } -> tensor<128xf32>
}

// -----

grid.kernel @unsigned_product grid() inputs(%x: ui8 [8, 8]) {
  %0 = grid.load %x : memref<8x8xi8, #grid.space<default>> -> tensor<8x8xi8>
  // expected-error @below {{expected signed integers in a matmul on a TPU}}
  %1 = grid.dot %0, %0 contract [1] x [0] {unsigned_lhs} : tensor<8x8xi8>, tensor<8x8xi8> -> tensor<8x8xi32>
}

// -----

grid.kernel @precision grid() inputs(%x: f32 [8, 8]) {
  %0 = grid.load %x : memref<8x8xf32, #grid.space<default>> -> tensor<8x8xf32>
  // expected-error @below {{expected precision DEFAULT or HIGHEST on a TPU, got HIGH}}
  %1 = grid.dot %0, %0 contract [1] x [0] precision ["default", "high"] : tensor<8x8xf32>, tensor<8x8xf32> -> tensor<8x8xf32>
}

// -----

grid.kernel @algorithm grid() inputs(%x: f32 [8, 8]) {
  %0 = grid.load %x : memref<8x8xf32, #grid.space<default>> -> tensor<8x8xf32>
  // expected-error @below {{expected algorithm F32_F32_F32 or BF16_BF16_F32 on a TPU, got TF32_TF32_F32}}
  %1 = grid.dot %0, %0 contract [1] x [0] {algorithm = "TF32_TF32_F32"} : tensor<8x8xf32>, tensor<8x8xf32> -> tensor<8x8xf32>
}

// -----

grid.kernel @elements grid() {
  %c = arith.constant 1.0 : f32
  // expected-error @below {{expected a value of one element, got 'tensor<2xf32>'; build it with jnp.where and an iota}}
  %0 = tensor.from_elements %c, %c : tensor<2xf32>
}

// -----

#row = affine_map<(d0, d1) -> (d0)>
grid.kernel @search grid() inputs(%x: f32 [8, 128]) {
  %0 = grid.load %x : memref<8x128xf32, #grid.space<default>> -> tensor<8x128xf32>
  %e = arith.constant dense<0.0> : tensor<8xf32>
  // expected-error @below {{expected a reduction by one binary function, argmax or argmin on a TPU, got another function}}
  %1 = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, #row], iterator_types = ["parallel", "reduction"]}
      ins(%0 : tensor<8x128xf32>) outs(%e : tensor<8xf32>) {
  ^bb0(%a: f32, %sum: f32):
    %s = arith.mulf %a, %a : f32
    %t = arith.addf %s, %sum : f32
    linalg.yield %t : f32
  } -> tensor<8xf32>
}

// -----

grid.kernel @bits_of_line grid() inputs(%x: f32 [128]) {
  // expected-error @below {{expected a Ref of two dimensions or more for a bitcast on a TPU, got 'memref<128xf32, #grid.space<default>>'}}
  %0 = grid.bitcast_ref %x : memref<128xf32, #grid.space<default>> -> memref<128xi32, #grid.space<default>>
}

// -----

grid.kernel @bits_of_transposed grid() inputs(%x: f32 [8, 128]) {
  %t = grid.transpose_ref %x [1, 0] : memref<8x128xf32, #grid.space<default>> -> memref<128x8xf32, #grid.space<default>>
  // expected-error @below {{expected a window without strides or transposes on a TPU; load the Ref and transform the value instead}}
  %0 = grid.bitcast_ref %t : memref<128x8xf32, #grid.space<default>> -> memref<128x8xi32, #grid.space<default>>
}

// -----

grid.kernel @copy_of_strides grid() inputs(%x: f32 [16, 128] space any) outputs(%o: f32 [8, 128])
    scratch(%s: memref<!grid.semaphore<dma>, #tpu.memory_space<semaphore_mem>>) {
  %w = grid.slice_ref %x[0, 0] [8, 128] [2, 1] : memref<16x128xf32, #grid.space<any>> -> memref<8x128xf32, #grid.space<any>>
  // expected-error @below {{expected a window without strides or transposes on a TPU; load the Ref and transform the value instead}}
  grid.copy_start %w, %o sem %s : memref<8x128xf32, #grid.space<any>>, memref<8x128xf32, #grid.space<default>>, memref<!grid.semaphore<dma>, #tpu.memory_space<semaphore_mem>>
}

// -----

grid.kernel @bits_of_bools grid() inputs(%x: i1 [8, 128]) {
  // expected-error @below {{expected a Ref of numbers for a bitcast on a TPU, got one of bools}}
  %0 = grid.bitcast_ref %x : memref<8x128xi1, #grid.space<default>> -> memref<1x128xi8, #grid.space<default>>
}

// -----

grid.kernel @reshaped_copy grid() inputs(%x: f32 [8, 128] space any) outputs(%o: f32 [1024])
    scratch(%s: memref<!grid.semaphore<dma>, #tpu.memory_space<semaphore_mem>>) {
  %w = grid.reshape_ref %x : memref<8x128xf32, #grid.space<any>> -> memref<1024xf32, #grid.space<any>>
  // expected-error @below {{expected a reshape of a Ref that keeps its last dimension, got 'memref<8x128xf32, #tpu.memory_space<any>>' to 'memref<1024xf32, #tpu.memory_space<any>>'; load the Ref and reshape the value instead}}
  grid.copy_start %w, %o sem %s : memref<1024xf32, #grid.space<any>>, memref<1024xf32, #grid.space<default>>, memref<!grid.semaphore<dma>, #tpu.memory_space<semaphore_mem>>
}

// -----

grid.kernel @bits grid() {
  // expected-error @below {{expected random bits as an array of i32 on a TPU, got 'tensor<8x128xi16>'}}
  %0 = grid.prng_bits : tensor<8x128xi16>
}

// -----

grid.kernel @collective grid(%i = 4 named "rows") {
  // expected-error @below {{expected a scope of one program, since programs on a TPU cannot share a scope}}
  grid.scoped (%t: memref<8x128xf32, #tpu.memory_space<vmem>>) attributes {collective = ["rows"]} {
    grid.yield
  }
}

// -----

grid.kernel @constant_of_location grid() {
  // expected-error @below {{expected a splat constant, since Mosaic supports no other, got 'tensor<3xi32>'; pass it as an operand of the kernel instead}}
  %c = arith.constant dense<[1, 3, 4]> : tensor<3xi32>
}

// -----

// Values that exceed every VMEM would take hours to compile.
grid.kernel @immense grid() inputs(%x: f32 [8, 2147483648]) outputs(%o: f32 [8]) {
  // expected-error @below {{expected values of at most 134217728 bytes, the VMEM of a TPU, got 'tensor<8x2147483648xf32>'}}
  %0 = grid.load %x : memref<8x2147483648xf32, #grid.space<default>> -> tensor<8x2147483648xf32>
  %one = arith.constant dense<1.0> : tensor<8xf32>
  %1 = linalg.reduce {arith.mulf} ins(%0 : tensor<8x2147483648xf32>) outs(%one : tensor<8xf32>) dimensions = [1]
  grid.store %1, %o : tensor<8xf32>, memref<8xf32, #grid.space<default>>
}

// -----

grid.kernel @vector_in_body grid() inputs(%x: f32 [8, 128]) outputs(%o: f32 [8, 128]) {
  %0 = grid.load %x : memref<8x128xf32, #grid.space<default>> -> tensor<8x128xf32>
  %1 = linalg.map ins(%0 : tensor<8x128xf32>) outs(%0 : tensor<8x128xf32>)
    (%a: f32, %b: f32) {
      // expected-error @below {{expected scalars in the body of a structured op on the tpu target, got 'vector<4xf32>'}}
      %v = arith.constant dense<1.0> : vector<4xf32>
      linalg.yield %a : f32
    }
  grid.store %1, %o : tensor<8x128xf32>, memref<8x128xf32, #grid.space<default>>
}

// -----

#rows = affine_map<(d0, d1) -> (d0)>
#all = affine_map<(d0, d1) -> (d0, d1)>

grid.kernel @argmax_of_wide_numbers grid() inputs(%x: i64 [8, 128]) outputs(%o: i32 [8]) {
  %0 = grid.load %x : memref<8x128xi64, #grid.space<default>> -> tensor<8x128xi64>
  %zero = arith.constant dense<0> : tensor<8xi32>
  %least = arith.constant dense<-2147483648> : tensor<8xi64>
  // expected-error @below {{expected elements of at most 32 bits for argmax or argmin on a TPU, got 'i64'}}
  %1:2 = linalg.generic {indexing_maps = [#all, #rows, #rows], iterator_types = ["parallel", "reduction"]}
      ins(%0 : tensor<8x128xi64>) outs(%least, %zero : tensor<8xi64>, tensor<8xi32>) {
  ^bb0(%v: i64, %best: i64, %index: i32):
    %i = linalg.index 1 : index
    %here = arith.index_cast %i : index to i32
    %better = arith.cmpi sgt, %v, %best : i64
    %w = arith.select %better, %v, %best : i64
    %p = arith.select %better, %here, %index : i32
    linalg.yield %w, %p : i64, i32
  } -> (tensor<8xi64>, tensor<8xi32>)
  grid.store %1#1, %o : tensor<8xi32>, memref<8xi32, #grid.space<default>>
}

// -----

// Ops on numbers are those of a TPU as they are, but those with a region or an effect.

grid.kernel @region grid(%i = 4) {
  // expected-error @below {{'scf.execute_region' is not supported on the tpu target}}
  %0 = scf.execute_region -> i32 {
    %p = grid.program_id 0
    scf.yield %p : i32
  }
}

// -----

grid.kernel @barrier grid() {
  // expected-error @below {{'gpu.barrier' is not supported on the tpu target}}
  gpu.barrier
}

// -----

grid.kernel @other_memory grid() inputs(%x: f32 [8, 128], %y: f32 [8, 128]) outputs(%o: f32 [8, 128]) {
  %c = arith.constant true
  // expected-error @below {{expected only Refs as memrefs on the tpu target, got 'memref<8x128xf32, #grid.space<default>>'}}
  %r = scf.if %c -> memref<8x128xf32, #grid.space<default>> {
    scf.yield %x : memref<8x128xf32, #grid.space<default>>
  } else {
    scf.yield %y : memref<8x128xf32, #grid.space<default>>
  }
}

// -----

grid.kernel @cast grid() inputs(%x: f32 [8, 128]) outputs(%o: f32 [8, 128]) {
  %r = memref.cast %x : memref<8x128xf32, #grid.space<default>> to memref<?x128xf32, #grid.space<default>>
  %s = memref.cast %r : memref<?x128xf32, #grid.space<default>> to memref<8x128xf32, #grid.space<default>>
  // expected-error @below {{expected a Ref of the kernel or a view of one, got a memref of 'memref.cast'}}
  %v = grid.load %s : memref<8x128xf32, #grid.space<default>> -> tensor<8x128xf32>
}

// -----

grid.kernel @in_memory grid() inputs(%x: f32 [8, 128]) outputs(%o: f32 [8, 128]) {
  // expected-error @below {{expected tensors on the tpu target, got memrefs; load and store the Refs}}
  linalg.map ins(%x : memref<8x128xf32, #grid.space<default>>) outs(%o : memref<8x128xf32, #grid.space<default>>)
    (%a: f32, %b: f32) {
      linalg.yield %a : f32
    }
}

// -----

grid.kernel @stride grid() inputs(%x: f32 [8, 128]) outputs(%o: f32 [8, 128]) {
  %0 = grid.load %x : memref<8x128xf32, #grid.space<default>> -> tensor<8x128xf32>
  // expected-error @below {{expected a slice inside of its source, got size 8 and stride -4294967296 of 8}}
  %1 = tensor.extract_slice %0[0, 0] [8, 128] [-4294967296, 1] : tensor<8x128xf32> to tensor<8x128xf32>
  grid.store %1, %o : tensor<8x128xf32>, memref<8x128xf32, #grid.space<default>>
}

// -----

grid.kernel @rows grid(%i = 4) inputs(%x: f32 [1, 128]) outputs(%o: f32 [1, 128]) {
  %0 = grid.load %x : memref<1x128xf32, #grid.space<default>> -> tensor<1x128xf32>
  %1 = grid.program_id 0
  %2 = arith.index_cast %1 : i32 to index
  %rows = arith.constant dense<2.0> : tensor<2x128xf32>
  // expected-error @below {{expected a slice inside of its destination, got size 2 and stride 1 of 1}}
  %3 = tensor.insert_slice %rows into %0[%2, 0] [2, 128] [1, 1] : tensor<2x128xf32> into tensor<1x128xf32>
  grid.store %3, %o : tensor<1x128xf32>, memref<1x128xf32, #grid.space<default>>
}
