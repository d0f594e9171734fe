// RUN: gridir-opt %s | gridir-opt | FileCheck %s

// CHECK-LABEL: grid.kernel @panels
// CHECK:       warpgroup.shared_layouts = [#warpgroup.shared_layout<panel_bytes = 128, rows = 1>, unit]
grid.kernel @panels grid() inputs(%x: bf16 [64, 64] space gpu.gmem) {
  grid.scoped (%a: memref<2x64x128xbf16, #grid.space<gpu.smem>>, %b: memref<64xf32, #grid.space<gpu.smem>>)
      attributes {warpgroup.shared_layouts = [#warpgroup.shared_layout<panel_bytes = 128, rows = 1>, unit]} {
  }
}
