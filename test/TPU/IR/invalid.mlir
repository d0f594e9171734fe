// RUN: gridir-opt %s --split-input-file --verify-diagnostics

// Invalid ops: one error in each chunk. libtpu reports some of these late, others never.

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
  // expected-error @below {{expected a window inside 'memref<8x128xf32, #tpu.memory_space<vmem>>', got 8 from 4 in dimension 0}}
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
  // expected-error @below {{expected the same number of elements, got 'memref<8x128xf32, #tpu.memory_space<vmem>>' and 'memref<4x128xf32, #tpu.memory_space<vmem>>'}}
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
  // expected-error @below {{expected the same number of elements, got}}
  %s = tpu.memref_reshape %m : memref<8x128xf32, #tpu.memory_space<vmem>> -> memref<128x4611686018427387904xf32, #tpu.memory_space<vmem>>
  return
}

// -----

// expected-error @below {{expected a type of at most 1099511627776 elements, got 'memref<8x4611686018427387904xf32, #tpu.memory_space<vmem>>'}}
func.func @uncountable_kernel(%m: memref<8x4611686018427387904xf32, #tpu.memory_space<vmem>>)
    attributes {tpu.core_type = #tpu.core_type<tc>} {
  return
}

// -----

func.func @indices(%m: memref<8x128xf32, #tpu.memory_space<vmem>>, %i: index) {
  // expected-error @below {{expected 2 indices, got 1}}
  %v = tpu.vector_load %m[%i] {strides = array<i32>} : memref<8x128xf32, #tpu.memory_space<vmem>>, vector<8x128xf32>,
  return
}

// -----

func.func @vector_rank(%m: memref<8x128xf32, #tpu.memory_space<vmem>>, %i: index) {
  // expected-error @below {{expected a vector of at most the rank of 'memref<8x128xf32, #tpu.memory_space<vmem>>', got 'vector<1x8x128xf32>'}}
  %v = tpu.vector_load %m[%i, %i] {strides = array<i32>} : memref<8x128xf32, #tpu.memory_space<vmem>>, vector<1x8x128xf32>,
  return
}

// -----

func.func @mask_element(%m: memref<8x128xf32, #tpu.memory_space<vmem>>, %i: index, %k: vector<8x128xi8>) {
  // expected-error @below {{expected a mask of i1, got 'vector<8x128xi8>'}}
  %v = tpu.vector_load %m[%i, %i] masked %k {strides = array<i32>} : memref<8x128xf32, #tpu.memory_space<vmem>>, vector<8x128xf32>, vector<8x128xi8>
  return
}

// -----

func.func @mask_shape(%m: memref<8x128xf32, #tpu.memory_space<vmem>>, %i: index, %k: vector<128x8xi1>) {
  // expected-error @below {{expected a mask of the shape of 'vector<8x128xf32>', got 'vector<128x8xi1>'}}
  %v = tpu.vector_load %m[%i, %i] masked %k {strides = array<i32>} : memref<8x128xf32, #tpu.memory_space<vmem>>, vector<8x128xf32>, vector<128x8xi1>
  return
}

// -----

func.func @strided_indices(%m: memref<8x128xf32, #tpu.memory_space<vmem>>, %i: index) {
  // expected-error @below {{expected 2 indices, got 1}}
  %v = tpu.strided_load %m[%i] {strides = array<i32: 1, 1>} : memref<8x128xf32, #tpu.memory_space<vmem>>, vector<4x128xf32>
  return
}

// -----

func.func @number_of_strides(%m: memref<8x128xf32, #tpu.memory_space<vmem>>, %i: index) {
  // expected-error @below {{expected 2 strides, got 3}}
  %v = tpu.strided_load %m[%i, %i] {strides = array<i32: 1, 1, 1>} : memref<8x128xf32, #tpu.memory_space<vmem>>, vector<4x128xf32>
  return
}

// -----

func.func @strided_rank(%m: memref<8x128xf32, #tpu.memory_space<vmem>>, %i: index) {
  // expected-error @below {{expected a vector of rank 2, got 'vector<128xf32>'}}
  %v = tpu.strided_load %m[%i, %i] {strides = array<i32: 2, 1>} : memref<8x128xf32, #tpu.memory_space<vmem>>, vector<128xf32>
  return
}

// -----

func.func @strided_element(%m: memref<8x128xf32, #tpu.memory_space<vmem>>, %i: index) {
  // expected-error @below {{expected a vector of 'f32', got 'vector<4x128xbf16>'}}
  %v = tpu.strided_load %m[%i, %i] {strides = array<i32: 2, 1>} : memref<8x128xf32, #tpu.memory_space<vmem>>, vector<4x128xbf16>
  return
}

// -----

func.func @moved_view(%m: memref<1x128xf32, #tpu.memory_space<vmem>>) {
  // expected-error @below {{expected one memory space, got 'memref<1x128xf32, #tpu.memory_space<vmem>>' and 'memref<128xf32, #tpu.memory_space<smem>>'}}
  %s = tpu.memref_squeeze %m : memref<1x128xf32, #tpu.memory_space<vmem>> -> memref<128xf32, #tpu.memory_space<smem>>
  return
}

// -----

func.func @converting_view(%m: memref<1x128xf32, #tpu.memory_space<vmem>>) {
  // expected-error @below {{expected one element type, got 'memref<1x128xf32, #tpu.memory_space<vmem>>' and 'memref<128xi32, #tpu.memory_space<vmem>>'}}
  %s = tpu.memref_squeeze %m : memref<1x128xf32, #tpu.memory_space<vmem>> -> memref<128xi32, #tpu.memory_space<vmem>>
  return
}

// -----

func.func @slice_rank(%m: memref<8x128xf32, #tpu.memory_space<vmem>>, %i: i32) {
  // expected-error @below {{expected one index and one size for each dimension of 'memref<8x128xf32, #tpu.memory_space<vmem>>', got 2 and 'memref<128xf32, #tpu.memory_space<vmem>>'}}
  %s = tpu.memref_slice %m[%i, %i] : memref<8x128xf32, #tpu.memory_space<vmem>> -> memref<128xf32, #tpu.memory_space<vmem>>
  return
}

// -----

func.func @slice_indices(%m: memref<8x128xf32, #tpu.memory_space<vmem>>, %i: i32) {
  // expected-error @below {{expected one index and one size for each dimension of 'memref<8x128xf32, #tpu.memory_space<vmem>>', got 1 and 'memref<8x128xf32, #tpu.memory_space<vmem>>'}}
  %s = tpu.memref_slice %m[%i] : memref<8x128xf32, #tpu.memory_space<vmem>> -> memref<8x128xf32, #tpu.memory_space<vmem>>
  return
}

// -----

func.func @dynamic_sizes(%m: memref<8x128xf32, #tpu.memory_space<vmem>>, %i: i32) {
  // expected-error @below {{expected 1 dynamic sizes, got 2}}
  %s = tpu.memref_slice %m[%i, %i] <%i, %i> : memref<8x128xf32, #tpu.memory_space<vmem>> -> memref<?x128xf32, #tpu.memory_space<vmem>>
  return
}

// -----

func.func @squeezed_too_far(%m: memref<8x128xf32, #tpu.memory_space<vmem>>) {
  // expected-error @below {{expected to drop only unit dimensions, got 'memref<8x128xf32, #tpu.memory_space<vmem>>' and 'memref<8x128xf32, #tpu.memory_space<vmem>>'}}
  %s = tpu.memref_squeeze %m : memref<8x128xf32, #tpu.memory_space<vmem>> -> memref<8x128xf32, #tpu.memory_space<vmem>>
  return
}

// -----

func.func @squeezed_away(%m: memref<2x128xf32, #tpu.memory_space<vmem>>) {
  // expected-error @below {{expected to drop only unit dimensions, got 'memref<2x128xf32, #tpu.memory_space<vmem>>' and 'memref<2x128x4xf32, #tpu.memory_space<vmem>>'}}
  %s = tpu.memref_squeeze %m : memref<2x128xf32, #tpu.memory_space<vmem>> -> memref<2x128x4xf32, #tpu.memory_space<vmem>>
  return
}

// -----

func.func @reshaped_line(%m: memref<8x128xf32, #tpu.memory_space<vmem>>) {
  // expected-error @below {{expected two dimensions or more, got 'memref<8x128xf32, #tpu.memory_space<vmem>>' and 'memref<1024xf32, #tpu.memory_space<vmem>>'}}
  %s = tpu.memref_reshape %m : memref<8x128xf32, #tpu.memory_space<vmem>> -> memref<1024xf32, #tpu.memory_space<vmem>>
  return
}

// -----

func.func @bitcast_rank(%m: memref<8x128xf32, #tpu.memory_space<vmem>>) {
  // expected-error @below {{expected one rank of at least 2, got 'memref<8x128xf32, #tpu.memory_space<vmem>>' and 'memref<1x8x128xi32, #tpu.memory_space<vmem>>'}}
  %s = tpu.memref_bitcast %m : memref<8x128xf32, #tpu.memory_space<vmem>> -> memref<1x8x128xi32, #tpu.memory_space<vmem>>
  return
}

// -----

func.func @bitcast_line(%m: memref<128xf32, #tpu.memory_space<vmem>>) {
  // expected-error @below {{expected one rank of at least 2, got 'memref<128xf32, #tpu.memory_space<vmem>>' and 'memref<128xi32, #tpu.memory_space<vmem>>'}}
  %s = tpu.memref_bitcast %m : memref<128xf32, #tpu.memory_space<vmem>> -> memref<128xi32, #tpu.memory_space<vmem>>
  return
}

// -----

func.func @no_target_semaphore(%s: memref<8x128xf32, #tpu.memory_space<any>>, %t: memref<8x128xf32, #tpu.memory_space<vmem>>, %q: memref<!tpu.dma_semaphore, #tpu.memory_space<semaphore_mem>>, %qs: memref<2x!tpu.dma_semaphore, #tpu.memory_space<semaphore_mem>>, %n: i32) {
  // expected-error @below {{expected a target semaphore, got none}}
  tpu.enqueue_dma source(%s : memref<8x128xf32, #tpu.memory_space<any>>) target(%t : memref<8x128xf32, #tpu.memory_space<vmem>>)
  return
}

// -----

func.func @target_semaphores(%s: memref<8x128xf32, #tpu.memory_space<any>>, %t: memref<8x128xf32, #tpu.memory_space<vmem>>, %q: memref<!tpu.dma_semaphore, #tpu.memory_space<semaphore_mem>>, %qs: memref<2x!tpu.dma_semaphore, #tpu.memory_space<semaphore_mem>>, %n: i32) {
  // expected-error @below {{expected the target semaphore to be of rank 0, got 'memref<2x!tpu.dma_semaphore, #tpu.memory_space<semaphore_mem>>'}}
  tpu.enqueue_dma source(%s : memref<8x128xf32, #tpu.memory_space<any>>) target(%t : memref<8x128xf32, #tpu.memory_space<vmem>>) target_semaphore(%qs : memref<2x!tpu.dma_semaphore, #tpu.memory_space<semaphore_mem>>)
  return
}

// -----

func.func @source_semaphores(%s: memref<8x128xf32, #tpu.memory_space<any>>, %t: memref<8x128xf32, #tpu.memory_space<vmem>>, %q: memref<!tpu.dma_semaphore, #tpu.memory_space<semaphore_mem>>, %qs: memref<2x!tpu.dma_semaphore, #tpu.memory_space<semaphore_mem>>, %n: i32) {
  // expected-error @below {{expected the source semaphore to be of rank 0, got 'memref<2x!tpu.dma_semaphore, #tpu.memory_space<semaphore_mem>>'}}
  tpu.enqueue_dma source(%s : memref<8x128xf32, #tpu.memory_space<any>>) target(%t : memref<8x128xf32, #tpu.memory_space<vmem>>) source_semaphore(%qs : memref<2x!tpu.dma_semaphore, #tpu.memory_space<semaphore_mem>>) target_semaphore(%q : memref<!tpu.dma_semaphore, #tpu.memory_space<semaphore_mem>>) device_id(%n)
  return
}

// -----

func.func @local_source_semaphore(%s: memref<8x128xf32, #tpu.memory_space<any>>, %t: memref<8x128xf32, #tpu.memory_space<vmem>>, %q: memref<!tpu.dma_semaphore, #tpu.memory_space<semaphore_mem>>, %qs: memref<2x!tpu.dma_semaphore, #tpu.memory_space<semaphore_mem>>, %n: i32) {
  // expected-error @below {{expected a device or a core with the source semaphore, got none}}
  tpu.enqueue_dma source(%s : memref<8x128xf32, #tpu.memory_space<any>>) target(%t : memref<8x128xf32, #tpu.memory_space<vmem>>) source_semaphore(%q : memref<!tpu.dma_semaphore, #tpu.memory_space<semaphore_mem>>) target_semaphore(%q : memref<!tpu.dma_semaphore, #tpu.memory_space<semaphore_mem>>)
  return
}

// -----

func.func @remote_copy(%s: memref<8x128xf32, #tpu.memory_space<any>>, %t: memref<8x128xf32, #tpu.memory_space<vmem>>, %q: memref<!tpu.dma_semaphore, #tpu.memory_space<semaphore_mem>>, %qs: memref<2x!tpu.dma_semaphore, #tpu.memory_space<semaphore_mem>>, %n: i32) {
  // expected-error @below {{expected a source semaphore for a copy to another device or core, got none}}
  tpu.enqueue_dma source(%s : memref<8x128xf32, #tpu.memory_space<any>>) target(%t : memref<8x128xf32, #tpu.memory_space<vmem>>) target_semaphore(%q : memref<!tpu.dma_semaphore, #tpu.memory_space<semaphore_mem>>) device_id(%n)
  return
}

// -----

func.func @copy_to_core(%s: memref<8x128xf32, #tpu.memory_space<any>>, %t: memref<8x128xf32, #tpu.memory_space<vmem>>, %q: memref<!tpu.dma_semaphore, #tpu.memory_space<semaphore_mem>>, %qs: memref<2x!tpu.dma_semaphore, #tpu.memory_space<semaphore_mem>>, %n: i32) {
  // expected-error @below {{expected a source semaphore for a copy to another device or core, got none}}
  tpu.enqueue_dma source(%s : memref<8x128xf32, #tpu.memory_space<any>>) target(%t : memref<8x128xf32, #tpu.memory_space<vmem>>) target_semaphore(%q : memref<!tpu.dma_semaphore, #tpu.memory_space<semaphore_mem>>) core_id(%n)
  return
}

// -----

func.func @subcore(%s: memref<8x128xf32, #tpu.memory_space<any>>, %t: memref<8x128xf32, #tpu.memory_space<vmem>>, %q: memref<!tpu.dma_semaphore, #tpu.memory_space<semaphore_mem>>, %qs: memref<2x!tpu.dma_semaphore, #tpu.memory_space<semaphore_mem>>, %n: i32) {
  // expected-error @below {{expected a core with the subcore, got none}}
  tpu.enqueue_dma source(%s : memref<8x128xf32, #tpu.memory_space<any>>) target(%t : memref<8x128xf32, #tpu.memory_space<vmem>>) source_semaphore(%q : memref<!tpu.dma_semaphore, #tpu.memory_space<semaphore_mem>>) target_semaphore(%q : memref<!tpu.dma_semaphore, #tpu.memory_space<semaphore_mem>>) device_id(%n) subcore_id(%n)
  return
}

// -----

func.func @priority(%s: memref<8x128xf32, #tpu.memory_space<any>>, %t: memref<8x128xf32, #tpu.memory_space<vmem>>, %q: memref<!tpu.dma_semaphore, #tpu.memory_space<semaphore_mem>>, %qs: memref<2x!tpu.dma_semaphore, #tpu.memory_space<semaphore_mem>>, %n: i32) {
  // expected-error @below {{expected a priority of at least 0, got -1}}
  tpu.enqueue_dma source(%s : memref<8x128xf32, #tpu.memory_space<any>>) target(%t : memref<8x128xf32, #tpu.memory_space<vmem>>) target_semaphore(%q : memref<!tpu.dma_semaphore, #tpu.memory_space<semaphore_mem>>) {priority = -1 : i32}
  return
}

// -----

func.func @signal_subcore(%q: memref<!tpu.semaphore, #tpu.memory_space<semaphore_mem>>, %n: i32) {
  // expected-error @below {{expected a core with the subcore, got none}}
  tpu.sem_signal %q, %n device_id %n subcore_id %n : memref<!tpu.semaphore, #tpu.memory_space<semaphore_mem>>
  return
}

// -----

func.func @signal_array(%q: memref<2x!tpu.semaphore, #tpu.memory_space<semaphore_mem>>, %n: i32) {
  // expected-error @below {{expected the semaphore to be of rank 0, got 'memref<2x!tpu.semaphore, #tpu.memory_space<semaphore_mem>>'}}
  tpu.sem_signal %q, %n : memref<2x!tpu.semaphore, #tpu.memory_space<semaphore_mem>>
  return
}

// -----

func.func @barrier_array() {
  // expected-error @below {{expected the semaphore to be of rank 0, got 'memref<2x!tpu.semaphore, #tpu.memory_space<semaphore_mem>>'}}
  %q = tpu.sem_barrier : memref<2x!tpu.semaphore, #tpu.memory_space<semaphore_mem>>
  return
}

// -----

func.func @wait_for_nothing(%s: memref<8x128xf32, #tpu.memory_space<any>>, %t: memref<8x128xf32, #tpu.memory_space<vmem>>, %q: memref<!tpu.dma_semaphore, #tpu.memory_space<semaphore_mem>>) {
  // expected-error @below {{expected the source semaphore that it waits for, got none}}
  tpu.wait_dma source(%s : memref<8x128xf32, #tpu.memory_space<any>>) target(%t : memref<8x128xf32, #tpu.memory_space<vmem>>) target_semaphore(%q : memref<!tpu.dma_semaphore, #tpu.memory_space<semaphore_mem>>) {wait_target = false}
  return
}

// -----

func.func @wait_semaphores(%s: memref<8x128xf32, #tpu.memory_space<any>>, %t: memref<8x128xf32, #tpu.memory_space<vmem>>, %qs: memref<2x!tpu.dma_semaphore, #tpu.memory_space<semaphore_mem>>) {
  // expected-error @below {{expected the target semaphore to be of rank 0, got 'memref<2x!tpu.dma_semaphore, #tpu.memory_space<semaphore_mem>>'}}
  tpu.wait_dma source(%s : memref<8x128xf32, #tpu.memory_space<any>>) target(%t : memref<8x128xf32, #tpu.memory_space<vmem>>) target_semaphore(%qs : memref<2x!tpu.dma_semaphore, #tpu.memory_space<semaphore_mem>>) {wait_target = true}
  return
}

// -----

func.func @wait_array(%s: memref<8x128xf32, #tpu.memory_space<any>>, %t: memref<8x128xf32, #tpu.memory_space<vmem>>, %qs: memref<2x!tpu.dma_semaphore, #tpu.memory_space<semaphore_mem>>) {
  // expected-error @below {{expected the semaphore to be of rank 0, got 'memref<2x!tpu.dma_semaphore, #tpu.memory_space<semaphore_mem>>'}}
  tpu.wait_dma2 semaphore(%qs : memref<2x!tpu.dma_semaphore, #tpu.memory_space<semaphore_mem>>) src(%s : memref<8x128xf32, #tpu.memory_space<any>>) dst(%t : memref<8x128xf32, #tpu.memory_space<vmem>>)
  return
}

// -----

func.func @copy_element(%s: memref<8x128xf32, #tpu.memory_space<any>>, %t: memref<8x128xi32, #tpu.memory_space<vmem>>, %q: memref<!tpu.dma_semaphore, #tpu.memory_space<semaphore_mem>>) {
  // expected-error @below {{expected source and target of one shape and element type, got 'memref<8x128xf32, #tpu.memory_space<any>>' and 'memref<8x128xi32, #tpu.memory_space<vmem>>'}}
  tpu.enqueue_dma source(%s : memref<8x128xf32, #tpu.memory_space<any>>) target(%t : memref<8x128xi32, #tpu.memory_space<vmem>>) target_semaphore(%q : memref<!tpu.dma_semaphore, #tpu.memory_space<semaphore_mem>>)
  return
}

// -----

func.func @multiple_of_none(%n: i32) {
  // expected-error @below {{expected a multiple of at least 1, got 0}}
  %0 = tpu.assume_multiple %n, 0 : i32
  return
}

// -----

func.func @yield(%n: i32) {
  // expected-error @below {{expected to yield 'i32', got 'i64'}}
  %0 = "tpu.region"() ({
    %c1 = arith.constant 1 : i64
    "tpu.yield"(%c1) : (i64) -> ()
  }) : () -> i32
  return
}

// -----

func.func @yield_nothing(%n: i32) {
  // expected-error @below {{expected to yield 'i32', got}}
  %0 = "tpu.trace"() <{level = 10 : i32, message = "step"}> ({
    "tpu.yield"() : () -> ()
  }) : () -> i32
  return
}

// -----

// expected-error @below {{expected one low and one high padding for each dimension, got 2 and 1}}
func.func @padding() attributes {window = #tpu.element_window<[0, 0], [8]>} {
  return
}

// -----

func.func @bitcast_index(%m: memref<8x128xindex, #tpu.memory_space<vmem>>) {
  // expected-error @below {{expected integer or float elements, got}}
  %s = tpu.memref_bitcast %m : memref<8x128xindex, #tpu.memory_space<vmem>> -> memref<8x128xi64, #tpu.memory_space<vmem>>
  return
}

// -----

func.func @bitcast_beyond_count(%m: memref<4611686018427387904x128xf32, #tpu.memory_space<vmem>>) {
  // expected-error @below {{expected less than 2^63 bits, got}}
  %s = tpu.memref_bitcast %m : memref<4611686018427387904x128xf32, #tpu.memory_space<vmem>> -> memref<4611686018427387904x128xi32, #tpu.memory_space<vmem>>
  return
}

// -----

func.func @region_without_end() {
  "tpu.region"() ({
    // expected-error @below {{block with no terminator}}
    %c = arith.constant 0 : i32
  }) : () -> ()
  return
}
