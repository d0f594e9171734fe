// RUN: gridir-opt %s --cpu-stream-stores=cache-bytes=65536 --split-input-file --verify-diagnostics | FileCheck %s

// Vectors without dimensions, and loops that never end: two writes of one row may overlap.

// CHECK-LABEL: func.func @no_row(
// CHECK-NOT: nontemporal
module {
  kernel.abi @no_row
  func.func @no_row(%a: memref<64x256xf32>, %status: memref<4xi64>, %lo: index, %hi: index) {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c64 = arith.constant 64 : index
    %c128 = arith.constant 128 : index
    %one = arith.constant dense<1.0> : vector<64xf32>
    %point = arith.constant dense<1.0> : vector<f32>
    scf.for %i = %lo to %hi step %c1 {
      scf.for %j = %c0 to %c128 step %c0 {
        vector.transfer_write %one, %a[%i, %j] {in_bounds = [true]} : vector<64xf32>, memref<64x256xf32>
      }
      vector.transfer_write %point, %a[%i, %c64] : vector<f32>, memref<64x256xf32>
      vector.transfer_write %one, %a[%i, %c64] {in_bounds = [true]} : vector<64xf32>, memref<64x256xf32>
    }
    return
  }
  func.func @no_row.range(%a: memref<64x256xf32>) -> index {
    %c64 = arith.constant 64 : index
    return %c64 : index
  }
}
