// RUN: gridir-opt %s --loops-anchor-tensors | FileCheck %s
// RUN: gridir-opt %s --loops-anchor-tensors --one-shot-bufferize | FileCheck %s --check-prefix=BUFFER

// A new value is written where the carried one lives.
// CHECK-LABEL: func.func @carried
// CHECK:         scf.for {{.*}} iter_args(%[[ARG:.*]] = %{{.*}})
// CHECK:           %[[NEW:.*]] = linalg.exp
// CHECK:           %[[KEPT:.*]] = bufferization.materialize_in_destination %[[NEW]] in %[[ARG]]
// CHECK:           scf.yield %[[KEPT]]
// No step allocates.
// BUFFER-LABEL: func.func @carried
// BUFFER:         memref.alloc
// BUFFER:         scf.for
// BUFFER-NOT:     memref.alloc
// BUFFER:         linalg.exp
// BUFFER-NOT:     memref.alloc
// BUFFER:         return
func.func @carried(%x: memref<8xf32>, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %init = bufferization.to_tensor %x restrict : memref<8xf32> to tensor<8xf32>
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%a = %init) -> (tensor<8xf32>) {
    %new = linalg.exp ins(%a : tensor<8xf32>) outs(%a : tensor<8xf32>) -> tensor<8xf32>
    scf.yield %new : tensor<8xf32>
  }
  bufferization.materialize_in_destination %r in writable %x : (tensor<8xf32>, memref<8xf32>) -> ()
  return
}

// Two carried tensors that are exchanged are copied before either is written.
// CHECK-LABEL: func.func @swapped
// CHECK:         scf.for {{.*}} iter_args(%[[A:.*]] = %{{.*}}, %[[B:.*]] = %{{.*}})
// CHECK:           %[[COPYB:.*]] = bufferization.alloc_tensor() copy(%[[B]])
// CHECK:           %[[COPYA:.*]] = bufferization.alloc_tensor() copy(%[[A]])
// CHECK:           %[[INA:.*]] = bufferization.materialize_in_destination %[[COPYB]] in %[[A]]
// CHECK:           %[[INB:.*]] = bufferization.materialize_in_destination %[[COPYA]] in %[[B]]
// CHECK:           scf.yield %[[INA]], %[[INB]]
// BUFFER-LABEL: func.func @swapped
func.func @swapped(%a: tensor<8xf32>, %b: tensor<8xf32>, %n: index) -> (tensor<8xf32>, tensor<8xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %r:2 = scf.for %i = %c0 to %n step %c1 iter_args(%x = %a, %y = %b) -> (tensor<8xf32>, tensor<8xf32>) {
    scf.yield %y, %x : tensor<8xf32>, tensor<8xf32>
  }
  return %r#0, %r#1 : tensor<8xf32>, tensor<8xf32>
}

// Both regions of a while loop carry tensors. What is handed on unchanged needs no anchor.
// CHECK-LABEL: func.func @while
// CHECK:         scf.while (%[[ARG:.*]] = %{{.*}})
// CHECK:           scf.condition(%{{.*}}) %[[ARG]]
// CHECK:         ^bb0(%[[BODY:.*]]: tensor<8xf32>):
// CHECK:           %[[KEPT:.*]] = bufferization.materialize_in_destination %{{.*}} in %[[BODY]]
// CHECK:           scf.yield %[[KEPT]]
// BUFFER-LABEL: func.func @while
func.func @while(%a: tensor<8xf32>) -> tensor<8xf32> {
  %c0 = arith.constant 0 : index
  %one = arith.constant 1.0 : f32
  %r = scf.while (%x = %a) : (tensor<8xf32>) -> tensor<8xf32> {
    %v = tensor.extract %x[%c0] : tensor<8xf32>
    %more = arith.cmpf olt, %v, %one : f32
    scf.condition(%more) %x : tensor<8xf32>
  } do {
  ^bb0(%x: tensor<8xf32>):
    %new = linalg.exp ins(%x : tensor<8xf32>) outs(%x : tensor<8xf32>) -> tensor<8xf32>
    scf.yield %new : tensor<8xf32>
  }
  return %r : tensor<8xf32>
}

