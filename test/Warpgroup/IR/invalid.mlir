// RUN: gridir-opt %s --split-input-file --verify-diagnostics

// expected-error @below {{expected a barrier of one arrival or more, got 0}}
func.func private @no_arrivals(memref<!warpgroup.barrier<0>>)

// -----

// expected-error @below {{expected cluster axes of a barrier that the leader tracks, got none}}
func.func private @leader(memref<!warpgroup.barrier<1, leader_tracked>>)

// -----

// expected-error @below {{expected tensor_core, cluster or leader_tracked of a barrier, got tensor}}
func.func private @keyword(memref<!warpgroup.barrier<1, tensor>>)

// -----

func.func @rank(%x: memref<512x512xf16>, %tile: memref<128x64xf16>, %b: memref<!warpgroup.barrier<1>>) {
  // expected-error @below {{expected an offset and a size for each of 2 dimensions, got 2 and 1}}
  warpgroup.tma_load %x[0, 0] [128] to %tile barrier %b
      : memref<512x512xf16>, memref<128x64xf16>, memref<!warpgroup.barrier<1>>
  return
}

// -----

func.func @cp_async_tile(%x: memref<512x512xf16>, %tile: memref<128x32xf16>) {
  // expected-error @below {{expected a tile of type 'memref<128x64xf16>', got 'memref<128x32xf16>'}}
  warpgroup.cp_async %x[0, 0] [128, 64] to %tile : memref<512x512xf16>, memref<128x32xf16>
  return
}

// -----

func.func @dynamic_offsets(%x: memref<512xf16>, %tile: memref<128xf16>, %b: memref<!warpgroup.barrier<1>>) {
  // expected-error @below {{expected 1 dynamic offsets, got 0}}
  "warpgroup.tma_load"(%x, %tile, %b) <{static_offsets = array<i64: -9223372036854775808>, sizes = array<i64: 128>}>
      : (memref<512xf16>, memref<128xf16>, memref<!warpgroup.barrier<1>>) -> ()
  return
}

// -----

func.func @size(%x: memref<512x512xf16>, %tile: memref<128x64xf16>) {
  // expected-error @below {{expected sizes of one element or more, got 0}}
  warpgroup.tma_store %tile to %x[0, 0] [0, 64] : memref<128x64xf16>, memref<512x512xf16>
  return
}

// -----

func.func @dropped(%x: memref<512x512xf16>, %row: memref<64xf16>) {
  // expected-error @below {{expected dropped dimensions to be different ones of the array, got 2}}
  warpgroup.tma_store %row to %x[0, 0] [1, 64] drop [2] : memref<64xf16>, memref<512x512xf16>
  return
}

// -----

func.func @dropped_size(%x: memref<512x512xf16>, %row: memref<64xf16>) {
  // expected-error @below {{expected size 1 of a dropped dimension, got 2 of dimension 0}}
  warpgroup.tma_store %row to %x[0, 0] [2, 64] drop [0] : memref<64xf16>, memref<512x512xf16>
  return
}

// -----

func.func @tile(%x: memref<512x512xf16>, %tile: memref<128x64xf32>) {
  // expected-error @below {{expected a tile of type 'memref<128x64xf16>', got 'memref<128x64xf32>'}}
  warpgroup.tma_store %tile to %x[0, 0] [128, 64] : memref<128x64xf32>, memref<512x512xf16>
  return
}

// -----

func.func @no_matrix(%acc: memref<64xf32>, %a: memref<64x64xf16>, %b: memref<64x128xf16>) {
  // expected-error @below {{expected matrices, got 'memref<64xf32>', 'memref<64x64xf16>' and 'memref<64x128xf16>'}}
  warpgroup.mma %acc, %a, %b : memref<64xf32>, memref<64x64xf16>, memref<64x128xf16>
  return
}

// -----

func.func @shapes(%acc: memref<64x64xf32>, %a: memref<64x64xf16>, %b: memref<64x128xf16>) {
  // expected-error @below {{expected an m x n accumulator of m x k and k x n operands, got 'memref<64x64xf32>' of 'memref<64x64xf16>' and 'memref<64x128xf16>'}}
  warpgroup.mma %acc, %a, %b : memref<64x64xf32>, memref<64x64xf16>, memref<64x128xf16>
  return
}

// -----

func.func @shapes_in_registers(%acc: tensor<64x64xf32>, %a: tensor<64x64xf16>, %b: tensor<32x64xf16>) {
  // expected-error @below {{expected an m x n accumulator of m x k and k x n operands, got 'tensor<64x64xf32>' of 'tensor<64x64xf16>' and 'tensor<32x64xf16>'}}
  %sum = warpgroup.mma_sync %acc, %a, %b : tensor<64x64xf32>, tensor<64x64xf16>, tensor<32x64xf16>
  return
}

