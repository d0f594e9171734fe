// A record stands before each op that touches a Ref, with the location of the op and the view that it names.
//
// RUN: gridir-opt %s --grid-record-accesses --mlir-print-debuginfo | FileCheck %s
// RUN: gridir-opt %s --grid-record-accesses --mlir-pass-statistics --mlir-pass-statistics-display=list -o /dev/null 2>&1 \
// RUN:   | FileCheck %s --check-prefix=STATS

// STATS: 16 num-recorded

!ref = memref<32xf32, #grid.space<any>>
!dma = memref<!grid.semaphore<dma>, #tpu.memory_space<semaphore_mem>>

// CHECK-LABEL: grid.kernel @touch
// CHECK:       %[[ROW:.*]] = grid.slice_ref
// CHECK-NEXT:  grid.record_access read %[[ROW]] : memref<8xf32, #grid.space<any>> loc([[LOC:#loc[0-9]*]])
// CHECK-NEXT:  grid.load %[[ROW]] {{.*}} loc([[LOC]])
// CHECK-NEXT:  grid.record_access write %[[ROW]]
// CHECK-NEXT:  grid.accumulate {{.*}}%[[ROW]]
// CHECK-NEXT:  grid.record_access read %[[X:[a-z0-9_]+]][%[[I:.*]]] dims [0] mask %[[M:[a-z0-9_]+]] :
// CHECK-NEXT:  grid.gather %[[X]][%[[I]]] dims [0] mask %[[M]]
// CHECK-NEXT:  grid.record_access write %[[O:[a-z0-9_]+]][%[[I]]] dims [0] :
// CHECK-NEXT:  grid.scatter %{{.*}}, %[[O]]
// CHECK:       grid.record_access atomic %[[O]] :
// CHECK-NEXT:  grid.atomic_rmw
// CHECK:       scf.if
// CHECK-NEXT:    grid.record_access read
// CHECK-NEXT:    grid.load
// CHECK-NEXT:    grid.record_access write
// CHECK-NEXT:    grid.store
// Of a masked access, what the mask lets through.
// CHECK:       grid.record_access read %[[X]] mask %[[M2:[a-z0-9_]+]] :
// CHECK-NEXT:  grid.load %[[X]] mask %[[M2]]
// CHECK-NEXT:  grid.record_access write %[[O]] mask %[[M2]] :
// CHECK-NEXT:  grid.store %{{.*}}, %[[O]] mask %[[M2]]
// The runtime sees what copies touch, and semaphores are what orders accesses.
// CHECK-NOT:   grid.record_access
grid.kernel @touch grid(%p = 4)
    inputs(%x: f32 [32] space any) outputs(%o: f32 [32] space any)
    scratch(%s: !dma) {
  %i = arith.constant dense<[3, 1, 2, 0]> : tensor<4xi32>
  %m = arith.constant dense<[true, true, false, true]> : tensor<4xi1>
  %c = arith.constant true
  %row = grid.slice_ref %x[8] [8] [1] : !ref -> memref<8xf32, #grid.space<any>>
  %v = grid.load %row : memref<8xf32, #grid.space<any>> -> tensor<8xf32>
  grid.accumulate %v, %row : tensor<8xf32>, memref<8xf32, #grid.space<any>>
  %g = grid.gather %x[%i] dims [0] mask %m : !ref, tensor<4xi32> mask tensor<4xi1> -> tensor<4xf32>
  grid.scatter %g, %o[%i] dims [0] : tensor<4xf32>, !ref, tensor<4xi32>
  %w = arith.constant dense<1.0> : tensor<32xf32>
  %old = grid.atomic_rmw add %w, %o : tensor<32xf32>, !ref
  scf.if %c {
    %u = grid.load %x : !ref -> tensor<32xf32>
    grid.store %u, %o : tensor<32xf32>, !ref
  }
  %m2 = arith.constant dense<true> : tensor<32xi1>
  %z = grid.load %x mask %m2 : !ref, tensor<32xi1> -> tensor<32xf32>
  grid.store %z, %o mask %m2 : tensor<32xf32>, !ref, tensor<32xi1>
  grid.copy_start %x, %o sem %s : !ref, !ref, !dma
  grid.copy_wait %x, %o sem %s : !ref, !ref, !dma
}

// Values read from scratch, a scope or an output are used if something depends on them; a select excludes values, and
// masks are not followed.
// CHECK-LABEL: grid.kernel @uses
// CHECK:       grid.record_access use %[[S:[a-z0-9_]+]] of %[[S]] : memref<8xf32> of memref<8xf32>
// CHECK-NEXT:  grid.record_access read %[[S]]
// CHECK-NEXT:  grid.load %[[S]]
// CHECK:       grid.record_access read %[[S]]
// CHECK-NEXT:  grid.load %[[S]]
// CHECK:       %[[NOT:.*]] = arith.xori %[[C:[a-z0-9_]+]], %
// CHECK-NEXT:  scf.if %[[NOT]] {
// CHECK-NEXT:    grid.record_access use %[[S]]
// CHECK:       grid.record_access write %[[O:[a-z0-9_]+]] :
// CHECK-NOT:   grid.record_access use
// CHECK:       grid.record_access write %[[O]]
grid.kernel @uses grid(%p = 4)
    outputs(%o: f32 [8])
    scratch(%s: memref<8xf32>) {
  %i = grid.program_id 0
  %zero = arith.constant 0 : i32
  %c = arith.cmpi eq, %i, %zero : i32
  %m = arith.constant dense<[true, true, false, true, true, true, true, true]> : tensor<8xi1>
  %z = arith.constant dense<0.0> : tensor<8xf32>
  %a = grid.load %s : memref<8xf32> -> tensor<8xf32>
  %n = arith.negf %a : tensor<8xf32>
  grid.store %n, %o : tensor<8xf32>, memref<8xf32, #grid.space<default>>
  %b = grid.load %s : memref<8xf32> -> tensor<8xf32>
  %chosen = arith.select %c, %z, %b : tensor<8xf32>
  %sum = arith.addf %chosen, %z : tensor<8xf32>
  grid.store %sum, %o : tensor<8xf32>, memref<8xf32, #grid.space<default>>
  %d = grid.load %s : memref<8xf32> -> tensor<8xf32>
  %masked = arith.select %m, %z, %d : tensor<8xi1>, tensor<8xf32>
  grid.store %masked, %o : tensor<8xf32>, memref<8xf32, #grid.space<default>>
}

// The record of what a copy has stored says so.
// CHECK-LABEL: grid.kernel @copied
// CHECK:       grid.record_access write %{{.*}} {grid.copied}
grid.kernel @copied grid(%p = 4)
    outputs(%o: f32 [8]) {
  %z = arith.constant dense<0.0> : tensor<8xf32>
  grid.store %z, %o {grid.copied} : tensor<8xf32>, memref<8xf32, #grid.space<default>>
}
