// Folders and canonicalisation of the dialect's ops.
//
// RUN: gridir-opt %s --canonicalize --split-input-file | FileCheck %s

// A static number of programs is a constant, by number and by name; a dynamic one is not.
// CHECK-LABEL: grid.kernel @num_programs
grid.kernel @num_programs grid(%i = 4, %j = 8 named "rows", %k = ?) outputs(%o: i32 [3]) {
  // CHECK-DAG: %[[C4:.*]] = arith.constant 4 : i32
  // CHECK-DAG: %[[C8:.*]] = arith.constant 8 : i32
  // CHECK-DAG: %[[DYNAMIC:.*]] = grid.num_programs 2
  %a = grid.num_programs 0
  %b = grid.num_programs "rows"
  %c = grid.num_programs 2
  // CHECK: tensor.from_elements %[[C4]], %[[C8]], %[[DYNAMIC]]
  %v = tensor.from_elements %a, %b, %c : tensor<3xi32>
  grid.store %v, %o : tensor<3xi32>, memref<3xi32, #grid.space<default>>
}

// -----

// A view that changes nothing is its source.
// CHECK-LABEL: func.func @identities
// CHECK-SAME: %[[X:.*]]: memref<8x16xf32>
func.func @identities(%x: memref<8x16xf32>) -> (memref<8x16xf32>, memref<8x16xf32>, memref<8x16xf32>, memref<8x16xf32>) {
  %s = grid.slice_ref %x[0, 0] [8, 16] [1, 1] : memref<8x16xf32> -> memref<8x16xf32>
  %b = grid.bitcast_ref %x : memref<8x16xf32> -> memref<8x16xf32>
  %r = grid.reshape_ref %x : memref<8x16xf32> -> memref<8x16xf32>
  %t = grid.transpose_ref %x [0, 1] : memref<8x16xf32> -> memref<8x16xf32>
  // CHECK: return %[[X]], %[[X]], %[[X]], %[[X]]
  return %s, %b, %r, %t : memref<8x16xf32>, memref<8x16xf32>, memref<8x16xf32>, memref<8x16xf32>
}

// -----

// Two views of one kind are one view.
// CHECK-LABEL: func.func @compositions
// CHECK-SAME: %[[X:.*]]: memref<8x16x4xf32>, %[[H:.*]]: memref<16x128xi16>
func.func @compositions(%x: memref<8x16x4xf32>, %h: memref<16x128xi16>)
    -> (memref<4x16x8xf32>, memref<512xf32>, memref<4x128xi64>) {
  // CHECK: %[[T:.*]] = grid.transpose_ref %[[X]] [2, 1, 0]
  %t0 = grid.transpose_ref %x [1, 2, 0] : memref<8x16x4xf32> -> memref<16x4x8xf32>
  %t = grid.transpose_ref %t0 [1, 0, 2] : memref<16x4x8xf32> -> memref<4x16x8xf32>
  // CHECK: %[[R:.*]] = grid.reshape_ref %[[X]] : memref<8x16x4xf32> -> memref<512xf32>
  %r0 = grid.reshape_ref %x : memref<8x16x4xf32> -> memref<128x4xf32>
  %r = grid.reshape_ref %r0 : memref<128x4xf32> -> memref<512xf32>
  // CHECK: %[[B:.*]] = grid.bitcast_ref %[[H]] : memref<16x128xi16> -> memref<4x128xi64>
  %b0 = grid.bitcast_ref %h : memref<16x128xi16> -> memref<8x128xi32>
  %b = grid.bitcast_ref %b0 : memref<8x128xi32> -> memref<4x128xi64>
  // CHECK: return %[[T]], %[[R]], %[[B]]
  return %t, %r, %b : memref<4x16x8xf32>, memref<512xf32>, memref<4x128xi64>
}

// -----

// A view and the view back are nothing.
// CHECK-LABEL: func.func @there_and_back
// CHECK-SAME: %[[X:.*]]: memref<8x16xf32>
func.func @there_and_back(%x: memref<8x16xf32>) -> (memref<8x16xf32>, memref<8x16xf32>) {
  %t0 = grid.transpose_ref %x [1, 0] : memref<8x16xf32> -> memref<16x8xf32>
  %t = grid.transpose_ref %t0 [1, 0] : memref<16x8xf32> -> memref<8x16xf32>
  %r0 = grid.reshape_ref %x : memref<8x16xf32> -> memref<128xf32>
  %r = grid.reshape_ref %r0 : memref<128xf32> -> memref<8x16xf32>
  // CHECK: return %[[X]], %[[X]]
  return %t, %r : memref<8x16xf32>, memref<8x16xf32>
}

// -----

