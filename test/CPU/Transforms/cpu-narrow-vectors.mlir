// RUN: gridir-opt %s --pass-pipeline='builtin.module(func.func(cpu-narrow-vectors{overlap-bytes=32 cache-bytes=524288}))' | FileCheck %s
// RUN: gridir-opt %s --pass-pipeline='builtin.module(func.func(cpu-narrow-vectors{overlap-bytes=32 cache-bytes=524289}))' | FileCheck %s --check-prefix=NONE
// RUN: gridir-opt %s --pass-pipeline='builtin.module(func.func(cpu-narrow-vectors{cache-bytes=524288}))' | FileCheck %s --check-prefix=NONE
// RUN: gridir-opt %s --pass-pipeline='builtin.module(func.func(cpu-narrow-vectors{overlap-bytes=32 cache-bytes=524288}))' --mlir-pass-statistics --mlir-pass-statistics-display=list -o /dev/null 2>&1 | FileCheck %s --check-prefix=STATS

// STATS: (S) 1 num-narrowed
// NONE-NOT: passthrough

// Two windows overlap.
// CHECK-LABEL: func.func @stencil
// CHECK-SAME:    attributes {passthrough = {{\[\[}}"prefer-vector-width", "256"], ["min-legal-vector-width", "0"]{{\]}}}
func.func @stencil(%x: memref<64x2048xf32>, %y: memref<64x2048xf32>, %i: index, %o: memref<2048xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c16 = arith.constant 16 : index
  %c1024 = arith.constant 1024 : index
  %zero = arith.constant 0.0 : f32
  %below = arith.addi %i, %c1 : index
  scf.for %j = %c0 to %c1024 step %c16 {
    %next = arith.addi %j, %c1 : index
    %a = vector.transfer_read %x[%i, %j], %zero {in_bounds = [true]} : memref<64x2048xf32>, vector<16xf32>
    %b = vector.transfer_read %x[%i, %next], %zero {in_bounds = [true]} : memref<64x2048xf32>, vector<16xf32>
    %c = vector.transfer_read %x[%below, %j], %zero {in_bounds = [true]} : memref<64x2048xf32>, vector<16xf32>
    %d = vector.transfer_read %y[%i, %j], %zero {in_bounds = [true]} : memref<64x2048xf32>, vector<16xf32>
    %0 = arith.addf %a, %b : vector<16xf32>
    %1 = arith.addf %0, %c : vector<16xf32>
    %2 = arith.addf %1, %d : vector<16xf32>
    vector.transfer_write %2, %o[%j] {in_bounds = [true]} : vector<16xf32>, memref<2048xf32>
  }
  return
}

// Windows next to each other do not overlap, and those of a buffer are in the caches.
// CHECK-LABEL: func.func @others
// CHECK-NOT:     passthrough
func.func @others(%x: memref<64x2048xf32>, %i: index, %o: memref<2048xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c16 = arith.constant 16 : index
  %c32 = arith.constant 32 : index
  %c1024 = arith.constant 1024 : index
  %zero = arith.constant 0.0 : f32
  %buffer = memref.alloc() : memref<64x2048xf32>
  scf.for %j = %c0 to %c1024 step %c32 {
    %next = arith.addi %j, %c16 : index
    %near = arith.addi %j, %c1 : index
    %a = vector.transfer_read %x[%i, %j], %zero {in_bounds = [true]} : memref<64x2048xf32>, vector<16xf32>
    %b = vector.transfer_read %x[%i, %next], %zero {in_bounds = [true]} : memref<64x2048xf32>, vector<16xf32>
    %c = vector.transfer_read %buffer[%i, %j], %zero {in_bounds = [true]} : memref<64x2048xf32>, vector<16xf32>
    %d = vector.transfer_read %buffer[%i, %near], %zero {in_bounds = [true]} : memref<64x2048xf32>, vector<16xf32>
    %0 = arith.addf %a, %b : vector<16xf32>
    %1 = arith.addf %0, %c : vector<16xf32>
    %2 = arith.addf %1, %d : vector<16xf32>
    vector.transfer_write %2, %o[%j] {in_bounds = [true]} : vector<16xf32>, memref<2048xf32>
  }
  return
}