// -----

func.func @complex_product(%acc: memref<64x8xf32>, %a: memref<64x32xcomplex<f32>>, %b: memref<32x8xcomplex<f32>>) {
  // expected-error @below {{expected integers and floats, got 'memref<64x8xf32>', 'memref<64x32xcomplex<f32>>' and 'memref<32x8xcomplex<f32>>'}}
  warpgroup.mma %acc, %a, %b : memref<64x8xf32>, memref<64x32xcomplex<f32>>, memref<32x8xcomplex<f32>>
  return
}

// -----

func.func @mma_of_global_memory(%acc: memref<64x128xf32, #warpgroup.space<regs>>, %a: memref<64x64xf16, #warpgroup.space<smem>>,
                                %b: memref<64x128xf16, #warpgroup.space<gmem>>) {
  // expected-error @below {{expected operands in memory of the block or in registers, got 'memref<64x128xf16, #warpgroup.space<gmem>>'}}
  warpgroup.mma %acc, %a, %b
      : memref<64x128xf32, #warpgroup.space<regs>>, memref<64x64xf16, #warpgroup.space<smem>>, memref<64x128xf16, #warpgroup.space<gmem>>
  return
}

// -----

func.func @registers() {
  // expected-error @below {{expected a multiple of 8 registers from 24 to 256, got 20}}
  warpgroup.set_max_registers 20
  return
}

// -----

func.func @tensor_memory(%acc: memref<64x64xf32>, %a: memref<64x64xf16>, %b: memref<64x128xf16>, %p: i1) {
  // expected-error @below {{expected an m x n accumulator of m x k and k x n operands, got 'memref<64x64xf32>' of 'memref<64x64xf16>' and 'memref<64x128xf16>'}}
  warpgroup.tcgen05_mma %acc, %a, %b accumulate %p : memref<64x64xf32>, memref<64x64xf16>, memref<64x128xf16>
  return
}

// -----

func.func @copied(%tile: memref<128x64xf16>, %t: memref<128x64xf32>) {
  // expected-error @below {{expected a tile of type 'memref<128x64xf32>', got 'memref<128x64xf16>' for 'memref<128x64xf32>'}}
  warpgroup.tmem_copy %tile to %t : memref<128x64xf16>, memref<128x64xf32>
  return
}

// -----

func.func @rows(%x: memref<512x64xf16>, %rows: tensor<8x2xi32>, %tile: memref<16x64xf16>,
                %b: memref<!warpgroup.barrier<1>>) {
  // expected-error @below {{expected an array with rows and a list of row indices, got 'memref<512x64xf16>' and 'tensor<8x2xi32>'}}
  warpgroup.tma_gather %x[%rows] to %tile barrier %b
      : memref<512x64xf16>, tensor<8x2xi32>, memref<16x64xf16>, memref<!warpgroup.barrier<1>>
  return
}

// -----

func.func @gathered(%x: memref<512x64xf16>, %rows: tensor<8xi32>, %tile: memref<16x64xf16>,
                    %b: memref<!warpgroup.barrier<1>>) {
  // expected-error @below {{expected a tile of type 'memref<8x64xf16>', got 'memref<16x64xf16>'}}
  warpgroup.tma_gather %x[%rows] to %tile barrier %b
      : memref<512x64xf16>, tensor<8xi32>, memref<16x64xf16>, memref<!warpgroup.barrier<1>>
  return
}

// -----

func.func @scattered(%x: memref<512x64xf16>, %rows: tensor<8xi32>, %tile: memref<8x32xf16>) {
  // expected-error @below {{expected a tile of type 'memref<8x64xf16>', got 'memref<8x32xf16>'}}
  warpgroup.tma_scatter %tile to %x[%rows] : memref<8x32xf16>, memref<512x64xf16>, tensor<8xi32>
  return
}

// -----

func.func @semaphores(%x: memref<512x64x!grid.semaphore<dma>>, %rows: tensor<8xi32>,
                      %tile: memref<8x64x!grid.semaphore<dma>>, %b: memref<!warpgroup.barrier<1>>) {
  // expected-error @below {{expected an array of integers or floats, got 'memref<512x64x!grid.semaphore<dma>>'}}
  warpgroup.tma_gather %x[%rows] to %tile barrier %b
      : memref<512x64x!grid.semaphore<dma>>, tensor<8xi32>, memref<8x64x!grid.semaphore<dma>>,
        memref<!warpgroup.barrier<1>>
  return
}

