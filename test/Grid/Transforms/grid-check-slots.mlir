// Slots that a loop carries: each wait has its copy, and each read what a copy brought.
//
// RUN: gridir-opt %s --grid-check='checks=in-bounds,initialized,balanced' | FileCheck %s

// Two slots in turn, as `1 - slot`: the copy of the next iteration starts before the wait of this one.
// CHECK-LABEL: grid.kernel @flip
// CHECK-NOT: unknown
// CHECK-NOT: refuted
// CHECK: {check = "initialized", subject = "b_ref", verdict = "proved"}
// CHECK-SAME: {check = "balanced", subject = "s_ref", verdict = "proved"}
grid.kernel @flip grid()
    inputs(%x: f32 [8, 8, 128] space any origin "x_ref")
    outputs(%o: f32 [8, 8, 128] space any origin "o_ref")
    scratch(%b: memref<2x8x128xf32, #tpu.memory_space<vmem>> origin "b_ref",
            %s: memref<2x!grid.semaphore<dma>, #tpu.memory_space<semaphore_mem>> origin "s_ref") {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c7 = arith.constant 7 : index
  %c8 = arith.constant 8 : index
  %c0_i32 = arith.constant 0 : i32
  %c1_i32 = arith.constant 1 : i32
  %x0 = grid.slice_ref %x[0, 0, 0] [1, 8, 128] [1, 1, 1] drop [0] : memref<8x8x128xf32, #grid.space<any>> -> memref<8x128xf32, #grid.space<any>>
  %b0 = grid.slice_ref %b[0, 0, 0] [1, 8, 128] [1, 1, 1] drop [0] : memref<2x8x128xf32, #tpu.memory_space<vmem>> -> memref<8x128xf32, #tpu.memory_space<vmem>>
  %s0 = grid.slice_ref %s[0] [1] [1] drop [0] : memref<2x!grid.semaphore<dma>, #tpu.memory_space<semaphore_mem>> -> memref<!grid.semaphore<dma>, #tpu.memory_space<semaphore_mem>>
  grid.copy_start %x0, %b0 sem %s0 : memref<8x128xf32, #grid.space<any>>, memref<8x128xf32, #tpu.memory_space<vmem>>, memref<!grid.semaphore<dma>, #tpu.memory_space<semaphore_mem>>
  %end = scf.for %i = %c0 to %c8 step %c1 iter_args(%slot = %c0_i32) -> (i32) {
    %other = arith.subi %c1_i32, %slot : i32
    %more = arith.cmpi slt, %i, %c7 : index
    scf.if %more {
      %n = arith.addi %i, %c1 : index
      %xn = grid.slice_ref %x[%n, 0, 0] [1, 8, 128] [1, 1, 1] drop [0] : memref<8x8x128xf32, #grid.space<any>>, index -> memref<8x128xf32, #grid.space<any>>
      %bn = grid.slice_ref %b[%other, 0, 0] [1, 8, 128] [1, 1, 1] drop [0] : memref<2x8x128xf32, #tpu.memory_space<vmem>>, i32 -> memref<8x128xf32, #tpu.memory_space<vmem>>
      %sn = grid.slice_ref %s[%other] [1] [1] drop [0] : memref<2x!grid.semaphore<dma>, #tpu.memory_space<semaphore_mem>>, i32 -> memref<!grid.semaphore<dma>, #tpu.memory_space<semaphore_mem>>
      grid.copy_start %xn, %bn sem %sn : memref<8x128xf32, #grid.space<any>>, memref<8x128xf32, #tpu.memory_space<vmem>>, memref<!grid.semaphore<dma>, #tpu.memory_space<semaphore_mem>>
    }
    %xi = grid.slice_ref %x[%i, 0, 0] [1, 8, 128] [1, 1, 1] drop [0] : memref<8x8x128xf32, #grid.space<any>>, index -> memref<8x128xf32, #grid.space<any>>
    %bi = grid.slice_ref %b[%slot, 0, 0] [1, 8, 128] [1, 1, 1] drop [0] : memref<2x8x128xf32, #tpu.memory_space<vmem>>, i32 -> memref<8x128xf32, #tpu.memory_space<vmem>>
    %si = grid.slice_ref %s[%slot] [1] [1] drop [0] : memref<2x!grid.semaphore<dma>, #tpu.memory_space<semaphore_mem>>, i32 -> memref<!grid.semaphore<dma>, #tpu.memory_space<semaphore_mem>>
    grid.copy_wait %xi, %bi sem %si : memref<8x128xf32, #grid.space<any>>, memref<8x128xf32, #tpu.memory_space<vmem>>, memref<!grid.semaphore<dma>, #tpu.memory_space<semaphore_mem>>
    %v = grid.load %bi : memref<8x128xf32, #tpu.memory_space<vmem>> -> tensor<8x128xf32>
    %oi = grid.slice_ref %o[%i, 0, 0] [1, 8, 128] [1, 1, 1] drop [0] : memref<8x8x128xf32, #grid.space<any>>, index -> memref<8x128xf32, #grid.space<any>>
    grid.store %v, %oi : tensor<8x128xf32>, memref<8x128xf32, #grid.space<any>>
    scf.yield %other : i32
  }
}

