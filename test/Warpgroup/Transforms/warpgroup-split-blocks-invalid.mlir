// RUN: gridir-opt %s --split-input-file --pass-pipeline='builtin.module(grid.kernel(warpgroup-split-blocks))' --verify-diagnostics

// expected-error @below {{expected a schedule of 2 sizes, as the first output has, got 1}}
grid.kernel @rank grid(%i = 4)
    outputs(%o: f32 [32, 128] block [8, 128] at (%i, 0))
    attributes {warpgroup.schedule = #warpgroup.schedule<cta = [8], warpgroup = [8]>} {
}

// -----

// expected-error @below {{expected a schedule of one element, as the first output has, got 2}}
grid.kernel @scalar grid(%i = 4) outputs(%o: f32 [])
    attributes {warpgroup.schedule = #warpgroup.schedule<cta = [2], warpgroup = [1]>} {
}

// -----

// expected-error @below {{expected a size that divides the 8 elements of dimension 0 of the first output's block, got 3}}
grid.kernel @size grid(%i = 4)
    outputs(%o: f32 [32, 128] block [8, 128] at (%i, 0))
    attributes {warpgroup.schedule = #warpgroup.schedule<cta = [3, 128], warpgroup = [3, 128]>} {
}

// -----

// Each element of a reversed row depends on another one.
#map = affine_map<(d0, d1) -> (d0, 127 - d1)>
#id = affine_map<(d0, d1) -> (d0, d1)>
// expected-error @below {{expected all 128 elements of dimension 1 in one part, since they depend on one another, got 64}}
grid.kernel @dependent grid(%i = 4)
    inputs(%x: f32 [32, 128] block [8, 128] at (%i, 0))
    outputs(%o: f32 [32, 128] block [8, 128] at (%i, 0))
    attributes {warpgroup.schedule = #warpgroup.schedule<cta = [8, 64], warpgroup = [8, 64]>} {
  %v = grid.load %x : memref<8x128xf32, #grid.space<default>> -> tensor<8x128xf32>
  %init = tensor.empty() : tensor<8x128xf32>
  %w = linalg.generic {indexing_maps = [#map, #id], iterator_types = ["parallel", "parallel"]}
      ins(%v : tensor<8x128xf32>) outs(%init : tensor<8x128xf32>) {
  ^bb0(%in: f32, %out: f32):
    linalg.yield %in : f32
  } -> tensor<8x128xf32>
  grid.store %w, %o : tensor<8x128xf32>, memref<8x128xf32, #grid.space<default>>
}

// -----

// Two outputs, of which one has the same elements in every part.
// expected-error @below {{expected all 8 elements of dimension 0 in one part}}
grid.kernel @shared grid(%i = 4)
    outputs(%o: f32 [32, 128] block [8, 128] at (%i, 0), %n: f32 [4, 1] block [1, 1] at (%i, 0))
    attributes {warpgroup.schedule = #warpgroup.schedule<cta = [4, 128], warpgroup = [4, 128]>} {
}

// -----

// A block without elements has no parts.
// expected-error @below {{expected all 0 elements of dimension 1 in one part, since they depend on one another, got 64}}
grid.kernel @no_elements grid(%i = 4)
    outputs(%o: f32 [32, 128] block [8, 0] at (%i, 0))
    attributes {warpgroup.schedule = #warpgroup.schedule<cta = [8, 64], warpgroup = [8, 64]>} {
}

// -----

// Ops on memory are not split.
// expected-error @below {{expected all 8 elements of dimension 0 in one part}}
grid.kernel @memory grid(%i = 4)
    outputs(%o: f32 [32, 128] block [8, 128] at (%i, 0))
    attributes {warpgroup.schedule = #warpgroup.schedule<cta = [4, 128], warpgroup = [4, 128]>} {
  %zero = arith.constant 0.0 : f32
  linalg.fill ins(%zero : f32) outs(%o : memref<8x128xf32, #grid.space<default>>)
}
