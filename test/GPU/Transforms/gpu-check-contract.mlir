// RUN: gridir-opt %s --split-input-file --gpu-check-contract --verify-diagnostics | FileCheck %s

// A kernel whose threads ask for their numbers, beside one that runs on some of them; both are as they were.
// CHECK-LABEL: func.func @mapped
// CHECK: gpu.thread_id x
// CHECK: memref.alloc() : memref<64xf32, #gpu.address_space<workgroup>>
// CHECK: gpu.barrier
// CHECK: scf.forall (%{{.+}}) in (16)
module {
  kernel.abi @mapped num_threads = 64
  func.func @mapped(%x: memref<64xf32>, %status: memref<4xi64>, %lo: index, %hi: index) {
    %zero = arith.constant 0.0 : f32
    %c0 = arith.constant 0 : index
    %one = arith.constant 1 : i64
    scf.forall (%item) = (%lo) to (%hi) step (1) {
      %thread = gpu.thread_id x
      %buffer = memref.alloc() : memref<64xf32, #gpu.address_space<workgroup>>
      memref.store %zero, %buffer[%thread] : memref<64xf32, #gpu.address_space<workgroup>>
      memref.store %one, %status[%c0] : memref<4xi64>
      gpu.barrier
      scf.forall (%t) in (16) {
        func.call @gridirPrintEnd() : () -> ()
        memref.store %zero, %x[%t] : memref<64xf32>
      } {mapping = [#gpu.thread<x>]}
    } {mapping = [#gpu.block<x>]}
    return
  }
  func.func private @gridirPrintEnd()
}

// -----

// An empty kernel needs no loop, and one CTA may run all work items.
// CHECK-LABEL: func.func @nothing
module {
  kernel.abi @nothing num_threads = 1024
  func.func @nothing(%status: memref<4xi64>, %lo: index, %hi: index) {
    %zero = arith.constant 0.0 : f32
    return
  }
}

// -----

// CHECK-LABEL: func.func @in_order
module {
  kernel.abi @in_order num_threads = 1
  func.func @in_order(%status: memref<4xi64>, %lo: index, %hi: index) {
    %zero = arith.constant 0 : i64
    scf.forall (%item) in (1) {
      memref.store %zero, %status[%item] : memref<4xi64>
    } {mapping = [#gpu.block<x>]}
    return
  }
}

// -----

// expected-error @below {{expected a module with a kernel.abi}}
module {
}

// -----

module {
  // expected-error @below {{expected the threads of a CTA in num_threads}}
  kernel.abi @k
  func.func @k(%status: memref<4xi64>, %lo: index, %hi: index) {
    return
  }
}

// -----

module {
  // expected-error @below {{expected from 1 to 1024 threads in a CTA, got 1025}}
  kernel.abi @k num_threads = 1025
  func.func @k(%status: memref<4xi64>, %lo: index, %hi: index) {
    return
  }
}

// -----

module {
  // expected-error @below {{expected from 1 to 1024 threads in a CTA, got 0}}
  kernel.abi @k num_threads = 0
  func.func @k(%status: memref<4xi64>, %lo: index, %hi: index) {
    return
  }
}

// -----

module {
  kernel.abi @k num_threads = 32
  // expected-error @below {{expected a kernel whose work items are mapped to CTAs}}
  func.func @k(%x: memref<f32>, %status: memref<4xi64>, %lo: index, %hi: index) {
    %zero = arith.constant 0.0 : f32
    memref.store %zero, %x[] : memref<f32>
    return
  }
}

// -----

module {
  kernel.abi @k num_threads = 32
  func.func @k(%x: memref<f32>, %status: memref<4xi64>, %lo: index, %hi: index) {
    %zero = arith.constant 0.0 : f32
    // expected-error @below {{expected a kernel with one loop over CTAs, got 'memref.store' outside of it}}
    memref.store %zero, %x[] : memref<f32>
    scf.forall (%item) = (%lo) to (%hi) step (1) {
      memref.store %zero, %x[] : memref<f32>
    } {mapping = [#gpu.block<x>]}
    return
  }
}

// -----

module {
  kernel.abi @k num_threads = 32
  func.func @k(%x: memref<f32>, %status: memref<4xi64>, %lo: index, %hi: index) {
    scf.forall (%item) = (%lo) to (%hi) step (1) {
    } {mapping = [#gpu.block<x>]}
    // expected-error @below {{expected a kernel with one loop over CTAs, got 'scf.forall' outside of it}}
    scf.forall (%item) = (%lo) to (%hi) step (1) {
    } {mapping = [#gpu.block<x>]}
    return
  }
}

// -----

module {
  kernel.abi @k num_threads = 32
  func.func @k(%status: memref<4xi64>, %lo: index, %hi: index) {
    // expected-error @below {{expected a loop over CTAs from the first work item, or from 0, by 1}}
    scf.forall (%item) = (%lo) to (%hi) step (2) {
    } {mapping = [#gpu.block<x>]}
    return
  }
}

// -----

module {
  kernel.abi @k num_threads = 32
  func.func @k(%status: memref<4xi64>, %lo: index, %hi: index) {
    // expected-error @below {{expected a loop over CTAs from the first work item, or from 0, by 1}}
    scf.forall (%item) = (%hi) to (%lo) step (1) {
    } {mapping = [#gpu.block<x>]}
    return
  }
}

// -----

module {
  kernel.abi @k num_threads = 32
  func.func @k(%status: memref<4xi64>, %lo: index, %hi: index) {
    scf.forall (%item) = (%lo) to (%hi) step (1) {
      // expected-error @below {{expected a loop over the threads of a CTA, in one dimension and without results}}
      scf.forall (%i, %j) in (4, 8) {
      } {mapping = [#gpu.thread<x>, #gpu.thread<y>]}
    } {mapping = [#gpu.block<x>]}
    return
  }
}

// -----

module {
  kernel.abi @k num_threads = 32
  func.func @k(%status: memref<4xi64>, %lo: index, %hi: index) {
    scf.forall (%item) = (%lo) to (%hi) step (1) {
      scf.forall (%i) in (4) {
        // expected-error @below {{expected no loop over threads inside of another}}
        scf.forall (%j) in (8) {
        } {mapping = [#gpu.thread<x>]}
      } {mapping = [#gpu.thread<x>]}
    } {mapping = [#gpu.block<x>]}
    return
  }
}

// -----

module {
  kernel.abi @k num_threads = 32
  func.func @k(%status: memref<4xi64>, %lo: index, %hi: index) {
    scf.forall (%item) = (%lo) to (%hi) step (1) {
      // expected-error @below {{expected a constant number of threads}}
      scf.forall (%i) in (%hi) {
      } {mapping = [#gpu.thread<x>]}
    } {mapping = [#gpu.block<x>]}
    return
  }
}

// -----

module {
  kernel.abi @k num_threads = 32
  func.func @k(%status: memref<4xi64>, %lo: index, %hi: index) {
    scf.forall (%item) = (%lo) to (%hi) step (1) {
      // expected-error @below {{expected a loop over threads from 0, by 1}}
      scf.forall (%i) = (1) to (8) step (1) {
      } {mapping = [#gpu.thread<x>]}
    } {mapping = [#gpu.block<x>]}
    return
  }
}

// -----

module {
  kernel.abi @k num_threads = 32
  func.func @k(%status: memref<4xi64>, %lo: index, %hi: index) {
    scf.forall (%item) = (%lo) to (%hi) step (1) {
      // expected-error @below {{expected a loop over threads from 0, by 1}}
      scf.forall (%i) = (0) to (8) step (2) {
      } {mapping = [#gpu.thread<x>]}
    } {mapping = [#gpu.block<x>]}
    return
  }
}

// -----

// As many threads as there are may run a loop, and no more.

module {
  kernel.abi @k num_threads = 32
  func.func @k(%status: memref<4xi64>, %lo: index, %hi: index) {
    scf.forall (%item) = (%lo) to (%hi) step (1) {
      scf.forall (%i) in (32) {
      } {mapping = [#gpu.thread<x>]}
      // expected-error @below {{expected at most the 32 threads of a CTA, got 33}}
      scf.forall (%i) in (33) {
      } {mapping = [#gpu.thread<x>]}
    } {mapping = [#gpu.block<x>]}
    return
  }
}

// -----

module {
  kernel.abi @k num_threads = 32
  func.func @k(%c: i1, %status: memref<4xi64>, %lo: index, %hi: index) {
    scf.forall (%item) = (%lo) to (%hi) step (1) {
      scf.forall (%i) in (32) {
        scf.if %c {
          // expected-error @below {{expected a barrier of all threads of a CTA, got one in a loop over threads}}
          gpu.barrier
        }
      } {mapping = [#gpu.thread<x>]}
    } {mapping = [#gpu.block<x>]}
    return
  }
}

// -----

module {
  kernel.abi @k num_threads = 32
  func.func @k(%status: memref<4xi64>, %lo: index, %hi: index) {
    scf.forall (%item) = (%lo) to (%hi) step (1) {
      scf.forall (%i) in (32) {
        // expected-error @below {{expected a buffer of all threads of a CTA, got one in a loop over threads}}
        %b = memref.alloca() : memref<4xf32>
      } {mapping = [#gpu.thread<x>]}
    } {mapping = [#gpu.block<x>]}
    return
  }
}

// -----

module {
  kernel.abi @k num_threads = 32
  func.func @k(%x: memref<8xf32>, %y: memref<8xf32>, %status: memref<4xi64>, %lo: index, %hi: index) {
    scf.forall (%item) = (%lo) to (%hi) step (1) {
      // expected-error @below {{expected ops of single threads, got an op on whole arrays}}
      memref.copy %x, %y : memref<8xf32> to memref<8xf32>
    } {mapping = [#gpu.block<x>]}
    return
  }
}

// -----

module {
  kernel.abi @k num_threads = 32
  func.func @k(%x: memref<8xf32>, %y: memref<8xf32>, %status: memref<4xi64>, %lo: index, %hi: index) {
    scf.forall (%item) = (%lo) to (%hi) step (1) {
      // expected-error @below {{expected ops of single threads, got an op on whole arrays}}
      linalg.exp ins(%x : memref<8xf32>) outs(%y : memref<8xf32>)
    } {mapping = [#gpu.block<x>]}
    return
  }
}

// -----

module {
  kernel.abi @k num_threads = 32
  func.func @k(%status: memref<4xi64>, %lo: index, %hi: index) {
    scf.forall (%item) = (%lo) to (%hi) step (1) {
      // expected-error @below {{expected ops of single threads, got an op on whole arrays}}
      %e = tensor.empty() : tensor<8xf32>
    } {mapping = [#gpu.block<x>]}
    return
  }
}

// -----

module {
  kernel.abi @k num_threads = 32
  func.func private @f()
  func.func @k(%status: memref<4xi64>, %lo: index, %hi: index) {
    scf.forall (%item) = (%lo) to (%hi) step (1) {
      // expected-error @below {{expected only prints as calls in a kernel of a GPU}}
      func.call @f() : () -> ()
    } {mapping = [#gpu.block<x>]}
    return
  }
}
