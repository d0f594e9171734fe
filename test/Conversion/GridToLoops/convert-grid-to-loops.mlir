// RUN: gridir-opt %s --split-input-file --convert-grid-to-loops | FileCheck %s
// RUN: gridir-opt %s --convert-grid-to-loops --mlir-pass-statistics -o /dev/null 2>&1 | FileCheck %s --check-prefix=COUNT

// COUNT: (S) 2 num-blocks-in-place
// COUNT: (S) 0 num-blocks-tested
// COUNT: (S) 0 num-loads-copied

// A block that divides its array is read and written in place: no test, no buffer. Items count the parallel dimension.
// CHECK-LABEL: kernel.abi @double{{$}}
// CHECK:       func.func @double(
// CHECK-SAME:      %[[X:.*]]: memref<512xf32> {llvm.noalias}, %[[O:.*]]: memref<512xf32> {llvm.noalias},
// CHECK-SAME:      %[[STATUS:.*]]: memref<4xi64>, %[[LO:.*]]: index, %[[HI:.*]]: index)
// CHECK-NOT:     memref.alloc
// CHECK-NOT:     scf.if
// CHECK:         scf.for %{{.*}} = %[[LO]] to %[[HI]]
// CHECK-DAG:       %[[XS:.*]] = memref.subview %[[X]][%{{.*}}] [128] [1]
// CHECK-DAG:       %[[OS:.*]] = memref.subview %[[O]][%{{.*}}] [128] [1]
// CHECK:           %[[V:.*]] = bufferization.to_tensor %[[XS]] restrict :
// CHECK:           %[[W:.*]] = arith.addf %[[V]], %[[V]]
// CHECK:           bufferization.materialize_in_destination %[[W]] in restrict writable %[[OS]]
// CHECK:       func.func @double.range(
// CHECK:         return
grid.kernel @double grid(%i = 4)
    inputs(%x: f32 [512] block [128] at (%i))
    outputs(%o: f32 [512] block [128] at (%i)) semantics [parallel] {
  %v = grid.load %x : memref<128xf32, #grid.space<default>> -> tensor<128xf32>
  %w = arith.addf %v, %v : tensor<128xf32>
  grid.store %w, %o : tensor<128xf32>, memref<128xf32, #grid.space<default>>
}
