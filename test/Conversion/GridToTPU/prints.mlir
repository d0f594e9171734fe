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
grid.kernel @switch grid(%i = 4) outputs(%o: i32 [1] space #tpu.memory_space<smem>) {
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
  %3 = grid.slice_ref %o[0] [1] [1] drop [0] : memref<1xi32, #tpu.memory_space<smem>> -> memref<i32, #tpu.memory_space<smem>>
  grid.store %2, %3 : i32, memref<i32, #tpu.memory_space<smem>>
}

// -----

// The number of `lax.switch`, which is clamped to the cases, needs no clamp where cases are compared for order. One that
// may be beyond the last case, or below the first, is compared as it is.

// CHECK-LABEL: func.func @clamped(
// CHECK-SAME: %[[I:.*]]: i32,
// CHECK: %[[FIRST:.*]] = arith.cmpi sle, %[[I]], %c0_i32{{.*}} : i32
// CHECK: scf.if %[[FIRST]] -> (i32)
// CHECK: %[[SECOND:.*]] = arith.cmpi sle, %[[I]], %c1_i32{{.*}} : i32
// CHECK: scf.if %[[SECOND]] -> (i32)
// CHECK: %[[LIMITED:.*]] = arith.cmpi eq, %{{.*}}, %c0_i32{{.*}} : i32
// CHECK: scf.if %[[LIMITED]] -> (i32)
grid.kernel @clamped grid(%i = 4) outputs(%o: i32 [2] space #tpu.memory_space<smem>) {
  %0 = grid.program_id 0
  %zero = arith.constant 0 : i32
  %two = arith.constant 2 : i32
  %1 = arith.maxsi %0, %zero : i32
  %2 = arith.minsi %1, %two : i32
  %3 = arith.index_cast %2 : i32 to index
  %first = arith.constant 0 : index
  %4 = arith.maxsi %3, %first : index
  %5 = scf.index_switch %4 -> i32
  case 0 {
    scf.yield %0 : i32
  }
  case 1 {
    scf.yield %zero : i32
  }
  default {
    scf.yield %two : i32
  }
  %one = arith.constant 1 : i32
  %6 = arith.minsi %0, %one : i32
  %7 = arith.index_cast %6 : i32 to index
  %8 = scf.index_switch %7 -> i32
  case 0 {
    scf.yield %0 : i32
  }
  default {
    scf.yield %two : i32
  }
  %9 = grid.slice_ref %o[0] [1] [1] drop [0] : memref<2xi32, #tpu.memory_space<smem>> -> memref<i32, #tpu.memory_space<smem>>
  grid.store %5, %9 : i32, memref<i32, #tpu.memory_space<smem>>
  %10 = grid.slice_ref %o[1] [1] [1] drop [0] : memref<2xi32, #tpu.memory_space<smem>> -> memref<i32, #tpu.memory_space<smem>>
  grid.store %8, %10 : i32, memref<i32, #tpu.memory_space<smem>>
}
