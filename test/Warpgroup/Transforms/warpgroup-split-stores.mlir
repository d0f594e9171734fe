// RUN: gridir-opt %s --split-input-file --warpgroup-split-stores | FileCheck %s
// RUN: gridir-opt %s --split-input-file --warpgroup-split-stores -mlir-pass-statistics -o /dev/null 2>&1 | FileCheck %s --check-prefix=STATS

// STATS: (S) 1 num-split

#row = #warpgroup.layout<tmem_native(4)>

// A thread has a row of 256 numbers, which are loaded and stored half by half, after the waits of the block.
// CHECK-LABEL: grid.kernel @sums
// CHECK: warpgroup.wait_group 0
// CHECK: %[[LOW:.*]] = grid.slice_ref %acc[0, 0] [128, 128] [1, 1]
// CHECK: %[[V:.*]] = grid.load %[[LOW]] : {{.*}} -> tensor<128x128xf32, #warpgroup.layout<tmem_native(4)>>
// CHECK: %[[TO:.*]] = grid.slice_ref %o[0, 0] [128, 128] [1, 1]
// CHECK: grid.store %[[V]], %[[TO]]
// CHECK: %[[HIGH:.*]] = grid.slice_ref %acc[0, 128] [128, 128] [1, 1]
// CHECK: %[[W:.*]] = grid.load %[[HIGH]]
// CHECK: %[[REST:.*]] = grid.slice_ref %o[0, 128] [128, 128] [1, 1]
// CHECK: grid.store %[[W]], %[[REST]]
// CHECK-NOT: grid.load
grid.kernel @sums grid() {
  grid.scoped (%acc: memref<128x256xf32, #warpgroup.space<tmem>> origin "acc",
               %o: memref<128x256xf32, #warpgroup.space<smem>> origin "o") {
    %v = grid.load %acc : memref<128x256xf32, #warpgroup.space<tmem>> -> tensor<128x256xf32, #row>
    warpgroup.wait_group 0
    grid.store %v, %o : tensor<128x256xf32, #row>, memref<128x256xf32, #warpgroup.space<smem>>
  }
}

// -----

#row = #warpgroup.layout<tmem_native(4)>

