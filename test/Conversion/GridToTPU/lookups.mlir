// RUN: gridir-opt %s --convert-grid-to-tpu --split-input-file | FileCheck %s

// A slice of a value that stands twice is the value, turned: by a number that is known, or not.

// CHECK-LABEL: func.func @roll(
// CHECK: %[[V:.*]] = vector.load
// CHECK: %[[THREE:.*]] = arith.constant 3 : i32
// CHECK: tpu.dynamic_rotate %[[V]] by %[[THREE]] dim 1 : vector<8x128xf32>, i32 -> vector<8x128xf32>
// CHECK: %[[N:.*]] = memref.load
// CHECK: %[[SIZE:.*]] = arith.constant 128 : i32
// CHECK: %[[AMOUNT:.*]] = arith.subi %[[SIZE]], %{{.*}} : i32
// CHECK: tpu.dynamic_rotate %[[V]] by %[[AMOUNT]] dim 1
grid.kernel @roll grid() inputs(%x: f32 [8, 128], %n: i32 [1] space #tpu.memory_space<smem>) outputs(%o: f32 [8, 128]) {
  %0 = grid.load %x : memref<8x128xf32, #grid.space<default>> -> tensor<8x128xf32>
  %e = tensor.empty() : tensor<8x256xf32>
  %1 = tensor.insert_slice %0 into %e[0, 0] [8, 128] [1, 1] : tensor<8x128xf32> into tensor<8x256xf32>
  %2 = tensor.insert_slice %0 into %1[0, 128] [8, 128] [1, 1] : tensor<8x128xf32> into tensor<8x256xf32>
  %c0 = arith.constant 0 : index
  %c125 = arith.constant 125 : index
  %start = arith.maxsi %c125, %c0 : index
  %3 = tensor.extract_slice %2[0, %start] [8, 128] [1, 1] : tensor<8x256xf32> to tensor<8x128xf32>
  grid.store %3, %o : tensor<8x128xf32>, memref<8x128xf32, #grid.space<default>>
  %4 = grid.slice_ref %n[0] [1] [1] drop [0] : memref<1xi32, #tpu.memory_space<smem>> -> memref<i32, #tpu.memory_space<smem>>
  %5 = grid.load %4 : memref<i32, #tpu.memory_space<smem>> -> i32
  %6 = arith.index_cast %5 : i32 to index
  %7 = tensor.extract_slice %2[0, %6] [8, 128] [1, 1] : tensor<8x256xf32> to tensor<8x128xf32>
  grid.store %7, %o : tensor<8x128xf32>, memref<8x128xf32, #grid.space<default>>
}

// -----

// Mosaic turns numbers of 32 bits; any other slice is turned to the front.

// CHECK-LABEL: func.func @slice(
// CHECK: %[[WIDE:.*]] = arith.extf %{{.*}} : vector<16x128xbf16> to vector<16x128xf32>
// CHECK: %[[TURNED:.*]] = tpu.dynamic_rotate %[[WIDE]] by %{{.*}} dim 0
// CHECK: %[[NARROW:.*]] = arith.truncf %[[TURNED]]
// CHECK: vector.extract_strided_slice %[[NARROW]] {offsets = [0, 0], sizes = [8, 128]
grid.kernel @slice grid(%i = 4) inputs(%x: bf16 [16, 128]) outputs(%o: bf16 [8, 128]) {
  %0 = grid.load %x : memref<16x128xbf16, #grid.space<default>> -> tensor<16x128xbf16>
  %1 = grid.program_id 0
  %2 = arith.index_cast %1 : i32 to index
  %3 = tensor.extract_slice %0[%2, 0] [8, 128] [1, 1] : tensor<16x128xbf16> to tensor<8x128xbf16>
  grid.store %3, %o : tensor<8x128xbf16>, memref<8x128xbf16, #grid.space<default>>
}

// -----

// A row that is inserted is chosen where it goes, and rows are turned there first; zeros fill the registers.