// The result of an inner loop is in the buffer of its initial value, which the outer loop carries.
// CHECK-LABEL: func.func @nested
// CHECK:         scf.for {{.*}} iter_args(%[[OUTER:.*]] = %{{.*}})
// CHECK:           %[[R:.*]] = scf.for {{.*}} iter_args(%[[INNER:.*]] = %[[OUTER]])
// CHECK:             %[[NEW:.*]] = tensor.insert %{{.*}} into %[[INNER]]
// CHECK-NEXT:        scf.yield %[[NEW]]
// CHECK:           scf.yield %[[R]]
// BUFFER-LABEL: func.func @nested
// BUFFER:         memref.store
func.func @nested(%a: tensor<8xf32>, %n: index) -> tensor<8xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%x = %a) -> (tensor<8xf32>) {
    %s = scf.for %j = %c0 to %n step %c1 iter_args(%y = %x) -> (tensor<8xf32>) {
      %old = tensor.extract %y[%j] : tensor<8xf32>
      %sum = arith.addf %old, %old : f32
      %new = tensor.insert %sum into %y[%i] : tensor<8xf32>
      scf.yield %new : tensor<8xf32>
    }
    scf.yield %s : tensor<8xf32>
  }
  return %r : tensor<8xf32>
}

// Where the old value is still read, the inner loop works on a copy.
// CHECK-LABEL: func.func @nested_and_read
// CHECK:         scf.for {{.*}} iter_args(%[[OUTER:.*]] = %{{.*}})
// CHECK:           %[[COPY:.*]] = bufferization.alloc_tensor() copy(%[[OUTER]])
// CHECK:           %[[R:.*]] = scf.for {{.*}} iter_args(%{{.*}} = %[[COPY]])
// CHECK:           tensor.extract %[[OUTER]]
// CHECK:           %[[KEPT:.*]] = bufferization.materialize_in_destination %[[R]] in %[[OUTER]]
// CHECK:           scf.yield %[[KEPT]]
// BUFFER-LABEL: func.func @nested_and_read
// BUFFER:         memref.store
func.func @nested_and_read(%a: tensor<8xf32>, %n: index, %o: memref<f32>) -> tensor<8xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %one = arith.constant 1.0 : f32
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%x = %a) -> (tensor<8xf32>) {
    %s = scf.for %j = %c0 to %n step %c1 iter_args(%y = %x) -> (tensor<8xf32>) {
      %new = tensor.insert %one into %y[%j] : tensor<8xf32>
      scf.yield %new : tensor<8xf32>
    }
    %old = tensor.extract %x[%i] : tensor<8xf32>
    memref.store %old, %o[] : memref<f32>
    scf.yield %s : tensor<8xf32>
  }
  return %r : tensor<8xf32>
}

// A loop may hand on fewer values than it carries: the last has nothing to be anchored in.
// CHECK-LABEL: func.func @fewer
// CHECK:         scf.while (%{{.*}} = %{{.*}}, %{{.*}} = %{{.*}})
// CHECK:           scf.condition(%{{.*}}) %{{.*}} : tensor<8xf32>
// BUFFER-LABEL: func.func @fewer
func.func @fewer(%a: tensor<8xf32>, %n: i32) -> tensor<8xf32> {
  %one = arith.constant 1 : i32
  %r = scf.while (%x = %a, %i = %n) : (tensor<8xf32>, i32) -> tensor<8xf32> {
    %more = arith.cmpi slt, %i, %one : i32
    scf.condition(%more) %x : tensor<8xf32>
  } do {
  ^bb0(%x: tensor<8xf32>):
    scf.yield %x, %one : tensor<8xf32>, i32
  }
  return %r : tensor<8xf32>
}

// A tensor that only the condition reads is handed on again, and the body writes the next one over it.
// CHECK-LABEL: func.func @read_by_condition
// CHECK:         %[[R:.*]]:2 = scf.while (%[[I:.*]] = %{{.*}}, %[[X:.*]] = %{{.*}})
// CHECK:           scf.condition(%{{.*}}) %[[I]], %[[X]] : i32, tensor<8xf32>
// CHECK:         ^bb0(%[[J:.*]]: i32, %[[OLD:.*]]: tensor<8xf32>):
// CHECK:           %[[KEPT:.*]] = bufferization.materialize_in_destination %{{.*}} in %[[OLD]]
// CHECK:           scf.yield %{{.*}}, %[[KEPT]]
// CHECK:         return %[[R]]#0
// BUFFER-LABEL: func.func @read_by_condition
// BUFFER:         scf.while
func.func @read_by_condition(%a: memref<8xf32>, %n: i32) -> i32 {
  %c0 = arith.constant 0 : index
  %one = arith.constant 1 : i32
  %limit = arith.constant 1.0 : f32
  %init = bufferization.to_tensor %a restrict : memref<8xf32> to tensor<8xf32>
  %r = scf.while (%i = %n, %x = %init) : (i32, tensor<8xf32>) -> i32 {
    %v = tensor.extract %x[%c0] : tensor<8xf32>
    %more = arith.cmpf olt, %v, %limit : f32
    scf.condition(%more) %i : i32
  } do {
  ^bb0(%i: i32):
    %next = arith.addi %i, %one : i32
    %number = arith.sitofp %next : i32 to f32
    %new = tensor.splat %number : tensor<8xf32>
    scf.yield %next, %new : i32, tensor<8xf32>
  }
  return %r : i32
}

