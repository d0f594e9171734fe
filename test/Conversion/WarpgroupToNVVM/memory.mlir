// RUN: gridir-opt %s --split-input-file --warpgroup-infer-layouts --warpgroup-plan-memory --warpgroup-insert-barriers --convert-warpgroup-to-nvvm --canonicalize --cse | FileCheck %s

// The thread that owns an element updates it, whatever others do: of four warps that hold the same the first.
// CHECK-LABEL: gpu.module @atomics
// CHECK: %[[WARP:.+]] = arith.andi %{{.+}}, %c96_i32
// CHECK: %[[FIRST:.+]] = arith.cmpi eq, %[[WARP]], %c0_i32
// CHECK: scf.if %[[FIRST]]
// CHECK-NEXT: llvm.atomicrmw fadd %{{.+}}, %{{.+}} syncscope("device") monotonic : !llvm.ptr<1>, f32
// CHECK: %[[OTHERS:.+]] = arith.andi %{{.+}}, %c112_i32
// CHECK: %[[OWNS:.+]] = arith.cmpi eq, %[[OTHERS]], %c0_i32
// CHECK: scf.if %[[OWNS]]
// CHECK: llvm.atomicrmw umax %{{.+}}, %{{.+}} syncscope("device") monotonic : !llvm.ptr<1>, i32
// CHECK: %[[OLD:.+]] = llvm.atomicrmw xchg
// CHECK-NEXT: llvm.store %[[OLD]], %[[WORD:.+]] : i32, !llvm.ptr<3>
// CHECK: nvvm.barrier
// CHECK: llvm.load %[[WORD]] : !llvm.ptr<3> -> i32
grid.kernel @atomics grid() outputs(%x: f32 [128] space #warpgroup.space<gmem>, %y: i32 [64] space #warpgroup.space<gmem>, %z: i32 [] space #warpgroup.space<gmem>, %o: i32 [] space #warpgroup.space<gmem>) {
  %v = arith.constant dense<1.0> : tensor<128xf32>
  %0 = grid.atomic_rmw add %v, %x : tensor<128xf32>, memref<128xf32, #warpgroup.space<gmem>>
  %w = arith.constant dense<1> : tensor<64xi32>
  %1 = grid.atomic_rmw maxu %w, %y : tensor<64xi32>, memref<64xi32, #warpgroup.space<gmem>>
  %n = arith.constant 7 : i32
  %2 = grid.atomic_rmw xchg %n, %z : i32, memref<i32, #warpgroup.space<gmem>>
  grid.store %2, %o : i32, memref<i32, #warpgroup.space<gmem>>
}

// -----

// Each thread has the number of the row from which it loads adjacent elements; what is masked is not loaded.
// CHECK-LABEL: gpu.module @gather
// CHECK: %[[ROW:.+]] = llvm.load %{{.+}} : !llvm.ptr<1> -> i32
// CHECK: arith.muli %[[ROW]], %c32_i32
// CHECK: scf.if %{{.+}} -> (f32, f32, f32, f32) {
// CHECK: llvm.load %{{.+}} {alignment = 16 : i64} : !llvm.ptr<1> -> vector<4xf32>
grid.kernel @gather grid() inputs(%x: f32 [64, 32] space #warpgroup.space<gmem>, %i: i32 [4] space #warpgroup.space<gmem>) outputs(%o: f32 [4, 32] space #warpgroup.space<gmem>) {
  %rows = grid.load %i : memref<4xi32, #warpgroup.space<gmem>> -> tensor<4xi32>
  %end = arith.constant dense<64> : tensor<4xi32>
  %inside = arith.cmpi ult, %rows, %end : tensor<4xi32>
  %zero = arith.constant dense<0.0> : tensor<4x32xf32>
  %v = grid.gather %x[%rows] dims [0] mask %inside other %zero
      : memref<64x32xf32, #warpgroup.space<gmem>>, tensor<4xi32> mask tensor<4xi1> other tensor<4x32xf32> -> tensor<4x32xf32>
  grid.store %v, %o : tensor<4x32xf32>, memref<4x32xf32, #warpgroup.space<gmem>>
}

// -----

