// RUN: gridir-opt %s --split-input-file --warpgroup-assign-shared-layouts | FileCheck %s
// RUN: gridir-opt %s --split-input-file --warpgroup-assign-shared-layouts -o /dev/null --mlir-pass-statistics --mlir-pass-statistics-display=list 2>&1 | FileCheck %s --check-prefix=STATISTICS

// An operand of an MMA has the widest panels that its rows allow; arrays that only threads access, and registers, have
// none.
// STATISTICS: (S) 2 num-divided
// CHECK-LABEL: grid.kernel @products
// CHECK:       warpgroup.shared_layouts = [#warpgroup.shared_layout<panel_bytes = 128, rows = 0>, #warpgroup.shared_layout<panel_bytes = 64, rows = 0>, unit, unit]
grid.kernel @products grid(%i = 1) outputs(%o: f32 [64, 32]) {
  grid.scoped (%a: memref<64x64xbf16, #warpgroup.space<smem>>, %b: memref<64x32xbf16, #warpgroup.space<smem>>,
               %c: memref<64x32xf32, #warpgroup.space<smem>>, %acc: memref<64x32xf32, #warpgroup.space<regs>>) {
    warpgroup.mma %acc, %a, %b : memref<64x32xf32, #warpgroup.space<regs>>, memref<64x64xbf16, #warpgroup.space<smem>>, memref<64x32xbf16, #warpgroup.space<smem>>
    %v = grid.load %acc : memref<64x32xf32, #warpgroup.space<regs>> -> tensor<64x32xf32>
    grid.store %v, %c : tensor<64x32xf32>, memref<64x32xf32, #warpgroup.space<smem>>
  }
}

// -----

// The author's transforms specify the panels, also of an array that no MMA reads. The dimension of the rows is the last
// one of a tile with more than one index.
// STATISTICS: (S) 2 num-divided
// CHECK-LABEL: grid.kernel @authored
// CHECK:       warpgroup.shared_layouts = [#warpgroup.shared_layout<panel_bytes = 64, rows = 0>, #warpgroup.shared_layout<panel_bytes = 32, rows = 0>, unit]
grid.kernel @authored grid(%i = 1) outputs(%o: f32 [64, 64]) {
  grid.scoped (%a: memref<64x64xbf16, #warpgroup.space<smem>>, %b: memref<64x2x64xf32, #warpgroup.space<smem>>,
               %c: memref<64x64xf32, #warpgroup.space<smem>>)
      attributes {transforms = [[#grid.transform<unswizzle [64]>, #grid.transform<untiling [8, 32]>],
                                [#grid.transform<unswizzle [32]>, #grid.transform<untiling [8, 1, 8]>], []]} {
  }
}

// -----

// Copies and MMAs read windows of whole panels.
// STATISTICS: (S) 1 num-divided
// CHECK-LABEL: grid.kernel @windows
// CHECK:       warpgroup.shared_layouts = [#warpgroup.shared_layout<panel_bytes = 32, rows = 0>, unit, unit]
grid.kernel @windows grid(%i = 1) inputs(%x: bf16 [64, 64]) outputs(%o: f32 [64, 16]) {
  grid.scoped (%a: memref<64x64xbf16, #warpgroup.space<smem>>, %acc: memref<64x16xf32, #warpgroup.space<regs>>,
               %bar: memref<!warpgroup.barrier<1>, #warpgroup.space<smem>>) {
    %w = grid.slice_ref %a[0, 16] [64, 16] [1, 1] : memref<64x64xbf16, #warpgroup.space<smem>> -> memref<64x16xbf16, #warpgroup.space<smem>>
    warpgroup.mma %acc, %a, %w : memref<64x16xf32, #warpgroup.space<regs>>, memref<64x64xbf16, #warpgroup.space<smem>>, memref<64x16xbf16, #warpgroup.space<smem>>
  }
}

// -----

// A reshape that splits columns requires contiguous elements.
// STATISTICS: (S) 0 num-divided
// CHECK-LABEL: grid.kernel @contiguous
// CHECK-NOT:   warpgroup.shared_layouts
grid.kernel @contiguous grid(%i = 1) outputs(%o: f32 [64, 64]) {
  grid.scoped (%a: memref<64x64xbf16, #warpgroup.space<smem>>, %b: memref<64x64xbf16, #warpgroup.space<smem>>,
               %acc: memref<64x64xf32, #warpgroup.space<regs>>) {
    %v = grid.reshape_ref %a : memref<64x64xbf16, #warpgroup.space<smem>> -> memref<4096xbf16, #warpgroup.space<smem>>
    %w = grid.reshape_ref %b : memref<64x64xbf16, #warpgroup.space<smem>> -> memref<4096xbf16, #warpgroup.space<smem>>
    warpgroup.mma %acc, %a, %b : memref<64x64xf32, #warpgroup.space<regs>>, memref<64x64xbf16, #warpgroup.space<smem>>, memref<64x64xbf16, #warpgroup.space<smem>>
  }
}

// -----

// Layouts that were written by hand stay.
// CHECK-LABEL: grid.kernel @kept
// CHECK:       warpgroup.shared_layouts = [#warpgroup.shared_layout<panel_bytes = 16, rows = 0>]
grid.kernel @kept grid(%i = 1) outputs(%o: f32 [64, 64]) {
  grid.scoped (%a: memref<64x64xbf16, #warpgroup.space<smem>>)
      attributes {warpgroup.shared_layouts = [#warpgroup.shared_layout<panel_bytes = 16, rows = 0>]} {
  }
}
