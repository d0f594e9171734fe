// RUN: gridir-opt %s --grid-to-tpu=stop-after=convert-grid-to-tpu | FileCheck %s --check-prefixes=CHECK,TPU
// RUN: gridir-opt %s --grid-to-tpu=stop-after=tpu | FileCheck %s --check-prefixes=CHECK,TPU
// RUN: gridir-opt %s --grid-to-tpu=stop-after=tpu -o %t.tpu
// RUN: gridir-opt %s --grid-to-tpu=stop-after=grid-planned | gridir-opt --grid-to-tpu="start-after=grid-planned stop-after=tpu" | diff %t.tpu -
// RUN: gridir-opt %s --grid-to-tpu=stop-after=convert-grid-to-tpu | gridir-opt --grid-to-tpu="start-after=convert-grid-to-tpu stop-after=tpu" | diff %t.tpu -
// RUN: gridir-opt %s --grid-to-tpu=stop-after=tpu --mlir-print-debuginfo | gridir-opt --grid-to-tpu=start-after=tpu --mlir-print-op-generic --mlir-print-debuginfo | FileCheck %s --check-prefixes=CHECK,BODY
// RUN: gridir-opt %s --grid-to-tpu --mlir-print-op-generic --mlir-print-debuginfo | FileCheck %s --check-prefixes=CHECK,BODY
// RUN: gridir-opt %s --pass-pipeline="builtin.module(grid-to-tpu{version=11 elide-checks=false})" --mlir-print-op-generic | FileCheck %s --check-prefix=OLD

// From a kernel to the body of a Mosaic call. The text of the body is generic and holds the author's lines.

// CHECK: module
// TPU: func.func @double(
// TPU: tpu.core_type = #tpu.core_type<tc>
// TPU: tpu.vector_store
// BODY: "stable_mosaic.vector.load"
// BODY: "stable_mosaic.tpu.vector_store"
// BODY: {grid.run_time_checks = {bounds, semaphore}, stable_mosaic.version = 13 : i64} : () -> ()
// BODY: loc("kernel.py":7:3)
// OLD: {stable_mosaic.version = 11 : i64} : () -> ()
grid.kernel @double grid(%i = 4)
    inputs(%x: f32 [32, 128] block [8, 128] at (%i, 0))
    outputs(%o: f32 [32, 128] block [8, 128] at (%i, 0)) semantics [parallel] {
  %v = grid.load %x : memref<8x128xf32, #grid.space<default>> -> tensor<8x128xf32>
  %w = arith.addf %v, %v : tensor<8x128xf32> loc("kernel.py":7:3)
  grid.store %w, %o : tensor<8x128xf32>, memref<8x128xf32, #grid.space<default>>
}
