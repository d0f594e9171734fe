// RUN: gridir-opt %s --loops-anchor-tensors | FileCheck %s
// RUN: gridir-opt %s --loops-anchor-tensors --one-shot-bufferize | FileCheck %s --check-prefix=BUFFER
// RUN: gridir-opt %s --loops-anchor-tensors --mlir-pass-statistics --mlir-pass-statistics-display=list -o /dev/null 2>&1 | FileCheck %s --check-prefix=STATS

// STATS: (S) 1 num-branched
// STATS: (S) 1 num-careful

// A branch yields a copy of a carried tensor that changes later.
// CHECK-LABEL: func.func @changed_later
// CHECK:         scf.for {{.*}} iter_args(%[[X:.*]] = %{{.*}}, %[[Y:.*]] = %{{.*}})
// CHECK:           scf.if
// CHECK:             tensor.insert %{{.*}} into %[[X]]
// CHECK:           } else {
// CHECK:             %[[OWN:.*]] = bufferization.alloc_tensor()
// CHECK:             %[[COPY:.*]] = linalg.copy ins(%[[Y]] : tensor<8xf32>) outs(%[[OWN]] : tensor<8xf32>)
// CHECK:             scf.yield %[[COPY]]
// CHECK:           tensor.insert %{{.*}} into %[[Y]]
// BUFFER-LABEL: func.func @changed_later
// BUFFER:         return
func.func @changed_later(%a: tensor<8xf32>, %b: tensor<8xf32>, %c: i1, %v: f32, %n: index) -> (tensor<8xf32>, tensor<8xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %r:2 = scf.for %i = %c0 to %n step %c1 iter_args(%x = %a, %y = %b) -> (tensor<8xf32>, tensor<8xf32>) {
    %s = scf.if %c -> (tensor<8xf32>) {
      %new = tensor.insert %v into %x[%i] : tensor<8xf32>
      scf.yield %new : tensor<8xf32>
    } else {
      scf.yield %y : tensor<8xf32>
    }
    %t = tensor.insert %v into %y[%c0] : tensor<8xf32>
    scf.yield %s, %t : tensor<8xf32>, tensor<8xf32>
  }
  return %r#0, %r#1 : tensor<8xf32>, tensor<8xf32>
}

// A new tensor is written to the one that the other branch hands on.
// CHECK-LABEL: func.func @handed_on
// CHECK:         scf.for {{.*}} iter_args(%[[X:.*]] = %{{.*}})
// CHECK:           %[[R:.*]] = scf.if
// CHECK:             %[[NEW:.*]] = linalg.exp
// CHECK:             %[[KEPT:.*]] = bufferization.materialize_in_destination %[[NEW]] in %[[X]]
// CHECK:             scf.yield %[[KEPT]]
// CHECK:           } else {
// CHECK-NEXT:        scf.yield %[[X]]
// CHECK:           scf.yield %[[R]]
// BUFFER-LABEL: func.func @handed_on
// BUFFER:         return
func.func @handed_on(%a: tensor<8xf32>, %c: i1, %n: index) -> tensor<8xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %e = tensor.empty() : tensor<8xf32>
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%x = %a) -> (tensor<8xf32>) {
    %s = scf.if %c -> (tensor<8xf32>) {
      %new = linalg.exp ins(%x : tensor<8xf32>) outs(%e : tensor<8xf32>) -> tensor<8xf32>
      scf.yield %new : tensor<8xf32>
    } else {
      scf.yield %x : tensor<8xf32>
    }
    scf.yield %s : tensor<8xf32>
  }
  return %r : tensor<8xf32>
}

// A switch becomes branches. Its default yields a tensor that changes later.
// CHECK-LABEL: func.func @switch
// CHECK-NOT:     scf.index_switch
// CHECK:         %[[IS0:.*]] = arith.cmpi eq, %{{.*}}, %{{.*}} : index
// CHECK:         scf.if %[[IS0]]
// CHECK:           linalg.exp
// CHECK:         } else {
// CHECK:           %[[IS1:.*]] = arith.cmpi eq
// CHECK:           scf.if %[[IS1]]
// CHECK:           } else {
// CHECK:             linalg.copy
// BUFFER-LABEL: func.func @switch
// BUFFER:         return
func.func @switch(%a: tensor<8xf32>, %b: tensor<8xf32>, %k: index, %v: f32, %n: index) -> (tensor<8xf32>, tensor<8xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %e = tensor.empty() : tensor<8xf32>
  %r:2 = scf.for %i = %c0 to %n step %c1 iter_args(%x = %a, %y = %b) -> (tensor<8xf32>, tensor<8xf32>) {
    %s = scf.index_switch %k -> tensor<8xf32>
    case 0 {
      %new = linalg.exp ins(%x : tensor<8xf32>) outs(%e : tensor<8xf32>) -> tensor<8xf32>
      scf.yield %new : tensor<8xf32>
    }
    case 1 {
      scf.yield %x : tensor<8xf32>
    }
    default {
      scf.yield %y : tensor<8xf32>
    }
    %t = tensor.insert %v into %y[%c0] : tensor<8xf32>
    scf.yield %s, %t : tensor<8xf32>, tensor<8xf32>
  }
  return %r#0, %r#1 : tensor<8xf32>, tensor<8xf32>
}

// A part of the tensor that is read after the branches is a use, too.
// CHECK-LABEL: func.func @part_later
// CHECK:           } else {
// CHECK:             linalg.copy
// BUFFER-LABEL: func.func @part_later
// BUFFER:         return
func.func @part_later(%a: tensor<8xf32>, %c: i1, %o: memref<f32>, %n: index) -> tensor<8xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %e = tensor.empty() : tensor<8xf32>
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%x = %a) -> (tensor<8xf32>) {
    %part = tensor.extract_slice %x[0] [4] [1] : tensor<8xf32> to tensor<4xf32>
    %s = scf.if %c -> (tensor<8xf32>) {
      %new = linalg.exp ins(%x : tensor<8xf32>) outs(%e : tensor<8xf32>) -> tensor<8xf32>
      scf.yield %new : tensor<8xf32>
    } else {
      scf.yield %x : tensor<8xf32>
    }
    %old = tensor.extract %part[%c0] : tensor<4xf32>
    memref.store %old, %o[] : memref<f32>
    scf.yield %s : tensor<8xf32>
  }
  return %r : tensor<8xf32>
}

// Where bufferization would not accept a tensor that one branch writes to the
// buffer of another one's, each branch yields copies alone.
// CHECK-LABEL: func.func @careful
// CHECK:         scf.if
// CHECK-COUNT-2:   linalg.copy
// CHECK:         } else {
// CHECK-COUNT-2:   linalg.copy
// BUFFER-LABEL: func.func @careful
// BUFFER:         return
func.func @careful(%b: i1, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  scf.for %i = %c0 to %n step %c1 {
    %zero = arith.constant dense<0> : tensor<8xi16>
    %r:2 = scf.if %b -> (tensor<8xi16>, tensor<8xi16>) {
      %one = arith.constant dense<1> : tensor<8xi16>
      scf.yield %one, %one : tensor<8xi16>, tensor<8xi16>
    } else {
      %two = arith.constant dense<2> : tensor<8xi16>
      scf.yield %zero, %two : tensor<8xi16>, tensor<8xi16>
    }
  }
  return
}
