// RUN: gridir-opt %s --split-input-file --cpu-stream-stores=cache-bytes=65536 | FileCheck %s
// RUN: gridir-opt %s --split-input-file --cpu-stream-stores=cache-bytes=65536 --mlir-pass-statistics --mlir-pass-statistics-display=list -o /dev/null 2>&1 | FileCheck %s --check-prefix=STATS
// RUN: gridir-opt %s --split-input-file --cpu-stream-stores | FileCheck %s --check-prefix=NONE
// RUN: gridir-opt %s --split-input-file --cpu-stream-stores=cache-bytes=65540 | FileCheck %s --check-prefix=LARGER

// Without the size of the caches no store streams, nor where the caches are larger than the result.
// NONE-NOT: nontemporal
// LARGER-NOT: nontemporal

// Blocks of whole rows, written through views: 64 lanes are four lines. The rest of a row fills lines, too. The input,
// which is as large, is only read.
// STATS:      CPUStreamStoresPass
// STATS-NEXT: (S) 0 num-partial
// STATS-NEXT: (S) 1 num-read
// STATS-NEXT: (S) 0 num-rewritten
// STATS-NEXT: (S) 2 num-streamed
// CHECK-LABEL: kernel.abi @rows aligned_operands = [1]
// CHECK:       func.func @rows(%[[X:.*]]: memref<64x256xf32>, %[[O:.*]]: memref<64x256xf32>,
// CHECK:         %[[VIEW:.*]] = memref.subview %[[O]]
// CHECK:         %[[ROW:.*]] = memref.collapse_shape %[[VIEW]]
// CHECK:         scf.for %[[J:.*]] =
// CHECK:           vector.store %{{.*}}, %[[ROW]][%[[J]]] {alignment = 64 : i64, nontemporal = true}
// CHECK-SAME:        memref<2048xf32, strided<[1], offset: ?>>, vector<64xf32>
// CHECK:         vector.store %{{.*}}, %[[ROW]][%{{.*}}] {alignment = 64 : i64, nontemporal = true}
// CHECK-SAME:      vector<32xf32>
// CHECK:         llvm.fence seq_cst
// CHECK-NEXT:    return
module {
  kernel.abi @rows
  func.func @rows(%x: memref<64x256xf32>, %o: memref<64x256xf32>, %status: memref<4xi64>, %lo: index, %hi: index) {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c8 = arith.constant 8 : index
    %c64 = arith.constant 64 : index
    %c1984 = arith.constant 1984 : index
    %pad = arith.constant 0.0 : f32
    scf.for %i = %lo to %hi step %c1 {
      %r = arith.muli %i, %c8 : index
      %xb = memref.subview %x[%r, 0] [8, 256] [1, 1] : memref<64x256xf32> to memref<8x256xf32, strided<[256, 1], offset: ?>>
      %ob = memref.subview %o[%r, 0] [8, 256] [1, 1] : memref<64x256xf32> to memref<8x256xf32, strided<[256, 1], offset: ?>>
      %xr = memref.collapse_shape %xb [[0, 1]] : memref<8x256xf32, strided<[256, 1], offset: ?>> into memref<2048xf32, strided<[1], offset: ?>>
      %or = memref.collapse_shape %ob [[0, 1]] : memref<8x256xf32, strided<[256, 1], offset: ?>> into memref<2048xf32, strided<[1], offset: ?>>
      scf.for %j = %c0 to %c1984 step %c64 {
        %v = vector.transfer_read %xr[%j], %pad {in_bounds = [true]} : memref<2048xf32, strided<[1], offset: ?>>, vector<64xf32>
        vector.transfer_write %v, %or[%j] {in_bounds = [true]} : vector<64xf32>, memref<2048xf32, strided<[1], offset: ?>>
      }
      %w = vector.transfer_read %xr[%c1984], %pad {in_bounds = [true]} : memref<2048xf32, strided<[1], offset: ?>>, vector<32xf32>
      vector.transfer_write %w, %or[%c1984] {in_bounds = [true]} : vector<32xf32>, memref<2048xf32, strided<[1], offset: ?>>
    }
    return
  }
  func.func @rows.range(%x: memref<64x256xf32>, %o: memref<64x256xf32>) -> index {
    %c8 = arith.constant 8 : index
    return %c8 : index
  }
}

