// RUN: gridir-opt %s --split-input-file --gpu-map-threads=num-warps=1 --canonicalize | FileCheck %s
// RUN: gridir-opt %s --split-input-file --gpu-map-threads -mlir-pass-statistics 2>&1 >/dev/null | FileCheck %s --check-prefix=STATS

// More elements than threads: each thread takes every 32nd.
// CHECK-LABEL: func.func @elementwise
// CHECK: scf.forall (%[[T:.+]]) in (32) {
// CHECK: scf.for %[[N:.+]] = %[[T]] to %{{.+}} step %{{.+}} {
// CHECK: %[[J:.+]] = arith.remui %[[N]], %{{.+}}
// CHECK: %[[I:.+]] = arith.divui %[[N]], %{{.+}}
// CHECK: memref.load %{{.+}}[%[[I]], %[[J]]]
// CHECK: math.exp
// CHECK: memref.store %{{.+}}, %{{.+}}[%[[I]], %[[J]]]
// CHECK: } {mapping = [#gpu.thread<x>]}
// CHECK-NEXT: gpu.barrier
// STATS: num-thread-loops
module attributes {gridir.kernel = "elementwise"} {
  func.func @elementwise(%x: memref<4x64xf32>, %status: memref<4xi64>, %lo: index, %hi: index) {
    scf.forall (%item) = (%lo) to (%hi) step (1) {
      linalg.exp ins(%x : memref<4x64xf32>) outs(%x : memref<4x64xf32>)
    } {mapping = [#gpu.block<x>]}
    return
  }
}

// -----

// A contraction keeps its sum in a register, and may use FMAs.
// CHECK-LABEL: func.func @contraction
// CHECK: scf.forall
// CHECK: %[[INIT:.+]] = memref.load %{{.+}} : memref<16x16xf32>
// CHECK: %[[SUM:.+]] = scf.for %{{.+}} iter_args(%[[ACC:.+]] = %[[INIT]]) -> (f32) {
// CHECK: %[[PRODUCT:.+]] = arith.mulf %{{.+}}, %{{.+}} fastmath<contract>
// CHECK: arith.addf %[[ACC]], %[[PRODUCT]] fastmath<contract>
// CHECK: memref.store %[[SUM]]
#a = affine_map<(i, j, k) -> (i, k)>
#b = affine_map<(i, j, k) -> (k, j)>
#c = affine_map<(i, j, k) -> (i, j)>
module attributes {gridir.kernel = "contraction"} {
  func.func @contraction(%x: memref<16x8xf32>, %y: memref<8x16xf32>, %o: memref<16x16xf32>,
                         %status: memref<4xi64>, %lo: index, %hi: index) {
    scf.forall (%item) = (%lo) to (%hi) step (1) {
      linalg.contract indexing_maps = [#a, #b, #c]
          ins(%x, %y : memref<16x8xf32>, memref<8x16xf32>) outs(%o : memref<16x16xf32>)
    } {mapping = [#gpu.block<x>]}
    return
  }
}

// -----

// Two rows for 32 threads: 16 reduce a row each, then one combines them.
// CHECK-LABEL: func.func @reduction
// CHECK: %[[PART:.+]] = memref.alloc() : memref<2x16xf32>
// CHECK: scf.forall (%{{.+}}) in (32) {
// CHECK: scf.for %{{.+}} iter_args(%{{.+}} = %{{.+}})
// CHECK: memref.store %{{.+}}, %[[PART]]
// CHECK: gpu.barrier
// CHECK: scf.forall (%[[ROW:.+]]) in (2) {
// CHECK: memref.load %[[PART]][%[[ROW]], %{{.+}}]
// CHECK: arith.maximumf
// CHECK: memref.store %{{.+}}, %{{.+}}[%[[ROW]]] : memref<2xf32>
#id = affine_map<(i, j) -> (i, j)>
#row = affine_map<(i, j) -> (i)>
module attributes {gridir.kernel = "reduction"} {
  func.func @reduction(%x: memref<2x100xf32>, %o: memref<2xf32>, %status: memref<4xi64>, %lo: index, %hi: index) {
    scf.forall (%item) = (%lo) to (%hi) step (1) {
      linalg.generic {indexing_maps = [#id, #row], iterator_types = ["parallel", "reduction"]}
          ins(%x : memref<2x100xf32>) outs(%o : memref<2xf32>) {
      ^bb0(%a: f32, %m: f32):
        %0 = arith.maximumf %a, %m : f32
        linalg.yield %0 : f32
      }
    } {mapping = [#gpu.block<x>]}
    return
  }
}

// -----

// One thread stores a scalar, after all have read what it overwrites.
// CHECK-LABEL: func.func @scalar
// CHECK: %[[OLD:.+]] = memref.load
// CHECK: %[[NEW:.+]] = arith.addi %[[OLD]]
// CHECK: gpu.barrier
// CHECK: scf.forall (%{{.+}}) in (1) {
// CHECK: memref.store %[[NEW]]
// CHECK: gpu.barrier
module attributes {gridir.kernel = "scalar"} {
  func.func @scalar(%x: memref<i32>, %status: memref<4xi64>, %lo: index, %hi: index) {
    %c1 = arith.constant 1 : i32
    scf.forall (%item) = (%lo) to (%hi) step (1) {
      %0 = memref.load %x[] : memref<i32>
      %1 = arith.addi %0, %c1 : i32
      memref.store %1, %x[] : memref<i32>
    } {mapping = [#gpu.block<x>]}
    return
  }
}
