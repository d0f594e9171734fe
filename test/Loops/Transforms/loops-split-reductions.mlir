// RUN: gridir-opt %s --loops-split-reductions | FileCheck %s
// RUN: gridir-opt %s --loops-split-reductions --mlir-pass-statistics --mlir-pass-statistics-display=list -o /dev/null 2>&1 | FileCheck %s --check-prefix=STATS

// STATS:      (S) 2 num-split
// STATS-NEXT: (S) 6 num-unrolled

// CHECK-LABEL: func.func @mean_pool
// CHECK-SAME:    %[[X:.*]]: tensor<8x4x512x4xf32>, %[[INIT:.*]]: tensor<8x512xf32>
// CHECK:         %[[ZERO:.*]] = arith.constant 0.000000e+00 : f32
// CHECK:         %[[FILL:.*]] = linalg.fill ins(%[[ZERO]] : f32) {{.*}} -> tensor<8x512x4xf32>
// CHECK:         %[[ROWS:.*]] = linalg.reduce { arith.addf } ins(%[[X]] {{.*}} outs(%[[FILL]] {{.*}} dimensions = [1]
// CHECK:         %[[SLICE0:.*]] = tensor.extract_slice %[[ROWS]][0, 0, 0] [8, 512, 1] [1, 1, 4]
// CHECK:         %[[E0:.*]] = tensor.collapse_shape %[[SLICE0]] {{\[\[0\], \[1, 2\]\]}} : tensor<8x512x1xf32> into tensor<8x512xf32>
// CHECK:         tensor.extract_slice %[[ROWS]][0, 0, 3] [8, 512, 1] [1, 1, 4]
// CHECK:         %[[E3:.*]] = tensor.collapse_shape
// CHECK:         %[[RESULT:.*]] = linalg.generic {{.*}} iterator_types = ["parallel", "parallel"]
// CHECK-SAME:      ins(%[[E0]], %{{.*}}, %{{.*}}, %[[E3]], %[[INIT]] :
// CHECK-NEXT:    ^bb0(%[[A:.*]]: f32, %[[B:.*]]: f32, %[[C:.*]]: f32, %[[D:.*]]: f32, %[[I:.*]]: f32, %{{.*}}: f32):
// CHECK-NEXT:      %[[AI:.*]] = arith.addf %[[I]], %[[A]]
// CHECK-NEXT:      %[[BI:.*]] = arith.addf %[[AI]], %[[B]]
// CHECK-NEXT:      %[[CI:.*]] = arith.addf %[[BI]], %[[C]]
// CHECK-NEXT:      %[[DI:.*]] = arith.addf %[[CI]], %[[D]]
// CHECK-NEXT:      linalg.yield %[[DI]]
// CHECK:         return %[[RESULT]]
func.func @mean_pool(%x: tensor<8x4x512x4xf32>, %init: tensor<8x512xf32>) -> tensor<8x512xf32> {
  %0 = linalg.reduce { arith.addf } ins(%x : tensor<8x4x512x4xf32>) outs(%init : tensor<8x512xf32>) dimensions = [1, 3]
  return %0 : tensor<8x512xf32>
}

// CHECK-LABEL: func.func @several_rows
// CHECK:         arith.constant -2147483648 : i32
// CHECK:         linalg.reduce {{.*}} outs({{.*}} : tensor<16x2xi32>) dimensions = [0, 1]
// CHECK:         linalg.generic
func.func @several_rows(%x: tensor<3x2x16x2xi32>, %init: tensor<16xi32>) -> tensor<16xi32> {
  %0 = linalg.reduce { arith.maxsi } ins(%x : tensor<3x2x16x2xi32>) outs(%init : tensor<16xi32>) dimensions = [0, 1, 3]
  return %0 : tensor<16xi32>
}

// Long parts of rows and few windows stay.
// CHECK-LABEL: func.func @long
// CHECK:         dimensions = [1, 3]
func.func @long(%x: tensor<8x4x512x5xf32>, %init: tensor<8x512xf32>) -> tensor<8x512xf32> {
  %0 = linalg.reduce { arith.addf } ins(%x : tensor<8x4x512x5xf32>) outs(%init : tensor<8x512xf32>) dimensions = [1, 3]
  return %0 : tensor<8x512xf32>
}

// CHECK-LABEL: func.func @few
// CHECK:         dimensions = [1, 3]
func.func @few(%x: tensor<8x4x15x4xf32>, %init: tensor<8x15xf32>) -> tensor<8x15xf32> {
  %0 = linalg.reduce { arith.addf } ins(%x : tensor<8x4x15x4xf32>) outs(%init : tensor<8x15xf32>) dimensions = [1, 3]
  return %0 : tensor<8x15xf32>
}

// CHECK-LABEL: func.func @rows
// CHECK-SAME:    %[[X:.*]]: tensor<8x512x4xf32>
// CHECK:         tensor.extract_slice %[[X]][0, 0, 0] [8, 512, 1] [1, 1, 4]
// CHECK-NOT:     linalg.reduce
// CHECK:         linalg.generic
func.func @rows(%x: tensor<8x512x4xf32>, %init: tensor<8x512xf32>) -> tensor<8x512xf32> {
  %0 = linalg.reduce { arith.addf } ins(%x : tensor<8x512x4xf32>) outs(%init : tensor<8x512xf32>) dimensions = [2]
  return %0 : tensor<8x512xf32>
}

