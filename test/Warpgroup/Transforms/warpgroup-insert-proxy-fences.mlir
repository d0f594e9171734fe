// RUN: gridir-opt %s --warpgroup-insert-proxy-fences --split-input-file --verify-diagnostics | FileCheck %s
// RUN: gridir-opt %s --warpgroup-insert-proxy-fences --split-input-file -o /dev/null 2>&1 \
// RUN:   --remarks-filter=warpgroup-insert-proxy-fences --remark-format=emitRemark | FileCheck %s --check-prefix=REMARK

// REMARK: remark: [Passed] fence | Category:warpgroup-insert-proxy-fences | Remark="proxy fence inserted: threads access tile, and no commit_smem comes before this"

// A copy reads what threads have stored. The remark is at the copy, the note at the store.
// CHECK-LABEL: grid.kernel @store
// CHECK: grid.store
// CHECK-NEXT: warpgroup.commit_smem
// CHECK-NEXT: warpgroup.tma_store
// CHECK-NEXT: warpgroup.tma_store
grid.kernel @store grid() outputs(%o: f32 [8, 128] space #warpgroup.space<gmem>) {
  grid.scoped (%a: memref<8x128xf32, #warpgroup.space<smem>> origin "tile")
      attributes {warpgroup.offsets = array<i64: 0>} {
    %v = arith.constant dense<0.0> : tensor<8x128xf32>
    // expected-note @below {{this access}}
    grid.store %v, %a : tensor<8x128xf32>, memref<8x128xf32, #warpgroup.space<smem>>
    // expected-remark @below {{proxy fence inserted: threads access tile, and no commit_smem comes before this}}
    warpgroup.tma_store %a to %o[0, 0] [8, 128] : memref<8x128xf32, #warpgroup.space<smem>>, memref<8x128xf32, #warpgroup.space<gmem>>
    warpgroup.tma_store %a to %o[0, 0] [8, 128] : memref<8x128xf32, #warpgroup.space<smem>>, memref<8x128xf32, #warpgroup.space<gmem>>
  }
}

// -----

// The author's own fence is enough, wherever it is on the way; and what threads have only read a copy may read.
// CHECK-LABEL: grid.kernel @author
// CHECK-COUNT-1: warpgroup.commit_smem
// CHECK-NOT: warpgroup.commit_smem
grid.kernel @author grid() outputs(%o: f32 [8, 128] space #warpgroup.space<gmem>) {
  grid.scoped (%a: memref<8x128xf32, #warpgroup.space<smem>> origin "a", %b: memref<8x128xf32, #warpgroup.space<smem>>)
      attributes {warpgroup.offsets = array<i64: 0, 4096>} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c4 = arith.constant 4 : index
    %v = arith.constant dense<0.0> : tensor<8x128xf32>
    %w = grid.load %a : memref<8x128xf32, #warpgroup.space<smem>> -> tensor<8x128xf32>
    warpgroup.tma_store %a to %o[0, 0] [8, 128] : memref<8x128xf32, #warpgroup.space<smem>>, memref<8x128xf32, #warpgroup.space<gmem>>
    scf.for %i = %c0 to %c4 step %c1 {
      grid.store %v, %a : tensor<8x128xf32>, memref<8x128xf32, #warpgroup.space<smem>>
      warpgroup.commit_smem
      warpgroup.tma_store %a to %o[0, 0] [8, 128] : memref<8x128xf32, #warpgroup.space<smem>>, memref<8x128xf32, #warpgroup.space<gmem>>
      warpgroup.wait_group 0 read
      grid.store %v, %b : tensor<8x128xf32>, memref<8x128xf32, #warpgroup.space<smem>>
    }
    warpgroup.tma_store %a to %o[0, 0] [8, 128] : memref<8x128xf32, #warpgroup.space<smem>>, memref<8x128xf32, #warpgroup.space<gmem>>
  }
}

// -----

// A copy overwrites what threads have read, or stored by a view of the same memory.
// CHECK-LABEL: grid.kernel @overwrite
// CHECK: grid.load
// CHECK-NEXT: warpgroup.commit_smem
// CHECK-NEXT: warpgroup.tma_load
// CHECK: grid.store
// CHECK-NEXT: warpgroup.commit_smem
// CHECK-NEXT: warpgroup.tma_load
grid.kernel @overwrite grid() inputs(%x: f32 [8, 128] space #warpgroup.space<gmem>) {
  grid.scoped (%a: memref<8x128xf32, #warpgroup.space<smem>> origin "a", %b: memref<!warpgroup.barrier<1>, #warpgroup.space<smem>>)
      attributes {warpgroup.offsets = array<i64: 0, 4096>} {
    %v = arith.constant dense<0.0> : tensor<8x128xf32>
    // expected-note @below {{this access}}
    %w = grid.load %a : memref<8x128xf32, #warpgroup.space<smem>> -> tensor<8x128xf32>
    // expected-remark @below {{proxy fence inserted}}
    warpgroup.tma_load %x[0, 0] [8, 128] to %a barrier %b : memref<8x128xf32, #warpgroup.space<gmem>>, memref<8x128xf32, #warpgroup.space<smem>>, memref<!warpgroup.barrier<1>, #warpgroup.space<smem>>
    warpgroup.barrier_wait %b : memref<!warpgroup.barrier<1>, #warpgroup.space<smem>>
    %s = grid.reshape_ref %a : memref<8x128xf32, #warpgroup.space<smem>> -> memref<4x256xf32, #warpgroup.space<smem>>
    %u = arith.constant dense<0.0> : tensor<4x256xf32>
    // expected-note @below {{this access}}
    grid.store %u, %s : tensor<4x256xf32>, memref<4x256xf32, #warpgroup.space<smem>>
    // expected-remark @below {{proxy fence inserted}}
    warpgroup.tma_load %x[0, 0] [8, 128] to %a barrier %b : memref<8x128xf32, #warpgroup.space<gmem>>, memref<8x128xf32, #warpgroup.space<smem>>, memref<!warpgroup.barrier<1>, #warpgroup.space<smem>>
  }
}

// -----

// Scopes one after the other have the same bytes; Refs of one scope have not.
// CHECK-LABEL: grid.kernel @scopes
// CHECK: grid.store
// CHECK: grid.scoped
// CHECK: warpgroup.tma_load %{{.*}} to %c
// CHECK: warpgroup.commit_smem
// CHECK-NEXT: warpgroup.tma_load %{{.*}} to %d
grid.kernel @scopes grid() inputs(%x: f32 [8, 128] space #warpgroup.space<gmem>) {
  grid.scoped (%b: memref<!warpgroup.barrier<1>, #warpgroup.space<smem>>) attributes {warpgroup.offsets = array<i64: 8192>} {
    grid.scoped (%a: memref<8x128xf32, #warpgroup.space<smem>> origin "a") attributes {warpgroup.offsets = array<i64: 0>} {
      %v = arith.constant dense<0.0> : tensor<8x128xf32>
      // expected-note @below {{this access}}
      grid.store %v, %a : tensor<8x128xf32>, memref<8x128xf32, #warpgroup.space<smem>>
    }
    grid.scoped (%d: memref<8x128xf32, #warpgroup.space<smem>> origin "d", %c: memref<8x128xf32, #warpgroup.space<smem>> origin "c")
        attributes {warpgroup.offsets = array<i64: 0, 4096>} {
      warpgroup.tma_load %x[0, 0] [8, 128] to %c barrier %b : memref<8x128xf32, #warpgroup.space<gmem>>, memref<8x128xf32, #warpgroup.space<smem>>, memref<!warpgroup.barrier<1>, #warpgroup.space<smem>>
      // expected-remark @below {{threads access a,}}
      warpgroup.tma_load %x[0, 0] [8, 128] to %d barrier %b : memref<8x128xf32, #warpgroup.space<gmem>>, memref<8x128xf32, #warpgroup.space<smem>>, memref<!warpgroup.barrier<1>, #warpgroup.space<smem>>
    }
  }
}

// -----

// Accesses before a loop are ordered once, before it; accesses that one iteration leaves to the next one, in each.
// CHECK-LABEL: grid.kernel @loops
// CHECK: grid.store
// CHECK-NEXT: warpgroup.commit_smem
// CHECK-NEXT: scf.for
// CHECK-NEXT:   warpgroup.tma_store
// CHECK: scf.for
// CHECK-NEXT:   warpgroup.commit_smem
// CHECK-NEXT:   warpgroup.tma_store
// CHECK-NOT: warpgroup.commit_smem
grid.kernel @loops grid() outputs(%o: f32 [8, 128] space #warpgroup.space<gmem>) {
  grid.scoped (%a: memref<8x128xf32, #warpgroup.space<smem>> origin "a") attributes {warpgroup.offsets = array<i64: 0>} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c4 = arith.constant 4 : index
    %v = arith.constant dense<0.0> : tensor<8x128xf32>
    // expected-note @below {{this access}}
    grid.store %v, %a : tensor<8x128xf32>, memref<8x128xf32, #warpgroup.space<smem>>
    scf.for %i = %c0 to %c4 step %c1 {
      // expected-remark @below {{proxy fence inserted}}
      warpgroup.tma_store %a to %o[0, 0] [8, 128] : memref<8x128xf32, #warpgroup.space<smem>>, memref<8x128xf32, #warpgroup.space<gmem>>
    }
    scf.for %i = %c0 to %c4 step %c1 {
      // expected-remark @below {{proxy fence inserted}}
      warpgroup.tma_store %a to %o[0, 0] [8, 128] : memref<8x128xf32, #warpgroup.space<smem>>, memref<8x128xf32, #warpgroup.space<gmem>>
      warpgroup.wait_group 0 read
      // expected-note @below {{this access}}
      grid.store %v, %a : tensor<8x128xf32>, memref<8x128xf32, #warpgroup.space<smem>>
    }
  }
}

// -----

// One branch stores. The one that copies needs a fence, if it is reached.
// CHECK-LABEL: grid.kernel @branches
// CHECK: scf.if
// CHECK: grid.store
// CHECK: scf.if
// CHECK-NEXT: warpgroup.commit_smem
// CHECK-NEXT: warpgroup.tma_store
grid.kernel @branches grid(%i = 4 named "i") outputs(%o: f32 [8, 128] space #warpgroup.space<gmem>) {
  grid.scoped (%a: memref<8x128xf32, #warpgroup.space<smem>> origin "a") attributes {warpgroup.offsets = array<i64: 0>} {
    %v = arith.constant dense<0.0> : tensor<8x128xf32>
    %c0 = arith.constant 0 : i32
    %id = grid.program_id "i"
    %p = arith.cmpi eq, %id, %c0 : i32
    scf.if %p {
      // expected-note @below {{this access}}
      grid.store %v, %a : tensor<8x128xf32>, memref<8x128xf32, #warpgroup.space<smem>>
    }
    scf.if %p {
      // expected-remark @below {{proxy fence inserted}}
      warpgroup.tma_store %a to %o[0, 0] [8, 128] : memref<8x128xf32, #warpgroup.space<smem>>, memref<8x128xf32, #warpgroup.space<gmem>>
    }
  }
}

// -----

// Another warpgroup copies stored elements: the fence precedes the arrival that signals it. A wait signals nothing, and
// elements that only the own warpgroup copies need no order before an arrival.
// CHECK-LABEL: grid.kernel @warpgroups
// CHECK: grid.store %{{.*}}, %a
// CHECK-NEXT: warpgroup.barrier_wait
// CHECK-NEXT: warpgroup.commit_smem
// CHECK-NEXT: warpgroup.barrier_arrive
// CHECK: grid.store %{{.*}}, %c
// CHECK-NEXT: warpgroup.barrier_arrive
// CHECK-NEXT: warpgroup.commit_smem
// CHECK-NEXT: warpgroup.tma_store
// CHECK: else
// CHECK-NOT: warpgroup.commit_smem
grid.kernel @warpgroups grid(%wg = 2 named "wg" thread) outputs(%o: f32 [8, 128] space #warpgroup.space<gmem>) {
  grid.scoped (%a: memref<8x128xf32, #warpgroup.space<smem>> origin "a", %b: memref<!warpgroup.barrier<1>, #warpgroup.space<smem>>,
               %c: memref<8x128xf32, #warpgroup.space<smem>> origin "c")
      attributes {collective = ["wg"], warpgroup.offsets = array<i64: 0, 8192, 4096>} {
    %c0 = arith.constant 0 : i32
    %v = arith.constant dense<0.0> : tensor<8x128xf32>
    %i = grid.program_id "wg"
    %first = arith.cmpi eq, %i, %c0 : i32
    scf.if %first {
      // expected-note @below {{this access}}
      grid.store %v, %a : tensor<8x128xf32>, memref<8x128xf32, #warpgroup.space<smem>>
      warpgroup.barrier_wait %b : memref<!warpgroup.barrier<1>, #warpgroup.space<smem>>
      warpgroup.barrier_arrive %b : memref<!warpgroup.barrier<1>, #warpgroup.space<smem>>
      // expected-note @below {{this access}}
      grid.store %v, %c : tensor<8x128xf32>, memref<8x128xf32, #warpgroup.space<smem>>
      warpgroup.barrier_arrive %b : memref<!warpgroup.barrier<1>, #warpgroup.space<smem>>
      // expected-remark @below {{proxy fence inserted}}
      warpgroup.tma_store %c to %o[0, 0] [8, 128] : memref<8x128xf32, #warpgroup.space<smem>>, memref<8x128xf32, #warpgroup.space<gmem>>
    } else {
      // expected-remark @below {{proxy fence inserted}}
      warpgroup.tma_store %a to %o[0, 0] [8, 128] : memref<8x128xf32, #warpgroup.space<smem>>, memref<8x128xf32, #warpgroup.space<gmem>>
    }
  }
}

// -----

// A warp copies what its warpgroup has stored: all threads must have a fence, not only those of the warp.
// CHECK-LABEL: grid.kernel @warps
// CHECK: warpgroup.commit_smem
// CHECK-NEXT: warpgroup.warps
// CHECK-NOT: warpgroup.commit_smem
grid.kernel @warps grid() outputs(%o: f32 [8, 128] space #warpgroup.space<gmem>) {
  grid.scoped (%a: memref<8x128xf32, #warpgroup.space<smem>> origin "a") attributes {warpgroup.offsets = array<i64: 0>} {
    %v = arith.constant dense<0.0> : tensor<8x128xf32>
    // expected-note @below {{this access}}
    grid.store %v, %a : tensor<8x128xf32>, memref<8x128xf32, #warpgroup.space<smem>>
    warpgroup.warps {
    ^bb0(%warp: i32):
      %c1 = arith.constant 1 : i32
      %second = arith.cmpi eq, %warp, %c1 : i32
      scf.if %second {
        // expected-remark @below {{proxy fence inserted}}
        warpgroup.tma_store %a to %o[0, 0] [8, 128] : memref<8x128xf32, #warpgroup.space<smem>>, memref<8x128xf32, #warpgroup.space<gmem>>
      }
    }
  }
}

// -----

// A product reads its operands in shared memory, and one in registers no more.
// CHECK-LABEL: grid.kernel @product
// CHECK: grid.store
// CHECK-NEXT: warpgroup.commit_smem
// CHECK-NEXT: warpgroup.mma
grid.kernel @product grid() {
  grid.scoped (%a: memref<64x64xf16, #warpgroup.space<smem>>, %b: memref<64x64xf16, #warpgroup.space<smem>>,
               %acc: memref<64x64xf32, #warpgroup.space<regs>>)
      attributes {warpgroup.offsets = array<i64: 0, 8192, -1>} {
    %v = arith.constant dense<0.0> : tensor<64x64xf16>
    // expected-note @below {{this access}}
    grid.store %v, %b : tensor<64x64xf16>, memref<64x64xf16, #warpgroup.space<smem>>
    // expected-remark @below {{proxy fence inserted}}
    warpgroup.mma %acc, %a, %b : memref<64x64xf32, #warpgroup.space<regs>>, memref<64x64xf16, #warpgroup.space<smem>>, memref<64x64xf16, #warpgroup.space<smem>>
  }
}

// -----

// The copies of another block go to the memory of this one, too. What threads have loaded is in registers when they
// arrive.
// CHECK-LABEL: grid.kernel @cluster
// CHECK: grid.load
// CHECK-NEXT: warpgroup.barrier_arrive
// CHECK-NEXT: warpgroup.barrier_wait
// CHECK-NEXT: grid.store
// CHECK-NEXT: warpgroup.commit_smem
// CHECK-NEXT: warpgroup.barrier_arrive
// CHECK-NOT: warpgroup.commit_smem
grid.kernel @cluster grid(%c = 2 named "c" cluster) inputs(%x: f32 [8, 128] space #warpgroup.space<gmem>) {
  grid.scoped (%a: memref<8x128xf32, #warpgroup.space<smem>> origin "a", %b: memref<!warpgroup.barrier<1>, #warpgroup.space<smem>>,
               %m: memref<!warpgroup.barrier<1, cluster = ["c"]>, #warpgroup.space<smem>>)
      attributes {warpgroup.offsets = array<i64: 0, 8192, 8200>} {
    %w = grid.load %a : memref<8x128xf32, #warpgroup.space<smem>> -> tensor<8x128xf32>
    warpgroup.barrier_arrive %m : memref<!warpgroup.barrier<1, cluster = ["c"]>, #warpgroup.space<smem>>
    warpgroup.barrier_wait %m : memref<!warpgroup.barrier<1, cluster = ["c"]>, #warpgroup.space<smem>>
    // expected-note @below {{this access}}
    grid.store %w, %a : tensor<8x128xf32>, memref<8x128xf32, #warpgroup.space<smem>>
    warpgroup.barrier_arrive %m : memref<!warpgroup.barrier<1, cluster = ["c"]>, #warpgroup.space<smem>>
    warpgroup.barrier_wait %m : memref<!warpgroup.barrier<1, cluster = ["c"]>, #warpgroup.space<smem>>
    // expected-remark @below {{proxy fence inserted}}
    warpgroup.tma_load %x[0, 0] [8, 128] to %a barrier %b collective ["c"] : memref<8x128xf32, #warpgroup.space<gmem>>, memref<8x128xf32, #warpgroup.space<smem>>, memref<!warpgroup.barrier<1>, #warpgroup.space<smem>>
  }
}

// -----

// Copies read global memory that threads have stored to, or overwrite it. A fence for shared memory is none for global
// memory. Another array is not concerned.
// CHECK-LABEL: grid.kernel @global
// CHECK: grid.store %{{.*}}, %o
// CHECK-NEXT: warpgroup.commit_smem
// CHECK-NEXT: warpgroup.tma_load %x
// CHECK-NEXT: warpgroup.commit_gmem
// CHECK-NEXT: warpgroup.tma_load %o
// CHECK-NEXT: warpgroup.tma_load %o
// CHECK: grid.load %p
// CHECK-NEXT: warpgroup.commit_gmem
// CHECK-NEXT: warpgroup.tma_store %a to %p
grid.kernel @global grid() inputs(%x: f32 [8, 128] space #warpgroup.space<gmem> origin "x")
    outputs(%o: f32 [8, 128] space #warpgroup.space<gmem> origin "o", %p: f32 [8, 128] space #warpgroup.space<gmem> origin "p") {
  grid.scoped (%a: memref<8x128xf32, #warpgroup.space<smem>> origin "a", %b: memref<!warpgroup.barrier<1>, #warpgroup.space<smem>>)
      attributes {warpgroup.offsets = array<i64: 0, 4096>} {
    %v = arith.constant dense<0.0> : tensor<8x128xf32>
    // expected-note @below {{this access}}
    grid.store %v, %o : tensor<8x128xf32>, memref<8x128xf32, #warpgroup.space<gmem>>
    warpgroup.commit_smem
    warpgroup.tma_load %x[0, 0] [8, 128] to %a barrier %b : memref<8x128xf32, #warpgroup.space<gmem>>, memref<8x128xf32, #warpgroup.space<smem>>, memref<!warpgroup.barrier<1>, #warpgroup.space<smem>>
    // expected-remark @below {{proxy fence inserted: threads access o in global memory, which this copies}}
    warpgroup.tma_load %o[0, 0] [8, 128] to %a barrier %b : memref<8x128xf32, #warpgroup.space<gmem>>, memref<8x128xf32, #warpgroup.space<smem>>, memref<!warpgroup.barrier<1>, #warpgroup.space<smem>>
    warpgroup.tma_load %o[0, 0] [8, 128] to %a barrier %b : memref<8x128xf32, #warpgroup.space<gmem>>, memref<8x128xf32, #warpgroup.space<smem>>, memref<!warpgroup.barrier<1>, #warpgroup.space<smem>>
    warpgroup.barrier_wait %b : memref<!warpgroup.barrier<1>, #warpgroup.space<smem>>
    // expected-note @below {{this access}}
    %w = grid.load %p : memref<8x128xf32, #warpgroup.space<gmem>> -> tensor<8x128xf32>
    // expected-remark @below {{threads access p in global memory, which this copies}}
    warpgroup.tma_store %a to %p[0, 0] [8, 128] : memref<8x128xf32, #warpgroup.space<smem>>, memref<8x128xf32, #warpgroup.space<gmem>>
  }
}

// -----

// An input and the output that shares its memory are one array; threads may store to a part of it.
// CHECK-LABEL: grid.kernel @aliases
// CHECK: inputs(%[[X:[^ :]+]]: f32
// CHECK-NEXT: %[[Y:[^ :]+]]: f32
// CHECK: grid.store
// CHECK-NEXT: warpgroup.commit_gmem
// CHECK-NEXT: warpgroup.tma_load %[[Y]]
// CHECK-NEXT: warpgroup.tma_load %[[X]]
grid.kernel @aliases grid() inputs(%x: f32 [8, 128] space #warpgroup.space<gmem>, %y: f32 [8, 128] space #warpgroup.space<gmem>)
    outputs(%o: f32 [8, 128] space #warpgroup.space<gmem> origin "o") aliases [1 -> 0] {
  grid.scoped (%a: memref<8x128xf32, #warpgroup.space<smem>> origin "a", %b: memref<!warpgroup.barrier<1>, #warpgroup.space<smem>>)
      attributes {warpgroup.offsets = array<i64: 0, 4096>} {
    %v = arith.constant dense<0.0> : tensor<4x128xf32>
    %half = grid.slice_ref %o[4, 0] [4, 128] [1, 1] : memref<8x128xf32, #warpgroup.space<gmem>> -> memref<4x128xf32, #warpgroup.space<gmem>>
    // expected-note @below {{this access}}
    grid.store %v, %half : tensor<4x128xf32>, memref<4x128xf32, #warpgroup.space<gmem>>
    // expected-remark @below {{threads access o in global memory}}
    warpgroup.tma_load %y[0, 0] [8, 128] to %a barrier %b : memref<8x128xf32, #warpgroup.space<gmem>>, memref<8x128xf32, #warpgroup.space<smem>>, memref<!warpgroup.barrier<1>, #warpgroup.space<smem>>
    warpgroup.tma_load %x[0, 0] [8, 128] to %a barrier %b : memref<8x128xf32, #warpgroup.space<gmem>>, memref<8x128xf32, #warpgroup.space<smem>>, memref<!warpgroup.barrier<1>, #warpgroup.space<smem>>
  }
}

// -----

// All CTAs share global memory: the fence is before the signal to those that copy.
// CHECK-LABEL: grid.kernel @signals
// CHECK: grid.store
// CHECK: warpgroup.commit_gmem
// CHECK-NEXT: grid.semaphore_signal
// CHECK-NOT: warpgroup.commit_gmem
grid.kernel @signals grid(%i = 4) outputs(%o: f32 [8, 128] space #warpgroup.space<gmem> origin "o")
    scratch(%s: memref<!grid.semaphore<regular>, #warpgroup.space<gmem>>) {
  grid.scoped (%a: memref<8x128xf32, #warpgroup.space<smem>> origin "a", %b: memref<!warpgroup.barrier<1>, #warpgroup.space<smem>>)
      attributes {warpgroup.offsets = array<i64: 0, 4096>} {
    %v = arith.constant dense<0.0> : tensor<8x128xf32>
    %c1 = arith.constant 1 : i32
    %c4 = arith.constant 4 : i32
    // expected-note @below {{this access}}
    grid.store %v, %o : tensor<8x128xf32>, memref<8x128xf32, #warpgroup.space<gmem>>
    grid.semaphore_signal %s, %c1 : memref<!grid.semaphore<regular>, #warpgroup.space<gmem>>
    grid.semaphore_wait %s, %c4 : memref<!grid.semaphore<regular>, #warpgroup.space<gmem>>
    // expected-remark @below {{threads access o in global memory}}
    warpgroup.tma_load %o[0, 0] [8, 128] to %a barrier %b : memref<8x128xf32, #warpgroup.space<gmem>>, memref<8x128xf32, #warpgroup.space<smem>>, memref<!warpgroup.barrier<1>, #warpgroup.space<smem>>
  }
}

// -----

// An atomic update tells another program, too.
// CHECK-LABEL: grid.kernel @flag
// CHECK: grid.store
// CHECK-NEXT: warpgroup.commit_gmem
// CHECK-NEXT: grid.atomic_rmw
// CHECK-NOT: warpgroup.commit_gmem
grid.kernel @flag grid(%i = 4) outputs(%o: f32 [8, 128] space #warpgroup.space<gmem> origin "o", %f: i32 [] space #warpgroup.space<gmem>) {
  grid.scoped (%a: memref<8x128xf32, #warpgroup.space<smem>> origin "a", %b: memref<!warpgroup.barrier<1>, #warpgroup.space<smem>>)
      attributes {warpgroup.offsets = array<i64: 0, 4096>} {
    %v = arith.constant dense<0.0> : tensor<8x128xf32>
    %c1 = arith.constant 1 : i32
    // expected-note @below {{this access}}
    grid.store %v, %o : tensor<8x128xf32>, memref<8x128xf32, #warpgroup.space<gmem>>
    %old = grid.atomic_rmw add %c1, %f : i32, memref<i32, #warpgroup.space<gmem>>
    // expected-remark @below {{threads access o in global memory}}
    warpgroup.tma_load %o[0, 0] [8, 128] to %a barrier %b : memref<8x128xf32, #warpgroup.space<gmem>>, memref<8x128xf32, #warpgroup.space<smem>>, memref<!warpgroup.barrier<1>, #warpgroup.space<smem>>
  }
}

// -----

// A semaphore tells another warpgroup of shared memory, as a barrier does.
// CHECK-LABEL: grid.kernel @semaphore
// CHECK: grid.store
// CHECK-NEXT: warpgroup.commit_smem
// CHECK-NEXT: grid.semaphore_signal
// CHECK: else
// CHECK-NOT: warpgroup.commit
grid.kernel @semaphore grid(%wg = 2 named "wg" thread) outputs(%o: f32 [8, 128] space #warpgroup.space<gmem>)
    scratch(%s: memref<!grid.semaphore<regular>, #warpgroup.space<gmem>>) {
  grid.scoped (%a: memref<8x128xf32, #warpgroup.space<smem>> origin "a")
      attributes {collective = ["wg"], warpgroup.offsets = array<i64: 0>} {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %v = arith.constant dense<0.0> : tensor<8x128xf32>
    %i = grid.program_id "wg"
    %first = arith.cmpi eq, %i, %c0 : i32
    scf.if %first {
      // expected-note @below {{this access}}
      grid.store %v, %a : tensor<8x128xf32>, memref<8x128xf32, #warpgroup.space<smem>>
      grid.semaphore_signal %s, %c1 : memref<!grid.semaphore<regular>, #warpgroup.space<gmem>>
    } else {
      grid.semaphore_wait %s, %c1 : memref<!grid.semaphore<regular>, #warpgroup.space<gmem>>
      // expected-remark @below {{proxy fence inserted: threads access a, and no commit_smem}}
      warpgroup.tma_store %a to %o[0, 0] [8, 128] : memref<8x128xf32, #warpgroup.space<smem>>, memref<8x128xf32, #warpgroup.space<gmem>>
    }
  }
}
