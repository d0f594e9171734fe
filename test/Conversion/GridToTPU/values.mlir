// RUN: gridir-opt %s --convert-grid-to-tpu --split-input-file | FileCheck %s

// Values keep their shapes, elements and indices.

// A value that is loaded through a reshaped Ref has its shape in all uses.

// CHECK-LABEL: func.func @reshaped(
// CHECK: %[[X:.*]] = vector.load {{.*}} vector<2x3x128xf32>
// CHECK: %[[FLAT:.*]] = vector.shape_cast %[[X]] : vector<2x3x128xf32> to vector<6x128xf32>
// CHECK: arith.addf %[[FLAT]], %{{.*}} : vector<6x128xf32>
grid.kernel @reshaped grid() inputs(%x: f32 [2, 3, 128]) outputs(%o: f32 [6, 128]) {
  %flat = grid.reshape_ref %x : memref<2x3x128xf32, #grid.space<default>> -> memref<6x128xf32, #grid.space<default>>
  %0 = grid.load %flat : memref<6x128xf32, #grid.space<default>> -> tensor<6x128xf32>
  %one = arith.constant dense<1.0> : tensor<6x128xf32>
  %1 = arith.addf %0, %one : tensor<6x128xf32>
  grid.store %1, %o : tensor<6x128xf32>, memref<6x128xf32, #grid.space<default>>
}

// -----

// A copy takes a Ref in another shape that keeps the last dimension.

// CHECK-LABEL: func.func @reshaped_copy(
// CHECK: %[[SHAPED:.*]] = tpu.memref_reshape %{{.*}} : memref<16x128xf32, {{.*}}> -> memref<2x8x128xf32
// CHECK: tpu.enqueue_dma source(%[[SHAPED]]
grid.kernel @reshaped_copy grid() inputs(%x: f32 [16, 128] space any) outputs(%o: f32 [2, 8, 128])
    scratch(%s: memref<!grid.semaphore<dma>, #tpu.memory_space<semaphore_mem>>) {
  %w = grid.reshape_ref %x : memref<16x128xf32, #grid.space<any>> -> memref<2x8x128xf32, #grid.space<any>>
  grid.copy_start %w, %o sem %s : memref<2x8x128xf32, #grid.space<any>>, memref<2x8x128xf32, #grid.space<default>>, memref<!grid.semaphore<dma>, #tpu.memory_space<semaphore_mem>>
}

// -----

// Two different halves are no value that stands twice: all of both is turned.

// CHECK-LABEL: func.func @halves(
// CHECK: vector.load
// CHECK: %[[Y:.*]] = vector.load
// CHECK: %[[BOTH:.*]] = tpu.concatenate %{{.*}}, %[[Y]] in 1 : vector<8x128xf32>, vector<8x128xf32> -> vector<8x256xf32>
// CHECK: %[[TURNED:.*]] = tpu.dynamic_rotate %[[BOTH]] by %{{.*}} dim 1 : vector<8x256xf32>
// CHECK: vector.extract_strided_slice %[[TURNED]] {offsets = [0, 0], sizes = [8, 128]
grid.kernel @halves grid(%i = 4) inputs(%x: f32 [8, 128], %y: f32 [8, 128]) outputs(%o: f32 [8, 128]) {
  %0 = grid.load %x : memref<8x128xf32, #grid.space<default>> -> tensor<8x128xf32>
  %1 = grid.load %y : memref<8x128xf32, #grid.space<default>> -> tensor<8x128xf32>
  %e = tensor.empty() : tensor<8x256xf32>
  %2 = tensor.insert_slice %0 into %e[0, 0] [8, 128] [1, 1] : tensor<8x128xf32> into tensor<8x256xf32>
  %3 = tensor.insert_slice %1 into %2[0, 128] [8, 128] [1, 1] : tensor<8x128xf32> into tensor<8x256xf32>
  %n = grid.program_id 0
  %start = arith.index_cast %n : i32 to index
  %4 = tensor.extract_slice %3[0, %start] [8, 128] [1, 1] : tensor<8x256xf32> to tensor<8x128xf32>
  grid.store %4, %o : tensor<8x128xf32>, memref<8x128xf32, #grid.space<default>>
}

// -----

// Bools are rotated as numbers; those that are not 0 are true.