// CHECK-LABEL: func.func @insert(
// CHECK: %[[X:.*]] = vector.load
// CHECK: %[[ROWS:.*]] = tpu.iota {dimensions = array<i32: 0>} : vector<12x128xi32>
// CHECK: %[[AT:.*]] = vector.broadcast %{{.*}} : i32 to vector<12x128xi32>
// CHECK: %[[IS_ROW:.*]] = arith.cmpi eq, %[[ROWS]], %[[AT]]
// CHECK: %[[ROW:.*]] = vector.broadcast %{{.*}} : vector<1x128xf32> to vector<12x128xf32>
// CHECK: %[[Y:.*]] = arith.select %[[IS_ROW]], %[[ROW]], %[[X]]
// CHECK: arith.cmpi sge
// CHECK: arith.cmpi slt
// CHECK: %[[IS_HERE:.*]] = arith.andi
// CHECK: %[[LONG:.*]] = tpu.concatenate %{{.*}}, %{{.*}} in 0 : vector<2x128xf32>, vector<10x128xf32> -> vector<12x128xf32>
// CHECK: %[[FULL:.*]] = tpu.concatenate %[[LONG]], %{{.*}} in 0 : vector<12x128xf32>, vector<4x128xf32> -> vector<16x128xf32>
// CHECK: %[[TURNED:.*]] = tpu.dynamic_rotate %[[FULL]] by %{{.*}} dim 0
// CHECK: %[[THERE:.*]] = vector.extract_strided_slice %[[TURNED]] {offsets = [0, 0], sizes = [12, 128], strides = [1, 1]}
// CHECK: arith.select %[[IS_HERE]], %[[THERE]], %[[Y]]
grid.kernel @insert grid(%i = 4) inputs(%x: f32 [12, 128]) outputs(%o: f32 [12, 128]) {
  %0 = grid.load %x : memref<12x128xf32, #grid.space<default>> -> tensor<12x128xf32>
  %1 = grid.program_id 0
  %2 = arith.index_cast %1 : i32 to index
  %row = arith.constant dense<1.0> : tensor<128xf32>
  %rows = arith.constant dense<2.0> : tensor<2x128xf32>
  %3 = tensor.insert_slice %row into %0[%2, 0] [1, 128] [1, 1] : tensor<128xf32> into tensor<12x128xf32>
  %4 = tensor.insert_slice %rows into %3[%2, 0] [2, 128] [1, 1] : tensor<2x128xf32> into tensor<12x128xf32>
  grid.store %4, %o : tensor<12x128xf32>, memref<12x128xf32, #grid.space<default>>
}

// -----

// So is an element, which is turned to the front to be read; what is narrow goes on as a vector of one, and is chosen in
// 32 bits.

// CHECK-LABEL: func.func @element(
// CHECK: %[[WIDE:.*]] = arith.extf %{{.*}} : vector<16x128xbf16> to vector<16x128xf32>
// CHECK: %[[TURNED:.*]] = tpu.dynamic_rotate %[[WIDE]] by %{{.*}} dim 0
// CHECK: %[[NARROW:.*]] = arith.truncf %[[TURNED]]
// CHECK: %[[FIRST_ROW:.*]] = vector.extract_strided_slice %[[NARROW]] {offsets = [0, 0], sizes = [1, 128]
// CHECK: %[[ELEMENT:.*]] = vector.extract_strided_slice %[[FIRST_ROW]] {offsets = [0, 5], sizes = [1, 1]
// CHECK: %[[NUMBER:.*]] = arith.extf %[[ELEMENT]] : vector<1x1xbf16> to vector<1x1xf32>
// CHECK: arith.cmpi eq, %{{.*}} : vector<16x128xi32>
// CHECK: arith.cmpi eq, %{{.*}} : vector<16x128xi32>
// CHECK: %[[IS_HERE:.*]] = arith.andi
// CHECK: %[[ALL:.*]] = vector.broadcast %[[NUMBER]] : vector<1x1xf32> to vector<16x128xf32>
// CHECK: %[[CHOSEN:.*]] = arith.select %[[IS_HERE]], %[[ALL]], %{{.*}}
// CHECK: arith.truncf %[[CHOSEN]] : vector<16x128xf32> to vector<16x128xbf16>
grid.kernel @element grid(%i = 4) inputs(%x: bf16 [16, 128]) outputs(%o: bf16 [16, 128]) {
  %0 = grid.load %x : memref<16x128xbf16, #grid.space<default>> -> tensor<16x128xbf16>
  %1 = grid.program_id 0
  %2 = arith.index_cast %1 : i32 to index
  %c5 = arith.constant 5 : index
  %3 = tensor.extract %0[%2, %c5] : tensor<16x128xbf16>
  %4 = tensor.insert %3 into %0[%c5, %2] : tensor<16x128xbf16>
  grid.store %4, %o : tensor<16x128xbf16>, memref<16x128xbf16, #grid.space<default>>
}

// -----

// Every third row: a lookup in the registers that have some, and of whole registers the wanted ones.

