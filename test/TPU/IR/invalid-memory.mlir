// RUN: gridir-opt %s --split-input-file --verify-diagnostics

// What an access and a view may not be: one broken thing in each chunk.

func.func @one_index(%m: memref<8x128xf32, #tpu.memory_space<vmem>>, %i: index) {
  // expected-error @below {{expected 2 indices, got 1}}
  %v = tpu.vector_load %m[%i] {strides = array<i32>} : memref<8x128xf32, #tpu.memory_space<vmem>>, vector<8x128xf32>,
  return
}

// -----

func.func @rank(%m: memref<128xf32, #tpu.memory_space<vmem>>, %i: index) {
  // expected-error @below {{expected a vector of at most the rank of 'memref<128xf32, #tpu.memory_space<vmem>>', got 'vector<1x128xf32>'}}
  %v = tpu.vector_load %m[%i] {strides = array<i32>} : memref<128xf32, #tpu.memory_space<vmem>>, vector<1x128xf32>,
  return
}

// -----

func.func @mask_of_floats(%m: memref<8x128xf32, #tpu.memory_space<vmem>>, %i: index, %k: vector<8x128xf32>) {
  // expected-error @below {{expected a mask of i1, got 'vector<8x128xf32>'}}
  %v = tpu.vector_load %m[%i, %i] masked %k {strides = array<i32>} : memref<8x128xf32, #tpu.memory_space<vmem>>, vector<8x128xf32>, vector<8x128xf32>
  return
}

// -----

func.func @mask_of_bytes(%m: memref<8x128xf32, #tpu.memory_space<vmem>>, %i: index, %k: vector<8x128xi8>) {
  // expected-error @below {{expected a mask of i1, got 'vector<8x128xi8>'}}
  %v = tpu.vector_load %m[%i, %i] masked %k {strides = array<i32>} : memref<8x128xf32, #tpu.memory_space<vmem>>, vector<8x128xf32>, vector<8x128xi8>
  return
}

// -----

func.func @mask_of_another_shape(%m: memref<8x128xf32, #tpu.memory_space<vmem>>, %i: index, %k: vector<8x64xi1>) {
  // expected-error @below {{expected a mask of the shape of 'vector<8x128xf32>', got 'vector<8x64xi1>'}}
  %v = tpu.vector_load %m[%i, %i] masked %k {strides = array<i32>} : memref<8x128xf32, #tpu.memory_space<vmem>>, vector<8x128xf32>, vector<8x64xi1>
  return
}

// -----

func.func @strided_index(%m: memref<8x128xf32, #tpu.memory_space<vmem>>, %i: index) {
  // expected-error @below {{expected 2 indices, got 1}}
  %v = tpu.strided_load %m[%i] {strides = array<i32: 2, 1>} : memref<8x128xf32, #tpu.memory_space<vmem>>, vector<4x128xf32>
  return
}

// -----

func.func @one_stride(%m: memref<8x128xf32, #tpu.memory_space<vmem>>, %i: index) {
  // expected-error @below {{expected 2 strides, got 1}}
  %v = tpu.strided_load %m[%i, %i] {strides = array<i32: 2>} : memref<8x128xf32, #tpu.memory_space<vmem>>, vector<4x128xf32>
  return
}

// -----

func.func @strided_rank(%m: memref<8x128xf32, #tpu.memory_space<vmem>>, %i: index) {
  // expected-error @below {{expected a vector of rank 2, got 'vector<128xf32>'}}
  %v = tpu.strided_load %m[%i, %i] {strides = array<i32: 2, 1>} : memref<8x128xf32, #tpu.memory_space<vmem>>, vector<128xf32>
  return
}

// -----

func.func @strided_element(%m: memref<8x128xf32, #tpu.memory_space<vmem>>, %i: index, %v: vector<4x128xi32>) {
  // expected-error @below {{expected a vector of 'f32', got 'vector<4x128xi32>'}}
  tpu.strided_store %m[%i, %i], %v {strides = array<i32: 2, 1>} : memref<8x128xf32, #tpu.memory_space<vmem>>, vector<4x128xi32>
  return
}

// -----

