// The author's own limit on VMEM holds where the option gives none. What takes all of it has enough.
//
// RUN: gridir-opt %s --grid-plan-memory='target=tpu' --verify-diagnostics
// RUN: gridir-opt %s --grid-plan-memory='target=tpu capacity=tpu.vmem:8192' | FileCheck %s
// RUN: gridir-opt %s --grid-plan-memory='target=tpu capacity=tpu.vmem:4096' | FileCheck %s

// CHECK: spaces[<"tpu.vmem", 4096>]
// expected-error @below {{expected limited to hold at most 1024 bytes of tpu.vmem, got 4096, 3072 too many}}
grid.kernel @limited grid()
    // expected-note @below {{x_ref weighs most: 1 buffers of 4096 bytes}}
    inputs(%x: f32 [1024] origin "x_ref")
    params [#grid.tpu_params<vmem_limit_bytes = 1024>] {
}