// CHECK-LABEL: func.func @strided(
// CHECK: %[[X:.*]] = vector.load
// CHECK: %[[ROWS:.*]] = tpu.iota {dimensions = array<i32: 0>} : vector<8x128xi32>
// CHECK: %[[TIMES:.*]] = arith.muli %[[ROWS]]
// CHECK: %[[AT:.*]] = arith.addi %[[TIMES]]
// CHECK: %[[NEAR:.*]] = arith.minsi %[[AT]]
// CHECK-COUNT-2: tpu.dynamic_gather %{{.*}}[%{{.*}}] in [0] : vector<8x128xf32>, vector<8x128xi32> -> vector<8x128xf32>
// CHECK: vector.extract_strided_slice %{{.*}} {offsets = [0, 0], sizes = [5, 128], strides = [1, 1]}
// CHECK: %[[A:.*]] = vector.extract_strided_slice %[[Y:.*]] {offsets = [0, 0, 0]
// CHECK: %[[B:.*]] = vector.extract_strided_slice %[[Y]] {offsets = [2, 0, 0]
// CHECK: tpu.concatenate %[[A]], %[[B]] in 0
grid.kernel @strided grid() inputs(%x: f32 [16, 128], %y: f32 [3, 8, 128])
    outputs(%o: f32 [5, 128], %p: f32 [2, 8, 128]) {
  %0 = grid.load %x : memref<16x128xf32, #grid.space<default>> -> tensor<16x128xf32>
  %1 = tensor.extract_slice %0[1, 0] [5, 128] [3, 1] : tensor<16x128xf32> to tensor<5x128xf32>
  grid.store %1, %o : tensor<5x128xf32>, memref<5x128xf32, #grid.space<default>>
  %2 = grid.load %y : memref<3x8x128xf32, #grid.space<default>> -> tensor<3x8x128xf32>
  %3 = tensor.extract_slice %2[0, 0, 0] [2, 8, 128] [2, 1, 1] : tensor<3x8x128xf32> to tensor<2x8x128xf32>
  grid.store %3, %p : tensor<2x8x128xf32>, memref<2x8x128xf32, #grid.space<default>>
}

// -----

// Mosaic moves every second row of 128 words at once. Of longer ones, and of narrow ones, all are loaded, and some looked
// up; a store keeps what lies between them.

// CHECK-LABEL: func.func @rows(
// CHECK: tpu.strided_load %{{.*}} {strides = array<i32: 2, 1>} : {{.*}}, vector<8x128xf32>
// CHECK: %[[ALL:.*]] = vector.load %{{.*}} : memref<16x256xf32, {{.*}}>, vector<15x256xf32>
// CHECK: tpu.dynamic_gather
// CHECK: tpu.vector_store
// CHECK: %[[OLD:.*]] = vector.load %{{.*}} : memref<16x256xf32, {{.*}}>, vector<15x256xf32>
// CHECK: %[[DISTANCE:.*]] = arith.subi
// CHECK: %[[REST:.*]] = arith.remui %[[DISTANCE]]
// CHECK: %[[IS_HERE:.*]] = arith.cmpi eq, %[[REST]]
// CHECK: arith.divui
// CHECK: %[[SPREAD:.*]] = tpu.concatenate
// CHECK: %[[NEW:.*]] = arith.select %[[IS_HERE]], %[[SPREAD]], %[[OLD]]
// CHECK: tpu.vector_store %{{.*}}, %[[NEW]]
grid.kernel @rows grid() inputs(%x: f32 [16, 128], %y: f32 [16, 256])
    outputs(%o: f32 [8, 128], %p: f32 [8, 256], %q: f32 [16, 256]) {
  %xs = grid.slice_ref %x[0, 0] [8, 128] [2, 1] : memref<16x128xf32, #grid.space<default>> -> memref<8x128xf32, #grid.space<default>>
  %0 = grid.load %xs : memref<8x128xf32, #grid.space<default>> -> tensor<8x128xf32>
  grid.store %0, %o : tensor<8x128xf32>, memref<8x128xf32, #grid.space<default>>
  %ys = grid.slice_ref %y[0, 0] [8, 256] [2, 1] : memref<16x256xf32, #grid.space<default>> -> memref<8x256xf32, #grid.space<default>>
  %1 = grid.load %ys : memref<8x256xf32, #grid.space<default>> -> tensor<8x256xf32>
  grid.store %1, %p : tensor<8x256xf32>, memref<8x256xf32, #grid.space<default>>
  %qs = grid.slice_ref %q[0, 0] [8, 256] [2, 1] : memref<16x256xf32, #grid.space<default>> -> memref<8x256xf32, #grid.space<default>>
  grid.store %1, %qs : tensor<8x256xf32>, memref<8x256xf32, #grid.space<default>>
}

