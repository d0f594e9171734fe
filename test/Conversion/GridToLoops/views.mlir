// RUN: gridir-opt %s --split-input-file --convert-grid-to-loops | FileCheck %s

// A slice whose offset is the program's own id is proved in bounds: a subview, no check.
// CHECK-LABEL: kernel.abi @proved_slice{{$}}
// CHECK:       func.func @proved_slice(
// CHECK-NOT:     scf.if
// CHECK:         memref.subview %{{.*}}[%{{.*}}, 0] [1, 16] [1, 1] : memref<4x16xf32> to memref<16xf32, strided<[1], offset: ?>>
grid.kernel @proved_slice grid(%i = 4)
    inputs(%x: f32 [4, 16]) outputs(%o: f32 [4, 16] block [squeezed, 16] at (%i, 0)) {
  %p = grid.program_id 0
  %s = grid.slice_ref %x[%p, 0] [1, 16] [1, 1] drop [0] : memref<4x16xf32, #grid.space<default>>, i32 -> memref<16xf32, #grid.space<default>>
  %v = grid.load %s : memref<16xf32, #grid.space<default>> -> tensor<16xf32>
  grid.store %v, %o : tensor<16xf32>, memref<16xf32, #grid.space<default>>
}

// -----

// A loop over slices is proved from its bounds.
// CHECK-LABEL: kernel.abi @proved_loop{{$}}
// CHECK:       func.func @proved_loop(
grid.kernel @proved_loop grid(%i = 4)
    inputs(%x: f32 [64]) outputs(%o: f32 [32] block [8] at (%i)) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %c16 = arith.constant 16 : i32
  %p = grid.program_id 0
  %n = arith.addi %p, %c1 : i32
  scf.for %j = %c0 to %n step %c1 : i32 {
    %at = arith.muli %j, %c16 : i32
    %s = grid.slice_ref %x[%at] [8] [2] : memref<64xf32, #grid.space<default>>, i32 -> memref<8xf32, #grid.space<default>>
    %v = grid.load %s : memref<8xf32, #grid.space<default>> -> tensor<8xf32>
    grid.store %v, %o : tensor<8xf32>, memref<8xf32, #grid.space<default>>
  }
}

// -----

// An offset that is loaded is checked once, and clamped: the program goes on safely.
// CHECK-LABEL: kernel.abi @checked_slice diagnostics = ["a slice of 4 elements from index {0} is out of bounds [0, {1}) in dimension 0 of x_ref (kernel.py:9:5)"]
// CHECK:       func.func @checked_slice(
// CHECK-SAME:      %[[I:[a-z0-9]*]]: memref<i32> {llvm.noalias}, %[[X:[a-z0-9]*]]: memref<16xf32> {llvm.noalias}, %{{[a-z0-9]*}}: memref<4xf32> {llvm.noalias},
// CHECK-SAME:      %[[STATUS:[a-z0-9]*]]: memref<4xi64>
// CHECK:         %[[L:[a-z0-9_]*]] = memref.load %[[I]]
// CHECK:         %[[AT:[a-z0-9_]*]] = arith.index_cast %[[L]] : i32 to index
// CHECK:         scf.if
// CHECK:           memref.store %{{.*}}, %[[STATUS]]
// CHECK:         %[[LOW:[a-z0-9_]*]] = arith.maxsi %[[AT]]
// CHECK:         %[[IN:[a-z0-9_]*]] = arith.minsi %[[LOW]]
// CHECK:         memref.subview %[[X]][%[[IN]]] [4] [1]
grid.kernel @checked_slice grid()
    inputs(%i: i32 [], %x: f32 [16] origin "x_ref") outputs(%o: f32 [4]) {
  %at = grid.load %i : memref<i32, #grid.space<default>> -> i32
  %s = grid.slice_ref %x[%at] [4] [1] : memref<16xf32, #grid.space<default>>, i32 -> memref<4xf32, #grid.space<default>> loc("kernel.py":9:5)
  %v = grid.load %s : memref<4xf32, #grid.space<default>> -> tensor<4xf32>
  grid.store %v, %o : tensor<4xf32>, memref<4xf32, #grid.space<default>>
}

// -----

