// RUN: gridir-opt %s --split-input-file --warpgroup-assign-shared-layouts --warpgroup-infer-layouts --warpgroup-plan-memory --warpgroup-spill-accumulators --warpgroup-insert-barriers --convert-warpgroup-to-nvvm --canonicalize --cse | FileCheck %s

// What the author does not say of operands in shared memory their products do: panels of as many columns as copies and the MMAs allow, without a swizzle where these are 16 bytes. There the distances of pieces along the columns and
// along the depth are exchanged.
// CHECK: kernel.abi @unsaid
// CHECK-SAME: #kernel.tensor_map<0, tensor<64x64xf16>, box = [64, 64], swizzle = 128>
// CHECK-SAME: #kernel.tensor_map<1, tensor<3x64x8xf16, [8, 24, 1]>, box = [3, 64, 8], swizzle = 0>
// CHECK: %[[LEADING:.+]] = arith.ori %{{.+}}, %c524288_i32
// CHECK: llvm.insertelement %[[LEADING]], %{{.+}}[%c0_i32 : i32]
// CHECK: %[[WORDS:.+]] = llvm.insertelement %c64_i32, %{{.+}}[%c1_i32 : i32]
// CHECK: %[[BITS:.+]] = llvm.bitcast %[[WORDS]] : vector<2xi32> to i64
// CHECK: %[[B:.+]] = llvm.inline_asm asm_dialect = att "", "=l,0" %[[BITS]]
// CHECK: llvm.insertelement %c1073741888_i32, %{{.+}}[%c1_i32 : i32]
// CHECK: nvvm.wgmma.mma_async %{{.+}}, %[[B]], %{{.+}}, <m = 64, n = 24, k = 16>, D[<f32>, <one>], A[<f16>, <one>, <row>], B[<f16>, <one>, <row>]
// CHECK: %[[NEXT:.+]] = arith.addi %[[B]], %c16_i64
// CHECK: nvvm.wgmma.mma_async %{{.+}}, %[[NEXT]]
grid.kernel @unsaid grid() inputs(%x: f16 [64, 64] space #warpgroup.space<gmem>, %y: f16 [64, 24] space #warpgroup.space<gmem>) {
  grid.scoped (%a: memref<64x64xf16, #warpgroup.space<smem>>, %b: memref<2x64x24xf16, #warpgroup.space<smem>>,
               %acc: memref<64x24xf32, #warpgroup.space<regs>>, %barrier: memref<!warpgroup.barrier<2>, #warpgroup.space<smem>>) {
    warpgroup.tma_load %x[0, 0] [64, 64] to %a barrier %barrier
        : memref<64x64xf16, #warpgroup.space<gmem>>, memref<64x64xf16, #warpgroup.space<smem>>, memref<!warpgroup.barrier<2>, #warpgroup.space<smem>>
    %w = grid.slice_ref %b[0, 0, 0] [1, 64, 24] [1, 1, 1] drop [0] : memref<2x64x24xf16, #warpgroup.space<smem>> -> memref<64x24xf16, #warpgroup.space<smem>>
    warpgroup.tma_load %y[0, 0] [64, 24] to %w barrier %barrier
        : memref<64x24xf16, #warpgroup.space<gmem>>, memref<64x24xf16, #warpgroup.space<smem>>, memref<!warpgroup.barrier<2>, #warpgroup.space<smem>>
    warpgroup.barrier_wait %barrier : memref<!warpgroup.barrier<2>, #warpgroup.space<smem>>
    warpgroup.mma %acc, %a, %w
        : memref<64x24xf32, #warpgroup.space<regs>>, memref<64x64xf16, #warpgroup.space<smem>>, memref<64x24xf16, #warpgroup.space<smem>>
    warpgroup.mma_wait 0
  }
}

// -----

