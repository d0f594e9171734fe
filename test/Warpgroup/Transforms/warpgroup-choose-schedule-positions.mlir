// RUN: gridir-opt %s --pass-pipeline='builtin.module(grid.kernel(grid-rematerialize-positions,warpgroup-choose-schedule))' | FileCheck %s
// RUN: gridir-opt %s --pass-pipeline='builtin.module(grid.kernel(warpgroup-choose-schedule))' | FileCheck %s --check-prefix=SHARED

// The positions of queries and of keys are one array, so that rows cannot be split before each has its own.
// CHECK: #warpgroup.schedule<cta = [128, 128], warpgroup = [64, 128], shared = [0, 1]>
// SHARED: #warpgroup.schedule<cta = [128, 128], warpgroup = [128, 128], shared = [0, 1]>
grid.kernel @causal grid(%i = 4)
    inputs(%q: bf16 [512, 64] block [128, 64] at (%i, 0), %k: bf16 [128, 64])
    outputs(%o: f32 [512, 128] block [128, 128] at (%i, 0))
    semantics [parallel] {
  %a = grid.load %q : memref<128x64xbf16, #grid.space<default>> -> tensor<128x64xbf16>
  %b = grid.load %k : memref<128x64xbf16, #grid.space<default>> -> tensor<128x64xbf16>
  %s = grid.dot %a, %b contract [1] x [1] : tensor<128x64xbf16>, tensor<128x64xbf16> -> tensor<128x128xf32>
  %none = tensor.empty() : tensor<128xi32>
  %position = linalg.generic
      {indexing_maps = [affine_map<(d0) -> (d0)>], iterator_types = ["parallel"]}
      outs(%none : tensor<128xi32>) {
  ^bb0(%out: i32):
    %n = linalg.index 0 : index
    %m = arith.index_cast %n : index to i32
    linalg.yield %m : i32
  } -> tensor<128xi32>
  %all = tensor.empty() : tensor<128x128xi32>
  %rows = linalg.broadcast ins(%position : tensor<128xi32>) outs(%all : tensor<128x128xi32>) dimensions = [1]
  %columns = linalg.broadcast ins(%position : tensor<128xi32>) outs(%all : tensor<128x128xi32>) dimensions = [0]
  %mask = arith.cmpi sge, %rows, %columns : tensor<128x128xi32>
  %zero = arith.constant dense<0.0> : tensor<128x128xf32>
  %r = arith.select %mask, %s, %zero : tensor<128x128xi1>, tensor<128x128xf32>
  grid.store %r, %o : tensor<128x128xf32>, memref<128x128xf32, #grid.space<default>>
}
