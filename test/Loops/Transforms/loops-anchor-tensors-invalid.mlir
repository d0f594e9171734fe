// RUN: gridir-opt %s --pass-pipeline='builtin.module(func.func(loops-anchor-tensors))' --verify-diagnostics

// Bufferization would count the bytes of such a tensor.
// expected-error @below {{expected a type of at most 1099511627776 elements, got 'tensor<4611686018427387904xf32>'}}
func.func @huge(%t: tensor<4611686018427387904xf32>, %c: f32) -> tensor<4611686018427387904xf32> {
  %e = tensor.empty() : tensor<4xf32>
  %f = linalg.fill ins(%c : f32) outs(%e : tensor<4xf32>) -> tensor<4xf32>
  %r = tensor.insert_slice %f into %t[2] [4] [1] : tensor<4xf32> into tensor<4611686018427387904xf32>
  return %r : tensor<4611686018427387904xf32>
}