// 16-bit accumulators share registers of 32 bits, as MMAs require; they are unpacked after the wait. Bytes of a left
// operand in registers are joined in words; an instruction takes four words.
// CHECK: gpu.module @halves
// CHECK: %[[SUM:.+]] = llvm.alloca %{{.+}} x i32
// CHECK-NOT: x f16
// CHECK: llvm.inline_asm has_side_effects asm_dialect = att "wgmma.mma_async.sync.aligned.m64n8k32.f16.e5m2.e5m2 {$0, $1}, {$4, $5, $6, $7}, $8, 1, 1, 1;", "=r,=r,0,1,r,r,r,r,l"
// CHECK: nvvm.wgmma.wait.group.sync.aligned 0
// CHECK: %[[WORD:.+]] = llvm.load %{{.+}} : !llvm.ptr -> i32
// CHECK: llvm.inline_asm has_side_effects asm_dialect = att "", "=r,0"
// CHECK: llvm.bitcast %{{.+}} : i32 to vector<2xf16>
#wgmma = #warpgroup.layout<wgmma>
#bytes = #warpgroup.layout<wgmma_8bit>
grid.kernel @halves grid() inputs(%x: f8E5M2 [64, 32] space #warpgroup.space<gmem>) outputs(%o: f16 [64, 8] space #warpgroup.space<gmem>) {
  grid.scoped (%b: memref<8x32xf8E5M2, #warpgroup.space<smem>>, %acc: memref<64x8xf16, #warpgroup.space<regs>>) {
    %a = grid.load %x : memref<64x32xf8E5M2, #warpgroup.space<gmem>> -> tensor<64x32xf8E5M2, #bytes>
    %t = grid.transpose_ref %b [1, 0] : memref<8x32xf8E5M2, #warpgroup.space<smem>> -> memref<32x8xf8E5M2, #warpgroup.space<smem>>
    warpgroup.mma %acc, %a, %t
        : memref<64x8xf16, #warpgroup.space<regs>>, tensor<64x32xf8E5M2, #bytes>, memref<32x8xf8E5M2, #warpgroup.space<smem>>
    warpgroup.mma_wait 0
    %v = grid.load %acc : memref<64x8xf16, #warpgroup.space<regs>> -> tensor<64x8xf16, #wgmma>
    grid.store %v, %o : tensor<64x8xf16, #wgmma>, memref<64x8xf16, #warpgroup.space<gmem>>
  }
}

// -----

