// RUN: gridir-opt %s --split-input-file --warpgroup-plan-memory --warpgroup-insert-barriers --convert-warpgroup-to-nvvm --canonicalize --cse | FileCheck %s

// Four bytes of a word, whose lowest numbers are moved to zero, are the lowest bits of floats from 1024 on.
// CHECK-LABEL: gpu.module @to_f16
// CHECK: %[[WORD:.+]] = llvm.bitcast %{{.+}} : vector<4xi8> to i32
// CHECK: %[[MOVED:.+]] = arith.xori %[[WORD]], %c-2139062144_i32
// CHECK: %[[HALVES:.+]] = nvvm.prmt <default> %c16704_i32, %[[MOVED]], %c1684300900_i32
// CHECK: %[[FIRST:.+]] = llvm.bitcast %c1686135936_i32 : i32 to vector<2xf16>
// CHECK: %[[PAIR:.+]] = llvm.bitcast %[[HALVES]] : i32 to vector<2xf16>
// CHECK: llvm.fsub %[[PAIR]], %[[FIRST]]
// CHECK: nvvm.prmt <default> %c17218_i32, %[[MOVED]], %c1684300900_i32
// CHECK-NOT: sitofp
grid.kernel @to_f16 grid() inputs(%x: i8 [512] space #warpgroup.space<gmem>) outputs(%o: f16 [512] space #warpgroup.space<gmem>) {
  %v = grid.load %x : memref<512xi8, #warpgroup.space<gmem>> -> tensor<512xi8, #warpgroup.layout<strided(4)>>
  %f = arith.sitofp %v : tensor<512xi8, #warpgroup.layout<strided(4)>> to tensor<512xf16, #warpgroup.layout<strided(4)>>
  grid.store %f, %o : tensor<512xf16, #warpgroup.layout<strided(4)>>, memref<512xf16, #warpgroup.space<gmem>>
}

// -----

// A mantissa of 7 bits has all of a byte but the highest one, which doubles the unit: that is another float.
// CHECK-LABEL: gpu.module @to_bf16
// CHECK: %[[BYTES:.+]] = llvm.bitcast %{{.+}} : vector<2xi8> to i16
// CHECK: %[[WORD:.+]] = arith.extui %[[BYTES]] : i16 to i32
// CHECK: %[[HALVES:.+]] = nvvm.prmt <default> %c16704_i32, %[[WORD]], %c1128481603_i32
// CHECK: %[[REST:.+]] = arith.andi %[[HALVES]], %c-8388737_i32
// CHECK: %[[LOW:.+]] = llvm.bitcast %[[REST]] : i32 to vector<2xbf16>
// CHECK: %[[POWER:.+]] = arith.andi %[[HALVES]], %c-8323200_i32
// CHECK: %[[HIGH:.+]] = llvm.bitcast %[[POWER]] : i32 to vector<2xbf16>
// CHECK: llvm.fsub %[[LOW]], %[[HIGH]]
grid.kernel @to_bf16 grid() inputs(%x: i8 [256] space #warpgroup.space<gmem>) outputs(%o: bf16 [256] space #warpgroup.space<gmem>) {
  %v = grid.load %x : memref<256xi8, #warpgroup.space<gmem>> -> tensor<256xi8, #warpgroup.layout<strided(2)>>
  %f = arith.sitofp %v : tensor<256xi8, #warpgroup.layout<strided(2)>> to tensor<256xbf16, #warpgroup.layout<strided(2)>>
  grid.store %f, %o : tensor<256xbf16, #warpgroup.layout<strided(2)>>, memref<256xbf16, #warpgroup.space<gmem>>
}

// -----

// Without a sign the two are added up, which loses nothing where the one is below zero.
// CHECK-LABEL: gpu.module @unsigned_to_bf16
// CHECK: %[[MOVED:.+]] = llvm.fsub %{{.+}}, %{{.+}} : vector<2xbf16>
// CHECK: llvm.fadd %[[MOVED]], %{{.+}} : vector<2xbf16>
grid.kernel @unsigned_to_bf16 grid() inputs(%x: i8 [256] space #warpgroup.space<gmem>) outputs(%o: bf16 [256] space #warpgroup.space<gmem>) {
  %v = grid.load %x : memref<256xi8, #warpgroup.space<gmem>> -> tensor<256xi8, #warpgroup.layout<strided(2)>>
  %f = arith.uitofp %v : tensor<256xi8, #warpgroup.layout<strided(2)>> to tensor<256xbf16, #warpgroup.layout<strided(2)>>
  grid.store %f, %o : tensor<256xbf16, #warpgroup.layout<strided(2)>>, memref<256xbf16, #warpgroup.space<gmem>>
}

