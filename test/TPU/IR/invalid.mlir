// RUN: gridir-opt %s --split-input-file --verify-diagnostics

// What the ops may not be: one broken thing in each chunk. libtpu reports some of these late, others never.

func.func @strides(%m: memref<8x128xf32, #tpu.memory_space<vmem>>, %i: index) {
  // expected-error @below {{expected no strides, got 2; use tpu.strided_load or tpu.strided_store}}
  %v = tpu.vector_load %m[%i, %i] {strides = array<i32: 1, 1>} : memref<8x128xf32, #tpu.memory_space<vmem>>, vector<8x128xf32>,
  return
}

// -----

func.func @element(%m: memref<8x128xf32, #tpu.memory_space<vmem>>, %i: index) {
  // expected-error @below {{expected a vector of 'f32', got 'vector<8x128xbf16>'}}
  %v = tpu.vector_load %m[%i, %i] {strides = array<i32>} : memref<8x128xf32, #tpu.memory_space<vmem>>, vector<8x128xbf16>,
  return
}

// -----

func.func @space(%m: memref<8x128xf32, #tpu.memory_space<any>>, %v: vector<8x128xf32>, %i: index) {
  // expected-error @below {{expected a memref in vmem, got 'memref<8x128xf32, #tpu.memory_space<any>>'}}
  tpu.vector_store %m[%i, %i], %v {strides = array<i32>} : memref<8x128xf32, #tpu.memory_space<any>>, vector<8x128xf32>,
  return
}

// -----

func.func @stride(%m: memref<8x128xf32, #tpu.memory_space<vmem>>, %i: index) {
  // expected-error @below {{expected strides of at least 1, got 0}}
  %v = tpu.strided_load %m[%i, %i] {strides = array<i32: 0, 1>} : memref<8x128xf32, #tpu.memory_space<vmem>>, vector<4x128xf32>
  return
}

// -----

func.func @slice(%m: memref<8x128xf32, #tpu.memory_space<vmem>>) {
  %c4 = arith.constant 4 : i32
  // expected-error @below {{expected a window inside 'memref<8x128xf32, #tpu.memory_space<vmem>>', got 4 to 12 in dimension 0}}
  %s = tpu.memref_slice %m[%c4, %c4] : memref<8x128xf32, #tpu.memory_space<vmem>> -> memref<8x64xf32, #tpu.memory_space<vmem>>
  return
}

// -----

func.func @squeeze(%m: memref<2x128xf32, #tpu.memory_space<vmem>>) {
  // expected-error @below {{expected to drop only unit dimensions}}
  %s = tpu.memref_squeeze %m : memref<2x128xf32, #tpu.memory_space<vmem>> -> memref<128xf32, #tpu.memory_space<vmem>>
  return
}

// -----

func.func @reshape(%m: memref<8x128xf32, #tpu.memory_space<vmem>>) {
  // expected-error @below {{expected the same number of elements}}
  %s = tpu.memref_reshape %m : memref<8x128xf32, #tpu.memory_space<vmem>> -> memref<4x128xf32, #tpu.memory_space<vmem>>
  return
}

// -----

func.func @bitcast(%m: memref<8x128xf32, #tpu.memory_space<vmem>>) {
  // expected-error @below {{expected the same bytes in dimension 0}}
  %s = tpu.memref_bitcast %m : memref<8x128xf32, #tpu.memory_space<vmem>> -> memref<8x128xbf16, #tpu.memory_space<vmem>>
  return
}

// -----

func.func @accumulator(%a: vector<8x128xbf16>, %b: vector<128x128xbf16>, %c: vector<8x128xbf16>) {
  // expected-error @below {{expected an accumulator of 32 bits, got 'vector<8x128xbf16>'}}
  %r = tpu.matmul %a, %b, %c {transpose_lhs_hint = false} : vector<8x128xbf16>, vector<128x128xbf16>, vector<8x128xbf16> -> vector<8x128xbf16>
  return
}

// -----

