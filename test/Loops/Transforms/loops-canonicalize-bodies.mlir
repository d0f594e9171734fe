// RUN: gridir-opt %s --loops-canonicalize-bodies=many-ops=6 --split-input-file | FileCheck %s
// RUN: gridir-opt %s --loops-canonicalize-bodies --split-input-file | FileCheck %s --check-prefix=FEW

// What cancels is gone in a body of many ops, in what is nested there too; outside of it, and where ops are few, it stays.
// CHECK-LABEL: func.func @loop
// CHECK-SAME:    %[[X:.*]]: tensor<8xf32>
// CHECK:         tensor.collapse_shape
// CHECK:         scf.for
// CHECK-NEXT:      call @use(%[[X]])
// CHECK-NEXT:      scf.if
// CHECK-NEXT:        call @use(%[[X]])
// CHECK-NEXT:      }
// CHECK-NEXT:    }
// FEW-LABEL: func.func @loop
// FEW:         scf.for
// FEW:           tensor.collapse_shape
// FEW:           scf.if
// FEW:             tensor.collapse_shape
func.func private @use(tensor<8xf32>)
func.func @loop(%x: tensor<8xf32>, %lo: index, %hi: index, %c: i1) -> tensor<8xf32> {
  %c1 = arith.constant 1 : index
  %e = tensor.expand_shape %x [[0, 1]] output_shape [8, 1] : tensor<8xf32> into tensor<8x1xf32>
  %s = tensor.collapse_shape %e [[0, 1]] : tensor<8x1xf32> into tensor<8xf32>
  scf.for %i = %lo to %hi step %c1 {
    %0 = tensor.expand_shape %x [[0, 1]] output_shape [8, 1] : tensor<8xf32> into tensor<8x1xf32>
    %1 = tensor.collapse_shape %0 [[0, 1]] : tensor<8x1xf32> into tensor<8xf32>
    func.call @use(%1) : (tensor<8xf32>) -> ()
    scf.if %c {
      %2 = tensor.expand_shape %x [[0, 1]] output_shape [8, 1] : tensor<8xf32> into tensor<8x1xf32>
      %3 = tensor.collapse_shape %2 [[0, 1]] : tensor<8x1xf32> into tensor<8xf32>
      func.call @use(%3) : (tensor<8xf32>) -> ()
    }
  }
  return %s : tensor<8xf32>
}

// -----

// A loop in a loop: what is inside of the inner one does not count for the outer one, which has few ops of its own.
// CHECK-LABEL: func.func @nested
// CHECK:         scf.for
// CHECK:           tensor.collapse_shape
// CHECK:           scf.for
// CHECK-NOT:         tensor.collapse_shape
// CHECK:             call @use
// CHECK:             call @use
// CHECK:         return
func.func private @use(tensor<8xf32>)
func.func @nested(%x: tensor<8xf32>, %lo: index, %hi: index) {
  %c1 = arith.constant 1 : index
  scf.for %i = %lo to %hi step %c1 {
    %0 = tensor.expand_shape %x [[0, 1]] output_shape [8, 1] : tensor<8xf32> into tensor<8x1xf32>
    %1 = tensor.collapse_shape %0 [[0, 1]] : tensor<8x1xf32> into tensor<8xf32>
    scf.for %j = %lo to %hi step %c1 {
      %2 = tensor.expand_shape %x [[0, 1]] output_shape [8, 1] : tensor<8xf32> into tensor<8x1xf32>
      %3 = tensor.collapse_shape %2 [[0, 1]] : tensor<8x1xf32> into tensor<8xf32>
      %4 = tensor.expand_shape %1 [[0, 1]] output_shape [8, 1] : tensor<8xf32> into tensor<8x1xf32>
      %5 = tensor.collapse_shape %4 [[0, 1]] : tensor<8x1xf32> into tensor<8xf32>
      func.call @use(%3) : (tensor<8xf32>) -> ()
      func.call @use(%5) : (tensor<8xf32>) -> ()
    }
  }
  return
}

// -----

// Six ops are as many as are asked for.
// CHECK-LABEL: func.func @six
// CHECK:         scf.for
// CHECK-NOT:       tensor.collapse_shape
// CHECK:           call @use
func.func private @use(tensor<8xf32>)
func.func @six(%x: tensor<8xf32>, %lo: index, %hi: index) {
  %c1 = arith.constant 1 : index
  scf.for %i = %lo to %hi step %c1 {
    %0 = tensor.expand_shape %x [[0, 1]] output_shape [8, 1] : tensor<8xf32> into tensor<8x1xf32>
    %1 = tensor.collapse_shape %0 [[0, 1]] : tensor<8x1xf32> into tensor<8xf32>
    func.call @use(%1) : (tensor<8xf32>) -> ()
    func.call @use(%1) : (tensor<8xf32>) -> ()
    func.call @use(%1) : (tensor<8xf32>) -> ()
  }
  return
}

// -----

// The rewrites of the canonicalizer: folds, the patterns of ops, as that of a sum of a sum, and those of dialects, as
// that of a cast before a structured op.
// CHECK-LABEL: func.func @patterns
// CHECK-SAME:    %[[X:.*]]: tensor<8xf32>
// CHECK:         scf.for %[[I:.*]] =
// CHECK:           %[[C3:.*]] = arith.constant 3 : index
// CHECK:           %[[SUM:.*]] = arith.addi %[[I]], %[[C3]]
// CHECK:           call @count(%[[SUM]])
// CHECK-NOT:       tensor.cast
// CHECK:           %[[EXP:.*]] = linalg.exp ins(%[[X]] : tensor<8xf32>)
// CHECK-NOT:       tensor.cast
// CHECK:           call @use(%[[EXP]])
func.func private @use(tensor<8xf32>)
func.func private @count(index)
func.func @patterns(%x: tensor<8xf32>, %lo: index, %hi: index) {
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  scf.for %i = %lo to %hi step %c1 {
    %0 = arith.addi %i, %c1 : index
    %1 = arith.addi %0, %c2 : index
    func.call @count(%1) : (index) -> ()
    %d = tensor.cast %x : tensor<8xf32> to tensor<?xf32>
    %e = linalg.exp ins(%d : tensor<?xf32>) outs(%d : tensor<?xf32>) -> tensor<?xf32>
    %s = tensor.cast %e : tensor<?xf32> to tensor<8xf32>
    func.call @use(%s) : (tensor<8xf32>) -> ()
  }
  return
}
