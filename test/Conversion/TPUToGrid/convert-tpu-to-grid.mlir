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
module attributes {grid.operands = {inputs = [#grid.operand<f32 [32, 128]>], outputs = [#grid.operand<f32 [32, 128]>]}} {
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
module attributes {grid.operands = {inputs = [#grid.operand<f32 [8, 8]>], outputs = [#grid.operand<f32 [8, 8]>]}} {
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

// expected-error @below {{expected one kernel in a module with grid.operands, the arrays of the call}}
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
module attributes {grid.operands = {inputs = [#grid.operand<f32 [8, 8]>], outputs = [#grid.operand<i32 [8]>]}} {
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
module attributes {grid.operands = {inputs = [#grid.operand<f32 [32, 128]>], outputs = [#grid.operand<i32 [32, 128]>]}} {
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

module attributes {grid.operands = {}} {
  func.func @barrier(%i: i32) attributes {tpu.core_type = #tpu.core_type<tc>, iteration_bounds = array<i64: 1>,
      dimension_semantics = [#tpu.dimension_semantics<arbitrary>], window_params = []} {
    // expected-error @below {{'tpu.sem_barrier' is not supported in an executable module}}
    %0 = tpu.sem_barrier : memref<!tpu.semaphore, #tpu.memory_space<semaphore_mem>>
    return
  }
}

// -----

// A shift by the width or more is 0, or the sign, and a number is divided by 0 and by -1, as the instructions do. What
// has such a guard gets no other, nor what is shifted or divided by a constant.

// CHECK-LABEL: grid.kernel @undefined grid()
// CHECK: %[[X:.*]] = grid.load
// CHECK: %[[S:.*]] = grid.load
// CHECK: %[[BELOW:.*]] = arith.cmpi ult, %[[X]], %{{.*}} : tensor<8x128xi32>
// CHECK: %[[SAFE:.*]] = arith.select %[[BELOW]], %[[X]], %{{.*}} : tensor<8x128xi1>, tensor<8x128xi32>
// CHECK: %[[L:.*]] = arith.shli %[[X]], %[[SAFE]] : tensor<8x128xi32>
// CHECK: %[[LEFT:.*]] = arith.select %[[BELOW]], %[[L]], %{{.*}} : tensor<8x128xi1>, tensor<8x128xi32>
// CHECK: arith.shrsi %[[LEFT]], %{{.*}} : tensor<8x128xi32>
// CHECK: %[[ZERO:.*]] = arith.cmpi eq, %[[S]], %{{.*}} : i32
// CHECK: %[[MINUS:.*]] = arith.cmpi eq, %[[S]], %{{.*}} : i32
// CHECK: %[[SPECIAL:.*]] = arith.ori %[[ZERO]], %[[MINUS]] : i1
// CHECK: %[[D:.*]] = arith.select %[[SPECIAL]], %{{.*}}, %[[S]] : i32
// CHECK: %[[Q:.*]] = arith.divsi %[[S]], %[[D]] : i32
// CHECK: %[[N:.*]] = arith.subi %{{.*}}, %[[S]] : i32
// CHECK: %[[QUOTIENT:.*]] = arith.select %[[MINUS]], %[[N]], %[[Q]] : i32
// CHECK: arith.select %[[ZERO]], %{{.*}}, %[[QUOTIENT]] : i32
// CHECK: %[[R:.*]] = arith.remui %[[S]], %{{.*}} : i32
// CHECK: %[[REST:.*]] = arith.select %{{.*}}, %[[S]], %[[R]] : i32
// CHECK: arith.remsi %[[REST]], %{{.*}} : i32
// CHECK-NOT: arith.select
module attributes {grid.operands = {inputs = [#grid.operand<i32 [8, 128]>, #grid.operand<i32 [1]>], outputs = [#grid.operand<i32 [8, 128]>]}} {
  func.func @undefined(%x: memref<8x128xi32, #tpu.memory_space<vmem>>, %y: memref<1xi32, #tpu.memory_space<smem>>,
                       %o: memref<8x128xi32, #tpu.memory_space<vmem>>) attributes {
      tpu.core_type = #tpu.core_type<tc>, dimension_semantics = [], scalar_prefetch = 0 : i64, scratch_operands = 0 : i64} {
    %c0 = arith.constant 0 : index
    %v = vector.load %x[%c0, %c0] : memref<8x128xi32, #tpu.memory_space<vmem>>, vector<8x128xi32>
    %s = memref.load %y[%c0] : memref<1xi32, #tpu.memory_space<smem>>
    %l = arith.shli %v, %v : vector<8x128xi32>
    %three = arith.constant dense<3> : vector<8x128xi32>
    %r = arith.shrsi %l, %three : vector<8x128xi32>
    %q = arith.divsi %s, %s : i32
    %u = arith.remui %s, %s : i32
    %c5 = arith.constant 5 : i32
    %w = arith.remsi %u, %c5 : i32
    %sum = arith.addi %q, %w : i32
    %b = vector.broadcast %sum : i32 to vector<8x128xi32>
    %t = arith.addi %r, %b : vector<8x128xi32>
    tpu.vector_store %o[%c0, %c0], %t {strides = array<i32>} : memref<8x128xi32, #tpu.memory_space<vmem>>, vector<8x128xi32>,
    return
  }
}