func.func @slice_to_another_memory(%m: memref<8x128xf32, #tpu.memory_space<vmem>>, %a: i32) {
  // expected-error @below {{expected one memory space, got 'memref<8x128xf32, #tpu.memory_space<vmem>>' and 'memref<8x128xf32, #tpu.memory_space<any>>'}}
  %s = tpu.memref_slice %m[%a, %a] : memref<8x128xf32, #tpu.memory_space<vmem>> -> memref<8x128xf32, #tpu.memory_space<any>>
  return
}

// -----

func.func @slice_of_another_type(%m: memref<8x128xf32, #tpu.memory_space<vmem>>, %a: i32) {
  // expected-error @below {{expected one element type, got}}
  %s = tpu.memref_slice %m[%a, %a] : memref<8x128xf32, #tpu.memory_space<vmem>> -> memref<8x128xi32, #tpu.memory_space<vmem>>
  return
}

// -----

func.func @slice_of_one_index(%m: memref<8x128xf32, #tpu.memory_space<vmem>>, %a: i32) {
  // expected-error @below {{expected one index and one size for each dimension of 'memref<8x128xf32, #tpu.memory_space<vmem>>', got 1 and 'memref<8x128xf32, #tpu.memory_space<vmem>>'}}
  %s = tpu.memref_slice %m[%a] : memref<8x128xf32, #tpu.memory_space<vmem>> -> memref<8x128xf32, #tpu.memory_space<vmem>>
  return
}

// -----

func.func @slice_of_another_rank(%m: memref<8x128xf32, #tpu.memory_space<vmem>>, %a: i32) {
  // expected-error @below {{expected one index and one size for each dimension of}}
  %s = tpu.memref_slice %m[%a, %a] : memref<8x128xf32, #tpu.memory_space<vmem>> -> memref<128xf32, #tpu.memory_space<vmem>>
  return
}

// -----

func.func @slice_without_its_size(%m: memref<8x128xf32, #tpu.memory_space<vmem>>, %a: i32) {
  // expected-error @below {{expected 1 dynamic sizes, got 0}}
  %s = tpu.memref_slice %m[%a, %a] : memref<8x128xf32, #tpu.memory_space<vmem>> -> memref<?x128xf32, #tpu.memory_space<vmem>>
  return
}

// -----

func.func @slice_one_beyond(%m: memref<8x128xf32, #tpu.memory_space<vmem>>) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  // expected-error @below {{got 1 to 9 in dimension 0}}
  %s = tpu.memref_slice %m[%c1, %c0] : memref<8x128xf32, #tpu.memory_space<vmem>> -> memref<8x128xf32, #tpu.memory_space<vmem>>
  return
}

// -----

func.func @slice_before(%m: memref<8x128xf32, #tpu.memory_space<vmem>>) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant -1 : i32
  // expected-error @below {{got -1 to 7 in dimension 0}}
  %s = tpu.memref_slice %m[%c1, %c0] : memref<8x128xf32, #tpu.memory_space<vmem>> -> memref<8x128xf32, #tpu.memory_space<vmem>>
  return
}

// -----

func.func @squeezed_to_another_size(%m: memref<1x128xf32, #tpu.memory_space<vmem>>) {
  // expected-error @below {{expected to drop only unit dimensions, got}}
  %s = tpu.memref_squeeze %m : memref<1x128xf32, #tpu.memory_space<vmem>> -> memref<64xf32, #tpu.memory_space<vmem>>
  return
}

// -----

func.func @squeezed_nothing(%m: memref<8x128xf32, #tpu.memory_space<vmem>>) {
  // expected-error @below {{expected to drop only unit dimensions, got}}
  %s = tpu.memref_squeeze %m : memref<8x128xf32, #tpu.memory_space<vmem>> -> memref<8x128xf32, #tpu.memory_space<vmem>>
  return
}

// -----

func.func @squeezed_and_grown(%m: memref<1x128xf32, #tpu.memory_space<vmem>>) {
  // expected-error @below {{expected to drop only unit dimensions, got}}
  %s = tpu.memref_squeeze %m : memref<1x128xf32, #tpu.memory_space<vmem>> -> memref<128x2xf32, #tpu.memory_space<vmem>>
  return
}

// -----

func.func @reshape_of_a_line(%m: memref<128xf32, #tpu.memory_space<vmem>>) {
  // expected-error @below {{expected two dimensions or more, got}}
  %s = tpu.memref_reshape %m : memref<128xf32, #tpu.memory_space<vmem>> -> memref<1x128xf32, #tpu.memory_space<vmem>>
  return
}

