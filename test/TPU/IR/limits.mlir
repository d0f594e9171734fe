// RUN: gridir-opt %s -o /dev/null

// Valid ops at the limits of the rules that invalid.mlir and similar tests violate.

func.func @memory(%m: memref<8x128xf32, #tpu.memory_space<vmem>>, %r: memref<1x8x1x128xf32, #tpu.memory_space<vmem>>, %i: index, %k: vector<8x128xi32>, %a: i32) {
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

func.func @async(%s: memref<8x128xf32, #tpu.memory_space<any>>, %t: memref<8x128xf32, #tpu.memory_space<vmem>>, %q: memref<!tpu.dma_semaphore, #tpu.memory_space<semaphore_mem>>, %n: i32) {
  tpu.enqueue_dma source(%s : memref<8x128xf32, #tpu.memory_space<any>>) target(%t : memref<8x128xf32, #tpu.memory_space<vmem>>) target_semaphore(%q : memref<!tpu.dma_semaphore, #tpu.memory_space<semaphore_mem>>) {priority = 0 : i32}
  tpu.enqueue_dma source(%s : memref<8x128xf32, #tpu.memory_space<any>>) target(%t : memref<8x128xf32, #tpu.memory_space<vmem>>) source_semaphore(%q : memref<!tpu.dma_semaphore, #tpu.memory_space<semaphore_mem>>) target_semaphore(%q : memref<!tpu.dma_semaphore, #tpu.memory_space<semaphore_mem>>) core_id(%n) subcore_id(%n)
  %0 = tpu.assume_multiple %n, 1 : i32
  return
}

func.func @compute(%a: vector<2x8x128xf32>, %b: vector<2x128x256xf32>, %c: vector<2x8x256xf32>, %d: vector<16x8xf32>, %e: vector<32x16xf32>, %f: vector<8x32xf32>, %i: vector<8x64xi32>, %n: i32) {
  %0 = tpu.matmul %a, %b, %c {dimension_numbers = #tpu.dot_dimension_numbers<[2], [1], [1], [2], [0, 0, 0, 1, 1, 2], [0], [0]>, transpose_lhs_hint = false} : vector<2x8x128xf32>, vector<2x128x256xf32>, vector<2x8x256xf32> -> vector<2x8x256xf32>
  %1 = tpu.matmul %d, %e, %f {transpose_lhs = true, transpose_lhs_hint = false, transpose_rhs = true} : vector<16x8xf32>, vector<32x16xf32>, vector<8x32xf32> -> vector<8x32xf32>
  %2 = tpu.reduce_index %a {axis = 0 : i32, kind = #tpu.reduction_kind<arg_min>} : vector<2x8x128xf32> -> vector<8x128xi32>
  %3 = tpu.transpose %a, [2, 0, 1] : vector<2x8x128xf32> -> vector<128x2x8xf32>
  %4 = tpu.concatenate %d, %d in 0 : vector<16x8xf32>, vector<16x8xf32> -> vector<32x8xf32>
  %5 = tpu.bitcast %a : vector<2x8x128xf32> -> vector<2x16x128xbf16>
  %6 = tpu.dynamic_rotate %d by %n dim 0 {stride = 0 : si32, stride_dimension = 1 : si32} : vector<16x8xf32>, i32 -> vector<16x8xf32>
  %7 = tpu.dynamic_gather %f[%i] in [1] : vector<8x32xf32>, vector<8x64xi32> -> vector<8x64xf32>
  %8 = tpu.repeat %d, 0 x 2 : vector<16x8xf32> -> vector<32x8xf32>
  return
}

// Of the attributes of the dialect only the type of core asks anything of what is inside.
func.func @note() attributes {tpu.note = "kept"} {
  return
}
