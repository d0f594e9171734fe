// RUN: gridir-opt %s --loops-fuse-elementwise --split-input-file | FileCheck %s
// RUN: gridir-opt %s --loops-fuse-elementwise --split-input-file --mlir-pass-statistics --mlir-pass-statistics-display=list -o /dev/null 2>&1 | FileCheck %s --check-prefix=STATS
// RUN: gridir-opt %s --loops-fuse-elementwise --linalg-generalize-named-ops --split-input-file | FileCheck %s --check-prefix=BODY

// A chain is one loop: of three ops two are gone.
// STATS:         (S) 2 num-fused
// CHECK-LABEL: func.func @chain
// CHECK:         linalg.generic
// CHECK:           arith.mulf
// CHECK:           math.exp
// CHECK:           arith.addf
// CHECK-NOT:     linalg.generic
// CHECK:         return
func.func @chain(%x: tensor<8x128xf32>, %y: tensor<8x128xf32>) -> tensor<8x128xf32> {
  %0 = arith.mulf %x, %y : tensor<8x128xf32>
  %1 = math.exp %0 : tensor<8x128xf32>
  %2 = arith.addf %1, %y : tensor<8x128xf32>
  return %2 : tensor<8x128xf32>
}

// -----

// A broadcast and a reshape that keeps a dimension vanish; the division of 8 numbers is not done 1024 times.
// CHECK-LABEL: func.func @broadcast
// CHECK-SAME:    %[[X:.*]]: tensor<8x128xf32>, %[[S:.*]]: tensor<8xf32>
// CHECK:         %[[R:.*]] = linalg.generic {{.*}} ins(%[[S]] : tensor<8xf32>)
// CHECK:           arith.divf
// CHECK:         linalg.generic {{.*}} ins(%[[X]], %[[R]] : tensor<8x128xf32>, tensor<8xf32>)
// CHECK:           arith.mulf
// CHECK-NOT:     linalg.generic
// CHECK:         return
func.func @broadcast(%x: tensor<8x128xf32>, %s: tensor<8xf32>) -> tensor<8x128xf32> {
  %one = arith.constant dense<1.0> : tensor<8xf32>
  %r = arith.divf %one, %s : tensor<8xf32>
  %k = tensor.expand_shape %r [[0, 1]] output_shape [8, 1] : tensor<8xf32> into tensor<8x1xf32>
  %c = tensor.collapse_shape %k [[0, 1]] : tensor<8x1xf32> into tensor<8xf32>
  %e = tensor.empty() : tensor<8x128xf32>
  %b = linalg.broadcast ins(%c : tensor<8xf32>) outs(%e : tensor<8x128xf32>) dimensions = [1]
  %y = arith.mulf %x, %b : tensor<8x128xf32>
  return %y : tensor<8x128xf32>
}

// -----

// A producer joins the reduction that uses it.
// CHECK-LABEL: func.func @sum_of_squares
// CHECK:         linalg.generic {{.*}}iterator_types = ["parallel", "reduction"]
// CHECK:           arith.mulf
// CHECK:           arith.addf
// CHECK-NOT:     linalg.generic
// CHECK:         return
func.func @sum_of_squares(%x: tensor<8x128xf32>, %acc: tensor<8xf32>) -> tensor<8xf32> {
  %0 = arith.mulf %x, %x : tensor<8x128xf32>
  %1 = linalg.reduce { arith.addf } ins(%0 : tensor<8x128xf32>) outs(%acc : tensor<8xf32>) dimensions = [1]
  return %1 : tensor<8xf32>
}

// -----

