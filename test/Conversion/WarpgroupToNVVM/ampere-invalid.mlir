// RUN: gridir-opt %s --split-input-file --warpgroup-plan-memory=chip=sm_80 --warpgroup-insert-barriers --convert-warpgroup-to-nvvm=chip=sm_80 --verify-diagnostics

grid.kernel @barrier grid() {
  // expected-error @below {{expected a chip that has mbarriers and TMA, got sm_80}}
  grid.scoped (%b: memref<!warpgroup.barrier<1>, #warpgroup.space<smem>>) {
  }
}

// -----

grid.kernel @copy grid() outputs(%o: f32 [64, 64] space #warpgroup.space<gmem>) {
  grid.scoped (%t: memref<64x64xf32, #warpgroup.space<smem>>) {
    // expected-error @below {{expected a chip that has mbarriers and TMA, got sm_80}}
    warpgroup.tma_store %t to %o[0, 0] [64, 64] : memref<64x64xf32, #warpgroup.space<smem>>, memref<64x64xf32, #warpgroup.space<gmem>>
  }
}

// -----

grid.kernel @group grid() {
  // expected-error @below {{expected a chip that has mbarriers and TMA, got sm_80}}
  warpgroup.wait_group 0
}

// -----

// expected-error @below {{expected a chip that has clusters, got sm_80}}
grid.kernel @cluster grid(%c = 2 named "x" cluster) {
}
