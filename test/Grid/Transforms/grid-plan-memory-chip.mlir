// A chip has 128 MiB of VMEM, where neither the option nor the author says less.
//
// RUN: gridir-opt %s --grid-plan-memory='target=tpu' --verify-diagnostics

// expected-error @below {{expected large to hold at most 134217728 bytes of tpu.vmem, got 268435456, 134217728 too many}}
grid.kernel @large grid(%i = 2)
    // expected-note @below {{x_ref weighs most: 2 buffers of 134217728 bytes}}
    inputs(%x: f32 [65536, 1024] block [32768, 1024] at (%i, 0) origin "x_ref") {
}
