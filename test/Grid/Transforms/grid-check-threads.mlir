// Warpgroups of a CTA share memory: a write counts for a read of another warpgroup if the read cannot happen without it.
//
// RUN: gridir-opt %s --grid-check=checks=initialized | FileCheck %s

!bar = memref<!warpgroup.barrier<1>, #warpgroup.space<smem>>
!pair = memref<!warpgroup.barrier<2>, #warpgroup.space<smem>>
!bars = memref<2x!warpgroup.barrier<1>, #warpgroup.space<smem>>
!tensor = memref<!warpgroup.barrier<1, tensor_core>, #warpgroup.space<smem>>
!gmem = memref<128x128xf16, #warpgroup.space<gmem>>
!tile = memref<128x128xf16, #warpgroup.space<smem>>
!half = memref<64x128xf16, #warpgroup.space<smem>>
!tiles = memref<2x128x128xf16, #warpgroup.space<smem>>
!acc = memref<128x128xf32, #warpgroup.space<tmem>>

// A ring: warpgroup 0 copies eight tiles into two slots, and waits before it replaces one. Many CTAs do the same.
// CHECK-LABEL: grid.kernel @ring
// CHECK: subject = "a", verdict = "proved"
grid.kernel @ring grid(%i = 4096 named "i", %j = 4096 named "j", %wg = 2 named "wg" thread)
    inputs(%x: f16 [128, 128] space #warpgroup.space<gmem> origin "x") outputs(%o: f16 [128, 128] space #warpgroup.space<gmem> origin "o") {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %c2 = arith.constant 2 : i32
  %c8 = arith.constant 8 : i32
  %w = grid.program_id 2
  %copies = arith.cmpi eq, %w, %c0 : i32
  grid.scoped (%a: !tiles origin "a", %full: !bars, %empty: !bars) attributes {collective = ["wg"]} {
    scf.if %copies {
      scf.for %step = %c0 to %c8 step %c1 : i32 {
        %slot = arith.remsi %step, %c2 : i32
        %tile = grid.slice_ref %a[%slot, 0, 0] [1, 128, 128] [1, 1, 1] drop [0] : !tiles, i32 -> !tile
        %f = grid.slice_ref %full[%slot] [1] [1] drop [0] : !bars, i32 -> !bar
        %e = grid.slice_ref %empty[%slot] [1] [1] drop [0] : !bars, i32 -> !bar
        %again = arith.cmpi sge, %step, %c2 : i32
        scf.if %again {
          warpgroup.barrier_wait %e : !bar
        }
        warpgroup.tma_load %x[0, 0] [128, 128] to %tile barrier %f : !gmem, !tile, !bar
      }
    } else {
      %last = scf.for %step = %c0 to %c8 step %c1 iter_args(%slot = %c0) -> i32 : i32 {
        %tile = grid.slice_ref %a[%slot, 0, 0] [1, 128, 128] [1, 1, 1] drop [0] : !tiles, i32 -> !tile
        %f = grid.slice_ref %full[%slot] [1] [1] drop [0] : !bars, i32 -> !bar
        %e = grid.slice_ref %empty[%slot] [1] [1] drop [0] : !bars, i32 -> !bar
        warpgroup.barrier_wait %f : !bar
        %v = grid.load %tile : !tile -> tensor<128x128xf16>
        warpgroup.barrier_arrive %e : !bar
        grid.store %v, %o : tensor<128x128xf16>, !gmem
        %next = arith.subi %c1, %slot : i32
        scf.yield %next : i32
      }
    }
  }
}

// Warpgroup 1 waits for the other slot's tile.
// CHECK-LABEL: grid.kernel @other_slot
// CHECK: subject = "a", verdict = "unknown"
grid.kernel @other_slot grid(%wg = 2 named "wg" thread)
    inputs(%x: f16 [128, 128] space #warpgroup.space<gmem> origin "x") outputs(%o: f16 [128, 128] space #warpgroup.space<gmem> origin "o") {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %c2 = arith.constant 2 : i32
  %w = grid.program_id 0
  %copies = arith.cmpi eq, %w, %c0 : i32
  grid.scoped (%a: !tiles origin "a", %full: !bars) attributes {collective = ["wg"]} {
    scf.for %slot = %c0 to %c2 step %c1 : i32 {
      %other = arith.subi %c1, %slot : i32
      %tile = grid.slice_ref %a[%slot, 0, 0] [1, 128, 128] [1, 1, 1] drop [0] : !tiles, i32 -> !tile
      %f = grid.slice_ref %full[%slot] [1] [1] drop [0] : !bars, i32 -> !bar
      %e = grid.slice_ref %full[%other] [1] [1] drop [0] : !bars, i32 -> !bar
      scf.if %copies {
        warpgroup.tma_load %x[0, 0] [128, 128] to %tile barrier %f : !gmem, !tile, !bar
      } else {
        warpgroup.barrier_wait %e : !bar
        %v = grid.load %tile : !tile -> tensor<128x128xf16>
        grid.store %v, %o : tensor<128x128xf16>, !gmem
      }
    }
  }
}

