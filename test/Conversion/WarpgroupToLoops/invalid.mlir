// RUN: gridir-opt %s --split-input-file --verify-diagnostics --convert-grid-to-loops

grid.kernel @cluster grid(%i = 2 named "c" cluster)
    inputs() outputs(%o: f32 [8] space gpu.gmem)
    scratch(%barrier: memref<!warpgroup.barrier<1, cluster = ["c"]>, #grid.space<gpu.smem>>)
    semantics [core_parallel] attributes {grid.tasks = #kernel.tasks<>} {
  // expected-error @below {{expected a barrier of one block, got one of a cluster}}
  warpgroup.barrier_wait %barrier : memref<!warpgroup.barrier<1, cluster = ["c"]>, #grid.space<gpu.smem>>
}

// -----

grid.kernel @reduction grid()
    inputs() outputs(%o: f32 [8] space gpu.gmem)
    scratch(%tile: memref<8xf32, #grid.space<gpu.smem>>)
    semantics [] attributes {grid.tasks = #kernel.tasks<>} {
  // expected-error @below {{expected a copy without a reduction, got add}}
  warpgroup.tma_store %tile to %o[0] [8] reduce add
      : memref<8xf32, #grid.space<gpu.smem>>, memref<8xf32, #grid.space<gpu.gmem>>
}

// -----

grid.kernel @view grid()
    inputs() outputs(%o: i8 [32] space gpu.gmem)
    scratch(%tile: memref<8x6xf32, #grid.space<gpu.smem>>)
    semantics [] attributes {grid.tasks = #kernel.tasks<>} {
  %rows = grid.slice_ref %tile[0, 0] [8, 4] [1, 1]
      : memref<8x6xf32, #grid.space<gpu.smem>> -> memref<8x4xf32, #grid.space<gpu.smem>>
  %flat = grid.reshape_ref %rows : memref<8x4xf32, #grid.space<gpu.smem>> -> memref<32xf32, #grid.space<gpu.smem>>
  %bytes = grid.bitcast_ref %o : memref<32xi8, #grid.space<gpu.gmem>> -> memref<8xf32, #grid.space<gpu.gmem>>
  %part = grid.slice_ref %flat[0] [8] [1] : memref<32xf32, #grid.space<gpu.smem>> -> memref<8xf32, #grid.space<gpu.smem>>
  // expected-error @below {{expected a copy of Refs whose elements are at regular distances in memory}}
  warpgroup.tma_store %part to %bytes[0] [8]
      : memref<8xf32, #grid.space<gpu.smem>>, memref<8xf32, #grid.space<gpu.gmem>>
}