// -----

// Half a line at a time: the next iteration writes the other half (%o). With another step it does not (%p), nor by
// columns (%q).
// STATS:      (S) 2 num-partial
// STATS:      (S) 1 num-streamed
// CHECK-LABEL: kernel.abi @halves aligned_operands = [0]
// CHECK:       func.func @halves(%[[O:.*]]: memref<64x512xbf16>, %[[P:.*]]: memref<64x512xbf16>, %[[Q:.*]]: memref<64x512xbf16>,
// CHECK:         vector.store %{{.*}}, %[[O]][%{{.*}}] {alignment = 32 : i64, nontemporal = true}
// CHECK:         vector.transfer_write %{{.*}}, %[[P]]
// CHECK:         vector.transfer_write %{{.*}}, %[[Q]]
module {
  kernel.abi @halves
  func.func @halves(%o: memref<64x512xbf16>, %p: memref<64x512xbf16>, %q: memref<64x512xbf16>, %status: memref<4xi64>, %lo: index, %hi: index) {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c16 = arith.constant 16 : index
    %c32 = arith.constant 32 : index
    %c64 = arith.constant 64 : index
    %c512 = arith.constant 512 : index
    %v = arith.constant dense<1.0> : vector<16xbf16>
    scf.for %i = %lo to %hi step %c1 {
      scf.for %j = %c0 to %c512 step %c16 {
        vector.transfer_write %v, %o[%i, %j] {in_bounds = [true]} : vector<16xbf16>, memref<64x512xbf16>
      }
      scf.for %j = %c0 to %c512 step %c32 {
        vector.transfer_write %v, %p[%i, %j] {in_bounds = [true]} : vector<16xbf16>, memref<64x512xbf16>
      }
      scf.for %j = %c0 to %c512 step %c16 {
        scf.for %k = %c0 to %c64 step %c1 {
          vector.transfer_write %v, %q[%k, %j] {in_bounds = [true]} : vector<16xbf16>, memref<64x512xbf16>
        }
      }
    }
    return
  }
  func.func @halves.range(%o: memref<64x512xbf16>, %p: memref<64x512xbf16>, %q: memref<64x512xbf16>) -> index {
    %c64 = arith.constant 64 : index
    return %c64 : index
  }
}

// -----

// An accumulator is read; a callee may read what it is given. A small operand stays in the caches.
// STATS:      (S) 2 num-read
// STATS:      (S) 0 num-streamed
// CHECK-LABEL: kernel.abi @read
// CHECK-NOT:   nontemporal
// CHECK-NOT:   llvm.fence
module {
  kernel.abi @read
  func.func private @callee(memref<64x256xf32>)
  func.func @read(%sum: memref<64x256xf32>, %given: memref<64x256xf32>, %small: memref<64x192xf32>, %status: memref<4xi64>, %lo: index, %hi: index) {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %pad = arith.constant 0.0 : f32
    %one = arith.constant dense<1.0> : vector<64xf32>
    scf.for %i = %lo to %hi step %c1 {
      %old = vector.transfer_read %sum[%i, %c0], %pad {in_bounds = [true]} : memref<64x256xf32>, vector<64xf32>
      %new = arith.addf %old, %one : vector<64xf32>
      vector.transfer_write %new, %sum[%i, %c0] {in_bounds = [true]} : vector<64xf32>, memref<64x256xf32>
      vector.transfer_write %one, %given[%i, %c0] {in_bounds = [true]} : vector<64xf32>, memref<64x256xf32>
      vector.transfer_write %one, %small[%i, %c0] {in_bounds = [true]} : vector<64xf32>, memref<64x192xf32>
    }
    func.call @callee(%given) : (memref<64x256xf32>) -> ()
    return
  }
  func.func @read.range(%sum: memref<64x256xf32>, %given: memref<64x256xf32>, %small: memref<64x192xf32>) -> index {
    %c64 = arith.constant 64 : index
    return %c64 : index
  }
}

