// RUN: gridir-opt %s --split-input-file --verify-diagnostics --cpu-plan-arena | FileCheck %s
// RUN: gridir-opt %s --split-input-file --verify-diagnostics --cpu-plan-arena --mlir-pass-statistics --mlir-pass-statistics-display=list -o /dev/null 2>&1 | FileCheck %s --check-prefix=STATS

// Buffers that live at different times share bytes, those that live together do not. %b lives over the whole loop that
// uses it, so %c, which is allocated in the loop, must not overlap it. A buffer is alive from its first access on: %b is
// allocated before %a is used, and shares bytes with it all the same.
// STATS:         CPUPlanArenaPass
// STATS:         (S) 3 num-buffers
// STATS-NEXT:    (S) 128 num-bytes
// STATS-NEXT:    (S) 128 num-bytes-saved
// CHECK-LABEL: kernel.abi @k arena_bytes = 128
// CHECK:       func.func @k(%[[STATUS:.*]]: memref<4xi64>, %[[LO:.*]]: index, %[[HI:.*]]: index,
// CHECK-SAME:               %[[ARENA:.*]]: memref<128xi8> {llvm.noalias})
// CHECK-DAG:     %[[A:.*]] = memref.view %[[ARENA]][%c0{{.*}}][] : memref<128xi8> to memref<32xf32>
// CHECK-DAG:     %[[B:.*]] = memref.view %[[ARENA]][%c0{{.*}}][] : memref<128xi8> to memref<16xf32>
// CHECK-DAG:     %[[C:.*]] = memref.view %[[ARENA]][%c64{{.*}}][] : memref<128xi8> to memref<16xf32>
// CHECK-NOT:     memref.alloc
// CHECK:         memref.store %{{.*}}, %[[A]]
// CHECK:         memref.load %[[A]]
// CHECK-NOT:     memref.dealloc
// CHECK:         memref.store %{{.*}}, %[[B]]
// CHECK:         scf.for
// CHECK:           memref.load %[[B]]
// CHECK:           memref.store %{{.*}}, %[[C]]
// CHECK-NOT:     memref.dealloc
// CHECK:         return
module {
  kernel.abi @k
  func.func @k(%status: memref<4xi64>, %lo: index, %hi: index) {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %x = arith.constant 1.0 : f32
    %b = memref.alloca() : memref<16xf32>
    %a = memref.alloc() : memref<32xf32>
    memref.store %x, %a[%c0] : memref<32xf32>
    %y = memref.load %a[%c0] : memref<32xf32>
    memref.dealloc %a : memref<32xf32>
    memref.store %y, %b[%c0] : memref<16xf32>
    scf.for %i = %lo to %hi step %c1 {
      %z = memref.load %b[%c0] : memref<16xf32>
      %c = memref.alloc() : memref<16xf32>
      memref.store %z, %c[%c0] : memref<16xf32>
    }
    return
  }
}

// -----

// A bool takes a byte. A kernel that needs no memory still takes an arena.
// CHECK-LABEL: kernel.abi @none arena_bytes = 0
// CHECK:       func.func @none(%{{.*}}: memref<0xi8> {llvm.noalias})
module {
  kernel.abi @none
  func.func @none() {
    return
  }
}

// -----

module {
  kernel.abi @dynamic
  func.func @dynamic(%n: index) {
    // expected-error @+1 {{expected a buffer of static size in a kernel, got 'memref<?xf32>'}}
    %a = memref.alloc(%n) : memref<?xf32>
    return
  }
}

// -----

// expected-error @+1 {{expected a module with a kernel.abi}}
module {
}

// -----

module {
  kernel.abi @k
  // expected-error @+1 {{expected one kernel.abi in a module, got another}}
  kernel.abi @k
  func.func private @k()
}

// -----

module {
  // expected-error @+1 {{expected a function @k with a body}}
  kernel.abi @k
  func.func private @k()
}

// -----

