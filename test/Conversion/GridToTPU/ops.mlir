// RUN: gridir-opt %s --convert-grid-to-tpu --split-input-file | FileCheck %s

// The lowering of each op to vectors.

// Matmuls: exact by the precision of either side or by the algorithm, otherwise one pass; a vector gets an additional
// dimension after the batch.

// CHECK-LABEL: func.func @products(
// CHECK-SAME: %[[X:[^:]*]]:{{[^%]*}}%[[Y:[^:]*]]:{{[^%]*}}%[[Z:[^:]*]]:{{[^%]*}}%[[W:[^:]*]]:{{[^%]*}}%[[U:[^:]*]]:{{[^%]*}}%[[V:[^:]*]]:
// CHECK: %[[LOAD:.*]] = vector.load %[[X]][%{{.*}}, %{{.*}}, %{{.*}}] : memref<2x8x4xf32, #tpu.memory_space<vmem>>, vector<2x8x4xf32>
// CHECK: %[[LOAD1:.*]] = vector.load %[[Y]][%{{.*}}, %{{.*}}] : memref<2x4xf32, #tpu.memory_space<vmem>>, vector<2x4xf32>
// CHECK: %[[SHAPE_CAST:.*]] = vector.shape_cast %[[LOAD1]] : vector<2x4xf32> to vector<2x1x4xf32>
// CHECK-DAG: %[[CONSTANT:.*]] = arith.constant dense<0.000000e+00> : vector<2x8x1xf32>
// CHECK: %[[MATMUL:.*]] = tpu.matmul %[[LOAD]], %[[SHAPE_CAST]], %[[CONSTANT]] {dimension_numbers = #tpu.dot_dimension_numbers<[2], [2], [1], [1], [0, 0, 0, 1, 1, 1], [0], [0]>, precision = #tpu.contract_precision<fp32>, transpose_lhs_hint = false} : vector<2x8x4xf32>, vector<2x1x4xf32>, vector<2x8x1xf32> -> vector<2x8x1xf32>
// CHECK: %[[SHAPE_CAST1:.*]] = vector.shape_cast %[[MATMUL]] : vector<2x8x1xf32> to vector<2x8xf32>
// CHECK: tpu.vector_store %[[W]][%{{.*}}, %{{.*}}], %[[SHAPE_CAST1]] {strides = array<i32>} : memref<2x8xf32, #tpu.memory_space<vmem>>, vector<2x8xf32>,
// CHECK: %[[LOAD2:.*]] = vector.load %[[Z]][%{{.*}}, %{{.*}}] : memref<4x8xf32, #tpu.memory_space<vmem>>, vector<4x8xf32>
// CHECK-DAG: %[[CONSTANT1:.*]] = arith.constant dense<0.000000e+00> : vector<8x8xf32>
// CHECK: %[[MATMUL1:.*]] = tpu.matmul %[[LOAD2]], %[[LOAD2]], %[[CONSTANT1]] {dimension_numbers = #tpu.dot_dimension_numbers<[0], [0], [1], [1], [0, 1, 1, 1], [], []>, precision = #tpu.contract_precision<fp32>, transpose_lhs_hint = false} : vector<4x8xf32>, vector<4x8xf32>, vector<8x8xf32> -> vector<8x8xf32>
// CHECK: tpu.vector_store %[[U]][%{{.*}}, %{{.*}}], %[[MATMUL1]] {strides = array<i32>} : memref<8x8xf32, #tpu.memory_space<vmem>>, vector<8x8xf32>,
// CHECK-DAG: %[[CONSTANT2:.*]] = arith.constant dense<0.000000e+00> : vector<8x8xf32>
// CHECK: %[[MATMUL2:.*]] = tpu.matmul %[[LOAD2]], %[[LOAD2]], %[[CONSTANT2]] {dimension_numbers = #tpu.dot_dimension_numbers<[0], [0], [1], [1], [0, 1, 1, 1], [], []>, transpose_lhs_hint = false} : vector<4x8xf32>, vector<4x8xf32>, vector<8x8xf32> -> vector<8x8xf32>
// CHECK: tpu.vector_store %[[V]][%{{.*}}, %{{.*}}], %[[MATMUL2]] {strides = array<i32>} : memref<8x8xf32, #tpu.memory_space<vmem>>, vector<8x8xf32>,
grid.kernel @products grid()
    inputs(%x: f32 [2, 8, 4], %y: f32 [2, 4], %z: f32 [4, 8]) outputs(%o: f32 [2, 8], %p: f32 [8, 8], %q: f32 [8, 8]) {
  %0 = grid.load %x : memref<2x8x4xf32, #grid.space<default>> -> tensor<2x8x4xf32>
  %1 = grid.load %y : memref<2x4xf32, #grid.space<default>> -> tensor<2x4xf32>
  %2 = grid.dot %0, %1 contract [2] x [1] batch [0] x [0] precision ["default", "highest"] : tensor<2x8x4xf32>, tensor<2x4xf32> -> tensor<2x8xf32>
  grid.store %2, %o : tensor<2x8xf32>, memref<2x8xf32, #grid.space<default>>
  %3 = grid.load %z : memref<4x8xf32, #grid.space<default>> -> tensor<4x8xf32>
  %4 = grid.dot %3, %3 contract [0] x [0] {algorithm = "F32_F32_F32"} : tensor<4x8xf32>, tensor<4x8xf32> -> tensor<8x8xf32>
  grid.store %4, %p : tensor<8x8xf32>, memref<8x8xf32, #grid.space<default>>
  %5 = grid.dot %3, %3 contract [0] x [0] precision ["default", "default"] {algorithm = "BF16_BF16_F32"} : tensor<4x8xf32>, tensor<4x8xf32> -> tensor<8x8xf32>
  grid.store %5, %q : tensor<8x8xf32>, memref<8x8xf32, #grid.space<default>>
}