// A transposed operand without a sign is widened without one.
// CHECK-LABEL: func.func @unsigned
// CHECK-NOT:     linalg.transpose
// BODY-LABEL: func.func @unsigned
// BODY-NOT:     arith.extsi
// BODY:         arith.extui
// BODY:         arith.extui
func.func @unsigned(%a: tensor<4x8xi8>, %b: tensor<16x8xi8>, %acc: tensor<4x16xi32>) -> tensor<4x16xi32> {
  %e = tensor.empty() : tensor<8x16xi8>
  %t = linalg.transpose ins(%b : tensor<16x8xi8>) outs(%e : tensor<8x16xi8>) permutation = [1, 0]
  %d = linalg.matmul {cast = #linalg.type_fn<cast_unsigned>}
      ins(%a, %t : tensor<4x8xi8>, tensor<8x16xi8>) outs(%acc : tensor<4x16xi32>) -> tensor<4x16xi32>
  return %d : tensor<4x16xi32>
}

// -----

// acc + dot(a, transpose(b)) is a contraction that starts from acc.
// CHECK-LABEL: func.func @accumulate
// CHECK-SAME:    %[[A:.*]]: tensor<4x8xf32>, %[[B:.*]]: tensor<16x8xf32>, %[[ACC:.*]]: tensor<4x16xf32>
// CHECK-NOT:     linalg.transpose
// CHECK:         %[[D:.*]] = linalg.contract {{.*}} ins(%[[A]], %[[B]] : {{.*}}) outs(%[[ACC]] : tensor<4x16xf32>)
// CHECK:         return %[[D]]
func.func @accumulate(%a: tensor<4x8xf32>, %b: tensor<16x8xf32>, %acc: tensor<4x16xf32>) -> tensor<4x16xf32> {
  %zero = arith.constant 0.0 : f32
  %te = tensor.empty() : tensor<8x16xf32>
  %t = linalg.transpose ins(%b : tensor<16x8xf32>) outs(%te : tensor<8x16xf32>) permutation = [1, 0]
  %e = tensor.empty() : tensor<4x16xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<4x16xf32>) -> tensor<4x16xf32>
  %d = linalg.matmul ins(%a, %t : tensor<4x8xf32>, tensor<8x16xf32>) outs(%f : tensor<4x16xf32>) -> tensor<4x16xf32>
  %s = arith.addf %acc, %d : tensor<4x16xf32>
  return %s : tensor<4x16xf32>
}

// -----

// A loaded value is not read again after a store to its Ref: %x is the memory of %r.
// CHECK-LABEL: func.func @store_between
// CHECK:         linalg.generic
// CHECK:           arith.mulf
// CHECK:         bufferization.materialize_in_destination
// CHECK:         linalg.generic
// CHECK:           arith.addf
// CHECK:         return
func.func @store_between(%r: memref<8xf32>, %y: tensor<8xf32>) -> tensor<8xf32> {
  %x = bufferization.to_tensor %r restrict : memref<8xf32> to tensor<8xf32>
  %0 = arith.mulf %x, %x : tensor<8xf32>
  bufferization.materialize_in_destination %y in restrict writable %r : (tensor<8xf32>, memref<8xf32>) -> ()
  %1 = arith.addf %0, %y : tensor<8xf32>
  return %1 : tensor<8xf32>
}

// -----

// A store to another array is no hazard, when the arguments are known to be distinct.
// CHECK-LABEL: func.func @store_elsewhere
// CHECK:         linalg.generic
// CHECK:           arith.mulf
// CHECK:           arith.addf
// CHECK-NOT:     linalg.generic
// CHECK:         return
func.func @store_elsewhere(%r: memref<8xf32> {llvm.noalias}, %o: memref<8xf32>, %y: tensor<8xf32>) -> tensor<8xf32> {
  %x = bufferization.to_tensor %r restrict : memref<8xf32> to tensor<8xf32>
  %0 = arith.mulf %x, %x : tensor<8xf32>
  bufferization.materialize_in_destination %y in restrict writable %o : (tensor<8xf32>, memref<8xf32>) -> ()
  %1 = arith.addf %0, %y : tensor<8xf32>
  return %1 : tensor<8xf32>
}

// -----

// A gather bufferises as a loop.
// CHECK-LABEL: func.func @gather
// CHECK-NOT:     tensor.gather
// CHECK:         linalg.generic
// CHECK:           tensor.extract %{{.*}} : tensor<4x1xi32>
// CHECK:           tensor.extract %{{.*}} : tensor<16x128xf32>
func.func @gather(%x: tensor<16x128xf32>, %i: tensor<4x1xi32>) -> tensor<4x128xf32> {
  %0 = tensor.gather %x[%i] gather_dims([0]) : (tensor<16x128xf32>, tensor<4x1xi32>) -> tensor<4x128xf32>
  return %0 : tensor<4x128xf32>
}

