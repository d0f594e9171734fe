// RUN: gridir-opt %s --warpgroup-insert-barriers --split-input-file | FileCheck %s

!smem = memref<64x64xf32, #warpgroup.space<smem>>

// A read after a write, a write after a read, and a write after a write; not a read after a read, nor an access to
// another Ref.
// CHECK-LABEL: grid.kernel @accesses
// CHECK: grid.store %{{.+}}, %[[A:[a-z0-9]+]] :
// CHECK-NEXT: warpgroup.sync warpgroup
// CHECK-NEXT: grid.load %[[A]]
// CHECK-NEXT: grid.load %[[A]]
// CHECK-NEXT: grid.load
// CHECK-NEXT: warpgroup.sync warpgroup
// CHECK-NEXT: grid.store %{{.+}}, %[[A]] :
// CHECK-NEXT: warpgroup.sync warpgroup
// CHECK-NEXT: grid.accumulate %{{.+}}, %[[A]] :
// CHECK-NEXT: grid.store
// CHECK-NOT: warpgroup.sync
grid.kernel @accesses grid() {
  grid.scoped (%a: !smem, %b: !smem) attributes {warpgroup.offsets = array<i64: 0, 16384>} {
    %v = arith.constant dense<0.0> : tensor<64x64xf32>
    grid.store %v, %a : tensor<64x64xf32>, !smem
    %x = grid.load %a : !smem -> tensor<64x64xf32>
    %y = grid.load %a : !smem -> tensor<64x64xf32>
    %z = grid.load %b : !smem -> tensor<64x64xf32>
    grid.store %v, %a : tensor<64x64xf32>, !smem
    grid.accumulate %v, %a : tensor<64x64xf32>, !smem
    grid.store %x, %b : tensor<64x64xf32>, !smem
  }
}

// -----

!smem = memref<64x64xf32, #warpgroup.space<smem>>

// Two Refs whose bytes overlap are the same memory.
// CHECK-LABEL: grid.kernel @bytes
// CHECK: grid.store
// CHECK-NEXT: warpgroup.sync warpgroup
// CHECK-NEXT: grid.load
grid.kernel @bytes grid() {
  grid.scoped (%a: !smem, %b: !smem) attributes {warpgroup.offsets = array<i64: 0, 8192>} {
    %v = arith.constant dense<0.0> : tensor<64x64xf32>
    grid.store %v, %a : tensor<64x64xf32>, !smem
    %x = grid.load %b : !smem -> tensor<64x64xf32>
  }
}

// -----

!gmem = memref<64x64xf32, #warpgroup.space<gmem>>

