// RUN: gridir-opt %s --split-input-file --warpgroup-infer-layouts | FileCheck %s

// A window that is made of whole tiles is in the threads that hold it in the array.
// CHECK-LABEL: grid.kernel @windows
// CHECK:         grid.load %{{.*}} -> tensor<64x128xf32, #warpgroup.layout<wgmma>>
// CHECK-NOT:     relayout
// CHECK:         tensor.extract_slice %{{.*}}[0, 64] [64, 64] [1, 1] : tensor<64x128xf32, #warpgroup.layout<wgmma>> to tensor<64x64xf32, #warpgroup.layout<wgmma>>
// CHECK:         tensor.insert_slice %{{.*}} into %{{.*}}[0, 0] [64, 64] [1, 1] : tensor<64x64xf32, #warpgroup.layout<wgmma>> into tensor<64x128xf32, #warpgroup.layout<wgmma>>
grid.kernel @windows grid() inputs() outputs()
    scratch(%acc: memref<64x128xf32, #warpgroup.space<regs>>, %t: memref<64x128xf32, #warpgroup.space<smem>>)
    semantics [] {
  %v = grid.load %acc : memref<64x128xf32, #warpgroup.space<regs>> -> tensor<64x128xf32>
  %w = tensor.extract_slice %v[0, 64] [64, 64] [1, 1] : tensor<64x128xf32> to tensor<64x64xf32>
  %n = arith.negf %w : tensor<64x64xf32>
  %r = tensor.insert_slice %n into %v[0, 0] [64, 64] [1, 1] : tensor<64x64xf32> into tensor<64x128xf32>
  grid.store %r, %t : tensor<64x128xf32>, memref<64x128xf32, #warpgroup.space<smem>>
}

// -----

// An element of its own for each register: none of the inserted array is a splat.
// CHECK-LABEL: grid.kernel @insert
// CHECK:         tensor.insert %{{.*}} into %{{.*}} : tensor<128xf32, #warpgroup.layout<[128], {{.*}}>>
grid.kernel @insert grid() inputs() outputs(%o: f32 [128] space #warpgroup.space<gmem>) semantics [] {
  %c3 = arith.constant 3 : index
  %one = arith.constant 1.0 : f32
  %zero = arith.constant dense<0.0> : tensor<128xf32>
  %w = tensor.insert %one into %zero[%c3] : tensor<128xf32>
  grid.store %w, %o : tensor<128xf32>, memref<128xf32, #warpgroup.space<gmem>>
}

// -----

// An array that no tile divides is padded, such that each thread holds an element of its own.
// CHECK-LABEL: grid.kernel @padded
// CHECK:         grid.load %{{.*}} -> tensor<37xf32, #warpgroup.layout<strided(1)>>
// CHECK:         arith.negf %{{.*}} : tensor<37xf32, #warpgroup.layout<strided(1)>>
grid.kernel @padded grid() inputs(%x: f32 [37] space #warpgroup.space<gmem>) outputs(%o: f32 [37] space #warpgroup.space<gmem>) semantics [] {
  %v = grid.load %x : memref<37xf32, #warpgroup.space<gmem>> -> tensor<37xf32>
  %w = arith.negf %v : tensor<37xf32>
  grid.store %w, %o : tensor<37xf32>, memref<37xf32, #warpgroup.space<gmem>>
}

// -----

// A sum counts each element once, so that its threads hold no copies of the last one.
// CHECK-LABEL: grid.kernel @sum
// CHECK:         linalg.reduce {{.*}} ins(%{{.*}} : tensor<37xf32, #warpgroup.layout<[1]
grid.kernel @sum grid() inputs(%x: f32 [37] space #warpgroup.space<gmem>) outputs(%o: f32 [] space #warpgroup.space<gmem>) semantics [] {
  %zero = arith.constant 0.0 : f32
  %v = grid.load %x : memref<37xf32, #warpgroup.space<gmem>> -> tensor<37xf32>
  %e = tensor.empty() : tensor<f32>
  %init = linalg.fill ins(%zero : f32) outs(%e : tensor<f32>) -> tensor<f32>
  %r = linalg.reduce { arith.addf } ins(%v : tensor<37xf32>) outs(%init : tensor<f32>) dimensions = [0]
  %s = tensor.extract %r[] : tensor<f32>
  grid.store %s, %o : f32, memref<f32, #warpgroup.space<gmem>>
}

// -----

// Every second element is read from shared memory, where the array is stored as it is held.
#twice = affine_map<(i) -> (2 * i)>
#same = affine_map<(i) -> (i)>
// CHECK-LABEL: grid.kernel @strides
// CHECK:         linalg.generic {{.*}} ins(%{{.*}} : tensor<256xf32, #warpgroup.layout<[256],{{.*}}>>) outs(%{{.*}} : tensor<128xf32, #warpgroup.layout<strided(1)>>)
grid.kernel @strides grid() inputs(%x: f32 [256] space #warpgroup.space<gmem>) outputs(%o: f32 [128] space #warpgroup.space<gmem>) semantics [] {
  %v = grid.load %x : memref<256xf32, #warpgroup.space<gmem>> -> tensor<256xf32>
  %e = tensor.empty() : tensor<128xf32>
  %w = linalg.generic {indexing_maps = [#twice, #same], iterator_types = ["parallel"]}
      ins(%v : tensor<256xf32>) outs(%e : tensor<128xf32>) {
  ^bb0(%a: f32, %b: f32):
    linalg.yield %a : f32
  } -> tensor<128xf32>
  grid.store %w, %o : tensor<128xf32>, memref<128xf32, #warpgroup.space<gmem>>
}

// -----

// The position of a window is dynamic: its elements are read one by one from shared memory, where the array is stored
// as it is held.
// CHECK-LABEL: grid.kernel @anywhere
// CHECK:         %[[V:.*]] = grid.load %{{.*}} -> tensor<64x128xf32, #warpgroup.layout<[4, 128],
// CHECK:         linalg.generic {{.*}} outs(%{{.*}} : tensor<16x128xf32, #warpgroup.layout<[4, 128],
// CHECK:           %[[I:.*]] = linalg.index 0
// CHECK:           tensor.extract %[[V]][%{{.*}}, %{{.*}}] : tensor<64x128xf32
// CHECK-NOT:     tensor.extract_slice
grid.kernel @anywhere grid(%i = 4) inputs(%x: f32 [64, 128] space #warpgroup.space<gmem>) outputs(%o: f32 [16, 128] space #warpgroup.space<gmem>) {
  %i = grid.program_id 0
  %n = arith.index_cast %i : i32 to index
  %v = grid.load %x : memref<64x128xf32, #warpgroup.space<gmem>> -> tensor<64x128xf32>
  %w = tensor.extract_slice %v[%n, 0] [16, 128] [1, 1] : tensor<64x128xf32> to tensor<16x128xf32>
  grid.store %w, %o : tensor<16x128xf32>, memref<16x128xf32, #warpgroup.space<gmem>>
}

// -----

// A window of few elements replaces those of the array that it has.
// CHECK-LABEL: grid.kernel @few
// CHECK:         %[[W:.*]] = grid.load %{{.*}} -> tensor<1x8xf32, #warpgroup.layout<[1, 8],
// CHECK:         linalg.generic {{.*}} ins(%{{.*}} : tensor<64x128xf32, #warpgroup.layout<[4, 128],
// CHECK:           %[[INSIDE:.*]] = arith.andi
// CHECK:           %[[E:.*]] = tensor.extract %[[W]]
// CHECK:           arith.select %{{.*}}, %[[E]], %{{.*}} : f32
grid.kernel @few grid() inputs(%x: f32 [64, 128] space #warpgroup.space<gmem>, %y: f32 [1, 8] space #warpgroup.space<gmem>)
    outputs(%o: f32 [64, 128] space #warpgroup.space<gmem>) semantics [] {
  %v = grid.load %x : memref<64x128xf32, #warpgroup.space<gmem>> -> tensor<64x128xf32>
  %r = grid.load %y : memref<1x8xf32, #warpgroup.space<gmem>> -> tensor<1x8xf32>
  %w = tensor.insert_slice %r into %v[3, 5] [1, 8] [1, 2] : tensor<1x8xf32> into tensor<64x128xf32>
  grid.store %w, %o : tensor<64x128xf32>, memref<64x128xf32, #warpgroup.space<gmem>>
}

// -----

// One matrix of several is a window of whole tiles that has another shape.
// CHECK-LABEL: grid.kernel @matrix
// CHECK:         %[[S:.*]] = tensor.extract_slice %{{.*}}[1, 0, 0] [1, 64, 64] [1, 1, 1] : tensor<2x64x64xf32, #warpgroup.layout<[1, 8, 64],
// CHECK:         tensor.collapse_shape %[[S]]
// CHECK:         tensor.expand_shape
// CHECK:         tensor.insert_slice %{{.*}} into %{{.*}}[0, 0, 0] [1, 64, 64] [1, 1, 1]
// CHECK-NOT:     relayout
grid.kernel @matrix grid() inputs(%x: f32 [2, 64, 64] space #warpgroup.space<gmem>) outputs(%o: f32 [2, 64, 64] space #warpgroup.space<gmem>)
    semantics [] {
  %v = grid.load %x : memref<2x64x64xf32, #warpgroup.space<gmem>> -> tensor<2x64x64xf32>
  %w = tensor.extract_slice %v[1, 0, 0] [1, 64, 64] [1, 1, 1] : tensor<2x64x64xf32> to tensor<64x64xf32>
  %n = arith.negf %w : tensor<64x64xf32>
  %r = tensor.insert_slice %n into %v[0, 0, 0] [1, 64, 64] [1, 1, 1] : tensor<64x64xf32> into tensor<2x64x64xf32>
  grid.store %r, %o : tensor<2x64x64xf32>, memref<2x64x64xf32, #warpgroup.space<gmem>>
}

// -----

// A window that begins in the middle of a tile's rows is in other threads, though it has all of its columns.
// CHECK-LABEL: grid.kernel @half_tiles
// CHECK:         %[[MOVED:.+]] = warpgroup.relayout %{{.*}} : tensor<128x128xf32, #warpgroup.layout<wgmma>> to tensor<128x128xf32, #warpgroup.layout<[4, 128],
// CHECK:         tensor.extract_slice %[[MOVED]][32, 0] [64, 128] [1, 1]
grid.kernel @half_tiles grid() inputs() outputs(%o: f32 [64, 128] space #warpgroup.space<gmem>)
    scratch(%acc: memref<128x128xf32, #warpgroup.space<regs>>) semantics [] {
  %v = grid.load %acc : memref<128x128xf32, #warpgroup.space<regs>> -> tensor<128x128xf32>
  %w = tensor.extract_slice %v[32, 0] [64, 128] [1, 1] : tensor<128x128xf32> to tensor<64x128xf32>
  grid.store %w, %o : tensor<64x128xf32>, memref<64x128xf32, #warpgroup.space<gmem>>
}
