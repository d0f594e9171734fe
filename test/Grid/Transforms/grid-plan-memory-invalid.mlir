// RUN: gridir-opt %s --grid-plan-memory='target=tpu capacity=tpu.vmem:200000,tpu.smem:16' --split-input-file --verify-diagnostics
// RUN: not gridir-opt %s --grid-plan-memory='target=abacus' --split-input-file 2>&1 | FileCheck %s --check-prefix=TARGET
// RUN: not gridir-opt %s --grid-plan-memory='capacity=vmem:12' --split-input-file 2>&1 | FileCheck %s --check-prefix=CAPACITY

// TARGET: error: expected a target of grid-plan-memory, one of cpu, gpu, tpu, got abacus
// CAPACITY: error: expected a capacity like tpu.vmem:16777216, got vmem:12

// expected-error @below {{expected matmul to hold at most 200000 bytes of tpu.vmem, got 327680, 127680 too many}}
grid.kernel @matmul grid(%i = 4, %j = 4, %k = 8)
    inputs(%x: bf16 [512, 1024] block [128, 128] at (%i, %k) origin "x_ref",
           %y: bf16 [1024, 512] block [128, 128] at (%k, %j) origin "y_ref")
    // expected-note @below {{o_ref weighs most: 2 buffers of 65536 bytes}}
    outputs(%o: f32 [512, 512] block [128, 128] at (%i, %j) origin "o_ref")
    scratch(%acc: memref<128x128xf32, #tpu.memory_space<vmem>>) {
}

// -----

// No operand is in this space, so none is named.
// expected-error @below {{expected scalars to hold at most 16 bytes of tpu.smem, got 32, 16 too many}}
grid.kernel @scalars grid() scratch(%s: memref<8xi32, #tpu.memory_space<smem>>) {
}
