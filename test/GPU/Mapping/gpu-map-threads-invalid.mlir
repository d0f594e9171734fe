// RUN: gridir-opt %s --split-input-file --gpu-map-threads --verify-diagnostics

// Only one thread could make the call, and nothing says which.
module {
  kernel.abi @k
  func.func private @effect()
  func.func @k(%status: memref<4xi64>, %lo: index, %hi: index) {
    scf.forall (%item) = (%lo) to (%hi) step (1) {
      // expected-error @below {{expected an operation that the threads of a CTA can share, got 'func.call'}}
      func.call @effect() : () -> ()
    } {mapping = [#gpu.block<x>]}
    return
  }
}

// -----

// The author gives reductions less memory than this one needs.
#id = affine_map<(i) -> (i)>
#none = affine_map<(i) -> ()>
module attributes {kernel.mapping = #kernel.mapping<reduction_scratch_bytes = 64>} {
  kernel.abi @k
  func.func @k(%x: memref<1000xf32>, %o: memref<f32>, %status: memref<4xi64>, %lo: index, %hi: index) {
    scf.forall (%item) = (%lo) to (%hi) step (1) {
      // expected-error @below {{expected reduction_scratch_bytes of at least 512 for this reduction, got 64}}
      linalg.generic {indexing_maps = [#id, #none], iterator_types = ["reduction"]}
          ins(%x : memref<1000xf32>) outs(%o : memref<f32>) {
      ^bb0(%a: f32, %m: f32):
        %0 = arith.addf %a, %m : f32
        linalg.yield %0 : f32
      }
    } {mapping = [#gpu.block<x>]}
    return
  }
}

// -----

// expected-error @below {{expected from 1 to 32 warps in a CTA, got 64}}
module attributes {kernel.mapping = #kernel.mapping<num_warps = 64>} {
  kernel.abi @k
  func.func @k(%status: memref<4xi64>, %lo: index, %hi: index) {
    scf.forall (%item) = (%lo) to (%hi) step (1) {
    } {mapping = [#gpu.block<x>]}
    return
  }
}

// -----

module {
  kernel.abi @k
  // expected-error @below {{expected a kernel whose work items are mapped to CTAs}}
  func.func @k(%status: memref<4xi64>, %lo: index, %hi: index) {
    return
  }
}

// -----

module {
  kernel.abi @k
  func.func @k(%x: tensor<8xf32>, %status: memref<4xi64>, %lo: index, %hi: index) {
    scf.forall (%item) = (%lo) to (%hi) step (1) {
      // expected-error @below {{expected memrefs to share among threads, got tensors; bufferize the kernel first}}
      %0 = linalg.exp ins(%x : tensor<8xf32>) outs(%x : tensor<8xf32>) -> tensor<8xf32>
    } {mapping = [#gpu.block<x>]}
    return
  }
}

// -----

// The last number of warps that a CTA may have is none too many; no warp is too few.

module attributes {kernel.mapping = #kernel.mapping<num_warps = 32>} {
  kernel.abi @k
  func.func @k(%status: memref<4xi64>, %lo: index, %hi: index) {
    scf.forall (%item) = (%lo) to (%hi) step (1) {
    } {mapping = [#gpu.block<x>]}
    return
  }
}

// -----

// expected-error @below {{expected from 1 to 32 warps in a CTA, got 33}}
module attributes {kernel.mapping = #kernel.mapping<num_warps = 33>} {
  kernel.abi @k
  func.func @k(%status: memref<4xi64>, %lo: index, %hi: index) {
    scf.forall (%item) = (%lo) to (%hi) step (1) {
    } {mapping = [#gpu.block<x>]}
    return
  }
}

// -----

// expected-error @below {{expected from 1 to 32 warps in a CTA, got 0}}
module attributes {kernel.mapping = #kernel.mapping<num_warps = 0>} {
  kernel.abi @k
  func.func @k(%status: memref<4xi64>, %lo: index, %hi: index) {
    scf.forall (%item) = (%lo) to (%hi) step (1) {
    } {mapping = [#gpu.block<x>]}
    return
  }
}

// -----

module {
  kernel.abi @k
  // expected-error @below {{expected a kernel of operands, status, lo and hi, got '(index, index) -> ()'}}
  func.func @k(%lo: index, %hi: index) {
    return
  }
}

// -----

// expected-error @below {{expected a module with a kernel.abi}}
module {
}

// -----

module {
  // expected-error @below {{expected a function @k with a body}}
  kernel.abi @k
  func.func private @k(memref<4xi64>, index, index)
}

// -----

module {
  kernel.abi @k
  // expected-error @below {{expected a kernel that ends in a status of i64, and lo and hi of index, got '(f32, f32, f32) -> ()'}}
  func.func @k(%status: f32, %lo: f32, %hi: f32) {
    return
  }
}

// -----

module {
  kernel.abi @k
  // expected-error @below {{expected a kernel of one block, got 2}}
  func.func @k(%status: memref<4xi64>, %lo: index, %hi: index) {
    cf.br ^bb1
  ^bb1:
    return
  }
}

// -----

module {
  kernel.abi @k
  func.func @k(%x: memref<*xf32>, %y: memref<*xf32>, %status: memref<4xi64>, %lo: index, %hi: index) {
    scf.forall (%item) = (%lo) to (%hi) step (1) {
      // expected-error @below {{expected memrefs of known rank to copy, got 'memref<*xf32>' and 'memref<*xf32>'}}
      memref.copy %x, %y : memref<*xf32> to memref<*xf32>
    } {mapping = [#gpu.block<x>]}
    return
  }
}

// -----

// Loops over CTAs write memory, and give no tensors.
module {
  kernel.abi @k
  // expected-error @below {{expected a kernel whose work items are mapped to CTAs}}
  func.func @k(%x: tensor<4xf32>, %status: memref<4xi64>, %lo: index, %hi: index) {
    %r = scf.forall (%i) in (4) shared_outs(%o = %x) -> tensor<4xf32> {
      %s = tensor.extract_slice %o[%i] [1] [1] : tensor<4xf32> to tensor<1xf32>
      scf.forall.in_parallel {
        tensor.parallel_insert_slice %s into %o[%i] [1] [1] : tensor<1xf32> into tensor<4xf32>
      }
    } {mapping = [#gpu.block<x>]}
    return
  }
}

// -----

// It has the name of a print, but no print gives anything.
module {
  kernel.abi @k prints = [#kernel.print<"">]
  func.func private @gridirPrintBegin(i64) -> i64
  func.func @k(%o: memref<i64>, %status: memref<4xi64>, %lo: index, %hi: index) {
    %site = arith.constant 8 : i64
    scf.forall (%item) = (%lo) to (%hi) step (1) {
      // expected-error @below {{expected an operation that the threads of a CTA can share, got 'func.call'}}
      %0 = func.call @gridirPrintBegin(%site) : (i64) -> i64
      memref.store %0, %o[] : memref<i64>
    } {mapping = [#gpu.block<x>]}
    return
  }
}