// A masked store may name elements outside, which the mask must hide: where the window leaves the Ref, elements that the
// mask lets through, and no others, go through a buffer, which is zero elsewhere.
// CHECK-LABEL: kernel.abi @masked_slice diagnostics = ["index {0} is out of bounds [0, {1}) in dimension 0 of o_ref (kernel.py:9:5)"]
// CHECK:       func.func @masked_slice(
// CHECK:         scf.if %[[INSIDE:[a-z0-9_]*]] -> (memref<4xf32
// CHECK:         } else {
// CHECK:           scf.for
// CHECK:             %[[CHOSEN:.*]] = tensor.extract
// CHECK:             %[[WITHIN:.*]] = arith.cmpi ult
// CHECK:             %[[EXISTS:.*]] = arith.andi %[[CHOSEN]], %[[WITHIN]] : i1
// CHECK:             %[[BEYOND:.*]] = arith.cmpi uge
// CHECK:             %[[FAULT:.*]] = arith.andi %[[BEYOND]], %[[CHOSEN]] : i1
// CHECK:             scf.if %[[FAULT]]
// CHECK:             %[[HELD:.*]] = scf.if %[[EXISTS]] -> (f32)
// CHECK-NEXT:          %[[LOADED:.*]] = memref.load
// CHECK-NEXT:          scf.yield %[[LOADED]]
// CHECK:             %[[ZERO:.*]] = arith.constant 0.0
// CHECK-NEXT:          scf.yield %[[ZERO]]
// CHECK:             memref.store %[[HELD]]
// CHECK:         bufferization.materialize_in_destination
// CHECK:         %[[OUTSIDE:.*]] = arith.xori %[[INSIDE]], %
// CHECK:         scf.if %[[OUTSIDE]] {
// CHECK:           scf.for
// CHECK:             scf.if
// CHECK-NEXT:          memref.load
// CHECK-NEXT:          memref.store
grid.kernel @masked_slice grid()
    inputs(%i: i32 [], %v: f32 [4], %m: i1 [4]) outputs(%o: f32 [16] origin "o_ref") {
  %at = grid.load %i : memref<i32, #grid.space<default>> -> i32
  %a = grid.load %v : memref<4xf32, #grid.space<default>> -> tensor<4xf32>
  %b = grid.load %m : memref<4xi1, #grid.space<default>> -> tensor<4xi1>
  %s = grid.slice_ref %o[%at] [4] [1] : memref<16xf32, #grid.space<default>>, i32 -> memref<4xf32, #grid.space<default>>
  grid.store %a, %s mask %b : tensor<4xf32>, memref<4xf32, #grid.space<default>>, tensor<4xi1> loc("kernel.py":9:5)
}

// -----

// A load without a mask through the same slice must lie inside, but only where it happens.
// CHECK-LABEL: kernel.abi @mixed_slice
// CHECK-SAME:    "index {0} is out of bounds [0, {1}) in dimension 0 of x_ref (kernel.py:8:5)"
// CHECK-SAME:    "a slice of 4 elements from index {0} is out of bounds [0, {1}) in dimension 0 of x_ref (kernel.py:7:5)"
// CHECK:       func.func @mixed_slice(
// CHECK:         scf.if %{{.*}} -> (memref<4xf32
// CHECK:         scf.if %{{.*}} {
// CHECK:           arith.cmpi sgt
// CHECK:           memref.subview
grid.kernel @mixed_slice grid()
    inputs(%i: i32 [], %c: i1 [], %x: f32 [16] origin "x_ref") outputs(%o: f32 [4], %p: f32 [4]) {
  %at = grid.load %i : memref<i32, #grid.space<default>> -> i32
  %b = grid.load %c : memref<i1, #grid.space<default>> -> i1
  %m = arith.constant dense<[true, true, false, false]> : tensor<4xi1>
  %s = grid.slice_ref %x[%at] [4] [1] : memref<16xf32, #grid.space<default>>, i32 -> memref<4xf32, #grid.space<default>> loc("kernel.py":7:5)
  %v = grid.load %s mask %m : memref<4xf32, #grid.space<default>>, tensor<4xi1> -> tensor<4xf32> loc("kernel.py":8:5)
  grid.store %v, %o : tensor<4xf32>, memref<4xf32, #grid.space<default>>
  scf.if %b {
    %w = grid.load %s : memref<4xf32, #grid.space<default>> -> tensor<4xf32>
    grid.store %w, %p : tensor<4xf32>, memref<4xf32, #grid.space<default>>
  }
}

// -----

// A reshape of contiguous memory is a view; one of a strided block is applied to the value.
// CHECK-LABEL: func.func @reshapes(
// CHECK-SAME:      %[[X:[a-z0-9]*]]: memref<4x8xf32>
// CHECK:         %[[B:[a-z0-9_]*]] = memref.subview
// CHECK:         %[[L:[a-z0-9_]*]] = memref.collapse_shape %[[X:.*]] {{\[\[}}0, 1]]
// CHECK:         memref.subview %[[L]][8] [16] [1]
// CHECK:         %[[V:[a-z0-9_]*]] = bufferization.to_tensor %[[B]] restrict
// CHECK:         tensor.collapse_shape %[[V]] {{\[\[}}0, 1]]
grid.kernel @reshapes grid(%i = 2)
    inputs(%x: f32 [4, 8], %y: f32 [4, 8] block [4, 4] at (0, %i))
    outputs(%o: f32 [16]) {
  %l = grid.reshape_ref %x : memref<4x8xf32, #grid.space<default>> -> memref<32xf32, #grid.space<default>>
  %s = grid.slice_ref %l[8] [16] [1] : memref<32xf32, #grid.space<default>> -> memref<16xf32, #grid.space<default>>
  %a = grid.load %s : memref<16xf32, #grid.space<default>> -> tensor<16xf32>
  %k = grid.reshape_ref %y : memref<4x4xf32, #grid.space<default>> -> memref<16xf32, #grid.space<default>>
  %b = grid.load %k : memref<16xf32, #grid.space<default>> -> tensor<16xf32>
  %c = arith.addf %a, %b : tensor<16xf32>
  grid.store %c, %o : tensor<16xf32>, memref<16xf32, #grid.space<default>>
}

