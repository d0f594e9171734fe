// RUN: gridir-opt %s --split-input-file --loops-fuse-elementwise | FileCheck %s

// A store between two ops is no hazard for their reads if one of the two Refs shares no memory with any other: all ops
// are one loop, after the store.
// CHECK-LABEL: func.func @disjoint
// CHECK:         bufferization.materialize_in_destination
// CHECK:         linalg.generic
// CHECK:           arith.mulf
// CHECK:           arith.subf
// CHECK-NOT:     linalg.generic
// CHECK:         return
func.func @disjoint(%r: memref<8xf32> {llvm.noalias}, %s: memref<8xf32>, %y: tensor<8xf32>) -> tensor<8xf32> {
  %x = bufferization.to_tensor %r restrict : memref<8xf32> to tensor<8xf32>
  %0 = arith.mulf %x, %y : tensor<8xf32>
  bufferization.materialize_in_destination %y in restrict writable %s : (tensor<8xf32>, memref<8xf32>) -> ()
  %1 = arith.subf %0, %y : tensor<8xf32>
  return %1 : tensor<8xf32>
}

// -----

// Two Refs without alias information may be one memory: the read stays before the store.
// CHECK-LABEL: func.func @one_memory
// CHECK:         linalg.generic
// CHECK:           arith.mulf
// CHECK:         bufferization.materialize_in_destination
// CHECK:         linalg.generic
// CHECK:           arith.subf
func.func @one_memory(%r: memref<8xf32>, %s: memref<8xf32>, %y: tensor<8xf32>) -> tensor<8xf32> {
  %x = bufferization.to_tensor %r restrict : memref<8xf32> to tensor<8xf32>
  %0 = arith.mulf %x, %y : tensor<8xf32>
  bufferization.materialize_in_destination %y in restrict writable %s : (tensor<8xf32>, memref<8xf32>) -> ()
  %1 = arith.subf %0, %y : tensor<8xf32>
  return %1 : tensor<8xf32>
}

// -----

// A tensor that a branch chooses is the memory of either.
// CHECK-LABEL: func.func @chosen
// CHECK:         linalg.generic
// CHECK:           arith.mulf
// CHECK:         bufferization.materialize_in_destination
// CHECK:         linalg.generic
// CHECK:           arith.subf
func.func @chosen(%r: memref<8xf32>, %c: i1, %y: tensor<8xf32>) -> tensor<8xf32> {
  %x = scf.if %c -> tensor<8xf32> {
    scf.yield %y : tensor<8xf32>
  } else {
    %z = bufferization.to_tensor %r restrict : memref<8xf32> to tensor<8xf32>
    scf.yield %z : tensor<8xf32>
  }
  %0 = arith.mulf %x, %y : tensor<8xf32>
  bufferization.materialize_in_destination %y in restrict writable %r : (tensor<8xf32>, memref<8xf32>) -> ()
  %1 = arith.subf %0, %y : tensor<8xf32>
  return %1 : tensor<8xf32>
}
