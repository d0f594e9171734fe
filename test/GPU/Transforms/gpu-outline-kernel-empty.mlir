// RUN: gridir-opt %s --gpu-outline-kernel | FileCheck %s

// A kernel that writes nothing, whose loop over CTAs is gone, is launched all
// the same.
// CHECK: kernel.abi @k workspace_bytes = 0 num_threads = 128 num_ctas = 1 params = [{{.*}}#kernel.report<4>, #kernel.scalar<0>, #kernel.scalar<{{[0-9]+}}>, #kernel.workspace<0>]{{$}}
// CHECK: gpu.func @k(
// CHECK-SAME: kernel
// CHECK-NEXT: gpu.return
module {
  kernel.abi @k workspace_bytes = 0 num_threads = 128
  func.func @k(%x: memref<8xf32>, %status: memref<4xi64>, %lo: index, %hi: index) {
    return
  }
  func.func @k.range() -> index {
    %c16 = arith.constant 16 : index
    return %c16 : index
  }
}