// -----

// expected-error @below {{expected an i64 that is no less than 0 as "warpgroup.shared_bytes", got 0 : si2}}
grid.kernel @bytes grid() attributes {warpgroup.shared_bytes = 0 : si2} {
}

// -----

// expected-error @below {{expected an i64 that is no less than 0 as "warpgroup.scratch_bytes", got -1}}
grid.kernel @scratch grid() attributes {warpgroup.scratch_bytes = -1 : i64} {
}

// -----

// expected-error @below {{expected an array of i64 of a scope as "warpgroup.offsets", got [0] of 'grid.kernel'}}
grid.kernel @offsets grid() attributes {warpgroup.offsets = [0]} {
}

// -----

// expected-error @below {{expected a unit attribute as "warpgroup.update", got 1 : i64 of 'grid.kernel'}}
grid.kernel @update grid() attributes {warpgroup.update = 1 : i64} {
}

// -----

// expected-error @below {{expected a known attribute of warpgroup, got "warpgroup.other"}}
grid.kernel @other grid() attributes {warpgroup.other} {
}

// -----

// expected-error @below {{expected three i64 for each Ref of a scope as warpgroup.unions, got array<i64: 0, 0, 4>}}
grid.kernel @unions grid() attributes {warpgroup.unions = array<i64: 0, 0, 4>} {
}

// -----

grid.kernel @members grid() {
  // expected-error @below {{expected unions counted from 0, offsets and sizes of 0 to 2^31 - 1, got 0, -4 and 4 for a}}
  grid.scoped (%a: memref<1xf32, #warpgroup.space<smem>> origin "a")
      attributes {warpgroup.unions = array<i64: 0, -4, 4>} {
  }
}

// -----

grid.kernel @counted grid() {
  // expected-error @below {{got 1, 0 and 4 for a}}
  grid.scoped (%a: memref<1xf32, #warpgroup.space<smem>> origin "a")
      attributes {warpgroup.unions = array<i64: 1, 0, 4>} {
  }
}

// -----

grid.kernel @no_refs grid() {
  // expected-error @below {{expected arrays as members of unions, got a of 'tensor<1xf32>'}}
  grid.scoped (%a: tensor<1xf32> origin "a")
      attributes {warpgroup.unions = array<i64: 0, 0, 4>} {
  }
}

// -----

grid.kernel @barriers grid() {
  // expected-error @below {{expected arrays as members of unions, got a of 'memref<!warpgroup.barrier<1>, #warpgroup.space<smem>>'}}
  grid.scoped (%a: memref<!warpgroup.barrier<1>, #warpgroup.space<smem>> origin "a")
      attributes {warpgroup.unions = array<i64: 0, 0, 8>} {
  }
}

// -----

func.func @sync_of_a_block_in_warps() {
  warpgroup.warps {
  ^bb0(%warp: i32):
    // expected-error @below {{expected the scope warp in code of single warps, got block}}
    warpgroup.sync block
  }
  return
}

// -----

func.func @part_of_a_warp(%n: i32) {
  // expected-error @below {{expected the threads of whole warps, at most 1024, got 48}}
  warpgroup.named_barrier %n of 48
  return
}

// -----

func.func @more_than_a_block(%n: i32) {
  // expected-error @below {{expected the threads of whole warps, at most 1024, got 1152}}
  warpgroup.named_barrier %n of 1152
  return
}

// -----

grid.kernel @held grid() inputs(%x: bf16 [64, 64] space #warpgroup.space<gmem>) {
  // expected-error @below {{expected a number of registers, or -1, for each Ref of a scope as warpgroup.held_registers, got array<i64: -2>}}
  grid.scoped (%a: memref<64x64xf32, #warpgroup.space<regs>>) attributes {warpgroup.held_registers = array<i64: -2>} {
  }
}

// -----

// expected-error @below {{expected a ring of one barrier or more and a distance of 0 or 1, got 0 and 1}}
module attributes {test.phase = #warpgroup.ring_phase<size = 0, distance = 1>} {}

// -----

// expected-error @below {{expected a ring of one barrier or more and a distance of 0 or 1, got 4 and 2}}
module attributes {test.phase = #warpgroup.ring_phase<size = 4, distance = 2>} {}

// -----

// expected-error @below {{expected a ring of one barrier or more and a distance of 0 or 1, got 4 and -1}}
module attributes {test.phase = #warpgroup.ring_phase<size = 4, distance = -1>} {}