// -----

// Dropping a unit dimension and folding reshapes into loops must not chase each other.
// CHECK-LABEL: func.func @unit
// CHECK:         linalg.generic {{.*}}iterator_types = ["parallel"]
// CHECK:           arith.addf
// CHECK-NOT:     linalg.generic
// CHECK:         return
func.func @unit(%x: tensor<1x512xf32>) -> tensor<1x512xf32> {
  %c = arith.constant dense<1.0> : tensor<1x512xf32>
  %0 = arith.addf %x, %c : tensor<1x512xf32>
  return %0 : tensor<1x512xf32>
}

// -----

// A block of zeros is written, not copied from the object code.
// CHECK-LABEL: func.func @splat
// CHECK-NOT:     arith.constant dense
// CHECK:         %[[ZERO:.*]] = arith.constant 0.0{{.*}} : f32
// CHECK:         linalg.fill ins(%[[ZERO]] : f32)
func.func @splat(%o: memref<128x128xf32>) {
  %c = arith.constant dense<0.0> : tensor<128x128xf32>
  bufferization.materialize_in_destination %c in restrict writable %o : (tensor<128x128xf32>, memref<128x128xf32>) -> ()
  return
}

// -----

// The sum is in memory anyway, for the slice: the other user reads it there, rather than both of its operands.
// CHECK-LABEL: func.func @in_memory
// CHECK:         %[[SUM:.*]] = linalg.generic
// CHECK:           arith.addf
// CHECK:         %[[PRODUCT:.*]] = linalg.generic {{.*}} ins(%[[SUM]], %{{.*}} : tensor<8x128xf32>, tensor<8x128xf32>)
// CHECK-NEXT:    ^bb0
// CHECK-NEXT:      arith.mulf
// CHECK-NEXT:      linalg.yield
func.func @in_memory(%x: tensor<8x128xf32>, %y: tensor<8x128xf32>, %z: tensor<8x128xf32>) -> (tensor<4x128xf32>, tensor<8x128xf32>) {
  %0 = arith.addf %x, %y : tensor<8x128xf32>
  %1 = tensor.extract_slice %0[0, 0] [4, 128] [1, 1] : tensor<8x128xf32> to tensor<4x128xf32>
  %2 = arith.mulf %0, %z : tensor<8x128xf32>
  return %1, %2 : tensor<4x128xf32>, tensor<8x128xf32>
}

// -----

// Values that diverge and join again are computed in one loop, regardless of the number of ops in
// between.
// CHECK-LABEL: func.func @meeting
// CHECK-COUNT-1: linalg.generic
// CHECK-NOT: linalg.generic
// CHECK: return
func.func @meeting(%x: tensor<8x128xf32>) -> tensor<8x128xf32> {
  %0 = arith.mulf %x, %x : tensor<8x128xf32>
  %1 = arith.addf %0, %x : tensor<8x128xf32>
  %2 = arith.subf %0, %1 : tensor<8x128xf32>
  %3 = arith.divf %1, %0 : tensor<8x128xf32>
  %4 = arith.addf %2, %3 : tensor<8x128xf32>
  %5 = arith.mulf %4, %2 : tensor<8x128xf32>
  return %5 : tensor<8x128xf32>
}

// -----