// A number that the body does not read moves the tensor after it.
// CHECK-LABEL: func.func @moved
// CHECK:         %[[R:.*]]:2 = scf.while (%[[I:.*]] = %{{.*}}, %[[X:.*]] = %{{.*}})
// CHECK:           scf.condition(%{{.*}}) %[[I]], %[[X]] : i32, tensor<8xf32>
// CHECK:         ^bb0(%{{.*}}: i32, %[[OLD:.*]]: tensor<8xf32>):
// CHECK:           linalg.exp ins(%[[OLD]]
// CHECK:         return %[[R]]#1
// BUFFER-LABEL: func.func @moved
func.func @moved(%a: tensor<8xf32>, %n: i32) -> tensor<8xf32> {
  %one = arith.constant 1 : i32
  %r = scf.while (%i = %n, %x = %a) : (i32, tensor<8xf32>) -> tensor<8xf32> {
    %more = arith.cmpi slt, %i, %one : i32
    scf.condition(%more) %x : tensor<8xf32>
  } do {
  ^bb0(%x: tensor<8xf32>):
    %new = linalg.exp ins(%x : tensor<8xf32>) outs(%x : tensor<8xf32>) -> tensor<8xf32>
    scf.yield %one, %new : i32, tensor<8xf32>
  }
  return %r : tensor<8xf32>
}

// A condition that hands on what it computes, instead of what the loop carries, is left as it is but for the anchor.
// CHECK-LABEL: func.func @while_computes
// CHECK:         scf.while (%[[ARG:.*]] = %{{.*}}) : (tensor<8xf32>) -> tensor<8xf32> {
// CHECK:           %[[NEW:.*]] = linalg.exp
// CHECK:           %[[KEPT:.*]] = bufferization.materialize_in_destination %[[NEW]] in %[[ARG]]
// CHECK:           scf.condition(%{{.*}}) %[[KEPT]] : tensor<8xf32>
func.func @while_computes(%a: tensor<8xf32>) -> tensor<8xf32> {
  %c0 = arith.constant 0 : index
  %one = arith.constant 1.0 : f32
  %r = scf.while (%x = %a) : (tensor<8xf32>) -> tensor<8xf32> {
    %new = linalg.exp ins(%x : tensor<8xf32>) outs(%x : tensor<8xf32>) -> tensor<8xf32>
    %v = tensor.extract %new[%c0] : tensor<8xf32>
    %more = arith.cmpf olt, %v, %one : f32
    scf.condition(%more) %new : tensor<8xf32>
  } do {
  ^bb0(%x: tensor<8xf32>):
    scf.yield %x : tensor<8xf32>
  }
  return %r : tensor<8xf32>
}

