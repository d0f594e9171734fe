// Kernels whose programs synchronize are marked, with their concurrent dimensions.
//
// RUN: gridir-opt %s --grid-plan-tasks | FileCheck %s
// RUN: gridir-opt %s --grid-plan-tasks='always=true seed=7 races=true' | FileCheck %s --check-prefix=ALWAYS
// RUN: gridir-opt %s --grid-plan-tasks='always=true uninitialized=true' | FileCheck %s --check-prefix=MEMORY
// RUN: gridir-opt %s --grid-plan-tasks --grid-infer-dimension-semantics | FileCheck %s --check-prefix=INFER
// RUN: gridir-opt %s --grid-plan-tasks --mlir-pass-statistics --mlir-pass-statistics-display=list -o /dev/null 2>&1 \
// RUN:   | FileCheck %s --check-prefix=STATS
// RUN: gridir-opt %s --grid-plan-tasks --remarks-filter-analyse='.*' -o /dev/null 2>&1 | FileCheck %s --check-prefix=REMARK

!sem = memref<!grid.semaphore<regular>, #tpu.memory_space<semaphore_mem>>

// STATS: 6 num-task-kernels

// A signal to another core of a mesh.
// CHECK-LABEL: grid.kernel @cores
// CHECK: semantics [core_parallel]
// CHECK: attributes {grid.tasks = #kernel.tasks<>}
// ALWAYS-LABEL: grid.kernel @cores
// ALWAYS: attributes {grid.tasks = #kernel.tasks<seed = 7, races = true>}
// INFER-LABEL: grid.kernel @cores
// INFER: semantics [core_parallel]
// INFER: attributes {grid.tasks = #kernel.tasks<>}
// REMARK: programs run as tasks, since they synchronize here
grid.kernel @cores grid(%c = 2 named "core" core) scratch(%s: !sem) {
  %one = arith.constant 1 : i32
  %other = arith.constant 0 : i32
  grid.semaphore_signal %s, %one core %other : !sem
}

// A barrier that parallel programs share; the other dimension is inside a task.
// MEMORY-LABEL: grid.kernel @barrier
// MEMORY: semantics [parallel, arbitrary]
// MEMORY: attributes {grid.tasks = #kernel.tasks<uninitialized = true>}
// CHECK-LABEL: grid.kernel @barrier
// CHECK: semantics [parallel, arbitrary]
// CHECK: attributes {grid.tasks = #kernel.tasks<>}
// INFER-LABEL: grid.kernel @barrier
// INFER: semantics [parallel, arbitrary]
// INFER: attributes {grid.tasks = #kernel.tasks<>}
grid.kernel @barrier grid(%i = 4, %j = 2) params [#grid.tpu_params<dimension_semantics = ["parallel", "arbitrary"]>] {
  %one = arith.constant 1 : i32
  %b = grid.barrier_semaphore : memref<!grid.semaphore<barrier>>
  grid.semaphore_wait %b, %one : memref<!grid.semaphore<barrier>>
}

// A semaphore in a scope that all cores enter together.
// CHECK-LABEL: grid.kernel @collective
// CHECK: semantics [core_parallel]
// CHECK: attributes {grid.tasks = #kernel.tasks<>}
grid.kernel @collective grid(%c = 2 named "core" core) {
  %one = arith.constant 1 : i32
  grid.scoped (%s: !sem) attributes {collective = ["core"]} {
    grid.semaphore_wait %s, %one : !sem
  }
}

// A semaphore of the chip, in scratch.
// CHECK-LABEL: grid.kernel @global
// CHECK: grid.tasks
grid.kernel @global grid(%c = 2 named "core" core)
    scratch(%s: memref<!grid.semaphore<regular>, #tpu.memory_space<hbm>>) {
}

// Programs that each have their own semaphore run to their end; in their order, if only memory is looked at.
// MEMORY-LABEL: grid.kernel @alone
// MEMORY: semantics [arbitrary]
// MEMORY: attributes {grid.tasks = #kernel.tasks<uninitialized = true>}
// CHECK-LABEL: grid.kernel @alone
// CHECK-NOT: grid.tasks
// ALWAYS-LABEL: grid.kernel @alone
// ALWAYS: semantics [parallel]
// ALWAYS: attributes {grid.tasks = #kernel.tasks<seed = 7, races = true>}
grid.kernel @alone grid(%i = 4) scratch(%s: !sem) params [#grid.tpu_params<dimension_semantics = ["parallel"]>] {
  %one = arith.constant 1 : i32
  grid.semaphore_signal %s, %one : !sem
  grid.semaphore_wait %s, %one : !sem
}

// A mesh of one core has a core to be named.
// CHECK-LABEL: grid.kernel @one_core
// CHECK: grid.tasks
grid.kernel @one_core grid(%c = 1 named "core" core) scratch(%s: !sem) {
  %one = arith.constant 1 : i32
  %core = arith.constant 0 : i32
  grid.semaphore_signal %s, %one core %core : !sem
}

// Programs in order never synchronize.
// CHECK-LABEL: grid.kernel @in_order
// CHECK-NOT: grid.tasks
grid.kernel @in_order grid(%i = 4) {
  %one = arith.constant 1 : i32
  %b = grid.barrier_semaphore : memref<!grid.semaphore<barrier>>
  grid.semaphore_signal %b, %one : memref<!grid.semaphore<barrier>>
}

// Programs that never synchronize keep their order if only memory is checked, whatever is claimed.
// MEMORY-LABEL: grid.kernel @ordered
// MEMORY: semantics [arbitrary]
// MEMORY: attributes {grid.tasks = #kernel.tasks<uninitialized = true>}
// ALWAYS-LABEL: grid.kernel @ordered
// ALWAYS: semantics [parallel]
// ALWAYS: attributes {grid.tasks = #kernel.tasks<seed = 7, races = true>}
grid.kernel @ordered grid(%i = 4) params [#grid.tpu_params<dimension_semantics = ["parallel"]>] {
  %n = grid.program_id 0
}

// One shared semaphore is enough, whatever else the scope holds.
// CHECK-LABEL: grid.kernel @collective_with_memory
// CHECK: attributes {grid.tasks = #kernel.tasks<>}
grid.kernel @collective_with_memory grid(%c = 2 named "core" core) {
  %one = arith.constant 1 : i32
  grid.scoped (%m: memref<8xf32>, %s: !sem) attributes {collective = ["core"]} {
    grid.semaphore_wait %s, %one : !sem
  }
}

// Claims of a kernel for a GPU count like those for a TPU.
// ALWAYS-LABEL: grid.kernel @gpu_claims
// ALWAYS: semantics [parallel, sequential]
grid.kernel @gpu_claims grid(%i = 4, %j = 2) params [#grid.mosaic_gpu_params<dimension_semantics = ["parallel", "sequential"]>] {
  %n = grid.program_id 0
}

// The warpgroups of two blocks keep their memory until all of them are over.
// ALWAYS-LABEL: grid.kernel @clusters
// ALWAYS: attributes {grid.tasks = #kernel.tasks<seed = 7, races = true, cluster = 6>}
grid.kernel @clusters grid(%i = 4, %j = 2 named "c" cluster, %k = 3 named "wg" thread) {
  %n = grid.program_id 0
}

// Those of one block, too.
// ALWAYS-LABEL: grid.kernel @warpgroups
// ALWAYS: attributes {grid.tasks = #kernel.tasks<seed = 7, races = true, cluster = 3>}
grid.kernel @warpgroups grid(%i = 4, %k = 3 named "wg" thread) {
  %n = grid.program_id 0
}