// A loop over many arrays is cut: each array is a pointer in it.
// CHECK-LABEL: func.func @many_arrays
// CHECK: linalg.generic
// CHECK: linalg.generic
// CHECK-NOT: linalg.generic
// CHECK: return
func.func @many_arrays(%a: tensor<8xf32>, %b: tensor<8xf32>, %c: tensor<8xf32>, %d: tensor<8xf32>,
                       %e: tensor<8xf32>, %f: tensor<8xf32>, %g: tensor<8xf32>, %h: tensor<8xf32>,
                       %i: tensor<8xf32>, %j: tensor<8xf32>, %k: tensor<8xf32>, %l: tensor<8xf32>,
                       %m: tensor<8xf32>) -> tensor<8xf32> {
  %0 = arith.addf %a, %b : tensor<8xf32>
  %1 = arith.addf %0, %c : tensor<8xf32>
  %2 = arith.addf %1, %d : tensor<8xf32>
  %3 = arith.addf %2, %e : tensor<8xf32>
  %4 = arith.addf %3, %f : tensor<8xf32>
  %5 = arith.addf %4, %g : tensor<8xf32>
  %6 = arith.addf %5, %h : tensor<8xf32>
  %7 = arith.addf %6, %i : tensor<8xf32>
  %8 = arith.addf %7, %j : tensor<8xf32>
  %9 = arith.addf %8, %k : tensor<8xf32>
  %10 = arith.addf %9, %l : tensor<8xf32>
  %11 = arith.addf %10, %m : tensor<8xf32>
  return %11 : tensor<8xf32>
}

// -----

// One store between the first op and the last: what reads the Ref stays before
// it, what is above and below reads no Ref.
// CHECK-LABEL: func.func @store_in_the_middle
// CHECK: %[[READ:.+]] = linalg.generic
// CHECK: arith.mulf
// CHECK: arith.addf
// CHECK: bufferization.materialize_in_destination
// CHECK: linalg.generic {{.*}} ins(%[[READ]]
// CHECK: arith.subf
// CHECK-NEXT: arith.divf
func.func @store_in_the_middle(%r: memref<8xf32>, %y: tensor<8xf32>) -> tensor<8xf32> {
  %x = bufferization.to_tensor %r restrict : memref<8xf32> to tensor<8xf32>
  %0 = arith.mulf %y, %y : tensor<8xf32>
  %1 = arith.addf %0, %x : tensor<8xf32>
  bufferization.materialize_in_destination %y in restrict writable %r : (tensor<8xf32>, memref<8xf32>) -> ()
  %2 = arith.subf %1, %y : tensor<8xf32>
  %3 = arith.divf %2, %1 : tensor<8xf32>
  return %3 : tensor<8xf32>
}

// -----

// Cases in which a reduction is kept: it starts from another number than the neutral one, its result is used twice, or
// the op beside it is another function: no operand is a reduction that only this op uses.
// CHECK-LABEL: func.func @not_from_zero
// CHECK:         linalg.fill
// CHECK:         linalg.generic {{.*}}iterator_types = ["parallel", "reduction"]
// CHECK:         linalg.generic {{.*}}iterator_types = ["parallel"]
func.func @not_from_zero(%x: tensor<8x128xf32>, %acc: tensor<8xf32>) -> tensor<8xf32> {
  %one = arith.constant 1.0 : f32
  %e = tensor.empty() : tensor<8xf32>
  %f = linalg.fill ins(%one : f32) outs(%e : tensor<8xf32>) -> tensor<8xf32>
  %0 = linalg.reduce { arith.addf } ins(%x : tensor<8x128xf32>) outs(%f : tensor<8xf32>) dimensions = [1]
  %1 = arith.addf %acc, %0 : tensor<8xf32>
  return %1 : tensor<8xf32>
}

// CHECK-LABEL: func.func @used_twice
// CHECK:         linalg.fill
// CHECK:         linalg.generic {{.*}}iterator_types = ["parallel", "reduction"]
// CHECK:         linalg.generic {{.*}}iterator_types = ["parallel"]
func.func @used_twice(%x: tensor<8x128xf32>, %acc: tensor<8xf32>) -> (tensor<8xf32>, tensor<8xf32>) {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<8xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<8xf32>) -> tensor<8xf32>
  %0 = linalg.reduce { arith.addf } ins(%x : tensor<8x128xf32>) outs(%f : tensor<8xf32>) dimensions = [1]
  %1 = arith.addf %acc, %0 : tensor<8xf32>
  return %1, %0 : tensor<8xf32>, tensor<8xf32>
}

