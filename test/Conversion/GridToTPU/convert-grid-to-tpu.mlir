// RUN: gridir-opt %s --convert-grid-to-tpu --split-input-file | FileCheck %s

// Blocks of arrays are arguments, after the grid indices; each has a window with its transform.

// CHECK-LABEL: func.func @add(
// CHECK-SAME: %{{.*}}: i32, %{{.*}}: i32, %[[X:.*]]: memref<128x256xf32, #tpu.memory_space<vmem>>, %[[O:.*]]: memref<128x256xf32, #tpu.memory_space<vmem>>)
// CHECK-SAME: dimension_semantics = [#tpu.dimension_semantics<parallel>, #tpu.dimension_semantics<arbitrary>], iteration_bounds = array<i64: 4, 2>, scalar_prefetch = 0 : i64, scratch_operands = 0 : i64, tpu.core_type = #tpu.core_type<tc>, window_params = [{transform_indices = @transform_0, window_bounds = array<i64: 128, 256>}, {transform_indices = @transform_1, window_bounds = array<i64: 128, 256>}]
// CHECK: %[[V:.*]] = vector.load %[[X]]
// CHECK: %[[W:.*]] = arith.addf %[[V]], %[[V]] : vector<128x256xf32>
// CHECK: tpu.vector_store %[[O]][%{{.*}}, %{{.*}}], %[[W]] {strides = array<i32>} : memref<128x256xf32, #tpu.memory_space<vmem>>, vector<128x256xf32>,
// CHECK-LABEL: func.func @transform_0(
// CHECK-SAME: %[[I:.*]]: i32, %[[J:.*]]: i32) -> (i32, i32)
// CHECK: return %[[I]], %[[J]] : i32, i32
// CHECK-LABEL: func.func @transform_1(
grid.kernel @add grid(%i = 4, %j = 2)
    inputs(%x: f32 [512, 512] block [128, 256] at (%i, %j))
    outputs(%o: f32 [512, 512] block [128, 256] at (%j, %i))
    semantics [parallel, arbitrary] {
  %0 = grid.load %x : memref<128x256xf32, #grid.space<default>> -> tensor<128x256xf32>
  %1 = arith.addf %0, %0 : tensor<128x256xf32>
  grid.store %1, %o : tensor<128x256xf32>, memref<128x256xf32, #grid.space<default>>
}

// -----

// A squeezed dimension stays in the block; the load drops it. A whole array that never moves needs one buffer. What the
// custom call says, and not its body, is kept for the caller.

// CHECK: module attributes {grid.operands = {index = [], inputs = [#grid.operand<f32 [4, 8, 128]
// CHECK-LABEL: func.func @squeezed(
// CHECK-SAME: %{{.*}}: i32, %[[X:.*]]: memref<1x8x128xf32, #tpu.memory_space<vmem>>, %[[Y:.*]]: memref<8x128xf32, #tpu.memory_space<vmem>>
// CHECK-SAME: window_params = [{transform_indices = @transform_0, window_bounds = array<i64: 1, 8, 128>}, {pipeline_mode = #tpu.pipeline_mode<synchronous>, transform_indices = @transform_1
// CHECK: %[[V:.*]] = vector.load %[[X]][%{{.*}}, %{{.*}}, %{{.*}}] : memref<1x8x128xf32, #tpu.memory_space<vmem>>, vector<1x8x128xf32>
// CHECK: vector.shape_cast %[[V]] : vector<1x8x128xf32> to vector<8x128xf32>
grid.kernel @squeezed grid(%i = 4)
    inputs(%x: f32 [4, 8, 128] block [squeezed, 8, 128] at (%i, 0, 0), %y: f32 [8, 128] block [8, 128] at (0, 0))
    outputs(%o: f32 [4, 8, 128] block [squeezed, 8, 128] at (%i, 0, 0))
    params [#grid.tpu_params<vmem_limit_bytes = 1048576>] {
  %0 = grid.load %x : memref<8x128xf32, #grid.space<default>> -> tensor<8x128xf32>
  grid.store %0, %o : tensor<8x128xf32>, memref<8x128xf32, #grid.space<default>>
}

// -----

// Prefetched scalars lie in SMEM, ahead of the blocks; a transform reads them. A dynamic bound is Mosaic's sentinel.