// Loop invariants are computed before the loop, such as the whole left operand, whose base is not a descriptor; a stage
// of the ring adds a number of 16-byte pieces. A thread that has waited for MMAs has waited, with all of the warpgroup,
// for the operations before them, and their operands are free: each warp arrives, without a barrier before it.
// CHECK-LABEL: gpu.module @ring
// CHECK: %[[ADDRESS:.+]] = arith.shrui %{{.+}}, %c4_i32
// CHECK: %[[BITS:.+]] = arith.andi %[[ADDRESS]], %c16383_i32
// CHECK: %[[FIRST:.+]] = arith.ori %[[BITS]]
// CHECK: %[[LHS:.+]] = llvm.inline_asm asm_dialect = att "", "=l,0" %{{.+}} : (i64) -> i64
// CHECK: scf.for
// CHECK: llvm.inline_asm {{.*}}mbarrier.try_wait.parity
// CHECK: %[[STAGE:.+]] = arith.muli %{{.+}}, %c512_i32
// CHECK: arith.addi %[[STAGE]], %[[FIRST]]
// CHECK: %[[WHOLE:.+]] = arith.addi %[[LHS]], %c1_i64
// CHECK: nvvm.wgmma.mma_async %[[WHOLE]]
// CHECK: nvvm.wgmma.wait.group.sync.aligned 0
// CHECK-NOT: nvvm.barrier
// CHECK: nvvm.mbarrier.arrive
// CHECK-NOT: nvvm.barrier
// CHECK: llvm.return
grid.kernel @ring grid() {
  grid.scoped (%a: memref<2x64x64xf16, #warpgroup.space<smem>>, %q: memref<64x64xf16, #warpgroup.space<smem>>,
               %acc: memref<64x64xf32, #warpgroup.space<regs>>,
               %full: memref<2x!warpgroup.barrier<1>, #warpgroup.space<smem>>,
               %empty: memref<2x!warpgroup.barrier<1>, #warpgroup.space<smem>>) {
    %begin = arith.constant 0 : i32
    %end = arith.constant 8 : i32
    %one = arith.constant 1 : i32
    %two = arith.constant 2 : i32
    scf.for %k = %begin to %end step %one : i32 {
      %stage = arith.remui %k, %two : i32
      %f = grid.slice_ref %full[%stage] [1] [1] drop [0] : memref<2x!warpgroup.barrier<1>, #warpgroup.space<smem>>, i32 -> memref<!warpgroup.barrier<1>, #warpgroup.space<smem>>
      %e = grid.slice_ref %empty[%stage] [1] [1] drop [0] : memref<2x!warpgroup.barrier<1>, #warpgroup.space<smem>>, i32 -> memref<!warpgroup.barrier<1>, #warpgroup.space<smem>>
      %w = grid.slice_ref %a[%stage, 0, 0] [1, 64, 64] [1, 1, 1] drop [0] : memref<2x64x64xf16, #warpgroup.space<smem>>, i32 -> memref<64x64xf16, #warpgroup.space<smem>>
      warpgroup.barrier_wait %f : memref<!warpgroup.barrier<1>, #warpgroup.space<smem>>
      warpgroup.mma %acc, %q, %w : memref<64x64xf32, #warpgroup.space<regs>>, memref<64x64xf16, #warpgroup.space<smem>>, memref<64x64xf16, #warpgroup.space<smem>>
      warpgroup.mma_wait 0
      warpgroup.barrier_arrive %e : memref<!warpgroup.barrier<1>, #warpgroup.space<smem>>
    }
  }
}

// -----

// A wait after the start of an MMA is known only to the thread, and so is one before it while the MMA may be among the
// pending ones: all threads synchronize before one thread arrives for them at a barrier of copies.
// CHECK-LABEL: gpu.module @behind
// CHECK: nvvm.wgmma.wait.group.sync.aligned 0
// CHECK-NEXT: nvvm.barrier
// CHECK: nvvm.mbarrier.arrive
// CHECK: nvvm.wgmma.wait.group.sync.aligned 1
// CHECK-NEXT: nvvm.barrier
// CHECK: nvvm.mbarrier.arrive
grid.kernel @behind grid() inputs(%x: f16 [64, 64] space #warpgroup.space<gmem>) {
  grid.scoped (%a: memref<64x64xf16, #warpgroup.space<smem>>, %acc: memref<64x64xf32, #warpgroup.space<regs>>,
               %full: memref<!warpgroup.barrier<1>, #warpgroup.space<smem>>,
               %empty: memref<!warpgroup.barrier<1>, #warpgroup.space<smem>>) {
    warpgroup.mma %acc, %a, %a : memref<64x64xf32, #warpgroup.space<regs>>, memref<64x64xf16, #warpgroup.space<smem>>, memref<64x64xf16, #warpgroup.space<smem>>
    warpgroup.barrier_wait %full : memref<!warpgroup.barrier<1>, #warpgroup.space<smem>>
    warpgroup.mma_wait 0
    warpgroup.barrier_arrive %empty : memref<!warpgroup.barrier<1>, #warpgroup.space<smem>>
    warpgroup.barrier_wait %full : memref<!warpgroup.barrier<1>, #warpgroup.space<smem>>
    warpgroup.mma %acc, %a, %a : memref<64x64xf32, #warpgroup.space<regs>>, memref<64x64xf16, #warpgroup.space<smem>>, memref<64x64xf16, #warpgroup.space<smem>>
    warpgroup.mma_wait 1
    warpgroup.barrier_arrive %empty : memref<!warpgroup.barrier<1>, #warpgroup.space<smem>>
    warpgroup.tma_load %x[0, 0] [64, 64] to %a barrier %empty
        : memref<64x64xf16, #warpgroup.space<gmem>>, memref<64x64xf16, #warpgroup.space<smem>>, memref<!warpgroup.barrier<1>, #warpgroup.space<smem>>
  }
}

