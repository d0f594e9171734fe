// RUN: gridir-opt %s --pass-pipeline='builtin.module(func.func(loops-anchor-tensors,loops-eliminate-empty-tensors))' | FileCheck %s
// RUN: gridir-opt %s --pass-pipeline='builtin.module(func.func(loops-anchor-tensors,loops-eliminate-empty-tensors),one-shot-bufferize)' | FileCheck %s --check-prefix=BUFFER
// RUN: gridir-opt %s --pass-pipeline='builtin.module(func.func(loops-anchor-tensors,loops-eliminate-empty-tensors))' \
// RUN:   --mlir-pass-statistics --mlir-pass-statistics-display=list -o /dev/null 2>&1 | FileCheck %s --check-prefix=STATS

// STATS: (S) 3 num-kept

// The value is computed where it is inserted.
// CHECK-LABEL: func.func @inserted
// CHECK-SAME:    %[[T:.*]]: tensor<8xf32>
// CHECK:         %[[PART:.*]] = tensor.extract_slice %[[T]][2] [4] [1]
// CHECK:         %[[F:.*]] = linalg.fill {{.*}} outs(%[[PART]] :
// CHECK:         tensor.insert_slice %[[F]] into %[[T]][2] [4] [1]
func.func @inserted(%t: tensor<8xf32>, %c: f32) -> tensor<8xf32> {
  %e = tensor.empty() : tensor<4xf32>
  %f = linalg.fill ins(%c : f32) outs(%e : tensor<4xf32>) -> tensor<4xf32>
  %r = tensor.insert_slice %f into %t[2] [4] [1] : tensor<4xf32> into tensor<8xf32>
  return %r : tensor<8xf32>
}

// Branches that are in no way of it.
// CHECK-LABEL: func.func @beside_branches
// CHECK-SAME:    %[[T:[^:]*]]: tensor<8xf32>
// CHECK:         %[[PART:.*]] = tensor.extract_slice %[[T]][2] [4] [1]
// CHECK:         linalg.fill {{.*}} outs(%[[PART]] :
func.func @beside_branches(%t: tensor<8xf32>, %c: f32, %b: i1) -> (tensor<8xf32>, tensor<8xf32>) {
  %n = tensor.empty() : tensor<8xf32>
  %s = scf.if %b -> (tensor<8xf32>) {
    %g = linalg.fill ins(%c : f32) outs(%n : tensor<8xf32>) -> tensor<8xf32>
    scf.yield %g : tensor<8xf32>
  } else {
    %d = arith.addf %c, %c : f32
    %g = linalg.fill ins(%d : f32) outs(%n : tensor<8xf32>) -> tensor<8xf32>
    scf.yield %g : tensor<8xf32>
  }
  %e = tensor.empty() : tensor<4xf32>
  %f = linalg.fill ins(%c : f32) outs(%e : tensor<4xf32>) -> tensor<4xf32>
  %r = tensor.insert_slice %f into %t[2] [4] [1] : tensor<4xf32> into tensor<8xf32>
  return %r, %s : tensor<8xf32>, tensor<8xf32>
}

// A loop that carries one value twice.
// CHECK-LABEL: func.func @carried_twice
// CHECK:         linalg.fill {{.*}} outs(%{{[0-9]+}} :
// BUFFER-LABEL: func.func @carried_twice
// BUFFER:         return
func.func @carried_twice(%a: tensor<8xf32>, %b: tensor<8xf32>, %n: index) -> (tensor<8xf32>, tensor<8xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %r:2 = scf.for %i = %c0 to %n step %c1 iter_args(%x = %a, %y = %b) -> (tensor<8xf32>, tensor<8xf32>) {
    %v = tensor.extract %y[%c1] : tensor<8xf32>
    %e = tensor.empty() : tensor<8xf32>
    %f = linalg.fill ins(%v : f32) outs(%e : tensor<8xf32>) -> tensor<8xf32>
    scf.yield %f, %f : tensor<8xf32>, tensor<8xf32>
  }
  return %r#0, %r#1 : tensor<8xf32>, tensor<8xf32>
}