// -----

// Transposes and bitcasts are applied to the value that is read, and undone on the value that is written.
// CHECK-LABEL: func.func @value_views(
// CHECK:         %[[V:[a-z0-9_]*]] = bufferization.to_tensor
// CHECK:         %[[T:[a-z0-9_]*]] = linalg.transpose ins(%[[V]] : tensor<4x8xf32>)
// CHECK:         linalg.generic {{.*}} ins(%{{.*}} : tensor<8x4xf32>)
// CHECK:           arith.bitcast %{{.*}} : f32 to i32
// CHECK:         %[[O:[a-z0-9_]*]] = tensor.insert_slice
// CHECK:         bufferization.materialize_in_destination %{{.*}} in restrict writable
grid.kernel @value_views grid()
    inputs(%x: f32 [4, 8]) outputs(%o: i16 [16, 4]) {
  %t = grid.transpose_ref %x [1, 0] : memref<4x8xf32, #grid.space<default>> -> memref<8x4xf32, #grid.space<default>>
  %b = grid.bitcast_ref %t : memref<8x4xf32, #grid.space<default>> -> memref<8x4xi32, #grid.space<default>>
  %v = grid.load %b : memref<8x4xi32, #grid.space<default>> -> tensor<8x4xi32>
  %w = grid.bitcast_ref %o : memref<16x4xi16, #grid.space<default>> -> memref<8x4xi32, #grid.space<default>>
  %s = grid.slice_ref %w[0, 0] [4, 4] [1, 1] : memref<8x4xi32, #grid.space<default>> -> memref<4x4xi32, #grid.space<default>>
  %u = tensor.extract_slice %v[0, 0] [4, 4] [1, 1] : tensor<8x4xi32> to tensor<4x4xi32>
  grid.store %u, %s : tensor<4x4xi32>, memref<4x4xi32, #grid.space<default>>
}

// -----

// One of several Refs is chosen while the kernel runs, by an index that is checked.
// CHECK-LABEL: kernel.abi @selected diagnostics = ["index {0} is out of bounds [0, {1}) of the Refs to choose from
// CHECK-LABEL: func.func @selected(
// CHECK:         %[[R:[a-z0-9_]*]] = scf.if %{{.*}} -> (memref<8xf32, strided<[?], offset: ?>>)
// CHECK:         bufferization.to_tensor %[[R]] restrict
grid.kernel @selected grid()
    inputs(%i: i32 [], %x: f32 [8], %y: f32 [8]) outputs(%o: f32 [8]) {
  %at = grid.load %i : memref<i32, #grid.space<default>> -> i32
  %r = grid.select_ref %at of %x, %y : memref<8xf32, #grid.space<default>>, memref<8xf32, #grid.space<default>> -> memref<8xf32, #grid.space<default>>
  %v = grid.load %r : memref<8xf32, #grid.space<default>> -> tensor<8xf32>
  grid.store %v, %o : tensor<8xf32>, memref<8xf32, #grid.space<default>>
}

// -----

// The memref of a transposed Ref cannot represent the reshape: the accesses resolve the view.
// CHECK-LABEL: func.func @reshaped_transpose(
// CHECK-SAME:    %[[X:.*]]: memref<4x8xf32>
// CHECK:         %[[V:.*]] = bufferization.to_tensor %[[X]] restrict : memref<4x8xf32>
// CHECK:         %[[T:.*]] = linalg.transpose ins(%[[V]] : tensor<4x8xf32>) outs(%{{.*}} : tensor<8x4xf32>) permutation = [1, 0]
// CHECK:         tensor.collapse_shape %[[T]] {{.*}} : tensor<8x4xf32> into tensor<32xf32>
grid.kernel @reshaped_transpose grid() inputs(%x: f32 [4, 8]) outputs(%o: f32 [32]) {
  %t = grid.transpose_ref %x [1, 0] : memref<4x8xf32, #grid.space<default>> -> memref<8x4xf32, #grid.space<default>>
  %r = grid.reshape_ref %t : memref<8x4xf32, #grid.space<default>> -> memref<32xf32, #grid.space<default>>
  %v = grid.load %r : memref<32xf32, #grid.space<default>> -> tensor<32xf32>
  grid.store %v, %o : tensor<32xf32>, memref<32xf32, #grid.space<default>>
}

