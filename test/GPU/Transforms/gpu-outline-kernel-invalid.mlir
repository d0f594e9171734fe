// RUN: gridir-opt %s --split-input-file --gpu-outline-kernel --verify-diagnostics

// expected-error @below {{expected the threads of a CTA in 'gridir.num_threads'; run gpu-map-threads first}}
module attributes {gridir.kernel = "k"} {
  func.func @k(%x: memref<8xf32>, %status: memref<4xi64>, %lo: index, %hi: index) {
    return
  }
}

// -----

// What was not planned has no place in a launch.
module attributes {gridir.kernel = "k", gridir.num_threads = 32 : i64, gridir.workspace_bytes = 64 : i64} {
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

module attributes {gridir.kernel = "k", gridir.num_threads = 32 : i64} {
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

module attributes {gridir.kernel = "k", gridir.num_threads = 32 : i64} {
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
