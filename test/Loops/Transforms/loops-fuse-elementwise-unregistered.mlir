// RUN: gridir-opt %s --loops-fuse-elementwise --allow-unregistered-dialect | FileCheck %s

// An op of no dialect may do anything: it is computed once, and not for each user.
// CHECK-LABEL: func.func @unregistered
// CHECK: "other.op"
// CHECK-NOT: "other.op"
#id = affine_map<(i) -> (i)>
func.func @unregistered(%x: tensor<64xf32>) -> (tensor<64xf32>, tensor<64xf32>) {
  %empty = tensor.empty() : tensor<64xf32>
  %0 = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel"]}
      ins(%x : tensor<64xf32>) outs(%empty : tensor<64xf32>) {
  ^bb0(%a: f32, %b: f32):
    %c = "other.op"(%a) : (f32) -> f32
    linalg.yield %c : f32
  } -> tensor<64xf32>
  %1 = math.exp %0 : tensor<64xf32>
  %2 = math.sin %0 : tensor<64xf32>
  return %1, %2 : tensor<64xf32>, tensor<64xf32>
}