// Nothing waits for the copy.
// CHECK-LABEL: grid.kernel @without_wait
// CHECK: subject = "a", verdict = "unknown"
grid.kernel @without_wait grid(%wg = 2 named "wg" thread)
    inputs(%x: f16 [128, 128] space #warpgroup.space<gmem> origin "x") outputs(%o: f16 [128, 128] space #warpgroup.space<gmem> origin "o") {
  %c0 = arith.constant 0 : i32
  %w = grid.program_id 0
  %copies = arith.cmpi eq, %w, %c0 : i32
  grid.scoped (%a: !tile origin "a", %b: !bar) attributes {collective = ["wg"]} {
    scf.if %copies {
      warpgroup.tma_load %x[0, 0] [128, 128] to %a barrier %b : !gmem, !tile, !bar
    } else {
      %v = grid.load %a : !tile -> tensor<128x128xf16>
      warpgroup.barrier_wait %b : !bar
      grid.store %v, %o : tensor<128x128xf16>, !gmem
    }
  }
}

// A warpgroup arrives after its stores.
// CHECK-LABEL: grid.kernel @stored
// CHECK: subject = "a", verdict = "proved"
// CHECK: subject = "late", verdict = "unknown"
grid.kernel @stored grid(%wg = 2 named "wg" thread) outputs(%o: f16 [128, 128] space #warpgroup.space<gmem> origin "o") {
  %c0 = arith.constant 0 : i32
  %zero = arith.constant dense<0.0> : tensor<128x128xf16>
  %w = grid.program_id 0
  %stores = arith.cmpi eq, %w, %c0 : i32
  grid.scoped (%a: !tile origin "a", %late: !tile origin "late", %b: !bar) attributes {collective = ["wg"]} {
    scf.if %stores {
      grid.store %zero, %a : tensor<128x128xf16>, !tile
      warpgroup.barrier_arrive %b : !bar
      grid.store %zero, %late : tensor<128x128xf16>, !tile
    } else {
      warpgroup.barrier_wait %b : !bar
      %v = grid.load %a : !tile -> tensor<128x128xf16>
      %u = grid.load %late : !tile -> tensor<128x128xf16>
      %s = arith.addf %u, %v : tensor<128x128xf16>
      grid.store %s, %o : tensor<128x128xf16>, !gmem
    }
  }
}

// Each of two warpgroups writes a half. A phase of one arrival does not tell which; one of two arrivals has both.
// CHECK-LABEL: grid.kernel @halves
// CHECK: subject = "one", verdict = "unknown"
// CHECK: subject = "both", verdict = "proved"
grid.kernel @halves grid(%wg = 3 named "wg" thread) outputs(%o: f16 [128, 128] space #warpgroup.space<gmem> origin "o") {
  %c2 = arith.constant 2 : i32
  %c64 = arith.constant 64 : i32
  %zero = arith.constant dense<0.0> : tensor<64x128xf16>
  %w = grid.program_id 0
  %stores = arith.cmpi slt, %w, %c2 : i32
  grid.scoped (%one: !tile origin "one", %both: !tile origin "both", %b: !bar, %p: !pair) attributes {collective = ["wg"]} {
    scf.if %stores {
      %row = arith.muli %w, %c64 : i32
      %h = grid.slice_ref %both[%row, 0] [64, 128] [1, 1] : !tile, i32 -> !half
      grid.store %zero, %h : tensor<64x128xf16>, !half
      warpgroup.barrier_arrive %p : !pair
      %g = grid.slice_ref %one[%row, 0] [64, 128] [1, 1] : !tile, i32 -> !half
      grid.store %zero, %g : tensor<64x128xf16>, !half
      warpgroup.barrier_arrive %b : !bar
    } else {
      warpgroup.barrier_wait %p : !pair
      %v = grid.load %both : !tile -> tensor<128x128xf16>
      warpgroup.barrier_wait %b : !bar
      %u = grid.load %one : !tile -> tensor<128x128xf16>
      %s = arith.addf %u, %v : tensor<128x128xf16>
      grid.store %s, %o : tensor<128x128xf16>, !gmem
    }
  }
}

