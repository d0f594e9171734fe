// RUN: gridir-opt %s | gridir-opt | FileCheck %s

// CHECK-LABEL: grid.kernel @panels
// CHECK:       warpgroup.shared_layouts = [#warpgroup.shared_layout<panel_bytes = 128, rows = 1>, unit]
grid.kernel @panels grid() inputs(%x: bf16 [64, 64] space #warpgroup.space<gmem>) {
  grid.scoped (%a: memref<2x64x128xbf16, #warpgroup.space<smem>>, %b: memref<64xf32, #warpgroup.space<smem>>)
      attributes {warpgroup.shared_layouts = [#warpgroup.shared_layout<panel_bytes = 128, rows = 1>, unit]} {
  }
}
