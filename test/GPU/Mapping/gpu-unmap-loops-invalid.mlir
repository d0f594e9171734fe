// RUN: gridir-opt %s --gpu-unmap-loops --split-input-file --verify-diagnostics

// Only a buffer of its own, with one use, may become memory of the host.

module {
  kernel.abi @k
  func.func @k(%shared: memref<64xi8, #gpu.address_space<workgroup>>, %status: memref<4xi64>, %lo: index, %hi: index) {
    // expected-error @below {{expected the cast of a buffer in shared memory}}
    %bytes = memref.memory_space_cast %shared : memref<64xi8, #gpu.address_space<workgroup>> to memref<64xi8>
    return
  }
}

// -----

module {
  kernel.abi @k
  func.func @k(%status: memref<4xi64>, %lo: index, %hi: index) {
    %shared = memref.alloc() : memref<64xi8, #gpu.address_space<workgroup>>
    // expected-error @below {{expected the cast of a buffer in shared memory}}
    %bytes = memref.memory_space_cast %shared : memref<64xi8, #gpu.address_space<workgroup>> to memref<64xi8>
    memref.dealloc %shared : memref<64xi8, #gpu.address_space<workgroup>>
    return
  }
}

// -----

// expected-error @below {{expected loops over CTAs and threads, got the code of a thread, as of a warpgroup program; its stage 'program' runs on a CPU}}
gpu.module @k {
}
