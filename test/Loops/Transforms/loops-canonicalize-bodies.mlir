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
