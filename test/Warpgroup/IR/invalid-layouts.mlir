// RUN: gridir-opt %s --split-input-file --verify-diagnostics

// expected-error @below {{expected one of the layouts splat, strided(n), wgmma, wgmma_8bit, wgmma_upcast_2x, wgmma_upcast_4x, wgmma_transposed, wgmma_row, wgmma_col, tcgen05, tcgen05_transposed, tcgen05_row, tmem_native(n), tmem_half_lane(n), tcgen05_m64_collective(n), tcgen05_m64_collective_native(n), tma_indices, tma_indices_4, n a power of two, got wgmmb}}
func.func private @name(tensor<64xf32, #warpgroup.layout<wgmmb>>)

// -----

// expected-error-re @below {{expected one of the layouts {{.*}} got strided(3)}}
func.func private @number(tensor<384xf32, #warpgroup.layout<strided(3)>>)

// -----

// expected-error-re @below {{expected one of the layouts {{.*}} got wgmma(2)}}
func.func private @no_number(tensor<64x64xf32, #warpgroup.layout<wgmma(2)>>)

// -----

// expected-error @below {{expected a tile of one dimension or more}}
func.func private @no_tile(tensor<4xf32, #warpgroup.layout<[], registers = [], lanes = [], warps = []>>)

// -----

// expected-error @below {{expected a tile of powers of two, got 3}}
func.func private @tile_size(tensor<3xf32, #warpgroup.layout<[3], registers = [], lanes = [], warps = []>>)

// -----

// expected-error @below {{expected a tile of at most 1048576 elements}}
func.func private @large_tile(tensor<4xf32, #warpgroup.layout<[2048, 4611686018427387904], registers = [], lanes = [], warps = []>>)

// -----

// expected-error @below {{expected 1 coordinates of a basis vector, got 2}}
func.func private @coordinates(tensor<4xf32, #warpgroup.layout<[4], registers = [[0, 1]], lanes = [], warps = []>>)

// -----

// expected-error @below {{expected a coordinate in the tile, got 4 of 4}}
func.func private @coordinate(tensor<4xf32, #warpgroup.layout<[4], registers = [[4]], lanes = [], warps = []>>)

// -----

// expected-error @below {{expected basis vectors for 5 bits of the lane and 2 of the warp, got 5 and 1}}
func.func private @bits(tensor<4xf32, #warpgroup.layout<[4], registers = [[1], [2]],
    lanes = [[0], [0], [0], [0], [0]], warps = [[0]]>>)

// -----

// expected-error @below {{expected registers of a thread to hold different elements}}
func.func private @equal_registers(tensor<4xf32, #warpgroup.layout<[4], registers = [[1], [1]],
    lanes = [[2], [0], [0], [0], [0]], warps = [[0], [0]]>>)

// -----

// expected-error @below {{expected the basis vectors to span all 4 elements of the tile, got 2}}
func.func private @unreached(tensor<4xf32, #warpgroup.layout<[4], registers = [[1]],
    lanes = [[1], [0], [0], [0], [0]], warps = [[0], [0]]>>)

// -----

// expected-error @below {{expected a shape of multiples of the tile [64, 8], got [64, 12]}}
func.func private @shape(tensor<64x12xf32, #warpgroup.layout<wgmma>>)

// -----

// expected-error @below {{expected a shape of multiples of the tile [64, 8], got [64]}}
func.func private @layout_rank(tensor<64xf32, #warpgroup.layout<wgmma>>)

// -----

// expected-error @below {{expected a tensor of static shape in registers}}
func.func private @dynamic(tensor<64x?xf32, #warpgroup.layout<wgmma>>)

// -----

// expected-error @below {{expected a tensor with elements in registers}}
func.func private @empty(tensor<0x16xf32, #warpgroup.layout<wgmma>>)

// -----

// expected-error @below {{expected at most 16384 elements in each thread, got 32768}}
func.func private @many(tensor<64x65536xf32, #warpgroup.layout<wgmma>>)

// -----

func.func @no_layout(%x: tensor<64x64xf32>) {
  // expected-error @below {{expected tensors with a layout, got 'tensor<64x64xf32>'}}
  %y = warpgroup.relayout %x : tensor<64x64xf32> to tensor<64x64xf32, #warpgroup.layout<wgmma>>
  return
}

// -----

func.func @to_splat(%x: tensor<64x64xf32, #warpgroup.layout<wgmma>>) {
  // expected-error @below {{expected no splat of elements that may differ, got 'tensor<64x64xf32, #warpgroup.layout<wgmma>>'}}
  %y = warpgroup.relayout %x : tensor<64x64xf32, #warpgroup.layout<wgmma>> to tensor<64x64xf32, #warpgroup.layout<splat>>
  return
}
