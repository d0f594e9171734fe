// RUN: gridir-opt %s --cpu-plan-arena --allow-unregistered-dialect | FileCheck %s

// The block of an op of no dialect may have no terminator.
module {
  kernel.abi @k
  // CHECK: func.func @k(%[[ARENA:.*]]: memref<64xi8>
  func.func @k() {
    // CHECK: %[[A:.*]] = memref.view %[[ARENA]]
    // CHECK: memref.extract_aligned_pointer_as_index %[[A]]
    %a = memref.alloc() : memref<4xf32>
    "other.region"() ({
      %0 = memref.extract_aligned_pointer_as_index %a : memref<4xf32> -> index
    }) : () -> ()
    return
  }
}