// An output that is an input's memory: threads may store what others have not loaded. Other operands have no element
// in common.
// CHECK-LABEL: grid.kernel @alias
// CHECK: grid.load
// CHECK-NEXT: grid.store
// CHECK-NEXT: warpgroup.sync warpgroup
// CHECK-NEXT: grid.store
grid.kernel @alias grid() inputs(%x: f32 [64, 64] space #warpgroup.space<gmem>)
    outputs(%p: f32 [64, 64] space #warpgroup.space<gmem>, %o: f32 [64, 64] space #warpgroup.space<gmem>) aliases [0 -> 1] {
  %v = grid.load %x : !gmem -> tensor<64x64xf32>
  grid.store %v, %p : tensor<64x64xf32>, !gmem
  grid.store %v, %o : tensor<64x64xf32>, !gmem
}

// -----

!smem = memref<64x64xf32, #warpgroup.space<smem>>
!own = memref<!warpgroup.barrier<1>, #warpgroup.space<smem>>

// Before one thread announces something for all. If each warp arrives by itself, its lanes synchronize, and the
// accesses of other warps stay pending; nothing does if there is nothing to announce.
// CHECK-LABEL: grid.kernel @signals
// CHECK: warpgroup.barrier_wait
// CHECK-NEXT: warpgroup.sync warp
// CHECK-NEXT: warpgroup.barrier_arrive
// CHECK-NEXT: warpgroup.barrier_arrive
// CHECK-NEXT: grid.load
// CHECK-NEXT: warpgroup.sync warp
// CHECK-NEXT: warpgroup.barrier_arrive
// CHECK-NEXT: warpgroup.sync warpgroup
// CHECK-NEXT: grid.semaphore_signal
// CHECK-NEXT: grid.semaphore_signal
grid.kernel @signals grid() scratch(%s: memref<!grid.semaphore<regular>, #warpgroup.space<gmem>>) {
  %c1 = arith.constant 1 : i32
  grid.scoped (%t: !smem, %full: !own, %empty: !own) attributes {warpgroup.offsets = array<i64: 0, 16384, 16392>} {
    warpgroup.barrier_wait %full : !own
    warpgroup.barrier_arrive %empty : !own
    warpgroup.barrier_arrive %empty : !own
    %v = grid.load %t : !smem -> tensor<64x64xf32>
    warpgroup.barrier_arrive %empty : !own
    grid.semaphore_signal %s, %c1 : memref<!grid.semaphore<regular>, #warpgroup.space<gmem>>
    grid.semaphore_signal %s, %c1 : memref<!grid.semaphore<regular>, #warpgroup.space<gmem>>
  }
}

// -----

!gmem = memref<64x64xf32, #warpgroup.space<gmem>>
!smem = memref<64x64xf32, #warpgroup.space<smem>>
!bar = memref<!warpgroup.barrier<1>, #warpgroup.space<smem>>

// A copy starts a phase that a late thread would miss, and overwrites what threads have loaded. A fence synchronizes
// threads already.
// CHECK-LABEL: grid.kernel @copies
// CHECK: warpgroup.tma_load
// CHECK-NEXT: warpgroup.barrier_wait
// CHECK-NEXT: warpgroup.sync warpgroup
// CHECK-NEXT: warpgroup.tma_load
// CHECK-NEXT: warpgroup.barrier_wait
// CHECK-NEXT: grid.load
// CHECK-NEXT: warpgroup.commit_smem
// CHECK-NEXT: warpgroup.tma_load
// CHECK-NEXT: warpgroup.wait_group 0 read
// CHECK-NEXT: warpgroup.sync warpgroup
// CHECK-NEXT: grid.store
grid.kernel @copies grid() inputs(%x: f32 [64, 64] space #warpgroup.space<gmem>) {
  grid.scoped (%t: !smem, %b: !bar) attributes {warpgroup.offsets = array<i64: 0, 16384>} {
    warpgroup.tma_load %x[0, 0] [64, 64] to %t barrier %b : !gmem, !smem, !bar
    warpgroup.barrier_wait %b : !bar
    warpgroup.tma_load %x[0, 0] [64, 64] to %t barrier %b : !gmem, !smem, !bar
    warpgroup.barrier_wait %b : !bar
    %v = grid.load %t : !smem -> tensor<64x64xf32>
    warpgroup.commit_smem
    warpgroup.tma_load %x[0, 0] [64, 64] to %t barrier %b : !gmem, !smem, !bar
    warpgroup.wait_group 0 read
    grid.store %v, %t : tensor<64x64xf32>, !smem
  }
}

// -----

!smem = memref<64x64xf32, #warpgroup.space<smem>>

// The end of an iteration comes before the begin of the next one, unless the loop only reads.
// CHECK-LABEL: grid.kernel @loops
// CHECK: scf.for
// CHECK-NEXT: grid.store
// CHECK-NEXT: warpgroup.sync warpgroup
// CHECK-NEXT: grid.load
// CHECK-NEXT: warpgroup.sync warpgroup
// CHECK-NEXT: }
// CHECK-NEXT: scf.for
// CHECK-NEXT: grid.load
// CHECK-NEXT: }
grid.kernel @loops grid() {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  grid.scoped (%t: !smem) attributes {warpgroup.offsets = array<i64: 0>} {
    %v = arith.constant dense<0.0> : tensor<64x64xf32>
    scf.for %i = %c0 to %c4 step %c1 {
      grid.store %v, %t : tensor<64x64xf32>, !smem
      %x = grid.load %t : !smem -> tensor<64x64xf32>
    }
    scf.for %i = %c0 to %c4 step %c1 {
      %x = grid.load %t : !smem -> tensor<64x64xf32>
    }
  }
}

// -----

!smem = memref<64x64xf32, #warpgroup.space<smem>>

// What is pending after a branch is what is after either of its regions.
// CHECK-LABEL: grid.kernel @branch
// CHECK: scf.if
// CHECK-NEXT: grid.store
// CHECK-NEXT: }
// CHECK-NEXT: warpgroup.sync warpgroup
// CHECK-NEXT: grid.load
grid.kernel @branch grid() inputs(%x: i1 [] space #warpgroup.space<gmem>) {
  %c = grid.load %x : memref<i1, #warpgroup.space<gmem>> -> i1
  grid.scoped (%t: !smem) attributes {warpgroup.offsets = array<i64: 0>} {
    %v = arith.constant dense<0.0> : tensor<64x64xf32>
    scf.if %c {
      grid.store %v, %t : tensor<64x64xf32>, !smem
    }
    %w = grid.load %t : !smem -> tensor<64x64xf32>
  }
}

// -----

!smem = memref<64x64xf32, #warpgroup.space<smem>>

// A scope may use the memory of an earlier one; threads of other warpgroups may still be there.
// CHECK-LABEL: grid.kernel @scopes
// CHECK-NOT: warpgroup.sync
// CHECK: grid.scoped
// CHECK: grid.store
// CHECK: warpgroup.sync block
// CHECK-NEXT: grid.scoped
// CHECK-NOT: warpgroup.sync
grid.kernel @scopes grid() {
  %v = arith.constant dense<0.0> : tensor<64x64xf32>
  grid.scoped (%t: !smem) attributes {warpgroup.offsets = array<i64: 0>} {
    grid.store %v, %t : tensor<64x64xf32>, !smem
  }
  grid.scoped (%t: !smem) attributes {warpgroup.offsets = array<i64: 0>} {
    grid.store %v, %t : tensor<64x64xf32>, !smem
  }
}

// -----

!smem = memref<64x64xbf16, #warpgroup.space<smem>>
!acc = memref<64x64xf32, #warpgroup.space<regs>>

// An accumulator is complete after a wait, the author's or another one.
// CHECK-LABEL: grid.kernel @products
// CHECK: warpgroup.mma %
// CHECK-NEXT: warpgroup.mma %
// CHECK-NEXT: warpgroup.mma_wait 0
// CHECK-NEXT: grid.load
// CHECK-NEXT: warpgroup.mma %
// CHECK-NEXT: warpgroup.mma_wait 0
// CHECK-NEXT: grid.load
grid.kernel @products grid() {
  grid.scoped (%a: !smem, %b: !smem, %acc: !acc) attributes {warpgroup.offsets = array<i64: 0, 8192, -1>} {
    warpgroup.mma %acc, %a, %b : !acc, !smem, !smem
    warpgroup.mma %acc, %a, %b : !acc, !smem, !smem
    %x = grid.load %acc : !acc -> tensor<64x64xf32>
    warpgroup.mma %acc, %a, %b : !acc, !smem, !smem
    warpgroup.mma_wait 0
    %y = grid.load %acc : !acc -> tensor<64x64xf32>
  }
}

// -----

// In code of single warps only the lanes of a warp synchronize; the warpgroup does before and after it.
// CHECK-LABEL: grid.kernel @warps
// CHECK: grid.store
// CHECK-NEXT: warpgroup.warps
// CHECK: grid.load
// CHECK-NEXT: warpgroup.sync warp
// CHECK-NEXT: grid.store
// CHECK-NEXT: }
// CHECK-NEXT: grid.store
grid.kernel @warps grid() {
  grid.scoped (%t: memref<i32, #warpgroup.space<smem>>) attributes {warpgroup.offsets = array<i64: 0>} {
    %c1 = arith.constant 1 : i32
    grid.store %c1, %t : i32, memref<i32, #warpgroup.space<smem>>
    warpgroup.warps {
    ^bb0(%warp: i32):
      %x = grid.load %t : memref<i32, #warpgroup.space<smem>> -> i32
      grid.store %c1, %t : i32, memref<i32, #warpgroup.space<smem>>
    }
    grid.store %c1, %t : i32, memref<i32, #warpgroup.space<smem>>
  }
}

// -----

#vector = #warpgroup.layout<strided(1)>

// Threads exchange elements in the memory of the exchange before: an element of an array, and the sums of warps. An op
// without an exchange needs no barrier, nor does one after another barrier.
// CHECK-LABEL: grid.kernel @exchanges
// CHECK: tensor.extract
// CHECK-NEXT: tensor.extract %{{.*}} : tensor<1xf32
// CHECK-NEXT: warpgroup.sync warpgroup
// CHECK-NEXT: linalg.reduce
// CHECK: warpgroup.commit_smem
// CHECK-NEXT: tensor.extract
// CHECK-NOT: warpgroup.sync
grid.kernel @exchanges grid() {
  %i = arith.constant 0 : index
  %v = arith.constant dense<1.0> : tensor<128xf32, #vector>
  %one = arith.constant dense<1.0> : tensor<1xf32, #vector>
  %z = arith.constant dense<0.0> : tensor<f32, #warpgroup.layout<splat>>
  %a = tensor.extract %v[%i] : tensor<128xf32, #vector>
  %b = tensor.extract %one[%i] : tensor<1xf32, #vector>
  %c = linalg.reduce { arith.addf } ins(%v : tensor<128xf32, #vector>)
      outs(%z : tensor<f32, #warpgroup.layout<splat>>) dimensions = [0]
  warpgroup.commit_smem
  %d = tensor.extract %v[%i] : tensor<128xf32, #vector>
}

// -----

#vector = #warpgroup.layout<strided(1)>

// An exchange in a branch or before a loop is pending, and one in a loop is complete at its end.
// CHECK-LABEL: grid.kernel @exchanges_in_regions
// CHECK: scf.if
// CHECK-NEXT: tensor.extract
// CHECK-NEXT: }
// CHECK-NEXT: scf.for
// CHECK-NEXT: warpgroup.sync warpgroup
// CHECK-NEXT: tensor.extract
// CHECK-NEXT: warpgroup.sync warpgroup
// CHECK-NEXT: }
// CHECK-NEXT: warpgroup.sync warpgroup
// CHECK-NEXT: tensor.extract
grid.kernel @exchanges_in_regions grid() {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %v = arith.constant dense<1.0> : tensor<128xf32, #vector>
  %first = arith.constant true
  scf.if %first {
    %a = tensor.extract %v[%c0] : tensor<128xf32, #vector>
  }
  scf.for %i = %c0 to %c1 step %c1 {
    %b = tensor.extract %v[%i] : tensor<128xf32, #vector>
  }
  %c = tensor.extract %v[%c1] : tensor<128xf32, #vector>
}

// -----

!gmem = memref<64x64xf32, #warpgroup.space<gmem>>
!smem = memref<64x64xf32, #warpgroup.space<smem>>

// The thread that waits for copies sees what they have written; the others do after a barrier, unless the wait is for
// reads alone. Another array, and copies by the same thread, need none.
// CHECK-LABEL: grid.kernel @stored
// CHECK: warpgroup.wait_group 0
// CHECK-NEXT: grid.load %[[X:[a-z0-9]+]] :
// CHECK-NEXT: warpgroup.tma_store
// CHECK-NEXT: warpgroup.wait_group 0 read
// CHECK-NEXT: warpgroup.sync warpgroup
// CHECK-NEXT: grid.load
// CHECK-NEXT: grid.load
// CHECK-NEXT: warpgroup.wait_group 0 read
// CHECK-NEXT: grid.load
grid.kernel @stored grid() inputs(%x: f32 [64, 64] space #warpgroup.space<gmem>)
    outputs(%o: f32 [64, 64] space #warpgroup.space<gmem>) {
  grid.scoped (%t: !smem) attributes {warpgroup.offsets = array<i64: 0>} {
    warpgroup.tma_store %t to %o[0, 0] [64, 64] : !smem, !gmem
    warpgroup.commit_group
    warpgroup.wait_group 0
    %v = grid.load %x : !gmem -> tensor<64x64xf32>
    warpgroup.tma_store %t to %o[0, 0] [64, 64] : !smem, !gmem
    warpgroup.wait_group 0 read
    %w = grid.load %o : !gmem -> tensor<64x64xf32>
    %u = grid.load %o : !gmem -> tensor<64x64xf32>
    warpgroup.wait_group 0 read
    %s = grid.load %o : !gmem -> tensor<64x64xf32>
  }
}
