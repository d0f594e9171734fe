// RUN: gridir-opt %s --split-input-file --cpu-prefetch-reads="cache-bytes=1048576 result-bytes=65536" | FileCheck %s
// RUN: gridir-opt %s --split-input-file --cpu-prefetch-reads=cache-bytes=1048576 | FileCheck %s --check-prefix=NONE

// Stores do not fetch without the option.
// NONE-NOT: memref.prefetch

// A block of 128 columns is written row by row, in two lines at a time: each fetches those of the fourth row after.
// CHECK-LABEL: func.func @block(
// CHECK-SAME:    %[[O:[^:]*]]: memref<128x256xf32>
// CHECK:         %[[BLOCK:.*]] = memref.subview %[[O]]
// CHECK:         scf.for %[[ROW:.*]] =
// CHECK:           scf.for %[[J:.*]] =
// CHECK:             %[[C1024:.*]] = arith.constant 1024 : index
// CHECK:             %[[FOURTH:.*]] = arith.addi %[[J]], %[[C1024]]
// CHECK:             memref.prefetch %[[BLOCK]][%[[ROW]], %[[FOURTH]]], write, locality<3>, data
// CHECK:             %[[C1040:.*]] = arith.constant 1040 : index
// CHECK:             %[[LINE:.*]] = arith.addi %[[J]], %[[C1040]]
// CHECK:             memref.prefetch %[[BLOCK]][%[[ROW]], %[[LINE]]], write, locality<3>, data
// CHECK:             vector.transfer_write
// CHECK-NOT:     memref.prefetch
module {
  kernel.abi @block
  func.func @block(%o: memref<128x256xf32>, %status: memref<4xi64>, %lo: index, %hi: index) {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c32 = arith.constant 32 : index
    %c128 = arith.constant 128 : index
    %v = arith.constant dense<0.0> : vector<32xf32>
    scf.for %i = %lo to %hi step %c1 {
      %column = arith.muli %i, %c128 : index
      %block = memref.subview %o[0, %column] [128, 128] [1, 1] : memref<128x256xf32> to memref<128x128xf32, strided<[256, 1], offset: ?>>
      scf.for %row = %c0 to %c128 step %c1 {
        scf.for %j = %c0 to %c128 step %c32 {
          vector.transfer_write %v, %block[%row, %j] {in_bounds = [true]} : vector<32xf32>, memref<128x128xf32, strided<[256, 1], offset: ?>>
        }
      }
    }
    return
  }
  func.func @block.range(%o: memref<128x256xf32>) -> index {
    %c2 = arith.constant 2 : index
    return %c2 : index
  }
}

// -----

// A processor fetches by itself what follows: rows that lie one after the other, and long ones. Nothing is fetched for a
// small array (%small), three lines of each row (%few), columns (%t), and memory of the kernel.
// CHECK-LABEL: func.func @others(
// CHECK-NOT:     memref.prefetch
module {
  kernel.abi @others
  func.func @others(%whole: memref<256x128xf32>, %long: memref<64x4096xf32>, %small: memref<64x128xf32>, %few: memref<256x128xf32>, %t: memref<128x256xf32>, %status: memref<4xi64>, %lo: index, %hi: index) {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c16 = arith.constant 16 : index
    %c48 = arith.constant 48 : index
    %c64 = arith.constant 64 : index
    %c128 = arith.constant 128 : index
    %c1024 = arith.constant 1024 : index
    %own = memref.alloca() : memref<256x256xf32>
    %v = arith.constant dense<0.0> : vector<16xf32>
    scf.for %i = %lo to %hi step %c1 {
      scf.for %row = %c0 to %c64 step %c1 {
        scf.for %j = %c0 to %c128 step %c16 {
          vector.transfer_write %v, %whole[%row, %j] {in_bounds = [true]} : vector<16xf32>, memref<256x128xf32>
          vector.transfer_write %v, %small[%row, %j] {in_bounds = [true]} : vector<16xf32>, memref<64x128xf32>
          vector.transfer_write %v, %own[%row, %j] {in_bounds = [true]} : vector<16xf32>, memref<256x256xf32>
        }
        scf.for %j = %c0 to %c1024 step %c16 {
          vector.transfer_write %v, %long[%row, %j] {in_bounds = [true]} : vector<16xf32>, memref<64x4096xf32>
        }
        scf.for %j = %c0 to %c48 step %c16 {
          vector.transfer_write %v, %few[%row, %j] {in_bounds = [true]} : vector<16xf32>, memref<256x128xf32>
        }
        scf.for %j = %c0 to %c128 step %c16 {
          vector.transfer_write %v, %t[%j, %row] {in_bounds = [true]} : vector<16xf32>, memref<128x256xf32>
        }
      }
    }
    return
  }
  func.func @others.range(%whole: memref<256x128xf32>, %long: memref<64x4096xf32>, %small: memref<64x128xf32>, %few: memref<256x128xf32>, %t: memref<128x256xf32>) -> index {
    %c1 = arith.constant 1 : index
    return %c1 : index
  }
}
