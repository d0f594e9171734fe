// RUN: gridir-opt %s --split-input-file --verify-diagnostics

grid.kernel @number grid() inputs(%x: bf16 [64, 64] space #warpgroup.space<gmem>) {
  // expected-error @below {{expected a layout for each Ref of a scope as warpgroup.shared_layouts, got [unit]}}
  grid.scoped (%a: memref<64x64xbf16, #warpgroup.space<smem>>, %b: memref<64xf32, #warpgroup.space<smem>>)
      attributes {warpgroup.shared_layouts = [unit]} {
  }
}

// -----

grid.kernel @kind grid() inputs(%x: bf16 [64, 64] space #warpgroup.space<gmem>) {
  // expected-error @below {{expected #warpgroup.shared_layout or unit for scoped[0], got 1 : i64}}
  grid.scoped (%a: memref<64x64xbf16, #warpgroup.space<smem>>) attributes {warpgroup.shared_layouts = [1]} {
  }
}

// -----

grid.kernel @vector grid() inputs(%x: bf16 [64, 64] space #warpgroup.space<gmem>) {
  // expected-error @below {{expected panels of a matrix in shared memory, got #warpgroup.shared_layout<panel_bytes = 64, rows = 0> for scoped[0] of 'memref<64xbf16, #warpgroup.space<smem>>'}}
  grid.scoped (%a: memref<64xbf16, #warpgroup.space<smem>>)
      attributes {warpgroup.shared_layouts = [#warpgroup.shared_layout<panel_bytes = 64, rows = 0>]} {
  }
}

// -----

grid.kernel @columns grid() inputs(%x: bf16 [64, 64] space #warpgroup.space<gmem>) {
  // expected-error @below {{expected rows of whole panels before the last dimension, got #warpgroup.shared_layout<panel_bytes = 128, rows = 0> for scoped[0] of 'memref<64x32xbf16, #warpgroup.space<smem>>'}}
  grid.scoped (%a: memref<64x32xbf16, #warpgroup.space<smem>>)
      attributes {warpgroup.shared_layouts = [#warpgroup.shared_layout<panel_bytes = 128, rows = 0>]} {
  }
}

// -----

grid.kernel @rows grid() inputs(%x: bf16 [64, 64] space #warpgroup.space<gmem>) {
  // expected-error @below {{expected rows of whole panels before the last dimension, got #warpgroup.shared_layout<panel_bytes = 64, rows = 1> for scoped[0] of 'memref<64x32xbf16, #warpgroup.space<smem>>'}}
  grid.scoped (%a: memref<64x32xbf16, #warpgroup.space<smem>>)
      attributes {warpgroup.shared_layouts = [#warpgroup.shared_layout<panel_bytes = 64, rows = 1>]} {
  }
}

// -----

// expected-error @below {{expected rows of 16, 32, 64 or 128 bytes, got 48}}
module attributes {test.layout = #warpgroup.shared_layout<panel_bytes = 48, rows = 0>} {}

// -----

// expected-error @below {{expected a dimension of rows, got -1}}
module attributes {test.layout = #warpgroup.shared_layout<panel_bytes = 64, rows = -1>} {}