// CHECK-LABEL: func.func @gather(
// CHECK-SAME: %{{.*}}: i32, %{{.*}}: memref<8xi32, #tpu.memory_space<smem>>, %{{.*}}: memref<8x128xf32, #tpu.memory_space<vmem>>
// CHECK-SAME: iteration_bounds = array<i64: -9223372036854775808>, scalar_prefetch = 1 : i64
// CHECK: tpu.iteration_bound 0 : i32
// CHECK-LABEL: func.func @transform_0(
// CHECK-SAME: %[[I:.*]]: i32, %[[R:.*]]: memref<8xi32, #tpu.memory_space<smem>>)
// CHECK: %[[P:.*]] = arith.index_cast %[[I]] : i32 to index
// CHECK: %[[B:.*]] = memref.load %[[R]][%[[P]]]
// CHECK: return %[[B]], %{{.*}} : i32, i32
grid.kernel @gather grid(%i = ?)
    index(%rows: i32 [8] space #tpu.memory_space<smem>)
    inputs(%x: f32 [64, 128] block [8, 128] map(%p: i32, %r: memref<8xi32, #tpu.memory_space<smem>>) {
  %0 = grid.slice_ref %r[%p] [1] [1] drop [0] : memref<8xi32, #tpu.memory_space<smem>>, i32 -> memref<i32, #tpu.memory_space<smem>>
  %1 = grid.load %0 : memref<i32, #tpu.memory_space<smem>> -> i32
  %c0 = arith.constant 0 : i32
  grid.yield %1, %c0 : i32, i32
})
    outputs(%o: f32 [64, 128] block [8, 128] at (%i, 0)) {
  %n = grid.num_programs 0
  %f = arith.sitofp %n : i32 to f32
  %empty = tensor.empty() : tensor<8x128xf32>
  %0 = linalg.fill ins(%f : f32) outs(%empty : tensor<8x128xf32>) -> tensor<8x128xf32>
  grid.store %0, %o : tensor<8x128xf32>, memref<8x128xf32, #grid.space<default>>
}

// -----

// A contraction becomes a matmul that sums in f32; a vector gets a unit dimension.

// CHECK-LABEL: func.func @dot(
// CHECK: %[[Z:.*]] = arith.constant dense<0.000000e+00> : vector<8x16xf32>
// CHECK: %[[M:.*]] = tpu.matmul %{{.*}}, %{{.*}}, %[[Z]] {dimension_numbers = #tpu.dot_dimension_numbers<[1], [1], [0], [0], [0, 0, 1, 0], [], []>, transpose_lhs_hint = false}
// CHECK: arith.truncf %[[M]] : vector<8x16xf32> to vector<8x16xbf16>
grid.kernel @dot grid()
    inputs(%x: bf16 [8, 128], %y: bf16 [16, 128])
    outputs(%o: bf16 [8, 16]) {
  %0 = grid.load %x : memref<8x128xbf16, #grid.space<default>> -> tensor<8x128xbf16>
  %1 = grid.load %y : memref<16x128xbf16, #grid.space<default>> -> tensor<16x128xbf16>
  %2 = grid.dot %0, %1 contract [1] x [1] : tensor<8x128xbf16>, tensor<16x128xbf16> -> tensor<8x16xbf16>
  grid.store %2, %o : tensor<8x16xbf16>, memref<8x16xbf16, #grid.space<default>>
}

// -----

// A structured op is emitted on whole vectors: iota for its indices, select where it chooses. Reductions keep their kind;
// one to a number goes over a vector of one element.

// CHECK-LABEL: func.func @structured(
// CHECK: %[[I:.*]] = tpu.iota {dimensions = array<i32: 1>} : vector<8x128xi32>
// CHECK: arith.cmpi slt, %[[I]], %{{.*}} : vector<8x128xi32>
// CHECK: vector.multi_reduction <maximumf>, %{{.*}}, %{{.*}} [1] : vector<8x128xf32> to vector<8xf32>
// CHECK: vector.multi_reduction <add>, %{{.*}}, %{{.*}} [1] : vector<1x8xf32> to vector<1xf32>
// CHECK: vector.extract %{{.*}}[0] : f32 from vector<1xf32>
#map = affine_map<(d0, d1) -> (d0, d1)>
grid.kernel @structured grid()
    inputs(%x: f32 [8, 128])
    outputs(%o: f32 [8, 128]) {
  %0 = grid.load %x : memref<8x128xf32, #grid.space<default>> -> tensor<8x128xf32>
  %empty = tensor.empty() : tensor<8x128xi32>
  %1 = linalg.generic {indexing_maps = [#map], iterator_types = ["parallel", "parallel"]} outs(%empty : tensor<8x128xi32>) {
  ^bb0(%out: i32):
    %i = linalg.index 1 : index
    %n = arith.index_cast %i : index to i32
    linalg.yield %n : i32
  } -> tensor<8x128xi32>
  %c64 = arith.constant dense<64> : tensor<8x128xi32>
  %2 = arith.cmpi slt, %1, %c64 : tensor<8x128xi32>
  %zero = arith.constant dense<0.0> : tensor<8x128xf32>
  %3 = arith.select %2, %0, %zero : tensor<8x128xi1>, tensor<8x128xf32>
  %lowest = arith.constant dense<0xFF800000> : tensor<8xf32>
  %4 = linalg.reduce ins(%3 : tensor<8x128xf32>) outs(%lowest : tensor<8xf32>) dimensions = [1]
    (%a: f32, %b: f32) {
      %m = arith.maximumf %a, %b : f32
      linalg.yield %m : f32
    }
  %none = arith.constant dense<0.0> : tensor<f32>
  %5 = linalg.reduce ins(%4 : tensor<8xf32>) outs(%none : tensor<f32>) dimensions = [0]
    (%a: f32, %b: f32) {
      %m = arith.addf %a, %b : f32
      linalg.yield %m : f32
    }
  %6 = tensor.extract %5[] : tensor<f32>
  %like = tensor.empty() : tensor<8x128xf32>
  %7 = linalg.fill ins(%6 : f32) outs(%like : tensor<8x128xf32>) -> tensor<8x128xf32>
  grid.store %7, %o : tensor<8x128xf32>, memref<8x128xf32, #grid.space<default>>
}

// -----

// Copies take windows of memory; a scope allocates; bools are held as i32; element windows count elements.

// CHECK-LABEL: func.func @memory(
// CHECK-SAME: %[[I:.*]]: i32, %[[X:.*]]: memref<64x8x128xf32, #tpu.memory_space<any>>, %[[B:.*]]: memref<8x128xi32, #tpu.memory_space<vmem>>
// CHECK-SAME: window_params = [{}, {{{.*}}window_kind = #tpu.element_window<[0, 0], [0, 0]>}]
// CHECK: "tpu.region"() ({
// CHECK: %[[T:.*]] = memref.alloca() : memref<8x128xf32, #tpu.memory_space<vmem>>
// CHECK: %[[S:.*]] = tpu.sem_alloc : memref<!tpu.dma_semaphore, #tpu.memory_space<semaphore_mem>>
// CHECK: %[[W:.*]] = tpu.memref_slice %[[X]][%[[I]], %{{.*}}, %{{.*}}] : memref<64x8x128xf32, #tpu.memory_space<any>> -> memref<1x8x128xf32, #tpu.memory_space<any>>
// CHECK: %[[V:.*]] = tpu.memref_squeeze %[[W]]
// CHECK: tpu.enqueue_dma source(%[[V]] {{.*}} target(%[[T]] {{.*}} target_semaphore(%[[S]]
// CHECK: tpu.wait_dma2 semaphore(%[[S]]
// CHECK: %[[L:.*]] = vector.load %[[T]]
// CHECK: %[[C:.*]] = arith.cmpf ogt, %[[L]]
// CHECK: %[[E:.*]] = arith.extui %[[C]] : vector<8x128xi1> to vector<8x128xi32>
// CHECK: tpu.vector_store %[[B]][%{{.*}}, %{{.*}}], %[[E]]
// CHECK-LABEL: func.func @transform_1(
// CHECK: arith.muli
grid.kernel @memory grid(%i = 8)
    inputs(%x: f32 [64, 8, 128] space any)
    outputs(%o: i1 [64, 128] block [element(8), element(128)] at (%i * 8, 0)) {
  %p = grid.program_id 0
  grid.scoped (%t: memref<8x128xf32, #tpu.memory_space<vmem>>, %s: memref<!grid.semaphore<dma>, #tpu.memory_space<semaphore_mem>>) {
    %w = grid.slice_ref %x[%p, 0, 0] [1, 8, 128] [1, 1, 1] drop [0] : memref<64x8x128xf32, #grid.space<any>>, i32 -> memref<8x128xf32, #grid.space<any>>
    grid.copy_start %w, %t sem %s : memref<8x128xf32, #grid.space<any>>, memref<8x128xf32, #tpu.memory_space<vmem>>, memref<!grid.semaphore<dma>, #tpu.memory_space<semaphore_mem>>
    grid.copy_wait %w, %t sem %s : memref<8x128xf32, #grid.space<any>>, memref<8x128xf32, #tpu.memory_space<vmem>>, memref<!grid.semaphore<dma>, #tpu.memory_space<semaphore_mem>>
    %0 = grid.load %t : memref<8x128xf32, #tpu.memory_space<vmem>> -> tensor<8x128xf32>
    %zero = arith.constant dense<0.0> : tensor<8x128xf32>
    %1 = arith.cmpf ogt, %0, %zero : tensor<8x128xf32>
    grid.store %1, %o : tensor<8x128xi1>, memref<8x128xi1, #grid.space<default>>
    grid.yield
  }
}

// -----

// A device of the mesh, by its number.

// CHECK-LABEL: func.func @to_device(
// CHECK: %[[OWN:.*]] = tpu.device_id : i32
// CHECK: %[[TO:.*]] = arith.addi %[[OWN]]
// CHECK: tpu.enqueue_dma {{.*}} device_id(%[[TO]])
grid.kernel @to_device grid()
    inputs(%x: f32 [8, 128] space any) outputs(%o: f32 [8, 128] space any)
    scratch(%sent: memref<!grid.semaphore<dma>, #tpu.memory_space<semaphore_mem>>, %arrived: memref<!grid.semaphore<dma>, #tpu.memory_space<semaphore_mem>>)
    attributes {grid.devices = 4 : i64} {
  %one = arith.constant 1 : i32
  %own = grid.device_id
  %to = arith.addi %own, %one : i32
  grid.copy_start %x, %o sem %arrived src_sem %sent device(%to : i32) {device_id_type = #grid.device_id_type<logical>}
      : memref<8x128xf32, #grid.space<any>>, memref<8x128xf32, #grid.space<any>>, memref<!grid.semaphore<dma>, #tpu.memory_space<semaphore_mem>>, memref<!grid.semaphore<dma>, #tpu.memory_space<semaphore_mem>>
}
