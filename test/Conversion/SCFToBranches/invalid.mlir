// RUN: gridir-opt %s --convert-scf-to-branches --split-input-file --verify-diagnostics

// A loop over tensors must have become one over memory.
func.func @tensors(%x: tensor<8xf32>, %n: index) -> tensor<8xf32> {
  // expected-error @below {{expected an op that can be lowered to branches}}
  %r = scf.forall (%i) in (%n) shared_outs(%o = %x) -> tensor<8xf32> {
    scf.forall.in_parallel {
      tensor.parallel_insert_slice %x into %o[0] [8] [1] : tensor<8xf32> into tensor<8xf32>
    }
  }
  return %r : tensor<8xf32>
}