// The wait is for the other slot: there is no copy in flight there, and the elements that are read never arrived.
// CHECK-LABEL: grid.kernel @wrong_slot
// CHECK: {check = "initialized", {{.*}}, subject = "b_ref", verdict = "unknown"}
// CHECK-SAME: {check = "balanced", reason = "program () waits for a copy, but none is in flight", subject = "s_ref", verdict = "refuted"}
grid.kernel @wrong_slot grid()
    inputs(%x: f32 [8, 128] space any origin "x_ref")
    outputs(%o: f32 [8, 128] space any origin "o_ref")
    scratch(%b: memref<2x8x128xf32, #tpu.memory_space<vmem>> origin "b_ref",
            %s: memref<2x!grid.semaphore<dma>, #tpu.memory_space<semaphore_mem>> origin "s_ref") {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c1_i32 = arith.constant 1 : i32
  %c0_i32 = arith.constant 0 : i32
  %end = scf.for %i = %c0 to %c2 step %c1 iter_args(%slot = %c0_i32) -> (i32) {
    %other = arith.xori %c1_i32, %slot : i32
    %bn = grid.slice_ref %b[%slot, 0, 0] [1, 8, 128] [1, 1, 1] drop [0] : memref<2x8x128xf32, #tpu.memory_space<vmem>>, i32 -> memref<8x128xf32, #tpu.memory_space<vmem>>
    %sn = grid.slice_ref %s[%slot] [1] [1] drop [0] : memref<2x!grid.semaphore<dma>, #tpu.memory_space<semaphore_mem>>, i32 -> memref<!grid.semaphore<dma>, #tpu.memory_space<semaphore_mem>>
    grid.copy_start %x, %bn sem %sn : memref<8x128xf32, #grid.space<any>>, memref<8x128xf32, #tpu.memory_space<vmem>>, memref<!grid.semaphore<dma>, #tpu.memory_space<semaphore_mem>>
    %bi = grid.slice_ref %b[%other, 0, 0] [1, 8, 128] [1, 1, 1] drop [0] : memref<2x8x128xf32, #tpu.memory_space<vmem>>, i32 -> memref<8x128xf32, #tpu.memory_space<vmem>>
    %si = grid.slice_ref %s[%other] [1] [1] drop [0] : memref<2x!grid.semaphore<dma>, #tpu.memory_space<semaphore_mem>>, i32 -> memref<!grid.semaphore<dma>, #tpu.memory_space<semaphore_mem>>
    grid.copy_wait %x, %bi sem %si : memref<8x128xf32, #grid.space<any>>, memref<8x128xf32, #tpu.memory_space<vmem>>, memref<!grid.semaphore<dma>, #tpu.memory_space<semaphore_mem>>
    %v = grid.load %bi : memref<8x128xf32, #tpu.memory_space<vmem>> -> tensor<8x128xf32>
    grid.store %v, %o : tensor<8x128xf32>, memref<8x128xf32, #grid.space<any>>
    scf.yield %other : i32
  }
}