// CHECK-LABEL: func.func @bools(
// CHECK: %[[NUMBERS:.*]] = arith.extui %{{.*}} : vector<16x128xi1> to vector<16x128xi32>
// CHECK: %[[TURNED:.*]] = tpu.dynamic_rotate %[[NUMBERS]] by %{{.*}} dim 0
// CHECK: arith.cmpi ne, %[[TURNED]], %{{.*}} : vector<16x128xi32>
grid.kernel @bools grid(%i = 4) inputs(%x: f32 [16, 128]) outputs(%o: i32 [8, 128]) {
  %0 = grid.load %x : memref<16x128xf32, #grid.space<default>> -> tensor<16x128xf32>
  %1 = arith.cmpf ogt, %0, %0 : tensor<16x128xf32>
  %n = grid.program_id 0
  %start = arith.index_cast %n : i32 to index
  %2 = tensor.extract_slice %1[%start, 0] [8, 128] [1, 1] : tensor<16x128xi1> to tensor<8x128xi1>
  %3 = arith.extui %2 : tensor<8x128xi1> to tensor<8x128xi32>
  grid.store %3, %o : tensor<8x128xi32>, memref<8x128xi32, #grid.space<default>>
}

// -----

// Narrow elements are rotated as words of several rows. Rows also move within words.

// CHECK-LABEL: func.func @words(
// CHECK: %[[X:.*]] = vector.load
// CHECK: %[[WORDS:.*]] = tpu.bitcast %[[X]] : vector<32x128xi8> -> vector<8x128xi32>
// CHECK: %[[LANES:.*]] = tpu.dynamic_rotate %[[WORDS]] by %{{.*}} dim 1 : vector<8x128xi32>, i32
// CHECK: tpu.bitcast %[[LANES]] : vector<8x128xi32> -> vector<32x128xi8>
// CHECK: %[[WORDS:.*]] = tpu.bitcast %[[X]]
// CHECK: %[[C1:.*]] = arith.constant 1 : i32
// CHECK: %[[OWN:.*]] = tpu.dynamic_rotate %[[WORDS]] by %[[C1]] dim 0
// CHECK: %[[LEFT:.*]] = arith.constant dense<8> : vector<8x128xi32>
// CHECK: %[[HIGH:.*]] = arith.shli %[[OWN]], %[[LEFT]]
// CHECK: %[[C2:.*]] = arith.constant 2 : i32
// CHECK: %[[BEFORE:.*]] = tpu.dynamic_rotate %[[WORDS]] by %[[C2]] dim 0
// CHECK: %[[RIGHT:.*]] = arith.constant dense<24> : vector<8x128xi32>
// CHECK: %[[LOW:.*]] = arith.shrui %[[BEFORE]], %[[RIGHT]]
// CHECK: %[[BOTH:.*]] = arith.ori %[[HIGH]], %[[LOW]]
// CHECK: tpu.bitcast %[[BOTH]] : vector<8x128xi32> -> vector<32x128xi8>
grid.kernel @words grid(%i = 4) inputs(%x: i8 [32, 128]) outputs(%o: i8 [32, 128], %p: i8 [32, 128]) {
  %n = grid.program_id 0
  %c5 = arith.constant 5 : i32
  %0 = grid.load %x : memref<32x128xi8, #grid.space<default>> -> tensor<32x128xi8>
  %1 = grid.rotate %0 by %n dim 1 : tensor<32x128xi8>, i32
  %2 = grid.rotate %0 by %c5 dim 0 : tensor<32x128xi8>, i32
  grid.store %1, %o : tensor<32x128xi8>, memref<32x128xi8, #grid.space<default>>
  grid.store %2, %p : tensor<32x128xi8>, memref<32x128xi8, #grid.space<default>>
}

// -----

// Numbers that count are made of their indices, by their step and from their start on.

// CHECK-LABEL: func.func @counting(
// CHECK: %[[INDEX:.*]] = tpu.iota {dimensions = array<i32: 1>} : vector<2x4xi32>
// CHECK: %[[STEP:.*]] = arith.constant dense<2> : vector<2x4xi32>
// CHECK: arith.muli %[[INDEX]], %[[STEP]]
// CHECK: arith.constant dense<5> : vector<2x4xi32>
grid.kernel @counting grid() outputs(%o: i32 [2, 4]) {
  %0 = arith.constant dense<[[5, 7, 9, 11], [5, 7, 9, 11]]> : tensor<2x4xi32>
  grid.store %0, %o : tensor<2x4xi32>, memref<2x4xi32, #grid.space<default>>
}

// -----

// A scalar is broadcast to every point of a loop; the loop may have one iteration.

