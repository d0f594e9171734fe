// RUN: gridir-opt %s --convert-grid-to-tpu --split-input-file | FileCheck %s

// Mosaic starts from the neutral element only. What the author starts from is combined with the result.

// CHECK-LABEL: func.func @starts(
// CHECK: %[[NONE:.*]] = arith.constant dense<0.000000e+00> : vector<8xf32>
// CHECK: %[[SUM:.*]] = vector.multi_reduction <add>, %{{.*}}, %[[NONE]] [1] : vector<8x128xf32> to vector<8xf32>
// CHECK: arith.addf %[[SUM]], %{{.*}} : vector<8xf32>
// CHECK-NOT: arith.addf
grid.kernel @starts grid() inputs(%x: f32 [8, 128]) outputs(%o: f32 [8], %p: f32 [8]) {
  %0 = grid.load %x : memref<8x128xf32, #grid.space<default>> -> tensor<8x128xf32>
  %c3 = arith.constant 3.0 : f32
  %c0 = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<8xf32>
  %three = linalg.fill ins(%c3 : f32) outs(%e : tensor<8xf32>) -> tensor<8xf32>
  %zero = linalg.fill ins(%c0 : f32) outs(%e : tensor<8xf32>) -> tensor<8xf32>
  %1 = linalg.reduce {arith.addf} ins(%0 : tensor<8x128xf32>) outs(%three : tensor<8xf32>) dimensions = [1]
  %2 = linalg.reduce {arith.addf} ins(%0 : tensor<8x128xf32>) outs(%zero : tensor<8xf32>) dimensions = [1]
  grid.store %1, %o : tensor<8xf32>, memref<8xf32, #grid.space<default>>
  grid.store %2, %p : tensor<8xf32>, memref<8xf32, #grid.space<default>>
}

// -----

// The reduction `any` is a maximum of zeros and ones.

// CHECK-LABEL: func.func @any(
// CHECK: %[[ONES:.*]] = arith.select %{{.*}}, %{{.*}}, %{{.*}} : vector<8x128xi1>, vector<8x128xf32>
// CHECK: %[[LEAST:.*]] = arith.constant dense<0xFF800000> : vector<8xf32>
// CHECK: %[[ANY:.*]] = vector.multi_reduction <maximumf>, %[[ONES]], %[[LEAST]] [1] : vector<8x128xf32> to vector<8xf32>
// CHECK: arith.cmpf ogt, %[[ANY]], %{{.*}} : vector<8xf32>
grid.kernel @any grid() inputs(%x: i1 [8, 128]) outputs(%o: i1 [8]) {
  %0 = grid.load %x : memref<8x128xi1, #grid.space<default>> -> tensor<8x128xi1>
  %false = arith.constant false
  %e = tensor.empty() : tensor<8xi1>
  %none = linalg.fill ins(%false : i1) outs(%e : tensor<8xi1>) -> tensor<8xi1>
  %1 = linalg.reduce {arith.ori} ins(%0 : tensor<8x128xi1>) outs(%none : tensor<8xi1>) dimensions = [1]
  grid.store %1, %o : tensor<8xi1>, memref<8xi1, #grid.space<default>>
}

// -----

// Numbers without a sign are ordered as signed ones with the first bit flipped; narrow ones are reduced in 32 bits.

// CHECK-LABEL: func.func @unsigned(
// CHECK: %[[FLIPPED:.*]] = arith.xori %{{.*}}, %{{.*}} : vector<8x128xi32>
// CHECK: %[[MOST:.*]] = vector.multi_reduction <maxsi>, %[[FLIPPED]]
// CHECK: arith.xori %[[MOST]], %{{.*}} : vector<8xi32>
// CHECK: %[[WIDE:.*]] = arith.extui %{{.*}} : vector<32x128xi8> to vector<32x128xi32>
// CHECK: %[[LEAST:.*]] = vector.multi_reduction <minsi>, %[[WIDE]]
// CHECK: arith.trunci %[[LEAST]] : vector<32xi32> to vector<32xi8>
grid.kernel @unsigned grid() inputs(%x: i32 [8, 128], %y: i8 [32, 128]) outputs(%o: i32 [8], %p: i8 [32]) {
  %0 = grid.load %x : memref<8x128xi32, #grid.space<default>> -> tensor<8x128xi32>
  %1 = grid.load %y : memref<32x128xi8, #grid.space<default>> -> tensor<32x128xi8>
  %c0 = arith.constant dense<0> : tensor<8xi32>
  %c255 = arith.constant dense<-1> : tensor<32xi8>
  %2 = linalg.reduce {arith.maxui} ins(%0 : tensor<8x128xi32>) outs(%c0 : tensor<8xi32>) dimensions = [1]
  %3 = linalg.reduce {arith.minui} ins(%1 : tensor<32x128xi8>) outs(%c255 : tensor<32xi8>) dimensions = [1]
  grid.store %2, %o : tensor<8xi32>, memref<8xi32, #grid.space<default>>
  grid.store %3, %p : tensor<32xi8>, memref<32xi8, #grid.space<default>>
}

// -----

