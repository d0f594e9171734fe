// RUN: gridir-opt %s --split-input-file --cpu-prefetch-reads=cache-bytes=65536 | FileCheck %s
// RUN: gridir-opt %s --split-input-file --cpu-prefetch-reads=cache-bytes=65536 --mlir-pass-statistics --mlir-pass-statistics-display=list -o /dev/null 2>&1 | FileCheck %s --check-prefix=STATS
// RUN: gridir-opt %s --split-input-file --cpu-prefetch-reads | FileCheck %s --check-prefix=NONE

// Without the size of the caches nothing is fetched.
// NONE-NOT: memref.prefetch

// STATS:      CPUPrefetchReadsPass
// STATS-NEXT: 3 num-prefetched
// STATS-NEXT: 0 num-short

// An iteration reads 128 bytes of %x, two lines, through views of the array, and 64 bytes of %y.
// Both are fetched 8 KiB ahead.
// CHECK-LABEL: func.func @rows
// CHECK:         scf.for %{{.*}} = %{{.*}} to %{{.*}}
// CHECK:         %[[ROW:.*]] = memref.collapse_shape
// CHECK:         scf.for %[[J:.*]] =
// CHECK:           %[[C2048:.*]] = arith.constant 2048 : index
// CHECK:           %[[AHEAD:.*]] = arith.addi %[[J]], %[[C2048]]
// CHECK:           memref.prefetch %[[ROW]][%[[AHEAD]]], read, locality<3>, data
// CHECK:           %[[C2064:.*]] = arith.constant 2064 : index
// CHECK:           %[[NEXT:.*]] = arith.addi %[[J]], %[[C2064]]
// CHECK:           memref.prefetch %[[ROW]][%[[NEXT]]], read, locality<3>, data
// CHECK:           vector.transfer_read %[[ROW]][%[[J]]]
// CHECK:           %[[C4096:.*]] = arith.constant 4096 : index
// CHECK:           %[[OTHER:.*]] = arith.addi %[[J]], %[[C4096]]
// CHECK:           memref.prefetch %{{.*}}[%{{.*}}, %[[OTHER]]], read, locality<3>, data
// CHECK:           vector.transfer_read
// CHECK:           vector.transfer_read
// CHECK-NOT:     memref.prefetch
module {
  kernel.abi @rows
  func.func @rows(%x: memref<64x256xf32>, %y: memref<16x2048xbf16>, %small: memref<2048xf32>, %status: memref<4xi64>, %lo: index, %hi: index) {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c8 = arith.constant 8 : index
    %c32 = arith.constant 32 : index
    %c2048 = arith.constant 2048 : index
    %pad = arith.constant 0.0 : f32
    %half = arith.constant 0.0 : bf16
    scf.for %i = %lo to %hi step %c1 {
      %r = arith.muli %i, %c8 : index
      %xb = memref.subview %x[%r, 0] [8, 256] [1, 1] : memref<64x256xf32> to memref<8x256xf32, strided<[256, 1], offset: ?>>
      %xr = memref.collapse_shape %xb [[0, 1]] : memref<8x256xf32, strided<[256, 1], offset: ?>> into memref<2048xf32, strided<[1], offset: ?>>
      scf.for %j = %c0 to %c2048 step %c32 {
        %v = vector.transfer_read %xr[%j], %pad {in_bounds = [true]} : memref<2048xf32, strided<[1], offset: ?>>, vector<32xf32>
        %w = vector.transfer_read %y[%i, %j], %half {in_bounds = [true]} : memref<16x2048xbf16>, vector<32xbf16>
        %s = vector.transfer_read %small[%j], %pad {in_bounds = [true]} : memref<2048xf32>, vector<32xf32>
      }
    }
    return
  }
  func.func @rows.range(%x: memref<64x256xf32>, %y: memref<16x2048xbf16>, %small: memref<2048xf32>) -> index {
    %c8 = arith.constant 8 : index
    return %c8 : index
  }
}

// -----

// Of reads that differ by a constant the last one is fetched ahead: here the row below, one to the right. The next row
// is elsewhere, so that the distance is a quarter of the 8 KiB of a row.
// STATS:      CPUPrefetchReadsPass
// STATS-NEXT: 1 num-prefetched
// STATS-NEXT: 0 num-short