// CHECK-LABEL: func.func @another_function
// CHECK:         linalg.fill
// CHECK:         linalg.generic {{.*}}iterator_types = ["parallel", "reduction"]
// CHECK:         linalg.generic {{.*}}iterator_types = ["parallel"]
// CHECK:           arith.maximumf
func.func @another_function(%x: tensor<8x128xf32>, %acc: tensor<8xf32>) -> tensor<8xf32> {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<8xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<8xf32>) -> tensor<8xf32>
  %0 = linalg.reduce { arith.addf } ins(%x : tensor<8x128xf32>) outs(%f : tensor<8xf32>) dimensions = [1]
  %1 = arith.maximumf %acc, %0 : tensor<8xf32>
  return %1 : tensor<8xf32>
}

// A sum of scalars is not an op on tensors; on the other side of the sum a reduction starts from it as well.
// CHECK-LABEL: func.func @other_side
// CHECK-SAME:    %{{.*}}: tensor<8x128xf32>, %[[ACC:.*]]: tensor<8xf32>
// CHECK:         arith.addf %{{.*}} : f32
// CHECK-NOT:     linalg.fill
// CHECK:         linalg.generic {{.*}}iterator_types = ["parallel", "reduction"]{{.*}} outs(%[[ACC]]
// CHECK-NOT:     linalg.generic
// CHECK:         return
func.func @other_side(%x: tensor<8x128xf32>, %acc: tensor<8xf32>, %a: f32) -> (tensor<8xf32>, f32) {
  %zero = arith.constant 0.0 : f32
  %s = arith.addf %a, %a : f32
  %e = tensor.empty() : tensor<8xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<8xf32>) -> tensor<8xf32>
  %0 = linalg.reduce { arith.addf } ins(%x : tensor<8x128xf32>) outs(%f : tensor<8xf32>) dimensions = [1]
  %1 = arith.addf %0, %acc : tensor<8xf32>
  return %1, %s : tensor<8xf32>, f32
}

// -----

#mk = affine_map<(m, n, k) -> (m, k)>
#kn = affine_map<(m, n, k) -> (k, n)>
#mn = affine_map<(m, n, k) -> (m, n)>

