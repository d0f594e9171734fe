// RUN: gridir-opt %s --mapped-to-gpu="chip=sm_90a stop-after=mapped" | FileCheck %s --check-prefix=MAPPED
// RUN: gridir-opt %s --mapped-to-gpu="chip=sm_90a stop-after=gpu" | FileCheck %s --check-prefix=GPU
// RUN: gridir-opt %s --mapped-to-gpu="chip=sm_90a" | FileCheck %s --check-prefix=PTX
// RUN: gridir-opt %s --mapped-to-gpu="chip=sm_90a" --dump-pass-pipeline -o /dev/null 2>&1 | FileCheck %s --check-prefix=PASSES

// A kernel of another mapper, with threads and a separate buffer in shared memory: the memory of a launch is planned,
// and its checks report, as for any other. The contract is checked first.

// PASSES-NOT: gpu-map
// PASSES: gpu-check-contract
// PASSES-NOT: gpu-map
// PASSES: gpu-emit-ptx

// MAPPED: kernel.abi @reverse shared_bytes = 256 workspace_bytes = 0 num_threads = 64
// MAPPED: memref.alloc() : memref<256xi8, #gpu.address_space<workgroup>>
// MAPPED: memref.atomic_rmw assign
// MAPPED: mapping = [#gpu.block<x>]
// GPU: num_ctas = 4
// GPU: gpu.func @reverse
// GPU-SAME: known_block_size = array<i32: 64, 1, 1>
// PTX: gpu.binary @reverse
// PTX-SAME: .entry reverse
// PTX-SAME: st.shared
// PTX-SAME: bar.sync
// PTX-SAME: ld.shared
// `.loc` refers to this file.
// PTX-SAME: .file{{.*}}mapped-to-gpu.mlir
module {
  kernel.abi @reverse num_threads = 64 diagnostics = ["expected a number in row {0}, got NaN at {1}"]
  func.func @reverse(%x: memref<4x64xf32> {llvm.noalias}, %o: memref<4x64xf32> {llvm.noalias}, %status: memref<4xi64>, %lo: index, %hi: index) {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c2 = arith.constant 2 : index
    %c63 = arith.constant 63 : index
    %number = arith.constant 1 : i64
    scf.forall (%row) = (%lo) to (%hi) step (1) {
      %thread = gpu.thread_id x
      %buffer = memref.alloc() : memref<64xf32, #gpu.address_space<workgroup>>
      %value = memref.load %x[%row, %thread] : memref<4x64xf32>
      %isNaN = arith.cmpf uno, %value, %value : f32
      scf.if %isNaN {
        %rowNumber = arith.index_cast %row : index to i64
        %column = arith.index_cast %thread : index to i64
        memref.store %number, %status[%c0] : memref<4xi64>
        memref.store %rowNumber, %status[%c1] : memref<4xi64>
        memref.store %column, %status[%c2] : memref<4xi64>
      }
      memref.store %value, %buffer[%thread] : memref<64xf32, #gpu.address_space<workgroup>>
      gpu.barrier
      %from = arith.subi %c63, %thread : index
      %reversed = memref.load %buffer[%from] : memref<64xf32, #gpu.address_space<workgroup>>
      memref.store %reversed, %o[%row, %thread] : memref<4x64xf32>
    } {mapping = [#gpu.block<x>]}
    return
  }
  func.func @reverse.range(%x: memref<4x64xf32>, %o: memref<4x64xf32>) -> index {
    %c4 = arith.constant 4 : index
    return %c4 : index
  }
}