// -----

// Shapes: a Ref that is read in another shape and order, a broadcast along the middle, a permutation that is not its own
// inverse, an element, numbers that count.

// CHECK-LABEL: func.func @shapes(
// CHECK-SAME: %[[X:[^:]*]]:{{[^%]*}}%[[Y:[^:]*]]:{{[^%]*}}%[[Z:[^:]*]]:{{[^%]*}}%[[W:[^:]*]]:{{[^%]*}}%{{[^:]*}}:{{[^%]*}}%[[V:[^:]*]]:
// CHECK: %[[LOAD:.*]] = vector.load %[[X]][%{{.*}}, %{{.*}}, %{{.*}}] : memref<2x3x128xf32, #tpu.memory_space<vmem>>, vector<2x3x128xf32>
// CHECK: %[[TRANSPOSE:.*]] = tpu.transpose %[[LOAD]], [2, 0, 1] : vector<2x3x128xf32> -> vector<128x2x3xf32>
// CHECK: tpu.vector_store %[[Z]][%{{.*}}, %{{.*}}, %{{.*}}], %[[TRANSPOSE]] {strides = array<i32>} : memref<128x2x3xf32, #tpu.memory_space<vmem>>, vector<128x2x3xf32>,
// CHECK: %[[LOAD1:.*]] = vector.load %[[X]][%{{.*}}, %{{.*}}, %{{.*}}] : memref<2x3x128xf32, #tpu.memory_space<vmem>>, vector<2x3x128xf32>
// CHECK: %[[SHAPE_CAST:.*]] = vector.shape_cast %[[LOAD1]] : vector<2x3x128xf32> to vector<6x128xf32>
// CHECK: tpu.vector_store %[[W]][%{{.*}}, %{{.*}}], %[[SHAPE_CAST]] {strides = array<i32>} : memref<6x128xf32, #tpu.memory_space<vmem>>, vector<6x128xf32>,
// CHECK: %[[LOAD2:.*]] = vector.load %[[X]][%{{.*}}, %{{.*}}, %{{.*}}] : memref<2x3x128xf32, #tpu.memory_space<vmem>>, vector<2x1x128xf32>
// CHECK: %[[SHAPE_CAST1:.*]] = vector.shape_cast %[[LOAD2]] : vector<2x1x128xf32> to vector<2x128xf32>
// CHECK: %[[BROADCAST:.*]] = vector.broadcast %[[LOAD2]] : vector<2x1x128xf32> to vector<2x4x128xf32>
// CHECK: %[[EXTRACT:.*]] = vector.extract %[[SHAPE_CAST1]][1, 5] : f32 from vector<2x128xf32>
// CHECK: %[[BROADCAST1:.*]] = vector.broadcast %[[EXTRACT]] : f32 to vector<2x4x128xf32>
// CHECK: %[[ADDF:.*]] = arith.addf %[[BROADCAST]], %[[BROADCAST1]] : vector<2x4x128xf32>
// CHECK: tpu.vector_store %[[Y]][%{{.*}}, %{{.*}}, %{{.*}}], %[[ADDF]] {strides = array<i32>} : memref<2x4x128xf32, #tpu.memory_space<vmem>>, vector<2x4x128xf32>,
// CHECK: %[[LOAD3:.*]] = vector.load %[[X]][%{{.*}}, %{{.*}}, %{{.*}}] : memref<2x3x128xf32, #tpu.memory_space<vmem>>, vector<2x3x128xf32>
// CHECK: %[[TRANSPOSE1:.*]] = tpu.transpose %[[LOAD3]], [1, 0, 2] : vector<2x3x128xf32> -> vector<3x2x128xf32>
// CHECK: tpu.vector_store %[[V]][%{{.*}}, %{{.*}}, %{{.*}}], %[[TRANSPOSE1]] {strides = array<i32>} : memref<3x2x128xf32, #tpu.memory_space<vmem>>, vector<3x2x128xf32>,
grid.kernel @shapes grid()
    inputs(%x: f32 [2, 3, 128]) outputs(%o: f32 [2, 4, 128], %p: f32 [128, 2, 3], %q: f32 [6, 128], %r: i32 [2, 128], %s: f32 [3, 2, 128]) {
  %0 = grid.load %x : memref<2x3x128xf32, #grid.space<default>> -> tensor<2x3x128xf32>
  %e = tensor.empty() : tensor<128x2x3xf32>
  %1 = linalg.transpose ins(%0 : tensor<2x3x128xf32>) outs(%e : tensor<128x2x3xf32>) permutation = [2, 0, 1]
  grid.store %1, %p : tensor<128x2x3xf32>, memref<128x2x3xf32, #grid.space<default>>
  %flat = grid.reshape_ref %x : memref<2x3x128xf32, #grid.space<default>> -> memref<6x128xf32, #grid.space<default>>
  %2 = grid.load %flat : memref<6x128xf32, #grid.space<default>> -> tensor<6x128xf32>
  grid.store %2, %q : tensor<6x128xf32>, memref<6x128xf32, #grid.space<default>>
  %row = grid.slice_ref %x[0, 1, 0] [2, 1, 128] [1, 1, 1] drop [1] : memref<2x3x128xf32, #grid.space<default>> -> memref<2x128xf32, #grid.space<default>>
  %3 = grid.load %row : memref<2x128xf32, #grid.space<default>> -> tensor<2x128xf32>
  %f = tensor.empty() : tensor<2x4x128xf32>
  %4 = linalg.broadcast ins(%3 : tensor<2x128xf32>) outs(%f : tensor<2x4x128xf32>) dimensions = [1]
  %c1 = arith.constant 1 : index
  %c5 = arith.constant 5 : index
  %5 = tensor.extract %3[%c1, %c5] : tensor<2x128xf32>
  %g = tensor.empty() : tensor<2x4x128xf32>
  %6 = linalg.fill ins(%5 : f32) outs(%g : tensor<2x4x128xf32>) -> tensor<2x4x128xf32>
  %7 = arith.addf %4, %6 : tensor<2x4x128xf32>
  grid.store %7, %o : tensor<2x4x128xf32>, memref<2x4x128xf32, #grid.space<default>>
  %turned = grid.transpose_ref %x [1, 0, 2] : memref<2x3x128xf32, #grid.space<default>> -> memref<3x2x128xf32, #grid.space<default>>
  %8 = grid.load %turned : memref<3x2x128xf32, #grid.space<default>> -> tensor<3x2x128xf32>
  grid.store %8, %s : tensor<3x2x128xf32>, memref<3x2x128xf32, #grid.space<default>>
}