// Which slot is waited for is known only at run time: a copy that is left is no fault then.
// CHECK-LABEL: grid.kernel @unknown_slot
// CHECK: {check = "balanced", reason = "the semaphore or the amount is known only at run time", subject = "s_ref", verdict = "unknown"}
grid.kernel @unknown_slot grid()
    index(%slots: i32 [1] space index)
    inputs(%x: f32 [8, 128] space any origin "x_ref")
    outputs(%o: f32 [8, 128] space any origin "o_ref")
    scratch(%b: memref<8x128xf32, #tpu.memory_space<vmem>> origin "b_ref",
            %s: memref<2x!grid.semaphore<dma>, #tpu.memory_space<semaphore_mem>> origin "s_ref") {
  %s0 = grid.slice_ref %s[0] [1] [1] drop [0] : memref<2x!grid.semaphore<dma>, #tpu.memory_space<semaphore_mem>> -> memref<!grid.semaphore<dma>, #tpu.memory_space<semaphore_mem>>
  grid.copy_start %x, %b sem %s0 : memref<8x128xf32, #grid.space<any>>, memref<8x128xf32, #tpu.memory_space<vmem>>, memref<!grid.semaphore<dma>, #tpu.memory_space<semaphore_mem>>
  %at = grid.slice_ref %slots[0] [1] [1] drop [0] : memref<1xi32, #grid.space<index>> -> memref<i32, #grid.space<index>>
  %slot = grid.load %at : memref<i32, #grid.space<index>> -> i32
  %si = grid.slice_ref %s[%slot] [1] [1] drop [0] : memref<2x!grid.semaphore<dma>, #tpu.memory_space<semaphore_mem>>, i32 -> memref<!grid.semaphore<dma>, #tpu.memory_space<semaphore_mem>>
  grid.copy_wait %x, %b sem %si : memref<8x128xf32, #grid.space<any>>, memref<8x128xf32, #tpu.memory_space<vmem>>, memref<!grid.semaphore<dma>, #tpu.memory_space<semaphore_mem>>
}

// The slot is kept in scratch from one program to the next.
// CHECK-LABEL: grid.kernel @kept_slot
// CHECK-NOT: unknown
// CHECK-NOT: refuted
// CHECK: {check = "initialized", subject = "b_ref", verdict = "proved"}
// CHECK-SAME: {check = "balanced", subject = "s_ref", verdict = "proved"}
grid.kernel @kept_slot grid(%p = 8 named "p")
    index(%n: i32 [8] space index)
    inputs(%x: f32 [8, 8, 128] space any origin "x_ref")
    outputs(%o: f32 [8, 8, 128] space any origin "o_ref")
    scratch(%b: memref<2x8x128xf32, #tpu.memory_space<vmem>> origin "b_ref",
            %s: memref<2x!grid.semaphore<dma>, #tpu.memory_space<semaphore_mem>> origin "s_ref",
            %k: memref<1xi32, #tpu.memory_space<smem>> origin "k_ref") {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %c7 = arith.constant 7 : i32
  %i = grid.program_id 0
  %kept = grid.slice_ref %k[0] [1] [1] drop [0] : memref<1xi32, #tpu.memory_space<smem>> -> memref<i32, #tpu.memory_space<smem>>
  %first = arith.cmpi eq, %i, %c0 : i32
  scf.if %first {
    grid.store %c0, %kept : i32, memref<i32, #tpu.memory_space<smem>>
    %x0 = grid.slice_ref %x[0, 0, 0] [1, 8, 128] [1, 1, 1] drop [0] : memref<8x8x128xf32, #grid.space<any>> -> memref<8x128xf32, #grid.space<any>>
    %b0 = grid.slice_ref %b[0, 0, 0] [1, 8, 128] [1, 1, 1] drop [0] : memref<2x8x128xf32, #tpu.memory_space<vmem>> -> memref<8x128xf32, #tpu.memory_space<vmem>>
    %s0 = grid.slice_ref %s[0] [1] [1] drop [0] : memref<2x!grid.semaphore<dma>, #tpu.memory_space<semaphore_mem>> -> memref<!grid.semaphore<dma>, #tpu.memory_space<semaphore_mem>>
    grid.copy_start %x0, %b0 sem %s0 : memref<8x128xf32, #grid.space<any>>, memref<8x128xf32, #tpu.memory_space<vmem>>, memref<!grid.semaphore<dma>, #tpu.memory_space<semaphore_mem>>
  }
  %slot = grid.load %kept : memref<i32, #tpu.memory_space<smem>> -> i32
  %other = arith.subi %c1, %slot : i32
  grid.store %other, %kept : i32, memref<i32, #tpu.memory_space<smem>>
  %more = arith.cmpi slt, %i, %c7 : i32
  scf.if %more {
    %next = arith.addi %i, %c1 : i32
    %xn = grid.slice_ref %x[%next, 0, 0] [1, 8, 128] [1, 1, 1] drop [0] : memref<8x8x128xf32, #grid.space<any>>, i32 -> memref<8x128xf32, #grid.space<any>>
    %bn = grid.slice_ref %b[%other, 0, 0] [1, 8, 128] [1, 1, 1] drop [0] : memref<2x8x128xf32, #tpu.memory_space<vmem>>, i32 -> memref<8x128xf32, #tpu.memory_space<vmem>>
    %sn = grid.slice_ref %s[%other] [1] [1] drop [0] : memref<2x!grid.semaphore<dma>, #tpu.memory_space<semaphore_mem>>, i32 -> memref<!grid.semaphore<dma>, #tpu.memory_space<semaphore_mem>>
    grid.copy_start %xn, %bn sem %sn : memref<8x128xf32, #grid.space<any>>, memref<8x128xf32, #tpu.memory_space<vmem>>, memref<!grid.semaphore<dma>, #tpu.memory_space<semaphore_mem>>
  }
  %xi = grid.slice_ref %x[%i, 0, 0] [1, 8, 128] [1, 1, 1] drop [0] : memref<8x8x128xf32, #grid.space<any>>, i32 -> memref<8x128xf32, #grid.space<any>>
  %bi = grid.slice_ref %b[%slot, 0, 0] [1, 8, 128] [1, 1, 1] drop [0] : memref<2x8x128xf32, #tpu.memory_space<vmem>>, i32 -> memref<8x128xf32, #tpu.memory_space<vmem>>
  %si = grid.slice_ref %s[%slot] [1] [1] drop [0] : memref<2x!grid.semaphore<dma>, #tpu.memory_space<semaphore_mem>>, i32 -> memref<!grid.semaphore<dma>, #tpu.memory_space<semaphore_mem>>
  grid.copy_wait %xi, %bi sem %si : memref<8x128xf32, #grid.space<any>>, memref<8x128xf32, #tpu.memory_space<vmem>>, memref<!grid.semaphore<dma>, #tpu.memory_space<semaphore_mem>>
  %v = grid.load %bi : memref<8x128xf32, #tpu.memory_space<vmem>> -> tensor<8x128xf32>
  %oi = grid.slice_ref %o[%i, 0, 0] [1, 8, 128] [1, 1, 1] drop [0] : memref<8x8x128xf32, #grid.space<any>>, i32 -> memref<8x128xf32, #grid.space<any>>
  grid.store %v, %oi : tensor<8x128xf32>, memref<8x128xf32, #grid.space<any>>
}