// -----

// Floats of a byte by the instructions for two of them, via f16. Numbers closer to the successor of the largest one
// become NaN or infinity, which the instruction would saturate.
// CHECK-LABEL: gpu.module @bytes
// CHECK: nvvm.convert.f8x2.to.f16x2 %{{.+}} : vector<2xi8>(f8E4M3FN) -> vector<2xf16>
// CHECK: arith.extf %{{.+}} : f16 to f32
// CHECK: %[[LARGE:.+]] = arith.cmpf ogt, %{{.+}}, %cst{{.*}} : f32
// CHECK: %[[ROUNDED:.+]] = arith.select %[[LARGE]]
// CHECK: nvvm.convert.f32x2.to.f8x2 %{{.+}}, %[[ROUNDED]] {rnd = #nvvm.fp_rnd_mode<rn>, sat = #nvvm.sat_mode<satfinite>} : vector<2xi8>(f8E4M3FN)
// CHECK: %[[INFINITE:.+]] = arith.cmpf oge
// CHECK: nvvm.convert.f32x2.to.f8x2 %{{.+}} : vector<2xi8>(f8E5M2)
// CHECK: arith.extui %[[INFINITE]] : i1 to i8
// CHECK: llvm.add %{{.+}} : vector<2xi8>
grid.kernel @bytes grid() inputs(%x: f8E4M3FN [256] space #warpgroup.space<gmem>)
    outputs(%o: f8E4M3FN [256] space #warpgroup.space<gmem>, %p: f8E5M2 [256] space #warpgroup.space<gmem>) {
  %v = grid.load %x : memref<256xf8E4M3FN, #warpgroup.space<gmem>> -> tensor<256xf8E4M3FN, #warpgroup.layout<strided(2)>>
  %w = arith.extf %v : tensor<256xf8E4M3FN, #warpgroup.layout<strided(2)>> to tensor<256xf32, #warpgroup.layout<strided(2)>>
  %s = arith.addf %w, %w : tensor<256xf32, #warpgroup.layout<strided(2)>>
  %r = arith.truncf %s : tensor<256xf32, #warpgroup.layout<strided(2)>> to tensor<256xf8E4M3FN, #warpgroup.layout<strided(2)>>
  grid.store %r, %o : tensor<256xf8E4M3FN, #warpgroup.layout<strided(2)>>, memref<256xf8E4M3FN, #warpgroup.space<gmem>>
  %q = arith.truncf %s : tensor<256xf32, #warpgroup.layout<strided(2)>> to tensor<256xf8E5M2, #warpgroup.layout<strided(2)>>
  grid.store %q, %p : tensor<256xf8E5M2, #warpgroup.layout<strided(2)>>, memref<256xf8E5M2, #warpgroup.space<gmem>>
}

// -----

// Two sums at once; a thread that holds one element adds that.
// CHECK-LABEL: gpu.module @sums
// CHECK: llvm.fadd %{{.+}}, %{{.+}} : vector<2xbf16>
// CHECK: arith.addf %{{.+}} : bf16
grid.kernel @sums grid() inputs(%x: bf16 [256] space #warpgroup.space<gmem>, %y: bf16 [128] space #warpgroup.space<gmem>)
    outputs(%o: bf16 [256] space #warpgroup.space<gmem>, %p: bf16 [128] space #warpgroup.space<gmem>) {
  %v = grid.load %x : memref<256xbf16, #warpgroup.space<gmem>> -> tensor<256xbf16, #warpgroup.layout<strided(2)>>
  %s = arith.addf %v, %v : tensor<256xbf16, #warpgroup.layout<strided(2)>>
  grid.store %s, %o : tensor<256xbf16, #warpgroup.layout<strided(2)>>, memref<256xbf16, #warpgroup.space<gmem>>
  %w = grid.load %y : memref<128xbf16, #warpgroup.space<gmem>> -> tensor<128xbf16, #warpgroup.layout<strided(1)>>
  %t = arith.addf %w, %w : tensor<128xbf16, #warpgroup.layout<strided(1)>>
  grid.store %t, %p : tensor<128xbf16, #warpgroup.layout<strided(1)>>, memref<128xbf16, #warpgroup.space<gmem>>
}