// -----

// Control: branches and loops are those of scf, a seed is one of the core, a body without loops is computed once.

// CHECK-LABEL: func.func @control(
// CHECK-SAME: %[[X:[^:]*]]:{{[^%]*}}%[[Y:[^:]*]]:{{[^%]*}}%[[Z:[^:]*]]:{{[^%]*}}%[[W:[^:]*]]:
// CHECK: "tpu.prng_set_seed_32"(%[[X]], %{{.*}}) : (i32, i32) -> ()
// CHECK: %[[PRNG_RANDOM_BITS:.*]] = "tpu.prng_random_bits"() : () -> vector<8x128xi32>
// CHECK: tpu.vector_store %[[W]][%{{.*}}, %{{.*}}], %[[PRNG_RANDOM_BITS]] {strides = array<i32>} : memref<8x128xi32, #tpu.memory_space<vmem>>, vector<8x128xi32>,
// CHECK: %[[CMPI:.*]] = arith.cmpi slt, %[[X]], %{{.*}} : i32
// CHECK: scf.if %[[CMPI]] {
// CHECK: %[[LOAD:.*]] = vector.load %[[Y]][%{{.*}}, %{{.*}}] : memref<8x128xf32, #tpu.memory_space<vmem>>, vector<8x128xf32>
// CHECK: tpu.vector_store %[[Z]][%{{.*}}, %{{.*}}], %[[LOAD]] {strides = array<i32>} : memref<8x128xf32, #tpu.memory_space<vmem>>, vector<8x128xf32>,
// CHECK: } else {
// CHECK: %[[LOAD1:.*]] = vector.load %[[Z]][%{{.*}}, %{{.*}}] : memref<8x128xf32, #tpu.memory_space<vmem>>, vector<8x128xf32>
// CHECK: %[[NEGF:.*]] = arith.negf %[[LOAD1]] : vector<8x128xf32>
// CHECK: tpu.vector_store %[[Z]][%{{.*}}, %{{.*}}], %[[NEGF]] {strides = array<i32>} : memref<8x128xf32, #tpu.memory_space<vmem>>, vector<8x128xf32>,
grid.kernel @control grid(%i = 4)
    inputs(%x: f32 [8, 128]) outputs(%o: f32 [8, 128], %p: i32 [8, 128]) {
  %n = grid.program_id 0
  %c1 = arith.constant 1 : i32
  grid.prng_seed %n, %c1 : i32, i32
  %bits = grid.prng_bits : tensor<8x128xi32>
  grid.store %bits, %p : tensor<8x128xi32>, memref<8x128xi32, #grid.space<default>>
  %first = arith.cmpi slt, %n, %c1 : i32
  scf.if %first {
    %0 = grid.load %x : memref<8x128xf32, #grid.space<default>> -> tensor<8x128xf32>
    grid.store %0, %o : tensor<8x128xf32>, memref<8x128xf32, #grid.space<default>>
  } else {
    %0 = grid.load %o : memref<8x128xf32, #grid.space<default>> -> tensor<8x128xf32>
    %1 = arith.negf %0 : tensor<8x128xf32>
    grid.store %1, %o : tensor<8x128xf32>, memref<8x128xf32, #grid.space<default>>
  }
}

