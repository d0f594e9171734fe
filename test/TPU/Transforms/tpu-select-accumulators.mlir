// RUN: gridir-opt %s --tpu-select-accumulators | FileCheck %s

// The first step gives the constant; the sum is the accumulator of the matmul; the region is gone.

// CHECK-LABEL: func.func @step(
// CHECK-SAME: %[[FIRST:.*]]: i1, %[[ACC:.*]]: memref<
// CHECK-NOT: scf.if
// CHECK: %[[S:.*]] = vector.load %[[ACC]]
// CHECK: %[[Z:.*]] = arith.constant dense<0.000000e+00> : vector<8x128xf32>
// CHECK: %[[START:.*]] = arith.select %[[FIRST]], %[[Z]], %[[S]] : vector<8x128xf32>
// CHECK: %[[T:.*]] = tpu.matmul %{{.*}}, %{{.*}}, %[[START]]
// CHECK-NOT: arith.addf
// CHECK: tpu.vector_store %[[ACC]][%{{.*}}, %{{.*}}], %[[T]]
func.func @step(%first: i1, %acc: memref<8x128xf32, #tpu.memory_space<vmem>>, %a: vector<8x128xf32>, %b: vector<128x128xf32>) {
  %c0 = arith.constant 0 : index
  %zero = arith.constant dense<0.0> : vector<8x128xf32>
  scf.if %first {
    tpu.vector_store %acc[%c0, %c0], %zero {strides = array<i32>} : memref<8x128xf32, #tpu.memory_space<vmem>>, vector<8x128xf32>,
  }
  %s = vector.load %acc[%c0, %c0] : memref<8x128xf32, #tpu.memory_space<vmem>>, vector<8x128xf32>
  %m = tpu.matmul %a, %b, %zero {transpose_lhs_hint = false} : vector<8x128xf32>, vector<128x128xf32>, vector<8x128xf32> -> vector<8x128xf32>
  %t = arith.addf %s, %m : vector<8x128xf32>
  tpu.vector_store %acc[%c0, %c0], %t {strides = array<i32>} : memref<8x128xf32, #tpu.memory_space<vmem>>, vector<8x128xf32>,
  return
}

// Memory that is not overwritten at every step keeps its store.

// CHECK-LABEL: func.func @sometimes(
// CHECK: scf.if
// CHECK: tpu.vector_store
// CHECK-NOT: arith.select
// CHECK: return
func.func @sometimes(%first: i1, %acc: memref<8x128xf32, #tpu.memory_space<vmem>>) {
  %c0 = arith.constant 0 : index
  %zero = arith.constant dense<0.0> : vector<8x128xf32>
  scf.if %first {
    tpu.vector_store %acc[%c0, %c0], %zero {strides = array<i32>} : memref<8x128xf32, #tpu.memory_space<vmem>>, vector<8x128xf32>,
  }
  %s = vector.load %acc[%c0, %c0] : memref<8x128xf32, #tpu.memory_space<vmem>>, vector<8x128xf32>
  scf.if %first {
    tpu.vector_store %acc[%c0, %c0], %s {strides = array<i32>} : memref<8x128xf32, #tpu.memory_space<vmem>>, vector<8x128xf32>,
  }
  return
}

// A region that reads the memory in between sees the store.

// CHECK-LABEL: func.func @read_between(
// CHECK: scf.if
// CHECK: tpu.vector_store %{{.*}}, %cst
// CHECK-NOT: arith.select
// CHECK: return
func.func @read_between(%first: i1, %acc: memref<8x128xf32, #tpu.memory_space<vmem>>, %o: memref<8x128xf32, #tpu.memory_space<vmem>>) {
  %c0 = arith.constant 0 : index
  %cst = arith.constant dense<0.0> : vector<8x128xf32>
  scf.if %first {
    tpu.vector_store %acc[%c0, %c0], %cst {strides = array<i32>} : memref<8x128xf32, #tpu.memory_space<vmem>>, vector<8x128xf32>,
  }
  scf.if %first {
    %r = vector.load %acc[%c0, %c0] : memref<8x128xf32, #tpu.memory_space<vmem>>, vector<8x128xf32>
    tpu.vector_store %o[%c0, %c0], %r {strides = array<i32>} : memref<8x128xf32, #tpu.memory_space<vmem>>, vector<8x128xf32>,
  }
  %s = vector.load %acc[%c0, %c0] : memref<8x128xf32, #tpu.memory_space<vmem>>, vector<8x128xf32>
  tpu.vector_store %acc[%c0, %c0], %s {strides = array<i32>} : memref<8x128xf32, #tpu.memory_space<vmem>>, vector<8x128xf32>,
  return
}

// A sum that a loop carries stays a sum: Mosaic cannot compile the matmul that would accumulate it.

// CHECK-LABEL: func.func @carried(
// CHECK: scf.for
// CHECK: %[[M:.*]] = tpu.matmul
// CHECK: %[[T:.*]] = arith.addf %{{.*}}, %[[M]]
// CHECK: scf.yield %[[T]]
func.func @carried(%n: i32, %a: vector<8x128xf32>, %b: vector<128x128xf32>) -> vector<8x128xf32> {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %zero = arith.constant dense<0.0> : vector<8x128xf32>
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%s = %zero) -> (vector<8x128xf32>) : i32 {
    %m = tpu.matmul %a, %b, %zero {transpose_lhs_hint = false} : vector<8x128xf32>, vector<128x128xf32>, vector<8x128xf32> -> vector<8x128xf32>
    %t = arith.addf %s, %m : vector<8x128xf32>
    scf.yield %t : vector<8x128xf32>
  }
  return %r : vector<8x128xf32>
}