// A contraction that is written out is not a named contraction; where no operand is a transpose it keeps its name.
// CHECK-LABEL: func.func @kept
// CHECK:         linalg.generic {{.*}}iterator_types = ["parallel", "parallel"]
// CHECK:         linalg.generic {{.*}}iterator_types = ["parallel", "parallel", "reduction"]
// CHECK:         linalg.matmul
func.func @kept(%a: tensor<4x8xf32>, %b: tensor<16x8xf32>, %c: tensor<8x16xf32>, %acc: tensor<4x16xf32>) -> (tensor<4x16xf32>, tensor<4x16xf32>) {
  %te = tensor.empty() : tensor<8x16xf32>
  %t = linalg.transpose ins(%b : tensor<16x8xf32>) outs(%te : tensor<8x16xf32>) permutation = [1, 0]
  %0 = linalg.generic {indexing_maps = [#mk, #kn, #mn], iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%a, %t : tensor<4x8xf32>, tensor<8x16xf32>) outs(%acc : tensor<4x16xf32>) {
  ^bb0(%x: f32, %y: f32, %z: f32):
    %2 = arith.mulf %x, %y : f32
    %3 = arith.addf %z, %2 : f32
    linalg.yield %3 : f32
  } -> tensor<4x16xf32>
  %1 = linalg.matmul ins(%a, %c : tensor<4x8xf32>, tensor<8x16xf32>) outs(%acc : tensor<4x16xf32>) -> tensor<4x16xf32>
  return %0, %1 : tensor<4x16xf32>, tensor<4x16xf32>
}

// -----

// A permutation that is not its own inverse: the batch comes last in memory.
// CHECK:       #[[$LHS:.*]] = affine_map<(d0, d1, d2, d3) -> (d0, d1, d3)>
// CHECK:       #[[$RHS:.*]] = affine_map<(d0, d1, d2, d3) -> (d3, d2, d0)>
// CHECK-LABEL: func.func @turned
// CHECK-SAME:    %[[A:.*]]: tensor<3x4x8xf32>, %[[B:.*]]: tensor<8x16x3xf32>
// CHECK-NOT:     linalg.transpose
// CHECK:         linalg.contract indexing_maps = [#[[$LHS]], #[[$RHS]], #{{.*}}] ins(%[[A]], %[[B]]
func.func @turned(%a: tensor<3x4x8xf32>, %b: tensor<8x16x3xf32>, %acc: tensor<3x4x16xf32>) -> tensor<3x4x16xf32> {
  %te = tensor.empty() : tensor<3x8x16xf32>
  %t = linalg.transpose ins(%b : tensor<8x16x3xf32>) outs(%te : tensor<3x8x16xf32>) permutation = [2, 0, 1]
  %0 = linalg.batch_matmul ins(%a, %t : tensor<3x4x8xf32>, tensor<3x8x16xf32>) outs(%acc : tensor<3x4x16xf32>) -> tensor<3x4x16xf32>
  return %0 : tensor<3x4x16xf32>
}

// -----

// A gather of dynamic shape stays: its loop has expected static shapes.
// CHECK-LABEL: func.func @dynamic_gather
// CHECK:         tensor.gather
func.func @dynamic_gather(%x: tensor<16x128xf32>, %i: tensor<?x1xi32>) -> tensor<?x128xf32> {
  %0 = tensor.gather %x[%i] gather_dims([0]) : (tensor<16x128xf32>, tensor<?x1xi32>) -> tensor<?x128xf32>
  return %0 : tensor<?x128xf32>
}

// -----

// Eleven operands and the result are the most that one loop has.
// CHECK-LABEL: func.func @most_operands(
// CHECK:         linalg.generic
// CHECK-NOT:     linalg.generic
// CHECK:         return
func.func @most_operands(%a0: tensor<8xf32>, %a1: tensor<8xf32>, %a2: tensor<8xf32>, %a3: tensor<8xf32>, %a4: tensor<8xf32>, %a5: tensor<8xf32>, %a6: tensor<8xf32>, %a7: tensor<8xf32>, %a8: tensor<8xf32>, %a9: tensor<8xf32>, %a10: tensor<8xf32>) -> tensor<8xf32> {
  %s1 = arith.addf %a0, %a1 : tensor<8xf32>
  %s2 = arith.addf %s1, %a2 : tensor<8xf32>
  %s3 = arith.addf %s2, %a3 : tensor<8xf32>
  %s4 = arith.addf %s3, %a4 : tensor<8xf32>
  %s5 = arith.addf %s4, %a5 : tensor<8xf32>
  %s6 = arith.addf %s5, %a6 : tensor<8xf32>
  %s7 = arith.addf %s6, %a7 : tensor<8xf32>
  %s8 = arith.addf %s7, %a8 : tensor<8xf32>
  %s9 = arith.addf %s8, %a9 : tensor<8xf32>
  %s10 = arith.addf %s9, %a10 : tensor<8xf32>
  return %s10 : tensor<8xf32>
}

// -----

// One more makes two loops.
// CHECK-LABEL: func.func @one_operand_more(
// CHECK:         linalg.generic
// CHECK:         linalg.generic
// CHECK-NOT:     linalg.generic
// CHECK:         return
func.func @one_operand_more(%a0: tensor<8xf32>, %a1: tensor<8xf32>, %a2: tensor<8xf32>, %a3: tensor<8xf32>, %a4: tensor<8xf32>, %a5: tensor<8xf32>, %a6: tensor<8xf32>, %a7: tensor<8xf32>, %a8: tensor<8xf32>, %a9: tensor<8xf32>, %a10: tensor<8xf32>, %a11: tensor<8xf32>) -> tensor<8xf32> {
  %s1 = arith.addf %a0, %a1 : tensor<8xf32>
  %s2 = arith.addf %s1, %a2 : tensor<8xf32>
  %s3 = arith.addf %s2, %a3 : tensor<8xf32>
  %s4 = arith.addf %s3, %a4 : tensor<8xf32>
  %s5 = arith.addf %s4, %a5 : tensor<8xf32>
  %s6 = arith.addf %s5, %a6 : tensor<8xf32>
  %s7 = arith.addf %s6, %a7 : tensor<8xf32>
  %s8 = arith.addf %s7, %a8 : tensor<8xf32>
  %s9 = arith.addf %s8, %a9 : tensor<8xf32>
  %s10 = arith.addf %s9, %a10 : tensor<8xf32>
  %s11 = arith.addf %s10, %a11 : tensor<8xf32>
  return %s11 : tensor<8xf32>
}

// -----

// Two values that use each other, and more arrays than a loop reads: the first loop makes both for the second one.
// CHECK-LABEL: func.func @two_values
// CHECK:         %[[F:.*]]:2 = linalg.generic
// CHECK:         %[[R:.*]] = linalg.generic
// CHECK-SAME:        %[[F]]#
// CHECK-SAME:        %[[F]]#
// CHECK-NOT:     linalg.generic
// CHECK:         return %[[R]]
func.func @two_values(%x0: tensor<8x128xf32>, %x1: tensor<8x128xf32>, %x2: tensor<8x128xf32>, %x3: tensor<8x128xf32>,
                      %x4: tensor<8x128xf32>, %x5: tensor<8x128xf32>, %x6: tensor<8x128xf32>, %x7: tensor<8x128xf32>,
                      %x8: tensor<8x128xf32>, %x9: tensor<8x128xf32>, %x10: tensor<8x128xf32>,
                      %x11: tensor<8x128xf32>, %x12: tensor<8x128xf32>,
                      %x13: tensor<8x128xf32>) -> tensor<8x128xf32> {
  %a1 = arith.addf %x0, %x1 : tensor<8x128xf32>
  %b1 = arith.mulf %x0, %x1 : tensor<8x128xf32>
  %a2 = arith.addf %a1, %b1 : tensor<8x128xf32>
  %b2 = arith.mulf %b1, %x2 : tensor<8x128xf32>
  %a3 = arith.addf %a2, %b2 : tensor<8x128xf32>
  %b3 = arith.mulf %b2, %x3 : tensor<8x128xf32>
  %a4 = arith.addf %a3, %b3 : tensor<8x128xf32>
  %b4 = arith.mulf %b3, %x4 : tensor<8x128xf32>
  %a5 = arith.addf %a4, %b4 : tensor<8x128xf32>
  %b5 = arith.mulf %b4, %x5 : tensor<8x128xf32>
  %a6 = arith.addf %a5, %b5 : tensor<8x128xf32>
  %b6 = arith.mulf %b5, %x6 : tensor<8x128xf32>
  %a7 = arith.addf %a6, %b6 : tensor<8x128xf32>
  %b7 = arith.mulf %b6, %x7 : tensor<8x128xf32>
  %a8 = arith.addf %a7, %b7 : tensor<8x128xf32>
  %b8 = arith.mulf %b7, %x8 : tensor<8x128xf32>
  %a9 = arith.addf %a8, %b8 : tensor<8x128xf32>
  %b9 = arith.mulf %b8, %x9 : tensor<8x128xf32>
  %a10 = arith.addf %a9, %b9 : tensor<8x128xf32>
  %b10 = arith.mulf %b9, %x10 : tensor<8x128xf32>
  %a11 = arith.addf %a10, %b10 : tensor<8x128xf32>
  %b11 = arith.mulf %b10, %x11 : tensor<8x128xf32>
  %a12 = arith.addf %a11, %b11 : tensor<8x128xf32>
  %b12 = arith.mulf %b11, %x12 : tensor<8x128xf32>
  %a13 = arith.addf %a12, %b12 : tensor<8x128xf32>
  %b13 = arith.mulf %b12, %x13 : tensor<8x128xf32>
  %r = arith.addf %a13, %b13 : tensor<8x128xf32>
  return %r : tensor<8x128xf32>
}

// -----

// How wide an index is, and where its maximum starts, is not known here.
// CHECK-LABEL: func.func @extreme_of_indices
// CHECK: arith.maxsi %{{.*}}, %{{.*}} : index
// CHECK: arith.maxsi %{{.*}}, %{{.*}} : index
func.func @extreme_of_indices(%x: tensor<4x64xindex>, %y: tensor<4xindex>) -> tensor<4xindex> {
  %least = arith.constant -9223372036854775808 : index
  %empty = tensor.empty() : tensor<4xindex>
  %start = linalg.fill ins(%least : index) outs(%empty : tensor<4xindex>) -> tensor<4xindex>
  %r = linalg.reduce {arith.maxsi} ins(%x : tensor<4x64xindex>) outs(%start : tensor<4xindex>) dimensions = [1]
  %0 = arith.maxsi %r, %y : tensor<4xindex>
  return %0 : tensor<4xindex>
}

// -----

// A value of two ops is computed again for each of two loops that cannot be one; a value of three is stored.
// CHECK-LABEL: func.func @two_ops
// CHECK-SAME:    %[[X:.*]]: tensor<8x128xf32>, %{{.*}}: memref<8x128xf32>
// CHECK:         linalg.generic {{.*}} ins(%[[X]] : tensor<8x128xf32>)
// CHECK:           arith.mulf
// CHECK:           arith.subf
// CHECK:           arith.mulf
// CHECK:         linalg.generic {{.*}} ins(%[[X]] : tensor<8x128xf32>)
// CHECK:           arith.mulf
// CHECK:           arith.subf
// CHECK:           arith.addf
// CHECK-NOT:     linalg.generic
// CHECK:         return
func.func @two_ops(%x: tensor<8x128xf32>, %o: memref<8x128xf32>, %p: memref<128x8xf32>) {
  %0 = arith.mulf %x, %x : tensor<8x128xf32>
  %1 = arith.subf %x, %0 : tensor<8x128xf32>
  %2 = arith.mulf %1, %x : tensor<8x128xf32>
  %e = tensor.empty() : tensor<128x8xf32>
  %t = linalg.transpose ins(%1 : tensor<8x128xf32>) outs(%e : tensor<128x8xf32>) permutation = [1, 0]
  %3 = arith.addf %t, %t : tensor<128x8xf32>
  bufferization.materialize_in_destination %2 in restrict writable %o : (tensor<8x128xf32>, memref<8x128xf32>) -> ()
  bufferization.materialize_in_destination %3 in restrict writable %p : (tensor<128x8xf32>, memref<128x8xf32>) -> ()
  return
}

// CHECK-LABEL: func.func @three_ops
// CHECK:         %[[V:.*]] = linalg.generic
// CHECK:           arith.mulf
// CHECK:           arith.addf
// CHECK:           arith.subf
// CHECK-NEXT:      linalg.yield
// CHECK:         linalg.generic {{.*}} ins(%[[V]], %{{.*}} :
// CHECK-NEXT:    ^bb0
// CHECK-NEXT:      arith.mulf
// CHECK:         linalg.generic {{.*}} ins(%[[V]] :
// CHECK-NEXT:    ^bb0
// CHECK-NEXT:      arith.addf
func.func @three_ops(%x: tensor<8x128xf32>, %o: memref<8x128xf32>, %p: memref<128x8xf32>) {
  %0 = arith.mulf %x, %x : tensor<8x128xf32>
  %1 = arith.addf %0, %x : tensor<8x128xf32>
  %2 = arith.subf %1, %0 : tensor<8x128xf32>
  %3 = arith.mulf %2, %x : tensor<8x128xf32>
  %e = tensor.empty() : tensor<128x8xf32>
  %t = linalg.transpose ins(%2 : tensor<8x128xf32>) outs(%e : tensor<128x8xf32>) permutation = [1, 0]
  %4 = arith.addf %t, %t : tensor<128x8xf32>
  bufferization.materialize_in_destination %3 in restrict writable %o : (tensor<8x128xf32>, memref<8x128xf32>) -> ()
  bufferization.materialize_in_destination %4 in restrict writable %p : (tensor<128x8xf32>, memref<128x8xf32>) -> ()
  return
}