// -----

// One buffer may be revisited in any order, two immediately.

// CHECK-LABEL: func.func @revisits(
// CHECK-SAME: pipeline_mode = #tpu.pipeline_mode<synchronous>, revisit_mode = #tpu.revisit_mode<any>
// CHECK-SAME: pipeline_mode = #tpu.pipeline_mode<double_buffered>, revisit_mode = #tpu.revisit_mode<immediate>
grid.kernel @revisits grid(%i = 4)
    inputs(%x: f32 [32, 128] block [8, 128] at (%i, 0) pipeline <1, revisit = any>,
           %y: f32 [32, 128] block [8, 128] at (%i, 0) pipeline <2, revisit = immediate>)
    outputs(%o: f32 [32, 128] block [8, 128] at (%i, 0)) {
}

// -----

// Several contracted and batch dimensions; a product without any contracts one of size 1 after the batch.

// CHECK-LABEL: func.func @contracted
// CHECK: tpu.matmul %{{.*}} {dimension_numbers = #tpu.dot_dimension_numbers<[1, 2], [2, 0], [0], [1], [0, 0, 1, 1], [], []>, transpose_lhs_hint = false} : vector<8x2x4xf32>, vector<4x16x2xf32>, vector<8x16xf32> -> vector<8x16xf32>
grid.kernel @contracted grid()
    inputs(%x: f32 [8, 2, 4], %y: f32 [4, 16, 2]) outputs(%o: f32 [8, 16]) {
  %0 = grid.load %x : memref<8x2x4xf32, #grid.space<default>> -> tensor<8x2x4xf32>
  %1 = grid.load %y : memref<4x16x2xf32, #grid.space<default>> -> tensor<4x16x2xf32>
  %2 = grid.dot %0, %1 contract [1, 2] x [2, 0] : tensor<8x2x4xf32>, tensor<4x16x2xf32> -> tensor<8x16xf32>
  grid.store %2, %o : tensor<8x16xf32>, memref<8x16xf32, #grid.space<default>>
}

// -----

// CHECK-LABEL: func.func @outer
// CHECK-DAG: %[[X:.*]] = vector.shape_cast %{{.*}} : vector<2x8xf32> to vector<2x1x8xf32>
// CHECK-DAG: %[[Y:.*]] = vector.shape_cast %{{.*}} : vector<2x16xf32> to vector<2x1x16xf32>
// CHECK: tpu.matmul %[[X]], %[[Y]], %{{.*}} {dimension_numbers = #tpu.dot_dimension_numbers<[1], [1], [2], [2], [0, 0, 0, 2, 1, 2], [0], [0]>
grid.kernel @outer grid()
    inputs(%x: f32 [2, 8], %y: f32 [2, 16]) outputs(%o: f32 [2, 8, 16]) {
  %0 = grid.load %x : memref<2x8xf32, #grid.space<default>> -> tensor<2x8xf32>
  %1 = grid.load %y : memref<2x16xf32, #grid.space<default>> -> tensor<2x16xf32>
  %2 = grid.dot %0, %1 contract [] x [] batch [0] x [0] : tensor<2x8xf32>, tensor<2x16xf32> -> tensor<2x8x16xf32>
  grid.store %2, %o : tensor<2x8x16xf32>, memref<2x8x16xf32, #grid.space<default>>
}