// Elementwise computations are executed on parts, and loads of another array for them are divided, too: both are 512
// words of a thread, which are four parts.
// CHECK-LABEL: grid.kernel @quotients
// CHECK: grid.load %{{.*}} : memref<128x64xf32, #warpgroup.space<gmem>>
// CHECK: grid.load %{{.*}} : memref<128x64xf32, #warpgroup.space<tmem>>
// CHECK: %[[Q:.*]] = arith.divf %{{.*}} : tensor<128x64xf32, #warpgroup.layout<tmem_native(4)>>
// CHECK: %[[N:.*]] = arith.truncf %[[Q]] : {{.*}} to tensor<128x64xbf16, #warpgroup.layout<tmem_native(4)>>
// CHECK: grid.store %[[N]]
// CHECK-COUNT-3: grid.store
// CHECK-NOT: grid.store
grid.kernel @quotients grid() inputs(%x: f32 [128, 256] space #warpgroup.space<gmem>) outputs(%y: bf16 [128, 256] space #warpgroup.space<gmem>)
    semantics [] {
  grid.scoped (%acc: memref<128x256xf32, #warpgroup.space<tmem>> origin "acc") {
    %r = grid.load %x : memref<128x256xf32, #warpgroup.space<gmem>> -> tensor<128x256xf32, #row>
    %v = grid.load %acc : memref<128x256xf32, #warpgroup.space<tmem>> -> tensor<128x256xf32, #row>
    %cast = warpgroup.layout_cast %r "TMEM_NATIVE"(#row) : tensor<128x256xf32, #row>
    %q = arith.divf %v, %cast : tensor<128x256xf32, #row>
    %n = arith.truncf %q : tensor<128x256xf32, #row> to tensor<128x256xbf16, #row>
    grid.store %n, %y : tensor<128x256xbf16, #row>, memref<128x256xbf16, #warpgroup.space<gmem>>
  }
}

// -----

#row = #warpgroup.layout<tmem_native(4)>

// Of a constant and of an array that is computed otherwise a part is taken; a number is that of all parts. A value that
// is used twice is computed once for each part.
// CHECK-LABEL: grid.kernel @operands
// CHECK: %[[TWO:.*]] = arith.constant dense<2.000000e+00> : tensor<128x128xf32, #warpgroup.layout<tmem_native(4)>>
// CHECK: %[[WHOLE:.*]] = linalg.broadcast
// CHECK: %[[V:.*]] = grid.load %{{.*}} : memref<128x128xf32, #warpgroup.space<tmem>>
// CHECK: %[[A:.*]] = tensor.extract_slice %[[WHOLE]][0, 0] [128, 128] [1, 1]
// CHECK: %[[P:.*]] = arith.mulf %[[V]], %[[A]]
// CHECK: %[[S:.*]] = arith.addf %[[P]], %[[TWO]]
// CHECK: %[[C:.*]] = arith.select %{{.*}}, %[[S]], %[[V]]
// CHECK: grid.store %[[C]]
// CHECK: tensor.extract_slice %[[WHOLE]][0, 128] [128, 128] [1, 1]
grid.kernel @operands grid() inputs(%x: i1 [] space #warpgroup.space<gmem>, %b: f32 [128] space #warpgroup.space<gmem>)
    outputs(%y: f32 [128, 256] space #warpgroup.space<gmem>) semantics [] {
  grid.scoped (%acc: memref<128x256xf32, #warpgroup.space<tmem>> origin "acc") {
    %flag = grid.load %x : memref<i1, #warpgroup.space<gmem>> -> i1
    %two = arith.constant dense<2.0> : tensor<128x256xf32, #row>
    %of_rows = grid.load %b : memref<128xf32, #warpgroup.space<gmem>> -> tensor<128xf32, #warpgroup.layout<[128], registers = [], lanes = [[1], [2], [4], [8], [16]], warps = [[32], [64]]>>
    %empty = tensor.empty() : tensor<128x256xf32, #row>
    %wide = linalg.broadcast ins(%of_rows : tensor<128xf32, #warpgroup.layout<[128], registers = [], lanes = [[1], [2], [4], [8], [16]], warps = [[32], [64]]>>)
        outs(%empty : tensor<128x256xf32, #row>) dimensions = [1]
    %v = grid.load %acc : memref<128x256xf32, #warpgroup.space<tmem>> -> tensor<128x256xf32, #row>
    %p = arith.mulf %v, %wide : tensor<128x256xf32, #row>
    %s = arith.addf %p, %two : tensor<128x256xf32, #row>
    %c = arith.select %flag, %s, %v : tensor<128x256xf32, #row>
    grid.store %c, %y : tensor<128x256xf32, #row>, memref<128x256xf32, #warpgroup.space<gmem>>
  }
}

// -----

#row = #warpgroup.layout<tmem_native(4)>
#wide = #warpgroup.layout<[2, 256], registers = [[0, 1], [0, 2]], lanes = [[0, 4], [0, 8], [0, 16], [0, 32], [0, 64]], warps = [[0, 128], [1, 0]]>

// A relayout to rows of all columns is left out.
// CHECK-LABEL: grid.kernel @relayout
// CHECK-NOT: warpgroup.relayout
// CHECK-COUNT-2: grid.store %{{.*}} : tensor<128x128xf32, #warpgroup.layout<tmem_native(4)>>
// CHECK-NOT: warpgroup.relayout
grid.kernel @relayout grid() {
  grid.scoped (%acc: memref<128x256xf32, #warpgroup.space<tmem>> origin "acc",
               %o: memref<128x256xf32, #warpgroup.space<smem>> origin "o") {
    %v = grid.load %acc : memref<128x256xf32, #warpgroup.space<tmem>> -> tensor<128x256xf32, #row>
    %w = warpgroup.relayout %v : tensor<128x256xf32, #row> to tensor<128x256xf32, #wide>
    grid.store %w, %o : tensor<128x256xf32, #wide>, memref<128x256xf32, #warpgroup.space<smem>>
  }
}

// -----

#row = #warpgroup.layout<tmem_native(4)>

// Left alone is what registers hold (expected more of tensor memory than registers hold), a matrix of which some elements
// are stored (expected a whole matrix), what others use, too, and what is stored behind an arrival of the block, which
// may be for those who wait for it to have loaded (expected nothing but waits between the load and the store).
// CHECK-LABEL: grid.kernel @alone
// CHECK-NOT: grid.slice_ref
grid.kernel @alone grid() inputs(%m: i1 [128, 256] space #warpgroup.space<gmem>) outputs(%y: f32 [128, 256] space #warpgroup.space<gmem>)
    semantics [] {
  grid.scoped (%acc: memref<128x256xf32, #warpgroup.space<tmem>> origin "acc",
               %small: memref<128x128xf32, #warpgroup.space<tmem>> origin "small",
               %o: memref<128x128xf32, #warpgroup.space<smem>> origin "o",
               %free: memref<!warpgroup.barrier<1>, #warpgroup.space<smem>> origin "free") {
    %v = grid.load %small : memref<128x128xf32, #warpgroup.space<tmem>> -> tensor<128x128xf32, #row>
    grid.store %v, %o : tensor<128x128xf32, #row>, memref<128x128xf32, #warpgroup.space<smem>>
    %mask = grid.load %m : memref<128x256xi1, #warpgroup.space<gmem>> -> tensor<128x256xi1, #row>
    %w = grid.load %acc : memref<128x256xf32, #warpgroup.space<tmem>> -> tensor<128x256xf32, #row>
    grid.store %w, %y mask %mask : tensor<128x256xf32, #row>, memref<128x256xf32, #warpgroup.space<gmem>>, tensor<128x256xi1, #row>
    %u = grid.load %acc : memref<128x256xf32, #warpgroup.space<tmem>> -> tensor<128x256xf32, #row>
    grid.store %u, %y : tensor<128x256xf32, #row>, memref<128x256xf32, #warpgroup.space<gmem>>
    grid.store %u, %y : tensor<128x256xf32, #row>, memref<128x256xf32, #warpgroup.space<gmem>>
    %t = grid.load %acc : memref<128x256xf32, #warpgroup.space<tmem>> -> tensor<128x256xf32, #row>
    warpgroup.barrier_arrive %free : memref<!warpgroup.barrier<1>, #warpgroup.space<smem>>
    grid.store %t, %y : tensor<128x256xf32, #row>, memref<128x256xf32, #warpgroup.space<gmem>>
  }
}

// -----

#row = #warpgroup.layout<tmem_native(4)>

// So is what is added to an array that the store writes to.
// CHECK-LABEL: grid.kernel @in_place
// CHECK: %[[RIGHT:.*]] = grid.slice_ref %{{.*}}[0, 128]
// CHECK: grid.store %{{.*}}, %[[RIGHT]]
grid.kernel @in_place grid() outputs(%y: f32 [128, 256] space #warpgroup.space<gmem>) semantics [] {
  grid.scoped (%acc: memref<128x128xf32, #warpgroup.space<tmem>> origin "acc") {
    %v = grid.load %acc : memref<128x128xf32, #warpgroup.space<tmem>> -> tensor<128x128xf32, #row>
    %left = grid.slice_ref %y[0, 0] [128, 128] [1, 1] : memref<128x256xf32, #warpgroup.space<gmem>> -> memref<128x128xf32, #warpgroup.space<gmem>>
    %right = grid.slice_ref %y[0, 128] [128, 128] [1, 1] : memref<128x256xf32, #warpgroup.space<gmem>> -> memref<128x128xf32, #warpgroup.space<gmem>>
    %r = grid.load %left : memref<128x128xf32, #warpgroup.space<gmem>> -> tensor<128x128xf32, #row>
    %s = arith.addf %v, %r : tensor<128x128xf32, #row>
    grid.store %s, %right : tensor<128x128xf32, #row>, memref<128x128xf32, #warpgroup.space<gmem>>
  }
}

// -----

#single = #warpgroup.layout<tmem_native(1)>
#eight = #warpgroup.layout<tmem_native(8)>

// So are columns that are no multiple of the parts (expected columns of parts), and parts that are not made of tiles
// (expected tiles of a part).
// CHECK-LABEL: grid.kernel @remainders
// CHECK-NOT: grid.slice_ref
grid.kernel @remainders grid() {
  grid.scoped (%odd: memref<128x201xf32, #warpgroup.space<tmem>> origin "odd",
               %even: memref<128x200xf32, #warpgroup.space<tmem>> origin "even",
               %o: memref<128x201xf32, #warpgroup.space<smem>> origin "o",
               %p: memref<128x200xf32, #warpgroup.space<smem>> origin "p") {
    %v = grid.load %odd : memref<128x201xf32, #warpgroup.space<tmem>> -> tensor<128x201xf32, #single>
    grid.store %v, %o : tensor<128x201xf32, #single>, memref<128x201xf32, #warpgroup.space<smem>>
    %w = grid.load %even : memref<128x200xf32, #warpgroup.space<tmem>> -> tensor<128x200xf32, #eight>
    grid.store %w, %p : tensor<128x200xf32, #eight>, memref<128x200xf32, #warpgroup.space<smem>>
  }
}

// -----

#row = #warpgroup.layout<tmem_native(4)>

// A matrix is rescaled in place, half by half.
// CHECK-LABEL: grid.kernel @rescaled
// CHECK: %[[LOW:.*]] = grid.slice_ref %acc[0, 0] [128, 128] [1, 1]
// CHECK: %[[V:.*]] = grid.load %[[LOW]]
// CHECK: %[[W:.*]] = arith.mulf %[[V]]
// CHECK: %[[SAME:.*]] = grid.slice_ref %acc[0, 0] [128, 128] [1, 1]
// CHECK: grid.store %[[W]], %[[SAME]]
// CHECK: grid.slice_ref %acc[0, 128] [128, 128] [1, 1]
grid.kernel @rescaled grid() {
  grid.scoped (%acc: memref<128x256xf32, #warpgroup.space<tmem>> origin "acc") {
    %half = arith.constant dense<0.5> : tensor<128x256xf32, #row>
    %v = grid.load %acc : memref<128x256xf32, #warpgroup.space<tmem>> -> tensor<128x256xf32, #row>
    %w = arith.mulf %v, %half : tensor<128x256xf32, #row>
    grid.store %w, %acc : tensor<128x256xf32, #row>, memref<128x256xf32, #warpgroup.space<tmem>>
  }
}