// A thread loads four bools as a word.
// CHECK-LABEL: gpu.module @bools
// CHECK: %[[WORD:.+]] = llvm.load %{{.+}} {alignment = 4 : i64} : !llvm.ptr<1> -> i32
// CHECK: %[[OPAQUE:.+]] = llvm.inline_asm {{.*}} %[[WORD]]
// CHECK: llvm.bitcast %[[OPAQUE]] : i32 to vector<4xi8>
grid.kernel @bools grid() inputs(%x: i1 [4, 128] space #warpgroup.space<gmem>) outputs(%o: i32 [4, 128] space #warpgroup.space<gmem>) {
  %v = grid.load %x : memref<4x128xi1, #warpgroup.space<gmem>> -> tensor<4x128xi1>
  %w = arith.extui %v : tensor<4x128xi1> to tensor<4x128xi32>
  grid.store %w, %o : tensor<4x128xi32>, memref<4x128xi32, #warpgroup.space<gmem>>
}

// -----

// A copy may combine what it writes with what is there.
// CHECK-LABEL: gpu.module @reduction
// CHECK: nvvm.cp.async.bulk.tensor.reduce %{{.+}}, %{{.+}}, box[%{{.+}}, %{{.+}}] {redKind = #nvvm.tma_redux_kind<add>}
// CHECK: nvvm.cp.async.bulk.tensor.reduce %{{.+}}, %{{.+}}, box[%{{.+}}] {redKind = #nvvm.tma_redux_kind<min>}
grid.kernel @reduction grid() outputs(%x: f32 [64, 64] space #warpgroup.space<gmem>, %y: i32 [64] space #warpgroup.space<gmem>) {
  grid.scoped (%t: memref<64x64xf32, #warpgroup.space<smem>>, %s: memref<64xi32, #warpgroup.space<smem>>) {
    warpgroup.tma_store %t to %x[0, 0] [64, 64] reduce add
        : memref<64x64xf32, #warpgroup.space<smem>>, memref<64x64xf32, #warpgroup.space<gmem>>
    warpgroup.tma_store %s to %y[0] [64] reduce mins
        : memref<64xi32, #warpgroup.space<smem>>, memref<64xi32, #warpgroup.space<gmem>>
  }
}

// -----

// Threads past the last element load that one again, and store nothing.
// CHECK-LABEL: gpu.module @vector
// CHECK: %[[LAST:.+]] = arith.minui %{{.+}}, %c191_i32
// CHECK: arith.muli %[[LAST]], %c4_i32
// CHECK: %[[INSIDE:.+]] = arith.cmpi ult, %{{.+}}, %c192_i32
// CHECK: scf.if %[[INSIDE]]
grid.kernel @vector grid() inputs(%x: f32 [192] space #warpgroup.space<gmem>) outputs(%o: f32 [192] space #warpgroup.space<gmem>) {
  %v = grid.load %x : memref<192xf32, #warpgroup.space<gmem>> -> tensor<192xf32>
  grid.store %v, %o : tensor<192xf32>, memref<192xf32, #warpgroup.space<gmem>>
}

// -----

// Four elements of a thread are one access, and keep their order.
// CHECK-LABEL: gpu.module @quadruples
// CHECK: %[[FOUR:.+]] = llvm.load %{{.+}} : !llvm.ptr<1> -> vector<4xf32>
// CHECK: %[[A:.+]] = llvm.extractelement %[[FOUR]][%c0_i32 : i32]
// CHECK: %[[B:.+]] = llvm.extractelement %[[FOUR]][%c1_i32 : i32]
// CHECK: %[[C:.+]] = llvm.extractelement %[[FOUR]][%c2_i32 : i32]
// CHECK: %[[D:.+]] = llvm.extractelement %[[FOUR]][%c3_i32 : i32]
// CHECK: llvm.insertelement %[[A]], %{{.+}}[%c0_i32 : i32]
// CHECK: llvm.insertelement %[[B]], %{{.+}}[%c1_i32 : i32]
// CHECK: llvm.insertelement %[[C]], %{{.+}}[%c2_i32 : i32]
// CHECK: %[[ALL:.+]] = llvm.insertelement %[[D]], %{{.+}}[%c3_i32 : i32]
// CHECK: llvm.store %[[ALL]], %{{.+}} : vector<4xf32>, !llvm.ptr<1>
grid.kernel @quadruples grid() inputs(%x: f32 [512] space #warpgroup.space<gmem>) outputs(%o: f32 [512] space #warpgroup.space<gmem>) {
  %v = grid.load %x : memref<512xf32, #warpgroup.space<gmem>> -> tensor<512xf32>
  grid.store %v, %o : tensor<512xf32>, memref<512xf32, #warpgroup.space<gmem>>
}