// One warpgroup multiplies, the other one loads the sums: the commit announces both MMAs.
// CHECK-LABEL: grid.kernel @multiplied
// CHECK: subject = "acc", verdict = "proved"
// CHECK: subject = "a", verdict = "proved"
// CHECK: subject = "early", verdict = "unknown"
grid.kernel @multiplied grid(%wg = 2 named "wg" thread) outputs(%o: f32 [128, 128] space #warpgroup.space<gmem> origin "o") {
  %c0 = arith.constant 0 : i32
  %true = arith.constant true
  %false = arith.constant false
  %zero = arith.constant dense<0.0> : tensor<128x128xf16>
  %w = grid.program_id 0
  %first = arith.cmpi eq, %w, %c0 : i32
  grid.scoped (%acc: !acc origin "acc", %a: !tile origin "a", %early: !acc origin "early", %done: !tensor) attributes {collective = ["wg"]} {
    scf.if %first {
      grid.store %zero, %a : tensor<128x128xf16>, !tile
      warpgroup.tcgen05_mma %acc, %a, %a accumulate %false : !acc, !tile, !tile
      warpgroup.tcgen05_mma %acc, %a, %a accumulate %true : !acc, !tile, !tile
      warpgroup.tcgen05_commit %done : !tensor
      warpgroup.tcgen05_mma %early, %a, %a accumulate %false : !acc, !tile, !tile
    } else {
      warpgroup.barrier_wait %done : !tensor
      %v = grid.load %acc : !acc -> tensor<128x128xf32>
      %u = grid.load %early : !acc -> tensor<128x128xf32>
      %s = arith.addf %u, %v : tensor<128x128xf32>
      grid.store %s, %o : tensor<128x128xf32>, memref<128x128xf32, #warpgroup.space<gmem>>
    }
  }
}

// The memory of a scope is uninitialized at each entry.
// CHECK-LABEL: grid.kernel @entered_twice
// CHECK: subject = "a", verdict = "unknown"
grid.kernel @entered_twice grid(%wg = 2 named "wg" thread)
    inputs(%x: f16 [128, 128] space #warpgroup.space<gmem> origin "x") outputs(%o: f16 [128, 128] space #warpgroup.space<gmem> origin "o") {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %c2 = arith.constant 2 : i32
  %w = grid.program_id 0
  scf.for %step = %c0 to %c2 step %c1 : i32 {
    %sum = arith.addi %w, %step : i32
    %copies = arith.cmpi eq, %sum, %c0 : i32
    %reads = arith.cmpi eq, %sum, %c2 : i32
    grid.scoped (%a: !tile origin "a", %b: !bar) attributes {collective = ["wg"]} {
      scf.if %copies {
        warpgroup.tma_load %x[0, 0] [128, 128] to %a barrier %b : !gmem, !tile, !bar
      }
      scf.if %reads {
        %v = grid.load %a : !tile -> tensor<128x128xf16>
        grid.store %v, %o : tensor<128x128xf16>, !gmem
      }
    }
  }
}

