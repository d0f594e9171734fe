// RUN: gridir-opt %s --gpu-unmap-loops | FileCheck %s
// RUN: gridir-opt %s --gpu-unmap-loops=reverse --canonicalize | FileCheck %s --check-prefix=REVERSE

// Every loop runs in order, in plain memory, without barriers.
// CHECK-LABEL: func.func @k
// CHECK-NOT: workgroup
// CHECK: scf.for
// CHECK-NOT: workgroup
// CHECK: memref.alloc() : memref<64xi8>
// CHECK-NOT: workgroup
// CHECK: scf.for %[[T:.+]] = %{{.+}} to %{{.+}} step
// CHECK: memref.store %{{.+}}, %{{.+}}[%[[T]]]
// CHECK-NOT: gpu.barrier
// CHECK: return
// REVERSE-LABEL: func.func @k
// REVERSE-NOT: workgroup
// REVERSE-DAG: %[[LAST:.+]] = arith.constant 15 : index
// REVERSE: scf.for %[[T:.+]] = %{{.+}} to %{{.+}} step
// REVERSE: scf.for %[[T:.+]] = %{{.+}} to %{{.+}} step
// REVERSE: %[[R:.+]] = arith.subi %[[LAST]], %[[T]]
// REVERSE: memref.store %{{.+}}, %{{.+}}[%[[R]]]
module {
  kernel.abi @k
  func.func @k(%status: memref<4xi64>, %lo: index, %hi: index) {
    %c0 = arith.constant 0 : index
    %zero = arith.constant 0.0 : f32
    scf.forall (%item) = (%lo) to (%hi) step (1) {
      %shared = memref.alloc() : memref<64xi8, #gpu.address_space<workgroup>>
      %bytes = memref.memory_space_cast %shared : memref<64xi8, #gpu.address_space<workgroup>> to memref<64xi8>
      %a = memref.view %bytes[%c0][] : memref<64xi8> to memref<16xf32>
      scf.forall (%t) in (16) {
        memref.store %zero, %a[%t] : memref<16xf32>
      } {mapping = [#gpu.thread<x>]}
      gpu.barrier
    } {mapping = [#gpu.block<x>]}
    return
  }
}

// Loops of tensors are not changed.
// CHECK-LABEL: func.func @tensors
// CHECK: scf.forall
func.func @tensors(%x: tensor<4xf32>) -> tensor<4xf32> {
  %r = scf.forall (%i) in (4) shared_outs(%o = %x) -> tensor<4xf32> {
    %s = tensor.extract_slice %o[%i] [1] [1] : tensor<4xf32> to tensor<1xf32>
    scf.forall.in_parallel {
      tensor.parallel_insert_slice %s into %o[%i] [1] [1] : tensor<1xf32> into tensor<4xf32>
    }
  } {mapping = [#gpu.thread<x>]}
  return %r : tensor<4xf32>
}