// Pinned buffers share bytes with none, and the arena may be seen by other tasks; what tasks share is elsewhere, by how
// many they are.
// CHECK:       func.func private @gridirTaskShared(i64) -> memref<128xi8>
// CHECK-LABEL: kernel.abi @tasks arena_bytes = 128 tasks = <>
// CHECK-SAME:      shared_memory = [#kernel.shared<members = 0, bytes = 64>, #kernel.shared<members = 2, bytes = 128>]
// CHECK:       func.func @tasks(
// CHECK-SAME:      %[[ARENA:[a-z0-9]*]]: memref<128xi8>)
// CHECK:         %[[TWO:.*]] = arith.constant 2 : i64
// CHECK:         %[[PAIR:.*]] = call @gridirTaskShared(%[[TWO]]) : (i64) -> memref<128xi8>
// CHECK:         memref.view %[[PAIR]]{{.*}} : memref<128xi8> to memref<16xi64>
// CHECK:         %[[NONE:.*]] = arith.constant 0 : i64
// CHECK:         %[[ALL:.*]] = call @gridirTaskShared(%[[NONE]]) : (i64) -> memref<128xi8>
// CHECK:         memref.view %[[ALL]]{{.*}} : memref<128xi8> to memref<8xi64>
// CHECK:         memref.view %[[ARENA]]
module {
  kernel.abi @tasks tasks = <>
  func.func @tasks(%status: memref<4xi64>, %lo: index, %hi: index) {
    %c0 = arith.constant 0 : index
    %x = arith.constant 1 : i64
    %a = memref.alloca() {kernel.buffer = #kernel.buffer<>} : memref<8xi64>
    %b = memref.alloca() : memref<8xi64>
    %c = memref.alloca() {kernel.buffer = #kernel.buffer<members = 0>} : memref<8xi64>
    %d = memref.alloca() {kernel.buffer = #kernel.buffer<members = 2>} : memref<16xi64>
    memref.store %x, %a[%c0] : memref<8xi64>
    memref.store %x, %b[%c0] : memref<8xi64>
    memref.store %x, %c[%c0] : memref<8xi64>
    memref.store %x, %d[%c0] : memref<16xi64>
    return
  }
}

// -----

// A complex number is two numbers, a bool a byte, an index 8 of them; a buffer begins at a multiple of 64.
// CHECK-LABEL: kernel.abi @sizes arena_bytes = 512
// CHECK:       func.func @sizes(
module {
  kernel.abi @sizes
  func.func @sizes(%status: memref<4xi64>, %lo: index, %hi: index) {
    %c0 = arith.constant 0 : index
    %x = arith.constant true
    %z = complex.constant [1.0, 2.0] : complex<f64>
    %a = memref.alloca() : memref<16xcomplex<f64>>
    %b = memref.alloca() : memref<65xi1>
    %c = memref.alloca() : memref<9xindex>
    memref.store %z, %a[%c0] : memref<16xcomplex<f64>>
    memref.store %x, %b[%c0] : memref<65xi1>
    memref.store %c0, %c[%c0] : memref<9xindex>
    %0 = memref.load %a[%c0] : memref<16xcomplex<f64>>
    %1 = memref.load %b[%c0] : memref<65xi1>
    %2 = memref.load %c[%c0] : memref<9xindex>
    return
  }
}

// -----

module {
  kernel.abi @vectors
  func.func @vectors() {
    // expected-error @+1 {{expected numbers as the elements of a buffer, got 'vector<8xf32>'}}
    %a = memref.alloca() : memref<4xvector<8xf32>>
    return
  }
}

// -----

module {
  kernel.abi @members
  func.func @members() {
    // expected-error @+1 {{expected a buffer of one work item or more, or of 0 for all, got one of -2}}
    %a = memref.alloca() {kernel.buffer = #kernel.buffer<members = -2>} : memref<8xi64>
    return
  }
}

// -----

// A buffer with an escaped address shares no bytes, neither before nor after its own use; %b and %c share.
// CHECK-LABEL: kernel.abi @kept arena_bytes = 128 tasks = <>
module {
  kernel.abi @kept tasks = <>
  func.func @kept(%status: memref<4xi64>, %lo: index, %hi: index) {
    %c0 = arith.constant 0 : index
    %x = arith.constant 1 : i64
    %b = memref.alloca() : memref<8xi64>
    memref.store %x, %b[%c0] : memref<8xi64>
    %a = memref.alloca() {kernel.buffer = #kernel.buffer<>} : memref<8xi64>
    memref.store %x, %a[%c0] : memref<8xi64>
    %c = memref.alloca() : memref<8xi64>
    memref.store %x, %c[%c0] : memref<8xi64>
    return
  }
}