// -----

func.func @reshape_to_a_line(%m: memref<8x128xf32, #tpu.memory_space<vmem>>) {
  // expected-error @below {{expected two dimensions or more, got}}
  %s = tpu.memref_reshape %m : memref<8x128xf32, #tpu.memory_space<vmem>> -> memref<1024xf32, #tpu.memory_space<vmem>>
  return
}

// -----

func.func @reshape_of_unknown_size(%m: memref<?x128xf32, #tpu.memory_space<vmem>>) {
  // expected-error @below {{expected the same number of elements, got}}
  %s = tpu.memref_reshape %m : memref<?x128xf32, #tpu.memory_space<vmem>> -> memref<8x128xf32, #tpu.memory_space<vmem>>
  return
}

// -----

func.func @bits_of_another_rank(%m: memref<8x128xf32, #tpu.memory_space<vmem>>) {
  // expected-error @below {{expected one rank of at least 2, got}}
  %s = tpu.memref_bitcast %m : memref<8x128xf32, #tpu.memory_space<vmem>> -> memref<1x16x128xbf16, #tpu.memory_space<vmem>>
  return
}

// -----

func.func @bits_of_a_line(%m: memref<128xf32, #tpu.memory_space<vmem>>) {
  // expected-error @below {{expected one rank of at least 2, got}}
  %s = tpu.memref_bitcast %m : memref<128xf32, #tpu.memory_space<vmem>> -> memref<256xbf16, #tpu.memory_space<vmem>>
  return
}

// -----

func.func @bits_in_the_last_dimension(%m: memref<8x128xf32, #tpu.memory_space<vmem>>) {
  // expected-error @below {{expected the same bytes in dimension 1}}
  %s = tpu.memref_bitcast %m : memref<8x128xf32, #tpu.memory_space<vmem>> -> memref<16x256xbf16, #tpu.memory_space<vmem>>
  return
}

// -----

func.func @bits_in_another_memory(%m: memref<8x128xf32, #tpu.memory_space<vmem>>) {
  // expected-error @below {{expected one memory space, got}}
  %s = tpu.memref_bitcast %m : memref<8x128xf32, #tpu.memory_space<vmem>> -> memref<16x128xbf16, #tpu.memory_space<any>>
  return
}

// -----

// expected-error @below {{expected one low and one high padding for each dimension, got 2 and 1}}
func.func private @padding() attributes {window = #tpu.element_window<[0, 0], [0]>}

// -----

// What is at the edge of each rule and allowed.

func.func @good(%m: memref<8x128xf32, #tpu.memory_space<vmem>>, %r: memref<1x8x1x128xf32, #tpu.memory_space<vmem>>, %i: index, %k: vector<8x128xi32>, %a: i32) {
  %c1 = arith.constant 1 : i32
  %c0 = arith.constant 0 : i32
  %row = tpu.vector_load %m[%i, %i] {strides = array<i32>} : memref<8x128xf32, #tpu.memory_space<vmem>>, vector<128xf32>,
  %masked = tpu.vector_load %m[%i, %i] masked %k {strides = array<i32>} : memref<8x128xf32, #tpu.memory_space<vmem>>, vector<8x128xf32>, vector<8x128xi32>
  %last = tpu.memref_slice %m[%c1, %c0] : memref<8x128xf32, #tpu.memory_space<vmem>> -> memref<7x128xf32, #tpu.memory_space<vmem>>
  %part = tpu.memref_slice %m[%c1, %c0] <%a> : memref<8x128xf32, #tpu.memory_space<vmem>> -> memref<?x128xf32, #tpu.memory_space<vmem>>
  %one = tpu.memref_squeeze %r : memref<1x8x1x128xf32, #tpu.memory_space<vmem>> -> memref<8x1x128xf32, #tpu.memory_space<vmem>>
  %both = tpu.memref_squeeze %r : memref<1x8x1x128xf32, #tpu.memory_space<vmem>> -> memref<8x128xf32, #tpu.memory_space<vmem>>
  %bits = tpu.memref_bitcast %part : memref<?x128xf32, #tpu.memory_space<vmem>> -> memref<?x128xbf16, #tpu.memory_space<vmem>>
  return
}
