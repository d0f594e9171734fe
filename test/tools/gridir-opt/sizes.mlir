// Types that cannot be counted are rejected before the first pass, whichever it is; without passes they are only read.
//
// RUN: gridir-opt %s | FileCheck %s
// RUN: gridir-opt %s --cpu-tile-body --verify-diagnostics
// RUN: gridir-opt %s --cpu-plan-arena --verify-diagnostics
// RUN: gridir-opt %s --pass-pipeline='builtin.module(func.func(loops-anchor-tensors))' --verify-diagnostics

// CHECK-LABEL: func.func @gathers
// expected-error @below {{expected a type of at most 1099511627776 elements, got 'memref<4611686018427387903x32xf32>'}}
func.func @gathers(%x: memref<4611686018427387903x32xf32>, %rows: memref<8xi32>, %result: memref<8x32xf32>) {
  linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0)>, affine_map<(d0, d1) -> (d0, d1)>],
                  iterator_types = ["parallel", "parallel"]}
      ins(%rows : memref<8xi32>) outs(%result : memref<8x32xf32>) {
  ^bb0(%number: i32, %out: f32):
    %row = arith.index_cast %number : i32 to index
    %j = linalg.index 1 : index
    %a = memref.load %x[%row, %j] : memref<4611686018427387903x32xf32>
    linalg.yield %a : f32
  }
  return
}