// CHECK-LABEL: func.func @stencil
// CHECK-COUNT-2: vector.transfer_read
// CHECK:         %[[C513:.*]] = arith.constant 512 : index
// CHECK:         %[[AHEAD:.*]] = arith.addi %[[RIGHT:.*]], %[[C513]]
// CHECK:         memref.prefetch %[[X:.*]][%[[BELOW:.*]], %[[AHEAD]]]
// CHECK-NEXT:    vector.transfer_read %[[X]][%[[BELOW]], %[[RIGHT]]]
// CHECK-NOT:     memref.prefetch
module {
  kernel.abi @stencil
  func.func @stencil(%x: memref<64x4096xf32>, %status: memref<4xi64>, %lo: index, %hi: index) {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c16 = arith.constant 16 : index
    %c2048 = arith.constant 2048 : index
    %pad = arith.constant 0.0 : f32
    scf.for %i = %lo to %hi step %c1 {
      %below = arith.addi %i, %c1 : index
      scf.for %j = %c0 to %c2048 step %c16 {
        %right = arith.addi %j, %c1 : index
        %u = vector.transfer_read %x[%i, %j], %pad {in_bounds = [true]} : memref<64x4096xf32>, vector<16xf32>
        %v = vector.transfer_read %x[%i, %right], %pad {in_bounds = [true]} : memref<64x4096xf32>, vector<16xf32>
        %w = vector.transfer_read %x[%below, %right], %pad {in_bounds = [true]} : memref<64x4096xf32>, vector<16xf32>
        %z = vector.transfer_read %x[%below, %j], %pad {in_bounds = [true]} : memref<64x4096xf32>, vector<16xf32>
      }
    }
    return
  }
  func.func @stencil.range(%x: memref<64x4096xf32>) -> index {
    %c32 = arith.constant 32 : index
    return %c32 : index
  }
}

// -----

// An iteration reads 256 bytes of a row, and the fourth row after it is fetched; of two rows that it reads, only for the
// last one. A start that moves by whole blocks does not matter.
// STATS:      CPUPrefetchReadsPass
// STATS-NEXT: 8 num-prefetched
// STATS-NEXT: 0 num-short

// CHECK-LABEL: func.func @columns
// CHECK:         arith.muli
// CHECK-NEXT:    scf.for %[[R:.*]] =
// CHECK:           %[[ROW:.*]] = affine.apply #{{.*}}()[%{{.*}}, %[[R]]]
// CHECK:           %[[BELOW:.*]] = affine.apply #{{.*}}()[%{{.*}}, %[[R]]]
// CHECK-NEXT:      vector.transfer_read %[[X:.*]][%[[ROW]], %[[C:.*]]], %
// CHECK-NEXT:      %[[D0:.*]] = arith.constant 16384 : index
// CHECK-NEXT:      %[[A0:.*]] = arith.addi %[[C]], %[[D0]]
// CHECK-NEXT:      memref.prefetch %[[X]][%[[BELOW]], %[[A0]]], read, locality<3>, data
// CHECK-COUNT-3:   memref.prefetch %[[X]][%[[BELOW]], %{{.*}}]
// CHECK-NEXT:      vector.transfer_read %[[X]][%[[BELOW]], %[[C]]], %
// CHECK:         scf.for %[[J:.*]] =
// CHECK:           %[[AT:.*]] = affine.apply #{{.*}}()[%{{.*}}, %[[J]]]
// CHECK-COUNT-4:   memref.prefetch %[[X]][%{{.*}}, %{{.*}}]
// CHECK-NEXT:      vector.transfer_read %[[X]][%{{.*}}, %[[AT]]], %
module {
  kernel.abi @columns
  func.func @columns(%x: memref<64x4096xf32>, %status: memref<4xi64>, %lo: index, %hi: index) {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c16 = arith.constant 16 : index
    %c32 = arith.constant 32 : index
    %c64 = arith.constant 64 : index
    %c2048 = arith.constant 2048 : index
    %pad = arith.constant 0.0 : f32
    scf.for %i = %lo to %hi step %c1 {
      %column = arith.muli %i, %c64 : index
      scf.for %r = %c0 to %c32 step %c1 {
        %row = affine.apply affine_map<()[s0, s1] -> (s0 + s1)>()[%c16, %r]
        %below = affine.apply affine_map<()[s0, s1] -> (s0 + s1 + 1)>()[%c16, %r]
        %v = vector.transfer_read %x[%row, %column], %pad {in_bounds = [true]} : memref<64x4096xf32>, vector<64xf32>
        %w = vector.transfer_read %x[%below, %column], %pad {in_bounds = [true]} : memref<64x4096xf32>, vector<64xf32>
      }
      %start = arith.minsi %column, %c2048 : index
      scf.for %j = %c0 to %c2048 step %c64 {
        %at = affine.apply affine_map<()[s0, s1] -> (s0 + s1)>()[%start, %j]
        %v = vector.transfer_read %x[%i, %at], %pad {in_bounds = [true]} : memref<64x4096xf32>, vector<64xf32>
      }
    }
    return
  }
  func.func @columns.range(%x: memref<64x4096xf32>) -> index {
    %c32 = arith.constant 32 : index
    return %c32 : index
  }
}

