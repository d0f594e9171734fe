// RUN: gridir-opt %s | gridir-opt | FileCheck %s
// RUN: gridir-opt %s --mlir-print-op-generic | gridir-opt | FileCheck %s

// Every op of the dialect, in its own text and in generic form.

// CHECK-LABEL: func.func @memory(
func.func @memory(%m: memref<16x128xf32, #tpu.memory_space<vmem>>, %i: index, %a: i32,
                  %mask: vector<8x128xi1>) {
  // CHECK: %[[V:.*]] = tpu.vector_load %{{.*}}[%{{.*}}, %{{.*}}] {strides = array<i32>} : memref<16x128xf32, #tpu.memory_space<vmem>>, vector<8x128xf32>,
  %v = tpu.vector_load %m[%i, %i] {strides = array<i32>} : memref<16x128xf32, #tpu.memory_space<vmem>>, vector<8x128xf32>,
  // CHECK: tpu.vector_load %{{.*}}[%{{.*}}, %{{.*}}] masked %{{.*}} {strides = array<i32>} : memref<16x128xf32, #tpu.memory_space<vmem>>, vector<8x128xf32>, vector<8x128xi1>
  %w = tpu.vector_load %m[%i, %i] masked %mask {strides = array<i32>} : memref<16x128xf32, #tpu.memory_space<vmem>>, vector<8x128xf32>, vector<8x128xi1>
  // CHECK: tpu.vector_store %{{.*}}[%{{.*}}, %{{.*}}], %[[V]] {strides = array<i32>} : memref<16x128xf32, #tpu.memory_space<vmem>>, vector<8x128xf32>,
  tpu.vector_store %m[%i, %i], %v {strides = array<i32>} : memref<16x128xf32, #tpu.memory_space<vmem>>, vector<8x128xf32>,
  // CHECK: tpu.vector_store %{{.*}} masked %{{.*}} {add = true, strides = array<i32>}
  tpu.vector_store %m[%i, %i], %w masked %mask {add = true, strides = array<i32>} : memref<16x128xf32, #tpu.memory_space<vmem>>, vector<8x128xf32>, vector<8x128xi1>
  // CHECK: tpu.strided_load %{{.*}} {strides = array<i32: 2, 1>}
  %s = tpu.strided_load %m[%i, %i] {strides = array<i32: 2, 1>} : memref<16x128xf32, #tpu.memory_space<vmem>>, vector<8x128xf32>
  // CHECK: tpu.strided_store %{{.*}} {strides = array<i32: 2, 1>}
  tpu.strided_store %m[%i, %i], %s {strides = array<i32: 2, 1>} : memref<16x128xf32, #tpu.memory_space<vmem>>, vector<8x128xf32>
  // CHECK: tpu.memref_slice %{{.*}}[%{{.*}}, %{{.*}}] : memref<16x128xf32, #tpu.memory_space<vmem>> -> memref<1x128xf32, #tpu.memory_space<vmem>>
  %row = tpu.memref_slice %m[%a, %a] : memref<16x128xf32, #tpu.memory_space<vmem>> -> memref<1x128xf32, #tpu.memory_space<vmem>>
  // CHECK: tpu.memref_slice %{{.*}}[%{{.*}}, %{{.*}}] <%{{.*}}> :
  %part = tpu.memref_slice %m[%a, %a] <%a> : memref<16x128xf32, #tpu.memory_space<vmem>> -> memref<?x128xf32, #tpu.memory_space<vmem>>
  // CHECK: tpu.memref_squeeze
  %line = tpu.memref_squeeze %row : memref<1x128xf32, #tpu.memory_space<vmem>> -> memref<128xf32, #tpu.memory_space<vmem>>
  // CHECK: tpu.memref_reshape
  %shape = tpu.memref_reshape %m : memref<16x128xf32, #tpu.memory_space<vmem>> -> memref<2x8x128xf32, #tpu.memory_space<vmem>>
  // CHECK: tpu.memref_bitcast
  %bits = tpu.memref_bitcast %m : memref<16x128xf32, #tpu.memory_space<vmem>> -> memref<32x128xbf16, #tpu.memory_space<vmem>>
  return
}

