// Counters that begin again when they reach an end stay in their range, so that the slices of an emitted pipeline need no
// checks: neither does arithmetic on them wrap around, nor do they leave the array.
//
// RUN: gridir-opt %s --tpu-elide-checks --split-input-file | FileCheck %s

// CHECK: module attributes {{{.*}}grid.run_time_checks = {bounds, semaphore}}
// CHECK-LABEL: func.func @odometer(
module attributes {grid.operands = {inputs = [#grid.operand<f32 [32, 256] space any>], outputs = [#grid.operand<f32 [8, 128]>]}} {
  func.func @odometer(%x: memref<32x256xf32, #tpu.memory_space<any>>, %o: memref<8x128xf32, #tpu.memory_space<vmem>>,
                      %sem: memref<!tpu.dma_semaphore, #tpu.memory_space<semaphore_mem>>) attributes {
      tpu.core_type = #tpu.core_type<tc>, dimension_semantics = [], scalar_prefetch = 0 : i64, scratch_operands = 1 : i64} {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %c2 = arith.constant 2 : i32
    %c4 = arith.constant 4 : i32
    %c8 = arith.constant 8 : i32
    %c128 = arith.constant 128 : i32
    %first = arith.constant 0 : index
    %step = arith.constant 1 : index
    %end = arith.constant 8 : index
    %last:2 = scf.for %n = %first to %end step %step iter_args(%i = %c0, %j = %c0) -> (i32, i32) {
      %row = arith.muli %i, %c8 : i32
      %column = arith.muli %j, %c128 : i32
      %slice = tpu.memref_slice %x[%row, %column] : memref<32x256xf32, #tpu.memory_space<any>> -> memref<8x128xf32, #tpu.memory_space<any>>
      tpu.enqueue_dma source(%slice : memref<8x128xf32, #tpu.memory_space<any>>) target(%o : memref<8x128xf32, #tpu.memory_space<vmem>>) target_semaphore(%sem : memref<!tpu.dma_semaphore, #tpu.memory_space<semaphore_mem>>)
      tpu.wait_dma2 semaphore(%sem : memref<!tpu.dma_semaphore, #tpu.memory_space<semaphore_mem>>) src(%slice : memref<8x128xf32, #tpu.memory_space<any>>) dst(%o : memref<8x128xf32, #tpu.memory_space<vmem>>)
      %j1 = arith.addi %j, %c1 : i32
      %wraps = arith.cmpi eq, %j1, %c2 : i32
      %next_j = arith.select %wraps, %c0, %j1 : i32
      %i1 = arith.addi %i, %c1 : i32
      %carried = arith.select %wraps, %i1, %i : i32
      %ends = arith.cmpi eq, %carried, %c4 : i32
      %next_i = arith.select %ends, %c0, %carried : i32
      scf.yield %next_i, %next_j : i32, i32
    }
    return
  }
}

// -----

// The counter begins again only after it has left the array.

// CHECK: module attributes {{{.*}}grid.run_time_checks = {bounds = {{"|\["}}
// CHECK-LABEL: func.func @late(
module attributes {grid.operands = {inputs = [#grid.operand<f32 [32, 128] space any>], outputs = [#grid.operand<f32 [8, 128]>]}} {
  func.func @late(%x: memref<32x128xf32, #tpu.memory_space<any>>, %o: memref<8x128xf32, #tpu.memory_space<vmem>>,
                  %sem: memref<!tpu.dma_semaphore, #tpu.memory_space<semaphore_mem>>) attributes {
      tpu.core_type = #tpu.core_type<tc>, dimension_semantics = [], scalar_prefetch = 0 : i64, scratch_operands = 1 : i64} {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %c5 = arith.constant 5 : i32
    %c8 = arith.constant 8 : i32
    %first = arith.constant 0 : index
    %step = arith.constant 1 : index
    %end = arith.constant 8 : index
    %last = scf.for %n = %first to %end step %step iter_args(%i = %c0) -> (i32) {
      %row = arith.muli %i, %c8 : i32
      %slice = tpu.memref_slice %x[%row, %c0] : memref<32x128xf32, #tpu.memory_space<any>> -> memref<8x128xf32, #tpu.memory_space<any>>
      tpu.enqueue_dma source(%slice : memref<8x128xf32, #tpu.memory_space<any>>) target(%o : memref<8x128xf32, #tpu.memory_space<vmem>>) target_semaphore(%sem : memref<!tpu.dma_semaphore, #tpu.memory_space<semaphore_mem>>)
      tpu.wait_dma2 semaphore(%sem : memref<!tpu.dma_semaphore, #tpu.memory_space<semaphore_mem>>) src(%slice : memref<8x128xf32, #tpu.memory_space<any>>) dst(%o : memref<8x128xf32, #tpu.memory_space<vmem>>)
      %up = arith.addi %i, %c1 : i32
      %ends = arith.cmpi eq, %up, %c5 : i32
      %next = arith.select %ends, %c0, %up : i32
      scf.yield %next : i32
    }
    return
  }
}