// -----

// Elements that are written again are better in the caches: in each turn of a loop (%a), in several turns of one (%b),
// where an index is data (%c), and by another store (%d, %e).
// STATS:      (S) 0 num-partial
// STATS:      (S) 7 num-rewritten
// STATS-NEXT: (S) 0 num-streamed
// CHECK-LABEL: kernel.abi @again
// CHECK-NOT:   nontemporal
// CHECK-NOT:   llvm.fence
module {
  kernel.abi @again
  func.func @again(%n: memref<64xindex>, %a: memref<64x256xf32>, %b: memref<64x256xf32>, %c: memref<64x256xf32>, %d: memref<64x256xf32>, %e: memref<64x256xf32>, %status: memref<4xi64>, %lo: index, %hi: index) {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c4 = arith.constant 4 : index
    %c64 = arith.constant 64 : index
    %c128 = arith.constant 128 : index
    %one = arith.constant dense<1.0> : vector<64xf32>
    %f = arith.constant 2.0 : f32
    scf.for %i = %lo to %hi step %c1 {
      scf.for %k = %c0 to %c4 step %c1 {
        vector.transfer_write %one, %a[%i, %c0] {in_bounds = [true]} : vector<64xf32>, memref<64x256xf32>
        %half = arith.divui %k, %c4 : index
        vector.transfer_write %one, %b[%half, %c0] {in_bounds = [true]} : vector<64xf32>, memref<64x256xf32>
        %row = memref.load %n[%k] : memref<64xindex>
        vector.transfer_write %one, %c[%row, %c0] {in_bounds = [true]} : vector<64xf32>, memref<64x256xf32>
      }
      scf.for %j = %c0 to %c128 step %c64 {
        vector.transfer_write %one, %d[%i, %j] {in_bounds = [true]} : vector<64xf32>, memref<64x256xf32>
      }
      vector.transfer_write %one, %d[%i, %c64] {in_bounds = [true]} : vector<64xf32>, memref<64x256xf32>
      vector.transfer_write %one, %e[%i, %c0] {in_bounds = [true]} : vector<64xf32>, memref<64x256xf32>
      vector.transfer_write %one, %e[%i, %c0] {in_bounds = [true]} : vector<64xf32>, memref<64x256xf32>
      memref.store %f, %e[%i, %c0] : memref<64x256xf32>
    }
    return
  }
  func.func @again.range(%n: memref<64xindex>, %a: memref<64x256xf32>, %b: memref<64x256xf32>, %c: memref<64x256xf32>, %d: memref<64x256xf32>, %e: memref<64x256xf32>) -> index {
    %c64 = arith.constant 64 : index
    return %c64 : index
  }
}

// -----

// Two stores write the halves of a row, the second at an index that is the first plus a constant (%a). Where the
// constant is less than a half, they write some elements twice (%b).
// STATS:      (S) 2 num-rewritten
// STATS-NEXT: (S) 2 num-streamed
// CHECK-LABEL: kernel.abi @join aligned_operands = [0]
// CHECK:       func.func @join(%[[A:.*]]: memref<64x256xf32>, %[[B:.*]]: memref<64x256xf32>,
// CHECK-COUNT-2: vector.store %{{.*}}, %[[A]][%{{.*}}] {alignment = 64 : i64, nontemporal = true}
// CHECK-COUNT-2: vector.transfer_write %{{.*}}, %[[B]]
#plus_half = affine_map<(d0) -> (d0 + 128)>
#plus_less = affine_map<()[s0] -> (s0 + 112)>
module {
  kernel.abi @join
  func.func @join(%a: memref<64x256xf32>, %b: memref<64x256xf32>, %status: memref<4xi64>, %lo: index, %hi: index) {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c16 = arith.constant 16 : index
    %c128 = arith.constant 128 : index
    %one = arith.constant dense<1.0> : vector<16xf32>
    scf.for %i = %lo to %hi step %c1 {
      scf.for %j = %c0 to %c128 step %c16 {
        %half = affine.apply #plus_half(%j)
        vector.transfer_write %one, %a[%i, %j] {in_bounds = [true]} : vector<16xf32>, memref<64x256xf32>
        vector.transfer_write %one, %a[%i, %half] {in_bounds = [true]} : vector<16xf32>, memref<64x256xf32>
        %less = affine.apply #plus_less()[%j]
        vector.transfer_write %one, %b[%i, %j] {in_bounds = [true]} : vector<16xf32>, memref<64x256xf32>
        vector.transfer_write %one, %b[%i, %less] {in_bounds = [true]} : vector<16xf32>, memref<64x256xf32>
      }
    }
    return
  }
  func.func @join.range(%a: memref<64x256xf32>, %b: memref<64x256xf32>) -> index {
    %c64 = arith.constant 64 : index
    return %c64 : index
  }
}