// Reductions that Mosaic does not support are combined register by register, and then with rotations by half, a
// quarter, and so on. An odd end is filled with the neutral element.

// CHECK-LABEL: func.func @product(
// CHECK: %[[ONES:.*]] = arith.constant dense<1.000000e+00> : vector<8x56xf32>
// CHECK: tpu.concatenate %{{.*}}, %[[ONES]] in 1 : vector<8x200xf32>, vector<8x56xf32> -> vector<8x256xf32>
// CHECK: %[[A:.*]] = vector.extract_strided_slice %{{.*}} {offsets = [0, 0], sizes = [8, 128]
// CHECK: %[[B:.*]] = vector.extract_strided_slice %{{.*}} {offsets = [0, 128], sizes = [8, 128]
// CHECK: %[[AB:.*]] = arith.mulf %[[A]], %[[B]] : vector<8x128xf32>
// CHECK: %[[HALF:.*]] = arith.constant 64 : i32
// CHECK: %[[TURNED:.*]] = tpu.dynamic_rotate %[[AB]] by %[[HALF]] dim 1
// CHECK: arith.mulf %[[AB]], %[[TURNED]]
// CHECK-COUNT-6: tpu.dynamic_rotate
// CHECK: vector.extract_strided_slice %{{.*}} {offsets = [0, 0], sizes = [8, 1]
grid.kernel @product grid() inputs(%x: f32 [8, 200]) outputs(%o: f32 [8]) {
  %0 = grid.load %x : memref<8x200xf32, #grid.space<default>> -> tensor<8x200xf32>
  %one = arith.constant dense<1.0> : tensor<8xf32>
  %1 = linalg.reduce {arith.mulf} ins(%0 : tensor<8x200xf32>) outs(%one : tensor<8xf32>) dimensions = [1]
  grid.store %1, %o : tensor<8xf32>, memref<8xf32, #grid.space<default>>
}

// -----

// Mosaic has argmax and argmin of f32. Of integers it is the lowest index that holds the extreme.

#rows = affine_map<(d0, d1) -> (d0)>
#all = affine_map<(d0, d1) -> (d0, d1)>
// CHECK-LABEL: func.func @argmax_of_integers(
// CHECK: %[[BEST:.*]] = vector.multi_reduction <maxsi>
// CHECK: %[[IS_BEST:.*]] = arith.cmpi eq
// CHECK: %[[INDICES:.*]] = tpu.iota {dimensions = array<i32: 1>} : vector<8x128xi32>
// CHECK: %[[NONE:.*]] = arith.constant dense<2147483647> : vector<8x128xi32>
// CHECK: %[[HELD:.*]] = arith.select %[[IS_BEST]], %[[INDICES]], %[[NONE]]
// CHECK: vector.multi_reduction <minsi>, %[[HELD]]
grid.kernel @argmax_of_integers grid() inputs(%x: i32 [8, 128]) outputs(%o: i32 [8]) {
  %0 = grid.load %x : memref<8x128xi32, #grid.space<default>> -> tensor<8x128xi32>
  %c0 = arith.constant dense<0> : tensor<8xi32>
  %least = arith.constant dense<-2147483648> : tensor<8xi32>
  %1:2 = linalg.generic {indexing_maps = [#all, #rows, #rows], iterator_types = ["parallel", "reduction"]}
      ins(%0 : tensor<8x128xi32>) outs(%least, %c0 : tensor<8xi32>, tensor<8xi32>) {
  ^bb0(%v: i32, %best: i32, %best_index: i32):
    %i = linalg.index 1 : index
    %here = arith.index_cast %i : index to i32
    %better = arith.cmpi sgt, %v, %best : i32
    %w = arith.select %better, %v, %best : i32
    %p = arith.select %better, %here, %best_index : i32
    linalg.yield %w, %p : i32, i32
  } -> (tensor<8xi32>, tensor<8xi32>)
  grid.store %1#1, %o : tensor<8xi32>, memref<8xi32, #grid.space<default>>
}

// -----

// A number has no dimensions to reduce: it is combined with where the reduction starts.
// CHECK-LABEL: func.func @number
// CHECK: %[[X:.+]] = memref.load
// CHECK: arith.addf %{{.+}}, %[[X]] : f32
grid.kernel @number grid() inputs(%x: f32 [] space #tpu.memory_space<smem>) outputs(%o: f32 [] space #tpu.memory_space<smem>) {
  %0 = grid.load %x : memref<f32, #tpu.memory_space<smem>> -> f32
  %1 = tensor.from_elements %0 : tensor<f32>
  %start = arith.constant dense<2.0> : tensor<f32>
  %2 = linalg.reduce {arith.addf} ins(%1 : tensor<f32>) outs(%start : tensor<f32>) dimensions = []
  %3 = tensor.extract_slice %2[] [] [] : tensor<f32> to tensor<f32>
  %4 = tensor.insert_slice %3 into %1[] [] [] : tensor<f32> into tensor<f32>
  %5 = tensor.extract %4[] : tensor<f32>
  grid.store %5, %o : f32, memref<f32, #tpu.memory_space<smem>>
}
