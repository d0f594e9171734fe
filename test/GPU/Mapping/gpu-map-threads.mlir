// RUN: gridir-opt %s --split-input-file --gpu-map-threads=num-warps=1 --canonicalize | FileCheck %s
// RUN: gridir-opt %s --split-input-file --gpu-map-threads -mlir-pass-statistics 2>&1 >/dev/null | FileCheck %s --check-prefix=STATS
// RUN: gridir-opt %s --split-input-file --gpu-map-threads | FileCheck %s --check-prefix=FOUR

// A CTA has four warps by default.
// FOUR-LABEL: func.func @elementwise
// FOUR: scf.forall {{.*}} in (128) {
// FOUR-LABEL: func.func @contraction

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
// CHECK-NOT: linalg
// CHECK: return
// STATS: num-thread-loops
module {
  kernel.abi @elementwise
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
module {
  kernel.abi @contraction
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
module {
  kernel.abi @reduction
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
module {
  kernel.abi @scalar
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

// -----

// The columns of a scatter fall to different threads, which each go through the
// rows in order.
// CHECK-LABEL: func.func @rows
// CHECK: scf.forall (%[[THREAD:.+]]) in (32) {
// CHECK: scf.for %[[I:.+]] = %c0 to %c4 step %c1 {
// CHECK: %[[ROW:.+]] = memref.load %{{.+}}[%[[I]]] : memref<4xindex>
// CHECK: scf.for %[[J:.+]] = %{{.+}} to %{{.+}} step %{{.+}} {
// CHECK: memref.store %{{.+}}, %{{.+}}[%[[ROW]], %[[J]]] : memref<8x64xf32>
// CHECK: } {mapping = [#gpu.thread<x>]}
// CHECK-NEXT: gpu.barrier
module {
  kernel.abi @rows
  func.func @rows(%i: memref<4xindex> {llvm.noalias}, %x: memref<4x64xf32> {llvm.noalias},
                  %o: memref<8x64xf32> {llvm.noalias}, %status: memref<4xi64>, %lo: index, %hi: index) {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c4 = arith.constant 4 : index
    %c64 = arith.constant 64 : index
    scf.forall (%item) = (%lo) to (%hi) step (1) {
      scf.for %a = %c0 to %c4 step %c1 {
        %row = memref.load %i[%a] : memref<4xindex>
        scf.for %b = %c0 to %c64 step %c1 {
          %0 = memref.load %x[%a, %b] : memref<4x64xf32>
          memref.store %0, %o[%row, %b] : memref<8x64xf32>
        }
      }
    } {mapping = [#gpu.block<x>]}
    return
  }
}

// -----

// Two indices may be equal, and then the last one wins: every thread goes
// through all of them, and stores the elements that are its own.
// CHECK-LABEL: func.func @elements
// CHECK: scf.forall (%[[THREAD:.+]]) in (32) {
// CHECK: scf.for %[[I:.+]] = %c0 to %c4 step %c1 {
// CHECK: %[[OWNER:.+]] = arith.remui
// CHECK: %[[OWNS:.+]] = arith.cmpi eq, %[[OWNER]], %[[THREAD]]
// CHECK: scf.if %[[OWNS]] {
// CHECK-NEXT: memref.store
module {
  kernel.abi @elements
  func.func @elements(%i: memref<4xindex> {llvm.noalias}, %x: memref<4xf32> {llvm.noalias},
                      %o: memref<8xf32> {llvm.noalias}, %status: memref<4xi64>, %lo: index, %hi: index) {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c4 = arith.constant 4 : index
    scf.forall (%item) = (%lo) to (%hi) step (1) {
      scf.for %a = %c0 to %c4 step %c1 {
        %index = memref.load %i[%a] : memref<4xindex>
        %0 = memref.load %x[%a] : memref<4xf32>
        %1 = memref.load %o[%index] : memref<8xf32>
        %2 = arith.addf %0, %1 : f32
        memref.store %2, %o[%index] : memref<8xf32>
      }
    } {mapping = [#gpu.block<x>]}
    return
  }
}

// -----

// One iteration reads what the one before wrote: each store is one thread's, and
// the others wait for it.
// CHECK-LABEL: func.func @chain
// CHECK: scf.for
// CHECK: scf.forall (%{{.+}}) in (1) {
// CHECK: gpu.barrier
module {
  kernel.abi @chain
  func.func @chain(%o: memref<8xf32>, %status: memref<4xi64>, %lo: index, %hi: index) {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c7 = arith.constant 7 : index
    scf.forall (%item) = (%lo) to (%hi) step (1) {
      scf.for %a = %c0 to %c7 step %c1 {
        %next = arith.addi %a, %c1 : index
        %0 = memref.load %o[%a] : memref<8xf32>
        memref.store %0, %o[%next] : memref<8xf32>
      }
    } {mapping = [#gpu.block<x>]}
    return
  }
}

// -----

// Any thread may report a failed check.
// CHECK-LABEL: func.func @check
// CHECK: scf.forall (%{{.+}}) in (32) {
// CHECK: scf.if
// CHECK-NEXT: memref.store
// CHECK-NOT: gpu.barrier
// CHECK: mapping = [#gpu.thread<x>]
module {
  kernel.abi @check
  func.func @check(%i: memref<64xi64> {llvm.noalias}, %status: memref<4xi64> {llvm.noalias}, %lo: index, %hi: index) {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c64 = arith.constant 64 : index
    %limit = arith.constant 8 : i64
    %one = arith.constant 1 : i64
    scf.forall (%item) = (%lo) to (%hi) step (1) {
      scf.for %a = %c0 to %c64 step %c1 {
        %value = memref.load %i[%a] : memref<64xi64>
        %fails = arith.cmpi uge, %value, %limit : i64
        scf.if %fails {
          memref.store %one, %status[%c0] : memref<4xi64>
        }
      }
    } {mapping = [#gpu.block<x>]}
    return
  }
}

// -----

// A reduction of vectors is left to one thread, and one of indices is split as any other.
// CHECK-LABEL: func.func @vectors
// CHECK: arith.addf %{{.*}} : vector<f32>
#id = affine_map<(i) -> (i)>
#none = affine_map<(i) -> ()>
module {
  kernel.abi @vectors
  func.func @vectors(%x: memref<1000xvector<f32>>, %o: memref<vector<f32>>, %status: memref<1xi64>, %lo: index, %hi: index) {
    scf.forall (%item) = (%lo) to (%hi) step (1) {
      linalg.generic {indexing_maps = [#id, #none], iterator_types = ["reduction"]}
          ins(%x : memref<1000xvector<f32>>) outs(%o : memref<vector<f32>>) {
      ^bb0(%a: vector<f32>, %m: vector<f32>):
        %0 = arith.addf %a, %m : vector<f32>
        linalg.yield %0 : vector<f32>
      }
    } {mapping = [#gpu.block<x>]}
    return
  }
}

// -----

// CHECK-LABEL: func.func @indices
// CHECK: gpu.barrier
#id = affine_map<(i) -> (i)>
#none = affine_map<(i) -> ()>
module {
  kernel.abi @indices
  func.func @indices(%x: memref<1000xindex>, %o: memref<index>, %status: memref<1xi64>, %lo: index, %hi: index) {
    scf.forall (%item) = (%lo) to (%hi) step (1) {
      linalg.generic {indexing_maps = [#id, #none], iterator_types = ["reduction"]}
          ins(%x : memref<1000xindex>) outs(%o : memref<index>) {
      ^bb0(%a: index, %m: index):
        %0 = arith.addi %a, %m : index
        linalg.yield %0 : index
      }
    } {mapping = [#gpu.block<x>]}
    return
  }
}

// -----

// Threads copy an element each, from the source to the target.
// CHECK-LABEL: func.func @copy
// CHECK-SAME: %[[FROM:[a-z0-9]+]]: memref<32xf32>, %[[TO:[a-z0-9]+]]: memref<32xf32>
// CHECK: %[[V:.+]] = memref.load %[[FROM]]
// CHECK: memref.store %[[V]], %[[TO]]
module {
  kernel.abi @copy
  func.func @copy(%from: memref<32xf32>, %to: memref<32xf32>, %status: memref<4xi64>, %lo: index, %hi: index) {
    scf.forall (%item) = (%lo) to (%hi) step (1) {
      memref.copy %from, %to : memref<32xf32> to memref<32xf32>
    } {mapping = [#gpu.block<x>]}
    return
  }
}

// -----

// How wide an index is, and where its maximum starts, is not known here: one thread finds it.
// CHECK-LABEL: func.func @extreme_of_indices
// CHECK: scf.forall (%{{.*}}) in (1) {
// CHECK: scf.for
// CHECK: arith.maxsi %{{.*}}, %{{.*}} : index
#id = affine_map<(d0) -> (d0)>
#none = affine_map<(d0) -> ()>
module {
  kernel.abi @extreme_of_indices
  func.func @extreme_of_indices(%x: memref<1000xindex>, %o: memref<index>, %status: memref<1xi64>, %lo: index, %hi: index) {
    scf.forall (%item) = (%lo) to (%hi) step (1) {
      linalg.generic {indexing_maps = [#id, #none], iterator_types = ["reduction"]}
          ins(%x : memref<1000xindex>) outs(%o : memref<index>) {
      ^bb0(%a: index, %m: index):
        %0 = arith.maxsi %a, %m : index
        linalg.yield %0 : index
      }
    } {mapping = [#gpu.block<x>]}
    return
  }
}
