// RUN: gridir-opt %s --gpu-plan-memory=chip=sm_80 --split-input-file --verify-diagnostics

// Buffers that require shared memory are placed nowhere else.
module {
  kernel.abi @k
  func.func @k(%status: memref<4xi64>, %lo: index, %hi: index) {
    %zero = arith.constant 0.0 : f32
    scf.forall (%item) = (%lo) to (%hi) step (1) {
      // expected-error @below {{expected at most 166912 bytes of shared memory, got 166976 in this and the other buffers of a CTA that require it}}
      %a = memref.alloc() : memref<41728xf32, #gpu.address_space<workgroup>>
      %b = memref.alloc() : memref<16xf32, #gpu.address_space<workgroup>>
      linalg.fill ins(%zero : f32) outs(%b : memref<16xf32, #gpu.address_space<workgroup>>)
      linalg.fill ins(%zero : f32) outs(%a : memref<41728xf32, #gpu.address_space<workgroup>>)
      linalg.fill ins(%zero : f32) outs(%b : memref<16xf32, #gpu.address_space<workgroup>>)
    } {mapping = [#gpu.block<x>]}
    return
  }
}