// A condition in memory decides the copy, so the arrivals are unknown; and a kernel that waits forever proves nothing.
// CHECK-LABEL: grid.kernel @perhaps
// CHECK: subject = "a", verdict = "unknown"
grid.kernel @perhaps grid(%wg = 2 named "wg" thread)
    inputs(%n: i1 [] space #warpgroup.space<gmem> origin "n", %x: f16 [128, 128] space #warpgroup.space<gmem> origin "x")
    outputs(%o: f16 [128, 128] space #warpgroup.space<gmem> origin "o") {
  %c0 = arith.constant 0 : i32
  %w = grid.program_id 0
  %copies = arith.cmpi eq, %w, %c0 : i32
  grid.scoped (%a: !tile origin "a", %b: !bar) attributes {collective = ["wg"]} {
    scf.if %copies {
      %p = grid.load %n : memref<i1, #warpgroup.space<gmem>> -> i1
      scf.if %p {
        warpgroup.tma_load %x[0, 0] [128, 128] to %a barrier %b : !gmem, !tile, !bar
      } else {
        warpgroup.barrier_arrive %b : !bar
      }
    } else {
      warpgroup.barrier_wait %b : !bar
      %v = grid.load %a : !tile -> tensor<128x128xf16>
      grid.store %v, %o : tensor<128x128xf16>, !gmem
    }
  }
}

// CHECK-LABEL: grid.kernel @forever
// CHECK: subject = "a", verdict = "unknown"
grid.kernel @forever grid(%wg = 2 named "wg" thread)
    inputs(%x: f16 [128, 128] space #warpgroup.space<gmem> origin "x") outputs(%o: f16 [128, 128] space #warpgroup.space<gmem> origin "o") {
  %c0 = arith.constant 0 : i32
  %w = grid.program_id 0
  %copies = arith.cmpi eq, %w, %c0 : i32
  grid.scoped (%a: !tile origin "a", %b: !pair) attributes {collective = ["wg"]} {
    scf.if %copies {
      warpgroup.tma_load %x[0, 0] [128, 128] to %a barrier %b : !gmem, !tile, !pair
    } else {
      warpgroup.barrier_wait %b : !pair
      %v = grid.load %a : !tile -> tensor<128x128xf16>
      grid.store %v, %o : tensor<128x128xf16>, !gmem
    }
  }
}

// A copy passes on what it reads: warpgroup 0 copies from a tile that nothing fills.
// CHECK-LABEL: grid.kernel @copied
// CHECK: subject = "lhs", verdict = "unknown"
// CHECK: subject = "a", verdict = "unknown"
grid.kernel @copied grid(%wg = 2 named "wg" thread) outputs(%o: f16 [128, 128] space #warpgroup.space<gmem> origin "o") {
  %c0 = arith.constant 0 : i32
  %w = grid.program_id 0
  %copies = arith.cmpi eq, %w, %c0 : i32
  grid.scoped (%lhs: memref<128x128xf16, #warpgroup.space<tmem>> origin "lhs", %a: !tile origin "a", %done: !tensor) attributes {collective = ["wg"]} {
    scf.if %copies {
      warpgroup.tmem_copy %a to %lhs : !tile, memref<128x128xf16, #warpgroup.space<tmem>>
      warpgroup.tcgen05_commit %done : !tensor
    } else {
      warpgroup.barrier_wait %done : !tensor
      %v = grid.load %lhs : memref<128x128xf16, #warpgroup.space<tmem>> -> tensor<128x128xf16>
      grid.store %v, %o : tensor<128x128xf16>, !gmem
    }
  }
}

// A CTA reads the tile of the other one, or adds to it. Its own write says nothing about that. A store reads nothing.
// CHECK-LABEL: grid.kernel @elsewhere
// CHECK: reason = "another program may read it before it is written", subject = "a", verdict = "unknown"
// CHECK-SAME: subject = "own", verdict = "proved"
// CHECK-SAME: subject = "stored", verdict = "proved"
// CHECK-SAME: subject = "added", verdict = "unknown"
grid.kernel @elsewhere grid(%c = 2 named "c" cluster) outputs(%o: f16 [128, 128] space #warpgroup.space<gmem> origin "o") {
  %c1 = arith.constant 1 : i32
  %zero = arith.constant dense<0.0> : tensor<128x128xf16>
  %p = grid.program_id 0
  %peer = arith.subi %c1, %p : i32
  grid.scoped (%a: !tile origin "a", %own: !tile origin "own", %stored: !tile origin "stored", %added: !tile origin "added") {
    grid.store %zero, %a : tensor<128x128xf16>, !tile
    grid.store %zero, %stored : tensor<128x128xf16>, !tile
    grid.store %zero, %added : tensor<128x128xf16>, !tile
    warpgroup.cluster_store %zero to %stored ["c"][%peer] : tensor<128x128xf16>, !tile, i32
    warpgroup.cluster_store %zero to %added ["c"][%peer] reduce add : tensor<128x128xf16>, !tile, i32
    %s = grid.load %stored : !tile -> tensor<128x128xf16>
    %t = grid.load %added : !tile -> tensor<128x128xf16>
    %v = warpgroup.cluster_load %a ["c"][%peer] : !tile, i32 -> tensor<128x128xf16>
    grid.store %v, %own : tensor<128x128xf16>, !tile
    %w = grid.load %own : !tile -> tensor<128x128xf16>
    grid.store %w, %o : tensor<128x128xf16>, !gmem
  }
}