// -----

// A mask is for words: what it hides of narrow numbers is stored as it was.

// CHECK-LABEL: func.func @masked(
// CHECK: %[[MASK:.*]] = arith.cmpi ne
// CHECK: %[[OLD:.*]] = vector.load %arg2
// CHECK: %[[NEW:.*]] = arith.select %[[MASK]], %{{.*}}, %{{.*}} : vector<16x128xi1>, vector<16x128xf32>
// CHECK: %[[NARROW:.*]] = arith.truncf %[[NEW]]
// CHECK: tpu.vector_store %arg2{{.*}}, %[[NARROW]]
// CHECK-NOT: mask
grid.kernel @masked grid() inputs(%x: bf16 [16, 128], %m: i1 [16, 128]) outputs(%o: bf16 [16, 128]) {
  %0 = grid.load %x : memref<16x128xbf16, #grid.space<default>> -> tensor<16x128xbf16>
  %1 = grid.load %m : memref<16x128xi1, #grid.space<default>> -> tensor<16x128xi1>
  grid.store %0, %o mask %1 : tensor<16x128xbf16>, memref<16x128xbf16, #grid.space<default>>, tensor<16x128xi1>
}

// -----

// Arithmetic on a narrow element uses a vector of one element; a condition and an index are words.

// CHECK-LABEL: func.func @narrow(
// CHECK: %[[ELEMENT:.*]] = vector.extract_strided_slice {{.*}} sizes = [1, 1]{{.*}} : vector<1x128xi8> to vector<1x1xi8>
// CHECK: %[[FIVE:.*]] = arith.constant dense<5> : vector<1x1xi8>
// CHECK: %[[SUM:.*]] = arith.addi %[[ELEMENT]], %[[FIVE]] : vector<1x1xi8>
// CHECK: %[[IS_MORE:.*]] = arith.cmpi sgt, %[[SUM]], %{{.*}} : vector<1x1xi8>
// CHECK: %[[WORD:.*]] = arith.extui %[[IS_MORE]] : vector<1x1xi1> to vector<1x1xi32>
// CHECK: %[[NUMBER:.*]] = vector.extract %[[WORD]][0, 0] : i32 from vector<1x1xi32>
// CHECK: %[[CONDITION:.*]] = arith.cmpi ne, %[[NUMBER]], %{{.*}} : i32
// CHECK: scf.if %[[CONDITION]]
grid.kernel @narrow grid() inputs(%x: i8 [32, 128]) outputs(%o: i8 [32, 128]) {
  %0 = grid.load %x : memref<32x128xi8, #grid.space<default>> -> tensor<32x128xi8>
  %c0 = arith.constant 0 : index
  %c7 = arith.constant 7 : index
  %five = arith.constant 5 : i8
  %1 = tensor.extract %0[%c0, %c7] : tensor<32x128xi8>
  %2 = arith.addi %1, %five : i8
  %3 = arith.cmpi sgt, %2, %five : i8
  scf.if %3 {
    grid.store %0, %o : tensor<32x128xi8>, memref<32x128xi8, #grid.space<default>>
  }
}

// -----

// A lookup along one dimension; over several registers, one in each.

