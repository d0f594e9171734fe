// RUN: gridir-opt %s --split-input-file --gpu-legalize-kernel=chip=sm_80 --verify-diagnostics | FileCheck %s

// The requested parameters are kept after the kernel op is gone.
// CHECK: module attributes {kernel.mapping = #kernel.mapping<num_warps = 8>}
grid.kernel @warps grid(%i = 4) outputs(%o: f32 [512] block [128] at (%i))
    params [#grid.triton_params<num_warps = 8>] {
}

// -----

// CHECK: module attributes {kernel.mapping = #kernel.mapping<approx_math = true, reduction_scratch_bytes = 64>}
grid.kernel @approximate grid(%i = 4) outputs(%o: f32 [512] block [128] at (%i))
    params [#grid.mosaic_gpu_params<approx_math = true, reduction_scratch_bytes = 64>] {
}

// -----

// expected-error @below {{expected num_warps from 1 to 32 on gpu:sm_80, got 64}}
grid.kernel @many grid(%i = 4) outputs(%o: f32 [512] block [128] at (%i))
    params [#grid.triton_params<num_warps = 64>] {
}

// -----

// expected-error @below {{expected a profile_space of 0 on gpu:sm_80, got 16; no events of warps are recorded}}
grid.kernel @profile grid(%i = 4) outputs(%o: f32 [512] block [128] at (%i))
    params [#grid.mosaic_gpu_params<profile_space = 16>] {
}

// -----

// expected-error @below {{expected floats of more than a byte for outputs[0] on gpu:sm_80, got 'f8E4M3FN', which sm_89 and later chips have}}
grid.kernel @narrow grid(%i = 4) outputs(%o: f8E4M3FN [512] block [128] at (%i)) {
}

// -----

// expected-error @below {{expected a type that this path supports for outputs[0] on gpu:sm_80, got 'complex<f32>'}}
grid.kernel @complex grid(%i = 4) outputs(%o: complex<f32> [512] block [128] at (%i)) {
}

// -----

grid.kernel @callback grid(%i = 4) outputs(%o: f32 [512] block [128] at (%i)) {
  // expected-error @below {{expected a kernel without Python callbacks on gpu:sm_80, got a callback}}
  grid.callback "5f0c93e1"
}

// -----

// A text is a text, whatever it begins with.
// CHECK: grid.kernel @text
grid.kernel @text grid(%i = 4) outputs(%o: f32 [512] block [128] at (%i)) {
  grid.print "gridir.callback 0:"
}

// -----

// An integer of less than a byte is a byte in memory.
// CHECK: grid.kernel @integers
grid.kernel @integers grid(%i = 4) outputs(%o: i4 [512] block [128] at (%i)) {
}

// -----

// expected-error @+2 {{expected scratch[0] without semaphores on gpu:sm_80, got '!grid.semaphore<dma>'; this path has no signals}}
grid.kernel @copies grid(%i = 4) outputs(%o: f32 [512] block [128] at (%i))
    scratch(%s: memref<!grid.semaphore<dma>, #tpu.memory_space<semaphore_mem>>) {
}

// -----

// A scratch Ref has the name that its author gave it.
// expected-error @+2 {{expected floats of more than a byte for acc on gpu:sm_80, got 'f8E5M2', which sm_89 and later chips have}}
grid.kernel @scratch grid(%i = 4) outputs(%o: f32 [512] block [128] at (%i))
    scratch(%s: memref<8xf8E5M2, #grid.space<default>> origin "acc") {
}

// -----

// expected-error @+2 {{expected a static shape of x_ref on gpu:sm_80, got named dimensions; set their sizes with grid-specialize}}
grid.kernel @symbolic grid()
    inputs(%x: f32 [?n] block [8] origin "x_ref") {
}

// -----

// expected-error @+2 {{expected blocks of x_ref without transforms on gpu:sm_80, got transforms}}
grid.kernel @tiled grid()
    inputs(%x: f32 [8, 64] transforms [<tiling [2, 64]>] origin "x_ref") {
}

// -----

// expected-error @+2 {{expected scratch[0] without semaphores on gpu:sm_80, got '!warpgroup.barrier<1>'; this path has no signals}}
grid.kernel @barrier grid(%i = 4) outputs(%o: f32 [512] block [128] at (%i))
    scratch(%b: memref<!warpgroup.barrier<1>, #warpgroup.space<smem>>) {
}

// -----

grid.kernel @store grid() outputs(%o: f32 [128] space #warpgroup.space<gmem>, %p: f32 [128])
    scratch(%t: memref<128xf32, #warpgroup.space<smem>>) {
  // expected-error @+1 {{expected a kernel without asynchronous copies on gpu:sm_80, got warpgroup.tma_store}}
  warpgroup.tma_store %t to %o[0] [128] : memref<128xf32, #warpgroup.space<smem>>, memref<128xf32, #warpgroup.space<gmem>>
}

// -----

// A warpgroup program is checked where it is converted.
// CHECK-LABEL: @program
grid.kernel @program grid() outputs(%o: f32 [128] space #warpgroup.space<gmem>)
    scratch(%t: memref<128xf32, #warpgroup.space<smem>>) {
  warpgroup.tma_store %t to %o[0] [128] : memref<128xf32, #warpgroup.space<smem>>, memref<128xf32, #warpgroup.space<gmem>>
}
