// RUN: gridir-opt %s --convert-grid-to-tpu --split-input-file | FileCheck %s

// Numbers of i32 go where the text says; others follow it. An array is logged from memory. A check is an assertion.

// CHECK-LABEL: func.func @prints(
// CHECK: tpu.log "i = $0 of {$x1}" {formatted = true} : [%{{.*}}, %{{.*}}] : i32, i32
// CHECK: tpu.log "half" : [%{{.*}}] : f32
// CHECK: "tpu.region"() ({
// CHECK: %[[M:.*]] = memref.alloca() : memref<8x128xf32, #tpu.memory_space<vmem>>
// CHECK: tpu.vector_store %[[M]]
// CHECK: tpu.log_buffer "x = " {shape = array<i64: 8, 128>} : %[[M]] : memref<8x128xf32, #tpu.memory_space<vmem>>
// CHECK: cf.assert %{{.*}}, "negative"
grid.kernel @prints grid(%i = 4) inputs(%x: f32 [8, 128]) outputs(%o: f32 [8, 128]) {
  %0 = grid.program_id 0
  %c0 = arith.constant 0 : i32
  %half = arith.constant 0.5 : f32
  grid.print "i = {} of {{{:x}}}" %0, %c0 : i32, i32
  grid.print "half {}" %half : f32
  %1 = grid.load %x : memref<8x128xf32, #grid.space<default>> -> tensor<8x128xf32>
  grid.print "x = {}" %1 : tensor<8x128xf32>
  %2 = arith.cmpi sge, %0, %c0 : i32
  grid.assert %2, "negative"
}

// -----

// Of several regions one is chosen by one condition after another.

// CHECK-LABEL: func.func @switch(
// CHECK: %[[FIRST:.*]] = arith.cmpi eq
// CHECK: scf.if %[[FIRST]] -> (i32)
// CHECK: } else {
// CHECK: %[[SECOND:.*]] = arith.cmpi eq
// CHECK: scf.if %[[SECOND]] -> (i32)
grid.kernel @switch grid(%i = 4) outputs(%o: i32 [1] space tpu.smem) {
  %0 = grid.program_id 0
  %1 = arith.index_cast %0 : i32 to index
  %2 = scf.index_switch %1 -> i32
  case 0 {
    scf.yield %0 : i32
  }
  case 1 {
    %c7 = arith.constant 7 : i32
    scf.yield %c7 : i32
  }
  default {
    %c9 = arith.constant 9 : i32
    scf.yield %c9 : i32
  }
  %3 = grid.slice_ref %o[0] [1] [1] drop [0] : memref<1xi32, #grid.space<tpu.smem>> -> memref<i32, #grid.space<tpu.smem>>
  grid.store %2, %3 : i32, memref<i32, #grid.space<tpu.smem>>
}