// -----

// Of integers an instruction gives any multiple of 8 columns up to 32, and then of 16.
// CHECK-LABEL: gpu.module @integers
// CHECK: nvvm.wgmma.mma_async {{.*}} <m = 64, n = 48, k = 32>, D[<s32>
// CHECK: nvvm.wgmma.mma_async {{.*}} <m = 64, n = 8, k = 32>, D[<s32>
// CHECK: nvvm.wgmma.mma_async {{.*}} <m = 64, n = 24, k = 32>, D[<s32>
grid.kernel @integers grid() {
  grid.scoped (%a: memref<64x32xi8, #warpgroup.space<smem>>, %b: memref<56x32xi8, #warpgroup.space<smem>>,
               %c: memref<24x32xi8, #warpgroup.space<smem>>,
               %x: memref<64x56xi32, #warpgroup.space<regs>>, %y: memref<64x24xi32, #warpgroup.space<regs>>) {
    %bt = grid.transpose_ref %b [1, 0] : memref<56x32xi8, #warpgroup.space<smem>> -> memref<32x56xi8, #warpgroup.space<smem>>
    warpgroup.mma %x, %a, %bt : memref<64x56xi32, #warpgroup.space<regs>>, memref<64x32xi8, #warpgroup.space<smem>>, memref<32x56xi8, #warpgroup.space<smem>>
    %ct = grid.transpose_ref %c [1, 0] : memref<24x32xi8, #warpgroup.space<smem>> -> memref<32x24xi8, #warpgroup.space<smem>>
    warpgroup.mma %y, %a, %ct : memref<64x24xi32, #warpgroup.space<regs>>, memref<64x32xi8, #warpgroup.space<smem>>, memref<32x24xi8, #warpgroup.space<smem>>
  }
}

// -----

// Of sums that are more than a thread has registers for, as many as leave some for others are registers. The others are
// local memory: panel after panel is moved to the same registers, over what is there, added to, and moved back, while
// the products of those that are held go on.
// CHECK-LABEL: gpu.module @wide
// CHECK: %[[MEMORY:.+]] = llvm.alloca %{{.+}} x !llvm.array<96 x f32> {alignment = 16 : i64}
// CHECK: llvm.inline_asm has_side_effects asm_dialect = att "", "l,~{memory}" %[[MEMORY]]
// CHECK: nvvm.wgmma.mma_async %{{.+}} <m = 64, n = 128, k = 16>
// CHECK: nvvm.wgmma.mma_async %{{.+}} <m = 64, n = 128, k = 16>
// CHECK: nvvm.wgmma.mma_async %{{.+}} <m = 64, n = 64, k = 16>
// CHECK-NOT: nvvm.wgmma.mma_async
// CHECK: nvvm.wgmma.commit.group.sync.aligned
// CHECK-NOT: nvvm.wgmma.wait
// CHECK: %[[BEFORE:.+]] = llvm.load %[[MOVED:.+]] : !llvm.ptr -> f32
// CHECK: llvm.addrspacecast %[[MEMORY]] : !llvm.ptr to !llvm.ptr<5>
// CHECK: %[[AFTER:.+]] = llvm.inline_asm has_side_effects asm_dialect = att "ld.local.v4.b32 {$0, $1, $2, $3}, [$8];", "=f,=f,=f,=f,0,1,2,3,l,~{memory}" %[[BEFORE]]
// CHECK: llvm.extractvalue %[[AFTER]][0]
// CHECK: nvvm.wgmma.fence.aligned
// CHECK: %[[SUM:.+]] = nvvm.wgmma.mma_async %{{.+}} <m = 64, n = 64, k = 16>
// CHECK: nvvm.wgmma.commit.group.sync.aligned
// CHECK: nvvm.wgmma.wait.group.sync.aligned 0
// CHECK: %[[WORD:.+]] = llvm.extractvalue %[[SUM]][0]
// CHECK: llvm.store %[[WORD]], %[[MEMORY]]
// CHECK: llvm.store %{{.+}}, %[[MOVED]]
grid.kernel @wide grid() outputs(%o: f32 [256, 128] space #warpgroup.space<gmem>) {
  grid.scoped (%a: memref<256x16xf16, #warpgroup.space<smem>>, %b: memref<16x128xf16, #warpgroup.space<smem>>,
               %acc: memref<256x128xf32, #warpgroup.space<regs>>) {
    warpgroup.mma %acc, %a, %b
        : memref<256x128xf32, #warpgroup.space<regs>>, memref<256x16xf16, #warpgroup.space<smem>>, memref<16x128xf16, #warpgroup.space<smem>>
    warpgroup.mma_wait 0
    %v = grid.load %acc : memref<256x128xf32, #warpgroup.space<regs>> -> tensor<256x128xf32>
    grid.store %v, %o : tensor<256x128xf32>, memref<256x128xf32, #warpgroup.space<gmem>>
  }
}

