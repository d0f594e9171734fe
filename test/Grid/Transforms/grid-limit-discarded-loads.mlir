// RUN: gridir-opt %s --pass-pipeline='builtin.module(grid.kernel(grid-limit-discarded-loads))' | FileCheck %s
// RUN: gridir-opt %s --pass-pipeline='builtin.module(grid.kernel(grid-limit-discarded-loads))' -o /dev/null --mlir-pass-statistics --mlir-pass-statistics-display=list 2>&1 | FileCheck %s --check-prefix=STATISTICS
// STATISTICS: (S) 2 num-limited

#smem = #tpu.memory_space<smem>

// The next number is selected if there is one. The position of the current one is proved, and that of the result is
// stored to.
// CHECK-LABEL: grid.kernel @next
// CHECK:         %[[P:.*]] = grid.program_id 0
// CHECK:         %[[N:.*]] = arith.addi %[[P]]
// CHECK:         %[[ZERO:.*]] = arith.constant 0 : i32
// CHECK:         %[[A:.*]] = arith.maxsi %[[N]], %[[ZERO]] : i32
// CHECK:         %[[LAST:.*]] = arith.constant 3 : i32
// CHECK:         %[[B:.*]] = arith.minsi %[[A]], %[[LAST]] : i32
// CHECK:         grid.slice_ref %{{.*}}[%[[B]]] [1] [1] drop [0]
// CHECK:         grid.slice_ref %{{.*}}[%[[P]]] [1] [1] drop [0]
// CHECK:         grid.slice_ref %{{.*}}[%[[N]]] [1] [1] drop [0]
grid.kernel @next grid(%i = 4) index(%s: i32 [4] space #tpu.memory_space<smem>) outputs(%o: i32 [4] space #tpu.memory_space<smem>) {
  %p = grid.program_id 0
  %one = arith.constant 1 : i32
  %n = arith.addi %p, %one : i32
  %w = grid.slice_ref %s[%n] [1] [1] drop [0] : memref<4xi32, #smem>, i32 -> memref<i32, #smem>
  %v = grid.load %w : memref<i32, #smem> -> i32
  %c = grid.slice_ref %s[%p] [1] [1] drop [0] : memref<4xi32, #smem>, i32 -> memref<i32, #smem>
  %u = grid.load %c : memref<i32, #smem> -> i32
  %four = arith.constant 4 : i32
  %inside = arith.cmpi slt, %n, %four : i32
  %r = arith.select %inside, %v, %u : i32
  %d = grid.slice_ref %o[%n] [1] [1] drop [0] : memref<4xi32, #smem>, i32 -> memref<i32, #smem>
  grid.store %r, %d : i32, memref<i32, #smem>
}

// A row of a window of several elements: only the position of one element is limited.
// CHECK-LABEL: grid.kernel @row
// CHECK:         %[[P:.*]] = grid.program_id 0
// CHECK:         %[[N:.*]] = arith.index_cast
// CHECK:         %[[B:.*]] = arith.minsi
// CHECK:         grid.slice_ref %{{.*}}[%[[B]], %[[N]]] [1, 64] [1, 1] drop [0]
grid.kernel @row grid(%i = 4) inputs(%x: f32 [4, 128]) outputs(%o: f32 [64]) {
  %p = grid.program_id 0
  %n = arith.index_cast %p : i32 to index
  %two = arith.constant 2 : index
  %m = arith.addi %n, %two : index
  %w = grid.slice_ref %x[%m, %n] [1, 64] [1, 1] drop [0] : memref<4x128xf32, #grid.space<default>>, index, index -> memref<64xf32, #grid.space<default>>
  %v = grid.load %w : memref<64xf32, #grid.space<default>> -> tensor<64xf32>
  %inside = arith.cmpi slt, %m, %two : index
  scf.if %inside {
    grid.store %v, %o : tensor<64xf32>, memref<64xf32, #grid.space<default>>
  }
}

// A value that is certainly used stays an error where it is checked.
// CHECK-LABEL: grid.kernel @used
// CHECK-NOT:     arith.minsi
// CHECK:         grid.store
grid.kernel @used grid(%i = 4) index(%s: i32 [4] space #tpu.memory_space<smem>) outputs(%o: i32 [4] space #tpu.memory_space<smem>) {
  %p = grid.program_id 0
  %one = arith.constant 1 : i32
  %n = arith.addi %p, %one : i32
  %w = grid.slice_ref %s[%n] [1] [1] drop [0] : memref<4xi32, #smem>, i32 -> memref<i32, #smem>
  %v = grid.load %w : memref<i32, #smem> -> i32
  %d = grid.slice_ref %o[%p] [1] [1] drop [0] : memref<4xi32, #smem>, i32 -> memref<i32, #smem>
  grid.store %v, %d : i32, memref<i32, #smem>
}