// Upstream would compute what both carried tensors become in the buffer of one.
// CHECK-LABEL: func.func @yielded_twice
// CHECK:         linalg.generic {{.*}} outs(%{{[0-9]+}} :
// BUFFER-LABEL: func.func @yielded_twice
// BUFFER:         return
func.func @yielded_twice(%b: i1, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant dense<0> : tensor<8xi8>
  %one = arith.constant dense<1> : tensor<8xi8>
  scf.for %i = %c0 to %n step %c1 {
    %r:3 = scf.while (%x = %zero, %y = %one, %z = %zero) : (tensor<8xi8>, tensor<8xi8>, tensor<8xi8>) -> (tensor<8xi8>, tensor<8xi8>, tensor<8xi8>) {
      scf.condition(%b) %x, %y, %z : tensor<8xi8>, tensor<8xi8>, tensor<8xi8>
    } do {
    ^bb0(%x: tensor<8xi8>, %y: tensor<8xi8>, %z: tensor<8xi8>):
      %s:2 = scf.if %b -> (tensor<8xi8>, tensor<8xi8>) {
        scf.yield %zero, %y : tensor<8xi8>, tensor<8xi8>
      } else {
        %e = tensor.empty() : tensor<8xi8>
        %v = linalg.generic {indexing_maps = [affine_map<(d0) -> (d0)>, affine_map<(d0) -> (d0)>], iterator_types = ["parallel"]} ins(%zero : tensor<8xi8>) outs(%e : tensor<8xi8>) {
        ^bb0(%in: i8, %out: i8):
          linalg.yield %in : i8
        } -> tensor<8xi8>
        scf.yield %v, %v : tensor<8xi8>, tensor<8xi8>
      }
      scf.yield %s#0, %s#1, %zero : tensor<8xi8>, tensor<8xi8>, tensor<8xi8>
    }
  }
  return
}

// Upstream would compute a value in the result of the branch that computes it.
// CHECK-LABEL: func.func @within
// BUFFER-LABEL: func.func @within
// BUFFER:         return
func.func @within(%m: memref<8x4xi32>, %b: i1, %d: i1, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %row = arith.constant dense<2> : tensor<4xi32>
  %zero = arith.constant dense<0> : tensor<8x4xi32>
  %one = arith.constant dense<1> : tensor<8x4xi32>
  scf.for %i = %c0 to %n step %c1 {
    %read = bufferization.to_tensor %m restrict : memref<8x4xi32> to tensor<8x4xi32>
    %start = tensor.insert_slice %row into %zero[1, 0] [1, 4] [1, 1] : tensor<4xi32> into tensor<8x4xi32>
    %s:2 = scf.if %b -> (tensor<8x4xi32>, tensor<8x4xi32>) {
      scf.yield %start, %one : tensor<8x4xi32>, tensor<8x4xi32>
    } else {
      %e = tensor.empty() : tensor<8x4xi32>
      scf.yield %e, %read : tensor<8x4xi32>, tensor<8x4xi32>
    }
    %t:3 = scf.if %d -> (tensor<8x4xi32>, tensor<8x4xi32>, tensor<8x4xi32>) {
      scf.yield %s#0, %zero, %one : tensor<8x4xi32>, tensor<8x4xi32>, tensor<8x4xi32>
    } else {
      %u:2 = scf.if %b -> (tensor<8x4xi32>, tensor<8x4xi32>) {
        scf.yield %zero, %one : tensor<8x4xi32>, tensor<8x4xi32>
      } else {
        %new = tensor.insert_slice %row into %s#0[0, 0] [1, 4] [1, 1] : tensor<4xi32> into tensor<8x4xi32>
        scf.yield %new, %zero : tensor<8x4xi32>, tensor<8x4xi32>
      }
      %w:3 = scf.for %j = %c0 to %n step %c1 iter_args(%x = %u#0, %y = %u#1, %z = %u#0) -> (tensor<8x4xi32>, tensor<8x4xi32>, tensor<8x4xi32>) {
        scf.yield %one, %x, %zero : tensor<8x4xi32>, tensor<8x4xi32>, tensor<8x4xi32>
      }
      scf.yield %w#0, %w#1, %w#2 : tensor<8x4xi32>, tensor<8x4xi32>, tensor<8x4xi32>
    }
  }
  return
}
