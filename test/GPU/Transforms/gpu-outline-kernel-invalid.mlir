// RUN: gridir-opt %s --split-input-file --gpu-outline-kernel --verify-diagnostics

module {
  // expected-error @below {{expected the threads of a CTA in num_threads}}
  kernel.abi @k
  func.func @k(%x: memref<8xf32>, %status: memref<4xi64>, %lo: index, %hi: index) {
    return
  }
}

// -----

module {
  // expected-error @below {{expected the workspace of a CTA in workspace_bytes; run gpu-plan-memory first}}
  kernel.abi @k num_threads = 32
  func.func @k(%x: memref<8xf32>, %status: memref<4xi64>, %lo: index, %hi: index) {
    return
  }
}

// -----

// Unplanned memory has no offset in the memory of a launch.
module {
  kernel.abi @k workspace_bytes = 64 num_threads = 32
  func.func @k(%status: memref<1xi64>, %lo: index, %hi: index) {
    scf.forall (%item) = (%lo) to (%hi) step (1) {
      %b = memref.alloc() : memref<64xi8>
      %c = arith.constant 0 : index
      // expected-error @below {{expected a view into the workspace; run gpu-plan-memory first}}
      %d = memref.load %b[%c] : memref<64xi8>
    } {mapping = [#gpu.block<x>]}
    return
  }
}

// -----

module {
  kernel.abi @k workspace_bytes = 0 num_threads = 32
  func.func @k(%status: memref<1xi64>, %lo: index, %hi: index) {
    scf.forall (%item) = (%lo) to (%hi) step (1) {
      // expected-error @below {{expected an array of bytes as the shared memory, got 'memref<f32, #gpu.address_space<workgroup>>'; run gpu-plan-memory first}}
      %b = memref.alloc() : memref<f32, #gpu.address_space<workgroup>>
      %c = memref.load %b[] : memref<f32, #gpu.address_space<workgroup>>
    } {mapping = [#gpu.block<x>]}
    return
  }
}

// -----

module {
  kernel.abi @k workspace_bytes = 0 num_threads = 32
  func.func @k(%o: memref<4xindex>, %status: memref<1xi64>, %lo: index, %hi: index) {
    scf.forall (%item) = (%lo) to (%hi) step (1) {
      // expected-error @below {{expected a constant number of threads}}
      scf.forall (%t) in (%hi) {
        memref.store %t, %o[%t] : memref<4xindex>
      } {mapping = [#gpu.thread<x>]}
    } {mapping = [#gpu.block<x>]}
    return
  }
}