// Programs of a parallel dimension each have a scratch of their own, whose slot only the first one sets.
// CHECK-LABEL: grid.kernel @parallel_slot
// CHECK: {check = "balanced", reason = "the semaphore or the amount is known only at run time", subject = "s_ref", verdict = "unknown"}
grid.kernel @parallel_slot grid(%p = 8 named "p")
    index(%n: i32 [8] space index)
    inputs(%x: f32 [8, 8, 128] space any origin "x_ref")
    outputs(%o: f32 [8, 8, 128] space any origin "o_ref")
    scratch(%b: memref<2x8x128xf32, #tpu.memory_space<vmem>> origin "b_ref",
            %s: memref<2x!grid.semaphore<dma>, #tpu.memory_space<semaphore_mem>> origin "s_ref",
            %k: memref<1xi32, #tpu.memory_space<smem>> origin "k_ref")
    semantics [parallel] {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %c7 = arith.constant 7 : i32
  %i = grid.program_id 0
  %kept = grid.slice_ref %k[0] [1] [1] drop [0] : memref<1xi32, #tpu.memory_space<smem>> -> memref<i32, #tpu.memory_space<smem>>
  %first = arith.cmpi eq, %i, %c0 : i32
  scf.if %first {
    grid.store %c0, %kept : i32, memref<i32, #tpu.memory_space<smem>>
    %x0 = grid.slice_ref %x[0, 0, 0] [1, 8, 128] [1, 1, 1] drop [0] : memref<8x8x128xf32, #grid.space<any>> -> memref<8x128xf32, #grid.space<any>>
    %b0 = grid.slice_ref %b[0, 0, 0] [1, 8, 128] [1, 1, 1] drop [0] : memref<2x8x128xf32, #tpu.memory_space<vmem>> -> memref<8x128xf32, #tpu.memory_space<vmem>>
    %s0 = grid.slice_ref %s[0] [1] [1] drop [0] : memref<2x!grid.semaphore<dma>, #tpu.memory_space<semaphore_mem>> -> memref<!grid.semaphore<dma>, #tpu.memory_space<semaphore_mem>>
    grid.copy_start %x0, %b0 sem %s0 : memref<8x128xf32, #grid.space<any>>, memref<8x128xf32, #tpu.memory_space<vmem>>, memref<!grid.semaphore<dma>, #tpu.memory_space<semaphore_mem>>
  }
  %slot = grid.load %kept : memref<i32, #tpu.memory_space<smem>> -> i32
  %other = arith.subi %c1, %slot : i32
  grid.store %other, %kept : i32, memref<i32, #tpu.memory_space<smem>>
  %more = arith.cmpi slt, %i, %c7 : i32
  scf.if %more {
    %next = arith.addi %i, %c1 : i32
    %xn = grid.slice_ref %x[%next, 0, 0] [1, 8, 128] [1, 1, 1] drop [0] : memref<8x8x128xf32, #grid.space<any>>, i32 -> memref<8x128xf32, #grid.space<any>>
    %bn = grid.slice_ref %b[%other, 0, 0] [1, 8, 128] [1, 1, 1] drop [0] : memref<2x8x128xf32, #tpu.memory_space<vmem>>, i32 -> memref<8x128xf32, #tpu.memory_space<vmem>>
    %sn = grid.slice_ref %s[%other] [1] [1] drop [0] : memref<2x!grid.semaphore<dma>, #tpu.memory_space<semaphore_mem>>, i32 -> memref<!grid.semaphore<dma>, #tpu.memory_space<semaphore_mem>>
    grid.copy_start %xn, %bn sem %sn : memref<8x128xf32, #grid.space<any>>, memref<8x128xf32, #tpu.memory_space<vmem>>, memref<!grid.semaphore<dma>, #tpu.memory_space<semaphore_mem>>
  }
  %xi = grid.slice_ref %x[%i, 0, 0] [1, 8, 128] [1, 1, 1] drop [0] : memref<8x8x128xf32, #grid.space<any>>, i32 -> memref<8x128xf32, #grid.space<any>>
  %bi = grid.slice_ref %b[%slot, 0, 0] [1, 8, 128] [1, 1, 1] drop [0] : memref<2x8x128xf32, #tpu.memory_space<vmem>>, i32 -> memref<8x128xf32, #tpu.memory_space<vmem>>
  %si = grid.slice_ref %s[%slot] [1] [1] drop [0] : memref<2x!grid.semaphore<dma>, #tpu.memory_space<semaphore_mem>>, i32 -> memref<!grid.semaphore<dma>, #tpu.memory_space<semaphore_mem>>
  grid.copy_wait %xi, %bi sem %si : memref<8x128xf32, #grid.space<any>>, memref<8x128xf32, #tpu.memory_space<vmem>>, memref<!grid.semaphore<dma>, #tpu.memory_space<semaphore_mem>>
  %v = grid.load %bi : memref<8x128xf32, #tpu.memory_space<vmem>> -> tensor<8x128xf32>
  %oi = grid.slice_ref %o[%i, 0, 0] [1, 8, 128] [1, 1, 1] drop [0] : memref<8x8x128xf32, #grid.space<any>>, i32 -> memref<8x128xf32, #grid.space<any>>
  grid.store %v, %oi : tensor<8x128xf32>, memref<8x128xf32, #grid.space<any>>
}

// A number that is read from memory replaces the slot.
// CHECK-LABEL: grid.kernel @replaced_slot
// CHECK: {check = "balanced", reason = "the semaphore or the amount is known only at run time", subject = "s_ref", verdict = "unknown"}
grid.kernel @replaced_slot grid(%p = 8 named "p")
    index(%n: i32 [8] space index)
    inputs(%x: f32 [8, 8, 128] space any origin "x_ref")
    outputs(%o: f32 [8, 8, 128] space any origin "o_ref")
    scratch(%b: memref<2x8x128xf32, #tpu.memory_space<vmem>> origin "b_ref",
            %s: memref<2x!grid.semaphore<dma>, #tpu.memory_space<semaphore_mem>> origin "s_ref",
            %k: memref<1xi32, #tpu.memory_space<smem>> origin "k_ref") {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %c7 = arith.constant 7 : i32
  %i = grid.program_id 0
  %kept = grid.slice_ref %k[0] [1] [1] drop [0] : memref<1xi32, #tpu.memory_space<smem>> -> memref<i32, #tpu.memory_space<smem>>
  %first = arith.cmpi eq, %i, %c0 : i32
  scf.if %first {
    grid.store %c0, %kept : i32, memref<i32, #tpu.memory_space<smem>>
    %x0 = grid.slice_ref %x[0, 0, 0] [1, 8, 128] [1, 1, 1] drop [0] : memref<8x8x128xf32, #grid.space<any>> -> memref<8x128xf32, #grid.space<any>>
    %b0 = grid.slice_ref %b[0, 0, 0] [1, 8, 128] [1, 1, 1] drop [0] : memref<2x8x128xf32, #tpu.memory_space<vmem>> -> memref<8x128xf32, #tpu.memory_space<vmem>>
    %s0 = grid.slice_ref %s[0] [1] [1] drop [0] : memref<2x!grid.semaphore<dma>, #tpu.memory_space<semaphore_mem>> -> memref<!grid.semaphore<dma>, #tpu.memory_space<semaphore_mem>>
    grid.copy_start %x0, %b0 sem %s0 : memref<8x128xf32, #grid.space<any>>, memref<8x128xf32, #tpu.memory_space<vmem>>, memref<!grid.semaphore<dma>, #tpu.memory_space<semaphore_mem>>
  }
  %at = grid.slice_ref %n[%i] [1] [1] drop [0] : memref<8xi32, #grid.space<index>>, i32 -> memref<i32, #grid.space<index>>
  %loaded = grid.load %at : memref<i32, #grid.space<index>> -> i32
  grid.store %loaded, %kept : i32, memref<i32, #tpu.memory_space<smem>>
  %slot = grid.load %kept : memref<i32, #tpu.memory_space<smem>> -> i32
  %other = arith.subi %c1, %slot : i32
  grid.store %other, %kept : i32, memref<i32, #tpu.memory_space<smem>>
  %more = arith.cmpi slt, %i, %c7 : i32
  scf.if %more {
    %next = arith.addi %i, %c1 : i32
    %xn = grid.slice_ref %x[%next, 0, 0] [1, 8, 128] [1, 1, 1] drop [0] : memref<8x8x128xf32, #grid.space<any>>, i32 -> memref<8x128xf32, #grid.space<any>>
    %bn = grid.slice_ref %b[%other, 0, 0] [1, 8, 128] [1, 1, 1] drop [0] : memref<2x8x128xf32, #tpu.memory_space<vmem>>, i32 -> memref<8x128xf32, #tpu.memory_space<vmem>>
    %sn = grid.slice_ref %s[%other] [1] [1] drop [0] : memref<2x!grid.semaphore<dma>, #tpu.memory_space<semaphore_mem>>, i32 -> memref<!grid.semaphore<dma>, #tpu.memory_space<semaphore_mem>>
    grid.copy_start %xn, %bn sem %sn : memref<8x128xf32, #grid.space<any>>, memref<8x128xf32, #tpu.memory_space<vmem>>, memref<!grid.semaphore<dma>, #tpu.memory_space<semaphore_mem>>
  }
  %xi = grid.slice_ref %x[%i, 0, 0] [1, 8, 128] [1, 1, 1] drop [0] : memref<8x8x128xf32, #grid.space<any>>, i32 -> memref<8x128xf32, #grid.space<any>>
  %bi = grid.slice_ref %b[%slot, 0, 0] [1, 8, 128] [1, 1, 1] drop [0] : memref<2x8x128xf32, #tpu.memory_space<vmem>>, i32 -> memref<8x128xf32, #tpu.memory_space<vmem>>
  %si = grid.slice_ref %s[%slot] [1] [1] drop [0] : memref<2x!grid.semaphore<dma>, #tpu.memory_space<semaphore_mem>>, i32 -> memref<!grid.semaphore<dma>, #tpu.memory_space<semaphore_mem>>
  grid.copy_wait %xi, %bi sem %si : memref<8x128xf32, #grid.space<any>>, memref<8x128xf32, #tpu.memory_space<vmem>>, memref<!grid.semaphore<dma>, #tpu.memory_space<semaphore_mem>>
  %v = grid.load %bi : memref<8x128xf32, #tpu.memory_space<vmem>> -> tensor<8x128xf32>
  %oi = grid.slice_ref %o[%i, 0, 0] [1, 8, 128] [1, 1, 1] drop [0] : memref<8x8x128xf32, #grid.space<any>>, i32 -> memref<8x128xf32, #grid.space<any>>
  grid.store %v, %oi : tensor<8x128xf32>, memref<8x128xf32, #grid.space<any>>
}
