// RUN: gridir-opt %s --split-input-file --warpgroup-infer-layouts | FileCheck %s
// RUN: gridir-opt %s --split-input-file --warpgroup-infer-layouts --verify-diagnostics --mlir-pass-statistics \
// RUN:   --mlir-pass-statistics-display=list -o /dev/null 2>&1 | FileCheck %s --check-prefix=STATS

// Values read from an accumulator have the layout of the matrix unit, through elementwise ops and a change of the type
// into the store. A constant has the layout that its user needs.
// CHECK-LABEL: grid.kernel @epilogue
// CHECK:         %[[TWO:.*]] = arith.constant dense<2.000000e+00> : tensor<64x128xf32, #warpgroup.layout<wgmma>>
// CHECK:         grid.load %{{.*}} -> tensor<64x128xf32, #warpgroup.layout<wgmma>>
// CHECK:         arith.mulf %{{.*}}, %[[TWO]] : tensor<64x128xf32, #warpgroup.layout<wgmma>>
// CHECK:         arith.truncf %{{.*}} : tensor<64x128xf32, #warpgroup.layout<wgmma>> to tensor<64x128xf16, #warpgroup.layout<wgmma>>
// CHECK-NOT:     relayout
// CHECK:         grid.store %{{.*}} : tensor<64x128xf16, #warpgroup.layout<wgmma>>
grid.kernel @epilogue grid() inputs() outputs(%o: f16 [64, 128] space #warpgroup.space<gmem>)
    scratch(%acc: memref<64x128xf32, #warpgroup.space<regs>>, %t: memref<64x128xf16, #warpgroup.space<smem>>)
    semantics [] {
  %c2 = arith.constant dense<2.0> : tensor<64x128xf32>
  %v = grid.load %acc : memref<64x128xf32, #warpgroup.space<regs>> -> tensor<64x128xf32>
  %w = arith.mulf %v, %c2 : tensor<64x128xf32>
  %h = arith.truncf %w : tensor<64x128xf32> to tensor<64x128xf16>
  grid.store %h, %t : tensor<64x128xf16>, memref<64x128xf16, #warpgroup.space<smem>>
}

// -----

// From global memory to global memory: vectors of 16 bytes that lie side by side.
// CHECK-LABEL: grid.kernel @copy
// CHECK:         grid.load %{{.*}} -> tensor<64x128xf16, #warpgroup.layout<[8, 128], registers = {{\[\[}}0, 1], [0, 2], [0, 4]], lanes = {{\[\[}}0, 8], [0, 16], [0, 32], [0, 64], [1, 0]]
grid.kernel @copy grid() inputs(%x: f16 [64, 128] space #warpgroup.space<gmem>) outputs(%o: f16 [64, 128] space #warpgroup.space<gmem>)
    semantics [] {
  %v = grid.load %x : memref<64x128xf16, #warpgroup.space<gmem>> -> tensor<64x128xf16>
  %w = arith.addf %v, %v : tensor<64x128xf16>
  grid.store %w, %o : tensor<64x128xf16>, memref<64x128xf16, #warpgroup.space<gmem>>
}

// -----

// A product of warps: by default all of them have rows of their own. Where the author has cast the sums to a layout in which
// two warps share rows, operands and results lie so, too.
// CHECK-LABEL: grid.kernel @registers
// CHECK:         warpgroup.mma_sync %{{.*}} : tensor<64x16xf32, #warpgroup.layout<wgmma>>, tensor<64x16xf16, #warpgroup.layout<[64, 16], registers = {{\[\[}}0, 1], [8, 0], [0, 8]], lanes = {{\[\[}}0, 2], [0, 4], [1, 0], [2, 0], [4, 0]], warps = {{\[\[}}16, 0], [32, 0]]>>, tensor<16x16xf16, #warpgroup.layout<[16, 8], registers = {{\[\[}}1, 0], [8, 0]], lanes = {{\[\[}}2, 0], [4, 0], [0, 1], [0, 2], [0, 4]], warps = {{\[\[}}0, 0], [0, 0]]>>
// CHECK:         warpgroup.mma_sync %{{.*}} : tensor<64x16xf32, #warpgroup.layout<[32, 16], registers = {{\[\[}}0, 1], [8, 0]], lanes = {{\[\[}}0, 2], [0, 4], [1, 0], [2, 0], [4, 0]], warps = {{\[\[}}0, 8], [16, 0]]>>
grid.kernel @registers grid() inputs(%x: f16 [64, 16] space #warpgroup.space<gmem>, %y: f16 [16, 16] space #warpgroup.space<gmem>)
    outputs(%o: f32 [64, 16] space #warpgroup.space<gmem>, %p: f32 [64, 16] space #warpgroup.space<gmem>) semantics [] {
  %zero = arith.constant dense<0.0> : tensor<64x16xf32>
  %a = grid.load %x : memref<64x16xf16, #warpgroup.space<gmem>> -> tensor<64x16xf16>
  %b = grid.load %y : memref<16x16xf16, #warpgroup.space<gmem>> -> tensor<16x16xf16>
  %sum = warpgroup.mma_sync %zero, %a, %b : tensor<64x16xf32>, tensor<64x16xf16>, tensor<16x16xf16>
  grid.store %sum, %o : tensor<64x16xf32>, memref<64x16xf32, #warpgroup.space<gmem>>
  %c = warpgroup.layout_cast %zero "MMA_ACC"(#warpgroup.layout<[32, 16], registers = [[0, 1], [8, 0]], lanes = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]], warps = [[0, 8], [16, 0]]>) : tensor<64x16xf32>
  %q = grid.load %x : memref<64x16xf16, #warpgroup.space<gmem>> -> tensor<64x16xf16>
  %r = grid.load %y : memref<16x16xf16, #warpgroup.space<gmem>> -> tensor<16x16xf16>
  %t = warpgroup.mma_sync %c, %q, %r : tensor<64x16xf32>, tensor<64x16xf16>, tensor<16x16xf16>
  grid.store %t, %p : tensor<64x16xf32>, memref<64x16xf32, #warpgroup.space<gmem>>
}

// -----

// The softmax of an attention kernel: rows of the accumulator are reduced, and broadcast again, in what is left of its
// layout; what a loop carries lies alike everywhere. Nothing moves.
// CHECK-LABEL: grid.kernel @softmax
// CHECK-NOT:     relayout
// CHECK:         scf.for {{.*}} iter_args({{.*}}) -> (tensor<64xf32, #warpgroup.layout<wgmma_row>>)
// CHECK:           %[[INIT:.*]] = linalg.fill {{.*}} -> tensor<64xf32, #warpgroup.layout<wgmma_row>>
// CHECK:           linalg.reduce { arith.maximumf } ins(%{{.*}} : tensor<64x128xf32, #warpgroup.layout<wgmma>>) outs(%[[INIT]] : tensor<64xf32, #warpgroup.layout<wgmma_row>>)
// CHECK:           linalg.broadcast ins(%{{.*}} : tensor<64xf32, #warpgroup.layout<wgmma_row>>) outs(%{{.*}} : tensor<64x128xf32, #warpgroup.layout<wgmma>>)
// CHECK:           warpgroup.mma %{{.*}} : {{.*}}, tensor<64x128xf16, #warpgroup.layout<wgmma>>
// CHECK-NOT:     relayout
grid.kernel @softmax grid() inputs() outputs(%o: f32 [64] space #warpgroup.space<gmem>)
    scratch(%acc: memref<64x128xf32, #warpgroup.space<regs>>, %out: memref<64x64xf32, #warpgroup.space<regs>>,
            %v: memref<128x64xf16, #warpgroup.space<smem>>)
    semantics [] {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %c4 = arith.constant 4 : i32
  %low = arith.constant 0xFF800000 : f32
  %none = arith.constant dense<0xFF800000> : tensor<64xf32>
  %most = scf.for %i = %c0 to %c4 step %c1 iter_args(%m = %none) -> (tensor<64xf32>) : i32 {
    %s = grid.load %acc : memref<64x128xf32, #warpgroup.space<regs>> -> tensor<64x128xf32>
    %e = tensor.empty() : tensor<64xf32>
    %init = linalg.fill ins(%low : f32) outs(%e : tensor<64xf32>) -> tensor<64xf32>
    %r = linalg.reduce { arith.maximumf } ins(%s : tensor<64x128xf32>) outs(%init : tensor<64xf32>) dimensions = [1]
    %n = arith.maximumf %r, %m : tensor<64xf32>
    %be = tensor.empty() : tensor<64x128xf32>
    %b = linalg.broadcast ins(%n : tensor<64xf32>) outs(%be : tensor<64x128xf32>) dimensions = [1]
    %d = arith.subf %s, %b : tensor<64x128xf32>
    %p = math.exp2 %d : tensor<64x128xf32>
    %h = arith.truncf %p : tensor<64x128xf32> to tensor<64x128xf16>
    warpgroup.mma %out, %h, %v : memref<64x64xf32, #warpgroup.space<regs>>, tensor<64x128xf16>, memref<128x64xf16, #warpgroup.space<smem>>
    scf.yield %n : tensor<64xf32>
  }
  grid.store %most, %o : tensor<64xf32>, memref<64xf32, #warpgroup.space<gmem>>
}

// -----

// The author's layouts are kept. Where the value must move, it does, and a remark says what that costs.
// STATS:      (S) 80 num-instructions
// STATS-NEXT: (S) 1 num-relayouts
// STATS-NEXT: (S) 2 num-tensors
// CHECK-LABEL: grid.kernel @author
// CHECK:         %[[V:.*]] = grid.load %{{.*}} -> tensor<64x64xf32, #warpgroup.layout<wgmma>>
// CHECK:         %[[R:.*]] = warpgroup.relayout %[[V]] : {{.*}} to tensor<64x64xf32, #warpgroup.layout<wgmma_transposed>>
// CHECK:         warpgroup.layout_cast %[[R]] "WGMMA_TRANSPOSED"(#warpgroup.layout<wgmma_transposed>) : tensor<64x64xf32, #warpgroup.layout<wgmma_transposed>>
// CHECK:         grid.store %{{.*}} : tensor<64x64xf32, #warpgroup.layout<wgmma_transposed>>
grid.kernel @author grid() inputs() outputs(%o: f32 [64, 64] space #warpgroup.space<gmem>)
    scratch(%acc: memref<64x64xf32, #warpgroup.space<regs>>, %t: memref<64x64xf32, #warpgroup.space<smem>>)
    semantics [] {
  // expected-remark @below {{relayout by shuffles of 'tensor<64x64xf32, #warpgroup.layout<wgmma>>' to #warpgroup.layout<wgmma_transposed> for warpgroup.layout_cast, 80 instructions}}
  %v = grid.load %acc : memref<64x64xf32, #warpgroup.space<regs>> -> tensor<64x64xf32>
  %w = warpgroup.layout_cast %v "WGMMA_TRANSPOSED" (#warpgroup.layout<wgmma_transposed>) : tensor<64x64xf32>
  grid.store %w, %t : tensor<64x64xf32>, memref<64x64xf32, #warpgroup.space<smem>>
}

// -----

// A transposed value lies in the transposed layout, so each thread has it already.
// CHECK-LABEL: grid.kernel @transposed
// CHECK-NOT:     relayout
// CHECK:         linalg.transpose ins(%{{.*}} : tensor<64x8xf32, #warpgroup.layout<wgmma>>) outs(%{{.*}} : tensor<8x64xf32, #warpgroup.layout<[8, 64], registers = {{\[\[}}1, 0], [0, 8]], lanes = {{\[\[}}2, 0], [4, 0], [0, 1], [0, 2], [0, 4]], warps = {{\[\[}}0, 16], [0, 32]]>>)
// CHECK-NOT:     relayout
grid.kernel @transposed grid() inputs() outputs(%o: f32 [8, 64] space #warpgroup.space<gmem>)
    scratch(%acc: memref<64x8xf32, #warpgroup.space<regs>>, %t: memref<8x64xf32, #warpgroup.space<smem>>)
    semantics [] {
  %v = grid.load %acc : memref<64x8xf32, #warpgroup.space<regs>> -> tensor<64x8xf32>
  %e = tensor.empty() : tensor<8x64xf32>
  %w = linalg.transpose ins(%v : tensor<64x8xf32>) outs(%e : tensor<8x64xf32>) permutation = [1, 0]
  grid.store %w, %t : tensor<8x64xf32>, memref<8x64xf32, #warpgroup.space<smem>>
}

// -----

// Branches agree, a scope gives what it yields, and a reshape and an element of any value need no layout of their own.
// CHECK-LABEL: grid.kernel @control
// CHECK:         scf.if %{{.*}} -> (tensor<128xf32, #warpgroup.layout<strided(1)>>)
// CHECK:         grid.scoped {{.*}} -> tensor<128xf32, #warpgroup.layout<strided(1)>>
// CHECK:         tensor.expand_shape {{.*}} : tensor<128xf32, #warpgroup.layout<strided(1)>> into tensor<2x64xf32, #warpgroup.layout<[2, 64],
// CHECK-NOT:     relayout
// CHECK:         tensor.extract
grid.kernel @control grid() inputs(%x: f32 [128] space #warpgroup.space<gmem>) outputs(%o: f32 [2, 64] space #warpgroup.space<gmem>)
    scratch(%flag: memref<i1, #warpgroup.space<smem>>, %e: memref<f32, #warpgroup.space<smem>>) semantics [] {
  %c0 = arith.constant 0 : index
  %p = grid.load %flag : memref<i1, #warpgroup.space<smem>> -> i1
  %v = grid.load %x : memref<128xf32, #warpgroup.space<gmem>> -> tensor<128xf32>
  %zero = arith.constant dense<0.0> : tensor<128xf32>
  %w = scf.if %p -> tensor<128xf32> {
    scf.yield %v : tensor<128xf32>
  } else {
    scf.yield %zero : tensor<128xf32>
  }
  %y = grid.scoped (%tmp: memref<f32>) -> tensor<128xf32> {
    %n = arith.negf %w : tensor<128xf32>
    grid.yield %n : tensor<128xf32>
  }
  %z = tensor.expand_shape %y [[0, 1]] output_shape [2, 64] : tensor<128xf32> into tensor<2x64xf32>
  %one = tensor.extract %y[%c0] : tensor<128xf32>
  grid.store %one, %e : f32, memref<f32, #warpgroup.space<smem>>
  grid.store %z, %o : tensor<2x64xf32>, memref<2x64xf32, #warpgroup.space<gmem>>
}

// -----

// Tensor memory is loaded as rows for threads, or as fragments.
// CHECK-LABEL: grid.kernel @tensor_memory
// CHECK:         grid.load %{{.*}} -> tensor<128x64xf32, #warpgroup.layout<tcgen05>>
grid.kernel @tensor_memory grid() inputs() outputs(%o: f32 [128, 64] space #warpgroup.space<gmem>)
    scratch(%acc: memref<128x64xf32, #warpgroup.space<tmem>>) semantics [] {
  %v = grid.load %acc : memref<128x64xf32, #warpgroup.space<tmem>> -> tensor<128x64xf32>
  grid.store %v, %o : tensor<128x64xf32>, memref<128x64xf32, #warpgroup.space<gmem>>
}

// -----

// A variable of a scope is in the registers of all who access it, in one layout.
// CHECK-LABEL: grid.kernel @variable
// CHECK:         grid.store %{{.*}}, %[[REF:.*]] : tensor<64x64xf16, #warpgroup.layout<wgmma>>, memref<64x64xf16, #grid.space<default>>
// CHECK:         grid.load %{{.*}} : memref<64x64xf16, #grid.space<default>> -> tensor<64x64xf16, #warpgroup.layout<wgmma>>
// CHECK:         grid.load %{{.*}} : memref<64x64xf16, #grid.space<default>> -> tensor<64x64xf16, #warpgroup.layout<wgmma>>
// CHECK:         grid.store %{{.*}} : tensor<64x64xf16, #warpgroup.layout<wgmma>>, memref<64x64xf16, #warpgroup.space<smem>>
grid.kernel @variable grid() inputs() outputs()
    scratch(%acc: memref<64x64xf32, #warpgroup.space<regs>>, %b: memref<64x64xf16, #warpgroup.space<smem>>)
    semantics [] {
  %zero = arith.constant dense<0.0> : tensor<64x64xf16>
  %y = grid.scoped (%p: memref<64x64xf16, #grid.space<default>>) -> tensor<64x64xf16> {
    grid.store %zero, %p : tensor<64x64xf16>, memref<64x64xf16, #grid.space<default>>
    %v = grid.load %p : memref<64x64xf16, #grid.space<default>> -> tensor<64x64xf16>
    warpgroup.mma %acc, %v, %b : memref<64x64xf32, #warpgroup.space<regs>>, tensor<64x64xf16>, memref<64x64xf16, #warpgroup.space<smem>>
    %w = grid.load %p : memref<64x64xf16, #grid.space<default>> -> tensor<64x64xf16>
    grid.yield %w : tensor<64x64xf16>
  }
  grid.store %y, %b : tensor<64x64xf16>, memref<64x64xf16, #warpgroup.space<smem>>
}

// -----

// Between the warps of a warpgroup a value goes through shared memory, where lanes may ask for words of one bank.
// CHECK-LABEL: grid.kernel @conflicts
// CHECK:         warpgroup.relayout
grid.kernel @conflicts grid() inputs() outputs(%o: i8 [64, 64] space #warpgroup.space<gmem>)
    scratch(%s: memref<64x64xi8, #warpgroup.space<smem>>, %t: memref<64x64xi8, #warpgroup.space<smem>>)
    semantics [] {
  // expected-remark @below {{to #warpgroup.layout<wgmma> for warpgroup.layout_cast, 20 instructions}}
  %v = grid.load %s : memref<64x64xi8, #warpgroup.space<smem>> -> tensor<64x64xi8>
  // expected-remark @below {{for warpgroup.layout_cast, 26 instructions and 16 bank conflicts}}
  %c = warpgroup.layout_cast %v "WGMMA" (#warpgroup.layout<wgmma>) : tensor<64x64xi8>
  %w = warpgroup.layout_cast %c "STRIDED" (#warpgroup.layout<strided(4)>) : tensor<64x64xi8>
  grid.store %w, %t : tensor<64x64xi8>, memref<64x64xi8, #warpgroup.space<smem>>
}

// -----

// Numbers whose width is no power of two take the next one: four to an access of 16 bytes.
// CHECK-LABEL: grid.kernel @tf32
// CHECK:         grid.load %{{.*}} -> tensor<64x128xtf32, #warpgroup.layout<[4, 128], registers = {{\[\[}}0, 1], [0, 2]]
grid.kernel @tf32 grid() inputs(%x: tf32 [64, 128] space #warpgroup.space<gmem>) outputs(%o: tf32 [64, 128] space #warpgroup.space<gmem>)
    semantics [] {
  %v = grid.load %x : memref<64x128xtf32, #warpgroup.space<gmem>> -> tensor<64x128xtf32>
  grid.store %v, %o : tensor<64x128xtf32>, memref<64x128xtf32, #warpgroup.space<gmem>>
}

// -----

// The accesses of shared memory count, and not only those beyond the fewest: pairs of a product's sums go to vectors of
// four before they are stored.
// CHECK-LABEL: grid.kernel @to_vectors
// CHECK:         %[[SUM:.+]] = arith.addf %{{.*}} : tensor<64x64xf32, #warpgroup.layout<wgmma>>
// CHECK-NEXT:    %[[VECTORS:.+]] = warpgroup.relayout %[[SUM]] : tensor<64x64xf32, #warpgroup.layout<wgmma>> to tensor<64x64xf32, #warpgroup.layout<[8, 64],
// CHECK-NEXT:    grid.store %[[VECTORS]]
grid.kernel @to_vectors grid() inputs() outputs()
    scratch(%acc: memref<64x64xf32, #warpgroup.space<regs>>, %t: memref<64x64xf32, #warpgroup.space<smem>>) semantics [] {
  %v = grid.load %acc : memref<64x64xf32, #warpgroup.space<regs>> -> tensor<64x64xf32>
  // expected-remark @below {{relayout by shared memory of 'tensor<64x64xf32, #warpgroup.layout<wgmma>>'}}
  %w = arith.addf %v, %v : tensor<64x64xf32>
  grid.store %w, %t : tensor<64x64xf32>, memref<64x64xf32, #warpgroup.space<smem>>
}

// -----

// Rows of 64 bytes that the author swizzles have no conflicts where lanes take pairs of bytes of eight of them, so that
// a product's operand is loaded as it is held. Not swizzled they have, and it is moved.
// CHECK-LABEL: grid.kernel @swizzled
// CHECK:         grid.load %{{.*}} -> tensor<64x64xi8, #warpgroup.layout<wgmma>>
// CHECK-NOT:     relayout
// CHECK:         grid.load %{{.*}} -> tensor<64x64xi8, #warpgroup.layout<[32, 64]
// CHECK:         warpgroup.relayout
grid.kernel @swizzled grid() inputs(%y: bf16 [64, 64] space #warpgroup.space<gmem>) {
  grid.scoped (%a: memref<2x64x64xi8, #warpgroup.space<smem>>, %u: memref<64x64xi8, #warpgroup.space<smem>>,
               %b: memref<64x64xbf16, #warpgroup.space<smem>>, %acc: memref<64x64xf32, #warpgroup.space<regs>>)
      attributes {warpgroup.shared_layouts = [#warpgroup.shared_layout<panel_bytes = 64, rows = 1>, unit, unit, unit]} {
    %w = grid.slice_ref %a[1, 0, 0] [1, 64, 64] [1, 1, 1] drop [0] : memref<2x64x64xi8, #warpgroup.space<smem>> -> memref<64x64xi8, #warpgroup.space<smem>>
    %v = grid.load %w : memref<64x64xi8, #warpgroup.space<smem>> -> tensor<64x64xi8>
    %f = arith.sitofp %v : tensor<64x64xi8> to tensor<64x64xbf16>
    warpgroup.mma %acc, %f, %b
        : memref<64x64xf32, #warpgroup.space<regs>>, tensor<64x64xbf16>, memref<64x64xbf16, #warpgroup.space<smem>>
    // expected-remark @below {{relayout by shared memory}}
    %x = grid.load %u : memref<64x64xi8, #warpgroup.space<smem>> -> tensor<64x64xi8>
    %g = arith.sitofp %x : tensor<64x64xi8> to tensor<64x64xbf16>
    warpgroup.mma %acc, %g, %b
        : memref<64x64xf32, #warpgroup.space<regs>>, tensor<64x64xbf16>, memref<64x64xbf16, #warpgroup.space<smem>>
  }
}
