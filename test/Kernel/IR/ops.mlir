// RUN: gridir-opt %s --split-input-file | gridir-opt --split-input-file | FileCheck %s
// RUN: gridir-opt %s --split-input-file --mlir-print-op-generic | gridir-opt --split-input-file | FileCheck %s

// A field that no pass has filled in yet is not there, and an empty list is not written.
// CHECK: kernel.abi @bare{{$}}
module {
  kernel.abi @bare diagnostics = [] prints = [] accesses = []
  func.func private @bare()
}

// -----

// CHECK:      kernel.abi @cpu arena_bytes = 192 shares
// CHECK-SAME:   tasks = <seed = 3, races = true, uninitialized = true, semaphores = true, cluster = 4>
// CHECK-SAME:   shared_memory = [#kernel.shared<members = 0, bytes = 64>] grid = [4, -1] zeroed_operands = [2] aligned_operands = [0, 1]
// CHECK-SAME:   unwritten_operands = [#kernel.unwritten<1, "o_ref (k.py:3:5)", tensor<8xf32>>]
// CHECK-SAME:   diagnostics = ["index {0} is out of bounds [0, {1})"]
// CHECK-SAME:   prints = [#kernel.print<"here">, #kernel.print<"x = {}, {}"(tensor<8xui32>, index)>,
// CHECK-SAME:             #kernel.callback<"5f0c93e1", "a function (k.py:4:2)">, #kernel.callback<"0a", "another"(complex<f32>)>]
// CHECK-SAME:   accesses = ["read of x_ref"]{{$}}
module {
  kernel.abi @cpu arena_bytes = 192 shares
      tasks = #kernel.tasks<seed = 3, races = true, uninitialized = true, semaphores = true, cluster = 4>
      shared_memory = [#kernel.shared<members = 0, bytes = 64>]
      grid = [4, -1] zeroed_operands = [2] aligned_operands = [0, 1]
      unwritten_operands = [#kernel.unwritten<1, "o_ref (k.py:3:5)", tensor<8xf32>>]
      diagnostics = ["index {0} is out of bounds [0, {1})"]
      prints = [#kernel.print<"here">, #kernel.print<"x = {}, {}"(tensor<8xui32>, index)>,
                #kernel.callback<"5f0c93e1", "a function (k.py:4:2)">, #kernel.callback<"0a", "another"(complex<f32>)>]
      accesses = ["read of x_ref"]
  func.func private @cpu()
}

// -----

// CHECK: module attributes {kernel.mapping = #kernel.mapping<num_warps = 8, approx_math = true, reduction_scratch_bytes = 64>}
// CHECK: kernel.abi @gpu shared_bytes = 64 workspace_bytes = 0 num_threads = 256 num_ctas = 16 tasks = <>{{$}}
module attributes {kernel.mapping = #kernel.mapping<num_warps = 8, approx_math = true, reduction_scratch_bytes = 64>} {
  kernel.abi @gpu shared_bytes = 64 workspace_bytes = 0 num_threads = 256 num_ctas = 16 tasks = <>
  // CHECK: memref.alloca() {kernel.buffer = #kernel.buffer<>}
  // CHECK: memref.alloca() {kernel.buffer = #kernel.buffer<members = 0>}
  func.func @gpu() {
    %0 = memref.alloca() {kernel.buffer = #kernel.buffer<>} : memref<8xf32>
    %1 = memref.alloca() {kernel.buffer = #kernel.buffer<members = 0>} : memref<8xf32>
    return
  }
}

// -----

// CHECK:      kernel.abi @parameters shared_bytes = 64 num_threads = 128 num_ctas = 16 cluster_ctas = 2 cancels_clusters
// CHECK-SAME:   params = [#kernel.operand<0>, #kernel.report<4>, #kernel.scalar<0>, #kernel.num_items,
// CHECK-SAME:             #kernel.workspace<32>, #kernel.zeroed<8>,
// CHECK-SAME:             #kernel.tensor_map<0, tensor<4x64xui8, [128, 1]>, box = [4, 32], swizzle = 32>]
// CHECK-SAME:   packed_operands = [#kernel.packed<0, 2>] updates_parts_of_words register_products{{$}}
module {
  kernel.abi @parameters shared_bytes = 64 num_threads = 128 num_ctas = 16 cluster_ctas = 2 cancels_clusters
      params = [#kernel.operand<0>, #kernel.report<4>, #kernel.scalar<0>, #kernel.num_items,
                #kernel.workspace<32>, #kernel.zeroed<8>,
                #kernel.tensor_map<0, tensor<4x64xui8, [128, 1]>, box = [4, 32], swizzle = 32>]
      packed_operands = [#kernel.packed<0, 2>] updates_parts_of_words register_products
  func.func private @parameters()
}

// -----

// CHECK: kernel.abi @profiled num_threads = 256 params = [#kernel.zeroed<352>]
// CHECK-SAME: profile_scopes = ["load", "store"] profile_traces = 2 profile_events = 6 profile_dir = "traces" profile_truncates{{$}}
module {
  kernel.abi @profiled num_threads = 256 params = [#kernel.zeroed<352>]
      profile_scopes = ["load", "store"] profile_traces = 2 profile_events = 6 profile_dir = "traces"
      profile_truncates
  func.func private @profiled()
}