// -----

// Where sums and the left operand are in registers, and the sums take half of those that a thread has, all is added to
// one part of 64 rows, and then to the next.
#wgmma = #warpgroup.layout<wgmma>
// CHECK-LABEL: gpu.module @by_part
// CHECK: %[[FIRST:.+]] = llvm.inline_asm {{.*}} "wgmma.mma_async.sync.aligned.m64n128k16
// CHECK-NOT: wgmma.mma_async
// CHECK: llvm.extractvalue %[[FIRST]][0]
grid.kernel @by_part grid() inputs(%x: f16 [128, 32] space #warpgroup.space<gmem>) {
  grid.scoped (%b: memref<32x128xf16, #warpgroup.space<smem>>, %acc: memref<128x128xf32, #warpgroup.space<regs>>) {
    %a = grid.load %x : memref<128x32xf16, #warpgroup.space<gmem>> -> tensor<128x32xf16, #wgmma>
    warpgroup.mma %acc, %a, %b : memref<128x128xf32, #warpgroup.space<regs>>, tensor<128x32xf16, #wgmma>, memref<32x128xf16, #warpgroup.space<smem>>
    warpgroup.mma_wait 0
  }
}

// -----

// Where they take less, each step of the depth is added to all parts.
#wgmma = #warpgroup.layout<wgmma>
// CHECK-LABEL: gpu.module @by_step
// CHECK: %[[FIRST:.+]] = llvm.inline_asm {{.*}} "wgmma.mma_async.sync.aligned.m64n64k16
// CHECK-NOT: llvm.extractvalue %[[FIRST]]
// CHECK: wgmma.mma_async
// CHECK: llvm.extractvalue %[[FIRST]][0]
grid.kernel @by_step grid() inputs(%x: f16 [128, 32] space #warpgroup.space<gmem>) {
  grid.scoped (%b: memref<32x64xf16, #warpgroup.space<smem>>, %acc: memref<128x64xf32, #warpgroup.space<regs>>) {
    %a = grid.load %x : memref<128x32xf16, #warpgroup.space<gmem>> -> tensor<128x32xf16, #wgmma>
    warpgroup.mma %acc, %a, %b : memref<128x64xf32, #warpgroup.space<regs>>, tensor<128x32xf16, #wgmma>, memref<32x64xf16, #warpgroup.space<smem>>
    warpgroup.mma_wait 0
  }
}