// The elements of what is computed for this reduction alone are computed from those of its operands.
// CHECK-LABEL: func.func @computed
// CHECK-SAME:    %[[X:.*]]: tensor<8x1024xf32>
// CHECK:         %[[A:.*]] = tensor.extract_slice %[[X]][0, 0] [8, 512] [1, 2]
// CHECK:         %[[B:.*]] = tensor.extract_slice %[[X]][0, 0] [8, 512] [1, 2]
// CHECK:         %[[SQUARES:.*]] = arith.mulf %[[A]], %[[B]] : tensor<8x512xf32>
// CHECK:         %[[TWO:.*]] = arith.constant dense<2.000000e+00> : tensor<8x512xf32>
// CHECK:         %[[EVEN:.*]] = arith.addf %[[SQUARES]], %[[TWO]] : tensor<8x512xf32>
// CHECK:         tensor.extract_slice %[[X]][0, 1] [8, 512] [1, 2]
// CHECK:         %[[ODD:.*]] = arith.addf
// CHECK:         linalg.generic {{.*}} ins(%[[EVEN]], %[[ODD]], %{{.*}} :
func.func @computed(%x: tensor<8x1024xf32>, %init: tensor<8x512xf32>) -> tensor<8x512xf32> {
  %two = arith.constant dense<2.0> : tensor<8x1024xf32>
  %squares = arith.mulf %x, %x : tensor<8x1024xf32>
  %sum = arith.addf %squares, %two : tensor<8x1024xf32>
  %pairs = tensor.expand_shape %sum [[0], [1, 2]] output_shape [8, 512, 2] : tensor<8x1024xf32> into tensor<8x512x2xf32>
  %0 = linalg.reduce { arith.addf } ins(%pairs : tensor<8x512x2xf32>) outs(%init : tensor<8x512xf32>) dimensions = [2]
  return %0 : tensor<8x512xf32>
}

// What has another use is computed once.
// CHECK-LABEL: func.func @used
// CHECK:         %[[SQUARES:.*]] = arith.mulf {{.*}} : tensor<8x1024xf32>
// CHECK:         tensor.extract_slice %[[SQUARES]][0, 0] [8, 512] [1, 2]
// CHECK:         tensor.extract_slice %[[SQUARES]][0, 1] [8, 512] [1, 2]
func.func @used(%x: tensor<8x1024xf32>, %init: tensor<8x512xf32>) -> (tensor<8x512xf32>, tensor<8x1024xf32>) {
  %squares = arith.mulf %x, %x : tensor<8x1024xf32>
  %pairs = tensor.expand_shape %squares [[0], [1, 2]] output_shape [8, 512, 2] : tensor<8x1024xf32> into tensor<8x512x2xf32>
  %0 = linalg.reduce { arith.addf } ins(%pairs : tensor<8x512x2xf32>) outs(%init : tensor<8x512xf32>) dimensions = [2]
  return %0, %squares : tensor<8x512xf32>, tensor<8x1024xf32>
}

// A reduction may have several results: the largest element and its index.
// CHECK-LABEL: func.func @largest
// CHECK:         linalg.generic
// CHECK-SAME:      ins(%{{.*}}, %{{.*}}, %{{.*}}, %{{.*}}, %{{.*}}, %{{.*}} : tensor<16xf32>, tensor<16xi32>, tensor<16xf32>, tensor<16xi32>, tensor<16xf32>, tensor<16xi32>)
// CHECK-COUNT-2:   arith.cmpf ogt
// CHECK-NOT:     linalg.reduce
func.func @largest(%x: tensor<16x2xf32>, %n: tensor<16x2xi32>, %init: tensor<16xf32>, %first: tensor<16xi32>) -> (tensor<16xf32>, tensor<16xi32>) {
  %0:2 = linalg.reduce ins(%x, %n : tensor<16x2xf32>, tensor<16x2xi32>) outs(%init, %first : tensor<16xf32>, tensor<16xi32>) dimensions = [1]
    (%a: f32, %i: i32, %b: f32, %j: i32) {
      %1 = arith.cmpf ogt, %a, %b : f32
      %2 = arith.select %1, %a, %b : f32
      %3 = arith.select %1, %i, %j : i32
      linalg.yield %2, %3 : f32, i32
    }
  return %0#0, %0#1 : tensor<16xf32>, tensor<16xi32>
}

// A sum of squares is not squared again.
// CHECK-LABEL: func.func @squares
// CHECK:         dimensions = [1, 3]
func.func @squares(%x: tensor<8x4x512x4xf32>, %init: tensor<8x512xf32>) -> tensor<8x512xf32> {
  %0 = linalg.reduce ins(%x : tensor<8x4x512x4xf32>) outs(%init : tensor<8x512xf32>) dimensions = [1, 3]
    (%in: f32, %out: f32) {
      %1 = arith.mulf %in, %in : f32
      %2 = arith.addf %1, %out : f32
      linalg.yield %2 : f32
    }
  return %0 : tensor<8x512xf32>
}