// A window of a window is a window: offsets add up, strides multiply, and dimensions that
// either of them drops are dropped.
// CHECK-LABEL: func.func @slice_of_slice
// CHECK-SAME: %[[X:.*]]: memref<4x64x128xf32>, %[[I:.*]]: i32
func.func @slice_of_slice(%x: memref<4x64x128xf32>, %i: i32) -> (memref<16xf32>, memref<8x16xf32>) {
  // CHECK: %[[A:.*]] = grid.slice_ref %[[X]][%[[I]], 11, 32] [1, 1, 16] [1, 2, 2] drop [0, 1] : memref<4x64x128xf32>, i32 -> memref<16xf32>
  %a0 = grid.slice_ref %x[%i, 8, 32] [1, 8, 64] [1, 1, 1] drop [0] : memref<4x64x128xf32>, i32 -> memref<8x64xf32>
  %a = grid.slice_ref %a0[3, 0] [1, 16] [2, 2] drop [0] : memref<8x64xf32> -> memref<16xf32>
  // A dynamic offset moves through where the outer stride is 1.
  // CHECK: %[[B:.*]] = grid.slice_ref %[[X]][2, %[[I]], 16] [1, 8, 16] [1, 1, 4] drop [0] : memref<4x64x128xf32>, i32 -> memref<8x16xf32>
  %b0 = grid.slice_ref %x[2, 0, 16] [1, 64, 16] [1, 1, 4] drop [0] : memref<4x64x128xf32> -> memref<64x16xf32>
  %b = grid.slice_ref %b0[%i, 0] [8, 16] [1, 1] : memref<64x16xf32>, i32 -> memref<8x16xf32>
  // CHECK: return %[[A]], %[[B]]
  return %a, %b : memref<16xf32>, memref<8x16xf32>
}

// -----

// A window with a dynamic offset is a check of its own: a window of it that is smaller must not
// lose the check, so the two stay apart where the outer one is not wholly kept.
// CHECK-LABEL: func.func @dynamic_window_is_kept
func.func @dynamic_window_is_kept(%x: memref<64xf32>, %i: i32) -> memref<2xf32> {
  // CHECK: %[[A:.*]] = grid.slice_ref %{{.*}}[%{{.*}}] [8] [1]
  %a = grid.slice_ref %x[%i] [8] [1] : memref<64xf32>, i32 -> memref<8xf32>
  // CHECK: grid.slice_ref %[[A]][2] [2] [1]
  %b = grid.slice_ref %a[2] [2] [1] : memref<8xf32> -> memref<2xf32>
  return %b : memref<2xf32>
}

// -----

// An offset that is constant is part of the window.
// CHECK-LABEL: func.func @constant_offset
// CHECK-SAME: %[[X:.*]]: memref<64x8xf32>, %[[I:.*]]: i32
func.func @constant_offset(%x: memref<64x8xf32>, %i: i32) -> memref<8x2xf32> {
  %c16 = arith.constant 16 : i32
  // CHECK: grid.slice_ref %[[X]][16, %[[I]]] [8, 2] [1, 1] : memref<64x8xf32>, i32 -> memref<8x2xf32>
  %a = grid.slice_ref %x[%c16, %i] [8, 2] [1, 1] : memref<64x8xf32>, i32, i32 -> memref<8x2xf32>
  return %a : memref<8x2xf32>
}

// -----

// A constant offset outside of the Ref stays dynamic: the kernel reports it when it runs, and
// perhaps never comes there.
// CHECK-LABEL: func.func @constant_offset_outside
func.func @constant_offset_outside(%x: memref<64xf32>) -> memref<8xf32> {
  // CHECK: %[[C:.*]] = arith.constant 60
  %c60 = arith.constant 60 : i32
  // CHECK: grid.slice_ref %{{.*}}[%[[C]]] [8] [1]
  %a = grid.slice_ref %x[%c60] [8] [1] : memref<64xf32>, i32 -> memref<8xf32>
  return %a : memref<8xf32>
}

// -----

// A condition that holds needs no check; one that may be false, or is, is kept.
// CHECK-LABEL: func.func @assert
func.func @assert(%ok: i1) {
  %true = arith.constant true
  %false = arith.constant false
  // CHECK-NOT: "always"
  grid.assert %true, "always"
  // An assertion stays where the condition is not known to hold.
  // CHECK: grid.assert %{{.*}}, "maybe"
  grid.assert %ok, "maybe"
  // CHECK: grid.assert %{{.*}}, "never"
  grid.assert %false, "never"
  return
}

// -----

// A constant that is a multiple says so itself; one that is not stays to be seen.
// CHECK-LABEL: func.func @assume_multiple
func.func @assume_multiple() -> (i32, i32) {
  // CHECK-DAG: %[[C256:.*]] = arith.constant 256 : i32
  // CHECK-DAG: %[[C3:.*]] = arith.constant 3 : i32
  %c256 = arith.constant 256 : i32
  %c3 = arith.constant 3 : i32
  %0 = grid.assume_multiple %c256, 128 : i32
  // CHECK: %[[KEPT:.*]] = grid.assume_multiple %[[C3]], 128
  %1 = grid.assume_multiple %c3, 128 : i32
  // CHECK: return %[[C256]], %[[KEPT]]
  return %0, %1 : i32, i32
}

// -----

// Two windows whose offsets are not known are checked one by one, though the inner is as long as the outer.
// CHECK-LABEL: func.func @two_windows
// CHECK: %[[A:.*]] = grid.slice_ref %{{.*}}[%{{.*}}] [8] [1]
// CHECK: grid.slice_ref %[[A]][%{{.*}}] [8] [1]
func.func @two_windows(%x: memref<64xf32>, %i: i32, %j: i32) -> tensor<8xf32> {
  %a = grid.slice_ref %x[%i] [8] [1] : memref<64xf32>, i32 -> memref<8xf32>
  %b = grid.slice_ref %a[%j] [8] [1] : memref<8xf32>, i32 -> memref<8xf32>
  %v = grid.load %b : memref<8xf32> -> tensor<8xf32>
  return %v : tensor<8xf32>
}
