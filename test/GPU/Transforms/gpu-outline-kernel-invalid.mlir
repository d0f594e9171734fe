// RUN: gridir-opt %s --gpu-outline-kernel --verify-diagnostics

// expected-error @below {{expected the threads of a CTA in 'gridir.num_threads'; run gpu-map-threads first}}
module attributes {gridir.kernel = "k"} {
  func.func @k(%x: memref<8xf32>, %status: memref<4xi64>, %lo: index, %hi: index) {
    return
  }
}