// -----

// Half of each row is no memref of one dimension, since the elements are not contiguous; the value is reshaped instead.
// Rows that are whole are one.
// CHECK-LABEL: func.func @reshaped_columns(
// CHECK-SAME:    %[[X:.*]]: memref<4x8xf32>
// CHECK:         %[[ROWS:.*]] = memref.subview %[[X]][0, 0] [2, 8] [1, 1]
// CHECK:         %[[LINE:.*]] = memref.collapse_shape %[[ROWS]]
// CHECK:         %[[HALF:.*]] = memref.subview %[[X]][0, 0] [4, 4] [1, 1]
// CHECK-NOT:     memref.collapse_shape
// CHECK:         bufferization.to_tensor %[[LINE]]
// CHECK:         %[[V:.*]] = bufferization.to_tensor %[[HALF]]
// CHECK:         tensor.collapse_shape %[[V]] {{.*}} : tensor<4x4xf32> into tensor<16xf32>
grid.kernel @reshaped_columns grid() inputs(%x: f32 [4, 8]) outputs(%o: f32 [16]) {
  %rows = grid.slice_ref %x[0, 0] [2, 8] [1, 1] : memref<4x8xf32, #grid.space<default>> -> memref<2x8xf32, #grid.space<default>>
  %line = grid.reshape_ref %rows : memref<2x8xf32, #grid.space<default>> -> memref<16xf32, #grid.space<default>>
  %half = grid.slice_ref %x[0, 0] [4, 4] [1, 1] : memref<4x8xf32, #grid.space<default>> -> memref<4x4xf32, #grid.space<default>>
  %columns = grid.reshape_ref %half : memref<4x4xf32, #grid.space<default>> -> memref<16xf32, #grid.space<default>>
  %0 = grid.load %line : memref<16xf32, #grid.space<default>> -> tensor<16xf32>
  %1 = grid.load %columns : memref<16xf32, #grid.space<default>> -> tensor<16xf32>
  %2 = arith.addf %0, %1 : tensor<16xf32>
  grid.store %2, %o : tensor<16xf32>, memref<16xf32, #grid.space<default>>
}

// -----

// A load stays as it is where the memory is not a Ref: nothing is known of its name.
// CHECK-LABEL: func.func @other_memory(
// CHECK:         %[[M:.*]] = memref.alloca() : memref<8xi32>
// CHECK:         memref.load %[[M]][%{{.*}}] : memref<8xi32>
grid.kernel @other_memory grid() outputs(%o: i32 []) {
  %at = arith.constant 1 : index
  %m = memref.alloca() : memref<8xi32>
  %v = memref.load %m[%at] : memref<8xi32>
  grid.store %v, %o : i32, memref<i32, #grid.space<default>>
}

// -----

// An upstream load of a number is checked as the accesses of the dialect are.
// CHECK-LABEL: kernel.abi @upstream_load diagnostics = ["index {0} is out of bounds [0, {1}) in dimension 0 of n_ref
// CHECK:       func.func @upstream_load(
// CHECK:         %[[INDEX:.*]] = arith.minsi
// CHECK:         memref.load %{{.*}}[%[[INDEX]]] : memref<4xi32>
grid.kernel @upstream_load grid(%i = 8)
    inputs(%n: i32 [4] origin "n_ref") outputs(%o: i32 [8] block [squeezed] at (%i)) {
  %p = grid.program_id 0
  %at = arith.index_cast %p : i32 to index
  %v = memref.load %n[%at] : memref<4xi32, #grid.space<default>>
  grid.store %v, %o : i32, memref<i32, #grid.space<default>>
}

// -----

// The stride of a dimension with one element is irrelevant, and the dimension that is dropped is the one that the slice
// names.
// CHECK-LABEL: func.func @stride_of_one(
// CHECK:         memref.subview %{{.*}}[1, 0, 0] [1, 1, 8] [1, 1, 1] : memref<3x1x8xf32> to memref<1x8xf32, strided<[8, 1], offset: 8>>
grid.kernel @stride_of_one grid() inputs(%x: f32 [3, 1, 8]) outputs(%o: f32 [1, 8]) {
  %s = grid.slice_ref %x[1, 0, 0] [1, 1, 8] [33, 1, 1] drop [0]
      : memref<3x1x8xf32, #grid.space<default>> -> memref<1x8xf32, #grid.space<default>>
  %v = grid.load %s : memref<1x8xf32, #grid.space<default>> -> tensor<1x8xf32>
  grid.store %v, %o : tensor<1x8xf32>, memref<1x8xf32, #grid.space<default>>
}
