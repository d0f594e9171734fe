// RUN: gridir-opt %s --gpu-outline-kernel | FileCheck %s

// Two buffers of a CTA: shared memory of the launch, and its part of the
// workspace. A loop over fewer threads than there are is guarded.
// CHECK: kernel.abi @k_1 workspace_bytes = 256 num_threads = 128 num_ctas = 16 params = [#kernel.report<4>, #kernel.scalar<0>, #kernel.scalar<16>, #kernel.workspace<256>]{{$}}
// CHECK: gpu.module @k_1 {
// CHECK: memref.global @shared_memory : memref<0xi8, #gpu.address_space<workgroup>> {alignment = 128 : i64}
// CHECK: gpu.func @k_1(
// CHECK-SAME: %[[LO:[a-z0-9]+]]: index, %{{[a-z0-9]+}}: index, %[[WORK:[a-z0-9]+]]: memref<256xi8>) kernel
// CHECK-SAME: known_block_size = array<i32: 128, 1, 1>
// CHECK: gpu.block_id x
// CHECK: arith.addi %[[LO]]
// CHECK: %[[T:.+]] = gpu.thread_id x
// CHECK: memref.get_global @shared_memory
// CHECK: memref.view %[[WORK]]
// CHECK: arith.cmpi ult, %[[T]]
// CHECK: scf.if
// CHECK: gpu.barrier
// CHECK: gpu.return
// CHECK-NOT: func.func @k.1(
module {
  kernel.abi @k.1 workspace_bytes = 256 num_threads = 128
  func.func @k.1(%status: memref<4xi64>, %lo: index, %hi: index) {
    %c0 = arith.constant 0 : index
    %zero = arith.constant 0.0 : f32
    scf.forall (%item) = (%lo) to (%hi) step (1) {
      %shared = memref.alloc() : memref<64xi8, #gpu.address_space<workgroup>>
      %bytes = memref.memory_space_cast %shared : memref<64xi8, #gpu.address_space<workgroup>> to memref<64xi8>
      %a = memref.view %bytes[%c0][] : memref<64xi8> to memref<16xf32>
      %workspace = memref.alloc() : memref<256xi8>
      %b = memref.view %workspace[%c0][] : memref<256xi8> to memref<64xf32>
      scf.forall (%t) in (16) {
        memref.store %zero, %a[%t] : memref<16xf32>
        memref.store %zero, %b[%t] : memref<64xf32>
      } {mapping = [#gpu.thread<x>]}
      gpu.barrier
    } {mapping = [#gpu.block<x>]}
    return
  }
  func.func @k.1.range() -> index {
    %c16 = arith.constant 16 : index
    return %c16 : index
  }
}