// CHECK-LABEL: func.func @gather(
// CHECK: tpu.dynamic_gather %{{.*}}[%{{.*}}] in [1] : vector<8x128xf32>, vector<8x128xi32> -> vector<8x128xf32>
#all = affine_map<(d0, d1) -> (d0, d1)>
grid.kernel @gather grid() inputs(%x: f32 [8, 128], %n: i32 [8, 128]) outputs(%o: f32 [8, 128]) {
  %0 = grid.load %x : memref<8x128xf32, #grid.space<default>> -> tensor<8x128xf32>
  %1 = grid.load %n : memref<8x128xi32, #grid.space<default>> -> tensor<8x128xi32>
  %e = tensor.empty() : tensor<8x128xf32>
  %2 = linalg.generic {indexing_maps = [#all], iterator_types = ["parallel", "parallel"]}
      outs(%e : tensor<8x128xf32>) {
  ^bb0(%unused: f32):
    %i = linalg.index 0 : index
    %j = linalg.index 1 : index
    %number = tensor.extract %1[%i, %j] : tensor<8x128xi32>
    %index = arith.index_cast %number : i32 to index
    %v = tensor.extract %0[%i, %index] : tensor<8x128xf32>
    linalg.yield %v : f32
  } -> tensor<8x128xf32>
  grid.store %2, %o : tensor<8x128xf32>, memref<8x128xf32, #grid.space<default>>
}

// -----

// CHECK-LABEL: func.func @wide(
// CHECK: %[[INSIDE:.*]] = arith.andi %{{.*}}, %{{.*}} : vector<8x128xi32>
// CHECK: %[[REGISTER:.*]] = arith.shrui %{{.*}}, %{{.*}} : vector<8x128xi32>
// CHECK: %[[FIRST:.*]] = tpu.dynamic_gather %{{.*}}[%[[INSIDE]]] in [1]
// CHECK: %[[SECOND:.*]] = tpu.dynamic_gather %{{.*}}[%[[INSIDE]]] in [1]
// CHECK: %[[IS_SECOND:.*]] = arith.cmpi eq, %[[REGISTER]]
// CHECK: arith.select %[[IS_SECOND]], %[[SECOND]], %[[FIRST]]
// CHECK: tpu.concatenate
#all = affine_map<(d0, d1) -> (d0, d1)>
grid.kernel @wide grid() inputs(%x: f32 [8, 256], %n: i32 [8, 256]) outputs(%o: f32 [8, 256]) {
  %0 = grid.load %x : memref<8x256xf32, #grid.space<default>> -> tensor<8x256xf32>
  %1 = grid.load %n : memref<8x256xi32, #grid.space<default>> -> tensor<8x256xi32>
  %e = tensor.empty() : tensor<8x256xf32>
  %2 = linalg.generic {indexing_maps = [#all], iterator_types = ["parallel", "parallel"]}
      outs(%e : tensor<8x256xf32>) {
  ^bb0(%unused: f32):
    %i = linalg.index 0 : index
    %j = linalg.index 1 : index
    %number = tensor.extract %1[%i, %j] : tensor<8x256xi32>
    %index = arith.index_cast %number : i32 to index
    %v = tensor.extract %0[%i, %index] : tensor<8x256xf32>
    linalg.yield %v : f32
  } -> tensor<8x256xf32>
  grid.store %2, %o : tensor<8x256xf32>, memref<8x256xf32, #grid.space<default>>
}

// -----

// Indices that count from the end reverse a dimension: registers are in the opposite order, and within each register a
// lookup reverses the elements.

// CHECK-LABEL: func.func @reversed(
// CHECK: %[[V:.*]] = vector.load
// CHECK: %[[LAST:.*]] = arith.constant dense<127> : vector<8x128xi32>
// CHECK: %[[COUNT:.*]] = tpu.iota {dimensions = array<i32: 1>} : vector<8x128xi32>
// CHECK: %[[MIRRORED:.*]] = arith.subi %[[LAST]], %[[COUNT]] : vector<8x128xi32>
// CHECK: %[[SECOND:.*]] = vector.extract_strided_slice %[[V]] {offsets = [0, 128], sizes = [8, 128]
// CHECK: %[[A:.*]] = tpu.dynamic_gather %[[SECOND]][%[[MIRRORED]]] in [1]
// CHECK: %[[FIRST:.*]] = vector.extract_strided_slice %[[V]] {offsets = [0, 0], sizes = [8, 128]
// CHECK: %[[B:.*]] = tpu.dynamic_gather %[[FIRST]][%[[MIRRORED]]] in [1]
// CHECK: tpu.concatenate %[[A]], %[[B]] in 1
#all = affine_map<(d0, d1) -> (d0, d1)>
grid.kernel @reversed grid() inputs(%x: f32 [8, 256]) outputs(%o: f32 [8, 256]) {
  %0 = grid.load %x : memref<8x256xf32, #grid.space<default>> -> tensor<8x256xf32>
  %c255 = arith.constant 255 : index
  %e = tensor.empty() : tensor<8x256xf32>
  %1 = linalg.generic {indexing_maps = [#all], iterator_types = ["parallel", "parallel"]}
      outs(%e : tensor<8x256xf32>) {
  ^bb0(%unused: f32):
    %i = linalg.index 0 : index
    %j = linalg.index 1 : index
    %mirrored = arith.subi %c255, %j : index
    %v = tensor.extract %0[%i, %mirrored] : tensor<8x256xf32>
    linalg.yield %v : f32
  } -> tensor<8x256xf32>
  grid.store %1, %o : tensor<8x256xf32>, memref<8x256xf32, #grid.space<default>>
}
