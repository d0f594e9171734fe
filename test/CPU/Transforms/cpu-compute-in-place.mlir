// RUN: gridir-opt %s --cpu-compute-in-place --split-input-file | FileCheck %s
// RUN: gridir-opt %s --cpu-compute-in-place --split-input-file --mlir-pass-statistics 2>&1 | FileCheck %s --check-prefix=STATS

// STATS: num-in-place

// CHECK-LABEL: func.func @plain
// CHECK-SAME:    %{{.*}}: tensor<8xf32>, %[[O:.*]]: memref<8xf32>
// CHECK:         %[[D:.*]] = bufferization.to_tensor %[[O]] restrict writable
// CHECK:         linalg.exp {{.*}} outs(%[[D]]
func.func @plain(%x: tensor<8xf32>, %o: memref<8xf32>) {
  %e = tensor.empty() : tensor<8xf32>
  %y = linalg.exp ins(%x : tensor<8xf32>) outs(%e : tensor<8xf32>) -> tensor<8xf32>
  bufferization.materialize_in_destination %y in restrict writable %o : (tensor<8xf32>, memref<8xf32>) -> ()
  return
}

// -----

// The old contents of %o are read after the value is computed and before it is stored.
// CHECK-LABEL: func.func @read_between
// CHECK-NOT:     restrict writable
// CHECK:         linalg.exp
// CHECK:         return
func.func @read_between(%x: tensor<8xf32>, %o: memref<8xf32>, %p: memref<8xf32>) {
  %c0 = arith.constant 0 : index
  %e = tensor.empty() : tensor<8xf32>
  %y = linalg.exp ins(%x : tensor<8xf32>) outs(%e : tensor<8xf32>) -> tensor<8xf32>
  %old = memref.load %o[%c0] : memref<8xf32>
  memref.store %old, %p[%c0] : memref<8xf32>
  bufferization.materialize_in_destination %y in restrict writable %o : (tensor<8xf32>, memref<8xf32>) -> ()
  return
}

// -----

#id = affine_map<(d0) -> (d0)>
#reverse = affine_map<(d0) -> (7 - d0)>

// An update in place reads each element before it writes it.
// CHECK-LABEL: func.func @update
// CHECK-SAME:    %[[O:.*]]: memref<8xf32>
// CHECK:         %[[D:.*]] = bufferization.to_tensor %[[O]] restrict writable
// CHECK:         linalg.generic {{.*}} outs(%[[D]]
func.func @update(%o: memref<8xf32>) {
  %x = bufferization.to_tensor %o restrict : memref<8xf32> to tensor<8xf32>
  %e = tensor.empty() : tensor<8xf32>
  %y = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel"]}
      ins(%x : tensor<8xf32>) outs(%e : tensor<8xf32>) {
  ^bb0(%a: f32, %b: f32):
    %0 = arith.addf %a, %a : f32
    linalg.yield %0 : f32
  } -> tensor<8xf32>
  bufferization.materialize_in_destination %y in restrict writable %o : (tensor<8xf32>, memref<8xf32>) -> ()
  return
}

// A reversal in place would read what it has written.
// CHECK-LABEL: func.func @reverse
// CHECK-NOT:     restrict writable
// CHECK:         linalg.generic
// CHECK:         return
func.func @reverse(%o: memref<8xf32>) {
  %x = bufferization.to_tensor %o restrict : memref<8xf32> to tensor<8xf32>
  %e = tensor.empty() : tensor<8xf32>
  %y = linalg.generic {indexing_maps = [#reverse, #id], iterator_types = ["parallel"]}
      ins(%x : tensor<8xf32>) outs(%e : tensor<8xf32>) {
  ^bb0(%a: f32, %b: f32):
    linalg.yield %a : f32
  } -> tensor<8xf32>
  bufferization.materialize_in_destination %y in restrict writable %o : (tensor<8xf32>, memref<8xf32>) -> ()
  return
}

// The two arguments may be one array, so a shifted block of one may be overwritten while it is read.
// CHECK-LABEL: func.func @shifted
// CHECK-NOT:     restrict writable
// CHECK:         linalg.exp
// CHECK:         return
func.func @shifted(%i: memref<64xf32>, %o: memref<64xf32>, %n: index) {
  %is = memref.subview %i[1] [8] [1] : memref<64xf32> to memref<8xf32, strided<[1], offset: 1>>
  %os = memref.subview %o[%n] [8] [1] : memref<64xf32> to memref<8xf32, strided<[1], offset: ?>>
  %x = bufferization.to_tensor %is restrict : memref<8xf32, strided<[1], offset: 1>> to tensor<8xf32>
  %e = tensor.empty() : tensor<8xf32>
  %y = linalg.exp ins(%x : tensor<8xf32>) outs(%e : tensor<8xf32>) -> tensor<8xf32>
  bufferization.materialize_in_destination %y in restrict writable %os : (tensor<8xf32>, memref<8xf32, strided<[1], offset: ?>>) -> ()
  return
}

// -----

// A contraction that starts from what the Ref holds accumulates in the Ref.
// CHECK-LABEL: func.func @accumulate
// CHECK-SAME:    tensor<8x16xf32>, %[[ACC:.*]]: memref<4x16xf32>
// CHECK:         %[[D:.*]] = bufferization.to_tensor %[[ACC]] restrict writable
// CHECK:         linalg.matmul {{.*}} outs(%[[D]]
func.func @accumulate(%a: tensor<4x8xf32>, %b: tensor<8x16xf32>, %acc: memref<4x16xf32>) {
  %c = bufferization.to_tensor %acc restrict : memref<4x16xf32> to tensor<4x16xf32>
  %d = linalg.matmul ins(%a, %b : tensor<4x8xf32>, tensor<8x16xf32>) outs(%c : tensor<4x16xf32>) -> tensor<4x16xf32>
  bufferization.materialize_in_destination %d in restrict writable %acc : (tensor<4x16xf32>, memref<4x16xf32>) -> ()
  return
}

// -----

// Each insertion writes to a fill of its own: one of them would be copied.
// CHECK-LABEL: func.func @fills(
// CHECK-COUNT-2: linalg.fill
// CHECK-NOT:     linalg.fill
// CHECK:         return
func.func @fills(%a: tensor<4xf32>, %b: tensor<4xf32>) -> (tensor<8xf32>, tensor<8xf32>) {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<8xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<8xf32>) -> tensor<8xf32>
  %x = tensor.insert_slice %a into %f[4] [4] [1] : tensor<4xf32> into tensor<8xf32>
  %y = tensor.insert_slice %b into %f[2] [4] [1] : tensor<4xf32> into tensor<8xf32>
  return %x, %y : tensor<8xf32>, tensor<8xf32>
}
