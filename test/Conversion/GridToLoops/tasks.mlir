// A kernel of tasks calls the runtime where programs synchronize, and its Refs have separate memory all the time.
//
// RUN: gridir-opt %s --split-input-file --convert-grid-to-loops | FileCheck %s

!sem = memref<!grid.semaphore<regular>, #tpu.memory_space<semaphore_mem>>
!dma = memref<!grid.semaphore<dma>, #tpu.memory_space<semaphore_mem>>
!vmem = memref<8xf32, #tpu.memory_space<vmem>>
!any = memref<8xf32, #grid.space<any>>

// The copy is started and done by the runtime, which finds the other core's memory.
// CHECK:       kernel.abi
// CHECK-SAME:    tasks = <seed = 3>
// CHECK-SAME:    diagnostics = ["core {0} is out of bounds [0, {1})
// CHECK-SAME:    "a copy to scratch[0] waits for {1} on a semaphore that holds {0}, and nothing can signal it
// CHECK-DAG:   func.func private @gridirTaskCopy(i64, i64, i64, i64, i64, i64, i64, i64)
// CHECK-DAG:   func.func private @gridirTaskLocate(i64, i64, i64) -> i64
// CHECK:       func.func @copies(%{{[a-z0-9]*}}: memref<8xf32>, %{{[a-z0-9]*}}: memref<8xf32>,
// CHECK-DAG:     memref.alloca() {alignment = 64 : i64, kernel.buffer = #kernel.buffer<>} : memref<8xf32>
// CHECK-DAG:     memref.alloca() {alignment = 64 : i64, kernel.buffer = #kernel.buffer<>} : memref<i64>
// CHECK-DAG:     memref.alloca() {alignment = 64 : i64, kernel.buffer = #kernel.buffer<members = 0>} : memref<4xf32>
// CHECK-NOT:     linalg.fill
// CHECK:         call @gridirTaskLocate
// CHECK:         call @gridirTaskLocate
// CHECK:         call @gridirTaskDim
// CHECK:         call @gridirTaskCopy
// CHECK-NOT:     linalg.copy
// CHECK:         call @gridirTaskWait
// CHECK:         call @gridirTaskPause
// CHECK:       func.func @copies.range
// CHECK:         arith.constant 2 : index
grid.kernel @copies grid(%c = 2 named "core" core)
    inputs(%x: f32 [8] space any) outputs(%o: f32 [8] space any)
    scratch(%a: !vmem, %s: !dma, %t: !dma, %shared: memref<4xf32, #tpu.memory_space<hbm>>)
    semantics [core_parallel] attributes {grid.tasks = #kernel.tasks<seed = 3>} {
  %other = arith.constant 1 : i32
  grid.copy_start %x, %a sem %s src_sem %t core %other : !any, !vmem, !dma, !dma
  grid.copy_wait %x, %a sem %s : !any, !vmem, !dma
  grid.delay %other
}

// -----

// The subcores of a core share its memory: the part of that core in memory for all of them.
!sem = memref<!grid.semaphore<regular>, #tpu.memory_space<semaphore_mem>>
!shared = memref<8xf32, #tpu.memory_space<vmem_shared>>

// CHECK-LABEL: func.func @cores(
// CHECK:         %[[ALL:.*]] = memref.alloca() {alignment = 64 : i64, kernel.buffer = #kernel.buffer<members = 0>} : memref<2x8xf32>
// CHECK:         memref.subview %[[ALL]][%{{.*}}, 0] [1, 8] [1, 1] : memref<2x8xf32> to memref<8xf32, strided<[1], offset: ?>>
grid.kernel @cores grid(%c = 2 named "core" core, %s = 4 named "subcore" subcore)
    outputs(%o: f32 [2, 4, 8] space any) scratch(%shared: !shared, %q: !sem)
    semantics [core_parallel, subcore_parallel] attributes {grid.tasks = #kernel.tasks<>} {
  %one = arith.constant 1 : i32
  grid.semaphore_signal %q, %one core %one : !sem
  %v = grid.load %shared : !shared -> tensor<8xf32>
  grid.store %v, %shared : tensor<8xf32>, !shared
}

// -----

// Where one dimension enumerates the cores of several meshes, a core is the same in all of them: programs 3 to 5 are the
// second core's, as 7 is.
!sem = memref<!grid.semaphore<regular>, #tpu.memory_space<semaphore_mem>>
!shared = memref<8xf32, #tpu.memory_space<vmem_shared>>

// CHECK-LABEL: func.func @meshes(
// CHECK-DAG:     %[[THREE:.*]] = arith.constant 3 : index
// CHECK-DAG:     %[[SIX:.*]] = arith.constant 6 : index
// CHECK-DAG:     arith.divui %{{.*}}, %[[THREE]]
// CHECK-DAG:     %[[LAST:.*]] = arith.cmpi uge, %{{.*}}, %[[SIX]]
// CHECK:         %[[CORE:.*]] = arith.select %[[LAST]],
// CHECK:         memref.subview %{{.*}}[%[[CORE]], 0] [1, 8] [1, 1] : memref<2x8xf32>
grid.kernel @meshes grid(%c = 8 core) outputs(%o: f32 [8, 8] space any) scratch(%shared: !shared, %q: !sem)
    semantics [core_parallel]
    attributes {grid.tasks = #kernel.tasks<>, grid.meshes = [array<i64: 2, 3>, array<i64: 2>]} {
  %one = arith.constant 1 : i32
  grid.semaphore_signal %q, %one core %one : !sem
  %v = grid.load %shared : !shared -> tensor<8xf32>
  grid.store %v, %shared : tensor<8xf32>, !shared
}

// -----

// A value that others may overwrite during a wait is copied, if it is used afterwards.
!sem = memref<!grid.semaphore<regular>, #tpu.memory_space<semaphore_mem>>

// CHECK-LABEL: func.func @kept(
// CHECK:         bufferization.alloc_tensor() copy(
// CHECK:         call @gridirTaskSignal
// CHECK:         call @gridirTaskWait
// CHECK:         call @gridirTaskRead
grid.kernel @kept grid(%c = 2 named "core" core)
    inputs(%x: f32 [8]) outputs(%o: f32 [8]) scratch(%s: !sem)
    semantics [core_parallel] attributes {grid.tasks = #kernel.tasks<>} {
  %one = arith.constant 1 : i32
  %v = grid.load %x : memref<8xf32, #grid.space<default>> -> tensor<8xf32>
  grid.semaphore_signal %s, %one core %one : !sem
  grid.semaphore_wait %s, %one : !sem
  %n = grid.semaphore_read %s : !sem
  grid.store %v, %o : tensor<8xf32>, memref<8xf32, #grid.space<default>>
}

// -----

// Semaphores of the call: those that it makes are zero before any task begins and stay in the array; what it is given is
// added to what others have signalled by then.
!sem = memref<!grid.semaphore<regular>, #tpu.memory_space<semaphore_mem>>

// CHECK-LABEL: kernel.abi @passed
// CHECK-SAME:    zeroed_operands = [1]
// CHECK:       func.func @passed(%[[IN:.*]]: memref<i16>, %[[OUT:[a-z0-9]*]]: memref<i16>,
// CHECK:         %[[COUNT:.*]] = memref.alloca() {alignment = 64 : i64, kernel.buffer = #kernel.buffer<>} : memref<i64>
// CHECK:         linalg.generic {{.*}} ins(%[[IN]] : memref<i16>) outs(%[[COUNT]] : memref<i64>)
// CHECK:           arith.addi
// CHECK:         memref.extract_aligned_pointer_as_index %[[OUT]]
// CHECK:         call @gridirTaskSignal
// CHECK-NOT:     outs(%[[OUT]]
grid.kernel @passed grid(%c = 2 named "core" core)
    inputs(%s: !grid.semaphore<regular> [] space #tpu.memory_space<semaphore_mem>)
    outputs(%t: !grid.semaphore<regular> [] space #tpu.memory_space<semaphore_mem>)
    semantics [core_parallel] attributes {grid.tasks = #kernel.tasks<>} {
  %one = arith.constant 1 : i32
  grid.semaphore_signal %t, %one core %one : !sem
  grid.semaphore_wait %s, %one : !sem
}