// -----

// Nothing is fetched where an iteration reads a small part of a row (%x, %y), where a row is short, whose lines are
// followed by others than the next row's (%z), where the position is read from memory (%g), where a vector has several
// rows, or where the loop may have no iteration.
// STATS:      CPUPrefetchReadsPass
// STATS-NEXT: 0 num-prefetched
// STATS-NEXT: 1 num-short

// CHECK-LABEL: func.func @others
// CHECK-NOT:     memref.prefetch
module {
  kernel.abi @others
  func.func @others(%x: memref<4096x64xf32>, %y: memref<64x4096xf32>, %z: memref<64x4096xf32>, %g: memref<64x4096xf32>, %n: memref<4096xindex>, %status: memref<4xi64>, %lo: index, %hi: index) {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c2 = arith.constant 2 : index
    %c16 = arith.constant 16 : index
    %c512 = arith.constant 512 : index
    %c2048 = arith.constant 2048 : index
    %pad = arith.constant 0.0 : f32
    scf.for %i = %lo to %hi step %c1 {
      scf.for %j = %c0 to %c2048 step %c16 {
        %v = vector.transfer_read %x[%j, %c0], %pad {in_bounds = [true]} : memref<4096x64xf32>, vector<16xf32>
        %twice = arith.muli %j, %c2 : index
        %w = vector.transfer_read %y[%i, %twice], %pad {in_bounds = [true]} : memref<64x4096xf32>, vector<16xf32>
        %p = memref.load %n[%j] : memref<4096xindex>
        %u = vector.transfer_read %g[%i, %p], %pad {in_bounds = [true]} : memref<64x4096xf32>, vector<16xf32>
        %t = vector.transfer_read %g[%i, %j], %pad {in_bounds = [true, true]} : memref<64x4096xf32>, vector<2x16xf32>
      }
      scf.for %j = %c0 to %c512 step %c16 {
        %v = vector.transfer_read %z[%i, %j], %pad {in_bounds = [true]} : memref<64x4096xf32>, vector<16xf32>
      }
      scf.for %j = %c0 to %hi step %c16 {
        %v = vector.transfer_read %z[%i, %j], %pad {in_bounds = [true]} : memref<64x4096xf32>, vector<16xf32>
      }
      scf.for %j = %c0 to %c2048 step %c0 {
        %v = vector.transfer_read %z[%i, %j], %pad {in_bounds = [true]} : memref<64x4096xf32>, vector<16xf32>
      }
    }
    return
  }
  func.func @others.range(%x: memref<4096x64xf32>, %y: memref<64x4096xf32>, %z: memref<64x4096xf32>, %g: memref<64x4096xf32>, %n: memref<4096xindex>) -> index {
    %c32 = arith.constant 32 : index
    return %c32 : index
  }
}

// -----

// A number in memory chooses the row: those that follow it in the array are not read next.
// CHECK-LABEL: func.func @gathered
// CHECK:         scf.for
// CHECK:         scf.for %[[J:.*]] =
// CHECK:           %[[C512:.*]] = arith.constant 512 : index
// CHECK:           %[[AHEAD:.*]] = arith.addi %[[J]], %[[C512]]
// CHECK:           memref.prefetch %{{.*}}[%{{.*}}, %[[AHEAD]]], read, locality<3>, data
module {
  kernel.abi @gathered
  func.func @gathered(%x: memref<64x2048xf32>, %rows: memref<16xi32>, %status: memref<4xi64>, %lo: index, %hi: index) {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c16 = arith.constant 16 : index
    %c63 = arith.constant 63 : index
    %c2048 = arith.constant 2048 : index
    %pad = arith.constant 0.0 : f32
    scf.for %i = %lo to %hi step %c1 {
      %row = memref.load %rows[%i] : memref<16xi32>
      %number = arith.index_cast %row : i32 to index
      %inside = arith.minsi %number, %c63 : index
      scf.for %j = %c0 to %c2048 step %c16 {
        %v = vector.transfer_read %x[%inside, %j], %pad {in_bounds = [true]} : memref<64x2048xf32>, vector<16xf32>
      }
    }
    return
  }
  func.func @gathered.range(%x: memref<64x2048xf32>, %rows: memref<16xi32>) -> index {
    %c16 = arith.constant 16 : index
    return %c16 : index
  }
}
