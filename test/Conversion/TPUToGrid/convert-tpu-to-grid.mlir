// RUN: gridir-opt %s --convert-tpu-to-grid --split-input-file --verify-diagnostics | FileCheck %s

// The windows of a Mosaic kernel cut the arrays of the call again; the transform gives the indices of a block.

// CHECK-LABEL: grid.kernel @double grid(
// CHECK-SAME:  %[[I:.*]] = 4)
// CHECK:         inputs(%[[X:.*]]: f32 [32, 128] block [8, 128] at (%[[I]], 0))
// CHECK:         outputs(%[[O:.*]]: f32 [32, 128] block [8, 128] at (%[[I]], 0))
// CHECK:         semantics [parallel]
// CHECK:         %[[V:.*]] = grid.load %[[X]]
// CHECK:         %[[W:.*]] = arith.addf %[[V]], %[[V]] : tensor<8x128xf32>
// CHECK:         grid.store %[[W]], %[[O]]
// CHECK-NOT:     {{[ "]}}tpu.
module attributes {gridir.operands = {inputs = [#grid.operand<f32 [32, 128]>], outputs = [#grid.operand<f32 [32, 128]>]}} {
  func.func @double(%i: i32, %x: memref<8x128xf32, #tpu.memory_space<vmem>>, %o: memref<8x128xf32, #tpu.memory_space<vmem>>) attributes {
      tpu.core_type = #tpu.core_type<tc>, iteration_bounds = array<i64: 4>, dimension_semantics = [#tpu.dimension_semantics<parallel>],
      scalar_prefetch = 0 : i64, scratch_operands = 0 : i64,
      window_params = [{transform_indices = @t, window_bounds = array<i64: 8, 128>}, {transform_indices = @t, window_bounds = array<i64: 8, 128>}]} {
    %c0 = arith.constant 0 : index
    %v = vector.load %x[%c0, %c0] : memref<8x128xf32, #tpu.memory_space<vmem>>, vector<8x128xf32>
    %w = arith.addf %v, %v : vector<8x128xf32>
    tpu.vector_store %o[%c0, %c0], %w {strides = array<i32>} : memref<8x128xf32, #tpu.memory_space<vmem>>, vector<8x128xf32>,
    return
  }
  func.func @t(%i: i32) -> (i32, i32) {
    %c0_i32 = arith.constant 0 : i32
    return %i, %c0_i32 : i32, i32
  }
}

// -----

// Scratch, matmuls, reductions and iotas; a number that chooses between vectors.

// CHECK-LABEL: grid.kernel @ops grid()
// CHECK: grid.dot
// CHECK: linalg.reduce
// CHECK-NOT: vector<
// CHECK-NOT: {{[ "]}}tpu.
module attributes {gridir.operands = {inputs = [#grid.operand<f32 [8, 8]>], outputs = [#grid.operand<f32 [8, 8]>]}} {
  func.func @ops(%x: memref<8x8xf32, #tpu.memory_space<vmem>>, %o: memref<8x8xf32, #tpu.memory_space<vmem>>,
                 %acc: memref<8x8xf32, #tpu.memory_space<vmem>>) attributes {
      tpu.core_type = #tpu.core_type<tc>, dimension_semantics = [], scalar_prefetch = 0 : i64, scratch_operands = 1 : i64} {
    %c0 = arith.constant 0 : index
    %true = arith.constant true
    %zero = arith.constant dense<0.0> : vector<8x8xf32>
    %none = arith.constant dense<0.0> : vector<8xf32>
    %v = vector.load %x[%c0, %c0] : memref<8x8xf32, #tpu.memory_space<vmem>>, vector<8x8xf32>
    %s = arith.select %true, %zero, %v : vector<8x8xf32>
    %m = tpu.matmul %v, %v, %s {dimension_numbers = #tpu.dot_dimension_numbers<[1], [0], [0], [1], [0, 0, 1, 1], [], []>, transpose_lhs_hint = false} : vector<8x8xf32>, vector<8x8xf32>, vector<8x8xf32> -> vector<8x8xf32>
    %r = vector.multi_reduction <add>, %m, %none [1] : vector<8x8xf32> to vector<8xf32>
    %c = vector.shape_cast %r : vector<8xf32> to vector<8x1xf32>
    %b = vector.broadcast %c : vector<8x1xf32> to vector<8x8xf32>
    %i = tpu.iota {dimensions = array<i32: 1>} : vector<8x8xi32>
    %f = arith.sitofp %i : vector<8x8xi32> to vector<8x8xf32>
    %t = tpu.transpose %f, [1, 0] : vector<8x8xf32> -> vector<8x8xf32>
    %u = arith.addf %b, %t : vector<8x8xf32>
    tpu.vector_store %acc[%c0, %c0], %u {strides = array<i32>} : memref<8x8xf32, #tpu.memory_space<vmem>>, vector<8x8xf32>,
    %w = vector.load %acc[%c0, %c0] : memref<8x8xf32, #tpu.memory_space<vmem>>, vector<8x8xf32>
    tpu.vector_store %o[%c0, %c0], %w {strides = array<i32>} : memref<8x8xf32, #tpu.memory_space<vmem>>, vector<8x8xf32>,
    return
  }
}

// -----

// expected-error @below {{expected one kernel in a module with gridir.operands, the arrays of the call}}
func.func @unknown_arrays() attributes {tpu.core_type = #tpu.core_type<tc>} {
  return
}

// -----

// Rotations, lookups, argmax and argmin; what goes to the log is printed, and an assertion is a check.

// CHECK-LABEL: grid.kernel @lookups grid()
// CHECK: grid.assert %{{.*}}, "not positive"
// CHECK: grid.print "n = {} of {{[{][{]}}"
// CHECK: grid.print "half {}"
// CHECK: grid.scoped
// CHECK: grid.print "x = {}"
// CHECK-NOT: {{[ "]}}tpu.
module attributes {gridir.operands = {inputs = [#grid.operand<f32 [8, 8]>], outputs = [#grid.operand<i32 [8]>]}} {
  func.func @lookups(%x: memref<8x8xf32, #tpu.memory_space<vmem>>, %o: memref<8xi32, #tpu.memory_space<vmem>>) attributes {
      tpu.core_type = #tpu.core_type<tc>, dimension_semantics = [], scalar_prefetch = 0 : i64, scratch_operands = 0 : i64} {
    %c0 = arith.constant 0 : index
    %c3 = arith.constant 3 : i32
    %half = arith.constant 0.5 : f32
    %v = vector.load %x[%c0, %c0] : memref<8x8xf32, #tpu.memory_space<vmem>>, vector<8x8xf32>
    %r = tpu.dynamic_rotate %v by %c3 dim 1 : vector<8x8xf32>, i32 -> vector<8x8xf32>
    %i = tpu.iota {dimensions = array<i32: 0>} : vector<8x8xi32>
    %g = tpu.dynamic_gather %r[%i] in [1] : vector<8x8xf32>, vector<8x8xi32> -> vector<8x8xf32>
    %a = tpu.reduce_index %g {axis = 1 : i32, kind = #tpu.reduction_kind<arg_max>} : vector<8x8xf32> -> vector<8xi32>
    vector.store %a, %o[%c0] : memref<8xi32, #tpu.memory_space<vmem>>, vector<8xi32>
    %positive = arith.cmpi sgt, %c3, %c3 : i32
    cf.assert %positive, "not positive"
    tpu.log "n = $0 of {" {formatted = true} : [%c3] : i32
    tpu.log "half" : [%half] : f32
    "tpu.region"() ({
      %m = memref.alloca() : memref<8x8xf32, #tpu.memory_space<vmem>>
      tpu.vector_store %m[%c0, %c0], %v {strides = array<i32>} : memref<8x8xf32, #tpu.memory_space<vmem>>, vector<8x8xf32>,
      tpu.log_buffer "x = " {shape = array<i64: 8, 8>} : %m : memref<8x8xf32, #tpu.memory_space<vmem>>
      "tpu.yield"() : () -> ()
    }) : () -> ()
    return
  }
}

// -----

// A conversion saturates by comparisons, in a float that has the bounds of the integers; NaN is inside of none.

// CHECK-LABEL: grid.kernel @conversions grid()
// CHECK: %[[END:.*]] = arith.constant dense<2.560000e+02> : tensor<32x128xf32>
// CHECK: %[[LOW:.*]] = arith.cmpf olt, %[[X:.*]], %[[END]]
// CHECK: %[[START:.*]] = arith.constant dense<0.000000e+00> : tensor<32x128xf32>
// CHECK: %[[HIGH:.*]] = arith.cmpf oge, %[[X]], %[[START]]
// CHECK: %[[INSIDE:.*]] = arith.andi %[[LOW]], %[[HIGH]]
// CHECK: %[[SAFE:.*]] = arith.select %[[INSIDE]], %[[X]], %
// CHECK: %[[NUMBER:.*]] = arith.fptoui %[[SAFE]]
// CHECK: %[[LARGEST:.*]] = arith.constant dense<-1> : tensor<32x128xi8>
// CHECK: arith.select %{{.*}}, %[[LARGEST]], %[[NUMBER]]
// CHECK: %[[WIDE:.*]] = arith.extf %{{.*}} : tensor<32x128xf16> to tensor<32x128xf32>
// CHECK: %[[NUMBER:.*]] = arith.fptosi %{{.*}} : tensor<32x128xf32> to tensor<32x128xi32>
// CHECK: %[[SMALLEST:.*]] = arith.constant dense<-2147483648> : tensor<32x128xi32>
// CHECK: arith.select %{{.*}}, %[[SMALLEST]], %[[NUMBER]]
module attributes {gridir.operands = {inputs = [#grid.operand<f32 [32, 128]>], outputs = [#grid.operand<i32 [32, 128]>]}} {
  func.func @conversions(%x: memref<32x128xf32, #tpu.memory_space<vmem>>, %o: memref<32x128xi32, #tpu.memory_space<vmem>>) attributes {
      tpu.core_type = #tpu.core_type<tc>, dimension_semantics = [], scalar_prefetch = 0 : i64, scratch_operands = 0 : i64} {
    %c0 = arith.constant 0 : index
    %v = vector.load %x[%c0, %c0] : memref<32x128xf32, #tpu.memory_space<vmem>>, vector<32x128xf32>
    %u = arith.fptoui %v : vector<32x128xf32> to vector<32x128xi8>
    %w = arith.extui %u : vector<32x128xi8> to vector<32x128xi32>
    %h = arith.truncf %v : vector<32x128xf32> to vector<32x128xf16>
    %s = arith.fptosi %h : vector<32x128xf16> to vector<32x128xi32>
    %r = arith.addi %w, %s : vector<32x128xi32>
    tpu.vector_store %o[%c0, %c0], %r {strides = array<i32>} : memref<32x128xi32, #tpu.memory_space<vmem>>, vector<32x128xi32>,
    return
  }
}

// -----

module attributes {gridir.operands = {}} {
  func.func @barrier(%i: i32) attributes {tpu.core_type = #tpu.core_type<tc>, iteration_bounds = array<i64: 1>,
      dimension_semantics = [#tpu.dimension_semantics<arbitrary>], window_params = []} {
    // expected-error @below {{'tpu.sem_barrier' is not supported in an executable module}}
    %0 = tpu.sem_barrier : memref<!tpu.semaphore, #tpu.memory_space<semaphore_mem>>
    return
  }
}