// -----

// Only one of two branches runs, so that neither writes what the other one has written.
// STATS:      (S) 0 num-rewritten
// STATS-NEXT: (S) 1 num-streamed
// CHECK-LABEL: kernel.abi @branches aligned_operands = [0]
// CHECK:         scf.if
// CHECK:           vector.store {{.*}} nontemporal = true
// CHECK:         } else {
// CHECK:           memref.store
module {
  kernel.abi @branches
  func.func @branches(%o: memref<64x256xf32>, %x: memref<64x256xf32>, %status: memref<4xi64>, %lo: index, %hi: index) {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c63 = arith.constant 63 : index
    %one = arith.constant dense<1.0> : vector<64xf32>
    %f = arith.constant 2.0 : f32
    scf.for %i = %lo to %hi step %c1 {
      %inside = arith.cmpi slt, %i, %c63 : index
      scf.if %inside {
        vector.transfer_write %one, %o[%i, %c0] {in_bounds = [true]} : vector<64xf32>, memref<64x256xf32>
      } else {
        memref.store %f, %o[%i, %c0] : memref<64x256xf32>
      }
    }
    return
  }
  func.func @branches.range(%o: memref<64x256xf32>, %x: memref<64x256xf32>) -> index {
    %c64 = arith.constant 64 : index
    return %c64 : index
  }
}

// -----

