// RUN: gridir-opt %s --split-input-file --tpu-fit-sparse-core | FileCheck %s

!hbm = memref<4x8xf32, #tpu.memory_space<hbm>>
!vmem = memref<4x8xf32, #tpu.memory_space<vmem>>

// An array that stays in place has an index map, too; a scalar that is fetched ahead is no window.
// CHECK:      #[[MAP:.*]] = affine_map<(d0, d1) -> (0, 0)>
// CHECK:      func.func @registers(
// CHECK-NOT:    without_layout
// CHECK-SAME:   window_params = [{transform_indices = #[[MAP]]}]
// CHECK-NEXT:   %[[ZERO:.*]] = arith.constant 0 : index
// CHECK-NEXT:   %[[V:.*]] = tpu.vector_load %{{.*}}[%[[ZERO]], %[[ZERO]]] {strides = array<i32>} : memref<4x8xf32, #tpu.memory_space<vmem>>, vector<8xf32>
// CHECK-NEXT:   %[[ONE:.*]] = arith.constant 1.000000e+00 : f32
// CHECK-NEXT:   %[[ONES:.*]] = vector.broadcast %[[ONE]] : f32 to vector<8xf32>
// CHECK-NEXT:   %[[SUM:.*]] = arith.addf %[[V]], %[[ONES]]
// CHECK-NEXT:   tpu.vector_store %{{.*}}, %[[SUM]] {{.*}}, vector<8xf32>
// CHECK-NEXT:   %[[COUNT:.*]] = tpu.iota {dimensions = array<i32: 0>} : vector<8xi32>
// Integers stay constants.
// CHECK-NEXT:   %[[TWO:.*]] = arith.constant dense<2> : vector<8xi32>
// CHECK-NEXT:   arith.addi %[[COUNT]], %[[TWO]]
// CHECK-NEXT:   return
func.func @registers(%c: i32, %s: i32, %n: memref<2xi32, #tpu.memory_space<smem>>, %x: !hbm, %m: !vmem) attributes {
    tpu.core_type = #tpu.core_type<sc_vector_subcore>, iteration_bounds = array<i64: 2, 16>,
    dimension_semantics = [#tpu.dimension_semantics<core_parallel>, #tpu.dimension_semantics<subcore_parallel>],
    scalar_prefetch = 1 : i64, scratch_operands = 1 : i64, window_params = [{}], grid.without_layout_passes} {
  %zero = arith.constant 0 : index
  %v = vector.load %m[%zero, %zero] : !vmem, vector<1x8xf32>
  %w = vector.shape_cast %v : vector<1x8xf32> to vector<8xf32>
  %one = arith.constant dense<1.0> : vector<8xf32>
  %sum = arith.addf %w, %one : vector<8xf32>
  %r = vector.shape_cast %sum : vector<8xf32> to vector<1x8xf32>
  tpu.vector_store %m[%zero, %zero], %r {strides = array<i32>} : !vmem, vector<1x8xf32>,
  %i = tpu.iota {dimensions = array<i32: 1>} : vector<1x8xi32>
  %j = vector.shape_cast %i : vector<1x8xi32> to vector<8xi32>
  %two = arith.constant dense<2> : vector<8xi32>
  %k = arith.addi %j, %two : vector<8xi32>
  return
}

// -----

// Where layout passes run, vectors have the dimensions of what they are loaded from.
!vmem = memref<4x8xf32, #tpu.memory_space<vmem>>

// CHECK-LABEL: func.func @laid_out(
// CHECK:         vector.load %{{.*}} vector<1x8xf32>
// CHECK-NEXT:    vector.shape_cast
// CHECK-NEXT:    vector.shape_cast
// CHECK-NEXT:    tpu.vector_store {{.*}} vector<1x8xf32>
func.func @laid_out(%m: !vmem) attributes {tpu.core_type = #tpu.core_type<sc_vector_subcore>} {
  %zero = arith.constant 0 : index
  %v = vector.load %m[%zero, %zero] : !vmem, vector<1x8xf32>
  %w = vector.shape_cast %v : vector<1x8xf32> to vector<8xf32>
  %r = vector.shape_cast %w : vector<8xf32> to vector<1x8xf32>
  tpu.vector_store %m[%zero, %zero], %r {strides = array<i32>} : !vmem, vector<1x8xf32>,
  return
}

// -----

// A TensorCore takes all of this.
// CHECK-LABEL: func.func @tensor_core(
// CHECK-SAME:    window_params = [{}]
// CHECK:         arith.constant dense<1.000000e+00> : vector<8x128xf32>
func.func @tensor_core(%c: i32, %x: memref<8x128xf32, #tpu.memory_space<hbm>>) attributes {
    tpu.core_type = #tpu.core_type<tc>, iteration_bounds = array<i64: 2>,
    dimension_semantics = [#tpu.dimension_semantics<arbitrary>], window_params = [{}]} {
  %one = arith.constant dense<1.0> : vector<8x128xf32>
  return
}

// Counts that do not match the arguments are left to Mosaic.
// CHECK-LABEL: func.func @many_scalars
// CHECK-SAME: window_params = [{}]
func.func @many_scalars(%c: i32) attributes {
    tpu.core_type = #tpu.core_type<sc_vector_subcore>, iteration_bounds = array<i64: 2>,
    dimension_semantics = [#tpu.dimension_semantics<core_parallel>],
    scalar_prefetch = 1000000 : i64, scratch_operands = 0 : i64, window_params = [{}]} {
  return
}
