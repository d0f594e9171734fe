// RUN: gridir-opt %s --convert-tpu-to-grid --convert-grid-to-loops --split-input-file | FileCheck %s

// The result of each op of a Mosaic module, element by element.

// Element i of a rotation comes from i - amount - stride * row, around the end; a lookup outside is the nearest one, and
// of equals the first is the least.

module attributes {grid.operands = {inputs = [#grid.operand<f32 [4, 8]>, #grid.operand<i32 [4, 6]>], outputs = [#grid.operand<f32 [4, 6]>, #grid.operand<i32 [4]>]}} {
// CHECK: #[[$MAP:.*]] = affine_map<(d0, d1) -> (d0, d1)>
// CHECK: #[[$MAP1:.*]] = affine_map<(d0, d1) -> (d0)>
// CHECK-LABEL: func.func @lookups(
// CHECK-SAME: %[[X:[^:]*]]:
// CHECK-DAG: %[[CONSTANT14:.*]] = arith.constant 3 : i32
// CHECK: %[[TO_TENSOR:.*]] = bufferization.to_tensor %[[X]] restrict : memref<4x8xf32> to tensor<4x8xf32>
// CHECK: %[[TO_TENSOR1:.*]] = bufferization.to_tensor %{{.*}} restrict : memref<4x6xi32> to tensor<4x6xi32>
// CHECK: %[[INDEX_CAST7:.*]] = arith.index_cast %[[CONSTANT14]] : i32 to index
// CHECK: %[[REMSI0:.*]] = arith.remsi %[[INDEX_CAST7]], %[[CONSTANT16:.*]] : index
// CHECK: %[[AMOUNT:.*]] = arith.select %{{.*}}, %{{.*}}, %[[REMSI0]] : index
// CHECK: %[[EMPTY:.*]] = tensor.empty() : tensor<4x8xf32>
// CHECK: %[[GENERIC:.*]] = linalg.generic {indexing_maps = [#[[$MAP]]], iterator_types = ["parallel", "parallel"]} outs(%[[EMPTY]] : tensor<4x8xf32>) {
// CHECK: ^bb0(%[[I0:.*]]: f32):
// CHECK: %[[INDEX:.*]] = linalg.index 0 : index
// CHECK: %[[INDEX1:.*]] = linalg.index 1 : index
// CHECK: %[[CONSTANT15:.*]] = arith.constant 2 : index
// CHECK: %[[MULI7:.*]] = arith.muli %[[INDEX]], %[[CONSTANT15]] : index
// CHECK: %[[ADDI:.*]] = arith.addi %[[AMOUNT]], %[[MULI7]] : index
// CHECK: %[[SUBI:.*]] = arith.subi %[[INDEX1]], %[[ADDI]] : index
// CHECK: %[[REMSI:.*]] = arith.remsi %[[SUBI]], %[[CONSTANT16]] : index
// CHECK: %[[SELECT:.*]] = arith.select %{{.*}}, %{{.*}}, %[[REMSI]] : index
// CHECK: %[[EXTRACT:.*]] = tensor.extract %[[TO_TENSOR]][%[[INDEX]], %[[SELECT]]] : tensor<4x8xf32>
// CHECK: linalg.yield %[[EXTRACT]] : f32
// CHECK: %[[EMPTY1:.*]] = tensor.empty() : tensor<4x6xf32>
// CHECK: %[[GENERIC1:.*]] = linalg.generic {indexing_maps = [#[[$MAP]]], iterator_types = ["parallel", "parallel"]} outs(%[[EMPTY1]] : tensor<4x6xf32>) {
// CHECK: ^bb0(%[[I1:.*]]: f32):
// CHECK: %[[INDEX2:.*]] = linalg.index 0 : index
// CHECK: %[[INDEX3:.*]] = linalg.index 1 : index
// CHECK: %[[EXTRACT1:.*]] = tensor.extract %[[TO_TENSOR1]][%[[INDEX2]], %[[INDEX3]]] : tensor<4x6xi32>
// CHECK: %[[INDEX_CAST8:.*]] = arith.index_cast %[[EXTRACT1]] : i32 to index
// CHECK-DAG: %[[CONSTANT18:.*]] = arith.constant 0 : index
// CHECK-DAG: %[[CONSTANT19:.*]] = arith.constant 7 : index
// CHECK: %[[MAXSI:.*]] = arith.maxsi %[[INDEX_CAST8]], %[[CONSTANT18]] : index
// CHECK: %[[MINSI:.*]] = arith.minsi %[[MAXSI]], %[[CONSTANT19]] : index
// CHECK: %[[EXTRACT2:.*]] = tensor.extract %[[GENERIC]][%[[INDEX2]], %[[MINSI]]] : tensor<4x8xf32>
// CHECK: linalg.yield %[[EXTRACT2]] : f32
// CHECK-DAG: %[[CONSTANT20:.*]] = arith.constant 0x7F800000 : f32
// CHECK-DAG: %[[CONSTANT21:.*]] = arith.constant 0 : i32
// CHECK: %[[EMPTY2:.*]] = tensor.empty() : tensor<4xf32>
// CHECK: %[[FILL:.*]] = linalg.fill ins(%[[CONSTANT20]] : f32) outs(%[[EMPTY2]] : tensor<4xf32>) -> tensor<4xf32>
// CHECK: %[[EMPTY3:.*]] = tensor.empty() : tensor<4xi32>
// CHECK: %[[FILL1:.*]] = linalg.fill ins(%[[CONSTANT21]] : i32) outs(%[[EMPTY3]] : tensor<4xi32>) -> tensor<4xi32>
// CHECK: %[[GENERIC2:.*]]:2 = linalg.generic {indexing_maps = [#[[$MAP]], #[[$MAP1]], #[[$MAP1]]], iterator_types = ["parallel", "reduction"]} ins(%[[GENERIC1]] : tensor<4x6xf32>) outs(%[[FILL]], %[[FILL1]] : tensor<4xf32>, tensor<4xi32>) {
// CHECK: ^bb0(%[[I2:.*]]: f32, %[[I3:.*]]: f32, %[[I4:.*]]: i32):
// CHECK: %[[INDEX4:.*]] = linalg.index 1 : index
// CHECK: %[[INDEX_CAST9:.*]] = arith.index_cast %[[INDEX4]] : index to i32
// CHECK: %[[CMPF:.*]] = arith.cmpf uno, %[[I2]], %[[I2]] : f32
// CHECK: %[[CMPF1:.*]] = arith.cmpf ord, %[[I3]], %[[I3]] : f32
// CHECK: %[[ANDI:.*]] = arith.andi %[[CMPF]], %[[CMPF1]] : i1
// CHECK: %[[CMPF2:.*]] = arith.cmpf olt, %[[I2]], %[[I3]] : f32
// CHECK: %[[ORI:.*]] = arith.ori %[[CMPF2]], %[[ANDI]] : i1
// CHECK: %[[CMPF3:.*]] = arith.cmpf ueq, %[[I2]], %[[I3]] : f32
// CHECK: %[[CMPF4:.*]] = arith.cmpf uno, %[[I3]], %[[I3]] : f32
// CHECK: %[[CMPI1:.*]] = arith.cmpi eq, %[[CMPF]], %[[CMPF4]] : i1
// CHECK: %[[CMPI2:.*]] = arith.cmpi slt, %[[INDEX_CAST9]], %[[I4]] : i32
// CHECK: %[[ANDI1:.*]] = arith.andi %[[CMPF3]], %[[CMPI1]] : i1
// CHECK: %[[ANDI2:.*]] = arith.andi %[[ANDI1]], %[[CMPI2]] : i1
// CHECK: %[[ORI1:.*]] = arith.ori %[[ORI]], %[[ANDI2]] : i1
// CHECK: %[[SELECT1:.*]] = arith.select %[[ORI1]], %[[I2]], %[[I3]] : f32
// CHECK: %[[SELECT2:.*]] = arith.select %[[ORI1]], %[[INDEX_CAST9]], %[[I4]] : i32
// CHECK: linalg.yield %[[SELECT1]], %[[SELECT2]] : f32, i32
// CHECK: bufferization.materialize_in_destination %[[GENERIC1]] in restrict writable %{{.*}} : (tensor<4x6xf32>, memref<4x6xf32>) -> ()
// CHECK: bufferization.materialize_in_destination %[[GENERIC2]]#1 in restrict writable %{{.*}} : (tensor<4xi32>, memref<4xi32>) -> ()
  func.func @lookups(%x: memref<4x8xf32, #tpu.memory_space<vmem>>, %n: memref<4x6xi32, #tpu.memory_space<vmem>>,
                     %o: memref<4x6xf32, #tpu.memory_space<vmem>>, %p: memref<4xi32, #tpu.memory_space<vmem>>) attributes {
      tpu.core_type = #tpu.core_type<tc>, dimension_semantics = [], scalar_prefetch = 0 : i64, scratch_operands = 0 : i64} {
    %c0 = arith.constant 0 : index
    %c3 = arith.constant 3 : i32
    %v = vector.load %x[%c0, %c0] : memref<4x8xf32, #tpu.memory_space<vmem>>, vector<4x8xf32>
    %w = vector.load %n[%c0, %c0] : memref<4x6xi32, #tpu.memory_space<vmem>>, vector<4x6xi32>
    %r = tpu.dynamic_rotate %v by %c3 dim 1 {stride = 2 : si32, stride_dimension = 0 : si32} : vector<4x8xf32>, i32 -> vector<4x8xf32>
    %g = tpu.dynamic_gather %r[%w] in [1] : vector<4x8xf32>, vector<4x6xi32> -> vector<4x6xf32>
    %a = tpu.reduce_index %g {axis = 1 : i32, kind = #tpu.reduction_kind<arg_min>} : vector<4x6xf32> -> vector<4xi32>
    tpu.vector_store %o[%c0, %c0], %g {strides = array<i32>} : memref<4x6xf32, #tpu.memory_space<vmem>>, vector<4x6xf32>,
    vector.store %a, %p[%c0] : memref<4xi32, #tpu.memory_space<vmem>>, vector<4xi32>
    return
  }
}

// -----

// Windows: with strides, at dynamic offsets, without dimensions of one, under a mask. Bools are
// numbers to Mosaic.

module attributes {grid.operands = {inputs = [#grid.operand<f32 [2, 16, 8]>], outputs = [#grid.operand<f32 [16, 8]>, #grid.operand<i1 [16, 8]>]}} {
// CHECK: #[[$MAP:.*]] = affine_map<(d0) -> (d0)>
// CHECK-LABEL: func.func @windows(
// CHECK-SAME: %[[X:[^:]*]]:
// CHECK: %[[SUBVIEW:.*]] = memref.subview %[[X]][1, 0, 0] [1, 16, 8] [1, 1, 1] : memref<2x16x8xf32> to memref<1x16x8xf32, strided<[128, 8, 1], offset: 128>>
// CHECK: %[[SUBVIEW1:.*]] = memref.subview %[[SUBVIEW]][0, 0, 0] [1, 16, 8] [1, 1, 1] : memref<1x16x8xf32, strided<[128, 8, 1], offset: 128>> to memref<16x8xf32, strided<[8, 1], offset: 128>>
// CHECK: %[[SUBVIEW2:.*]] = memref.subview %[[SUBVIEW1]][1, 0] [4, 8] [4, 1] : memref<16x8xf32, strided<[8, 1], offset: 128>> to memref<4x8xf32, strided<[32, 1], offset: 136>>
// CHECK: %[[TO_TENSOR:.*]] = bufferization.to_tensor %[[SUBVIEW2]] restrict : memref<4x8xf32, strided<[32, 1], offset: 136>> to tensor<4x8xf32>
// CHECK: %[[SUBVIEW3:.*]] = memref.subview %{{.*}}[2, 0] [4, 8] [3, 1] : memref<16x8xf32> to memref<4x8xf32, strided<[24, 1], offset: 16>>
// CHECK: bufferization.materialize_in_destination %[[TO_TENSOR]] in restrict writable %[[SUBVIEW3]] : (tensor<4x8xf32>, memref<4x8xf32, strided<[24, 1], offset: 16>>) -> ()
// CHECK: %[[SUBVIEW4:.*]] = memref.subview %[[SUBVIEW1]][2, 0] [1, 8] [1, 1] : memref<16x8xf32, strided<[8, 1], offset: 128>> to memref<8xf32, strided<[1], offset: 144>>
// CHECK: %[[TO_TENSOR1:.*]] = bufferization.to_tensor %[[SUBVIEW4]] restrict : memref<8xf32, strided<[1], offset: 144>> to tensor<8xf32>
// CHECK-DAG: %[[CONSTANT17:.*]] = arith.constant dense<false> : tensor<8xi1>
// CHECK: %[[SUBVIEW5:.*]] = memref.subview %{{.*}}[1, 0] [1, 8] [1, 1] : memref<16x8xf32> to memref<8xf32, strided<[1], offset: 8>>
// CHECK: %[[TO_TENSOR2:.*]] = bufferization.to_tensor %[[SUBVIEW5]] restrict writable : memref<8xf32, strided<[1], offset: 8>> to tensor<8xf32>
// CHECK: %[[EMPTY:.*]] = tensor.empty() : tensor<8xf32>
// CHECK: %[[GENERIC:.*]] = linalg.generic {indexing_maps = [#[[$MAP]], #[[$MAP]], #[[$MAP]], #[[$MAP]]], iterator_types = ["parallel"]} ins(%[[CONSTANT17]], %[[TO_TENSOR1]], %[[TO_TENSOR2]] : tensor<8xi1>, tensor<8xf32>, tensor<8xf32>) outs(%[[EMPTY]] : tensor<8xf32>) {
// CHECK: ^bb0(%[[I0:.*]]: i1, %[[I1:.*]]: f32, %[[I2:.*]]: f32, %[[I3:.*]]: f32):
// CHECK: %[[SELECT:.*]] = arith.select %[[I0]], %[[I1]], %[[I2]] : f32
// CHECK: linalg.yield %[[SELECT]] : f32
// CHECK: bufferization.materialize_in_destination %[[GENERIC]] in restrict writable %[[SUBVIEW5]] : (tensor<8xf32>, memref<8xf32, strided<[1], offset: 8>>) -> ()
// CHECK: %[[SUBVIEW6:.*]] = memref.subview %{{.*}}[2, 0] [1, 8] [1, 1] : memref<16x8xf32> to memref<8xf32, strided<[1], offset: 16>>
// CHECK: %[[TO_TENSOR3:.*]] = bufferization.to_tensor %[[SUBVIEW6]] restrict writable : memref<8xf32, strided<[1], offset: 16>> to tensor<8xf32>
// CHECK: %[[EMPTY1:.*]] = tensor.empty() : tensor<8xf32>
// CHECK: %[[GENERIC1:.*]] = linalg.generic {indexing_maps = [#[[$MAP]], #[[$MAP]], #[[$MAP]]], iterator_types = ["parallel"]} ins(%[[TO_TENSOR3]], %[[TO_TENSOR1]] : tensor<8xf32>, tensor<8xf32>) outs(%[[EMPTY1]] : tensor<8xf32>) {
// CHECK: ^bb0(%[[I4:.*]]: f32, %[[I5:.*]]: f32, %[[I6:.*]]: f32):
// CHECK: %[[ADDF:.*]] = arith.addf %[[I4]], %[[I5]] : f32
// CHECK: linalg.yield %[[ADDF]] : f32
// CHECK: bufferization.materialize_in_destination %[[GENERIC1]] in restrict writable %[[SUBVIEW6]] : (tensor<8xf32>, memref<8xf32, strided<[1], offset: 16>>) -> ()
// CHECK: %[[TO_TENSOR4:.*]] = bufferization.to_tensor %{{.*}} restrict writable : memref<16x8xi1> to tensor<16x8xi1>
// CHECK: %[[EXTUI:.*]] = arith.extui %[[TO_TENSOR4]] : tensor<16x8xi1> to tensor<16x8xi32>
// CHECK-DAG: %[[CONSTANT18:.*]] = arith.constant dense<0> : tensor<16x8xi32>
// CHECK: %[[CMPI:.*]] = arith.cmpi ne, %[[EXTUI]], %[[CONSTANT18]] : tensor<16x8xi32>
// CHECK: bufferization.materialize_in_destination %[[CMPI]] in restrict writable %{{.*}} : (tensor<16x8xi1>, memref<16x8xi1>) -> ()
  func.func @windows(%x: memref<2x16x8xf32, #tpu.memory_space<vmem>>, %o: memref<16x8xf32, #tpu.memory_space<vmem>>, %s: memref<16x8xi32, #tpu.memory_space<vmem>>) attributes {
      tpu.core_type = #tpu.core_type<tc>, dimension_semantics = [], scalar_prefetch = 0 : i64, scratch_operands = 0 : i64} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c2 = arith.constant 2 : index
    %i1 = arith.constant 1 : i32
    %i0 = arith.constant 0 : i32
    %cut = tpu.memref_slice %x[%i1, %i0, %i0] : memref<2x16x8xf32, #tpu.memory_space<vmem>> -> memref<1x16x8xf32, #tpu.memory_space<vmem>>
    %page = tpu.memref_squeeze %cut : memref<1x16x8xf32, #tpu.memory_space<vmem>> -> memref<16x8xf32, #tpu.memory_space<vmem>>
    %v = tpu.strided_load %page[%c1, %c0] {strides = array<i32: 4, 1>} : memref<16x8xf32, #tpu.memory_space<vmem>>, vector<4x8xf32>
    tpu.strided_store %o[%c2, %c0], %v {strides = array<i32: 3, 1>} : memref<16x8xf32, #tpu.memory_space<vmem>>, vector<4x8xf32>
    %row = tpu.vector_load %page[%c2, %c0] {strides = array<i32>} : memref<16x8xf32, #tpu.memory_space<vmem>>, vector<8xf32>,
    %no = arith.constant dense<false> : vector<8xi1>
    tpu.vector_store %o[%c1, %c0], %row masked %no {strides = array<i32>} : memref<16x8xf32, #tpu.memory_space<vmem>>, vector<8xf32>, vector<8xi1>
    tpu.vector_store %o[%c2, %c0], %row {add = true, strides = array<i32>} : memref<16x8xf32, #tpu.memory_space<vmem>>, vector<8xf32>,
    %b = vector.load %s[%c0, %c0] : memref<16x8xi32, #tpu.memory_space<vmem>>, vector<16x8xi32>
    vector.store %b, %s[%c0, %c0] : memref<16x8xi32, #tpu.memory_space<vmem>>, vector<16x8xi32>
    return
  }
}

// -----

// Shapes: parts one after another, a cut, a broadcast of two kinds, a permutation that is not its own inverse, a count
// along two dimensions.

module attributes {grid.operands = {inputs = [#grid.operand<f32 [2, 3, 4]>], outputs = [#grid.operand<f32 [4, 2, 3]>]}} {
// CHECK: #[[$MAP:.*]] = affine_map<(d0, d1) -> (d0, d1)>
// CHECK-LABEL: func.func @shapes(
// CHECK-SAME: %[[X:[^:]*]]:
// CHECK: %[[TO_TENSOR:.*]] = bufferization.to_tensor %[[X]] restrict : memref<2x3x4xf32> to tensor<2x3x4xf32>
// CHECK: %[[EMPTY:.*]] = tensor.empty() : tensor<4x2x3xf32>
// CHECK: %[[TRANSPOSE:.*]] = linalg.transpose ins(%[[TO_TENSOR]] : tensor<2x3x4xf32>) outs(%[[EMPTY]] : tensor<4x2x3xf32>) permutation = [2, 0, 1]
// CHECK: bufferization.materialize_in_destination %[[TRANSPOSE]] in restrict writable %{{.*}} : (tensor<4x2x3xf32>, memref<4x2x3xf32>) -> ()
// CHECK: %[[EXTRACT_SLICE:.*]] = tensor.extract_slice %[[TO_TENSOR]][1, 1, 0] [1, 2, 4] [1, 1, 1] : tensor<2x3x4xf32> to tensor<1x2x4xf32>
// CHECK: %[[COLLAPSE_SHAPE:.*]] = tensor.collapse_shape %[[EXTRACT_SLICE]] {{\[\[}}0, 1, 2]] : tensor<1x2x4xf32> into tensor<8xf32>
// CHECK: %[[EXPAND_SHAPE:.*]] = tensor.expand_shape %[[COLLAPSE_SHAPE]] {{\[\[}}0, 1]] output_shape [2, 4] : tensor<8xf32> into tensor<2x4xf32>
// CHECK: %[[EXTRACT_SLICE1:.*]] = tensor.extract_slice %[[EXPAND_SHAPE]][1, 0] [1, 4] [1, 1] : tensor<2x4xf32> to tensor<1x4xf32>
// CHECK: %[[EMPTY1:.*]] = tensor.empty() : tensor<4x4xf32>
// CHECK: %[[INSERT_SLICE:.*]] = tensor.insert_slice %[[EXPAND_SHAPE]] into %[[EMPTY1]][0, 0] [2, 4] [1, 1] : tensor<2x4xf32> into tensor<4x4xf32>
// CHECK: %[[INSERT_SLICE1:.*]] = tensor.insert_slice %[[EXTRACT_SLICE1]] into %[[INSERT_SLICE]][2, 0] [1, 4] [1, 1] : tensor<1x4xf32> into tensor<4x4xf32>
// CHECK: %[[INSERT_SLICE2:.*]] = tensor.insert_slice %[[EXTRACT_SLICE1]] into %[[INSERT_SLICE1]][3, 0] [1, 4] [1, 1] : tensor<1x4xf32> into tensor<4x4xf32>
// CHECK: %[[EMPTY2:.*]] = tensor.empty() : tensor<2x4xf32>
// CHECK: %[[INSERT_SLICE3:.*]] = tensor.insert_slice %[[EXTRACT_SLICE1]] into %[[EMPTY2]][0, 0] [1, 4] [1, 1] : tensor<1x4xf32> into tensor<2x4xf32>
// CHECK: %[[INSERT_SLICE4:.*]] = tensor.insert_slice %[[EXTRACT_SLICE1]] into %[[INSERT_SLICE3]][1, 0] [1, 4] [1, 1] : tensor<1x4xf32> into tensor<2x4xf32>
// CHECK: %[[EMPTY3:.*]] = tensor.empty() : tensor<6x4xf32>
// CHECK: %[[INSERT_SLICE5:.*]] = tensor.insert_slice %[[INSERT_SLICE2]] into %[[EMPTY3]][0, 0] [4, 4] [1, 1] : tensor<4x4xf32> into tensor<6x4xf32>
// CHECK: %[[INSERT_SLICE6:.*]] = tensor.insert_slice %[[INSERT_SLICE4]] into %[[INSERT_SLICE5]][4, 0] [2, 4] [1, 1] : tensor<2x4xf32> into tensor<6x4xf32>
// CHECK: %[[COLLAPSE_SHAPE1:.*]] = tensor.collapse_shape %[[EXTRACT_SLICE1]] {{\[\[}}0, 1]] : tensor<1x4xf32> into tensor<4xf32>
// CHECK: %[[EMPTY4:.*]] = tensor.empty() : tensor<6x4xf32>
// CHECK: %[[BROADCAST:.*]] = linalg.broadcast ins(%[[COLLAPSE_SHAPE1]] : tensor<4xf32>) outs(%[[EMPTY4]] : tensor<6x4xf32>) dimensions = [0]
// CHECK: %[[ADDF:.*]] = arith.addf %[[INSERT_SLICE6]], %[[BROADCAST]] : tensor<6x4xf32>
// CHECK: bufferization.materialize_in_destination %[[ADDF]] in restrict writable %{{.*}} : (tensor<6x4xf32>, memref<6x4xf32>) -> ()
// CHECK: %[[EMPTY5:.*]] = tensor.empty() : tensor<6x4xi32>
// CHECK: %[[GENERIC:.*]] = linalg.generic {indexing_maps = [#[[$MAP]]], iterator_types = ["parallel", "parallel"]} outs(%[[EMPTY5]] : tensor<6x4xi32>) {
// CHECK: ^bb0(%[[I0:.*]]: i32):
// CHECK: %[[INDEX:.*]] = linalg.index 1 : index
// CHECK: %[[INDEX1:.*]] = linalg.index 0 : index
// CHECK-DAG: %[[CONSTANT12:.*]] = arith.constant 6 : index
// CHECK: %[[MULI6:.*]] = arith.muli %[[INDEX]], %[[CONSTANT12]] : index
// CHECK: %[[ADDI:.*]] = arith.addi %[[MULI6]], %[[INDEX1]] : index
// CHECK: %[[INDEX_CAST6:.*]] = arith.index_cast %[[ADDI]] : index to i32
// CHECK: linalg.yield %[[INDEX_CAST6]] : i32
// CHECK: bufferization.materialize_in_destination %[[GENERIC]] in restrict writable %{{.*}} : (tensor<6x4xi32>, memref<6x4xi32>) -> ()
  func.func @shapes(%x: memref<2x3x4xf32, #tpu.memory_space<vmem>>, %o: memref<4x2x3xf32, #tpu.memory_space<vmem>>, %s: memref<6x4xf32, #tpu.memory_space<vmem>>, %q: memref<6x4xi32, #tpu.memory_space<vmem>>) attributes {
      tpu.core_type = #tpu.core_type<tc>, dimension_semantics = [], scalar_prefetch = 0 : i64, scratch_operands = 2 : i64} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %v = vector.load %x[%c0, %c0, %c0] : memref<2x3x4xf32, #tpu.memory_space<vmem>>, vector<2x3x4xf32>
    %t = tpu.transpose %v, [2, 0, 1] : vector<2x3x4xf32> -> vector<4x2x3xf32>
    vector.store %t, %o[%c0, %c0, %c0] : memref<4x2x3xf32, #tpu.memory_space<vmem>>, vector<4x2x3xf32>
    %a = vector.extract_strided_slice %v {offsets = [1, 1], sizes = [1, 2], strides = [1, 1]} : vector<2x3x4xf32> to vector<1x2x4xf32>
    %b = vector.shape_cast %a : vector<1x2x4xf32> to vector<2x4xf32>
    %c = vector.extract_strided_slice %b {offsets = [1], sizes = [1], strides = [1]} : vector<2x4xf32> to vector<1x4xf32>
    %d = tpu.concatenate %b, %c, %c in 0 : vector<2x4xf32>, vector<1x4xf32>, vector<1x4xf32> -> vector<4x4xf32>
    %e = tpu.repeat %c, 0 x 2 : vector<1x4xf32> -> vector<2x4xf32>
    %f = tpu.concatenate %d, %e in 0 : vector<4x4xf32>, vector<2x4xf32> -> vector<6x4xf32>
    %g = vector.broadcast %c : vector<1x4xf32> to vector<6x4xf32>
    %h = arith.addf %f, %g : vector<6x4xf32>
    vector.store %h, %s[%c0, %c0] : memref<6x4xf32, #tpu.memory_space<vmem>>, vector<6x4xf32>
    %i = tpu.iota {dimensions = array<i32: 1, 0>} : vector<6x4xi32>
    vector.store %i, %q[%c0, %c0] : memref<6x4xi32, #tpu.memory_space<vmem>>, vector<6x4xi32>
    return
  }
}

// -----

// Products with the factors as they lie, turned, and in a batch; a sum of all to a number.

module attributes {grid.operands = {inputs = [#grid.operand<f32 [4, 6]>, #grid.operand<f32 [8, 4]>, #grid.operand<f32 [2, 3, 4]>, #grid.operand<f32 [2, 4, 5]>], outputs = [#grid.operand<f32 [6, 8]>, #grid.operand<f32 [2, 3, 5]>]}} {
// CHECK: #[[$MAP:.*]] = affine_map<(d0, d1) -> (d0, d1)>
// CHECK: #[[$MAP1:.*]] = affine_map<(d0, d1, d2) -> (d2, d0)>
// CHECK: #[[$MAP2:.*]] = affine_map<(d0, d1, d2) -> (d1, d2)>
// CHECK: #[[$MAP3:.*]] = affine_map<(d0, d1, d2) -> (d0, d1)>
// CHECK: #[[$MAP4:.*]] = affine_map<(d0, d1, d2) -> (d0, d1, d2)>
// CHECK: #[[$MAP5:.*]] = affine_map<(d0, d1, d2, d3) -> (d0, d1, d3)>
// CHECK: #[[$MAP6:.*]] = affine_map<(d0, d1, d2, d3) -> (d0, d3, d2)>
// CHECK: #[[$MAP7:.*]] = affine_map<(d0, d1, d2, d3) -> (d0, d1, d2)>
// CHECK-LABEL: func.func @products(
// CHECK-SAME: %[[X:[^:]*]]:
// CHECK: %[[TO_TENSOR:.*]] = bufferization.to_tensor %[[X]] restrict : memref<4x6xf32> to tensor<4x6xf32>
// CHECK: %[[TO_TENSOR1:.*]] = bufferization.to_tensor %{{.*}} restrict : memref<8x4xf32> to tensor<8x4xf32>
// CHECK: %[[TO_TENSOR2:.*]] = bufferization.to_tensor %{{.*}} restrict : memref<6x8xf32> to tensor<6x8xf32>
// CHECK: %[[EMPTY:.*]] = tensor.empty() : tensor<6x8xf32>
// CHECK: %[[GENERIC:.*]] = linalg.generic {indexing_maps = [#[[$MAP]], #[[$MAP]]], iterator_types = ["parallel", "parallel"]} ins(%{{.*}} : tensor<6x8xf32>) outs(%[[EMPTY]] : tensor<6x8xf32>) {
// CHECK: ^bb0(%[[I0:.*]]: f32, %[[I1:.*]]: f32):
// CHECK: linalg.yield %[[I0]] : f32
// CHECK: %[[CONTRACT:.*]] = linalg.contract indexing_maps = [#[[$MAP1]], #[[$MAP2]], #[[$MAP3]]] ins(%[[TO_TENSOR]], %[[TO_TENSOR1]] : tensor<4x6xf32>, tensor<8x4xf32>) outs(%{{.*}} : tensor<6x8xf32>) -> tensor<6x8xf32>
// CHECK: bufferization.materialize_in_destination %[[CONTRACT]] in restrict writable %{{.*}} : (tensor<6x8xf32>, memref<6x8xf32>) -> ()
// CHECK: %[[TO_TENSOR3:.*]] = bufferization.to_tensor %{{.*}} restrict : memref<2x3x4xf32> to tensor<2x3x4xf32>
// CHECK: %[[TO_TENSOR4:.*]] = bufferization.to_tensor %{{.*}} restrict : memref<2x4x5xf32> to tensor<2x4x5xf32>
// CHECK: %[[TO_TENSOR5:.*]] = bufferization.to_tensor %{{.*}} restrict : memref<2x3x5xf32> to tensor<2x3x5xf32>
// CHECK: %[[EMPTY1:.*]] = tensor.empty() : tensor<2x3x5xf32>
// CHECK: %[[GENERIC1:.*]] = linalg.generic {indexing_maps = [#[[$MAP4]], #[[$MAP4]]], iterator_types = ["parallel", "parallel", "parallel"]} ins(%{{.*}} : tensor<2x3x5xf32>) outs(%[[EMPTY1]] : tensor<2x3x5xf32>) {
// CHECK: ^bb0(%[[I2:.*]]: f32, %[[I3:.*]]: f32):
// CHECK: linalg.yield %[[I2]] : f32
// CHECK: %[[CONTRACT1:.*]] = linalg.contract indexing_maps = [#[[$MAP5]], #[[$MAP6]], #[[$MAP7]]] ins(%[[TO_TENSOR3]], %[[TO_TENSOR4]] : tensor<2x3x4xf32>, tensor<2x4x5xf32>) outs(%{{.*}} : tensor<2x3x5xf32>) -> tensor<2x3x5xf32>
// CHECK-DAG: %[[CONSTANT24:.*]] = arith.constant 0.000000e+00 : f32
// CHECK: %[[FROM_ELEMENTS:.*]] = tensor.from_elements %[[CONSTANT24]] : tensor<f32>
// CHECK: %[[REDUCE:.*]] = linalg.reduce ins(%[[TO_TENSOR]] : tensor<4x6xf32>) outs(%[[FROM_ELEMENTS]] : tensor<f32>) dimensions = [0, 1]
// CHECK: %[[ADDF:.*]] = arith.addf %[[I2]], %{{.*}} : f32
// CHECK: linalg.yield %[[ADDF]] : f32
// CHECK: %[[EXTRACT:.*]] = tensor.extract %[[REDUCE]][] : tensor<f32>
// CHECK: %[[EMPTY2:.*]] = tensor.empty() : tensor<2x3x5xf32>
// CHECK: %[[FILL:.*]] = linalg.fill ins(%[[EXTRACT]] : f32) outs(%[[EMPTY2]] : tensor<2x3x5xf32>) -> tensor<2x3x5xf32>
// CHECK: %[[ADDF1:.*]] = arith.addf %[[CONTRACT1]], %[[FILL]] : tensor<2x3x5xf32>
// CHECK: bufferization.materialize_in_destination %[[ADDF1]] in restrict writable %{{.*}} : (tensor<2x3x5xf32>, memref<2x3x5xf32>) -> ()
  func.func @products(%x: memref<4x6xf32, #tpu.memory_space<vmem>>, %y: memref<8x4xf32, #tpu.memory_space<vmem>>, %a: memref<2x3x4xf32, #tpu.memory_space<vmem>>, %b: memref<2x4x5xf32, #tpu.memory_space<vmem>>,
                      %o: memref<6x8xf32, #tpu.memory_space<vmem>>, %p: memref<2x3x5xf32, #tpu.memory_space<vmem>>) attributes {
      tpu.core_type = #tpu.core_type<tc>, dimension_semantics = [], scalar_prefetch = 0 : i64, scratch_operands = 0 : i64} {
    %c0 = arith.constant 0 : index
    %v = vector.load %x[%c0, %c0] : memref<4x6xf32, #tpu.memory_space<vmem>>, vector<4x6xf32>
    %w = vector.load %y[%c0, %c0] : memref<8x4xf32, #tpu.memory_space<vmem>>, vector<8x4xf32>
    %z = vector.load %o[%c0, %c0] : memref<6x8xf32, #tpu.memory_space<vmem>>, vector<6x8xf32>
    %r = tpu.matmul %v, %w, %z {transpose_lhs = true, transpose_lhs_hint = false, transpose_rhs = true} : vector<4x6xf32>, vector<8x4xf32>, vector<6x8xf32> -> vector<6x8xf32>
    vector.store %r, %o[%c0, %c0] : memref<6x8xf32, #tpu.memory_space<vmem>>, vector<6x8xf32>
    %k = vector.load %a[%c0, %c0, %c0] : memref<2x3x4xf32, #tpu.memory_space<vmem>>, vector<2x3x4xf32>
    %l = vector.load %b[%c0, %c0, %c0] : memref<2x4x5xf32, #tpu.memory_space<vmem>>, vector<2x4x5xf32>
    %m = vector.load %p[%c0, %c0, %c0] : memref<2x3x5xf32, #tpu.memory_space<vmem>>, vector<2x3x5xf32>
    %n = tpu.matmul %k, %l, %m {dimension_numbers = #tpu.dot_dimension_numbers<[2], [1], [1], [2], [0, 0, 0, 1, 1, 2], [0], [0]>, transpose_lhs_hint = false} : vector<2x3x4xf32>, vector<2x4x5xf32>, vector<2x3x5xf32> -> vector<2x3x5xf32>
    %zero = arith.constant 0.0 : f32
    %sum = vector.multi_reduction <add>, %v, %zero [0, 1] : vector<4x6xf32> to f32
    %s = vector.broadcast %sum : f32 to vector<2x3x5xf32>
    %t = arith.addf %n, %s : vector<2x3x5xf32>
    vector.store %t, %p[%c0, %c0, %c0] : memref<2x3x5xf32, #tpu.memory_space<vmem>>, vector<2x3x5xf32>
    return
  }
}

// -----

// Attributes of an op are kept.

// CHECK-LABEL: func.func @attributes(
// CHECK: arith.addf %{{.*}}, %{{.*}} {note = "kept"} : tensor<8xf32>
module attributes {grid.operands = {inputs = [#grid.operand<f32 [8]>]}} {
  func.func @attributes(%x: memref<8xf32, #tpu.memory_space<vmem>>) attributes {
      tpu.core_type = #tpu.core_type<tc>, dimension_semantics = [], scalar_prefetch = 0 : i64, scratch_operands = 0 : i64} {
    %c0 = arith.constant 0 : index
    %v = vector.load %x[%c0] : memref<8xf32, #tpu.memory_space<vmem>>, vector<8xf32>
    %s = arith.addf %v, %v {note = "kept"} : vector<8xf32>
    vector.store %s, %x[%c0] : memref<8xf32, #tpu.memory_space<vmem>>, vector<8xf32>
    return
  }
}

// -----

// A tensor stays one.
// CHECK-LABEL: func.func @tensor
// CHECK: arith.constant dense<1.000000e+00> : tensor<4xf32>
module attributes {grid.operands = {index = [], inputs = [#grid.operand<f32 [32, 128]>], outputs = [], aliases = []}} {
  func.func @tensor(%i: i32, %x: memref<8x128xf32, #tpu.memory_space<vmem>>) attributes {
      tpu.core_type = #tpu.core_type<tc>, iteration_bounds = array<i64: 4>, dimension_semantics = [#tpu.dimension_semantics<parallel>],
      scalar_prefetch = 0 : i64, scratch_operands = 0 : i64,
      window_params = [{transform_indices = @t, window_bounds = array<i64: 8, 128>}]} {
    %0 = arith.constant dense<1.0> : tensor<4xf32>
    return
  }
  func.func @t(%i: i32) -> (i32, i32) {
    %c = arith.constant 0 : i32
    return %i, %c : i32, i32
  }
}

// -----

// Rows of another width are packed or taken apart.
// CHECK-LABEL: func.func @bits(
// CHECK: arith.bitcast %{{.*}} : tensor<8x128xf32> to tensor<8x128xi32>
// CHECK: arith.trunci %{{.*}} : tensor<8x128xi32> to tensor<8x128xi16>
// CHECK: %[[NARROW:.*]] = tensor.insert_slice %{{.*}} into %{{.*}}[1, 0] [8, 128] [2, 1] : tensor<8x128xi16> into tensor<16x128xi16>
// CHECK: arith.bitcast %[[NARROW]] : tensor<16x128xi16> to tensor<16x128xbf16>
module attributes {grid.operands = {inputs = [#grid.operand<f32 [8, 128]>], outputs = [#grid.operand<bf16 [16, 128]>]}} {
  func.func @bits(%x: memref<8x128xf32, #tpu.memory_space<vmem>>, %o: memref<16x128xbf16, #tpu.memory_space<vmem>>) attributes {
      tpu.core_type = #tpu.core_type<tc>, dimension_semantics = [], scalar_prefetch = 0 : i64, scratch_operands = 0 : i64} {
    %c0 = arith.constant 0 : index
    %v = vector.load %x[%c0, %c0] : memref<8x128xf32, #tpu.memory_space<vmem>>, vector<8x128xf32>
    %b = tpu.bitcast %v : vector<8x128xf32> -> vector<16x128xbf16>
    vector.store %b, %o[%c0, %c0] : memref<16x128xbf16, #tpu.memory_space<vmem>>, vector<16x128xbf16>
    return
  }
}

// -----

// The unit for the logistic function computes what its definition says.
// CHECK-LABEL: func.func @logistic(
// CHECK: %[[N:.*]] = arith.negf %[[X:.*]] : tensor<8x128xf32>
// CHECK: %[[E:.*]] = math.exp %[[N]]
// CHECK: %[[S:.*]] = arith.addf %[[ONE:.*]], %[[E]]
// CHECK: arith.divf %[[ONE]], %[[S]]
module attributes {grid.operands = {inputs = [#grid.operand<f32 [8, 128]>], outputs = [#grid.operand<f32 [8, 128]>]}} {
  func.func @logistic(%x: memref<8x128xf32, #tpu.memory_space<vmem>>, %o: memref<8x128xf32, #tpu.memory_space<vmem>>) attributes {
      tpu.core_type = #tpu.core_type<tc>, dimension_semantics = [], scalar_prefetch = 0 : i64, scratch_operands = 0 : i64} {
    %c0 = arith.constant 0 : index
    %v = vector.load %x[%c0, %c0] : memref<8x128xf32, #tpu.memory_space<vmem>>, vector<8x128xf32>
    %y = tpu.logistic %v : vector<8x128xf32> -> vector<8x128xf32>
    vector.store %y, %o[%c0, %c0] : memref<8x128xf32, #tpu.memory_space<vmem>>, vector<8x128xf32>
    return
  }
}
