// RUN: gridir-opt %s --allow-unregistered-dialect --loops-compute-in-place --split-input-file | FileCheck %s
// RUN: gridir-opt %s --allow-unregistered-dialect --loops-compute-in-place --split-input-file --mlir-pass-statistics 2>&1 | FileCheck %s --check-prefix=STATS

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

// A buffer of the function is none of its arguments, whatever is read and written there.
// CHECK-LABEL: func.func @buffer_between
// CHECK-SAME:    %{{.*}}: tensor<8xf32>, %[[O:.*]]: memref<8xf32>
// CHECK:         %[[D:.*]] = bufferization.to_tensor %[[O]] restrict writable
// CHECK:         linalg.exp {{.*}} outs(%[[D]]
func.func @buffer_between(%x: tensor<8xf32>, %o: memref<8xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %m = memref.alloc() : memref<8xf32>
  %e = tensor.empty() : tensor<8xf32>
  %y = linalg.exp ins(%x : tensor<8xf32>) outs(%e : tensor<8xf32>) -> tensor<8xf32>
  %old = memref.load %m[%c0] : memref<8xf32>
  memref.store %old, %m[%c1] : memref<8xf32>
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

// -----

// CSE has made the empty tensors of a type one. Bufferisation compares all uses of a tensor with each other, so only 16
// share one.
// CHECK-LABEL: func.func @shared_empty
// CHECK:         %[[E0:.*]] = tensor.empty
// CHECK-COUNT-16: linalg.exp {{.*}} outs(%[[E0]] :
// CHECK:         %[[E1:.*]] = tensor.empty
// CHECK:         linalg.exp {{.*}} outs(%[[E1]] :
// CHECK:         return
func.func @shared_empty(%x: tensor<8xf32>) -> tensor<8xf32> {
  %e = tensor.empty() : tensor<8xf32>
  %y0 = linalg.exp ins(%x : tensor<8xf32>) outs(%e : tensor<8xf32>) -> tensor<8xf32>
  %y1 = linalg.exp ins(%y0 : tensor<8xf32>) outs(%e : tensor<8xf32>) -> tensor<8xf32>
  %y2 = linalg.exp ins(%y1 : tensor<8xf32>) outs(%e : tensor<8xf32>) -> tensor<8xf32>
  %y3 = linalg.exp ins(%y2 : tensor<8xf32>) outs(%e : tensor<8xf32>) -> tensor<8xf32>
  %y4 = linalg.exp ins(%y3 : tensor<8xf32>) outs(%e : tensor<8xf32>) -> tensor<8xf32>
  %y5 = linalg.exp ins(%y4 : tensor<8xf32>) outs(%e : tensor<8xf32>) -> tensor<8xf32>
  %y6 = linalg.exp ins(%y5 : tensor<8xf32>) outs(%e : tensor<8xf32>) -> tensor<8xf32>
  %y7 = linalg.exp ins(%y6 : tensor<8xf32>) outs(%e : tensor<8xf32>) -> tensor<8xf32>
  %y8 = linalg.exp ins(%y7 : tensor<8xf32>) outs(%e : tensor<8xf32>) -> tensor<8xf32>
  %y9 = linalg.exp ins(%y8 : tensor<8xf32>) outs(%e : tensor<8xf32>) -> tensor<8xf32>
  %y10 = linalg.exp ins(%y9 : tensor<8xf32>) outs(%e : tensor<8xf32>) -> tensor<8xf32>
  %y11 = linalg.exp ins(%y10 : tensor<8xf32>) outs(%e : tensor<8xf32>) -> tensor<8xf32>
  %y12 = linalg.exp ins(%y11 : tensor<8xf32>) outs(%e : tensor<8xf32>) -> tensor<8xf32>
  %y13 = linalg.exp ins(%y12 : tensor<8xf32>) outs(%e : tensor<8xf32>) -> tensor<8xf32>
  %y14 = linalg.exp ins(%y13 : tensor<8xf32>) outs(%e : tensor<8xf32>) -> tensor<8xf32>
  %y15 = linalg.exp ins(%y14 : tensor<8xf32>) outs(%e : tensor<8xf32>) -> tensor<8xf32>
  %y16 = linalg.exp ins(%y15 : tensor<8xf32>) outs(%e : tensor<8xf32>) -> tensor<8xf32>
  return %y16 : tensor<8xf32>
}

// -----

// The same for a Ref that is only read; what is written through a tensor must be seen by all who read it. The new one is
// made where those after the loop can use it, too.
// CHECK-LABEL: func.func @shared_reads
// CHECK-SAME:    %[[I:[a-z0-9]*]]: memref<8xf32>, %[[IO:[a-z0-9]*]]: memref<8xf32>
// CHECK:         %[[X0:.*]] = bufferization.to_tensor %[[I]] restrict :
// CHECK:         %[[W:.*]] = bufferization.to_tensor %[[IO]] restrict writable
// CHECK:         "test.use"(%[[X0]], %[[X0]], %[[X0]], %[[X0]], %[[X0]], %[[X0]], %[[X0]], %[[X0]])
// CHECK:         "test.use"(%[[W]], %[[W]], %[[W]], %[[W]], %[[W]], %[[W]], %[[W]], %[[W]])
// CHECK:         "test.use"(%[[X0]], %[[X0]], %[[X0]], %[[X0]], %[[X0]], %[[X0]], %[[X0]], %[[X0]])
// CHECK:         "test.use"(%[[W]], %[[W]], %[[W]], %[[W]], %[[W]], %[[W]], %[[W]], %[[W]])
// CHECK:         %[[X1:.*]] = bufferization.to_tensor %[[I]] restrict :
// CHECK:         scf.for
// CHECK:           "test.use"(%[[X1]], %[[W]])
// CHECK:         "test.use"(%[[X1]], %[[W]])
func.func @shared_reads(%i: memref<8xf32>, %io: memref<8xf32>, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %x = bufferization.to_tensor %i restrict : memref<8xf32> to tensor<8xf32>
  %w = bufferization.to_tensor %io restrict writable : memref<8xf32> to tensor<8xf32>
  "test.use"(%x, %x, %x, %x, %x, %x, %x, %x)
      : (tensor<8xf32>, tensor<8xf32>, tensor<8xf32>, tensor<8xf32>, tensor<8xf32>, tensor<8xf32>, tensor<8xf32>, tensor<8xf32>) -> ()
  "test.use"(%w, %w, %w, %w, %w, %w, %w, %w)
      : (tensor<8xf32>, tensor<8xf32>, tensor<8xf32>, tensor<8xf32>, tensor<8xf32>, tensor<8xf32>, tensor<8xf32>, tensor<8xf32>) -> ()
  "test.use"(%x, %x, %x, %x, %x, %x, %x, %x)
      : (tensor<8xf32>, tensor<8xf32>, tensor<8xf32>, tensor<8xf32>, tensor<8xf32>, tensor<8xf32>, tensor<8xf32>, tensor<8xf32>) -> ()
  "test.use"(%w, %w, %w, %w, %w, %w, %w, %w)
      : (tensor<8xf32>, tensor<8xf32>, tensor<8xf32>, tensor<8xf32>, tensor<8xf32>, tensor<8xf32>, tensor<8xf32>, tensor<8xf32>) -> ()
  scf.for %k = %c0 to %n step %c1 {
    "test.use"(%x, %w) : (tensor<8xf32>, tensor<8xf32>) -> ()
  }
  "test.use"(%x, %w) : (tensor<8xf32>, tensor<8xf32>) -> ()
  return
}

// -----

#id = affine_map<(d0) -> (d0)>

// Two whole arrays are the same or share nothing: one may be read while the other is written.
// CHECK-LABEL: func.func @whole_arrays
// CHECK-SAME:    %{{.*}}: memref<8xf32>, %[[O:.*]]: memref<8xf32>
// CHECK:         %[[D:.*]] = bufferization.to_tensor %[[O]] restrict writable
// CHECK:         linalg.generic {{.*}} outs(%[[D]]
func.func @whole_arrays(%i: memref<8xf32>, %o: memref<8xf32>) {
  %x = bufferization.to_tensor %i restrict : memref<8xf32> to tensor<8xf32>
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

// A window of one of them may begin elsewhere, on either side.
// CHECK-LABEL: func.func @window_read
// CHECK-NOT:     restrict writable
// CHECK:         linalg.generic
// CHECK:         return
func.func @window_read(%i: memref<64xf32>, %o: memref<8xf32, strided<[1], offset: ?>>, %n: index) {
  %is = memref.subview %i[%n] [8] [1] : memref<64xf32> to memref<8xf32, strided<[1], offset: ?>>
  %x = bufferization.to_tensor %is restrict : memref<8xf32, strided<[1], offset: ?>> to tensor<8xf32>
  %e = tensor.empty() : tensor<8xf32>
  %y = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel"]}
      ins(%x : tensor<8xf32>) outs(%e : tensor<8xf32>) {
  ^bb0(%a: f32, %b: f32):
    %0 = arith.addf %a, %a : f32
    linalg.yield %0 : f32
  } -> tensor<8xf32>
  bufferization.materialize_in_destination %y in restrict writable %o : (tensor<8xf32>, memref<8xf32, strided<[1], offset: ?>>) -> ()
  return
}

// CHECK-LABEL: func.func @window_written
// CHECK-NOT:     restrict writable
// CHECK:         linalg.generic
// CHECK:         return
func.func @window_written(%i: memref<8xf32, strided<[1], offset: ?>>, %o: memref<64xf32>, %n: index) {
  %os = memref.subview %o[%n] [8] [1] : memref<64xf32> to memref<8xf32, strided<[1], offset: ?>>
  %x = bufferization.to_tensor %i restrict : memref<8xf32, strided<[1], offset: ?>> to tensor<8xf32>
  %e = tensor.empty() : tensor<8xf32>
  %y = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel"]}
      ins(%x : tensor<8xf32>) outs(%e : tensor<8xf32>) {
  ^bb0(%a: f32, %b: f32):
    %0 = arith.addf %a, %a : f32
    linalg.yield %0 : f32
  } -> tensor<8xf32>
  bufferization.materialize_in_destination %y in restrict writable %os : (tensor<8xf32>, memref<8xf32, strided<[1], offset: ?>>) -> ()
  return
}

// Equal windows of two whole arrays are the same elements or disjoint; windows that differ in one of offset and stride are
// not.
// CHECK-LABEL: func.func @equal_windows
// CHECK:         restrict writable
// CHECK:         linalg.generic
func.func @equal_windows(%i: memref<64xf32>, %o: memref<64xf32>, %n: index) {
  %is = memref.subview %i[%n] [8] [2] : memref<64xf32> to memref<8xf32, strided<[2], offset: ?>>
  %os = memref.subview %o[%n] [8] [2] : memref<64xf32> to memref<8xf32, strided<[2], offset: ?>>
  %x = bufferization.to_tensor %is restrict : memref<8xf32, strided<[2], offset: ?>> to tensor<8xf32>
  %e = tensor.empty() : tensor<8xf32>
  %y = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel"]}
      ins(%x : tensor<8xf32>) outs(%e : tensor<8xf32>) {
  ^bb0(%a: f32, %b: f32):
    %0 = arith.addf %a, %a : f32
    linalg.yield %0 : f32
  } -> tensor<8xf32>
  bufferization.materialize_in_destination %y in restrict writable %os : (tensor<8xf32>, memref<8xf32, strided<[2], offset: ?>>) -> ()
  return
}

// CHECK-LABEL: func.func @other_offsets
// CHECK-NOT:     restrict writable
// CHECK:         linalg.generic
// CHECK:         return
func.func @other_offsets(%i: memref<64xf32>, %o: memref<64xf32>, %m: index, %n: index) {
  %is = memref.subview %i[%m] [8] [2] : memref<64xf32> to memref<8xf32, strided<[2], offset: ?>>
  %os = memref.subview %o[%n] [8] [2] : memref<64xf32> to memref<8xf32, strided<[2], offset: ?>>
  %x = bufferization.to_tensor %is restrict : memref<8xf32, strided<[2], offset: ?>> to tensor<8xf32>
  %e = tensor.empty() : tensor<8xf32>
  %y = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel"]}
      ins(%x : tensor<8xf32>) outs(%e : tensor<8xf32>) {
  ^bb0(%a: f32, %b: f32):
    %0 = arith.addf %a, %a : f32
    linalg.yield %0 : f32
  } -> tensor<8xf32>
  bufferization.materialize_in_destination %y in restrict writable %os : (tensor<8xf32>, memref<8xf32, strided<[2], offset: ?>>) -> ()
  return
}

// CHECK-LABEL: func.func @other_strides
// CHECK-NOT:     restrict writable
// CHECK:         linalg.generic
// CHECK:         return
func.func @other_strides(%i: memref<64xf32>, %o: memref<64xf32>, %m: index, %n: index) {
  %is = memref.subview %i[0] [8] [%m] : memref<64xf32> to memref<8xf32, strided<[?]>>
  %os = memref.subview %o[0] [8] [%n] : memref<64xf32> to memref<8xf32, strided<[?]>>
  %x = bufferization.to_tensor %is restrict : memref<8xf32, strided<[?]>> to tensor<8xf32>
  %e = tensor.empty() : tensor<8xf32>
  %y = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel"]}
      ins(%x : tensor<8xf32>) outs(%e : tensor<8xf32>) {
  ^bb0(%a: f32, %b: f32):
    %0 = arith.addf %a, %a : f32
    linalg.yield %0 : f32
  } -> tensor<8xf32>
  bufferization.materialize_in_destination %y in restrict writable %os : (tensor<8xf32>, memref<8xf32, strided<[?]>>) -> ()
  return
}

// -----

#rows = affine_map<(d0, d1) -> (d0, d1)>
#columns = affine_map<(d0, d1) -> (d1, d0)>

// A transpose in place would read what it has written, though both maps are permutations.
// CHECK-LABEL: func.func @transpose
// CHECK-NOT:     restrict writable
// CHECK:         linalg.generic
// CHECK:         return
func.func @transpose(%o: memref<8x8xf32>) {
  %x = bufferization.to_tensor %o restrict : memref<8x8xf32> to tensor<8x8xf32>
  %e = tensor.empty() : tensor<8x8xf32>
  %y = linalg.generic {indexing_maps = [#columns, #rows], iterator_types = ["parallel", "parallel"]}
      ins(%x : tensor<8x8xf32>) outs(%e : tensor<8x8xf32>) {
  ^bb0(%a: f32, %b: f32):
    linalg.yield %a : f32
  } -> tensor<8x8xf32>
  bufferization.materialize_in_destination %y in restrict writable %o : (tensor<8x8xf32>, memref<8x8xf32>) -> ()
  return
}

// -----

#id = affine_map<(d0) -> (d0)>
#turned = affine_map<(d0) -> (7 - d0)>

// The result of a branch may be the memory that is written.
// CHECK-LABEL: func.func @chosen
// CHECK:         %[[E:.*]] = tensor.empty
// CHECK:         linalg.generic {{.*}} outs(%[[E]]
// CHECK:         bufferization.materialize_in_destination %{{.*}} in writable
func.func @chosen(%c: i1, %i: memref<8xf32>, %o: memref<8xf32>) {
  %x = bufferization.to_tensor %i restrict : memref<8xf32> to tensor<8xf32>
  %w = bufferization.to_tensor %o restrict writable : memref<8xf32> to tensor<8xf32>
  %either = scf.if %c -> tensor<8xf32> {
    scf.yield %x : tensor<8xf32>
  } else {
    scf.yield %w : tensor<8xf32>
  }
  %e = tensor.empty() : tensor<8xf32>
  %y = linalg.generic {indexing_maps = [#turned, #id], iterator_types = ["parallel"]}
      ins(%either : tensor<8xf32>) outs(%e : tensor<8xf32>) {
  ^bb0(%a: f32, %b: f32):
    linalg.yield %a : f32
  } -> tensor<8xf32>
  bufferization.materialize_in_destination %y in restrict writable %o : (tensor<8xf32>, memref<8xf32>) -> ()
  return
}

// -----

// What is computed in a tensor that may not be written is computed in a copy of it, at once where it is stored.
// CHECK-LABEL: func.func @copied_first
// CHECK-SAME:    %[[X:.*]]: memref<8xf32> {llvm.noalias}, %[[O:.*]]: memref<8xf32> {llvm.noalias}
// CHECK:         %[[OLD:.*]] = bufferization.to_tensor %[[X]] restrict :
// CHECK:         %[[D:.*]] = bufferization.to_tensor %[[O]] restrict writable
// CHECK:         %[[COPY:.*]] = linalg.copy ins(%[[OLD]] : tensor<8xf32>) outs(%[[D]] : tensor<8xf32>)
// CHECK:         scf.for {{.*}} iter_args(%{{.*}} = %[[COPY]])
func.func @copied_first(%x: memref<8xf32> {llvm.noalias}, %o: memref<8xf32> {llvm.noalias}, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %one = arith.constant 1.0 : f32
  %old = bufferization.to_tensor %x restrict : memref<8xf32> to tensor<8xf32>
  %y = scf.for %i = %c0 to %n step %c1 iter_args(%t = %old) -> (tensor<8xf32>) {
    %new = tensor.insert %one into %t[%i] : tensor<8xf32>
    scf.yield %new : tensor<8xf32>
  }
  bufferization.materialize_in_destination %y in restrict writable %o : (tensor<8xf32>, memref<8xf32>) -> ()
  return
}

// -----

// An op that does not read its destination needs no copy.
// CHECK-LABEL: func.func @overwritten
// CHECK-SAME:    %[[X:.*]]: memref<8xf32> {llvm.noalias}, %[[O:.*]]: memref<8xf32> {llvm.noalias}
// CHECK:         %[[D:.*]] = bufferization.to_tensor %[[O]] restrict writable
// CHECK-NOT:     linalg.copy
// CHECK:         linalg.exp {{.*}} outs(%[[D]] : tensor<8xf32>)
func.func @overwritten(%x: memref<8xf32> {llvm.noalias}, %o: memref<8xf32> {llvm.noalias}) {
  %old = bufferization.to_tensor %x restrict : memref<8xf32> to tensor<8xf32>
  %y = linalg.exp ins(%old : tensor<8xf32>) outs(%old : tensor<8xf32>) -> tensor<8xf32>
  bufferization.materialize_in_destination %y in restrict writable %o : (tensor<8xf32>, memref<8xf32>) -> ()
  return
}

// -----

// The tensor may be in the memory of the store: the loop would overwrite what it reads.
// CHECK-LABEL: func.func @maybe_aliased
// CHECK-NOT:     linalg.copy
// CHECK-NOT:     restrict writable
// CHECK:         return
func.func @maybe_aliased(%x: memref<8xf32>, %o: memref<8xf32>, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %one = arith.constant 1.0 : f32
  %old = bufferization.to_tensor %x restrict : memref<8xf32> to tensor<8xf32>
  %y = scf.for %i = %c0 to %n step %c1 iter_args(%t = %old) -> (tensor<8xf32>) {
    %new = tensor.insert %one into %t[%i] : tensor<8xf32>
    scf.yield %new : tensor<8xf32>
  }
  bufferization.materialize_in_destination %y in restrict writable %o : (tensor<8xf32>, memref<8xf32>) -> ()
  return
}

// -----

// A part is inserted into a tensor that is made where the whole is stored.
// CHECK-LABEL: func.func @inserted
// CHECK-SAME:    %{{[^:]*}}: tensor<8xf32>, %[[O:[^:]*]]: memref<16xf32>
// CHECK:         %[[D:.*]] = bufferization.to_tensor %[[O]] restrict writable
// CHECK:         linalg.fill {{.*}} outs(%[[D]] : tensor<16xf32>)
func.func @inserted(%x: tensor<8xf32>, %o: memref<16xf32>) {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<16xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<16xf32>) -> tensor<16xf32>
  %y = tensor.insert_slice %x into %f[4] [8] [1] : tensor<8xf32> into tensor<16xf32>
  bufferization.materialize_in_destination %y in restrict writable %o : (tensor<16xf32>, memref<16xf32>) -> ()
  return
}

// -----

// A reshape becomes one of the memory.
// CHECK-LABEL: func.func @reshaped
// CHECK-SAME:    %{{[^:]*}}: tensor<4x8x2xf32>, %{{[^:]*}}: tensor<4x16xf32>, %[[O:[^:]*]]: memref<4x16xf32, strided<[32, 1]>>, %[[P:[^:]*]]: memref<4x4x4xf32>
// CHECK:         %[[PARTS:.*]] = memref.expand_shape %[[O]] {{.}}[0], [1, 2]{{.}} output_shape [4, 8, 2]
// CHECK:         %[[D:.*]] = bufferization.to_tensor %[[PARTS]] restrict writable
// CHECK:         linalg.exp {{.*}} outs(%[[D]] : tensor<4x8x2xf32>)
// CHECK:         %[[ROWS:.*]] = memref.collapse_shape %[[P]] {{.}}[0], [1, 2]{{.}}
// CHECK:         %[[C:.*]] = bufferization.to_tensor %[[ROWS]] restrict writable
// CHECK:         linalg.exp {{.*}} outs(%[[C]] : tensor<4x16xf32>)
func.func @reshaped(%x: tensor<4x8x2xf32>, %z: tensor<4x16xf32>, %o: memref<4x16xf32, strided<[32, 1]>>, %p: memref<4x4x4xf32>) {
  %e = tensor.empty() : tensor<4x8x2xf32>
  %y = linalg.exp ins(%x : tensor<4x8x2xf32>) outs(%e : tensor<4x8x2xf32>) -> tensor<4x8x2xf32>
  %rows = tensor.collapse_shape %y [[0], [1, 2]] : tensor<4x8x2xf32> into tensor<4x16xf32>
  bufferization.materialize_in_destination %rows in restrict writable %o : (tensor<4x16xf32>, memref<4x16xf32, strided<[32, 1]>>) -> ()
  %f = tensor.empty() : tensor<4x16xf32>
  %v = linalg.exp ins(%z : tensor<4x16xf32>) outs(%f : tensor<4x16xf32>) -> tensor<4x16xf32>
  %squares = tensor.expand_shape %v [[0], [1, 2]] output_shape [4, 4, 4] : tensor<4x16xf32> into tensor<4x4x4xf32>
  bufferization.materialize_in_destination %squares in restrict writable %p : (tensor<4x4x4xf32>, memref<4x4x4xf32>) -> ()
  return
}

// -----

#transposed = affine_map<(d0, d1) -> (d1, d0)>
#plain = affine_map<(d0, d1) -> (d0, d1)>

// Rows with gaps are no array of one dimension, and the elements of the old contents move.
// CHECK-LABEL: func.func @not_reshaped
// CHECK-NOT:     restrict writable
// CHECK:         return
func.func @not_reshaped(%x: tensor<64xf32>, %gaps: memref<4x16xf32, strided<[32, 1]>>, %o: memref<64xf32>) {
  %e = tensor.empty() : tensor<64xf32>
  %y = linalg.exp ins(%x : tensor<64xf32>) outs(%e : tensor<64xf32>) -> tensor<64xf32>
  %rows = tensor.expand_shape %y [[0, 1]] output_shape [4, 16] : tensor<64xf32> into tensor<4x16xf32>
  bufferization.materialize_in_destination %rows in restrict writable %gaps : (tensor<4x16xf32>, memref<4x16xf32, strided<[32, 1]>>) -> ()
  %old = bufferization.to_tensor %o restrict : memref<64xf32> to tensor<64xf32>
  %square = tensor.expand_shape %old [[0, 1]] output_shape [8, 8] : tensor<64xf32> into tensor<8x8xf32>
  %f = tensor.empty() : tensor<8x8xf32>
  %t = linalg.generic {indexing_maps = [#transposed, #plain], iterator_types = ["parallel", "parallel"]} ins(%square : tensor<8x8xf32>) outs(%f : tensor<8x8xf32>) {
  ^bb0(%in: f32, %out: f32):
    linalg.yield %in : f32
  } -> tensor<8x8xf32>
  %all = tensor.collapse_shape %t [[0, 1]] : tensor<8x8xf32> into tensor<64xf32>
  bufferization.materialize_in_destination %all in restrict writable %o : (tensor<64xf32>, memref<64xf32>) -> ()
  return
}