func.func @contraction(%a: vector<8x64xf32>, %b: vector<128x128xf32>, %c: vector<8x128xf32>) {
  // expected-error @below {{expected contracting dimensions of one size, got 64 and 128}}
  %r = tpu.matmul %a, %b, %c {dimension_numbers = #tpu.dot_dimension_numbers<[1], [0], [0], [1], [0, 0, 1, 1], [], []>, transpose_lhs_hint = false} : vector<8x64xf32>, vector<128x128xf32>, vector<8x128xf32> -> vector<8x128xf32>
  return
}

// -----

func.func @order(%a: vector<8x128xf32>, %b: vector<128x8xf32>, %c: vector<8x8xf32>) {
  // expected-error @below {{expected the order batch, left, right of the result dimensions}}
  %r = tpu.matmul %a, %b, %c {dimension_numbers = #tpu.dot_dimension_numbers<[1], [0], [0], [1], [1, 1, 0, 0], [], []>, transpose_lhs_hint = false} : vector<8x128xf32>, vector<128x8xf32>, vector<8x8xf32> -> vector<8x8xf32>
  return
}

// -----

func.func @reciprocal(%v: vector<16x128xbf16>) {
  // expected-error @below {{expected elements of f32, got 'vector<16x128xbf16>'}}
  %r = tpu.reciprocal %v : vector<16x128xbf16> -> vector<16x128xbf16>
  return
}

// -----

func.func @index(%v: vector<8x128xf32>) {
  // expected-error @below {{expected arg_max or arg_min, got sum}}
  %r = tpu.reduce_index %v {axis = 1 : i32, kind = #tpu.reduction_kind<sum>} : vector<8x128xf32> -> vector<8xi32>
  return
}

// -----

func.func @iota() {
  // expected-error @below {{expected distinct dimensions of 'vector<8x128xi32>', got 2}}
  %v = tpu.iota {dimensions = array<i32: 2>} : vector<8x128xi32>
  return
}

// -----

func.func @transpose(%v: vector<8x128xf32>) {
  // expected-error @below {{expected a permutation of the dimensions of 'vector<8x128xf32>', got 0}}
  %t = tpu.transpose %v, [0, 0] : vector<8x128xf32> -> vector<8x8xf32>
  return
}

// -----

func.func @concatenate(%v: vector<8x128xf32>) {
  // expected-error @below {{expected a result of 256 in dimension 1, got 'vector<8x384xf32>'}}
  %c = tpu.concatenate %v, %v in 1 : vector<8x128xf32>, vector<8x128xf32> -> vector<8x384xf32>
  return
}

// -----

func.func @dma(%s: memref<8x128xf32, #tpu.memory_space<any>>, %t: memref<16x128xf32, #tpu.memory_space<vmem>>, %q: memref<!tpu.dma_semaphore, #tpu.memory_space<semaphore_mem>>) {
  // expected-error @below {{expected source and target of one shape and element type}}
  tpu.enqueue_dma source(%s : memref<8x128xf32, #tpu.memory_space<any>>) target(%t : memref<16x128xf32, #tpu.memory_space<vmem>>) target_semaphore(%q : memref<!tpu.dma_semaphore, #tpu.memory_space<semaphore_mem>>)
  return
}

// -----

func.func @semaphores(%q: memref<2x!tpu.semaphore, #tpu.memory_space<semaphore_mem>>, %n: i32) {
  // expected-error @below {{expected the semaphore to be of rank 0}}
  tpu.sem_wait %q, %n : memref<2x!tpu.semaphore, #tpu.memory_space<semaphore_mem>>
  return
}

// -----

func.func @multiple() {
  %c12 = arith.constant 12 : i32
  // expected-error @below {{expected a multiple of 8, got 12}}
  %0 = tpu.assume_multiple %c12, 8 : i32
  return
}

// -----

func.func @uncountable(%m: memref<8x128xf32, #tpu.memory_space<vmem>>) {
  // expected-error @below {{expected the same number of elements}}
  %s = tpu.memref_reshape %m : memref<8x128xf32, #tpu.memory_space<vmem>> -> memref<128x4611686018427387904xf32, #tpu.memory_space<vmem>>
  return
}

// -----

// expected-error @below {{expected a type of at most 1099511627776 elements, got 'memref<8x4611686018427387904xf32, #tpu.memory_space<vmem>>'}}
func.func @uncountable_kernel(%m: memref<8x4611686018427387904xf32, #tpu.memory_space<vmem>>)
    attributes {tpu.core_type = #tpu.core_type<tc>} {
  return
}
