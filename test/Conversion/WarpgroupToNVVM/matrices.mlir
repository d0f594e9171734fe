// RUN: gridir-opt %s --split-input-file --warpgroup-plan-memory --warpgroup-insert-barriers --convert-warpgroup-to-nvvm --canonicalize --cse | FileCheck %s

// Elements of 16 bits that lanes hold as products give them are stored and loaded by matrices of eight rows, four at
// once, and by columns where those are contiguous.
// CHECK: gpu.module @matrices
// CHECK-COUNT-4: nvvm.stmatrix %{{.+}}, %{{.+}}, %{{.+}}, %{{.+}}, %{{.+}} {eltType = #nvvm.ld_st_matrix_elt_type<b16>, layout = #nvvm.mma_layout<row>, shape = #nvvm.ld_st_matrix_shape<m = 8, n = 8>}
// CHECK-COUNT-4: nvvm.ldmatrix %{{.+}} {eltType = #nvvm.ld_st_matrix_elt_type<b16>, layout = #nvvm.mma_layout<col>, num = 4 : i32, shape = #nvvm.ld_st_matrix_shape<m = 8, n = 8>}
// CHECK-NOT: nvvm.ldmatrix
#wgmma = #warpgroup.layout<wgmma>
grid.kernel @matrices grid() outputs(%o: bf16 [64, 64] space #warpgroup.space<gmem>) {
  grid.scoped (%a: memref<64x64xbf16, #warpgroup.space<smem>>)
      attributes {transforms = [[#grid.transform<unswizzle [128]>, #grid.transform<untiling [8, 64]>]]} {
    %v = arith.constant dense<1.0> : tensor<64x64xbf16, #wgmma>
    grid.store %v, %a : tensor<64x64xbf16, #wgmma>, memref<64x64xbf16, #warpgroup.space<smem>>
    %t = grid.transpose_ref %a [1, 0] : memref<64x64xbf16, #warpgroup.space<smem>> -> memref<64x64xbf16, #warpgroup.space<smem>>
    %w = grid.load %t : memref<64x64xbf16, #warpgroup.space<smem>> -> tensor<64x64xbf16, #wgmma>
    grid.store %w, %o : tensor<64x64xbf16, #wgmma>, memref<64x64xbf16, #warpgroup.space<gmem>>
  }
}

// -----

// Two matrices at once where there are no more; none of elements of 32 bits, of rows that are no multiple of 16 bytes, or
// of a window that begins elsewhere.
// CHECK: gpu.module @others
// CHECK-COUNT-1: nvvm.stmatrix %{{.+}}, %{{.+}}, %{{[^,]+}} {eltType
// CHECK-NOT: nvvm.stmatrix
#wgmma = #warpgroup.layout<wgmma>
grid.kernel @others grid(%i = 2) {
  grid.scoped (%a: memref<64x8xf16, #warpgroup.space<smem>>, %b: memref<64x8xf32, #warpgroup.space<smem>>,
               %c: memref<64x12xf16, #warpgroup.space<smem>>, %d: memref<64x16xf16, #warpgroup.space<smem>>) {
    %i = grid.program_id 0
    %v = arith.constant dense<1.0> : tensor<64x8xf16, #wgmma>
    grid.store %v, %a : tensor<64x8xf16, #wgmma>, memref<64x8xf16, #warpgroup.space<smem>>
    %w = arith.constant dense<1.0> : tensor<64x8xf32, #wgmma>
    grid.store %w, %b : tensor<64x8xf32, #wgmma>, memref<64x8xf32, #warpgroup.space<smem>>
    %c0 = grid.slice_ref %c[0, 0] [64, 8] [1, 1] : memref<64x12xf16, #warpgroup.space<smem>> -> memref<64x8xf16, #warpgroup.space<smem>>
    grid.store %v, %c0 : tensor<64x8xf16, #wgmma>, memref<64x8xf16, #warpgroup.space<smem>>
    %d0 = grid.slice_ref %d[0, %i] [64, 8] [1, 1] : memref<64x16xf16, #warpgroup.space<smem>>, i32 -> memref<64x8xf16, #warpgroup.space<smem>>
    grid.store %v, %d0 : tensor<64x8xf16, #wgmma>, memref<64x8xf16, #warpgroup.space<smem>>
  }
}