// -----

// So are those of a window at a multiple of four, however large the multiple is.
// CHECK-LABEL: gpu.module @far
// CHECK: llvm.load %{{.+}} : !llvm.ptr<1> -> vector<4xf32>
grid.kernel @far grid(%i = 4) inputs(%x: f32 [262144] space #warpgroup.space<gmem>) outputs(%o: f32 [512] space #warpgroup.space<gmem>) {
  %i = grid.program_id 0
  %size = arith.constant 65536 : i32
  %first = arith.muli %i, %size : i32
  %w = grid.slice_ref %x[%first] [512] [1] : memref<262144xf32, #warpgroup.space<gmem>>, i32 -> memref<512xf32, #warpgroup.space<gmem>>
  %v = grid.load %w : memref<512xf32, #warpgroup.space<gmem>> -> tensor<512xf32>
  grid.store %v, %o : tensor<512xf32>, memref<512xf32, #warpgroup.space<gmem>>
}

// -----

// A product that its type may not hold keeps the powers of two that divide it.
// CHECK-LABEL: gpu.module @farther
// CHECK: llvm.load %{{.+}} : !llvm.ptr<1> -> vector<4xf32>
grid.kernel @farther grid(%i = 4) inputs(%x: f32 [262144] space #warpgroup.space<gmem>, %y: i32 [] space #warpgroup.space<gmem>)
    outputs(%o: f32 [512] space #warpgroup.space<gmem>) {
  %n = grid.load %y : memref<i32, #warpgroup.space<gmem>> -> i32
  %i = grid.program_id 0
  %size = arith.constant 98304 : i32
  %first = arith.muli %i, %size : i32
  %others = arith.muli %n, %size : i32
  %both = arith.muli %first, %others : i32
  %w = grid.slice_ref %x[%both] [512] [1] : memref<262144xf32, #warpgroup.space<gmem>>, i32 -> memref<512xf32, #warpgroup.space<gmem>>
  %v = grid.load %w : memref<512xf32, #warpgroup.space<gmem>> -> tensor<512xf32>
  grid.store %v, %o : tensor<512xf32>, memref<512xf32, #warpgroup.space<gmem>>
}

// -----

// If each thread has separate elements of an array, it may read the old value.
// CHECK-LABEL: gpu.module @read
// CHECK-NOT: scf.if
// CHECK: %[[OLD:.+]] = llvm.atomicrmw add %{{.+}}, %c1_i32 syncscope("device") monotonic : !llvm.ptr<1>, i32
// CHECK: llvm.store %[[OLD]]
#strided = #warpgroup.layout<strided(1)>
grid.kernel @read grid() outputs(%x: i32 [128] space #warpgroup.space<gmem>, %o: i32 [128] space #warpgroup.space<gmem>) {
  %one = arith.constant dense<1> : tensor<128xi32, #strided>
  %old = grid.atomic_rmw add %one, %x : tensor<128xi32, #strided>, memref<128xi32, #warpgroup.space<gmem>>
  grid.store %old, %o : tensor<128xi32, #strided>, memref<128xi32, #warpgroup.space<gmem>>
}

// -----

// If several threads have the same element, one of them updates it, and the others read its old value through shared
// memory.
// CHECK-LABEL: gpu.module @read_copies
// CHECK: %[[OLD:.+]] = scf.if %{{.+}} -> (i32) {
// CHECK:   llvm.atomicrmw add
// CHECK: llvm.store %[[OLD]], %{{.+}} : i32, !llvm.ptr<3>
// CHECK: barrier
// CHECK: %[[SHARED:.+]] = llvm.load %{{.+}} : !llvm.ptr<3> -> i32
// CHECK: arith.addi %[[SHARED]]
#strided = #warpgroup.layout<strided(1)>
grid.kernel @read_copies grid() outputs(%x: i32 [32] space #warpgroup.space<gmem>, %o: i32 [32] space #warpgroup.space<gmem>) {
  %one = arith.constant dense<1> : tensor<32xi32, #strided>
  %old = grid.atomic_rmw add %one, %x : tensor<32xi32, #strided>, memref<32xi32, #warpgroup.space<gmem>>
  %new = arith.addi %old, %one : tensor<32xi32, #strided>
  grid.store %new, %o : tensor<32xi32, #strided>, memref<32xi32, #warpgroup.space<gmem>>
}

// -----

// PTX has no byte updates: a compare-and-swap loop changes one byte in a word of four. The first load of the word is
// ordered with the updates of other threads.
// CHECK-LABEL: gpu.module @bytes
// CHECK: %[[FIRST:.+]] = llvm.load %[[WORD:.+]] atomic syncscope("device") monotonic {alignment = 4 : i64}
// CHECK: scf.while (%[[BEFORE:.+]] = %[[FIRST]])
// CHECK: arith.addi %{{.+}}, %{{.+}} : i8
// CHECK: llvm.cmpxchg %[[WORD]], %[[BEFORE]], %{{.+}} syncscope("device") monotonic monotonic
grid.kernel @bytes grid() inputs(%x: i8 [128] space #warpgroup.space<gmem>) {
  %v = grid.load %x : memref<128xi8, #warpgroup.space<gmem>> -> tensor<128xi8>
  %w = grid.atomic_rmw add %v, %x : tensor<128xi8>, memref<128xi8, #warpgroup.space<gmem>>
}

// -----

// An offset that is known, and too large to be a part of the op that adds it.
// CHECK-LABEL: gpu.module @far
// CHECK: %[[OFFSET:.*]] = arith.constant 1072693248 : i64
// CHECK: llvm.getelementptr %{{.*}}[%[[OFFSET]]] : (!llvm.ptr<1>, i64) -> !llvm.ptr<1>, i8
grid.kernel @far grid() inputs(%x: i8 [1024, 1024, 1024] space #warpgroup.space<gmem>) outputs(%o: i8 [128] space #warpgroup.space<gmem>) {
  %w = grid.slice_ref %x[1023, 0, 0] [1, 1, 128] [1, 1, 1] drop [0, 1] : memref<1024x1024x1024xi8, #warpgroup.space<gmem>> -> memref<128xi8, #warpgroup.space<gmem>>
  %v = grid.load %w : memref<128xi8, #warpgroup.space<gmem>> -> tensor<128xi8>
  grid.store %v, %o : tensor<128xi8>, memref<128xi8, #warpgroup.space<gmem>>
}

// -----

// Arrays without elements have rows of length 1, by which positions are divided.
// CHECK-LABEL: gpu.module @no_elements
// CHECK: nvvm.mbarrier
grid.kernel @no_elements grid() inputs(%x: f32 [4, 0] space #warpgroup.space<gmem>) {
  grid.scoped (%none: memref<0x!warpgroup.barrier<1>, #warpgroup.space<smem>>,
               %tile: memref<8x0xf32, #warpgroup.space<smem>>,
               %one: memref<!warpgroup.barrier<1>, #warpgroup.space<smem>>) {
    %i = arith.constant 0 : i32
    %end = arith.constant 8 : i32
    %step = arith.constant 1 : i32
    scf.for %k = %i to %end step %step : i32 {
      %a = grid.slice_ref %none[%k] [1] [1] drop [0] : memref<0x!warpgroup.barrier<1>, #warpgroup.space<smem>>, i32 -> memref<!warpgroup.barrier<1>, #warpgroup.space<smem>>
      warpgroup.barrier_wait %a : memref<!warpgroup.barrier<1>, #warpgroup.space<smem>>
    }
    warpgroup.barrier_wait %one : memref<!warpgroup.barrier<1>, #warpgroup.space<smem>>
  }
}
