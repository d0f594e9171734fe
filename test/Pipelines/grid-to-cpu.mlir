// RUN: gridir-opt %s --grid-to-cpu=stop-after=grid-planned | FileCheck %s --check-prefix=PLANNED
// RUN: gridir-opt %s --grid-to-cpu=stop-after=loops | FileCheck %s --check-prefix=LOOPS
// RUN: gridir-opt %s --grid-to-cpu=stop-after=bufferized | FileCheck %s --check-prefix=BUFFERIZED
// RUN: gridir-opt %s --grid-to-cpu=stop-after=vectorized | FileCheck %s --check-prefix=VECTORIZED
// RUN: gridir-opt %s --grid-to-cpu | FileCheck %s --check-prefix=LLVM
// RUN: gridir-opt %s --grid-to-cpu="stop-after=grid-planned checks=uninitialized,races,semaphores schedule-seed=3" \
// RUN:   | FileCheck %s --check-prefix=CHECKED
// RUN: gridir-opt %s --grid-to-cpu="stop-after=grid-planned fill-memory=zero" | FileCheck %s --check-prefix=ZERO
// RUN: gridir-opt %s --grid-to-cpu=stop-after=grid-planned --mlir-timing --mlir-timing-display=tree -o /dev/null 2>&1 \
// RUN:   | FileCheck %s --check-prefix=ANALYSES
// RUN: gridir-opt %s --grid-to-cpu -o %t.whole
// RUN: gridir-opt %s --grid-to-cpu=stop-after=grid | FileCheck %s --check-prefix=GRID
// RUN: gridir-opt %s --grid-to-cpu=stop-after=grid-planned | gridir-opt --grid-to-cpu=start-after=grid-planned | diff %t.whole -
// RUN: gridir-opt %s --grid-to-cpu=stop-after=loops | gridir-opt --grid-to-cpu=start-after=loops | diff %t.whole -
// RUN: gridir-opt %s --grid-to-cpu=stop-after=bufferized | gridir-opt --grid-to-cpu=start-after=bufferized | diff %t.whole -
// RUN: gridir-opt %s --grid-to-cpu=stop-after=vectorized | gridir-opt --grid-to-cpu=start-after=vectorized | diff %t.whole -
// RUN: gridir-opt %s --grid-to-cpu=stop-after=loops \
// RUN:   | gridir-opt --grid-to-cpu="start-after=loops stop-after=vectorized" --dump-pass-pipeline -o /dev/null 2>&1 \
// RUN:   | FileCheck %s --check-prefix=BETWEEN
// RUN: not gridir-opt %s --grid-to-cpu=checks=heat 2>&1 | FileCheck %s --check-prefix=UNKNOWN

// Requested checks apply to the kernel while it is a grid: accesses are recorded, but not those that fill memory.
// CHECKED-LABEL: grid.kernel @scale
// CHECKED:         grid.tasks = #kernel.tasks<seed = 3, races = true, uninitialized = true, semaphores = true>
// CHECKED:         %[[NAN:.*]] = arith.constant dense<0x7FC00000>
// CHECKED-NEXT:    grid.store %[[NAN]]
// CHECKED:         grid.record_access read
// CHECKED:         grid.record_access write
// ZERO-LABEL:    grid.kernel @scale
// ZERO-NOT:        grid.tasks
// ZERO:            %[[ZERO:.*]] = arith.constant dense<0.000000e+00>
// ZERO-NEXT:       grid.store %[[ZERO]]
// UNKNOWN:       for the --checks option: Cannot find option named 'heat'!

// The accesses of programs are computed once for all passes of the plan that query them.
// ANALYSES:      (A) gridir::grid::BlockAccess
// ANALYSES-NOT:  BlockAccess

// Each stage is what the next one takes, and what a later run goes on from; no pass runs in both.
// GRID:        grid.kernel @scale
// GRID-NOT:      semantics
// BETWEEN-NOT: convert-grid-to-loops
// BETWEEN:     one-shot-bufferize
// BETWEEN:     cpu-plan-arena
// BETWEEN-NOT: convert-scf-to-branches

// PLANNED-LABEL: grid.kernel @scale
// PLANNED:         semantics [parallel
// PLANNED:         grid.load

// LOOPS-LABEL: func.func @scale
// LOOPS:         scf.for
// LOOPS:           memref.subview
// LOOPS:           arith.mulf {{.*}} : tensor<8x128xf32>
// LOOPS-NOT:     grid.

// BUFFERIZED-LABEL: func.func @scale
// BUFFERIZED-NOT:     tensor<
// BUFFERIZED:         linalg.generic {{.*}} outs(%{{.*}} : memref<8x128xf32
// BUFFERIZED:         arith.mulf {{.*}} : f32

// VECTORIZED-LABEL: kernel.abi @scale arena_bytes = 0
// VECTORIZED-NOT:     linalg.generic
// VECTORIZED:         arith.mulf {{.*}} : vector<

// LLVM-LABEL: llvm.func @scale(
// LLVM:         llvm.fmul {{.*}} : vector<
// LLVM-LABEL: llvm.func @scale.range(
// LLVM:         llvm.return
grid.kernel @scale grid(%i = 4)
    inputs(%x: f32 [32, 128] block [8, 128] at (%i, 0))
    outputs(%o: f32 [32, 128] block [8, 128] at (%i, 0)) {
  %v = grid.load %x : memref<8x128xf32, #grid.space<default>> -> tensor<8x128xf32>
  %s = arith.mulf %v, %v : tensor<8x128xf32>
  grid.store %s, %o : tensor<8x128xf32>, memref<8x128xf32, #grid.space<default>>
}