// CHECK-LABEL: func.func @number_along_a_line(
// CHECK: %[[ALL:.*]] = vector.broadcast %{{.*}} : f32 to vector<128xf32>
// CHECK: arith.mulf %{{.*}}, %[[ALL]] : vector<128xf32>
#line = affine_map<(d0) -> (d0)>
#number = affine_map<(d0) -> ()>
grid.kernel @number_along_a_line grid() inputs(%x: f32 [128], %n: f32 [1] space #tpu.memory_space<smem>) outputs(%o: f32 [128]) {
  %0 = grid.load %x : memref<128xf32, #grid.space<default>> -> tensor<128xf32>
  %s = grid.slice_ref %n[0] [1] [1] drop [0] : memref<1xf32, #tpu.memory_space<smem>> -> memref<f32, #tpu.memory_space<smem>>
  %1 = grid.load %s : memref<f32, #tpu.memory_space<smem>> -> f32
  %e = tensor.empty() : tensor<128xf32>
  %2 = linalg.generic {indexing_maps = [#line, #number, #line], iterator_types = ["parallel"]}
      ins(%0, %1 : tensor<128xf32>, f32) outs(%e : tensor<128xf32>) {
  ^bb0(%a: f32, %b: f32, %unused: f32):
    %3 = arith.mulf %a, %b : f32
    linalg.yield %3 : f32
  } -> tensor<128xf32>
  grid.store %2, %o : tensor<128xf32>, memref<128xf32, #grid.space<default>>
}

// -----

// Mosaic packs rows by itself, and rotates each row further than the one before it, as far as a register is wide, and from
// a distance on that is known: one that is data is rotated by before. Further, and along other dimensions, the bits of the distance say which slices are rotated. An amount is brought between 0 and
// the size.

// CHECK-LABEL: func.func @rearranged(
// CHECK: tpu.bitcast %{{.*}} : vector<16x128xbf16> -> vector<8x128xi32>
// CHECK: %[[C125:.*]] = arith.constant 125 : i32
// CHECK: tpu.dynamic_rotate %{{.*}} by %[[C125]] dim 1 : vector<8x128xi32>, i32
// CHECK: %[[C127:.*]] = arith.constant 127 : i32
// CHECK: %[[AMOUNT:.*]] = arith.andi %{{.*}}, %[[C127]] : i32
// CHECK: %[[LEVEL:.*]] = tpu.dynamic_rotate %{{.*}} by %[[AMOUNT]] dim 1 : vector<8x128xi32>, i32
// CHECK: %[[C0:.*]] = arith.constant 0 : i32
// CHECK: tpu.dynamic_rotate %[[LEVEL]] by %[[C0]] dim 1 {stride = 18 : si32, stride_dimension = 0 : si32} : vector<8x128xi32>, i32
// CHECK: %[[TURNED:.*]] = tpu.dynamic_rotate %{{.*}} by %{{.*}} dim 0 : vector<8x128xi32>, i32
// CHECK: %[[COUNT:.*]] = tpu.iota {dimensions = array<i32: 1>} : vector<1x128xi32>
// CHECK: %[[TIMES:.*]] = arith.muli %[[COUNT]], %{{.*}} : vector<1x128xi32>
// CHECK: %[[MORE:.*]] = arith.andi %[[TIMES]], %{{.*}} : vector<1x128xi32>
// CHECK: %[[ONE:.*]] = tpu.dynamic_rotate %[[TURNED]] by %{{.*}} dim 0
// CHECK: %[[BIT:.*]] = arith.andi %[[MORE]], %{{.*}} : vector<1x128xi32>
// CHECK: %[[OWN:.*]] = vector.broadcast %[[BIT]] : vector<1x128xi32> to vector<8x128xi32>
// CHECK: %[[IS:.*]] = arith.cmpi ne, %[[OWN]], %{{.*}} : vector<8x128xi32>
// CHECK: %[[FIRST:.*]] = arith.select %[[IS]], %[[ONE]], %[[TURNED]]
// CHECK: tpu.dynamic_rotate %[[FIRST]] by %{{.*}} dim 0
// CHECK: tpu.dynamic_rotate %{{.*}} by %{{.*}} dim 0
// CHECK-NOT: tpu.dynamic_rotate
// CHECK: return
grid.kernel @rearranged grid(%i = 4) inputs(%x: bf16 [16, 128])
    outputs(%o: i32 [8, 128], %p: bf16 [16, 128], %q: i32 [8, 128], %r: i32 [8, 128]) {
  %n = grid.program_id 0
  %c-3 = arith.constant -3 : i32
  %0 = grid.load %x : memref<16x128xbf16, #grid.space<default>> -> tensor<16x128xbf16>
  %1 = grid.bitcast %0 : tensor<16x128xbf16> -> tensor<8x128xi32>
  grid.store %1, %o : tensor<8x128xi32>, memref<8x128xi32, #grid.space<default>>
  %2 = grid.rotate %0 by %c-3 dim 1 : tensor<16x128xbf16>, i32
  grid.store %2, %p : tensor<16x128xbf16>, memref<16x128xbf16, #grid.space<default>>
  %3 = grid.rotate %1 by %n dim 1 stride 18 along 0 : tensor<8x128xi32>, i32
  grid.store %3, %q : tensor<8x128xi32>, memref<8x128xi32, #grid.space<default>>
  %4 = grid.rotate %1 by %n dim 0 stride 3 along 1 : tensor<8x128xi32>, i32
  grid.store %4, %r : tensor<8x128xi32>, memref<8x128xi32, #grid.space<default>>
}

// -----

// Rotations of one register beyond Mosaic's limit are preceded by a rotation as far as the first row.

// CHECK-LABEL: func.func @far(
// CHECK: %[[FIRST:.*]] = vector.extract_strided_slice %{{.*}} {offsets = [0, 0], sizes = [8, 128], strides = [1, 1]}
// CHECK: %[[C100:.*]] = arith.constant 100 : i32
// CHECK: %[[TURNED:.*]] = tpu.dynamic_rotate %[[FIRST]] by %[[C100]] dim 1 : vector<8x128xf32>, i32
// CHECK: %[[A:.*]] = tpu.dynamic_rotate %[[TURNED]] by %{{.*}} dim 1 {stride = 9 : si32, stride_dimension = 0 : si32}
// CHECK: %[[C44:.*]] = arith.constant 44 : i32
// CHECK: tpu.dynamic_rotate %{{.*}} by %[[C44]] dim 1 : vector<8x128xf32>, i32
// CHECK: %[[B:.*]] = tpu.dynamic_rotate
// CHECK: tpu.concatenate %[[A]], %[[B]] in 0
grid.kernel @far grid() inputs(%x: f32 [16, 128]) outputs(%o: f32 [16, 128]) {
  %0 = grid.load %x : memref<16x128xf32, #grid.space<default>> -> tensor<16x128xf32>
  %n = arith.constant 100 : i32
  %1 = grid.rotate %0 by %n dim 1 stride 9 along 0 : tensor<16x128xf32>, i32
  grid.store %1, %o : tensor<16x128xf32>, memref<16x128xf32, #grid.space<default>>
}

// -----

// By 20 lanes more from row to row no register turns: the bits of the distance say how far. Slices of whole registers are
// rotated one by one.

// CHECK-LABEL: func.func @further(
// CHECK-COUNT-7: tpu.dynamic_rotate %{{.*}} by %{{.*}} dim 1 : vector<8x128xf32>
// CHECK: vector.extract_strided_slice %{{.*}} {offsets = [0, 0, 0], sizes = [1, 8, 128], strides = [1, 1, 1]}
// CHECK: tpu.dynamic_rotate %{{.*}} by %{{.*}} dim 2 : vector<1x8x128xf32>
// CHECK: tpu.dynamic_rotate %{{.*}} by %{{.*}} dim 2 : vector<1x8x128xf32>
// CHECK: tpu.concatenate
grid.kernel @further grid() inputs(%x: f32 [8, 128], %y: f32 [2, 8, 128]) outputs(%o: f32 [8, 128], %p: f32 [2, 8, 128]) {
  %n = arith.constant 0 : i32
  %0 = grid.load %x : memref<8x128xf32, #grid.space<default>> -> tensor<8x128xf32>
  %1 = grid.rotate %0 by %n dim 1 stride 20 along 0 : tensor<8x128xf32>, i32
  grid.store %1, %o : tensor<8x128xf32>, memref<8x128xf32, #grid.space<default>>
  %2 = grid.load %y : memref<2x8x128xf32, #grid.space<default>> -> tensor<2x8x128xf32>
  %3 = grid.rotate %2 by %n dim 2 stride 3 along 0 : tensor<2x8x128xf32>, i32
  grid.store %3, %p : tensor<2x8x128xf32>, memref<2x8x128xf32, #grid.space<default>>
}

// -----

// Slices that are all of a result are joined at once, in the order in which they lie; of one that leaves something, the
// rest stands beside it. A part of one number everywhere is no part of registers.

// CHECK-LABEL: func.func @joined(
// CHECK-SAME: %[[X:.*]]: memref<8x128xf32, {{.*}}>, %[[Y:.*]]: memref<16x128xf32, {{[^,]*}}>, %[[O:.*]]: memref<24x128xf32
// CHECK: %[[A:.*]] = vector.load %[[X]]
// CHECK: %[[B:.*]] = vector.load %[[Y]]
// CHECK-NEXT: %[[AB:.*]] = tpu.concatenate %[[A]], %[[B]] in 0 : vector<8x128xf32>, vector<16x128xf32> -> vector<24x128xf32>
// CHECK: tpu.vector_store %[[O]][{{.*}}], %[[AB]]
// CHECK: %[[ABOVE:.*]] = arith.constant dense<0.000000e+00> : vector<1x128xf32>
// CHECK: %[[BELOW:.*]] = arith.constant dense<0.000000e+00> : vector<15x128xf32>
// CHECK: %[[ROWS:.*]] = tpu.concatenate %[[ABOVE]], %[[A]], %[[BELOW]] in 0
// CHECK: %[[LEFT:.*]] = arith.constant dense<0.000000e+00> : vector<24x2xf32>
// CHECK: tpu.concatenate %[[LEFT]], %[[ROWS]] in 1 : vector<24x2xf32>, vector<24x128xf32> -> vector<24x130xf32>
grid.kernel @joined grid() inputs(%x: f32 [8, 128], %y: f32 [16, 128]) outputs(%o: f32 [24, 128], %p: f32 [24, 130]) {
  %0 = grid.load %x : memref<8x128xf32, #grid.space<default>> -> tensor<8x128xf32>
  %1 = grid.load %y : memref<16x128xf32, #grid.space<default>> -> tensor<16x128xf32>
  %e = tensor.empty() : tensor<24x128xf32>
  %2 = tensor.insert_slice %1 into %e[8, 0] [16, 128] [1, 1] : tensor<16x128xf32> into tensor<24x128xf32>
  %3 = tensor.insert_slice %0 into %2[0, 0] [8, 128] [1, 1] : tensor<8x128xf32> into tensor<24x128xf32>
  grid.store %3, %o : tensor<24x128xf32>, memref<24x128xf32, #grid.space<default>>
  %zero = arith.constant dense<0.0> : tensor<24x130xf32>
  %4 = tensor.insert_slice %0 into %zero[1, 2] [8, 128] [1, 1] : tensor<8x128xf32> into tensor<24x130xf32>
  grid.store %4, %p : tensor<24x130xf32>, memref<24x130xf32, #grid.space<default>>
}

// -----

// The number of a vector of one element goes on as that vector: Mosaic takes none of 16 bits out of it.

// CHECK-LABEL: func.func @one_number(
// CHECK: %[[V:.*]] = vector.load %{{.*}} : memref<1x1xbf16, {{.*}}>, vector<1x1xbf16>
// CHECK: vector.broadcast %[[V]] : vector<1x1xbf16> to vector<16x128xbf16>
grid.kernel @one_number grid() inputs(%x: bf16 [1, 1]) outputs(%o: bf16 [16, 128]) {
  %0 = grid.load %x : memref<1x1xbf16, #grid.space<default>> -> tensor<1x1xbf16>
  %c0 = arith.constant 0 : index
  %1 = tensor.extract %0[%c0, %c0] : tensor<1x1xbf16>
  %2 = tensor.splat %1 : tensor<16x128xbf16>
  grid.store %2, %o : tensor<16x128xbf16>, memref<16x128xbf16, #grid.space<default>>
}

// -----

// A register of few rows rotates as one of all rows: the eighth would go 280 lanes further.

// CHECK-LABEL: func.func @few_rows(
// CHECK-NOT: stride =
// CHECK: return
grid.kernel @few_rows grid() inputs(%x: f32 [4, 128]) outputs(%o: f32 [4, 128]) {
  %0 = grid.load %x : memref<4x128xf32, #grid.space<default>> -> tensor<4x128xf32>
  %n = arith.constant 0 : i32
  %1 = grid.rotate %0 by %n dim 1 stride 40 along 0 : tensor<4x128xf32>, i32
  grid.store %1, %o : tensor<4x128xf32>, memref<4x128xf32, #grid.space<default>>
}
