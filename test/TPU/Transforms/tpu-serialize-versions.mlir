// RUN: gridir-opt %s --tpu-serialize=version=12 --mlir-print-op-generic --split-input-file | FileCheck %s --check-prefixes=BOTH,OLD
// RUN: gridir-opt %s --tpu-serialize=version=13 --mlir-print-op-generic --split-input-file | FileCheck %s --check-prefixes=BOTH,HINT
// RUN: gridir-opt %s --tpu-serialize=version=14 --mlir-print-op-generic --split-input-file | FileCheck %s --check-prefixes=BOTH,HINT,SUBCORE

// From version 14 on a signal names a subcore, before it has a segment less.

// BOTH: "stable_mosaic.tpu.sem_signal"
// OLD-SAME: operandSegmentSizes = array<i32: 1, 1, 0, 1>
// SUBCORE-SAME: operandSegmentSizes = array<i32: 1, 1, 0, 1, 0>
func.func @core(%q: memref<!tpu.semaphore, #tpu.memory_space<semaphore_mem>>, %n: i32) {
  tpu.sem_signal %q, %n core_id %n : memref<!tpu.semaphore, #tpu.memory_space<semaphore_mem>>
  return
}

// -----

// From version 13 on a product has a hint to transpose.

// BOTH: "stable_mosaic.tpu.matmul"
// OLD-NOT: transpose_lhs_hint
// HINT-SAME: transpose_lhs_hint = false
// BOTH: "stable_mosaic.func.return"
func.func @matmul(%a: vector<8x128xf32>, %b: vector<128x256xf32>, %c: vector<8x256xf32>) {
  %r = tpu.matmul %a, %b, %c {transpose_lhs_hint = false} : vector<8x128xf32>, vector<128x256xf32>, vector<8x256xf32> -> vector<8x256xf32>
  return
}