// What is inserted into a carried tensor is in its buffer. The other value needs no copy.
// CHECK-LABEL: func.func @collected
// CHECK:         scf.for {{.*}} iter_args(%[[LAST:.*]] = %{{.*}}, %[[ALL:.*]] = %{{.*}})
// CHECK:           %[[NEW:.*]] = linalg.exp
// CHECK:           %[[MORE:.*]] = tensor.insert_slice %[[NEW]] into %[[ALL]]
// CHECK-NOT:       bufferization.alloc_tensor
// CHECK:           %[[KEPT:.*]] = bufferization.materialize_in_destination %[[NEW]] in %[[LAST]]
// CHECK:           scf.yield %[[KEPT]], %[[MORE]]
// BUFFER-LABEL: func.func @collected
// BUFFER:         scf.for
// BUFFER-NOT:     memref<4x8xf32> to memref<4x8xf32>
// BUFFER:         return
func.func @collected(%a: tensor<8xf32>, %b: tensor<4x8xf32>, %n: index) -> tensor<4x8xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %e = tensor.empty() : tensor<8xf32>
  %r:2 = scf.for %i = %c0 to %n step %c1 iter_args(%x = %a, %y = %b) -> (tensor<8xf32>, tensor<4x8xf32>) {
    %new = linalg.exp ins(%x : tensor<8xf32>) outs(%e : tensor<8xf32>) -> tensor<8xf32>
    %more = tensor.insert_slice %new into %y[%i, 0] [1, 8] [1, 1] : tensor<8xf32> into tensor<4x8xf32>
    scf.yield %new, %more : tensor<8xf32>, tensor<4x8xf32>
  }
  return %r#1 : tensor<4x8xf32>
}

// A branch that inserts and one that does not both keep the buffer.
// CHECK-LABEL: func.func @sometimes
// CHECK:         scf.for {{.*}} iter_args(%[[ALL:.*]] = %{{.*}})
// CHECK-NOT:       bufferization
// CHECK:           %[[R:.*]] = scf.if
// CHECK:           scf.yield %[[R]]
// BUFFER-LABEL: func.func @sometimes
// BUFFER:         return
func.func @sometimes(%b: tensor<8xf32>, %n: index, %m: index) -> tensor<8xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%y = %b) -> (tensor<8xf32>) {
    %old = tensor.extract %y[%i] : tensor<8xf32>
    %first = arith.cmpi slt, %i, %m : index
    %s = scf.if %first -> (tensor<8xf32>) {
      %sum = arith.addf %old, %old : f32
      %new = tensor.insert %sum into %y[%i] : tensor<8xf32>
      scf.yield %new : tensor<8xf32>
    } else {
      scf.yield %y : tensor<8xf32>
    }
    scf.yield %s : tensor<8xf32>
  }
  return %r : tensor<8xf32>
}

// A tensor that is read after the insertion is copied.
// CHECK-LABEL: func.func @inserted_and_read
// CHECK:         scf.for {{.*}} iter_args(%[[ALL:.*]] = %{{.*}})
// CHECK:           %[[NEW:.*]] = tensor.insert
// CHECK:           tensor.extract %[[ALL]]
// CHECK:           %[[KEPT:.*]] = bufferization.materialize_in_destination %[[NEW]] in %[[ALL]]
// CHECK:           scf.yield %[[KEPT]]
// BUFFER-LABEL: func.func @inserted_and_read
// BUFFER:         return
func.func @inserted_and_read(%b: tensor<8xf32>, %n: index, %o: memref<f32>) -> tensor<8xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %one = arith.constant 1.0 : f32
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%y = %b) -> (tensor<8xf32>) {
    %new = tensor.insert %one into %y[%c0] : tensor<8xf32>
    %old = tensor.extract %y[%i] : tensor<8xf32>
    memref.store %old, %o[] : memref<f32>
    scf.yield %new : tensor<8xf32>
  }
  return %r : tensor<8xf32>
}

// A row that was read before the insertion, and is carried, is kept.
// CHECK-LABEL: func.func @row_before
// CHECK:         %[[ROW:.*]] = tensor.extract_slice
// CHECK:         tensor.insert_slice
// CHECK:         bufferization.materialize_in_destination %[[ROW]]
// BUFFER-LABEL: func.func @row_before
// BUFFER:         memref.alloc() {{.*}}memref<8xf32>
// BUFFER:         return
func.func @row_before(%a: tensor<8xf32>, %b: tensor<4x8xf32>, %n: index) -> (tensor<8xf32>, tensor<4x8xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %r:2 = scf.for %i = %c0 to %n step %c1 iter_args(%x = %a, %y = %b) -> (tensor<8xf32>, tensor<4x8xf32>) {
    %row = tensor.extract_slice %y[%i, 0] [1, 8] [1, 1] : tensor<4x8xf32> to tensor<8xf32>
    %more = tensor.insert_slice %x into %y[%i, 0] [1, 8] [1, 1] : tensor<8xf32> into tensor<4x8xf32>
    scf.yield %row, %more : tensor<8xf32>, tensor<4x8xf32>
  }
  return %r#0, %r#1 : tensor<8xf32>, tensor<4x8xf32>
}
