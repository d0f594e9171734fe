// RUN: gridir-opt %s --grid-plan | FileCheck %s --check-prefix=CPU
// RUN: gridir-opt %s --grid-plan=target=gpu:sm_90a | FileCheck %s --check-prefix=GPU
// RUN: gridir-opt %s --grid-plan -o %t.cpu
// RUN: gridir-opt %s --grid-to-cpu=stop-after=grid-planned | diff %t.cpu -
// RUN: gridir-opt %s --grid-plan='target=gpu:sm_90a test-blocks=false' -o %t.gpu
// RUN: gridir-opt %s --grid-to-gpu=stop-after=grid-planned | diff %t.gpu -
// RUN: gridir-opt %s --grid-plan='checks=races schedule-seed=1' --dump-pass-pipeline -o /dev/null 2>&1 | FileCheck %s --check-prefix=CHECKS
// RUN: gridir-opt %s --grid-to-cpu --dump-pass-pipeline -o /dev/null 2>&1 | FileCheck %s --check-prefix=LOOPS
// RUN: gridir-opt %s --grid-plan --dump-pass-pipeline -o /dev/null 2>&1 | FileCheck %s --check-prefix=WARPGROUPS
// RUN: not gridir-opt %s --grid-plan=target=gpu:sm_12 2>&1 | FileCheck %s --check-prefix=CHIP

// Planning is one pipeline, and the first part of those of the CPU and of a GPU. It names the chip to each pass that asks.
// CPU: #grid.memory_plan<"cpu"
// GPU: #grid.memory_plan<"gpu:sm_90a"
// CHECKS: grid-plan-tasks{{.*}}races=true{{.*}}seed=1
// CHECKS: grid-record-accesses
// CHIP: expected a chip (sm_80, sm_86, sm_89, sm_90, sm_90a, sm_100, sm_100a, sm_120), got sm_12

// The passes that execute warpgroups as tasks are a pipeline of their own, before planning.
// WARPGROUPS-NOT: warpgroup-
// WARPGROUPS: grid-plan-tasks
// WARPGROUPS-NOT: warpgroup-
// WARPGROUPS: grid-plan-memory

// After planning no pass of the CPU's pipeline is one for GPUs.
// LOOPS: grid-plan-memory
// LOOPS-NOT: {{(gpu|warpgroup)-}}
grid.kernel @double grid(%i = 4)
    inputs(%x: f32 [500] block [128] at (%i))
    outputs(%o: f32 [500] block [128] at (%i)) semantics [parallel] {
  %v = grid.load %x : memref<128xf32, #grid.space<default>> -> tensor<128xf32>
  %w = arith.addf %v, %v : tensor<128xf32>
  grid.store %w, %o : tensor<128xf32>, memref<128xf32, #grid.space<default>>
}