// CHECK-LABEL: func.func @compute(
func.func @compute(%a: vector<8x128xf32>, %b: vector<128x256xf32>, %c: vector<8x256xf32>, %n: i32,
                   %i: vector<8x128xi32>) {
  // CHECK: tpu.matmul %{{.*}} {dimension_numbers = #tpu.dot_dimension_numbers<[1], [0], [0], [1], [0, 0, 1, 1], [], []>, precision = #tpu.contract_precision<fp32>, transpose_lhs_hint = false}
  %0 = tpu.matmul %a, %b, %c {dimension_numbers = #tpu.dot_dimension_numbers<[1], [0], [0], [1], [0, 0, 1, 1], [], []>, precision = #tpu.contract_precision<fp32>, transpose_lhs_hint = false} : vector<8x128xf32>, vector<128x256xf32>, vector<8x256xf32> -> vector<8x256xf32>
  // CHECK: tpu.reciprocal %{{.*}} {approx = true}
  %1 = tpu.reciprocal %a {approx = true} : vector<8x128xf32> -> vector<8x128xf32>
  // CHECK: tpu.logistic %{{.*}} : vector<8x128xf32> -> vector<8x128xf32>
  %11 = tpu.logistic %a : vector<8x128xf32> -> vector<8x128xf32>
  // CHECK: tpu.reduce_index %{{.*}} {axis = 1 : i32, kind = #tpu.reduction_kind<arg_max>}
  %2 = tpu.reduce_index %a {axis = 1 : i32, kind = #tpu.reduction_kind<arg_max>} : vector<8x128xf32> -> vector<8xi32>
  // CHECK: tpu.iota {dimensions = array<i32: 1>} : vector<8x128xi32>
  %3 = tpu.iota {dimensions = array<i32: 1>} : vector<8x128xi32>
  // CHECK: tpu.weird
  %4 = tpu.weird %a : vector<8x128xf32> -> vector<8x128xi1>
  // CHECK: tpu.transpose %{{.*}}, [1, 0]
  %5 = tpu.transpose %a, [1, 0] : vector<8x128xf32> -> vector<128x8xf32>
  // CHECK: tpu.concatenate %{{.*}}, %{{.*}} in 1
  %6 = tpu.concatenate %a, %a in 1 : vector<8x128xf32>, vector<8x128xf32> -> vector<8x256xf32>
  // CHECK: tpu.repeat %{{.*}}, 1 x 2
  %7 = tpu.repeat %a, 1 x 2 : vector<8x128xf32> -> vector<8x256xf32>
  // CHECK: tpu.bitcast
  %8 = tpu.bitcast %a : vector<8x128xf32> -> vector<16x128xbf16>
  // CHECK: tpu.dynamic_rotate %{{.*}} by %{{.*}} dim 1
  %9 = tpu.dynamic_rotate %a by %n dim 1 : vector<8x128xf32>, i32 -> vector<8x128xf32>
  // CHECK: tpu.dynamic_gather %{{.*}}[%{{.*}}] in [1]
  %10 = tpu.dynamic_gather %a[%i] in [1] : vector<8x128xf32>, vector<8x128xi32> -> vector<8x128xf32>
  return
}

// CHECK-LABEL: func.func @async(
func.func @async(%s: memref<8x128xf32, #tpu.memory_space<any>>, %t: memref<8x128xf32, #tpu.memory_space<vmem>>,
                 %q: memref<!tpu.dma_semaphore, #tpu.memory_space<semaphore_mem>>, %n: i32) {
  // CHECK: tpu.enqueue_dma source(%{{.*}} : memref<8x128xf32, #tpu.memory_space<any>>) target(%{{.*}} : memref<8x128xf32, #tpu.memory_space<vmem>>) target_semaphore(%{{.*}} : memref<!tpu.dma_semaphore, #tpu.memory_space<semaphore_mem>>)
  tpu.enqueue_dma source(%s : memref<8x128xf32, #tpu.memory_space<any>>) target(%t : memref<8x128xf32, #tpu.memory_space<vmem>>) target_semaphore(%q : memref<!tpu.dma_semaphore, #tpu.memory_space<semaphore_mem>>)
  // CHECK: tpu.enqueue_dma {{.*}} source_semaphore(%{{.*}}) target_semaphore(%{{.*}}) device_id(%{{.*}})
  tpu.enqueue_dma source(%s : memref<8x128xf32, #tpu.memory_space<any>>) target(%t : memref<8x128xf32, #tpu.memory_space<vmem>>) source_semaphore(%q : memref<!tpu.dma_semaphore, #tpu.memory_space<semaphore_mem>>) target_semaphore(%q : memref<!tpu.dma_semaphore, #tpu.memory_space<semaphore_mem>>) device_id(%n)
  // CHECK: tpu.wait_dma source(%{{.*}}) target(%{{.*}}) target_semaphore(%{{.*}}) {wait_target = true}
  tpu.wait_dma source(%s : memref<8x128xf32, #tpu.memory_space<any>>) target(%t : memref<8x128xf32, #tpu.memory_space<vmem>>) target_semaphore(%q : memref<!tpu.dma_semaphore, #tpu.memory_space<semaphore_mem>>) {wait_target = true}
  // CHECK: tpu.wait_dma2 semaphore(%{{.*}}) src(%{{.*}}) dst(%{{.*}})
  tpu.wait_dma2 semaphore(%q : memref<!tpu.dma_semaphore, #tpu.memory_space<semaphore_mem>>) src(%s : memref<8x128xf32, #tpu.memory_space<any>>) dst(%t : memref<8x128xf32, #tpu.memory_space<vmem>>)
  // CHECK: %[[B:.*]] = tpu.sem_barrier : memref<!tpu.semaphore, #tpu.memory_space<semaphore_mem>>
  %b = tpu.sem_barrier : memref<!tpu.semaphore, #tpu.memory_space<semaphore_mem>>
  // CHECK: tpu.sem_signal %[[B]], %{{.*}} device_id %{{.*}} core_id %{{.*}} :
  tpu.sem_signal %b, %n device_id %n core_id %n : memref<!tpu.semaphore, #tpu.memory_space<semaphore_mem>>
  // CHECK: tpu.sem_wait %[[B]], %{{.*}} :
  tpu.sem_wait %b, %n : memref<!tpu.semaphore, #tpu.memory_space<semaphore_mem>>
  // CHECK: tpu.sem_read %[[B]] : memref<!tpu.semaphore, #tpu.memory_space<semaphore_mem>> -> i32
  %r = tpu.sem_read %b : memref<!tpu.semaphore, #tpu.memory_space<semaphore_mem>> -> i32
  return
}

// CHECK-LABEL: func.func @program(
func.func @program(%n: i32) {
  // CHECK: tpu.iteration_bound 0 : i32
  %0 = tpu.iteration_bound 0 : i32
  // CHECK: tpu.device_id : i32
  %1 = tpu.device_id : i32
  // CHECK: tpu.assume_multiple %{{.*}}, 128 : i32
  %2 = tpu.assume_multiple %n, 128 : i32
  // CHECK: tpu.delay
  tpu.delay %n
  // CHECK: "tpu.prng_set_seed_32"(%{{.*}}) : (i32) -> ()
  "tpu.prng_set_seed_32"(%n) : (i32) -> ()
  // CHECK: "tpu.prng_random_bits"() : () -> vector<8x128xi32>
  %3 = "tpu.prng_random_bits"() : () -> vector<8x128xi32>
  // CHECK: "tpu.region"() ({
  "tpu.region"() ({
    // CHECK: tpu.sem_alloc : memref<2x!tpu.dma_semaphore, #tpu.memory_space<semaphore_mem>>
    %4 = tpu.sem_alloc : memref<2x!tpu.dma_semaphore, #tpu.memory_space<semaphore_mem>>
    // CHECK: "tpu.trace"() <{level = 10 : i32, message = "copy"}> ({
    "tpu.trace"() <{level = 10 : i32, message = "copy"}> ({
      "tpu.yield"() : () -> ()
    }) : () -> ()
    "tpu.yield"() : () -> ()
  }) : () -> ()
  // CHECK: "tpu.trace_start"() <{level = 10 : i32, message = "step"}> : () -> ()
  "tpu.trace_start"() <{level = 10 : i32, message = "step"}> : () -> ()
  // CHECK: tpu.trace_value %{{.*}}, "tokens" : i32
  tpu.trace_value %n, "tokens" : i32
  // CHECK: "tpu.trace_stop"() : () -> ()
  "tpu.trace_stop"() : () -> ()
  // CHECK: tpu.log "step" : [%{{.*}}] : i32
  tpu.log "step" : [%n] : i32
  // CHECK: tpu.log_buffer "x = " {shape = array<i64: 8, 128>} : %{{.*}} : memref<8x128xf32, #tpu.memory_space<vmem>>
  %logged = memref.alloca() : memref<8x128xf32, #tpu.memory_space<vmem>>
  tpu.log_buffer "x = " {shape = array<i64: 8, 128>} : %logged : memref<8x128xf32, #tpu.memory_space<vmem>>
  return
}

// Those of a SparseCore take tensors and Refs as well: a kernel in `grid` says them.
// CHECK-LABEL: func.func @sparse_core(
func.func @sparse_core(%m: memref<64x8xi32, #tpu.memory_space<hbm>>, %rows: memref<16x8xi32, #tpu.memory_space<vmem>>,
                       %at: memref<16xi32, #tpu.memory_space<vmem>>, %table: memref<64xi32, #tpu.memory_space<vmem>>,
                       %q: memref<!tpu.dma_semaphore, #tpu.memory_space<semaphore_mem>>, %n: i32, %id: index,
                       %v: vector<8xi32>, %k: vector<8xi1>, %t: tensor<8xi32>, %i: vector<16xi32>) {
  // CHECK: tpu.barrier %{{.*}}
  tpu.barrier %id
  // CHECK: tpu.enqueue_indirect_dma source(%{{.*}} : {{.*}}) target(%{{.*}} : {{.*}}) offsets(%{{.*}} : memref<16xi32, {{.*}}) semaphore(%{{.*}} : {{.*}}) filter(%{{.*}}) {add = true}
  tpu.enqueue_indirect_dma source(%m : memref<64x8xi32, #tpu.memory_space<hbm>>) target(%rows : memref<16x8xi32, #tpu.memory_space<vmem>>) offsets(%at : memref<16xi32, #tpu.memory_space<vmem>>) semaphore(%q : memref<!tpu.dma_semaphore, #tpu.memory_space<semaphore_mem>>) filter(%n) {add = true}
  // CHECK: tpu.enqueue_indirect_dma source({{.*}} offsets(%{{.*}} : vector<16xi32>) semaphore(%{{.*}} : memref<!tpu.dma_semaphore, #tpu.memory_space<semaphore_mem>>)
  tpu.enqueue_indirect_dma source(%m : memref<64x8xi32, #tpu.memory_space<hbm>>) target(%rows : memref<16x8xi32, #tpu.memory_space<vmem>>) offsets(%i : vector<16xi32>) semaphore(%q : memref<!tpu.dma_semaphore, #tpu.memory_space<semaphore_mem>>)
  // CHECK: tpu.wait_indirect_dma semaphore(%{{.*}} : {{.*}}) src(%{{.*}} : {{.*}}) dst(%{{.*}} :
  tpu.wait_indirect_dma semaphore(%q : memref<!tpu.dma_semaphore, #tpu.memory_space<semaphore_mem>>) src(%m : memref<64x8xi32, #tpu.memory_space<hbm>>) dst(%rows : memref<16x8xi32, #tpu.memory_space<vmem>>)
  // CHECK: tpu.vector_load_idx %{{.*}}[%{{.*}}] : memref<64xi32, #tpu.memory_space<vmem>>, vector<8xi32> -> vector<8xi32>
  %a = tpu.vector_load_idx %table[%v] : memref<64xi32, #tpu.memory_space<vmem>>, vector<8xi32> -> vector<8xi32>
  // CHECK: tpu.vector_load_idx %{{.*}}[%{{.*}}] masked %{{.*}} : vector<8xi1> : memref<64xi32
  %b = tpu.vector_load_idx %table[%v] masked %k : vector<8xi1> : memref<64xi32, #tpu.memory_space<vmem>>, vector<8xi32> -> vector<8xi32>
  // CHECK: tpu.vector_store_idx %{{.*}}, %{{.*}}[%{{.*}}] {add = true} : vector<8xi32>, memref<64xi32, #tpu.memory_space<vmem>>, vector<8xi32>
  tpu.vector_store_idx %a, %table[%v] {add = true} : vector<8xi32>, memref<64xi32, #tpu.memory_space<vmem>>, vector<8xi32>
  // CHECK: tpu.vector_store_idx %{{.*}}, %{{.*}}[%{{.*}}] masked %{{.*}} : vector<8xi1> :
  tpu.vector_store_idx %b, %table[%v] masked %k : vector<8xi1> : vector<8xi32>, memref<64xi32, #tpu.memory_space<vmem>>, vector<8xi32>
  // CHECK: tpu.vector_store_idx %{{.*}} : tensor<8xi32>, memref<64xi32, #tpu.memory_space<vmem>>, tensor<8xi32>
  tpu.vector_store_idx %t, %table[%t] : tensor<8xi32>, memref<64xi32, #tpu.memory_space<vmem>>, tensor<8xi32>
  // CHECK: tpu.scan %{{.*}}, %{{.*}} {kind = #tpu.reduction_kind<max>} : vector<8xi32>, vector<8xi1> -> vector<8xi32>
  %s = tpu.scan %v, %k {kind = #tpu.reduction_kind<max>} : vector<8xi32>, vector<8xi1> -> vector<8xi32>
  // CHECK: tpu.sort %{{.*}}, %{{.*}}, %{{.*}} {descending = true} : vector<8xi32>, vector<8xi32>, vector<8xi1> -> vector<8xi1>, vector<8xi32>, vector<8xi32>
  %o:3 = tpu.sort %v, %s, %k {descending = true} : vector<8xi32>, vector<8xi32>, vector<8xi1> -> vector<8xi1>, vector<8xi32>, vector<8xi32>
  // CHECK: tpu.scan_count %{{.*}}, %{{.*}} : vector<8xi1>, vector<8xi32> -> vector<8xi1>, vector<8xi32>
  %c:2 = tpu.scan_count %k, %v : vector<8xi1>, vector<8xi32> -> vector<8xi1>, vector<8xi32>
  // CHECK: tpu.all_reduce %{{.*}} {dim = 0 : i64, kind = #tpu.reduction_kind<find_first_set>} : vector<8xi1> -> vector<8xi32>
  %f = tpu.all_reduce %k {dim = 0 : i64, kind = #tpu.reduction_kind<find_first_set>} : vector<8xi1> -> vector<8xi32>
  return
}