// Rows of 1001 elements begin anywhere (%a), as does a start that is at most 100 (%b); masks (%c), what may be
// outside (%d), and several rows at once (%e) have no streaming form here. Blocks of 16 columns begin at a line (%f).
// STATS:      (S) 5 num-partial
// STATS:      (S) 1 num-streamed
// CHECK-LABEL: kernel.abi @aligned aligned_operands = [5]
// CHECK:       func.func @aligned(%[[A:.*]]: memref<64x1001xf32>, %[[B:.*]]: memref<64x256xf32>, %[[C:.*]]: memref<64x256xf32>, %[[D:.*]]: memref<64x256xf32>, %[[E:.*]]: memref<64x256xf32>, %[[F:.*]]: memref<64x256xf32>,
// CHECK:         vector.transfer_write %{{.*}}, %[[A]]
// CHECK:         vector.transfer_write %{{.*}}, %[[B]]
// CHECK:         vector.transfer_write %{{.*}}, %[[C]]
// CHECK:         vector.transfer_write %{{.*}}, %[[D]]
// CHECK:         vector.transfer_write %{{.*}}, %[[E]]
// CHECK:         %[[BLOCK:.*]] = memref.subview %[[F]]
// CHECK:         vector.store %{{.*}}, %[[BLOCK]][%{{.*}}] {alignment = 64 : i64, nontemporal = true}
module {
  kernel.abi @aligned
  func.func @aligned(%a: memref<64x1001xf32>, %b: memref<64x256xf32>, %c: memref<64x256xf32>, %d: memref<64x256xf32>, %e: memref<64x256xf32>, %f: memref<64x256xf32>, %status: memref<4xi64>, %lo: index, %hi: index) {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c16 = arith.constant 16 : index
    %c60 = arith.constant 60 : index
    %c100 = arith.constant 100 : index
    %one = arith.constant dense<1.0> : vector<64xf32>
    %line = arith.constant dense<1.0> : vector<16xf32>
    %rows = arith.constant dense<1.0> : vector<2x64xf32>
    %mask = vector.create_mask %c60 : vector<64xi1>
    scf.for %i = %lo to %hi step %c1 {
      vector.transfer_write %one, %a[%i, %c0] {in_bounds = [true]} : vector<64xf32>, memref<64x1001xf32>
      scf.for %j = %c0 to %c16 step %c1 {
        %next = arith.muli %j, %c16 : index
        %start = arith.minsi %next, %c100 : index
        vector.transfer_write %line, %b[%i, %start] {in_bounds = [true]} : vector<16xf32>, memref<64x256xf32>
      }
      vector.transfer_write %one, %c[%i, %c0], %mask {in_bounds = [true]} : vector<64xf32>, memref<64x256xf32>
      vector.transfer_write %one, %d[%i, %c0] : vector<64xf32>, memref<64x256xf32>
      vector.transfer_write %rows, %e[%i, %c0] {in_bounds = [true, true]} : vector<2x64xf32>, memref<64x256xf32>
      scf.for %j = %c0 to %c16 step %c1 {
        %start = arith.muli %j, %c16 : index
        %fb = memref.subview %f[%i, %start] [1, 16] [1, 1] : memref<64x256xf32> to memref<1x16xf32, strided<[256, 1], offset: ?>>
        vector.transfer_write %line, %fb[%c0, %c0] {in_bounds = [true]} : vector<16xf32>, memref<1x16xf32, strided<[256, 1], offset: ?>>
      }
    }
    return
  }
  func.func @aligned.range(%a: memref<64x1001xf32>, %b: memref<64x256xf32>, %c: memref<64x256xf32>, %d: memref<64x256xf32>, %e: memref<64x256xf32>, %f: memref<64x256xf32>) -> index {
    %c64 = arith.constant 64 : index
    return %c64 : index
  }
}

// -----

// The caches keep a result of up to four times their size if the kernel reads little else: %small here.
// STATS:      (S) 0 num-rewritten
// STATS-NEXT: (S) 1 num-streamed
// CHECK-LABEL: kernel.abi @fill aligned_operands = [0]
// CHECK:         vector.store {{.*}} nontemporal = true
module {
  kernel.abi @fill
  func.func @fill(%o: memref<256x256xf32>, %small: memref<256xf32>, %status: memref<4xi64>, %lo: index, %hi: index) {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %one = arith.constant dense<1.0> : vector<64xf32>
    scf.for %i = %lo to %hi step %c1 {
      vector.transfer_write %one, %o[%i, %c0] {in_bounds = [true]} : vector<64xf32>, memref<256x256xf32>
    }
    return
  }
  func.func @fill.range(%o: memref<256x256xf32>, %small: memref<256xf32>) -> index {
    %c256 = arith.constant 256 : index
    return %c256 : index
  }
}

// -----

// STATS:      (S) 0 num-rewritten
// STATS-NEXT: (S) 0 num-streamed
// CHECK-LABEL: kernel.abi @fill_less
// CHECK:         vector.transfer_write
module {
  kernel.abi @fill_less
  func.func @fill_less(%o: memref<252x256xf32>, %small: memref<256xf32>, %status: memref<4xi64>, %lo: index, %hi: index) {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %one = arith.constant dense<1.0> : vector<64xf32>
    scf.for %i = %lo to %hi step %c1 {
      vector.transfer_write %one, %o[%i, %c0] {in_bounds = [true]} : vector<64xf32>, memref<252x256xf32>
    }
    return
  }
  func.func @fill_less.range(%o: memref<252x256xf32>, %small: memref<256xf32>) -> index {
    %c252 = arith.constant 252 : index
    return %c252 : index
  }
}
