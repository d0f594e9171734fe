// Memory is NaN, or the highest integer, until something is written: where each kind of it begins to live.
//
// RUN: gridir-opt %s --grid-poison-memory | FileCheck %s
// RUN: gridir-opt %s --grid-poison-memory=fill=zero | FileCheck %s --check-prefix=ZERO
// RUN: gridir-opt %s --grid-poison-memory=fill=poison | FileCheck %s --check-prefix=POISON
// RUN: gridir-opt %s --grid-poison-memory --mlir-pass-statistics --mlir-pass-statistics-display=list -o /dev/null 2>&1 \
// RUN:   | FileCheck %s --check-prefix=STATS

// STATS: num-poisoned

// Scratch in the first program of its run, the block of the output in its own first program.
// CHECK-LABEL: grid.kernel @sequential
// CHECK:      outputs(%[[O:[a-z0-9_]+]]:
// CHECK:      scratch(%[[SUM:[a-z0-9_]+]]: memref<8xf32>, %[[COUNT:[a-z0-9_]+]]: memref<8xi32>
// CHECK:      %[[K:.*]] = grid.program_id 1
// CHECK:      %[[FIRST:.*]] = arith.cmpi eq, %[[K]]
// CHECK:      scf.if %[[FIRST]] {
// CHECK-NEXT:   %[[NAN:.*]] = arith.constant dense<0x7FC00000> : tensor<8xf32>
// CHECK-NEXT:   grid.store %[[NAN]], %[[SUM]]
// CHECK-NEXT:   %[[HIGHEST:.*]] = arith.constant dense<2147483647> : tensor<8xi32>
// CHECK-NEXT:   grid.store %[[HIGHEST]], %[[COUNT]]
// CHECK-NEXT: }
// CHECK:      scf.if
// CHECK:        grid.store %{{.*}}, %[[O]]
// CHECK:      grid.load %[[SUM]]
grid.kernel @sequential grid(%i = 4, %k = 8)
    outputs(%o: f32 [32] block [8] at (%i))
    scratch(%sum: memref<8xf32>, %count: memref<8xi32>, %sem: memref<!grid.semaphore<regular>>)
    semantics [parallel, arbitrary] {
  %v = grid.load %sum : memref<8xf32> -> tensor<8xf32>
  grid.store %v, %o : tensor<8xf32>, memref<8xf32, #grid.space<default>>
}

// Every program has a separate block and scratch; a Ref of a scope is uninitialized at each entry.
// CHECK-LABEL: grid.kernel @parallel
// CHECK:      outputs(%[[O:[a-z0-9_]+]]:
// CHECK:      scratch(%[[BITS:[a-z0-9_]+]]:
// CHECK-NOT:  grid.program_id
// CHECK:      grid.store %{{.*}}, %[[BITS]] : tensor<8xi1>
// CHECK:      grid.store %{{.*}}, %[[O]]
// CHECK:      grid.scoped (%[[REF:.*]]: memref<f32>) {
// CHECK-NEXT:   %[[NAN:.*]] = arith.constant 0x7FC00000 : f32
// CHECK-NEXT:   grid.store %[[NAN]], %[[REF]] : f32
grid.kernel @parallel grid(%i = 4)
    outputs(%o: bf16 [32] block [8] at (%i))
    scratch(%bits: memref<8xi1>)
    semantics [parallel] {
  grid.scoped (%tmp: memref<f32>) {
    grid.yield
  }
}

// The sign of an operand is known; the highest bool is true.
// CHECK-LABEL: grid.kernel @signs
// CHECK-DAG:  arith.constant dense<true> : tensor<8xi1>
// CHECK-DAG:  arith.constant dense<-1> : tensor<8xi8>
// CHECK-DAG:  arith.constant dense<127> : tensor<8xi8>
// POISON-LABEL: grid.kernel @signs
// POISON-DAG: arith.constant dense<true> : tensor<8xi1>
// POISON-DAG: arith.constant dense<-128> : tensor<8xi8>
// ZERO-LABEL: grid.kernel @signs
// ZERO-NOT:   dense<true>
// ZERO:       arith.constant dense<0> : tensor<8xi8>
grid.kernel @signs grid(%i = 4)
    outputs(%o: ui8 [32] block [8] at (%i), %p: si8 [32] block [8] at (%i), %q: i1 [32] block [8] at (%i))
    semantics [parallel] {
}

// Allocations of a kernel or a scope are signless, unless an attribute marks them.
// CHECK-LABEL: grid.kernel @unsigned
// CHECK-DAG:  arith.constant dense<-1> : tensor<4xi16>
// CHECK-DAG:  arith.constant dense<32767> : tensor<8xi16>
// CHECK:      grid.scoped
// CHECK-NEXT:   arith.constant -1 : i32
grid.kernel @unsigned grid(%i = 4)
    scratch(%s: memref<8xi16>, %u: memref<4xi16>)
    semantics [parallel]
    attributes {grid.unsigned = array<i64: 1>} {
  grid.scoped (%tmp: memref<i32>) attributes {grid.unsigned = array<i64: 0>} {
    grid.yield
  }
}

// An input's memory is written already; of shared blocks, or blocks that a quotient chooses, none is surely the first:
// they have their values before any program begins.
// CHECK-LABEL: grid.kernel @left_alone
// CHECK-NOT: grid.store
// CHECK:     grid.initial_results = [unit, 0x7FC00000 : f32, 0x7FC00000 : f32]
// CHECK-NOT: grid.store
// ZERO-LABEL: grid.kernel @left_alone
// ZERO:       grid.initial_results = [unit, 0.000000e+00 : f32, 0.000000e+00 : f32]
grid.kernel @left_alone grid(%i = 4, %j = 4)
    inputs(%x: f32 [32] block [8] at (%j))
    outputs(%o: f32 [32] block [8] at (%j), %p: f32 [32] block [8] at (%j), %q: f32 [16] block [8] at (%j floordiv 2))
    semantics [parallel, arbitrary]
    aliases [0 -> 0] {
}

// Another block of the cluster may write here before this one begins.
// CHECK-LABEL: grid.kernel @of_others
// CHECK:     scratch(%[[TILE:[a-z0-9_]+]]: memref<8xf32>,
// CHECK-NOT: grid.store %{{.+}}, %[[TILE]]
// CHECK:     grid.store
// CHECK-NOT: grid.store
grid.kernel @of_others grid(%i = 2 named "x" cluster)
    scratch(%tile: memref<8xf32>, %own: memref<8xf32>)
    semantics [parallel] {
  %v = grid.load %own : memref<8xf32> -> tensor<8xf32>
  %peer = arith.constant 1 : i32
  warpgroup.cluster_store %v to %tile ["x"][%peer] : tensor<8xf32>, memref<8xf32>, i32
}

// Of the programs of a core, which share memory, none is known to be the first.
// CHECK-LABEL: grid.kernel @of_core
// CHECK:     scratch(%[[SHARED:[a-z0-9_]+]]: memref<8xf32, #tpu.memory_space<vmem_shared>>,
// CHECK-NOT: grid.store %{{.+}}, %[[SHARED]]
// CHECK:     grid.store
// CHECK-NOT: grid.store
grid.kernel @of_core grid(%c = 2 named "c" core, %s = 16 named "s" subcore)
    scratch(%shared: memref<8xf32, #tpu.memory_space<vmem_shared>>, %own: memref<8xf32>)
    semantics [core_parallel, subcore_parallel] {
}
