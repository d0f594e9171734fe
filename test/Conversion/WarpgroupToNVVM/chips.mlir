// RUN: not gridir-opt %s --warpgroup-plan-memory=chip=sm_80 --warpgroup-insert-barriers --convert-warpgroup-to-nvvm=chip=sm_80 2>&1 | FileCheck %s --check-prefix=AMPERE
// RUN: not gridir-opt %s --warpgroup-plan-memory=chip=sm_100a --warpgroup-insert-barriers --convert-warpgroup-to-nvvm=chip=sm_100a 2>&1 | FileCheck %s --check-prefix=BLACKWELL
// RUN: not gridir-opt %s --warpgroup-plan-memory --warpgroup-insert-barriers --convert-warpgroup-to-nvvm=chip=sm_12 2>&1 | FileCheck %s --check-prefix=CHIP

// AMPERE: error: expected a chip that has wgmma, got sm_80
// BLACKWELL: error: expected a chip that has wgmma, got sm_100a
// CHIP: error: expected a chip (sm_80, {{.*}}), got sm_12
grid.kernel @product grid() {
  grid.scoped (%a: memref<64x64xf16, #warpgroup.space<smem>>, %acc: memref<64x64xf32, #warpgroup.space<regs>>)
      attributes {transforms = [[#grid.transform<unswizzle [128]>, #grid.transform<untiling [8, 64]>], []]} {
    warpgroup.mma %acc, %a, %a
        : memref<64x64xf32, #warpgroup.space<regs>>, memref<64x64xf16, #warpgroup.space<smem>>, memref<64x64xf16, #warpgroup.space<smem>>
  }
}
