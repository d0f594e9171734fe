// Offsets and conditions that are not functions of the program ids: the programs are simulated.
//
// RUN: gridir-opt %s --grid-check='checks=in-bounds,written' | FileCheck %s

// The loop carries the place, and counts the slot without end.
// CHECK-LABEL: grid.kernel @carried
// CHECK-NOT: unknown
// CHECK: {check = "in-bounds", subject = "b_ref", verdict = "proved"}
// CHECK: {check = "written", subject = "o_ref", verdict = "proved"}
grid.kernel @carried grid() outputs(%o: f32 [8, 128] space any origin "o_ref")
    scratch(%b: memref<2x128xf32, #tpu.memory_space<vmem>> origin "b_ref") {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  %c3_i32 = arith.constant 3 : i32
  %c1_i32 = arith.constant 1 : i32
  %c2_i32 = arith.constant 2 : i32
  %c8_i32 = arith.constant 8 : i32
  %v = arith.constant dense<0.0> : tensor<128xf32>
  %r:2 = scf.for %i = %c0 to %c8 step %c1 iter_args(%place = %c3_i32, %count = %c1_i32) -> (i32, i32) {
    %slot = arith.remsi %count, %c2_i32 : i32
    %bs = grid.slice_ref %b[%slot, 0] [1, 128] [1, 1] drop [0] : memref<2x128xf32, #tpu.memory_space<vmem>>, i32 -> memref<128xf32, #tpu.memory_space<vmem>>
    grid.store %v, %bs : tensor<128xf32>, memref<128xf32, #tpu.memory_space<vmem>>
    %os = grid.slice_ref %o[%place, 0] [1, 128] [1, 1] drop [0] : memref<8x128xf32, #grid.space<any>>, i32 -> memref<128xf32, #grid.space<any>>
    grid.store %v, %os : tensor<128xf32>, memref<128xf32, #grid.space<any>>
    %more = arith.addi %count, %c1_i32 : i32
    %after = arith.addi %place, %c1_i32 : i32
    %next = arith.remsi %after, %c8_i32 : i32
    scf.yield %next, %more : i32, i32
  }
}

// The slot of two iterations before, if there is one.
// CHECK-LABEL: grid.kernel @before
// CHECK-NOT: unknown
// CHECK: {check = "in-bounds", subject = "b_ref", verdict = "proved"}
grid.kernel @before grid() outputs(%o: f32 [128] space any origin "o_ref")
    scratch(%b: memref<2x128xf32, #tpu.memory_space<vmem>> origin "b_ref") {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  %c2_i32 = arith.constant 2 : i32
  scf.for %k = %c0 to %c8 step %c1 {
    %i = arith.index_cast %k : index to i32
    %is = arith.cmpi sge, %i, %c2_i32 : i32
    scf.if %is {
      %back = arith.subi %i, %c2_i32 : i32
      %slot = arith.remsi %back, %c2_i32 : i32
      %bs = grid.slice_ref %b[%slot, 0] [1, 128] [1, 1] drop [0] : memref<2x128xf32, #tpu.memory_space<vmem>>, i32 -> memref<128xf32, #tpu.memory_space<vmem>>
      %v = grid.load %bs : memref<128xf32, #tpu.memory_space<vmem>> -> tensor<128xf32>
      grid.store %v, %o : tensor<128xf32>, memref<128xf32, #grid.space<any>>
    }
  }
}

// The last element is not written: the loop carries the place one step too few. The slot is out of bounds at the end.
// CHECK-LABEL: grid.kernel @too_few
// CHECK: {check = "in-bounds", {{.*}}, subject = "b_ref", verdict = "unknown"}
// CHECK: {check = "written", {{.*}}, subject = "o_ref", verdict = "unknown"}
grid.kernel @too_few grid() outputs(%o: f32 [8, 128] space any origin "o_ref")
    scratch(%b: memref<7x128xf32, #tpu.memory_space<vmem>> origin "b_ref") {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c7 = arith.constant 7 : index
  %c1_i32 = arith.constant 1 : i32
  %c0_i32 = arith.constant 0 : i32
  %v = arith.constant dense<0.0> : tensor<128xf32>
  %r = scf.for %i = %c0 to %c7 step %c1 iter_args(%place = %c0_i32) -> (i32) {
    %os = grid.slice_ref %o[%place, 0] [1, 128] [1, 1] drop [0] : memref<8x128xf32, #grid.space<any>>, i32 -> memref<128xf32, #grid.space<any>>
    grid.store %v, %os : tensor<128xf32>, memref<128xf32, #grid.space<any>>
    %next = arith.addi %place, %c1_i32 : i32
    %bs = grid.slice_ref %b[%next, 0] [1, 128] [1, 1] drop [0] : memref<7x128xf32, #tpu.memory_space<vmem>>, i32 -> memref<128xf32, #tpu.memory_space<vmem>>
    grid.store %v, %bs : tensor<128xf32>, memref<128xf32, #tpu.memory_space<vmem>>
    scf.yield %next : i32
  }
}

// The condition of the store is in memory.
// CHECK-LABEL: grid.kernel @data
// CHECK: {check = "written", {{.*}}, subject = "o_ref", verdict = "unknown"}
grid.kernel @data grid() inputs(%x: i32 [8] space any origin "x_ref") outputs(%o: f32 [8, 128] space any origin "o_ref") {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  %c0_i32 = arith.constant 0 : i32
  %v = arith.constant dense<0.0> : tensor<128xf32>
  scf.for %i = %c0 to %c8 step %c1 {
    %at = grid.slice_ref %x[%i] [1] [1] drop [0] : memref<8xi32, #grid.space<any>>, index -> memref<i32, #grid.space<any>>
    %n = grid.load %at : memref<i32, #grid.space<any>> -> i32
    %is = arith.cmpi ne, %n, %c0_i32 : i32
    scf.if %is {
      %os = grid.slice_ref %o[%i, 0] [1, 128] [1, 1] drop [0] : memref<8x128xf32, #grid.space<any>>, index -> memref<128xf32, #grid.space<any>>
      grid.store %v, %os : tensor<128xf32>, memref<128xf32, #grid.space<any>>
    }
  }
}
